//! Registers as operands name them, and instructions whose operands are resolved.

use crate::tgsi::ast::AccessQualifiers;
use crate::tgsi::checked::{CheckedDst, CheckedIndex, TexelOffsets};
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::opcodes::OpcodeRow;
use crate::tgsi::texture_targets::TextureTarget;
use glasm_ir::{Span, WriteMask};

/// An index of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RegisterIndex {
    pub(super) term: CheckedIndex,
    /// The array id of the source, 0 for none.
    pub(super) array: u32,
}

impl RegisterIndex {
    /// Creates a constant index without an array id.
    pub(super) const fn from_constant(number: u32) -> Self {
        Self {
            term: CheckedIndex::from_constant(number as i32),
            array: 0,
        }
    }

    /// Returns the register number; `None` if the index is dynamic.
    pub(super) const fn as_constant(self) -> Option<i32> {
        match self.term.relative {
            None => Some(self.term.offset),
            Some(_) => None,
        }
    }

    /// Returns the index in an array that begins with register `first`.
    pub(super) const fn relative_to(self, first: u32) -> CheckedIndex {
        CheckedIndex {
            // Both are below `limits::TGSI_REGISTERS`, so this does not overflow.
            offset: self.term.offset - first as i32,
            ..self.term
        }
    }
}

/// A register as an operand names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ResolvedRegister {
    pub(super) file: RegisterFile,
    /// The first of two indices.
    pub(super) outer: Option<RegisterIndex>,
    pub(super) index: RegisterIndex,
    pub(super) span: Span,
}

impl ResolvedRegister {
    /// Before one was read.
    pub(super) const NONE: Self = Self {
        file: RegisterFile::Null,
        outer: None,
        index: RegisterIndex::from_constant(0),
        span: Span::new(0, 0),
    };
}

/// Numbers of addresses and predicates are below this.
pub(super) const MAX_ADDRESS_REGISTERS: usize = 64;

/// Most sources of an opcode.
const MAX_SOURCES: usize = 5;

/// An instruction whose operands were resolved.
pub(super) struct TgsiInst {
    pub(super) opcode_row: &'static OpcodeRow,
    /// First source among the operands of the tree.
    pub(super) first_operand: usize,
    /// First source in the checked program.
    pub(super) first_source: usize,
    /// Number of sources that were resolved.
    pub(super) source_count: usize,
    /// Registers of the sources that are resources; others are not set.
    pub(super) resources: [ResolvedRegister; MAX_SOURCES],
    /// Write mask of the result in the source; no lanes without a result.
    pub(super) mask: WriteMask,
    /// Register of the result if it is an output or a resource, else one of another file.
    pub(super) result: ResolvedRegister,
    pub(super) dst: Option<CheckedDst>,
    /// The second result of opcodes that have two.
    pub(super) second_dst: Option<CheckedDst>,
    pub(super) saturates: bool,
    /// The texture target after the operands, and its span.
    pub(super) texture_target: Option<(&'static TextureTarget, Span)>,
    pub(super) offsets: TexelOffsets,
    pub(super) qualifiers: AccessQualifiers,
    pub(super) label: Option<(u32, Span)>,
    pub(super) opcode_span: Span,
    pub(super) span: Span,
}

impl TgsiInst {
    /// Returns an instruction without operands, as the state before the first one.
    pub(super) fn empty() -> Self {
        Self {
            opcode_row: OpcodeRow::any(),
            first_operand: 0,
            first_source: 0,
            source_count: 0,
            resources: [ResolvedRegister::NONE; MAX_SOURCES],
            mask: WriteMask::NONE,
            result: ResolvedRegister::NONE,
            dst: None,
            second_dst: None,
            saturates: false,
            texture_target: None,
            offsets: TexelOffsets::default(),
            qualifiers: AccessQualifiers::default(),
            label: None,
            opcode_span: Span::default(),
            span: Span::default(),
        }
    }

    /// Resets it to the next instruction, without operands. It is large: the registers of resources
    /// are not reset.
    pub(super) fn reset_for(&mut self, row: &'static OpcodeRow, span: Span) {
        self.opcode_row = row;
        self.source_count = 0;
        // The instruction before may have written an output, which this one does not write.
        self.result.file = RegisterFile::Null;
        self.mask = WriteMask::NONE;
        self.dst = None;
        self.second_dst = None;
        self.saturates = false;
        self.texture_target = None;
        self.offsets = TexelOffsets::default();
        self.qualifiers = AccessQualifiers::default();
        self.label = None;
        self.opcode_span = span;
        self.span = span;
    }

    /// Returns the write mask of the result; empty without a result.
    pub(super) fn write_mask(&self) -> WriteMask {
        self.dst.map_or(WriteMask::NONE, |dst| dst.mask)
    }
}
