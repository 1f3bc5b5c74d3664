//! Instructions that read their sources lane by lane, or with types other than their own:
//! conversions, packing, 64-bit integers in pairs of words. The computations on the values are in
//! [`arithmetic`](super::arithmetic).

use super::arithmetic::int::emit_bit_insert;
use super::arithmetic::int::{
    convert_from_wide, convert_to_wide, emit_wide_lane, err_not_emulated,
};
use super::arithmetic::{Conversion, emit_convert, narrow_source};
use super::arithmetic::{SumOrder, emit_dot, emit_nonzero_test, emit_select};
use super::arithmetic::{pack_halves, pack_numbers, pack_wide, unpack_numbers, unpack_wide};
use super::context::{InstContext, OpResult};
use crate::builder::{Lane, Val};
use crate::emit::context::FunctionEmitter;
use crate::error::Failure;
use glasm_ir::inst::compute_read_lanes;
use glasm_ir::{BaseType, Inst, InstData, Op, Program, Saturate, Src, Type, Width, WriteMask};
use spirv::GlslStd450Op as GlslOp;

/// Emits a dot product: the sum of the products of the lanes `lanes` of two sources, in a fixed
/// order if equal instructions must have equal results.
pub(super) fn emit_dot_inst(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    lanes: u8,
) -> Result<Val, Failure> {
    let a = function.load_source(cx.inst, 0, lanes)?;
    let b = function.load_source(cx.inst, 1, lanes)?;
    // A source with equal components is a scalar.
    let size = WriteMask(lanes).count() as u8;
    // Sums have a fixed order in programs whose equal instructions must have equal results.
    let order =
        if function.program.modes.flush_denormals && !function.options.skip_precision_rounding {
            SumOrder::Fixed
        } else {
            SumOrder::Any
        };
    Ok(emit_dot(function.builder, order, size, [a, b]))
}

/// Emits `a != 0 ? b : c`, with `a` tested as bits.
pub(super) fn emit_select_non_zero(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    let src = function.program.source(cx.inst, 0);
    let truth = match function.find_bool_source(src, cx.lanes)? {
        Some(truth) => truth,
        None => {
            // The modifiers belong to the type of the instruction, the test to the bits.
            let a = function.load_source(cx.inst, 0, cx.lanes)?;
            emit_nonzero_test(function.builder, a)
        }
    };
    let b = function.load_source(cx.inst, 1, cx.lanes)?;
    let c = function.load_source(cx.inst, 2, cx.lanes)?;
    Ok(emit_select(function.builder, cx.inst.ty, truth, [b, c]))
}

/// Emits `Cvt`: converts the first source from the type in the instruction data to that of the
/// result. Without such data it returns the source unchanged.
pub(super) fn emit_convert_inst(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    let InstData::Cvt {
        from,
        rounding,
        saturate,
    } = cx.inst.data
    else {
        return function.load_source(cx.inst, 0, cx.lanes);
    };
    let program = function.program;
    let src = &program.srcs[cx.inst.first_source as usize];
    let val = if from.width().bits() < 32 && from.is_int() {
        let plain = Src {
            abs: false,
            negate: false,
            ..*src
        };
        let words = function.load_source_as(&plain, Type::U32, cx.lanes)?;
        narrow_source(function.builder, words, src, from)
    } else {
        function.load_source_as(src, from, cx.lanes)?
    };
    let conversion = Conversion {
        from,
        rounding,
        saturate,
    };
    Ok(emit_convert(function.builder, cx.inst.ty, conversion, val))
}

/// Emits `BitInsert`, BFI: inserts the low bits of the second source into the first one; the third
/// and fourth source are the number of bits and the first bit.
pub(super) fn emit_bit_insert_inst(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    let operands = function.load_three_sources(cx)?;
    let offset = function.load_source(cx.inst, 3, cx.lanes)?;
    Ok(emit_bit_insert(function.builder, operands, offset))
}

/// Emits the packing of lanes x and y as two half-precision numbers of one word.
pub(super) fn emit_pack_halves(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    let numbers = function.load_source(cx.inst, 0, 0b0011)?;
    Ok(pack_halves(function.builder, numbers))
}

/// Emits the packing of the source's lanes `lanes` into one word by a GLSL instruction.
pub(super) fn emit_pack(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    op: GlslOp,
    lanes: u8,
) -> Result<Val, Failure> {
    let numbers = function.load_source(cx.inst, 0, lanes)?;
    Ok(pack_numbers(function.builder, op, lanes, numbers))
}

/// Emits an unpacking instruction of GLSL.std.450: lane x of the first source is a word that
/// contains `size` numbers.
pub(super) fn emit_unpack(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    op: GlslOp,
    size: u8,
) -> Result<OpResult, Failure> {
    let word = function.load_source_as(function.program.source(cx.inst, 0), Type::U32, 1)?;
    Ok(OpResult::Lanes(unpack_numbers(
        function.builder,
        op,
        size,
        word,
    )))
}

/// Packs pairs of words of the source into 64-bit lanes: x and y into lanes x and z, z and w into
/// lanes y and w. Lanes that are not needed may be undefined.
pub(super) fn emit_pack64(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<OpResult, Failure> {
    let src = function.program.source(cx.inst, 0);
    let mut wide = [Lane::UNDEFINED; 2];
    // Lanes x and z of the result are packed from the first two words, y and w from the others.
    for (half, wide) in wide.iter_mut().enumerate() {
        if cx.lanes & (0b0101 << half) != 0 {
            let words = function.load_source_as(src, Type::U32, 0b0011 << (2 * half))?;
            *wide = pack_wide(function.builder, words);
        }
    }
    Ok(OpResult::Lanes(std::array::from_fn(|lane| wide[lane % 2])))
}

/// Unpacks the 64-bit lanes of the source into pairs of words: x into lanes x and y, y into z and
/// w. Pairs that are not needed are undefined.
pub(super) fn emit_unpack64(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<OpResult, Failure> {
    let src = function.program.source(cx.inst, 0);
    let mut lanes = [Lane::UNDEFINED; 4];
    for half in 0..2 {
        if cx.lanes >> (2 * half) & 3 == 0 {
            continue;
        }
        // UP64 splits lane x into lanes x and y, lane y into z and w.
        let wide = function.load_source_as(src, Type::U64, 1 << half)?;
        [lanes[2 * half], lanes[2 * half + 1]] = unpack_wide(function.builder, wide);
    }
    Ok(OpResult::Lanes(lanes))
}

/// Emits one instruction on 64-bit integers that the device lacks, lane by lane on pairs of words.
/// Returns an error for operations that are not emulated.
pub(super) fn emit_wide_inst(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<OpResult, Failure> {
    let mut lanes = [Lane::UNDEFINED; 4];
    for lane in WriteMask(cx.lanes).lanes() {
        lanes[lane] = compute_wide_lane(function, cx, lane)?.lane(0);
    }
    Ok(OpResult::Lanes(lanes))
}

/// Computes one lane of an instruction on 64-bit integers that are pairs of words. Returns an error
/// for operations that are not emulated. Conversions of floats and those that saturate are not.
fn compute_wide_lane(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    lane: usize,
) -> Result<Val, Failure> {
    let inst = cx.inst;
    if let InstData::Cvt { from, saturate, .. } = inst.data {
        // These require comparisons and conversions of pairs that no other instruction uses.
        if from.is_float() || inst.ty.is_float() || saturate {
            return Err(err_not_emulated(inst));
        }
        let src = function.program.source(inst, 0);
        if from.width() == Width::W64 {
            let val = function.load_source_as(src, from, 1 << lane)?;
            return Ok(convert_from_wide(function.builder, inst.ty, val));
        }
        let word = function.load_source_as(src, from.with_width(Width::W32), 1 << lane)?;
        return Ok(convert_to_wide(function.builder, from, word));
    }
    let mut values = [None; 3];
    let sources = function.program.sources(inst);
    for (number, (value, src)) in values.iter_mut().zip(sources).enumerate() {
        // Scalar operands are read from another lane.
        let read = compute_read_lanes(function.program, inst, number, 1 << lane);
        *value = Some(function.load_source_as(src, inst.ty, read)?);
    }
    let [Some(a), b, c] = values else {
        return Err(err_not_emulated(inst));
    };
    // `a` replaces operands that the operation does not have.
    emit_wide_lane(function.builder, inst, [a, b.unwrap_or(a), c.unwrap_or(a)])
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
        inst.data,
        InstData::Cvt {
            from: Type::F64,
            ..
        }
    );
    inst.ty == Type::F64 && !moves || converts
}

/// Returns true if an instruction computes with 64-bit integers, so that a device that lacks them
/// needs an emulation. Moves without modifiers and accesses to memory and textures support pairs of
/// words themselves.
#[inline(never)]
pub(super) fn is_pair_op(program: &Program, inst: &Inst) -> bool {
    let wide_int = |ty: Type| ty.width() == Width::W64 && ty.base() != BaseType::Float;
    match (inst.op, inst.data) {
        (Op::Mov, _) => wide_int(inst.ty) && program.source(inst, 0).has_modifier(),
        // They support pairs themselves.
        (Op::Pack64 | Op::Unpack64 | Op::Load | Op::Store | Op::Atomic | Op::Tex, _) => false,
        (_, InstData::Cvt { from, .. }) => wide_int(inst.ty) || wide_int(from),
        _ => wide_int(inst.ty),
    }
}
