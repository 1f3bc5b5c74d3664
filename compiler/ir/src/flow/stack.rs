//! A stack of bounded depth in register arrays: return addresses, and values saved by calls.

use crate::builder::Builder;
use crate::inst::{Cond, Dst, Index, IndexId, IndexTerm, Src, WriteMask};
use crate::op::Op;
use crate::program::{Register, RegisterId, Storage};
use crate::structurize::code;
use crate::types::{Type, Width};

/// A stack: arrays of equal length that are indexed by the same depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallStack {
    /// Number of entries in use.
    pub(super) depth: RegisterId,
    /// Indices of the blocks to return to, from 1; 0 for an entry that is not a return address.
    pub(super) return_addresses: RegisterId,
    size: u32,
}

impl CallStack {
    pub(super) fn new(builder: &mut Builder, size: u32) -> Self {
        let depth = code::new_register(builder);
        let return_addresses = push_array(builder, Width::W32, size);
        Self {
            depth,
            return_addresses,
            size,
        }
    }

    /// Returns an array with an element for each entry.
    pub(super) fn add_array(&self, builder: &mut Builder, width: Width) -> RegisterId {
        push_array(builder, width, self.size)
    }

    /// Returns a condition that holds if the stack is not empty.
    pub(super) fn test_nonempty(&self) -> Cond {
        code::test_non_zero(self.depth)
    }

    /// Returns a condition that holds if the stack is full; `scratch` is overwritten.
    pub(super) fn test_full(&self, builder: &mut Builder, scratch: RegisterId) -> Cond {
        let limit = code::add_word(builder, self.size);
        code::emit_op(
            builder,
            scratch,
            Op::SetGe,
            &[Src::register(self.depth), limit],
        );
        code::test_non_zero(scratch)
    }

    /// Emits `depth = depth + 1` after the entry was written, with `Op::Add`, or
    /// `depth = depth - 1` before it is read, with `Op::Sub`.
    pub(super) fn emit_step(&self, builder: &mut Builder, op: Op) {
        let one = code::add_word(builder, 1);
        code::emit_op(builder, self.depth, op, &[Src::register(self.depth), one]);
    }

    fn add_top_index(&self, builder: &mut Builder) -> IndexId {
        builder.program.indices.push(Index {
            element: IndexTerm {
                relative: Some((self.depth, 0)),
                offset: 0,
            },
            len: self.size,
            vertex: None,
        })
    }

    /// Returns the operand `array[depth]`.
    pub(super) fn load_top(&self, builder: &mut Builder, array: RegisterId) -> Src {
        Src {
            index: Some(self.add_top_index(builder)),
            ..Src::register(array)
        }
    }

    /// Emits `array[depth] = value` in the lanes of `mask`.
    pub(super) fn store_top(
        &self,
        builder: &mut Builder,
        array: RegisterId,
        mask: WriteMask,
        (value, ty): (Src, Type),
    ) {
        let top = Dst {
            index: Some(self.add_top_index(builder)),
            ..Dst::new(array, mask)
        };
        code::emit_mov(builder, top, ty, value);
    }
}

fn push_array(builder: &mut Builder, width: Width, size: u32) -> RegisterId {
    builder.program.registers.push(Register {
        storage: Storage::Temp,
        width,
        array: Some(size),
        name: None,
    })
}
