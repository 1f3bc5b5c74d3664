//! Blocks, labels and calls. NV_gpu_program4 section 2.X.5.

use super::interlock::Section;
use super::{Checker, Routine, recursion, suggest};
use crate::ast::{Extra, Inst};
use crate::codes::Code;
use crate::lang::opcodes::{FlowOp, Lower};
use crate::lang::{arb, limits};
use crate::names::NameId;
use crate::source::Family;
use glasm_ir::Span;

/// An open block.
#[derive(Clone, Copy, Debug)]
struct Open {
    kind: Block,
    span: Span,
    /// A REP without count that has seen neither a BRK of its own nor a RET inside.
    endless: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Block {
    If,
    Else,
    Rep,
    Loop,
}

impl Block {
    fn is_loop(self) -> bool {
        matches!(self, Self::Rep | Self::Loop)
    }

    /// The word that opens it; that which closes it is `END` and this.
    fn word(self) -> &'static str {
        match self {
            Self::If | Self::Else => "IF",
            Self::Rep => "REP",
            Self::Loop => "LOOP",
        }
    }
}

/// A call of a label, or of the labels of a type.
#[derive(Clone, Copy, Debug)]
struct Call {
    routine: u32,
    target: Target,
    span: Span,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Label(NameId),
    Type(NameId),
}

/// Flow control seen so far.
pub(super) struct Flow {
    open: Vec<Open>,
    calls: Vec<Call>,
    /// Labels of BRA and CAL in programs with free branches.
    pub(super) branches: Vec<(NameId, Span)>,
    /// FSIB and FSIE.
    pub(super) interlocks: Vec<Section>,
    /// The first routine with an instruction runs first if there is no label `main`.
    first_code: Option<u32>,
    /// Too many blocks are open.
    pub(super) too_deep: bool,
    /// The last instruction was a RET without condition.
    returned: bool,
}

impl Flow {
    pub(super) fn new() -> Self {
        Self {
            open: Vec::new(),
            calls: Vec::new(),
            branches: Vec::new(),
            interlocks: Vec::new(),
            first_code: None,
            too_deep: false,
            returned: false,
        }
    }
}

impl Checker<'_> {
    /// The routine that statements belong to now; the one before all labels exists from its first instruction on.
    fn routine(&mut self) -> u32 {
        if self.program.routines.is_empty() {
            self.program.routines.push(Routine {
                label: None,
                first: 0,
                end: 0,
                reached: false,
                group: None,
                falls_through: false,
            });
        }
        self.program.routines.len() as u32 - 1
    }

    #[inline]
    pub(super) fn flow_inst(&mut self, flow: &mut Flow, inst: &Inst) {
        if flow.first_code.is_none() {
            flow.first_code = Some(self.routine());
        }
        flow.returned = false;
        if let Lower::Flow(op) = inst.opcode.info().lower {
            flow.returned = op == FlowOp::Ret && inst.cond.is_none();
            self.flow_opcode(flow, inst, op);
        }
    }

    fn flow_opcode(&mut self, flow: &mut Flow, inst: &Inst, op: FlowOp) {
        match op {
            FlowOp::If => self.open(flow, inst, Block::If),
            FlowOp::Else => match flow.open.last_mut() {
                Some(open) if open.kind == Block::If => open.kind = Block::Else,
                Some(open) if open.kind == Block::Else => {
                    self.syntax.reports.error(
                        Code::BlockMismatch,
                        inst.span,
                        "a second ELSE in one IF",
                    );
                }
                _ => self
                    .syntax
                    .reports
                    .error(Code::BlockMismatch, inst.span, "ELSE without IF"),
            },
            FlowOp::EndIf => self.close(flow, inst, Block::If),
            FlowOp::Rep => self.open(flow, inst, Block::Rep),
            FlowOp::Loop => self.open(flow, inst, Block::Loop),
            FlowOp::EndRep => self.close(flow, inst, Block::Rep),
            FlowOp::EndLoop => self.close(flow, inst, Block::Loop),
            FlowOp::Brk | FlowOp::Cont => {
                match flow.open.iter_mut().rev().find(|open| open.kind.is_loop()) {
                    Some(open) => open.endless &= op != FlowOp::Brk,
                    None => {
                        let message = format!("{} outside a loop", inst.opcode.mnemonic());
                        self.syntax
                            .reports
                            .error(Code::BreakOutsideLoop, inst.span, message);
                    }
                }
            }
            FlowOp::Ret => flow.open.iter_mut().for_each(|open| open.endless = false),
            FlowOp::Bra | FlowOp::Cal => self.branch_or_call(flow, inst),
            FlowOp::Push => {}
            FlowOp::Pop => self.whole_address(inst),
            FlowOp::InterlockBegin | FlowOp::InterlockEnd => self.section(flow, inst, op),
            FlowOp::Cali => {
                if let Some(ty) = self.called_type.take() {
                    let routine = self.routine();
                    flow.calls.push(Call {
                        routine,
                        target: Target::Type(ty),
                        span: inst.span,
                    });
                }
            }
        }
    }

    /// BRA or CAL.
    fn branch_or_call(&mut self, flow: &mut Flow, inst: &Inst) {
        let Extra::Label(label, span) = self.syntax.ast.extra(inst) else {
            return;
        };
        if self.has_free_branches() {
            return flow.branches.push((label, span));
        }
        let routine = self.routine();
        flow.calls.push(Call {
            routine,
            target: Target::Label(label),
            span,
        });
    }

    /// FSIB or FSIE.
    fn section(&mut self, flow: &mut Flow, inst: &Inst, op: FlowOp) {
        let routine = self.routine();
        flow.interlocks.push(Section {
            op,
            routine,
            in_block: !flow.open.is_empty(),
            span: inst.span,
        });
    }

    /// IF, REP or LOOP. Past the limit of open blocks nothing more is checked: no use is left in it.
    fn open(&mut self, flow: &mut Flow, inst: &Inst, kind: Block) {
        let endless = kind == Block::Rep && inst.operand_count == 0 && !inst.broken;
        flow.open.push(Open {
            kind,
            span: inst.span,
            endless,
        });
        self.open_loops += usize::from(kind == Block::Loop);
        let [ifs, loops] = match self.family {
            Family::Typed => [limits::IF_DEPTH, limits::LOOP_DEPTH],
            Family::Arb => [arb::limits::IF_DEPTH, arb::limits::LOOP_DEPTH],
        };
        let (limit, code) = match kind.is_loop() {
            true => (loops, Code::LoopDepth),
            false => (ifs, Code::IfDepth),
        };
        let same = |open: &&Open| open.kind.is_loop() == kind.is_loop();
        let count = flow.open.iter().filter(same).count();
        if count > limit {
            flow.too_deep = true;
            let message = format!("more than {limit} {} blocks inside each other", kind.word());
            self.syntax.reports.error(code, inst.span, message);
        }
    }

    /// ENDIF, ENDREP or ENDLOOP.
    fn close(&mut self, flow: &mut Flow, inst: &Inst, kind: Block) {
        let word = kind.word();
        match flow.open.last().copied() {
            Some(open) if open.kind.word() == word => {
                self.close_from(flow, flow.open.len() - 1);
                if open.endless {
                    let message = "this loop has no count, no BRK of its own and no RET inside";
                    self.syntax
                        .reports
                        .error(Code::InfiniteLoop, open.span, message);
                }
            }
            Some(open) => {
                let other = open.kind.word();
                let message = format!("END{word} closes a block that {other} has opened");
                self.syntax
                    .reports
                    .error(Code::BlockMismatch, inst.span, message);
                // If such a block is open further out, the inner ones were forgotten: go on outside.
                let same = |open: &Open| open.kind.word() == word;
                if let Some(position) = flow.open.iter().rposition(same) {
                    self.close_from(flow, position);
                }
            }
            None => {
                let message = format!("END{word} without {word}");
                self.syntax
                    .reports
                    .error(Code::BlockMismatch, inst.span, message);
            }
        }
    }

    /// Takes the open blocks from `position` on away.
    fn close_from(&mut self, flow: &mut Flow, position: usize) {
        let closed = flow.open.drain(position..);
        self.open_loops -= closed.filter(|open| open.kind == Block::Loop).count();
    }

    pub(super) fn label(&mut self, flow: &mut Flow, statement: u32, name: NameId, span: Span) {
        if self.family == Family::Arb {
            self.arb_label(name, span);
            if self.has_free_branches() {
                return self.branch_label(statement, name, span);
            }
        }
        if !flow.open.is_empty() {
            self.syntax
                .reports
                .error(Code::LabelInBlock, span, "a label inside a block");
            self.close_from(flow, 0);
        }
        self.routine();
        if let Some(last) = self.program.routines.last_mut() {
            last.end = statement;
            last.falls_through = !flow.returned;
        }
        flow.returned = false;
        let number = self.program.routines.len() as u32;
        self.program.routines.push(Routine {
            label: Some(name),
            first: statement + 1,
            end: 0,
            reached: false,
            group: None,
            falls_through: false,
        });
        if self.program.labels.insert(name, number).is_some() {
            self.duplicate_label(name, span);
        }
    }

    #[cold]
    pub(super) fn duplicate_label(&mut self, name: NameId, span: Span) {
        let message = format!("label `{}` is defined already", self.name_text(name));
        self.syntax
            .reports
            .error(Code::DuplicateLabel, span, message);
    }

    /// What can be said only at the end of the program.
    pub(super) fn end_of_flow(&mut self, mut flow: Flow) {
        for open in std::mem::take(&mut flow.open) {
            let word = open.kind.word();
            let message = format!("this {word} has no END{word}");
            self.syntax
                .reports
                .error(Code::BlockOpen, open.span, message);
        }
        self.routine();
        let statements = self.syntax.ast.statements.len() as u32;
        if let Some(last) = self.program.routines.last_mut() {
            last.end = statements;
            last.falls_through = !flow.returned;
        }
        if self.has_free_branches() {
            return self.end_of_jumps(&flow);
        }
        let main = (self.program.labels.iter())
            .find(|&(&name, _)| self.syntax.ast.names.text(name) == b"main")
            .map(|(_, &number)| number);
        self.program.main = main.or(flow.first_code).unwrap_or(0);
        self.subroutine_numbers();
        self.interlocks(&flow.interlocks);
        let calls = self.resolve_calls(&flow.calls);
        self.reach(&calls);
        self.indirect_recursion(&flow.calls);
    }

    /// The routines that each routine calls, with the place of the first such call.
    fn resolve_calls(&mut self, calls: &[Call]) -> Vec<Vec<(u32, Span)>> {
        let mut graph = vec![Vec::new(); self.program.routines.len()];
        let mut indirect = 0;
        for call in calls {
            let callees = &mut graph[call.routine as usize];
            match call.target {
                Target::Label(label) => match self.program.labels.get(&label) {
                    Some(&callee) => callees.push((callee, call.span)),
                    None => self.undefined_label(label, call.span),
                },
                Target::Type(ty) => {
                    let routines = self.program.routines_of(ty);
                    // Each indirect call becomes a branch to each of them.
                    indirect += routines.len();
                    if indirect > limits::INDIRECT_BRANCHES {
                        let limit = limits::INDIRECT_BRANCHES;
                        let message = format!("indirect calls have more than {limit} targets");
                        self.syntax
                            .reports
                            .error(Code::TooManyInstructions, call.span, message);
                        break;
                    }
                    callees.extend(routines.iter().map(|&(callee, _)| (callee, call.span)));
                }
            }
        }
        for callees in &mut graph {
            callees.sort_by_key(|&(callee, span)| (callee, span.start));
            callees.dedup_by_key(|&mut (callee, _)| callee);
        }
        if self.family == Family::Arb {
            self.fall_through(&mut graph);
        }
        graph
    }

    /// Instructions run in the order of the text: a routine that does not end with RET goes on with the next one, which then
    /// returns for it. NV_fragment_program2 section 3.11.4.X.
    fn fall_through(&self, graph: &mut [Vec<(u32, Span)>]) {
        let routines = self.program.routines.iter().zip(1..);
        for (callees, (routine, next)) in graph.iter_mut().zip(routines) {
            if routine.falls_through && (next as usize) < self.program.routines.len() {
                callees.push((next, Span::default()));
            }
        }
    }

    #[cold]
    pub(super) fn undefined_label(&mut self, label: NameId, span: Span) {
        let text = self.name_text(label);
        let targets = self
            .program
            .jumps
            .iter()
            .flat_map(|jumps| jumps.labels.keys());
        let labels: Vec<String> = (self.program.labels.keys().chain(targets))
            .map(|&name| self.name_text(name))
            .collect();
        let notes = suggest(&text, labels.iter().map(String::as_str))
            .into_iter()
            .collect();
        let message = format!("label `{text}` is not defined");
        self.syntax
            .reports
            .error_with(Code::UndefinedLabel, span, message, notes);
    }

    /// Routines may call themselves, but not through CALI. ARB_shader_subroutine section 2.X.5.
    fn indirect_recursion(&mut self, calls: &[Call]) {
        let mut left = limits::INDIRECT_BRANCHES;
        for call in calls {
            let (Target::Type(ty), Some(group)) = (
                call.target,
                self.program.routines[call.routine as usize].group,
            ) else {
                continue;
            };
            let group = Some(group);
            let routines = self.program.routines_of(ty);
            // Calls beyond the limit are an error already.
            let Some(rest) = left.checked_sub(routines.len()) else {
                return;
            };
            left = rest;
            let recursive = (routines.iter())
                .any(|&(callee, _)| self.program.routines[callee as usize].group == group);
            if recursive {
                let message = "this indirect call can lead back to itself";
                self.syntax
                    .reports
                    .error(Code::Recursion, call.span, message);
            }
        }
    }

    /// Makes all routines that run one group if calls can exceed the stack, or if a routine ends the program for its callers:
    /// then the place to go on at is known only when the program runs.
    fn one_group(&mut self, deep: bool) {
        let last = self.program.routines.len() - 1;
        let end = &self.program.routines[last];
        let ends_callers = end.reached && end.falls_through && self.program.main as usize != last;
        if deep || ends_callers {
            for routine in self
                .program
                .routines
                .iter_mut()
                .filter(|routine| routine.reached)
            {
                routine.group = Some(0);
            }
        }
    }

    /// Marks the routines that main reaches and those that can call themselves; finds chains of calls that are too long. Depth first,
    /// with a stack of its own: an entry is a routine and the number of its calls looked at.
    fn reach(&mut self, graph: &[Vec<(u32, Span)>]) {
        let mut finished: Vec<Option<usize>> = vec![None; graph.len()];
        let mut on_stack = vec![false; graph.len()];
        let mut stack = vec![(self.program.main, 0usize, 0usize)];
        let mut recursive = false;
        on_stack[self.program.main as usize] = true;
        while let Some(top) = stack.last_mut() {
            let (routine, next, height) = *top;
            if let Some(&(callee, _)) = graph[routine as usize].get(next) {
                top.1 += 1;
                if on_stack[callee as usize] {
                    recursive = true;
                } else if let Some(below) = finished[callee as usize] {
                    top.2 = height.max(below + 1);
                } else {
                    on_stack[callee as usize] = true;
                    stack.push((callee, 0, 0));
                }
                continue;
            }
            stack.pop();
            on_stack[routine as usize] = false;
            finished[routine as usize] = Some(height);
            self.program.routines[routine as usize].reached = true;
            if let Some(caller) = stack.last_mut() {
                caller.2 = caller.2.max(height + 1);
            } else if self.family == Family::Arb {
                return self.one_group(recursive || height > arb::limits::CALL_DEPTH as usize);
            } else if height > limits::CALL_DEPTH {
                let message = format!("chains of more than {} calls", limits::CALL_DEPTH);
                self.syntax.reports.whole(Code::CallDepth, message);
            }
        }
        if recursive {
            let groups = recursion::groups(graph, self.program.main);
            let count = groups.iter().flatten().max().map_or(0, |last| last + 1);
            if count > limits::RECURSIVE_GROUPS {
                let limit = limits::RECURSIVE_GROUPS;
                let message = format!("more than {limit} subroutines that can call themselves");
                self.syntax.reports.whole(Code::CallDepth, message);
            }
            for (routine, group) in self.program.routines.iter_mut().zip(groups) {
                routine.group = group;
            }
        }
    }
}
