//! Parameters: one uniform block of vec4 slots, each loaded once per function. Blocks that are too large for that are storage buffers.

use crate::gather::Lane;
use crate::interface::{Interface, bind, stage_number};
use crate::options::Options;
use crate::reflect::DescriptorSlot;
use crate::words::ValueWord;
use crate::writer::{Home, Scalar, Writer};
use glasm_ir::arena::Id;
use glasm_ir::resource::ParamSource;
use glasm_ir::{ParamId, Program};
use spirv::{Decoration, Op, StorageClass};

/// Slots of a uniform block at most. Most devices bind 64 KiB.
const UNIFORM_SLOTS: usize = 4096;

/// Where the parameters of a program are.
pub(crate) fn storage_class(program: &Program) -> StorageClass {
    if program.params.len() > UNIFORM_SLOTS {
        StorageClass::StorageBuffer
    } else {
        StorageClass::Uniform
    }
}

impl Interface {
    fn param_block(&mut self, w: &mut Writer, program: &Program, options: &Options) -> ValueWord {
        if self.param_block.is_some() {
            return self.param_block;
        }
        let vector = w.ty(Scalar::F32, 4);
        let len = w.uint(program.params.len() as u32);
        let array = w.declare_distinct_type(Op::TypeArray, &[vector.0, len.0]);
        w.decorate(array, Decoration::ArrayStride, &[16]);
        let block = w.declare_distinct_type(Op::TypeStruct, &[array.0]);
        w.decorate(block, Decoration::Block, &[]);
        w.annotations.op(
            Op::MemberDecorate,
            &[block.0, 0, Decoration::Offset as u32, 0],
        );
        let class = storage_class(program);
        if class == StorageClass::StorageBuffer {
            let not_written = Decoration::NonWritable as u32;
            w.annotations
                .op(Op::MemberDecorate, &[block.0, 0, not_written]);
        }
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

    /// The lanes of a parameter slot.
    pub(crate) fn param(
        &mut self,
        w: &mut Writer,
        program: &Program,
        options: &Options,
        param: ParamId,
    ) -> [Lane; 4] {
        if let ParamSource::Literal(bits) = program.params[param].source {
            return bits.map(|bits| Lane::scalar(w.constant(Scalar::F32, u64::from(bits))));
        }
        let mut id = self.params[param.index()];
        if !id.is_some() {
            let index = w.uint(param.index() as u32);
            id = self.load_param(w, program, options, index, Home::Prologue);
            self.params[param.index()] = id;
        }
        std::array::from_fn(|lane| Lane::of(id, lane))
    }

    /// The parameter slot of a run-time number.
    pub(crate) fn param_at(
        &mut self,
        w: &mut Writer,
        program: &Program,
        options: &Options,
        index: ValueWord,
    ) -> ValueWord {
        self.load_param(w, program, options, index, Home::Body)
    }

    fn load_param(
        &mut self,
        w: &mut Writer,
        program: &Program,
        options: &Options,
        index: ValueWord,
        home: Home,
    ) -> ValueWord {
        let block = self.param_block(w, program, options);
        let vector = w.ty(Scalar::F32, 4);
        let pointer_ty = w.pointer(storage_class(program), vector);
        let zero = w.uint(0);
        let pointer = w.object();
        let words = if home == Home::Prologue {
            &mut w.prologue
        } else {
            &mut w.body
        };
        words.result(
            Op::AccessChain,
            pointer_ty,
            pointer,
            &[block.0, zero.0, index.0],
        );
        w.derive(home, Op::Load, Scalar::F32, 4, &[pointer.0])
    }
}
