//! Builds the tree of each basic block, while instructions are appended to the builder in between.

use super::call_graph::CallGraph;
use super::cfg::{BasicBlockId, Cfg, LabelId};
use super::cfg::{SavedLanes, Scope, Scopes};
use super::routines::{BlockTree, Callee, Callees, Routines};
use super::stack::CallStack;
use crate::arena::IndexVec;
use crate::builder::Builder;
use crate::inst::{Cond, Src, WriteMask};
use crate::op::Op;
use crate::program::{BlockId, Case, NameId, Node, RegisterId, Switch, SwitchId};
use crate::span::Span;
use crate::structurize::{StepBound, code};
use crate::types::{Type, Width};
use rustc_hash::FxHashMap;

/// Builder of the trees of all basic blocks of a program, and of its routines. Unmatched
/// constructs, such as an ELSE without IF, are ignored: the rules of languages report them.
///
/// After an unconditional jump the code up to the end of the structured block is dead, as
/// [`is_dead`](Self::is_dead) indicates. Callers still call the methods for the structured blocks
/// in dead code, without conditions, but do not append instructions.
#[derive(Debug)]
pub struct TreeBuilder<'c> {
    cfg: &'c Cfg,
    graph: &'c CallGraph,
    /// Complete trees.
    trees: IndexVec<BasicBlockId, BlockTree>,
    /// The tree under construction.
    current: Option<(BasicBlockId, BlockTree)>,
    pub(super) scopes: Vec<Scope>,
    pub(super) dead: bool,
    /// See [`Self::follow_ends`].
    follows_ends: bool,
    /// Structured blocks opened in dead code.
    pub(super) dead_scopes: usize,
    prologue: Vec<Node>,
    epilogue: Vec<Node>,
    saved: FxHashMap<BlockId, Vec<SavedLanes>>,
    stack: Option<AddressStack>,
    callees: Callees,
}

/// The call stack, if values other than return addresses are pushed on it.
#[derive(Clone, Copy, Debug)]
struct AddressStack {
    stack: CallStack,
    addresses: RegisterId,
    scratch: RegisterId,
}

impl<'c> TreeBuilder<'c> {
    /// Returns the builder of a program; `graph` must be the call graph of `cfg`.
    pub fn new(builder: &mut Builder, cfg: &'c Cfg, graph: &'c CallGraph) -> Self {
        let mut trees = IndexVec::new();
        if !graph.is_simple() {
            trees.grow(cfg.len(), BlockTree::default());
        }
        Self {
            cfg,
            graph,
            trees,
            current: None,
            scopes: std::mem::take(&mut builder.scopes).0,
            dead: false,
            follows_ends: false,
            dead_scopes: 0,
            prologue: Vec::new(),
            epilogue: Vec::new(),
            saved: FxHashMap::default(),
            stack: None,
            callees: Callees::default(),
        }
    }

    /// Makes the code after a structured block dead if nothing reaches the end of the block: both
    /// blocks of a condition jump, or nothing leaves a loop. Otherwise the code after a structured
    /// block that can run is live.
    pub fn follow_ends(&mut self) {
        self.follows_ends = true;
    }

    /// Returns true if the innermost structured block began in dead code.
    pub fn is_in_dead_block(&self) -> bool {
        self.dead_scopes > 0
    }

    /// Returns true if the following code cannot run.
    pub fn is_dead(&self) -> bool {
        self.dead
    }

    // Basic blocks.

    /// Begins a basic block, and ends the previous one.
    pub fn begin_block(
        &mut self,
        builder: &mut Builder,
        block: BasicBlockId,
        name: Option<NameId>,
    ) {
        self.end_block(builder);
        self.dead = !self.graph.is_reached(block);
        let tree = BlockTree {
            name,
            ..BlockTree::default()
        };
        self.current = Some((block, tree));
        builder.open_block();
    }

    fn end_block(&mut self, builder: &mut Builder) {
        let Some((block, mut tree)) = self.current.take() else {
            return;
        };
        self.close_scopes(builder);
        tree.block = builder.close_block();
        self.trees[block] = tree;
    }

    /// Closes structured blocks that are open at the end of a basic block, which is an error that
    /// the rules report.
    fn close_scopes(&mut self, builder: &mut Builder) {
        while !self.scopes.is_empty() {
            (self.dead, self.dead_scopes) = (false, 0);
            self.close_innermost(builder);
        }
        self.dead_scopes = 0;
    }

    /// Closes the innermost structured block, whose end is missing.
    pub fn close_innermost(&mut self, builder: &mut Builder) {
        if self.dead_scopes > 0 {
            self.dead_scopes -= 1;
            return;
        }
        match self.scopes.last() {
            Some(Scope::If { .. }) => self.end_if(builder),
            Some(Scope::Loop { .. }) => {
                let _: Option<u32> = self.end_body(builder);
                self.end_loop(builder, None);
            }
            Some(Scope::LoopEnd { .. }) => self.end_loop(builder, None),
            Some(Scope::Switch(_)) => self.end_switch(builder, Span::default()),
            None => {}
        }
    }

    /// Sets the condition of the branch that ends the basic block.
    pub fn branch(&mut self, cond: Option<Cond>, span: Span) {
        if let Some((_, tree)) = &mut self.current {
            (tree.cond, tree.span) = (cond, span);
        }
    }

    /// Moves the code appended since the begin of the basic block to the prologue, which runs once
    /// before all other code.
    pub fn end_prologue(&mut self, builder: &mut Builder) {
        self.prologue = builder.take_nodes();
        builder.open_block();
    }

    /// Sets nodes that run at the end of the main routine.
    pub fn set_epilogue(&mut self, nodes: Vec<Node>) {
        self.epilogue = nodes;
    }

    // Structured blocks.

    /// Begins a block in dead code.
    pub fn open_dead(&mut self) {
        self.dead_scopes += 1;
    }

    /// Begins a block that runs if `cond` holds.
    pub fn begin_if(&mut self, builder: &mut Builder, cond: Cond, span: Span) {
        self.scopes.push(Scope::If {
            cond,
            span,
            then: None,
            then_ends: false,
        });
        builder.open_block();
    }

    /// Begins the block that runs if the condition does not hold.
    pub fn begin_else(&mut self, builder: &mut Builder) {
        if self.dead_scopes > 0 {
            return;
        }
        if let Some(Scope::If {
            then, then_ends, ..
        }) = self.scopes.last_mut()
            && then.is_none()
        {
            *then_ends = std::mem::replace(&mut self.dead, false);
            *then = Some(builder.close_block());
            builder.open_block();
        }
    }

    /// Ends the blocks of a condition.
    pub fn end_if(&mut self, builder: &mut Builder) {
        let otherwise_ends = self.dead;
        if !self.end_scope() {
            return;
        }
        match self.scopes.pop() {
            Some(Scope::If {
                cond,
                span,
                then,
                then_ends,
            }) => {
                self.dead |= self.follows_ends && then_ends && otherwise_ends;
                let block = builder.close_block();
                match then {
                    None => builder.branch(cond, block, None, span),
                    Some(then) => builder.branch(cond, then, Some(block), span),
                }
            }
            other => self.scopes.extend(other),
        }
    }

    /// Ends a block; returns true if it began in live code, so that the following code is live
    /// again.
    fn end_scope(&mut self) -> bool {
        if self.dead_scopes > 0 {
            self.dead_scopes -= 1;
            return false;
        }
        self.dead &= self.scopes.is_empty();
        true
    }

    /// Begins an endless loop. A call that may run it again saves `saved`.
    pub fn begin_loop(&mut self, builder: &mut Builder, saved: Vec<SavedLanes>, span: Span) {
        self.scopes.push(Scope::Loop {
            has_break: false,
            saved,
            steps: 1,
            span,
        });
        builder.open_block();
    }

    /// Counts an instruction of the source.
    pub fn count_step(&mut self) {
        if let Some(Scope::Loop { steps, .. }) = self.scopes.last_mut() {
            *steps += 1;
        }
    }

    /// Ends the body of a loop, and returns the number of instructions of an iteration. Callers
    /// then call [`end_loop`](Self::end_loop), unless the loop is dead code.
    pub fn end_body(&mut self, builder: &mut Builder) -> Option<u32> {
        if !self.end_scope() {
            return None;
        }
        match self.scopes.pop() {
            Some(Scope::Loop {
                has_break,
                saved,
                steps,
                span,
            }) => {
                let body = builder.close_block();
                self.scopes.push(Scope::LoopEnd {
                    has_break,
                    saved,
                    body,
                    span,
                });
                Some(steps)
            }
            other => {
                self.scopes.extend(other);
                None
            }
        }
    }

    /// Ends a loop; `continuing` runs before the next iteration.
    pub fn end_loop(&mut self, builder: &mut Builder, continuing: Option<BlockId>) {
        match self.scopes.pop() {
            Some(Scope::LoopEnd {
                has_break,
                saved,
                body,
                span,
            }) => {
                self.dead |= self.follows_ends && !has_break;
                if !saved.is_empty() {
                    self.saved.insert(body, saved);
                }
                builder.node(Node::Loop {
                    body,
                    continuing,
                    span,
                });
            }
            other => self.scopes.extend(other),
        }
    }

    // Jumps.

    /// Leaves the innermost loop or switch.
    pub fn break_loop(&mut self, builder: &mut Builder, cond: Option<Cond>, span: Span) {
        let mut inner_first = self.scopes.iter_mut().rev();
        let left = inner_first.find_map(|scope| match scope {
            Scope::Loop { has_break, .. } => Some(Some(has_break)),
            Scope::Switch(_) => Some(None),
            Scope::If { .. } | Scope::LoopEnd { .. } => None,
        });
        let Some(has_break) = left else { return };
        if let Some(has_break) = has_break {
            *has_break |= !self.dead;
        }
        self.jump(builder, Node::Break, cond, span);
    }

    /// Continues with the next iteration of the innermost loop.
    pub fn continue_loop(&mut self, builder: &mut Builder, cond: Option<Cond>, span: Span) {
        if self.is_in_loop() {
            self.jump(builder, Node::Continue, cond, span);
        }
    }

    fn is_in_loop(&self) -> bool {
        let mut scopes = self.scopes.iter();
        scopes.any(|scope| matches!(scope, Scope::Loop { .. }))
    }

    /// Returns from the routine.
    pub fn ret(&mut self, builder: &mut Builder, cond: Option<Cond>, span: Span) {
        self.jump(builder, Node::Return, cond, span);
    }

    /// Calls the function at a label; no-op if there is no such label. `span` is the span of the
    /// label, `whole` the span of the instruction.
    pub fn call(
        &mut self,
        builder: &mut Builder,
        cond: Option<Cond>,
        (to, span): (LabelId, Span),
        whole: Span,
    ) {
        let dead = self.dead;
        if let Some(entry) = self.cfg.find_label(to) {
            let call = self.callees.make_call(Callee::Block(entry), span);
            self.jump(builder, call, cond, whole);
        }
        // Calls return, so that the following code is live.
        self.dead = dead;
    }

    fn jump(&mut self, builder: &mut Builder, node: Node, cond: Option<Cond>, span: Span) {
        if self.dead {
            return;
        }
        match cond {
            Some(cond) => code::emit_if_at(builder, cond, span, |builder| builder.node(node)),
            None => {
                builder.node(node);
                self.dead = true;
            }
        }
    }

    /// Calls the function at one of several labels, selected by the value of the selector. Other
    /// values call no function.
    pub fn call_indirect(
        &mut self,
        builder: &mut Builder,
        selector: (RegisterId, u8),
        targets: impl Iterator<Item = (u32, LabelId)>,
        span: Span,
    ) {
        let switch = builder.program.switches.push(Switch {
            selector,
            cases: Vec::new(),
            default: None,
            span,
        });
        builder.node(Node::Switch(switch));
        for (value, label) in targets {
            if let Some(entry) = self.cfg.find_label(label) {
                self.add_target(builder, switch, (value, entry));
            }
        }
    }

    fn add_target(
        &mut self,
        builder: &mut Builder,
        switch: SwitchId,
        (value, entry): (u32, BasicBlockId),
    ) {
        let span = builder.program.switches[switch].span;
        builder.open_block();
        builder.node(self.callees.make_call(Callee::Block(entry), span));
        let (values, block) = (vec![value], builder.close_block());
        let cases = &mut builder.program.switches[switch].cases;
        cases.push(Case { values, block });
    }

    // The stack.

    fn get_address_stack(&mut self, builder: &mut Builder) -> AddressStack {
        let depth = self.graph.convention.depth;
        *self.stack.get_or_insert_with(|| {
            let stack = CallStack::new(builder, depth);
            AddressStack {
                stack,
                addresses: stack.add_array(builder, Width::W32),
                scratch: code::new_register(builder),
            }
        })
    }

    fn make_exit(&mut self) -> Node {
        self.callees.make_call(Callee::Exit, Span::default())
    }

    /// Pushes a register on the call stack; ends the program if the stack is full.
    pub fn push(&mut self, builder: &mut Builder, value: (Src, Type)) {
        let AddressStack {
            stack,
            addresses,
            scratch,
        } = self.get_address_stack(builder);
        let full = stack.test_full(builder, scratch);
        code::emit_if(builder, full, |builder| builder.node(self.make_exit()));
        stack.store_top(builder, addresses, WriteMask::XYZW, value);
        // Index 0 marks an entry that is not a return address, so that a return from here ends the
        // program.
        let mark = (code::add_word(builder, 0), Type::U32);
        stack.store_top(builder, stack.return_addresses, WriteMask::X, mark);
        stack.emit_step(builder, Op::Add);
    }

    /// Pops a register from the call stack; ends the program if the stack is empty or its top is a
    /// return address.
    pub fn pop(&mut self, builder: &mut Builder) -> Src {
        let AddressStack {
            stack,
            addresses,
            scratch,
        } = self.get_address_stack(builder);
        code::emit_if_not(builder, stack.test_nonempty(), |builder| {
            builder.node(self.make_exit());
        });
        stack.emit_step(builder, Op::Sub);
        let address = stack.load_top(builder, stack.return_addresses);
        code::emit_op(builder, scratch, Op::Mov, &[address]);
        let is_address = code::test_non_zero(scratch);
        code::emit_if(builder, is_address, |builder| {
            builder.node(self.make_exit())
        });
        stack.load_top(builder, addresses)
    }

    // The end.

    /// Ends the last basic block and builds the routines of the program. `bound` ends cycles of
    /// branches and calls.
    pub fn finish(mut self, builder: &mut Builder, bound: Option<StepBound>) {
        if self.graph.is_simple() {
            self.close_scopes(builder);
            for &node in &self.epilogue {
                builder.node(node);
            }
            let body = builder.program.routines[builder.program.main].body;
            builder.close_block_as(body);
        } else {
            self.end_block(builder);
            Routines {
                builder,
                cfg: self.cfg,
                graph: self.graph,
                bound,
                trees: self.trees,
                prologue: self.prologue,
                epilogue: self.epilogue,
                saved: self.saved,
                stack: self.stack.map(|addresses| addresses.stack),
                callees: self.callees,
                uses: IndexVec::new(),
                ids: Vec::new(),
            }
            .build();
        }
        builder.scopes = Scopes(self.scopes);
    }
}
