//! The letters that select components: suffixes of operands and write masks.

use crate::ast::Suffix;
use crate::codes::Code;
use crate::source::Dialect;
use glasm_ir::{Swizzle, WriteMask};

/// A set of component letters, by byte: lane in the low bits, 4 for `rgba`, 8 for `xyzw`; 0 for other bytes.
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
// The same letters twice, because the table takes two sets.
static ONE_SET: LetterTable = letter_table([(b"xyzw", XYZW), (b"xyzw", XYZW)]);
const RGBA: u8 = 4;
const XYZW: u8 = 8;

/// The letters that select components in a language.
#[derive(Clone, Copy)]
pub(crate) struct Letters(&'static LetterTable);

impl Letters {
    /// The letters of a language: vertex programs of the ARB family have no `rgba`.
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

    /// The component of a letter, and the set that it is of.
    pub(super) fn component(self, letter: u8) -> Option<(u8, u8)> {
        let code = self.code(letter);
        (code != 0).then_some((code & 3, code & (XYZW | RGBA)))
    }

    /// The suffix that the letters behind a point spell.
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
            // Two or three letters have a message of their own: masks may have that many.
            _ if !text.is_empty()
                && text.len() < 4
                && text.iter().all(|&letter| self.code(letter) != 0) =>
            {
                Err(Code::SwizzleLength)
            }
            _ => Err(Code::UnexpectedToken),
        }
    }

    /// The suffix of four letters of one set.
    #[inline]
    fn four(self, letters: [u8; 4]) -> Option<Suffix> {
        let codes = letters.map(|letter| self.code(letter));
        // A set that all four letters are of: its bit is in each code.
        let set = codes[0] & codes[1] & codes[2] & codes[3] & (XYZW | RGBA);
        (set != 0).then(|| Suffix::four(Swizzle::new(codes)))
    }

    /// The write mask that the letters behind a point spell.
    #[inline]
    pub(crate) fn mask(self, text: &[u8]) -> Result<WriteMask, Code> {
        let mut mask = 0u8;
        let mut sets = XYZW | RGBA;
        for &letter in text {
            let code = self.code(letter);
            // Five letters cannot be in order. They are no mask at all rather than one with a mistake.
            if code == 0 || text.len() > 4 {
                return Err(Code::UnexpectedToken);
            }
            let bit = 1 << (code & 3);
            // Components in order have growing bits, so this refuses repeated ones, too.
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
