//! Recording, submitting and waiting: one command buffer at a time.

use super::device::Device;
use crate::error::{CallContext, Error};
use ash::vk;
use glasm_scripts::stopwatch::Stopwatch;
use glasm_scripts::timing::Phase;

/// Source accesses of a full barrier, including memory and host.
const FULL_SRC: vk::AccessFlags = vk::AccessFlags::MEMORY_WRITE;

impl Device {
    /// Records commands, submits them, and waits until they have completed and their writes are
    /// visible to host and device.
    pub(super) fn run(
        &self,
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Result<(), Error> {
        let _phase = self.clock.enter(Phase::Device);
        let work = self.start_stopwatch();
        self.time_left(&work)?;
        let result = self.try_run(record, &work);
        if result.is_err() {
            // The device may still be working, or be lost.
            self.set_lost();
        }
        result
    }

    fn try_run(
        &self,
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
        work: &Stopwatch,
    ) -> Result<(), Error> {
        let commands = self.command_buffer;
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is not in use, and its pool allows resetting it.
        unsafe { self.raw.begin_command_buffer(commands, &begin) }.call("vkBeginCommandBuffer")?;
        record(&self.raw, commands);
        self.barrier_to_host(commands);
        // SAFETY: the command buffer is being recorded, outside of a render pass.
        unsafe { self.raw.end_command_buffer(commands) }.call("vkEndCommandBuffer")?;
        // SAFETY: the fence is not in use.
        unsafe { self.raw.reset_fences(&[self.fence]) }.call("vkResetFences")?;
        let buffers = [commands];
        let submit = vk::SubmitInfo::default().command_buffers(&buffers);
        // SAFETY: the command buffer is complete; all objects in it outlive the wait, or are leaked
        // if it fails.
        unsafe { self.raw.queue_submit(self.queue, &[submit], self.fence) }
            .call("vkQueueSubmit")?;
        self.wait(work)
    }

    /// Waits for the submitted work.
    fn wait(&self, work: &Stopwatch) -> Result<(), Error> {
        loop {
            let time = self.time_left(work)?;
            let timeout = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            // SAFETY: the fence is valid.
            match unsafe { self.raw.wait_for_fences(&[self.fence], true, timeout) } {
                Err(vk::Result::TIMEOUT) => {}
                result => return result.call("vkWaitForFences"),
            }
        }
    }

    fn barrier_to_host(&self, commands: vk::CommandBuffer) {
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(FULL_SRC)
            .dst_access_mask(
                vk::AccessFlags::HOST_READ
                    | vk::AccessFlags::MEMORY_READ
                    | vk::AccessFlags::MEMORY_WRITE,
            );
        let dst_stage = vk::PipelineStageFlags::HOST | vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the command buffer is being recorded, outside of a render pass.
        unsafe {
            self.raw.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::ALL_COMMANDS,
                dst_stage,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
        }
    }
}
