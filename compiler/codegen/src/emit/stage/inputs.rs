//! Inputs as operands: with constant and with dynamic indices.

use crate::builder::{Lane, Scalar, ValueBuilder, ValueOrigin, int64_emulation};
use crate::capability::Requirement;
use crate::emit::context::FunctionEmitter;
use crate::emit::control::cond::{emit_cases, emit_for_element};
use crate::emit::memory::memory_registers::{Element, declare_word_array};
use crate::error::Failure;
use crate::interface::{Io, Vertex};
use crate::reflect::AttributeHalf;
use crate::spirv_writer::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::inst::{Index, IndexId, IndexTerm};
use glasm_ir::{InputId, Op, Semantic, Stage, Width};
use spirv::{Op as Spv, StorageClass};

impl FunctionEmitter<'_> {
    /// Loads the lanes of an input operand, with or without an index. Returns an error for inputs
    /// that the stage lacks.
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
            && let Some(lanes) = load_current_helper_state(&mut self.io(), )
        {
            return Ok(lanes);
        }
        self.io().get_input(input)
    }

    /// Loads an input by an index: of a vertex, of a constant element, or from a copy of the inputs
    /// in an array if the index is dynamic. Elements are clamped to the array.
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
                self.io().get_input(input)
            }
            Element::Dynamic(element) if self.program.inputs[input].width == Width::W64 => {
                Ok(load_wide_input_at(&mut self.io(), input, len, element))
            }
            Element::Dynamic(element) => {
                let id = load_input_at(&mut self.io(), input, len, element)?;
                Ok(Lane::all_components(id))
            }
        }
    }

    /// Loads an input of the vertex that `vertex` selects, clamped to the primitive, or an element
    /// of an array of inputs. OpenGL's geometry programs have a case for each vertex.
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
                let number = self.builder.val(number);
                return emit_cases(self, number, count, |emit, vertex| {
                    emit.load_input_of_vertex(input, index, Vertex::Constant(vertex))
                });
            }
            Element::Dynamic(number) => Vertex::Dynamic(number),
        };
        self.load_input_of_vertex(input, index, vertex)
    }

    /// Loads an input of `vertex`, or the element of an array of inputs that `index` selects, with
    /// a case for each element if that is dynamic.
    fn load_input_of_vertex(
        &mut self,
        input: InputId,
        index: Index,
        vertex: Vertex,
    ) -> Result<[Lane; 4], Failure> {
        let available = (self.program.inputs.len() - input.index()) as u32;
        let len = index.len.min(available);
        let element = self.compute_element(index.element, len)?;
        // Elements are separate variables, which no index can select.
        emit_for_element(self, element, len, |emit, element| {
            let input = InputId::new(input.index() + element as usize);
            emit.io().get_vertex_lanes(input, vertex)
        })
    }
}

/// Loads element `element` of an array of `len` inputs from a copy that the prologue fills. The
/// element must be in range.
pub(super) fn load_input_at(
    io: &mut Io<'_>,
    first: InputId,
    len: u32,
    element: ValueWord,
) -> Result<ValueWord, Failure> {
    let variable = declare_input_copy(io, first, len)?;
    let vector = io.builder.get_type(Scalar::F32, 4);
    let operands = [variable.0, element.0];
    let pointer = io
        .builder
        .emit_access_chain(StorageClass::Private, vector, &operands);
    Ok(io
        .builder
        .emit_op(Spv::Load, Scalar::F32, 4, &[pointer.0])
        .id)
}

/// Returns a Private array with the values of `len` inputs from `first` on, which it declares and
/// fills in the prologue on first use.
fn declare_input_copy(io: &mut Io<'_>, first: InputId, len: u32) -> Result<ValueWord, Failure> {
    if let Some(copy) = io.interface.find_input_copy(first, len) {
        return Ok(copy);
    }
    // Inputs are separate variables, which no index can select; an array in Private memory is
    // indexable.
    let vector = io.builder.get_type(Scalar::F32, 4);
    let ty = io.builder.declare_array(vector, len);
    let variable = io.builder.declare_variable(StorageClass::Private, ty);
    let pointer_ty = io.builder.pointer_type(StorageClass::Private, vector);
    for index in 0..len {
        let input = InputId::new(first.index() + index as usize);
        let lanes = io.get_input(input)?;
        let value = io.builder.gather_vector(&lanes, Scalar::F32);
        debug_assert!(
            io.builder.value_info(value.id).origin != ValueOrigin::Body,
            "inputs live in the prologue"
        );
        store_input_copy(io.builder, variable, pointer_ty, index, value.id);
    }
    io.interface.record_input_copy(first, len, variable);
    Ok(variable)
}

/// Loads element `element` of an array of `len` 64-bit attributes from a copy that the prologue
/// fills. The element must be in range.
pub(super) fn load_wide_input_at(
    io: &mut Io<'_>,
    first: InputId,
    len: u32,
    element: ValueWord,
) -> [Lane; 4] {
    let variable = declare_wide_input_copy(io, first, len);
    let vector = io.builder.get_type(Scalar::U32, 4);
    let element = io.builder.val(element);
    let [two, one] = [2, 1].map(|number| io.builder.constant_like(element, number));
    // Two vectors for each attribute: x and y, then z and w.
    let low = io.builder.emit_binary(Spv::IMul, element, two);
    let high = io.builder.emit_binary(Spv::IAdd, low, one);
    let mut lanes = [Lane::UNDEFINED; 4];
    for (part, index) in [low, high].into_iter().enumerate() {
        let operands = [variable.0, index.id.0];
        let pointer = io
            .builder
            .emit_access_chain(StorageClass::Private, vector, &operands);
        let words = io.builder.emit_op(Spv::Load, Scalar::U32, 4, &[pointer.0]);
        for half in 0..2 {
            lanes[2 * part + half] = int64_emulation::extract_wide_lane(io.builder, words, half);
        }
    }
    lanes
}

/// Returns a Private array with the values of `len` inputs of 64-bit lanes from `first` on, two
/// vectors of words for each; declares it and fills it in the prologue on first use.
fn declare_wide_input_copy(io: &mut Io<'_>, first: InputId, len: u32) -> ValueWord {
    if let Some(copy) = io.interface.find_input_copy(first, len) {
        return copy;
    }
    // Four lanes of 64 bits are two vectors of four words.
    let ty = declare_word_array(io.builder, 2 * len);
    let variable = io.builder.declare_variable(StorageClass::Private, ty);
    let vector = io.builder.get_type(Scalar::U32, 4);
    let pointer_ty = io.builder.pointer_type(StorageClass::Private, vector);
    for index in 0..2 * len {
        let input = InputId::new(first.index() + index as usize / 2);
        let half = if index % 2 == 0 {
            AttributeHalf::Xy
        } else {
            AttributeHalf::Zw
        };
        let words = io.load_half_words(input, half);
        store_input_copy(io.builder, variable, pointer_ty, index, words);
    }
    io.interface.record_input_copy(first, len, variable);
    variable
}

/// Loads the helper state of the invocation at this point, as (state, 0, 0, 1), because `KIL` may
/// have demoted it, and adds the requirement of demotion. Returns `None` if the state at its start
/// is sufficient.
pub(super) fn load_current_helper_state(io: &mut Io<'_>) -> Option<[Lane; 4]> {
    let demotes = io.builder.device.demote_to_helper_invocation
        && io.program.insts.iter().any(|inst| inst.op == Op::Demote);
    if !demotes {
        return None;
    }
    io.builder.requirements.insert(Requirement::Demote);
    // The built-in `HelperInvocation` is the state at the start of the invocation; only the
    // instruction includes demotions.
    let helper = io
        .builder
        .emit_op(Spv::IsHelperInvocationEXT, Scalar::BoolInt, 1, &[]);
    let [zero, one] = [0, 1].map(|number| Lane::scalar(io.builder.constant_u32(number)));
    Some([helper.lane(0), zero, zero, one])
}

/// Emits the store of a value in element `index` of an array, in the prologue. `ty` is the type of
/// pointers to its elements.
fn store_input_copy(
    builder: &mut ValueBuilder,
    array: ValueWord,
    ty: TypeWord,
    index: u32,
    value: ValueWord,
) {
    let element = builder.constant_u32(index);
    let pointer = builder.new_object();
    let operands = [array.0, element.0];
    let prologue = &mut builder.prologue;
    prologue.push_result_inst(Spv::AccessChain, ty, pointer, &operands);
    prologue.push_inst(Spv::Store, &[pointer.0, value.0]);
}
