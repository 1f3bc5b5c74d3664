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
pub mod cfg;
pub mod image;
pub mod inst;
pub mod interp;
pub mod lockstep;
pub mod lower_returns;
pub mod op;
pub mod operand;
pub mod parse;
pub mod primitive;
pub mod print;
pub mod program;
pub mod resource;
pub mod sample_locations;
pub mod semantic;
pub mod span;
mod specialize;
pub mod state;
mod state_params;
pub mod structurize;
#[cfg(test)]
mod test_support;
#[cfg(any(test, feature = "generate"))]
pub mod testgen;
mod text_keywords;
pub mod types;
pub mod verify;

pub use arena::{
    BlockId, BufferId, ImageId, InputId, OutputId, ParamId, RegisterId, RoutineId, SwitchId,
    TextureId,
};
pub use arena::{Id, IndexVec};
pub use builder::{Builder, BuilderScratch};
pub use image::{Image, ImageAccess, ImageTexels};
pub use inst::{Cond, CondTest, Dst, Guard, Inst, InstData, InstFlags, Saturate};
pub use op::{Op, OpFlags, OpInfo, ResultShape};
pub use operand::{Index, IndexTerm, OperandBase, Src, Swizzle, WriteMask};
pub use parse::{ParseError, parse};
pub use print::print;
pub use program::{Block, Case, Modes, Node, Program, Register, Routine, Stage, Storage, Switch};
pub use resource::UnitSet;
pub use resource::{
    Buffer, BufferKind, MemAccess, NamedParam, Param, ParamSource, TexAccess, TexTarget, Texture,
};
pub use semantic::{Input, Interpolation, Output, Semantic};
pub use span::Span;
pub use state::StateParam;
pub use text_keywords::Keyword;
pub use types::{BaseType, Type, Width};
pub use verify::{VerifyError, verify};
