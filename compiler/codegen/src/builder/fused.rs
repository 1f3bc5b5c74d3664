//! Products and sums with one rounding, on devices that promise no such instruction: `Fma` of GLSL.std.450 may round twice.
//!
//! An error-free sum or product is a pair: the rounded value and what rounding took away, both floats. A sum *to odd* has a last bit that
//! says whether it was rounded; rounding it again, to fewer digits, gives what rounding the exact sum gives. (S. Boldo, G. Melquiond:
//! Emulation of FMA and correctly rounded sums, 2008.)

use super::{Builder, Scalar, Val};
use glasm_ir::{InstFlags, Type};
use spirv::{GlslStd450Op as GlslOp, Op};

impl Builder {
    /// `a * b + c` of floats of type `ty`, rounded once.
    ///
    /// Exact for halves, and for 32-bit floats on devices with 64-bit ones. Otherwise products that leave the range of the type, or whose
    /// last digits do, may be rounded twice.
    pub(crate) fn fused(&mut self, factors: [Val; 2], summand: Val, ty: Type) -> Val {
        // No step may be contracted, nor computed with fewer digits.
        let flags = std::mem::replace(&mut self.flags, InstFlags::PRECISE);
        let size = factors
            .iter()
            .fold(summand.size, |size, it| size.max(it.size));
        let [a, b] = self.factors(factors, ty);
        let [a, b, c] = [a, b, summand].map(|val| self.widen(val, size));
        let val = if ty == Type::F16 {
            // The product of two halves is a float of 32 bits.
            let product = self.binary(Op::FMul, a, b);
            self.sum_to_odd(product, c)
        } else if ty == Type::F32 && self.device.float64 {
            let [a, b, c] = [a, b, c].map(|val| self.unary_to(Op::FConvert, Scalar::F64, val));
            let product = self.binary(Op::FMul, a, b);
            let sum = self.wide_sum_to_odd(product, c);
            self.unary_to(Op::FConvert, Scalar::F32, sum)
        } else {
            self.fused_by_parts([a, b, c])
        };
        self.flags = flags;
        val
    }

    /// Factors whose product is +0 where zero wins.
    fn factors(&mut self, factors: [Val; 2], ty: Type) -> [Val; 2] {
        if !self.zero_product || ty != Type::F32 {
            return factors;
        }
        let [a_zero, b_zero] = factors.map(|factor| self.compare_bits(Op::FOrdEqual, factor, 0));
        let either = self.test(Op::LogicalOr, a_zero, b_zero);
        factors.map(|factor| {
            let zero = self.constant_like(factor, 0);
            self.select(either, zero, factor)
        })
    }

    /// In arithmetic of the type itself.
    fn fused_by_parts(&mut self, [a, b, c]: [Val; 3]) -> Val {
        let plain = self.ext(GlslOp::Fma, &[a, b, c]);
        let (product, low) = self.product_with_error(a, b);
        let (sum, error) = self.sum_with_error(c, low);
        let (high, rest) = self.sum_with_error(product, sum);
        // Up to here nothing is lost: `high`, `rest` and `error` have the exact sum.
        // Two roundings are left, of the rest and of the sum. To odd the first one loses nothing that the second one asks for.
        let rest = match plain.scalar == Scalar::F64 {
            true => self.wide_sum_to_odd(error, rest),
            false => self.sum_to_odd(error, rest),
        };
        let exact = self.binary(Op::FAdd, high, rest);
        // Infinities, and factors too large to be split, leave no number.
        let difference = self.binary(Op::FSub, exact, exact);
        let finite = self.compare_bits(Op::FOrdEqual, difference, 0);
        self.select(finite, exact, plain)
    }

    /// `a + b` rounded, and what rounding took away.
    fn sum_with_error(&mut self, a: Val, b: Val) -> (Val, Val) {
        let sum = self.binary(Op::FAdd, a, b);
        let part = self.binary(Op::FSub, sum, a);
        let rest = self.binary(Op::FSub, sum, part);
        let [of_a, of_b] = [(a, rest), (b, part)].map(|(a, b)| self.binary(Op::FSub, a, b));
        (sum, self.binary(Op::FAdd, of_a, of_b))
    }

    /// `a * b` rounded, and what rounding took away.
    fn product_with_error(&mut self, a: Val, b: Val) -> (Val, Val) {
        let product = self.binary(Op::FMul, a, b);
        let ([a_high, a_low], [b_high, b_low]) = (self.split_float(a), self.split_float(b));
        let highs = self.binary(Op::FMul, a_high, b_high);
        let mut error = self.binary(Op::FSub, highs, product);
        for (a, b) in [(a_high, b_low), (a_low, b_high), (a_low, b_low)] {
            let part = self.binary(Op::FMul, a, b);
            error = self.binary(Op::FAdd, error, part);
        }
        (product, error)
    }

    /// Two floats of half the digits whose sum is `a`.
    fn split_float(&mut self, a: Val) -> [Val; 2] {
        // Half of the digits, rounded up: 53 and 24 of them. Products of halves are exact then (Veltkamp, Dekker).
        let digits = if a.scalar == Scalar::F64 { 27 } else { 12 };
        let scaled = self.binary_float(Op::FMul, a, f64::from((1u32 << digits) + 1));
        let rest = self.binary(Op::FSub, scaled, a);
        let high = self.binary(Op::FSub, scaled, rest);
        [high, self.binary(Op::FSub, a, high)]
    }

    /// Where a sum that was rounded has an even last bit, and where it was rounded away from zero.
    fn rounded_sum(&mut self, sum: Val, error: Val, low: Val) -> [Val; 2] {
        let last = self.binary_bits(Op::BitwiseAnd, low, 1);
        let even = self.compare_bits(Op::IEqual, last, 0);
        let inexact =
            [Op::FOrdLessThan, Op::FOrdGreaterThan].map(|op| self.compare_bits(op, error, 0));
        let negative = self.compare_bits(Op::FOrdLessThan, sum, 0);
        let away = self.test(Op::LogicalNotEqual, inexact[0], negative);
        let inexact = self.test(Op::LogicalOr, inexact[0], inexact[1]);
        [self.test(Op::LogicalAnd, even, inexact), away]
    }

    /// A sum to odd of 32-bit floats.
    fn sum_to_odd(&mut self, a: Val, b: Val) -> Val {
        let (sum, error) = self.sum_with_error(a, b);
        let bits = self.reread(sum, Scalar::U32);
        let [wrong, away] = self.rounded_sum(sum, error, bits);
        let [below, above] = [Op::ISub, Op::IAdd].map(|op| self.binary_bits(op, bits, 1));
        let odd = self.select(away, below, above);
        let bits = self.select(wrong, odd, bits);
        self.reread(bits, Scalar::F32)
    }

    /// A sum to odd of 64-bit floats, whose bits are words: devices need not have integers of that width.
    fn wide_sum_to_odd(&mut self, a: Val, b: Val) -> Val {
        let (sums, errors) = self.sum_with_error(a, b);
        self.each(sums, |w, index| {
            let (sum, error) = (w.component(sums, index), w.component(errors, index));
            let pair = w.ext_to(GlslOp::UnpackDouble2x32, Scalar::Pair, 1, sum.id);
            let [low, high] = w.wide_words(pair);
            let [wrong, away] = w.rounded_sum(sum, error, low);
            // Minus 1 in two's complement: a borrow may go into the high word.
            let below = w.wide_plus(pair, u64::MAX);
            let [below, below_high] = w.wide_words(below);
            // The last bit is even where this is taken, so that no carry arises.
            let above = w.binary_bits(Op::BitwiseOr, low, 1);
            let odd = [(below, above), (below_high, high)].map(|(a, b)| w.select(away, a, b));
            let words = [(odd[0], low), (odd[1], high)].map(|(a, b)| w.select(wrong, a, b));
            let bits = w.wide_value(words);
            w.ext_to(GlslOp::PackDouble2x32, Scalar::F64, 1, bits.id)
        })
    }
}
