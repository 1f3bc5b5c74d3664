//! Rules that make a program fail to load: names, types, modifiers, nesting, limits.
//!
//! A [`Checker`] reads a program statement by statement. Of each instruction that keeps the rules it makes a line of [`Checked`], in
//! which every name and binding is a variable and every type is known. Only this module makes lines, so lowering can rely on the rules.

mod address;
mod arb;
mod binding;
mod blocks;
mod brackets;
mod buffers;
mod checker;
mod components;
mod constant;
mod counts;
mod decl;
mod declare;
mod flow;
mod handle;
mod image;
mod index;
mod inst;
mod interlock;
mod kept;
mod limits;
mod memory;
mod naming;
mod needs;
mod noted;
mod operand;
mod options;
mod overlap;
mod parameter;
mod path_operand;
mod places;
mod register;
mod register_fragment;
mod register_rules;
mod relative;
mod stage;
mod state_program;
mod subroutine;
mod suggest;
mod texture;
mod types;
mod usage;
mod uses;
mod usual;
mod variable;
mod vertices;
mod views;

pub(crate) use crate::vars::{Implicit, IoBinding, Var, VarKind, VarSize};
pub(crate) use blocks::label_of;
pub(crate) use checker::{Checked, Checker};
pub(crate) use constant::{default_constant, literal_bits};
pub use counts::Counts;
pub(crate) use flow::call_rules;
pub(crate) use kept::RuleMemory;
pub(crate) use register_fragment::COLH;
pub use suggest::closest;
pub(crate) use suggest::suggest;
pub(crate) use types::result_type;
pub use usage::Usage;
pub(crate) use usage::find_number_span;

use crate::codes::Code;
use crate::lang::options::Features;
use crate::memory::{take, take_map};
use crate::names::{NameId, Named};
use crate::report::Reports;
use crate::source::TgsiOptions;
use crate::start::Start;
use crate::statement::{InstTypes, Reading};
use crate::syntax::{Read, Syntax};
use checker::Options;
use glasm_ir::Stage;
use glasm_ir::flow::Plan;
use noted::{Declarations, RegisterUse};
use rustc_hash::FxHashMap;

/// What a statement was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// An instruction: the last line of [`Checked::lines`] is made of it.
    Inst,
    Label(NameId),
    /// One that only rules need: a declaration, an option, or nothing that could be read.
    Other,
}

impl<'s> Checker<'s> {
    /// Before the first statement.
    pub(crate) fn new(start: Start<'s>, memory: &mut RuleMemory) -> Self {
        let dialect = start.dialect;
        let body = start.body;
        let syntax = Syntax::new(start, &mut memory.syntax);
        Self {
            program: Checked {
                dialect,
                vars: take(&mut memory.vars),
                attribs: take(&mut memory.attribs),
                params: take(&mut memory.params),
                named_params: take(&mut memory.named_params),
                results: take(&mut memory.results),
                lines: std::mem::take(&mut memory.lines),
                plan: Plan::default(),
                loop_index: None,
                // What the language itself says about its programs; options change it.
                modes: dialect.facts().modes(),
                features: dialect.facts().features,
                subroutine_types: FxHashMap::default(),
                subroutine_routines: FxHashMap::default(),
                interpolation: take_map(&mut memory.interpolation),
                group_size: [1; 3],
                second_layer_offset: None,
                shared_bytes: 0,
                passed: Vec::new(),
                usage: std::mem::take(&mut memory.usage).emptied(),
            },
            body,
            flow: std::mem::take(&mut memory.flow).emptied(),
            syntax,
            io_elements: take(&mut memory.io_elements),
            uses: take(&mut memory.uses),
            options: Options {
                groups: take(&mut memory.option_groups),
                required: None,
            },
            undeclared: Vec::new(),
            stage: dialect.stage(),
            family: dialect.family(),
            facts: dialect.facts(),
            version: dialect.version(),
            implicit: take_map(&mut memory.implicit),
            relative_rows: FxHashMap::default(),
            result_sizes: take_map(&mut memory.result_sizes),
            temporaries: 0,
            addresses: 0,
            parameters: 0,
            subroutine_params: FxHashMap::default(),
            called_type: None,
            declarations: Declarations::default(),
            group_size_seen: false,
            shared_seen: false,
            buffer_layouts: take_map(&mut memory.buffer_layouts),
            unit_targets: take_map(&mut memory.unit_targets),
            open_loops: 0,
            slots: [[false; 2]; 16],
            registers: RegisterUse::default(),
        }
    }

    /// The names of a declaration that could not be read: neither their later uses nor those before are errors of their own.
    #[cold]
    fn poison_names(&mut self) {
        // A name that stands for something keeps that: only the declaration that failed is void.
        for name in std::mem::take(&mut self.syntax.reading.poisoned) {
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
        // Declarations, items and paths are of one statement only: the lists that hold them stay short.
        self.syntax.reading.forget_statement();
        if !self.syntax.read_statement() {
            return None;
        }
        if !self.syntax.reading.poisoned.is_empty() {
            self.poison_names();
        }
        match self.syntax.read {
            Some(Read::Option(name, span)) => self.option(name, span),
            // Beyond the limit of nested blocks the program is read for errors of syntax only.
            Some(_) if self.flow.too_deep => {}
            Some(Read::Inst(_)) => {
                self.instruction();
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
    fn instruction(&mut self) {
        self.code_begins();
        // Most instructions break no rule, and are told by a few comparisons.
        if !self.usual_line() {
            self.unusual_instruction();
        }
    }

    #[inline(never)]
    fn unusual_instruction(&mut self) {
        let Some(mut inst) = self.syntax.inst().copied() else {
            return;
        };
        // Taken out while the rules need all of the checker, and put back: the list keeps its memory.
        let mut operands = std::mem::take(&mut self.syntax.reading.operands);
        let types = self.inst(&mut inst, &mut operands);
        self.flow_inst(&inst);
        // An instruction has one texture part at most.
        let part = self.syntax.reading.textures.first();
        self.program.lines.add(&inst, &operands, part, types);
        self.syntax.reading.operands = operands;
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
        self.syntax.reading.forget_lines();
    }

    /// Makes sure that there are lines of all instructions. Only rules that hardly any program can break look at lines again, so the text is
    /// read once more for them, instead of every other program keeping its lines.
    #[cold]
    pub(super) fn complete_lines(&mut self) {
        // A caller that keeps all lines, such as `count`, has them.
        if self.program.lines.list.len() == self.syntax.reading.inst_count as usize {
            return;
        }
        let start = Start {
            dialect: self.program.dialect,
            text: self.syntax.reading.text,
            body: self.body,
            // The text was read before: what its header says is known.
            wanted: None,
            reports: Reports::new(self.syntax.reports.acceptance()),
            tgsi: TgsiOptions::default(),
        };
        let mut again = Checker::new(start, &mut RuleMemory::default());
        // Its messages are dropped with it: they were reported the first time.
        while again.next_statement().is_some() {}
        self.program.lines = again.program.lines;
    }

    /// Rules that need the whole program.
    pub(crate) fn end(&mut self) {
        self.option_dependencies();
        // Blocks were not followed beyond the limit, so the rest of the text would only seem to have none.
        if !self.flow.too_deep {
            self.end_of_flow();
        }
        self.whole_program();
    }

    /// What was made of the text so far, and what its lines refer to.
    #[inline]
    pub(crate) fn so_far(&self) -> (&Checked, &Reading<'s>) {
        (&self.program, &self.syntax.reading)
    }

    /// Ends the work; `memory` gets the memory.
    pub(crate) fn finish(self, memory: &mut RuleMemory) -> Reports {
        let mut program = self.program;
        // Emptied where they are, so that the memory serves the next program.
        program.lines.clear();
        (memory.vars, memory.params, memory.lines) = (program.vars, program.params, program.lines);
        (memory.attribs, memory.results) = (program.attribs, program.results);
        memory.named_params = program.named_params;
        memory.usage = program.usage;
        (memory.io_elements, memory.implicit) = (self.io_elements, self.implicit);
        (memory.flow, memory.uses) = (self.flow, self.uses);
        memory.option_groups = self.options.groups;
        memory.interpolation = program.interpolation;
        memory.result_sizes = self.result_sizes;
        memory.unit_targets = self.unit_targets;
        memory.buffer_layouts = self.buffer_layouts;
        self.syntax.finish(&mut memory.syntax)
    }

    /// Rules that need the whole program.
    fn whole_program(&mut self) {
        if let Some(registers) = self.facts.registers {
            return self.whole_registers(registers);
        }
        let variable = self.has_option(Features::VARIABLE_GROUP_SIZE);
        if self.stage == Stage::Compute && !self.group_size_seen && !variable {
            let message = "compute programs need a GROUP_SIZE declaration";
            self.whole(Code::GroupSize, message);
        }
        self.late_shared_accesses();
        // Before the rules below, which depend on the number of vertices and on the output primitive.
        self.end_of_declarations();
        if self.binds_viewport_and_mask()
            || self.may_exceed_components() != [false; 2]
            || self.may_exceed_output()
            || self.may_write_passed()
        {
            self.complete_lines();
        }
        self.viewport_and_mask();
        if self.may_write_passed() {
            self.passed_and_written();
        }
        // Both rules look at what instructions do with variables: which arrays have run-time indices, which results are written.
        self.overlaps();
        self.whole_limits();
    }
}
