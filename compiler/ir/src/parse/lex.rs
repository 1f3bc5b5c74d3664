//! Tokens of the text form.

use crate::span::Span;

/// A token. Line ends are significant, because a statement ends with its line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// ASCII letters, digits and underscores, starting with a letter.
    Word(&'a str),
    /// Starts with a digit; a decimal or hexadecimal number, or a texture target such as `2d`.
    Number(&'a str),
    /// The text between quotes, escapes verbatim.
    Quoted(&'a str),
    /// Any other character.
    Mark(char),
    /// A span comment: `; @41..52`.
    Span(Span),
    /// End of a line.
    LineEnd,
    /// End of the text, or a quote that is not closed.
    End,
}

/// Lexer of the text form.
pub(super) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    /// Returns a lexer at the start of `text`.
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    /// Advances over the `len` bytes at the cursor, which are whole characters.
    fn take(&mut self, len: usize) -> &'a str {
        let taken = &self.rest()[..len];
        self.position += len;
        taken
    }

    /// Returns the next token and the byte where it starts.
    pub(super) fn next_token(&mut self) -> (usize, Token<'a>) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        let start = self.position;
        let Some(first) = self.rest().chars().next() else {
            return (start, Token::End);
        };
        let token = match first {
            'a'..='z' | 'A'..='Z' | '_' => Token::Word(self.take(find_word_len(self.rest()))),
            '0'..='9' => Token::Number(self.take(find_number_len(self.rest()))),
            '"' => self.lex_quoted(),
            '\n' => {
                self.take(1);
                Token::LineEnd
            }
            ';' => return self.lex_comment(),
            mark => {
                self.take(mark.len_utf8());
                Token::Mark(mark)
            }
        };
        (start, token)
    }

    fn lex_quoted(&mut self) -> Token<'a> {
        let inner = &self.rest()[1..];
        let mut escaped = false;
        for (offset, c) in inner.char_indices() {
            match c {
                '\n' => break,
                '"' if !escaped => {
                    self.take(offset + 2);
                    return Token::Quoted(&inner[..offset]);
                }
                _ => escaped = c == '\\' && !escaped,
            }
        }
        Token::End
    }

    /// Skips a comment; a span comment is a token.
    fn lex_comment(&mut self) -> (usize, Token<'a>) {
        let start = self.position;
        let comment = self.rest();
        let comment = self.take(comment.find('\n').unwrap_or(comment.len()));
        match parse_span_comment(comment) {
            Some(span) => (start, Token::Span(span)),
            None if self.rest().is_empty() => (self.position, Token::End),
            None => {
                self.take(1);
                (start, Token::LineEnd)
            }
        }
    }
}

fn find_word_len(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

/// Returns the length of a number: alphanumeric characters, a point that a digit follows, the sign
/// of a decimal exponent.
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

/// Parses `; @start..end`, which more text may follow.
fn parse_span_comment(comment: &str) -> Option<Span> {
    let range = comment.strip_prefix(';')?.trim_start().strip_prefix('@')?;
    let (start, rest) = range.split_once("..")?;
    let end = &rest[..rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len())];
    Some(Span::new(start.parse().ok()?, end.parse().ok()?))
}
