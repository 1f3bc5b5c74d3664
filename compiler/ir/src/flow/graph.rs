//! Merges the trees of basic blocks into one graph, with or without a stack of return addresses.
//!
//! Nodes without jumps out of them and without calls of the group remain trees inside a block of
//! the graph. Registers are shared by all calls, so a call saves only the return address and the
//! lanes of the enclosing loops.

use super::call_graph::CallGraph;
use super::cfg::SavedLanes;
use super::cfg::{BasicBlockId, Cfg, OnStackOverflow, Successor, Terminator};
use super::routines::{BlockTree, Callee, Callees};
use super::stack::CallStack;
use crate::arena::{Id, IndexVec};
use crate::builder::Builder;
use crate::inst::{Cond, Dst, Src};
use crate::op::Op;
use crate::program::{Block, BlockId, Node, Program, RegisterId, RoutineId, SwitchId};
use crate::span::Span;
use crate::structurize::{self, Exit, FlowBlock, FlowId, StepTest, code};
use rustc_hash::FxHashMap;

/// Entry of a graph.
pub(super) enum Start {
    At(BasicBlockId),
    /// The basic block whose index a register holds.
    Selected(RegisterId, Vec<BasicBlockId>),
}

bitflags::bitflags! {
    /// Jumps that leave a node.
    #[derive(Clone, Copy, PartialEq, Eq)]
    struct Leaves: u8 {
        /// A return, a call of the group, the end of the program.
        const AWAY = 1;
        const BREAK = 2;
        const CONTINUE = 4;
    }
}

/// Targets of the jumps that leave the nodes of a block.
#[derive(Clone, Copy, Default)]
struct Jumps {
    break_to: Option<FlowId>,
    continue_to: Option<FlowId>,
}

/// Calls of the group.
struct Calls<'a> {
    stack: CallStack,
    /// Overwritten by tests.
    scratch: RegisterId,
    /// Blocks that calls return to.
    return_blocks: Vec<FlowId>,
    saved: &'a FxHashMap<BlockId, Vec<SavedLanes>>,
}

/// A graph under construction.
pub(super) struct Graph<'a> {
    builder: &'a mut Builder,
    cfg: &'a Cfg,
    call_graph: &'a CallGraph,
    callees: &'a Callees,
    /// Steps that are counted.
    counts: Option<StepTest>,
    blocks: IndexVec<FlowId, FlowBlock>,
    current: FlowId,
    /// The only predecessor of the block under construction, if that block was begun after a
    /// conditional jump.
    only_from: Option<FlowId>,
    /// Instructions of the program in the block under construction.
    steps: u32,
    /// True if the code under construction is the arm of a conditional jump, which has been
    /// counted.
    in_jump: bool,
    /// First graph block of each basic block.
    starts: IndexVec<BasicBlockId, Option<FlowId>>,
    /// Ends the program; without a stack, the function.
    out: FlowId,
    /// Jumps to the return address on top of the stack.
    ret: FlowId,
    calls: Option<Calls<'a>>,
    leaves: FxHashMap<BlockId, Leaves>,
    /// Saved lanes of the open loops, with the arrays that they are saved in.
    loops: Vec<Vec<(SavedLanes, RegisterId)>>,
}

/// Returns a placeholder for a block that is filled later; until then it returns.
fn make_placeholder() -> FlowBlock {
    FlowBlock {
        nodes: Block::default(),
        exit: Exit::Return,
        span: Span::default(),
        steps: 0,
    }
}

impl<'a> Graph<'a> {
    pub(super) fn new(
        builder: &'a mut Builder,
        (cfg, call_graph): (&'a Cfg, &'a CallGraph),
        callees: &'a Callees,
        counts: Option<StepTest>,
    ) -> Self {
        let mut blocks = IndexVec::new();
        let out = blocks.push(make_placeholder());
        Self {
            builder,
            cfg,
            call_graph,
            callees,
            counts,
            blocks,
            current: FlowId::new(0),
            only_from: None,
            steps: 0,
            in_jump: false,
            starts: IndexVec::new(),
            out,
            ret: out,
            calls: None,
            leaves: FxHashMap::default(),
            loops: Vec::new(),
        }
    }

    /// Implements calls of the basic blocks with a stack, if there is one.
    pub(super) fn with_stack(
        mut self,
        stack: Option<CallStack>,
        saved: &'a FxHashMap<BlockId, Vec<SavedLanes>>,
    ) -> Self {
        let Some(stack) = stack else { return self };
        self.ret = self.reserve();
        self.calls = Some(Calls {
            stack,
            scratch: code::new_register(self.builder),
            return_blocks: Vec::new(),
            saved,
        });
        self
    }

    /// Builds the graph from basic blocks with their nodes.
    pub(super) fn build(
        mut self,
        blocks: &[(BasicBlockId, Block, BlockTree)],
        start: Start,
    ) -> structurize::Graph {
        let last = blocks.iter().map(|(block, ..)| block.index() + 1).max();
        self.starts.grow(last.unwrap_or(0), None);
        // The capacity includes the dispatchers of irreducible loops: moving all blocks costs more
        // than filling them.
        self.blocks.reserve(blocks.len() + blocks.len() / 2);
        for &(block, ..) in blocks {
            self.starts[block] = Some(self.reserve());
        }
        let entry = self.add_entry(start);
        let mut open = false;
        for &(block, nodes, tree) in blocks {
            // A label that no branch or call names does not begin a block.
            let start = self.start_of(block);
            if !open || self.call_graph.is_target(block) {
                if open {
                    self.end(Exit::Jump(start));
                }
                self.begin(start);
            }
            self.lower_nodes(nodes, Jumps::default());
            let next = self.find_fall_through(block);
            let terminator = self.cfg.terminator(block);
            open = terminator == Terminator::FallThrough && matches!(next, Successor::Block(_));
            if !open {
                self.end_basic_block(terminator, next, tree);
            }
        }
        self.add_return_block();
        structurize::Graph {
            blocks: self.blocks,
            entry,
        }
    }

    // Blocks of the graph.

    /// Adds a block that is filled later.
    fn reserve(&mut self) -> FlowId {
        self.blocks.push(make_placeholder())
    }

    fn begin(&mut self, block: FlowId) {
        self.current = block;
        self.builder.open_block();
    }

    fn end(&mut self, exit: Exit) {
        self.end_at(exit, Span::default());
    }

    fn end_at(&mut self, exit: Exit, span: Span) {
        let nodes = self.builder.close_nodes();
        let is_empty = nodes.len == 0 && !(self.is_counting_all() && self.steps > 0);
        // An empty block after a conditional jump: the jump can target the successor of the block.
        if let (true, Some(from), &Exit::Jump(to)) = (is_empty, self.only_from, &exit) {
            self.blocks[from].exit.replace_target(self.current, to);
            self.blocks[from].steps += self.steps;
        }
        self.only_from = None;
        self.blocks[self.current] = FlowBlock {
            nodes,
            exit,
            span,
            steps: std::mem::take(&mut self.steps),
        };
    }

    /// Returns true if every instruction is counted, jumps included.
    fn is_counting_all(&self) -> bool {
        self.counts == Some(StepTest::Blocks)
    }

    /// Counts a jump that is not a branch.
    fn count_jump(&mut self) {
        self.steps += u32::from(self.is_counting_all() && !self.in_jump);
    }

    /// Ends the block and begins the next one, whose id is passed to `exit`.
    fn split_block(&mut self, exit: impl FnOnce(FlowId) -> Exit) {
        let next = self.reserve();
        self.end(exit(next));
        self.begin(next);
    }

    /// Jumps to `target` if `cond` holds; otherwise continues in a new block.
    fn leave_if(&mut self, cond: Cond, target: FlowId) {
        self.split_block(|otherwise| Exit::Branch {
            cond,
            then: target,
            otherwise,
        });
    }

    /// Continues in a new block if `cond` holds; otherwise jumps to `target`.
    fn leave_unless(&mut self, cond: Cond, target: FlowId) {
        self.split_block(|then| Exit::Branch {
            cond,
            then,
            otherwise: target,
        });
    }

    // Basic blocks.

    /// Returns the first graph block of a basic block; `out` for blocks outside of the graph.
    fn start_of(&self, block: BasicBlockId) -> FlowId {
        self.find_start(block).unwrap_or(self.out)
    }

    fn find_start(&self, block: BasicBlockId) -> Option<FlowId> {
        self.starts.get(block).copied().flatten()
    }

    fn find_fall_through(&self, block: BasicBlockId) -> Successor {
        let at_label = self.call_graph.convention.at_label;
        self.cfg.fall_through(block, at_label)
    }

    fn end_basic_block(&mut self, terminator: Terminator, next: Successor, tree: BlockTree) {
        let next = match next {
            Successor::Block(next) => self.start_of(next),
            Successor::Caller => self.ret,
            Successor::Exit => self.out,
        };
        match terminator {
            Terminator::FallThrough => self.end(Exit::Jump(next)),
            Terminator::Return => self.end(Exit::Jump(self.ret)),
            Terminator::Branch { to, .. } => {
                self.steps += 1;
                let to = self.cfg.find_label(to);
                let then = to.map_or(self.out, |to| self.start_of(to));
                let exit = match tree.cond {
                    None => Exit::Jump(then),
                    Some(cond) => Exit::Branch {
                        cond,
                        then,
                        otherwise: next,
                    },
                };
                self.end_at(exit, tree.span);
            }
        }
    }

    /// Returns the entry block of the graph, which clears the stack if there is one.
    fn add_entry(&mut self, start: Start) -> FlowId {
        let exit = match start {
            Start::At(block) if self.calls.is_none() => return self.start_of(block),
            Start::At(block) => Exit::Jump(self.start_of(block)),
            Start::Selected(selector, blocks) => Exit::Switch {
                selector: (selector, 0),
                cases: (blocks.iter())
                    .map(|&block| (block.index() as u32, self.start_of(block)))
                    .collect(),
                default: blocks
                    .first()
                    .map_or(self.out, |&block| self.start_of(block)),
            },
        };
        let entry = self.reserve();
        self.begin(entry);
        if let Some(calls) = &self.calls {
            code::emit_set(self.builder, calls.stack.depth, 0);
        }
        self.end(exit);
        entry
    }

    /// Adds the return block: it jumps to the address on top of the stack, or out of the graph if
    /// the stack is empty.
    fn add_return_block(&mut self) {
        let Some(calls) = &mut self.calls else { return };
        let blocks = std::mem::take(&mut calls.return_blocks);
        let (stack, scratch) = (calls.stack, calls.scratch);
        let (ret, out) = (self.ret, self.out);
        self.begin(ret);
        self.leave_unless(stack.test_nonempty(), out);
        stack.emit_step(self.builder, Op::Sub);
        let top = stack.load_top(self.builder, stack.return_addresses);
        code::emit_op(self.builder, scratch, Op::Mov, &[top]);
        self.end(Exit::Switch {
            selector: (scratch, 0),
            cases: (1..).zip(blocks).collect(),
            default: out,
        });
    }

    // Nodes.

    fn lower_nodes(&mut self, nodes: Block, jumps: Jumps) {
        // Nodes that are created meanwhile are appended after these.
        for position in nodes.first..nodes.first + nodes.len {
            let node = self.builder.program.nodes[position as usize];
            self.lower_node(node, jumps);
        }
    }

    fn lower_node(&mut self, node: Node, jumps: Jumps) {
        match node {
            Node::Run { first, len } => self.lower_run(first, len),
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } if self.is_divided(node) => {
                self.count_jump();
                let is_jump = self.is_counting_all();
                let outer = std::mem::replace(&mut self.in_jump, is_jump);
                self.lower_branch(cond, [Some(then), otherwise], span, jumps);
                self.in_jump = outer;
            }
            Node::Loop {
                body, continuing, ..
            } if self.is_divided(node) => self.lower_loop(body, continuing),
            Node::Switch(id) if self.is_divided(node) => self.lower_switch(id, jumps),
            Node::Break => self.jump_to(jumps.break_to),
            Node::Continue => self.jump_to(jumps.continue_to),
            Node::Return => {
                self.count_jump();
                self.jump_to(Some(self.ret));
            }
            Node::Call(routine, _) => match self.find_callee(routine) {
                None => self.add_routine_call(node),
                Some(target) if target == self.out => self.jump_to(Some(target)),
                Some(start) => self.add_call(start),
            },
            Node::If { .. } | Node::Loop { .. } | Node::Switch(_) => self.builder.node(node),
        }
    }

    fn lower_run(&mut self, first: u32, len: u32) {
        self.builder.node(Node::Run { first, len });
        // Loops count their iterations themselves.
        if self.counts.is_some() && self.loops.is_empty() {
            let insts = &self.builder.program.insts[first as usize..(first + len) as usize];
            // Instructions with equal spans are translations of one source instruction, which is
            // one step.
            let same = insts.windows(2).filter(|pair| pair[0].span == pair[1].span);
            self.steps += len - same.count() as u32;
        }
    }

    /// Returns true if a node becomes several blocks. A graph that counts steps counts each arm of
    /// a branch.
    fn is_divided(&mut self, node: Node) -> bool {
        let counts = self.counts.is_some() && self.loops.is_empty();
        let counted = counts && matches!(node, Node::If { .. });
        counted || !self.find_leaves(node).is_empty()
    }

    /// Returns the jumps that leave a node.
    fn find_leaves(&mut self, node: Node) -> Leaves {
        let mut inner = Leaves::empty();
        let mut blocks = Vec::new();
        visit_blocks(&self.builder.program, node, |block| blocks.push(block));
        for block in blocks {
            inner |= self.find_block_leaves(block);
        }
        match node {
            Node::Run { .. } => Leaves::empty(),
            Node::If { .. } => inner,
            Node::Loop { .. } => inner & Leaves::AWAY,
            Node::Switch(_) => inner - Leaves::BREAK,
            Node::Break => Leaves::BREAK,
            Node::Continue => Leaves::CONTINUE,
            Node::Call(routine, _) if self.find_callee(routine).is_none() => Leaves::empty(),
            Node::Call(..) | Node::Return => Leaves::AWAY,
        }
    }

    fn find_block_leaves(&mut self, block: BlockId) -> Leaves {
        // Cached, because every level of the tree queries it: deep trees would otherwise take
        // quadratic time.
        if let Some(&known) = self.leaves.get(&block) {
            return known;
        }
        let mut leaves = Leaves::empty();
        let Block { first, len } = self.builder.program.blocks[block];
        for position in first..first + len {
            leaves |= self.find_leaves(self.builder.program.nodes[position as usize]);
        }
        self.leaves.insert(block, leaves);
        leaves
    }

    /// Returns the target of a call that is implemented with the stack; `None` for other calls.
    fn find_callee(&self, routine: RoutineId) -> Option<FlowId> {
        match self.callees.get(routine) {
            Callee::Exit => Some(self.out),
            Callee::Block(entry) if self.calls.is_some() => self.find_start(entry),
            Callee::Block(_) | Callee::Routine(_) => None,
        }
    }

    /// Jumps to a block; the following code is unreachable.
    fn jump_to(&mut self, target: Option<FlowId>) {
        if let Some(target) = target {
            self.split_block(|_| Exit::Jump(target));
        }
    }

    fn lower_block(&mut self, block: BlockId, jumps: Jumps) {
        self.lower_nodes(self.builder.program.blocks[block], jumps);
    }

    fn lower_branch(&mut self, cond: Cond, arms: [Option<BlockId>; 2], span: Span, jumps: Jumps) {
        let after = self.reserve();
        let arms = arms.map(|arm| {
            let nodes = arm.map_or(&[][..], |arm| self.builder.program.block(arm));
            match self.find_only_target(nodes, after, jumps) {
                Some(target) => (target, None),
                None => (self.reserve(), arm),
            }
        });
        let exit = Exit::Branch {
            cond,
            then: arms[0].0,
            otherwise: arms[1].0,
        };
        let from = self.current;
        self.end_at(exit, span);
        let is_jump = arms.iter().all(|(_, arm)| arm.is_none());
        for (start, arm) in arms {
            let Some(arm) = arm else { continue };
            self.begin(start);
            self.lower_block(arm, jumps);
            self.end(Exit::Jump(after));
        }
        self.begin(after);
        self.only_from = is_jump.then_some(from);
    }

    /// Returns the target of an arm that only jumps; `None` if it contains other code.
    fn find_only_target(&self, arm: &[Node], after: FlowId, jumps: Jumps) -> Option<FlowId> {
        match *arm {
            [] => Some(after),
            [Node::Break] => jumps.break_to,
            [Node::Continue] => jumps.continue_to,
            [Node::Return] => Some(self.ret),
            [Node::Call(routine, _)] if self.callees.get(routine) == Callee::Exit => Some(self.out),
            _ => None,
        }
    }

    fn lower_loop(&mut self, body: BlockId, continuing: Option<BlockId>) {
        let (next, after) = (self.reserve(), self.reserve());
        self.split_block(Exit::Jump);
        let start = self.current;
        let saved = self.add_save_arrays(body);
        self.loops.push(saved);
        let jumps = Jumps {
            break_to: Some(after),
            continue_to: Some(next),
        };
        self.lower_block(body, jumps);
        self.end(Exit::Jump(next));
        self.begin(next);
        if let Some(continuing) = continuing {
            self.lower_block(continuing, Jumps::default());
        }
        self.end(Exit::Jump(start));
        self.loops.pop();
        self.begin(after);
    }

    /// Returns the lanes of a loop that calls save, with arrays for them.
    fn add_save_arrays(&mut self, body: BlockId) -> Vec<(SavedLanes, RegisterId)> {
        let Some(calls) = &self.calls else {
            return Vec::new();
        };
        let saved = calls.saved.get(&body).map_or(&[][..], Vec::as_slice);
        let arrays = saved.iter().map(|&lanes| {
            let array = calls.stack.add_array(self.builder, lanes.ty.width());
            (lanes, array)
        });
        arrays.collect()
    }

    fn lower_switch(&mut self, id: SwitchId, jumps: Jumps) {
        let switch = self.builder.program.switches[id].clone();
        let after = self.reserve();
        let jumps = Jumps {
            break_to: Some(after),
            ..jumps
        };
        let (mut cases, mut arms) = (Vec::new(), Vec::new());
        for case in &switch.cases {
            let start = self.reserve();
            cases.extend(case.values.iter().map(|&value| (value, start)));
            arms.push((start, case.block));
        }
        let default = switch.default.map_or(after, |_| self.reserve());
        arms.extend(switch.default.map(|block| (default, block)));
        let exit = Exit::Switch {
            selector: switch.selector,
            cases,
            default,
        };
        self.end_at(exit, switch.span);
        for (start, arm) in arms {
            self.begin(start);
            self.lower_block(arm, jumps);
            self.end(Exit::Jump(after));
        }
        self.begin(after);
    }

    /// Adds a call of another routine. The block after the call does not begin if the callee
    /// reaches the bound.
    fn add_routine_call(&mut self, call: Node) {
        self.count_jump();
        self.builder.node(call);
        if self.is_counting_all() {
            self.split_block(Exit::Jump);
        }
    }

    /// Adds a call of the group: pushes the return address and jumps to the callee.
    fn add_call(&mut self, start: FlowId) {
        let saved: Vec<(SavedLanes, RegisterId)> = self.loops.iter().flatten().copied().collect();
        let after = self.reserve();
        let landing = if saved.is_empty() {
            after
        } else {
            self.reserve()
        };
        let out = self.out;
        let Some(calls) = &mut self.calls else { return };
        calls.return_blocks.push(landing);
        let (stack, scratch) = (calls.stack, calls.scratch);
        let address = calls.return_blocks.len() as u32;
        self.steps += u32::from(!self.in_jump);
        // A call that is skipped saved no lanes, so it continues after the code that restores them.
        let beyond = match self.call_graph.convention.overflow {
            OnStackOverflow::EndProgram => out,
            OnStackOverflow::SkipCall => after,
        };
        let full = stack.test_full(self.builder, scratch);
        self.leave_if(full, beyond);
        let address = (code::add_word(self.builder, address), crate::Type::U32);
        stack.store_top(
            self.builder,
            stack.return_addresses,
            crate::WriteMask::X,
            address,
        );
        for &(saved, array) in &saved {
            let value = (Src::register(saved.register), saved.ty);
            stack.store_top(self.builder, array, saved.lanes, value);
        }
        stack.emit_step(self.builder, Op::Add);
        self.end(Exit::Jump(start));
        self.begin(landing);
        for (saved, array) in saved {
            let top = stack.load_top(self.builder, array);
            let dst = Dst::new(saved.register, saved.lanes);
            code::emit_mov(self.builder, dst, saved.ty, top);
        }
        if landing != after {
            self.end(Exit::Jump(after));
            self.begin(after);
        }
    }
}

/// Calls `visit` with the blocks of a node.
pub(super) fn visit_blocks(program: &Program, node: Node, mut visit: impl FnMut(BlockId)) {
    match node {
        Node::If {
            then, otherwise, ..
        } => [then].into_iter().chain(otherwise).for_each(visit),
        Node::Loop {
            body, continuing, ..
        } => [body].into_iter().chain(continuing).for_each(visit),
        Node::Switch(id) => {
            let switch = &program.switches[id];
            switch.cases.iter().for_each(|case| visit(case.block));
            switch.default.into_iter().for_each(visit);
        }
        Node::Run { .. } | Node::Break | Node::Continue | Node::Call(..) | Node::Return => {}
    }
}
