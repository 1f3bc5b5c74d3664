//! Features of Vulkan devices that the languages have. glasm emulates the others, or reports the
//! instruction that needs them.

use crate::Language;
use glasm::ir::Stage;
use glasm::{DeviceFeatures, Subgroups};

/// Returns the device features for which a program is compiled so that the writer of the language,
/// naga in builds without SPIRV-Cross, can express it. Features for which the compiler has no other
/// code may be on although the language lacks them: the writer names what modules need from them.
pub(crate) fn get_device_features(language: Language) -> DeviceFeatures {
    if cfg!(not(feature = "spirv-cross")) {
        return get_naga_features();
    }
    match language {
        Language::Wgsl => get_naga_features(),
        Language::Glsl(version) => get_glsl_features(version),
        Language::Essl(version) => get_essl_features(version),
        Language::VulkanGlsl => get_vulkan_glsl_features(),
        Language::Hlsl(model) => get_hlsl_features(model),
        Language::Msl(version) => get_msl_features(version),
    }
}

/// Returns the features of WGSL, and of the other languages as naga writes them: no arrays of
/// resources, and subgroups in two stages only.
fn get_naga_features() -> DeviceFeatures {
    let mut subgroups = Subgroups::default();
    for stage in [
        Stage::Vertex,
        Stage::TessControl,
        Stage::TessEval,
        Stage::Geometry,
    ] {
        subgroups.stages[stage as usize] = false;
    }
    without_dynamic_indexing(DeviceFeatures {
        float64: false,
        int64: false,
        demote_to_helper_invocation: false,
        resource_residency: false,
        resource_min_lod: false,
        subgroups,
        ..get_common_features()
    })
}

/// Returns the features of GLSL for Vulkan: everything that it has extensions for.
fn get_vulkan_glsl_features() -> DeviceFeatures {
    DeviceFeatures {
        // SPIRV-Cross compares values in memory by their declared type.
        signed_atomics: false,
        ..DeviceFeatures::default()
    }
}

/// Returns the features without those that GLSL for Vulkan alone has: addresses, descriptors that
/// differ between invocations, small integers, atomic sums.
fn get_common_features() -> DeviceFeatures {
    DeviceFeatures {
        buffer_device_address: false,
        int16: false,
        int8: false,
        int64_atomics: false,
        shared_int64_atomics: false,
        signed_atomics: false,
        buffer_float32_atomic_add: false,
        buffer_float64_atomic_add: false,
        uniform_buffer_non_uniform_indexing: false,
        storage_buffer_non_uniform_indexing: false,
        sampled_image_non_uniform_indexing: false,
        storage_image_non_uniform_indexing: false,
        uniform_texel_buffer_non_uniform_indexing: false,
        storage_texel_buffer_non_uniform_indexing: false,
        ..DeviceFeatures::default()
    }
}

/// Returns the features without dynamic indexing of arrays of resources: only constants index them.
fn without_dynamic_indexing(features: DeviceFeatures) -> DeviceFeatures {
    DeviceFeatures {
        uniform_buffer_dynamic_indexing: false,
        storage_buffer_dynamic_indexing: false,
        sampled_image_dynamic_indexing: false,
        storage_image_dynamic_indexing: false,
        uniform_texel_buffer_dynamic_indexing: false,
        storage_texel_buffer_dynamic_indexing: false,
        ..features
    }
}

/// Returns the features of a version of desktop GLSL. 64-bit integers, sparse textures and others
/// are extensions that require 4.5.
fn get_glsl_features(version: u32) -> DeviceFeatures {
    let features = DeviceFeatures {
        float64: version >= 400,
        draw_parameters: version >= 450,
        int64: version >= 450,
        demote_to_helper_invocation: false,
        resource_residency: version >= 450,
        resource_min_lod: version >= 450,
        image_gather_extended: version >= 400,
        sample_rate_shading: version >= 400,
        tessellation_shader: version >= 400,
        multi_viewport: version >= 410,
        ..get_common_features()
    };
    if version >= 400 {
        features
    } else {
        without_dynamic_indexing(features)
    }
}

/// Returns the features of a version of GLSL ES, such as 310: 3.20 adds geometry and tessellation,
/// dynamic indexing of resources and sample shading.
fn get_essl_features(version: u32) -> DeviceFeatures {
    let features = DeviceFeatures {
        float64: false,
        int64: false,
        demote_to_helper_invocation: false,
        draw_parameters: false,
        storage_buffer_dynamic_indexing: false,
        image_gather_extended: version >= 320,
        sample_rate_shading: version >= 320,
        storage_image_read_without_format: false,
        storage_image_write_without_format: false,
        resource_residency: false,
        resource_min_lod: false,
        geometry_shader: version >= 320,
        tessellation_shader: version >= 320,
        tessellation_and_geometry_point_size: false,
        multi_viewport: false,
        subgroups: Subgroups::NONE,
        ..get_common_features()
    };
    if version >= 320 {
        features
    } else {
        without_dynamic_indexing(features)
    }
}

/// Returns the features of HLSL for a shader model such as 51: 6.0 adds 64-bit integers and
/// subgroups.
fn get_hlsl_features(model: u32) -> DeviceFeatures {
    DeviceFeatures {
        int64: model >= 60,
        resource_residency: false,
        resource_min_lod: false,
        subgroups: if model >= 60 {
            Subgroups::default()
        } else {
            Subgroups::NONE
        },
        ..get_common_features()
    }
}

/// Returns the features of a version of MSL such as 23: 2.2 adds subgroups and minimum levels, 2.3
/// 64-bit integers and helper invocations.
fn get_msl_features(version: u32) -> DeviceFeatures {
    DeviceFeatures {
        float64: false,
        int64: version >= 23,
        demote_to_helper_invocation: version >= 23,
        resource_residency: false,
        resource_min_lod: version >= 22,
        subgroups: if version >= 22 {
            Subgroups::default()
        } else {
            Subgroups::NONE
        },
        ..get_common_features()
    }
}
