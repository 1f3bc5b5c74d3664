//! Registers in brackets: `v[OPOS]`, `o[HPOS]`, `f[WPOS]`. NV_vertex_program section 2.14.1,
//! NV_fragment_program section 3.11.1.

use super::input::{
    Expected, Failure, Input, Result, advance, fail, identifier, last_end, mark, peek, peek_kind,
};
use super::literal::parse_int;
use crate::ast::{Base, Index, Operand, Signs, Suffix};
use crate::codes::Code;
use crate::lang::register::{self, File, FileKind, FragmentNames, Registers};
use crate::lex::{Token, TokenKind};
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::stream::Stream as _;

/// Parses the brackets after the name of a register file. An invalid register is reported and
/// parsed as the first one, so that the rest of the statement is checked, too.
pub(super) fn parse_element(
    input: &mut Input<'_, '_>,
    registers: &Registers,
    letter: Token,
) -> Result<Index> {
    let Some(file) = registers.file(input.state.text(letter)) else {
        return parse_local(input, registers, letter);
    };
    mark(TokenKind::OpenBracket).parse_next(input)?;
    let found = match peek_kind(input) {
        TokenKind::Ident => parse_register_name(input, file),
        _ => parse_register_number(input, file)?,
    };
    mark(TokenKind::CloseBracket).parse_next(input)?;
    let span = Span::new(letter.start(), last_end(input));
    let register = found.unwrap_or_else(|problem| {
        report_element(input, file, problem, span);
        0
    });
    Ok(Index::Const(register))
}

/// Returns the failure for a word in the brackets of a parameter that is not a component of an
/// address register.
#[cold]
pub(super) fn fail_at_index(input: &Input<'_, '_>, word: Token) -> Failure {
    let code = match input.state.text(word) {
        [b'A', b'0'..=b'9'] => Code::AddressRegister,
        _ => Code::UnknownRegister,
    };
    Failure::at(word, Expected::AddressComponent, code)
}

/// Component characters with whitespace between them.
#[derive(Clone, Copy, Default)]
pub(super) struct SpreadLetters {
    letters: [u8; 4],
    count: usize,
}

impl SpreadLetters {
    pub(super) fn letters(&self) -> &[u8] {
        &self.letters[..self.count]
    }

    /// Adds component characters; returns false if there are more than four.
    fn add(&mut self, letters: &[u8]) -> bool {
        let end = self.count + letters.len();
        let Some(free) = self.letters.get_mut(self.count..end) else {
            return false;
        };
        free.copy_from_slice(letters);
        self.count = end;
        true
    }
}

/// Parses the component characters that continue those of `first`: each is a separate token where
/// programs name registers. Returns `None`, and parses nothing, if none follow or more than four.
/// NV_vertex_program section 2.14.1.7.
pub(super) fn parse_spread_letters(
    input: &mut Input<'_, '_>,
    first: Token,
) -> Option<SpreadLetters> {
    if peek_kind(input) != TokenKind::Ident || input.state.facts.registers.is_none() {
        return None;
    }
    let mut spread = SpreadLetters::default();
    let following = input.iter().take_while(|it| it.kind() == TokenKind::Ident);
    let mut count = 0;
    for word in std::iter::once(&first).chain(following) {
        if !spread.add(input.state.text(*word)) {
            return None;
        }
        count += 1;
    }
    input.next_slice(count - 1);
    Some(spread)
}

/// Parses the brackets after the name of parameters that are resolved one by one.
fn parse_local(input: &mut Input<'_, '_>, registers: &Registers, letter: Token) -> Result<Index> {
    let Some(fragment) = registers.fragment else {
        return Err(fail(input, Expected::Operand));
    };
    mark(TokenKind::OpenBracket).parse_next(input)?;
    let number = parse_int(input)?;
    mark(TokenKind::CloseBracket).parse_next(input)?;
    let count = fragment.locals.count;
    if number < count {
        return Ok(Index::Const(number));
    }
    let span = Span::new(letter.start(), last_end(input));
    let message = format!("local parameters are numbered from 0 to {}", count - 1);
    input.state.reports.error(Code::BindingRange, span, message);
    Ok(Index::Const(0))
}

/// Parses a texture image unit such as `TEX0`. NV_fragment_program section 3.11.3.
pub(super) fn parse_unit(input: &mut Input<'_, '_>, names: &FragmentNames) -> Result<Operand> {
    let word = peek(input);
    let (name, span) = identifier(Expected::Unit).parse_next(input)?;
    let number = input.state.text(word).strip_prefix(names.unit.as_bytes());
    let code = match number.and_then(register::number) {
        Some(number) if number < names.units => {
            return Ok(Operand {
                base: Base::Name(name),
                index: Index::None,
                suffix: Suffix::NONE,
                signs: Signs::empty(),
                span,
            });
        }
        Some(_) => Code::TextureRange,
        None => Code::TextureExpected,
    };
    Err(Failure::at(word, Expected::Unit, code))
}

/// Reason for brackets that name no register.
#[derive(Clone, Copy)]
enum BracketProblem {
    /// No register has this word.
    Word(Span),
    /// There are not so many registers.
    Number,
    /// An address register.
    Address(Span),
}

/// Parses a word and returns the register that it names.
fn parse_register_name(
    input: &mut Input<'_, '_>,
    file: &File,
) -> std::result::Result<u32, BracketProblem> {
    let word = advance(input);
    let found = file.element(input.state.text(word));
    found.ok_or_else(|| parse_unknown_name(input, word))
}

/// Parses the rest of a word that names no register: perhaps an address register with its component
/// and an offset.
#[cold]
fn parse_unknown_name(input: &mut Input<'_, '_>, word: Token) -> BracketProblem {
    if peek_kind(input) != TokenKind::Dot {
        return BracketProblem::Word(word.span());
    }
    // All of it is one mistake, so parsing continues at the bracket.
    while !matches!(
        peek_kind(input),
        TokenKind::CloseBracket | TokenKind::Semicolon | TokenKind::End
    ) {
        advance(input);
    }
    BracketProblem::Address(Span::new(word.start(), last_end(input)))
}

/// Parses a number and returns the register that it names.
fn parse_register_number(
    input: &mut Input<'_, '_>,
    file: &File,
) -> Result<std::result::Result<u32, BracketProblem>> {
    let start = peek(input).start();
    let number = parse_int(input)?;
    // Results and attributes of fragment programs have words only.
    if !file.numbered {
        return Ok(Err(BracketProblem::Word(Span::new(start, start + 1))));
    }
    let exists = (number as usize) < file.elements.len();
    Ok(exists.then_some(number).ok_or(BracketProblem::Number))
}

#[cold]
fn report_element(input: &mut Input<'_, '_>, file: &File, problem: BracketProblem, span: Span) {
    let ast = &input.state.ast;
    let text = |span: Span| String::from_utf8_lossy(&ast.text[span.range()]).into_owned();
    let (code, span, message) = match problem {
        BracketProblem::Number => {
            let (text, name) = (text(span), file.name);
            let message = match file.elements.len() {
                1 => format!("`{text}`: the only register of `{name}` is `{name}[0]`"),
                count => format!("`{text}`: the registers of `{name}` are 0 to {}", count - 1),
            };
            (Code::BindingRange, span, message)
        }
        BracketProblem::Address(address) => {
            let message = format!("registers of `{}` have no run-time index", file.name);
            (Code::AddressRegister, address, message)
        }
        BracketProblem::Word(word)
            if file.kind == FileKind::Results
                // Registers such as CLP0, which version 2.0 adds.
                && register::is_newer_result(&ast.text[word.range()])
                && ast.dialect.stage() == glasm_ir::Stage::Vertex =>
        {
            let message = format!("`{}` needs language version 2.0", text(span));
            (Code::FeatureNewer, span, message)
        }
        BracketProblem::Word(_) => (
            Code::UnknownRegister,
            span,
            format!("`{}` is no register", text(span)),
        ),
    };
    input.state.reports.error(code, span, message);
}
