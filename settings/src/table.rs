//! The table of settings.

/// Type of the values of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// On or off.
    Flag,
    /// Vendor of a driver.
    Vendor,
    /// Version of GLSL.
    Version,
    /// Amount of messages.
    Log,
    /// Directory.
    Directory,
    /// Newest profile.
    Profile,
    /// List of extensions.
    Extensions,
    /// List of limits with their values.
    Limits,
}

impl Kind {
    /// Returns the type in files, for messages and documents.
    pub const fn file_type(self) -> &'static str {
        match self {
            Self::Flag => "boolean",
            Self::Vendor | Self::Log | Self::Directory | Self::Profile => "string",
            Self::Version => "integer",
            Self::Extensions => "array of strings",
            Self::Limits => "table of integers",
        }
    }
}

/// Moment when the library reads a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// When the library is loaded, before windows exist: rules with a window class cannot decide
    /// about it.
    Load,
    /// When a context is made current, or later.
    Context,
}

/// Effect of a setting on files outside of this library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileAccess {
    /// None.
    Safe,
    /// It selects files that are loaded or written: processes with more privileges than their user
    /// ignore it.
    Files,
}

/// Entry of the table of settings.
#[derive(Clone, Copy, Debug)]
pub struct SettingInfo {
    /// The setting of the entry.
    pub setting: Setting,
    /// Name in files.
    pub name: &'static str,
    /// Environment variable.
    pub variable: &'static str,
    /// Type.
    pub kind: Kind,
    /// Default in the form in which it is printed.
    pub default: &'static str,
    /// Moment when it is read.
    pub moment: Moment,
    /// Whether it selects files.
    pub access: FileAccess,
    /// Effect, one sentence without its period.
    pub description: &'static str,
}

macro_rules! settings {
    ($($id:ident $name:literal $variable:literal $kind:ident $default:literal $moment:ident $access:ident $description:literal;)*) => {
        /// Setting of the vendor library.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Setting {
            $(#[doc = $description] $id,)*
        }

        /// All settings, in the order of [`Setting`].
        pub static SETTINGS: &[SettingInfo] = &[$(SettingInfo {
            setting: Setting::$id,
            name: $name,
            variable: $variable,
            kind: Kind::$kind,
            default: $default,
            moment: Moment::$moment,
            access: FileAccess::$access,
            description: $description,
        },)*];
    };
}

settings! {
    // Columns: setting, name in files, variable, type, default, moment, files, description.
    Driver "driver" "GLASM_DRIVER" Vendor "mesa" Load Files
        "the vendor whose driver draws: NAME of its libGLX_NAME.so.0, not a path";
    CompileArbPrograms "compile_arb_programs" "GLASM_COMPILE_ARB_PROGRAMS" Flag "0" Context Safe
        "glasm also executes ARB programs that the driver accepts";
    GlslVersion "glsl_version" "GLASM_GLSL_VERSION" Version "0" Context Safe
        "shaders are GLSL even if the driver accepts SPIR-V: 1, or the newest version that is written, such as 330";
    Strict "strict" "GLASM_STRICT" Flag "0" Context Safe
        "rules that shipped programs break are errors";
    Log "log" "GLASM_LOG" Log "error" Load Safe
        "messages on the standard error stream: off, error or info";
    DumpDir "dump_dir" "GLASM_DUMP_DIR" Directory "none" Context Files
        "directory to which pairs of programs are written as scripts when they first draw";
    NewestProfile "newest_profile" "GLASM_NEWEST_PROFILE" Profile "gp5" Context Safe
        "newest programs that are advertised and load";
    HideExtensions "hide_extensions" "GLASM_HIDE_EXTENSIONS" Extensions "none" Context Safe
        "extensions that are not advertised; programs that need them do not load";
    Limits "limits" "GLASM_LIMITS" Limits "none" Context Safe
        "lower values of limits that the library reports";
}

impl Setting {
    /// Returns the table entry.
    pub fn info(self) -> &'static SettingInfo {
        &SETTINGS[self as usize]
    }

    /// Returns the setting with a name in files; `None` for others.
    pub fn from_name(name: &str) -> Option<Self> {
        let row = SETTINGS.iter().find(|row| row.name == name)?;
        Some(row.setting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    #[test]
    fn rows_have_the_order_of_settings() {
        for (index, row) in SETTINGS.iter().enumerate() {
            assert_eq!(row.setting as usize, index);
            assert_eq!(Setting::from_name(row.name), Some(row.setting));
            // Users derive one name from the other.
            assert_eq!(
                row.variable,
                format!("GLASM_{}", row.name.to_ascii_uppercase())
            );
        }
        assert_eq!(Setting::from_name("GLASM_LOG"), None);
    }

    /// Compares the tables of the manual with those of the code.
    #[test]
    fn the_manual_has_these_tables() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/applications.md");
        let manual = std::fs::read_to_string(path).unwrap();
        let mut settings = String::new();
        for row in SETTINGS {
            let _ = writeln!(
                settings,
                "| `{}` | {} | `{}` | `{}` | {} |",
                row.name,
                row.kind.file_type(),
                row.variable,
                row.default,
                row.description
            );
        }
        assert!(manual.contains(&settings), "write\n{settings}");
        let mut profiles = String::new();
        for row in crate::value::PROFILES {
            let names = row.names.map(|name| format!("`{name}`")).join(", ");
            let names = if row.names[0] == row.names[1] {
                format!("`{}`", row.names[0])
            } else {
                names
            };
            let _ = writeln!(profiles, "| {names} | {} |", row.description);
        }
        assert!(manual.contains(&profiles), "write\n{profiles}");
        for limit in crate::value::LIMITS {
            let name = format!("`{}`", limit.name());
            assert!(manual.contains(&name), "write {name}");
        }
    }
}
