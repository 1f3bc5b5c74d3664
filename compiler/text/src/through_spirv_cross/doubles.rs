//! Doubles and the two words that they consist of: SPIRV-Cross converts them through 64-bit integers in GLSL, which need an extension there, and not at
//! all in HLSL. GLSL has `packDouble2x32` and `unpackDouble2x32` since 4.00, HLSL has `asdouble` and `asuint`.

use crate::rewriter::{Code, Rewriter, Shape};
use rspirv::dr::{Block, Function, Instruction, Module, Operand};
use rspirv::spirv::{Capability, FunctionControl, GlslStd450Op, Op, Word};
use std::collections::{HashMap, HashSet};

/// How a language converts doubles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conversion {
    /// With the functions of GLSL.
    Extended,
    /// With functions of the program, whose bodies [`write_bodies`] writes.
    Functions,
}

const PACK: &str = "glasm_pack_double";
const UNPACK: &str = "glasm_unpack_double";

/// Converts doubles from and to pairs of words, and removes 64-bit integers of which nothing is left.
pub(super) fn convert_by_words(module: &mut Module, conversion: Conversion) -> Result<(), String> {
    let doubles = Capability::Float64;
    let has_doubles = |it: &Instruction| it.operands.first() == Some(&Operand::Capability(doubles));
    if !module.capabilities.iter().any(has_doubles) {
        return Ok(());
    }
    let mut rewriter = Rewriter::new(std::mem::take(module));
    let mut wide = Wide::new(&mut rewriter, conversion);
    rewriter.rewrite(|code, instruction| {
        wide.convert(code, instruction);
        Ok(())
    })?;
    wide.define_functions(&mut rewriter);
    (*module, _) = rewriter.finish();
    remove_unused(module);
    Ok(())
}

/// What is known of the values of a module.
struct Wide {
    conversion: Conversion,
    double: Option<Word>,
    long: Option<Word>,
    words: Word,
    /// 64-bit integers that consist of these words.
    packed: HashMap<Word, Word>,
    /// 64-bit integers that have the bits of these doubles.
    doubles: HashMap<Word, Word>,
    /// The functions that convert, where they are called.
    pack: Option<Word>,
    unpack: Option<Word>,
}

impl Wide {
    fn new(rewriter: &mut Rewriter, conversion: Conversion) -> Self {
        let uint = rewriter.uint();
        let words = rewriter.vector(uint, 2);
        let globals = &rewriter.module.types_global_values;
        let scalar = |opcode: Op| {
            let wide = Some(&Operand::LiteralBit32(64));
            let is_it =
                |it: &&Instruction| it.class.opcode == opcode && it.operands.first() == wide;
            globals.iter().find(is_it).and_then(|it| it.result_id)
        };
        Self {
            conversion,
            double: scalar(Op::TypeFloat),
            long: scalar(Op::TypeInt),
            words,
            packed: HashMap::new(),
            doubles: HashMap::new(),
            pack: None,
            unpack: None,
        }
    }

    /// Writes an instruction, or the conversion that replaces it.
    fn convert(&mut self, code: &mut Code<'_>, instruction: Instruction) {
        let parts = (instruction.result_type, instruction.result_id);
        let (Some(ty), Some(id)) = parts else {
            return code.keep(instruction);
        };
        let extended = match instruction.operands[..] {
            [
                _,
                Operand::LiteralExtInstInteger(function),
                Operand::IdRef(value),
            ] if instruction.class.opcode == Op::ExtInst => Some((function, value)),
            _ => None,
        };
        match (instruction.class.opcode, &instruction.operands[..]) {
            (Op::Bitcast, &[Operand::IdRef(value)]) => match self.converted(code, ty, id, value) {
                Some(converted) => code.define(&instruction, converted),
                None => code.keep(instruction),
            },
            (Op::ExtInst, _) if self.conversion == Conversion::Functions => {
                let converted = extended.and_then(|(function, value)| {
                    if function == GlslStd450Op::PackDouble2x32 as u32 {
                        Some(self.pack(code, ty, value))
                    } else if function == GlslStd450Op::UnpackDouble2x32 as u32 {
                        Some(self.unpack(code, value))
                    } else {
                        None
                    }
                });
                match converted {
                    Some(converted) => code.define(&instruction, converted),
                    None => code.keep(instruction),
                }
            }
            _ => code.keep(instruction),
        }
    }

    /// Returns the value of a cast, if it is one between doubles and words or 64-bit integers.
    fn converted(&mut self, code: &mut Code<'_>, ty: Word, id: Word, value: Word) -> Option<Word> {
        let from = code.rewriter.type_of(value);
        let (to, from, words) = (Some(ty), Some(from), Some(self.words));
        if to == self.double && from == words {
            Some(self.pack(code, ty, value))
        } else if to == self.double && from == self.long {
            let words = match self.packed.get(&value) {
                Some(&words) => words,
                None => code.op(Op::Bitcast, self.words, &[value]),
            };
            Some(self.pack(code, ty, words))
        } else if to == words && from == self.double {
            Some(self.unpack(code, value))
        } else if to == words && from == self.long {
            let double = *self.doubles.get(&value)?;
            Some(self.unpack(code, double))
        } else if to == self.long && from == self.double {
            self.doubles.insert(id, value);
            let words = self.unpack(code, value);
            Some(code.op(Op::Bitcast, ty, &[words]))
        } else {
            if to == self.long && from == words {
                self.packed.insert(id, value);
            }
            None
        }
    }

    fn pack(&mut self, code: &mut Code<'_>, double: Word, words: Word) -> Word {
        match self.conversion {
            Conversion::Extended => code.ext(GlslStd450Op::PackDouble2x32, double, &[words]),
            Conversion::Functions => {
                let function = *self.pack.get_or_insert_with(|| code.rewriter.id());
                code.op(Op::FunctionCall, double, &[function, words])
            }
        }
    }

    fn unpack(&mut self, code: &mut Code<'_>, double: Word) -> Word {
        match self.conversion {
            Conversion::Extended => code.ext(GlslStd450Op::UnpackDouble2x32, self.words, &[double]),
            Conversion::Functions => {
                let function = *self.unpack.get_or_insert_with(|| code.rewriter.id());
                code.op(Op::FunctionCall, self.words, &[function, double])
            }
        }
    }

    /// Adds the functions that are called, with bodies that only have the right types.
    fn define_functions(&self, rewriter: &mut Rewriter) {
        let Some(double) = self.double else { return };
        let functions = [
            (self.pack, PACK, self.words, double),
            (self.unpack, UNPACK, double, self.words),
        ];
        for (id, name, from, to) in functions {
            let Some(id) = id else { continue };
            rewriter.name(id, name);
            let operands = vec![Operand::IdRef(to), Operand::IdRef(from)];
            let ty = rewriter.global(Op::TypeFunction, None, operands);
            let [parameter, label] = [rewriter.id(), rewriter.id()];
            rewriter.name(parameter, "bits");
            let mut code = Code {
                rewriter,
                out: Vec::new(),
            };
            code.keep(Instruction::new(
                Op::FunctionParameter,
                Some(from),
                Some(parameter),
                vec![],
            ));
            code.out.clear();
            let part = code.component(parameter, 0);
            let Shape { scalar, size } = code.rewriter.shape(to);
            let conversion = match size {
                1 => Op::ConvertUToF,
                _ => Op::ConvertFToU,
            };
            let converted = code.op(conversion, scalar, &[part]);
            let converted = match size {
                1 => converted,
                _ => code.construct(&[converted, converted]),
            };
            let mut instructions = code.out;
            let result = vec![Operand::IdRef(converted)];
            instructions.push(Instruction::new(Op::ReturnValue, None, None, result));
            let head = vec![
                Operand::FunctionControl(FunctionControl::NONE),
                Operand::IdRef(ty),
            ];
            let parameter =
                Instruction::new(Op::FunctionParameter, Some(from), Some(parameter), vec![]);
            rewriter.module.functions.push(Function {
                def: Some(Instruction::new(Op::Function, Some(to), Some(id), head)),
                end: Some(Instruction::new(Op::FunctionEnd, None, None, vec![])),
                parameters: vec![parameter],
                blocks: vec![Block {
                    label: Some(Instruction::new(Op::Label, None, Some(label), vec![])),
                    instructions,
                }],
            });
        }
    }
}

/// Removes casts that nothing reads, and the 64-bit integers if nothing else has that type.
fn remove_unused(module: &mut Module) {
    loop {
        let used: HashSet<Word> = module
            .all_inst_iter()
            .filter(|it| !matches!(it.class.opcode, Op::Name | Op::Decorate))
            .flat_map(|it| &it.operands)
            .filter_map(Operand::id_ref_any)
            .collect();
        let mut removed = false;
        let blocks = module.functions.iter_mut().flat_map(|it| &mut it.blocks);
        for block in blocks {
            block.instructions.retain(|it| {
                let is_cast = matches!(it.class.opcode, Op::Bitcast | Op::CopyObject);
                let is_unused = is_cast && it.result_id.is_some_and(|id| !used.contains(&id));
                removed |= is_unused;
                !is_unused
            });
        }
        if !removed {
            break;
        }
    }
    let is_long = |it: &Instruction| {
        it.class.opcode == Op::TypeInt && it.operands.first() == Some(&Operand::LiteralBit32(64))
    };
    let longs: HashSet<Word> = module
        .types_global_values
        .iter()
        .filter(|it| is_long(it))
        .filter_map(|it| it.result_id)
        .collect();
    let reads = |it: &Instruction| {
        let mut operands = it.operands.iter().filter_map(Operand::id_ref_any);
        it.result_type.is_some_and(|ty| longs.contains(&ty))
            || operands.any(|operand| longs.contains(&operand))
    };
    if !longs.is_empty() && !module.all_inst_iter().any(reads) {
        module.types_global_values.retain(|it| !is_long(it));
        let long = Operand::Capability(Capability::Int64);
        module
            .capabilities
            .retain(|it| it.operands.first() != Some(&long));
    }
}

/// Writes the bodies of the functions of a text in HLSL that convert doubles.
pub(super) fn write_bodies(text: String) -> String {
    let functions = [
        (PACK, "uint2", "    return asdouble(BITS.x, BITS.y);\n"),
        (
            UNPACK,
            "double",
            "    uint low, high;\n    asuint(BITS, low, high);\n    return uint2(low, high);\n",
        ),
    ];
    let mut text = text;
    for (name, ty, body) in functions {
        let head = format!(" {name}({ty} ");
        let mut from = 0;
        while let Some(found) = text[from..].find(&head) {
            let start = from + found + head.len();
            from = start;
            let Some((parameter, rest)) = text[start..].split_once(')') else {
                break;
            };
            // A prototype has no body.
            let Some(rest) = rest.strip_prefix("\n{\n") else {
                continue;
            };
            let Some(length) = rest.find("\n}\n") else {
                break;
            };
            let open = text.len() - rest.len();
            let body = body.replace("BITS", parameter);
            text.replace_range(open..open + length + 1, &body);
        }
    }
    text
}
