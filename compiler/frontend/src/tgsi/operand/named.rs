//! Registers as operands name them.

use crate::tgsi::files::File;
use glasm_ir::{IndexTerm, Span, Src, Swizzle, WriteMask};

/// An index of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    pub(crate) term: IndexTerm,
    /// The array that the text names, 0 for none.
    pub(crate) array: u32,
}

impl Number {
    /// A number of the text.
    pub(in crate::tgsi) const fn constant(number: u32) -> Self {
        Self {
            term: IndexTerm::constant(number as i32),
            array: 0,
        }
    }

    /// The number, if it is known.
    pub(crate) const fn known(self) -> Option<i32> {
        match self.term.relative {
            None => Some(self.term.offset),
            Some(_) => None,
        }
    }

    /// The index in an array that begins with register `first`.
    pub(crate) const fn from(self, first: u32) -> IndexTerm {
        IndexTerm {
            // Both are below `limits::TGSI_REGISTERS`, so this does not overflow.
            offset: self.term.offset - first as i32,
            ..self.term
        }
    }
}

/// A register as an operand names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Register {
    pub(crate) file: File,
    /// The first of two indices.
    pub(crate) outer: Option<Number>,
    pub(crate) number: Number,
    pub(crate) span: Span,
}

impl Register {
    /// Before one was read.
    pub(crate) const NONE: Self = Self {
        file: File::Null,
        outer: None,
        number: Number::constant(0),
        span: Span::new(0, 0),
    };
}

/// A result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) register: Register,
    pub(crate) mask: WriteMask,
    pub(crate) span: Span,
}

impl Target {
    /// None.
    pub(crate) const NONE: Self = Self {
        register: Register::NONE,
        mask: WriteMask::NONE,
        span: Span::new(0, 0),
    };
}

/// A lane of a source, in all lanes.
pub(crate) fn splat(source: Src, lane: u8) -> Src {
    source.swizzled(Swizzle::splat(lane))
}
