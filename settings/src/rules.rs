//! The files of rules of a system.

use crate::file::{MAX_FILE_SIZE, Problem, Rule, parse_rules};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Path of a file below the directories of configuration and data.
const FILE: &str = "glasm/applications.toml";

/// Variable with the file that was shipped with the command which starts the application. `glasm
/// gl` sets it, because the library does not know the command.
pub const SHIPPED_VARIABLE: &str = "GLASM_SHIPPED_APPLICATIONS";

/// Whether the environment and the files of the user are trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// They are.
    User,
    /// They are not: the process has more privileges than its user. Only files of the system are
    /// read.
    System,
}

/// Result of reading a file of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contents {
    /// The file does not exist.
    Missing,
    /// Its rules.
    Rules(Vec<Rule>),
    /// Its first error; none of its rules apply.
    Invalid(Problem),
}

/// File of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleFile {
    /// Path.
    pub path: PathBuf,
    /// Contents.
    pub contents: Contents,
}

/// Rules of all files.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    /// Files, from the one that takes precedence over all others.
    pub files: Vec<RuleFile>,
}

impl RuleSet {
    /// Reads all files that the environment of this process selects.
    pub fn read(trust: Trust) -> Self {
        let paths = list_files(trust, |name| env::var_os(name));
        Self::read_files(paths)
    }

    /// Reads files, the first of which takes precedence.
    pub fn read_files(paths: Vec<PathBuf>) -> Self {
        let files = paths.into_iter().map(|path| RuleFile {
            contents: read_file(&path),
            path,
        });
        Self {
            files: files.collect(),
        }
    }

    /// Returns the errors of invalid files.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.files.iter().filter_map(|file| match &file.contents {
            Contents::Invalid(problem) => Some(problem),
            Contents::Missing | Contents::Rules(_) => None,
        })
    }

    /// Returns all rules; those that take precedence come first: of the first file, and of a file
    /// the last ones.
    pub fn rules_by_precedence(&self) -> impl Iterator<Item = &Rule> {
        self.files.iter().flat_map(|file| {
            let rules = match &file.contents {
                Contents::Rules(rules) => &**rules,
                Contents::Missing | Contents::Invalid(_) => &[],
            };
            rules.iter().rev()
        })
    }
}

/// Returns the paths of files of rules, whether or not they exist, those that take precedence
/// first: of the user, of the directories of data, and of the package of the command. `variable`
/// returns variables; relative paths in them are ignored.
pub fn list_files(trust: Trust, variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let variable = |name: &str| match trust {
        Trust::User => variable(name),
        Trust::System => None,
    };
    let absolute = |name: &str| {
        let path = variable(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let directories = if cfg!(windows) {
        list_windows_directories(absolute)
    } else {
        list_xdg_directories(absolute, variable("XDG_DATA_DIRS"))
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    let candidates = directories.into_iter().map(|dir| dir.join(FILE));
    for path in candidates.chain(absolute(SHIPPED_VARIABLE)) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Returns the directories of configuration and data of Windows: of the user, then of the machine.
/// `absolute` returns variables with an absolute path.
fn list_windows_directories(absolute: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    ["APPDATA", "ProgramData"]
        .into_iter()
        .filter_map(absolute)
        .collect()
}

/// Returns the directories of configuration and data of the XDG Base Directory Specification.
/// `absolute` returns variables with an absolute path; `data` is a list of directories.
fn list_xdg_directories(
    absolute: impl Fn(&str) -> Option<PathBuf>,
    data: Option<OsString>,
) -> Vec<PathBuf> {
    let user = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    let data = data.filter(|dirs| !dirs.is_empty());
    let data = data.unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    let data = env::split_paths(&data).filter(|dir| dir.is_absolute());
    user.into_iter().chain(data).collect()
}

/// Returns the file that belongs to the command at a path: `../share/glasm/applications.toml`.
/// `None` if there is none.
pub fn find_shipped_file(command: &Path) -> Option<PathBuf> {
    let prefix = command.parent()?.parent()?;
    let path = prefix.join("share").join(FILE);
    path.is_file().then_some(path)
}

/// Reads and parses a file. Files that are not regular are not opened: reading a pipe would block.
fn read_file(path: &Path) -> Contents {
    let invalid = |message: String| {
        Contents::Invalid(Problem {
            file: path.to_owned(),
            line: 1,
            column: 1,
            message,
        })
    };
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return invalid("it is not a regular file".to_owned()),
        Err(error) if is_missing(&error) => return Contents::Missing,
        Err(error) => return invalid(error.to_string()),
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| {
        let mut bounded = file.take(MAX_FILE_SIZE + 1);
        bounded.read_to_end(&mut bytes)
    });
    match read {
        Err(error) => invalid(error.to_string()),
        Ok(size) if size as u64 > MAX_FILE_SIZE => {
            invalid(format!("it is larger than {MAX_FILE_SIZE} bytes"))
        }
        Ok(_) => match parse_rules(path, &bytes) {
            Ok(rules) => Contents::Rules(rules),
            Err(problem) => Contents::Invalid(problem),
        },
    }
}

/// Returns true if an error says that a file or a directory above it does not exist, or that
/// the user may not look there.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(trust: Trust, variables: &[(&str, &str)]) -> Vec<String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let paths = list_files(trust, variable);
        paths
            .iter()
            .map(|path| path.display().to_string())
            .collect()
    }

    #[test]
    fn files_are_those_of_the_specification() {
        let defaults = [
            "/usr/local/share/glasm/applications.toml",
            "/usr/share/glasm/applications.toml",
        ];
        assert_eq!(list(Trust::User, &[]), defaults);
        let home = list(Trust::User, &[("HOME", "/home/u"), ("XDG_DATA_DIRS", "")]);
        assert_eq!(home[0], "/home/u/.config/glasm/applications.toml");
        assert_eq!(home[1..], defaults);
        let variables = [
            ("HOME", "/home/u"),
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_DATA_DIRS", "/a:relative::/b:/a"),
            (SHIPPED_VARIABLE, "/opt/share/glasm/applications.toml"),
        ];
        let all = [
            "/c/glasm/applications.toml",
            "/a/glasm/applications.toml",
            "/b/glasm/applications.toml",
            "/opt/share/glasm/applications.toml",
        ];
        assert_eq!(list(Trust::User, &variables), all);
        assert_eq!(list(Trust::System, &variables), defaults);
        let relative = [("HOME", "/home/u"), ("XDG_CONFIG_HOME", "c")];
        assert_eq!(
            list(Trust::User, &relative)[0],
            "/home/u/.config/glasm/applications.toml"
        );
    }

    #[test]
    fn directories_of_windows_are_those_of_the_user_and_the_machine() {
        let absolute = |name: &str| match name {
            "APPDATA" => Some(PathBuf::from("C:\\Users\\u\\AppData\\Roaming")),
            "ProgramData" => Some(PathBuf::from("C:\\ProgramData")),
            _ => None,
        };
        let expected = ["C:\\Users\\u\\AppData\\Roaming", "C:\\ProgramData"];
        assert_eq!(
            list_windows_directories(absolute),
            expected.map(PathBuf::from)
        );
        assert!(list_windows_directories(|_| None).is_empty());
    }

    #[test]
    fn files_are_bounded_and_regular() {
        let directory = env::temp_dir().join(format!("glasm-rules-{}", std::process::id()));
        fs::create_dir_all(directory.join("share/glasm")).unwrap();
        let write = |name: &str, text: &[u8]| {
            let path = directory.join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let limit = usize::try_from(MAX_FILE_SIZE).unwrap();
        let largest = write("largest", &vec![b'\n'; limit]);
        let larger = write("larger", &vec![b'\n'; limit + 1]);
        assert_eq!(read_file(&largest), Contents::Rules(Vec::new()));
        let message = |path: &Path| {
            let set = RuleSet::read_files(vec![path.to_owned()]);
            let problem = set.problems().next().map(ToString::to_string);
            problem.unwrap_or_default()
        };
        let expected = format!("{}:1:1: it is larger than 1048576 bytes", larger.display());
        assert_eq!(message(&larger), expected);
        assert!(message(&directory).ends_with(":1:1: it is not a regular file"));
        assert_eq!(read_file(&directory.join("none")), Contents::Missing);
        assert_eq!(read_file(&largest.join("none")), Contents::Missing);
        let command = directory.join("bin/glasm");
        assert_eq!(find_shipped_file(&command), None);
        let shipped = write("share/glasm/applications.toml", b"");
        assert_eq!(find_shipped_file(&command), Some(shipped));
        fs::remove_dir_all(&directory).unwrap();
    }

    /// Checks that the file that packages contain is valid.
    #[test]
    fn the_shipped_file_is_valid() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../share/applications.toml");
        let set = RuleSet::read_files(vec![path]);
        assert_eq!(set.problems().next(), None);
        assert!(matches!(set.files[0].contents, Contents::Rules(_)));
    }
}
