//! Builds routines from the trees of basic blocks, and the stacks of bounded depth in register
//! arrays that they use: return addresses, and values saved by calls.

use super::basic_blocks::{BasicBlockId, Cfg, SavedLanes, Terminator};
use super::call_graph::{CallGraph, Function, FunctionId};
use super::graph_builder::{self, GraphBuilder, GraphEntry};
use crate::arena::{Id, IndexVec};
use crate::builder::Builder;
use crate::inst::{Cond, Dst, Index, IndexId, IndexTerm, Src, WriteMask};
use crate::op::Op;
use crate::program::{
    Block, BlockId, NameId, Node, Register, RegisterId, Routine, RoutineId, Storage,
};
use crate::span::Span;
use crate::structurize::{StepBound, StepTest, selector, structurize};
use crate::types::{Type, Width};
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

/// Callees of calls while routines have no ids: until [`RoutineBuilder::resolve_calls`] the routine
/// id of each [`Node::Call`] is an index of this list.
#[derive(Default, Debug)]
pub(super) struct Callees(Vec<Callee>);

impl Callees {
    /// Records `callee` and returns a call node whose routine id is the number of that record, a
    /// placeholder until [`resolve_calls`](RoutineBuilder::resolve_calls) replaces it.
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
pub(super) struct RoutineBuilder<'a> {
    pub(super) builder: &'a mut Builder,
    pub(super) cfg: &'a Cfg,
    pub(super) call_graph: &'a CallGraph,
    pub(super) step_bound: Option<StepBound>,
    pub(super) trees: IndexVec<BasicBlockId, BlockTree>,
    pub(super) prologue: Vec<Node>,
    pub(super) epilogue: Vec<Node>,
    pub(super) saved_lanes: FxHashMap<BlockId, Vec<SavedLanes>>,
    pub(super) stack: Option<CallStack>,
    pub(super) callees: Callees,
    /// Number of functions that contain each basic block and are not built yet.
    pub(super) pending_uses: IndexVec<BasicBlockId, u32>,
    /// The routine of each function that others call.
    pub(super) routine_ids: Vec<Option<RoutineId>>,
}

impl RoutineBuilder<'_> {
    /// Builds the routines of all functions and groups of recursive functions, in source order.
    /// Clears the blocks that no routine uses and replaces the placeholders of calls.
    pub(super) fn build_routines(mut self) {
        let graph = self.call_graph;
        let mut order: Vec<FunctionId> = (0..graph.functions.len()).collect();
        // Routines are in source order, independent of the order in which calls were found.
        order.sort_by_key(|&function| graph.functions[function].entry);
        self.pending_uses.grow(self.trees.len(), 0);
        for &block in graph.functions.iter().flat_map(|function| &function.blocks) {
            self.pending_uses[block] += 1;
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

    /// Returns true if a function is the one that runs first.
    fn is_main(&self, function: FunctionId) -> bool {
        self.call_graph.functions[function].entry == self.call_graph.entry()
    }

    /// Creates routines for the functions that others call, and assigns that of main. Their bodies
    /// are the trees of their first basic blocks until they are built.
    fn declare_routines(&mut self, order: &[FunctionId]) {
        self.routine_ids.resize(order.len(), None);
        for &function in order {
            let &Function {
                entry,
                is_called_from_outside: called,
                ..
            } = &self.call_graph.functions[function];
            let BlockTree { name, block, .. } = self.trees[entry];
            let is_main = self.is_main(function);
            let program = &mut self.builder.program;
            self.routine_ids[function] = if is_main {
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
    fn take_block_nodes(&mut self, block: BasicBlockId) -> Block {
        let mut tree = self.trees[block].block;
        self.pending_uses[block] -= 1;
        if self.pending_uses[block] > 0 {
            tree = copy_block(self.builder, tree);
        }
        self.builder.program.blocks[tree]
    }

    /// Opens the body of a routine. The body of main begins with the prologue, which is moved
    /// there.
    fn open_routine(&mut self, id: RoutineId) {
        self.builder.open_block();
        if id == self.builder.program.main {
            let prologue = std::mem::take(&mut self.prologue);
            prologue
                .into_iter()
                .for_each(|node| self.builder.push_node(node));
        }
    }

    /// Closes the body of a routine and assigns it. The body of main ends with the epilogue, which
    /// is moved there.
    fn close_routine(&mut self, id: RoutineId) {
        if id == self.builder.program.main {
            let epilogue = std::mem::take(&mut self.epilogue);
            epilogue
                .into_iter()
                .for_each(|node| self.builder.push_node(node));
        }
        let body = self.builder.close_block();
        self.builder.program.routines[id].body = body;
    }

    /// Builds the routine of a function that cannot call itself: a sequence of block nodes, or a
    /// structured graph if it contains branches or counts steps. Does nothing for functions without
    /// a routine, and if the declared body is already complete.
    fn build_function(&mut self, function: FunctionId) {
        let Some(id) = self.routine_ids[function] else {
            return;
        };
        let blocks = &self.call_graph.functions[function].blocks;
        let is_main = id == self.builder.program.main;
        let extended = is_main && !(self.prologue.is_empty() && self.epilogue.is_empty());
        let is_graph = self.is_counting_all_steps() || self.has_branches(blocks);
        // The tree of a single basic block that no other function contains is the body that
        // `declare_routines` assigned.
        if blocks.len() == 1 && !extended && !is_graph && self.pending_uses[blocks[0]] == 1 {
            return;
        }
        self.open_routine(id);
        if is_graph {
            self.build_graph(
                blocks,
                GraphEntry::Block(self.call_graph.functions[function].entry),
                None,
            );
        } else {
            for &block in blocks {
                let nodes = self.take_block_nodes(block);
                self.builder.append_nodes(nodes);
            }
        }
        self.close_routine(id);
    }

    /// Returns true if every block counts its steps.
    fn is_counting_all_steps(&self) -> bool {
        let bound = self.step_bound;
        bound.is_some_and(|bound| bound.test == StepTest::Blocks)
    }

    /// Returns true if one of the basic blocks ends with a branch.
    fn has_branches(&self, blocks: &[BasicBlockId]) -> bool {
        let mut terminators = blocks.iter().map(|&block| self.cfg.terminator(block));
        terminators.any(|terminator| matches!(terminator, Terminator::Branch { .. }))
    }

    /// Builds functions that can call each other: one routine with a stack. If calls from outside
    /// enter it at several functions, a register selects the entry, and each entry has a routine
    /// that sets the register. Main is always entered directly. Creates the stack if pushed
    /// addresses have not created it.
    fn build_group(&mut self, group: u32, order: &[FunctionId]) {
        let graph = self.call_graph;
        let members = order.iter().copied();
        let members = members.filter(|&function| graph.functions[function].group == Some(group));
        let (mut blocks, mut entries) = (Vec::new(), Vec::new());
        let mut main = None;
        for function in members {
            let entry = graph.functions[function].entry;
            blocks.extend(&graph.functions[function].blocks);
            entries.extend(self.routine_ids[function].map(|id| (entry, id)));
            if self.is_main(function) {
                main = self.routine_ids[function].map(|id| (entry, id));
            }
        }
        let selected = main.is_none() && entries.len() > 1;
        let Some((entry, mut id)) = main.or(entries.first().copied()) else {
            return;
        };
        self.open_routine(id);
        let stack = match self.stack.take() {
            Some(stack) => stack,
            None => CallStack::new(self.builder, graph.convention.max_depth),
        };
        let mut start = GraphEntry::Block(entry);
        if selected {
            let selector = selector::push_register(self.builder);
            start =
                GraphEntry::Selected(selector, entries.iter().map(|&(entry, _)| entry).collect());
            let (name, body) = (None, self.trees[entry].block);
            id = self.builder.program.routines.push(Routine { name, body });
            self.build_entries(selector, &entries, id);
        }
        self.build_graph(&blocks, start, Some(stack));
        self.close_routine(id);
    }

    /// Builds the routines that enter a group at one of its functions: each sets `selector` to the
    /// number of its basic block and calls `group`.
    fn build_entries(
        &mut self,
        selector: RegisterId,
        entries: &[(BasicBlockId, RoutineId)],
        group: RoutineId,
    ) {
        for &(entry, id) in entries {
            self.open_routine(id);
            selector::emit_set_word(self.builder, selector, entry.index() as u32);
            let call = self
                .callees
                .make_call(Callee::Routine(group), Span::default());
            self.builder.push_node(call);
            self.close_routine(id);
        }
    }

    /// Builds basic blocks as a graph, with calls through `stack` if there is one, and emits its
    /// structured tree into the open block.
    fn build_graph(
        &mut self,
        blocks: &[BasicBlockId],
        start: GraphEntry,
        stack: Option<CallStack>,
    ) {
        let blocks_with_nodes: Vec<_> = (blocks.iter())
            .map(|&block| (block, self.take_block_nodes(block), self.trees[block]))
            .collect();
        let counts = self.step_bound.map(|bound| bound.test);
        let (builder, program) = (&mut *self.builder, (self.cfg, self.call_graph));
        let graph = GraphBuilder::new(builder, program, &self.callees, counts);
        let graph = graph.with_stack(stack, &self.saved_lanes);
        let graph = graph.build(&blocks_with_nodes, start);
        structurize(self.builder, graph, self.step_bound);
    }

    /// Makes blocks and switches empty that are not part of a routine: unreachable ones, and those
    /// that were merged into graphs.
    fn clear_unused(&mut self) {
        let program = &mut self.builder.program;
        let mut blocks = vec![false; program.blocks.len()];
        let mut switches = vec![false; program.switches.len()];
        let mut pending: Vec<BlockId> = program
            .routines
            .iter()
            .map(|routine| routine.body)
            .collect();
        while let Some(block) = pending.pop() {
            blocks[block.index()] = true;
            for &node in program.block_nodes(block) {
                if let Node::Switch(switch) = node {
                    switches[switch.index()] = true;
                }
                graph_builder::visit_inner_blocks(program, node, |block| pending.push(block));
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

    /// Replaces the placeholders in calls by routine ids. Calls without a routine, which are never
    /// executed, become empty runs.
    fn resolve_calls(&mut self) {
        for node in &mut self.builder.program.nodes {
            let Node::Call(callee, span) = *node else {
                continue;
            };
            let id = match self.callees.get(callee) {
                Callee::Routine(id) => Some(id),
                Callee::Block(entry) => self.call_graph.function_at[entry]
                    .and_then(|function| self.routine_ids[function]),
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

/// Copies a block with its inner blocks and instructions, and returns the copy: every block may be
/// used only once.
fn copy_block(builder: &mut Builder, block: BlockId) -> BlockId {
    let Block { first, len } = builder.program.blocks[block];
    builder.open_block();
    for position in first..first + len {
        let node = copy_node(builder, builder.program.nodes[position as usize]);
        builder.push_node(node);
    }
    builder.close_block()
}

/// Returns a copy of a node with copies of its blocks and switches.
fn copy_node(builder: &mut Builder, node: Node) -> Node {
    // The verifier requires that every block, switch and instruction is used once; sources may be
    // shared.
    let copy = copy_block;
    match node {
        Node::Run { first, len } => builder.copy_run(first, len),
        Node::If {
            cond,
            then,
            otherwise,
            span,
        } => Node::If {
            cond,
            then: copy(builder, then),
            otherwise: otherwise.map(|block| copy(builder, block)),
            span,
        },
        Node::Loop {
            body,
            continuing,
            span,
        } => Node::Loop {
            body: copy(builder, body),
            continuing: continuing.map(|block| copy(builder, block)),
            span,
        },
        Node::Switch(id) => {
            let mut switch = builder.program.switches[id].clone();
            for case in &mut switch.cases {
                case.block = copy(builder, case.block);
            }
            switch.default = switch.default.map(|block| copy(builder, block));
            Node::Switch(builder.program.switches.push(switch))
        }
        Node::Break | Node::Continue | Node::Call(..) | Node::Return => node,
    }
}

/// A stack: arrays of equal length that are indexed by the same depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallStack {
    /// Number of entries in use.
    pub(super) depth: RegisterId,
    /// Indices of the blocks to return to, from 1; 0 for an entry that is not a return address.
    pub(super) return_addresses: RegisterId,
    capacity: u32,
}

impl CallStack {
    /// Adds the registers of an empty stack with capacity for `size` return addresses.
    pub(super) fn new(builder: &mut Builder, size: u32) -> Self {
        let depth = selector::push_register(builder);
        let return_addresses = push_array_register(builder, Width::W32, size);
        Self {
            depth,
            return_addresses,
            capacity: size,
        }
    }

    /// Returns an array with an element for each entry.
    pub(super) fn add_entry_array(&self, builder: &mut Builder, width: Width) -> RegisterId {
        push_array_register(builder, width, self.capacity)
    }

    /// Returns a condition that holds if the stack is not empty.
    pub(super) fn make_nonempty_cond(&self) -> Cond {
        selector::make_non_zero_cond(self.depth)
    }

    /// Emits the test that the stack is full and returns the condition; `scratch` is overwritten.
    pub(super) fn emit_full_test(&self, builder: &mut Builder, scratch: RegisterId) -> Cond {
        let limit = selector::push_word_literal(builder, self.capacity);
        selector::emit_op(
            builder,
            scratch,
            Op::SetGe,
            &[Src::from_register(self.depth), limit],
        );
        selector::make_non_zero_cond(scratch)
    }

    /// Emits `depth = depth + 1` after the entry was written, with `Op::Add`, or
    /// `depth = depth - 1` before it is read, with `Op::Sub`.
    pub(super) fn emit_depth_change(&self, builder: &mut Builder, op: Op) {
        let one = selector::push_word_literal(builder, 1);
        selector::emit_op(
            builder,
            self.depth,
            op,
            &[Src::from_register(self.depth), one],
        );
    }

    /// Adds an index that selects the element at `depth` of an array of the stack.
    fn push_top_index(&self, builder: &mut Builder) -> IndexId {
        builder.program.indices.push(Index {
            element: IndexTerm {
                relative: Some((self.depth, 0)),
                offset: 0,
            },
            len: self.capacity,
            vertex: None,
        })
    }

    /// Returns the operand `array[depth]`.
    pub(super) fn make_top_operand(&self, builder: &mut Builder, array: RegisterId) -> Src {
        Src {
            index: Some(self.push_top_index(builder)),
            ..Src::from_register(array)
        }
    }

    /// Emits `array[depth] = value` in the lanes of `mask`.
    pub(super) fn store_top(
        &self,
        builder: &mut Builder,
        array: RegisterId,
        mask: WriteMask,
        (value, ty): (Src, Type),
    ) {
        let top = Dst {
            index: Some(self.push_top_index(builder)),
            ..Dst::new(array, mask)
        };
        selector::emit_mov(builder, top, ty, value);
    }
}

/// Adds an unnamed temporary array of `size` elements.
fn push_array_register(builder: &mut Builder, width: Width, size: u32) -> RegisterId {
    builder.program.registers.push(Register {
        storage: Storage::Temp,
        width,
        array_len: Some(size),
        name: None,
    })
}
