//! Uniformity analysis: lanes of registers that are equal in all invocations of a patch, and
//! uniform control flow.
//!
//! A lane is uniform if instructions compute it from uniform sources in uniform control flow.
//! Invocations diverge at branches on other values, and after nodes that only some of them leave.
//! The analysis iterates over the program to a fixed point: the states at the start of loops and
//! routines and the set of divergent nodes only grow.

use crate::arena::{Id, IndexVec};
use crate::inst::{Cond, Guard, IndexTerm, Inst, InstData, OperandBase, Src, compute_read_lanes};
use crate::op::OpFlags;
use crate::program::BlockExits;
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
pub(super) enum FlowUniformity {
    Uniform,
    Divergent,
}

/// State of a routine.
#[derive(Clone)]
struct RoutineState {
    /// Uniformity of the calls of the routine.
    flow: FlowUniformity,
    entry: VaryingLanes,
    exit: VaryingLanes,
}

/// A loop or switch that is being visited.
#[derive(Default)]
struct ConstructState {
    /// State at the continues of a loop; `None` for a switch.
    continues: Option<VaryingLanes>,
    breaks: VaryingLanes,
}

/// Result of the analysis.
pub(super) struct Uniformity<'p> {
    program: &'p Program,
    /// True if registers are analyzed; otherwise every condition is divergent.
    tracks_registers: bool,
    /// Conditions, by the block of the first way of branches, and the body of loops: true if
    /// invocations diverge there.
    divergent_conds: IndexVec<BlockId, bool>,
    loop_states: IndexVec<BlockId, VaryingLanes>,
    divergent_switches: IndexVec<SwitchId, bool>,
    /// Exits that only some invocations may take.
    exits: IndexVec<BlockId, BlockExits>,
    routines: IndexVec<RoutineId, RoutineState>,
    changed: bool,
    /// State at the visited node.
    state: VaryingLanes,
    constructs: Vec<ConstructState>,
    /// State at the returns of the routine.
    return_state: VaryingLanes,
}

impl<'p> Uniformity<'p> {
    /// Analyzes a program. `order`: the reachable routines, callees before their callers. Does not
    /// distinguish registers in programs that are too large or need too many iterations: all are
    /// then varying.
    pub(super) fn new(program: &'p Program, order: &[RoutineId]) -> Self {
        let registers = program.registers.len();
        let states = program.blocks.len().saturating_mul(registers);
        let mut uniformity = Self {
            program,
            tracks_registers: states <= MAX_STATES,
            divergent_conds: IndexVec::new(),
            loop_states: IndexVec::new(),
            divergent_switches: IndexVec::new(),
            exits: IndexVec::new(),
            routines: IndexVec::new(),
            changed: true,
            state: VaryingLanes::default(),
            constructs: Vec::new(),
            return_state: VaryingLanes::default(),
        };
        let (blocks, unknown) = (program.blocks.len(), VaryingLanes::default());
        uniformity.divergent_conds.grow(blocks, false);
        uniformity.loop_states.grow(blocks, unknown.clone());
        uniformity.exits.grow(blocks, BlockExits::empty());
        let switches = &mut uniformity.divergent_switches;
        switches.grow(program.switches.len(), false);
        let routine = RoutineState {
            flow: FlowUniformity::Uniform,
            entry: unknown.clone(),
            exit: unknown,
        };
        uniformity.routines.grow(program.routines.len(), routine);
        if uniformity.tracks_registers {
            uniformity.routines[program.main].entry = VaryingLanes::new_uniform(registers);
        }
        let mut iterations = 0;
        while std::mem::take(&mut uniformity.changed) {
            iterations += 1;
            uniformity.tracks_registers &= iterations < MAX_ITERATIONS;
            order
                .iter()
                .rev()
                .for_each(|&id| uniformity.visit_routine(id));
        }
        uniformity
    }

    /// Returns the uniformity of the calls of a routine.
    pub(super) fn get_routine_flow(&self, id: RoutineId) -> FlowUniformity {
        self.routines[id].flow
    }

    /// Returns the exits out of a node that only some invocations may take, if all invocations
    /// reach the node together.
    pub(super) fn find_divergent_exits(&self, node: Node) -> BlockExits {
        let inner = self.program.inner_blocks(node);
        let inner = inner.map(|block| self.exits[block]);
        inner
            .fold(BlockExits::empty(), BlockExits::union)
            .propagate_through(node)
    }

    /// Returns true if invocations that reach a node together may diverge there: by its condition,
    /// or because only some of them leave one of its blocks.
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

    /// Analyzes the body of a routine from its entry state, and joins the states of its returns and
    /// end into its exit state. Sets `changed` if that state changes.
    fn visit_routine(&mut self, id: RoutineId) {
        let RoutineState { flow, entry, .. } = self.routines[id].clone();
        self.state = entry;
        self.return_state = VaryingLanes::default();
        self.visit_block(self.program.routines[id].body, flow);
        self.return_state.join(&self.state);
        let returns = std::mem::take(&mut self.return_state);
        self.changed |= self.routines[id].exit.join(&returns);
    }

    /// Visits the nodes of a block in order; after a node that only some invocations may leave,
    /// control flow is divergent. Returns the accumulated exits of the block that only some
    /// invocations may take. Sets `changed` if these grow.
    fn visit_block(&mut self, id: BlockId, mut flow: FlowUniformity) -> BlockExits {
        let mut exits = BlockExits::empty();
        for &node in self.program.block_nodes(id) {
            let exits_of_node = self.visit_node(node, flow);
            if !exits_of_node.is_empty() {
                flow = FlowUniformity::Divergent;
            }
            exits |= exits_of_node;
        }
        if !self.exits[id].contains(exits) {
            self.exits[id] |= exits;
            self.changed = true;
        }
        self.exits[id]
    }

    /// Visits a node, applies it to the current state, and returns its exits that only some
    /// invocations may take. `flow` is the control flow that reaches it.
    fn visit_node(&mut self, node: Node, flow: FlowUniformity) -> BlockExits {
        self.record_divergence(node);
        let inner = match flow {
            FlowUniformity::Uniform if self.is_divergent(node) => FlowUniformity::Divergent,
            FlowUniformity::Uniform | FlowUniformity::Divergent => flow,
        };
        let exits = match node {
            Node::Run { first, len } => {
                for inst in self.program.run_insts(first, len) {
                    self.visit_inst(inst, flow);
                }
                BlockExits::empty()
            }
            Node::If {
                then, otherwise, ..
            } => self.visit_one_of([Some(then), otherwise], inner),
            Node::Loop {
                body, continuing, ..
            } => self.visit_loop(body, continuing, inner),
            Node::Switch(id) => {
                let switch = &self.program.switches[id];
                self.constructs.push(ConstructState::default());
                let cases = switch.cases.iter().map(|case| Some(case.block));
                let exits = self.visit_one_of(cases.chain([switch.default]), inner);
                let switch_state = self.constructs.pop().unwrap_or_default();
                self.state.join(&switch_state.breaks);
                exits
            }
            Node::Call(callee, _) => {
                self.visit_call(callee, flow);
                BlockExits::empty()
            }
            Node::Break | Node::Continue | Node::Return => {
                self.visit_exit(node);
                BlockExits::empty()
            }
        };
        let own_exits = match flow {
            FlowUniformity::Uniform => BlockExits::empty(),
            FlowUniformity::Divergent => BlockExits::from_node(node),
        };
        exits.propagate_through(node) | own_exits
    }

    /// Records if invocations may diverge at the condition of a branch or the selector of a switch;
    /// sets `changed` if that is new.
    fn record_divergence(&mut self, node: Node) {
        if let Node::If { cond, then, .. } = node {
            let diverges = self.is_cond_varying(cond);
            self.changed |= diverges && !self.divergent_conds[then];
            self.divergent_conds[then] |= diverges;
        }
        if let Node::Switch(id) = node {
            let (register, lane) = self.program.switches[id].selector;
            let diverges = self.is_varying(register, 1 << lane);
            self.changed |= diverges && !self.divergent_switches[id];
            self.divergent_switches[id] |= diverges;
        }
    }

    /// Visits alternative blocks of which one runs, `None` for an empty one, and joins the states
    /// at their ends. Returns their exits that only some invocations may take.
    fn visit_one_of(
        &mut self,
        blocks: impl IntoIterator<Item = Option<BlockId>>,
        flow: FlowUniformity,
    ) -> BlockExits {
        let before = self.state.clone();
        let (mut after, mut exits) = (VaryingLanes::default(), BlockExits::empty());
        for block in blocks {
            self.state.clone_from(&before);
            if let Some(block) = block {
                exits |= self.visit_block(block, flow);
            }
            after.join(&self.state);
        }
        self.state = after;
        exits
    }

    /// Visits a loop, joins the state at its end with the state at its start, and continues with
    /// the state of its breaks. Returns the exits of its body that only some invocations may take.
    /// Sets `changed` if the state at its start grows.
    fn visit_loop(
        &mut self,
        body: BlockId,
        continuing: Option<BlockId>,
        flow: FlowUniformity,
    ) -> BlockExits {
        self.changed |= self.loop_states[body].join(&self.state);
        // The set of varying lanes at the loop header grows monotonically, so that the iteration
        // terminates.
        self.state.clone_from(&self.loop_states[body]);
        self.constructs.push(ConstructState {
            continues: Some(VaryingLanes::default()),
            breaks: VaryingLanes::default(),
        });
        let exits = self.visit_block(body, flow);
        let loop_state = self.constructs.pop().unwrap_or_default();
        loop_state.continues.iter().for_each(|state| {
            self.state.join(state);
        });
        if let Some(continuing) = continuing {
            self.visit_block(continuing, flow);
        }
        self.changed |= self.loop_states[body].join(&self.state);
        self.state = loop_state.breaks;
        exits
    }

    /// Joins the current state and the uniformity of control flow into the entry of the callee, and
    /// continues with its exit state. Sets `changed` if the entry changes.
    fn visit_call(&mut self, callee: RoutineId, flow: FlowUniformity) {
        let routine = &mut self.routines[callee];
        if flow == FlowUniformity::Divergent && routine.flow == FlowUniformity::Uniform {
            routine.flow = FlowUniformity::Divergent;
            self.changed = true;
        }
        self.changed |= routine.entry.join(&self.state);
        self.state.clone_from(&routine.exit);
    }

    /// Joins the current state with that of the target of an exit; the code after the exit is
    /// unreachable. Other nodes only make that code unreachable.
    fn visit_exit(&mut self, node: Node) {
        let target = match node {
            Node::Break => self
                .constructs
                .last_mut()
                .map(|construct| &mut construct.breaks),
            Node::Continue => {
                let mut around = self.constructs.iter_mut().rev();
                around.find_map(|construct| construct.continues.as_mut())
            }
            Node::Return => Some(&mut self.return_state),
            Node::Run { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch(_)
            | Node::Call(..) => None,
        };
        if let Some(target) = target {
            target.join(&self.state);
        }
        // The following code is unreachable.
        self.state = VaryingLanes::default();
    }

    /// Marks the lanes that an instruction writes as varying, or as uniform if all invocations
    /// write the same values to whole registers without a guard. Otherwise they remain unchanged.
    fn visit_inst(&mut self, inst: &Inst, flow: FlowUniformity) {
        let Some(dst) = inst.dst else { return };
        let index = dst.index.map(|index| self.program.indices[index].element);
        let is_same = flow == FlowUniformity::Uniform
            && self.is_uniform_result(inst)
            && !dst.guard.is_some_and(|guard| self.is_guard_varying(guard))
            && !index.is_some_and(|term| self.is_term_varying(term));
        for register in [Some(dst.register), dst.cc].into_iter().flatten() {
            // Under a guard, or in one element of an array, older values remain, which may differ.
            let is_whole =
                dst.guard.is_none() && self.program.registers[register].array_len.is_none();
            if !is_same {
                self.state.mark_varying(register, dst.mask.0);
            } else if is_whole {
                self.state.mark_uniform(register, dst.mask.0);
            }
        }
    }

    /// Returns true if an instruction has the same result in all invocations that run it together:
    /// it reads no memory, has no effect, and its sources are uniform.
    fn is_uniform_result(&self, inst: &Inst) -> bool {
        // Memory may change in between, and thread groups are not patches.
        let is_function = matches!(inst.data, InstData::None | InstData::Cvt { .. })
            && !inst.op.info().effect
            && !inst.op.has(OpFlags::NON_UNIFORM);
        let mask = inst.dst.map_or(0, |dst| dst.mask.0);
        let mut sources = self.program.sources(inst).iter().enumerate();
        is_function
            && sources.all(|(number, src)| {
                let lanes = compute_read_lanes(self.program, inst, number, mask);
                !self.is_source_varying(src, src.swizzle.find_source_lanes(lanes))
            })
    }

    /// Returns true if the lanes `lanes` of a source, or its index, may differ between the
    /// invocations. Outputs always may.
    fn is_source_varying(&self, src: &Src, lanes: u8) -> bool {
        let differs = match src.base {
            OperandBase::Register(register) => self.is_varying(register, lanes),
            OperandBase::Param(_) | OperandBase::Literal(_) => false,
            OperandBase::Input(input) => !is_uniform_input(self.program.inputs[input].semantic),
            // Other invocations may write it at any time that this program does not order.
            OperandBase::Output(_) => true,
        };
        let index = src.index.map(|index| self.program.indices[index]);
        differs
            || index.is_some_and(|index| {
                let vertex = index.vertex.is_some_and(|term| self.is_term_varying(term));
                vertex || self.is_term_varying(index.element)
            })
    }

    /// Returns true if an index term may differ between the invocations; constants do not.
    fn is_term_varying(&self, term: IndexTerm) -> bool {
        let relative = term.relative;
        relative.is_some_and(|(register, lane)| self.is_varying(register, 1 << lane))
    }

    /// Returns true if a condition may differ between the invocations.
    fn is_cond_varying(&self, cond: Cond) -> bool {
        match cond {
            Cond::Any(guard) => self.is_guard_varying(guard),
            Cond::NonZero(register, lane, _) => self.is_varying(register, 1 << lane),
        }
    }

    /// Returns true if the condition codes that a guard tests may differ between the invocations.
    fn is_guard_varying(&self, guard: Guard) -> bool {
        self.is_varying(guard.cc, guard.swizzle.find_source_lanes(15))
    }

    /// Returns true if lanes of a register may differ between the invocations; always, if registers
    /// are not tracked.
    fn is_varying(&self, register: RegisterId, lanes: u8) -> bool {
        !self.tracks_registers || self.state.may_differ(register, lanes)
    }
}

/// Returns true if an input is equal in all invocations of a patch; for a per-vertex input, for the
/// same vertex.
const fn is_uniform_input(input: Semantic) -> bool {
    !input.is_thread_index()
        && !matches!(
            input,
            Semantic::InvocationId | Semantic::WarpId | Semantic::SmId
        )
}

/// Lanes of each register. The default is the state of an unreachable position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct VaryingLanes(Option<Vec<u8>>);

impl VaryingLanes {
    /// Returns the state at the start of a program with `registers` registers.
    pub(super) fn new_uniform(registers: usize) -> Self {
        Self(Some(vec![0; registers]))
    }

    /// Merges the state of a predecessor: a lane is varying if it is in either state. Returns true
    /// if this state changed. The state of an unreachable predecessor changes nothing.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        // No invocation comes from an unreachable position.
        let Some(others) = &other.0 else {
            return false;
        };
        let Some(own) = &mut self.0 else {
            *self = other.clone();
            return true;
        };
        let mut grows = false;
        for (lanes, other) in own.iter_mut().zip(others) {
            grows |= *lanes | other != *lanes;
            *lanes |= other;
        }
        grows
    }

    /// Returns true if any of the lanes may differ.
    pub(super) fn may_differ(&self, register: RegisterId, lanes: u8) -> bool {
        let own = self.0.as_ref().map(|own| own[register.index()]);
        own.is_some_and(|own| own & lanes != 0)
    }

    /// Marks lanes of a register as possibly different between invocations. Does nothing in
    /// unreachable code and if registers are not distinguished.
    pub(super) fn mark_varying(&mut self, register: RegisterId, lanes: u8) {
        if let Some(own) = &mut self.0 {
            own[register.index()] |= lanes;
        }
    }

    /// Marks lanes of a register as equal in all invocations. Does nothing in unreachable code and
    /// if registers are not distinguished.
    pub(super) fn mark_uniform(&mut self, register: RegisterId, lanes: u8) {
        if let Some(own) = &mut self.0 {
            own[register.index()] &= !lanes;
        }
    }
}
