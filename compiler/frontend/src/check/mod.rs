//! Semantic checks: every rule that makes a program fail to load, about names, types, modifiers, nesting and limits.
//!
//! [`check`] returns a [`Checked`] program, in which every name and binding is a variable and every type is known. Only this
//! module makes one, so that lowering can rely on the rules.

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
mod limits;
mod memory;
mod naming;
mod operand;
mod options;
mod overlap;
mod parameter;
mod path_operand;

mod register;
mod register_fragment;
mod register_rules;
mod relative;
mod spans;
mod stage;
mod subroutine;
#[cfg(test)]
mod tests;
mod texture;
mod types;
mod usage;
mod variable;
mod vertices;
mod views;

pub(crate) use crate::vars::{Implicit, IoBinding, Var, VarKind, VarSize};
pub(crate) use blocks::{label_of, name_of};
pub(crate) use checker::{Checked, Checker, RuleMemory};
pub(crate) use constant::{default_constant, literal_bits};
pub use counts::Counts;
pub(crate) use register_fragment::COLH;
pub(crate) use types::result_type;
pub use usage::Usage;
pub(crate) use usage::find_number_span;

use crate::ast::{Ast, Decl, Extra, Inst, InstTypes, Operand, Relative, Statement};
use crate::codes::Code;
use crate::lang::declarations::DECLARATIONS;
use crate::lang::options::Features;
use crate::memory::{take, take_map};
use crate::names::{NameId, Names};
use crate::report::Reports;
use crate::source::Dialect;
use crate::syntax::Parsed;
use checker::{Named, Options, RegisterUse, Symbol};
use glasm_ir::Stage;
use glasm_ir::flow::CallGraph;
use rustc_hash::FxHashMap;

/// Checks a parsed program: every rule that makes one fail to load. All errors are reported.
///
/// The result is complete only if nothing was reported as an error.
pub(crate) fn check<'s>(parsed: Parsed<'s>, memory: &mut RuleMemory) -> (Checked<'s>, Reports) {
    let mut checker = Checker::new(parsed.ast, parsed.reports, memory);
    checker.check_statements(&parsed.errors);
    checker.check_program();
    memory.syntax.errors = parsed.errors;
    checker.finish(memory)
}

impl<'s> Checker<'s> {
    fn new(ast: Ast<'s>, mut reports: Reports, memory: &mut RuleMemory) -> Self {
        let dialect = ast.dialect;
        let mut symbols = take(&mut memory.symbols);
        symbols.resize(ast.names.len(), Symbol::default());
        Self {
            program: Checked::new(dialect, ast.text, memory),
            flow: std::mem::take(&mut memory.flow).emptied(),
            syntax_errors: reports.take_errors().into_iter(),
            syntax_error_count: 0,
            poisoned: 0,
            ast,
            reports,
            symbols,
            numbers: take_map(&mut memory.numbers),
            named_literals: 0,
            io_elements: take(&mut memory.io_elements),
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
            declared: [None; DECLARATIONS.len()],
            group_size_seen: false,
            early_errors: Vec::new(),
            shared_declared: None,
            buffer_layouts: take_map(&mut memory.buffer_layouts),
            unit_targets: take_map(&mut memory.unit_targets),
            open_loops: 0,
            slots: [[false; 2]; 16],
            registers: RegisterUse::default(),
        }
    }

    /// Checks all statements: options first, then declarations about the program as a whole, wherever they are, because the others
    /// depend on both. Syntax errors are reported before the statements that have them, so that the first of too many errors are the
    /// ones reported; `errors` is that of [`Parsed`].
    fn check_statements(&mut self, errors: &[(usize, usize)]) {
        // Moved out while the rules need all of the checker. Names in them become variables.
        let mut statements = std::mem::take(&mut self.ast.statements);
        let mut operands = std::mem::take(&mut self.ast.operands);
        let is_option = |it: &&Statement| matches!(it, Statement::Option(..));
        let mut next = statements.iter().take_while(is_option).count();
        self.check_range(&mut statements[..next], &mut operands);
        self.check_program_declarations();
        for &(statement, count) in errors {
            let end = next.max(statement);
            self.check_range(&mut statements[next..end], &mut operands);
            next = end;
            self.report_syntax_errors(count);
        }
        self.check_range(&mut statements[next..], &mut operands);
        self.ast.statements = statements;
        self.ast.operands = operands;
    }

    /// Reports syntax errors until so many of them are reported.
    #[cold]
    fn report_syntax_errors(&mut self, count: usize) {
        while self.syntax_error_count < count
            && let Some(error) = self.syntax_errors.next()
        {
            self.syntax_error_count += 1;
            self.reports.push_error(error);
        }
    }

    fn check_range(&mut self, statements: &mut [Statement], operands: &mut [Operand]) {
        for statement in statements {
            // Further errors would not be reported.
            if self.reports.is_full() {
                return;
            }
            self.check_statement(statement, operands);
        }
    }

    #[inline]
    fn check_statement(&mut self, statement: &mut Statement, operands: &mut [Operand]) {
        match *statement {
            Statement::Broken { names, error } => self.poison_names(names, error),
            Statement::Option(name, span) => self.option(name, span),
            // Beyond the limit of nested blocks only syntax errors are reported.
            _ if self.flow.too_deep => {}
            Statement::Inst(ref mut inst) => {
                let first = inst.first_operand as usize;
                self.instruction(inst, &mut operands[first..][..inst.operand_count.into()]);
            }
            Statement::Decl(decl) => {
                let Decl { kind, span, .. } = self.ast.decls[decl as usize];
                if !stage::is_about_program(kind) && self.resolve_named_literals(span.end) {
                    self.decl(decl);
                }
            }
            Statement::Label(name, span) => self.label(name, span),
        }
    }

    /// Marks the names of a declaration with a syntax error, the next so many: neither their later uses nor those before are
    /// errors of their own.
    #[cold]
    fn poison_names(&mut self, count: u32, error: u32) {
        self.resolve_named_literals(error);
        let first = self.poisoned;
        self.poisoned += count as usize;
        for index in first..self.poisoned {
            self.poison_name(self.ast.poisoned[index]);
        }
    }

    fn poison_name(&mut self, name: NameId) {
        // A name that stands for something keeps that: only the declaration that failed is void.
        let named = &mut self.symbols[name.index()].named;
        if *named == Named::Nothing {
            *named = Named::Poisoned;
        }
        for &(_, span) in self.undeclared.iter().filter(|(other, _)| *other == name) {
            self.reports.retract(Code::UndeclaredName, span);
        }
    }

    fn instruction(&mut self, inst: &mut Inst, operands: &mut [Operand]) {
        if !self.resolve_named_literals(inst.span.end) {
            return;
        }
        let types = self.inst(inst, operands);
        self.check_flow_inst(inst);
        let part = match inst.extra {
            Extra::Texture(part) => Some(&self.ast.textures[part as usize]),
            Extra::None | Extra::Label(..) | Extra::ExtSwizzle(_) => None,
        };
        self.program.lines.add(inst, operands, part, types);
    }

    /// Checks rules about the program as a whole.
    fn check_program(&mut self) {
        self.report_syntax_errors(usize::MAX);
        self.option_dependencies();
        // Blocks were not followed beyond the limit, so the rest of the program would only seem to have none.
        if !self.flow.too_deep {
            self.check_program_flow();
        }
        self.check_whole_program();
    }

    /// Returns the checked program; `memory` gets the memory of everything else.
    fn finish(self, memory: &mut RuleMemory) -> (Checked<'s>, Reports) {
        let (mut program, mut ast) = (self.program, self.ast);
        program.names = std::mem::take(&mut ast.names);
        program.literals = std::mem::take(&mut ast.literals);
        program.pairs = std::mem::take(&mut ast.pairs);
        let relatives = ast.relatives.iter().map(Relative::resolved);
        program.relatives.extend(relatives);
        memory.syntax.ast = ast.release();
        (memory.io_elements, memory.implicit) = (self.io_elements, self.implicit);
        (memory.flow, memory.symbols) = (self.flow, self.symbols);
        memory.option_groups = self.options.groups;
        memory.result_sizes = self.result_sizes;
        memory.unit_targets = self.unit_targets;
        memory.buffer_layouts = self.buffer_layouts;
        memory.numbers = self.numbers;
        (program, self.reports)
    }

    /// Checks the rules that need the whole program.
    fn check_whole_program(&mut self) {
        if let Some(registers) = self.facts.registers {
            return self.check_register_program(registers);
        }
        let variable = self.has_option(Features::VARIABLE_GROUP_SIZE);
        if self.stage == Stage::Compute && !self.group_size_seen && !variable {
            let message = "compute programs need a GROUP_SIZE declaration";
            self.whole(Code::GroupSize, message);
        }
        self.report_missing_declarations();
        self.check_viewport_writes();
        self.check_passed_results();
        // Both rules look at what instructions do with variables: which arrays have run-time indices, which results are written.
        self.check_overlaps();
        self.check_program_limits();
    }
}

impl<'s> Checked<'s> {
    /// Returns a program without statements.
    fn new(dialect: Dialect, text: &'s [u8], memory: &mut RuleMemory) -> Self {
        let mut cfg = memory.cfg.take().unwrap_or_default();
        cfg.clear();
        Self {
            dialect,
            text,
            names: Names::default(),
            literals: Vec::new(),
            pairs: Vec::new(),
            relatives: take(&mut memory.relatives),
            vars: take(&mut memory.vars),
            attribs: take(&mut memory.attribs),
            params: take(&mut memory.params),
            named_params: take(&mut memory.named_params),
            results: take(&mut memory.results),
            lines: std::mem::take(&mut memory.lines),
            cfg,
            call_graph: CallGraph::default(),
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
        }
    }

    /// Returns the memory of a checked program.
    pub(crate) fn recycle(mut self, memory: &mut RuleMemory) {
        // Emptied where they are, so that the memory serves the next program.
        self.lines.clear();
        let ast = &mut memory.syntax.ast;
        ast.names = self.names.release();
        (ast.literals, ast.pairs) = (self.literals, self.pairs);
        memory.relatives = self.relatives;
        (memory.vars, memory.params, memory.lines) = (self.vars, self.params, self.lines);
        (memory.attribs, memory.results) = (self.attribs, self.results);
        memory.named_params = self.named_params;
        memory.usage = self.usage;
        memory.cfg = Some(self.cfg);
        memory.interpolation = self.interpolation;
    }
}
