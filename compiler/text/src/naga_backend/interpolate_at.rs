//! Inputs at other positions than the center of the fragment: WGSL has no functions for that.
//!
//! At an offset, an input is computed from its derivatives. With perspective, the input times 1/w
//! and 1/w itself are linear on the screen, so the quotient of both, each moved by its derivatives,
//! is exact.

use crate::spirv_edit::{InstructionBuilder, InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, GlslStd450Op as GlslOp, Op, StorageClass, Word};
use std::collections::HashMap;

const CENTER_WARNING: &str =
    "inputs at samples and at the centroid are those at the center of the fragment";

/// Replaces interpolation functions by the value at the center, which is recorded as a difference
/// unless it is exact, or by its extrapolation to an offset. Adds the input position if necessary.
pub(super) fn lower_interpolate_at(editor: &mut ModuleEditor) {
    if !editor
        .instructions()
        .any(|it| find_interpolate_call(it).is_some())
    {
        return;
    }
    let position = resolve_frag_coord(editor);
    let mut variables = HashMap::new();
    editor.rewrite_instructions(|code, instruction| {
        if let (Op::AccessChain, Some(base), Some(id)) = (
            instruction.op(),
            instruction.id_operand(0),
            instruction.result_id,
        ) {
            variables.insert(id, variables.get(&base).copied().unwrap_or(base));
        }
        let Some((op, pointer)) = find_interpolate_call(&instruction) else {
            return code.emit_unchanged(instruction);
        };
        let ty = instruction.result_type.unwrap_or_default();
        let variable = variables.get(&pointer).copied().unwrap_or(pointer);
        let center = code.emit_op(Op::Load, ty, &[pointer]);
        let has = |code: &InstructionBuilder<'_>, decoration| {
            code.editor.is_decorated(variable, decoration)
        };
        let is_exact = has(code, Decoration::Flat)
            || op == GlslOp::InterpolateAtCentroid && has(code, Decoration::Centroid);
        let value = match (op, instruction.id_operand(3)) {
            _ if is_exact => center,
            (GlslOp::InterpolateAtOffset, Some(offset)) => {
                if has(code, Decoration::NoPerspective) {
                    emit_linear_extrapolation(code, center, offset)
                } else {
                    emit_perspective_extrapolation(code, position, center, offset)
                }
            }
            _ => {
                code.editor.record_difference(CENTER_WARNING);
                center
            }
        };
        code.replace_with_value(&instruction, value);
    });
}

/// Returns the interpolation function that an instruction calls, and the input that it is applied
/// to; `None` for other instructions.
fn find_interpolate_call(instruction: &Instruction) -> Option<(GlslOp, Word)> {
    let mut functions = [
        GlslOp::InterpolateAtCentroid,
        GlslOp::InterpolateAtSample,
        GlslOp::InterpolateAtOffset,
    ]
    .into_iter();
    let function = functions.find(|op| instruction.is_glsl_inst(*op))?;
    Some((function, instruction.id_operand(2)?))
}

/// Returns the input that holds the position, whose w is 1/w; adds it if it is missing.
fn resolve_frag_coord(editor: &mut ModuleEditor) -> Word {
    let builtins = editor.collect_builtins();
    let position = builtins.iter().find(|it| it.1 == BuiltIn::FragCoord);
    if let Some((variable, ..)) = position {
        return *variable;
    }
    let float = editor.intern_float();
    let vector = editor.intern_vector(float, 4);
    let variable =
        editor.declare_interface_variable(StorageClass::Input, vector, "fragment_position");
    let builtin = Operand::BuiltIn(BuiltIn::FragCoord);
    editor.decorate(variable, Decoration::BuiltIn, Some(builtin));
    variable
}

/// Emits the extrapolation of a value that is linear on the screen to an offset in pixels, and
/// returns it.
fn emit_linear_extrapolation(code: &mut InstructionBuilder<'_>, value: Word, offset: Word) -> Word {
    let count = code.editor.value_shape(value).size;
    let mut sum = value;
    for (index, op) in [Op::DPdx, Op::DPdy].into_iter().enumerate() {
        let distance = code.extract_component(offset, index as u32);
        let distance = code.construct_vector(&vec![distance; count as usize]);
        let derivative = code.emit_op_same_type(op, &[value]);
        let difference = code.emit_op_same_type(Op::FMul, &[derivative, distance]);
        sum = code.emit_op_same_type(Op::FAdd, &[sum, difference]);
    }
    sum
}

/// Emits the extrapolation of a value that is interpolated in perspective to an offset in pixels,
/// and returns it. `position` is the input whose w is 1/w.
fn emit_perspective_extrapolation(
    code: &mut InstructionBuilder<'_>,
    position: Word,
    value: Word,
    offset: Word,
) -> Word {
    let float = code.editor.intern_float();
    let vector = code.editor.intern_vector(float, 4);
    let count = code.editor.value_shape(value).size;
    let position = code.emit_op(Op::Load, vector, &[position]);
    let weight = code.extract_component(position, 3);
    let weights = code.construct_vector(&vec![weight; count as usize]);
    let linear = code.emit_op_same_type(Op::FMul, &[value, weights]);
    let linear = emit_linear_extrapolation(code, linear, offset);
    let weights = emit_linear_extrapolation(code, weights, offset);
    code.emit_op_same_type(Op::FDiv, &[linear, weights])
}
