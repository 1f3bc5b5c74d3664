//! `parameter`, and the location of a parameter, which probes name, too.

use super::draws::{parse_divisor, parse_vertex_limit};
use super::parser::{TestParser, UNITS};
use super::places::parse_addresses;
use super::stages::{parse_entry_point, parse_stage_suffix};
use crate::data::{DataType, Scalar};
use crate::script::command::{Command, HandleUnit, ParamBank, ParamType, ParamValue};
use crate::script::names::{ATTRIBUTES, attribute_location};
use crate::script::words::{LineError, Words};
use glasm::ir::Stage;

/// Parameters that a program can have at most.
const MAX_PARAMS: u32 = 16384;

fn parse_bank(word: &str) -> Option<(ParamBank, Stage)> {
    let (bank, suffix) = word.split_once('_')?;
    let bank = match bank {
        "env" => ParamBank::Env,
        "local" => ParamBank::Local,
        "subroutine" => ParamBank::Subroutine,
        "named" => ParamBank::Named,
        _ => return None,
    };
    Some((bank, parse_stage_suffix(suffix)?))
}

/// Parses `parameter BANK N [TYPE] (X, Y, Z, W)`, `parameter BANK N address BUFFER [+OFFSET]
/// [BUFFER [+OFFSET]]`, `parameter BANK N handle texture|image UNIT [texture|image UNIT]`,
/// `parameter subroutine_STAGE N NUMBER`; `named_STAGE NAME` is a bank with its number, too.
pub(super) fn parse_parameter(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let (bank, stage, index) = parse_param_place(parser, words)?;
    let value = match words.take("address") {
        _ if bank == ParamBank::Subroutine => {
            let number = words.unsigned32("a subroutine number")?;
            ParamValue::Words(Some(ParamType::Uint), [number, 0, 0, 0])
        }
        Some(()) => ParamValue::Addresses(parse_addresses(parser, words, 2)?),
        None if words.take("handle").is_some() => ParamValue::Handles(parse_handles(words)?),
        None => {
            let (ty, value) = parse_param_words(words)?;
            ParamValue::Words(ty, value)
        }
    };
    parser.push(
        words,
        Command::Parameter {
            bank,
            stage,
            index,
            value,
        },
    )
}

/// Parses the bank, program and number of a parameter, or its name.
pub(super) fn parse_param_place(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(ParamBank, Stage, u32), LineError> {
    let (bank, stage) = words.parse_with(
        "env_, local_, named_ or subroutine_ with vp, tcp, tep, gp, fp or cp",
        parse_bank,
    )?;
    let index = match bank {
        ParamBank::Named => parse_param_name(parser, words)?,
        ParamBank::Env | ParamBank::Local | ParamBank::Subroutine => {
            words.below("a parameter number", MAX_PARAMS)?
        }
    };
    Ok((bank, stage, index))
}

/// Parses the name of a parameter and returns its index among those of the script.
fn parse_param_name(parser: &mut TestParser, words: &mut Words<'_>) -> Result<u32, LineError> {
    let name = words.word("the name of a parameter")?;
    let known = parser.param_names.iter().position(|known| known == name);
    let number = known.unwrap_or(parser.param_names.len());
    if known.is_none() {
        parser.param_names.push(name.to_owned());
    }
    match u32::try_from(number)
        .ok()
        .filter(|number| *number < MAX_PARAMS)
    {
        Some(number) => Ok(number),
        None => Err(words.error_at_last("too many names of parameters")),
    }
}

/// Parses four components of 32 bits or two of 64, with their type; floats unless a type precedes
/// them.
fn parse_param_words(words: &mut Words<'_>) -> Result<(Option<ParamType>, [u32; 4]), LineError> {
    let named = words
        .peek()
        .and_then(DataType::parse)
        .filter(|ty| ty.components() == 1);
    let scalar = match named {
        Some(ty) => {
            words.word("a type")?;
            ty.scalar
        }
        None => Scalar::F32,
    };
    let mut value = [0; 4];
    match scalar.size() {
        4 => {
            for word in &mut value {
                *word = words.parse_with("a component", |text| scalar.parse_bits(text))? as u32;
            }
        }
        8 => {
            for pair in value.chunks_exact_mut(2) {
                let bits = words.parse_with("a component", |text| scalar.parse_bits(text))?;
                (pair[0], pair[1]) = (bits as u32, (bits >> 32) as u32);
            }
        }
        _ => return Err(words.error_at_last("parameters have components of 32 or 64 bits")),
    }
    Ok((ParamType::of(scalar), value))
}

/// Parses one or two times `texture UNIT` or `image UNIT`.
pub(super) fn parse_handles(words: &mut Words<'_>) -> Result<Vec<HandleUnit>, LineError> {
    let mut handles = Vec::new();
    while handles.is_empty() || (handles.len() < 2 && !words.is_empty()) {
        let of_unit = words.parse_with("`texture` or `image`", |word| match word {
            "texture" => Some(HandleUnit::Texture as fn(u32) -> HandleUnit),
            "image" => Some(HandleUnit::Image as fn(u32) -> HandleUnit),
            _ => None,
        })?;
        let what = format!("a unit below {UNITS}");
        let unit = |word: &str| word.parse().ok().filter(|unit| *unit < UNITS);
        handles.push(of_unit(words.parse_with(&what, unit)?));
    }
    Ok(handles)
}

/// Parses `color R G B A` and all other commands that set the current value of the attribute at
/// `location`.
pub(super) fn parse_current(
    parser: &mut TestParser,
    location: u32,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let value = words.floats("a component")?;
    parser.push(words, Command::Attribute { location, value })
}

/// Parses `texcoord UNIT (S, T, R, Q)`.
pub(super) fn parse_texcoord(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    // Conventional attributes alias generic ones: texture coordinate set n is attribute 8 + n.
    let unit = words.below("a texture coordinate set", 8)?;
    parse_current(parser, 8 + unit, words)
}

/// Parses `vertex attrib NAME (X, Y, Z, W)`, `vertex divisor NAME N`, `vertex entrypoint NAME`.
pub(super) fn parse_vertex_attrib(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    if words.peek() == Some("entrypoint") {
        return parse_entry_point(parser, Stage::Vertex, words);
    }
    if words.take("divisor").is_some() {
        return parse_divisor(parser, words);
    }
    if words.take("limit").is_some() {
        return parse_vertex_limit(parser, words);
    }
    words.parse_with("`attrib`, `divisor`, `limit` or `entrypoint`", |word| {
        (word == "attrib").then_some(())
    })?;
    let what = format!("an attribute name or a number below {ATTRIBUTES}");
    let location = words.parse_with(&what, attribute_location)?;
    parse_current(parser, location, words)
}
