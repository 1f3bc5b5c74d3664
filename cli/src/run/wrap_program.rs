//! `glasm run` with a program where a script is wanted: the command that draws it, and the script
//! of the scene that this command draws.

use crate::inputs::starts_with_header;
use glasm::ProgramType;
use glasm::frontend::lang::dialect_traits::UnsupportedLanguage;
use glasm_scene::{SceneOptions, SceneProgram, build_scene_script};
use std::path::Path;

/// A program that was given instead of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WrappedProgram {
    /// Description of the file: `a.vp is a vertex program`.
    pub(crate) description: String,
    /// Description of the file and of the remedy.
    pub(crate) message: String,
    /// A script that runs it; `None` if glasm does not have the language.
    pub(crate) script: Option<String>,
}

/// Returns the message about a file that is a program, with a script around it if its language is
/// supported; `None` if it does not start with the header of a program.
pub(crate) fn wrap_program(path: &Path, text: &[u8]) -> Option<WrappedProgram> {
    if !starts_with_header(text) {
        return None;
    }
    let shown = path.display();
    let programs = find_first_programs(text);
    let types: Vec<&str> = programs
        .iter()
        .map(|program| program.program_type.name())
        .collect();
    let what = match (&types[..], UnsupportedLanguage::detect(text)) {
        ([], Some(language)) => format!(
            "{shown} is a program in the language of `{}`, which glasm does not have",
            language.start
        ),
        ([], None) => format!("{shown} is a program with an unknown header"),
        ([one], _) => format!("{shown} is a {one} program"),
        _ => format!("{shown} holds programs ({})", types.join(", ")),
    };
    let options = SceneOptions {
        image_name: path.with_extension("png").file_name().map_or_else(
            || SceneOptions::default().image_name,
            |name| name.to_string_lossy().into_owned(),
        ),
        ..SceneOptions::default()
    };
    let script = build_scene_script(&programs, &options);
    let Ok(script) = script else {
        return Some(WrappedProgram {
            message: format!("{what}; `glasm run` takes scripts"),
            description: what,
            script: None,
        });
    };
    let script_path = path.with_extension("shader_test");
    let own = script_path.display();
    let image = path.with_extension("png");
    let message = format!(
        "{what}, and `glasm run` takes scripts. `glasm draw {shown} -o {}` draws it. A script around \
         it is on standard output: `glasm run {shown} > {own}` saves it, `glasm run {own} \
         --save-images .` runs it",
        image.display()
    );
    Some(WrappedProgram {
        description: what,
        message,
        script: Some(script + &format_probe_examples(&programs)),
    })
}

/// Returns the first program of each type in a source, in the order of the source; programs with
/// unknown headers are omitted.
fn find_first_programs(text: &[u8]) -> Vec<SceneProgram> {
    let mut found: Vec<SceneProgram> = Vec::new();
    for program in SceneProgram::split(text) {
        let mut known = found.iter();
        if !known.any(|known| known.program_type == program.program_type) {
            found.push(program);
        }
    }
    found
}

/// Returns comments with examples of the probes that complete the script of some programs.
fn format_probe_examples(programs: &[SceneProgram]) -> String {
    let has = |wanted: fn(ProgramType) -> bool| programs.iter().any(|it| wanted(it.program_type));
    let is_compute = |it| it == ProgramType::Stage(glasm::ir::Stage::Compute);
    let is_state = |it| it == ProgramType::VertexState;
    let mut examples = vec!["probe rgb 128 128 1 0 0"];
    if has(is_compute) {
        examples.push("probe ssbo float 0 0 == 1");
    }
    if has(is_state) {
        examples.push("probe parameter env_vp 0 == (1, 0, 0, 0)");
    }
    let line = |example: &str| format!("# Expected results, for example: {example}\n");
    examples.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::script::Script;

    fn wrapped(text: &str) -> WrappedProgram {
        wrap_program(Path::new("old game/lit one.vp"), text.as_bytes()).unwrap()
    }

    /// Headers of the sections of the script around a program.
    fn sections(text: &str) -> Vec<String> {
        let script = wrapped(text).script.unwrap();
        Script::parse_runnable(script.as_bytes()).unwrap();
        let headers = script.lines().filter(|line| line.starts_with('['));
        headers.map(str::to_owned).collect()
    }

    #[test]
    fn every_stage_has_its_script() {
        assert_eq!(
            sections("!!ARBfp1.0\nMOV result.color, 1;\nEND\0"),
            [
                "[require]",
                "[fragment program]",
                "[vertex program passthrough]",
                "[vertex data]",
                "[test]"
            ]
        );
        assert_eq!(
            sections("!!NVvp5.0\nMOV result.position, 0;\nEND"),
            [
                "[require]",
                "[vertex program]",
                "[fragment program]",
                "[indices]",
                "[test]"
            ]
        );
        assert_eq!(
            sections("!!NVcp5.0\nGROUP_SIZE 1;\nSTB.F32 0, storage[0][0];\nEND")[..2],
            ["[require]", "[compute program]"]
        );
        assert_eq!(
            sections("!!VSP1.0\nMOV c[0], v[0];\nEND"),
            ["[require]", "[vertex state program]", "[test]"]
        );
        assert_eq!(
            sections("# both\n!!ARBfp1.0\nEND\n!!ARBvp1.0\nEND\n!!ARBfp1.0\nEND")[..3],
            ["[require]", "[fragment program]", "[vertex program]"]
        );
    }

    #[test]
    fn messages_name_the_command_that_draws() {
        let found = wrapped("!!ARBfp1.0\nMOV result.color, 1;\nEND");
        let command = "`glasm draw old game/lit one.vp -o old game/lit one.png` draws it";
        assert!(found.message.contains(command), "{}", found.message);
        let script = found.script.unwrap();
        assert!(script.contains("\nsave image lit_one.png\n"), "{script}");
        assert!(script.ends_with("# Expected results, for example: probe rgb 128 128 1 0 0\n"));
    }

    #[test]
    fn programs_with_errors_have_a_script() {
        for text in [
            "!!ARBfp1.0\nbroken",
            "!!ARBvp1.0\nbroken",
            "!!NVgp4.0\nbroken",
            "!!NVtcp5.0\nbroken",
            "!!NVcp5.0\nbroken",
            "VERT\nbroken",
        ] {
            assert!(sections(text).len() > 2, "{text}");
        }
    }

    #[test]
    fn other_languages_have_no_script() {
        let old = wrapped("!!FCP1.0\nEND");
        assert_eq!(old.script, None);
        assert!(
            old.message.contains("the language of `!!FCP1.0`"),
            "{old:?}"
        );
        let wrong = wrapped("!!nonsense");
        assert!(wrong.message.contains("unknown header"), "{wrong:?}");
        for text in ["", "[test]\n", "# c\n[test]\n", "text"] {
            assert_eq!(wrap_program(Path::new("a"), text.as_bytes()), None);
        }
    }
}
