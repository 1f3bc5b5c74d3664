//! Running ARB programs in the interpreter.

use glasm_frontend::{Source, translate};
use glasm_ir::interp::{Environment, Interpreter};
use glasm_ir::{ParamSource, Semantic};

/// Runs a program; the lanes of `semantic`. Attributes are (1, -2, 0.5, 4), parameter n of the local ones is
/// (n, n + 0.25, n + 0.5, n + 0.75).
#[track_caller]
pub(crate) fn run(text: &str, semantic: Semantic) -> [f32; 4] {
    let (program, diagnostics) = translate(&Source::new("test", text));
    let Some(program) = program else {
        panic!("{text}\n{:#?}", diagnostics.list)
    };
    let interpreter = match Interpreter::new(&program) {
        Ok(interpreter) => interpreter,
        Err(errors) => panic!("{text}\n{program}\n{errors:#?}"),
    };
    let mut environment = Environment::default();
    for _ in program.inputs.iter() {
        let lanes = [1.0f32, -2.0, 0.5, 4.0].map(|x| u64::from(x.to_bits()));
        environment.inputs.push(lanes);
    }
    for param in program.params.iter() {
        environment.params.push(match param.source {
            ParamSource::Local(n) => {
                [0.0, 0.25, 0.5, 0.75].map(|lane: f32| (n as f32 + lane).to_bits())
            }
            ParamSource::Literal(bits) => bits,
            ParamSource::Env(_)
            | ParamSource::State(_)
            | ParamSource::Subroutine(_)
            | ParamSource::Named(_)
            | ParamSource::Argument => [0; 4],
        });
    }
    let outcome = interpreter
        .run_main(&mut environment)
        .expect("the program ends");
    let output = program
        .outputs
        .iter()
        .position(|output| output.semantic == semantic)
        .expect("a result");
    outcome.outputs[output].map(|bits| f32::from_bits(bits as u32))
}

#[track_caller]
pub(crate) fn close(text: &str, found: [f32; 4], expected: [f32; 4]) {
    let close = |(found, expected): (&f32, &f32)| {
        found.to_bits() == expected.to_bits()
            || found.is_nan() && expected.is_nan()
            || (found - expected).abs() <= expected.abs() * 2e-6
    };
    assert!(
        found.iter().zip(&expected).all(close),
        "{text}: {found:?}, expected {expected:?}"
    );
}
