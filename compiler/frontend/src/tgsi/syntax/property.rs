//! Properties. TGSI, section "Properties".

use super::input::{Input, Result, fail, last_end, parse_uint, peek_span, seek, take_word};
use crate::codes::Code;
use crate::tgsi::ast::{Property, StatementKind};
use crate::tgsi::declaration_tables::{PropertyRow, ValueDomain};
use crate::tgsi::opcodes::begins_statement;
use crate::tgsi::syntax_error::{SyntaxError, SyntaxErrorKind};
use glasm_ir::Span;
use winnow::stream::Stream as _;

/// Parses a property after its keyword and appends it to the AST. The value of an unknown property
/// is skipped.
pub(super) fn parse_property(input: &mut Input<'_, '_>, kind: &mut StatementKind) -> Result<()> {
    let word = take_word(input);
    let name = word.span();
    if word.text.is_empty() {
        return Err(fail(input, "the name of a property"));
    }
    input.state.keyword = name;
    let Some(row) = PropertyRow::from_word(&word) else {
        *kind = StatementKind::UnknownProperty(name);
        skip_line(input, name);
        return Ok(());
    };
    let value_span = peek_span(input);
    let value = parse_value(input, row)?;
    let ast = &mut input.state.ast;
    *kind = StatementKind::Property(ast.properties.len() as u32);
    let span = Span::new(name.start, last_end(input));
    input.state.ast.properties.push(Property {
        row,
        value,
        value_span,
        name,
        span,
    });
    Ok(())
}

/// Skips the value of an unknown property: the rest of the line.
#[cold]
fn skip_line(input: &mut Input<'_, '_>, name: Span) {
    let rest = &input.state.ast.text[name.end as usize..];
    let line = rest.iter().position(|&byte| byte == b'\n');
    let end = name.end + line.unwrap_or(rest.len()) as u32;
    seek(input, end);
}

/// Parses the value of a property, a number or a word. Reports values that are not in its domain.
fn parse_value(input: &mut Input<'_, '_>, row: &'static PropertyRow) -> Result<u32> {
    match row.value {
        ValueDomain::Number(low, high) => {
            let word = peek_span(input);
            let (number, _) = parse_uint(input, Code::PropertyValue)?;
            if (low..=high).contains(&number) {
                return Ok(number);
            }
            let message = SyntaxErrorKind::PropertyRange(row);
            Err(SyntaxError::new(word, Code::PropertyValue, message))
        }
        ValueDomain::Word(words) => parse_value_word(input, row, words),
    }
}

/// Parses one of the words that are the values of a property and returns the number that it
/// denotes.
fn parse_value_word(
    input: &mut Input<'_, '_>,
    row: &'static PropertyRow,
    words: &[(&str, u32)],
) -> Result<u32> {
    let before = input.checkpoint();
    let word = take_word(input);
    if let Some(&(_, number)) = words.iter().find(|(known, _)| word.is(known)) {
        return Ok(number);
    }
    if begins_statement(&word) {
        // The next statement begins here.
        input.reset(&before);
        let message = SyntaxErrorKind::PropertyMissing(row);
        let place = input.state.keyword;
        return Err(SyntaxError::new(place, Code::PropertyValue, message));
    }
    let message = SyntaxErrorKind::PropertyWord(row);
    Err(SyntaxError::new(word.span(), Code::PropertyValue, message))
}
