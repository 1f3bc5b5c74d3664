//! Atomics on texels: of 32 bits, and of four half floats, which a lock emulates.
//!
//! The lock makes updates atomic that Vulkan does not support as one atomic operation. There is one
//! lock for all images, because two units may access the same texel at different coordinates. An
//! invocation that acquires the lock releases it in the same iteration of the loop: other
//! invocations in lockstep with it never wait for an invocation that waits for them.

use super::{Texel, find_image_access, load_texel, write_texel};
use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::emit::context::{ImageEmitter, InstContext, OpResult};
use crate::emit::control::cond::emit_guarded;
use crate::emit::memory::atomic::{
    AtomicUpdate, compute_updated_halves, emit_unless_helper, load_half_updates,
    load_is_helper_if_fragment, load_scalar_update, unpack_halves, update_texel,
};
use crate::emit::memory::descriptor_index::Descriptor;
use crate::emit::memory::{choose_atomic_scope, emit_memory_barrier};
use crate::error::{Error, Failure};
use crate::interface::{Io, decorate_binding};
use crate::reflect::DescriptorSlot;
use crate::spirv_writer::ValueWord;
use glasm_ir::resource::AtomicOp;
use glasm_ir::{Image, ImageAccess, ImageTexels, Type};
use spirv::{Decoration, LoopControl, Op as Spv, StorageClass};

impl ImageEmitter<'_, '_> {
    /// Emits `ImageAtomic`: updates a texel atomically and returns the old one. A texel that does
    /// not exist is not updated and reads as 0. Returns an error for texels that are not 32 bits
    /// wide, except four half floats.
    pub(in crate::emit) fn emit_image_atomic(
        &mut self,
        cx: InstContext<'_>,
    ) -> Result<OpResult, Failure> {
        let (access, image) = find_image_access(self.function, cx)?;
        let op = access.atomic.unwrap_or(AtomicOp::Exchange);
        let halves = cx.inst.ty == Type::F16;
        if halves && image.texels == ImageTexels::Raw(64) {
            return self.emit_locked_atomic(cx, &access, image, op);
        }
        // Vulkan guarantees atomics for `R32_UINT` and `R32_SINT` only; 64-bit atomics are an
        // extension for other formats.
        if image.texels != ImageTexels::Raw(32) {
            return Err(Error::unsupported(
                "atomics on texels that are not 32 bits wide",
            ));
        }
        let update = if halves {
            // One word contains the two components of such an atomic.
            load_half_updates(self.function, cx.inst, op, 2)?[0]
        } else {
            load_scalar_update(self.function, cx.inst, op)?
        };
        let texel = load_texel(self.function, cx, image, 1)?;
        let lanes = self.emit_if_texel_exists(&access, texel, |emit, image, texel| {
            let pointer = compute_texel_pointer(emit.function.builder, image, texel);
            let old = update_texel(&mut emit.function.io(), pointer, update)?.lane(0);
            Ok(if halves {
                unpack_two_halves(emit.function.builder, old)
            } else {
                [old; 4]
            })
        })?;
        Ok(OpResult::Lanes(lanes))
    }

    /// Emits an update of four half floats, each of which the specification requires to be atomic,
    /// while a lock is held. Helper invocations do not update the texel.
    fn emit_locked_atomic(
        &mut self,
        cx: InstContext<'_>,
        access: &ImageAccess,
        image: Image,
        op: AtomicOp,
    ) -> Result<OpResult, Failure> {
        let updates = load_half_updates(self.function, cx.inst, op, access.components)?;
        let texel = load_texel(self.function, cx, image, 1)?;
        let lanes = self.emit_if_texel_exists(access, texel, |emit, _, texel| {
            let helps = load_is_helper_if_fragment(&mut emit.function.io());
            emit_unless_helper(emit, helps, |emit| {
                emit.emit_locked(|emit| Ok(emit.update_halves(texel, &updates)))
            })
        })?;
        Ok(OpResult::Lanes(lanes))
    }

    /// Reads a texel, applies the updates to it and writes it. `updates` has an entry for each
    /// word, which changes its two half floats. Returns the bits of the old half floats, each in
    /// the low bits of a lane; lanes past the last word are 0. The caller must hold the lock.
    fn update_halves(&mut self, texel: Texel, updates: &[AtomicUpdate]) -> [Lane; 4] {
        let read = self.read_texel(texel);
        let zero = Lane::scalar(self.function.builder.constant_u32(0));
        let (mut words, mut lanes) = ([zero; 4], [zero; 4]);
        for (word, update) in updates.iter().enumerate() {
            let old = self.function.builder.extract_component(read, word);
            lanes[2 * word..2 * word + 2]
                .copy_from_slice(&unpack_halves(self.function.builder, old.lane(0)));
            words[word] = compute_updated_halves(self.function.builder, old, *update).lane(0);
        }
        let new = self.function.builder.gather_vector(&words, Scalar::U32);
        write_texel(self.function.builder, texel, new);
        lanes
    }
}

/// Unpacks the two half floats of a word into lanes x and y as 16-bit patterns; z and w are 0.
fn unpack_two_halves(builder: &mut ValueBuilder, word: Lane) -> [Lane; 4] {
    let [low, high] = unpack_halves(builder, word);
    let zero = Lane::scalar(builder.constant_u32(0));
    [low, high, zero, zero]
}

/// Emits `OpImageTexelPointer` to the texel that an atomic accesses, decorated if the index of the
/// image is divergent.
fn compute_texel_pointer(builder: &mut ValueBuilder, image: Descriptor, texel: Texel) -> ValueWord {
    let word = builder.get_type(Scalar::U32, 1);
    let ty = builder.pointer_type(StorageClass::Image, word);
    // `OpImageTexelPointer` always has a sample operand, 0 for images with one sample.
    let sample = match texel.sample {
        Some(sample) => sample.id,
        None => builder.constant_u32(0),
    };
    let pointer = builder.new_object();
    let operands = [image.pointer.0, texel.coordinate.id.0, sample.0];
    builder
        .body
        .push_result_inst(Spv::ImageTexelPointer, ty, pointer, &operands);
    if image.divergent {
        builder.decorate_divergent(pointer);
    }
    pointer
}

impl ImageEmitter<'_, '_> {
    /// Emits a loop in which each invocation executes `body` once, while no other invocation holds
    /// the lock of images, and returns the lanes of `body`.
    pub(super) fn emit_locked(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let lock = compute_lock_pointer(&mut self.function.io());
        let (scope, relaxed) = choose_atomic_scope(self.function.builder, None);
        // A buffer of zeros is a free lock.
        let [free, taken] = [0, 1].map(|value| self.function.builder.constant_u32(value));
        let [header, loop_body, next, merge] = self.function.builder.new_labels();
        self.function.builder.emit_branch(header);
        self.function.builder.begin_block(header);
        self.function
            .builder
            .emit_loop_merge(merge, next, LoopControl::NONE);
        self.function.builder.emit_branch(loop_body);
        self.function.builder.begin_block(loop_body);
        // Semantics for both outcomes, then the stored value, and last the expected value.
        let operands = [lock, scope, relaxed, relaxed, taken, free].map(|id| id.0);
        let op = Spv::AtomicCompareExchange;
        let previous = self.function.builder.emit_op(op, Scalar::U32, 1, &operands);
        let owns = self
            .function
            .builder
            .emit_compare_bits(Spv::IEqual, previous, 0);
        let lanes = emit_guarded(self, owns, |emit| {
            // The lock itself is relaxed: writes of its earlier holders are visible after this
            // barrier.
            emit_memory_barrier(emit.function.builder)?;
            let lanes = body(emit)?;
            // Writes must be visible to others before the lock is free.
            emit_memory_barrier(emit.function.builder)?;
            let operands = [lock, scope, relaxed, free].map(|id| id.0);
            emit.function
                .builder
                .body
                .push_inst(Spv::AtomicStore, &operands);
            Ok(lanes)
        })?;
        self.function.builder.emit_branch(next);
        self.function.builder.begin_block(next);
        self.function
            .builder
            .emit_branch_conditional(owns.id, merge, header);
        self.function.builder.begin_block(merge);
        Ok(lanes)
    }
}

/// Computes a pointer to the word that is 1 while an invocation holds the lock. Declares its buffer
/// on first use.
fn compute_lock_pointer(io: &mut Io<'_>) -> ValueWord {
    if !io.interface.resources.image_lock.is_some() {
        declare_image_lock(io);
    }
    let word = io.builder.get_type(Scalar::U32, 1);
    let (class, _) = io.options.target.storage_block();
    let ty = io.builder.pointer_type(class, word);
    let member = io.builder.constant_u32(0);
    let pointer = io.builder.new_object();
    let operands = [io.interface.resources.image_lock.0, member.0];
    io.builder
        .body
        .push_result_inst(Spv::AccessChain, ty, pointer, &operands);
    pointer
}

/// Declares, binds and names the storage block with the lock of images, records it, and adds its
/// descriptor slot to the reflection.
fn declare_image_lock(io: &mut Io<'_>) {
    let word = io.builder.get_type(Scalar::U32, 1);
    let (class, decoration) = io.options.target.storage_block();
    let block = io.builder.declare_block(word, decoration);
    let variable = io.builder.declare_variable(class, block);
    io.builder.decorate(variable, Decoration::Coherent, &[]);
    let slot = DescriptorSlot {
        set: io.options.bindings.storage_set,
        binding: io.options.bindings.image_lock_binding,
    };
    decorate_binding(io.builder, variable, slot);
    io.builder.name_object(variable, || "image_lock".to_owned());
    io.builder.name_type(block, "ImageLock");
    io.builder.name_member(block, 0, "held");
    io.interface.resources.image_lock = variable;
    io.interface.reflected.image_lock = Some(slot);
}
