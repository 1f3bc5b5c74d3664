//! Instructions that replace others.

use super::{InstructionExt, ModuleEditor, Shape, to_id_operands};
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as GlslOp, Op, StorageClass, Word};
use std::collections::HashMap;

/// The new instructions of a function.
pub(crate) struct Code<'a> {
    /// The module, without its functions.
    pub(crate) editor: &'a mut ModuleEditor,
    /// Instructions of the current block.
    out: Vec<Instruction>,
    /// Variables of the function.
    variables: Vec<Instruction>,
    /// Instructions at the start of the function.
    start: Vec<Instruction>,
    /// Values that are computed at the start, by their keys.
    start_values: HashMap<Word, Word>,
}

impl<'a> Code<'a> {
    /// Returns the code of a function without instructions.
    pub(crate) fn new(editor: &'a mut ModuleEditor) -> Self {
        Self {
            editor,
            out: Vec::new(),
            variables: Vec::new(),
            start: Vec::new(),
            start_values: HashMap::new(),
        }
    }

    /// Replaces the instructions of a block by those that `each` writes for them.
    pub(super) fn rewrite_block(
        &mut self,
        block: &mut Block,
        mut each: impl FnMut(&mut Self, Instruction),
    ) {
        let old = std::mem::take(&mut block.instructions);
        self.out.reserve(old.len());
        for instruction in old {
            each(self, instruction);
        }
        block.instructions = std::mem::take(&mut self.out);
    }

    /// Adds variables and the instructions at the start to the function.
    pub(super) fn finish(self, function: &mut Function) {
        insert_at_start(function, self.start);
        if let Some(first) = function.blocks.first_mut() {
            first.instructions.splice(0..0, self.variables);
        }
    }

    /// Returns the instructions of the current block.
    pub(crate) fn into_instructions(self) -> Vec<Instruction> {
        self.out
    }

    /// Writes an instruction of the module whose result has the type that it had.
    pub(crate) fn keep(&mut self, instruction: Instruction) {
        self.out.push(instruction);
    }

    /// Writes a new instruction.
    pub(crate) fn emit(&mut self, instruction: Instruction) {
        let result = instruction.result_id.zip(instruction.result_type);
        self.editor.types.extend(result);
        self.out.push(instruction);
    }

    /// Writes an operation on values and returns its result.
    pub(crate) fn emit_op(&mut self, op: Op, ty: Word, values: &[Word]) -> Word {
        self.emit_op_with(op, ty, to_id_operands(values))
    }

    /// Writes an operation and returns its result.
    pub(crate) fn emit_op_with(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.editor.new_id();
        self.emit(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// Writes an extended instruction of GLSL and returns its result.
    pub(crate) fn emit_glsl(&mut self, op: GlslOp, ty: Word, values: &[Word]) -> Word {
        let mut operands = vec![
            Operand::IdRef(self.editor.glsl_instructions()),
            Operand::LiteralExtInstInteger(op as u32),
        ];
        operands.extend(to_id_operands(values));
        self.emit_op_with(Op::ExtInst, ty, operands)
    }

    /// Writes an operation that has the result of the instruction that it replaces.
    pub(crate) fn replace(&mut self, replaced: &Instruction, op: Op, operands: Vec<Operand>) {
        let (ty, id) = (replaced.result_type, replaced.result_id);
        self.emit(Instruction::new(op, ty, id, operands));
    }

    /// Makes a value the result of the instruction that it replaces.
    pub(crate) fn define(&mut self, replaced: &Instruction, value: Word) {
        self.replace(replaced, Op::CopyObject, to_id_operands(&[value]));
    }

    /// Writes an instruction whose operation has a result of type `ty` from now on, and a cast of
    /// that to the result that it had. Returns the result of type `ty`.
    pub(crate) fn cast_result(&mut self, mut instruction: Instruction, ty: Word) -> Word {
        let id = self.editor.new_id();
        let old = instruction.clone();
        instruction.result_type = Some(ty);
        instruction.result_id = Some(id);
        self.emit(instruction);
        self.replace(&old, Op::Bitcast, to_id_operands(&[id]));
        id
    }

    /// Returns a component of a vector; a scalar itself.
    pub(crate) fn extract_component(&mut self, value: Word, index: u32) -> Word {
        let Shape { scalar, size } = self.editor.shape_of(value);
        if size == 1 {
            return value;
        }
        let operands = vec![Operand::IdRef(value), Operand::LiteralBit32(index)];
        self.emit_op_with(Op::CompositeExtract, scalar, operands)
    }

    /// Returns all components of a vector.
    pub(crate) fn extract_components(&mut self, value: Word) -> Vec<Word> {
        let size = self.editor.shape_of(value).size;
        (0..size)
            .map(|index| self.extract_component(value, index))
            .collect()
    }

    /// Returns the vector of scalars; a single scalar itself.
    pub(crate) fn construct(&mut self, scalars: &[Word]) -> Word {
        if let [only] = scalars {
            return *only;
        }
        let scalar = self.editor.type_of(scalars[0]);
        let ty = self.editor.intern_vector(scalar, scalars.len() as u32);
        self.emit_op(Op::CompositeConstruct, ty, scalars)
    }

    /// Returns the constant of the type of a value.
    pub(crate) fn intern_constant_like(&mut self, value: Word, bits: u32) -> Word {
        let ty = self.editor.type_of(value);
        self.editor.intern_constant(ty, bits)
    }

    /// Writes an operation whose result has the type of its operands, and returns it.
    pub(crate) fn emit_same_type(&mut self, op: Op, values: &[Word]) -> Word {
        let ty = self.editor.type_of(values[0]);
        self.emit_op(op, ty, values)
    }

    /// Returns the type of as many components as a value has.
    pub(crate) fn with_scalar(&mut self, value: Word, scalar: Word) -> Word {
        let size = self.editor.shape_of(value).size;
        self.editor.intern_vector(scalar, size)
    }

    /// Adds a variable to the function.
    pub(crate) fn add_local(&mut self, ty: Word) -> Word {
        let pointer = self.editor.intern_pointer(StorageClass::Function, ty);
        let id = self.editor.new_id();
        let operands = vec![Operand::StorageClass(StorageClass::Function)];
        let variable = Instruction::new(Op::Variable, Some(pointer), Some(id), operands);
        self.variables.push(variable);
        id
    }

    /// Returns a value that `write` computes at the start of the function, where it dominates all
    /// uses. It is computed once for each key.
    pub(crate) fn emit_at_start(
        &mut self,
        key: Word,
        write: impl FnOnce(&mut Self) -> Word,
    ) -> Word {
        if let Some(&value) = self.start_values.get(&key) {
            return value;
        }
        let block = std::mem::take(&mut self.out);
        let value = write(self);
        let written = std::mem::replace(&mut self.out, block);
        self.start.extend(written);
        self.start_values.insert(key, value);
        value
    }
}

/// Signed types that correspond to unsigned ones. Types that are missing here are declared again.
#[derive(Default)]
pub(crate) struct SignedTypes(HashMap<Word, Word>);

impl SignedTypes {
    /// Returns types with the interned 32-bit integers.
    pub(crate) fn with_int(editor: &mut ModuleEditor) -> Self {
        Self(HashMap::from([(
            editor.intern_uint(),
            editor.intern_sint(),
        )]))
    }

    /// Returns the signed type that corresponds to an unsigned scalar or vector, if it is one.
    pub(crate) fn find_signed(
        &mut self,
        editor: &mut ModuleEditor,
        unsigned: Word,
    ) -> Option<Word> {
        if let Some(&signed) = self.0.get(&unsigned) {
            return Some(signed);
        }
        let definition = editor.find_definition(unsigned)?;
        let (op, mut operands) = (definition.op(), definition.operands.clone());
        match (op, &mut operands[..]) {
            (Op::TypeInt, [_, sign]) if *sign == Operand::LiteralBit32(0) => {
                *sign = Operand::LiteralBit32(1);
            }
            (Op::TypeVector, [Operand::IdRef(scalar), _])
                if editor.find_definition(*scalar)?.op() == Op::TypeInt =>
            {
                *scalar = self.find_signed(editor, *scalar)?;
            }
            _ => return None,
        }
        let signed = editor.declare(op, None, operands);
        self.0.insert(unsigned, signed);
        Some(signed)
    }

    /// Casts an operand of an unsigned type to the signed type that corresponds to it.
    pub(crate) fn cast(
        &mut self,
        code: &mut Code<'_>,
        instruction: &mut Instruction,
        index: usize,
    ) {
        if let Some(value) = instruction.id(index)
            && let Some(signed) = self.find_signed(code.editor, code.editor.type_of(value))
        {
            let signed = code.emit_op(Op::Bitcast, signed, &[value]);
            instruction.operands[index] = Operand::IdRef(signed);
        }
    }
}

/// Inserts instructions at the start of a function, after its variables.
pub(crate) fn insert_at_start(function: &mut Function, instructions: Vec<Instruction>) {
    let Some(first) = function.blocks.first_mut() else {
        return;
    };
    let is_declaration =
        |it: &&Instruction| matches!(it.op(), Op::Variable | Op::Phi | Op::Line | Op::NoLine);
    let start = first.instructions.iter().take_while(is_declaration).count();
    first.instructions.splice(start..start, instructions);
}
