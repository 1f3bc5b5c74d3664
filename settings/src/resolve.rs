//! The values of settings that apply to an application, and why.

use crate::application::Application;
use crate::file::{Rule, RuleSetting};
use crate::rules::{RuleSet, Trust};
use crate::table::{FileAccess, SETTINGS, Setting};
use crate::value::{Limit, LogLevel, Profile, Value, parse_variable};
use std::ffi::OsString;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

/// Result of comparing the criteria of a rule with an application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleMatch {
    /// A criterion does not match.
    Fails,
    /// All match.
    Matches,
    /// All but the window class match, which is not known.
    NeedsWindow,
}

impl Rule {
    /// Compares the criteria with an application, and with the class of its window, `None` if that
    /// is not known. Reads the executable if the rule has a hash and its names match.
    pub fn compare(&self, application: &Application, window_class: Option<&str>) -> RuleMatch {
        let is_name = |name: &String| {
            let pattern = self.executable.as_ref();
            pattern.is_none_or(|pattern| pattern.matches(name))
        };
        let matches_name = self.executable.is_none() || application.names().iter().any(is_name);
        let class = match (&self.window_class, window_class) {
            (None, _) => RuleMatch::Matches,
            (Some(_), None) => RuleMatch::NeedsWindow,
            (Some(pattern), Some(class)) if pattern.matches(class) => RuleMatch::Matches,
            (Some(_), Some(_)) => RuleMatch::Fails,
        };
        if !matches_name || class == RuleMatch::Fails {
            return RuleMatch::Fails;
        }
        let hash = self.sha256.as_ref();
        if hash.is_some_and(|hash| !application.has_hash(hash)) {
            return RuleMatch::Fails;
        }
        class
    }
}

/// Source of the value of a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Nothing sets it.
    Default,
    /// Environment variable.
    Variable(&'static str),
    /// Rule of a file.
    Rule {
        /// File.
        file: PathBuf,
        /// Line of the setting, from 1.
        line: usize,
        /// Name of the rule.
        name: String,
    },
}

impl Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::Rule { file, line, name } => write!(f, "{}:{line} \"{name}\"", file.display()),
        }
    }
}

/// Value of a setting that applies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effective {
    /// The setting.
    pub setting: Setting,
    /// Value; `None` for the default.
    pub value: Option<Value>,
    /// Source of the value.
    pub origin: Origin,
    /// Values that apply instead if the window has a certain class, those that take precedence
    /// first: pattern of the class, value and source.
    pub by_window: Vec<(String, Value, Origin)>,
}

impl Effective {
    /// Formats the value as a variable has it, the default included.
    pub fn format_value(&self) -> String {
        match &self.value {
            Some(value) => value.to_string(),
            None => self.setting.info().default.to_owned(),
        }
    }
}

/// Values of all settings of an application.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolution {
    /// Settings in the order of the table.
    pub settings: Vec<Effective>,
    /// Messages about variables with invalid values, which are ignored.
    pub problems: Vec<String>,
}

impl Resolution {
    /// Determines the values: of variables, or else of the first rule that matches, in the order of
    /// precedence, setting by setting. Settings that select files are ignored in processes that do
    /// not trust their user. `variable` returns variables.
    pub fn new(
        rules: &RuleSet,
        application: &Application,
        window_class: Option<&str>,
        trust: Trust,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let compared = rules.rules_by_precedence();
        let compared: Vec<(&Rule, RuleMatch)> = compared
            .map(|rule| (rule, rule.compare(application, window_class)))
            .filter(|(_, result)| *result != RuleMatch::Fails)
            .collect();
        let mut problems = Vec::new();
        let settings = SETTINGS.iter().map(|info| {
            let mut effective = Effective {
                setting: info.setting,
                value: None,
                origin: Origin::Default,
                by_window: Vec::new(),
            };
            if info.access == FileAccess::Files && trust == Trust::System {
                return effective;
            }
            let text = variable(info.variable);
            match text.map(|text| parse_variable(info.kind, &text)) {
                Some(Ok(value)) => {
                    effective.value = value;
                    effective.origin = Origin::Variable(info.variable);
                }
                Some(Err(message)) => {
                    problems.push(format!("{}: {message}; it is ignored", info.variable));
                    effective.apply_rules(&compared);
                }
                None => effective.apply_rules(&compared),
            }
            effective
        });
        Self {
            settings: settings.collect(),
            problems,
        }
    }

    /// Returns the value of a setting; `None` for the default.
    fn value(&self, setting: Setting) -> Option<&Value> {
        self.settings[setting as usize].value.as_ref()
    }

    /// Returns true if a flag is on.
    pub fn flag(&self, setting: Setting) -> bool {
        self.value(setting) == Some(&Value::Flag(true))
    }
}

/// Defines functions of [`Resolution`] that return values of one type.
macro_rules! values {
    ($($(#[$about:meta])* $name:ident $setting:ident $kind:ident -> $ty:ty;)*) => {
        impl Resolution {
            $($(#[$about])*
            pub fn $name(&self) -> Option<&$ty> {
                let Some(Value::$kind(value)) = self.value(Setting::$setting) else {
                    return None;
                };
                Some(value)
            })*
        }
    };
}

values! {
    /// Returns the vendor of the driver, if one is selected.
    driver Driver Vendor -> OsString;
    /// Returns the version of GLSL, if GLSL is forced.
    glsl_version GlslVersion Version -> u32;
    /// Returns the amount of messages, if it is selected.
    log Log Log -> LogLevel;
    /// Returns the directory for scripts, if there is one.
    dump_dir DumpDir Directory -> Path;
    /// Returns the newest profile, if it is limited.
    newest_profile NewestProfile Profile -> Profile;
    /// Returns the hidden extensions, if there are any.
    hidden_extensions HideExtensions Extensions -> [String];
    /// Returns the lowered limits, if there are any.
    limits Limits Limits -> [(Limit, u32)];
}

impl Effective {
    /// Sets the value from the rules that match, in the order of precedence.
    fn apply_rules(&mut self, compared: &[(&Rule, RuleMatch)]) {
        for (rule, result) in compared {
            let mut settings = rule.settings.iter();
            let Some(RuleSetting { value, line, .. }) =
                settings.find(|it| it.setting == self.setting)
            else {
                continue;
            };
            let origin = Origin::Rule {
                file: rule.file.to_path_buf(),
                line: *line,
                name: rule.name.clone(),
            };
            if *result == RuleMatch::Matches {
                self.value = Some(value.clone());
                self.origin = origin;
                return;
            }
            if let Some(class) = &rule.window_class {
                self.by_window
                    .push((class.to_string(), value.clone(), origin));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Contents, RuleFile};

    /// Returns the rules of files with these contents; the first one takes precedence.
    fn rule_set(texts: &[&str]) -> RuleSet {
        let files = texts.iter().enumerate().map(|(number, text)| {
            let path = PathBuf::from(format!("/{number}.toml"));
            let rules = crate::file::parse_rules(&path, text.as_bytes()).unwrap();
            RuleFile {
                path,
                contents: Contents::Rules(rules),
            }
        });
        RuleSet {
            files: files.collect(),
        }
    }

    fn game() -> Application {
        Application::from_command(&["/nowhere/game".into()])
    }

    fn rule(criteria: &str, settings: &str) -> String {
        format!("[[application]]\nname = \"n\"\n{criteria}\nsettings = {{ {settings} }}\n")
    }

    fn resolve(rules: &RuleSet, class: Option<&str>, variables: &[(&str, &str)]) -> Resolution {
        Resolution::new(rules, &game(), class, Trust::User, |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn all_criteria_must_match() {
        let compare = |criteria: &str, class: Option<&str>| {
            let rules = rule_set(&[&rule(criteria, "")]);
            let rule = rules.rules_by_precedence().next().unwrap();
            rule.compare(&game(), class)
        };
        let hash = format!("sha256 = \"{}\"", "0".repeat(64));
        assert_eq!(compare("executable = \"g*\"", None), RuleMatch::Matches);
        assert_eq!(compare("executable = \"h*\"", None), RuleMatch::Fails);
        assert_eq!(compare(&hash, None), RuleMatch::Fails);
        assert_eq!(
            compare(&format!("executable = \"game\"\n{hash}"), None),
            RuleMatch::Fails
        );
        let both = "executable = \"game\"\nwindow_class = \"Game\"";
        assert_eq!(compare(both, None), RuleMatch::NeedsWindow);
        assert_eq!(compare(both, Some("Game")), RuleMatch::Matches);
        assert_eq!(compare(both, Some("Other")), RuleMatch::Fails);
        let other = "executable = \"other\"\nwindow_class = \"Game\"";
        assert_eq!(compare(other, Some("Game")), RuleMatch::Fails);
    }

    #[test]
    fn hashes_of_executables_match() {
        let path = std::env::current_exe().unwrap();
        let own = Application::from_command(&[path.clone().into()]);
        let output = std::process::Command::new("sha256sum").arg(&path).output();
        let Ok(output) = output else { return };
        let text = String::from_utf8(output.stdout).unwrap();
        let criteria = format!("sha256 = \"{}\"", &text[..64].to_uppercase());
        let rules = rule_set(&[&rule(&criteria, "")]);
        let rule = rules.rules_by_precedence().next().unwrap();
        assert_eq!(rule.compare(&own, None), RuleMatch::Matches);
        assert_eq!(rule.compare(&game(), None), RuleMatch::Fails);
    }

    /// The user's file over shipped ones, later rules over earlier ones, variables over all, setting
    /// by setting.
    #[test]
    fn settings_have_precedence_one_by_one() {
        let user = [
            rule("executable = \"game\"", "glsl_version = 330"),
            rule("executable = \"*\"", "glsl_version = 410"),
            rule("executable = \"other\"", "glsl_version = 420"),
        ];
        let shipped = rule(
            "executable = \"game\"",
            "glsl_version = 450, strict = true, log = \"off\"",
        );
        let rules = rule_set(&[&user.concat(), &shipped]);
        let found = resolve(&rules, None, &[("GLASM_LOG", "info")]);
        assert_eq!(found.glsl_version(), Some(&410));
        assert!(found.flag(Setting::Strict));
        assert_eq!(found.log(), Some(&LogLevel::Info));
        let origin = |setting: Setting| found.settings[setting as usize].origin.to_string();
        assert_eq!(origin(Setting::GlslVersion), "/0.toml:8 \"n\"");
        assert_eq!(origin(Setting::Strict), "/1.toml:4 \"n\"");
        assert_eq!(origin(Setting::Log), "variable GLASM_LOG");
        assert_eq!(origin(Setting::Driver), "default");
        // An empty variable sets the default.
        let found = resolve(&rules, None, &[("GLASM_GLSL_VERSION", "")]);
        assert_eq!(found.glsl_version(), None);
        assert_eq!(found.problems, [""; 0]);
        // An invalid one is reported, and rules apply.
        let found = resolve(&rules, None, &[("GLASM_GLSL_VERSION", "new")]);
        assert_eq!(found.glsl_version(), Some(&410));
        assert_eq!(
            found.problems,
            ["GLASM_GLSL_VERSION: `new` is not a version such as 330; it is ignored"]
        );
    }

    #[test]
    fn windows_decide_when_they_are_known() {
        let texts = [
            rule("executable = \"game\"", "glsl_version = 330"),
            rule("window_class = \"G*\"", "glsl_version = 410"),
        ];
        let rules = rule_set(&[&texts.concat()]);
        let found = resolve(&rules, None, &[]);
        assert_eq!(found.glsl_version(), Some(&330));
        let by_window = &found.settings[Setting::GlslVersion as usize].by_window;
        let [(class, value, origin)] = &**by_window else {
            panic!("{by_window:?}")
        };
        assert_eq!(
            (&**class, value, &*origin.to_string()),
            ("G*", &Value::Version(410), "/0.toml:8 \"n\"")
        );
        assert_eq!(
            resolve(&rules, Some("Game"), &[]).glsl_version(),
            Some(&410)
        );
        assert_eq!(resolve(&rules, Some("x"), &[]).glsl_version(), Some(&330));
    }

    #[test]
    fn privileged_processes_ignore_settings_of_files() {
        let text = rule(
            "executable = \"game\"",
            "driver = \"a\", dump_dir = \"/a\", strict = true",
        );
        let rules = rule_set(&[&text]);
        let found = Resolution::new(&rules, &game(), None, Trust::System, |_| Some("1".into()));
        assert_eq!((found.driver(), found.dump_dir()), (None, None));
        assert!(found.flag(Setting::CompileArbPrograms));
        let found = resolve(&rules, None, &[]);
        assert_eq!(found.driver(), Some(&OsString::from("a")));
        assert_eq!(found.dump_dir(), Some(Path::new("/a")));
    }
}
