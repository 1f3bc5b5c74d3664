//! The languages and their versions.

use std::fmt;
use std::str::FromStr;

/// A shading language and its version.
///
/// ```
/// use glasm_text::Language;
///
/// assert_eq!("glsl330".parse(), Ok(Language::Glsl(330)));
/// assert_eq!("glsl".parse(), Ok(Language::Glsl(450))); // the default version
/// assert_eq!(Language::Hlsl(60).to_string(), "hlsl60");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// The language of WebGPU.
    Wgsl,
    /// The language of OpenGL: 330 and 400 to 460.
    Glsl(u32),
    /// The language of OpenGL ES: 300, 310, 320.
    Essl(u32),
    /// GLSL 460 for Vulkan: sets, bindings and locations are those of the SPIR-V module.
    VulkanGlsl,
    /// The language of Direct3D, by shader model: 50, 51, 60 to 68.
    Hlsl(u32),
    /// The language of Metal: 20 to 24, 30 to 32.
    Msl(u32),
}

/// Names without a version and the languages that they denote.
const DEFAULT_VERSIONS: &[(&str, Language)] = &[
    ("wgsl", Language::Wgsl),
    ("glsl", Language::Glsl(450)),
    ("essl", Language::Essl(310)),
    ("vulkan-glsl", Language::VulkanGlsl),
    ("hlsl", Language::Hlsl(60)),
    ("msl", Language::Msl(24)),
];

impl Language {
    /// All languages in all versions.
    pub const ALL: &[Self] = &[
        Self::Wgsl,
        Self::Glsl(330),
        Self::Glsl(400),
        Self::Glsl(410),
        Self::Glsl(420),
        Self::Glsl(430),
        Self::Glsl(440),
        Self::Glsl(450),
        Self::Glsl(460),
        Self::Essl(300),
        Self::Essl(310),
        Self::Essl(320),
        Self::VulkanGlsl,
        Self::Hlsl(50),
        Self::Hlsl(51),
        Self::Hlsl(60),
        Self::Hlsl(61),
        Self::Hlsl(62),
        Self::Hlsl(63),
        Self::Hlsl(64),
        Self::Hlsl(65),
        Self::Hlsl(66),
        Self::Hlsl(67),
        Self::Hlsl(68),
        Self::Msl(20),
        Self::Msl(21),
        Self::Msl(22),
        Self::Msl(23),
        Self::Msl(24),
        Self::Msl(30),
        Self::Msl(31),
        Self::Msl(32),
    ];

    /// Returns the languages, each in its default version.
    pub fn default_versions() -> impl Iterator<Item = Self> {
        DEFAULT_VERSIONS.iter().map(|(_, language)| *language)
    }

    /// Returns the name of the language without the version, such as `glsl`.
    pub fn family(self) -> &'static str {
        match self {
            Self::Wgsl => "wgsl",
            Self::Glsl(_) => "glsl",
            Self::Essl(_) => "essl",
            Self::VulkanGlsl => "vulkan-glsl",
            Self::Hlsl(_) => "hlsl",
            Self::Msl(_) => "msl",
        }
    }

    /// Returns the extension of source files in the language, such as `metal`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Wgsl => "wgsl",
            Self::Glsl(_) | Self::Essl(_) | Self::VulkanGlsl => "glsl",
            Self::Hlsl(_) => "hlsl",
            Self::Msl(_) => "metal",
        }
    }

    /// Returns the version; `None` for languages that have only one.
    pub fn version(self) -> Option<u32> {
        match self {
            Self::Wgsl | Self::VulkanGlsl => None,
            Self::Glsl(version)
            | Self::Essl(version)
            | Self::Hlsl(version)
            | Self::Msl(version) => Some(version),
        }
    }
}

impl Default for Language {
    fn default() -> Self {
        Self::Glsl(450)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version() {
            Some(version) => write!(f, "{}{version}", self.family()),
            None => f.write_str(self.family()),
        }
    }
}

/// A name that does not denote a language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownLanguage(pub String);

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<String> = Language::ALL.iter().map(Language::to_string).collect();
        write!(
            f,
            "unknown language `{}`; expected one of {}",
            self.0,
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownLanguage {}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, UnknownLanguage> {
        let default = DEFAULT_VERSIONS.iter().find(|(known, _)| *known == name);
        let versioned = || {
            let mut all = Self::ALL.iter().copied();
            all.find(|language| language.to_string() == name)
        };
        default
            .map(|(_, language)| *language)
            .or_else(versioned)
            .ok_or_else(|| UnknownLanguage(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for language in Language::ALL {
            assert_eq!(language.to_string().parse(), Ok(*language));
        }
        for (name, language) in DEFAULT_VERSIONS {
            assert_eq!(language.family(), *name);
            assert!(Language::ALL.contains(language), "{language}");
        }
        let error = "glsl120".parse::<Language>().unwrap_err().to_string();
        assert!(error.starts_with("unknown language `glsl120`; expected one of wgsl, glsl330, "));
    }
}
