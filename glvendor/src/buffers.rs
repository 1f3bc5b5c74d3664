//! Parameter buffers: NV_parameter_buffer_object.

use crate::commands::{INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};
use crate::context::State;
use crate::ffi::{driver, query};
use crate::target::Target;

/// Bindings of a target: MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV.
pub(crate) const BINDINGS: u32 = 14;

/// Words of a buffer that programs see: MAX_PROGRAM_PARAMETER_BUFFER_SIZE_NV.
pub(crate) const WORDS: i32 = 16_384;

/// What is bound to a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Binding {
    /// The buffer; 0 for none.
    pub(crate) buffer: u32,
    /// Its bytes from the first on; `None` for all.
    pub(crate) size: Option<usize>,
}

/// `BindBufferRange` and its kin: a buffer, or the part of it from an offset on.
pub(crate) fn bind(
    state: &mut State,
    target: Target,
    index: u32,
    buffer: u32,
    part: Option<(isize, Option<isize>)>,
) {
    let size = part.and_then(|(_, size)| size);
    let offset = part.map_or(0, |(offset, _)| offset);
    // Parts begin with the buffer, and have whole words: NV_parameter_buffer_object section 2.9.
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

/// `ProgramBufferParameters`: words of the buffer that is bound.
pub(crate) fn set_words(state: &mut State, number: u32, index: u32, first: u32, words: &[u32]) {
    let Some(target) = Target::of_buffers(number) else {
        return state.fail(INVALID_ENUM);
    };
    let Some(binding) = state.buffers[target as usize].get(index as usize).copied() else {
        return state.fail(INVALID_VALUE);
    };
    if binding.buffer == 0 {
        return state.fail(INVALID_OPERATION);
    }
    let bound = query::integer(0x8A28) as u32;
    driver::BindBuffer(0x8A11, binding.buffer);
    query::write_uniform_buffer(4 * first as usize, words);
    driver::BindBuffer(0x8A11, bound);
}
