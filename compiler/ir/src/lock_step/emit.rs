//! Emits the routines that contain barriers.

use super::effects::{Pending, Writers, of_inst};
use super::facts::{Fact, Facts};
use super::masks::LoopMasks;
use super::uniform::{Flow, Uniformity};
use super::vote::Vote;
use crate::arena::IndexVec;
use crate::builder::Builder;
use crate::exits::Exits;
use crate::inst::{Aux, Inst, InstFlags};
use crate::op::Op;
use crate::program::{BlockId, Node, Program, RegisterId, RoutineId};
use crate::span::Span;
use crate::structurize::code;
use crate::types::Type;

/// Targets of the nodes that leave blocks.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// The mask of the invocations that have not left the routine; `None` if they leave it
    /// together.
    pub(super) routine: Option<RegisterId>,
    /// The innermost loop; `None` if all invocations leave it together, by nodes.
    pub(super) round: Option<LoopMasks>,
    /// Construct that [`Node::Break`] leaves.
    pub(super) nearest: Nearest,
}

/// Construct that [`Node::Break`] leaves.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Nearest {
    Loop,
    Switch,
}

/// The position at which code is emitted.
pub(super) struct Place {
    /// Lane x is 1 in the invocations that run the following code, else 0; `None` if all run it.
    pub(super) mask: Option<RegisterId>,
    /// True if a block for the invocations of the mask is open.
    is_open: bool,
    pub(super) pending: Pending,
}

impl Place {
    pub(super) fn new(mask: Option<RegisterId>, pending: Pending) -> Self {
        Self {
            mask,
            is_open: false,
            pending,
        }
    }
}

pub(super) struct Emitter<'p> {
    pub(super) builder: Builder,
    pub(super) program: &'p Program,
    pub(super) facts: &'p Facts,
    pub(super) uniformity: &'p Uniformity<'p>,
    pub(super) vote: Option<Vote>,
    /// Mask registers of the routines with barriers that only some invocations enter.
    entries: IndexVec<RoutineId, Option<RegisterId>>,
}

/// Returns the program with barriers.
pub(super) fn emit(program: &Program, facts: &Facts, uniformity: &Uniformity<'_>) -> Program {
    let mut lowered = program.clone();
    lowered.modes.lock_step = false;
    let mut entries = IndexVec::new();
    entries.grow(program.routines.len(), None);
    let mut emitter = Emitter {
        builder: Builder::new(lowered),
        program,
        facts,
        uniformity,
        vote: None,
        entries,
    };
    // Main is emitted last and begins with the initialization for the others.
    for &routine in &facts.order {
        if facts.routine(program, routine).needs_barrier {
            emitter.routine(routine);
        }
    }
    emitter.builder.finish().0
}

impl Emitter<'_> {
    fn routine(&mut self, id: RoutineId) {
        let body = self.program.routines[id].body;
        let mask = match self.uniformity.routine(id) {
            Flow::Together => None,
            Flow::Parted => Some(code::new_register(&mut self.builder)),
        };
        self.entries[id] = mask;
        let tail = self.facts.tail(self.program, body);
        let (waiting, tail) = self.program.block(body).split_at(tail);
        let returns = |node: &Node| self.left(*node, mask).contains(Exits::RETURN);
        let is_left = waiting.iter().any(returns);
        self.builder.open_block();
        let alive = if is_left {
            let alive = code::new_register(&mut self.builder);
            self.copy(alive, mask);
            Some(alive)
        } else {
            None
        };
        let around = Around {
            routine: alive,
            round: None,
            nearest: Nearest::Loop,
        };
        let mut place = Place::new(mask, Pending::default());
        for &node in waiting {
            self.node(node, &mut place, around);
        }
        self.as_it_is(tail, &mut place);
        self.close(&mut place);
        if id == self.program.main {
            self.begin_main();
        }
        self.builder.close_block_as(body);
    }

    /// Emits the initialization of the votes before the nodes of main.
    fn begin_main(&mut self) {
        let Some(vote) = self.vote else { return };
        let nodes = self.builder.take_nodes();
        self.builder.open_block();
        vote.begin(&mut self.builder);
        barrier(&mut self.builder);
        nodes.into_iter().for_each(|node| self.builder.node(node));
    }

    /// Emits the nodes of a block.
    pub(super) fn block(&mut self, id: BlockId, place: &mut Place, around: Around) {
        self.builder.program.blocks[id].len = 0;
        for &node in self.program.block(id) {
            self.node(node, place, around);
        }
        self.close(place);
    }

    /// Emits the nodes of a block as a separate block and returns it.
    pub(super) fn inner(&mut self, id: BlockId, place: &mut Place, around: Around) -> BlockId {
        self.builder.open_block();
        self.block(id, place, around);
        self.builder.close_block()
    }

    fn node(&mut self, node: Node, place: &mut Place, around: Around) {
        if let Node::Run { first, len } = node {
            return self.run(first, len, place);
        }
        let fact = self.facts.node(self.program, node);
        let left = self.left(node, place.mask);
        if !fact.needs_barrier && left.is_empty() {
            return self.as_it_is(&[node], place);
        }
        self.settle(&fact, place);
        match node {
            Node::Run { .. } => {}
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } => {
                if place.mask.is_none() && !self.uniformity.parts(node) {
                    self.branch(cond, (then, otherwise), span, place, around);
                } else {
                    self.masked_branch(cond, (then, otherwise), left, place, around);
                }
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => {
                if place.mask.is_none() && !self.uniformity.parts(node) {
                    self.repeat((body, continuing), span, &fact, place, around);
                } else {
                    self.masked_loop((body, continuing), span, left, place, around);
                }
            }
            Node::Switch(id) => {
                if place.mask.is_none() && !self.uniformity.parts(node) {
                    self.switch(id, place, around);
                } else {
                    self.masked_switch(id, left, place, around);
                }
            }
            Node::Break | Node::Continue | Node::Return => self.leave(node, place, around),
            Node::Call(callee, span) => self.call(callee, span, &fact, place),
        }
    }

    /// Returns the exits of a node that the invocations of the mask do not take together.
    fn left(&self, node: Node, mask: Option<RegisterId>) -> Exits {
        match mask {
            None => self.uniformity.exits(node),
            Some(_) => self.facts.node(self.program, node).exits,
        }
    }

    /// Emits a barrier if an access in a node must wait for pending ones.
    fn settle(&mut self, fact: &Fact, place: &mut Place) {
        if place.pending.delays(&fact.effects, Writers::Some) {
            self.barrier(place);
        }
    }

    /// Emits nodes without barriers unchanged.
    fn as_it_is(&mut self, nodes: &[Node], place: &mut Place) {
        let facts = nodes
            .iter()
            .map(|&node| self.facts.node(self.program, node));
        let facts: Vec<Fact> = facts.collect();
        if (facts.iter()).any(|fact| place.pending.delays(&fact.effects, Writers::Some)) {
            self.barrier(place);
        }
        for (&node, fact) in nodes.iter().zip(&facts) {
            self.open(place);
            self.builder.node(node);
            place.pending.add(&fact.effects);
        }
    }

    /// Emits instructions, with barriers between them.
    fn run(&mut self, first: u32, len: u32, place: &mut Place) {
        let mut start = first;
        for (position, inst) in (first..).zip(self.program.run(first, len)) {
            let (effects, writers) = of_inst(self.program, inst);
            if inst.op == Op::Barrier {
                self.insts(start, position, place);
                start = position + 1;
                self.close(place);
                self.builder.node(Node::Run {
                    first: position,
                    len: 1,
                });
                place.pending.barrier();
            } else if place.pending.delays(&effects, writers) {
                self.insts(start, position, place);
                start = position;
                self.barrier(place);
            }
            place.pending.add(&effects);
        }
        self.insts(start, first + len, place);
    }

    fn insts(&mut self, start: u32, end: u32, place: &mut Place) {
        if start < end {
            self.open(place);
            let len = end - start;
            self.builder.node(Node::Run { first: start, len });
        }
    }

    /// Emits a call of a routine that contains barriers.
    fn call(&mut self, callee: RoutineId, span: Span, fact: &Fact, place: &mut Place) {
        self.close(place);
        if let Some(entry) = self.entries[callee] {
            self.copy(entry, place.mask);
        }
        self.builder.node(Node::Call(callee, span));
        place.pending.add(&fact.effects);
    }

    /// Opens the block for the invocations of the mask, if there is one and it is not open.
    fn open(&mut self, place: &mut Place) {
        if place.mask.is_some() && !place.is_open {
            self.builder.open_block();
            place.is_open = true;
        }
    }

    /// Closes that block, so that all invocations run the following code.
    pub(super) fn close(&mut self, place: &mut Place) {
        if let Some(mask) = place.mask
            && std::mem::take(&mut place.is_open)
        {
            let block = self.builder.close_block();
            let cond = code::non_zero(mask);
            self.builder.branch(cond, block, None, Span::default());
        }
    }

    fn barrier(&mut self, place: &mut Place) {
        self.close(place);
        barrier(&mut self.builder);
        place.pending.barrier();
    }
}

/// Emits a barrier into the open block.
pub(super) fn barrier(builder: &mut Builder) {
    let inst = Inst {
        op: Op::Barrier,
        ty: Type::U32,
        flags: InstFlags::empty(),
        source_count: 0,
        first_source: 0,
        dst: None,
        aux: Aux::None,
        span: Span::default(),
    };
    builder.inst(inst, &[]);
}
