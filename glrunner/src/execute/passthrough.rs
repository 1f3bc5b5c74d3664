//! Programs that forward their inputs, as source for the driver's assembler. Pure.

use glasm::ir::Semantic;
use std::fmt::Write;

/// Copy of a vertex attribute to an input of the fragment program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Copy {
    /// Result and attribute by their names in all languages.
    Conventional(&'static str, &'static str),
    TexCoord(u8),
    /// Attribute of NV_gpu_program4.
    Attrib(u8),
}

/// Copies that are made if the inputs of the fragment program are unknown.
const USUAL: &[Copy] = &[
    Copy::Conventional("color", "color"),
    Copy::Conventional("color.secondary", "color.secondary"),
    Copy::Conventional("fogcoord", "fogcoord"),
    Copy::TexCoord(0),
];

/// Returns a vertex program that writes the inputs of the fragment program, and forwards the
/// position.
pub(super) fn vertex_program(inputs: Option<&[Semantic]>) -> String {
    let copies: Vec<Copy> = match inputs {
        None => USUAL.to_vec(),
        Some(inputs) => inputs.iter().filter_map(|input| copy_for(*input)).collect(),
    };
    let is_typed = copies.iter().any(|copy| matches!(copy, Copy::Attrib(_)));
    // A program refers to the same attribute by names or by numbers.
    let (header, position) = if is_typed {
        ("!!NVvp4.0", "attrib[0]")
    } else {
        ("!!ARBvp1.0", "position")
    };
    let mut text = format!("{header}\nMOV result.position, vertex.{position};\n");
    for copy in copies {
        // Writing to a string does not fail.
        let _ = match copy {
            Copy::Conventional(result, attribute) => {
                writeln!(text, "MOV result.{result}, vertex.{attribute};")
            }
            Copy::TexCoord(set) => {
                writeln!(text, "MOV result.texcoord[{set}], vertex.texcoord[{set}];")
            }
            Copy::Attrib(number) => {
                writeln!(
                    text,
                    "MOV result.attrib[{number}], vertex.attrib[{number}];"
                )
            }
        };
    }
    text + "END\n"
}

/// Returns the instruction that copies an input of a fragment program; `None` if its source is not
/// an attribute.
fn copy_for(input: Semantic) -> Option<Copy> {
    if let Semantic::TexCoord(set) = input {
        return Some(Copy::TexCoord(set));
    }
    if let Semantic::Generic(number) = input {
        return Some(Copy::Attrib(number));
    }
    [
        (Semantic::Color(0), "color"),
        (Semantic::Color(1), "color.secondary"),
        (Semantic::FogCoord, "fogcoord"),
    ]
    .into_iter()
    .find(|(known, _)| *known == input)
    .map(|(_, name)| Copy::Conventional(name, name))
}

/// Fragment program whose color is the primary color.
pub(super) const FRAGMENT_PROGRAM: &str = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_fragment_program_reads_is_passed_on() {
        let inputs = [
            Semantic::Position,
            Semantic::TexCoord(3),
            Semantic::Color(1),
        ];
        assert_eq!(
            vertex_program(Some(&inputs)),
            "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.texcoord[3], vertex.texcoord[3];\n\
             MOV result.color.secondary, vertex.color.secondary;\nEND\n"
        );
        // No program may have a name and a number for one attribute.
        assert_eq!(
            vertex_program(Some(&[Semantic::Generic(0)])),
            "!!NVvp4.0\nMOV result.position, vertex.attrib[0];\nMOV result.attrib[0], vertex.attrib[0];\nEND\n"
        );
    }

    #[test]
    fn the_texts_are_programs() {
        let texts = [
            vertex_program(None),
            vertex_program(Some(&[Semantic::Generic(0)])),
            FRAGMENT_PROGRAM.to_owned(),
        ];
        for text in texts {
            let source = glasm::Source::new("passthrough", &text);
            assert!(glasm::compile(&source, &glasm::Options::default()).is_ok());
        }
    }
}
