//! Subroutines that can call themselves: their code becomes one graph with a stack of return places. NV_gpu_program4 section 2.X.5
//! and issue 38.
//!
//! Variables are shared by all calls, so a call saves only the place to go on and the counts of the loops around it. A call beyond the depth limit, whose effect is
//! undefined, does nothing.

use super::Lowerer;
use super::blocks::Blocks;
use super::call_stack::CallStack;
use super::flow::Routines;
use super::loops::Rounds;
use crate::ast::{Extra, Inst as Line, Statement};
use crate::lang::opcodes::{FlowOp, Lower};
use crate::lang::{arb, limits};
use glasm_ir::structurize::{Exit, FlowId, Graph, structurize};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Id, Op, RegisterId, Src, WriteMask};
use rustc_hash::FxHashMap;

const U: Type = Type::U32;

/// An open block of the program.
enum Open {
    If {
        /// The ELSE part, or what stands behind ENDIF.
        otherwise: FlowId,
        /// What stands behind ENDIF, once ELSE was seen.
        behind: Option<FlowId>,
    },
    Loop {
        rounds: Option<Kept>,
        /// Where a round begins.
        start: FlowId,
        /// Where a round ends.
        next: FlowId,
        behind: FlowId,
    },
}

/// The rounds that a loop has left, and where calls keep them, by depth: a call may run the same loop anew.
#[derive(Clone, Copy)]
struct Kept {
    rounds: Rounds,
    count: RegisterId,
    index: Option<RegisterId>,
}

impl Kept {
    /// Registers with their lanes and types, and the arrays that keep them.
    fn pairs(&self) -> impl Iterator<Item = (RegisterId, WriteMask, Type, RegisterId)> {
        let count = (self.rounds.count, WriteMask::X, self.rounds.ty, self.count);
        let index = self.rounds.index.zip(self.index);
        let index = index.map(|(index, kept)| (index.register, WriteMask::XYZW, U, kept));
        [Some(count), index].into_iter().flatten()
    }
}

/// The graph of a group of routines.
struct Group<'r> {
    number: u32,
    routines: &'r Routines,
    blocks: Blocks,
    /// Where each routine begins.
    starts: FxHashMap<u32, FlowId>,
    /// Where calls go on.
    return_places: Vec<FlowId>,
    /// Goes to the place on top of the stack.
    ret: FlowId,
    /// Leaves the group.
    out: FlowId,
    stack: CallStack,
}

impl Lowerer<'_> {
    /// Calls that can be open.
    fn call_depth(&self) -> u32 {
        match self.is_arb() {
            true => arb::limits::CALL_DEPTH,
            false => limits::CALL_DEPTH as u32,
        }
    }

    /// Translates the routines of a group into the open block.
    pub(super) fn recursive_routines(&mut self, number: u32, routines: &Routines) {
        let checked = self.checked;
        let size = self.call_depth();
        let stack = self.new_stack(size);
        let mut group = Group {
            number,
            routines,
            blocks: Blocks::new(),
            starts: FxHashMap::default(),
            return_places: Vec::new(),
            ret: FlowId::new(0),
            out: FlowId::new(0),
            stack,
        };
        let entry = group.blocks.reserve();
        group.ret = group.blocks.reserve();
        group.out = group.blocks.reserve();
        let members = routines.members.get(&number).map_or(&[][..], Vec::as_slice);
        for &member in members {
            let start = group.blocks.reserve();
            group.starts.insert(member, start);
        }
        self.group_entry(&mut group, entry);
        for &member in members {
            let routine = &checked.routines[member as usize];
            let start = group.starts[&member];
            self.begin_block(&mut group.blocks, start);
            self.group_routine(&mut group, routine.first, routine.end);
            let behind = self.group_behind(&group, member);
            self.end_block(&mut group.blocks, Exit::Jump(behind));
        }
        self.group_return(&mut group);
        let blocks = group.blocks.list;
        structurize(&mut self.builder, Graph { blocks, entry }, self.bound);
    }

    // Blocks of the graph.

    /// Goes to `target`, under the condition of the instruction.
    fn go(&mut self, group: &mut Group<'_>, line: &Line, target: FlowId) {
        let cond = line.cond.map(|_| self.any(line.cond));
        self.divide(&mut group.blocks, |otherwise| match cond {
            Some(cond) => Exit::Branch {
                cond,
                then: target,
                otherwise,
            },
            None => Exit::Jump(target),
        });
    }

    /// Begins at the routine that the selector names; the first one is that of the only entry without a call.
    fn group_entry(&mut self, group: &mut Group<'_>, entry: FlowId) {
        self.begin_block(&mut group.blocks, entry);
        self.clear_stack(group.stack);
        let main = self.checked.main;
        let exit = match (
            group.starts.get(&main),
            group.routines.selectors.get(&group.number),
        ) {
            (Some(&start), _) => Exit::Jump(start),
            (None, Some(&selector)) => {
                let mut cases: Vec<(u32, FlowId)> = group
                    .starts
                    .iter()
                    .map(|(&number, &start)| (number, start))
                    .collect();
                cases.sort_unstable();
                let default = cases[0].1;
                Exit::Switch {
                    selector: (selector, 0),
                    cases,
                    default,
                }
            }
            (None, None) => Exit::Return,
        };
        self.end_block(&mut group.blocks, exit);
    }

    /// RET: to the place on top of the stack; out of the group if there is none.
    fn group_return(&mut self, group: &mut Group<'_>) {
        self.begin_block(&mut group.blocks, group.ret);
        self.leave_unless(&mut group.blocks, group.stack.in_use(), group.out);
        self.step_stack(group.stack, Op::Sub);
        let place = self.new_register(Width::W32);
        let top = self.stack_top(group.stack, group.stack.places);
        self.put(place, WriteMask::X, Op::Mov, U, &[top]);
        let cases = (0..).zip(group.return_places.iter().copied()).collect();
        let exit = Exit::Switch {
            selector: (place, 0),
            cases,
            default: group.out,
        };
        self.end_block(&mut group.blocks, exit);
    }

    // Statements.

    fn group_routine(&mut self, group: &mut Group<'_>, first: u32, end: u32) {
        let checked = self.checked;
        let mut open = Vec::new();
        for statement in &checked.ast.statements[first as usize..end as usize] {
            let &Statement::Inst(number) = statement else {
                continue;
            };
            let line = &checked.ast.insts[number as usize];
            match line.opcode.info().lower {
                Lower::Flow(op) => {
                    self.span = line.span;
                    self.hidden_used = [0; 2];
                    self.group_flow(group, &mut open, number, op);
                }
                Lower::Op(_) | Lower::Expand(_) | Lower::Missing => self.instruction(number),
            }
            group.blocks.steps += 1;
        }
    }

    /// Where a routine goes on at its end: it returns, but in ARB programs the next one follows.
    fn group_behind(&self, group: &Group<'_>, member: u32) -> FlowId {
        match self.is_arb() {
            true => group
                .starts
                .get(&(member + 1))
                .copied()
                .unwrap_or(group.out),
            false => group.ret,
        }
    }

    fn group_flow(&mut self, group: &mut Group<'_>, open: &mut Vec<Open>, number: u32, op: FlowOp) {
        let line = &self.checked.ast.insts[number as usize];
        match op {
            FlowOp::If => {
                let cond = self.any(line.cond);
                let otherwise = group.blocks.reserve();
                self.leave_unless(&mut group.blocks, cond, otherwise);
                open.push(Open::If {
                    otherwise,
                    behind: None,
                });
            }
            FlowOp::Else => {
                if let Some(Open::If { otherwise, behind }) = open.last_mut() {
                    let target = *behind.get_or_insert_with(|| group.blocks.reserve());
                    let otherwise = *otherwise;
                    self.end_block(&mut group.blocks, Exit::Jump(target));
                    self.begin_block(&mut group.blocks, otherwise);
                }
            }
            FlowOp::EndIf | FlowOp::EndLoop | FlowOp::EndRep => self.group_close(group, open),
            FlowOp::Loop | FlowOp::Rep => self.group_loop(group, open, number, op),
            FlowOp::Brk | FlowOp::Cont => {
                let innermost = open.iter().rev().find_map(|open| match open {
                    Open::Loop { next, behind, .. } => Some((*next, *behind)),
                    Open::If { .. } => None,
                });
                if let Some((next, behind)) = innermost {
                    let target = if op == FlowOp::Brk { behind } else { next };
                    self.go(group, line, target);
                }
            }
            FlowOp::Ret => {
                let ret = group.ret;
                self.go(group, line, ret);
            }
            FlowOp::Cal => self.group_call(group, open, line),
            // Only programs without blocks and routines have these.
            FlowOp::Bra | FlowOp::Push | FlowOp::Pop => {}
            FlowOp::InterlockBegin | FlowOp::InterlockEnd => self.interlock(op),
            FlowOp::Cali => {
                let routines = group.routines;
                self.call_indirect(line, routines);
            }
        }
    }

    fn group_loop(&mut self, group: &mut Group<'_>, open: &mut Vec<Open>, number: u32, op: FlowOp) {
        let line = &self.checked.ast.insts[number as usize];
        let rounds = (line.operand_count > 0).then(|| {
            let rounds = self.begin_rounds(number, line, op);
            let size = self.call_depth();
            let count = self.stack_array(rounds.ty.width(), size);
            let index = rounds.index.map(|_| self.stack_array(Width::W32, size));
            Kept {
                rounds,
                count,
                index,
            }
        });
        let (next, behind) = (group.blocks.reserve(), group.blocks.reserve());
        self.divide(&mut group.blocks, Exit::Jump);
        let start = group.blocks.current();
        if let Some(kept) = &rounds {
            let done = self.rounds_done(&kept.rounds);
            self.leave_if(&mut group.blocks, done, behind);
        }
        open.push(Open::Loop {
            rounds,
            start,
            next,
            behind,
        });
    }

    /// ENDIF, ENDREP, ENDLOOP.
    fn group_close(&mut self, group: &mut Group<'_>, open: &mut Vec<Open>) {
        match open.pop() {
            Some(Open::If { otherwise, behind }) => {
                let target = behind.unwrap_or(otherwise);
                self.end_block(&mut group.blocks, Exit::Jump(target));
                self.begin_block(&mut group.blocks, target);
            }
            Some(Open::Loop {
                rounds,
                start,
                next,
                behind,
            }) => {
                self.end_block(&mut group.blocks, Exit::Jump(next));
                self.begin_block(&mut group.blocks, next);
                if let Some(kept) = &rounds {
                    self.next_round(&kept.rounds);
                }
                group.blocks.steps += 1;
                self.end_block(&mut group.blocks, Exit::Jump(start));
                if let Some(kept) = &rounds {
                    self.end_rounds(&kept.rounds);
                }
                self.begin_block(&mut group.blocks, behind);
            }
            None => {}
        }
    }

    /// CAL: a routine of the group is entered with the place to go on pushed on the stack.
    fn group_call(&mut self, group: &mut Group<'_>, open: &[Open], line: &Line) {
        let Extra::Label(label, _) = self.checked.ast.extra(line) else {
            return;
        };
        let callee = self.checked.labels.get(&label);
        let Some(&start) = callee.and_then(|callee| group.starts.get(callee)) else {
            let routines = group.routines;
            return self.call(line, routines);
        };
        let behind = group.blocks.reserve();
        if line.cond.is_some() {
            let cond = self.any(line.cond);
            self.leave_unless(&mut group.blocks, cond, behind);
        }
        let full = self.is_full(group.stack);
        let beyond = match self.is_arb() {
            true => group.out,
            false => behind,
        };
        self.leave_if(&mut group.blocks, full, beyond);
        let place = self.bits(group.return_places.len() as u64);
        let stack = group.stack;
        self.set_stack_top(stack, stack.places, WriteMask::X, (place, U));
        let loops: Vec<Kept> = open.iter().filter_map(Open::rounds).collect();
        for (register, mask, ty, kept) in loops.iter().flat_map(Kept::pairs) {
            self.set_stack_top(stack, kept, mask, (Src::register(register), ty));
        }
        self.step_stack(stack, Op::Add);
        self.end_block(&mut group.blocks, Exit::Jump(start));
        let landing = match loops.is_empty() {
            true => behind,
            false => group.blocks.reserve(),
        };
        group.return_places.push(landing);
        if landing != behind {
            self.begin_block(&mut group.blocks, landing);
            for (register, mask, ty, kept) in loops.iter().flat_map(Kept::pairs) {
                let top = self.stack_top(stack, kept);
                self.put(register, mask, Op::Mov, ty, &[top]);
            }
            for index in loops.iter().filter_map(|kept| kept.rounds.index) {
                self.set_address(&index);
            }
            self.end_block(&mut group.blocks, Exit::Jump(behind));
        }
        self.begin_block(&mut group.blocks, behind);
    }
}

impl Open {
    fn rounds(&self) -> Option<Kept> {
        match self {
            Self::Loop { rounds, .. } => *rounds,
            Self::If { .. } => None,
        }
    }
}
