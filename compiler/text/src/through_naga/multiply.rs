//! Writes operations on integers that give two words, which WGSL does not have: products of 64 bits, and carries.

use super::rewriter::{Code, Rewriter};
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
