//! Usages of buffers and images: devices are queried for these usages, and objects are created with
//! them.

use ash::vk;
use gpu_allocator::MemoryLocation;

/// Address of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Addressing {
    /// The address is not used.
    #[default]
    None,
    Any,
    /// Address whose upper half is zero.
    Low,
}

/// Uses of a buffer of a script, in addition to those as uniform and storage buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ScriptBufferUsage {
    /// Access of programs to its address.
    pub(crate) address: Addressing,
    /// Vertices are captured into it.
    pub(crate) capture: bool,
}

/// Use of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BufferUse {
    /// Parameters of programs.
    Parameters,
    /// All uses of buffers of scripts.
    Script(ScriptBufferUsage),
    /// Positions of captured vertices.
    CaptureCounter,
    /// Buffer texture.
    Texels,
    /// Buffer texture that programs write, too.
    StorageTexels,
    Vertex,
    Index,
    /// Copies to images.
    Upload,
    /// Copies from images.
    Readback,
}

impl BufferUse {
    /// Returns the Vulkan usage flags of a buffer with this use; those of buffers of scripts depend
    /// on the access to their address and on captures.
    pub(super) fn usage_flags(self) -> vk::BufferUsageFlags {
        match self {
            Self::Parameters => {
                vk::BufferUsageFlags::UNIFORM_BUFFER | vk::BufferUsageFlags::STORAGE_BUFFER
            }
            Self::Script(ScriptBufferUsage { address, capture }) => {
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

    pub(super) fn is_low(self) -> bool {
        matches!(self, Self::Script(roles) if roles.address == Addressing::Low)
    }

    /// Returns the kind of memory of a buffer: cached for the CPU if it reads what the device
    /// writes, otherwise for uploads.
    pub(super) fn memory_location(self) -> MemoryLocation {
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

/// Buffer at a low address.
pub(super) const LOW_BUFFER: BufferUse = BufferUse::Script(ScriptBufferUsage {
    address: Addressing::Low,
    capture: false,
});

/// Usage of storage images with samples, which shaders fill and read.
pub(super) const MULTISAMPLE_STORAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::STORAGE.as_raw() | vk::ImageUsageFlags::SAMPLED.as_raw(),
);

/// Returns the usage of a multisample attachment: `attachment`, copies from it, and sampling by
/// shaders.
pub(super) fn multisample_usage(attachment: vk::ImageUsageFlags) -> vk::ImageUsageFlags {
    attachment | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::SAMPLED
}
