//! The numbers by which a program names items whose number GL limits, with their spans, so that
//! limits of a caller can be checked.

use crate::ast::Ast;
use crate::check::program::checked::Checked;
use crate::lang::numbered::Numbered;
use glasm_ir::Span;

/// A number with its span; `None` if it belongs to the program as a whole.
type Place = (u32, Option<Span>);

/// The numbers that a program names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Numbers of each kind that are larger than all before them, in source order.
    list: Vec<(Numbered, Place)>,
    /// First number of each kind that is larger than all before.
    next: [u32; Numbered::ALL.len()],
}

impl Usage {
    /// Returns the first number of a kind that is not below `limit`.
    pub fn find_first_beyond(&self, kind: Numbered, limit: u32) -> Option<Place> {
        let mut places = self.list.iter().filter(|(other, _)| *other == kind);
        let found = places.find(|(_, (number, _))| *number >= limit);
        found.map(|&(_, place)| place)
    }

    /// Adds a number; `place` returns its span, and is only called if that is needed.
    pub(crate) fn add(
        &mut self,
        kind: Numbered,
        number: u32,
        place: impl FnOnce() -> Option<Span>,
    ) {
        let next = &mut self.next[kind as usize];
        if number >= *next {
            // No language has such large numbers, and an equal one would not be added.
            *next = number.saturating_add(1);
            self.list.push((kind, (number, place())));
        }
    }

    /// Removes all numbers.
    pub(crate) fn reset(&mut self) {
        self.list.clear();
        self.next = Default::default();
    }
}

impl Checked {
    /// Returns the numbers that the program names, which must have been parsed completely, with the
    /// source locations of its attributes.
    pub(crate) fn usage(&self, ast: &Ast<'_>) -> Usage {
        let mut usage = self.usage.clone();
        for (number, span) in (0..).zip(self.attribute_spans(ast)) {
            let is_bound = !span.range().is_empty();
            usage.add(Numbered::Attributes, number, || is_bound.then_some(span));
        }
        usage
    }
}

/// Returns the first span in brackets or parentheses of `span` that is `number`; `span` itself if
/// there is none, as for omitted numbers.
pub(crate) fn find_number_span(text: &[u8], span: Span, number: u32) -> Span {
    let mut is_open = false;
    let mut at = span.start;
    while at < span.end {
        let rest = &text[at as usize..span.end as usize];
        let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric();
        let length = match rest[0] {
            b'#' => rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')),
            byte if is_of_word(&byte) => rest.iter().position(|byte| !is_of_word(byte)),
            byte => {
                is_open = matches!(byte, b'[' | b'(') || is_open && !matches!(byte, b']' | b')');
                Some(1)
            }
        };
        let length = length.unwrap_or(rest.len());
        if is_open && value(&rest[..length]) == Some(number) {
            return Span::new(at, at + length as u32);
        }
        at += length as u32;
    }
    span
}

/// Returns the value of a number as the parser reads it: decimal or with `0x`, saturated.
fn value(word: &[u8]) -> Option<u32> {
    let word = std::str::from_utf8(word).ok()?;
    let hexadecimal = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let (digits, base) = hexadecimal.map_or((word, 10), |digits| (digits, 16));
    let is_number = !digits.is_empty() && digits.bytes().all(|it| char::from(it).is_digit(base));
    is_number.then(|| u32::from_str_radix(digits, base).unwrap_or(u32::MAX))
}
