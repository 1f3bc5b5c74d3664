//! Runs of the four fragments of a quad in lock step.

use super::alu;
use super::environment::{Environment, TextureSource};
use super::flow::BlockStack;
use super::interpreter::Interpreter;
use super::machine::{InvocationState, Machine, RunResult, StepLimitExceeded};
use super::observer::Observer;
use super::quad::{QuadFragment, QuadOperands, find_quad_source, is_derivative};
use crate::inst::{Inst, InstData};
use crate::op::Op;
use crate::program::Node;
use crate::resource::TexMode;
use crate::types::Type;

impl Interpreter<'_> {
    /// Runs the main routine of a fragment program in the fragments of a quad, in lock step.
    /// Fragments 0 and 1 have the smaller y, 0 and 2 the smaller x.
    /// Returns the result of each, and an error if one exceeds the step limit.
    pub fn run_quad<T: TextureSource, O: Observer>(
        &self,
        environment: &mut Environment<T>,
        fragments: &[QuadFragment; 4],
        observer: &mut O,
    ) -> Result<[RunResult; 4], StepLimitExceeded> {
        let mut machine = Machine::new(self.program(), environment, self.step_limit, observer);
        let mut invocations: Vec<InvocationState> = Vec::with_capacity(4);
        for (index, fragment) in fragments.iter().enumerate() {
            machine.begin_invocation(index, &[]);
            machine.current.inputs.clone_from(&fragment.inputs);
            machine.current.demoted = fragment.is_helper;
            invocations.push(machine.current.clone());
        }
        machine.run_in_quad(&mut invocations)?;
        Ok(std::array::from_fn(|fragment| {
            machine.current.clone_from(&invocations[fragment]);
            machine.build_result()
        }))
    }
}

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Runs the invocations of a quad in lock step until all have ended. Returns an error if one
    /// exceeds the step limit.
    fn run_in_quad(
        &mut self,
        invocations: &mut [InvocationState],
    ) -> Result<(), StepLimitExceeded> {
        loop {
            let running = invocations.iter().filter(|own| !own.block_stack.is_empty());
            let running = running.map(|own| &own.block_stack);
            let Some(least) = running.min_by(|a, b| a.compare_order(b)).cloned() else {
                return Ok(());
            };
            self.quad = self.collect_operands(invocations, &least);
            for invocation in invocations.iter_mut() {
                if invocation.block_stack == least {
                    self.execute_step_of(invocation)?;
                }
            }
            self.quad = None;
        }
    }

    /// Returns the first source of the instruction at `position` in all invocations of a quad, also
    /// in those that do not execute it; `None` if the instruction does not exchange values.
    fn collect_operands(
        &mut self,
        invocations: &mut [InvocationState],
        position: &BlockStack,
    ) -> Option<QuadOperands> {
        let program = self.program;
        let frame = position.peek_innermost()?;
        let node = program.block_nodes(frame.block).get(frame.next_node)?;
        let Node::Run { first, len } = *node else {
            return None;
        };
        let inst = program
            .run_insts(first, len)
            .get(frame.next_inst as usize)?;
        if !self.exchanges_values(inst) {
            return None;
        }
        let mut lanes = [[0; 4]; 4];
        for (lanes, invocation) in lanes.iter_mut().zip(invocations.iter_mut()) {
            std::mem::swap(&mut self.current, invocation);
            *lanes = self.load_source(inst, 0);
            std::mem::swap(&mut self.current, invocation);
        }
        Some(QuadOperands {
            lanes,
            is_complete: invocations.iter().all(|own| own.block_stack == *position),
        })
    }

    /// Returns true if the result of an instruction depends on its first source in other fragments.
    fn exchanges_values(&self, inst: &Inst) -> bool {
        if let InstData::Tex(id) = inst.data {
            let mode = self.program.tex_accesses[id].mode;
            return matches!(mode, TexMode::Implicit | TexMode::Bias | TexMode::QueryLod);
        }
        is_derivative(inst.op) || find_quad_source(inst.op, 0).is_some()
    }

    /// Returns the result of a derivative or of an access to a neighbor in a quad; `None` for other
    /// instructions.
    pub(super) fn evaluate_in_quad(&self, inst: &Inst) -> Option<[u64; 4]> {
        let quad = self.quad.as_ref()?;
        let own = self.current.index;
        if is_derivative(inst.op) {
            let in_y = matches!(inst.op, Op::Ddy | Op::DdyFine | Op::DdyCoarse);
            let is_coarse = matches!(inst.op, Op::DdxCoarse | Op::DdyCoarse);
            return Some(quad.compute_difference(if is_coarse { 0 } else { own }, in_y));
        }
        let fragment = find_quad_source(inst.op, own)?;
        if !quad.is_complete {
            return Some([0; 4]);
        }
        let addend = self.load_source(inst, 1);
        let value = quad.lanes[fragment];
        Some(std::array::from_fn(|lane| {
            alu::eval_add(Type::F32, [value[lane], addend[lane]])
        }))
    }
}
