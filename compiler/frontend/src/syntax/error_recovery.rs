//! Syntax errors: their messages, and where parsing continues.

use super::input::{Expected, Failure, Input, State, advance, peek, peek_after, seek};
use super::statement_keywords::StatementStart;
use crate::ast::Statement;
use crate::codes::Code;
use crate::diagnostic_sink::suggest_spelling;
use crate::lang::texture_targets::TARGETS;
use crate::lang::{modifiers, opcodes, stage_name};
use crate::lex::{Token, TokenKind};
use glasm_ir::Stage;

/// Reports a syntax error in the statement that begins with `first`, and marks the names that it
/// may declare. The parser continues after the next semicolon, or at the token found if that
/// clearly starts a statement and a semicolon was missing.
#[cold]
pub(super) fn recover(input: &mut Input<'_, '_>, first: Token, failure: Failure) {
    seek(input, first.start());
    let rest = input.rest();
    seek(input, failure.start);
    report(input, failure);
    poison_names(input.state, rest, failure.start);
    // Only if the end of the statement is all that was missing can the next word begin a new one.
    let is_end_missing = matches!(failure.expected, Expected::Semicolon | Expected::EndOfDecl);
    if is_end_missing && failure.start > first.start() && is_statement_next(input) {
        return;
    }
    skip_past_semicolon(input);
}

/// Consumes tokens up to the next semicolon, which is consumed, too, or to END at the end of the
/// program, which is not.
fn skip_past_semicolon(input: &mut Input<'_, '_>) {
    loop {
        let token = peek(input);
        match token.kind() {
            // Not consumed, so that the missing END is reported.
            TokenKind::End => return,
            TokenKind::Semicolon => {
                advance(input);
                return;
            }
            // END closes the program without semicolon; bytes that are in no program, such as NUL
            // or a header, may follow it.
            TokenKind::Ident
                if matches!(peek_after(input, 1).kind(), TokenKind::End | TokenKind::Bad)
                    && input.state.text(token) == b"END" =>
            {
                return;
            }
            _ => {
                advance(input);
            }
        }
    }
}

/// Returns true if the next tokens begin a statement: a label, or a word that is an opcode or a
/// keyword. Interns the word.
fn is_statement_next(input: &mut Input<'_, '_>) -> bool {
    let word = peek(input);
    if word.kind() != TokenKind::Ident {
        return false;
    }
    // A label begins a statement regardless of other uses of its name.
    if peek_after(input, 1).kind() == TokenKind::Colon {
        return true;
    }
    let name = input.state.intern(word.span());
    let leader = input.state.leader(name);
    !matches!(
        leader,
        StatementStart::OtherWord | StatementStart::Unknown | StatementStart::RemovedWord
    )
}

/// Adds a malformed statement with the names in it to the AST, if it may be a declaration, so that
/// their uses are not reported again. `rest` begins with the statement, `error` is the position of
/// the error.
fn poison_names(state: &mut State<'_>, rest: &[Token], error: u32) {
    // Only a word could have begun a declaration.
    let Some(first) = rest.first().filter(|it| it.kind() == TokenKind::Ident) else {
        return;
    };
    let name = state.intern(first.span());
    if !matches!(
        state.leader(name),
        // A misspelled keyword may be intended for a declaration, so unknown words are treated as
        // such keywords.
        StatementStart::Decl(_)
            | StatementStart::OtherWord
            | StatementStart::Unknown
            | StatementStart::RemovedWord
    ) {
        return;
    }
    let statement = rest
        .iter()
        .take_while(|token| !matches!(token.kind(), TokenKind::Semicolon | TokenKind::End));
    let poisoned_before = state.ast.poisoned.len();
    // All names, bindings as well: the declared names cannot be distinguished from the others.
    for token in statement.filter(|token| token.kind() == TokenKind::Ident) {
        let name = state.intern(token.span());
        state.ast.poisoned.push(name);
    }
    let names = (state.ast.poisoned.len() - poisoned_before) as u32;
    let statements = &mut state.ast.statements;
    statements.push(Statement::Malformed { names, error });
}

/// Reports a failure at the next token, with a hint for misspelled words.
fn report(input: &mut Input<'_, '_>, failure: Failure) {
    let (token, state) = (peek(input), &mut *input.state);
    let text = String::from_utf8_lossy(state.text(token)).into_owned();
    let found_text = if token.kind() == TokenKind::End {
        "end of the program".to_owned()
    } else {
        format!("`{text}`")
    };
    let hint = match failure.code {
        Code::UnknownOpcode => {
            let rows = opcodes::family_opcodes(state.ast.dialect.family());
            suggest_spelling(&text, rows.iter().map(|row| row.name))
        }
        Code::ModifierUnknown => suggest_spelling(&text, modifiers::modifier_words()),
        Code::TargetUnknown => suggest_spelling(&text, TARGETS.iter().map(|target| target.name)),
        Code::ComponentCount => {
            let hint =
                "a constant has one to four numbers; a decimal has a point, as in `{0.5, 0.5}`";
            Some(hint.to_owned())
        }
        _ => None,
    };
    let message = format_message(&failure, &found_text, state.ast.dialect.stage());
    let notes = hint.into_iter().collect();
    state
        .reports
        .report_error_with_notes(failure.code, token.span(), message, notes);
}

/// Returns the message of a syntax error about the token `found`; unless its code has a separate
/// one, it names the expected syntax.
fn format_message(failure: &Failure, found: &str, stage: Stage) -> String {
    match failure.code {
        Code::UnexpectedCharacter => format!("{found} is not a character of the language"),
        Code::BadNumber => format!("{found} is neither a number nor a name"),
        Code::UnknownOpcode => format!("unknown opcode {found}"),
        Code::FeatureNewer => format!("{found} needs a newer language version"),
        Code::UnknownRegister => format!("{found} is not a register"),
        Code::FeatureStage => {
            format!("{found} is not available in {} programs", stage_name(stage))
        }
        Code::OldLanguage => format!("{found} belongs to older languages"),
        Code::ModifierUnknown => format!("unknown modifier {found}"),
        Code::TargetUnknown => format!("unknown texture target {found}"),
        Code::ReservedName => format!("{found} is a reserved word"),
        _ => format!("expected {}, found {found}", failure.expected.description()),
    }
}

impl Expected {
    /// Returns a description of the expected syntax for messages.
    fn description(self) -> &'static str {
        match self {
            Self::Statement => "a statement",
            Self::Semicolon => "`;`",
            Self::Comma => "`,`",
            Self::Name => "a name",
            Self::FreeName => "a name that is not a reserved word",
            Self::Operand => "an operand",
            Self::Result => "a result variable",
            Self::Modifier => "a modifier",
            Self::Component => "a component such as `.x`, or four",
            Self::Mask => "a write mask such as `.xyz`",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Brackets => "a number, a range or a component of a variable",
            Self::Token(kind) => describe_token_kind(kind),
            Self::Condition => "a condition such as `GT.x`",
            Self::Label => "a label",
            Self::Target => "a texture target such as `2D`",
            Self::Unit => "a texture image unit from `TEX0` to `TEX15`",
            Self::Offset => "a texel offset such as `(1, 0)` or `offset(r)`",
            Self::Binding => "a binding or a constant",
            Self::ExtSwizzle => "`x`, `y`, `z`, `w`, `0` or `1`",
            Self::EndOfDecl => "`;` or `,`",
            Self::AddressComponent => "a component of an address register such as `A0.x`",
            Self::Alternative => "something else",
        }
    }
}

/// Returns a description of a token kind for messages.
fn describe_token_kind(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Ident => "a name",
        TokenKind::Int => "an integer",
        TokenKind::Float => "a number",
        TokenKind::Word => "a texture target",
        TokenKind::Dot => "`.`",
        TokenKind::DotDot => "`..`",
        TokenKind::Comma => "`,`",
        TokenKind::Semicolon => "`;`",
        TokenKind::Colon => "`:`",
        TokenKind::OpenBracket => "`[`",
        TokenKind::CloseBracket => "`]`",
        TokenKind::OpenBrace => "`{`",
        TokenKind::CloseBrace => "`}`",
        TokenKind::OpenParen => "`(`",
        TokenKind::CloseParen => "`)`",
        TokenKind::Plus => "`+`",
        TokenKind::Minus => "`-`",
        TokenKind::Bar => "`|`",
        TokenKind::Equals => "`=`",
        TokenKind::Bad => "a character of the language",
        TokenKind::End => "the end",
    }
}
