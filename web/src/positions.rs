//! Positions in sources in the units of JavaScript, code units of UTF-16.

use glasm::ir::Span;
use serde_json::{Value, json};

/// Conversion between bytes of a text and code units.
#[derive(Clone, Debug)]
pub(crate) struct CodeUnits {
    /// Code units before each byte, and before the end; `None` if the text is ASCII, where both are
    /// equal.
    before: Option<Vec<u32>>,
    length: u32,
}

impl CodeUnits {
    /// Counts the code units of a text.
    pub(crate) fn new(text: &str) -> Self {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        if text.is_ascii() {
            return Self {
                before: None,
                length,
            };
        }
        let mut before = Vec::with_capacity(text.len() + 1);
        let mut units = 0;
        for character in text.chars() {
            before.extend(std::iter::repeat_n(units, character.len_utf8()));
            units += character.len_utf16() as u32;
        }
        before.push(units);
        Self {
            before: Some(before),
            length,
        }
    }

    /// Returns the code units before a byte; those of the text for bytes after its end.
    pub(crate) fn count_before(&self, byte: u32) -> u32 {
        let byte = byte.min(self.length);
        match &self.before {
            Some(before) => before.get(byte as usize).copied().unwrap_or_default(),
            None => byte,
        }
    }

    /// Returns the first byte of the character at a code unit; the end for units after it.
    pub(crate) fn find_byte(&self, unit: u32) -> u32 {
        match &self.before {
            Some(before) => {
                let found = before.partition_point(|before| *before < unit);
                (found as u32).min(self.length)
            }
            None => unit.min(self.length),
        }
    }

    /// Returns the start and the end of a span as a pair of JSON numbers.
    pub(crate) fn format_span(&self, span: Span) -> Value {
        json!([self.count_before(span.start), self.count_before(span.end)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_outside_of_ascii_have_other_lengths() {
        // One unit each for `a` and `é` (2 bytes), two for the character of 4 bytes.
        let units = CodeUnits::new("aé\u{1F600}b");
        assert_eq!(
            [0, 1, 3, 7, 8, 99].map(|byte| units.count_before(byte)),
            [0, 1, 2, 4, 5, 5]
        );
        assert_eq!(
            [0, 1, 2, 4, 5, 99].map(|unit| units.find_byte(unit)),
            [0, 1, 3, 7, 8, 8]
        );
        let ascii = CodeUnits::new("abc");
        assert_eq!((ascii.count_before(9), ascii.find_byte(2)), (3, 2));
    }
}
