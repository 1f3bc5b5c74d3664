//! The resolved line: an instruction in which every name and every binding is a variable and every
//! type is known.
//!
//! Checking produces one for each valid instruction; lowering turns it into IR. It has no
//! unresolved parts.

use crate::ast::{Base, Cond, Dst, Extra, Index, Inst, InstTypes, Operand, Relative, TexPart};
use crate::lang::modifiers::Modifiers;
use crate::lang::opcodes::Opcode;
use glasm_ir::{Span, WriteMask};

/// Value that a source reads.
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
    /// Opcode, an index into the opcode table.
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

/// Lines that are not yet lowered, and the data they refer to: the most recent line, or all current
/// lines of a program whose lowering waits for the rest of the source.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) list: Vec<Line>,
    pub(crate) sources: Vec<Source>,
    pub(crate) textures: Vec<TextureSource>,
}

impl Lines {
    /// Removes all lines.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.sources.clear();
        self.textures.clear();
    }

    /// Adds an instruction that was checked. Unresolved parts are left out: the program has errors
    /// then.
    #[inline]
    pub(crate) fn add(
        &mut self,
        inst: &Inst,
        operands: &[Operand],
        part: Option<&TexPart>,
        types: InstTypes,
    ) {
        let first_source = self.sources.len() as u32;
        let resolved = operands.iter().filter_map(Operand::resolved);
        self.sources.extend(resolved);
        let mut extra = inst.extra;
        if let (Extra::Texture(number), Some(part)) = (&mut extra, part) {
            // The parts of all lines are in one list; the parser's number is relative to one
            // statement.
            *number = self.textures.len() as u32;
            self.textures.extend(part.resolved());
        }
        self.list.push(Line {
            opcode: inst.opcode,
            modifiers: inst.modifiers,
            types,
            dst: inst.dst.and_then(Dst::resolved),
            first_source,
            // Fewer sources than this if one could not be resolved; such a program is not lowered.
            source_count: operands.len() as u8,
            cond: inst.cond,
            extra,
            span: inst.span,
        });
    }

    /// Returns the sources of a line.
    #[inline]
    pub(crate) fn sources(&self, line: &Line) -> &[Source] {
        &self.sources[line.first_source as usize..][..line.source_count as usize]
    }

    /// Returns a source of a line.
    #[inline]
    pub(crate) fn source(&self, line: &Line, number: usize) -> Source {
        self.sources[line.first_source as usize + number]
    }
}

impl Value {
    /// Returns the base of an operand that reads the value.
    pub(crate) fn base(self) -> Base {
        match self {
            Self::Var(var) => Base::Var(var),
            Self::Scalar(literal) => Base::Scalar(literal),
            Self::Vector { first, count } => Base::Vector { first, count },
        }
    }
}

impl Base {
    /// Returns the resolved value; `None` if checking rejected it.
    #[inline]
    pub(crate) fn resolved(self) -> Option<Value> {
        match self {
            Self::Var(var) => Some(Value::Var(var)),
            Self::Scalar(literal) => Some(Value::Scalar(literal)),
            Self::Vector { first, count } => Some(Value::Vector { first, count }),
            // A base that was reported remains as parsed.
            Self::Name(_) | Self::Path(_) => None,
        }
    }
}

impl Dst {
    /// Returns the resolved result; `None` if checking rejected it.
    #[inline]
    pub(crate) fn resolved(self) -> Option<Target> {
        let Base::Var(var) = self.base else {
            return None;
        };
        Some(Target {
            var,
            index: self.index,
            mask: self.mask,
            guard: self.guard,
            span: self.span,
        })
    }
}

impl Operand {
    /// Returns the resolved source; `None` if checking rejected it.
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
    /// Returns the resolved index. An unresolved one belongs to a binding path that repeats an
    /// earlier one, whose index is used instead: any value is correct here.
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
    /// Returns the resolved texture; `None` if checking rejected it.
    pub(crate) fn resolved(&self) -> Option<TextureSource> {
        let handle = match &self.handle {
            // A part with an invalid handle is left out; the program is not lowered.
            Some(handle) => Some(handle.resolved()?),
            None => None,
        };
        // A texture by handle has no variable; the variable of the handle is stored instead, and
        // nothing reads it there.
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
