//! Comparisons in which NaN counts: naga takes ordered and unordered ones for the same, and writers differ in what `!=` says of NaN.

use crate::rewriter::{Code, Rewriter};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};

/// Unordered comparisons, which hold if an operand is NaN, with the ordered ones that hold where those do not.
const OPPOSITES: &[(Op, Op)] = &[
    (Op::FUnordNotEqual, Op::FOrdEqual),
    (Op::FUnordLessThan, Op::FOrdGreaterThanEqual),
    (Op::FUnordGreaterThan, Op::FOrdLessThanEqual),
    (Op::FUnordLessThanEqual, Op::FOrdGreaterThan),
    (Op::FUnordGreaterThanEqual, Op::FOrdLessThan),
];

/// Writes all comparisons as such that no NaN passes, and their negations.
pub(super) fn order(rewriter: &mut Rewriter) -> Result<(), String> {
    rewriter.rewrite(|code, instruction| {
        let op = instruction.class.opcode;
        let opposite = OPPOSITES.iter().find(|(unordered, _)| *unordered == op);
        if let Some((_, ordered)) = opposite {
            let holds = code.op_with(*ordered, ty(&instruction), instruction.operands.clone());
            negate(code, &instruction, holds);
        } else if op == Op::FUnordEqual {
            let differs = differs(code, &instruction);
            negate(code, &instruction, differs);
        } else if op == Op::FOrdNotEqual {
            let differs = differs(code, &instruction);
            code.define(&instruction, differs);
        } else {
            code.keep(instruction);
        }
        Ok(())
    })
}

fn ty(instruction: &Instruction) -> Word {
    instruction.result_type.unwrap_or_default()
}

fn negate(code: &mut Code<'_>, replaced: &Instruction, value: Word) {
    let operands = vec![Operand::IdRef(value)];
    code.keep(Instruction::new(
        Op::LogicalNot,
        replaced.result_type,
        replaced.result_id,
        operands,
    ));
}

/// Whether one operand is less than the other.
fn differs(code: &mut Code<'_>, instruction: &Instruction) -> Word {
    let ty = ty(instruction);
    let operands = &instruction.operands;
    let [less, greater] =
        [Op::FOrdLessThan, Op::FOrdGreaterThan].map(|op| code.op_with(op, ty, operands.clone()));
    code.op(Op::LogicalOr, ty, &[less, greater])
}
