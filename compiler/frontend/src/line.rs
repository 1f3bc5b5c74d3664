//! The resolved line: an instruction in which every name and every binding is a variable and every type is known.
//!
//! Rules make one of each instruction that keeps them; lowering turns it into IR. Nothing in it is left to resolve.

use crate::ast::{Base, Cond, Dst, Extra, Index, Inst, InstTypes, Operand, Relative, TexPart};
use crate::lang::modifiers::Modifiers;
use crate::lang::opcodes::Opcode;
use glasm_ir::{Span, WriteMask};

/// What a source reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// A variable of the program.
    Var(u32),
    /// A scalar literal: `literals[n]` of what was read.
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

/// The lines that lowering has not taken, and what they refer to: the one made last, or all so far of a program that waits for
/// the rest of its text.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) list: Vec<Line>,
    pub(crate) sources: Vec<Source>,
    pub(crate) textures: Vec<TextureSource>,
}

impl Lines {
    /// Forgets all lines.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.sources.clear();
        self.textures.clear();
    }

    /// Adds an instruction that was checked. What could not be resolved is left out: the program has errors then.
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
            // The parts of all lines stand in one list; the parser's number counts those of one statement.
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

impl Value {
    /// The base of an operand that reads it.
    pub(crate) fn base(self) -> Base {
        match self {
            Self::Var(var) => Base::Var(var),
            Self::Scalar(literal) => Base::Scalar(literal),
            Self::Vector { first, count } => Base::Vector { first, count },
        }
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
            // What the rules have reported stays as the parser left it.
            Self::Name(_) | Self::Path(_) => None,
        }
    }
}

impl Dst {
    /// The result that the rules have made of it.
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
            // Of a handle with an error no part is made; the program is not lowered.
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
