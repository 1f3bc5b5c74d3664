//! Operations on integers whose result is two words: products of 64 bits, and carries. WGSL and
//! HLSL have none of them, and old versions of GLSL lack some.

use crate::spirv_edit::{InstructionBuilder, InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::HashMap;

/// The low and the high word of results.
type ResultWords = HashMap<Word, [Word; 2]>;

/// Replaces multiplications, sums and differences with results of two words by operations on single
/// words, and the extractions of words from their results. Does nothing in modules without them.
pub(crate) fn lower_extended_arithmetic(editor: &mut ModuleEditor) {
    const OPS: &[Op] = &[
        Op::UMulExtended,
        Op::SMulExtended,
        Op::IAddCarry,
        Op::ISubBorrow,
    ];
    if !editor.has_op(OPS) {
        return;
    }
    let mut result_words = ResultWords::new();
    editor.rewrite_instructions(|code, instruction| {
        let operands = instruction.id_operand(0).zip(instruction.id_operand(1));
        if let (Some(id), Some((a, b))) = (instruction.result_id, operands)
            && let Some(pair) = emit_result_words(code, instruction.op(), a, b)
        {
            result_words.insert(id, pair);
        } else if let Some(word) = find_extracted_result_word(&instruction, &result_words) {
            code.replace_with_value(&instruction, word);
        } else {
            code.emit_unchanged(instruction);
        }
    });
}

/// Returns the id of the word that an instruction extracts from a result of `pairs`; `None` for
/// other instructions.
fn find_extracted_result_word(instruction: &Instruction, pairs: &ResultWords) -> Option<Word> {
    match instruction.operands[..] {
        [Operand::IdRef(pair), Operand::LiteralBit32(index)]
            if instruction.op() == Op::CompositeExtract =>
        {
            pairs.get(&pair)?.get(index as usize).copied()
        }
        _ => None,
    }
}

/// Emits the two words of the result of an extended operation, low word first or result and carry,
/// and returns them; `None` for other operations.
fn emit_result_words(
    code: &mut InstructionBuilder<'_>,
    op: Op,
    a: Word,
    b: Word,
) -> Option<[Word; 2]> {
    if op == Op::UMulExtended {
        Some([
            code.emit_op_same_type(Op::IMul, &[a, b]),
            emit_umul_high(code, a, b),
        ])
    } else if op == Op::SMulExtended {
        Some([
            code.emit_op_same_type(Op::IMul, &[a, b]),
            emit_smul_high(code, a, b),
        ])
    } else if op == Op::IAddCarry {
        let sum = code.emit_op_same_type(Op::IAdd, &[a, b]);
        Some([sum, emit_less_as_uint(code, sum, a)])
    } else if op == Op::ISubBorrow {
        Some([
            code.emit_op_same_type(Op::ISub, &[a, b]),
            emit_less_as_uint(code, a, b),
        ])
    } else {
        None
    }
}

/// Emits the unsigned comparison `a < b` of each component as 1 or 0, and returns the id of the
/// result.
fn emit_less_as_uint(code: &mut InstructionBuilder<'_>, a: Word, b: Word) -> Word {
    let bool = code.editor.intern_bool();
    let bools = code.intern_vector_like(a, bool);
    let less = code.emit_op(Op::ULessThan, bools, &[a, b]);
    let [one, zero] = [1, 0].map(|bits| code.intern_constant_like(a, bits));
    let ty = code.editor.type_of(a);
    code.emit_op(Op::Select, ty, &[less, one, zero])
}

/// Emits the high word of the product, from the products of half words, and returns it. With `a =
/// a1 * 2^16 + a0`, the middle products and the carry of the lowest one are summed such that no sum
/// overflows: `(2^16 - 1)^2 + 2 * (2^16 - 1) = 2^32 - 1`.
fn emit_umul_high(code: &mut InstructionBuilder<'_>, a: Word, b: Word) -> Word {
    let [mask, shift] = [0xffff, 16].map(|bits| code.intern_constant_like(a, bits));
    let low = |code: &mut InstructionBuilder<'_>, value| {
        code.emit_op_same_type(Op::BitwiseAnd, &[value, mask])
    };
    let high = |code: &mut InstructionBuilder<'_>, value| {
        code.emit_op_same_type(Op::ShiftRightLogical, &[value, shift])
    };
    let [a0, a1, b0, b1] = [low(code, a), high(code, a), low(code, b), high(code, b)];
    let lowest = code.emit_op_same_type(Op::IMul, &[a0, b0]);
    let carried = high(code, lowest);
    let first = code.emit_op_same_type(Op::IMul, &[a1, b0]);
    let first = code.emit_op_same_type(Op::IAdd, &[first, carried]);
    let second = code.emit_op_same_type(Op::IMul, &[a0, b1]);
    let below = low(code, first);
    let second = code.emit_op_same_type(Op::IAdd, &[second, below]);
    let highest = code.emit_op_same_type(Op::IMul, &[a1, b1]);
    let [first, second] = [high(code, first), high(code, second)];
    let sum = code.emit_op_same_type(Op::IAdd, &[highest, first]);
    code.emit_op_same_type(Op::IAdd, &[sum, second])
}

/// Emits the high word of the product of signed integers and returns it: a negative factor is 2^32
/// less than the unsigned value of its bits, so the other factor is subtracted.
fn emit_smul_high(code: &mut InstructionBuilder<'_>, a: Word, b: Word) -> Word {
    let high = emit_umul_high(code, a, b);
    let zero = code.intern_constant_like(a, 0);
    let sign = code.intern_constant_like(a, 31);
    let subtrahend = |code: &mut InstructionBuilder<'_>, factor, other| {
        // The sign in all bits of the word.
        let top = code.emit_op_same_type(Op::ShiftRightLogical, &[factor, sign]);
        let all = code.emit_op_same_type(Op::ISub, &[zero, top]);
        code.emit_op_same_type(Op::BitwiseAnd, &[all, other])
    };
    let [first, second] = [subtrahend(code, a, b), subtrahend(code, b, a)];
    let high = code.emit_op_same_type(Op::ISub, &[high, first]);
    code.emit_op_same_type(Op::ISub, &[high, second])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Module;

    /// Evaluates instructions on words.
    fn evaluate(code: &[Instruction], values: &mut HashMap<Word, u32>) {
        for instruction in code {
            let operands: Vec<u32> = instruction
                .operands
                .iter()
                .filter_map(|operand| values.get(&operand.id_ref_any()?).copied())
                .collect();
            let value = match (instruction.class.opcode, &operands[..]) {
                (Op::IMul, [a, b]) => a.wrapping_mul(*b),
                (Op::IAdd, [a, b]) => a.wrapping_add(*b),
                (Op::ISub, [a, b]) => a.wrapping_sub(*b),
                (Op::BitwiseAnd, [a, b]) => a & b,
                (Op::ShiftRightLogical, [a, b]) => a >> b,
                (Op::ULessThan, [a, b]) => u32::from(a < b),
                (Op::Select, [condition, a, b]) => {
                    if *condition != 0 {
                        *a
                    } else {
                        *b
                    }
                }
                (op, _) => panic!("{op:?}"),
            };
            values.insert(instruction.result_id.unwrap(), value);
        }
    }

    fn both_words(op: Op, a: u32, b: u32) -> [u32; 2] {
        let mut editor = ModuleEditor::new(Module::default());
        let uint = editor.intern_uint();
        let operands = [
            editor.declare_global(Op::Undef, Some(uint), vec![]),
            editor.declare_global(Op::Undef, Some(uint), vec![]),
        ];
        let mut code = InstructionBuilder::new(&mut editor);
        let words = emit_result_words(&mut code, op, operands[0], operands[1]).unwrap();
        let code = code.into_instructions();
        let mut values = HashMap::from([(operands[0], a), (operands[1], b)]);
        for global in &editor.module().types_global_values {
            if let Some(bits) = editor.constant_bits(global.result_id.unwrap()) {
                values.insert(global.result_id.unwrap(), bits);
            }
        }
        evaluate(&code, &mut values);
        words.map(|word| values[&word])
    }

    #[test]
    fn words_are_those_of_64_bit_arithmetic() {
        let numbers = [
            0,
            1,
            2,
            0xffff,
            0x1_0000,
            0x1_0001,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xdead_beef,
            0xffff_0000,
            0xffff_fffe,
            0xffff_ffff,
        ];
        for (a, b) in numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b))) {
            let words = |value: u64| [value as u32, (value >> 32) as u32];
            let unsigned = u64::from(a) * u64::from(b);
            assert_eq!(
                both_words(Op::UMulExtended, a, b),
                words(unsigned),
                "{a:#x} {b:#x}"
            );
            let signed = i64::from(a as i32) * i64::from(b as i32);
            assert_eq!(
                both_words(Op::SMulExtended, a, b),
                words(signed as u64),
                "{a:#x} {b:#x}"
            );
            let sum = u64::from(a) + u64::from(b);
            assert_eq!(both_words(Op::IAddCarry, a, b), words(sum), "{a:#x} {b:#x}");
            let borrows = [a.wrapping_sub(b), u32::from(a < b)];
            assert_eq!(both_words(Op::ISubBorrow, a, b), borrows, "{a:#x} {b:#x}");
        }
    }
}
