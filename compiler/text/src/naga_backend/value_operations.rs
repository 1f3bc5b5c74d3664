//! Operations on values that naga does not have or confuses with others.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many operations, few of which count here"
)]

use crate::spirv_edit::{InstructionExt, ModuleEditor, SignedTypes, VectorShape, to_id_operands};
use rspirv::dr::Instruction;
use rspirv::spirv::{GlslStd450Op as GlslOp, Op, Word};

/// Replaces unordered comparisons, which hold if an operand is NaN, by the negation of those that
/// hold where they do not: naga does not distinguish ordered and unordered ones. Ordered
/// inequalities get a copy of their result.
pub(super) fn lower_unordered_comparisons(editor: &mut ModuleEditor) {
    editor.rewrite_instructions(|code, instruction| {
        let ty = instruction.result_type.unwrap_or_default();
        let opposite = match instruction.op() {
            Op::FUnordNotEqual => Op::FOrdEqual,
            Op::FUnordLessThan => Op::FOrdGreaterThanEqual,
            Op::FUnordGreaterThan => Op::FOrdLessThanEqual,
            Op::FUnordLessThanEqual => Op::FOrdGreaterThan,
            Op::FUnordGreaterThanEqual => Op::FOrdLessThan,
            // The copy adds a level to the depth that `name_deep_values` limits.
            Op::FOrdNotEqual => {
                let differs = code.emit_op_with(Op::FOrdNotEqual, ty, instruction.operands.clone());
                return code.replace_with_value(&instruction, differs);
            }
            _ => return code.emit_unchanged(instruction),
        };
        let holds = code.emit_op_with(opposite, ty, instruction.operands.clone());
        code.replace_with_op(&instruction, Op::LogicalNot, to_id_operands(&[holds]));
    });
}

/// Replaces logical operations on vectors by selections, because naga knows them on scalars only.
/// `a && b` is `a ? b : a`, and `a || b` is `a ? a : b`, in every component.
pub(super) fn lower_logical_vectors(editor: &mut ModuleEditor) {
    editor.rewrite_instructions(|code, instruction| {
        let ty = instruction.result_type.unwrap_or_default();
        let operands = match (
            instruction.op(),
            instruction.id_operand(0),
            instruction.id_operand(1),
        ) {
            (Op::LogicalAnd, Some(a), Some(b)) => [a, b, a],
            (Op::LogicalOr, Some(a), Some(b)) => [a, a, b],
            _ => return code.emit_unchanged(instruction),
        };
        match code.editor.type_shape(ty) {
            VectorShape { size: 1, .. } => code.emit_unchanged(instruction),
            _ => code.replace_with_op(&instruction, Op::Select, to_id_operands(&operands)),
        }
    });
}

/// Replaces selections between vectors of integers or booleans by selections between their
/// components: naga writes the former as `mix`, which selects only between floats in GLSL before
/// 4.50 and in GLSL ES before 3.10.
pub(super) fn split_integer_selections(editor: &mut ModuleEditor) {
    editor.rewrite_instructions(|code, instruction| {
        let VectorShape { scalar, size } = code
            .editor
            .type_shape(instruction.result_type.unwrap_or_default());
        let is_float = (code.editor.find_global(scalar)).is_some_and(|ty| ty.op() == Op::TypeFloat);
        let (Op::Select, false, [Some(condition), Some(accepted), Some(rejected)]) = (
            instruction.op(),
            is_float || size == 1,
            [0, 1, 2].map(|index| instruction.id_operand(index)),
        ) else {
            return code.emit_unchanged(instruction);
        };
        let vectors = [condition, accepted, rejected].map(|id| code.extract_components(id));
        let selected: Vec<Word> = (0..size as usize)
            .map(|index| {
                let operands = [0, 1, 2].map(|operand: usize| {
                    let components = &vectors[operand];
                    // A scalar condition selects a whole vector.
                    components[index.min(components.len() - 1)]
                });
                code.emit_op(Op::Select, scalar, &operands)
            })
            .collect();
        let vector = code.construct_vector(&selected);
        code.replace_with_value(&instruction, vector);
    });
}

/// Indices of the signed operands of an operation, and whether its result is signed.
type SignedOperands = (&'static [usize], bool);

/// Inserts casts around all signed operations on unsigned types. In SPIR-V an operation says
/// whether it is signed and the types of integers do not matter, so modules of glasm have unsigned
/// types only. naga uses the types: it would treat the unsigned maximum as a signed one.
///
/// # Errors
/// Fails on operations for which casts do not help.
pub(super) fn cast_signed_operations(editor: &mut ModuleEditor) -> Result<(), String> {
    let mut types = SignedTypes::default();
    editor.try_rewrite_instructions(|code, mut instruction| {
        if matches!(instruction.op(), Op::AtomicSMin | Op::AtomicSMax) {
            return Err("signed atomic operations are not supported".to_owned());
        }
        let (operands, is_signed) = get_signed_operands(&instruction);
        for &index in operands {
            types.cast_operand(code, &mut instruction, index);
        }
        let ty = instruction.result_type.filter(|_| is_signed);
        match ty.and_then(|ty| types.find_signed(code.editor, ty)) {
            Some(signed) => {
                code.emit_with_cast_result(instruction, signed);
            }
            None => code.emit_unchanged(instruction),
        }
        Ok(())
    })
}

/// Returns the indices of the operands of an operation that are signed, and whether its result is.
/// Comparisons are not here: naga casts their operands itself.
fn get_signed_operands(instruction: &Instruction) -> SignedOperands {
    const EXTENDED: &[(GlslOp, &[usize])] = &[
        (GlslOp::SAbs, &[2]),
        (GlslOp::SSign, &[2]),
        (GlslOp::FindSMsb, &[2]),
        (GlslOp::SMin, &[2, 3]),
        (GlslOp::SMax, &[2, 3]),
        (GlslOp::SClamp, &[2, 3, 4]),
    ];
    match instruction.op() {
        Op::ExtInst => {
            let mut functions = EXTENDED.iter();
            let found = functions.find(|(op, _)| instruction.is_glsl_inst(*op));
            found.map_or((&[], false), |(_, operands)| (operands, true))
        }
        Op::SDiv | Op::SRem | Op::SMod => (&[0, 1], true),
        Op::SNegate | Op::ShiftRightArithmetic | Op::BitFieldSExtract | Op::SConvert => {
            (&[0], true)
        }
        Op::ConvertSToF => (&[0], false),
        Op::ConvertFToS => (&[], true),
        _ => (&[], false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{Options, Source};
    use rspirv::binary::Disassemble;
    use rspirv::dr::{Module, load_words};

    fn signed(statements: &str) -> String {
        let program = format!(
            "!!NVfp5.0\nTEMP r;\nTEMP a;\nMOV.U a, program.local[0];\n{statements}MOV.U result.color, r;\nEND"
        );
        let words = glasm::compile(&Source::new("a", &program), &Options::default())
            .unwrap()
            .words;
        let mut editor = ModuleEditor::new(load_words(&words).unwrap());
        cast_signed_operations(&mut editor).unwrap();
        editor.assert_valid(glasm::Target::Vulkan1_1);
        editor.module().disassemble()
    }

    #[test]
    fn signed_operations_get_signed_types() {
        let cases = [
            ("MOV.S r, -a;\n", "OpSNegate"),
            (
                "SHR.S r, a, program.local[1].x;\n",
                "OpShiftRightArithmetic",
            ),
            ("BTFM.S r, a;\n", "FindSMsb"),
        ];
        for (statements, op) in cases {
            let text = signed(statements);
            let line = text
                .lines()
                .find(|line| line.contains(op))
                .unwrap_or_else(|| panic!("{op}: {text}"));
            let (result, rest) = line.split_once(" = ").unwrap();
            let result_type = rest.split_whitespace().nth(1).unwrap();
            let definition = |id: &str| {
                text.lines()
                    .find(|line| line.starts_with(&format!("{id} = ")))
                    .unwrap()
            };
            let scalar = match definition(result_type).split_once("OpTypeVector ") {
                Some((_, vector)) => definition(vector.split_whitespace().next().unwrap()),
                None => definition(result_type),
            };
            assert!(scalar.ends_with("OpTypeInt 32 1"), "{line}: {scalar}");
            let back = text
                .lines()
                .filter(|line| line.contains("OpBitcast") && line.ends_with(result));
            assert_eq!(back.count(), 1, "{op}: {text}");
        }
    }

    #[test]
    fn unsigned_operations_stay() {
        assert!(!signed("MAX.U r, a, program.local[1];\n").contains("OpTypeInt 32 1"));
    }

    fn selected(op: Op) -> Vec<Instruction> {
        let mut editor = ModuleEditor::new(Module::new());
        let bool = editor.intern_bool();
        let pair = editor.intern_vector(bool, 2);
        let operation = |ty| Instruction::new(op, Some(ty), Some(30), to_id_operands(&[10, 20]));
        editor.add_block([bool, pair].map(operation).to_vec());
        lower_logical_vectors(&mut editor);
        editor.instructions().cloned().collect()
    }

    #[test]
    fn logical_operations_on_vectors_become_selections() {
        // Condition, value if true, value if false.
        let cases = [
            (Op::LogicalAnd, Op::Select, to_id_operands(&[10, 20, 10])),
            (Op::LogicalOr, Op::Select, to_id_operands(&[10, 10, 20])),
            (
                Op::LogicalNotEqual,
                Op::LogicalNotEqual,
                to_id_operands(&[10, 20]),
            ),
        ];
        for (op, expected, operands) in cases {
            let [scalar, vector] = &selected(op)[..] else {
                panic!("two instructions")
            };
            assert_eq!(
                (scalar.op(), &scalar.operands),
                (op, &to_id_operands(&[10, 20]))
            );
            assert_eq!((vector.op(), &vector.operands), (expected, &operands));
        }
    }
}
