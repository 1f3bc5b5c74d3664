//! The resolved line: an instruction in which every name and every binding is a variable and every type is known.
//!
//! Rules make one of each instruction that keeps them; lowering turns it into IR. Nothing in it is left to resolve.

use crate::ast::{Base, Cond, Extra, Index, InstTypes, Operand, Relative, TexPart};
use crate::kept::{self, Scratch};
use crate::lang::modifiers::Modifiers;
use crate::lang::opcodes::Opcode;
use glasm_ir::{Span, WriteMask};

/// What a source reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
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
pub(crate) type Source = Operand<Value>;

/// The texture or image of an instruction.
pub(crate) type TextureSource = TexPart<Value>;

/// The result of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
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
pub(crate) struct Line {
    /// The row of the opcode table.
    pub(crate) opcode: Opcode,
    pub(crate) modifiers: Modifiers,
    pub(crate) types: InstTypes,
    pub(crate) dst: Option<Target>,
    /// First source in [`Lines::sources`].
    pub(crate) first_source: u32,
    /// Number of sources.
    pub(crate) source_count: u8,
    /// Condition of flow control and KIL.
    pub(crate) cond: Option<Cond>,
    pub(crate) extra: Extra,
    pub(crate) span: Span,
}

/// The lines of a program, and what they refer to.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) list: Vec<Line>,
    pub(crate) sources: Vec<Source>,
    pub(crate) textures: Vec<TextureSource>,
    pub(crate) relatives: Vec<Relative<Value>>,
}

impl Lines {
    /// No lines, with memory that was used before.
    pub(crate) fn new(scratch: &mut Scratch) -> Self {
        let Self {
            mut list,
            mut sources,
            mut textures,
            mut relatives,
        } = std::mem::take(&mut scratch.lines);
        Self {
            list: kept::take(&mut list, 0),
            sources: kept::take(&mut sources, 0),
            textures: kept::take(&mut textures, 0),
            relatives: kept::take(&mut relatives, 0),
        }
    }

    /// The sources of a line.
    #[inline]
    pub(crate) fn sources(&self, line: &Line) -> &[Source] {
        &self.sources[line.first_source as usize..][..line.source_count as usize]
    }

    /// A source of a line.
    #[inline]
    pub(crate) fn source(&self, line: &Line, number: usize) -> Source {
        self.sources[line.first_source as usize + number]
    }
}

impl Base {
    /// What it is once the rules have resolved it; `None` for what they have refused.
    #[inline]
    pub(crate) fn resolved(self) -> Option<Value> {
        match self {
            Self::Var(var) => Some(Value::Var(var)),
            Self::Scalar(literal) => Some(Value::Scalar(literal)),
            Self::Vector { first, count } => Some(Value::Vector { first, count }),
            Self::Name(_) | Self::Path(_) => None,
        }
    }
}

impl Operand {
    /// The source that the rules have made of it.
    #[inline]
    pub(crate) fn resolved(&self) -> Option<Source> {
        Some(Operand {
            base: self.base.resolved()?,
            index: self.index,
            suffix: self.suffix,
            signs: self.signs,
            span: self.span,
        })
    }
}

impl Relative {
    /// The index that the rules have made of it. One that they left unresolved belongs to a binding path that repeats an
    /// earlier one, whose index is used instead: any value does here.
    pub(crate) fn resolved(&self) -> Relative<Value> {
        Relative {
            base: self.base.resolved().unwrap_or(Value::Scalar(0)),
            lane: self.lane,
            offset: self.offset,
            span: self.span,
        }
    }
}

impl TexPart {
    /// The texture that the rules have made of it.
    pub(crate) fn resolved(&self) -> Option<TextureSource> {
        let handle = match &self.handle {
            Some(handle) => Some(handle.resolved()?),
            None => None,
        };
        // A texture by handle has no variable; that of the handle stands in, and nothing reads it there.
        let texture = self.texture.resolved().or(handle)?;
        Some(TexPart {
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
