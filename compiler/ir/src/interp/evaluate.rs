//! Operations as functions of values, for the interpreter and for constant folding in the compiler;
//! and the condition codes of results, NV_gpu_program4 section 2.X.4.3.

use super::alu::{self, clamp_float};
use super::convert::{
    compute_abs, compute_neg, convert, extend_bits, get_lane_mask, get_top_bit, is_negative,
    is_zero, to_signed,
};
use crate::inst::{CondTest, Dst, Inst, InstData, Saturate, Src, get_result_type};
use crate::op::Op;
use crate::types::{Type, Width};

/// Lanes of the sources of an instruction; missing sources are 0.
pub type SourceLanes = [[u64; 4]; 4];

/// Value of zero times infinity or NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ZeroTimesInf {
    /// NaN.
    #[default]
    Nan,
    /// +0, like zero times any other number, in 32-bit floats. NV_vertex_program section 2.14.1.11.
    Zero,
}

/// Treatment of denormal 32-bit floats in operands and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Denormals {
    /// Preserved.
    #[default]
    Preserved,
    /// Flushed to zeros of the same sign by operations that compute with them
    /// ([`Op::is_float_math`]).
    Flushed,
}

/// Float arithmetic of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FloatArithmetic {
    /// Products with zero.
    pub zero_times_inf: ZeroTimesInf,
    /// Denormals.
    pub denormals: Denormals,
}

impl FloatArithmetic {
    /// Returns true if an operation flushes denormals.
    fn is_flushing_denormals(self, op: Op, ty: Type) -> bool {
        self.denormals == Denormals::Flushed && ty == Type::F32 && op.is_float_math()
    }
}

/// Returns the result lanes of an operation, before clamp and width of the destination, with
/// denormals flushed as `arithmetic` specifies; `None` if the operation has effects or its result
/// depends on more than its sources. Modifiers and swizzles must already be applied to the sources,
/// see [`apply_modifiers`].
pub fn evaluate_op(
    op: Op,
    ty: Type,
    aux: InstData,
    sources: &SourceLanes,
    arithmetic: FloatArithmetic,
) -> Option<[u64; 4]> {
    if !arithmetic.is_flushing_denormals(op, ty) {
        return evaluate_op_unflushed(op, ty, aux, sources, arithmetic.zero_times_inf);
    }
    let sources = sources.map(|lanes| lanes.map(flush_denormal));
    let result = evaluate_op_unflushed(op, ty, aux, &sources, arithmetic.zero_times_inf)?;
    Some(result.map(flush_denormal))
}

/// Returns the bits of a 32-bit float unchanged; those of a denormal become zero with the same
/// sign.
fn flush_denormal(bits: u64) -> u64 {
    const EXPONENT: u64 = 0x7f80_0000;
    const SIGN: u64 = 0x8000_0000;
    if bits & EXPONENT == 0 {
        bits & SIGN
    } else {
        bits
    }
}

/// Returns the result of an operation before denormals are flushed; `None` if it is not a function
/// of its sources, e.g. an access of memory or of other invocations.
#[expect(clippy::too_many_lines, reason = "one line per operation")]
fn evaluate_op_unflushed(
    op: Op,
    ty: Type,
    aux: InstData,
    sources: &SourceLanes,
    zero_times_inf: ZeroTimesInf,
) -> Option<[u64; 4]> {
    let mul = alu::select_mul_function(zero_times_inf);
    Some(match op {
        Op::Mul => map_lanes(ty, sources, mul),
        Op::Mad => map_lanes(ty, sources, |ty, [a, b, c]| {
            alu::eval_add(ty, [mul(ty, [a, b]), c])
        }),
        Op::Fma => map_lanes(ty, sources, |ty, operands| {
            alu::eval_fma(ty, operands, zero_times_inf)
        }),
        Op::Pow => map_lanes(ty, sources, |ty, operands| {
            alu::eval_pow(ty, operands, zero_times_inf)
        }),
        Op::Dp2 => alu::eval_dot::<2>(ty, sources, mul),
        Op::Dp3 => alu::eval_dot::<3>(ty, sources, mul),
        Op::Dp4 => alu::eval_dot::<4>(ty, sources, mul),
        Op::Cvt => eval_cvt(ty, aux, sources)?,
        Op::Mov => map_lanes(ty, sources, alu::eval_mov),
        Op::Add => map_lanes(ty, sources, alu::eval_add),
        Op::Sub => map_lanes(ty, sources, alu::eval_sub),
        Op::MulHi => map_lanes(ty, sources, alu::eval_mul_hi),
        Op::Div => map_lanes(ty, sources, alu::eval_div),
        Op::Mod => map_lanes(ty, sources, alu::eval_mod),
        Op::Min => map_lanes(ty, sources, alu::eval_min),
        Op::Max => map_lanes(ty, sources, alu::eval_max),
        Op::NMin => map_lanes(ty, sources, alu::eval_nmin),
        Op::NMax => map_lanes(ty, sources, alu::eval_nmax),
        Op::Floor => map_lanes(ty, sources, alu::eval_floor),
        Op::Ceil => map_lanes(ty, sources, alu::eval_ceil),
        Op::Trunc => map_lanes(ty, sources, alu::eval_trunc),
        Op::Round => map_lanes(ty, sources, alu::eval_round),
        Op::RoundHalf => map_lanes(ty, sources, alu::eval_round_half),
        Op::RoundFixed => map_lanes(ty, sources, alu::eval_round_fixed),
        Op::Fract => map_lanes(ty, sources, alu::eval_fract),
        Op::Sign => map_lanes(ty, sources, alu::eval_sign),
        Op::Rcp => map_lanes(ty, sources, alu::eval_rcp),
        Op::Rsq => map_lanes(ty, sources, alu::eval_rsq),
        Op::Sqrt => map_lanes(ty, sources, alu::eval_sqrt),
        Op::Exp2 => map_lanes(ty, sources, alu::eval_exp2),
        Op::Log2 => map_lanes(ty, sources, alu::eval_log2),
        Op::Sin => map_lanes(ty, sources, alu::eval_sin),
        Op::Cos => map_lanes(ty, sources, alu::eval_cos),
        Op::And => map_lanes(ty, sources, alu::eval_and),
        Op::Or => map_lanes(ty, sources, alu::eval_or),
        Op::Xor => map_lanes(ty, sources, alu::eval_xor),
        Op::Not => map_lanes(ty, sources, alu::eval_not),
        Op::Shl => map_lanes(ty, sources, alu::eval_shl),
        Op::Shr => map_lanes(ty, sources, alu::eval_shr),
        Op::BitExtract => map_lanes(ty, sources, alu::eval_bit_extract),
        Op::BitInsert => map_lanes(ty, sources, alu::eval_bit_insert),
        Op::BitReverse => map_lanes(ty, sources, alu::eval_bit_reverse),
        Op::BitCount => map_lanes(ty, sources, alu::eval_bit_count),
        Op::FindLsb => map_lanes(ty, sources, alu::eval_find_lsb),
        Op::FindMsb => map_lanes(ty, sources, alu::eval_find_msb),
        Op::SetEq => map_lanes(ty, sources, alu::eval_set_eq),
        Op::SetNe => map_lanes(ty, sources, alu::eval_set_ne),
        Op::SetLt => map_lanes(ty, sources, alu::eval_set_lt),
        Op::SetLe => map_lanes(ty, sources, alu::eval_set_le),
        Op::SetGt => map_lanes(ty, sources, alu::eval_set_gt),
        Op::SetGe => map_lanes(ty, sources, alu::eval_set_ge),
        Op::SelLt => map_lanes(ty, sources, alu::eval_sel_lt),
        Op::SelNz => map_lanes(ty, sources, alu::eval_sel_nz),
        Op::PackHalf2 => alu::eval_pack_half2(ty, [sources[0]]),
        Op::PackUnorm2 => alu::eval_pack_unorm2(ty, [sources[0]]),
        Op::PackUnorm4 => alu::eval_pack_unorm4(ty, [sources[0]]),
        Op::UnpackHalf2 => alu::eval_unpack_half2(ty, [sources[0]]),
        Op::UnpackUnorm2 => alu::eval_unpack_unorm2(ty, [sources[0]]),
        Op::UnpackUnorm4 => alu::eval_unpack_unorm4(ty, [sources[0]]),
        Op::Pack64 => alu::eval_pack64(ty, [sources[0]]),
        Op::Unpack64 => alu::eval_unpack64(ty, [sources[0]]),
        // The interpreter has one invocation, and constants are equal in all invocations.
        Op::GroupAll | Op::GroupAny => map_lanes(ty, sources, alu::eval_group_any),
        Op::GroupEqual => map_lanes(ty, sources, alu::eval_group_equal),
        // Constants do not differ between neighboring fragments either.
        Op::Ddx | Op::Ddy | Op::DdxFine | Op::DdyFine | Op::DdxCoarse | Op::DdyCoarse => [0; 4],
        Op::InterpCentroid
        | Op::InterpOffset
        | Op::InterpSample
        | Op::GroupBallot
        | Op::GroupAllEqual
        | Op::GroupBallotWide
        | Op::GroupFirst
        | Op::GroupRead
        | Op::ShuffleUp
        | Op::ShuffleDown
        | Op::ShuffleXor
        | Op::ShuffleIndex
        | Op::Quad0
        | Op::Quad1
        | Op::Quad2
        | Op::Quad3
        | Op::QuadX
        | Op::QuadY
        | Op::Tex
        | Op::Resident
        | Op::Load
        | Op::Store
        | Op::Atomic
        | Op::ImageLoad
        | Op::ImageStore
        | Op::ImageAtomic
        | Op::ImageSize
        | Op::BufferSize
        | Op::ImageSamples
        | Op::MemoryBarrier
        | Op::Barrier
        | Op::Demote
        | Op::IsHelper
        | Op::Clock
        | Op::InterlockBegin
        | Op::InterlockEnd
        | Op::EmitVertex
        | Op::EndPrimitive => return None,
    })
}

/// Applies an operation of `N` operands to each lane of the sources.
fn map_lanes<const N: usize>(
    ty: Type,
    sources: &SourceLanes,
    operation: impl Fn(Type, [u64; N]) -> u64,
) -> [u64; 4] {
    std::array::from_fn(|lane| operation(ty, std::array::from_fn(|number| sources[number][lane])))
}

/// Converts the lanes of the first source to `ty` as the data of the instruction specifies; `None`
/// if it has other data.
fn eval_cvt(ty: Type, aux: InstData, sources: &SourceLanes) -> Option<[u64; 4]> {
    let InstData::Cvt {
        from,
        rounding,
        saturate,
    } = aux
    else {
        return None;
    };
    Some(sources[0].map(|bits| convert(from, ty, bits, rounding, saturate)))
}

/// Returns a lane of an operand of type `ty`, from the bits of its register: truncated to the
/// width, absolute value, negation.
pub fn apply_modifiers(src: &Src, ty: Type, bits: u64) -> u64 {
    apply_negation(src, ty, apply_abs(src, ty, bits))
}

/// Returns the operand without its negation.
pub fn apply_abs(src: &Src, ty: Type, bits: u64) -> u64 {
    let bits = bits & get_lane_mask(ty.width());
    if src.abs { compute_abs(ty, bits) } else { bits }
}

/// Returns the operand with the negation of its source, given its magnitude: the result of
/// [`apply_abs`].
pub fn apply_negation(src: &Src, ty: Type, magnitude: u64) -> u64 {
    if src.negate {
        compute_neg(ty, magnitude)
    } else {
        magnitude
    }
}

/// Returns the value that is written to a register with lanes of `width` for a lane of the result:
/// clamped, then extended or truncated.
pub fn convert_result(inst: &Inst, dst: &Dst, width: Width, bits: u64) -> u64 {
    let ty = get_result_type(inst);
    let clamped = match dst.saturate {
        Saturate::None => bits,
        Saturate::Unsigned | Saturate::Signed | Saturate::UnsignedOrNan | Saturate::SignedOrNan => {
            clamp_float(ty, bits, dst.saturate)
        }
    };
    extend_bits(ty, clamped, width)
}

/// Overflow and carry of the four lanes of a result.
pub type Carries = [(bool, bool); 4];

/// Returns overflow and carry of integer sums, from the operands without their negations; false for
/// all other operations. The product of a multiply-add is an addend without modification.
/// NV_gpu_program4 section 2.X.4.3.
pub fn compute_carries(inst: &Inst, srcs: &[Src], magnitudes: &SourceLanes) -> Carries {
    if !(inst.ty.is_int() && inst.op.has_carry()) {
        return Carries::default();
    }
    let make_addend = |number: usize, lane: usize| Addend {
        value: magnitudes[number][lane],
        negated: srcs[number].negate,
    };
    let get_factor = |number: usize, lane: usize| {
        apply_negation(&srcs[number], inst.ty, magnitudes[number][lane])
    };
    std::array::from_fn(|lane| {
        let (x, mut y) = if inst.op == Op::Mad {
            let product = alu::eval_mul(inst.ty, [get_factor(0, lane), get_factor(1, lane)]);
            let product = Addend {
                value: product,
                negated: false,
            };
            (product, make_addend(2, lane))
        } else {
            (make_addend(0, lane), make_addend(1, lane))
        };
        // Negations turn sums into differences and vice versa.
        y.negated = y.negated != (inst.op == Op::Sub);
        compute_overflow_and_carry(inst.ty, x, y)
    })
}

/// The flags of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// SF: below 0 or NaN; the top bit of an integer.
    pub sign: bool,
    /// ZF: 0 or NaN.
    pub zero: bool,
    /// OF: overflow of a signed sum or difference.
    pub overflow: bool,
    /// CF: carry of an unsigned sum, or no borrow of an unsigned difference.
    pub carry: bool,
}

impl Flags {
    /// Returns the flags of a result of type `ty` with the value `bits` in a lane of `width`.
    /// Overflow and carry are clear.
    pub fn from_result(ty: Type, width: Width, bits: u64) -> Self {
        if ty.is_float() {
            // NaN sets both flags, unlike any number: so NAN and LEG can detect it (NV_gpu_program4
            // table X.16).
            let nan = super::to_f64(ty, bits).is_nan();
            let (sign, zero) = (nan || is_negative(ty, bits), nan || is_zero(ty, bits));
            return Self {
                sign,
                zero,
                ..Self::default()
            };
        }
        Self {
            sign: bits & get_top_bit(width) != 0,
            zero: bits & get_lane_mask(width) == 0,
            ..Self::default()
        }
    }

    /// Returns true if the flags pass a test: NV_gpu_program4 table X.16.
    pub fn test(self, test: CondTest) -> bool {
        let Self {
            sign: sf,
            zero: zf,
            overflow: of,
            carry: cf,
        } = self;
        match test {
            CondTest::Eq => !sf && zf,
            CondTest::Ne => sf || !zf,
            CondTest::Lt => (sf && !zf) ^ of,
            CondTest::Le => sf ^ (zf || of),
            CondTest::Gt => (!sf ^ of) && !zf,
            CondTest::Ge => !(sf ^ of),
            CondTest::True => true,
            CondTest::False => false,
            CondTest::Nan => sf && zf,
            CondTest::Leg => !sf || !zf,
            CondTest::Carry => cf,
            CondTest::NoCarry => !cf,
            CondTest::Overflow => of,
            CondTest::NoOverflow => !of,
            CondTest::Sign => sf,
            CondTest::NoSign => !sf,
            CondTest::Above => cf && !zf,
            CondTest::BelowEqual => !cf || zf,
        }
    }
}

/// An addend: its value without the negation that the operation applies to it.
#[derive(Clone, Copy)]
pub(super) struct Addend {
    pub(super) value: u64,
    pub(super) negated: bool,
}

/// Returns overflow and carry of `x + y` at the width of `ty`. A negated addend makes it a
/// subtraction; if both are negated the flags are undefined, and clear here.
pub(super) fn compute_overflow_and_carry(ty: Type, x: Addend, y: Addend) -> (bool, bool) {
    match (x.negated, y.negated) {
        (false, false) => compute_sum_flags(ty, x.value, y.value),
        (false, true) => compute_difference_flags(ty, x.value, y.value),
        (true, false) => compute_difference_flags(ty, y.value, x.value),
        (true, true) => (false, false),
    }
}

/// Returns true if a signed integer of the width of `ty` can represent the value.
fn is_in_range(ty: Type, value: i128) -> bool {
    let limit = i128::from(get_top_bit(ty.width()));
    (-limit..limit).contains(&value)
}

/// Returns signed overflow and unsigned carry of `a + b`.
fn compute_sum_flags(ty: Type, a: u64, b: u64) -> (bool, bool) {
    let sum = i128::from(to_signed(ty.width(), a)) + i128::from(to_signed(ty.width(), b));
    let unsigned_sum = u128::from(a) + u128::from(b);
    (
        !is_in_range(ty, sum),
        unsigned_sum > u128::from(get_lane_mask(ty.width())),
    )
}

/// Returns signed overflow and carry of `a - b`; carry is set if the subtraction does not borrow.
fn compute_difference_flags(ty: Type, a: u64, b: u64) -> (bool, bool) {
    let difference = i128::from(to_signed(ty.width(), a)) - i128::from(to_signed(ty.width(), b));
    // Carry means no borrow: the difference of the unsigned values is not negative.
    (!is_in_range(ty, difference), a >= b)
}
