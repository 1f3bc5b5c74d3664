//! Subroutines that can call themselves: their code becomes one graph with a stack of return places. NV_gpu_program4 section 2.X.5
//! and issue 38.
//!
//! Variables are shared by all calls, so a call saves only the place to go on and the counts of the loops around it. A call beyond the depth limit, whose effect is
//! undefined, does nothing.

use super::Lowerer;
use super::flow::Routines;
use crate::ast::{Extra, Inst as Line, Statement};
use crate::lang::limits;
use crate::lang::opcodes::{FlowOp, Lower};
use glasm_ir::inst::{Aux, Dst, Index, IndexTerm};
use glasm_ir::structurize::{Exit, FlowBlock, FlowId, Graph, structurize};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, Cond, Id, IndexVec, Op, Register, RegisterId, Span, Src, Storage, WriteMask};
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
    Rep {
        count: Option<Count>,
        /// Where a round begins.
        start: FlowId,
        /// Where a round ends.
        next: FlowId,
        behind: FlowId,
    },
}

/// The rounds that a loop has left.
#[derive(Clone, Copy)]
struct Count {
    register: RegisterId,
    ty: Type,
    /// Keeps it during calls, by depth: a call may run the same loop anew.
    kept: RegisterId,
}

/// The graph of a group of routines.
struct Group<'r> {
    number: u32,
    routines: &'r Routines,
    blocks: IndexVec<FlowId, FlowBlock>,
    /// The block being filled.
    current: FlowId,
    /// Where each routine begins.
    starts: FxHashMap<u32, FlowId>,
    /// Where calls go on.
    return_places: Vec<FlowId>,
    /// Goes to the place on top of the stack.
    ret: FlowId,
    stack: RegisterId,
    depth: RegisterId,
}

impl Group<'_> {
    fn reserve(&mut self) -> FlowId {
        self.blocks.push(FlowBlock {
            nodes: Vec::new(),
            exit: Exit::Return,
            span: Span::default(),
        })
    }
}

impl Lowerer<'_> {
    /// Translates the routines of a group into the open block.
    pub(super) fn recursive_routines(&mut self, number: u32, routines: &Routines) {
        let checked = self.checked;
        let stack = self.stack_of(Width::W32);
        let mut group = Group {
            number,
            routines,
            blocks: IndexVec::new(),
            current: FlowId::new(0),
            starts: FxHashMap::default(),
            return_places: Vec::new(),
            ret: FlowId::new(0),
            stack,
            depth: self.new_register(Width::W32),
        };
        let entry = group.reserve();
        group.ret = group.reserve();
        let members = routines.members.get(&number).map_or(&[][..], Vec::as_slice);
        for &member in members {
            let start = group.reserve();
            group.starts.insert(member, start);
        }
        self.group_entry(&mut group, entry);
        for &member in members {
            let routine = &checked.routines[member as usize];
            let start = group.starts[&member];
            self.begin(&mut group, start);
            self.group_routine(&mut group, routine.first, routine.end);
        }
        self.group_return(&mut group);
        let blocks = group.blocks;
        structurize(&mut self.builder, Graph { blocks, entry }, None);
    }

    /// A register with a place for each call.
    fn stack_of(&mut self, width: Width) -> RegisterId {
        self.builder.program.registers.push(Register {
            storage: Storage::Temp,
            width,
            array: Some(limits::CALL_DEPTH as u32),
            name: None,
        })
    }

    // Blocks of the graph.

    fn begin(&mut self, group: &mut Group<'_>, block: FlowId) {
        group.current = block;
        self.builder.open_block();
    }

    fn end(&mut self, group: &mut Group<'_>, exit: Exit) {
        group.blocks[group.current] = FlowBlock {
            nodes: self.builder.take_nodes(),
            exit,
            span: self.span,
        };
    }

    /// Ends the block and begins the next one; `exit` gets its number.
    fn divide(&mut self, group: &mut Group<'_>, exit: impl FnOnce(FlowId) -> Exit) {
        let next = group.reserve();
        self.end(group, exit(next));
        self.begin(group, next);
    }

    /// Goes to `target`, under the condition of the instruction.
    fn go(&mut self, group: &mut Group<'_>, line: &Line, target: FlowId) {
        let cond = line.cond.map(|_| self.any(line.cond));
        self.divide(group, |otherwise| match cond {
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
        self.begin(group, entry);
        let zero = self.bits(0);
        self.put(group.depth, WriteMask::X, Op::Mov, U, &[zero]);
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
        self.end(group, exit);
    }

    /// RET: to the place on top of the stack; out of the group if there is none.
    fn group_return(&mut self, group: &mut Group<'_>) {
        let (pop, out) = (group.reserve(), group.reserve());
        self.begin(group, group.ret);
        let exit = Exit::Branch {
            cond: Cond::NonZero(group.depth, 0, U),
            then: pop,
            otherwise: out,
        };
        self.end(group, exit);
        self.begin(group, pop);
        let depth = Src::register(group.depth);
        let one = self.bits(1);
        self.put(group.depth, WriteMask::X, Op::Sub, U, &[depth, one]);
        let place = self.new_register(Width::W32);
        self.read_top(group, place, group.stack, U);
        let cases = (0..).zip(group.return_places.iter().copied()).collect();
        let exit = Exit::Switch {
            selector: (place, 0),
            cases,
            default: out,
        };
        self.end(group, exit);
    }

    /// The index of the place on top of the stack.
    fn stack_top(&mut self, group: &Group<'_>) -> glasm_ir::inst::IndexId {
        self.builder.program.indices.push(Index {
            element: IndexTerm {
                relative: Some((group.depth, 0)),
                offset: 0,
            },
            len: limits::CALL_DEPTH as u32,
            vertex: None,
        })
    }

    /// `register = stack[depth]`
    fn read_top(&mut self, group: &Group<'_>, register: RegisterId, stack: RegisterId, ty: Type) {
        let top = Src {
            index: Some(self.stack_top(group)),
            ..Src::new(Base::Register(stack))
        };
        self.put(register, WriteMask::X, Op::Mov, ty, &[top]);
    }

    /// `stack[depth] = value`
    fn write_top(&mut self, group: &Group<'_>, stack: RegisterId, value: Src, ty: Type) {
        let top = Dst {
            index: Some(self.stack_top(group)),
            ..Dst::new(stack, WriteMask::X)
        };
        self.inst(Op::Mov, ty, Some(top), Aux::None, &[value]);
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
                Lower::Op(_) | Lower::Fn(_) | Lower::Missing => self.instruction(number),
            }
        }
        let ret = group.ret;
        self.end(group, Exit::Jump(ret));
    }

    fn group_flow(&mut self, group: &mut Group<'_>, open: &mut Vec<Open>, number: u32, op: FlowOp) {
        let line = &self.checked.ast.insts[number as usize];
        match op {
            FlowOp::If => {
                let cond = self.any(line.cond);
                let otherwise = group.reserve();
                self.divide(group, |then| Exit::Branch {
                    cond,
                    then,
                    otherwise,
                });
                open.push(Open::If {
                    otherwise,
                    behind: None,
                });
            }
            FlowOp::Else => {
                if let Some(Open::If { otherwise, behind }) = open.last_mut() {
                    let target = *behind.get_or_insert_with(|| group.reserve());
                    let otherwise = *otherwise;
                    self.end(group, Exit::Jump(target));
                    self.begin(group, otherwise);
                }
            }
            FlowOp::EndIf | FlowOp::EndRep => self.group_close(group, open),
            FlowOp::Rep => self.group_loop(group, open, number, line),
            FlowOp::Brk | FlowOp::Cont => {
                let innermost = open.iter().rev().find_map(|open| match open {
                    Open::Rep { next, behind, .. } => Some((*next, *behind)),
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
            FlowOp::InterlockBegin | FlowOp::InterlockEnd => self.interlock(op),
            FlowOp::Cali => {
                let routines = group.routines;
                self.call_indirect(line, routines);
            }
        }
    }

    fn group_loop(
        &mut self,
        group: &mut Group<'_>,
        open: &mut Vec<Open>,
        number: u32,
        line: &Line,
    ) {
        let count = (line.operand_count > 0).then(|| {
            let (register, ty) = self.count(number, line);
            let kept = self.stack_of(ty.width());
            Count { register, ty, kept }
        });
        let (next, behind) = (group.reserve(), group.reserve());
        self.divide(group, Exit::Jump);
        let start = group.current;
        if let Some(Count { register, ty, .. }) = count {
            let (zero, done) = (self.bits(0), self.hidden(ty.width()));
            self.put(
                done,
                WriteMask::X,
                Op::SetLe,
                ty,
                &[Src::register(register), zero],
            );
            self.divide(group, |otherwise| Exit::Branch {
                cond: Cond::NonZero(done, 0, ty),
                then: behind,
                otherwise,
            });
        }
        open.push(Open::Rep {
            count,
            start,
            next,
            behind,
        });
    }

    /// ENDIF, ENDREP.
    fn group_close(&mut self, group: &mut Group<'_>, open: &mut Vec<Open>) {
        match open.pop() {
            Some(Open::If { otherwise, behind }) => {
                let target = behind.unwrap_or(otherwise);
                self.end(group, Exit::Jump(target));
                self.begin(group, target);
            }
            Some(Open::Rep {
                count,
                start,
                next,
                behind,
            }) => {
                self.end(group, Exit::Jump(next));
                self.begin(group, next);
                if let Some(Count { register, ty, .. }) = count {
                    let one = self.bits(1);
                    self.put(
                        register,
                        WriteMask::X,
                        Op::Sub,
                        ty,
                        &[Src::register(register), one],
                    );
                }
                self.end(group, Exit::Jump(start));
                self.begin(group, behind);
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
        let behind = group.reserve();
        if line.cond.is_some() {
            let cond = self.any(line.cond);
            self.divide(group, |then| Exit::Branch {
                cond,
                then,
                otherwise: behind,
            });
        }
        let (limit, full) = (
            self.bits(limits::CALL_DEPTH as u64),
            self.hidden(Width::W32),
        );
        let depth = Src::register(group.depth);
        self.put(full, WriteMask::X, Op::SetGe, U, &[depth, limit]);
        self.divide(group, |otherwise| Exit::Branch {
            cond: Cond::NonZero(full, 0, U),
            then: behind,
            otherwise,
        });
        let place = self.bits(group.return_places.len() as u64);
        self.write_top(group, group.stack, place, U);
        let counts: Vec<Count> = open.iter().filter_map(Open::count).collect();
        for count in &counts {
            self.write_top(group, count.kept, Src::register(count.register), count.ty);
        }
        let one = self.bits(1);
        self.put(group.depth, WriteMask::X, Op::Add, U, &[depth, one]);
        self.end(group, Exit::Jump(start));
        let landing = if counts.is_empty() {
            behind
        } else {
            group.reserve()
        };
        group.return_places.push(landing);
        if landing != behind {
            self.begin(group, landing);
            for count in &counts {
                self.read_top(group, count.register, count.kept, count.ty);
            }
            self.end(group, Exit::Jump(behind));
        }
        self.begin(group, behind);
    }
}

impl Open {
    fn count(&self) -> Option<Count> {
        match self {
            Self::Rep { count, .. } => *count,
            Self::If { .. } => None,
        }
    }
}
