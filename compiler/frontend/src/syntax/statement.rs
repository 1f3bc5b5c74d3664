//! Statements: labels, options, END; instructions and declarations stand elsewhere.

use super::cursor::{Expected, Failure, Parsed, Syntax};
use super::recover::{recover, report};
use super::vocabulary::Leader;
use super::{decl, instr, numbers};
use crate::ast::Statement;
use crate::codes::Code;
use crate::header;
use crate::lang::limits;
use crate::lang::opcodes::{self, Opcode};
use crate::lang::options;
use crate::lex::{self, TokenKind};
use crate::names::NameId;
use crate::source::Family;
use glasm_ir::Span;

impl Syntax<'_> {
    /// Parses a statement and adds it to the tree. Returns false at the end of the program.
    // A function of its own has registers enough for the place in the text.
    #[inline(never)]
    pub(super) fn parse_statement(&mut self) -> bool {
        self.statement = None;
        let start = self.position();
        let result = match self.is_at_name() {
            true => statement(self),
            false if self.rest.is_empty() => missing_end(self),
            false => Err(self.fail_at(Expected::Statement)),
        };
        let goes_on = match result {
            // Checked as the program is read, so that a long one costs neither time nor memory beyond the limit.
            Ok(goes_on) => goes_on && (self.has_room() || too_many(self, start)),
            Err(failure) => failed(self, start, failure),
        };
        if let (true, Some(statement)) = (goes_on, self.statement) {
            self.ast.statements.push(statement);
        }
        goes_on
    }

    /// Whether the program has no more instructions than allowed.
    #[inline]
    fn has_room(&self) -> bool {
        self.ast.inst_count as usize <= limits::INSTRUCTIONS && !self.reports.is_full()
    }
}

/// Goes on behind a statement with an error.
#[cold]
fn failed(input: &mut Syntax<'_>, start: u32, failure: Failure) -> bool {
    report(input, failure);
    recover(input, start, failure);
    input.has_room() || too_many(input, start)
}

/// The end of what is read of a program that is too long.
#[cold]
fn too_many(input: &mut Syntax<'_>, start: u32) -> bool {
    if input.ast.inst_count as usize > limits::INSTRUCTIONS {
        let message = format!("more than {} instructions", limits::INSTRUCTIONS);
        let first = lex::token_at(input.ast.text, start as usize);
        let reports = &mut input.reports;
        reports.error(Code::TooManyInstructions, first.span(), message);
    }
    false
}

#[cold]
fn missing_end(input: &mut Syntax<'_>) -> Parsed<bool> {
    let (code, message) = (Code::MissingEnd, "the program has no `END`");
    let span = input.peek().span();
    input.reports.error(code, span, message);
    Ok(false)
}

/// A statement; `false` for END.
#[inline]
fn statement(input: &mut Syntax<'_>) -> Parsed<bool> {
    let (start, (length, key)) = (input.position(), lex::name(input.rest));
    let text = &input.rest[..length];
    let span = Span::new(start, start + length as u32);
    input.skip(length);
    // Opcodes and keywords may be names of labels, so a colon decides before the meaning of the word does.
    if input.is_at(TokenKind::Colon) {
        let name = input.intern_keyed(span, key);
        return label(input, name, span);
    }
    let leader = match input.vocabulary.leader(key, text) {
        Some(leader) => leader,
        None => {
            // An opcode with suffixes, which is likely to stand in several lines.
            let seen = input.ast.names.seen(span, key);
            let name = seen.unwrap_or_else(|| input.intern_keyed(span, key));
            input.leader(name)
        }
    };
    match leader {
        Leader::Opcode(opcode, mods) => {
            // OPTION lines stand before all else. NV_gpu_program4 section 2.X.2, program.
            input.late_options = true;
            instr::instruction(input, span, (opcode, mods))?;
        }
        Leader::Decl(word) => {
            input.late_options = true;
            decl::declaration(input, span, word)?;
        }
        Leader::Option => option(input, span)?,
        Leader::End => return Ok(end(input)),
        Leader::Old | Leader::Unknown | Leader::Other => other(input, leader, span)?,
    }
    Ok(true)
}

/// The word END: only blanks and comments may follow.
fn end(input: &mut Syntax<'_>) -> bool {
    let next = input.peek();
    if next.kind() != TokenKind::End {
        let (text, wanted) = (input.ast.text, input.wanted);
        header::text_after_end(&mut input.reports, text, next.span(), wanted);
    }
    false
}

/// A word that begins no statement of the language, unless it is a label with a number.
#[cold]
fn other(input: &mut Syntax<'_>, leader: Leader, span: Span) -> Parsed<()> {
    let code = match leader {
        // A newer language is the more helpful answer, if the word is in both.
        _ if is_newer(input, span) => Code::FeatureNewer,
        Leader::Other if has_number(input) => return numbered_label(input, span),
        Leader::Old => Code::OldLanguage,
        _ if belongs_to_vertex_programs(input, span) => Code::FeatureStage,
        _ => Code::UnknownOpcode,
    };
    input.go_to(span.start);
    Err(input.fail_with(Expected::Statement, code))
}

/// Whether a word is an opcode of a newer language of its kind.
fn is_newer(input: &Syntax<'_>, word: Span) -> bool {
    let newer = input.ast.dialect.family().newer();
    newer.is_some_and(|family| opcodes::split(family, &input.ast.text[word.range()]).is_some())
}

/// Whether a word that is unknown in a fragment program of registers is an opcode of vertex programs.
fn belongs_to_vertex_programs(input: &Syntax<'_>, word: Span) -> bool {
    let text = &input.ast.text[word.range()];
    let families = [Family::Vertex2, Family::Vertex1];
    input.facts.fragment_names().is_some()
        && families
            .iter()
            .any(|&family| Opcode::exact(family, text).is_some())
}

fn label(input: &mut Syntax<'_>, name: NameId, span: Span) -> Parsed<bool> {
    if input.facts.fragment_names().is_some() {
        // Fragment programs of registers have no labels. NV_fragment_program section 3.11.
        return Err(input.fail_with(Expected::Result, Code::UnexpectedToken));
    }
    free_name(input, name, span)?;
    input.skip(1);
    input.statement = Some(Statement::Label(name, span));
    Ok(true)
}

/// Fails if the name of a label, which was read, is a reserved word.
fn free_name(input: &mut Syntax<'_>, name: NameId, span: Span) -> Parsed<()> {
    // Labels are a space of names of their own where registers are no names that programs give.
    if input.is_reserved(name) && input.facts.registers.is_none() {
        input.go_to(span.start);
        return Err(input.fail_at(Expected::FreeName));
    }
    input.late_options = true;
    Ok(())
}

/// Whether SUBROUTINENUM stands ahead.
fn has_number(input: &Syntax<'_>) -> bool {
    let word = input.peek();
    input.facts.numbered_labels
        && word.kind() == TokenKind::Ident
        && input.text(word) == b"SUBROUTINENUM"
}

/// `name SUBROUTINENUM(n):`. ARB_shader_subroutine section 2.X.2.
fn numbered_label(input: &mut Syntax<'_>, span: Span) -> Parsed<()> {
    let name = input.intern(span);
    free_name(input, name, span)?;
    // SUBROUTINENUM, which `has_number` has seen.
    let word = input.advance();
    input.expect(TokenKind::OpenParen, Expected::Token(TokenKind::OpenParen))?;
    let number = numbers::small_int(input)?;
    let end = input.close(TokenKind::CloseParen)?;
    input.expect(TokenKind::Colon, Expected::Token(TokenKind::Colon))?;
    input.statement = Some(Statement::Label(name, span));
    let numbers = &mut input.ast.subroutine_numbers;
    numbers.push((name, number, Span::new(word.start(), end)));
    Ok(())
}

/// `OPTION name;`
fn option(input: &mut Syntax<'_>, keyword: Span) -> Parsed<()> {
    let (name, span) = input.expect_name(Expected::Name)?;
    input.expect(TokenKind::Semicolon, Expected::Semicolon)?;
    // Checked first: where there are no options, their place does not matter.
    if input.facts.registers.is_some_and(|it| !it.options) {
        let message = "OPTION lines need a newer language version";
        input.reports.error(Code::FeatureNewer, keyword, message);
        return Ok(());
    }
    if input.late_options {
        let message = "OPTION lines come before all other statements";
        input.reports.error(Code::OptionLate, keyword, message);
        // Earlier instructions may have broken its rules, and the rest need not keep them.
        if input.facts.registers.is_some() {
            return Ok(());
        }
    }
    // Some words are conditions under options only.
    let option = input.ast.names.text(name);
    let acceptance = input.reports.acceptance();
    if let Some(row) = options::find(option, input.ast.dialect, acceptance) {
        input.features |= row.enables;
    }
    input.statement = Some(Statement::Option(name, span));
    Ok(())
}
