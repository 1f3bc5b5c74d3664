//! Semantic checks: all rules for programs to load, about names, types, modifiers, nesting and
//! limits.
//!
//! [`check`] fills a [`CheckedProgram`], in which every name and binding is a variable and every
//! type is known. Only this module creates one, so that lowering can rely on the rules.
//!
//! Each context borrows the one before it, so that a rule cannot access more than its context has:
//!
//! | context | has | files |
//! |---|---|---|
//! | [`RuleCx`] | syntax tree, language, reports | `context`, `instructions/` |
//! | [`CheckedProgram`] | the program under construction | `program/` |
//! | [`Resolver`] | both, and the resolution of names and bindings | `names`, `bindings/` |
//! | [`OperandRules`] | the resolver, and the use of units and results by instructions | `operands/`, `instructions/inst`, `registers/` |
//! | [`DeclarationRules`] | the resolver, and the counts of declarations | `declarations/` |
//! | [`FlowRules`] | `RuleCx`, the program and its open blocks | `control/` |
//!
//! Rules that need less are functions over a `RuleCx` and, if they read variables, a
//! `CheckedProgram`.

mod bindings;
mod context;
mod control;
mod declarations;
mod instructions;
mod names;
mod operands;
mod program;
mod registers;
#[cfg(test)]
mod tests;

pub(crate) use crate::variables::{IoBinding, Var, VarKind, VarSize};
pub(crate) use control::{label_from_name, name_from_label};
pub(crate) use operands::constant::{default_constant, encode_literal};
pub(crate) use program::CheckedProgram;
pub(crate) use program::resource_usage::find_number_span;
pub use program::resource_usage::{IndexUsage, ResourceCounts, ResourceUsage};
pub(crate) use registers::fp1::COLH;

use crate::ast::{Ast, Decl, DynamicIndex, ExtraPart, Inst, Operand, Statement};
use crate::codes::Code;
use crate::diag::Diagnostic;
use crate::lang::opcodes::Translation;
use crate::lang::options::Features;
use crate::syntax::Parsed;
use context::RuleCx;
use control::FlowState;
use control::flow::FlowRules;
use declarations::stage_declarations::{
    check_passthrough_results, check_viewport_writes, is_program_declaration,
    report_missing_declarations,
};
use declarations::{
    DeclarationRules, DeclarationState, OptionState, check_option, check_option_dependencies,
};
use glasm_ir::Stage;
use names::{ProgramDeclarations, Resolver, Symbols};
use operands::context::{OperandRules, OperandState};
use program::limits::{check_overlaps, check_program_limits};

/// Checked program, and the tables that checking needs in addition: memory that is cleared and
/// reused for the next program.
#[derive(Debug, Default)]
pub(crate) struct CheckScratch {
    pub(crate) program: CheckedProgram,
    symbols: Symbols,
    program_declarations: ProgramDeclarations,
    declarations: DeclarationState,
    operands: OperandState,
    flow: FlowState,
    options: OptionState,
}

impl CheckScratch {
    /// Clears all tables for a program. Not done at the end of a check, because an abandoned one
    /// leaves entries.
    fn reset(&mut self, ast: &Ast<'_>) {
        self.program.reset(ast.dialect.traits());
        self.symbols.reset(ast.names.len());
        self.program_declarations.reset();
        self.declarations.reset();
        self.operands.reset();
        self.flow.reset();
        self.options.reset();
    }
}

/// Checks a parsed program against all rules. Returns the tree, in which operands are resolved,
/// with all reports, those of the parser included, in order; the checked program is in `scratch`.
/// It is complete only if no error was reported.
pub(crate) fn check<'s>(parsed: Parsed<'s>, scratch: &mut CheckScratch) -> Parsed<'s> {
    let Parsed {
        mut ast,
        mut reports,
        error_positions: errors,
    } = parsed;
    scratch.reset(&ast);
    // Separate from the tree, because rules change them while they read other parts of the tree.
    let mut statements = std::mem::take(&mut ast.statements);
    let inst_operands = std::mem::take(&mut ast.operands);
    let syntax_errors = reports.take_errors().into_iter();
    let resolver = Resolver {
        cx: RuleCx::new(ast, reports),
        program: &mut scratch.program,
        symbols: &mut scratch.symbols,
        program_declarations: &mut scratch.program_declarations,
    };
    let mut checker = Checker {
        operands: OperandRules {
            resolver,
            state: &mut scratch.operands,
        },
        declarations: &mut scratch.declarations,
        flow: &mut scratch.flow,
        options: &mut scratch.options,
        inst_operands,
        syntax_errors,
        syntax_error_count: 0,
    };
    checker.check_statements(&mut statements, &errors);
    checker.check_program();
    let Resolver {
        mut cx, program, ..
    } = checker.operands.resolver;
    cx.ast.statements = statements;
    cx.ast.operands = checker.inst_operands;
    program.features = cx.features;
    let relative_indices = cx
        .ast
        .relative_indices
        .iter()
        .map(DynamicIndex::as_resolved);
    program.relative_indices.extend(relative_indices);
    Parsed {
        ast: cx.ast,
        reports: cx.reports,
        error_positions: errors,
    }
}

/// Checker of a program: all contexts, and the syntax errors that are reported between semantic
/// errors.
struct Checker<'a, 's> {
    operands: OperandRules<'a, 's>,
    declarations: &'a mut DeclarationState,
    flow: &'a mut FlowState,
    options: &'a mut OptionState,
    /// Operands of all instructions.
    inst_operands: Vec<Operand>,
    /// Syntax errors that are not reported yet.
    syntax_errors: std::vec::IntoIter<Diagnostic>,
    /// Number of syntax errors that are.
    syntax_error_count: usize,
}

impl<'a, 's> Checker<'a, 's> {
    /// Returns the context that all rules share, to report errors and look up names.
    fn cx(&mut self) -> &mut RuleCx<'s> {
        &mut self.operands.resolver.cx
    }

    /// Returns the rules for declarations, which borrow the state that they need.
    fn declaration_rules(&mut self) -> DeclarationRules<'_, 'a, 's> {
        DeclarationRules {
            resolver: &mut self.operands.resolver,
            state: self.declarations,
        }
    }

    /// Returns the rules for control flow, which borrow the state that they need.
    fn flow_rules(&mut self) -> FlowRules<'_, 's> {
        let resolver = &mut self.operands.resolver;
        FlowRules {
            cx: &mut resolver.cx,
            program: resolver.program,
            flow: self.flow,
            open_loops: &mut resolver.symbols.open_loops,
        }
    }

    /// Checks all statements: the options at the start first, then declarations about the program
    /// as a whole, wherever they are, because the others depend on both. Syntax errors are reported
    /// before the statements that have them, so that the first of too many errors are the ones
    /// reported; `errors` is that of [`Parsed`].
    fn check_statements(&mut self, statements: &mut [Statement], errors: &[(usize, usize)]) {
        let is_option = |it: &&Statement| matches!(it, Statement::Option(..));
        let mut next_statement = statements.iter().take_while(is_option).count();
        self.check_statement_slice(&mut statements[..next_statement]);
        self.declaration_rules().check_program_declarations();
        for &(statement, count) in errors {
            let end = next_statement.max(statement);
            self.check_statement_slice(&mut statements[next_statement..end]);
            next_statement = end;
            self.report_syntax_errors(count);
        }
        self.check_statement_slice(&mut statements[next_statement..]);
    }

    /// Adds the next syntax errors to the reports until `count` of them, counted from the start of
    /// the program, are reported, so that errors appear in source order.
    fn report_syntax_errors(&mut self, count: usize) {
        while self.syntax_error_count < count
            && let Some(error) = self.syntax_errors.next()
        {
            self.syntax_error_count += 1;
            self.cx().reports.push_error(error);
        }
    }

    /// Checks statements in order until the maximum number of errors is reported.
    fn check_statement_slice(&mut self, statements: &mut [Statement]) {
        for statement in statements {
            // Further errors would not be reported.
            if self.cx().reports.is_full() {
                return;
            }
            self.check_statement(statement);
        }
    }

    /// Checks a statement by its kind. After too many nested blocks only options and statements
    /// with syntax errors are handled.
    fn check_statement(&mut self, statement: &mut Statement) {
        let resolver = &mut self.operands.resolver;
        match *statement {
            Statement::Malformed { names, error } => resolver.poison_names(names, error),
            Statement::Option(name, span) => {
                let modes = &mut resolver.program.modes;
                check_option(&mut resolver.cx, (modes, self.options), name, span);
            }
            // Beyond the limit of nested blocks only syntax errors are reported.
            _ if self.flow.is_too_deep => {}
            Statement::Inst(ref mut inst) => self.check_instruction(inst),
            Statement::Decl(decl) => {
                let Decl { kind, span, .. } = resolver.cx.ast.decls[decl as usize];
                if !is_program_declaration(kind) && resolver.resolve_named_literals(span.end) {
                    self.declaration_rules().check_declaration(decl);
                }
            }
            Statement::Label(name, span) => self.flow_rules().add_label(name, span),
        }
    }

    /// Checks an instruction with its operands, updates the control flow, and adds the instruction
    /// to the checked program, also after errors. Does nothing if a name in a constant does not
    /// denote a number, which is reported.
    fn check_instruction(&mut self, inst: &mut Inst) {
        let rules = &mut self.operands;
        if !rules.resolver.resolve_named_literals(inst.span.end) {
            return;
        }
        let operands =
            &mut self.inst_operands[inst.first_operand as usize..][..inst.operand_count.into()];
        let info = inst.opcode.info();
        let types = rules.check_inst(inst, operands, info);
        let Resolver {
            cx,
            program,
            symbols,
            ..
        } = &mut rules.resolver;
        if let Translation::Flow(op) = info.lower {
            let mut flow_rules = FlowRules {
                cx,
                program,
                flow: self.flow,
                open_loops: &mut symbols.open_loops,
            };
            flow_rules.check_flow_op(inst, operands, op);
        }
        let texture = match inst.extra {
            ExtraPart::Texture(part) => Some(&cx.ast.texture_accesses[part as usize]),
            ExtraPart::None | ExtraPart::Label(..) | ExtraPart::ExtSwizzle(_) => None,
        };
        program.insts.add_inst(inst, operands, texture, types);
    }

    /// Checks the rules about the program as a whole, options, control flow and resources, after
    /// reporting the remaining syntax errors. Control flow is not checked after too many nested
    /// blocks.
    fn check_program(&mut self) {
        self.report_syntax_errors(usize::MAX);
        check_option_dependencies(&mut self.operands.resolver.cx, self.options);
        // Blocks were not tracked beyond the limit, so errors about the rest of the program would
        // be wrong.
        if !self.flow.is_too_deep {
            self.flow_rules().check_program_flow();
        }
        self.check_program_resources();
    }

    /// Checks required declarations, overlaps and limits, which need the whole program, and reports
    /// violations; in the languages with numbered registers, their rules instead.
    fn check_program_resources(&mut self) {
        let Resolver {
            cx,
            program,
            program_declarations: declared,
            ..
        } = &mut self.operands.resolver;
        if let Some(registers) = cx.traits.registers {
            return self.operands.check_register_program(registers);
        }
        let variable = cx.has_option(Features::VARIABLE_GROUP_SIZE);
        if cx.stage == Stage::Compute && !declared.has_group_size && !variable {
            let message = "compute programs need a GROUP_SIZE declaration";
            cx.report_program_error(Code::GroupSize, message);
        }
        report_missing_declarations(cx);
        check_viewport_writes(cx, program);
        check_passthrough_results(cx, program);
        // Both rules depend on how instructions use variables: which arrays have dynamic indices,
        // which results are written.
        check_overlaps(cx, program);
        check_program_limits(cx, program);
    }
}
