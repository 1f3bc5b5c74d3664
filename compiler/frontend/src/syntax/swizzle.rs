//! Component characters: swizzle suffixes of operands and write masks.

use crate::ast::Suffix;
use crate::codes::Code;
use crate::source::Dialect;
use glasm_ir::{Swizzle, WriteMask};

/// Set of component characters, by byte: lane in the low bits, 4 for `rgba`, 8 for `xyzw`; 0 for
/// other bytes.
type ComponentTable = [u8; 256];

/// Returns the table from a character to its component and the bit of the set that it belongs to,
/// for two sets; 0 for other characters.
const fn build_component_table(letters: [(&[u8; 4], u8); 2]) -> ComponentTable {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 2 {
        let (word, set_bit) = letters[set];
        let mut lane = 0;
        while lane < 4 {
            table[word[lane] as usize] = set_bit | lane as u8;
            lane += 1;
        }
        set += 1;
    }
    table
}

static BOTH_SETS: ComponentTable = build_component_table([(b"xyzw", XYZW), (b"rgba", RGBA)]);
// The same characters twice, because the table takes two sets.
static ONE_SET: ComponentTable = build_component_table([(b"xyzw", XYZW), (b"xyzw", XYZW)]);
const RGBA: u8 = 4;
const XYZW: u8 = 8;

/// Component characters of a language.
#[derive(Clone, Copy)]
pub(crate) struct SwizzleSyntax(&'static ComponentTable);

impl SwizzleSyntax {
    /// Returns the component characters of a language: `xyzw`, and `rgba` where it has them.
    pub(crate) fn for_dialect(dialect: Dialect) -> Self {
        if dialect.traits().rgba_components {
            Self(&BOTH_SETS)
        } else {
            Self(&ONE_SET)
        }
    }

    /// Returns the table entry of a character: the number of the component that it selects, with
    /// the bit of its set; 0 for characters that select none.
    fn component_code(self, letter: u8) -> u8 {
        self.0[letter as usize]
    }

    /// Returns the component that a character selects, and the bits of the sets that contain it;
    /// `None` for other characters.
    pub(super) fn component(self, letter: u8) -> Option<(u8, u8)> {
        let code = self.component_code(letter);
        (code != 0).then_some((code & 3, code & (XYZW | RGBA)))
    }

    /// Parses the characters of a suffix, without the point: one component or four of one set.
    /// Fails for mixed sets, two or three components, and other words, with a separate code for
    /// each.
    pub(crate) fn parse_suffix(self, text: &[u8]) -> Result<Suffix, Code> {
        match *text {
            [one] => match self.component_code(one) {
                0 => Err(Code::UnexpectedToken),
                code => Ok(Suffix::from_component(code & 3)),
            },
            [a, b, c, d] => match self.parse_four_components([a, b, c, d]) {
                Some(suffix) => Ok(suffix),
                None if text.iter().any(|&letter| self.component_code(letter) == 0) => {
                    Err(Code::UnexpectedToken)
                }
                None => Err(Code::SwizzleMixed),
            },
            // Suffixes of two or three components have a separate message: masks may have that
            // many.
            _ if !text.is_empty()
                && text.len() < 4
                && text.iter().all(|&letter| self.component_code(letter) != 0) =>
            {
                Err(Code::SwizzleLength)
            }
            _ => Err(Code::UnexpectedToken),
        }
    }

    /// Returns the suffix of four characters; `None` if they are not of one set.
    fn parse_four_components(self, letters: [u8; 4]) -> Option<Suffix> {
        let codes = letters.map(|letter| self.component_code(letter));
        // A set that contains all four characters: its bit is in each code.
        let set = codes[0] & codes[1] & codes[2] & codes[3] & (XYZW | RGBA);
        (set != 0).then(|| Suffix::from_swizzle(Swizzle::new(codes)))
    }

    /// Parses the characters of a write mask, without the point: up to four of one set in ascending
    /// order; none are an empty mask. Fails for mixed sets, another order, and other words, with a
    /// separate code for each.
    pub(crate) fn parse_mask(self, text: &[u8]) -> Result<WriteMask, Code> {
        let mut mask = 0u8;
        let mut sets = XYZW | RGBA;
        for &letter in text {
            let code = self.component_code(letter);
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
        let decode_suffix = |text: &[u8]| SwizzleSyntax(&BOTH_SETS).parse_suffix(text);
        assert_eq!(decode_suffix(b"y"), Ok(Suffix::from_component(1)));
        assert_eq!(decode_suffix(b"a"), Ok(Suffix::from_component(3)));
        assert_eq!(
            decode_suffix(b"wzyx"),
            Ok(Suffix::from_swizzle(Swizzle::new([3, 2, 1, 0])))
        );
        assert_eq!(
            decode_suffix(b"bgra"),
            Ok(Suffix::from_swizzle(Swizzle::new([2, 1, 0, 3])))
        );
        assert_eq!(decode_suffix(b"xyz"), Err(Code::SwizzleLength));
        assert_eq!(decode_suffix(b"xyba"), Err(Code::SwizzleMixed));
        assert_eq!(decode_suffix(b"s"), Err(Code::UnexpectedToken));
        assert_eq!(decode_suffix(b"xyzwx"), Err(Code::UnexpectedToken));
    }

    #[test]
    fn masks_are_in_order() {
        let decode_mask = |text: &[u8]| SwizzleSyntax(&BOTH_SETS).parse_mask(text);
        assert_eq!(decode_mask(b"xyzw"), Ok(WriteMask(15)));
        assert_eq!(decode_mask(b"ga"), Ok(WriteMask(10)));
        assert_eq!(decode_mask(b"yx"), Err(Code::MaskOrder));
        assert_eq!(decode_mask(b"xx"), Err(Code::MaskOrder));
        assert_eq!(decode_mask(b"xg"), Err(Code::SwizzleMixed));
        assert_eq!(decode_mask(b"xq"), Err(Code::UnexpectedToken));
    }

    #[test]
    fn some_languages_have_one_set_of_letters() {
        let letters = SwizzleSyntax::for_dialect(Dialect::ArbVp1_0);
        assert_eq!(letters.parse_suffix(b"rrrr"), Err(Code::UnexpectedToken));
        assert_eq!(letters.parse_mask(b"r"), Err(Code::UnexpectedToken));
        assert_eq!(letters.parse_mask(b"xw"), Ok(WriteMask(9)));
    }
}
