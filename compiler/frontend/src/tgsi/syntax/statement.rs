//! Statements: their first words, and recovery after a syntax error.

use super::declaration::parse_declaration;
use super::immediate::parse_immediate;
use super::input::{
    Input, Result, accept, fail, peek, peek_kind, peek_rest, seek, skip, take_word,
};
use super::instruction::{parse_guard, parse_instruction};
use super::property::parse_property;
use crate::tgsi::ast::{Statement, StatementKind};
use crate::tgsi::lex::{self, TokenKind, Word};

/// Parses a statement and adds it to the tree. Returns false at the end of the program.
pub(super) fn parse_statement(input: &mut Input<'_, '_>) -> bool {
    let first = peek(input);
    if first.kind() == TokenKind::End {
        return false;
    }
    let mut kind = StatementKind::Broken;
    let parsed = parse_statement_body(input, &mut kind);
    let end = peek(input).start();
    let failure = parsed.err().map(|failure| {
        let failures = &mut input.state.ast.syntax_errors;
        failures.push(*failure);
        failures.len() as u32 - 1
    });
    input.state.ast.statements.push(Statement {
        kind,
        syntax_error: failure,
        start: first.start(),
        end,
    });
    if failure.is_some() {
        let resumption = find_resumption(input.state.ast.text, first.start(), end);
        // Perhaps back: parsing may have stopped before the whitespace at the end of its line.
        seek(input, resumption);
    }
    true
}

/// Returns the byte where parsing continues after a statement that began at `start` and was parsed
/// up to the token at `end`: the end of the line, or the next number of an instruction. It is after
/// `start`.
#[cold]
pub(in crate::tgsi) fn find_resumption(text: &[u8], start: u32, end: u32) -> u32 {
    let least = start as usize + 1;
    let mut at = (end as usize).max(least).min(text.len());
    // Whitespace before the token may hold the end of the line.
    while at > least && text[at - 1] <= b' ' {
        at -= 1;
    }
    while at < text.len() {
        if text[at] == b'\n' {
            break;
        }
        let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit());
        let digits = digits.count();
        // Digits at the end of a word are not the number of an instruction.
        let is_word = at > 0 && lex::is_word(text[at - 1]);
        if digits > 0 && !is_word && text.get(at + digits) == Some(&b':') {
            break;
        }
        at += digits.max(1);
    }
    at as u32
}

/// Parses a statement: `<number> : (<guard>) <instruction>`, a declaration, an immediate or a
/// property.
fn parse_statement_body(input: &mut Input<'_, '_>, kind: &mut StatementKind) -> Result<()> {
    let (mut word, printed) = parse_number(input);
    // Declarations have no number, so that after one these words are not keywords.
    if printed.is_none() {
        match word.text.len() {
            3 if word.is("DCL") => {
                input.state.keyword = word.span();
                return parse_declaration(input, word.span(), kind);
            }
            3 if word.is("IMM") => {
                input.state.keyword = word.span();
                return parse_immediate(input, word.span(), kind);
            }
            8 if word.is("PROPERTY") => return parse_property(input, kind),
            _ => {}
        }
    }
    let mut guard = None;
    // Guards of 2010 are between the number and the opcode.
    if word.text.is_empty() && peek_kind(input) == TokenKind::OpenParen {
        guard = Some(parse_guard(input)?);
        word = take_word(input);
    }
    if word.text.is_empty() {
        return Err(fail(input, "a declaration or an instruction"));
    }
    parse_instruction(input, &word, printed, guard, kind)
}

/// Parses the number before an instruction, which is only significant for labels, and the word
/// after it. Returns the word and the start of the number. Without a colon the number is the word.
fn parse_number<'s>(input: &mut Input<'_, 's>) -> (Word<'s>, Option<u32>) {
    let first = peek(input);
    let next = peek_rest(input).first().map(|token| token.kind());
    if first.kind() == TokenKind::Int && next == Some(TokenKind::Colon) {
        let digits = first.text(input.state.ast.text);
        // All numbers of up to nine digits have 32 bits.
        let is_number = digits.len() < 10 || lex::parse_decimal(digits).is_some();
        skip(input, 2);
        return (take_word(input), is_number.then_some(first.start()));
    }
    let word = take_word(input);
    // `2D:` has a colon, but not a number.
    if first.kind() == TokenKind::Int && accept(input, TokenKind::Colon) {
        return (take_word(input), None);
    }
    (word, None)
}
