//! The result of a trace, for both forms of output.

use super::comparison::Comparison;
use super::names::{format_value, name_output};
use super::recorder::{Finding, Recorder};
use super::scene::{Located, Scene};
use super::statements::{Statement, StatementBuilder};
use glasm::ir::{Stage, Type, Width};
use glasm_scripts::software::InvocationResult;

/// A trace.
pub(super) struct Trace {
    /// Statements in the order of their execution.
    pub(super) statements: Vec<Statement>,
    /// Result; `None` if the invocation exceeded the step limit.
    pub(super) result: Option<InvocationResult>,
    /// Reason why the trace is not complete.
    pub(super) end: Option<String>,
}

/// Reference to the first remarkable statement of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FirstFinding {
    /// Index of the statement.
    pub(super) statement: usize,
    /// The finding.
    pub(super) finding: Finding,
}

impl Trace {
    /// Runs an invocation and records it. `with_internal` retains statements that show nothing of
    /// the source.
    pub(super) fn run(located: &Located, max_steps: u64, with_internal: bool) -> Self {
        let invocation = &located.invocation;
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
    pub(super) fn list_first_findings(&self) -> Vec<FirstFinding> {
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
    pub(super) fn list_results(&self, stage: Stage) -> Vec<(String, Type, [u64; 4])> {
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
pub(super) fn format_lanes(ty: Type, lanes: &[u64]) -> String {
    let values: Vec<String> = lanes.iter().map(|bits| format_value(ty, *bits)).collect();
    if let [one] = &values[..] {
        one.clone()
    } else {
        format!("({})", values.join(", "))
    }
}

/// What is printed.
pub(super) struct Report<'a> {
    /// The scene.
    pub(super) scene: &'a Scene,
    /// The invocation.
    pub(super) located: &'a Located,
    /// Its trace.
    pub(super) trace: &'a Trace,
    /// Indices of the statements that are shown.
    pub(super) shown: Vec<usize>,
    /// Number of selected statements that are not shown.
    pub(super) omitted: usize,
    /// Comparison with the device.
    pub(super) comparison: Comparison,
}
