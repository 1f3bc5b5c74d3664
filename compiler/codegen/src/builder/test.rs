//! Condition codes of values: tests, and the representation of codes in phis.

use super::{Home, Lane, ModuleWriter, ResultKey, Scalar, Val, ValueBuilder, wide};
use crate::words::ValueWord;
use glasm_ir::interp::Flags;
use glasm_ir::{CondTest, Type};
use spirv::Op;

/// Converts a lane of condition codes to the type `to`, with the same sign and zero flags.
pub(crate) fn convert_lane(w: &mut ValueBuilder, lane: Lane, to: Scalar) -> ValueWord {
    if !lane.id().is_some() {
        return w.constant(to, 0);
    }
    let from = w.info(lane.id()).scalar;
    match (from, to) {
        // Classes of constants are constants, unlike the result of an emitted conversion.
        _ if from != to && to == Scalar::F32 && w.is_constant(lane.id()) => {
            classify_constant(w, lane, from)
        }
        // SF is the top bit also of unsigned results (NV_gpu_program4 section 2.X.4.3), so the
        // conversion is signed. It may round, but preserves sign and zero.
        (Scalar::U32, Scalar::F32) => {
            let value = w.lane_val(lane, from);
            w.unary_to(Op::ConvertSToF, Scalar::F32, value).id
        }
        // All ones are negative as an integer, and -1.0 has the same flags; as a float the same
        // bits would be NaN.
        (Scalar::BoolInt, Scalar::F32) => {
            let value = w.lane_val(lane, from);
            let [yes, no] = [-1.0, 0.0].map(|number| w.float_val(number));
            w.select(value, yes, no).id
        }
        (Scalar::F64 | Scalar::U64 | Scalar::Pair, Scalar::F32) => classify(w, lane),
        _ => w.scalar(lane, to),
    }
}

/// Returns -1, 0, 1 or NaN with the flags of a constant.
fn classify_constant(w: &mut ModuleWriter, lane: Lane, from: Scalar) -> ValueWord {
    let ty = match from {
        Scalar::BoolFloat | Scalar::F32 => Type::F32,
        Scalar::F64 => Type::F64,
        Scalar::U64 | Scalar::Pair => Type::S64,
        Scalar::BoolInt | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::S32 => Type::S32,
    };
    let flags = Flags::of_result(ty, ty.width(), w.lane_bits(lane));
    w.float(match (flags.sign, flags.zero) {
        (false, false) => 1.0,
        (true, false) => -1.0,
        (false, true) => 0.0,
        // Only NaN has both flags.
        (true, true) => f32::NAN,
    })
}

/// Computes -1, 0, 1 or NaN with the flags of a 64-bit value.
fn classify(w: &mut ValueBuilder, lane: Lane) -> ValueWord {
    let from = w.info(lane.id()).scalar;
    let value = w.lane_val(lane, from);
    let negative = test_value(w, value, CondTest::Sign, None);
    let zero = test_value(w, value, CondTest::Eq, None);
    let nan = test_value(w, value, CondTest::Nan, None);
    let [minus_one, plain_zero, one, not_a_number] =
        [-1.0, 0.0, 1.0, f32::NAN].map(|number| w.float_val(number));
    let class = w.select(negative, minus_one, one);
    let class = w.select(zero, plain_zero, class);
    w.select(nan, not_a_number, class).id
}

/// Tests lanes of pairs individually.
pub(crate) fn test_pairs(
    w: &mut ValueBuilder,
    test: CondTest,
    values: &[Lane],
    flags: &[[Lane; 4]; 2],
) -> Val {
    let mut passes = [Lane::UNDEFINED; 4];
    for (index, &lane) in values.iter().enumerate() {
        let value = w.lane_val(lane, Scalar::Pair);
        let [overflow, carry] = [0, 1].map(|flag| w.gather(&[flags[flag][index]], Scalar::BoolInt));
        // One pair at a time: its tests compare two words.
        passes[index] = test_value(w, value, test, Some([overflow, carry])).lane(0);
    }
    w.gather(&passes[..values.len()], Scalar::BoolInt)
}

/// Returns the type in which these lanes can be tested together.
pub(crate) fn find_common_scalar(w: &ModuleWriter, lanes: &[Lane]) -> Scalar {
    let mut scalars = lanes
        .iter()
        .filter(|lane| lane.id().is_some())
        .map(|lane| w.info(lane.id()).scalar);
    let first = scalars.next().unwrap_or(Scalar::F32);
    if scalars.all(|scalar| scalar == first) {
        first
    } else {
        // Every other type converts to this one: a float with the same sign and zero flags.
        Scalar::F32
    }
}

/// Tests a value without overflow and carry, and caches the result until the branch ends.
pub(crate) fn test_cached(w: &mut ValueBuilder, value: Val, test: CondTest) -> Val {
    let key = ResultKey::test(test);
    if let Some(id) = w.find_result(value.id, key) {
        return w.val(id);
    }
    let result = test_value(w, value, test, None);
    // Constants are found by their bits, in any branch.
    if w.info(result.id).home != Home::Constant {
        w.keep_result_in_branch(value.id, key, result.id);
    }
    result
}

/// Tests a value; `flags` are overflow and carry if the test depends on them.
pub(crate) fn test_value(
    w: &mut ValueBuilder,
    value: Val,
    test: CondTest,
    flags: Option<[Val; 2]>,
) -> Val {
    match value.scalar {
        Scalar::BoolFloat | Scalar::BoolInt => test_truth(w, value, test),
        Scalar::F32 | Scalar::F64 => test_float(w, value, test, flags),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::S32 | Scalar::U64 | Scalar::Pair => {
            test_int(w, value, test, flags)
        }
    }
}

/// Tests a boolean: zero if false; if true positive (float) or negative (integer).
fn test_truth(w: &mut ValueBuilder, value: Val, test: CondTest) -> Val {
    let truth = value.as_truth(Scalar::BoolInt);
    let is_int = value.scalar == Scalar::BoolInt;
    match test {
        CondTest::Ne => truth,
        CondTest::Eq => w.not(truth),
        CondTest::Lt | CondTest::Sign if is_int => truth,
        CondTest::Gt if !is_int => truth,
        CondTest::Ge | CondTest::NoSign if is_int => w.not(truth),
        CondTest::Le if !is_int => w.not(truth),
        // OF and CF are clear, and no boolean is NaN (table X.16 of NV_gpu_program4 section
        // 2.X.4.3).
        CondTest::BelowEqual
        | CondTest::True
        | CondTest::Leg
        | CondTest::NoCarry
        | CondTest::NoOverflow
        | CondTest::Ge
        | CondTest::NoSign
        | CondTest::Le => w.always(),
        CondTest::Lt
        | CondTest::Sign
        | CondTest::Gt
        | CondTest::False
        | CondTest::Nan
        | CondTest::Carry
        | CondTest::Overflow
        | CondTest::Above => w.never(),
    }
}

fn test_float(w: &mut ValueBuilder, value: Val, test: CondTest, flags: Option<[Val; 2]>) -> Val {
    let set = |flag: &Val| w.splat_bits(*flag) != Some(0);
    if let Some(flags) = flags.filter(|flags| test.reads_overflow() && flags.iter().any(set)) {
        return test_float_and_flags(w, value, test, flags);
    }
    // Table X.16 of NV_gpu_program4 section 2.X.4.3 with OF and CF clear. NaN sets SF and ZF: LT,
    // LE, EQ, GT and GE are false and NE is true.
    let compare = match test {
        CondTest::Eq => Op::FOrdEqual,
        CondTest::Ne => Op::FUnordNotEqual,
        CondTest::Lt => Op::FOrdLessThan,
        CondTest::Le => Op::FOrdLessThanEqual,
        CondTest::Gt => Op::FOrdGreaterThan,
        CondTest::Ge | CondTest::NoSign => Op::FOrdGreaterThanEqual,
        CondTest::Sign => Op::FUnordLessThan,
        CondTest::Nan => {
            return w.test(Op::FUnordNotEqual, value, value);
        }
        CondTest::Leg => return w.test(Op::FOrdEqual, value, value),
        CondTest::True | CondTest::NoCarry | CondTest::NoOverflow | CondTest::BelowEqual => {
            return w.always();
        }
        CondTest::False | CondTest::Carry | CondTest::Overflow | CondTest::Above => {
            return w.never();
        }
    };
    w.compare_bits(compare, value, 0)
}

/// Tests a float that represents integers in some of its lanes and also has overflow and carry
/// flags: Table X.16 of NV_gpu_program4 section 2.X.4.3.
fn test_float_and_flags(
    w: &mut ValueBuilder,
    value: Val,
    test: CondTest,
    [overflow, carry]: [Val; 2],
) -> Val {
    match test {
        CondTest::Carry => carry,
        CondTest::NoCarry => w.not(carry),
        CondTest::Overflow => overflow,
        CondTest::NoOverflow => w.not(overflow),
        CondTest::Above => {
            let not_zero = test_nonzero_float(w, value);
            w.truth_op(Op::LogicalAnd, carry, not_zero)
        }
        CondTest::BelowEqual => {
            let above = test_float_and_flags(w, value, CondTest::Above, [overflow, carry]);
            w.not(above)
        }
        // `(SF && !ZF) ^ OF`: NaN has both flags, so the parenthesized part is the ordered
        // comparison.
        CondTest::Lt => {
            let below = w.compare_bits(Op::FOrdLessThan, value, 0);
            apply_xor(w, below, overflow)
        }
        // The table defines `!(SF ^ OF)`. NaN also sets SF: the comparison is the unordered one.
        CondTest::Ge => {
            let sign = w.compare_bits(Op::FUnordLessThan, value, 0);
            let less = apply_xor(w, sign, overflow);
            w.not(less)
        }
        CondTest::Gt => {
            let above = test_float_and_flags(w, value, CondTest::Ge, [overflow, carry]);
            let not_zero = test_nonzero_float(w, value);
            w.truth_op(Op::LogicalAnd, above, not_zero)
        }
        CondTest::Le => {
            let not_zero = test_nonzero_float(w, value);
            let zero = w.not(not_zero);
            let either = w.truth_op(Op::LogicalOr, zero, overflow);
            let sign = w.compare_bits(Op::FUnordLessThan, value, 0);
            apply_xor(w, sign, either)
        }
        CondTest::Eq
        | CondTest::Ne
        | CondTest::True
        | CondTest::False
        | CondTest::Nan
        | CondTest::Leg
        | CondTest::Sign
        | CondTest::NoSign => test_float(w, value, test, None),
    }
}

/// Tests whether ZF is clear: the value is neither zero nor NaN.
fn test_nonzero_float(w: &mut ValueBuilder, value: Val) -> Val {
    w.compare_bits(Op::FOrdNotEqual, value, 0)
}

fn test_int(w: &mut ValueBuilder, value: Val, test: CondTest, flags: Option<[Val; 2]>) -> Val {
    let never = w.never();
    let [overflow, carry] = flags.unwrap_or([never; 2]);
    match test {
        CondTest::Eq => test_zero(w, value),
        CondTest::Ne => test_nonzero(w, value),
        // Table X.16 of NV_gpu_program4 defines `(SF && !ZF) ^ OF`; an integer with SF set is never
        // zero.
        CondTest::Lt => {
            let sign = test_sign(w, value);
            apply_xor(w, sign, overflow)
        }
        CondTest::Ge => {
            let less = test_int(w, value, CondTest::Lt, flags);
            w.not(less)
        }
        CondTest::Le => {
            let zero = test_zero(w, value);
            let either = w.truth_op(Op::LogicalOr, zero, overflow);
            let sign = test_sign(w, value);
            apply_xor(w, sign, either)
        }
        CondTest::Gt => {
            let zero = test_zero(w, value);
            let above = test_int(w, value, CondTest::Ge, flags);
            let not_zero = w.not(zero);
            w.truth_op(Op::LogicalAnd, above, not_zero)
        }
        CondTest::True | CondTest::Leg => w.always(),
        CondTest::False | CondTest::Nan => never,
        CondTest::Carry => carry,
        CondTest::NoCarry => w.not(carry),
        CondTest::Overflow => overflow,
        CondTest::NoOverflow => w.not(overflow),
        CondTest::Sign => test_sign(w, value),
        CondTest::NoSign => {
            let sign = test_sign(w, value);
            w.not(sign)
        }
        // `CF && !ZF`: for a difference, `a > b` of unsigned numbers.
        CondTest::Above => {
            let not_zero = test_nonzero(w, value);
            w.truth_op(Op::LogicalAnd, carry, not_zero)
        }
        CondTest::BelowEqual => {
            let zero = test_zero(w, value);
            let no_carry = w.not(carry);
            w.truth_op(Op::LogicalOr, no_carry, zero)
        }
    }
}

fn test_sign(w: &mut ValueBuilder, value: Val) -> Val {
    if value.scalar == Scalar::Pair {
        // The high word contains the sign.
        let [_, high] = wide::split(w, value);
        return w.compare_bits(Op::SLessThan, high, 0);
    }
    w.compare_bits(Op::SLessThan, value, 0)
}

pub(crate) fn test_zero(w: &mut ValueBuilder, value: Val) -> Val {
    if value.scalar == Scalar::Pair {
        let [low, high] = wide::split(w, value);
        let any = w.binary(Op::BitwiseOr, low, high);
        return w.compare_bits(Op::IEqual, any, 0);
    }
    w.compare_bits(Op::IEqual, value, 0)
}

pub(crate) fn test_nonzero(w: &mut ValueBuilder, value: Val) -> Val {
    let zero = test_zero(w, value);
    w.not(zero)
}

fn apply_xor(w: &mut ValueBuilder, a: Val, b: Val) -> Val {
    match w.splat_bits(b) {
        Some(0) => a,
        Some(_) => w.not(a),
        None => w.truth_op(Op::LogicalNotEqual, a, b),
    }
}

/// Returns true if two values are those of integer booleans: all ones and 0.
pub(crate) fn is_truth_of_int(w: &ModuleWriter, yes: Val, no: Val) -> bool {
    let has = |val: Val, bits: u64| {
        let parts = w.constant_parts(val);
        parts.is_some_and(|parts| parts[..val.size.into()].iter().all(|&part| part == bits))
    };
    has(no, 0) && has(yes, u32::MAX.into())
}

/// Converts a boolean of any comparison to an integer boolean.
pub(crate) fn copy_as_int_truth(w: &mut ValueBuilder, truth: Val) -> Val {
    if w.info(truth.id).scalar == Scalar::BoolInt {
        return truth;
    }
    // A copy has another id: the type of an id records which numbers a boolean represents, and
    // other uses read the original.
    w.op(Op::CopyObject, Scalar::BoolInt, truth.size, &[truth.id.0])
}
