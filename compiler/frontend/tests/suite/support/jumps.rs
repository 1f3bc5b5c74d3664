//! Conditions and labels of random programs with branches, and the results of their translations.

use glasm_frontend::{Source, translate};
use glasm_ir::interp::{Environment, Interpreter};
use glasm_ir::{Output, ParamSource, Program, Semantic};

/// The condition of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cond {
    Always,
    Less,
    Greater,
    Equal,
    Never,
}

impl Cond {
    /// Returns the text after the opcode and its label.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Always => "",
            Self::Less => " (LT.x)",
            Self::Greater => " (GT.x)",
            Self::Equal => " (EQ.x)",
            Self::Never => " (FL)",
        }
    }

    /// Whether the jump is taken if this number has set the condition code.
    pub(crate) fn holds(self, code: f32) -> bool {
        match self {
            Self::Always => true,
            Self::Less => code < 0.0,
            Self::Greater => code > 0.0,
            Self::Equal => code == 0.0,
            Self::Never => false,
        }
    }
}

/// A label; label 0 is sometimes `main`.
pub(crate) fn label(number: usize, main: bool) -> String {
    if number == 0 && main {
        "main".to_owned()
    } else {
        format!("L{number}")
    }
}

/// Translates a program that ends after a number of steps, and returns what [`interpret_ir`] does.
pub(crate) fn run_translation(
    text: &str,
    step_limit: u32,
    parameter: impl Fn(ParamSource) -> [u32; 4],
) -> f32 {
    let (program, diagnostics) = translate(&Source {
        step_limit: Some(step_limit),
        ..Source::new("test", text)
    });
    let Some(program) = program else {
        panic!("{text}\n{:#?}", diagnostics.list)
    };
    interpret_ir(&program, text, parameter)
}

/// Runs a translated program with inputs of 0, and returns lane x of texture coordinate 0.
/// `parameter` returns the values of parameters.
pub(crate) fn interpret_ir(
    program: &Program,
    text: &str,
    parameter: impl Fn(ParamSource) -> [u32; 4],
) -> f32 {
    let mut interpreter = match Interpreter::new(program) {
        Ok(interpreter) => interpreter,
        Err(errors) => panic!("{text}\n{program}\n{errors:#?}"),
    };
    interpreter.step_limit = 20_000_000;
    let mut environment = Environment::default();
    environment.inputs.resize(program.inputs.len(), [0; 4]);
    let params = program.params.iter();
    environment.params = params.map(|param| parameter(param.source)).collect();
    let outcome = interpreter
        .run_main(&mut environment)
        .unwrap_or_else(|limit| panic!("{text}\n{program}\n{limit}"));
    let is_result = |output: &Output| output.semantic == Semantic::TexCoord(0);
    let output = program.outputs.iter().position(is_result);
    output.map_or(0.0, |output| {
        f32::from_bits(outcome.outputs[output][0] as u32)
    })
}

#[test]
fn a_number_is_less_greater_or_equal() {
    let conds = [
        Cond::Always,
        Cond::Less,
        Cond::Greater,
        Cond::Equal,
        Cond::Never,
    ];
    for code in [-0.5, 0.0, 0.5] {
        // Always, and one of the three that compare.
        assert_eq!(conds.iter().filter(|cond| cond.holds(code)).count(), 2);
    }
}
