//! Arithmetic that needs more than one operation, conversions and packing. NV_gpu_program4 section
//! 2.X.8.Z and the same section of NV_gpu_program5.

use super::op_builder::{OpBuilder, with_abs};
use super::{InstContext, Lowerer};
use super::{nearest_conversion, splat};
use crate::lang::modifiers::{ModifierFlags, register_type};
use glasm_ir::inst::{InstData, Rounding};
use glasm_ir::types::{BaseType, Type, Width};
use glasm_ir::{Op, Src, WriteMask};

/// Lowers ABS: the absolute value in the type of the instruction; that of an unsigned integer is
/// itself.
pub(super) fn lower_abs(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let ty = cx.types.ty;
    let mut source = l.load_source(cx, 0, ty);
    if ty.base() != BaseType::UnsignedInt {
        source = with_abs(source);
    }
    l.emit_result(cx, Op::Mov, ty, &[source]);
}

/// Lowers MUL: the product, or with `.HI` its high half. `.S24` and `.U24` are promises about the
/// operands, which are not used.
pub(super) fn lower_mul(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    // S24 and U24 promise operands of 24 bits; the result for others is undefined, so that a plain
    // product serves both. NV_gpu_program4 section 2.X.8.Z, MUL.
    let op = if cx.inst.modifiers.mods().contains(ModifierFlags::HI) {
        Op::MulHi
    } else {
        Op::Mul
    };
    l.lower_direct_fast(cx, op);
}

/// Lowers BFE: extracts bits of the second operand; lanes x and y of the first operand are count
/// and offset, for all lanes. NV_gpu_program5 section 2.X.8.Z.
pub(super) fn lower_bfe(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let ty = cx.types.ty;
    let [field, value] = l.load_sources(cx, [ty; 2]);
    let sources = [value, splat(field, 0), splat(field, 1)];
    l.emit_result(cx, Op::BitExtract, ty, &sources);
}

/// Lowers BFI: the low bits of the second operand replace bits of the third; lanes x and y of the
/// first operand are count and offset.
pub(super) fn lower_bfi(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let ty = cx.types.ty;
    let [field, bits, value] = l.load_sources(cx, [ty; 3]);
    let sources = [value, bits, splat(field, 0), splat(field, 1)];
    l.emit_result(cx, Op::BitInsert, ty, &sources);
}

/// Lowers SFL: the result is 0 in every component.
pub(super) fn lower_sfl(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let zero = l.splat_bits(0);
    l.emit_result_copy(cx, zero);
}

/// Lowers STR: the result is 1.0 in every component, or all ones for integers.
pub(super) fn lower_str(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let bits = match cx.types.ty {
        Type::F32 => u64::from(1f32.to_bits()),
        Type::F64 => 1f64.to_bits(),
        Type::U64 | Type::S64 => u64::MAX,
        Type::U8 | Type::S8 | Type::U16 | Type::S16 | Type::F16 | Type::U32 | Type::S32 => {
            u64::from(u32::MAX)
        }
    };
    let ones = lowerer.splat_bits(bits);
    lowerer.emit_result_copy(cx, ones);
}

/// Lowers DDX and DDY, to one of three operations according to the modifier: `[plain, fine,
/// coarse]`. ARB_derivative_control.
pub(super) fn lower_derivative(
    l: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    [plain, fine, coarse]: [Op; 3],
) {
    let mods = cx.inst.modifiers.mods();
    let op = match mods.intersection(ModifierFlags::ANY_DERIVATIVE) {
        ModifierFlags::FINE => fine,
        ModifierFlags::COARSE => coarse,
        _ => plain,
    };
    l.lower_direct_fast(cx, op);
}

/// Lowers IPAS: interpolates the first operand, floats, at the sample whose number is the second,
/// an integer. NV_gpu_program5 section 2.X.8.Z.
pub(super) fn lower_ipas(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let sources = l.load_sources(cx, [Type::F32, Type::U32]);
    l.emit_result(cx, Op::InterpSample, Type::F32, &sources);
}

/// Lowers SHFDOWN, SHFIDX, SHFUP, SHFXOR: the value has the type of the instruction, number and
/// range are integers. NV_shader_thread_shuffle section 2.X.8.Z.
pub(super) fn lower_shuffle(l: &mut Lowerer<'_>, cx: &InstContext<'_>, op: Op) {
    let ty = cx.types.ty;
    let sources = l.load_sources(cx, [ty, Type::U32, Type::U32]);
    l.emit_result(cx, op, ty, &sources);
}

/// Lowers CEIL, FLR, ROUND, TRUNC: the operand is always a float; with an integer type the rounded
/// value is converted, clamped to the range of the type.
pub(super) fn lower_round(
    lowerer: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    op: Op,
    rounding: Rounding,
) {
    let ty = cx.types.ty;
    let float = Type::from_base(BaseType::Float, ty.width());
    let source = lowerer.load_source(cx, 0, float);
    if ty.is_float() {
        return lowerer.emit_result(cx, op, ty, &[source]);
    }
    let aux = InstData::Cvt {
        from: float,
        rounding,
        // Converting an out-of-range float is undefined in SPIR-V, so values are limited to the
        // range of the integer.
        saturate: true,
    };
    lowerer.emit_result_with_aux(cx, Op::Cvt, ty, aux, &[source]);
}

/// Lowers I2F: converts an integer operand to the nearest float of the result type.
pub(super) fn lower_i2f(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let source = l.load_source(cx, 0, cx.types.ty);
    l.emit_result_with_aux(
        cx,
        Op::Cvt,
        cx.types.result,
        nearest_conversion(cx.types.ty),
        &[source],
    );
}

/// Lowers CVT with its rounding mode, which is to the nearest even value by default. With SAT
/// integers are clamped to the range of the result, without it their upper bits are dropped.
/// NV_gpu_program5 section 2.X.8.Z.
pub(super) fn lower_cvt(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let (to, from) = (cx.types.ty, cx.types.source_ty);
    let mods = cx.inst.modifiers.mods();
    let rounding = match mods.intersection(ModifierFlags::ANY_ROUNDING) {
        ModifierFlags::CEIL => Rounding::Ceil,
        ModifierFlags::FLR => Rounding::Floor,
        ModifierFlags::TRUNC => Rounding::Trunc,
        // ROUND, or none: NV_gpu_program5 section 2.X.8.Z rounds to the nearest, then to
        // the even integer, "if no rounding modifier is specified".
        _ => Rounding::Even,
    };
    // Half floats and narrow integers are in the low bits: a LONG operand loses its upper half
    // before it is read.
    let read = if from.width() < Width::W32 && is_long_operand(lowerer, cx) {
        Type::U32
    } else {
        register_type(from)
    };
    let source = lowerer.load_source(cx, 0, read);
    let aux = InstData::Cvt {
        from,
        rounding,
        // Without SAT integers drop their upper bits. SAT of a float is the clamp of the result.
        saturate: mods.contains(ModifierFlags::SAT) && to.is_int(),
    };
    lowerer.emit_result_with_aux(cx, Op::Cvt, to, aux, &[source]);
}

/// Returns true if the first operand is a `LONG` variable, whose lanes have 64 bits.
fn is_long_operand(l: &Lowerer<'_>, cx: &InstContext<'_>) -> bool {
    let operand = l.resources.checked.insts.source(cx.inst, 0);
    let variable = l.resources.checked.find_value_var(operand.base);
    variable.is_some_and(|(_, var)| var.is_long())
}

/// Lowers PK2H, PK2US and PK4UB: `op` packs the operand, floats, to a 32-bit word.
pub(super) fn lower_pack(l: &mut Lowerer<'_>, cx: &InstContext<'_>, op: Op) {
    let [source] = l.load_floats(cx);
    // The type is that of the operand: the word is the same regardless of the type it is written
    // as.
    l.emit_result(cx, op, Type::F32, &[source]);
}

/// Lowers PK4B: bytes with a bias of 128, `round(clamp(v, -128/127, 1) * 127 + 128)`. The rounded
/// value over 255 is packed as unsigned, which gives the byte back exactly.
pub(super) fn lower_pk4b(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [source] = lowerer.load_floats(cx);
    let (scale, bias, low) = (
        lowerer.splat_float(127.0),
        lowerer.splat_float(128.0),
        lowerer.splat_float(0.0),
    );
    let biased = lowerer.compute(Op::Mad, Type::F32, &[source, scale, bias]);
    // 0 is the byte of -128/127. The upper end needs no separate clamp, as packing as unsigned
    // bytes clamps.
    let biased = lowerer.compute(Op::Max, Type::F32, &[biased, low]);
    let whole = lowerer.compute(Op::Round, Type::F32, &[biased]);
    let bytes = lowerer.splat_float(1.0 / 255.0);
    let unit = lowerer.compute(Op::Mul, Type::F32, &[whole, bytes]);
    lowerer.emit_result(cx, Op::PackUnorm4, Type::F32, &[unit]);
}

/// Returns operand 0 as the bits of a value of type `ty`. Signs and absolute value are applied
/// first, because the operation that follows reads the bits as another type.
fn load_raw_bits(l: &mut Lowerer<'_>, cx: &InstContext<'_>, ty: Type) -> Src {
    let source = l.load_source(cx, 0, ty);
    if source.has_modifier() {
        l.compute(Op::Mov, ty, &[source])
    } else {
        source
    }
}

/// Lowers PK64, which packs pairs of 32-bit values to 64-bit ones.
pub(super) fn lower_pk64(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let source = load_raw_bits(l, cx, cx.types.ty);
    let wide = cx.types.ty.to_unsigned().with_width(Width::W64);
    l.emit_result(cx, Op::Pack64, wide, &[source]);
}

/// Lowers UP64, which unpacks 64-bit values to pairs of 32-bit ones. Clamp and condition codes
/// apply to these as values of the instruction's type.
pub(super) fn lower_up64(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let source = load_raw_bits(lowerer, cx, cx.types.ty.with_width(Width::W64));
    let wide = cx.types.ty.to_unsigned().with_width(Width::W64);
    let effects = ModifierFlags::ANY_CC.union(ModifierFlags::ANY_CLAMP);
    if !cx.inst.modifiers.mods().intersects(effects) {
        return lowerer.emit_result(cx, Op::Unpack64, wide, &[source]);
    }
    // Clamp and condition codes see the words as values of the instruction's type.
    let words = lowerer.alloc_hidden(Width::W32);
    lowerer.emit_to_register(words, WriteMask::XYZW, Op::Unpack64, wide, &[source]);
    lowerer.emit_result_copy(cx, Src::from_register(words));
}

/// Returns the 32-bit word in lane x of the first operand, from which an instruction unpacks
/// values.
fn load_packed_word(l: &mut Lowerer<'_>, cx: &InstContext<'_>) -> Src {
    splat(load_raw_bits(l, cx, cx.types.ty), 0)
}

/// Lowers UP2H, UP2US and UP4UB: `op` unpacks the 32-bit word in lane x of the operand.
pub(super) fn lower_unpack(l: &mut Lowerer<'_>, cx: &InstContext<'_>, op: Op) {
    let source = load_packed_word(l, cx);
    l.emit_result(cx, op, Type::F32, &[source]);
}

/// Lowers UP4B: unpacks the four bytes in lane x of the operand, each as `(byte - 128) / 127`.
pub(super) fn lower_up4b(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let source = load_packed_word(l, cx);
    let unit = l.compute(Op::UnpackUnorm4, Type::F32, &[source]);
    let (bytes, bias, scale) = (
        l.splat_float(255.0),
        l.splat_float(128.0),
        l.splat_float(127.0),
    );
    let whole = l.compute(Op::Mul, Type::F32, &[unit, bytes]);
    let whole = l.compute(Op::Round, Type::F32, &[whole]);
    let centered = l.compute(Op::Sub, Type::F32, &[whole, bias]);
    l.emit_result(cx, Op::Div, Type::F32, &[centered, scale]);
}
