//! All scripts of the repository on a driver that accepts every program and runs none: detects
//! errors of the runner such as commands in the wrong order, or incompatible formats.

use super::{acceptance, assembler, execute};
use crate::gl::mock_accepting_driver::open_mock_accepting;
use crate::options::{ObservationMode, RunOptions};
use crate::required_extensions::required_extensions;
use crate::requirements::skip_reason;
use glasm_scripts::discover::find_scripts;
use glasm_scripts::results::OutputFiles;
use glasm_scripts::script::{ProgramForm, Script};
use std::path::Path;

/// Extensions that scripts use in addition to the languages of their programs.
const EXTENSIONS: &[&str] = &[
    "GL_EXT_depth_bounds_test",
    "GL_NV_bindless_texture",
    "GL_NV_conservative_raster",
    "GL_NV_gpu_program4",
    "GL_NV_gpu_program5",
    "GL_NV_shader_buffer_load",
    "GL_NV_transform_feedback",
    "GL_NV_transform_feedback2",
];

/// Extensions with limits that only a driver can report.
const LIMITED: &[&str] = &[
    "GL_ARB_compute_variable_group_size",
    "GL_ARB_matrix_palette",
    "GL_ARB_vertex_blend",
];

/// Returns the NV extensions that the programs and requirements of a script need.
fn needed_extensions(script: &Script) -> Vec<String> {
    let own = script.programs.iter();
    let programs = own.chain(script.alternates.iter().map(|alternate| &alternate.program));
    let assembly = programs.filter(|program| program.form == ProgramForm::Assembly);
    let named = script.requirements.gl_extensions.iter();
    let named = named.filter(|name| name.starts_with("GL_NV_"));
    assembly
        .flat_map(|program| {
            required_extensions(
                assembler::target_for_type(program.program_type),
                &program.text,
            )
        })
        .chain(named.cloned())
        .chain(EXTENSIONS.iter().map(|name| (*name).to_owned()))
        .filter(|name| !LIMITED.contains(&name.as_str()))
        .collect()
}

/// Returns the failures of a script other than probes, of which few can pass. `None`: there is no
/// device.
fn run_and_list_failures(path: &Path) -> Option<Vec<String>> {
    let text = std::fs::read(path).expect("the file can be read");
    let Ok(script) = Script::parse_runnable(&text) else {
        return Some(Vec::new());
    };
    let names = needed_extensions(&script);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let gl = open_mock_accepting(&names)?;
    let expects_errors = acceptance::check_expected_errors(&gl, &script).is_some();
    if expects_errors || skip_reason(&script, &gl).is_some() {
        return Some(Vec::new());
    }
    let files = OutputFiles {
        script: "dry",
        save_images: None,
        failure_images: None,
    };
    let options = RunOptions {
        observe: ObservationMode::On,
        ..RunOptions::default()
    };
    let Ok(results) = execute(&gl, &script, files, &options) else {
        return Some(Vec::new());
    };
    // Some errors of drivers with these programs do not occur here.
    let ends = [" differ", "expected", "which is an error"];
    let is_probe = |message: &str| ends.iter().any(|end| message.contains(end));
    // Objects that need more of a driver than taking commands.
    let foreign = [
        "GL_TEXTURE_RENDERBUFFER_NV",
        "GL_MAX_FRAGMENT_PROGRAM_LOCAL_PARAMETERS_NV",
    ];
    let is_foreign = |message: &str| foreign.iter().any(|name| message.contains(name));
    let failures = results.failures.into_iter();
    let failures =
        failures.filter(|failure| !is_probe(&failure.message) && !is_foreign(&failure.message));
    let place = |line: Option<u32>| line.map_or(String::new(), |line| format!(":{line}"));
    let told = failures.map(|failure| {
        let place = place(failure.line);
        format!("{}{place}: {}", path.display(), failure.message)
    });
    Some(told.collect())
}

#[test]
fn nothing_goes_wrong_between_programs() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/run");
    let mut told = Vec::new();
    for path in find_scripts(&dir) {
        let Some(failures) = run_and_list_failures(&path) else {
            return;
        };
        told.extend(failures);
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}
