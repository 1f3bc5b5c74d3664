//! Builds the tree of each basic block, while instructions are appended to the builder in between.

use super::basic_blocks::{BasicBlockId, Cfg, LabelId};
use super::basic_blocks::{SavedLanes, Scope, Scopes};
use super::call_graph::CallGraph;
use super::routine_builder::CallStack;
use super::routine_builder::{BlockTree, Callee, Callees, RoutineBuilder};
use crate::arena::IndexVec;
use crate::builder::Builder;
use crate::inst::{Cond, Src, WriteMask};
use crate::op::Op;
use crate::program::{BlockId, Case, NameId, Node, RegisterId, Switch, SwitchId};
use crate::span::Span;
use crate::structurize::{StepBound, selector};
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
    call_graph: &'c CallGraph,
    /// Complete trees.
    trees: IndexVec<BasicBlockId, BlockTree>,
    /// The tree under construction.
    current: Option<(BasicBlockId, BlockTree)>,
    pub(super) scopes: Vec<Scope>,
    pub(super) is_dead: bool,
    /// See [`Self::track_unreachable_ends`].
    tracks_unreachable_ends: bool,
    /// Structured blocks opened in dead code.
    pub(super) dead_scopes: usize,
    prologue: Vec<Node>,
    epilogue: Vec<Node>,
    saved_lanes: FxHashMap<BlockId, Vec<SavedLanes>>,
    address_stack: Option<AddressStack>,
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
    /// Returns the builder of a program; `graph` must be the call graph of `cfg`. Takes the memory
    /// for scopes out of `builder`.
    pub fn new(builder: &mut Builder, cfg: &'c Cfg, graph: &'c CallGraph) -> Self {
        let mut trees = IndexVec::new();
        if !graph.is_simple() {
            trees.grow(cfg.len(), BlockTree::default());
        }
        Self {
            cfg,
            call_graph: graph,
            trees,
            current: None,
            scopes: std::mem::take(&mut builder.scopes).0,
            is_dead: false,
            tracks_unreachable_ends: false,
            dead_scopes: 0,
            prologue: Vec::new(),
            epilogue: Vec::new(),
            saved_lanes: FxHashMap::default(),
            address_stack: None,
            callees: Callees::default(),
        }
    }

    /// Makes the code after a structured block dead if nothing reaches the end of the block: both
    /// blocks of a condition jump, or nothing leaves a loop. Otherwise the code after a structured
    /// block that can run is live.
    pub fn track_unreachable_ends(&mut self) {
        self.tracks_unreachable_ends = true;
    }

    /// Returns true if the innermost structured block began in dead code.
    pub fn is_in_dead_scope(&self) -> bool {
        self.dead_scopes > 0
    }

    /// Returns true if the following code cannot run.
    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    // Basic blocks.

    /// Ends the open basic block, if any, and begins the next one, which is dead code if no call or
    /// branch reaches it.
    pub fn begin_block(
        &mut self,
        builder: &mut Builder,
        block: BasicBlockId,
        name: Option<NameId>,
    ) {
        self.end_block(builder);
        self.is_dead = !self.call_graph.is_reachable(block);
        let tree = BlockTree {
            name,
            ..BlockTree::default()
        };
        self.current = Some((block, tree));
        builder.open_block();
    }

    /// Ends the open basic block, if any: closes its structured blocks and stores its tree.
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
            (self.is_dead, self.dead_scopes) = (false, 0);
            self.close_innermost_scope(builder);
        }
        self.dead_scopes = 0;
    }

    /// Closes the innermost structured block, whose end is missing. A block in dead code is only
    /// counted as closed.
    pub fn close_innermost_scope(&mut self, builder: &mut Builder) {
        if self.dead_scopes > 0 {
            self.dead_scopes -= 1;
            return;
        }
        match self.scopes.last() {
            Some(Scope::If { .. }) => self.end_if(builder),
            Some(Scope::Loop { .. }) => {
                let _: Option<u32> = self.end_loop_body(builder);
                self.end_loop(builder, None);
            }
            Some(Scope::LoopEnd { .. }) => self.end_loop(builder, None),
            Some(Scope::Switch(_)) => self.end_switch(builder, Span::default()),
            None => {}
        }
    }

    /// Sets the condition of the branch that ends the basic block. Does nothing outside of basic
    /// blocks; `None` is an unconditional branch.
    pub fn set_branch_condition(&mut self, cond: Option<Cond>, span: Span) {
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
    pub fn open_dead_scope(&mut self) {
        self.dead_scopes += 1;
    }

    /// Begins a condition, with the block that runs if `cond` holds.
    pub fn begin_if(&mut self, builder: &mut Builder, cond: Cond, span: Span) {
        self.scopes.push(Scope::If {
            cond,
            span,
            then: None,
            is_then_dead: false,
        });
        builder.open_block();
    }

    /// Begins the block that runs if the condition does not hold, whose code is live. Ignored in
    /// dead code, if no condition is open, and for a second `else`.
    pub fn begin_else(&mut self, builder: &mut Builder) {
        if self.dead_scopes > 0 {
            return;
        }
        if let Some(Scope::If {
            then,
            is_then_dead: then_ends,
            ..
        }) = self.scopes.last_mut()
            && then.is_none()
        {
            *then_ends = std::mem::replace(&mut self.is_dead, false);
            *then = Some(builder.close_block());
            builder.open_block();
        }
    }

    /// Ends a condition and appends its branch to the enclosing block; ignored if no condition is
    /// open. The code after it is dead if both arms end in a jump and the language tracks that.
    pub fn end_if(&mut self, builder: &mut Builder) {
        let otherwise_ends = self.is_dead;
        if !self.end_scope() {
            return;
        }
        match self.scopes.pop() {
            Some(Scope::If {
                cond,
                span,
                then,
                is_then_dead: then_ends,
            }) => {
                self.is_dead |= self.tracks_unreachable_ends && then_ends && otherwise_ends;
                let block = builder.close_block();
                match then {
                    None => builder.push_branch(cond, block, None, span),
                    Some(then) => builder.push_branch(cond, then, Some(block), span),
                }
            }
            other => self.scopes.extend(other),
        }
    }

    /// Counts the end of a condition or loop. Returns false if it began in dead code, so that it is
    /// no open scope. Otherwise the caller removes the scope, and the code after it is live.
    fn end_scope(&mut self) -> bool {
        if self.dead_scopes > 0 {
            self.dead_scopes -= 1;
            return false;
        }
        self.is_dead &= self.scopes.is_empty();
        true
    }

    /// Begins an endless loop, with the instruction as its first step. A call that may run it again
    /// saves `saved`.
    pub fn begin_loop(&mut self, builder: &mut Builder, saved: Vec<SavedLanes>, span: Span) {
        self.scopes.push(Scope::Loop {
            has_break: false,
            saved,
            steps: 1,
            span,
        });
        builder.open_block();
    }

    /// Counts an instruction of the source as a step of the innermost scope, if that is a loop.
    pub fn count_step(&mut self) {
        if let Some(Scope::Loop { steps, .. }) = self.scopes.last_mut() {
            *steps += 1;
        }
    }

    /// Ends the body of a loop, and returns the number of instructions of an iteration. Callers
    /// then call [`end_loop`](Self::end_loop). Returns `None` in dead code and if no loop is open.
    pub fn end_loop_body(&mut self, builder: &mut Builder) -> Option<u32> {
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

    /// Ends a loop whose body has ended, and appends it to the open block; `continuing` runs before
    /// the next iteration. Ignored if no body has ended.
    pub fn end_loop(&mut self, builder: &mut Builder, continuing: Option<BlockId>) {
        match self.scopes.pop() {
            Some(Scope::LoopEnd {
                has_break,
                saved,
                body,
                span,
            }) => {
                self.is_dead |= self.tracks_unreachable_ends && !has_break;
                if !saved.is_empty() {
                    self.saved_lanes.insert(body, saved);
                }
                builder.push_node(Node::Loop {
                    body,
                    continuing,
                    span,
                });
            }
            other => self.scopes.extend(other),
        }
    }

    // Jumps.

    /// Leaves the innermost loop or switch, if `cond` holds; ignored outside of loops and switches.
    /// Without a condition the following code is dead.
    pub fn emit_break(&mut self, builder: &mut Builder, cond: Option<Cond>, span: Span) {
        let mut inner_first = self.scopes.iter_mut().rev();
        let target = inner_first.find_map(|scope| match scope {
            Scope::Loop { has_break, .. } => Some(Some(has_break)),
            Scope::Switch(_) => Some(None),
            Scope::If { .. } | Scope::LoopEnd { .. } => None,
        });
        let Some(has_break) = target else { return };
        if let Some(has_break) = has_break {
            *has_break |= !self.is_dead;
        }
        self.emit_jump(builder, Node::Break, cond, span);
    }

    /// Continues with the next iteration of the innermost loop, if `cond` holds; ignored outside of
    /// loops. Without a condition the following code is dead.
    pub fn emit_continue(&mut self, builder: &mut Builder, cond: Option<Cond>, span: Span) {
        if self.is_in_loop() {
            self.emit_jump(builder, Node::Continue, cond, span);
        }
    }

    /// Returns true if a structured loop is open in the basic block.
    fn is_in_loop(&self) -> bool {
        let mut scopes = self.scopes.iter();
        scopes.any(|scope| matches!(scope, Scope::Loop { .. }))
    }

    /// Returns from the routine.
    pub fn emit_return(&mut self, builder: &mut Builder, cond: Option<Cond>, span: Span) {
        self.emit_jump(builder, Node::Return, cond, span);
    }

    /// Calls the function at a label, if `cond` holds; does nothing if no block has the label.
    /// `span` is the span of the label, `inst_span` the span of the instruction.
    pub fn emit_call(
        &mut self,
        builder: &mut Builder,
        cond: Option<Cond>,
        (to, span): (LabelId, Span),
        inst_span: Span,
    ) {
        let was_dead = self.is_dead;
        if let Some(entry) = self.cfg.find_label(to) {
            let call = self.callees.make_call(Callee::Block(entry), span);
            self.emit_jump(builder, call, cond, inst_span);
        }
        // Calls return, so that the following code is live.
        self.is_dead = was_dead;
    }

    /// Appends a jump, under a condition if there is one; code after an unconditional jump is dead.
    /// Does nothing in dead code.
    fn emit_jump(&mut self, builder: &mut Builder, node: Node, cond: Option<Cond>, span: Span) {
        if self.is_dead {
            return;
        }
        match cond {
            Some(cond) => {
                selector::emit_if_at(builder, cond, span, |builder| builder.push_node(node))
            }
            None => {
                builder.push_node(node);
                self.is_dead = true;
            }
        }
    }

    /// Appends a switch that calls the function at one of several labels, selected by the value of
    /// the selector. Other values, and labels that no block has, call no function.
    pub fn emit_indirect_call(
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
        builder.push_node(Node::Switch(switch));
        for (value, label) in targets {
            if let Some(entry) = self.cfg.find_label(label) {
                self.add_call_target(builder, switch, (value, entry));
            }
        }
    }

    /// Adds a case to a switch that calls the function at `entry` if the selector is `value`.
    fn add_call_target(
        &mut self,
        builder: &mut Builder,
        switch: SwitchId,
        (value, entry): (u32, BasicBlockId),
    ) {
        let span = builder.program.switches[switch].span;
        builder.open_block();
        builder.push_node(self.callees.make_call(Callee::Block(entry), span));
        let (values, block) = (vec![value], builder.close_block());
        let cases = &mut builder.program.switches[switch].cases;
        cases.push(Case { values, block });
    }

    // The stack.

    /// Returns the stack for pushed addresses, whose registers the first call adds to the program.
    fn get_address_stack(&mut self, builder: &mut Builder) -> AddressStack {
        let depth = self.call_graph.convention.max_depth;
        *self.address_stack.get_or_insert_with(|| {
            let stack = CallStack::new(builder, depth);
            AddressStack {
                stack,
                addresses: stack.add_entry_array(builder, Width::W32),
                scratch: selector::push_register(builder),
            }
        })
    }

    /// Returns a node that ends the program, with a placeholder that is resolved later.
    fn make_exit(&mut self) -> Node {
        self.callees.make_call(Callee::Exit, Span::default())
    }

    /// Emits the push of a register on the call stack; the program ends if the stack is full. The
    /// entry is marked as an address that a return must not use.
    pub fn emit_push(&mut self, builder: &mut Builder, value: (Src, Type)) {
        let AddressStack {
            stack,
            addresses,
            scratch,
        } = self.get_address_stack(builder);
        let full = stack.emit_full_test(builder, scratch);
        selector::emit_if(builder, full, |builder| builder.push_node(self.make_exit()));
        stack.store_top(builder, addresses, WriteMask::XYZW, value);
        // Index 0 marks an entry that is not a return address, so that a return from here ends the
        // program.
        let mark = (selector::push_word_literal(builder, 0), Type::U32);
        stack.store_top(builder, stack.return_addresses, WriteMask::X, mark);
        stack.emit_depth_change(builder, Op::Add);
    }

    /// Emits the removal of the top of the call stack and returns the operand that reads it; the
    /// program ends if the stack is empty or its top is a return address.
    pub fn emit_pop(&mut self, builder: &mut Builder) -> Src {
        let AddressStack {
            stack,
            addresses,
            scratch,
        } = self.get_address_stack(builder);
        selector::emit_if_not(builder, stack.make_nonempty_cond(), |builder| {
            builder.push_node(self.make_exit());
        });
        stack.emit_depth_change(builder, Op::Sub);
        let address = stack.make_top_operand(builder, stack.return_addresses);
        selector::emit_op(builder, scratch, Op::Mov, &[address]);
        let is_address = selector::make_non_zero_cond(scratch);
        selector::emit_if(builder, is_address, |builder| {
            builder.push_node(self.make_exit())
        });
        stack.make_top_operand(builder, addresses)
    }

    // The end.

    /// Ends the last basic block and the open scopes, and builds the routines of the program.
    /// `bound` ends cycles of branches and calls. Returns the memory for scopes to `builder`.
    pub fn build_routines(mut self, builder: &mut Builder, bound: Option<StepBound>) {
        if self.call_graph.is_simple() {
            self.close_scopes(builder);
            for &node in &self.epilogue {
                builder.push_node(node);
            }
            let body = builder.program.routines[builder.program.main].body;
            builder.close_block_as(body);
        } else {
            self.end_block(builder);
            RoutineBuilder {
                builder,
                cfg: self.cfg,
                call_graph: self.call_graph,
                step_bound: bound,
                trees: self.trees,
                prologue: self.prologue,
                epilogue: self.epilogue,
                saved_lanes: self.saved_lanes,
                stack: self.address_stack.map(|addresses| addresses.stack),
                callees: self.callees,
                pending_uses: IndexVec::new(),
                routine_ids: Vec::new(),
            }
            .build_routines();
        }
        builder.scopes = Scopes(self.scopes);
    }
}
