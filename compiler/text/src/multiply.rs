//! Rewrites operations on integers that give two words as operations on single words: products of 64 bits, and carries. WGSL and HLSL have none
//! of them, and old versions of GLSL lack some.

use crate::rewriter::{Code, Rewriter};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::HashMap;

/// The low and the high word of results.
type Pairs = HashMap<Word, [Word; 2]>;

/// Replaces the operations, and the places where one of their words is taken.
pub(super) fn split_pairs(rewriter: &mut Rewriter) -> Result<(), String> {
    let mut pairs = Pairs::new();
    rewriter.rewrite(|code, instruction| {
        let operands: Vec<Word> = instruction
            .operands
            .iter()
            .filter_map(Operand::id_ref_any)
            .collect();
        let op = instruction.class.opcode;
        if let (Some(id), Some(pair)) = (instruction.result_id, two_words(code, op, &operands)) {
            pairs.insert(id, pair);
            return Ok(());
        }
        match taken(&instruction, &pairs) {
            Some(word) => code.define(&instruction, word),
            None => code.keep(instruction),
        }
        Ok(())
    })
}

/// The word that an instruction takes out of a result.
fn taken(instruction: &Instruction, pairs: &Pairs) -> Option<Word> {
    match instruction.operands[..] {
        [Operand::IdRef(pair), Operand::LiteralBit32(index)]
            if instruction.class.opcode == Op::CompositeExtract =>
        {
            pairs.get(&pair)?.get(index as usize).copied()
        }
        _ => None,
    }
}

fn two_words(code: &mut Code<'_>, op: Op, operands: &[Word]) -> Option<[Word; 2]> {
    let &[a, b] = operands else { return None };
    if op == Op::UMulExtended {
        Some([code.same(Op::IMul, &[a, b]), high_word(code, a, b)])
    } else if op == Op::SMulExtended {
        Some([code.same(Op::IMul, &[a, b]), signed_high_word(code, a, b)])
    } else if op == Op::IAddCarry {
        let sum = code.same(Op::IAdd, &[a, b]);
        Some([sum, one_if_less(code, sum, a)])
    } else if op == Op::ISubBorrow {
        Some([code.same(Op::ISub, &[a, b]), one_if_less(code, a, b)])
    } else {
        None
    }
}

/// 1 where `a < b`, else 0.
fn one_if_less(code: &mut Code<'_>, a: Word, b: Word) -> Word {
    let bool = code.rewriter.bool();
    let truth = code.with_scalar(a, bool);
    let less = code.op(Op::ULessThan, truth, &[a, b]);
    let [one, zero] = [1, 0].map(|bits| code.like(a, bits));
    let ty = code.rewriter.type_of(a);
    code.op(Op::Select, ty, &[less, one, zero])
}

/// The high word of the product, from the products of half words. With `a = a1 * 2^16 + a0`, the middle products and what the lowest one
/// carries are summed such that no sum overflows: `(2^16 - 1)^2 + 2 * (2^16 - 1) = 2^32 - 1`.
fn high_word(code: &mut Code<'_>, a: Word, b: Word) -> Word {
    let [mask, shift] = [0xffff, 16].map(|bits| code.like(a, bits));
    let low = |code: &mut Code<'_>, value| code.same(Op::BitwiseAnd, &[value, mask]);
    let high = |code: &mut Code<'_>, value| code.same(Op::ShiftRightLogical, &[value, shift]);
    let [a0, a1, b0, b1] = [low(code, a), high(code, a), low(code, b), high(code, b)];
    let lowest = code.same(Op::IMul, &[a0, b0]);
    let carried = high(code, lowest);
    let first = code.same(Op::IMul, &[a1, b0]);
    let first = code.same(Op::IAdd, &[first, carried]);
    let second = code.same(Op::IMul, &[a0, b1]);
    let below = low(code, first);
    let second = code.same(Op::IAdd, &[second, below]);
    let highest = code.same(Op::IMul, &[a1, b1]);
    let [first, second] = [high(code, first), high(code, second)];
    let sum = code.same(Op::IAdd, &[highest, first]);
    code.same(Op::IAdd, &[sum, second])
}

/// The same of signed numbers: a negative factor is 2^32 less than its bits say, so the other one is taken off.
fn signed_high_word(code: &mut Code<'_>, a: Word, b: Word) -> Word {
    let high = high_word(code, a, b);
    let zero = code.like(a, 0);
    let sign = code.like(a, 31);
    let taken_off = |code: &mut Code<'_>, factor, other| {
        // The sign in all bits of the word.
        let top = code.same(Op::ShiftRightLogical, &[factor, sign]);
        let all = code.same(Op::ISub, &[zero, top]);
        code.same(Op::BitwiseAnd, &[all, other])
    };
    let [first, second] = [taken_off(code, a, b), taken_off(code, b, a)];
    let high = code.same(Op::ISub, &[high, first]);
    code.same(Op::ISub, &[high, second])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Module;

    /// Computes what instructions on words come to.
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
        let mut rewriter = Rewriter::new(Module::default());
        let uint = rewriter.uint();
        let operands = [
            rewriter.declare(Op::Undef, Some(uint), vec![]),
            rewriter.declare(Op::Undef, Some(uint), vec![]),
        ];
        let mut code = Code {
            rewriter: &mut rewriter,
            out: Vec::new(),
        };
        let words = two_words(&mut code, op, &operands).unwrap();
        let code = std::mem::take(&mut code.out);
        let mut values = HashMap::from([(operands[0], a), (operands[1], b)]);
        for global in &rewriter.module.types_global_values {
            if let Some(bits) = rewriter.constant_bits(global.result_id.unwrap()) {
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
