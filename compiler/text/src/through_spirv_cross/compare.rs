//! Comparisons for inequality that are false for NaN: `!=` of the languages is true for NaN, and SPIRV-Cross writes both as `!=`.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};

/// `a != b` that is false for NaN becomes `a < b || a > b`, and `a == b` that is true for NaN the opposite.
pub(super) fn order_inequalities(module: &mut Module) {
    let mut next_id = module.header.as_ref().map_or(0, |header| header.bound);
    for function in &mut module.functions {
        for block in &mut function.blocks {
            let old = std::mem::take(&mut block.instructions);
            let mut new = Vec::with_capacity(old.len());
            for instruction in old {
                rewrite(instruction, &mut next_id, &mut new);
            }
            block.instructions = new;
        }
    }
    if let Some(header) = &mut module.header {
        header.bound = next_id;
    }
}

fn rewrite(instruction: Instruction, next_id: &mut Word, new: &mut Vec<Instruction>) {
    let negated = match instruction.class.opcode {
        Op::FOrdNotEqual => false,
        Op::FUnordEqual => true,
        _ => return new.push(instruction),
    };
    let (ty, result) = (instruction.result_type, instruction.result_id);
    let mut add = |opcode, operands: Vec<Operand>, id: Option<Word>| {
        let id = id.unwrap_or_else(|| {
            *next_id += 1;
            *next_id - 1
        });
        new.push(Instruction::new(opcode, ty, Some(id), operands));
        Operand::IdRef(id)
    };
    let less = add(Op::FOrdLessThan, instruction.operands.clone(), None);
    let greater = add(Op::FOrdGreaterThan, instruction.operands, None);
    let differ = vec![less, greater];
    if negated {
        let differ = add(Op::LogicalOr, differ, None);
        add(Op::LogicalNot, vec![differ], result);
    } else {
        add(Op::LogicalOr, differ, result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(opcode: Op) -> Vec<Op> {
        let operands = vec![Operand::IdRef(1), Operand::IdRef(2)];
        let mut new = Vec::new();
        rewrite(
            Instruction::new(opcode, Some(9), Some(3), operands),
            &mut 10,
            &mut new,
        );
        assert_eq!(new.last().unwrap().result_id, Some(3));
        new.iter().map(|it| it.class.opcode).collect()
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
