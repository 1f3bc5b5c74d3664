//! Condition codes of values: tests, and the representation of codes in phis.

use super::{
    Lane, ModuleWriter, ResultKey, Scalar, Val, ValueBuilder, ValueOrigin, int64_emulation,
};
use crate::spirv_writer::ValueWord;
use glasm_ir::interp::Flags;
use glasm_ir::{CondTest, Type};
use spirv::Op;

/// Converts a lane of condition codes to the type `to`: to a 32-bit float with the same sign and
/// zero flags, to other types with the same bits. An undefined lane becomes 0.
pub(crate) fn convert_code_lane(builder: &mut ValueBuilder, lane: Lane, to: Scalar) -> ValueWord {
    if !lane.id().is_some() {
        return builder.constant(to, 0);
    }
    let from = builder.value_info(lane.id()).scalar;
    match (from, to) {
        // Classes of constants are constants, unlike the result of an emitted conversion.
        _ if from != to && to == Scalar::F32 && builder.is_constant(lane.id()) => {
            classify_constant(builder, lane, from)
        }
        // SF is the top bit also of unsigned results (NV_gpu_program4 section 2.X.4.3), so the
        // conversion is signed. It may round, but preserves sign and zero.
        (Scalar::U32, Scalar::F32) => {
            let value = builder.read_lane_val(lane, from);
            builder
                .emit_unary_to(Op::ConvertSToF, Scalar::F32, value)
                .id
        }
        // All ones are negative as an integer, and -1.0 has the same flags; as a float the same
        // bits would be NaN.
        (Scalar::BoolInt, Scalar::F32) => {
            let value = builder.read_lane_val(lane, from);
            let [yes, no] = [-1.0, 0.0].map(|number| builder.constant_f32_val(number));
            builder.emit_select(value, yes, no).id
        }
        (Scalar::F64 | Scalar::U64 | Scalar::Pair, Scalar::F32) => {
            classify_wide_code(builder, lane)
        }
        _ => builder.read_lane(lane, to),
    }
}

/// Returns the constant -1, 0, 1 or NaN that has the same sign and zero flags as a constant of type
/// `from`.
fn classify_constant(module: &mut ModuleWriter, lane: Lane, from: Scalar) -> ValueWord {
    let ty = match from {
        Scalar::BoolFloat | Scalar::F32 => Type::F32,
        Scalar::F64 => Type::F64,
        Scalar::U64 | Scalar::Pair => Type::S64,
        Scalar::BoolInt | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::S32 => Type::S32,
    };
    let flags = Flags::from_result(ty, ty.width(), module.lane_bits(lane));
    module.constant_f32(match (flags.sign, flags.zero) {
        (false, false) => 1.0,
        (true, false) => -1.0,
        (false, true) => 0.0,
        // Only NaN has both flags.
        (true, true) => f32::NAN,
    })
}

/// Emits -1, 0, 1 or NaN with the same sign and zero flags as a 64-bit value.
fn classify_wide_code(builder: &mut ValueBuilder, lane: Lane) -> ValueWord {
    let from = builder.value_info(lane.id()).scalar;
    let value = builder.read_lane_val(lane, from);
    let negative = test_value(builder, value, CondTest::Sign, None);
    let zero = test_value(builder, value, CondTest::Eq, None);
    let nan = test_value(builder, value, CondTest::Nan, None);
    let [minus_one, plain_zero, one, not_a_number] =
        [-1.0, 0.0, 1.0, f32::NAN].map(|number| builder.constant_f32_val(number));
    let class = builder.emit_select(negative, minus_one, one);
    let class = builder.emit_select(zero, plain_zero, class);
    builder.emit_select(nan, not_a_number, class).id
}

/// Tests condition codes that are pairs of words, lane by lane, and gathers the booleans. `flags`
/// are the overflow and carry flags of the lanes in the same order.
pub(crate) fn test_pairs(
    builder: &mut ValueBuilder,
    test: CondTest,
    values: &[Lane],
    flags: &[[Lane; 4]; 2],
) -> Val {
    let mut passes = [Lane::UNDEFINED; 4];
    for (index, &lane) in values.iter().enumerate() {
        let value = builder.read_lane_val(lane, Scalar::Pair);
        let [overflow, carry] =
            [0, 1].map(|flag| builder.gather(&[flags[flag][index]], Scalar::BoolInt));
        // One pair at a time: its tests compare two words.
        passes[index] = test_value(builder, value, test, Some([overflow, carry])).lane(0);
    }
    builder.gather(&passes[..values.len()], Scalar::BoolInt)
}

/// Returns the type in which these lanes can be tested together: that of all defined lanes, or
/// 32-bit floats if their types differ.
pub(crate) fn find_common_scalar(module: &ModuleWriter, lanes: &[Lane]) -> Scalar {
    let mut scalars = lanes
        .iter()
        .filter(|lane| lane.id().is_some())
        .map(|lane| module.value_info(lane.id()).scalar);
    let first = scalars.next().unwrap_or(Scalar::F32);
    if scalars.all(|scalar| scalar == first) {
        first
    } else {
        // Every other type converts to this one: a float with the same sign and zero flags.
        Scalar::F32
    }
}

/// Tests a value without overflow and carry, and caches the result until the branch ends. Returns
/// the cached result of an equal test.
pub(crate) fn test_cached(builder: &mut ValueBuilder, value: Val, test: CondTest) -> Val {
    let key = ResultKey::from_test(test);
    if let Some(id) = builder.find_cached_result(value.id, key) {
        return builder.val(id);
    }
    let result = test_value(builder, value, test, None);
    // Constants are found by their bits, in any branch.
    if builder.value_info(result.id).origin != ValueOrigin::Constant {
        builder.cache_result_in_branch(value.id, key, result.id);
    }
    result
}

/// Tests a value of any type by table X.16 of NV_gpu_program4. `flags` are overflow and carry;
/// `None` means that both are clear.
pub(crate) fn test_value(
    builder: &mut ValueBuilder,
    value: Val,
    test: CondTest,
    flags: Option<[Val; 2]>,
) -> Val {
    match value.scalar {
        Scalar::BoolFloat | Scalar::BoolInt => test_bool(builder, value, test),
        Scalar::F32 | Scalar::F64 => test_float(builder, value, test, flags),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::S32 | Scalar::U64 | Scalar::Pair => {
            test_int(builder, value, test, flags)
        }
    }
}

/// Tests a boolean as the number that it represents: 0 if it is false; if it is true positive
/// (float) or negative (integer). Overflow and carry are clear.
fn test_bool(builder: &mut ValueBuilder, value: Val, test: CondTest) -> Val {
    let truth = value.as_bool(Scalar::BoolInt);
    let is_int = value.scalar == Scalar::BoolInt;
    match test {
        CondTest::Ne => truth,
        CondTest::Eq => builder.emit_not(truth),
        CondTest::Lt | CondTest::Sign if is_int => truth,
        CondTest::Gt if !is_int => truth,
        CondTest::Ge | CondTest::NoSign if is_int => builder.emit_not(truth),
        CondTest::Le if !is_int => builder.emit_not(truth),
        // OF and CF are clear, and no boolean is NaN (table X.16 of NV_gpu_program4 section
        // 2.X.4.3).
        CondTest::BelowEqual
        | CondTest::True
        | CondTest::Leg
        | CondTest::NoCarry
        | CondTest::NoOverflow
        | CondTest::Ge
        | CondTest::NoSign
        | CondTest::Le => builder.constant_true(),
        CondTest::Lt
        | CondTest::Sign
        | CondTest::Gt
        | CondTest::False
        | CondTest::Nan
        | CondTest::Carry
        | CondTest::Overflow
        | CondTest::Above => builder.constant_false(),
    }
}

/// Tests condition codes that are floats by table X.16 of NV_gpu_program4; NaN is unordered.
/// `flags` are overflow and carry, clear if `None`.
fn test_float(
    builder: &mut ValueBuilder,
    value: Val,
    test: CondTest,
    flags: Option<[Val; 2]>,
) -> Val {
    let set = |flag: &Val| builder.splat_bits(*flag) != Some(0);
    if let Some(flags) = flags.filter(|flags| test.is_reading_overflow() && flags.iter().any(set)) {
        return test_float_and_flags(builder, value, test, flags);
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
            return builder.emit_test(Op::FUnordNotEqual, value, value);
        }
        CondTest::Leg => return builder.emit_test(Op::FOrdEqual, value, value),
        CondTest::True | CondTest::NoCarry | CondTest::NoOverflow | CondTest::BelowEqual => {
            return builder.constant_true();
        }
        CondTest::False | CondTest::Carry | CondTest::Overflow | CondTest::Above => {
            return builder.constant_false();
        }
    };
    builder.emit_compare_bits(compare, value, 0)
}

/// Tests a float that represents integers in some of its lanes and also has overflow and carry
/// flags: Table X.16 of NV_gpu_program4 section 2.X.4.3.
fn test_float_and_flags(
    builder: &mut ValueBuilder,
    value: Val,
    test: CondTest,
    [overflow, carry]: [Val; 2],
) -> Val {
    match test {
        CondTest::Carry => carry,
        CondTest::NoCarry => builder.emit_not(carry),
        CondTest::Overflow => overflow,
        CondTest::NoOverflow => builder.emit_not(overflow),
        CondTest::Above => {
            let not_zero = test_nonzero_float(builder, value);
            builder.emit_logical(Op::LogicalAnd, carry, not_zero)
        }
        CondTest::BelowEqual => {
            let above = test_float_and_flags(builder, value, CondTest::Above, [overflow, carry]);
            builder.emit_not(above)
        }
        // `(SF && !ZF) ^ OF`: NaN has both flags, so the parenthesized part is the ordered
        // comparison.
        CondTest::Lt => {
            let below = builder.emit_compare_bits(Op::FOrdLessThan, value, 0);
            emit_logical_xor(builder, below, overflow)
        }
        // The table defines `!(SF ^ OF)`. NaN also sets SF: the comparison is the unordered one.
        CondTest::Ge => {
            let sign = builder.emit_compare_bits(Op::FUnordLessThan, value, 0);
            let less = emit_logical_xor(builder, sign, overflow);
            builder.emit_not(less)
        }
        CondTest::Gt => {
            let above = test_float_and_flags(builder, value, CondTest::Ge, [overflow, carry]);
            let not_zero = test_nonzero_float(builder, value);
            builder.emit_logical(Op::LogicalAnd, above, not_zero)
        }
        CondTest::Le => {
            let not_zero = test_nonzero_float(builder, value);
            let zero = builder.emit_not(not_zero);
            let either = builder.emit_logical(Op::LogicalOr, zero, overflow);
            let sign = builder.emit_compare_bits(Op::FUnordLessThan, value, 0);
            emit_logical_xor(builder, sign, either)
        }
        CondTest::Eq
        | CondTest::Ne
        | CondTest::True
        | CondTest::False
        | CondTest::Nan
        | CondTest::Leg
        | CondTest::Sign
        | CondTest::NoSign => test_float(builder, value, test, None),
    }
}

/// Emits the test that the zero flag of a float is clear: it is neither zero nor NaN.
fn test_nonzero_float(builder: &mut ValueBuilder, value: Val) -> Val {
    builder.emit_compare_bits(Op::FOrdNotEqual, value, 0)
}

/// Tests condition codes that are integers by table X.16 of NV_gpu_program4. `flags` are overflow
/// and carry, clear if `None`.
fn test_int(
    builder: &mut ValueBuilder,
    value: Val,
    test: CondTest,
    flags: Option<[Val; 2]>,
) -> Val {
    let never = builder.constant_false();
    let [overflow, carry] = flags.unwrap_or([never; 2]);
    match test {
        CondTest::Eq => test_zero(builder, value),
        CondTest::Ne => test_nonzero(builder, value),
        // Table X.16 of NV_gpu_program4 defines `(SF && !ZF) ^ OF`; an integer with SF set is never
        // zero.
        CondTest::Lt => {
            let sign = test_sign(builder, value);
            emit_logical_xor(builder, sign, overflow)
        }
        CondTest::Ge => {
            let less = test_int(builder, value, CondTest::Lt, flags);
            builder.emit_not(less)
        }
        CondTest::Le => {
            let zero = test_zero(builder, value);
            let either = builder.emit_logical(Op::LogicalOr, zero, overflow);
            let sign = test_sign(builder, value);
            emit_logical_xor(builder, sign, either)
        }
        CondTest::Gt => {
            let zero = test_zero(builder, value);
            let above = test_int(builder, value, CondTest::Ge, flags);
            let not_zero = builder.emit_not(zero);
            builder.emit_logical(Op::LogicalAnd, above, not_zero)
        }
        CondTest::True | CondTest::Leg => builder.constant_true(),
        CondTest::False | CondTest::Nan => never,
        CondTest::Carry => carry,
        CondTest::NoCarry => builder.emit_not(carry),
        CondTest::Overflow => overflow,
        CondTest::NoOverflow => builder.emit_not(overflow),
        CondTest::Sign => test_sign(builder, value),
        CondTest::NoSign => {
            let sign = test_sign(builder, value);
            builder.emit_not(sign)
        }
        // `CF && !ZF`: for a difference, `a > b` of unsigned numbers.
        CondTest::Above => {
            let not_zero = test_nonzero(builder, value);
            builder.emit_logical(Op::LogicalAnd, carry, not_zero)
        }
        CondTest::BelowEqual => {
            let zero = test_zero(builder, value);
            let no_carry = builder.emit_not(carry);
            builder.emit_logical(Op::LogicalOr, no_carry, zero)
        }
    }
}

/// Tests that an integer or a pair of words is negative.
fn test_sign(builder: &mut ValueBuilder, value: Val) -> Val {
    if value.scalar == Scalar::Pair {
        // The high word contains the sign.
        let [_, high] = int64_emulation::split_pair(builder, value);
        return builder.emit_compare_bits(Op::SLessThan, high, 0);
    }
    builder.emit_compare_bits(Op::SLessThan, value, 0)
}

/// Tests that an integer or a pair of words is zero.
pub(crate) fn test_zero(builder: &mut ValueBuilder, value: Val) -> Val {
    if value.scalar == Scalar::Pair {
        let [low, high] = int64_emulation::split_pair(builder, value);
        let any = builder.emit_binary(Op::BitwiseOr, low, high);
        return builder.emit_compare_bits(Op::IEqual, any, 0);
    }
    builder.emit_compare_bits(Op::IEqual, value, 0)
}

/// Tests that an integer or a pair of words is not zero.
pub(crate) fn test_nonzero(builder: &mut ValueBuilder, value: Val) -> Val {
    let zero = test_zero(builder, value);
    builder.emit_not(zero)
}

/// Emits the exclusive or of booleans, folded if `b` is constant.
fn emit_logical_xor(builder: &mut ValueBuilder, a: Val, b: Val) -> Val {
    match builder.splat_bits(b) {
        Some(0) => a,
        Some(_) => builder.emit_not(a),
        None => builder.emit_logical(Op::LogicalNotEqual, a, b),
    }
}

/// Returns true if two values are those of integer booleans: all ones and 0.
pub(crate) fn are_int_bool_values(module: &ModuleWriter, yes: Val, no: Val) -> bool {
    let has = |val: Val, bits: u64| {
        let parts = module.constant_parts(val);
        parts.is_some_and(|parts| parts[..val.size.into()].iter().all(|&part| part == bits))
    };
    has(no, 0) && has(yes, u32::MAX.into())
}

/// Returns a boolean as one whose numeric form is all ones: itself, or a copy with another id if
/// its form was 1.0.
pub(crate) fn copy_as_int_bool(builder: &mut ValueBuilder, truth: Val) -> Val {
    if builder.value_info(truth.id).scalar == Scalar::BoolInt {
        return truth;
    }
    // A copy has another id: the type of an id records which numbers a boolean represents, and
    // other uses read the original.
    builder.emit_op(Op::CopyObject, Scalar::BoolInt, truth.size, &[truth.id.0])
}
