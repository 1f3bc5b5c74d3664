//! Outputs that the invocations of a tessellation control program share: outputs of the patch, and
//! outputs of vertices that other invocations read. Instructions load and store them in their
//! variables.

use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::emit::control::guarded::{run_for_element, run_if};
use crate::emit::cx::{FunctionEmitter, OutputEmitter};
use crate::emit::memory::array::Element;
use crate::emit::stage::output_variable::{
    OutputPlace, choose_output_target, declare_distance, make_own_values,
};
use crate::error::{Error, Failure};
use crate::interface::{Io, tess_levels};
use crate::varyings::{Distances, Place};
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::inst::IndexId;
use glasm_ir::{Base, Dst, OutputId, RegisterId, Semantic, Stage, Storage, TypeBase, WriteMask};
use spirv::{BuiltIn, Op as Spv, StorageClass};
use std::ops::Range;

/// Element and components in the variable of an output.
struct OutputParts {
    /// Variable, followed by the indices of the element.
    operands: Vec<u32>,
    /// Number of components.
    size: u8,
}

/// Returns the built-in that contains a tessellation level, and its index there.
fn tess_level(semantic: Semantic) -> Option<(BuiltIn, u32)> {
    if let Semantic::TessOuter(number) = semantic {
        Some((BuiltIn::TessLevelOuter, number.into()))
    } else if let Semantic::TessInner(number) = semantic {
        Some((BuiltIn::TessLevelInner, number.into()))
    } else {
        None
    }
}

/// Returns true if an output of a vertex is a built-in.
fn is_built_in(semantic: Semantic) -> bool {
    matches!(semantic, Semantic::Position | Semantic::PointSize)
}

impl OutputEmitter<'_, '_> {
    /// Declares the variables of shared outputs, before any instruction uses them.
    pub(in crate::emit) fn declare_shared_outputs(&mut self) -> Result<(), Failure> {
        if self.f.program.stage != Stage::TessControl {
            return Ok(());
        }
        let program = self.f.program;
        for (id, outputs) in program.output_registers() {
            if self.f.analysis.shared_outputs[id.index()] {
                self.declare_shared(outputs)?;
            }
        }
        for src in &program.srcs {
            // Outputs that are read and never written have a variable, too: their values are
            // undefined.
            if let Base::Output(first) = src.base {
                let end = first.index() + program.source_len(src) as usize;
                self.declare_shared(first.index()..end.min(program.outputs.len()))?;
            }
        }
        Ok(())
    }

    fn declare_shared(&mut self, outputs: Range<usize>) -> Result<(), Failure> {
        for id in outputs.map(OutputId::new) {
            if !self.f.interface.outputs.variables[id.index()].is_some() {
                self.declare_shared_output(id)?;
            }
        }
        Ok(())
    }

    fn declare_shared_output(&mut self, id: OutputId) -> Result<(), Failure> {
        let output = self.f.program.outputs[id];
        if let Some((distances, _)) = Distances::of(output.semantic) {
            return declare_distance(&mut self.f.io(), id, distances);
        }
        let Some((levels, _)) = tess_level(output.semantic) else {
            let target = choose_shared_target(&mut self.f.io(), id)?;
            return self.get_output_variable(id, &target).map(|_| ());
        };
        let variable = declare_output_levels(&mut self.f.io(), levels);
        self.f.interface.outputs.variables[id.index()] = variable;
        self.f
            .interface
            .reflect_output(&output, None, Scalar::F32, 1);
        Ok(())
    }
}

impl FunctionEmitter<'_> {
    /// Loads the lanes of an output that an invocation has written.
    pub(in crate::emit) fn read_output(
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
                    Element::Constant(number) => self.w.uint(number),
                    Element::Dynamic(number) => number,
                })
            }
            None => None,
        };
        let rest = (self.program.outputs.len() - id.index()) as u32;
        let Some(index) = index else {
            return Ok(load_output_part(&mut self.io(), id, vertex));
        };
        let len = index.len.min(rest);
        let element = self.compute_element(index.element, len)?;
        run_for_element(self, element, len, |emit, element| {
            let id = OutputId::new(id.index() + element as usize);
            Ok(load_output_part(&mut emit.io(), id, vertex))
        })
    }

    /// Loads the lanes that the invocation itself has written to an output register, or any
    /// invocation to one of the patch.
    pub(in crate::emit) fn load_own_output(
        &mut self,
        register: RegisterId,
        element: Element,
    ) -> Result<[Lane; 4], Failure> {
        let (first, len) = self.find_outputs(register);
        run_for_element(self, element, len, |emit, element| {
            let id = OutputId::new(first.index() + element as usize);
            let own = load_own_vertex(&mut emit.io(), id);
            Ok(load_output_part(&mut emit.io(), id, own))
        })
    }

    /// Stores the lanes in `write` of a shared output.
    pub(in crate::emit) fn store_shared_output(
        &mut self,
        register: RegisterId,
        element: Element,
        write: u8,
        values: [Lane; 4],
    ) -> Result<(), Failure> {
        let (first, len) = self.find_outputs(register);
        run_for_element(self, element, len, |emit, element| {
            let id = OutputId::new(first.index() + element as usize);
            emit.store_output_part(id, write, &values);
            Ok([Lane::UNDEFINED; 4])
        })?;
        Ok(())
    }

    /// Stores lanes of a shared output for which `passes` is true, without accessing others.
    pub(in crate::emit) fn store_shared_where(
        &mut self,
        dst: &Dst,
        lanes: u8,
        passes: &[Lane; 4],
        values: &[Lane; 4],
    ) -> Result<(), Failure> {
        let element = self.find_register_element(dst.register, dst.index)?;
        for lane in WriteMask(lanes).lanes() {
            let pass = self.w.lane_val(passes[lane], Scalar::BoolInt);
            run_if(self, pass, |emit| {
                // Lane by lane, each in a separate block, because each has its own condition.
                emit.store_shared_output(dst.register, element, 1 << lane, *values)?;
                Ok([Lane::UNDEFINED; 4])
            })?;
        }
        Ok(())
    }

    /// Returns true if a register contains outputs of the patch.
    pub(in crate::emit) fn is_of_patch(&self, register: RegisterId) -> bool {
        let storage = self.program.registers[register].storage;
        let Storage::Output(first) = storage else {
            return false;
        };
        self.analysis.shared_outputs[register.index()]
            && self.program.outputs[first].semantic.is_per_patch()
    }

    /// Returns the first output of a register, and their number.
    fn find_outputs(&self, register: RegisterId) -> (OutputId, u32) {
        let register = self.program.registers[register];
        match register.storage {
            Storage::Output(first) => (first, register.elements()),
            Storage::Temp | Storage::Cond => (OutputId::new(0), 1),
        }
    }

    fn store_output_part(&mut self, id: OutputId, write: u8, values: &[Lane; 4]) {
        let values = &make_own_values(self, id, Scalar::F32, write, *values);
        let own = load_own_vertex(&mut self.io(), id);
        let mut place = find_output_parts(&mut self.io(), id, own);
        if place.size == 1 {
            if write & 1 != 0 {
                let value = self.w.scalar(values[0], Scalar::F32);
                let pointer = compute_part_pointer(self.w, &place.operands, 1);
                self.w.store(pointer, value);
            }
        } else if write == 15 {
            let value = self.w.gather_vector(values, Scalar::F32);
            let pointer = compute_part_pointer(self.w, &place.operands, 4);
            self.w.store(pointer, value.id);
        } else {
            // Components that the instruction does not write may belong to another invocation.
            for lane in WriteMask(write).lanes() {
                let value = self.w.scalar(values[lane], Scalar::F32);
                place.operands.push(self.w.uint(lane as u32).0);
                let pointer = compute_part_pointer(self.w, &place.operands, 1);
                self.w.store(pointer, value);
                place.operands.pop();
            }
        }
    }
}

fn declare_output_levels(io: &mut Io<'_>, builtin: BuiltIn) -> ValueWord {
    let place = usize::from(builtin == BuiltIn::TessLevelInner);
    let known = io.vars.outputs.tess_levels[place];
    if known.is_some() {
        return known;
    }
    let variable = io.declare_tess_levels(builtin, StorageClass::Output);
    io.vars.outputs.tess_levels[place] = variable;
    variable
}

/// Chooses the variable of a shared output. The location of an output that no later stage reads
/// follows those of the outputs that are passed to later stages.
fn choose_shared_target(io: &mut Io<'_>, id: OutputId) -> Result<OutputPlace, Failure> {
    let semantic = io.program.outputs[id].semantic;
    let is_passed = io.options.interface.outputs.place(semantic).is_some();
    if is_passed || is_built_in(semantic) {
        return choose_output_target(io, id);
    }
    let passed = io.options.interface.outputs.len();
    let own = &mut io.vars.outputs.own_locations;
    // Other invocations of the patch read it there; no later stage does.
    let location = passed + *own;
    *own += 1;
    let place = Place::vector(semantic, location, TypeBase::Float);
    Ok(OutputPlace::varying(&place))
}

/// Loads the number of the vertex of the invocation, if an output is per vertex.
fn load_own_vertex(io: &mut Io<'_>, id: OutputId) -> Option<ValueWord> {
    let is_shared = io.program.outputs[id].semantic.is_per_patch();
    (!is_shared).then(|| io.own_vertex())
}

fn find_output_parts(io: &mut Io<'_>, id: OutputId, vertex: Option<ValueWord>) -> OutputParts {
    let variable = io.vars.outputs.variables[id.index()];
    let mut operands = vec![variable.0];
    operands.extend(vertex.map(|vertex| vertex.0));
    let semantic = io.program.outputs[id].semantic;
    // The vertex precedes the element: arrays of distances are elements of the array of vertices.
    let (index, size) = if let Some((levels, number)) = tess_level(semantic) {
        // The number in the IR may exceed the number of elements.
        (Some(number.min(tess_levels(levels) - 1)), 1)
    } else if let Some((_, plane)) = Distances::of(semantic) {
        (Some(plane), 1)
    } else if semantic == Semantic::PointSize {
        (None, 1)
    } else {
        // Integers are passed as bits, as in all varyings.
        (None, 4)
    };
    operands.extend(index.map(|index| io.w.uint(index).0));
    OutputParts { operands, size }
}

fn load_output_part(io: &mut Io<'_>, id: OutputId, vertex: Option<ValueWord>) -> [Lane; 4] {
    let place = find_output_parts(io, id, vertex);
    let pointer = compute_part_pointer(io.w, &place.operands, place.size);
    let operands = [pointer.0];
    let value = io.w.op(Spv::Load, Scalar::F32, place.size, &operands);
    Lane::first_of(value.id, place.size, io.w.float_pad())
}

fn compute_part_pointer(w: &mut ValueBuilder, operands: &[u32], size: u8) -> ValueWord {
    if let [variable] = operands {
        return ValueWord(*variable);
    }
    let ty = w.ty(Scalar::F32, size);
    w.chain(StorageClass::Output, ty, operands)
}
