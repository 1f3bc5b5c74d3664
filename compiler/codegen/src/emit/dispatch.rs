//! Instruction dispatch by operation.

use super::arithmetic::emit_comparison;
use super::arithmetic::int::{
    emit_bit_extract, emit_int_div, emit_int_mod, emit_mul_high, emit_shift,
};
use super::arithmetic::{
    emit_add, emit_float_div, emit_fma, emit_fract, emit_log2, emit_mad, emit_min_max, emit_mul,
    emit_pow, emit_reciprocal, emit_select_less, emit_sign, emit_sub,
};
use super::arithmetic::{round_fixed, round_half};
use super::context::{InstContext, OpResult};
use super::typed_sources::{
    emit_bit_insert_inst, emit_convert_inst, emit_dot_inst, emit_pack, emit_pack_halves,
    emit_pack64, emit_select_non_zero, emit_unpack, emit_unpack64, emit_wide_inst, is_pair_op,
    uses_float64,
};
use crate::builder::{
    Extreme, Lane, OverflowCarry, Scalar, Val, ValueBuilder, convert, float_narrowing, int,
};
use crate::capability::Requirement;
use crate::emit::const_eval::fold_constant_inst;
use crate::emit::context::FunctionEmitter;
use crate::emit::context::ProgramEmitter;
use crate::emit::memory::{emit_barrier, emit_memory_barrier};
use crate::emit::stage::fragment::{
    emit_demote, emit_derivative, emit_interlock, emit_interpolation, emit_is_helper,
};
use crate::emit::stage::group::{
    emit_all_equal, emit_ballot, emit_ballot_wide, emit_clock, emit_group_first, emit_group_read,
    emit_group_test, emit_quad, emit_shuffle,
};
use crate::error::{Error, Failure};
use crate::spirv_writer::ValueWord;
use glasm_ir::{Inst, InstData, InstFlags, Op, Saturate, Src, TexTarget};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl ProgramEmitter<'_> {
    /// Emits one instruction and writes its result, or nothing if none of its results is needed and
    /// it has no effect. Consumes the record of liveness in either case.
    pub(super) fn emit_inst(&mut self, inst: &Inst) -> Result<(), Failure> {
        // Every instruction consumes its record, even if nothing is emitted for it: records are in
        // the order of the tree. The low half contains the lanes of the result, the high half those
        // of the condition codes.
        let needed = self.liveness.pop_needed();
        let lanes = needed & 15 | needed >> 4;
        if lanes == 0 && !inst.op.info().effect {
            return Ok(());
        }
        self.function.record_line(inst.span);
        self.function.builder.flags = inst.flags;
        if !fold_constant_inst(&mut self.function, inst, needed)? {
            self.emit_and_write(InstContext { inst, lanes }, needed)?;
        }
        self.function.builder.flags = InstFlags::empty();
        Ok(())
    }

    /// Computes an instruction and writes its result, condition codes and flags. `needed` has the
    /// lanes of the result in the low and those of the condition codes in the high four bits.
    /// Returns an error if the device lacks 64-bit floats that the instruction uses.
    fn emit_and_write(&mut self, cx: InstContext<'_>, needed: u8) -> Result<(), Failure> {
        let inst = cx.inst;
        if !self.function.builder.device.float64
            && uses_float64(self.function.program, inst, needed >> 4)
        {
            return Err(Error::missing_feature("shaderFloat64"));
        }
        let outcome = self.emit_operation(cx)?;
        if self.function.write_result_fast(inst, needed, &outcome) {
            return Ok(());
        }
        // Hardly any program reads them, and they require several instructions.
        let flags = if needed >> 4 != 0 && self.function.analysis.reads_overflow {
            compute_flags(&mut self.function, cx, outcome)?
        } else {
            None
        };
        self.function.write_result(inst, needed, outcome, flags)
    }

    /// Computes the operation of an instruction without writing the result. Returns an error for
    /// missing features and unsupported operands.
    #[expect(clippy::too_many_lines, reason = "one line per operation")]
    fn emit_operation(&mut self, cx: InstContext<'_>) -> Result<OpResult, Failure> {
        // SPIR-V operations have no operand type for such lanes.
        if self.function.builder.wide_int_scalar() == Scalar::Pair
            && is_pair_op(self.function.program, cx.inst)
        {
            return emit_wide_inst(&mut self.function, cx);
        }
        let f = &mut self.function;
        let val = match cx.inst.op {
            Op::Mov => return emit_mov(f, cx),
            Op::Add => emit_binary_inst(f, cx, emit_add)?,
            Op::Sub => emit_binary_inst(f, cx, emit_sub)?,
            Op::Mul => emit_binary_inst(f, cx, emit_mul)?,
            Op::MulHi => {
                emit_binary_inst(f, cx, |builder, ab| emit_mul_high(builder, cx.inst.ty, ab))?
            }
            Op::Mad => emit_ternary_inst(f, cx, emit_mad)?,
            Op::Fma => emit_ternary_inst(f, cx, |builder, abc| emit_fma(builder, cx.inst.ty, abc))?,
            Op::Div if cx.inst.ty.is_float() => emit_binary_inst(f, cx, emit_float_div)?,
            Op::Div => {
                emit_binary_inst(f, cx, |builder, ab| emit_int_div(builder, cx.inst.ty, ab))?
            }
            Op::Mod => {
                emit_binary_inst(f, cx, |builder, ab| emit_int_mod(builder, cx.inst.ty, ab))?
            }
            Op::Min => emit_binary_inst(f, cx, |builder, ab| {
                emit_min_max(builder, cx.inst.ty, Extreme::Min, ab)
            })?,
            Op::Max => emit_binary_inst(f, cx, |builder, ab| {
                emit_min_max(builder, cx.inst.ty, Extreme::Max, ab)
            })?,
            Op::NMin => emit_ext_inst::<2>(f, cx, GlslOp::NMin)?,
            Op::NMax => emit_ext_inst::<2>(f, cx, GlslOp::NMax)?,
            Op::Floor => emit_ext_inst::<1>(f, cx, GlslOp::Floor)?,
            Op::Ceil => emit_ext_inst::<1>(f, cx, GlslOp::Ceil)?,
            Op::Trunc => emit_unary_inst(f, cx, convert::round_toward_zero)?,
            Op::Round => emit_unary_inst(f, cx, convert::round_to_even)?,
            Op::RoundHalf => emit_unary_inst(f, cx, round_half)?,
            Op::RoundFixed => emit_unary_inst(f, cx, round_fixed)?,
            Op::Fract => emit_unary_inst(f, cx, |builder, a| emit_fract(builder, cx.inst.ty, a))?,
            Op::Sign => emit_unary_inst(f, cx, |builder, a| emit_sign(builder, cx.inst.ty, a))?,
            Op::Rcp => emit_unary_inst(f, cx, emit_reciprocal)?,
            Op::Rsq => emit_ext_inst::<1>(f, cx, GlslOp::InverseSqrt)?,
            Op::Sqrt => emit_ext_inst::<1>(f, cx, GlslOp::Sqrt)?,
            Op::Exp2 => emit_ext_inst::<1>(f, cx, GlslOp::Exp2)?,
            Op::Log2 => emit_unary_inst(f, cx, emit_log2)?,
            Op::Pow => emit_binary_inst(f, cx, emit_pow)?,
            Op::Sin => emit_ext_inst::<1>(f, cx, GlslOp::Sin)?,
            Op::Cos => emit_ext_inst::<1>(f, cx, GlslOp::Cos)?,
            Op::And => emit_binary_inst(f, cx, |builder, [a, b]| {
                builder.emit_binary(Spv::BitwiseAnd, a, b)
            })?,
            Op::Or => emit_binary_inst(f, cx, |builder, [a, b]| {
                builder.emit_binary(Spv::BitwiseOr, a, b)
            })?,
            Op::Xor => emit_binary_inst(f, cx, |builder, [a, b]| {
                builder.emit_binary(Spv::BitwiseXor, a, b)
            })?,
            Op::Not => emit_unary_inst(f, cx, |builder, a| builder.emit_unary(Spv::Not, a))?,
            Op::Shl => emit_binary_inst(f, cx, |builder, ab| {
                emit_shift(builder, cx.inst.ty, Spv::ShiftLeftLogical, ab)
            })?,
            Op::Shr if cx.inst.ty.is_signed_int() => emit_binary_inst(f, cx, |builder, ab| {
                emit_shift(builder, cx.inst.ty, Spv::ShiftRightArithmetic, ab)
            })?,
            Op::Shr => emit_binary_inst(f, cx, |builder, ab| {
                emit_shift(builder, cx.inst.ty, Spv::ShiftRightLogical, ab)
            })?,
            Op::BitExtract => emit_ternary_inst(f, cx, |builder, abc| {
                emit_bit_extract(builder, cx.inst.ty, abc)
            })?,
            Op::BitInsert => emit_bit_insert_inst(f, cx)?,
            Op::BitReverse => {
                emit_unary_inst(f, cx, |builder, a| builder.emit_unary(Spv::BitReverse, a))?
            }
            Op::BitCount => {
                emit_unary_inst(f, cx, |builder, a| builder.emit_unary(Spv::BitCount, a))?
            }
            Op::FindLsb => emit_ext_inst::<1>(f, cx, GlslOp::FindILsb)?,
            Op::FindMsb if cx.inst.ty.is_signed_int() => {
                emit_ext_inst::<1>(f, cx, GlslOp::FindSMsb)?
            }
            Op::FindMsb => emit_ext_inst::<1>(f, cx, GlslOp::FindUMsb)?,
            Op::SetEq | Op::SetNe | Op::SetLt | Op::SetLe | Op::SetGt | Op::SetGe => {
                let op = cx.inst.op;
                emit_binary_inst(f, cx, |builder, ab| {
                    emit_comparison(builder, cx.inst.ty, op, ab)
                })?
            }
            Op::SelLt => emit_ternary_inst(f, cx, |builder, abc| {
                emit_select_less(builder, cx.inst.ty, abc)
            })?,
            Op::SelNz => emit_select_non_zero(f, cx)?,
            Op::Dp2 => emit_dot_inst(f, cx, 0b0011)?,
            Op::Dp3 => emit_dot_inst(f, cx, 0b0111)?,
            Op::Dp4 => emit_dot_inst(f, cx, 0b1111)?,
            Op::Cvt => emit_convert_inst(f, cx)?,
            Op::PackHalf2 => emit_pack_halves(f, cx)?,
            Op::PackUnorm2 => emit_pack(f, cx, GlslOp::PackUnorm2x16, 0b0011)?,
            Op::PackUnorm4 => emit_pack(f, cx, GlslOp::PackUnorm4x8, 0b1111)?,
            Op::UnpackHalf2 => return emit_unpack(f, cx, GlslOp::UnpackHalf2x16, 2),
            Op::UnpackUnorm2 => return emit_unpack(f, cx, GlslOp::UnpackUnorm2x16, 2),
            Op::UnpackUnorm4 => return emit_unpack(f, cx, GlslOp::UnpackUnorm4x8, 4),
            Op::Pack64 => return emit_pack64(f, cx),
            Op::Unpack64 => return emit_unpack64(f, cx),
            Op::Ddx => emit_derivative(f, cx, Spv::DPdx)?,
            Op::Ddy => emit_derivative(f, cx, Spv::DPdy)?,
            Op::DdxFine => emit_derivative(f, cx, Spv::DPdxFine)?,
            Op::DdyFine => emit_derivative(f, cx, Spv::DPdyFine)?,
            Op::DdxCoarse => emit_derivative(f, cx, Spv::DPdxCoarse)?,
            Op::DdyCoarse => emit_derivative(f, cx, Spv::DPdyCoarse)?,
            Op::InterpCentroid | Op::InterpOffset | Op::InterpSample => emit_interpolation(f, cx)?,
            Op::GroupAll | Op::GroupAny | Op::GroupEqual => emit_group_test(f, cx)?,
            Op::GroupBallot => emit_ballot(f, cx)?,
            Op::GroupAllEqual => emit_all_equal(f, cx)?,
            Op::GroupBallotWide => return emit_ballot_wide(f, cx),
            Op::GroupFirst => emit_group_first(f, cx)?,
            Op::GroupRead => emit_group_read(f, cx)?,
            Op::ShuffleUp | Op::ShuffleDown | Op::ShuffleXor | Op::ShuffleIndex => {
                return emit_shuffle(f, cx);
            }
            Op::Quad0 | Op::Quad1 | Op::Quad2 | Op::Quad3 | Op::QuadX | Op::QuadY => {
                emit_quad(f, cx)?
            }
            Op::Tex => return self.textures().emit_texture(cx),
            Op::Resident => return self.emit_resident(cx),
            Op::Load => return self.buffers().emit_load(cx),
            Op::Store => return self.buffers().emit_store(cx),
            Op::Atomic => return self.buffers().emit_atomic(cx),
            Op::ImageLoad => return self.images().emit_image_load(cx),
            Op::ImageStore => return self.images().emit_image_store(cx),
            Op::ImageAtomic => return self.images().emit_image_atomic(cx),
            Op::ImageSize | Op::ImageSamples => return self.images().emit_image_query(cx),
            Op::BufferSize => return self.buffers().emit_buffer_size(cx),
            Op::MemoryBarrier => return emit_memory_barrier(self.function.builder),
            Op::Barrier => return emit_barrier(self.function.builder),
            Op::IsHelper => emit_is_helper(&mut self.function)?,
            Op::Clock => return emit_clock(self.function.builder),
            Op::Demote => return emit_demote(self.function.builder),
            Op::InterlockBegin => {
                return Ok(emit_interlock(
                    &mut self.function,
                    Spv::BeginInvocationInterlockEXT,
                ));
            }
            Op::InterlockEnd => {
                return Ok(emit_interlock(
                    &mut self.function,
                    Spv::EndInvocationInterlockEXT,
                ));
            }
            Op::EmitVertex => return self.primitives().emit_vertex(cx),
            Op::EndPrimitive => return Ok(self.primitives().end_primitive()),
        };
        // Operands were flushed when they were read; the result may be a denormal of normal
        // numbers.
        if self.function.should_flush_denormals(cx.inst) {
            return Ok(OpResult::Val(float_narrowing::flush_denormals(
                self.function.builder,
                val,
            )));
        }
        Ok(OpResult::Val(val))
    }

    /// Emits the operation `Resident`: a boolean that is true if all texels that the access reads
    /// are populated. It is always true for targets that are never sparse and for devices without
    /// sparse textures.
    fn emit_resident(&mut self, cx: InstContext<'_>) -> Result<OpResult, Failure> {
        let program = self.function.program;
        let target = match cx.inst.data {
            InstData::Tex(id) => program.textures[program.tex_accesses[id].texture].target,
            InstData::Image(id) => program.images[program.image_accesses[id].image].target,
            InstData::None | InstData::Cvt { .. } | InstData::Mem(_) => {
                return Err(Error::unsupported("residency without access data"));
            }
        };
        // EXT_sparse_texture2 has no functions for one-dimensional textures and excludes buffer
        // textures (issue 9). Vulkan has no sparse images of one dimension
        // (VUID-VkImageCreateInfo-imageType-00970).
        let never_sparse = matches!(
            target,
            TexTarget::D1 | TexTarget::D1Array | TexTarget::Buffer
        );
        if never_sparse || !self.function.builder.device.resource_residency {
            return Ok(OpResult::Val(self.function.builder.constant_true()));
        }
        self.function
            .builder
            .requirements
            .insert(Requirement::SparseResidency);
        let resident = match cx.inst.data {
            InstData::Tex(id) => self.textures().emit_texture_residency(cx, id)?,
            InstData::None | InstData::Cvt { .. } | InstData::Mem(_) | InstData::Image(_) => {
                self.images().emit_image_residency(cx)?
            }
        };
        Ok(OpResult::Val(resident))
    }
}

/// Loads the first `N` sources of an instruction and emits the GLSL.std.450 instruction `op` for
/// them.
fn emit_ext_inst<const N: usize>(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    op: GlslOp,
) -> Result<Val, Failure> {
    let mut args = [Val::new(ValueWord::NONE, Scalar::F32, 1); N];
    for (number, arg) in args.iter_mut().enumerate() {
        *arg = function.load_source(cx.inst, number, cx.lanes)?;
    }
    Ok(function.builder.emit_ext(op, &args))
}

/// Emits `Mov`: the result lanes refer to the values of the source lanes without an instruction,
/// unless a modifier or a clamp changes the number. Undefined source lanes are 0.
#[inline(always)]
fn emit_mov(function: &mut FunctionEmitter<'_>, cx: InstContext<'_>) -> Result<OpResult, Failure> {
    let program = function.program;
    let src = &program.srcs[cx.inst.first_source as usize];
    let clamps = cx
        .inst
        .dst
        .is_some_and(|dst| dst.saturate != Saturate::None);
    // The result is then a different number, which requires an instruction.
    if src.has_modifier() || clamps && cx.inst.ty.is_float() {
        return Ok(OpResult::Val(function.load_source(cx.inst, 0, cx.lanes)?));
    }
    // Bits are unchanged, so that programs may store integers, halves and NaNs of any payload in
    // float registers.
    let scalar = function.builder.copy_scalar(cx.inst.ty);
    let mut from = [Lane::UNDEFINED; 4];
    function.load_source_lanes(src, scalar, cx.lanes, &mut from)?;
    let mut lanes = [Lane::UNDEFINED; 4];
    for (lane, value) in glasm_ir::WriteMask(cx.lanes).lanes().zip(from) {
        lanes[lane] = if value.is_some() {
            value
        } else {
            Lane::scalar(function.builder.constant(scalar, 0))
        };
    }
    Ok(OpResult::Lanes(lanes))
}

/// Computes overflow and carry of integer addition and subtraction. Returns `None` for other
/// operations and floats, and for flags that are undefined.
fn compute_flags(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    outcome: OpResult,
) -> Result<Option<OverflowCarry>, Failure> {
    if cx.inst.ty.is_float() || !cx.inst.op.has_carry() {
        return Ok(None);
    }
    let values = match outcome {
        OpResult::Val(result) => return compute_lane_flags(function, cx, result),
        OpResult::Lanes(values) => values,
        OpResult::None => return Ok(None),
    };
    // Pairs of words are processed lane by lane.
    let mut found = [[Lane::UNDEFINED; 4]; 2];
    let mut count = 0;
    for lane in glasm_ir::WriteMask(cx.lanes).lanes() {
        let result = function.builder.val(values[lane].id());
        let lane = InstContext {
            lanes: 1 << lane,
            ..cx
        };
        // The same for all lanes: it depends on the negations.
        let Some(flags) = compute_lane_flags(function, lane, result)? else {
            return Ok(None);
        };
        found[0][count] = flags.overflow.lane(0);
        found[1][count] = flags.carry.lane(0);
        count += 1;
    }
    let [overflow, carry] =
        found.map(|lanes| function.builder.gather(&lanes[..count], Scalar::BoolInt));
    Ok(Some(OverflowCarry { overflow, carry }))
}

/// Computes overflow and carry of a sum or difference with the value `result` by NV_gpu_program4
/// section 2.X.4.3. Loads the sources again; returns `None` where the section leaves the flags
/// undefined.
fn compute_lane_flags(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    result: Val,
) -> Result<Option<OverflowCarry>, Failure> {
    let program = function.program;
    let sources = program.sources(cx.inst);
    let negated = |number: usize| sources[number].negate;
    // NV_gpu_program4 section 2.X.4.3: negation turns an addition into a subtraction and vice
    // versa. These are the summands without their negations, and whether each is subtracted.
    let (x, y, x_negated, y_negated) = if cx.inst.op == Op::Mad {
        let [a, b] = function.load_two_sources(cx)?;
        // Emitted again, because only the sum of the operation was returned.
        let product = int::compute_product(function.builder, a, b);
        (product, load_addend(function, cx, 2)?, false, negated(2))
    } else {
        let subtracts = cx.inst.op == Op::Sub;
        let (x, y) = (load_addend(function, cx, 0)?, load_addend(function, cx, 1)?);
        (x, y, negated(0), negated(1) != subtracts)
    };
    Ok(match (x_negated, y_negated) {
        (false, false) => Some(int::compute_add_flags(function.builder, x, y, result)),
        (false, true) => Some(int::compute_sub_flags(function.builder, x, y, result)),
        (true, false) => Some(int::compute_sub_flags(function.builder, y, x, result)),
        // Undefined by the same section.
        (true, true) => None,
    })
}

/// Loads source `number` without its negation, which the caller applies to the sum.
fn load_addend(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    number: usize,
) -> Result<Val, Failure> {
    let src = Src {
        negate: false,
        ..function.program.sources(cx.inst)[number]
    };
    function.load_source_as(&src, cx.inst.ty, cx.lanes)
}

/// Loads the source of an instruction and emits `op` for it.
fn emit_unary_inst(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    op: impl FnOnce(&mut ValueBuilder, Val) -> Val,
) -> Result<Val, Failure> {
    let a = function.load_source(cx.inst, 0, cx.lanes)?;
    Ok(op(function.builder, a))
}

/// Loads the two sources of an instruction and emits `op` for them.
fn emit_binary_inst(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    op: impl FnOnce(&mut ValueBuilder, [Val; 2]) -> Val,
) -> Result<Val, Failure> {
    let operands = function.load_two_sources(cx)?;
    Ok(op(function.builder, operands))
}

/// Loads the three sources of an instruction and emits `op` for them.
fn emit_ternary_inst(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    op: impl FnOnce(&mut ValueBuilder, [Val; 3]) -> Val,
) -> Result<Val, Failure> {
    let operands = function.load_three_sources(cx)?;
    Ok(op(function.builder, operands))
}
