//! All calls of EGL, WGL and OpenGL, and all `unsafe` code of the crate.
//!
//! [`Gl`] is a context that is current on its thread during its lifetime; objects of OpenGL have
//! one owner type each, whose `Drop` deletes the object and which retains the context.
//! Constants are defined here by the names of the registry, commands are methods of [`Gl`], so that
//! code resembles that of other OpenGL programs: `gl.Enable(gl::BLEND)?`.
//!
//! Commands without pointers are safe and may be called from anywhere in the crate. Commands that
//! transfer memory have wrappers here, which accept slices and compare their lengths with the
//! memory that OpenGL will access. This relies on three conditions, which only code here can
//! violate:
//!
//! - pixels are packed without gaps in both directions: nothing calls `glPixelStore`;
//! - enabled vertex arrays, and indices, are in buffer objects;
//! - no mapped pointer outlives the function that mapped it.

#[allow(
    dead_code,
    reason = "all commands and constants of the registry, of which scripts use a part"
)]
mod bindings;
mod buffer;
mod context;
mod devices;
mod draw;
#[cfg(not(windows))]
mod egl;
mod framebuffer;
mod program;
mod program_state;
mod sample_reads;
mod sample_writes;
mod shaders;
mod texture;
mod texture_state;
#[cfg(windows)]
mod wgl;

#[cfg(test)]
pub(crate) mod glsl;
#[cfg(test)]
pub(crate) mod mock_accepting_driver;
#[cfg(test)]
pub(crate) mod mock_nv_driver;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use bindings::constants::*;
pub(crate) use buffer::Buffer;
pub(crate) use buffer::{Capture, Query};
pub(crate) use context::Gl;
pub use devices::{DeviceInfo, Version, devices};
pub(crate) use draw::{
    ArrayAttribute, AttributeKind, ConventionalAttribute, DrawCall, Elements, GenericFormat,
    IndexType, VertexArray,
};
#[cfg(not(windows))]
use egl as platform;
#[cfg(test)]
pub(crate) use framebuffer::AttachedImage;
pub(crate) use framebuffer::Renderbuffer;
pub(crate) use framebuffer::{ColorAttachmentDesc, Framebuffer, FramebufferDesc, SampleSelection};
pub(crate) use program::CapturedResult;
pub(crate) use program::{LoadError, Program, ProgramTarget};
pub(crate) use sample_writes::SampleLayer;
pub(crate) use shaders::{ShaderError, ShaderProgram, SpirvModule};
pub(crate) use texture::{Image, Texture};
pub(crate) use texture_state::ClientFormat;
pub(crate) use texture_state::{Border, StoredBits};
#[cfg(windows)]
use wgl as platform;
