//! Commands that compare: `probe`, with the results of GL's queries (`probe components`,
//! `probe program`, `probe parameter`), `relative probe` and `tolerance`; the errors and warnings that
//! programs must have: `expect` and `load`.

use super::buffer_ranges::parse_values;
use super::buffers::{parse_atomic_probe, parse_buffer_probe};
use super::feedback::{parse_count, parse_xfb_probe};
use super::parameters::parse_param_location;
use super::parser::TestParser;
use super::pixel_probes::{Coordinates, parse_pixel_probe};
use super::stage_names::parse_stage;
use super::textures::images::parse_image_probe;
use crate::data::{DataLayout, DataType, Scalar};
use crate::probe::{ComparisonOp, Tolerance};
use crate::script::command::{
    Command, CountKind, ExpectedError, ExpectedPosition, ParamBank, ParamType,
};
use crate::script::tokenizer::{LineError, WordCursor};
use glasm::ir::Stage;

/// Parses `STAGE attribs|results OP N` after `probe components`, and appends the command.
pub(super) fn parse_components_probe(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let stage = parse_stage(words)?;
    let kind = words.parse_with("`attribs` or `results`", |word| match word {
        "attribs" => Some(CountKind::AttribComponents),
        "results" => Some(CountKind::ResultComponents),
        _ => None,
    })?;
    push_count_probe(parser, stage, kind, words)
}

/// Parses `STAGE RESOURCE OP N` after `probe program`, and appends the command.
pub(super) fn parse_count_probe(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let stage = parse_stage(words)?;
    let kind = words.parse_with("something that GL counts", |word| {
        let mut rows = CountKind::WORDS.iter();
        rows.find(|row| row.0 == word).map(|row| row.1)
    })?;
    push_count_probe(parser, stage, kind, words)
}

/// Parses the comparison and the number of a probe of a program's resources to the end of the line,
/// and appends the command.
fn push_count_probe(
    parser: &mut TestParser,
    stage: Stage,
    kind: CountKind,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let comparison = words.parse_with("a comparison", ComparisonOp::parse)?;
    let expected = words.parse_u32("a number")?;
    let command = Command::ProbeCount {
        stage,
        kind,
        comparison,
        expected,
    };
    parser.push_command(words, command)
}

/// Parses four floats after `probe parameter BANK N OP`, and appends the command that compares them
/// as those of buffers, with the tolerances in force. Returns an error for subroutine parameters.
fn parse_parameter_comparison(
    parser: &mut TestParser,
    (bank, stage, index): (ParamBank, Stage, u32),
    comparison: ComparisonOp,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if bank == ParamBank::Subroutine {
        return Err(words.error_at_last("subroutine parameters are no floats"));
    }
    let vector = DataType {
        scalar: Scalar::F32,
        columns: 1,
        rows: 4,
    };
    let expected = parse_values(words, vector, DataLayout::STD430, 0)?;
    if expected.scalar_count() != 4 {
        return Err(words.error_at_last("a parameter has four components"));
    }
    let tolerances = parser.tolerances;
    let command = Command::CompareParameter {
        bank,
        stage,
        index,
        expected,
        comparison,
        tolerances,
    };
    parser.push_command(words, command)
}

/// Parses `BANK N` and `TYPE A B C D`, `TYPE incompatible` or `OP (A, B, C, D)` after `probe
/// parameter`, and appends the command. `incompatible` expects that the parameter was set with
/// another type.
pub(super) fn parse_parameter_probe(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let (bank, stage, index) = parse_param_location(parser, words)?;
    if let Some(comparison) = words.peek().and_then(ComparisonOp::parse) {
        words.next_word("a comparison")?;
        return parse_parameter_comparison(parser, (bank, stage, index), comparison, words);
    }
    let scalar = words.parse_with("float, int or uint", |word| {
        let ty = DataType::parse(word).filter(|ty| ty.components() == 1)?;
        ParamType::from_scalar(ty.scalar).map(|_| ty.scalar)
    })?;
    // Types of queries have 32 bits, so the components below lose no bits.
    let ty = ParamType::from_scalar(scalar).expect("the type was found before");
    let expected = match words.take_if("incompatible") {
        Some(()) => None,
        None => {
            let mut value = [0; 4];
            for word in &mut value {
                *word = words.parse_with("a component", |text| scalar.parse_bits(text))? as u32;
            }
            Some(value)
        }
    };
    let command = Command::ProbeParameter {
        bank,
        stage,
        index,
        ty,
        expected,
    };
    parser.push_command(words, command)
}

/// Parses the words of `relative probe ...`, and appends the command; only probes of pixels and
/// images can be relative.
pub(super) fn parse_relative(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.parse_with("`probe`", |word| (word == "probe").then_some(()))?;
    parse_probe(parser, Coordinates::Relative, words)
}

/// Parses the words after `probe` or `relative probe`, depending on `coordinates`, with the parser
/// for the next word, and appends the command. Only probes of pixels and images can be relative.
pub(super) fn parse_probe(
    parser: &mut TestParser,
    coordinates: Coordinates,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    match words.peek() {
        Some("xfb") if coordinates == Coordinates::Pixels => {
            words.next_word("xfb")?;
            parse_xfb_probe(parser, words)
        }
        // Older scripts say `samples`, and `count` below.
        Some("samples_passed" | "samples") if coordinates == Coordinates::Pixels => {
            words.next_word("samples_passed")?;
            let (comparison, expected) = parse_count(words)?;
            let command = Command::ProbeSamples {
                comparison,
                expected,
            };
            parser.push_command(words, command)
        }
        Some("atomic") if coordinates == Coordinates::Pixels => parse_atomic_probe(parser, words),
        Some("buffer" | "ssbo" | "ubo" | "counter") if coordinates == Coordinates::Pixels => {
            parse_buffer_probe(parser, words)
        }
        Some("components") if coordinates == Coordinates::Pixels => {
            words.next_word("components")?;
            parse_components_probe(parser, words)
        }
        Some("program" | "count") if coordinates == Coordinates::Pixels => {
            words.next_word("program")?;
            parse_count_probe(parser, words)
        }
        Some("parameter") if coordinates == Coordinates::Pixels => {
            words.next_word("parameter")?;
            parse_parameter_probe(parser, words)
        }
        Some("image") => {
            words.next_word("image")?;
            parse_image_probe(parser, coordinates, words)
        }
        _ => parse_pixel_probe(parser, coordinates, words),
    }
}

/// Parses the arguments of `tolerance T` or `tolerance T T T T`, and stores the tolerances of the
/// components in later probes.
pub(super) fn parse_tolerance(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let mut tolerance = || words.parse_with("a tolerance", Tolerance::parse);
    let first = tolerance()?;
    let mut tolerances = [first; 4];
    if !words.is_empty() {
        for component in &mut tolerances[1..] {
            *component = words.parse_with("a tolerance", Tolerance::parse)?;
        }
    }
    parser.tolerances = tolerances;
    words.expect_end()
}

/// Parses the arguments of `expect error|warning CODE [at OFFSET | at START..END | at end | line L
/// col C]`, and appends the command.
pub(super) fn parse_expect(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let command = words.parse_with("`error` or `warning`", |word| match word {
        "error" => Some(Command::ExpectError as fn(ExpectedError) -> Command),
        "warning" => Some(Command::ExpectWarning),
        _ => None,
    })?;
    let expected = parse_error(words)?;
    parser.push_command(words, command(expected))
}

/// Consumes `CODE [at OFFSET | at START..END | at end | line L col C]` up to the end of the line.
fn parse_error(words: &mut WordCursor<'_>) -> Result<ExpectedError, LineError> {
    let code = words.parse_with("an error code", glasm::Code::from_id)?;
    let position = match words.peek() {
        None => None,
        Some(_) => Some(parse_position(words)?),
    };
    Ok(ExpectedError { code, position })
}

/// Consumes the position of an expected error: `at` with a byte offset, a range of bytes, or `end`;
/// or `line L col C`.
fn parse_position(words: &mut WordCursor<'_>) -> Result<ExpectedPosition, LineError> {
    match words.next_word("a place")? {
        "at" => words.parse_with("a byte offset, START..END or `end`", |word| {
            match word.split_once("..") {
                _ if word == "end" => Some(ExpectedPosition::WholeProgram),
                Some((start, end)) => Some(ExpectedPosition::Bytes {
                    start: start.parse().ok()?,
                    end: end.parse().ok()?,
                }),
                None => Some(ExpectedPosition::Start(word.parse().ok()?)),
            }
        }),
        "line" => {
            let line = words.parse_number("a line number")?;
            words.parse_with("`col`", |word| {
                (word == "col" || word == "column").then_some(())
            })?;
            Ok(ExpectedPosition::Position {
                line,
                column: words.parse_number("a column")?,
            })
        }
        _ => Err(words.error_at_last("expected `at` or `line`")),
    }
}

/// Parses the arguments of `load STAGE NAME [fails with CODE [POSITION]]`, and appends the command.
/// Returns an error if the script has no such section.
pub(super) fn parse_load(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let stage = parse_stage(words)?;
    let name = words.next_word("the name of a program section")?;
    let mut alternates = parser.alternates.iter();
    let Some(alternate) = alternates.position(|known| known.0 == stage && known.1 == name) else {
        let message = format!("there is no section `[{} program {name}]`", stage.name());
        return Err(words.error_at_last(message));
    };
    let error = match words.peek() {
        None => None,
        Some(_) => {
            words.parse_with("`fails`", |word| (word == "fails").then_some(()))?;
            words.parse_with("`with`", |word| (word == "with").then_some(()))?;
            Some(parse_error(words)?)
        }
    };
    parser.push_command(words, Command::Load { alternate, error })
}
