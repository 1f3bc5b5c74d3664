//! Which instructions read only constants, and what of others constants settle.

use crate::support::*;
use glasm_codegen::options::DeviceFeatures;
use glasm_codegen::{Options, emit};
use glasm_ir::*;

/// A fragment program whose only output gets what `body` makes.
fn text(body: impl FnOnce(&mut Make, RegisterId)) -> String {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    body(&mut m, color);
    check(&m.finish())
}

#[test]
fn constants_inside_loops_are_computed() {
    let text = text(|m, color| {
        let [two, sum, power, wave] = [(); 4].map(|()| m.temp());
        let (one, constant, input) = (m.float(1.0), m.float(2.0), m.input(Semantic::TexCoord(0)));
        m.f(Op::Mov, d(two, "x"), &[constant]);
        m.f(Op::Mov, d(sum, "xyzw"), &[one]);
        m.loop_(
            |m| {
                m.f(Op::Exp2, d(power, "x"), &[r(two, "x")]);
                m.f(Op::Sin, d(wave, "x"), &[constant]);
                m.f(Op::Add, d(power, "x"), &[r(power, "x"), r(wave, "x")]);
                m.f(Op::Mul, d(sum, "x"), &[r(sum, "x"), r(power, "x")]);
                let (cc, scratch) = (m.cc(), m.temp());
                let dst = Dst {
                    cc: Some(cc),
                    ..d(scratch, "x")
                };
                m.f(Op::Sub, dst, &[r(sum, "x"), input]);
                m.if_(any(cc, CondTest::Gt, "x"), |m| m.node(Node::Break));
            },
            |_| {},
        );
        m.f(Op::Mov, d(color, "xyzw"), &[r(sum, "xyzw")]);
    });
    assert_eq!(count(&text, "OpExtInst"), 0, "{text}");
    // What a loop carries is no constant, though it starts as one.
    assert_eq!(count(&text, "OpFMul"), 1, "{text}");
}

#[test]
fn what_paths_give_different_values_is_no_constant() {
    let text = text(|m, color| {
        let (value, cc, scratch) = (m.temp(), m.cc(), m.temp());
        let (one, two, input) = (m.float(1.0), m.float(2.0), m.input(Semantic::TexCoord(0)));
        let dst = Dst {
            cc: Some(cc),
            ..d(scratch, "x")
        };
        m.f(Op::Mov, dst, &[input]);
        m.if_else(
            any(cc, CondTest::Gt, "x"),
            |m| m.f(Op::Mov, d(value, "x"), &[one]),
            |m| m.f(Op::Mov, d(value, "x"), &[two]),
        );
        m.f(Op::Exp2, d(color, "x"), &[r(value, "x")]);
    });
    assert_eq!(count(&text, "OpExtInst"), 1, "{text}");
}

#[test]
fn one_lane_that_is_no_constant_leaves_the_operation() {
    let text = text(|m, color| {
        let value = m.temp();
        let (numbers, input) = (
            m.floats([0.25, 0.5, 1.0, 2.0]),
            m.input(Semantic::TexCoord(0)),
        );
        m.f(Op::Mov, d(value, "xyzw"), &[numbers]);
        m.f(Op::Mov, d(value, "w"), &[input]);
        m.f(Op::Exp2, d(color, "xyzw"), &[r(value, "xyzw")]);
    });
    assert_eq!(count(&text, "OpExtInst"), 1, "{text}");
}

#[test]
fn lanes_that_are_not_read_do_not_count() {
    let text = text(|m, color| {
        let value = m.temp();
        let (numbers, input) = (
            m.floats([0.25, 0.5, 1.0, 2.0]),
            m.input(Semantic::TexCoord(0)),
        );
        m.f(Op::Mov, d(value, "xyzw"), &[input]);
        m.f(Op::Mov, d(value, "yz"), &[numbers]);
        m.f(Op::Add, d(color, "x"), &[r(value, "x"), numbers]);
        // Lane x would read the input.
        m.f(Op::Exp2, d(color, "zw"), &[r(value, "xyzy")]);
        m.f(Op::Dp2, d(color, "y"), &[r(value, "yzxw"), numbers]);
    });
    assert_eq!(
        count(&text, "OpExtInst") + count(&text, "OpDot"),
        0,
        "{text}"
    );
}

#[test]
fn arrays_with_indices_at_run_time_are_no_constants() {
    let text = text(|m, color| {
        let (array, at, input) = (m.array(4), m.temp(), m.input(Semantic::TexCoord(0)));
        let half = m.float(0.5);
        m.op(Op::Mov, Type::U32, d(at, "x"), &[input]);
        let first = m.index(None, 0, 4);
        let dst = Dst {
            index: Some(first),
            ..d(array, "xyzw")
        };
        m.f(Op::Mov, dst, &[half]);
        let element = m.index(Some((at, 0)), 0, 4);
        let src = Src {
            index: Some(element),
            ..Src::from_register(array)
        };
        m.f(Op::Exp2, d(color, "xyzw"), &[src]);
    });
    assert_eq!(count(&text, "OpExtInst"), 2, "a clamp and a power:\n{text}");
}

#[test]
fn constants_do_not_change_between_fragments() {
    let text = text(|m, color| {
        let half = m.float(0.5);
        m.f(Op::Ddx, d(color, "xy"), &[half]);
        m.f(Op::DdyFine, d(color, "zw"), &[half]);
    });
    assert!(!text.contains("OpDPd"), "{text}");
}

#[test]
fn constant_selectors_select() {
    let text = text(|m, color| {
        let (param, input) = (m.param(), m.input(Semantic::TexCoord(0)));
        let signs = m.floats([-1.0, 1.0, -2.0, 2.0]);
        m.f(Op::SelLt, d(color, "xyzw"), &[signs, param, input]);
    });
    assert_eq!(
        count(&text, "OpSelect") + count(&text, "OpFOrdLessThan"),
        0,
        "{text}"
    );
}

#[test]
fn doubles_divided_by_zero_are_products_with_infinity() {
    for (zero, infinity) in [(0f64, f64::INFINITY), (-0.0, f64::NEG_INFINITY)] {
        let mut m = Make::new(Stage::Fragment);
        let color = m.color();
        let (wide, zero, words) = (m.wide(), m.bits([zero.to_bits(); 4]), m.temp());
        let input = m.input(Semantic::TexCoord(0));
        m.op(Op::Mov, Type::U32, d(words, "xyzw"), &[input]);
        m.op(Op::Pack64, Type::F64, d(wide, "xy"), &[r(words, "xyzw")]);
        m.op(Op::Div, Type::F64, d(wide, "xy"), &[r(wide, "xyzw"), zero]);
        m.op(
            Op::Unpack64,
            Type::F64,
            d(color, "xyzw"),
            &[r(wide, "xyzw")],
        );
        let module = check_with(&m.finish(), &Options::default());
        let text = disassemble(&module.words);
        assert_eq!(count(&text, "OpFDiv"), 0, "{text}");
        assert_eq!(count(&text, "OpFMul"), 1, "{text}");
        let high = (infinity.to_bits() >> 32) as u32;
        assert!(
            module.words.windows(2).any(|words| words == [0, high]),
            "{text}"
        );
    }
}

#[test]
fn doubles_of_constants_need_doubles_all_the_same() {
    let mut m = Make::new(Stage::Fragment);
    let (color, wide) = (m.color(), m.wide());
    let one = m.bits([1f64.to_bits(); 4]);
    m.op(Op::Add, Type::F64, d(wide, "x"), &[one, one]);
    m.op(Op::Unpack64, Type::F64, d(color, "xy"), &[r(wide, "x")]);
    let options = Options {
        device: DeviceFeatures {
            float64: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    let error = emit(&m.finish(), &options).unwrap_err();
    assert!(error.to_string().contains("shaderFloat64"), "{error}");
}

/// An instruction and the branch that contains it both have a place in the program; the sum, which needs doubles, is to blame.
#[test]
fn errors_name_the_innermost_place() {
    let mut m = Make::new(Stage::Fragment);
    let (color, wide, cc) = (m.color(), m.wide(), m.cc());
    let input = m.input(Semantic::TexCoord(0));
    let coded = Dst {
        cc: Some(cc),
        ..d(color, "xyzw")
    };
    m.f(Op::Mov, coded, &[input]);
    let then = m.block(|m| {
        m.op(Op::Pack64, Type::F64, d(wide, "x"), &[input]);
        m.op(
            Op::Add,
            Type::F64,
            d(wide, "x"),
            &[r(wide, "x"), r(wide, "x")],
        );
        m.op(Op::Unpack64, Type::F64, d(color, "xy"), &[r(wide, "x")]);
    });
    for (number, start) in [(0, 12), (1, 30), (2, 40), (3, 50)] {
        m.b.program.insts[number].span = Span::new(start, start + 8);
    }
    m.node(Node::If {
        cond: any(cc, CondTest::Lt, "x"),
        then,
        otherwise: None,
        span: Span::new(20, 60),
    });
    let options = Options {
        device: DeviceFeatures {
            float64: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    let error = emit(&m.finish(), &options).unwrap_err();
    assert_eq!(error.span, Some(Span::new(40, 48)), "{error}");
}
