//! Tables of the IR declarations for the variables and bindings of a program; consecutive
//! translations reuse their memory.

use crate::ast::Index;
use crate::vars::{Side, Var, VarKind, VarSize};
use glasm_ir::inst::{IndexId, LiteralId};
use glasm_ir::resource::BufferKind;
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{
    Base, BufferId, InputId, OutputId, ParamId, ParamSource, RegisterId, Semantic, Texture,
    TextureId, WriteMask,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Identity of a buffer: accesses with equal keys share one buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum BufferKey {
    /// First binding point, and the number of them for arrays.
    Bound(BufferKind, u32, Option<u32>),
    Shared,
}

/// Current declarations of the IR program for variables, bindings and literals.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// Location of each variable.
    pub(super) places: Vec<VarPlace>,
    /// Locations of the elements of arrays that are not indexed dynamically, once they are known.
    elements: Vec<Option<Base>>,
    pub(super) literals: FxHashMap<[u64; 4], LiteralId>,
    pub(super) params: FxHashMap<ParamSource, ParamId>,
    pub(super) inputs: FxHashMap<(Semantic, Width), InputId>,
    /// Inputs of vertices.
    pub(super) vertex_inputs: FxHashMap<Semantic, InputId>,
    pub(super) vertex_indices: FxHashMap<glasm_ir::Index, IndexId>,
    /// Elements of arrays that share slots; empty except while the slots are assigned.
    pub(super) shared_slots: Vec<(Side, Semantic, usize, TypeBase)>,
    /// Attributes of vertices by variable and constant index.
    pub(super) held: FxHashMap<(u32, Option<u32>), (Base, Option<IndexId>)>,
    /// Outputs of tessellation control programs.
    pub(super) outputs: FxHashMap<Semantic, OutputId>,
    /// Register of each result, and the element if it is an array.
    pub(super) results: FxHashMap<Semantic, (RegisterId, Option<(u32, u32)>)>,
    pub(super) textures: FxHashMap<Texture, TextureId>,
    /// Textures that only queries have named up to now.
    pub(super) queried_textures: FxHashSet<Texture>,
    pub(super) buffers: FxHashMap<BufferKey, BufferId>,
    /// Hidden registers of 32 and 64 bits, used again by every instruction.
    pub(super) hidden: [Vec<RegisterId>; 2],
    pub(super) condition_codes: [Option<RegisterId>; 3],
    /// The condition codes that KIL with an operand tests.
    pub(super) kill_code: Option<RegisterId>,
    /// Parameters that were written and not stored yet: number, register, components.
    pub(super) unstored: Vec<(u32, RegisterId, WriteMask)>,
    /// The iterations of the open loops that can run.
    pub(super) rounds: Vec<Option<Rounds>>,
}

/// The iterations that a loop has left, and its index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    /// The iterations left, negated, so that it counts up to 0: compilers of drivers recognize
    /// loops that count up, and the test for 0 is free.
    pub(super) count: RegisterId,
    pub(super) ty: Type,
    pub(super) index: Option<LoopIndex>,
}

/// The index of a LOOP.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopIndex {
    /// Index and step.
    pub(super) register: RegisterId,
    /// The register that is the address register inside the loop: it holds the index, but never
    /// less than zero.
    pub(super) address: RegisterId,
    /// Base of the address register outside of the loop.
    pub(super) outer: Option<Base>,
}

/// Location of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct VarPlace {
    /// Its base in the IR, once that is known; not of arrays whose elements have separate
    /// locations.
    base: Option<Base>,
    /// First of [`Tables::elements`]; beyond the end if there are none.
    first: u32,
    form: Form,
}

bitflags::bitflags! {
    /// Properties of a variable that operands and results must check before they use its location.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) struct Form: u8 {
        const LONG = 1;
        const SHORT = 2;
        /// An array with dynamic index.
        const RELATIVE = 4;
        /// Parameters in a buffer, to which writes are stored.
        const STORED = 8;
    }
}

impl Form {
    /// Returns the form of a variable of this width without further properties.
    #[inline]
    fn of(width: Width) -> Self {
        match width {
            Width::W64 => Self::LONG,
            Width::W8 | Width::W16 | Width::W32 => Self::empty(),
        }
    }
}

/// Forms that only matter to results.
const RESULT_ONLY: Form = Form::SHORT.union(Form::STORED);

impl VarPlace {
    fn of(var: &Var, next_element: u32) -> Self {
        let mut form = Form::empty();
        form.set(Form::LONG, var.is_long());
        form.set(Form::SHORT, var.size == VarSize::Short);
        form.set(Form::RELATIVE, var.relative);
        form.set(Form::STORED, matches!(var.kind, VarKind::WritableParam));
        let divided = var.elements_with_places() > 0;
        Self {
            base: None,
            first: if divided { next_element } else { u32::MAX },
            form,
        }
    }
}

impl Tables {
    /// Clears all tables.
    pub(super) fn clear(&mut self) {
        // Listed by name, so that a list that is added later is not omitted.
        let Self {
            places,
            elements,
            literals,
            params,
            inputs,
            vertex_inputs,
            vertex_indices,
            shared_slots,
            held,
            outputs,
            results,
            textures,
            queried_textures,
            buffers,
            hidden,
            condition_codes,
            kill_code,
            unstored,
            rounds,
        } = self;
        places.clear();
        elements.clear();
        literals.clear();
        params.clear();
        inputs.clear();
        vertex_inputs.clear();
        vertex_indices.clear();
        shared_slots.clear();
        held.clear();
        outputs.clear();
        results.clear();
        textures.clear();
        queried_textures.clear();
        buffers.clear();
        hidden.iter_mut().for_each(Vec::clear);
        *condition_codes = [None; 3];
        *kill_code = None;
        unstored.clear();
        rounds.clear();
    }

    /// Adds the locations of all variables.
    pub(super) fn add_places(&mut self, vars: &[Var]) {
        for var in vars {
            let next = self.elements.len();
            self.places.push(VarPlace::of(var, next as u32));
            let count = var.elements_with_places();
            self.elements.resize(next + count as usize, None);
        }
    }

    /// Returns the base of a variable or an element of an array in the IR. `None` if that is not
    /// known yet, if its width differs from `width` and it must be converted, or if the index is
    /// computed at run time.
    #[inline]
    pub(super) fn known_place(&self, var: u32, index: Index, width: Width) -> Option<Base> {
        let place = &self.places[var as usize];
        // Properties that only matter for results do not prevent the use of the location by an
        // operand.
        (place.form.difference(RESULT_ONLY) == Form::of(width))
            .then(|| self.known_element(place, index))
            .flatten()
    }

    /// Returns the same of a result that has its full precision and is not stored to a buffer.
    #[inline]
    pub(super) fn known_result(&self, var: u32, index: Index, width: Width) -> Option<Base> {
        let place = &self.places[var as usize];
        (place.form == Form::of(width))
            .then(|| self.known_element(place, index))
            .flatten()
    }

    #[inline(always)]
    fn known_element(&self, place: &VarPlace, index: Index) -> Option<Base> {
        match index {
            Index::None => place.base,
            Index::Const(element) => {
                // A variable without elements begins beyond the end, where nothing is found.
                let elements = self.elements.get(place.first as usize..)?;
                elements.get(element as usize).copied().flatten()
            }
            Index::Relative(_) | Index::Pair(_) => None,
        }
    }

    /// Returns the base of an attribute of a vertex or a patch in the IR, if that is known as for
    /// [`known_place`](Self::known_place).
    pub(super) fn held_place(
        &self,
        var: u32,
        index: Index,
        width: Width,
    ) -> Option<(Base, Option<IndexId>)> {
        // Most programs do not have such attributes, and no attribute has 64 bits.
        if self.held.is_empty() || width == Width::W64 {
            return None;
        }
        let index = match index {
            Index::None => None,
            Index::Const(number) => Some(number),
            Index::Relative(_) | Index::Pair(_) => return None,
        };
        self.held.get(&(var, index)).copied()
    }

    /// Returns true if a variable has less precision.
    #[inline]
    pub(super) fn is_short(&self, var: u32) -> bool {
        self.places[var as usize].form.contains(Form::SHORT)
    }

    /// Returns the location of an element of a variable.
    pub(super) fn place(&mut self, var: u32, element: u32) -> &mut Option<Base> {
        let place = &mut self.places[var as usize];
        let elements = self.elements.get_mut(place.first as usize..);
        let found = elements.and_then(|elements| elements.get_mut(element as usize));
        found.unwrap_or(&mut place.base)
    }
}
