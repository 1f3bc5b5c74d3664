//! Parameters: one uniform block of vec4 slots, each loaded once per function. Larger blocks are
//! storage buffers.
//!
//! The block is one array. In modules with names it has a member for each parameter, at the same
//! offset, and one for each dynamically indexed array.

use super::names::{param_array_name, param_name, stage_word};
use super::vars::{
    Io, ParamMember, Params, UNIFORM_SLOTS, bind, is_storage_block, param_class, stage_number,
};
use crate::builder::{Home, Lane, Scalar, ValueBuilder};
use crate::error::{Error, Failure};
use crate::options::Options;
use crate::reflect::DescriptorSlot;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::resource::ParamSource;
use glasm_ir::{Base, ParamId, Program, Stage};
use rustc_hash::FxHashSet;
use spirv::{Decoration, Op, StorageClass};

/// Maximum number of slots of a block with named members.
// A structure of SPIR-V has at most 16,383 members (universal limits).
const MEMBERS: usize = 4096;

/// Computes the members of the block.
fn find_members(program: &Program, options: &Options, members: &mut Vec<ParamMember>) {
    let count = program.params.len() as u32;
    // One array without names: all of the block can be indexed, and its type does not depend on the
    // parameters that are read.
    if !options.debug.names || program.params.len() > MEMBERS {
        return members.push(array(0, count));
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
        members.extend((next..first).map(single));
        members.push(array(first, end - first));
        next = end;
    }
    members.extend((next..count).map(single));
}

/// Returns the first slot of each dynamically indexed array, and the slot after its last, in order.
fn indexed_arrays(program: &Program) -> Vec<(u32, u32)> {
    let count = program.params.len() as u32;
    let mut arrays = Vec::new();
    for src in &program.srcs {
        if let (Base::Param(param), Some(index)) = (src.base, src.index) {
            let first = param.index() as u32;
            let end = first.saturating_add(program.indices[index].len);
            arrays.push((first, end.clamp(first + 1, count)));
        }
    }
    // `find_members` visits them once, from the first slot on.
    arrays.sort_unstable();
    arrays
}

fn array(first: u32, len: u32) -> ParamMember {
    ParamMember {
        first,
        len,
        is_array: true,
    }
}

fn single(first: u32) -> ParamMember {
    ParamMember {
        first,
        len: 1,
        is_array: false,
    }
}

impl Params {
    /// Returns the member that contains a slot, and its number.
    fn find_member(&self, slot: u32) -> (u32, ParamMember) {
        // Members are sorted and cover all slots from 0 on.
        let number = self.members.partition_point(|it| it.first <= slot) - 1;
        (number as u32, self.members[number])
    }
}

/// Context of parameters, which declares and loads nothing else.
pub(crate) struct ParamLoader<'e> {
    w: &'e mut ValueBuilder,
    program: &'e Program,
    options: &'e Options,
    params: &'e mut Params,
}

impl Io<'_> {
    /// Returns the context that loads parameters.
    #[inline(always)]
    pub(crate) fn params(&mut self) -> ParamLoader<'_> {
        ParamLoader {
            w: self.w,
            program: self.program,
            options: self.options,
            params: &mut self.vars.params,
        }
    }
}

impl ParamLoader<'_> {
    /// Returns an error if the block is too large for the uniform buffers of OpenGL, whose storage
    /// buffers have separate bindings.
    pub(crate) fn check_block(&self) -> Result<(), Failure> {
        if self.options.target.is_opengl() && is_storage_block(self.program) {
            Err(Error::unsupported(format!(
                "{} vectors of parameters: a uniform block of OpenGL holds {UNIFORM_SLOTS}",
                self.program.params.len()
            )))
        } else {
            Ok(())
        }
    }

    #[inline]
    fn get_block(&mut self) -> ValueWord {
        let known = self.params.block;
        if known.is_some() {
            return known;
        }
        self.declare_block()
    }

    fn choose_class(&self) -> (StorageClass, Decoration) {
        param_class(self.program, self.options.target)
    }

    fn declare_block(&mut self) -> ValueWord {
        let block = self.declare_block_type();
        let (class, _) = self.choose_class();
        let variable = self.w.declare_variable(class, block);
        let bindings = &self.options.bindings;
        let own = bindings.param_binding;
        let slot = DescriptorSlot {
            set: bindings.param_set,
            binding: own.unwrap_or_else(|| {
                let stage = stage_number(self.program.stage);
                bindings.first_param_binding.saturating_add(stage)
            }),
        };
        bind(self.w, variable, slot);
        self.w.name(variable, || "params".into());
        self.params.slot = Some(slot);
        self.params.block = variable;
        variable
    }

    fn declare_block_type(&mut self) -> TypeWord {
        let vector = self.w.ty(Scalar::F32, 4);
        let params = &mut *self.params;
        find_members(self.program, self.options, &mut params.members);
        let types = params.members.iter().map(|member| {
            if !member.is_array {
                return vector.0;
            }
            let len = self.w.uint(member.len);
            self.w.declare_strided_array(vector, len).0
        });
        params.types.extend(types);
        let block = self.w.declare_long_type(Op::TypeStruct, &params.types);
        let (_, decoration) = self.choose_class();
        self.w.decorate(block, decoration, &[]);
        self.decorate_members(block);
        self.name_block(block);
        block
    }

    fn decorate_members(&mut self, block: TypeWord) {
        let is_storage = is_storage_block(self.program);
        for (number, member) in (0..).zip(&self.params.members) {
            // A slot has 16 bytes, both in arrays and as a member.
            let offset = [Decoration::Offset as u32, 16 * member.first];
            let leading = [block.0, number];
            let annotations = &mut self.w.annotations;
            annotations.about(Op::MemberDecorate, leading, &offset);
            // Stages that may not write to storage buffers (`vertexPipelineStoresAndAtomics`,
            // `fragmentStoresAndAtomics`) may read them.
            if is_storage {
                let not_written = [Decoration::NonWritable as u32];
                annotations.about(Op::MemberDecorate, leading, &not_written);
            }
        }
    }

    fn name_block(&mut self, block: TypeWord) {
        if !self.w.has_names {
            return;
        }
        let stage = stage_word(self.program.stage);
        self.w.name_type(block, &format!("{stage}Parameters"));
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
            self.w.name_member(block, number as u32, &name);
        }
    }

    /// Returns the start of the member that contains a slot: dynamic indices are relative to it.
    pub(crate) fn find_array_start(&mut self, param: ParamId) -> u32 {
        self.get_block();
        self.params.find_member(param.index() as u32).1.first
    }

    /// Returns the lanes of a parameter slot.
    #[inline]
    pub(crate) fn load(&mut self, param: ParamId) -> [Lane; 4] {
        let id = self.params.loaded[param.index()];
        if id.is_some() {
            return Lane::all_of(id);
        }
        self.load_first(param)
    }

    fn load_first(&mut self, param: ParamId) -> [Lane; 4] {
        // Literals have slots for dynamic indices; with a constant index they are constants.
        if let ParamSource::Literal(bits) = self.program.params[param].source {
            return bits.map(|bits| Lane::scalar(self.w.constant(Scalar::F32, u64::from(bits))));
        }
        self.get_block();
        let (_, member) = self.params.find_member(param.index() as u32);
        let index = self.w.uint(param.index() as u32 - member.first);
        let id = self.load_slot(param, index, self.choose_home());
        self.params.loaded[param.index()] = id;
        Lane::all_of(id)
    }

    /// Chooses the part of the function in which a parameter is loaded at its first read. Vertex
    /// programs read many parameters, each of them late and once or twice: loaded at the start they
    /// would fill the registers, and lavapipe would spill them to the stack. A parameter that is
    /// read in a branch is loaded at the start in any stage, because the code after the branch may
    /// read it, too.
    fn choose_home(&self) -> Home {
        if self.program.stage == Stage::Vertex && !self.w.is_in_branch() {
            Home::Body
        } else {
            Home::Prologue
        }
    }

    /// Loads the parameter slot at a dynamic index, relative to the start of the array that
    /// contains `param`.
    pub(crate) fn load_at(&mut self, param: ParamId, index: ValueWord) -> ValueWord {
        self.load_slot(param, index, Home::Body)
    }

    fn load_slot(&mut self, param: ParamId, index: ValueWord, home: Home) -> ValueWord {
        let block = self.get_block();
        if self.params.pointer == TypeWord::default() {
            let vector = self.w.ty(Scalar::F32, 4);
            let (class, _) = self.choose_class();
            self.params.pointer = self.w.pointer(class, vector);
        }
        let (number, member) = self.params.find_member(param.index() as u32);
        // Members of structures are selected by constants only (`OpAccessChain`).
        let number = self.w.uint(number);
        let pointer = self.w.object();
        let ty = self.params.pointer;
        let words = self.w.section(home);
        // A single member is the vector itself and is not indexed.
        if member.is_array {
            let chain = &[block.0, number.0, index.0];
            words.result(Op::AccessChain, ty, pointer, chain);
        } else {
            words.result(Op::AccessChain, ty, pointer, &[block.0, number.0]);
        }
        self.w.derive(home, Op::Load, Scalar::F32, 4, &[pointer.0])
    }
}
