//! Requirements of framebuffers and the fixed-function state of draws on a device.

use super::capabilities::{Capabilities, FramebufferLimits};
use ash::vk;
use glasm_scripts::script::pipeline_state::{BlendState, PipelineState};
use glasm_scripts::script::{Attachments, Command, Draw, Requirements, Script};

/// Returns the reason why the device does not support a script's framebuffer (size, layers,
/// attachments, samples) or the state of its draws; `None` if it does.
pub(super) fn missing_framebuffer(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let Requirements {
        framebuffer: [width, height],
        attachments,
        ..
    } = &script.requirements;
    let limits = &capabilities.framebuffer;
    let [max_width, max_height] = limits.size;
    if *width > max_width || *height > max_height {
        return Some(format!(
            "the device lacks framebuffers larger than {max_width} x {max_height}"
        ));
    }
    if attachments.layers > limits.layers {
        return Some(format!(
            "the device lacks framebuffers of more than {} layers",
            limits.layers
        ));
    }
    if attachments.colors.len() as u32 > limits.colors {
        return Some(format!(
            "the device lacks framebuffers of more than {} color attachments",
            limits.colors
        ));
    }
    missing_attachment(attachments, limits).or_else(|| {
        script.steps.iter().find_map(|step| {
            if let Command::Draw(draw) = &step.command {
                missing_draw_state(draw, attachments, capabilities)
            } else {
                None
            }
        })
    })
}

/// Returns the reason why the device has no framebuffer with these attachments: a format, or the
/// number of samples. `None` if it has. Counts of samples are bits, as in Vulkan.
fn missing_attachment(attachments: &Attachments, limits: &FramebufferLimits) -> Option<String> {
    let colors = attachments.colors.iter().flatten();
    let colors = colors.map(|format| (format.vk, "framebuffer", &limits.color_formats));
    let depth = attachments
        .depth
        .map(|format| (format.vk, "depth or stencil", &limits.depth_formats));
    let samples = attachments.samples;
    for (format, what, known) in colors.chain(depth) {
        match known.get(&format.as_raw()) {
            None => return Some(format!("the device lacks {format:?} as {what} format")),
            Some(counts) if samples > 1 && counts & samples == 0 => {
                return Some(format!(
                    "the device lacks {samples} samples of format {format:?}"
                ));
            }
            Some(_) => {}
        }
    }
    let empty = attachments.depth.is_none() && attachments.colors.iter().all(Option::is_none);
    (empty && samples > 1 && limits.empty_samples & samples == 0)
        .then(|| format!("the device lacks {samples} samples without attachments"))
}

/// Returns the feature, blending or limit that the state of a draw requires and the device lacks;
/// `None` if it has all.
fn missing_draw_state(
    draw: &Draw,
    attachments: &Attachments,
    capabilities: &Capabilities,
) -> Option<String> {
    let needed = needed_features(draw, attachments);
    let mut needed = needed.into_iter().filter(|(_, needed)| *needed);
    if let Some((feature, _)) = needed.find(|(feature, _)| !capabilities.has_feature(feature)) {
        return Some(format!("the device lacks {feature}"));
    }
    missing_blending(&draw.state, attachments, &capabilities.framebuffer)
        .or_else(|| missing_range(&draw.state, &capabilities.framebuffer))
}

/// Returns the features that draws may need, each with true if this draw needs it.
fn needed_features(draw: &Draw, attachments: &Attachments) -> Vec<(&'static str, bool)> {
    let state = &draw.state;
    let used = &state.attachments[..attachments.colors.len()];
    let [is_list, is_patch] = restart_topology(draw.topology);
    vec![
        ("depthClamp", state.depth_clamp),
        (
            "fillModeNonSolid",
            state.polygon_mode != vk::PolygonMode::FILL,
        ),
        (
            "VK_EXT_conservative_rasterization",
            state.conservative_rasterization != vk::ConservativeRasterizationModeEXT::DISABLED,
        ),
        (
            "depthBiasClamp",
            state.depth_bias && state.depth_bias_clamp != 0.0,
        ),
        ("wideLines", state.line_width != 1.0),
        ("logicOp", state.logic_op_enable),
        (
            "depthBounds",
            state.depth_bounds_test && attachments.has_depth(),
        ),
        (
            "independentBlend",
            used.windows(2).any(|pair| pair[0] != pair[1]),
        ),
        ("dualSrcBlend", used.iter().any(is_dual_source)),
        ("sampleRateShading", state.sample_shading),
        ("alphaToOne", state.alpha_to_one),
        ("multiViewport", state.viewport_count() > 1),
        (
            "primitiveTopologyListRestart",
            state.primitive_restart && is_list,
        ),
        (
            "primitiveTopologyPatchListRestart",
            state.primitive_restart && is_patch,
        ),
    ]
}

/// Returns two flags: the topology is a list of primitives, and a list of patches, which most
/// devices do not restart.
fn restart_topology(topology: vk::PrimitiveTopology) -> [bool; 2] {
    let is_list = matches!(
        topology,
        vk::PrimitiveTopology::POINT_LIST
            | vk::PrimitiveTopology::LINE_LIST
            | vk::PrimitiveTopology::TRIANGLE_LIST
            | vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY
            | vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY
    );
    [is_list, topology == vk::PrimitiveTopology::PATCH_LIST]
}

/// Returns true if blending uses the second color of a fragment program.
fn is_dual_source(state: &BlendState) -> bool {
    let second = |factor| {
        matches!(
            factor,
            vk::BlendFactor::SRC1_COLOR
                | vk::BlendFactor::ONE_MINUS_SRC1_COLOR
                | vk::BlendFactor::SRC1_ALPHA
                | vk::BlendFactor::ONE_MINUS_SRC1_ALPHA
        )
    };
    let factors = [
        state.src_color_factor,
        state.dst_color_factor,
        state.src_alpha_factor,
        state.dst_alpha_factor,
    ];
    state.blend && factors.into_iter().any(second)
}

/// Returns the reason why the device cannot blend an attachment: its format, or dual-source
/// blending of its number. `None` if it can; attachments without blending are not checked.
fn missing_blending(
    state: &PipelineState,
    attachments: &Attachments,
    limits: &FramebufferLimits,
) -> Option<String> {
    let pairs = attachments.colors.iter().zip(&state.attachments);
    for ((format, blend), number) in pairs.zip(0..) {
        let Some(format) = format.as_ref().filter(|_| blend.blend) else {
            continue;
        };
        if !limits.blend_formats.contains(&format.vk.as_raw()) {
            return Some(format!("the device lacks blending of {:?}", format.vk));
        }
        if is_dual_source(blend) && number >= limits.dual_source {
            return Some(format!(
                "the device lacks dual-source blending of attachment {number}"
            ));
        }
    }
    None
}

/// Returns the reason why the width of lines or a viewport is outside the range of the device;
/// `None` if all are within it. Lines of width 1 are always supported.
fn missing_range(state: &PipelineState, limits: &FramebufferLimits) -> Option<String> {
    let [thinnest, widest] = limits.line_width;
    if state.line_width != 1.0 && !(thinnest..=widest).contains(&state.line_width) {
        return Some(format!(
            "the device lacks lines of width {}",
            state.line_width
        ));
    }
    let mut viewports = state.viewports.iter().flatten();
    viewports.find_map(|viewport| missing_viewport(*viewport, limits))
}

/// Returns the reason why a viewport, x, y, width and height in pixels, exceeds the maximum size or
/// the bounds of the device; `None` if it fits. A negative height flips it.
fn missing_viewport([x, y, width, height]: [f32; 4], limits: &FramebufferLimits) -> Option<String> {
    let [max_width, max_height] = limits.viewport.map(|side| side as f32);
    let [first, last] = limits.viewport_bounds;
    let mut corners = [x, y, x + width, y + height].into_iter();
    let fits = width <= max_width
        && height.abs() <= max_height
        && corners.all(|corner| (first..=last).contains(&corner));
    (!fits).then(|| format!("the device lacks viewports such as {x} {y} {width} {height}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capable() -> Capabilities {
        let raw = vk::Format::as_raw;
        let limits = FramebufferLimits {
            size: [4096; 2],
            layers: 256,
            colors: 4,
            color_formats: [
                (raw(vk::Format::R8G8B8A8_UNORM), 0b101),
                (raw(vk::Format::R32_UINT), 1),
            ]
            .into(),
            depth_formats: [(raw(vk::Format::D32_SFLOAT), 0b101)].into(),
            empty_samples: 0b1001,
            blend_formats: [raw(vk::Format::R8G8B8A8_UNORM)].into(),
            dual_source: 1,
            viewport: [4096; 2],
            viewport_bounds: [-8192.0, 8191.0],
            line_width: [1.0, 8.0],
        };
        Capabilities {
            features: ["dualSrcBlend", "independentBlend", "wideLines"].into(),
            framebuffer: limits,
            ..Capabilities::default()
        }
    }

    fn reason(script: &str) -> Option<String> {
        let script = Script::parse(script.as_bytes()).unwrap();
        missing_framebuffer(&script, &capable())
    }

    #[test]
    fn attachments_are_checked_one_by_one() {
        for (lines, missing) in [
            ("", None),
            ("framebuffer 3 R32_UINT\ndepthstencil D32_SFLOAT", None),
            ("samples 4\ndepthstencil D32_SFLOAT", None),
            ("framebuffer none\nsamples 8", None),
            (
                "framebuffer R32_SFLOAT",
                Some("the device lacks R32_SFLOAT as framebuffer format"),
            ),
            (
                "depthstencil S8_UINT",
                Some("the device lacks S8_UINT as depth or stencil format"),
            ),
            (
                "samples 8",
                Some("the device lacks 8 samples of format R8G8B8A8_UNORM"),
            ),
            (
                "framebuffer 1 R32_UINT\nsamples 4",
                Some("the device lacks 4 samples of format R32_UINT"),
            ),
            (
                "framebuffer none\nsamples 4",
                Some("the device lacks 4 samples without attachments"),
            ),
            (
                "fbsize 5000 10",
                Some("the device lacks framebuffers larger than 4096 x 4096"),
            ),
            (
                "fbsize 1 1\nfblayers 300",
                Some("the device lacks framebuffers of more than 256 layers"),
            ),
            (
                "framebuffer 4 R32_UINT",
                Some("the device lacks framebuffers of more than 4 color attachments"),
            ),
        ] {
            let script = format!("[require]\n{lines}\n");
            assert_eq!(reason(&script).as_deref(), missing, "{lines}");
        }
    }

    #[test]
    fn state_needs_features() {
        let state = |lines: &str| {
            let two = "[require]\nframebuffer 1 R32_UINT\ndepthstencil D32_SFLOAT\n[test]\n";
            let draw = "draw arrays TRIANGLE_LIST 0 3";
            reason(&format!("{two}{lines}\n{draw}\n"))
        };
        for (lines, feature) in [
            ("depthClampEnable true", "depthClamp"),
            ("polygonMode LINE", "fillModeNonSolid"),
            ("depthBiasEnable true\ndepthBiasClamp 1", "depthBiasClamp"),
            ("logicOpEnable true", "logicOp"),
            ("depthBoundsTestEnable true", "depthBounds"),
            ("sampleShadingEnable true", "sampleRateShading"),
            (
                "conservativeRasterizationMode OVERESTIMATE",
                "VK_EXT_conservative_rasterization",
            ),
            ("alphaToOneEnable true", "alphaToOne"),
            ("viewport index 3 0 0 4 4", "multiViewport"),
            (
                "primitiveRestartEnable true",
                "primitiveTopologyListRestart",
            ),
        ] {
            let missing = format!("the device lacks {feature}");
            assert_eq!(state(lines), Some(missing));
        }
        for lines in [
            "depthBiasClamp 1",
            "attachment 1 blendEnable true\nattachment 1 blendEnable false",
            "attachment 1 colorWriteMask 0",
            "lineWidth 8",
            "viewport -1 -1 4096 -4096",
        ] {
            assert_eq!(state(lines), None, "{lines}");
        }
        assert_eq!(
            state("blendEnable true").as_deref(),
            Some("the device lacks blending of R32_UINT")
        );
        assert_eq!(
            state("lineWidth 9").as_deref(),
            Some("the device lacks lines of width 9")
        );
        assert_eq!(
            state("viewport 0 0 5000 1").as_deref(),
            Some("the device lacks viewports such as 0 0 5000 1")
        );
        assert_eq!(
            state("viewport 8000 0 1000 1").as_deref(),
            Some("the device lacks viewports such as 8000 0 1000 1")
        );
    }

    #[test]
    fn two_colors_are_blended_in_the_first_attachments() {
        let second = |lines: &str| {
            let require = "[require]\nframebuffer 1 R8G8B8A8_UNORM\n[test]\n";
            reason(&format!("{require}{lines}\ndraw rect 0 0 1 1\n"))
        };
        let factor = "srcAlphaBlendFactor SRC1_ALPHA";
        assert_eq!(second(factor), None);
        assert_eq!(
            second(&format!("attachment 0 blendEnable true\n{factor}")),
            None
        );
        assert_eq!(
            second(&format!("blendEnable true\n{factor}")).as_deref(),
            Some("the device lacks dual-source blending of attachment 1")
        );
    }
}
