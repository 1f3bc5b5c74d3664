//! What WGSL cannot say at all, by name.

use super::interface::{is_stage, pointee};
use super::separate::SAMPLER_BINDING_OFFSET;
use crate::rewriter::Rewriter;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, ImageFormat, Op, StorageClass,
    Word,
};
use std::collections::HashSet;

/// Stages that the language does not have.
const STAGES: &[(ExecutionModel, &str)] = &[
    (ExecutionModel::Geometry, "geometry programs"),
    (ExecutionModel::TessellationControl, "tessellation programs"),
    (
        ExecutionModel::TessellationEvaluation,
        "tessellation programs",
    ),
];

/// Capabilities without which a module means something else, with what they stand for.
const CAPABILITIES: &[(Capability, &str)] = &[
    (Capability::Float64, "64-bit floats"),
    (Capability::TransformFeedback, "transform feedback"),
    (Capability::CullDistance, "cull distances"),
    (Capability::StencilExportEXT, "stencil values of fragments"),
    (Capability::ShaderClockKHR, "clocks"),
    (
        Capability::PhysicalStorageBufferAddresses,
        "addresses of memory",
    ),
    (
        Capability::FragmentShaderPixelInterlockEXT,
        "critical sections of fragments",
    ),
    (
        Capability::FragmentShaderSampleInterlockEXT,
        "critical sections of fragments",
    ),
    (
        Capability::StorageImageMultisample,
        "images with several samples",
    ),
    (Capability::SparseResidency, "residency of textures"),
    (Capability::ShaderSMBuiltinsNV, "numbers of processors"),
    (Capability::GeometryStreams, "vertex streams"),
];

/// What holds masks of invocations.
const SUBGROUP_MASKS: [BuiltIn; 5] = [
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// Capabilities that only ask for better results, with the warning about them.
const APPROXIMATIONS: &[(Capability, &str)] = &[
    (
        Capability::SampleMaskPostDepthCoverage,
        "sample masks that are read are those before the depth test",
    ),
    (
        Capability::SampleMaskOverrideCoverageNV,
        "sample masks that are written cannot add samples",
    ),
];

/// Reports the first thing that the language has no words for.
pub(super) fn refuse(rewriter: &mut Rewriter) -> Result<(), String> {
    let mut stages = STAGES.iter();
    if let Some((_, what)) = stages.find(|(model, _)| is_stage(rewriter, *model)) {
        return Err((*what).to_owned());
    }
    for &(capability, warning) in APPROXIMATIONS {
        if has(rewriter, capability) {
            rewriter.warn(warning);
        }
    }
    let mut modes = rewriter.module.execution_modes.iter();
    let early = Operand::ExecutionMode(ExecutionMode::EarlyFragmentTests);
    if modes.any(|mode| mode.operands.get(1) == Some(&early)) {
        rewriter.warn("tests of depth and stencil come when the implementation likes, also behind the program");
    }
    if let Some((_, what)) = CAPABILITIES
        .iter()
        .find(|(capability, _)| has(rewriter, *capability))
    {
        return Err((*what).to_owned());
    }
    if let Some(what) = rewriter.module.all_inst_iter().find_map(missing) {
        return Err(what.to_owned());
    }
    let is_mask = |&(_, builtin, _): &_| SUBGROUP_MASKS.contains(&builtin);
    if rewriter.builtins().iter().any(is_mask) {
        return Err("masks of subgroups".to_owned());
    }
    let reads_distances =
        |&(_, builtin, class): &_| (builtin, class) == (BuiltIn::ClipDistance, StorageClass::Input);
    if is_stage(rewriter, ExecutionModel::Fragment)
        && rewriter.builtins().iter().any(reads_distances)
    {
        return Err("clip distances in fragment programs".to_owned());
    }
    check_bindings(rewriter)
}

/// Vulkan lets resources of several kinds share a binding, WGSL does not. The samplers of combined descriptors have bindings of their own.
fn check_bindings(rewriter: &Rewriter) -> Result<(), String> {
    let mut places = HashSet::new();
    for global in &rewriter.module.types_global_values {
        let Some(id) = global
            .result_id
            .filter(|_| global.class.opcode == Op::Variable)
        else {
            continue;
        };
        let set = rewriter.decoration(id, Decoration::DescriptorSet);
        let Some(Operand::LiteralBit32(binding)) = rewriter.decoration(id, Decoration::Binding)
        else {
            continue;
        };
        let sampler = is_combined(rewriter, pointee(rewriter, id))
            .then_some(binding.wrapping_add(SAMPLER_BINDING_OFFSET));
        for binding in sampler.into_iter().chain([binding]) {
            if !places.insert((set.clone(), binding)) {
                return Err("resources of several kinds at one binding".to_owned());
            }
        }
    }
    Ok(())
}

/// Whether a type is that of images with samplers, or of arrays of them.
fn is_combined(rewriter: &Rewriter, ty: Word) -> bool {
    let mut ty = rewriter.definition(ty);
    if let Some(array) = ty
        && matches!(array.class.opcode, Op::TypeArray | Op::TypeRuntimeArray)
    {
        let element = array.operands.first().and_then(Operand::id_ref_any);
        ty = element.and_then(|element| rewriter.definition(element));
    }
    ty.is_some_and(|ty| ty.class.opcode == Op::TypeSampledImage)
}

fn has(rewriter: &Rewriter, capability: Capability) -> bool {
    let mut declared = rewriter.module.capabilities.iter();
    declared.any(|declared| declared.operands.first() == Some(&Operand::Capability(capability)))
}

fn missing(instruction: &Instruction) -> Option<&'static str> {
    match (instruction.class.opcode, &instruction.operands[..]) {
        (Op::GroupNonUniformAllEqual, _) => Some("comparisons within subgroups"),
        (Op::ImageTexelPointer, _) => Some("atomic operations on images"),
        (
            Op::TypeImage,
            [
                _,
                _,
                _,
                Operand::LiteralBit32(1),
                Operand::LiteralBit32(1),
                ..,
            ],
        ) => Some("arrays of textures with several samples"),
        (
            Op::TypeImage,
            [
                ..,
                Operand::LiteralBit32(2),
                Operand::ImageFormat(ImageFormat::Unknown),
            ],
        ) => Some("images of any format"),
        _ => None,
    }
}
