//! Dispatch by operation.

use super::Emit;
use super::result::Outcome;
use crate::builder::Flags;
use crate::builder::gather::Lane;
use crate::builder::{Scalar, Val};
use crate::error::{Error, Failure};
use glasm_ir::{Aux, Inst, InstFlags, Op, Saturate, Type, TypeBase};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// One instruction with the lanes to compute.
#[derive(Clone, Copy)]
pub(super) struct Job<'p> {
    pub(super) inst: &'p Inst,
    /// Lanes to compute, for the result or for condition codes.
    pub(super) lanes: u8,
}

impl Emit<'_> {
    /// Writes one instruction, or nothing if nothing of it is needed.
    pub(super) fn emit_inst(&mut self, inst: &Inst) -> Result<(), Failure> {
        let needed = self.live.next_needed();
        let lanes = needed & 15 | needed >> 4;
        if lanes == 0 && !inst.op.info().effect {
            return Ok(());
        }
        self.line(inst.span);
        self.w.flags = inst.flags;
        if self.constant_inst(inst, needed)? {
            self.w.flags = InstFlags::empty();
            return Ok(());
        }
        if !self.w.device.float64 && self.uses_float64(inst, needed >> 4) {
            return Err(Error::missing_feature("shaderFloat64"));
        }
        let job = Job { inst, lanes };
        let outcome = self.compute(job)?;
        if self.write_direct(inst, needed, &outcome) {
            self.w.flags = InstFlags::empty();
            return Ok(());
        }
        let flags = if needed >> 4 != 0 && self.analysis.reads_overflow {
            self.flags_of(job, outcome)?
        } else {
            None
        };
        self.write_result(inst, needed, outcome, flags)?;
        self.w.flags = InstFlags::empty();
        Ok(())
    }

    #[expect(clippy::too_many_lines, reason = "one line per operation")]
    fn compute(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        if self.is_pair_op(job.inst) {
            return self.wide_inst(job);
        }
        let float = job.inst.ty.is_float();
        let val = match job.inst.op {
            Op::Mov => return self.mov(job),
            Op::Add => self.add(job)?,
            Op::Sub => self.sub(job)?,
            Op::Mul => self.mul(job)?,
            Op::MulHi => self.mul_high(job)?,
            Op::Mad => self.mad(job)?,
            Op::Div if float => self.float_div(job)?,
            Op::Div => self.int_div(job)?,
            Op::Mod => self.int_mod(job)?,
            Op::Min => self.min_max(job, Extreme::Min)?,
            Op::Max => self.min_max(job, Extreme::Max)?,
            Op::NMin => self.ext_sources::<2>(job, GlslOp::NMin)?,
            Op::NMax => self.ext_sources::<2>(job, GlslOp::NMax)?,
            Op::Floor => self.ext_sources::<1>(job, GlslOp::Floor)?,
            Op::Ceil => self.ext_sources::<1>(job, GlslOp::Ceil)?,
            Op::Trunc => {
                let value = self.source(job.inst, 0, job.lanes)?;
                self.w.truncated(value)
            }
            Op::Round => {
                let value = self.source(job.inst, 0, job.lanes)?;
                self.w.rounded_to_even(value)
            }
            Op::Fract => self.fract(job)?,
            Op::Sign => self.sign(job)?,
            Op::Rcp => self.reciprocal(job)?,
            Op::Rsq => self.ext_sources::<1>(job, GlslOp::InverseSqrt)?,
            Op::Sqrt => self.ext_sources::<1>(job, GlslOp::Sqrt)?,
            Op::Exp2 => self.ext_sources::<1>(job, GlslOp::Exp2)?,
            Op::Log2 => self.log2(job)?,
            Op::Pow => self.pow(job)?,
            Op::Sin => self.ext_sources::<1>(job, GlslOp::Sin)?,
            Op::Cos => self.ext_sources::<1>(job, GlslOp::Cos)?,
            Op::And => self.binary_sources(job, Spv::BitwiseAnd)?,
            Op::Or => self.binary_sources(job, Spv::BitwiseOr)?,
            Op::Xor => self.binary_sources(job, Spv::BitwiseXor)?,
            Op::Not => self.unary_source(job, Spv::Not)?,
            Op::Shl => self.shift(job, Spv::ShiftLeftLogical)?,
            Op::Shr if job.inst.ty.is_signed_int() => self.shift(job, Spv::ShiftRightArithmetic)?,
            Op::Shr => self.shift(job, Spv::ShiftRightLogical)?,
            Op::BitExtract => self.bit_extract(job)?,
            Op::BitInsert => self.bit_insert(job)?,
            Op::BitReverse => self.unary_source(job, Spv::BitReverse)?,
            Op::BitCount => self.unary_source(job, Spv::BitCount)?,
            Op::FindLsb => self.ext_sources::<1>(job, GlslOp::FindILsb)?,
            Op::FindMsb if job.inst.ty.is_signed_int() => {
                self.ext_sources::<1>(job, GlslOp::FindSMsb)?
            }
            Op::FindMsb => self.ext_sources::<1>(job, GlslOp::FindUMsb)?,
            Op::SetEq | Op::SetNe | Op::SetLt | Op::SetLe | Op::SetGt | Op::SetGe => {
                self.comparison(job)?
            }
            Op::SelLt => self.select_less(job)?,
            Op::SelNz => self.select_non_zero(job)?,
            Op::Dp2 => self.dot(job, 0b0011)?,
            Op::Dp3 => self.dot(job, 0b0111)?,
            Op::Dp4 => self.dot(job, 0b1111)?,
            Op::Cvt => self.convert(job)?,
            Op::PackHalf2 => self.pack_halves(job)?,
            Op::PackUnorm2 => self.pack(job, GlslOp::PackUnorm2x16, 0b0011)?,
            Op::PackUnorm4 => self.pack(job, GlslOp::PackUnorm4x8, 0b1111)?,
            Op::UnpackHalf2 => return self.unpack(job, GlslOp::UnpackHalf2x16, 2),
            Op::UnpackUnorm2 => return self.unpack(job, GlslOp::UnpackUnorm2x16, 2),
            Op::UnpackUnorm4 => return self.unpack(job, GlslOp::UnpackUnorm4x8, 4),
            Op::Pack64 => return self.pack64(job),
            Op::Unpack64 => return self.unpack64(job),
            Op::Ddx => self.derivative(job, Spv::DPdx)?,
            Op::Ddy => self.derivative(job, Spv::DPdy)?,
            Op::DdxFine => self.derivative(job, Spv::DPdxFine)?,
            Op::DdyFine => self.derivative(job, Spv::DPdyFine)?,
            Op::DdxCoarse => self.derivative(job, Spv::DPdxCoarse)?,
            Op::DdyCoarse => self.derivative(job, Spv::DPdyCoarse)?,
            Op::InterpCentroid | Op::InterpOffset | Op::InterpSample => self.interpolate(job)?,
            Op::GroupAll | Op::GroupAny | Op::GroupEqual => self.group_test(job)?,
            Op::GroupBallot => self.group_ballot(job)?,
            Op::ShuffleUp | Op::ShuffleDown | Op::ShuffleXor | Op::ShuffleIndex => {
                return self.shuffle(job);
            }
            Op::Quad0 | Op::Quad1 | Op::Quad2 | Op::Quad3 | Op::QuadX | Op::QuadY => {
                self.quad(job)?
            }
            Op::Tex => return self.texture(job),
            Op::Resident => return self.resident(job),
            Op::Load => return self.load(job),
            Op::Store => return self.store(job),
            Op::Atomic => return self.atomic(job),
            Op::ImageLoad => return self.image_load(job),
            Op::ImageStore => return self.image_store(job),
            Op::ImageAtomic => return self.image_atomic(job),
            Op::ImageSize | Op::ImageSamples => return self.image_query(job),
            Op::MemoryBarrier => return self.memory_barrier(),
            Op::Barrier => return self.barrier(),
            Op::Demote => return self.demote(),
            Op::InterlockBegin => return Ok(self.interlock(Spv::BeginInvocationInterlockEXT)),
            Op::InterlockEnd => return Ok(self.interlock(Spv::EndInvocationInterlockEXT)),
        };
        Ok(Outcome::Val(val))
    }

    /// The two operands of a two-operand instruction.
    #[inline]
    pub(super) fn two(&mut self, job: Job<'_>) -> Result<[Val; 2], Failure> {
        Ok([
            self.source(job.inst, 0, job.lanes)?,
            self.source(job.inst, 1, job.lanes)?,
        ])
    }

    /// The three operands of a three-operand instruction.
    pub(super) fn three(&mut self, job: Job<'_>) -> Result<[Val; 3], Failure> {
        let [a, b] = self.two(job)?;
        Ok([a, b, self.source(job.inst, 2, job.lanes)?])
    }

    fn unary_source(&mut self, job: Job<'_>, op: Spv) -> Result<Val, Failure> {
        let a = self.source(job.inst, 0, job.lanes)?;
        Ok(self.w.unary(op, a))
    }

    fn binary_sources(&mut self, job: Job<'_>, op: Spv) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        Ok(self.w.binary(op, a, b))
    }

    fn ext_sources<const N: usize>(&mut self, job: Job<'_>, op: GlslOp) -> Result<Val, Failure> {
        let mut args = [Val {
            id: crate::words::ValueWord::NONE,
            scalar: Scalar::F32,
            size: 1,
        }; N];
        for (number, arg) in args.iter_mut().enumerate() {
            *arg = self.source(job.inst, number, job.lanes)?;
        }
        Ok(self.w.ext(op, &args))
    }

    /// A copy: no instruction, the result lanes are where the source lanes are.
    fn mov(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        let program = self.program;
        let src = &program.srcs[job.inst.first_source as usize];
        let clamps = job
            .inst
            .dst
            .is_some_and(|dst| dst.saturate != Saturate::None);
        if src.has_modifier() || clamps && job.inst.ty.is_float() {
            return Ok(Outcome::Val(self.source(job.inst, 0, job.lanes)?));
        }
        let scalar = self.w.moved_scalar(job.inst.ty);
        let mut from = [Lane::UNDEFINED; 4];
        self.source_lanes(src, scalar, job.lanes, &mut from)?;
        let mut lanes = [Lane::UNDEFINED; 4];
        for (lane, value) in glasm_ir::WriteMask(job.lanes).lanes().zip(from) {
            lanes[lane] = if value.is_some() {
                value
            } else {
                Lane::scalar(self.w.constant(scalar, 0))
            };
        }
        Ok(Outcome::Lanes(lanes))
    }

    /// Overflow and carry of integer addition and subtraction.
    fn flags_of(&mut self, job: Job<'_>, outcome: Outcome) -> Result<Option<Flags>, Failure> {
        if job.inst.ty.is_float() || !matches!(job.inst.op, Op::Add | Op::Sub | Op::Mad) {
            return Ok(None);
        }
        let values = match outcome {
            Outcome::Val(result) => return self.flags_of_lanes(job, result),
            Outcome::Lanes(values) => values,
            Outcome::None => return Ok(None),
        };
        // Pairs of words go lane by lane.
        let mut found = [[Lane::UNDEFINED; 4]; 2];
        let mut count = 0;
        for lane in glasm_ir::WriteMask(job.lanes).lanes() {
            let result = self.w.val(values[lane].id());
            let lane = Job {
                lanes: 1 << lane,
                ..job
            };
            let Some(flags) = self.flags_of_lanes(lane, result)? else {
                return Ok(None);
            };
            found[0][count] = flags.overflow.lane(0);
            found[1][count] = flags.carry.lane(0);
            count += 1;
        }
        let [overflow, carry] = found.map(|lanes| self.w.gather(&lanes[..count], Scalar::BoolInt));
        Ok(Some(Flags { overflow, carry }))
    }

    fn flags_of_lanes(&mut self, job: Job<'_>, result: Val) -> Result<Option<Flags>, Failure> {
        let program = self.program;
        let sources = program.sources(job.inst);
        let negated = |number: usize| sources[number].negate;
        let plain = |emit: &mut Self, number: usize| {
            let src = glasm_ir::Src {
                negate: false,
                ..sources[number]
            };
            emit.source_as(&src, job.inst.ty, job.lanes)
        };
        // The summands without the negations, and whether each is subtracted.
        let (x, y, x_negated, y_negated) = if job.inst.op == Op::Mad {
            let [a, b] = self.two(job)?;
            (self.w.int_product(a, b), plain(self, 2)?, false, negated(2))
        } else {
            let subtracts = job.inst.op == Op::Sub;
            let (x, y) = (plain(self, 0)?, plain(self, 1)?);
            (x, y, negated(0), negated(1) != subtracts)
        };
        Ok(match (x_negated, y_negated) {
            (false, false) => Some(self.w.add_flags(x, y, result)),
            (false, true) => Some(self.w.sub_flags(x, y, result)),
            (true, false) => Some(self.w.sub_flags(y, x, result)),
            // Undefined by the languages.
            (true, true) => None,
        })
    }

    /// Whether an instruction computes with 64-bit integers that the device lacks.
    fn is_pair_op(&self, inst: &Inst) -> bool {
        if self.w.wide_int() != Scalar::Pair {
            return false;
        }
        let wide_int =
            |ty: Type| ty.width() == glasm_ir::Width::W64 && ty.base() != TypeBase::Float;
        match (inst.op, inst.aux) {
            (Op::Mov, _) => {
                wide_int(inst.ty) && self.program.srcs[inst.first_source as usize].has_modifier()
            }
            (Op::Pack64 | Op::Unpack64 | Op::Load | Op::Store | Op::Atomic | Op::Tex, _) => false,
            (_, Aux::Cvt { from, .. }) => wide_int(inst.ty) || wide_int(from),
            _ => wide_int(inst.ty),
        }
    }

    /// Whether an instruction computes with 64-bit floats. Moves do not, but for those that clamp. Condition codes compare; those of the
    /// lanes `codes` are needed.
    pub(super) fn uses_float64(&self, inst: &Inst, codes: u8) -> bool {
        let moves = if inst.op == Op::Mov {
            let clamps = inst.dst.is_some_and(|dst| dst.saturate != Saturate::None);
            !clamps && codes == 0 && !self.program.srcs[inst.first_source as usize].has_modifier()
        } else {
            matches!(inst.op, Op::Pack64 | Op::Unpack64)
        };
        let converts = matches!(
            inst.aux,
            Aux::Cvt {
                from: Type::F64,
                ..
            }
        );
        inst.ty == Type::F64 && !moves || converts
    }
}

/// Which of two values is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extreme {
    Min,
    Max,
}
