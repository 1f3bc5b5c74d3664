//! Zero-initialization of large arrays by a loop. Drivers convert an initializer to a store for
//! each element: lavapipe takes a minute for 512 of them.

use crate::analysis::Class;
use crate::builder::Scalar;
use crate::emit::memory::array::RegisterMemory;
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::{RegisterId, Storage};
use spirv::{LoopControl, Op as Spv, StorageClass};

/// Maximum number of vectors of an array with an initializer.
const MOST_INITIALIZED: u32 = 32;

impl RegisterMemory<'_> {
    /// Returns true if a loop writes the zeros of a register.
    pub(super) fn is_cleared(&self, register: RegisterId) -> bool {
        let is_temp = self.program.registers[register].storage == Storage::Temp;
        let in_memory = self.analysis.class[register.index()] == Class::Memory;
        is_temp && in_memory && self.count_register_vectors(register) > MOST_INITIALIZED
    }

    /// Emits the loops in blocks before the first block of the entry point.
    pub(in crate::emit) fn clear_arrays(&mut self) {
        for index in 0..self.program.registers.len() {
            let register = RegisterId::new(index);
            if self.is_cleared(register) {
                self.clear_array(register);
            }
        }
    }

    fn clear_array(&mut self, register: RegisterId) {
        let array = self.declare_register(register);
        let len = self.count_register_vectors(register);
        let [zero, one, len] = [0, 1, len].map(|number| self.w.uint(number));
        let [word, truth] = [Scalar::U32, Scalar::BoolInt].map(|scalar| self.w.ty(scalar, 1));
        let vector = self.w.ty(Scalar::U32, 4);
        let pointer_ty = self.w.pointer(StorageClass::Private, vector);
        let value = self.w.null(vector);
        let [head, body, next, merge] = self.w.labels();
        let [number, following, goes_on, pointer]: [ValueWord; 4] =
            std::array::from_fn(|_| self.w.object());
        // The prologue follows in `merge`: the head of the function is emitted before it here.
        let before = std::mem::replace(&mut self.w.block, merge);
        let code = &mut self.w.functions;
        // The header of a loop must be a separate block: it is the target of the back edge, which
        // must not be the entry block of the function.
        code.op(Spv::Branch, &[head.0]);
        code.op(Spv::Label, &[head.0]);
        let edges = [zero.0, before.0, following.0, next.0];
        code.result(Spv::Phi, word, number, &edges);
        code.result(Spv::ULessThan, truth, goes_on, &[number.0, len.0]);
        let control = LoopControl::NONE.bits();
        code.op(Spv::LoopMerge, &[merge.0, next.0, control]);
        code.op(Spv::BranchConditional, &[goes_on.0, body.0, merge.0]);
        code.op(Spv::Label, &[body.0]);
        code.result(Spv::AccessChain, pointer_ty, pointer, &[array.0, number.0]);
        code.op(Spv::Store, &[pointer.0, value.0]);
        code.op(Spv::Branch, &[next.0]);
        code.op(Spv::Label, &[next.0]);
        code.result(Spv::IAdd, word, following, &[number.0, one.0]);
        code.op(Spv::Branch, &[head.0]);
        code.op(Spv::Label, &[merge.0]);
    }
}
