//! What a device can do, and whether that is enough for a script.

mod buffers;
mod components;
mod framebuffer;
mod groups;
mod textures;

pub(crate) use components::missing_components;
pub(crate) use framebuffer::FramebufferLimits;

use ash::vk;
use buffers::{missing_buffer_limit, missing_feedback, too_many_buffers};
use glasm::ir::Stage;
use glasm_scripts::compile::Withheld;
use glasm_scripts::script::{Column, Command, DrawSource, IndexWidth, ProgramForm, Script};
use std::collections::BTreeSet;

pub(crate) use groups::missing_for_module;
pub(crate) use textures::{FormatUses, TextureCapabilities};

/// What a device can bind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BufferLimits {
    /// Bytes.
    pub(crate) max_size: u64,
    /// Of what offsets must be multiples.
    pub(crate) alignment: u64,
    /// How many a stage can have.
    pub(crate) max_count: u32,
}

/// How many descriptors a stage can have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DescriptorLimits {
    pub(crate) samplers: u32,
    /// Textures, with buffer textures.
    pub(crate) textures: u32,
    pub(crate) images: u32,
}

/// What a device can capture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FeedbackLimits {
    pub(crate) buffers: BufferLimits,
    pub(crate) max_streams: u32,
    pub(crate) max_stride: u32,
    /// Whether it counts primitives: `transformFeedbackQueries`.
    pub(crate) counts: bool,
}

/// What a device can do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Capabilities {
    /// Major, minor and patch version that both device and runner know.
    pub(crate) version: [u32; 3],
    /// What subgroups can do.
    pub(crate) subgroups: glasm::Subgroups,
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
    /// Components of what passes between stages.
    pub(crate) max_vertex_outputs: u32,
    pub(crate) max_fragment_inputs: u32,
    /// Whether memory of the process can be that of buffers with addresses.
    pub(crate) shares_buffers: bool,
    pub(crate) descriptors: DescriptorLimits,
    /// Descriptor sets that a pipeline can have.
    pub(crate) max_sets: u32,
    pub(crate) uniform_buffers: BufferLimits,
    pub(crate) storage_buffers: BufferLimits,
    pub(crate) max_patch_vertices: u32,
    pub(crate) feedback: FeedbackLimits,
    /// `shaderSignedZeroInfNanPreserveFloat32`
    pub(crate) preserves_signed_zero_inf_nan: bool,
    /// Raw values of the formats that vertex attributes can have.
    pub(crate) vertex_formats: BTreeSet<i32>,
    /// Number of vertex attributes.
    pub(crate) vertex_attributes: u32,
}

impl Capabilities {
    fn has(&self, feature: &str) -> bool {
        self.features.contains(feature)
    }

    /// The features that the compiler is told about.
    pub(crate) fn device_features(&self, without: &Withheld) -> glasm::DeviceFeatures {
        without.told(glasm::DeviceFeatures {
            // The runner does not enable it, so that the modules themselves keep their accesses inside.
            robust_buffer_access2: false,
            subgroups: self.subgroups,
            signed_zero_inf_nan_preserve_float32: self.preserves_signed_zero_inf_nan,
            ..glasm::DeviceFeatures::default().with(|name| self.has(name))
        })
    }

    /// Where programs find what they read. Handles get a set of their own if there can be so many, else a place behind the textures.
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

    /// The newest target that the device takes.
    pub(crate) fn best_target(&self) -> glasm::Target {
        match self.version {
            [1, 1, _] => glasm::Target::Vulkan1_1,
            [1, 2, _] => glasm::Target::Vulkan1_2,
            _ => glasm::Target::Vulkan1_3,
        }
    }

    /// The first feature or extension of a list that is missing.
    pub(crate) fn missing_feature<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        names.into_iter().find(|name| !self.has(name))
    }
}

/// Why a script is not for a device that has so much; `None` if it is.
pub(crate) fn surplus(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let without = &script.requirements.without;
    let name = without.iter().find(|name| capabilities.has(name))?;
    Some(format!("the device has {name}"))
}

/// Why a script cannot run on a device; `None` if it can.
pub(crate) fn skip_reason(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let requirements = &script.requirements;
    if let Some(unmet) = requirements.unmet.first() {
        return Some(format!("{unmet} not supported"));
    }
    if let Some(feature) =
        capabilities.missing_feature(requirements.features.iter().map(String::as_str))
    {
        return Some(format!("the device lacks {feature}"));
    }
    if let Some(name) = requirements
        .extensions
        .iter()
        .find(|name| !capabilities.extensions.contains(*name))
    {
        return Some(format!("the device lacks {name}"));
    }
    if requirements.low_addresses && !capabilities.shares_buffers {
        return Some(
            "the device lacks buffers in memory that it shares with the process".to_owned(),
        );
    }
    if let Some(version @ [major, minor, patch]) = requirements.version
        && version > capabilities.version
    {
        return Some(format!("the device lacks Vulkan {major}.{minor}.{patch}"));
    }
    framebuffer::missing(script, capabilities)
        .or_else(|| missing_format(script, capabilities))
        .or_else(|| textures::missing(script, capabilities))
        .or_else(|| missing_stage(script, capabilities))
        .or_else(|| missing_limit(script, capabilities))
        .or_else(|| groups::missing_for_commands(script, capabilities))
        .or_else(|| missing_feedback(script, capabilities))
        .or_else(|| missing_for_counts(script, capabilities))
        .or_else(|| missing_buffer_limit(script, capabilities))
        .or_else(|| too_many_buffers(script, capabilities))
        .or_else(|| missing_for_draw(script, capabilities))
}

fn missing_format(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let lacks = |what: &str, format: vk::Format| {
        Some(format!("the device lacks {format:?} as {what} format"))
    };
    // Assembly programs read attributes of 64 bits as words.
    let assembly = script
        .programs
        .iter()
        .any(|program| program.stage == Stage::Vertex && program.form == ProgramForm::Assembly);
    let in_words = |column: &&Column| {
        let mut channels = column.format.channels.iter();
        assembly && channels.all(|channel| channel.bits == 64)
    };
    let mut columns = script
        .vertex_data
        .iter()
        .flat_map(|data| &data.columns)
        .filter(|column| !in_words(column))
        .map(|column| column.format.vk);
    columns
        .find(|format| !capabilities.vertex_formats.contains(&format.as_raw()))
        .and_then(|format| lacks("vertex", format))
}

fn missing_stage(script: &Script, capabilities: &Capabilities) -> Option<String> {
    for program in &script.programs {
        let feature = match program.stage {
            Stage::TessControl | Stage::TessEval => "tessellationShader",
            Stage::Geometry => "geometryShader",
            Stage::Vertex | Stage::Fragment | Stage::Compute => continue,
        };
        if !capabilities.has(feature) {
            return Some(format!("the device lacks {feature}"));
        }
    }
    let takes_addresses = !script.addressed_buffers().is_empty();
    (takes_addresses && !capabilities.has("bufferDeviceAddress"))
        .then(|| "the device lacks bufferDeviceAddress, which addresses of buffers need".to_owned())
}

/// What a draw needs.
fn missing_for_draw(script: &Script, capabilities: &Capabilities) -> Option<String> {
    script.steps.iter().find_map(|step| {
        let Command::Draw(draw) = &step.command else {
            return None;
        };
        let narrow = matches!(
            draw.source,
            DrawSource::Indexed {
                width: IndexWidth::U8,
                ..
            }
        );
        if narrow && !capabilities.has("indexTypeUint8") {
            return Some("the device lacks indexTypeUint8".to_owned());
        }
        let slow = draw.divisors.0.iter().any(|divisor| *divisor > 1);
        if slow && !capabilities.has("vertexAttributeInstanceRateDivisor") {
            return Some("the device lacks vertexAttributeInstanceRateDivisor".to_owned());
        }
        let patch = draw.state.patch_control_points;
        let patches = draw.topology == vk::PrimitiveTopology::PATCH_LIST;
        (patches && patch > capabilities.max_patch_vertices)
            .then(|| format!("the device lacks patches of {patch} vertices"))
    })
}

/// What `probe samples` needs.
fn missing_for_counts(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let mut steps = script.steps.iter();
    let counts = steps.any(|step| matches!(step.command, Command::ProbeSamples { .. }));
    let feature = "occlusionQueryPrecise";
    (counts && !capabilities.has(feature)).then(|| format!("the device lacks {feature}"))
}

fn missing_limit(script: &Script, capabilities: &Capabilities) -> Option<String> {
    (script.push_size > capabilities.max_push).then(|| {
        format!(
            "the device lacks push constants larger than {} bytes",
            capabilities.max_push
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn capable() -> Capabilities {
        Capabilities {
            version: [1, 2, 100],
            features: ["shaderInt64", "bufferDeviceAddress"].into(),
            extensions: ["VK_EXT_shader_atomic_float".to_owned()].into(),
            framebuffer: FramebufferLimits {
                size: [4096; 2],
                layers: 1,
                colors: 8,
                color_formats: [(vk::Format::R8G8B8A8_UNORM.as_raw(), 1)].into(),
                depth_formats: [(vk::Format::D32_SFLOAT.as_raw(), 1)].into(),
                ..FramebufferLimits::default()
            },
            max_push: 128,
            uniform_buffers: BufferLimits {
                max_size: 65536,
                alignment: 64,
                max_count: 12,
            },
            storage_buffers: BufferLimits {
                max_size: 1 << 20,
                alignment: 16,
                max_count: 8,
            },
            vertex_formats: [vk::Format::R32G32_SFLOAT.as_raw()].into(),
            ..Capabilities::default()
        }
    }

    pub(super) fn reason(script: &str) -> Option<String> {
        let script = Script::parse(script.as_bytes()).unwrap();
        skip_reason(&script, &capable())
    }

    #[test]
    fn features_that_must_be_missing() {
        let surplus = |line: &str| {
            let script = format!("[require]\n{line}\n[test]\n");
            surplus(&Script::parse(script.as_bytes()).unwrap(), &capable())
        };
        let has = "the device has shaderInt64";
        assert_eq!(
            surplus("without shaderFloat64\nwithout shaderInt64").as_deref(),
            Some(has)
        );
        assert_eq!(surplus("without shaderFloat64"), None);
        assert!(Script::parse(b"[require]\nwithout VK_foo\n").is_err());
    }

    #[test]
    fn met_requirements_are_no_reason() {
        let script = "[require]\nshaderInt64\nVK_EXT_shader_atomic_float\nvulkan 1.2\ndepthstencil D32_SFLOAT\n\
                      GL_NV_gpu_program5\n[vertex data]\n0/R32G32_SFLOAT\n[test]\nbuffer b size 4\n";
        assert_eq!(reason(script), None);
    }

    #[test]
    fn counting_samples_needs_a_feature() {
        let script = "[test]\nprobe samples == 1\n";
        let missing = "the device lacks occlusionQueryPrecise";
        assert_eq!(reason(script).as_deref(), Some(missing));
    }

    #[test]
    fn unmet_requirements_are_named() {
        for (script, missing) in [
            (
                "[require]\nshaderFloat64\n",
                "the device lacks shaderFloat64",
            ),
            (
                "[require]\nnoSuchFeature\n",
                "the device lacks noSuchFeature",
            ),
            (
                "[require]\nVK_EXT_mesh_shader\n",
                "the device lacks VK_EXT_mesh_shader",
            ),
            ("[require]\nvulkan 1.3\n", "the device lacks Vulkan 1.3.0"),
            (
                "[require]\nframebuffer R32_SFLOAT\n",
                "the device lacks R32_SFLOAT as framebuffer format",
            ),
            (
                "[require]\ndepthstencil S8_UINT\n",
                "the device lacks S8_UINT as depth or stencil format",
            ),
            (
                "[require]\nfbsize 5000 10\n",
                "the device lacks framebuffers larger than 4096 x 4096",
            ),
            (
                "[vertex data]\n0/R8_UNORM\n",
                "the device lacks R8_UNORM as vertex format",
            ),
            (
                "[require]\nGL_ARB_sparse_buffer\n",
                "GL_ARB_sparse_buffer not supported",
            ),
            (
                "[test]\ntexture 2D 0 R8_UINT (1, 1) 1\n",
                "the device lacks R8_UINT as texture format",
            ),
            ("[geometry program]\n", "the device lacks geometryShader"),
            (
                "[test]\npush int 252 0\n",
                "the device lacks push constants larger than 128 bytes",
            ),
            (
                "[test]\nubo 0 size 65537\n",
                "the device lacks uniform buffers larger than 65536 bytes",
            ),
            (
                "[test]\nbuffer b size 1048577\nbind ssbo 0 b\n",
                "the device lacks storage buffers larger than 1048576 bytes",
            ),
            (
                "[test]\nbuffer b size 256\nbind buffer_fp 0 b 16\n",
                "the device lacks uniform buffers at offsets that are no multiples of 64 bytes",
            ),
        ] {
            assert_eq!(reason(script).as_deref(), Some(missing));
        }
    }

    #[test]
    fn targets_follow_the_version() {
        let target = |version| {
            Capabilities {
                version,
                ..Capabilities::default()
            }
            .best_target()
        };
        assert_eq!(target([1, 1, 0]), glasm::Target::Vulkan1_1);
        assert_eq!(target([1, 2, 5]), glasm::Target::Vulkan1_2);
        assert_eq!(target([1, 3, 0]), glasm::Target::Vulkan1_3);
    }

    #[test]
    fn narrow_integers_need_arithmetic_and_storage() {
        let mut capabilities = capable();
        capabilities.features.insert("shaderInt16");
        assert!(!capabilities.device_features(&Withheld::default()).int16);
        capabilities.features.insert("storageBuffer16BitAccess");
        assert!(capabilities.device_features(&Withheld::default()).int16);
        assert!(capabilities.device_features(&Withheld::default()).int64);
        assert!(!capabilities.device_features(&Withheld::default()).float64);
    }
}
