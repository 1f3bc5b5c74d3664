//! Images: the interpreter collects the operands of an access, the caller provides the texels.

use super::environment::{ImageRequest, TextureSource};
use super::machine::Machine;
use super::memory::apply_atomic;
use super::observer::Observer;
use crate::inst::{Inst, InstData};
use crate::op::{Op, OpFlags};
use crate::resource::UnitSet;

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Executes an access to an image. Texels that do not exist read as 0, and writes of helper
    /// invocations have no effect.
    pub(super) fn execute_image_access(&mut self, inst: &Inst) {
        let Some(request) = self.build_image_request(inst) else {
            return;
        };
        let value = if inst.op.has(OpFlags::WRITES) {
            self.load_source(inst, 0)
        } else {
            [0; 4]
        };
        let is_writable = !self.current.demoted;
        let textures = &mut self.environment.textures;
        if inst.op == Op::ImageStore {
            if is_writable {
                textures.store_texel(&request, value.map(|bits| bits as u32));
            }
            return;
        }
        let result = if inst.op == Op::ImageSize {
            textures.get_image_size(&request)
        } else if inst.op == Op::ImageSamples {
            [textures.get_image_samples(&request); 4]
        } else {
            let texel = textures.load_texel(&request);
            let texel = texel.filter(|_| inst.op == Op::ImageLoad || is_writable);
            if let Some(old) = texel.filter(|_| inst.op == Op::ImageAtomic) {
                textures.store_texel(&request, update_texel(&request, old, value));
            }
            texel.unwrap_or_default()
        };
        self.store_result(inst, result.map(u64::from));
    }

    /// Returns the request of an access; `None` for instructions without one.
    fn build_image_request(&self, inst: &Inst) -> Option<ImageRequest> {
        let InstData::Image(id) = inst.data else {
            return None;
        };
        let access = self.program.image_accesses[id];
        let image = self.program.images[access.image];
        let element = access.element.map_or(0, |element| match image.units {
            UnitSet::Single(_) => 0,
            UnitSet::Array { count, .. } => self.clamp_element(element, count) as u32,
            UnitSet::Handle | UnitSet::QueryHandle => self.eval_index_term(element) as u32,
        });
        let first = usize::from(inst.op.has(OpFlags::WRITES));
        let mut sources = (first..usize::from(inst.source_count))
            .map(|number| self.load_source(inst, number).map(|bits| bits as u32));
        let coordinate = sources.next().unwrap_or_default();
        let sample = sources.next().unwrap_or_default()[0];
        Some(ImageRequest {
            access,
            image,
            element,
            ty: inst.ty,
            coordinate: coordinate.map(|word| word as i32),
            sample,
        })
    }
}

/// Returns the texel that an atomic operation stores, component by component.
fn update_texel(request: &ImageRequest, old: [u32; 4], value: [u64; 4]) -> [u32; 4] {
    let op = request.access.atomic;
    let mut new = old;
    let count = usize::from(request.access.components);
    for (lane, bits) in new.iter_mut().enumerate().take(count) {
        // The new value of a compare-exchange is in lane y.
        *bits = apply_atomic(op, request.ty, u64::from(*bits), value[lane], value[1]) as u32;
    }
    new
}
