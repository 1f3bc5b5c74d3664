//! Thread groups: Vulkan subgroups; subgroups with more than 32 invocations consist of two groups.

use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder, by_base, truth_scalar};
use crate::capability::{Need, check_subgroups};
use crate::emit::cx::{FunctionEmitter, InstCx, Outcome};
use crate::error::Failure;
use crate::interface::Io;
use crate::interface::builtin::thread_row;
use glasm_ir::{Node, Op, Type};
use spirv::{Op as Spv, Scope};

/// Number of invocations of a thread group: its masks are words (NV_shader_thread_group section
/// 8.3).
const GROUP: u32 = 32;

/// Loads the invocation number in the subgroup.
fn load_subgroup_id(io: &mut Io<'_>) -> Val {
    let (_, id) = io.load_builtin_value(thread_row());
    io.w.val(id)
}

/// Loads the invocation number in the thread group.
fn load_thread_id(io: &mut Io<'_>) -> Val {
    let id = load_subgroup_id(io);
    if !is_split(io.w) {
        return id;
    }
    io.w.binary_bits(Spv::BitwiseAnd, id, u64::from(GROUP - 1))
}

/// Computes the mask of the thread group's invocations for which a scalar is true.
fn compute_ballot(io: &mut Io<'_>, truth: Val) -> Result<Val, Failure> {
    // The result of `OpGroupNonUniformBallot` is 128 bits in four words: invocations 0 to 31 are
    // the bits of x, the next 32 those of y.
    let masks = compute_subgroup_masks(io.w, truth)?;
    if !is_split(io.w) {
        return Ok(io.w.component(masks, 0));
    }
    // Bits 5 and up of the invocation number select the mask of its thread group in a larger
    // subgroup.
    let id = load_subgroup_id(io);
    let half = io.w.binary_bits(Spv::ShiftRightLogical, id, 5);
    let operands = [masks.id.0, half.id.0];
    let op = Spv::VectorExtractDynamic;
    Ok(io.w.op(op, Scalar::U32, 1, &operands))
}

/// Computes the mask of the thread group's active invocations.
fn compute_active_mask(io: &mut Io<'_>) -> Result<Val, Failure> {
    let yes = io.w.always();
    compute_ballot(io, yes)
}

/// Emits a test over the thread group; `to` is the representation of the boolean result.
fn emit_vote(io: &mut Io<'_>, op: Op, truth: Val, to: Scalar) -> Result<Val, Failure> {
    if is_split(io.w) {
        let (mask, active) = (compute_ballot(io, truth)?, compute_active_mask(io)?);
        return Ok(decide_vote(io.w, op, mask, active, to));
    }
    let scope = require_subgroups(io.w, Need::GroupVote, "votes")?;
    let operands = [scope, truth.id.0];
    let mut ask = |op| io.w.op(op, to, 1, &operands);
    if op == Op::GroupAll {
        return Ok(ask(Spv::GroupNonUniformAll));
    }
    let any = ask(Spv::GroupNonUniformAny);
    if op == Op::GroupAny {
        return Ok(any);
    }
    // NV_gpu_program5 section 2.X.8.Z, TGEQ: values are equal if all of them are zero or none is.
    let all = ask(Spv::GroupNonUniformAll);
    Ok(io.w.compare(Spv::LogicalEqual, to, all, any))
}

/// Computes whether the invocation that a shuffle selects is in range, and the invocation that it
/// reads: the selected one or, out of range, itself.
fn compute_shuffled_thread(io: &mut Io<'_>, op: Op, index: Val, control: Val) -> (Val, Val) {
    // Numbers of threads and ends of ranges have five bits. The third operand contains the clamp in
    // bits 0 to 4 and the segmentation mask in bits 8 to 12: NV_shader_thread_shuffle section
    // 2.X.8.Z.
    let last_id = io.w.constant_like(index, u64::from(GROUP - 1));
    let index = io.w.binary(Spv::BitwiseAnd, index, last_id);
    let limit = io.w.binary(Spv::BitwiseAnd, control, last_id);
    let segment = io.w.binary_bits(Spv::ShiftRightLogical, control, 8);
    let segment = io.w.binary(Spv::BitwiseAnd, segment, last_id);
    // Bits that are clear in the segmentation mask select a thread within a segment.
    let within = fold_not(io.w, segment);
    let id = load_thread_id(io);
    let start = io.w.binary(Spv::BitwiseAnd, id, segment);
    let reach = io.w.binary(Spv::BitwiseAnd, limit, within);
    let end = io.w.binary(Spv::BitwiseOr, start, reach);
    let ids = [id, index, start, within];
    // Compared as signed: below thread 0 the difference is negative.
    let (source, test) = compute_shuffle_source(io.w, op, ids);
    let in_range = io.w.test(test, source, end);
    (in_range, io.w.select(in_range, source, id))
}

/// Computes the number in the subgroup of an invocation of the same thread group.
fn compute_subgroup_number(io: &mut Io<'_>, thread: Val) -> Val {
    if !is_split(io.w) {
        return thread;
    }
    let id = load_subgroup_id(io);
    let mask = u64::from(!(GROUP - 1));
    let group = io.w.binary_bits(Spv::BitwiseAnd, id, mask);
    io.w.binary(Spv::BitwiseOr, group, thread)
}

/// Tests whether all fragments of the quad are active.
fn test_quad_is_active(io: &mut Io<'_>) -> Result<Val, Failure> {
    let active = compute_active_mask(io)?;
    let id = load_thread_id(io);
    // Invocations of a quad have four consecutive numbers; the first is a multiple of four.
    let mask = u64::from(GROUP - 4);
    let first = io.w.binary_bits(Spv::BitwiseAnd, id, mask);
    let quad = io.w.binary(Spv::ShiftRightLogical, active, first);
    // A bit for each of the four.
    let all = io.w.constant_like(quad, 15);
    let quad = io.w.binary(Spv::BitwiseAnd, quad, all);
    Ok(io.w.test(Spv::IEqual, quad, all))
}

/// Tests that the lanes of the first source are not zero, read with the type of the instruction.
fn test_not_zero(f: &mut FunctionEmitter<'_>, cx: InstCx<'_>) -> Result<Val, Failure> {
    let src = f.program.source(cx.inst, 0);
    if let Some(truth) = f.find_source_truth(src, cx.lanes)? {
        return Ok(truth);
    }
    let a = f.load_source(cx.inst, 0, cx.lanes)?;
    let ops = [Spv::FUnordNotEqual, Spv::INotEqual, Spv::INotEqual];
    Ok(f.w.compare_bits(by_base(cx.inst.ty, ops), a, 0))
}

/// Emits `GroupBallot`.
pub(in crate::emit) fn emit_ballot(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    let truth = test_not_zero(f, cx)?;
    map_lanes(f, truth, |f, truth| compute_ballot(&mut f.io(), truth))
}

/// Emits `GroupBallotWide`.
pub(in crate::emit) fn emit_ballot_wide(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Outcome, Failure> {
    let truth = test_not_zero(f, InstCx { lanes: 1, ..cx })?;
    let masks = compute_subgroup_masks(f.w, truth)?;
    let zero = Lane::scalar(f.w.uint(0));
    Ok(Outcome::Lanes([masks.lane(0), masks.lane(1), zero, zero]))
}

/// Emits `GroupAllEqual`.
pub(in crate::emit) fn emit_all_equal(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    let scope = require_subgroups(f.w, Need::GroupVote, "votes")?;
    let value = f.load_source(cx.inst, 0, cx.lanes)?;
    // As integers: floats of the same bits may be NaN.
    let bits = f.w.reread(value, Scalar::U32);
    map_lanes(f, bits, |f, lane| {
        let operands = [scope, lane.id.0];
        let op = Spv::GroupNonUniformAllEqual;
        Ok(f.w.op(op, Scalar::BoolInt, 1, &operands))
    })
}

/// Emits `GroupFirst`.
pub(in crate::emit) fn emit_group_first(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    // `OpGroupNonUniformBroadcastFirst` belongs to the capability of ballots.
    let scope = require_subgroups(f.w, Need::GroupBallot, "broadcasts")?;
    let value = f.load_source(cx.inst, 0, cx.lanes)?;
    let op = Spv::GroupNonUniformBroadcastFirst;
    Ok(f.w.op(op, value.scalar, value.size, &[scope, value.id.0]))
}

/// Emits `GroupRead`.
pub(in crate::emit) fn emit_group_read(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    let scope = require_subgroups(f.w, Need::GroupShuffle, "shuffles")?;
    let value = f.load_source(cx.inst, 0, cx.lanes)?;
    let index = f.load_source_as(f.program.source(cx.inst, 1), Type::U32, 1)?;
    let operands = [scope, value.id.0, index.id.0];
    let op = Spv::GroupNonUniformShuffle;
    Ok(f.w.op(op, value.scalar, value.size, &operands))
}

/// Emits `GroupAll`, `GroupAny` and `GroupEqual`.
pub(in crate::emit) fn emit_group_test(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    let truth = test_not_zero(f, cx)?;
    let op = cx.inst.op;
    let stands_for = truth_scalar(cx.inst.ty);
    map_lanes(f, truth, |f, truth| {
        emit_vote(&mut f.io(), op, truth, stands_for)
    })
}

/// Emits `ShuffleUp`, `ShuffleDown`, `ShuffleXor` and `ShuffleIndex`: NV_shader_thread_shuffle
/// section 2.X.8.Z. Ranges include their ends, otherwise the last invocation could never be read.
pub(in crate::emit) fn emit_shuffle(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Outcome, Failure> {
    let scope = require_subgroups(f.w, Need::GroupShuffle, "shuffles")?;
    let value = f.load_source(cx.inst, 0, 1)?;
    let [index, control] = [1, 2].map(|number| f.program.source(cx.inst, number));
    let index = f.load_source_as(index, Type::U32, 1)?;
    let control = f.load_source_as(control, Type::U32, 1)?;
    let (in_range, thread) = compute_shuffled_thread(&mut f.io(), cx.inst.op, index, control);
    let source = compute_subgroup_number(&mut f.io(), thread);
    let operands = [scope, value.id.0, source.id.0];
    let op = Spv::GroupNonUniformShuffle;
    let read = f.w.op(op, value.scalar, 1, &operands).lane(0);
    let predicate = convert_truth(f.w, in_range, cx.inst.ty).lane(0);
    let zero = Lane::scalar(f.w.constant(value.scalar, 0));
    Ok(Outcome::Lanes([predicate, read, zero, zero]))
}

/// Emits `Quad0` to `QuadY`: NV_shader_thread_group section 8.3.
pub(in crate::emit) fn emit_quad(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    let scope = require_subgroups(f.w, Need::GroupQuad, "quad operations")?;
    let [a, b] = f.load_two(cx)?;
    let (op, which) = quad_operation(cx.inst.op);
    let which = f.w.uint(which);
    let operands = [scope, a.id.0, which.0];
    let read = f.w.op(op, Scalar::F32, a.size, &operands);
    let sum = f.w.binary(Spv::FAdd, read, b);
    // Helper invocations complete quads that a primitive covers partly, so all of them are active
    // as long as control flow is uniform.
    if is_undivided(f) {
        return Ok(sum);
    }
    // NV_shader_thread_group section 8.3: if a fragment of the quad is inactive, the result is 0
    // for all of them.
    let complete = test_quad_is_active(&mut f.io())?;
    let zero = f.w.constant_like(sum, 0);
    Ok(f.w.select(complete, sum, zero))
}

/// Returns true if control flow cannot have diverged before this point.
fn is_undivided(f: &FunctionEmitter<'_>) -> bool {
    let kills = !f.w.device.demote_to_helper_invocation;
    let leaves = |node: &Node| matches!(node, Node::Return);
    let stops = |inst: &glasm_ir::Inst| kills && inst.op == Op::Demote;
    // Calls of functions other than the entry point may be in branches, and fragments that returned
    // or were killed are missing in their quads.
    f.in_entry
        && !f.w.is_in_branch()
        && !f.program.nodes.iter().any(leaves)
        && !f.program.insts.iter().any(stops)
}

/// Computes the masks of the subgroup's invocations for which a scalar is true.
fn compute_subgroup_masks(w: &mut ValueBuilder, truth: Val) -> Result<Val, Failure> {
    let scope = require_subgroups(w, Need::GroupBallot, "ballots")?;
    let (op, operands) = (Spv::GroupNonUniformBallot, [scope, truth.id.0]);
    Ok(w.op(op, Scalar::U32, 4, &operands))
}

/// Emits `Clock`.
pub(in crate::emit) fn emit_clock(w: &mut ValueBuilder) -> Result<Outcome, Failure> {
    w.require(Need::SubgroupClock)?;
    let scope = w.uint(Scope::Subgroup as u32);
    // As two words, which require no 64-bit integers.
    let time = w.op(Spv::ReadClockKHR, Scalar::U32, 2, &[scope.0]);
    let zero = Lane::scalar(w.uint(0));
    Ok(Outcome::Lanes([time.lane(0), time.lane(1), zero, zero]))
}

/// Maps the components individually.
fn map_lanes<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    val: Val,
    mut map: impl FnMut(&mut C, Val) -> Result<Val, Failure>,
) -> Result<Val, Failure> {
    let mut lanes = [Lane::UNDEFINED; 4];
    let mut scalar = val.scalar;
    let lanes = &mut lanes[..val.size as usize];
    for (index, lane) in lanes.iter_mut().enumerate() {
        let part = cx.as_mut().component(val, index);
        let mapped = map(cx, part)?;
        (scalar, *lane) = (mapped.scalar, mapped.lane(0));
    }
    Ok(cx.as_mut().gather(lanes, scalar))
}

/// Returns the scope operand, or an error if the stage has no subgroups or the device lacks the
/// required operations.
fn require_subgroups(w: &mut ModuleWriter, need: Need, what: &str) -> Result<u32, Failure> {
    let stage = w.stage();
    check_subgroups(&w.device, stage)
        .and_then(|()| w.require(need))
        .map_err(|error| {
            let name = stage.name();
            error.calling_it(&format!("subgroup {what} in {name} programs"))
        })?;
    w.needs.insert(Need::Group);
    Ok(w.uint(Scope::Subgroup as u32).0)
}

fn is_split(w: &ModuleWriter) -> bool {
    w.device.subgroups.size > GROUP
}

/// Computes the result of a test from the masks of the invocations for which the condition is true,
/// and of the active invocations.
fn decide_vote(w: &mut ValueBuilder, op: Op, mask: Val, active: Val, to: Scalar) -> Val {
    if op == Op::GroupAny {
        let zero = w.constant_like(mask, 0);
        return w.compare(Spv::INotEqual, to, mask, zero);
    }
    let all = w.compare(Spv::IEqual, to, mask, active);
    if op == Op::GroupAll {
        return all;
    }
    let zero = w.constant_like(mask, 0);
    let none = w.compare(Spv::IEqual, to, mask, zero);
    w.op(Spv::LogicalOr, to, 1, &[all.id.0, none.id.0])
}

/// Returns the invocation that a shuffle reads if it is in range, and the comparison with the end
/// of the range.
fn compute_shuffle_source(
    w: &mut ValueBuilder,
    op: Op,
    [id, index, start, within]: [Val; 4],
) -> (Val, Spv) {
    let source = if op == Op::ShuffleUp {
        return (w.binary(Spv::ISub, id, index), Spv::SGreaterThanEqual);
    } else if op == Op::ShuffleDown {
        w.binary(Spv::IAdd, id, index)
    } else if op == Op::ShuffleXor {
        w.binary(Spv::BitwiseXor, id, index)
    } else {
        let inside = w.binary(Spv::BitwiseAnd, index, within);
        w.binary(Spv::BitwiseOr, inside, start)
    };
    (source, Spv::SLessThanEqual)
}

fn fold_not(w: &mut ValueBuilder, val: Val) -> Val {
    match w.splat_bits(val) {
        Some(bits) => w.constant_like(val, !bits & 0xffff_ffff),
        None => w.unary(Spv::Not, val),
    }
}

/// Converts a boolean to a number of type `ty`.
fn convert_truth(w: &mut ValueBuilder, truth: Val, ty: Type) -> Val {
    let yes = if ty.is_float() {
        w.float_val(1.0)
    } else {
        w.uint_val(u32::MAX)
    };
    let no = w.constant_like(yes, 0);
    w.select(truth, yes, no)
}

/// Returns the operation that reads the value of another fragment of the quad, and its last
/// operand.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only operations on quads come here"
)]
fn quad_operation(op: Op) -> (Spv, u32) {
    match op {
        // Directions of `OpGroupNonUniformQuadSwap`: 0 is horizontal, 1 vertical, and 2, diagonal,
        // has no counterpart in NV_shader_thread_group.
        Op::QuadX => (Spv::GroupNonUniformQuadSwap, 0),
        Op::QuadY => (Spv::GroupNonUniformQuadSwap, 1),
        Op::Quad1 => (Spv::GroupNonUniformQuadBroadcast, 1),
        Op::Quad2 => (Spv::GroupNonUniformQuadBroadcast, 2),
        Op::Quad3 => (Spv::GroupNonUniformQuadBroadcast, 3),
        _ => (Spv::GroupNonUniformQuadBroadcast, 0),
    }
}
