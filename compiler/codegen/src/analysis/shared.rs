//! Registers that several functions touch.

use super::{Analysis, Class, access_element, cond_register};
use crate::kept::refill;
use glasm_ir::arena::Id;
use glasm_ir::inst::IndexId;
use glasm_ir::{Base, BlockId, Inst, Node, Program, RegisterId, Storage};

impl Analysis {
    /// Registers that functions other than the entry point touch live in memory.
    pub(super) fn place_shared_registers(&mut self, program: &Program) {
        // The entry point stores the outputs after the function that writes them has returned.
        if self.split_main {
            for (id, register) in program.registers.iter_enumerated() {
                if matches!(register.storage, Storage::Output(_)) {
                    self.class[id.index()] = Class::Memory;
                }
            }
        }
        let mut scan = std::mem::take(&mut self.call_scan);
        refill(&mut scan.seen, program.routines.len(), false);
        let others = self.functions.iter().filter(|&&id| id != program.main);
        scan.pending.clear();
        scan.pending.extend(others);
        while let Some(routine) = scan.pending.pop() {
            if std::mem::replace(&mut scan.seen[routine.index()], true) {
                continue;
            }
            self.share_block(program, program.routines[routine].body);
            // Callees that are inlined become code of this function.
            let callees = self.calls_of(routine).iter().map(|call| call.1);
            scan.pending.extend(callees);
        }
        self.call_scan = scan;
    }

    fn share_block(&mut self, program: &Program, block: BlockId) {
        for &node in program.block(block) {
            match node {
                Node::Run { first, len } => {
                    for inst in &program.insts[first as usize..(first + len) as usize] {
                        self.share_inst(program, inst);
                    }
                }
                Node::If {
                    cond,
                    then,
                    otherwise,
                    ..
                } => {
                    self.share(cond_register(cond));
                    self.share_block(program, then);
                    otherwise
                        .into_iter()
                        .for_each(|block| self.share_block(program, block));
                }
                Node::Loop {
                    body, continuing, ..
                } => {
                    self.share_block(program, body);
                    continuing
                        .into_iter()
                        .for_each(|block| self.share_block(program, block));
                }
                Node::Switch(switch) => {
                    let switch = &program.switches[switch];
                    self.share(switch.selector.0);
                    switch
                        .cases
                        .iter()
                        .for_each(|case| self.share_block(program, case.block));
                    switch
                        .default
                        .into_iter()
                        .for_each(|block| self.share_block(program, block));
                }
                Node::Call(..) | Node::Break | Node::Continue | Node::Return => {}
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
            src.index
                .into_iter()
                .for_each(|index| self.share_index(program, index));
        }
        if let Some(dst) = inst.dst {
            self.share(dst.register);
            dst.cc.into_iter().for_each(|cc| self.share(cc));
            dst.guard.into_iter().for_each(|guard| self.share(guard.cc));
            dst.index
                .into_iter()
                .for_each(|index| self.share_index(program, index));
        }
        if let Some((register, _)) = access_element(program, inst).and_then(|term| term.relative) {
            self.share(register);
        }
    }

    fn share_index(&mut self, program: &Program, index: IndexId) {
        let index = program.indices[index];
        for term in [Some(index.element), index.vertex].into_iter().flatten() {
            if let Some((register, _)) = term.relative {
                self.share(register);
            }
        }
    }
}
