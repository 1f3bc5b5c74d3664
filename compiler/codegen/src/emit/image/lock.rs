//! A lock around accesses to images, for updates that Vulkan does not have as one atomic.
//!
//! There is one lock for all images, because two units may show the same texel at different coordinates. An invocation that gets the
//! lock gives it back in the same round of the loop: those that run in step with it wait for no one that waits for them.

use crate::builder::{Lane, Scalar};
use crate::emit::Emit;
use crate::emit::memory::choose_atomic_scope;
use crate::error::Failure;
use crate::interface::bind;
use crate::reflect::DescriptorSlot;
use crate::words::ValueWord;
use spirv::{Decoration, LoopControl, Op as Spv};

impl Emit<'_> {
    /// The lanes that `body` gives, which runs while no other invocation does the same.
    pub(super) fn lanes_while_locked(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let lock = self.image_lock();
        let (scope, relaxed) = choose_atomic_scope(self.w, None);
        // A buffer of zeros is a lock that nobody has.
        let [free, taken] = [0, 1].map(|value| self.w.uint(value));
        let [header, round, next, merge] = self.w.labels();
        self.w.jump(header);
        self.w.begin_block(header);
        self.w.merge_loop(merge, next, LoopControl::NONE);
        self.w.jump(round);
        self.w.begin_block(round);
        // Semantics for both outcomes, then the value that is stored, and last the one that must be there.
        let operands = [lock, scope, relaxed, relaxed, taken, free].map(|id| id.0);
        let op = Spv::AtomicCompareExchange;
        let seen = self.w.op(op, Scalar::U32, 1, &operands);
        let owns = self.w.compare_bits(Spv::IEqual, seen, 0);
        let lanes = self.lanes_if(owns, |emit| {
            // The lock itself is relaxed: what its earlier holders wrote is visible after this barrier.
            emit.memory_barrier()?;
            let lanes = body(emit)?;
            // What was written must be visible to others before the lock is free.
            emit.memory_barrier()?;
            let operands = [lock, scope, relaxed, free].map(|id| id.0);
            emit.w.body.op(Spv::AtomicStore, &operands);
            Ok(lanes)
        })?;
        self.w.jump(next);
        self.w.begin_block(next);
        self.w.jump_if(owns.id, merge, header);
        self.w.begin_block(merge);
        Ok(lanes)
    }

    /// A pointer to the word that is 1 while an invocation has the lock.
    fn image_lock(&mut self) -> ValueWord {
        if !self.interface.resources.image_lock.is_some() {
            self.declare_image_lock();
        }
        let word = self.w.ty(Scalar::U32, 1);
        let (class, _) = self.options.target.storage_block();
        let ty = self.w.pointer(class, word);
        let member = self.w.uint(0);
        let pointer = self.w.object();
        let operands = [self.interface.resources.image_lock.0, member.0];
        self.w.body.result(Spv::AccessChain, ty, pointer, &operands);
        pointer
    }

    fn declare_image_lock(&mut self) {
        let word = self.w.ty(Scalar::U32, 1);
        let (class, decoration) = self.options.target.storage_block();
        let block = self.w.block_of(word, decoration);
        let variable = self.w.variable(class, block);
        self.w.decorate(variable, Decoration::Coherent, &[]);
        let slot = DescriptorSlot {
            set: self.options.bindings.storage_set,
            binding: self.options.bindings.image_lock_binding,
        };
        bind(self.w, variable, slot);
        self.w.name(variable, || "image_lock".to_owned());
        self.w.name_type(block, "ImageLock");
        self.w.name_member(block, 0, "held");
        self.interface.resources.image_lock = variable;
        self.interface.reflected.image_lock = Some(slot);
    }
}
