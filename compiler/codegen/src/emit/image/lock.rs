//! Lock around accesses to images, for updates that Vulkan does not support as one atomic.
//!
//! There is one lock for all images, because two units may access the same texel at different
//! coordinates. An invocation that acquires the lock releases it in the same iteration of the loop:
//! other invocations in lockstep with it never wait for an invocation that waits for them.

use crate::builder::{Lane, Scalar};
use crate::emit::control::guarded::run_if;
use crate::emit::cx::ImageEmitter;
use crate::emit::memory::{choose_atomic_scope, emit_memory_barrier};
use crate::error::Failure;
use crate::interface::{Io, bind};
use crate::reflect::DescriptorSlot;
use crate::words::ValueWord;
use spirv::{Decoration, LoopControl, Op as Spv};

impl ImageEmitter<'_, '_> {
    /// Returns the lanes of `body`, which runs while no other invocation holds the lock.
    pub(super) fn run_locked(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let lock = access_image_lock(&mut self.f.io());
        let (scope, relaxed) = choose_atomic_scope(self.f.w, None);
        // A buffer of zeros is a free lock.
        let [free, taken] = [0, 1].map(|value| self.f.w.uint(value));
        let [header, round, next, merge] = self.f.w.labels();
        self.f.w.jump(header);
        self.f.w.begin_block(header);
        self.f.w.merge_loop(merge, next, LoopControl::NONE);
        self.f.w.jump(round);
        self.f.w.begin_block(round);
        // Semantics for both outcomes, then the stored value, and last the expected value.
        let operands = [lock, scope, relaxed, relaxed, taken, free].map(|id| id.0);
        let op = Spv::AtomicCompareExchange;
        let seen = self.f.w.op(op, Scalar::U32, 1, &operands);
        let owns = self.f.w.compare_bits(Spv::IEqual, seen, 0);
        let lanes = run_if(self, owns, |emit| {
            // The lock itself is relaxed: writes of its earlier holders are visible after this
            // barrier.
            emit_memory_barrier(emit.f.w)?;
            let lanes = body(emit)?;
            // Writes must be visible to others before the lock is free.
            emit_memory_barrier(emit.f.w)?;
            let operands = [lock, scope, relaxed, free].map(|id| id.0);
            emit.f.w.body.op(Spv::AtomicStore, &operands);
            Ok(lanes)
        })?;
        self.f.w.jump(next);
        self.f.w.begin_block(next);
        self.f.w.jump_if(owns.id, merge, header);
        self.f.w.begin_block(merge);
        Ok(lanes)
    }
}

/// Computes a pointer to the word that is 1 while an invocation holds the lock.
fn access_image_lock(io: &mut Io<'_>) -> ValueWord {
    if !io.vars.resources.image_lock.is_some() {
        declare_image_lock(io);
    }
    let word = io.w.ty(Scalar::U32, 1);
    let (class, _) = io.options.target.storage_block();
    let ty = io.w.pointer(class, word);
    let member = io.w.uint(0);
    let pointer = io.w.object();
    let operands = [io.vars.resources.image_lock.0, member.0];
    io.w.body.result(Spv::AccessChain, ty, pointer, &operands);
    pointer
}

fn declare_image_lock(io: &mut Io<'_>) {
    let word = io.w.ty(Scalar::U32, 1);
    let (class, decoration) = io.options.target.storage_block();
    let block = io.w.declare_block(word, decoration);
    let variable = io.w.declare_variable(class, block);
    io.w.decorate(variable, Decoration::Coherent, &[]);
    let slot = DescriptorSlot {
        set: io.options.bindings.storage_set,
        binding: io.options.bindings.image_lock_binding,
    };
    bind(io.w, variable, slot);
    io.w.name(variable, || "image_lock".to_owned());
    io.w.name_type(block, "ImageLock");
    io.w.name_member(block, 0, "held");
    io.vars.resources.image_lock = variable;
    io.vars.reflected.image_lock = Some(slot);
}
