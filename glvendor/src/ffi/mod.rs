//! Access to memory of the application and the driver, and nothing else: the interfaces of GLVND
//! ([`glx`], [`egl`]), the driver ([`driver`]), the entry points of OpenGL ([`entry`], [`own`]),
//! values that the driver writes ([`query`]) and buffers that it maps ([`ring`]).
//!
//! Applications follow the OpenGL specification with regard to the memory that their pointers refer
//! to; this is the reason of every `unsafe` here that has no other. The specification guarantees
//! nothing if it defines an error: counts, sizes, targets and names are validated before a pointer
//! is used. Pointers need not be aligned, and other threads may write to the memory: see
//! [`memory`].

#![allow(
    clippy::missing_safety_doc,
    reason = "the specification of each command says what its pointers must be"
)]

pub(crate) mod current;
pub(crate) mod driver;
mod egl;
pub(crate) mod entry;
mod glx;
pub(crate) mod memory;
mod native;
mod own;
pub(crate) mod query;
pub(crate) mod ring;

pub use egl::__egl_Main;
pub use glx::__glx_Main;
pub(crate) use native::trusted_variable;
