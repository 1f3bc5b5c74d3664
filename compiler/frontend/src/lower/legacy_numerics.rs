//! Numeric rules of the register languages: comparisons with NaN and signed zeros, and the exact
//! precisions of NV_fragment_program. NV_vertex_program sections 2.14.1.10 and 2.14.1.11,
//! NV_vertex_program2 section 2.14.3, NV_fragment_program sections 3.11.4.2 to 3.11.4.4 and 3.11.5.

use super::PrecisionConversions;
use super::op_builder::{F32, MAGNITUDE_MASK, OpBuilder, S32, SIGN_MASK, U32};
use super::resource::Resources;
use super::{InstContext, Lowerer};
use crate::ast::Index;
use crate::check::{COLH, VarKind};
use crate::lang::modifiers::ModifierFlags;
use crate::lang::opcodes::{Expansion, OpcodeInfo, Translation};
use crate::resolved_inst::{InstSource, OperandValue, ResolvedDst, ResolvedInst};
use glasm_ir::types::Type;
use glasm_ir::{Op, Semantic, Src};

/// A quiet NaN.
const NAN_BITS: u64 = 0x7fc0_0000;
/// The largest denormal.
const LARGEST_DENORMAL: u64 = 0x007f_ffff;
/// The bits of 1.0.
const ONE_BITS: u64 = 0x3f80_0000;

/// Lowers MIN of VP1.x: `a < b ? a : b`, which is `b` if either is NaN. NV_vertex_program section
/// 2.14.1.10.11.
pub(super) fn lower_min_or_second(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a, b] = l.load_floats(cx);
    // `Min` returns its first source unless the second is less.
    l.emit_result(cx, Op::Min, F32, &[b, a]);
}

/// Lowers MAX of VP1.x: `a >= b ? a : b`, which is `b` if either is NaN. NV_vertex_program section
/// 2.14.1.10.12.
pub(super) fn lower_max_or_second(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a, b] = l.load_floats(cx);
    // `Max` would return `b` for zeros, so that "MAX R0, R1, -R1" would not be the absolute value.
    let reaches = l.compute(Op::SetGe, F32, &[a, b]);
    l.emit_result(cx, Op::SelNz, F32, &[reaches, a, b]);
}

/// Lowers MIN: the smaller one, NaN if either is NaN. NV_vertex_program2 section 2.14.3.22,
/// NV_fragment_program section 3.11.5.17.
pub(super) fn lower_min_or_nan(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a, b] = l.load_floats(cx);
    // With NaN `Min` returns its first source.
    let smaller = l.compute(Op::Min, F32, &[a, b]);
    let is_number = l.compute(Op::SetEq, F32, &[b, b]);
    l.emit_result(cx, Op::SelNz, F32, &[is_number, smaller, b]);
}

/// Lowers MAX: the larger one, NaN if either is NaN. NV_vertex_program2 section 2.14.3.21,
/// NV_fragment_program section 3.11.5.16.
pub(super) fn lower_max_or_nan(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a, b] = l.load_floats(cx);
    // With NaN `Max` returns its second source.
    let larger = l.compute(Op::Max, F32, &[a, b]);
    let is_number = l.compute(Op::SetEq, F32, &[a, a]);
    l.emit_result(cx, Op::SelNz, F32, &[is_number, larger, a]);
}

/// Lowers SSG: 1, 0 or -1 according to the sign; NaN for NaN. NV_vertex_program2 section 2.14.3.37.
pub(super) fn lower_sign_or_nan(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let [a] = l.load_floats(cx);
    let sign = l.compute(Op::Sign, F32, &[a]);
    let is_number = l.compute(Op::SetEq, F32, &[a, a]);
    l.emit_result(cx, Op::SelNz, F32, &[is_number, sign, a]);
}

/// Returns the results of comparison `op` for equal operands, for a first operand that is greater,
/// and for one that is less.
const fn comparison_outcomes(op: Op) -> [bool; 3] {
    [
        matches!(op, Op::SetEq | Op::SetGe | Op::SetLe),
        matches!(op, Op::SetNe | Op::SetGe | Op::SetGt),
        matches!(op, Op::SetNe | Op::SetLe | Op::SetLt),
    ]
}

/// Lowers SEQ, SGE, SGT, SLE, SLT, SNE of VP2.0: 1 or 0, NaN if either operand is NaN.
/// NV_vertex_program2 sections 2.14.3.29 to 2.14.3.36.
///
/// Two comparisons distinguish all four cases: with NaN neither holds.
pub(super) fn lower_set_or_nan(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>, op: Op) {
    let [a, b] = lowerer.load_floats(cx);
    let at_least = lowerer.compute(Op::SetGe, F32, &[a, b]);
    let at_most = lowerer.compute(Op::SetLe, F32, &[a, b]);
    let [equal, greater, less] =
        comparison_outcomes(op).map(|holds| lowerer.splat_bits(u64::from(holds) * ONE_BITS));
    let nan = lowerer.splat_bits(NAN_BITS);
    // SNE and SEQ, SGT and SLE distinguish these two, SGE and SLT do not.
    let from_above = if equal == greater {
        equal
    } else {
        lowerer.compute(Op::SelNz, F32, &[at_most, equal, greater])
    };
    let from_below = lowerer.compute(Op::SelNz, F32, &[at_most, less, nan]);
    lowerer.emit_result(cx, Op::SelNz, F32, &[at_least, from_above, from_below]);
}

/// Lowers SLT and SGE of VP1.x, 1 or 0, by an order in which -NaN is less than -Inf, -0 less than
/// +0, +Inf less than +NaN. NV_vertex_program section 2.14.1.11.
pub(super) fn lower_set_in_total_order(l: &mut Lowerer<'_>, cx: &InstContext<'_>, op: Op) {
    let [a, b] = l.load_floats(cx);
    let ranks = [a, b].map(|value| compute_total_order_rank(l, value));
    let holds = l.compute(op, S32, &ranks);
    let (zero, one) = (l.splat_bits(0), l.splat_bits(ONE_BITS));
    l.emit_result(cx, Op::SelNz, F32, &[holds, one, zero]);
}

/// Computes the rank of a float in the total order as a signed integer: its bits, negated with a
/// sign. Denormals have the rank of the zero of their sign.
fn compute_total_order_rank(l: &mut Lowerer<'_>, value: Src) -> Src {
    let bits = compute_signed_bits(l, value);
    let (mask, least) = (l.splat_bits(MAGNITUDE_MASK), l.splat_bits(LARGEST_DENORMAL));
    let magnitude = l.compute(Op::And, U32, &[bits, mask]);
    // Zeros, too, get the bits of a denormal: negated, those of -0 are then less than those of +0.
    let magnitude = l.compute(Op::Max, S32, &[magnitude, least]);
    l.compute(Op::SelLt, S32, &[bits, magnitude.negated(), magnitude])
}

/// Computes the bits of a float with its negation applied, which devices need not do for NaN.
/// Absolute values are ignored: VP1.x has none.
fn compute_signed_bits(lowerer: &mut Lowerer<'_>, value: Src) -> Src {
    if !value.negate {
        return value;
    }
    let bits = Src {
        negate: false,
        ..value
    };
    let sign = lowerer.splat_bits(SIGN_MASK);
    lowerer.compute(Op::Xor, U32, &[bits, sign])
}

/// Returns a source that has the bits of a float. Its signs are applied first, by a move, because
/// the following operations read the bits as integers.
pub(super) fn compute_float_bits(l: &mut Lowerer<'_>, value: Src) -> Src {
    if value.has_modifier() {
        l.compute(Op::Mov, F32, &[value])
    } else {
        value
    }
}

impl Resources<'_> {
    /// Returns true if the precision of instructions is exact in this language, instead of a hint.
    pub(super) fn has_exact_precision(&self) -> bool {
        self.ast.dialect.traits().exact_precision
    }

    /// Returns the roundings of operands and result of an instruction in a language with exact
    /// precisions, according to its suffix, and to the precision of the register that it writes.
    pub(super) fn find_conversions(
        &self,
        line: &ResolvedInst,
        info: &OpcodeInfo,
    ) -> PrecisionConversions {
        let stored = line.dst.filter(|dst| self.is_half_result(dst));
        let stored = stored.map(|_| Op::RoundHalf);
        let mods = line.modifiers.mods();
        let computed = if mods.contains(ModifierFlags::FIXED) {
            Some(Op::RoundFixed)
        } else if mods.contains(ModifierFlags::HALF) {
            Some(Op::RoundHalf)
        } else if mods.contains(ModifierFlags::FULL) {
            None
        } else {
            stored
        };
        // Fog and texture coordinates override any suffix. NV_fragment_program section 3.11.4.2.
        let computed = computed.filter(|_| !self.needs_full_precision(line, info));
        // One conversion suffices: a fixed-point number is a half-precision number, and where the
        // precision is half, the register has half precision or more.
        let result = computed.or(stored);
        PrecisionConversions {
            operands: computed.filter(|_| converts_operands(info.lower)),
            result: result.filter(|_| !yields_zero_or_one(info.lower)),
        }
    }

    /// Returns true if a result has half precision: `o[COLH]` or a short register.
    fn is_half_result(&self, dst: &ResolvedDst) -> bool {
        let kind = self.checked.vars[dst.var as usize].kind;
        if matches!(kind, VarKind::Result { .. }) {
            dst.index == Index::Const(COLH)
        } else {
            self.ir_map.is_short(dst.var)
        }
    }

    /// Returns true if an instruction computes with 32 bits regardless of its suffix and its
    /// result: lookups, packing, and reads of fog or texture coordinates.
    fn needs_full_precision(&self, line: &ResolvedInst, info: &OpcodeInfo) -> bool {
        let takes_suffix = info.mods.contains(ModifierFlags::HALF);
        let sources = self.checked.insts.sources(line);
        !takes_suffix || sources.iter().any(|source| self.is_fog_or_texcoord(source))
    }

    /// Returns true if an operand is the attribute `f[FOGC]` or one of `f[TEX0]` to `f[TEX7]`.
    fn is_fog_or_texcoord(&self, source: &InstSource) -> bool {
        // Attributes of these programs have no dynamic index.
        let (Some((_, var)), Index::Const(number)) =
            (self.checked.find_value_var(source.base), source.index)
        else {
            return false;
        };
        let VarKind::Attrib { first } = var.kind else {
            return false;
        };
        let semantic = self.checked.attribs[(first + number) as usize].semantic;
        matches!(semantic, Semantic::FogCoord | Semantic::TexCoord(_))
    }
}

impl Lowerer<'_> {
    /// Returns an operand rounded by `op` to the precision of the instruction, in a hidden
    /// register; the operand itself if its register has half precision and that is the one.
    #[inline(never)]
    pub(super) fn round_operand(&mut self, operand: &InstSource, op: Op, value: Src) -> Src {
        let is_half =
            matches!(operand.base, OperandValue::Var(var) if self.resources.ir_map.is_short(var));
        // A short register holds numbers of half precision only. Fixed point has a different range.
        if is_half && op == Op::RoundHalf {
            value
        } else {
            self.compute(op, Type::F32, &[value])
        }
    }
}

/// Returns true if operands are converted separately from the result: moves convert once.
fn converts_operands(lower: Translation) -> bool {
    !matches!(lower, Translation::Op(Op::Mov))
}

/// Returns true for comparisons, whose results 0 and 1 are exact in every format.
fn yields_zero_or_one(lower: Translation) -> bool {
    matches!(
        lower,
        Translation::Op(Op::SetEq | Op::SetGe | Op::SetGt | Op::SetLe | Op::SetLt | Op::SetNe)
            | Translation::Expand(Expansion::SetFalse | Expansion::SetTrue)
    )
}
