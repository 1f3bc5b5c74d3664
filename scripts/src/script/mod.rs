//! Scripts: from the text of a `.shader_test` file to programs, vertex data and commands. No Vulkan
//! calls here.
//!
//! `docs/scripts.md` describes the language. The files are in layers, none of which depends on a
//! higher one: the words of a line (`tokenizer`, `texel_literals`); the script as data (`command`,
//! `pipeline_state`, `section`, combined in `model`); the parsers of the sections (`require`,
//! `test`, `vertex_data`), each with its table of first words at the top; `parse`, which reads a
//! script. Queries on a parsed script are in `program_state`, `diagnostics`, `stream_outputs` and
//! `stages`.

mod alternate_programs;
pub mod command;
mod fixed_function_key;
mod model;
mod parse;
pub mod pipeline_state;
mod program_state;
mod require;
mod section;
mod source_map;
pub mod stages;
pub mod stream_outputs;
mod test;
mod texel_literals;
mod tokenizer;
pub(crate) mod vertex_data;

pub use crate::texture::target_name;
pub(crate) use command::state_properties;
pub use command::{
    BindTarget, BoundImage, BufferAddress, BufferDecl, BufferId, BufferKey, BufferKind,
    BufferRange, CaptureCount, Clear, CombinerChannels, CombinerOutputs, CombinerUpdate, Command,
    CountKind, Draw, DrawSource, EnvironmentMode, ExpectedError, ExpectedPosition, Faces,
    FixedCapability, FixedUpdate, FogUpdate, GlOutcome, GroupCount, HandleUnit, ImageKey,
    IndexWidth, LightUpdate, MaterialUpdate, MatrixTarget, MatrixUpdate, ParamBank, ParamType,
    ParamValue, PointUpdate, PrimitiveAssembly, ScriptStep, StateProgramOutcome, StateUpdate,
    Switch, TexEnvUpdate, TextureEnables, TextureShaderUpdate, capture_ranges,
};
pub use fixed_function_key::{FixedFunctionState, FixedVertexOutputs, VertexProcessing};
pub use model::{Attachments, Convention, MAX_COLORS, Requirements, Script};
pub use program_state::{MAX_STATES, PatchState, ProgramState};
pub use require::fixed;
pub use section::{AlternateProgram, ProgramForm, ProgramSection};
pub use source_map::SourceMap;
pub use stages::{ProgramLabel, find_assembly_programs, is_script, program_labels, read_covers};
pub use tokenizer::ScriptError;
pub use vertex_data::{Column, VertexData};

#[cfg(test)]
mod buffer_tests;
mod diagnostics;
#[cfg(test)]
mod doc_tests;
#[cfg(test)]
mod feedback_tests;
#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod tests;
