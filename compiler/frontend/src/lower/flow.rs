//! Blocks, loops and calls. NV_gpu_program4 section 2.X.5.

use super::Lowerer;
use super::fog::FogPlace;
use super::loops::Rounds;
use super::operand::splat;
use crate::ast::{Cond as AstCond, Extra, Inst as Line, Statement};
use crate::check::{IoBinding, Var, VarKind};
use crate::lang::opcodes::{FlowOp, Lower};
use crate::lang::options::Features;
use glasm_ir::inst::Aux;
use glasm_ir::program::Routine as IrRoutine;
use glasm_ir::state::{MatrixForm, MatrixName};
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{
    Base, Block, BlockId, Case, Cond, CondTest, Dst, Guard, InstFlags, Node, Op, Output,
    ParamSource, Register, RegisterId, RoutineId, Semantic, Span, Src, StateParam, Storage, Switch,
    Swizzle, WriteMask,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// An open block.
enum Open {
    If {
        cond: Cond,
        span: Span,
        then: Option<BlockId>,
    },
    Loop {
        rounds: Option<Rounds>,
        /// Instructions of each round outside of other blocks.
        steps: u32,
        span: Span,
    },
}

/// The routines of the IR.
#[derive(Default)]
pub(super) struct Routines {
    /// The one that each routine of the program is in.
    pub(super) ids: FxHashMap<u32, RoutineId>,
    /// The register that says where each group of routines that call each other begins: at the routine of that number.
    pub(super) selectors: FxHashMap<u32, RegisterId>,
    /// The numbers of the routines of each group.
    pub(super) members: FxHashMap<u32, Vec<u32>>,
}

/// Progress in a routine.
struct Walk {
    open: Vec<Open>,
    /// Behind an unconditional BRK, CONT or RET nothing runs up to the end of the block.
    dead: bool,
    /// Blocks opened in dead code.
    dead_blocks: usize,
}

impl Lowerer<'_> {
    /// Translates all routines that can run.
    pub(super) fn routines(&mut self) {
        let checked = self.checked;
        let main = self.builder.program.main;
        let routines = self.announce_routines();
        let mut groups_done = FxHashSet::default();
        let fog = self.fog_place();
        for (number, routine) in checked.routines.iter().enumerate() {
            let number = number as u32;
            let Some(&id) = routines.ids.get(&number) else {
                continue;
            };
            if routine
                .group
                .is_some_and(|group| !groups_done.insert(group))
            {
                continue;
            }
            self.builder.open_block();
            if id == main {
                self.initial_codes();
                self.bound = self.loop_bound();
                self.invariant_position();
            }
            match (&checked.jumps, routine.group) {
                (Some(jumps), _) => self.free_program(jumps),
                (None, Some(group)) => self.recursive_routines(group, &routines),
                (None, None) => {
                    self.routine(routine.first, routine.end, &routines);
                    if routine.falls_through && self.is_arb() {
                        self.fall_into(number + 1, &routines);
                    }
                }
            }
            if id == main && fog == Some(FogPlace::EndOfMain) {
                self.fog();
            }
            let body = self.builder.program.routines[id].body;
            self.builder.close_block_as(body);
        }
        if fog == Some(FogPlace::AroundMain) {
            self.fog_around_main();
        }
    }

    /// Routines of the IR for the routines that can run; those that can call each other share one.
    fn announce_routines(&mut self) -> Routines {
        let checked = self.checked;
        let mut routines = Routines::default();
        let mut groups: FxHashMap<u32, RoutineId> = FxHashMap::default();
        let main_routine = &checked.routines[checked.main as usize];
        if let Some(group) = main_routine.group {
            groups.insert(group, self.builder.program.main);
        }
        for (number, routine) in checked.routines.iter().enumerate() {
            let number = number as u32;
            let name = routine.label.map(|name| {
                let text = checked.ast.names.display(name);
                self.builder.program.names.push(&text)
            });
            let shared = routine.group.and_then(|group| groups.get(&group)).copied();
            let id = if number == checked.main {
                let main = self.builder.program.main;
                self.builder.program.routines[main].name = name;
                main
            } else if !routine.reached {
                continue;
            } else if let Some(shared) = shared {
                shared
            } else {
                let body = self.builder.program.blocks.push(Block { first: 0, len: 0 });
                self.builder.program.routines.push(IrRoutine { name, body })
            };
            if let Some(group) = routine.group {
                groups.insert(group, id);
                routines.members.entry(group).or_default().push(number);
                let selector = match routines.selectors.get(&group) {
                    Some(&selector) => selector,
                    None => self.new_register(Width::W32),
                };
                routines.selectors.insert(group, selector);
            }
            routines.ids.insert(number, id);
        }
        routines
    }

    /// The condition codes of ARB programs begin as EQ. NV_vertex_program2_option section 2.14.3.X, NV_fragment_program_option
    /// section 3.11.3.X.
    fn initial_codes(&mut self) {
        let features = self.checked.features;
        if !features.intersects(Features::NV_OPTIONS) {
            return;
        }
        let count = 1 + u8::from(features.contains(Features::NV_VERTEX_3));
        for number in 0..count {
            let (zero, unused) = (self.float(0.0), self.hidden(Width::W32));
            let dst = Dst {
                cc: Some(self.condition_code(number)),
                ..Dst::new(unused, WriteMask::XYZW)
            };
            self.inst(Op::Mov, Type::F32, Some(dst), Aux::None, &[zero]);
        }
    }

    /// Goes on with the next routine, which returns for this one.
    fn fall_into(&mut self, next: u32, routines: &Routines) {
        if let Some(&id) = routines.ids.get(&next) {
            self.builder.node(Node::Call(id, self.span));
        }
    }

    /// With OPTION ARB_position_invariant clip coordinates are computed as without a program: products of a row of the
    /// modelview-projection matrix and the position, rounded one by one, and added from left to right, each sum rounded.
    /// NV_vertex_program4 section 2.X.6.
    fn invariant_position(&mut self) {
        if !self.checked.features.contains(Features::POSITION_INVARIANT) {
            return;
        }
        let binding = IoBinding {
            semantic: Semantic::Attrib(0),
            base: TypeBase::Float,
            typeless: false,
        };
        let vertex = Src::new(Base::Input(self.input(
            binding,
            TypeBase::Float,
            Width::W32,
        )));
        let output = Output {
            invariant: true,
            ..Output::new(Semantic::Position)
        };
        let storage = Storage::Output(self.builder.program.outputs.push(output));
        let register = Register {
            storage,
            width: Width::W32,
            array: None,
            name: None,
        };
        let register = self.builder.program.registers.push(register);
        self.flags = InstFlags::PRECISE;
        for row in 0..4 {
            let (matrix, form) = (MatrixName::Mvp, MatrixForm::Plain);
            let source = ParamSource::State(StateParam::MatrixRow { matrix, form, row });
            let row_source = Src::new(Base::Param(self.param_id(source)));
            self.put(
                register,
                WriteMask(1 << row),
                Op::Dp4,
                Type::F32,
                &[row_source, vertex],
            );
        }
        self.flags = InstFlags::empty();
    }

    /// Translates the statements of a routine into the open block.
    fn routine(&mut self, first: u32, end: u32, routines: &Routines) {
        let checked = self.checked;
        let mut walk = Walk {
            open: Vec::new(),
            dead: false,
            dead_blocks: 0,
        };
        for statement in &checked.ast.statements[first as usize..end as usize] {
            let &Statement::Inst(number) = statement else {
                continue;
            };
            let line = &checked.ast.insts[number as usize];
            if let Lower::Flow(op) = line.opcode.info().lower {
                self.flow(&mut walk, number, op, routines);
            } else if !walk.dead {
                self.instruction(number);
                if let Some(Open::Loop { steps, .. }) = walk.open.last_mut() {
                    *steps += 1;
                }
            }
        }
    }

    fn flow(&mut self, walk: &mut Walk, number: u32, op: FlowOp, routines: &Routines) {
        let line = &self.checked.ast.insts[number as usize];
        if walk.dead && dead_flow(walk, op) {
            return;
        }
        walk.dead = false;
        self.span = line.span;
        self.hidden_used = [0; 2];
        match op {
            FlowOp::If => {
                let cond = self.any(line.cond);
                walk.open.push(Open::If {
                    cond,
                    span: line.span,
                    then: None,
                });
                self.builder.open_block();
            }
            FlowOp::Else => {
                let block = self.builder.close_block();
                if let Some(Open::If { then, .. }) = walk.open.last_mut() {
                    *then = Some(block);
                }
                self.builder.open_block();
            }
            FlowOp::EndIf | FlowOp::EndLoop | FlowOp::EndRep => self.close(walk),
            FlowOp::Loop | FlowOp::Rep => self.open_loop(walk, number, op),
            FlowOp::Brk => walk.dead = self.jump(line, Node::Break),
            FlowOp::Cont => walk.dead = self.jump(line, Node::Continue),
            FlowOp::Ret => walk.dead = self.jump(line, Node::Return),
            FlowOp::Cal => self.call(line, routines),
            FlowOp::Cali => self.call_indirect(line, routines),
            FlowOp::InterlockBegin | FlowOp::InterlockEnd => self.interlock(op),
            // Programs with these have neither blocks nor routines.
            FlowOp::Bra | FlowOp::Push | FlowOp::Pop => {}
        }
    }

    /// LOOP and REP: each round begins with the test whether it is one too many.
    fn open_loop(&mut self, walk: &mut Walk, number: u32, op: FlowOp) {
        let line = &self.checked.ast.insts[number as usize];
        let rounds = (line.operand_count > 0).then(|| self.begin_rounds(number, line, op));
        walk.open.push(Open::Loop {
            rounds,
            steps: 1,
            span: line.span,
        });
        self.builder.open_block();
        if let Some(rounds) = rounds {
            let done = self.rounds_done(&rounds);
            self.guarded(done, Node::Break, line.span);
        }
        if let Some(bound) = self.bound {
            let beyond = self.is_beyond(bound);
            self.guarded(beyond, Node::Return, line.span);
        }
    }

    /// FSIB, FSIE.
    pub(super) fn interlock(&mut self, op: FlowOp) {
        let op = match op == FlowOp::InterlockBegin {
            true => Op::InterlockBegin,
            false => Op::InterlockEnd,
        };
        self.inst(op, Type::U32, None, Aux::None, &[]);
    }

    /// CALI: a switch over the numbers of the routines that the variable can name; other numbers call nothing.
    /// ARB_shader_subroutine section 2.X.8.Z.
    pub(super) fn call_indirect(&mut self, line: &Line, routines: &Routines) {
        let checked = self.checked;
        let operand = checked.operand(line, 0);
        let Some((
            var,
            &Var {
                kind: VarKind::Subroutine { ty, .. },
                ..
            },
        )) = checked.var(operand.base)
        else {
            return;
        };
        let cond = line.cond.map(|_| self.any(line.cond));
        self.builder.open_block();
        let selector = self.hidden(Width::W32);
        let number = self.variable(var, operand.index, Type::U32);
        self.put(
            selector,
            WriteMask::X,
            Op::Mov,
            Type::U32,
            &[splat(number, 0)],
        );
        let mut cases = Vec::new();
        for &(routine, number) in checked.routines_of(ty) {
            let Some(&id) = routines.ids.get(&routine) else {
                continue;
            };
            self.builder.open_block();
            self.select_member(routine, routines);
            self.builder.node(Node::Call(id, line.span));
            let (values, block) = (vec![number], self.builder.close_block());
            cases.push(Case { values, block });
        }
        let switch = self.builder.program.switches.push(Switch {
            selector: (selector, 0),
            cases,
            default: None,
            span: line.span,
        });
        self.builder.node(Node::Switch(switch));
        match cond {
            None => self.builder.merge_block(),
            Some(cond) => {
                let then = self.builder.close_block();
                self.builder.branch(cond, then, None, line.span);
            }
        }
    }

    /// Names the routine at which a group of routines that call each other begins.
    fn select_member(&mut self, routine: u32, routines: &Routines) {
        let group = self.checked.routines[routine as usize].group;
        if let Some(&selector) = group.and_then(|group| routines.selectors.get(&group)) {
            let start = self.bits(u64::from(routine));
            self.put(selector, WriteMask::X, Op::Mov, Type::U32, &[start]);
        }
    }

    /// CAL of a routine that is not in the group of the caller.
    pub(super) fn call(&mut self, line: &Line, routines: &Routines) {
        let Extra::Label(label, span) = self.checked.ast.extra(line) else {
            return;
        };
        let Some(&callee) = self.checked.labels.get(&label) else {
            return;
        };
        let Some(&id) = routines.ids.get(&callee) else {
            return;
        };
        self.select_member(callee, routines);
        self.jump(line, Node::Call(id, span));
    }

    /// ENDIF, ENDREP.
    fn close(&mut self, walk: &mut Walk) {
        let block = self.builder.close_block();
        match walk.open.pop() {
            Some(Open::If {
                cond,
                span,
                then: None,
            }) => self.builder.branch(cond, block, None, span),
            Some(Open::If {
                cond,
                span,
                then: Some(then),
            }) => self.builder.branch(cond, then, Some(block), span),
            Some(Open::Loop {
                rounds,
                steps,
                span,
            }) => {
                let continuing = rounds.map(|rounds| {
                    self.builder.open_block();
                    self.next_round(&rounds);
                    if let Some(bound) = self.bound {
                        self.count_steps(bound, steps);
                    }
                    self.builder.close_block()
                });
                self.builder.node(Node::Loop {
                    body: block,
                    continuing,
                    span,
                });
                if let Some(rounds) = rounds {
                    self.end_rounds(&rounds);
                }
            }
            None => {}
        }
    }

    /// A jump or call, under the condition of the instruction. True if it is always taken.
    fn jump(&mut self, line: &Line, node: Node) -> bool {
        match line.cond {
            None => {
                self.builder.node(node);
                true
            }
            Some(_) => {
                let cond = self.any(line.cond);
                self.guarded(cond, node, line.span);
                false
            }
        }
    }

    /// `node` if `cond` holds.
    fn guarded(&mut self, cond: Cond, node: Node, span: Span) {
        self.builder.open_block();
        self.builder.node(node);
        let then = self.builder.close_block();
        self.builder.branch(cond, then, None, span);
    }

    /// Branch condition: any of the four tested components.
    pub(super) fn any(&mut self, cond: Option<AstCond>) -> Cond {
        let guard = match cond {
            Some(cond) => self.guard(cond),
            None => Guard {
                cc: self.condition_code(0),
                test: CondTest::True,
                swizzle: Swizzle::XYZW,
            },
        };
        Cond::Any(guard)
    }
}

/// Flow control in dead code: only the nesting counts. True if the code stays dead.
fn dead_flow(walk: &mut Walk, op: FlowOp) -> bool {
    match op {
        FlowOp::If | FlowOp::Loop | FlowOp::Rep => walk.dead_blocks += 1,
        FlowOp::EndIf | FlowOp::EndLoop | FlowOp::EndRep if walk.dead_blocks > 0 => {
            walk.dead_blocks -= 1;
        }
        FlowOp::EndIf | FlowOp::EndLoop | FlowOp::EndRep => return false,
        FlowOp::Else => return walk.dead_blocks > 0,
        FlowOp::Brk
        | FlowOp::Cal
        | FlowOp::Cali
        | FlowOp::Cont
        | FlowOp::InterlockBegin
        | FlowOp::InterlockEnd
        | FlowOp::Bra
        | FlowOp::Push
        | FlowOp::Pop
        | FlowOp::Ret => {}
    }
    true
}
