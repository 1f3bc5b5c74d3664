//! Questions about modules and instructions.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many operations, few of which count here"
)]

use super::{ModuleEditor, Shape};
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

    /// Returns an operand that is an id.
    fn id(&self, index: usize) -> Option<Word>;

    /// Returns all operands that are ids.
    fn ids(&self) -> impl Iterator<Item = Word>;

    /// Returns true if it is the extended instruction of GLSL; modules import no other ones.
    fn is_glsl(&self, op: GlslOp) -> bool;
}

impl InstructionExt for Instruction {
    fn op(&self) -> Op {
        self.class.opcode
    }

    fn id(&self, index: usize) -> Option<Word> {
        self.operands.get(index)?.id_ref_any()
    }

    fn ids(&self) -> impl Iterator<Item = Word> {
        self.operands.iter().filter_map(Operand::id_ref_any)
    }

    fn is_glsl(&self, op: GlslOp) -> bool {
        self.op() == Op::ExtInst
            && self.operands.get(1) == Some(&Operand::LiteralExtInstInteger(op as u32))
    }
}

/// The operands of a type of images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ImageType {
    /// Type of texels.
    pub(crate) texel: Word,
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
    /// Returns the operands of an instruction that declares a type of images.
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
                texel,
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
    pub(crate) fn has_mode(&self, mode: ExecutionMode) -> bool {
        let mut modes = self.module.execution_modes.iter();
        modes.any(|it| it.operands.get(1) == Some(&Operand::ExecutionMode(mode)))
    }

    /// Returns true if the program belongs to one of the stages.
    pub(crate) fn is_stage(&self, stages: &[ExecutionModel]) -> bool {
        let entry = self.module.entry_points.first();
        match entry.and_then(|entry| entry.operands.first()) {
            Some(Operand::ExecutionModel(stage)) => stages.contains(stage),
            _ => false,
        }
    }

    /// Returns the function of the entry point.
    pub(crate) fn find_entry_function(&self) -> Option<Word> {
        self.module.entry_points.first()?.id(1)
    }

    /// Returns the id of the extended instructions of GLSL, which it imports if they are missing.
    pub(super) fn glsl_instructions(&mut self) -> Word {
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

    /// Returns the names of ids.
    pub(crate) fn names(&self) -> HashMap<Word, &str> {
        let names = self.module.debug_names.iter();
        names
            .filter_map(|name| match &name.operands[..] {
                [Operand::IdRef(id), Operand::LiteralString(name)] => Some((*id, name.as_str())),
                _ => None,
            })
            .collect()
    }

    /// Returns the operands of the first decoration of that kind of an id.
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

    /// Returns the literal of a decoration of an id.
    pub(crate) fn find_decoration_literal(&self, id: Word, decoration: Decoration) -> Option<u32> {
        match self.find_decoration(id, decoration)? {
            [Operand::LiteralBit32(value)] => Some(*value),
            _ => None,
        }
    }

    /// Returns the variables of storage classes.
    pub(crate) fn variables(
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

    /// Returns the built-in variables with their storage classes.
    pub(crate) fn builtins(&self) -> Vec<(Word, BuiltIn, StorageClass)> {
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
                let variable = self.find_definition(id)?;
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
        self.types.get(&value).copied().unwrap_or_default()
    }

    /// Returns the type that a variable points to.
    pub(crate) fn pointee(&self, variable: Word) -> Option<Word> {
        self.find_definition(self.type_of(variable))?.id(1)
    }

    /// Returns the type of the elements of an array.
    pub(crate) fn element_of(&self, ty: Word) -> Option<Word> {
        let array = self.find_definition(ty)?;
        let is_array = matches!(array.op(), Op::TypeArray | Op::TypeRuntimeArray);
        array.id(0).filter(|_| is_array)
    }

    /// Returns the scalar and the size of a type that is a scalar or a vector; other types have
    /// the shape of scalars.
    pub(crate) fn shape(&self, ty: Word) -> Shape {
        let definition = self.find_definition(ty);
        match definition.map(|ty| (ty.op(), &ty.operands[..])) {
            Some((Op::TypeVector, &[Operand::IdRef(scalar), Operand::LiteralBit32(size)])) => {
                Shape { scalar, size }
            }
            _ => Shape {
                scalar: ty,
                size: 1,
            },
        }
    }

    /// Returns the shape of the type of a value.
    pub(crate) fn shape_of(&self, value: Word) -> Shape {
        self.shape(self.type_of(value))
    }

    /// Returns true if the scalar of a type is an integer or float of that many bits.
    pub(crate) fn has_scalar(&self, ty: Word, op: Op, bits: u32) -> bool {
        let scalar = self.find_definition(self.shape(ty).scalar);
        scalar.is_some_and(|ty| {
            ty.op() == op && ty.operands.first() == Some(&Operand::LiteralBit32(bits))
        })
    }

    /// Returns the types of images that satisfy a predicate, and those of such images with
    /// samplers.
    pub(crate) fn image_types(
        &self,
        is_wanted: impl Fn(&ImageType) -> bool,
    ) -> HashMap<Word, ImageType> {
        let mut types = HashMap::new();
        for global in &self.module.types_global_values {
            let image = match global.op() {
                Op::TypeImage => ImageType::from_type(global).filter(&is_wanted),
                Op::TypeSampledImage => global.id(0).and_then(|image| types.get(&image).copied()),
                _ => None,
            };
            types.extend(global.result_id.zip(image));
        }
        types
    }

    /// Returns the bits of a 32-bit constant, or of the first component of a constant vector.
    pub(crate) fn constant_bits(&self, id: Word) -> Option<u32> {
        let constant = self.find_definition(id)?;
        match (constant.op(), constant.operands.first()) {
            (Op::Constant, Some(Operand::LiteralBit32(bits))) => Some(*bits),
            (Op::ConstantComposite, Some(Operand::IdRef(part))) => self.constant_bits(*part),
            (Op::ConstantNull | Op::ConstantFalse, _) => Some(0),
            (Op::ConstantTrue, _) => Some(1),
            _ => None,
        }
    }

    /// Returns true if an id is a constant.
    pub(crate) fn is_constant(&self, id: Word) -> bool {
        self.find_definition(id).is_some_and(|global| {
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

    /// Returns the components of a constant vector; any other constant itself.
    pub(crate) fn parts(&self, id: Word) -> Vec<Word> {
        match self.find_definition(id) {
            Some(constant) if constant.op() == Op::ConstantComposite => constant.ids().collect(),
            _ => vec![id],
        }
    }
}
