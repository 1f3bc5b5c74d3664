//! The opened device, its queue and its memory.

use super::instance::Instance;
use super::physical::{PhysicalDevice, SOFTWARE};
use super::pool::ObjectPool;
use crate::error::{CallContext, Error};
use crate::requirements::Capabilities;
use ash::vk;
use glasm_scripts::timing::Clock;
use glasm_scripts::timing::Stopwatch;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, Allocator, AllocatorCreateDesc};
use gpu_allocator::{AllocationSizes, AllocatorDebugSettings};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::rc::Rc;
use std::time::Duration;

/// Minimum size of memory blocks: scripts need little.
const SMALLEST_BLOCK: u64 = 4 << 20;
const LARGEST_BLOCK: u64 = 64 << 20;

/// Maximum memory of a script. Software devices allocate more than the machine has, and the system
/// then terminates some process.
const MEMORY_BUDGET: u64 = 3 << 30;

/// Opened device with one queue.
pub(crate) struct Device {
    pub(super) raw: ash::Device,
    pub(super) queue: vk::Queue,
    pub(super) command_pool: vk::CommandPool,
    pub(super) command_buffer: vk::CommandBuffer,
    pub(super) fence: vk::Fence,
    pub(super) pipeline_cache: vk::PipelineCache,
    /// `None` from the beginning of `drop`.
    allocator: RefCell<Option<Allocator>>,
    /// Bytes that are in use.
    allocated: Cell<u64>,
    address_functions: Option<ash::khr::buffer_device_address::Device>,
    lost: Cell<bool>,
    timeout: Duration,
    /// Time of the script, and its limit.
    script_time: Cell<Option<(Stopwatch, Duration)>>,
    /// True if the device computes in this process, on the CPU.
    is_software: bool,
    /// Objects that are available for reuse.
    pub(super) pool: ObjectPool,
    /// Clock of the phases.
    pub(crate) clock: Rc<Clock>,
    pub(crate) capabilities: Capabilities,
    /// Enabled extensions that scripts require.
    pub(crate) extra_extensions: BTreeSet<String>,
    pub(crate) instance: Rc<Instance>,
}

impl Device {
    /// Opens a device with all features that it has, and with `extra_extensions`, which it must
    /// have; `timeout` limits each draw or dispatch. Returns an error if a Vulkan call or the
    /// allocator fails.
    pub(crate) fn open(
        instance: &Rc<Instance>,
        physical: &PhysicalDevice,
        extra_extensions: &BTreeSet<String>,
        timeout: Duration,
        clock: &Rc<Clock>,
    ) -> Result<Rc<Self>, Error> {
        let capabilities = physical.capabilities.clone();
        let raw = create_device(instance, physical, extra_extensions)?;
        // SAFETY: the family and queue were requested when the device was created.
        let queue = unsafe { raw.get_device_queue(physical.queue_family, 0) };
        // From here on `Drop` cleans up, whichever step fails.
        let mut device = Self {
            queue,
            command_pool: vk::CommandPool::null(),
            command_buffer: vk::CommandBuffer::null(),
            fence: vk::Fence::null(),
            pipeline_cache: vk::PipelineCache::null(),
            allocator: RefCell::new(None),
            allocated: Cell::new(0),
            address_functions: address_functions(instance, &raw, &capabilities),
            lost: Cell::new(false),
            timeout,
            script_time: Cell::new(None),
            is_software: physical.info.device_type == SOFTWARE,
            pool: ObjectPool::default(),
            clock: Rc::clone(clock),
            capabilities,
            extra_extensions: extra_extensions.clone(),
            instance: Rc::clone(instance),
            raw,
        };
        device.create_objects(physical)?;
        Ok(Rc::new(device))
    }

    /// Creates the objects that every script uses: command pool and buffer, fence, pipeline cache,
    /// and memory allocator.
    fn create_objects(&mut self, physical: &PhysicalDevice) -> Result<(), Error> {
        let pool_info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(physical.queue_family);
        // SAFETY: the queue family was requested when the device was created.
        self.command_pool = unsafe { self.raw.create_command_pool(&pool_info, None) }
            .call("vkCreateCommandPool")?;
        let buffer_info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.command_pool)
            .command_buffer_count(1);
        // SAFETY: the pool is valid.
        let buffers = unsafe { self.raw.allocate_command_buffers(&buffer_info) }
            .call("vkAllocateCommandBuffers")?;
        self.command_buffer = buffers[0];
        // SAFETY: the create infos are valid.
        self.fence = unsafe { self.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .call("vkCreateFence")?;
        let cache_info = vk::PipelineCacheCreateInfo::default();
        // SAFETY: the create info is valid.
        self.pipeline_cache = unsafe { self.raw.create_pipeline_cache(&cache_info, None) }
            .call("vkCreatePipelineCache")?;
        let sizes = AllocationSizes::new(SMALLEST_BLOCK, SMALLEST_BLOCK)
            .with_max_device_memblock_size(LARGEST_BLOCK)
            .with_max_host_memblock_size(LARGEST_BLOCK);
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: self.instance.raw.clone(),
            device: self.raw.clone(),
            physical_device: physical.handle,
            debug_settings: AllocatorDebugSettings::default(),
            buffer_device_address: self.has_addresses(),
            allocation_sizes: sizes,
        })?;
        self.allocator = RefCell::new(Some(allocator));
        Ok(())
    }

    /// Returns true if the device supports descriptors without a resource (`nullDescriptor`).
    pub(crate) fn has_null_descriptors(&self) -> bool {
        self.capabilities.features.contains("nullDescriptor")
    }

    /// Returns true if programs can access slices of three-dimensional images as two-dimensional
    /// ones (`image2DViewOf3D`).
    pub(super) fn has_flat_views_of_3d(&self) -> bool {
        self.capabilities.features.contains("image2DViewOf3D")
    }

    /// Returns true if the device supports addresses of buffers (`bufferDeviceAddress`).
    pub(super) fn has_addresses(&self) -> bool {
        self.capabilities.features.contains("bufferDeviceAddress")
    }

    /// Returns true if descriptors that no program accesses may be invalid
    /// (`descriptorBindingPartiallyBound`).
    pub(super) fn has_partial_bindings(&self) -> bool {
        let features = &self.capabilities.features;
        features.contains("descriptorBindingPartiallyBound")
    }

    /// Returns true if work on the device was abandoned: none of its objects can be used or
    /// destroyed any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.get()
    }

    /// Marks the device as lost: it runs no more commands, and its objects are not destroyed.
    pub(super) fn set_lost(&self) {
        self.lost.set(true);
    }

    /// Drops all pooled objects. They own the device: without this it would never be destroyed.
    pub(crate) fn clear_pool(&self) {
        self.pool.clear();
    }

    /// Starts measuring the time of a script, which replaces that of the previous one; waits fail
    /// once it exceeds `limit`.
    pub(crate) fn start_clock(&self, limit: Duration) {
        self.script_time.set(Some((self.start_stopwatch(), limit)));
    }

    /// Starts measuring time: CPU time of this process for software devices, otherwise elapsed
    /// time.
    pub(super) fn start_stopwatch(&self) -> Stopwatch {
        if self.is_software {
            Stopwatch::for_process(std::process::id())
        } else {
            Stopwatch::for_wall_clock()
        }
    }

    /// Returns the time to wait for work that began with `work` before the stopwatches are checked
    /// again: the lesser of what remains for the device and for the script. Returns the error of an
    /// exceeded time limit.
    pub(super) fn time_left(&self, work: &Stopwatch) -> Result<Duration, Error> {
        let left = work
            .remaining(self.timeout)
            .ok_or(Error::TimedOut(self.timeout))?;
        let Some((script, limit)) = self.script_time.get() else {
            return Ok(left);
        };
        match script.remaining(limit) {
            Some(script_left) => Ok(left.min(script_left)),
            None => Err(Error::ScriptTimedOut(limit)),
        }
    }

    /// Allocates memory from the device's allocator and adds it to the memory in use. Returns an
    /// error if the total would exceed [`MEMORY_BUDGET`], or if the allocator has none.
    pub(super) fn allocate(&self, desc: &AllocationCreateDesc<'_>) -> Result<Allocation, Error> {
        let total = self.allocated.get().saturating_add(desc.requirements.size);
        if total > MEMORY_BUDGET {
            return Err(Error::TooMuchMemory(MEMORY_BUDGET));
        }
        let mut allocator = self.allocator.borrow_mut();
        let allocator = allocator
            .as_mut()
            .expect("the allocator lives as long as objects that can ask for memory");
        let allocation = allocator.allocate(desc)?;
        self.allocated.set(self.allocated.get() + allocation.size());
        Ok(allocation)
    }

    /// Returns memory to the device's allocator and subtracts it from the memory in use; does not
    /// fail.
    pub(super) fn free(&self, allocation: Allocation) {
        let left = self.allocated.get().saturating_sub(allocation.size());
        self.allocated.set(left);
        if let Some(allocator) = self.allocator.borrow_mut().as_mut() {
            // Freeing fails only for memory of another allocator; such an error cannot be handled
            // here.
            let _ = allocator.free(allocation);
        }
    }

    /// Returns the address of a buffer, which was created with the usage for it; 0 if the device
    /// has no addresses.
    pub(super) fn buffer_address(&self, buffer: vk::Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        match &self.address_functions {
            _ if !self.has_addresses() => 0,
            // SAFETY: the feature is enabled, and the buffer was created with the usage that this
            // call needs.
            Some(functions) => unsafe { functions.get_buffer_device_address(&info) },
            // SAFETY: as above, and Vulkan 1.2 has the function.
            None => unsafe { self.raw.get_buffer_device_address(&info) },
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let allocator = self.allocator.get_mut().take();
        if self.is_lost() {
            // Work may never end: its resources cannot be destroyed, only leaked, down to the
            // library with the driver's code.
            std::mem::forget(allocator);
            std::mem::forget(Rc::clone(&self.instance));
            return;
        }
        drop(allocator);
        // SAFETY: the handles were created from this device or are null, they are not used any
        // more, and all other objects of the device hold a reference to it and are destroyed.
        unsafe {
            self.raw.destroy_pipeline_cache(self.pipeline_cache, None);
            self.raw.destroy_fence(self.fence, None);
            self.raw.destroy_command_pool(self.command_pool, None);
            self.raw.destroy_device(None);
        }
    }
}

/// Creates the logical device with the extensions and features that the runner uses, where they are
/// available, and with `extra_extensions`, whose absence is an error.
fn create_device(
    instance: &Instance,
    physical: &PhysicalDevice,
    extra_extensions: &BTreeSet<String>,
) -> Result<ash::Device, Error> {
    let available = &physical.capabilities.extensions;
    let mut extensions: BTreeSet<CString> = physical
        .support
        .extensions()
        .iter()
        .copied()
        .map(CStr::to_owned)
        .collect();
    let optional = [
        ash::khr::portability_subset::NAME,
        ash::khr::sampler_mirror_clamp_to_edge::NAME,
    ];
    let optional = optional
        .into_iter()
        .filter(|name| available.contains(&*name.to_string_lossy()));
    extensions.extend(optional.map(CStr::to_owned));
    let extra = extra_extensions.iter().map(String::as_str);
    extensions.extend(extra.filter_map(|name| CString::new(name).ok()));
    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(physical.queue_family)
        .queue_priorities(&[1.0])];
    let mut features = physical.support.enabled.clone();
    let mut list = features.link();
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .push_next(&mut list);
    // SAFETY: the device has the queue family, the extensions and the requested features; all
    // pointers outlive the call.
    unsafe { instance.raw.create_device(physical.handle, &info, None) }.call("vkCreateDevice")
}

/// Returns the functions of `VK_KHR_buffer_device_address` if the device has buffer addresses and a
/// Vulkan version below 1.2; `None` otherwise, since later versions have them in core.
fn address_functions(
    instance: &Instance,
    device: &ash::Device,
    capabilities: &Capabilities,
) -> Option<ash::khr::buffer_device_address::Device> {
    let needed =
        capabilities.version < [1, 2, 0] && capabilities.features.contains("bufferDeviceAddress");
    needed.then(|| ash::khr::buffer_device_address::Device::new(&instance.raw, device))
}
