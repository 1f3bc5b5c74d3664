//! Entry points that this library implements: memory of the application is accessed here, and
//! everything else is decided in safe code.

mod attributes;
mod buffers;
mod combiners;
mod evaluators;
mod extensions;
mod feedback;
mod lists;
mod memory_ranges;
mod parameters;
mod pixels;
mod programs;
mod texture_images;
mod texture_shaders;

pub(super) use attributes::*;
pub(super) use buffers::*;
pub(super) use combiners::*;
pub(super) use evaluators::*;
pub(super) use extensions::*;
pub(super) use feedback::*;
pub(super) use lists::*;
pub(super) use memory_ranges::*;
pub(super) use parameters::*;
pub(super) use pixels::*;
pub(super) use programs::*;
pub(super) use texture_images::*;
pub(super) use texture_shaders::*;
