//! What the instructions compute for each component: NV_gpu_program4 section 2.X.8 and NV_gpu_program5 section 2.X.8.Z.
//!
//! A result is [`Open`] where the text leaves it open (division by zero, shifts by too much), and where Vulkan allows more than one (a quotient
//! that is not exact, the sign of some zeros). Rounded results tell so: an instruction that rounds needs PREC, because a product
//! and a sum may become one operation without it.

use super::value::{Base, F32, Num, Open, Type, narrow};

/// A result before it is clamped and written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Val {
    pub(super) num: Num,
    /// Whether the exact result is another one.
    pub(super) rounded: bool,
}

pub(super) type Result = std::result::Result<Val, Open>;

/// A result without rounding.
pub(super) fn exactly(num: Num) -> Result {
    Ok(Val {
        num,
        rounded: false,
    })
}

pub(super) fn float(value: f64) -> Result {
    exactly(Num::F(value))
}

pub(super) fn int(value: i128) -> Result {
    exactly(Num::I(value))
}

/// Open, unless the condition holds.
fn only_if(holds: bool) -> std::result::Result<(), Open> {
    if holds { Ok(()) } else { Err(Open) }
}

fn is_zero(value: f64) -> bool {
    value == 0.0
}

fn is_minus_zero(value: f64) -> bool {
    value == 0.0 && value.is_sign_negative()
}

/// Whether `value` is a power of two that has a reciprocal far from the limits of `F32`.
fn is_power_of_two(value: f64) -> bool {
    let bits = value.to_bits();
    bits & ((1 << 52) - 1) == 0 && (1e-25..1e25).contains(&value.abs())
}

pub(super) fn add(ty: Type, a: Num, b: Num) -> Result {
    if !ty.is_float() {
        return int(ty.wrap(a.int() + b.int()));
    }
    let (a, b) = (a.float(), b.float());
    let sum = narrow(a + b, ty.bits);
    // The error of a sum, by Knuth; it is a number unless the sum is infinite.
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    let inexact = if sum.is_finite() {
        error != 0.0
    } else {
        a.is_finite() && b.is_finite()
    };
    // Mesa takes a sum with a 0 that it knows for the other number, and a difference of a value from itself for 0.
    let loses_zero = sum == 0.0 && (is_minus_zero(a) || is_minus_zero(b));
    let loses_nan = sum.is_nan() && a.is_nan() == b.is_nan();
    only_if(!loses_zero && !loses_nan)?;
    Ok(Val {
        num: Num::F(sum),
        rounded: inexact,
    })
}

pub(super) fn negated(ty: Type, a: Num) -> Num {
    match a {
        Num::F(value) => Num::F(-value),
        Num::I(value) => Num::I(ty.wrap(-value)),
    }
}

/// `|a|`, which changes no unsigned integer; that of the least integer does not exist, and wraps to itself.
pub(super) fn absolute(ty: Type, a: Num) -> Num {
    match a {
        Num::F(value) => Num::F(value.abs()),
        Num::I(value) if ty.base == Base::S => Num::I(ty.wrap(value.abs())),
        Num::I(value) => Num::I(value),
    }
}

pub(super) fn abs(ty: Type, a: Num) -> Result {
    exactly(absolute(ty, a))
}

pub(super) fn sub(ty: Type, a: Num, b: Num) -> Result {
    match b {
        Num::F(value) => add(ty, a, Num::F(-value)),
        Num::I(value) => int(ty.wrap(a.int() - value)),
    }
}

pub(super) fn mul(ty: Type, a: Num, b: Num) -> Result {
    if !ty.is_float() {
        return int(ty.wrap(a.int().wrapping_mul(b.int())));
    }
    let (a, b) = (a.float(), b.float());
    let product = narrow(a * b, ty.bits);
    let exact = match ty.bits {
        64 => a.mul_add(b, -product) == 0.0,
        _ => a * b == product,
    };
    let inexact = if product.is_finite() {
        !exact || is_zero(product) && !is_zero(a) && !is_zero(b)
    } else {
        a.is_finite() && b.is_finite()
    };
    // Mesa takes a product with a 0 that it knows for 0.
    only_if(!is_minus_zero(product) && !(product.is_nan() && (is_zero(a) || is_zero(b))))?;
    Ok(Val {
        num: Num::F(product),
        rounded: inexact,
    })
}

/// The upper half of the product.
pub(super) fn mul_high(ty: Type, a: Num, b: Num) -> Result {
    int((a.int() * b.int()) >> ty.bits)
}

/// The product of integers of 24 bits.
pub(super) fn mul_24(ty: Type, a: Num, b: Num) -> Result {
    let narrow = ty.with_bits(24);
    only_if(narrow.has(a.int()) && narrow.has(b.int()))?;
    mul(ty, a, b)
}

/// Whether the sum is without rounding in every order, and however products and sums become one operation.
fn exact_sum(terms: &[f64]) -> Result {
    let granule = |value: f64| {
        let bits = value.to_bits();
        let zeros = (bits | 1 << 52).trailing_zeros().min(52);
        let exponent = ((bits >> 52) & 0x7ff) as i32;
        2f64.powi(exponent - 1075 + zeros as i32)
    };
    let sum: f64 = terms.iter().sum();
    let size: f64 = terms.iter().map(|term| term.abs()).sum();
    let nonzero = terms.iter().copied().filter(|term| !is_zero(*term));
    let least = nonzero.map(granule).fold(f64::INFINITY, f64::min);
    only_if(size.is_finite())?;
    // The sign of a sum that is zero depends on where negation is done.
    only_if(size > 0.0 && sum != 0.0)?;
    only_if(size < least * f64::from(1 << 24) && least > 1e-30 && size < 1e30)?;
    float(sum)
}

/// The sum of products, each of two factors.
pub(super) fn sum_of_products(pairs: &[(f64, f64)]) -> Result {
    // Doubles hold all products of two singles.
    let terms: Vec<f64> = pairs.iter().map(|(a, b)| a * b).collect();
    exact_sum(&terms)
}

pub(super) fn mad(ty: Type, a: Num, b: Num, c: Num) -> Result {
    if !ty.is_float() {
        return int(ty.wrap(a.int().wrapping_mul(b.int()).wrapping_add(c.int())));
    }
    if ty == F32 {
        let (a, b, c) = (a.float(), b.float(), c.float());
        return sum_of_products(&[(a, b), (c, 1.0)]);
    }
    let product = mul(ty, a, b)?;
    only_if(!product.rounded)?;
    let sum = add(ty, product.num, c)?;
    only_if(!sum.rounded && !is_zero(sum.num.float()))?;
    Ok(sum)
}

pub(super) fn div(ty: Type, a: Num, b: Num) -> Result {
    if !ty.is_float() {
        let (a, b) = (a.int(), b.int());
        // The quotient of the least integer by -1 wraps.
        only_if(b != 0)?;
        return int(ty.wrap(a / b));
    }
    let (a, b) = (a.float(), b.float());
    only_if(is_power_of_two(b) && a.is_finite() && a.abs() < 1e10)?;
    only_if(is_zero(a) || a.abs() > 1e-10)?;
    only_if(!is_minus_zero(a / b))?;
    float(a / b)
}

pub(super) fn modulus(_: Type, a: Num, b: Num) -> Result {
    let (a, b) = (a.int(), b.int());
    only_if(a >= 0 && b > 0)?;
    int(a % b)
}

pub(super) fn rcp(_: Type, a: Num) -> Result {
    only_if(is_power_of_two(a.float()))?;
    float(1.0 / a.float())
}

/// One of two numbers, by their order: with NaN, and of zeros of both signs, it is open which.
fn extreme(a: Num, b: Num, chosen: Num) -> Result {
    if let (Num::F(x), Num::F(y)) = (a, b) {
        only_if(!x.is_nan() && !y.is_nan())?;
        only_if(x != y || x.is_sign_negative() == y.is_sign_negative())?;
    }
    exactly(chosen)
}

pub(super) fn max(_: Type, a: Num, b: Num) -> Result {
    extreme(a, b, if greater(a, b) { a } else { b })
}

pub(super) fn min(_: Type, a: Num, b: Num) -> Result {
    extreme(a, b, if greater(a, b) { b } else { a })
}

fn greater(a: Num, b: Num) -> bool {
    match a {
        Num::F(value) => value > b.float(),
        Num::I(value) => value > b.int(),
    }
}

fn equal(a: Num, b: Num) -> bool {
    match a {
        Num::F(value) => value == b.float(),
        Num::I(value) => value == b.int(),
    }
}

/// TRUE and FALSE of the SET instructions.
pub(super) fn truth(ty: Type, holds: bool) -> Result {
    exactly(match ty.base {
        Base::F => Num::F(if holds { 1.0 } else { 0.0 }),
        Base::S => Num::I(if holds { -1 } else { 0 }),
        Base::U => Num::I(if holds { ty.range().1 } else { 0 }),
    })
}

pub(super) fn seq(ty: Type, a: Num, b: Num) -> Result {
    truth(ty, equal(a, b))
}

pub(super) fn sne(ty: Type, a: Num, b: Num) -> Result {
    truth(ty, !equal(a, b))
}

pub(super) fn sgt(ty: Type, a: Num, b: Num) -> Result {
    truth(ty, greater(a, b))
}

pub(super) fn sge(ty: Type, a: Num, b: Num) -> Result {
    truth(ty, greater(a, b) || equal(a, b))
}

pub(super) fn slt(ty: Type, a: Num, b: Num) -> Result {
    truth(ty, greater(b, a))
}

pub(super) fn sle(ty: Type, a: Num, b: Num) -> Result {
    truth(ty, greater(b, a) || equal(a, b))
}

pub(super) fn sfl(ty: Type, _: Num, _: Num) -> Result {
    truth(ty, false)
}

pub(super) fn str(ty: Type, _: Num, _: Num) -> Result {
    truth(ty, true)
}

pub(super) fn cmp(_: Type, a: Num, b: Num, c: Num) -> Result {
    let negative = match a {
        Num::F(value) => value < 0.0,
        Num::I(value) => value < 0,
    };
    exactly(if negative { b } else { c })
}

pub(super) fn ssg(_: Type, a: Num) -> Result {
    let value = a.float();
    only_if(!value.is_nan() && !is_minus_zero(value))?;
    float(if is_zero(value) { 0.0 } else { value.signum() })
}

pub(super) fn mov(_: Type, a: Num) -> Result {
    exactly(a)
}

/// FLR and the others: floats become whole numbers, or integers that have them.
fn whole(ty: Type, value: f64, result: f64) -> Result {
    if ty.is_float() {
        // The sign of a zero that was no zero is not told.
        only_if(!is_zero(result) || is_zero(value) || value > 0.0)?;
        return float(result);
    }
    only_if(result.is_finite() && result.abs() < 1e30 && ty.has(result as i128))?;
    int(result as i128)
}

pub(super) fn flr(ty: Type, a: Num) -> Result {
    whole(ty, a.float(), a.float().floor())
}

pub(super) fn ceil(ty: Type, a: Num) -> Result {
    whole(ty, a.float(), a.float().ceil())
}

pub(super) fn trunc(ty: Type, a: Num) -> Result {
    whole(ty, a.float(), a.float().trunc())
}

pub(super) fn round(ty: Type, a: Num) -> Result {
    whole(ty, a.float(), a.float().round_ties_even())
}

pub(super) fn frc(ty: Type, a: Num) -> Result {
    let value = a.float();
    only_if(value.is_finite() && !(is_zero(value) && value.is_sign_negative()))?;
    let result = sub(ty, a, Num::F(value.floor()))?;
    // Tiny negative numbers would give 1.
    only_if(!result.rounded && result.num.float() < 1.0)?;
    Ok(result)
}

pub(super) fn i2f(_: Type, a: Num) -> Result {
    let (exact, rounded) = (a.int() as f64, f64::from(a.int() as f32));
    only_if(!rounds_twice(a.int(), exact == rounded))?;
    float(rounded)
}

/// Whether SwiftShader may round an unsigned integer twice: it adds the upper bit to a float of the others.
pub(super) fn rounds_twice(value: i128, exact: bool) -> bool {
    (1 << 31..1 << 32).contains(&value) && !exact
}

fn shift_count(ty: Type, b: Num) -> std::result::Result<u32, Open> {
    let count = b.int();
    only_if((0..i128::from(ty.bits)).contains(&count))?;
    Ok(count as u32)
}

pub(super) fn shl(ty: Type, a: Num, b: Num) -> Result {
    int(ty.wrap(a.int() << shift_count(ty, b)?))
}

pub(super) fn shr(ty: Type, a: Num, b: Num) -> Result {
    // Numbers carry their sign, so unsigned ones are filled with zeros.
    int(a.int() >> shift_count(ty, b)?)
}

pub(super) fn and(_: Type, a: Num, b: Num) -> Result {
    int(a.int() & b.int())
}

pub(super) fn or(_: Type, a: Num, b: Num) -> Result {
    int(a.int() | b.int())
}

pub(super) fn xor(ty: Type, a: Num, b: Num) -> Result {
    int(ty.wrap(a.int() ^ b.int()))
}

pub(super) fn not(ty: Type, a: Num) -> Result {
    int(ty.wrap(!a.int()))
}

/// `|a - b| + c`, of a difference that is an integer of the type.
pub(super) fn sad(ty: Type, a: Num, b: Num, c: Num) -> Result {
    let difference = a.int() - b.int();
    only_if(ty.base == Base::U || ty.has(difference))?;
    int(ty.with_base(Base::U).wrap(difference.abs() + c.int()))
}

/// Number and offset of the bits that BFE and BFI mean.
pub(super) fn field(ty: Type, count: Num, offset: Num) -> std::result::Result<(u32, u32), Open> {
    let (count, offset) = (count.int(), offset.int());
    let bits = i128::from(ty.bits);
    only_if(count >= 0 && (0..bits).contains(&offset) && count + offset <= bits)?;
    Ok((count as u32, offset as u32))
}

pub(super) fn bfe(ty: Type, (count, offset): (u32, u32), value: Num) -> Result {
    if count == 0 {
        return int(0);
    }
    int(ty.with_bits(count).wrap(value.int() >> offset))
}

pub(super) fn bfi(ty: Type, (count, offset): (u32, u32), from: Num, into: Num) -> Result {
    let mask = ((1i128 << count) - 1) << offset;
    int(ty.wrap(from.int() << offset & mask | into.int() & !mask))
}

/// The bits of an integer of 32 bits.
fn word(a: Num) -> u32 {
    (a.int() & 0xffff_ffff) as u32
}

pub(super) fn bfr(ty: Type, a: Num) -> Result {
    int(ty.wrap(i128::from(word(a).reverse_bits())))
}

pub(super) fn btc(_: Type, a: Num) -> Result {
    int(i128::from(word(a).count_ones()))
}

/// The number of a bit, or all ones.
fn bit_number(ty: Type, number: Option<u32>) -> Result {
    int(number.map_or(ty.wrap(-1), i128::from))
}

pub(super) fn btfl(ty: Type, a: Num) -> Result {
    let word = word(a);
    bit_number(ty, (word != 0).then(|| word.trailing_zeros()))
}

pub(super) fn btfm(ty: Type, a: Num) -> Result {
    let word = if a.int() < 0 { !word(a) } else { word(a) };
    bit_number(ty, (word != 0).then(|| 31 - word.leading_zeros()))
}

#[cfg(test)]
mod tests {
    use super::super::value::{F64, S32, U32};
    use super::*;

    fn ints(result: Result) -> i128 {
        result.unwrap().num.int()
    }

    #[test]
    fn integers() {
        let i = Num::I;
        assert_eq!(ints(mul_high(S32, i(-(1 << 31)), i(-(1 << 31)))), 1 << 30);
        assert_eq!(ints(mul_high(S32, i(-1), i(1))), -1);
        assert_eq!(ints(div(S32, i(-(1 << 31)), i(-1))), -(1 << 31));
        assert_eq!(ints(div(S32, i(-7), i(2))), -3);
        assert_eq!(ints(bfe(S32, (4, 4), i(0xf0))), -1);
        assert_eq!(ints(bfe(U32, (4, 4), i(0xf0))), 15);
        assert_eq!(
            ints(bfi(U32, (8, 4), i(0xabcd), i(0xffff_ffff))),
            0xffff_fcdf
        );
        assert_eq!(ints(btfm(S32, i(-1))), -1);
        assert_eq!(ints(btfm(S32, i(-256))), 7);
        assert_eq!(ints(btfl(U32, i(0))), 0xffff_ffff);
        assert!(shl(U32, i(1), i(32)).is_err());
    }

    #[test]
    fn rounding_is_noticed() {
        let f = Num::F;
        let big = 16_777_216.0;
        assert!(add(F32, f(big), f(1.0)).unwrap().rounded);
        assert!(!add(F64, f(big), f(1.0)).unwrap().rounded);
        assert!(!add(F32, f(big), f(2.0)).unwrap().rounded);
        assert!(mul(F32, f(4097.0), f(4097.0)).unwrap().rounded);
        assert!(sum_of_products(&[(4097.0, 4097.0), (1.0, 1.0)]).is_err());
        assert_eq!(
            sum_of_products(&[(1.5, 2.0), (-2.0, 1.0)]).unwrap().num,
            f(1.0)
        );
        assert!(sum_of_products(&[(big, 1.0), (0.5, 1.0)]).is_err());
    }
}
