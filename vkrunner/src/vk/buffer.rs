//! Buffers that host and device share.
//!
//! Buffers whose addresses have 32 bits are in memory below 4 GiB: pages of this process that the
//! device shares. Programs without 64-bit registers can only access such addresses. Drivers for
//! CPUs use the addresses of the process; on devices with separate addresses, buffers have
//! arbitrary ones, and scripts that need low addresses are skipped.

use super::device::Device;
use super::pool::{Poolable, Pooled};
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
pub(crate) type Buffer = Pooled<BufferObject>;

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
    /// Returns a buffer of `size` bytes, at least 4, filled with zeros: a pooled one of the same
    /// use and size, or a new one. The time is attributed to the phase of resources.
    pub(crate) fn new(device: &Rc<Device>, usage: BufferUse, size: u64) -> Result<Self, Error> {
        let _phase = device.clock.enter(Phase::Resources);
        let size = size.max(4);
        let make = || BufferObject::create(device, usage, size);
        let mut buffer = Self::get_or_create(device, (usage, size), make)?;
        buffer.bytes_mut().fill(0);
        Ok(buffer)
    }

    /// Returns a buffer with these contents, of their size but at least 4 bytes; the bytes after
    /// shorter contents are 0.
    pub(crate) fn with_contents(
        device: &Rc<Device>,
        usage: BufferUse,
        contents: &[u8],
    ) -> Result<Self, Error> {
        let mut buffer = Self::new(device, usage, contents.len() as u64)?;
        buffer.bytes_mut()[..contents.len()].copy_from_slice(contents);
        Ok(buffer)
    }

    /// Returns an error if buffers cannot have addresses of 32 bits; allocates one to find out.
    pub(crate) fn check_low_addresses(device: &Rc<Device>) -> Result<(), Error> {
        Self::new(device, LOW_BUFFER, 4).map(drop)
    }
}

impl BufferObject {
    /// Creates a buffer with undefined contents and binds memory to it. Returns an error if memory
    /// is not available, for low addresses [`Error::NoLowAddresses`].
    fn create(device: &Rc<Device>, usage: BufferUse, size: u64) -> Result<Self, Error> {
        let mut shared = vk::ExternalMemoryBufferCreateInfo::default()
            .handle_types(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
        let mut info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage.usage_flags())
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

    /// Allocates memory for the buffer and binds it; frees it again if that fails.
    fn allocate(&self, requirements: vk::MemoryRequirements) -> Result<Allocation, Error> {
        let allocation = self.device.allocate(&AllocationCreateDesc {
            name: "buffer",
            requirements,
            location: self.usage.memory_location(),
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

    /// Returns the contents. The device must be idle.
    pub(crate) fn bytes(&self) -> &[u8] {
        let mapped = self.memory.as_ref().and_then(|memory| match memory {
            BufferMemory::Allocated(allocation) => allocation.mapped_slice(),
            BufferMemory::Low(memory) => Some(memory.bytes()),
        });
        &mapped.expect("shared memory is mapped as long as it is allocated")[..self.size as usize]
    }

    /// Returns the contents, to be changed. The device must be idle.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let mapped = self.memory.as_mut().and_then(|memory| match memory {
            BufferMemory::Allocated(allocation) => allocation.mapped_slice_mut(),
            BufferMemory::Low(memory) => Some(memory.bytes_mut()),
        });
        &mut mapped.expect("shared memory is mapped as long as it is allocated")
            [..self.size as usize]
    }

    /// Returns the address in device memory; 0 if the buffer was created without one.
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

impl Poolable for BufferObject {
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

/// Pages of this process that the device uses as its memory.
pub(super) struct LowMemory {
    raw: vk::DeviceMemory,
    pages: Pages,
    device: Rc<Device>,
}

impl LowMemory {
    /// Maps pages of this process below 4 GiB for a buffer, imports them as device memory and binds
    /// them. Returns [`Error::NoLowAddresses`] if there are none, the device cannot import them, or
    /// the device gives the buffer another address.
    pub(super) fn new(
        device: &Rc<Device>,
        buffer: vk::Buffer,
        requirements: vk::MemoryRequirements,
    ) -> Result<Self, Error> {
        let pages = Pages::new(requirements.size).ok_or(Error::NoLowAddresses)?;
        let functions =
            ash::ext::external_memory_host::Device::new(&device.instance.raw, &device.raw);
        let kind = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
        let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
        // SAFETY: the script needs the extension, so it is enabled; the pages are mapped.
        let result = unsafe {
            (functions.fp().get_memory_host_pointer_properties_ext)(
                functions.device(),
                kind,
                pages.start,
                &mut properties,
            )
        };
        result
            .result()
            .call("vkGetMemoryHostPointerPropertiesEXT")?;
        let types = properties.memory_type_bits & requirements.memory_type_bits;
        if types == 0 {
            return Err(Error::NoLowAddresses);
        }
        let mut flags =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default()
            .handle_type(kind)
            .host_pointer(pages.start);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(pages.size as u64)
            .memory_type_index(types.trailing_zeros())
            .push_next(&mut flags)
            .push_next(&mut import);
        // SAFETY: the pages are mapped, aligned, and of the size in the info; they outlive the
        // memory.
        let raw = unsafe { device.raw.allocate_memory(&info, None) }.call("vkAllocateMemory")?;
        let memory = Self {
            raw,
            pages,
            device: Rc::clone(device),
        };
        // SAFETY: the memory fits the requirements and is bound once.
        unsafe { device.raw.bind_buffer_memory(buffer, raw, 0) }.call("vkBindBufferMemory")?;
        let end = device
            .buffer_address(buffer)
            .saturating_add(requirements.size);
        if end <= LIMIT {
            Ok(memory)
        } else {
            Err(Error::NoLowAddresses)
        }
    }

    /// Returns the contents; the device is idle.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the pages are mapped and initialized, and they are not changed while the device
        // is idle.
        unsafe { std::slice::from_raw_parts(self.pages.start.cast(), self.pages.size) }
    }

    /// Returns the contents, to be changed; the device is idle.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is the only one.
        unsafe { std::slice::from_raw_parts_mut(self.pages.start.cast(), self.pages.size) }
    }
}

impl Drop for LowMemory {
    fn drop(&mut self) {
        if self.device.is_lost() {
            self.pages.leak();
            return;
        }
        // SAFETY: the memory was allocated from this device, which is idle; the buffer in it is
        // destroyed.
        unsafe { self.device.raw.free_memory(self.raw, None) };
    }
}

/// Addresses end here.
const LIMIT: u64 = 1 << 32;
/// Alignment of shared memory: no device requires a larger one.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
const ALIGNMENT: usize = 1 << 16;

/// Mapped pages below 4 GiB.
struct Pages {
    start: *mut std::ffi::c_void,
    /// Bytes; 0 if they are not this object's any more.
    size: usize,
}

impl Pages {
    /// Marks the pages as not owned, so that they are never unmapped: a device that is lost may
    /// still use them.
    fn leak(&mut self) {
        self.size = 0;
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
impl Pages {
    /// Maps zero pages of `size` bytes, rounded up to [`ALIGNMENT`], below 4 GiB; `None` if there
    /// is no free range. Addresses with the highest of 32 bits set are preferred: they reveal
    /// whether programs zero-extend addresses.
    fn new(size: u64) -> Option<Self> {
        use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
        let size = usize::try_from(size)
            .ok()?
            .checked_next_multiple_of(ALIGNMENT)?;
        const STEP: usize = 1 << 28;
        let hints = (8..16).chain((1..8).rev()).map(|number| number * STEP);
        for hint in hints {
            let access = ProtFlags::READ | ProtFlags::WRITE;
            let hint = std::ptr::without_provenance_mut(hint);
            // SAFETY: new pages, at the hint only if it is free.
            let start = unsafe { mmap_anonymous(hint, size, access, MapFlags::PRIVATE) }.ok()?;
            let pages = Self { start, size };
            let end = (start as usize).checked_add(size)?;
            if end as u64 <= LIMIT && (start as usize).is_multiple_of(ALIGNMENT) {
                return Some(pages);
            }
        }
        None
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
impl Drop for Pages {
    fn drop(&mut self) {
        if self.size > 0 {
            // SAFETY: the pages were mapped here, and no reference to them exists any more. A
            // failure would only leave them mapped.
            let _ = unsafe { rustix::mm::munmap(self.start, self.size) };
        }
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
impl Pages {
    /// Returns `None`: other systems cannot allocate memory at specific addresses.
    fn new(_size: u64) -> Option<Self> {
        None
    }
}
