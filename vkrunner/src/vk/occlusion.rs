//! Counts the samples of draws that pass all tests.

use super::device::Device;
use crate::error::{CallContext, Error};
use ash::vk;
use std::cell::Cell;
use std::rc::Rc;

/// Occlusion query.
pub(crate) struct SampleCounter {
    query: vk::QueryPool,
    /// True if the last draw was counted.
    counted: Cell<bool>,
    device: Rc<Device>,
}

impl SampleCounter {
    /// Creates a counter for a device with the feature `occlusionQueryPrecise`.
    pub(crate) fn new(device: &Rc<Device>) -> Result<Self, Error> {
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::OCCLUSION)
            .query_count(1);
        // SAFETY: the create info is valid.
        let query =
            unsafe { device.raw.create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
        Ok(Self {
            query,
            counted: Cell::new(false),
            device: Rc::clone(device),
        })
    }

    /// Discards the previous count, before a draw that may turn out to have no vertices.
    pub(crate) fn discard_count(&self) {
        self.counted.set(false);
    }

    /// Returns the number of samples of the last draw that passed all tests; 0 before the first
    /// draw and after [`Self::discard_count`].
    pub(crate) fn samples(&self) -> Result<u64, Error> {
        if !self.counted.get() {
            return Ok(0);
        }
        let mut samples = [0u64];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the query is finished, because the device is idle after a draw.
        unsafe {
            self.device
                .raw
                .get_query_pool_results(self.query, 0, &mut samples, flags)
        }
        .call("vkGetQueryPoolResults")?;
        Ok(samples[0])
    }

    /// Records the reset of the query, which must precede the render pass.
    pub(super) fn record_reset(&self, commands: vk::CommandBuffer) {
        // SAFETY: the pool has one query, which is not in use.
        unsafe {
            self.device
                .raw
                .cmd_reset_query_pool(commands, self.query, 0, 1)
        };
    }

    /// Records the start of the count, within the render pass, and marks the draw as counted.
    pub(super) fn record_begin(&self, commands: vk::CommandBuffer) {
        self.counted.set(true);
        let flags = vk::QueryControlFlags::PRECISE;
        // SAFETY: the query was reset in this command buffer, and the device counts precisely.
        unsafe {
            self.device
                .raw
                .cmd_begin_query(commands, self.query, 0, flags)
        };
    }

    /// Records the end of the count.
    pub(super) fn record_end(&self, commands: vk::CommandBuffer) {
        // SAFETY: the query was begun in this render pass.
        unsafe { self.device.raw.cmd_end_query(commands, self.query, 0) };
    }
}

impl Drop for SampleCounter {
    fn drop(&mut self) {
        if !self.device.is_lost() {
            // SAFETY: the pool was created from this device, and the device is idle.
            unsafe { self.device.raw.destroy_query_pool(self.query, None) };
        }
    }
}
