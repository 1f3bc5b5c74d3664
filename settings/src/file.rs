//! Files of rules: `[[application]]` tables in TOML.

use crate::pattern::Pattern;
use crate::table::{Kind, Moment, Setting, SettingInfo};
use crate::value::{self, Limit, Value};
use std::fmt::{self, Display};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// Maximum size of a file, in bytes.
pub const MAX_FILE_SIZE: u64 = 1 << 20;

/// Error in a file of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Description in one line.
    pub message: String,
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            message,
        } = self;
        write!(f, "{}:{line}:{column}: {message}", file.display())
    }
}

/// Setting of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSetting {
    /// The setting.
    pub setting: Setting,
    /// Its value.
    pub value: Value,
    /// Line of the setting, from 1.
    pub line: usize,
}

/// Rule for applications: all criteria that it has must match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// File that contains it.
    pub file: Arc<Path>,
    /// Line of the header of its table, from 1.
    pub line: usize,
    /// Name of the application, for messages.
    pub name: String,
    /// File name of the executable.
    pub executable: Option<Pattern>,
    /// Hash of the executable.
    pub sha256: Option<[u8; 32]>,
    /// Class of the window, the second string of `WM_CLASS`.
    pub window_class: Option<Pattern>,
    /// Settings in the order of their names.
    pub settings: Vec<RuleSetting>,
}

impl Rule {
    /// Describes the criteria: `executable "game*", window_class "Game"`.
    pub fn describe_criteria(&self) -> String {
        let executable = self.executable.as_ref();
        let hash = self.sha256.as_ref().map(format_hash);
        let class = self.window_class.as_ref();
        let criteria = [
            executable.map(|it| format!("executable \"{it}\"")),
            hash.map(|it| format!("sha256 {it}")),
            class.map(|it| format!("window_class \"{it}\"")),
        ];
        let criteria: Vec<String> = criteria.into_iter().flatten().collect();
        criteria.join(", ")
    }
}

/// Formats a hash as in files.
pub(crate) fn format_hash(hash: &[u8; 32]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Error at a range of bytes of a file.
struct Error {
    span: Range<usize>,
    message: String,
}

impl Error {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }

    /// Creates the error of a value of another type.
    fn wrong_type(key: &str, expected: &str, found: &Spanned<DeValue<'_>>) -> Self {
        let found_type = found.get_ref().type_str();
        let message = format!("`{key}` is of type {found_type}; expected: {expected}");
        Self::new(found.span(), message)
    }
}

/// Parses the rules of a file. Errs with the first error.
pub fn parse_rules(file: &Path, bytes: &[u8]) -> Result<Vec<Rule>, Problem> {
    let problem = |error: &Error, lines: &Lines<'_>| {
        let (line, column) = lines.locate(error.span.start);
        Problem {
            file: file.to_owned(),
            line,
            column,
            message: error.message.clone(),
        }
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let (valid, _) = bytes.split_at(error.valid_up_to());
        let end = valid.len();
        let message = "the file is not UTF-8 here";
        let valid = String::from_utf8_lossy(valid);
        problem(&Error::new(end..end, message), &Lines::new(&valid))
    })?;
    let lines = Lines::new(text);
    let (table, syntax_errors) = DeTable::parse_recoverable(text);
    let mut errors: Vec<Error> = syntax_errors
        .iter()
        .map(|error| {
            let message = error.message().trim().replace('\n', "; ");
            Error::new(error.span().unwrap_or(0..0), message)
        })
        .collect();
    if let Some(first) = errors.iter().min_by_key(|error| error.span.start) {
        return Err(problem(first, &lines));
    }
    let rules = read_document(&table, &Arc::from(file), &lines, &mut errors);
    match errors.iter().min_by_key(|error| error.span.start) {
        Some(error) => Err(problem(error, &lines)),
        None => Ok(rules),
    }
}

/// Text with the offsets of its lines: a file may have many rules, whose lines are looked up.
struct Lines<'a> {
    text: &'a str,
    /// Offsets of the first bytes of lines.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let after = text.match_indices('\n').map(|(newline, _)| newline + 1);
        let starts = std::iter::once(0).chain(after).collect();
        Self { text, starts }
    }

    /// Returns the line of a byte, from 1.
    fn find_line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// Returns the line and the column of a byte, both from 1; the column in characters.
    fn locate(&self, offset: usize) -> (usize, usize) {
        let line = self.find_line(offset);
        let start = self.starts[line - 1];
        let before = self.text.get(start..offset.min(self.text.len()));
        (line, before.map_or(1, |before| before.chars().count() + 1))
    }
}

/// Reads all rules of a document in source order, and appends the errors of all of them.
fn read_document(
    document: &Spanned<DeTable<'_>>,
    file: &Arc<Path>,
    lines: &Lines<'_>,
    errors: &mut Vec<Error>,
) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (key, value) in document.get_ref() {
        if key.get_ref() != "application" {
            let message = format!(
                "unknown key `{}`; rules are tables [[application]]",
                key.get_ref()
            );
            errors.push(Error::new(key.span(), message));
            continue;
        }
        let Some(tables) = value.get_ref().as_array() else {
            errors.push(Error::wrong_type("application", "[[application]]", value));
            continue;
        };
        for item in tables.iter() {
            match item.get_ref().as_table() {
                Some(table) => {
                    let start = item.span().start;
                    let rule = RuleReader {
                        file,
                        lines,
                        start,
                        errors,
                    };
                    rules.extend(rule.read(table));
                }
                None => errors.push(Error::wrong_type("application", "table", item)),
            }
        }
    }
    rules
}

/// Reader of a rule.
struct RuleReader<'a> {
    file: &'a Arc<Path>,
    lines: &'a Lines<'a>,
    /// Offset of its header.
    start: usize,
    errors: &'a mut Vec<Error>,
}

impl RuleReader<'_> {
    /// Reads a rule; `None` with errors if it is invalid.
    fn read(self, table: &DeTable<'_>) -> Option<Rule> {
        let errors_before = self.errors.len();
        let mut rule = Rule {
            file: Arc::clone(self.file),
            line: self.lines.find_line(self.start),
            name: String::new(),
            executable: None,
            sha256: None,
            window_class: None,
            settings: Vec::new(),
        };
        for (key, value) in table {
            let read = match &**key.get_ref() {
                "name" => read_string("name", value).and_then(|name| {
                    rule.name = read_name(name, value)?;
                    Ok(())
                }),
                "executable" => {
                    read_pattern("executable", value).map(|pattern| rule.executable = Some(pattern))
                }
                "window_class" => read_pattern("window_class", value)
                    .map(|pattern| rule.window_class = Some(pattern)),
                "sha256" => read_hash(value).map(|hash| rule.sha256 = Some(hash)),
                "settings" => {
                    let is_late = !table.contains_key("window_class");
                    self.read_settings(value, is_late, &mut rule)
                }
                other => Err(Error::new(
                    key.span(),
                    format!(
                        "unknown key `{other}`; a rule has name, executable, sha256, window_class and settings"
                    ),
                )),
            };
            self.errors.extend(read.err());
        }
        if self.errors.len() == errors_before {
            let span = self.start..self.start;
            let missing = find_missing_key(table);
            self.errors
                .extend(missing.map(|message| Error::new(span, message)));
        }
        (self.errors.len() == errors_before).then_some(rule)
    }

    /// Reads the settings of a rule. `allows_early` is true if the rule has no window class, so that
    /// it may contain settings that are read before windows exist.
    fn read_settings(
        &self,
        value: &Spanned<DeValue<'_>>,
        allows_early: bool,
        rule: &mut Rule,
    ) -> Result<(), Error> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(Error::wrong_type("settings", "table", value));
        };
        let mut first_error: Option<Error> = None;
        for (key, value) in table {
            match read_setting(key, value, allows_early) {
                Ok((info, value)) => rule.settings.push(RuleSetting {
                    setting: info.setting,
                    value,
                    line: self.lines.find_line(key.span().start),
                }),
                Err(error) => {
                    let is_first = first_error
                        .as_ref()
                        .is_none_or(|first| error.span.start < first.span.start);
                    if is_first {
                        first_error = Some(error);
                    }
                }
            }
        }
        first_error.map_or(Ok(()), Err)
    }
}

/// Returns a message if a rule lacks a key that it must have.
fn find_missing_key(rule: &DeTable<'_>) -> Option<&'static str> {
    let criteria = ["executable", "sha256", "window_class"];
    if !rule.contains_key("name") {
        Some("the rule has no `name`")
    } else if !criteria.iter().any(|key| rule.contains_key(*key)) {
        Some("the rule has none of executable, sha256 and window_class")
    } else if !rule.contains_key("settings") {
        Some("the rule has no `settings`")
    } else {
        None
    }
}

/// Reads a setting of a rule.
fn read_setting(
    key: &Spanned<toml::de::DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
    allows_early: bool,
) -> Result<(&'static SettingInfo, Value), Error> {
    let name: &str = key.get_ref();
    let Some(setting) = Setting::from_name(name) else {
        let names = crate::SETTINGS.iter().map(|row| row.name);
        let names: Vec<&str> = names.collect();
        let message = format!("unknown setting `{name}`; expected {}", names.join(", "));
        return Err(Error::new(key.span(), message));
    };
    let info = setting.info();
    if info.moment == Moment::Load && !allows_early {
        let message =
            format!("`{name}` is read before windows exist: no rule with window_class can set it");
        return Err(Error::new(key.span(), message));
    }
    Ok((info, read_value(info, value)?))
}

/// Reads the value of a setting.
fn read_value(info: &SettingInfo, value: &Spanned<DeValue<'_>>) -> Result<Value, Error> {
    let at_value = |message: String| Error::new(value.span(), message);
    let string = || read_string(info.name, value);
    match info.kind {
        Kind::Flag => {
            let flag = value.get_ref().as_bool();
            let flag = flag.ok_or_else(|| Error::wrong_type(info.name, "boolean", value))?;
            Ok(Value::Flag(flag))
        }
        Kind::Vendor => {
            let vendor = string()?;
            if vendor.is_empty() || vendor.contains(['/', '\0']) {
                let message = "`driver` is the name of a vendor, not a path";
                return Err(at_value(message.to_owned()));
            }
            Ok(Value::Vendor(vendor.into()))
        }
        Kind::Version => Ok(Value::Version(read_number(info.name, value)?)),
        Kind::Log => value::parse_log_level(string()?).map_err(at_value),
        Kind::Directory => {
            let path = Path::new(string()?);
            if !path.is_absolute() {
                let message = format!("`{}` is not an absolute path", info.name);
                return Err(at_value(message));
            }
            Ok(Value::Directory(path.to_owned()))
        }
        Kind::Profile => value::parse_profile(string()?).map_err(at_value),
        Kind::Extensions => read_extensions(info.name, value),
        Kind::Limits => read_limits(info.name, value),
    }
}

/// Reads an array of names of extensions.
fn read_extensions(key: &str, value: &Spanned<DeValue<'_>>) -> Result<Value, Error> {
    let Some(items) = value.get_ref().as_array() else {
        return Err(Error::wrong_type(key, "array of strings", value));
    };
    let read_item = |item: &Spanned<DeValue<'_>>| {
        let name = read_string(key, item)?;
        value::parse_extension(name).map_err(|message| Error::new(item.span(), message))
    };
    let names = items.iter().map(read_item);
    Ok(Value::Extensions(names.collect::<Result<_, _>>()?))
}

/// Reads a table of limits.
fn read_limits(key: &str, value: &Spanned<DeValue<'_>>) -> Result<Value, Error> {
    let Some(table) = value.get_ref().as_table() else {
        return Err(Error::wrong_type(key, "table of integers", value));
    };
    let mut limits = Vec::new();
    for (name, number) in table {
        let limit = Limit::parse(name.get_ref());
        let limit = limit.map_err(|message| Error::new(name.span(), message))?;
        limits.push((limit, read_number(limit.name(), number)?));
    }
    Ok(Value::Limits(limits))
}

/// Reads a number from 1 to 2^32 - 1.
fn read_number(key: &str, value: &Spanned<DeValue<'_>>) -> Result<u32, Error> {
    let Some(number) = value.get_ref().as_integer() else {
        return Err(Error::wrong_type(key, "integer", value));
    };
    let parse = |number: &DeInteger<'_>| u32::from_str_radix(number.as_str(), number.radix());
    match parse(number) {
        Ok(number) if number > 0 => Ok(number),
        Ok(_) | Err(_) => {
            let message = format!("`{key}` is not a number from 1 to 4294967295");
            Err(Error::new(value.span(), message))
        }
    }
}

/// Reads a string.
fn read_string<'a>(key: &str, value: &'a Spanned<DeValue<'_>>) -> Result<&'a str, Error> {
    let text = value.get_ref().as_str();
    text.ok_or_else(|| Error::wrong_type(key, "string", value))
}

/// Reads the name of an application, which is printed in one line.
fn read_name(name: &str, value: &Spanned<DeValue<'_>>) -> Result<String, Error> {
    if name.trim().is_empty() || name.contains(char::is_control) {
        let message = "`name` is empty or has a control character";
        return Err(Error::new(value.span(), message));
    }
    Ok(name.to_owned())
}

/// Reads a pattern.
fn read_pattern(key: &str, value: &Spanned<DeValue<'_>>) -> Result<Pattern, Error> {
    let text = read_string(key, value)?;
    Pattern::parse(text).map_err(|message| Error::new(value.span(), format!("`{key}`: {message}")))
}

/// Reads a hash of 64 hexadecimal digits.
fn read_hash(value: &Spanned<DeValue<'_>>) -> Result<[u8; 32], Error> {
    let text = read_string("sha256", value)?;
    let bad = || Error::new(value.span(), "`sha256` is not 64 hexadecimal digits");
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() == 64).ok_or_else(bad)?;
    let mut hash = [0; 32];
    for (byte, pair) in hash.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::try_from(pair.iter().fold(0, |sum, digit| 16 * sum + digit)).unwrap_or(0);
    }
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Profile;

    const PATH: &str = "/etc/applications.toml";

    fn parse(text: &str) -> Result<Vec<Rule>, Problem> {
        parse_rules(Path::new(PATH), text.as_bytes())
    }

    /// Returns the line, the column and the message of the error of a file.
    fn error_of(text: &str) -> (usize, usize, String) {
        let problem = parse(text).unwrap_err();
        assert_eq!(problem.file, Path::new(PATH));
        (problem.line, problem.column, problem.message)
    }

    #[test]
    fn rules_have_criteria_and_settings() {
        let hash = "00ff".repeat(16);
        let text = format!(
            "# A comment.\n[[application]]\nname = \"One\"\nexecutable = \"one*\"\nsha256 = \"{hash}\"\n\n\
             [application.settings]\nlimits = {{ MAX_TEXTURE_COORDS = 0x4 }}\nnewest_profile = \"fp40\"\n\n\
             [[application]]\nname = \"Two\"\nwindow_class = \"Two\"\nsettings = {{ strict = true, \
             hide_extensions = [\"NV_gpu_program4\"] }}\n"
        );
        let rules = parse(&text).unwrap();
        let [one, two] = &*rules else {
            panic!("{rules:?}")
        };
        assert_eq!((one.line, &*one.name), (2, "One"));
        assert_eq!(
            one.describe_criteria(),
            format!("executable \"one*\", sha256 {hash}")
        );
        let settings = |rule: &Rule| -> Vec<(Setting, Value, usize)> {
            let list = rule.settings.iter();
            list.map(|it| (it.setting, it.value.clone(), it.line))
                .collect()
        };
        let limits = Value::Limits(vec![(Limit::TextureCoords, 4)]);
        let expected = [
            (Setting::Limits, limits, 8),
            (Setting::NewestProfile, Value::Profile(Profile::Vp40), 9),
        ];
        assert_eq!(settings(one), expected);
        assert_eq!((two.line, two.settings.len()), (11, 2));
        assert_eq!(two.window_class.as_ref().unwrap().to_string(), "Two");
        let hidden = Value::Extensions(vec!["GL_NV_gpu_program4".to_owned()]);
        assert!(settings(two).contains(&(Setting::HideExtensions, hidden, 14)));
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn syntax_errors_have_positions() {
        // The second one of two equals signs, and the first one of two errors.
        let (line, column, message) = error_of("[[application]]\nname = = 1\nx = = 2\n");
        assert_eq!((line, column), (2, 8), "{message}");
        assert!(!message.contains('\n'), "{message}");
        assert_eq!(error_of("[[application]]\nname = \"One\nx = 1").0, 2);
        let problem = parse_rules(Path::new(PATH), b"# \xc3\xa9\n# \xff").unwrap_err();
        assert_eq!((problem.line, problem.column), (2, 3));
        assert_eq!(
            problem.to_string(),
            "/etc/applications.toml:2:3: the file is not UTF-8 here"
        );
    }

    /// Returns a rule with one more line, which is the fifth of the file.
    fn rule_with(line: &str) -> String {
        format!(
            "[[application]]\nname = \"é\"\nexecutable = \"x\"\nsettings.strict = true\n{line}\n"
        )
    }

    #[test]
    fn errors_of_rules_have_positions() {
        for (line, column, part) in [
            ("exe = 1", 1, "unknown key `exe`"),
            ("settings.loud = 1", 10, "unknown setting `loud`"),
            (
                "settings.log = 1",
                16,
                "`log` is of type integer; expected: string",
            ),
            ("settings.log = \"loud\"", 16, "`loud` is none of"),
            ("settings.compile_arb_programs = 1", 33, "expected: boolean"),
            ("settings.glsl_version = 0", 25, "not a number from 1"),
            ("settings.glsl_version = -3", 25, "not a number from 1"),
            ("settings.newest_profile = \"gp9\"", 27, "`gp9` is none of"),
            (
                "settings.hide_extensions = \"GL_NV_a\"",
                28,
                "array of strings",
            ),
            (
                "settings.hide_extensions = [\"GL_NV_a\", 3]",
                40,
                "expected: string",
            ),
            (
                "settings.hide_extensions = [\"é\", \"x\"]",
                29,
                "not the name of an extension",
            ),
            ("settings.limits = [1]", 19, "table of integers"),
            (
                "settings.limits.MAX_LIGHTS = 1",
                17,
                "`MAX_LIGHTS` is not a limit",
            ),
            (
                "settings.limits.MAX_TEXTURE_COORDS = 1.5",
                38,
                "expected: integer",
            ),
            ("settings.driver = \"a/b\"", 19, "not a path"),
            ("settings.dump_dir = \"a\"", 21, "not an absolute path"),
            ("window_class = \"\"", 16, "the pattern is empty"),
            ("window_class = \"a/b\"", 16, "is a path"),
            ("sha256 = \"12\"", 10, "64 hexadecimal digits"),
            ("name = \"again\"", 1, "duplicate key"),
        ] {
            let (at, found, message) = error_of(&rule_with(line));
            assert_eq!((at, found), (5, column), "{line}: {message}");
            assert!(message.contains(part), "{line}: {message}");
        }
    }

    #[test]
    fn rules_that_lack_parts_are_errors_at_their_headers() {
        for (text, part) in [
            ("executable = \"x\"\nsettings = {}", "no `name`"),
            ("name = \"x\"\nsettings = {}", "none of executable"),
            ("name = \"x\"\nexecutable = \"x\"", "no `settings`"),
        ] {
            let (line, column, message) = error_of(&format!("\n[[application]]\n{text}"));
            assert_eq!((line, column), (2, 1), "{message}");
            assert!(message.contains(part), "{message}");
        }
        for (text, part) in [
            ("[application]\nname = \"x\"", "expected: [[application]]"),
            ("application = [1]", "expected: table"),
            ("[[applications]]", "unknown key `applications`"),
            ("[[application]]\nname = 3", "expected: string"),
            ("[[application]]\nsettings = 3", "expected: table"),
            ("[[application]]\nname = \" \"", "is empty"),
        ] {
            let problem = parse(text).unwrap_err();
            let later = text.contains("[[application]]");
            assert!(later || problem.message.contains(part), "{text}: {problem}");
        }
    }

    /// Checks that of several errors the first one is reported.
    #[test]
    fn the_first_error_is_reported() {
        let text =
            "[[application]]\nname = \"x\"\nwindow_class = 1\nexecutable = 2\nsettings = {}\n";
        assert_eq!(error_of(text).0, 3);
        let text = "[[application]]\nname = \"x\"\nexecutable = \"x\"\n[application.settings]\nstrict = 1\nlog = 1\n";
        assert_eq!(error_of(text).0, 5);
    }

    #[test]
    fn window_classes_come_too_late_for_some_settings() {
        for setting in ["driver = \"mesa\"", "log = \"info\""] {
            let text = format!(
                "[[application]]\nname = \"x\"\nwindow_class = \"x\"\nsettings = {{ {setting} }}\n"
            );
            let (line, column, message) = error_of(&text);
            assert_eq!((line, column), (4, 14), "{message}");
            assert!(message.contains("before windows exist"), "{message}");
        }
    }

    /// Checks that the largest files take no quadratic time.
    #[test]
    fn many_rules_are_read_quickly() {
        let rule = rule_with("");
        let count = usize::try_from(MAX_FILE_SIZE).unwrap() / rule.len();
        let rules = parse(&rule.repeat(count)).unwrap();
        assert_eq!(rules.len(), count);
        assert_eq!(rules[count - 1].line, 5 * (count - 1) + 1);
    }

    /// Checks that no input panics: every prefix of a file, and each byte of it replaced.
    #[test]
    fn damaged_files_do_not_panic() {
        let text = rule_with("settings.limits.MAX_TEXTURE_COORDS = 4");
        let bytes = text.as_bytes();
        for end in 0..bytes.len() {
            let _ = parse_rules(Path::new(PATH), &bytes[..end]);
            for byte in [0, b'"', b'[', b'=', b'\n', 0xff] {
                let mut damaged = bytes.to_vec();
                damaged[end] = byte;
                let _ = parse_rules(Path::new(PATH), &damaged);
            }
        }
        let deep = format!("x = {}", "[".repeat(500_000));
        assert!(parse(&deep).is_err());
    }
}
