//! Instructions that replace others.

use super::{InstructionExt, ModuleEditor, VectorShape, to_id_operands};
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as GlslOp, Op, StorageClass, Word};
use std::collections::HashMap;

/// The new instructions of a function.
pub(crate) struct InstructionBuilder<'a> {
    /// The module, without its functions.
    pub(crate) editor: &'a mut ModuleEditor,
    /// Instructions of the current block.
    block_instructions: Vec<Instruction>,
    /// Variables of the function.
    local_variables: Vec<Instruction>,
    /// Instructions at the start of the function.
    start_instructions: Vec<Instruction>,
    /// Values that are computed at the start, by their keys.
    start_values: HashMap<Word, Word>,
}

impl<'a> InstructionBuilder<'a> {
    /// Returns a builder for the code of one function, without instructions and variables.
    pub(crate) fn new(editor: &'a mut ModuleEditor) -> Self {
        Self {
            editor,
            block_instructions: Vec::new(),
            local_variables: Vec::new(),
            start_instructions: Vec::new(),
            start_values: HashMap::new(),
        }
    }

    /// Replaces the instructions of a block by those that `rewrite` emits for each of them.
    pub(super) fn rewrite_block(
        &mut self,
        block: &mut Block,
        mut rewrite: impl FnMut(&mut Self, Instruction),
    ) {
        let old = std::mem::take(&mut block.instructions);
        self.block_instructions.reserve(old.len());
        for instruction in old {
            rewrite(self, instruction);
        }
        block.instructions = std::mem::take(&mut self.block_instructions);
    }

    /// Adds the local variables and the instructions at the start to the function, in its first
    /// block.
    pub(super) fn finish(self, function: &mut Function) {
        insert_at_start(function, self.start_instructions);
        if let Some(first) = function.blocks.first_mut() {
            first.instructions.splice(0..0, self.local_variables);
        }
    }

    /// Returns the instructions of the current block.
    pub(crate) fn into_instructions(self) -> Vec<Instruction> {
        self.block_instructions
    }

    /// Writes an instruction of the module whose result has the type that it had.
    pub(crate) fn emit_unchanged(&mut self, instruction: Instruction) {
        self.block_instructions.push(instruction);
    }

    /// Appends an instruction to the current block and records the type of its result.
    pub(crate) fn emit(&mut self, instruction: Instruction) {
        let result = instruction.result_id.zip(instruction.result_type);
        self.editor.value_types.extend(result);
        self.block_instructions.push(instruction);
    }

    /// Writes an operation on values and returns its result.
    pub(crate) fn emit_op(&mut self, op: Op, ty: Word, values: &[Word]) -> Word {
        self.emit_op_with(op, ty, to_id_operands(values))
    }

    /// Appends an operation with a new result id of type `ty`, which it returns; operands may be
    /// other than ids.
    pub(crate) fn emit_op_with(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.editor.new_id();
        self.emit(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// Appends an extended instruction of GLSL with a result of type `ty`, whose id it returns;
    /// imports the instruction set if necessary.
    pub(crate) fn emit_glsl(&mut self, op: GlslOp, ty: Word, values: &[Word]) -> Word {
        let mut operands = vec![
            Operand::IdRef(self.editor.intern_glsl_import()),
            Operand::LiteralExtInstInteger(op as u32),
        ];
        operands.extend(to_id_operands(values));
        self.emit_op_with(Op::ExtInst, ty, operands)
    }

    /// Appends an operation that has the result id and type of the instruction that it replaces.
    pub(crate) fn replace_with_op(
        &mut self,
        replaced: &Instruction,
        op: Op,
        operands: Vec<Operand>,
    ) {
        let (ty, id) = (replaced.result_type, replaced.result_id);
        self.emit(Instruction::new(op, ty, id, operands));
    }

    /// Makes a value the result of the instruction that it replaces.
    pub(crate) fn replace_with_value(&mut self, replaced: &Instruction, value: Word) {
        self.replace_with_op(replaced, Op::CopyObject, to_id_operands(&[value]));
    }

    /// Appends an instruction whose operation has a result of type `ty` from now on, with a new id,
    /// and a cast of that to the result that it had. Returns the id of the result of type `ty`.
    pub(crate) fn emit_with_cast_result(&mut self, mut instruction: Instruction, ty: Word) -> Word {
        let id = self.editor.new_id();
        let old = instruction.clone();
        instruction.result_type = Some(ty);
        instruction.result_id = Some(id);
        self.emit(instruction);
        self.replace_with_op(&old, Op::Bitcast, to_id_operands(&[id]));
        id
    }

    /// Returns a component of a vector, which it extracts; a scalar itself.
    pub(crate) fn extract_component(&mut self, value: Word, index: u32) -> Word {
        let VectorShape { scalar, size } = self.editor.value_shape(value);
        if size == 1 {
            return value;
        }
        let operands = vec![Operand::IdRef(value), Operand::LiteralBit32(index)];
        self.emit_op_with(Op::CompositeExtract, scalar, operands)
    }

    /// Returns all components of a vector, which it extracts; a scalar itself.
    pub(crate) fn extract_components(&mut self, value: Word) -> Vec<Word> {
        let size = self.editor.value_shape(value).size;
        (0..size)
            .map(|index| self.extract_component(value, index))
            .collect()
    }

    /// Returns the vector of scalars of one type, which it constructs; a single scalar itself.
    /// There must be at least one.
    pub(crate) fn construct_vector(&mut self, scalars: &[Word]) -> Word {
        if let [only] = scalars {
            return *only;
        }
        let scalar = self.editor.type_of(scalars[0]);
        let ty = self.editor.intern_vector(scalar, scalars.len() as u32);
        self.emit_op(Op::CompositeConstruct, ty, scalars)
    }

    /// Returns the constant with these bits of the type of a value, a 32-bit scalar or vector;
    /// declares it if necessary.
    pub(crate) fn intern_constant_like(&mut self, value: Word, bits: u32) -> Word {
        let ty = self.editor.type_of(value);
        self.editor.intern_constant(ty, bits)
    }

    /// Appends an operation whose result has the type of its first operand, and returns its id.
    pub(crate) fn emit_op_same_type(&mut self, op: Op, values: &[Word]) -> Word {
        let ty = self.editor.type_of(values[0]);
        self.emit_op(op, ty, values)
    }

    /// Returns the type of as many components of type `scalar` as a value has.
    pub(crate) fn intern_vector_like(&mut self, value: Word, scalar: Word) -> Word {
        let size = self.editor.value_shape(value).size;
        self.editor.intern_vector(scalar, size)
    }

    /// Adds a variable of type `ty` to the function and returns its id.
    pub(crate) fn declare_local(&mut self, ty: Word) -> Word {
        let pointer = self.editor.intern_pointer(StorageClass::Function, ty);
        let id = self.editor.new_id();
        let operands = vec![Operand::StorageClass(StorageClass::Function)];
        let variable = Instruction::new(Op::Variable, Some(pointer), Some(id), operands);
        self.local_variables.push(variable);
        id
    }

    /// Returns a value that `emit_value` emits at the start of the function, where it dominates all
    /// uses. It is emitted once for each key; later calls return the same value.
    pub(crate) fn emit_at_start(
        &mut self,
        key: Word,
        emit_value: impl FnOnce(&mut Self) -> Word,
    ) -> Word {
        if let Some(&value) = self.start_values.get(&key) {
            return value;
        }
        let block = std::mem::take(&mut self.block_instructions);
        let value = emit_value(self);
        let written = std::mem::replace(&mut self.block_instructions, block);
        self.start_instructions.extend(written);
        self.start_values.insert(key, value);
        value
    }
}

/// Signed types that correspond to unsigned ones. Types that are missing here are declared again.
#[derive(Default)]
pub(crate) struct SignedTypes(HashMap<Word, Word>);

impl SignedTypes {
    /// Returns a table of signed types that contains the 32-bit integers, which are added to the
    /// module if necessary.
    pub(crate) fn with_int(editor: &mut ModuleEditor) -> Self {
        Self(HashMap::from([(
            editor.intern_uint(),
            editor.intern_sint(),
        )]))
    }

    /// Returns the signed type that corresponds to an unsigned scalar or vector, and declares it if
    /// necessary; `None` for other types.
    pub(crate) fn find_signed(
        &mut self,
        editor: &mut ModuleEditor,
        unsigned: Word,
    ) -> Option<Word> {
        if let Some(&signed) = self.0.get(&unsigned) {
            return Some(signed);
        }
        let definition = editor.find_global(unsigned)?;
        let (op, mut operands) = (definition.op(), definition.operands.clone());
        match (op, &mut operands[..]) {
            (Op::TypeInt, [_, sign]) if *sign == Operand::LiteralBit32(0) => {
                *sign = Operand::LiteralBit32(1);
            }
            (Op::TypeVector, [Operand::IdRef(scalar), _])
                if editor.find_global(*scalar)?.op() == Op::TypeInt =>
            {
                *scalar = self.find_signed(editor, *scalar)?;
            }
            _ => return None,
        }
        let signed = editor.declare_global(op, None, operands);
        self.0.insert(unsigned, signed);
        Some(signed)
    }

    /// Replaces operand `index` of an unsigned type by a cast to the signed type that corresponds
    /// to it, which it emits; other operands are unchanged.
    pub(crate) fn cast_operand(
        &mut self,
        code: &mut InstructionBuilder<'_>,
        instruction: &mut Instruction,
        index: usize,
    ) {
        if let Some(value) = instruction.id_operand(index)
            && let Some(signed) = self.find_signed(code.editor, code.editor.type_of(value))
        {
            let signed = code.emit_op(Op::Bitcast, signed, &[value]);
            instruction.operands[index] = Operand::IdRef(signed);
        }
    }
}

/// Inserts instructions at the start of a function, after its variables; does nothing for a
/// function without blocks.
pub(crate) fn insert_at_start(function: &mut Function, instructions: Vec<Instruction>) {
    let Some(first) = function.blocks.first_mut() else {
        return;
    };
    let is_declaration =
        |it: &&Instruction| matches!(it.op(), Op::Variable | Op::Phi | Op::Line | Op::NoLine);
    let start = first.instructions.iter().take_while(is_declaration).count();
    first.instructions.splice(start..start, instructions);
}
