//! Programs in which any instruction can follow any other: BRA, CAL of any label, and the stack of NV_vertex_program3.
//! NV_vertex_program2_option section 2.14.4.X, NV_vertex_program3 sections 2.14.5.34, 43 and 44.
//!
//! The program is cut into pieces that run from their first statement to their last. If everything that calls reach returns to
//! them, and no chain of calls is longer than the stack, each target of a call becomes a routine with a graph of the pieces it
//! reaches. Otherwise the whole program becomes one graph, with the stack in registers.

mod pieces;

use super::Lowerer;
use super::blocks::Blocks;
use super::call_stack::CallStack;
use crate::ast::Statement;
use crate::check::Jumps;
use crate::lang::arb::limits;
use crate::lang::opcodes::Lower;
use glasm_ir::program::Routine;
use glasm_ir::structurize::{Exit, FlowId, Graph, StepBound, structurize};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Block, Cond, Id, Node, Op, RegisterId, RoutineId, WriteMask};
use pieces::{Ending, Piece, PieceId, Pieces, Region};
use rustc_hash::FxHashMap;

const U: Type = Type::U32;
const S: Type = Type::S32;

/// A graph under construction.
struct Walk<'p> {
    pieces: &'p Pieces<'p>,
    blocks: Blocks,
    /// Where each piece begins.
    starts: FxHashMap<PieceId, FlowId>,
    /// Ends the program.
    out: FlowId,
    /// Ends a subroutine.
    ret: FlowId,
    calls: Calls<'p>,
}

/// How calls are made.
enum Calls<'p> {
    /// Each target is a routine.
    Routines(&'p FxHashMap<PieceId, RoutineId>),
    Stack(Stack),
}

/// The stack of a program in one graph: an entry is a place to go on at, from 1, or 0 and the contents of an address register.
struct Stack {
    stack: CallStack,
    addresses: RegisterId,
    return_places: Vec<FlowId>,
}

impl Walk<'_> {
    /// The block of a piece; the end of the program is none.
    fn block_of(&self, piece: PieceId) -> FlowId {
        self.starts.get(&piece).copied().unwrap_or(self.out)
    }
}

impl<'c> Lowerer<'c> {
    /// Translates the program into the open block.
    pub(super) fn free_program(&mut self, jumps: &Jumps) {
        let pieces = Pieces::new(self.checked, jumps);
        let regions = pieces.regions();
        let bound = (regions.is_none() || pieces.has_loops())
            .then(|| self.step_bound())
            .flatten();
        match regions {
            Some(regions) => self.regions(&pieces, &regions, bound),
            None => self.with_stack(&pieces, bound),
        }
    }

    /// A routine for each region; the first one is main.
    fn regions(&mut self, pieces: &Pieces<'c>, regions: &[Region], bound: Option<StepBound>) {
        let mut ids = FxHashMap::default();
        for region in &regions[1..] {
            let program = &mut self.builder.program;
            let body = program.blocks.push(Block { first: 0, len: 0 });
            let id = program.routines.push(Routine { name: None, body });
            ids.insert(region.entry, id);
        }
        for region in regions {
            let callee = ids
                .get(&region.entry)
                .filter(|_| region.entry != pieces.entry);
            if callee.is_some() {
                self.builder.open_block();
            }
            self.graph(pieces, region, Calls::Routines(&ids), bound);
            if let Some(&id) = callee {
                let body = self.builder.program.routines[id].body;
                self.builder.close_block_as(body);
            }
        }
    }

    /// One graph of all pieces.
    fn with_stack(&mut self, pieces: &Pieces<'c>, bound: Option<StepBound>) {
        let stack = self.new_stack(limits::CALL_DEPTH);
        self.clear_stack(stack);
        let calls = Calls::Stack(Stack {
            stack,
            addresses: self.stack_array(Width::W32, limits::CALL_DEPTH),
            return_places: Vec::new(),
        });
        let region = Region {
            entry: pieces.entry,
            pieces: (0..pieces.list.len()).collect(),
        };
        self.graph(pieces, &region, calls, bound);
    }

    fn graph(
        &mut self,
        pieces: &Pieces<'c>,
        region: &Region,
        calls: Calls<'_>,
        bound: Option<StepBound>,
    ) {
        let mut walk = Walk {
            pieces,
            blocks: Blocks::new(),
            starts: FxHashMap::default(),
            out: FlowId::new(0),
            ret: FlowId::new(0),
            calls,
        };
        walk.out = walk.blocks.reserve();
        walk.ret = match walk.calls {
            Calls::Routines(_) => walk.out,
            Calls::Stack(_) => walk.blocks.reserve(),
        };
        for &piece in &region.pieces {
            let start = walk.blocks.reserve();
            walk.starts.insert(piece, start);
        }
        for &piece in &region.pieces {
            let start = walk.block_of(piece);
            self.begin_block(&mut walk.blocks, start);
            self.piece(&mut walk, piece);
        }
        self.return_block(&mut walk);
        let entry = walk.block_of(region.entry);
        let blocks = walk.blocks.list;
        structurize(&mut self.builder, Graph { blocks, entry }, bound);
    }

    fn piece(&mut self, walk: &mut Walk<'_>, piece: PieceId) {
        let checked = self.checked;
        let &Piece { first, end, ending } = &walk.pieces.list[piece];
        for statement in &checked.ast.statements[first as usize..end as usize] {
            let &Statement::Inst(number) = statement else {
                continue;
            };
            walk.blocks.steps += 1;
            let lower = checked.ast.insts[number as usize].opcode.info().lower;
            if !matches!(lower, Lower::Flow(_)) {
                self.instruction(number);
            }
        }
        let next = walk.block_of(piece + 1);
        match ending {
            Ending::Next => self.end_block(&mut walk.blocks, Exit::Jump(next)),
            Ending::Branch(number, target) => {
                let target = walk.block_of(target);
                self.branch_piece(walk, number, target, next);
            }
            Ending::Return(number) => {
                let ret = walk.ret;
                self.branch_piece(walk, number, ret, next);
            }
            Ending::Call(number, target) => self.call_piece(walk, number, target, next),
            Ending::Push(number) => self.push_address(walk, number, next),
            Ending::Pop(number) => self.pop_address(walk, number, next),
        }
    }

    /// Goes to `target`, or to `next` if the instruction has a condition that does not hold.
    fn branch_piece(&mut self, walk: &mut Walk<'_>, number: u32, target: FlowId, next: FlowId) {
        let line = self.cx(number).line;
        let exit = match line.cond {
            Some(_) => Exit::Branch {
                cond: self.any(line.cond),
                then: target,
                otherwise: next,
            },
            None => Exit::Jump(target),
        };
        self.end_block(&mut walk.blocks, exit);
    }

    /// CAL: beyond the limit of the stack it ends the program.
    fn call_piece(&mut self, walk: &mut Walk<'_>, number: u32, target: PieceId, next: FlowId) {
        let line = self.cx(number).line;
        if line.cond.is_some() {
            let cond = self.any(line.cond);
            self.leave_unless(&mut walk.blocks, cond, next);
        }
        let target_block = walk.block_of(target);
        let exit = match &mut walk.calls {
            Calls::Routines(ids) => {
                if let Some(&id) = ids.get(&target) {
                    self.builder.node(Node::Call(id, line.span));
                }
                next
            }
            Calls::Stack(stack) => {
                stack.return_places.push(next);
                let (stack, place) = (stack.stack, stack.return_places.len() as u64);
                let (full, out) = (self.is_full(stack), walk.out);
                self.leave_if(&mut walk.blocks, full, out);
                let place = self.bits(place);
                self.set_stack_top(stack, stack.places, WriteMask::X, (place, U));
                self.step_stack(stack, Op::Add);
                target_block
            }
        };
        self.end_block(&mut walk.blocks, Exit::Jump(exit));
    }

    /// RET of a program with a stack: ends the program if the stack is empty or has an address on top.
    fn return_block(&mut self, walk: &mut Walk<'_>) {
        let Calls::Stack(stack) = &mut walk.calls else {
            return;
        };
        let places = std::mem::take(&mut stack.return_places);
        let stack = stack.stack;
        let (ret, out) = (walk.ret, walk.out);
        self.begin_block(&mut walk.blocks, ret);
        self.leave_unless(&mut walk.blocks, stack.in_use(), out);
        self.step_stack(stack, Op::Sub);
        let place = self.new_register(Width::W32);
        let top = self.stack_top(stack, stack.places);
        self.put(place, WriteMask::X, Op::Mov, U, &[top]);
        let exit = Exit::Switch {
            selector: (place, 0),
            cases: (1..).zip(places).collect(),
            default: out,
        };
        self.end_block(&mut walk.blocks, exit);
    }

    /// PUSHA: ends the program if the stack is full.
    fn push_address(&mut self, walk: &mut Walk<'_>, number: u32, next: FlowId) {
        let cx = self.cx(number);
        if let Calls::Stack(Stack {
            stack, addresses, ..
        }) = walk.calls
        {
            let (full, out) = (self.is_full(stack), walk.out);
            self.leave_if(&mut walk.blocks, full, out);
            let (address, mark) = (self.value(&cx, 0, S), self.bits(0));
            self.set_stack_top(stack, addresses, WriteMask::XYZW, (address, S));
            self.set_stack_top(stack, stack.places, WriteMask::X, (mark, U));
            self.step_stack(stack, Op::Add);
        }
        self.end_block(&mut walk.blocks, Exit::Jump(next));
    }

    /// POPA: ends the program if the stack is empty or has a place to go on at on top.
    fn pop_address(&mut self, walk: &mut Walk<'_>, number: u32, next: FlowId) {
        let cx = self.cx(number);
        if let Calls::Stack(Stack {
            stack, addresses, ..
        }) = walk.calls
        {
            let out = walk.out;
            self.leave_unless(&mut walk.blocks, stack.in_use(), out);
            self.step_stack(stack, Op::Sub);
            let top = self.stack_top(stack, stack.places);
            let place = self.compute(Op::Mov, U, &[top]);
            if let glasm_ir::Base::Register(register) = place.base {
                self.leave_if(&mut walk.blocks, Cond::NonZero(register, 0, U), out);
            }
            let address = self.stack_top(stack, addresses);
            self.finish(&cx, Op::Mov, cx.result, &[address]);
        }
        self.end_block(&mut walk.blocks, Exit::Jump(next));
    }
}
