//! Floats to whole numbers, toward zero and to the nearest.
//!
//! Doubles get by with `Floor` and `Ceil`. Drivers that convert through 32-bit integers where the CPU has no instruction for their vectors
//! (Mesa 22.3 without AVX-512) lose all doubles beyond 2^31 in `Trunc` and `RoundEven`, and the signs of zeros.

use super::{Builder, Scalar, Val};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl Builder {
    /// The whole number next to `val` on the side of zero. -0.5 gives -0.
    pub(crate) fn truncated(&mut self, val: Val) -> Val {
        if val.scalar != Scalar::F64 {
            return self.ext(GlslOp::Trunc, &[val]);
        }
        let (low, high) = self.neighbors(val);
        let negative = self.compare_bits(Spv::FOrdLessThan, val, 0);
        self.select(negative, high, low)
    }

    /// The whole number nearest to `val`, the even one of two. -0.5 gives -0.
    pub(crate) fn rounded_to_even(&mut self, val: Val) -> Val {
        if val.scalar != Scalar::F64 {
            return self.ext(GlslOp::RoundEven, &[val]);
        }
        let (low, high) = self.neighbors(val);
        // The difference is exact, except for values just below zero: there it comes to 1 or nearly 1, which rounds up as the exact
        // one does.
        let rest = self.binary(Spv::FSub, val, low);
        let half = self.float_like(val, 0.5);
        let beyond = self.test(Spv::FOrdGreaterThan, rest, half);
        let tie = self.test(Spv::FOrdEqual, rest, half);
        // The lower neighbor is odd if its half is not a whole number.
        let halved = self.binary(Spv::FMul, low, half);
        let floor = self.ext(GlslOp::Floor, &[halved]);
        let odd = self.test(Spv::FOrdNotEqual, floor, halved);
        let tie_up = self.test(Spv::LogicalAnd, tie, odd);
        let up = self.test(Spv::LogicalOr, beyond, tie_up);
        self.select(up, high, low)
    }

    /// The whole numbers next to `val`, below and above; both are `val` if it is one, an infinity or NaN.
    fn neighbors(&mut self, val: Val) -> (Val, Val) {
        (
            self.ext(GlslOp::Floor, &[val]),
            self.ext(GlslOp::Ceil, &[val]),
        )
    }
}
