//! Probes of what GL's queries give: `probe components`, `probe parameter`.

use super::command::{Command, ComponentKind, ParamType};
use super::spare::parse_stage;
use super::state::parse_param_place;
use super::test::TestParser;
use super::words::{LineError, Words};
use crate::data::DataType;
use crate::probe::Comparison;

/// The rest of `probe components STAGE attribs|results OP N`.
pub(super) fn parse_components_probe(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let stage = parse_stage(words)?;
    let kind = words.parse_with("`attribs` or `results`", |word| match word {
        "attribs" => Some(ComponentKind::Attribs),
        "results" => Some(ComponentKind::Results),
        _ => None,
    })?;
    let comparison = words.parse_with("a comparison", Comparison::parse)?;
    let expected = words.unsigned32("a number of components")?;
    let command = Command::ProbeComponents {
        stage,
        kind,
        comparison,
        expected,
    };
    parser.push(words, command)
}

/// The rest of `probe parameter PLACE TYPE A B C D` or `probe parameter PLACE TYPE incompatible`.
pub(super) fn parse_parameter_probe(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let (bank, stage, index) = parse_param_place(words)?;
    let scalar = words.parse_with("float, int or uint", |word| {
        let ty = DataType::parse(word).filter(|ty| ty.components() == 1)?;
        ParamType::of(ty.scalar).map(|_| ty.scalar)
    })?;
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
