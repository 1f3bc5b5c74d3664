//! Arithmetic of floats, and of integers if it is the same, and comparisons: functions of the
//! builder and of values, which access neither operands nor registers.
//!
//! The module also implements conversions between all types, rounding to formats that registers do
//! not have, and packing of several numbers into words. Out-of-range floats never reach a SPIR-V
//! conversion.

pub(super) mod int;

use crate::builder::{
    Extreme, Lane, Scalar, Val, ValueBuilder, arith, bool_scalar, condition_code, convert,
    float_narrowing, int64_emulation, select_by_base,
};
use glasm_ir::inst::Rounding;
use glasm_ir::{InstFlags, Op, Src, Type, Width, WriteMask};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Returns true if the module requires the device to preserve signs of zero, infinities and NaN, as
/// the languages specify.
pub(super) fn preserves_special_values(builder: &ValueBuilder) -> bool {
    builder.device.signed_zero_inf_nan_preserve_float32 && !builder.fast_precision
}

/// Sets the precise flag (NoContraction) for the operations that the current instruction still
/// emits, if `scalar` is the 32-bit float and the module must preserve special numbers. The flag is
/// cleared after the instruction.
///
/// Mesa 26.2 computes `a - a` as 0 also for infinities and NaN, and `a + b - a` as `b`, whether or
/// not the module has the execution mode for special numbers. Only sums are decorated: products
/// followed by a sum within one instruction, as in MAD, may still be fused with it.
fn mark_sum_precise(builder: &mut ValueBuilder, scalar: Scalar) {
    if scalar == Scalar::F32 && preserves_special_values(builder) {
        builder.flags |= InstFlags::PRECISE;
    }
}

/// Emits `a + b`; precise, as the following operations of the instruction, if special numbers must
/// be preserved.
pub(in crate::emit) fn emit_add(builder: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    mark_sum_precise(builder, a.scalar);
    arith::add(builder, a, b)
}

/// Emits `a - b`; precise, as the following operations of the instruction, if special numbers must
/// be preserved.
pub(in crate::emit) fn emit_sub(builder: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    let op = if a.scalar.is_float() {
        Spv::FSub
    } else {
        Spv::ISub
    };
    mark_sum_precise(builder, a.scalar);
    builder.emit_binary(op, a, b)
}

/// Emits `a * b`.
pub(in crate::emit) fn emit_mul(builder: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    arith::multiply(builder, a, b)
}

/// Emits `a * b + c`.
pub(in crate::emit) fn emit_mad(builder: &mut ValueBuilder, [a, b, c]: [Val; 3]) -> Val {
    let product = arith::multiply(builder, a, b);
    arith::add(builder, product, c)
}

/// Emits `a * b + c`, rounded once.
pub(in crate::emit) fn emit_fma(builder: &mut ValueBuilder, ty: Type, [a, b, c]: [Val; 3]) -> Val {
    arith::emit_fma(builder, [a, b], c, ty)
}

/// Emits `a / b` of floats.
pub(in crate::emit) fn emit_float_div(builder: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    let divisor = builder.splat_bits(b).filter(|_| b.scalar == Scalar::F64);
    if let Some(bits) = divisor.filter(|bits| bits << 1 == 0) {
        // The product with the infinity of the same sign is equal to the quotient; Mesa 22.3
        // divides vectors by zeros incorrectly.
        let infinity = builder.constant_like(b, bits | f64::INFINITY.to_bits());
        return builder.emit_binary(Spv::FMul, a, infinity);
    }
    builder.emit_binary(Spv::FDiv, a, b)
}

/// Emits `a > b ? b : a` or `a > b ? a : b`: NV_gpu_program4 section 2.X.8.Z, MIN and MAX. The
/// results of `FMin` and `FMax` for NaN are undefined. Records a constant `b` as the lower bound of
/// a maximum.
pub(in crate::emit) fn emit_min_max(
    builder: &mut ValueBuilder,
    ty: Type,
    extreme: Extreme,
    [a, b]: [Val; 2],
) -> Val {
    let ops = [Spv::FOrdGreaterThan, Spv::SGreaterThan, Spv::UGreaterThan];
    // The comparison is false for NaN, so MIN returns `a` and MAX returns `b`, as the formulas
    // specify.
    let greater = builder.emit_test(select_by_base(ty, ops), a, b);
    let chosen = arith::select_extreme(builder, extreme, greater, a, b);
    if extreme == Extreme::Max {
        // If `a` is NaN, the result is `b`.
        arith::record_lower_bound(builder, chosen, b);
    }
    chosen
}

/// Emits `a - floor(a)`, which is always below 1 (NV_gpu_program4 section 2.X.8.Z, FRC): if the
/// difference of a tiny negative number is rounded to 1, the largest number below 1 replaces it.
pub(in crate::emit) fn emit_fract(builder: &mut ValueBuilder, ty: Type, a: Val) -> Val {
    let fraction = builder.emit_ext(GlslOp::Fract, &[a]);
    let reached = builder.emit_compare_float(Spv::FOrdGreaterThanEqual, fraction, 1.0);
    let below = if ty == Type::F64 {
        1.0f64.next_down()
    } else if ty == Type::F16 {
        // Below 1 also in half precision, which has 11 binary digits: 1 - 2^-11.
        1.0 - 1.0 / 2048.0
    } else {
        f64::from(1.0f32.next_down())
    };
    let below = builder.constant_float_like(fraction, below);
    builder.emit_select(reached, below, fraction)
}

/// Emits the sign of a value: 1, 0 or -1; never -1 for unsigned types.
pub(in crate::emit) fn emit_sign(builder: &mut ValueBuilder, ty: Type, a: Val) -> Val {
    if ty.is_float() {
        return builder.emit_ext(GlslOp::FSign, &[a]);
    }
    if ty.is_signed_int() {
        return builder.emit_ext(GlslOp::SSign, &[a]);
    }
    let any = builder.emit_compare_bits(Spv::INotEqual, a, 0);
    let (one, zero) = (builder.constant_like(a, 1), builder.constant_like(a, 0));
    builder.emit_select(any, one, zero)
}

/// Emits `1 / a`.
pub(in crate::emit) fn emit_reciprocal(builder: &mut ValueBuilder, a: Val) -> Val {
    let one = builder.constant_float_like(a, 1.0);
    builder.emit_binary(Spv::FDiv, one, a)
}

/// Emits `exp2(b * log2(a))`: NV_gpu_program4 section 2.X.8.Z, POW.
pub(in crate::emit) fn emit_pow(builder: &mut ValueBuilder, [a, b]: [Val; 2]) -> Val {
    let log = arith::compute_log2(builder, a);
    let product = arith::multiply(builder, log, b);
    builder.emit_ext(GlslOp::Exp2, &[product])
}

/// Emits `log2(a)`.
pub(in crate::emit) fn emit_log2(builder: &mut ValueBuilder, a: Val) -> Val {
    arith::compute_log2(builder, a)
}

/// Emits `a < 0 ? b : c`, which is `c` for unsigned types and for NaN.
pub(in crate::emit) fn emit_select_less(
    builder: &mut ValueBuilder,
    ty: Type,
    [a, b, c]: [Val; 3],
) -> Val {
    let op = match (ty.is_float(), ty.is_signed_int()) {
        (true, _) => Spv::FOrdLessThan,
        (false, true) => Spv::SLessThan,
        // No unsigned value is below 0.
        (false, false) => return c,
    };
    let less = builder.emit_compare_bits(op, a, 0);
    builder.emit_select(less, b, c)
}

/// Order in which the products of a dot product are added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::emit) enum SumOrder {
    /// Any order that the device chooses.
    Any,
    /// In the order of the components, starting with x.
    Fixed,
}

/// Emits the sum of the products of the first `size` components, in a fixed order if `order` or the
/// program requires it.
pub(in crate::emit) fn emit_dot(
    builder: &mut ValueBuilder,
    order: SumOrder,
    size: u8,
    [a, b]: [Val; 2],
) -> Val {
    // Precise sums have a fixed order, which OpDot leaves to the device; OpDot also does not
    // support products in which zero takes precedence.
    let in_order = order == SumOrder::Fixed
        || builder.flags.contains(InstFlags::PRECISE)
        || builder.zero_product;
    if !in_order || a.scalar != Scalar::F32 {
        let (a, b) = (builder.widen(a, size), builder.widen(b, size));
        let val = builder.emit_op(Spv::Dot, a.scalar, 1, &[a.id.0, b.id.0]);
        builder.decorate_result(val, Spv::Dot);
        return val;
    }
    let product = arith::multiply(builder, a, b);
    let mut sum = builder.extract_component(product, 0);
    for index in 1..size as usize {
        let part = builder.extract_component(product, index);
        sum = builder.emit_binary(Spv::FAdd, sum, part);
    }
    sum
}

/// Emits `truth ? b : c`. If these are the numbers of integer booleans, the result is the boolean
/// itself.
pub(in crate::emit) fn emit_select(
    builder: &mut ValueBuilder,
    ty: Type,
    truth: Val,
    [b, c]: [Val; 2],
) -> Val {
    // All ones and 0 are the integer representation of booleans: if the value is a boolean with
    // that representation, a branch on it needs no number.
    if ty == Type::U32 && condition_code::are_int_bool_values(builder, b, c) {
        return condition_code::copy_as_int_bool(builder, truth);
    }
    builder.emit_select(truth, b, c)
}

/// Emits the test per component that any bit is set. 64-bit values are tested as pairs of words if
/// the device lacks the integers.
pub(in crate::emit) fn emit_nonzero_test(builder: &mut ValueBuilder, a: Val) -> Val {
    if a.scalar.is_wide() && builder.wide_int_scalar() == Scalar::Pair {
        return builder.map_components(a, |w, index| {
            let part = w.extract_component(a, index);
            let pair = w.cast_val(part, Scalar::Pair);
            let words = int64_emulation::split_pair(w, pair);
            int64_emulation::test_nonzero(w, words)
        });
    }
    let a = builder.cast_val(a, a.scalar.as_int());
    builder.emit_compare_bits(Spv::INotEqual, a, 0)
}

/// Emits the comparison of a set-on instruction such as `SetLt`; the result is a boolean in the
/// representation for the type of the operands.
pub(in crate::emit) fn emit_comparison(
    builder: &mut ValueBuilder,
    ty: Type,
    op: Op,
    [a, b]: [Val; 2],
) -> Val {
    let truth = bool_scalar(ty);
    let op = find_comparison(op, ty);
    builder.emit_compare(op, truth, a, b)
}

/// SPIR-V comparisons of floats, signed and unsigned integers. Only "not equal" is true for NaN.
// IEEE 754: a value compared with NaN is neither less, equal nor greater, and therefore not equal.
const COMPARISONS: [(Op, [Spv; 3]); 6] = [
    (Op::SetEq, [Spv::FOrdEqual, Spv::IEqual, Spv::IEqual]),
    (
        Op::SetNe,
        [Spv::FUnordNotEqual, Spv::INotEqual, Spv::INotEqual],
    ),
    (
        Op::SetLt,
        [Spv::FOrdLessThan, Spv::SLessThan, Spv::ULessThan],
    ),
    (
        Op::SetLe,
        [
            Spv::FOrdLessThanEqual,
            Spv::SLessThanEqual,
            Spv::ULessThanEqual,
        ],
    ),
    (
        Op::SetGt,
        [Spv::FOrdGreaterThan, Spv::SGreaterThan, Spv::UGreaterThan],
    ),
    (
        Op::SetGe,
        [
            Spv::FOrdGreaterThanEqual,
            Spv::SGreaterThanEqual,
            Spv::UGreaterThanEqual,
        ],
    ),
];

/// Returns the comparison of an operation and type; the operation must be a comparison.
fn find_comparison(op: Op, ty: Type) -> Spv {
    let entry = COMPARISONS.iter().find(|entry| entry.0 == op);
    select_by_base(ty, entry.unwrap_or(&COMPARISONS[0]).1)
}

/// Source types and rounding of a conversion.
#[derive(Clone, Copy)]
pub(in crate::emit) struct Conversion {
    pub(in crate::emit) from: Type,
    pub(in crate::emit) rounding: Rounding,
    pub(in crate::emit) saturate: bool,
}

/// Truncates words to the width of a narrow type, then applies the modifiers of the source in that
/// type (NV_gpu_program5 section 2.X.8.Z, CVT).
pub(in crate::emit) fn narrow_source(
    builder: &mut ValueBuilder,
    words: Val,
    src: &Src,
    from: Type,
) -> Val {
    let val = crate::builder::int::extend_low_bits(
        builder,
        words,
        from.width().bits(),
        from.is_signed_int(),
    );
    arith::apply_modifiers(builder, val, src, from.with_width(Width::W32))
}

/// Emits `Cvt`. The result has the type in which registers contain the target: narrow integers are
/// extended to words, halves are floats. Clamps and drops bits as [`Conversion`] specifies.
pub(in crate::emit) fn emit_convert(
    builder: &mut ValueBuilder,
    to: Type,
    conversion: Conversion,
    val: Val,
) -> Val {
    let Conversion {
        from,
        rounding,
        saturate,
    } = conversion;
    match (from.is_float(), to.is_float()) {
        (false, false) => convert::convert_int(builder, val, from, to, saturate),
        (false, true) => convert::round_int_to_float(builder, val, from, to, rounding),
        (true, false) => convert::round_float_to_int(builder, val, to, rounding, saturate),
        (true, true) => convert::round_float(builder, val, to, rounding),
    }
}

/// Emits a number rounded to half precision, or unchanged if the options permit higher precision.
/// Clears the flags of the current instruction.
pub(in crate::emit) fn round_half(builder: &mut ValueBuilder, value: Val) -> Val {
    // The rounding is not relaxed: the device could omit it then.
    builder.flags = InstFlags::empty();
    if builder.fast_precision {
        // A register has 32 bits in any case: without the rounding a number retains digits and a
        // range that half precision lacks.
        value
    } else {
        float_narrowing::round_to_half(builder, value)
    }
}

/// Emits a number rounded and clamped to signed fixed point with ten fraction bits, or only clamped
/// if the options permit higher precision. Clears the flags of the current instruction.
pub(in crate::emit) fn round_fixed(builder: &mut ValueBuilder, value: Val) -> Val {
    // The rounding is not relaxed: the device could omit it then.
    builder.flags = InstFlags::empty();
    if builder.fast_precision {
        // The clamp to [-2048/1024, 2047/1024] remains (NV_fragment_program section 3.11.4.2): it
        // changes more than the last digits.
        float_narrowing::clamp_to_fixed(builder, value)
    } else {
        float_narrowing::round_to_fixed(builder, value)
    }
}

/// Emits PK2H: packs two half-precision numbers into one word.
pub(in crate::emit) fn pack_halves(builder: &mut ValueBuilder, numbers: Val) -> Val {
    let numbers = builder.widen(numbers, 2);
    float_narrowing::pack_two_halves(builder, numbers)
}

/// Packs the numbers in the lanes `lanes` into one word, by the GLSL instruction `op`. A scalar is
/// repeated.
// PK2US and PK4UB clamp to [0, 1], multiply by 65535 or 255 and round (NV_gpu_program4 section
// 2.X.8.Z), and so do `PackUnorm2x16` and `PackUnorm4x8`. PK4B uses a different formula, which
// front ends expand: its bytes have a bias of 128.
pub(in crate::emit) fn pack_numbers(
    builder: &mut ValueBuilder,
    op: GlslOp,
    lanes: u8,
    numbers: Val,
) -> Val {
    let numbers = builder.widen(numbers, WriteMask(lanes).count() as u8);
    builder.emit_ext_to(op, Scalar::U32, 1, numbers.id)
}

/// Unpacks the `size` numbers of a word; further lanes repeat them (NV_gpu_program4 section
/// 2.X.8.Z, UP2H).
pub(in crate::emit) fn unpack_numbers(
    builder: &mut ValueBuilder,
    op: GlslOp,
    size: u8,
    word: Val,
) -> [Lane; 4] {
    let numbers = builder.emit_ext_to(op, Scalar::F32, size, word.id);
    std::array::from_fn(|lane| numbers.lane(lane % size as usize))
}

/// Packs two words into a 64-bit lane.
pub(in crate::emit) fn pack_wide(builder: &mut ValueBuilder, words: Val) -> Lane {
    let words = builder.widen(words, 2);
    int64_emulation::pack_words(builder, words)
}

/// Unpacks the two words of a 64-bit lane.
pub(in crate::emit) fn unpack_wide(builder: &mut ValueBuilder, wide: Val) -> [Lane; 2] {
    let words = int64_emulation::unpack_words(builder, wide.lane(0));
    [words.lane(0), words.lane(1)]
}
