//! Statements, in source order: each is checked and then lowered.

use super::emitter::Emitter;
use super::texture::Lookups;
use crate::lang::lenient::Rule;
use crate::memory::ProgramMemory;
use crate::report::Reports;
use crate::source::TgsiOptions;
use crate::start::Start;
use crate::tgsi::TgsiMemory;
use crate::tgsi::ast::{Ast, Guard, Statement, StatementKind};
use crate::tgsi::check::{Parsed, Routines, TgsiChecker};
use crate::tgsi::declare::Declarer;
use crate::tgsi::inst::{Inst, Predicate};
use crate::tgsi::modes::Properties;
use crate::tgsi::opcodes::{Flow, Lower};
use crate::tgsi::operand::{ADDRESSES, TgsiResolver};
use crate::tgsi::syntax;
use glasm_ir::flow::TreeBuilder;
use glasm_ir::types::Type;
use glasm_ir::{CondTest, Program, Semantic, Span};

/// Lowers a program: flow control itself, everything else with the contexts of its subject.
pub(in crate::tgsi) struct TgsiLowerer<'a> {
    pub(in crate::tgsi) cx: TgsiResolver<'a>,
    pub(super) tree: TreeBuilder<'a>,
    /// Number of values that were recorded when each reachable open block began.
    pub(super) kept: Vec<usize>,
    /// True if the next instruction is in no routine.
    pub(super) is_outside: bool,
    /// Number of subroutines that began.
    pub(super) subroutines: usize,
    pub(in crate::tgsi) lookups: Lookups,
    /// True if there was an instruction.
    pub(in crate::tgsi) in_code: bool,
}

impl<'a> TgsiLowerer<'a> {
    /// Returns the lowering of a program before its first statement.
    pub(in crate::tgsi) fn new(
        ast: &'a Ast<'a>,
        routines: &'a Routines,
        options: &'a TgsiOptions,
        start: Start<'_>,
        (memory, programs): (&mut TgsiMemory, &mut ProgramMemory),
    ) -> Self {
        let stage = start.dialect.stage();
        let mut memory = std::mem::take(memory);
        memory.usage.reset();
        let check = TgsiChecker {
            ast,
            stage,
            options,
            reports: start.reports,
            usage: memory.usage,
            routines,
            blocks: memory.blocks.reuse(),
        };
        let mut kept = memory.kept;
        kept.clear();
        let mut emit = Emitter::new(programs.builder(stage), memory.made);
        let (cfg, call_graph) = (&routines.cfg, &routines.call_graph);
        let mut tree = TreeBuilder::new(&mut emit.builder, cfg, call_graph);
        // Unreachable blocks need not be correct in TGSI.
        tree.follow_ends();
        Self {
            cx: TgsiResolver {
                check,
                emit,
                declared: memory.declared.emptied(),
                properties: Properties::default(),
                constant_type: Type::F32,
            },
            tree,
            kept,
            is_outside: false,
            subroutines: 0,
            lookups: Lookups::default(),
            in_code: false,
        }
    }

    /// Returns the program and the reports, and the memory for the next program.
    pub(in crate::tgsi) fn finish(
        mut self,
        memory: &mut TgsiMemory,
        programs: &mut ProgramMemory,
    ) -> (Program, Reports) {
        // A program with errors is dropped.
        if !self.cx.check.reports.has_errors() {
            self.tree.finish(&mut self.cx.emit.builder, None);
            self.cx.fill_arrays();
        }
        let TgsiResolver {
            check,
            emit,
            declared,
            ..
        } = self.cx;
        let program = programs.finish(emit.builder);
        *memory = TgsiMemory {
            ast: Ast::default(),
            declared,
            routines: None,
            blocks: check.blocks,
            kept: self.kept,
            made: emit.made,
            usage: check.usage,
        };
        (program, check.reports)
    }

    /// Returns the output registers whose declarations have no error, with their semantics.
    pub(in crate::tgsi) fn outputs(&self) -> Vec<(u32, Semantic)> {
        let rows = self.cx.declared.outputs.iter();
        let declared = (0..)
            .zip(rows)
            .filter_map(|(number, row)| Some((number, (*row)?)));
        let semantics = declared.flat_map(|(number, row)| {
            let semantics = self.cx.properties.semantics_of(row.sink);
            let semantics = semantics.into_iter().flatten();
            semantics.map(move |semantic| (number, semantic))
        });
        semantics.collect()
    }
}

impl TgsiLowerer<'_> {
    /// Checks and lowers all statements.
    pub(in crate::tgsi) fn statements(&mut self) {
        let ast = self.cx.check.ast;
        let mut inst = Inst::before_all();
        // Statements that begin before this byte are in the line of an invalid one.
        let mut resumption = 0;
        for statement in &ast.statements {
            if self.cx.check.reports.is_full() {
                break;
            }
            if statement.start < resumption {
                continue;
            }
            // The parser has skipped the rest of a statement after a syntax error.
            if self.statement(&mut inst, statement).is_err() && statement.failure.is_none() {
                resumption = syntax::find_resumption(ast.text, statement.start, statement.end);
            }
        }
        // After the last statement: declarations may follow instructions where the rule is not
        // strict.
        Declarer::new(&mut self.cx).check_overlapping_constants();
        Declarer::new(&mut self.cx).apply_properties();
        self.cx.check.check_program_end();
    }

    /// Checks and lowers a statement.
    #[inline]
    fn statement(&mut self, inst: &mut Inst, statement: &Statement) -> Parsed<()> {
        let ast = self.cx.check.ast;
        match statement.kind {
            StatementKind::Inst(id) => {
                let it = &ast.insts[id as usize];
                let guard = match it.guard {
                    Some(guard) => Some(self.predicate_guard(&ast.guards[guard as usize])?),
                    None => None,
                };
                // A second END has a separate message.
                if self.cx.check.expects_subroutines()
                    && !matches!(it.row.lower, Lower::Flow(Flow::Subroutine | Flow::End))
                {
                    self.cx.check.report_misplaced(it.opcode)?;
                }
                self.instruction(inst, it, guard, statement.failure)
            }
            StatementKind::Broken => self.cx.check.check_failure(statement.failure),
            StatementKind::UnknownOpcode(word) => {
                if self.cx.check.expects_subroutines() {
                    self.cx.check.report_misplaced(word)?;
                }
                self.cx.check.check_failure(statement.failure)
            }
            StatementKind::Declaration { keyword, id } => {
                self.begin_declaration(keyword);
                match id {
                    Some(id) => {
                        let declaration = &ast.declarations[id as usize];
                        Declarer::new(&mut self.cx).declaration(declaration, statement.failure)
                    }
                    None => self.cx.check.check_failure(statement.failure),
                }
            }
            StatementKind::Immediate { keyword, id } => {
                self.begin_declaration(keyword);
                Declarer::new(&mut self.cx).declare_immediate(&ast.immediates[id as usize]);
                self.cx.check.check_failure(statement.failure)
            }
            StatementKind::Property(id) => {
                Declarer::new(&mut self.cx).property(&ast.properties[id as usize])
            }
            StatementKind::UnknownProperty(name) => {
                self.cx.check.report_unknown_property(name);
                Ok(())
            }
        }
    }

    /// Begins a declaration or an immediate, which precede instructions.
    fn begin_declaration(&mut self, keyword: Span) {
        if self.in_code {
            let message = "declarations and immediates come before instructions";
            self.cx
                .check
                .lenient(Rule::LateDeclaration, keyword, message);
        }
        self.cx.emit.span = keyword;
    }

    /// Resolves a predicate before an instruction.
    #[cold]
    fn predicate_guard(&mut self, guard: &Guard) -> Parsed<Predicate> {
        let register = self.cx.resolve_register(&guard.register)?;
        let number = self.cx.check.known_number(&register, ADDRESSES)?;
        Ok(Predicate {
            register: self.cx.predicate(number),
            test: if guard.is_inverted {
                CondTest::Eq
            } else {
                CondTest::Ne
            },
            swizzle: guard.swizzle,
        })
    }
}
