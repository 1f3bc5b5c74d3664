//! Constant folding of instructions: the compiler evaluates instructions with constant sources like
//! the interpreter, so that only constants remain.
//!
//! Drivers compute some of them incorrectly. Mesa 22.3 loses the high half of an unpacked constant,
//! SwiftShader compares the bounds of a clamped constant as unsigned, and loses powers and sines of
//! constants inside loops.

use super::cx::{FlagLanes, Written};
use super::typed_sources::uses_float64;
use crate::analysis::is_comparison;
use crate::builder::{Lane, Scalar, single, truth_scalar};
use crate::emit::cx::FunctionEmitter;
use crate::error::Failure;
use glasm_ir::inst::{read_lanes, result_type, source_type};
use glasm_ir::interp::{self, Arithmetic, Products, Sources};
use glasm_ir::op::ResultShape;
use glasm_ir::{Base, Dst, Inst, Op, Saturate, Src, Type, Width, WriteMask};

/// Emits the result of an instruction without side effects that reads only constants. Returns false
/// and emits nothing for other instructions.
#[inline]
pub(super) fn fold_constant_inst(
    f: &mut FunctionEmitter<'_>,
    inst: &Inst,
    needed: u8,
) -> Result<bool, Failure> {
    let lanes = needed & 15 | needed >> 4;
    if !may_read_constants(f, inst, lanes) || !has_constant_sources(f, inst, lanes) {
        return Ok(false);
    }
    fold_inst(f, inst, needed)
}

/// Returns true if the first lane that an instruction reads is a constant. This test excludes most
/// instructions quickly.
#[inline]
fn may_read_constants(f: &FunctionEmitter<'_>, inst: &Inst, lanes: u8) -> bool {
    if inst.source_count == 0 {
        return false;
    }
    let src = &f.program.srcs[inst.first_source as usize];
    match src.base {
        Base::Literal(_) => true,
        Base::Register(register) => {
            let Some(slot) = f.analysis.slot(f.program, register, src.index) else {
                return false;
            };
            // Operations that are not componentwise read at least lane x.
            let first = if inst.op.info().shape == ResultShape::Componentwise {
                lanes.trailing_zeros() as usize & 3
            } else {
                0
            };
            f.w.is_known(f.lanes.get(slot, src.swizzle.lane(first)))
        }
        Base::Param(_) | Base::Input(_) | Base::Output(_) => false,
    }
}

/// Returns true if the lanes that an instruction reads are constants. Returns false for copies.
fn has_constant_sources(f: &FunctionEmitter<'_>, inst: &Inst, lanes: u8) -> bool {
    let program = f.program;
    let sources = program.sources(inst);
    for (number, src) in sources.iter().enumerate() {
        match src.base {
            Base::Literal(_) => {}
            Base::Register(register) => {
                let Some(slot) = f.analysis.slot(program, register, src.index) else {
                    return false;
                };
                let values = f.lanes.slot(slot);
                let mut read = WriteMask(read_lanes(program, inst, number, lanes)).lanes();
                if !read.all(|lane| f.w.is_known(values[src.swizzle.lane(lane)])) {
                    return false;
                }
            }
            Base::Param(_) | Base::Input(_) | Base::Output(_) => return false,
        }
    }
    // A copy costs nothing, and preserves the relation of the lanes to the vector that contains
    // them.
    !is_copy(inst, &sources[0])
}

#[cold]
fn fold_inst(f: &mut FunctionEmitter<'_>, inst: &Inst, needed: u8) -> Result<bool, Failure> {
    let Some(dst) = inst.dst else {
        return Ok(false);
    };
    // A feature that the device lacks is an error regardless of the operands.
    if !f.w.device.float64 && uses_float64(f.program, inst, needed >> 4) {
        return Ok(false);
    }
    let lanes = needed & 15 | needed >> 4;
    // Without negations, because the flags of sums depend on the operation that results from the
    // negations (NV_gpu_program4 section 2.X.4.3).
    let magnitudes = read_constant_operands(f, inst, lanes);
    let operands = apply_negations(f, inst, &magnitudes);
    let arithmetic = choose_arithmetic(f);
    let Some(result) = interp::evaluate(inst.op, inst.ty, inst.aux, &operands, arithmetic) else {
        return Ok(false);
    };
    let mut flags = FlagLanes::default();
    if needed >> 4 != 0 && f.analysis.reads_overflow {
        flags = fold_flags(f, inst, lanes, &magnitudes);
    }
    write_constants(f, inst, &dst, needed, result, flags)?;
    Ok(true)
}

/// Returns the arithmetic of the program, according to the options.
fn choose_arithmetic(f: &FunctionEmitter<'_>) -> Arithmetic {
    let own = f.program.modes.arithmetic();
    if f.w.zero_product {
        Arithmetic {
            products: Products::ZeroWins,
            ..own
        }
    } else {
        own
    }
}

fn apply_negations(f: &FunctionEmitter<'_>, inst: &Inst, magnitudes: &Sources) -> Sources {
    let mut operands = *magnitudes;
    let sources = f.program.sources(inst);
    for (number, (operand, src)) in operands.iter_mut().zip(sources).enumerate() {
        let ty = source_type(f.program, inst, number);
        *operand = operand.map(|magnitude| interp::negation(src, ty, magnitude));
    }
    operands
}

/// Computes overflow and carry of a sum of constants.
fn fold_flags(
    f: &mut FunctionEmitter<'_>,
    inst: &Inst,
    lanes: u8,
    magnitudes: &Sources,
) -> FlagLanes {
    let mut flags = FlagLanes::default();
    let carries = interp::carries(inst, f.program.sources(inst), magnitudes);
    for lane in WriteMask(lanes).lanes() {
        let (overflow, carry) = carries[lane];
        for (flag, value) in flags.iter_mut().zip([overflow, carry]) {
            let id = f.w.constant(Scalar::BoolInt, u64::from(value));
            flag[lane] = Lane::scalar(id);
        }
    }
    flags
}

/// Returns the values of the lanes that an instruction reads, without negation.
fn read_constant_operands(f: &FunctionEmitter<'_>, inst: &Inst, lanes: u8) -> Sources {
    let program = f.program;
    let mut operands = Sources::default();
    for (number, (operand, src)) in operands.iter_mut().zip(program.sources(inst)).enumerate() {
        let ty = source_type(program, inst, number);
        for lane in WriteMask(read_lanes(program, inst, number, lanes)).lanes() {
            let read = src.swizzle.lane(lane);
            let bits = match src.base {
                Base::Literal(literal) => program.literals[literal][read],
                Base::Register(register) => {
                    let slot = f.analysis.slot(program, register, src.index);
                    slot.map_or(0, |slot| f.w.lane_bits(f.lanes.get(slot, read)))
                }
                Base::Param(_) | Base::Input(_) | Base::Output(_) => 0,
            };
            operand[lane] = interp::magnitude(src, ty, bits);
        }
    }
    operands
}

/// Writes a constant result and its condition codes.
fn write_constants(
    f: &mut FunctionEmitter<'_>,
    inst: &Inst,
    dst: &Dst,
    needed: u8,
    result: [u64; 4],
    flags: FlagLanes,
) -> Result<(), Failure> {
    // Narrow registers are stored as words.
    let width = f.program.registers[dst.register].width.max(Width::W32);
    let mut ty = result_type(inst);
    if inst.op.adds() && ty.is_int() {
        // Sums may be written to registers of either width.
        ty = ty.with_width(width);
    }
    let mut written = Written {
        flags,
        ..Written::default()
    };
    for lane in WriteMask(needed & 15 | needed >> 4).lanes() {
        let bits = interp::written(inst, dst, width, result[lane]);
        let [value, code] = choose_constant_forms(f, inst, ty, bits);
        written.values[lane] = Lane::scalar(f.w.constant(value.0, value.1));
        written.codes[lane] = Lane::scalar(f.w.constant(code.0, code.1));
    }
    // The guard may not be a constant, even if all sources are.
    f.write_guarded(ty, dst, needed, written)
}

/// Returns the constants that represent a result of type `ty` in registers and in condition codes.
fn choose_constant_forms(
    f: &FunctionEmitter<'_>,
    inst: &Inst,
    ty: Type,
    bits: u64,
) -> [(Scalar, u64); 2] {
    let scalar = f.w.read_scalar(ty);
    let number = (scalar, bits);
    // Booleans remain booleans in registers of words, and always in codes, like the results of
    // other operands.
    if is_comparison(inst.op) {
        let truth = (truth_scalar(ty), u64::from(bits != 0));
        let in_words = ty != Type::F16 && !scalar.is_wide();
        return [if in_words { truth } else { number }, truth];
    }
    if ty == Type::F16 {
        [number, (Scalar::F32, single(bits))]
    } else {
        [number; 2]
    }
}

/// Returns true if an instruction only copies its source.
fn is_copy(inst: &Inst, src: &Src) -> bool {
    let clamps = inst.dst.is_some_and(|dst| dst.saturate != Saturate::None);
    inst.op == Op::Mov && !clamps && !src.has_modifier()
}
