//! Parameter buffers: NV_parameter_buffer_object.

use crate::commands::{INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};
use crate::context::State;
use crate::ffi::{driver, query};
use crate::target::Target;

/// Bindings of a target: MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV.
pub(crate) const BINDINGS: u32 = 14;

/// Words of a buffer that programs see: MAX_PROGRAM_PARAMETER_BUFFER_SIZE_NV.
pub(crate) const WORDS: i32 = 16_384;

/// Buffer range of a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Binding {
    /// Buffer; 0 for none.
    pub(crate) buffer: u32,
    /// Number of bytes from the first on; `None` for all.
    pub(crate) size: Option<usize>,
}

/// Executes `BindBufferRange` and similar commands: binds a buffer, or the range of it from an
/// offset on.
pub(crate) fn bind(
    state: &mut State,
    target: Target,
    index: u32,
    buffer: u32,
    part: Option<(isize, Option<isize>)>,
) {
    let size = part.and_then(|(_, size)| size);
    let offset = part.map_or(0, |(offset, _)| offset);
    // Ranges begin with the buffer, and have whole words: NV_parameter_buffer_object section 2.9.
    let is_valid =
        index < BINDINGS && offset == 0 && size.is_none_or(|size| size > 0 && size % 4 == 0);
    if !is_valid {
        return state.fail(INVALID_VALUE);
    }
    state.bound_buffers[target as usize] = buffer;
    state.buffers[target as usize][index as usize] = Binding {
        buffer,
        size: size.map(|size| size as usize),
    };
}

/// Checks the arguments of `ProgramBufferParameters` before words are read:
/// NV_parameter_buffer_object, "Errors". Returns the buffer, `None` after an error.
pub(crate) fn check_words(
    state: &mut State,
    number: u32,
    index: u32,
    first: u32,
    count: i32,
) -> Option<u32> {
    let target = Target::of_buffers(number);
    let binding = target.map(|it| state.buffers[it as usize].get(index as usize).copied());
    let error = match binding {
        None => INVALID_ENUM,
        Some(None) => INVALID_VALUE,
        Some(Some(binding)) if binding.buffer == 0 => INVALID_OPERATION,
        Some(Some(binding)) => {
            let bound = query::integer(0x8A28) as u32;
            let bytes = query::buffer_size(0x8A11, binding.buffer);
            driver::BindBuffer(0x8A11, bound);
            let words = u64::try_from(bytes).unwrap_or(0) / 4;
            let end = u64::try_from(count).map(|count| u64::from(first) + count);
            match end {
                Ok(end) if end <= words.min(WORDS as u64) => return Some(binding.buffer),
                Ok(_) | Err(_) => INVALID_VALUE,
            }
        }
    };
    state.fail(error);
    None
}

/// Executes `ProgramBufferParameters`: sets words of a buffer.
pub(crate) fn set_words(buffer: u32, first: u32, words: &[u32]) {
    let bound = query::integer(0x8A28) as u32;
    driver::BindBuffer(0x8A11, buffer);
    query::write_uniform_buffer(4 * first as usize, words);
    driver::BindBuffer(0x8A11, bound);
}
