//! Arithmetic of 64-bit integers on devices without them: pairs of words.

use super::Lane;
use super::{Builder, Scalar, Val, by_sign};
use glasm_ir::{Inst, Op, Type};
use spirv::Op as Spv;

/// Low and high word.
pub(crate) type WideWords = [Val; 2];

impl Builder {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only some operations are emulated"
    )]
    pub(crate) fn wide_words_of(
        &mut self,
        inst: &Inst,
        x: WideWords,
        y: WideWords,
        z: WideWords,
    ) -> Option<WideWords> {
        let signed = inst.ty.is_signed_int();
        Some(match inst.op {
            Op::Mov => x,
            Op::Add => self.wide_add(x, y),
            Op::Sub => self.wide_sub(x, y),
            Op::Mul => self.wide_mul(x, y),
            Op::Mad => {
                let product = self.wide_mul(x, y);
                self.wide_add(product, z)
            }
            Op::And => self.wide_each(Spv::BitwiseAnd, x, y),
            Op::Or => self.wide_each(Spv::BitwiseOr, x, y),
            Op::Xor => self.wide_each(Spv::BitwiseXor, x, y),
            Op::Not => x.map(|word| self.unary(Spv::Not, word)),
            Op::Shl => self.wide_shl(x, y[0]),
            Op::Shr => self.wide_shr(x, y[0], inst.ty),
            // `x > y ? y : x`, as `min_max` has it.
            Op::Min => {
                let greater = self.wide_less(y, x, signed);
                self.wide_choose(greater, y, x)
            }
            Op::Max => {
                let greater = self.wide_less(y, x, signed);
                self.wide_choose(greater, x, y)
            }
            Op::Sign => self.wide_sign(x, signed),
            // No unsigned value is below 0.
            Op::SelLt if !signed => z,
            Op::SelLt => {
                let below = self.compare_bits(Spv::SLessThan, x[1], 0);
                self.wide_choose(below, y, z)
            }
            Op::SelNz => {
                let any = self.wide_any(x);
                self.wide_choose(any, y, z)
            }
            _ => return None,
        })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only comparisons come here")]
    pub(crate) fn wide_comparison(&mut self, inst: &Inst, x: WideWords, y: WideWords) -> Val {
        let signed = inst.ty.is_signed_int();
        match inst.op {
            Op::SetNe => {
                let equal = self.wide_equal(x, y);
                self.not(equal)
            }
            Op::SetLt => self.wide_less(x, y, signed),
            Op::SetGt => self.wide_less(y, x, signed),
            Op::SetGe => {
                let less = self.wide_less(x, y, signed);
                self.not(less)
            }
            Op::SetLe => {
                let greater = self.wide_less(y, x, signed);
                self.not(greater)
            }
            // `SetEq`, the only one left.
            _ => self.wide_equal(x, y),
        }
    }

    /// The upper word of a 32-bit integer that becomes one of 64 bits.
    pub(crate) fn sign_word(&mut self, low: Val, from: Type) -> Val {
        if from.is_signed_int() {
            self.binary_bits(Spv::ShiftRightArithmetic, low, 31)
        } else {
            self.constant_like(low, 0)
        }
    }

    /// The words of a pair.
    pub(crate) fn wide_words(&mut self, val: Val) -> WideWords {
        // Words of constants are constants, so that what is known of one folds on.
        if let Some(bits) = self.constant_bits(val.id) {
            return [bits, bits >> 32].map(|word| self.uint_val(word as u32));
        }
        [0, 1].map(|word| self.op(Spv::CompositeExtract, Scalar::U32, 1, &[val.id.0, word]))
    }

    pub(crate) fn wide_value(&mut self, [low, high]: WideWords) -> Val {
        if let (Some(low), Some(high)) = (self.splat_bits(low), self.splat_bits(high)) {
            return self.constant_splat(Scalar::Pair, low | high << 32, 1);
        }
        let operands = [low.id.0, high.id.0];
        self.op(Spv::CompositeConstruct, Scalar::Pair, 1, &operands)
    }

    /// A 64-bit value plus a constant.
    pub(crate) fn wide_plus(&mut self, val: Val, constant: u64) -> Val {
        if constant == 0 {
            return val;
        }
        let constant = self.constant_like(val, constant);
        if val.scalar != Scalar::Pair {
            return self.binary(Spv::IAdd, val, constant);
        }
        let (a, b) = (self.wide_words(val), self.wide_words(constant));
        let sum = self.wide_add(a, b);
        self.wide_value(sum)
    }

    /// `a < b`, unsigned.
    pub(crate) fn wide_below(&mut self, a: Val, b: Val) -> Val {
        let (a, b) = (self.wide_words(a), self.wide_words(b));
        self.wide_less(a, b, false)
    }

    /// `a * b`
    pub(crate) fn wide_times(&mut self, a: Val, b: Val) -> Val {
        let (a, b) = (self.wide_words(a), self.wide_words(b));
        let product = self.wide_mul(a, b);
        self.wide_value(product)
    }

    pub(crate) fn wide_negate(&mut self, val: Val) -> Val {
        let words = self.wide_words(val);
        let zero = words.map(|word| self.constant_like(word, 0));
        let negated = self.wide_sub(zero, words);
        self.wide_value(negated)
    }

    pub(crate) fn wide_abs(&mut self, val: Val) -> Val {
        let words = self.wide_words(val);
        let negated = self.wide_negate(val);
        let negated = self.wide_words(negated);
        let below = self.compare_bits(Spv::SLessThan, words[1], 0);
        let result = self.wide_choose(below, negated, words);
        self.wide_value(result)
    }

    /// `passes ? a : b` on lanes of pairs.
    pub(crate) fn wide_select(&mut self, passes: Lane, a: Lane, b: Lane) -> Lane {
        let passes = self.lane_val(passes, Scalar::BoolInt);
        let [a, b] = [a, b].map(|lane| {
            let val = self.lane_val(lane, Scalar::Pair);
            self.wide_words(val)
        });
        let words = self.wide_choose(passes, a, b);
        self.wide_value(words).lane(0)
    }

    fn wide_choose(&mut self, cond: Val, a: WideWords, b: WideWords) -> WideWords {
        [self.select(cond, a[0], b[0]), self.select(cond, a[1], b[1])]
    }

    fn wide_each(&mut self, op: Spv, a: WideWords, b: WideWords) -> WideWords {
        [self.binary(op, a[0], b[0]), self.binary(op, a[1], b[1])]
    }

    /// 1 where the condition holds.
    fn bit(&mut self, cond: Val) -> Val {
        let zero = self.uint_val(0);
        let one = self.constant_like(zero, 1);
        self.select(cond, one, zero)
    }

    fn wide_add(&mut self, a: WideWords, b: WideWords) -> WideWords {
        let low = self.binary(Spv::IAdd, a[0], b[0]);
        // An unsigned sum that wrapped is less than each summand.
        let carry = self.test(Spv::ULessThan, low, a[0]);
        let carry = self.bit(carry);
        let high = self.binary(Spv::IAdd, a[1], b[1]);
        [low, self.binary(Spv::IAdd, high, carry)]
    }

    fn wide_sub(&mut self, a: WideWords, b: WideWords) -> WideWords {
        // A low word that is less than what is taken from it borrows 2^32 from the high one.
        let low = self.binary(Spv::ISub, a[0], b[0]);
        let borrow = self.test(Spv::ULessThan, a[0], b[0]);
        let borrow = self.bit(borrow);
        let high = self.binary(Spv::ISub, a[1], b[1]);
        [low, self.binary(Spv::ISub, high, borrow)]
    }

    // (a1 2^32 + a0)(b1 2^32 + b0) modulo 2^64 is a0 b0 + (a0 b1 + a1 b0) 2^32; of the two cross products only the low
    // words stay. In two's complement that holds for signed factors, too.
    fn wide_mul(&mut self, a: WideWords, b: WideWords) -> WideWords {
        let [low, high] = self.wide_product(a[0], b[0]);
        // The product of the high words lies beyond 64 bits.
        let cross = self.binary(Spv::IMul, a[0], b[1]);
        let high = self.binary(Spv::IAdd, high, cross);
        let cross = self.binary(Spv::IMul, a[1], b[0]);
        [low, self.binary(Spv::IAdd, high, cross)]
    }

    /// -1, 0 or 1
    fn wide_sign(&mut self, a: WideWords, signed: bool) -> WideWords {
        let any = self.wide_any(a);
        let low = self.bit(any);
        let zero = self.constant_like(low, 0);
        if !signed {
            return [low, zero];
        }
        let below = self.compare_bits(Spv::SLessThan, a[1], 0);
        let ones = self.constant_like(low, 0xffff_ffff);
        self.wide_choose(below, [ones, ones], [low, zero])
    }

    /// Whether a pair is not 0.
    pub(crate) fn wide_any(&mut self, a: WideWords) -> Val {
        let any = self.binary(Spv::BitwiseOr, a[0], a[1]);
        self.compare_bits(Spv::INotEqual, any, 0)
    }

    fn wide_equal(&mut self, a: WideWords, b: WideWords) -> Val {
        let low = self.test(Spv::IEqual, a[0], b[0]);
        let high = self.test(Spv::IEqual, a[1], b[1]);
        self.truth_op(Spv::LogicalAnd, low, high)
    }

    fn wide_less(&mut self, a: WideWords, b: WideWords, signed: bool) -> Val {
        let op = if signed {
            Spv::SLessThan
        } else {
            Spv::ULessThan
        };
        // The sign is in the high words; low words compare as unsigned in either case.
        let above = self.test(op, a[1], b[1]);
        let same = self.test(Spv::IEqual, a[1], b[1]);
        let below = self.test(Spv::ULessThan, a[0], b[0]);
        let both = self.truth_op(Spv::LogicalAnd, same, below);
        self.truth_op(Spv::LogicalOr, above, both)
    }

    /// The count within a word, the rest of a word, and whether it is more than a word.
    fn shift_parts(&mut self, count: Val) -> (Val, Val, Val) {
        // Counts are taken modulo 64: bit 5 tells of a whole word, the bits below it of the rest.
        let (last, word) = (self.constant_like(count, 31), self.constant_like(count, 32));
        let within = self.binary(Spv::BitwiseAnd, count, last);
        let rest = self.binary(Spv::ISub, last, within);
        let beyond = self.binary(Spv::BitwiseAnd, count, word);
        let beyond = self.compare_bits(Spv::INotEqual, beyond, 0);
        (within, rest, beyond)
    }

    fn wide_shl(&mut self, a: WideWords, count: Val) -> WideWords {
        let (within, rest, beyond) = self.shift_parts(count);
        let low = self.binary(Spv::ShiftLeftLogical, a[0], within);
        // Shifted in two steps: for a count of 0 a single one would be by 32, which SPIR-V leaves undefined.
        let carried = self.binary_bits(Spv::ShiftRightLogical, a[0], 1);
        let carried = self.binary(Spv::ShiftRightLogical, carried, rest);
        let high = self.binary(Spv::ShiftLeftLogical, a[1], within);
        let high = self.binary(Spv::BitwiseOr, high, carried);
        let zero = self.constant_like(low, 0);
        // By a word or more: what the low word gave is the high one.
        self.wide_choose(beyond, [zero, low], [low, high])
    }

    fn wide_shr(&mut self, a: WideWords, count: Val, ty: Type) -> WideWords {
        let op = by_sign(ty, [Spv::ShiftRightArithmetic, Spv::ShiftRightLogical]);
        let (within, rest, beyond) = self.shift_parts(count);
        let high = self.binary(op, a[1], within);
        // In two steps for the same reason as in `wide_shl`.
        let carried = self.binary_bits(Spv::ShiftLeftLogical, a[1], 1);
        let carried = self.binary(Spv::ShiftLeftLogical, carried, rest);
        let low = self.binary(Spv::ShiftRightLogical, a[0], within);
        let low = self.binary(Spv::BitwiseOr, low, carried);
        // What comes in from above a whole word: copies of the sign, or zeros.
        let fill = self.sign_word(a[1], ty);
        self.wide_choose(beyond, [high, fill], [low, high])
    }
}
