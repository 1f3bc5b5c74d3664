//! Errors of programs together with their sources, so that they can be printed without these.

use glasm_frontend::{Diagnostics, Source};
use glasm_ir::Stage;
use std::fmt;

/// A source that owns its name and its text.
#[derive(Clone, Debug)]
pub(crate) struct OwnedSource {
    name: Box<str>,
    text: Box<[u8]>,
    /// The source without its name and text.
    settings: Source<'static>,
}

impl OwnedSource {
    /// Copies a source.
    pub(crate) fn new(source: &Source<'_>) -> Self {
        Self {
            name: source.name.into(),
            text: source.text.into(),
            settings: Source {
                name: "",
                text: &[],
                ..*source
            },
        }
    }

    /// Returns the source that was copied.
    pub(crate) fn source(&self) -> Source<'_> {
        Source {
            name: &self.name,
            text: &self.text,
            ..self.settings
        }
    }
}

impl PartialEq for OwnedSource {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for OwnedSource {}

/// Errors of a program with its source. `Display` writes what [`Diagnostics::render`] returns,
/// without the line end, and so does `Debug`, which is the form in which `main` prints the error that
/// it returns.
///
/// ```
/// use glasm::{Program, Stage};
///
/// let text = "!!ARBvp1.0\nMOV result.position, tint;\nEND";
/// let errors = Program::load_string("tint.vp", Stage::Vertex, text).unwrap_err();
/// assert_eq!(errors.name(), "tint.vp");
/// // PROGRAM_ERROR_POSITION_ARB and PROGRAM_ERROR_STRING_ARB
/// assert_eq!(errors.gl_error(), (32, "line 2, column 22: `tint` is not declared".to_owned()));
/// assert!(errors.to_string().contains("--> tint.vp:2:22"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ProgramErrors {
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    source: Box<OwnedSource>,
}

impl ProgramErrors {
    /// Returns diagnostics with a copy of the source that they refer to.
    pub fn new(diagnostics: Diagnostics, source: &Source<'_>) -> Self {
        Self {
            diagnostics,
            source: Box::new(OwnedSource::new(source)),
        }
    }

    /// Returns the name of the source.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// Returns the source, to which the locations of the diagnostics refer.
    pub fn source(&self) -> Source<'_> {
        self.source.source()
    }

    /// Returns `PROGRAM_ERROR_POSITION_ARB` and `PROGRAM_ERROR_STRING_ARB` as
    /// [`Diagnostics::gl_error`] does.
    pub fn gl_error(&self) -> (i64, String) {
        self.diagnostics.gl_error(&self.source())
    }
}

impl fmt::Display for ProgramErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.diagnostics.render(&self.source()).trim_end())
    }
}

impl fmt::Debug for ProgramErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ProgramErrors {}

/// Errors of the stages of a pipeline. `Display` and `Debug` write the errors of all stages, each
/// with the name and the lines of its program.
///
/// ```
/// use glasm::{Options, Program, Stage, link};
///
/// let text = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND";
/// let fragment = Program::load_string("first.fp", Stage::Fragment, text)?;
/// let errors = link(&[&fragment, &fragment], &Options::default()).into_shaders().unwrap_err();
/// let (stage, program) = &errors.stages[0];
/// assert_eq!((*stage, program.name()), (Stage::Fragment, "first.fp"));
/// assert!(errors.to_string().contains("first.fp"));
/// # Ok::<(), glasm::ProgramErrors>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct LinkErrors {
    /// The stages with errors, at least one: those of the programs in their order, then those that
    /// linking generates, whose sources are empty and named after the stage.
    pub stages: Vec<(Stage, ProgramErrors)>,
}

impl fmt::Display for LinkErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (_, errors)) in self.stages.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n\n" };
            write!(f, "{separator}{errors}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for LinkErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LinkErrors {}
