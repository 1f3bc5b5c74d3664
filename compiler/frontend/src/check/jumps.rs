//! Labels and branches of programs in which any instruction can follow any other. NV_vertex_program2_option section 2.14.4.X.

use super::Checker;
use super::flow::Flow;
use crate::lang::options::Features;
use crate::names::NameId;
use glasm_ir::{Span, Stage};
use rustc_hash::FxHashMap;

/// Where branches of a program lead. Statements run one after the other; nothing but RET ends a subroutine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jumps {
    /// The statement behind each label.
    pub(crate) labels: FxHashMap<NameId, u32>,
    /// The statement that runs first.
    pub(crate) entry: u32,
}

impl Checker<'_> {
    /// Whether labels are targets of branches, not beginnings of subroutines.
    pub(super) fn has_free_branches(&self) -> bool {
        self.stage == Stage::Vertex && self.has_option(Features::NV_VERTEX_2)
    }

    /// A label at statement `statement`.
    pub(super) fn branch_label(&mut self, statement: u32, name: NameId, span: Span) {
        let jumps = self.program.jumps.get_or_insert_default();
        if jumps.labels.insert(name, statement + 1).is_some() {
            self.duplicate_label(name, span);
        }
    }

    /// Resolves branches once all labels are known.
    pub(super) fn end_of_jumps(&mut self, flow: &Flow) {
        let jumps = self.program.jumps.get_or_insert_default();
        let names = &self.syntax.ast.names;
        let main = (jumps.labels.iter()).find(|&(&name, _)| names.text(name) == b"main");
        jumps.entry = main.map_or(0, |(_, &statement)| statement);
        let undefined: Vec<(NameId, Span)> = (flow.branches.iter())
            .filter(|(label, _)| !jumps.labels.contains_key(label))
            .copied()
            .collect();
        for (label, span) in undefined {
            self.undefined_label(label, span);
        }
    }
}
