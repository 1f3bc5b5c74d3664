//! Statements of the source: consecutive instructions that were translated from the same one, with
//! the values that the statement reads and writes.

use super::names::{NamedValue, describe_operand, describe_result, is_visible};
use super::recorder::{Event, Finding, InstructionRecord};
use glasm::ir::interp::{Flags, FlowChange};
use glasm::ir::{Id, OperandBase, Program, Span, WriteMask};
use std::collections::HashSet;

/// An executed statement, or a change of control flow.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// Bytes of the program; `None` for instructions that belong to no statement.
    pub span: Option<Span>,
    /// Number of calls that have not returned.
    pub depth: usize,
    /// Instructions.
    pub instructions: Vec<InstructionRecord>,
    /// Values that it reads, each once.
    pub operands: Vec<NamedValue>,
    /// Values that it has written: the last one of each register.
    pub results: Vec<NamedValue>,
    /// Condition codes that it has updated, with their lanes.
    pub codes: Option<([Flags; 4], WriteMask)>,
    /// Changes of control flow.
    pub flow: Vec<Flow>,
    /// What is remarkable.
    pub findings: Vec<Finding>,
}

/// A change of control flow at a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// A branch, with the result of its condition and the condition codes that it tests.
    Branch(bool, Option<[Flags; 4]>),
    /// An iteration of a loop begins, from 1.
    Iteration(u64),
    /// A multi-way branch with the value of its selector.
    Switch(u32),
    /// The loop or switch ends.
    Break,
    /// The next iteration begins early.
    Continue,
    /// A routine is called.
    Call(usize),
    /// A routine returns.
    Return,
}

impl Statement {
    /// Returns an empty statement.
    fn new(span: Option<Span>, depth: usize) -> Self {
        Self {
            span,
            depth,
            instructions: Vec::new(),
            operands: Vec::new(),
            results: Vec::new(),
            codes: None,
            flow: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Returns true if the statement has nothing to show: its instructions compute values that are
    /// not part of the source.
    pub fn is_internal(&self, program: &Program) -> bool {
        let is_internal = |record: &InstructionRecord| {
            let result = record.result.as_ref();
            result.is_some_and(|result| !is_visible(program, result.register))
        };
        self.span.is_none() && self.flow.is_empty()
            || self.operands.is_empty()
                && self.flow.is_empty()
                && self.findings.is_empty()
                && self.instructions.iter().all(is_internal)
    }

    /// Returns true if the statement has written a value with this name, or lanes of it.
    pub fn writes(&self, name: &str) -> bool {
        self.results.iter().any(|value| is_named(value, name))
    }

    /// Returns true if the statement reads or has written a value with this name, or lanes of it.
    pub fn uses(&self, name: &str) -> bool {
        self.writes(name) || self.operands.iter().any(|value| is_named(value, name))
    }
}

/// Returns true if a value has a name, which may be that of an array or a binding without number.
fn is_named(value: &NamedValue, name: &str) -> bool {
    let name = name.trim();
    let (own, shown) = (value.name.as_str(), value.text.as_str());
    own.eq_ignore_ascii_case(name)
        || shown.eq_ignore_ascii_case(name)
        || own
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
            && own[name.len()..].starts_with(['[', '.'])
}

/// Collects the events of a run into statements.
pub(super) struct StatementBuilder<'p> {
    program: &'p Program,
    statements: Vec<Statement>,
    /// Spans of the loops that have begun, innermost last.
    loops: Vec<Span>,
    /// Number of these loops at each call that has not returned.
    calls: Vec<usize>,
    depth: usize,
    /// Registers that the current statement has written, with their elements and lanes.
    written: HashSet<(usize, u32, usize)>,
}

impl<'p> StatementBuilder<'p> {
    /// Returns a builder for the events of a run of a program.
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            statements: Vec::new(),
            loops: Vec::new(),
            calls: Vec::new(),
            depth: 0,
            written: HashSet::new(),
        }
    }

    /// Returns the statements of a run.
    pub(super) fn collect(program: &'p Program, events: &[Event]) -> Vec<Statement> {
        let mut builder = Self::new(program);
        for event in events {
            match event {
                Event::Instruction(record) => builder.add_instruction(record),
                Event::Flow(change) => builder.add_flow(*change),
            }
        }
        builder.statements
    }

    /// Returns the current statement if an event at a span belongs to it, else a new one.
    fn select_statement(&mut self, span: Span) -> Option<&mut Statement> {
        let span = (span != Span::default()).then_some(span);
        let depth = self.depth;
        let is_same = self.statements.last().is_some_and(|last| {
            last.depth == depth && last.flow.is_empty() && is_same_statement(last.span, span)
        });
        if !is_same {
            self.statements.push(Statement::new(span, depth));
            self.written.clear();
        }
        let last = self.statements.last_mut()?;
        if let (Some(own), Some(span)) = (last.span, span) {
            last.span = Some(own.to(span));
        }
        Some(last)
    }

    /// Adds an instruction.
    fn add_instruction(&mut self, record: &InstructionRecord) {
        let program = self.program;
        let Some(inst) = program.insts.get(record.index) else {
            return;
        };
        if self.select_statement(inst.span).is_none() {
            return;
        }
        let mut operands = Vec::new();
        for (number, operand) in record.operands.iter().enumerate() {
            let src = program.source(inst, number);
            let is_internal = match src.base {
                OperandBase::Literal(_) => true,
                OperandBase::Register(id) if !is_visible(program, id) => true,
                OperandBase::Register(id) => {
                    let element = operand.element.map_or(0, |it| it.clamp_to_array());
                    let mut lanes = operand.read.lanes();
                    lanes.all(|lane| {
                        let key = (id.index(), element, src.swizzle.lane(lane));
                        self.written.contains(&key)
                    })
                }
                OperandBase::Param(_) | OperandBase::Input(_) | OperandBase::Output(_) => false,
            };
            if !is_internal {
                operands.extend(describe_operand(program, inst, number, operand));
            }
        }
        if let Some(result) = &record.result {
            let element = result.element.map_or(0, |it| it.clamp_to_array());
            let lanes = result.written.lanes();
            self.written
                .extend(lanes.map(|lane| (result.register.index(), element, lane)));
        }
        let Some(statement) = self.statements.last_mut() else {
            return;
        };
        for operand in operands {
            if !statement.operands.contains(&operand) {
                statement.operands.push(operand);
            }
        }
        if let Some(result) = &record.result {
            let value = describe_result(program, inst, result);
            if let Some(value) = value.filter(|_| is_visible(program, result.register)) {
                statement.results.retain(|it| it.text != value.text);
                statement.results.push(value);
            }
            if let Some(codes) = result.codes {
                let before = statement.codes.map_or(0, |(_, lanes)| lanes.0);
                statement.codes = Some((codes, WriteMask(before | result.written.0)));
            }
        }
        statement.findings.extend(&record.findings);
        statement.instructions.push(record.clone());
    }

    /// Adds a change of control flow.
    fn add_flow(&mut self, change: FlowChange) {
        let (span, flow) = match change {
            FlowChange::Branch {
                is_taken,
                codes,
                span,
            } => {
                // The test at the start of a loop is not a statement; the end of the loop is.
                if self.loops.last() == Some(&span) {
                    return;
                }
                (span, Flow::Branch(is_taken, codes))
            }
            FlowChange::LoopStart { span } => {
                self.loops.push(span);
                (span, Flow::Iteration(1))
            }
            FlowChange::Iteration { complete } => {
                let span = self.loops.last().copied();
                (span.unwrap_or_default(), Flow::Iteration(complete + 1))
            }
            FlowChange::Switch { value, span } => (span, Flow::Switch(value)),
            FlowChange::Break { leaves_loop } => {
                let span = if leaves_loop { self.loops.pop() } else { None };
                (span.unwrap_or_default(), Flow::Break)
            }
            FlowChange::Continue => (Span::default(), Flow::Continue),
            FlowChange::Call { routine, span } => (span, Flow::Call(routine.index())),
            FlowChange::Return => {
                // The end of the program is not shown.
                let Some(loops) = self.calls.pop() else {
                    return;
                };
                self.loops.truncate(loops);
                self.depth = self.calls.len();
                (Span::default(), Flow::Return)
            }
        };
        if let Some(statement) = self.select_statement(span) {
            statement.flow.push(flow);
        }
        if matches!(flow, Flow::Call(_)) {
            self.calls.push(self.loops.len());
            self.depth = self.calls.len();
        }
    }
}

/// Returns true if two spans belong to one statement: they begin at the same byte, or one contains
/// the other.
fn is_same_statement(a: Option<Span>, b: Option<Span>) -> bool {
    let contains = |a: Span, b: Span| a.start <= b.start && b.end <= a.end;
    match (a, b) {
        (Some(a), Some(b)) => a.start == b.start || contains(a, b) || contains(b, a),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}
