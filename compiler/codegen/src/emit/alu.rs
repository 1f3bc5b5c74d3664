//! Arithmetic of floats, and of integers where it is the same.

use super::Emit;
use super::inst::{Extreme, Job};
use super::result::Outcome;
use crate::error::{Error, Failure};
use crate::writer::{Scalar, Val};
use glasm_ir::{InstFlags, Stage, Type};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl Emit<'_> {
    /// `a + b`
    pub(super) fn add(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        Ok(self.sum(a, b))
    }

    /// `a - b`
    pub(super) fn sub(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        let op = if a.scalar.is_float() {
            Spv::FSub
        } else {
            Spv::ISub
        };
        Ok(self.binary(op, a, b))
    }

    /// `a * b`
    pub(super) fn mul(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        Ok(self.multiply(a, b))
    }

    /// `a * b + c`
    pub(super) fn mad(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b, c] = self.three(job)?;
        let product = self.multiply(a, b);
        Ok(self.sum(product, c))
    }

    fn sum(&mut self, a: Val, b: Val) -> Val {
        let op = if a.scalar.is_float() {
            Spv::FAdd
        } else {
            Spv::IAdd
        };
        self.binary(op, a, b)
    }

    /// `a / b` of floats.
    pub(super) fn float_div(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        let divisor = self.splat_bits(b).filter(|_| b.scalar == Scalar::F64);
        if let Some(bits) = divisor.filter(|bits| bits << 1 == 0) {
            // The product with the infinity of the same sign is the same; Mesa 22.3 divides vectors by zeros wrong.
            let infinity = self.constant_like(b, bits | f64::INFINITY.to_bits());
            return Ok(self.binary(Spv::FMul, a, infinity));
        }
        Ok(self.binary(Spv::FDiv, a, b))
    }

    /// The product of two values of one type. A vector times a scalar is one instruction.
    pub(super) fn multiply(&mut self, a: Val, b: Val) -> Val {
        if !a.scalar.is_float() {
            return self.binary(Spv::IMul, a, b);
        }
        if self.options.legacy_multiply && a.scalar == Scalar::F32 {
            return self.legacy_product(a, b);
        }
        let by_scalar = match (a.size, b.size) {
            (1, 1) => None,
            (_, 1) if self.splat_bits(b).is_none() => Some((a, b)),
            (1, _) if self.splat_bits(a).is_none() => Some((b, a)),
            _ => None,
        };
        match by_scalar {
            Some((vector, scalar)) => {
                let operands = [vector.id.0, scalar.id.0];
                let val = self.w.op(
                    Spv::VectorTimesScalar,
                    vector.scalar,
                    vector.size,
                    &operands,
                );
                self.decorate(val, Spv::VectorTimesScalar);
                val
            }
            None => self.binary(Spv::FMul, a, b),
        }
    }

    /// A product in which zero of either sign times anything is +0 (NV_vertex_program section 2.14.1.11).
    fn legacy_product(&mut self, a: Val, b: Val) -> Val {
        if a.id == b.id {
            // Squares need no test: 0 * 0 is +0 anyway.
            return self.binary(Spv::FMul, a, b);
        }
        let zero = match (self.known_zero(a), self.known_zero(b)) {
            (Some(true), _) | (_, Some(true)) => {
                return self.w.constant_splat(a.scalar, 0, a.size.max(b.size));
            }
            (Some(false), Some(false)) => return self.binary(Spv::FMul, a, b),
            (Some(false), None) => self.test_zero(b),
            (None, Some(false)) => self.test_zero(a),
            (None, None) => {
                let a_zero = self.test_zero(a);
                let b_zero = self.test_zero(b);
                self.compare(Spv::LogicalOr, Scalar::BoolInt, a_zero, b_zero)
            }
        };
        let product = self.binary(Spv::FMul, a, b);
        let nothing = self.constant_like(product, 0);
        self.select(zero, nothing, product)
    }

    /// Where a factor is zero, for the device that multiplies: it may take denormals for zero, constants too.
    fn test_zero(&mut self, a: Val) -> Val {
        let zero = self.constant_like(a, 0);
        let operands = [a.id.0, zero.id.0];
        self.w
            .op(Spv::FOrdEqual, Scalar::BoolInt, a.size, &operands)
    }

    /// Whether all components of a constant are zero, or none is; `None` if the device has to find out.
    fn known_zero(&self, a: Val) -> Option<bool> {
        let value = f32::from_bits(self.splat_bits(a)? as u32);
        // Devices may take denormals for zero.
        (!value.is_subnormal()).then_some(value == 0.0)
    }

    /// `a > b ? b : a` or `a > b ? a : b`
    pub(super) fn min_max(&mut self, job: Job<'_>, which: Extreme) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        let op = match (job.inst.ty.is_float(), job.inst.ty.is_signed_int()) {
            (true, _) => Spv::FOrdGreaterThan,
            (false, true) => Spv::SGreaterThan,
            (false, false) => Spv::UGreaterThan,
        };
        let greater = self.compare(op, Scalar::BoolInt, a, b);
        Ok(match which {
            Extreme::Min => self.select(greater, b, a),
            Extreme::Max => self.select(greater, a, b),
        })
    }

    /// `a - floor(a)`; the difference of a tiny negative number rounds to 1 and is taken back.
    pub(super) fn fract(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let a = self.source(job.inst, 0, job.lanes)?;
        let fraction = self.ext(GlslOp::Fract, &[a]);
        let one = self.float_like(fraction, 1.0);
        let reached = self.compare(Spv::FOrdGreaterThanEqual, Scalar::BoolInt, fraction, one);
        let below = if job.inst.ty == Type::F64 {
            1.0f64.next_down()
        } else if job.inst.ty == Type::F16 {
            // Below 1 in half precision too.
            1.0 - 1.0 / 2048.0
        } else {
            f64::from(1.0f32.next_down())
        };
        let below = self.float_like(fraction, below);
        Ok(self.select(reached, below, fraction))
    }

    /// 1, 0 or -1
    pub(super) fn sign(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let a = self.source(job.inst, 0, job.lanes)?;
        if job.inst.ty.is_float() {
            return Ok(self.ext(GlslOp::FSign, &[a]));
        }
        if job.inst.ty.is_signed_int() {
            return Ok(self.ext(GlslOp::SSign, &[a]));
        }
        let any = self.compare_bits(Spv::INotEqual, a, 0);
        let (one, zero) = (self.constant_like(a, 1), self.constant_like(a, 0));
        Ok(self.select(any, one, zero))
    }

    /// `1 / a`
    pub(super) fn reciprocal(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let a = self.source(job.inst, 0, job.lanes)?;
        let one = self.float_like(a, 1.0);
        Ok(self.binary(Spv::FDiv, one, a))
    }

    /// `exp2(b * log2(a))`
    pub(super) fn pow(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        let log = self.log2_of(a);
        let product = self.multiply(log, b);
        Ok(self.ext(GlslOp::Exp2, &[product]))
    }

    /// `log2(a)`
    pub(super) fn log2(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let a = self.source(job.inst, 0, job.lanes)?;
        Ok(self.log2_of(a))
    }

    /// SPIR-V leaves the logarithm open from 0 down: 0 gives -inf here, what is no positive number NaN.
    fn log2_of(&mut self, a: Val) -> Val {
        let log = self.ext(GlslOp::Log2, &[a]);
        let zero = self.compare_bits(Spv::FOrdEqual, a, 0);
        let (infinity, nan) = (
            self.float_like(a, f64::NEG_INFINITY),
            self.float_like(a, f64::NAN),
        );
        let special = self.select(zero, infinity, nan);
        let positive = self.compare_bits(Spv::FOrdGreaterThan, a, 0);
        self.select(positive, log, special)
    }

    /// Sum of the products of the lanes `lanes`.
    pub(super) fn dot(&mut self, job: Job<'_>, lanes: u8) -> Result<Val, Failure> {
        let a = self.source(job.inst, 0, lanes)?;
        let b = self.source(job.inst, 1, lanes)?;
        let size = glasm_ir::WriteMask(lanes).count() as u8;
        // Precise sums have a fixed order, which OpDot leaves to the device.
        let in_order = self.flags.contains(InstFlags::PRECISE) || self.options.legacy_multiply;
        if !in_order || a.scalar != Scalar::F32 {
            let (a, b) = (self.w.widen(a, size), self.w.widen(b, size));
            let val = self.w.op(Spv::Dot, a.scalar, 1, &[a.id.0, b.id.0]);
            self.decorate(val, Spv::Dot);
            return Ok(val);
        }
        let product = self.multiply(a, b);
        let mut sum = self.component(product, 0);
        for index in 1..size as usize {
            let part = self.component(product, index);
            sum = self.binary(Spv::FAdd, sum, part);
        }
        Ok(sum)
    }

    /// `a < 0 ? b : c`
    pub(super) fn select_less(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b, c] = self.three(job)?;
        let op = match (job.inst.ty.is_float(), job.inst.ty.is_signed_int()) {
            (true, _) => Spv::FOrdLessThan,
            (false, true) => Spv::SLessThan,
            // No unsigned value is below 0.
            (false, false) => return Ok(c),
        };
        let less = self.compare_bits(op, a, 0);
        Ok(self.select(less, b, c))
    }

    /// `a != 0 ? b : c`, `a` tested as bits
    pub(super) fn select_non_zero(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let program = self.program;
        let src = program.srcs[job.inst.first_source as usize];
        let truth = match self.source_truth(&src, job.lanes)? {
            Some(truth) => truth,
            None => {
                // The modifiers belong to the type of the instruction, the test to the bits.
                let a = self.source(job.inst, 0, job.lanes)?;
                let wide = a.scalar.is_wide();
                if wide && self.wide_int() == Scalar::Pair {
                    return self.select_wide_bits(job, a);
                }
                let bits = if wide { Scalar::U64 } else { Scalar::U32 };
                let a = self.reread(a, bits);
                self.compare_bits(Spv::INotEqual, a, 0)
            }
        };
        let b = self.source(job.inst, 1, job.lanes)?;
        let c = self.source(job.inst, 2, job.lanes)?;
        Ok(self.select(truth, b, c))
    }

    fn select_wide_bits(&mut self, job: Job<'_>, a: Val) -> Result<Val, Failure> {
        let truth = self.each(a, |emit, index| {
            let part = emit.component(a, index);
            let words = emit.reread(part, Scalar::Pair);
            let [low, high] = emit.wide_words(words);
            let any = emit.binary(Spv::BitwiseOr, low, high);
            emit.compare_bits(Spv::INotEqual, any, 0)
        });
        let b = self.source(job.inst, 1, job.lanes)?;
        let c = self.source(job.inst, 2, job.lanes)?;
        Ok(self.select(truth, b, c))
    }

    /// Ends the invocation's part in all results.
    /// An end of a critical section, which there is if the program says what it means.
    pub(super) fn interlock(&mut self, op: Spv) -> Outcome {
        if self.program.modes.interlock.is_some() {
            self.w.body.op(op, &[]);
        }
        Outcome::None
    }

    pub(super) fn demote(&mut self) -> Result<Outcome, Failure> {
        if self.program.stage != Stage::Fragment {
            return Err(Error::unsupported("only fragments can be discarded"));
        }
        if self.options.device.demote_to_helper_invocation {
            self.w.needs.insert(crate::capability::Need::Demote);
            self.w.body.op(Spv::DemoteToHelperInvocation, &[]);
        } else {
            // `OpKill` ends its block; what follows is a block that nothing reaches in the same place.
            self.w.body.op(Spv::Kill, &[]);
            let label = self.w.label();
            self.begin_block(label);
        }
        Ok(Outcome::None)
    }
}
