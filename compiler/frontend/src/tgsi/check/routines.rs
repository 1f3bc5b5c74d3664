//! The subroutines of a program and their calls. A label is the number of an instruction among all,
//! or else the one printed before it.

use super::TgsiChecker;
use crate::codes::Code;
use crate::start::Start;
use crate::tgsi::ast::{Ast, Extra};
use crate::tgsi::opcodes::{Flow, Lower};
use glasm_ir::flow::{
    AtLabel, BasicBlockId, CallConvention, CallGraph, Cfg, LabelId, OnStackOverflow,
};
use glasm_ir::{Id, Span, Stage};
use rustc_hash::FxHashMap;

/// Programs have no limit of calls: without recursion no chain of them is longer than the program.
const CONVENTION: CallConvention = CallConvention {
    depth: u32::MAX,
    overflow: OnStackOverflow::SkipCall,
    at_label: AtLabel::Return,
};

/// A call.
#[derive(Clone, Copy, Debug)]
struct Call {
    from: BasicBlockId,
    /// The label that it names.
    label: u32,
    span: Span,
}

/// The main program and the subroutines.
#[derive(Debug, Default)]
pub(in crate::tgsi) struct Routines {
    pub(in crate::tgsi) cfg: Cfg,
    pub(in crate::tgsi) call_graph: CallGraph,
    /// Subroutines by the numbers of their first instructions, and by those printed before them.
    labels: FxHashMap<u32, LabelId>,
    calls: Vec<Call>,
}

impl Routines {
    /// Collects the routines of another program.
    pub(in crate::tgsi) fn collect(&mut self, ast: &Ast<'_>, start: &Start<'_>) {
        self.cfg.clear();
        self.labels.clear();
        self.calls.clear();
        if ast.has_routines {
            self.add_insts(ast, start);
        }
        let entry = BasicBlockId::default();
        self.call_graph = self.cfg.analyze(entry, CONVENTION);
    }

    fn add_insts(&mut self, ast: &Ast<'_>, start: &Start<'_>) {
        let (stage, acceptance) = (start.dialect.stage(), start.reports.acceptance());
        let mut subroutines = Vec::new();
        let counted = ast.insts.iter();
        let counted = counted.filter(|inst| inst.row.is_available(stage, acceptance));
        for (number, inst) in (0u32..).zip(counted) {
            match (inst.row.lower, inst.extra) {
                (Lower::Flow(Flow::Subroutine), _) => {
                    if stage == Stage::Compute && number == 0 {
                        // The launch of such a program names the subroutine that it begins with.
                        self.add_call(start.tgsi.entry, inst.span);
                    }
                    let label = LabelId::new(subroutines.len());
                    self.cfg.add_label(label, number);
                    subroutines.push((inst.printed.unwrap_or(number), number));
                }
                (Lower::Flow(Flow::Call), Extra::Label(label, span)) => self.add_call(label, span),
                _ => {}
            }
        }
        self.resolve(&subroutines);
    }

    fn add_call(&mut self, label: u32, span: Span) {
        let from = self.cfg.current();
        self.calls.push(Call { from, label, span });
    }

    /// Resolves the subroutines of calls. `subroutines`: the printed number and the number among
    /// all instructions of each.
    fn resolve(&mut self, subroutines: &[(u32, u32)]) {
        let numbered = || subroutines.iter().enumerate();
        // Of several with one number the first one has it; numbers among all instructions take
        // precedence over printed ones.
        for (id, &(_, number)) in numbered() {
            self.labels.entry(number).or_insert(LabelId::new(id));
        }
        for (id, &(printed, _)) in numbered() {
            self.labels.entry(printed).or_insert(LabelId::new(id));
        }
        for call in &self.calls {
            if let Some(&label) = self.labels.get(&call.label) {
                self.cfg.add_call(call.from, label);
            }
        }
        // Subroutines that are never called are checked and lowered as if the main program called
        // them.
        for (id, _) in numbered() {
            let main = BasicBlockId::default();
            self.cfg.add_call(main, LabelId::new(id));
        }
    }

    /// Returns the subroutine that a label names.
    pub(in crate::tgsi) fn find(&self, label: u32) -> Option<LabelId> {
        self.labels.get(&label).copied()
    }

    /// Returns true if a subroutine calls itself by a call, directly or not, and the call is
    /// backward in source order.
    fn leads_back(&self, call: &Call) -> bool {
        let graph = &self.call_graph;
        if graph.groups() == 0 {
            return false;
        }
        let to = self.find(call.label);
        let to = to.and_then(|label| self.cfg.find_label(label));
        to.is_some_and(|to| {
            let group = graph.group_of(to);
            to <= call.from && group.is_some() && group == graph.group_of(call.from)
        })
    }
}

impl TgsiChecker<'_> {
    /// Reports calls of labels that are not subroutines, and recursion.
    pub(super) fn check_calls(&mut self) {
        let routines = self.routines;
        // Both lists are in source order.
        let checked = std::mem::take(&mut self.blocks.calls);
        let is_checked = |call: &&Call| checked.binary_search(&call.span.start).is_ok();
        let calls = || routines.calls.iter().filter(is_checked);
        let mut undefined: Vec<&Call> = calls().collect();
        undefined.retain(|call| routines.find(call.label).is_none());
        undefined.sort_by_key(|call| call.label);
        // The first one of each label.
        undefined.dedup_by_key(|call| call.label);
        for call in undefined {
            let message = format!("instruction {} is no `BGNSUB`", call.label);
            self.error(Code::UndefinedLabel, call.span, message);
        }
        let recursion = calls().find(|call| routines.leads_back(call));
        if let Some(call) = recursion {
            self.error(Code::RecursiveCall, call.span, "a subroutine calls itself");
        }
        self.blocks.calls = checked;
    }
}
