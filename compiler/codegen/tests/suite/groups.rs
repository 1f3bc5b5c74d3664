//! Thread group operations on devices with large subgroups, and without some operations.

use crate::support::*;
use glasm_codegen::options::{DeviceFeatures, Subgroups};
use glasm_codegen::{ErrorKind, Options, emit};
use glasm_ir::*;

const TESTS: [Op; 4] = [Op::GroupAll, Op::GroupAny, Op::GroupEqual, Op::GroupBallot];
const SHUFFLES: [Op; 4] = [
    Op::ShuffleUp,
    Op::ShuffleDown,
    Op::ShuffleXor,
    Op::ShuffleIndex,
];
const QUADS: [Op; 6] = [
    Op::Quad0,
    Op::Quad1,
    Op::Quad2,
    Op::Quad3,
    Op::QuadX,
    Op::QuadY,
];

fn options(subgroups: Subgroups) -> Options {
    Options {
        device: DeviceFeatures {
            subgroups,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    }
}

/// All operations, in a branch and outside, and the inputs made of the invocation number.
fn program(ops: &[Op]) -> Program {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::TexCoord(1));
    let cc = m.cc();
    let words = m.temp();
    let updated = Dst {
        cc: Some(cc),
        ..d(words, "xyzw")
    };
    m.f(Op::Mov, updated, &[input]);
    for semantic in [Semantic::ThreadId, Semantic::ThreadGtMask, Semantic::WarpId] {
        let number = m.input(semantic);
        m.op(
            Op::Add,
            Type::U32,
            d(color, "xyzw"),
            &[r(color, "xyzw"), number],
        );
    }
    for &op in ops {
        let sources = [r(words, "xyzw"), r(words, "y"), r(words, "z")];
        let sources = &sources[..op.info().sources.unwrap_or(0) as usize];
        let t = m.temp();
        m.op(op, Type::F32, d(t, "xyw"), sources);
        m.op(
            Op::Add,
            Type::U32,
            d(color, "xyzw"),
            &[r(color, "xyzw"), r(t, "xyzw")],
        );
        m.if_(any(cc, CondTest::Gt, "xyzw"), |m| {
            m.op(op, Type::F32, d(t, "yz"), sources);
            m.op(
                Op::Add,
                Type::U32,
                d(color, "xyzw"),
                &[r(color, "xyzw"), r(t, "xyzw")],
            );
        });
    }
    m.finish()
}

#[test]
fn groups_of_more_than_32_are_split() {
    let ops = [&TESTS[..], &SHUFFLES, &QUADS].concat();
    let large = Subgroups {
        size: 64,
        ..Subgroups::default()
    };
    for target in 0..3 {
        check_one(&program(&ops), &options(large), target);
        check_one(&program(&ops), &options(Subgroups::default()), target);
    }
}

/// NV_gpu_program5 section 2.X.8.Z: TGALL is true if the mask of what holds is that of the active invocations, TGANY if it is not 0,
/// TGEQ if it is either of these, so that a split subgroup compares its masks.
#[test]
fn votes_of_a_split_group_compare_masks() {
    let large = Subgroups {
        size: 64,
        ..Subgroups::default()
    };
    for (op, equal, unequal, either) in [
        (Op::GroupAll, 1, 0, 0),
        (Op::GroupAny, 0, 1, 0),
        (Op::GroupEqual, 2, 0, 1),
    ] {
        let mut m = Make::new(Stage::Fragment);
        let (color, input) = (m.color(), m.input(Semantic::TexCoord(1)));
        let t = m.temp();
        m.f(Op::Mov, d(t, "x"), &[input]);
        m.f(op, d(color, "x"), &[r(t, "x")]);
        let module = emit(&m.finish(), &options(large)).unwrap();
        let text = disassemble(&module.words);
        let found = ["OpIEqual", "OpINotEqual", "OpLogicalOr"].map(|it| count(&text, it));
        assert_eq!(found, [equal, unequal, either], "{op:?}\n{text}");
    }
}

/// The input of each number is the built-in of SPV_NV_shader_sm_builtins, or 0 on devices that have none.
#[test]
fn warps_and_multiprocessors_have_built_ins() {
    for (semantic, builtin) in [(Semantic::WarpId, "WarpIDNV"), (Semantic::SmId, "SMIDNV")] {
        let mut m = Make::new(Stage::Fragment);
        let (color, number) = (m.color(), m.input(semantic));
        m.op(Op::Mov, Type::U32, d(color, "xyzw"), &[number]);
        let program = m.finish();
        for sm_builtins in [true, false] {
            let options = Options {
                device: DeviceFeatures {
                    sm_builtins,
                    ..DeviceFeatures::default()
                },
                ..Options::default()
            };
            let text = disassemble(&emit(&program, &options).unwrap().words);
            assert_eq!(count(&text, builtin), usize::from(sm_builtins), "{text}");
        }
    }
}

#[test]
fn missing_operations_are_named() {
    let all = Subgroups::default();
    let lacks_stage = Subgroups {
        stages: [true, true, true, true, false, true],
        ..all
    };
    let cases = [
        (
            &TESTS[..3],
            Subgroups { vote: false, ..all },
            "subgroupVote",
            "subgroup votes in fragment programs",
        ),
        (
            &TESTS[3..],
            Subgroups {
                ballot: false,
                ..all
            },
            "subgroupBallot",
            "subgroup ballots in fragment programs",
        ),
        (
            &SHUFFLES[..],
            Subgroups {
                shuffle: false,
                ..all
            },
            "subgroupShuffle",
            "subgroup shuffles in fragment programs",
        ),
        (
            &QUADS[..],
            Subgroups { quad: false, ..all },
            "subgroupQuad",
            "subgroup quad operations in fragment programs",
        ),
        (
            &[],
            lacks_stage,
            "subgroups",
            "subgroups in fragment programs",
        ),
    ];
    for (ops, subgroups, feature, expected) in cases {
        let mut program = program(ops);
        let span = Span::new(7, 12);
        program.insts.iter_mut().for_each(|inst| inst.span = span);
        let error = emit(&program, &options(subgroups)).unwrap_err();
        assert_eq!(error.span, Some(span));
        assert_eq!(error.kind, ErrorKind::MissingFeature(feature));
        assert!(error.message.ends_with(expected), "{}", error.message);
    }
}
