//! Doubles and the two words that they consist of: SPIRV-Cross converts them through 64-bit
//! integers in GLSL, which need an extension there, and not at all in HLSL. GLSL has
//! `packDouble2x32` and `unpackDouble2x32` since 4.00, HLSL has `asdouble` and `asuint`.

use crate::spirv_edit::{Code, InstructionExt, ModuleEditor, Shape, to_id_operands};
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{Capability, FunctionControl, GlslStd450Op as GlslOp, Op, Word};
use std::collections::{HashMap, HashSet};

/// The functions that a language converts doubles with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conversion {
    /// With the functions of GLSL.
    Extended,
    /// With functions of the program, whose bodies [`write_bodies`] writes.
    Functions,
}

const PACK: &str = "glasm_pack_double";
const UNPACK: &str = "glasm_unpack_double";

/// Converts doubles from and to pairs of words, and removes 64-bit integers if none is left.
pub(super) fn convert_by_words(editor: &mut ModuleEditor, conversion: Conversion) {
    if !editor.has_capability(Capability::Float64) {
        return;
    }
    let mut wide = Wide::new(editor, conversion);
    editor.rewrite(|code, instruction| wide.convert(code, instruction));
    wide.define_functions(editor);
    remove_unused(editor);
}

/// Types and values of 64 bits.
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
    fn new(editor: &mut ModuleEditor, conversion: Conversion) -> Self {
        let uint = editor.intern_uint();
        let words = editor.intern_vector(uint, 2);
        let globals = &editor.module().types_global_values;
        let scalar = |op: Op| {
            let wide = Some(&Operand::LiteralBit32(64));
            let mut types = globals.iter();
            types
                .find(|it| it.op() == op && it.operands.first() == wide)?
                .result_id
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
        let calls = |op| self.conversion == Conversion::Functions && instruction.is_glsl(op);
        let converted = match (instruction.result_id, instruction.result_type) {
            (Some(id), Some(ty)) => {
                if instruction.op() == Op::Bitcast {
                    let value = instruction.id(0);
                    value.and_then(|value| self.convert_cast(code, ty, id, value))
                } else if calls(GlslOp::PackDouble2x32) {
                    instruction.id(2).map(|words| self.pack(code, ty, words))
                } else if calls(GlslOp::UnpackDouble2x32) {
                    instruction.id(2).map(|double| self.unpack(code, double))
                } else {
                    None
                }
            }
            _ => None,
        };
        match converted {
            Some(converted) => code.define(&instruction, converted),
            None => code.keep(instruction),
        }
    }

    /// Writes the value of a cast, if it is one between doubles and words or 64-bit integers.
    fn convert_cast(
        &mut self,
        code: &mut Code<'_>,
        ty: Word,
        id: Word,
        value: Word,
    ) -> Option<Word> {
        let from = code.editor.type_of(value);
        let (to, from, words) = (Some(ty), Some(from), Some(self.words));
        if to == self.double && from == words {
            Some(self.pack(code, ty, value))
        } else if to == self.double && from == self.long {
            let words = match self.packed.get(&value) {
                Some(&words) => words,
                None => code.emit_op(Op::Bitcast, self.words, &[value]),
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
            Some(code.emit_op(Op::Bitcast, ty, &[words]))
        } else {
            if to == self.long && from == words {
                self.packed.insert(id, value);
            }
            None
        }
    }

    fn pack(&mut self, code: &mut Code<'_>, double: Word, words: Word) -> Word {
        match self.conversion {
            Conversion::Extended => code.emit_glsl(GlslOp::PackDouble2x32, double, &[words]),
            Conversion::Functions => {
                let function = *self.pack.get_or_insert_with(|| code.editor.new_id());
                code.emit_op(Op::FunctionCall, double, &[function, words])
            }
        }
    }

    fn unpack(&mut self, code: &mut Code<'_>, double: Word) -> Word {
        match self.conversion {
            Conversion::Extended => code.emit_glsl(GlslOp::UnpackDouble2x32, self.words, &[double]),
            Conversion::Functions => {
                let function = *self.unpack.get_or_insert_with(|| code.editor.new_id());
                code.emit_op(Op::FunctionCall, self.words, &[function, double])
            }
        }
    }

    /// Adds the functions that are called, with bodies that only have the right types.
    fn define_functions(&self, editor: &mut ModuleEditor) {
        let Some(double) = self.double else { return };
        let functions = [
            (self.pack, PACK, self.words, double),
            (self.unpack, UNPACK, double, self.words),
        ];
        for (id, name, from, to) in functions {
            if let Some(id) = id {
                editor.name(id, name);
                define_function(editor, id, from, to);
            }
        }
    }
}

/// Adds a function that converts a value in some way.
fn define_function(editor: &mut ModuleEditor, id: Word, from: Word, to: Word) {
    let ty = editor.intern(Op::TypeFunction, None, to_id_operands(&[to, from]));
    let [parameter, label] = [editor.new_id(), editor.new_id()];
    editor.name(parameter, "bits");
    let from_shape = editor.shape(from);
    let Shape { scalar, size } = editor.shape(to);
    let mut code = Code::new(editor);
    let part = match from_shape.size {
        1 => parameter,
        _ => {
            let operands = vec![Operand::IdRef(parameter), Operand::LiteralBit32(0)];
            code.emit_op_with(Op::CompositeExtract, from_shape.scalar, operands)
        }
    };
    let conversion = match size {
        1 => Op::ConvertUToF,
        _ => Op::ConvertFToU,
    };
    let converted = code.emit_op(conversion, scalar, &[part]);
    let converted = code.construct(&vec![converted; size as usize]);
    let result = to_id_operands(&[converted]);
    code.emit(Instruction::new(Op::ReturnValue, None, None, result));
    let instructions = code.into_instructions();
    let head = vec![
        Operand::FunctionControl(FunctionControl::NONE),
        Operand::IdRef(ty),
    ];
    let parameter = Instruction::new(Op::FunctionParameter, Some(from), Some(parameter), vec![]);
    editor.add_function(Function {
        def: Some(Instruction::new(Op::Function, Some(to), Some(id), head)),
        end: Some(Instruction::new(Op::FunctionEnd, None, None, vec![])),
        parameters: vec![parameter],
        blocks: vec![Block {
            label: Some(Instruction::new(Op::Label, None, Some(label), vec![])),
            instructions,
        }],
    });
}

/// Removes casts that nothing reads, and the 64-bit integers if nothing else has that type.
fn remove_unused(editor: &mut ModuleEditor) {
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        let used: HashSet<Word> = editor
            .instructions()
            .flat_map(InstructionExt::ids)
            .collect();
        editor.rewrite(|code, instruction| {
            let is_cast = matches!(instruction.op(), Op::Bitcast | Op::CopyObject);
            if is_cast && instruction.result_id.is_some_and(|id| !used.contains(&id)) {
                is_changed = true;
            } else {
                code.keep(instruction);
            }
        });
    }
    let globals = editor.module().types_global_values.iter();
    let wide = Some(&Operand::LiteralBit32(64));
    let longs = globals.filter(|it| it.op() == Op::TypeInt && it.operands.first() == wide);
    let longs: HashSet<Word> = longs.filter_map(|it| it.result_id).collect();
    let refers = |it: &Instruction| {
        let mut referred = it.ids().chain(it.result_type);
        referred.any(|id| longs.contains(&id))
    };
    if !editor.module().all_inst_iter().any(refers) {
        editor.remove(&longs);
        let long = Operand::Capability(Capability::Int64);
        let capabilities = editor.capabilities_mut();
        capabilities.retain(|it| it.operands.first() != Some(&long));
    }
}

/// Writes the bodies of the functions of a program in HLSL that convert doubles.
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
