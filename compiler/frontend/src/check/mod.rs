//! Rules that make a program fail to load: names, types, modifiers, nesting, limits.
//!
//! The result is a [`Checked`] program: every name and binding is a variable, every instruction has its type. Only this module
//! makes one, so lowering can rely on the rules.

mod arb;
mod binding;
mod components;
mod constant;
mod decl;
mod flow;
mod handle;
mod image;
mod inst;
mod interlock;
mod limits;
mod memory;
mod operand;
mod overlap;
mod parameter;
mod relative;
mod subroutine;
mod suggest;
mod texture;
mod types;
mod variable;
mod views;

pub use components::Components;
pub(crate) use constant::{default_constant, literal_bits};
pub(crate) use flow::{call_rules, label_of};
pub(crate) use memory::{BufferLayout, BufferView};
pub use suggest::closest;
pub(crate) use suggest::suggest;
pub(crate) use types::result_type;

use crate::ast::{Ast, Base, Inst, Operand, Statement, Suffix, VarMods};
use crate::codes::Code;
use crate::kept::{self, Memory};
use crate::lang::arb::limits::EXECUTED_INSTRUCTIONS;
use crate::lang::facts::LanguageFacts;
use crate::lang::lenient::Rule;
use crate::lang::options::{self, Features, Group, OptionInfo, Support};
use crate::lang::stage_name;
use crate::names::NameId;
use crate::report::Reports;
use crate::source::{Acceptance, Dialect, Family, Version};
use binding::Bound;
use glasm_ir::flow::Plan;
use glasm_ir::program::Modes;
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{ParamSource, Semantic, Span, Stage, WriteMask};
use rustc_hash::FxHashMap;

/// A variable, declared or made by a binding that is used directly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Var {
    pub(crate) kind: VarKind,
    pub(crate) name: Option<NameId>,
    /// Declared data type.
    pub(crate) base: Option<TypeBase>,
    pub(crate) size: VarSize,
    /// Number of elements of an array.
    pub(crate) array: Option<u32>,
    /// Whether some access has a run-time index.
    pub(crate) relative: bool,
    /// The run-time index that the binding has: the variable is that element of all such bindings. NV_vertex_program3
    /// sections 2.14.3.1 and 2.14.3.4.
    pub(crate) element: Option<u32>,
    pub(crate) span: Span,
}

/// What a variable stands for. `first` is its first binding in the table of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VarKind {
    Temp,
    /// Address register: integers that only indices read.
    Address,
    Attrib {
        first: u32,
    },
    Param {
        first: u32,
    },
    Result {
        first: u32,
    },
    Buffer(BufferView),
    Texture {
        unit: u32,
    },
    Image {
        unit: u32,
    },
    Shared {
        start: u32,
    },
    /// SUBROUTINE: its parameters are in the table of parameters, its labels those of the type.
    Subroutine {
        first: u32,
        ty: NameId,
    },
    /// Declared with errors: uses are not reported.
    Poisoned,
}

/// Size of components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VarSize {
    Short,
    Normal,
    Long,
}

/// An attribute or result binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IoBinding {
    pub(crate) semantic: Semantic,
    pub(crate) base: TypeBase,
    pub(crate) typeless: bool,
}

/// Types of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InstTypes {
    /// Type of the operation; of the element for memory accesses; of the result for CVT.
    pub(crate) ty: Type,
    /// Type of the operand of CVT.
    pub(crate) from: Type,
    /// Components of a memory access.
    pub(crate) components: u8,
}

/// A program that keeps all rules.
#[derive(Debug)]
pub(crate) struct Checked<'s> {
    pub(crate) ast: Ast<'s>,
    pub(crate) vars: Vec<Var>,
    pub(crate) attribs: Vec<IoBinding>,
    pub(crate) params: Vec<ParamSource>,
    pub(crate) results: Vec<IoBinding>,
    /// Types of instructions, by instruction.
    pub(crate) types: Vec<InstTypes>,
    /// What labels, branches and calls come to.
    pub(crate) plan: Plan,
    /// The address register that LOOP sets.
    pub(crate) loop_index: Option<u32>,
    /// See [`Source::step_limit`](crate::Source::step_limit).
    pub(crate) step_limit: Option<u32>,
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
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Named {
    Nothing,
    Var(u32),
    SubroutineType,
    /// A mistake was reported already.
    Poisoned,
}

/// Key of a variable that a binding makes when used directly, and of the result `CC`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Implicit {
    Attrib(Semantic),
    Result(Semantic),
    Param(ParamSource),
    Texture(u32),
    Image(u32),
    CodesTarget,
}

/// The checker's state.
struct Checker<'s> {
    program: Checked<'s>,
    reports: Reports,
    stage: Stage,
    family: Family,
    facts: &'static LanguageFacts,
    version: Version,
    named: Vec<Named>,
    implicit: FxHashMap<Implicit, u32>,
    /// The first of all bindings of a row, where one of them has a run-time index.
    relative_rows: FxHashMap<&'static str, VarKind>,
    /// Paths that were operands before, by their text: programs repeat them.
    operand_paths: FxHashMap<&'s [u8], (u32, Suffix)>,
    /// Paths that were results before.
    result_paths: FxHashMap<&'s [u8], (u32, WriteMask)>,
    /// Results written through declared variables, in programs with sizes of results.
    result_sizes: FxHashMap<Semantic, VarSize>,
    /// Elements of temporaries.
    temporaries: u64,
    /// Address registers.
    addresses: u64,
    /// Elements of parameter arrays.
    parameters: u64,
    /// The type of each `program.subroutine[n]`.
    subroutine_params: FxHashMap<u32, NameId>,
    /// The type of the variable of the last CALI.
    called_type: Option<NameId>,
    group_size_seen: bool,
    shared_seen: bool,
    /// Layout of each program parameter buffer, BUFFER against BUFFER4.
    buffer_layouts: FxHashMap<u32, BufferLayout>,
    /// Row of the target used with each texture image unit.
    unit_targets: FxHashMap<u32, u8>,
    /// Open LOOP blocks.
    open_loops: usize,
    /// Vertex attribute slots: bound by conventional name, by number.
    slots: [[bool; 2]; 16],
}

/// Checks a program. The result is there exactly if no error was found, here or before.
pub(crate) fn check<'s>(
    ast: Ast<'s>,
    reports: Reports,
    memory: &mut Memory,
) -> (Option<Checked<'s>>, Reports) {
    let mut checker = Checker::new(ast, reports, memory);
    checker.options();
    checker.poisoned();
    checker.loop_index();
    checker.statements();
    checker.whole_program();
    let ok = !checker.reports.has_errors();
    (ok.then_some(checker.program), checker.reports)
}

impl<'s> Checker<'s> {
    fn new(ast: Ast<'s>, reports: Reports, memory: &mut Memory) -> Self {
        let dialect: Dialect = ast.dialect;
        let (named, insts) = (vec![Named::Nothing; ast.names.len()], ast.insts.len());
        Self {
            program: Checked {
                ast,
                vars: Vec::with_capacity(16),
                attribs: Vec::new(),
                params: Vec::new(),
                results: Vec::new(),
                types: kept::take(&mut memory.types, insts),
                plan: Plan::default(),
                loop_index: None,
                step_limit: Some(EXECUTED_INSTRUCTIONS),
                features: Features::empty(),
                modes: Modes::default(),
                subroutine_types: FxHashMap::default(),
                subroutine_routines: FxHashMap::default(),
                interpolation: FxHashMap::default(),
                group_size: [1; 3],
                second_layer_offset: None,
                shared_bytes: 0,
            },
            reports,
            stage: dialect.stage(),
            family: dialect.family(),
            facts: dialect.facts(),
            version: dialect.version(),
            named,
            implicit: FxHashMap::default(),
            relative_rows: FxHashMap::default(),
            operand_paths: FxHashMap::default(),
            result_paths: FxHashMap::default(),
            result_sizes: FxHashMap::default(),
            temporaries: 0,
            addresses: 0,
            parameters: 0,
            subroutine_params: FxHashMap::default(),
            called_type: None,
            group_size_seen: false,
            shared_seen: false,
            buffer_layouts: FxHashMap::default(),
            unit_targets: FxHashMap::default(),
            open_loops: 0,
            slots: [[false; 2]; 16],
        }
    }

    /// OPTION lines. NV_gpu_program4 section 2.X.6.
    fn options(&mut self) {
        let mut groups: Vec<(Group, &str)> = Vec::new();
        let mut required = None;
        for (name, span) in std::mem::take(&mut self.program.ast.options) {
            let text = self.program.ast.names.display(name);
            let found = options::lookup(text.as_bytes());
            let row = found.filter(|row| row.known_in(self.program.ast.dialect));
            let Some(row) = row.or_else(|| self.early_option(found, span)) else {
                let known = options::OPTIONS
                    .iter()
                    .filter(|row| row.known_in(self.program.ast.dialect));
                let notes = suggest(&text, known.map(|row| row.name))
                    .into_iter()
                    .collect();
                let message = format!(
                    "unknown option `{text}` in a {} program",
                    stage_name(self.stage)
                );
                self.reports
                    .error_with(Code::OptionUnknown, span, message, notes);
                continue;
            };
            if row.support == Support::Missing {
                self.reports.error(
                    Code::Unsupported,
                    span,
                    format!("option `{text}` is not supported yet"),
                );
            }
            if let Some((_, other)) = groups.iter().find(|&&(group, other)| {
                group == row.group && group != Group::None && other != row.name
            }) {
                let message = format!("option `{text}` excludes `{other}`");
                self.reports.error(Code::OptionConflict, span, message);
            }
            groups.push((row.group, row.name));
            self.program.features |= row.enables;
            (row.mode)(&mut self.program.modes);
            let dependency = row.requires.filter(|it| it.stages.has(self.stage));
            required = dependency.map(|it| (it, span)).or(required);
        }
        // No stage has options with different dependencies.
        if let Some((dependency, span)) = required
            && !self.has_option(dependency.features)
        {
            let message = dependency.message;
            self.reports.error(Code::OptionNeedsOther, span, message);
        }
    }

    /// An option of version 5.0 that drivers know from 4.0 on.
    #[cold]
    fn early_option(
        &mut self,
        found: Option<&'static OptionInfo>,
        span: Span,
    ) -> Option<&'static OptionInfo> {
        let dialect = self.program.ast.dialect;
        let row =
            found.filter(|row| row.enables == Features::DUAL_SOURCE && row.known_later(dialect))?;
        let message = format!(
            "option `{}` needs language version {}",
            row.name,
            row.since.name()
        );
        let accepted = self.reports.acceptance() == Acceptance::Shipped;
        accepted.then(|| {
            self.reports.lenient(Rule::DualSourceEarly, span, message);
            row
        })
    }

    fn poisoned(&mut self) {
        for name in std::mem::take(&mut self.program.ast.poisoned) {
            self.named[name.index()] = Named::Poisoned;
        }
    }

    fn statements(&mut self) {
        let mut flow = flow::Flow::default();
        let mut insts = std::mem::take(&mut self.program.ast.insts);
        let mut operands = std::mem::take(&mut self.program.ast.operands);
        for index in 0..self.program.ast.statements.len() {
            if self.reports.is_full() || flow.too_deep {
                break;
            }
            match self.program.ast.statements[index] {
                Statement::Inst(number) => {
                    let inst = &mut insts[number as usize];
                    let first = inst.first_operand as usize;
                    self.inst(
                        inst,
                        &mut operands[first..first + inst.operand_count as usize],
                    );
                    self.flow_inst(&mut flow, inst);
                }
                Statement::Decl(number) => self.decl(number),
                Statement::Label(number) => {
                    let (name, span) = self.program.ast.labels[number as usize];
                    self.label(&mut flow, name, span);
                }
            }
        }
        self.program.ast.insts = insts;
        self.program.ast.operands = operands;
        if !flow.too_deep {
            self.end_of_flow(flow);
        }
    }

    /// Rules that need the whole program.
    fn whole_program(&mut self) {
        let variable = self.has_option(Features::VARIABLE_GROUP_SIZE);
        if self.stage == Stage::Compute && !self.group_size_seen && !variable {
            self.reports.whole(
                Code::GroupSize,
                "compute programs need a GROUP_SIZE declaration",
            );
        }
        self.viewport_and_mask();
        self.overlaps();
        self.whole_limits();
    }

    fn name_text(&self, name: NameId) -> String {
        self.program.ast.names.display(name)
    }

    /// The name of a variable for messages.
    fn var_text(&self, var: u32) -> String {
        match self.program.vars[var as usize].name {
            Some(name) => format!("`{}`", self.name_text(name)),
            None => "the binding".to_owned(),
        }
    }

    fn source_text(&self, span: Span) -> String {
        String::from_utf8_lossy(&self.program.ast.text[span.range()]).into_owned()
    }

    /// The variable of a name; reports a name that is not declared, once.
    #[inline]
    fn var_of(&mut self, name: NameId, span: Span) -> Option<u32> {
        match self.named[name.index()] {
            Named::Var(var) => Some(var),
            Named::Poisoned => None,
            Named::SubroutineType => {
                let text = self.name_text(name);
                let message = format!("`{text}` is a SUBROUTINETYPE");
                self.reports.error(Code::OperandNotVariable, span, message);
                None
            }
            Named::Nothing => {
                self.undeclared(name, span);
                None
            }
        }
    }

    #[cold]
    fn undeclared(&mut self, name: NameId, span: Span) {
        self.named[name.index()] = Named::Poisoned;
        let text = self.name_text(name);
        let declared: Vec<String> = (self.program.ast.names.iter())
            .filter(|(other, _)| matches!(self.named[other.index()], Named::Var(_)))
            .map(|(_, text)| String::from_utf8_lossy(text).into_owned())
            .collect();
        let notes = suggest(&text, declared.iter().map(String::as_str))
            .into_iter()
            .collect();
        let span = Span::new(span.start, span.start + text.len() as u32);
        self.reports.error_with(
            Code::UndeclaredName,
            span,
            format!("`{text}` is not declared"),
            notes,
        );
    }
}

impl Checked<'_> {
    /// The attribute or result bindings from the first one of a variable on; none if it is neither.
    pub(crate) fn bindings_of(&self, kind: VarKind) -> &[IoBinding] {
        let (first, table) = match kind {
            VarKind::Attrib { first } => (first, &self.attribs),
            VarKind::Result { first } => (first, &self.results),
            VarKind::Temp
            | VarKind::Address
            | VarKind::Param { .. }
            | VarKind::Buffer(_)
            | VarKind::Texture { .. }
            | VarKind::Image { .. }
            | VarKind::Shared { .. }
            | VarKind::Subroutine { .. }
            | VarKind::Poisoned => return &[],
        };
        table.get(first as usize..).unwrap_or_default()
    }

    /// Sets [`Source::step_limit`](crate::Source::step_limit), which else has its default.
    #[must_use]
    pub(crate) fn with_step_limit(self, step_limit: Option<u32>) -> Self {
        Self { step_limit, ..self }
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

    #[inline]
    pub(crate) fn operand(&self, inst: &Inst, number: usize) -> Operand {
        self.ast.operands[inst.first_operand as usize + number]
    }
}

impl Var {
    /// Whether its elements have places of their own in the translation.
    pub(crate) fn has_places(&self) -> bool {
        matches!(
            self.kind,
            VarKind::Temp
                | VarKind::Address
                | VarKind::Attrib { .. }
                | VarKind::Param { .. }
                | VarKind::Subroutine { .. }
                | VarKind::Result { .. }
        )
    }

    /// Width of its lanes.
    pub(crate) fn width(&self) -> Width {
        if self.is_long() {
            Width::W64
        } else {
            Width::W32
        }
    }

    /// Whether a register of 64-bit lanes holds it.
    pub(crate) fn is_long(&self) -> bool {
        self.size == VarSize::Long
    }
}
