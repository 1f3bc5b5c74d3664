//! Registers as operands name them.

use crate::tgsi::files::File;
use glasm_ir::{IndexTerm, Span, Src, Swizzle, WriteMask};

/// An index of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tgsi) struct Number {
    pub(in crate::tgsi) term: IndexTerm,
    /// The array id of the source, 0 for none.
    pub(in crate::tgsi) array: u32,
}

impl Number {
    /// Creates a number from the source.
    pub(in crate::tgsi) const fn constant(number: u32) -> Self {
        Self {
            term: IndexTerm::constant(number as i32),
            array: 0,
        }
    }

    /// Returns the number, if it is known.
    pub(in crate::tgsi) const fn known(self) -> Option<i32> {
        match self.term.relative {
            None => Some(self.term.offset),
            Some(_) => None,
        }
    }

    /// Returns the index in an array that begins with register `first`.
    pub(in crate::tgsi) const fn from(self, first: u32) -> IndexTerm {
        IndexTerm {
            // Both are below `limits::TGSI_REGISTERS`, so this does not overflow.
            offset: self.term.offset - first as i32,
            ..self.term
        }
    }
}

/// A register as an operand names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tgsi) struct Register {
    pub(in crate::tgsi) file: File,
    /// The first of two indices.
    pub(in crate::tgsi) outer: Option<Number>,
    pub(in crate::tgsi) number: Number,
    pub(in crate::tgsi) span: Span,
}

impl Register {
    /// Before one was read.
    pub(in crate::tgsi) const NONE: Self = Self {
        file: File::Null,
        outer: None,
        number: Number::constant(0),
        span: Span::new(0, 0),
    };
}

/// A result.
#[derive(Clone, Copy, Debug)]
pub(in crate::tgsi) struct Target {
    pub(in crate::tgsi) register: Register,
    pub(in crate::tgsi) mask: WriteMask,
    pub(in crate::tgsi) span: Span,
}

impl Target {
    /// None.
    pub(in crate::tgsi) const NONE: Self = Self {
        register: Register::NONE,
        mask: WriteMask::NONE,
        span: Span::new(0, 0),
    };
}

/// Returns a lane of a source, in all lanes.
pub(in crate::tgsi) fn splat(source: Src, lane: u8) -> Src {
    source.swizzled(Swizzle::splat(lane))
}

/// Numbers of addresses and predicates are below this.
pub(in crate::tgsi) const ADDRESSES: usize = 64;
