//! Stacks of bounded depth in register arrays: where calls go on, and what they keep.

use super::Lowerer;
use glasm_ir::inst::{Aux, Dst, Index, IndexId, IndexTerm};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, Cond, Op, Register, RegisterId, Src, Storage, WriteMask};

const U: Type = Type::U32;

/// A stack: arrays of equal length that are used at the same depth.
#[derive(Clone, Copy)]
pub(super) struct CallStack {
    /// Entries in use.
    pub(super) depth: RegisterId,
    /// Numbers of the places to go on at.
    pub(super) places: RegisterId,
    /// Number of entries.
    size: u32,
}

impl CallStack {
    /// Whether it has an entry.
    pub(super) fn in_use(self) -> Cond {
        Cond::NonZero(self.depth, 0, U)
    }
}

impl Lowerer<'_> {
    /// A stack of `size` entries; [`clear_stack`](Self::clear_stack) makes it empty.
    pub(super) fn new_stack(&mut self, size: u32) -> CallStack {
        CallStack {
            depth: self.new_register(Width::W32),
            places: self.stack_array(Width::W32, size),
            size,
        }
    }

    /// An array with an element for each entry.
    pub(super) fn stack_array(&mut self, width: Width, size: u32) -> RegisterId {
        self.builder.program.registers.push(Register {
            storage: Storage::Temp,
            width,
            array: Some(size),
            name: None,
        })
    }

    /// `depth = 0`
    pub(super) fn clear_stack(&mut self, stack: CallStack) {
        let zero = self.bits(0);
        self.put(stack.depth, WriteMask::X, Op::Mov, U, &[zero]);
    }

    /// Whether no entry is left.
    pub(super) fn is_full(&mut self, stack: CallStack) -> Cond {
        let (limit, full) = (self.bits(u64::from(stack.size)), self.hidden(Width::W32));
        let depth = Src::register(stack.depth);
        self.put(full, WriteMask::X, Op::SetGe, U, &[depth, limit]);
        Cond::NonZero(full, 0, U)
    }

    /// `depth = depth + 1`, after the entry was written, with `Op::Add`; `depth = depth - 1`, before it is read, with `Op::Sub`.
    pub(super) fn step_stack(&mut self, stack: CallStack, op: Op) {
        let (depth, one) = (Src::register(stack.depth), self.bits(1));
        self.put(stack.depth, WriteMask::X, op, U, &[depth, one]);
    }

    fn top(&mut self, stack: CallStack) -> IndexId {
        self.builder.program.indices.push(Index {
            element: IndexTerm {
                relative: Some((stack.depth, 0)),
                offset: 0,
            },
            len: stack.size,
            vertex: None,
        })
    }

    /// `array[depth]`
    pub(super) fn stack_top(&mut self, stack: CallStack, array: RegisterId) -> Src {
        Src {
            index: Some(self.top(stack)),
            ..Src::new(Base::Register(array))
        }
    }

    /// `array[depth] = value`, in the lanes of `mask`.
    pub(super) fn set_stack_top(
        &mut self,
        stack: CallStack,
        array: RegisterId,
        mask: WriteMask,
        value: (Src, Type),
    ) {
        let top = Dst {
            index: Some(self.top(stack)),
            ..Dst::new(array, mask)
        };
        self.inst(Op::Mov, value.1, Some(top), Aux::None, &[value.0]);
    }
}
