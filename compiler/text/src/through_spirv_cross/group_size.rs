//! Sizes of work groups that specialization constants give: SPIRV-Cross declares them as the size of the group and nowhere else, so the
//! module has to take them from there.

use super::contents::find_global;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, Word};

/// Reads the components of the size where the constants are used.
pub(super) fn read_group_size(module: &mut Module) {
    let Some((size, parts)) = group_size(module) else {
        return;
    };
    let mut next_id = module.header.as_ref().map_or(0, |header| header.bound);
    for function in &mut module.functions {
        let mut own: Vec<(Word, Word, Word)> = Vec::new();
        let mut place_of = |id: Word| {
            let index = parts.iter().position(|(part, _)| *part == id)?;
            if let Some(known) = own.iter().find(|known| known.0 == id) {
                return Some(known.2);
            }
            own.push((id, index as Word, next_id));
            next_id += 1;
            Some(next_id - 1)
        };
        for instruction in function
            .blocks
            .iter_mut()
            .flat_map(|it| &mut it.instructions)
        {
            for operand in &mut instruction.operands {
                if let Operand::IdRef(id) = operand
                    && let Some(place) = place_of(*id)
                {
                    *id = place;
                }
            }
        }
        let Some(first) = function.blocks.first_mut() else {
            continue;
        };
        // Variables come first.
        let start = first
            .instructions
            .iter()
            .take_while(|it| it.class.opcode == Op::Variable);
        let start = start.count();
        for (id, index, place) in own {
            let ty = parts
                .iter()
                .find(|(part, _)| *part == id)
                .map(|part| part.1);
            let operands = vec![Operand::IdRef(size), Operand::LiteralBit32(index)];
            let read = Instruction::new(Op::CompositeExtract, ty, Some(place), operands);
            first.instructions.insert(start, read);
        }
    }
    if let Some(header) = &mut module.header {
        header.bound = next_id;
    }
}

/// The size, and its components with their type.
fn group_size(module: &Module) -> Option<(Word, Vec<(Word, Word)>)> {
    let size = module
        .annotations
        .iter()
        .find_map(|annotation| match annotation.operands[..] {
            [
                Operand::IdRef(id),
                Operand::Decoration(Decoration::BuiltIn),
                Operand::BuiltIn(BuiltIn::WorkgroupSize),
            ] => Some(id),
            _ => None,
        })?;
    let of = |id: Word| find_global(module, id);
    let parts = of(size)?.operands.iter().filter_map(Operand::id_ref_any);
    let parts = parts.filter(|&id| of(id).is_some_and(|it| it.class.opcode == Op::SpecConstant));
    let parts: Vec<_> = parts
        .filter_map(|id| Some((id, of(id)?.result_type?)))
        .collect();
    (parts.len() == 3).then_some((size, parts))
}
