//! Traces: runs of an invocation in the interpreter, statement by statement.
//!
//! `recorder` observes the run; `statements` combines instructions of the IR to statements of the
//! source; `names` has the names and values that are shown; `lines` finds statements in the source;
//! `json` formats statements for tools.

pub mod json;
mod lines;
pub mod names;
mod recorder;
mod statements;

pub use lines::SourceLines;
pub use recorder::{Finding, InstructionRecord};
pub use statements::{Flow, Statement};

use glasm::ir::{Program, Stage, Type, Width};
use glasm_scripts::software::{InvocationResult, TracedInvocation};
use names::{format_tested_codes, format_value, name_output};
use recorder::Recorder;
use statements::StatementBuilder;

/// A trace.
pub struct Trace {
    /// Statements in the order of their execution.
    pub statements: Vec<Statement>,
    /// Result; `None` if the invocation exceeded the step limit.
    pub result: Option<InvocationResult>,
    /// Reason why the trace is not complete.
    pub end: Option<String>,
}

/// Reference to the first remarkable statement of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstFinding {
    /// Index of the statement.
    pub statement: usize,
    /// The finding.
    pub finding: Finding,
}

impl Trace {
    /// Runs an invocation and records it. `with_internal` retains statements that show nothing of
    /// the source.
    pub fn run(invocation: &TracedInvocation, max_steps: u64, with_internal: bool) -> Self {
        let program = &invocation.program.ir;
        let mut recorder = Recorder::new(program, invocation.index);
        let result = invocation.run(max_steps, &mut recorder);
        let mut statements = StatementBuilder::collect(program, &recorder.events);
        if !with_internal {
            statements.retain(|statement| !statement.is_internal(program));
        }
        let end = match &result {
            Err(error) => Some(format!("{error}; --max-steps sets the limit")),
            Ok(_) if recorder.is_truncated => {
                Some("the trace ends here: the run is too long".to_owned())
            }
            Ok(_) => None,
        };
        Self {
            statements,
            result: result.ok(),
            end,
        }
    }

    /// Returns the first finding of each kind, in the order of the statements.
    pub fn list_first_findings(&self) -> Vec<FirstFinding> {
        let mut found: Vec<FirstFinding> = Vec::new();
        for (number, statement) in self.statements.iter().enumerate() {
            for finding in &statement.findings {
                let is_same = |known: &FirstFinding| {
                    known.finding.is_not_finite() && finding.is_not_finite()
                        || known.finding.word() == finding.word()
                };
                if !found.iter().any(is_same) {
                    found.push(FirstFinding {
                        statement: number,
                        finding: *finding,
                    });
                }
            }
        }
        found
    }

    /// Returns the results of the program with their names and values in words.
    pub fn list_results(&self, stage: Stage) -> Vec<(String, Type, [u64; 4])> {
        let outputs = self.result.iter().flat_map(|result| &result.outputs);
        outputs
            .map(|(semantic, base, lanes)| {
                let ty = Type::from_base(*base, Width::W32);
                (name_output(*semantic, stage), ty, *lanes)
            })
            .collect()
    }
}

/// Formats four lanes of a type.
pub fn format_lanes(ty: Type, lanes: &[u64]) -> String {
    let values: Vec<String> = lanes.iter().map(|bits| format_value(ty, *bits)).collect();
    if let [one] = &values[..] {
        one.clone()
    } else {
        format!("({})", values.join(", "))
    }
}

/// Formats a change of control flow.
pub fn format_flow(program: &Program, flow: Flow) -> String {
    match flow {
        Flow::Branch(is_taken, codes) => {
            let result = if is_taken { "taken" } else { "not taken" };
            let codes = codes.map(|codes| format!(" [{}]", format_tested_codes(&codes)));
            format!("{result}{}", codes.unwrap_or_default())
        }
        Flow::Iteration(number) => format!("iteration {number}"),
        Flow::Switch(value) => format!("case {value}"),
        Flow::Break => "the loop ends".to_owned(),
        Flow::Continue => "next iteration".to_owned(),
        Flow::Call(routine) => {
            let routine = program.routines.as_slice().get(routine);
            let name = routine.and_then(|routine| routine.name);
            let name = name.map_or("a routine", |name| program.names.get(name));
            format!("calls {name}")
        }
        Flow::Return => "returns".to_owned(),
    }
}
