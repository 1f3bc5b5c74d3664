//! Why a program cannot be expressed for a target.

use glasm_ir::Span;
use std::fmt;

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// SPIR-V or Vulkan has no form for it, or the code generator has none yet.
    Unsupported,
    /// The device lacks a feature that cannot be emulated; the message names it.
    MissingFeature,
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
    pub(crate) fn missing_feature(feature: &str) -> Failure {
        Box::new(Self {
            kind: ErrorKind::MissingFeature,
            span: None,
            message: format!("{LACKS}{feature}"),
        })
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
        self.span.get_or_insert(span);
        self
    }
}

/// How the messages of [`ErrorKind::MissingFeature`] begin.
const LACKS: &str = "the device lacks the feature ";

/// What the device lacks, by the message of an error of the kind [`ErrorKind::MissingFeature`]: a name of Vulkan, perhaps with words behind
/// it, or operations of subgroups.
pub fn lacking(message: &str) -> Option<&str> {
    message.strip_prefix(LACKS)
}

/// An error on its way out: small, because nearly every function of the emission may return it.
pub(crate) type Failure = Box<Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
