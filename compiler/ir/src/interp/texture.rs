//! Texture accesses: the operands are gathered here, the texels come from the caller.

use super::Machine;
use crate::inst::{Aux, Inst, TexAccessId};
use crate::resource::{TexAccess, TexSource, TexelOffset, Texture};
use crate::units::Units;

/// A texture access with the values of its operands, all as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TexRequest {
    /// The access.
    pub access: TexAccess,
    /// The texture.
    pub texture: Texture,
    /// Element of a texture array; the low word of a handle.
    pub element: u32,
    /// Coordinates s, t, r, layer, as many as the target has.
    pub coordinate: [u32; 4],
    /// Reference of a comparison.
    pub reference: u32,
    /// Sources of the mode.
    pub own: [[u32; 4]; 2],
    /// Least level of detail.
    pub min_lod: u32,
    /// Texel offset.
    pub offset: [i32; 3],
}

/// Where texels come from.
pub trait Textures {
    /// The four lanes of an access, as bits of the instruction's type.
    fn access(&mut self, request: &TexRequest) -> [u32; 4];

    /// Whether all texels that an access reads are populated.
    fn is_resident(&mut self, _: &TexRequest) -> bool {
        true
    }
}

impl<F: FnMut(&TexRequest) -> [u32; 4]> Textures for F {
    fn access(&mut self, request: &TexRequest) -> [u32; 4] {
        self(request)
    }
}

/// No textures: every lane is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoTextures;

impl Textures for NoTextures {
    fn access(&mut self, _: &TexRequest) -> [u32; 4] {
        [0; 4]
    }
}

impl<T: Textures> Machine<'_, '_, T> {
    pub(super) fn texture_access(&mut self, inst: &Inst) {
        let Aux::Tex(id) = inst.aux else { return };
        let request = self.request(inst, id);
        let texel = self.environment.textures.access(&request);
        self.store(inst, texel.map(u64::from));
    }

    /// `Resident`: images are populated.
    pub(super) fn residency(&mut self, inst: &Inst) {
        let is_resident = match inst.aux {
            Aux::Tex(id) => {
                let request = self.request(inst, id);
                self.environment.textures.is_resident(&request)
            }
            Aux::None | Aux::Cvt { .. } | Aux::Mem(_) | Aux::Image(_) => true,
        };
        let truth = if is_resident { u64::from(u32::MAX) } else { 0 };
        self.store(inst, [truth; 4]);
    }

    fn request(&mut self, inst: &Inst, id: TexAccessId) -> TexRequest {
        let access = self.program.tex_accesses[id];
        let texture = self.program.textures[access.texture];
        let element = access.element.map_or(0, |element| match texture.units {
            Units::One(_) => 0,
            Units::Array { count, .. } => self.element(element, count) as u32,
            // Nothing tells how many textures are resident, so handles are not clamped.
            Units::Handle | Units::QueriedHandle => self.term(element) as u32,
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
