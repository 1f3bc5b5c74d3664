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
pub(crate) struct Words<'a> {
    words: Vec<Word<'a>>,
    next: usize,
    end: u32,
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | ',')
}

impl<'a> Words<'a> {
    /// Splits a line.
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
                ')' if depth == 0 => return Err(error_at(column, "`)` without `(`")),
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
            return Err(error_at(end, "`)` is missing"));
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

    /// Returns the next word, without taking it.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).map(|word| word.text)
    }

    /// Consumes the next word if it is `text`.
    pub(crate) fn take(&mut self, text: &str) -> Option<()> {
        (self.peek()? == text).then(|| self.next += 1)
    }

    /// Consumes the next word; `what` describes the expected word.
    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str, LineError> {
        match self.peek() {
            Some(word) => {
                self.next += 1;
                Ok(word)
            }
            None => Err(error_at(self.end, format!("{what} is missing"))),
        }
    }

    /// Consumes the next word and converts it with `parse`.
    pub(crate) fn parse_with<T>(
        &mut self,
        what: &str,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, LineError> {
        let word = self.word(what)?;
        parse(word).ok_or_else(|| self.error_at_last(format!("`{word}` is not {what}")))
    }

    /// Consumes a number that `FromStr` parses.
    pub(crate) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, LineError> {
        self.parse_with(what, |word| word.parse().ok())
    }

    /// Consumes an unsigned number, decimal or hexadecimal with `0x`.
    pub(crate) fn unsigned(&mut self, what: &str) -> Result<u64, LineError> {
        self.parse_with(what, parse_unsigned)
    }

    /// Consumes an unsigned number of 32 bits, decimal or hexadecimal with `0x`.
    pub(crate) fn unsigned32(&mut self, what: &str) -> Result<u32, LineError> {
        self.parse_with(what, |word| u32::try_from(parse_unsigned(word)?).ok())
    }

    /// Consumes a number below `limit`.
    pub(crate) fn below(&mut self, what: &str, limit: u32) -> Result<u32, LineError> {
        self.parse_with(what, |word| {
            word.parse().ok().filter(|number| *number < limit)
        })
    }

    /// Consumes `N` numbers.
    pub(crate) fn floats<const N: usize>(&mut self, what: &str) -> Result<[f32; N], LineError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.number(what)?;
        }
        Ok(values)
    }

    /// Returns an error if words remain.
    pub(crate) fn finish(&self) -> Result<(), LineError> {
        match self.words.get(self.next) {
            Some(word) => Err(error_at(
                word.column,
                format!("`{}` is one word too many", word.text),
            )),
            None => Ok(()),
        }
    }

    /// Returns an error at the last consumed word.
    pub(crate) fn error_at_last(&self, message: impl Into<String>) -> LineError {
        let word = self
            .next
            .checked_sub(1)
            .and_then(|index| self.words.get(index));
        error_at(word.map_or(self.end, |word| word.column), message)
    }

    /// Returns an error at the next word, or at the end of the line.
    pub(crate) fn error_at_next(&self, message: impl Into<String>) -> LineError {
        error_at(
            self.words
                .get(self.next)
                .map_or(self.end, |word| word.column),
            message,
        )
    }
}

/// Reads a decimal or `0x` number.
pub(crate) fn parse_unsigned(word: &str) -> Option<u64> {
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// Reads a number; a whole one may be hexadecimal with `0x`.
pub(crate) fn parse_component(word: &str) -> Option<f64> {
    let whole = || {
        parse_unsigned(word)
            .and_then(|value| u32::try_from(value).ok())
            .map(f64::from)
    };
    word.parse().ok().or_else(whole)
}

fn drop_semicolons(words: &mut Vec<Word<'_>>) {
    while let Some(last) = words.last_mut() {
        last.text = last.text.trim_end_matches(';');
        if !last.text.is_empty() {
            break;
        }
        words.pop();
    }
}

fn error_at(column: u32, message: impl Into<String>) -> LineError {
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
    pub(super) fn new(line: u32, column: u32, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            message: message.into(),
        }
    }

    pub(super) fn at(line: u32, error: LineError) -> Self {
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
        Words::split(line)
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
        assert_eq!(Words::split("a (b").unwrap_err().column, 5);
        assert_eq!(
            Words::split("a b)").unwrap_err(),
            error_at(4, "`)` without `(`")
        );
    }

    #[test]
    fn missing_and_extra_words_are_reported_where_they_are() {
        let mut words = Words::split("clear x").unwrap();
        words.word("command").unwrap();
        assert_eq!(
            words.clone().number::<f32>("a depth").unwrap_err(),
            error_at(7, "`x` is not a depth")
        );
        assert_eq!(
            words.finish().unwrap_err(),
            error_at(7, "`x` is one word too many")
        );
        words.word("anything").unwrap();
        assert_eq!(
            words.word("a depth").unwrap_err(),
            error_at(8, "a depth is missing")
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
