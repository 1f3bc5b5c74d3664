//! A binding may be in one array at most that is accessed with a run-time index.
//! NV_gpu_program4 sections 2.X.3.2, 2.X.3.3 and 2.X.3.5.

use super::{Checker, VarKind};
use crate::codes::Code;
use crate::vars::Holder;
use glasm_ir::{ParamSource, Semantic};
use rustc_hash::FxHashSet;

/// The bindings of the arrays so far that have a run-time index.
#[derive(Default)]
struct Bindings {
    attribs: FxHashSet<(Semantic, Holder)>,
    results: FxHashSet<(Semantic, Holder)>,
    params: FxHashSet<ParamSource>,
}

impl Checker<'_> {
    pub(super) fn check_overlaps(&mut self) {
        let mut bindings = Bindings::default();
        let mut rows: Vec<VarKind> = Vec::new();
        for var in 0..self.program.vars.len() as u32 {
            let info = self.program.vars[var as usize];
            // Bindings with a run-time index of their own share one array.
            if !info.relative || info.element.is_some() && rows.contains(&info.kind) {
                continue;
            }
            // Noted only where the binding has the index: an array that a program declares stands for itself.
            rows.extend(info.element.map(|_| info.kind));
            if self.repeats_binding(var, &mut bindings) {
                let text = self.var_text(var);
                let message =
                    format!("{text} has a run-time index, but repeats a binding of such an array");
                self.error(Code::RelativeOverlap, info.span, message);
            }
        }
    }

    /// Adds the bindings of a variable. True if one of them was there.
    fn repeats_binding(&self, var: u32, bindings: &mut Bindings) -> bool {
        let info = self.program.vars[var as usize];
        if let VarKind::Param { first } = info.kind {
            let sources = &self.program.params[first as usize..];
            let sources = sources.iter().take(info.array.unwrap_or(1) as usize);
            // Constants are no bindings of state: equal ones may repeat.
            let states = sources.filter(|source| !matches!(source, ParamSource::Literal(_)));
            // No `any`: it would stop at the first one and leave the others out of the set. A binding that stands twice in one array breaks the rule,
            // too (section 2.X.3.3).
            return states.fold(false, |found, it| found | !bindings.params.insert(*it));
        }
        // Variables that are neither attributes nor results have no semantics.
        let known = match matches!(info.kind, VarKind::Attrib { .. }) {
            true => &mut bindings.attribs,
            false => &mut bindings.results,
        };
        let count = info.array.unwrap_or(1) as usize;
        let mut bindings = self.program.bindings_of(info.kind).iter().take(count);
        bindings.any(|it| !known.insert((it.semantic, it.holder)))
    }
}
