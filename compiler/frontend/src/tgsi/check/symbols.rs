//! Declarations of a program, and the ranges of registers that they cover.

use super::registers::RegisterIndex;
use crate::tgsi::ast::{ImageDecl, MemoryKind, ViewDecl};
use crate::tgsi::checked::TempStorage;
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::semantics::{InputKind, OutputTarget};
use glasm_ir::semantic::Sampling;
use glasm_ir::{InputId, Interpolation, RegisterId, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An array of registers that instructions index dynamically.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterArray {
    /// Its first register in the file.
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) register: RegisterId,
}

/// An input or system value.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputDecl {
    pub(super) kind: InputKind,
    pub(super) interpolation: Interpolation,
    pub(super) sampling: Sampling,
    pub(super) per_vertex: bool,
    /// Its input of the program, once an instruction reads it.
    pub(super) input: Option<InputId>,
    /// Its number among the computed inputs, once an instruction reads it.
    pub(super) computed: Option<u32>,
}

/// Declarations of resources by their numbers.
#[derive(Debug)]
pub(super) struct ResourceTable<T> {
    rows: Vec<Option<T>>,
    /// The smallest declared number.
    first: Option<usize>,
    /// Number of declarations.
    count: usize,
}

impl<T> Default for ResourceTable<T> {
    /// Returns a table without declarations.
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            first: None,
            count: 0,
        }
    }
}

impl<T: Copy> ResourceTable<T> {
    /// Declares a number, which must be below
    /// [`limits::TGSI_REGISTERS`](crate::lang::limits::TGSI_REGISTERS). Returns its previous
    /// declaration.
    pub(super) fn declare(&mut self, number: usize, row: T) -> Option<T> {
        self.first = Some(self.first.map_or(number, |first| first.min(number)));
        let previous = get_or_grow(&mut self.rows, number).replace(row);
        self.count += usize::from(previous.is_none());
        previous
    }

    /// Returns the declaration of a number.
    pub(super) fn get(&self, number: usize) -> Option<T> {
        get_entry(&self.rows, number)
    }

    /// Returns the declaration of the smallest declared number.
    pub(super) fn first(&self) -> Option<T> {
        self.get(self.first?)
    }

    /// Returns the declaration if there is exactly one.
    pub(super) fn only(&self) -> Option<T> {
        self.first().filter(|_| self.count == 1)
    }

    /// Returns one above the largest declared number.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Removes all declarations; the capacity is retained.
    fn reset(&mut self) {
        self.rows.clear();
        self.first = None;
        self.count = 0;
    }
}

/// Inputs that instructions index dynamically: consecutive in the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputArray {
    pub(super) first: u32,
    pub(super) len: u32,
    pub(super) input: InputId,
}

/// The arrays of inputs of a program.
#[derive(Debug, Default)]
pub(super) struct InputArrays {
    /// The first array of each id; number 0 is unused.
    by_id: Vec<Option<InputArray>>,
    /// The first array without an id that covers each register.
    by_register: Vec<Option<InputArray>>,
    /// The array of indices that are added to a register that is not declared.
    pub(super) fallback: Option<InputArray>,
    /// Number of elements of all arrays.
    pub(super) element_count: u32,
}

impl InputArrays {
    /// Adds an array with an id, or one without an id if `id` is 0. Earlier arrays that have the id
    /// or cover the same registers take precedence.
    pub(super) fn add(&mut self, id: u32, array: InputArray) {
        if id != 0 {
            get_or_grow(&mut self.by_id, id as usize).get_or_insert(array);
            return;
        }
        let registers = array.first as usize..(array.first + array.len) as usize;
        if self.by_register.len() < registers.end {
            self.by_register.resize(registers.end, None);
        }
        for entry in &mut self.by_register[registers] {
            entry.get_or_insert(array);
        }
    }

    /// Returns the array with an id, which is not 0.
    pub(super) fn find_by_id(&self, id: u32) -> Option<InputArray> {
        get_entry(&self.by_id, id as usize)
    }

    /// Returns the array without an id that covers a register.
    pub(super) fn find_by_register(&self, number: usize) -> Option<InputArray> {
        get_entry(&self.by_register, number)
    }

    /// Removes all arrays; the capacity is retained.
    fn reset(&mut self) {
        self.by_id.clear();
        self.by_register.clear();
        self.fallback = None;
        self.element_count = 0;
    }
}

/// Declared registers. Tables have an entry for each number of a register, lists one for each
/// declaration.
#[derive(Debug, Default)]
pub(super) struct DeclaredRegisters {
    pub(super) temps: Vec<Option<TempStorage>>,
    /// Arrays by array id; number 0 is the whole file.
    pub(super) temp_arrays: Vec<Option<RegisterArray>>,
    pub(super) addresses: Vec<Option<RegisterId>>,
    pub(super) predicates: Vec<Option<RegisterId>>,
    pub(super) inputs: Vec<Option<InputDecl>>,
    pub(super) input_arrays: InputArrays,
    pub(super) system_values: Vec<Option<InputDecl>>,
    /// Arrays with their ids in the source, 0 for none.
    pub(super) output_arrays: Vec<(u32, RegisterArray)>,
    /// The output register of each semantic.
    pub(super) output_numbers: FxHashMap<OutputTarget, u32>,
    pub(super) constants: RangeSet,
    pub(super) samplers: Vec<bool>,
    pub(super) views: ResourceTable<ViewDecl>,
    pub(super) images: ResourceTable<ImageDecl>,
    /// True if not all images have the same format.
    pub(super) has_mixed_formats: bool,
    pub(super) buffers: Vec<bool>,
    pub(super) memories: ResourceTable<MemoryKind>,
    /// True if there are more immediates than the limit.
    pub(super) has_excess_immediates: bool,
    /// One above the largest number of a buffer of counters.
    pub(super) counter_buffers: u32,
    /// Registers whose declaration could not be read: file, first, last.
    pub(super) failed_declarations: Vec<(RegisterFile, u32, u32)>,
    /// Arrays of `TEMPX`.
    pub(super) tempx_arrays: Vec<Option<RegisterArray>>,
}

impl DeclaredRegisters {
    /// Returns the declaration table of a file: system values for `SV`, and inputs otherwise.
    pub(super) fn input_decls_mut(&mut self, file: RegisterFile) -> &mut Vec<Option<InputDecl>> {
        if file == RegisterFile::Sv {
            &mut self.system_values
        } else {
            &mut self.inputs
        }
    }

    /// Returns the array that a dynamically indexed register names: by its id, or else by the
    /// number that the index is added to.
    pub(super) fn find_output_array(&self, number: RegisterIndex) -> Option<RegisterArray> {
        let arrays = &self.output_arrays;
        let by_number =
            |array: &RegisterArray| is_in_range(number.term.offset, array.first, array.len);
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

    /// Clears the tables; their capacity is retained.
    pub(super) fn reset(&mut self) {
        self.temps.clear();
        self.temp_arrays.clear();
        self.addresses.clear();
        self.predicates.clear();
        self.inputs.clear();
        self.input_arrays.reset();
        self.system_values.clear();
        self.output_arrays.clear();
        self.output_numbers.clear();
        self.constants.reset();
        self.samplers.clear();
        self.views.reset();
        self.images.reset();
        self.has_mixed_formats = false;
        self.buffers.clear();
        self.memories.reset();
        self.has_excess_immediates = false;
        self.counter_buffers = 0;
        self.failed_declarations.clear();
        self.tempx_arrays.clear();
    }
}

/// Returns true if `len` registers from `first` on include this one.
pub(super) fn is_in_range(number: i32, first: u32, len: u32) -> bool {
    u32::try_from(number).is_ok_and(|number| (first..first + len).contains(&number))
}

/// Returns the entry of a number in a table. Negative numbers, which casts turn into large ones,
/// have none.
pub(super) fn get_entry<T: Copy>(table: &[Option<T>], number: usize) -> Option<T> {
    table.get(number).copied().flatten()
}

/// Returns the entry of a number in a table, which grows as needed. Numbers are below
/// [`limits::TGSI_REGISTERS`](crate::lang::limits::TGSI_REGISTERS).
pub(super) fn get_or_grow<T: Clone + Default>(table: &mut Vec<T>, number: usize) -> &mut T {
    if table.len() <= number {
        table.resize(number + 1, T::default());
    }
    &mut table[number]
}

/// Registers of a buffer that a declaration covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeclaredRange {
    pub(super) buffer: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Source span of the declaration.
    pub(super) span: Span,
}

impl DeclaredRange {
    /// Returns true if the range includes register `number` of `buffer`.
    pub(super) fn contains(&self, buffer: u32, number: u32) -> bool {
        self.buffer == buffer && (self.first..=self.last).contains(&number)
    }
}

/// Number of declarations up to which a linear search is faster than a look-up.
const MAX_LINEAR_SEARCH: usize = 16;

/// The declarations of a file of registers.
#[derive(Debug, Default)]
pub(super) struct RangeSet {
    /// Ranges in source order.
    pub(super) ranges: Vec<DeclaredRange>,
    /// Union of the ranges, if there are many: buffer and first register of each segment, and its
    /// last register.
    segments: BTreeMap<(u32, u32), u32>,
    /// Number of ranges that are already in `pieces`.
    merged_ranges: usize,
    /// One above the largest number of a buffer.
    pub(super) buffer_count: u32,
}

impl RangeSet {
    /// Clears the list; its capacity is retained.
    pub(super) fn reset(&mut self) {
        self.ranges.clear();
        self.segments.clear();
        self.merged_ranges = 0;
        self.buffer_count = 0;
    }

    /// Adds the range of registers that a declaration covers.
    pub(super) fn push(&mut self, range: DeclaredRange) {
        self.buffer_count = self.buffer_count.max(range.buffer + 1);
        self.ranges.push(range);
    }

    /// Returns true if a declaration covers register `number` of a buffer.
    pub(super) fn contains(&mut self, buffer: u32, number: u32) -> bool {
        if self.ranges.len() <= MAX_LINEAR_SEARCH {
            self.ranges
                .iter()
                .any(|range| range.contains(buffer, number))
        } else {
            self.is_in_segment(buffer, number)
        }
    }

    /// Returns true if a declaration covers a register, by a look-up in the union of the ranges.
    /// Ranges added since the last call are merged first.
    #[inline(never)]
    fn is_in_segment(&mut self, buffer: u32, number: u32) -> bool {
        while let Some(&range) = self.ranges.get(self.merged_ranges) {
            self.merge_range(range);
            self.merged_ranges += 1;
        }
        let mut before = self.segments.range(..=(buffer, number));
        let segment = before.next_back();
        segment.is_some_and(|(&(of, _), &last)| of == buffer && number <= last)
    }

    /// Adds a range to the segments. Segments that it overlaps are merged with it, so that each is
    /// visited once before it is removed.
    fn merge_range(&mut self, range: DeclaredRange) {
        let (mut first, mut last) = (range.first, range.last);
        while let Some((&key, &end)) = self.segments.range(..=(range.buffer, last)).next_back()
            && key.0 == range.buffer
            && end >= first
        {
            self.segments.remove(&key);
            (first, last) = (first.min(key.1), last.max(end));
        }
        self.segments.insert((range.buffer, first), last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every register is queried after each added range.
    #[test]
    fn pieces_cover_what_the_ranges_cover() {
        let mut coverage = RangeSet::default();
        let mut expected = [[false; 64]; 3];
        let mut random = 1u32;
        let mut next = |end: u32| {
            random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            (random >> 16) % end
        };
        for _ in 0..4 * MAX_LINEAR_SEARCH {
            let (buffer, first) = (next(3), next(64));
            let last = (first + next(4)).min(63);
            let span = Span::default();
            coverage.push(DeclaredRange {
                buffer,
                first,
                last,
                span,
            });
            expected[buffer as usize][first as usize..=last as usize].fill(true);
            for (buffer, registers) in (0..).zip(&expected) {
                for (number, &is_covered) in (0..).zip(registers) {
                    assert_eq!(coverage.contains(buffer, number), is_covered);
                }
                assert!(!coverage.contains(buffer, 64));
            }
        }
    }
}
