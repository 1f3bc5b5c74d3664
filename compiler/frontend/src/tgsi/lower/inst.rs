//! Instructions whose operands are those of the IR.

use crate::tgsi::checked::{CheckedInst, InstDetails};
use crate::tgsi::opcodes::{OpcodeLowering, OpcodeRow};
use glasm_ir::inst::LiteralId;
use glasm_ir::{Dst, IndexTerm, OperandBase, Saturate, Src, Swizzle, WriteMask};

/// Returns a source that reads lane `lane` of `source` in all lanes.
pub(super) fn splat(source: Src, lane: u8) -> Src {
    source.swizzled(Swizzle::splat(lane))
}

/// Most sources of an opcode.
const MAX_SOURCES: usize = 5;

/// The indices of a resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResourceTerms {
    /// The first of two indices.
    pub(super) outer: Option<IndexTerm>,
    pub(super) index: IndexTerm,
}

/// An instruction whose operands were lowered.
#[derive(Clone, Copy)]
pub(super) struct LoweredInst {
    pub(super) opcode_row: &'static OpcodeRow,
    /// Values of the sources; 0 for resources, and for operands that the source lacks.
    pub(super) sources: [Src; MAX_SOURCES],
    pub(super) source_count: usize,
    /// Components of the result that the source names.
    pub(super) mask: WriteMask,
    pub(super) dst: Option<Dst>,
    /// The second result of opcodes that have two.
    pub(super) second_dst: Option<Dst>,
    pub(super) saturate: Saturate,
    /// Texel offsets.
    pub(super) offsets: [Option<Src>; 4],
    /// The indices of the sampler or of the accessed resource.
    pub(super) resource: ResourceTerms,
    pub(super) details: InstDetails,
}

impl LoweredInst {
    /// Returns an instruction without operands, as the state before the first one.
    pub(super) fn empty() -> Self {
        Self {
            opcode_row: OpcodeRow::any(),
            sources: [Src::new(OperandBase::Literal(LiteralId::default())); MAX_SOURCES],
            source_count: 0,
            mask: WriteMask::NONE,
            dst: None,
            second_dst: None,
            saturate: Saturate::None,
            offsets: [None; 4],
            resource: ResourceTerms {
                outer: None,
                index: IndexTerm::from_constant(0),
            },
            details: InstDetails::None,
        }
    }

    /// Resets it to the next instruction, without operands; `zero` is the value of operands that
    /// have none. It is large: sources of an opcode that reads all of them, and texel offsets of one
    /// without a sampler, are not initialized.
    pub(super) fn reset_for(&mut self, inst: &CheckedInst, zero: Src) {
        let row = inst.opcode_row;
        // Only these read fewer sources than their opcodes have.
        if row.has_resource_sources() || matches!(row.lower, OpcodeLowering::Flow(_)) {
            self.sources = [zero; MAX_SOURCES];
            self.offsets = [None; 4];
        }
        self.opcode_row = row;
        self.mask = inst.mask;
        self.second_dst = None;
        self.saturate = inst.saturate;
        self.details = inst.details;
    }

    /// Returns the write mask of the result; empty without a result.
    pub(super) fn write_mask(&self) -> WriteMask {
        self.dst.map_or(WriteMask::NONE, |dst| dst.mask)
    }

    /// Returns source `number` with its first lane in all lanes.
    pub(super) fn scalar_source(&self, number: usize) -> Src {
        splat(self.sources[number], 0)
    }
}
