//! Buffers that host and device share.

use super::device::Device;
use super::kept::Kept;
use super::low_memory::LowMemory;
use crate::error::{CallContext, Error};
use ash::vk;
use glasm_scripts::timing::Phase;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use std::rc::Rc;

/// The address of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Addressing {
    /// Nobody asks for it.
    #[default]
    None,
    Any,
    /// Its upper half is zero.
    Low,
}

/// What a buffer of a script is for, apart from being bound as uniform and storage buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Roles {
    /// How programs reach it by its address.
    pub(crate) address: Addressing,
    /// Vertices are captured into it.
    pub(crate) capture: bool,
}

/// What a buffer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BufferUse {
    /// Parameters of programs.
    Parameters,
    /// Anything that scripts do with buffers.
    Script(Roles),
    /// Positions of captured vertices.
    CaptureCounter,
    /// A buffer texture.
    Texels,
    /// A buffer texture that programs write, too.
    StorageTexels,
    Vertex,
    Index,
    /// Copies to images.
    Upload,
    /// Copies from images.
    Readback,
}

impl BufferUse {
    pub(super) fn flags(self) -> vk::BufferUsageFlags {
        match self {
            Self::Parameters => {
                vk::BufferUsageFlags::UNIFORM_BUFFER | vk::BufferUsageFlags::STORAGE_BUFFER
            }
            Self::Script(Roles { address, capture }) => {
                let mut flags = vk::BufferUsageFlags::UNIFORM_BUFFER
                    | vk::BufferUsageFlags::STORAGE_BUFFER
                    | vk::BufferUsageFlags::INDIRECT_BUFFER;
                if address != Addressing::None {
                    flags |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
                }
                if capture {
                    flags |= vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
                }
                flags
            }
            Self::CaptureCounter => vk::BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT,
            Self::Texels => vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER,
            Self::StorageTexels => vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER,
            Self::Vertex => vk::BufferUsageFlags::VERTEX_BUFFER,
            Self::Index => vk::BufferUsageFlags::INDEX_BUFFER,
            Self::Upload => vk::BufferUsageFlags::TRANSFER_SRC,
            Self::Readback => vk::BufferUsageFlags::TRANSFER_DST,
        }
    }

    fn is_low(self) -> bool {
        matches!(self, Self::Script(roles) if roles.address == Addressing::Low)
    }

    fn location(self) -> MemoryLocation {
        match self {
            Self::Readback | Self::Script(_) | Self::CaptureCounter | Self::StorageTexels => {
                MemoryLocation::GpuToCpu
            }
            Self::Parameters | Self::Texels | Self::Vertex | Self::Index | Self::Upload => {
                MemoryLocation::CpuToGpu
            }
        }
    }
}

/// Where the contents of a buffer are.
enum BufferMemory {
    Allocated(Allocation),
    Low(LowMemory),
}

/// A buffer in memory that the host can write and read.
pub(crate) type Buffer = Kept<BufferObject>;

/// What a [`Buffer`] is.
pub(crate) struct BufferObject {
    pub(super) raw: vk::Buffer,
    pub(super) size: u64,
    /// `None` only while the buffer is made or dropped.
    memory: Option<BufferMemory>,
    device: Rc<Device>,
    usage: BufferUse,
}

impl Buffer {
    /// A buffer of `size` bytes, at least 4, filled with zeros.
    pub(crate) fn new(device: &Rc<Device>, usage: BufferUse, size: u64) -> Result<Self, Error> {
        let _phase = device.clock.enter(Phase::Resources);
        let size = size.max(4);
        let make = || BufferObject::create(device, usage, size);
        let mut buffer = Self::get(device, (usage, size), make)?;
        buffer.bytes_mut().fill(0);
        Ok(buffer)
    }

    /// A buffer with these contents.
    pub(crate) fn with_contents(
        device: &Rc<Device>,
        usage: BufferUse,
        contents: &[u8],
    ) -> Result<Self, Error> {
        let mut buffer = Self::new(device, usage, contents.len() as u64)?;
        buffer.bytes_mut()[..contents.len()].copy_from_slice(contents);
        Ok(buffer)
    }
}

impl BufferObject {
    /// A buffer with any contents.
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
        // SAFETY: the buffer was made from this device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        buffer.memory = Some(match usage.is_low() {
            true => BufferMemory::Low(LowMemory::new(device, raw, requirements)?),
            false => BufferMemory::Allocated(buffer.allocate(requirements)?),
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

    /// The contents; the device is idle.
    pub(crate) fn bytes(&self) -> &[u8] {
        let mapped = self.memory.as_ref().and_then(|memory| match memory {
            BufferMemory::Allocated(allocation) => allocation.mapped_slice(),
            BufferMemory::Low(memory) => Some(memory.bytes()),
        });
        &mapped.expect("shared memory is mapped as long as it is allocated")[..self.size as usize]
    }

    /// The contents, to be changed; the device is idle.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let mapped = self.memory.as_mut().and_then(|memory| match memory {
            BufferMemory::Allocated(allocation) => allocation.mapped_slice_mut(),
            BufferMemory::Low(memory) => Some(memory.bytes_mut()),
        });
        &mut mapped.expect("shared memory is mapped as long as it is allocated")
            [..self.size as usize]
    }

    /// The address in device memory; 0 if the buffer was not made for it.
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

impl Drop for BufferObject {
    fn drop(&mut self) {
        if self.device.is_lost() {
            return;
        }
        let _phase = self.device.clock.enter(Phase::Resources);
        // SAFETY: the buffer was made from this device, and the device is idle.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        if let Some(BufferMemory::Allocated(allocation)) = self.memory.take() {
            self.device.free(allocation);
        }
    }
}
