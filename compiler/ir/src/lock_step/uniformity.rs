//! Uniformity analysis: lanes of registers that are equal in all invocations of a patch, and
//! uniform control flow.
//!
//! A lane is uniform if instructions compute it from uniform sources in uniform control flow.
//! Invocations diverge at branches on other values, and after nodes that only some of them leave.
//! The analysis iterates over the program to a fixed point: the states at the start of loops and
//! routines and the set of divergent nodes only grow.

use super::divergence::Varying;
use crate::arena::IndexVec;
use crate::exits::Exits;
use crate::inst::{Aux, Base, Cond, Guard, IndexTerm, Inst, Src, read_lanes};
use crate::op::OpFlags;
use crate::program::{BlockId, Node, Program, RegisterId, RoutineId, SwitchId};
use crate::semantic::Semantic;

/// Number of iterations after which all conditions are treated as divergent. Few programs need more
/// than four.
const MAX_ITERATIONS: usize = 32;

/// Product of blocks and registers beyond which all conditions are treated as divergent, because
/// the states take too much memory.
const MAX_STATES: usize = 1 << 22;

/// Uniformity of control flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Uniform,
    Divergent,
}

/// State of a routine.
#[derive(Clone)]
struct Routine {
    /// Uniformity of the calls of the routine.
    flow: Flow,
    entry: Varying,
    exit: Varying,
}

/// A loop or switch that is being visited.
#[derive(Default)]
struct Construct {
    /// State at the continues of a loop; `None` for a switch.
    continues: Option<Varying>,
    breaks: Varying,
}

/// Result of the analysis.
pub(super) struct Uniformity<'p> {
    program: &'p Program,
    /// True if registers are analyzed; otherwise every condition is divergent.
    is_exact: bool,
    /// Conditions, by the block of the first way of branches, and the body of loops: true if
    /// invocations diverge there.
    divergent_conds: IndexVec<BlockId, bool>,
    heads: IndexVec<BlockId, Varying>,
    divergent_switches: IndexVec<SwitchId, bool>,
    /// Exits that only some invocations may take.
    exits: IndexVec<BlockId, Exits>,
    routines: IndexVec<RoutineId, Routine>,
    changed: bool,
    /// State at the visited node.
    here: Varying,
    around: Vec<Construct>,
    /// State at the returns of the routine.
    returns: Varying,
}

impl<'p> Uniformity<'p> {
    /// Analyzes a program. `order`: the reachable routines, callees before their callers.
    pub(super) fn new(program: &'p Program, order: &[RoutineId]) -> Self {
        let registers = program.registers.len();
        let states = program.blocks.len().saturating_mul(registers);
        let mut uniformity = Self {
            program,
            is_exact: states <= MAX_STATES,
            divergent_conds: IndexVec::new(),
            heads: IndexVec::new(),
            divergent_switches: IndexVec::new(),
            exits: IndexVec::new(),
            routines: IndexVec::new(),
            changed: true,
            here: Varying::default(),
            around: Vec::new(),
            returns: Varying::default(),
        };
        let (blocks, unknown) = (program.blocks.len(), Varying::default());
        uniformity.divergent_conds.grow(blocks, false);
        uniformity.heads.grow(blocks, unknown.clone());
        uniformity.exits.grow(blocks, Exits::empty());
        let switches = &mut uniformity.divergent_switches;
        switches.grow(program.switches.len(), false);
        let routine = Routine {
            flow: Flow::Uniform,
            entry: unknown.clone(),
            exit: unknown,
        };
        uniformity.routines.grow(program.routines.len(), routine);
        if uniformity.is_exact {
            uniformity.routines[program.main].entry = Varying::new_uniform(registers);
        }
        let mut iterations = 0;
        while std::mem::take(&mut uniformity.changed) {
            iterations += 1;
            uniformity.is_exact &= iterations < MAX_ITERATIONS;
            order
                .iter()
                .rev()
                .for_each(|&id| uniformity.visit_routine(id));
        }
        uniformity
    }

    /// Returns the uniformity of the calls of a routine.
    pub(super) fn get_routine_flow(&self, id: RoutineId) -> Flow {
        self.routines[id].flow
    }

    /// Returns the exits of a node that only some invocations may take, if all invocations reach
    /// the node together.
    pub(super) fn find_divergent_exits(&self, node: Node) -> Exits {
        let inner = self.program.inner_blocks(node);
        let inner = inner.map(|block| self.exits[block]);
        inner
            .fold(Exits::empty(), Exits::union)
            .propagate_through(node)
    }

    /// Returns true if invocations that reach a node together diverge there.
    pub(super) fn is_divergent(&self, node: Node) -> bool {
        let differs = match node {
            Node::If { then, .. } => self.divergent_conds[then],
            Node::Switch(id) => self.divergent_switches[id],
            Node::Run { .. }
            | Node::Loop { .. }
            | Node::Break
            | Node::Continue
            | Node::Call(..)
            | Node::Return => false,
        };
        let mut blocks = self.program.inner_blocks(node);
        differs || blocks.any(|block| !self.exits[block].is_empty())
    }

    fn visit_routine(&mut self, id: RoutineId) {
        let Routine { flow, entry, .. } = self.routines[id].clone();
        self.here = entry;
        self.returns = Varying::default();
        self.visit_block(self.program.routines[id].body, flow);
        self.returns.join(&self.here);
        let returns = std::mem::take(&mut self.returns);
        self.changed |= self.routines[id].exit.join(&returns);
    }

    fn visit_block(&mut self, id: BlockId, mut flow: Flow) -> Exits {
        let mut exits = Exits::empty();
        for &node in self.program.block(id) {
            let left = self.visit_node(node, flow);
            if !left.is_empty() {
                flow = Flow::Divergent;
            }
            exits |= left;
        }
        if !self.exits[id].contains(exits) {
            self.exits[id] |= exits;
            self.changed = true;
        }
        self.exits[id]
    }

    /// Visits a node; returns the exits of the node that only some invocations may take.
    fn visit_node(&mut self, node: Node, flow: Flow) -> Exits {
        self.record_divergence(node);
        let inner = match flow {
            Flow::Uniform if self.is_divergent(node) => Flow::Divergent,
            Flow::Uniform | Flow::Divergent => flow,
        };
        let exits = match node {
            Node::Run { first, len } => {
                for inst in self.program.run(first, len) {
                    self.visit_inst(inst, flow);
                }
                Exits::empty()
            }
            Node::If {
                then, otherwise, ..
            } => self.visit_one_of([Some(then), otherwise], inner),
            Node::Loop {
                body, continuing, ..
            } => self.visit_loop(body, continuing, inner),
            Node::Switch(id) => {
                let switch = &self.program.switches[id];
                self.around.push(Construct::default());
                let cases = switch.cases.iter().map(|case| Some(case.block));
                let exits = self.visit_one_of(cases.chain([switch.default]), inner);
                let left = self.around.pop().unwrap_or_default();
                self.here.join(&left.breaks);
                exits
            }
            Node::Call(callee, _) => {
                self.visit_call(callee, flow);
                Exits::empty()
            }
            Node::Break | Node::Continue | Node::Return => {
                self.visit_exit(node);
                Exits::empty()
            }
        };
        let own = match flow {
            Flow::Uniform => Exits::empty(),
            Flow::Divergent => Exits::from_node(node),
        };
        exits.propagate_through(node) | own
    }

    /// Records whether invocations diverge at the condition of a node.
    fn record_divergence(&mut self, node: Node) {
        if let Node::If { cond, then, .. } = node {
            let parts = self.is_cond_varying(cond);
            self.changed |= parts && !self.divergent_conds[then];
            self.divergent_conds[then] |= parts;
        }
        if let Node::Switch(id) = node {
            let (register, lane) = self.program.switches[id].selector;
            let parts = self.is_varying(register, 1 << lane);
            self.changed |= parts && !self.divergent_switches[id];
            self.divergent_switches[id] |= parts;
        }
    }

    /// Visits alternative blocks of which one runs, `None` for an empty one; returns their exits.
    fn visit_one_of(
        &mut self,
        blocks: impl IntoIterator<Item = Option<BlockId>>,
        flow: Flow,
    ) -> Exits {
        let before = self.here.clone();
        let (mut after, mut exits) = (Varying::default(), Exits::empty());
        for block in blocks {
            self.here.clone_from(&before);
            if let Some(block) = block {
                exits |= self.visit_block(block, flow);
            }
            after.join(&self.here);
        }
        self.here = after;
        exits
    }

    fn visit_loop(&mut self, body: BlockId, continuing: Option<BlockId>, flow: Flow) -> Exits {
        self.changed |= self.heads[body].join(&self.here);
        // The set of varying lanes at the loop header grows monotonically, so that the iteration
        // terminates.
        self.here.clone_from(&self.heads[body]);
        self.around.push(Construct {
            continues: Some(Varying::default()),
            breaks: Varying::default(),
        });
        let exits = self.visit_block(body, flow);
        let left = self.around.pop().unwrap_or_default();
        left.continues.iter().for_each(|state| {
            self.here.join(state);
        });
        if let Some(continuing) = continuing {
            self.visit_block(continuing, flow);
        }
        self.changed |= self.heads[body].join(&self.here);
        self.here = left.breaks;
        exits
    }

    fn visit_call(&mut self, callee: RoutineId, flow: Flow) {
        let routine = &mut self.routines[callee];
        if flow == Flow::Divergent && routine.flow == Flow::Uniform {
            routine.flow = Flow::Divergent;
            self.changed = true;
        }
        self.changed |= routine.entry.join(&self.here);
        self.here.clone_from(&routine.exit);
    }

    fn visit_exit(&mut self, node: Node) {
        let target = match node {
            Node::Break => self
                .around
                .last_mut()
                .map(|construct| &mut construct.breaks),
            Node::Continue => {
                let mut around = self.around.iter_mut().rev();
                around.find_map(|construct| construct.continues.as_mut())
            }
            Node::Return => Some(&mut self.returns),
            Node::Run { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch(_)
            | Node::Call(..) => None,
        };
        if let Some(target) = target {
            target.join(&self.here);
        }
        // The following code is unreachable.
        self.here = Varying::default();
    }

    fn visit_inst(&mut self, inst: &Inst, flow: Flow) {
        let Some(dst) = inst.dst else { return };
        let index = dst.index.map(|index| self.program.indices[index].element);
        let is_same = flow == Flow::Uniform
            && self.is_uniform_result(inst)
            && !dst.guard.is_some_and(|guard| self.is_guard_varying(guard))
            && !index.is_some_and(|term| self.is_term_varying(term));
        for register in [Some(dst.register), dst.cc].into_iter().flatten() {
            // Under a guard, or in one element of an array, older values remain, which may differ.
            let is_whole = dst.guard.is_none() && self.program.registers[register].array.is_none();
            if !is_same {
                self.here.add(register, dst.mask.0);
            } else if is_whole {
                self.here.remove(register, dst.mask.0);
            }
        }
    }

    /// Returns true if an instruction has the same result in all invocations that run it together.
    fn is_uniform_result(&self, inst: &Inst) -> bool {
        // Memory may change in between, and thread groups are not patches.
        let is_function = matches!(inst.aux, Aux::None | Aux::Cvt { .. })
            && !inst.op.info().effect
            && !inst.op.has(OpFlags::VARIES);
        let mask = inst.dst.map_or(0, |dst| dst.mask.0);
        let mut sources = self.program.sources(inst).iter().enumerate();
        is_function
            && sources.all(|(number, src)| {
                let lanes = read_lanes(self.program, inst, number, mask);
                !self.is_source_varying(src, src.swizzle.source_lanes(lanes))
            })
    }

    fn is_source_varying(&self, src: &Src, lanes: u8) -> bool {
        let differs = match src.base {
            Base::Register(register) => self.is_varying(register, lanes),
            Base::Param(_) | Base::Literal(_) => false,
            Base::Input(input) => !is_same_for_patch(self.program.inputs[input].semantic),
            // Other invocations may write it at any time that this program does not order.
            Base::Output(_) => true,
        };
        let index = src.index.map(|index| self.program.indices[index]);
        differs
            || index.is_some_and(|index| {
                let vertex = index.vertex.is_some_and(|term| self.is_term_varying(term));
                vertex || self.is_term_varying(index.element)
            })
    }

    fn is_term_varying(&self, term: IndexTerm) -> bool {
        let relative = term.relative;
        relative.is_some_and(|(register, lane)| self.is_varying(register, 1 << lane))
    }

    fn is_cond_varying(&self, cond: Cond) -> bool {
        match cond {
            Cond::Any(guard) => self.is_guard_varying(guard),
            Cond::NonZero(register, lane, _) => self.is_varying(register, 1 << lane),
        }
    }

    fn is_guard_varying(&self, guard: Guard) -> bool {
        self.is_varying(guard.cc, guard.swizzle.source_lanes(15))
    }

    fn is_varying(&self, register: RegisterId, lanes: u8) -> bool {
        !self.is_exact || self.here.may_differ(register, lanes)
    }
}

/// Returns true if an input is equal in all invocations of a patch; for a per-vertex input, for the
/// same vertex.
const fn is_same_for_patch(input: Semantic) -> bool {
    !input.is_thread_number()
        && !matches!(
            input,
            Semantic::InvocationId | Semantic::WarpId | Semantic::SmId
        )
}
