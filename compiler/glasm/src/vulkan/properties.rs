//! Properties of devices that affect code generation.

use ash::vk;
use glasm_codegen::options::Subgroups;
use std::ffi::CStr;

/// Properties that the compiler uses.
#[derive(Clone)]
pub(super) struct Properties {
    pub(super) subgroups: Subgroups,
    /// `maxGeometryTotalOutputComponents`
    pub(super) geometry_components: u32,
    /// `shaderSignedZeroInfNanPreserveFloat32`
    pub(super) preserves_signed_zero_inf_nan: bool,
    /// `shaderDenormFlushToZeroFloat32`
    pub(super) flushes_denormals: bool,
    /// `fullyCoveredFragmentShaderInputVariable`
    pub(super) covers_fully: bool,
}

impl Properties {
    pub(super) fn query(
        minor: u32,
        has_extension: &dyn Fn(&CStr) -> bool,
        call: impl FnOnce(&mut vk::PhysicalDeviceProperties2<'_>),
    ) -> Self {
        let mut subgroups = vk::PhysicalDeviceSubgroupProperties::default();
        let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut coverage = vk::PhysicalDeviceConservativeRasterizationPropertiesEXT::default();
        // Vulkan 1.1 has subgroups.
        let mut list = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroups);
        if minor >= 2 || has_extension(ash::khr::shader_float_controls::NAME) {
            list = list.push_next(&mut floats);
        }
        if has_extension(ash::ext::conservative_rasterization::NAME) {
            list = list.push_next(&mut coverage);
        }
        call(&mut list);
        let limits = list.properties.limits;
        Self {
            subgroups: convert_subgroups(&subgroups),
            geometry_components: limits.max_geometry_total_output_components,
            preserves_signed_zero_inf_nan: floats.shader_signed_zero_inf_nan_preserve_float32
                == vk::TRUE,
            flushes_denormals: floats.shader_denorm_flush_to_zero_float32 == vk::TRUE,
            covers_fully: coverage.fully_covered_fragment_shader_input_variable == vk::TRUE,
        }
    }
}

fn convert_subgroups(found: &vk::PhysicalDeviceSubgroupProperties<'_>) -> Subgroups {
    let has = |operations| found.supported_operations.contains(operations);
    let stages = [
        vk::ShaderStageFlags::VERTEX,
        vk::ShaderStageFlags::TESSELLATION_CONTROL,
        vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        vk::ShaderStageFlags::GEOMETRY,
        vk::ShaderStageFlags::FRAGMENT,
        vk::ShaderStageFlags::COMPUTE,
    ];
    Subgroups {
        size: found.subgroup_size,
        stages: stages.map(|stage| found.supported_stages.contains(stage)),
        vote: has(vk::SubgroupFeatureFlags::VOTE),
        ballot: has(vk::SubgroupFeatureFlags::BALLOT),
        shuffle: has(vk::SubgroupFeatureFlags::SHUFFLE),
        quad: has(vk::SubgroupFeatureFlags::QUAD),
    }
}
