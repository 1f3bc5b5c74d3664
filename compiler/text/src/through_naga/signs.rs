//! Gives signed operations operands and results of signed type.
//!
//! In SPIR-V an operation says whether it is signed and the types of integers do not matter, so modules of glasm have unsigned types only.
//! naga goes by the types: without this step it would, for example, take the unsigned maximum for a signed one.

use rspirv::dr::{Block, Instruction, Module, Operand};
use rspirv::spirv::{GlslStd450Op, Op, Word};
use std::collections::HashMap;

/// What is signed in an operation.
#[derive(Clone, Copy, Default)]
struct Signs {
    /// Places of the signed operands.
    operands: &'static [usize],
    result: bool,
}

/// Inserts casts around all signed operations on unsigned types.
///
/// # Errors
/// If there is an operation for which casts do not help.
pub(super) fn sign_integers(module: &mut Module) -> Result<(), String> {
    let mut types = Types::new(module);
    for block in module
        .functions
        .iter_mut()
        .flat_map(|function| &mut function.blocks)
    {
        sign_block(block, &mut types)?;
    }
    module.types_global_values.append(&mut types.added);
    if let Some(header) = &mut module.header {
        header.bound = types.next_id;
    }
    Ok(())
}

fn sign_block(block: &mut Block, types: &mut Types) -> Result<(), String> {
    let mut instructions = Vec::with_capacity(block.instructions.len());
    for mut instruction in block.instructions.drain(..) {
        let signs = signs(&instruction);
        for &place in signs.operands {
            let operand = instruction.operands.get_mut(place);
            if let Some(Operand::IdRef(value)) = operand
                && let Some(signed) = types
                    .type_of
                    .get(value)
                    .copied()
                    .and_then(|ty| types.signed(ty))
            {
                let cast = types.cast(signed, *value);
                *value = cast.result_id.unwrap_or(*value);
                instructions.push(cast);
            }
        }
        let unsigned = instruction.result_type;
        match unsigned
            .filter(|_| signs.result)
            .and_then(|ty| types.signed(ty))
        {
            Some(signed) => {
                let id = types.new_id();
                let old = instruction.result_id.replace(id);
                instruction.result_type = Some(signed);
                instructions.push(instruction);
                let back = vec![Operand::IdRef(id)];
                instructions.push(Instruction::new(Op::Bitcast, unsigned, old, back));
            }
            None if is_signed_atomic(&instruction) => {
                return Err("signed atomic operations are not supported".to_owned());
            }
            None => instructions.push(instruction),
        }
    }
    block.instructions = instructions;
    Ok(())
}

fn is_signed_atomic(instruction: &Instruction) -> bool {
    matches!(instruction.class.opcode, Op::AtomicSMin | Op::AtomicSMax)
}

/// Comparisons are not here: naga casts their operands itself.
fn signs(instruction: &Instruction) -> Signs {
    const SIGNED: &[(Op, &[usize], bool)] = &[
        (Op::SNegate, &[0], true),
        (Op::SDiv, &[0, 1], true),
        (Op::SRem, &[0, 1], true),
        (Op::SMod, &[0, 1], true),
        (Op::ShiftRightArithmetic, &[0], true),
        (Op::BitFieldSExtract, &[0], true),
        (Op::SConvert, &[0], true),
        (Op::ConvertSToF, &[0], false),
        (Op::ConvertFToS, &[], true),
    ];
    const SIGNED_EXTENDED: &[(GlslStd450Op, &[usize])] = &[
        (GlslStd450Op::SAbs, &[2]),
        (GlslStd450Op::SSign, &[2]),
        (GlslStd450Op::FindSMsb, &[2]),
        (GlslStd450Op::SMin, &[2, 3]),
        (GlslStd450Op::SMax, &[2, 3]),
        (GlslStd450Op::SClamp, &[2, 3, 4]),
    ];
    // The one set of extended instructions that modules of glasm import is that of GLSL.
    if let [_, Operand::LiteralExtInstInteger(number), ..] = instruction.operands[..] {
        let row = SIGNED_EXTENDED.iter().find(|(op, _)| *op as u32 == number);
        return row.map_or(Signs::default(), |(_, operands)| Signs {
            operands,
            result: true,
        });
    }
    let row = SIGNED
        .iter()
        .find(|(op, ..)| *op == instruction.class.opcode);
    row.map_or(Signs::default(), |&(_, operands, result)| Signs {
        operands,
        result,
    })
}

/// Types of a module and of its values.
struct Types {
    next_id: Word,
    /// The types of all values.
    type_of: HashMap<Word, Word>,
    /// Unsigned types, scalars and vectors, to what the signed one is or will be made of.
    unsigned: HashMap<Word, Instruction>,
    /// Unsigned types to signed ones.
    signed: HashMap<Word, Word>,
    /// New types.
    added: Vec<Instruction>,
}

impl Types {
    fn new(module: &Module) -> Self {
        let type_of = module
            .all_inst_iter()
            .filter_map(|value| value.result_id.zip(value.result_type))
            .collect();
        let next_id = module.header.as_ref().map_or(0, |header| header.bound);
        let mut types = Self {
            next_id,
            type_of,
            unsigned: HashMap::new(),
            signed: HashMap::new(),
            added: Vec::new(),
        };
        for global in &module.types_global_values {
            types.note(global);
        }
        types
    }

    fn note(&mut self, global: &Instruction) {
        let Some(id) = global.result_id else { return };
        match (global.class.opcode, &global.operands[..]) {
            (Op::TypeInt, [_, Operand::LiteralBit32(0)]) => {
                self.unsigned.insert(id, global.clone());
            }
            (Op::TypeVector, [Operand::IdRef(element), _])
                if self.unsigned.contains_key(element) =>
            {
                self.unsigned.insert(id, global.clone());
            }
            _ => {}
        }
    }

    fn new_id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    /// The signed type that corresponds to an unsigned one; `None` for all other types.
    fn signed(&mut self, unsigned: Word) -> Option<Word> {
        if let Some(&signed) = self.signed.get(&unsigned) {
            return Some(signed);
        }
        let mut definition = self.unsigned.get(&unsigned)?.clone();
        match &mut definition.operands[..] {
            [Operand::IdRef(element), _] => *element = self.signed(*element)?,
            [_, Operand::LiteralBit32(sign)] => *sign = 1,
            _ => return None,
        }
        let id = self.new_id();
        definition.result_id = Some(id);
        self.added.push(definition);
        self.signed.insert(unsigned, id);
        Some(id)
    }

    fn cast(&mut self, ty: Word, value: Word) -> Instruction {
        Instruction::new(
            Op::Bitcast,
            Some(ty),
            Some(self.new_id()),
            vec![Operand::IdRef(value)],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{Options, Source};
    use rspirv::binary::{Assemble, Disassemble};
    use rspirv::dr::load_words;

    fn signed(statements: &str) -> String {
        let program = format!(
            "!!NVfp5.0\nTEMP r;\nTEMP a;\nMOV.U a, program.local[0];\n{statements}MOV.U result.color, r;\nEND"
        );
        let words = glasm::compile(&Source::new("a", &program), &Options::default())
            .unwrap()
            .words;
        let mut module = load_words(&words).unwrap();
        sign_integers(&mut module).unwrap();
        crate::spirv_val::assert_valid(&module.assemble(), glasm::Target::Vulkan1_1);
        module.disassemble()
    }

    #[test]
    fn signed_operations_get_signed_types() {
        let cases = [
            ("MOV.S r, -a;\n", "OpSNegate"),
            (
                "SHR.S r, a, program.local[1].x;\n",
                "OpShiftRightArithmetic",
            ),
            ("BTFM.S r, a;\n", "FindSMsb"),
        ];
        for (statements, op) in cases {
            let text = signed(statements);
            let line = text
                .lines()
                .find(|line| line.contains(op))
                .unwrap_or_else(|| panic!("{op}: {text}"));
            let (result, rest) = line.split_once(" = ").unwrap();
            let result_type = rest.split_whitespace().nth(1).unwrap();
            let definition = |id: &str| {
                text.lines()
                    .find(|line| line.starts_with(&format!("{id} = ")))
                    .unwrap()
            };
            let scalar = match definition(result_type).split_once("OpTypeVector ") {
                Some((_, vector)) => definition(vector.split_whitespace().next().unwrap()),
                None => definition(result_type),
            };
            assert!(scalar.ends_with("OpTypeInt 32 1"), "{line}: {scalar}");
            let back = text
                .lines()
                .filter(|line| line.contains("OpBitcast") && line.ends_with(result));
            assert_eq!(back.count(), 1, "{op}: {text}");
        }
    }

    #[test]
    fn unsigned_operations_stay() {
        assert!(!signed("MAX.U r, a, program.local[1];\n").contains("OpTypeInt 32 1"));
    }
}
