//! Broken programs: valid ones with a few words changed, and sequences of valid words in no order.

use crate::rng::Rng;
use crate::scripts;

/// Words that no script should hold.
const ODD: &[&str] = &[
    "!!NVfp5.0",
    "!!NVvp5.0",
    "!!NVcp5.0",
    "!!NVgp5.0",
    "!!NVtcp5.0",
    "!!NVtep5.0",
    "!!ARBfp1.0",
    "!!VP1.0",
    "!!VP1.1",
    "!!VP2.0",
    "!!FP1.0",
    "VERT",
    "FRAG",
    "COMP",
    "END",
    "OPTION",
    "4294967295",
    "-2147483648",
    "1e39",
    "0x",
    "0xFFFFFFFFFFFFFFFF",
    "1e-46",
    ".5.",
    "..",
    "a[",
    "]",
    "{",
    "}",
    "\"",
    "\u{e9}",
    "program.local[4294967296]",
    "state.matrix.mvp.row[0..3]",
    "$",
    "_",
    "IF",
    "ELSE",
    "ENDIF",
    "REP",
    "ENDREP",
    "CAL",
    "RET",
    "BRK",
    "main:",
    "v[16]",
    "v[A0.x]",
    "o[CLP6]",
    "c[A0.x+255]",
    "c[A1.w-4294967296]",
    "f[TEX8]",
    "p[4294967295]",
    "R4294967296",
    "H64",
    "A2",
    "TEX16",
    "RC",
    "HC",
    "DEFINE",
    "DECLARE",
    "ADDXC_SAT",
    "PRIMITIVE_IN",
    "VERTICES_OUT",
    "TESS_MODE",
    "PASSTHROUGH",
    "EMITS",
    "vertex.out[4294967295].position",
    "vertex[i.x].attrib[0]",
    "primitive.out.patch.attrib[3..1]",
    "a[i.x][4294967295]",
    "DCL",
    "PROPERTY",
    "TEMP[4294967295]",
    "TEMP[ADDR[0].x+4294967295](1)",
    "CONST[1][ADDR[0].x]",
    "_SAT_PRECISE",
    "ENDIF :0",
    "BGNSUB",
    "IMM[0] FLT64 {0x7ff00000, 1e999}",
    "/*",
];

/// Words that programs are made of: those of all scripts, and some that no script should hold.
pub fn vocabulary() -> Vec<String> {
    let mut words: Vec<String> = ODD.iter().map(|word| (*word).to_owned()).collect();
    for program in scripts::all_programs() {
        words.extend(
            split(&program.text)
                .into_iter()
                .filter(|word| !word.trim().is_empty())
                .map(str::to_owned),
        );
    }
    words.sort();
    words.dedup();
    words
}

/// Splits a program into words, signs and runs of blanks; together they are the program again.
pub fn split(text: &str) -> Vec<&str> {
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' || c == '$' || c == '.' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            0
        }
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != kind(c) || last == 0) {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(kind(c));
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// Changes a few words of `program`.
pub fn mutate(program: &str, vocabulary: &[String], rng: &mut Rng) -> Vec<u8> {
    let mut words: Vec<String> = split(program).into_iter().map(str::to_owned).collect();
    for _ in 0..=rng.below(4) {
        if words.is_empty() {
            break;
        }
        let at = rng.below(words.len());
        let other = rng.below(words.len());
        match rng.below(7) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other].clone()),
            2 => words.swap(at, other),
            3 => words[at].clone_from(rng.pick(vocabulary)),
            4 => words.insert(at, rng.pick(vocabulary).clone()),
            5 => words.truncate(at),
            _ => {
                let (from, to) = (at.min(other), at.max(other));
                let piece = words[from..to.min(from + 200)].to_vec();
                words.splice(at..at, piece);
            }
        }
    }
    let mut bytes = words.concat().into_bytes();
    if rng.percent(20) && !bytes.is_empty() {
        let at = rng.below(bytes.len());
        bytes[at] = rng.bits().to_le_bytes()[0];
    }
    bytes
}

/// A header and `count` words in no order.
pub fn soup(vocabulary: &[String], count: usize, rng: &mut Rng) -> String {
    const HEADERS: &[&str] = &[
        "!!NVfp5.0",
        "!!NVvp5.0",
        "!!NVcp5.0",
        "!!NVgp4.0 PRIMITIVE_IN LINES; PRIMITIVE_OUT POINTS; VERTICES_OUT 2;",
        "!!NVgp5.0 PRIMITIVE_IN PATCHES; PRIMITIVE_OUT POINTS; VERTICES_OUT 2;",
        "!!NVtcp5.0 VERTICES_OUT 4;",
        "!!NVtep5.0 TESS_MODE QUADS;",
        "!!VP1.1",
        "!!VP2.0",
        "!!FP1.0",
        "VERT DCL IN[0..1] DCL OUT[0], POSITION DCL TEMP[0..3] DCL ADDR[0]",
        "FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL TEMP[0..3] DCL SAMP[0] DCL CONST[0..3]",
        "GEOM PROPERTY GS_INPUT_PRIMITIVE LINES DCL IN[][0], POSITION DCL OUT[0], POSITION DCL TEMP[0..3]",
        "COMP DCL BUFFER[0] DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT DCL MEMORY[0], SHARED DCL TEMP[0..3]",
    ];
    const GAPS: &[&str] = &[" ", " ", "\n", ";\n", ", ", ""];
    let mut text = String::from(*rng.pick(HEADERS));
    for _ in 0..count {
        let gap: &&str = rng.pick(GAPS);
        text.push_str(gap);
        text.push_str(rng.pick(vocabulary).as_str());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{mutate, soup, split, vocabulary};
    use crate::rng::Rng;

    #[test]
    fn words_make_up_the_program_again() {
        let text = "!!NVfp5.0\nMOV result.color.xy, -{1, 2.5e3}; # \u{e9}\nEND";
        let words = split(text);
        assert_eq!(words.concat(), text);
        assert!(
            words.contains(&"result.color.xy") && words.contains(&"{") && words.contains(&"2.5e3")
        );
    }

    #[test]
    fn equal_seeds_give_equal_mutants() {
        let words = vocabulary();
        let make = |seed| {
            mutate(
                "!!NVfp5.0\nMOV result.color, 1;\nEND",
                &words,
                &mut Rng::new(seed),
            )
        };
        assert_eq!(make(3), make(3));
        assert!((0..20).any(|seed| make(seed) != make(3)));
        let text = soup(&words, 20, &mut Rng::new(1));
        assert!(crate::scripts::is_program(&text), "{text}");
    }
}
