//! Builds routines from the trees of basic blocks.

use super::call_graph::{CallGraph, Function, FunctionId};
use super::cfg::SavedLanes;
use super::cfg::{BasicBlockId, Cfg, Terminator};
use super::graph::{self, Graph, Start};
use super::stack::CallStack;
use crate::arena::{Id, IndexVec};
use crate::builder::Builder;
use crate::inst::Cond;
use crate::program::{Block, BlockId, NameId, Node, RegisterId, Routine, RoutineId};
use crate::span::Span;
use crate::structurize::{StepBound, StepTest, code, structurize};
use rustc_hash::FxHashMap;

/// The tree of a basic block.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct BlockTree {
    /// Name of the label at its start.
    pub(super) name: Option<NameId>,
    pub(super) block: BlockId,
    /// Condition and span of the branch that ends it.
    pub(super) cond: Option<Cond>,
    pub(super) span: Span,
}

/// Callee of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Callee {
    /// The function that begins at a basic block.
    Block(BasicBlockId),
    Routine(RoutineId),
    /// The end of the program: the call ends it.
    Exit,
}

/// Callees of calls while routines have no ids: until [`Routines::resolve_calls`] the routine id of
/// each [`Node::Call`] is an index of this list.
#[derive(Default, Debug)]
pub(super) struct Callees(Vec<Callee>);

impl Callees {
    /// Returns a call node; its routine id is a placeholder.
    pub(super) fn make_call(&mut self, callee: Callee, span: Span) -> Node {
        let id = RoutineId::new(self.0.len());
        self.0.push(callee);
        Node::Call(id, span)
    }

    /// Returns the callee of a call.
    pub(super) fn get(&self, id: RoutineId) -> Callee {
        self.0[id.index()]
    }
}

/// Routines under construction.
pub(super) struct Routines<'a> {
    pub(super) builder: &'a mut Builder,
    pub(super) cfg: &'a Cfg,
    pub(super) graph: &'a CallGraph,
    pub(super) bound: Option<StepBound>,
    pub(super) trees: IndexVec<BasicBlockId, BlockTree>,
    pub(super) prologue: Vec<Node>,
    pub(super) epilogue: Vec<Node>,
    pub(super) saved: FxHashMap<BlockId, Vec<SavedLanes>>,
    pub(super) stack: Option<CallStack>,
    pub(super) callees: Callees,
    /// Number of functions that contain each basic block and are not built yet.
    pub(super) uses: IndexVec<BasicBlockId, u32>,
    /// The routine of each function that others call.
    pub(super) ids: Vec<Option<RoutineId>>,
}

impl Routines<'_> {
    pub(super) fn build(mut self) {
        let graph = self.graph;
        let mut order: Vec<FunctionId> = (0..graph.functions.len()).collect();
        // Routines are in source order, independent of the order in which calls were found.
        order.sort_by_key(|&function| graph.functions[function].entry);
        self.uses.grow(self.trees.len(), 0);
        for &block in graph.functions.iter().flat_map(|function| &function.blocks) {
            self.uses[block] += 1;
        }
        self.declare_routines(&order);
        let mut built = Vec::new();
        for &function in &order {
            match graph.functions[function].group {
                None => self.build_function(function),
                Some(group) if built.contains(&group) => {}
                Some(group) => {
                    built.push(group);
                    self.build_group(group, &order);
                }
            }
        }
        self.clear_unused();
        self.resolve_calls();
    }

    fn is_main(&self, function: FunctionId) -> bool {
        self.graph.functions[function].entry == self.graph.entry()
    }

    /// Creates routines for main and the functions that others call.
    fn declare_routines(&mut self, order: &[FunctionId]) {
        self.ids.resize(order.len(), None);
        for &function in order {
            let &Function { entry, called, .. } = &self.graph.functions[function];
            let BlockTree { name, block, .. } = self.trees[entry];
            let is_main = self.is_main(function);
            let program = &mut self.builder.program;
            self.ids[function] = if is_main {
                program.routines[program.main] = Routine { name, body: block };
                Some(program.main)
            } else if called {
                Some(program.routines.push(Routine { name, body: block }))
            } else {
                None
            };
        }
    }

    /// Returns the nodes of a basic block. The last function that contains it uses the original,
    /// other functions a copy.
    fn take_nodes(&mut self, block: BasicBlockId) -> Block {
        let mut tree = self.trees[block].block;
        self.uses[block] -= 1;
        if self.uses[block] > 0 {
            tree = copy_block(self.builder, tree);
        }
        self.builder.program.blocks[tree]
    }

    /// Opens the body of a routine. The body of main begins with the prologue.
    fn open_routine(&mut self, id: RoutineId) {
        self.builder.open_block();
        if id == self.builder.program.main {
            let prologue = std::mem::take(&mut self.prologue);
            prologue
                .into_iter()
                .for_each(|node| self.builder.node(node));
        }
    }

    /// Closes the body of a routine. The body of main ends with the epilogue.
    fn close_routine(&mut self, id: RoutineId) {
        if id == self.builder.program.main {
            let epilogue = std::mem::take(&mut self.epilogue);
            epilogue
                .into_iter()
                .for_each(|node| self.builder.node(node));
        }
        let body = self.builder.close_block();
        self.builder.program.routines[id].body = body;
    }

    /// Builds a function that cannot call itself.
    fn build_function(&mut self, function: FunctionId) {
        let Some(id) = self.ids[function] else { return };
        let blocks = &self.graph.functions[function].blocks;
        let is_main = id == self.builder.program.main;
        let extended = is_main && !(self.prologue.is_empty() && self.epilogue.is_empty());
        let is_graph = self.is_counting_all() || self.has_branches(blocks);
        // The tree of a single basic block that no other function contains is the body that
        // `declare_routines` assigned.
        if blocks.len() == 1 && !extended && !is_graph && self.uses[blocks[0]] == 1 {
            return;
        }
        self.open_routine(id);
        if is_graph {
            self.build_graph(
                blocks,
                Start::At(self.graph.functions[function].entry),
                None,
            );
        } else {
            for &block in blocks {
                let nodes = self.take_nodes(block);
                self.builder.append_nodes(nodes);
            }
        }
        self.close_routine(id);
    }

    /// Returns true if every block counts its steps.
    fn is_counting_all(&self) -> bool {
        let bound = self.bound;
        bound.is_some_and(|bound| bound.test == StepTest::Blocks)
    }

    fn has_branches(&self, blocks: &[BasicBlockId]) -> bool {
        let mut terminators = blocks.iter().map(|&block| self.cfg.terminator(block));
        terminators.any(|it| matches!(it, Terminator::Branch { .. }))
    }

    /// Builds functions that can call each other: one routine with a stack. If calls from outside
    /// enter it at several functions, a register selects the entry, and each entry has a routine
    /// that sets the register.
    fn build_group(&mut self, group: u32, order: &[FunctionId]) {
        let graph = self.graph;
        let members = order.iter().copied();
        let members = members.filter(|&function| graph.functions[function].group == Some(group));
        let (mut blocks, mut entries) = (Vec::new(), Vec::new());
        let mut main = None;
        for function in members {
            let entry = graph.functions[function].entry;
            blocks.extend(&graph.functions[function].blocks);
            entries.extend(self.ids[function].map(|id| (entry, id)));
            if self.is_main(function) {
                main = self.ids[function].map(|id| (entry, id));
            }
        }
        let selected = main.is_none() && entries.len() > 1;
        let Some((entry, mut id)) = main.or(entries.first().copied()) else {
            return;
        };
        self.open_routine(id);
        let stack = match self.stack.take() {
            Some(stack) => stack,
            None => CallStack::new(self.builder, graph.convention.depth),
        };
        let mut start = Start::At(entry);
        if selected {
            let selector = code::new_register(self.builder);
            start = Start::Selected(selector, entries.iter().map(|&(entry, _)| entry).collect());
            let (name, body) = (None, self.trees[entry].block);
            id = self.builder.program.routines.push(Routine { name, body });
            self.build_entries(selector, &entries, id);
        }
        self.build_graph(&blocks, start, Some(stack));
        self.close_routine(id);
    }

    /// Builds the routines that enter a group at one of its functions.
    fn build_entries(
        &mut self,
        selector: RegisterId,
        entries: &[(BasicBlockId, RoutineId)],
        group: RoutineId,
    ) {
        for &(entry, id) in entries {
            self.open_routine(id);
            code::emit_set(self.builder, selector, entry.index() as u32);
            let call = self
                .callees
                .make_call(Callee::Routine(group), Span::default());
            self.builder.node(call);
            self.close_routine(id);
        }
    }

    /// Builds basic blocks as a graph, into the open block.
    fn build_graph(&mut self, blocks: &[BasicBlockId], start: Start, stack: Option<CallStack>) {
        let taken: Vec<_> = (blocks.iter())
            .map(|&block| (block, self.take_nodes(block), self.trees[block]))
            .collect();
        let counts = self.bound.map(|bound| bound.test);
        let (builder, program) = (&mut *self.builder, (self.cfg, self.graph));
        let graph = Graph::new(builder, program, &self.callees, counts);
        let graph = graph.with_stack(stack, &self.saved);
        let graph = graph.build(&taken, start);
        structurize(self.builder, graph, self.bound);
    }

    /// Clears blocks that are not part of a routine: unreachable blocks, and blocks that were
    /// merged into graphs.
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

    /// Replaces the placeholders in calls by routine ids.
    fn resolve_calls(&mut self) {
        for node in &mut self.builder.program.nodes {
            let Node::Call(callee, span) = *node else {
                continue;
            };
            let id = match self.callees.get(callee) {
                Callee::Routine(id) => Some(id),
                Callee::Block(entry) => {
                    self.graph.function_at[entry].and_then(|function| self.ids[function])
                }
                Callee::Exit => None,
            };
            *node = match id {
                Some(id) => Node::Call(id, span),
                // The call is in unreachable code, or in nodes that a graph has replaced.
                None => Node::Run { first: 0, len: 0 },
            };
        }
    }
}

/// Copies a block with its inner blocks and instructions.
fn copy_block(builder: &mut Builder, block: BlockId) -> BlockId {
    let Block { first, len } = builder.program.blocks[block];
    builder.open_block();
    for position in first..first + len {
        let node = copy_node(builder, builder.program.nodes[position as usize]);
        builder.node(node);
    }
    builder.close_block()
}

fn copy_node(builder: &mut Builder, node: Node) -> Node {
    // The verifier requires that every block, switch and instruction is used once; sources may be
    // shared.
    let again = copy_block;
    match node {
        Node::Run { first, len } => builder.copy_run(first, len),
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
