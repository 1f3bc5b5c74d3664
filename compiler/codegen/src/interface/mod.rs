//! Stage inputs, outputs, parameters and resources: variables, their loaded values in the open
//! function, the reflection.

mod attrib64;
pub(crate) mod builtin;
mod context;
mod dynamic_state;
mod fragment;
pub(crate) mod inputs;
pub(crate) mod names;
mod params;
mod per_vertex;

pub(crate) use context::{
    ImageVariable, Interface, InvocationCopies, Io, ParamMember, Params, SamplerVariable,
    TextureVariable, UNIFORM_SLOTS, base_scalar, constant_one, decorate_binding, emit_at_start,
    find_by_key, is_storage_block, load_at_start, load_element_at_start, param_class,
    stage_binding_index, to_scalar_kind,
};
pub(crate) use per_vertex::{Vertex, input_primitive, takes_quadrilaterals, tess_level_count};
