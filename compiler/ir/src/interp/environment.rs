//! Environment of a program: inputs, parameters, memory, textures.

use crate::program::Program;
use crate::resource::{Buffer, BufferKind, TexAccess, Texture};

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
    pub fn with_textures<U: Textures>(self, textures: U) -> Environment<U> {
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
    /// Returns the private memory of an invocation.
    pub(super) fn new_private(program: &Program) -> Self {
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
    pub own: [[u32; 4]; 2],
    /// Minimum level of detail.
    pub min_lod: u32,
    /// Texel offset.
    pub offset: [i32; 3],
}

/// Source of texels.
pub trait Textures {
    /// Returns the four lanes of an access, as bits of the instruction's type.
    fn access(&mut self, request: &TexRequest) -> [u32; 4];

    /// Returns true if all texels that an access reads are populated.
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
