//! Writes logical operations on vectors as selections, because naga knows them on scalars only.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::HashSet;

/// `a && b` is `a ? b : a`, and `a || b` is `a ? a : b`, in every component.
pub(super) fn select_vectors(module: &mut Module) {
    let globals = module.types_global_values.iter();
    let vectors: HashSet<Word> = globals
        .filter(|global| global.class.opcode == Op::TypeVector)
        .filter_map(|global| global.result_id)
        .collect();
    for instruction in module.all_inst_iter_mut() {
        if instruction
            .result_type
            .is_some_and(|ty| vectors.contains(&ty))
        {
            select_vector(instruction);
        }
    }
}

fn select_vector(instruction: &mut Instruction) {
    let [Operand::IdRef(a), Operand::IdRef(b)] = instruction.operands[..] else {
        return;
    };
    let operands = if instruction.class.opcode == Op::LogicalAnd {
        [a, b, a]
    } else if instruction.class.opcode == Op::LogicalOr {
        [a, a, b]
    } else {
        return;
    };
    let operands = operands.map(Operand::IdRef).to_vec();
    *instruction = Instruction::new(
        Op::Select,
        instruction.result_type,
        instruction.result_id,
        operands,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(op: Op) -> Vec<Operand> {
        let operands = vec![Operand::IdRef(1), Operand::IdRef(2)];
        let mut instruction = Instruction::new(op, Some(9), Some(3), operands);
        select_vector(&mut instruction);
        instruction.operands
    }

    #[test]
    fn operations_become_selections() {
        // Condition, value if true, value if false.
        assert_eq!(selected(Op::LogicalAnd), [1, 2, 1].map(Operand::IdRef));
        assert_eq!(selected(Op::LogicalOr), [1, 1, 2].map(Operand::IdRef));
        assert_eq!(selected(Op::LogicalNotEqual), [1, 2].map(Operand::IdRef));
    }
}
