//! Former spellings of words, which older scripts use.

use super::{Script, parse};

/// A word with a former spelling in a line.
struct FormerWord {
    /// Sections before the line, and the header of its section.
    before: &'static str,
    /// The line with the former spelling.
    former: &'static str,
    /// The same line with the present spelling.
    present: &'static str,
}

const FORMER_WORDS: &[FormerWord] = &[
    FormerWord {
        before: "[require]\n",
        former: "without shaderInt64",
        present: "lacks shaderInt64",
    },
    FormerWord {
        before: "[test]\n",
        former: "track 4 mvp",
        present: "track_matrix 4 mvp",
    },
    FormerWord {
        before: "[vertex state program]\n!!VSP1.0\nMOV c[0], v[0];\nEND\n[test]\n",
        former: "state program (1, 2, 3, 4)",
        present: "execute program (1, 2, 3, 4)",
    },
    FormerWord {
        before: "[test]\n",
        former: "probe samples == 16",
        present: "probe samples_passed == 16",
    },
    FormerWord {
        before: "[fragment program]\n!!NVfp4.0\nEND\n[test]\n",
        former: "probe count fragment texture_indirections <= 4",
        present: "probe program fragment texture_indirections <= 4",
    },
    FormerWord {
        before: "[compute program]\n!!NVcp5.0\nEND\n[test]\n",
        former: "compute 1 2 3 group 4 5 6",
        present: "compute 1 2 3 local_size 4 5 6",
    },
];

#[test]
fn former_words_are_synonyms() {
    for word in FORMER_WORDS {
        let [former, present] = [word.former, word.present].map(|line| Script {
            // All but the text itself must be equal.
            text: Default::default(),
            ..parse(&format!("{}{line}\n", word.before))
        });
        assert_eq!(former, present, "{}", word.former);
    }
}

#[test]
fn former_commands_are_in_the_table() {
    for (former, present) in super::test::FORMER_COMMANDS {
        let first_word = |line: &'static str| line.split(' ').next();
        let is_listed = |word: &FormerWord| {
            (first_word(word.former), first_word(word.present)) == (Some(former), Some(present))
        };
        assert!(FORMER_WORDS.iter().any(is_listed), "{former}");
    }
}
