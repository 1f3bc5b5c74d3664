//! Structured control flow: the tree becomes blocks with merge instructions.
//!
//! `join` makes phis, `cond` condition codes and tests, `guarded` values in blocks of their own.

pub(super) mod cond;
pub(super) mod guarded;
pub(super) mod join;

use crate::analysis::{Analysis, Class};
use crate::builder::Builder;
use crate::emit::Emit;
use crate::emit::control::guarded::MAX_CASE_VALUES;
use crate::emit::control::join::JoinId;
use crate::error::{Error, Failure};
use crate::words::{LabelWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::program::Switch;
use glasm_ir::{Base, BlockId, Cond, Node, Op, Program, RegisterId, RoutineId, SwitchId};
use spirv::Op as Spv;

/// Cases from which on a switch in a loop makes it a dispatching one.
const MANY_CASES: usize = 32;

/// Targets of jumps. Loops and switches contain no returns: `glasm_ir::returns` has replaced them
/// by breaks.
#[derive(Clone, Copy, Default)]
pub(super) struct Flow {
    break_to: Option<JoinId>,
    continue_to: Option<JoinId>,
    return_to: Option<JoinId>,
    /// Whether a switch is open in the innermost loop.
    in_switch: bool,
}

/// What a branch has changed, to be undone at its end.
struct Scope {
    lanes: usize,
    cached: usize,
}

impl Emit<'_> {
    fn flow_block(&mut self, id: BlockId, flow: Flow) -> Result<(), Failure> {
        let info = self.analysis.blocks[id.index()];
        let nodes = self.program.block(id);
        for (index, &node) in nodes[..info.reachable as usize].iter().enumerate() {
            // The same as in `liveness`: a return that is no jump there must be none here, or the records of joins would not fit.
            let tail = info.tail && index + 1 == nodes.len();
            self.flow_node(node, flow, tail)?;
        }
        Ok(())
    }

    fn flow_node(&mut self, node: Node, flow: Flow, tail: bool) -> Result<(), Failure> {
        match node {
            Node::Run { first, len } => self.run_insts(first, len),
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } => {
                self.line(span);
                self.flow_if(cond, then, otherwise, flow)
                    .map_err(|error| error.at(span))
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => self
                .flow_loop(body, continuing)
                .map_err(|error| error.at(span)),
            Node::Switch(switch) => self.flow_switch(switch, flow),
            Node::Break => self.jump(flow.break_to),
            Node::Continue => self.jump(flow.continue_to),
            Node::Call(routine, span) => self.flow_call(routine).map_err(|error| error.at(span)),
            // What follows is the code behind the inlined call, or the end of the function.
            Node::Return if tail => Ok(()),
            Node::Return => self.jump(flow.return_to),
        }
    }

    fn run_insts(&mut self, first: u32, len: u32) -> Result<(), Failure> {
        let program = self.program;
        for inst in &program.insts[first as usize..(first + len) as usize] {
            self.emit_inst(inst).map_err(|error| error.at(inst.span))?;
        }
        Ok(())
    }

    fn open_scope(&mut self) -> Scope {
        Scope {
            lanes: self.lanes.open(),
            cached: self.w.open_scope(),
        }
    }

    fn close_scope(&mut self, scope: &Scope) {
        self.lanes.close(scope.lanes);
        self.w.close_scope(scope.cached);
    }

    /// Ends the open block with an edge to a join. A jump that has no loop or switch to leave is an error.
    fn jump(&mut self, to: Option<JoinId>) -> Result<(), Failure> {
        let Some(join) = to else {
            return Err(Error::unsupported("a jump leaves no loop"));
        };
        self.branch_to_join(join);
        Ok(())
    }

    fn branch_to_join(&mut self, join: JoinId) {
        self.add_edge(join);
        let label = self.join_label(join);
        self.w.branch(label);
    }

    /// A block that runs under a condition and then goes to `join`.
    fn arm(
        &mut self,
        label: LabelWord,
        block: BlockId,
        flow: Flow,
        join: JoinId,
    ) -> Result<(), Failure> {
        // Lanes change in the block only: the next arm begins with those that this one found.
        let scope = self.open_scope();
        self.w.begin_block(label);
        self.flow_block(block, flow)?;
        if self.w.reachable {
            self.branch_to_join(join);
        }
        self.close_scope(&scope);
        Ok(())
    }

    fn flow_if(
        &mut self,
        cond: Cond,
        then: BlockId,
        otherwise: Option<BlockId>,
        flow: Flow,
    ) -> Result<(), Failure> {
        // Taken even if both arms are empty: lists come in the order of the tree.
        let list = self.live.next_list();
        let is_empty = |block: BlockId| self.program.blocks[block].len == 0;
        if is_empty(then) && otherwise.is_none_or(is_empty) {
            return Ok(());
        }
        let cond = self.branch_condition(cond)?;
        if let (Some(exit), None) = (self.only_jump(then, flow), otherwise) {
            return self.exit_if(cond, then, exit);
        }
        let join = self.new_join(list);
        let merge = self.join_label(join);
        if otherwise.is_none() {
            // Without an else part the open block itself is one that goes to the join.
            self.add_edge(join);
        }
        let then_label = self.w.label();
        let else_label = match otherwise {
            Some(_) => self.w.label(),
            None => merge,
        };
        self.w.merge_selection(merge);
        self.w.jump_if(cond, then_label, else_label);
        self.arm(then_label, then, flow, join)?;
        if let Some(otherwise) = otherwise {
            self.arm(else_label, otherwise, flow, join)?;
        }
        self.seal(join);
        Ok(())
    }

    /// Returns the target of a block that does nothing but leave an iteration or a loop, with
    /// constants in registers. Out of a switch naga wants selections for that.
    fn only_jump(&self, block: BlockId, flow: Flow) -> Option<JoinId> {
        if flow.in_switch {
            return None;
        }
        let jump = match self.program.block(block) {
            [Node::Run { first, len }, jump, ..]
                if has_only_constants(self.program, self.analysis, *first, *len) =>
            {
                jump
            }
            [jump, ..] => jump,
            [] => return None,
        };
        match jump {
            Node::Break => flow.break_to,
            Node::Continue => flow.continue_to,
            Node::Run { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch(_)
            | Node::Call(..)
            | Node::Return => None,
        }
    }

    /// A jump under a condition, which needs no block of its own, nor a merge instruction: one of the targets leaves the loop or
    /// its round. What it takes along is computed before the condition is tested; constants of its block `then` go along, too.
    fn exit_if(&mut self, cond: ValueWord, then: BlockId, exit: JoinId) -> Result<(), Failure> {
        let lanes = self.lanes.open();
        if let [Node::Run { first, len }, ..] = *self.program.block(then) {
            self.run_insts(first, len)?;
        }
        self.add_edge(exit);
        // What was computed stays known: it is in the open block, from which control continues.
        self.lanes.close(lanes);
        let (exit, next) = (self.join_label(exit), self.w.label());
        self.w.jump_if(cond, exit, next);
        self.w.begin_block(next);
        Ok(())
    }

    fn flow_switch(&mut self, id: SwitchId, flow: Flow) -> Result<(), Failure> {
        let program = self.program;
        let switch = &program.switches[id];
        let list = self.live.next_list();
        let (register, lane) = switch.selector;
        // SPIR-V has no switch without a selector; nothing depends on this one.
        let selector = if switch.cases.is_empty() {
            self.w.uint(0)
        } else {
            self.index_register(register, lane)?
        };
        let join = self.new_join(list);
        let merge = self.join_label(join);
        // Values of no case go to the merge block directly.
        if switch.default.is_none() {
            self.add_edge(join);
        }
        let default = switch.default.map(|block| (self.w.label(), block));
        // Labels of cases have numbers in order.
        let labels = (self.w.bound()..).map(LabelWord);
        for _ in &switch.cases {
            self.w.label();
        }
        self.w.merge_selection(merge);
        let default_label = default.map_or(merge, |(label, _)| label);
        self.write_switch(switch, selector, default_label, labels.clone())?;
        let arms = labels.zip(switch.cases.iter().map(|case| case.block));
        let inner = Flow {
            break_to: Some(join),
            continue_to: flow.continue_to,
            return_to: None,
            in_switch: true,
        };
        // The records of liveness have the cases first and the default last.
        for (label, block) in arms.chain(default) {
            self.arm(label, block, inner, join)
                .map_err(|error| error.at(switch.span))?;
        }
        self.seal(join);
        Ok(())
    }

    fn write_switch(
        &mut self,
        switch: &Switch,
        selector: ValueWord,
        default: LabelWord,
        labels: impl Iterator<Item = LabelWord>,
    ) -> Result<(), Failure> {
        let values: usize = switch.cases.iter().map(|case| case.values.len()).sum();
        if values > MAX_CASE_VALUES {
            return Err(Error::limit("a switch has too many values").at(switch.span));
        }
        // A literal and a label for each value; literals are as wide as the selector, which is a word.
        self.w.body.head(Spv::Switch, 2 + 2 * values);
        self.w.body.0.extend([selector.0, default.0]);
        for (case, label) in switch.cases.iter().zip(labels) {
            let operands = case.values.iter().flat_map(|&value| [value, label.0]);
            self.w.body.0.extend(operands);
        }
        Ok(())
    }

    fn flow_loop(&mut self, body: BlockId, continuing: Option<BlockId>) -> Result<(), Failure> {
        let merge_list = self.live.next_list();
        let continue_list = self.live.next_list();
        let header_list = self.live.next_list();
        let outside = self.lanes_apart;
        // For the joins inside as well: a vector there would be taken apart and put together in each round.
        self.lanes_apart = !self.is_dispatch(body);
        let merge = self.new_join(merge_list);
        let next_round = self.new_join(continue_list);
        let mut header = self.open_header(header_list);
        let scope = self.open_scope();
        self.begin_header(&mut header);
        let (merge_label, continue_label) = (self.join_label(merge), self.join_label(next_round));
        let control = Builder::loop_control(merge_list.edges);
        self.w.merge_loop(merge_label, continue_label, control);
        // The header block ends with its merge instruction, so that the body may begin with a selection.
        let body_label = self.w.label();
        self.w.branch(body_label);
        self.w.begin_block(body_label);
        let inner = Flow {
            break_to: Some(merge),
            continue_to: Some(next_round),
            return_to: None,
            in_switch: false,
        };
        self.flow_block(body, inner)?;
        if self.w.reachable {
            self.settle_round(&header);
            self.branch_to_join(next_round);
        }
        // Caches of the body may come from blocks that do not dominate the continue block.
        self.close_scope(&scope);
        let scope = self.open_scope();
        // With the scope the lanes lost the values of the header. Those that no edge changes have them in the continue block as
        // well.
        self.set_header_lanes(&header);
        self.seal_continue(next_round);
        if let Some(continuing) = continuing {
            self.flow_block(continuing, Flow::default())?;
        }
        self.close_header(&header);
        self.close_scope(&scope);
        self.lanes_apart = outside;
        self.seal(merge);
        Ok(())
    }

    /// Whether the body of a loop has a switch with so many cases that it is not a loop of the source but one that dispatches its branches.
    fn is_dispatch(&self, body: BlockId) -> bool {
        self.program.block(body).iter().any(|node| match node {
            Node::Switch(id) => self.program.switches[*id].cases.len() > MANY_CASES,
            Node::Run { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Break
            | Node::Continue
            | Node::Call(..)
            | Node::Return => false,
        })
    }

    fn flow_call(&mut self, routine: RoutineId) -> Result<(), Failure> {
        let info = self.analysis.routines[routine.index()];
        if !info.inlined {
            self.call_function(routine);
            return Ok(());
        }
        self.emit_routine(routine)
    }

    /// The body of a function or of an inlined routine. Control reaches the end of what is written from all of its returns.
    pub(in crate::emit) fn emit_routine(&mut self, routine: RoutineId) -> Result<(), Failure> {
        let body = self.program.routines[routine].body;
        if !self.analysis.routines[routine.index()].early_return {
            return self.flow_block(body, Flow::default());
        }
        // Returns are breaks of a switch with nothing but a default: besides loops, this is the only construct that nested blocks
        // can leave.
        let list = self.live.next_list();
        let join = self.new_join(list);
        let merge = self.join_label(join);
        let label = self.w.label();
        let zero = self.w.uint(0);
        self.w.merge_selection(merge);
        self.w.body.op(Spv::Switch, &[zero.0, label.0]);
        let flow = Flow {
            return_to: Some(join),
            ..Flow::default()
        };
        self.arm(label, body, flow, join)?;
        self.seal(join);
        Ok(())
    }

    fn call_function(&mut self, routine: RoutineId) {
        let void = self.w.void();
        let id = self.w.object();
        let function = self.tables.functions[routine.index()];
        self.w
            .body
            .result(Spv::FunctionCall, void, id, &[function.0]);
    }
}

/// Returns whether a run of instructions does nothing but name constants as the values of lanes, for which no code is emitted.
fn has_only_constants(program: &Program, analysis: &Analysis, first: u32, len: u32) -> bool {
    let is_value = |register: RegisterId| analysis.class[register.index()] == Class::Values;
    program.run(first, len).iter().all(|inst| {
        let to_value = inst
            .dst
            .is_some_and(|dst| is_value(dst.register) && dst.guard.is_none() && dst.cc.is_none());
        let mut sources = program.sources(inst).iter();
        let of_literal = sources.all(|src| matches!(src.base, Base::Literal(_)));
        inst.op == Op::Mov && to_value && of_literal
    })
}
