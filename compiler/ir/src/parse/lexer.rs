//! Tokens of the text form.

use crate::span::Span;

/// A token. Line ends are significant, because a statement ends with its line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// ASCII letters, digits and underscores, starting with a letter.
    Identifier(&'a str),
    /// Starts with a digit; a decimal or hexadecimal number, or a texture target such as `2d`.
    Number(&'a str),
    /// The text between quotes, escapes verbatim.
    Quoted(&'a str),
    /// Any other character.
    Punctuation(char),
    /// A span comment: `; @41..52`.
    Span(Span),
    /// End of a line.
    LineEnd,
    /// End of the text, or a quote that is not closed.
    End,
}

/// Lexer of the text form.
pub(super) struct Lexer<'a> {
    source: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    /// Returns a lexer at the start of `text`.
    pub(super) const fn new(text: &'a str) -> Self {
        Self {
            source: text,
            position: 0,
        }
    }

    /// Returns the source from the current position on.
    fn get_remaining(&self) -> &'a str {
        &self.source[self.position..]
    }

    /// Advances over the `len` bytes at the cursor, which are whole characters.
    fn take_bytes(&mut self, len: usize) -> &'a str {
        let taken = &self.get_remaining()[..len];
        self.position += len;
        taken
    }

    /// Skips spaces, tabs and carriage returns, and returns the next token and the byte where it
    /// starts. The end of a line is a token, which includes a comment before it; a span comment is
    /// a separate token. At the end of the text, and from a name without a closing quote on, the
    /// token is `Token::End`.
    pub(super) fn next_token(&mut self) -> (usize, Token<'a>) {
        let remaining = self.get_remaining();
        self.position += remaining.len() - remaining.trim_start_matches([' ', '\t', '\r']).len();
        let start = self.position;
        let Some(first) = self.get_remaining().chars().next() else {
            return (start, Token::End);
        };
        let token = match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                Token::Identifier(self.take_bytes(find_word_len(self.get_remaining())))
            }
            '0'..='9' => Token::Number(self.take_bytes(find_number_len(self.get_remaining()))),
            '"' => self.lex_quoted(),
            '\n' => {
                self.take_bytes(1);
                Token::LineEnd
            }
            ';' => return self.lex_comment(),
            mark => {
                self.take_bytes(mark.len_utf8());
                Token::Punctuation(mark)
            }
        };
        (start, token)
    }

    /// Returns the token of a quoted name, escapes unchanged; `Token::End`, without advancing, if
    /// the line has no closing quote.
    fn lex_quoted(&mut self) -> Token<'a> {
        let inner = &self.get_remaining()[1..];
        let mut escaped = false;
        for (offset, c) in inner.char_indices() {
            match c {
                '\n' => break,
                '"' if !escaped => {
                    self.take_bytes(offset + 2);
                    return Token::Quoted(&inner[..offset]);
                }
                _ => escaped = c == '\\' && !escaped,
            }
        }
        Token::End
    }

    /// Reads a comment up to the end of the line: a span comment is a token, and the token of
    /// another comment is the end of its line or of the text.
    fn lex_comment(&mut self) -> (usize, Token<'a>) {
        let start = self.position;
        let comment = self.get_remaining();
        let comment = self.take_bytes(comment.find('\n').unwrap_or(comment.len()));
        match parse_span_comment(comment) {
            Some(span) => (start, Token::Span(span)),
            None if self.get_remaining().is_empty() => (self.position, Token::End),
            None => {
                self.take_bytes(1);
                (start, Token::LineEnd)
            }
        }
    }
}

/// Returns the length in bytes of the word at the start of `text`; 0 if there is none.
fn find_word_len(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

/// Returns the length in bytes of the number at the start of `text`: alphanumeric characters and
/// underscores, a point that a digit follows, the sign of a decimal exponent.
fn find_number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_hex = text.starts_with("0x");
    let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut len = 0;
    while let Some(&byte) = bytes.get(len) {
        let belongs = match byte {
            b'.' => digit_at(len + 1),
            b'+' | b'-' => !is_hex && matches!(bytes[len - 1], b'e' | b'E') && digit_at(len + 1),
            _ => byte.is_ascii_alphanumeric() || byte == b'_',
        };
        if !belongs {
            break;
        }
        len += 1;
    }
    len
}

/// Parses `; @start..end`, which more text may follow. Returns `None` for other comments and for
/// numbers that do not fit.
fn parse_span_comment(comment: &str) -> Option<Span> {
    let range = comment.strip_prefix(';')?.trim_start().strip_prefix('@')?;
    let (start, after) = range.split_once("..")?;
    let end = &after[..after
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(after.len())];
    Some(Span::new(start.parse().ok()?, end.parse().ok()?))
}
