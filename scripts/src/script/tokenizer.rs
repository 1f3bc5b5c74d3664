//! The words of one script line, with their columns.
//!
//! White space, parentheses and commas separate words, so `(1, 0, 0, 1)` and `1 0 0 1` are
//! equivalent; parentheses must balance. A word that starts with `#` starts a comment. Semicolons
//! at the end of a line are ignored, because existing scripts have them.

use std::str::FromStr;

/// Error in a line, with its column (from 1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LineError {
    pub column: u32,
    pub message: String,
}

/// Word and the column where it starts.
#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    text: &'a str,
    column: u32,
}

/// Cursor over the words of a line.
#[derive(Clone, Debug)]
pub(crate) struct WordCursor<'a> {
    words: Vec<Word<'a>>,
    next: usize,
    end: u32,
}

/// Returns true if a character separates words: whitespace, parentheses and commas.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | ',')
}

impl<'a> WordCursor<'a> {
    /// Splits a line into words without its comment and trailing semicolons. Returns an error if
    /// parentheses do not balance.
    pub(crate) fn split(line: &'a str) -> Result<Self, LineError> {
        let mut words = Vec::new();
        let mut depth = 0u32;
        // Byte offset and column of the word that is being read.
        let mut start = None;
        let mut end = line.len();
        // Columns are counted along with the characters: counting each from the start of the line
        // would take quadratic time.
        let mut column = 0u32;
        for (at, c) in line.char_indices() {
            column = column.saturating_add(1);
            if c == '#' && start.is_none() {
                end = at;
                break;
            }
            if !is_separator(c) {
                start.get_or_insert((at, column));
                continue;
            }
            if let Some((from, column)) = start.take() {
                let text = &line[from..at];
                words.push(Word { text, column });
            }
            depth = match c {
                '(' => depth + 1,
                ')' if depth == 0 => return Err(error_at_column(column, "`)` without `(`")),
                ')' => depth - 1,
                _ => depth,
            };
        }
        if let Some((from, column)) = start {
            let text = &line[from..end];
            words.push(Word { text, column });
        }
        // The end is the column of the comment, or the one after the last character.
        if end == line.len() {
            column = column.saturating_add(1);
        }
        let end = column;
        if depth > 0 {
            return Err(error_at_column(end, "`)` is missing"));
        }
        drop_semicolons(&mut words);
        Ok(Self {
            words,
            next: 0,
            end,
        })
    }

    /// Returns true if no word remains.
    pub(crate) fn is_empty(&self) -> bool {
        self.next >= self.words.len()
    }

    /// Returns the number of remaining words.
    pub(crate) fn remaining(&self) -> usize {
        self.words.len() - self.next
    }

    /// Returns the next word, without consuming it; `None` at the end of the line.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).map(|word| word.text)
    }

    /// Consumes the next word if it is `text`; `None`, without consuming any, otherwise.
    pub(crate) fn take_if(&mut self, text: &str) -> Option<()> {
        (self.peek()? == text).then(|| self.next += 1)
    }

    /// Consumes the next word. Returns an error, at the end of the line, that `expected` is missing
    /// if no word remains.
    pub(crate) fn next_word(&mut self, expected: &str) -> Result<&'a str, LineError> {
        match self.peek() {
            Some(word) => {
                self.next += 1;
                Ok(word)
            }
            None => Err(error_at_column(self.end, format!("{expected} is missing"))),
        }
    }

    /// Consumes the next word and converts it with `parse`. Returns an error at the word, which
    /// names `expected`, if the result is `None` or no word remains.
    pub(crate) fn parse_with<T>(
        &mut self,
        expected: &str,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, LineError> {
        let word = self.next_word(expected)?;
        parse(word).ok_or_else(|| self.error_at_last(format!("`{word}` is not {expected}")))
    }

    /// Consumes a number, or another value that `FromStr` parses.
    pub(crate) fn parse_number<T: FromStr>(&mut self, expected: &str) -> Result<T, LineError> {
        self.parse_with(expected, |word| word.parse().ok())
    }

    /// Consumes an unsigned number, decimal or hexadecimal with `0x`.
    pub(crate) fn parse_unsigned(&mut self, expected: &str) -> Result<u64, LineError> {
        self.parse_with(expected, parse_unsigned)
    }

    /// Consumes an unsigned number of 32 bits, decimal or hexadecimal with `0x`.
    pub(crate) fn parse_u32(&mut self, expected: &str) -> Result<u32, LineError> {
        self.parse_with(expected, |word| u32::try_from(parse_unsigned(word)?).ok())
    }

    /// Consumes a decimal number below `limit`.
    pub(crate) fn parse_below(&mut self, expected: &str, limit: u32) -> Result<u32, LineError> {
        self.parse_with(expected, |word| {
            word.parse().ok().filter(|number| *number < limit)
        })
    }

    /// Consumes `N` floats.
    pub(crate) fn parse_floats<const N: usize>(
        &mut self,
        expected: &str,
    ) -> Result<[f32; N], LineError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.parse_number(expected)?;
        }
        Ok(values)
    }

    /// Returns an error at the next word if words remain.
    pub(crate) fn expect_end(&self) -> Result<(), LineError> {
        match self.words.get(self.next) {
            Some(word) => Err(error_at_column(
                word.column,
                format!("`{}` is one word too many", word.text),
            )),
            None => Ok(()),
        }
    }

    /// Creates an error at the last consumed word, or at the end of the line if none was consumed.
    pub(crate) fn error_at_last(&self, message: impl Into<String>) -> LineError {
        let word = self
            .next
            .checked_sub(1)
            .and_then(|index| self.words.get(index));
        error_at_column(word.map_or(self.end, |word| word.column), message)
    }

    /// Creates an error at the next word, or at the end of the line if none remains.
    pub(crate) fn error_at_next(&self, message: impl Into<String>) -> LineError {
        error_at_column(
            self.words
                .get(self.next)
                .map_or(self.end, |word| word.column),
            message,
        )
    }
}

/// Parses a decimal number, or a hexadecimal one with `0x`; `None` if it is invalid.
pub(crate) fn parse_unsigned(word: &str) -> Option<u64> {
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// Parses a number; a whole one of 32 bits may be hexadecimal with `0x`. `None` if it is invalid.
pub(crate) fn parse_component(word: &str) -> Option<f64> {
    let whole = || {
        parse_unsigned(word)
            .and_then(|value| u32::try_from(value).ok())
            .map(f64::from)
    };
    word.parse().ok().or_else(whole)
}

/// Removes semicolons from the end of the last word, and words that consist of semicolons from the
/// end of the line.
fn drop_semicolons(words: &mut Vec<Word<'_>>) {
    while let Some(last) = words.last_mut() {
        last.text = last.text.trim_end_matches(';');
        if !last.text.is_empty() {
            break;
        }
        words.pop();
    }
}

/// Creates an error of a line at a column, counted from 1.
fn error_at_column(column: u32, message: impl Into<String>) -> LineError {
    LineError {
        column,
        message: message.into(),
    }
}

/// Error in a line of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// Description of the error.
    pub message: String,
}

impl ScriptError {
    /// Creates an error at a line and column of the script, both counted from 1.
    pub(super) fn new(line: u32, column: u32, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            message: message.into(),
        }
    }

    /// Adds the line, counted from 1, to an error of that line.
    pub(super) fn from_line_error(line: u32, error: LineError) -> Self {
        Self {
            line,
            column: error.column,
            message: error.message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str) -> Vec<&str> {
        WordCursor::split(line)
            .unwrap()
            .words
            .iter()
            .map(|word| word.text)
            .collect()
    }

    #[test]
    fn parentheses_and_commas_separate() {
        assert_eq!(
            all("probe rgba (0.5,1) (1, 0,0 ,1);"),
            ["probe", "rgba", "0.5", "1", "1", "0", "0", "1"]
        );
    }

    #[test]
    fn comments_end_a_line_only_at_a_word() {
        assert_eq!(all("a b#c # d"), ["a", "b#c"]);
        assert_eq!(all("# d"), Vec::<&str>::new());
    }

    #[test]
    fn unbalanced_parentheses_are_errors_with_a_column() {
        assert_eq!(WordCursor::split("a (b").unwrap_err().column, 5);
        assert_eq!(
            WordCursor::split("a b)").unwrap_err(),
            error_at_column(4, "`)` without `(`")
        );
    }

    #[test]
    fn missing_and_extra_words_are_reported_where_they_are() {
        let mut words = WordCursor::split("clear x").unwrap();
        words.next_word("command").unwrap();
        assert_eq!(
            words.clone().parse_number::<f32>("a depth").unwrap_err(),
            error_at_column(7, "`x` is not a depth")
        );
        assert_eq!(
            words.expect_end().unwrap_err(),
            error_at_column(7, "`x` is one word too many")
        );
        words.next_word("anything").unwrap();
        assert_eq!(
            words.next_word("a depth").unwrap_err(),
            error_at_column(8, "a depth is missing")
        );
    }

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        assert_eq!(parse_unsigned("0x10"), Some(16));
        assert_eq!(parse_unsigned("10"), Some(10));
        assert_eq!(parse_unsigned("-1"), None);
        assert_eq!(parse_unsigned("0x"), None);
    }
}
