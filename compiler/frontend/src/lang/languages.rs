//! Languages that glasm recognizes by the start of their programs, and does not translate.
//! Translated languages are the dialects of [`Dialect`].

use crate::source::{Dialect, Family, ProgramType};

/// Status of a language in glasm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// A language of assembly programs that is not supported yet, with the extension of OpenGL that
    /// defines it.
    Missing(&'static str),
    /// A language other than OpenGL's assembly programs; the string is advice for such a program.
    Foreign(&'static str),
    /// No such language was ever published; the string names the language of such programs.
    Never(&'static str),
}

/// A language that is not translated.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// Start of its programs.
    pub start: &'static str,
    /// Name of the language.
    pub name: &'static str,
    /// Status in glasm.
    pub standing: Standing,
}

macro_rules! languages {
    ($($start:literal $name:literal $standing:ident $text:literal;)*) => {
        /// All languages that are known and not translated.
        pub static LANGUAGES: &[Language] = &[$(Language {
            start: $start,
            name: $name,
            standing: Standing::$standing($text),
        },)*];
    };
}

languages! {
    // Columns: start, name, standing, extension or advice.
    //
    // A header of drafts: the published extension has !!FP1.0 only.
    "!!FCP1.0" "fragment programs with register combiners, of early texts of NV_fragment_program" Missing "NV_fragment_program";
    "!!VP3.0" "no language" Never "NV_vertex_program3 extends programs that start with !!ARBvp1.0: write OPTION NV_vertex_program3; behind that header";
    "!!FP2.0" "no language" Never "NV_fragment_program2 extends programs that start with !!ARBfp1.0: write OPTION NV_fragment_program2; behind that header";
    // Input of nvparse, a library of NVIDIA's SDK; no driver reads it.
    "!!RC1.0" "register combiners of NV_register_combiners" Foreign "register combiners are no programs for OpenGL: the application's library nvparse \
        reads such a text and calls glCombinerInputNV and its like";
    "!!TS1.0" "texture shaders of NV_texture_shader" Foreign "texture shaders are no programs for OpenGL: the application's library nvparse reads such a \
        text and calls glTexEnviv with GL_TEXTURE_SHADER_NV";
    // Words of other assemblies, so that such a file gets advice instead of a list of headers.
    "vs_1_1" "vertex shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "vs_2_0" "vertex shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "vs_2_x" "vertex shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "vs_3_0" "vertex shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_1_1" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_1_4" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_2_0" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_2_x" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_3_0" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "#version" "GLSL" Foreign "glslangValidator and shaderc compile GLSL";
    "; SPIR-V" "SPIR-V assembly" Foreign "spirv-as makes a module of it";
}

impl Language {
    /// Returns the language of a source that glasm does not translate.
    pub fn of(text: &[u8]) -> Option<&'static Self> {
        let starts = |row: &&Self| {
            let rest = text.strip_prefix(row.start.as_bytes());
            // A longer word does not match.
            rest.is_some_and(|rest| {
                !rest
                    .first()
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            })
        };
        LANGUAGES.iter().find(starts)
    }

    /// Returns the language like [`Self::of`], but only an assembly language of OpenGL that glasm
    /// does not support yet.
    pub fn missing(text: &[u8]) -> Option<&'static Self> {
        Self::of(text).filter(|row| matches!(row.standing, Standing::Missing(_)))
    }

    /// Returns the extension of OpenGL that defines the language of a program, translated or not,
    /// if one does.
    pub fn extension_of(text: &[u8]) -> Option<&'static str> {
        match (Dialect::of(text), Self::of(text).map(|row| row.standing)) {
            (Some(dialect), _) => Some(dialect.extension()).filter(|name| !name.is_empty()),
            (None, Some(Standing::Missing(extension))) => Some(extension),
            (None, Some(Standing::Foreign(_) | Standing::Never(_)) | None) => None,
        }
    }
}

/// Describes the programs of a dialect in words.
pub fn dialect_name(dialect: Dialect) -> String {
    let name = dialect.program_type().name();
    match dialect.family() {
        Family::Tgsi => format!("{name} shaders of TGSI (Mesa's Gallium)"),
        Family::Typed | Family::Arb | Family::Vertex1 | Family::Vertex2 | Family::Fragment1 => {
            format!("{name} programs of {}", dialect.extension())
        }
    }
}

/// Returns the headers of all dialects, those of the program type `wanted` first.
pub fn headers(wanted: Option<ProgramType>) -> Vec<&'static str> {
    let of_type = |dialect: &&Dialect| wanted == Some(dialect.program_type());
    let (first, others): (Vec<&Dialect>, Vec<&Dialect>) = Dialect::ALL.iter().partition(of_type);
    let all = first.into_iter().chain(others);
    all.map(|dialect| dialect.header()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_of_a_dialect_and_of_another_language() {
        for row in LANGUAGES {
            assert_eq!(Dialect::of(row.start.as_bytes()), None, "{}", row.start);
            assert_eq!(Language::of(row.start.as_bytes()).unwrap().start, row.start);
        }
        for dialect in Dialect::ALL {
            assert!(Language::of(dialect.header().as_bytes()).is_none());
        }
    }

    #[test]
    fn languages_end_where_their_words_end() {
        assert_eq!(Language::of(b"!!FCP1.0#").unwrap().start, "!!FCP1.0");
        assert!(Language::of(b"!!FCP1.00").is_none());
        assert!(Language::of(b"").is_none());
    }

    #[test]
    fn assembly_programs_have_extensions() {
        let of = |text: &str| Language::extension_of(text.as_bytes());
        assert_eq!(of("!!NVfp4.1 END"), Some("NV_gpu_program4_1"));
        assert_eq!(of("!!FCP1.0"), Some("NV_fragment_program"));
        assert_eq!(of("ps_2_0"), None);
        assert_eq!(of("!!RC1.0"), None);
        assert_eq!(of("FRAG\nEND"), None);
        assert!(Language::missing(b"!!FCP1.0").is_some());
        assert!(Language::missing(b"!!VP3.0").is_none());
    }
}
