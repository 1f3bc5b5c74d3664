//! Outputs that the invocations of a tessellation control program share: outputs of the patch, and
//! outputs of vertices that other invocations read. Instructions load and store them in their
//! variables.

use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::emit::context::{FunctionEmitter, OutputEmitter};
use crate::emit::control::cond::{emit_for_element, emit_guarded};
use crate::emit::memory::memory_registers::Element;
use crate::emit::stage::output_variable::{
    OutputTarget, choose_output_target, declare_distance, make_values_distinct,
};
use crate::error::{Error, Failure};
use crate::interface::{Io, tess_level_count};
use crate::spirv_writer::ValueWord;
use crate::varyings::{DistanceKind, VaryingLocation};
use glasm_ir::arena::Id;
use glasm_ir::inst::IndexId;
use glasm_ir::{
    BaseType, Dst, OperandBase, OutputId, RegisterId, Semantic, Stage, Storage, WriteMask,
};
use spirv::{BuiltIn, Op as Spv, StorageClass};
use std::ops::Range;

/// Element and components in the variable of an output.
struct OutputElement {
    /// Variable, followed by the indices of the element.
    operands: Vec<u32>,
    /// Number of components.
    size: u8,
}

/// Returns the built-in that contains a tessellation level, and its index there, or `None` for
/// other semantics.
fn find_tess_level(semantic: Semantic) -> Option<(BuiltIn, u32)> {
    if let Semantic::TessLevelOuter(number) = semantic {
        Some((BuiltIn::TessLevelOuter, number.into()))
    } else if let Semantic::TessLevelInner(number) = semantic {
        Some((BuiltIn::TessLevelInner, number.into()))
    } else {
        None
    }
}

/// Returns true if an output of a vertex is a built-in.
fn is_builtin_vertex_output(semantic: Semantic) -> bool {
    matches!(semantic, Semantic::Position | Semantic::PointSize)
}

impl OutputEmitter<'_, '_> {
    /// Declares the variables of shared outputs of a tessellation control program, before any
    /// instruction uses them; does nothing in other stages. Returns an error for outputs that the
    /// stage lacks.
    pub(in crate::emit) fn declare_shared_outputs(&mut self) -> Result<(), Failure> {
        if self.function.program.stage != Stage::TessControl {
            return Ok(());
        }
        let program = self.function.program;
        for (id, outputs) in program.output_registers() {
            if self.function.analysis.shared_outputs[id.index()] {
                self.declare_shared_range(outputs)?;
            }
        }
        for src in &program.srcs {
            // Outputs that are read and never written have a variable, too: their values are
            // undefined.
            if let OperandBase::Output(first) = src.base {
                let end = first.index() + program.get_source_len(src) as usize;
                self.declare_shared_range(first.index()..end.min(program.outputs.len()))?;
            }
        }
        Ok(())
    }

    /// Declares the variables of a range of shared outputs that are not declared yet.
    fn declare_shared_range(&mut self, outputs: Range<usize>) -> Result<(), Failure> {
        for id in outputs.map(OutputId::new) {
            if !self.function.interface.outputs.variables[id.index()].is_some() {
                let declared = self.declare_shared_output(id);
                self.check_output(id, declared)?;
            }
        }
        Ok(())
    }

    /// Declares and reflects the variable of one shared output: a distance array, tessellation
    /// levels or a varying. Returns an error for outputs that the stage lacks.
    fn declare_shared_output(&mut self, id: OutputId) -> Result<(), Failure> {
        let output = self.function.program.outputs[id];
        if let Some((distances, _)) = DistanceKind::from_semantic(output.semantic) {
            return declare_distance(&mut self.function.io(), id, distances);
        }
        let Some((levels, _)) = find_tess_level(output.semantic) else {
            let target = choose_shared_target(&mut self.function.io(), id)?;
            return self.get_output_variable(id, &target).map(|_| ());
        };
        let variable = declare_output_levels(&mut self.function.io(), levels);
        self.function.interface.outputs.variables[id.index()] = variable;
        self.function
            .interface
            .reflect_output(&output, None, Scalar::F32, 1);
        Ok(())
    }
}

impl FunctionEmitter<'_> {
    /// Loads the lanes of an output that an invocation of the patch has written: of the vertex that
    /// the index selects, or of the patch. Returns an error outside of tessellation control
    /// programs.
    pub(in crate::emit) fn load_shared_output(
        &mut self,
        id: OutputId,
        index: Option<IndexId>,
    ) -> Result<[Lane; 4], Failure> {
        if self.program.stage != Stage::TessControl {
            return Err(Error::unsupported(
                "outputs cannot be read back in this stage",
            ));
        }
        let index = index.map(|index| self.program.indices[index]);
        // Before the cases of an array: the number of the vertex is the same in all of them.
        let vertex = match index.and_then(|index| index.vertex) {
            Some(term) => {
                let count = self.program.modes.vertices_out;
                Some(match self.compute_element(term, count)? {
                    Element::Constant(number) => self.builder.constant_u32(number),
                    Element::Dynamic(number) => number,
                })
            }
            None => None,
        };
        let available = (self.program.outputs.len() - id.index()) as u32;
        let Some(index) = index else {
            return Ok(load_output_element(&mut self.io(), id, vertex));
        };
        let len = index.len.min(available);
        let element = self.compute_element(index.element, len)?;
        emit_for_element(self, element, len, |emit, element| {
            let id = OutputId::new(id.index() + element as usize);
            Ok(load_output_element(&mut emit.io(), id, vertex))
        })
    }

    /// Loads the lanes that the invocation itself has written to an output register, or any
    /// invocation to one of the patch. A dynamic element has a case for each element.
    pub(in crate::emit) fn load_own_output(
        &mut self,
        register: RegisterId,
        element: Element,
    ) -> Result<[Lane; 4], Failure> {
        let (first, len) = self.find_outputs(register);
        emit_for_element(self, element, len, |emit, element| {
            let id = OutputId::new(first.index() + element as usize);
            let own = load_own_vertex(&mut emit.io(), id);
            Ok(load_output_element(&mut emit.io(), id, own))
        })
    }

    /// Stores the lanes in `write` of a shared output of this invocation's vertex, or of the patch.
    /// A dynamic element has a case for each element.
    pub(in crate::emit) fn store_shared_output(
        &mut self,
        register: RegisterId,
        element: Element,
        write: u8,
        values: [Lane; 4],
    ) -> Result<(), Failure> {
        let (first, len) = self.find_outputs(register);
        emit_for_element(self, element, len, |emit, element| {
            let id = OutputId::new(first.index() + element as usize);
            emit.store_output_element(id, write, &values);
            Ok([Lane::UNDEFINED; 4])
        })?;
        Ok(())
    }

    /// Stores those lanes in `lanes` of a shared output for which `passes` is true, each in a
    /// separate branch; other lanes are not accessed.
    pub(in crate::emit) fn store_shared_where(
        &mut self,
        dst: &Dst,
        lanes: u8,
        passes: &[Lane; 4],
        values: &[Lane; 4],
    ) -> Result<(), Failure> {
        let element = self.find_register_element(dst.register, dst.index)?;
        for lane in WriteMask(lanes).lanes() {
            let pass = self.builder.read_lane_val(passes[lane], Scalar::BoolInt);
            emit_guarded(self, pass, |emit| {
                // Lane by lane, each in a separate block, because each has its own condition.
                emit.store_shared_output(dst.register, element, 1 << lane, *values)?;
                Ok([Lane::UNDEFINED; 4])
            })?;
        }
        Ok(())
    }

    /// Returns true if a register contains shared outputs that the invocations of a patch have in
    /// common.
    pub(in crate::emit) fn is_of_patch(&self, register: RegisterId) -> bool {
        let storage = self.program.registers[register].storage;
        let Storage::Output(first) = storage else {
            return false;
        };
        self.analysis.shared_outputs[register.index()]
            && self.program.outputs[first].semantic.is_per_patch()
    }

    /// Returns the first output that a register holds, and the number of outputs. Registers that
    /// hold no outputs yield output 0.
    fn find_outputs(&self, register: RegisterId) -> (OutputId, u32) {
        let register = self.program.registers[register];
        match register.storage {
            Storage::Output(first) => (first, register.element_count()),
            Storage::Temp | Storage::Cond => (OutputId::new(0), 1),
        }
    }

    /// Stores the lanes `write` of a shared output of this invocation; a partial write stores each
    /// component separately. A scalar output only has lane x.
    fn store_output_element(&mut self, id: OutputId, write: u8, values: &[Lane; 4]) {
        let values = &make_values_distinct(self, id, Scalar::F32, write, *values);
        let own = load_own_vertex(&mut self.io(), id);
        let mut element = find_output_element(&mut self.io(), id, own);
        if element.size == 1 {
            if write & 1 != 0 {
                let value = self.builder.read_lane(values[0], Scalar::F32);
                let pointer = compute_output_pointer(self.builder, &element.operands, 1);
                self.builder.emit_store(pointer, value);
            }
        } else if write == 15 {
            let value = self.builder.gather_vector(values, Scalar::F32);
            let pointer = compute_output_pointer(self.builder, &element.operands, 4);
            self.builder.emit_store(pointer, value.id);
        } else {
            // Components that the instruction does not write may belong to another invocation.
            for lane in WriteMask(write).lanes() {
                let value = self.builder.read_lane(values[lane], Scalar::F32);
                element
                    .operands
                    .push(self.builder.constant_u32(lane as u32).0);
                let pointer = compute_output_pointer(self.builder, &element.operands, 1);
                self.builder.emit_store(pointer, value);
                element.operands.pop();
            }
        }
    }
}

/// Returns the output variable of inner or outer tessellation levels, which it declares on first
/// use.
fn declare_output_levels(io: &mut Io<'_>, builtin: BuiltIn) -> ValueWord {
    let index = usize::from(builtin == BuiltIn::TessLevelInner);
    let known = io.interface.outputs.tess_levels[index];
    if known.is_some() {
        return known;
    }
    let variable = io.declare_tess_levels(builtin, StorageClass::Output);
    io.interface.outputs.tess_levels[index] = variable;
    variable
}

/// Chooses the variable of a shared output. The location of an output that no later stage reads
/// follows those of the outputs that are passed to later stages, and is allocated here. Returns an
/// error if the device does not support a built-in.
fn choose_shared_target(io: &mut Io<'_>, id: OutputId) -> Result<OutputTarget, Failure> {
    let semantic = io.program.outputs[id].semantic;
    let is_passed = io
        .options
        .interface
        .outputs
        .find_varying(semantic)
        .is_some();
    if is_passed || is_builtin_vertex_output(semantic) {
        return choose_output_target(io, id);
    }
    let passed = io.options.interface.outputs.location_count();
    let own = &mut io.interface.outputs.own_locations;
    // Other invocations of the patch read it there; no later stage does.
    let location = passed + *own;
    *own += 1;
    let varying = VaryingLocation::vector(semantic, location, BaseType::Float);
    Ok(OutputTarget::from_varying(&varying))
}

/// Loads the number of the vertex that the invocation computes, if an output is per vertex; else
/// returns `None`.
fn load_own_vertex(io: &mut Io<'_>, id: OutputId) -> Option<ValueWord> {
    let is_shared = io.program.outputs[id].semantic.is_per_patch();
    (!is_shared).then(|| io.load_invocation_id())
}

/// Returns the access chain operands and the number of components of a shared output, of vertex
/// `vertex` if it is an output per vertex.
fn find_output_element(io: &mut Io<'_>, id: OutputId, vertex: Option<ValueWord>) -> OutputElement {
    let variable = io.interface.outputs.variables[id.index()];
    let mut operands = vec![variable.0];
    operands.extend(vertex.map(|vertex| vertex.0));
    let semantic = io.program.outputs[id].semantic;
    // The vertex precedes the element: arrays of distances are elements of the array of vertices.
    let (index, size) = if let Some((levels, number)) = find_tess_level(semantic) {
        // The number in the IR may exceed the number of elements.
        (Some(number.min(tess_level_count(levels) - 1)), 1)
    } else if let Some((_, plane)) = DistanceKind::from_semantic(semantic) {
        (Some(plane), 1)
    } else if semantic == Semantic::PointSize {
        (None, 1)
    } else {
        // Integers are passed as bits, as in all varyings.
        (None, 4)
    };
    operands.extend(index.map(|index| io.builder.constant_u32(index).0));
    OutputElement { operands, size }
}

/// Loads the current lanes of a shared output, of vertex `vertex` if it is an output per vertex.
/// Lanes beyond a scalar are those of (0, 0, 0, 1).
fn load_output_element(io: &mut Io<'_>, id: OutputId, vertex: Option<ValueWord>) -> [Lane; 4] {
    let element = find_output_element(io, id, vertex);
    let pointer = compute_output_pointer(io.builder, &element.operands, element.size);
    let operands = [pointer.0];
    let value = io
        .builder
        .emit_op(Spv::Load, Scalar::F32, element.size, &operands);
    Lane::with_first_components(value.id, element.size, io.builder.float_padding())
}

/// Returns a pointer for the operands of an access chain to `size` floats; a lone variable is its
/// own pointer.
fn compute_output_pointer(builder: &mut ValueBuilder, operands: &[u32], size: u8) -> ValueWord {
    if let [variable] = operands {
        return ValueWord(*variable);
    }
    let ty = builder.get_type(Scalar::F32, size);
    builder.emit_access_chain(StorageClass::Output, ty, operands)
}
