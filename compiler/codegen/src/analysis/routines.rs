//! Control flow of one routine: ends of blocks, returns, calls, nesting.
//! Also the registers that several functions access.

use super::{Analysis, BlockInfo, MAX_NESTING, RegisterClass, access_element, cond_register};
use crate::error::{Error, Failure};
use crate::spirv_writer::refill;
use glasm_ir::arena::Id;
use glasm_ir::inst::{IndexId, IndexTerm};
use glasm_ir::{
    BlockId, Inst, Node, OperandBase, OutputId, Program, RegisterId, RoutineId, Stage, SwitchId,
};

/// Position of a block in its routine.
#[derive(Clone, Copy)]
pub(super) struct BlockPosition {
    pub(super) depth: u32,
    pub(super) tail: bool,
}

/// Walk over the tree of one routine: ends of blocks, returns, calls, nesting.
pub(super) struct ControlTreeScan<'a> {
    pub(super) analysis: &'a mut Analysis,
    pub(super) program: &'a Program,
    pub(super) routine: RoutineId,
    pub(super) size: u32,
    pub(super) max_depth: u32,
}

impl ControlTreeScan<'_> {
    /// Visits a block and its nested blocks, records which nodes are reachable, and returns true if
    /// control reaches its end. Adds the size of its nodes. Returns an error if the block is nested
    /// too deeply.
    pub(super) fn visit_block(
        &mut self,
        id: BlockId,
        position: BlockPosition,
    ) -> Result<bool, Failure> {
        if position.depth > MAX_NESTING {
            return Err(Error::limit(format!(
                "blocks are nested deeper than {MAX_NESTING}"
            )));
        }
        self.max_depth = self.max_depth.max(position.depth);
        let nodes = self.program.block_nodes(id);
        let mut info = BlockInfo {
            reachable_nodes: nodes.len() as u32,
            falls_through: true,
            tail: position.tail,
        };
        for (index, &node) in nodes.iter().enumerate() {
            // A node costs as much as an instruction: empty branches and calls must count in the
            // budget of inlining.
            self.size += 1;
            // A return at the end of the routine needs no jump, at any nesting of branches. The end
            // of a loop is not such an end.
            let tail = position.tail && index + 1 == nodes.len();
            if !self.visit_node(node, BlockPosition { tail, ..position })? {
                info.reachable_nodes = index as u32 + 1;
                info.falls_through = false;
                break;
            }
        }
        self.analysis.blocks[id.index()] = info;
        Ok(info.falls_through)
    }

    /// Visits a node, records calls, breaks and early returns, and returns true if the following
    /// node is reachable.
    fn visit_node(&mut self, node: Node, position: BlockPosition) -> Result<bool, Failure> {
        let inner = BlockPosition {
            depth: position.depth + 1,
            ..position
        };
        match node {
            Node::Run { len, .. } => {
                self.size += len;
                Ok(true)
            }
            Node::If {
                then,
                otherwise,
                span,
                ..
            } => {
                let branches = [Some(then), otherwise].map(|block| self.visit_branch(block, inner));
                let [first, second] = branches.map(|falls| falls.map_err(|error| error.at(span)));
                Ok(first? | second?)
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => {
                let falls = self.visit_loop(body, continuing, inner);
                falls.map_err(|error| error.at(span))
            }
            Node::Switch(switch) => self.visit_switch(switch, inner),
            Node::Break => {
                // A break outside of a construct has no count; emission rejects it.
                let breaks = self.analysis.break_counts.last_mut();
                breaks.into_iter().for_each(|count| *count += 1);
                Ok(false)
            }
            Node::Continue => Ok(false),
            Node::Call(callee, _) => {
                self.analysis.calls.push((self.routine, callee));
                Ok(true)
            }
            Node::Return => Ok(self.visit_return(position)),
        }
    }

    /// Visits an arm of a branch and returns true if control reaches its end, as it does for a
    /// missing arm.
    fn visit_branch(
        &mut self,
        block: Option<BlockId>,
        position: BlockPosition,
    ) -> Result<bool, Failure> {
        block.map_or(Ok(true), |block| self.visit_block(block, position))
    }

    /// Records an early return unless it is at the end of the routine; returns true if it is,
    /// because control then continues after the routine without a jump.
    fn visit_return(&mut self, position: BlockPosition) -> bool {
        if !position.tail {
            let info = &mut self.analysis.routines[self.routine.index()];
            info.early_return = true;
        }
        position.tail
    }

    /// Visits a loop, records that the program has one, and returns true if a break makes the code
    /// after it reachable.
    fn visit_loop(
        &mut self,
        body: BlockId,
        continuing: Option<BlockId>,
        inner: BlockPosition,
    ) -> Result<bool, Failure> {
        self.analysis.has_loops = true;
        self.analysis.break_counts.push(0);
        let inner = BlockPosition {
            tail: false,
            ..inner
        };
        self.visit_block(body, inner)?;
        if let Some(continuing) = continuing {
            self.visit_block(continuing, inner)?;
        }
        // Loops are endless: the code after a loop is reached only by a break.
        Ok(self
            .analysis
            .break_counts
            .pop()
            .is_some_and(|count| count > 0))
    }

    /// Visits a switch and returns true if a case, a break or a missing default reaches the code
    /// after it. Returns an error if its blocks are nested too deeply.
    fn visit_switch(&mut self, id: SwitchId, inner: BlockPosition) -> Result<bool, Failure> {
        let program = self.program;
        let switch = &program.switches[id];
        self.analysis.break_counts.push(0);
        // Without a default, values without a case continue after the switch.
        let mut falls = switch.default.is_none();
        for block in switch.blocks() {
            let end = self.visit_block(block, inner);
            falls |= end.map_err(|error| error.at(switch.span))?;
        }
        Ok(self
            .analysis
            .break_counts
            .pop()
            .is_some_and(|count| count > 0)
            | falls)
    }
}

impl Analysis {
    /// Marks the outputs of a patch, and outputs of vertices that any invocation reads, as shared.
    /// Assigns memory to their registers.
    pub(super) fn find_shared_outputs(&mut self, program: &Program) {
        let mut is_read = vec![false; program.outputs.len()];
        for src in &program.srcs {
            // The index of a vertex may select any invocation, so every output that is read back is
            // shared.
            if let OperandBase::Output(first) = src.base {
                let len = program.get_source_len(src);
                let outputs = is_read.iter_mut().skip(first.index());
                outputs.take(len as usize).for_each(|read| *read = true);
            }
        }
        let is_per_patch = |output| {
            program.outputs[OutputId::new(output)]
                .semantic
                .is_per_patch()
        };
        for (id, mut outputs) in program.output_registers() {
            if outputs.any(|output| is_per_patch(output) || is_read[output]) {
                self.shared_outputs[id.index()] = true;
                self.mark_shared(id);
            }
        }
    }

    /// Moves registers that functions other than the entry point access, including their inlined
    /// callees, to memory. In geometry programs all outputs are in memory as well.
    pub(super) fn move_shared_registers(&mut self, program: &Program) {
        // A vertex contains the outputs that any function has written.
        if program.stage == Stage::Geometry {
            program
                .output_registers()
                .for_each(|(id, _)| self.mark_shared(id));
        }
        let mut scan = std::mem::take(&mut self.call_scan);
        refill(&mut scan.seen, program.routines.len(), false);
        // The entry point has its registers in values; only registers shared with functions are in
        // memory.
        let others = self.functions.iter().filter(|&&id| id != program.main);
        scan.pending.clear();
        scan.pending.extend(others);
        while let Some(routine) = scan.pending.pop() {
            if std::mem::replace(&mut scan.seen[routine.index()], true) {
                continue;
            }
            self.share_block(program, program.routines[routine].body);
            // Inlined callees become code of this function.
            let callees = self.calls_in(routine).iter().map(|call| call.1);
            scan.pending.extend(callees);
        }
        self.call_scan = scan;
    }

    /// Assigns memory to the registers that a block accesses, including nested blocks, but not
    /// called routines.
    fn share_block(&mut self, program: &Program, block: BlockId) {
        for &node in program.block_nodes(block) {
            match node {
                Node::Run { first, len } => {
                    for inst in program.run_insts(first, len) {
                        self.share_inst(program, inst);
                    }
                }
                Node::If { cond, .. } => self.mark_shared(cond_register(cond)),
                Node::Switch(switch) => self.mark_shared(program.switches[switch].selector.0),
                Node::Loop { .. }
                | Node::Call(..)
                | Node::Break
                | Node::Continue
                | Node::Return => {}
            }
            // Depth is limited by `MAX_NESTING`, which the scan of routines has checked.
            for inner in program.inner_blocks(node) {
                self.share_block(program, inner);
            }
        }
    }

    /// Assigns memory to a register that several functions access.
    fn mark_shared(&mut self, register: RegisterId) {
        self.classes[register.index()] = RegisterClass::Memory;
    }

    /// Assigns memory to all registers that an instruction accesses, so that other functions can
    /// access them.
    fn share_inst(&mut self, program: &Program, inst: &Inst) {
        for src in program.sources(inst) {
            if let OperandBase::Register(register) = src.base {
                self.mark_shared(register);
            }
            self.share_index(program, src.index);
        }
        if let Some(dst) = inst.dst {
            self.mark_shared(dst.register);
            self.share_index(program, dst.index);
            let codes = dst.cc.into_iter().chain(dst.guard.map(|guard| guard.cc));
            codes.for_each(|cc| self.mark_shared(cc));
        }
        self.share_term(access_element(program, inst));
    }

    /// Assigns memory to the registers that an index reads.
    fn share_index(&mut self, program: &Program, index: Option<IndexId>) {
        if let Some(index) = index.map(|index| program.indices[index]) {
            self.share_term(Some(index.element));
            self.share_term(index.vertex);
        }
    }

    /// Assigns memory to the register that a term of an index reads.
    fn share_term(&mut self, term: Option<IndexTerm>) {
        if let Some((register, _)) = term.and_then(|term| term.relative) {
            self.mark_shared(register);
        }
    }
}
