//! Programs in the forms that the tabs of the page show.

use glasm::{Diagnostics, Options, Program, Severity, Source};
use glasm_text::Language;
use rspirv::binary::Disassemble;
use serde_json::{Value, json};

/// Form of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputForm {
    /// The intermediate representation.
    Ir,
    /// Assembly of SPIR-V.
    Spirv,
    /// WGSL.
    Wgsl,
    /// What a caller has to provide, as JSON.
    Reflection,
    /// Use of limited resources.
    Counts,
}

/// Forms by their names, with their titles, in the order of the tabs.
pub const OUTPUT_FORMS: &[(&str, &str, OutputForm)] = &[
    ("ir", "IR", OutputForm::Ir),
    ("spirv", "SPIR-V", OutputForm::Spirv),
    ("wgsl", "WGSL", OutputForm::Wgsl),
    ("reflection", "Reflection", OutputForm::Reflection),
    ("counts", "Counts", OutputForm::Counts),
];

impl OutputForm {
    /// Returns the form with a name.
    pub fn find(name: &str) -> Option<Self> {
        let found = OUTPUT_FORMS.iter().find(|(known, _, _)| *known == name);
        found.map(|(_, _, form)| *form)
    }
}

/// Returns the programs of a text in a form as JSON: a list of languages with a text each, or with
/// an error.
pub fn format_programs(text: &str, form: OutputForm) -> Value {
    let parts = glasm::split_programs(text.as_bytes());
    let outputs = parts.filter_map(|part| {
        let header = part.dialect?.header();
        let source = Source {
            program_span: Some(part.span),
            ..Source::new("program", text)
        };
        Some(match format_program(&source, form) {
            Ok(text) => json!({ "language": header, "text": text }),
            Err(error) => json!({ "language": header, "error": error }),
        })
    });
    outputs.collect()
}

/// Returns a program in a form.
///
/// # Errors
/// The first error of the program, or the reason why it cannot be written in that form.
fn format_program(source: &Source<'_>, form: OutputForm) -> Result<String, String> {
    match form {
        OutputForm::Ir => match glasm::translate(source) {
            (Some(program), _) => Ok(glasm::ir::print(&program)),
            (None, errors) => Err(describe_errors(&errors)),
        },
        OutputForm::Spirv => {
            let shader = glasm::compile(source, &Options::default())
                .map_err(|errors| describe_errors(&errors))?;
            let module = rspirv::dr::load_words(&shader.words)
                .map_err(|error| format!("the module cannot be read back: {error}"))?;
            Ok(module.disassemble())
        }
        OutputForm::Wgsl => {
            let options = glasm_text::Options {
                clip_conventions: glasm_text::ClipConventions::OpenGl,
                ..glasm_text::Options::new(Language::Wgsl)
            };
            let text =
                glasm_text::write(source, &options).map_err(|error| match error {
                    glasm_text::Error::Program(errors) => describe_errors(&errors),
                    other @ (glasm_text::Error::Writer { .. }
                    | glasm_text::Error::OtherLanguage(_)) => other.to_string(),
                })?;
            Ok(text.source)
        }
        OutputForm::Reflection => {
            let shader = glasm::compile(source, &Options::default())
                .map_err(|errors| describe_errors(&errors))?;
            serde_json::to_string_pretty(&shader.reflection).map_err(|error| error.to_string())
        }
        OutputForm::Counts => {
            let program = Program::load(source).map_err(|errors| describe_errors(&errors))?;
            let shader = program
                .compile(&Options::default())
                .map_err(|errors| describe_errors(&errors))?;
            Ok(format_counts(&program, shader.words.len()))
        }
    }
}

/// Returns the counts of a program in lines, with the size of its module in words.
fn format_counts(program: &Program, words: usize) -> String {
    let counts = program.counts();
    let lines = [
        ("instructions", counts.instructions),
        ("ALU instructions", counts.alu_instructions),
        ("texture instructions", counts.texture_instructions),
        ("texture indirections", counts.texture_indirections),
        ("temporaries", counts.temporaries),
        ("parameters", counts.parameters),
        ("attributes", counts.attributes),
        ("attribute components", counts.attribute_components),
        ("result components", counts.result_components),
        ("address registers", counts.address_registers),
        ("bytes of SPIR-V", 4 * words as u32),
    ];
    let lines = lines.map(|(name, count)| format!("{name:<22}{count:>8}\n"));
    lines.concat()
}

/// Returns the first error of a list.
fn describe_errors(errors: &Diagnostics) -> String {
    let first = errors
        .list
        .iter()
        .find(|it| it.severity != Severity::Warning);
    first.map_or_else(
        || "the program cannot be compiled".to_owned(),
        |it| it.message.clone(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_all_forms() {
        let text = "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n!!ARBfp1.0\nTEMP a;\n\
                    TEX a, fragment.texcoord[0], texture[0], 2D;\nMUL result.color, a, 2;\nEND\n";
        for (name, _, form) in OUTPUT_FORMS {
            assert_eq!(OutputForm::find(name), Some(*form));
            let outputs = format_programs(text, *form);
            let outputs = outputs.as_array().unwrap();
            assert_eq!(outputs.len(), 2);
            for output in outputs {
                assert!(output["text"].is_string(), "{name}: {output}");
            }
        }
        // ARB_fragment_program: TEX is a texture instruction, MUL an ALU instruction.
        let counts = format_programs(text, OutputForm::Counts);
        let counts = counts[1]["text"].as_str().unwrap();
        let has = |name: &str, count: u32| {
            let line = |line: &str| {
                let (found, number) = line.split_at(22);
                found.trim_end() == name && number.trim() == count.to_string()
            };
            counts.lines().any(line)
        };
        assert!(
            has("ALU instructions", 1) && has("texture instructions", 1),
            "{counts}"
        );
        assert!(has("instructions", 2) && has("temporaries", 1), "{counts}");
    }

    #[test]
    fn errors_are_those_of_the_program() {
        for (_, _, form) in OUTPUT_FORMS {
            let outputs = format_programs("!!ARBfp1.0\nMOV result.color, nothing;\nEND", *form);
            let error = outputs[0]["error"].as_str().unwrap();
            assert!(error.contains("nothing"), "{error}");
        }
        assert_eq!(format_programs("text", OutputForm::Ir), json!([]));
    }
}
