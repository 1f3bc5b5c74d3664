//! 64-bit integers on devices without them: pairs of words, lane by lane.
//!
//! Addresses need addition, subtraction, shifts, logic, comparison and conversion; multiplication comes cheap. Division and
//! conversion from and to floats are left to devices that have 64-bit integers.

use super::Emit;
use super::inst::Job;
use super::result::Outcome;
use crate::analysis::is_comparison;
use crate::error::{Error, Failure};
use crate::gather::Lane;
use crate::writer::{Scalar, Val};
use glasm_ir::inst::read_lanes;
use glasm_ir::{Aux, Inst, Op, Type, Width, WriteMask};
use spirv::Op as Spv;

/// Low and high word.
type Words = [Val; 2];

impl Emit<'_> {
    /// One instruction on 64-bit integers.
    pub(super) fn wide_inst(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        let mut lanes = [Lane::UNDEFINED; 4];
        for lane in WriteMask(job.lanes).lanes() {
            lanes[lane] = self.wide_lane(job, lane)?.lane(0);
        }
        Ok(Outcome::Lanes(lanes))
    }

    fn wide_lane(&mut self, job: Job<'_>, lane: usize) -> Result<Val, Failure> {
        let inst = job.inst;
        if let Aux::Cvt { from, saturate, .. } = inst.aux {
            return self.wide_convert(job, lane, from, saturate);
        }
        let mut values = [None; 3];
        let program = self.program;
        for (number, value) in values
            .iter_mut()
            .enumerate()
            .take(inst.source_count as usize)
        {
            let read = read_lanes(program, inst, number, 1 << lane);
            let src = &program.srcs[inst.first_source as usize + number];
            *value = Some(self.source_as(src, inst.ty, read)?);
        }
        let [Some(a), b, c] = values else {
            return Err(unsupported(inst));
        };
        let (b, c) = (b.unwrap_or(a), c.unwrap_or(a));
        let [x, y, z] = [a, b, c].map(|val| self.wide_words(val));
        if is_comparison(inst.op) {
            return Ok(self.wide_comparison(inst, x, y));
        }
        let Some(words) = self.wide_words_of(inst, x, y, z) else {
            return Err(unsupported(inst));
        };
        Ok(self.wide_value(words))
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only some operations are emulated"
    )]
    fn wide_words_of(&mut self, inst: &Inst, x: Words, y: Words, z: Words) -> Option<Words> {
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
            Op::Min => {
                let greater = self.wide_less(y, x, signed);
                self.wide_choose(greater, y, x)
            }
            Op::Max => {
                let greater = self.wide_less(y, x, signed);
                self.wide_choose(greater, x, y)
            }
            Op::Sign => self.wide_sign(x, signed),
            Op::SelLt if !signed => z,
            Op::SelLt => {
                let below = self.compare_bits(Spv::SLessThan, x[1], 0);
                self.wide_choose(below, y, z)
            }
            Op::SelNz => {
                let any = self.binary(Spv::BitwiseOr, x[0], x[1]);
                let any = self.compare_bits(Spv::INotEqual, any, 0);
                self.wide_choose(any, y, z)
            }
            _ => return None,
        })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only comparisons come here")]
    fn wide_comparison(&mut self, inst: &Inst, x: Words, y: Words) -> Val {
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
            _ => self.wide_equal(x, y),
        }
    }

    fn wide_convert(
        &mut self,
        job: Job<'_>,
        lane: usize,
        from: Type,
        saturate: bool,
    ) -> Result<Val, Failure> {
        let to = job.inst.ty;
        if from.is_float() || to.is_float() || saturate {
            return Err(unsupported(job.inst));
        }
        let program = self.program;
        let src = &program.srcs[job.inst.first_source as usize];
        if from.width() == Width::W64 {
            let val = self.source_as(src, from, 1 << lane)?;
            if to.width() == Width::W64 {
                return Ok(val);
            }
            let [low, _] = self.wide_words(val);
            return Ok(if to.width() == Width::W32 {
                low
            } else {
                self.extend(low, to.width().bits(), to.is_signed_int())
            });
        }
        let low = self.source_as(src, Type::of(from.base(), Width::W32), 1 << lane)?;
        let low = if from.width() == Width::W32 {
            low
        } else {
            self.extend(low, from.width().bits(), from.is_signed_int())
        };
        let high = self.sign_word(low, from);
        Ok(self.wide_value([low, high]))
    }

    /// Integers of type `from` as ones of the other width, 32 or 64 bits.
    pub(super) fn resized(&mut self, outcome: Outcome, from: Type, lanes: u8) -> Outcome {
        let mut values = match outcome {
            Outcome::Val(val) => {
                let mut values = [Lane::UNDEFINED; 4];
                for (component, lane) in WriteMask(lanes).lanes().enumerate() {
                    values[lane] = val.lane(component);
                }
                values
            }
            Outcome::Lanes(values) => values,
            Outcome::None => return outcome,
        };
        let (scalar, pairs) = (self.read_scalar(from), self.wide_int() == Scalar::Pair);
        for lane in WriteMask(lanes).lanes() {
            let value = self.w.scalar(values[lane], scalar);
            let value = self.w.val(value);
            let resized = match (from.width() == Width::W64, pairs) {
                (true, true) => self.wide_words(value)[0],
                (true, false) => self.unary_to(Spv::UConvert, Scalar::U32, value),
                (false, true) => {
                    let high = self.sign_word(value, from);
                    self.wide_value([value, high])
                }
                (false, false) if from.is_signed_int() => self.sign_extended(value),
                (false, false) => self.unary_to(Spv::UConvert, Scalar::U64, value),
            };
            values[lane] = resized.lane(0);
        }
        Outcome::Lanes(values)
    }

    /// The upper word of a 32-bit integer that becomes one of 64 bits.
    fn sign_word(&mut self, low: Val, from: Type) -> Val {
        if from.is_signed_int() {
            let sign = self.constant_like(low, 31);
            self.binary(Spv::ShiftRightArithmetic, low, sign)
        } else {
            self.constant_like(low, 0)
        }
    }

    /// The words of a pair.
    pub(super) fn wide_words(&mut self, val: Val) -> Words {
        if let Some(bits) = self.w.constant_bits(val.id) {
            return [bits & 0xffff_ffff, bits >> 32].map(|word| {
                let id = self.w.uint(word as u32);
                self.w.val(id)
            });
        }
        [0, 1].map(|word| {
            self.w
                .op(Spv::CompositeExtract, Scalar::U32, 1, &[val.id.0, word])
        })
    }

    fn wide_value(&mut self, [low, high]: Words) -> Val {
        if let (Some(low), Some(high)) = (self.splat_bits(low), self.splat_bits(high)) {
            let id = self.w.constant(Scalar::Pair, low | high << 32);
            return self.w.val(id);
        }
        self.w.op(
            Spv::CompositeConstruct,
            Scalar::Pair,
            1,
            &[low.id.0, high.id.0],
        )
    }

    /// A 64-bit value plus a constant.
    pub(super) fn wide_plus(&mut self, val: Val, constant: u64) -> Val {
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
    pub(super) fn wide_below(&mut self, a: Val, b: Val) -> Val {
        let (a, b) = (self.wide_words(a), self.wide_words(b));
        self.wide_less(a, b, false)
    }

    /// `a * b`
    pub(super) fn wide_times(&mut self, a: Val, b: Val) -> Val {
        let (a, b) = (self.wide_words(a), self.wide_words(b));
        let product = self.wide_mul(a, b);
        self.wide_value(product)
    }

    pub(super) fn wide_negate(&mut self, val: Val) -> Val {
        let words = self.wide_words(val);
        let zero = words.map(|word| self.constant_like(word, 0));
        let negated = self.wide_sub(zero, words);
        self.wide_value(negated)
    }

    pub(super) fn wide_abs(&mut self, val: Val) -> Val {
        let words = self.wide_words(val);
        let negated = self.wide_negate(val);
        let negated = self.wide_words(negated);
        let below = self.compare_bits(Spv::SLessThan, words[1], 0);
        let result = self.wide_choose(below, negated, words);
        self.wide_value(result)
    }

    /// `passes ? a : b` on lanes of pairs.
    pub(super) fn wide_select(&mut self, passes: Lane, a: Lane, b: Lane) -> Lane {
        let passes = self.w.scalar(passes, Scalar::BoolInt);
        let passes = self.w.val(passes);
        let [a, b] = [a, b].map(|lane| {
            let id = self.w.scalar(lane, Scalar::Pair);
            let val = self.w.val(id);
            self.wide_words(val)
        });
        let words = self.wide_choose(passes, a, b);
        self.wide_value(words).lane(0)
    }

    fn wide_choose(&mut self, cond: Val, a: Words, b: Words) -> Words {
        [self.select(cond, a[0], b[0]), self.select(cond, a[1], b[1])]
    }

    fn wide_each(&mut self, op: Spv, a: Words, b: Words) -> Words {
        [self.binary(op, a[0], b[0]), self.binary(op, a[1], b[1])]
    }

    /// 1 where the condition holds.
    fn bit(&mut self, cond: Val) -> Val {
        let zero = self.w.uint(0);
        let zero = self.w.val(zero);
        let one = self.constant_like(zero, 1);
        self.select(cond, one, zero)
    }

    fn wide_add(&mut self, a: Words, b: Words) -> Words {
        let low = self.binary(Spv::IAdd, a[0], b[0]);
        let carry = self.compare(Spv::ULessThan, Scalar::BoolInt, low, a[0]);
        let carry = self.bit(carry);
        let high = self.binary(Spv::IAdd, a[1], b[1]);
        [low, self.binary(Spv::IAdd, high, carry)]
    }

    fn wide_sub(&mut self, a: Words, b: Words) -> Words {
        let low = self.binary(Spv::ISub, a[0], b[0]);
        let borrow = self.compare(Spv::ULessThan, Scalar::BoolInt, a[0], b[0]);
        let borrow = self.bit(borrow);
        let high = self.binary(Spv::ISub, a[1], b[1]);
        [low, self.binary(Spv::ISub, high, borrow)]
    }

    fn wide_mul(&mut self, a: Words, b: Words) -> Words {
        let [low, high] = self.wide_product(a[0], b[0]);
        let cross = self.binary(Spv::IMul, a[0], b[1]);
        let high = self.binary(Spv::IAdd, high, cross);
        let cross = self.binary(Spv::IMul, a[1], b[0]);
        [low, self.binary(Spv::IAdd, high, cross)]
    }

    /// -1, 0 or 1
    fn wide_sign(&mut self, a: Words, signed: bool) -> Words {
        let any = self.binary(Spv::BitwiseOr, a[0], a[1]);
        let any = self.compare_bits(Spv::INotEqual, any, 0);
        let low = self.bit(any);
        let zero = self.constant_like(low, 0);
        if !signed {
            return [low, zero];
        }
        let below = self.compare_bits(Spv::SLessThan, a[1], 0);
        let ones = self.constant_like(low, 0xffff_ffff);
        self.wide_choose(below, [ones, ones], [low, zero])
    }

    fn wide_equal(&mut self, a: Words, b: Words) -> Val {
        let low = self.compare(Spv::IEqual, Scalar::BoolInt, a[0], b[0]);
        let high = self.compare(Spv::IEqual, Scalar::BoolInt, a[1], b[1]);
        self.truth_op(Spv::LogicalAnd, low, high)
    }

    fn wide_less(&mut self, a: Words, b: Words, signed: bool) -> Val {
        let op = if signed {
            Spv::SLessThan
        } else {
            Spv::ULessThan
        };
        let above = self.compare(op, Scalar::BoolInt, a[1], b[1]);
        let same = self.compare(Spv::IEqual, Scalar::BoolInt, a[1], b[1]);
        let below = self.compare(Spv::ULessThan, Scalar::BoolInt, a[0], b[0]);
        let both = self.truth_op(Spv::LogicalAnd, same, below);
        self.truth_op(Spv::LogicalOr, above, both)
    }

    /// The count within a word, the rest of a word, and whether it is more than a word.
    fn shift_parts(&mut self, count: Val) -> (Val, Val, Val) {
        let (last, word) = (self.constant_like(count, 31), self.constant_like(count, 32));
        let within = self.binary(Spv::BitwiseAnd, count, last);
        let rest = self.binary(Spv::ISub, last, within);
        let beyond = self.binary(Spv::BitwiseAnd, count, word);
        let beyond = self.compare_bits(Spv::INotEqual, beyond, 0);
        (within, rest, beyond)
    }

    fn wide_shl(&mut self, a: Words, count: Val) -> Words {
        let (within, rest, beyond) = self.shift_parts(count);
        let low = self.binary(Spv::ShiftLeftLogical, a[0], within);
        let one = self.constant_like(a[0], 1);
        let carried = self.binary(Spv::ShiftRightLogical, a[0], one);
        let carried = self.binary(Spv::ShiftRightLogical, carried, rest);
        let high = self.binary(Spv::ShiftLeftLogical, a[1], within);
        let high = self.binary(Spv::BitwiseOr, high, carried);
        let zero = self.constant_like(low, 0);
        self.wide_choose(beyond, [zero, low], [low, high])
    }

    fn wide_shr(&mut self, a: Words, count: Val, ty: Type) -> Words {
        let op = if ty.is_signed_int() {
            Spv::ShiftRightArithmetic
        } else {
            Spv::ShiftRightLogical
        };
        let (within, rest, beyond) = self.shift_parts(count);
        let high = self.binary(op, a[1], within);
        let one = self.constant_like(a[1], 1);
        let carried = self.binary(Spv::ShiftLeftLogical, a[1], one);
        let carried = self.binary(Spv::ShiftLeftLogical, carried, rest);
        let low = self.binary(Spv::ShiftRightLogical, a[0], within);
        let low = self.binary(Spv::BitwiseOr, low, carried);
        let fill = if ty.is_signed_int() {
            let sign = self.constant_like(a[1], 31);
            self.binary(op, a[1], sign)
        } else {
            self.constant_like(high, 0)
        };
        self.wide_choose(beyond, [high, fill], [low, high])
    }
}

fn unsupported(inst: &Inst) -> Failure {
    let (op, ty) = (inst.op.name(), inst.ty.name());
    let what = format!("shaderInt64, and {op}.{ty} is not emulated");
    Error::missing_feature("shaderInt64").calling_it(&what)
}
