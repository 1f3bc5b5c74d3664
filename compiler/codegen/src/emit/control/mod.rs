//! Structured control flow: converts the tree to blocks with merge instructions.
//!
//! `join` emits phis, `cond` condition codes and tests, `guarded` values in separate blocks.

pub(super) mod cond;
pub(super) mod guarded;
pub(super) mod join;

use crate::analysis::{Analysis, Class};
use crate::builder::choose_loop_control;
use crate::emit::control::guarded::MAX_CASE_VALUES;
use crate::emit::control::join::{JoinEmitter, JoinId};
use crate::emit::program::ProgramEmitter;
use crate::error::{Error, Failure};
use crate::words::{LabelWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::program::Switch;
use glasm_ir::{Base, BlockId, Cond, Node, Op, Program, RegisterId, RoutineId, SwitchId};
use spirv::Op as Spv;

/// Minimum number of cases that makes a loop with a switch a dispatch loop.
const MANY_CASES: usize = 32;

/// Targets of jumps. Loops and switches contain no returns: `glasm_ir::returns` has replaced them
/// by breaks.
#[derive(Clone, Copy, Default)]
pub(super) struct Flow {
    break_to: Option<JoinId>,
    continue_to: Option<JoinId>,
    return_to: Option<JoinId>,
    /// True if a switch is open in the innermost loop.
    in_switch: bool,
}

/// Changes of a branch, which are undone at its end.
struct Scope {
    lanes: usize,
    cached: usize,
}

impl<'a> ProgramEmitter<'a> {
    fn joins(&mut self) -> JoinEmitter<'_, 'a> {
        JoinEmitter {
            f: &mut self.f,
            live: self.live,
            joins: self.joins,
        }
    }
}

impl ProgramEmitter<'_> {
    fn emit_block(&mut self, id: BlockId, flow: Flow) -> Result<(), Failure> {
        let info = self.f.analysis.blocks[id.index()];
        let nodes = self.f.program.block(id);
        for (index, &node) in nodes[..info.reachable as usize].iter().enumerate() {
            // The same condition as in `liveness`: a return that is not a jump there must not be a
            // jump here, or the records of joins would not match.
            let tail = info.tail && index + 1 == nodes.len();
            self.emit_node(node, flow, tail)?;
        }
        Ok(())
    }

    fn emit_node(&mut self, node: Node, flow: Flow, tail: bool) -> Result<(), Failure> {
        match node {
            Node::Run { first, len } => self.run_insts(first, len),
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } => {
                self.f.note_line(span);
                self.emit_if(cond, then, otherwise, flow)
                    .map_err(|error| error.at(span))
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => self
                .emit_loop(body, continuing)
                .map_err(|error| error.at(span)),
            Node::Switch(switch) => self.emit_switch(switch, flow),
            Node::Break => self.emit_jump(flow.break_to),
            Node::Continue => self.emit_jump(flow.continue_to),
            Node::Call(routine, span) => self.emit_call(routine).map_err(|error| error.at(span)),
            // The following code is that after the inlined call, or the end of the function.
            Node::Return if tail => Ok(()),
            Node::Return => self.emit_jump(flow.return_to),
        }
    }

    fn run_insts(&mut self, first: u32, len: u32) -> Result<(), Failure> {
        let program = self.f.program;
        for inst in &program.insts[first as usize..(first + len) as usize] {
            self.emit_inst(inst).map_err(|error| error.at(inst.span))?;
        }
        Ok(())
    }

    fn open_scope(&mut self) -> Scope {
        Scope {
            lanes: self.f.lanes.open(),
            cached: self.f.w.open_scope(),
        }
    }

    fn close_scope(&mut self, scope: &Scope) {
        self.f.lanes.close(scope.lanes);
        self.f.w.close_scope(scope.cached);
    }

    /// Ends the open block with an edge to a join. Returns an error for a jump outside of a loop or
    /// switch.
    fn emit_jump(&mut self, to: Option<JoinId>) -> Result<(), Failure> {
        let Some(join) = to else {
            return Err(Error::unsupported("a jump leaves no loop"));
        };
        self.branch_to_join(join);
        Ok(())
    }

    fn branch_to_join(&mut self, join: JoinId) {
        self.joins().add_edge(join);
        let label = self.joins().get_label(join);
        self.f.w.branch(label);
    }

    /// Emits a block that runs under a condition and then branches to `join`.
    fn emit_arm(
        &mut self,
        label: LabelWord,
        block: BlockId,
        flow: Flow,
        join: JoinId,
    ) -> Result<(), Failure> {
        // Lanes change in the block only: the next arm begins with the same lanes as this one.
        let scope = self.open_scope();
        self.f.w.begin_block(label);
        self.emit_block(block, flow)?;
        if self.f.w.reachable {
            self.branch_to_join(join);
        }
        self.close_scope(&scope);
        Ok(())
    }

    fn emit_if(
        &mut self,
        cond: Cond,
        then: BlockId,
        otherwise: Option<BlockId>,
        flow: Flow,
    ) -> Result<(), Failure> {
        // Taken even if both arms are empty: lists are in the order of the tree.
        let list = self.live.next_list();
        let is_empty = |block: BlockId| self.f.program.blocks[block].len == 0;
        if is_empty(then) && otherwise.is_none_or(is_empty) {
            return Ok(());
        }
        let cond = self.f.test_branch_condition(cond)?;
        if let (Some(exit), None) = (self.find_only_jump(then, flow), otherwise) {
            return self.emit_exit_if(cond, then, exit);
        }
        let join = self.joins().new_join(list);
        let merge = self.joins().get_label(join);
        if otherwise.is_none() {
            // Without an else part the open block itself branches to the join.
            self.joins().add_edge(join);
        }
        let then_label = self.f.w.label();
        let else_label = match otherwise {
            Some(_) => self.f.w.label(),
            None => merge,
        };
        self.f.w.merge_selection(merge);
        self.f.w.jump_if(cond, then_label, else_label);
        self.emit_arm(then_label, then, flow, join)?;
        if let Some(otherwise) = otherwise {
            self.emit_arm(else_label, otherwise, flow, join)?;
        }
        self.joins().begin_join(join);
        Ok(())
    }

    /// Returns the target of a block that only leaves an iteration or a loop, possibly after
    /// assigning constants to registers. Returns `None` inside a switch, because naga requires
    /// selections for jumps out of it.
    fn find_only_jump(&self, block: BlockId, flow: Flow) -> Option<JoinId> {
        if flow.in_switch {
            return None;
        }
        let jump = match self.f.program.block(block) {
            [Node::Run { first, len }, jump, ..]
                if has_only_constants(self.f.program, self.f.analysis, *first, *len) =>
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

    /// Emits a conditional jump, which needs no separate block and no merge instruction, because
    /// one of the targets leaves the loop or its iteration. The values of its edge, including
    /// constants of its block `then`, are computed before the condition is tested.
    fn emit_exit_if(
        &mut self,
        cond: ValueWord,
        then: BlockId,
        exit: JoinId,
    ) -> Result<(), Failure> {
        let lanes = self.f.lanes.open();
        if let [Node::Run { first, len }, ..] = *self.f.program.block(then) {
            self.run_insts(first, len)?;
        }
        self.joins().add_edge(exit);
        // The computed values remain available: they are in the open block, from which control
        // continues.
        self.f.lanes.close(lanes);
        let (exit, next) = (self.joins().get_label(exit), self.f.w.label());
        self.f.w.jump_if(cond, exit, next);
        self.f.w.begin_block(next);
        Ok(())
    }

    fn emit_switch(&mut self, id: SwitchId, flow: Flow) -> Result<(), Failure> {
        let program = self.f.program;
        let switch = &program.switches[id];
        let list = self.live.next_list();
        let (register, lane) = switch.selector;
        // SPIR-V has no switch without a selector; nothing depends on this one.
        let selector = if switch.cases.is_empty() {
            self.f.w.uint(0)
        } else {
            self.f.load_index(register, lane)?
        };
        let join = self.joins().new_join(list);
        let merge = self.joins().get_label(join);
        // Values without a case branch directly to the merge block.
        if switch.default.is_none() {
            self.joins().add_edge(join);
        }
        let default = switch.default.map(|block| (self.f.w.label(), block));
        // Labels of cases have consecutive numbers.
        let labels = (self.f.w.bound()..).map(LabelWord);
        for _ in &switch.cases {
            self.f.w.label();
        }
        self.f.w.merge_selection(merge);
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
            self.emit_arm(label, block, inner, join)
                .map_err(|error| error.at(switch.span))?;
        }
        self.joins().begin_join(join);
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
        // A literal and a label for each value; literals are as wide as the selector, which is a
        // word.
        self.f.w.body.head(Spv::Switch, 2 + 2 * values);
        self.f.w.body.0.extend([selector.0, default.0]);
        for (case, label) in switch.cases.iter().zip(labels) {
            let operands = case.values.iter().flat_map(|&value| [value, label.0]);
            self.f.w.body.0.extend(operands);
        }
        Ok(())
    }

    fn emit_loop(&mut self, body: BlockId, continuing: Option<BlockId>) -> Result<(), Failure> {
        let merge_list = self.live.next_list();
        let continue_list = self.live.next_list();
        let header_list = self.live.next_list();
        let outside = self.joins.lanes_apart;
        // Applies to inner joins as well: their vectors would be decomposed and composed again in
        // each iteration.
        self.joins.lanes_apart = !self.is_dispatch(body);
        let merge = self.joins().new_join(merge_list);
        let next_round = self.joins().new_join(continue_list);
        let mut header = self.joins().open_header(header_list);
        let scope = self.open_scope();
        self.joins().begin_header(&mut header);
        let (merge_label, continue_label) = (
            self.joins().get_label(merge),
            self.joins().get_label(next_round),
        );
        let control = choose_loop_control(merge_list.edges);
        self.f.w.merge_loop(merge_label, continue_label, control);
        // The header block ends with its merge instruction, so that the body may begin with a
        // selection.
        let body_label = self.f.w.label();
        self.f.w.branch(body_label);
        self.f.w.begin_block(body_label);
        let inner = Flow {
            break_to: Some(merge),
            continue_to: Some(next_round),
            return_to: None,
            in_switch: false,
        };
        self.emit_block(body, inner)?;
        if self.f.w.reachable {
            self.joins().compute_next_round(&header);
            self.branch_to_join(next_round);
        }
        // Values cached in the body may come from blocks that do not dominate the continue block.
        self.close_scope(&scope);
        let scope = self.open_scope();
        // Closing the scope dropped the header values of the lanes. Lanes that no edge changes have
        // these values in the continue block as well.
        self.joins().set_header_lanes(&header);
        self.joins().begin_continue(next_round);
        if let Some(continuing) = continuing {
            self.emit_block(continuing, Flow::default())?;
        }
        self.joins().close_header(&header);
        self.close_scope(&scope);
        self.joins.lanes_apart = outside;
        self.joins().begin_join(merge);
        Ok(())
    }

    /// Returns true if the body of a loop has a switch with so many cases that it is a dispatch
    /// loop and not a loop of the source.
    fn is_dispatch(&self, body: BlockId) -> bool {
        self.f.program.block(body).iter().any(|node| match node {
            Node::Switch(id) => self.f.program.switches[*id].cases.len() > MANY_CASES,
            Node::Run { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Break
            | Node::Continue
            | Node::Call(..)
            | Node::Return => false,
        })
    }

    fn emit_call(&mut self, routine: RoutineId) -> Result<(), Failure> {
        let info = self.f.analysis.routines[routine.index()];
        if !info.inlined {
            self.call_function(routine);
            return Ok(());
        }
        self.emit_routine(routine)
    }

    /// Emits the body of a function or of an inlined routine. Control reaches the end of the
    /// emitted code from all of its returns.
    pub(in crate::emit) fn emit_routine(&mut self, routine: RoutineId) -> Result<(), Failure> {
        let body = self.f.program.routines[routine].body;
        if !self.f.analysis.routines[routine.index()].early_return {
            return self.emit_block(body, Flow::default());
        }
        // Returns are breaks of a switch with only a default: nested blocks can leave no other
        // construct except loops.
        let list = self.live.next_list();
        let join = self.joins().new_join(list);
        let merge = self.joins().get_label(join);
        let label = self.f.w.label();
        let zero = self.f.w.uint(0);
        self.f.w.merge_selection(merge);
        self.f.w.body.op(Spv::Switch, &[zero.0, label.0]);
        let flow = Flow {
            return_to: Some(join),
            ..Flow::default()
        };
        self.emit_arm(label, body, flow, join)?;
        self.joins().begin_join(join);
        Ok(())
    }

    fn call_function(&mut self, routine: RoutineId) {
        let void = self.f.w.void();
        let id = self.f.w.object();
        let function = self.functions[routine.index()];
        self.f
            .w
            .body
            .result(Spv::FunctionCall, void, id, &[function.0]);
    }
}

/// Returns true if a run of instructions only assigns constants to lanes, for which no code is
/// emitted.
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
