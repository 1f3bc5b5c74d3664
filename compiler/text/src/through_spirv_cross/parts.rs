//! Names of values that are parts of values with names, or made of them.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::HashMap;

/// Names components `tint_x`, and what is put together of parts after the first of them that has a name: it is the same variable of the
/// source with other components.
pub(super) fn name_parts(module: &mut Module) {
    let names = module.debug_names.iter().filter_map(|name| {
        let [Operand::IdRef(id), Operand::LiteralString(text)] = &name.operands[..] else {
            return None;
        };
        Some((*id, text.clone()))
    });
    let mut names: HashMap<Word, String> = names.collect();
    let mut added = Vec::new();
    let blocks = module.functions.iter().flat_map(|it| &it.blocks);
    for instruction in blocks.flat_map(|block| &block.instructions) {
        if let Some(id) = instruction.result_id
            && !names.contains_key(&id)
            && let Some(name) = name_of(instruction, &names)
        {
            let operands = vec![Operand::IdRef(id), Operand::LiteralString(name.clone())];
            added.push(Instruction::new(Op::Name, None, None, operands));
            names.insert(id, name);
        }
    }
    module.debug_names.extend(added);
}

fn name_of(instruction: &Instruction, names: &HashMap<Word, String>) -> Option<String> {
    let mut operands = instruction.operands.iter();
    match (instruction.class.opcode, &instruction.operands[..]) {
        (Op::CompositeExtract, [Operand::IdRef(whole), Operand::LiteralBit32(index)]) => {
            let letter = ["x", "y", "z", "w"].get(*index as usize)?;
            Some(format!("{}_{letter}", names.get(whole)?))
        }
        (Op::CompositeInsert, [_, Operand::IdRef(whole), ..]) => names.get(whole).cloned(),
        (Op::CompositeConstruct | Op::VectorShuffle, _) => {
            operands.find_map(|part| names.get(&part.id_ref_any()?).cloned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(op: Op, operands: Vec<Operand>) -> Instruction {
        Instruction::new(op, Some(1), Some(9), operands)
    }

    #[test]
    fn parts_have_the_name_of_the_whole() {
        let names = HashMap::from([(5, "tint".to_owned())]);
        let name = |op, operands| name_of(&instruction(op, operands), &names);
        let part = |index| vec![Operand::IdRef(5), Operand::LiteralBit32(index)];
        assert_eq!(
            name(Op::CompositeExtract, part(3)).as_deref(),
            Some("tint_w")
        );
        assert_eq!(name(Op::CompositeExtract, part(4)), None);
        let both = vec![Operand::IdRef(4), Operand::IdRef(5)];
        assert_eq!(
            name(Op::CompositeInsert, both.clone()).as_deref(),
            Some("tint")
        );
        assert_eq!(
            name(Op::CompositeConstruct, both.clone()).as_deref(),
            Some("tint")
        );
        assert_eq!(name(Op::FAdd, both), None);
    }
}
