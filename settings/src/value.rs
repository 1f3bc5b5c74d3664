//! Values of settings, and their syntax in environment variables.

use crate::table::Kind;
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display};
use std::path::PathBuf;

/// Amount of messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LogLevel {
    /// None.
    Off,
    /// A line for each failure.
    Error,
    /// Also loaded programs and pipelines.
    Info,
}

impl LogLevel {
    /// Returns the level of a word; `None` for others.
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "off" => Some(Self::Off),
            "error" => Some(Self::Error),
            // Users of other libraries ask for this level.
            "info" | "debug" => Some(Self::Info),
            _ => None,
        }
    }

    /// Returns the word of the level.
    const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Info => "info",
        }
    }
}

/// Generation of programs, by the names of Cg's profiles. Later ones are newer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Profile {
    /// ARB_vertex_program, ARB_fragment_program.
    Arb,
    /// NV_vertex_program.
    Vp20,
    /// NV_vertex_program2, NV_fragment_program.
    Vp30,
    /// NV_vertex_program3, NV_fragment_program2.
    Vp40,
    /// NV_gpu_program4.
    Gp4,
    /// NV_gpu_program5.
    Gp5,
}

/// Entry of the table of profiles.
#[derive(Clone, Copy, Debug)]
pub struct ProfileInfo {
    /// The profile of the entry.
    pub profile: Profile,
    /// Names of the vertex and the fragment profile, which mean the same here; equal if there is
    /// one name.
    pub names: [&'static str; 2],
    /// Newest extensions.
    pub description: &'static str,
}

macro_rules! profiles {
    ($($profile:ident [$($name:literal)*] $description:literal;)*) => {
        /// All profiles, from the oldest.
        pub static PROFILES: &[ProfileInfo] = &[$(ProfileInfo {
            profile: Profile::$profile,
            names: [$($name),*],
            description: $description,
        },)*];
    };
}

profiles! {
    Arb ["arbvp1" "arbfp1"] "ARB_vertex_program, ARB_fragment_program";
    Vp20 ["vp20" "vp20"] "also NV_vertex_program, NV_vertex_program1_1";
    Vp30 ["vp30" "fp30"] "also NV_vertex_program2, NV_fragment_program, and both as options of ARB programs";
    Vp40 ["vp40" "fp40"] "also NV_vertex_program3, NV_fragment_program2";
    Gp4 ["gp4" "gp4"] "also NV_gpu_program4 and 4_1, vertex, fragment and geometry programs of version 4, parameter buffers, NV_transform_feedback";
    Gp5 ["gp5" "gp5"] "also NV_gpu_program5, tessellation and compute programs";
}

impl Profile {
    /// Returns the profile of a name such as `vp40`; `None` for others.
    fn from_name(name: &str) -> Option<Self> {
        let row = PROFILES.iter().find(|row| row.names.contains(&name))?;
        Some(row.profile)
    }

    /// Returns the first name of the profile.
    pub fn name(self) -> &'static str {
        PROFILES[self as usize].names[0]
    }
}

macro_rules! limits {
    ($($id:ident $name:literal;)*) => {
        /// Limit that can be lowered.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Limit {
            $(#[doc = concat!("`", $name, "`")] $id,)*
        }

        /// All limits, in the order of [`Limit`].
        pub static LIMITS: &[Limit] = &[$(Limit::$id,)*];

        impl Limit {
            /// Returns the name in OpenGL, without `GL_`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$id => $name,)* }
            }
        }
    };
}

limits! {
    Instructions "MAX_PROGRAM_INSTRUCTIONS_ARB";
    AluInstructions "MAX_PROGRAM_ALU_INSTRUCTIONS_ARB";
    TexInstructions "MAX_PROGRAM_TEX_INSTRUCTIONS_ARB";
    TexIndirections "MAX_PROGRAM_TEX_INDIRECTIONS_ARB";
    Temporaries "MAX_PROGRAM_TEMPORARIES_ARB";
    Parameters "MAX_PROGRAM_PARAMETERS_ARB";
    Attribs "MAX_PROGRAM_ATTRIBS_ARB";
    AddressRegisters "MAX_PROGRAM_ADDRESS_REGISTERS_ARB";
    IfDepth "MAX_PROGRAM_IF_DEPTH_NV";
    LoopDepth "MAX_PROGRAM_LOOP_DEPTH_NV";
    TextureImageUnits "MAX_TEXTURE_IMAGE_UNITS";
    TextureCoords "MAX_TEXTURE_COORDS";
}

impl Limit {
    /// Returns the limit with a name of OpenGL, with or without `GL_`; errs with a message.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        let bare = name.strip_prefix("GL_").unwrap_or(name);
        let mut all = LIMITS.iter().copied();
        all.find(|limit| limit.name() == bare)
            .ok_or_else(|| format!("`{name}` is not a limit that can be lowered"))
    }
}

/// Value of a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of [`Kind::Flag`].
    Flag(bool),
    /// Of [`Kind::Vendor`].
    Vendor(OsString),
    /// Of [`Kind::Version`]; not 0.
    Version(u32),
    /// Of [`Kind::Log`].
    Log(LogLevel),
    /// Of [`Kind::Directory`].
    Directory(PathBuf),
    /// Of [`Kind::Profile`].
    Profile(Profile),
    /// Of [`Kind::Extensions`]: names with `GL_`.
    Extensions(Vec<String>),
    /// Of [`Kind::Limits`].
    Limits(Vec<(Limit, u32)>),
}

impl Display for Value {
    /// Writes the value as a variable has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(value) => write!(f, "{}", u8::from(*value)),
            Self::Vendor(value) => write!(f, "{}", value.to_string_lossy()),
            Self::Version(value) => write!(f, "{value}"),
            Self::Log(value) => f.write_str(value.name()),
            Self::Directory(value) => write!(f, "{}", value.display()),
            Self::Profile(value) => f.write_str(value.name()),
            Self::Extensions(value) => f.write_str(&value.join(",")),
            Self::Limits(value) => {
                let pairs = value.iter();
                let pairs: Vec<String> = pairs
                    .map(|(limit, value)| format!("{}={value}", limit.name()))
                    .collect();
                f.write_str(&pairs.join(","))
            }
        }
    }
}

/// Returns the value of a variable, `None` for the default: an empty variable sets it, so that it
/// takes precedence over files. Errs with a message.
pub(crate) fn parse_variable(kind: Kind, text: &OsStr) -> Result<Option<Value>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let words = text.to_string_lossy();
    Ok(Some(match kind {
        Kind::Flag => match &*words {
            "0" => Value::Flag(false),
            "1" => Value::Flag(true),
            _ => return Err(format!("`{words}` is neither 0 nor 1")),
        },
        // The library that loads the driver reports names that it cannot load.
        Kind::Vendor => Value::Vendor(text.to_owned()),
        Kind::Version => match words.parse() {
            Ok(0) => return Ok(None),
            Ok(version) => Value::Version(version),
            Err(_) => return Err(format!("`{words}` is not a version such as 330")),
        },
        Kind::Log => parse_log_level(&words)?,
        Kind::Directory => Value::Directory(text.into()),
        Kind::Profile => parse_profile(&words)?,
        Kind::Extensions => {
            let names = words.split(',').map(str::trim);
            let names = names.filter(|name| !name.is_empty());
            Value::Extensions(names.map(parse_extension).collect::<Result<_, _>>()?)
        }
        Kind::Limits => {
            let pairs = words.split(',').map(str::trim);
            let pairs = pairs.filter(|pair| !pair.is_empty());
            Value::Limits(pairs.map(parse_limit).collect::<Result<_, _>>()?)
        }
    }))
}

/// Returns the level of a word.
pub(crate) fn parse_log_level(word: &str) -> Result<Value, String> {
    let level = LogLevel::from_name(word);
    level
        .map(Value::Log)
        .ok_or_else(|| format!("`{word}` is none of off, error, info"))
}

/// Returns the profile of a word.
pub(crate) fn parse_profile(word: &str) -> Result<Value, String> {
    let profile = Profile::from_name(word);
    profile.map(Value::Profile).ok_or_else(|| {
        let mut names: Vec<&str> = PROFILES.iter().flat_map(|row| row.names).collect();
        names.dedup();
        format!("`{word}` is none of {}", names.join(", "))
    })
}

/// Returns the name of an extension with `GL_`, which may be missing. The name need not be known:
/// drivers have more extensions than this library.
pub(crate) fn parse_extension(word: &str) -> Result<String, String> {
    let bare = word.strip_prefix("GL_").unwrap_or(word);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if bare.contains('_') && bare.chars().all(is_part) {
        Ok(format!("GL_{bare}"))
    } else {
        Err(format!(
            "`{word}` is not the name of an extension such as GL_NV_gpu_program4"
        ))
    }
}

/// Parses `MAX_PROGRAM_INSTRUCTIONS_ARB=1024`.
fn parse_limit(pair: &str) -> Result<(Limit, u32), String> {
    let Some((name, number)) = pair.split_once('=') else {
        return Err(format!("`{pair}` is not a limit with a value: NAME=NUMBER"));
    };
    let limit = Limit::parse(name.trim())?;
    match number.trim().parse() {
        Ok(number) if number > 0 => Ok((limit, number)),
        Ok(_) | Err(_) => Err(format!("`{}` is not a number from 1 on", number.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: Kind, text: &str) -> Result<Option<Value>, String> {
        parse_variable(kind, OsStr::new(text))
    }

    #[test]
    fn variables_have_values() {
        assert_eq!(parse(Kind::Flag, "1"), Ok(Some(Value::Flag(true))));
        assert_eq!(parse(Kind::Flag, "0"), Ok(Some(Value::Flag(false))));
        assert_eq!(parse(Kind::Version, "330"), Ok(Some(Value::Version(330))));
        assert_eq!(parse(Kind::Version, "0"), Ok(None));
        assert_eq!(
            parse(Kind::Log, "debug"),
            Ok(Some(Value::Log(LogLevel::Info)))
        );
        for name in ["vp40", "fp40"] {
            let expected = Value::Profile(Profile::Vp40);
            assert_eq!(parse(Kind::Profile, name), Ok(Some(expected)));
        }
        let both = vec!["GL_NV_a".to_owned(), "GL_ARB_b".to_owned()];
        assert_eq!(
            parse(Kind::Extensions, " GL_NV_a, ARB_b ,"),
            Ok(Some(Value::Extensions(both)))
        );
        assert_eq!(
            parse(
                Kind::Limits,
                "MAX_PROGRAM_IF_DEPTH_NV=3,GL_MAX_TEXTURE_COORDS = 4"
            ),
            Ok(Some(Value::Limits(vec![
                (Limit::IfDepth, 3),
                (Limit::TextureCoords, 4)
            ])))
        );
    }

    #[test]
    fn empty_variables_set_the_default() {
        for row in crate::SETTINGS {
            assert_eq!(parse(row.kind, ""), Ok(None), "{}", row.variable);
        }
    }

    #[test]
    fn bad_variables_have_messages() {
        for (kind, text, part) in [
            (Kind::Flag, "yes", "neither 0 nor 1"),
            (Kind::Version, "-1", "not a version"),
            (Kind::Log, "loud", "off, error, info"),
            (Kind::Profile, "gp6", "vp20, vp30, fp30, vp40"),
            (Kind::Extensions, "GL_", "not the name of an extension"),
            (Kind::Extensions, "NV a_b", "not the name of an extension"),
            (Kind::Limits, "MAX_PROGRAM_IF_DEPTH_NV", "NAME=NUMBER"),
            (Kind::Limits, "MAX_LIGHTS=1", "`MAX_LIGHTS` is not a limit"),
            (
                Kind::Limits,
                "MAX_TEXTURE_COORDS=0",
                "not a number from 1 on",
            ),
            (
                Kind::Limits,
                "MAX_TEXTURE_COORDS=4294967296",
                "not a number",
            ),
        ] {
            let message = parse(kind, text).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }

    /// Checks that values are printed in the syntax of variables.
    #[test]
    fn printed_values_are_read_again() {
        for (kind, text) in [
            (Kind::Flag, "1"),
            (Kind::Vendor, "nvidia"),
            (Kind::Version, "410"),
            (Kind::Log, "off"),
            (Kind::Directory, "/tmp/a b"),
            (Kind::Profile, "arbvp1"),
            (Kind::Extensions, "GL_NV_a,GL_NV_b"),
            (
                Kind::Limits,
                "MAX_PROGRAM_ATTRIBS_ARB=8,MAX_TEXTURE_COORDS=2",
            ),
        ] {
            let value = parse(kind, text).unwrap().unwrap();
            assert_eq!(value.to_string(), text);
        }
    }

    #[test]
    fn profiles_have_the_order_of_their_table() {
        for (index, row) in PROFILES.iter().enumerate() {
            assert_eq!(row.profile as usize, index);
        }
    }
}
