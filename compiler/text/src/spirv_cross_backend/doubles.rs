//! Doubles and the two words that they consist of: SPIRV-Cross converts them through 64-bit
//! integers in GLSL, which need an extension there, and not at all in HLSL. GLSL has
//! `packDouble2x32` and `unpackDouble2x32` since 4.00, HLSL has `asdouble` and `asuint`.

use crate::spirv_edit::{
    InstructionBuilder, InstructionExt, ModuleEditor, VectorShape, to_id_operands,
};
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{Capability, FunctionControl, GlslStd450Op as GlslOp, Op, Word};
use std::collections::{HashMap, HashSet};

/// The functions that a language converts doubles with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DoubleConversion {
    /// With the functions of GLSL.
    GlslBuiltins,
    /// With functions of the program, whose bodies [`replace_helper_bodies`] writes.
    HelperFunctions,
}

const PACK_FUNCTION_NAME: &str = "glasm_pack_double";
const UNPACK_FUNCTION_NAME: &str = "glasm_unpack_double";

/// Replaces bitcasts and packing functions between doubles and pairs of words by `conversion`, and
/// removes 64-bit integers if none is left. Does nothing in modules without doubles.
pub(super) fn convert_doubles(editor: &mut ModuleEditor, conversion: DoubleConversion) {
    if !editor.has_capability(Capability::Float64) {
        return;
    }
    let mut wide = DoubleConverter::new(editor, conversion);
    editor.rewrite_instructions(|code, instruction| wide.convert_instruction(code, instruction));
    wide.define_helper_functions(editor);
    remove_unused_casts(editor);
}

/// Types and values of 64 bits.
struct DoubleConverter {
    conversion: DoubleConversion,
    float64: Option<Word>,
    int64: Option<Word>,
    uvec2: Word,
    /// 64-bit integers that consist of these words.
    packed_words: HashMap<Word, Word>,
    /// 64-bit integers that have the bits of these doubles.
    bitcast_doubles: HashMap<Word, Word>,
    /// The functions that convert, where they are called.
    pack_function: Option<Word>,
    unpack_function: Option<Word>,
}

impl DoubleConverter {
    /// Looks up the 64-bit types of a module, which may lack them, and declares the vector of two
    /// words; no value is known yet.
    fn new(editor: &mut ModuleEditor, conversion: DoubleConversion) -> Self {
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
            float64: scalar(Op::TypeFloat),
            int64: scalar(Op::TypeInt),
            uvec2: words,
            packed_words: HashMap::new(),
            bitcast_doubles: HashMap::new(),
            pack_function: None,
            unpack_function: None,
        }
    }

    /// Emits an instruction, or the conversion of a double that replaces a bitcast or a packing
    /// function.
    fn convert_instruction(&mut self, code: &mut InstructionBuilder<'_>, instruction: Instruction) {
        let calls = |op| {
            self.conversion == DoubleConversion::HelperFunctions && instruction.is_glsl_inst(op)
        };
        let converted = match (instruction.result_id, instruction.result_type) {
            (Some(id), Some(ty)) => {
                if instruction.op() == Op::Bitcast {
                    let value = instruction.id_operand(0);
                    value.and_then(|value| self.convert_bitcast(code, ty, id, value))
                } else if calls(GlslOp::PackDouble2x32) {
                    instruction
                        .id_operand(2)
                        .map(|words| self.emit_pack_double(code, ty, words))
                } else if calls(GlslOp::UnpackDouble2x32) {
                    instruction
                        .id_operand(2)
                        .map(|double| self.emit_unpack_double(code, double))
                } else {
                    None
                }
            }
            _ => None,
        };
        match converted {
            Some(converted) => code.replace_with_value(&instruction, converted),
            None => code.emit_unchanged(instruction),
        }
    }

    /// Emits the value of a cast, if it is one between doubles and words or 64-bit integers, and
    /// returns it. Returns `None` for other casts, of which it records those of words to 64-bit
    /// integers.
    fn convert_bitcast(
        &mut self,
        code: &mut InstructionBuilder<'_>,
        ty: Word,
        id: Word,
        value: Word,
    ) -> Option<Word> {
        let from = code.editor.type_of(value);
        let (to, from, words) = (Some(ty), Some(from), Some(self.uvec2));
        if to == self.float64 && from == words {
            Some(self.emit_pack_double(code, ty, value))
        } else if to == self.float64 && from == self.int64 {
            let words = match self.packed_words.get(&value) {
                Some(&words) => words,
                None => code.emit_op(Op::Bitcast, self.uvec2, &[value]),
            };
            Some(self.emit_pack_double(code, ty, words))
        } else if to == words && from == self.float64 {
            Some(self.emit_unpack_double(code, value))
        } else if to == words && from == self.int64 {
            let double = *self.bitcast_doubles.get(&value)?;
            Some(self.emit_unpack_double(code, double))
        } else if to == self.int64 && from == self.float64 {
            self.bitcast_doubles.insert(id, value);
            let words = self.emit_unpack_double(code, value);
            Some(code.emit_op(Op::Bitcast, ty, &[words]))
        } else {
            if to == self.int64 && from == words {
                self.packed_words.insert(id, value);
            }
            None
        }
    }

    /// Emits the conversion of a vector of two words to a double and returns its id; calls the
    /// builtin function of GLSL or the helper function, which the first call creates.
    fn emit_pack_double(
        &mut self,
        code: &mut InstructionBuilder<'_>,
        double: Word,
        words: Word,
    ) -> Word {
        match self.conversion {
            DoubleConversion::GlslBuiltins => {
                code.emit_glsl(GlslOp::PackDouble2x32, double, &[words])
            }
            DoubleConversion::HelperFunctions => {
                let function = *self
                    .pack_function
                    .get_or_insert_with(|| code.editor.new_id());
                code.emit_op(Op::FunctionCall, double, &[function, words])
            }
        }
    }

    /// Emits the conversion of a double to a vector of two words and returns its id; calls the
    /// builtin function of GLSL or the helper function, which the first call creates.
    fn emit_unpack_double(&mut self, code: &mut InstructionBuilder<'_>, double: Word) -> Word {
        match self.conversion {
            DoubleConversion::GlslBuiltins => {
                code.emit_glsl(GlslOp::UnpackDouble2x32, self.uvec2, &[double])
            }
            DoubleConversion::HelperFunctions => {
                let function = *self
                    .unpack_function
                    .get_or_insert_with(|| code.editor.new_id());
                code.emit_op(Op::FunctionCall, self.uvec2, &[function, double])
            }
        }
    }

    /// Adds the functions that are called, with names by which [`replace_helper_bodies`] finds them
    /// and bodies that only have the right types.
    fn define_helper_functions(&self, editor: &mut ModuleEditor) {
        let Some(double) = self.float64 else { return };
        let functions = [
            (self.pack_function, PACK_FUNCTION_NAME, self.uvec2, double),
            (
                self.unpack_function,
                UNPACK_FUNCTION_NAME,
                double,
                self.uvec2,
            ),
        ];
        for (id, name, from, to) in functions {
            if let Some(id) = id {
                editor.set_name(id, name);
                define_helper_function(editor, id, from, to);
            }
        }
    }
}

/// Adds a function with a parameter of type `from` and a result of type `to`, whose body is a
/// placeholder: it converts the first component numerically.
fn define_helper_function(editor: &mut ModuleEditor, id: Word, from: Word, to: Word) {
    let ty = editor.intern_global(Op::TypeFunction, None, to_id_operands(&[to, from]));
    let [parameter, label] = [editor.new_id(), editor.new_id()];
    editor.set_name(parameter, "bits");
    let from_shape = editor.type_shape(from);
    let VectorShape { scalar, size } = editor.type_shape(to);
    let mut code = InstructionBuilder::new(editor);
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
    let converted = code.construct_vector(&vec![converted; size as usize]);
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

/// Removes casts that nothing reads, and the 64-bit integers with their capability if nothing else
/// has that type.
fn remove_unused_casts(editor: &mut ModuleEditor) {
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        let used: HashSet<Word> = editor
            .instructions()
            .flat_map(InstructionExt::id_operands)
            .collect();
        editor.rewrite_instructions(|code, instruction| {
            let is_cast = matches!(instruction.op(), Op::Bitcast | Op::CopyObject);
            if is_cast && instruction.result_id.is_some_and(|id| !used.contains(&id)) {
                is_changed = true;
            } else {
                code.emit_unchanged(instruction);
            }
        });
    }
    let globals = editor.module().types_global_values.iter();
    let wide = Some(&Operand::LiteralBit32(64));
    let longs = globals.filter(|it| it.op() == Op::TypeInt && it.operands.first() == wide);
    let longs: HashSet<Word> = longs.filter_map(|it| it.result_id).collect();
    let refers = |it: &Instruction| {
        let mut referred = it.id_operands().chain(it.result_type);
        referred.any(|id| longs.contains(&id))
    };
    if !editor.module().all_inst_iter().any(refers) {
        editor.remove_globals(&longs);
        let long = Operand::Capability(Capability::Int64);
        let capabilities = editor.capabilities_mut();
        capabilities.retain(|it| it.operands.first() != Some(&long));
    }
}

/// Replaces the bodies of the helper functions in an HLSL source by those that convert doubles.
pub(super) fn replace_helper_bodies(text: String) -> String {
    let functions = [
        (
            PACK_FUNCTION_NAME,
            "uint2",
            "    return asdouble(BITS.x, BITS.y);\n",
        ),
        (
            UNPACK_FUNCTION_NAME,
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
