//! What all rules share: the program as far as it is checked, names, messages. Rules stand above this file, each in one of its own.

use super::blocks::Flow;
use super::usage::Usage;
use crate::ast::{Ast, Base, Index, Literal, Relative, Suffix, VarMods};
use crate::codes::Code;
use crate::diag::Diagnostic;
use crate::lang::bindings::BindingInfo;
use crate::lang::declarations::{DECLARATIONS, Declaration};
use crate::lang::facts::LanguageFacts;
use crate::lang::lenient::Rule;
use crate::lang::options::{self, Features, Group};
use crate::line::{Lines, Value};
use crate::names::{NameId, Names};
use crate::report::Reports;
use crate::source::{Dialect, Family, Version};
use crate::syntax::{Leader, SyntaxMemory, find_leader};
use crate::vars::{BufferLayout, Implicit, IoBinding, Var, VarKind, VarSize};
use glasm_ir::flow::{CallGraph, Cfg};
use glasm_ir::program::Modes;
use glasm_ir::{ParamSource, Semantic, Span, Stage, WriteMask};
use rustc_hash::FxHashMap;
use std::fmt::Display;

/// A result that vertices take from those that come in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) binding: IoBinding,
    pub(crate) mask: WriteMask,
    pub(super) span: Span,
}

/// What instructions use of the registers of a program.
#[derive(Debug, Default)]
pub(super) struct RegisterUse {
    /// A bit for each result that an instruction writes.
    pub(super) results: u32,
    /// Size of the temporaries that instructions name, where they and results share a limit.
    pub(super) room: u32,
    /// Whether the program was found to write its color under two precisions.
    pub(super) has_two_colors: bool,
    /// Whether an instruction writes a parameter.
    pub(super) parameters: bool,
}

/// Program in which everything is resolved.
#[derive(Debug)]
pub(crate) struct Checked<'s> {
    pub(crate) dialect: Dialect,
    /// Program string.
    pub(crate) text: &'s [u8],
    /// Names, once checking has ended.
    pub(crate) names: Names<'s>,
    /// Numeric literals, once checking has ended.
    pub(crate) literals: Vec<Literal>,
    /// Pairs of indices, once checking has ended.
    pub(crate) pairs: Vec<[Index; 2]>,
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
    /// What can run and what can call itself, once checking has ended.
    pub(crate) call_graph: CallGraph,
    /// The address register that LOOP sets.
    pub(crate) loop_index: Option<u32>,
    pub(crate) features: Features,
    /// What options mean for the program as a whole.
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
    /// Results that vertices take from those that come in.
    pub(crate) passed: Vec<Passed>,
    /// The numbers by which it names what GL limits.
    pub(super) usage: Usage,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Named {
    #[default]
    Nothing,
    /// Variable by its index.
    Var(u32),
    SubroutineType,
    /// A mistake was reported already.
    Poisoned,
}

/// What the statements so far say about a name or a binding path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Symbol {
    pub(super) named: Named,
    /// Variable and suffix of a binding path that was an operand before.
    pub(super) operand: Option<(u32, Suffix)>,
    /// Variable and mask of a binding path that was a result before.
    pub(super) result: Option<(u32, WriteMask)>,
}

/// Checker of a program, with what it has resolved so far.
pub(crate) struct Checker<'s> {
    pub(super) program: Checked<'s>,
    /// Syntax tree, in which names and paths of operands are replaced by variables.
    pub(super) ast: Ast<'s>,
    pub(super) reports: Reports,
    /// Syntax errors that are not reported yet.
    pub(super) syntax_errors: std::vec::IntoIter<Diagnostic>,
    /// Number of syntax errors that are.
    pub(super) syntax_error_count: usize,
    /// Number of names in [`Ast::poisoned`] that are marked.
    pub(super) poisoned: usize,
    /// What the statements so far say about each name.
    pub(super) symbols: Vec<Symbol>,
    /// Names of single numbers, which vectors may hold.
    pub(super) numbers: FxHashMap<NameId, Literal>,
    /// Number of literals in [`Ast::named_literals`] that are resolved.
    pub(super) named_literals: usize,
    pub(super) stage: Stage,
    pub(super) family: Family,
    pub(super) facts: &'static LanguageFacts,
    pub(super) version: Version,
    /// Attributes or results of the declaration that is being checked, by row and number.
    pub(super) io_elements: Vec<(&'static BindingInfo, u32)>,
    /// The OPTION lines so far.
    pub(super) options: Options,
    /// Names that were reported as not declared.
    pub(super) undeclared: Vec<(NameId, Span)>,
    pub(super) implicit: FxHashMap<Implicit, u32>,
    /// For each row of which some binding has a run-time index, by its path: the array of all bindings of the row.
    pub(super) relative_rows: FxHashMap<&'static str, VarKind>,
    /// Results written through declared variables, in programs with sizes of results.
    pub(super) result_sizes: FxHashMap<Semantic, VarSize>,
    /// Elements of temporaries.
    pub(super) temporaries: u64,
    /// Address registers.
    pub(super) addresses: u64,
    /// Elements of parameter arrays.
    pub(super) parameters: u64,
    /// The type of each `program.subroutine[n]`.
    pub(super) subroutine_params: FxHashMap<u32, NameId>,
    /// The type of the variable of the last CALI.
    pub(super) called_type: Option<NameId>,
    /// Positions of the first declaration of each kind about the program as a whole.
    pub(super) declared: [Option<u32>; DECLARATIONS.len()],
    pub(super) group_size_seen: bool,
    /// Errors that depend on a later declaration: the declaration and the largest number that was reported.
    pub(super) early_errors: Vec<(Declaration, Code, u32)>,
    /// Position of the first SHARED_MEMORY.
    pub(super) shared_declared: Option<u32>,
    /// Layout of each program parameter buffer, BUFFER against BUFFER4.
    pub(super) buffer_layouts: FxHashMap<u32, BufferLayout>,
    /// Row of the target used with each texture image unit.
    pub(super) unit_targets: FxHashMap<u32, u8>,
    pub(super) flow: Flow,
    /// Open LOOP blocks.
    pub(super) open_loops: usize,
    /// Vertex attribute slots: bound by conventional name, by number.
    pub(super) slots: [[bool; 2]; 16],
    /// What programs of registers use of them.
    pub(super) registers: RegisterUse,
}

/// What the OPTION lines so far have set.
pub(super) struct Options {
    /// Groups of options that exclude each other, with the option of each.
    pub(super) groups: Vec<(Group, &'static str)>,
    /// What an option needs.
    pub(super) required: Option<(options::Dependency, Span)>,
}

/// Lists that checkers use one after the other.
#[derive(Debug, Default)]
pub(crate) struct RuleMemory {
    pub(crate) syntax: SyntaxMemory,
    pub(super) vars: Vec<Var>,
    pub(super) attribs: Vec<IoBinding>,
    pub(super) params: Vec<ParamSource>,
    pub(super) named_params: Vec<(NameId, [u32; 4])>,
    pub(super) results: Vec<IoBinding>,
    pub(super) implicit: FxHashMap<Implicit, u32>,
    pub(super) io_elements: Vec<(&'static BindingInfo, u32)>,
    pub(super) symbols: Vec<Symbol>,
    pub(super) numbers: FxHashMap<NameId, Literal>,
    pub(super) relatives: Vec<Relative<Value>>,
    pub(super) flow: Flow,
    pub(super) cfg: Option<Cfg>,
    pub(super) lines: Lines,
    pub(super) usage: Usage,
    pub(super) option_groups: Vec<(Group, &'static str)>,
    pub(super) interpolation: FxHashMap<Semantic, VarMods>,
    pub(super) result_sizes: FxHashMap<Semantic, VarSize>,
    pub(super) unit_targets: FxHashMap<u32, u8>,
    pub(super) buffer_layouts: FxHashMap<u32, BufferLayout>,
}

impl Checker<'_> {
    /// Whether an error was found so far.
    #[inline]
    pub(crate) fn has_errors(&self) -> bool {
        self.reports.has_errors()
    }

    /// Reports an error; see [`Reports::error`].
    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.reports.error(code, span, message);
    }

    /// See [`Reports::error_with`].
    pub(super) fn error_with(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        notes: Vec<String>,
    ) {
        self.reports.error_with(code, span, message, notes);
    }

    /// See [`Reports::whole`].
    pub(super) fn whole(&mut self, code: Code, message: impl Into<String>) {
        self.reports.whole(code, message);
    }

    /// See [`Reports::lenient`].
    pub(super) fn lenient(&mut self, rule: Rule, span: Span, message: impl Into<String>) -> bool {
        self.reports.lenient(rule, span, message)
    }

    /// Returns what a name means at the start of a statement.
    pub(super) fn leader(&self, name: NameId) -> Leader {
        find_leader(self.ast.dialect, self.ast.names.text(name))
    }

    pub(super) fn name_text(&self, name: NameId) -> String {
        self.ast.names.display(name)
    }

    /// The name of a variable for messages.
    pub(super) fn var_text(&self, var: u32) -> String {
        match self.program.vars[var as usize].name {
            Some(name) => format!("`{}`", self.name_text(name)),
            None => "the binding".to_owned(),
        }
    }

    pub(super) fn source_text(&self, span: Span) -> String {
        String::from_utf8_lossy(&self.ast.text[span.range()]).into_owned()
    }

    pub(super) fn has_option(&self, feature: Features) -> bool {
        self.program.features.contains(feature)
    }

    /// Whether this is an ARB program without any of the NV instruction sets.
    #[inline]
    pub(super) fn is_plain_arb(&self) -> bool {
        // Languages other than ARB ones have no such options, hence the test for none: they are not plain ARB programs.
        let sets = self.facts.instruction_sets;
        !sets.is_empty() && !self.program.features.intersects(sets)
    }

    /// Whether a name is that of the address register of loops, which is declared by its first use. NV_fragment_program2 section
    /// 3.11.3.Y.
    pub(super) fn is_loop_index(&self, name: NameId) -> bool {
        self.program.loop_index.is_none()
            && self.has_option(Features::NV_FRAGMENT_2)
            && self.ast.names.text(name) == b"A0"
    }

    /// Declares the address register of loops.
    pub(super) fn declare_loop_index(&mut self, name: NameId) -> u32 {
        let var = Var {
            name: Some(name),
            // No place in the text declares it.
            ..Var::unnamed(VarKind::Address, Span::default())
        };
        let number = self.program.vars.len() as u32;
        self.program.vars.push(var);
        self.symbols[name.index()].named = Named::Var(number);
        self.program.loop_index = Some(number);
        number
    }

    /// The semantic of a binding, for rules about single bindings.
    pub(super) fn attrib_semantics(&self, var: u32) -> impl Iterator<Item = Semantic> + '_ {
        let info = self.program.vars[var as usize];
        let count = info.array.unwrap_or(1) as usize;
        let bindings = self.program.bindings_of(info.kind);
        bindings.iter().take(count).map(|binding| binding.semantic)
    }

    /// Decides whether the program is of this version or a later one; if not, reports that `feature`, such as "handles need", wants it.
    pub(super) fn need_version(
        &mut self,
        since: Version,
        span: Span,
        feature: impl Display,
    ) -> bool {
        let is_there = self.version >= since;
        if !is_there {
            let message = format!("{feature} language version {}", since.name());
            self.error(Code::FeatureNewer, span, message);
        }
        is_there
    }

    /// Decides whether options have enabled `needs`; if not, reports that `feature`, such as "handles need", wants the option for it.
    pub(super) fn need_option(
        &mut self,
        needs: Features,
        span: Span,
        feature: impl Display,
    ) -> bool {
        // One option may bring several of the missing features; the message names such a one.
        let missing = needs.difference(self.program.features);
        // No features needed is always fulfilled: rows without a need have the empty set.
        if !missing.is_empty() {
            let message = format!("{feature} OPTION {}", missing.option());
            self.error(Code::FeatureOption, span, message);
        }
        missing.is_empty()
    }
}

impl Checked<'_> {
    /// The attribute or result bindings from the first one of a variable on; none if it is neither.
    pub(crate) fn bindings_of(&self, kind: VarKind) -> &[IoBinding] {
        // Not a match: of all the kinds only two have bindings of this sort.
        let (first, table) = if let VarKind::Attrib { first } = kind {
            (first, &self.attribs)
        } else if let VarKind::Result { first } = kind {
            (first, &self.results)
        } else {
            return &[];
        };
        // A declaration with errors may have a number without bindings behind it.
        table.get(first as usize..).unwrap_or_default()
    }

    /// The variable of a source, if it is one.
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

    /// The labels of a SUBROUTINETYPE with their numbers, each once.
    pub(crate) fn routines_of(&self, ty: NameId) -> &[(NameId, u32)] {
        self.subroutine_routines.get(&ty).map_or(&[], Vec::as_slice)
    }
}
