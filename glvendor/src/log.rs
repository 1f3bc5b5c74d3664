//! Messages on the standard error stream: a line for each failure, more with `GLASM_LOG=info`, none
//! with `GLASM_LOG=off`.
//!
//! With `GLASM_DUMP_DIR=directory`, also the programs of each pipeline, with their parameters, as a
//! script that `glasm run` replays.

use crate::context::State;
use crate::ffi::write_message;
use crate::pipeline::{Programs, STAGES};
use crate::program_parameters::UniformBlock;
use crate::settings;
use crate::share_group::VectorBits;
use glasm::ParamSource;
use glasm::state::{Face, GlState, Matrix, StateParam};
use glasm_settings::LogLevel;
use std::fmt::{Display, Write as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Sections of scripts and suffixes of their parameters, by stage.
const SECTION_NAMES: [(&str, &str); STAGES] = [
    ("vertex", "vp"),
    ("tess control", "tcp"),
    ("tess eval", "tep"),
    ("geometry", "gp"),
    ("fragment", "fp"),
];

/// Returns true if a setting names a directory to which draws are written as scripts.
pub(crate) fn dumps_scripts() -> bool {
    settings::current().dump_dir().is_some()
}

/// Writes a pipeline with its current parameters to a new script file in the directory that
/// `GLASM_DUMP_DIR` names, which is created, and logs its path or the failure. Does nothing without
/// the setting.
pub(crate) fn dump_script(state: &State, programs: &Programs, blocks: &[UniformBlock]) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Some(dir) = settings::current().dump_dir() else {
        return;
    };
    let path = dir.join(format!(
        "{:04}.shader_test",
        NUMBER.fetch_add(1, Ordering::Relaxed)
    ));
    let text = format_script(state, programs, blocks);
    let written = std::fs::create_dir_all(dir).and_then(|()| std::fs::write(&path, text));
    match written {
        Ok(()) => info(format_args!("wrote {}", path.display())),
        Err(problem) => error(format_args!("{} is not written: {problem}", path.display())),
    }
}

/// Formats programs and the values of their parameters as a `.shader_test` script. Named and
/// subroutine parameters are omitted.
fn format_script(state: &State, programs: &Programs, blocks: &[UniformBlock]) -> String {
    let mut text =
        String::from("# Programs that drew together, with what they read at the first draw.\n\n");
    text.push_str("[require]\nGL >= 2.0\nfbsize 256 256\nframebuffer R8G8B8A8_UNORM\n");
    for (program, (section, _)) in programs.iter().zip(SECTION_NAMES) {
        let Some(program) = program else { continue };
        let source = program.contents().program_string.clone();
        let _ = write!(
            text,
            "\n[{section} program]\n{}\n",
            String::from_utf8_lossy(&source).trim_end()
        );
    }
    text.push_str("\n[test]\nclear color 0 0 0 0\nclear\n");
    let mut params: Vec<StateParam> = Vec::new();
    for block in blocks {
        for slot in &block.sources {
            match slot {
                ParamSource::Env(index) => {
                    write_parameter_line(&mut text, state, block, "env", *index, *slot)
                }
                ParamSource::Local(index) => {
                    write_parameter_line(&mut text, state, block, "local", *index, *slot)
                }
                ParamSource::State(param) => params.push(*param),
                ParamSource::Subroutine(_)
                | ParamSource::Literal(_)
                | ParamSource::Named(_)
                | ParamSource::Argument => {}
            }
        }
    }
    write_gl_state(&mut text, &state.gl, &params);
    text.push_str("draw rect -1 -1 2 2\n");
    text
}

/// Writes `parameter local_fp 3 (0x3f800000, ...)`: the bits, which are exact. Writes nothing for
/// blocks of generated stages.
fn write_parameter_line(
    text: &mut String,
    state: &State,
    block: &UniformBlock,
    bank: &str,
    index: u32,
    slot: ParamSource,
) {
    let Some(target) = block.target else { return };
    let stage_index = crate::pipeline::TARGETS_OF_STAGES
        .iter()
        .position(|it| it.properties().stage == target.properties().stage);
    let suffix = stage_index.map_or("cp", |stage_index| SECTION_NAMES[stage_index].1);
    let [x, y, z, w]: VectorBits =
        block.source_value(Some(state.target_state(target)), &state.gl, slot);
    let _ = writeln!(
        text,
        "parameter {bank}_{suffix} {index} (0x{x:08x}, 0x{y:08x}, 0x{z:08x}, 0x{w:08x})"
    );
}

/// Writes the commands that set the GL state which the parameters may read. Fog is written only if
/// one of them reads it, clip planes, points, viewport and texture generation are not.
fn write_gl_state(text: &mut String, gl: &GlState, params: &[StateParam]) {
    let reads = |test: fn(&StateParam) -> bool| params.iter().any(test);
    write_lighting(text, gl);
    let _ = writeln!(
        text,
        "lightmodel ambient {}",
        format_components(&gl.light_model_ambient)
    );
    if reads(|it| matches!(it, StateParam::FogColor | StateParam::FogParams)) {
        let _ = writeln!(text, "fog color {}", format_components(&gl.fog.color));
        let _ = writeln!(
            text,
            "fog density {}\nfog start {}\nfog end {}",
            gl.fog.density, gl.fog.start, gl.fog.end
        );
    }
    for (unit, color) in gl.texenv_color.iter().enumerate() {
        let _ = writeln!(text, "texenv {unit} color {}", format_components(color));
    }
    write_matrix(text, "projection", &gl.projection);
    for (name, matrices) in [("texture", &gl.texture), ("program", &gl.program)] {
        for (number, it) in matrices.iter().enumerate() {
            write_matrix(text, &format!("{name} {number}"), it);
        }
    }
    if let Some(modelview) = gl.modelview.first() {
        write_matrix(text, "modelview", modelview);
    }
}

/// Writes lights and materials. Positions of lights are in eye space, so that they must be set
/// before the modelview matrix.
fn write_lighting(text: &mut String, gl: &GlState) {
    for (number, light) in gl.lights.iter().enumerate() {
        for (name, color) in [
            ("ambient", light.ambient),
            ("diffuse", light.diffuse),
            ("specular", light.specular),
            ("position", light.position),
        ] {
            let _ = writeln!(text, "light {number} {name} {}", format_components(&color));
        }
        let _ = writeln!(
            text,
            "light {number} spot_direction {}",
            format_components(&light.spot_direction)
        );
        let _ = writeln!(text, "light {number} spot_exponent {}", light.spot_exponent);
        let _ = writeln!(text, "light {number} spot_cutoff {}", light.spot_cutoff);
        for (name, value) in ["constant", "linear", "quadratic"]
            .into_iter()
            .zip(light.attenuation)
        {
            let _ = writeln!(text, "light {number} {name}_attenuation {value}");
        }
    }
    for (name, face) in [("front", Face::Front), ("back", Face::Back)] {
        let material = gl.material(face);
        for (term, color) in [
            ("ambient", material.ambient),
            ("diffuse", material.diffuse),
            ("specular", material.specular),
            ("emission", material.emission),
        ] {
            let _ = writeln!(text, "material {name} {term} {}", format_components(&color));
        }
        let _ = writeln!(text, "material {name} shininess {}", material.shininess);
    }
}

/// Appends a command of a script that loads a matrix, with its components in row-major order.
fn write_matrix(text: &mut String, name: &str, matrix: &Matrix) {
    let rows: Vec<f32> = (0..4)
        .flat_map(|row| (0..4).map(move |column| matrix[column][row]))
        .collect();
    let _ = writeln!(text, "matrix {name} load {}", format_components(&rows));
}

/// Formats the components of a vector, separated by spaces.
fn format_components(values: &[f32]) -> String {
    let words: Vec<String> = values.iter().map(|it| it.to_string()).collect();
    words.join(" ")
}

static LEVEL: LazyLock<LogLevel> = LazyLock::new(|| {
    let level = settings::initial().log().copied();
    level.unwrap_or(LogLevel::Error)
});

/// Prints a message to the standard error stream, unless `GLASM_LOG` excludes its level.
fn print_message(level: LogLevel, message: impl Display) {
    if *LEVEL >= level {
        write_message(message);
    }
}

/// Prints an error message if the log level includes errors.
pub(crate) fn error(message: impl Display) {
    print_message(LogLevel::Error, message);
}

/// Prints a message about a loaded or combined program if the log level includes information.
pub(crate) fn info(message: impl Display) {
    print_message(LogLevel::Info, message);
}
