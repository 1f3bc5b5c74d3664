//! Capabilities of a device, as queried by `vk` and used by requirements.

use ash::vk;
use glasm_scripts::compile::Withheld;
use std::collections::{BTreeMap, BTreeSet};

/// Limits of framebuffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct FramebufferLimits {
    /// Width and height.
    pub(crate) size: [u32; 2],
    pub(crate) layers: u32,
    pub(crate) colors: u32,
    /// Raw values of the formats that color attachments can have, with the bits of the possible
    /// numbers of samples.
    pub(crate) color_formats: BTreeMap<i32, u32>,
    /// Sample counts of depth and stencil formats.
    pub(crate) depth_formats: BTreeMap<i32, u32>,
    /// Possible numbers of samples without attachments.
    pub(crate) empty_samples: u32,
    /// Raw values of the formats that can be blended.
    pub(crate) blend_formats: BTreeSet<i32>,
    /// Attachments that can be blended with two colors.
    pub(crate) dual_source: u32,
    /// Width and height of viewports.
    pub(crate) viewport: [u32; 2],
    /// Smallest and largest coordinate of the corners of viewports.
    pub(crate) viewport_bounds: [f32; 2],
    /// Smallest and largest width of lines.
    pub(crate) line_width: [f32; 2],
}

/// Supported uses of a format.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FormatUses {
    /// Uses of images with optimal tiling.
    pub(crate) images: vk::FormatFeatureFlags,
    pub(crate) buffers: vk::FormatFeatureFlags,
    /// Numbers of samples that textures filled by draws can have: bit n denotes 2^n samples, as in
    /// Vulkan's flags.
    pub(crate) samples: vk::SampleCountFlags,
    /// Numbers of samples that storage images can have.
    pub(crate) storage_samples: vk::SampleCountFlags,
}

/// Capabilities of textures.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextureCapabilities {
    pub(crate) max_1d: u32,
    pub(crate) max_2d: u32,
    pub(crate) max_3d: u32,
    pub(crate) max_cube: u32,
    pub(crate) max_layers: u32,
    pub(crate) max_texels: u32,
    pub(crate) max_lod_bias: f32,
    pub(crate) max_anisotropy: f32,
    /// Uses by raw value of the format.
    pub(crate) formats: BTreeMap<i32, FormatUses>,
}

/// Limits of buffer bindings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BufferLimits {
    /// Bytes.
    pub(crate) max_size: u64,
    /// Required alignment of offsets.
    pub(crate) alignment: u64,
    /// Maximum number per stage.
    pub(crate) max_count: u32,
}

/// Maximum numbers of descriptors per stage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DescriptorLimits {
    pub(crate) samplers: u32,
    /// Textures, with buffer textures.
    pub(crate) textures: u32,
    pub(crate) images: u32,
}

/// Limits of transform feedback.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FeedbackLimits {
    pub(crate) buffers: BufferLimits,
    pub(crate) max_streams: u32,
    pub(crate) max_stride: u32,
    /// True if it counts primitives: `transformFeedbackQueries`.
    pub(crate) counts: bool,
}

/// Numbers of components that stages between vertices and fragments support, and limits of geometry
/// stages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PrimitiveLimits {
    pub(crate) control_inputs: u32,
    pub(crate) control_outputs: u32,
    pub(crate) patch_outputs: u32,
    /// Total of all vertices and the patch.
    pub(crate) control_total: u32,
    pub(crate) evaluation_inputs: u32,
    pub(crate) evaluation_outputs: u32,
    pub(crate) geometry_inputs: u32,
    pub(crate) geometry_outputs: u32,
    /// Total of all vertices.
    pub(crate) geometry_total: u32,
    pub(crate) geometry_vertices: u32,
    pub(crate) geometry_invocations: u32,
}

/// Capabilities of a device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Capabilities {
    /// Major, minor and patch version that both device and runner support.
    pub(crate) version: [u32; 3],
    /// Features of which the compiler is informed.
    pub(crate) compiler: glasm::DeviceFeatures,
    /// Names of the features that are enabled.
    pub(crate) features: BTreeSet<&'static str>,
    /// Names of the extensions that the device has.
    pub(crate) extensions: BTreeSet<String>,
    pub(crate) framebuffer: FramebufferLimits,
    pub(crate) textures: TextureCapabilities,
    pub(crate) max_work_groups: [u32; 3],
    pub(crate) max_group_size: [u32; 3],
    pub(crate) max_group_invocations: u32,
    pub(crate) max_push: u32,
    /// Components of outputs that pass between stages.
    pub(crate) max_vertex_outputs: u32,
    pub(crate) max_fragment_inputs: u32,
    pub(crate) primitives: PrimitiveLimits,
    /// True if memory of the process can back buffers with addresses.
    pub(crate) shares_buffers: bool,
    pub(crate) descriptors: DescriptorLimits,
    /// Descriptor sets that a pipeline can have.
    pub(crate) max_sets: u32,
    pub(crate) uniform_buffers: BufferLimits,
    pub(crate) storage_buffers: BufferLimits,
    pub(crate) max_patch_vertices: u32,
    pub(crate) feedback: FeedbackLimits,
    /// Raw values of the formats that vertex attributes can have.
    pub(crate) vertex_formats: BTreeSet<i32>,
    /// Number of vertex attributes.
    pub(crate) vertex_attributes: u32,
}

impl Capabilities {
    pub(super) fn has(&self, feature: &str) -> bool {
        self.features.contains(feature)
    }

    /// Returns the features that the compiler is informed of.
    pub(crate) fn device_features(&self, without: &Withheld) -> glasm::DeviceFeatures {
        without.told(self.compiler)
    }

    /// Returns the bindings of resources. Handles have a separate set if the device has enough
    /// sets, otherwise a binding after the textures.
    pub(crate) fn binding_layout(&self) -> glasm::BindingLayout {
        let usual = glasm::BindingLayout::default();
        if self.max_sets > usual.handle_set {
            return usual;
        }
        glasm::BindingLayout {
            handle_set: usual.texture_set,
            first_handle_binding: 64,
            ..usual
        }
    }

    /// Returns the newest target that the device supports.
    pub(crate) fn best_target(&self) -> glasm::Target {
        match self.version {
            [1, 1, _] => glasm::Target::Vulkan1_1,
            [1, 2, _] => glasm::Target::Vulkan1_2,
            _ => glasm::Target::Vulkan1_3,
        }
    }

    /// Returns the first feature or extension of a list that is missing.
    pub(crate) fn missing_feature<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        names.into_iter().find(|name| !self.has(name))
    }
}
