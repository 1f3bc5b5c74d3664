//! Inputs as operands: with constant and with dynamic indices.

use crate::builder::{Home, Lane, Scalar, ValueBuilder, wide};
use crate::capability::Need;
use crate::emit::control::guarded::{run_by_case, run_for_element};
use crate::emit::cx::FunctionEmitter;
use crate::emit::memory::array::{Element, declare_word_array};
use crate::error::Failure;
use crate::interface::{Io, Vertex};
use crate::reflect::Half;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::inst::{Index, IndexId, IndexTerm};
use glasm_ir::{InputId, Op, Semantic, Stage, Width};
use spirv::{Op as Spv, StorageClass};

impl FunctionEmitter<'_> {
    pub(in crate::emit) fn load_input(
        &mut self,
        input: InputId,
        index: Option<IndexId>,
    ) -> Result<[Lane; 4], Failure> {
        if let Some(index) = index {
            return self.load_indexed_input(input, index);
        }
        if self.program.inputs[input].semantic == Semantic::HelperInvocation
            // The value loaded at the start would be the state before `KIL`.
            && let Some(lanes) = load_helper_now(&mut self.io(), )
        {
            return Ok(lanes);
        }
        self.io().input(input)
    }

    fn load_indexed_input(&mut self, input: InputId, index: IndexId) -> Result<[Lane; 4], Failure> {
        let data = self.program.indices[index];
        if let Some(vertex) = data.vertex {
            return self.load_vertex_input(input, data, vertex);
        }
        let len = data
            .len
            .min((self.program.inputs.len() - input.index()) as u32);
        match self.find_element(Some(index), len)? {
            Element::Constant(element) => {
                let input = InputId::new(input.index() + element as usize);
                self.io().input(input)
            }
            Element::Dynamic(element) if self.program.inputs[input].width == Width::W64 => {
                Ok(load_wide_input_at(&mut self.io(), input, len, element))
            }
            Element::Dynamic(element) => {
                let id = load_input_at(&mut self.io(), input, len, element)?;
                Ok(Lane::all_of(id))
            }
        }
    }

    /// Loads an input of a vertex, or an element of an array of them.
    fn load_vertex_input(
        &mut self,
        input: InputId,
        index: Index,
        vertex: IndexTerm,
    ) -> Result<[Lane; 4], Failure> {
        let count = self.io().vertex_count()?;
        let vertex = match self.compute_element(vertex, count)? {
            Element::Constant(number) => Vertex::Constant(number),
            // Mesa 25.0 reads wrong bytes with a dynamic vertex index, also in GLSL.
            Element::Dynamic(number)
                if self.program.stage == Stage::Geometry && self.options.target.is_opengl() =>
            {
                let number = self.w.val(number);
                return run_by_case(self, number, count, |emit, vertex| {
                    emit.load_input_of_vertex(input, index, Vertex::Constant(vertex))
                });
            }
            Element::Dynamic(number) => Vertex::Dynamic(number),
        };
        self.load_input_of_vertex(input, index, vertex)
    }

    /// Loads an input of this vertex, or an element of an array of them.
    fn load_input_of_vertex(
        &mut self,
        input: InputId,
        index: Index,
        vertex: Vertex,
    ) -> Result<[Lane; 4], Failure> {
        let rest = (self.program.inputs.len() - input.index()) as u32;
        let len = index.len.min(rest);
        let element = self.compute_element(index.element, len)?;
        // Elements are separate variables, which no index can select.
        run_for_element(self, element, len, |emit, element| {
            let input = InputId::new(input.index() + element as usize);
            emit.io().vertex_lanes(input, vertex)
        })
    }
}

/// Loads element `element` of an array of inputs from a copy that the prologue fills.
pub(super) fn load_input_at(
    io: &mut Io<'_>,
    first: InputId,
    len: u32,
    element: ValueWord,
) -> Result<ValueWord, Failure> {
    let variable = declare_input_copy(io, first, len)?;
    let vector = io.w.ty(Scalar::F32, 4);
    let operands = [variable.0, element.0];
    let pointer = io.w.chain(StorageClass::Private, vector, &operands);
    Ok(io.w.op(Spv::Load, Scalar::F32, 4, &[pointer.0]).id)
}

fn declare_input_copy(io: &mut Io<'_>, first: InputId, len: u32) -> Result<ValueWord, Failure> {
    if let Some(copy) = io.vars.input_copy(first, len) {
        return Ok(copy);
    }
    // Inputs are separate variables, which no index can select; an array in Private memory is
    // indexable.
    let vector = io.w.ty(Scalar::F32, 4);
    let ty = io.w.declare_array(vector, len);
    let variable = io.w.declare_variable(StorageClass::Private, ty);
    let pointer_ty = io.w.pointer(StorageClass::Private, vector);
    for index in 0..len {
        let input = InputId::new(first.index() + index as usize);
        let lanes = io.input(input)?;
        let value = io.w.gather_vector(&lanes, Scalar::F32);
        debug_assert!(
            io.w.info(value.id).home != Home::Body,
            "inputs live in the prologue"
        );
        store_copy(io.w, variable, pointer_ty, index, value.id);
    }
    io.vars.keep_input_copy(first, len, variable);
    Ok(variable)
}

/// Loads element `element` of an array of 64-bit attributes from a copy that the prologue fills.
pub(super) fn load_wide_input_at(
    io: &mut Io<'_>,
    first: InputId,
    len: u32,
    element: ValueWord,
) -> [Lane; 4] {
    let variable = declare_wide_input_copy(io, first, len);
    let vector = io.w.ty(Scalar::U32, 4);
    let element = io.w.val(element);
    let [two, one] = [2, 1].map(|number| io.w.constant_like(element, number));
    // Two vectors for each attribute: x and y, then z and w.
    let low = io.w.binary(Spv::IMul, element, two);
    let high = io.w.binary(Spv::IAdd, low, one);
    let mut lanes = [Lane::UNDEFINED; 4];
    for (part, index) in [low, high].into_iter().enumerate() {
        let operands = [variable.0, index.id.0];
        let pointer = io.w.chain(StorageClass::Private, vector, &operands);
        let words = io.w.op(Spv::Load, Scalar::U32, 4, &[pointer.0]);
        for half in 0..2 {
            lanes[2 * part + half] = wide::extract_lane(io.w, words, half);
        }
    }
    lanes
}

fn declare_wide_input_copy(io: &mut Io<'_>, first: InputId, len: u32) -> ValueWord {
    if let Some(copy) = io.vars.input_copy(first, len) {
        return copy;
    }
    // Four lanes of 64 bits are two vectors of four words.
    let ty = declare_word_array(io.w, 2 * len);
    let variable = io.w.declare_variable(StorageClass::Private, ty);
    let vector = io.w.ty(Scalar::U32, 4);
    let pointer_ty = io.w.pointer(StorageClass::Private, vector);
    for index in 0..2 * len {
        let input = InputId::new(first.index() + index as usize / 2);
        let half = if index % 2 == 0 {
            Half::Low
        } else {
            Half::High
        };
        let words = io.half_words(input, half);
        store_copy(io.w, variable, pointer_ty, index, words);
    }
    io.vars.keep_input_copy(first, len, variable);
    variable
}

/// Loads the helper state of the invocation at this point, because `KIL` may have demoted it;
/// `None` if the state at its start is sufficient.
pub(super) fn load_helper_now(io: &mut Io<'_>) -> Option<[Lane; 4]> {
    let demotes = io.w.device.demote_to_helper_invocation
        && io.program.insts.iter().any(|inst| inst.op == Op::Demote);
    if !demotes {
        return None;
    }
    io.w.needs.insert(Need::Demote);
    // The built-in `HelperInvocation` is the state at the start of the invocation; only the
    // instruction includes demotions.
    let helper = io.w.op(Spv::IsHelperInvocationEXT, Scalar::BoolInt, 1, &[]);
    let [zero, one] = [0, 1].map(|number| Lane::scalar(io.w.uint(number)));
    Some([helper.lane(0), zero, zero, one])
}

/// Stores a value in element `index` of an array, at the start of the function.
fn store_copy(w: &mut ValueBuilder, array: ValueWord, ty: TypeWord, index: u32, value: ValueWord) {
    let element = w.uint(index);
    let pointer = w.object();
    let operands = [array.0, element.0];
    let prologue = &mut w.prologue;
    prologue.result(Spv::AccessChain, ty, pointer, &operands);
    prologue.op(Spv::Store, &[pointer.0, value.0]);
}
