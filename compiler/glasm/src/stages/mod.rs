//! Stages that pipelines need in addition to their programs, as programs of the intermediate
//! representation.
//!
//! | stage | needed if |
//! | --- | --- |
//! | [`build_control_stage`] | evaluation programs have no control program: GL has default patch levels |
//! | [`build_replication_stage`] | programs select several viewports or views without device support |

mod ir_text_builder;
mod passthrough;
mod replicate;

pub use glasm_codegen::options::{DefaultTessLevels, MAX_VIEWPORTS};
pub(crate) use ir_text_builder::IrTextBuilder;
pub use passthrough::{
    AttributeCopy, FragmentShading, PatchVarying, build_color_fragment, build_control_stage,
    build_passthrough_control, build_passthrough_evaluation, build_passthrough_geometry,
    build_passthrough_vertex,
};
pub use replicate::build_replication_stage;
