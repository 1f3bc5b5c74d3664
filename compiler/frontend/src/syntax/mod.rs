//! Bytes to syntax tree.
//!
//! All grammar functions are winnow parsers over the bytes of the program, with the tree under construction as state. Between two of
//! them the input begins with a token: blanks and comments are skipped behind each. Declarations and bindings use winnow's
//! combinators; instruction lines, the bulk of every program, match bytes directly. The driver is a loop over statements; after
//! an error it goes on behind the next semicolon.

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
mod vocabulary;

pub(crate) use operand::Letters;
pub(crate) use vocabulary::Word;

use crate::ast::{Ast, Inst, Statement};
use crate::codes::Code;
use crate::header::{self, Start};
use crate::kept::{self, Scratch};
use crate::lang::conditions::{self, Test};
use crate::lang::facts::LanguageFacts;
use crate::lang::limits;
use crate::lang::modifiers::{self, Modifier};
use crate::lang::opcodes;
use crate::lang::options::Features;
use crate::lex::{self, Kind, Token};
use crate::names::{NameId, Names};
use crate::report::Reports;
use glasm_ir::{Span, Stage};
use recover::{recover, report};
use vocabulary::{Leader, Vocabulary};
use winnow::error::{ModalError, ParserError};
use winnow::stream::Stateful;

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

/// A syntax error: how many bytes were left, and what was expected. Small, as it travels through every grammar function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    remaining: u32,
    code: Code,
    expected: Expected,
    cut: bool,
}

impl ParserError<Input<'_, '_>> for Failure {
    type Inner = Self;

    fn from_input(input: &Input<'_, '_>) -> Self {
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

/// The bytes that were not read yet, from a token on, with the tree under construction.
pub(crate) type Input<'a, 's> = Stateful<&'s [u8], &'a mut Syntax<'s>>;

/// A statement that was read.
pub(crate) enum Read {
    /// The name of an OPTION line.
    Option(NameId, Span),
    /// An instruction; its operands are those of the tree.
    Inst(Inst),
    /// `decls[n]`
    Decl(u32),
    /// `labels[n]`
    Label(u32),
}

/// The statement that was read last, and what is known of names and options.
pub(crate) struct Syntax<'s> {
    /// What was not read yet.
    rest: &'s [u8],
    /// The statement that was read last, if it can be checked.
    pub(crate) read: Option<Read>,
    pub(crate) ast: Ast<'s>,
    pub(crate) reports: Reports,
    /// What is known of each name.
    pub(crate) words: Vec<Word>,
    vocabulary: &'static Vocabulary,
    facts: &'static LanguageFacts,
    /// What the options read so far enable, as the rules say.
    pub(crate) features: Features,
    letters: Letters,
    late_options: bool,
    /// Inside brackets: the variable of an index has no run-time index of its own.
    in_index: bool,
    /// The program type that the caller asked for.
    wanted: Option<Stage>,
}

impl std::fmt::Debug for Syntax<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Syntax")
    }
}

impl<'s> Syntax<'s> {
    #[inline]
    fn text(&self, token: Token) -> &'s [u8] {
        token.text(self.ast.text)
    }

    #[inline]
    fn intern(&mut self, token: Token) -> NameId {
        self.intern_at(token.start() as usize, token.end() as usize)
    }

    #[inline(always)]
    fn intern_at(&mut self, start: usize, end: usize) -> NameId {
        let name = self.ast.names.intern(start, end - start);
        if name.index() >= self.words.len() {
            self.new_word(start, end);
        }
        name
    }

    /// What is known of a binding path, which may have been used before: programs repeat them.
    pub(crate) fn path_word(&mut self, span: Span) -> &mut Word {
        let name = self
            .ast
            .names
            .intern(span.start as usize, span.range().len());
        if name.index() >= self.words.len() {
            self.words.push(Word::new(Leader::Other));
        }
        &mut self.words[name.index()]
    }

    #[cold]
    fn new_word(&mut self, start: usize, end: usize) {
        let text = &self.ast.text[start..end];
        self.words.push(self.vocabulary.word(text));
    }

    #[inline]
    fn is_reserved(&self, name: NameId) -> bool {
        self.words[name.index()].reserved
    }

    #[inline]
    fn leader(&mut self, name: NameId) -> Leader {
        match self.words[name.index()].leader {
            Leader::Unknown => self.opcode_with_suffixes(name),
            leader => leader,
        }
    }

    /// What a word that is in no table means: an opcode with suffixes, or nothing.
    #[cold]
    fn opcode_with_suffixes(&mut self, name: NameId) -> Leader {
        let found = opcodes::split(self.ast.dialect.family(), self.ast.names.text(name));
        let leader = found.map_or(Leader::Other, |(opcode, mods)| Leader::Opcode(opcode, mods));
        self.words[name.index()].leader = leader;
        leader
    }

    fn modifier(&mut self, name: NameId) -> Option<Modifier> {
        let text = self.ast.names.text(name);
        let word = &mut self.words[name.index()];
        *word.modifier.get_or_insert_with(|| modifiers::lookup(text))
    }

    /// The condition test that a token spells, where it could be a variable as well. A variable of that name wins; in ARB programs
    /// the test does, if the options have tests at all. NV_fragment_program_option section 3.11.5.
    fn test(&mut self, token: Token) -> Option<Test> {
        let test = conditions::lookup(self.ast.dialect.family(), self.text(token))?;
        let name = self.intern(token);
        let is_test = match self.facts.condition_words {
            None => !self.words[name.index()].declared,
            Some(needs) => self.features.contains(needs),
        };
        is_test.then_some(test)
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

/// The byte that the next token begins with.
#[inline]
pub(crate) fn position(input: &Input<'_, '_>) -> usize {
    input.state.ast.text.len() - input.input.len()
}

/// Goes on with the first token at or behind byte `at`.
#[inline]
pub(crate) fn go_to(input: &mut Input<'_, '_>, at: usize) {
    input.input = lex::without_blanks(&input.state.ast.text[at..]);
}

/// Goes on behind the next `length` bytes.
#[inline(always)]
pub(crate) fn skip(input: &mut Input<'_, '_>, length: usize) {
    input.input = lex::without_blanks(&input.input[length..]);
}

#[inline]
pub(crate) fn peek(input: &Input<'_, '_>) -> Token {
    lex::token_at(input.state.ast.text, position(input))
}

/// The next tokens, without the end of the text.
pub(crate) fn ahead<'s>(input: &Input<'_, 's>) -> impl Iterator<Item = Token> + use<'s> {
    lex::tokens(input.state.ast.text, position(input))
}

/// The kind of the token behind `behind` others.
#[inline]
pub(crate) fn peek_kind(input: &Input<'_, '_>, behind: usize) -> Kind {
    ahead(input)
        .nth(behind)
        .map_or(Kind::End, |token| token.kind())
}

/// Takes the next token; the end of the text stays.
#[inline]
pub(crate) fn advance(input: &mut Input<'_, '_>) -> Token {
    let token = peek(input);
    go_to(input, token.end() as usize);
    token
}

/// Takes the name that begins here: its number and end.
#[inline(always)]
pub(crate) fn take_name(input: &mut Input<'_, '_>) -> (NameId, u32) {
    let (start, length) = (position(input), lex::word_length(input.input));
    let name = input.state.intern_at(start, start + length);
    skip(input, length);
    (name, (start + length) as u32)
}

/// Takes the next token if it is of `kind`.
#[inline]
pub(crate) fn accept(input: &mut Input<'_, '_>, kind: Kind) -> bool {
    let token = peek(input);
    let found = token.kind() == kind;
    if found {
        go_to(input, token.end() as usize);
    }
    found
}

/// Takes a token of `kind` or fails.
#[inline]
pub(crate) fn expect(input: &mut Input<'_, '_>, kind: Kind, expected: Expected) -> Parsed<Token> {
    let token = peek(input);
    if token.kind() == kind {
        go_to(input, token.end() as usize);
        Ok(token)
    } else {
        Err(fail_at(input, expected))
    }
}

/// A winnow parser for one token.
pub(crate) fn token<'a, 's: 'a>(kind: Kind) -> impl FnMut(&mut Input<'a, 's>) -> Parsed<Token> {
    move |input| expect(input, kind, Expected::Token(kind))
}

/// The failure that the next token is not what was expected.
#[cold]
pub(crate) fn fail_at(input: &Input<'_, '_>, expected: Expected) -> Failure {
    // The token found says more than the one expected: a semicolon where an operand should be is a missing operand.
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
pub(crate) fn fail_with(input: &Input<'_, '_>, expected: Expected, code: Code) -> Failure {
    Failure {
        remaining: input.input.len() as u32,
        code,
        expected,
        cut: true,
    }
}

/// Bytes of a statement on average: how much room the lists get before the program is read. A guess, which only saves reallocations.
const STATEMENT_BYTES: usize = 30;

impl<'s> Syntax<'s> {
    /// Before the first statement of a program.
    pub(crate) fn new(start: Start<'s>, scratch: &mut Scratch) -> Self {
        let Start {
            dialect,
            text,
            body,
            wanted,
            reports,
        } = start;
        let statements = text.len() / STATEMENT_BYTES;
        let ast = Ast {
            names: Names::new(text, std::mem::take(&mut scratch.names)),
            statements: kept::take(&mut scratch.statements, statements),
            operands: kept::take(&mut scratch.operands, 0),
            paths: kept::take(&mut scratch.paths, 0),
            segments: kept::take(&mut scratch.segments, 0),
            relatives: kept::take(&mut scratch.relatives, 0),
            literals: kept::take(&mut scratch.literals, 0),
            textures: kept::take(&mut scratch.textures, 0),
            ..Ast::new(dialect, text)
        };
        Self {
            rest: lex::without_blanks(&text[body..]),
            read: None,
            ast,
            reports,
            words: kept::take(&mut scratch.words, 0),
            vocabulary: Vocabulary::of(dialect),
            facts: dialect.facts(),
            features: Features::empty(),
            letters: Letters::of(dialect),
            late_options: false,
            in_index: false,
            wanted,
        }
    }

    /// Reads what stands ahead: a statement, if it can be checked, becomes [`read`](Self::read). `false` at the end of the
    /// program.
    pub(crate) fn read_statement(&mut self) -> bool {
        let mut input = Stateful {
            input: self.rest,
            state: &mut *self,
        };
        let goes_on = next(&mut input);
        let rest = input.input;
        self.rest = rest;
        goes_on
    }

    /// What was read, and what was said of it.
    pub(crate) fn finish(self, scratch: &mut Scratch) -> (Ast<'s>, Reports) {
        let Self {
            mut ast,
            reports,
            words,
            rest,
            ..
        } = self;
        scratch.words = words;
        ast.end = (ast.text.len() - rest.len()) as u32;
        (ast, reports)
    }

    /// Adds an instruction.
    fn read_inst(&mut self, inst: Inst) {
        let number = self.ast.inst_count;
        self.ast.statements.push(Statement::Inst(number));
        self.ast.inst_count += 1;
        self.read = Some(Read::Inst(inst));
    }

    /// Adds a label.
    fn read_label(&mut self, name: NameId, span: Span) {
        let number = self.ast.labels.len() as u32;
        self.ast.statements.push(Statement::Label(number));
        self.ast.labels.push((name, span));
        self.read = Some(Read::Label(number));
    }
}

/// Reads what stands ahead; `false` at the end of the program.
fn next(input: &mut Input<'_, '_>) -> bool {
    let first = peek(input);
    let result = match first.kind() {
        Kind::Ident => {
            let name = input.state.intern(first);
            let text = input.state.ast.text;
            let behind = lex::skip_blanks(text, first.end() as usize);
            // Opcodes and keywords may be names of labels, so a colon decides before the meaning of the word does.
            if text.get(behind) == Some(&b':') {
                label(input, name)
            } else {
                match input.state.leader(name) {
                    Leader::Other if has_number(input) => numbered_label(input, name),
                    Leader::End => {
                        end(input);
                        return false;
                    }
                    leader => statement(input, leader, first),
                }
            }
        }
        Kind::End => {
            let (code, message) = (Code::MissingEnd, "the program has no `END`");
            input.state.reports.error(code, first.span(), message);
            return false;
        }
        _ => Err(fail_at(input, Expected::Statement)),
    };
    if let Err(failure) = result {
        report(input, failure);
        recover(input, first, failure);
    }
    // Checked as the program is read, so that a long one costs neither time nor memory beyond the limit.
    if input.state.ast.inst_count as usize > limits::INSTRUCTIONS {
        let message = format!("more than {} instructions", limits::INSTRUCTIONS);
        let reports = &mut input.state.reports;
        reports.error(Code::TooManyInstructions, first.span(), message);
        return false;
    }
    !input.state.reports.is_full()
}

/// The word END: only blanks and comments may follow.
fn end(input: &mut Input<'_, '_>) {
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
fn statement(input: &mut Input<'_, '_>, leader: Leader, word: Token) -> Parsed<()> {
    match leader {
        Leader::Opcode(opcode, mods) => {
            input.state.late_options = true;
            instr::instruction(input, word, (opcode, mods))
        }
        Leader::Decl(_) => {
            input.state.late_options = true;
            decl::declaration(input)
        }
        Leader::Option => option(input),
        Leader::Old => Err(fail_with(input, Expected::Statement, Code::OldLanguage)),
        Leader::End | Leader::Other | Leader::Unknown => {
            Err(fail_with(input, Expected::Statement, Code::UnknownOpcode))
        }
    }
}

fn label(input: &mut Input<'_, '_>, name: NameId) -> Parsed<()> {
    if input.state.is_reserved(name) {
        return Err(fail_at(input, Expected::FreeName));
    }
    input.state.late_options = true;
    let span = advance(input).span();
    advance(input);
    input.state.read_label(name, span);
    Ok(())
}

/// Whether the word ahead is followed by SUBROUTINENUM.
#[cold]
fn has_number(input: &Input<'_, '_>) -> bool {
    input.state.facts.numbered_labels
        && ahead(input).nth(1).is_some_and(|word| {
            word.kind() == Kind::Ident && input.state.text(word) == b"SUBROUTINENUM"
        })
}

/// `name SUBROUTINENUM(n):`. ARB_shader_subroutine section 2.X.2.
fn numbered_label(input: &mut Input<'_, '_>, name: NameId) -> Parsed<()> {
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
    input.state.read_label(name, span);
    let numbers = &mut input.state.ast.subroutine_numbers;
    numbers.push((name, number, word.span().to(close.span())));
    Ok(())
}

/// `OPTION name;`
fn option(input: &mut Input<'_, '_>) -> Parsed<()> {
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
    input.state.read = Some(Read::Option(name, word.span()));
    Ok(())
}
