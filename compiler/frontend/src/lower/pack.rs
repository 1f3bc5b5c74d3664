//! Packing and unpacking. NV_gpu_program4 and NV_gpu_program5 sections 2.X.8.Z.

use super::context::splat;
use super::formula::Formulas;
use super::{InstCx, Lowerer};
use crate::lang::modifiers::Mods;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Op, Src, WriteMask};

/// Lowers PK2H, PK2US, PK4UB.
pub(super) fn pack(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op) {
    let [source] = l.floats(cx);
    // The type is that of the operand: the word is the same regardless of the type it is written
    // as.
    l.finish(cx, op, Type::F32, &[source]);
}

/// Lowers PK4B: bytes with a bias of 128, `round(clamp(v, -128/127, 1) * 127 + 128)`. The rounded
/// value over 255 is packed as unsigned, which gives the byte back exactly.
pub(super) fn pk4b(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let [source] = l.floats(cx);
    let (scale, bias, low) = (l.float(127.0), l.float(128.0), l.float(0.0));
    let biased = l.compute(Op::Mad, Type::F32, &[source, scale, bias]);
    // 0 is the byte of -128/127. The upper end needs no separate clamp, as packing as unsigned
    // bytes clamps.
    let biased = l.compute(Op::Max, Type::F32, &[biased, low]);
    let whole = l.compute(Op::Round, Type::F32, &[biased]);
    let bytes = l.float(1.0 / 255.0);
    let unit = l.compute(Op::Mul, Type::F32, &[whole, bytes]);
    l.finish(cx, Op::PackUnorm4, Type::F32, &[unit]);
}

/// Returns operand 0 as bits. Signs and absolute value are applied first, in the type of the
/// instruction, because the operation that follows reads the bits as another type.
fn raw_bits(l: &mut Lowerer<'_>, cx: &InstCx<'_>, ty: Type) -> Src {
    let source = l.value(cx, 0, ty);
    if source.has_modifier() {
        l.compute(Op::Mov, ty, &[source])
    } else {
        source
    }
}

/// Lowers PK64: pairs of 32-bit values to 64-bit ones.
pub(super) fn pk64(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let source = raw_bits(l, cx, cx.types.ty);
    let wide = cx.types.ty.bits_type().with_width(Width::W64);
    l.finish(cx, Op::Pack64, wide, &[source]);
}

/// Lowers UP64: 64-bit values to pairs of 32-bit ones.
pub(super) fn up64(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let source = raw_bits(l, cx, cx.types.ty.with_width(Width::W64));
    let wide = cx.types.ty.bits_type().with_width(Width::W64);
    let effects = Mods::ANY_CC.union(Mods::ANY_CLAMP);
    if !cx.line.modifiers.mods().intersects(effects) {
        return l.finish(cx, Op::Unpack64, wide, &[source]);
    }
    // Clamp and condition codes see the words as values of the instruction's type.
    let words = l.hidden(Width::W32);
    l.put(words, WriteMask::XYZW, Op::Unpack64, wide, &[source]);
    l.finish_mov(cx, Src::register(words));
}

/// Returns the word to unpack, in lane x.
fn word(l: &mut Lowerer<'_>, cx: &InstCx<'_>) -> Src {
    splat(raw_bits(l, cx, cx.types.ty), 0)
}

/// Lowers UP2H, UP2US, UP4UB.
pub(super) fn unpack(l: &mut Lowerer<'_>, cx: &InstCx<'_>, op: Op) {
    let source = word(l, cx);
    l.finish(cx, op, Type::F32, &[source]);
}

/// Lowers UP4B: `(byte - 128) / 127`.
pub(super) fn up4b(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let source = word(l, cx);
    let unit = l.compute(Op::UnpackUnorm4, Type::F32, &[source]);
    let (bytes, bias, scale) = (l.float(255.0), l.float(128.0), l.float(127.0));
    let whole = l.compute(Op::Mul, Type::F32, &[unit, bytes]);
    let whole = l.compute(Op::Round, Type::F32, &[whole]);
    let centered = l.compute(Op::Sub, Type::F32, &[whole, bias]);
    l.finish(cx, Op::Div, Type::F32, &[centered, scale]);
}
