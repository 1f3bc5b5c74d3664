//! Capabilities of a device, as queried by `vk` and used by requirements, and its limits on work
//! groups.

use ash::vk;
use glasm::ir::Stage;
use glasm_scripts::compile::DisabledFeatures;
use glasm_scripts::script::{Command, GroupCount, Script};
use rspirv::spirv::{ExecutionMode, Op};
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
    pub(crate) counts_primitives: bool,
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
    pub(crate) max_push_bytes: u32,
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
    /// Returns true if a feature is enabled on the device, or an extension that is in the table of
    /// features.
    pub(super) fn has_feature(&self, feature: &str) -> bool {
        self.features.contains(feature)
    }

    /// Returns the features of which the compiler is informed: those of the device except for the
    /// ones in `without`.
    pub(crate) fn device_features(&self, without: &DisabledFeatures) -> glasm::DeviceFeatures {
        without.reported_features(self.compiler)
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

    /// Returns the first feature of a list that the device lacks; `None` if it has all.
    pub(crate) fn missing_feature<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        names.into_iter().find(|name| !self.has_feature(name))
    }
}

/// Returns the reason why a device does not run groups of a size; `None` if it does.
pub(crate) fn missing_group_size(size: [u32; 3], capabilities: &Capabilities) -> Option<String> {
    let invocations = size
        .iter()
        .fold(1, |product: u64, n| product.saturating_mul(u64::from(*n)));
    let (most, sizes) = (
        capabilities.max_group_invocations,
        capabilities.max_group_size,
    );
    if invocations > u64::from(most) {
        return Some(format!(
            "the device lacks work groups of more than {most} invocations"
        ));
    }
    let too_long = size.iter().zip(sizes).any(|(n, limit)| *n > limit);
    too_long.then(|| format!("the device lacks work groups larger than {sizes:?}"))
}

/// Returns the reason why a device does not run the groups that a module declares; `None` if it
/// does, and for other stages than compute.
pub(crate) fn missing_for_module(
    stage: Stage,
    words: &[u32],
    capabilities: &Capabilities,
) -> Option<String> {
    if stage != Stage::Compute {
        return None;
    }
    group_sizes(words).find_map(|size| missing_group_size(size, capabilities))
}

/// Returns the sizes of work groups that the entry points of a module declare by `LocalSize`; stops
/// at the first function or malformed instruction.
fn group_sizes(words: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    let mut rest = words.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        while let [first, ..] = *rest {
            let (len, op) = ((first >> 16) as usize, first & 0xffff);
            // Modes precede all code; the validation layer checks malformed modules.
            if len == 0 || len > rest.len() || op == Op::Function as u32 {
                return None;
            }
            let (inst, after) = rest.split_at(len);
            rest = after;
            if let [_, _, mode, x, y, z] = *inst
                && op == Op::ExecutionMode as u32
                && mode == ExecutionMode::LocalSize as u32
            {
                return Some([x, y, z]);
            }
        }
        None
    })
}

/// Returns the reason why a device does not run the work groups that dispatch commands request, by
/// number or size; `None` if it does. The numbers of indirect dispatches are not known yet and not
/// checked.
pub(super) fn missing_for_commands(script: &Script, capabilities: &Capabilities) -> Option<String> {
    script.steps.iter().find_map(|step| {
        let Command::Compute { groups, size, .. } = &step.command else {
            return None;
        };
        let limits = capabilities.max_work_groups;
        let too_many = match groups {
            GroupCount::Direct(counts) => counts.iter().zip(limits).any(|(n, limit)| *n > limit),
            // Their counts are known when they run.
            GroupCount::Indirect(_) => false,
        };
        if too_many {
            return Some(format!("the device lacks more than {limits:?} work groups"));
        }
        missing_group_size((*size)?, capabilities)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capable() -> Capabilities {
        Capabilities {
            max_group_size: [256, 256, 64],
            max_group_invocations: 256,
            max_work_groups: [65535; 3],
            ..Capabilities::default()
        }
    }

    #[test]
    fn sizes_within_the_limits() {
        let missing = |size| missing_group_size(size, &capable());
        assert_eq!(missing([256, 1, 1]), None);
        assert_eq!(missing([2, 2, 64]), None);
        let many = "the device lacks work groups of more than 256 invocations";
        assert_eq!(missing([16, 17, 1]).as_deref(), Some(many));
        assert_eq!(missing([u32::MAX; 3]).as_deref(), Some(many));
        let long = "the device lacks work groups larger than [256, 256, 64]";
        assert_eq!(missing([1, 1, 65]).as_deref(), Some(long));
    }

    #[test]
    fn modules_declare_their_size() {
        let compile = |size: &str| {
            let text = format!("!!NVcp5.0\nGROUP_SIZE {size};\nEND\n");
            let source = glasm::Source::new("test", text.as_bytes());
            glasm::compile(&source, &glasm::Options::default())
                .unwrap()
                .words
        };
        let missing = |words: &[u32]| missing_for_module(Stage::Compute, words, &capable());
        assert_eq!(missing(&compile("8 8 4")), None);
        assert!(missing(&compile("512")).is_some());
        assert_eq!(
            missing_for_module(Stage::Fragment, &compile("512"), &capable()),
            None
        );
        for words in [
            &[][..],
            &[1, 2, 3],
            &[0, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0, 0, 0x9_0010],
        ] {
            assert_eq!(missing(words), None);
        }
    }

    #[test]
    fn commands_ask_for_groups() {
        let missing = |command: &str| {
            let text = format!("[test]\n{command}\n");
            missing_for_commands(&Script::parse(text.as_bytes()).unwrap(), &capable())
        };
        assert_eq!(missing("compute 65535 1 1 group 256 1 1"), None);
        let many = "the device lacks more than [65535, 65535, 65535] work groups";
        assert_eq!(missing("compute 1 65536 1").as_deref(), Some(many));
        let large = "the device lacks work groups of more than 256 invocations";
        assert_eq!(
            missing("compute 1 1 1 group 1 257 1").as_deref(),
            Some(large)
        );
    }
}
