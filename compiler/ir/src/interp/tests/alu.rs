//! Operations on lanes and vectors.

use super::{check, check_floats, eval_operation, eval_operation16, eval_operation64, run_body};

const ONES: u32 = u32::MAX;
const MOST: u32 = i32::MAX as u32;
const LEAST: u32 = i32::MIN as u32;

#[test]
fn float_arithmetic() {
    check_floats(&[
        ("add.f32 {1.5}, {2.25}", 3.75),
        ("sub.f32 {1.5}, -{2.25}", 3.75),
        ("mul.f32 {0.0}, {0x7f800000}", f32::NAN),
        ("mad.f32 {2.0}, {3.0}, {-7.0}", -1.0),
        // 1 + 2^-23 squared is 1 + 2^-22 + 2^-46: the product loses the last term before the sum.
        ("mad.f32 {0x3f800001}, {0x3f800001}, {-1.0}", 2f32.powi(-22)),
        ("div.f32 {1.0}, {-0.0}", f32::NEG_INFINITY),
        ("rcp.f32 {-4.0}", -0.25),
        ("rsq.f32 {0.0}", f32::INFINITY),
        ("rsq.f32 {-1.0}", f32::NAN),
        ("sqrt.f32 {2.25}", 1.5),
        ("exp2.f32 {-3.0}", 0.125),
        ("log2.f32 {0.0}", f32::NEG_INFINITY),
        ("log2.f32 {-1.0}", f32::NAN),
        ("pow.f32 {3.0}, {2.0}", 9.0),
        ("sin.f32 {0.0}", 0.0),
        ("cos.f32 {0.0}", 1.0),
    ]);
    // The least denormal is preserved.
    check(&[("mul.f32 {0x00000002}, {0.5}", 1)]);
}

#[test]
fn float_rounding_operations() {
    check_floats(&[
        ("floor.f32 {-1.5}", -2.0),
        ("ceil.f32 {-1.5}", -1.0),
        ("trunc.f32 {-1.5}", -1.0),
        ("round.f32 {2.5}", 2.0),
        ("round.f32 {3.5}", 4.0),
        ("round.f32 {-0.5}", -0.0),
        ("fract.f32 {-1.25}", 0.75),
        ("sign.f32 {-7.0}", -1.0),
        ("sign.f32 {-0.0}", 0.0),
        ("sign.f32 {0x7fc00000}", 0.0),
    ]);
    // -2^-30 is 1 - 2^-30 above its floor, which rounds to 1 and must remain below.
    check(&[("fract.f32 {0xb0800000}", 0x3f7f_ffff)]);
}

/// Checks the selects: with NaN the comparison is false.
#[test]
fn minimum_and_maximum_with_nan() {
    check_floats(&[
        ("min.f32 {2.0}, {1.0}", 1.0),
        ("max.f32 {2.0}, {1.0}", 2.0),
        ("min.f32 {0x7fc00000}, {1.0}", f32::NAN),
        ("min.f32 {1.0}, {0x7fc00000}", 1.0),
        ("max.f32 {0x7fc00000}, {1.0}", 1.0),
        ("max.f32 {1.0}, {0x7fc00000}", f32::NAN),
        ("nmin.f32 {0x7fc00000}, {1.0}", 1.0),
        ("nmin.f32 {1.0}, {0x7fc00000}", 1.0),
        ("nmax.f32 {0x7fc00000}, {1.0}", 1.0),
        ("nmax.f32 {1.0}, {0x7fc00000}", 1.0),
        ("nmax.f32 {3.0}, {1.0}", 3.0),
    ]);
}

#[test]
fn moves_keep_bits() {
    // A signaling NaN, and a negated NaN.
    check(&[
        ("mov.f32 {0x7f800001}", 0x7f80_0001),
        ("mov.f32 -{0x7f800001}", 0xff80_0001),
        ("mov.f32 |{0xffc12345}|", 0x7fc1_2345),
        ("mov.s32 -|{5}|", -5i32 as u32),
        ("mov.s32 |{0x80000000}|", LEAST),
        ("mov.u32 |{0x80000000}|", LEAST),
        ("mov.u32 -{1}", ONES),
    ]);
}

#[test]
fn clamps() {
    check_floats(&[
        ("mov.f32.sat {1.5}", 1.0),
        ("mov.f32.sat {-1.5}", 0.0),
        ("mov.f32.sat {0.25}", 0.25),
        ("mov.f32.sat {0x7fc00000}", 0.0),
        ("mov.f32.ssat {0x7fc00000}", -1.0),
        ("mov.f32.ssat {-0.5}", -0.5),
        ("mov.f32.ssat {0xff800000}", -1.0),
    ]);
}

#[test]
fn integer_arithmetic() {
    check(&[
        ("add.u32 {0xffffffff}, {2}", 1),
        ("sub.s32 {0x80000000}, {1}", MOST),
        ("mul.s32 {0x10001}, {0x10001}", 0x0002_0001),
        ("mulhi.u32 {0xffffffff}, {0xffffffff}", 0xffff_fffe),
        ("mulhi.s32 {-1}, {-1}", 0),
        ("mulhi.s32 {0x80000000}, {2}", ONES),
        ("mad.s32 {3}, {-5}, {1}", -14i32 as u32),
        ("div.s32 {-7}, {2}", -3i32 as u32),
        ("div.u32 {0xffffffff}, {2}", MOST),
        ("div.s32 {1}, {0}", ONES),
        ("div.u32 {1}, {0}", ONES),
        ("mod.s32 {-7}, {2}", ONES),
        ("mod.s32 {7}, {-2}", 1),
        ("mod.u32 {7}, {0}", ONES),
        ("min.s32 {-1}, {1}", ONES),
        ("min.u32 {0xffffffff}, {1}", 1),
        ("max.s32 {-1}, {1}", 1),
        ("sign.s32 {-9}", ONES),
        ("sign.u32 {0xffffffff}", 1),
    ]);
}

#[test]
fn bits_and_shifts() {
    check(&[
        ("and.u32 {12}, {10}", 8),
        ("or.u32 {12}, {10}", 14),
        ("xor.u32 {12}, {10}", 6),
        ("not.u32 {0}", ONES),
        ("shl.u32 {1}, {31}", LEAST),
        ("shl.u32 {1}, {33}", 2),
        ("shr.u32 {0x80000000}, {31}", 1),
        ("shr.s32 {0x80000000}, {31}", ONES),
        ("shr.s32 {0x80000000}, {-1}", ONES),
        ("bfr.u32 {1}", LEAST),
        ("btc.u32 {0xf0f0}", 8),
        ("btfl.u32 {0x50}", 4),
        ("btfl.u32 {0}", ONES),
        ("btfm.u32 {0x50}", 6),
        ("btfm.u32 {0xffffffff}", 31),
        ("btfm.u32 {0}", ONES),
        ("btfm.s32 {-1}", ONES),
        ("btfm.s32 {-2}", 0),
        ("btfm.s32 {0x80000000}", 30),
    ]);
}

#[test]
fn bit_fields() {
    check(&[
        ("bfe.u32 {0x12345678}, {8}, {4}", 0x67),
        ("bfe.s32 {0x12345678}, {8}, {8}", 0x56),
        ("bfe.s32 {0x1234f678}, {8}, {8}", -10i32 as u32),
        ("bfe.u32 {0xffffffff}, {0}, {3}", 0),
        ("bfe.s32 {0xffffffff}, {0}, {3}", 0),
        ("bfe.u32 {0x12345678}, {32}, {0}", 0x1234_5678),
        // Past the top: zeros, or the sign.
        ("bfe.u32 {0x80000000}, {8}, {28}", 8),
        ("bfe.s32 {0x80000000}, {8}, {28}", -8i32 as u32),
        ("bfi.u32 {0xffffffff}, {0}, {8}, {4}", 0xffff_f00f),
        ("bfi.u32 {0x11111111}, {0xabcdef}, {32}, {0}", 0x00ab_cdef),
        ("bfi.u32 {0x11111111}, {0xabcdef}, {0}, {5}", 0x1111_1111),
        ("bfi.u32 {0}, {0xff}, {8}, {28}", 0xf000_0000),
    ]);
}

#[test]
fn comparisons() {
    check_floats(&[
        ("setlt.f32 {1.0}, {2.0}", 1.0),
        ("setge.f32 {1.0}, {2.0}", 0.0),
        ("seteq.f32 {0.0}, {-0.0}", 1.0),
        ("seteq.f32 {0x7fc00000}, {0x7fc00000}", 0.0),
        ("setne.f32 {0x7fc00000}, {0x7fc00000}", 1.0),
        ("setle.f32 {0x7fc00000}, {1.0}", 0.0),
        ("setge.f32 {0x7fc00000}, {1.0}", 0.0),
        ("sellt.f32 {-1.0}, {2.0}, {3.0}", 2.0),
        ("sellt.f32 {-0.0}, {2.0}, {3.0}", 3.0),
        ("sellt.f32 {0xffc00000}, {2.0}, {3.0}", 3.0),
        ("selnz.f32 {-0.0}, {2.0}, {3.0}", 2.0),
        ("selnz.f32 {0.0}, {2.0}, {3.0}", 3.0),
    ]);
    check(&[
        ("setlt.s32 {-1}, {1}", ONES),
        ("setlt.u32 {0xffffffff}, {1}", 0),
        ("setgt.u32 {0xffffffff}, {1}", ONES),
        ("sellt.s32 {-1}, {2}, {3}", 2),
        ("sellt.u32 {0xffffffff}, {2}, {3}", 3),
    ]);
}

#[test]
fn other_widths() {
    assert_eq!(
        eval_operation64("add.f64 {0.1}, {0.2}"),
        (0.1f64 + 0.2).to_bits()
    );
    assert_eq!(eval_operation64("setlt.f64 {1.0}, {2.0}"), 1f64.to_bits());
    assert_eq!(
        eval_operation64("mul.u64 {0x100000001}, {0x100000001}"),
        0x2_0000_0001
    );
    assert_eq!(
        eval_operation64("div.s64 {0x8000000000000000}, {-1}"),
        1 << 63
    );
    assert_eq!(
        eval_operation64("shr.s64 {0x8000000000000000}, {63}"),
        u64::MAX
    );
    assert_eq!(eval_operation64("shl.u64 {1}, {65}"), 2);
    assert_eq!(eval_operation64("setne.s64 {1}, {2}"), u64::MAX);
    // 2048 + 1 has 12 digits: the tie goes to the even 2048; 2051 is between 2050 and 2052.
    assert_eq!(eval_operation16("add.f16 {0x6800}, {0x3c00}"), 0x6800);
    assert_eq!(eval_operation16("add.f16 {0x6801}, {0x3c00}"), 0x6802);
    assert_eq!(eval_operation16("mov.f16 -{0x3c00}"), 0xbc00);
    assert_eq!(eval_operation16("seteq.f16 {0x3c00}, {0x3c00}"), 0x3c00);
}

#[test]
fn dot_products() {
    let (a, b) = ("{1.0, 2.0, 3.0, 4.0}", "{10.0, 100.0, 1000.0, 10000.0}");
    check_floats(&[
        (&format!("dp2.f32 {a}, {b}"), 210.0),
        (&format!("dp3.f32 {a}, {b}"), 3210.0),
        (&format!("dp4.f32 {a}, {b}"), 43210.0),
    ]);
}

#[test]
fn packs() {
    check(&[
        // -2.0 above 1.0.
        ("packh2.f32 {1.0, -2.0, 0.0, 0.0}", 0xc000_3c00),
        // 0.5 * 65535 is 32767.5: a tie, to the even 32768.
        ("packu2.f32 {0.5, 2.0, 0.0, 0.0}", 0xffff_8000),
        ("packu4.f32 {0.0, 1.0, -1.0, 0.2}", 0x3300_ff00),
        ("packu4.f32 {0x7fc00000}", 0),
    ]);
    let floats = |operation: &str| run_body(&format!("r0.xyzw = {operation}")).map(f32::from_bits);
    assert_eq!(floats("unpackh2.f32 {0xc0003c00}"), [1.0, -2.0, 1.0, -2.0]);
    assert_eq!(floats("unpacku2.f32 {0xffff0000}"), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(floats("unpacku4.f32 {0x33ff00ff}"), [1.0, 0.0, 1.0, 0.2]);
    assert_eq!(eval_operation64("pack64.u64 {2, 1, 0, 0}"), 0x1_0000_0002);
    let halves = run_body("r5.xyzw = pack64.u64 {1, 2, 3, 4}\nr0.xyzw = unpack64.u64 r5.xyzw");
    assert_eq!(halves, [1, 2, 3, 4]);
}

#[test]
fn operands() {
    let lanes = run_body("r1.xyzw = mov.u32 {1, 2, 3, 4}\nr0.xyzw = mov.u32 r1.wzyx");
    assert_eq!(lanes, [4, 3, 2, 1]);
    // All sources are read before any lane is written.
    let lanes = run_body("r0.xyzw = mov.u32 {1, 2, 3, 4}\nr0.xy = mov.u32 r0.yxzw");
    assert_eq!(lanes, [2, 1, 3, 4]);
    let lanes = run_body("r0.xyzw = mov.u32 {1, 2, 3, 4}\nr0.yw = add.u32 r0.xyzw, r0.xxxx");
    assert_eq!(lanes, [1, 3, 3, 5]);
    assert_eq!(
        eval_operation("mov.u32 -|{-3}|"),
        3,
        "the absolute value of an unsigned integer is itself"
    );
}

#[test]
fn run_time_indices_are_clamped() {
    let set =
        "r6[0 of 3].x = mov.u32 {10}\nr6[1 of 3].x = mov.u32 {11}\nr6[2 of 3].x = mov.u32 {12}\n";
    for (index, expected) in [(0, 11), (1, 12), (5, 12), (-1, 10), (-9, 10)] {
        let read = format!("{set}r1.x = mov.s32 {{{index}}}\nr0.x = mov.u32 r6[r1.x+1 of 3].xyzw");
        assert_eq!(run_body(&read)[0], expected, "index {index}");
        let write =
            format!("{set}r1.x = mov.s32 {{{index}}}\nr6[r1.x+1 of 3].x = mov.u32 {{99}}\n");
        let written = format!("{write}r0.x = mov.u32 r6[{} of 3].xyzw", expected - 10);
        assert_eq!(run_body(&written)[0], 99, "index {index}");
    }
}

/// Returns a program with these modes, and its result.
fn eval_with_modes(modes: &str, operation: &str) -> u32 {
    let text = format!(
        "program fragment\n{modes}\nr0: output32 out0\nout0: frag_color[0][0] unsigned\nroutine fn0 {{\nr0.xyzw = {operation}\n}}\nmain fn0\n"
    );
    let program = crate::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let outcome = super::Interpreter::new(&program)
        .unwrap_or_else(|errors| panic!("{errors:?}"))
        .run_main(&mut super::Environment::default())
        .unwrap();
    outcome.outputs[0][0] as u32
}

/// Checks NV_vertex_program section 2.14.1.11: zero of either sign times anything is +0.
#[test]
fn zero_products() {
    for operation in [
        "mul.f32 {0.0}, {0x7f800000}",
        "mul.f32 {-0.0}, {0x7fc00000}",
        "mul.f32 {0.0}, {-2.0}",
        "mad.f32 {0xffc00000}, {-0.0}, {0.0}",
        "dp3.f32 {0.0}, {0x7f800000}",
    ] {
        assert_eq!(
            eval_with_modes("zero_times_inf_is_zero", operation),
            0,
            "{operation}"
        );
        assert_ne!(eval_with_modes("", operation), 0, "{operation}");
    }
    assert_eq!(
        eval_with_modes("zero_times_inf_is_zero", "mul.f32 {2.0}, {3.0}"),
        6f32.to_bits()
    );
    let power_of_zero = eval_with_modes("zero_times_inf_is_zero", "pow.f32 {0.0}, {0.0}");
    assert_eq!(power_of_zero, 1f32.to_bits());
}

/// Checks operands and results of arithmetic; moves and other operations on bits preserve them.
#[test]
fn flushed_denormals() {
    for (operation, expected) in [
        // 2^-127 + 2^-127 would be a normal number.
        ("add.f32 {0x00400000}, {0x00400000}", 0),
        ("mul.f32 {0x80800000}, {0.5}", 0x8000_0000),
        ("rcp.f32 {0x80000001}", 0xff80_0000),
        ("setlt.f32 {0.0}, {0x00400000}", 0),
        ("max.f32 {0x807fffff}, {-1.0}", 0x8000_0000),
        ("add.f32 {0x00800000}, {0.0}", 0x0080_0000),
        ("mov.f32 {0x00400000}", 0x0040_0000),
        ("or.u32 {0x00400000}, {1}", 0x0040_0001),
        ("add.u32 {0x00400000}, {0x00400000}", 0x0080_0000),
        ("packh2.f32 {0x00400000}", 0),
        ("selnz.f32 {1.0}, {0x00400000}, {1.0}", 0x0040_0000),
    ] {
        assert_eq!(
            eval_with_modes("flush_denormals", operation),
            expected,
            "{operation}"
        );
    }
}

/// Checks NV_fragment_program section 3.11.4.2: nearest, ties to even.
#[test]
fn half_precision() {
    let last = 2f32.powi(-24);
    check_floats(&[
        ("roundhalf.f32 {1.00048828125}", 1.0),
        ("roundhalf.f32 {1.00146484375}", 1.001_953_1),
        ("roundhalf.f32 {0x3f801001}", 1.000_976_6),
        ("roundhalf.f32 {65519.996}", 65504.0),
        ("roundhalf.f32 {65520.0}", f32::INFINITY),
        ("roundhalf.f32 {-65536.0}", f32::NEG_INFINITY),
        ("roundhalf.f32 {0x7f7fffff}", f32::INFINITY),
        ("roundhalf.f32 {0xff800000}", f32::NEG_INFINITY),
        ("roundhalf.f32 {0x7f812345}", f32::NAN),
        // 2^-25 is the middle of 0 and the least denormal.
        ("roundhalf.f32 {0x33000000}", 0.0),
        ("roundhalf.f32 {0x33000001}", last),
        ("roundhalf.f32 {0x33c00000}", 2.0 * last),
        ("roundhalf.f32 {0x80000001}", -0.0),
        ("roundhalf.f32 {-0.0}", -0.0),
    ]);
}

/// Checks NV_fragment_program section 3.11.4.2: ten fraction bits, from -2 to 2047/1024.
#[test]
fn fixed_point() {
    let step = 2f32.powi(-10);
    check_floats(&[
        ("roundfixed.f32 {1.5}", 1.5),
        ("roundfixed.f32 {0x3a000000}", 0.0),
        ("roundfixed.f32 {0x3ac00000}", 2.0 * step),
        ("roundfixed.f32 {0xba000001}", -step),
        ("roundfixed.f32 {2.0}", 2.0 - step),
        ("roundfixed.f32 {0x7f800000}", 2.0 - step),
        ("roundfixed.f32 {-2.5}", -2.0),
        ("roundfixed.f32 {0xff800000}", -2.0),
        ("roundfixed.f32 {-0.0}", 0.0),
        ("roundfixed.f32 {0xb9000000}", 0.0),
        ("roundfixed.f32 {0x7fc00000}", 0.0),
        ("roundfixed.f32 {0xffc00000}", 0.0),
    ]);
}
