//! A module that is being rewritten: types and constants that exist once, instructions that replace others, and what the text will not
//! say as the module does.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, GlslStd450Op as GlslOp, Op, StorageClass, Word};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What a type, constant or variable is made of: operation, type, operands.
type Declaration = (Op, Option<Word>, Vec<Operand>);

/// A module that is being rewritten.
pub(super) struct Rewriter {
    /// The module.
    pub(super) module: Module,
    next_id: Word,
    known: HashMap<Declaration, Word>,
    globals: HashMap<Word, Instruction>,
    types: HashMap<Word, Word>,
    warnings: BTreeSet<String>,
}

/// A scalar type or a vector of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// Type of the components.
    pub(super) scalar: Word,
    /// Number of components.
    pub(super) size: u32,
}

impl Rewriter {
    /// Starts on a module.
    pub(super) fn new(module: Module) -> Self {
        let mut rewriter = Self {
            next_id: module.header.as_ref().map_or(0, |header| header.bound),
            known: HashMap::new(),
            globals: HashMap::new(),
            types: module
                .all_inst_iter()
                .filter_map(|value| value.result_id.zip(value.result_type))
                .collect(),
            warnings: BTreeSet::new(),
            module,
        };
        for global in std::mem::take(&mut rewriter.module.types_global_values) {
            rewriter.note(&global);
            rewriter.module.types_global_values.push(global);
        }
        rewriter
    }

    /// The module, and what the text will not say as it does.
    pub(super) fn finish(mut self) -> (Module, BTreeSet<String>) {
        if let Some(header) = &mut self.module.header {
            header.bound = self.next_id;
        }
        (self.module, self.warnings)
    }

    /// Notes that the text will not say what the module does.
    pub(super) fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.insert(warning.into());
    }

    /// An id that nothing has.
    pub(super) fn id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    fn note(&mut self, global: &Instruction) {
        let Some(id) = global.result_id else { return };
        let is_shared = !matches!(
            global.class.opcode,
            Op::Variable | Op::TypeStruct | Op::TypeArray | Op::TypeRuntimeArray
        );
        if is_shared {
            let declaration = (
                global.class.opcode,
                global.result_type,
                global.operands.clone(),
            );
            self.known.entry(declaration).or_insert(id);
        }
        if let Some(ty) = global.result_type {
            self.types.insert(id, ty);
        }
        self.globals.insert(id, global.clone());
    }

    /// A type or constant; the same one for the same declaration.
    pub(super) fn global(&mut self, op: Op, ty: Option<Word>, operands: Vec<Operand>) -> Word {
        if let Some(&id) = self.known.get(&(op, ty, operands.clone())) {
            return id;
        }
        self.declare(op, ty, operands)
    }

    /// A type, constant or variable of its own.
    pub(super) fn declare(&mut self, op: Op, ty: Option<Word>, operands: Vec<Operand>) -> Word {
        let id = self.id();
        let instruction = Instruction::new(op, ty, Some(id), operands);
        self.note(&instruction);
        self.module.types_global_values.push(instruction);
        id
    }

    /// The type, constant or variable with this id.
    pub(super) fn definition(&self, id: Word) -> Option<&Instruction> {
        self.globals.get(&id)
    }

    /// Gives a variable another type of pointers; it is declared last from now on, behind that type.
    pub(super) fn move_variable(&mut self, id: Word, pointer: Word) {
        let globals = &mut self.module.types_global_values;
        let place = globals
            .iter()
            .position(|global| global.result_id == Some(id));
        if let Some(place) = place {
            let mut variable = globals.remove(place);
            variable.result_type = Some(pointer);
            self.note(&variable);
            self.module.types_global_values.push(variable);
        }
    }

    /// Changes the operands of a type or variable.
    pub(super) fn redefine(&mut self, id: Word, change: impl Fn(&mut Instruction)) {
        let globals = &mut self.module.types_global_values;
        if let Some(global) = globals
            .iter_mut()
            .find(|global| global.result_id == Some(id))
        {
            change(global);
            let global = global.clone();
            self.note(&global);
        }
    }

    /// Takes types, constants or variables out of the module, with names and decorations.
    pub(super) fn remove(&mut self, ids: &HashSet<Word>) {
        let keeps = |instruction: &Instruction| !matches!(instruction.operands.first(), Some(Operand::IdRef(id)) if ids.contains(id));
        self.module.debug_names.retain(keeps);
        self.module.annotations.retain(keeps);
        let globals = &mut self.module.types_global_values;
        globals.retain(|global| global.result_id.is_none_or(|id| !ids.contains(&id)));
        self.leave_interface(ids);
    }

    /// Takes variables out of the interface of the entry point.
    pub(super) fn leave_interface(&mut self, ids: &HashSet<Word>) {
        for entry in &mut self.module.entry_points {
            entry
                .operands
                .retain(|operand| !matches!(operand, Operand::IdRef(id) if ids.contains(id)));
        }
    }

    /// The type of a value.
    pub(super) fn type_of(&self, value: Word) -> Word {
        self.types.get(&value).copied().unwrap_or_default()
    }

    /// Scalar and size of a type; a vector of one if it is neither scalar nor vector.
    pub(super) fn shape(&self, ty: Word) -> Shape {
        match self
            .definition(ty)
            .map(|ty| (ty.class.opcode, &ty.operands[..]))
        {
            Some((Op::TypeVector, [Operand::IdRef(scalar), Operand::LiteralBit32(size)])) => {
                Shape {
                    scalar: *scalar,
                    size: *size,
                }
            }
            _ => Shape {
                scalar: ty,
                size: 1,
            },
        }
    }

    /// Whether a type is a float or a vector of floats, of that many bits.
    pub(super) fn is_float(&self, ty: Word, bits: u32) -> bool {
        self.definition(self.shape(ty).scalar).is_some_and(|ty| {
            ty.class.opcode == Op::TypeFloat
                && ty.operands.first() == Some(&Operand::LiteralBit32(bits))
        })
    }

    /// The type of 32-bit floats.
    pub(super) fn float(&mut self) -> Word {
        self.global(Op::TypeFloat, None, vec![Operand::LiteralBit32(32)])
    }

    /// The type of 32-bit unsigned integers.
    pub(super) fn uint(&mut self) -> Word {
        let operands = vec![Operand::LiteralBit32(32), Operand::LiteralBit32(0)];
        self.global(Op::TypeInt, None, operands)
    }

    /// The type of 32-bit signed integers.
    pub(super) fn sint(&mut self) -> Word {
        let operands = vec![Operand::LiteralBit32(32), Operand::LiteralBit32(1)];
        self.global(Op::TypeInt, None, operands)
    }

    /// The type of booleans.
    pub(super) fn bool(&mut self) -> Word {
        self.global(Op::TypeBool, None, vec![])
    }

    /// The type of vectors; the scalar itself for one component.
    pub(super) fn vector(&mut self, scalar: Word, size: u32) -> Word {
        if size == 1 {
            return scalar;
        }
        let operands = vec![Operand::IdRef(scalar), Operand::LiteralBit32(size)];
        self.global(Op::TypeVector, None, operands)
    }

    /// The type of pointers.
    pub(super) fn pointer(&mut self, class: StorageClass, pointee: Word) -> Word {
        let operands = vec![Operand::StorageClass(class), Operand::IdRef(pointee)];
        self.global(Op::TypePointer, None, operands)
    }

    /// The constant of a 32-bit scalar type, or the vector of copies of it.
    pub(super) fn constant(&mut self, ty: Word, bits: u32) -> Word {
        let Shape { scalar, size } = self.shape(ty);
        let one = self.global(
            Op::Constant,
            Some(scalar),
            vec![Operand::LiteralBit32(bits)],
        );
        if size == 1 {
            return one;
        }
        self.composite(ty, &vec![one; size as usize])
    }

    /// The constant of these parts.
    pub(super) fn composite(&mut self, ty: Word, parts: &[Word]) -> Word {
        let parts = parts.iter().copied().map(Operand::IdRef).collect();
        self.global(Op::ConstantComposite, Some(ty), parts)
    }

    /// A 32-bit float, or a vector of copies of it.
    pub(super) fn float_constant(&mut self, size: u32, value: f32) -> Word {
        let float = self.float();
        let ty = self.vector(float, size);
        self.constant(ty, value.to_bits())
    }

    /// The bits of a 32-bit constant, or of the first component of a constant vector.
    pub(super) fn constant_bits(&self, id: Word) -> Option<u32> {
        let constant = self.definition(id)?;
        match (constant.class.opcode, constant.operands.first()) {
            (Op::Constant, Some(Operand::LiteralBit32(bits))) => Some(*bits),
            (Op::ConstantComposite, Some(Operand::IdRef(part))) => self.constant_bits(*part),
            (Op::ConstantNull | Op::ConstantFalse, _) => Some(0),
            (Op::ConstantTrue, _) => Some(1),
            _ => None,
        }
    }

    /// Whether an id is a constant.
    pub(super) fn is_constant(&self, id: Word) -> bool {
        self.definition(id).is_some_and(|global| {
            matches!(
                global.class.opcode,
                Op::Constant
                    | Op::ConstantComposite
                    | Op::ConstantNull
                    | Op::ConstantTrue
                    | Op::ConstantFalse
            )
        })
    }

    /// The components of a constant vector, or the scalar constant itself. A vector of zeros that is written as one stays one.
    pub(super) fn parts(&self, id: Word) -> Vec<Word> {
        match self.definition(id) {
            Some(constant) if constant.class.opcode == Op::ConstantComposite => {
                let parts = constant.operands.iter();
                parts.filter_map(Operand::id_ref_any).collect()
            }
            _ => vec![id],
        }
    }

    /// A variable of module scope with a start value, named if the module has names.
    pub(super) fn private(&mut self, ty: Word, start: Word, name: &str) -> Word {
        let pointer = self.pointer(StorageClass::Private, ty);
        let operands = vec![
            Operand::StorageClass(StorageClass::Private),
            Operand::IdRef(start),
        ];
        let id = self.declare(Op::Variable, Some(pointer), operands);
        self.name(id, name);
        id
    }

    /// Names a value.
    pub(super) fn name(&mut self, id: Word, name: &str) {
        let operands = vec![Operand::IdRef(id), Operand::LiteralString(name.to_owned())];
        let name = Instruction::new(Op::Name, None, None, operands);
        self.module.debug_names.push(name);
    }

    /// Decorates an id.
    pub(super) fn decorate(&mut self, id: Word, decoration: Decoration, operand: Option<Operand>) {
        let mut operands = vec![Operand::IdRef(id), Operand::Decoration(decoration)];
        operands.extend(operand);
        let decoration = Instruction::new(Op::Decorate, None, None, operands);
        self.module.annotations.push(decoration);
    }

    /// Returns the first operand of a decoration of an id, 0 if the decoration has none.
    pub(super) fn decoration(&self, id: Word, decoration: Decoration) -> Option<Operand> {
        let operands = find_decoration(&self.module, id, decoration)?;
        Some(
            operands
                .first()
                .cloned()
                .unwrap_or(Operand::LiteralBit32(0)),
        )
    }

    /// Variables that are built-ins, with what they are and their storage class.
    pub(super) fn builtins(&self) -> Vec<(Word, BuiltIn, StorageClass)> {
        let annotations = self.module.annotations.iter();
        let found = annotations.filter_map(|annotation| match annotation.operands[..] {
            [
                Operand::IdRef(id),
                Operand::Decoration(Decoration::BuiltIn),
                Operand::BuiltIn(builtin),
            ] => Some((id, builtin)),
            _ => None,
        });
        found
            .filter_map(|(id, builtin)| {
                let variable = self.definition(id)?;
                let [Operand::StorageClass(class), ..] = variable.operands[..] else {
                    return None;
                };
                (variable.class.opcode == Op::Variable).then_some((id, builtin, class))
            })
            .collect()
    }

    /// The id of the extended instructions of GLSL.
    fn extended(&mut self) -> Word {
        if let Some(id) = self
            .module
            .ext_inst_imports
            .first()
            .and_then(|import| import.result_id)
        {
            return id;
        }
        let id = self.id();
        let name = vec![Operand::LiteralString("GLSL.std.450".to_owned())];
        let import = Instruction::new(Op::ExtInstImport, None, Some(id), name);
        self.module.ext_inst_imports.push(import);
        id
    }

    /// Puts what `each` writes in the place of each instruction of each block.
    pub(super) fn rewrite(
        &mut self,
        mut each: impl FnMut(&mut Code<'_>, Instruction) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut functions = std::mem::take(&mut self.module.functions);
        for block in functions
            .iter_mut()
            .flat_map(|function| &mut function.blocks)
        {
            let old = std::mem::take(&mut block.instructions);
            let mut code = Code {
                rewriter: self,
                out: Vec::with_capacity(old.len()),
            };
            for instruction in old {
                each(&mut code, instruction)?;
            }
            block.instructions = code.out;
        }
        self.module.functions = functions;
        Ok(())
    }
}

/// Returns the operands of the first decoration of that kind of an id.
pub(super) fn find_decoration(
    module: &Module,
    id: Word,
    decoration: Decoration,
) -> Option<&[Operand]> {
    let mut annotations = module.annotations.iter();
    annotations.find_map(|annotation| match &annotation.operands[..] {
        [
            Operand::IdRef(target),
            Operand::Decoration(found),
            operands @ ..,
        ] if (*target, *found) == (id, decoration) => Some(operands),
        _ => None,
    })
}

/// Instructions that replace others.
pub(super) struct Code<'a> {
    /// The module.
    pub(super) rewriter: &'a mut Rewriter,
    /// What is written so far.
    pub(super) out: Vec<Instruction>,
}

impl Code<'_> {
    /// Writes an instruction as it is.
    pub(super) fn keep(&mut self, instruction: Instruction) {
        if let (Some(id), Some(ty)) = (instruction.result_id, instruction.result_type) {
            self.rewriter.types.insert(id, ty);
        }
        self.out.push(instruction);
    }

    /// Writes an operation on values.
    pub(super) fn op(&mut self, op: Op, ty: Word, values: &[Word]) -> Word {
        self.op_with(op, ty, values.iter().copied().map(Operand::IdRef).collect())
    }

    /// Writes an operation.
    pub(super) fn op_with(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.rewriter.id();
        self.keep(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// Writes an operation of GLSL.
    pub(super) fn ext(&mut self, op: GlslOp, ty: Word, values: &[Word]) -> Word {
        let mut operands = vec![
            Operand::IdRef(self.rewriter.extended()),
            Operand::LiteralExtInstInteger(op as u32),
        ];
        operands.extend(values.iter().copied().map(Operand::IdRef));
        self.op_with(Op::ExtInst, ty, operands)
    }

    /// Gives a value the id and the type of an instruction that it replaces.
    pub(super) fn define(&mut self, replaced: &Instruction, value: Word) {
        let operands = vec![Operand::IdRef(value)];
        self.keep(Instruction::new(
            Op::CopyObject,
            replaced.result_type,
            replaced.result_id,
            operands,
        ));
    }

    /// A component of a vector; the value itself if it is a scalar.
    pub(super) fn component(&mut self, value: Word, index: u32) -> Word {
        let Shape { scalar, size } = self.rewriter.shape(self.rewriter.type_of(value));
        if size == 1 {
            return value;
        }
        let operands = vec![Operand::IdRef(value), Operand::LiteralBit32(index)];
        self.op_with(Op::CompositeExtract, scalar, operands)
    }

    /// All components of a vector.
    pub(super) fn components(&mut self, value: Word) -> Vec<Word> {
        let size = self.rewriter.shape(self.rewriter.type_of(value)).size;
        (0..size)
            .map(|index| self.component(value, index))
            .collect()
    }

    /// The vector of scalars; a single one stays.
    pub(super) fn construct(&mut self, scalars: &[Word]) -> Word {
        if let [only] = scalars {
            return *only;
        }
        let scalar = self.rewriter.type_of(scalars[0]);
        let ty = self.rewriter.vector(scalar, scalars.len() as u32);
        self.op(Op::CompositeConstruct, ty, scalars)
    }

    /// A constant of the type of a value.
    pub(super) fn like(&mut self, value: Word, bits: u32) -> Word {
        let ty = self.rewriter.type_of(value);
        self.rewriter.constant(ty, bits)
    }

    /// An operation whose operands and result have one type.
    pub(super) fn same(&mut self, op: Op, values: &[Word]) -> Word {
        let ty = self.rewriter.type_of(values[0]);
        self.op(op, ty, values)
    }

    /// The type that goes with `scalar` as the type of a value does with its own.
    pub(super) fn with_scalar(&mut self, value: Word, scalar: Word) -> Word {
        let size = self.rewriter.shape(self.rewriter.type_of(value)).size;
        self.rewriter.vector(scalar, size)
    }
}
