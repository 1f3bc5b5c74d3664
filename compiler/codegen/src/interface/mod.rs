//! Stage inputs, outputs, parameters and resources: variables, their loads, the reflection.

mod attributes;
pub(crate) mod builtin;
mod fragment;
mod group_size;
mod inputs;
pub(crate) mod location;
pub(crate) mod names;
mod params;
mod state;
mod state_program;
mod vars;
mod vertices;

pub(crate) use vars::{
    Copies, ImageVariable, Interface, Io, SamplerVariable, TextureVariable, base_scalar, bind,
    find, make_one, stage_number,
};
pub(crate) use vertices::{Vertex, input_primitive, takes_quadrilaterals, tess_levels};
