//! `glasm run` with a program where a script is wanted: a script around the program.

use super::program_inputs;
use crate::inputs::starts_with_header;
use glasm::frontend::lang::dialect_traits::UnsupportedLanguage;
use glasm::ir::primitive::InputPrimitive;
use glasm::ir::{Program, Semantic, Stage};
use glasm::{Dialect, ProgramType, Source};
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
        .map(|(program_type, _)| program_type.name())
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
    if types.is_empty() {
        let message = format!("{what}; `glasm run` takes scripts");
        let script = None;
        return Some(WrappedProgram {
            description: what,
            message,
            script,
        });
    }
    let script_path = path.with_extension("shader_test");
    let own = script_path.display();
    let message = format!(
        "{what}, and `glasm run` takes scripts. A script around it is on standard output: \
         `glasm run {shown} > {own}` saves it, `glasm run {own} --save-images .` runs it"
    );
    Some(WrappedProgram {
        description: what,
        message,
        script: Some(format_script(path, &programs)),
    })
}

/// Returns the first program of each type in a source, in the order of the source; programs with
/// unknown headers are omitted.
fn find_first_programs(text: &[u8]) -> Vec<(ProgramType, &[u8])> {
    let mut found: Vec<(ProgramType, &[u8])> = Vec::new();
    for part in glasm::frontend::split_programs(text) {
        let program_type = part.dialect.map(Dialect::program_type);
        if let Some(program_type) = program_type
            && !found.iter().any(|(known, _)| *known == program_type)
        {
            let text = &text[part.header as usize..part.span.end as usize];
            found.push((program_type, text));
        }
    }
    found
}

/// Formats a script that contains the programs and the stages that they need in addition, runs
/// them, and saves their output in an image named after `path`.
fn format_script(path: &Path, programs: &[(ProgramType, &[u8])]) -> String {
    let find_program = |wanted| programs.iter().find(|(known, _)| *known == wanted);
    let has = |stage| find_program(ProgramType::Stage(stage)).is_some();
    let name: String = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let mut text = "[require]\n# GL's rules for clip space and the first row of pictures.\nGL >= 1.3\nfbsize 256 256\n".to_owned();
    text += &format_sections(programs);
    let draws = DrawKind::choose(programs);
    if draws.is_some() && !has(Stage::Vertex) {
        text += "\n[vertex program passthrough]\n";
    }
    // The fragment program shows the color that the last program before it writes, if it writes
    // one.
    let last_before_fragment = [Stage::Geometry, Stage::TessEval, Stage::Vertex]
        .into_iter()
        .find_map(|stage| find_program(ProgramType::Stage(stage)));
    if draws.is_some() && !has(Stage::Fragment) {
        let color = if last_before_fragment.is_some_and(|(_, program)| writes_color(program)) {
            "fragment.color"
        } else {
            "{1, 1, 1, 1}"
        };
        text += &format!("\n[fragment program]\n!!ARBfp1.0\nMOV result.color, {color};\nEND\n");
    }
    let fragment = find_program(ProgramType::Stage(Stage::Fragment));
    let passes = draws == Some(DrawKind::Rectangle) && last_before_fragment.is_none();
    let rectangle = fragment.filter(|_| passes);
    let rectangle =
        rectangle.and_then(|(_, program)| program_inputs::format_rectangle_vertices(program));
    if let Some(data) = &rectangle {
        text += &format!("\n[vertex data]\n{data}");
    }
    if let Some(DrawKind::Vertices(_, count)) = draws {
        let corners = VERTEX_POSITIONS[..count].join("\n");
        text += &format!("\n[vertex data]\n0/R32G32_SFLOAT\n{corners}\n");
    }
    text += "\n[test]\n";
    for (program_type, program) in programs {
        text += &program_inputs::format_input_comments(*program_type, program);
    }
    if let Some(draws) = draws {
        let draw = match rectangle {
            Some(_) => "draw arrays TRIANGLE_STRIP 0 4".to_owned(),
            None => draws.format_command(),
        };
        text += &format!(
            "clear\n{draw}\n# Written with --save-images FOLDER.\nsave image {name}.png\n\
             # What must come out, for example: probe all rgba 1 0 0 1\n"
        );
    }
    if has(Stage::Compute) {
        text += "compute 1 1 1\n# What must come out, for example: probe ssbo float 0 0 == 1\n";
    }
    if find_program(ProgramType::VertexState).is_some() {
        text += "execute program (0, 0, 0, 1)\n\
                 # What must come out, for example: probe parameter env_vp 0 == (1, 0, 0, 0)\n";
    }
    text
}

/// Formats the program sections of the script, without trailing whitespace and zero bytes in the
/// programs.
fn format_sections(programs: &[(ProgramType, &[u8])]) -> String {
    let mut text = String::new();
    for (program_type, program) in programs {
        let program = String::from_utf8_lossy(program);
        let program = program.trim_end_matches(|c: char| c == '\0' || c.is_whitespace());
        let section = program_type.identifier().replace('_', " ");
        text += &format!("\n[{section} program]\n{program}\n");
    }
    text
}

/// Positions of the vertices of a primitive other than a rectangle.
const VERTEX_POSITIONS: [&str; 6] = [
    "-0.5 -0.5",
    "0.5 -0.5",
    "0.5 0.5",
    "-0.5 0.5",
    "-1 0",
    "1 0",
];

/// Kind of drawing for some programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DrawKind {
    Rectangle,
    Patch,
    /// A primitive of that many vertices.
    Vertices(&'static str, usize),
}

impl DrawKind {
    /// Chooses the draw that the programs need, from their stages and the input primitive of a
    /// geometry program; `None` if they draw nothing.
    fn choose(programs: &[(ProgramType, &[u8])]) -> Option<Self> {
        let find_program = |stage| {
            let mut found = programs.iter();
            found.find(|(known, _)| *known == ProgramType::Stage(stage))
        };
        let has = |stage| find_program(stage).is_some();
        if has(Stage::TessControl) || has(Stage::TessEval) {
            return Some(Self::Patch);
        }
        if let Some((_, geometry)) = find_program(Stage::Geometry) {
            let program = translate_program(geometry);
            let primitive = program.map_or(InputPrimitive::Triangles, |it| it.modes.primitive_in);
            return Some(match primitive {
                InputPrimitive::Triangles => Self::Rectangle,
                InputPrimitive::Patches => Self::Patch,
                InputPrimitive::Points => Self::Vertices("POINTS", 1),
                InputPrimitive::Lines => Self::Vertices("LINES", 2),
                InputPrimitive::LinesAdjacency => Self::Vertices("LINES_ADJACENCY", 4),
                InputPrimitive::TrianglesAdjacency => Self::Vertices("TRIANGLES_ADJACENCY", 6),
            });
        }
        (has(Stage::Vertex) || has(Stage::Fragment)).then_some(Self::Rectangle)
    }

    /// Formats the command that draws in this way.
    fn format_command(self) -> String {
        match self {
            Self::Rectangle => "draw rect -1 -1 2 2".to_owned(),
            Self::Patch => "draw rect patch -1 -1 2 2".to_owned(),
            Self::Vertices(mode, count) => format!("draw arrays {mode} 0 {count}"),
        }
    }
}

/// Translates a program to the intermediate representation; `None` if it does not load.
fn translate_program(program: &[u8]) -> Option<Program> {
    glasm::frontend::translate(&Source::new("", program)).0
}

/// Returns true if a program writes the primary color; false if it has errors.
fn writes_color(program: &[u8]) -> bool {
    translate_program(program).is_some_and(|program| {
        let mut outputs = program.outputs.iter();
        outputs.any(|output| output.semantic == Semantic::Color(0))
    })
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
                "[test]"
            ]
        );
        assert_eq!(
            sections("!!NVvp5.0\nMOV result.position, 0;\nEND"),
            [
                "[require]",
                "[vertex program]",
                "[fragment program]",
                "[test]"
            ]
        );
        assert_eq!(
            sections("!!NVcp5.0\nGROUP_SIZE 1;\nEND"),
            ["[require]", "[compute program]", "[test]"]
        );
        assert_eq!(
            sections("!!VSP1.0\nMOV c[0], v[0];\nEND"),
            ["[require]", "[vertex state program]", "[test]"]
        );
        assert_eq!(
            sections("# both\n!!ARBfp1.0\nEND\n!!ARBvp1.0\nEND\n!!ARBfp1.0\nEND"),
            [
                "[require]",
                "[fragment program]",
                "[vertex program]",
                "[test]"
            ]
        );
    }

    #[test]
    fn coordinates_that_fragment_programs_read_are_data() {
        let text = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[3], 2D;\nEND";
        assert_eq!(
            sections(text),
            [
                "[require]",
                "[fragment program]",
                "[vertex program passthrough]",
                "[vertex data]",
                "[test]"
            ]
        );
        let script = wrapped(text).script.unwrap();
        assert!(
            script.contains("\n0/float/vec2 8/float/vec2\n-1 -1  0 0\n"),
            "{script}"
        );
        assert!(script.contains("\n# texture 2D 3 "), "{script}");
        assert!(
            script.contains("\ndraw arrays TRIANGLE_STRIP 0 4\n"),
            "{script}"
        );
    }

    #[test]
    fn draws_fit_the_programs() {
        let drawn = |text: &str| {
            let script = wrapped(text).script.unwrap();
            Script::parse_runnable(script.as_bytes()).unwrap();
            let mut draws = script.lines().filter(|line| line.starts_with("draw "));
            draws.next().unwrap().to_owned()
        };
        for (primitive, command) in [
            ("POINTS", "draw arrays POINTS 0 1"),
            ("LINES_ADJACENCY", "draw arrays LINES_ADJACENCY 0 4"),
            ("TRIANGLES", "draw rect -1 -1 2 2"),
            ("TRIANGLES_ADJACENCY", "draw arrays TRIANGLES_ADJACENCY 0 6"),
            ("PATCHES", "draw rect patch -1 -1 2 2"),
        ] {
            let text = format!(
                "!!NVgp5.0\nPRIMITIVE_IN {primitive};\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\nMOV result.color, 1;\nEMIT;\nEND"
            );
            assert_eq!(drawn(&text), command);
        }
        let text = "!!NVtep5.0\nTESS_MODE QUADS;\nEND";
        assert_eq!(drawn(text), "draw rect patch -1 -1 2 2");
        assert_eq!(
            sections(text),
            [
                "[require]",
                "[tess eval program]",
                "[vertex program passthrough]",
                "[fragment program]",
                "[test]"
            ]
        );
    }

    #[test]
    fn colors_pass_where_there_are_any() {
        let script = |color: &str| {
            let text = format!("!!ARBvp1.0\nMOV result.position, 0;\n{color}END");
            wrapped(&text).script.unwrap()
        };
        assert!(script("").contains("MOV result.color, {1, 1, 1, 1};"));
        assert!(script("MOV result.color, 1;\n").contains("MOV result.color, fragment.color;"));
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
