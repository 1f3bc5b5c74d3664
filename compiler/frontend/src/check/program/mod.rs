//! The checked program, and rules about all of it: every name and binding is a variable, and every
//! type is known.

pub(crate) mod limits;
pub(crate) mod resource_usage;

use crate::ast::{DynamicIndex, Index, InstTypes, Operand, OperandBase, VarMods};
use crate::check::program::resource_usage::IndexUsage;
use crate::interner::{Interner, NameId};
use crate::lang::dialect_traits::DialectTraits;
use crate::lang::options::Features;
use crate::resolved_inst::{OperandValue, ResolvedInsts};
use crate::variables::{Direction, IoBinding, Var, VarKind};
use glasm_ir::cfg::{CallGraph, Cfg};
use glasm_ir::program::Modes;
use glasm_ir::{ParamSource, Semantic, Span, WriteMask};
use rustc_hash::FxHashMap;

/// A result that vertices copy from input vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassthroughResult {
    pub(crate) binding: IoBinding,
    pub(crate) mask: WriteMask,
    pub(crate) span: Span,
}

/// Program without unresolved references; names, literals and pairs of indices are in the syntax
/// tree.
#[derive(Debug, Default)]
pub(crate) struct CheckedProgram {
    /// Relative indices, once checking has ended.
    pub(crate) relative_indices: Vec<DynamicIndex<OperandValue>>,
    pub(crate) vars: Vec<Var>,
    pub(crate) attribs: Vec<IoBinding>,
    pub(crate) params: Vec<ParamSource>,
    /// The parameters of DECLARE with the bits of their first values.
    pub(crate) named_params: Vec<(NameId, [u32; 4])>,
    pub(crate) results: Vec<IoBinding>,
    pub(crate) insts: ResolvedInsts,
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
    pub(crate) secondary_view_layer_offset: Option<i32>,
    /// Results that vertices copy from input vertices.
    pub(crate) passthrough_results: Vec<PassthroughResult>,
    /// The numbers by which it names items that GL limits.
    pub(crate) index_usage: IndexUsage,
}

impl CheckedProgram {
    /// Removes all statements and declarations and sets the properties that the language itself
    /// defines for its programs, such as features and modes.
    pub(crate) fn reset(&mut self, facts: &DialectTraits) {
        self.relative_indices.clear();
        self.vars.clear();
        self.attribs.clear();
        self.params.clear();
        self.named_params.clear();
        self.results.clear();
        self.insts.clear();
        self.cfg.clear();
        self.call_graph = CallGraph::default();
        self.loop_index = None;
        self.features = facts.features;
        self.modes = facts.default_modes();
        self.subroutine_types.clear();
        self.subroutine_routines.clear();
        self.interpolation.clear();
        self.group_size = [1; 3];
        self.shared_bytes = 0;
        self.secondary_view_layer_offset = None;
        self.passthrough_results.clear();
        self.index_usage.reset();
    }

    /// Returns the semantics of the attribute or result bindings of a variable, in the order of its
    /// elements; none for other variables.
    pub(crate) fn attrib_semantics(&self, var: u32) -> impl Iterator<Item = Semantic> + '_ {
        let info = self.vars[var as usize];
        let count = info.array_size.unwrap_or(1) as usize;
        let bindings = self.bindings_from(info.kind);
        bindings.iter().take(count).map(|binding| binding.semantic)
    }

    /// Returns the attribute or result bindings of the program from the first one of a variable of
    /// this kind to the last of all; empty if it is neither.
    pub(crate) fn bindings_from(&self, kind: VarKind) -> &[IoBinding] {
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

    /// Returns the quoted name of a variable for messages, `the binding` for an unnamed one.
    pub(crate) fn display_var(&self, names: &Interner<'_>, var: u32) -> String {
        match self.vars[var as usize].name {
            Some(name) => format!("`{}`", names.display(name)),
            None => "the binding".to_owned(),
        }
    }

    /// Returns the index of the variable of a resolved operand, and the variable; `None` for
    /// constants.
    pub(crate) fn find_value_var(&self, value: OperandValue) -> Option<(u32, &Var)> {
        match value {
            OperandValue::Var(var) => Some((var, &self.vars[var as usize])),
            OperandValue::Scalar(_) | OperandValue::Vector { .. } => None,
        }
    }

    /// Returns the index of the variable of an operand base, and the variable; `None` for constants
    /// and unresolved names.
    pub(crate) fn find_base_var(&self, base: OperandBase) -> Option<(u32, &Var)> {
        match base {
            OperandBase::Var(var) => Some((var, &self.vars[var as usize])),
            OperandBase::Name(_)
            | OperandBase::Path(_)
            | OperandBase::Scalar(_)
            | OperandBase::Vector { .. } => None,
        }
    }

    /// Returns the labels of a SUBROUTINETYPE with their numbers, each once.
    pub(crate) fn find_type_routines(&self, ty: NameId) -> &[(NameId, u32)] {
        self.subroutine_routines.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// Returns the direction, input or output patch, of the first binding of a variable; input for
    /// variables without bindings.
    pub(crate) fn find_direction(&self, var: u32) -> Direction {
        let kind = self.vars[var as usize].kind;
        let bindings = self.bindings_from(kind);
        bindings
            .first()
            .map_or(Direction::Input, |it| it.holder.direction)
    }

    /// Adds components of a result that vertices copy from their input vertex. Declarations of the
    /// same result are combined. NV_geometry_shader_passthrough section 2.X.7.Y.
    pub(crate) fn add_passthrough_result(
        &mut self,
        binding: IoBinding,
        mask: WriteMask,
        span: Span,
    ) {
        let list = &mut self.passthrough_results;
        let existing = list
            .iter_mut()
            .find(|it| it.binding.semantic == binding.semantic);
        match existing {
            // "A component will be passed through if and only if it is identified in one or more
            // PASSTHROUGH declarations."
            Some(known) => known.mask.0 |= mask.0,
            None => list.push(PassthroughResult {
                binding,
                mask,
                span,
            }),
        }
    }

    /// Returns true if a variable is an attribute that may differ within a primitive, which
    /// excludes facing and number of the primitive; true also for one with errors, which were
    /// reported.
    pub(crate) fn is_interpolated(&self, var: u32) -> bool {
        // Both are the same all over a primitive.
        let constant = [Semantic::FaceSign, Semantic::PrimitiveId];
        let kind = self.vars[var as usize].kind;
        let mut semantics = self.attrib_semantics(var);
        kind == VarKind::Poisoned
            || matches!(kind, VarKind::Attrib { .. }) && !semantics.any(|it| constant.contains(&it))
    }

    /// Returns true if the elements of an array must be contiguous once some instruction has a
    /// dynamic index: then instructions with constant indices find them there. Parameters in a
    /// buffer are contiguous anyway.
    pub(crate) fn needs_contiguous_elements(&self, var: u32) -> bool {
        self.vars[var as usize].kind != VarKind::WritableParam
    }

    /// Returns the byte of shared memory after the last one of an access, of these types, to an
    /// operand; `None` if its index is dynamic, or it is not in shared memory.
    pub(crate) fn find_access_end(&self, operand: &Operand, types: InstTypes) -> Option<u64> {
        let (_, var) = self.find_base_var(operand.base)?;
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

    /// Returns the span of the destination of the first instruction that writes a result, which is
    /// not part of an array; `None` if no instruction writes it.
    pub(crate) fn find_first_write(&self, semantic: Semantic) -> Option<Span> {
        // Hardly any program has a variable for either of them.
        let mut results = self.results.iter();
        results.find(|result| result.semantic == semantic)?;
        self.insts.insts.iter().find_map(|line| {
            let dst = line.dst?;
            let var = &self.vars[dst.var as usize];
            let VarKind::Result { first } = var.kind else {
                return None;
            };
            // Neither of the two can be an element of an array, so the first binding of the
            // variable is the one.
            let binding = self.results.get(first as usize)?;
            (binding.semantic == semantic && var.array_size.is_none()).then_some(dst.span)
        })
    }
}
