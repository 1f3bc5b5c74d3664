//! Tables of what the IR has for the variables and bindings of a program; their memory serves one translation after the other.

use glasm_ir::inst::LiteralId;
use glasm_ir::resource::BufferKind;
use glasm_ir::types::Width;
use glasm_ir::{
    Base, BufferId, InputId, ParamId, ParamSource, RegisterId, Semantic, Texture, TextureId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What makes two accesses use one buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum BufferKey {
    /// First binding point, and the number of them for arrays.
    Bound(BufferKind, u32, Option<u32>),
    Shared,
}

/// What the IR program has so far for variables, bindings and literals.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// First place of each variable in `places`.
    pub(super) first_place: Vec<u32>,
    /// Where variables live, once that is known; for arrays that are not indexed at run time a place for each element.
    pub(super) places: Vec<Option<Base>>,
    pub(super) literals: FxHashMap<[u64; 4], LiteralId>,
    pub(super) params: FxHashMap<ParamSource, ParamId>,
    pub(super) inputs: FxHashMap<(Semantic, Width), InputId>,
    /// Register of each result, and the element if it is an array.
    pub(super) results: FxHashMap<Semantic, (RegisterId, Option<(u32, u32)>)>,
    pub(super) textures: FxHashMap<Texture, TextureId>,
    /// Textures that only queries have named so far.
    pub(super) queried_textures: FxHashSet<Texture>,
    pub(super) buffers: FxHashMap<BufferKey, BufferId>,
    /// Hidden registers of 32 and 64 bits, used again by every instruction.
    pub(super) hidden: [Vec<RegisterId>; 2],
}

impl Tables {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        let Self {
            first_place,
            places,
            literals,
            params,
            inputs,
            results,
            textures,
            queried_textures,
            buffers,
            hidden,
        } = self;
        first_place.clear();
        places.clear();
        literals.clear();
        params.clear();
        inputs.clear();
        results.clear();
        textures.clear();
        queried_textures.clear();
        buffers.clear();
        hidden.iter_mut().for_each(Vec::clear);
    }
}
