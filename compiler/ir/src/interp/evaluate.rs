//! Operations as functions of values, for the interpreter and for constant folding in the compiler.

use super::alu::{self, clamp_float};
use super::convert::convert;
use super::flags::{Addend, compute_overflow_and_carry};
use super::value::{compute_abs, compute_neg, extend_bits, lane_mask};
use super::{group, vector_ops};
use crate::inst::{Aux, Dst, Inst, Saturate, Src, result_type};
use crate::op::Op;
use crate::types::{Type, Width};

/// Lanes of the sources of an instruction; missing sources are 0.
pub type Sources = [[u64; 4]; 4];

/// Value of zero times infinity or NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Products {
    /// NaN.
    #[default]
    Ieee,
    /// +0, like zero times any other number, in 32-bit floats. NV_vertex_program section 2.14.1.11.
    ZeroWins,
}

/// Treatment of denormal 32-bit floats in operands and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Denormals {
    /// Preserved.
    #[default]
    Kept,
    /// Flushed to zeros of the same sign by operations that compute with them
    /// ([`Op::computes_floats`]).
    Flushed,
}

/// Float arithmetic of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Arithmetic {
    /// Products with zero.
    pub products: Products,
    /// Denormals.
    pub denormals: Denormals,
}

impl Arithmetic {
    /// Returns true if an operation flushes denormals.
    fn is_flushing(self, op: Op, ty: Type) -> bool {
        self.denormals == Denormals::Flushed && ty == Type::F32 && op.computes_floats()
    }
}

/// Returns the result lanes of an operation, before clamp and width of the destination; `None` if
/// it has effects or its result depends on more than its sources. Swizzle and sign modifiers must
/// already be applied to the sources, see [`operand`].
pub fn evaluate(
    op: Op,
    ty: Type,
    aux: Aux,
    sources: &Sources,
    arithmetic: Arithmetic,
) -> Option<[u64; 4]> {
    if !arithmetic.is_flushing(op, ty) {
        return evaluate_numbers(op, ty, aux, sources, arithmetic.products);
    }
    let sources = sources.map(|lanes| lanes.map(flush_denormal));
    let result = evaluate_numbers(op, ty, aux, &sources, arithmetic.products)?;
    Some(result.map(flush_denormal))
}

/// Returns the bits of a 32-bit float; for a denormal, of zero with the same sign.
fn flush_denormal(bits: u64) -> u64 {
    const EXPONENT: u64 = 0x7f80_0000;
    const SIGN: u64 = 0x8000_0000;
    if bits & EXPONENT == 0 {
        bits & SIGN
    } else {
        bits
    }
}

#[expect(clippy::too_many_lines, reason = "one line per operation")]
fn evaluate_numbers(
    op: Op,
    ty: Type,
    aux: Aux,
    sources: &Sources,
    products: Products,
) -> Option<[u64; 4]> {
    let mul = alu::select_mul(products);
    Some(match op {
        Op::Mul => map_lanes(ty, sources, mul),
        Op::Mad => map_lanes(ty, sources, |ty, [a, b, c]| {
            alu::eval_add(ty, [mul(ty, [a, b]), c])
        }),
        Op::Fma => map_lanes(ty, sources, |ty, operands| {
            alu::eval_fma(ty, operands, products)
        }),
        Op::Pow => map_lanes(ty, sources, |ty, operands| {
            alu::eval_pow(ty, operands, products)
        }),
        Op::Dp2 => vector_ops::eval_dot::<2>(ty, sources, mul),
        Op::Dp3 => vector_ops::eval_dot::<3>(ty, sources, mul),
        Op::Dp4 => vector_ops::eval_dot::<4>(ty, sources, mul),
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
        Op::PackHalf2 => vector_ops::eval_pack_half2(ty, [sources[0]]),
        Op::PackUnorm2 => vector_ops::eval_pack_unorm2(ty, [sources[0]]),
        Op::PackUnorm4 => vector_ops::eval_pack_unorm4(ty, [sources[0]]),
        Op::UnpackHalf2 => vector_ops::eval_unpack_half2(ty, [sources[0]]),
        Op::UnpackUnorm2 => vector_ops::eval_unpack_unorm2(ty, [sources[0]]),
        Op::UnpackUnorm4 => vector_ops::eval_unpack_unorm4(ty, [sources[0]]),
        Op::Pack64 => vector_ops::eval_pack64(ty, [sources[0]]),
        Op::Unpack64 => vector_ops::eval_unpack64(ty, [sources[0]]),
        // The interpreter has one invocation, and constants are equal in all invocations.
        Op::GroupAll | Op::GroupAny => map_lanes(ty, sources, group::eval_any),
        Op::GroupEqual => map_lanes(ty, sources, group::eval_equal),
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

/// Applies an operation lane by lane.
fn map_lanes<const N: usize>(
    ty: Type,
    sources: &Sources,
    operation: impl Fn(Type, [u64; N]) -> u64,
) -> [u64; 4] {
    std::array::from_fn(|lane| operation(ty, std::array::from_fn(|number| sources[number][lane])))
}

fn eval_cvt(ty: Type, aux: Aux, sources: &Sources) -> Option<[u64; 4]> {
    let Aux::Cvt {
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
pub fn operand(src: &Src, ty: Type, bits: u64) -> u64 {
    negation(src, ty, magnitude(src, ty, bits))
}

/// Returns the operand without its negation.
pub fn magnitude(src: &Src, ty: Type, bits: u64) -> u64 {
    let bits = bits & lane_mask(ty.width());
    if src.abs { compute_abs(ty, bits) } else { bits }
}

/// Returns the operand, given its [`magnitude`].
pub fn negation(src: &Src, ty: Type, magnitude: u64) -> u64 {
    if src.negate {
        compute_neg(ty, magnitude)
    } else {
        magnitude
    }
}

/// Returns the value that is written to a register with lanes of `width` for a lane of the result:
/// clamped, then extended or truncated.
pub fn written(inst: &Inst, dst: &Dst, width: Width, bits: u64) -> u64 {
    let ty = result_type(inst);
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
pub fn carries(inst: &Inst, srcs: &[Src], magnitudes: &Sources) -> Carries {
    if !(inst.ty.is_int() && inst.op.adds()) {
        return Carries::default();
    }
    let summand = |number: usize, lane: usize| Addend {
        value: magnitudes[number][lane],
        negated: srcs[number].negate,
    };
    let factor =
        |number: usize, lane: usize| negation(&srcs[number], inst.ty, magnitudes[number][lane]);
    std::array::from_fn(|lane| {
        let (x, mut y) = if inst.op == Op::Mad {
            let product = alu::eval_mul(inst.ty, [factor(0, lane), factor(1, lane)]);
            let product = Addend {
                value: product,
                negated: false,
            };
            (product, summand(2, lane))
        } else {
            (summand(0, lane), summand(1, lane))
        };
        // Negations turn sums into differences and vice versa.
        y.negated = y.negated != (inst.op == Op::Sub);
        compute_overflow_and_carry(inst.ty, x, y)
    })
}
