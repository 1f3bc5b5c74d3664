//! The resolved instruction: every name and every binding in it is a variable, and every type is
//! known.
//!
//! Checking produces one for each valid instruction; lowering turns it into IR. It has no
//! unresolved parts.

use crate::ast::{
    Cond, Dst, DynamicIndex, ExtraPart, Index, Inst, InstTypes, Operand, OperandBase, TextureAccess,
};
use crate::lang::modifiers::Modifiers;
use crate::lang::opcodes::Opcode;
use glasm_ir::{Span, WriteMask};

/// Value that a source reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperandValue {
    /// A variable of the program.
    Var(u32),
    /// A scalar literal: `literals[n]` of the tree.
    Scalar(u32),
    /// Up to four literals from `first` on.
    Vector {
        /// First literal.
        first: u32,
        /// Number of literals.
        count: u8,
    },
}

/// A source of an instruction.
pub(crate) type InstSource = Operand<OperandValue>;

/// The texture or image of an instruction.
pub(crate) type TextureSource = TextureAccess<OperandValue>;

/// The result of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedDst {
    /// The variable.
    pub(crate) var: u32,
    pub(crate) index: Index,
    pub(crate) mask: WriteMask,
    /// Condition-code write mask.
    pub(crate) guard: Option<Cond>,
    pub(crate) span: Span,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedInst {
    /// Opcode, an index into the opcode table.
    pub(crate) opcode: Opcode,
    pub(crate) modifiers: Modifiers,
    pub(crate) types: InstTypes,
    pub(crate) dst: Option<ResolvedDst>,
    /// First source in [`ResolvedInsts::sources`].
    pub(crate) first_source: u32,
    /// Number of sources.
    pub(crate) source_count: u8,
    /// Condition of flow control and KIL.
    pub(crate) cond: Option<Cond>,
    pub(crate) extra: ExtraPart,
    pub(crate) span: Span,
}

/// The instructions of a program that are not yet lowered, and the data that they refer to.
#[derive(Debug, Default)]
pub(crate) struct ResolvedInsts {
    pub(crate) insts: Vec<ResolvedInst>,
    pub(crate) sources: Vec<InstSource>,
    pub(crate) textures: Vec<TextureSource>,
}

impl ResolvedInsts {
    /// Removes all instructions and retains the memory.
    pub(crate) fn clear(&mut self) {
        self.insts.clear();
        self.sources.clear();
        self.textures.clear();
    }

    /// Adds an instruction that was checked, with its operands and its texture or image operand.
    /// Unresolved parts are excluded: the program has errors then.
    pub(crate) fn add_inst(
        &mut self,
        inst: &Inst,
        operands: &[Operand],
        texture: Option<&TextureAccess>,
        types: InstTypes,
    ) {
        let first_source = self.sources.len() as u32;
        let resolved = operands.iter().filter_map(Operand::as_resolved);
        self.sources.extend(resolved);
        self.insts.push(ResolvedInst {
            opcode: inst.opcode,
            modifiers: inst.modifiers,
            types,
            dst: inst.dst.and_then(Dst::as_resolved),
            first_source,
            // Fewer sources than this if one could not be resolved; such a program is not lowered.
            source_count: operands.len() as u8,
            cond: inst.cond,
            extra: inst.extra,
            span: inst.span,
        });
        if let (Some(added), Some(part)) = (self.insts.last_mut(), texture) {
            // The parts of all instructions are in one list; the parser's number is that of the
            // syntax tree.
            added.extra = ExtraPart::Texture(self.textures.len() as u32);
            self.textures.extend(part.as_resolved());
        }
    }

    /// Returns the source operands of an instruction.
    pub(crate) fn sources(&self, line: &ResolvedInst) -> &[InstSource] {
        &self.sources[line.first_source as usize..][..line.source_count as usize]
    }

    /// Returns the source operand of an instruction with this number, from 0 on.
    pub(crate) fn source(&self, line: &ResolvedInst, number: usize) -> InstSource {
        self.sources[line.first_source as usize + number]
    }
}

impl OperandValue {
    /// Returns the base of a parsed operand that reads the value.
    pub(crate) fn to_base(self) -> OperandBase {
        match self {
            Self::Var(var) => OperandBase::Var(var),
            Self::Scalar(literal) => OperandBase::Scalar(literal),
            Self::Vector { first, count } => OperandBase::Vector { first, count },
        }
    }
}

impl OperandBase {
    /// Returns the resolved value; `None` for names and paths, which checking rejected.
    pub(crate) fn as_resolved(self) -> Option<OperandValue> {
        match self {
            Self::Var(var) => Some(OperandValue::Var(var)),
            Self::Scalar(literal) => Some(OperandValue::Scalar(literal)),
            Self::Vector { first, count } => Some(OperandValue::Vector { first, count }),
            // A base that was reported remains as parsed.
            Self::Name(_) | Self::Path(_) => None,
        }
    }
}

impl Dst {
    /// Returns the resolved result; `None` if checking rejected it, so that it is not a variable.
    pub(crate) fn as_resolved(self) -> Option<ResolvedDst> {
        let OperandBase::Var(var) = self.base else {
            return None;
        };
        Some(ResolvedDst {
            var,
            index: self.index,
            mask: self.mask,
            guard: self.guard,
            span: self.span,
        })
    }
}

impl Operand {
    /// Returns the resolved source; `None` if checking rejected its base.
    pub(crate) fn as_resolved(&self) -> Option<InstSource> {
        Some(Operand {
            base: self.base.as_resolved()?,
            index: self.index,
            suffix: self.suffix,
            signs: self.signs,
            span: self.span,
        })
    }
}

impl DynamicIndex {
    /// Returns the resolved index. An unresolved one belongs to a binding path that repeats an
    /// earlier one, whose index is used instead: any value is correct here.
    pub(crate) fn as_resolved(&self) -> DynamicIndex<OperandValue> {
        DynamicIndex {
            base: self.base.as_resolved().unwrap_or(OperandValue::Scalar(0)),
            lane: self.lane,
            offset: self.offset,
            span: self.span,
        }
    }
}

impl TextureAccess {
    /// Returns the resolved texture or image operand; `None` if checking rejected it or its handle.
    /// With a handle the variable is that of the handle.
    pub(crate) fn as_resolved(&self) -> Option<TextureSource> {
        let handle = match &self.handle {
            // A part with an invalid handle is left out; the program is not lowered.
            Some(handle) => Some(handle.as_resolved()?),
            None => None,
        };
        // A texture by handle has no variable; the variable of the handle is stored instead, and
        // nothing reads it there.
        let texture = self.texture.as_resolved().or(handle)?;
        Some(TextureAccess {
            texture: Operand {
                suffix: self.texture.suffix,
                span: self.texture.span,
                ..texture
            },
            handle,
            target: self.target,
            target_span: self.target_span,
            offset: self.offset,
            offset_span: self.offset_span,
        })
    }
}
