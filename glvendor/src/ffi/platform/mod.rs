//! Interfaces of window systems to OpenGL. Each platform provides the same few functions:
//!
//! - [`default_lookup`] finds commands of the driver, unless a window system has installed another
//!   function, and [`is_lookup_final`] is true if a command that is not found is missing for good,
//! - [`thread_token`] identifies threads,
//! - [`is_privileged`] is true if variables of the environment are not trusted, [`write_message`]
//!   writes messages.
//!
//! In addition, a window system notifies [`contexts`] when a context is created, made current or
//! destroyed, and of the contexts that share objects: `glx` and `egl` as vendor of GLVND (`glvnd`) on
//! Unix, `wgl` in front of the system's library (`system_library`) on Windows.

mod contexts;
#[cfg(unix)]
mod egl;
#[cfg(windows)]
mod exports;
#[cfg(unix)]
mod glvnd;
#[cfg(unix)]
mod glx;
#[cfg(windows)]
mod system_library;
#[cfg(windows)]
mod wgl;
#[cfg(unix)]
mod window_class;

#[cfg(unix)]
pub use egl::__egl_Main;
#[cfg(unix)]
pub(crate) use glvnd::{
    default_lookup, is_lookup_final, is_privileged, thread_token, write_message,
};
#[cfg(unix)]
pub use glx::__glx_Main;
#[cfg(windows)]
pub(crate) use system_library::{is_privileged, thread_token, write_message};
#[cfg(windows)]
pub(crate) use wgl::{default_lookup, is_lookup_final};
