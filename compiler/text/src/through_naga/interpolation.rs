//! Inputs at other places than the center of the fragment: WGSL has no functions for that.
//!
//! At an offset, an input is what its derivatives say. With perspective, the input times 1/w and 1/w itself are linear on the screen, so
//! the quotient of both, each moved by its derivatives, is exact.

use super::interface::interface_variable;
use crate::rewriter::{Code, Rewriter};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, GlslStd450Op as GlslOp, Op, StorageClass, Word};
use std::collections::HashMap;

const AT_CENTER: &str =
    "inputs at samples and at the centroid are those at the center of the fragment";

/// Replaces the functions.
pub(super) fn replace_functions(rewriter: &mut Rewriter) -> Result<(), String> {
    let is_function = |instruction: &Instruction| function(instruction).is_some();
    if !rewriter.module.all_inst_iter().any(is_function) {
        return Ok(());
    }
    let position = fragment_position(rewriter);
    let mut variables = HashMap::new();
    rewriter.rewrite(|code, instruction| {
        let first = instruction.operands.first().and_then(Operand::id_ref_any);
        if let (Op::AccessChain, Some(base), Some(id)) =
            (instruction.class.opcode, first, instruction.result_id)
        {
            variables.insert(id, variables.get(&base).copied().unwrap_or(base));
        }
        let Some((op, pointer)) = function(&instruction) else {
            code.keep(instruction);
            return Ok(());
        };
        let ty = instruction.result_type.unwrap_or_default();
        let variable = variables.get(&pointer).copied().unwrap_or(pointer);
        let center = code.op(Op::Load, ty, &[pointer]);
        let has =
            |code: &Code<'_>, decoration| code.rewriter.decoration(variable, decoration).is_some();
        let is_exact = has(code, Decoration::Flat)
            || op == GlslOp::InterpolateAtCentroid && has(code, Decoration::Centroid);
        let value = match (op, instruction.operands.get(3)) {
            _ if is_exact => center,
            (GlslOp::InterpolateAtOffset, Some(Operand::IdRef(offset))) => {
                if has(code, Decoration::NoPerspective) {
                    moved(code, center, *offset)
                } else {
                    moved_in_perspective(code, position, center, *offset)
                }
            }
            _ => {
                code.rewriter.warn(AT_CENTER);
                center
            }
        };
        code.define(&instruction, value);
        Ok(())
    })
}

/// The function of an instruction, and the input that it is applied to.
fn function(instruction: &Instruction) -> Option<(GlslOp, Word)> {
    let [
        _,
        Operand::LiteralExtInstInteger(number),
        Operand::IdRef(pointer),
        ..,
    ] = instruction.operands[..]
    else {
        return None;
    };
    let functions = [
        GlslOp::InterpolateAtCentroid,
        GlslOp::InterpolateAtSample,
        GlslOp::InterpolateAtOffset,
    ];
    let op = functions.into_iter().find(|op| *op as u32 == number)?;
    Some((op, pointer))
}

/// The input that holds the position, whose w is 1/w.
fn fragment_position(rewriter: &mut Rewriter) -> Word {
    let known = rewriter.builtins();
    if let Some((variable, ..)) = known
        .iter()
        .find(|(_, builtin, _)| *builtin == BuiltIn::FragCoord)
    {
        return *variable;
    }
    let float = rewriter.float();
    let vector = rewriter.vector(float, 4);
    let variable = interface_variable(rewriter, StorageClass::Input, vector, "fragment_position");
    let builtin = Operand::BuiltIn(BuiltIn::FragCoord);
    rewriter.decorate(variable, Decoration::BuiltIn, Some(builtin));
    variable
}

/// The value so many pixels away.
fn moved(code: &mut Code<'_>, value: Word, offset: Word) -> Word {
    let count = code.rewriter.shape(code.rewriter.type_of(value)).size;
    let mut sum = value;
    for (index, op) in [Op::DPdx, Op::DPdy].into_iter().enumerate() {
        let distance = code.component(offset, index as u32);
        let distance = code.construct(&vec![distance; count as usize]);
        let derivative = code.same(op, &[value]);
        let difference = code.same(Op::FMul, &[derivative, distance]);
        sum = code.same(Op::FAdd, &[sum, difference]);
    }
    sum
}

fn moved_in_perspective(code: &mut Code<'_>, position: Word, value: Word, offset: Word) -> Word {
    let float = code.rewriter.float();
    let vector = code.rewriter.vector(float, 4);
    let count = code.rewriter.shape(code.rewriter.type_of(value)).size;
    let position = code.op(Op::Load, vector, &[position]);
    let weight = code.component(position, 3);
    let weights = code.construct(&vec![weight; count as usize]);
    let linear = code.same(Op::FMul, &[value, weights]);
    let linear = moved(code, linear, offset);
    let weights = moved(code, weights, offset);
    code.same(Op::FDiv, &[linear, weights])
}
