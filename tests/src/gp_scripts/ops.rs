//! The instructions that random programs have, as a table: what they read, and what they compute.
//!
//! Left out is what only has bounds (EX2, LG2, POW, SIN, COS, RSQ, NRM, RFL, the unpack instructions of integers) and what other tests cover
//! (textures, images, derivatives, thread groups).

use super::arith::{self, Result, float, int};
use super::convert::{half_bits, half_value, nearest};
use super::value::{Base, F32, F64, Num, Open, S32, S64, Type, U32, U64};

/// Components of an operand, those that are open among them.
pub(super) type Vector = [std::result::Result<Num, Open>; 4];

/// How operands become a result.
#[derive(Clone, Copy)]
pub(super) enum Compute {
    /// Each component of one, two or three vectors.
    One(fn(Type, Num) -> Result),
    Two(fn(Type, Num, Num) -> Result),
    Three(fn(Type, Num, Num, Num) -> Result),
    /// Each component of a vector, and a scalar.
    TwoScalar(fn(Type, Num, Num) -> Result),
    /// One scalar.
    Scalar(fn(Type, Num) -> Result),
    /// All components at once.
    Whole(usize, fn(Type, &[Vector]) -> [Result; 4]),
    /// The program's own scalar, read as a whole.
    WholeScalar(fn(Type, &[Vector]) -> [Result; 4]),
}

impl Compute {
    /// Number of operands.
    pub(super) fn operands(self) -> usize {
        match self {
            Self::One(_) | Self::Scalar(_) | Self::WholeScalar(_) => 1,
            Self::Two(_) | Self::TwoScalar(_) => 2,
            Self::Three(_) => 3,
            Self::Whole(count, _) => count,
        }
    }

    /// Whether operand number `index` is a scalar.
    pub(super) fn is_scalar(self, index: usize) -> bool {
        match self {
            Self::TwoScalar(_) => index == 1,
            Self::Scalar(_) | Self::WholeScalar(_) => true,
            Self::One(_) | Self::Two(_) | Self::Three(_) | Self::Whole(..) => false,
        }
    }
}

/// The types of operands and result, of an instruction with a type modifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signature {
    /// All are what the modifier says.
    Same,
    /// Floats become what the modifier says.
    FromFloat,
    /// What the modifier says becomes floats.
    ToFloat,
    /// Floats become bits.
    Pack,
    /// Bits become floats.
    Unpack,
    /// The third operand and the result are unsigned.
    Sad,
    /// Pairs of words become 64 bits.
    Pack64,
    /// 64 bits become pairs of words.
    Unpack64,
}

impl Signature {
    pub(super) fn operand(self, ty: Type, index: usize) -> Type {
        match self {
            Self::Same => ty,
            Self::FromFloat => ty.with_base(Base::F),
            Self::ToFloat => ty,
            Self::Pack => F32,
            Self::Unpack => U32,
            Self::Sad if index == 2 => ty.with_base(Base::U),
            Self::Sad => ty,
            Self::Pack64 => U32,
            Self::Unpack64 => U64,
        }
    }

    pub(super) fn result(self, ty: Type) -> Type {
        match self {
            Self::Same | Self::FromFloat => ty,
            Self::ToFloat | Self::Unpack => F32,
            Self::Pack => U32,
            Self::Sad => ty.with_base(Base::U),
            Self::Pack64 => U64,
            Self::Unpack64 => U32,
        }
    }

    /// Whether registers are read and written as bits of just that size, whatever the modifier says.
    pub(super) fn is_raw(self) -> bool {
        match self {
            Self::Pack | Self::Unpack | Self::Pack64 | Self::Unpack64 => true,
            Self::Same | Self::FromFloat | Self::ToFloat | Self::Sad => false,
        }
    }
}

/// Overflow and carry of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sums {
    No,
    Add,
    Sub,
    Mad,
    Sad,
}

/// An instruction.
pub(super) struct Op {
    pub(super) name: &'static str,
    pub(super) compute: Compute,
    pub(super) types: &'static [Type],
    pub(super) signature: Signature,
    pub(super) since: u32,
    pub(super) sums: Sums,
    /// How often it is chosen.
    pub(super) weight: usize,
}

const F: &[Type] = &[F32];
const I: &[Type] = &[S32, U32];
const FI: &[Type] = &[F32, S32, U32];
const F6: &[Type] = &[F32, F64];
const I6: &[Type] = &[S32, U32, S64, U64];
const FI6: &[Type] = &[F32, F64, S32, U32, S64, U64];

const fn op(name: &'static str, types: &'static [Type], compute: Compute) -> Op {
    Op {
        name,
        compute,
        types,
        signature: Signature::Same,
        since: 40,
        sums: Sums::No,
        weight: 2,
    }
}

impl Op {
    const fn has(self, signature: Signature) -> Self {
        Self { signature, ..self }
    }

    const fn sums(self, sums: Sums) -> Self {
        Self {
            sums,
            weight: 6,
            ..self
        }
    }

    const fn new_in_5(self) -> Self {
        Self { since: 50, ..self }
    }

    const fn often(self) -> Self {
        Self { weight: 5, ..self }
    }
}

use Compute::{One, Scalar, Three, Two, TwoScalar, Whole, WholeScalar};

/// All of them. A modifier that is part of the operation, as HI is, belongs to the name.
pub(super) const OPS: &[Op] = &[
    op("ABS", FI6, One(arith::abs)),
    op("ADD", FI6, Two(arith::add)).sums(Sums::Add),
    op("AND", I6, Two(arith::and)),
    op("BFE", I, Whole(2, bfe)).new_in_5(),
    op("BFI", I, Whole(3, bfi)).new_in_5(),
    op("BFR", I, One(arith::bfr)).new_in_5(),
    op("BTC", I, One(arith::btc)).new_in_5(),
    op("BTFL", I, One(arith::btfl)).new_in_5(),
    op("BTFM", I, One(arith::btfm)).new_in_5(),
    op("CEIL", FI6, One(arith::ceil)).has(Signature::FromFloat),
    op("CMP", FI6, Three(arith::cmp)),
    op("DIV", FI6, TwoScalar(arith::div)),
    op("DP2", F, Whole(2, dp2)),
    op("DP2A", F, Whole(3, dp2a)),
    op("DP3", F, Whole(2, dp3)),
    op("DP4", F, Whole(2, dp4)),
    op("DPH", F, Whole(2, dph)),
    op("DST", F, Whole(2, dst)),
    op("FLR", FI6, One(arith::flr)).has(Signature::FromFloat),
    op("FRC", F6, One(arith::frc)),
    op("I2F", I, One(arith::i2f)).has(Signature::ToFloat),
    op("LIT", F, Whole(1, lit)),
    op("LRP", F, Whole(3, lrp)),
    op("MAD", FI6, Three(arith::mad)).sums(Sums::Mad),
    op("MAX", FI6, Two(arith::max)),
    op("MIN", FI6, Two(arith::min)),
    op("MOD", I6, TwoScalar(arith::modulus)),
    op("MOV", FI6, One(arith::mov)).often(),
    op("MUL", FI6, Two(arith::mul)).often(),
    op("MUL.HI", I, Two(arith::mul_high)),
    op("MUL.24", I, Two(arith::mul_24)),
    op("NOT", I6, One(arith::not)),
    op("OR", I6, Two(arith::or)),
    op("PK2H", FI, Whole(1, pk2h)).has(Signature::Pack),
    op("PK2US", FI, Whole(1, pk2us)).has(Signature::Pack),
    op("PK4B", FI, Whole(1, pk4b)).has(Signature::Pack),
    op("PK4UB", FI, Whole(1, pk4ub)).has(Signature::Pack),
    op("PK64", FI, Whole(1, pk64))
        .has(Signature::Pack64)
        .new_in_5(),
    op("RCP", F6, Scalar(arith::rcp)),
    op("ROUND", FI6, One(arith::round)).has(Signature::FromFloat),
    op("SAD", I6, Three(arith::sad))
        .has(Signature::Sad)
        .sums(Sums::Sad),
    op("SEQ", FI6, Two(arith::seq)),
    op("SFL", FI6, Two(arith::sfl)),
    op("SGE", FI6, Two(arith::sge)),
    op("SGT", FI6, Two(arith::sgt)),
    op("SHL", I6, TwoScalar(arith::shl)),
    op("SHR", I6, TwoScalar(arith::shr)),
    op("SLE", FI6, Two(arith::sle)),
    op("SLT", FI6, Two(arith::slt)),
    op("SNE", FI6, Two(arith::sne)),
    op("SSG", F6, One(arith::ssg)),
    op("STR", FI6, Two(arith::str)),
    op("SUB", FI6, Two(arith::sub)).sums(Sums::Sub),
    op("TRUNC", FI6, One(arith::trunc)).has(Signature::FromFloat),
    op("UP2H", FI, WholeScalar(up2h)).has(Signature::Unpack),
    op("UP64", FI, Whole(1, up64))
        .has(Signature::Unpack64)
        .new_in_5(),
    op("X2D", F, Whole(3, x2d)),
    op("XOR", I6, Two(arith::xor)),
    op("XPD", F, Whole(2, xpd)),
];

/// The same result for all components.
fn replicated(result: Result) -> [Result; 4] {
    [result; 4]
}

/// The sum of the products of components.
fn dot(a: &Vector, b: &Vector, count: usize) -> Result {
    let mut pairs = Vec::new();
    for lane in 0..count {
        pairs.push((a[lane]?.float(), b[lane]?.float()));
    }
    arith::sum_of_products(&pairs)
}

fn dp2(_: Type, v: &[Vector]) -> [Result; 4] {
    replicated(dot(&v[0], &v[1], 2))
}

fn dp3(_: Type, v: &[Vector]) -> [Result; 4] {
    replicated(dot(&v[0], &v[1], 3))
}

fn dp4(_: Type, v: &[Vector]) -> [Result; 4] {
    replicated(dot(&v[0], &v[1], 4))
}

fn dph(_: Type, v: &[Vector]) -> [Result; 4] {
    let homogeneous = [v[0][0], v[0][1], v[0][2], Ok(Num::F(1.0))];
    replicated(dot(&homogeneous, &v[1], 4))
}

fn dp2a(_: Type, v: &[Vector]) -> [Result; 4] {
    let left = [v[0][0], v[0][1], v[2][0], Ok(Num::F(0.0))];
    let right = [v[1][0], v[1][1], Ok(Num::F(1.0)), Ok(Num::F(0.0))];
    replicated(dot(&left, &right, 3))
}

fn dst(ty: Type, v: &[Vector]) -> [Result; 4] {
    let product = || arith::mul(ty, v[0][1]?, v[1][1]?);
    let copy = |value: std::result::Result<Num, Open>| arith::exactly(value?);
    [float(1.0), product(), copy(v[0][2]), copy(v[1][3])]
}

fn x2d(_: Type, v: &[Vector]) -> [Result; 4] {
    let row = |start: usize, at: usize| {
        let [x, y] = [v[1][0]?.float(), v[1][1]?.float()];
        let [a, b] = [v[2][at]?.float(), v[2][at + 1]?.float()];
        arith::sum_of_products(&[(v[0][start]?.float(), 1.0), (x, a), (y, b)])
    };
    [row(0, 0), row(1, 2), row(0, 0), row(1, 2)]
}

fn xpd(_: Type, v: &[Vector]) -> [Result; 4] {
    let minor = |i: usize, j: usize| {
        let [a, b] = [v[0][i]?.float(), v[0][j]?.float()];
        let [c, d] = [v[1][i]?.float(), v[1][j]?.float()];
        arith::sum_of_products(&[(a, d), (-b, c)])
    };
    [minor(1, 2), minor(2, 0), minor(0, 1), Err(Open)]
}

fn lrp(_: Type, v: &[Vector]) -> [Result; 4] {
    std::array::from_fn(|lane| {
        let [t, a, b] = [
            v[0][lane]?.float(),
            v[1][lane]?.float(),
            v[2][lane]?.float(),
        ];
        arith::sum_of_products(&[(1.0, 1.0), (t, -1.0)])?;
        arith::sum_of_products(&[(t, a), (b, 1.0), (t, -b)])
    })
}

/// LIT; the power of the specular term only has bounds.
fn lit(_: Type, v: &[Vector]) -> [Result; 4] {
    // Mesa makes -0 of constants that are clamped at 0, and the sign of -0 is open.
    let diffuse = || match v[0][0]?.float() {
        x if x.is_nan() || x.is_sign_negative() => Err(Open),
        x => float(x),
    };
    let specular = || {
        if v[0][0]?.float() <= 0.0 {
            float(0.0)
        } else {
            Err(Open)
        }
    };
    [float(1.0), diffuse(), specular(), float(1.0)]
}

/// Number and offset of bits stand in x and y of the first operand.
fn bfe(ty: Type, v: &[Vector]) -> [Result; 4] {
    std::array::from_fn(|lane| {
        let field = arith::field(ty, v[0][0]?, v[0][1]?)?;
        arith::bfe(ty, field, v[1][lane]?)
    })
}

fn bfi(ty: Type, v: &[Vector]) -> [Result; 4] {
    std::array::from_fn(|lane| {
        let field = arith::field(ty, v[0][0]?, v[0][1]?)?;
        arith::bfi(ty, field, v[1][lane]?, v[2][lane]?)
    })
}

/// Bits of several components beside each other.
fn packed(
    vector: &Vector,
    count: usize,
    bits: fn(f64) -> std::result::Result<u64, Open>,
) -> [Result; 4] {
    let pack = || {
        let mut word = 0;
        for (lane, value) in vector.iter().take(count).enumerate() {
            word |= bits((*value)?.float())? << (32 / count * lane);
        }
        int(i128::from(word))
    };
    replicated(pack())
}

fn pk2h(_: Type, v: &[Vector]) -> [Result; 4] {
    packed(&v[0], 2, half_bits)
}

fn pk2us(_: Type, v: &[Vector]) -> [Result; 4] {
    packed(&v[0], 2, |value| nearest(value.clamp(0.0, 1.0) * 65535.0))
}

fn pk4b(_: Type, v: &[Vector]) -> [Result; 4] {
    packed(&v[0], 4, |value| {
        nearest(value.clamp(-128.0 / 127.0, 1.0) * 127.0 + 128.0)
    })
}

fn pk4ub(_: Type, v: &[Vector]) -> [Result; 4] {
    packed(&v[0], 4, |value| nearest(value.clamp(0.0, 1.0) * 255.0))
}

fn up2h(_: Type, v: &[Vector]) -> [Result; 4] {
    std::array::from_fn(|lane| {
        let word = v[0][0]?.int() as u64;
        float(half_value(word >> (16 * (lane & 1)) & 0xffff)?)
    })
}

fn pk64(_: Type, v: &[Vector]) -> [Result; 4] {
    std::array::from_fn(|lane| {
        let at = 2 * (lane & 1);
        int(v[0][at]?.int() | v[0][at + 1]?.int() << 32)
    })
}

fn up64(_: Type, v: &[Vector]) -> [Result; 4] {
    std::array::from_fn(|lane| int(v[0][lane / 2]?.int() >> (32 * (lane & 1)) & 0xffff_ffff))
}
