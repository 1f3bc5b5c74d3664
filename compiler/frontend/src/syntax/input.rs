//! Input of the grammar: tokens, with the state of the parser, and the failures of grammar
//! functions.

use super::letters::Letters;
use super::vocabulary::{Leader, Vocabulary, Word, find_leader};
use crate::ast::{Ast, Inst, Statement};
use crate::codes::Code;
use crate::lang::conditions::{self, Test};
use crate::lang::facts::LanguageFacts;
use crate::lang::options::Features;
use crate::lex::{self, Token, TokenKind};
use crate::memory::take;
use crate::names::NameId;
use crate::report::Reports;
use crate::source::ProgramType;
use crate::start::Start;
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::error::ParserError;
use winnow::stream::{ContainsToken, Stateful, Stream, TokenSlice};

/// Tokens to parse, the last of which is [`TokenKind::End`], with the state of the parser.
pub(super) type Input<'t, 's> = Stateful<TokenSlice<'t, Token>, &'t mut State<'s>>;

/// Result of a grammar function.
pub(super) type Result<T> = std::result::Result<T, Failure>;

/// Grammar element that is expected next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expected {
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
    Token(TokenKind),
    Condition,
    Label,
    Target,
    Unit,
    Offset,
    Binding,
    ExtSwizzle,
    EndOfDecl,
    AddressComponent,
}

/// Syntax error, which drops a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Failure {
    /// Token that is wrong.
    pub(super) token: Token,
    pub(super) code: Code,
    pub(super) expected: Expected,
    /// True if another alternative of the grammar may match: nothing was parsed.
    is_backtrack: bool,
}

impl Failure {
    /// Returns the failure of a token that does not match the grammar.
    pub(super) fn at(token: Token, expected: Expected, code: Code) -> Self {
        Self {
            token,
            code,
            expected,
            is_backtrack: false,
        }
    }
}

impl ParserError<Input<'_, '_>> for Failure {
    type Inner = Self;

    fn from_input(input: &Input<'_, '_>) -> Self {
        let token = peek(input);
        Self {
            is_backtrack: true,
            ..Self::at(token, Expected::Token(token.kind()), Code::UnexpectedToken)
        }
    }

    fn is_backtrack(&self) -> bool {
        self.is_backtrack
    }

    fn into_inner(self) -> std::result::Result<Self, Self> {
        Ok(self)
    }
}

impl ContainsToken<&'_ Token> for TokenKind {
    #[inline(always)]
    fn contains_token(&self, token: &Token) -> bool {
        token.kind() == *self
    }
}

/// Memory of a parser, for the next program.
#[derive(Debug)]
pub(crate) struct SyntaxMemory {
    /// Tree without a program.
    pub(crate) ast: Ast<'static>,
    pub(super) words: Vec<Word>,
    pub(crate) errors: Vec<(usize, usize)>,
}

impl Default for SyntaxMemory {
    fn default() -> Self {
        Self {
            ast: Ast::new(),
            words: Vec::new(),
            errors: Vec::new(),
        }
    }
}

/// State of the parser of a program.
pub(super) struct State<'s> {
    pub(super) ast: Ast<'s>,
    pub(super) reports: Reports,
    /// Data of each name.
    pub(super) words: Vec<Word>,
    pub(super) vocabulary: &'static Vocabulary,
    pub(super) facts: &'static LanguageFacts,
    /// Features that the options parsed up to now enable.
    pub(super) features: Features,
    pub(super) letters: Letters,
    /// True if a statement other than OPTION was parsed.
    pub(super) late_options: bool,
    /// True if brackets are open: the variable of an index has no relative index.
    pub(super) in_index: bool,
    /// Program type that the caller requested.
    pub(super) wanted: Option<ProgramType>,
}

impl std::fmt::Debug for State<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl<'s> State<'s> {
    /// Returns the state before the first statement of a program.
    pub(super) fn new(start: Start<'s>, memory: &mut SyntaxMemory) -> Self {
        let Start {
            dialect,
            text,
            body,
            wanted,
            reports,
            tgsi: _,
        } = start;
        let facts = dialect.facts();
        let mut ast = std::mem::replace(&mut memory.ast, Ast::new()).reuse(dialect, text);
        ast.body = body;
        let mut words = take(&mut memory.words);
        // The reserved words, which have names from the start. They begin bindings, never
        // statements.
        words.resize(ast.names.len(), Word::new(Leader::Other));
        Self {
            ast,
            reports,
            words,
            vocabulary: Vocabulary::of(dialect),
            facts,
            features: facts.features,
            letters: Letters::of(dialect),
            late_options: false,
            in_index: false,
            wanted,
        }
    }

    /// Adds an instruction.
    pub(super) fn push_inst(&mut self, inst: Inst) {
        self.ast.inst_count += 1;
        self.ast.statements.push(Statement::Inst(inst));
    }

    /// Returns the source of a token.
    #[inline]
    pub(super) fn text(&self, token: Token) -> &'s [u8] {
        token.text(self.ast.text)
    }

    /// Returns the name at a span, which contains no whitespace.
    #[inline]
    pub(super) fn intern(&mut self, span: Span) -> NameId {
        self.intern_as(span, Leader::Unknown)
    }

    /// Returns the name of a binding path. Programs repeat paths, and a name denotes the same
    /// binding everywhere.
    pub(super) fn intern_path(&mut self, span: Span) -> NameId {
        // A path begins no statement, so that its role as a leader need not be looked up.
        self.intern_as(span, Leader::Other)
    }

    #[inline(always)]
    fn intern_as(&mut self, span: Span, leader: Leader) -> NameId {
        let key = lex::key_at(self.ast.text, span);
        let name = self.ast.names.intern(span, key);
        // Names are numbered in order of occurrence, so that a new one is the next entry.
        if name.index() >= self.words.len() {
            self.words.push(Word::new(leader));
        }
        name
    }

    #[inline]
    pub(super) fn is_reserved(&self, name: NameId) -> bool {
        self.ast.names.is_reserved(name)
    }

    /// Returns the role of a word at the start of a statement.
    #[inline]
    pub(super) fn leader(&mut self, name: NameId) -> Leader {
        if self.words[name.index()].leader == Leader::Unknown {
            let word = self.ast.names.text(name);
            self.words[name.index()].leader = find_leader(self.ast.dialect, word);
        }
        self.words[name.index()].leader
    }

    /// Returns the condition test that a token spells, if a variable is allowed as well. A variable
    /// of that name takes precedence; in ARB programs the test does, if the options enable tests at
    /// all. NV_fragment_program_option section 3.11.5.
    pub(super) fn test(&mut self, token: Token) -> Option<Test> {
        let test = conditions::lookup(self.ast.dialect.family(), self.text(token))?;
        let is_test = match self.facts.condition_words {
            None => !self.is_declared(token),
            Some(needs) => self.features.contains(needs),
        };
        is_test.then_some(test)
    }

    /// Returns true if a variable of this name was declared before.
    pub(super) fn is_declared(&mut self, token: Token) -> bool {
        let name = self.intern(token.span());
        self.words[name.index()].declared
    }
}

/// Returns the next token.
#[inline(always)]
pub(super) fn peek(input: &Input<'_, '_>) -> Token {
    // The end of the program is never consumed.
    input.peek_token().copied().unwrap_or_default()
}

/// Returns the kind of the next token.
#[inline(always)]
pub(super) fn peek_kind(input: &Input<'_, '_>) -> TokenKind {
    peek(input).kind()
}

/// Returns the kind of the token after `count` others.
pub(super) fn peek_kind_after(input: &Input<'_, '_>, count: usize) -> TokenKind {
    input
        .get(count)
        .map_or(TokenKind::End, |token| token.kind())
}

/// Consumes the next token, unless it is the end of the program.
#[inline(always)]
pub(super) fn advance(input: &mut Input<'_, '_>) -> Token {
    let token = peek(input);
    if token.kind() != TokenKind::End {
        input.next_token();
    }
    token
}

/// Returns the end of the token that was parsed last.
#[inline(always)]
pub(super) fn last_end(input: &Input<'_, '_>) -> u32 {
    peek(input).previous_end()
}

/// Moves to a token.
pub(super) fn seek(input: &mut Input<'_, '_>, token: Token) {
    input.input.reset_to_start();
    let before = input.partition_point(|other| other.start() < token.start());
    input.next_slice(before);
}

/// Consumes the next token if it is of a kind.
#[inline(always)]
pub(super) fn accept(input: &mut Input<'_, '_>, kind: TokenKind) -> bool {
    let found = peek_kind(input) == kind;
    if found {
        input.next_token();
    }
    found
}

/// Parses a token of a kind.
#[inline(always)]
pub(super) fn token<'t, 's: 't>(
    kind: TokenKind,
    expected: Expected,
) -> impl winnow::Parser<Input<'t, 's>, Token, Failure> {
    move |input: &mut Input<'t, 's>| {
        if peek_kind(input) == kind {
            Ok(advance(input))
        } else {
            Err(fail(input, expected))
        }
    }
}

/// Parses a mark such as `[`.
#[inline(always)]
pub(super) fn mark<'t, 's: 't>(
    kind: TokenKind,
) -> impl winnow::Parser<Input<'t, 's>, Token, Failure> {
    token(kind, Expected::Token(kind))
}

/// Parses the comma between two operands.
#[inline(always)]
pub(super) fn parse_comma(input: &mut Input<'_, '_>) -> Result<Token> {
    token(TokenKind::Comma, Expected::Comma).parse_next(input)
}

/// Parses an identifier.
#[inline(always)]
pub(super) fn identifier<'t, 's: 't>(
    expected: Expected,
) -> impl winnow::Parser<Input<'t, 's>, (NameId, Span), Failure> {
    move |input: &mut Input<'t, 's>| {
        let span = token(TokenKind::Ident, expected).parse_next(input)?.span();
        Ok((input.state.intern(span), span))
    }
}

/// Returns the failure of the next token, which does not match the grammar.
#[cold]
pub(super) fn fail(input: &Input<'_, '_>, expected: Expected) -> Failure {
    let token = peek(input);
    // The token found is more significant than the expected one: a semicolon instead of an operand
    // is a missing operand.
    let code = match (expected, token.kind()) {
        (_, TokenKind::Bad) => Code::UnexpectedCharacter,
        // Words that begin with a digit are names of targets, such as `2D`; elsewhere a number was
        // intended.
        (_, TokenKind::Word) if expected != Expected::Target => Code::BadNumber,
        // Brackets of registers hold whole numbers: `c[1.5]` is a number of the wrong kind, not a
        // misplaced word.
        (Expected::Integer, TokenKind::Float) if input.state.facts.registers.is_some() => {
            Code::BadNumber
        }
        (Expected::Comma | Expected::Operand, TokenKind::Semicolon) => Code::MissingOperand,
        // All operands of the opcode were read, so that a comma announces one too many.
        (Expected::Semicolon, TokenKind::Comma) => Code::ExtraOperand,
        (Expected::Modifier, TokenKind::Ident) => Code::ModifierUnknown,
        (Expected::Target, TokenKind::Ident | TokenKind::Word) => Code::TargetUnknown,
        (Expected::Condition, TokenKind::Ident) => Code::CondTest,
        (Expected::FreeName, TokenKind::Ident) => Code::ReservedName,
        _ => Code::UnexpectedToken,
    };
    Failure::at(token, expected, code)
}

/// Returns the failure of the next token, which does not match the grammar, with the code `code`.
#[cold]
pub(super) fn fail_with(input: &Input<'_, '_>, expected: Expected, code: Code) -> Failure {
    Failure::at(peek(input), expected, code)
}
