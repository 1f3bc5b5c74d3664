//! The typed register IR of glasm.
//!
//! A [`Program`] is one shader stage: registers of four lanes, resources, and a tree of structured control flow whose leaves
//! are runs of [`Inst`]ructions. Lanes are bits; an instruction's [`Type`] says how it reads them. The IR is close to the
//! machines that the assembly languages describe and is not in SSA form: code generation gets there in one pass.
//!
//! This crate knows no source language and no SPIR-V.

#![forbid(unsafe_code)]

pub mod arena;
pub mod builder;
pub mod flow;
#[cfg(any(test, feature = "generate"))]
pub mod generate;
pub mod image;
pub mod inst;
pub mod interp;
pub mod op;
pub mod parse;
pub mod print;
pub mod program;
pub mod resource;
pub mod semantic;
pub mod span;
pub mod state;
pub mod structurize;
mod text;
pub mod types;
pub mod units;
pub mod verify;

pub use arena::{Id, IndexVec};
pub use builder::Builder;
pub use image::{Image, ImageAccess, ImageTexels};
pub use inst::{
    Aux, Base, Cond, CondTest, Dst, Guard, Index, IndexTerm, Inst, InstFlags, Saturate, Src,
    Swizzle, WriteMask,
};
pub use op::{Op, OpInfo, ResultShape};
pub use parse::{ParseError, parse};
pub use print::print;
pub use program::{
    Block, BlockId, Case, Modes, Node, Program, Register, RegisterId, Routine, RoutineId, Stage,
    Storage, Switch, SwitchId,
};
pub use resource::{
    Buffer, BufferId, BufferKind, ImageId, MemAccess, Param, ParamId, ParamSource, TexAccess,
    TexTarget, Texture, TextureId,
};
pub use semantic::{Input, InputId, Interpolation, Output, OutputId, Semantic};
pub use span::Span;
pub use state::StateParam;
pub use text::Word;
pub use types::{Base as TypeBase, Type, Width};
pub use units::Units;
pub use verify::{VerifyError, verify};
