//! All calls of Vulkan, and all `unsafe` code of the crate.
//!
//! One owner type per Vulkan object; its `Drop` destroys it and it owns its device. Objects that
//! scripts often need with the same properties are pooled, see `shelves`. Work is submitted and
//! waited for at once, so whenever safe code runs, the device is idle: no object is in use while it
//! is changed, read or destroyed. The exception is a device that timed out or was lost; it is
//! marked and none of its objects is used from then on, not even to destroy them.
//!
//! Invariant for the safety of the functions here: handles that a type owns are valid until its
//! `Drop`, and all objects of a call belong to the same device.
//!
//! Layers, from bottom to top: `instance`; `physical`, the capabilities of devices; `device` and
//! `submit`; memory with `buffer`, `image` and `shelves`; textures and their upload and readback;
//! descriptors, framebuffers and pipelines; `work`, which draws and dispatches.

mod buffer;
mod descriptors;
mod device;
mod feedback;
mod fixed_function;
mod framebuffer;
mod image;
mod instance;
mod low_memory;
mod multisample;
mod occlusion;
mod physical;
mod pipeline;
mod sample_copy;
mod sampled_texture;
mod sampler;
mod shader;
mod shelves;
mod storage_samples;
mod submit;
mod texels;
mod texture;
mod usage;
mod work;

pub(crate) use buffer::Buffer;
pub(crate) use descriptors::{Binding, Fit, Layout, Resource};
pub(crate) use device::Device;
pub(crate) use feedback::{CaptureBuffer, CaptureCall, CaptureCounts, CaptureStart};
pub(crate) use framebuffer::{Framebuffer, Reading};
pub(crate) use instance::Instance;
pub(crate) use occlusion::SampleCounter;
pub use physical::DeviceInfo;
pub(crate) use physical::PhysicalDevice;
pub(crate) use pipeline::{
    ClipSpace, ComputePipeline, GraphicsPipeline, PipelineDesc, VertexAttribute, VertexBinding,
};
pub(crate) use sampled_texture::SampledTexture;
pub(crate) use sampler::Comparing;
pub(crate) use shader::{ShaderModule, ShaderStage};
pub(crate) use texels::raw_format;
pub(crate) use texture::{Texture, TextureUse};
pub(crate) use usage::{Addressing, BufferUse, Roles};
pub(crate) use work::{DrawCall, DrawCount, IndexedDraw, WorkGroups};
