//! The main program and the subroutines: labels, calls and recursion.

use crate::header::ParsedHeader;
use crate::tgsi::ast::{Ast, TrailingOperand};
use crate::tgsi::opcodes::{Flow, OpcodeLowering};
use glasm_ir::cfg::{
    BasicBlockId, CallConvention, CallGraph, Cfg, LabelFallThrough, LabelId, OnStackOverflow,
};
use glasm_ir::{Id, Span, Stage};
use rustc_hash::FxHashMap;

/// Programs have no limit of calls: without recursion no chain of them is longer than the program.
const CALL_CONVENTION: CallConvention = CallConvention {
    max_depth: u32::MAX,
    on_overflow: OnStackOverflow::SkipCall,
    at_label: LabelFallThrough::Return,
};

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    block: BasicBlockId,
    /// The label that it names.
    pub(super) label: u32,
    pub(super) span: Span,
}

/// The main program and the subroutines.
#[derive(Debug, Default)]
pub(super) struct Routines {
    /// Subroutines by the numbers of their first instructions, and by those printed before them.
    labels: FxHashMap<u32, LabelId>,
    pub(super) calls: Vec<Call>,
}

impl Routines {
    /// Collects the subroutines and calls of a program and builds its call graph.
    pub(super) fn collect(
        &mut self,
        ast: &Ast<'_>,
        start: &ParsedHeader<'_>,
        (cfg, call_graph): (&mut Cfg, &mut CallGraph),
    ) {
        self.labels.clear();
        self.calls.clear();
        if ast.has_subroutines {
            self.add_insts(ast, start, cfg);
        }
        let entry = BasicBlockId::default();
        *call_graph = cfg.build_call_graph(entry, CALL_CONVENTION);
    }

    /// Collects the labels and calls of all instructions. Instructions that programs of this stage
    /// or version do not have are not counted in labels.
    fn add_insts(&mut self, ast: &Ast<'_>, start: &ParsedHeader<'_>, cfg: &mut Cfg) {
        let (stage, acceptance) = (start.dialect.stage(), start.reports.acceptance());
        let mut subroutines = Vec::new();
        let counted = ast.insts.iter();
        let counted = counted.filter(|inst| inst.opcode_row.is_available(stage, acceptance));
        for (number, inst) in (0u32..).zip(counted) {
            match (inst.opcode_row.lower, inst.trailing) {
                (OpcodeLowering::Flow(Flow::Subroutine), _) => {
                    if stage == Stage::Compute && number == 0 {
                        // The launch of such a program names the subroutine that it begins with.
                        self.add_call(cfg.current_block(), start.tgsi.entry_subroutine, inst.span);
                    }
                    let label = LabelId::new(subroutines.len());
                    cfg.add_label(label, number);
                    let printed = ast.parse_printed_number(inst).unwrap_or(number);
                    subroutines.push((printed, number));
                }
                (OpcodeLowering::Flow(Flow::Call), TrailingOperand::Label(label, span)) => {
                    self.add_call(cfg.current_block(), label, span)
                }
                _ => {}
            }
        }
        self.resolve_calls(&subroutines, cfg);
    }

    /// Adds a call of the subroutine at instruction `label`.
    fn add_call(&mut self, block: BasicBlockId, label: u32, span: Span) {
        self.calls.push(Call { block, label, span });
    }

    /// Resolves the subroutines of calls. `subroutines`: the printed number and the number among
    /// all instructions of each.
    fn resolve_calls(&mut self, subroutines: &[(u32, u32)], cfg: &mut Cfg) {
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
                cfg.add_call(call.block, label);
            }
        }
        // Subroutines that are never called are checked and lowered as if the main program called
        // them.
        for (id, _) in numbered() {
            let main = BasicBlockId::default();
            cfg.add_call(main, LabelId::new(id));
        }
    }

    /// Returns the subroutine that the label of a call names, None if no subroutine begins there.
    pub(super) fn find_label(&self, label: u32) -> Option<LabelId> {
        self.labels.get(&label).copied()
    }

    /// Returns true if a subroutine calls itself by a call, directly or not, and the call is
    /// backward in source order.
    pub(super) fn is_recursive(&self, call: &Call, (cfg, graph): (&Cfg, &CallGraph)) -> bool {
        if graph.group_count() == 0 {
            return false;
        }
        let to = self.find_label(call.label);
        let to = to.and_then(|label| cfg.find_label(label));
        to.is_some_and(|to| {
            let group = graph.find_group(to);
            to <= call.block && group.is_some() && group == graph.find_group(call.block)
        })
    }
}
