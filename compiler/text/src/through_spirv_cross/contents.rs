//! What modules may contain that some languages lack, and how it is found in them.

use super::image_types::{Image, accesses, has_type};
use crate::rewriter::find_decoration;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, ImageOperands, Op,
    StorageClass, Word,
};
use std::collections::HashSet;

/// Something that a module may contain.
pub(super) enum Content {
    /// A program of one of these stages.
    Stages(&'static [ExecutionModel]),
    /// An execution mode.
    Mode(ExecutionMode),
    /// A declared capability.
    Declares(Capability),
    /// One of these operations.
    Ops(&'static [Op]),
    /// A built-in variable that is an input of the program.
    Input(BuiltIn),
    /// A type of images.
    Images(fn(&Image) -> bool),
    /// One of these operations on an image of a type.
    Accesses(&'static [Op], fn(&Image) -> bool),
    /// What has a predicate in this module.
    Other(fn(&Module) -> bool),
}

impl Content {
    /// Decides whether a module contains it.
    pub(super) fn is_in(&self, module: &Module) -> bool {
        match *self {
            Self::Stages(stages) => is_stage(module, stages),
            Self::Mode(mode) => has_mode(module, mode),
            Self::Declares(capability) => has_capability(module, capability),
            Self::Ops(ops) => has_op(module, ops),
            Self::Input(builtin) => reads(module, builtin),
            Self::Images(test) => has_type(module, test),
            Self::Accesses(ops, test) => accesses(module, ops, test),
            Self::Other(is_in) => is_in(module),
        }
    }
}

/// The stages of tessellation programs.
pub(super) const TESSELLATION: &[ExecutionModel] = &[
    ExecutionModel::TessellationControl,
    ExecutionModel::TessellationEvaluation,
];

/// Numbers within subgroups.
const SUBGROUP: [BuiltIn; 7] = [
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// Decides whether the program belongs to one of the stages.
fn is_stage(module: &Module, stages: &[ExecutionModel]) -> bool {
    let mut entries = module.entry_points.iter();
    entries.any(|entry| match entry.operands.first() {
        Some(Operand::ExecutionModel(stage)) => stages.contains(stage),
        _ => false,
    })
}

fn has_mode(module: &Module, mode: ExecutionMode) -> bool {
    let mut modes = module.execution_modes.iter();
    modes.any(|it| it.operands.get(1) == Some(&Operand::ExecutionMode(mode)))
}

fn has_capability(module: &Module, capability: Capability) -> bool {
    let mut declared = module.capabilities.iter();
    declared.any(|it| it.operands.first() == Some(&Operand::Capability(capability)))
}

/// Decides whether a module contains one of the operations.
pub(super) fn has_op(module: &Module, ops: &[Op]) -> bool {
    module
        .all_inst_iter()
        .any(|instruction| ops.contains(&instruction.class.opcode))
}

/// Decides whether a geometry program runs more than once for a primitive, or reads the number of
/// the invocation.
pub(super) fn has_several_invocations(module: &Module) -> bool {
    let mut modes = module.execution_modes.iter();
    let is_repeated = modes.any(|mode| {
        matches!(
            mode.operands[..],
            [
                _,
                Operand::ExecutionMode(ExecutionMode::Invocations),
                Operand::LiteralBit32(2..),
            ]
        )
    });
    is_repeated || reads(module, BuiltIn::InvocationId)
}

/// Decides whether a geometry program reads clip distances.
pub(super) fn reads_clip_distances(module: &Module) -> bool {
    is_stage(module, &[ExecutionModel::Geometry]) && reads(module, BuiltIn::ClipDistance)
}

/// Decides whether a program other than a fragment or compute program reads a number within
/// subgroups.
pub(super) fn reads_subgroups_elsewhere(module: &Module) -> bool {
    let able = [ExecutionModel::Fragment, ExecutionModel::GLCompute];
    !is_stage(module, &able) && SUBGROUP.iter().any(|builtin| reads(module, *builtin))
}

/// Decides whether a program asks if it is a helper invocation.
pub(super) fn asks_for_helpers(module: &Module) -> bool {
    reads(module, BuiltIn::HelperInvocation) || has_op(module, &[Op::IsHelperInvocationEXT])
}

/// Decides whether a fragment program reads the number of its primitive.
pub(super) fn reads_primitives(module: &Module) -> bool {
    is_stage(module, &[ExecutionModel::Fragment]) && reads(module, BuiltIn::PrimitiveId)
}

/// Decides whether a built-in variable is an input of the program.
fn reads(module: &Module, builtin: BuiltIn) -> bool {
    let is_builtin = |it: &&Instruction| {
        it.operands.get(1) == Some(&Operand::Decoration(Decoration::BuiltIn))
            && it.operands.get(2) == Some(&Operand::BuiltIn(builtin))
            || it.operands.get(2) == Some(&Operand::Decoration(Decoration::BuiltIn))
                && it.operands.get(3) == Some(&Operand::BuiltIn(builtin))
    };
    let mut decorated = module.annotations.iter().filter(is_builtin);
    decorated.any(|it| operand(it, 0).is_some_and(|target| is_input(module, target)))
}

/// Decides whether a variable, or a variable of a structure, is an input.
fn is_input(module: &Module, target: Word) -> bool {
    variables(module, &[StorageClass::Input]).any(|variable| {
        variable.result_id == Some(target)
            || pointee(module, variable).is_some_and(|ty| innermost(module, ty) == target)
    })
}

/// Returns the variables of module scope of some storage classes.
fn variables<'a>(
    module: &'a Module,
    classes: &[StorageClass],
) -> impl Iterator<Item = &'a Instruction> {
    let globals = module.types_global_values.iter();
    globals.filter(|it| {
        let class = match it.operands.first() {
            Some(Operand::StorageClass(class)) => class,
            _ => return false,
        };
        it.class.opcode == Op::Variable && classes.contains(class)
    })
}

/// Returns the type, constant or variable of module scope with an id.
pub(super) fn find_global(module: &Module, id: Word) -> Option<&Instruction> {
    let mut globals = module.types_global_values.iter();
    globals.find(|global| global.result_id == Some(id))
}

/// Returns the type of what a variable holds.
fn pointee(module: &Module, variable: &Instruction) -> Option<Word> {
    operand(find_global(module, variable.result_type?)?, 1)
}

/// Returns the type of the elements of an array, or of arrays of arrays; other types are returned
/// unchanged.
fn innermost(module: &Module, mut ty: Word) -> Word {
    while let Some(element) = element_of(module, ty) {
        ty = element;
    }
    ty
}

fn element_of(module: &Module, ty: Word) -> Option<Word> {
    let array = find_global(module, ty)?;
    match array.class.opcode {
        Op::TypeArray | Op::TypeRuntimeArray => operand(array, 0),
        _ => None,
    }
}

/// Returns an operand that is an id.
pub(super) fn operand(instruction: &Instruction, index: usize) -> Option<Word> {
    instruction.operands.get(index)?.id_ref_any()
}

/// Decides whether integer textures are sampled.
pub(super) fn filters_integers(module: &Module) -> bool {
    let samples = [Op::ImageSampleImplicitLod, Op::ImageSampleExplicitLod];
    accesses(module, &samples, |image| {
        let ty = find_global(module, image.sampled_type);
        ty.is_some_and(|ty| ty.class.opcode == Op::TypeInt)
    })
}

/// Decides whether a comparison with texels has a bias or gradients.
pub(super) fn compares_with_bias_or_gradients(module: &Module) -> bool {
    let ops = [
        Op::ImageSampleDrefImplicitLod,
        Op::ImageSampleProjDrefImplicitLod,
        Op::ImageSampleDrefExplicitLod,
        Op::ImageSampleProjDrefExplicitLod,
    ];
    let given = ImageOperands::BIAS | ImageOperands::GRAD;
    let all = module.all_inst_iter();
    let compared = all.filter(|it| ops.contains(&it.class.opcode));
    compared
        .flat_map(|it| &it.operands)
        .any(|operand| match operand {
            Operand::ImageOperands(operands) => operands.intersects(given),
            _ => false,
        })
}

/// Decides whether something is invariant.
pub(super) fn has_invariants(module: &Module) -> bool {
    let mut decorations = module.annotations.iter().flat_map(|it| &it.operands);
    decorations.any(|it| *it == Operand::Decoration(Decoration::Invariant))
}

/// Decides whether a descriptor is an array of uniform buffers.
pub(super) fn has_buffer_arrays(module: &Module) -> bool {
    variables(module, &[StorageClass::Uniform]).any(|variable| {
        let element = pointee(module, variable).and_then(|ty| element_of(module, ty));
        element.is_some_and(|it| find_decoration(module, it, Decoration::Block).is_some())
    })
}

/// Decides whether there are atomic operations on elements of arrays of images.
pub(super) fn changes_elements(module: &Module) -> bool {
    let of_opcode = |opcode: Op| {
        let all = module.all_inst_iter();
        all.filter(move |it| it.class.opcode == opcode)
    };
    let elements: HashSet<Word> = of_opcode(Op::AccessChain)
        .filter_map(|chain| chain.result_id)
        .collect();
    of_opcode(Op::ImageTexelPointer)
        .any(|pointer| operand(pointer, 0).is_some_and(|image| elements.contains(&image)))
}

/// Decides whether an input or output of a vertex is an array of arrays; tessellation programs have
/// an array of vertices around it.
pub(super) fn passes_nested_arrays(module: &Module) -> bool {
    let has_vertices = is_stage(module, TESSELLATION);
    let of_vertex = |ty: Word| {
        if has_vertices {
            element_of(module, ty)
        } else {
            Some(ty)
        }
    };
    variables(module, &[StorageClass::Input, StorageClass::Output]).any(|variable| {
        let ty = pointee(module, variable).and_then(of_vertex);
        let element = ty.and_then(|ty| element_of(module, ty));
        element.is_some_and(|it| element_of(module, it).is_some())
    })
}
