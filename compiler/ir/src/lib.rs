//! The typed register IR of glasm.
//!
//! A [`Program`] is one shader stage: registers of four lanes, resources, and a tree of structured
//! control flow whose leaves are runs of [`Inst`]ructions. Lanes are bits; the [`Type`] of an
//! instruction determines their interpretation. The IR is close to the machines that the assembly
//! languages describe and is not in SSA form: code generation constructs SSA in one pass.
//!
//! This crate is independent of source languages and of SPIR-V.

#![forbid(unsafe_code)]

// First, because the other modules use its macro.
#[macro_use]
pub mod arena;
pub mod builder;
mod draw_pixels;
mod exits;
pub mod flow;
#[cfg(any(test, feature = "generate"))]
pub mod generate;
pub mod ids;
pub mod image;
pub mod inst;
pub mod interp;
pub mod lock_step;
pub mod op;
pub mod operand;
pub mod parse;
pub mod primitive;
pub mod print;
pub mod program;
pub mod resource;
pub mod returns;
pub mod samples;
pub mod semantic;
mod shadow_lookups;
pub mod span;
pub mod state;
mod state_params;
pub mod structurize;
mod text_keywords;
#[cfg(test)]
mod traces;
pub mod types;
pub mod units;
pub mod verify;

pub use arena::{Id, IndexVec};
pub use builder::{Builder, BuilderMemory};
pub use ids::{
    BlockId, BufferId, ImageId, InputId, OutputId, ParamId, RegisterId, RoutineId, SwitchId,
    TextureId,
};
pub use image::{Image, ImageAccess, ImageTexels};
pub use inst::{Aux, Cond, CondTest, Dst, Guard, Inst, InstFlags, Saturate};
pub use op::{Op, OpFlags, OpInfo, ResultShape};
pub use operand::{Base, Index, IndexTerm, Src, Swizzle, WriteMask};
pub use parse::{ParseError, parse};
pub use print::print;
pub use program::{Block, Case, Modes, Node, Program, Register, Routine, Stage, Storage, Switch};
pub use resource::{
    Buffer, BufferKind, MemAccess, NamedParam, Param, ParamSource, TexAccess, TexTarget, Texture,
};
pub use semantic::{Input, Interpolation, Output, Semantic};
pub use span::Span;
pub use state::StateParam;
pub use text_keywords::Word;
pub use types::{Base as TypeBase, Type, Width};
pub use units::Units;
pub use verify::{VerifyError, verify};
