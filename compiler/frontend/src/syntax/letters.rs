//! Component characters: swizzle suffixes of operands and write masks.

use crate::ast::Suffix;
use crate::codes::Code;
use crate::source::Dialect;
use glasm_ir::{Swizzle, WriteMask};

/// Set of component characters, by byte: lane in the low bits, 4 for `rgba`, 8 for `xyzw`; 0 for
/// other bytes.
type LetterTable = [u8; 256];

const fn letter_table(letters: [(&[u8; 4], u8); 2]) -> LetterTable {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 2 {
        let (word, mark) = letters[set];
        let mut lane = 0;
        while lane < 4 {
            table[word[lane] as usize] = mark | lane as u8;
            lane += 1;
        }
        set += 1;
    }
    table
}

static BOTH_SETS: LetterTable = letter_table([(b"xyzw", XYZW), (b"rgba", RGBA)]);
// The same characters twice, because the table takes two sets.
static ONE_SET: LetterTable = letter_table([(b"xyzw", XYZW), (b"xyzw", XYZW)]);
const RGBA: u8 = 4;
const XYZW: u8 = 8;

/// Component characters of a language.
#[derive(Clone, Copy)]
pub(crate) struct Letters(&'static LetterTable);

impl Letters {
    /// Returns the component characters of a language: vertex programs of the ARB family have no
    /// `rgba`.
    pub(crate) fn of(dialect: Dialect) -> Self {
        if dialect.facts().rgba {
            Self(&BOTH_SETS)
        } else {
            Self(&ONE_SET)
        }
    }

    #[inline]
    fn code(self, letter: u8) -> u8 {
        self.0[letter as usize]
    }

    /// Returns the component that a character selects, and the set that contains it.
    pub(super) fn component(self, letter: u8) -> Option<(u8, u8)> {
        let code = self.code(letter);
        (code != 0).then_some((code & 3, code & (XYZW | RGBA)))
    }

    /// Parses the characters of a suffix, without the point.
    #[inline]
    pub(crate) fn suffix(self, text: &[u8]) -> Result<Suffix, Code> {
        match *text {
            [one] => match self.code(one) {
                0 => Err(Code::UnexpectedToken),
                code => Ok(Suffix::one(code & 3)),
            },
            [a, b, c, d] => match self.four([a, b, c, d]) {
                Some(suffix) => Ok(suffix),
                None if text.iter().any(|&letter| self.code(letter) == 0) => {
                    Err(Code::UnexpectedToken)
                }
                None => Err(Code::SwizzleMixed),
            },
            // Suffixes of two or three components have a separate message: masks may have that
            // many.
            _ if !text.is_empty()
                && text.len() < 4
                && text.iter().all(|&letter| self.code(letter) != 0) =>
            {
                Err(Code::SwizzleLength)
            }
            _ => Err(Code::UnexpectedToken),
        }
    }

    /// Returns the suffix of four characters of one set.
    #[inline]
    fn four(self, letters: [u8; 4]) -> Option<Suffix> {
        let codes = letters.map(|letter| self.code(letter));
        // A set that contains all four characters: its bit is in each code.
        let set = codes[0] & codes[1] & codes[2] & codes[3] & (XYZW | RGBA);
        (set != 0).then(|| Suffix::four(Swizzle::new(codes)))
    }

    /// Parses the characters of a write mask, without the point.
    #[inline]
    pub(crate) fn mask(self, text: &[u8]) -> Result<WriteMask, Code> {
        let mut mask = 0u8;
        let mut sets = XYZW | RGBA;
        for &letter in text {
            let code = self.code(letter);
            // Five characters cannot be in order. Such a word is not treated as a mask with a
            // mistake.
            if code == 0 || text.len() > 4 {
                return Err(Code::UnexpectedToken);
            }
            let bit = 1 << (code & 3);
            // Components in order have increasing bits, so this refuses repeated ones, too.
            if mask >= bit {
                return Err(Code::MaskOrder);
            }
            mask |= bit;
            sets &= code;
        }
        if sets == 0 {
            Err(Code::SwizzleMixed)
        } else {
            Ok(WriteMask(mask))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_have_one_or_four_letters() {
        let decode_suffix = |text: &[u8]| Letters(&BOTH_SETS).suffix(text);
        assert_eq!(decode_suffix(b"y"), Ok(Suffix::one(1)));
        assert_eq!(decode_suffix(b"a"), Ok(Suffix::one(3)));
        assert_eq!(
            decode_suffix(b"wzyx"),
            Ok(Suffix::four(Swizzle::new([3, 2, 1, 0])))
        );
        assert_eq!(
            decode_suffix(b"bgra"),
            Ok(Suffix::four(Swizzle::new([2, 1, 0, 3])))
        );
        assert_eq!(decode_suffix(b"xyz"), Err(Code::SwizzleLength));
        assert_eq!(decode_suffix(b"xyba"), Err(Code::SwizzleMixed));
        assert_eq!(decode_suffix(b"s"), Err(Code::UnexpectedToken));
        assert_eq!(decode_suffix(b"xyzwx"), Err(Code::UnexpectedToken));
    }

    #[test]
    fn masks_are_in_order() {
        let decode_mask = |text: &[u8]| Letters(&BOTH_SETS).mask(text);
        assert_eq!(decode_mask(b"xyzw"), Ok(WriteMask(15)));
        assert_eq!(decode_mask(b"ga"), Ok(WriteMask(10)));
        assert_eq!(decode_mask(b"yx"), Err(Code::MaskOrder));
        assert_eq!(decode_mask(b"xx"), Err(Code::MaskOrder));
        assert_eq!(decode_mask(b"xg"), Err(Code::SwizzleMixed));
        assert_eq!(decode_mask(b"xq"), Err(Code::UnexpectedToken));
    }

    #[test]
    fn some_languages_have_one_set_of_letters() {
        let letters = Letters::of(Dialect::ArbVp1_0);
        assert_eq!(letters.suffix(b"rrrr"), Err(Code::UnexpectedToken));
        assert_eq!(letters.mask(b"r"), Err(Code::UnexpectedToken));
        assert_eq!(letters.mask(b"xw"), Ok(WriteMask(9)));
    }
}
