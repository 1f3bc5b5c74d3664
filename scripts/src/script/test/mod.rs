//! The `[test]` section: a file for each group of commands.
//!
//! [`commands`] has the table of first words and is above the files that read the commands. These share what is in [`parser`], which keeps the
//! state that later commands use, and in the files that take words of several commands: [`places`], [`values`], [`stages`], [`pixels`].

mod atomic;
mod attachments;
mod attributes;
mod bindings;
mod buffer_probes;
mod buffers;
pub(super) mod commands;
mod draws;
mod expect;
mod feedback;
pub(super) mod finish;
mod fixed_function;
pub(super) mod fixed_state;
pub(super) mod gl_state;
pub(super) mod matrices;
mod parameters;
pub(super) mod parser;
mod pixel_probes;
mod pixels;
mod places;
mod probes;
pub(super) mod properties;
mod queries;
mod stages;
pub(super) mod textures;
mod units;
mod values;
mod vertex_programs;

pub(super) use commands::parse_line;
pub(super) use finish::finish;
pub(super) use parser::TestParser;
