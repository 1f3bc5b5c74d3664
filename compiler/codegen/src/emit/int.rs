//! Integer operations whose undefined cases in SPIR-V have a meaning here.

use super::Emit;
use super::inst::Job;
use super::result::Flags;
use crate::error::Failure;
use crate::writer::{Scalar, Val};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl Emit<'_> {
    /// The upper half of the product.
    pub(super) fn mul_high(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        let op = if job.inst.ty.is_signed_int() {
            Spv::SMulExtended
        } else {
            Spv::UMulExtended
        };
        let (a, b) = self.same_size(a, b);
        let half = self.w.ty(a.scalar, a.size);
        let pair = self.w.declare_type(Spv::TypeStruct, &[half.0, half.0]);
        let id = self.w.object();
        self.w.body.result(op, pair, id, &[a.id.0, b.id.0]);
        Ok(self
            .w
            .op(Spv::CompositeExtract, a.scalar, a.size, &[id.0, 1]))
    }

    /// The low and the high word of a product of unsigned words.
    pub(super) fn wide_product(&mut self, a: Val, b: Val) -> [Val; 2] {
        let half = self.w.ty(Scalar::U32, 1);
        let pair = self.w.declare_type(Spv::TypeStruct, &[half.0, half.0]);
        let id = self.w.object();
        self.w
            .body
            .result(Spv::UMulExtended, pair, id, &[a.id.0, b.id.0]);
        [0, 1].map(|part| {
            self.w
                .op(Spv::CompositeExtract, Scalar::U32, 1, &[id.0, part])
        })
    }

    /// Quotient toward zero; all ones for a zero divisor.
    pub(super) fn int_div(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        let signed = job.inst.ty.is_signed_int();
        let op = if signed { Spv::SDiv } else { Spv::UDiv };
        let (safe, is_zero, is_minus_one) = self.safe_divisor(b, signed);
        let mut quotient = self.binary(op, a, safe);
        if let Some(is_minus_one) = is_minus_one {
            // The quotient of the least value by -1 does not exist; negation wraps.
            let negated = self.unary(Spv::SNegate, a);
            quotient = self.select(is_minus_one, negated, quotient);
        }
        Ok(self.all_ones_if(is_zero, quotient))
    }

    /// Remainder with the sign of the dividend; all ones for a zero divisor.
    pub(super) fn int_mod(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        let signed = job.inst.ty.is_signed_int();
        let op = if signed { Spv::SRem } else { Spv::UMod };
        // The remainder by -1 is that by 1.
        let (safe, is_zero, _) = self.safe_divisor(b, signed);
        let remainder = self.binary(op, a, safe);
        Ok(self.all_ones_if(is_zero, remainder))
    }

    /// A divisor without undefined results, and where it was zero or -1.
    fn safe_divisor(&mut self, b: Val, signed: bool) -> (Val, Option<Val>, Option<Val>) {
        let minus_one = if b.scalar == Scalar::U64 {
            u64::MAX
        } else {
            0xffff_ffff
        };
        if self
            .splat_bits(b)
            .is_some_and(|bits| bits != 0 && !(signed && bits == minus_one))
        {
            return (b, None, None);
        }
        let one = self.constant_like(b, 1);
        let is_zero = self.compare_bits(Spv::IEqual, b, 0);
        let mut safe = self.select(is_zero, one, b);
        let is_minus_one = signed.then(|| {
            let is_minus_one = self.compare_bits(Spv::IEqual, b, minus_one);
            safe = self.select(is_minus_one, one, safe);
            is_minus_one
        });
        (safe, Some(is_zero), is_minus_one)
    }

    fn all_ones_if(&mut self, cond: Option<Val>, val: Val) -> Val {
        let Some(cond) = cond else { return val };
        let ones = self.constant_like(val, u64::MAX);
        self.select(cond, ones, val)
    }

    /// A shift by a count modulo the width.
    pub(super) fn shift(&mut self, job: Job<'_>, op: Spv) -> Result<Val, Failure> {
        let [a, b] = self.two(job)?;
        let last = self.constant_like(b, u64::from(job.inst.ty.width().bits()) - 1);
        let count = self.binary(Spv::BitwiseAnd, b, last);
        Ok(self.binary(op, a, count))
    }

    /// `b` bits of `a` from bit `c` up, sign- or zero-extended.
    pub(super) fn bit_extract(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, count, offset] = self.three(job)?;
        let signed = job.inst.ty.is_signed_int();
        let width = self.constant_like(count, 32);
        let mut count = self.int_min(count, width);
        let last = self.constant_like(offset, 31);
        let shift = self.int_min(offset, last);
        if !signed {
            // Beyond the top bit there are only zeros.
            let beyond = self.compare_bits(Spv::UGreaterThan, offset, 31);
            let none = self.constant_like(count, 0);
            count = self.select(beyond, none, count);
        }
        let (shift_op, op) = if signed {
            (Spv::ShiftRightArithmetic, Spv::BitFieldSExtract)
        } else {
            (Spv::ShiftRightLogical, Spv::BitFieldUExtract)
        };
        let shifted = self.binary(shift_op, a, shift);
        let zero = self.w.uint(0);
        Ok(self.bit_field(shifted, &[count], |emit, a, counts| {
            emit.w
                .op(op, a.scalar, a.size, &[a.id.0, zero.0, counts[0].id.0])
        }))
    }

    /// The low `c` bits of `b` put into `a` at bit `d`.
    pub(super) fn bit_insert(&mut self, job: Job<'_>) -> Result<Val, Failure> {
        let [a, b, count] = self.three(job)?;
        let offset = self.source(job.inst, 3, job.lanes)?;
        let width = self.constant_like(offset, 32);
        let offset = self.int_min(offset, width);
        let width = self.constant_like(offset, 32);
        let room = self.binary(Spv::ISub, width, offset);
        let count = self.int_min(count, room);
        let (a, b) = self.same_size(a, b);
        if a.size == 1 && offset.size == 1 && count.size == 1 {
            return Ok(self.insert_bits(a, b, offset, count));
        }
        let size = a.size.max(offset.size).max(count.size);
        let (a, b) = (self.w.widen(a, size), self.w.widen(b, size));
        if offset.size == 1 && count.size == 1 {
            return Ok(self.insert_bits(a, b, offset, count));
        }
        Ok(self.each(a, |emit, index| {
            let [a, b, offset, count] = [a, b, offset, count].map(|val| emit.component(val, index));
            emit.insert_bits(a, b, offset, count)
        }))
    }

    fn insert_bits(&mut self, a: Val, b: Val, offset: Val, count: Val) -> Val {
        let operands = [a.id.0, b.id.0, offset.id.0, count.id.0];
        self.w.op(Spv::BitFieldInsert, a.scalar, a.size, &operands)
    }

    /// A bit-field operation: its counts are scalars in SPIR-V, so different counts go lane by lane.
    fn bit_field(
        &mut self,
        a: Val,
        counts: &[Val],
        op: impl Fn(&mut Self, Val, &[Val]) -> Val,
    ) -> Val {
        if counts.iter().all(|count| count.size == 1) {
            return op(self, a, counts);
        }
        let size = counts.iter().map(|count| count.size).max().unwrap_or(1);
        let a = self.w.widen(a, size.max(a.size));
        self.each(a, |emit, index| {
            let part = emit.component(a, index);
            let counts: [Val; 1] =
                std::array::from_fn(|number| emit.component(counts[number], index));
            op(emit, part, &counts)
        })
    }

    /// Overflow and carry of `a + b = sum`.
    pub(super) fn add_flags(&mut self, a: Val, b: Val, sum: Val) -> Flags {
        let [a_high, b_high, sum_high] = [a, b, sum].map(|val| self.upper_word(val));
        // Overflow: both operands have the sign that the sum lacks.
        let x = self.binary(Spv::BitwiseXor, a_high, sum_high);
        let y = self.binary(Spv::BitwiseXor, b_high, sum_high);
        let both = self.binary(Spv::BitwiseAnd, x, y);
        Flags {
            overflow: self.compare_bits(Spv::SLessThan, both, 0),
            carry: self.below(sum, a),
        }
    }

    /// Overflow and carry (no borrow) of `a - b = difference`.
    pub(super) fn sub_flags(&mut self, a: Val, b: Val, difference: Val) -> Flags {
        let [a_high, b_high, high] = [a, b, difference].map(|val| self.upper_word(val));
        // Overflow: the operands differ in sign, and the difference does not have that of `a`.
        let x = self.binary(Spv::BitwiseXor, a_high, b_high);
        let y = self.binary(Spv::BitwiseXor, a_high, high);
        let both = self.binary(Spv::BitwiseAnd, x, y);
        let carry = if a.scalar == Scalar::Pair {
            let borrow = self.wide_below(a, b);
            self.not(borrow)
        } else {
            self.compare(Spv::UGreaterThanEqual, Scalar::BoolInt, a, b)
        };
        Flags {
            overflow: self.compare_bits(Spv::SLessThan, both, 0),
            carry,
        }
    }

    /// What holds the sign of an integer: itself, or the high word of a pair.
    fn upper_word(&mut self, val: Val) -> Val {
        if val.scalar == Scalar::Pair {
            self.wide_words(val)[1]
        } else {
            val
        }
    }

    /// `a < b`, unsigned.
    fn below(&mut self, a: Val, b: Val) -> Val {
        if a.scalar == Scalar::Pair {
            self.wide_below(a, b)
        } else {
            self.compare(Spv::ULessThan, Scalar::BoolInt, a, b)
        }
    }

    /// The product of two integers.
    pub(super) fn int_product(&mut self, a: Val, b: Val) -> Val {
        if a.scalar == Scalar::Pair {
            self.wide_times(a, b)
        } else {
            self.multiply(a, b)
        }
    }

    /// The low `bits` bits, sign- or zero-extended to 32.
    pub(super) fn extend(&mut self, val: Val, bits: u32, signed: bool) -> Val {
        if !signed {
            let mask = self.constant_like(val, (1 << bits) - 1);
            return self.binary(Spv::BitwiseAnd, val, mask);
        }
        let shift = self.constant_like(val, u64::from(32 - bits));
        let up = self.binary(Spv::ShiftLeftLogical, val, shift);
        self.binary(Spv::ShiftRightArithmetic, up, shift)
    }

    /// Integer clamp by signedness.
    pub(super) fn int_clamp(&mut self, val: Val, low: u64, high: u64, signed: bool) -> Val {
        let (low, high) = (self.constant_like(val, low), self.constant_like(val, high));
        let op = if signed {
            GlslOp::SClamp
        } else {
            GlslOp::UClamp
        };
        self.ext(op, &[val, low, high])
    }
}
