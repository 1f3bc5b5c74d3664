//! Atomics on texels: of 32 bits, and of four half floats, which a lock emulates.

use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::emit::cx::{ImageEmitter, InstCx, Outcome};
use crate::emit::image::{Texel, find_image_access, load_texel, write_texel};
use crate::emit::memory::atomic::{
    Update, compute_halves, load_half_updates, load_helps, load_scalar_update, run_if_alive,
    unpack_halves, update_texel,
};
use crate::emit::memory::member::Descriptor;
use crate::error::{Error, Failure};
use crate::words::ValueWord;
use glasm_ir::resource::AtomicOp;
use glasm_ir::{Image, ImageAccess, ImageTexels, Type};
use spirv::{Op as Spv, StorageClass};

impl ImageEmitter<'_, '_> {
    /// Emits `ImageAtomic`.
    pub(in crate::emit) fn emit_image_atomic(
        &mut self,
        cx: InstCx<'_>,
    ) -> Result<Outcome, Failure> {
        let (access, image) = find_image_access(self.f, cx)?;
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
            load_half_updates(self.f, cx.inst, op, 2)?[0]
        } else {
            load_scalar_update(self.f, cx.inst, op)?
        };
        let texel = load_texel(self.f, cx, image, 1)?;
        let lanes = self.run_at_texel(&access, texel, |emit, image, texel| {
            let pointer = compute_texel_pointer(emit.f.w, image, texel);
            let old = update_texel(&mut emit.f.io(), pointer, update)?.lane(0);
            Ok(if halves {
                unpack_two_halves(emit.f.w, old)
            } else {
                [old; 4]
            })
        })?;
        Ok(Outcome::Lanes(lanes))
    }

    /// Emits an update of four half floats, each of which the specification requires to be atomic.
    fn emit_locked_atomic(
        &mut self,
        cx: InstCx<'_>,
        access: &ImageAccess,
        image: Image,
        op: AtomicOp,
    ) -> Result<Outcome, Failure> {
        let updates = load_half_updates(self.f, cx.inst, op, access.components)?;
        let texel = load_texel(self.f, cx, image, 1)?;
        let lanes = self.run_at_texel(access, texel, |emit, _, texel| {
            let helps = load_helps(&mut emit.f.io());
            run_if_alive(emit, helps, |emit| {
                emit.run_locked(|emit| Ok(emit.update_halves(texel, &updates)))
            })
        })?;
        Ok(Outcome::Lanes(lanes))
    }

    /// Reads a texel, writes the updated texel and returns the bits of the old half floats.
    fn update_halves(&mut self, texel: Texel, updates: &[Update]) -> [Lane; 4] {
        let read = self.read_texel(texel);
        let zero = Lane::scalar(self.f.w.uint(0));
        let (mut words, mut lanes) = ([zero; 4], [zero; 4]);
        for (word, update) in updates.iter().enumerate() {
            let old = self.f.w.component(read, word);
            lanes[2 * word..2 * word + 2].copy_from_slice(&unpack_halves(self.f.w, old.lane(0)));
            words[word] = compute_halves(self.f.w, old, *update).lane(0);
        }
        let new = self.f.w.gather_vector(&words, Scalar::U32);
        write_texel(self.f.w, texel, new);
        lanes
    }
}

fn unpack_two_halves(w: &mut ValueBuilder, word: Lane) -> [Lane; 4] {
    let [low, high] = unpack_halves(w, word);
    let zero = Lane::scalar(w.uint(0));
    [low, high, zero, zero]
}

fn compute_texel_pointer(w: &mut ValueBuilder, image: Descriptor, texel: Texel) -> ValueWord {
    let word = w.ty(Scalar::U32, 1);
    let ty = w.pointer(StorageClass::Image, word);
    // `OpImageTexelPointer` always has a sample operand, 0 for images with one sample.
    let sample = match texel.sample {
        Some(sample) => sample.id,
        None => w.uint(0),
    };
    let pointer = w.object();
    let operands = [image.pointer.0, texel.coordinate.id.0, sample.0];
    w.body
        .result(Spv::ImageTexelPointer, ty, pointer, &operands);
    if image.divergent {
        w.decorate_divergent(pointer);
    }
    pointer
}
