//! The interpreter of the IR: what a program means, said in the plainest way. Tests hold generated code against it.
//!
//! [`Interpreter::run`] runs one invocation alone: derivatives are 0, barriers do nothing, and sampling is the caller's. Invocations that have
//! to do with each other run together: those of a patch, of a primitive, of a work group (`together`). Registers start as 0.
//! Float arithmetic is IEEE 754 with denormals, as far as the program's modes do not ask for other rules; sums of products round after every operation; the transcendental functions
//! are those of the host in double precision. Every float operation computes in double precision and rounds once to its type,
//! which for `+ - * / sqrt` gives the same as computing in the type.

mod alu;
mod convert;
mod environment;
mod evaluate;
mod execute;
mod flags;
mod flow;
mod group;
mod interpreter;
mod machine;
mod memory;
mod operand;
mod pack;
mod primitive;
mod shared;
mod stack;
mod texture;
mod together;
mod value;

pub use convert::{from_f64, to_f64};
pub use environment::{Environment, NoTextures, ProgramMemory, Region, TexRequest, Textures};
pub use evaluate::{
    Arithmetic, Carries, Denormals, Products, Sources, carries, evaluate, magnitude, negation,
    operand, written,
};
pub use flags::Flags;
pub use interpreter::Interpreter;
pub use machine::{Outcome, StepLimit};
pub use shared::{Emitted, Patch, Vertex};
pub use together::Schedule;

#[cfg(test)]
mod tests;
