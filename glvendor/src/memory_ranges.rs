//! Ranges of the application's memory: NV_vertex_array_range, NV_vertex_array_range2,
//! NV_pixel_data_range.
//!
//! A valid range lets an implementation read arrays and pixels, or write pixels, after a command
//! has returned, until the range is flushed. The driver has finished all accesses to memory of the
//! application when a command returns, as OpenGL requires without ranges, which the extensions
//! permit in ranges, too. Therefore a flush has no access to wait for, and any memory can be a
//! range.

use crate::context::State;
use crate::ffi::driver::constants::{CLIENT_PIXEL_STORE_BIT, CLIENT_VERTEX_ARRAY_BIT};
use crate::ffi::{driver, driver_state};
use crate::program_commands::{INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};

/// `VERTEX_ARRAY_RANGE_WITHOUT_FLUSH_NV`
const VERTEX_ARRAY_RANGE_WITHOUT_FLUSH: u32 = 0x8533;
/// `VERTEX_ARRAY_RANGE_VALID_NV`
const VERTEX_ARRAY_RANGE_VALID: u32 = 0x851F;
/// `MAX_VERTEX_ARRAY_RANGE_ELEMENT_NV`
const MAX_VERTEX_ARRAY_RANGE_ELEMENT: u32 = 0x8520;
/// Value of `MAX_VERTEX_ARRAY_RANGE_ELEMENT_NV`: that of NV20. The driver draws elements beyond it,
/// too, which the specification leaves undefined.
const MAX_ELEMENT: i32 = 1_048_575;

/// Names of a range, and the group of client state that it belongs to.
struct RangeNames {
    /// Name that enables the range, and the target of commands.
    capability: u32,
    length: u32,
    pointer: u32,
    attrib_bit: u32,
}

/// Number of ranges.
const COUNT: usize = 3;

/// The range of vertex arrays in [`RANGES`].
const VERTEX_ARRAYS: usize = 0;

/// The ranges: `VERTEX_ARRAY_RANGE_NV`, `WRITE_PIXEL_DATA_RANGE_NV`, `READ_PIXEL_DATA_RANGE_NV`.
static RANGES: [RangeNames; COUNT] = [
    RangeNames {
        capability: 0x851D,
        length: 0x851E,
        pointer: 0x8521,
        attrib_bit: CLIENT_VERTEX_ARRAY_BIT,
    },
    RangeNames {
        capability: 0x8878,
        length: 0x887A,
        pointer: 0x887C,
        attrib_bit: CLIENT_PIXEL_STORE_BIT,
    },
    RangeNames {
        capability: 0x8879,
        length: 0x887B,
        pointer: 0x887D,
        attrib_bit: CLIENT_PIXEL_STORE_BIT,
    },
];

/// Range of memory. It is not accessed by this library.
#[derive(Clone, Copy, Debug, Default)]
struct MemoryRange {
    is_enabled: bool,
    length: i32,
    address: usize,
}

/// Ranges of a context, in the order of [`RANGES`].
#[derive(Debug, Default)]
pub(crate) struct MemoryRanges {
    ranges: [MemoryRange; COUNT],
    /// Ranges that `PushClientAttrib` has saved, with its mask, in step with the driver's stack.
    saved: Vec<(u32, [MemoryRange; COUNT])>,
}

/// Returns the index of a range by one of its names; `None` for other names.
fn find_range(name: u32, name_of: fn(&RangeNames) -> u32) -> Option<usize> {
    RANGES.iter().position(|row| name_of(row) == name)
}

/// Returns the index of a range of pixels by a target of `PixelDataRangeNV`; `None` for others.
fn find_pixel_range(target: u32) -> Option<usize> {
    find_range(target, |row| row.capability).filter(|index| *index != VERTEX_ARRAYS)
}

impl MemoryRanges {
    /// Returns whether a range is enabled; `None` for other capabilities. The name without flush is
    /// none: NV_vertex_array_range2, "Issues".
    pub(crate) fn is_enabled(&self, capability: u32) -> Option<bool> {
        let index = find_range(capability, |row| row.capability)?;
        Some(self.ranges[index].is_enabled)
    }

    /// Returns the address of a range that `GetPointerv` has under a name; `None` for other names.
    pub(crate) fn query_pointer(&self, name: u32) -> Option<usize> {
        let index = find_range(name, |row| row.pointer)?;
        Some(self.ranges[index].address)
    }

    /// Replaces the ranges of the groups of client state in a mask.
    fn replace(&mut self, mask: u32, ranges: [MemoryRange; COUNT]) {
        for (index, row) in RANGES.iter().enumerate() {
            if mask & row.attrib_bit != 0 {
                self.ranges[index] = ranges[index];
            }
        }
    }

    /// Sets the number of saved entries to that of the driver's stack: saves the current ranges for
    /// a mask, or restores those that were saved last.
    fn set_stack_depth(&mut self, depth: usize, mask: u32) {
        while self.saved.len() < depth {
            self.saved.push((mask, self.ranges));
        }
        while self.saved.len() > depth {
            let Some((mask, ranges)) = self.saved.pop() else {
                return;
            };
            self.replace(mask, ranges);
        }
    }

    /// Returns the state that `GetIntegerv` has under a name; `None` for other names.
    pub(crate) fn query_integer(&self, name: u32) -> Option<i32> {
        if let Some(index) = find_range(name, |row| row.length) {
            return Some(self.ranges[index].length);
        }
        match name {
            VERTEX_ARRAY_RANGE_VALID => Some(self.is_vertex_range_valid().into()),
            MAX_VERTEX_ARRAY_RANGE_ELEMENT => Some(MAX_ELEMENT),
            _ => self.is_enabled(name).map(i32::from),
        }
    }

    /// Returns true if the range of vertex arrays is valid: NV_vertex_array_range section 2.8. Any
    /// memory and any arrays pass the checks that depend on the implementation.
    fn is_vertex_range_valid(&self) -> bool {
        let range = &self.ranges[VERTEX_ARRAYS];
        range.is_enabled
            && range.address != 0
            && range.length != 0
            && driver_state::is_enabled(driver::constants::VERTEX_ARRAY)
    }
}

/// Executes `EnableClientState` or `DisableClientState` of a range. Records `GL_INVALID_OPERATION`
/// between `Begin` and `End`. Returns false for other arrays, and if the library does not work with
/// the driver.
pub(crate) fn set_enabled(state: &mut State, array: u32, enabled: bool) -> bool {
    let index = match array {
        VERTEX_ARRAY_RANGE_WITHOUT_FLUSH => Some(VERTEX_ARRAYS),
        _ => find_range(array, |row| row.capability),
    };
    let Some(index) = index.filter(|_| state.capabilities.works) else {
        return false;
    };
    if state.is_inside_begin_end {
        state.record_error(INVALID_OPERATION);
    } else {
        state.extensions.ranges.ranges[index].is_enabled = enabled;
    }
    true
}

/// Executes `VertexArrayRangeNV`. Records `GL_INVALID_OPERATION` between `Begin` and `End`,
/// `GL_INVALID_VALUE` for a negative length (GL 2.1 section 2.5).
pub(crate) fn set_vertex_range(state: &mut State, length: i32, address: usize) {
    set_range(state, Some(VERTEX_ARRAYS), length, address);
}

/// Executes `PixelDataRangeNV`. Records `GL_INVALID_OPERATION` between `Begin` and `End`,
/// `GL_INVALID_ENUM` for an unknown target, `GL_INVALID_VALUE` for a negative length.
pub(crate) fn set_pixel_range(state: &mut State, target: u32, length: i32, address: usize) {
    set_range(state, find_pixel_range(target), length, address);
}

/// Sets length and address of a range, or records an error: `index` is `None` for an unknown target.
fn set_range(state: &mut State, index: Option<usize>, length: i32, address: usize) {
    let error = match index {
        _ if state.is_inside_begin_end => INVALID_OPERATION,
        None => INVALID_ENUM,
        Some(_) if length < 0 => INVALID_VALUE,
        Some(index) => {
            let range = &mut state.extensions.ranges.ranges[index];
            (range.length, range.address) = (length, address);
            return;
        }
    };
    state.record_error(error);
}

/// Executes `FlushVertexArrayRangeNV`, which includes a flush of the driver ("Issues"). Records
/// `GL_INVALID_OPERATION` between `Begin` and `End`.
pub(crate) fn flush_vertex_range(state: &mut State) {
    flush_range(state, Some(VERTEX_ARRAYS));
}

/// Executes `FlushPixelDataRangeNV`. Records `GL_INVALID_OPERATION` between `Begin` and `End`,
/// `GL_INVALID_ENUM` for an unknown target.
pub(crate) fn flush_pixel_range(state: &mut State, target: u32) {
    flush_range(state, find_pixel_range(target));
}

/// Flushes a range, or records an error: `index` is `None` for an unknown target.
fn flush_range(state: &mut State, index: Option<usize>) {
    match index {
        _ if state.is_inside_begin_end => state.record_error(INVALID_OPERATION),
        None => state.record_error(INVALID_ENUM),
        Some(_) => driver::Flush(),
    }
}

/// Executes a command that pushes or pops client state, by `execute` in the driver, and saves or
/// restores the ranges as the driver does. `mask` is that of `PushClientAttrib`. The driver reports
/// the errors. Between `Begin` and `End`, where the depth of its stack cannot be queried, the result
/// is undefined (GL 2.1 section 2.6.3).
pub(crate) fn change_client_stack(state: &mut State, mask: u32, execute: impl FnOnce()) {
    state.arrays_change();
    execute();
    if state.capabilities.works && !state.is_inside_begin_end {
        let depth = driver_state::integer(driver::constants::CLIENT_ATTRIB_STACK_DEPTH);
        let depth = usize::try_from(depth).unwrap_or(0);
        state.extensions.ranges.set_stack_depth(depth, mask);
    }
}

/// Sets ranges to their initial state: `ClientAttribDefaultEXT` of EXT_direct_state_access.
pub(crate) fn reset_ranges(state: &mut State, mask: u32) {
    if !state.is_inside_begin_end {
        let ranges = &mut state.extensions.ranges;
        ranges.replace(mask, Default::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the attribute groups of "New State": vertex arrays and pixels are separate.
    #[test]
    fn groups_are_saved_and_restored_separately() {
        let mut ranges = MemoryRanges::default();
        let lengths = |ranges: &MemoryRanges| {
            [0x851E, 0x887A, 0x887B].map(|name| ranges.query_integer(name).unwrap_or(-1))
        };
        let set_all = |ranges: &mut MemoryRanges, length| {
            ranges.ranges.iter_mut().for_each(|it| it.length = length);
        };
        set_all(&mut ranges, 1);
        ranges.set_stack_depth(1, CLIENT_PIXEL_STORE_BIT);
        set_all(&mut ranges, 2);
        ranges.set_stack_depth(2, CLIENT_VERTEX_ARRAY_BIT);
        set_all(&mut ranges, 3);
        // A push that the driver has rejected changes nothing.
        ranges.set_stack_depth(2, CLIENT_VERTEX_ARRAY_BIT | CLIENT_PIXEL_STORE_BIT);
        ranges.set_stack_depth(1, 0);
        assert_eq!(lengths(&ranges), [2, 3, 3]);
        ranges.set_stack_depth(0, 0);
        assert_eq!(lengths(&ranges), [2, 1, 1]);
        ranges.replace(CLIENT_VERTEX_ARRAY_BIT, Default::default());
        assert_eq!(lengths(&ranges), [0, 1, 1]);
    }

    #[test]
    fn targets_of_pixels_exclude_vertex_arrays() {
        assert_eq!(
            [0x8878, 0x8879, 0x851D, 0x8533, 0].map(find_pixel_range),
            [Some(1), Some(2), None, None, None]
        );
    }
}
