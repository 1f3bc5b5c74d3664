//! Minima, maxima and clamps of 64-bit integers, written as selections: Mesa's compiler of GLSL (22.3) ends the process where two of them with constant bounds are
//! nested, as those of a clamp are.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{GlslStd450Op, Op, Word};
use std::collections::HashMap;

/// The bounds of a function, in the order of its operands behind the value: how a value compares with each that is beyond it.
fn bounds(function: u32) -> &'static [Op] {
    const FUNCTIONS: [(GlslStd450Op, &[Op]); 6] = [
        (GlslStd450Op::SMax, &[Op::SLessThan]),
        (GlslStd450Op::SMin, &[Op::SGreaterThan]),
        (GlslStd450Op::SClamp, &[Op::SLessThan, Op::SGreaterThan]),
        (GlslStd450Op::UMax, &[Op::ULessThan]),
        (GlslStd450Op::UMin, &[Op::UGreaterThan]),
        (GlslStd450Op::UClamp, &[Op::ULessThan, Op::UGreaterThan]),
    ];
    let found = FUNCTIONS.iter().find(|(it, _)| *it as u32 == function);
    found.map_or(&[], |(_, bounds)| bounds)
}

/// Writes these functions of 64-bit integers as selections.
pub(super) fn select(module: &mut Module) {
    let mut wide = Wide::new(module);
    for block in module.functions.iter_mut().flat_map(|it| &mut it.blocks) {
        let old = std::mem::take(&mut block.instructions);
        for instruction in old {
            match wide.selections(&instruction) {
                Some(selections) => block.instructions.extend(selections),
                None => block.instructions.push(instruction),
            }
        }
    }
    module.types_global_values.append(&mut wide.declared);
    if let Some(header) = &mut module.header {
        header.bound = wide.next_id;
    }
}

struct Wide {
    next_id: Word,
    /// Types of 64-bit integers and of vectors of them, with the number of their components.
    sizes: HashMap<Word, u32>,
    /// Types of truth values, by the number of their components.
    truths: HashMap<u32, Word>,
    /// Types that are declared behind the others.
    declared: Vec<Instruction>,
}

impl Wide {
    fn new(module: &Module) -> Self {
        let mut wide = Self {
            next_id: module.header.as_ref().map_or(0, |header| header.bound),
            sizes: HashMap::new(),
            truths: HashMap::new(),
            declared: Vec::new(),
        };
        for ty in &module.types_global_values {
            let Some(id) = ty.result_id else { continue };
            match (ty.class.opcode, &ty.operands[..]) {
                (Op::TypeInt, [Operand::LiteralBit32(64), _]) => {
                    wide.sizes.insert(id, 1);
                }
                (Op::TypeBool, _) => {
                    wide.truths.insert(1, id);
                }
                (Op::TypeVector, [Operand::IdRef(of), Operand::LiteralBit32(size)]) => {
                    if wide.sizes.contains_key(of) {
                        wide.sizes.insert(id, *size);
                    } else if wide.truths.get(&1) == Some(of) {
                        wide.truths.insert(*size, id);
                    }
                }
                _ => {}
            }
        }
        wide
    }

    fn new_id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    /// The type of as many truth values, declared if it is new.
    fn truths(&mut self, size: u32) -> Word {
        if let Some(known) = self.truths.get(&size) {
            return *known;
        }
        let (op, operands) = match size {
            1 => (Op::TypeBool, Vec::new()),
            _ => {
                let one = Operand::IdRef(self.truths(1));
                (Op::TypeVector, vec![one, Operand::LiteralBit32(size)])
            }
        };
        let id = self.new_id();
        let ty = Instruction::new(op, None, Some(id), operands);
        self.declared.push(ty);
        self.truths.insert(size, id);
        id
    }

    /// What stands in the place of an instruction, if it is such a function.
    fn selections(&mut self, instruction: &Instruction) -> Option<Vec<Instruction>> {
        let ty = instruction.result_type?;
        let size = *self.sizes.get(&ty)?;
        // The one set of extended instructions that modules of glasm import is that of GLSL.
        let [
            _,
            Operand::LiteralExtInstInteger(function),
            value,
            limits @ ..,
        ] = &instruction.operands[..]
        else {
            return None;
        };
        let bounds = bounds(*function);
        if bounds.is_empty() || instruction.class.opcode != Op::ExtInst {
            return None;
        }
        let mut value = value.clone();
        let mut made = Vec::with_capacity(2 * bounds.len());
        for (place, (beyond, limit)) in bounds.iter().zip(limits).enumerate() {
            let is_last = place + 1 == bounds.len();
            let (truths, is_beyond) = (self.truths(size), self.new_id());
            let compared = vec![value.clone(), limit.clone()];
            made.push(Instruction::new(
                *beyond,
                Some(truths),
                Some(is_beyond),
                compared,
            ));
            let id = match is_last {
                true => instruction.result_id?,
                false => self.new_id(),
            };
            let chosen = vec![Operand::IdRef(is_beyond), limit.clone(), value];
            made.push(Instruction::new(Op::Select, Some(ty), Some(id), chosen));
            value = Operand::IdRef(id);
        }
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Builder;
    use rspirv::spirv::FunctionControl;

    /// The opcodes of a function that takes `function` of a value and limits, all of a type.
    fn opcodes(function: GlslStd450Op, limits: usize, width: u32, size: u32) -> Vec<Op> {
        let mut builder = Builder::new();
        let set = builder.ext_inst_import("GLSL.std.450");
        let void = builder.type_void();
        let kind = builder.type_function(void, []);
        let mut ty = builder.type_int(width, 0);
        if size > 1 {
            ty = builder.type_vector(ty, size);
        }
        let value = builder.undef(ty, None);
        builder
            .begin_function(void, None, FunctionControl::NONE, kind)
            .unwrap();
        builder.begin_block(None).unwrap();
        let operands = vec![Operand::IdRef(value); 1 + limits];
        builder
            .ext_inst(ty, None, set, function as u32, operands)
            .unwrap();
        builder.ret().unwrap();
        builder.end_function().unwrap();
        let mut module = builder.module();
        select(&mut module);
        let inside = module.functions[0].blocks[0].instructions.iter();
        let types = module.types_global_values.iter();
        let truths = types.filter(|it| it.class.opcode == Op::TypeBool);
        inside.chain(truths).map(|it| it.class.opcode).collect()
    }

    #[test]
    fn clamps_of_wide_integers_are_two_selections() {
        let (below, above) = (Op::SLessThan, Op::SGreaterThan);
        let both = [
            below,
            Op::Select,
            above,
            Op::Select,
            Op::Return,
            Op::TypeBool,
        ];
        assert_eq!(opcodes(GlslStd450Op::SClamp, 2, 64, 1), both);
        assert_eq!(opcodes(GlslStd450Op::SClamp, 2, 64, 3), both);
        let one = [Op::UGreaterThan, Op::Select, Op::Return, Op::TypeBool];
        assert_eq!(opcodes(GlslStd450Op::UMin, 1, 64, 2), one);
    }

    #[test]
    fn other_integers_and_functions_stay() {
        let as_it_was = [Op::ExtInst, Op::Return];
        assert_eq!(opcodes(GlslStd450Op::SClamp, 2, 32, 1), as_it_was);
        assert_eq!(opcodes(GlslStd450Op::SAbs, 0, 64, 1), as_it_was);
    }
}
