//! Scenes: scripts that draw programs without a hand-written script.
//!
//! A scene consists of the programs, the stages that they need in addition, a mesh, and a value for
//! every input that the programs read. Which values suit a program follows from its intermediate
//! representation: `usage`, `state_usage` and `matrices` analyze it, `vectors` has the results for
//! parameters; `mesh`, `model`, `shape`, `attributes`, `textures`, `texture_files`, `parameters`
//! and `view` provide the values; `stages` and `compute` add stages; `build` writes the script.
//! Nothing here reads the command line or runs scripts.

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
mod usage;
mod vectors;
mod view;

pub(crate) use attributes::AttributeKind;
pub(crate) use build::{Scene, build_scene, build_scene_script};
pub(crate) use mesh::Mesh;
pub(crate) use model::read_model;
pub(crate) use options::{MatrixSetting, ParameterBank, ParameterSetting, SceneOptions};
pub(crate) use program::{SceneInput, SceneProgram};
pub(crate) use texture_files::TextureImage;
pub(crate) use textures::{PATTERNS, TextureContents, TextureKind};
