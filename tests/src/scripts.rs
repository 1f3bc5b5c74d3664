//! The `.shader_test` files of the repository and the programs in them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The folders that hold scripts, below the repository root.
pub const FOLDERS: [&str; 2] = ["tests/cases/run", "shaders"];

/// The repository root.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
}

/// All scripts, sorted by path.
pub fn find() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut stack: Vec<PathBuf> = FOLDERS
        .iter()
        .map(|folder| repository().join(folder))
        .collect();
    while let Some(dir) = stack.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                stack.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "shader_test")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Path of a script relative to the repository root, with `/` on every system.
pub fn name(script: &Path) -> String {
    script
        .strip_prefix(repository())
        .unwrap_or(script)
        .to_string_lossy()
        .replace('\\', "/")
}

/// A program string in a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Script and section: `shaders/torus.shader_test [vertex program]`.
    pub name: String,
    /// The program string.
    pub text: String,
    /// Whether the script expects it to load.
    pub expected: Expected,
    /// Whether the script says `tgsi old`, which decides what loads.
    pub tgsi_old: bool,
}

/// What a script says about loading its programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expected {
    /// All its programs load.
    Loads,
    /// `expect error`: some program of the script does not.
    Fails,
}

/// The assembly programs of one script.
pub fn programs(script: &Path) -> Vec<Program> {
    // Some scripts hold bytes that are no text, to test what those do.
    let text = std::fs::read(script).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let name = name(script);
    sections(&text)
        .into_iter()
        .filter(|(header, body)| header.ends_with(" program]") && is_program(body))
        .map(|(header, body)| Program {
            name: format!("{name} {header}"),
            text: body,
            expected: expected(&text),
            tgsi_old: text.lines().any(|line| line.trim_end() == "tgsi old"),
        })
        .collect()
}

/// The first words of TGSI texts.
pub const PROCESSORS: [&str; 6] = ["VERT", "FRAG", "GEOM", "TESS_CTRL", "TESS_EVAL", "COMP"];

/// Whether a text starts with a header, known or not, or the word of a TGSI processor.
pub fn is_program(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let first = words.next().unwrap_or_default();
    let mut processors = PROCESSORS.iter();
    text.starts_with("!!") || processors.any(|word| word.eq_ignore_ascii_case(first))
}

/// The assembly programs of all scripts.
pub fn all_programs() -> Vec<Program> {
    find().iter().flat_map(|script| programs(script)).collect()
}

/// Returns the different assembly programs of all scripts, each from the first script that has it. A
/// fifth of [`all_programs`] repeats others.
pub fn distinct_programs() -> Vec<Program> {
    let mut known = HashSet::new();
    let mut programs = all_programs();
    programs.retain(|it| {
        let section = it
            .name
            .rsplit_once(" [")
            .map(|(_, section)| section.to_owned());
        known.insert((section, it.text.clone(), it.expected, it.tgsi_old))
    });
    programs
}

fn expected(script: &str) -> Expected {
    let expects_error = script
        .lines()
        .any(|line| line.trim_start().starts_with("expect error"));
    if expects_error {
        Expected::Fails
    } else {
        Expected::Loads
    }
}

/// Headers such as `[test]` with the text that follows each.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let word = line.trim_end();
        if word.starts_with('[') && word.ends_with(']') {
            sections.push((word.to_owned(), String::new()));
        } else if let Some((_, body)) = sections.last_mut() {
            body.push_str(line);
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::{Expected, HashSet, Program, all_programs, distinct_programs, expected, sections};

    #[test]
    fn equal_programs_are_one() {
        let texts = |programs: Vec<Program>| -> HashSet<String> {
            programs.into_iter().map(|it| it.text).collect()
        };
        let (all, distinct) = (all_programs(), distinct_programs());
        assert!(distinct.len() < all.len());
        assert_eq!(texts(distinct), texts(all));
    }

    #[test]
    fn sections_are_split_at_their_headers() {
        let text = "# a comment\n[require]\nfbsize 1 1\n[fragment program]\n!!NVfp5.0\nEND\n";
        let found = sections(text);
        assert_eq!(
            found[0],
            ("[require]".to_owned(), "fbsize 1 1\n".to_owned())
        );
        assert_eq!(
            found[1],
            (
                "[fragment program]".to_owned(),
                "!!NVfp5.0\nEND\n".to_owned()
            )
        );
    }

    #[test]
    fn expected_errors_are_seen() {
        assert_eq!(expected("[test]\nexpect error E0201\n"), Expected::Fails);
        assert_eq!(expected("[test]\ndraw rect -1 -1 2 2\n"), Expected::Loads);
    }

    #[test]
    fn the_repository_has_programs_of_three_stages() {
        let programs = all_programs();
        for header in ["!!NVvp5.0", "!!NVfp5.0", "!!NVcp5.0"] {
            assert!(
                programs
                    .iter()
                    .any(|program| program.text.starts_with(header)),
                "{header}"
            );
        }
    }
}
