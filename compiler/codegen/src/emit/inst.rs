//! Instruction dispatch by operation.

use super::arithmetic::convert::{round_fixed, round_half};
use super::arithmetic::emit_comparison;
use super::arithmetic::int::{
    emit_bit_extract, emit_int_div, emit_int_mod, emit_mul_high, emit_shift,
};
use super::arithmetic::{
    emit_add, emit_float_div, emit_fma, emit_fract, emit_log2, emit_mad, emit_min_max, emit_mul,
    emit_pow, emit_reciprocal, emit_sign, emit_sub, select_less,
};
use super::cx::{InstCx, Outcome};
use super::typed_sources::{
    emit_bit_insert_inst, emit_convert_inst, emit_dot_inst, emit_pack, emit_pack_halves,
    emit_pack64, emit_select_non_zero, emit_unpack, emit_unpack64, emit_wide_inst, is_pair_op,
    uses_float64,
};
use crate::builder::{Extreme, Flags, Lane, Scalar, Val, ValueBuilder, convert, int, precision};
use crate::capability::Need;
use crate::emit::constant::fold_constant_inst;
use crate::emit::cx::FunctionEmitter;
use crate::emit::memory::{emit_barrier, emit_memory_barrier};
use crate::emit::program::ProgramEmitter;
use crate::emit::stage::fragment::{
    emit_demote, emit_derivative, emit_interlock, emit_interpolation, emit_is_helper,
};
use crate::emit::stage::group::{
    emit_all_equal, emit_ballot, emit_ballot_wide, emit_clock, emit_group_first, emit_group_read,
    emit_group_test, emit_quad, emit_shuffle,
};
use crate::error::{Error, Failure};
use crate::words::ValueWord;
use glasm_ir::{Aux, Inst, InstFlags, Op, Saturate, Src, TexTarget};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl ProgramEmitter<'_> {
    /// Emits one instruction, or nothing if none of its results is needed.
    pub(super) fn emit_inst(&mut self, inst: &Inst) -> Result<(), Failure> {
        // Every instruction consumes its record, even if nothing is emitted for it: records are in
        // the order of the tree. The low half contains the lanes of the result, the high half those
        // of the condition codes.
        let needed = self.live.next_needed();
        let lanes = needed & 15 | needed >> 4;
        if lanes == 0 && !inst.op.info().effect {
            return Ok(());
        }
        self.f.note_line(inst.span);
        self.f.w.flags = inst.flags;
        if !fold_constant_inst(&mut self.f, inst, needed)? {
            self.compute_and_write(InstCx { inst, lanes }, needed)?;
        }
        self.f.w.flags = InstFlags::empty();
        Ok(())
    }

    #[inline]
    fn compute_and_write(&mut self, cx: InstCx<'_>, needed: u8) -> Result<(), Failure> {
        let inst = cx.inst;
        if !self.f.w.device.float64 && uses_float64(self.f.program, inst, needed >> 4) {
            return Err(Error::missing_feature("shaderFloat64"));
        }
        let outcome = self.compute(cx)?;
        if self.f.write_direct(inst, needed, &outcome) {
            return Ok(());
        }
        // Hardly any program reads them, and they require several instructions.
        let flags = if needed >> 4 != 0 && self.f.analysis.reads_overflow {
            compute_flags(&mut self.f, cx, outcome)?
        } else {
            None
        };
        self.f.write_result(inst, needed, outcome, flags)
    }

    #[expect(clippy::too_many_lines, reason = "one line per operation")]
    fn compute(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        // SPIR-V operations have no operand type for such lanes.
        if self.f.w.wide_int() == Scalar::Pair && is_pair_op(self.f.program, cx.inst) {
            return emit_wide_inst(&mut self.f, cx);
        }
        let f = &mut self.f;
        let val = match cx.inst.op {
            Op::Mov => return emit_mov(f, cx),
            Op::Add => apply_two(f, cx, emit_add)?,
            Op::Sub => apply_two(f, cx, emit_sub)?,
            Op::Mul => apply_two(f, cx, emit_mul)?,
            Op::MulHi => apply_two(f, cx, |w, ab| emit_mul_high(w, cx.inst.ty, ab))?,
            Op::Mad => apply_three(f, cx, emit_mad)?,
            Op::Fma => apply_three(f, cx, |w, abc| emit_fma(w, cx.inst.ty, abc))?,
            Op::Div if cx.inst.ty.is_float() => apply_two(f, cx, emit_float_div)?,
            Op::Div => apply_two(f, cx, |w, ab| emit_int_div(w, cx.inst.ty, ab))?,
            Op::Mod => apply_two(f, cx, |w, ab| emit_int_mod(w, cx.inst.ty, ab))?,
            Op::Min => apply_two(f, cx, |w, ab| emit_min_max(w, cx.inst.ty, Extreme::Min, ab))?,
            Op::Max => apply_two(f, cx, |w, ab| emit_min_max(w, cx.inst.ty, Extreme::Max, ab))?,
            Op::NMin => apply_ext::<2>(f, cx, GlslOp::NMin)?,
            Op::NMax => apply_ext::<2>(f, cx, GlslOp::NMax)?,
            Op::Floor => apply_ext::<1>(f, cx, GlslOp::Floor)?,
            Op::Ceil => apply_ext::<1>(f, cx, GlslOp::Ceil)?,
            Op::Trunc => apply_one(f, cx, convert::round_toward_zero)?,
            Op::Round => apply_one(f, cx, convert::round_to_even)?,
            Op::RoundHalf => apply_one(f, cx, round_half)?,
            Op::RoundFixed => apply_one(f, cx, round_fixed)?,
            Op::Fract => apply_one(f, cx, |w, a| emit_fract(w, cx.inst.ty, a))?,
            Op::Sign => apply_one(f, cx, |w, a| emit_sign(w, cx.inst.ty, a))?,
            Op::Rcp => apply_one(f, cx, emit_reciprocal)?,
            Op::Rsq => apply_ext::<1>(f, cx, GlslOp::InverseSqrt)?,
            Op::Sqrt => apply_ext::<1>(f, cx, GlslOp::Sqrt)?,
            Op::Exp2 => apply_ext::<1>(f, cx, GlslOp::Exp2)?,
            Op::Log2 => apply_one(f, cx, emit_log2)?,
            Op::Pow => apply_two(f, cx, emit_pow)?,
            Op::Sin => apply_ext::<1>(f, cx, GlslOp::Sin)?,
            Op::Cos => apply_ext::<1>(f, cx, GlslOp::Cos)?,
            Op::And => apply_two(f, cx, |w, [a, b]| w.binary(Spv::BitwiseAnd, a, b))?,
            Op::Or => apply_two(f, cx, |w, [a, b]| w.binary(Spv::BitwiseOr, a, b))?,
            Op::Xor => apply_two(f, cx, |w, [a, b]| w.binary(Spv::BitwiseXor, a, b))?,
            Op::Not => apply_one(f, cx, |w, a| w.unary(Spv::Not, a))?,
            Op::Shl => apply_two(f, cx, |w, ab| {
                emit_shift(w, cx.inst.ty, Spv::ShiftLeftLogical, ab)
            })?,
            Op::Shr if cx.inst.ty.is_signed_int() => apply_two(f, cx, |w, ab| {
                emit_shift(w, cx.inst.ty, Spv::ShiftRightArithmetic, ab)
            })?,
            Op::Shr => apply_two(f, cx, |w, ab| {
                emit_shift(w, cx.inst.ty, Spv::ShiftRightLogical, ab)
            })?,
            Op::BitExtract => apply_three(f, cx, |w, abc| emit_bit_extract(w, cx.inst.ty, abc))?,
            Op::BitInsert => emit_bit_insert_inst(f, cx)?,
            Op::BitReverse => apply_one(f, cx, |w, a| w.unary(Spv::BitReverse, a))?,
            Op::BitCount => apply_one(f, cx, |w, a| w.unary(Spv::BitCount, a))?,
            Op::FindLsb => apply_ext::<1>(f, cx, GlslOp::FindILsb)?,
            Op::FindMsb if cx.inst.ty.is_signed_int() => apply_ext::<1>(f, cx, GlslOp::FindSMsb)?,
            Op::FindMsb => apply_ext::<1>(f, cx, GlslOp::FindUMsb)?,
            Op::SetEq | Op::SetNe | Op::SetLt | Op::SetLe | Op::SetGt | Op::SetGe => {
                let op = cx.inst.op;
                apply_two(f, cx, |w, ab| emit_comparison(w, cx.inst.ty, op, ab))?
            }
            Op::SelLt => apply_three(f, cx, |w, abc| select_less(w, cx.inst.ty, abc))?,
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
            Op::MemoryBarrier => return emit_memory_barrier(self.f.w),
            Op::Barrier => return emit_barrier(self.f.w),
            Op::IsHelper => emit_is_helper(&mut self.f)?,
            Op::Clock => return emit_clock(self.f.w),
            Op::Demote => return emit_demote(self.f.w),
            Op::InterlockBegin => {
                return Ok(emit_interlock(
                    &mut self.f,
                    Spv::BeginInvocationInterlockEXT,
                ));
            }
            Op::InterlockEnd => {
                return Ok(emit_interlock(&mut self.f, Spv::EndInvocationInterlockEXT));
            }
            Op::EmitVertex => return self.primitives().emit_vertex(cx),
            Op::EndPrimitive => return Ok(self.primitives().end_primitive()),
        };
        // Operands were flushed when they were read; the result may be a denormal of normal
        // numbers.
        if self.f.should_flush(cx.inst) {
            return Ok(Outcome::Val(precision::flush_denormals(self.f.w, val)));
        }
        Ok(Outcome::Val(val))
    }

    /// Emits `Resident`.
    fn emit_resident(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let program = self.f.program;
        let target = match cx.inst.aux {
            Aux::Tex(id) => program.textures[program.tex_accesses[id].texture].target,
            Aux::Image(id) => program.images[program.image_accesses[id].image].target,
            Aux::None | Aux::Cvt { .. } | Aux::Mem(_) => {
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
        if never_sparse || !self.f.w.device.resource_residency {
            return Ok(Outcome::Val(self.f.w.always()));
        }
        self.f.w.needs.insert(Need::SparseResidency);
        let resident = match cx.inst.aux {
            Aux::Tex(id) => self.textures().emit_texture_residency(cx, id)?,
            Aux::None | Aux::Cvt { .. } | Aux::Mem(_) | Aux::Image(_) => {
                self.images().emit_image_residency(cx)?
            }
        };
        Ok(Outcome::Val(resident))
    }
}

fn apply_ext<const N: usize>(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    op: GlslOp,
) -> Result<Val, Failure> {
    let mut args = [Val::new(ValueWord::NONE, Scalar::F32, 1); N];
    for (number, arg) in args.iter_mut().enumerate() {
        *arg = f.load_source(cx.inst, number, cx.lanes)?;
    }
    Ok(f.w.ext(op, &args))
}

/// Emits a copy: no instruction, the result lanes refer to the values of the source lanes.
#[inline(always)]
fn emit_mov(f: &mut FunctionEmitter<'_>, cx: InstCx<'_>) -> Result<Outcome, Failure> {
    let program = f.program;
    let src = &program.srcs[cx.inst.first_source as usize];
    let clamps = cx
        .inst
        .dst
        .is_some_and(|dst| dst.saturate != Saturate::None);
    // The result is then a different number, which requires an instruction.
    if src.has_modifier() || clamps && cx.inst.ty.is_float() {
        return Ok(Outcome::Val(f.load_source(cx.inst, 0, cx.lanes)?));
    }
    // Bits are unchanged, so that programs may store integers, halves and NaNs of any payload in
    // float registers.
    let scalar = f.w.moved_scalar(cx.inst.ty);
    let mut from = [Lane::UNDEFINED; 4];
    f.load_source_lanes(src, scalar, cx.lanes, &mut from)?;
    let mut lanes = [Lane::UNDEFINED; 4];
    for (lane, value) in glasm_ir::WriteMask(cx.lanes).lanes().zip(from) {
        lanes[lane] = if value.is_some() {
            value
        } else {
            Lane::scalar(f.w.constant(scalar, 0))
        };
    }
    Ok(Outcome::Lanes(lanes))
}

/// Computes overflow and carry of integer addition and subtraction.
fn compute_flags(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    outcome: Outcome,
) -> Result<Option<Flags>, Failure> {
    if cx.inst.ty.is_float() || !cx.inst.op.adds() {
        return Ok(None);
    }
    let values = match outcome {
        Outcome::Val(result) => return compute_lane_flags(f, cx, result),
        Outcome::Lanes(values) => values,
        Outcome::None => return Ok(None),
    };
    // Pairs of words are processed lane by lane.
    let mut found = [[Lane::UNDEFINED; 4]; 2];
    let mut count = 0;
    for lane in glasm_ir::WriteMask(cx.lanes).lanes() {
        let result = f.w.val(values[lane].id());
        let lane = InstCx {
            lanes: 1 << lane,
            ..cx
        };
        // The same for all lanes: it depends on the negations.
        let Some(flags) = compute_lane_flags(f, lane, result)? else {
            return Ok(None);
        };
        found[0][count] = flags.overflow.lane(0);
        found[1][count] = flags.carry.lane(0);
        count += 1;
    }
    let [overflow, carry] = found.map(|lanes| f.w.gather(&lanes[..count], Scalar::BoolInt));
    Ok(Some(Flags { overflow, carry }))
}

fn compute_lane_flags(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    result: Val,
) -> Result<Option<Flags>, Failure> {
    let program = f.program;
    let sources = program.sources(cx.inst);
    let negated = |number: usize| sources[number].negate;
    // NV_gpu_program4 section 2.X.4.3: negation turns an addition into a subtraction and vice
    // versa. These are the summands without their negations, and whether each is subtracted.
    let (x, y, x_negated, y_negated) = if cx.inst.op == Op::Mad {
        let [a, b] = f.load_two(cx)?;
        // Emitted again, because only the sum of the operation was returned.
        let product = int::compute_product(f.w, a, b);
        (product, load_summand(f, cx, 2)?, false, negated(2))
    } else {
        let subtracts = cx.inst.op == Op::Sub;
        let (x, y) = (load_summand(f, cx, 0)?, load_summand(f, cx, 1)?);
        (x, y, negated(0), negated(1) != subtracts)
    };
    Ok(match (x_negated, y_negated) {
        (false, false) => Some(int::compute_add_flags(f.w, x, y, result)),
        (false, true) => Some(int::compute_sub_flags(f.w, x, y, result)),
        (true, false) => Some(int::compute_sub_flags(f.w, y, x, result)),
        // Undefined by the same section.
        (true, true) => None,
    })
}

/// Loads a source without its negation.
fn load_summand(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    number: usize,
) -> Result<Val, Failure> {
    let src = Src {
        negate: false,
        ..f.program.sources(cx.inst)[number]
    };
    f.load_source_as(&src, cx.inst.ty, cx.lanes)
}

/// Loads a source and applies an operation to it.
fn apply_one(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    op: impl FnOnce(&mut ValueBuilder, Val) -> Val,
) -> Result<Val, Failure> {
    let a = f.load_source(cx.inst, 0, cx.lanes)?;
    Ok(op(f.w, a))
}

/// Loads two sources and applies an operation to them.
fn apply_two(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    op: impl FnOnce(&mut ValueBuilder, [Val; 2]) -> Val,
) -> Result<Val, Failure> {
    let operands = f.load_two(cx)?;
    Ok(op(f.w, operands))
}

/// Loads three sources and applies an operation to them.
fn apply_three(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    op: impl FnOnce(&mut ValueBuilder, [Val; 3]) -> Val,
) -> Result<Val, Failure> {
    let operands = f.load_three(cx)?;
    Ok(op(f.w, operands))
}
