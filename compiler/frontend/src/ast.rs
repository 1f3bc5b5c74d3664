//! Syntax tree of a program: flat lists that refer to each other by index. References are
//! unresolved; names are [`NameId`]s.

use crate::interner::{Interner, NameId};
use crate::lang::modifiers::{CcTest, Modifiers};
use crate::lang::opcodes::Opcode;
use crate::lang::options::Declaration;
use crate::lex::Token;
use crate::source::Dialect;
use glasm_ir::types::Type;
use glasm_ir::{Span, Swizzle, WriteMask};

/// Syntax tree of a whole program.
#[derive(Clone, Debug)]
pub struct Ast<'s> {
    /// Language.
    pub dialect: Dialect,
    /// Program string.
    pub text: &'s [u8],
    /// First byte after the header.
    pub body_start: usize,
    /// Tokens of the program, for the spans of nodes that store none.
    pub tokens: Vec<Token>,
    /// Names of the program.
    pub names: Interner<'s>,
    /// Statements in source order.
    pub statements: Vec<Statement>,
    /// Number of instructions.
    pub inst_count: u32,
    /// Operands of all instructions.
    pub operands: Vec<Operand>,
    /// Texture and image parts of all instructions.
    pub texture_accesses: Vec<TextureAccess>,
    /// Declarations.
    pub decls: Vec<Decl>,
    /// Items of declarations: array elements, TEMP names.
    pub items: Vec<DeclItem>,
    /// Binding paths.
    pub paths: Vec<BindingPath>,
    /// Segments of binding paths.
    pub segments: Vec<PathSegment>,
    /// Numeric literals.
    pub literals: Vec<Literal>,
    /// Components of vectors that are names of numbers: the index of the literal, which is zero
    /// until the name is resolved.
    pub named_literals: Vec<(u32, NameId, Span)>,
    /// Pairs of indices.
    pub index_pairs: Vec<[Index; 2]>,
    /// Relative indices.
    pub relative_indices: Vec<DynamicIndex>,
    /// Labels with the indices under which indirect calls select them.
    pub subroutine_numbers: Vec<(NameId, u32, Span)>,
    /// Declarations about the program as a whole, complete or not: bits of [`Declaration`].
    pub declared_program_kinds: u16,
    /// Names in declarations with syntax errors; their use is not reported again.
    pub poisoned: Vec<NameId>,
}

/// Statement of a program.
#[derive(Clone, Copy, Debug)]
pub enum Statement {
    /// OPTION with the name of the option.
    Option(NameId, Span),
    /// Instruction.
    Inst(Inst),
    /// `decls[n]`
    Decl(u32),
    /// Label.
    Label(NameId, Span),
    /// Declaration with a syntax error.
    Malformed {
        /// Number of its names, which are the next ones of [`Ast::poisoned`].
        names: u32,
        /// Position of the error.
        error: u32,
    },
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Inst {
    /// Opcode.
    pub opcode: Opcode,
    /// First operand in [`Ast::operands`].
    pub first_operand: u32,
    /// Number of operands.
    pub operand_count: u8,
    /// True if the operands could not be parsed; only the block structure of such an instruction is
    /// checked.
    pub has_syntax_error: bool,
    /// Modifiers, those of suffixes included.
    pub modifiers: Modifiers,
    /// The result.
    pub dst: Option<Dst>,
    /// Condition of flow control and KIL.
    pub cond: Option<Cond>,
    /// Parts that only some instructions have.
    pub extra: ExtraPart,
    /// Source span from the opcode to the last operand.
    pub span: Span,
}

/// Parts that only some instructions have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtraPart {
    /// None.
    None,
    /// Target of CAL.
    Label(NameId, Span),
    /// `textures[n]`
    Texture(u32),
    /// Components of SWZ.
    ExtSwizzle([ExtComponent; 4]),
}

/// A component of an extended swizzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtComponent {
    /// Selected component or constant.
    pub select: ExtSelect,
    /// True if it is negated.
    pub negate: bool,
}

/// Selection of a component of an extended swizzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtSelect {
    /// 0.0
    Zero,
    /// 1.0
    One,
    /// A component of the operand.
    Lane(u8),
}

/// A condition: test and swizzle of the tested components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cond {
    /// Test and register.
    pub test: CcTest,
    /// Swizzle.
    pub swizzle: Swizzle,
}

/// A result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dst {
    /// Register, name or binding that is written.
    pub base: OperandBase,
    /// Array element.
    pub index: Index,
    /// Components written.
    pub mask: WriteMask,
    /// Condition-code write mask.
    pub guard: Option<Cond>,
    /// Source span.
    pub span: Span,
}

/// Base of an operand or result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandBase {
    /// A variable.
    Name(NameId),
    /// A binding: `paths[n]`.
    Path(u32),
    /// A scalar literal: `literals[n]`.
    Scalar(u32),
    /// A literal in braces: up to four of `literals` from `first` on.
    Vector {
        /// First literal.
        first: u32,
        /// Number of literals.
        count: u8,
    },
    /// A variable of the checked program, by which the checker replaces names and paths.
    Var(u32),
}

/// An array index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// None.
    None,
    /// A constant.
    Const(u32),
    /// `relatives[n]`
    Relative(u32),
    /// Two indices: `pairs[n]`.
    Pair(u32),
}

/// A dynamic index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DynamicIndex<B = OperandBase> {
    /// The variable, without an index.
    pub base: B,
    /// Its component.
    pub lane: u8,
    /// Constant added.
    pub offset: i64,
    /// Source span.
    pub span: Span,
}

bitflags::bitflags! {
    /// Signs and bars of an operand.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct Signs: u8 {
        /// Minus inside the bars, or the only minus.
        const INNER = 1;
        /// Absolute value.
        const ABS = 2;
        /// Minus outside the bars.
        const OUTER = 4;
        /// True if some sign was written, even a plus.
        const WRITTEN = 8;
    }
}

/// The suffix of an operand: none, one component or four. The low byte is the swizzle that it
/// applies to a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suffix(u16);

/// Kinds of suffixes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SuffixKind {
    /// None.
    None,
    /// One component.
    Component(u8),
    /// Four components.
    Swizzle,
}

impl Suffix {
    /// No suffix.
    pub const NONE: Self = Self(Swizzle::XYZW.0 as u16);

    /// Returns the suffix that selects one component.
    pub const fn from_component(lane: u8) -> Self {
        Self(Swizzle::splat(lane).0 as u16 | 1 << 8)
    }

    /// Returns the suffix that selects four components.
    pub const fn from_swizzle(swizzle: Swizzle) -> Self {
        Self(swizzle.0 as u16 | 2 << 8)
    }

    /// Returns the swizzle of a vector operand; one component is repeated, and no suffix selects
    /// `xyzw`.
    pub const fn swizzle(self) -> Swizzle {
        Swizzle(self.0 as u8)
    }

    /// Returns the form of the suffix: none, one component or four.
    pub const fn kind(self) -> SuffixKind {
        // The high byte is the kind; `is_none` and `swizzle` each need one byte only.
        match self.0 >> 8 {
            0 => SuffixKind::None,
            1 => SuffixKind::Component(self.0 as u8 & 3),
            _ => SuffixKind::Swizzle,
        }
    }

    /// Returns true if the operand has no suffix.
    pub const fn is_none(self) -> bool {
        self.0 >> 8 == 0
    }
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand<B = OperandBase> {
    /// Register, name, binding or constant that is read.
    pub base: B,
    /// Array element.
    pub index: Index,
    /// Component selection.
    pub suffix: Suffix,
    /// Signs and bars.
    pub signs: Signs,
    /// Source span.
    pub span: Span,
}

/// A binding path: words between points, with numbers in brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BindingPath {
    /// First segment.
    pub first_segment: u32,
    /// Number of segments.
    pub segment_count: u32,
    /// Name of the whole path, if it is an operand or a result.
    pub name: Option<NameId>,
    /// Source span.
    pub span: Span,
}

/// A word of a path with its brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathSegment {
    /// The word.
    pub word_span: Span,
    /// Up to two brackets.
    pub brackets: [PathBracket; 2],
    /// Source span of the word and its brackets.
    pub span: Span,
    /// The key of the path up to here; see `lang::binding_paths`.
    pub key: u64,
}

impl PathSegment {
    /// Returns the dynamic index in the brackets as an index into the AST's list; `None` for
    /// constant indices and without brackets.
    pub fn relative_index(&self) -> Option<u32> {
        match self.brackets[0] {
            PathBracket::Relative(relative) => Some(relative),
            PathBracket::None | PathBracket::Single(_) | PathBracket::Range(..) => None,
        }
    }
}

/// Contents of a bracket in a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathBracket {
    /// No bracket.
    None,
    /// `[n]`
    Single(u32),
    /// `[a..b]`
    Range(u32, u32),
    /// `[r.x + n]`: `relatives[n]`.
    Relative(u32),
}

/// A number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    /// True if a minus precedes it.
    pub negative: bool,
    /// The value of an integer, saturated at 2^64 - 1; `None` for a fraction.
    pub int: Option<u64>,
    /// True if the integer was too large.
    pub overflow: bool,
    /// The digits, without sign.
    pub span: Span,
}

/// The texture part of a texture instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureAccess<B = OperandBase> {
    /// The texture. If it is given by a handle, only the span and the selected component are
    /// meaningful.
    pub texture: Operand<B>,
    /// The handle in the parentheses of `handle(v.c)`.
    pub handle: Option<Operand<B>>,
    /// Index into the target table.
    pub target: u8,
    /// Source span of the target.
    pub target_span: Span,
    /// Offset.
    pub offset: TexelOffsetArg,
    /// Source span of the offset.
    pub offset_span: Span,
}

/// A texel offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TexelOffsetArg {
    /// None.
    None,
    /// Constants.
    Constant([i64; 3]),
    /// `offset(v)`: the last operand of the instruction.
    Dynamic,
}

/// Kinds of declarations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeclKind {
    /// TEMP.
    Temp,
    /// ATTRIB.
    Attrib,
    /// PARAM.
    Param,
    /// OUTPUT.
    Output,
    /// ALIAS.
    Alias,
    /// ADDRESS.
    Address,
    /// BUFFER.
    Buffer,
    /// BUFFER4.
    Buffer4,
    /// CBUFFER.
    Cbuffer,
    /// TEXTURE.
    Texture,
    /// IMAGE.
    Image,
    /// SHARED.
    Shared,
    /// STORAGE.
    Storage,
    /// COUNTER.
    Counter,
    /// GROUP_SIZE.
    GroupSize,
    /// SHARED_MEMORY.
    SharedMemory,
    /// SECONDARY_VIEW_LAYER_OFFSET. The item is a number whose bits are those of the signed one.
    SecondaryViewLayerOffset,
    /// PRIMITIVE_IN and similar declarations. The item is the argument, if there is one.
    Program(Declaration),
    /// SUBROUTINETYPE.
    SubroutineType,
    /// SUBROUTINE. The first item is the name of the type.
    Subroutine,
    /// DECLARE: a parameter that callers set by its name. The item, if there is one, is its initial
    /// value.
    Declare,
    /// DEFINE: a constant. The item is its value.
    Define,
}

bitflags::bitflags! {
    /// Modifiers of declarations.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct VarMods: u16 {
        /// SHORT.
        const SHORT = 1;
        /// LONG.
        const LONG = 2;
        /// INT.
        const INT = 4;
        /// UINT.
        const UINT = 8;
        /// FLOAT.
        const FLOAT = 16;
        /// FLAT.
        const FLAT = 32;
        /// CENTROID.
        const CENTROID = 64;
        /// NOPERSPECTIVE.
        const NOPERSPECTIVE = 128;
        /// SAMPLE.
        const SAMPLE = 256;

        /// Sizes.
        const ANY_SIZE = Self::SHORT.bits() | Self::LONG.bits();
        /// Data types.
        const ANY_TYPE = Self::INT.bits() | Self::UINT.bits() | Self::FLOAT.bits();
        /// Interpolation.
        const ANY_INTERPOLATION =
            Self::FLAT.bits() | Self::CENTROID.bits() | Self::NOPERSPECTIVE.bits() | Self::SAMPLE.bits();
    }
}

/// A declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decl {
    /// Kind.
    pub kind: DeclKind,
    /// Modifiers.
    pub mods: VarMods,
    /// Name and its span; meaningless for TEMP lists and program declarations.
    pub name: Option<(NameId, Span)>,
    /// Size: the brackets that follow the name.
    pub size: ArraySize,
    /// Second size of buffer variables.
    pub second_size: ArraySize,
    /// First item in [`Ast::items`].
    pub first_item: u32,
    /// Number of items.
    pub item_count: u32,
    /// Source span of the whole statement.
    pub span: Span,
}

/// Size of a declared variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArraySize {
    /// No array.
    NotArray,
    /// `[]`
    Unsized,
    /// `[n]`
    Sized(u32, Span),
}

/// An item of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclItem {
    /// A name with its size, in TEMP lists.
    Name(NameId, ArraySize, Span),
    /// A binding: `paths[n]`.
    Path(u32),
    /// A scalar constant: `literals[n]`.
    Scalar(u32),
    /// A constant in braces.
    Vector {
        /// First literal.
        first: u32,
        /// Number of literals.
        count: u8,
        /// Source span.
        span: Span,
    },
    /// A number of a program declaration.
    Number(u32, Span),
}

impl<'s> Ast<'s> {
    /// Returns an AST without a program, whose lists have no memory. Its dialect is the first one
    /// of the table and has no significance.
    pub(crate) fn empty() -> Self {
        Self {
            dialect: Dialect::ALL[0],
            text: &[],
            body_start: 0,
            tokens: Vec::new(),
            names: Interner::default(),
            statements: Vec::new(),
            inst_count: 0,
            operands: Vec::new(),
            texture_accesses: Vec::new(),
            decls: Vec::new(),
            items: Vec::new(),
            paths: Vec::new(),
            segments: Vec::new(),
            literals: Vec::new(),
            named_literals: Vec::new(),
            index_pairs: Vec::new(),
            relative_indices: Vec::new(),
            subroutine_numbers: Vec::new(),
            declared_program_kinds: 0,
            poisoned: Vec::new(),
        }
    }

    /// Returns an empty tree for the program `text`, which reuses the memory of this one's lists
    /// and table of names. The names of this tree become invalid; the reserved words of `dialect`
    /// are interned.
    pub(crate) fn reuse_for<'t>(self, dialect: Dialect, text: &'t [u8]) -> Ast<'t> {
        self.rebind((dialect, text), |names| {
            names.reuse_for(text, dialect.traits().reserved_words)
        })
    }

    /// Returns a tree without a program, which has the memory of this one.
    pub(crate) fn into_empty(self) -> Ast<'static> {
        self.rebind((Dialect::ALL[0], &[]), Interner::into_empty)
    }

    /// Returns an empty tree for another program that reuses the memory of this one's lists;
    /// `rebind_names` converts the table of names to the new source.
    fn rebind<'t>(
        self,
        (dialect, text): (Dialect, &'t [u8]),
        rebind_names: impl FnOnce(Interner<'s>) -> Interner<'t>,
    ) -> Ast<'t> {
        Ast {
            dialect,
            text,
            body_start: 0,
            tokens: clear_vec(self.tokens),
            names: rebind_names(self.names),
            statements: clear_vec(self.statements),
            inst_count: 0,
            operands: clear_vec(self.operands),
            texture_accesses: clear_vec(self.texture_accesses),
            decls: clear_vec(self.decls),
            items: clear_vec(self.items),
            paths: clear_vec(self.paths),
            segments: clear_vec(self.segments),
            literals: clear_vec(self.literals),
            named_literals: clear_vec(self.named_literals),
            index_pairs: clear_vec(self.index_pairs),
            relative_indices: clear_vec(self.relative_indices),
            subroutine_numbers: clear_vec(self.subroutine_numbers),
            declared_program_kinds: 0,
            poisoned: clear_vec(self.poisoned),
        }
    }

    /// Returns the tokens whose first byte is in `span`, in source order.
    pub(crate) fn tokens_in(&self, span: Span) -> &[Token] {
        let before = |at: u32| self.tokens.partition_point(|token| token.start() < at);
        &self.tokens[before(span.start)..before(span.end)]
    }

    /// Returns the items of a declaration, in source order.
    pub fn items(&self, decl: &Decl) -> &[DeclItem] {
        &self.items[decl.first_item as usize..][..decl.item_count as usize]
    }

    /// Returns the segments of the path with index `path`, in source order.
    pub fn segments(&self, path: u32) -> &[PathSegment] {
        let path = self.paths[path as usize];
        &self.segments[path.first_segment as usize..][..path.segment_count as usize]
    }
}

/// Clears a list and returns it with its capacity; the element type remains.
fn clear_vec<T>(mut list: Vec<T>) -> Vec<T> {
    list.clear();
    list
}

/// Types of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InstTypes {
    /// Type of the operation; of the element for memory accesses; of the result for CVT.
    pub(crate) ty: Type,
    /// Type of the operand of CVT.
    pub(crate) source_ty: Type,
    /// Components of a memory access.
    pub(crate) components: u8,
    /// Type of the result.
    pub(crate) result: Type,
}
