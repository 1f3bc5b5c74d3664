//! Registers in brackets: `v[OPOS]`, `o[HPOS]`, `f[WPOS]`. NV_vertex_program section 2.14.1,
//! NV_fragment_program section 3.11.1.

use super::input::{
    Expected, Failure, Input, Result, advance, fail, identifier, last_end, mark, peek, peek_kind,
};
use super::literal::parse_int;
use crate::ast::{Index, Operand, OperandBase, Signs, Suffix};
use crate::codes::Code;
use crate::lang::register::{self, FragmentNames, NvRegisterFile, NvRegisterFileKind, Registers};
use crate::lex::{Token, TokenKind};
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::stream::Stream as _;

/// Parses the brackets after the name of a register file and returns the number of the register. An
/// invalid register is reported and parsed as the first one, so that the remainder of the statement
/// is checked, too.
pub(super) fn parse_register_brackets(
    input: &mut Input<'_, '_>,
    registers: &Registers,
    letter: Token,
) -> Result<Index> {
    let Some(file) = registers.find_file(input.state.text(letter)) else {
        return parse_local_parameter(input, registers, letter);
    };
    mark(TokenKind::OpenBracket).parse_next(input)?;
    let register_or_problem = match peek_kind(input) {
        TokenKind::Ident => parse_register_name(input, file),
        _ => parse_register_number(input, file)?,
    };
    mark(TokenKind::CloseBracket).parse_next(input)?;
    let span = Span::new(letter.start(), last_end(input));
    let register = register_or_problem.unwrap_or_else(|problem| {
        report_bad_register(input, file, problem, span);
        0
    });
    Ok(Index::Const(register))
}

/// Returns the failure for a word in the brackets of a parameter that is not a component of an
/// address register: that of a register without component, or of an unknown word.
pub(super) fn err_at_index(input: &Input<'_, '_>, word: Token) -> Failure {
    let code = match input.state.text(word) {
        [b'A', b'0'..=b'9'] => Code::AddressRegister,
        _ => Code::UnknownRegister,
    };
    Failure::at(word, Expected::AddressComponent, code)
}

/// Component characters with whitespace between them.
#[derive(Clone, Copy, Default)]
pub(super) struct SpacedSwizzle {
    letters: [u8; 4],
    count: usize,
}

impl SpacedSwizzle {
    /// Returns the component characters without the whitespace between them.
    pub(super) fn letters(&self) -> &[u8] {
        &self.letters[..self.count]
    }

    /// Adds component characters; returns false, and adds none, if there would be more than four.
    fn try_append(&mut self, letters: &[u8]) -> bool {
        let end = self.count + letters.len();
        let Some(free) = self.letters.get_mut(self.count..end) else {
            return false;
        };
        free.copy_from_slice(letters);
        self.count = end;
        true
    }
}

/// Returns true if component characters may follow those that were parsed last.
pub(super) fn may_continue_swizzle(input: &Input<'_, '_>) -> bool {
    peek_kind(input) == TokenKind::Ident && input.state.facts.registers.is_some()
}

/// Parses the component characters that continue those of `first`, each a separate token where
/// programs name registers, and returns all of them. Returns `None`, and parses nothing, if none
/// follow or more than four in total. NV_vertex_program section 2.14.1.7.
pub(super) fn parse_spaced_swizzle(
    input: &mut Input<'_, '_>,
    first: Token,
) -> Option<SpacedSwizzle> {
    let mut spread = SpacedSwizzle::default();
    let following = input
        .rest()
        .iter()
        .take_while(|it| it.kind() == TokenKind::Ident);
    let mut count = 0;
    for word in std::iter::once(&first).chain(following) {
        if !spread.try_append(input.state.text(*word)) {
            return None;
        }
        count += 1;
    }
    if count == 1 {
        return None;
    }
    input.next_slice(count - 1);
    Some(spread)
}

/// Parses the brackets after the name of numbered parameters of fragment programs and returns the
/// number. A number out of range is reported and parsed as 0; fails in other programs.
fn parse_local_parameter(
    input: &mut Input<'_, '_>,
    registers: &Registers,
    letter: Token,
) -> Result<Index> {
    let Some(fragment) = registers.fragment else {
        return Err(fail(input, Expected::Operand));
    };
    mark(TokenKind::OpenBracket).parse_next(input)?;
    let parameter_index = parse_int(input)?;
    mark(TokenKind::CloseBracket).parse_next(input)?;
    let count = fragment.locals.count;
    if parameter_index < count {
        return Ok(Index::Const(parameter_index));
    }
    let span = Span::new(letter.start(), last_end(input));
    let message = format!("local parameters are numbered from 0 to {}", count - 1);
    input
        .state
        .reports
        .report_error(Code::BindingRange, span, message);
    Ok(Index::Const(0))
}

/// Parses a texture image unit such as `TEX0` as an operand with its name. Fails for numbers out of
/// range and other words. NV_fragment_program section 3.11.3.
pub(super) fn parse_texture_unit(
    input: &mut Input<'_, '_>,
    names: &FragmentNames,
) -> Result<Operand> {
    let word = peek(input);
    let (name, span) = identifier(Expected::Unit).parse_next(input)?;
    let number = input
        .state
        .text(word)
        .strip_prefix(names.unit_prefix.as_bytes());
    let code = match number.and_then(register::parse_register_number) {
        Some(number) if number < names.unit_count => {
            return Ok(Operand {
                base: OperandBase::Name(name),
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
    OutOfRange,
    /// An address register.
    Address(Span),
}

/// Parses a word in brackets and returns the number of the register that it names in a file, or how
/// it is wrong.
fn parse_register_name(
    input: &mut Input<'_, '_>,
    file: &NvRegisterFile,
) -> std::result::Result<u32, BracketProblem> {
    let word = advance(input);
    let found = file.find_element(input.state.text(word));
    found.ok_or_else(|| parse_unknown_register(input, word))
}

/// Parses the remainder of brackets whose word names no register, which may be an address register
/// with its component and an offset, up to the closing bracket. Returns how it is wrong.
#[cold]
fn parse_unknown_register(input: &mut Input<'_, '_>, word: Token) -> BracketProblem {
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

/// Parses a number in brackets and returns it if the file has such a register; the inner error
/// describes how the register is wrong, the outer one is a syntax error.
fn parse_register_number(
    input: &mut Input<'_, '_>,
    file: &NvRegisterFile,
) -> Result<std::result::Result<u32, BracketProblem>> {
    let start = peek(input).start();
    let number = parse_int(input)?;
    // Results and attributes of fragment programs have words only.
    if !file.numbered {
        return Ok(Err(BracketProblem::Word(Span::new(start, start + 1))));
    }
    let exists = (number as usize) < file.elements.len();
    Ok(exists.then_some(number).ok_or(BracketProblem::OutOfRange))
}

/// Reports a number, a word or an address in the brackets of a register file that the file does not
/// have or allow; `span` is that of the whole register.
fn report_bad_register(
    input: &mut Input<'_, '_>,
    file: &NvRegisterFile,
    problem: BracketProblem,
    span: Span,
) {
    let ast = &input.state.ast;
    let text = |span: Span| String::from_utf8_lossy(&ast.text[span.range()]).into_owned();
    let (code, span, message) = match problem {
        BracketProblem::OutOfRange => {
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
            if file.kind == NvRegisterFileKind::Results
                // Registers such as CLP0, which version 2.0 adds.
                && register::is_vp2_result(&ast.text[word.range()])
                && ast.dialect.stage() == glasm_ir::Stage::Vertex =>
        {
            let message = format!("`{}` needs language version 2.0", text(span));
            (Code::FeatureNewer, span, message)
        }
        BracketProblem::Word(_) => (
            Code::UnknownRegister,
            span,
            format!("`{}` is not a register", text(span)),
        ),
    };
    input.state.reports.report_error(code, span, message);
}
