//! Positions in buffers: the selected buffer of an array, and the bounds check of the offset.
//!
//! Storage and counter buffers have the size that the caller binds: reads beyond it return 0 and
//! writes have no effect, which the module ensures itself unless the device does
//! ([`robust_buffer_access2`](crate::options::DeviceFeatures::robust_buffer_access2)). Sizes count
//! in whole words. Constant buffers of a size that the program declares, the parameters of a state
//! program and private memory have a fixed size; accesses beyond it behave the same.

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::capability::Need;
use crate::emit::control::guarded::{run_by_case, run_if};
use crate::emit::cx::BufferEmitter;
use crate::emit::memory::buffer::CONSTANT_WORDS;
use crate::emit::memory::member::{Indexing, Member, choose_member, run_at_member};
use crate::error::Failure;
use glasm_ir::resource::{BufferKind, STATE_BYTES};
use glasm_ir::{BufferId, MemAccess};
use spirv::Op as Spv;

/// Position in a buffer.
#[derive(Clone, Copy, Debug)]
pub(in crate::emit) struct BufferPlace {
    pub(super) buffer: BufferId,
    pub(super) member: Member,
    /// Offset in bytes.
    pub(super) offset: Val,
}

impl BufferEmitter<'_, '_> {
    /// Chooses the position of an access at `offset` bytes.
    pub(super) fn choose_place(
        &mut self,
        buffer: BufferId,
        access: &MemAccess,
        offset: Val,
    ) -> Result<BufferPlace, Failure> {
        let len = self.f.program.buffers[buffer].array.unwrap_or(1);
        let member = choose_member(self.f, access.element, len)?;
        Ok(BufferPlace {
            buffer,
            member,
            offset,
        })
    }

    /// Runs `access` with a position that the device can index: several times if it needs a case
    /// for each buffer.
    pub(super) fn run_at_place(
        &mut self,
        place: BufferPlace,
        mut access: impl FnMut(&mut Self, BufferPlace) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let buffer = self.f.program.buffers[place.buffer];
        let indexing = Indexing::of_buffers(buffer.kind);
        let len = buffer.array.unwrap_or(1);
        run_at_member(self, indexing, place.member, len, |emit, member| {
            access(emit, BufferPlace { member, ..place })
        })
    }

    /// Computes the number of words of the buffer at a position, unless all accesses are in range
    /// or the device checks them itself.
    pub(super) fn compute_bound(
        &mut self,
        place: BufferPlace,
        view: Scalar,
    ) -> Result<Option<Val>, Failure> {
        match self.f.program.buffers[place.buffer].kind {
            BufferKind::Storage | BufferKind::Counter => {}
            BufferKind::State if self.is_in_state(place) => return Ok(None),
            BufferKind::State => return Ok(Some(self.f.w.uint_val(STATE_BYTES / 4))),
            BufferKind::Private => {
                let count_private_words = self.count_private_words(place.buffer);
                return Ok(Some(self.f.w.uint_val(count_private_words)));
            }
            BufferKind::Constant => return Ok(self.find_constant_bound(place)),
            // Clamped in range when the pointer is computed.
            BufferKind::Shared => return Ok(None),
        }
        if self.f.w.device.robust_buffer_access2 {
            self.f.w.needs.insert(Need::RobustAccess);
            return Ok(None);
        }
        Ok(Some(self.query_length(place, view)?))
    }

    /// Returns true if an access begins within the parameters of a state program, all of which
    /// always exist. Accesses are aligned, so it also ends within them.
    pub(super) fn is_in_state(&self, place: BufferPlace) -> bool {
        let offset = self.f.w.constant_bits(place.offset.id);
        offset.is_some_and(|offset| offset < u64::from(STATE_BYTES))
    }

    /// Computes the size in bytes of the buffer at a position.
    pub(super) fn compute_byte_size(&mut self, place: BufferPlace) -> Result<Val, Failure> {
        let words = match self.f.program.buffers[place.buffer].kind {
            BufferKind::State => self.f.w.uint_val(STATE_BYTES / 4),
            BufferKind::Private => {
                let count_private_words = self.count_private_words(place.buffer);
                self.f.w.uint_val(count_private_words)
            }
            BufferKind::Shared => {
                let count_shared_elements = self.count_shared_elements(place.buffer, Scalar::U32);
                self.f.w.uint_val(count_shared_elements)
            }
            BufferKind::Constant => self.f.w.uint_val(CONSTANT_WORDS),
            BufferKind::Storage | BufferKind::Counter => self.query_length(place, Scalar::U32)?,
        };
        Ok(self.f.w.binary_bits(Spv::ShiftLeftLogical, words, 2))
    }

    /// Returns the number of words that the program declares for a constant buffer, unless the
    /// access is certainly within them: accesses are aligned.
    fn find_constant_bound(&mut self, place: BufferPlace) -> Option<Val> {
        let size = self.f.program.buffers[place.buffer].size?;
        let offset = self.f.w.constant_bits(place.offset.id);
        let known = offset.is_some_and(|offset| offset + 16 <= u64::from(size));
        (!known).then(|| self.f.w.uint_val(size.div_ceil(4)))
    }

    /// Queries the number of elements of a buffer that the caller binds.
    fn query_length(&mut self, place: BufferPlace, view: Scalar) -> Result<Val, Failure> {
        let length = |emit: &mut Self, place| {
            let block = emit.compute_block_pointer(place, view.into());
            emit.f.w.op(Spv::ArrayLength, Scalar::U32, 1, &[block.0, 0])
        };
        let Member::Divergent(number) = place.member else {
            return Ok(length(self, place));
        };
        // Devices may be unable to query the lengths of different buffers at once.
        let len = self.f.program.buffers[place.buffer].array.unwrap_or(1);
        let lanes = run_by_case(self, self.f.w.val(number), len, |emit, case| {
            let member = Member::Constant(case);
            Ok(length(emit, BufferPlace { member, ..place }).alone())
        })?;
        Ok(self.f.w.val(lanes[0].id()))
    }
}

/// Runs `access` if word `word` is in range; returns zeros otherwise.
pub(super) fn run_inside<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    bound: Option<Val>,
    word: Val,
    access: impl FnOnce(&mut C) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    match bound {
        Some(bound) => {
            let inside = cx.as_mut().test(Spv::ULessThan, word, bound);
            run_if(cx, inside, access)
        }
        None => access(cx),
    }
}
