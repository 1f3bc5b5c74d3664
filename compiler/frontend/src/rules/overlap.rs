//! A binding may be in one array at most that is accessed with a run-time index.
//! NV_gpu_program4 sections 2.X.3.2, 2.X.3.3 and 2.X.3.5.

use super::{Checker, VarKind};
use crate::codes::Code;
use glasm_ir::{ParamSource, Semantic};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    pub(super) fn overlaps(&mut self) {
        let mut attribs: FxHashSet<Semantic> = FxHashSet::default();
        let mut results: FxHashSet<Semantic> = FxHashSet::default();
        let mut params: FxHashSet<ParamSource> = FxHashSet::default();
        let mut rows: Vec<VarKind> = Vec::new();
        for var in 0..self.program.vars.len() as u32 {
            let info = self.program.vars[var as usize];
            // Bindings with a run-time index of their own share one array.
            if !info.relative || info.element.is_some() && rows.contains(&info.kind) {
                continue;
            }
            rows.extend(info.element.map(|_| info.kind));
            let twice = match info.kind {
                VarKind::Attrib { .. } => {
                    let semantics: Vec<Semantic> = self.attrib_semantics(var).collect();
                    semantics
                        .into_iter()
                        .any(|semantic| !attribs.insert(semantic))
                }
                VarKind::Result { .. } => {
                    let semantics: Vec<Semantic> = self.attrib_semantics(var).collect();
                    semantics
                        .into_iter()
                        .any(|semantic| !results.insert(semantic))
                }
                VarKind::Param { first } => {
                    let count = info.array.unwrap_or(1);
                    let sources = &self.program.params[first as usize..(first + count) as usize];
                    // Constants are no bindings of state: equal ones may repeat.
                    let bindings = sources
                        .iter()
                        .filter(|source| !matches!(source, ParamSource::Literal(_)));
                    let count = bindings.clone().count();
                    let before = params.len();
                    params.extend(bindings);
                    params.len() < before + count
                }
                VarKind::Temp
                | VarKind::Address
                | VarKind::Buffer(_)
                | VarKind::Texture { .. }
                | VarKind::Image { .. }
                | VarKind::Shared { .. }
                | VarKind::Subroutine { .. }
                | VarKind::Poisoned => false,
            };
            if twice {
                let text = self.var_text(var);
                let message =
                    format!("{text} has a run-time index, but repeats a binding of such an array");
                self.error(Code::RelativeOverlap, info.span, message);
            }
        }
    }
}
