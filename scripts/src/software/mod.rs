//! Execution of draws and dispatches of a script by the interpreter of the IR, for one invocation at
//! a time: to trace it, and to compare its result with that of a device.
//!
//! [`SceneState`] has the state that the commands of the script set. [`find_fragment`] rasterizes
//! the draws at one pixel and returns the fragment that determines its color; [`find_vertex`],
//! [`find_primitive`] and [`find_invocation`] return the other kinds of invocations. A
//! [`TracedInvocation`] contains everything that its program reads, and runs any number of times.
//!
//! | part | purpose |
//! |---|---|
//! | `state` | state of the script between commands |
//! | `programs` | programs of the stages, generated ones among them, in the IR |
//! | `initial_results` | results that programs do not write |
//! | `environment` | parameters, buffers and memory of a program |
//! | `vertices`, `primitives` | attributes of vertices, vertices of primitives |
//! | `patches`, `tessellator` | tessellation programs; subdivision of patches |
//! | `raster`, `line`, `raster_run` | coverage and interpolation; draws at the pixels of an area |
//! | `fragment`, `pixel`, `stencil` | inputs of fragments; per-fragment tests and blending |
//! | `sampler`, `filter`, `images` | texels |
//! | `draw`, `dispatch` | vertices and primitives of a draw; work groups |
//! | `scene`, `selection` | draws and dispatches in order; vertices and primitives of a draw |
//! | `capture` | scripts that capture the results of vertices and primitives on a device |
//!
//! What is not simulated is an error, or a limitation that the result lists: multisampling, layers,
//! several views, logical operations, depth bias, coverage masks, anisotropic filters.

mod capture;
mod dispatch;
mod draw;
mod environment;
mod filter;
mod fragment;
mod images;
mod initial_results;
mod invocation;
mod line;
mod patches;
mod pixel;
mod primitives;
mod programs;
mod raster;
mod raster_run;
mod sampler;
mod scene;
mod selection;
mod state;
mod stencil;
mod tessellator;
mod vertices;

pub use capture::{CaptureScript, CapturedResult, EMPTY_WORD};
pub use dispatch::{ComputeSelection, LocatedInvocation, find_invocation};
pub use invocation::{InvocationResult, TracedInvocation};
pub use pixel::PixelColors;
pub use programs::StageProgram;
pub use scene::{
    FragmentSelection, LocatedFragment, RenderedImage, RenderedImages, find_fragment, render_images,
};
pub use selection::{LocatedVertices, find_primitive, find_vertex};
pub use state::SceneState;

#[cfg(test)]
mod tests;
