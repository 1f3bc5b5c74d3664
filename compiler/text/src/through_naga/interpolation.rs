//! Inputs at other positions than the center of the fragment: WGSL has no functions for that.
//!
//! At an offset, an input is computed from its derivatives. With perspective, the input times 1/w
//! and 1/w itself are linear on the screen, so the quotient of both, each moved by its derivatives,
//! is exact.

use crate::spirv_edit::{Code, InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, GlslStd450Op as GlslOp, Op, StorageClass, Word};
use std::collections::HashMap;

const AT_CENTER: &str =
    "inputs at samples and at the centroid are those at the center of the fragment";

/// Replaces the functions by the values at the center or at an offset from it.
pub(super) fn replace_functions(editor: &mut ModuleEditor) {
    if !editor
        .instructions()
        .any(|it| find_called_function(it).is_some())
    {
        return;
    }
    let position = resolve_position(editor);
    let mut variables = HashMap::new();
    editor.rewrite(|code, instruction| {
        if let (Op::AccessChain, Some(base), Some(id)) =
            (instruction.op(), instruction.id(0), instruction.result_id)
        {
            variables.insert(id, variables.get(&base).copied().unwrap_or(base));
        }
        let Some((op, pointer)) = find_called_function(&instruction) else {
            return code.keep(instruction);
        };
        let ty = instruction.result_type.unwrap_or_default();
        let variable = variables.get(&pointer).copied().unwrap_or(pointer);
        let center = code.emit_op(Op::Load, ty, &[pointer]);
        let has = |code: &Code<'_>, decoration| code.editor.is_decorated(variable, decoration);
        let is_exact = has(code, Decoration::Flat)
            || op == GlslOp::InterpolateAtCentroid && has(code, Decoration::Centroid);
        let value = match (op, instruction.id(3)) {
            _ if is_exact => center,
            (GlslOp::InterpolateAtOffset, Some(offset)) => {
                if has(code, Decoration::NoPerspective) {
                    move_by_pixels(code, center, offset)
                } else {
                    move_in_perspective(code, position, center, offset)
                }
            }
            _ => {
                code.editor.warn(AT_CENTER);
                center
            }
        };
        code.define(&instruction, value);
    });
}

/// Returns the function that an instruction calls, and the input that it is applied to.
fn find_called_function(instruction: &Instruction) -> Option<(GlslOp, Word)> {
    let mut functions = [
        GlslOp::InterpolateAtCentroid,
        GlslOp::InterpolateAtSample,
        GlslOp::InterpolateAtOffset,
    ]
    .into_iter();
    let function = functions.find(|op| instruction.is_glsl(*op))?;
    Some((function, instruction.id(2)?))
}

/// Returns the input that holds the position, whose w is 1/w; adds it if it is missing.
fn resolve_position(editor: &mut ModuleEditor) -> Word {
    let builtins = editor.builtins();
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

/// Extrapolates a value that is linear on the screen to an offset in pixels.
fn move_by_pixels(code: &mut Code<'_>, value: Word, offset: Word) -> Word {
    let count = code.editor.shape_of(value).size;
    let mut sum = value;
    for (index, op) in [Op::DPdx, Op::DPdy].into_iter().enumerate() {
        let distance = code.extract_component(offset, index as u32);
        let distance = code.construct(&vec![distance; count as usize]);
        let derivative = code.emit_same_type(op, &[value]);
        let difference = code.emit_same_type(Op::FMul, &[derivative, distance]);
        sum = code.emit_same_type(Op::FAdd, &[sum, difference]);
    }
    sum
}

/// Extrapolates a value that is interpolated in perspective to an offset in pixels.
fn move_in_perspective(code: &mut Code<'_>, position: Word, value: Word, offset: Word) -> Word {
    let float = code.editor.intern_float();
    let vector = code.editor.intern_vector(float, 4);
    let count = code.editor.shape_of(value).size;
    let position = code.emit_op(Op::Load, vector, &[position]);
    let weight = code.extract_component(position, 3);
    let weights = code.construct(&vec![weight; count as usize]);
    let linear = code.emit_same_type(Op::FMul, &[value, weights]);
    let linear = move_by_pixels(code, linear, offset);
    let weights = move_by_pixels(code, weights, offset);
    code.emit_same_type(Op::FDiv, &[linear, weights])
}
