//! The interpreter of the IR: the reference semantics of programs, in the simplest form. Tests
//! compare generated code with it.
//!
//! [`Interpreter::run_main`] runs one invocation alone: derivatives are 0, barriers have no effect,
//! and the caller implements sampling. [`Interpreter::run_quad`] runs four fragments, which have
//! derivatives. An [`Observer`] receives what a run executes. Invocations that communicate run together: the invocations
//! for a patch, a primitive or a work group (`interpreter`). Registers are initially 0. Float
//! arithmetic is IEEE 754 with denormals, unless the program's modes require other rules; sums of
//! products are rounded after every operation; the transcendental functions are the host's in
//! double precision. Every float operation computes in double precision and rounds once to its
//! type, which for `+ - * / sqrt` is equivalent to computing in the type.

mod alu;
mod convert;
mod environment;
mod evaluate;
mod execute;
mod flow;
mod images;
mod interpreter;
mod machine;
mod memory;
mod observe;
mod observer;
mod quad;
mod quad_run;

pub use convert::{from_f64, to_f64};
pub use environment::{
    Environment, ImageRequest, InterpolationPoint, NoTextures, ProgramMemory, Region, TexRequest,
    TextureSource,
};
pub use evaluate::{
    Carries, Denormals, Flags, FloatArithmetic, SourceLanes, ZeroTimesInf, apply_abs,
    apply_modifiers, apply_negation, compute_carries, convert_result, evaluate_op,
};
pub use interpreter::{Interpreter, Schedule};
pub use machine::{EmittedVertices, PatchOutputs, RunResult, StepLimitExceeded, VertexOutputs};
pub use observer::{
    FlowChange, FlowEvent, InstructionEvent, NoObserver, Observer, OperandValue, SelectedElement,
    WrittenValue,
};
pub use quad::QuadFragment;

#[cfg(test)]
mod tests;
