//! Operations as functions of values, for the interpreter and for constant folding in the compiler.

use super::alu::{self, saturate};
use super::convert::convert;
use super::flags::{Summand, overflow_and_carry};
use super::value::{absolute, extended, mask, negated};
use super::{group, pack};
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
    fn flushes(self, op: Op, ty: Type) -> bool {
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
    if !arithmetic.flushes(op, ty) {
        return evaluate_numbers(op, ty, aux, sources, arithmetic.products);
    }
    let sources = sources.map(|lanes| lanes.map(flushed));
    let result = evaluate_numbers(op, ty, aux, &sources, arithmetic.products)?;
    Some(result.map(flushed))
}

/// Returns the bits of a 32-bit float; for a denormal, of zero with the same sign.
fn flushed(bits: u64) -> u64 {
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
    let mul = alu::product(products);
    Some(match op {
        Op::Mul => each(ty, sources, mul),
        Op::Mad => each(ty, sources, |ty, [a, b, c]| {
            alu::add(ty, [mul(ty, [a, b]), c])
        }),
        Op::Fma => each(ty, sources, |ty, operands| alu::fma(ty, operands, products)),
        Op::Pow => each(ty, sources, |ty, operands| alu::pow(ty, operands, products)),
        Op::Dp2 => pack::dot::<2>(ty, sources, mul),
        Op::Dp3 => pack::dot::<3>(ty, sources, mul),
        Op::Dp4 => pack::dot::<4>(ty, sources, mul),
        Op::Cvt => cvt(ty, aux, sources)?,
        Op::Mov => each(ty, sources, alu::mov),
        Op::Add => each(ty, sources, alu::add),
        Op::Sub => each(ty, sources, alu::sub),
        Op::MulHi => each(ty, sources, alu::mul_hi),
        Op::Div => each(ty, sources, alu::div),
        Op::Mod => each(ty, sources, alu::modulo),
        Op::Min => each(ty, sources, alu::min),
        Op::Max => each(ty, sources, alu::max),
        Op::NMin => each(ty, sources, alu::nmin),
        Op::NMax => each(ty, sources, alu::nmax),
        Op::Floor => each(ty, sources, alu::floor),
        Op::Ceil => each(ty, sources, alu::ceil),
        Op::Trunc => each(ty, sources, alu::trunc),
        Op::Round => each(ty, sources, alu::round),
        Op::RoundHalf => each(ty, sources, alu::round_half),
        Op::RoundFixed => each(ty, sources, alu::round_fixed),
        Op::Fract => each(ty, sources, alu::fract),
        Op::Sign => each(ty, sources, alu::sign),
        Op::Rcp => each(ty, sources, alu::rcp),
        Op::Rsq => each(ty, sources, alu::rsq),
        Op::Sqrt => each(ty, sources, alu::sqrt),
        Op::Exp2 => each(ty, sources, alu::exp2),
        Op::Log2 => each(ty, sources, alu::log2),
        Op::Sin => each(ty, sources, alu::sin),
        Op::Cos => each(ty, sources, alu::cos),
        Op::And => each(ty, sources, alu::and),
        Op::Or => each(ty, sources, alu::or),
        Op::Xor => each(ty, sources, alu::xor),
        Op::Not => each(ty, sources, alu::not),
        Op::Shl => each(ty, sources, alu::shl),
        Op::Shr => each(ty, sources, alu::shr),
        Op::BitExtract => each(ty, sources, alu::bit_extract),
        Op::BitInsert => each(ty, sources, alu::bit_insert),
        Op::BitReverse => each(ty, sources, alu::bit_reverse),
        Op::BitCount => each(ty, sources, alu::bit_count),
        Op::FindLsb => each(ty, sources, alu::find_lsb),
        Op::FindMsb => each(ty, sources, alu::find_msb),
        Op::SetEq => each(ty, sources, alu::set_eq),
        Op::SetNe => each(ty, sources, alu::set_ne),
        Op::SetLt => each(ty, sources, alu::set_lt),
        Op::SetLe => each(ty, sources, alu::set_le),
        Op::SetGt => each(ty, sources, alu::set_gt),
        Op::SetGe => each(ty, sources, alu::set_ge),
        Op::SelLt => each(ty, sources, alu::sel_lt),
        Op::SelNz => each(ty, sources, alu::sel_nz),
        Op::PackHalf2 => pack::pack_half2(ty, [sources[0]]),
        Op::PackUnorm2 => pack::pack_unorm2(ty, [sources[0]]),
        Op::PackUnorm4 => pack::pack_unorm4(ty, [sources[0]]),
        Op::UnpackHalf2 => pack::unpack_half2(ty, [sources[0]]),
        Op::UnpackUnorm2 => pack::unpack_unorm2(ty, [sources[0]]),
        Op::UnpackUnorm4 => pack::unpack_unorm4(ty, [sources[0]]),
        Op::Pack64 => pack::pack64(ty, [sources[0]]),
        Op::Unpack64 => pack::unpack64(ty, [sources[0]]),
        // The interpreter has one invocation, and constants are equal in all invocations.
        Op::GroupAll | Op::GroupAny => each(ty, sources, group::any),
        Op::GroupEqual => each(ty, sources, group::equal),
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
fn each<const N: usize>(
    ty: Type,
    sources: &Sources,
    operation: impl Fn(Type, [u64; N]) -> u64,
) -> [u64; 4] {
    std::array::from_fn(|lane| operation(ty, std::array::from_fn(|number| sources[number][lane])))
}

fn cvt(ty: Type, aux: Aux, sources: &Sources) -> Option<[u64; 4]> {
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
    let bits = bits & mask(ty.width());
    if src.abs { absolute(ty, bits) } else { bits }
}

/// Returns the operand, given its [`magnitude`].
pub fn negation(src: &Src, ty: Type, magnitude: u64) -> u64 {
    if src.negate {
        negated(ty, magnitude)
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
            saturate(ty, bits, dst.saturate)
        }
    };
    extended(ty, clamped, width)
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
    let summand = |number: usize, lane: usize| Summand {
        value: magnitudes[number][lane],
        negated: srcs[number].negate,
    };
    let factor =
        |number: usize, lane: usize| negation(&srcs[number], inst.ty, magnitudes[number][lane]);
    std::array::from_fn(|lane| {
        let (x, mut y) = if inst.op == Op::Mad {
            let product = alu::mul(inst.ty, [factor(0, lane), factor(1, lane)]);
            let product = Summand {
                value: product,
                negated: false,
            };
            (product, summand(2, lane))
        } else {
            (summand(0, lane), summand(1, lane))
        };
        // Negations turn sums into differences and vice versa.
        y.negated = y.negated != (inst.op == Op::Sub);
        overflow_and_carry(inst.ty, x, y)
    })
}
