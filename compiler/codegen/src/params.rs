//! Parameters: one uniform block of vec4 slots, each loaded once per function. Blocks that are too large for that are storage buffers.
//!
//! The block is one array. In modules with names it has a member for each parameter, at the same place, and one for each array that is
//! indexed at run time.

use crate::builder::gather::Lane;
use crate::builder::{Builder, Home, Scalar};
use crate::interface::{Interface, bind, stage_number};
use crate::interface_names::{param_array_name, param_name, stage_word};
use crate::options::Options;
use crate::reflect::DescriptorSlot;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::resource::ParamSource;
use glasm_ir::{Base, ParamId, Program};
use rustc_hash::FxHashSet;
use spirv::{Decoration, Op, StorageClass};

/// Slots of a uniform block at most. Most devices bind 64 KiB.
const UNIFORM_SLOTS: usize = 4096;
/// Larger blocks have no members with names.
const MEMBERS: usize = 4096;

/// A member of the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ParamMember {
    /// Its first slot.
    first: u32,
    /// Number of slots.
    len: u32,
    /// Whether it is an array; else it is one slot.
    is_array: bool,
}

/// Finds the members of the block.
fn find_members(program: &Program, options: &Options, members: &mut Vec<ParamMember>) {
    let count = program.params.len() as u32;
    let array = |first, len| ParamMember {
        first,
        len,
        is_array: true,
    };
    if !options.debug.names || program.params.len() > MEMBERS {
        return members.push(array(0, count));
    }
    let mut arrays: Vec<(u32, u32)> = Vec::new();
    for src in &program.srcs {
        if let (Base::Param(param), Some(index)) = (src.base, src.index) {
            let first = param.index() as u32;
            let end = first.saturating_add(program.indices[index].len);
            arrays.push((first, end.clamp(first + 1, count)));
        }
    }
    arrays.sort_unstable();
    let mut next = 0;
    for (first, end) in arrays {
        if let Some(last) = members.last_mut()
            && first < next
        {
            // Arrays that overlap are one.
            last.len = last.len.max(end - last.first);
            next = last.first + last.len;
            continue;
        }
        members.extend((next..first).map(|first| ParamMember {
            first,
            len: 1,
            is_array: false,
        }));
        members.push(array(first, end - first));
        next = end;
    }
    members.extend((next..count).map(|first| ParamMember {
        first,
        len: 1,
        is_array: false,
    }));
}

/// Where the parameters of a program are.
pub(crate) fn storage_class(program: &Program) -> StorageClass {
    if program.params.len() > UNIFORM_SLOTS {
        StorageClass::StorageBuffer
    } else {
        StorageClass::Uniform
    }
}

impl Interface {
    fn param_block(&mut self, w: &mut Builder, program: &Program, options: &Options) -> ValueWord {
        if self.param_block.is_some() {
            return self.param_block;
        }
        let vector = w.ty(Scalar::F32, 4);
        find_members(program, options, &mut self.param_members);
        let types = self.param_members.iter().map(|member| {
            if !member.is_array {
                return vector.0;
            }
            let len = w.uint(member.len);
            let array = w.declare_distinct_type(Op::TypeArray, &[vector.0, len.0]);
            w.decorate(array, Decoration::ArrayStride, &[16]);
            array.0
        });
        self.param_types.extend(types);
        let block = w.declare_distinct_type(Op::TypeStruct, &self.param_types);
        w.decorate(block, Decoration::Block, &[]);
        let class = storage_class(program);
        for (number, member) in self.param_members.iter().enumerate() {
            let place = [number as u32, Decoration::Offset as u32, 16 * member.first];
            let operands = [block.0, place[0], place[1], place[2]];
            w.annotations.op(Op::MemberDecorate, &operands);
            if class == StorageClass::StorageBuffer {
                let not_written = [block.0, number as u32, Decoration::NonWritable as u32];
                w.annotations.op(Op::MemberDecorate, &not_written);
            }
        }
        self.name_param_block(w, program, block);
        let variable = w.variable(class, block);
        let slot = DescriptorSlot {
            set: options.bindings.param_set,
            binding: options
                .bindings
                .param_binding
                .unwrap_or_else(|| stage_number(program.stage)),
        };
        bind(w, variable, slot);
        w.name(variable, || "params".into());
        self.param_slot = Some(slot);
        self.param_block = variable;
        variable
    }

    fn name_param_block(&self, w: &mut Builder, program: &Program, block: TypeWord) {
        if !w.has_names {
            return;
        }
        let stage = stage_word(program.stage);
        w.name_type(block, &format!("{stage}Parameters"));
        let sources: Vec<ParamSource> = program.params.iter().map(|param| param.source).collect();
        let mut taken = FxHashSet::default();
        for (number, member) in self.param_members.iter().enumerate() {
            let first = member.first as usize;
            let mut name = match member.is_array {
                true => param_array_name(&sources[first..first + member.len as usize]),
                false => param_name(sources[first]),
            };
            if !taken.insert(name.clone()) {
                name = format!("{name}_slot_{first}");
            }
            w.name_member(block, number as u32, &name);
        }
    }

    /// The member that holds a slot, and its number.
    fn param_member(&self, slot: u32) -> (u32, ParamMember) {
        let number = self.param_members.partition_point(|it| it.first <= slot) - 1;
        (number as u32, self.param_members[number])
    }

    /// Where the member with a slot begins: run-time numbers count from there.
    pub(crate) fn param_array_start(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        param: ParamId,
    ) -> u32 {
        self.param_block(w, program, options);
        self.param_member(param.index() as u32).1.first
    }

    /// The lanes of a parameter slot.
    #[inline]
    pub(crate) fn param(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        param: ParamId,
    ) -> [Lane; 4] {
        let id = self.params[param.index()];
        if id.is_some() {
            return Lane::all_of(id);
        }
        self.first_param(w, program, options, param)
    }

    fn first_param(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        param: ParamId,
    ) -> [Lane; 4] {
        if let ParamSource::Literal(bits) = program.params[param].source {
            return bits.map(|bits| Lane::scalar(w.constant(Scalar::F32, u64::from(bits))));
        }
        self.param_block(w, program, options);
        let (_, member) = self.param_member(param.index() as u32);
        let index = w.uint(param.index() as u32 - member.first);
        let id = self.load_param(w, program, options, param, index, Home::Prologue);
        self.params[param.index()] = id;
        Lane::all_of(id)
    }

    /// The parameter slot of a run-time number, which counts from the start of the array that `param` is in.
    pub(crate) fn param_at(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        param: ParamId,
        index: ValueWord,
    ) -> ValueWord {
        self.load_param(w, program, options, param, index, Home::Body)
    }

    fn load_param(
        &mut self,
        w: &mut Builder,
        program: &Program,
        options: &Options,
        param: ParamId,
        index: ValueWord,
        home: Home,
    ) -> ValueWord {
        let block = self.param_block(w, program, options);
        if self.param_pointer == TypeWord::default() {
            let vector = w.ty(Scalar::F32, 4);
            self.param_pointer = w.pointer(storage_class(program), vector);
        }
        let (number, member) = self.param_member(param.index() as u32);
        let number = w.uint(number);
        let pointer = w.object();
        let ty = self.param_pointer;
        let words = w.section(home);
        if member.is_array {
            let chain = &[block.0, number.0, index.0];
            words.result(Op::AccessChain, ty, pointer, chain);
        } else {
            words.result(Op::AccessChain, ty, pointer, &[block.0, number.0]);
        }
        w.derive(home, Op::Load, Scalar::F32, 4, &[pointer.0])
    }
}
