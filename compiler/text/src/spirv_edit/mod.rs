//! An editor of SPIR-V modules: allocates ids, interns types and constants, knows the types of
//! values, and rewrites instructions. All passes over modules are written with it.

mod instruction_builder;
mod query;
#[cfg(test)]
mod test_support;

pub(crate) use instruction_builder::{InstructionBuilder, SignedTypes, insert_at_start};
pub(crate) use query::{ImageType, InstructionExt, to_id_operands};
use rspirv::binary::Assemble;
use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The operation, type and operands of a type or constant.
type InternKey = (Op, Option<Word>, Vec<Operand>);

/// A module that is being edited.
pub(crate) struct ModuleEditor {
    module: Module,
    next_id: Word,
    /// Types and constants of which there is one for each declaration.
    interned: HashMap<InternKey, Word>,
    /// Positions of types, constants and variables in the module.
    globals: HashMap<Word, usize>,
    value_types: HashMap<Word, Word>,
    differences: BTreeSet<String>,
}

/// A scalar type or a vector of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VectorShape {
    /// Type of the components.
    pub(crate) scalar: Word,
    /// Number of components.
    pub(crate) size: u32,
}

/// An id that gets the description of another one: its decorations, its name and, for a variable,
/// its entries in interfaces.
#[derive(Clone, Debug)]
pub(crate) struct Companion {
    /// The id.
    pub(crate) id: Word,
    /// Text that follows the name of the other id.
    pub(crate) suffix: String,
    /// Difference between the bindings.
    pub(crate) binding_offset: u32,
}

impl ModuleEditor {
    /// Returns an editor of a module, with its declarations and the types of its values indexed.
    pub(crate) fn new(module: Module) -> Self {
        let mut editor = Self {
            next_id: module.header.as_ref().map_or(0, |header| header.bound),
            interned: HashMap::new(),
            globals: HashMap::new(),
            value_types: module
                .all_inst_iter()
                .filter_map(|value| value.result_id.zip(value.result_type))
                .collect(),
            differences: BTreeSet::new(),
            module,
        };
        editor.rewrite_globals(Self::add_global);
        editor
    }

    /// Returns the module; its header has an outdated bound.
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// Returns the words of the module, and sets the bound of ids in its header.
    pub(crate) fn assemble(&mut self) -> Vec<Word> {
        if let Some(header) = &mut self.module.header {
            header.bound = self.next_id;
        }
        self.module.assemble()
    }

    /// Records that the behavior of the edited module differs from the original one.
    pub(crate) fn record_difference(&mut self, difference: impl Into<String>) {
        self.differences.insert(difference.into());
    }

    /// Returns the differences that [`record_difference`](Self::record_difference) recorded.
    pub(crate) fn differences(&self) -> &BTreeSet<String> {
        &self.differences
    }

    /// Allocates an id that the module does not use and returns it.
    pub(crate) fn new_id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }
}

/// Lists of instructions without results.
impl ModuleEditor {
    /// Returns the capabilities.
    pub(crate) fn capabilities_mut(&mut self) -> &mut Vec<Instruction> {
        &mut self.module.capabilities
    }

    /// Removes all extensions.
    pub(crate) fn clear_extensions(&mut self) {
        self.module.extensions.clear();
    }

    /// Returns the execution modes.
    pub(crate) fn execution_modes_mut(&mut self) -> &mut Vec<Instruction> {
        &mut self.module.execution_modes
    }

    /// Returns the names of ids and members.
    pub(crate) fn names_mut(&mut self) -> &mut Vec<Instruction> {
        &mut self.module.debug_names
    }

    /// Returns the decorations.
    pub(crate) fn annotations_mut(&mut self) -> &mut Vec<Instruction> {
        &mut self.module.annotations
    }

    /// Adds a debug name for an id; an existing name is not replaced.
    pub(crate) fn set_name(&mut self, id: Word, name: impl Into<String>) {
        let operands = vec![Operand::IdRef(id), Operand::LiteralString(name.into())];
        let name = Instruction::new(Op::Name, None, None, operands);
        self.module.debug_names.push(name);
    }

    /// Names the results of functions that have no name, in order: `name_of` receives an
    /// instruction and the names of the ids before it, with those that it returned itself, and
    /// returns the name or `None`.
    pub(crate) fn name_results(
        &mut self,
        mut name_of: impl FnMut(&Self, &Instruction, &HashMap<Word, String>) -> Option<String>,
    ) {
        let named = self.collect_names().into_iter();
        let mut names: HashMap<_, _> = named.map(|(id, name)| (id, name.to_owned())).collect();
        let mut added = Vec::new();
        for instruction in self.instructions() {
            if let Some(id) = instruction.result_id
                && !names.contains_key(&id)
                && let Some(name) = name_of(self, instruction, &names)
            {
                names.insert(id, name.clone());
                added.push((id, name));
            }
        }
        for (id, name) in added {
            self.set_name(id, name);
        }
    }

    /// Adds a decoration with an optional operand to an id.
    pub(crate) fn decorate(&mut self, id: Word, decoration: Decoration, operand: Option<Operand>) {
        let mut operands = vec![Operand::IdRef(id), Operand::Decoration(decoration)];
        operands.extend(operand);
        let decoration = Instruction::new(Op::Decorate, None, None, operands);
        self.module.annotations.push(decoration);
    }

    /// Copies the names and decorations of each id of `companions` to its companion, with the
    /// suffix and the binding offset of that, and adds the companions to the interfaces of entry
    /// points that have the id.
    pub(crate) fn decorate_companions(&mut self, companions: &HashMap<Word, Companion>) {
        let copy = |instruction: &Instruction| {
            let companion = companions.get(&instruction.id_operand(0)?)?;
            let mut copy = instruction.clone();
            copy.operands[0] = Operand::IdRef(companion.id);
            match &mut copy.operands[1..] {
                [
                    Operand::Decoration(Decoration::Binding),
                    Operand::LiteralBit32(binding),
                ] => *binding = binding.wrapping_add(companion.binding_offset),
                [Operand::LiteralString(name)] => name.push_str(&companion.suffix),
                _ => {}
            }
            Some(copy)
        };
        for list in [&mut self.module.annotations, &mut self.module.debug_names] {
            let copies: Vec<_> = list.iter().filter_map(copy).collect();
            list.extend(copies);
        }
        for entry in &mut self.module.entry_points {
            let companions: Vec<_> = entry
                .id_operands()
                .filter_map(|id| companions.get(&id))
                .collect();
            let companions = companions
                .into_iter()
                .map(|companion| Operand::IdRef(companion.id));
            entry.operands.extend(companions);
        }
    }
}

/// Types, constants and variables.
impl ModuleEditor {
    /// Returns the type, constant or variable with an id.
    pub(crate) fn find_global(&self, id: Word) -> Option<&Instruction> {
        self.module.types_global_values.get(*self.globals.get(&id)?)
    }

    /// Appends a type, constant or variable to the declarations and indexes it. Structures, arrays
    /// and variables are not interned, because they also differ by their decorations.
    pub(crate) fn add_global(&mut self, global: Instruction) {
        let op = global.op();
        if let Some(id) = global.result_id {
            // Structures and arrays differ by their decorations as well.
            if !matches!(
                op,
                Op::Variable | Op::TypeStruct | Op::TypeArray | Op::TypeRuntimeArray
            ) {
                let declaration = (op, global.result_type, global.operands.clone());
                self.interned.entry(declaration).or_insert(id);
            }
            self.value_types
                .extend(global.result_type.map(|ty| (id, ty)));
            let index = self.module.types_global_values.len();
            self.globals.insert(id, index);
        }
        self.module.types_global_values.push(global);
    }

    /// Replaces each type, constant and variable by those that `each` adds to the editor, in order;
    /// none are added otherwise. The indexes are rebuilt.
    pub(crate) fn rewrite_globals(&mut self, mut each: impl FnMut(&mut Self, Instruction)) {
        self.interned.clear();
        self.globals.clear();
        for global in std::mem::take(&mut self.module.types_global_values) {
            each(self, global);
        }
    }

    /// Returns the id of the type or constant with a declaration, which it declares if there is
    /// none. `ty` is the type of a constant, `None` for types.
    pub(crate) fn intern_global(
        &mut self,
        op: Op,
        ty: Option<Word>,
        operands: Vec<Operand>,
    ) -> Word {
        let declaration = (op, ty, operands);
        if let Some(&id) = self.interned.get(&declaration) {
            return id;
        }
        let (op, ty, operands) = declaration;
        self.declare_global(op, ty, operands)
    }

    /// Declares a type, constant or variable, even if an equal one exists, and returns its id.
    pub(crate) fn declare_global(
        &mut self,
        op: Op,
        ty: Option<Word>,
        operands: Vec<Operand>,
    ) -> Word {
        let id = self.new_id();
        self.add_global(Instruction::new(op, ty, Some(id), operands));
        id
    }

    /// Removes types, constants and variables with their names and decorations, and from the
    /// interfaces of entry points. Instructions that refer to them remain.
    pub(crate) fn remove_globals(&mut self, ids: &HashSet<Word>) {
        if ids.is_empty() {
            return;
        }
        let has_other_target =
            |it: &Instruction| it.id_operand(0).is_none_or(|id| !ids.contains(&id));
        self.module.debug_names.retain(has_other_target);
        self.module.annotations.retain(has_other_target);
        self.rewrite_globals(|editor, global| {
            if global.result_id.is_none_or(|id| !ids.contains(&id)) {
                editor.add_global(global);
            }
        });
        for entry in &mut self.module.entry_points {
            entry
                .operands
                .retain(|operand| !matches!(operand, Operand::IdRef(id) if ids.contains(id)));
        }
    }

    /// Moves variables to the end of the declarations, with a pointer to `ty` in their storage
    /// class as type. Accesses are not changed.
    pub(crate) fn retype_variables(&mut self, variables: &HashMap<Word, StorageClass>, ty: Word) {
        let mut moved = Vec::new();
        self.rewrite_globals(|editor, global| {
            match global.result_id.and_then(|id| variables.get(&id)) {
                Some(class) => moved.push((*class, global)),
                None => editor.add_global(global),
            }
        });
        for (class, variable) in moved {
            let pointer = self.intern_pointer(class, ty);
            self.add_global(Instruction {
                result_type: Some(pointer),
                ..variable
            });
        }
    }

    /// Returns the type of 32-bit floats.
    pub(crate) fn intern_float(&mut self) -> Word {
        self.intern_global(Op::TypeFloat, None, vec![Operand::LiteralBit32(32)])
    }

    /// Returns the type of 32-bit unsigned integers, which it declares if there is none.
    pub(crate) fn intern_uint(&mut self) -> Word {
        let operands = vec![Operand::LiteralBit32(32), Operand::LiteralBit32(0)];
        self.intern_global(Op::TypeInt, None, operands)
    }

    /// Returns the type of 32-bit signed integers, which it declares if there is none.
    pub(crate) fn intern_sint(&mut self) -> Word {
        let operands = vec![Operand::LiteralBit32(32), Operand::LiteralBit32(1)];
        self.intern_global(Op::TypeInt, None, operands)
    }

    /// Returns the type of booleans.
    pub(crate) fn intern_bool(&mut self) -> Word {
        self.intern_global(Op::TypeBool, None, vec![])
    }

    /// Returns the type of vectors of `size` components, which it declares if there is none; for
    /// one component the scalar type.
    pub(crate) fn intern_vector(&mut self, scalar: Word, size: u32) -> Word {
        if size == 1 {
            return scalar;
        }
        let operands = vec![Operand::IdRef(scalar), Operand::LiteralBit32(size)];
        self.intern_global(Op::TypeVector, None, operands)
    }

    /// Returns the type of pointers to `pointee` in a storage class, which it declares if there is
    /// none.
    pub(crate) fn intern_pointer(&mut self, class: StorageClass, pointee: Word) -> Word {
        let operands = vec![Operand::StorageClass(class), Operand::IdRef(pointee)];
        self.intern_global(Op::TypePointer, None, operands)
    }

    /// Returns the constant of a 32-bit scalar type with these bits, or for a vector type the
    /// vector of copies of it; declares them if necessary.
    pub(crate) fn intern_constant(&mut self, ty: Word, bits: u32) -> Word {
        let VectorShape { scalar, size } = self.type_shape(ty);
        let operands = vec![Operand::LiteralBit32(bits)];
        let one = self.intern_global(Op::Constant, Some(scalar), operands);
        if size == 1 {
            return one;
        }
        self.intern_composite(ty, &vec![one; size as usize])
    }

    /// Returns the constant that consists of other constants.
    pub(crate) fn intern_composite(&mut self, ty: Word, parts: &[Word]) -> Word {
        self.intern_global(Op::ConstantComposite, Some(ty), to_id_operands(parts))
    }

    /// Returns a 32-bit float constant, which it declares if there is none.
    pub(crate) fn intern_float_constant(&mut self, value: f32) -> Word {
        let float = self.intern_float();
        self.intern_constant(float, value.to_bits())
    }

    /// Declares a private variable of type `ty` with an initializer and a name, and returns its id.
    pub(crate) fn declare_private(&mut self, ty: Word, initializer: Word, name: &str) -> Word {
        let pointer = self.intern_pointer(StorageClass::Private, ty);
        let operands = vec![
            Operand::StorageClass(StorageClass::Private),
            Operand::IdRef(initializer),
        ];
        let id = self.declare_global(Op::Variable, Some(pointer), operands);
        self.set_name(id, name);
        id
    }

    /// Declares a variable with a name in the interfaces of all entry points, and returns its id.
    /// The caller adds decorations.
    pub(crate) fn declare_interface_variable(
        &mut self,
        class: StorageClass,
        ty: Word,
        name: &str,
    ) -> Word {
        let pointer = self.intern_pointer(class, ty);
        let operands = vec![Operand::StorageClass(class)];
        let id = self.declare_global(Op::Variable, Some(pointer), operands);
        self.set_name(id, name);
        for entry in &mut self.module.entry_points {
            entry.operands.push(Operand::IdRef(id));
        }
        id
    }
}

/// Functions.
impl ModuleEditor {
    /// Appends a function.
    pub(crate) fn add_function(&mut self, function: Function) {
        self.module.functions.push(function);
    }

    /// Calls `each` for each function, which must not change the types of results and does not find
    /// functions in the editor.
    pub(crate) fn rewrite_functions(&mut self, mut each: impl FnMut(&mut Self, &mut Function)) {
        let mut functions = std::mem::take(&mut self.module.functions);
        for function in &mut functions {
            each(self, function);
        }
        self.module.functions = functions;
    }

    /// Returns the instructions of all blocks for changes. Their result ids and types must remain.
    pub(crate) fn instructions_mut(&mut self) -> impl Iterator<Item = &mut Instruction> {
        let functions = self.module.functions.iter_mut();
        let blocks = functions.flat_map(|function| &mut function.blocks);
        blocks.flat_map(|block| &mut block.instructions)
    }

    /// Replaces each instruction of each block by those that `each` emits for it, none if it emits
    /// none.
    pub(crate) fn rewrite_instructions(
        &mut self,
        mut each: impl FnMut(&mut InstructionBuilder<'_>, Instruction),
    ) {
        self.rewrite_functions(|editor, function| {
            let mut code = InstructionBuilder::new(editor);
            for block in &mut function.blocks {
                code.rewrite_block(block, &mut each);
            }
            code.finish(function);
        });
    }

    /// Replaces instructions as [`rewrite_instructions`](Self::rewrite_instructions) does. Returns
    /// the first error of `each`, which is not called again; the module must not be used after it.
    pub(crate) fn try_rewrite_instructions(
        &mut self,
        mut each: impl FnMut(&mut InstructionBuilder<'_>, Instruction) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut result = Ok(());
        self.rewrite_instructions(|code, instruction| {
            if result.is_ok() {
                result = each(code, instruction);
            }
        });
        result
    }
}
