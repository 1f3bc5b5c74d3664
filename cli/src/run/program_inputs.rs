//! Inputs of a program that a script sets, as lines of a script.

use glasm::ir::{ParamSource, Semantic, Stage, TexTarget};
use glasm::{Options, ProgramType, Reflection, Shader, Source};
use glasm_scripts::script::target_name;
use std::fmt::Write as _;

/// Compiles a program with the default options; `None` if it has errors.
pub(super) fn compile_program(program: &[u8]) -> Option<Shader> {
    glasm::compile(&Source::new("", program), &Options::default()).ok()
}

/// Returns comments with the commands that set the textures and parameters that a program reads;
/// empty if it reads none or has errors.
pub(super) fn format_input_comments(program_type: ProgramType, program: &[u8]) -> String {
    let Some(shader) = compile_program(program) else {
        return String::new();
    };
    let reflection = &shader.reflection;
    let mut text = String::new();
    for texture in &reflection.textures {
        let first = texture.unit;
        for unit in first..first.saturating_add(texture.descriptor_count.min(MAX_ARRAY_UNITS)) {
            let contents = format_contents(texture.target, texture.is_shadow);
            let target = target_name(texture.target);
            let _ = writeln!(text, "# texture {target} {unit} {contents}");
        }
    }
    text += &format_parameters(reflection, get_parameter_suffix(program_type));
    if text.is_empty() {
        text
    } else {
        format!(
            "# The {} program reads these. Without `# ` the lines set them:\n{text}",
            program_type.name()
        )
    }
}

/// Units of an array of textures that get a line.
const MAX_ARRAY_UNITS: u32 = 8;

/// Formats a format, size and contents that suit a texture target: depths for shadow samplers, else
/// a color pattern.
fn format_contents(target: TexTarget, shadow: bool) -> String {
    let depths = if shadow {
        "D32_SFLOAT"
    } else {
        "R8G8B8A8_UNORM"
    };
    let size = match target {
        TexTarget::D1 | TexTarget::Buffer => "(4)",
        TexTarget::D2 | TexTarget::Cube | TexTarget::Rect | TexTarget::D2Multisample => "(4, 4)",
        TexTarget::D1Array => "(4, 2)",
        TexTarget::D3 | TexTarget::D2Array | TexTarget::D2MultisampleArray => "(4, 4, 2)",
        TexTarget::CubeArray => "(4, 4, 6)",
    };
    format!(
        "{depths} {size} {}",
        if shadow { "solid 0.5 0 0 1" } else { "rgbw" }
    )
}

/// Returns a commented `parameter` line of a script for each environment, local or named parameter
/// that a program reads; `suffix` is that of its banks.
fn format_parameters(reflection: &Reflection, suffix: &str) -> String {
    let mut text = String::new();
    let slots = reflection
        .parameter_block
        .iter()
        .flat_map(|block| &block.parameters);
    for slot in slots {
        let name = match *slot {
            ParamSource::Env(number) => format!("env_{suffix} {number}"),
            ParamSource::Local(number) => format!("local_{suffix} {number}"),
            ParamSource::Named(number) => match reflection.named_parameters.get(number as usize) {
                Some(named) => format!("named_{suffix} {}", named.name),
                None => continue,
            },
            ParamSource::Subroutine(_)
            | ParamSource::State(_)
            | ParamSource::Literal(_)
            | ParamSource::Argument => continue,
        };
        let _ = writeln!(text, "# parameter {name} (1, 1, 1, 1)");
    }
    text
}

/// Returns the suffix of the parameter banks of a program type in scripts.
fn get_parameter_suffix(program_type: ProgramType) -> &'static str {
    match program_type {
        ProgramType::Stage(Stage::Vertex) | ProgramType::VertexState => "vp",
        ProgramType::Stage(Stage::Fragment) => "fp",
        ProgramType::Stage(Stage::Geometry) => "gp",
        ProgramType::Stage(Stage::TessControl) => "tcp",
        ProgramType::Stage(Stage::TessEval) => "tep",
        ProgramType::Stage(Stage::Compute) => "cp",
    }
}

/// Returns the vertex data of a rectangle for the inputs of a fragment program after a vertex
/// program that passes its attributes: texture coordinates and generic attributes from (0, 0) to
/// (1, 1), and white colors. `None` if it reads none of them.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "of all semantics a few are attributes of vertices"
)]
pub(super) fn format_rectangle_vertices(program: &[u8]) -> Option<String> {
    let shader = compile_program(program)?;
    let mut columns = Vec::new();
    for input in &shader.reflection.inputs {
        let column = match input.semantic {
            // Numbers of the conventional attributes (ARB_vertex_program table X.2).
            Semantic::TexCoord(set) => Some((8 + u32::from(set), CORNER_TEXCOORDS)),
            Semantic::Color(color @ 0..=1) => Some((3 + u32::from(color), WHITE)),
            // Attribute 0 is the position.
            Semantic::GenericVarying(number @ 1..) => Some((u32::from(number), CORNER_TEXCOORDS)),
            _ => None,
        };
        // A name of one attribute and the number of another may be the same.
        columns.extend(column.filter(|(number, _)| {
            *number < 16 && !columns.iter().any(|(known, _)| known == number)
        }));
    }
    if columns.is_empty() {
        return None;
    }
    let mut text = "0/float/vec2".to_owned();
    for (number, kind) in &columns {
        let _ = write!(text, " {number}/float/{}", kind.0);
    }
    for (corner, position) in CORNER_POSITIONS.iter().enumerate() {
        text += position;
        for (_, kind) in &columns {
            text += kind.1[corner];
        }
    }
    Some(text + "\n")
}

/// Type and values of an attribute at the corners of a rectangle.
type Column = (&'static str, [&'static str; 4]);

const CORNER_POSITIONS: [&str; 4] = ["\n-1 -1", "\n1 -1", "\n-1 1", "\n1 1"];
const CORNER_TEXCOORDS: Column = ("vec2", ["  0 0", "  1 0", "  0 1", "  1 1"]);
const WHITE: Column = ("vec4", ["  1 1 1 1"; 4]);

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::script::Script;

    const FRAGMENT: ProgramType = ProgramType::Stage(Stage::Fragment);

    #[test]
    fn textures_and_parameters_are_named() {
        let program = "!!FP1.0\nDECLARE tint;\nTEX R0, f[TEX1], TEX2, CUBE;\nMUL R0, R0, tint;\nMUL o[COLR], R0, p[3];\nEND";
        let reads = format_input_comments(FRAGMENT, program.as_bytes());
        let lines: Vec<&str> = reads.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "# texture cube 2 R8G8B8A8_UNORM (4, 4) rgbw",
                "# parameter named_fp tint (1, 1, 1, 1)",
                "# parameter local_fp 3 (1, 1, 1, 1)",
            ]
        );
        let none = "!!ARBfp1.0\nMOV result.color, 1;\nEND";
        assert_eq!(format_input_comments(FRAGMENT, none.as_bytes()), "");
        assert_eq!(format_input_comments(FRAGMENT, b"!!ARBfp1.0\nbroken"), "");
    }

    #[test]
    fn lines_are_commands_of_scripts() {
        for target in [
            "1D",
            "2D",
            "3D",
            "CUBE",
            "RECT",
            "ARRAY1D",
            "ARRAY2D",
            "ARRAYCUBE",
            "SHADOW1D",
            "SHADOW2D",
            "SHADOWRECT",
        ] {
            let program = format!(
                "!!NVfp5.0\nTEX result.color, fragment.texcoord[0], texture[1], {target};\nEND"
            );
            let reads = format_input_comments(FRAGMENT, program.as_bytes());
            let line = reads.lines().nth(1).unwrap().trim_start_matches("# ");
            let script = format!(
                "[vertex program passthrough]\n[fragment program]\n{program}\n[test]\n{line}\n"
            );
            assert!(
                Script::parse_runnable(script.as_bytes()).is_ok(),
                "{line}: {:?}",
                Script::parse_runnable(script.as_bytes()).err()
            );
        }
    }

    #[test]
    fn coordinates_cover_the_rectangle() {
        let program = b"!!ARBfp1.0\nMUL result.color, fragment.texcoord[1], fragment.color;\nEND";
        let data = format_rectangle_vertices(program).unwrap();
        let mut lines = data.lines();
        assert_eq!(lines.next(), Some("0/float/vec2 9/float/vec2 3/float/vec4"));
        assert_eq!(lines.next(), Some("-1 -1  0 0  1 1 1 1"));
        assert_eq!(lines.last(), Some("1 1  1 1  1 1 1 1"));
        assert_eq!(
            format_rectangle_vertices(b"!!ARBfp1.0\nMOV result.color, 1;\nEND"),
            None
        );
    }
}
