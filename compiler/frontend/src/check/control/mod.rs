//! Control flow: open blocks, jumps and critical sections, and indirect calls with their types,
//! variables and numbers of subroutines. ARB_shader_subroutine section 2.X.5.

pub(crate) mod flow;

use crate::ast::{Decl, DeclItem};
use crate::check::control::flow::FlowRules;
use crate::check::declarations::DeclarationRules;
use crate::check::names::NameEntity;
use crate::check::program::resource_usage::find_number_span;
use crate::codes::Code;
use crate::interner::NameId;
use crate::lang::limits;
use crate::lang::limits::LimitedItem;
use crate::lang::opcodes::FlowOp;
use crate::source::Version;
use crate::variables::VarKind;
use glasm_ir::cfg::{BasicBlockId, LabelId};
use glasm_ir::{Id, ParamSource, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// An open block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenBlock {
    pub(crate) kind: OpenBlockKind,
    pub(crate) span: Span,
    /// A REP without count that has seen neither a BRK for it nor a RET inside.
    pub(crate) is_endless: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpenBlockKind {
    If,
    Else,
    Rep,
    Loop,
}

impl OpenBlockKind {
    /// Returns true for loops: `REP` and `LOOP`.
    pub(crate) fn is_loop(self) -> bool {
        matches!(self, Self::Rep | Self::Loop)
    }

    /// Returns the word that opens such a block, for ELSE that of its IF; the closing word is `END`
    /// followed by this.
    pub(crate) fn keyword(self) -> &'static str {
        // ELSE does not open a block: ENDIF closes both.
        match self {
            Self::If | Self::Else => "IF",
            Self::Rep => "REP",
            Self::Loop => "LOOP",
        }
    }
}

/// A branch, or a call of a label or of the labels of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jump {
    pub(crate) from_block: BasicBlockId,
    pub(crate) target: JumpTarget,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum JumpTarget {
    BranchLabel(NameId),
    CallLabel(NameId),
    CallType(NameId),
}

/// An FSIB or FSIE.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InterlockOp {
    pub(crate) op: FlowOp,
    pub(crate) block: BasicBlockId,
    /// True if it is inside of IF or REP.
    pub(crate) is_nested: bool,
    pub(crate) span: Span,
}

/// Flow control of the statements up to the current one.
#[derive(Debug, Default)]
pub(crate) struct FlowState {
    pub(crate) open_blocks: Vec<OpenBlock>,
    pub(crate) jumps: Vec<Jump>,
    /// FSIB and FSIE.
    pub(crate) interlocks: Vec<InterlockOp>,
    /// Too many blocks are open.
    pub(crate) is_too_deep: bool,
}

impl FlowState {
    /// Clears the state for another program.
    pub(crate) fn reset(&mut self) {
        self.open_blocks.clear();
        self.jumps.clear();
        self.interlocks.clear();
        self.is_too_deep = false;
    }
}

/// Returns the label of the control-flow graph that a name denotes; [`name_from_label`] reverses
/// this.
pub(crate) fn label_from_name(name: NameId) -> LabelId {
    // Labels have a separate name space, so the number of the name can be that of the label.
    LabelId::new(name.index())
}

/// Converts a label of the control-flow graph to its name in the source; both have the same index.
pub(crate) fn name_from_label(label: LabelId) -> NameId {
    NameId::from_index(label.index())
}

impl DeclarationRules<'_, '_, '_> {
    /// Declares a subroutine type (SUBROUTINETYPE), or adds labels to one, which are resolved when
    /// the program ends. Reports versions that do not have it, and a name that denotes a variable.
    pub(crate) fn declare_subroutine_type(&mut self, decl: &Decl) {
        let Some((name, span)) = decl.name else {
            return;
        };
        self.resolver
            .cx
            .require_version(Version::V5_0, decl.span, "SUBROUTINETYPE needs");
        let named = &mut self.resolver.symbols.names[name.index()].entity;
        match named {
            // A type may be declared several times: each statement adds labels to it.
            NameEntity::Undeclared | NameEntity::SubroutineType => {
                *named = NameEntity::SubroutineType
            }
            NameEntity::Poisoned => return,
            NameEntity::Var(_) => {
                let text = self.resolver.cx.display_name(name);
                let message = format!("`{text}` is declared already");
                self.resolver
                    .cx
                    .report_error(Code::DuplicateName, span, message);
                return;
            }
        }
        let labels: Vec<_> = (self.resolver.cx.ast.items(decl).iter())
            .filter_map(|item| match *item {
                DeclItem::Name(label, _, span) => Some((label, span)),
                DeclItem::Path(_)
                | DeclItem::Scalar(_)
                | DeclItem::Vector { .. }
                | DeclItem::Number(..) => None,
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

    /// Returns the kind of a SUBROUTINE variable over these parameters, which it adds to the
    /// program, and records their type. Returns `None` after reporting an unknown type, or
    /// parameters that variables of another type have.
    pub(crate) fn create_subroutine_kind(
        &mut self,
        decl: &Decl,
        params: &[u32],
    ) -> Option<VarKind> {
        let Some(&DeclItem::Name(ty, _, ty_span)) = self.resolver.cx.ast.items(decl).first() else {
            return None;
        };
        if self.resolver.symbols.names[ty.index()].entity != NameEntity::SubroutineType {
            let text = self.resolver.cx.display_name(ty);
            let message = format!("`{text}` is not a SUBROUTINETYPE");
            self.resolver
                .cx
                .report_error(Code::SubroutineType, ty_span, message);
            return None;
        }
        // "A program subroutine parameter may only be assigned to subroutine variables of a single
        // SUBROUTINETYPE."
        for &param in params {
            // A parameter holds a number, which is relative to one type: two variables of different
            // types cannot share it.
            let declared_ty = *self.state.subroutine_params.entry(param).or_insert(ty);
            if declared_ty != ty {
                let declared_name = self.resolver.cx.display_name(declared_ty);
                let message =
                    format!("program.subroutine[{param}] is of type `{declared_name}` already");
                self.resolver
                    .cx
                    .report_error(Code::SubroutineType, decl.span, message);
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
    /// Stores the routines of each subroutine type, with their numbers, in the program. Reports
    /// labels of types that are not defined or have no number, and numbers that occur twice or are
    /// too large.
    pub(crate) fn resolve_subroutine_numbers(&mut self) {
        let label_numbers = self.collect_numbered_labels();
        let cfg = &self.program.cfg;
        let is_defined = |name| cfg.find_label(label_from_name(name)).is_some();
        let mut unnumbered_labels: Vec<(NameId, Span)> = Vec::new();
        for (&ty, list) in &self.program.subroutine_types {
            let mut seen: FxHashSet<NameId> = FxHashSet::default();
            let mut routines = Vec::new();
            for &(name, span) in list {
                match label_numbers.get(&name).filter(|_| is_defined(name)) {
                    // A type may name a label twice; it is one target of calls.
                    Some(&number) if seen.insert(name) => routines.push((name, number)),
                    Some(_) => {}
                    None => unnumbered_labels.push((name, span)),
                }
            }
            self.program.subroutine_routines.insert(ty, routines);
        }
        // The map of types is unordered; messages are in source order.
        unnumbered_labels.sort_by_key(|(_, span)| span.start);
        self.report_missing_labels(unnumbered_labels);
    }

    /// Reports labels of a SUBROUTINETYPE that are not defined or have no SUBROUTINENUM.
    fn report_missing_labels(&mut self, missing: Vec<(NameId, Span)>) {
        for (name, span) in missing {
            let (code, problem) = match self.program.cfg.find_label(label_from_name(name)) {
                Some(_) => (Code::SubroutineNumber, "has no SUBROUTINENUM"),
                None => (Code::UndefinedLabel, "is not defined"),
            };
            let message = format!("label `{}` {problem}", self.cx.display_name(name));
            self.cx.report_error(code, span, message);
        }
    }

    /// Returns the number of each label that SUBROUTINENUM declarations give one. Reports numbers
    /// that occur twice, or are too large, and records them for the limits that GL reports.
    /// ARB_shader_subroutine section 2.X.5.
    fn collect_numbered_labels(&mut self) -> FxHashMap<NameId, u32> {
        let mut labels: FxHashMap<u32, NameId> = FxHashMap::default();
        let limit = limits::SUBROUTINE_NUMBERS;
        // "Functions that will be used for indirect subroutine calls must all be assigned a unique
        // unsigned integer."
        for (name, number, span) in self.cx.ast.subroutine_numbers.clone() {
            let number_span = find_number_span(self.cx.ast.text, span, number);
            if let Some(&other) = labels.get(&number) {
                let message = format!(
                    "`{}` has the number {number} already",
                    self.cx.display_name(other)
                );
                self.cx.report_error(Code::SubroutineNumber, span, message);
                continue;
            }
            // The label has a number even if that is too large, which is a single error.
            labels.insert(number, name);
            if number >= limit {
                let message = format!("subroutine numbers are below {limit}");
                self.cx
                    .report_error(Code::SubroutineNumber, number_span, message);
            }
            let usage = &mut self.program.index_usage;
            usage.record(LimitedItem::SubroutineNumbers, number, || Some(number_span));
        }
        labels
            .into_iter()
            .map(|(number, name)| (name, number))
            .collect()
    }
}
