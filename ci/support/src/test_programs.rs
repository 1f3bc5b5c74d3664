//! Test programs in the JSON messages of cargo.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// A program that cargo has built from tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestProgram {
    /// Name of the target: of the file in `tests`, or of the library or program with unit tests.
    pub target: String,
    /// The executable.
    pub path: PathBuf,
    /// Directory of its package, in which it runs.
    pub package_dir: PathBuf,
}

impl TestProgram {
    /// Returns the directory name of the package and the target: `glvendor clients`.
    pub fn name(&self) -> String {
        let package = self.package_dir.file_name().unwrap_or_default();
        format!("{} {}", package.display(), self.target)
    }
}

/// Returns the test programs in cargo's output with `--message-format json`, in its order.
pub fn list_test_programs(output: &[u8]) -> Vec<TestProgram> {
    let programs = parse_json_lines(output).filter_map(|message| {
        if !message["profile"]["test"].as_bool()? {
            return None;
        }
        Some(TestProgram {
            target: message["target"]["name"].as_str()?.to_owned(),
            path: message["executable"].as_str()?.into(),
            package_dir: Path::new(message["manifest_path"].as_str()?)
                .parent()?
                .to_owned(),
        })
    });
    programs.collect()
}

/// Parses the lines of cargo's JSON output; other lines are skipped.
pub fn parse_json_lines(output: &[u8]) -> impl Iterator<Item = Value> {
    output
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages as cargo documents them ("External tools", "JSON messages"), shortened.
    #[test]
    fn programs_are_those_with_tests() {
        let output = br#"{"reason":"compiler-message","message":{"level":"warning"}}
not JSON
{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"name":"a"},"profile":{"test":false},"executable":"/t/a"}
{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"name":"a"},"profile":{"test":true},"executable":null}
{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"name":"clients"},"profile":{"test":true},"executable":"/t/clients-1"}
{"reason":"build-finished","success":true}"#;
        let expected = TestProgram {
            target: "clients".to_owned(),
            path: "/t/clients-1".into(),
            package_dir: "/w/a".into(),
        };
        assert_eq!(expected.name(), "a clients");
        assert_eq!(list_test_programs(output), [expected]);
    }
}
