//! Texture accesses: the operands are collected here, the caller provides the texels.

use super::environment::{TexRequest, Textures};
use super::machine::Machine;
use crate::inst::{Aux, Inst, TexAccessId};
use crate::resource::{TexSource, TexelOffset};
use crate::units::Units;

impl<T: Textures> Machine<'_, '_, T> {
    pub(super) fn execute_texture_access(&mut self, inst: &Inst) {
        let Aux::Tex(id) = inst.aux else { return };
        let request = self.build_request(inst, id);
        let texel = self.environment.textures.access(&request);
        self.store(inst, texel.map(u64::from));
    }

    /// Executes `Resident`: images are populated.
    pub(super) fn execute_resident(&mut self, inst: &Inst) {
        let is_resident = match inst.aux {
            Aux::Tex(id) => {
                let request = self.build_request(inst, id);
                self.environment.textures.is_resident(&request)
            }
            Aux::None | Aux::Cvt { .. } | Aux::Mem(_) | Aux::Image(_) => true,
        };
        let truth = if is_resident { u64::from(u32::MAX) } else { 0 };
        self.store(inst, [truth; 4]);
    }

    fn build_request(&mut self, inst: &Inst, id: TexAccessId) -> TexRequest {
        let access = self.program.tex_accesses[id];
        let texture = self.program.textures[access.texture];
        let element = access.element.map_or(0, |element| match texture.units {
            Units::One(_) => 0,
            Units::Array { count, .. } => self.clamp_element(element, count) as u32,
            // The number of resident textures is unknown, so handles are not clamped.
            Units::Handle | Units::QueriedHandle => self.eval_term(element) as u32,
        });
        let offset = match access.offset {
            TexelOffset::Constant(offset) => offset.map(i32::from),
            TexelOffset::None | TexelOffset::Dynamic => [0; 3],
        };
        let (coordinate, own) = ([0; 4], [[0; 4]; 2]);
        let mut request = TexRequest {
            access,
            texture,
            element,
            coordinate,
            reference: 0,
            own,
            min_lod: 0,
            offset,
        };
        for number in 0..usize::from(inst.source_count) {
            let lanes = self.load(inst, number).map(|bits| bits as u32);
            match access.source_role(number) {
                TexSource::Coordinate => request.coordinate = lanes,
                TexSource::Reference => request.reference = lanes[0],
                TexSource::Mode(position) => request.own[position] = lanes,
                TexSource::MinLod => request.min_lod = lanes[0],
                TexSource::Offset => {
                    request.offset = std::array::from_fn(|axis| lanes[axis] as i32)
                }
            }
        }
        request
    }
}
