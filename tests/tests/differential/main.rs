//! Random programs on a Vulkan device against the interpreter: code generation and driver on one side, the meaning of each
//! operation as the IR defines it on the other. Results must be equal to the bit.

mod primitives;

use glasm::ir::interp::Environment;
use glasm::ir::testgen::{self, GenerateOptions, RESULT_BYTES, RESULT_COUNT};
use glasm::ir::{Id, OutputId, Program, Stage, Storage};
use glasm_tests::skip::skip;
use glasm_vkrunner::{Outcome, RunOptions, Runner};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Drivers that compile for a CPU take seconds for the larger programs when nothing is cached.
const TIMEOUT: Duration = Duration::from_secs(120);

fn words(values: &[u32]) -> String {
    values.iter().map(|value| format!("{value:#x} ")).collect()
}

fn parameters(bank: &str, environment: &Environment, first: usize) -> String {
    let slots = environment.params.iter().enumerate().skip(first);
    slots.fold(String::new(), |mut text, (slot, value)| {
        let [x, y, z, w] = value;
        let _ = writeln!(
            text,
            "parameter local_{bank} {slot} uint ({x:#x}, {y:#x}, {z:#x}, {w:#x})"
        );
        text
    })
}

/// Leaves `kept` as the only result, in place of the first: scripts draw to one attachment.
fn keep_result(program: &mut Program, kept: usize) {
    let (kept, first) = (OutputId::new(kept), OutputId::new(0));
    let (of_kept, of_first) = (
        program.outputs[kept].semantic,
        program.outputs[first].semantic,
    );
    program.outputs[first].semantic = of_kept;
    program.outputs[kept].semantic = of_first;
    for id in program.registers.ids() {
        let register = &mut program.registers[id];
        let is_other = |output: OutputId| output != kept && output.index() < RESULT_COUNT;
        if matches!(register.storage, Storage::Output(output) if is_other(output)) {
            register.storage = Storage::Temp;
        }
    }
}

fn fragment_script(program: &Program, environment: &Environment, result: &[u32; 4]) -> String {
    let [x, y] = [0, 1].map(|lane| f32::from_bits(environment.inputs[0][lane] as u32).floor());
    format!(
        "[require]\nfbsize 64 64\nframebuffer R32G32B32A32_UINT\n[vertex program passthrough]\n\
         [fragment program ir]\n{program}\n[test]\n{}draw rect -1 -1 2 2\ntolerance 0\nprobe rgba {x} {y} {}\n",
        parameters("fp", environment, 0),
        words(result),
    )
}

fn compute_script(program: &Program, environment: &Environment, results: &[[u32; 4]; 3]) -> String {
    format!(
        "[require]\nbufferDeviceAddress\nshaderInt64\n[compute program ir]\n{program}\n[test]\nbuffer results size {RESULT_BYTES}\n\
         parameter local_cp 0 address results\n{}compute 1 1 1\nprobe buffer results uint 0 == {}\n",
        parameters("cp", environment, 1),
        words(results.as_flattened()),
    )
}

fn script(seed: u64, options: &GenerateOptions) -> String {
    let mut program = testgen::generate_program(seed, options);
    let environment = testgen::generate_environment(seed, &program);
    let results = |program: &Program| {
        testgen::compute_expected(program, &environment).expect("generated programs end")
    };
    match options.stage {
        Stage::Fragment => {
            let results = results(&program);
            let kept = seed as usize % results.len();
            keep_result(&mut program, kept);
            fragment_script(&program, &environment, &results[kept])
        }
        Stage::Compute => compute_script(&program, &environment, &results(&program)),
        Stage::TessEval => primitives::eval_script(seed, program, environment),
        Stage::Geometry => primitives::geometry_script(&program, environment),
        Stage::Vertex | Stage::TessControl => unreachable!("no such programs are asked for"),
    }
}

/// The seeds whose results differ, with the reports. Skips (with a message) where there is no Vulkan device.
fn disagreements(name: &str, count: u64, options: &GenerateOptions) -> Vec<String> {
    let runner = match Runner::new(&RunOptions {
        timeout: TIMEOUT,
        ..RunOptions::default()
    }) {
        Ok(runner) => runner,
        Err(error) => {
            skip(error);
            return Vec::new();
        }
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("differential");
    std::fs::create_dir_all(&folder).expect("the folder for test files can be made");
    let mut found = Vec::new();
    for seed in 0..count {
        let path = folder.join(format!("{name}_{seed}.shader_test"));
        std::fs::write(&path, script(seed, options)).expect("test files can be written");
        let report = runner.run_file(&path);
        match report.outcome {
            Outcome::Pass => {}
            Outcome::Fail => found.push(format!("{}: {:#?}", report.name, report.failures)),
            Outcome::Skip(reason) => skip(reason),
        }
    }
    found
}

fn agree(name: &str, count: u64, options: &GenerateOptions) {
    let found = disagreements(name, count, options);
    assert!(
        found.is_empty(),
        "{} of {count} programs differ:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn fragment_programs() {
    agree("fragment", 60, &GenerateOptions::new(Stage::Fragment, 60));
}

#[test]
fn large_fragment_programs() {
    agree("large", 10, &GenerateOptions::new(Stage::Fragment, 150));
}

#[test]
fn compute_programs_with_64_bit_integers() {
    let options = GenerateOptions {
        int64: true,
        ..GenerateOptions::new(Stage::Compute, 80)
    };
    agree("compute", 60, &options);
}

#[test]
fn tessellation_evaluation_programs() {
    agree("tess_eval", 30, &GenerateOptions::new(Stage::TessEval, 40));
}

#[test]
fn geometry_programs() {
    agree("geometry", 200, &GenerateOptions::new(Stage::Geometry, 40));
}
