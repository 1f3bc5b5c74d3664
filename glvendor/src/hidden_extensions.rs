//! Extensions that settings hide from an application: they are not advertised, and programs that
//! need them do not load.

use crate::capabilities::find_profile;
use glasm::frontend::{Code, Diagnostic, Diagnostics};
use glasm::ir::Span;
use glasm::{Dialect, Source};
use glasm_settings::{Profile, Resolution};

/// Names of options whose extension has another name, with that name. Other options are defined by
/// the extension of the same name, or by that of the program's language.
static OPTION_EXTENSIONS: &[(&str, &str)] = &[
    ("NV_vertex_program2", "GL_NV_vertex_program2_option"),
    ("NV_fragment_program", "GL_NV_fragment_program_option"),
    (
        "NV_shader_storage_buffer",
        "GL_NV_shader_storage_buffer_object",
    ),
    (
        "NV_geometry_program_passthrough",
        "GL_NV_geometry_shader_passthrough",
    ),
];

/// Extensions that settings hide.
#[derive(Debug, Default)]
pub(crate) struct HiddenExtensions {
    /// Names with `GL_`.
    names: Vec<String>,
    /// Newest profile; extensions of this library that are newer are hidden, too.
    newest: Option<Profile>,
}

/// Word of a program, as offsets of its first byte and of the one after it.
type Word = (usize, usize);

impl HiddenExtensions {
    /// Returns the extensions that settings hide.
    pub(crate) fn new(settings: &Resolution) -> Self {
        Self {
            names: settings.hidden_extensions().unwrap_or_default().to_vec(),
            newest: settings.newest_profile().copied(),
        }
    }

    /// Returns true if settings hide nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.newest.is_none()
    }

    /// Returns true if an extension is hidden; its name begins with `GL_`.
    pub(crate) fn contains(&self, name: &str) -> bool {
        let is_newer = || {
            let profile = find_profile(name);
            let newest = self.newest.zip(profile);
            newest.is_some_and(|(newest, profile)| profile > newest)
        };
        self.names.iter().any(|hidden| hidden == name) || is_newer()
    }

    /// Checks that a program needs no hidden extension: for the language of its header and for its
    /// options. Errs at the header or the first such option.
    pub(crate) fn check_program(&self, source: &Source<'_>) -> Result<(), Diagnostics> {
        if self.is_empty() {
            return Ok(());
        }
        let range = source.program_span().range();
        let start = range.start;
        let text = source.text.get(range).unwrap_or_default();
        let Some(dialect) = Dialect::detect(text) else {
            return Ok(());
        };
        let extension = format!("GL_{}", dialect.extension());
        let (code, (first, end), extension) = if self.contains(&extension) {
            (Code::HeaderUnknown, (0, dialect.header().len()), extension)
        } else {
            let options = list_options(text, dialect.header().len());
            let mut options = options.into_iter().map(|word| {
                let name = String::from_utf8_lossy(&text[word.0..word.1]);
                (word, find_extension(&name))
            });
            match options.find(|(_, extension)| self.contains(extension)) {
                Some((word, extension)) => (Code::OptionUnknown, word, extension),
                None => return Ok(()),
            }
        };
        let offset = |position: usize| u32::try_from(start + position).unwrap_or(u32::MAX);
        let span = Span::new(offset(first), offset(end));
        let message = format!("this needs {extension}, which a setting of glasm hides");
        Err(Diagnostics {
            list: vec![Diagnostic::error(code, span, message)],
        })
    }
}

/// Returns the extension that defines an option.
fn find_extension(option: &str) -> String {
    let row = OPTION_EXTENSIONS.iter().find(|(name, _)| *name == option);
    row.map_or_else(
        || format!("GL_{option}"),
        |(_, extension)| (*extension).to_owned(),
    )
}

/// Returns the names of the options of a program, which follow its header: `OPTION name;`.
fn list_options(text: &[u8], header_end: usize) -> Vec<Word> {
    let mut options = Vec::new();
    let mut at = header_end;
    while let Some((first, end)) = find_word(text, at) {
        if &text[first..end] != b"OPTION" {
            break;
        }
        let Some(name) = find_word(text, end) else {
            break;
        };
        options.push(name);
        let semicolon = skip_blanks(text, name.1);
        if text.get(semicolon) != Some(&b';') {
            break;
        }
        at = semicolon + 1;
    }
    options
}

/// Returns the word at a position or after the white space and comments there; `None` if another
/// character is there.
fn find_word(text: &[u8], at: usize) -> Option<Word> {
    let first = skip_blanks(text, at);
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = text[first..].iter().take_while(is_part).count();
    (length > 0).then_some((first, first + length))
}

/// Returns the position of the next byte that is neither white space nor part of a comment.
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    let mut is_comment = false;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' | b'\r' => is_comment = false,
            b'#' => is_comment = true,
            other if is_comment || other.is_ascii_whitespace() => {}
            _ => break,
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text at the error of a program, if there is one.
    fn error_of<'a>(hidden: &HiddenExtensions, text: &'a str) -> Option<&'a str> {
        let source = Source::new("p", text);
        let errors = hidden.check_program(&source).err()?;
        let position = errors.gl_error_position(&source)?;
        let rest = &text[position..];
        Some(rest.split([';', '\n', ' ']).next().unwrap_or(rest))
    }

    #[test]
    fn headers_and_options_need_extensions() {
        let hidden = HiddenExtensions {
            names: vec![
                "GL_NV_vertex_program2_option".to_owned(),
                "GL_ARB_draw_buffers".to_owned(),
                "GL_NV_fragment_program".to_owned(),
            ],
            newest: None,
        };
        for (text, expected) in [
            ("!!FP1.0\nEND", Some("!!FP1.0")),
            ("!!VP2.0\nEND", None),
            (
                "!!ARBvp1.0 OPTION NV_vertex_program2; END",
                Some("NV_vertex_program2"),
            ),
            ("!!ARBvp1.0 OPTION NV_vertex_program3; END", None),
            // The extension for options has another name than the one with a language.
            ("!!ARBfp1.0 OPTION NV_fragment_program; END", None),
            (
                "!!ARBfp1.0 # OPTION x;\nOPTION ARB_fog_exp ;OPTION\tARB_draw_buffers; END",
                Some("ARB_draw_buffers"),
            ),
            ("!!ARBfp1.0 TEMP OPTION; OPTION ARB_draw_buffers; END", None),
            ("!!ARBfp1.0 OPTION", None),
            ("no program", None),
        ] {
            assert_eq!(error_of(&hidden, text), expected, "{text}");
        }
        let none = HiddenExtensions::default();
        assert_eq!(error_of(&none, "!!FP1.0\nEND"), None);
    }

    #[test]
    fn newer_languages_than_the_newest_profile_are_hidden() {
        let with = |newest| HiddenExtensions {
            names: Vec::new(),
            newest: Some(newest),
        };
        let texts = [
            (Profile::Arb, "!!ARBvp1.0\nEND"),
            (Profile::Vp20, "!!VP1.1\nEND"),
            (
                Profile::Vp30,
                "!!ARBfp1.0\nOPTION NV_fragment_program;\nEND",
            ),
            (
                Profile::Vp40,
                "!!ARBfp1.0\nOPTION NV_fragment_program2;\nEND",
            ),
            (Profile::Gp4, "!!NVgp4.1\nEND"),
            (Profile::Gp5, "!!NVcp5.0\nEND"),
        ];
        for (newest, _) in texts {
            for (profile, text) in texts {
                let is_hidden = error_of(&with(newest), text).is_some();
                assert_eq!(is_hidden, profile > newest, "{newest:?} {text}");
            }
        }
    }

    /// Checks that each language belongs to a profile, and that names of options are known.
    #[test]
    fn every_language_has_a_profile() {
        for dialect in Dialect::ALL {
            if !dialect.extension().is_empty() {
                let name = format!("GL_{}", dialect.extension());
                assert!(find_profile(&name).is_some(), "{name}");
            }
        }
        for (option, _) in OPTION_EXTENSIONS {
            let known = glasm::frontend::lang::options::find_any_option(option.as_bytes());
            assert!(known.is_some(), "{option}");
        }
    }
}
