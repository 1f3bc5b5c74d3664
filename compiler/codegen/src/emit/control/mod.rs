//! Structured control flow: converts the tree to blocks with merge instructions.
//!
//! `phi` emits phis, `cond` condition codes, tests, and values in separate blocks.

pub(super) mod cond;
pub(super) mod phi;

use crate::analysis::{Analysis, RegisterClass};
use crate::builder::choose_loop_control;
use crate::emit::context::ProgramEmitter;
use crate::emit::control::cond::MAX_CASE_VALUES;
use crate::emit::control::phi::{JoinEmitter, JoinId};
use crate::error::{Error, Failure};
use crate::spirv_writer::{LabelWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::program::Switch;
use glasm_ir::{BlockId, Cond, Node, Op, OperandBase, Program, RegisterId, RoutineId, SwitchId};
use spirv::Op as Spv;

/// Minimum number of cases that makes a loop with a switch a dispatch loop.
const MIN_DISPATCH_CASES: usize = 32;

/// Targets of jumps. Loops and switches contain no returns: `glasm_ir::lower_returns` has replaced
/// them by breaks.
#[derive(Clone, Copy, Default)]
pub(super) struct JumpTargets {
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
    /// Borrows the state that merging values at joins needs.
    fn joins(&mut self) -> JoinEmitter<'_, 'a> {
        JoinEmitter {
            f: &mut self.function,
            liveness: self.liveness,
            joins: self.joins,
        }
    }
}

impl ProgramEmitter<'_> {
    /// Emits the reachable nodes of a block in order. Nodes after a jump are omitted.
    fn emit_block(&mut self, id: BlockId, flow: JumpTargets) -> Result<(), Failure> {
        let info = self.function.analysis.blocks[id.index()];
        let nodes = self.function.program.block_nodes(id);
        for (index, &node) in nodes[..info.reachable_nodes as usize].iter().enumerate() {
            // The same condition as in `liveness`: a return that is not a jump there must not be a
            // jump here, or the records of joins would not match.
            let tail = info.tail && index + 1 == nodes.len();
            self.emit_node(node, flow, tail)?;
        }
        Ok(())
    }

    /// Emits one node of the control tree; `tail` is true if a return there continues after the
    /// routine anyway and is not a jump. Errors get the source position of the node.
    fn emit_node(&mut self, node: Node, flow: JumpTargets, tail: bool) -> Result<(), Failure> {
        match node {
            Node::Run { first, len } => self.emit_insts(first, len),
            Node::If {
                cond,
                then,
                otherwise,
                span,
            } => {
                self.function.record_line(span);
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

    /// Emits a range of instructions; errors get the source position of their instruction. Returns
    /// an error for an instruction that requires a feature that the device lacks.
    fn emit_insts(&mut self, first: u32, len: u32) -> Result<(), Failure> {
        let program = self.function.program;
        for inst in &program.insts[first as usize..(first + len) as usize] {
            self.emit_inst(inst)
                .and_then(|()| self.function.builder.check_requirements())
                .map_err(|error| error.at(inst.span))?;
        }
        Ok(())
    }

    /// Opens a scope for a branch, at whose end values of registers are restored and cached results
    /// dropped.
    fn open_scope(&mut self) -> Scope {
        Scope {
            lanes: self.function.lanes.open_scope(),
            cached: self.function.builder.open_scope(),
        }
    }

    /// Closes a scope: restores the values of registers and drops the results cached since it was
    /// opened.
    fn close_scope(&mut self, scope: &Scope) {
        self.function.lanes.close_scope(scope.lanes);
        self.function.builder.close_scope(scope.cached);
    }

    /// Ends the open block with an edge to a join. Returns an error if there is none: for a jump
    /// outside of a loop or switch.
    fn emit_jump(&mut self, to: Option<JoinId>) -> Result<(), Failure> {
        let Some(join) = to else {
            return Err(Error::unsupported(
                "a break or continue is outside of a loop or switch",
            ));
        };
        self.branch_to_join(join);
        Ok(())
    }

    /// Ends the open block with a branch to a join and records the current values for its phis.
    fn branch_to_join(&mut self, join: JoinId) {
        self.joins().add_edge(join);
        let label = self.joins().get_label(join);
        self.function.builder.end_with_branch(label);
    }

    /// Emits a block that runs under a condition and then, if its end is reachable, branches to
    /// `join`. Values of registers are restored at its end.
    fn emit_arm(
        &mut self,
        label: LabelWord,
        block: BlockId,
        flow: JumpTargets,
        join: JoinId,
    ) -> Result<(), Failure> {
        // Lanes change in the block only: the next arm begins with the same lanes as this one.
        let scope = self.open_scope();
        self.function.builder.begin_block(label);
        self.emit_block(block, flow)?;
        if self.function.builder.reachable {
            self.branch_to_join(join);
        }
        self.close_scope(&scope);
        Ok(())
    }

    /// Emits a selection with its branches and its join, only a conditional jump if one branch does
    /// nothing but jump, or nothing if both branches are empty.
    fn emit_if(
        &mut self,
        cond: Cond,
        then: BlockId,
        otherwise: Option<BlockId>,
        flow: JumpTargets,
    ) -> Result<(), Failure> {
        // Taken even if both arms are empty: lists are in the order of the tree.
        let list = self.liveness.pop_join_list();
        let is_empty = |block: BlockId| self.function.program.blocks[block].len == 0;
        if is_empty(then) && otherwise.is_none_or(is_empty) {
            return Ok(());
        }
        let cond = self.function.test_branch_condition(cond)?;
        if let (Some(exit), None) = (self.find_only_jump(then, flow), otherwise) {
            return self.emit_exit_if(cond, then, exit);
        }
        let join = self.joins().new_join(list);
        let merge = self.joins().get_label(join);
        if otherwise.is_none() {
            // Without an else part the open block itself branches to the join.
            self.joins().add_edge(join);
        }
        let then_label = self.function.builder.new_label();
        let else_label = match otherwise {
            Some(_) => self.function.builder.new_label(),
            None => merge,
        };
        self.function.builder.emit_selection_merge(merge);
        self.function
            .builder
            .emit_branch_conditional(cond, then_label, else_label);
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
    fn find_only_jump(&self, block: BlockId, flow: JumpTargets) -> Option<JoinId> {
        if flow.in_switch {
            return None;
        }
        let jump = match self.function.program.block_nodes(block) {
            [Node::Run { first, len }, jump, ..]
                if has_only_constants(
                    self.function.program,
                    self.function.analysis,
                    *first,
                    *len,
                ) =>
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
        let lanes = self.function.lanes.open_scope();
        if let [Node::Run { first, len }, ..] = *self.function.program.block_nodes(then) {
            self.emit_insts(first, len)?;
        }
        self.joins().add_edge(exit);
        // The computed values remain available: they are in the open block, from which control
        // continues.
        self.function.lanes.close_scope(lanes);
        let (exit, next) = (
            self.joins().get_label(exit),
            self.function.builder.new_label(),
        );
        self.function
            .builder
            .emit_branch_conditional(cond, exit, next);
        self.function.builder.begin_block(next);
        Ok(())
    }

    /// Emits `OpSwitch` with its cases and the join after it. Values without a case and a default
    /// continue after the switch.
    fn emit_switch(&mut self, id: SwitchId, flow: JumpTargets) -> Result<(), Failure> {
        let program = self.function.program;
        let switch = &program.switches[id];
        let list = self.liveness.pop_join_list();
        let (register, lane) = switch.selector;
        // SPIR-V has no switch without a selector; nothing depends on this one.
        let selector = if switch.cases.is_empty() {
            self.function.builder.constant_u32(0)
        } else {
            self.function.load_index(register, lane)?
        };
        let join = self.joins().new_join(list);
        let merge = self.joins().get_label(join);
        // Values without a case branch directly to the merge block.
        if switch.default.is_none() {
            self.joins().add_edge(join);
        }
        let default = switch
            .default
            .map(|block| (self.function.builder.new_label(), block));
        // Labels of cases have consecutive numbers.
        let labels = (self.function.builder.bound()..).map(LabelWord);
        for _ in &switch.cases {
            self.function.builder.new_label();
        }
        self.function.builder.emit_selection_merge(merge);
        let default_label = default.map_or(merge, |(label, _)| label);
        self.emit_switch_inst(switch, selector, default_label, labels.clone())?;
        let arms = labels.zip(switch.cases.iter().map(|case| case.block));
        let inner = JumpTargets {
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

    /// Writes the words of `OpSwitch` with one label per value. Returns an error if there are too
    /// many values for an instruction.
    fn emit_switch_inst(
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
        self.function
            .builder
            .body
            .push_head(Spv::Switch, 2 + 2 * values);
        self.function.builder.body.0.extend([selector.0, default.0]);
        for (case, label) in switch.cases.iter().zip(labels) {
            let operands = case.values.iter().flat_map(|&value| [value, label.0]);
            self.function.builder.body.0.extend(operands);
        }
        Ok(())
    }

    /// Emits a loop: header with phis, body, continue target and merge, at which emission
    /// continues.
    fn emit_loop(&mut self, body: BlockId, continuing: Option<BlockId>) -> Result<(), Failure> {
        let merge_list = self.liveness.pop_join_list();
        let continue_list = self.liveness.pop_join_list();
        let header_list = self.liveness.pop_join_list();
        let outer_scalar_phis = self.joins.scalar_phis;
        // Applies to inner joins as well: their vectors would be decomposed and composed again in
        // each iteration.
        self.joins.scalar_phis = !self.is_dispatch_loop(body);
        let merge = self.joins().new_join(merge_list);
        let continue_join = self.joins().new_join(continue_list);
        let mut header = self.joins().enter_loop(header_list);
        let scope = self.open_scope();
        self.joins().begin_loop_header(&mut header);
        let (merge_label, continue_label) = (
            self.joins().get_label(merge),
            self.joins().get_label(continue_join),
        );
        let control = choose_loop_control(merge_list.edges);
        self.function
            .builder
            .emit_loop_merge(merge_label, continue_label, control);
        // The header block ends with its merge instruction, so that the body may begin with a
        // selection.
        let body_label = self.function.builder.new_label();
        self.function.builder.end_with_branch(body_label);
        self.function.builder.begin_block(body_label);
        let inner = JumpTargets {
            break_to: Some(merge),
            continue_to: Some(continue_join),
            return_to: None,
            in_switch: false,
        };
        self.emit_block(body, inner)?;
        if self.function.builder.reachable {
            self.joins().compute_loop_carried(&header);
            self.branch_to_join(continue_join);
        }
        // Values cached in the body may come from blocks that do not dominate the continue block.
        self.close_scope(&scope);
        let scope = self.open_scope();
        // Closing the scope dropped the header values of the lanes. Lanes that no edge changes have
        // these values in the continue block as well.
        self.joins().set_header_lanes(&header);
        self.joins().begin_continue(continue_join);
        if let Some(continuing) = continuing {
            self.emit_block(continuing, JumpTargets::default())?;
        }
        self.joins().close_loop(&header);
        self.close_scope(&scope);
        self.joins.scalar_phis = outer_scalar_phis;
        self.joins().begin_join(merge);
        Ok(())
    }

    /// Returns true if the body of a loop has a switch with more than `MIN_DISPATCH_CASES` cases,
    /// so that it is a dispatch loop and not a loop of the source.
    fn is_dispatch_loop(&self, body: BlockId) -> bool {
        self.function
            .program
            .block_nodes(body)
            .iter()
            .any(|node| match node {
                Node::Switch(id) => {
                    self.function.program.switches[*id].cases.len() > MIN_DISPATCH_CASES
                }
                Node::Run { .. }
                | Node::If { .. }
                | Node::Loop { .. }
                | Node::Break
                | Node::Continue
                | Node::Call(..)
                | Node::Return => false,
            })
    }

    /// Emits a call: the body of an inlined routine, or `OpFunctionCall`.
    fn emit_call(&mut self, routine: RoutineId) -> Result<(), Failure> {
        let info = self.function.analysis.routines[routine.index()];
        if !info.inlined {
            self.emit_function_call(routine);
            return Ok(());
        }
        self.emit_routine(routine)
    }

    /// Emits the body of a function or of an inlined routine. If it has early returns, it is
    /// enclosed in a switch that they leave, and emission continues at the join of all returns.
    pub(in crate::emit) fn emit_routine(&mut self, routine: RoutineId) -> Result<(), Failure> {
        let body = self.function.program.routines[routine].body;
        if !self.function.analysis.routines[routine.index()].early_return {
            return self.emit_block(body, JumpTargets::default());
        }
        // Returns are breaks of a switch with only a default: nested blocks can leave no other
        // construct except loops.
        let list = self.liveness.pop_join_list();
        let join = self.joins().new_join(list);
        let merge = self.joins().get_label(join);
        let label = self.function.builder.new_label();
        let zero = self.function.builder.constant_u32(0);
        self.function.builder.emit_selection_merge(merge);
        self.function
            .builder
            .body
            .push_inst(Spv::Switch, &[zero.0, label.0]);
        let flow = JumpTargets {
            return_to: Some(join),
            ..JumpTargets::default()
        };
        self.emit_arm(label, body, flow, join)?;
        self.joins().begin_join(join);
        Ok(())
    }

    /// Emits `OpFunctionCall` of a routine that is a separate function.
    fn emit_function_call(&mut self, routine: RoutineId) {
        let void = self.function.builder.void_type();
        let id = self.function.builder.new_object();
        let function = self.functions[routine.index()];
        self.function
            .builder
            .body
            .push_result_inst(Spv::FunctionCall, void, id, &[function.0]);
    }
}

/// Returns true if a run of instructions only assigns constants to lanes in values, without guards
/// and condition codes, for which no code is emitted.
fn has_only_constants(program: &Program, analysis: &Analysis, first: u32, len: u32) -> bool {
    let is_value =
        |register: RegisterId| analysis.classes[register.index()] == RegisterClass::Values;
    program.run_insts(first, len).iter().all(|inst| {
        let to_value = inst
            .dst
            .is_some_and(|dst| is_value(dst.register) && dst.guard.is_none() && dst.cc.is_none());
        let mut sources = program.sources(inst).iter();
        let of_literal = sources.all(|src| matches!(src.base, OperandBase::Literal(_)));
        inst.op == Op::Mov && to_value && of_literal
    })
}
