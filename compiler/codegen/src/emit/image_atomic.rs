//! Atomics on texels of 32 bits.

use super::Emit;
use super::image::Texel;
use super::image_object::ImagePointer;
use super::inst::Job;
use super::result::Outcome;
use crate::error::{Error, Failure};
use crate::gather::Lane;
use crate::words::ValueWord;
use crate::writer::Scalar;
use glasm_ir::resource::AtomicOp;
use glasm_ir::{ImageTexels, Type};
use spirv::{Decoration, Op as Spv, StorageClass};

impl Emit<'_> {
    /// `ImageAtomic`
    pub(super) fn image_atomic(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        let (access, image) = self.image_access(job)?;
        if image.texels != ImageTexels::Raw(32) {
            return Err(Error::unsupported(
                "atomics on texels that are not 32 bits wide",
            ));
        }
        let op = access.atomic.unwrap_or(AtomicOp::Exchange);
        let halves = job.inst.ty == Type::F16;
        let update = if halves {
            self.half_updates(job.inst, op, 2)?[0]
        } else {
            self.scalar_update(job.inst, op)?
        };
        let texel = self.texel(job, image, 1)?;
        let lanes = self.with_image(&access, |emit, pointer| {
            let object = emit.loaded_image(pointer);
            let (texel, inside) = emit.inside(object, texel);
            emit.lanes_if(inside, |emit| {
                let pointer = emit.texel_pointer(pointer, texel);
                let old = emit.update_texel(pointer, update)?.lane(0);
                if halves {
                    let [low, high] = emit.halves(old);
                    let zero = Lane::scalar(emit.w.uint(0));
                    return Ok([low, high, zero, zero]);
                }
                Ok([old; 4])
            })
        })?;
        Ok(Outcome::Lanes(lanes))
    }

    fn texel_pointer(&mut self, image: ImagePointer, texel: Texel) -> ValueWord {
        let word = self.w.ty(Scalar::U32, 1);
        let ty = self.w.pointer(StorageClass::Image, word);
        let sample = match texel.sample {
            Some(sample) => sample.id,
            None => self.w.uint(0),
        };
        let pointer = self.w.object();
        let operands = [image.pointer.0, texel.coordinate.id.0, sample.0];
        self.w
            .body
            .result(Spv::ImageTexelPointer, ty, pointer, &operands);
        if image.divergent {
            self.w.decorate(pointer, Decoration::NonUniform, &[]);
        }
        pointer
    }
}
