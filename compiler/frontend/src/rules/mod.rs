//! Rules that make a program fail to load: names, types, modifiers, nesting, limits.
//!
//! A [`Checker`] reads a program statement by statement. Of each instruction that keeps the rules it makes a line of [`Checked`], in
//! which every name and binding is a variable and every type is known. Only this module makes lines, so lowering can rely on the rules.

mod address;
mod arb;
mod binding;
mod buffers;
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
mod needs;
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

pub(crate) use crate::vars::{BufferLayout, Implicit, IoBinding, Var, VarKind, VarSize};
pub use components::Components;
pub(crate) use constant::{default_constant, literal_bits};
pub(crate) use flow::{Flow, call_rules, label_of};
pub use suggest::closest;
pub(crate) use suggest::suggest;
pub(crate) use types::result_type;

use crate::ast::{Ast, Base, Inst, InstTypes, VarMods};
use crate::codes::Code;
use crate::header::Start;
use crate::kept::{self, RuleMaps, Scratch};
use crate::lang::bindings::BindingInfo;
use crate::lang::facts::LanguageFacts;
use crate::lang::lenient::Rule;
use crate::lang::options::{self, Features, Group, OptionInfo, Support};
use crate::lang::stage_name;
use crate::line::{Lines, Value};
use crate::names::{NameId, Named};
use crate::report::Reports;
use crate::source::{Acceptance, Dialect, Family, Version};
use crate::syntax::{Read, Syntax};
use binding::Bound;
use glasm_ir::flow::Plan;
use glasm_ir::program::Modes;
use glasm_ir::{ParamSource, Semantic, Span, Stage};
use rustc_hash::FxHashMap;

/// What the rules have made of the text so far.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) dialect: Dialect,
    pub(crate) vars: Vec<Var>,
    pub(crate) attribs: Vec<IoBinding>,
    pub(crate) params: Vec<ParamSource>,
    pub(crate) results: Vec<IoBinding>,
    pub(crate) lines: Lines,
    /// The routines that labels, branches and calls make of the text, once the end of it is reached.
    pub(crate) plan: Plan,
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
}

/// What a statement was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// An instruction: the last line of [`Checked::lines`] is made of it.
    Inst,
    Label(NameId),
    /// One that only rules need: a declaration, an option, or nothing that could be read.
    Other,
}

/// Reads and checks a program, one statement after the other.
pub(crate) struct Checker<'s> {
    program: Checked,
    /// The byte behind the header.
    body: usize,
    /// The statement that was read last, and what the parser knows.
    syntax: Syntax<'s>,
    stage: Stage,
    family: Family,
    facts: &'static LanguageFacts,
    version: Version,
    /// Attributes or results of the declaration that is being checked, by row and number.
    io_elements: Vec<(&'static BindingInfo, u32)>,
    /// The OPTION lines so far.
    options: Options,
    /// Names that were reported as not declared.
    undeclared: Vec<(NameId, Span)>,
    implicit: FxHashMap<Implicit, u32>,
    /// For each row of which some binding has a run-time index, by its path: the array of all bindings of the row.
    relative_rows: FxHashMap<&'static str, VarKind>,
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
    flow: Flow,
    /// Open LOOP blocks.
    open_loops: usize,
    /// Vertex attribute slots: bound by conventional name, by number.
    slots: [[bool; 2]; 16],
}

/// What the OPTION lines so far have set.
struct Options {
    /// Groups of options that exclude each other, with the option of each.
    groups: Vec<(Group, &'static str)>,
    /// What an option needs.
    required: Option<(options::Dependency, Span)>,
}

impl<'s> Checker<'s> {
    /// Before the first statement.
    pub(crate) fn new(start: Start<'s>, scratch: &mut Scratch) -> Self {
        let dialect = start.dialect;
        let body = start.body;
        let syntax = Syntax::new(start, scratch);
        Self {
            program: Checked {
                dialect,
                vars: kept::take(&mut scratch.vars, 0),
                attribs: kept::take(&mut scratch.attribs, 0),
                params: kept::take(&mut scratch.params, 0),
                results: kept::take(&mut scratch.results, 0),
                lines: std::mem::take(&mut scratch.lines),
                plan: Plan::default(),
                loop_index: None,
                modes: Default::default(),
                features: Features::empty(),
                subroutine_types: FxHashMap::default(),
                subroutine_routines: FxHashMap::default(),
                interpolation: kept::take_map(&mut scratch.maps.interpolation),
                group_size: [1; 3],
                second_layer_offset: None,
                shared_bytes: 0,
            },
            body,
            flow: std::mem::take(&mut scratch.flow).emptied(),
            syntax,
            io_elements: kept::take(&mut scratch.io_elements, 0),
            options: Options {
                groups: kept::take(&mut scratch.maps.option_groups, 0),
                required: None,
            },
            undeclared: Vec::new(),
            stage: dialect.stage(),
            family: dialect.family(),
            facts: dialect.facts(),
            version: dialect.version(),
            implicit: kept::take_map(&mut scratch.implicit),
            relative_rows: FxHashMap::default(),
            result_sizes: kept::take_map(&mut scratch.maps.result_sizes),
            temporaries: 0,
            addresses: 0,
            parameters: 0,
            subroutine_params: FxHashMap::default(),
            called_type: None,
            group_size_seen: false,
            shared_seen: false,
            buffer_layouts: kept::take_map(&mut scratch.maps.buffer_layouts),
            unit_targets: kept::take_map(&mut scratch.maps.unit_targets),
            open_loops: 0,
            slots: [[false; 2]; 16],
        }
    }

    /// An OPTION line. NV_gpu_program4 section 2.X.6.
    fn option(&mut self, name: NameId, span: Span) {
        let text = self.syntax.ast.names.word(name);
        let found = options::lookup(text.as_bytes());
        let row = found.filter(|row| row.known_in(self.syntax.ast.dialect));
        let Some(row) = row.or_else(|| self.early_option(found, span)) else {
            return self.unknown_option(text, span);
        };
        if row.support == Support::Missing {
            let message = format!("option `{text}` is not supported yet");
            self.error(Code::Unsupported, span, message);
        }
        let excludes = |&&(group, other): &&(Group, &str)| {
            group == row.group && group != Group::None && other != row.name
        };
        if let Some((_, other)) = self.options.groups.iter().find(excludes) {
            let message = format!("option `{text}` excludes `{other}`");
            let reports = &mut self.syntax.reports;
            reports.error(Code::OptionConflict, span, message);
        }
        self.options.groups.push((row.group, row.name));
        self.program.features |= row.enables;
        // Some words are conditions under options only.
        self.syntax.features = self.program.features;
        (row.mode)(&mut self.program.modes);
        if let Some(dependency) = row.requires.filter(|it| it.stages.has(self.stage)) {
            self.options.required = Some((dependency, span));
        }
    }

    #[cold]
    fn unknown_option(&mut self, text: &str, span: Span) {
        let known = options::OPTIONS
            .iter()
            .filter(|row| row.known_in(self.syntax.ast.dialect));
        let notes = suggest(text, known.map(|row| row.name));
        let message = format!(
            "unknown option `{text}` in a {} program",
            stage_name(self.stage)
        );
        let (code, notes) = (Code::OptionUnknown, notes.into_iter().collect());
        self.error_with(code, span, message, notes);
    }

    /// Options that need others, which may stand behind them.
    fn option_dependencies(&mut self) {
        // No stage has options with different dependencies.
        if let Some((dependency, span)) = self.options.required
            && !self.has_option(dependency.features)
        {
            let (code, message) = (Code::OptionNeedsOther, dependency.message);
            self.error(code, span, message);
        }
    }

    /// An option of version 5.0 that drivers know from 4.0 on.
    #[cold]
    fn early_option(
        &mut self,
        found: Option<&'static OptionInfo>,
        span: Span,
    ) -> Option<&'static OptionInfo> {
        let dialect = self.syntax.ast.dialect;
        let row =
            found.filter(|row| row.enables == Features::DUAL_SOURCE && row.known_later(dialect))?;
        let message = format!(
            "option `{}` needs language version {}",
            row.name,
            row.since.name()
        );
        let accepted = self.syntax.reports.acceptance() == Acceptance::Shipped;
        accepted.then(|| {
            self.lenient(Rule::DualSourceEarly, span, message);
            row
        })
    }

    /// The names of a declaration that could not be read: neither their later uses nor those before are errors of their own.
    #[cold]
    fn poison_names(&mut self) {
        for name in std::mem::take(&mut self.syntax.ast.poisoned) {
            let named = &mut self.syntax.words[name.index()].named;
            if *named == Named::Nothing {
                *named = Named::Poisoned;
            }
            for &(_, span) in self.undeclared.iter().filter(|(other, _)| *other == name) {
                self.syntax.reports.retract(Code::UndeclaredName, span);
            }
        }
    }

    /// Reads and checks the next statement; `None` at the end of the program.
    #[inline]
    pub(crate) fn next_statement(&mut self) -> Option<Statement> {
        self.syntax.ast.forget_statement();
        if !self.syntax.read_statement() {
            return None;
        }
        if !self.syntax.ast.poisoned.is_empty() {
            self.poison_names();
        }
        match self.syntax.read {
            Some(Read::Option(name, span)) => self.option(name, span),
            // Beyond the limit of nested blocks the program is read for errors of syntax only.
            Some(_) if self.flow.too_deep => {}
            Some(Read::Inst(inst)) => {
                self.instruction(inst);
                return Some(Statement::Inst);
            }
            Some(Read::Decl(number)) => self.decl(number),
            Some(Read::Label(name, span)) => {
                self.label(name, span);
                return Some(Statement::Label(name));
            }
            None => {}
        }
        Some(Statement::Other)
    }

    #[inline(always)]
    fn instruction(&mut self, mut inst: Inst) {
        let mut operands = std::mem::take(&mut self.syntax.ast.operands);
        let types = self.inst(&mut inst, &mut operands);
        self.flow_inst(&inst);
        let part = self.syntax.ast.textures.first();
        self.program.lines.add(&inst, &operands, part, types);
        self.syntax.ast.operands = operands;
    }

    /// Keeps a label for the lowering of the whole program.
    pub(crate) fn keep_label(&mut self, name: NameId) {
        let lines = &mut self.program.lines;
        lines.labels.push((lines.list.len(), name));
    }

    /// What lowering has taken is no longer needed.
    #[inline]
    pub(crate) fn forget_lines(&mut self) {
        self.program.lines.clear();
        self.syntax.ast.forget_lines();
    }

    /// Makes sure that there are lines of all instructions. Only rules that hardly any program can break look at lines again, so the text is
    /// read once more for them, instead of every other program keeping its lines.
    #[cold]
    fn complete_lines(&mut self) {
        if self.program.lines.list.len() == self.syntax.ast.inst_count as usize {
            return;
        }
        let start = Start {
            dialect: self.program.dialect,
            text: self.syntax.ast.text,
            body: self.body,
            wanted: None,
            reports: Reports::new(self.syntax.reports.acceptance()),
        };
        let mut again = Checker::new(start, &mut Scratch::new());
        while again.next_statement().is_some() {}
        self.program.lines = again.program.lines;
    }

    /// Rules that need the whole program.
    pub(crate) fn end(&mut self) {
        self.option_dependencies();
        if !self.flow.too_deep {
            self.end_of_flow();
        }
        self.whole_program();
    }

    /// Whether an error was found so far.
    #[inline]
    pub(crate) fn has_errors(&self) -> bool {
        self.syntax.reports.has_errors()
    }

    /// What was made of the text so far, and what its lines refer to.
    #[inline]
    pub(crate) fn so_far(&self) -> (&Checked, &Ast<'s>) {
        (&self.program, &self.syntax.ast)
    }

    /// Ends the work; `scratch` gets the memory.
    pub(crate) fn finish(self, scratch: &mut Scratch) -> Reports {
        let mut program = self.program;
        program.lines.clear();
        (scratch.vars, scratch.params, scratch.lines) =
            (program.vars, program.params, program.lines);
        (scratch.attribs, scratch.results) = (program.attribs, program.results);
        (scratch.io_elements, scratch.implicit) = (self.io_elements, self.implicit);
        scratch.flow = self.flow;
        scratch.maps = RuleMaps {
            option_groups: self.options.groups,
            interpolation: program.interpolation,
            result_sizes: self.result_sizes,
            unit_targets: self.unit_targets,
            buffer_layouts: self.buffer_layouts,
        };
        self.syntax.finish(scratch)
    }

    /// Rules that need the whole program.
    fn whole_program(&mut self) {
        let variable = self.has_option(Features::VARIABLE_GROUP_SIZE);
        if self.stage == Stage::Compute && !self.group_size_seen && !variable {
            self.whole(
                Code::GroupSize,
                "compute programs need a GROUP_SIZE declaration",
            );
        }
        self.viewport_and_mask();
        // Both rules look at what instructions do with variables: which arrays have run-time indices, which results are written.
        self.overlaps();
        self.whole_limits();
    }

    /// Reports an error; see [`Reports::error`].
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.syntax.reports.error(code, span, message);
    }

    /// See [`Reports::error_with`].
    fn error_with(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        notes: Vec<String>,
    ) {
        self.syntax.reports.error_with(code, span, message, notes);
    }

    /// See [`Reports::whole`].
    fn whole(&mut self, code: Code, message: impl Into<String>) {
        self.syntax.reports.whole(code, message);
    }

    /// See [`Reports::lenient`].
    fn lenient(&mut self, rule: Rule, span: Span, message: impl Into<String>) -> bool {
        self.syntax.reports.lenient(rule, span, message)
    }

    fn name_text(&self, name: NameId) -> String {
        self.syntax.ast.names.display(name)
    }

    /// The name of a variable for messages.
    fn var_text(&self, var: u32) -> String {
        match self.program.vars[var as usize].name {
            Some(name) => format!("`{}`", self.name_text(name)),
            None => "the binding".to_owned(),
        }
    }

    fn source_text(&self, span: Span) -> String {
        String::from_utf8_lossy(&self.syntax.ast.text[span.range()]).into_owned()
    }

    /// The variable of a name; reports a name that is not declared, once.
    #[inline]
    fn var_of(&mut self, name: NameId, span: Span) -> Option<u32> {
        match self.syntax.words[name.index()].named {
            Named::Var(var) => Some(var),
            Named::Poisoned => None,
            Named::SubroutineType => {
                let text = self.name_text(name);
                let message = format!("`{text}` is a SUBROUTINETYPE");
                self.error(Code::OperandNotVariable, span, message);
                None
            }
            Named::Nothing => self.undeclared(name, span),
        }
    }

    #[cold]
    fn undeclared(&mut self, name: NameId, span: Span) -> Option<u32> {
        if self.is_loop_index(name) {
            return Some(self.declare_loop_index(name));
        }
        // One report for each name. `poison_names` takes it back if a declaration of the name follows that could not be read.
        self.syntax.words[name.index()].named = Named::Poisoned;
        let text = self.name_text(name);
        let declared: Vec<String> = (self.syntax.ast.names.iter())
            .filter(|(other, _)| matches!(self.syntax.words[other.index()].named, Named::Var(_)))
            .map(|(_, text)| String::from_utf8_lossy(text).into_owned())
            .collect();
        let notes = suggest(&text, declared.iter().map(String::as_str))
            .into_iter()
            .collect();
        let span = Span::new(span.start, span.start + text.len() as u32);
        self.error_with(
            Code::UndeclaredName,
            span,
            format!("`{text}` is not declared"),
            notes,
        );
        self.undeclared.push((name, span));
        None
    }
}

impl Checked {
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
