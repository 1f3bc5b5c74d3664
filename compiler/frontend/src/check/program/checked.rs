//! The checked program: every name and binding is a variable, and every type is known.

use crate::ast::{Base, Index, InstTypes, Operand, Relative, VarMods};
use crate::check::program::usage::Usage;
use crate::lang::facts::LanguageFacts;
use crate::lang::options::Features;
use crate::line::{Lines, Value};
use crate::names::{NameId, Names};
use crate::vars::{IoBinding, Side, Var, VarKind};
use glasm_ir::flow::{CallGraph, Cfg};
use glasm_ir::program::Modes;
use glasm_ir::{ParamSource, Semantic, Span, WriteMask};
use rustc_hash::FxHashMap;

/// A result that vertices copy from input vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) binding: IoBinding,
    pub(crate) mask: WriteMask,
    pub(crate) span: Span,
}

/// Program without unresolved references; names, literals and pairs of indices are in the syntax
/// tree.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// Relative indices, once checking has ended.
    pub(crate) relatives: Vec<Relative<Value>>,
    pub(crate) vars: Vec<Var>,
    pub(crate) attribs: Vec<IoBinding>,
    pub(crate) params: Vec<ParamSource>,
    /// The parameters of DECLARE with the bits of their first values.
    pub(crate) named_params: Vec<(NameId, [u32; 4])>,
    pub(crate) results: Vec<IoBinding>,
    pub(crate) lines: Lines,
    /// Labels, branches and calls.
    pub(crate) cfg: Cfg,
    /// Reachable routines and recursion, once checking has ended.
    pub(crate) call_graph: CallGraph,
    /// The address register that LOOP sets.
    pub(crate) loop_index: Option<u32>,
    /// Features of the language and of all options, once checking has ended.
    pub(crate) features: Features,
    /// Effects of the options on the program as a whole.
    pub(crate) modes: Modes,
    /// Labels of each SUBROUTINETYPE.
    pub(crate) subroutine_types: FxHashMap<NameId, Vec<(NameId, Span)>>,
    /// Labels of each SUBROUTINETYPE with their numbers, once all labels are known.
    pub(crate) subroutine_routines: FxHashMap<NameId, Vec<(NameId, u32)>>,
    pub(crate) interpolation: FxHashMap<Semantic, VarMods>,
    pub(crate) group_size: [u32; 3],
    pub(crate) shared_bytes: u32,
    /// SECONDARY_VIEW_LAYER_OFFSET.
    pub(crate) second_layer_offset: Option<i32>,
    /// Results that vertices copy from input vertices.
    pub(crate) passed: Vec<Passed>,
    /// The numbers by which it names items that GL limits.
    pub(crate) usage: Usage,
}

impl Checked {
    /// Removes all statements and sets the properties that the language itself defines for its
    /// programs.
    pub(crate) fn reset(&mut self, facts: &LanguageFacts) {
        self.relatives.clear();
        self.vars.clear();
        self.attribs.clear();
        self.params.clear();
        self.named_params.clear();
        self.results.clear();
        self.lines.clear();
        self.cfg.clear();
        self.call_graph = CallGraph::default();
        self.loop_index = None;
        self.features = facts.features;
        self.modes = facts.modes();
        self.subroutine_types.clear();
        self.subroutine_routines.clear();
        self.interpolation.clear();
        self.group_size = [1; 3];
        self.shared_bytes = 0;
        self.second_layer_offset = None;
        self.passed.clear();
        self.usage.reset();
    }

    /// Returns the semantic of a binding, for rules about single bindings.
    pub(crate) fn attrib_semantics(&self, var: u32) -> impl Iterator<Item = Semantic> + '_ {
        let info = self.vars[var as usize];
        let count = info.array.unwrap_or(1) as usize;
        let bindings = self.bindings_of(info.kind);
        bindings.iter().take(count).map(|binding| binding.semantic)
    }

    /// Returns the attribute or result bindings from the first one of a variable on; empty if it is
    /// neither.
    pub(crate) fn bindings_of(&self, kind: VarKind) -> &[IoBinding] {
        // Not a match: only two of the kinds have bindings of this sort.
        let (first, table) = if let VarKind::Attrib { first } = kind {
            (first, &self.attribs)
        } else if let VarKind::Result { first } = kind {
            (first, &self.results)
        } else {
            return &[];
        };
        // A declaration with errors may have a number without bindings after it.
        table.get(first as usize..).unwrap_or_default()
    }

    /// Returns the name of a variable for messages.
    pub(crate) fn var_text(&self, names: &Names<'_>, var: u32) -> String {
        match self.vars[var as usize].name {
            Some(name) => format!("`{}`", names.display(name)),
            None => "the binding".to_owned(),
        }
    }

    /// Returns the variable of a source, if it is one.
    #[inline]
    pub(crate) fn variable(&self, value: Value) -> Option<(u32, &Var)> {
        match value {
            Value::Var(var) => Some((var, &self.vars[var as usize])),
            Value::Scalar(_) | Value::Vector { .. } => None,
        }
    }

    #[inline]
    pub(crate) fn var(&self, base: Base) -> Option<(u32, &Var)> {
        match base {
            Base::Var(var) => Some((var, &self.vars[var as usize])),
            Base::Name(_) | Base::Path(_) | Base::Scalar(_) | Base::Vector { .. } => None,
        }
    }

    /// Returns the labels of a SUBROUTINETYPE with their numbers, each once.
    pub(crate) fn routines_of(&self, ty: NameId) -> &[(NameId, u32)] {
        self.subroutine_routines.get(&ty).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn find_side(&self, var: u32) -> Side {
        let kind = self.vars[var as usize].kind;
        let bindings = self.bindings_of(kind);
        bindings.first().map_or(Side::In, |it| it.holder.side)
    }

    pub(crate) fn add_passed(&mut self, binding: IoBinding, mask: WriteMask, span: Span) {
        let list = &mut self.passed;
        let known = list
            .iter_mut()
            .find(|it| it.binding.semantic == binding.semantic);
        match known {
            // "A component will be passed through if and only if it is identified in one or more
            // PASSTHROUGH declarations."
            Some(known) => known.mask.0 |= mask.0,
            None => list.push(Passed {
                binding,
                mask,
                span,
            }),
        }
    }

    /// Returns true if a variable holds values that differ within a pixel; false for one with
    /// errors.
    pub(crate) fn is_interpolated(&self, var: u32) -> bool {
        // Both are the same all over a primitive.
        let constant = [Semantic::Facing, Semantic::PrimitiveId];
        let kind = self.vars[var as usize].kind;
        let mut semantics = self.attrib_semantics(var);
        kind == VarKind::Poisoned
            || matches!(kind, VarKind::Attrib { .. }) && !semantics.any(|it| constant.contains(&it))
    }

    /// Returns true if the elements of an array must be contiguous once some instruction has a
    /// dynamic index: then instructions with constant indices find them there. Parameters in a
    /// buffer are contiguous anyway.
    pub(crate) fn keeps_together(&self, var: u32) -> bool {
        self.vars[var as usize].kind != VarKind::WritableParam
    }

    /// Returns the byte of shared memory at which an access ends, if it is known statically.
    pub(crate) fn find_end_of_access(&self, operand: &Operand, types: InstTypes) -> Option<u64> {
        let (_, var) = self.var(operand.base)?;
        let VarKind::Shared { start } = var.kind else {
            return None;
        };
        let index = match operand.index {
            Index::Const(index) => index,
            Index::None => 0,
            // Addresses that are computed at run time are not known here.
            Index::Relative(_) | Index::Pair(_) => return None,
        };
        // The index of a SHARED variable counts bytes.
        let bytes = types.ty.width().bytes() * u32::from(types.components);
        // In 64 bits, because start and index may be any numbers of 32 bits.
        Some(u64::from(start) + u64::from(index) + u64::from(bytes))
    }

    /// Returns where an instruction first writes a result.
    pub(crate) fn find_first_write(&self, semantic: Semantic) -> Option<Span> {
        // Hardly any program has a variable for either of them.
        let mut results = self.results.iter();
        results.find(|result| result.semantic == semantic)?;
        self.lines.list.iter().find_map(|line| {
            let dst = line.dst?;
            let var = &self.vars[dst.var as usize];
            let VarKind::Result { first } = var.kind else {
                return None;
            };
            // Neither of the two can be an element of an array, so the first binding of the
            // variable is the one.
            let binding = self.results.get(first as usize)?;
            (binding.semantic == semantic && var.array.is_none()).then_some(dst.span)
        })
    }
}
