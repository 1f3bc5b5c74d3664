//! Names of operations, types and capabilities that WGSL cannot express.

use super::split_combined_samplers::SAMPLER_BINDING_OFFSET;
use crate::limits::ModuleFeature;
use crate::spirv_edit::{ImageType, InstructionExt, ModuleEditor};
use rspirv::dr::Instruction;
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, ImageFormat, Op,
    StorageClass, Word,
};
use std::collections::HashSet;

/// Stages that the language does not have.
const UNSUPPORTED_STAGES: &[(ExecutionModel, &str)] = &[
    (ExecutionModel::Geometry, "geometry programs"),
    (ExecutionModel::TessellationControl, "tessellation programs"),
    (
        ExecutionModel::TessellationEvaluation,
        "tessellation programs",
    ),
];

/// Capabilities that change the semantics of a module, with their names in messages.
const UNSUPPORTED_CAPABILITIES: &[(Capability, &str)] = &[
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

/// Built-in variables that are masks of invocations.
const SUBGROUP_MASKS: [BuiltIn; 5] = [
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// Capabilities that only request better results, with the warning about them.
const APPROXIMATED_CAPABILITIES: &[(Capability, &str)] = &[
    (
        Capability::SampleMaskPostDepthCoverage,
        "sample masks that are read are those before the depth test",
    ),
    (
        Capability::SampleMaskOverrideCoverageNV,
        "sample masks that are written cannot add samples",
    ),
];

/// Refuses modules that the language cannot express, and records differences for features that it
/// only approximates.
///
/// # Errors
/// Returns the name of the first feature that the language does not have.
pub(super) fn check_supported(editor: &mut ModuleEditor) -> Result<(), String> {
    let mut stages = UNSUPPORTED_STAGES.iter();
    if let Some((_, name)) = stages.find(|(model, _)| editor.has_execution_model(&[*model])) {
        return Err((*name).to_owned());
    }
    for &(capability, warning) in APPROXIMATED_CAPABILITIES {
        if editor.has_capability(capability) {
            editor.record_difference(warning);
        }
    }
    if editor.has_execution_mode(ExecutionMode::EarlyFragmentTests) {
        editor.record_difference("depth and stencil tests may run after the program");
    }
    let mut capabilities = UNSUPPORTED_CAPABILITIES.iter();
    if let Some((_, name)) = capabilities.find(|(it, _)| editor.has_capability(*it)) {
        return Err((*name).to_owned());
    }
    if let Some(name) = editor
        .module()
        .all_inst_iter()
        .find_map(find_unsupported_operation)
    {
        return Err(name.to_owned());
    }
    let builtins = editor.collect_builtins();
    if builtins.iter().any(|it| SUBGROUP_MASKS.contains(&it.1)) {
        return Err("masks of subgroups".to_owned());
    }
    let is_distance =
        |&(_, builtin, class): &_| (builtin, class) == (BuiltIn::ClipDistance, StorageClass::Input);
    if editor.has_execution_model(&[ExecutionModel::Fragment]) && builtins.iter().any(is_distance) {
        return Err("clip distances in fragment programs".to_owned());
    }
    check_binding_conflicts(editor)
}

/// Refuses a module that gathers comparisons from arrays or cube maps, for which naga writes GLSL
/// with the arguments of other functions. Returns the message.
pub(super) fn check_gathers(editor: &ModuleEditor) -> Result<(), String> {
    let gathers = ModuleFeature::Accesses(&[Op::ImageDrefGather], |image| {
        image.is_arrayed || image.dim == Dim::DimCube
    });
    if gathers.is_in(editor) {
        Err("naga writes no GLSL that gathers comparisons from arrays or cube maps".to_owned())
    } else {
        Ok(())
    }
}

/// Refuses several resources at a binding, which Vulkan allows and WGSL does not. The samplers of
/// combined descriptors have separate bindings.
fn check_binding_conflicts(editor: &ModuleEditor) -> Result<(), String> {
    let mut used_bindings = HashSet::new();
    let globals = editor.module().types_global_values.iter();
    let variables = globals.filter(|global| global.op() == Op::Variable);
    for id in variables.filter_map(|variable| variable.result_id) {
        let set = editor.find_decoration_literal(id, Decoration::DescriptorSet);
        let Some(binding) = editor.find_decoration_literal(id, Decoration::Binding) else {
            continue;
        };
        let sampler = is_combined_image_sampler(editor, id)
            .then_some(binding.wrapping_add(SAMPLER_BINDING_OFFSET));
        for binding in sampler.into_iter().chain([binding]) {
            if !used_bindings.insert((set, binding)) {
                return Err("resources of several kinds at one binding".to_owned());
            }
        }
    }
    Ok(())
}

/// Returns true if a variable is an image with a sampler, or an array of them.
fn is_combined_image_sampler(editor: &ModuleEditor, variable: Word) -> bool {
    let ty = editor.pointee_type(variable);
    let ty = ty.and_then(|ty| editor.find_global(editor.array_element_type(ty).unwrap_or(ty)));
    ty.is_some_and(|ty| ty.op() == Op::TypeSampledImage)
}

/// Returns the name of an operation or image type that WGSL does not have; `None` for all others.
fn find_unsupported_operation(instruction: &Instruction) -> Option<&'static str> {
    if instruction.op() == Op::GroupNonUniformAllEqual {
        return Some("comparisons within subgroups");
    }
    if instruction.op() == Op::ImageTexelPointer {
        return Some("atomic operations on images");
    }
    let image = ImageType::from_type(instruction)?;
    if image.is_arrayed && image.is_multisample {
        Some("arrays of textures with several samples")
    } else if image.is_storage && image.format == ImageFormat::Unknown {
        Some("images of any format")
    } else {
        None
    }
}
