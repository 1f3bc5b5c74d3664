//! Upload of parameters: writes the uniform blocks of a pipeline to a ring of buffers and binds
//! them. A block is written only if a parameter of it may have changed.

use crate::capabilities::Capabilities;
use crate::context::{ShareGroupRef, TargetState};
use crate::ffi::ring_buffer::{BufferRing, ParameterBuffer};
use crate::pipeline::STAGES;
use crate::program_parameters::{BlockLocation, ParameterVersions, UniformBlock};
use crate::target::TARGETS;
use glasm::state::GlState;
use std::sync::Arc;

/// Number of uniform blocks that are bound at a time. Their bindings are consecutive.
const BLOCK_BINDINGS: usize = STAGES;

/// Values of parameters in a context.
#[derive(Clone, Copy)]
pub(super) struct ParameterValues<'a> {
    pub(super) targets: &'a [TargetState; TARGETS.len()],
    pub(super) gl_state: &'a GlState,
}

/// Buffers of parameters of a context.
#[derive(Default)]
pub(super) struct ParameterUpload {
    ring: BufferRing,
    /// Bytes of the block that is written. The memory is reused.
    block_bytes: Vec<u8>,
    /// Bound ranges, with their bindings.
    bound_ranges: [Option<(u32, BlockLocation)>; BLOCK_BINDINGS],
    /// Version of the GL state that blocks are written from.
    state_version: u64,
}

impl ParameterUpload {
    /// Records that values of GL state were read, so that blocks are written again.
    pub(super) fn invalidate_state(&mut self) {
        self.state_version += 1;
    }

    /// Writes the blocks that have changed to the ring of buffers and binds all of them. If the
    /// buffer's name is claimed by the application meanwhile, all are written to another buffer, at
    /// most 8 times. Failures of the driver leave blocks unbound.
    pub(super) fn upload_blocks(
        &mut self,
        blocks: &mut [UniformBlock],
        values: ParameterValues<'_>,
        capabilities: &Capabilities,
        share: &ShareGroupRef,
    ) {
        // Another thread may claim the name of the buffer in between. Then another buffer receives
        // all blocks.
        const MOST_TRIES: usize = 8;
        (0..MOST_TRIES).find_map(|_| self.try_upload_blocks(blocks, values, capabilities, share));
    }

    /// Writes the blocks that have changed and binds those that are not bound yet. Returns `None`
    /// if the name of the buffer was claimed in between, or the driver cannot create or map a
    /// buffer.
    fn try_upload_blocks(
        &mut self,
        blocks: &mut [UniformBlock],
        values: ParameterValues<'_>,
        capabilities: &Capabilities,
        share: &ShareGroupRef,
    ) -> Option<()> {
        let alignment = capabilities.uniform_alignment;
        let sizes = blocks.iter().map(|it| 16 * it.sources.len() + alignment);
        self.ring
            .reserve(sizes.sum(), capabilities.map_method, share)?;
        for block in blocks {
            let versions = block.current_versions(values.targets, self.state_version);
            let location = match self.written_location(block, versions) {
                Some(location) => location,
                None => self.write_block(block, values, alignment)?,
            };
            block.last_written = Some((versions, location));
            let index = block.binding as usize % BLOCK_BINDINGS;
            if self.bound_ranges[index] != Some((block.binding, location)) {
                let range = (location.offset, location.size);
                self.ring
                    .bind_range(block.binding, range, capabilities.bind_method)?;
                self.bound_ranges[index] = Some((block.binding, location));
            }
        }
        Some(())
    }

    /// Returns the location of a block in the current buffer if its bytes are those of these
    /// versions; `None` if it must be written.
    fn written_location(
        &self,
        block: &UniformBlock,
        versions: ParameterVersions,
    ) -> Option<BlockLocation> {
        let buffer = self.ring.buffer();
        let (written, location) = block.last_written?;
        (written == versions && location.buffer == buffer).then_some(location)
    }

    /// Writes the current bytes of a block to the ring, at a multiple of `alignment`, and returns
    /// their location. Returns `None` if the name of the buffer was claimed or the driver does not
    /// map it.
    fn write_block(
        &mut self,
        block: &UniformBlock,
        values: ParameterValues<'_>,
        alignment: usize,
    ) -> Option<BlockLocation> {
        self.block_bytes.clear();
        let bound = block.target.map(|target| &values.targets[target as usize]);
        block.append_bytes(bound, values.gl_state, &mut self.block_bytes);
        Some(BlockLocation {
            buffer: self.ring.buffer(),
            offset: self.ring.write(&self.block_bytes, alignment)?,
            size: self.block_bytes.len(),
        })
    }

    /// Removes and returns the current buffer, which the caller deletes; `None` if there is none.
    pub(super) fn take_buffer(&mut self) -> Option<Arc<ParameterBuffer>> {
        self.ring.take_buffer()
    }
}
