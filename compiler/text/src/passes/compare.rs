//! Comparisons for inequality that are false for NaN: `!=` of the languages is true for NaN, and
//! the writers write both as `!=`.

use crate::spirv_edit::{InstructionExt, ModuleEditor, to_id_operands};
use rspirv::spirv::Op;

/// Replaces `a != b` that is false for NaN (`FOrdNotEqual`) by `a < b || a > b`, and `a == b` that
/// is true for NaN (`FUnordEqual`) by the negation of that.
pub(crate) fn lower_ordered_not_equal(editor: &mut ModuleEditor) {
    if !editor.has_op(&[Op::FOrdNotEqual, Op::FUnordEqual]) {
        return;
    }
    editor.rewrite_instructions(|code, instruction| {
        let op = instruction.op();
        if !matches!(op, Op::FOrdNotEqual | Op::FUnordEqual) {
            return code.emit_unchanged(instruction);
        }
        let ty = instruction.result_type.unwrap_or_default();
        let orderings = [Op::FOrdLessThan, Op::FOrdGreaterThan]
            .map(|op| code.emit_op_with(op, ty, instruction.operands.clone()));
        if op == Op::FUnordEqual {
            let differ = code.emit_op(Op::LogicalOr, ty, &orderings);
            code.replace_with_op(&instruction, Op::LogicalNot, to_id_operands(&[differ]));
        } else {
            code.replace_with_op(&instruction, Op::LogicalOr, to_id_operands(&orderings));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::{Instruction, Module};

    fn rewritten(op: Op) -> Vec<Op> {
        let mut editor = ModuleEditor::new(Module::new());
        editor.add_block(vec![Instruction::new(
            op,
            Some(9),
            Some(3),
            to_id_operands(&[1, 2]),
        )]);
        lower_ordered_not_equal(&mut editor);
        assert_eq!(editor.instructions().last().unwrap().result_id, Some(3));
        editor.collect_ops()
    }

    #[test]
    fn only_what_nan_tells_apart_is_rewritten() {
        assert_eq!(
            rewritten(Op::FOrdNotEqual),
            [Op::FOrdLessThan, Op::FOrdGreaterThan, Op::LogicalOr]
        );
        assert_eq!(rewritten(Op::FUnordEqual).last(), Some(&Op::LogicalNot));
        assert_eq!(rewritten(Op::FUnordNotEqual), [Op::FUnordNotEqual]);
        assert_eq!(rewritten(Op::FOrdEqual), [Op::FOrdEqual]);
    }
}
