//! The operations, one table entry each: name in the text form, number of sources, result shape,
//! types, semantics.
//!
//! Everything that depends only on the operation reads this table: printer, parser, verifier,
//! liveness, interpreter and code generation. Adding an operation starts with an entry here; the
//! compiler then lists the matches that must handle it.

use crate::types::Type;

/// Relation between the lanes of a result and the lanes of the sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultShape {
    /// No result.
    None,
    /// Lane `i` of the result reads lane `i` of every (swizzled) source.
    Componentwise,
    /// One value, written to every enabled lane; reads the given lanes (bit 0 is x) of every
    /// source.
    Replicated {
        /// Lanes read of each source.
        reads: u8,
    },
    /// Lane `i` of the result is operation-specific; reads the given lanes of every source.
    Vector {
        /// Lanes read of each source, unless the instruction's [`InstData`](crate::InstData)
        /// specifies more.
        reads: u8,
    },
}

/// Types that an operation is defined for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeClass {
    /// Operations without a data type; written with `u32`.
    Untyped,
    /// 16-, 32- and 64-bit floats and 32- and 64-bit integers.
    Any,
    /// Floats only.
    Float,
    /// Integers of 32 and 64 bits.
    Int,
    /// Integers of 32 bits.
    Int32,
    /// 32-bit float only.
    F32,
    /// 32 bits of any kind.
    Any32,
    /// Every type, 8 bits included: conversions and memory.
    Memory,
}

impl TypeClass {
    /// Returns true if `ty` belongs to the class.
    pub const fn contains(self, ty: Type) -> bool {
        let bits = ty.width().bits();
        match self {
            Self::Untyped => matches!(ty, Type::U32),
            Self::Any => bits >= 32 || matches!(ty, Type::F16),
            Self::Float => ty.is_float(),
            Self::Int => ty.is_int() && bits >= 32,
            Self::Int32 => ty.is_int() && bits == 32,
            Self::F32 => matches!(ty, Type::F32),
            Self::Any32 => bits == 32,
            Self::Memory => true,
        }
    }
}

bitflags::bitflags! {
    /// True if `ty` belongs to the class.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct OpFlags: u16 {
        /// Computes with sources of 32-bit floats as numbers, so that denormals are flushed where
        /// the program does that
        /// ([`Modes::flush_denormals`](crate::program::Modes::flush_denormals)). Other operations
        /// copy bits.
        const FLOAT_MATH = 1;
        /// Integer results have overflow and carry.
        const HAS_CARRY = 1 << 1;
        /// The result is a product or a sum of products: it may have more fraction bits than the
        /// sources.
        const MULTIPLIES = 1 << 2;
        /// The result is a boolean.
        const BOOLEAN = 1 << 3;
        /// Defined for all integers of its types; the generator of random programs draws from these
        /// operations.
        const TOTAL = 1 << 4;
        /// Has the same result on all devices for floats that are small multiples of 1/16; the
        /// generator of random programs draws from these operations.
        const EXACT = 1 << 5;
        /// Only fragment programs have it.
        const FRAGMENT = 1 << 6;
        /// Evaluates an input, its first source.
        const INTERPOLATES = 1 << 7;
        /// The result depends on other invocations of a group or on the time, not only on the
        /// sources.
        const NON_UNIFORM = 1 << 8;
        /// Accesses memory: [`InstData::Mem`](crate::InstData::Mem).
        const MEM = 1 << 9;
        /// Accesses a texture: [`InstData::Tex`](crate::InstData::Tex).
        const TEX = 1 << 10;
        /// Accesses an image: [`InstData::Image`](crate::InstData::Image).
        const IMAGE = 1 << 11;
        /// Reads memory or texels of an image.
        const READS = 1 << 12;
        /// Writes memory or texels of an image; the first source is the value.
        const WRITES = 1 << 13;
        /// The sources are `u32` for all types.
        const U32_SOURCE = 1 << 14;
        /// The result is `u32` for all types.
        const U32_RESULT = 1 << 15;
    }
}

/// An entry of the operation table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// Name in the text form.
    pub name: &'static str,
    /// Number of sources; `None` if the instruction's aux data decides.
    pub sources: Option<u8>,
    /// Shape of the result.
    pub shape: ResultShape,
    /// Types allowed.
    pub types: TypeClass,
    /// Further properties.
    pub flags: OpFlags,
    /// True if the instruction has an effect other than writing its result and must not be removed
    /// even if the result is not read.
    pub effect: bool,
}

macro_rules! shape {
    (none) => {
        ResultShape::None
    };
    (each) => {
        ResultShape::Componentwise
    };
    (one $reads:literal) => {
        ResultShape::Replicated { reads: $reads }
    };
    (vec $reads:literal) => {
        ResultShape::Vector { reads: $reads }
    };
}
macro_rules! sources {
    (*) => {
        None
    };
    ($n:literal) => {
        Some($n)
    };
}
macro_rules! effect {
    () => {
        false
    };
    (effect) => {
        true
    };
}

macro_rules! floats {
    (math) => {
        OpFlags::FLOAT_MATH
    };
    (bits) => {
        OpFlags::empty()
    };
}

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident $text:literal $sources:tt ($($shape:tt)*) $types:ident $floats:ident [$($flag:ident)*]
        $($effect:ident)?;)*) => {
        /// An operation. In the formulas `a b c` are the sources, lane by lane, after swizzle,
        /// absolute value and negation.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Op { $($(#[$doc])* $name,)* }

        impl Op {
            /// All operations in table order.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }

        static TABLE: &[OpInfo] = &[$(OpInfo {
            name: $text,
            sources: sources!($sources),
            shape: shape!($($shape)*),
            types: TypeClass::$types,
            flags: floats!($floats)$(.union(OpFlags::$flag))*,
            effect: effect!($($effect)?),
        },)*];
    };
}

ops! {
    // name, text, sources, shape, types, sources of 32-bit floats as numbers (math) or as bits,
    // flags, effect
    /// `a`; bits pass unchanged when the source has no modifier.
    Mov "mov" 1 (each) Any bits [TOTAL EXACT];
    /// `a + b`. Integer results of `add`, `sub` and `mad` may be written to registers of the other
    /// width, 32 or 64 bits: they are sign-extended or truncated; overflow and carry are computed
    /// at the width of the operation.
    Add "add" 2 (each) Any math [HAS_CARRY TOTAL EXACT];
    /// `a - b`
    Sub "sub" 2 (each) Any math [HAS_CARRY TOTAL EXACT];
    /// `a * b`; integers keep the low bits.
    Mul "mul" 2 (each) Any math [MULTIPLIES TOTAL EXACT];
    /// The upper half of the double-width product.
    MulHi "mulhi" 2 (each) Int32 bits [TOTAL];
    /// `a * b + c`; floats may round once or twice unless precise.
    Mad "mad" 3 (each) Any math [HAS_CARRY MULTIPLIES TOTAL EXACT];
    /// `a * b + c`, rounded once.
    Fma "fma" 3 (each) Float math [MULTIPLIES];
    /// `a / b`; integers truncate, and division by zero returns all ones.
    Div "div" 2 (each) Any math [];
    /// Integer remainder with the sign of `a`; all ones if `b` is zero.
    Mod "mod" 2 (each) Int bits [];
    /// `a > b ? b : a`
    Min "min" 2 (each) Any math [TOTAL EXACT];
    /// `a > b ? a : b`
    Max "max" 2 (each) Any math [TOTAL EXACT];
    /// The smaller; the other one if one is NaN.
    NMin "nmin" 2 (each) Float math [EXACT];
    /// The larger; the other one if one is NaN.
    NMax "nmax" 2 (each) Float math [EXACT];
    /// Largest integral value not above `a`.
    Floor "floor" 1 (each) Float math [EXACT];
    /// Smallest integral value not below `a`.
    Ceil "ceil" 1 (each) Float math [EXACT];
    /// Integral value next to `a` toward zero.
    Trunc "trunc" 1 (each) Float math [EXACT];
    /// Nearest integral value, ties to even.
    Round "round" 1 (each) Float math [EXACT];
    /// `a` rounded to half precision: the nearest such number, ties to even. Denormals of that
    /// format are preserved, 65520 and larger magnitudes become infinite. NV_fragment_program
    /// section 3.11.4.2.
    RoundHalf "roundhalf" 1 (each) F32 math [];
    /// `a` rounded to signed fixed point with ten fraction bits: the nearest such number in
    /// `[-2, 2047/1024]`, ties to even; 0 for NaN. NV_fragment_program section 3.11.4.2.
    RoundFixed "roundfixed" 1 (each) F32 math [];
    /// `a - floor(a)`, always below 1.
    Fract "fract" 1 (each) Float math [EXACT];
    /// 1, 0 or -1 by the sign of `a`.
    Sign "sign" 1 (each) Any math [TOTAL EXACT];
    /// `1 / a`
    Rcp "rcp" 1 (each) Float math [];
    /// `1 / sqrt(a)`; no implicit absolute value.
    Rsq "rsq" 1 (each) Float math [];
    /// `sqrt(a)`
    Sqrt "sqrt" 1 (each) Float math [];
    /// `2 ^ a`
    Exp2 "exp2" 1 (each) F32 math [];
    /// `log2(a)`; -Inf for 0, NaN for negative values.
    Log2 "log2" 1 (each) F32 math [];
    /// `exp2(b * log2(a))`
    Pow "pow" 2 (each) F32 math [];
    /// Sine of radians.
    Sin "sin" 1 (each) F32 math [];
    /// Cosine of radians.
    Cos "cos" 1 (each) F32 math [];
    /// `a & b`
    And "and" 2 (each) Int bits [TOTAL];
    /// `a | b`
    Or "or" 2 (each) Int bits [TOTAL];
    /// `a ^ b`
    Xor "xor" 2 (each) Int bits [TOTAL];
    /// `~a`
    Not "not" 1 (each) Int bits [TOTAL];
    /// `a << b`; the count is taken modulo the width. The count has the type of the operation.
    Shl "shl" 2 (each) Int bits [TOTAL];
    /// `a >> b`, filling with the sign for signed types; the count is taken modulo the width.
    Shr "shr" 2 (each) Int bits [TOTAL];
    /// `b` bits of `a` from bit `c` up, sign- or zero-extended; bits past 31 read as 0 (signed: as
    /// the top bit).
    BitExtract "bfe" 3 (each) Int32 bits [];
    /// The low `c` bits of `b` inserted into `a` at bit `d`; `b` if `c` is 32 and `d` 0.
    BitInsert "bfi" 4 (each) Int32 bits [];
    /// Bits in reverse order.
    BitReverse "bfr" 1 (each) Int32 bits [TOTAL];
    /// Number of one bits.
    BitCount "btc" 1 (each) Int32 bits [TOTAL];
    /// Index of the lowest one bit, -1 for 0.
    FindLsb "btfl" 1 (each) Int32 bits [TOTAL];
    /// Index of the highest bit that differs from the sign (unsigned: the highest one bit), -1 if
    /// none.
    FindMsb "btfm" 1 (each) Int32 bits [TOTAL];
    /// `a == b`; true is 1.0 for floats and all ones for integers, false is 0. Comparisons with NaN
    /// are false.
    SetEq "seteq" 2 (each) Any math [BOOLEAN TOTAL EXACT];
    /// `!(a == b)`; true with NaN.
    SetNe "setne" 2 (each) Any math [BOOLEAN TOTAL EXACT];
    /// `a < b`
    SetLt "setlt" 2 (each) Any math [BOOLEAN TOTAL EXACT];
    /// `a <= b`
    SetLe "setle" 2 (each) Any math [BOOLEAN TOTAL EXACT];
    /// `a > b`
    SetGt "setgt" 2 (each) Any math [BOOLEAN TOTAL EXACT];
    /// `a >= b`
    SetGe "setge" 2 (each) Any math [BOOLEAN TOTAL EXACT];
    /// `a < 0 ? b : c`
    SelLt "sellt" 3 (each) Any math [TOTAL EXACT];
    /// `a != 0 ? b : c`, where `a` is tested as bits: -0.0 selects `b`.
    SelNz "selnz" 3 (each) Any bits [TOTAL];
    /// `a.x*b.x + a.y*b.y`
    Dp2 "dp2" 2 (one 0b0011) Float math [MULTIPLIES EXACT];
    /// `a.x*b.x + a.y*b.y + a.z*b.z`
    Dp3 "dp3" 2 (one 0b0111) Float math [MULTIPLIES EXACT];
    /// `a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w`
    Dp4 "dp4" 2 (one 0b1111) Float math [MULTIPLIES EXACT];
    /// Conversion to the instruction's type; [`InstData::Cvt`](crate::InstData::Cvt) names the
    /// source type, rounding and saturation. Types below 32 bits live in the low bits of 32-bit
    /// lanes, extended by their sign on writing.
    Cvt "cvt" 1 (each) Memory bits [];
    /// Halves of `a.x` (low) and `a.y` (high) in one 32-bit word.
    PackHalf2 "packh2" 1 (one 0b0011) F32 bits [U32_RESULT];
    /// `round(clamp(v, 0, 1) * 65535)` of `a.xy`, x low.
    PackUnorm2 "packu2" 1 (one 0b0011) F32 bits [U32_RESULT];
    /// `round(clamp(v, 0, 1) * 255)` of `a.xyzw`, x lowest.
    PackUnorm4 "packu4" 1 (one 0b1111) F32 bits [U32_RESULT];
    /// Lanes x and y are the low and high half of word `a.x`; z and w repeat x and y.
    UnpackHalf2 "unpackh2" 1 (vec 0b0001) F32 bits [U32_SOURCE];
    /// 16-bit unsigned normalized values, with the lanes of `unpackh2`.
    UnpackUnorm2 "unpacku2" 1 (vec 0b0001) F32 bits [U32_SOURCE];
    /// The four bytes of `a.x` divided by 255, lowest in x.
    UnpackUnorm4 "unpacku4" 1 (vec 0b0001) F32 bits [U32_SOURCE];
    /// 64-bit lane x is `a.x | a.y << 32`, lane y is `a.z | a.w << 32`; z and w repeat x and y. The
    /// source has 32-bit lanes; the type applies to the result.
    Pack64 "pack64" 1 (vec 0b1111) Any bits [U32_SOURCE];
    /// 32-bit lanes x and y are the low and high half of 64-bit lane `a.x`, z and w the halves of
    /// `a.y`. The type applies to the source.
    Unpack64 "unpack64" 1 (vec 0b0011) Any bits [U32_RESULT];
    /// Derivative in x of the fragments of a quad.
    Ddx "ddx" 1 (each) F32 math [FRAGMENT];
    /// Derivative in y; the conventions determine the direction in which y grows.
    Ddy "ddy" 1 (each) F32 math [FRAGMENT];
    /// Like `ddx`, from the two fragments of the fragment's row of the quad.
    DdxFine "ddxfine" 1 (each) F32 math [FRAGMENT];
    /// Like `ddy`, from the two fragments of the fragment's column of the quad.
    DdyFine "ddyfine" 1 (each) F32 math [FRAGMENT];
    /// Like `ddx`, possibly from the other row of the quad.
    DdxCoarse "ddxcoarse" 1 (each) F32 math [FRAGMENT];
    /// Like `ddy`, possibly from the other column of the quad.
    DdyCoarse "ddycoarse" 1 (each) F32 math [FRAGMENT];
    /// The input `a` at the centroid of the fragment. Swizzle and modifiers of `a` apply
    /// afterwards; flat inputs are the same everywhere.
    InterpCentroid "ipac" 1 (each) F32 bits [FRAGMENT INTERPOLATES];
    /// The input `a` at the pixel center moved by `b.xy` pixels, y growing as window coordinates
    /// do.
    InterpOffset "ipao" 2 (each) F32 bits [FRAGMENT INTERPOLATES];
    /// The input `a` at the position of sample `b.x`, a 32-bit integer.
    InterpSample "ipas" 2 (each) F32 bits [FRAGMENT INTERPOLATES];
    /// True if `a` is not zero in all active invocations of the thread group; true is 1.0 for
    /// floats and all ones for integers. -0.0 is zero, NaN is not.
    GroupAll "groupall" 1 (each) Any32 bits [BOOLEAN NON_UNIFORM];
    /// True if `a` is not zero in some active invocation of the thread group.
    GroupAny "groupany" 1 (each) Any32 bits [BOOLEAN NON_UNIFORM];
    /// True if `a` is zero in all active invocations of the thread group, or not zero in all of
    /// them.
    GroupEqual "groupeq" 1 (each) Any32 bits [BOOLEAN NON_UNIFORM];
    /// Bit `i` is set if invocation `i` of the thread group is active and its `a` is not zero.
    /// Groups have up to 32 invocations. The type applies to the source; the result is `u32`.
    GroupBallot "ballot" 1 (each) Any32 bits [NON_UNIFORM U32_RESULT];
    /// True if `a` has the same bits in all active invocations of the device's subgroup; true is
    /// all ones.
    GroupAllEqual "groupalleq" 1 (each) Any32 bits [BOOLEAN NON_UNIFORM U32_RESULT];
    /// Lanes x and y are the low and the high word of a mask in which bit `i` is set if invocation
    /// `i` of the subgroup is active and its `a.x` is not zero; z and w are 0.
    GroupBallotWide "ballot64" 1 (vec 0b0001) Any32 bits [NON_UNIFORM U32_RESULT];
    /// `a` of the first active invocation of the subgroup.
    GroupFirst "groupfirst" 1 (each) Any32 bits [NON_UNIFORM];
    /// `a` of invocation `b.x` of the subgroup; undefined if that invocation is not active. `b` is
    /// an integer for all types.
    GroupRead "groupread" 2 (each) Any32 bits [NON_UNIFORM];
    /// Lane x is true if invocation `id - b.x` of the thread group is in range, lane y is `a.x` of
    /// that invocation, or of the current one if it is not in range. Bits 0 to 4 of `c.x` limit the
    /// range, bits 8 to 12 divide the group into segments.
    ShuffleUp "shfup" 3 (vec 0b0001) Any32 bits [NON_UNIFORM];
    /// Like `shfup`, for invocation `id + b.x`.
    ShuffleDown "shfdown" 3 (vec 0b0001) Any32 bits [NON_UNIFORM];
    /// Like `shfup`, for invocation `id ^ b.x`.
    ShuffleXor "shfxor" 3 (vec 0b0001) Any32 bits [NON_UNIFORM];
    /// Like `shfup`, for invocation `b.x` of the segment.
    ShuffleIndex "shfidx" 3 (vec 0b0001) Any32 bits [NON_UNIFORM];
    /// `a` of fragment 0 of the quad, plus `b` of the current fragment; 0 if a fragment of the quad
    /// is not active. Fragments 0 and 1 are the row with the smaller y, 0 and 2 the column with the
    /// smaller x.
    Quad0 "quad0" 2 (each) F32 bits [FRAGMENT];
    /// Like `quad0`, for fragment 1.
    Quad1 "quad1" 2 (each) F32 bits [FRAGMENT];
    /// Like `quad0`, for fragment 2.
    Quad2 "quad2" 2 (each) F32 bits [FRAGMENT];
    /// Like `quad0`, for fragment 3.
    Quad3 "quad3" 2 (each) F32 bits [FRAGMENT];
    /// Like `quad0`, for the neighbor in x.
    QuadX "quadx" 2 (each) F32 bits [FRAGMENT];
    /// Like `quad0`, for the neighbor in y.
    QuadY "quady" 2 (each) F32 bits [FRAGMENT];
    /// Texture access; [`InstData::Tex`](crate::InstData::Tex) specifies the access and the order
    /// of the sources.
    Tex "tex" * (vec 0b1111) Any bits [TEX];
    /// True if all texels that an access reads are populated; true is all ones. Sources and access
    /// data are those of the corresponding texture access or image load. Directly before that
    /// instruction, it needs no separate access.
    Resident "resident" * (one 0b1111) Int32 bits [BOOLEAN TEX IMAGE];
    /// Reads memory: `[address]`; [`InstData::Mem`](crate::InstData::Mem) names space and element.
    /// Lanes past the element's are 0.
    Load "load" 1 (vec 0b0001) Memory bits [MEM READS];
    /// Writes memory: `[value, address]`.
    Store "store" 2 (none) Memory bits [MEM WRITES] effect;
    /// Atomic read-modify-write: `[value, address]`, value lane x; compare-exchange stores lane y
    /// if memory equals lane x. Returns the old value in every lane. Vectors of half floats are
    /// updated component by component, each update being atomic; lanes past them are 0.
    Atomic "atom" 2 (vec 0b0011) Memory bits [MEM READS WRITES] effect;
    /// Size in bytes of the buffer that [`InstData::Mem`](crate::InstData::Mem) names, a multiple
    /// of 4; `[address]` is an ignored offset.
    BufferSize "bufsize" 1 (one 0b0001) Int32 bits [MEM];
    /// Reads a texel: `[coordinate, sample]`; [`InstData::Image`](crate::InstData::Image) specifies
    /// the image and the interpretation of its texels.
    ImageLoad "imgload" * (vec 0b1111) Memory bits [IMAGE READS];
    /// Writes a texel: `[value, coordinate, sample]`.
    ImageStore "imgstore" * (none) Memory bits [IMAGE WRITES] effect;
    /// Atomic read-modify-write of a raw texel: `[value, coordinate, sample]`. Returns the lanes of
    /// the old texel, in x unless it has several elements.
    ImageAtomic "imgatom" * (vec 0b1111) Memory bits [IMAGE READS WRITES] effect;
    /// Size of an image: width, height and depth, for the dimensions that it has, and in the lane
    /// after them the number of layers or cubes.
    ImageSize "imgsize" 0 (vec 0) Int32 bits [IMAGE];
    /// Number of samples of an image.
    ImageSamples "imgsamples" 0 (one 0) Int32 bits [IMAGE];
    /// Orders the memory accesses of this invocation before and after it.
    MemoryBarrier "membar" 0 (none) Untyped bits [] effect;
    /// Waits for all invocations of the work group; orders shared memory.
    Barrier "bar" 0 (none) Untyped bits [] effect;
    /// Makes the fragment a helper invocation: its results are not written, derivatives remain
    /// defined.
    Demote "demote" 0 (none) Untyped bits [FRAGMENT] effect;
    /// True if the fragment is a helper invocation at this point, including after `demote`; true is
    /// all ones.
    IsHelper "ishelper" 0 (one 0) Untyped bits [BOOLEAN FRAGMENT];
    /// Time in lanes x and y, the low word first, in device-specific units; z and w are 0. Reads of
    /// the time are not reordered.
    Clock "clock" 0 (vec 0) Untyped bits [NON_UNIFORM];
    /// Ends a vertex of a geometry program: it has the current values of the outputs, which are
    /// preserved. `a.x` is the stream; a vertex of a stream that does not exist is dropped.
    EmitVertex "emit" 1 (none) Int32 bits [] effect;
    /// Ends the strip of a geometry program, of stream 0.
    EndPrimitive "endprim" 0 (none) Untyped bits [] effect;
    /// Begins the critical section of a fragment program.
    InterlockBegin "interlock_begin" 0 (none) Untyped bits [FRAGMENT] effect;
    /// Ends the critical section of a fragment program.
    InterlockEnd "interlock_end" 0 (none) Untyped bits [FRAGMENT] effect;
}

impl Op {
    /// Returns the table entry of the operation.
    pub const fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }

    /// Returns the name in the text form.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns true if the operation has a property.
    pub const fn has(self, flag: OpFlags) -> bool {
        self.info().flags.contains(flag)
    }

    /// Returns true if integer results have overflow and carry.
    pub const fn has_carry(self) -> bool {
        self.has(OpFlags::HAS_CARRY)
    }

    /// Returns true if the operation flushes denormals of its sources in programs with
    /// [`Modes::flush_denormals`](crate::program::Modes::flush_denormals): [`OpFlags::FLOAT_MATH`].
    pub const fn is_float_math(self) -> bool {
        self.has(OpFlags::FLOAT_MATH)
    }

    /// Returns the operation with a name in the text form; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for &op in Op::ALL {
            assert_eq!(Op::from_name(op.name()), Some(op));
        }
    }
}
