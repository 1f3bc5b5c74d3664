//! Text to IR, statement by statement: `syntax` reads one, `rules` make a line of it, `lower` appends the line to the program.

use crate::kept::Scratch;
use crate::lower::Translation;
use crate::report::Reports;
use crate::rules::{Checker, RuleMemory, Statement};
use crate::start::Start;
use crate::whole;
use glasm_ir::Program;

/// When lines become IR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lowering {
    /// There was no instruction yet.
    Undecided,
    AtOnce,
    /// At the end: earlier lines may depend on later ones.
    AtEnd,
}

/// Reads, checks and translates a program. Without an error the result is the program; all errors are reported.
pub(crate) fn translate(
    start: Start<'_>,
    step_limit: Option<u32>,
    scratch: &mut Scratch,
) -> (Option<Program>, Reports) {
    let Scratch {
        rules,
        lowering: tables,
        tgsi: _,
        program: memory,
    } = scratch;
    let bytes = start.text.len();
    let mut translation =
        Translation::new(start.dialect, bytes, step_limit, (tables, &mut *memory));
    let mut checker = Checker::new(start, rules);
    let mut lowering = Lowering::Undecided;
    while let Some(statement) = checker.next_statement() {
        // Nothing behind an error is translated: there will be no program.
        // Errors are counted, not returned: the rest of the text is read for further ones.
        if checker.has_errors() {
            checker.forget_lines();
            continue;
        }
        // Declarations before the first instruction are lowered with it, so nothing is lost by waiting.
        if lowering == Lowering::Undecided && statement != Statement::Other {
            lowering = decide(&checker, statement);
            if lowering == Lowering::AtOnce {
                // Options and declarations so far decide how the program begins.
                translation.begin(checker.so_far());
            }
        }
        match (lowering, statement) {
            (Lowering::AtOnce, Statement::Inst) => {
                translation.line(checker.so_far());
                checker.forget_lines();
            }
            // Labels are no lines, so they are kept beside them.
            (Lowering::AtEnd, Statement::Label(name)) => checker.keep_label(name),
            (Lowering::AtEnd, _) => {}
            // What a declaration has left in the lists is in the program by then.
            (Lowering::AtOnce | Lowering::Undecided, _) => checker.forget_lines(),
        }
    }
    // Rules of the whole program may still find an error, so the translation is not closed before.
    checker.end();
    if checker.has_errors() {
        translation.abandon((tables, memory));
        return (None, checker.finish(rules));
    }
    // Without an instruction nothing was decided, but the program may declare arrays.
    if lowering != Lowering::AtOnce {
        translation.whole(checker.so_far());
    }
    let program = translation.end(checker.so_far(), (tables, memory));
    (Some(program), checker.finish(rules))
}

/// When the lines of a program become IR, told by its first instruction or label.
fn decide(checker: &Checker<'_>, first: Statement) -> Lowering {
    let (checked, reading) = checker.so_far();
    let waits = match checked.lines.list.last() {
        // Only text behind the first instruction is looked at: nothing before it became IR.
        Some(line) if first == Statement::Inst => {
            let rest = &reading.text[line.span.start as usize..];
            let facts = checked.dialect.facts();
            // A declaration before it may have a binding with a run-time index.
            !reading.relatives.is_empty() || whole::is_needed(rest, facts, checked.features)
        }
        // It begins with a label.
        _ => true,
    };
    match waits {
        true => Lowering::AtEnd,
        false => Lowering::AtOnce,
    }
}

/// Which lines stay that nobody translates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    None,
    All,
}

/// Reads and checks a program without translating it.
pub(crate) fn check<'s>(start: Start<'s>, memory: &mut RuleMemory, keep: Keep) -> Checker<'s> {
    let mut checker = Checker::new(start, memory);
    while checker.next_statement().is_some() {
        if keep == Keep::None {
            checker.forget_lines();
        }
    }
    checker.end();
    checker
}
