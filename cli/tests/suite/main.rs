//! Tests of the command.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;
#[cfg(feature = "run")]
mod compare;
#[cfg(feature = "run")]
mod draw;
#[cfg(feature = "run")]
mod draw_options;
#[cfg(feature = "run")]
mod expectations;
mod extract;
#[cfg(unix)]
mod gl;
mod lsp;
mod programs;
#[cfg(all(feature = "run", unix))]
mod robust;
#[cfg(feature = "run")]
mod script_errors;
#[cfg(all(feature = "run", feature = "serve"))]
mod serve;
mod shipped;
mod support;
#[cfg(feature = "run")]
mod trace;
#[cfg(feature = "run")]
mod trace_device;
