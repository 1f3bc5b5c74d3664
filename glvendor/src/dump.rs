//! `GLASM_DUMP=directory`: the programs of each pipeline, with their parameters, as a script that
//! `glasm run` replays.

use crate::context::State;
use crate::ffi::trusted_variable;
use crate::log;
use crate::objects::Bits;
use crate::params::Block;
use crate::pipeline::{Programs, STAGES};
use glasm::ParamSource;
use glasm::state::{Face, GlState, Matrix, StateParam};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    trusted_variable("GLASM_DUMP")
        .filter(|it| !it.is_empty())
        .map(PathBuf::from)
});

/// Sections of scripts and suffixes of their parameters, by stage.
const NAMES: [(&str, &str); STAGES] = [
    ("vertex", "vp"),
    ("tess control", "tcp"),
    ("tess eval", "tep"),
    ("geometry", "gp"),
    ("fragment", "fp"),
];

/// Returns true if scripts are to be written.
pub(crate) fn is_wanted() -> bool {
    FOLDER.is_some()
}

/// Writes the script of a pipeline whose parameters were just read.
pub(crate) fn write(state: &State, programs: &Programs, blocks: &[Block]) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let Some(folder) = FOLDER.as_ref() else {
        return;
    };
    let path = folder.join(format!(
        "{:04}.shader_test",
        NUMBER.fetch_add(1, Ordering::Relaxed)
    ));
    let text = script(state, programs, blocks);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
    match written {
        Ok(()) => log::info(format_args!("wrote {}", path.display())),
        Err(problem) => log::error(format_args!("{} is not written: {problem}", path.display())),
    }
}

fn script(state: &State, programs: &Programs, blocks: &[Block]) -> String {
    let mut text =
        String::from("# Programs that drew together, with what they read at the first draw.\n\n");
    text.push_str("[require]\nGL >= 2.0\nfbsize 256 256\nframebuffer R8G8B8A8_UNORM\n");
    for (program, (section, _)) in programs.iter().zip(NAMES) {
        let Some(program) = program else { continue };
        let source = program.contents().text.clone();
        let _ = write!(
            text,
            "\n[{section} program]\n{}\n",
            String::from_utf8_lossy(&source).trim_end()
        );
    }
    text.push_str("\n[test]\nclear color 0 0 0 0\nclear\n");
    let mut params: Vec<StateParam> = Vec::new();
    for block in blocks {
        for slot in &block.slots {
            match slot {
                ParamSource::Env(index) => line(&mut text, state, block, "env", *index, *slot),
                ParamSource::Local(index) => line(&mut text, state, block, "local", *index, *slot),
                ParamSource::State(param) => params.push(*param),
                ParamSource::Subroutine(_)
                | ParamSource::Literal(_)
                | ParamSource::Named(_)
                | ParamSource::Argument => {}
            }
        }
    }
    gl_state(&mut text, &state.gl, &params);
    text.push_str("draw rect -1 -1 2 2\n");
    text
}

/// Writes `parameter local_fp 3 (0x3f800000, ...)`: the bits, which are exact.
fn line(
    text: &mut String,
    state: &State,
    block: &Block,
    bank: &str,
    index: u32,
    slot: ParamSource,
) {
    let Some(target) = block.target else { return };
    let place = crate::pipeline::TARGETS_OF_STAGES
        .iter()
        .position(|it| it.row().stage == target.row().stage);
    let suffix = place.map_or("cp", |place| NAMES[place].1);
    let [x, y, z, w]: Bits = block.value(Some(state.bound(target)), &state.gl, slot);
    let _ = writeln!(
        text,
        "parameter {bank}_{suffix} {index} (0x{x:08x}, 0x{y:08x}, 0x{z:08x}, 0x{w:08x})"
    );
}

/// Writes GL's state, to the extent that the parameters may read it.
fn gl_state(text: &mut String, gl: &GlState, params: &[StateParam]) {
    let reads = |test: fn(&StateParam) -> bool| params.iter().any(test);
    lighting(text, gl);
    let _ = writeln!(
        text,
        "lightmodel ambient {}",
        words(&gl.light_model_ambient)
    );
    if reads(|it| matches!(it, StateParam::FogColor | StateParam::FogParams)) {
        let _ = writeln!(text, "fog color {}", words(&gl.fog.color));
        let _ = writeln!(
            text,
            "fog density {}\nfog start {}\nfog end {}",
            gl.fog.density, gl.fog.start, gl.fog.end
        );
    }
    for (unit, color) in gl.texenv_color.iter().enumerate() {
        let _ = writeln!(text, "texenv {unit} color {}", words(color));
    }
    matrix(text, "projection", &gl.projection);
    for (name, matrices) in [("texture", &gl.texture), ("program", &gl.program)] {
        for (number, it) in matrices.iter().enumerate() {
            matrix(text, &format!("{name} {number}"), it);
        }
    }
    if let Some(modelview) = gl.modelview.first() {
        matrix(text, "modelview", modelview);
    }
}

/// Writes lights, whose positions are in eye space and are set before the modelview matrix, and
/// materials.
fn lighting(text: &mut String, gl: &GlState) {
    for (number, light) in gl.lights.iter().enumerate() {
        for (name, color) in [
            ("ambient", light.ambient),
            ("diffuse", light.diffuse),
            ("specular", light.specular),
            ("position", light.position),
        ] {
            let _ = writeln!(text, "light {number} {name} {}", words(&color));
        }
        let _ = writeln!(
            text,
            "light {number} spot_direction {}",
            words(&light.spot_direction)
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
            let _ = writeln!(text, "material {name} {term} {}", words(&color));
        }
        let _ = writeln!(text, "material {name} shininess {}", material.shininess);
    }
}

/// Writes a matrix, row by row.
fn matrix(text: &mut String, name: &str, matrix: &Matrix) {
    let rows: Vec<f32> = (0..4)
        .flat_map(|row| (0..4).map(move |column| matrix[column][row]))
        .collect();
    let _ = writeln!(text, "matrix {name} load {}", words(&rows));
}

fn words(values: &[f32]) -> String {
    let words: Vec<String> = values.iter().map(|it| it.to_string()).collect();
    words.join(" ")
}
