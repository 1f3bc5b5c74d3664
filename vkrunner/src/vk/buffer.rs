//! Buffers that host and device share.

use super::device::Device;
use super::low_memory::LowMemory;
use super::shelves::{Keep, Kept};
use super::usage::{Addressing, BufferUse, LOW_BUFFER};
use crate::error::{CallContext, Error};
use ash::vk;
use glasm_scripts::timing::Phase;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::rc::Rc;

/// Memory that holds the contents of a buffer.
enum BufferMemory {
    Allocated(Allocation),
    Low(LowMemory),
}

/// Buffer in memory that the host can write and read.
pub(crate) type Buffer = Kept<BufferObject>;

/// Vulkan objects of a [`Buffer`].
pub(crate) struct BufferObject {
    pub(super) raw: vk::Buffer,
    pub(super) size: u64,
    /// `None` only during creation and destruction of the buffer.
    memory: Option<BufferMemory>,
    device: Rc<Device>,
    usage: BufferUse,
}

impl Buffer {
    /// Creates a buffer of `size` bytes, at least 4, filled with zeros.
    pub(crate) fn new(device: &Rc<Device>, usage: BufferUse, size: u64) -> Result<Self, Error> {
        let _phase = device.clock.enter(Phase::Resources);
        let size = size.max(4);
        let make = || BufferObject::create(device, usage, size);
        let mut buffer = Self::get(device, (usage, size), make)?;
        buffer.bytes_mut().fill(0);
        Ok(buffer)
    }

    /// Creates a buffer with these contents.
    pub(crate) fn with_contents(
        device: &Rc<Device>,
        usage: BufferUse,
        contents: &[u8],
    ) -> Result<Self, Error> {
        let mut buffer = Self::new(device, usage, contents.len() as u64)?;
        buffer.bytes_mut()[..contents.len()].copy_from_slice(contents);
        Ok(buffer)
    }

    /// Returns an error if buffers cannot have addresses of 32 bits.
    pub(crate) fn check_low_addresses(device: &Rc<Device>) -> Result<(), Error> {
        Self::new(device, LOW_BUFFER, 4).map(drop)
    }
}

impl BufferObject {
    /// Creates a buffer with undefined contents.
    fn create(device: &Rc<Device>, usage: BufferUse, size: u64) -> Result<Self, Error> {
        let mut shared = vk::ExternalMemoryBufferCreateInfo::default()
            .handle_types(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
        let mut info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage.flags())
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        if usage.is_low() {
            info = info.push_next(&mut shared);
        }
        // SAFETY: the create info is valid.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        let mut buffer = Self {
            raw,
            size,
            memory: None,
            device: Rc::clone(device),
            usage,
        };
        // SAFETY: the buffer was created from this device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        buffer.memory = Some(if usage.is_low() {
            BufferMemory::Low(LowMemory::new(device, raw, requirements)?)
        } else {
            BufferMemory::Allocated(buffer.allocate(requirements)?)
        });
        Ok(buffer)
    }

    fn allocate(&self, requirements: vk::MemoryRequirements) -> Result<Allocation, Error> {
        let allocation = self.device.allocate(&AllocationCreateDesc {
            name: "buffer",
            requirements,
            location: self.usage.location(),
            linear: true,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        })?;
        // SAFETY: the memory fits the requirements and is bound once.
        let bound = unsafe {
            let (memory, offset) = (allocation.memory(), allocation.offset());
            self.device.raw.bind_buffer_memory(self.raw, memory, offset)
        };
        match bound.call("vkBindBufferMemory") {
            Ok(()) => Ok(allocation),
            Err(error) => {
                self.device.free(allocation);
                Err(error)
            }
        }
    }

    /// Returns the contents; the device is idle.
    pub(crate) fn bytes(&self) -> &[u8] {
        let mapped = self.memory.as_ref().and_then(|memory| match memory {
            BufferMemory::Allocated(allocation) => allocation.mapped_slice(),
            BufferMemory::Low(memory) => Some(memory.bytes()),
        });
        &mapped.expect("shared memory is mapped as long as it is allocated")[..self.size as usize]
    }

    /// Returns the contents, to be changed; the device is idle.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let mapped = self.memory.as_mut().and_then(|memory| match memory {
            BufferMemory::Allocated(allocation) => allocation.mapped_slice_mut(),
            BufferMemory::Low(memory) => Some(memory.bytes_mut()),
        });
        &mut mapped.expect("shared memory is mapped as long as it is allocated")
            [..self.size as usize]
    }

    /// Returns the address in device memory; 0 if the buffer was not created for it.
    pub(crate) fn address(&self) -> u64 {
        match self.usage {
            BufferUse::Script(roles) if roles.address != Addressing::None => {
                self.device.buffer_address(self.raw)
            }
            BufferUse::Script(_)
            | BufferUse::CaptureCounter
            | BufferUse::Parameters
            | BufferUse::Texels
            | BufferUse::StorageTexels
            | BufferUse::Vertex
            | BufferUse::Index
            | BufferUse::Upload
            | BufferUse::Readback => 0,
        }
    }
}

impl Keep for BufferObject {
    type Key = (BufferUse, u64);
    const LIMIT: usize = 64;

    fn is_small((_, size): &Self::Key) -> bool {
        *size <= 1 << 16
    }
}

impl Drop for BufferObject {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        let _phase = self.device.clock.enter(Phase::Resources);
        // SAFETY: the buffer was created from this device, and the device is idle.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        if let Some(BufferMemory::Allocated(allocation)) = self.memory.take() {
            self.device.free(allocation);
        }
    }
}
