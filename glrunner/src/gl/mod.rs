//! All calls of EGL and OpenGL, and all `unsafe` code of the crate.
//!
//! [`Gl`] is a context that is current on its thread during its lifetime; objects of OpenGL have
//! one owner type each, whose `Drop` deletes the object and which keeps the context alive.
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
mod egl;
mod framebuffer;
mod messages;
mod nv;
mod object;
mod pixels;
mod program;
mod query;
mod renderbuffer;
mod sample_writes;
mod samples;
mod shaders;
mod state;
mod texture;
mod texture_state;

#[cfg(test)]
pub(crate) mod glsl;
#[cfg(test)]
pub(crate) mod permissive;
#[cfg(test)]
pub(crate) mod pretend;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use bindings::constants::*;
pub(crate) use buffer::Buffer;
pub(crate) use context::Gl;
pub use devices::{DeviceInfo, Version, devices};
pub(crate) use draw::{
    ArraySlot, AttributeKind, Conventional, DrawCall, Elements, GenericFormat, IndexType,
    VertexArray,
};
#[cfg(test)]
pub(crate) use framebuffer::TexturePart;
pub(crate) use framebuffer::{ColorTarget, Framebuffer, FramebufferDesc, Sample};
pub(crate) use nv::CapturedResult;
pub(crate) use pixels::ClientFormat;
pub(crate) use program::{LoadError, Program, Target};
pub(crate) use query::{Capture, Query};
pub(crate) use renderbuffer::Renderbuffer;
pub(crate) use sample_writes::SampleLayer;
pub(crate) use shaders::{Module, Refusal, ShaderProgram};
pub(crate) use texture::{Image, Texture};
pub(crate) use texture_state::{Border, StoredBits};
