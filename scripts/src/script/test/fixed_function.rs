//! Commands that set fixed-function state by GL's names, and `depthrange`.

use super::fixed_state::find_capability;
use super::gl_state::parse_program_point_size;
use super::parser::TestParser;
use super::textures::tex_parameters::parse_texture_enable;
use crate::script::command::{Command, FixedUpdate, StateUpdate, Switch};
use crate::script::pipeline_state::PipelineState;
use crate::script::tokenizer::{LineError, WordCursor};
use ash::vk;

/// Function that sets a capability of GL.
type SetCapability = fn(&mut PipelineState, bool);

/// GL's capabilities.
const CAPABILITIES: &[(&str, SetCapability)] = &[
    ("GL_BLEND", |state, on| {
        // GL enables blending for all draw buffers unless one is named.
        state.attachments.iter_mut().for_each(|it| it.blend = on);
    }),
    ("GL_COLOR_LOGIC_OP", |state, on| state.logic_op_enable = on),
    ("GL_CULL_FACE", |state, on| {
        state.cull_mode = if on {
            // The initial CULL_FACE_MODE.
            vk::CullModeFlags::BACK
        } else {
            vk::CullModeFlags::NONE
        };
    }),
    ("GL_DEPTH_BOUNDS_TEST_EXT", |state, on| {
        state.depth_bounds_test = on;
    }),
    ("GL_DEPTH_CLAMP", |state, on| state.depth_clamp = on),
    // GL writes depth wherever it tests it.
    ("GL_DEPTH_TEST", |state, on| {
        (state.depth_test, state.depth_write) = (on, on);
    }),
    ("GL_POLYGON_OFFSET_FILL", |state, on| state.depth_bias = on),
    ("GL_PRIMITIVE_RESTART", |state, on| {
        state.primitive_restart = on;
    }),
    ("GL_RASTERIZER_DISCARD", |state, on| {
        state.rasterizer_discard = on;
    }),
    ("GL_SAMPLE_ALPHA_TO_COVERAGE", |state, on| {
        state.alpha_to_coverage = on;
    }),
    ("GL_SAMPLE_ALPHA_TO_ONE", |state, on| {
        state.alpha_to_one = on
    }),
    ("GL_SAMPLE_SHADING", |state, on| state.sample_shading = on),
    ("GL_STENCIL_TEST", |state, on| state.stencil_test = on),
];

/// Parses the argument of `enable GL_...` or `disable GL_...`. Stores the state of later draws, or
/// appends a command for GL state that programs are compiled for. Returns an error for capabilities
/// that are not supported; those that are always on can be enabled.
pub(super) fn parse_enable(
    parser: &mut TestParser,
    switch: Switch,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let name = words.next_word("a GL capability")?;
    if let Some(capability) = find_capability(name, parser.units.active) {
        let update = FixedUpdate::Enable(capability, switch);
        return parser.push_command(words, Command::GlState(StateUpdate::Fixed(update)));
    }
    if name.starts_with("GL_TEXTURE_") && !name.starts_with("GL_TEXTURE_GEN_") {
        return parse_texture_enable(parser, name, switch, words);
    }
    if name == "GL_PROGRAM_POINT_SIZE" {
        return parse_program_point_size(parser, switch, words);
    }
    let Some((_, set)) = CAPABILITIES.iter().find(|(known, _)| *known == name) else {
        return if switch == Switch::On && is_always_on(name) {
            words.expect_end()
        } else {
            Err(words.error_at_last(format!("`{name}` is not supported")))
        };
    };
    set(&mut parser.pipeline, switch == Switch::On);
    words.expect_end()
}

/// Returns true for capabilities that are always on. Vulkan has no switch for clip distances: those
/// that a program writes are always enabled.
fn is_always_on(name: &str) -> bool {
    let clip = ["GL_CLIP_PLANE", "GL_CLIP_DISTANCE"].into_iter();
    let mut numbers = clip.filter_map(|prefix| name.strip_prefix(prefix));
    numbers.any(|number| matches!(number.as_bytes(), [b'0'..=b'7']))
}

/// GL's comparisons, in the order of Vulkan's.
const COMPARISONS: &[&str] = &[
    "GL_NEVER",
    "GL_LESS",
    "GL_EQUAL",
    "GL_LEQUAL",
    "GL_GREATER",
    "GL_NOTEQUAL",
    "GL_GEQUAL",
    "GL_ALWAYS",
];

/// Parses the argument of `depthfunc GL_...`, and stores the depth comparison of later draws.
pub(super) fn parse_depth_func(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let raw = words.parse_with("a comparison such as GL_LEQUAL", |word| {
        let found = COMPARISONS.iter().zip(0..).find(|(name, _)| **name == word);
        found.map(|(_, raw)| raw)
    })?;
    parser.pipeline.depth_compare_op = vk::CompareOp::from_raw(raw);
    words.expect_end()
}

const POLYGON_MODES: &[(&str, vk::PolygonMode)] = &[
    ("GL_FILL", vk::PolygonMode::FILL),
    ("GL_LINE", vk::PolygonMode::LINE),
    ("GL_POINT", vk::PolygonMode::POINT),
];

/// Parses the arguments of `polygon mode GL_FRONT_AND_BACK GL_...`, and stores the polygon mode of
/// later draws. Returns an error for single faces, which Vulkan cannot distinguish.
pub(super) fn parse_polygon_mode(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.parse_with("`mode`", |word| (word == "mode").then_some(()))?;
    // Vulkan has one mode for both faces.
    words.parse_with("GL_FRONT_AND_BACK", |word| {
        (word == "GL_FRONT_AND_BACK").then_some(())
    })?;
    parser.pipeline.polygon_mode = words.parse_with("GL_FILL, GL_LINE or GL_POINT", |word| {
        let found = POLYGON_MODES.iter().find(|(name, _)| *name == word);
        found.map(|(_, mode)| *mode)
    })?;
    words.expect_end()
}

/// Parses the arguments of `depthrange NEAR FAR`, stores the depth range of later draws, and
/// appends the command for programs that read it.
pub(super) fn parse_depth_range(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let mut bound = || {
        words.parse_with("a depth from 0 to 1", |word| {
            word.parse()
                .ok()
                .filter(|depth| (0.0..=1.0).contains(depth))
        })
    };
    let range = [bound()?, bound()?];
    parser.pipeline.depth_range = range;
    parser.push_command(words, Command::DepthRange(range))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    /// Returns the state of a draw after some lines.
    fn state(lines: &str) -> PipelineState {
        let text = format!("[test]\n{lines}\ndraw rect 0 0 1 1\n");
        let script = Script::parse(text.as_bytes()).unwrap();
        match script.steps.last().map(|step| &step.command) {
            Some(Command::Draw(draw)) => draw.state,
            other => panic!("{other:?}"),
        }
    }

    fn error(line: &str) -> String {
        let errors = Script::parse(format!("[test]\n{line}\n").as_bytes()).unwrap_err();
        errors[0].message.clone()
    }

    #[test]
    fn capabilities_switch_on_and_off() {
        let names: Vec<&str> = CAPABILITIES.iter().map(|(name, _)| *name).collect();
        assert!(names.is_sorted());
        for name in names {
            let on = state(&format!("enable {name}"));
            assert_ne!(on, PipelineState::default(), "{name}");
            let off = state(&format!("enable {name}\ndisable {name}"));
            assert_eq!(off, PipelineState::default(), "{name}");
        }
        assert!(state("enable GL_DEPTH_TEST").depth_write);
    }

    #[test]
    fn what_vulkan_cannot_switch_off_can_only_be_on() {
        for name in ["GL_CLIP_PLANE7", "GL_CLIP_DISTANCE0"] {
            assert_eq!(state(&format!("enable {name}")), PipelineState::default());
            assert_eq!(
                error(&format!("disable {name}")),
                format!("`{name}` is not supported")
            );
        }
        assert_eq!(
            error("enable GL_CLIP_PLANE8"),
            "`GL_CLIP_PLANE8` is not supported"
        );
        assert_eq!(
            error("enable GL_MAP1_INDEX"),
            "`GL_MAP1_INDEX` is not supported"
        );
    }

    #[test]
    fn gl_names_of_comparisons_and_modes() {
        let compare = |name: &str| state(&format!("depthfunc {name}")).depth_compare_op;
        assert_eq!(compare("GL_NEVER"), vk::CompareOp::NEVER);
        assert_eq!(compare("GL_LEQUAL"), vk::CompareOp::LESS_OR_EQUAL);
        assert_eq!(compare("GL_NOTEQUAL"), vk::CompareOp::NOT_EQUAL);
        assert_eq!(compare("GL_GEQUAL"), vk::CompareOp::GREATER_OR_EQUAL);
        assert_eq!(compare("GL_ALWAYS"), vk::CompareOp::ALWAYS);
        assert_eq!(
            error("depthfunc LESS"),
            "`LESS` is not a comparison such as GL_LEQUAL"
        );
        assert_eq!(
            state("polygon mode GL_FRONT_AND_BACK GL_LINE").polygon_mode,
            vk::PolygonMode::LINE
        );
        assert_eq!(
            error("polygon mode GL_FRONT GL_LINE"),
            "`GL_FRONT` is not GL_FRONT_AND_BACK"
        );
    }

    #[test]
    fn depth_ranges_are_state_of_viewport_and_programs() {
        let script = Script::parse(b"[test]\ndepthrange 0.75 0.25\ndraw rect 0 0 1 1\n").unwrap();
        assert_eq!(script.steps[0].command, Command::DepthRange([0.75, 0.25]));
        assert_eq!(state("depthrange 0.75 0.25").depth_range, [0.75, 0.25]);
        assert_eq!(error("depthrange 0 2"), "`2` is not a depth from 0 to 1");
        assert_eq!(error("depthrange 0"), "a depth from 0 to 1 is missing");
    }
}
