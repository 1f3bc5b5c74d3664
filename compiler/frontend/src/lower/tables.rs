//! Tables of what the IR has for the variables and bindings of a program; their memory serves one translation after the other.

use crate::vars::{Var, VarSize};
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
    /// Where each variable has its places.
    pub(super) spots: Vec<Spot>,
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
    pub(super) condition_codes: [Option<RegisterId>; 3],
    /// The condition codes that KIL with an operand tests.
    pub(super) kill_code: Option<RegisterId>,
}

/// What operands and results have to know of a variable before they look its place up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Its first place in [`Tables::places`]; beyond the end if it has none.
    pub(super) first: u32,
    /// Whether it is an array with run-time index.
    pub(super) is_relative: bool,
    pub(super) is_long: bool,
    pub(super) is_short: bool,
}

impl Tables {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        let Self {
            spots,
            places,
            literals,
            params,
            inputs,
            results,
            textures,
            queried_textures,
            buffers,
            hidden,
            condition_codes,
            kill_code,
        } = self;
        spots.clear();
        places.clear();
        literals.clear();
        params.clear();
        inputs.clear();
        results.clear();
        textures.clear();
        queried_textures.clear();
        buffers.clear();
        hidden.iter_mut().for_each(Vec::clear);
        *condition_codes = [None; 3];
        *kill_code = None;
    }

    /// Gives places to the variables that were declared since the last time.
    #[inline]
    pub(super) fn add_places(&mut self, vars: &[Var]) {
        if self.spots.len() < vars.len() {
            self.add_new_places(vars);
        }
    }

    fn add_new_places(&mut self, vars: &[Var]) {
        let mut places = self.places.len() as u32;
        for var in &vars[self.spots.len()..] {
            let has_places = var.has_places();
            self.spots.push(Spot {
                first: if has_places { places } else { u32::MAX },
                is_relative: var.relative,
                is_long: var.is_long(),
                is_short: var.size == VarSize::Short,
            });
            // An array with run-time index is one register or one run of slots; else each element has a place of its own.
            places += match var.array {
                _ if !has_places => 0,
                Some(count) if !var.relative => count,
                _ => 1,
            };
        }
        self.places.resize(places as usize, None);
    }
}
