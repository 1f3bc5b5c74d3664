//! Registers in brackets: `v[OPOS]`, `o[HPOS]`, `f[WPOS]`. NV_vertex_program section 2.14.1, NV_fragment_program section 3.11.1.

use super::cursor::{Expected, Parsed, Syntax};
use super::path;
use crate::codes::Code;
use crate::lang::register::{self, File, FileKind, Registers};
use crate::lex::{self, Kind};
use crate::statement::Index;
use glasm_ir::Span;

/// The brackets behind the letter of a file, which stands at `letter`. What is no register is reported and read as the first one, so that
/// the rest of the statement is checked, too. `end` becomes the end of the bracket.
pub(super) fn element(
    input: &mut Syntax<'_>,
    (registers, letter): (&Registers, Span),
    end: &mut u32,
) -> Parsed<Index> {
    let name = &input.reading.text[letter.range()];
    let Some(file) = registers.file(name) else {
        return Err(input.fail_at(Expected::Operand));
    };
    input.expect(Kind::OpenBracket, Expected::Token(Kind::OpenBracket))?;
    let found = match input.is_at_name() {
        true => word(input, file),
        false => number(input, file)?,
    };
    *end = input.close(Kind::CloseBracket)?;
    let span = Span::new(letter.start, *end);
    let number = found.unwrap_or_else(|problem| {
        no_element(input, file, problem, span);
        0
    });
    Ok(Index::Const(number))
}

/// Why brackets name no register.
#[derive(Clone, Copy)]
enum Problem {
    /// No register has this word.
    Word(Span),
    /// There are not so many registers.
    Number,
    /// An address register.
    Address(Span),
}

/// The register that a word names, which is taken.
#[inline]
fn word(input: &mut Syntax<'_>, file: &File) -> Result<u32, Problem> {
    let start = input.position();
    let length = lex::word_length(input.rest);
    let text = &input.rest[..length];
    input.skip(length);
    let span = Span::new(start, start + length as u32);
    match file.element(text) {
        Some(number) => Ok(number),
        None => Err(other_word(input, span)),
    }
}

/// A word that names no register: perhaps an address register with its component and an offset, which are taken.
#[cold]
fn other_word(input: &mut Syntax<'_>, word: Span) -> Problem {
    if !input.is_at(Kind::Dot) {
        return Problem::Word(word);
    }
    let mut end = word.end;
    while !input.is_at(Kind::CloseBracket) && !input.is_at(Kind::Semicolon) {
        let token = input.advance();
        if token.kind() == Kind::End {
            break;
        }
        end = token.end();
    }
    Problem::Address(Span::new(word.start, end))
}

/// The register that a number names, which is taken.
fn number(input: &mut Syntax<'_>, file: &File) -> Parsed<Result<u32, Problem>> {
    if !file.numbered {
        return Err(input.fail_at(Expected::Name));
    }
    let number = path::small_int(input)?;
    let exists = (number as usize) < file.elements.len();
    Ok(exists.then_some(number).ok_or(Problem::Number))
}

#[cold]
fn no_element(input: &mut Syntax<'_>, file: &File, problem: Problem, span: Span) {
    let text = |span: Span| String::from_utf8_lossy(&input.reading.text[span.range()]).into_owned();
    let (code, span, message) = match problem {
        Problem::Number => {
            let count = file.elements.len();
            let message = format!(
                "`{}`: the registers of `{}` are 0 to {}",
                text(span),
                file.name,
                count - 1
            );
            (Code::BindingRange, span, message)
        }
        Problem::Address(address) => {
            let message = format!("registers of `{}` have no run-time index", file.name);
            (Code::AddressRegister, address, message)
        }
        Problem::Word(word)
            if file.kind == FileKind::Results
                && register::is_newer_result(&input.reading.text[word.range()])
                && input.reading.dialect.stage() == glasm_ir::Stage::Vertex =>
        {
            let message = format!("`{}` needs language version 2.0", text(span));
            (Code::FeatureNewer, span, message)
        }
        Problem::Word(_) => (
            Code::UnknownRegister,
            span,
            format!("`{}` is no register", text(span)),
        ),
    };
    input.reports.error(code, span, message);
}
