//! Upload of parameters: writes the uniform blocks of a pipeline to a ring of buffers and binds
//! them. A block is written only if a parameter of it may have changed.

use crate::context::{Bound, Shared};
use crate::extensions::Capabilities;
use crate::ffi::ring::{Ring, Store};
use crate::params::{Block, Location, Versions};
use crate::pipeline::STAGES;
use crate::target::TARGETS;
use glasm::state::GlState;
use std::sync::Arc;

/// Number of uniform blocks that are bound at a time. Their bindings are consecutive.
const BLOCK_BINDINGS: usize = STAGES;

/// Values of parameters in a context.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) bound: &'a [Bound; TARGETS.len()],
    pub(super) gl: &'a GlState,
}

/// Buffers of parameters of a context.
#[derive(Default)]
pub(super) struct ParameterUpload {
    ring: Ring,
    /// Bytes of the block that is written. The memory is reused.
    bytes: Vec<u8>,
    /// Bound ranges, with their bindings.
    bound: [Option<(u32, Location)>; BLOCK_BINDINGS],
    /// Version of the GL state that blocks are written from.
    state_version: u64,
}

impl ParameterUpload {
    /// Records that values of GL state were read, so that blocks are written again.
    pub(super) fn change_state(&mut self) {
        self.state_version += 1;
    }

    /// Writes the blocks that have changed and binds them.
    pub(super) fn send(
        &mut self,
        blocks: &mut [Block],
        values: Values<'_>,
        capabilities: &Capabilities,
        share: &Shared,
    ) {
        // Another thread may claim the name of the buffer in between. Then another buffer receives
        // all blocks.
        const MOST_TRIES: usize = 8;
        (0..MOST_TRIES).find_map(|_| self.try_send(blocks, values, capabilities, share));
    }

    /// Writes and binds blocks. Returns `None` if the name of the buffer was claimed in between.
    fn try_send(
        &mut self,
        blocks: &mut [Block],
        values: Values<'_>,
        capabilities: &Capabilities,
        share: &Shared,
    ) -> Option<()> {
        let alignment = capabilities.uniform_alignment;
        let sizes = blocks.iter().map(|it| 16 * it.slots.len() + alignment);
        self.ring.reserve(sizes.sum(), capabilities.maps, share)?;
        for block in blocks {
            let versions = block.versions(values.bound, self.state_version);
            let location = match self.written_location(block, versions) {
                Some(location) => location,
                None => self.write(block, values, alignment)?,
            };
            block.written = Some((versions, location));
            let index = block.binding as usize % BLOCK_BINDINGS;
            if self.bound[index] != Some((block.binding, location)) {
                let range = (location.offset, location.size);
                self.ring.bind(block.binding, range, capabilities.binds)?;
                self.bound[index] = Some((block.binding, location));
            }
        }
        Some(())
    }

    /// Returns the location of a block in the current buffer if its bytes are up to date.
    fn written_location(&self, block: &Block, versions: Versions) -> Option<Location> {
        let buffer = self.ring.buffer();
        let (written, location) = block.written?;
        (written == versions && location.buffer == buffer).then_some(location)
    }

    /// Writes the bytes of a block. Returns `None` if the name of the buffer was claimed.
    fn write(&mut self, block: &Block, values: Values<'_>, alignment: usize) -> Option<Location> {
        self.bytes.clear();
        let bound = block.target.map(|target| &values.bound[target as usize]);
        block.fill(bound, values.gl, &mut self.bytes);
        Some(Location {
            buffer: self.ring.buffer(),
            offset: self.ring.write(&self.bytes, alignment)?,
            size: self.bytes.len(),
        })
    }

    /// Returns the buffer for the caller to delete.
    pub(super) fn take_buffer(&mut self) -> Option<Arc<Store>> {
        self.ring.take()
    }
}
