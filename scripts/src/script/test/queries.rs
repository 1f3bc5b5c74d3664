//! Probes of the results of GL's queries: `probe components`, `probe count`, `probe parameter`.

use super::parameters::parse_param_place;
use super::parser::TestParser;
use super::stages::parse_stage;
use super::values::parse_values;
use crate::data::{DataLayout, DataType, Scalar};
use crate::probe::Comparison;
use crate::script::command::{Command, CountKind, ParamBank, ParamType};
use crate::script::words::{LineError, Words};
use glasm::ir::Stage;

/// Parses the rest of `probe components STAGE attribs|results OP N`.
pub(super) fn parse_components_probe(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let stage = parse_stage(words)?;
    let kind = words.parse_with("`attribs` or `results`", |word| match word {
        "attribs" => Some(CountKind::AttribComponents),
        "results" => Some(CountKind::ResultComponents),
        _ => None,
    })?;
    parse_count(parser, stage, kind, words)
}

/// Parses the rest of `probe count STAGE WHAT OP N`.
pub(super) fn parse_count_probe(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let stage = parse_stage(words)?;
    let kind = words.parse_with("something that GL counts", |word| {
        let mut rows = CountKind::WORDS.iter();
        rows.find(|row| row.0 == word).map(|row| row.1)
    })?;
    parse_count(parser, stage, kind, words)
}

fn parse_count(
    parser: &mut TestParser,
    stage: Stage,
    kind: CountKind,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let comparison = words.parse_with("a comparison", Comparison::parse)?;
    let expected = words.unsigned32("a number")?;
    let command = Command::ProbeCount {
        stage,
        kind,
        comparison,
        expected,
    };
    parser.push(words, command)
}

/// Parses the rest of `probe parameter PLACE OP (A, B, C, D)`: four floats, compared as those of
/// buffers.
fn parse_comparison(
    parser: &mut TestParser,
    (bank, stage, index): (ParamBank, Stage, u32),
    comparison: Comparison,
    words: &mut Words<'_>,
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
    if expected.count() != 4 {
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
    parser.push(words, command)
}

/// Parses the rest of `probe parameter PLACE TYPE A B C D`, `probe parameter PLACE TYPE
/// incompatible` or `probe parameter PLACE OP (A, B, C, D)`.
pub(super) fn parse_parameter_probe(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let (bank, stage, index) = parse_param_place(parser, words)?;
    if let Some(comparison) = words.peek().and_then(Comparison::parse) {
        words.word("a comparison")?;
        return parse_comparison(parser, (bank, stage, index), comparison, words);
    }
    let scalar = words.parse_with("float, int or uint", |word| {
        let ty = DataType::parse(word).filter(|ty| ty.components() == 1)?;
        ParamType::of(ty.scalar).map(|_| ty.scalar)
    })?;
    // Types of queries have 32 bits, so the components below lose no bits.
    let ty = ParamType::of(scalar).expect("the type was found before");
    let expected = match words.take("incompatible") {
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
    parser.push(words, command)
}
