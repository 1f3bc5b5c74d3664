//! Tests of the interpreter. Expected values are computed by hand from the specification.

mod alu;
mod convert;
mod flags;
mod flow;
mod memory;
mod observer;
mod primitive;
mod quad;
mod scheduler;

use super::machine::Machine;
use super::*;
use crate::program::{Program, RegisterId};
use crate::verify::verify;
use crate::{Id, parse};

/// The registers that the bodies of tests use.
const DECLARATIONS: &str = "\
program fragment
r0: output32 out0
r1: temp32
r2: temp32
cc3: cond32
cc4: cond32
r5: temp64
r6: temp32[3]
r7: output64 out1
r8: temp16
p0: env[0]
p1: env[1]
p2: env[2]
in0: generic[0] unsigned
in1: helper_invocation signed
out0: frag_color[0][0] unsigned
out1: frag_color[1][0] unsigned
tex0: unit 3 2d shadow f32
buf0: storage 0
buf1: storage 1[2]
";

fn parse_program(body: &str) -> Program {
    let text = format!("{DECLARATIONS}routine fn0 {{\n{body}\n}}\nmain fn0\n");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run_in<T: TextureSource>(environment: &mut Environment<T>, body: &str) -> RunResult {
    let program = parse_program(body);
    let interpreter = Interpreter::new(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    interpreter.run_main(environment).unwrap()
}

/// Returns the lanes of output 0 after a body.
fn run_body(body: &str) -> [u32; 4] {
    run_in(&mut Environment::default(), body).outputs[0].map(|lane| lane as u32)
}

/// Returns the 32-bit result of an operation.
fn eval_operation(operation: &str) -> u32 {
    run_body(&format!("r0.xyzw = {operation}"))[0]
}

/// Returns the 64-bit result of an operation.
fn eval_operation64(operation: &str) -> u64 {
    run_in(
        &mut Environment::default(),
        &format!("r7.xyzw = {operation}"),
    )
    .outputs[1][0]
}

/// Returns the 16-bit result of an operation.
fn eval_operation16(operation: &str) -> u32 {
    run_body(&format!(
        "r8.xyzw = {operation}\nr0.xyzw = cvt.u32 (u16 even) r8.xyzw"
    ))[0]
}

/// Checks 32-bit results.
fn check(cases: &[(&str, u32)]) {
    for &(operation, expected) in cases {
        let found = eval_operation(operation);
        assert_eq!(
            found, expected,
            "{operation}: {found:#x} is not {expected:#x}"
        );
    }
}

/// Checks 32-bit float results.
fn check_floats(cases: &[(&str, f32)]) {
    for &(operation, expected) in cases {
        let found = f32::from_bits(eval_operation(operation));
        let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        assert!(same, "{operation}: {found:?} is not {expected:?}");
    }
}
