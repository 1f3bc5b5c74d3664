//! The words of GL state that shaders read when they run, instead of having it compiled in.

use crate::call::{enter, glasm_result};
use crate::memory;
use crate::options::glasm_options;
use crate::read_options::read_options;
use glasm::StateWords;

/// Number of words of the state that shaders read when they run. As a uniform buffer they have 336
/// bytes.
pub const GLASM_STATE_WORDS: usize = 84;

/// Writes the words of the state in the options: `two_sided_color` to `draw_buffers`, stipples,
/// alpha test, depth modes and wraps. They are the bytes of the uniform buffer of shaders that read
/// state from one, and the values of specialization constants by the index of their word.
///
/// `options` stays the caller's; NULL denotes GL's initial state. `words` points to memory of the
/// caller for GLASM_STATE_WORDS words; it may be mapped memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_state_words(
    options: *const glasm_options,
    words: *mut u32,
) -> glasm_result {
    enter(|| {
        // SAFETY: the caller's structure has the size that it states, and its lists are valid.
        let options = unsafe { read_options(options) }?;
        // SAFETY: the caller provides memory for that many words.
        unsafe { memory::give_array(words, StateWords::new(&options).0, "words") }
    })
}

const _: () = assert!(GLASM_STATE_WORDS == StateWords::LEN);
