//! `<program>`, `<statement>`, `<option>` and labels. NV_gpu_program4 section 2.X.2.

use super::input::{
    Expected, Failure, Input, Result, advance, fail, fail_with, identifier, mark, peek, peek_kind,
    token,
};
use super::recover::{recover, report};
use super::vocabulary::Leader;
use super::{declaration, instruction, literal};
use crate::ast::Statement;
use crate::codes::Code;
use crate::header;
use crate::lang::limits;
use crate::lang::opcodes::{self, Opcode};
use crate::lang::options;
use crate::lex::{self, Token, TokenKind};
use crate::names::NameId;
use crate::source::Family;
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::combinator::{delimited, terminated};

/// Parses `<statement>` or `END` and adds the statement to the tree. Returns false at the end of
/// the program.
///
/// A syntax error is reported; parsing resumes after the statement that has it.
#[inline(never)]
pub(super) fn parse_statement(input: &mut Input<'_, '_>) -> bool {
    let statements = input.state.ast.statements.len();
    let first = peek(input);
    let result = match first.kind() {
        TokenKind::Ident => parse_from_word(input),
        TokenKind::End => report_missing_end(input),
        _ => Err(fail(input, Expected::Statement)),
    };
    let goes_on = result.unwrap_or_else(|failure| {
        report(input, failure);
        recover(input, first, failure);
        true
    });
    if goes_on && !is_within_limits(input, first) {
        // Statements beyond the limits are not checked.
        input.state.ast.statements.truncate(statements);
        return false;
    }
    goes_on
}

/// Returns true if the program has no more instructions and errors than allowed; reports too many
/// instructions. This is checked after every statement, so that a long program costs neither time
/// nor memory beyond the limits.
fn is_within_limits(input: &mut Input<'_, '_>, first: Token) -> bool {
    let state = &mut input.state;
    if state.ast.inst_count as usize > limits::INSTRUCTIONS {
        let message = format!("more than {} instructions", limits::INSTRUCTIONS);
        let reports = &mut state.reports;
        reports.error(Code::TooManyInstructions, first.span(), message);
        return false;
    }
    !state.reports.is_full()
}

#[cold]
fn report_missing_end(input: &mut Input<'_, '_>) -> Result<bool> {
    let (code, message) = (Code::MissingEnd, "the program has no `END`");
    let span = peek(input).span();
    input.state.reports.error(code, span, message);
    Ok(false)
}

/// Parses a statement that begins with a word; returns false for `END`.
fn parse_from_word(input: &mut Input<'_, '_>) -> Result<bool> {
    let word = advance(input);
    // Opcodes and keywords may be names of labels, so the colon is checked before the kind of the
    // word.
    if peek_kind(input) == TokenKind::Colon {
        parse_inst_label(input, word)?;
        return Ok(true);
    }
    match find_leader(input, word) {
        Leader::Opcode(opcode, mods) => {
            // OPTION lines precede all other statements. NV_gpu_program4 section 2.X.2, program.
            input.state.late_options = true;
            instruction::parse_instruction(input, word, (opcode, mods))?;
        }
        Leader::Decl(keyword) => {
            input.state.late_options = true;
            declaration::parse_naming_statement(input, word, keyword)?;
        }
        Leader::Option => parse_option(input, word)?,
        Leader::End => {
            check_end(input);
            return Ok(false);
        }
        leader @ (Leader::Old | Leader::Unknown | Leader::Other) => {
            parse_other(input, leader, word)?;
        }
    }
    Ok(true)
}

/// Returns the role of a word at the start of a statement.
fn find_leader(input: &mut Input<'_, '_>, word: Token) -> Leader {
    let state = &mut input.state;
    let key = lex::key_at(state.ast.text, word.span());
    match state.vocabulary.leader(key, state.text(word)) {
        Some(leader) => leader,
        None => {
            // An opcode with suffixes, which is likely to be in several statements.
            let name = state.intern(word.span());
            state.leader(name)
        }
    }
}

/// Reports any token that follows `END`; whitespace and comments are allowed.
fn check_end(input: &mut Input<'_, '_>) {
    let next = peek(input);
    if next.kind() != TokenKind::End {
        let state = &mut input.state;
        let (text, wanted) = (state.ast.text, state.wanted);
        header::text_after_end(&mut state.reports, text, next.span(), wanted);
    }
}

/// Parses a label with a number, the only statement that begins with a word that is neither a
/// keyword nor an opcode.
#[cold]
fn parse_other(input: &mut Input<'_, '_>, leader: Leader, word: Token) -> Result<()> {
    let code = match leader {
        // A newer language is the more helpful answer, if the word is in both.
        _ if is_newer_opcode(input, word) => Code::FeatureNewer,
        Leader::Other if is_numbered_label(input) => return parse_numbered_label(input, word),
        Leader::Old => Code::OldLanguage,
        _ if is_vertex_opcode(input, word) => Code::FeatureStage,
        _ => Code::UnknownOpcode,
    };
    Err(Failure::at(word, Expected::Statement, code))
}

/// Returns true if a word is an opcode of a newer language of the same program type.
fn is_newer_opcode(input: &Input<'_, '_>, word: Token) -> bool {
    let newer = input.state.ast.dialect.family().newer();
    newer.is_some_and(|family| opcodes::split(family, input.state.text(word)).is_some())
}

/// Returns true if a word that is unknown in a fragment program of registers is an opcode of vertex
/// programs.
fn is_vertex_opcode(input: &Input<'_, '_>, word: Token) -> bool {
    let text = input.state.text(word);
    let families = [Family::Vertex2, Family::Vertex1];
    input.state.facts.fragment_names().is_some()
        && families
            .iter()
            .any(|&family| Opcode::exact(family, text).is_some())
}

/// Parses the rest of `<instLabel> ":"`. Fragment programs of registers have no labels:
/// NV_fragment_program section 3.11.
fn parse_inst_label(input: &mut Input<'_, '_>, word: Token) -> Result<()> {
    let name = input.state.intern(word.span());
    if input.state.facts.fragment_names().is_some() {
        return Err(fail_with(input, Expected::Result, Code::UnexpectedToken));
    }
    check_label(input, name, word)?;
    advance(input);
    push_label(input, name, word);
    Ok(())
}

fn push_label(input: &mut Input<'_, '_>, name: NameId, word: Token) {
    let label = Statement::Label(name, word.span());
    input.state.ast.statements.push(label);
}

/// Fails if the name of a label is a reserved word.
fn check_label(input: &mut Input<'_, '_>, name: NameId, word: Token) -> Result<()> {
    let state = &mut input.state;
    // Labels have a separate name space where programs do not declare the names of registers.
    if state.is_reserved(name) && state.facts.registers.is_none() {
        return Err(Failure::at(word, Expected::FreeName, Code::ReservedName));
    }
    state.late_options = true;
    Ok(())
}

/// Returns true if `SUBROUTINENUM` follows.
fn is_numbered_label(input: &Input<'_, '_>) -> bool {
    let word = peek(input);
    input.state.facts.numbered_labels
        && word.kind() == TokenKind::Ident
        && input.state.text(word) == b"SUBROUTINENUM"
}

/// Parses the rest of `<instLabel> SUBROUTINENUM "(" <int> ")" ":"`. ARB_shader_subroutine section
/// 2.X.2.
fn parse_numbered_label(input: &mut Input<'_, '_>, word: Token) -> Result<()> {
    let name = input.state.intern(word.span());
    check_label(input, name, word)?;
    let keyword = advance(input);
    let mut number = delimited(
        mark(TokenKind::OpenParen),
        literal::parse_int,
        mark(TokenKind::CloseParen),
    );
    let number = number.parse_next(input)?;
    let span = Span::new(keyword.start(), super::input::last_end(input));
    mark(TokenKind::Colon).parse_next(input)?;
    push_label(input, name, word);
    let numbers = &mut input.state.ast.subroutine_numbers;
    numbers.push((name, number, span));
    Ok(())
}

/// Parses the rest of `<option> ::= "OPTION" <identifier> ";"`.
fn parse_option(input: &mut Input<'_, '_>, keyword: Token) -> Result<()> {
    let semicolon = token(TokenKind::Semicolon, Expected::Semicolon);
    let (name, span) = terminated(identifier(Expected::Name), semicolon).parse_next(input)?;
    let state = &mut input.state;
    // Checked first: where options do not exist, their position does not matter.
    if state.facts.registers.is_some_and(|it| !it.options) {
        let message = "OPTION lines need a newer language version";
        let reports = &mut state.reports;
        reports.error(Code::FeatureNewer, keyword.span(), message);
        return Ok(());
    }
    if state.late_options {
        let message = "OPTION lines come before all other statements";
        let reports = &mut state.reports;
        reports.error(Code::OptionLate, keyword.span(), message);
        // Earlier instructions may have broken its rules, and the rest need not obey them.
        if state.facts.registers.is_some() {
            return Ok(());
        }
    }
    // Some words are conditions under options only.
    let option = state.ast.names.text(name);
    let acceptance = state.reports.acceptance();
    if let Some(row) = options::find(option, state.ast.dialect, acceptance) {
        state.features |= row.enables;
    }
    let statement = Statement::Option(name, span);
    state.ast.statements.push(statement);
    Ok(())
}
