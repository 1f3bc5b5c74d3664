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
            for mut instruction in old {
                if is_shift(&instruction) {
                    shifts.rewrite(&mut instruction, &mut new);
                }
                new.push(instruction);
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
    /// Types of 64-bit integers and of vectors of them, with the number of their components.
    wide: HashMap<Word, u32>,
    /// Types of words and of vectors of them, by the number of their components.
    words: HashMap<u32, Word>,
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
            words: HashMap::new(),
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
                    shifts.wide.insert(id, 1);
                }
                (Op::TypeInt, [Operand::LiteralBit32(32), Operand::LiteralBit32(0)]) => {
                    shifts.words.insert(1, id);
                }
                (Op::TypeVector, [Operand::IdRef(of), Operand::LiteralBit32(size)]) => {
                    if shifts.wide.contains_key(of) {
                        shifts.wide.insert(id, *size);
                    }
                    if shifts.words.get(&1) == Some(of) {
                        shifts.words.insert(*size, id);
                    }
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

    /// The type of so many words.
    fn words(&mut self, size: u32) -> Word {
        if let Some(&known) = self.words.get(&size) {
            return known;
        }
        let (opcode, operands) = match size {
            1 => (
                Op::TypeInt,
                vec![Operand::LiteralBit32(32), Operand::LiteralBit32(0)],
            ),
            size => (
                Op::TypeVector,
                vec![Operand::IdRef(self.words(1)), Operand::LiteralBit32(size)],
            ),
        };
        let id = self.new_id();
        self.types
            .push(Instruction::new(opcode, None, Some(id), operands));
        self.words.insert(size, id);
        id
    }

    fn rewrite(&mut self, shift: &mut Instruction, new: &mut Vec<Instruction>) {
        let Some(Operand::IdRef(number)) = shift.operands.get(1).cloned() else {
            return;
        };
        let ty = self.values.get(&number);
        let Some(&size) = ty.and_then(|ty| self.wide.get(ty)) else {
            return;
        };
        let (ty, id) = (self.words(size), self.new_id());
        let operands = vec![Operand::IdRef(number)];
        new.push(Instruction::new(Op::UConvert, Some(ty), Some(id), operands));
        shift.operands[1] = Operand::IdRef(id);
    }
}
