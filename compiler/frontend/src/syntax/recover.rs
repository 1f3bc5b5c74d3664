//! Syntax errors: their messages, and where parsing continues.

use super::input::{Expected, Failure, Input, advance, peek, peek_kind_after, seek};
use super::vocabulary::Leader;
use crate::ast::Statement;
use crate::codes::Code;
use crate::lang::targets::TARGETS;
use crate::lang::{modifiers, opcodes, stage_name};
use crate::lex::{Token, TokenKind};
use crate::suggest::suggest;
use glasm_ir::Stage;

/// Continues after the next semicolon, or at the token found if that clearly starts a statement and
/// a semicolon was missing.
pub(super) fn recover(input: &mut Input<'_, '_>, first: Token, failure: Failure) {
    poison_names(input, first, failure.token);
    seek(input, failure.token);
    // Only if the end of the statement is all that was missing can the next word begin a new one.
    let is_end_missing = matches!(failure.expected, Expected::Semicolon | Expected::EndOfDecl);
    if is_end_missing && failure.token.start() > first.start() && is_statement_next(input) {
        return;
    }
    skip_statement(input);
}

/// Consumes tokens up to the next semicolon, which is consumed, too, or to END or the end of the
/// program.
fn skip_statement(input: &mut Input<'_, '_>) {
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
                if matches!(peek_kind_after(input, 1), TokenKind::End | TokenKind::Bad)
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

/// Returns true if the next tokens begin a statement.
fn is_statement_next(input: &mut Input<'_, '_>) -> bool {
    let word = peek(input);
    if word.kind() != TokenKind::Ident {
        return false;
    }
    // A label begins a statement regardless of other uses of its name.
    if peek_kind_after(input, 1) == TokenKind::Colon {
        return true;
    }
    let name = input.state.intern(word.span());
    let leader = input.state.leader(name);
    !matches!(leader, Leader::Other | Leader::Unknown | Leader::Old)
}

/// Marks the names in a declaration with a syntax error, so that their later use is not reported
/// again.
fn poison_names(input: &mut Input<'_, '_>, first: Token, error: Token) {
    // Only a word could have begun a declaration.
    if first.kind() != TokenKind::Ident {
        return;
    }
    let name = input.state.intern(first.span());
    if !matches!(
        input.state.leader(name),
        // A misspelled keyword may be intended for a declaration, so unknown words are treated as
        // such keywords.
        Leader::Decl(_) | Leader::Other | Leader::Unknown | Leader::Old
    ) {
        return;
    }
    seek(input, first);
    let (tokens, state) = (input.input, &mut *input.state);
    let statement = tokens
        .iter()
        .take_while(|token| !matches!(token.kind(), TokenKind::Semicolon | TokenKind::End));
    let before = state.ast.poisoned.len();
    // All names, bindings as well: the declared names cannot be distinguished from the others.
    for token in statement.filter(|token| token.kind() == TokenKind::Ident) {
        let name = state.intern(token.span());
        state.ast.poisoned.push(name);
    }
    let names = (state.ast.poisoned.len() - before) as u32;
    let error = error.start();
    let statements = &mut state.ast.statements;
    statements.push(Statement::Broken { names, error });
}

/// Reports a failure.
#[cold]
pub(super) fn report(input: &mut Input<'_, '_>, failure: Failure) {
    let (token, state) = (failure.token, &mut *input.state);
    let text = String::from_utf8_lossy(state.text(token)).into_owned();
    let found = if token.kind() == TokenKind::End {
        "end of the program".to_owned()
    } else {
        format!("`{text}`")
    };
    let hint = match failure.code {
        Code::UnknownOpcode => {
            let rows = opcodes::rows(state.ast.dialect.family());
            suggest(&text, rows.iter().map(|row| row.name))
        }
        Code::ModifierUnknown => suggest(&text, modifiers::words()),
        Code::TargetUnknown => suggest(&text, TARGETS.iter().map(|target| target.name)),
        Code::ComponentCount => {
            let hint =
                "a constant has one to four numbers; a decimal has a point, as in `{0.5, 0.5}`";
            Some(hint.to_owned())
        }
        _ => None,
    };
    let message = message(&failure, &found, state.ast.dialect.stage());
    let notes = hint.into_iter().collect();
    state
        .reports
        .error_with(failure.code, token.span(), message, notes);
}

fn message(failure: &Failure, found: &str, stage: Stage) -> String {
    match failure.code {
        Code::UnexpectedCharacter => format!("{found} is no character of the language"),
        Code::BadNumber => format!("{found} is neither a number nor a name"),
        Code::UnknownOpcode => format!("unknown opcode {found}"),
        Code::FeatureNewer => format!("{found} needs a newer language version"),
        Code::UnknownRegister => format!("{found} is no register"),
        Code::FeatureStage => {
            format!("{found} is not available in {} programs", stage_name(stage))
        }
        Code::OldLanguage => format!("{found} belongs to older languages"),
        Code::ModifierUnknown => format!("unknown modifier {found}"),
        Code::TargetUnknown => format!("unknown texture target {found}"),
        Code::ReservedName => format!("{found} is a reserved word"),
        _ => format!("expected {}, found {found}", failure.expected.text()),
    }
}

impl Expected {
    fn text(self) -> &'static str {
        match self {
            Self::Statement => "a statement",
            Self::Semicolon => "`;`",
            Self::Comma => "`,`",
            Self::Name => "a name",
            Self::FreeName => "a name that is no reserved word",
            Self::Operand => "an operand",
            Self::Result => "a result variable",
            Self::Modifier => "a modifier",
            Self::Component => "a component such as `.x`, or four",
            Self::Mask => "a write mask such as `.xyz`",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Brackets => "a number, a range or a component of a variable",
            Self::Token(kind) => kind_text(kind),
            Self::Condition => "a condition such as `GT.x`",
            Self::Label => "a label",
            Self::Target => "a texture target such as `2D`",
            Self::Unit => "a texture image unit from `TEX0` to `TEX15`",
            Self::Offset => "a texel offset such as `(1, 0)` or `offset(r)`",
            Self::Binding => "a binding or a constant",
            Self::ExtSwizzle => "`x`, `y`, `z`, `w`, `0` or `1`",
            Self::EndOfDecl => "`;` or `,`",
            Self::AddressComponent => "a component of an address register such as `A0.x`",
        }
    }
}

fn kind_text(kind: TokenKind) -> &'static str {
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
