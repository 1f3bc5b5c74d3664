//! A GLVND vendor library: unmodified OpenGL applications load programs of NV_vertex_program to
//! NV_gpu_program5 on drivers without support for them.
//!
//! The system's libGL and libEGL request commands from this library (`__glx_Main`, `__egl_Main`),
//! and it requests them from the vendor whose driver draws. Most commands are that driver's own.
//! Commands about programs are implemented here: program strings become SPIR-V, pairs of them
//! become program objects of the driver when primitives are drawn, and parameters and GL state are
//! passed to them in uniform buffers.
//!
//! - `ffi` contains all access to memory of others: the interfaces of GLVND, the commands of the
//!   driver, the entry points, queries.
//! - `context` is the state of a context, `share` the state that contexts share: program objects
//!   and display lists.
//! - `arguments` validates arguments before they are read, `names` hides objects of this library.
//! - `commands` executes commands, `draw` prepares programs, `state` reads GL's state from the
//!   driver.
//!
//! `docs/driver.md` is the manual.

mod answers;
mod arguments;
mod arrays;
mod buffers;
mod commands;
mod compute;
mod context;
mod draw;
mod dump;
mod evaluators;
mod extensions;
mod feedback;
mod ffi;
mod fixed;
mod images;
mod limits;
mod lists;
mod lock;
mod log;
mod materials;
mod mixed_pipeline;
mod names;
mod objects;
mod overrides;
mod params;
mod pipeline;
mod pixels;
mod raster;
mod reader;
mod redeclared;
mod shapes;
mod target;
mod text;
mod textures;
mod window;

pub use ffi::{__egl_Main, __glx_Main};
