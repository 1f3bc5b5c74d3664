//! Instructions that read only constants leave nothing but constants, of the values that the interpreter computes.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V and rspirv have hundreds of variants, few of which count here"
)]

use crate::support::*;
use glasm_codegen::options::DeviceFeatures;
use glasm_codegen::{Options, emit};
use glasm_ir::inst::{Rounding, compute_read_lanes, get_result_type, get_source_type};
use glasm_ir::interp::{
    self, Environment, FloatArithmetic, Interpreter, SourceLanes, ZeroTimesInf,
};
use glasm_ir::*;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op as Spv, Word};
use std::collections::HashMap;

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // SplitMix64, a public-domain generator.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Bits of a value: limits and special values, small numbers, anything.
    fn bits(&mut self, ty: Type) -> u64 {
        let small = self.below(9) as f64 * 0.75 - 3.0;
        let top = 1u64 << (ty.width().bits() - 1);
        let special = match (ty.is_float(), ty.width()) {
            (true, Width::W8 | Width::W16) => [0x7c00, 0x7e01, 1, 0x3c00, 0x7bff, 0],
            (true, Width::W32) => {
                [f32::INFINITY, f32::NAN, 1e-40, 1.0, 3e38, 0.0].map(|value| value.to_bits().into())
            }
            (true, Width::W64) => {
                [f64::INFINITY, f64::NAN, 1e-310, 1.0, 1e300, 0.0].map(f64::to_bits)
            }
            (false, _) => [0, 1, 31, top - 1, 33, u64::MAX],
        };
        let bits = match self.below(4) {
            0 => self.pick(&special) | if self.one_in(2) { top } else { 0 },
            1 if ty.is_float() => interp::from_f64(ty, small),
            1 => self.below(70) as u64,
            2 => self.pick(&special),
            _ => self.next(),
        };
        bits & u64::MAX >> (64 - ty.width().bits())
    }

    fn swizzle(&mut self) -> Swizzle {
        Swizzle::new(std::array::from_fn(|_| self.below(4) as u8))
    }
}

/// Operations that are functions of their sources.
fn functions() -> Vec<Op> {
    let computes = |op: Op| {
        let aux = InstData::Cvt {
            from: Type::F32,
            rounding: Rounding::Even,
            saturate: false,
        };
        let arithmetic = FloatArithmetic::default();
        interp::evaluate_op(op, Type::F32, aux, &SourceLanes::default(), arithmetic).is_some()
    };
    Op::ALL.iter().copied().filter(|&op| computes(op)).collect()
}

/// One operation on constants, and what it gives.
struct Case {
    program: Program,
    op: Op,
    /// The words of color 0 and 1: the result, or its low and its high half.
    expected: [[u32; 4]; 2],
}

/// A register whose lanes hold values of `ty` in operation `op`.
fn register_width(op: Op, ty: Type) -> Width {
    if op == Op::Cvt {
        ty.width().max(Width::W32)
    } else {
        ty.width()
    }
}

fn aux(random: &mut Random, op: Op, ty: Type) -> InstData {
    if op != Op::Cvt {
        return InstData::None;
    }
    InstData::Cvt {
        from: random.pick(Type::ALL),
        rounding: random.pick(&[
            Rounding::Even,
            Rounding::Floor,
            Rounding::Ceil,
            Rounding::Trunc,
        ]),
        saturate: ty.is_int() && random.one_in(2),
    }
}

/// A constant operand: a literal, or a register that was given it.
fn constant(random: &mut Random, m: &mut Make, op: Op, ty: Type) -> Src {
    let literal = m.bits([(); 4].map(|()| random.bits(ty)));
    let mut src = literal;
    let width = register_width(op, ty);
    if random.one_in(2) && width >= Width::W32 {
        let register = m.register(Storage::Temp, width, None);
        let bits = if width == Width::W64 {
            Type::U64
        } else {
            Type::U32
        };
        m.op(Op::Mov, bits, d(register, "xyzw"), &[literal]);
        src = Src::from_register(register);
    }
    src.swizzle = random.swizzle();
    // Conversions from narrow types take no signs.
    if op != Op::Cvt || ty.width() >= Width::W32 {
        src.abs = random.one_in(4);
        src.negate = random.one_in(3);
    }
    src
}

/// The lanes of a register as words of both colors.
fn show(m: &mut Make, register: RegisterId, width: Width, colors: [RegisterId; 2]) {
    match width {
        Width::W64 => {
            for (color, half) in colors.into_iter().zip([0, 1]) {
                // Lanes of pairs: x low, x high, y low, y high.
                for (letters, lane) in [("x", 0), ("y", 1), ("z", 2), ("w", 3)] {
                    let words = m.temp();
                    let from = r(register, ["x", "y", "z", "w"][lane]);
                    m.op(Op::Unpack64, Type::U64, d(words, "xy"), &[from]);
                    let word = r(words, ["x", "y"][half]);
                    m.op(Op::Mov, Type::U32, d(color, letters), &[word]);
                }
            }
        }
        Width::W32 => {
            m.op(
                Op::Mov,
                Type::U32,
                d(colors[0], "xyzw"),
                &[r(register, "xyzw")],
            );
        }
        Width::W8 | Width::W16 => {
            let aux = InstData::Cvt {
                from: Type::U16,
                rounding: Rounding::Even,
                saturate: false,
            };
            let dst = Some(d(colors[0], "xyzw"));
            m.inst(Op::Cvt, Type::U32, dst, aux, &[r(register, "xyzw")]);
        }
    }
}

fn colors(m: &mut Make) -> [RegisterId; 2] {
    [0, 1].map(|buffer| {
        let color = m.output(Semantic::FragColor { buffer, index: 0 });
        let output = OutputId::new(buffer as usize);
        m.b.program.outputs[output].base = BaseType::UnsignedInt;
        let zero = m.int(0);
        m.op(Op::Mov, Type::U32, d(color, "xyzw"), &[zero]);
        color
    })
}

/// The lanes that an instruction writes, worked out from the functions that interpreter and compiler share.
fn evaluated(
    program: &Program,
    inst: &Inst,
    literals: &[[u64; 4]],
    products: ZeroTimesInf,
) -> [u64; 4] {
    let mut operands = SourceLanes::default();
    for (number, src) in program.sources(inst).iter().enumerate() {
        let ty = get_source_type(program, inst, number);
        for lane in WriteMask(compute_read_lanes(program, inst, number, 15)).lanes() {
            let bits = literals[number][src.swizzle.lane(lane)];
            operands[number][lane] = interp::apply_modifiers(src, ty, bits);
        }
    }
    let arithmetic = FloatArithmetic {
        zero_times_inf: products,
        ..program.modes.get_arithmetic()
    };
    let lanes = interp::evaluate_op(inst.op, inst.ty, inst.data, &operands, arithmetic).unwrap();
    let dst = inst.dst.unwrap();
    let width = program.registers[dst.register].width;
    let mut written = [0; 4];
    for lane in dst.mask.lanes() {
        written[lane] = interp::convert_result(inst, &dst, width, lanes[lane]);
    }
    written
}

fn case(random: &mut Random, op: Op, products: ZeroTimesInf) -> Case {
    let types: Vec<Type> = Type::ALL
        .iter()
        .copied()
        .filter(|&ty| op.info().types.contains(ty))
        .collect();
    let mut ty = random.pick(&types);
    if matches!(op, Op::Pack64 | Op::Unpack64) {
        ty = random.pick(&[Type::U64, Type::S64, Type::F64]);
    }
    let mut m = Make::new(Stage::Fragment);
    let colors = colors(&mut m);
    let aux = aux(random, op, ty);
    let mut inst = Inst {
        op,
        ty,
        flags: InstFlags::empty(),
        source_count: 0,
        first_source: 0,
        dst: None,
        data: aux,
        span: Span::default(),
    };
    let first = m.b.program.literals.len();
    let sources: Vec<Src> = (0..op.info().sources.unwrap_or(0) as usize)
        .map(|number| {
            let ty = get_source_type(&m.b.program, &inst, number);
            constant(random, &mut m, op, ty)
        })
        .collect();
    let literals: Vec<[u64; 4]> = (first..first + sources.len())
        .map(|number| m.b.program.literals[literal(number)])
        .collect();
    let mut width = register_width(op, get_result_type(&inst));
    if op.has_carry() && ty.is_int() && random.one_in(3) {
        width = random.pick(&[Width::W32, Width::W64]);
    }
    let result = m.register(Storage::Temp, width, None);
    let cc = m.cc();
    let mut dst = Dst {
        cc: Some(cc),
        ..Dst::new(result, WriteMask(1 + random.below(15) as u8))
    };
    if ty.is_float() && get_result_type(&inst) == ty && random.one_in(3) {
        dst.saturate = random.pick(&[Saturate::Unsigned, Saturate::Signed, Saturate::SignedOrNan]);
    }
    inst.dst = Some(dst);
    m.b.push_inst(inst, &sources);
    let inst = *m.b.program.insts.as_slice().last().unwrap();
    let lanes = evaluated(&m.b.program, &inst, &literals, products);
    show(&mut m, result, width, colors);
    let low = lanes.map(|bits| bits as u32);
    let high = lanes.map(|bits| (bits >> 32) as u32);
    Case {
        program: m.finish(),
        op,
        expected: [low, if width == Width::W64 { high } else { [0; 4] }],
    }
}

/// Every SPIR-V instruction of the function and the words that each output gets from constants.
struct Folded {
    others: Vec<Spv>,
    stored: Vec<Vec<u32>>,
}

/// The words of a constant.
fn constant_words(constants: &HashMap<Word, &Instruction>, id: Word) -> Option<Vec<u32>> {
    let constant = constants.get(&id)?;
    match constant.class.opcode {
        Spv::Constant => match constant.operands[0] {
            Operand::LiteralBit32(bits) => Some(vec![bits]),
            Operand::LiteralBit64(bits) => Some(vec![bits as u32, (bits >> 32) as u32]),
            _ => None,
        },
        Spv::ConstantComposite => {
            let parts = constant.operands.iter().map(|part| match part {
                Operand::IdRef(id) => constant_words(constants, *id),
                _ => None,
            });
            Some(parts.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

fn folded(program: &Program, options: &Options) -> Folded {
    let words = emit(program, options).unwrap().words;
    let mut loader = rspirv::dr::Loader::new();
    rspirv::binary::parse_words(&words, &mut loader).unwrap();
    let module: Module = loader.module();
    let constants: HashMap<Word, &Instruction> = module
        .types_global_values
        .iter()
        .filter_map(|global| Some((global.result_id?, global)))
        .collect();
    let (mut others, mut stored) = (Vec::new(), Vec::new());
    for inst in module
        .functions
        .iter()
        .flat_map(|function| &function.blocks)
        .flat_map(|block| &block.instructions)
    {
        match (inst.class.opcode, &inst.operands[..]) {
            (Spv::Store, [Operand::IdRef(_), Operand::IdRef(value), ..]) => {
                match constant_words(&constants, *value) {
                    Some(words) => stored.push(words),
                    None => others.push(Spv::Store),
                }
            }
            (Spv::Return, _) => {}
            (other, _) => others.push(other),
        }
    }
    Folded { others, stored }
}

fn check_case(case: &Case, options: &Options) {
    let folded = folded(&case.program, options);
    assert!(
        folded.others.is_empty(),
        "{:?} in\n{}",
        folded.others,
        case.program
    );
    let expected: Vec<Vec<u32>> = case.expected.iter().map(|words| words.to_vec()).collect();
    assert_eq!(folded.stored, expected, "{:?}\n{}", case.op, case.program);
}

#[test]
fn operations_on_constants_are_what_the_interpreter_gives() {
    let mut random = Random(1);
    for op in functions() {
        for round in 0..60 {
            let case = case(&mut random, op, ZeroTimesInf::Nan);
            let run = Interpreter::new(&case.program)
                .unwrap_or_else(|errors| panic!("{errors:?}\n{}", case.program))
                .run_main(&mut Environment::default())
                .unwrap();
            let words = [0, 1].map(|color: usize| run.outputs[color].map(|bits| bits as u32));
            assert_eq!(words, case.expected, "{}", case.program);
            let options = Options {
                device: DeviceFeatures {
                    int64: round % 3 != 0,
                    ..DeviceFeatures::default()
                },
                ..Options::default()
            };
            check_case(&case, &options);
        }
    }
}

#[test]
fn zero_times_anything_is_zero_where_that_is_wanted() {
    let options = Options {
        zero_wins_multiply: true,
        ..Options::default()
    };
    let mut random = Random(2);
    for op in [Op::Mul, Op::Mad, Op::Dp2, Op::Dp3, Op::Dp4, Op::Pow] {
        for _ in 0..200 {
            check_case(&case(&mut random, op, ZeroTimesInf::Zero), &options);
        }
    }
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let (zero, infinity) = (m.float(-0.0), m.float(f32::INFINITY));
    let half = m.float(0.5);
    m.f(Op::Mul, d(color, "xy"), &[zero, infinity]);
    m.f(Op::Mad, d(color, "z"), &[infinity, zero, half]);
    m.f(Op::Fma, d(color, "w"), &[infinity, zero, half]);
    let half = 0.5f32.to_bits();
    assert_eq!(folded(&m.finish(), &options).stored, [[0, 0, half, half]]);
}

#[test]
fn programs_without_denormals_have_none_in_constants() {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let (denormal, half) = (m.bits([0x0040_0000; 4]), m.float(0.5));
    m.f(Op::Add, d(color, "x"), &[denormal, denormal]);
    m.f(Op::Mov, d(color, "y"), &[denormal]);
    let least = m.float(f32::MIN_POSITIVE);
    m.f(Op::Mul, d(color, "z"), &[least.negated(), half]);
    m.f(Op::Mul, d(color, "w"), &[least, least]);
    let mut program = m.finish();
    program.modes.flush_denormals = true;
    let expected = [[0, 0x0040_0000, 0x8000_0000, 0]];
    assert_eq!(folded(&program, &Options::default()).stored, expected);
}

/// Tests that depend on the codes.
const TESTS: [CondTest; 16] = [
    CondTest::Eq,
    CondTest::Ne,
    CondTest::Lt,
    CondTest::Le,
    CondTest::Gt,
    CondTest::Ge,
    CondTest::Nan,
    CondTest::Leg,
    CondTest::Carry,
    CondTest::NoCarry,
    CondTest::Overflow,
    CondTest::NoOverflow,
    CondTest::Sign,
    CondTest::NoSign,
    CondTest::Above,
    CondTest::BelowEqual,
];

/// An update of codes, and two copies under tests of them.
fn codes_program(random: &mut Random) -> Program {
    let op = random.pick(&[
        Op::Add,
        Op::Sub,
        Op::Mad,
        Op::Mov,
        Op::Mul,
        Op::SetLt,
        Op::SetNe,
        Op::Min,
    ]);
    let types = [
        Type::F16,
        Type::F32,
        Type::F64,
        Type::U32,
        Type::S32,
        Type::U64,
        Type::S64,
    ];
    let ty = random.pick(&types);
    let mut m = Make::new(Stage::Fragment);
    let colors = colors(&mut m);
    let sources: Vec<Src> = (0..op.info().sources.unwrap())
        .map(|_| constant(random, &mut m, op, ty))
        .collect();
    let (cc, result) = (m.cc(), m.register(Storage::Temp, ty.width(), None));
    let dst = Dst {
        cc: Some(cc),
        ..Dst::new(result, WriteMask(1 + random.below(15) as u8))
    };
    m.op(op, ty, dst, &sources);
    let ones = m.ints([1, 2, 4, 8]);
    for color in colors {
        let dst = Dst {
            guard: Some(Guard {
                cc,
                test: random.pick(&TESTS),
                swizzle: random.swizzle(),
            }),
            ..d(color, "xyzw")
        };
        m.op(Op::Mov, Type::U32, dst, &[ones]);
    }
    m.finish()
}

#[test]
fn tests_of_constant_codes_are_constants() {
    let mut random = Random(3);
    for round in 0..1500 {
        let program = codes_program(&mut random);
        let run = Interpreter::new(&program)
            .unwrap()
            .run_main(&mut Environment::default())
            .unwrap();
        let expected: Vec<Vec<u32>> = (0..2)
            .map(|color: usize| run.outputs[color].map(|bits| bits as u32).to_vec())
            .collect();
        let options = Options {
            device: DeviceFeatures {
                int64: round % 3 != 0,
                ..DeviceFeatures::default()
            },
            ..Options::default()
        };
        let folded = folded(&program, &options);
        assert!(
            folded.others.is_empty(),
            "{:?} in\n{program}",
            folded.others
        );
        assert_eq!(folded.stored, expected, "{program}");
    }
}
