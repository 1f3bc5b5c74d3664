//! Constant folding of instructions: the compiler evaluates instructions with constant sources like
//! the interpreter, so that only constants remain.
//!
//! Drivers compute some of them incorrectly. Mesa 22.3 loses the high half of an unpacked constant,
//! SwiftShader compares the bounds of a clamped constant as unsigned, and loses powers and sines of
//! constants inside loops.

use super::context::{FlagLanes, InstWrites};
use super::typed_sources::uses_float64;
use crate::analysis::is_comparison;
use crate::builder::{Lane, Scalar, bool_scalar, half_to_single_bits};
use crate::emit::context::FunctionEmitter;
use crate::error::Failure;
use glasm_ir::inst::{compute_read_lanes, get_result_type, get_source_type};
use glasm_ir::interp::{self, FloatArithmetic, SourceLanes, ZeroTimesInf};
use glasm_ir::op::ResultShape;
use glasm_ir::{Dst, Inst, Op, OperandBase, Saturate, Src, Type, Width, WriteMask};

/// Evaluates an instruction without side effects that reads only constants, and writes its result
/// and condition codes. Returns false and emits nothing for other instructions, for copies, and if
/// the device lacks 64-bit floats that it uses.
pub(super) fn fold_constant_inst(
    function: &mut FunctionEmitter<'_>,
    inst: &Inst,
    needed: u8,
) -> Result<bool, Failure> {
    let lanes = needed & 15 | needed >> 4;
    if !may_read_constants(function, inst, lanes) || !has_constant_sources(function, inst, lanes) {
        return Ok(false);
    }
    fold_inst(function, inst, needed)
}

/// Returns true if the first lane that an instruction reads is a constant. This test excludes most
/// instructions quickly. Instructions without sources do not.
fn may_read_constants(function: &FunctionEmitter<'_>, inst: &Inst, lanes: u8) -> bool {
    if inst.source_count == 0 {
        return false;
    }
    let src = &function.program.srcs[inst.first_source as usize];
    match src.base {
        OperandBase::Literal(_) => true,
        OperandBase::Register(register) => {
            let Some(slot) = function
                .analysis
                .find_slot(function.program, register, src.index)
            else {
                return false;
            };
            // Operations that are not componentwise read at least lane x.
            let first = if inst.op.info().shape == ResultShape::Componentwise {
                lanes.trailing_zeros() as usize & 3
            } else {
                0
            };
            function
                .builder
                .is_constant_lane(function.lanes.get(slot, src.swizzle.lane(first)))
        }
        OperandBase::Param(_) | OperandBase::Input(_) | OperandBase::Output(_) => false,
    }
}

/// Returns true if the lanes that an instruction reads are literals or constants in registers.
/// Returns false for copies.
fn has_constant_sources(function: &FunctionEmitter<'_>, inst: &Inst, lanes: u8) -> bool {
    let program = function.program;
    let sources = program.sources(inst);
    for (number, src) in sources.iter().enumerate() {
        match src.base {
            OperandBase::Literal(_) => {}
            OperandBase::Register(register) => {
                let Some(slot) = function.analysis.find_slot(program, register, src.index) else {
                    return false;
                };
                let values = function.lanes.get_slot(slot);
                let mut read = WriteMask(compute_read_lanes(program, inst, number, lanes)).lanes();
                if !read.all(|lane| {
                    function
                        .builder
                        .is_constant_lane(values[src.swizzle.lane(lane)])
                }) {
                    return false;
                }
            }
            OperandBase::Param(_) | OperandBase::Input(_) | OperandBase::Output(_) => return false,
        }
    }
    // A copy costs nothing, and preserves the relation of the lanes to the vector that contains
    // them.
    !is_copy(inst, &sources[0])
}

/// Evaluates an instruction whose needed operands are constants and writes its results as
/// constants. Returns false, without effect, if the instruction cannot be evaluated.
fn fold_inst(function: &mut FunctionEmitter<'_>, inst: &Inst, needed: u8) -> Result<bool, Failure> {
    let Some(dst) = inst.dst else {
        return Ok(false);
    };
    // A feature that the device lacks is an error regardless of the operands.
    if !function.builder.device.float64 && uses_float64(function.program, inst, needed >> 4) {
        return Ok(false);
    }
    let lanes = needed & 15 | needed >> 4;
    // Without negations, because the flags of sums depend on the operation that results from the
    // negations (NV_gpu_program4 section 2.X.4.3).
    let magnitudes = read_constant_operands(function, inst, lanes);
    let operands = apply_negations(function, inst, &magnitudes);
    let arithmetic = choose_arithmetic(function);
    let Some(result) = interp::evaluate_op(inst.op, inst.ty, inst.data, &operands, arithmetic)
    else {
        return Ok(false);
    };
    let mut flags = FlagLanes::default();
    if needed >> 4 != 0 && function.analysis.reads_overflow {
        flags = fold_flags(function, inst, lanes, &magnitudes);
    }
    write_constants(function, inst, &dst, needed, result, flags)?;
    Ok(true)
}

/// Returns the float arithmetic in which constants are evaluated: that of the program, with
/// products of zero according to the options.
fn choose_arithmetic(function: &FunctionEmitter<'_>) -> FloatArithmetic {
    let declared = function.program.modes.get_arithmetic();
    if function.builder.zero_product {
        FloatArithmetic {
            zero_times_inf: ZeroTimesInf::Zero,
            ..declared
        }
    } else {
        declared
    }
}

/// Applies the negations of the sources of an instruction to the lanes of its constant operands.
fn apply_negations(
    function: &FunctionEmitter<'_>,
    inst: &Inst,
    magnitudes: &SourceLanes,
) -> SourceLanes {
    let mut operands = *magnitudes;
    let sources = function.program.sources(inst);
    for (number, (operand, src)) in operands.iter_mut().zip(sources).enumerate() {
        let ty = get_source_type(function.program, inst, number);
        *operand = operand.map(|magnitude| interp::apply_negation(src, ty, magnitude));
    }
    operands
}

/// Computes overflow and carry of a sum whose operands are constants. They are clear for other
/// operations.
fn fold_flags(
    function: &mut FunctionEmitter<'_>,
    inst: &Inst,
    lanes: u8,
    magnitudes: &SourceLanes,
) -> FlagLanes {
    let mut flags = FlagLanes::default();
    let carries = interp::compute_carries(inst, function.program.sources(inst), magnitudes);
    for lane in WriteMask(lanes).lanes() {
        let (overflow, carry) = carries[lane];
        for (flag, value) in flags.iter_mut().zip([overflow, carry]) {
            let id = function.builder.constant(Scalar::BoolInt, u64::from(value));
            flag[lane] = Lane::scalar(id);
        }
    }
    flags
}

/// Returns the values of the lanes that an instruction reads, with absolute values and without
/// negation. Lanes that are not constants are 0.
fn read_constant_operands(function: &FunctionEmitter<'_>, inst: &Inst, lanes: u8) -> SourceLanes {
    let program = function.program;
    let mut operands = SourceLanes::default();
    for (number, (operand, src)) in operands.iter_mut().zip(program.sources(inst)).enumerate() {
        let ty = get_source_type(program, inst, number);
        for lane in WriteMask(compute_read_lanes(program, inst, number, lanes)).lanes() {
            let read = src.swizzle.lane(lane);
            let bits = match src.base {
                OperandBase::Literal(literal) => program.literals[literal][read],
                OperandBase::Register(register) => {
                    let slot = function.analysis.find_slot(program, register, src.index);
                    slot.map_or(0, |slot| {
                        function.builder.lane_bits(function.lanes.get(slot, read))
                    })
                }
                OperandBase::Param(_) | OperandBase::Input(_) | OperandBase::Output(_) => 0,
            };
            operand[lane] = interp::apply_abs(src, ty, bits);
        }
    }
    operands
}

/// Converts a result, declares its constants and those of its condition codes, and writes them to
/// the lanes in `needed` where the guard passes.
fn write_constants(
    function: &mut FunctionEmitter<'_>,
    inst: &Inst,
    dst: &Dst,
    needed: u8,
    result: [u64; 4],
    flags: FlagLanes,
) -> Result<(), Failure> {
    // Narrow registers are stored as words.
    let width = function.program.registers[dst.register]
        .width
        .max(Width::W32);
    let mut ty = get_result_type(inst);
    if inst.op.has_carry() && ty.is_int() {
        // Sums may be written to registers of either width.
        ty = ty.with_width(width);
    }
    let mut written = InstWrites {
        flags,
        ..InstWrites::default()
    };
    for lane in WriteMask(needed & 15 | needed >> 4).lanes() {
        let bits = interp::convert_result(inst, dst, width, result[lane]);
        let [value, code] = choose_constant_forms(function, inst, ty, bits);
        written.values[lane] = Lane::scalar(function.builder.constant(value.0, value.1));
        written.codes[lane] = Lane::scalar(function.builder.constant(code.0, code.1));
    }
    // The guard may not be a constant, even if all sources are.
    function.write_guarded(ty, dst, needed, written)
}

/// Returns the constants that represent a result of type `ty` in registers and in condition codes,
/// each as type and bits. Results of comparisons are booleans, except for halves and 64-bit types
/// in registers.
fn choose_constant_forms(
    function: &FunctionEmitter<'_>,
    inst: &Inst,
    ty: Type,
    bits: u64,
) -> [(Scalar, u64); 2] {
    let scalar = function.builder.lane_scalar(ty);
    let number = (scalar, bits);
    // Booleans remain booleans in registers of words, and always in codes, like the results of
    // other operands.
    if is_comparison(inst.op) {
        let truth = (bool_scalar(ty), u64::from(bits != 0));
        let in_words = ty != Type::F16 && !scalar.is_wide();
        return [if in_words { truth } else { number }, truth];
    }
    if ty == Type::F16 {
        [number, (Scalar::F32, half_to_single_bits(bits))]
    } else {
        [number; 2]
    }
}

/// Returns true if an instruction copies its source without clamp, sign and absolute value.
fn is_copy(inst: &Inst, src: &Src) -> bool {
    let clamps = inst.dst.is_some_and(|dst| dst.saturate != Saturate::None);
    inst.op == Op::Mov && !clamps && !src.has_modifier()
}
