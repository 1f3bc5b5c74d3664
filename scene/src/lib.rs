//! Scenes: scripts that draw programs without a hand-written script; and traces of invocations.
//!
//! A scene consists of the programs, the stages that they need in addition, a mesh, and a value for
//! every input that the programs read. Which values suit a program follows from its intermediate
//! representation: `usage`, `state_usage` and `matrices` analyze it, `vectors` has the results for
//! parameters; `mesh`, `model`, `shape`, `attributes`, `textures`, `texture_files`, `parameters`
//! and `view` provide the values; `stages` and `compute` add stages; `build` writes the script.
//! [`trace`] is independent of them. Nothing here reads the command line or uses a device.

#![forbid(unsafe_code)]

mod attributes;
mod build;
mod compute;
mod matrices;
mod mesh;
mod model;
mod options;
mod parameters;
mod program;
mod shape;
mod stages;
mod state_usage;
mod texture_files;
mod textures;
pub mod trace;
mod usage;
mod vectors;
mod view;

pub use attributes::{ATTRIBUTE_KINDS, AttributeKind};
pub use build::{Scene, build_scene, build_scene_script};
pub use mesh::Mesh;
pub use model::read_model;
pub use options::{MatrixSetting, ParameterBank, ParameterSetting, SceneOptions};
pub use program::{InputSetting, SceneInput, SceneProgram};
pub use texture_files::TextureImage;
pub use textures::{PATTERNS, TextureContents, TextureKind};
