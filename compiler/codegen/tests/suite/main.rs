//! Tests of code generation: modules and their reflection.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod basics;
mod buffers;
mod capture;
mod constant_flow;
mod constants;
mod fixed_state;
mod flow;
mod groups;
mod handles;
mod images;
mod interface;
mod kept_memory;
mod memory;
mod modes;
mod operations;
mod primitives;
mod random;
mod sparse;
mod state_forms;
mod state_programs;
mod support;
mod texture_wraps;
mod textures;
mod varying_names;
mod views;
