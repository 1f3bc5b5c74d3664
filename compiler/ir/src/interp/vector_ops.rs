//! The operations on vectors: dot products and packs.

use super::alu::eval_add;
use super::convert::{convert, from_f64, to_f64};
use crate::inst::Rounding;
use crate::types::Type;

type Vector = [u64; 4];

/// Returns the sum of the products of the first `N` lanes, added from the left, in all lanes.
pub(super) fn eval_dot<const N: usize>(
    ty: Type,
    sources: &[Vector],
    mul: fn(Type, [u64; 2]) -> u64,
) -> Vector {
    let product = |lane: usize| mul(ty, [sources[0][lane], sources[1][lane]]);
    let sum = (1..N).fold(product(0), |sum, lane| eval_add(ty, [sum, product(lane)]));
    [sum; 4]
}

fn to_half(bits: u64) -> u64 {
    convert(Type::F32, Type::F16, bits, Rounding::Even, false)
}

pub(super) fn eval_pack_half2(_: Type, [a]: [Vector; 1]) -> Vector {
    [to_half(a[0]) | to_half(a[1]) << 16; 4]
}

/// Returns `round(clamp(v, 0, 1) * most)`; 0 for NaN.
fn to_unorm(bits: u64, most: f64) -> u64 {
    let value = to_f64(Type::F32, bits);
    let value = if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    };
    (value * most).round_ties_even() as u64
}

pub(super) fn eval_pack_unorm2(_: Type, [a]: [Vector; 1]) -> Vector {
    [to_unorm(a[0], 65535.0) | to_unorm(a[1], 65535.0) << 16; 4]
}

pub(super) fn eval_pack_unorm4(_: Type, [a]: [Vector; 1]) -> Vector {
    [(0..4).fold(0, |word, lane| {
        word | to_unorm(a[lane], 255.0) << (8 * lane)
    }); 4]
}

pub(super) fn eval_unpack_half2(_: Type, [a]: [Vector; 1]) -> Vector {
    let lane = |half: u64| convert(Type::F16, Type::F32, half & 0xffff, Rounding::Even, false);
    let (x, y) = (lane(a[0]), lane(a[0] >> 16));
    [x, y, x, y]
}

pub(super) fn eval_unpack_unorm2(_: Type, [a]: [Vector; 1]) -> Vector {
    let lane = |half: u64| from_f64(Type::F32, (half & 0xffff) as f64 / 65535.0);
    let (x, y) = (lane(a[0]), lane(a[0] >> 16));
    [x, y, x, y]
}

pub(super) fn eval_unpack_unorm4(_: Type, [a]: [Vector; 1]) -> Vector {
    [0, 8, 16, 24].map(|shift| from_f64(Type::F32, (a[0] >> shift & 0xff) as f64 / 255.0))
}

pub(super) fn eval_pack64(_: Type, [a]: [Vector; 1]) -> Vector {
    let (x, y) = (a[0] | a[1] << 32, a[2] | a[3] << 32);
    [x, y, x, y]
}

pub(super) fn eval_unpack64(_: Type, [a]: [Vector; 1]) -> Vector {
    let low = |lane: u64| lane & u64::from(u32::MAX);
    [low(a[0]), a[0] >> 32, low(a[1]), a[1] >> 32]
}
