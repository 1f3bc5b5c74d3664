//! Parameters: one uniform block of vec4 slots, each loaded once per function. Larger blocks are
//! storage buffers.
//!
//! The block is one array. In modules with names it has a member for each parameter, at the same
//! offset, and one for each dynamically indexed array.
//!
//! The module also reflects named parameters and the parameters that state programs write.

use super::names::{param_array_name, param_name, stage_block_prefix};
use super::{
    Io, ParamMember, Params, UNIFORM_SLOTS, decorate_binding, is_storage_block, param_class,
    stage_binding_index,
};
use crate::builder::{Lane, Scalar, ValueBuilder, ValueOrigin};
use crate::error::{Error, Failure};
use crate::options::Options;
use crate::reflect::{BufferBinding, DescriptorSlot, NamedParameter, StateProgram};
use crate::spirv_writer::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::resource::{MemorySpace, ParamSource, STATE_BUFFER_BYTES};
use glasm_ir::{BufferId, BufferKind, Inst, InstData, OperandBase, ParamId, Program, Stage};
use rustc_hash::FxHashSet;
use spirv::{Decoration, Op, StorageClass};
use std::collections::BTreeSet;

/// Maximum number of slots of a block with named members.
// A structure of SPIR-V has at most 16,383 members (universal limits).
const MAX_MEMBERS: usize = 4096;

/// Appends the members of the parameter block, sorted and without gaps: one array, or, in modules
/// with names and not too many parameters, one for each parameter and each dynamically indexed
/// array.
fn append_members(program: &Program, options: &Options, members: &mut Vec<ParamMember>) {
    let count = program.params.len() as u32;
    // One array without names: all of the block can be indexed, and its type does not depend on the
    // parameters that are read.
    if !options.debug.names || program.params.len() > MAX_MEMBERS {
        return members.push(array_member(0, count));
    }
    let mut next = 0;
    for (first, end) in indexed_arrays(program) {
        if let Some(last) = members.last_mut()
            && first < next
        {
            // Overlapping arrays are one.
            last.len = last.len.max(end - last.first);
            next = last.first + last.len;
            continue;
        }
        members.extend((next..first).map(slot_member));
        members.push(array_member(first, end - first));
        next = end;
    }
    members.extend((next..count).map(slot_member));
}

/// Returns the first slot of each dynamically indexed array, and the slot after its last, sorted.
/// Arrays may overlap; they are limited to the slots of the program.
fn indexed_arrays(program: &Program) -> Vec<(u32, u32)> {
    let count = program.params.len() as u32;
    let mut arrays = Vec::new();
    for src in &program.srcs {
        if let (OperandBase::Param(param), Some(index)) = (src.base, src.index) {
            let first = param.index() as u32;
            let end = first.saturating_add(program.indices[index].len);
            arrays.push((first, end.clamp(first + 1, count)));
        }
    }
    // `append_members` visits them once, from the first slot on.
    arrays.sort_unstable();
    arrays
}

/// Returns a member of the parameter block that is an array of `len` slots.
fn array_member(first: u32, len: u32) -> ParamMember {
    ParamMember {
        first,
        len,
        is_array: true,
    }
}

/// Returns a member of the parameter block that is a single slot.
fn slot_member(first: u32) -> ParamMember {
    ParamMember {
        first,
        len: 1,
        is_array: false,
    }
}

impl Params {
    /// Returns the member of the parameter block that contains a slot, with its number.
    fn find_member(&self, slot: u32) -> (u32, ParamMember) {
        // Members are sorted and cover all slots from 0 on.
        let number = self.members.partition_point(|member| member.first <= slot) - 1;
        (number as u32, self.members[number])
    }
}

/// Context of parameters, which declares and loads nothing else.
pub(crate) struct ParamLoader<'e> {
    builder: &'e mut ValueBuilder,
    program: &'e Program,
    options: &'e Options,
    params: &'e mut Params,
}

impl Io<'_> {
    /// Borrows the state that loading parameters needs.
    #[inline(always)]
    pub(crate) fn params(&mut self) -> ParamLoader<'_> {
        ParamLoader {
            builder: self.builder,
            program: self.program,
            options: self.options,
            params: &mut self.interface.params,
        }
    }
}

impl ParamLoader<'_> {
    /// Returns an error if the target is OpenGL and the parameters are too many for a uniform
    /// block: storage buffers of OpenGL have separate bindings.
    pub(crate) fn check_block(&self) -> Result<(), Failure> {
        if self.options.target.is_opengl() && is_storage_block(self.program) {
            Err(Error::unsupported(format!(
                "{} vectors of parameters: a uniform block of OpenGL has at most {UNIFORM_SLOTS}",
                self.program.params.len()
            )))
        } else {
            Ok(())
        }
    }

    /// Returns the variable of the parameter block, which it declares on first use.
    fn get_or_declare_block(&mut self) -> ValueWord {
        let known = self.params.block;
        if known.is_some() {
            return known;
        }
        self.declare_block()
    }

    /// Returns the storage class of the parameter block and the decoration of its structure.
    fn choose_storage_class(&self) -> (StorageClass, Decoration) {
        param_class(self.program, self.options.target)
    }

    /// Declares the variable of the parameter block, decorates and names it, and records its
    /// descriptor slot: the binding of the options, or the first one plus the number of the stage.
    fn declare_block(&mut self) -> ValueWord {
        let block = self.declare_block_type();
        let (class, _) = self.choose_storage_class();
        let variable = self.builder.declare_variable(class, block);
        let bindings = &self.options.bindings;
        let own = bindings.parameter_block_binding;
        let slot = DescriptorSlot {
            set: bindings.parameter_block_set,
            binding: own.unwrap_or_else(|| {
                let stage = stage_binding_index(self.program.stage);
                bindings.first_parameter_block_binding.saturating_add(stage)
            }),
        };
        decorate_binding(self.builder, variable, slot);
        self.builder.name_object(variable, || "params".into());
        self.params.slot = Some(slot);
        self.params.block = variable;
        variable
    }

    /// Declares the structure of the parameter block with its decorations and names, and records
    /// its members: one array, or, in modules with names, a member for each parameter and indexed
    /// array.
    fn declare_block_type(&mut self) -> TypeWord {
        let vector = self.builder.get_type(Scalar::F32, 4);
        let params = &mut *self.params;
        append_members(self.program, self.options, &mut params.members);
        let types = params.members.iter().map(|member| {
            if !member.is_array {
                return vector.0;
            }
            let len = self.builder.constant_u32(member.len);
            self.builder.declare_strided_array(vector, len).0
        });
        params.types.extend(types);
        let block = self
            .builder
            .declare_long_type(Op::TypeStruct, &params.types);
        let (_, decoration) = self.choose_storage_class();
        self.builder.decorate(block, decoration, &[]);
        self.decorate_members(block);
        self.name_block(block);
        block
    }

    /// Decorates the members of the block with offsets of 16 bytes per slot and, in storage
    /// buffers, as not written.
    fn decorate_members(&mut self, block: TypeWord) {
        let is_storage = is_storage_block(self.program);
        for (number, member) in (0..).zip(&self.params.members) {
            // A slot has 16 bytes, both in arrays and as a member.
            let offset = [Decoration::Offset as u32, 16 * member.first];
            let leading = [block.0, number];
            let annotations = &mut self.builder.annotations;
            annotations.push_prefixed_inst(Op::MemberDecorate, leading, &offset);
            // Stages that may not write to storage buffers (`vertexPipelineStoresAndAtomics`,
            // `fragmentStoresAndAtomics`) may read them.
            if is_storage {
                let not_written = [Decoration::NonWritable as u32];
                annotations.push_prefixed_inst(Op::MemberDecorate, leading, &not_written);
            }
        }
    }

    /// Names the type of the block and its members, uniquely, if the module has names.
    fn name_block(&mut self, block: TypeWord) {
        if !self.builder.has_names {
            return;
        }
        let stage = stage_block_prefix(self.program.stage);
        self.builder.name_type(block, &format!("{stage}Parameters"));
        let params = self.program.params.iter();
        let sources: Vec<ParamSource> = params.map(|param| param.source).collect();
        let mut taken = FxHashSet::default();
        for (number, member) in self.params.members.iter().enumerate() {
            let first = member.first as usize;
            let mut name = if member.is_array {
                param_array_name(&sources[first..first + member.len as usize])
            } else {
                param_name(sources[first])
            };
            // Shading languages require a unique name for each member.
            if !taken.insert(name.clone()) {
                name = format!("{name}_slot_{first}");
            }
            self.builder.name_member(block, number as u32, &name);
        }
    }

    /// Returns the start of the member that contains a slot: dynamic indices are relative to it.
    /// Declares the block at its first use.
    pub(crate) fn find_array_start(&mut self, param: ParamId) -> u32 {
        self.get_or_declare_block();
        self.params.find_member(param.index() as u32).1.first
    }

    /// Returns the lanes of a parameter, which is loaded on first use in the function. Literals are
    /// constants.
    pub(crate) fn load(&mut self, param: ParamId) -> [Lane; 4] {
        let id = self.params.loaded[param.index()];
        if id.is_some() {
            return Lane::all_components(id);
        }
        self.load_uncached(param)
    }

    /// Loads a parameter that the function has not loaded yet; literals become constants. Retains
    /// the loaded vector for the function.
    fn load_uncached(&mut self, param: ParamId) -> [Lane; 4] {
        // Literals have slots for dynamic indices; with a constant index they are constants.
        if let ParamSource::Literal(bits) = self.program.params[param].source {
            return bits
                .map(|bits| Lane::scalar(self.builder.constant(Scalar::F32, u64::from(bits))));
        }
        self.get_or_declare_block();
        let (_, member) = self.params.find_member(param.index() as u32);
        let index = self
            .builder
            .constant_u32(param.index() as u32 - member.first);
        let id = self.load_slot(param, index, self.choose_load_origin());
        self.params.loaded[param.index()] = id;
        Lane::all_components(id)
    }

    /// Chooses the part of the function in which a parameter is loaded at its first read. Vertex
    /// programs read many parameters, each of them late and once or twice: loaded at the start they
    /// would fill the registers, and lavapipe would spill them to the stack. A parameter that is
    /// read in a branch is loaded at the start in any stage, because the code after the branch may
    /// read it, too.
    fn choose_load_origin(&self) -> ValueOrigin {
        if self.program.stage == Stage::Vertex && !self.builder.is_in_branch() {
            ValueOrigin::Body
        } else {
            ValueOrigin::Prologue
        }
    }

    /// Loads the parameter slot at a dynamic index, relative to the start of the array that
    /// contains `param`.
    pub(crate) fn load_at(&mut self, param: ParamId, index: ValueWord) -> ValueWord {
        self.load_slot(param, index, ValueOrigin::Body)
    }

    /// Emits the access chain to a slot of the block and its load, in the section of `origin`.
    /// `index` is relative to the member that contains the parameter. Declares the block on first
    /// use.
    fn load_slot(&mut self, param: ParamId, index: ValueWord, origin: ValueOrigin) -> ValueWord {
        let block = self.get_or_declare_block();
        if self.params.pointer == TypeWord::default() {
            let vector = self.builder.get_type(Scalar::F32, 4);
            let (class, _) = self.choose_storage_class();
            self.params.pointer = self.builder.pointer_type(class, vector);
        }
        let (number, member) = self.params.find_member(param.index() as u32);
        // Members of structures are selected by constants only (`OpAccessChain`).
        let number = self.builder.constant_u32(number);
        let pointer = self.builder.new_object();
        let ty = self.params.pointer;
        let spirv = self.builder.section_mut(origin);
        // A single member is the vector itself and is not indexed.
        if member.is_array {
            let chain = &[block.0, number.0, index.0];
            spirv.push_result_inst(Op::AccessChain, ty, pointer, chain);
        } else {
            spirv.push_result_inst(Op::AccessChain, ty, pointer, &[block.0, number.0]);
        }
        self.builder
            .emit_op_at(origin, Op::Load, Scalar::F32, 4, &[pointer.0])
    }
}

/// Returns names and initial values of the named parameters for the reflection.
pub(super) fn reflect_named_params(program: &Program) -> Vec<NamedParameter> {
    let all = program.named_params.iter();
    all.map(|named| NamedParameter {
        name: program.names.get(named.name).to_owned(),
        initial_bits: named.initial,
    })
    .collect()
}

/// Returns the program parameters that a state program writes, and the binding of their buffer.
/// Returns `None` if the program is not a state program or its buffer is not bound.
pub(super) fn reflect_state_program(
    program: &Program,
    bindings: &[BufferBinding],
) -> Option<StateProgram> {
    let bound = bindings.iter();
    let bound = bound
        .clone()
        .find(|buffer| buffer.kind == BufferKind::VertexStateParameters)?;
    let id = program
        .buffers
        .iter()
        .position(|buffer| buffer.kind == BufferKind::VertexStateParameters)?;
    let mut written = BTreeSet::new();
    for inst in program
        .insts
        .iter()
        .filter(|inst| inst.op == glasm_ir::Op::Store)
    {
        written.extend(find_stored_vectors(program, inst, BufferId::new(id)));
    }
    Some(StateProgram {
        slot: bound.slot,
        written_parameters: written.into_iter().collect(),
    })
}

/// Returns the range of vectors of a buffer that a store may change: one if its address is
/// constant, else all. The range is empty for other instructions and buffers.
fn find_stored_vectors(program: &Program, inst: &Inst, buffer: BufferId) -> std::ops::Range<u32> {
    let InstData::Mem(access) = inst.data else {
        return 0..0;
    };
    let access = program.mem_accesses[access];
    if access.space != MemorySpace::Buffer(buffer) {
        return 0..0;
    }
    let address = program.source(inst, 1);
    let start = match address.base {
        OperandBase::Literal(id) => program.literals[id][address.swizzle.lane(0)] as u32,
        // The offset is unknown: any parameter.
        OperandBase::Register(_)
        | OperandBase::Param(_)
        | OperandBase::Input(_)
        | OperandBase::Output(_) => {
            return 0..STATE_BUFFER_BYTES / 16;
        }
    };
    let vector = start.wrapping_add_signed(access.offset) / 16;
    let end = vector.saturating_add(1);
    vector.min(STATE_BUFFER_BYTES / 16)..end.min(STATE_BUFFER_BYTES / 16)
}
