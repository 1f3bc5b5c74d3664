//! Translates a graph of basic blocks to the tree of structured control flow.
//!
//! Languages with free branches (BRA, calls of any label, recursion) first build a [`Graph`];
//! [`structurize`] emits any graph, reducible or not, as a tree into the open block of a
//! [`Builder`]:
//!
//! 1. Loops with several entries get a single one: a dispatching block before the loop, which
//!    branches on a register (`make_reducible`).
//! 2. Dominators and loops determine the position of each block (`regions`): at the only branch to
//!    it, or after the construct that all branches to it leave.
//! 3. Every block is emitted once (`emit`). A branch out of several constructs writes its target to
//!    a register and leaves the constructs one after the other (`multi_exit`).
//!
//! Graphs whose tree would be too deep, or too costly to find, become one loop around a switch over
//! all blocks (`dispatch`).

pub(crate) mod code;
mod dispatch;
mod emit;
mod graph;
mod make_reducible;
mod multi_exit;
mod predecessors;
mod regions;
#[cfg(test)]
mod tests;

pub use graph::{Exit, FlowBlock, FlowId, Graph, StepBound, StepTest};

use crate::arena::Id;
use crate::builder::Builder;
use graph::StructurizeLimit;

/// Maximum nesting depth of the tree: half of the verifier's limit, because the nodes of basic
/// blocks may be trees themselves.
const MAX_DEPTH: usize = 128;

/// Writes `graph` into the open block of `builder`. Returns of the graph are returns of the
/// routine.
///
/// ```
/// use glasm_ir::structurize::{Exit, FlowBlock, FlowId, Graph, structurize};
/// use glasm_ir::program::Block;
/// use glasm_ir::{Builder, Id, IndexVec, Program, Span, Stage, verify};
///
/// let block = |exit| FlowBlock { nodes: Block::default(), exit, span: Span::default(), steps: 0 };
/// let mut blocks = IndexVec::new();
/// blocks.push(block(Exit::Jump(FlowId::new(1))));
/// let entry = FlowId::new(0);
/// blocks.push(block(Exit::Return));
/// let mut builder = Builder::new(Program::new(Stage::Vertex));
/// builder.open_block();
/// structurize(&mut builder, Graph { blocks, entry }, None);
/// let body = builder.program.routines[builder.program.main].body;
/// builder.close_block_as(body);
/// assert_eq!(verify(&builder.program), Ok(()));
/// ```
pub fn structurize(builder: &mut Builder, graph: Graph, bound: Option<StepBound>) {
    structurize_within(builder, graph, bound, MAX_DEPTH);
}

/// Emits `graph` like [`structurize`], with another limit of the nesting depth.
fn structurize_within(
    builder: &mut Builder,
    mut graph: Graph,
    bound: Option<StepBound>,
    max_depth: usize,
) {
    skip_empty_blocks(&mut graph);
    // After empty blocks are skipped, because the arms of a branch may have become one block then.
    simplify(&mut graph);
    // Reduction changes branch targets even if it fails.
    let mut changed = Vec::new();
    let entry = graph.entry;
    let placed = make_reducible::make_reducible(builder, &mut graph, &mut changed)
        .and_then(|()| regions::Shape::find(&graph))
        .and_then(|shape| emit::emit(builder, &graph, &shape, bound, max_depth));
    if placed == Err(StructurizeLimit) {
        // The first recorded exit of a block is its original one.
        for (block, exit) in changed.into_iter().rev() {
            graph.blocks[block].exit = exit;
        }
        graph.entry = entry;
        dispatch::dispatch(builder, &graph, bound);
    }
}

/// Retargets branches to blocks that only jump to the targets of these blocks.
fn skip_empty_blocks(graph: &mut Graph) {
    let mut ends: Vec<Option<FlowId>> = vec![None; graph.blocks.len()];
    let mut path = Vec::new();
    for first in graph.blocks.ids() {
        let mut at = first;
        // A cycle of empty blocks ends at the block where it is entered.
        let end = loop {
            if let Some(known) = ends[at.index()] {
                break known;
            }
            ends[at.index()] = Some(at);
            let block = &graph.blocks[at];
            match block.exit {
                Exit::Jump(to) if block.nodes.len == 0 && block.steps == 0 => {
                    path.push(at);
                    at = to;
                }
                Exit::Jump(_) | Exit::Branch { .. } | Exit::Switch { .. } | Exit::Return => {
                    break at;
                }
            }
        };
        for block in path.drain(..) {
            ends[block.index()] = Some(end);
        }
    }
    let end_of = |block: FlowId| ends[block.index()].unwrap_or(block);
    for index in 0..graph.blocks.len() {
        let exit = &mut graph.blocks[FlowId::new(index)].exit;
        exit.update_targets(|target| *target = end_of(*target));
    }
    graph.entry = end_of(graph.entry);
}

/// Replaces branches with two equal targets by jumps.
fn simplify(graph: &mut Graph) {
    for index in 0..graph.blocks.len() {
        let exit = &mut graph.blocks[FlowId::new(index)].exit;
        let only = match exit {
            Exit::Branch {
                then, otherwise, ..
            } if then == otherwise => Some(*then),
            Exit::Switch { cases, default, .. }
                if cases.iter().all(|(_, target)| target == default) =>
            {
                Some(*default)
            }
            Exit::Jump(_) | Exit::Branch { .. } | Exit::Switch { .. } | Exit::Return => None,
        };
        if let Some(target) = only {
            *exit = Exit::Jump(target);
        }
    }
}
