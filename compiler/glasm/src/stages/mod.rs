//! Stages that pipelines need in addition to their programs, as programs of the intermediate
//! representation.
//!
//! | stage | needed if |
//! | --- | --- |
//! | [`control_stage`] | evaluation programs have no control program: GL has default patch levels |
//! | [`replication_stage`] | programs select several viewports or views without device support |

mod default_tess_control;
mod ir_text_builder;
mod passthrough;
mod replicate;

pub use default_tess_control::control_stage;
pub use glasm_codegen::options::{MAX_VIEWPORTS, PatchLevels};
pub(crate) use ir_text_builder::IrTextBuilder;
pub use passthrough::{
    AttributeCopy, PassedPatch, Shading, pass_color, pass_evaluation, pass_patch, pass_primitive,
    pass_vertex,
};
pub use replicate::replication_stage;
