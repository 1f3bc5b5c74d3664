//! Syntax tree of a TGSI program: flat lists that refer to each other by index. References are
//! unresolved; numbers and words of tables are decoded.

use super::declaration_tables;
use super::declaration_tables::{DclModifierKind, RegisterFile};
use super::lex::{Token, parse_decimal};
use super::opcodes::{self, OpcodeModifiers};
use super::syntax_error::SyntaxError;
use super::texture_targets::TextureTarget;
use crate::take_cleared_vec;
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
    pub(super) dcl_modifiers: Vec<DclModifier>,
    pub(super) immediates: Vec<Immediate>,
    /// Vectors of all declarations of `IMMX`.
    pub(super) immx_vectors: Vec<[u32; 4]>,
    pub(super) properties: Vec<Property>,
    pub(super) insts: Vec<Inst>,
    /// Operands of all instructions: results, sources, texel offsets.
    pub(super) operands: Vec<Operand>,
    pub(super) relatives: Vec<RelativeIndex>,
    pub(super) guards: Vec<PredicateGuard>,
    pub(super) qualifiers: Vec<AccessQualifiers>,
    pub(super) syntax_errors: Vec<SyntaxError>,
    /// True if there are subroutines or calls.
    pub(super) has_subroutines: bool,
    /// Registers and arrays that are dynamically indexed.
    pub(super) dynamic_indices: FxHashSet<DynamicIndex>,
}

impl Ast<'static> {
    /// Clears the AST for the program `text` and retains its memory.
    pub(super) fn recycle_for<'s>(mut self, text: &'s [u8]) -> Ast<'s> {
        self.dynamic_indices.clear();
        Ast {
            text,
            tokens: take_cleared_vec(&mut self.tokens),
            statements: take_cleared_vec(&mut self.statements),
            declarations: take_cleared_vec(&mut self.declarations),
            dcl_modifiers: take_cleared_vec(&mut self.dcl_modifiers),
            immediates: take_cleared_vec(&mut self.immediates),
            immx_vectors: take_cleared_vec(&mut self.immx_vectors),
            properties: take_cleared_vec(&mut self.properties),
            insts: take_cleared_vec(&mut self.insts),
            operands: take_cleared_vec(&mut self.operands),
            relatives: take_cleared_vec(&mut self.relatives),
            guards: take_cleared_vec(&mut self.guards),
            qualifiers: take_cleared_vec(&mut self.qualifiers),
            syntax_errors: take_cleared_vec(&mut self.syntax_errors),
            has_subroutines: false,
            dynamic_indices: self.dynamic_indices,
        }
    }
}

impl Ast<'_> {
    /// Returns the tree without its program string, to reuse the memory.
    pub(super) fn without_text(self) -> Ast<'static> {
        Ast { text: &[], ..self }
    }

    /// Returns the number that the source prints before an instruction; `None` if there is none, or
    /// if it exceeds 32 bits.
    pub(super) fn parse_printed_number(&self, inst: &Inst) -> Option<u32> {
        let digits = &self.text[inst.printed_number? as usize..];
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit());
        parse_decimal(&digits[..count.count()])
    }

    /// Returns true if elements of a file are dynamically indexed without an array id.
    pub(super) fn is_file_indexed(&self, file: RegisterFile) -> bool {
        self.is_dynamically_indexed(file, 0, IndexPosition::Inner)
    }

    /// Returns true if an array of a file is dynamically indexed, by its id.
    pub(super) fn is_array_indexed(&self, file: RegisterFile, id: u32) -> bool {
        id != 0 && self.is_dynamically_indexed(file, id, IndexPosition::Inner)
    }

    /// Returns true if a register of a file has a dynamic first index, as in `CONST[ADDR[0].x][0]`.
    pub(super) fn is_outer_indexed(&self, file: RegisterFile) -> bool {
        self.is_dynamically_indexed(file, 0, IndexPosition::Outer)
    }

    /// Returns true if an instruction indexes this file or array dynamically at this position.
    fn is_dynamically_indexed(
        &self,
        file: RegisterFile,
        array: u32,
        position: IndexPosition,
    ) -> bool {
        // Most programs have no dynamic indices.
        !self.dynamic_indices.is_empty()
            && self.dynamic_indices.contains(&DynamicIndex {
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
    /// Index of the syntax error that ended it, in [`Ast::syntax_errors`].
    pub(super) syntax_error: Option<u32>,
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
    pub(super) header: DclHeader,
    /// True if the registers have no syntax error.
    pub(super) has_registers: bool,
    pub(super) body: DclBody,
}

/// The registers of a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct DclHeader {
    pub(super) file: RegisterFile,
    /// The first bracket of two.
    pub(super) dimension: Option<Dimension>,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) write_mask: WriteMask,
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
/// only if it has modifiers.
#[derive(Clone, Copy, Debug)]
pub(super) enum DclBody {
    /// A syntax error.
    Broken,
    /// `count` of [`Ast::dcl_modifiers`], from `first` on.
    Modifiers {
        first: u32,
        count: u32,
    },
    Image(ImageDecl),
    View(ViewDecl),
    Buffer,
    Memory(MemoryKind),
    /// `count` of [`Ast::immx_vectors`], from `first` on.
    ImmxVectors {
        first: u32,
        count: u32,
    },
}

/// A modifier of a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct DclModifier {
    pub(super) kind: DclModifierKind,
    /// The word.
    pub(super) word: Span,
}

/// An image.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageDecl {
    pub(super) target: TexTarget,
    /// The type of its texels; `None` if the declaration does not specify it.
    pub(super) ty: Option<Type>,
    pub(super) writable: bool,
    /// True if atomics support its format.
    pub(super) atomic: bool,
    /// True if its texels are words that are counted in bytes.
    pub(super) raw: bool,
    /// True if the format that an access names has one component of 32 bits.
    pub(super) has_32bit_texels: bool,
    /// The format that the declaration states, by Vulkan's name.
    pub(super) format: Option<&'static str>,
}

/// A texture view.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewDecl {
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
    pub(super) row: &'static declaration_tables::PropertyRow,
    pub(super) value: u32,
    pub(super) value_span: Span,
    pub(super) name: Span,
    /// Source span from the name to the value.
    pub(super) span: Span,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inst {
    pub(super) opcode_row: &'static opcodes::OpcodeRow,
    pub(super) modifiers: OpcodeModifiers,
    /// `guards[n]`
    pub(super) guard: Option<u32>,
    /// Start of the number before it, which only labels need.
    pub(super) printed_number: Option<u32>,
    pub(super) opcode: Span,
    /// Source span from the opcode to the last operand.
    pub(super) span: Span,
    pub(super) first_operand: u32,
    /// Operands that could be parsed: results, sources, texel offsets.
    pub(super) operand_count: u32,
    /// Sources that could be parsed.
    pub(super) source_count: u32,
    pub(super) trailing: TrailingOperand,
}

/// Parts that only some instructions have.
#[derive(Clone, Copy, Debug)]
pub(super) enum TrailingOperand {
    None,
    /// Texture target.
    Texture(&'static TextureTarget, Span),
    /// `accesses[n]`
    Qualifiers(u32),
    /// Label with its span, the colon included.
    Label(u32, Span),
}

/// Qualifiers after the operands of a memory access. TGSI, section "Memory Qualifiers".
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AccessQualifiers {
    pub(super) flags: MemFlags,
    pub(super) target: Option<&'static TextureTarget>,
    /// The type of texels.
    pub(super) ty: Option<Type>,
    /// True if texels have one component of 32 bits.
    pub(super) has_32bit_texels: bool,
}

impl AccessQualifiers {
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
    pub(super) absolute: bool,
    /// Offset of its end, including swizzle or mask, but not the bar of an absolute value.
    pub(super) end: u32,
}

/// A register as in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register {
    pub(super) file: RegisterFile,
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

impl Index {
    /// Returns a constant index without an array id.
    pub(super) const fn from_number(offset: i32) -> Self {
        Self {
            relative: None,
            offset,
            array: 0,
        }
    }
}

/// A register that is an index, and its selected lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativeIndex {
    /// Its own indices are numbers.
    pub(super) register: Register,
    pub(super) lane: u8,
}

/// A predicate before an instruction: `(PRED[0].x)` or `(!PRED[0].x)` of TGSI of 2010.
#[derive(Clone, Copy, Debug)]
pub(super) struct PredicateGuard {
    pub(super) register: Register,
    pub(super) is_inverted: bool,
    pub(super) swizzle: Swizzle,
}

/// Something that is dynamically indexed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct DynamicIndex {
    pub(super) file: RegisterFile,
    /// The array that the operand names, 0 for none and for the first of two indices, where it does
    /// not matter.
    pub(super) array: u32,
    pub(super) position: IndexPosition,
}

/// Position of a register among the indices of an operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum IndexPosition {
    /// The first one of two.
    Outer,
    /// The only one, or the second one.
    Inner,
}
