//! The registers of a declaration.

use crate::tgsi::ast::{Dimension, Head};
use crate::tgsi::covered::Covered;
use crate::tgsi::declare::Declarer;
use crate::tgsi::operand::{Number, Register};
use std::ops::RangeInclusive;

impl Head {
    /// The numbers of its registers.
    pub(in crate::tgsi) fn numbers(&self) -> RangeInclusive<usize> {
        self.first as usize..=self.last as usize
    }

    /// Returns the last one of its registers.
    pub(in crate::tgsi) fn last_register(&self) -> Register {
        let outer = match self.dimension {
            Some(Dimension::Number(number)) => Some(Number::constant(number)),
            Some(Dimension::Implied(_)) | None => None,
        };
        Register {
            file: self.file,
            outer,
            number: Number::constant(self.last),
            span: self.span,
        }
    }

    /// How many registers it has.
    pub(in crate::tgsi) fn len(&self) -> u32 {
        self.last - self.first + 1
    }

    /// The number in the first bracket of two.
    pub(in crate::tgsi) fn buffer(&self) -> u32 {
        match self.dimension {
            Some(Dimension::Number(number)) => number,
            // `CONST[n]` is vector n of buffer 0.
            Some(Dimension::Implied(_)) | None => 0,
        }
    }

    /// The registers of a buffer.
    pub(in crate::tgsi) fn covered(&self) -> Covered {
        Covered {
            buffer: self.buffer(),
            first: self.first,
            last: self.last,
            span: self.span,
        }
    }
}

impl Declarer<'_, '_> {
    /// Declares each register of a declaration; `declare` says whether it was declared before, which is reported.
    pub(in crate::tgsi) fn each_once(
        &mut self,
        head: &Head,
        mut declare: impl FnMut(&mut Self, usize) -> bool,
    ) {
        for number in head.numbers() {
            if declare(self, number) {
                self.cx
                    .check
                    .declared_twice(head.file, number as u32, head.span);
                break;
            }
        }
    }
}
