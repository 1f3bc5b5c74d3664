//! Commands of NV_vertex_program: `track_matrix`, `execute program`.

use super::parameters::parse_matrix_number;
use super::parser::TestParser;
use crate::data::Scalar;
use crate::script::command::{Command, StateProgramOutcome};
use crate::script::section::STATE_PROGRAM;
use crate::script::tokenizer::{LineError, WordCursor};
use glasm::ir::Stage;
use glasm::state::{MatrixForm, MatrixTracking, TrackedMatrix};

/// Parameters that can track matrices. NV_vertex_program section 2.14.6.
const TRACKING_PARAMS: u32 = 96;

const MATRIX_TRANSFORMS: &[(&str, MatrixForm)] = &[
    ("inverse", MatrixForm::Inverse),
    ("transpose", MatrixForm::Transpose),
    ("inverse_transpose", MatrixForm::InverseTranspose),
];

/// Parses the arguments of `track_matrix N MATRIX [TRANSFORM]` or `track_matrix N none`, and
/// appends the command. Returns an error if N is not a multiple of 4 below 96.
pub(super) fn parse_track_matrix(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let address = words.parse_below("a parameter number below 96", TRACKING_PARAMS)?;
    if !address.is_multiple_of(4) {
        return Err(words.error_at_last("matrices are tracked from multiples of 4 on"));
    }
    let tracking = match words.take_if("none") {
        Some(()) => None,
        None => {
            let matrix = parse_tracked_matrix(parser, words)?;
            let form = if words.is_empty() {
                MatrixForm::Plain
            } else {
                words.parse_with("inverse, transpose or inverse_transpose", |word| {
                    let found = MATRIX_TRANSFORMS.iter().find(|(name, _)| *name == word);
                    found.map(|(_, form)| *form)
                })?
            };
            Some(MatrixTracking { matrix, form })
        }
    };
    parser.push_command(words, Command::Track { address, tracking })
}

/// Consumes the name of a matrix, with its number. `texture` without a number denotes that of the
/// active texture unit at this line.
fn parse_tracked_matrix(
    parser: &TestParser,
    words: &mut WordCursor<'_>,
) -> Result<TrackedMatrix, LineError> {
    Ok(match words.next_word("a matrix or `none`")? {
        "modelview" => TrackedMatrix::Modelview,
        "projection" => TrackedMatrix::Projection,
        "mvp" => TrackedMatrix::ModelviewProjection,
        "color" => TrackedMatrix::Color,
        "texture" => {
            let is_number = words.peek().is_some_and(|word| word.parse::<u32>().is_ok());
            TrackedMatrix::Texture(if is_number {
                parse_matrix_number(words)?
            } else {
                parser.units.active
            })
        }
        "program" => TrackedMatrix::Program(parse_matrix_number(words)?),
        _ => {
            return Err(words.error_at_last(
                "expected modelview, projection, mvp, color, texture, program or none",
            ));
        }
    })
}

/// Parses the arguments of `execute program [NAME] (X, Y, Z, W) [fails]`, and appends the command.
/// Returns an error if no section has the name.
pub(super) fn parse_execute_program(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.parse_with("`program`", |word| (word == "program").then_some(()))?;
    let component = |text: &str| Scalar::F32.parse_bits(text);
    let alternate = if words.peek().is_some_and(|word| component(word).is_none()) {
        Some(parse_program_name(parser, words)?)
    } else {
        None
    };
    let mut argument = [0; 4];
    for word in &mut argument {
        *word = words.parse_with("a component of v[0]", component)? as u32;
    }
    let outcome = match words.take_if("fails") {
        Some(()) => StateProgramOutcome::Fails,
        None => StateProgramOutcome::Writes,
    };
    let command = Command::StateProgram {
        alternate,
        argument,
        outcome,
    };
    parser.push_command(words, command)
}

/// Consumes the name of a vertex state program section, and returns its index in the list of
/// alternate programs. Returns an error if no section has the name.
fn parse_program_name(parser: &TestParser, words: &mut WordCursor<'_>) -> Result<usize, LineError> {
    let name = words.next_word("the name of a program section")?;
    let mut alternates = parser.alternates.iter();
    // Vertex state programs are treated as programs of the compute stage.
    let found = alternates.position(|known| known.0 == Stage::Compute && known.1 == name);
    found.ok_or_else(|| {
        words.error_at_last(format!("there is no section `[{STATE_PROGRAM} {name}]`"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn commands(text: &str) -> Result<Vec<Command>, String> {
        match Script::parse(text.as_bytes()) {
            Ok(script) => Ok(script.steps.into_iter().map(|step| step.command).collect()),
            Err(errors) => {
                let first = &errors[0];
                Err(format!("{}: {}", first.column, first.message))
            }
        }
    }

    #[test]
    fn every_matrix_can_be_tracked() {
        use TrackedMatrix::{Color, Modelview, ModelviewProjection, Program, Projection, Texture};
        let text = "[test]\ntrack 0 modelview\ntrack 4 projection inverse\ntrack 8 mvp transpose\n\
                    track 12 color inverse_transpose\ntrack 16 texture 3\nactive_texture 5\n\
                    track 20 texture\ntrack 24 texture inverse\ntrack 92 program 7\ntrack 92 none\n";
        let plain = |matrix| Some((matrix, MatrixForm::Plain));
        let expected = [
            (0, plain(Modelview)),
            (4, Some((Projection, MatrixForm::Inverse))),
            (8, Some((ModelviewProjection, MatrixForm::Transpose))),
            (12, Some((Color, MatrixForm::InverseTranspose))),
            (16, plain(Texture(3))),
            (20, plain(Texture(5))),
            (24, Some((Texture(5), MatrixForm::Inverse))),
            (92, plain(Program(7))),
            (92, None),
        ];
        let expected = expected.map(|(address, what)| Command::Track {
            address,
            tracking: what.map(|(matrix, form)| MatrixTracking { matrix, form }),
        });
        assert_eq!(commands(text).unwrap(), expected);
    }

    #[test]
    fn wrong_tracking_is_refused() {
        for (line, message) in [
            (
                "track 3 mvp",
                "7: matrices are tracked from multiples of 4 on",
            ),
            ("track 96 mvp", "7: `96` is not a parameter number below 96"),
            ("track 0", "8: a matrix or `none` is missing"),
            (
                "track 0 palette 1",
                "9: expected modelview, projection, mvp, color, texture, program or none",
            ),
            ("track 0 program", "16: a matrix number is missing"),
            (
                "track 0 mvp inverted",
                "13: `inverted` is not inverse, transpose or inverse_transpose",
            ),
            ("track 0 none inverse", "14: `inverse` is one word too many"),
        ] {
            assert_eq!(
                commands(&format!("[test]\n{line}\n")),
                Err(message.to_owned())
            );
        }
    }

    #[test]
    fn state_programs_are_executed_by_name() {
        let sections = "[vertex state program]\na\n[vertex state program other]\nb\n[test]\n";
        let run = |line: &str| {
            commands(&format!(
                "{sections}state program other (0, 0, 0, 0)\n{line}\n"
            ))
        };
        let command = |alternate, outcome| Command::StateProgram {
            alternate,
            argument: [1f32.to_bits(), 0x7fc0_0001, f32::INFINITY.to_bits(), 0],
            outcome,
        };
        assert_eq!(
            run("state program (1, 0x7fc00001, inf, 0)").unwrap()[1],
            command(None, StateProgramOutcome::Writes)
        );
        assert_eq!(
            run("state program other (1, 0x7fc00001, inf, 0) fails").unwrap()[1],
            command(Some(0), StateProgramOutcome::Fails)
        );
        for (line, message) in [
            (
                "state program third (1, 2, 3, 4)",
                "15: there is no section `[vertex state program third]`",
            ),
            (
                "state program (1, 2, 3)",
                "24: a component of v[0] is missing",
            ),
            (
                "state program (1, 2, 3, 4) fails now",
                "34: `now` is one word too many",
            ),
            ("state programs", "7: `programs` is not `program`"),
        ] {
            assert_eq!(run(line), Err(message.to_owned()));
        }
    }
}
