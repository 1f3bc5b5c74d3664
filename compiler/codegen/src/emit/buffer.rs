//! Buffers as arrays of words: constant buffers of vectors of four words in a uniform block, storage buffers and atomic
//! counters of single words in a storage block, shared memory of single words.
//!
//! Narrow elements are cut out of words, so that no narrow storage is needed.

use super::Emit;
use super::memory::volatile;
use super::operand::Element;
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::gather::Lane;
use crate::interface::{bind, stage_number};
use crate::reflect::{BufferBinding, DescriptorSlot};
use crate::words::ValueWord;
use crate::writer::{Scalar, Val};
use glasm_ir::arena::Id;
use glasm_ir::resource::BufferKind;
use glasm_ir::{BufferId, MemAccess, Type, Width};
use spirv::{Decoration, Op as Spv, StorageClass};

/// First binding of atomic counters in the set that they share with storage buffers.
const FIRST_COUNTER_BINDING: u32 = 64;
/// Vectors in a constant buffer: 64 KiB, the most that GL guarantees nothing beyond.
const CONSTANT_VECTORS: u32 = 4096;
/// Words of shared memory if the program does not say how much it uses.
const SHARED_WORDS: u32 = 4096;

impl Emit<'_> {
    fn buffer_variable(&mut self, id: BufferId) -> ValueWord {
        let known = self.interface.buffers[id.index()];
        if known.is_some() {
            return known;
        }
        let buffer = self.program.buffers[id];
        let variable = match buffer.kind {
            BufferKind::Shared => {
                let word = self.w.ty(Scalar::U32, 1);
                let len = self.w.uint(self.shared_words(id));
                let ty = self.w.declare_type(Spv::TypeArray, &[word.0, len.0]);
                self.w.variable(StorageClass::Workgroup, ty)
            }
            BufferKind::Constant => {
                let vectors = buffer
                    .size
                    .map_or(CONSTANT_VECTORS, |bytes| bytes.div_ceil(16).max(1));
                let vector = self.w.ty(Scalar::U32, 4);
                let len = self.w.uint(vectors);
                let array = self
                    .w
                    .declare_distinct_type(Spv::TypeArray, &[vector.0, len.0]);
                self.w.decorate(array, Decoration::ArrayStride, &[16]);
                self.block_variable(id, array, StorageClass::Uniform)
            }
            BufferKind::Storage | BufferKind::Counter => {
                let word = self.w.ty(Scalar::U32, 1);
                let array = self
                    .w
                    .declare_distinct_type(Spv::TypeRuntimeArray, &[word.0]);
                self.w.decorate(array, Decoration::ArrayStride, &[4]);
                self.block_variable(id, array, StorageClass::StorageBuffer)
            }
        };
        self.interface.buffers[id.index()] = variable;
        variable
    }

    fn shared_words(&self, id: BufferId) -> u32 {
        let size = self.program.buffers[id].size;
        size.map_or(SHARED_WORDS, |bytes| bytes.div_ceil(4).max(1))
    }

    fn block_variable(
        &mut self,
        id: BufferId,
        array: crate::words::TypeWord,
        class: StorageClass,
    ) -> ValueWord {
        let buffer = self.program.buffers[id];
        let block = self.w.declare_distinct_type(Spv::TypeStruct, &[array.0]);
        self.w.decorate(block, Decoration::Block, &[]);
        let offset = Decoration::Offset as u32;
        self.w
            .annotations
            .op(Spv::MemberDecorate, &[block.0, 0, offset, 0]);
        let ty = match buffer.array {
            Some(len) => {
                let len = self.w.uint(len.max(1));
                self.w.declare_type(Spv::TypeArray, &[block.0, len.0])
            }
            None => block,
        };
        let variable = self.w.variable(class, ty);
        let bindings = self.options.bindings;
        let slot = match buffer.kind {
            BufferKind::Constant => DescriptorSlot {
                set: bindings.buffer_set,
                binding: 16 * stage_number(self.program.stage) + buffer.binding,
            },
            BufferKind::Counter => DescriptorSlot {
                set: bindings.storage_set,
                binding: FIRST_COUNTER_BINDING + buffer.binding,
            },
            BufferKind::Storage | BufferKind::Shared => DescriptorSlot {
                set: bindings.storage_set,
                binding: buffer.binding,
            },
        };
        bind(&mut self.w, variable, slot);
        self.w
            .name(variable, || format!("buffer{}", buffer.binding));
        self.interface.reflected_buffers.push(BufferBinding {
            slot,
            index: buffer.binding,
            count: buffer.array.unwrap_or(1).max(1),
            kind: buffer.kind,
        });
        variable
    }

    /// A pointer to the word with number `word` of a buffer.
    pub(super) fn word_pointer(&mut self, id: BufferId, element: Element, word: Val) -> ValueWord {
        let buffer = self.program.buffers[id];
        let variable = self.buffer_variable(id);
        let mut operands = [variable.0, 0, 0, 0, 0];
        let mut count = 1;
        let mut push = |id: ValueWord| {
            operands[count] = id.0;
            count += 1;
        };
        if buffer.array.is_some() {
            push(self.buffer_element(buffer.kind, element));
        }
        let class = match buffer.kind {
            BufferKind::Shared => {
                let last = self.constant_like(word, u64::from(self.shared_words(id) - 1));
                push(self.int_min(word, last).id);
                StorageClass::Workgroup
            }
            BufferKind::Constant => {
                let (two, three) = (self.constant_like(word, 2), self.constant_like(word, 3));
                push(self.w.uint(0));
                push(self.binary(Spv::ShiftRightLogical, word, two).id);
                push(self.binary(Spv::BitwiseAnd, word, three).id);
                StorageClass::Uniform
            }
            BufferKind::Storage | BufferKind::Counter => {
                push(self.w.uint(0));
                push(word.id);
                StorageClass::StorageBuffer
            }
        };
        let ty = self.w.ty(Scalar::U32, 1);
        let ty = self.w.pointer(class, ty);
        let pointer = self.w.object();
        self.w
            .body
            .result(Spv::AccessChain, ty, pointer, &operands[..count]);
        pointer
    }

    fn buffer_element(&mut self, kind: BufferKind, element: Element) -> ValueWord {
        match element {
            Element::Constant(element) => self.w.uint(element),
            Element::Dynamic(id) => {
                self.w.needs.insert(match kind {
                    BufferKind::Constant => Need::UniformIndexing,
                    BufferKind::Storage | BufferKind::Counter | BufferKind::Shared => {
                        Need::StorageIndexing
                    }
                });
                id
            }
        }
    }

    /// The number of the word `words` after that of a byte offset.
    fn word_number(&mut self, offset: Val, words: u32) -> Val {
        let two = self.constant_like(offset, 2);
        let first = self.binary(Spv::ShiftRightLogical, offset, two);
        let more = self.constant_like(first, u64::from(words));
        self.binary(Spv::IAdd, first, more)
    }

    fn load_word(&mut self, id: BufferId, element: Element, word: Val, access: &MemAccess) -> Val {
        let pointer = self.word_pointer(id, element, word);
        match volatile(access) {
            0 => self.w.op(Spv::Load, Scalar::U32, 1, &[pointer.0]),
            operands => self.w.op(Spv::Load, Scalar::U32, 1, &[pointer.0, operands]),
        }
    }

    pub(super) fn load_element(
        &mut self,
        id: BufferId,
        element: Element,
        offset: Val,
        index: u32,
        ty: Type,
        access: &MemAccess,
    ) -> Result<Lane, Failure> {
        match ty.width() {
            Width::W32 => {
                let word = self.word_number(offset, index);
                Ok(self.load_word(id, element, word, access).lane(0))
            }
            Width::W64 => {
                let pair = [0, 1].map(|half| {
                    let word = self.word_number(offset, 2 * index + half);
                    self.load_word(id, element, word, access).lane(0)
                });
                let pair = self.w.gather_vector(&pair, Scalar::U32);
                Ok(self.wide_from_words(pair))
            }
            width @ (Width::W8 | Width::W16) => {
                let (word, shift) = self.narrow_place(offset, index, width);
                let word = self.load_word(id, element, word, access);
                let value = self.binary(Spv::ShiftRightLogical, word, shift);
                Ok(self.extend(value, width.bits(), ty.is_signed_int()).lane(0))
            }
        }
    }

    /// The word that holds a narrow element, and by how many bits it is shifted there.
    fn narrow_place(&mut self, offset: Val, index: u32, width: Width) -> (Val, Val) {
        let more = self.constant_like(offset, u64::from(index * width.bytes()));
        let offset = self.binary(Spv::IAdd, offset, more);
        let word = self.word_number(offset, 0);
        // Elements are aligned to their size; the low bit of a halfword's offset does not count.
        let mask = self.constant_like(offset, u64::from(4 - width.bytes()));
        let byte = self.binary(Spv::BitwiseAnd, offset, mask);
        let three = self.constant_like(byte, 3);
        (word, self.binary(Spv::ShiftLeftLogical, byte, three))
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the place takes three, the element two"
    )]
    pub(super) fn store_element(
        &mut self,
        id: BufferId,
        element: Element,
        offset: Val,
        index: u32,
        ty: Type,
        access: &MemAccess,
        value: Lane,
    ) -> Result<(), Failure> {
        if self.program.buffers[id].kind == BufferKind::Constant {
            return Err(Error::unsupported("constant buffers cannot be written"));
        }
        match ty.width() {
            Width::W32 => {
                let value = self.w.scalar(value, Scalar::U32);
                self.store_word(id, element, offset, index, access, value);
            }
            Width::W64 => {
                let words = self.words_of_wide(value);
                for half in 0..2 {
                    let word = self.component(words, half as usize).id;
                    self.store_word(id, element, offset, 2 * index + half, access, word);
                }
            }
            width @ (Width::W8 | Width::W16) => {
                let value = self.w.scalar(value, Scalar::U32);
                let value = self.w.val(value);
                self.store_narrow(id, element, offset, index, width, value);
            }
        }
        Ok(())
    }

    fn store_word(
        &mut self,
        id: BufferId,
        element: Element,
        offset: Val,
        words: u32,
        access: &MemAccess,
        value: ValueWord,
    ) {
        let word = self.word_number(offset, words);
        let pointer = self.word_pointer(id, element, word);
        match volatile(access) {
            0 => self.w.body.op(Spv::Store, &[pointer.0, value.0]),
            operands => self.w.body.op(Spv::Store, &[pointer.0, value.0, operands]),
        }
    }

    /// A narrow store by two atomics, so that neighbors in the word survive those of other invocations.
    fn store_narrow(
        &mut self,
        id: BufferId,
        element: Element,
        offset: Val,
        index: u32,
        width: Width,
        value: Val,
    ) {
        let (word, shift) = self.narrow_place(offset, index, width);
        let pointer = self.word_pointer(id, element, word);
        let mask = self.constant_like(value, (1 << width.bits()) - 1);
        let value = self.binary(Spv::BitwiseAnd, value, mask);
        let value = self.binary(Spv::ShiftLeftLogical, value, shift);
        let hole = self.binary(Spv::ShiftLeftLogical, mask, shift);
        let keep = self.unary(Spv::Not, hole);
        let kind = self.program.buffers[id].kind;
        for (op, operand) in [(Spv::AtomicAnd, keep), (Spv::AtomicOr, value)] {
            let (scope, relaxed) = self.atomic_scope(Some(kind));
            let operands = [pointer.0, scope.0, relaxed.0, operand.id.0];
            self.w.op(op, Scalar::U32, 1, &operands);
        }
    }
}
