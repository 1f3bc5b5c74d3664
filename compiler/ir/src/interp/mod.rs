//! The interpreter of the IR: the reference semantics of programs, in the simplest form. Tests
//! compare generated code with it.
//!
//! [`Interpreter::run`] runs one invocation alone: derivatives are 0, barriers have no effect, and
//! the caller implements sampling. Invocations that communicate run together: the invocations for a
//! patch, a primitive or a work group (`scheduler`). Registers are initially 0. Float arithmetic is
//! IEEE 754 with denormals, unless the program's modes require other rules; sums of products are
//! rounded after every operation; the transcendental functions are the host's in double precision.
//! Every float operation computes in double precision and rounds once to its type, which for
//! `+ - * / sqrt` is equivalent to computing in the type.

mod alu;
mod convert;
mod environment;
mod evaluate;
mod execute;
mod flags;
mod flow;
mod group;
mod group_outputs;
mod interpreter;
mod machine;
mod memory;
mod operand;
mod primitive;
mod scheduler;
mod stack;
mod texture;
mod value;
mod vector_ops;

pub use convert::{from_f64, to_f64};
pub use environment::{Environment, NoTextures, ProgramMemory, Region, TexRequest, Textures};
pub use evaluate::{
    Arithmetic, Carries, Denormals, Products, Sources, carries, evaluate, magnitude, negation,
    operand, written,
};
pub use flags::Flags;
pub use group_outputs::{Emitted, Patch, Vertex};
pub use interpreter::Interpreter;
pub use machine::{Outcome, StepLimit};
pub use scheduler::Schedule;

#[cfg(test)]
mod tests;
