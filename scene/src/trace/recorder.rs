//! Recording of a run: the executed instructions with what is remarkable about them.

use glasm::ir::inst::{get_result_type, get_source_type};
use glasm::ir::interp::{
    FlowChange, FlowEvent, InstructionEvent, Observer, OperandValue, WrittenValue, to_f64,
};
use glasm::ir::{Inst, OperandBase, Program, RegisterId, Storage};
use std::collections::HashMap;

/// Events that are recorded at most; a run may have more.
const MAX_EVENTS: usize = 1 << 20;

/// A recorded event.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Event {
    /// An instruction.
    Instruction(InstructionRecord),
    /// A change of control flow.
    Flow(FlowChange),
}

/// An executed instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct InstructionRecord {
    /// Index in [`Program::insts`].
    pub index: usize,
    /// Operands.
    pub operands: Vec<OperandValue>,
    /// Destination.
    pub result: Option<WrittenValue>,
    /// What is remarkable.
    pub findings: Vec<Finding>,
}

/// Something remarkable about an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// A NaN of finite operands.
    Nan,
    /// An infinity of finite operands.
    Infinity,
    /// Operand that reads lanes which nothing has written.
    Uninitialized(usize),
    /// An index outside of its array.
    IndexOutOfBounds {
        /// Value of the index.
        requested: i64,
        /// Number of elements.
        len: u32,
    },
    /// A memory access outside of its buffer, or an index outside of an array of textures.
    AccessOutOfBounds,
}

impl Finding {
    /// Returns the kind of the finding as a word: a key of the JSON output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Nan => "nan",
            Self::Infinity => "infinity",
            Self::Uninitialized(_) => "uninitialized",
            Self::IndexOutOfBounds { .. } | Self::AccessOutOfBounds => "out_of_bounds",
        }
    }

    /// Returns true for results that are not finite.
    pub fn is_not_finite(self) -> bool {
        matches!(self, Self::Nan | Self::Infinity)
    }
}

/// Observer that records the events of one invocation.
pub(super) struct Recorder<'p> {
    program: &'p Program,
    invocation: usize,
    /// The events, in order.
    pub(super) events: Vec<Event>,
    /// True if there were more events than are recorded.
    pub(super) is_truncated: bool,
    /// Lanes that were written, by register and element.
    written: HashMap<(RegisterId, u32), u8>,
}

impl<'p> Recorder<'p> {
    /// Returns a recorder for the invocation with this index among those that run together.
    pub(super) fn new(program: &'p Program, invocation: usize) -> Self {
        Self {
            program,
            invocation,
            events: Vec::new(),
            is_truncated: false,
            written: HashMap::new(),
        }
    }

    /// Records an event, unless there are too many.
    fn push(&mut self, event: Event) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        } else {
            self.is_truncated = true;
        }
    }

    /// Returns what is remarkable about an instruction.
    fn list_findings(&self, event: &InstructionEvent<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (number, operand) in event.operands.iter().enumerate() {
            if self.reads_unwritten_lanes(event.inst, number, operand) {
                findings.push(Finding::Uninitialized(number));
            }
        }
        let elements = event.operands.iter().map(|operand| operand.element);
        let elements = elements.chain(event.result.map(|result| result.element));
        let outside = elements
            .flatten()
            .find(|element| element.is_out_of_bounds());
        if let Some(element) = outside {
            findings.push(Finding::IndexOutOfBounds {
                requested: element.requested,
                len: element.len,
            });
        } else if event.is_access_out_of_bounds {
            findings.push(Finding::AccessOutOfBounds);
        }
        findings.extend(self.find_non_finite_result(event));
        findings
    }

    /// Returns true if an operand is a temporary and the instruction reads lanes of it that nothing
    /// has written.
    fn reads_unwritten_lanes(&self, inst: &Inst, number: usize, operand: &OperandValue) -> bool {
        let src = self.program.source(inst, number);
        let OperandBase::Register(register) = src.base else {
            return false;
        };
        if self.program.registers[register].storage == Storage::Cond {
            return false;
        }
        let element = operand.element.map_or(0, |it| it.clamp_to_array());
        let written = self.written.get(&(register, element)).copied();
        let read = src.swizzle.find_source_lanes(operand.read.0);
        read & !written.unwrap_or(0) != 0
    }

    /// Returns the finding of a result that is not finite although all operands are; `None` for copies
    /// and for results that are not floats.
    fn find_non_finite_result(&self, event: &InstructionEvent<'_>) -> Option<Finding> {
        let result = event.result?;
        let ty = get_result_type(event.inst);
        if !ty.is_float() {
            return None;
        }
        let is_finite = |(number, operand): (usize, &OperandValue)| {
            let ty = get_source_type(self.program, event.inst, number);
            let mut lanes = operand.read.lanes();
            lanes.all(|lane| !ty.is_float() || to_f64(ty, operand.lanes[lane]).is_finite())
        };
        if !event.operands.iter().enumerate().all(is_finite) {
            return None;
        }
        let values = result.written.lanes();
        let mut values = values.map(|lane| to_f64(ty, result.lanes[lane]));
        let found = values.find(|value| !value.is_finite())?;
        Some(if found.is_nan() {
            Finding::Nan
        } else {
            Finding::Infinity
        })
    }
}

impl Observer for Recorder<'_> {
    fn record_instruction(&mut self, event: &InstructionEvent<'_>) {
        if event.invocation != self.invocation {
            return;
        }
        let findings = self.list_findings(event);
        if let Some(result) = &event.result {
            let element = result.element.map_or(0, |it| it.clamp_to_array());
            let written = self.written.entry((result.register, element)).or_default();
            *written |= result.written.0;
        }
        self.push(Event::Instruction(InstructionRecord {
            index: event.index,
            operands: event.operands.clone(),
            result: event.result,
            findings,
        }));
    }

    fn record_flow(&mut self, event: FlowEvent) {
        if event.invocation == self.invocation {
            self.push(Event::Flow(event.change));
        }
    }
}
