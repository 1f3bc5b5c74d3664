//! Arithmetic of floats, and of integers where it is the same.
//!
//! `constant` folds instructions whose sources are all constant, `precision` applies their precision.

pub(super) mod compare;
pub(super) mod constant;
pub(super) mod convert;
pub(super) mod int;
pub(super) mod pack;
pub(super) mod precision;
pub(super) mod wide;

use crate::builder::{Extreme, Lane, Scalar, Val, by_base};
use crate::capability::Need;
use crate::emit::Emit;
use crate::emit::cx::{InstCx, Outcome};
use crate::error::{Error, Failure};
use glasm_ir::{InstFlags, Stage, Type};
use spirv::{GlslStd450Op as GlslOp, Op as Spv, Scope};

impl Emit<'_> {
    /// `a + b`
    pub(in crate::emit) fn add(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        self.keep_sum(a.scalar);
        Ok(self.w.sum(a, b))
    }

    /// Makes the sum or difference that is written next exact where special numbers count.
    ///
    /// Mesa 26.2 computes `a - a` as 0, infinities and NaN included, and `a + b - a` as `b`, whether or not the module has the
    /// execution mode for special numbers. Sums alone are decorated: products that a sum follows in one instruction, as those of MAD,
    /// may still be fused with it.
    fn keep_sum(&mut self, scalar: Scalar) {
        if scalar == Scalar::F32 && self.keeps_special_numbers() {
            self.w.flags |= InstFlags::PRECISE;
        }
    }

    /// `a - b`
    pub(in crate::emit) fn sub(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        let op = if a.scalar.is_float() {
            Spv::FSub
        } else {
            Spv::ISub
        };
        self.keep_sum(a.scalar);
        Ok(self.w.binary(op, a, b))
    }

    /// `a * b`
    pub(in crate::emit) fn mul(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        Ok(self.w.multiply(a, b))
    }

    /// `a * b + c`
    pub(in crate::emit) fn mad(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b, c] = self.three(cx)?;
        let product = self.w.multiply(a, b);
        Ok(self.w.sum(product, c))
    }

    /// `a * b + c`, rounded once.
    pub(in crate::emit) fn fma(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b, c] = self.three(cx)?;
        Ok(self.w.fused([a, b], c, cx.inst.ty))
    }

    /// `a / b` of floats.
    pub(in crate::emit) fn float_div(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        let divisor = self.w.splat_bits(b).filter(|_| b.scalar == Scalar::F64);
        if let Some(bits) = divisor.filter(|bits| bits << 1 == 0) {
            // The product with the infinity of the same sign is the same; Mesa 22.3 divides vectors by zeros wrong.
            let infinity = self.w.constant_like(b, bits | f64::INFINITY.to_bits());
            return Ok(self.w.binary(Spv::FMul, a, infinity));
        }
        Ok(self.w.binary(Spv::FDiv, a, b))
    }

    /// `a > b ? b : a` or `a > b ? a : b`: NV_gpu_program4 section 2.X.8.Z, MIN and MAX. `FMin` and `FMax` would leave NaN open.
    pub(in crate::emit) fn min_max(
        &mut self,
        cx: InstCx<'_>,
        which: Extreme,
    ) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        let ops = [Spv::FOrdGreaterThan, Spv::SGreaterThan, Spv::UGreaterThan];
        // NaN fails the comparison, so that MIN gives `a` and MAX gives `b`: each as the formula says.
        let greater = self.w.test(by_base(cx.inst.ty, ops), a, b);
        let chosen = self.w.extreme(which, greater, a, b);
        if which == Extreme::Max {
            // Where `a` is NaN this is `b`.
            self.w.note_lower_bound(chosen, b);
        }
        Ok(chosen)
    }

    /// `a - floor(a)`, which is always below 1 (NV_gpu_program4 section 2.X.8.Z, FRC): where the difference of a tiny negative
    /// number rounds to 1, the number next to 1 takes its place.
    pub(in crate::emit) fn fract(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let a = self.source(cx.inst, 0, cx.lanes)?;
        let fraction = self.w.ext(GlslOp::Fract, &[a]);
        let reached = self
            .w
            .compare_float(Spv::FOrdGreaterThanEqual, fraction, 1.0);
        let below = if cx.inst.ty == Type::F64 {
            1.0f64.next_down()
        } else if cx.inst.ty == Type::F16 {
            // Below 1 in half precision, too, which has 11 binary digits: 1 - 2^-11.
            1.0 - 1.0 / 2048.0
        } else {
            f64::from(1.0f32.next_down())
        };
        let below = self.w.float_like(fraction, below);
        Ok(self.w.select(reached, below, fraction))
    }

    /// 1, 0 or -1
    pub(in crate::emit) fn sign(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let a = self.source(cx.inst, 0, cx.lanes)?;
        if cx.inst.ty.is_float() {
            return Ok(self.w.ext(GlslOp::FSign, &[a]));
        }
        if cx.inst.ty.is_signed_int() {
            return Ok(self.w.ext(GlslOp::SSign, &[a]));
        }
        let any = self.w.compare_bits(Spv::INotEqual, a, 0);
        let (one, zero) = (self.w.constant_like(a, 1), self.w.constant_like(a, 0));
        Ok(self.w.select(any, one, zero))
    }

    /// `1 / a`
    pub(in crate::emit) fn reciprocal(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let a = self.source(cx.inst, 0, cx.lanes)?;
        let one = self.w.float_like(a, 1.0);
        Ok(self.w.binary(Spv::FDiv, one, a))
    }

    /// `exp2(b * log2(a))`: NV_gpu_program4 section 2.X.8.Z, POW.
    pub(in crate::emit) fn pow(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(cx)?;
        let log = self.w.log2_of(a);
        let product = self.w.multiply(log, b);
        Ok(self.w.ext(GlslOp::Exp2, &[product]))
    }

    /// `log2(a)`
    pub(in crate::emit) fn log2(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let a = self.source(cx.inst, 0, cx.lanes)?;
        Ok(self.w.log2_of(a))
    }

    /// Sum of the products of the lanes `lanes`.
    pub(in crate::emit) fn dot(&mut self, cx: InstCx<'_>, lanes: u8) -> Result<Val, Failure> {
        let a = self.source(cx.inst, 0, lanes)?;
        let b = self.source(cx.inst, 1, lanes)?;
        // A source with equal components comes as a scalar.
        let size = glasm_ir::WriteMask(lanes).count() as u8;
        // Precise sums have a fixed order, which OpDot leaves to the device, and so have those of programs whose equal instructions
        // give equal results; nor does OpDot know products in which zero wins.
        let in_order = self.w.flags.contains(InstFlags::PRECISE)
            || self.w.zero_product
            || self.program.modes.flush_denormals && !self.options.fast_precision;
        if !in_order || a.scalar != Scalar::F32 {
            let (a, b) = (self.w.widen(a, size), self.w.widen(b, size));
            let val = self.w.op(Spv::Dot, a.scalar, 1, &[a.id.0, b.id.0]);
            self.w.decorate_result(val, Spv::Dot);
            return Ok(val);
        }
        let product = self.w.multiply(a, b);
        // From x on, one after the other.
        let mut sum = self.w.component(product, 0);
        for index in 1..size as usize {
            let part = self.w.component(product, index);
            sum = self.w.binary(Spv::FAdd, sum, part);
        }
        Ok(sum)
    }

    /// `a < 0 ? b : c`
    pub(in crate::emit) fn select_less(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let [a, b, c] = self.three(cx)?;
        let op = match (cx.inst.ty.is_float(), cx.inst.ty.is_signed_int()) {
            (true, _) => Spv::FOrdLessThan,
            (false, true) => Spv::SLessThan,
            // No unsigned value is below 0.
            (false, false) => return Ok(c),
        };
        let less = self.w.compare_bits(op, a, 0);
        Ok(self.w.select(less, b, c))
    }

    /// `a != 0 ? b : c`, `a` tested as bits
    pub(in crate::emit) fn select_non_zero(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let truth = self.has_bits(cx)?;
        let b = self.source(cx.inst, 1, cx.lanes)?;
        let c = self.source(cx.inst, 2, cx.lanes)?;
        // All ones and 0 are the truth values of integers: as a boolean that stands for them, a branch on it needs no number.
        if cx.inst.ty == Type::U32 && self.w.is_truth_of_int(b, c) {
            return Ok(self.w.int_truth(truth));
        }
        Ok(self.w.select(truth, b, c))
    }

    /// Whether any bit of the first source is set.
    fn has_bits(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let src = self.program.source(cx.inst, 0);
        if let Some(truth) = self.source_truth(src, cx.lanes)? {
            return Ok(truth);
        }
        // The modifiers belong to the type of the instruction, the test to the bits.
        let a = self.source(cx.inst, 0, cx.lanes)?;
        if a.scalar.is_wide() && self.w.wide_int() == Scalar::Pair {
            return Ok(self.w.each(a, |w, index| {
                let part = w.component(a, index);
                let pair = w.reread(part, Scalar::Pair);
                let words = w.wide_words(pair);
                w.wide_any(words)
            }));
        }
        let a = self.w.reread(a, a.scalar.as_int());
        Ok(self.w.compare_bits(Spv::INotEqual, a, 0))
    }

    /// The beginning or the end of a critical section. The program has one only if its modes say how invocations are ordered.
    pub(in crate::emit) fn interlock(&mut self, op: Spv) -> Outcome {
        if self.program.modes.interlock.is_some() {
            self.w.body.op(op, &[]);
        }
        Outcome::None
    }

    /// `IsHelper`
    pub(in crate::emit) fn is_helper(&mut self) -> Result<Val, Failure> {
        if self.program.stage != Stage::Fragment {
            return Err(Error::unsupported("only fragments are helper invocations"));
        }
        // Where the device cannot demote, those that are demoted end.
        Ok(self.helps())
    }

    /// `Clock`
    pub(in crate::emit) fn clock(&mut self) -> Result<Outcome, Failure> {
        self.w.require(Need::SubgroupClock)?;
        let scope = self.w.uint(Scope::Subgroup as u32);
        // As two words, which needs no 64-bit integers.
        let time = self.w.op(Spv::ReadClockKHR, Scalar::U32, 2, &[scope.0]);
        let zero = Lane::scalar(self.w.uint(0));
        Ok(Outcome::Lanes([time.lane(0), time.lane(1), zero, zero]))
    }

    /// Ends the invocation's part in all results.
    pub(in crate::emit) fn demote(&mut self) -> Result<Outcome, Failure> {
        if self.program.stage != Stage::Fragment {
            return Err(Error::unsupported("only fragments can be discarded"));
        }
        if self.w.device.demote_to_helper_invocation {
            self.w.needs.insert(Need::Demote);
            // The invocation goes on as a helper, so that derivatives of its neighbors stay defined.
            self.w.body.op(Spv::DemoteToHelperInvocation, &[]);
        } else {
            // `OpKill` ends its block; what follows is a block that nothing reaches in the same place.
            self.w.body.op(Spv::Kill, &[]);
            let label = self.w.label();
            self.w.begin_block(label);
        }
        Ok(Outcome::None)
    }
}
