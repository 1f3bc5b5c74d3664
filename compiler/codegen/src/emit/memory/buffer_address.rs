//! Positions in buffers: the selected buffer of an array, and the bounds check of the offset.
//!
//! Storage and counter buffers have the size that the caller binds: reads beyond it return 0 and
//! writes have no effect, which the module ensures itself unless the device does
//! ([`robust_buffer_access2`](crate::options::DeviceFeatures::robust_buffer_access2)). Sizes count
//! in whole words. Constant buffers of a size that the program declares, the parameters of a state
//! program and private memory have a fixed size; accesses beyond it behave the same.

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::capability::Requirement;
use crate::emit::context::BufferEmitter;
use crate::emit::control::cond::{emit_cases, emit_guarded};
use crate::emit::memory::buffer::CONSTANT_WORDS;
use crate::emit::memory::descriptor_index::{
    DescriptorIndex, IndexingRequirements, choose_descriptor_index, emit_for_descriptor,
};
use crate::error::Failure;
use glasm_ir::resource::{BufferKind, STATE_BUFFER_BYTES};
use glasm_ir::{BufferId, MemAccess};
use spirv::Op as Spv;

/// Position in a buffer.
#[derive(Clone, Copy, Debug)]
pub(in crate::emit) struct BufferAddress {
    pub(super) buffer: BufferId,
    pub(super) descriptor: DescriptorIndex,
    /// Offset in bytes.
    pub(super) offset: Val,
}

impl BufferEmitter<'_, '_> {
    /// Returns the address of an access at `offset` bytes in a buffer, or in the element of an
    /// array of buffers that the access selects, clamped to the array.
    pub(super) fn choose_buffer_address(
        &mut self,
        buffer: BufferId,
        access: &MemAccess,
        offset: Val,
    ) -> Result<BufferAddress, Failure> {
        let len = self.function.program.buffers[buffer].array_len.unwrap_or(1);
        let member = choose_descriptor_index(self.function, access.element, len)?;
        Ok(BufferAddress {
            buffer,
            descriptor: member,
            offset,
        })
    }

    /// Calls `access` with a position that the device can index: several times, each in a case, if
    /// it cannot index the array of buffers. Returns the lanes of the executed case.
    pub(super) fn emit_for_buffer(
        &mut self,
        address: BufferAddress,
        mut access: impl FnMut(&mut Self, BufferAddress) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let buffer = self.function.program.buffers[address.buffer];
        let indexing = IndexingRequirements::for_buffers(buffer.kind);
        let len = buffer.array_len.unwrap_or(1);
        emit_for_descriptor(self, indexing, address.descriptor, len, |emit, member| {
            access(
                emit,
                BufferAddress {
                    descriptor: member,
                    ..address
                },
            )
        })
    }

    /// Computes the number of elements of type `view` of the buffer at a position. Returns `None`
    /// if accesses need no test: they are in range, clamped later, or checked by the device, whose
    /// feature is then required.
    pub(super) fn compute_bound(
        &mut self,
        address: BufferAddress,
        view: Scalar,
    ) -> Result<Option<Val>, Failure> {
        match self.function.program.buffers[address.buffer].kind {
            BufferKind::Storage | BufferKind::AtomicCounter => {}
            BufferKind::VertexStateParameters if self.is_within_state_params(address) => {
                return Ok(None);
            }
            BufferKind::VertexStateParameters => {
                return Ok(Some(
                    self.function
                        .builder
                        .constant_u32_val(STATE_BUFFER_BYTES / 4),
                ));
            }
            BufferKind::Private => {
                let count_private_words = self.count_private_words(address.buffer);
                return Ok(Some(
                    self.function.builder.constant_u32_val(count_private_words),
                ));
            }
            BufferKind::ProgramParameter => return Ok(self.find_constant_bound(address)),
            // Clamped in range when the pointer is computed.
            BufferKind::Shared => return Ok(None),
        }
        if self.function.builder.device.robust_buffer_access2 {
            self.function
                .builder
                .requirements
                .insert(Requirement::RobustAccess);
            return Ok(None);
        }
        Ok(Some(self.query_length(address, view)?))
    }

    /// Returns true if an access begins within the parameters of a state program, all of which
    /// always exist. Accesses are aligned, so it also ends within them.
    pub(super) fn is_within_state_params(&self, address: BufferAddress) -> bool {
        let offset = self.function.builder.constant_bits(address.offset.id);
        offset.is_some_and(|offset| offset < u64::from(STATE_BUFFER_BYTES))
    }

    /// Emits the size in bytes of the buffer at an address. For constant buffers it is the maximum
    /// size.
    pub(super) fn compute_byte_size(&mut self, address: BufferAddress) -> Result<Val, Failure> {
        let words = match self.function.program.buffers[address.buffer].kind {
            BufferKind::VertexStateParameters => self
                .function
                .builder
                .constant_u32_val(STATE_BUFFER_BYTES / 4),
            BufferKind::Private => {
                let count_private_words = self.count_private_words(address.buffer);
                self.function.builder.constant_u32_val(count_private_words)
            }
            BufferKind::Shared => {
                let count_shared_elements = self.count_shared_elements(address.buffer, Scalar::U32);
                self.function
                    .builder
                    .constant_u32_val(count_shared_elements)
            }
            BufferKind::ProgramParameter => self.function.builder.constant_u32_val(CONSTANT_WORDS),
            BufferKind::Storage | BufferKind::AtomicCounter => {
                self.query_length(address, Scalar::U32)?
            }
        };
        Ok(self
            .function
            .builder
            .emit_binary_bits(Spv::ShiftLeftLogical, words, 2))
    }

    /// Returns the number of words that the program declares for a constant buffer. Returns `None`
    /// if it declares no size, or if the access is certainly within it: accesses are aligned.
    fn find_constant_bound(&mut self, address: BufferAddress) -> Option<Val> {
        let size = self.function.program.buffers[address.buffer].size?;
        let offset = self.function.builder.constant_bits(address.offset.id);
        let known = offset.is_some_and(|offset| offset + 16 <= u64::from(size));
        (!known).then(|| self.function.builder.constant_u32_val(size.div_ceil(4)))
    }

    /// Queries the number of elements of type `view` of a buffer that the caller binds. With an
    /// index that differs between invocations there is a case for each buffer.
    fn query_length(&mut self, address: BufferAddress, view: Scalar) -> Result<Val, Failure> {
        let emit_length_query = |emit: &mut Self, address| {
            let block = emit.compute_block_pointer(address, view.into());
            emit.function
                .builder
                .emit_op(Spv::ArrayLength, Scalar::U32, 1, &[block.0, 0])
        };
        let DescriptorIndex::Divergent(number) = address.descriptor else {
            return Ok(emit_length_query(self, address));
        };
        // Devices may be unable to query the lengths of different buffers at once.
        let len = self.function.program.buffers[address.buffer]
            .array_len
            .unwrap_or(1);
        let lanes = emit_cases(
            self,
            self.function.builder.val(number),
            len,
            |emit, case| {
                let member = DescriptorIndex::Constant(case);
                Ok(emit_length_query(
                    emit,
                    BufferAddress {
                        descriptor: member,
                        ..address
                    },
                )
                .first_lane_only())
            },
        )?;
        Ok(self.function.builder.val(lanes[0].id()))
    }
}

/// Emits `access` in a branch that runs if word `word` is less than `bound`; returns zeros
/// otherwise. Without `bound` it emits `access` alone.
pub(super) fn emit_if_in_bounds<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    bound: Option<Val>,
    word: Val,
    access: impl FnOnce(&mut C) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    match bound {
        Some(bound) => {
            let inside = cx.as_mut().emit_test(Spv::ULessThan, word, bound);
            emit_guarded(cx, inside, access)
        }
        None => access(cx),
    }
}
