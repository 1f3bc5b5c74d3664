//! Blocks, labels and calls. NV_gpu_program4 section 2.X.5.

use super::interlock::Section;
use super::{Checker, Routine, recursion, suggest};
use crate::ast::{Extra, Inst};
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::opcodes::{FlowOp, Lower};
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
    ifs: usize,
    loops: usize,
    calls: Vec<Call>,
    /// Labels of BRA and CAL in programs with free branches.
    pub(super) branches: Vec<(NameId, Span)>,
    /// FSIB and FSIE.
    pub(super) interlocks: Vec<Section>,
    /// The first routine with an instruction runs first if there is no label `main`.
    first_code: Option<u32>,
    /// Too many blocks are open.
    pub(super) too_deep: bool,
}

impl Flow {
    pub(super) fn new() -> Self {
        Self {
            open: Vec::new(),
            ifs: 0,
            loops: 0,
            calls: Vec::new(),
            branches: Vec::new(),
            interlocks: Vec::new(),
            first_code: None,
            too_deep: false,
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
            });
        }
        self.program.routines.len() as u32 - 1
    }

    #[inline]
    pub(super) fn flow_inst(&mut self, flow: &mut Flow, inst: &Inst) {
        if flow.first_code.is_none() {
            flow.first_code = Some(self.routine());
        }
        if let Lower::Flow(op) = inst.opcode.info().lower {
            self.flow_opcode(flow, inst, op);
        }
    }

    fn flow_opcode(&mut self, flow: &mut Flow, inst: &Inst, op: FlowOp) {
        match op {
            FlowOp::If => {
                flow.ifs += 1;
                self.open(flow, inst, Block::If, limits::IF_DEPTH);
            }
            FlowOp::Else => match flow.open.last_mut() {
                Some(open) if open.kind == Block::If => open.kind = Block::Else,
                Some(open) if open.kind == Block::Else => {
                    self.reports
                        .error(Code::BlockMismatch, inst.span, "a second ELSE in one IF");
                }
                _ => self
                    .reports
                    .error(Code::BlockMismatch, inst.span, "ELSE without IF"),
            },
            FlowOp::EndIf => self.close(flow, inst, "IF"),
            FlowOp::Rep => {
                flow.loops += 1;
                self.open(flow, inst, Block::Rep, limits::LOOP_DEPTH);
            }
            FlowOp::EndRep => self.close(flow, inst, "REP"),
            FlowOp::Brk | FlowOp::Cont => match flow
                .open
                .iter_mut()
                .rev()
                .find(|open| open.kind == Block::Rep)
            {
                Some(open) => open.endless &= op != FlowOp::Brk,
                None => {
                    let message = format!("{} outside a REP block", inst.opcode.mnemonic());
                    self.reports
                        .error(Code::BreakOutsideLoop, inst.span, message);
                }
            },
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
        let Extra::Label(label, span) = self.program.ast.extra(inst) else {
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

    /// IF or REP. Past the limit of open blocks nothing more is checked: no use is left in it.
    fn open(&mut self, flow: &mut Flow, inst: &Inst, kind: Block, limit: usize) {
        let endless = kind == Block::Rep && inst.operand_count == 0 && !inst.broken;
        flow.open.push(Open {
            kind,
            span: inst.span,
            endless,
        });
        let (count, word, code) = match kind {
            Block::If | Block::Else => (flow.ifs, "IF", Code::IfDepth),
            Block::Rep => (flow.loops, "REP", Code::LoopDepth),
        };
        if count > limit {
            flow.too_deep = true;
            let message = format!("more than {limit} {word} blocks inside each other");
            self.reports.error(code, inst.span, message);
        }
    }

    /// ENDIF or ENDREP.
    fn close(&mut self, flow: &mut Flow, inst: &Inst, opener: &str) {
        let is_rep = opener == "REP";
        match flow.open.last().copied() {
            Some(open) if (open.kind == Block::Rep) == is_rep => {
                flow.open.pop();
                if is_rep {
                    flow.loops -= 1
                } else {
                    flow.ifs -= 1
                }
                if open.endless {
                    let message = "this loop has no count, no BRK of its own and no RET inside";
                    self.reports.error(Code::InfiniteLoop, open.span, message);
                }
            }
            Some(_) => {
                let other = if is_rep { "IF" } else { "REP" };
                let message = format!("END{opener} closes a block that {other} has opened");
                self.reports.error(Code::BlockMismatch, inst.span, message);
                // If such a block is open further out, the inner ones were forgotten: go on outside.
                let matching = flow
                    .open
                    .iter()
                    .rposition(|open| (open.kind == Block::Rep) == is_rep);
                if let Some(position) = matching {
                    flow.open.truncate(position);
                    flow.loops = flow
                        .open
                        .iter()
                        .filter(|open| open.kind == Block::Rep)
                        .count();
                    flow.ifs = flow.open.len() - flow.loops;
                }
            }
            None => {
                let message = format!("END{opener} without {opener}");
                self.reports.error(Code::BlockMismatch, inst.span, message);
            }
        }
    }

    pub(super) fn label(&mut self, flow: &mut Flow, statement: u32, name: NameId, span: Span) {
        if self.family == Family::Arb {
            self.arb_label(span);
            if self.has_free_branches() {
                return self.branch_label(statement, name, span);
            }
        }
        if !flow.open.is_empty() {
            self.reports
                .error(Code::LabelInBlock, span, "a label inside a block");
            self.close_all(flow);
        }
        self.routine();
        if let Some(last) = self.program.routines.last_mut() {
            last.end = statement;
        }
        let number = self.program.routines.len() as u32;
        self.program.routines.push(Routine {
            label: Some(name),
            first: statement + 1,
            end: 0,
            reached: false,
            group: None,
        });
        if self.program.labels.insert(name, number).is_some() {
            self.duplicate_label(name, span);
        }
    }

    #[cold]
    pub(super) fn duplicate_label(&mut self, name: NameId, span: Span) {
        let message = format!("label `{}` is defined already", self.name_text(name));
        self.reports.error(Code::DuplicateLabel, span, message);
    }

    /// Blocks that nothing has closed; each is reported unless the label inside it was.
    fn close_all(&mut self, flow: &mut Flow) {
        flow.open.clear();
        flow.ifs = 0;
        flow.loops = 0;
    }

    /// What can be said only at the end of the program.
    pub(super) fn end_of_flow(&mut self, mut flow: Flow) {
        for open in std::mem::take(&mut flow.open) {
            let (word, end) = if open.kind == Block::Rep {
                ("REP", "ENDREP")
            } else {
                ("IF", "ENDIF")
            };
            let message = format!("this {word} has no {end}");
            self.reports.error(Code::BlockOpen, open.span, message);
        }
        self.routine();
        let statements = self.program.ast.statements.len() as u32;
        if let Some(last) = self.program.routines.last_mut() {
            last.end = statements;
        }
        if self.has_free_branches() {
            return self.end_of_jumps(&flow);
        }
        let main = (self.program.labels.iter())
            .find(|&(&name, _)| self.program.ast.names.text(name) == b"main")
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
                        self.reports
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
        graph
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
        self.reports
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
                self.reports.error(Code::Recursion, call.span, message);
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
            } else if height > limits::CALL_DEPTH {
                let message = format!("chains of more than {} calls", limits::CALL_DEPTH);
                self.reports.whole(Code::CallDepth, message);
            }
        }
        if recursive {
            let groups = recursion::groups(graph, self.program.main);
            let count = groups.iter().flatten().max().map_or(0, |last| last + 1);
            if count > limits::RECURSIVE_GROUPS {
                let limit = limits::RECURSIVE_GROUPS;
                let message = format!("more than {limit} subroutines that can call themselves");
                self.reports.whole(Code::CallDepth, message);
            }
            for (routine, group) in self.program.routines.iter_mut().zip(groups) {
                routine.group = group;
            }
        }
    }
}
