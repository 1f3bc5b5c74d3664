//! Semantic checks: all rules for programs to load, about names, types, modifiers, nesting and
//! limits.
//!
//! [`check`] fills a [`Checked`] program, in which every name and binding is a variable and every
//! type is known. Only this module creates one, so that lowering can rely on the rules.
//!
//! Each context borrows the one before it, so that a rule cannot access more than its context has:
//!
//! | context | has | files |
//! |---|---|---|
//! | [`RuleCx`] | syntax tree, language, reports | `context`, `instructions/` |
//! | [`Checked`] | the program under construction | `program/` |
//! | [`Resolver`] | both, and the resolution of names and bindings | `names/`, `bindings/` |
//! | [`OperandRules`] | the resolver, and the use of units and results by instructions | `operands/`, `instructions/inst`, `registers/` |
//! | [`DeclarationRules`] | the resolver, and the counts of declarations | `declarations/` |
//! | [`FlowRules`] | `RuleCx`, the program and its open blocks | `control/` |
//!
//! Rules that need less are functions over a `RuleCx` and, if they read variables, a `Checked`.

mod bindings;
mod context;
mod control;
mod declarations;
mod instructions;
mod names;
mod operands;
mod program;
mod registers;
mod scratch;
#[cfg(test)]
mod tests;

pub(crate) use crate::vars::{IoBinding, Var, VarKind, VarSize};
pub(crate) use control::blocks::{label_of, name_of};
pub(crate) use instructions::types::result_type;
pub(crate) use operands::constant::{default_constant, literal_bits};
pub(crate) use program::checked::Checked;
pub use program::counts::Counts;
pub use program::usage::Usage;
pub(crate) use program::usage::find_number_span;
pub(crate) use registers::fragment::COLH;
pub(crate) use scratch::CheckScratch;

use crate::ast::{Decl, Extra, Inst, Operand, Relative, Statement};
use crate::codes::Code;
use crate::diag::Diagnostic;
use crate::lang::opcodes::Lower;
use crate::lang::options::Features;
use crate::syntax::Parsed;
use context::RuleCx;
use control::blocks::Flow;
use control::flow::FlowRules;
use declarations::context::{DeclarationRules, DeclarationState};
use declarations::options::{Options, check_option, check_option_dependencies};
use declarations::stage::{
    check_passed_results, check_viewport_writes, is_about_program, report_missing_declarations,
};
use glasm_ir::Stage;
use names::resolver::Resolver;
use operands::context::OperandRules;
use program::limits::{check_overlaps, check_program_limits};

/// Checks a parsed program against all rules. Returns the tree, in which operands are resolved,
/// with all reports; the checked program is in `scratch`. It is complete only if no error was
/// reported.
pub(crate) fn check<'s>(parsed: Parsed<'s>, scratch: &mut CheckScratch) -> Parsed<'s> {
    let Parsed {
        mut ast,
        mut reports,
        errors,
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
        declared: &mut scratch.declared,
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
    let relatives = cx.ast.relatives.iter().map(Relative::resolved);
    program.relatives.extend(relatives);
    Parsed {
        ast: cx.ast,
        reports: cx.reports,
        errors,
    }
}

/// Checker of a program: all contexts, and the syntax errors that are reported between semantic
/// errors.
struct Checker<'a, 's> {
    operands: OperandRules<'a, 's>,
    declarations: &'a mut DeclarationState,
    flow: &'a mut Flow,
    options: &'a mut Options,
    /// Operands of all instructions.
    inst_operands: Vec<Operand>,
    /// Syntax errors that are not reported yet.
    syntax_errors: std::vec::IntoIter<Diagnostic>,
    /// Number of syntax errors that are.
    syntax_error_count: usize,
}

impl<'a, 's> Checker<'a, 's> {
    fn cx(&mut self) -> &mut RuleCx<'s> {
        &mut self.operands.resolver.cx
    }

    fn declaration_rules(&mut self) -> DeclarationRules<'_, 'a, 's> {
        DeclarationRules {
            resolver: &mut self.operands.resolver,
            state: self.declarations,
        }
    }

    fn flow_rules(&mut self) -> FlowRules<'_, 's> {
        let resolver = &mut self.operands.resolver;
        FlowRules {
            cx: &mut resolver.cx,
            program: resolver.program,
            flow: self.flow,
            open_loops: &mut resolver.symbols.open_loops,
        }
    }

    /// Checks all statements: options first, then declarations about the program as a whole,
    /// wherever they are, because the others depend on both. Syntax errors are reported before the
    /// statements that have them, so that the first of too many errors are the ones reported;
    /// `errors` is that of [`Parsed`].
    fn check_statements(&mut self, statements: &mut [Statement], errors: &[(usize, usize)]) {
        let is_option = |it: &&Statement| matches!(it, Statement::Option(..));
        let mut next = statements.iter().take_while(is_option).count();
        self.check_range(&mut statements[..next]);
        self.declaration_rules().check_program_declarations();
        for &(statement, count) in errors {
            let end = next.max(statement);
            self.check_range(&mut statements[next..end]);
            next = end;
            self.report_syntax_errors(count);
        }
        self.check_range(&mut statements[next..]);
    }

    /// Reports syntax errors until `count` of them are reported.
    #[cold]
    fn report_syntax_errors(&mut self, count: usize) {
        while self.syntax_error_count < count
            && let Some(error) = self.syntax_errors.next()
        {
            self.syntax_error_count += 1;
            self.cx().reports.push_error(error);
        }
    }

    fn check_range(&mut self, statements: &mut [Statement]) {
        for statement in statements {
            // Further errors would not be reported.
            if self.cx().reports.is_full() {
                return;
            }
            self.check_statement(statement);
        }
    }

    #[inline]
    fn check_statement(&mut self, statement: &mut Statement) {
        let resolver = &mut self.operands.resolver;
        match *statement {
            Statement::Broken { names, error } => resolver.poison_names(names, error),
            Statement::Option(name, span) => {
                let modes = &mut resolver.program.modes;
                check_option(&mut resolver.cx, (modes, self.options), name, span);
            }
            // Beyond the limit of nested blocks only syntax errors are reported.
            _ if self.flow.too_deep => {}
            Statement::Inst(ref mut inst) => self.check_instruction(inst),
            Statement::Decl(decl) => {
                let Decl { kind, span, .. } = resolver.cx.ast.decls[decl as usize];
                if !is_about_program(kind) && resolver.resolve_named_literals(span.end) {
                    self.declaration_rules().check_declaration(decl);
                }
            }
            Statement::Label(name, span) => self.flow_rules().add_label(name, span),
        }
    }

    fn check_instruction(&mut self, inst: &mut Inst) {
        let rules = &mut self.operands;
        if !rules.resolver.resolve_named_literals(inst.span.end) {
            return;
        }
        let operands =
            &mut self.inst_operands[inst.first_operand as usize..][..inst.operand_count.into()];
        let types = rules.check_inst(inst, operands);
        let Resolver {
            cx,
            program,
            symbols,
            ..
        } = &mut rules.resolver;
        if let Lower::Flow(op) = inst.opcode.info().lower {
            let mut flow_rules = FlowRules {
                cx,
                program,
                flow: self.flow,
                open_loops: &mut symbols.open_loops,
            };
            flow_rules.check_flow_op(inst, operands, op);
        }
        let part = match inst.extra {
            Extra::Texture(part) => Some(&cx.ast.textures[part as usize]),
            Extra::None | Extra::Label(..) | Extra::ExtSwizzle(_) => None,
        };
        program.lines.add(inst, operands, part, types);
    }

    /// Checks rules about the program as a whole.
    fn check_program(&mut self) {
        self.report_syntax_errors(usize::MAX);
        check_option_dependencies(&mut self.operands.resolver.cx, self.options);
        // Blocks were not tracked beyond the limit, so errors about the rest of the program would
        // be wrong.
        if !self.flow.too_deep {
            self.flow_rules().check_program_flow();
        }
        self.check_whole_program();
    }

    /// Checks the rules that need the whole program.
    fn check_whole_program(&mut self) {
        let Resolver {
            cx,
            program,
            declared,
            ..
        } = &mut self.operands.resolver;
        if let Some(registers) = cx.facts.registers {
            return self.operands.check_register_program(registers);
        }
        let variable = cx.has_option(Features::VARIABLE_GROUP_SIZE);
        if cx.stage == Stage::Compute && !declared.has_group_size && !variable {
            let message = "compute programs need a GROUP_SIZE declaration";
            cx.whole(Code::GroupSize, message);
        }
        report_missing_declarations(cx);
        check_viewport_writes(cx, program);
        check_passed_results(cx, program);
        // Both rules depend on how instructions use variables: which arrays have dynamic indices,
        // which results are written.
        check_overlaps(cx, program);
        check_program_limits(cx, program);
    }
}
