//! Integers as GLSL wants them where SPIR-V does not care: SPIRV-Cross takes the types of a few operations as they are.
//!
//! - The number of a sample of an image is an `int`.
//! - The factors and halves of a signed product are `int`s.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{ImageOperands, Op, Word};
use std::collections::HashMap;

/// Rewrites these operations.
pub(super) fn fit_signs(module: &mut Module) {
    let needs_it = module
        .all_inst_iter()
        .any(|it| it.class.opcode == Op::SMulExtended || sample_of(it).is_some());
    if !needs_it {
        return;
    }
    let mut signs = Signs::new(module);
    for function in &mut module.functions {
        for block in &mut function.blocks {
            let old = std::mem::take(&mut block.instructions);
            let mut new = Vec::with_capacity(old.len());
            for instruction in old {
                signs.rewrite(instruction, &mut new);
            }
            block.instructions = new;
        }
    }
    module.types_global_values.append(&mut signs.types);
    if let Some(header) = &mut module.header {
        header.bound = signs.next_id;
    }
}

/// Types with signs, and products that have them.
struct Signs {
    next_id: Word,
    int: Word,
    /// Structures of two equal members, with these.
    pairs: HashMap<Word, Word>,
    /// Vectors of words with their sizes.
    vectors: HashMap<Word, u32>,
    /// Types that are declared behind the others.
    types: Vec<Instruction>,
    /// Products with the types of their halves.
    products: HashMap<Word, Word>,
}

impl Signs {
    fn new(module: &mut Module) -> Self {
        let mut next_id = module.header.as_ref().map_or(0, |header| header.bound);
        let mut new_id = || {
            next_id += 1;
            next_id - 1
        };
        let int = int_type(module, &mut new_id);
        let mut pairs = HashMap::new();
        let mut vectors = HashMap::new();
        for global in &module.types_global_values {
            let Some(id) = global.result_id else { continue };
            match (global.class.opcode, &global.operands[..]) {
                (Op::TypeStruct, [Operand::IdRef(a), Operand::IdRef(b)]) if a == b => {
                    pairs.insert(id, *a);
                }
                (Op::TypeVector, [_, Operand::LiteralBit32(size)]) => {
                    vectors.insert(id, *size);
                }
                _ => {}
            }
        }
        Self {
            next_id,
            int,
            pairs,
            vectors,
            types: Vec::new(),
            products: HashMap::new(),
        }
    }

    fn new_id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    /// The type with signs for one without.
    fn signed(&mut self, ty: Word) -> Word {
        let Some(&size) = self.vectors.get(&ty) else {
            return self.int;
        };
        let operands = vec![Operand::IdRef(self.int), Operand::LiteralBit32(size)];
        self.declare(Op::TypeVector, operands)
    }

    fn declare(&mut self, opcode: Op, operands: Vec<Operand>) -> Word {
        let mut known = self.types.iter();
        let known = known.find(|it| it.class.opcode == opcode && it.operands == operands);
        if let Some(id) = known.and_then(|it| it.result_id) {
            return id;
        }
        let id = self.new_id();
        let ty = Instruction::new(opcode, None, Some(id), operands);
        self.types.push(ty);
        id
    }

    /// A value with another type.
    fn cast(&mut self, ty: Word, value: Word, new: &mut Vec<Instruction>) -> Operand {
        let id = self.new_id();
        let operands = vec![Operand::IdRef(value)];
        new.push(Instruction::new(Op::Bitcast, Some(ty), Some(id), operands));
        Operand::IdRef(id)
    }

    fn rewrite(&mut self, mut instruction: Instruction, new: &mut Vec<Instruction>) {
        if let Some((place, sample)) = sample_of(&instruction) {
            instruction.operands[place] = self.cast(self.int, sample, new);
        } else if instruction.class.opcode == Op::SMulExtended {
            self.sign_product(&mut instruction, new);
        } else if instruction.class.opcode == Op::CompositeExtract
            && let Some(Operand::IdRef(from)) = instruction.operands.first()
            && let Some(&half) = self.products.get(from)
            && let (Some(ty), Some(id)) = (instruction.result_type, instruction.result_id)
        {
            let signed = self.new_id();
            instruction.result_type = Some(half);
            instruction.result_id = Some(signed);
            new.push(instruction);
            let operands = vec![Operand::IdRef(signed)];
            instruction = Instruction::new(Op::Bitcast, Some(ty), Some(id), operands);
        }
        new.push(instruction);
    }

    fn sign_product(&mut self, product: &mut Instruction, new: &mut Vec<Instruction>) {
        let half = product
            .result_type
            .and_then(|ty| self.pairs.get(&ty).copied());
        let (Some(half), Some(id)) = (half, product.result_id) else {
            return;
        };
        let half = self.signed(half);
        let pair = vec![Operand::IdRef(half), Operand::IdRef(half)];
        product.result_type = Some(self.declare(Op::TypeStruct, pair));
        for operand in &mut product.operands {
            if let Operand::IdRef(value) = *operand {
                *operand = self.cast(half, value, new);
            }
        }
        self.products.insert(id, half);
    }
}

/// The type `int`.
pub(super) fn int_type(module: &mut Module, new_id: &mut impl FnMut() -> Word) -> Word {
    let operands = [Operand::LiteralBit32(32), Operand::LiteralBit32(1)];
    let mut globals = module.types_global_values.iter();
    let known = globals.find(|it| it.class.opcode == Op::TypeInt && it.operands == operands);
    if let Some(id) = known.and_then(|it| it.result_id) {
        return id;
    }
    let id = new_id();
    let ty = Instruction::new(Op::TypeInt, None, Some(id), operands.to_vec());
    module.types_global_values.push(ty);
    id
}

/// Where an access to an image names a sample, and which.
fn sample_of(instruction: &Instruction) -> Option<(usize, Word)> {
    if instruction.class.opcode == Op::ImageTexelPointer {
        return Some((2, instruction.operands.get(2)?.id_ref_any()?));
    }
    if !matches!(instruction.class.opcode, Op::ImageRead | Op::ImageWrite) {
        return None;
    }
    let mask = instruction
        .operands
        .iter()
        .position(|it| matches!(it, Operand::ImageOperands(_)))?;
    let Operand::ImageOperands(bits) = instruction.operands[mask] else {
        return None;
    };
    // No operand comes before it in these accesses.
    if !bits.contains(ImageOperands::SAMPLE) {
        return None;
    }
    let id = instruction.operands.get(mask + 1)?.id_ref_any()?;
    Some((mask + 1, id))
}
