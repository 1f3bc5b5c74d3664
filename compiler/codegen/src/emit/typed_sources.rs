//! Instructions that read their sources lane by lane, or with types other than their own:
//! conversions, packing, 64-bit integers in pairs of words. The computations on the values are in
//! [`arithmetic`](super::arithmetic).

use super::arithmetic::convert::{Conversion, emit_convert, narrow_source};
use super::arithmetic::convert::{
    pack_halves, pack_numbers, pack_wide, unpack_numbers, unpack_wide,
};
use super::arithmetic::int::emit_bit_insert;
use super::arithmetic::wide::{convert_from_wide, convert_to_wide, emit_wide_lane, unsupported};
use super::arithmetic::{SumOrder, emit_dot, select_if, test_bits};
use super::cx::{InstCx, Outcome};
use crate::builder::{Lane, Val};
use crate::emit::cx::FunctionEmitter;
use crate::error::Failure;
use glasm_ir::inst::read_lanes;
use glasm_ir::{Aux, Inst, Op, Program, Saturate, Src, Type, TypeBase, Width, WriteMask};
use spirv::GlslStd450Op as GlslOp;

/// Emits the sum of the products of the lanes `lanes`.
pub(super) fn emit_dot_inst(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    lanes: u8,
) -> Result<Val, Failure> {
    let a = f.load_source(cx.inst, 0, lanes)?;
    let b = f.load_source(cx.inst, 1, lanes)?;
    // A source with equal components is a scalar.
    let size = WriteMask(lanes).count() as u8;
    // Sums have a fixed order in programs whose equal instructions must have equal results.
    let order = if f.program.modes.flush_denormals && !f.options.fast_precision {
        SumOrder::Fixed
    } else {
        SumOrder::Any
    };
    Ok(emit_dot(f.w, order, size, [a, b]))
}

/// Emits `a != 0 ? b : c`, with `a` tested as bits.
pub(super) fn emit_select_non_zero(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    let src = f.program.source(cx.inst, 0);
    let truth = match f.find_source_truth(src, cx.lanes)? {
        Some(truth) => truth,
        None => {
            // The modifiers belong to the type of the instruction, the test to the bits.
            let a = f.load_source(cx.inst, 0, cx.lanes)?;
            test_bits(f.w, a)
        }
    };
    let b = f.load_source(cx.inst, 1, cx.lanes)?;
    let c = f.load_source(cx.inst, 2, cx.lanes)?;
    Ok(select_if(f.w, cx.inst.ty, truth, [b, c]))
}

/// Emits `Cvt`.
pub(super) fn emit_convert_inst(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    let Aux::Cvt {
        from,
        rounding,
        saturate,
    } = cx.inst.aux
    else {
        return f.load_source(cx.inst, 0, cx.lanes);
    };
    let program = f.program;
    let src = &program.srcs[cx.inst.first_source as usize];
    let val = if from.width().bits() < 32 && from.is_int() {
        let plain = Src {
            abs: false,
            negate: false,
            ..*src
        };
        let words = f.load_source_as(&plain, Type::U32, cx.lanes)?;
        narrow_source(f.w, words, src, from)
    } else {
        f.load_source_as(src, from, cx.lanes)?
    };
    let how = Conversion {
        from,
        rounding,
        saturate,
    };
    Ok(emit_convert(f.w, cx.inst.ty, how, val))
}

/// Inserts the low bits of a source into another.
pub(super) fn emit_bit_insert_inst(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    let operands = f.load_three(cx)?;
    let offset = f.load_source(cx.inst, 3, cx.lanes)?;
    Ok(emit_bit_insert(f.w, operands, offset))
}

/// Packs half-precision numbers of lanes x and y into one word.
pub(super) fn emit_pack_halves(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Val, Failure> {
    let numbers = f.load_source(cx.inst, 0, 0b0011)?;
    Ok(pack_halves(f.w, numbers))
}

/// Packs numbers of the lanes `lanes` into one word.
pub(super) fn emit_pack(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    op: GlslOp,
    lanes: u8,
) -> Result<Val, Failure> {
    let numbers = f.load_source(cx.inst, 0, lanes)?;
    Ok(pack_numbers(f.w, op, lanes, numbers))
}

/// Unpacks the `size` numbers of a word.
pub(super) fn emit_unpack(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    op: GlslOp,
    size: u8,
) -> Result<Outcome, Failure> {
    let word = f.load_source_as(f.program.source(cx.inst, 0), Type::U32, 1)?;
    Ok(Outcome::Lanes(unpack_numbers(f.w, op, size, word)))
}

/// Packs pairs of words into 64-bit lanes.
pub(super) fn emit_pack64(f: &mut FunctionEmitter<'_>, cx: InstCx<'_>) -> Result<Outcome, Failure> {
    let src = f.program.source(cx.inst, 0);
    let mut wide = [Lane::UNDEFINED; 2];
    // Lanes x and z of the result are packed from the first two words, y and w from the others.
    for (half, wide) in wide.iter_mut().enumerate() {
        if cx.lanes & (0b0101 << half) != 0 {
            let words = f.load_source_as(src, Type::U32, 0b0011 << (2 * half))?;
            *wide = pack_wide(f.w, words);
        }
    }
    Ok(Outcome::Lanes(std::array::from_fn(|lane| wide[lane % 2])))
}

/// Unpacks words of 64-bit lanes.
pub(super) fn emit_unpack64(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Outcome, Failure> {
    let src = f.program.source(cx.inst, 0);
    let mut lanes = [Lane::UNDEFINED; 4];
    for half in 0..2 {
        if cx.lanes >> (2 * half) & 3 == 0 {
            continue;
        }
        // UP64 splits lane x into lanes x and y, lane y into z and w.
        let wide = f.load_source_as(src, Type::U64, 1 << half)?;
        [lanes[2 * half], lanes[2 * half + 1]] = unpack_wide(f.w, wide);
    }
    Ok(Outcome::Lanes(lanes))
}

/// Emits one instruction on 64-bit integers that the device lacks.
pub(super) fn emit_wide_inst(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
) -> Result<Outcome, Failure> {
    let mut lanes = [Lane::UNDEFINED; 4];
    for lane in WriteMask(cx.lanes).lanes() {
        lanes[lane] = compute_wide_lane(f, cx, lane)?.lane(0);
    }
    Ok(Outcome::Lanes(lanes))
}

fn compute_wide_lane(
    f: &mut FunctionEmitter<'_>,
    cx: InstCx<'_>,
    lane: usize,
) -> Result<Val, Failure> {
    let inst = cx.inst;
    if let Aux::Cvt { from, saturate, .. } = inst.aux {
        // These require comparisons and conversions of pairs that no other instruction uses.
        if from.is_float() || inst.ty.is_float() || saturate {
            return Err(unsupported(inst));
        }
        let src = f.program.source(inst, 0);
        if from.width() == Width::W64 {
            let val = f.load_source_as(src, from, 1 << lane)?;
            return Ok(convert_from_wide(f.w, inst.ty, val));
        }
        let word = f.load_source_as(src, from.with_width(Width::W32), 1 << lane)?;
        return Ok(convert_to_wide(f.w, from, word));
    }
    let mut values = [None; 3];
    let sources = f.program.sources(inst);
    for (number, (value, src)) in values.iter_mut().zip(sources).enumerate() {
        // Scalar operands are read from another lane.
        let read = read_lanes(f.program, inst, number, 1 << lane);
        *value = Some(f.load_source_as(src, inst.ty, read)?);
    }
    let [Some(a), b, c] = values else {
        return Err(unsupported(inst));
    };
    // `a` replaces operands that the operation does not have.
    emit_wide_lane(f.w, inst, [a, b.unwrap_or(a), c.unwrap_or(a)])
}

/// Returns true if an instruction computes with 64-bit floats. Moves do so only if they clamp, have
/// modifiers or set condition codes, which compares the value with 0; `codes` are the needed lanes
/// of codes.
pub(super) fn uses_float64(program: &Program, inst: &Inst, codes: u8) -> bool {
    let moves = if inst.op == Op::Mov {
        let clamps = inst.dst.is_some_and(|dst| dst.saturate != Saturate::None);
        !clamps && codes == 0 && !program.source(inst, 0).has_modifier()
    } else {
        matches!(inst.op, Op::Pack64 | Op::Unpack64)
    };
    let converts = matches!(
        inst.aux,
        Aux::Cvt {
            from: Type::F64,
            ..
        }
    );
    inst.ty == Type::F64 && !moves || converts
}

/// Returns true if an instruction computes with 64-bit integers, on a device that lacks them.
#[inline(never)]
pub(super) fn is_pair_op(program: &Program, inst: &Inst) -> bool {
    let wide_int = |ty: Type| ty.width() == Width::W64 && ty.base() != TypeBase::Float;
    match (inst.op, inst.aux) {
        (Op::Mov, _) => wide_int(inst.ty) && program.source(inst, 0).has_modifier(),
        // They support pairs themselves.
        (Op::Pack64 | Op::Unpack64 | Op::Load | Op::Store | Op::Atomic | Op::Tex, _) => false,
        (_, Aux::Cvt { from, .. }) => wide_int(inst.ty) || wide_int(from),
        _ => wide_int(inst.ty),
    }
}
