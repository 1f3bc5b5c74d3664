//! Memory below 4 GiB, for buffers whose addresses have 32 bits: pages of this process that the
//! device shares.
//!
//! Programs without 64-bit registers can only access such addresses. Drivers for CPUs use the
//! addresses of the process; on devices with separate addresses, buffers have arbitrary ones, and
//! scripts that need low addresses are skipped.

use super::device::Device;
use crate::error::{CallContext, Error};
use ash::vk;
use std::rc::Rc;

/// Pages of this process that the device uses as its memory.
pub(super) struct LowMemory {
    raw: vk::DeviceMemory,
    pages: Pages,
    device: Rc<Device>,
}

impl LowMemory {
    /// Allocates memory for a buffer, and binds it.
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
        let found = unsafe {
            (functions.fp().get_memory_host_pointer_properties_ext)(
                functions.device(),
                kind,
                pages.start,
                &mut properties,
            )
        };
        found.result().call("vkGetMemoryHostPointerPropertiesEXT")?;
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
            self.pages.leave();
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
const ALIGNMENT: usize = 1 << 16;

/// Mapped pages below 4 GiB.
struct Pages {
    start: *mut std::ffi::c_void,
    /// Bytes; 0 if they are not this object's any more.
    size: usize,
}

impl Pages {
    /// Leaks the pages without unmapping them: a device that is lost may still use them.
    fn leave(&mut self) {
        self.size = 0;
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
impl Pages {
    /// Maps pages of `size` bytes, all zero. Addresses with the highest of 32 bits set are
    /// preferred: they reveal whether programs zero-extend addresses.
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
