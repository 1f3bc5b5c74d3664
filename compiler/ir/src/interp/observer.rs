//! Observation of a run: an [`Observer`] receives each executed instruction with its operands and
//! its result, and each change of control flow.
//!
//! Without an observer ([`NoObserver`]) the observing code does not exist.

use super::evaluate::Flags;
use crate::arena::{RegisterId, RoutineId};
use crate::inst::Inst;
use crate::operand::WriteMask;
use crate::span::Span;

/// Receiver of the events of a run.
pub trait Observer {
    /// True if the run produces events.
    const IS_ENABLED: bool = true;

    /// Receives an instruction after its execution.
    fn record_instruction(&mut self, event: &InstructionEvent<'_>);

    /// Receives a change of control flow.
    fn record_flow(&mut self, event: FlowEvent);
}

/// Observer that receives nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const IS_ENABLED: bool = false;

    fn record_instruction(&mut self, _: &InstructionEvent<'_>) {}

    fn record_flow(&mut self, _: FlowEvent) {}
}

/// An executed instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstructionEvent<'i> {
    /// Index of the invocation among those that run together.
    pub invocation: usize,
    /// Index in [`Program::insts`](crate::Program::insts).
    pub index: usize,
    /// The instruction.
    pub inst: &'i Inst,
    /// Operands, in the order of its sources.
    pub operands: Vec<OperandValue>,
    /// Value of the destination; `None` if the instruction has none.
    pub result: Option<WrittenValue>,
    /// True if a memory access was not within its buffer or region, or a texture index not within
    /// its array.
    pub is_access_out_of_bounds: bool,
}

/// Value of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperandValue {
    /// Lanes with swizzle and modifiers applied.
    pub lanes: [u64; 4],
    /// Lanes after the swizzle that the instruction reads, given the lanes that it has written.
    pub read: WriteMask,
    /// Element of an array that was selected.
    pub element: Option<SelectedElement>,
}

/// Element of an array, selected by an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SelectedElement {
    /// Value of the index.
    pub requested: i64,
    /// Number of elements; the index was clamped to them.
    pub len: u32,
}

impl SelectedElement {
    /// Returns true if the index selects no element of the array.
    pub fn is_out_of_bounds(self) -> bool {
        !(0..i64::from(self.len)).contains(&self.requested)
    }

    /// Returns the element that was accessed: the index, clamped to the array.
    pub fn clamp_to_array(self) -> u32 {
        let last = i64::from(self.len.max(1)) - 1;
        self.requested.clamp(0, last) as u32
    }
}

/// Value of a destination after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenValue {
    /// The register.
    pub register: RegisterId,
    /// Element of a register array that was selected.
    pub element: Option<SelectedElement>,
    /// Lanes that the instruction has written: those of its mask whose guard holds.
    pub written: WriteMask,
    /// All lanes of the register after the instruction.
    pub lanes: [u64; 4],
    /// All lanes of the condition-code register that was updated.
    pub codes: Option<[Flags; 4]>,
}

/// A change of control flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowEvent {
    /// Index of the invocation among those that run together.
    pub invocation: usize,
    /// The change.
    pub change: FlowChange,
}

/// Kind of a change of control flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlowChange {
    /// A two-way branch.
    Branch {
        /// True if the condition holds.
        is_taken: bool,
        /// The condition codes that the condition tests, in its order; `None` if it tests a register.
        codes: Option<[Flags; 4]>,
        /// Source.
        span: Span,
    },
    /// A loop begins its first iteration.
    LoopStart {
        /// Source.
        span: Span,
    },
    /// A loop begins another iteration.
    Iteration {
        /// Number of complete iterations.
        complete: u64,
    },
    /// A multi-way branch.
    Switch {
        /// Value of the selector.
        value: u32,
        /// Source.
        span: Span,
    },
    /// A jump out of the innermost loop or switch.
    Break {
        /// True if it is a loop.
        leaves_loop: bool,
    },
    /// A jump to the next iteration of the innermost loop.
    Continue,
    /// A call of a routine.
    Call {
        /// The routine.
        routine: RoutineId,
        /// Source.
        span: Span,
    },
    /// The end of a routine, or of the program.
    Return,
}
