//! Syntax tree of a TGSI program: flat lists that refer to each other by index. References are
//! unresolved; numbers and words of tables are decoded.

use super::failure::Failure;
use super::files::File;
use super::lex::Token;
use super::opcodes::{self, Suffixes};
use super::property;
use super::suffixes::SuffixKind;
use super::targets::Target;
use crate::memory::take;
use glasm_ir::resource::MemFlags;
use glasm_ir::types::Type;
use glasm_ir::{Span, Swizzle, TexTarget, WriteMask};
use rustc_hash::FxHashSet;

/// Syntax tree of a whole program.
#[derive(Debug, Default)]
pub(crate) struct Ast<'s> {
    /// Program string.
    pub(super) text: &'s [u8],
    pub(super) tokens: Vec<Token>,
    /// Statements in source order.
    pub(super) statements: Vec<Statement>,
    pub(super) declarations: Vec<Declaration>,
    /// Suffixes of all declarations.
    pub(super) suffixes: Vec<Suffix>,
    pub(super) immediates: Vec<Immediate>,
    /// Vectors of all declarations of `IMMX`.
    pub(super) rows: Vec<[u32; 4]>,
    pub(super) properties: Vec<Property>,
    pub(super) insts: Vec<Inst>,
    /// Operands of all instructions: results, sources, texel offsets.
    pub(super) operands: Vec<Operand>,
    pub(super) relatives: Vec<Relative>,
    pub(super) guards: Vec<Guard>,
    pub(super) accesses: Vec<Access>,
    pub(super) failures: Vec<Failure>,
    /// True if there are subroutines or calls.
    pub(super) has_routines: bool,
    /// Registers and arrays that are dynamically indexed.
    pub(super) indexed: FxHashSet<Indexed>,
}

impl Ast<'static> {
    /// Returns an empty tree with the memory of this one.
    pub(super) fn reuse<'s>(mut self, text: &'s [u8]) -> Ast<'s> {
        self.indexed.clear();
        Ast {
            text,
            tokens: take(&mut self.tokens),
            statements: take(&mut self.statements),
            declarations: take(&mut self.declarations),
            suffixes: take(&mut self.suffixes),
            immediates: take(&mut self.immediates),
            rows: take(&mut self.rows),
            properties: take(&mut self.properties),
            insts: take(&mut self.insts),
            operands: take(&mut self.operands),
            relatives: take(&mut self.relatives),
            guards: take(&mut self.guards),
            accesses: take(&mut self.accesses),
            failures: take(&mut self.failures),
            has_routines: false,
            indexed: self.indexed,
        }
    }
}

impl Ast<'_> {
    /// Returns the tree without its program string, to reuse the memory.
    pub(super) fn forget_text(self) -> Ast<'static> {
        Ast { text: &[], ..self }
    }

    /// Returns true if elements of a file are dynamically indexed without an array id.
    pub(super) fn indexes_file(&self, file: File) -> bool {
        self.indexes(file, 0, Position::Element)
    }

    /// Returns true if an array of a file is dynamically indexed, by its id.
    pub(super) fn indexes_array(&self, file: File, id: u32) -> bool {
        id != 0 && self.indexes(file, id, Position::Element)
    }

    /// Returns true if the first of two indices is dynamic.
    pub(super) fn indexes_first(&self, file: File) -> bool {
        self.indexes(file, 0, Position::Outer)
    }

    fn indexes(&self, file: File, array: u32, position: Position) -> bool {
        // Most programs have no dynamic indices.
        !self.indexed.is_empty()
            && self.indexed.contains(&Indexed {
                file,
                array,
                position,
            })
    }
}

/// A statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    /// The syntax error that ended it, in [`Ast::failures`].
    pub(super) failure: Option<u32>,
    pub(super) start: u32,
    /// Offset at which parsing ended: start of the next token.
    pub(super) end: u32,
}

/// Kind of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum StatementKind {
    /// A syntax error before its kind is known.
    Broken,
    /// An instruction whose opcode is unknown.
    UnknownOpcode(Span),
    /// `declarations[n]` after its keyword; none if the register file could not be parsed.
    Declaration { keyword: Span, id: Option<u32> },
    /// `immediates[n]` after its keyword.
    Immediate { keyword: Span, id: u32 },
    /// `properties[n]` after its name.
    Property(u32),
    /// A property that no table has.
    UnknownProperty(Span),
    /// `insts[n]`
    Inst(u32),
}

/// A declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declaration {
    pub(super) head: Head,
    /// True if the registers have no syntax error.
    pub(super) has_registers: bool,
    pub(super) body: Body,
}

/// The registers of a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) file: File,
    /// The first bracket of two.
    pub(super) dimension: Option<Dimension>,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) usage: WriteMask,
    pub(super) span: Span,
}

/// The first bracket of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dimension {
    /// `[]`: the vertices that the stage implies. With the span of the closing bracket.
    Implied(Span),
    Number(u32),
}

/// Part of a declaration after its registers. That of a declaration with a syntax error is used
/// only if it has suffixes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    /// A syntax error.
    Broken,
    /// `count` of [`Ast::suffixes`], from `first` on.
    Suffixes {
        first: u32,
        count: u32,
    },
    Image(Image),
    View(View),
    Buffer,
    Memory(MemoryKind),
    /// `count` of [`Ast::rows`], from `first` on.
    Rows {
        first: u32,
        count: u32,
    },
}

/// A suffix of a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suffix {
    pub(super) kind: SuffixKind,
    /// The word.
    pub(super) word: Span,
}

/// An image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    pub(super) target: TexTarget,
    /// The type of its texels; `None` if the declaration does not specify it.
    pub(super) ty: Option<Type>,
    pub(super) writable: bool,
    /// True if atomics support its format.
    pub(super) atomic: bool,
    /// True if its texels are words that are counted in bytes.
    pub(super) raw: bool,
    /// True if the format that an access names has one component of 32 bits.
    pub(super) is_word: bool,
    /// The format that the declaration states, by Vulkan's name.
    pub(super) format: Option<&'static str>,
}

/// A texture view.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) target: TexTarget,
    pub(super) ty: Type,
}

/// Kind of a `MEMORY` declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemoryKind {
    Global,
    Shared,
    Private,
    Input,
}

/// An immediate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Immediate {
    /// Its number in the source.
    pub(super) number: Option<(u32, Span)>,
    /// Zeros if it has a syntax error.
    pub(super) words: [u32; 4],
}

/// A property.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property {
    pub(super) row: &'static property::Row,
    pub(super) value: u32,
    pub(super) value_span: Span,
    pub(super) name: Span,
    /// Source span from the name to the value.
    pub(super) span: Span,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inst {
    pub(super) row: &'static opcodes::Row,
    pub(super) suffixes: Suffixes,
    /// `guards[n]`
    pub(super) guard: Option<u32>,
    /// The number before it.
    pub(super) printed: Option<u32>,
    pub(super) opcode: Span,
    /// Source span from the opcode to the last operand.
    pub(super) span: Span,
    pub(super) first_operand: u32,
    /// Operands that could be parsed: results, sources, texel offsets.
    pub(super) operand_count: u32,
    /// Sources that could be parsed.
    pub(super) source_count: u32,
    pub(super) extra: Extra,
}

/// Parts that only some instructions have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extra {
    Nothing,
    /// Texture target.
    Texture(&'static Target, Span),
    /// `accesses[n]`
    Access(u32),
    /// Label with its span, the colon included.
    Label(u32, Span),
}

/// Qualifiers after the operands of a memory access. TGSI, section "Memory Qualifiers".
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    pub(super) flags: MemFlags,
    pub(super) target: Option<&'static Target>,
    /// The type of texels.
    pub(super) ty: Option<Type>,
    /// True if texels have one component of 32 bits.
    pub(super) is_word: bool,
}

impl Access {
    /// Returns true if it is an access to an image: a target follows the operands. `BUFFER` may
    /// follow those of buffers, too.
    pub(super) fn is_image(&self) -> bool {
        let target = self.target.map(|target| target.target);
        target.is_some_and(|target| target != TexTarget::Buffer)
    }
}

/// A result or a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) register: Register,
    /// Swizzle of a source.
    pub(super) swizzle: Swizzle,
    /// Write mask of a result.
    pub(super) mask: WriteMask,
    pub(super) negate: bool,
    pub(super) abs: bool,
    /// Offset of its end, including swizzle or mask, but not the bar of an absolute value.
    pub(super) end: u32,
}

/// A register as in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register {
    pub(super) file: File,
    /// The first of two indices.
    pub(super) outer: Option<Index>,
    pub(super) index: Index,
    pub(super) span: Span,
}

/// An index of a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index {
    /// `relatives[n]` that is added to the offset.
    pub(super) relative: Option<u32>,
    pub(super) offset: i32,
    /// The array id of the source, 0 for none.
    pub(super) array: u32,
}

/// A register that is an index, and its selected lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    /// Its own indices are numbers.
    pub(super) register: Register,
    pub(super) lane: u8,
}

/// A predicate before an instruction: `(PRED[0].x)` or `(!PRED[0].x)` of TGSI of 2010.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub(super) register: Register,
    pub(super) is_inverted: bool,
    pub(super) swizzle: Swizzle,
}

/// Something that is dynamically indexed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Indexed {
    pub(super) file: File,
    /// The array that the operand names, 0 for none and for the first of two indices, where it does
    /// not matter.
    pub(super) array: u32,
    pub(super) position: Position,
}

/// Position of a register among the indices of an operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Position {
    /// The first one of two.
    Outer,
    /// The only one, or the second one.
    Element,
}
