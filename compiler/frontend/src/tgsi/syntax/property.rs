//! Properties. TGSI, section "Properties".

use super::input::{
    Input, Result, fail, last_end, parse_uint, peek, peek_kind, peek_span, take_word,
};
use crate::codes::Code;
use crate::tgsi::ast::{Property, StatementKind};
use crate::tgsi::failure::{Failure, Message};
use crate::tgsi::lex::TokenKind;
use crate::tgsi::opcodes::begins_statement;
use crate::tgsi::property::{Row, Value};
use glasm_ir::Span;
use winnow::stream::Stream as _;

/// Parses a property after its keyword, and adds it to the tree.
pub(super) fn parse_property(input: &mut Input<'_, '_>, kind: &mut StatementKind) -> Result<()> {
    let word = take_word(input);
    let name = word.span();
    if word.text.is_empty() {
        return Err(fail(input, "the name of a property"));
    }
    input.state.keyword = name;
    let Some(row) = Row::of(&word) else {
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
    while peek_kind(input) != TokenKind::End && peek(input).start < end {
        input.next_token();
    }
}

fn parse_value(input: &mut Input<'_, '_>, row: &'static Row) -> Result<u32> {
    match row.value {
        Value::Number(low, high) => {
            let word = peek_span(input);
            let (number, _) = parse_uint(input, Code::PropertyValue)?;
            if (low..=high).contains(&number) {
                return Ok(number);
            }
            let message = Message::PropertyRange(row);
            Err(Failure::new(word, Code::PropertyValue, message))
        }
        Value::Word(words) => parse_value_word(input, row, words),
    }
}

/// Parses one of the words of a property, which denote numbers.
fn parse_value_word(
    input: &mut Input<'_, '_>,
    row: &'static Row,
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
        let message = Message::PropertyMissing(row);
        let place = input.state.keyword;
        return Err(Failure::new(place, Code::PropertyValue, message));
    }
    let message = Message::PropertyWord(row);
    Err(Failure::new(word.span(), Code::PropertyValue, message))
}
