//! The examples of the script language's manual, `docs/scripts.md`.
//!
//! A fenced block with the info string `shader_test` is a complete script, which the tests run.

use std::io;
use std::path::{Path, PathBuf};

/// The manual, below the repository root.
pub const MANUAL: &str = "docs/scripts.md";

/// A complete script in the manual.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The heading above it.
    pub heading: String,
    /// Line of the manual, from 1, on which the script starts.
    pub line: usize,
    /// The script.
    pub text: String,
}

impl Example {
    /// `docs/scripts.md:12 (Comparing)`
    pub fn name(&self) -> String {
        format!("{MANUAL}:{} ({})", self.line, self.heading)
    }

    /// Writes the script into `folder`, after as many empty lines as stand before it in the manual: lines in reports are lines of
    /// the manual.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        let words: Vec<String> = self
            .heading
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        let file = folder.join(format!("{:04}-{}.shader_test", self.line, words.join("-")));
        let text = format!("{}{}", "\n".repeat(self.line - 1), self.text);
        std::fs::write(&file, text)?;
        Ok(file)
    }
}

/// The complete scripts in the text of a manual.
pub fn examples(manual: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut heading = "";
    let mut info = None;
    for (line, number) in manual.split_inclusive('\n').zip(1..) {
        match (line.strip_prefix("```"), info) {
            (Some(_), Some(_)) => info = None,
            (Some(word), None) => {
                info = Some(word.trim());
                if info == Some("shader_test") {
                    examples.push(Example {
                        heading: heading.to_owned(),
                        line: number + 1,
                        text: String::new(),
                    });
                }
            }
            (None, Some("shader_test")) => {
                if let Some(example) = examples.last_mut() {
                    example.text.push_str(line);
                }
            }
            (None, Some(_)) => {}
            (None, None) if line.starts_with('#') => {
                heading = line.trim_start_matches('#').trim();
            }
            (None, None) => {}
        }
    }
    examples
}

/// The complete scripts in the manual of the repository at `root`.
///
/// # Errors
/// If the manual cannot be read.
pub fn read_examples(root: &Path) -> io::Result<Vec<Example>> {
    std::fs::read_to_string(root.join(MANUAL)).map(|manual| examples(&manual))
}

#[cfg(test)]
mod tests {
    use super::examples;

    #[test]
    fn only_blocks_that_are_called_scripts_are_examples() {
        let manual = "# Manual\n## One `[test]`\n```\n# text\n```\n```shader_test\n[test]\n# no heading\n```\n\
                      ## Two\n```sh\nls\n```\n### Three\n```shader_test\nclear\n";
        let found = examples(manual);
        let facts: Vec<_> = found
            .iter()
            .map(|example| {
                (
                    example.line,
                    example.heading.as_str(),
                    example.text.as_str(),
                )
            })
            .collect();
        assert_eq!(
            facts,
            [
                (7, "One `[test]`", "[test]\n# no heading\n"),
                (16, "Three", "clear\n")
            ]
        );
        assert_eq!(found[1].name(), "docs/scripts.md:16 (Three)");
    }

    #[test]
    fn files_keep_the_lines_of_the_manual() {
        let folder = std::env::temp_dir().join(format!("glasm-manual-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let example = &examples("\n\n## One `[test]`\n```shader_test\n[test]\n```\n")[0];
        let file = example.write(&folder).unwrap();
        assert_eq!(file, folder.join("0005-one-test.shader_test"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "\n\n\n\n[test]\n");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
