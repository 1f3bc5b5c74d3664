//! Errors of programs that cannot be expressed for a target.

use glasm_ir::{Inst, Span};
use std::fmt;

/// Kind of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// SPIR-V or Vulkan does not support it, or the code generator does not support it yet.
    Unsupported,
    /// The device lacks a feature that cannot be emulated, with its name in
    /// [`DeviceFeatures::lacks`](crate::options::DeviceFeatures::lacks).
    MissingFeature(&'static str),
    /// The program is too large or nested too deeply.
    Limit,
}

/// Error of code generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// Source location, if one instruction causes the error.
    pub span: Option<Span>,
    /// Human-readable message of one line.
    pub message: String,
}

impl Error {
    /// Returns an error about a part of the program that the target cannot express.
    pub(crate) fn unsupported(message: impl Into<String>) -> Failure {
        Box::new(Self {
            kind: ErrorKind::Unsupported,
            span: None,
            message: message.into(),
        })
    }

    /// Returns an error that names a feature which the device lacks.
    pub(crate) fn missing_feature(feature: &'static str) -> Failure {
        Box::new(Self {
            kind: ErrorKind::MissingFeature(feature),
            span: None,
            message: String::new(),
        })
        .describing_feature(feature)
    }

    /// Replaces the description of the missing feature in the message.
    pub(crate) fn describing_feature(mut self: Box<Self>, description: &str) -> Failure {
        self.message = format!("the device lacks the feature {description}");
        self
    }

    /// Adds to the message that `part` of the options requires the missing feature, which no
    /// instruction of the program does. Errors of other kinds are unchanged.
    pub(crate) fn required_by_options(self: Box<Self>, part: &str) -> Failure {
        match self.kind {
            ErrorKind::MissingFeature(feature) => {
                let description = format!("{feature}, which {part} of the options requires");
                self.describing_feature(&description)
            }
            ErrorKind::Unsupported | ErrorKind::Limit => self,
        }
    }

    /// Returns an error for a program that exceeds a limit of the implementation.
    pub(crate) fn limit(message: impl Into<String>) -> Failure {
        Box::new(Self {
            kind: ErrorKind::Limit,
            span: None,
            message: message.into(),
        })
    }

    /// Returns the error with the location `span`, unless it has one: the innermost location is
    /// retained.
    pub(crate) fn at(mut self: Box<Self>, span: Span) -> Failure {
        // The innermost location is set first.
        self.span.get_or_insert(span);
        self
    }

    /// Returns the error with the location of `inst`, unless it has one or `inst` is `None`.
    /// Instructions that options add have no location.
    pub(crate) fn at_inst(self: Box<Self>, inst: Option<&Inst>) -> Failure {
        match inst.filter(|inst| inst.span != Span::default()) {
            Some(inst) => self.at(inst.span),
            None => self,
        }
    }
}

/// Error as functions return it: boxed and therefore small, because nearly every function of the
/// emission may return it.
pub(crate) type Failure = Box<Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
