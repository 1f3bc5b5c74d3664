//! Registers that several functions access.

use super::{Analysis, Class, access_element, cond_register};
use crate::kept::refill;
use glasm_ir::arena::Id;
use glasm_ir::inst::{IndexId, IndexTerm};
use glasm_ir::{Base, BlockId, Inst, Node, OutputId, Program, RegisterId, Stage};

impl Analysis {
    /// Marks the outputs of a patch, and outputs of vertices that any invocation reads, as shared.
    pub(super) fn find_shared_outputs(&mut self, program: &Program) {
        let mut is_read = vec![false; program.outputs.len()];
        for src in &program.srcs {
            // The index of a vertex may select any invocation, so every output that is read back is
            // shared.
            if let Base::Output(first) = src.base {
                let len = program.source_len(src);
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
                self.share(id);
            }
        }
    }

    /// Moves registers that functions other than the entry point access to memory.
    pub(super) fn place_shared_registers(&mut self, program: &Program) {
        // A vertex contains the outputs that any function has written.
        if program.stage == Stage::Geometry {
            program
                .output_registers()
                .for_each(|(id, _)| self.share(id));
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
            let callees = self.calls_of(routine).iter().map(|call| call.1);
            scan.pending.extend(callees);
        }
        self.call_scan = scan;
    }

    fn share_block(&mut self, program: &Program, block: BlockId) {
        for &node in program.block(block) {
            match node {
                Node::Run { first, len } => {
                    for inst in program.run(first, len) {
                        self.share_inst(program, inst);
                    }
                }
                Node::If { cond, .. } => self.share(cond_register(cond)),
                Node::Switch(switch) => self.share(program.switches[switch].selector.0),
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

    fn share(&mut self, register: RegisterId) {
        self.class[register.index()] = Class::Memory;
    }

    fn share_inst(&mut self, program: &Program, inst: &Inst) {
        for src in program.sources(inst) {
            if let Base::Register(register) = src.base {
                self.share(register);
            }
            self.share_index(program, src.index);
        }
        if let Some(dst) = inst.dst {
            self.share(dst.register);
            self.share_index(program, dst.index);
            let codes = dst.cc.into_iter().chain(dst.guard.map(|guard| guard.cc));
            codes.for_each(|cc| self.share(cc));
        }
        self.share_term(access_element(program, inst));
    }

    fn share_index(&mut self, program: &Program, index: Option<IndexId>) {
        if let Some(index) = index.map(|index| program.indices[index]) {
            self.share_term(Some(index.element));
            self.share_term(index.vertex);
        }
    }

    fn share_term(&mut self, term: Option<IndexTerm>) {
        if let Some((register, _)) = term.and_then(|term| term.relative) {
            self.share(register);
        }
    }
}
