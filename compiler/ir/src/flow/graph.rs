//! Pieces as one graph of basic blocks, with or without a stack of places to go on at.
//!
//! What has no jump out of it and no call of the group stays a tree inside a basic block. Registers are shared by all calls, so a call saves only
//! the place to go on and what the loops around it keep.

use super::callee::Callee;
use super::outline::{PieceId, Plan};
use super::pieces::{End, Kept};
use super::rules::{AtLabel, FullStack, Rules};
use super::stack::CallStack;
use crate::arena::{Id, IndexVec};
use crate::builder::Builder;
use crate::inst::{Cond, Dst, Src};
use crate::op::Op;
use crate::program::{Block, BlockId, Node, Program, RegisterId, RoutineId, SwitchId};
use crate::span::Span;
use crate::structurize::{self, Exit, FlowBlock, FlowId, StepTest, code};
use rustc_hash::FxHashMap;

/// Where a graph begins.
pub(super) enum Start {
    At(PieceId),
    /// At the piece whose number a register has.
    Selected(RegisterId, Vec<PieceId>),
}

bitflags::bitflags! {
    /// How control leaves a node, other than by its end.
    #[derive(Clone, Copy, PartialEq, Eq)]
    struct Leaves: u8 {
        /// A return, a call of the group, the end of the program.
        const AWAY = 1;
        const BREAK = 2;
        const CONTINUE = 4;
    }
}

/// Where jumps out of the nodes of a block go.
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
    /// Where calls go on.
    return_places: Vec<FlowId>,
    kept: &'a FxHashMap<BlockId, Vec<Kept>>,
}

/// A graph under construction.
pub(super) struct Graph<'a> {
    builder: &'a mut Builder,
    plan: &'a Plan,
    rules: Rules,
    /// Which steps are counted.
    counts: Option<StepTest>,
    blocks: IndexVec<FlowId, FlowBlock>,
    current: FlowId,
    /// The only block that branches to the one being filled, if that was begun behind a conditional jump.
    only_from: Option<FlowId>,
    /// Instructions of the program in the block being filled.
    steps: u32,
    /// Whether what is being filled is the arm of a jump with a condition, which has been counted.
    in_jump: bool,
    /// Where each piece of the graph begins.
    starts: IndexVec<PieceId, Option<FlowId>>,
    /// Ends the program; without a stack, the region.
    out: FlowId,
    /// Goes to the place on top of the stack.
    ret: FlowId,
    calls: Option<Calls<'a>>,
    leaves: FxHashMap<BlockId, Leaves>,
    /// What the loops around this place keep, and the arrays that it is saved in.
    loops: Vec<Vec<(Kept, RegisterId)>>,
}

/// Returns a block to be filled later; until then it returns.
fn unfilled() -> FlowBlock {
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
        plan: &'a Plan,
        rules: Rules,
        counts: Option<StepTest>,
    ) -> Self {
        let mut blocks = IndexVec::new();
        let out = blocks.push(unfilled());
        Self {
            builder,
            plan,
            rules,
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

    /// With a stack, calls of the pieces are made with it.
    pub(super) fn with_stack(
        mut self,
        stack: Option<CallStack>,
        kept: &'a FxHashMap<BlockId, Vec<Kept>>,
    ) -> Self {
        let Some(stack) = stack else { return self };
        self.ret = self.reserve();
        self.calls = Some(Calls {
            stack,
            scratch: code::new_register(self.builder),
            return_places: Vec::new(),
            kept,
        });
        self
    }

    pub(super) fn build(
        mut self,
        pieces: &[(PieceId, Block, End)],
        start: Start,
    ) -> structurize::Graph {
        let last = pieces.iter().map(|(piece, ..)| piece.index() + 1).max();
        self.starts.grow(last.unwrap_or(0), None);
        // Room for the blocks that loops with several entries get, too: to move all blocks costs more than to fill them.
        self.blocks.reserve(pieces.len() + pieces.len() / 2);
        for &(piece, ..) in pieces {
            self.starts[piece] = Some(self.reserve());
        }
        let entry = self.entry(start);
        let mut open = false;
        for &(piece, nodes, end) in pieces {
            // A label that no branch or call names does not begin a block.
            let block = self.start_of(piece);
            if !open || self.plan.is_target(piece) {
                if open {
                    self.end(Exit::Jump(block));
                }
                self.begin(block);
            }
            self.nodes(nodes, Jumps::default());
            open = matches!(end, End::Next) && self.falls(piece);
            if !open {
                self.end_piece(piece, end);
            }
        }
        self.return_block();
        structurize::Graph {
            blocks: self.blocks,
            entry,
        }
    }

    // Blocks of the graph.

    /// Adds a block to be filled later.
    fn reserve(&mut self) -> FlowId {
        self.blocks.push(unfilled())
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
        let is_empty = nodes.len == 0 && !(self.counts_all() && self.steps > 0);
        // An empty block behind a conditional jump: the jump can go where the block goes.
        if let (true, Some(from), &Exit::Jump(to)) = (is_empty, self.only_from, &exit) {
            self.blocks[from].exit.retarget(self.current, to);
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

    /// Whether every instruction counts, jumps included.
    fn counts_all(&self) -> bool {
        self.counts == Some(StepTest::Blocks)
    }

    /// Counts a jump that is no branch.
    fn count_jump(&mut self) {
        self.steps += u32::from(self.counts_all() && !self.in_jump);
    }

    /// Ends the block and begins the next one; `exit` gets its number.
    fn divide(&mut self, exit: impl FnOnce(FlowId) -> Exit) {
        let next = self.reserve();
        self.end(exit(next));
        self.begin(next);
    }

    /// Goes to `target` if `cond` holds, else on in a new block.
    fn leave_if(&mut self, cond: Cond, target: FlowId) {
        self.divide(|otherwise| Exit::Branch {
            cond,
            then: target,
            otherwise,
        });
    }

    /// Goes on in a new block if `cond` holds, else to `target`.
    fn leave_unless(&mut self, cond: Cond, target: FlowId) {
        self.divide(|then| Exit::Branch {
            cond,
            then,
            otherwise: target,
        });
    }

    // Pieces.

    /// Where a piece begins; the end of the program is none.
    fn start_of(&self, piece: PieceId) -> FlowId {
        self.known_start(piece).unwrap_or(self.out)
    }

    fn known_start(&self, piece: PieceId) -> Option<FlowId> {
        self.starts.get(piece).copied().flatten()
    }

    /// Whether a piece goes on with the next one.
    fn falls(&self, piece: PieceId) -> bool {
        let next = PieceId::new(piece.index() + 1);
        let goes_on = self.rules.at_label == AtLabel::GoOn || self.plan.goes_on(next);
        goes_on && self.known_start(next).is_some()
    }

    fn end_piece(&mut self, piece: PieceId, end: End) {
        let next = match (self.falls(piece), self.rules.at_label) {
            (true, _) => self.start_of(PieceId::new(piece.index() + 1)),
            (false, AtLabel::GoOn) => self.out,
            (false, AtLabel::Return) => self.ret,
        };
        match end {
            End::Next => self.end(Exit::Jump(next)),
            End::Return => self.end(Exit::Jump(self.ret)),
            End::Branch { cond, to, span } => {
                self.steps += 1;
                let to = self.plan.piece_of(to);
                let then = to.map_or(self.out, |to| self.start_of(to));
                let exit = match cond {
                    None => Exit::Jump(then),
                    Some(cond) => Exit::Branch {
                        cond,
                        then,
                        otherwise: next,
                    },
                };
                self.end_at(exit, span);
            }
        }
    }

    /// Where the graph begins: with an empty stack, if it has one.
    fn entry(&mut self, start: Start) -> FlowId {
        let exit = match start {
            Start::At(piece) if self.calls.is_none() => return self.start_of(piece),
            Start::At(piece) => Exit::Jump(self.start_of(piece)),
            Start::Selected(selector, pieces) => Exit::Switch {
                selector: (selector, 0),
                cases: (pieces.iter())
                    .map(|&piece| (piece.index() as u32, self.start_of(piece)))
                    .collect(),
                default: pieces
                    .first()
                    .map_or(self.out, |&piece| self.start_of(piece)),
            },
        };
        let entry = self.reserve();
        self.begin(entry);
        if let Some(calls) = &self.calls {
            code::set(self.builder, calls.stack.depth, 0);
        }
        self.end(exit);
        entry
    }

    /// A return: to the place on top of the stack; out of the graph if there is none.
    fn return_block(&mut self) {
        let Some(calls) = &mut self.calls else { return };
        let places = std::mem::take(&mut calls.return_places);
        let (stack, scratch) = (calls.stack, calls.scratch);
        let (ret, out) = (self.ret, self.out);
        self.begin(ret);
        self.leave_unless(stack.in_use(), out);
        stack.step(self.builder, Op::Sub);
        let top = stack.top(self.builder, stack.places);
        code::put(self.builder, scratch, Op::Mov, &[top]);
        self.end(Exit::Switch {
            selector: (scratch, 0),
            cases: (1..).zip(places).collect(),
            default: out,
        });
    }

    // Nodes.

    fn nodes(&mut self, nodes: Block, jumps: Jumps) {
        // Nodes that come up on the way are appended behind these.
        for position in nodes.first..nodes.first + nodes.len {
            let node = self.builder.program.nodes[position as usize];
            self.node(node, jumps);
        }
    }

    fn node(&mut self, node: Node, jumps: Jumps) {
        match node {
            Node::Run { first, len } => self.run(first, len),
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } if self.is_divided(node) => {
                self.count_jump();
                let is_jump = self.counts_all();
                let outer = std::mem::replace(&mut self.in_jump, is_jump);
                self.branch(cond, [Some(then), otherwise], span, jumps);
                self.in_jump = outer;
            }
            Node::Loop {
                body, continuing, ..
            } if self.is_divided(node) => self.loop_(body, continuing),
            Node::Switch(id) if self.is_divided(node) => self.switch(id, jumps),
            Node::Break => self.go(jumps.break_to),
            Node::Continue => self.go(jumps.continue_to),
            Node::Return => {
                self.count_jump();
                self.go(Some(self.ret));
            }
            Node::Call(routine, _) => match self.callee(routine) {
                None => self.call_routine(node),
                Some(target) if target == self.out => self.go(Some(target)),
                Some(start) => self.call(start),
            },
            Node::If { .. } | Node::Loop { .. } | Node::Switch(_) => self.builder.node(node),
        }
    }

    fn run(&mut self, first: u32, len: u32) {
        self.builder.node(Node::Run { first, len });
        // Loops count their rounds themselves.
        if self.counts.is_some() && self.loops.is_empty() {
            let insts = &self.builder.program.insts[first as usize..(first + len) as usize];
            // Instructions of one span came from one instruction of the source, which is one step.
            let same = insts.windows(2).filter(|pair| pair[0].span == pair[1].span);
            self.steps += len - same.count() as u32;
        }
    }

    /// Whether a node becomes several blocks. Those that count steps count each arm of a branch.
    fn is_divided(&mut self, node: Node) -> bool {
        let counts = self.counts.is_some() && self.loops.is_empty();
        let counted = counts && matches!(node, Node::If { .. });
        counted || !self.leaves(node).is_empty()
    }

    /// How control leaves a node.
    fn leaves(&mut self, node: Node) -> Leaves {
        let mut inner = Leaves::empty();
        let mut blocks = Vec::new();
        visit_blocks(&self.builder.program, node, |block| blocks.push(block));
        for block in blocks {
            inner |= self.block_leaves(block);
        }
        match node {
            Node::Run { .. } => Leaves::empty(),
            Node::If { .. } => inner,
            Node::Loop { .. } => inner & Leaves::AWAY,
            Node::Switch(_) => inner - Leaves::BREAK,
            Node::Break => Leaves::BREAK,
            Node::Continue => Leaves::CONTINUE,
            Node::Call(routine, _) if self.callee(routine).is_none() => Leaves::empty(),
            Node::Call(..) | Node::Return => Leaves::AWAY,
        }
    }

    fn block_leaves(&mut self, block: BlockId) -> Leaves {
        // Every level of the tree asks again; without this, deep trees would be quadratic.
        if let Some(&known) = self.leaves.get(&block) {
            return known;
        }
        let mut leaves = Leaves::empty();
        let Block { first, len } = self.builder.program.blocks[block];
        for position in first..first + len {
            leaves |= self.leaves(self.builder.program.nodes[position as usize]);
        }
        self.leaves.insert(block, leaves);
        leaves
    }

    /// Where a call goes that is made with the stack.
    fn callee(&self, routine: RoutineId) -> Option<FlowId> {
        match Callee::of(routine) {
            Callee::End => Some(self.out),
            Callee::Label(label) if self.calls.is_some() => {
                let piece = self.plan.piece_of(label)?;
                self.known_start(piece)
            }
            Callee::Label(_) | Callee::Routine => None,
        }
    }

    /// Goes somewhere; nothing reaches what stands behind.
    fn go(&mut self, target: Option<FlowId>) {
        if let Some(target) = target {
            self.divide(|_| Exit::Jump(target));
        }
    }

    fn block(&mut self, block: BlockId, jumps: Jumps) {
        self.nodes(self.builder.program.blocks[block], jumps);
    }

    fn branch(&mut self, cond: Cond, arms: [Option<BlockId>; 2], span: Span, jumps: Jumps) {
        let behind = self.reserve();
        let arms = arms.map(|arm| {
            let nodes = arm.map_or(&[][..], |arm| self.builder.program.block(arm));
            match self.only_target(nodes, behind, jumps) {
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
            self.block(arm, jumps);
            self.end(Exit::Jump(behind));
        }
        self.begin(behind);
        self.only_from = is_jump.then_some(from);
    }

    /// Where an arm of a branch goes if it does nothing else.
    fn only_target(&self, arm: &[Node], behind: FlowId, jumps: Jumps) -> Option<FlowId> {
        match *arm {
            [] => Some(behind),
            [Node::Break] => jumps.break_to,
            [Node::Continue] => jumps.continue_to,
            [Node::Return] => Some(self.ret),
            [Node::Call(routine, _)] if Callee::of(routine) == Callee::End => Some(self.out),
            _ => None,
        }
    }

    fn loop_(&mut self, body: BlockId, continuing: Option<BlockId>) {
        let (next, behind) = (self.reserve(), self.reserve());
        self.divide(Exit::Jump);
        let start = self.current;
        let kept = self.arrays(body);
        self.loops.push(kept);
        let jumps = Jumps {
            break_to: Some(behind),
            continue_to: Some(next),
        };
        self.block(body, jumps);
        self.end(Exit::Jump(next));
        self.begin(next);
        if let Some(continuing) = continuing {
            self.block(continuing, Jumps::default());
        }
        self.end(Exit::Jump(start));
        self.loops.pop();
        self.begin(behind);
    }

    /// What a loop keeps, with arrays that it is saved in.
    fn arrays(&mut self, body: BlockId) -> Vec<(Kept, RegisterId)> {
        let Some(calls) = &self.calls else {
            return Vec::new();
        };
        let kept = calls.kept.get(&body).map_or(&[][..], Vec::as_slice);
        let arrays = kept.iter().map(|&kept| {
            let array = calls.stack.array(self.builder, kept.ty.width());
            (kept, array)
        });
        arrays.collect()
    }

    fn switch(&mut self, id: SwitchId, jumps: Jumps) {
        let switch = self.builder.program.switches[id].clone();
        let behind = self.reserve();
        let jumps = Jumps {
            break_to: Some(behind),
            ..jumps
        };
        let (mut cases, mut arms) = (Vec::new(), Vec::new());
        for case in &switch.cases {
            let start = self.reserve();
            cases.extend(case.values.iter().map(|&value| (value, start)));
            arms.push((start, case.block));
        }
        let default = switch.default.map_or(behind, |_| self.reserve());
        arms.extend(switch.default.map(|block| (default, block)));
        let exit = Exit::Switch {
            selector: switch.selector,
            cases,
            default,
        };
        self.end_at(exit, switch.span);
        for (start, arm) in arms {
            self.begin(start);
            self.block(arm, jumps);
            self.end(Exit::Jump(behind));
        }
        self.begin(behind);
    }

    /// A call of another routine. Where that reaches the bound, the block behind the call begins no more.
    fn call_routine(&mut self, call: Node) {
        self.count_jump();
        self.builder.node(call);
        if self.counts_all() {
            self.divide(Exit::Jump);
        }
    }

    /// A call of the group: it is entered with the place to go on pushed on the stack.
    fn call(&mut self, start: FlowId) {
        let saved: Vec<(Kept, RegisterId)> = self.loops.iter().flatten().copied().collect();
        let behind = self.reserve();
        let landing = match saved.is_empty() {
            true => behind,
            false => self.reserve(),
        };
        let out = self.out;
        let Some(calls) = &mut self.calls else { return };
        calls.return_places.push(landing);
        let (stack, scratch) = (calls.stack, calls.scratch);
        let place = calls.return_places.len() as u32;
        self.steps += u32::from(!self.in_jump);
        // A call that is skipped saved nothing, so it goes on behind the code that restores.
        let beyond = match self.rules.full {
            FullStack::EndProgram => out,
            FullStack::SkipCall => behind,
        };
        let full = stack.is_full(self.builder, scratch);
        self.leave_if(full, beyond);
        let place = (code::word(self.builder, place), crate::Type::U32);
        stack.set_top(self.builder, stack.places, crate::WriteMask::X, place);
        for &(kept, array) in &saved {
            let value = (Src::register(kept.register), kept.ty);
            stack.set_top(self.builder, array, kept.lanes, value);
        }
        stack.step(self.builder, Op::Add);
        self.end(Exit::Jump(start));
        self.begin(landing);
        for (kept, array) in saved {
            let top = stack.top(self.builder, array);
            let dst = Dst::new(kept.register, kept.lanes);
            code::mov(self.builder, dst, kept.ty, top);
        }
        if landing != behind {
            self.end(Exit::Jump(behind));
            self.begin(behind);
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
