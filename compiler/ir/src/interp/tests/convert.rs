//! Conversions.

use crate::inst::Rounding::{self, Ceil, Even, Floor, Trunc};
use crate::interp::convert::convert;
use crate::types::Type::{self, F16, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};

type Case = (Type, u64, Type, Rounding, u64);

fn check(saturate: bool, cases: &[Case]) {
    for &(from, bits, to, rounding, expected) in cases {
        let found = convert(from, to, bits, rounding, saturate);
        assert_eq!(
            found, expected,
            "{to:?} of {from:?} {bits:#x} {rounding:?}: {found:#x} is not {expected:#x}"
        );
    }
}

fn encode_f32(value: f32) -> u64 {
    value.to_bits().into()
}

fn encode_f64(value: f64) -> u64 {
    value.to_bits()
}

fn encode_s32(value: i32) -> u64 {
    (value as u32).into()
}

#[test]
fn floats_round_to_integers() {
    check(
        false,
        &[
            (F32, encode_f32(2.5), S32, Even, 2),
            (F32, encode_f32(3.5), S32, Even, 4),
            (F32, encode_f32(-2.5), S32, Even, encode_s32(-2)),
            (F32, encode_f32(-2.5), S32, Floor, encode_s32(-3)),
            (F32, encode_f32(-2.5), S32, Ceil, encode_s32(-2)),
            (F32, encode_f32(2.5), S32, Ceil, 3),
            (F32, encode_f32(-2.9), S32, Trunc, encode_s32(-2)),
            (F32, encode_f32(0.5), U32, Even, 0),
            (F32, encode_f32(1e-30), U32, Ceil, 1),
            (F32, encode_f32(-1e-30), S32, Floor, encode_s32(-1)),
            (F64, encode_f64(1e-300), S64, Ceil, 1),
            (F16, 0x4100, S32, Even, 2),
        ],
    );
}

#[test]
fn integers_wrap() {
    check(
        false,
        &[
            (F32, encode_f32(3e9), S32, Trunc, 3_000_000_000),
            (F32, encode_f32(-1.0), U32, Trunc, 0xffff_ffff),
            (F32, encode_f32(6_442_450_944.0), U32, Trunc, 0x8000_0000),
            (F32, encode_f32(1e30), U32, Trunc, 0),
            (F64, encode_f64(1e300), U64, Trunc, 0),
            // 2^64 + 2^12
            (
                F64,
                encode_f64(18_446_744_073_709_555_712.0),
                U64,
                Trunc,
                4096,
            ),
            (S32, 300, U8, Even, 44),
            (S32, encode_s32(-1), U16, Even, 0xffff),
            (S32, encode_s32(-1), U64, Even, u64::MAX),
            (U32, 0xffff_ffff, S64, Even, 0xffff_ffff),
            (U8, 0xff, S8, Even, 0xff),
            (S8, 0xff, S32, Even, encode_s32(-1)),
            (F32, encode_f32(f32::NAN), S32, Even, 0),
            (F32, encode_f32(f32::INFINITY), S32, Even, 0),
        ],
    );
}

#[test]
fn integers_clamp() {
    check(
        true,
        &[
            (F32, encode_f32(3e9), S32, Trunc, 0x7fff_ffff),
            (F32, encode_f32(-3e9), S32, Trunc, 0x8000_0000),
            (F32, encode_f32(-1.0), U32, Trunc, 0),
            (F32, encode_f32(1e30), U32, Trunc, 0xffff_ffff),
            (F32, encode_f32(f32::INFINITY), S32, Even, 0x7fff_ffff),
            (F32, encode_f32(f32::NEG_INFINITY), S8, Even, 0x80),
            (F32, encode_f32(f32::NAN), S32, Even, 0),
            (F64, encode_f64(1e300), S64, Even, i64::MAX as u64),
            (F64, encode_f64(-1e300), S64, Even, 1 << 63),
            (S32, 300, U8, Even, 255),
            (S32, encode_s32(-300), S8, Even, 0x80),
            (S32, encode_s32(-300), U16, Even, 0),
            (U32, 0xffff_ffff, S32, Even, 0x7fff_ffff),
            (U64, u64::MAX, S64, Even, i64::MAX as u64),
            (S64, u64::MAX, U32, Even, 0),
            (F32, encode_f32(127.5), S8, Even, 127),
            (F32, encode_f32(-128.5), S8, Floor, 0x80),
            (S16, 0x8000, S8, Even, 0x80),
        ],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn integers_round_to_floats() {
    check(
        false,
        &[
            (U32, 0xffff_ffff, F32, Even, encode_f32(4_294_967_296.0)),
            (U32, 0xffff_ffff, F32, Trunc, 0x4f7f_ffff),
            (U32, 0xffff_ffff, F32, Floor, 0x4f7f_ffff),
            (U32, 0xffff_ffff, F32, Ceil, encode_f32(4_294_967_296.0)),
            (
                S32,
                encode_s32(-16_777_217),
                F32,
                Even,
                encode_f32(-16_777_216.0),
            ),
            (
                S32,
                encode_s32(-16_777_217),
                F32,
                Floor,
                encode_f32(-16_777_218.0),
            ),
            (
                S32,
                encode_s32(-16_777_217),
                F32,
                Ceil,
                encode_f32(-16_777_216.0),
            ),
            (
                U64,
                u64::MAX,
                F64,
                Even,
                encode_f64(18_446_744_073_709_551_616.0),
            ),
            (U64, u64::MAX, F64, Trunc, 0x43ef_ffff_ffff_ffff),
            (
                S64,
                1 << 63,
                F32,
                Even,
                encode_f32(-9_223_372_036_854_775_808.0),
            ),
            // 2^53 + 3 and 2^63 + 1
            (
                S64,
                9_007_199_254_740_995,
                F64,
                Floor,
                encode_f64(9_007_199_254_740_994.0),
            ),
            (
                S64,
                9_007_199_254_740_995,
                F64,
                Ceil,
                encode_f64(9_007_199_254_740_996.0),
            ),
            (
                S64,
                9_007_199_254_740_995u64.wrapping_neg(),
                F64,
                Floor,
                encode_f64(-9_007_199_254_740_996.0),
            ),
            (U64, (1 << 63) + 1, F64, Ceil, 0x43e0_0000_0000_0001),
            // 2^54 + 1, and 2^54 + 2^30 + 1, which a double would round to a tie
            (S64, (1 << 54) + 1, F32, Ceil, 0x5a80_0001),
            (U64, (1 << 54) + (1 << 30) + 1, F32, Even, 0x5a80_0001),
            (U64, u64::MAX, F16, Floor, 0x7bff),
            (S64, 1 << 63, F16, Ceil, 0xfbff),
            (S64, 1 << 63, F16, Floor, 0xfc00),
            (S32, 0, F32, Even, 0),
            (U32, 65_520, F16, Even, 0x7c00),
            (U32, 65_519, F16, Even, 0x7bff),
            (S32, encode_s32(-70_000), F16, Trunc, 0xfbff),
        ],
    );
}

#[test]
fn floats_narrow() {
    let big = encode_f64(1e300);
    let minus_big = encode_f64(-1e300);
    let above_one = 0x3ff0_0000_1000_0000;
    check(
        false,
        &[
            // 1 + 2^-24 is between 1 and 1 + 2^-23.
            (F64, above_one, F32, Even, encode_f32(1.0)),
            (F64, above_one, F32, Ceil, 0x3f80_0001),
            (F64, above_one | 1, F32, Even, 0x3f80_0001),
            (F64, above_one | 1 << 63, F32, Floor, 0xbf80_0001),
            (F64, above_one | 1 << 63, F32, Ceil, encode_f32(-1.0)),
            (F64, big, F32, Even, encode_f32(f32::INFINITY)),
            (F64, big, F32, Trunc, encode_f32(f32::MAX)),
            (F64, big, F32, Floor, encode_f32(f32::MAX)),
            (F64, big, F32, Ceil, encode_f32(f32::INFINITY)),
            (F64, minus_big, F32, Floor, encode_f32(f32::NEG_INFINITY)),
            (F64, minus_big, F32, Ceil, encode_f32(f32::MIN)),
            (F64, encode_f64(1e-300), F32, Ceil, 1),
            (F64, encode_f64(1e-300), F32, Even, 0),
            (F64, encode_f64(-1e-300), F32, Even, 0x8000_0000),
            (F32, encode_f32(65_504.0), F16, Even, 0x7bff),
            (F32, encode_f32(65_519.0), F16, Even, 0x7bff),
            (F32, encode_f32(65_520.0), F16, Even, 0x7c00),
            (F32, encode_f32(65_520.0), F16, Trunc, 0x7bff),
            (F32, encode_f32(1.0 / 3.0), F16, Even, 0x3555),
            (F32, encode_f32(-0.0), F16, Even, 0x8000),
            (F32, encode_f32(f32::NEG_INFINITY), F16, Floor, 0xfc00),
            (F32, encode_f32(f32::NAN), F16, Even, 0x7e00),
            (F64, encode_f64(f64::NAN), F32, Even, 0x7fc0_0000),
        ],
    );
}

/// Checks denormals: 2^-24 is the least half-precision denormal; half of it is a tie with 0.
#[test]
fn half_precision_denormals() {
    let least = encode_f32(2f32.powi(-24));
    let half_of_it = encode_f32(2f32.powi(-25));
    check(
        false,
        &[
            (F32, least, F16, Even, 1),
            (F32, half_of_it, F16, Even, 0),
            (F32, half_of_it, F16, Ceil, 1),
            (F32, half_of_it | 1, F16, Even, 1),
            (F32, encode_f32(3.0 * 2f32.powi(-25)), F16, Even, 2),
            (F16, 1, F32, Even, least),
            (F16, 0x3ff, F32, Even, encode_f32(1023.0 * 2f32.powi(-24))),
            (F16, 0xfc00, F32, Even, encode_f32(f32::NEG_INFINITY)),
            (F16, 0x7bff, F64, Even, encode_f64(65_504.0)),
        ],
    );
}

/// Checks that conversions to nearest even and clamped truncating conversions equal those of Rust.
#[test]
fn host_conversions_agree() {
    let mut state = 1u64;
    for _ in 0..20_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let bits = state ^ state >> 29;
        let (double, single) = (f64::from_bits(bits), f32::from_bits(bits as u32));
        // Integers of all magnitudes.
        let integer = bits >> (state >> 58);
        check(
            false,
            &[
                (U64, integer, F32, Even, encode_f32(integer as f32)),
                (U64, integer, F64, Even, encode_f64(integer as f64)),
                (S64, integer, F32, Even, encode_f32(integer as i64 as f32)),
                (
                    S32,
                    integer & 0xffff_ffff,
                    F32,
                    Even,
                    encode_f32(integer as i32 as f32),
                ),
            ],
        );
        check(
            true,
            &[
                (
                    F32,
                    encode_f32(single),
                    S32,
                    Trunc,
                    encode_s32(single as i32),
                ),
                (F32, encode_f32(single), U32, Trunc, (single as u32).into()),
                (F32, encode_f32(single), U64, Trunc, single as u64),
                (F64, bits, S64, Trunc, double as i64 as u64),
                (F64, bits, U8, Trunc, (double as u8).into()),
                (F64, bits, S8, Trunc, (double as i8 as u8).into()),
            ],
        );
        if !double.is_nan() && !single.is_nan() {
            check(
                false,
                &[
                    (F64, bits, F32, Even, encode_f32(double as f32)),
                    (
                        F32,
                        encode_f32(single),
                        F64,
                        Even,
                        encode_f64(single.into()),
                    ),
                ],
            );
        }
    }
}

/// Checks that all half-precision numbers are preserved by conversions to single and double
/// precision and back.
#[test]
fn half_precision_is_exact_above() {
    for bits in 0..=0xffff_u64 {
        for wide in [F32, F64] {
            let back = convert(
                wide,
                F16,
                convert(F16, wide, bits, Even, false),
                Even,
                false,
            );
            let is_nan = bits & 0x7fff > 0x7c00;
            assert_eq!(back, if is_nan { bits | 0x200 } else { bits });
        }
    }
}

/// Checks that 8- and 16-bit types are in the low bits of 32-bit lanes.
#[test]
fn narrow_lanes() {
    super::check(&[
        ("cvt.s8 (s32 even) {0x1ff}", 0xffff_ffff),
        ("cvt.u8 (s32 even) {0x1ff}", 0xff),
        ("cvt.s32 (s8 even) {0x1280}", -128i32 as u32),
        ("cvt.u32 (u8 even) {0x1280}", 0x80),
        ("cvt.f16 (f32 even) {-1.0}", 0xbc00),
        ("cvt.f32 (f16 even) {0xffffbc00}", (-1f32).to_bits()),
        ("cvt.s16 (f32 trunc clamp) {1e9}", 0x7fff),
        ("cvt.s16 (f32 trunc clamp) {-1e9}", 0xffff_8000),
    ]);
}
