//! Syntax errors: their messages, and where reading goes on.

use super::cursor::{Expected, Failure, Syntax};
use super::vocabulary::Leader;
use crate::ast::Statement;
use crate::codes::Code;
use crate::lang::targets::TARGETS;
use crate::lang::{modifiers, opcodes, stage_name};
use crate::lex::{self, Token, TokenKind};
use crate::suggest::suggest;
use glasm_ir::Stage;

/// Goes on behind the next semicolon, or at the token found if that plainly starts a statement and a semicolon was missing.
pub(super) fn recover(input: &mut Syntax<'_>, start: u32, failure: Failure) {
    let failed = input.ast.text.len() as u32 - failure.remaining;
    poison(input, lex::token_at(input.ast.text, start as usize), failed);
    // Some failures are found by looking ahead.
    if input.position() < failed {
        input.go_to(failed);
    }
    // Only where nothing else than the end of the statement was missing can the next word begin a new one.
    let missing_semicolon = matches!(failure.expected, Expected::Semicolon | Expected::EndOfDecl);
    if missing_semicolon && input.position() > start && starts_statement(input) {
        return;
    }
    skip_statement(input);
}

/// Goes behind the next semicolon, or to END or the end of the text.
fn skip_statement(input: &mut Syntax<'_>) {
    loop {
        match input.peek().kind() {
            // Not taken, so that the missing END is reported.
            TokenKind::End => return,
            TokenKind::Semicolon => {
                input.advance();
                return;
            }
            // END closes the program without semicolon; behind it may stand what is in no program, such as NUL or a header.
            TokenKind::Ident
                if matches!(input.peek_kind(1), TokenKind::End | TokenKind::Bad)
                    && input.text(input.peek()) == b"END" =>
            {
                return;
            }
            _ => {
                input.advance();
            }
        }
    }
}

fn starts_statement(input: &mut Syntax<'_>) -> bool {
    if !input.is_at_name() {
        return false;
    }
    let name = input.intern(input.peek().span());
    // A label begins a statement whatever its name means otherwise.
    input.peek_kind(1) == TokenKind::Colon
        || !matches!(
            input.leader(name),
            Leader::Other | Leader::Unknown | Leader::Old
        )
}

/// Names in a declaration that could not be read: their later use is no further error.
fn poison(input: &mut Syntax<'_>, first: Token, error: u32) {
    // Only a word could have begun a declaration.
    if first.kind() != TokenKind::Ident {
        return;
    }
    let name = input.intern(first.span());
    if !matches!(
        input.leader(name),
        // A misspelt keyword may be meant for a declaration, so words of no meaning count as such keywords.
        Leader::Decl(_) | Leader::Other | Leader::Unknown | Leader::Old
    ) {
        return;
    }
    // All names up to the semicolon, bindings as well: the ones that were to be declared cannot be told from the others.
    let before = input.ast.poisoned.len();
    let tokens = lex::tokens(input.ast.text, first.start() as usize);
    for token in tokens.take_while(|token| token.kind() != TokenKind::Semicolon) {
        if token.kind() == TokenKind::Ident {
            let name = input.intern(token.span());
            input.ast.poisoned.push(name);
        }
    }
    let names = (input.ast.poisoned.len() - before) as u32;
    input
        .ast
        .statements
        .push(Statement::Broken { names, error });
}

/// The message of a failure.
#[cold]
pub(super) fn report(input: &mut Syntax<'_>, failure: Failure) {
    let source = input.ast.text;
    let token = lex::token_at(source, source.len() - failure.remaining as usize);
    let state = input;
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
