//! Comparison of the executed statements of two programs on the same inputs.

use super::format::{Style, format_statement};
use super::scene::{Located, Scene};
use glasm::ir::interp::to_f64;
use glasm_scene::trace::json as statement_json;
use glasm_scene::trace::names::NamedValue;
use glasm_scene::trace::{Flow, Statement, Trace, format_lanes};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// One of two traces.
pub(super) struct Side {
    /// The scene.
    pub(super) scene: Scene,
    /// The invocation.
    pub(super) located: Located,
    /// Its trace.
    pub(super) trace: Trace,
}

/// First difference of two traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Difference {
    /// None.
    None,
    /// Statements with different results or branches, by their indices; `None` if a run has ended.
    Statements(Option<usize>, Option<usize>),
    /// All compared statements have equal results, but the results of the programs differ.
    Results,
}

/// Returns the first difference of two runs. Statements are compared in the order of execution,
/// except that those which only one program has are passed over as long as the following ones have
/// equal results.
pub(super) fn find_difference(a: &Side, b: &Side) -> Difference {
    let (own, other) = (list_effects(&a.trace), list_effects(&b.trace));
    let (mut i, mut j) = (0, 0);
    let first = |index: usize, list: &[(usize, &Statement)]| list.get(index).map(|it| it.0);
    while i < own.len() && j < other.len() {
        let (x, y) = (own[i].1, other[j].1);
        if is_equal(x, y) {
            (i, j) = (i + 1, j + 1);
        } else if let Some((skipped, other_skipped)) = find_resumption(&own[i..], &other[j..]) {
            (i, j) = (i + skipped, j + other_skipped);
        } else {
            return Difference::Statements(first(i, &own), first(j, &other));
        }
    }
    let stage = a.located.invocation.program.ir.stage;
    let (results, other_results) = (a.trace.list_results(stage), b.trace.list_results(stage));
    let is_same = results.iter().all(|(name, ty, lanes)| {
        let mut found = other_results.iter();
        let found = found.find(|(other, ..)| other == name);
        found.is_none_or(|(_, _, other)| {
            (0..4).all(|lane| is_same_value(*ty, lanes[lane], other[lane]))
        })
    });
    if is_same {
        Difference::None
    } else if i < own.len() || j < other.len() {
        Difference::Statements(first(i, &own), first(j, &other))
    } else {
        Difference::Results
    }
}

/// Statements that one program may have in addition before the same values follow.
const MAX_ADDITIONAL: usize = 8;

/// Returns how many statements of each list to pass over so that the same values follow in both,
/// as few as possible, in only one of the lists; `None` if there are too many.
fn find_resumption(
    own: &[(usize, &Statement)],
    other: &[(usize, &Statement)],
) -> Option<(usize, usize)> {
    // A statement with the same text has another result: that is the difference.
    let (Some((_, x)), Some((_, y))) = (own.first(), other.first()) else {
        return None;
    };
    let name = |statement: &Statement| statement.results.first().map(|it| it.text.clone());
    if name(x) == name(y) {
        return None;
    }
    (1..=MAX_ADDITIONAL).find_map(|count| {
        let is_resumed = |list: &[(usize, &Statement)], wanted: &Statement| {
            list.get(count).is_some_and(|it| is_equal(it.1, wanted))
        };
        if is_resumed(own, y) {
            Some((count, 0))
        } else if is_resumed(other, x) {
            Some((0, count))
        } else {
            None
        }
    })
}

/// Returns the statements that write values or change the control flow, with their indices.
fn list_effects(trace: &Trace) -> Vec<(usize, &Statement)> {
    let statements = trace.statements.iter().enumerate();
    let has_effect = |statement: &Statement| {
        !statement.results.is_empty() || statement.flow.iter().any(|flow| is_branch(*flow))
    };
    statements.filter(|(_, it)| has_effect(it)).collect()
}

/// Returns true for changes of control flow that depend on values.
fn is_branch(flow: Flow) -> bool {
    matches!(
        flow,
        Flow::Branch(..) | Flow::Switch(_) | Flow::Iteration(_)
    )
}

/// Returns true if two statements have equal results and branches. Names of registers may differ.
fn is_equal(a: &Statement, b: &Statement) -> bool {
    let branches = |it: &Statement| -> Vec<Flow> {
        it.flow
            .iter()
            .copied()
            .filter(|flow| is_branch(*flow))
            .collect()
    };
    let is_same = |(x, y): (&NamedValue, &NamedValue)| {
        x.ty == y.ty
            && x.bits.len() == y.bits.len()
            && x.bits
                .iter()
                .zip(&y.bits)
                .all(|(p, q)| is_same_value(x.ty, *p, *q))
    };
    branches(a) == branches(b)
        && a.results.len() == b.results.len()
        && a.results.iter().zip(&b.results).all(is_same)
}

/// Returns true if two values are equal; all NaNs are.
fn is_same_value(ty: glasm::ir::Type, a: u64, b: u64) -> bool {
    a == b || ty.is_float() && to_f64(ty, a).is_nan() && to_f64(ty, b).is_nan()
}

/// Formats the first difference as text.
pub(super) fn format_difference(sides: &[Side; 2], difference: Difference, style: Style) -> String {
    let paths = sides.each_ref().map(|side| side.scene.path.display());
    match difference {
        Difference::None => format!("{} and {}: no difference\n", paths[0], paths[1]),
        Difference::Statements(a, b) => {
            let mut text = format!("{} and {}: the first difference\n", paths[0], paths[1]);
            for (side, number) in sides.iter().zip([a, b]) {
                let _ = writeln!(text, "{}:", side.scene.path.display());
                let Some(number) = number else {
                    text += "       the program has ended\n";
                    continue;
                };
                let program = &side.located.invocation.program;
                let source = side.scene.find_source(program);
                let statement = &side.trace.statements[number];
                text += &format_statement(&program.ir, &source, statement, style);
            }
            text + &format_results(sides)
        }
        Difference::Results => {
            let text = format!("{} and {}: the results differ\n", paths[0], paths[1]);
            text + &format_results(sides)
        }
    }
}

/// Formats the results of both programs.
fn format_results(sides: &[Side; 2]) -> String {
    let mut text = String::new();
    for side in sides {
        let stage = side.located.invocation.program.ir.stage;
        for (name, ty, lanes) in side.trace.list_results(stage) {
            let path = side.scene.path.display();
            let _ = writeln!(text, "{path}: {name} = {}", format_lanes(ty, &lanes));
        }
    }
    text
}

/// Returns the JSON form of the first difference.
pub(super) fn format_difference_json(sides: &[Side; 2], difference: Difference) -> Value {
    let kind = match difference {
        Difference::None => "none",
        Difference::Statements(..) => "statement",
        Difference::Results => "results",
    };
    let numbers = match difference {
        Difference::Statements(a, b) => [a, b],
        Difference::None | Difference::Results => [None, None],
    };
    let described = sides.iter().zip(numbers).map(|(side, number)| {
        let program = &side.located.invocation.program;
        let source = side.scene.find_source(program);
        let statement = number.map(|number| {
            let statement = &side.trace.statements[number];
            statement_json::format_statement(&program.ir, &source, statement, number, true)
        });
        json!({
            "file": side.scene.path.display().to_string(),
            "statement": statement,
        })
    });
    json!({ "difference": kind, "sides": described.collect::<Vec<_>>() })
}
