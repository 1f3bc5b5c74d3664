//! The program as far as it was read: the bytes ahead, what is known of names, and the parts of the statement that was read last.
//!
//! The bytes ahead begin with a token: blanks and comments are skipped behind each. Lines match bytes directly; tokens are for messages
//! and for looking further ahead.

use super::SyntaxMemory;
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
use crate::words;
use glasm_ir::Span;

/// What the grammar wanted instead of the token found.
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

/// A syntax error: how many bytes were left, and what was expected. Small, as it travels through every grammar function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Failure {
    pub(super) remaining: u32,
    pub(super) code: Code,
    pub(super) expected: Expected,
}

pub(super) type Parsed<T> = Result<T, Failure>;

/// Parser of a program, with the tree of what it has parsed.
pub(crate) struct Syntax<'s> {
    /// Bytes to parse.
    pub(super) rest: &'s [u8],
    /// Statement that is being parsed, if it can be checked.
    pub(super) statement: Option<Statement>,
    pub(super) ast: Ast<'s>,
    pub(super) reports: Reports,
    /// Meaning of each name at the start of a statement.
    pub(super) words: Vec<Word>,
    pub(super) vocabulary: &'static Vocabulary,
    pub(super) facts: &'static LanguageFacts,
    /// Features that the options so far enable.
    pub(super) features: Features,
    pub(super) letters: Letters,
    pub(super) late_options: bool,
    /// Whether brackets are open: the variable of an index has no relative index.
    pub(super) in_index: bool,
    /// Program type that the caller asked for.
    pub(super) wanted: Option<ProgramType>,
}

impl std::fmt::Debug for Syntax<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Syntax")
    }
}

impl<'s> Syntax<'s> {
    /// Returns a parser at the first statement of a program.
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
        // The reserved words, which have names from the start. They begin bindings, never statements.
        words.resize(ast.names.len(), Word::new(Leader::Other));
        Self {
            rest: lex::without_blanks(&text[body..]),
            statement: None,
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
        self.statement = Some(Statement::Inst(inst));
    }
}

/// What is known of names.
impl Syntax<'_> {
    /// The number of the name of some bytes, which hold no blank.
    pub(super) fn intern(&mut self, span: Span) -> NameId {
        let key = words::key(&self.ast.text[span.range()]);
        self.intern_keyed(span, key)
    }

    #[inline]
    pub(super) fn intern_keyed(&mut self, span: Span, key: u64) -> NameId {
        let name = self.ast.names.intern(span, key);
        // Names are numbered as they come, so that a new one is the next entry.
        if name.index() >= self.words.len() {
            self.words.push(Word::new(Leader::Unknown));
        }
        name
    }

    /// The number of a binding path, which may have been used before: programs repeat them.
    pub(super) fn path_name(&mut self, span: Span) -> NameId {
        let key = words::key(&self.ast.text[span.range()]);
        let name = self.ast.names.intern(span, key);
        if name.index() >= self.words.len() {
            // A path begins no statement, so that nobody has to look for its meaning.
            self.words.push(Word::new(Leader::Other));
        }
        name
    }

    #[inline]
    pub(super) fn is_reserved(&self, name: NameId) -> bool {
        self.ast.names.is_reserved(name)
    }

    /// What a word means at the start of a statement.
    #[inline]
    pub(super) fn leader(&mut self, name: NameId) -> Leader {
        match self.words[name.index()].leader {
            Leader::Unknown => self.new_leader(name),
            leader => leader,
        }
    }

    /// What the word of a name means, found out once: perhaps an opcode with suffixes.
    #[cold]
    fn new_leader(&mut self, name: NameId) -> Leader {
        let text = self.ast.names.text(name);
        let leader = find_leader(self.ast.dialect, text);
        self.words[name.index()].leader = leader;
        leader
    }

    /// The condition test that a token spells, where it could be a variable as well. A variable of that name wins; in ARB programs
    /// the test does, if the options have tests at all. NV_fragment_program_option section 3.11.5.
    pub(super) fn test(&mut self, token: Token) -> Option<Test> {
        let test = conditions::lookup(self.ast.dialect.family(), self.text(token))?;
        let is_test = match self.facts.condition_words {
            None => !self.is_declared(token),
            Some(needs) => self.features.contains(needs),
        };
        is_test.then_some(test)
    }

    /// Whether a variable of this name stands before.
    pub(super) fn is_declared(&mut self, token: Token) -> bool {
        let name = self.intern(token.span());
        self.words[name.index()].declared
    }
}

/// Ast.
impl<'s> Syntax<'s> {
    #[inline]
    pub(super) fn text(&self, token: Token) -> &'s [u8] {
        token.text(self.ast.text)
    }

    /// The byte that the next token begins with.
    #[inline(always)]
    pub(super) fn position(&self) -> u32 {
        (self.ast.text.len() - self.rest.len()) as u32
    }

    /// The next token.
    #[inline]
    pub(super) fn peek(&self) -> Token {
        lex::token_at(self.ast.text, self.position() as usize)
    }

    /// The next tokens, without the end of the text.
    pub(super) fn ahead(&self) -> impl Iterator<Item = Token> + use<'s> {
        lex::tokens(self.ast.text, self.position() as usize)
    }

    /// The kind of the token behind `behind` others.
    pub(super) fn peek_kind(&self, behind: usize) -> TokenKind {
        self.ahead()
            .nth(behind)
            .map_or(TokenKind::End, |token| token.kind())
    }

    /// Goes on with the first token at or behind byte `at`.
    #[inline]
    pub(super) fn go_to(&mut self, at: u32) {
        self.rest = lex::without_blanks(&self.ast.text[at as usize..]);
    }

    /// Goes on behind the next `length` bytes.
    #[inline(always)]
    pub(super) fn skip(&mut self, length: usize) {
        self.rest = lex::without_blanks(&self.rest[length..]);
    }

    /// Takes the next token; the end of the text stays.
    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek();
        self.go_to(token.end());
        token
    }

    /// Whether the next token is a mark, of one byte.
    #[inline(always)]
    pub(super) fn is_at(&self, mark: TokenKind) -> bool {
        match (mark, self.rest) {
            // The point of a range `a..b`, or of a number such as `.5`.
            (TokenKind::Dot, [b'.', b'.' | b'0'..=b'9', ..]) => false,
            (_, rest) => rest.first() == Some(&mark.byte()),
        }
    }

    /// Whether the next token is a name.
    #[inline(always)]
    pub(super) fn is_at_name(&self) -> bool {
        self.rest.first().is_some_and(|&byte| lex::is_letter(byte))
    }

    /// Takes the next token if it is the mark.
    #[inline(always)]
    pub(super) fn accept(&mut self, mark: TokenKind) -> bool {
        let found = self.is_at(mark);
        if found {
            self.skip(1);
        }
        found
    }

    /// Takes a mark or fails.
    #[inline(always)]
    pub(super) fn expect(&mut self, mark: TokenKind, expected: Expected) -> Parsed<()> {
        match self.accept(mark) {
            true => Ok(()),
            false => Err(self.fail_at(expected)),
        }
    }

    /// Takes the comma between two operands or fails.
    #[inline(always)]
    pub(super) fn expect_comma(&mut self) -> Parsed<()> {
        match *self.rest {
            // Most operands are written one blank apart. Blanks and the `#` of comments are no greater than `#`: nothing else is to be skipped.
            [b',', b' ', next, ..] if next > b'#' => {
                self.rest = &self.rest[2..];
                Ok(())
            }
            _ => self.expect(TokenKind::Comma, Expected::Comma),
        }
    }

    /// Takes a mark that closes something or fails: where it ends.
    #[inline(always)]
    pub(super) fn close(&mut self, mark: TokenKind) -> Parsed<u32> {
        // Before it is taken, and blanks behind it with it.
        let end = self.position() + 1;
        self.expect(mark, Expected::Token(mark))?;
        Ok(end)
    }

    /// Takes a name or fails.
    #[inline]
    pub(super) fn expect_name(&mut self, expected: Expected) -> Parsed<(NameId, Span)> {
        match self.is_at_name() {
            true => Ok(self.take_name()),
            false => Err(self.fail_at(expected)),
        }
    }

    /// Takes the name that begins here.
    #[inline(always)]
    pub(super) fn take_name(&mut self) -> (NameId, Span) {
        let start = self.position();
        match self.ast.names.known(self.rest) {
            Some((name, length)) => {
                self.skip(length);
                (name, Span::new(start, start + length as u32))
            }
            None => self.take_other_name(start),
        }
    }

    /// A name that is long or new.
    #[inline(never)]
    fn take_other_name(&mut self, start: u32) -> (NameId, Span) {
        let (length, key) = lex::name(self.rest);
        let span = Span::new(start, start + length as u32);
        let name = self.intern_keyed(span, key);
        self.skip(length);
        (name, span)
    }

    /// The failure that the next token is not what was expected.
    #[cold]
    pub(super) fn fail_at(&self, expected: Expected) -> Failure {
        // The token found says more than the one expected: a semicolon where an operand should be is a missing operand.
        let found = self.peek().kind();
        let code = match (expected, found) {
            (_, TokenKind::Bad) => Code::UnexpectedCharacter,
            // Words that begin with a digit are names of targets, such as `2D`; elsewhere a number was meant.
            (_, TokenKind::Word) if expected != Expected::Target => Code::BadNumber,
            // Brackets of registers hold whole numbers: `c[1.5]` is a number of the wrong kind, no word out of place.
            (Expected::Integer, TokenKind::Float) if self.facts.registers.is_some() => {
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
        self.fail_with(expected, code)
    }

    /// A failure at the next token with a code of its own.
    #[cold]
    pub(super) fn fail_with(&self, expected: Expected, code: Code) -> Failure {
        Failure {
            remaining: self.rest.len() as u32,
            code,
            expected,
        }
    }
}
