//! Input of the grammar: tokens, with the state of the parser, and the failures of grammar
//! functions.

use super::statement_keywords::{
    NameInfo, StatementKeywords, StatementStart, find_statement_start,
};
use super::swizzle::SwizzleSyntax;
use crate::ast::{Ast, Inst, Statement};
use crate::codes::Code;
use crate::diagnostic_sink::DiagnosticSink;
use crate::header::ParsedHeader;
use crate::interner::NameId;
use crate::lang::dialect_traits::DialectTraits;
use crate::lang::modifiers::{self, CcTest};
use crate::lang::options::Features;
use crate::lex::{self, Token, TokenKind};
use crate::source::ProgramType;
pub(super) use crate::token::{accept, advance, last_end, peek, peek_after, peek_kind, seek};
use crate::{take_cleared_vec, token};
use glasm_ir::Span;
use winnow::Parser as _;
use winnow::error::ParserError;
use winnow::stream::ContainsToken;

/// Tokens to parse, the last of which is [`TokenKind::End`], with the state of the parser.
pub(super) type Input<'t, 's> = token::Input<'t, TokenKind, State<'s>>;

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
    /// Another alternative of the grammar: nothing was parsed.
    Alternative,
}

/// Syntax error, which drops a statement.
// With eight bytes it is returned in a register. The order of the fields makes the test of a result
// the comparison of one byte.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Failure {
    pub(super) expected: Expected,
    pub(super) code: Code,
    /// Start of the token that is wrong.
    pub(super) start: u32,
}

impl Failure {
    /// Returns the failure of a token that does not match the grammar, at its start; nothing is
    /// reported.
    pub(super) fn at(token: Token, expected: Expected, code: Code) -> Self {
        Self {
            start: token.start(),
            code,
            expected,
        }
    }
}

impl ParserError<Input<'_, '_>> for Failure {
    type Inner = Self;

    fn from_input(input: &Input<'_, '_>) -> Self {
        Self::at(peek(input), Expected::Alternative, Code::UnexpectedToken)
    }

    fn is_backtrack(&self) -> bool {
        self.expected == Expected::Alternative
    }

    fn into_inner(self) -> std::result::Result<Self, Self> {
        Ok(self)
    }
}

impl ContainsToken<Token> for TokenKind {
    #[inline(always)]
    fn contains_token(&self, token: Token) -> bool {
        token.kind() == *self
    }
}

/// Memory of a parser, for the next program.
#[derive(Debug)]
pub(crate) struct SyntaxMemory {
    /// Tree without a program.
    pub(crate) ast: Ast<'static>,
    pub(super) words: Vec<NameInfo>,
    pub(crate) errors: Vec<(usize, usize)>,
}

impl Default for SyntaxMemory {
    fn default() -> Self {
        Self {
            ast: Ast::empty(),
            words: Vec::new(),
            errors: Vec::new(),
        }
    }
}

/// State of the parser of a program.
pub(super) struct State<'s> {
    pub(super) ast: Ast<'s>,
    pub(super) reports: DiagnosticSink,
    /// Data of each name.
    pub(super) words: Vec<NameInfo>,
    pub(super) vocabulary: &'static StatementKeywords,
    pub(super) facts: &'static DialectTraits,
    /// Features that the options parsed up to now enable.
    pub(super) features: Features,
    pub(super) letters: SwizzleSyntax,
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
    /// Returns the parser state at the start of a program. It takes the lists of the previous
    /// program out of `memory`, and interns the reserved words of the language.
    pub(super) fn new(start: ParsedHeader<'s>, memory: &mut SyntaxMemory) -> Self {
        let ParsedHeader {
            dialect,
            text,
            body_start: body,
            requested_type: wanted,
            reports,
            tgsi: _,
        } = start;
        let facts = dialect.traits();
        let mut ast = std::mem::replace(&mut memory.ast, Ast::empty()).reuse_for(dialect, text);
        ast.body_start = body;
        let mut words = take_cleared_vec(&mut memory.words);
        // The reserved words, which have names from the start. They begin bindings, never
        // statements.
        words.resize(ast.names.len(), NameInfo::new(StatementStart::OtherWord));
        Self {
            ast,
            reports,
            words,
            vocabulary: StatementKeywords::for_dialect(dialect),
            facts,
            features: facts.features,
            letters: SwizzleSyntax::for_dialect(dialect),
            late_options: false,
            in_index: false,
            wanted,
        }
    }

    /// Appends an instruction statement to the AST and increments its number of instructions.
    pub(super) fn push_inst(&mut self, inst: Inst) {
        self.ast.inst_count += 1;
        self.ast.statements.push(Statement::Inst(inst));
    }

    /// Returns the source bytes of a token.
    pub(super) fn text(&self, token: Token) -> &'s [u8] {
        token.text(self.ast.text)
    }

    /// Interns the name at a span, which contains no whitespace.
    #[inline(always)]
    pub(super) fn intern(&mut self, span: Span) -> NameId {
        self.intern_as(span, StatementStart::Unknown)
    }

    /// Returns the name of a binding path, whose spelling is at `span`. Programs repeat paths, and
    /// a name denotes the same binding everywhere.
    pub(super) fn intern_path(&mut self, span: Span) -> NameId {
        // A path begins no statement, so that its role at the start of one need not be looked
        // up.
        self.intern_as(span, StatementStart::OtherWord)
    }

    /// Returns the number of the name at `span`. A new name is recorded with its role at the start
    /// of a statement, `leader`.
    #[inline(always)]
    fn intern_as(&mut self, span: Span, leader: StatementStart) -> NameId {
        let key = lex::key_at(self.ast.text, span);
        let name = self.ast.names.intern(span, key);
        // Names are numbered in order of occurrence, so that a new one is the next entry.
        if name.index() >= self.words.len() {
            self.words.push(NameInfo::new(leader));
        }
        name
    }

    /// Returns true if a name is a keyword, which variables cannot have.
    pub(super) fn is_reserved(&self, name: NameId) -> bool {
        self.ast.names.is_reserved(name)
    }

    /// Returns the role of a name at the start of a statement, which is cached per name.
    pub(super) fn leader(&mut self, name: NameId) -> StatementStart {
        if self.words[name.index()].statement_start == StatementStart::Unknown {
            let word = self.ast.names.bytes(name);
            self.words[name.index()].statement_start = find_statement_start(self.ast.dialect, word);
        }
        self.words[name.index()].statement_start
    }

    /// Returns the condition test that a token spells, where a variable is allowed as well; `None`
    /// if it is a variable. A declared variable of that name takes precedence; in ARB programs the
    /// test does, if the options enable tests at all. Interns the name in the former case.
    /// NV_fragment_program_option section 3.11.5.
    pub(super) fn test(&mut self, token: Token) -> Option<CcTest> {
        let test = modifiers::find_test(self.ast.dialect.family(), self.text(token))?;
        let is_test = match self.facts.condition_words {
            None => !self.is_declared(token),
            Some(needs) => self.features.contains(needs),
        };
        is_test.then_some(test)
    }

    /// Returns true if a token is an identifier that a preceding declaration has declared. Interns
    /// the identifier.
    pub(super) fn is_declared(&mut self, token: Token) -> bool {
        if token.kind() != TokenKind::Ident {
            return false;
        }
        let name = self.intern(token.span());
        self.words[name.index()].is_declared
    }
}

/// Returns a parser that consumes one token of a kind; its failure names the expected syntax.
#[inline(always)]
pub(super) fn token<'t, 's: 't>(
    kind: TokenKind,
    expected: Expected,
) -> impl winnow::Parser<Input<'t, 's>, Token, Failure> {
    token::token(kind, move |input: &Input<'t, 's>| fail(input, expected))
}

/// Returns a parser of a punctuation mark such as `[`.
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

/// Returns a parser that consumes an identifier, interns it, and returns name and span; its failure
/// names the expected syntax.
#[inline(always)]
pub(super) fn identifier<'t, 's: 't>(
    expected: Expected,
) -> impl winnow::Parser<Input<'t, 's>, (NameId, Span), Failure> {
    move |input: &mut Input<'t, 's>| {
        let span = token(TokenKind::Ident, expected).parse_next(input)?.span();
        Ok((input.state.intern(span), span))
    }
}

/// Returns the failure at the next token, which does not match the grammar. The code depends on the
/// token and on what is expected; nothing is reported or consumed.
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
pub(super) fn fail_with(input: &Input<'_, '_>, expected: Expected, code: Code) -> Failure {
    Failure::at(peek(input), expected, code)
}
