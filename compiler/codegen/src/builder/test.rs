//! Condition codes of values: tests, and the form in which codes pass joins.

use super::Lane;
use super::{Builder, Cached, Home, ResultKey, Scalar, Val};
use crate::words::ValueWord;
use glasm_ir::interp::Flags;
use glasm_ir::{CondTest, Type};
use spirv::{GlslStd450Op as GlslOp, Op};

impl Builder {
    /// A lane of condition codes in the form `to`, with the same sign and zero flags.
    pub(crate) fn canonical_cond(&mut self, lane: Lane, to: Scalar) -> ValueWord {
        if !lane.id().is_some() {
            return self.constant(to, 0);
        }
        let from = self.info(lane.id()).scalar;
        match (from, to) {
            // Classes of constants are constants, which a conversion in code would not be.
            _ if from != to && to == Scalar::F32 && self.is_constant(lane.id()) => {
                self.constant_class(lane, from)
            }
            // SF is the top bit of unsigned results, too (NV_gpu_program4 section 2.X.4.3), so the conversion is signed. It may
            // round, but keeps sign and zero.
            (Scalar::U32, Scalar::F32) => {
                let value = self.lane_val(lane, from);
                self.unary_to(Op::ConvertSToF, Scalar::F32, value).id
            }
            // All ones are negative as an integer, and -1.0 has the same flags; as a float the same bits would be NaN.
            (Scalar::BoolInt, Scalar::F32) => {
                let value = self.lane_val(lane, from);
                let [yes, no] = [-1.0, 0.0].map(|number| self.float_val(number));
                self.select(value, yes, no).id
            }
            (Scalar::F64 | Scalar::U64 | Scalar::Pair, Scalar::F32) => self.cond_class(lane),
            _ => self.scalar(lane, to),
        }
    }

    /// -1, 0, 1 or NaN with the flags of a constant.
    fn constant_class(&mut self, lane: Lane, from: Scalar) -> ValueWord {
        let ty = match from {
            Scalar::BoolFloat | Scalar::F32 => Type::F32,
            Scalar::F64 => Type::F64,
            Scalar::U64 | Scalar::Pair => Type::S64,
            Scalar::BoolInt | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::S32 => Type::S32,
        };
        let flags = Flags::of_result(ty, ty.width(), self.lane_bits(lane));
        self.float(match (flags.sign, flags.zero) {
            (false, false) => 1.0,
            (true, false) => -1.0,
            (false, true) => 0.0,
            // Only NaN has both flags.
            (true, true) => f32::NAN,
        })
    }

    /// -1, 0, 1 or NaN with the flags of a 64-bit value.
    fn cond_class(&mut self, lane: Lane) -> ValueWord {
        let from = self.info(lane.id()).scalar;
        let value = self.lane_val(lane, from);
        let negative = self.test_value(value, CondTest::Sign, None);
        let zero = self.test_value(value, CondTest::Eq, None);
        let nan = self.test_value(value, CondTest::Nan, None);
        let [minus_one, plain_zero, one, not_a_number] =
            [-1.0, 0.0, 1.0, f32::NAN].map(|number| self.float_val(number));
        let class = self.select(negative, minus_one, one);
        let class = self.select(zero, plain_zero, class);
        self.select(nan, not_a_number, class).id
    }

    pub(crate) fn test_wide(
        &mut self,
        test: CondTest,
        values: &[Lane],
        flags: &[[Lane; 4]; 2],
    ) -> Val {
        let mut passes = [Lane::UNDEFINED; 4];
        for (index, &lane) in values.iter().enumerate() {
            let value = self.lane_val(lane, Scalar::Pair);
            let [overflow, carry] =
                [0, 1].map(|flag| self.gather(&[flags[flag][index]], Scalar::BoolInt));
            // A pair at a time: its tests compare two words.
            passes[index] = self
                .test_value(value, test, Some([overflow, carry]))
                .lane(0);
        }
        self.gather(&passes[..values.len()], Scalar::BoolInt)
    }

    /// The type in which these lanes can be tested together.
    pub(crate) fn common_cond_scalar(&self, lanes: &[Lane]) -> Scalar {
        let mut scalars = lanes
            .iter()
            .filter(|lane| lane.id().is_some())
            .map(|lane| self.info(lane.id()).scalar);
        let first = scalars.next().unwrap_or(Scalar::F32);
        if scalars.all(|scalar| scalar == first) {
            first
        } else {
            // The form that all others can take: a float with the same sign and zero flags.
            Scalar::F32
        }
    }

    pub(crate) fn cached_test(&mut self, value: Val, test: CondTest) -> Val {
        let key = ResultKey::test(test);
        if let Some(id) = self.known_result(value.id, key) {
            return self.val(id);
        }
        let result = self.test_value(value, test, None);
        // Constants are found again by their bits, in any branch.
        if self.info(result.id).home != Home::Constant {
            self.keep_result(value.id, key, result.id);
            self.remember(Cached::Result(value.id, key));
        }
        result
    }

    /// The test of a value; `flags` are overflow and carry where they matter.
    pub(crate) fn test_value(
        &mut self,
        value: Val,
        test: CondTest,
        flags: Option<[Val; 2]>,
    ) -> Val {
        match value.scalar {
            Scalar::BoolFloat | Scalar::BoolInt => self.test_truth(value, test),
            Scalar::F32 | Scalar::F64 => self.test_float(value, test, flags),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::S32 | Scalar::U64 | Scalar::Pair => {
                self.test_int(value, test, flags)
            }
        }
    }

    /// A truth value: zero if false; if true positive (float) or negative (integer).
    fn test_truth(&mut self, value: Val, test: CondTest) -> Val {
        let truth = Self::as_truth(value, Scalar::BoolInt);
        let is_int = value.scalar == Scalar::BoolInt;
        match test {
            CondTest::Ne => truth,
            CondTest::Eq => self.not(truth),
            CondTest::Lt | CondTest::Sign if is_int => truth,
            CondTest::Gt if !is_int => truth,
            CondTest::Ge | CondTest::NoSign if is_int => self.not(truth),
            CondTest::Le if !is_int => self.not(truth),
            // OF and CF are clear, and no truth value is NaN (table X.16 of NV_gpu_program4 section 2.X.4.3).
            CondTest::BelowEqual
            | CondTest::True
            | CondTest::Leg
            | CondTest::NoCarry
            | CondTest::NoOverflow
            | CondTest::Ge
            | CondTest::NoSign
            | CondTest::Le => self.always(),
            CondTest::Lt
            | CondTest::Sign
            | CondTest::Gt
            | CondTest::False
            | CondTest::Nan
            | CondTest::Carry
            | CondTest::Overflow
            | CondTest::Above => self.never(),
        }
    }

    fn test_float(&mut self, value: Val, test: CondTest, flags: Option<[Val; 2]>) -> Val {
        let set = |flag: &Val| self.splat_bits(*flag) != Some(0);
        if let Some(flags) = flags.filter(|flags| test.reads_overflow() && flags.iter().any(set)) {
            return self.test_float_and_flags(value, test, flags);
        }
        // Table X.16 of NV_gpu_program4 section 2.X.4.3 with OF and CF clear. NaN sets SF and ZF: it fails LT, LE, EQ, GT and GE
        // and passes NE.
        let compare = match test {
            CondTest::Eq => Op::FOrdEqual,
            CondTest::Ne => Op::FUnordNotEqual,
            CondTest::Lt => Op::FOrdLessThan,
            CondTest::Le => Op::FOrdLessThanEqual,
            CondTest::Gt => Op::FOrdGreaterThan,
            CondTest::Ge | CondTest::NoSign => Op::FOrdGreaterThanEqual,
            CondTest::Sign => Op::FUnordLessThan,
            CondTest::Nan => {
                return self.test(Op::FUnordNotEqual, value, value);
            }
            CondTest::Leg => return self.test(Op::FOrdEqual, value, value),
            CondTest::True | CondTest::NoCarry | CondTest::NoOverflow | CondTest::BelowEqual => {
                return self.always();
            }
            CondTest::False | CondTest::Carry | CondTest::Overflow | CondTest::Above => {
                return self.never();
            }
        };
        self.compare_bits(compare, value, 0)
    }

    /// The test of a float that stands for integers in some of its lanes, whose overflow and carry count, too: Table X.16 of
    /// NV_gpu_program4 section 2.X.4.3.
    fn test_float_and_flags(
        &mut self,
        value: Val,
        test: CondTest,
        [overflow, carry]: [Val; 2],
    ) -> Val {
        match test {
            CondTest::Carry => carry,
            CondTest::NoCarry => self.not(carry),
            CondTest::Overflow => overflow,
            CondTest::NoOverflow => self.not(overflow),
            CondTest::Above => {
                let not_zero = self.float_not_zero(value);
                self.truth_op(Op::LogicalAnd, carry, not_zero)
            }
            CondTest::BelowEqual => {
                let above = self.test_float_and_flags(value, CondTest::Above, [overflow, carry]);
                self.not(above)
            }
            // `(SF && !ZF) ^ OF`: NaN has both flags, so that the ordered comparison is that of the parenthesis.
            CondTest::Lt => {
                let below = self.compare_bits(Op::FOrdLessThan, value, 0);
                self.truth_xor(below, overflow)
            }
            // The table has `!(SF ^ OF)`. SF counts, which NaN sets, too: the comparison is the unordered one.
            CondTest::Ge => {
                let sign = self.compare_bits(Op::FUnordLessThan, value, 0);
                let less = self.truth_xor(sign, overflow);
                self.not(less)
            }
            CondTest::Gt => {
                let above = self.test_float_and_flags(value, CondTest::Ge, [overflow, carry]);
                let not_zero = self.float_not_zero(value);
                self.truth_op(Op::LogicalAnd, above, not_zero)
            }
            CondTest::Le => {
                let not_zero = self.float_not_zero(value);
                let zero = self.not(not_zero);
                let either = self.truth_op(Op::LogicalOr, zero, overflow);
                let sign = self.compare_bits(Op::FUnordLessThan, value, 0);
                self.truth_xor(sign, either)
            }
            CondTest::Eq
            | CondTest::Ne
            | CondTest::True
            | CondTest::False
            | CondTest::Nan
            | CondTest::Leg
            | CondTest::Sign
            | CondTest::NoSign => self.test_float(value, test, None),
        }
    }

    /// Whether ZF is clear: the value is neither zero nor NaN.
    fn float_not_zero(&mut self, value: Val) -> Val {
        self.compare_bits(Op::FOrdNotEqual, value, 0)
    }

    fn test_int(&mut self, value: Val, test: CondTest, flags: Option<[Val; 2]>) -> Val {
        let never = self.never();
        let [overflow, carry] = flags.unwrap_or([never; 2]);
        match test {
            CondTest::Eq => self.int_zero(value),
            CondTest::Ne => self.int_not_zero(value),
            // Table X.16 of NV_gpu_program4 has `(SF && !ZF) ^ OF`; an integer with SF set is never zero.
            CondTest::Lt => {
                let sign = self.int_sign(value);
                self.truth_xor(sign, overflow)
            }
            CondTest::Ge => {
                let less = self.test_int(value, CondTest::Lt, flags);
                self.not(less)
            }
            CondTest::Le => {
                let zero = self.int_zero(value);
                let either = self.truth_op(Op::LogicalOr, zero, overflow);
                let sign = self.int_sign(value);
                self.truth_xor(sign, either)
            }
            CondTest::Gt => {
                let zero = self.int_zero(value);
                let above = self.test_int(value, CondTest::Ge, flags);
                let not_zero = self.not(zero);
                self.truth_op(Op::LogicalAnd, above, not_zero)
            }
            CondTest::True | CondTest::Leg => self.always(),
            CondTest::False | CondTest::Nan => never,
            CondTest::Carry => carry,
            CondTest::NoCarry => self.not(carry),
            CondTest::Overflow => overflow,
            CondTest::NoOverflow => self.not(overflow),
            CondTest::Sign => self.int_sign(value),
            CondTest::NoSign => {
                let sign = self.int_sign(value);
                self.not(sign)
            }
            // `CF && !ZF`: for a difference, `a > b` of unsigned numbers.
            CondTest::Above => {
                let not_zero = self.int_not_zero(value);
                self.truth_op(Op::LogicalAnd, carry, not_zero)
            }
            CondTest::BelowEqual => {
                let zero = self.int_zero(value);
                let no_carry = self.not(carry);
                self.truth_op(Op::LogicalOr, no_carry, zero)
            }
        }
    }

    fn int_sign(&mut self, value: Val) -> Val {
        if value.scalar == Scalar::Pair {
            // The high word has the sign.
            let [_, high] = self.wide_words(value);
            return self.compare_bits(Op::SLessThan, high, 0);
        }
        self.compare_bits(Op::SLessThan, value, 0)
    }

    pub(crate) fn int_zero(&mut self, value: Val) -> Val {
        if value.scalar == Scalar::Pair {
            let [low, high] = self.wide_words(value);
            let any = self.binary(Op::BitwiseOr, low, high);
            return self.compare_bits(Op::IEqual, any, 0);
        }
        self.compare_bits(Op::IEqual, value, 0)
    }

    pub(crate) fn int_not_zero(&mut self, value: Val) -> Val {
        let zero = self.int_zero(value);
        self.not(zero)
    }

    /// `!value`
    pub(crate) fn not(&mut self, value: Val) -> Val {
        if let Some(parts) = self.constant_parts(value) {
            let parts = parts.map(|bits| u64::from(bits == 0));
            return self.constant_of(Scalar::BoolInt, parts, value.size);
        }
        self.op(Op::LogicalNot, Scalar::BoolInt, value.size, &[value.id.0])
    }

    fn truth_xor(&mut self, a: Val, b: Val) -> Val {
        match self.splat_bits(b) {
            Some(0) => a,
            Some(_) => self.not(a),
            None => self.truth_op(Op::LogicalNotEqual, a, b),
        }
    }

    /// A logical operation.
    pub(crate) fn truth_op(&mut self, op: Op, a: Val, b: Val) -> Val {
        // A constant that decides alone gives a constant, one that decides nothing the other operand.
        for (value, other) in [(a, b), (b, a)] {
            match (op, self.splat_bits(value)) {
                (Op::LogicalOr, Some(0)) => return other,
                (Op::LogicalAnd, Some(bits)) if bits != 0 => return other,
                (Op::LogicalOr | Op::LogicalAnd, Some(bits)) => {
                    let size = a.size.max(b.size);
                    return self.constant_splat(Scalar::BoolInt, bits, size);
                }
                _ => {}
            }
        }
        self.test(op, a, b)
    }

    /// The smaller one of two unsigned integers.
    pub(crate) fn int_min(&mut self, a: Val, b: Val) -> Val {
        if let (Some(a_bits), Some(b_bits)) = (self.splat_bits(a), self.splat_bits(b)) {
            return if a_bits <= b_bits { a } else { b };
        }
        self.ext(GlslOp::UMin, &[a, b])
    }
}
