//! Capabilities of a device, and the check whether they suffice for a script.

mod buffers;
mod capabilities;
mod components;
mod framebuffer;
mod textures;

pub(crate) use capabilities::{
    BufferLimits, Capabilities, DescriptorLimits, FeedbackLimits, FormatUses, FramebufferLimits,
    PrimitiveLimits, TextureCapabilities,
};
pub(crate) use components::missing_components;

use ash::vk;
use buffers::{excess_buffers, missing_buffer_limit, missing_feedback};
use glasm::ir::Stage;
use glasm_scripts::script::{Column, Command, DrawSource, IndexWidth, ProgramForm, Script};

pub(crate) use capabilities::missing_for_module;

/// Returns the reason why a script excludes a device with these capabilities, a feature in its list
/// of excluded features; `None` if it does not.
pub(crate) fn exclusion_reason(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let without = &script.requirements.excluded_features;
    let name = without.iter().find(|name| capabilities.has_feature(name))?;
    Some(format!("the device has {name}"))
}

/// Returns the reason why a script cannot run on a device; `None` if it can.
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
    framebuffer::missing_framebuffer(script, capabilities)
        .or_else(|| missing_format(script, capabilities))
        .or_else(|| textures::missing_textures(script, capabilities))
        .or_else(|| missing_stage(script, capabilities))
        .or_else(|| missing_limit(script, capabilities))
        .or_else(|| capabilities::missing_for_commands(script, capabilities))
        .or_else(|| missing_feedback(script, capabilities))
        .or_else(|| missing_for_counts(script, capabilities))
        .or_else(|| missing_buffer_limit(script, capabilities))
        .or_else(|| excess_buffers(script, capabilities))
        .or_else(|| missing_for_draw(script, capabilities))
}

/// Returns the reason why the device lacks the format of a column of the vertex data; `None` if it
/// has all. Columns of 64 bits are not checked if the vertex program is one of the compiler, which
/// reads them as words.
fn missing_format(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let lacks = |subject: &str, format: vk::Format| {
        Some(format!("the device lacks {format:?} as {subject} format"))
    };
    // Programs of the compiler read attributes of 64 bits as words.
    let is_own = |form| matches!(form, ProgramForm::Assembly | ProgramForm::Ir);
    let script_formats = script
        .programs
        .iter()
        .any(|program| program.stage == Stage::Vertex && is_own(program.form));
    let in_words = |column: &&Column| script_formats && column.format.has_64_bit_channels();
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

/// Returns the reason why the device cannot run a tessellation or geometry stage of a script, or
/// why it lacks buffer addresses that the script uses; `None` if it has all.
fn missing_stage(script: &Script, capabilities: &Capabilities) -> Option<String> {
    for program in &script.programs {
        let feature = match program.stage {
            Stage::TessControl | Stage::TessEval => "tessellationShader",
            Stage::Geometry => "geometryShader",
            Stage::Vertex | Stage::Fragment | Stage::Compute => continue,
        };
        if !capabilities.has_feature(feature) {
            return Some(format!("the device lacks {feature}"));
        }
    }
    let takes_addresses = !script.addressed_buffers().is_empty();
    (takes_addresses && !capabilities.has_feature("bufferDeviceAddress"))
        .then(|| "the device lacks bufferDeviceAddress, which addresses of buffers need".to_owned())
}

/// Returns the first requirement of a draw that the device does not meet: 8-bit indices, divisors
/// greater than 1, or vertices of a patch; `None` if it meets all.
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
        if narrow && !capabilities.has_feature("indexTypeUint8") {
            return Some("the device lacks indexTypeUint8".to_owned());
        }
        let slow = draw.divisors.0.iter().any(|divisor| *divisor > 1);
        if slow && !capabilities.has_feature("vertexAttributeInstanceRateDivisor") {
            return Some("the device lacks vertexAttributeInstanceRateDivisor".to_owned());
        }
        let patch = draw.state.patch_control_points;
        let patches = draw.topology == vk::PrimitiveTopology::PATCH_LIST;
        (patches && patch > capabilities.max_patch_vertices)
            .then(|| format!("the device lacks patches of {patch} vertices"))
    })
}

/// Returns the feature that `probe samples_passed` needs and the device lacks; `None` if it has it
/// or the script has no such probe.
fn missing_for_counts(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let mut steps = script.steps.iter();
    let counts = steps.any(|step| matches!(step.command, Command::ProbeSamples { .. }));
    let feature = "occlusionQueryPrecise";
    (counts && !capabilities.has_feature(feature)).then(|| format!("the device lacks {feature}"))
}

/// Returns the reason why the push constants of a script exceed the limit of the device; `None` if
/// they do not.
fn missing_limit(script: &Script, capabilities: &Capabilities) -> Option<String> {
    (script.push_size > capabilities.max_push_bytes).then(|| {
        format!(
            "the device lacks push constants larger than {} bytes",
            capabilities.max_push_bytes
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
            max_push_bytes: 128,
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
            exclusion_reason(&Script::parse(script.as_bytes()).unwrap(), &capable())
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
}
