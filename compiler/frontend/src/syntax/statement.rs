//! `<program>`, `<statement>`, `<option>` and labels. NV_gpu_program4 section 2.X.2.

use super::error_recovery::recover;
use super::input::{
    Expected, Failure, Input, Result, advance, fail, fail_with, identifier, last_end, mark, peek,
    peek_kind, token,
};
use super::statement_keywords::StatementStart;
use super::{declaration, instruction, literal};
use crate::ast::Statement;
use crate::codes::Code;
use crate::header;
use crate::interner::NameId;
use crate::lang::limits;
use crate::lang::opcodes::{self, Opcode};
use crate::lang::options;
use crate::lex::{self, Token, TokenKind};
use crate::source::Family;
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::combinator::{delimited, terminated};

/// Parses `<statement>` or `END` and adds the statement to the tree. Returns false at the end of
/// the program.
///
/// A syntax error is reported; parsing resumes after the statement that has it.
pub(super) fn parse_statement(input: &mut Input<'_, '_>) -> bool {
    let statements = input.state.ast.statements.len();
    let first_token = peek(input);
    let result = match first_token.kind() {
        TokenKind::Ident => parse_word_statement(input),
        TokenKind::End => report_missing_end(input),
        _ => Err(fail(input, Expected::Statement)),
    };
    let has_next = result.unwrap_or_else(|failure| {
        recover(input, first_token, failure);
        true
    });
    if has_next && !is_within_limits(input, first_token) {
        // Statements beyond the limits are not checked.
        input.state.ast.statements.truncate(statements);
        return false;
    }
    has_next
}

/// Returns true if the program has no more instructions and errors than allowed; reports too many
/// instructions at `first`, the start of the statement. This is checked after every statement, so
/// that a long program costs neither time nor memory beyond the limits.
fn is_within_limits(input: &mut Input<'_, '_>, first: Token) -> bool {
    let state = &mut input.state;
    if state.ast.inst_count as usize > limits::INSTRUCTIONS {
        let message = format!("more than {} instructions", limits::INSTRUCTIONS);
        let reports = &mut state.reports;
        reports.report_error(Code::TooManyInstructions, first.span(), message);
        return false;
    }
    !state.reports.is_full()
}

/// Reports a program without END at the end of the source. Returns `Ok(false)`: no statement
/// follows.
fn report_missing_end(input: &mut Input<'_, '_>) -> Result<bool> {
    let (code, message) = (Code::MissingEnd, "the program has no `END`");
    let span = peek(input).span();
    input.state.reports.report_error(code, span, message);
    Ok(false)
}

/// Parses a statement that begins with a word and appends it to the AST; returns false for `END`,
/// after which it reports further tokens. Records that OPTION lines may not follow, if it is no
/// such line.
fn parse_word_statement(input: &mut Input<'_, '_>) -> Result<bool> {
    let word = advance(input);
    // Opcodes and keywords may be names of labels, so the colon is checked before the kind of the
    // word.
    if peek_kind(input) == TokenKind::Colon {
        parse_inst_label(input, word)?;
        return Ok(true);
    }
    match find_statement_start(input, word) {
        StatementStart::Opcode(opcode, mods) => {
            // OPTION lines precede all other statements. NV_gpu_program4 section 2.X.2, program.
            input.state.late_options = true;
            instruction::parse_instruction(input, word, (opcode, mods))?;
        }
        StatementStart::Decl(keyword) => {
            input.state.late_options = true;
            declaration::parse_naming_statement(input, word, keyword)?;
        }
        StatementStart::Option => parse_option(input, word)?,
        StatementStart::End => {
            check_nothing_after_end(input);
            return Ok(false);
        }
        leader @ (StatementStart::RemovedWord
        | StatementStart::Unknown
        | StatementStart::OtherWord) => {
            parse_unknown_statement(input, leader, word)?;
        }
    }
    Ok(true)
}

/// Returns the role of a word at the start of a statement; words that are not keywords are
/// interned.
fn find_statement_start(input: &mut Input<'_, '_>, word: Token) -> StatementStart {
    let state = &mut input.state;
    let key = lex::key_at(state.ast.text, word.span());
    match state.vocabulary.find_start(key, state.text(word)) {
        Some(leader) => leader,
        None => {
            // An opcode with suffixes, which is likely to be in several statements.
            let name = state.intern(word.span());
            state.leader(name)
        }
    }
}

/// Reports the next token if it is not the end of the source; it follows `END`, after which
/// whitespace and comments are allowed.
fn check_nothing_after_end(input: &mut Input<'_, '_>) {
    let next = peek(input);
    if next.kind() != TokenKind::End {
        let state = &mut input.state;
        let (text, wanted) = (state.ast.text, state.wanted);
        header::report_text_after_end(&mut state.reports, text, next.span(), wanted);
    }
}

/// Parses a label with a number, the only statement that begins with a word that is neither a
/// keyword nor an opcode. Fails for all other words, with the most helpful code for the word.
#[cold]
fn parse_unknown_statement(
    input: &mut Input<'_, '_>,
    leader: StatementStart,
    word: Token,
) -> Result<()> {
    let code = match leader {
        // A newer language is the more helpful answer, if the word is in both.
        _ if is_newer_opcode(input, word) => Code::FeatureNewer,
        StatementStart::OtherWord if is_numbered_label(input) => {
            return parse_numbered_label(input, word);
        }
        StatementStart::RemovedWord => Code::OldLanguage,
        _ if is_vertex_opcode(input, word) => Code::FeatureStage,
        _ => Code::UnknownOpcode,
    };
    Err(Failure::at(word, Expected::Statement, code))
}

/// Returns true if a word is an opcode of a newer language of the same program type.
fn is_newer_opcode(input: &Input<'_, '_>, word: Token) -> bool {
    let newer = input.state.ast.dialect.family().newer_family();
    newer.is_some_and(|family| opcodes::split_suffixes(family, input.state.text(word)).is_some())
}

/// Returns true if the program is one of NV_fragment_program, and the word, which is unknown there,
/// is an opcode of NV_vertex_program or NV_vertex_program2.
fn is_vertex_opcode(input: &Input<'_, '_>, word: Token) -> bool {
    let text = input.state.text(word);
    let families = [Family::Vertex2, Family::Vertex1];
    input.state.facts.fragment_names().is_some()
        && families
            .iter()
            .any(|&family| Opcode::from_mnemonic(family, text).is_some())
}

/// Parses the colon of `<instLabel> ":"` after its word, and appends the label to the AST. Fails
/// for reserved words, and in fragment programs with numbered registers, which have no labels:
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

/// Appends a label statement to the AST.
fn push_label(input: &mut Input<'_, '_>, name: NameId, word: Token) {
    let label = Statement::Label(name, word.span());
    input.state.ast.statements.push(label);
}

/// Fails if the name of a label is a reserved word, except in languages with numbered registers.
/// Otherwise records that OPTION lines may not follow.
fn check_label(input: &mut Input<'_, '_>, name: NameId, word: Token) -> Result<()> {
    let state = &mut input.state;
    // Labels have a separate name space where programs do not declare the names of registers.
    if state.is_reserved(name) && state.facts.registers.is_none() {
        return Err(Failure::at(word, Expected::FreeName, Code::ReservedName));
    }
    state.late_options = true;
    Ok(())
}

/// Returns true if the next token is `SUBROUTINENUM`, which numbers a label for indirect calls, in
/// a language that has it.
fn is_numbered_label(input: &Input<'_, '_>) -> bool {
    let word = peek(input);
    input.state.facts.numbered_labels
        && word.kind() == TokenKind::Ident
        && input.state.text(word) == b"SUBROUTINENUM"
}

/// Parses the remainder of `<instLabel> SUBROUTINENUM "(" <int> ")" ":"`, and appends the label and
/// its number to the AST. ARB_shader_subroutine section 2.X.2.
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
    let span = Span::new(keyword.start(), last_end(input));
    mark(TokenKind::Colon).parse_next(input)?;
    push_label(input, name, word);
    let numbers = &mut input.state.ast.subroutine_numbers;
    numbers.push((name, number, span));
    Ok(())
}

/// Parses `<option> ::= "OPTION" <identifier> ";"` after its keyword, appends it to the AST and
/// enables the features by which it changes the grammar. Reports options in languages without them,
/// and options after other statements; in languages with numbered registers these are dropped.
fn parse_option(input: &mut Input<'_, '_>, keyword: Token) -> Result<()> {
    let semicolon = token(TokenKind::Semicolon, Expected::Semicolon);
    let (name, span) = terminated(identifier(Expected::Name), semicolon).parse_next(input)?;
    let state = &mut input.state;
    // Checked first: where options do not exist, their position does not matter.
    if state.facts.registers.is_some_and(|it| !it.has_options) {
        let message = "OPTION lines need a newer language version";
        let reports = &mut state.reports;
        reports.report_error(Code::FeatureNewer, keyword.span(), message);
        return Ok(());
    }
    if state.late_options {
        let message = "OPTION lines come before all other statements";
        let reports = &mut state.reports;
        reports.report_error(Code::OptionLate, keyword.span(), message);
        // Earlier instructions may have broken its rules, and later ones need not obey them.
        if state.facts.registers.is_some() {
            return Ok(());
        }
    }
    // Some words are conditions under options only.
    let option = state.ast.names.bytes(name);
    let acceptance = state.reports.acceptance();
    if let Some(row) = options::find_option(option, state.ast.dialect, acceptance) {
        state.features |= row.enables;
    }
    let statement = Statement::Option(name, span);
    state.ast.statements.push(statement);
    Ok(())
}
