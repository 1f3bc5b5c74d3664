//! Tests of the guarantees for generated programs.

use super::*;
use crate::interp::Interpreter;
use crate::{parse, print, verify};

fn list_all_options() -> Vec<GenerateOptions> {
    let stages = [
        Stage::Vertex,
        Stage::Fragment,
        Stage::Compute,
        Stage::TessControl,
        Stage::TessEval,
        Stage::Geometry,
    ];
    let plain = stages.map(|stage| GenerateOptions::new(stage, 60));
    let mut all = plain.to_vec();
    all.extend(plain.map(|options| GenerateOptions {
        int64: true,
        max_insts: 200,
        ..options
    }));
    all.push(GenerateOptions {
        float: false,
        arrays: false,
        calls: false,
        ..plain[0]
    });
    all.push(GenerateOptions {
        branches: false,
        loops: false,
        switches: false,
        conditions: false,
        ..plain[1]
    });
    all
}

#[test]
fn programs_verify_and_end() {
    for options in list_all_options() {
        for seed in 0..100 {
            let program = generate_program(seed, &options);
            assert_eq!(verify(&program), Ok(()), "seed {seed}\n{program}");
            let interpreter = Interpreter::new(&program).unwrap();
            let outcome = interpreter.run_main(&mut generate_environment(seed, &program));
            assert!(outcome.is_ok(), "seed {seed} does not end");
        }
    }
}

#[test]
fn text_form_reads_back() {
    for options in list_all_options() {
        for seed in 0..100 {
            let program = generate_program(seed, &options);
            let text = print(&program);
            let read = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(print(&read), text, "seed {seed}");
            assert_eq!(verify(&read), Ok(()), "seed {seed}");
            let result = |program: &Program| {
                let mut environment = generate_environment(seed, program);
                let outcome = Interpreter::new(program)
                    .unwrap()
                    .run_main(&mut environment)
                    .unwrap();
                (outcome, environment.memory)
            };
            assert_eq!(result(&program), result(&read), "seed {seed}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_program() {
    let options = GenerateOptions::new(Stage::Fragment, 50);
    assert_eq!(generate_program(7, &options), generate_program(7, &options));
    assert_ne!(generate_program(7, &options), generate_program(8, &options));
}

#[test]
fn results_depend_on_parameters() {
    for stage in [Stage::Vertex, Stage::Fragment, Stage::Compute] {
        for seed in 0..50 {
            let program = generate_program(seed, &GenerateOptions::new(stage, 50));
            let run =
                |seed| compute_expected(&program, &generate_environment(seed, &program)).unwrap();
            assert_ne!(run(1), run(2), "{stage:?} {seed}");
            assert_eq!(run(1), run(1));
        }
    }
}

/// Checks that the second invocation of a compute program stores after the first.
#[test]
fn invocations_store_side_by_side() {
    let program = generate_program(1, &GenerateOptions::new(Stage::Compute, 20));
    let mut environment = generate_environment(1, &program);
    environment.memory.regions[0]
        .bytes
        .resize(2 * RESULT_BYTES as usize, 0);
    environment.inputs[0][0] = 1;
    let results = compute_expected(&program, &environment).unwrap();
    Interpreter::new(&program)
        .unwrap()
        .run_main(&mut environment)
        .unwrap();
    let (first, second) = environment.memory.regions[0]
        .bytes
        .split_at(RESULT_BYTES as usize);
    assert!(first.iter().all(|&byte| byte == 0));
    assert_eq!(second[..4], results[0][0].to_le_bytes());
}

/// Checks that the float registers hold multiples of 1/16 between -64 and 64 when the program ends.
#[test]
fn floats_stay_exact() {
    for seed in 0..100 {
        let options = GenerateOptions {
            stage: Stage::Vertex,
            ..GenerateOptions::new(Stage::Vertex, 150)
        };
        let mut program = generate_program(seed, &options);
        let first = 4;
        for register in first..first + 3 {
            let register = RegisterId::new(register);
            let output = program.outputs.push(Output::new(Semantic::GenericVarying(
                10 + register.index() as u8,
            )));
            program.registers[register].storage = Storage::Output(output);
        }
        let outcome = Interpreter::new(&program)
            .unwrap()
            .run_main(&mut generate_environment(seed, &program))
            .unwrap();
        for bits in outcome.outputs.iter().skip(RESULT_COUNT).flatten() {
            let value = f32::from_bits(*bits as u32);
            assert!(
                value.abs() <= 64.0 && (value * 16.0).fract() == 0.0,
                "seed {seed}: {value}"
            );
        }
    }
}

/// Returns true if `text` occurs in the programs of the first seeds.
fn is_generated(options: &GenerateOptions, text: &str) -> bool {
    (0..60).any(|seed| print(&generate_program(seed, options)).contains(text))
}

#[test]
fn options_choose_what_occurs() {
    let all = GenerateOptions {
        int64: true,
        ..GenerateOptions::new(Stage::Compute, 120)
    };
    let constructs = [
        "loop {",
        "continuing {",
        "switch ",
        "if ",
        "} else {",
        "call ",
        "return",
        "break",
        "continue",
        ".u64",
        ".f32",
        "if(",
        ", cc",
        "mad.s32",
        "bfi",
        ".sat",
        ".precise",
        " of 6]",
        "store",
    ];
    for text in constructs {
        assert!(is_generated(&all, text), "no `{text}`");
    }
    let less = GenerateOptions {
        loops: false,
        switches: false,
        calls: false,
        conditions: false,
        int64: false,
        float: false,
        ..GenerateOptions::new(Stage::Vertex, 120)
    };
    for text in [
        "loop {",
        "switch ",
        "call ",
        "cc14.",
        "add.u64",
        "floor.f32",
    ] {
        assert!(!is_generated(&less, text), "`{text}`");
    }
}

/// Checks that no invocation emits more vertices than its program declares, and that every kind of
/// primitive occurs.
#[test]
fn geometry_programs_emit_what_they_may() {
    let mut kinds = std::collections::BTreeMap::new();
    let mut streams = 0;
    for seed in 0..100 {
        let program = generate_program(seed, &GenerateOptions::new(Stage::Geometry, 40));
        let mut environment = generate_environment(seed, &program);
        let interpreter = Interpreter::new(&program).unwrap();
        let emitted = interpreter.run_primitive(&mut environment).unwrap();
        let modes = program.modes;
        let vertices = emitted
            .streams
            .iter()
            .flatten()
            .map(Vec::len)
            .sum::<usize>();
        let most = modes.vertices_out * modes.invocations.max(1);
        assert!(vertices as u32 <= most, "seed {seed}");
        streams += usize::from(emitted.streams[1..].iter().any(|strips| !strips.is_empty()));
        *kinds
            .entry(format!("{:?}", modes.primitive_out))
            .or_insert(0) += vertices;
        assert!(print(&program).contains("emit.s32"), "seed {seed}");
    }
    assert_eq!(kinds.len(), 3);
    assert!(kinds.values().all(|&vertices| vertices > 40), "{kinds:?}");
    assert!(streams > 5, "{streams}");
}

#[test]
fn results_depend_on_vertices() {
    for stage in [Stage::TessEval, Stage::Geometry] {
        let mut same = 0;
        for seed in 0..50 {
            let program = generate_program(seed, &GenerateOptions::new(stage, 50));
            let mut first = generate_environment(seed, &program);
            let mut second = first.clone();
            let lanes = second.vertices.iter_mut().flatten().flatten();
            lanes.for_each(|lane| *lane = !*lane & u64::from(u32::MAX));
            let interpreter = Interpreter::new(&program).unwrap();
            let [first, second] =
                [&mut first, &mut second].map(|it| interpreter.run_main(it).unwrap().outputs);
            same += usize::from(first == second);
        }
        assert!(same < 25, "{stage:?}: {same}");
    }
}
