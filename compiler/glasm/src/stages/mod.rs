//! Stages that pipelines need beside their programs, as programs of the intermediate representation.
//!
//! | stage | needed where |
//! |---|---|
//! | [`control_stage`] | tessellation evaluation programs have no control program: GL gives patches default levels |
//! | [`replication_stage`] | programs choose several viewports or views, which devices cannot |

mod control;
mod pass;
mod replicate;
mod sketch;

pub use control::control_stage;
pub use glasm_codegen::options::{MAX_VIEWPORTS, PatchLevels};
pub use pass::{
    AttributeCopy, PassedPatch, Shading, pass_color, pass_evaluation, pass_patch, pass_primitive,
    pass_vertex,
};
pub use replicate::replication_stage;
pub(crate) use sketch::Sketch;
