//! Declarations of a program.

pub(super) use super::ast::Image as ImageRow;
use super::ast::{MemoryKind, View};
use super::covered::Coverage;
use super::files::File;
use super::operand::Number;
use super::semantics::{Content, Name, Sink};
use crate::memory::take;
use glasm_ir::inst::LiteralId;
use glasm_ir::semantic::Sampling;
use glasm_ir::{InputId, Interpolation, OutputId, RegisterId, WriteMask};
use std::mem;

/// Location of a temporary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TempPlace {
    /// A separate register.
    Own(RegisterId),
    /// An element of an array that instructions index dynamically.
    Element(RegisterId, u32),
}

/// An array of registers that instructions index dynamically.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    /// Its first register in the file.
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) register: RegisterId,
}

/// An input or system value.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputRow {
    pub(super) content: Content,
    pub(super) interpolation: Interpolation,
    pub(super) sampling: Sampling,
    pub(super) per_vertex: bool,
    pub(super) input: Option<InputId>,
}

/// Inputs that instructions index dynamically: consecutive in the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputArray {
    pub(super) id: u32,
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) input: InputId,
}

/// An output.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputRow {
    pub(super) name: Name,
    pub(super) sink: Sink,
    pub(super) place: TempPlace,
    /// Components that exist.
    pub(super) usage: WriteMask,
    pub(super) output: Option<OutputId>,
    pub(super) per_vertex: bool,
}

/// An immediate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Immediate {
    pub(super) words: [u32; 4],
    /// Its literal in the program, once an instruction reads it.
    pub(super) literal: Option<LiteralId>,
}

/// Declared registers. Tables have an entry for each number of a register, lists one for each
/// declaration.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) temps: Vec<Option<TempPlace>>,
    /// Arrays by array id; number 0 is the whole file.
    pub(super) temp_arrays: Vec<Option<Array>>,
    pub(super) addresses: Vec<Option<RegisterId>>,
    pub(super) predicates: Vec<Option<RegisterId>>,
    pub(super) inputs: Vec<Option<InputRow>>,
    pub(super) input_arrays: Vec<InputArray>,
    pub(super) values: Vec<Option<InputRow>>,
    pub(super) outputs: Vec<Option<OutputRow>>,
    /// Arrays with their ids in the source, 0 for none.
    pub(super) output_arrays: Vec<(u32, Array)>,
    pub(super) constants: Coverage,
    pub(super) immediates: Vec<Immediate>,
    pub(super) samplers: Vec<bool>,
    pub(super) views: Vec<Option<View>>,
    pub(super) images: Vec<Option<ImageRow>>,
    pub(super) buffers: Vec<bool>,
    pub(super) memories: Vec<Option<MemoryKind>>,
    /// One above the largest number of a buffer of counters.
    pub(super) counter_buffers: u32,
    /// Registers whose declaration could not be read: file, first, last.
    pub(super) broken: Vec<(File, u32, u32)>,
    /// Vectors of `IMMX`.
    pub(super) rows: Vec<[u32; 4]>,
    /// Arrays of `TEMPX`.
    pub(super) old_arrays: Vec<Option<Array>>,
    /// Arrays that are filled where the program begins.
    pub(super) filled: Vec<Filled>,
}

impl Declared {
    /// Returns the table of inputs or system values.
    #[inline]
    pub(super) fn input_rows(&mut self, file: File) -> &mut Vec<Option<InputRow>> {
        if file == File::Sv {
            &mut self.values
        } else {
            &mut self.inputs
        }
    }

    /// Returns the array that a dynamically indexed register names: by its id, or else by the
    /// number that the index is added to.
    pub(super) fn array_of_output(&self, number: Number) -> Option<Array> {
        let arrays = &self.output_arrays;
        let by_number = |array: &Array| within(number.term.offset, array.first, array.len);
        let found = match number.array {
            0 => {
                let found = arrays.iter().find(|(_, array)| by_number(array));
                // The number may be outside of the arrays; with an index, some array is intended.
                found.or(arrays.first())
            }
            id => arrays.iter().find(|it| it.0 == id),
        };
        found.map(|&(_, array)| array)
    }

    /// Clears the tables and returns them with their capacity.
    pub(super) fn emptied(mut self) -> Self {
        Self {
            temps: take(&mut self.temps),
            temp_arrays: take(&mut self.temp_arrays),
            addresses: take(&mut self.addresses),
            predicates: take(&mut self.predicates),
            inputs: take(&mut self.inputs),
            input_arrays: take(&mut self.input_arrays),
            values: take(&mut self.values),
            outputs: take(&mut self.outputs),
            output_arrays: take(&mut self.output_arrays),
            constants: mem::take(&mut self.constants).emptied(),
            immediates: take(&mut self.immediates),
            samplers: take(&mut self.samplers),
            views: take(&mut self.views),
            images: take(&mut self.images),
            buffers: take(&mut self.buffers),
            memories: take(&mut self.memories),
            counter_buffers: 0,
            broken: take(&mut self.broken),
            rows: take(&mut self.rows),
            old_arrays: take(&mut self.old_arrays),
            filled: take(&mut self.filled),
        }
    }
}

/// Returns true if `len` registers from `first` on include this one.
pub(super) fn within(number: i32, first: u32, len: u32) -> bool {
    u32::try_from(number).is_ok_and(|number| (first..first + len).contains(&number))
}

/// Returns the entry of a number in a table. Negative numbers, which casts turn into large ones,
/// have none.
pub(super) fn row<T: Copy>(table: &[Option<T>], number: usize) -> Option<T> {
    table.get(number).copied().flatten()
}

/// Returns the entry of a number in a table, which grows as needed. Numbers are below
/// [`limits::TGSI_REGISTERS`](crate::lang::limits::TGSI_REGISTERS).
pub(super) fn slot<T: Clone + Default>(table: &mut Vec<T>, number: usize) -> &mut T {
    if table.len() <= number {
        table.resize(number + 1, T::default());
    }
    &mut table[number]
}

/// Values that fill an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rows {
    Immediates,
    /// `IMMX` of TGSI of 2010.
    Old,
    SamplePlaces,
}

/// An array that is filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled {
    pub(super) rows: Rows,
    pub(super) array: RegisterId,
    pub(super) len: u32,
}
