//! Questions about modules and instructions.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many operations, few of which count here"
)]

use super::{ModuleEditor, VectorShape};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, GlslStd450Op as GlslOp,
    ImageFormat, Op, StorageClass, Word,
};
use std::collections::HashMap;

/// Returns ids as operands.
pub(crate) fn to_id_operands(ids: &[Word]) -> Vec<Operand> {
    ids.iter().copied().map(Operand::IdRef).collect()
}

/// Access to the operation and the operands of instructions.
pub(crate) trait InstructionExt {
    /// Returns the operation.
    fn op(&self) -> Op;

    /// Returns operand `index` if it is an id; `None` for literals and missing operands. Types of
    /// results are not operands.
    fn id_operand(&self, index: usize) -> Option<Word>;

    /// Returns all operands that are ids, in order, without the result and its type.
    fn id_operands(&self) -> impl Iterator<Item = Word>;

    /// Returns true if it is the extended instruction of GLSL; modules import no other ones.
    fn is_glsl_inst(&self, op: GlslOp) -> bool;
}

impl InstructionExt for Instruction {
    fn op(&self) -> Op {
        self.class.opcode
    }

    fn id_operand(&self, index: usize) -> Option<Word> {
        self.operands.get(index)?.id_ref_any()
    }

    fn id_operands(&self) -> impl Iterator<Item = Word> {
        self.operands.iter().filter_map(Operand::id_ref_any)
    }

    fn is_glsl_inst(&self, op: GlslOp) -> bool {
        self.op() == Op::ExtInst
            && self.operands.get(1) == Some(&Operand::LiteralExtInstInteger(op as u32))
    }
}

/// The operands of a type of images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ImageType {
    /// Type of texels.
    pub(crate) sampled_type: Word,
    /// Dimensions.
    pub(crate) dim: Dim,
    /// Set for textures that are compared with.
    pub(crate) is_depth: bool,
    /// Set for arrays.
    pub(crate) is_arrayed: bool,
    /// Set for several samples.
    pub(crate) is_multisample: bool,
    /// Set for textures that are read through samplers.
    pub(crate) is_sampled: bool,
    /// Set for storage images.
    pub(crate) is_storage: bool,
    /// Format of texels of storage images.
    pub(crate) format: ImageFormat,
}

impl ImageType {
    /// Returns the operands of an instruction that declares a type of images; `None` for other
    /// instructions.
    pub(crate) fn from_type(ty: &Instruction) -> Option<Self> {
        match ty.operands[..] {
            [
                Operand::IdRef(texel),
                Operand::Dim(dim),
                Operand::LiteralBit32(depth),
                Operand::LiteralBit32(arrayed),
                Operand::LiteralBit32(multisample),
                Operand::LiteralBit32(sampled),
                Operand::ImageFormat(format),
                ..,
            ] if ty.op() == Op::TypeImage => Some(Self {
                sampled_type: texel,
                dim,
                is_depth: depth == 1,
                is_arrayed: arrayed == 1,
                is_multisample: multisample == 1,
                is_sampled: sampled == 1,
                is_storage: sampled == 2,
                format,
            }),
            _ => None,
        }
    }
}

/// Instructions, names and decorations.
impl ModuleEditor {
    /// Returns the instructions of all blocks.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        let functions = self.module.functions.iter();
        let blocks = functions.flat_map(|function| &function.blocks);
        blocks.flat_map(|block| &block.instructions)
    }

    /// Returns true if a function contains one of the operations.
    pub(crate) fn has_op(&self, ops: &[Op]) -> bool {
        self.instructions().any(|it| ops.contains(&it.op()))
    }

    /// Returns true if the module declares a capability.
    pub(crate) fn has_capability(&self, capability: Capability) -> bool {
        let mut declared = self.module.capabilities.iter();
        declared.any(|it| it.operands.first() == Some(&Operand::Capability(capability)))
    }

    /// Returns true if an entry point has an execution mode.
    pub(crate) fn has_execution_mode(&self, mode: ExecutionMode) -> bool {
        let mut modes = self.module.execution_modes.iter();
        modes.any(|it| it.operands.get(1) == Some(&Operand::ExecutionMode(mode)))
    }

    /// Returns true if the first entry point belongs to one of the stages.
    pub(crate) fn has_execution_model(&self, stages: &[ExecutionModel]) -> bool {
        let entry = self.module.entry_points.first();
        match entry.and_then(|entry| entry.operands.first()) {
            Some(Operand::ExecutionModel(stage)) => stages.contains(stage),
            _ => false,
        }
    }

    /// Returns the function of the entry point.
    pub(crate) fn find_entry_function(&self) -> Option<Word> {
        self.module.entry_points.first()?.id_operand(1)
    }

    /// Returns the id of the extended instructions of GLSL, which it imports if they are missing.
    /// Any other import is taken for them.
    pub(super) fn intern_glsl_import(&mut self) -> Word {
        let mut imports = self.module.ext_inst_imports.iter();
        if let Some(id) = imports.find_map(|import| import.result_id) {
            return id;
        }
        let id = self.new_id();
        let name = vec![Operand::LiteralString("GLSL.std.450".to_owned())];
        let import = Instruction::new(Op::ExtInstImport, None, Some(id), name);
        self.module.ext_inst_imports.push(import);
        id
    }

    /// Returns the debug names of a module by id, without those of members.
    pub(crate) fn collect_names(&self) -> HashMap<Word, &str> {
        let names = self.module.debug_names.iter();
        names
            .filter_map(|name| match &name.operands[..] {
                [Operand::IdRef(id), Operand::LiteralString(name)] => Some((*id, name.as_str())),
                _ => None,
            })
            .collect()
    }

    /// Returns the operands of the first decoration of that kind of an id; `None` if it has none.
    /// Decorations of members are ignored.
    fn find_decoration(&self, id: Word, decoration: Decoration) -> Option<&[Operand]> {
        let mut annotations = self.module.annotations.iter();
        annotations.find_map(|annotation| match &annotation.operands[..] {
            [
                Operand::IdRef(target),
                Operand::Decoration(found),
                operands @ ..,
            ] if (*target, *found) == (id, decoration) => Some(operands),
            _ => None,
        })
    }

    /// Returns true if an id has a decoration.
    pub(crate) fn is_decorated(&self, id: Word, decoration: Decoration) -> bool {
        self.find_decoration(id, decoration).is_some()
    }

    /// Returns the literal of a decoration of an id; `None` if the decoration is missing or does
    /// not have exactly one literal.
    pub(crate) fn find_decoration_literal(&self, id: Word, decoration: Decoration) -> Option<u32> {
        match self.find_decoration(id, decoration)? {
            [Operand::LiteralBit32(value)] => Some(*value),
            _ => None,
        }
    }

    /// Iterates over the global variables of the storage classes `classes`, with their classes.
    pub(crate) fn iter_variables(
        &self,
        classes: &[StorageClass],
    ) -> impl Iterator<Item = (Word, StorageClass)> {
        let globals = self.module.types_global_values.iter();
        globals.filter_map(|global| match global.operands.first() {
            Some(Operand::StorageClass(class)) if global.op() == Op::Variable => {
                let id = global.result_id?;
                classes.contains(class).then_some((id, *class))
            }
            _ => None,
        })
    }

    /// Returns the variables with a `BuiltIn` decoration, and their storage classes. Variables
    /// whose members are built-in are excluded.
    pub(crate) fn collect_builtins(&self) -> Vec<(Word, BuiltIn, StorageClass)> {
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
                let variable = self.find_global(id)?;
                let [Operand::StorageClass(class), ..] = variable.operands[..] else {
                    return None;
                };
                (variable.op() == Op::Variable).then_some((id, builtin, class))
            })
            .collect()
    }
}

/// Types and constants.
impl ModuleEditor {
    /// Returns the type of a value.
    pub(crate) fn type_of(&self, value: Word) -> Word {
        self.value_types.get(&value).copied().unwrap_or_default()
    }

    /// Returns the type that a variable points to.
    pub(crate) fn pointee_type(&self, variable: Word) -> Option<Word> {
        self.find_global(self.type_of(variable))?.id_operand(1)
    }

    /// Returns the type of the elements of an array; `None` if `ty` is not an array.
    pub(crate) fn array_element_type(&self, ty: Word) -> Option<Word> {
        let array = self.find_global(ty)?;
        let is_array = matches!(array.op(), Op::TypeArray | Op::TypeRuntimeArray);
        array.id_operand(0).filter(|_| is_array)
    }

    /// Returns the scalar and the size of a type that is a scalar or a vector; other types have
    /// the shape of scalars.
    pub(crate) fn type_shape(&self, ty: Word) -> VectorShape {
        let definition = self.find_global(ty);
        match definition.map(|ty| (ty.op(), &ty.operands[..])) {
            Some((Op::TypeVector, &[Operand::IdRef(scalar), Operand::LiteralBit32(size)])) => {
                VectorShape { scalar, size }
            }
            _ => VectorShape {
                scalar: ty,
                size: 1,
            },
        }
    }

    /// Returns the shape of the type of a value.
    pub(crate) fn value_shape(&self, value: Word) -> VectorShape {
        self.type_shape(self.type_of(value))
    }

    /// Returns true if the scalar of a type, which `op` declares, is an integer or float of that
    /// many bits.
    pub(crate) fn has_scalar_type(&self, ty: Word, op: Op, bits: u32) -> bool {
        let scalar = self.find_global(self.type_shape(ty).scalar);
        scalar.is_some_and(|ty| {
            ty.op() == op && ty.operands.first() == Some(&Operand::LiteralBit32(bits))
        })
    }

    /// Returns the types of images that satisfy a predicate, and those of such images with
    /// samplers, by id.
    pub(crate) fn find_image_types(
        &self,
        predicate: impl Fn(&ImageType) -> bool,
    ) -> HashMap<Word, ImageType> {
        let mut types = HashMap::new();
        for global in &self.module.types_global_values {
            let image = match global.op() {
                Op::TypeImage => ImageType::from_type(global).filter(&predicate),
                Op::TypeSampledImage => global
                    .id_operand(0)
                    .and_then(|image| types.get(&image).copied()),
                _ => None,
            };
            types.extend(global.result_id.zip(image));
        }
        types
    }

    /// Returns the bits of a 32-bit constant or boolean, or of the first component of a constant
    /// vector; `None` for other ids and specialization constants.
    pub(crate) fn constant_bits(&self, id: Word) -> Option<u32> {
        let constant = self.find_global(id)?;
        match (constant.op(), constant.operands.first()) {
            (Op::Constant, Some(Operand::LiteralBit32(bits))) => Some(*bits),
            (Op::ConstantComposite, Some(Operand::IdRef(part))) => self.constant_bits(*part),
            (Op::ConstantNull | Op::ConstantFalse, _) => Some(0),
            (Op::ConstantTrue, _) => Some(1),
            _ => None,
        }
    }

    /// Returns true if an id is a constant, but not a specialization constant.
    pub(crate) fn is_constant(&self, id: Word) -> bool {
        self.find_global(id).is_some_and(|global| {
            matches!(
                global.op(),
                Op::Constant
                    | Op::ConstantComposite
                    | Op::ConstantNull
                    | Op::ConstantTrue
                    | Op::ConstantFalse
            )
        })
    }

    /// Returns the components of a constant vector; any other id itself.
    pub(crate) fn constant_components(&self, id: Word) -> Vec<Word> {
        match self.find_global(id) {
            Some(constant) if constant.op() == Op::ConstantComposite => {
                constant.id_operands().collect()
            }
            _ => vec![id],
        }
    }
}
