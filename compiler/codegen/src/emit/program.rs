//! Context of a whole program: functions and control flow, and the state of each subject.

use super::control::join::Joins;
use super::cx::{
    BufferEmitter, Captures, Emission, FunctionEmitter, ImageEmitter, OutputEmitter,
    PrimitiveEmitter, TextureEmitter,
};
use super::memory::resource_use::ResourceUse;
use super::texture::sparse::Sparse;
use crate::liveness::Liveness;
use crate::words::ValueWord;

/// Context of functions and control flow, which dispatches instructions to the emitters of their
/// subjects.
pub(super) struct ProgramEmitter<'a> {
    pub(super) f: FunctionEmitter<'a>,
    pub(super) live: &'a mut Liveness,
    pub(super) joins: &'a mut Joins,
    /// Ids of the functions of routines.
    pub(super) functions: &'a mut Vec<ValueWord>,
    /// Lanes that the open function returns in registers to its caller or for the outputs.
    pub(super) live_out: &'a mut Vec<(u32, u8)>,
    pub(super) buffer_uses: &'a mut Vec<ResourceUse>,
    pub(super) captures: &'a mut Captures,
    pub(super) sparse: Sparse,
    /// Vertices that a geometry program emits.
    pub(super) emission: Emission,
}

impl<'a> ProgramEmitter<'a> {
    #[inline(always)]
    pub(super) fn textures(&mut self) -> TextureEmitter<'_, 'a> {
        TextureEmitter {
            f: &mut self.f,
            sparse: &mut self.sparse,
            remaining: self.live.remaining(),
        }
    }

    #[inline(always)]
    pub(super) fn images(&mut self) -> ImageEmitter<'_, 'a> {
        ImageEmitter {
            f: &mut self.f,
            sparse: &mut self.sparse,
        }
    }

    #[inline(always)]
    pub(super) fn buffers(&mut self) -> BufferEmitter<'_, 'a> {
        BufferEmitter {
            f: &mut self.f,
            uses: self.buffer_uses,
        }
    }

    #[inline(always)]
    pub(super) fn outputs(&mut self) -> OutputEmitter<'_, 'a> {
        OutputEmitter {
            f: &mut self.f,
            captures: self.captures,
        }
    }

    #[inline(always)]
    pub(super) fn primitives(&mut self) -> PrimitiveEmitter<'_, 'a> {
        PrimitiveEmitter {
            emission: self.emission,
            outputs: self.outputs(),
        }
    }
}
