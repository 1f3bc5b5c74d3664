//! Instructions whose operands were read, and their last operation.

use super::ast::Access;
use super::files::File;
use super::opcodes::{Lower, Row};
use super::operand::{Register, Target, splat};
use super::targets::Target as TextureTarget;
use glasm_ir::inst::LiteralId;
use glasm_ir::{Base, CondTest, Dst, RegisterId, Saturate, Span, Src, Swizzle, WriteMask};

/// Most sources of an opcode.
pub(super) const SOURCES: usize = 5;

/// An instruction whose operands were read.
#[derive(Clone, Copy)]
pub(super) struct Inst {
    pub(super) row: &'static Row,
    /// Values of the sources; 0 for resources, and for operands of flow control that are not
    /// values.
    pub(super) sources: [Src; SOURCES],
    /// Registers of the sources that were read.
    pub(super) registers: [Register; SOURCES],
    /// Number of sources read.
    pub(super) count: usize,
    /// The result; that of opcodes without one has no lanes.
    pub(super) target: Target,
    /// The second result of opcodes that have two.
    pub(super) second: Option<Dst>,
    pub(super) dst: Option<Dst>,
    pub(super) saturate: Saturate,
    /// The texture target after the operands.
    pub(super) texture: Option<&'static TextureTarget>,
    /// Source span of the target.
    pub(super) target_span: Span,
    /// Texel offsets after the target.
    pub(super) offsets: [Option<Src>; 4],
    pub(super) access: Access,
    pub(super) label: Option<(u32, Span)>,
    pub(super) opcode: Span,
    pub(super) span: Span,
}

/// A predicate before an instruction: the lanes of the result are written for which a lane of it
/// passes the test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predicate {
    pub(super) register: RegisterId,
    /// Test of lanes for a value that is not zero, or that is zero.
    pub(super) test: CondTest,
    pub(super) swizzle: Swizzle,
}

impl Inst {
    /// Returns the state before the first instruction.
    pub(super) fn before_all() -> Self {
        Self {
            row: Row::any(),
            sources: [Src::new(Base::Literal(LiteralId::default())); SOURCES],
            registers: [Register::NONE; SOURCES],
            count: 0,
            target: Target::NONE,
            second: None,
            dst: None,
            saturate: Saturate::None,
            texture: None,
            target_span: Span::default(),
            offsets: [None; 4],
            access: Access::default(),
            label: None,
            opcode: Span::default(),
            span: Span::default(),
        }
    }

    /// Resets it to the next instruction, without operands; `zero` is the value of operands that
    /// have none. It is large: the sources of an opcode that reads all of them are not initialized.
    pub(super) fn begin(&mut self, row: &'static Row, span: Span, zero: Src) {
        // Only these read fewer sources than their opcodes have.
        if row.has_unusual_sources() || matches!(row.lower, Lower::Flow(_)) {
            self.sources = [zero; SOURCES];
        }
        self.row = row;
        self.count = 0;
        // The instruction before may have written an output, which this one must not copy again.
        self.target.register.file = File::Null;
        self.target.mask = WriteMask::NONE;
        self.second = None;
        self.dst = None;
        self.saturate = Saturate::None;
        self.texture = None;
        self.target_span = span;
        self.offsets = [None; 4];
        self.access = Access::default();
        self.label = None;
        self.opcode = span;
        self.span = span;
    }

    /// Returns the lanes that the result takes.
    pub(super) fn mask(&self) -> WriteMask {
        self.dst.map_or(WriteMask::NONE, |dst| dst.mask)
    }

    /// Returns the first lane of a source, in all lanes.
    pub(super) fn scalar(&self, number: usize) -> Src {
        splat(self.sources[number], 0)
    }
}
