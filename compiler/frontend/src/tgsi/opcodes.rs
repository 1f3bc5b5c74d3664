//! The table of opcodes, current and old. TGSI, section "Instruction Set".

use super::lex::{Key, Word};
use crate::lang::Stages;
use crate::source::Acceptance;
use glasm_ir::inst::Rounding;
use glasm_ir::resource::AtomicOp;
use glasm_ir::types::Type;
use glasm_ir::{Op, Stage};
use std::sync::OnceLock;

/// Formulas of several operations on 32-bit floats and integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Formula {
    Absolute,
    AbsoluteFloat,
    AddPairs,
    Clamp,
    Condition,
    DivideSigned,
    Dot2Add,
    DotHomogeneous,
    DstVector,
    ExpParts,
    ExtractBits(Type),
    InsertBits,
    Interpolate,
    IsFalse,
    Larger,
    IsTrue,
    Lit,
    LogParts,
    Negate,
    Normalize3,
    Normalize4,
    PackSignedBytes,
    PackUnorm2,
    Power,
    RccBounded,
    Reflect,
    RoundNearest,
    RsqRoot,
    SadInt,
    ScaleByPower,
    /// One of two values, whose signs are changed bitwise.
    SelectBits,
    SetSign,
    ShiftLeft,
    SignlessShift,
    SinCos,
    Texture2dTransform,
    UnpackSignedBytes,
    CrossProduct,
    /// The derivative, with y in the direction of the program's coordinates.
    DerivativeY(Op),
}

/// Formula of a 64-bit opcode that needs more than one operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WideFormula {
    Absolute(Type),
    Negate(Type),
    Sign(Type),
    Fraction,
    ScaleByPower,
    DivideSigned,
    Split,
}

/// Operation of a texture opcode of the older kind: sampler and target are in the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lookup {
    Sample,
    /// At level 0.
    SampleBase,
    Project,
    Bias,
    Level,
    Gradient,
    Fetch,
    /// At level 0.
    FetchBase,
    Gather,
    QuerySize,
    QuerySamples,
    QueryLevel,
}

/// Operation of a texture opcode that names a view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ViewLookup {
    Sample,
    Bias,
    Compare,
    /// At level 0.
    CompareBase,
    Gradient,
    Level,
    Fetch,
    FetchSample,
    Gather,
    Info,
    SamplePosition,
    SampleInfo,
    QueryLevel,
}

impl ViewLookup {
    /// Returns the index of the source operand that is the sampler view.
    pub(super) fn view_source(self) -> usize {
        usize::from(!matches!(self, Self::SamplePosition | Self::SampleInfo))
    }
}

/// Operation of an opcode on memory, images and handles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Memory {
    Load,
    Store,
    Size,
    Atomic(AtomicOp, Type),
    ImageHandle,
    SamplerHandle,
    ReadColor,
}

/// Location at which an input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Interpolate {
    Centroid,
    Sample,
    Offset,
}

/// Flow control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    If(Type),
    Else,
    EndIf,
    Loop,
    EndLoop,
    Break,
    BreakIf,
    Continue,
    Call,
    Return,
    Subroutine,
    EndSubroutine,
    Switch,
    Case,
    Default,
    EndSwitch,
    End,
    Kill,
    Nothing,
    Unsupported,
}

/// Lowering of an opcode to IR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OpcodeLowering {
    /// One operation.
    Direct(Op, Type),
    /// One operation on the first component of each source, for all components of the result.
    First(Op, Type),
    Formula(Formula),
    /// A copy of bits.
    Move,
    /// A comparison whose result is all ones or 0.
    Bits(Op, Type),
    Convert(Type, Type, Rounding),
    /// One operation on pairs of components.
    Wide(Op, Type),
    /// A comparison of pairs: all ones or 0 in x and z.
    WideBits(Op, Type),
    WideFormula(WideFormula),
    /// A shift of pairs by counts of 32 bits.
    WideShift(Op, Type),
    /// Conversion of components x and y to pairs.
    Widen(Type, Type),
    /// Conversion of pairs to components.
    Narrow(Type, Type),
    WideConvert(Type, Type),
    Lookup(Lookup),
    ViewLookup(ViewLookup),
    Memory(Memory),
    Flow(Flow),
    KillIf,
    Demote,
    Emit,
    EndPrimitive,
    Barrier,
    MemoryBarrier,
    Interpolate(Interpolate),
    Vote(Op),
    Ballot,
}

/// Operands of an opcode in addition to registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExtraOperands {
    None,
    /// A sampler as its last source, and a target.
    Sampler,
    View(ViewLookup),
    /// A resource as its first source, unless it stores, and qualifiers.
    Memory(Memory),
    Label,
}

impl OpcodeLowering {
    /// Returns the kind of the operands that an instruction has in addition to results and values.
    pub(super) const fn extra_operands(self) -> ExtraOperands {
        match self {
            Self::Lookup(_) => ExtraOperands::Sampler,
            Self::ViewLookup(lookup) => ExtraOperands::View(lookup),
            Self::Memory(memory) => ExtraOperands::Memory(memory),
            Self::Flow(_) => ExtraOperands::Label,
            Self::Direct(..)
            | Self::First(..)
            | Self::Formula(_)
            | Self::Move
            | Self::Bits(..)
            | Self::Convert(..)
            | Self::Wide(..)
            | Self::WideBits(..)
            | Self::WideFormula(_)
            | Self::WideShift(..)
            | Self::Widen(..)
            | Self::Narrow(..)
            | Self::WideConvert(..)
            | Self::KillIf
            | Self::Demote
            | Self::Emit
            | Self::EndPrimitive
            | Self::Barrier
            | Self::MemoryBarrier
            | Self::Interpolate(_)
            | Self::Vote(_)
            | Self::Ballot => ExtraOperands::None,
        }
    }
}

/// Period in which a word was in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyntaxGeneration {
    /// A word of the current document.
    Current,
    /// A word that was removed from the current document.
    Removed,
}

/// An entry of the opcode table.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpcodeRow {
    pub(super) name: &'static str,
    /// Number of results.
    pub(super) results: u8,
    /// Number of sources, the sampler or view included.
    pub(super) sources: u8,
    pub(super) lower: OpcodeLowering,
    pub(super) stages: Stages,
    pub(super) era: SyntaxGeneration,
    /// Human-readable formula of the result: sources are `a`, `b` and so on in the order of the
    /// operands, resources included.
    pub(super) text: &'static str,
}

macro_rules! opcodes {
    ($($name:literal $results:literal $sources:literal $stages:ident $era:ident $lower:expr, $text:literal;)*) => {
        static ROWS: &[OpcodeRow] = &[$(OpcodeRow {
            name: $name,
            results: $results,
            sources: $sources,
            lower: $lower,
            stages: Stages::$stages,
            era: SyntaxGeneration::$era,
            text: $text,
        },)*];
    };
}

use OpcodeLowering::{
    Bits, Convert, Direct, First, Narrow, Vote, Wide, WideBits, WideConvert, WideShift, Widen,
};
use Type::{F32, F64, S32, S64, U32, U64};

/// Returns the lowering as a conversion with rounding toward zero.
const fn truncating_conversion(from: Type, to: Type) -> OpcodeLowering {
    Convert(from, to, Rounding::Trunc)
}

/// Returns the lowering as a conversion to the nearest value.
const fn nearest_conversion(from: Type, to: Type) -> OpcodeLowering {
    Convert(from, to, Rounding::Even)
}

/// Returns the lowering of an atomic operation on memory or an image.
const fn atomic(op: AtomicOp, ty: Type) -> OpcodeLowering {
    OpcodeLowering::Memory(Memory::Atomic(op, ty))
}

opcodes! {
    // Columns: name, results, sources, stages, era, translation, description.
    "MOV" 1 1 ALL Current OpcodeLowering::Move, "a copy of the bits; with a sign, an absolute value or _SAT a float";
    "MUL" 1 2 ALL Current Direct(Op::Mul, F32), "a * b";
    "ADD" 1 2 ALL Current Direct(Op::Add, F32), "a + b";
    "MAD" 1 3 ALL Current Direct(Op::Mad, F32), "a * b + c, rounded once or twice";
    "DP3" 1 2 ALL Current Direct(Op::Dp3, F32), "a.x * b.x + a.y * b.y + a.z * b.z, in every component";
    "DP4" 1 2 ALL Current Direct(Op::Dp4, F32), "dot product of four components, in every component";
    "ARL" 1 1 ALL Current Convert(F32, S32, Rounding::Floor), "integer of a, rounded down";
    "LIT" 1 1 ALL Current OpcodeLowering::Formula(Formula::Lit), "light: (1, max(a.x, 0), a.x > 0 ? max(a.y, 0)^clamp(a.w, -128, 128) : 0, 1)";
    "RCP" 1 1 ALL Current First(Op::Rcp, F32), "1 / a.x, in every component";
    "RSQ" 1 1 ALL Current OpcodeLowering::Formula(Formula::RsqRoot), "1 / sqrt(a.x), in every component; in 2010 of the absolute value";
    "SQRT" 1 1 ALL Current First(Op::Sqrt, F32), "square root of a.x, in every component";
    "EXP" 1 1 ALL Current OpcodeLowering::Formula(Formula::ExpParts), "2^a.x in parts: (2^floor(a.x), a.x - floor(a.x), 2^a.x, 1)";
    "LOG" 1 1 ALL Current OpcodeLowering::Formula(Formula::LogParts), "logarithm of l = abs(a.x) in parts: (floor(log2(l)), l / 2^floor(log2(l)), log2(l), 1)";
    "DST" 1 2 ALL Current OpcodeLowering::Formula(Formula::DstVector), "distance vector: (1, a.y * b.y, a.z, b.w)";
    "MIN" 1 2 ALL Current Direct(Op::NMin, F32), "the smaller one of two floats; of a number and NaN the number";
    "MAX" 1 2 ALL Current OpcodeLowering::Formula(Formula::Larger), "the larger one of two floats; of a number and NaN the number";
    "SLT" 1 2 ALL Current Direct(Op::SetLt, F32), "a < b ? 1.0 : 0.0";
    "SGE" 1 2 ALL Current Direct(Op::SetGe, F32), "a >= b ? 1.0 : 0.0";
    "LRP" 1 3 ALL Current OpcodeLowering::Formula(Formula::Interpolate), "a * b + (1 - a) * c";
    "FMA" 1 3 ALL Current Direct(Op::Fma, F32), "a * b + c, rounded once";
    "FRC" 1 1 ALL Current Direct(Op::Fract, F32), "a - floor(a)";
    "FLR" 1 1 ALL Current Direct(Op::Floor, F32), "a rounded down, a float";
    "ROUND" 1 1 ALL Current OpcodeLowering::Formula(Formula::RoundNearest), "a rounded to the nearest whole number, halves to the even one; in 2010 floor(a + 0.5)";
    "EX2" 1 1 ALL Current First(Op::Exp2, F32), "2^a.x, in every component";
    "LG2" 1 1 ALL Current First(Op::Log2, F32), "base-2 logarithm of a.x, in every component";
    "POW" 1 2 ALL Current OpcodeLowering::Formula(Formula::Power), "a.x^b.x, in every component; anything to the power 0 is 1";
    "LDEXP" 1 2 ALL Current OpcodeLowering::Formula(Formula::ScaleByPower), "a * 2^b, b an integer";
    "COS" 1 1 ALL Current First(Op::Cos, F32), "cosine of a.x in radians, in every component";
    "SIN" 1 1 ALL Current First(Op::Sin, F32), "sine of a.x in radians, in every component";
    "DDX" 1 1 FRAGMENT Current Direct(Op::Ddx, F32), "derivative in the x of the window";
    "DDX_FINE" 1 1 FRAGMENT Current Direct(Op::DdxFine, F32), "derivative in the x of the window, one for each row of a quad";
    "DDY" 1 1 FRAGMENT Current OpcodeLowering::Formula(Formula::DerivativeY(Op::Ddy)), "derivative in the y of the window, which grows as that of the program's POSITION";
    "DDY_FINE" 1 1 FRAGMENT Current OpcodeLowering::Formula(Formula::DerivativeY(Op::DdyFine)), "the same as DDY, one for each column of a quad";
    "PK2H" 1 1 ALL Current Direct(Op::PackHalf2, F32), "a.x and a.y as half floats in one word, x lowest";
    "PK2US" 1 1 ALL Current OpcodeLowering::Formula(Formula::PackUnorm2), "a.x and a.y, clamped to 0 to 1, as 16-bit fractions in one word, x lowest";
    "PK4B" 1 1 ALL Current OpcodeLowering::Formula(Formula::PackSignedBytes), "a clamped to -1 to 1, times 127, as four signed bytes in one word, x lowest";
    "PK4UB" 1 1 ALL Current Direct(Op::PackUnorm4, F32), "a clamped to 0 to 1, times 255, as four bytes in one word, x lowest";
    "UP2H" 1 1 ALL Current First(Op::UnpackHalf2, F32), "the halves of the word a.x as floats: (low, high, low, high)";
    "UP2US" 1 1 ALL Current First(Op::UnpackUnorm2, F32), "the halves of the word a.x divided by 65535: (low, high, low, high)";
    "UP4B" 1 1 ALL Current OpcodeLowering::Formula(Formula::UnpackSignedBytes), "the signed bytes of the word a.x divided by 127, at least -1; the lowest in x";
    "UP4UB" 1 1 ALL Current First(Op::UnpackUnorm4, F32), "the bytes of the word a.x divided by 255; the lowest in x";
    "SEQ" 1 2 ALL Current Direct(Op::SetEq, F32), "a == b ? 1.0 : 0.0";
    "SGT" 1 2 ALL Current Direct(Op::SetGt, F32), "a > b ? 1.0 : 0.0";
    "SLE" 1 2 ALL Current Direct(Op::SetLe, F32), "a <= b ? 1.0 : 0.0";
    "SNE" 1 2 ALL Current Direct(Op::SetNe, F32), "a != b ? 1.0 : 0.0; NaN is unequal to everything";
    "TEX" 1 2 ALL Current OpcodeLowering::Lookup(Lookup::Sample), "texture sample; outside of fragment programs at level 0";
    "TEX2" 1 3 ALL Current OpcodeLowering::Lookup(Lookup::Sample), "texture sample whose reference for the comparison, or whose rest of the coordinate, is b.x";
    "TXD" 1 4 ALL Current OpcodeLowering::Lookup(Lookup::Gradient), "texture sample with derivatives: b in x, c in y";
    "TXP" 1 2 FRAGMENT Current OpcodeLowering::Lookup(Lookup::Project), "texture sample whose coordinate is divided by a.w";
    "TXB" 1 2 FRAGMENT Current OpcodeLowering::Lookup(Lookup::Bias), "texture sample, a.w added to the level of detail";
    "TXB2" 1 3 FRAGMENT Current OpcodeLowering::Lookup(Lookup::Bias), "texture sample, b.x added to the level of detail; the reference of cube arrays is b.y";
    "TXL" 1 2 ALL Current OpcodeLowering::Lookup(Lookup::Level), "texture sample at level a.w";
    "TXL2" 1 3 ALL Current OpcodeLowering::Lookup(Lookup::Level), "texture sample at level b.x; the reference of cube arrays is b.y";
    "TEX_LZ" 1 2 ALL Current OpcodeLowering::Lookup(Lookup::SampleBase), "texture sample at level 0";
    "TXF" 1 2 ALL Current OpcodeLowering::Lookup(Lookup::Fetch), "texel at integers: level in a.w, or the number of the sample";
    "TXF_LZ" 1 2 ALL Current OpcodeLowering::Lookup(Lookup::FetchBase), "texel of level 0 at integers";
    "TXQ" 1 2 ALL Current OpcodeLowering::Lookup(Lookup::QuerySize), "size of level a.x, integers; in w the number of levels";
    "TXQS" 1 1 ALL Current OpcodeLowering::Lookup(Lookup::QuerySamples), "number of samples of a texture, an integer in x";
    "TG4" 1 3 ALL Current OpcodeLowering::Lookup(Lookup::Gather), "one component of four texels: b.x says which, or the swizzle of the sampler";
    "LODQ" 1 2 FRAGMENT Current OpcodeLowering::Lookup(Lookup::QueryLevel), "level of detail that a sample would use in x, before clamping in y";
    "ARR" 1 1 ALL Current Convert(F32, S32, Rounding::Even), "integer of a, rounded to the nearest, halves to the even one";
    "UARL" 1 1 ALL Current Direct(Op::Mov, S32), "a copy of integers to an address register";
    "SSG" 1 1 ALL Current OpcodeLowering::Formula(Formula::SetSign), "sign of a: -1.0, 0.0 or 1.0";
    "CMP" 1 3 ALL Current Direct(Op::SelLt, F32), "a < 0 ? b : c";
    "UCMP" 1 3 ALL Current OpcodeLowering::Formula(Formula::SelectBits), "a != 0 as an integer ? b : c";
    "KILL_IF" 0 1 FRAGMENT Current OpcodeLowering::KillIf, "discard the fragment if a component of a is below 0";
    // Flow control, because the following code is unreachable.
    "KILL" 0 0 FRAGMENT Current OpcodeLowering::Flow(Flow::Kill), "discard the fragment";
    "DEMOTE" 0 0 FRAGMENT Current OpcodeLowering::Demote, "discard the fragment; it continues as a helper, for derivatives only";
    "READ_HELPER" 1 0 FRAGMENT Current Direct(Op::IsHelper, U32), "all ones if the invocation is a helper by now, else 0";
    "DIV" 1 2 ALL Current Direct(Op::Div, F32), "a / b";
    "DP2" 1 2 ALL Current Direct(Op::Dp2, F32), "a.x * b.x + a.y * b.y, in every component";
    "CEIL" 1 1 ALL Current Direct(Op::Ceil, F32), "a rounded up, a float";
    "TRUNC" 1 1 ALL Current Direct(Op::Trunc, F32), "a without its fraction, a float";
    "CLOCK" 1 0 ALL Current Direct(Op::Clock, U32), "time as an integer of 64 bits, low word in x, high word in y";

    "I2F" 1 1 ALL Current nearest_conversion(S32, F32), "signed integer to float";
    "U2F" 1 1 ALL Current nearest_conversion(U32, F32), "unsigned integer to float";
    "F2I" 1 1 ALL Current truncating_conversion(F32, S32), "float to signed integer, toward zero";
    "F2U" 1 1 ALL Current truncating_conversion(F32, U32), "float to unsigned integer, toward zero";
    "NOT" 1 1 ALL Current Direct(Op::Not, U32), "bitwise complement";
    "AND" 1 2 ALL Current Direct(Op::And, U32), "bitwise and";
    "OR" 1 2 ALL Current Direct(Op::Or, U32), "bitwise or";
    "XOR" 1 2 ALL Current Direct(Op::Xor, U32), "bitwise exclusive or";
    "SHL" 1 2 ALL Current OpcodeLowering::Formula(Formula::ShiftLeft), "a shifted left by b modulo 32; in 2010 by b.x, without modulo";
    "ISHR" 1 2 ALL Current Direct(Op::Shr, S32), "a shifted right by b modulo 32, copies of the sign moving in";
    "USHR" 1 2 ALL Current Direct(Op::Shr, U32), "a shifted right by b modulo 32, zeros moving in";
    "UADD" 1 2 ALL Current Direct(Op::Add, U32), "a + b of integers, modulo 2^32";
    "UMUL" 1 2 ALL Current Direct(Op::Mul, U32), "low 32 bits of the product of integers";
    "UMAD" 1 3 ALL Current Direct(Op::Mad, U32), "a * b + c of integers, modulo 2^32";
    "IMUL_HI" 1 2 ALL Current Direct(Op::MulHi, S32), "high 32 bits of the product of signed integers";
    "UMUL_HI" 1 2 ALL Current Direct(Op::MulHi, U32), "high 32 bits of the product of unsigned integers";
    "IDIV" 1 2 ALL Current OpcodeLowering::Formula(Formula::DivideSigned), "quotient of signed integers, toward zero; 0 if b is 0";
    "UDIV" 1 2 ALL Current Direct(Op::Div, U32), "quotient of unsigned integers; all ones if b is 0";
    "MOD" 1 2 ALL Current Direct(Op::Mod, S32), "remainder of signed integers with the sign of a; all ones if b is 0";
    "UMOD" 1 2 ALL Current Direct(Op::Mod, U32), "remainder of unsigned integers; all ones if b is 0";
    "IMAX" 1 2 ALL Current Direct(Op::Max, S32), "the larger one of two signed integers";
    "UMAX" 1 2 ALL Current Direct(Op::Max, U32), "the larger one of two unsigned integers";
    "IMIN" 1 2 ALL Current Direct(Op::Min, S32), "the smaller one of two signed integers";
    "UMIN" 1 2 ALL Current Direct(Op::Min, U32), "the smaller one of two unsigned integers";
    "ISSG" 1 1 ALL Current Direct(Op::Sign, S32), "sign of a signed integer: -1, 0 or 1";
    "INEG" 1 1 ALL Current OpcodeLowering::Formula(Formula::Negate), "-a of an integer";
    "IABS" 1 1 ALL Current OpcodeLowering::Formula(Formula::Absolute), "absolute value of a signed integer";
    // Comparisons of integers return all ones or 0 already; those of floats return 1.0 or 0.0, as
    // SLT and similar opcodes require.
    "FSLT" 1 2 ALL Current Bits(Op::SetLt, F32), "a < b of floats ? all ones : 0";
    "FSGE" 1 2 ALL Current Bits(Op::SetGe, F32), "a >= b of floats ? all ones : 0";
    "FSEQ" 1 2 ALL Current Bits(Op::SetEq, F32), "a == b of floats ? all ones : 0";
    "FSNE" 1 2 ALL Current Bits(Op::SetNe, F32), "a != b of floats ? all ones : 0; NaN is unequal to everything";
    "ISLT" 1 2 ALL Current Direct(Op::SetLt, S32), "a < b of signed integers ? all ones : 0";
    "ISGE" 1 2 ALL Current Direct(Op::SetGe, S32), "a >= b of signed integers ? all ones : 0";
    "USLT" 1 2 ALL Current Direct(Op::SetLt, U32), "a < b of unsigned integers ? all ones : 0";
    "USGE" 1 2 ALL Current Direct(Op::SetGe, U32), "a >= b of unsigned integers ? all ones : 0";
    "USEQ" 1 2 ALL Current Direct(Op::SetEq, U32), "a == b of integers ? all ones : 0";
    "USNE" 1 2 ALL Current Direct(Op::SetNe, U32), "a != b of integers ? all ones : 0";
    "IBFE" 1 3 ALL Current OpcodeLowering::Formula(Formula::ExtractBits(S32)), "c bits of a from bit b on, as a signed integer";
    "UBFE" 1 3 ALL Current OpcodeLowering::Formula(Formula::ExtractBits(U32)), "c bits of a from bit b on, as an unsigned integer";
    "BFI" 1 4 ALL Current OpcodeLowering::Formula(Formula::InsertBits), "a, in which d bits from bit c on are the lowest ones of b";
    "BREV" 1 1 ALL Current Direct(Op::BitReverse, U32), "bits in reverse order";
    "POPC" 1 1 ALL Current Direct(Op::BitCount, U32), "number of one bits";
    "LSB" 1 1 ALL Current Direct(Op::FindLsb, U32), "number of the lowest one bit; -1 if there is none";
    "IMSB" 1 1 ALL Current Direct(Op::FindMsb, S32), "number of the highest bit that differs from the sign; -1 if there is none";
    "UMSB" 1 1 ALL Current Direct(Op::FindMsb, U32), "number of the highest one bit; -1 if there is none";

    "IF" 0 1 ALL Current OpcodeLowering::Flow(Flow::If(F32)), "begin a block that runs if the float a.x is not 0; in 2010 if any bit of it is set";
    "UIF" 0 1 ALL Current OpcodeLowering::Flow(Flow::If(U32)), "begin a block that runs if any bit of a.x is set";
    "ELSE" 0 0 ALL Current OpcodeLowering::Flow(Flow::Else), "begin the block that runs otherwise";
    "ENDIF" 0 0 ALL Current OpcodeLowering::Flow(Flow::EndIf), "end of IF or UIF";
    "BGNLOOP" 0 0 ALL Current OpcodeLowering::Flow(Flow::Loop), "begin a loop";
    "ENDLOOP" 0 0 ALL Current OpcodeLowering::Flow(Flow::EndLoop), "end of the loop, which starts again";
    "BRK" 0 0 ALL Current OpcodeLowering::Flow(Flow::Break), "leave the loop or the SWITCH";
    "CONT" 0 0 ALL Current OpcodeLowering::Flow(Flow::Continue), "continue with the next iteration";
    "CAL" 0 0 ALL Current OpcodeLowering::Flow(Flow::Call), "call the subroutine whose BGNSUB has the number of the label";
    "RET" 0 0 ALL Current OpcodeLowering::Flow(Flow::Return), "return from the subroutine, or end the program";
    "BGNSUB" 0 0 ALL Current OpcodeLowering::Flow(Flow::Subroutine), "begin a subroutine, after END";
    "ENDSUB" 0 0 ALL Current OpcodeLowering::Flow(Flow::EndSubroutine), "end of a subroutine";
    "SWITCH" 0 1 ALL Current OpcodeLowering::Flow(Flow::Switch), "go to the CASE whose number is a.x, to DEFAULT if there is none";
    "CASE" 0 1 ALL Current OpcodeLowering::Flow(Flow::Case), "begin the statements of one value; preceding statements fall through";
    "DEFAULT" 0 0 ALL Current OpcodeLowering::Flow(Flow::Default), "begin what runs for all other numbers; CASE may follow";
    "ENDSWITCH" 0 0 ALL Current OpcodeLowering::Flow(Flow::EndSwitch), "end of SWITCH";
    "NOP" 0 0 ALL Current OpcodeLowering::Flow(Flow::Nothing), "nothing";
    "END" 0 0 ALL Current OpcodeLowering::Flow(Flow::End), "end of the program; subroutines may follow";
    "EMIT" 0 1 GEOMETRY Current OpcodeLowering::Emit, "emit a vertex to stream a.x, an immediate; in 2010 without operand";
    "ENDPRIM" 0 1 GEOMETRY Current OpcodeLowering::EndPrimitive, "end the primitive of stream a.x, an immediate; in 2010 without operand";

    "INTERP_CENTROID" 1 1 FRAGMENT Current OpcodeLowering::Interpolate(Interpolate::Centroid), "the input a, interpolated at the centroid of the covered part of the pixel";
    "INTERP_SAMPLE" 1 2 FRAGMENT Current OpcodeLowering::Interpolate(Interpolate::Sample), "the input a, interpolated at sample b.x";
    "INTERP_OFFSET" 1 2 FRAGMENT Current OpcodeLowering::Interpolate(Interpolate::Offset), "the input a, interpolated b.xy away from the center of the pixel";

    "DABS" 1 1 ALL Current OpcodeLowering::WideFormula(WideFormula::Absolute(F64)), "absolute value of doubles";
    "DNEG" 1 1 ALL Current OpcodeLowering::WideFormula(WideFormula::Negate(F64)), "-a of doubles";
    "DADD" 1 2 ALL Current Wide(Op::Add, F64), "a + b of doubles";
    "DMUL" 1 2 ALL Current Wide(Op::Mul, F64), "a * b of doubles";
    "DMAD" 1 3 ALL Current Wide(Op::Mad, F64), "a * b + c of doubles";
    "DFMA" 1 3 ALL Current Wide(Op::Fma, F64), "a * b + c of doubles, rounded once";
    "DDIV" 1 2 ALL Current Wide(Op::Div, F64), "a / b of doubles";
    "DMIN" 1 2 ALL Current Wide(Op::NMin, F64), "the smaller one of two doubles";
    "DMAX" 1 2 ALL Current Wide(Op::NMax, F64), "the larger one of two doubles";
    "DSEQ" 1 2 ALL Current WideBits(Op::SetEq, F64), "a == b of doubles ? all ones : 0, in x and z; in 2010 1.0 or 0.0";
    "DSNE" 1 2 ALL Current WideBits(Op::SetNe, F64), "a != b of doubles ? all ones : 0, in x and z; in 2010 1.0 or 0.0";
    "DSLT" 1 2 ALL Current WideBits(Op::SetLt, F64), "a < b of doubles ? all ones : 0, in x and z; in 2010 1.0 or 0.0";
    "DSGE" 1 2 ALL Current WideBits(Op::SetGe, F64), "a >= b of doubles ? all ones : 0, in x and z; in 2010 1.0 or 0.0";
    "DFRAC" 1 1 ALL Current OpcodeLowering::WideFormula(WideFormula::Fraction), "a - floor(a) of doubles";
    "DTRUNC" 1 1 ALL Current Wide(Op::Trunc, F64), "a without its fraction, a double";
    "DCEIL" 1 1 ALL Current Wide(Op::Ceil, F64), "a rounded up, a double";
    "DFLR" 1 1 ALL Current Wide(Op::Floor, F64), "a rounded down, a double";
    "DROUND" 1 1 ALL Current Wide(Op::Round, F64), "a rounded to the nearest whole number, a double";
    "DSSG" 1 1 ALL Current OpcodeLowering::WideFormula(WideFormula::Sign(F64)), "sign of doubles: -1.0, 0.0 or 1.0";
    "DLDEXP" 1 2 ALL Current OpcodeLowering::WideFormula(WideFormula::ScaleByPower), "a * 2^n of doubles; n is an integer in b.x and b.z";
    "DRCP" 1 1 ALL Current Wide(Op::Rcp, F64), "1 / a of doubles";
    "DSQRT" 1 1 ALL Current Wide(Op::Sqrt, F64), "square root of doubles";
    "DRSQ" 1 1 ALL Current Wide(Op::Rsq, F64), "1 / sqrt(a) of doubles";
    "F2D" 1 1 ALL Current Widen(F32, F64), "float to double: a.x to xy, a.y to zw";
    "I2D" 1 1 ALL Current Widen(S32, F64), "signed integer to double: a.x to xy, a.y to zw";
    "U2D" 1 1 ALL Current Widen(U32, F64), "unsigned integer to double: a.x to xy, a.y to zw";
    "D2F" 1 1 ALL Current Narrow(F64, F32), "double to float: a.xy to the first component that is written, a.zw to the second";
    "D2I" 1 1 ALL Current Narrow(F64, S32), "double to signed integer, toward zero; components as for D2F";
    "D2U" 1 1 ALL Current Narrow(F64, U32), "double to unsigned integer, toward zero; components as for D2F";
    "I64ABS" 1 1 ALL Current OpcodeLowering::WideFormula(WideFormula::Absolute(S64)), "absolute value of 64-bit integers";
    "I64NEG" 1 1 ALL Current OpcodeLowering::WideFormula(WideFormula::Negate(S64)), "-a of 64-bit integers";
    "I64SSG" 1 1 ALL Current OpcodeLowering::WideFormula(WideFormula::Sign(S64)), "sign of 64-bit integers: -1, 0 or 1";
    "U64ADD" 1 2 ALL Current Wide(Op::Add, U64), "a + b of 64-bit integers";
    "U64MUL" 1 2 ALL Current Wide(Op::Mul, U64), "low 64 bits of the product of 64-bit integers";
    "U64SEQ" 1 2 ALL Current WideBits(Op::SetEq, U64), "a == b of 64-bit integers ? all ones : 0, in x and z";
    "U64SNE" 1 2 ALL Current WideBits(Op::SetNe, U64), "a != b of 64-bit integers ? all ones : 0, in x and z";
    "U64SLT" 1 2 ALL Current WideBits(Op::SetLt, U64), "a < b of unsigned 64-bit integers ? all ones : 0, in x and z";
    "U64SGE" 1 2 ALL Current WideBits(Op::SetGe, U64), "a >= b of unsigned 64-bit integers ? all ones : 0, in x and z";
    "I64SLT" 1 2 ALL Current WideBits(Op::SetLt, S64), "a < b of signed 64-bit integers ? all ones : 0, in x and z";
    "I64SGE" 1 2 ALL Current WideBits(Op::SetGe, S64), "a >= b of signed 64-bit integers ? all ones : 0, in x and z";
    "I64MIN" 1 2 ALL Current Wide(Op::Min, S64), "the smaller one of two signed 64-bit integers";
    "I64MAX" 1 2 ALL Current Wide(Op::Max, S64), "the larger one of two signed 64-bit integers";
    "U64MIN" 1 2 ALL Current Wide(Op::Min, U64), "the smaller one of two unsigned 64-bit integers";
    "U64MAX" 1 2 ALL Current Wide(Op::Max, U64), "the larger one of two unsigned 64-bit integers";
    "U64SHL" 1 2 ALL Current WideShift(Op::Shl, U64), "64-bit integers shifted left by b.x and b.z modulo 64";
    "I64SHR" 1 2 ALL Current WideShift(Op::Shr, S64), "signed 64-bit integers shifted right by b.x and b.z modulo 64";
    "U64SHR" 1 2 ALL Current WideShift(Op::Shr, U64), "unsigned 64-bit integers shifted right by b.x and b.z modulo 64";
    "I64DIV" 1 2 ALL Current OpcodeLowering::WideFormula(WideFormula::DivideSigned), "quotient of signed 64-bit integers, toward zero; 0 if b is 0";
    "U64DIV" 1 2 ALL Current Wide(Op::Div, U64), "quotient of unsigned 64-bit integers; all ones if b is 0";
    "U64MOD" 1 2 ALL Current Wide(Op::Mod, U64), "remainder of unsigned 64-bit integers; all ones if b is 0";
    "I64MOD" 1 2 ALL Current Wide(Op::Mod, S64), "remainder of signed 64-bit integers with the sign of a; all ones if b is 0";
    "F2U64" 1 1 ALL Current Widen(F32, U64), "float to unsigned 64-bit integer, toward zero: a.x to xy, a.y to zw";
    "F2I64" 1 1 ALL Current Widen(F32, S64), "float to signed 64-bit integer, toward zero: a.x to xy, a.y to zw";
    "U2I64" 1 1 ALL Current Widen(U32, U64), "unsigned integer to 64 bits: a.x to xy, a.y to zw";
    "I2I64" 1 1 ALL Current Widen(S32, S64), "signed integer to 64 bits: a.x to xy, a.y to zw";
    "D2U64" 1 1 ALL Current WideConvert(F64, U64), "double to unsigned 64-bit integer, toward zero";
    "D2I64" 1 1 ALL Current WideConvert(F64, S64), "double to signed 64-bit integer, toward zero";
    "U642F" 1 1 ALL Current Narrow(U64, F32), "unsigned 64-bit integer to float; components as for D2F";
    "I642F" 1 1 ALL Current Narrow(S64, F32), "signed 64-bit integer to float; components as for D2F";
    "U642D" 1 1 ALL Current WideConvert(U64, F64), "unsigned 64-bit integer to double";
    "I642D" 1 1 ALL Current WideConvert(S64, F64), "signed 64-bit integer to double";

    "SAMPLE" 1 3 ALL Current OpcodeLowering::ViewLookup(ViewLookup::Sample), "sample of a view; outside of fragment programs at level 0";
    "SAMPLE_B" 1 4 FRAGMENT Current OpcodeLowering::ViewLookup(ViewLookup::Bias), "sample of a view, d.x added to the level of detail";
    "SAMPLE_C" 1 4 ALL Current OpcodeLowering::ViewLookup(ViewLookup::Compare), "sample of a view whose first component is compared with d.x";
    "SAMPLE_C_LZ" 1 4 ALL Current OpcodeLowering::ViewLookup(ViewLookup::CompareBase), "the same as SAMPLE_C, at level 0";
    "SAMPLE_D" 1 5 ALL Current OpcodeLowering::ViewLookup(ViewLookup::Gradient), "sample of a view with derivatives: d in x, e in y";
    "SAMPLE_L" 1 4 ALL Current OpcodeLowering::ViewLookup(ViewLookup::Level), "sample of a view at level d.x";
    "SAMPLE_I" 1 2 ALL Current OpcodeLowering::ViewLookup(ViewLookup::Fetch), "texel of a view at integers, level in a.w; 0 out of range";
    "SAMPLE_I_MS" 1 3 ALL Current OpcodeLowering::ViewLookup(ViewLookup::FetchSample), "texel of a view at integers, sample c.x";
    "GATHER4" 1 3 ALL Current OpcodeLowering::ViewLookup(ViewLookup::Gather), "the first component of four texels of a view";
    "SVIEWINFO" 1 2 ALL Current OpcodeLowering::ViewLookup(ViewLookup::Info), "size of level a.x of a view, integers; in w the number of levels";
    "SAMPLE_POS" 1 2 FRAGMENT Current OpcodeLowering::ViewLookup(ViewLookup::SamplePosition), "position of sample b.x in its pixel, from 0 to 1, in x and y";
    "SAMPLE_INFO" 1 1 FRAGMENT Current OpcodeLowering::ViewLookup(ViewLookup::SampleInfo), "number of samples, an integer in x";
    "LOD" 1 3 FRAGMENT Current OpcodeLowering::ViewLookup(ViewLookup::QueryLevel), "level of detail that a sample of a view would use in x, before clamping in y";

    "LOAD" 1 2 ALL Current OpcodeLowering::Memory(Memory::Load), "words from the byte b.x on, or the texel of an image at integers b";
    "STORE" 1 2 ALL Current OpcodeLowering::Memory(Memory::Store), "put b at the byte a.x, word by word as the mask says, or into the texel of an image at integers a";
    "RESQ" 1 1 ALL Current OpcodeLowering::Memory(Memory::Size), "bytes of a buffer in x, or the size of an image, with the samples in w";
    "FBFETCH" 1 1 FRAGMENT Current OpcodeLowering::Memory(Memory::ReadColor), "what the color attachment of an output holds where the fragment is";
    "IMG2HND" 1 1 ALL Current OpcodeLowering::Memory(Memory::ImageHandle), "handle of an image, 64 bits in x and y";
    "SAMP2HND" 1 1 ALL Current OpcodeLowering::Memory(Memory::SamplerHandle), "handle of a texture with its sampler, 64 bits in x and y";
    "ATOMUADD" 1 3 ALL Current atomic(AtomicOp::Add, U32), "add c.x to an integer in memory; the result is the old value";
    "ATOMFADD" 1 3 ALL Current atomic(AtomicOp::Add, F32), "add c.x to a float in memory; the result is the old value";
    "ATOMXCHG" 1 3 ALL Current atomic(AtomicOp::Exchange, U32), "exchange a word in memory for c.x; the result is the old one";
    "ATOMCAS" 1 4 ALL Current atomic(AtomicOp::CompareExchange, U32), "put d.x into memory if c.x is there; the result is the old value";
    "ATOMAND" 1 3 ALL Current atomic(AtomicOp::And, U32), "bitwise and of memory with c.x; the result is the old value";
    "ATOMOR" 1 3 ALL Current atomic(AtomicOp::Or, U32), "bitwise or of memory with c.x; the result is the old value";
    "ATOMXOR" 1 3 ALL Current atomic(AtomicOp::Xor, U32), "bitwise exclusive or of memory with c.x; the result is the old value";
    "ATOMUMIN" 1 3 ALL Current atomic(AtomicOp::Min, U32), "minimum of an unsigned integer in memory and c.x; the result is the old value";
    "ATOMUMAX" 1 3 ALL Current atomic(AtomicOp::Max, U32), "maximum of an unsigned integer in memory and c.x; the result is the old value";
    "ATOMIMIN" 1 3 ALL Current atomic(AtomicOp::Min, S32), "minimum of a signed integer in memory and c.x; the result is the old value";
    "ATOMIMAX" 1 3 ALL Current atomic(AtomicOp::Max, S32), "maximum of a signed integer in memory and c.x; the result is the old value";
    "ATOMINC_WRAP" 1 3 ALL Current atomic(AtomicOp::IncWrap, U32), "count up in memory from 0 to c.x, then 0 again; the result is the old value";
    "ATOMDEC_WRAP" 1 3 ALL Current atomic(AtomicOp::DecWrap, U32), "count down in memory from c.x to 0, then c.x again; the result is the old value";
    "BARRIER" 0 0 BARRIERS Current OpcodeLowering::Barrier, "wait for all invocations of the block or patch";
    "MEMBAR" 0 1 ALL Current OpcodeLowering::MemoryBarrier, "order accesses to memory: a.x is 1 for buffers, 2 counters, 4 images, 8 shared, 16 block only";

    "VOTE_ANY" 1 1 ALL Current Vote(Op::GroupAny), "all ones if a is not 0 in any invocation of the subgroup, else 0";
    "VOTE_ALL" 1 1 ALL Current Vote(Op::GroupAll), "all ones if a is not 0 in all invocations of the subgroup, else 0";
    "VOTE_EQ" 1 1 ALL Current Vote(Op::GroupAllEqual), "all ones if a is the same in all invocations of the subgroup, else 0";
    "BALLOT" 1 1 ALL Current OpcodeLowering::Ballot, "mask of the invocations of the subgroup where a.x is not 0, 64 bits in x and y";
    "READ_FIRST" 1 1 ALL Current Direct(Op::GroupFirst, U32), "a of the first active invocation of the subgroup";
    "READ_INVOC" 1 2 ALL Current Direct(Op::GroupRead, U32), "a of invocation b.x of the subgroup";

    "SUB" 1 2 ALL Removed Direct(Op::Sub, F32), "a - b";
    "CND" 1 3 ALL Removed OpcodeLowering::Formula(Formula::Condition), "c > 0.5 ? a : b";
    "DP2A" 1 3 ALL Removed OpcodeLowering::Formula(Formula::Dot2Add), "a.x * b.x + a.y * b.y + c.x, in every component";
    "FRAC" 1 1 ALL Removed Direct(Op::Fract, F32), "a - floor(a), another name of FRC";
    "CLAMP" 1 3 ALL Removed OpcodeLowering::Formula(Formula::Clamp), "a < b ? b : a > c ? c : a";
    "XPD" 1 2 ALL Removed OpcodeLowering::Formula(Formula::CrossProduct), "cross product in x, y and z; w is 1";
    "ABS" 1 1 ALL Removed OpcodeLowering::Formula(Formula::AbsoluteFloat), "absolute value of floats";
    "RCC" 1 1 ALL Removed OpcodeLowering::Formula(Formula::RccBounded), "1 / a.x, its magnitude clamped to between 2^-64 and 2^64, in every component";
    "DPH" 1 2 ALL Removed OpcodeLowering::Formula(Formula::DotHomogeneous), "a.x * b.x + a.y * b.y + a.z * b.z + b.w, in every component";
    "KILP" 0 0 FRAGMENT Removed OpcodeLowering::Flow(Flow::Kill), "discard the fragment; guarded, if a component of the predicate is set";
    "KIL" 0 1 FRAGMENT Removed OpcodeLowering::KillIf, "discard the fragment if a component of a is below 0, another name of KILL_IF";
    "RFL" 1 2 ALL Removed OpcodeLowering::Formula(Formula::Reflect), "reflection of the direction b at the axis a in x, y and z; w is 1";
    "SFL" 1 2 ALL Removed OpcodeLowering::Formula(Formula::IsFalse), "0.0";
    "STR" 1 2 ALL Removed OpcodeLowering::Formula(Formula::IsTrue), "1.0";
    "X2D" 1 3 ALL Removed OpcodeLowering::Formula(Formula::Texture2dTransform), "(a.x + b.x * c.x + b.y * c.y, a.y + b.x * c.z + b.y * c.w), in xy and zw";
    "SCS" 1 1 ALL Removed OpcodeLowering::Formula(Formula::SinCos), "(cos(a.x), sin(a.x), 0, 1)";
    "NRM" 1 1 ALL Removed OpcodeLowering::Formula(Formula::Normalize3), "a.xyz / sqrt(a.x^2 + a.y^2 + a.z^2) in x, y and z; w is 1";
    "NRM4" 1 1 ALL Removed OpcodeLowering::Formula(Formula::Normalize4), "a / sqrt(a.x^2 + a.y^2 + a.z^2 + a.w^2)";
    "SHR" 1 2 ALL Removed OpcodeLowering::Formula(Formula::SignlessShift), "a shifted right, without a word on the sign: taken as USHR, with a warning";
    "SAD" 1 3 ALL Removed OpcodeLowering::Formula(Formula::SadInt), "abs(a - b) + c of integers";
    "IFC" 0 1 ALL Removed OpcodeLowering::Flow(Flow::If(F32)), "begin a block that runs if the float a.x is not 0";
    "BREAKC" 0 1 ALL Removed OpcodeLowering::Flow(Flow::BreakIf), "leave the loop or the SWITCH if any bit of a.x is set";
    "DFRACEXP" 2 1 ALL Removed OpcodeLowering::WideFormula(WideFormula::Split), "doubles as fractions from 0.5 to 1 in the first result and exponents of 2 in the second";
    "RESINFO" 1 2 ALL Removed OpcodeLowering::ViewLookup(ViewLookup::Info), "size of level a.x of a view, integers, another name of SVIEWINFO";
    "ARA" 1 1 ALL Removed OpcodeLowering::Formula(Formula::AddPairs), "sums of pairs: a.x + a.z in x and z, a.y + a.w in y and w";
    // Listed nevertheless, so that the message is more specific than that such opcodes do not
    // exist.
    "PUSHA" 0 1 ALL Removed OpcodeLowering::Flow(Flow::Unsupported), "address registers onto a stack; not translated, for no driver did it";
    "POPA" 1 0 ALL Removed OpcodeLowering::Flow(Flow::Unsupported), "address registers off a stack; not translated, for no driver did it";
    "BRA" 0 1 ALL Removed OpcodeLowering::Flow(Flow::Unsupported), "branch; not translated, for no document says what it does";
    "CALLNZ" 0 1 ALL Removed OpcodeLowering::Flow(Flow::Unsupported), "call if a.x is not 0; not translated, for no document says what it does";
    "BGNFOR" 0 1 ALL Removed OpcodeLowering::Flow(Flow::Unsupported), "begin a loop that counts; not translated, for no document says what it does";
    "ENDFOR" 0 0 ALL Removed OpcodeLowering::Flow(Flow::Unsupported), "end of a loop that counts; not translated, for no document says what it does";
    "REP" 0 1 ALL Removed OpcodeLowering::Flow(Flow::Unsupported), "begin a block that is repeated; not translated, for no document says what it does";
    "ENDREP" 0 0 ALL Removed OpcodeLowering::Flow(Flow::Unsupported), "end of a block that is repeated; not translated, for no document says what it does";
}

/// Suffixes of an opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct OpcodeModifiers {
    /// `_SAT`.
    pub(super) saturate: bool,
    /// `_SATNV` of TGSI of 2010.
    pub(super) signed: bool,
    /// `_PRECISE`.
    pub(super) precise: bool,
}

/// Returns the table entries of all opcodes.
pub(super) fn rows() -> &'static [OpcodeRow] {
    ROWS
}

impl OpcodeRow {
    /// Returns the entry of a word and its modifiers. Whole words take precedence: `SAMPLE_I_MS` is
    /// not `SAMPLE` with a suffix.
    #[inline]
    pub(super) fn from_word(word: &Word<'_>) -> Option<(&'static Self, OpcodeModifiers)> {
        match Self::from_name(word.text) {
            Some(row) => Some((row, OpcodeModifiers::default())),
            None => Self::from_name_with_modifiers(word.text),
        }
    }

    /// Returns the table entry of an opcode by its name without modifiers, in any case. The hash
    /// table is built at the first call.
    #[inline(always)]
    fn from_name(word: &[u8]) -> Option<&'static Self> {
        const BITS: u32 = 10;
        static TABLE: OnceLock<[Option<(Key, &'static OpcodeRow)>; 1 << BITS]> = OnceLock::new();
        let table = TABLE.get_or_init(|| {
            let mut table = [None; 1 << BITS];
            for row in ROWS {
                let key = Key::of(row.name.as_bytes());
                // The following slots are tried in turn, here and below.
                let mut at = key.hash(BITS);
                // The table has more slots than there are opcodes, so that a free one is found.
                while table[at].is_some() {
                    at = (at + 1) % table.len();
                }
                table[at] = Some((key, row));
            }
            table
        });
        let key = Key::of(word);
        let mut at = key.hash(BITS);
        while let Some((known, row)) = table[at] {
            // Keys hold eight bytes: longer words may have equal ones.
            let same = || key.len <= 8 || word.eq_ignore_ascii_case(row.name.as_bytes());
            if known == key && same() {
                return Some(row);
            }
            at = (at + 1) % table.len();
        }
        None
    }

    /// Returns the table entry and the modifiers of a name with at least one of the suffixes
    /// `_SAT`, `_SATNV` and `_PRECISE`, None for other names.
    #[inline(never)]
    fn from_name_with_modifiers(word: &[u8]) -> Option<(&'static Self, OpcodeModifiers)> {
        let without = |word: &[u8], suffix: &str| {
            let at = word.len().checked_sub(suffix.len())?;
            word[at..]
                .eq_ignore_ascii_case(suffix.as_bytes())
                .then_some(at)
        };
        let mut suffixes = OpcodeModifiers::default();
        let mut rest = word;
        if let Some(at) = without(rest, "_PRECISE") {
            (suffixes.precise, rest) = (true, &rest[..at]);
        }
        if let Some(at) = without(rest, "_SAT") {
            (suffixes.saturate, rest) = (true, &rest[..at]);
        } else if let Some(at) = without(rest, "_SATNV") {
            (suffixes.saturate, suffixes.signed, rest) = (true, true, &rest[..at]);
        }
        if rest.len() == word.len() {
            return None;
        }
        Self::from_name(rest).map(|row| (row, suffixes))
    }

    /// Returns true if some sources are resources, or are optional.
    pub(super) const fn has_resource_sources(&self) -> bool {
        matches!(
            self.lower,
            OpcodeLowering::Lookup(_)
                | OpcodeLowering::ViewLookup(_)
                | OpcodeLowering::Memory(_)
                | OpcodeLowering::Emit
                | OpcodeLowering::EndPrimitive
        )
    }

    /// Returns true if the result is a resource.
    pub(super) fn has_resource_result(&self) -> bool {
        matches!(self.lower, OpcodeLowering::Memory(Memory::Store))
    }

    /// Returns true if programs of a stage have it. Strict programs have none of the opcodes that
    /// were removed from the current document.
    pub(super) fn is_available(&self, stage: Stage, acceptance: Acceptance) -> bool {
        let is_refused = self.era == SyntaxGeneration::Removed && acceptance == Acceptance::Strict;
        self.stages.contains_stage(stage) && !is_refused
    }

    /// Returns an arbitrary entry, as a placeholder until an opcode is parsed.
    pub(super) const fn any() -> &'static Self {
        &ROWS[0]
    }

    /// Returns the type that sources in memory are read as, if any type would do.
    pub(super) fn constant_type(&self, stage: Stage) -> Type {
        // Compute programs move integers more often than floats.
        let is_float = if let Direct(_, ty) | First(_, ty) | Convert(ty, ..) = self.lower {
            ty.is_float()
        } else {
            stage != Stage::Compute
        };
        if is_float { F32 } else { U32 }
    }

    /// Returns the names of all opcodes.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().map(|row| row.name)
    }
}

/// Returns true if a word begins statements: an opcode or a keyword of declarations.
pub(super) fn begins_statement(word: &Word<'_>) -> bool {
    ["DCL", "IMM", "PROPERTY"].iter().any(|it| word.is(it)) || OpcodeRow::from_word(word).is_some()
}

/// Returns true if source `number` of an opcode is a resource such as a sampler, not a value.
pub(super) const fn is_resource(row: &OpcodeRow, number: usize) -> bool {
    match row.lower.extra_operands() {
        ExtraOperands::View(lookup) => match lookup {
            ViewLookup::SamplePosition | ViewLookup::SampleInfo => number == 0,
            ViewLookup::Info | ViewLookup::Fetch | ViewLookup::FetchSample => number == 1,
            ViewLookup::Sample
            | ViewLookup::Bias
            | ViewLookup::Compare
            | ViewLookup::CompareBase
            | ViewLookup::Gradient
            | ViewLookup::Level
            | ViewLookup::Gather
            | ViewLookup::QueryLevel => number == 1 || number == 2,
        },
        ExtraOperands::Memory(memory) => !matches!(memory, Memory::Store) && number == 0,
        // The sampler is the last source.
        ExtraOperands::Sampler => number + 1 == row.sources as usize,
        ExtraOperands::Label | ExtraOperands::None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_opcode(word: &str) -> Option<(&'static str, OpcodeModifiers)> {
        let text = word.as_bytes();
        let found = OpcodeRow::from_word(&Word { text, start: 0 });
        found.map(|(row, suffixes)| (row.name, suffixes))
    }

    #[test]
    fn rows_are_found_by_their_names() {
        for row in ROWS {
            assert_eq!(
                find_opcode(row.name),
                Some((row.name, OpcodeModifiers::default()))
            );
            assert!(row.sources <= 5 && row.results <= 2, "{}", row.name);
        }
    }

    #[test]
    fn suffixes_stand_behind_names() {
        let plain = OpcodeModifiers::default();
        let saturate = OpcodeModifiers {
            saturate: true,
            ..plain
        };
        let signed = OpcodeModifiers {
            signed: true,
            ..saturate
        };
        let precise = OpcodeModifiers {
            precise: true,
            ..plain
        };
        let both = OpcodeModifiers {
            precise: true,
            ..saturate
        };
        assert_eq!(find_opcode("mov_sat"), Some(("MOV", saturate)));
        assert_eq!(find_opcode("MOV_SATNV"), Some(("MOV", signed)));
        assert_eq!(find_opcode("MAD_PRECISE"), Some(("MAD", precise)));
        assert_eq!(find_opcode("MAD_SAT_PRECISE"), Some(("MAD", both)));
        assert_eq!(find_opcode("SAMPLE_I_MS"), Some(("SAMPLE_I_MS", plain)));
        assert_eq!(find_opcode("TEX_LZ_SAT"), Some(("TEX_LZ", saturate)));
        for word in [
            "",
            "_SAT",
            "MOVE",
            "MAD_PRECISE_SAT",
            "MOV_SAT_SAT",
            "MOV_",
            "SAT",
        ] {
            assert_eq!(find_opcode(word), None, "{word}");
        }
    }
}
