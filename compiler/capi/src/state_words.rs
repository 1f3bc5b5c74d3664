//! The words of GL state that shaders read when they run, instead of having it compiled in.

use crate::ffi_args;
use crate::ffi_guard::{catch_to_result, glasm_result};
use crate::options::glasm_options;
use crate::options_from_c::read_options;
use glasm::StateBlock;

/// Number of words of the state that shaders read when they run. As a uniform buffer they have 336
/// bytes.
pub const GLASM_STATE_BLOCK_WORDS: usize = 84;

/// Writes the words of the state in the options that `state_sources` names: colors, points, clip
/// planes, stipples, alpha test, depth modes and wraps. They are the bytes of the uniform buffer of shaders that read
/// state from one, and the values of specialization constants by the index of their word.
///
/// `options` stays the caller's; NULL denotes the default options,
/// which are not GL's initial state: `glasm_options_use_gl_initial_state`. `words` points to memory of the
/// caller for GLASM_STATE_BLOCK_WORDS words; it may be mapped memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_options_write_state_block(
    options: *const glasm_options,
    words: *mut u32,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller's structure has the size that it states, and its lists are valid.
        let options = unsafe { read_options(options) }?;
        // SAFETY: the caller provides memory for that many words.
        unsafe { ffi_args::write_array(words, StateBlock::new(&options).0, "words") }
    })
}

const _: () = assert!(GLASM_STATE_BLOCK_WORDS == StateBlock::LEN);
