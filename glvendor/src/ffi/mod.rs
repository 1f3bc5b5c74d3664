//! Access to memory of the application and the driver, and nothing else: the interfaces of window
//! systems ([`platform`]), the driver ([`driver`]), the entry points of OpenGL ([`entry_table`],
//! [`entry_points`]), values that the driver writes ([`driver_state`]) and buffers that it maps
//! ([`ring_buffer`]).
//!
//! Applications follow the OpenGL specification with regard to the memory that their pointers refer
//! to; this is the reason of every `unsafe` here that has no other. The specification guarantees
//! nothing if it defines an error: counts, sizes, targets and names are validated before a pointer
//! is used. Pointers need not be aligned, and other threads may write to the memory: see
//! [`client_memory`].

#![allow(
    clippy::missing_safety_doc,
    reason = "the specification of each command says what its pointers must be"
)]

pub(crate) mod async_objects;
pub(crate) mod client_memory;
pub(crate) mod current_context;
pub(crate) mod driver;
pub(crate) mod driver_state;
mod entry_points;
pub(crate) mod entry_table;
mod memory_allocator;
pub(crate) mod platform;
pub(crate) mod ring_buffer;

#[cfg(unix)]
pub use platform::{__egl_Main, __glx_Main};
pub(crate) use platform::{is_privileged, write_message};
