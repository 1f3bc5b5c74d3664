//! All calls of Vulkan, and all `unsafe` code of the crate.
//!
//! One owner type per Vulkan object; its `Drop` destroys it and it owns its device. Objects that
//! scripts often need with the same properties are pooled, see `pool`. Work is submitted and
//! waited for at once, so whenever safe code runs, the device is idle: no object is in use while it
//! is changed, read or destroyed. The exception is a device that timed out or was lost; it is
//! marked and none of its objects is used from then on, not even to destroy them.
//!
//! Invariant for the safety of the functions here: handles that a type owns are valid until its
//! `Drop`, and all objects of a call belong to the same device.
//!
//! Layers, from bottom to top: `instance`; `physical`, the capabilities of devices; `device`;
//! memory with `buffer`, `image` and `pool`; textures and their upload and readback; descriptors,
//! framebuffers and pipelines; `commands`, which records, submits and waits.

mod buffer;
mod commands;
mod descriptors;
mod device;
mod feedback;
mod fixed_function;
mod framebuffer;
mod image;
mod image_copy;
mod instance;
mod multisample;
mod occlusion;
mod physical;
mod pipeline;
mod pool;
mod sample_copy;
mod sampler;
mod shader;
mod texture;
mod usage;

pub(crate) use buffer::Buffer;
pub(crate) use commands::{DrawCall, DrawCount, IndexedDraw, WorkGroups};
pub(crate) use descriptors::{Binding, DescriptorMatch, Layout, Resource};
pub(crate) use device::Device;
pub(crate) use feedback::{CaptureBuffer, CaptureCall, CaptureCounts, CaptureStart};
pub(crate) use framebuffer::{AttachmentReads, Framebuffer};
pub(crate) use image_copy::raw_format;
pub(crate) use instance::Instance;
pub(crate) use occlusion::SampleCounter;
pub use physical::DeviceInfo;
pub(crate) use physical::PhysicalDevice;
pub(crate) use pipeline::{
    ClipSpace, ComputePipeline, GraphicsPipeline, PipelineDesc, VertexAttribute, VertexBinding,
};
pub(crate) use sampler::Comparing;
pub(crate) use sampler::SampledTexture;
pub(crate) use shader::{ShaderModule, ShaderStage};
pub(crate) use texture::{Texture, TextureUse};
pub(crate) use usage::{Addressing, BufferUse, ScriptBufferUsage};
