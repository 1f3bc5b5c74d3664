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
//! all blocks (`emit_dispatcher`), which needs constant depth.

mod emit;
mod graph;
mod make_reducible;
mod multi_exit;
mod regions;
pub(crate) mod selector;
#[cfg(test)]
mod tests;

pub use graph::{Exit, FlowBlock, FlowId, Graph, StepBound, StepTest};

use crate::arena::Id;
use crate::builder::Builder;
use crate::inst::{Cond, Dst, WriteMask};
use crate::program::{Case, Node, RegisterId, Switch};
use crate::types::Type;
use graph::StructurizeLimit;
use selector::encode_block;

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
    structurize_with_max_depth(builder, graph, bound, MAX_DEPTH);
}

/// Emits `graph` like [`structurize`], with another limit of the nesting depth. If a limit is
/// exceeded, emits a loop with a dispatching switch instead.
fn structurize_with_max_depth(
    builder: &mut Builder,
    mut graph: Graph,
    bound: Option<StepBound>,
    max_depth: usize,
) {
    skip_empty_blocks(&mut graph);
    // After empty blocks are skipped, because the arms of a branch may have become one block then.
    replace_trivial_branches(&mut graph);
    // Reduction changes branch targets even if it fails.
    let mut changed = Vec::new();
    let entry = graph.entry;
    let result = make_reducible::make_reducible(builder, &mut graph, &mut changed)
        .and_then(|()| regions::TreeLayout::compute(&graph))
        .and_then(|shape| emit::emit_layout(builder, &graph, &shape, bound, max_depth));
    if result == Err(StructurizeLimit) {
        // The first recorded exit of a block is its original one.
        for (block, exit) in changed.into_iter().rev() {
            graph.blocks[block].exit = exit;
        }
        graph.entry = entry;
        emit_dispatcher(builder, &graph, bound);
    }
}

/// Retargets branches, and the entry, to blocks that only jump and count no steps, to the targets
/// of these blocks.
fn skip_empty_blocks(graph: &mut Graph) {
    let mut final_targets: Vec<Option<FlowId>> = vec![None; graph.blocks.len()];
    let mut path = Vec::new();
    for first in graph.blocks.ids() {
        let mut at = first;
        // A cycle of empty blocks ends at the block where it is entered.
        let end = loop {
            if let Some(known) = final_targets[at.index()] {
                break known;
            }
            final_targets[at.index()] = Some(at);
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
            final_targets[block.index()] = Some(end);
        }
    }
    let get_final_target = |block: FlowId| final_targets[block.index()].unwrap_or(block);
    for index in 0..graph.blocks.len() {
        let exit = &mut graph.blocks[FlowId::new(index)].exit;
        exit.update_targets(|target| *target = get_final_target(*target));
    }
    graph.entry = get_final_target(graph.entry);
}

/// Replaces branches and switches whose targets all are equal by jumps.
fn replace_trivial_branches(graph: &mut Graph) {
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

/// Maximum number of cases of one switch: SPIR-V allows 16,383 (universal limits). More blocks are
/// distributed over several consecutive switches: an iteration runs at most one block of each, in
/// the order of their ids.
const MAX_CASES: usize = 16_000;

/// Emits the graph as a loop in which each iteration runs the block that a register selects, with
/// the count of its steps and, once per iteration or block, the test of the bound.
fn emit_dispatcher(builder: &mut Builder, graph: &Graph, bound: Option<StepBound>) {
    let next = selector::push_register(builder);
    let scratch = selector::push_register(builder);
    selector::emit_set_word(builder, next, encode_block(graph.entry));
    builder.open_block();
    if let Some(bound) = bound.filter(|bound| bound.test == StepTest::Loops) {
        selector::emit_bound_test(builder, bound, scratch);
    }
    let registers = [next, scratch];
    for blocks in graph.find_reachable(|_, _| {}).chunks(MAX_CASES) {
        let cases = blocks
            .iter()
            .map(|&id| emit_case(builder, graph, id, registers, bound));
        let switch = Switch {
            selector: (next, 0),
            cases: cases.collect(),
            default: None,
            span: graph.blocks[graph.entry].span,
        };
        let switch = builder.program.switches.push(switch);
        builder.push_node(Node::Switch(switch));
    }
    let body = builder.close_block();
    builder.push_node(Node::Loop {
        body,
        continuing: None,
        span: graph.blocks[graph.entry].span,
    });
}

/// Returns the case of a block for the dispatching switch: the count of its steps, its nodes, and
/// the selection of the next block in `next`. `scratch` is overwritten.
fn emit_case(
    builder: &mut Builder,
    graph: &Graph,
    id: FlowId,
    [next, scratch]: [RegisterId; 2],
    bound: Option<StepBound>,
) -> Case {
    let block = &graph.blocks[id];
    builder.open_block();
    if let Some(bound) = bound {
        match bound.test {
            StepTest::Loops => selector::emit_step_count(builder, bound, block.steps),
            StepTest::Blocks => {
                selector::emit_step_count_and_test(builder, bound, block.steps, scratch)
            }
        }
    }
    builder.append_nodes(block.nodes);
    emit_next_block(builder, next, &block.exit, block.span);
    Case {
        values: vec![encode_block(id)],
        block: builder.close_block(),
    }
}

/// Emits the code that sets `next` to the target of an exit, or that returns.
fn emit_next_block(builder: &mut Builder, next: RegisterId, exit: &Exit, span: crate::Span) {
    let arm = |builder: &mut Builder, target: FlowId| {
        builder.open_block();
        selector::emit_set_word(builder, next, encode_block(target));
        builder.close_block()
    };
    match exit {
        Exit::Jump(target) => selector::emit_set_word(builder, next, encode_block(*target)),
        Exit::Return => builder.push_node(Node::Return),
        Exit::Branch {
            cond: Cond::Any(guard),
            then,
            otherwise,
        } if guard.swizzle.is_splat() => {
            // All four lanes test the same condition, so that a guarded move is equivalent to the
            // branch, without blocks.
            selector::emit_set_word(builder, next, encode_block(*otherwise));
            let dst = Dst {
                guard: Some(*guard),
                ..Dst::new(next, WriteMask::X)
            };
            let value = selector::push_word_literal(builder, encode_block(*then));
            selector::emit_mov(builder, dst, Type::U32, value);
        }
        Exit::Branch {
            cond,
            then,
            otherwise,
        } => {
            let then = arm(builder, *then);
            let otherwise = arm(builder, *otherwise);
            builder.push_branch(*cond, then, Some(otherwise), span);
        }
        Exit::Switch {
            selector,
            cases,
            default,
        } => {
            let cases = cases.iter().map(|&(value, target)| Case {
                values: vec![value],
                block: arm(builder, target),
            });
            let cases = cases.collect();
            let default = Some(arm(builder, *default));
            let switch = builder.program.switches.push(Switch {
                selector: *selector,
                cases,
                default,
                span,
            });
            builder.push_node(Node::Switch(switch));
        }
    }
}
