//! Subroutines, and their labels. A label is the number of an instruction among all, or else the one printed before it.

use crate::codes::Code;
use crate::tgsi::check::Parsed;
use crate::tgsi::inst::Inst;
use crate::tgsi::lower::statement::Lowerer;
use crate::tgsi::nesting::{Call, Subroutine};
use glasm_ir::{Block, Node, Routine, RoutineId, Span, Stage};
use rustc_hash::FxHashMap;

impl Lowerer<'_> {
    pub(in crate::tgsi) fn call(&mut self, inst: &Inst) -> Parsed<()> {
        let Some((label, span)) = inst.label else {
            let message = "`CAL` lacks the number of a `BGNSUB`";
            return Err(self
                .cx
                .check
                .error(Code::UndefinedLabel, inst.span, message));
        };
        self.call_of(label, span, inst.span);
        Ok(())
    }

    /// A call of the subroutine that has a label, which stands at `span`.
    fn call_of(&mut self, label: u32, span: Span, inst: Span) {
        let program = &mut self.cx.emit.builder.program;
        let called = self.nesting.called.entry(label);
        let (routine, _) = *called.or_insert_with(|| {
            let body = program.blocks.push(Block { first: 0, len: 0 });
            let routine = Routine { name: None, body };
            // Its block is known when the text ends; until then it is empty.
            (program.routines.push(routine), span)
        });
        let caller = match self.nesting.subroutine {
            None => 0,
            // The subroutine that is open gets this number when it ends.
            Some(_) => self.nesting.subroutines.len() + 1,
        };
        self.nesting.calls.push(Call {
            caller,
            label,
            span,
        });
        if !self.nesting.dead {
            self.cx.emit.builder.node(Node::Call(routine, inst));
        }
    }

    /// A compute program whose first instruction this is consists of subroutines: what launches it names the one that it begins with.
    fn enter(&mut self, inst: &Inst) {
        self.call_of(self.cx.check.options.entry, inst.span, inst.span);
        self.close_main(inst.span);
        self.nesting.is_entered = true;
    }

    pub(in crate::tgsi) fn subroutine(&mut self, inst: &Inst, numbers: [u32; 2]) -> Parsed<()> {
        if self.cx.check.stage == Stage::Compute && numbers[0] == 0 {
            self.enter(inst);
        }
        if self.nesting.ended.is_none() || self.nesting.subroutine.is_some() {
            let message = "subroutines stand behind `END`, one behind the other";
            return Err(self.cx.check.error(Code::BlockMismatch, inst.span, message));
        }
        self.nesting.subroutine = Some((numbers, inst.span));
        self.nesting.dead = false;
        // Values that the main program holds in registers are none of a subroutine, which may be called from anywhere.
        self.cx.emit.forget(0);
        self.cx.emit.builder.open_block();
        Ok(())
    }

    pub(in crate::tgsi) fn end_subroutine(&mut self, inst: &Inst) -> Parsed<()> {
        self.close_levels();
        let Some((numbers, _)) = self.nesting.subroutine.take() else {
            let message = "`ENDSUB` closes nothing";
            return Err(self.cx.check.error(Code::BlockMismatch, inst.span, message));
        };
        let body = self.cx.emit.builder.close_block();
        let index = self.nesting.subroutines.len() + 1;
        self.nesting.subroutines.push(Subroutine {
            numbers,
            body,
            index,
        });
        self.nesting.dead = true;
        Ok(())
    }

    /// Subroutines by their labels. Of several with one number the first one has it.
    fn labels(&self) -> FxHashMap<u32, Subroutine> {
        let mut labels = FxHashMap::default();
        // The real number comes last, so that it wins over a printed one.
        for which in [1, 0] {
            // Backward, so that of several with one number the first one stays.
            let last_first = self.nesting.subroutines.iter().rev();
            labels.extend(last_first.map(|it| (it.numbers[which], *it)));
        }
        labels
    }

    /// Gives calls the routines that they name. There is no recursion.
    pub(in crate::tgsi) fn resolve_calls(&mut self) {
        if self.nesting.calls.is_empty() && self.nesting.subroutines.is_empty() {
            return;
        }
        let labels = self.labels();
        let count = self.nesting.subroutines.len() + 1;
        let mut is_called = vec![false; count];
        let called = self.nesting.called.iter();
        let mut called: Vec<(u32, (RoutineId, Span))> = called.map(|(k, v)| (*k, *v)).collect();
        // In a fixed order, for the errors and the program of a text are always the same.
        called.sort_unstable_by_key(|&(label, _)| label);
        for (label, (routine, span)) in called {
            match labels.get(&label) {
                Some(found) => {
                    is_called[found.index] = true;
                    self.cx.emit.builder.program.routines[routine].body = found.body;
                }
                None => {
                    let message = format!("instruction {label} is no `BGNSUB`");
                    self.cx.check.error(Code::UndefinedLabel, span, message);
                }
            }
        }
        for number in 0..self.nesting.subroutines.len() {
            let subroutine = self.nesting.subroutines[number];
            // A block has to belong to some routine, also if nothing calls it.
            if !is_called[subroutine.index] {
                self.cx.emit.uncalled(subroutine.body);
            }
        }
        let mut callees = vec![Vec::new(); count];
        for call in &self.nesting.calls {
            if let Some(found) = labels.get(&call.label) {
                callees[call.caller].push((found.index, call.span));
            }
        }
        if let Some(span) = find_circle(&callees) {
            let message = "a subroutine calls itself";
            self.cx.check.error(Code::RecursiveCall, span, message);
        }
    }
}

/// How far the search for circles is with a routine.
#[derive(Clone, Copy)]
enum Seen {
    Not,
    OpenConstruct,
    Done,
}

/// A call by which a routine calls itself, directly or not.
fn find_circle(callees: &[Vec<(usize, Span)>]) -> Option<Span> {
    let mut state = vec![Seen::Not; callees.len()];
    // On a stack of its own: texts may have chains of calls as long as they like.
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for start in 0..callees.len() {
        if !matches!(state[start], Seen::Not) {
            continue;
        }
        state[start] = Seen::OpenConstruct;
        stack.push((start, 0));
        while let Some((routine, next)) = stack.last_mut() {
            let Some(&(callee, span)) = callees[*routine].get(*next) else {
                state[*routine] = Seen::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            match state[callee] {
                Seen::Not => {
                    state[callee] = Seen::OpenConstruct;
                    stack.push((callee, 0));
                }
                // A routine that is being looked through is called again.
                Seen::OpenConstruct => return Some(span),
                Seen::Done => {}
            }
        }
    }
    None
}
