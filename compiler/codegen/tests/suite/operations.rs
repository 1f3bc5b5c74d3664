//! Every operation with every type, in several shapes, gives valid modules for every target and device.

use crate::support::*;
use glasm_codegen::ErrorKind;
use glasm_codegen::Options;
use glasm_codegen::options::DeviceFeatures;
use glasm_ir::inst::Rounding;
use glasm_ir::*;

/// How operands and result look.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Written lanes.
    mask: &'static str,
    swizzles: [&'static str; 4],
    modifiers: bool,
    guarded: bool,
    updates: bool,
    literal_last: bool,
}

const PLAIN: Shape = Shape {
    mask: "xyzw",
    swizzles: ["xyzw"; 4],
    modifiers: false,
    guarded: false,
    updates: false,
    literal_last: false,
};

const SHAPES: [Shape; 7] = [
    PLAIN,
    Shape {
        mask: "x",
        swizzles: ["w", "z", "y", "x"],
        ..PLAIN
    },
    Shape {
        mask: "yw",
        swizzles: ["wzyx", "x", "yyzz", "w"],
        modifiers: true,
        ..PLAIN
    },
    Shape {
        swizzles: ["y", "x", "w", "z"],
        updates: true,
        ..PLAIN
    },
    Shape {
        mask: "xyz",
        guarded: true,
        updates: true,
        ..PLAIN
    },
    Shape {
        guarded: true,
        literal_last: true,
        ..PLAIN
    },
    Shape {
        mask: "zw",
        swizzles: ["x", "xyzw", "zxyw", "x"],
        literal_last: true,
        modifiers: true,
        ..PLAIN
    },
];

fn width(ty: Type) -> Width {
    if ty.width() == Width::W64 {
        Width::W64
    } else {
        Width::W32
    }
}

/// A register of this width with values that are not constants.
fn filled(m: &mut Make, width: Width, input: Src) -> RegisterId {
    let words = m.temp();
    m.f(Op::Mov, d(words, "xyzw"), &[input]);
    if width != Width::W64 {
        return words;
    }
    let wide = m.wide();
    m.op(Op::Pack64, Type::U64, d(wide, "xyzw"), &[r(words, "xyzw")]);
    wide
}

fn consume(m: &mut Make, register: RegisterId, width: Width, color: RegisterId) {
    if width != Width::W64 {
        m.f(Op::Mov, d(color, "xyzw"), &[r(register, "xyzw")]);
        return;
    }
    let (low, high) = (m.temp(), m.temp());
    m.op(
        Op::Unpack64,
        Type::U64,
        d(low, "xyzw"),
        &[r(register, "xyzw")],
    );
    m.op(
        Op::Unpack64,
        Type::U64,
        d(high, "xyzw"),
        &[r(register, "zwzw")],
    );
    m.op(
        Op::Xor,
        Type::U32,
        d(color, "xyzw"),
        &[r(low, "xyzw"), r(high, "xyzw")],
    );
}

/// The sources that a shape asks for; `first` replaces what the first one names.
fn operands(
    m: &mut Make,
    shape: Shape,
    values: RegisterId,
    count: usize,
    first: Option<OperandBase>,
) -> Vec<Src> {
    let literal = m.bits([3, 0x3f80_0000, 5, 0xffff_ffff]);
    (0..count)
        .map(|number| {
            let base = if shape.literal_last && number + 1 == count {
                literal
            } else {
                r(values, "xyzw")
            };
            let named = first.filter(|_| number == 0);
            Src {
                base: named.unwrap_or(base.base),
                abs: shape.modifiers && number == 0,
                negate: shape.modifiers,
                ..base.swizzled(swizzle(shape.swizzles[number]))
            }
        })
        .collect()
}

/// Whether the first operand is an input.
fn interpolates(op: Op) -> bool {
    matches!(op, Op::InterpCentroid | Op::InterpOffset | Op::InterpSample)
}

fn program(op: Op, ty: Type, aux: InstData, shape: Shape) -> Program {
    let mut m = Make::new(if op == Op::Barrier {
        Stage::Compute
    } else {
        Stage::Fragment
    });
    let info = op.info();
    if info.shape == ResultShape::None {
        m.inst(op, ty, None, aux, &[]);
        return m.finish();
    }
    let color = m.color();
    let input = m.input(Semantic::TexCoord(1));
    let source_width = match (op, aux) {
        (_, InstData::Cvt { from, .. }) => width(from),
        (Op::Pack64, _) => Width::W32,
        (Op::Unpack64, _) => Width::W64,
        _ => width(ty),
    };
    let result_width = if op == Op::Unpack64 {
        Width::W32
    } else {
        width(ty)
    };
    let count = info.sources.unwrap_or(0) as usize;
    let values = filled(&mut m, source_width, input);
    let cc = m.cc();
    if shape.guarded {
        let scratch = m.temp();
        m.f(
            Op::Sub,
            Dst {
                cc: Some(cc),
                ..d(scratch, "xyzw")
            },
            &[input, r(scratch, "x")],
        );
    }
    let first = interpolates(op).then_some(input.base);
    let sources = operands(&mut m, shape, values, count, first);
    let result = filled(&mut m, result_width, input);
    let dst = Dst {
        guard: shape.guarded.then(|| guard(cc, CondTest::Le, "yxwz")),
        saturate: match (ty.is_float() && shape.updates, shape.guarded) {
            (true, true) => Saturate::SignedOrNan,
            (true, false) => Saturate::Signed,
            (false, _) => Saturate::None,
        },
        cc: shape.updates.then_some(cc),
        ..d(result, shape.mask)
    };
    m.inst(op, ty, Some(dst), aux, &sources);
    if shape.updates {
        let extra = m.float(0.25);
        m.if_(any(cc, CondTest::Gt, "xyzw"), |m| {
            m.f(Op::Add, d(color, "x"), &[extra, extra])
        });
    }
    consume(&mut m, result, result_width, color);
    m.finish()
}

/// Checks all shapes; the targets take turns.
fn check_all(op: Op, ty: Type, aux: InstData) {
    for (number, shape) in SHAPES.into_iter().enumerate() {
        let program = program(op, ty, aux, shape);
        check_one(
            &program,
            &Options::default(),
            number + op as usize + ty as usize,
        );
    }
}

fn is_special(op: Op) -> bool {
    matches!(
        op,
        Op::Cvt
            | Op::Tex
            | Op::Load
            | Op::Store
            | Op::Atomic
            | Op::ImageLoad
            | Op::ImageStore
            | Op::ImageAtomic
            | Op::ImageSize
            | Op::BufferSize
            | Op::ImageSamples
            | Op::Resident
            // These are for geometry programs only.
            | Op::EmitVertex
            | Op::EndPrimitive
    )
}

#[test]
fn every_operation_with_every_type() {
    for &op in Op::ALL.iter().filter(|&&op| !is_special(op)) {
        for &ty in Type::ALL.iter().filter(|&&ty| op.info().types.contains(ty)) {
            check_all(op, ty, InstData::None);
        }
    }
}

#[test]
fn every_conversion() {
    let roundings = [
        Rounding::Even,
        Rounding::Floor,
        Rounding::Ceil,
        Rounding::Trunc,
    ];
    for &from in Type::ALL {
        for &to in Type::ALL {
            for (index, rounding) in roundings.into_iter().enumerate() {
                let saturate = index % 2 == 1;
                let aux = InstData::Cvt {
                    from,
                    rounding,
                    saturate,
                };
                let shape = SHAPES[(from as usize + to as usize + index) % SHAPES.len()];
                check_one(
                    &program(Op::Cvt, to, aux, shape),
                    &Options::default(),
                    index + from as usize,
                );
            }
        }
    }
}

#[test]
fn legacy_multiply() {
    let options = Options {
        zero_wins_multiply: true,
        ..Options::default()
    };
    for op in [Op::Mul, Op::Mad, Op::Dp2, Op::Dp3, Op::Dp4, Op::Pow] {
        for shape in SHAPES {
            check_with(&program(op, Type::F32, InstData::None, shape), &options);
        }
    }
}

/// Comparisons and selections of the product of a texture coordinate and what `factor` makes of it.
fn cost_of_legacy_product(
    legacy_multiply: bool,
    factor: impl Fn(&mut Make, Src) -> Src,
) -> [usize; 2] {
    let options = Options {
        zero_wins_multiply: legacy_multiply,
        ..Options::default()
    };
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::TexCoord(0));
    let other = factor(&mut m, input);
    m.f(Op::Mul, d(color, "xyzw"), &[input, other]);
    let text = disassemble(&check_with(&m.finish(), &options).words);
    ["OpFOrdEqual", "OpSelect"].map(|word| count(&text, word))
}

#[test]
fn legacy_products_test_what_may_be_zero() {
    let unknown = |m: &mut Make, _| m.param();
    assert_eq!(cost_of_legacy_product(false, unknown), [0, 0]);
    assert_eq!(cost_of_legacy_product(true, unknown), [2, 1]);
    assert_eq!(cost_of_legacy_product(true, |m, _| m.float(-2.0)), [1, 1]);
    assert_eq!(cost_of_legacy_product(true, |m, _| m.float(1e-40)), [2, 1]);
    assert_eq!(cost_of_legacy_product(true, |m, _| m.float(-0.0)), [0, 0]);
    assert_eq!(cost_of_legacy_product(true, |_, input| input), [0, 0]);
}

#[test]
fn programs_choose_their_products() {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let (input, other) = (m.input(Semantic::TexCoord(0)), m.param());
    m.f(Op::Mul, d(color, "xyzw"), &[input, other]);
    let mut program = m.finish();
    assert_eq!(count(&check(&program), "OpSelect"), 0);
    program.modes.zero_times_inf_is_zero = true;
    assert_eq!(count(&check(&program), "OpSelect"), 1);
}

/// Instructions of a program with one operation on a texture coordinate.
fn cost(op: Op, flush: bool, options: &Options) -> usize {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::TexCoord(0));
    let sources = vec![input; op.info().sources.unwrap_or(0).into()];
    m.f(op, d(color, "xyzw"), &sources);
    let mut program = m.finish();
    program.modes.flush_denormals = flush;
    let module = check_with(&program, options);
    let mut loader = rspirv::dr::Loader::new();
    rspirv::binary::parse_words(&module.words, &mut loader).unwrap();
    loader.module().functions[0].blocks[0].instructions.len()
}

#[test]
fn precision_costs_what_the_options_say() {
    let exact = Options::default();
    let fast = Options {
        skip_precision_rounding: true,
        ..Options::default()
    };
    let cost = |op, options| cost(op, false, options);
    let moved = cost(Op::Mov, &exact);
    assert_eq!(cost(Op::RoundHalf, &exact) - moved, 14);
    assert_eq!(cost(Op::RoundFixed, &exact) - moved, 6);
    assert_eq!(cost(Op::RoundHalf, &fast) - moved, 0);
    assert_eq!(cost(Op::RoundFixed, &fast) - moved, 1);
}

#[test]
fn devices_keep_special_numbers_unless_precision_is_to_be_fast() {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::TexCoord(0));
    m.f(Op::Mul, d(color, "xyzw"), &[input, input]);
    let program = m.finish();
    let tells = |can: bool, fast_precision: bool| {
        let options = Options {
            device: DeviceFeatures {
                signed_zero_inf_nan_preserve_float32: can,
                ..DeviceFeatures::default()
            },
            skip_precision_rounding: fast_precision,
            ..Options::default()
        };
        let text = disassemble(&check_with(&program, &options).words);
        text.contains("OpExecutionMode %1 SignedZeroInfNanPreserve 32")
    };
    assert!(tells(true, false));
    assert!(!tells(true, true));
    assert!(!tells(false, false));
}

/// Sums that the program asks for are exact where special numbers count, those of MAD only in languages whose equal instructions give equal
/// results.
#[test]
fn sums_of_special_numbers_are_exact() {
    let decorated = |device: DeviceFeatures, flush_denormals: bool| {
        let mut m = Make::new(Stage::Fragment);
        m.b.program.modes.flush_denormals = flush_denormals;
        let color = m.color();
        let input = m.input(Semantic::TexCoord(0));
        let sum = m.temp();
        m.f(Op::Mad, d(sum, "xyzw"), &[input, input, input]);
        m.f(Op::Sub, d(color, "xyzw"), &[r(sum, "xyzw"), input]);
        let options = Options {
            device,
            ..Options::default()
        };
        let text = disassemble(&check_with(&m.finish(), &options).words);
        count(&text, "NoContraction")
    };
    let keeping = DeviceFeatures {
        signed_zero_inf_nan_preserve_float32: true,
        ..DeviceFeatures::default()
    };
    assert_eq!(decorated(DeviceFeatures::default(), false), 0);
    assert_eq!(decorated(keeping, false), 1, "the difference");
    assert_eq!(decorated(keeping, true), 3, "both and the product");
}

/// No conversion is undone and compared, which drivers take for the value itself.
#[test]
fn directed_conversions_of_doubles_are_made_of_integers() {
    for rounding in [Rounding::Floor, Rounding::Ceil, Rounding::Trunc] {
        for to in [Type::F32, Type::F16] {
            let mut m = Make::new(Stage::Fragment);
            let color = m.color();
            let input = m.input(Semantic::TexCoord(0));
            let wide = m.wide();
            m.op(Op::Pack64, Type::F64, d(wide, "xy"), &[input]);
            let aux = InstData::Cvt {
                from: Type::F64,
                rounding,
                saturate: false,
            };
            let dst = Some(d(color, "xy"));
            m.inst(Op::Cvt, to, dst, aux, &[r(wide, "xyxy")]);
            let text = disassemble(&check_with(&m.finish(), &Options::default()).words);
            assert_eq!(count(&text, "OpFConvert"), 0, "{rounding:?} {to:?}: {text}");
        }
    }
}

/// Comparisons and selections of the logarithm of what `MAX` makes of a number and `bound`.
fn cost_of_logarithm(bound: impl Fn(&mut Make) -> Src) -> [usize; 2] {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::TexCoord(0));
    let larger = m.temp();
    let bound = bound(&mut m);
    m.f(Op::Max, d(larger, "x"), &[input, bound]);
    m.f(Op::Log2, d(color, "x"), &[r(larger, "xxxx")]);
    let text = disassemble(&check_with(&m.finish(), &Options::default()).words);
    let lines = |word: &str| text.lines().filter(|line| line.contains(word)).count();
    [lines("= OpFOrd"), lines("= OpSelect ")]
}

#[test]
fn logarithms_test_what_may_be_no_positive_number() {
    // One of each is MAX.
    assert_eq!(cost_of_logarithm(Make::param), [3, 3]);
    assert_eq!(cost_of_logarithm(|m| m.float(-1.0)), [3, 3]);
    assert_eq!(cost_of_logarithm(|m| m.float(f32::NAN)), [3, 3]);
    assert_eq!(cost_of_logarithm(|m| m.float(0.0)), [2, 2]);
    assert_eq!(cost_of_logarithm(|m| m.float(1e-40)), [2, 2]);
    assert_eq!(cost_of_logarithm(|m| m.float(0.25)), [1, 1]);
}

#[test]
fn denormals_are_flushed_by_the_device_or_by_code() {
    let plain = Options::default();
    let by_code = Options {
        emulate_denormal_flush: true,
        ..Options::default()
    };
    let by_device = Options {
        device: DeviceFeatures {
            denorm_flush_to_zero_float32: true,
            ..DeviceFeatures::default()
        },
        ..by_code.clone()
    };
    let sum = cost(Op::Add, false, &by_code);
    assert_eq!(cost(Op::Add, true, &plain), sum);
    assert_eq!(cost(Op::Add, true, &by_device), sum);
    // Both operands are one value.
    assert_eq!(cost(Op::Add, true, &by_code), sum + 12);
    assert_eq!(cost(Op::Mov, true, &by_code), cost(Op::Mov, true, &plain));
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::TexCoord(0));
    m.f(Op::Mul, d(color, "xyzw"), &[input, input]);
    let mut program = m.finish();
    let text = |program: &Program| disassemble(&check_with(program, &by_device).words);
    assert_eq!(count(&text(&program), "DenormFlushToZero"), 0);
    program.modes.flush_denormals = true;
    let text = text(&program);
    // A capability and a mode, which names the width.
    assert_eq!(count(&text, "DenormFlushToZero"), 2);
    let mode = "OpExecutionMode %1 DenormFlushToZero 32";
    assert!(text.contains(mode), "{text}");
}

#[test]
fn wide_integers_without_device_support() {
    let options = Options {
        device: DeviceFeatures {
            int64: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    let emulated = [
        Op::Mov,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Mad,
        Op::Min,
        Op::Max,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Not,
        Op::Shl,
        Op::Shr,
        Op::SetEq,
        Op::SetNe,
        Op::SetLt,
        Op::SetLe,
        Op::SetGt,
        Op::SetGe,
        Op::SelLt,
        Op::SelNz,
        Op::Pack64,
        Op::Unpack64,
    ];
    for op in emulated {
        for ty in [Type::U64, Type::S64] {
            for shape in SHAPES {
                let module = check_with(&program(op, ty, InstData::None, shape), &options);
                let capabilities = module.reflection.requirements.capabilities;
                assert!(!capabilities.contains(&"Int64"), "{op:?} {ty:?} {shape:?}");
            }
        }
    }
    let convert = |from, saturate| InstData::Cvt {
        from,
        rounding: Rounding::Trunc,
        saturate,
    };
    for (op, ty, aux) in [
        (Op::Div, Type::U64, InstData::None),
        (Op::Cvt, Type::U64, convert(Type::F32, false)),
        (Op::Cvt, Type::F32, convert(Type::S64, false)),
        (Op::Cvt, Type::U64, convert(Type::S32, true)),
    ] {
        let error = glasm_codegen::emit(&program(op, ty, aux, PLAIN), &options).unwrap_err();
        assert_eq!(error.kind, ErrorKind::MissingFeature("shaderInt64"));
        assert!(error.message.contains("shaderInt64"), "{error}");
    }
}

#[test]
fn discard_without_demotion() {
    let options = Options {
        device: DeviceFeatures {
            demote_to_helper_invocation: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::Color(0));
    let t = m.temp();
    m.f(
        Op::SetLt,
        d(t, "x"),
        &[input, input.swizzled(swizzle("wzyx"))],
    );
    m.if_(Cond::NonZero(t, 0, Type::F32), |m| {
        m.inst(Op::Demote, Type::U32, None, InstData::None, &[]);
        m.f(Op::Mul, d(t, "y"), &[input, input]);
    });
    m.f(Op::Mov, d(color, "xyzw"), &[r(t, "y")]);
    check_with(&m.finish(), &options);
}

/// Condition codes of integers in some lanes and of a float in another: tests of all of them still look at the carry.
#[test]
fn carry_of_integers_beside_a_float() {
    for test in [
        CondTest::Carry,
        CondTest::NoCarry,
        CondTest::Above,
        CondTest::BelowEqual,
    ] {
        let mut m = Make::new(Stage::Fragment);
        let color = m.color();
        let input = m.input(Semantic::TexCoord(1));
        let (t, cc) = (m.temp(), m.cc());
        m.op(
            Op::Sub,
            Type::U32,
            Dst {
                cc: Some(cc),
                ..d(t, "xyz")
            },
            &[input, input.swizzled(swizzle("wzyx"))],
        );
        m.f(
            Op::Mov,
            Dst {
                cc: Some(cc),
                ..d(t, "w")
            },
            &[input],
        );
        let one = m.float(1.0);
        m.f(
            Op::Mov,
            Dst {
                guard: Some(guard(cc, test, "xyzw")),
                ..d(color, "xyzw")
            },
            &[one],
        );
        let text = check(&m.finish());
        assert_eq!(count(&text, "OpUGreaterThanEqual"), 1, "{test:?}\n{text}");
    }
}

#[test]
fn wide_floats_need_the_feature() {
    let options = Options {
        device: DeviceFeatures {
            float64: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    let error = glasm_codegen::emit(
        &program(Op::Add, Type::F64, InstData::None, PLAIN),
        &options,
    )
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::MissingFeature("shaderFloat64"));
    assert!(error.message.contains("shaderFloat64"), "{error}");
    // Directed rounding of integers needs no wider floats.
    for (index, rounding) in [Rounding::Floor, Rounding::Ceil, Rounding::Trunc]
        .into_iter()
        .enumerate()
    {
        for from in [Type::U32, Type::S32] {
            let aux = InstData::Cvt {
                from,
                rounding,
                saturate: false,
            };
            check_with(&program(Op::Cvt, Type::F32, aux, SHAPES[index]), &options);
        }
    }
}

/// Drivers lose large doubles in these two where the CPU has no instruction for vectors of them.
#[test]
fn doubles_are_rounded_by_floor_and_ceil() {
    let aux = |rounding| InstData::Cvt {
        from: Type::F64,
        rounding,
        saturate: false,
    };
    let cases = [
        (Op::Round, Type::F64, InstData::None),
        (Op::Trunc, Type::F64, InstData::None),
        (Op::Cvt, Type::S32, aux(Rounding::Even)),
        (Op::Cvt, Type::S64, aux(Rounding::Even)),
    ];
    for (op, ty, aux) in cases {
        let text = check(&program(op, ty, aux, PLAIN));
        assert!(text.contains(" Floor "), "{op:?}: {text}");
        assert!(
            !text.contains(" RoundEven ") && !text.contains(" Trunc "),
            "{op:?}: {text}"
        );
    }
    let single = check(&program(Op::Round, Type::F32, InstData::None, PLAIN));
    assert!(single.contains(" RoundEven "), "{single}");
}

/// Comparisons of halves give the bits of 1.0, not those of integers, and the numbers are compared as floats.
#[test]
fn comparisons_of_halves_give_halves() {
    let mut m = Make::new(Stage::Fragment);
    let (color, input) = (m.color(), m.input(Semantic::TexCoord(0)));
    let half = m.register(Storage::Temp, Width::W16, None);
    let same = m.register(Storage::Temp, Width::W16, None);
    let to_half = InstData::Cvt {
        from: Type::F32,
        rounding: Rounding::Even,
        saturate: false,
    };
    m.inst(Op::Cvt, Type::F16, Some(d(half, "xy")), to_half, &[input]);
    m.op(
        Op::SetLt,
        Type::F16,
        d(same, "x"),
        &[r(half, "x"), r(half, "y")],
    );
    let to_float = InstData::Cvt {
        from: Type::F16,
        rounding: Rounding::Even,
        saturate: false,
    };
    m.inst(
        Op::Cvt,
        Type::F32,
        Some(d(color, "xyzw")),
        to_float,
        &[r(same, "x")],
    );
    let text = check(&m.finish());
    assert_eq!(count(&text, "OpFOrdLessThan"), 1, "{text}");
    let one = text.lines().find(|line| line.ends_with("15360"));
    assert!(one.is_some(), "{text}");
    assert!(!text.contains("4294967295"), "{text}");
}
