//! A library in front of the driver of OpenGL: unmodified applications load programs of
//! NV_vertex_program to NV_gpu_program5 on drivers without support for them.
//!
//! On Linux it is a vendor library of GLVND: the system's libGL and libEGL request commands from it
//! (`__glx_Main`, `__egl_Main`), and it requests them from the vendor whose driver draws. On Windows
//! it is an `opengl32.dll` in front of the system's. Most commands are that driver's own.
//! Commands about programs are implemented here: program strings become SPIR-V, pairs of them
//! become program objects of the driver when primitives are drawn, and parameters and GL state are
//! passed to them in uniform buffers.
//!
//! - `ffi` contains all access to memory of others: the interfaces of window systems, the commands of
//!   the driver, the entry points, queries.
//! - `context` is the state of a context, `share_group` the state that contexts share: program
//!   objects and display lists.
//! - `check_arguments` validates arguments before they are read, `object_names` hides objects of
//!   this library.
//! - `program_commands` executes commands, `draw` prepares programs, `state_snapshot` reads GL's
//!   state from the driver.
//!
//! `docs/driver.md` is the manual.

mod capabilities;
mod check_arguments;
mod compute;
mod context;
mod display_lists;
mod draw;
mod evaluators;
mod extension_commands;
mod fences;
mod ffi;
mod fixed_function_key;
mod generated_programs;
mod glsl_output;
mod hidden_extensions;
mod lock;
mod log;
mod memory_ranges;
mod mixed_pipeline;
mod multisample_hint;
mod object_names;
mod occlusion_queries;
mod pipeline;
mod pixel_programs;
mod pixels;
mod primitives;
mod program_commands;
mod program_limits;
mod program_parameters;
mod queries;
mod raster_position;
mod register_combiners;
mod settings;
mod share_group;
mod state_snapshot;
mod target;
mod temporary_state;
mod texture_formats;
mod texture_images;
mod texture_shaders;
mod texture_state;
mod transform_feedback;

#[cfg(unix)]
pub use ffi::{__egl_Main, __glx_Main};
