//! Tokens: how lexers produce them and grammars consume them, for any kinds and any state of a
//! parser.

use glasm_ir::Span;
use std::fmt::{Debug, Formatter};
use std::iter::Enumerate;
use winnow::Parser;
use winnow::stream::{Needed, Offset, Stateful, Stream, StreamIsPartial};

/// Kind of a token.
pub trait Kind: Copy + Eq + Debug + 'static {
    /// Kind of the token after the last byte of a program.
    const END: Self;
}

/// Token: kind and span.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token<K> {
    start: u32,
    end: u32,
    previous_end: u32,
    kind: K,
}

impl<K: Kind> Token<K> {
    /// Returns the kind of the token.
    #[inline(always)]
    pub fn kind(self) -> K {
        self.kind
    }

    /// Returns the offset of the token's first byte in the source.
    #[inline(always)]
    pub fn start(self) -> u32 {
        self.start
    }

    /// Returns the offset past the token's last byte.
    #[inline(always)]
    pub fn end(self) -> u32 {
        self.end
    }

    /// Returns true if the token directly follows the previous one, without whitespace or a
    /// comment.
    pub(crate) fn is_glued(self) -> bool {
        self.start == self.previous_end
    }

    /// Returns the location of the token in the source.
    #[inline(always)]
    pub fn span(self) -> Span {
        Span::new(self.start, self.end)
    }

    /// Returns the bytes of the token.
    pub fn text(self, source: &[u8]) -> &[u8] {
        &source[self.start as usize..self.end as usize]
    }
}

impl<K: Kind> Default for Token<K> {
    /// Returns the end of an empty program.
    fn default() -> Self {
        Self {
            start: 0,
            end: 0,
            previous_end: 0,
            kind: K::END,
        }
    }
}

impl<K: Kind> Debug for Token<K> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}{:?}", self.kind, self.span())
    }
}

/// Class of a token by its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// A token of one byte.
    Mark,
    /// A word.
    Letter,
    /// A number, or the rest of a word.
    Digit,
    /// No token: whitespace of one byte.
    Space,
    /// A token or whitespace that depends on the bytes after it.
    Other,
}

/// Classes of all bytes, and the kinds of tokens that begin with them.
pub(crate) type Classes<K> = [(Class, K); 256];

/// Bytes that continue a word: alphanumeric characters.
pub(crate) type WordBytes = [bool; 256];

/// Returns the table of the bytes that continue a word, alphabetic characters and digits, from the
/// classes of a language.
pub(crate) const fn word_bytes<K: Copy>(classes: &Classes<K>) -> WordBytes {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(classes[byte].0, Class::Letter | Class::Digit);
        byte += 1;
    }
    table
}

/// The lexical rules of a family of languages.
pub(crate) trait Lexer<K: Kind> {
    const CLASSES: Classes<K>;
    const WORD_BYTES: WordBytes = word_bytes(&Self::CLASSES);

    /// Returns kind and end of the token that begins with the digit at `at`, including characters
    /// that make it a word or another kind of number.
    fn lex_number(&self, source: &[u8], at: usize) -> (K, usize);

    /// Returns kind and end of the token that begins with the byte at `at`, whose class is
    /// [`Class::Other`]; no kind if it is whitespace.
    fn lex_other(&self, source: &[u8], at: usize) -> (Option<K>, usize);
}

/// Appends the tokens of `source` from byte `start` on to `list`; the last is [`Kind::END`], an
/// empty token at the end of the source. Each token records the end of the one before it. `source`
/// holds less than 2^24 bytes.
#[inline(always)]
pub(crate) fn append_tokens<K: Kind, L: Lexer<K>>(
    lexer: &L,
    source: &[u8],
    start: usize,
    list: &mut Vec<Token<K>>,
) {
    let mut at = start;
    let mut previous_end = start as u32;
    while let Some(&byte) = source.get(at) {
        let (class, kind) = L::CLASSES[byte as usize];
        let (kind, end) = match class {
            Class::Mark => (kind, at + 1),
            Class::Letter => (kind, skip_word(source, at + 1, &L::WORD_BYTES)),
            Class::Digit => lexer.lex_number(source, at),
            Class::Space => {
                at += 1;
                continue;
            }
            Class::Other => match lexer.lex_other(source, at) {
                (Some(kind), end) => (kind, end),
                (None, end) => {
                    at = end;
                    continue;
                }
            },
        };
        list.push(Token {
            start: at as u32,
            end: end as u32,
            previous_end,
            kind,
        });
        previous_end = end as u32;
        at = end;
    }
    let end = source.len() as u32;
    list.push(Token {
        start: end,
        end,
        previous_end,
        kind: K::END,
    });
}

/// Returns the position of the first byte from `at` on that does not continue a word, according to
/// the table `word`; the length of the source if there is none.
#[inline(always)]
pub(crate) fn skip_word(source: &[u8], at: usize, word: &WordBytes) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    for (offset, &byte) in rest.iter().enumerate() {
        if !word[byte as usize] {
            return at + offset;
        }
    }
    source.len()
}

/// Returns the position of the first byte from `at` on that is not a decimal digit.
#[inline(always)]
pub(crate) fn skip_digits(source: &[u8], mut at: usize) -> usize {
    while source.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Tokens that are not consumed yet. The last one, [`Kind::END`], is never consumed.
#[derive(Clone)]
pub(crate) struct Tokens<'t, K> {
    /// The next one: reading this copy needs no bounds check.
    next: Token<K>,
    /// Those after it.
    after: std::slice::Iter<'t, Token<K>>,
    /// All tokens of the program.
    all: &'t [Token<K>],
}

/// Input of a grammar: tokens, and the state of its parser.
pub(crate) type Input<'t, K, S> = Stateful<Tokens<'t, K>, &'t mut S>;

impl<'t, K: Kind> Tokens<'t, K> {
    /// Returns a parser input that begins at the first token of a list; an empty list is treated as
    /// the end of a program.
    pub(crate) fn new(list: &'t [Token<K>]) -> Self {
        let mut after = list.iter();
        Self {
            next: after.next().copied().unwrap_or_default(),
            after,
            all: list,
        }
    }

    /// Returns the tokens that are not consumed yet, including the end of the program.
    pub(crate) fn rest(&self) -> &'t [Token<K>] {
        let position = self.all.len().saturating_sub(self.after.len() + 1);
        &self.all[position..]
    }
}

impl<K: Kind> Debug for Tokens<'_, K> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.rest().fmt(f)
    }
}

impl<'t, K: Kind> Stream for Tokens<'t, K> {
    type Token = Token<K>;
    type Slice = &'t [Token<K>];
    type IterOffsets = Enumerate<std::iter::Copied<std::slice::Iter<'t, Token<K>>>>;
    type Checkpoint = Self;

    fn iter_offsets(&self) -> Self::IterOffsets {
        self.rest().iter().copied().enumerate()
    }

    fn eof_offset(&self) -> usize {
        self.after.len()
    }

    #[inline(always)]
    fn next_token(&mut self) -> Option<Token<K>> {
        let token = self.next;
        self.next = *self.after.next()?;
        Some(token)
    }

    #[inline(always)]
    fn peek_token(&self) -> Option<Token<K>> {
        (self.next.kind != K::END).then_some(self.next)
    }

    fn offset_for<P: Fn(Token<K>) -> bool>(&self, predicate: P) -> Option<usize> {
        self.rest().iter().position(|&token| predicate(token))
    }

    fn offset_at(&self, tokens: usize) -> Result<usize, Needed> {
        match tokens.checked_sub(self.eof_offset()) {
            None | Some(0) => Ok(tokens),
            Some(missing) => Err(Needed::new(missing)),
        }
    }

    fn next_slice(&mut self, offset: usize) -> Self::Slice {
        let slice = self.peek_slice(offset);
        for _ in slice {
            self.next_token();
        }
        slice
    }

    fn peek_slice(&self, offset: usize) -> Self::Slice {
        &self.rest()[..offset]
    }

    #[inline(always)]
    fn checkpoint(&self) -> Self {
        self.clone()
    }

    #[inline(always)]
    fn reset(&mut self, checkpoint: &Self) {
        self.clone_from(checkpoint);
    }

    fn trace(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.fmt(f)
    }
}

impl<K> StreamIsPartial for Tokens<'_, K> {
    type PartialState = ();

    fn complete(&mut self) {}

    fn restore_partial(&mut self, (): ()) {}

    fn is_partial_supported() -> bool {
        false
    }
}

impl<K: Kind> Offset for Tokens<'_, K> {
    fn offset_from(&self, start: &Self) -> usize {
        start.after.len() - self.after.len()
    }
}

/// Returns the next token without consuming it.
#[inline(always)]
pub(crate) fn peek<K: Kind, S>(input: &Input<'_, K, S>) -> Token<K> {
    input.input.next
}

/// Returns the kind of the next token without consuming it.
#[inline(always)]
pub(crate) fn peek_kind<K: Kind, S>(input: &Input<'_, K, S>) -> K {
    peek(input).kind
}

/// Returns the token after the next `count` ones without consuming them; the end of the program if
/// there are fewer.
pub(crate) fn peek_after<K: Kind, S>(input: &Input<'_, K, S>, count: usize) -> Token<K> {
    let rest = input.rest();
    // After the end the end is repeated.
    rest.get(count).or(rest.last()).copied().unwrap_or_default()
}

/// Returns the tokens after the next one, without consuming them.
#[inline(always)]
pub(crate) fn peek_rest<'t, K: Kind, S>(input: &Input<'t, K, S>) -> &'t [Token<K>] {
    input.input.after.as_slice()
}

/// Consumes `count` tokens, or all before the end of the program if there are fewer.
#[inline(always)]
pub(crate) fn skip<K: Kind, S>(input: &mut Input<'_, K, S>, count: usize) {
    let after = input.input.after.as_slice();
    let start = count.min(after.len());
    if let Some((&next, rest)) = start
        .checked_sub(1)
        .and_then(|at| after[at..].split_first())
    {
        input.input.next = next;
        input.input.after = rest.iter();
    }
}

/// Consumes and returns the next token; the end of the program is not consumed.
#[inline(always)]
pub(crate) fn advance<K: Kind, S: Debug>(input: &mut Input<'_, K, S>) -> Token<K> {
    let token = peek(input);
    input.next_token();
    token
}

/// Moves forward or back to the first token that begins at byte `start` or later; at most to the
/// end of the program.
pub(crate) fn seek<K: Kind, S>(input: &mut Input<'_, K, S>, start: u32) {
    let all = input.all;
    let before = all.partition_point(|token| token.start < start);
    // The end is never consumed.
    input.input.after = all[before.min(all.len().saturating_sub(1))..].iter();
    input.input.next = input.input.after.next().copied().unwrap_or_default();
}

/// Returns the end of the token that was consumed last.
#[inline(always)]
pub(crate) fn last_end<K: Kind, S>(input: &Input<'_, K, S>) -> u32 {
    peek(input).previous_end
}

/// Consumes the next token if it has this kind, and returns true if it does. The end of the program
/// is never consumed.
#[inline(always)]
pub(crate) fn accept<K: Kind, S: Debug>(input: &mut Input<'_, K, S>, kind: K) -> bool {
    let found = peek_kind(input) == kind;
    if found {
        input.next_token();
    }
    found
}

/// Returns a parser that consumes and returns a token of `kind`; for another one it fails with the
/// error that `fail` returns and consumes nothing.
#[inline(always)]
pub(crate) fn token<'t, K: Kind, S: Debug + 't, E>(
    kind: K,
    fail: impl Fn(&Input<'t, K, S>) -> E,
) -> impl Parser<Input<'t, K, S>, Token<K>, E> {
    move |input: &mut Input<'t, K, S>| {
        if peek_kind(input) == kind {
            Ok(advance(input))
        } else {
            Err(fail(input))
        }
    }
}
