//! Random programs give valid modules, of a size that is linear in the program.

use crate::support::*;
use glasm_codegen::options::{DeviceFeatures, Target};
use glasm_codegen::{Emitter, Options};
use glasm_ir::Stage;
use glasm_ir::testgen::{self, GenerateOptions};

fn options(seed: u64, target: Target) -> Options {
    Options {
        target,
        device: DeviceFeatures {
            int64: !seed.is_multiple_of(4),
            demote_to_helper_invocation: seed.is_multiple_of(2),
            ..DeviceFeatures::default()
        },
        zero_wins_multiply: seed.is_multiple_of(5),
        ..Options::default()
    }
}

#[test]
fn random_programs_are_valid() {
    let mut emitter = Emitter::new();
    let mut words = Vec::new();
    for seed in 0..240u64 {
        let stage = [Stage::Vertex, Stage::Fragment, Stage::Compute][seed as usize % 3];
        let size = [10, 40, 150, 400][seed as usize / 3 % 4];
        let program = testgen::generate_program(
            seed,
            &GenerateOptions {
                int64: seed.is_multiple_of(4),
                ..GenerateOptions::new(stage, size)
            },
        );
        let (target, environment) = TARGETS[seed as usize / 7 % 3];
        emitter
            .emit_into(&program, &options(seed, target), None, &mut words)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        validate(&words, environment);
    }
}

#[test]
fn random_programs_of_vertices_are_valid() {
    for seed in 0..60u64 {
        let stage = [Stage::TessEval, Stage::Geometry][seed as usize % 2];
        let program = testgen::generate_program(seed, &GenerateOptions::new(stage, 60));
        let (target, environment) = TARGETS[seed as usize / 7 % 3];
        let options = options(seed, target);
        let module = glasm_codegen::emit(&program, &options);
        let module = module.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        validate(&module.words, environment);
    }
}

#[test]
fn the_same_program_gives_the_same_words() {
    let mut emitter = Emitter::new();
    for seed in 0..20 {
        let program = testgen::generate_program(seed, &GenerateOptions::new(Stage::Fragment, 100));
        let mut words = Vec::new();
        emitter
            .emit_into(&program, &Options::default(), None, &mut words)
            .unwrap();
        let fresh = glasm_codegen::emit(&program, &Options::default()).unwrap();
        assert_eq!(words, fresh.words, "seed {seed}");
    }
}
