//! Merges the trees of basic blocks into one graph, with or without a stack of return addresses.
//!
//! Nodes without jumps out of them and without calls of the group remain trees inside a block of
//! the graph. Registers are shared by all calls, so a call saves only the return address and the
//! lanes of the enclosing loops.

use super::basic_blocks::SavedLanes;
use super::basic_blocks::{BasicBlockId, Cfg, OnStackOverflow, Successor, Terminator};
use super::call_graph::CallGraph;
use super::routine_builder::CallStack;
use super::routine_builder::{BlockTree, Callee, Callees};
use crate::arena::{Id, IndexVec};
use crate::builder::Builder;
use crate::inst::{Cond, Dst, Src};
use crate::op::Op;
use crate::program::{Block, BlockId, Node, Program, RegisterId, RoutineId, SwitchId};
use crate::span::Span;
use crate::structurize::{self, Exit, FlowBlock, FlowId, StepTest, selector};
use rustc_hash::FxHashMap;

/// Entry of a graph.
pub(super) enum GraphEntry {
    Block(BasicBlockId),
    /// The basic block whose index a register holds.
    Selected(RegisterId, Vec<BasicBlockId>),
}

bitflags::bitflags! {
    /// Jumps that leave a node.
    #[derive(Clone, Copy, PartialEq, Eq)]
    struct NodeExits: u8 {
        /// A return, a call of the group, the end of the program.
        const NONLOCAL = 1;
        const BREAK = 2;
        const CONTINUE = 4;
    }
}

/// Targets of the jumps that leave the nodes of a block.
#[derive(Clone, Copy, Default)]
struct JumpTargets {
    break_to: Option<FlowId>,
    continue_to: Option<FlowId>,
}

/// Calls of the group.
struct StackCalls<'a> {
    stack: CallStack,
    /// Overwritten by tests.
    scratch: RegisterId,
    /// Blocks that calls return to.
    return_blocks: Vec<FlowId>,
    saved_lanes: &'a FxHashMap<BlockId, Vec<SavedLanes>>,
}

/// A graph under construction.
pub(super) struct GraphBuilder<'a> {
    builder: &'a mut Builder,
    cfg: &'a Cfg,
    call_graph: &'a CallGraph,
    callees: &'a Callees,
    /// Steps that are counted.
    step_test: Option<StepTest>,
    blocks: IndexVec<FlowId, FlowBlock>,
    current: FlowId,
    /// The only predecessor of the block under construction, if that block was begun after a
    /// conditional jump.
    sole_predecessor: Option<FlowId>,
    /// Instructions of the program in the block under construction.
    steps: u32,
    /// True if the code under construction is the arm of a conditional jump, which has been
    /// counted.
    is_in_jump_arm: bool,
    /// First graph block of each basic block.
    starts: IndexVec<BasicBlockId, Option<FlowId>>,
    /// Ends the program; without a stack, the function.
    exit_block: FlowId,
    /// Jumps to the return address on top of the stack.
    return_block: FlowId,
    calls: Option<StackCalls<'a>>,
    block_exits: FxHashMap<BlockId, NodeExits>,
    /// Saved lanes of the open loops, with the arrays that they are saved in.
    saved_by_loop: Vec<Vec<(SavedLanes, RegisterId)>>,
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

impl<'a> GraphBuilder<'a> {
    /// Returns a builder whose graph consists of the exit block, to which all jumps out of the
    /// graph lead. `counts` is the test for which it counts steps; without it no steps are counted.
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
            step_test: counts,
            blocks,
            current: FlowId::new(0),
            sole_predecessor: None,
            steps: 0,
            is_in_jump_arm: false,
            starts: IndexVec::new(),
            exit_block: out,
            return_block: out,
            calls: None,
            block_exits: FxHashMap::default(),
            saved_by_loop: Vec::new(),
        }
    }

    /// Implements calls of the basic blocks with `stack`, for which it adds a register and the
    /// return block. `saved` are the lanes that calls in a loop save, by the body of the loop.
    /// Returns the builder unchanged without a stack.
    pub(super) fn with_stack(
        mut self,
        stack: Option<CallStack>,
        saved: &'a FxHashMap<BlockId, Vec<SavedLanes>>,
    ) -> Self {
        let Some(stack) = stack else { return self };
        self.return_block = self.reserve_block();
        self.calls = Some(StackCalls {
            stack,
            scratch: selector::push_register(self.builder),
            return_blocks: Vec::new(),
            saved_lanes: saved,
        });
        self
    }

    /// Builds the graph of some basic blocks, whose nodes it appends to the program; code begins at
    /// `start`, and jumps to other blocks lead to the exit block. Returns after these the return
    /// block, if calls use the stack.
    pub(super) fn build(
        mut self,
        blocks: &[(BasicBlockId, Block, BlockTree)],
        start: GraphEntry,
    ) -> structurize::Graph {
        let last = blocks.iter().map(|(block, ..)| block.index() + 1).max();
        self.starts.grow(last.unwrap_or(0), None);
        // The capacity includes the dispatchers of irreducible loops: moving all blocks costs more
        // than filling them.
        self.blocks.reserve(blocks.len() + blocks.len() / 2);
        for &(block, ..) in blocks {
            self.starts[block] = Some(self.reserve_block());
        }
        let entry = self.add_entry(start);
        let mut is_open = false;
        for &(block, nodes, tree) in blocks {
            // A label that no branch or call names does not begin a block.
            let start = self.get_start_or_exit(block);
            if !is_open || self.call_graph.is_target(block) {
                if is_open {
                    self.end_block(Exit::Jump(start));
                }
                self.begin_block(start);
            }
            self.lower_nodes(nodes, JumpTargets::default());
            let next = self.find_fall_through(block);
            let terminator = self.cfg.terminator(block);
            is_open = terminator == Terminator::FallThrough && matches!(next, Successor::Block(_));
            if !is_open {
                self.end_basic_block(terminator, next, tree);
            }
        }
        self.emit_return_block();
        structurize::Graph {
            blocks: self.blocks,
            entry,
        }
    }

    // Blocks of the graph.

    /// Adds a block that is filled later.
    fn reserve_block(&mut self) -> FlowId {
        self.blocks.push(make_placeholder())
    }

    /// Begins the code of a graph block.
    fn begin_block(&mut self, block: FlowId) {
        self.current = block;
        self.builder.open_block();
    }

    /// Ends the open block with an exit that has no span.
    fn end_block(&mut self, exit: Exit) {
        self.end_block_at(exit, Span::default());
    }

    /// Ends the open block with an exit at a source position. If the block is empty and has a
    /// single predecessor, that one jumps to the successor of the block directly and takes over its
    /// steps.
    fn end_block_at(&mut self, exit: Exit, span: Span) {
        let nodes = self.builder.close_nodes();
        let is_empty = nodes.len == 0 && !(self.is_counting_all_steps() && self.steps > 0);
        // An empty block after a conditional jump: the jump can target the successor of the block.
        if let (true, Some(from), &Exit::Jump(to)) = (is_empty, self.sole_predecessor, &exit) {
            self.blocks[from].exit.replace_target(self.current, to);
            self.blocks[from].steps += self.steps;
        }
        self.sole_predecessor = None;
        self.blocks[self.current] = FlowBlock {
            nodes,
            exit,
            span,
            steps: std::mem::take(&mut self.steps),
        };
    }

    /// Returns true if every instruction is counted, jumps included.
    fn is_counting_all_steps(&self) -> bool {
        self.step_test == Some(StepTest::Blocks)
    }

    /// Counts a jump that is not a branch.
    fn count_jump(&mut self) {
        self.steps += u32::from(self.is_counting_all_steps() && !self.is_in_jump_arm);
    }

    /// Ends the block and begins the next one, whose id is passed to `exit`, which returns the exit
    /// of the ended block.
    fn split_block(&mut self, exit: impl FnOnce(FlowId) -> Exit) {
        let next = self.reserve_block();
        self.end_block(exit(next));
        self.begin_block(next);
    }

    /// Jumps to `target` if `cond` holds; otherwise continues in a new block.
    fn emit_branch_if(&mut self, cond: Cond, target: FlowId) {
        self.split_block(|otherwise| Exit::Branch {
            cond,
            then: target,
            otherwise,
        });
    }

    /// Continues in a new block if `cond` holds; otherwise jumps to `target`.
    fn emit_branch_unless(&mut self, cond: Cond, target: FlowId) {
        self.split_block(|then| Exit::Branch {
            cond,
            then,
            otherwise: target,
        });
    }

    // Basic blocks.

    /// Returns the first graph block of a basic block; the exit block for blocks outside of
    /// the graph.
    fn get_start_or_exit(&self, block: BasicBlockId) -> FlowId {
        self.find_start(block).unwrap_or(self.exit_block)
    }

    /// Returns the graph block at which a basic block begins; `None` if it is not in the graph.
    fn find_start(&self, block: BasicBlockId) -> Option<FlowId> {
        self.starts.get(block).copied().flatten()
    }

    /// Returns the successor at the end of a basic block under the call convention of the program.
    fn find_fall_through(&self, block: BasicBlockId) -> Successor {
        let at_label = self.call_graph.convention.at_label;
        self.cfg.find_fall_through(block, at_label)
    }

    /// Ends the open block with the exit that corresponds to the terminator of a basic block. A
    /// branch counts as a step; its target leaves the graph if no block has the label. `next` is
    /// the block that follows without a branch.
    fn end_basic_block(&mut self, terminator: Terminator, next: Successor, tree: BlockTree) {
        let next = match next {
            Successor::Block(next) => self.get_start_or_exit(next),
            Successor::Caller => self.return_block,
            Successor::Exit => self.exit_block,
        };
        match terminator {
            Terminator::FallThrough => self.end_block(Exit::Jump(next)),
            Terminator::Return => self.end_block(Exit::Jump(self.return_block)),
            Terminator::Branch { to, .. } => {
                self.steps += 1;
                let to = self.cfg.find_label(to);
                let then = to.map_or(self.exit_block, |to| self.get_start_or_exit(to));
                let exit = match tree.cond {
                    None => Exit::Jump(then),
                    Some(cond) => Exit::Branch {
                        cond,
                        then,
                        otherwise: next,
                    },
                };
                self.end_block_at(exit, tree.span);
            }
        }
    }

    /// Returns the entry block of the graph: a new one that clears the stack, if there is one, and
    /// selects the start, or the start itself if neither is necessary.
    fn add_entry(&mut self, start: GraphEntry) -> FlowId {
        let exit = match start {
            GraphEntry::Block(block) if self.calls.is_none() => {
                return self.get_start_or_exit(block);
            }
            GraphEntry::Block(block) => Exit::Jump(self.get_start_or_exit(block)),
            GraphEntry::Selected(selector, blocks) => Exit::Switch {
                selector: (selector, 0),
                cases: (blocks.iter())
                    .map(|&block| (block.index() as u32, self.get_start_or_exit(block)))
                    .collect(),
                default: blocks
                    .first()
                    .map_or(self.exit_block, |&block| self.get_start_or_exit(block)),
            },
        };
        let entry = self.reserve_block();
        self.begin_block(entry);
        if let Some(calls) = &self.calls {
            selector::emit_set_word(self.builder, calls.stack.depth, 0);
        }
        self.end_block(exit);
        entry
    }

    /// Adds the return block: it jumps to the address on top of the stack, which it removes, or out
    /// of the graph if the stack is empty. Does nothing without a stack.
    fn emit_return_block(&mut self) {
        let Some(calls) = &mut self.calls else { return };
        let blocks = std::mem::take(&mut calls.return_blocks);
        let (stack, scratch) = (calls.stack, calls.scratch);
        let (ret, out) = (self.return_block, self.exit_block);
        self.begin_block(ret);
        self.emit_branch_unless(stack.make_nonempty_cond(), out);
        stack.emit_depth_change(self.builder, Op::Sub);
        let top = stack.make_top_operand(self.builder, stack.return_addresses);
        selector::emit_op(self.builder, scratch, Op::Mov, &[top]);
        self.end_block(Exit::Switch {
            selector: (scratch, 0),
            cases: (1..).zip(blocks).collect(),
            default: out,
        });
    }

    // Nodes.

    /// Appends the nodes of a block to the graph in order.
    fn lower_nodes(&mut self, nodes: Block, jumps: JumpTargets) {
        // Nodes that are created meanwhile are appended after these.
        for position in nodes.first..nodes.first + nodes.len {
            let node = self.builder.program.nodes[position as usize];
            self.lower_node(node, jumps);
        }
    }

    /// Appends a node of a structured tree to the graph. Nodes that need no separate blocks are
    /// appended to the open block. Calls that use the stack, jumps and nodes that these leave end
    /// the open block.
    fn lower_node(&mut self, node: Node, jumps: JumpTargets) {
        match node {
            Node::Run { first, len } => self.lower_run(first, len),
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } if self.is_split(node) => {
                self.count_jump();
                let is_jump = self.is_counting_all_steps();
                let outer = std::mem::replace(&mut self.is_in_jump_arm, is_jump);
                self.lower_branch(cond, [Some(then), otherwise], span, jumps);
                self.is_in_jump_arm = outer;
            }
            Node::Loop {
                body, continuing, ..
            } if self.is_split(node) => self.lower_loop(body, continuing),
            Node::Switch(id) if self.is_split(node) => self.lower_switch(id, jumps),
            Node::Break => self.emit_jump(jumps.break_to),
            Node::Continue => self.emit_jump(jumps.continue_to),
            Node::Return => {
                self.count_jump();
                self.emit_jump(Some(self.return_block));
            }
            Node::Call(routine, _) => match self.find_stack_callee(routine) {
                None => self.emit_routine_call(node),
                Some(target) if target == self.exit_block => self.emit_jump(Some(target)),
                Some(start) => self.emit_stack_call(start),
            },
            Node::If { .. } | Node::Loop { .. } | Node::Switch(_) => self.builder.push_node(node),
        }
    }

    /// Appends a run of instructions to the open block, and adds its source instructions to the
    /// steps of that block if they are counted there.
    fn lower_run(&mut self, first: u32, len: u32) {
        self.builder.push_node(Node::Run { first, len });
        // Loops count their iterations themselves.
        if self.step_test.is_some() && self.saved_by_loop.is_empty() {
            let insts = &self.builder.program.insts[first as usize..(first + len) as usize];
            // Instructions with equal spans are translations of one source instruction, which is
            // one step.
            let same = insts.windows(2).filter(|pair| pair[0].span == pair[1].span);
            self.steps += len - same.count() as u32;
        }
    }

    /// Returns true if a node becomes several blocks: if a jump leaves it, or if the graph counts
    /// steps and the node is a branch, whose arms are counted separately.
    fn is_split(&mut self, node: Node) -> bool {
        let counts = self.step_test.is_some() && self.saved_by_loop.is_empty();
        let counted = counts && matches!(node, Node::If { .. });
        counted || !self.find_exits(node).is_empty()
    }

    /// Returns the kinds of jumps that leave a node, including those of its inner blocks. Returns
    /// and calls that use the stack leave all nodes; other calls leave none.
    fn find_exits(&mut self, node: Node) -> NodeExits {
        let mut inner = NodeExits::empty();
        let mut blocks = Vec::new();
        visit_inner_blocks(&self.builder.program, node, |block| blocks.push(block));
        for block in blocks {
            inner |= self.find_block_exits(block);
        }
        match node {
            Node::Run { .. } => NodeExits::empty(),
            Node::If { .. } => inner,
            Node::Loop { .. } => inner & NodeExits::NONLOCAL,
            Node::Switch(_) => inner - NodeExits::BREAK,
            Node::Break => NodeExits::BREAK,
            Node::Continue => NodeExits::CONTINUE,
            Node::Call(routine, _) if self.find_stack_callee(routine).is_none() => {
                NodeExits::empty()
            }
            Node::Call(..) | Node::Return => NodeExits::NONLOCAL,
        }
    }

    /// Returns the union of the exits of all nodes of a block, and caches it.
    fn find_block_exits(&mut self, block: BlockId) -> NodeExits {
        // Cached, because every level of the tree queries it: deep trees would otherwise take
        // quadratic time.
        if let Some(&known) = self.block_exits.get(&block) {
            return known;
        }
        let mut leaves = NodeExits::empty();
        let Block { first, len } = self.builder.program.blocks[block];
        for position in first..first + len {
            leaves |= self.find_exits(self.builder.program.nodes[position as usize]);
        }
        self.block_exits.insert(block, leaves);
        leaves
    }

    /// Returns the block to which a call jumps that is implemented with the stack or ends the
    /// program; `None` for calls of other routines.
    fn find_stack_callee(&self, routine: RoutineId) -> Option<FlowId> {
        match self.callees.get(routine) {
            Callee::Exit => Some(self.exit_block),
            Callee::Block(entry) if self.calls.is_some() => self.find_start(entry),
            Callee::Block(_) | Callee::Routine(_) => None,
        }
    }

    /// Jumps to a block; the following code is in a new block that is not reachable. Does nothing
    /// without a target.
    fn emit_jump(&mut self, target: Option<FlowId>) {
        if let Some(target) = target {
            self.split_block(|_| Exit::Jump(target));
        }
    }

    /// Appends the nodes of a block of the structured tree to the graph.
    fn lower_block(&mut self, block: BlockId, jumps: JumpTargets) {
        self.lower_nodes(self.builder.program.blocks[block], jumps);
    }

    /// Ends the open block with a two-way branch and lowers its arms, then begins the block after
    /// it; an arm that is only a jump becomes an edge to its target. A missing arm is empty.
    fn lower_branch(
        &mut self,
        cond: Cond,
        arms: [Option<BlockId>; 2],
        span: Span,
        jumps: JumpTargets,
    ) {
        let after = self.reserve_block();
        let arms = arms.map(|arm| {
            let nodes = arm.map_or(&[][..], |arm| self.builder.program.block_nodes(arm));
            match self.find_jump_target(nodes, after, jumps) {
                Some(target) => (target, None),
                None => (self.reserve_block(), arm),
            }
        });
        let exit = Exit::Branch {
            cond,
            then: arms[0].0,
            otherwise: arms[1].0,
        };
        let from = self.current;
        self.end_block_at(exit, span);
        let is_jump = arms.iter().all(|(_, arm)| arm.is_none());
        for (start, arm) in arms {
            let Some(arm) = arm else { continue };
            self.begin_block(start);
            self.lower_block(arm, jumps);
            self.end_block(Exit::Jump(after));
        }
        self.begin_block(after);
        self.sole_predecessor = is_jump.then_some(from);
    }

    /// Returns the target of an arm that only jumps, which is `after` for an empty arm; `None` if
    /// it contains other code.
    fn find_jump_target(&self, arm: &[Node], after: FlowId, jumps: JumpTargets) -> Option<FlowId> {
        match *arm {
            [] => Some(after),
            [Node::Break] => jumps.break_to,
            [Node::Continue] => jumps.continue_to,
            [Node::Return] => Some(self.return_block),
            [Node::Call(routine, _)] if self.callees.get(routine) == Callee::Exit => {
                Some(self.exit_block)
            }
            _ => None,
        }
    }

    /// Lowers a loop to blocks: header, body, the code of `continuing` to which `Continue` jumps,
    /// and a back edge. Then begins the block after the loop. Adds arrays for the lanes that calls
    /// in the body save.
    fn lower_loop(&mut self, body: BlockId, continuing: Option<BlockId>) {
        let (next, after) = (self.reserve_block(), self.reserve_block());
        self.split_block(Exit::Jump);
        let start = self.current;
        let saved = self.add_save_arrays(body);
        self.saved_by_loop.push(saved);
        let jumps = JumpTargets {
            break_to: Some(after),
            continue_to: Some(next),
        };
        self.lower_block(body, jumps);
        self.end_block(Exit::Jump(next));
        self.begin_block(next);
        if let Some(continuing) = continuing {
            self.lower_block(continuing, JumpTargets::default());
        }
        self.end_block(Exit::Jump(start));
        self.saved_by_loop.pop();
        self.begin_block(after);
    }

    /// Adds an array of the stack for each of the lanes that calls in a loop save; returns the
    /// lanes with their arrays. Returns an empty list without a stack.
    fn add_save_arrays(&mut self, body: BlockId) -> Vec<(SavedLanes, RegisterId)> {
        let Some(calls) = &self.calls else {
            return Vec::new();
        };
        let saved = calls.saved_lanes.get(&body).map_or(&[][..], Vec::as_slice);
        let arrays = saved.iter().map(|&lanes| {
            let array = calls.stack.add_entry_array(self.builder, lanes.ty.width());
            (lanes, array)
        });
        arrays.collect()
    }

    /// Ends the open block with a switch and lowers its cases and its default, then begins the
    /// block after it.
    fn lower_switch(&mut self, id: SwitchId, jumps: JumpTargets) {
        let switch = self.builder.program.switches[id].clone();
        let after = self.reserve_block();
        let jumps = JumpTargets {
            break_to: Some(after),
            ..jumps
        };
        let (mut cases, mut arms) = (Vec::new(), Vec::new());
        for case in &switch.cases {
            let start = self.reserve_block();
            cases.extend(case.values.iter().map(|&value| (value, start)));
            arms.push((start, case.block));
        }
        let default = switch.default.map_or(after, |_| self.reserve_block());
        arms.extend(switch.default.map(|block| (default, block)));
        let exit = Exit::Switch {
            selector: switch.selector,
            cases,
            default,
        };
        self.end_block_at(exit, switch.span);
        for (start, arm) in arms {
            self.begin_block(start);
            self.lower_block(arm, jumps);
            self.end_block(Exit::Jump(after));
        }
        self.begin_block(after);
    }

    /// Adds a call of another routine. If the graph counts all steps, a new block begins after it,
    /// so that it is not executed if the callee reaches the bound.
    fn emit_routine_call(&mut self, call: Node) {
        self.count_jump();
        self.builder.push_node(call);
        if self.is_counting_all_steps() {
            self.split_block(Exit::Jump);
        }
    }

    /// Adds a call of the group: pushes the return address and the lanes that enclosing loops save,
    /// and jumps to the callee. The return restores these lanes. If the stack is full, the call is
    /// skipped or ends the program, as the convention specifies.
    fn emit_stack_call(&mut self, start: FlowId) {
        let saved: Vec<(SavedLanes, RegisterId)> =
            self.saved_by_loop.iter().flatten().copied().collect();
        let after = self.reserve_block();
        let return_target = if saved.is_empty() {
            after
        } else {
            self.reserve_block()
        };
        let out = self.exit_block;
        let Some(calls) = &mut self.calls else { return };
        calls.return_blocks.push(return_target);
        let (stack, scratch) = (calls.stack, calls.scratch);
        let address = calls.return_blocks.len() as u32;
        self.steps += u32::from(!self.is_in_jump_arm);
        // A call that is skipped saved no lanes, so it continues after the code that restores them.
        let overflow_target = match self.call_graph.convention.on_overflow {
            OnStackOverflow::EndProgram => out,
            OnStackOverflow::SkipCall => after,
        };
        let full = stack.emit_full_test(self.builder, scratch);
        self.emit_branch_if(full, overflow_target);
        let address = (
            selector::push_word_literal(self.builder, address),
            crate::Type::U32,
        );
        stack.store_top(
            self.builder,
            stack.return_addresses,
            crate::WriteMask::X,
            address,
        );
        for &(saved, array) in &saved {
            let value = (Src::from_register(saved.register), saved.ty);
            stack.store_top(self.builder, array, saved.lanes, value);
        }
        stack.emit_depth_change(self.builder, Op::Add);
        self.end_block(Exit::Jump(start));
        self.begin_block(return_target);
        for (saved, array) in saved {
            let top = stack.make_top_operand(self.builder, array);
            let dst = Dst::new(saved.register, saved.lanes);
            selector::emit_mov(self.builder, dst, saved.ty, top);
        }
        if return_target != after {
            self.end_block(Exit::Jump(after));
            self.begin_block(after);
        }
    }
}

/// Calls `visit` with each block that a node contains directly: arms, loop bodies, cases.
pub(super) fn visit_inner_blocks(program: &Program, node: Node, mut visit: impl FnMut(BlockId)) {
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
