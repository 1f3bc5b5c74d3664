//! Shifts by numbers of 64 bits, which GLSL does not have: integers of 64 bits are shifted by 32-bit numbers there (ARB_gpu_shader_int64, section 5.9). What is
//! behind the low word makes no difference, as nothing shifts by 64 or more: SPIR-V leaves that undefined.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::HashMap;

/// Makes the numbers of such shifts words.
pub(super) fn shift_by_words(module: &mut Module) {
    let is_shift = |it: &Instruction| is_shift(it.class.opcode);
    if !module.all_inst_iter().any(is_shift) {
        return;
    }
    let mut shifts = Shifts::new(module);
    for function in &mut module.functions {
        for block in &mut function.blocks {
            let old = std::mem::take(&mut block.instructions);
            let mut new = Vec::with_capacity(old.len());
            for instruction in old {
                match is_shift(&instruction) {
                    true => shifts.rewrite(instruction, &mut new),
                    false => new.push(instruction),
                }
            }
            block.instructions = new;
        }
    }
    module.types_global_values.append(&mut shifts.types);
    if let Some(header) = &mut module.header {
        header.bound = shifts.next_id;
    }
}

fn is_shift(opcode: Op) -> bool {
    matches!(
        opcode,
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic
    )
}

struct Shifts {
    next_id: Word,
    /// Types of 64-bit integers and of vectors of them, with the number and the type of their components.
    wide: HashMap<Word, (u32, Word)>,
    /// The type of words.
    word: Option<Word>,
    /// Types of values.
    values: HashMap<Word, Word>,
    /// Types that are declared behind the others.
    types: Vec<Instruction>,
}

impl Shifts {
    fn new(module: &Module) -> Self {
        let mut shifts = Self {
            next_id: module.header.as_ref().map_or(0, |header| header.bound),
            wide: HashMap::new(),
            word: None,
            values: HashMap::new(),
            types: Vec::new(),
        };
        for instruction in module.all_inst_iter() {
            let Some(id) = instruction.result_id else {
                continue;
            };
            if let Some(ty) = instruction.result_type {
                shifts.values.insert(id, ty);
            }
            match (instruction.class.opcode, &instruction.operands[..]) {
                (Op::TypeInt, [Operand::LiteralBit32(64), _]) => {
                    shifts.wide.insert(id, (1, id));
                }
                (Op::TypeInt, [Operand::LiteralBit32(32), Operand::LiteralBit32(0)]) => {
                    shifts.word = Some(id);
                }
                (Op::TypeVector, [Operand::IdRef(of), Operand::LiteralBit32(size)])
                    if shifts.wide.contains_key(of) =>
                {
                    shifts.wide.insert(id, (*size, *of));
                }
                _ => {}
            }
        }
        shifts
    }

    fn new_id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    /// The type of words, declared if it is new.
    fn word(&mut self) -> Word {
        if let Some(known) = self.word {
            return known;
        }
        let id = self.new_id();
        let operands = vec![Operand::LiteralBit32(32), Operand::LiteralBit32(0)];
        let ty = Instruction::new(Op::TypeInt, None, Some(id), operands);
        self.types.push(ty);
        self.word = Some(id);
        id
    }

    /// A shift whose number has 64 bits, with words. Vectors are shifted by component: SPIRV-Cross would take two words for one number of 64 bits.
    fn rewrite(&mut self, shift: Instruction, new: &mut Vec<Instruction>) {
        let number = shift.operands.get(1).and_then(Operand::id_ref_any);
        let ty = number.and_then(|number| self.values.get(&number));
        let Some(&(size, scalar)) = ty.and_then(|ty| self.wide.get(ty)) else {
            return new.push(shift);
        };
        if size == 1 {
            return self.shift_one(shift, new);
        }
        let Some(&(_, result)) = shift.result_type.and_then(|ty| self.wide.get(&ty)) else {
            return new.push(shift);
        };
        let mut parts = Vec::with_capacity(size as usize);
        for lane in 0..size {
            let mut operands = shift.operands.clone();
            for (operand, ty) in operands.iter_mut().zip([result, scalar]) {
                let id = self.new_id();
                let from = vec![operand.clone(), Operand::LiteralBit32(lane)];
                new.push(Instruction::new(
                    Op::CompositeExtract,
                    Some(ty),
                    Some(id),
                    from,
                ));
                *operand = Operand::IdRef(id);
            }
            let id = self.new_id();
            let part = Instruction::new(shift.class.opcode, Some(result), Some(id), operands);
            self.shift_one(part, new);
            parts.push(Operand::IdRef(id));
        }
        let whole = Op::CompositeConstruct;
        new.push(Instruction::new(
            whole,
            shift.result_type,
            shift.result_id,
            parts,
        ));
    }

    /// The shift of a number by another one, which becomes a word.
    fn shift_one(&mut self, mut shift: Instruction, new: &mut Vec<Instruction>) {
        let (ty, id) = (self.word(), self.new_id());
        let number = vec![shift.operands[1].clone()];
        new.push(Instruction::new(Op::UConvert, Some(ty), Some(id), number));
        shift.operands[1] = Operand::IdRef(id);
        new.push(shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Builder;
    use rspirv::spirv::FunctionControl;

    #[test]
    fn wide_numbers_of_shifts_become_words() {
        let mut builder = Builder::new();
        let void = builder.type_void();
        let kind = builder.type_function(void, []);
        let long = builder.type_int(64, 0);
        let two = builder.type_vector(long, 2);
        let three = builder.constant_bit64(long, 3);
        let both = builder.constant_composite(two, [three, three]);
        let begun = builder.begin_function(void, None, FunctionControl::NONE, kind);
        begun.unwrap();
        builder.begin_block(None).unwrap();
        builder.shift_left_logical(two, None, both, both).unwrap();
        builder.ret().unwrap();
        builder.end_function().unwrap();
        let mut module = builder.module();
        shift_by_words(&mut module);

        // Two of each component's operands, its word, its shift; then the vector and the end.
        let opcodes = module.functions[0].blocks[0].instructions.iter();
        let opcodes: Vec<Op> = opcodes.map(|it| it.class.opcode).collect();
        let component = [
            Op::CompositeExtract,
            Op::CompositeExtract,
            Op::UConvert,
            Op::ShiftLeftLogical,
        ];
        let expected = [
            &component[..],
            &component,
            &[Op::CompositeConstruct, Op::Return],
        ];
        assert_eq!(opcodes, expected.concat());
        let word = [Operand::LiteralBit32(32), Operand::LiteralBit32(0)];
        let types = &module.types_global_values;
        let word = types.iter().find(|it| it.operands == word).unwrap();
        let mut converts = module.all_inst_iter();
        let convert = converts.find(|it| it.class.opcode == Op::UConvert).unwrap();
        assert_eq!(convert.result_type, word.result_id);
    }
}
