//! Routines of the pieces that were recorded.

use super::callee::Callee;
use super::graph::{self, Graph, Start};
use super::outline::{PieceId, Plan, Region, RegionId};
use super::pieces::{Code, End, Kept};
use super::rules::Rules;
use super::stack::CallStack;
use crate::arena::{Id, IndexVec};
use crate::builder::Builder;
use crate::program::{Block, BlockId, Node, RegisterId, Routine, RoutineId};
use crate::span::Span;
use crate::structurize::{StepBound, StepTest, code, structurize};
use rustc_hash::FxHashMap;

/// Routines under construction.
pub(super) struct Routines<'a> {
    pub(super) builder: &'a mut Builder,
    pub(super) plan: &'a Plan,
    pub(super) rules: Rules,
    pub(super) bound: Option<StepBound>,
    pub(super) pieces: IndexVec<PieceId, Code>,
    pub(super) prologue: Vec<Node>,
    pub(super) epilogue: Vec<Node>,
    pub(super) kept: FxHashMap<BlockId, Vec<Kept>>,
    pub(super) stack: Option<CallStack>,
    pub(super) has_calls: bool,
    /// Regions that each piece is in and that are not built.
    pub(super) uses: IndexVec<PieceId, u32>,
    /// The routine of each region that others call.
    pub(super) ids: Vec<Option<RoutineId>>,
}

impl Routines<'_> {
    pub(super) fn build(mut self) {
        let plan = self.plan;
        let mut order: Vec<RegionId> = (0..plan.regions.len()).collect();
        // Routines have the order of the text, whatever order calls were found in.
        order.sort_by_key(|&region| plan.regions[region].entry);
        self.uses.grow(self.pieces.len(), 0);
        for &piece in plan.regions.iter().flat_map(|region| &region.pieces) {
            self.uses[piece] += 1;
        }
        self.announce(&order);
        let mut built = Vec::new();
        for &region in &order {
            match plan.regions[region].group {
                None => self.region(region),
                Some(group) if built.contains(&group) => {}
                Some(group) => {
                    built.push(group);
                    self.group(group, &order);
                }
            }
        }
        self.clear_unused();
        if self.has_calls {
            self.settle_calls();
        }
    }

    fn is_main(&self, region: RegionId) -> bool {
        self.plan.regions[region].entry == self.plan.entry()
    }

    /// Routines for main and the regions that others call.
    fn announce(&mut self, order: &[RegionId]) {
        self.ids.resize(order.len(), None);
        for &region in order {
            let Code { name, block, .. } = self.pieces[self.plan.regions[region].entry];
            let is_main = self.is_main(region);
            let program = &mut self.builder.program;
            self.ids[region] = if is_main {
                program.routines[program.main] = Routine { name, body: block };
                Some(program.main)
            } else if self.plan.regions[region].called {
                Some(program.routines.push(Routine { name, body: block }))
            } else {
                None
            };
        }
    }

    /// The nodes of a piece; those of a piece of several regions are copied.
    fn take(&mut self, piece: PieceId) -> Block {
        let mut block = self.pieces[piece].block;
        self.uses[piece] -= 1;
        if self.uses[piece] > 0 {
            block = copy_block(self.builder, block);
        }
        self.builder.program.blocks[block]
    }

    /// Ends the open block, which is the body of a routine.
    fn close(&mut self, id: RoutineId) {
        let body = self.builder.close_block();
        self.builder.program.routines[id].body = body;
    }

    /// A region that cannot call itself.
    fn region(&mut self, region: RegionId) {
        let Some(id) = self.ids[region] else { return };
        let pieces = &self.plan.regions[region].pieces;
        let is_main = self.is_main(region);
        let extended = is_main && !(self.prologue.is_empty() && self.epilogue.is_empty());
        let is_graph = self.counts_all() || self.branches(pieces);
        // The block of the only piece, if no other region needs it, is the body that `announce` gave to the routine.
        if pieces.len() == 1 && !extended && !is_graph && self.uses[pieces[0]] == 1 {
            return;
        }
        self.builder.open_block();
        let prologue = self.prologue_of(is_main);
        self.push(prologue);
        if is_graph {
            self.graph(pieces, Start::At(self.plan.regions[region].entry), None);
        } else {
            for &piece in pieces {
                let Block { first, len } = self.take(piece);
                for position in first..first + len {
                    let node = self.builder.program.nodes[position as usize];
                    self.builder.node(node);
                }
            }
        }
        let epilogue = self.epilogue_of(is_main);
        self.push(epilogue);
        self.close(id);
    }

    fn prologue_of(&mut self, is_main: bool) -> Vec<Node> {
        match is_main {
            true => std::mem::take(&mut self.prologue),
            false => Vec::new(),
        }
    }

    fn epilogue_of(&mut self, is_main: bool) -> Vec<Node> {
        match is_main {
            true => std::mem::take(&mut self.epilogue),
            false => Vec::new(),
        }
    }

    fn push(&mut self, nodes: Vec<Node>) {
        nodes.into_iter().for_each(|node| self.builder.node(node));
    }

    /// Whether every block counts its steps.
    fn counts_all(&self) -> bool {
        let bound = self.bound;
        bound.is_some_and(|bound| bound.test == StepTest::Blocks)
    }

    fn branches(&self, pieces: &[PieceId]) -> bool {
        let mut ends = pieces.iter().map(|&piece| self.pieces[piece].end);
        ends.any(|end| matches!(end, End::Branch { .. }))
    }

    /// Regions that can call each other: one routine with a stack. Where calls from outside enter it at several regions, a register says which,
    /// and each of them has a routine that sets it.
    fn group(&mut self, group: u32, order: &[RegionId]) {
        let plan = self.plan;
        let members = order.iter().copied();
        let members = members.filter(|&region| plan.regions[region].group == Some(group));
        let (mut pieces, mut entries) = (Vec::new(), Vec::new());
        let mut main = None;
        for region in members {
            let Region { entry, .. } = plan.regions[region];
            pieces.extend(&plan.regions[region].pieces);
            entries.extend(self.ids[region].map(|id| (entry, id)));
            if self.is_main(region) {
                main = self.ids[region].map(|id| (entry, id));
            }
        }
        let selected = main.is_none() && entries.len() > 1;
        let Some((entry, mut id)) = main.or(entries.first().copied()) else {
            return;
        };
        self.builder.open_block();
        let prologue = self.prologue_of(main.is_some());
        self.push(prologue);
        let stack = match self.stack.take() {
            Some(stack) => stack,
            None => CallStack::new(self.builder, self.rules.depth),
        };
        let mut start = Start::At(entry);
        if selected {
            let selector = code::new_register(self.builder);
            start = Start::Selected(selector, entries.iter().map(|&(entry, _)| entry).collect());
            let (name, body) = (None, self.pieces[entry].block);
            id = self.builder.program.routines.push(Routine { name, body });
            self.enter(selector, &entries, id);
        }
        self.graph(&pieces, start, Some(stack));
        let epilogue = self.epilogue_of(main.is_some());
        self.push(epilogue);
        self.close(id);
    }

    /// Routines that enter a group at one of its regions.
    fn enter(&mut self, selector: RegisterId, entries: &[(PieceId, RoutineId)], group: RoutineId) {
        for &(entry, id) in entries {
            self.builder.open_block();
            code::set(self.builder, selector, entry.index() as u32);
            self.builder.node(Node::Call(group, Span::default()));
            self.close(id);
        }
    }

    /// Pieces as a graph, written into the open block.
    fn graph(&mut self, pieces: &[PieceId], start: Start, stack: Option<CallStack>) {
        let taken: Vec<_> = (pieces.iter())
            .map(|&piece| (piece, self.take(piece), self.pieces[piece].end))
            .collect();
        let counts = self.bound.map(|bound| bound.test);
        let graph = Graph::new(self.builder, self.plan, self.rules, counts);
        let graph = graph.with_stack(stack, &self.kept);
        let graph = graph.build(&taken, start);
        structurize(self.builder, graph, self.bound);
    }

    /// Empties what no routine has any more: the text that nothing reaches, and blocks that became parts of graphs.
    fn clear_unused(&mut self) {
        let program = &mut self.builder.program;
        let mut blocks = vec![false; program.blocks.len()];
        let mut switches = vec![false; program.switches.len()];
        let mut open: Vec<BlockId> = program
            .routines
            .iter()
            .map(|routine| routine.body)
            .collect();
        while let Some(block) = open.pop() {
            blocks[block.index()] = true;
            for &node in program.block(block) {
                if let Node::Switch(switch) = node {
                    switches[switch.index()] = true;
                }
                graph::visit_blocks(program, node, |block| open.push(block));
            }
        }
        for (id, _) in program.blocks.ids().zip(blocks).filter(|(_, used)| !used) {
            program.blocks[id] = Block { first: 0, len: 0 };
        }
        for (id, _) in program
            .switches
            .ids()
            .zip(switches)
            .filter(|(_, used)| !used)
        {
            let switch = &mut program.switches[id];
            switch.cases.clear();
            switch.default = None;
        }
    }

    /// Calls of labels become calls of routines.
    fn settle_calls(&mut self) {
        for node in &mut self.builder.program.nodes {
            let Node::Call(callee, _) = node else {
                continue;
            };
            let id = match Callee::of(*callee) {
                Callee::Routine => continue,
                Callee::Label(label) => (self.plan.piece_of(label))
                    .and_then(|piece| self.plan.region_at[piece])
                    .and_then(|region| self.ids[region]),
                Callee::End => None,
            };
            *node = match (id, *node) {
                (Some(id), Node::Call(_, span)) => Node::Call(id, span),
                // The call stands in text that nothing reaches, or in nodes that a graph has replaced.
                _ => Node::Run { first: 0, len: 0 },
            };
        }
    }
}

/// A copy of a block, with blocks and instructions of its own.
fn copy_block(builder: &mut Builder, block: BlockId) -> BlockId {
    let Block { first, len } = builder.program.blocks[block];
    builder.open_block();
    for position in first..first + len {
        let node = copy(builder, builder.program.nodes[position as usize]);
        builder.node(node);
    }
    builder.close_block()
}

fn copy(builder: &mut Builder, node: Node) -> Node {
    // The verifier wants every block, switch and instruction in one place; sources may be shared.
    let again = copy_block;
    match node {
        Node::Run { first, len } => builder.copied_run(first, len),
        Node::If {
            cond,
            then,
            otherwise,
            span,
        } => Node::If {
            cond,
            then: again(builder, then),
            otherwise: otherwise.map(|block| again(builder, block)),
            span,
        },
        Node::Loop {
            body,
            continuing,
            span,
        } => Node::Loop {
            body: again(builder, body),
            continuing: continuing.map(|block| again(builder, block)),
            span,
        },
        Node::Switch(id) => {
            let mut switch = builder.program.switches[id].clone();
            for case in &mut switch.cases {
                case.block = again(builder, case.block);
            }
            switch.default = switch.default.map(|block| again(builder, block));
            Node::Switch(builder.program.switches.push(switch))
        }
        Node::Break | Node::Continue | Node::Call(..) | Node::Return => node,
    }
}
