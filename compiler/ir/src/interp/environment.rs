//! Environment of a program: inputs, parameters, memory, textures. The interpreter collects the
//! operands of accesses to textures and images, the caller provides the texels.

use super::machine::Machine;
use super::observer::Observer;
use super::quad::QuadOperands;
use crate::arena::InputId;
use crate::image::{Image, ImageAccess};
use crate::inst::{Inst, InstData, TexAccessId};
use crate::program::Program;
use crate::resource::{
    Buffer, BufferKind, TexAccess, TexSourceRole, TexelOffset, Texture, UnitSet,
};
use crate::types::Type;

/// Environment of a program.
#[derive(Clone, Debug)]
pub struct Environment<T = NoTextures> {
    /// Lanes of the inputs, by [`InputId`](crate::InputId); missing inputs are 0.
    pub inputs: Vec<[u64; 4]>,
    /// Lanes of the per-vertex inputs: for each vertex a vector like [`inputs`](Self::inputs).
    pub vertices: Vec<Vec<[u64; 4]>>,
    /// Parameters, by [`ParamId`](crate::ParamId); missing parameters are 0.
    pub params: Vec<[u32; 4]>,
    /// Memory, which the program may modify.
    pub memory: ProgramMemory,
    /// Textures.
    pub textures: T,
}

impl Default for Environment {
    /// Returns an environment without inputs, parameters, memory and textures.
    fn default() -> Self {
        let (inputs, vertices, params) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            inputs,
            vertices,
            params,
            memory: ProgramMemory::default(),
            textures: NoTextures,
        }
    }
}

impl<T> Environment<T> {
    /// Returns the same environment with other textures.
    pub fn with_textures<U: TextureSource>(self, textures: U) -> Environment<U> {
        let Self {
            inputs,
            vertices,
            params,
            memory,
            textures: _,
        } = self;
        Environment {
            inputs,
            vertices,
            params,
            memory,
            textures,
        }
    }
}

/// A range of the global address space.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Region {
    /// Address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The memory of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgramMemory {
    /// Global memory.
    pub regions: Vec<Region>,
    /// Buffers, by [`BufferId`](crate::BufferId); for each its elements, one unless it is an array.
    pub buffers: Vec<Vec<Vec<u8>>>,
}

impl ProgramMemory {
    /// Returns the private memory of an invocation: its private buffers, which are 0 and rounded up
    /// to words. Other buffers have no elements there.
    pub(super) fn new_private_memory(program: &Program) -> Self {
        let bytes = |buffer: &Buffer| {
            if buffer.kind == BufferKind::Private {
                vec![vec![
                    0;
                    buffer.size.unwrap_or(0).next_multiple_of(4) as usize
                ]]
            } else {
                Vec::new()
            }
        };
        Self {
            regions: Vec::new(),
            buffers: program.buffers.iter().map(bytes).collect(),
        }
    }
}

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
    pub mode_sources: [[u32; 4]; 2],
    /// Minimum level of detail.
    pub min_lod: u32,
    /// Texel offset.
    pub offset: [i32; 3],
    /// Derivatives of the coordinate in x and in y between the fragments of a quad, if the level of
    /// detail depends on them; 0 outside of quads.
    pub derivatives: [[u32; 4]; 2],
}

/// A texel that an instruction accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageRequest {
    /// The access.
    pub access: ImageAccess,
    /// The image.
    pub image: Image,
    /// Element of an array of images; the low word of a handle.
    pub element: u32,
    /// Type of an element of the texel.
    pub ty: Type,
    /// Coordinates i, j, k, layer, as many as the target has.
    pub coordinate: [i32; 4],
    /// Sample.
    pub sample: u32,
}

/// Position in a fragment at which an input is evaluated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum InterpolationPoint {
    /// Within the covered area.
    Centroid,
    /// Distance from the center of the pixel, in pixels.
    Offset([f32; 2]),
    /// Position of a sample.
    Sample(u32),
}

/// Source of texels, and of inputs at other positions than the center of the pixel.
pub trait TextureSource {
    /// Returns the four lanes of an access, as bits of the instruction's type.
    fn access_texture(&mut self, request: &TexRequest) -> [u32; 4];

    /// Returns the lanes of an input of a fragment of a quad at another position; `None`, the default,
    /// if they are those of the center.
    fn interpolate(
        &mut self,
        _fragment: usize,
        _input: InputId,
        _point: InterpolationPoint,
    ) -> Option<[u64; 4]> {
        None
    }

    /// Returns the lanes of a texel of an image, as bits of the type of the request; `None`, the
    /// default, if it does not exist.
    fn load_texel(&mut self, _: &ImageRequest) -> Option<[u32; 4]> {
        None
    }

    /// Writes a texel of an image; ignores texels that do not exist. The default has no images.
    fn store_texel(&mut self, _: &ImageRequest, _lanes: [u32; 4]) {}

    /// Returns the size of an image: its dimensions, and after them the number of layers or cubes;
    /// 0, the default, if it does not exist.
    fn get_image_size(&mut self, _: &ImageRequest) -> [u32; 4] {
        [0; 4]
    }

    /// Returns the number of samples of an image; 1, the default, if it does not exist.
    fn get_image_samples(&mut self, _: &ImageRequest) -> u32 {
        1
    }

    /// Returns true if all texels that an access reads are populated.
    fn is_resident(&mut self, _: &TexRequest) -> bool {
        true
    }
}

impl<F: FnMut(&TexRequest) -> [u32; 4]> TextureSource for F {
    fn access_texture(&mut self, request: &TexRequest) -> [u32; 4] {
        self(request)
    }
}

/// No textures: every lane is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoTextures;

impl TextureSource for NoTextures {
    fn access_texture(&mut self, _: &TexRequest) -> [u32; 4] {
        [0; 4]
    }
}

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Requests a texel, or the answer of a query, from the environment and stores it as the
    /// result.
    pub(super) fn execute_texture_access(&mut self, inst: &Inst) {
        let InstData::Tex(id) = inst.data else { return };
        let request = self.build_texture_request(inst, id);
        let texel = self.environment.textures.access_texture(&request);
        self.store_result(inst, texel.map(u64::from));
    }

    /// Executes `Resident`: requests from the texture source whether the texels of an access are
    /// resident, and stores all ones or 0; texels of images always are.
    pub(super) fn execute_resident(&mut self, inst: &Inst) {
        let is_resident = match inst.data {
            InstData::Tex(id) => {
                let request = self.build_texture_request(inst, id);
                self.environment.textures.is_resident(&request)
            }
            InstData::None | InstData::Cvt { .. } | InstData::Mem(_) | InstData::Image(_) => true,
        };
        let result = if is_resident { u64::from(u32::MAX) } else { 0 };
        self.store_result(inst, [result; 4]);
    }

    /// Returns the derivatives of the coordinate of the next texture access in a quad; 0 if it needs
    /// none.
    fn find_derivatives(&self) -> [[u32; 4]; 2] {
        let fragment = self.current.index;
        let of_quad = |quad: &QuadOperands| quad.compute_derivatives(fragment);
        let derivatives = self.quad.as_ref().map(of_quad).unwrap_or_default();
        derivatives.map(|lanes| lanes.map(|bits| bits as u32))
    }

    /// Returns the request of a texture access: its unit, and its operands sorted into coordinate,
    /// reference, operands of the mode, minimum level and offset. The element of an array of units
    /// is clamped, a handle is not.
    fn build_texture_request(&mut self, inst: &Inst, id: TexAccessId) -> TexRequest {
        let access = self.program.tex_accesses[id];
        let texture = self.program.textures[access.texture];
        let element = access.element.map_or(0, |element| match texture.units {
            UnitSet::Single(_) => 0,
            UnitSet::Array { count, .. } => self.clamp_element(element, count) as u32,
            // The number of resident textures is unknown, so handles are not clamped.
            UnitSet::Handle | UnitSet::QueryHandle => self.eval_index_term(element) as u32,
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
            mode_sources: own,
            min_lod: 0,
            offset,
            derivatives: self.find_derivatives(),
        };
        for index in 0..usize::from(inst.source_count) {
            let lanes = self.load_source(inst, index).map(|bits| bits as u32);
            match access.source_role(index) {
                TexSourceRole::Coordinate => request.coordinate = lanes,
                TexSourceRole::Reference => request.reference = lanes[0],
                TexSourceRole::Mode(position) => request.mode_sources[position] = lanes,
                TexSourceRole::MinLod => request.min_lod = lanes[0],
                TexSourceRole::Offset => {
                    request.offset = std::array::from_fn(|axis| lanes[axis] as i32)
                }
            }
        }
        request
    }
}
