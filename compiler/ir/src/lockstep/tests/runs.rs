//! Runs of programs in lock step, and of the lowered programs in other orders.

use super::build_text;
use crate::interp::{Environment, Interpreter, PatchOutputs};
use crate::program::Program;
use crate::testgen::generator::Random;
use crate::{lockstep, parse, verify};

/// Runs a program in a random order.
fn run_patch(program: &Program, environment: &Environment, order: u64) -> PatchOutputs {
    let interpreter = Interpreter::new(program).unwrap();
    let mut random = Random::new(order);
    // Some orders let one invocation run ahead as far as possible.
    let keep_chance = random.draw_below(100);
    let mut last = 0;
    let mut schedule = move |count: usize| {
        if random.draw_below(100) >= keep_chance {
            last = random.draw_below(count);
        }
        last
    };
    let run = interpreter.run_patch(&mut environment.clone(), &mut schedule);
    run.unwrap_or_else(|error| panic!("{error}\n{program}"))
}

/// Checks that `lowered` has the results in some orders that `program` has in lock step.
pub(super) fn check_orders(
    program: &Program,
    lowered: &Program,
    environment: &Environment,
    orders: u64,
) {
    let expected = run_patch(program, environment, 0);
    let known = program.outputs.len();
    for order in 0..orders {
        let mut found = run_patch(lowered, environment, order);
        let what = || format!("order {order}\n{program}\n{lowered}");
        assert!(!found.has_divergent_barrier, "parted, {}", what());
        let vertices = found.vertices.iter_mut();
        vertices.for_each(|outputs| outputs.truncate(known));
        found.outputs.truncate(known);
        assert_eq!(found.outputs, expected.outputs, "{}", what());
        assert_eq!(found.vertices, expected.vertices, "{}", what());
    }
}

/// Checks the results of a program for random parameters whose lanes are 0 or 1.
pub(super) fn check_runs(text: &str) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(verify(&program), Ok(()), "{text}");
    let lowered = lockstep::lower(&program).unwrap_or_else(|| {
        let mut alone = program.clone();
        alone.modes.lockstep = false;
        alone
    });
    assert_eq!(verify(&lowered), Ok(()), "{lowered}");
    for bits in 0..16_u32 {
        let vertex = |number: u64| vec![[0; 4], [number % 2; 4]];
        let environment = Environment {
            params: vec![std::array::from_fn(|lane| bits >> lane & 1)],
            vertices: (0..3).map(vertex).collect(),
            ..Environment::default()
        };
        check_orders(&program, &lowered, &environment, 12);
    }
}

/// Checks the results of a main routine.
pub(super) fn check_body_runs(body: &str) {
    check_runs(&build_text(body));
}
