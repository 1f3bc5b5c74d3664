//! Errors and warnings that programs must have: `expect`, `load`.

use super::parser::TestParser;
use super::stages::parse_stage;
use crate::script::command::{Command, ExpectedError, ExpectedPlace};
use crate::script::words::{LineError, Words};

/// Parses `expect error|warning CODE [at OFFSET | at START..END | at end | line L col C]`.
pub(super) fn parse_expect(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let command = words.parse_with("`error` or `warning`", |word| match word {
        "error" => Some(Command::ExpectError as fn(ExpectedError) -> Command),
        "warning" => Some(Command::ExpectWarning),
        _ => None,
    })?;
    let expected = parse_error(words)?;
    parser.push(words, command(expected))
}

/// Parses `CODE [at OFFSET | at START..END | at end | line L col C]`.
fn parse_error(words: &mut Words<'_>) -> Result<ExpectedError, LineError> {
    let code = words.parse_with("an error code", glasm::Code::from_id)?;
    let place = match words.peek() {
        None => None,
        Some(_) => Some(parse_place(words)?),
    };
    Ok(ExpectedError { code, place })
}

fn parse_place(words: &mut Words<'_>) -> Result<ExpectedPlace, LineError> {
    match words.word("a place")? {
        "at" => words.parse_with("a byte offset, START..END or `end`", |word| {
            match word.split_once("..") {
                _ if word == "end" => Some(ExpectedPlace::WholeProgram),
                Some((start, end)) => Some(ExpectedPlace::Bytes {
                    start: start.parse().ok()?,
                    end: end.parse().ok()?,
                }),
                None => Some(ExpectedPlace::Start(word.parse().ok()?)),
            }
        }),
        "line" => {
            let line = words.number("a line number")?;
            words.parse_with("`col`", |word| {
                (word == "col" || word == "column").then_some(())
            })?;
            Ok(ExpectedPlace::Position {
                line,
                column: words.number("a column")?,
            })
        }
        _ => Err(words.error_at_last("expected `at` or `line`")),
    }
}

/// Parses `load STAGE NAME [fails with CODE [PLACE]]`.
pub(super) fn parse_load(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let stage = parse_stage(words)?;
    let name = words.word("the name of a program section")?;
    let mut spares = parser.spares.iter();
    let Some(spare) = spares.position(|known| known.0 == stage && known.1 == name) else {
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
    parser.push(words, Command::Load { spare, error })
}
