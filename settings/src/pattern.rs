//! Patterns of names.

use std::fmt::{self, Display};

/// Pattern of a name: `*` is any number of characters, `?` is one; the case matters, except of file
/// names that end with `.exe`, which Windows compares without it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    text: String,
}

impl Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    /// Creates a pattern. Errs with a message if no name can match: empty text, path separators and
    /// control characters.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("the pattern is empty".to_owned());
        }
        if text.contains(['/', '\\']) {
            return Err(format!(
                "the pattern `{text}` is a path: names have no directories"
            ));
        }
        if text.contains(char::is_control) {
            return Err("the pattern has a control character".to_owned());
        }
        Ok(Self {
            text: text.to_owned(),
        })
    }

    /// Returns true if the whole name matches. The time is at most the product of both lengths.
    pub fn matches(&self, name: &str) -> bool {
        let ignores_case = ends_with_exe(&self.text);
        let fold = |text: &str| -> Vec<char> {
            let fold_letter = |letter: char| {
                if ignores_case {
                    letter.to_lowercase().next().unwrap_or(letter)
                } else {
                    letter
                }
            };
            text.chars().map(fold_letter).collect()
        };
        matches_letters(&fold(&self.text), &fold(name))
    }
}

/// Returns true if a name or pattern is that of a Windows program.
pub(crate) fn ends_with_exe(name: &str) -> bool {
    let start = name.len().saturating_sub(4);
    name.is_char_boundary(start) && name[start..].eq_ignore_ascii_case(".exe")
}

/// Matches without recursion: after a mismatch the last `*` takes one more character.
fn matches_letters(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                last_star = Some((at, read));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[read] => {
                at += 1;
                read += 1;
            }
            Some(_) | None => {
                let Some((star, taken)) = last_star else {
                    return false;
                };
                last_star = Some((star, taken + 1));
                at = star + 1;
                read = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches(name)
    }

    #[test]
    fn stars_and_question_marks_match() {
        for (pattern, name) in [
            ("game", "game"),
            ("*", ""),
            ("*", "game"),
            ("g*e", "ge"),
            ("g*e", "game.e"),
            ("g?me", "game"),
            ("*a*b*", "xxaxxbxx"),
            ("a*ab", "aaab"),
            ("?ü", "üü"),
            ("**x", "x"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("game", "games"),
            ("game", "Game"),
            ("g?me", "gme"),
            ("?", ""),
            ("a*b", "abc"),
            ("*a*b*", "ba"),
            ("", "x"),
        ] {
            let found = Pattern::parse(pattern).is_ok_and(|it| it.matches(name));
            assert!(!found, "{pattern} {name}");
        }
    }

    #[test]
    fn windows_programs_have_no_case() {
        assert!(matches("Game.exe", "GAME.EXE"));
        assert!(matches("g*.EXE", "Game.exe"));
        assert!(!matches("Game", "game"));
        assert!(!matches("*.exe.bin", "game.EXE.bin"));
    }

    #[test]
    fn patterns_that_match_nothing_are_errors() {
        for text in ["", "bin/game", "C:\\game.exe", "a\nb"] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }

    /// Checks that many stars do not take exponential time.
    #[test]
    fn stars_are_matched_quickly() {
        let pattern = "*a".repeat(50) + "b";
        assert!(!matches(&pattern, &"a".repeat(2000)));
    }
}
