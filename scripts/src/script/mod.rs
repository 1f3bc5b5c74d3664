//! Scripts: from the text of a `.shader_test` file to programs, vertex data and commands. No Vulkan
//! calls here.
//!
//! `docs/scripts.md` describes the language. The files are in layers, none of which depends on a
//! higher one: the words of a line (`words`, `names`, `texels`); the script as data (`command`,
//! `pipeline_state`, `requirements`, `section`, combined in `model`); the parsers of the sections
//! (`require`, `test`, `vertex_data`), each with its table of first words at the top; `parse`,
//! which reads a script. Queries on a parsed script are in `program_state`, `localize`, `captures`
//! and `outline`.

pub mod attachments;
pub mod captures;
pub mod command;
mod fixed_keys;
mod localize;
mod model;
pub(crate) mod names;
mod origin;
mod outline;
mod parse;
pub mod pipeline_state;
mod program_state;
mod require;
mod requirements;
mod section;
mod spare;
pub mod stages;
mod test;
mod texels;
mod vertex_data;
mod words;

pub use crate::texture::target_name;
pub use attachments::Attachments;
pub(crate) use command::state_properties;
pub use command::{
    Assembly, BindTarget, BoundImage, BufferAddress, BufferDecl, BufferId, BufferKey, BufferKind,
    BufferRange, CaptureCount, Clear, CombinedLanes, Command, CountKind, Draw, DrawSource,
    EnvironmentMode, Execution, ExpectedError, ExpectedPlace, Faces, FixedCapability, FixedUpdate,
    FogUpdate, GlOutcome, Groups, HandleUnit, ImageKey, IndexWidth, LightUpdate, MaterialUpdate,
    MatrixTarget, MatrixUpdate, ParamBank, ParamType, ParamValue, PointUpdate, StateUpdate, Step,
    Switch, TexEnvUpdate, TextureEnables, captured_ranges,
};
pub use fixed_keys::{FixedFunctions, FixedReads, VertexProcessing};
pub use model::Script;
pub use origin::Origin;
pub use outline::{ProgramLabel, is_script, program_labels, read_covers};
pub use program_state::{MAX_STATES, PatchState, ProgramState};
pub use require::fixed;
pub use requirements::{Convention, Requirements};
pub use section::{ProgramForm, ProgramSection, Spare};
pub use vertex_data::{Column, VertexData};
pub use words::ScriptError;

#[cfg(test)]
mod buffer_tests;
#[cfg(test)]
mod feedback_tests;
#[cfg(test)]
mod manual;
#[cfg(test)]
mod robustness;
#[cfg(test)]
mod tests;
