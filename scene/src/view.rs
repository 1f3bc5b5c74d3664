//! Matrices and other GL state of a scene, as commands of scripts, and their values.

use super::options::SceneOptions;
use super::program::{InputSetting, SceneInput};
use super::state_usage::StateUsage;
use glasm::state::GlState;
use glasm_scripts::gl_state;
use glasm_scripts::params::Params;
use glasm_scripts::script::{Command, Script};

/// Orientation of the view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ViewKind {
    /// On the torus, whose axis is z.
    Torus,
    /// On a model whose y axis points upward.
    Model,
}

impl ViewKind {
    /// Returns the operations on the modelview matrix, before the rotation of a frame.
    fn operations(self) -> &'static [&'static str] {
        match self {
            Self::Torus => &["translate 0 0 -5", "rotate -50 1 0 0"],
            Self::Model => &["translate 0 0 -5", "rotate 20 1 0 0", "rotate -30 0 1 0"],
        }
    }

    /// Returns the axis around which the view rotates.
    fn axis(self) -> &'static str {
        match self {
            Self::Torus => "0 0 1",
            Self::Model => "0 1 0",
        }
    }
}

/// Returns the commands that set the matrices for a frame: those of the options, otherwise a
/// perspective view of the scene.
pub(super) fn format_matrices(options: &SceneOptions, kind: ViewKind, frame: u32) -> String {
    let [width, height] = options.size.map(f64::from);
    let aspect = (width / height * 1e4).round() / 1e4;
    let perspective = format!("perspective 35 {aspect} 1 10");
    let mut text = String::new();
    let mut add = |name: &str, operations: &[&str]| {
        let lines = ["identity"].iter().chain(operations);
        let lines = lines.map(|operation| format!("matrix {name} {operation}\n"));
        text += &lines.collect::<String>();
    };
    let given = |name: &str| {
        let mut settings = options.matrices.iter().rev();
        let setting = settings.find(|setting| setting.name == name)?;
        let operations = setting.operations.iter().map(String::as_str);
        Some(operations.collect::<Vec<&str>>())
    };
    add(
        "projection",
        &given("projection").unwrap_or_else(|| vec![&perspective]),
    );
    let mut modelview = given("modelview").unwrap_or_else(|| kind.operations().to_vec());
    let angle = 360.0 * f64::from(frame) / f64::from(options.frames.max(1));
    let angle = (angle * 1e3).round() / 1e3;
    let rotation = format!("rotate {angle} {}", kind.axis());
    if frame > 0 {
        modelview.push(&rotation);
    }
    add("modelview", &modelview);
    for setting in &options.matrices {
        if !matches!(setting.name.as_str(), "projection" | "modelview") {
            let operations: Vec<&str> = setting.operations.iter().map(String::as_str).collect();
            add(&setting.name, &operations);
        }
    }
    text
}

/// Returns the GL state after commands. Commands that set other state have no effect, and those
/// that are not valid are ignored: the complete script is checked later.
pub(super) fn evaluate_state(commands: &str) -> GlState {
    let mut params = Params::default();
    let is_matrix = |line: &&str| {
        let word = line.split_whitespace().next();
        matches!(word, Some("matrix" | "ortho" | "frustum"))
    };
    let lines = commands.lines().filter(is_matrix);
    let text = format!("[test]\n{}\n", lines.collect::<Vec<_>>().join("\n"));
    let steps = Script::parse(text.as_bytes()).map(|script| script.steps);
    for step in steps.unwrap_or_default() {
        if let Command::Matrix { target, update } = step.command {
            params.update_matrix(target, update);
        } else if let Command::GlState(update) = step.command {
            gl_state::apply(&mut params.state, update);
        }
    }
    params.state
}

/// Positions of lights in eye space, in turn: directions of length 1, because programs often use
/// those of lights at infinity without normalizing them.
const LIGHT_POSITIONS: [&str; 4] = [
    "0.36 0.48 0.8 0",
    "-0.8 0.36 0.48 0",
    "0.48 -0.8 0.36 0",
    "0 0.6 -0.8 0",
];

/// Colors of lights, in turn.
const LIGHT_COLORS: [&str; 4] = [
    "0.9 0.9 0.85 1",
    "0.4 0.5 0.8 1",
    "0.7 0.45 0.3 1",
    "0.3 0.6 0.4 1",
];

/// Returns the names of state that programs read and whose initial values in GL show little, each
/// with the command that sets it: lights, material, fog and texture environments.
fn list_state(usage: &StateUsage) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut add = |name: String, line: String| lines.push((name, line));
    for light in &usage.lights {
        let index = *light as usize % LIGHT_POSITIONS.len();
        let (position, color) = (LIGHT_POSITIONS[index], LIGHT_COLORS[index]);
        for (property, value) in [
            ("position", position),
            ("ambient", "0.1 0.1 0.1 1"),
            ("diffuse", color),
            ("specular", color),
        ] {
            add(
                format!("state.light[{light}].{property}"),
                format!("light {light} {property} {value}"),
            );
        }
    }
    if usage.material {
        for (property, value) in [
            ("ambient_and_diffuse", "0.8 0.7 0.6 1"),
            ("specular", "0.5 0.5 0.5 1"),
            ("shininess", "32"),
        ] {
            add(
                format!("state.material.{property}"),
                format!("material both {property} {value}"),
            );
        }
    }
    if usage.fog {
        for (property, value) in [
            ("color", "0.5 0.6 0.7 1"),
            ("density", "0.15"),
            ("start", "3"),
            ("end", "8"),
        ] {
            add(
                format!("state.fog.{property}"),
                format!("fog {property} {value}"),
            );
        }
    }
    for unit in &usage.environments {
        add(
            format!("state.texenv[{unit}].color"),
            format!("texenv {unit} color 1 0.8 0.6 1"),
        );
    }
    for plane in &usage.clip_planes {
        // The scene is on its positive side.
        add(
            format!("state.clip[{plane}].plane"),
            format!("clipplane {plane} 0 0 1 10"),
        );
    }
    lines
}

/// Returns the commands that set the state which programs read and whose initial values in GL show
/// little, then those of the options for lights. Appends the state that no option sets to the
/// inputs.
pub(super) fn format_state(
    usage: &StateUsage,
    options: &SceneOptions,
    inputs: &mut Vec<SceneInput>,
) -> String {
    let mut text = String::new();
    let given = options.lights.iter().chain(&options.state);
    let given: Vec<&String> = given.collect();
    for (name, line) in list_state(usage) {
        let (command, value) = split_command(&line);
        // A line of the options that sets the same follows.
        if !given.iter().any(|other| other.starts_with(command)) {
            inputs.push(SceneInput {
                name,
                value: value.to_owned(),
                option: match command.strip_prefix("light ") {
                    Some(property) => format!("--light \"{property}...\""),
                    None => format!("--state \"{command}...\""),
                },
                setting: InputSetting::Line(command.to_owned()),
            });
        }
        text += &format!("{line}\n");
    }
    for line in &options.lights {
        text += &format!("{line}\n");
    }
    text
}

/// Splits a command of this module into its words, with the space after them, and its numbers.
fn split_command(line: &str) -> (&str, &str) {
    let words = line.split_inclusive(' ');
    let mut end = 0;
    let mut last_name = 0;
    for word in words {
        end += word.len();
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            last_name = end;
        }
    }
    line.split_at(last_name)
}

/// Appends matrices that programs read, that are not of the view, and that neither the options nor
/// the use of parameters set.
pub(super) fn append_matrix_inputs(
    usage: &StateUsage,
    options: &SceneOptions,
    is_set: impl Fn(&str) -> bool,
    inputs: &mut Vec<SceneInput>,
) {
    for name in &usage.matrices {
        let is_given = options.matrices.iter().any(|setting| setting.name == *name);
        if !is_given && !is_set(name) {
            inputs.push(SceneInput {
                name: format!("matrix {name}"),
                value: "identity".to_owned(),
                option: format!("--matrix \"{name}=...\""),
                setting: InputSetting::None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::state::matrix;

    #[test]
    fn frames_rotate_the_view_by_one_turn() {
        let options = SceneOptions {
            frames: 4,
            size: [200, 100],
            ..SceneOptions::default()
        };
        let state = |frame| evaluate_state(&format_matrices(&options, ViewKind::Torus, frame));
        let first = state(0);
        assert_eq!(first.projection, matrix::perspective(35.0, 2.0, 1.0, 10.0));
        // A quarter turn around z maps x to y.
        let corner = |state: &GlState, vector| matrix::transform(&state.modelview[0], vector);
        let turned = corner(&state(1), [1.0, 0.0, 0.0, 1.0]);
        let expected = corner(&first, [0.0, 1.0, 0.0, 1.0]);
        for (a, b) in turned.iter().zip(expected) {
            assert!((a - b).abs() < 1e-5, "{turned:?} {expected:?}");
        }
    }

    #[test]
    fn matrices_of_the_options_replace_those_of_the_view() {
        let options = SceneOptions {
            matrices: vec![
                "modelview=scale 2 2 2".parse().unwrap(),
                "program 1=translate 1 2 3".parse().unwrap(),
            ],
            ..SceneOptions::default()
        };
        let state = evaluate_state(&format_matrices(&options, ViewKind::Torus, 0));
        assert_eq!(state.modelview, [matrix::scaling([2.0; 3])]);
        assert_eq!(state.program[1], matrix::translation([1.0, 2.0, 3.0]));
    }

    #[test]
    fn commands_have_words_and_numbers() {
        assert_eq!(
            split_command("light 0 diffuse 0.5 1 1 1"),
            ("light 0 diffuse ", "0.5 1 1 1")
        );
        assert_eq!(split_command("fog density 0.15"), ("fog density ", "0.15"));
    }
}
