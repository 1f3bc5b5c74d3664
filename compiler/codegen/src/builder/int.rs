//! Integers whose undefined cases in SPIR-V have a meaning here.

use super::{Builder, Flags, Scalar, Val};
use crate::words::ValueWord;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl Builder {
    /// The low and the high word of a product of unsigned words.
    pub(crate) fn wide_product(&mut self, a: Val, b: Val) -> [Val; 2] {
        let id = self.extended_product(Spv::UMulExtended, a, b);
        [0, 1].map(|part| self.op(Spv::CompositeExtract, Scalar::U32, 1, &[id.0, part]))
    }

    /// A structure of the low and the high half of a product.
    pub(crate) fn extended_product(&mut self, op: Spv, a: Val, b: Val) -> ValueWord {
        let half = self.ty(a.scalar, a.size);
        let pair = self.declare_type(Spv::TypeStruct, &[half.0, half.0]);
        let id = self.object();
        self.body.result(op, pair, id, &[a.id.0, b.id.0]);
        id
    }

    /// A divisor without undefined results, and where the original was zero or -1: SPIR-V defines neither a division by zero nor
    /// that of the least signed value by -1.
    pub(crate) fn safe_divisor(&mut self, b: Val, signed: bool) -> (Val, Option<Val>, Option<Val>) {
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
        // Of -1 the remainder is that of 1; in the place of 0 any number would do.
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

    // UDIV and UMOD of TGSI give all ones for a zero divisor; NV_gpu_program4 leaves DIV and MOD undefined there.
    pub(crate) fn all_ones_if(&mut self, cond: Option<Val>, val: Val) -> Val {
        let Some(cond) = cond else { return val };
        let ones = self.constant_like(val, u64::MAX);
        self.select(cond, ones, val)
    }

    pub(crate) fn insert_bits(&mut self, a: Val, b: Val, offset: Val, count: Val) -> Val {
        let operands = [a.id.0, b.id.0, offset.id.0, count.id.0];
        self.op(Spv::BitFieldInsert, a.scalar, a.size, &operands)
    }

    /// A bit-field operation: its count is a scalar in SPIR-V, so different counts go lane by lane.
    pub(crate) fn bit_field(
        &mut self,
        a: Val,
        count: Val,
        op: impl Fn(&mut Self, Val, Val) -> Val,
    ) -> Val {
        if count.size == 1 {
            return op(self, a, count);
        }
        // Wide enough for the lanes of both.
        let a = self.widen(a, count.size.max(a.size));
        self.each(a, |emit, index| {
            let [a, count] = [a, count].map(|val| emit.component(val, index));
            op(emit, a, count)
        })
    }

    /// Negative where the integers of both pairs differ in sign.
    // The sign of an exclusive or is set where the signs of its operands differ; that of an and where both are set.
    fn differing_signs(&mut self, pairs: [(Val, Val); 2]) -> Val {
        let [x, y] = pairs.map(|(a, b)| self.binary(Spv::BitwiseXor, a, b));
        self.binary(Spv::BitwiseAnd, x, y)
    }

    /// Overflow and carry of `a + b = sum`: NV_gpu_program4 section 2.X.4.3.
    pub(crate) fn add_flags(&mut self, a: Val, b: Val, sum: Val) -> Flags {
        let [a_high, b_high, sum_high] = [a, b, sum].map(|val| self.upper_word(val));
        // Overflow: both operands have the sign that the sum lacks.
        let both = self.differing_signs([(a_high, sum_high), (b_high, sum_high)]);
        Flags {
            overflow: self.compare_bits(Spv::SLessThan, both, 0),
            // An unsigned sum that wrapped is less than each summand.
            carry: self.below(sum, a),
        }
    }

    /// Overflow and carry of `a - b = difference`: NV_gpu_program4 section 2.X.4.3. The carry of a difference means that there is
    /// no borrow.
    pub(crate) fn sub_flags(&mut self, a: Val, b: Val, difference: Val) -> Flags {
        let [a_high, b_high, high] = [a, b, difference].map(|val| self.upper_word(val));
        // Overflow: the operands differ in sign, and the difference does not have that of `a`.
        let both = self.differing_signs([(a_high, b_high), (a_high, high)]);
        // As NV_gpu_program4 has it, a difference is a sum with the complement, which carries unless it borrows.
        let carry = if a.scalar == Scalar::Pair {
            let borrow = self.wide_below(a, b);
            self.not(borrow)
        } else {
            self.test(Spv::UGreaterThanEqual, a, b)
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
            self.test(Spv::ULessThan, a, b)
        }
    }

    /// The product of two integers.
    pub(crate) fn int_product(&mut self, a: Val, b: Val) -> Val {
        if a.scalar == Scalar::Pair {
            self.wide_times(a, b)
        } else {
            self.multiply(a, b)
        }
    }

    /// The low `bits` bits, sign- or zero-extended to 32.
    pub(crate) fn extend(&mut self, val: Val, bits: u32, signed: bool) -> Val {
        if !signed {
            return self.binary_bits(Spv::BitwiseAnd, val, (1 << bits) - 1);
        }
        let shift = self.constant_like(val, u64::from(32 - bits));
        let up = self.binary(Spv::ShiftLeftLogical, val, shift);
        self.binary(Spv::ShiftRightArithmetic, up, shift)
    }

    /// Integer clamp by signedness.
    pub(crate) fn int_clamp(&mut self, val: Val, low: u64, high: u64, signed: bool) -> Val {
        let (low, high) = (self.constant_like(val, low), self.constant_like(val, high));
        let op = if signed {
            GlslOp::SClamp
        } else {
            GlslOp::UClamp
        };
        self.ext(op, &[val, low, high])
    }
}
