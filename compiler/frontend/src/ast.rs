//! Syntax tree of a program: flat lists that refer to each other by index. References are
//! unresolved; names are [`NameId`]s.

use crate::lang::conditions::Test;
use crate::lang::declarations::Declaration;
use crate::lang::modifiers::Modifiers;
use crate::lang::opcodes::Opcode;
use crate::lex::Token;
use crate::names::{NameId, Names};
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
    pub body: usize,
    /// Tokens of the program, for the spans of nodes that store none.
    pub tokens: Vec<Token>,
    /// Names of the program.
    pub names: Names<'s>,
    /// Statements in source order.
    pub statements: Vec<Statement>,
    /// Number of instructions.
    pub inst_count: u32,
    /// Operands of all instructions.
    pub operands: Vec<Operand>,
    /// Texture and image parts of all instructions.
    pub textures: Vec<TexPart>,
    /// Declarations.
    pub decls: Vec<Decl>,
    /// Items of declarations: array elements, TEMP names.
    pub items: Vec<Item>,
    /// Binding paths.
    pub paths: Vec<Path>,
    /// Segments of binding paths.
    pub segments: Vec<Segment>,
    /// Numeric literals.
    pub literals: Vec<Literal>,
    /// Components of vectors that are names of numbers: the index of the literal, which is zero
    /// until the name is resolved.
    pub named_literals: Vec<(u32, NameId, Span)>,
    /// Pairs of indices.
    pub pairs: Vec<[Index; 2]>,
    /// Relative indices.
    pub relatives: Vec<Relative>,
    /// Labels with the indices under which indirect calls select them.
    pub subroutine_numbers: Vec<(NameId, u32, Span)>,
    /// Declarations about the program as a whole, complete or not: bits of [`Declaration`].
    pub declared: u16,
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
    Broken {
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
    pub broken: bool,
    /// Modifiers, those of suffixes included.
    pub modifiers: Modifiers,
    /// The result.
    pub dst: Option<Dst>,
    /// Condition of flow control and KIL.
    pub cond: Option<Cond>,
    /// Parts that only some instructions have.
    pub extra: Extra,
    /// Source span from the opcode to the last operand.
    pub span: Span,
}

/// Parts that only some instructions have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extra {
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
    pub test: Test,
    /// Swizzle.
    pub swizzle: Swizzle,
}

/// A result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dst {
    /// Register, name or binding that is written.
    pub base: Base,
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
pub enum Base {
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
pub struct Relative<B = Base> {
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
    One(u8),
    /// Four components.
    Four,
}

impl Suffix {
    /// No suffix.
    pub const NONE: Self = Self(Swizzle::XYZW.0 as u16);

    /// Returns the suffix that selects one component.
    pub const fn one(lane: u8) -> Self {
        Self(Swizzle::splat(lane).0 as u16 | 1 << 8)
    }

    /// Returns the suffix with four components.
    pub const fn four(swizzle: Swizzle) -> Self {
        Self(swizzle.0 as u16 | 2 << 8)
    }

    /// Returns the swizzle of a vector operand.
    #[inline]
    pub const fn swizzle(self) -> Swizzle {
        Swizzle(self.0 as u8)
    }

    /// Returns the kind of the suffix.
    #[inline]
    pub const fn kind(self) -> SuffixKind {
        // The high byte is the kind; `is_none` and `swizzle` each need one byte only.
        match self.0 >> 8 {
            0 => SuffixKind::None,
            1 => SuffixKind::One(self.0 as u8 & 3),
            _ => SuffixKind::Four,
        }
    }

    /// Returns true if there is no suffix.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 >> 8 == 0
    }
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand<B = Base> {
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
pub struct Path {
    /// First segment.
    pub first: u32,
    /// Number of segments.
    pub count: u32,
    /// Name of the whole path, if it is an operand or a result.
    pub name: Option<NameId>,
    /// Source span.
    pub span: Span,
}

/// A word of a path with its brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The word.
    pub word: Span,
    /// Up to two brackets.
    pub brackets: [Bracket; 2],
    /// Source span of the word and its brackets.
    pub span: Span,
    /// The key of the path up to here; see `lang::paths`.
    pub key: u64,
}

impl Segment {
    /// Returns the dynamic index in the brackets, if there is one.
    pub fn relative(&self) -> Option<u32> {
        match self.brackets[0] {
            Bracket::Relative(relative) => Some(relative),
            Bracket::None | Bracket::One(_) | Bracket::Range(..) => None,
        }
    }
}

/// Contents of a bracket in a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bracket {
    /// No bracket.
    None,
    /// `[n]`
    One(u32),
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
pub struct TexPart<B = Base> {
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
    pub offset: Offset,
    /// Source span of the offset.
    pub offset_span: Span,
}

/// A texel offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offset {
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
    /// TokenKind.
    pub kind: DeclKind,
    /// Modifiers.
    pub mods: VarMods,
    /// Name and its span; meaningless for TEMP lists and program declarations.
    pub name: Option<(NameId, Span)>,
    /// Size: the brackets that follow the name.
    pub size: Size,
    /// Second size of buffer variables.
    pub size2: Size,
    /// First item in [`Ast::items`].
    pub first_item: u32,
    /// Number of items.
    pub item_count: u32,
    /// Source span of the whole statement.
    pub span: Span,
}

/// Size of a declared variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// No array.
    Single,
    /// `[]`
    Open,
    /// `[n]`
    Of(u32, Span),
}

/// An item of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// A name with its size, in TEMP lists.
    Name(NameId, Size, Span),
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
    /// Returns a tree without a program.
    pub(crate) fn new() -> Self {
        Self {
            dialect: Dialect::ALL[0],
            text: &[],
            body: 0,
            tokens: Vec::new(),
            names: Names::default(),
            statements: Vec::new(),
            inst_count: 0,
            operands: Vec::new(),
            textures: Vec::new(),
            decls: Vec::new(),
            items: Vec::new(),
            paths: Vec::new(),
            segments: Vec::new(),
            literals: Vec::new(),
            named_literals: Vec::new(),
            pairs: Vec::new(),
            relatives: Vec::new(),
            subroutine_numbers: Vec::new(),
            declared: 0,
            poisoned: Vec::new(),
        }
    }

    /// Returns the empty tree of another program, which uses the memory of this one.
    pub(crate) fn reuse<'t>(self, dialect: Dialect, text: &'t [u8]) -> Ast<'t> {
        self.rebind((dialect, text), |names| {
            names.reuse(text, dialect.facts().reserved_words)
        })
    }

    /// Returns a tree without a program, which has the memory of this one.
    pub(crate) fn release(self) -> Ast<'static> {
        self.rebind((Dialect::ALL[0], &[]), Names::release)
    }

    fn rebind<'t>(
        self,
        (dialect, text): (Dialect, &'t [u8]),
        rebind_names: impl FnOnce(Names<'s>) -> Names<'t>,
    ) -> Ast<'t> {
        Ast {
            dialect,
            text,
            body: 0,
            tokens: emptied(self.tokens),
            names: rebind_names(self.names),
            statements: emptied(self.statements),
            inst_count: 0,
            operands: emptied(self.operands),
            textures: emptied(self.textures),
            decls: emptied(self.decls),
            items: emptied(self.items),
            paths: emptied(self.paths),
            segments: emptied(self.segments),
            literals: emptied(self.literals),
            named_literals: emptied(self.named_literals),
            pairs: emptied(self.pairs),
            relatives: emptied(self.relatives),
            subroutine_numbers: emptied(self.subroutine_numbers),
            declared: 0,
            poisoned: emptied(self.poisoned),
        }
    }

    /// Returns the tokens in a span.
    pub(crate) fn tokens_in(&self, span: Span) -> &[Token] {
        let before = |at: u32| self.tokens.partition_point(|token| token.start() < at);
        &self.tokens[before(span.start)..before(span.end)]
    }

    /// Returns the items of a declaration.
    pub fn items(&self, decl: &Decl) -> &[Item] {
        &self.items[decl.first_item as usize..][..decl.item_count as usize]
    }

    /// Returns the segments of a path.
    pub fn segments(&self, path: u32) -> &[Segment] {
        let path = self.paths[path as usize];
        &self.segments[path.first as usize..][..path.count as usize]
    }
}

/// Clears a list and returns it with its capacity.
fn emptied<T>(mut list: Vec<T>) -> Vec<T> {
    list.clear();
    list
}

/// Types of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InstTypes {
    /// Type of the operation; of the element for memory accesses; of the result for CVT.
    pub(crate) ty: Type,
    /// Type of the operand of CVT.
    pub(crate) from: Type,
    /// Components of a memory access.
    pub(crate) components: u8,
}
