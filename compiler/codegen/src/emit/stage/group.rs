//! Thread groups: Vulkan subgroups; subgroups with more than 32 invocations consist of two groups.

use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder, bool_scalar, select_by_base};
use crate::capability::{Requirement, check_subgroups};
use crate::emit::context::{FunctionEmitter, InstContext, OpResult};
use crate::error::Failure;
use crate::interface::Io;
use crate::interface::builtin::thread_id_builtin;
use glasm_ir::{Node, Op, Type};
use spirv::{Op as Spv, Scope};

/// Number of invocations of a thread group: its masks are words (NV_shader_thread_group section
/// 8.3).
const THREAD_GROUP_SIZE: u32 = 32;

/// Loads the number of the invocation within its SPIR-V subgroup.
fn load_subgroup_id(io: &mut Io<'_>) -> Val {
    let (_, id) = io.load_builtin_value(thread_id_builtin());
    io.builder.val(id)
}

/// Loads the number of the invocation within its thread group of 32, which may be half of a
/// subgroup of 64.
fn load_thread_id(io: &mut Io<'_>) -> Val {
    let id = load_subgroup_id(io);
    if !has_two_groups(io.builder) {
        return id;
    }
    io.builder
        .emit_binary_bits(Spv::BitwiseAnd, id, u64::from(THREAD_GROUP_SIZE - 1))
}

/// Computes the mask of the thread group's invocations for which a scalar is true. Returns an error
/// if the device lacks ballots in this stage.
fn compute_ballot(io: &mut Io<'_>, truth: Val) -> Result<Val, Failure> {
    // The result of `OpGroupNonUniformBallot` is 128 bits in four words: invocations 0 to 31 are
    // the bits of x, the next 32 those of y.
    let masks = compute_subgroup_masks(io.builder, truth)?;
    if !has_two_groups(io.builder) {
        return Ok(io.builder.extract_component(masks, 0));
    }
    // Bits 5 and up of the invocation number select the mask of its thread group in a larger
    // subgroup.
    let id = load_subgroup_id(io);
    let half = io.builder.emit_binary_bits(Spv::ShiftRightLogical, id, 5);
    let operands = [masks.id.0, half.id.0];
    let op = Spv::VectorExtractDynamic;
    Ok(io.builder.emit_op(op, Scalar::U32, 1, &operands))
}

/// Emits the mask of the active invocations of the thread group.
fn compute_active_mask(io: &mut Io<'_>) -> Result<Val, Failure> {
    let yes = io.builder.constant_true();
    compute_ballot(io, yes)
}

/// Emits a test of a scalar boolean over the thread group; `to` is the representation of the
/// boolean result. If a subgroup has two groups, it is computed from ballots. Returns an error if
/// the device lacks the operations.
fn emit_vote(io: &mut Io<'_>, op: Op, truth: Val, to: Scalar) -> Result<Val, Failure> {
    if has_two_groups(io.builder) {
        let (mask, active) = (compute_ballot(io, truth)?, compute_active_mask(io)?);
        return Ok(compute_vote(io.builder, op, mask, active, to));
    }
    let scope = require_subgroups(io.builder, Requirement::GroupVote, "votes")?;
    let operands = [scope, truth.id.0];
    let mut emit_test = |op| io.builder.emit_op(op, to, 1, &operands);
    if op == Op::GroupAll {
        return Ok(emit_test(Spv::GroupNonUniformAll));
    }
    let any = emit_test(Spv::GroupNonUniformAny);
    if op == Op::GroupAny {
        return Ok(any);
    }
    // NV_gpu_program5 section 2.X.8.Z, TGEQ: values are equal if all of them are zero or none is.
    let all = emit_test(Spv::GroupNonUniformAll);
    Ok(io.builder.emit_compare(Spv::LogicalEqual, to, all, any))
}

/// Computes whether the invocation that a shuffle selects is in range, and the invocation that it
/// reads, as a number in the thread group: the selected one or, out of range, itself. `control`
/// contains the clamp and the segmentation mask.
fn compute_shuffled_thread(io: &mut Io<'_>, op: Op, index: Val, control: Val) -> (Val, Val) {
    // Numbers of threads and ends of ranges have five bits. The third operand contains the clamp in
    // bits 0 to 4 and the segmentation mask in bits 8 to 12: NV_shader_thread_shuffle section
    // 2.X.8.Z.
    let last_id = io
        .builder
        .constant_like(index, u64::from(THREAD_GROUP_SIZE - 1));
    let index = io.builder.emit_binary(Spv::BitwiseAnd, index, last_id);
    let limit = io.builder.emit_binary(Spv::BitwiseAnd, control, last_id);
    let segment = io
        .builder
        .emit_binary_bits(Spv::ShiftRightLogical, control, 8);
    let segment = io.builder.emit_binary(Spv::BitwiseAnd, segment, last_id);
    // Bits that are clear in the segmentation mask select a thread within a segment.
    let within = emit_bitwise_not(io.builder, segment);
    let id = load_thread_id(io);
    let start = io.builder.emit_binary(Spv::BitwiseAnd, id, segment);
    let reach = io.builder.emit_binary(Spv::BitwiseAnd, limit, within);
    let end = io.builder.emit_binary(Spv::BitwiseOr, start, reach);
    let ids = [id, index, start, within];
    // Compared as signed: below thread 0 the difference is negative.
    let (source, test) = compute_shuffle_source(io.builder, op, ids);
    let in_range = io.builder.emit_test(test, source, end);
    (in_range, io.builder.emit_select(in_range, source, id))
}

/// Computes the number in the subgroup of an invocation of the same thread group.
fn compute_subgroup_number(io: &mut Io<'_>, thread: Val) -> Val {
    if !has_two_groups(io.builder) {
        return thread;
    }
    let id = load_subgroup_id(io);
    let mask = u64::from(!(THREAD_GROUP_SIZE - 1));
    let group = io.builder.emit_binary_bits(Spv::BitwiseAnd, id, mask);
    io.builder.emit_binary(Spv::BitwiseOr, group, thread)
}

/// Emits the test that all four fragments of the quad are active. Returns an error if the device
/// lacks ballots.
fn test_quad_is_active(io: &mut Io<'_>) -> Result<Val, Failure> {
    let active = compute_active_mask(io)?;
    let id = load_thread_id(io);
    // Invocations of a quad have four consecutive numbers; the first is a multiple of four.
    let mask = u64::from(THREAD_GROUP_SIZE - 4);
    let first = io.builder.emit_binary_bits(Spv::BitwiseAnd, id, mask);
    let quad = io
        .builder
        .emit_binary(Spv::ShiftRightLogical, active, first);
    // A bit for each of the four.
    let all = io.builder.constant_like(quad, 15);
    let quad = io.builder.emit_binary(Spv::BitwiseAnd, quad, all);
    Ok(io.builder.emit_test(Spv::IEqual, quad, all))
}

/// Tests that the lanes of the first source are not zero, read with the type of the instruction.
/// Returns a boolean of as many components as lanes are needed. A NaN is not zero.
fn test_not_zero(function: &mut FunctionEmitter<'_>, cx: InstContext<'_>) -> Result<Val, Failure> {
    let src = function.program.source(cx.inst, 0);
    if let Some(truth) = function.find_bool_source(src, cx.lanes)? {
        return Ok(truth);
    }
    let a = function.load_source(cx.inst, 0, cx.lanes)?;
    let ops = [Spv::FUnordNotEqual, Spv::INotEqual, Spv::INotEqual];
    Ok(function
        .builder
        .emit_compare_bits(select_by_base(cx.inst.ty, ops), a, 0))
}

/// Emits `GroupBallot`: the mask of the thread group's invocations whose source is not zero. The
/// mask is computed separately for each lane.
pub(in crate::emit) fn emit_ballot(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    let truth = test_not_zero(function, cx)?;
    map_lanes(function, truth, |f, truth| {
        compute_ballot(&mut f.io(), truth)
    })
}

/// Emits `GroupBallotWide`: the mask of the subgroup's invocations whose source lane x is not zero,
/// as two words in x and y; z and w are 0.
pub(in crate::emit) fn emit_ballot_wide(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<OpResult, Failure> {
    let truth = test_not_zero(function, InstContext { lanes: 1, ..cx })?;
    let masks = compute_subgroup_masks(function.builder, truth)?;
    let zero = Lane::scalar(function.builder.constant_u32(0));
    Ok(OpResult::Lanes([masks.lane(0), masks.lane(1), zero, zero]))
}

/// Emits `GroupAllEqual`: tests for each lane if it has the same bits in all active invocations.
/// Returns an error if the device lacks votes.
pub(in crate::emit) fn emit_all_equal(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    let scope = require_subgroups(function.builder, Requirement::GroupVote, "votes")?;
    let value = function.load_source(cx.inst, 0, cx.lanes)?;
    // As integers: floats of the same bits may be NaN.
    let bits = function.builder.cast_val(value, Scalar::U32);
    map_lanes(function, bits, |f, lane| {
        let operands = [scope, lane.id.0];
        let op = Spv::GroupNonUniformAllEqual;
        Ok(f.builder.emit_op(op, Scalar::BoolInt, 1, &operands))
    })
}

/// Emits `GroupFirst`: reads the value of the first active invocation of the subgroup. Returns an
/// error if the device lacks ballots.
pub(in crate::emit) fn emit_group_first(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    // `OpGroupNonUniformBroadcastFirst` belongs to the capability of ballots.
    let scope = require_subgroups(function.builder, Requirement::GroupBallot, "broadcasts")?;
    let value = function.load_source(cx.inst, 0, cx.lanes)?;
    let op = Spv::GroupNonUniformBroadcastFirst;
    Ok(function
        .builder
        .emit_op(op, value.scalar, value.size, &[scope, value.id.0]))
}

/// Emits `GroupRead`: the value of the subgroup's invocation whose number is in lane x of the
/// second source. Returns an error if the device lacks shuffles.
pub(in crate::emit) fn emit_group_read(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    let scope = require_subgroups(function.builder, Requirement::GroupShuffle, "shuffles")?;
    let value = function.load_source(cx.inst, 0, cx.lanes)?;
    let index = function.load_source_as(function.program.source(cx.inst, 1), Type::U32, 1)?;
    let operands = [scope, value.id.0, index.id.0];
    let op = Spv::GroupNonUniformShuffle;
    Ok(function
        .builder
        .emit_op(op, value.scalar, value.size, &operands))
}

/// Emits `GroupAll`, `GroupAny` and `GroupEqual`: tests over the conditions of all active
/// invocations, separately for each lane.
pub(in crate::emit) fn emit_group_test(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    let truth = test_not_zero(function, cx)?;
    let op = cx.inst.op;
    let result_scalar = bool_scalar(cx.inst.ty);
    map_lanes(function, truth, |f, truth| {
        emit_vote(&mut f.io(), op, truth, result_scalar)
    })
}

/// Emits `ShuffleUp`, `ShuffleDown`, `ShuffleXor` and `ShuffleIndex`: NV_shader_thread_shuffle
/// section 2.X.8.Z. Returns in x whether the selected invocation is in range, in y the value that
/// is read, and 0 in z and w. Ranges include their ends, otherwise the last invocation could never
/// be read.
pub(in crate::emit) fn emit_shuffle(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<OpResult, Failure> {
    let scope = require_subgroups(function.builder, Requirement::GroupShuffle, "shuffles")?;
    let value = function.load_source(cx.inst, 0, 1)?;
    let [index, control] = [1, 2].map(|number| function.program.source(cx.inst, number));
    let index = function.load_source_as(index, Type::U32, 1)?;
    let control = function.load_source_as(control, Type::U32, 1)?;
    let (in_range, thread) =
        compute_shuffled_thread(&mut function.io(), cx.inst.op, index, control);
    let source = compute_subgroup_number(&mut function.io(), thread);
    let operands = [scope, value.id.0, source.id.0];
    let op = Spv::GroupNonUniformShuffle;
    let read = function
        .builder
        .emit_op(op, value.scalar, 1, &operands)
        .lane(0);
    let predicate = convert_bool(function.builder, in_range, cx.inst.ty).lane(0);
    let zero = Lane::scalar(function.builder.constant(value.scalar, 0));
    Ok(OpResult::Lanes([predicate, read, zero, zero]))
}

/// Emits `Quad0` to `QuadY`: a value of another fragment of the quad plus the second operand; 0 if
/// a fragment of the quad is inactive. Fails if the device has no quad operations.
/// NV_shader_thread_group section 8.3.
pub(in crate::emit) fn emit_quad(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    let scope = require_subgroups(function.builder, Requirement::GroupQuad, "quad operations")?;
    let [a, b] = function.load_two_sources(cx)?;
    let (op, which) = find_quad_op(cx.inst.op);
    let which = function.builder.constant_u32(which);
    let operands = [scope, a.id.0, which.0];
    let read = function.builder.emit_op(op, Scalar::F32, a.size, &operands);
    let sum = function.builder.emit_binary(Spv::FAdd, read, b);
    // Helper invocations complete quads that a primitive covers partly, so all of them are active
    // as long as control flow is uniform.
    if is_control_flow_uniform(function) {
        return Ok(sum);
    }
    let complete = test_quad_is_active(&mut function.io())?;
    let zero = function.builder.constant_like(sum, 0);
    Ok(function.builder.emit_select(complete, sum, zero))
}

/// Returns true if control flow cannot have diverged before this point: in the entry point, outside
/// of branches, of a program that neither returns nor kills fragments early.
fn is_control_flow_uniform(function: &FunctionEmitter<'_>) -> bool {
    let kills = !function.builder.device.demote_to_helper_invocation;
    let leaves = |node: &Node| matches!(node, Node::Return);
    let stops = |inst: &glasm_ir::Inst| kills && inst.op == Op::Demote;
    // Calls of functions other than the entry point may be in branches, and fragments that returned
    // or were killed are missing in their quads.
    function.in_entry_point
        && !function.builder.is_in_branch()
        && !function.program.nodes.iter().any(leaves)
        && !function.program.insts.iter().any(stops)
}

/// Computes the masks of the subgroup's invocations for which a scalar is true, as a vector of four
/// words. Returns an error if the device lacks ballots.
fn compute_subgroup_masks(builder: &mut ValueBuilder, truth: Val) -> Result<Val, Failure> {
    let scope = require_subgroups(builder, Requirement::GroupBallot, "ballots")?;
    let (op, operands) = (Spv::GroupNonUniformBallot, [scope, truth.id.0]);
    Ok(builder.emit_op(op, Scalar::U32, 4, &operands))
}

/// Emits `Clock`: the time counter of the subgroup as two words in x and y; z and w are 0. Returns
/// an error if the device has none.
pub(in crate::emit) fn emit_clock(builder: &mut ValueBuilder) -> Result<OpResult, Failure> {
    builder.require(Requirement::SubgroupClock)?;
    let scope = builder.constant_u32(Scope::Subgroup as u32);
    // As two words, which require no 64-bit integers.
    let time = builder.emit_op(Spv::ReadClockKHR, Scalar::U32, 2, &[scope.0]);
    let zero = Lane::scalar(builder.constant_u32(0));
    Ok(OpResult::Lanes([time.lane(0), time.lane(1), zero, zero]))
}

/// Calls `map` for each component of a value and gathers the results, which must be scalars of one
/// type.
fn map_lanes<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    val: Val,
    mut map: impl FnMut(&mut C, Val) -> Result<Val, Failure>,
) -> Result<Val, Failure> {
    let mut lanes = [Lane::UNDEFINED; 4];
    let mut scalar = val.scalar;
    let lanes = &mut lanes[..val.size as usize];
    for (index, lane) in lanes.iter_mut().enumerate() {
        let part = cx.as_mut().extract_component(val, index);
        let mapped = map(cx, part)?;
        (scalar, *lane) = (mapped.scalar, mapped.lane(0));
    }
    Ok(cx.as_mut().gather(lanes, scalar))
}

/// Adds the requirement and that of subgroups, and returns the operand for the scope `Subgroup`.
/// Returns an error if the stage has no subgroups or the device lacks the required operations,
/// which `operations` names in the message.
fn require_subgroups(
    module: &mut ModuleWriter,
    requirement: Requirement,
    operations: &str,
) -> Result<u32, Failure> {
    let stage = module.stage();
    check_subgroups(&module.device, stage)
        .and_then(|()| module.require(requirement))
        .map_err(|error| {
            let name = stage.name();
            error.describing_feature(&format!("subgroup {operations} in {name} programs"))
        })?;
    module.requirements.insert(Requirement::Group);
    Ok(module.constant_u32(Scope::Subgroup as u32).0)
}

/// Returns true if a subgroup consists of two thread groups.
fn has_two_groups(module: &ModuleWriter) -> bool {
    module.device.subgroups.size > THREAD_GROUP_SIZE
}

/// Computes the result of a test from the masks of the invocations for which the condition is true,
/// and of the active invocations. Operations other than `GroupAny` and `GroupAll` test for
/// equality.
fn compute_vote(builder: &mut ValueBuilder, op: Op, mask: Val, active: Val, to: Scalar) -> Val {
    if op == Op::GroupAny {
        let zero = builder.constant_like(mask, 0);
        return builder.emit_compare(Spv::INotEqual, to, mask, zero);
    }
    let all = builder.emit_compare(Spv::IEqual, to, mask, active);
    if op == Op::GroupAll {
        return all;
    }
    let zero = builder.constant_like(mask, 0);
    let none = builder.emit_compare(Spv::IEqual, to, mask, zero);
    builder.emit_op(Spv::LogicalOr, to, 1, &[all.id.0, none.id.0])
}

/// Returns the invocation that a shuffle reads if it is in range, and the comparison with the end
/// of the range that must then be true.
fn compute_shuffle_source(
    builder: &mut ValueBuilder,
    op: Op,
    [id, index, start, within]: [Val; 4],
) -> (Val, Spv) {
    let source = if op == Op::ShuffleUp {
        return (
            builder.emit_binary(Spv::ISub, id, index),
            Spv::SGreaterThanEqual,
        );
    } else if op == Op::ShuffleDown {
        builder.emit_binary(Spv::IAdd, id, index)
    } else if op == Op::ShuffleXor {
        builder.emit_binary(Spv::BitwiseXor, id, index)
    } else {
        let inside = builder.emit_binary(Spv::BitwiseAnd, index, within);
        builder.emit_binary(Spv::BitwiseOr, inside, start)
    };
    (source, Spv::SLessThanEqual)
}

/// Emits the bitwise complement of a word, folded for constants.
fn emit_bitwise_not(builder: &mut ValueBuilder, val: Val) -> Val {
    match builder.splat_bits(val) {
        Some(bits) => builder.constant_like(val, !bits & 0xffff_ffff),
        None => builder.emit_unary(Spv::Not, val),
    }
}

/// Emits a boolean as a number of type `ty`: 1.0, or all ones for integers, and 0.
fn convert_bool(builder: &mut ValueBuilder, truth: Val, ty: Type) -> Val {
    let yes = if ty.is_float() {
        builder.constant_f32_val(1.0)
    } else {
        builder.constant_u32_val(u32::MAX)
    };
    let no = builder.constant_like(yes, 0);
    builder.emit_select(truth, yes, no)
}

/// Returns the operation that reads the value of another fragment of the quad, and its last
/// operand: the direction of a swap, or the number of the fragment.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only operations on quads come here"
)]
fn find_quad_op(op: Op) -> (Spv, u32) {
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
