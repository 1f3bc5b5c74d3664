//! TGSI: the shaders of Mesa's Gallium, as drivers print them and virtual GPUs send them.
//!
//! The text has numbered registers in files, whose components are words without a type; each opcode says how it reads them. Declarations
//! give registers a meaning. One pass over the bytes reads a statement, checks it and appends it to the program; only how registers are
//! indexed at run time is looked up first (`scan`). Three generations of the text are read: that of 2010, the one that virgl sends, and
//! the current one.

mod ast;
pub mod catalog;
mod covered;
mod declare;
mod files;
mod filled;
mod flow;
mod inst;
mod instruction;
mod lex;
mod lower;
mod modes;
mod nesting;
mod numbers;
mod opcodes;
mod operand;
mod property;
mod semantics;
mod state;
mod syntax;
mod targets;

pub(crate) use state::TgsiMemory;

use crate::lang::lenient::Rule;
use crate::memory::ProgramMemory;
use crate::report::Reports;
use crate::start::Start;
use ast::{Ast, Guard, Statement, StatementKind};
use glasm_ir::{CondTest, Program, Semantic, Span};
use inst::{Inst, Predicate};
use opcodes::{Flow, Lower};
use operand::ADDRESSES;
use semantics::Sink;
use state::{Parsed, Reported, Translation};

/// Parses, checks and translates a program. Without an error the result is the program; all errors are reported.
pub(crate) fn translate(
    start: Start<'_>,
    memory: &mut TgsiMemory,
    programs: &mut ProgramMemory,
) -> (Option<Program>, Reports) {
    let ast = syntax::parse(&start, std::mem::take(&mut memory.ast));
    let mut translation = Translation::new(start, &ast, memory, programs);
    translation.statements();
    let (program, reports) = translation.end(memory, programs);
    memory.ast = ast.forget_text();
    if reports.has_errors() {
        programs.recycle(program);
        (None, reports)
    } else {
        (Some(program), reports)
    }
}

/// Returns the output registers of a program with their semantics, in the order of their numbers. If the program has errors, these are
/// the registers whose declarations have none.
pub(crate) fn outputs(start: Start<'_>) -> Vec<(u32, Semantic)> {
    let ast = syntax::parse(&start, Ast::default());
    let mut translation = Translation::new(
        start,
        &ast,
        &mut TgsiMemory::default(),
        &mut ProgramMemory::default(),
    );
    translation.statements();
    let rows = translation.declared.outputs.iter();
    let declared = (0..)
        .zip(rows)
        .filter_map(|(number, row)| Some((number, (*row)?)));
    let semantics = declared.flat_map(|(number, row)| {
        let semantics = translation.semantics_of(row.sink).into_iter().flatten();
        semantics.map(move |semantic| (number, semantic))
    });
    semantics.collect()
}

/// Returns the number of bytes before the first word of a program.
pub(crate) fn leading_bytes(text: &[u8]) -> usize {
    // The byte order mark of UTF-8, which some editors put in front.
    let start = if text.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    lex::skip_whitespace(text, start)
}

impl Translation<'_> {
    /// Translates all statements.
    fn statements(&mut self) {
        let ast = self.ast;
        let mut inst = Inst::before_all();
        // Statements that begin before this byte are in the line of one that is wrong.
        let mut resumption = 0;
        for statement in &ast.statements {
            if self.reports.is_full() {
                break;
            }
            if statement.start < resumption {
                continue;
            }
            // The parser has skipped what follows a syntax error.
            if self.statement(&mut inst, statement).is_err() && statement.failure.is_none() {
                resumption = syntax::find_resumption(ast.text, statement.start, statement.end);
            }
        }
        // After the last statement: declarations may follow instructions where the rule is not strict.
        self.overlapping_constants();
        self.settle_properties();
        self.end_of_text();
    }

    /// What pipelines call an output: a register may hold up to four distances.
    fn semantics_of(&self, sink: Sink) -> [Option<Semantic>; 4] {
        match sink {
            Sink::Output(semantic, _) => [Some(semantic), None, None, None],
            Sink::Distances(first) => [0, 1, 2, 3].map(|lane| self.distance(first + lane)),
            Sink::CullDistances(first) => {
                [0, 1, 2, 3].map(|lane| Some(Semantic::CullDistance(first + lane)))
            }
            Sink::ClipVertex => [Some(Semantic::ClipVertex), None, None, None],
            Sink::OuterLevels | Sink::InnerLevels | Sink::Dropped => [None; 4],
        }
    }

    /// Translates a statement.
    #[inline]
    fn statement(&mut self, inst: &mut Inst, statement: &Statement) -> Parsed<()> {
        let ast = self.ast;
        match statement.kind {
            StatementKind::Inst(id) => {
                let it = &ast.insts[id as usize];
                let guard = match it.guard {
                    Some(guard) => Some(self.predicate_guard(&ast.guards[guard as usize])?),
                    None => None,
                };
                // A second END has a message of its own.
                if self.expects_subroutines()
                    && !matches!(it.row.lower, Lower::Flow(Flow::Subroutine | Flow::End))
                {
                    self.misplaced(it.opcode)?;
                }
                self.instruction(inst, it, guard, statement.failure)
            }
            StatementKind::Broken => self.check_failure(statement.failure),
            StatementKind::UnknownOpcode(word) => {
                if self.expects_subroutines() {
                    self.misplaced(word)?;
                }
                self.check_failure(statement.failure)
            }
            StatementKind::Declaration { keyword, id } => {
                self.begin_declaration(keyword);
                match id {
                    Some(id) => {
                        let declaration = &ast.declarations[id as usize];
                        self.declaration(declaration, statement.failure)
                    }
                    None => self.check_failure(statement.failure),
                }
            }
            StatementKind::Immediate { keyword, id } => {
                self.begin_declaration(keyword);
                self.immediate_statement(&ast.immediates[id as usize]);
                self.check_failure(statement.failure)
            }
            StatementKind::Property(id) => self.property(&ast.properties[id as usize]),
            StatementKind::UnknownProperty(name) => {
                self.unknown_property(name);
                Ok(())
            }
        }
    }

    /// Reports the syntax error of a statement, if it has one.
    #[inline]
    fn check_failure(&mut self, failure: Option<u32>) -> Parsed<()> {
        match failure {
            None => Ok(()),
            Some(failure) => Err(self.report_failure(failure)),
        }
    }

    #[cold]
    fn report_failure(&mut self, failure: u32) -> Reported {
        let failure = self.ast.failures[failure as usize];
        let (code, message, hint) = failure.describe(self.ast.text);
        self.error_with(code, failure.span(), message, hint)
    }

    /// Begins a declaration or an immediate, which come before instructions.
    fn begin_declaration(&mut self, keyword: Span) {
        if self.in_code {
            let message = "declarations and immediates come before instructions";
            self.lenient(Rule::LateDeclaration, keyword, message);
        }
        self.span = keyword;
    }

    /// Resolves a predicate before an instruction.
    #[cold]
    fn predicate_guard(&mut self, guard: &Guard) -> Parsed<Predicate> {
        let register = self.resolve_register(&guard.register)?;
        let number = self.known_number(&register, ADDRESSES)?;
        Ok(Predicate {
            register: self.predicate(number),
            test: if guard.is_inverted {
                CondTest::Eq
            } else {
                CondTest::Ne
            },
            swizzle: guard.swizzle,
        })
    }
}
