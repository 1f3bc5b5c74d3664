//! Indirect calls: types, variables and numbers of subroutines. ARB_shader_subroutine section
//! 2.X.5.

use crate::ast::{Decl, Item};
use crate::check::control::blocks::label_of;
use crate::check::control::flow::FlowRules;
use crate::check::declarations::context::DeclarationRules;
use crate::check::names::symbols::Named;
use crate::check::program::usage::find_number_span;
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::numbered::Numbered;
use crate::names::NameId;
use crate::source::Version;
use crate::vars::VarKind;
use glasm_ir::{ParamSource, Span};
use rustc_hash::{FxHashMap, FxHashSet};

impl DeclarationRules<'_, '_, '_> {
    /// Declares a subroutine type (SUBROUTINETYPE), or adds labels to one.
    pub(crate) fn declare_subroutine_type(&mut self, decl: &Decl) {
        let Some((name, span)) = decl.name else {
            return;
        };
        self.resolver
            .cx
            .need_version(Version::V5_0, decl.span, "SUBROUTINETYPE needs");
        let named = &mut self.resolver.symbols.entries[name.index()].named;
        match named {
            // A type may be declared several times: each statement adds labels to it.
            Named::Nothing | Named::SubroutineType => *named = Named::SubroutineType,
            Named::Poisoned => return,
            Named::Var(_) => {
                let text = self.resolver.cx.name_text(name);
                let message = format!("`{text}` is declared already");
                self.resolver.cx.error(Code::DuplicateName, span, message);
                return;
            }
        }
        let labels: Vec<_> = (self.resolver.cx.ast.items(decl).iter())
            .filter_map(|item| match *item {
                Item::Name(label, _, span) => Some((label, span)),
                Item::Path(_) | Item::Scalar(_) | Item::Vector { .. } | Item::Number(..) => None,
            })
            .collect();
        let known = self
            .resolver
            .program
            .subroutine_types
            .entry(name)
            .or_default();
        // Labels are looked up at the end: they may be defined after this.
        known.extend(labels);
    }

    /// Returns the kind of a SUBROUTINE variable over these parameters.
    pub(crate) fn bind_subroutines(&mut self, decl: &Decl, params: &[u32]) -> Option<VarKind> {
        let Some(&Item::Name(ty, _, ty_span)) = self.resolver.cx.ast.items(decl).first() else {
            return None;
        };
        if self.resolver.symbols.entries[ty.index()].named != Named::SubroutineType {
            let text = self.resolver.cx.name_text(ty);
            let message = format!("`{text}` is no SUBROUTINETYPE");
            self.resolver
                .cx
                .error(Code::SubroutineType, ty_span, message);
            return None;
        }
        // "A program subroutine parameter may only be assigned to subroutine variables of a single
        // SUBROUTINETYPE."
        for &param in params {
            // A parameter holds a number, which is relative to one type: two variables of different
            // types cannot share it.
            let known = *self.state.subroutine_params.entry(param).or_insert(ty);
            if known != ty {
                let other = self.resolver.cx.name_text(known);
                let message = format!("program.subroutine[{param}] is of type `{other}` already");
                self.resolver
                    .cx
                    .error(Code::SubroutineType, decl.span, message);
                return None;
            }
        }
        let first = self.resolver.program.params.len() as u32;
        let sources = params.iter().map(|&param| ParamSource::Subroutine(param));
        self.resolver.program.params.extend(sources);
        Some(VarKind::Subroutine { first, ty })
    }
}

impl FlowRules<'_, '_> {
    /// Checks the numbers of labels: each is below the limit and belongs to one label only; all
    /// labels of types have one.
    pub(crate) fn resolve_subroutine_numbers(&mut self) {
        let numbers = self.collect_numbered_labels();
        let cfg = &self.program.cfg;
        let is_defined = |name| cfg.find_label(label_of(name)).is_some();
        let mut missing: Vec<(NameId, Span)> = Vec::new();
        for (&ty, list) in &self.program.subroutine_types {
            let mut seen: FxHashSet<NameId> = FxHashSet::default();
            let mut routines = Vec::new();
            for &(name, span) in list {
                match numbers.get(&name).filter(|_| is_defined(name)) {
                    // A type may name a label twice; it is one target of calls.
                    Some(&number) if seen.insert(name) => routines.push((name, number)),
                    Some(_) => {}
                    None => missing.push((name, span)),
                }
            }
            self.program.subroutine_routines.insert(ty, routines);
        }
        // The map of types is unordered; messages are in source order.
        missing.sort_by_key(|(_, span)| span.start);
        self.report_missing_labels(missing);
    }

    fn report_missing_labels(&mut self, missing: Vec<(NameId, Span)>) {
        for (name, span) in missing {
            let (code, problem) = match self.program.cfg.find_label(label_of(name)) {
                Some(_) => (Code::SubroutineNumber, "has no SUBROUTINENUM"),
                None => (Code::UndefinedLabel, "is not defined"),
            };
            let message = format!("label `{}` {problem}", self.cx.name_text(name));
            self.cx.error(code, span, message);
        }
    }

    /// Returns the labels that have a number.
    fn collect_numbered_labels(&mut self) -> FxHashMap<NameId, u32> {
        let mut labels: FxHashMap<u32, NameId> = FxHashMap::default();
        let limit = limits::SUBROUTINE_NUMBERS;
        // "Functions that will be used for indirect subroutine calls must all be assigned a unique
        // unsigned integer."
        for (name, number, span) in self.cx.ast.subroutine_numbers.clone() {
            let place = find_number_span(self.cx.ast.text, span, number);
            if let Some(&other) = labels.get(&number) {
                let message = format!(
                    "`{}` has the number {number} already",
                    self.cx.name_text(other)
                );
                self.cx.error(Code::SubroutineNumber, span, message);
                continue;
            }
            // The label has a number even if that is too large, which is a single error.
            labels.insert(number, name);
            if number >= limit {
                let message = format!("subroutine numbers are below {limit}");
                self.cx.error(Code::SubroutineNumber, place, message);
            }
            let usage = &mut self.program.usage;
            usage.add(Numbered::SubroutineNumbers, number, || Some(place));
        }
        labels
            .into_iter()
            .map(|(number, name)| (name, number))
            .collect()
    }
}
