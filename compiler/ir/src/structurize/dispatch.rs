//! Fallback for arbitrary graphs in constant depth: one loop around a switch over all blocks.

use super::code::{self, encode_target};
use super::graph::{Exit, FlowId, Graph, StepBound, StepTest};
use crate::builder::Builder;
use crate::inst::{Cond, Dst, WriteMask};
use crate::program::{Case, Node, RegisterId, Switch};
use crate::types::Type;

/// Maximum number of cases of one switch: SPIR-V allows 16,383 (universal limits). More blocks are
/// distributed over several consecutive switches: an iteration runs at most one block of each, in
/// the order of their ids.
const MAX_CASES: usize = 16_000;

/// Emits the graph as a loop in which each iteration runs the block that a register selects.
pub(super) fn dispatch(builder: &mut Builder, graph: &Graph, bound: Option<StepBound>) {
    let next = code::new_register(builder);
    let scratch = code::new_register(builder);
    code::emit_set(builder, next, encode_target(graph.entry));
    builder.open_block();
    if let Some(bound) = bound.filter(|bound| bound.test == StepTest::Rounds) {
        code::emit_bound_test(builder, bound, scratch);
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
        builder.node(Node::Switch(switch));
    }
    let body = builder.close_block();
    builder.node(Node::Loop {
        body,
        continuing: None,
        span: graph.blocks[graph.entry].span,
    });
}

/// Returns the case of a block.
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
            StepTest::Rounds => code::emit_count(builder, bound, block.steps),
            StepTest::Blocks => code::emit_count_and_test(builder, bound, block.steps, scratch),
        }
    }
    builder.append_nodes(block.nodes);
    emit_next(builder, next, &block.exit, block.span);
    Case {
        values: vec![encode_target(id)],
        block: builder.close_block(),
    }
}

/// Writes the target of an exit to `next`.
fn emit_next(builder: &mut Builder, next: RegisterId, exit: &Exit, span: crate::Span) {
    let arm = |builder: &mut Builder, target: FlowId| {
        builder.open_block();
        code::emit_set(builder, next, encode_target(target));
        builder.close_block()
    };
    match exit {
        Exit::Jump(target) => code::emit_set(builder, next, encode_target(*target)),
        Exit::Return => builder.node(Node::Return),
        Exit::Branch {
            cond: Cond::Any(guard),
            then,
            otherwise,
        } if guard.swizzle.is_splat() => {
            // All four lanes test the same condition, so that a guarded move is equivalent to the
            // branch, without blocks.
            code::emit_set(builder, next, encode_target(*otherwise));
            let dst = Dst {
                guard: Some(*guard),
                ..Dst::new(next, WriteMask::X)
            };
            let value = code::add_word(builder, encode_target(*then));
            code::emit_mov(builder, dst, Type::U32, value);
        }
        Exit::Branch {
            cond,
            then,
            otherwise,
        } => {
            let then = arm(builder, *then);
            let otherwise = arm(builder, *otherwise);
            builder.branch(*cond, then, Some(otherwise), span);
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
            builder.node(Node::Switch(switch));
        }
    }
}
