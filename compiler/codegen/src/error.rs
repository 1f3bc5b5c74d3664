//! Why a program cannot be expressed for a target.

use glasm_ir::Span;
use std::fmt;

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// SPIR-V or Vulkan has no form for it, or the code generator has none yet.
    Unsupported,
    /// The device lacks a feature that cannot be emulated, of a name that [`DeviceFeatures::lacks`](crate::options::DeviceFeatures::lacks)
    /// knows.
    MissingFeature(&'static str),
    /// The program is too large or nested too deep.
    Limit,
}

/// An error of code generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// The source text it comes from, if one instruction is to blame.
    pub span: Option<Span>,
    /// One line for people.
    pub message: String,
}

impl Error {
    /// An error that names something without a form in SPIR-V.
    pub(crate) fn unsupported(message: impl Into<String>) -> Failure {
        Box::new(Self {
            kind: ErrorKind::Unsupported,
            span: None,
            message: message.into(),
        })
    }

    /// An error that names a missing feature.
    pub(crate) fn missing_feature(feature: &'static str) -> Failure {
        Box::new(Self {
            kind: ErrorKind::MissingFeature(feature),
            span: None,
            message: String::new(),
        })
        .calling_it(feature)
    }

    /// An error about a missing feature in other words for what is missing.
    pub(crate) fn calling_it(mut self: Box<Self>, what: &str) -> Failure {
        self.message = format!("the device lacks the feature {what}");
        self
    }

    /// An error about size.
    pub(crate) fn limit(message: impl Into<String>) -> Failure {
        Box::new(Self {
            kind: ErrorKind::Limit,
            span: None,
            message: message.into(),
        })
    }

    /// The same error at `span` unless it has a position.
    pub(crate) fn at(mut self: Box<Self>, span: Span) -> Failure {
        // The innermost place is the first to be given.
        self.span.get_or_insert(span);
        self
    }
}

/// An error on its way out: small, because nearly every function of the emission may return it.
pub(crate) type Failure = Box<Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
