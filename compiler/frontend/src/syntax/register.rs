//! Registers in brackets: `v[OPOS]`, `o[HPOS]`, `f[WPOS]`. NV_vertex_program section 2.14.1, NV_fragment_program section 3.11.1.

use super::cursor::{Expected, Failure, Parsed, Syntax};
use super::numbers;
use crate::ast::{Base, Index, Operand, Signs, Suffix};
use crate::codes::Code;
use crate::lang::register::{self, File, FileKind, FragmentNames, Registers};
use crate::lex::{self, TokenKind};
use glasm_ir::Span;

/// The brackets behind the letter of a file, which stands at `letter`. What is no register is reported and read as the first one, so that
/// the rest of the statement is checked, too. `end` becomes the end of the bracket.
pub(super) fn element(
    input: &mut Syntax<'_>,
    (registers, letter): (&Registers, Span),
    end: &mut u32,
) -> Parsed<Index> {
    let name = &input.ast.text[letter.range()];
    let Some(file) = registers.file(name) else {
        return local(input, (registers, letter), end);
    };
    input.expect(
        TokenKind::OpenBracket,
        Expected::Token(TokenKind::OpenBracket),
    )?;
    let found = match input.is_at_name() {
        true => word(input, file),
        false => number(input, file)?,
    };
    *end = input.close(TokenKind::CloseBracket)?;
    let span = Span::new(letter.start, *end);
    let number = found.unwrap_or_else(|problem| {
        // Some register stands for it, so that the rest of the statement is checked, too.
        no_element(input, file, problem, span);
        0
    });
    Ok(Index::Const(number))
}

/// The failure that a word in the brackets of a parameter is no component of an address register.
#[cold]
pub(super) fn no_index(input: &mut Syntax<'_>, word: Span) -> Failure {
    let code = match input.ast.text[word.range()] {
        [b'A', b'0'..=b'9'] => Code::AddressRegister,
        _ => Code::UnknownRegister,
    };
    input.go_to(word.start);
    input.fail_with(Expected::AddressComponent, code)
}

/// Letters of components with blanks between them.
#[derive(Clone, Copy)]
pub(super) struct SpreadLetters {
    letters: [u8; 4],
    count: usize,
    pub(super) end: u32,
}

impl SpreadLetters {
    pub(super) fn text(&self) -> &[u8] {
        &self.letters[..self.count]
    }
}

/// Takes the letters that go on with those before byte `end`: each is a token of its own where programs name registers. `None` if no
/// letters go on, or more than four. NV_vertex_program section 2.14.1.7.
#[cold]
pub(super) fn spread_letters(input: &mut Syntax<'_>, end: u32) -> Option<SpreadLetters> {
    input.facts.registers?;
    let text = input.ast.text;
    let before = &text[..end as usize];
    // The letters before are looked up in the text: nothing else keeps them.
    let point = before.iter().rposition(|&byte| byte == b'.')?;
    let mut found = SpreadLetters {
        letters: [0; 4],
        count: 0,
        end,
    };
    let mut add = |letters: &[u8]| {
        let letters = letters.iter().filter(|byte| !byte.is_ascii_whitespace());
        letters.copied().all(|letter| {
            let slot = found.letters.get_mut(found.count);
            found.count += 1;
            slot.map(|slot| *slot = letter).is_some()
        })
    };
    if !add(&before[point + 1..]) {
        return None;
    }
    let mut rest = input.rest;
    while rest.first().is_some_and(|&byte| lex::is_letter(byte)) {
        let (word, behind) = rest.split_at(lex::word_length(rest));
        if !add(word) {
            return None;
        }
        found.end = (text.len() - behind.len()) as u32;
        rest = lex::without_blanks(behind);
    }
    (found.end > end).then(|| {
        input.rest = rest;
        found
    })
}

/// The brackets behind the letter of parameters that are resolved one by one.
fn local(
    input: &mut Syntax<'_>,
    (registers, letter): (&Registers, Span),
    end: &mut u32,
) -> Parsed<Index> {
    let Some(fragment) = registers.fragment else {
        return Err(input.fail_at(Expected::Operand));
    };
    input.expect(
        TokenKind::OpenBracket,
        Expected::Token(TokenKind::OpenBracket),
    )?;
    let number = numbers::small_int(input)?;
    *end = input.close(TokenKind::CloseBracket)?;
    let count = fragment.locals.count;
    if number < count {
        return Ok(Index::Const(number));
    }
    let span = Span::new(letter.start, *end);
    let message = format!("local parameters are numbered from 0 to {}", count - 1);
    input.reports.error(Code::BindingRange, span, message);
    Ok(Index::Const(0))
}

/// A texture image unit such as `TEX0`.
pub(super) fn unit(input: &mut Syntax<'_>, names: &FragmentNames) -> Parsed<Operand> {
    let (name, span) = input.expect_name(Expected::Unit)?;
    let text = input.ast.names.text(name);
    let number = text.strip_prefix(names.unit.as_bytes());
    match number.and_then(register::number) {
        Some(number) if number < names.units => Ok(Operand {
            base: Base::Name(name),
            index: Index::None,
            suffix: Suffix::NONE,
            signs: Signs::empty(),
            span,
        }),
        Some(_) => Err(no_unit(input, span, Code::TextureRange)),
        None => Err(no_unit(input, span, Code::TextureExpected)),
    }
}

#[cold]
fn no_unit(input: &mut Syntax<'_>, span: Span, code: Code) -> Failure {
    input.go_to(span.start);
    input.fail_with(Expected::Unit, code)
}

/// Why brackets name no register.
#[derive(Clone, Copy)]
enum BracketProblem {
    /// No register has this word.
    Word(Span),
    /// There are not so many registers.
    Number,
    /// An address register.
    Address(Span),
}

/// The register that a word names, which is taken.
#[inline]
fn word(input: &mut Syntax<'_>, file: &File) -> Result<u32, BracketProblem> {
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
fn other_word(input: &mut Syntax<'_>, word: Span) -> BracketProblem {
    if !input.is_at(TokenKind::Dot) {
        return BracketProblem::Word(word);
    }
    let mut end = word.end;
    // All of it is one mistake, so what is left goes on at the bracket.
    while !input.is_at(TokenKind::CloseBracket) && !input.is_at(TokenKind::Semicolon) {
        let token = input.advance();
        if token.kind() == TokenKind::End {
            break;
        }
        end = token.end();
    }
    BracketProblem::Address(Span::new(word.start, end))
}

/// The register that a number names, which is taken.
fn number(input: &mut Syntax<'_>, file: &File) -> Parsed<Result<u32, BracketProblem>> {
    let start = input.position();
    let number = numbers::small_int(input)?;
    // Results and attributes of fragment programs have words only.
    if !file.numbered {
        return Ok(Err(BracketProblem::Word(Span::new(start, start + 1))));
    }
    let exists = (number as usize) < file.elements.len();
    Ok(exists.then_some(number).ok_or(BracketProblem::Number))
}

#[cold]
fn no_element(input: &mut Syntax<'_>, file: &File, problem: BracketProblem, span: Span) {
    let text = |span: Span| String::from_utf8_lossy(&input.ast.text[span.range()]).into_owned();
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
                // Registers such as CLP0, which version 2.0 has added.
                && register::is_newer_result(&input.ast.text[word.range()])
                && input.ast.dialect.stage() == glasm_ir::Stage::Vertex =>
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
    input.reports.error(code, span, message);
}
