//! Tokens to syntax tree.
//!
//! All grammar functions are winnow parsers over the token slice, with the tree under construction as state. Declarations and
//! bindings use winnow's combinators. Instruction lines, the bulk of every program, match tokens directly: there the cost is
//! not in choosing the alternative but in passing results as large as an operand from function to function, which profiles
//! showed as stalls on memory just written. The driver is a loop over statements; after an error it goes on behind the next
//! semicolon.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a grammar function names the tokens that it takes; all others are errors"
)]

mod decl;
mod handle;
mod instr;
mod operand;
mod path;
mod recover;

pub(crate) use operand::Letters;

use crate::ast::{Ast, Statement};
use crate::codes::Code;
use crate::header::{self, Start};
use crate::kept::{self, Memory};
use crate::lang::conditions::{self, Test};
use crate::lang::limits;
use crate::lang::modifiers::{self, Modifier, Mods};
use crate::lang::opcodes::{self, Opcode};
use crate::lang::options::{self, Features};
use crate::lex::{Kind, Token};
use crate::names::{NameId, Names};
use crate::report::Reports;
use crate::source::Family;
use decl::DeclWord;
use glasm_ir::Stage;
use recover::{recover, report};
use winnow::error::{ModalError, ParserError};
use winnow::stream::{Stateful, Stream, TokenSlice};

/// What the grammar wanted instead of the token found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expected {
    Statement,
    Semicolon,
    Comma,
    Name,
    FreeName,
    Operand,
    Result,
    Modifier,
    Component,
    Mask,
    Integer,
    Number,
    Brackets,
    Token(Kind),
    Condition,
    Label,
    Target,
    Offset,
    Binding,
    ExtSwizzle,
    EndOfDecl,
}

/// A syntax error: how many tokens were left, and what was expected. Small, as it travels through every grammar function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    remaining: u32,
    code: Code,
    expected: Expected,
    cut: bool,
}

impl<'t> ParserError<Input<'t, '_, '_>> for Failure {
    type Inner = Self;

    fn from_input(input: &Input<'t, '_, '_>) -> Self {
        fail_at(input, Expected::Statement)
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }

    fn is_backtrack(&self) -> bool {
        !self.cut
    }
}

impl ModalError for Failure {
    fn cut(self) -> Self {
        Self { cut: true, ..self }
    }

    fn backtrack(self) -> Self {
        Self { cut: false, ..self }
    }
}

pub(crate) type Parsed<T> = Result<T, Failure>;

/// The token stream with the tree under construction.
pub(crate) type Input<'t, 'a, 's> = Stateful<TokenSlice<'t, Token>, &'a mut State<'s>>;

/// What a word means at the start of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leader {
    Unread,
    Opcode(Opcode, Mods),
    Decl(DeclWord),
    Option,
    End,
    Old,
    Other,
}

/// What is known of a name as a word, read off the tables once per name.
#[derive(Clone, Copy, Debug)]
struct Word {
    leader: Leader,
    modifier: Option<Option<Modifier>>,
    declared: bool,
}

/// The tree under construction.
pub(crate) struct State<'s> {
    pub(crate) ast: Ast<'s>,
    pub(crate) reports: Reports,
    words: Vec<Word>,
    /// Names below this number are reserved words.
    reserved: u32,
    token_count: u32,
    family: Family,
    /// What the options read so far enable.
    features: Features,
    letters: Letters,
    late_options: bool,
    /// Inside brackets: the variable of an index has no run-time index of its own.
    in_index: bool,
    /// The program type that the caller asked for.
    wanted: Option<Stage>,
}

impl std::fmt::Debug for State<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("State")
    }
}

impl<'s> State<'s> {
    #[inline]
    fn text(&self, token: Token) -> &'s [u8] {
        token.text(self.ast.text)
    }

    #[inline]
    fn intern(&mut self, token: Token) -> NameId {
        let name = self
            .ast
            .names
            .intern_at(self.ast.text, token.span().range());
        if name.index() >= self.words.len() {
            self.words.resize(
                name.index() + 1,
                Word {
                    leader: Leader::Unread,
                    modifier: None,
                    declared: false,
                },
            );
        }
        name
    }

    #[inline]
    fn is_reserved(&self, name: NameId) -> bool {
        name.0 < self.reserved
    }

    #[inline]
    fn leader(&mut self, name: NameId) -> Leader {
        match self.words[name.index()].leader {
            Leader::Unread => self.read_leader(name),
            leader => leader,
        }
    }

    #[cold]
    fn read_leader(&mut self, name: NameId) -> Leader {
        let text = self.ast.names.text(name);
        let leader = match text {
            b"END" => Leader::End,
            b"OPTION" => Leader::Option,
            _ => {
                if let Some(opcode) = Opcode::exact(self.family, text) {
                    Leader::Opcode(opcode, Mods::empty())
                } else if let Some(word) = decl::word(self.family, text) {
                    Leader::Decl(word)
                } else if let Some((opcode, mods)) = opcodes::split(self.family, text) {
                    Leader::Opcode(opcode, mods)
                } else if (self.ast.dialect.facts().old_words.iter())
                    .any(|old| old.as_bytes() == text)
                {
                    Leader::Old
                } else {
                    Leader::Other
                }
            }
        };
        self.words[name.index()].leader = leader;
        leader
    }

    #[inline]
    fn modifier(&mut self, name: NameId) -> Option<Modifier> {
        match self.words[name.index()].modifier {
            Some(modifier) => modifier,
            None => {
                let modifier = modifiers::lookup(self.ast.names.text(name));
                self.words[name.index()].modifier = Some(modifier);
                modifier
            }
        }
    }

    /// The condition test that a token spells, where it could be a variable as well. A variable of that name wins; in ARB programs
    /// the test does, if the options have tests at all. NV_fragment_program_option section 3.11.5.
    fn test(&mut self, token: Token) -> Option<Test> {
        let test = conditions::lookup(self.family, self.text(token))?;
        let name = self.intern(token);
        let is_test = match self.family {
            Family::Typed => !self.words[name.index()].declared,
            Family::Arb => self.features.contains(Features::NV_FRAGMENT),
        };
        is_test.then_some(test)
    }

    /// Takes over what an option enables.
    fn enable(&mut self, option: NameId) {
        let dialect = self.ast.dialect;
        let row = options::lookup(self.ast.names.text(option)).filter(|row| row.known_in(dialect));
        self.features |= row.map_or(Features::empty(), |row| row.enables);
    }

    /// Whether a variable of this name stands before.
    fn is_declared(&mut self, token: Token) -> bool {
        let name = self.intern(token);
        self.words[name.index()].declared
    }

    fn declare(&mut self, name: NameId) {
        self.words[name.index()].declared = true;
    }
}

#[inline]
pub(crate) fn peek(input: &Input<'_, '_, '_>) -> Token {
    // The lexer closes the tokens with an end token, which is never taken.
    input.input[0]
}

#[inline]
pub(crate) fn peek_kind(input: &Input<'_, '_, '_>, ahead: usize) -> Kind {
    input
        .input
        .get(ahead)
        .map_or(Kind::End, |token| token.kind())
}

#[inline]
pub(crate) fn advance(input: &mut Input<'_, '_, '_>) -> Token {
    let token = peek(input);
    if token.kind() != Kind::End {
        input.input.next_token();
    }
    token
}

/// Takes the next token if it is of `kind`.
#[inline]
pub(crate) fn accept(input: &mut Input<'_, '_, '_>, kind: Kind) -> bool {
    let found = peek(input).kind() == kind;
    if found {
        input.input.next_token();
    }
    found
}

/// Takes a token of `kind` or fails.
#[inline]
pub(crate) fn expect(
    input: &mut Input<'_, '_, '_>,
    kind: Kind,
    expected: Expected,
) -> Parsed<Token> {
    let token = peek(input);
    if token.kind() == kind {
        input.input.next_token();
        Ok(token)
    } else {
        Err(fail_at(input, expected))
    }
}

/// A winnow parser for one token.
pub(crate) fn token<'t, 'a, 's>(kind: Kind) -> impl FnMut(&mut Input<'t, 'a, 's>) -> Parsed<Token> {
    move |input| expect(input, kind, Expected::Token(kind))
}

/// The failure that the next token is not what was expected.
#[cold]
pub(crate) fn fail_at(input: &Input<'_, '_, '_>, expected: Expected) -> Failure {
    let found = peek(input).kind();
    let code = match (expected, found) {
        (_, Kind::Bad) => Code::UnexpectedCharacter,
        (_, Kind::Word) if expected != Expected::Target => Code::BadNumber,
        (Expected::Comma | Expected::Operand, Kind::Semicolon) => Code::MissingOperand,
        (Expected::Semicolon, Kind::Comma) => Code::ExtraOperand,
        (Expected::Modifier, Kind::Ident) => Code::ModifierUnknown,
        (Expected::Target, Kind::Ident | Kind::Word) => Code::TargetUnknown,
        (Expected::Condition, Kind::Ident) => Code::CondTest,
        (Expected::FreeName, Kind::Ident) => Code::ReservedName,
        _ => Code::UnexpectedToken,
    };
    fail_with(input, expected, code)
}

/// A failure at the next token with a code of its own.
#[cold]
pub(crate) fn fail_with(input: &Input<'_, '_, '_>, expected: Expected, code: Code) -> Failure {
    Failure {
        remaining: input.input.len() as u32,
        code,
        expected,
        cut: true,
    }
}

/// Parses a program whose tokens are given. Errors go to the reports.
pub(crate) fn parse<'s>(
    start: Start<'s>,
    tokens: &[Token],
    memory: &mut Memory,
) -> (Ast<'s>, Reports) {
    let mut state = new_state(start, tokens.len(), memory);
    let mut input = Stateful {
        input: TokenSlice::new(tokens),
        state: &mut state,
    };
    program(&mut input);
    let end = peek(&input).end();
    let State {
        mut ast, reports, ..
    } = state;
    ast.end = end;
    (ast, reports)
}

fn new_state<'s>(start: Start<'s>, tokens: usize, memory: &mut Memory) -> State<'s> {
    let Start {
        dialect,
        text,
        wanted,
        reports,
        ..
    } = start;
    let mut names = Names::new();
    let reserved = dialect.facts().reserved_words;
    for word in reserved {
        names.intern(word.as_bytes());
    }
    let names_known = names.len();
    let statements = tokens / 10;
    let mut extras = kept::take(&mut memory.extras, 1);
    extras.push(crate::ast::Extra::None);
    let ast = Ast {
        dialect,
        text,
        names,
        options: Vec::new(),
        statements: kept::take(&mut memory.statements, statements),
        insts: kept::take(&mut memory.insts, statements),
        operands: kept::take(&mut memory.operands, tokens / 9 * 2),
        decls: Vec::new(),
        items: Vec::new(),
        paths: kept::take(&mut memory.paths, 0),
        segments: kept::take(&mut memory.segments, 0),
        relatives: kept::take(&mut memory.relatives, 0),
        pairs: Vec::new(),
        literals: kept::take(&mut memory.literals, 0),
        labels: Vec::new(),
        subroutine_numbers: Vec::new(),
        extras,
        textures: kept::take(&mut memory.textures, 0),
        poisoned: Vec::new(),
        end: 0,
    };
    let words = vec![
        Word {
            leader: Leader::Unread,
            modifier: None,
            declared: false
        };
        names_known
    ];
    State {
        ast,
        reports,
        words,
        reserved: reserved.len() as u32,
        token_count: tokens as u32,
        family: dialect.family(),
        features: Features::empty(),
        letters: Letters::of(dialect),
        late_options: false,
        in_index: false,
        wanted,
    }
}

/// The statements up to END.
fn program(input: &mut Input<'_, '_, '_>) {
    loop {
        let first = peek(input);
        let ahead = input.input;
        let result = match first.kind() {
            Kind::Ident => {
                let name = input.state.intern(first);
                if peek_kind(input, 1) == Kind::Colon {
                    label(input, name)
                } else {
                    match input.state.leader(name) {
                        Leader::Other if has_number(input) => numbered_label(input, name),
                        Leader::End => return end(input),
                        leader => statement(input, leader, name),
                    }
                }
            }
            Kind::End => {
                input.state.reports.error(
                    Code::MissingEnd,
                    first.span(),
                    "the program has no `END`",
                );
                return;
            }
            _ => Err(fail_at(input, Expected::Statement)),
        };
        if let Err(failure) = result {
            report(input, failure);
            recover(input, ahead, failure);
        }
        if input.state.reports.is_full() {
            return;
        }
        if input.state.ast.insts.len() > limits::INSTRUCTIONS {
            let message = format!("more than {} instructions", limits::INSTRUCTIONS);
            input
                .state
                .reports
                .error(Code::TooManyInstructions, first.span(), message);
            return;
        }
    }
}

/// The word END: only blanks and comments may follow.
fn end(input: &mut Input<'_, '_, '_>) {
    advance(input);
    let next = peek(input);
    if next.kind() != Kind::End {
        let state = &mut *input.state;
        header::text_after_end(
            &mut state.reports,
            state.ast.text,
            next.span(),
            state.wanted,
        );
    }
}

#[inline]
fn statement(input: &mut Input<'_, '_, '_>, leader: Leader, name: NameId) -> Parsed<()> {
    match leader {
        Leader::Opcode(opcode, mods) => {
            input.state.late_options = true;
            instr::instruction(input, opcode, mods)
        }
        Leader::Decl(_) => {
            input.state.late_options = true;
            decl::declaration(input)
        }
        Leader::Option => option(input),
        Leader::Old => Err(fail_with(input, Expected::Statement, Code::OldLanguage)),
        Leader::Unread | Leader::End | Leader::Other => {
            let _ = name;
            Err(fail_with(input, Expected::Statement, Code::UnknownOpcode))
        }
    }
}

fn label(input: &mut Input<'_, '_, '_>, name: NameId) -> Parsed<()> {
    if input.state.is_reserved(name) {
        return Err(fail_at(input, Expected::FreeName));
    }
    input.state.late_options = true;
    let span = advance(input).span();
    advance(input);
    let ast = &mut input.state.ast;
    ast.statements
        .push(Statement::Label(ast.labels.len() as u32));
    ast.labels.push((name, span));
    Ok(())
}

/// Whether the word ahead is followed by SUBROUTINENUM.
#[cold]
fn has_number(input: &Input<'_, '_, '_>) -> bool {
    let word = input.input.get(1).copied();
    input.state.family == Family::Typed
        && word.is_some_and(|word| {
            word.kind() == Kind::Ident && input.state.text(word) == b"SUBROUTINENUM"
        })
}

/// `name SUBROUTINENUM(n):`. ARB_shader_subroutine section 2.X.2.
fn numbered_label(input: &mut Input<'_, '_, '_>, name: NameId) -> Parsed<()> {
    if input.state.is_reserved(name) {
        return Err(fail_at(input, Expected::FreeName));
    }
    input.state.late_options = true;
    let span = advance(input).span();
    let word = advance(input);
    expect(input, Kind::OpenParen, Expected::Token(Kind::OpenParen))?;
    let number = path::small_int(input)?;
    let close = expect(input, Kind::CloseParen, Expected::Token(Kind::CloseParen))?;
    expect(input, Kind::Colon, Expected::Token(Kind::Colon))?;
    let ast = &mut input.state.ast;
    ast.statements
        .push(Statement::Label(ast.labels.len() as u32));
    ast.labels.push((name, span));
    ast.subroutine_numbers
        .push((name, number, word.span().to(close.span())));
    Ok(())
}

/// `OPTION name;`
fn option(input: &mut Input<'_, '_, '_>) -> Parsed<()> {
    let keyword = advance(input);
    let word = expect(input, Kind::Ident, Expected::Name)?;
    let name = input.state.intern(word);
    expect(input, Kind::Semicolon, Expected::Semicolon)?;
    if input.state.late_options {
        input.state.reports.error(
            Code::OptionLate,
            keyword.span(),
            "OPTION lines come before all other statements",
        );
    }
    input.state.ast.options.push((name, word.span()));
    input.state.enable(name);
    Ok(())
}
