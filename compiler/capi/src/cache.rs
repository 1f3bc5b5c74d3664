//! Keys for caches of compiled programs.

use crate::call::{enter, glasm_result};
use crate::memory::{self, require};
use crate::options::glasm_options;
use crate::program::glasm_program;
use crate::read_options::read_options;
use crate::source::{glasm_source, read_source};
use glasm::{CacheKey, cache_key};
use std::ffi::c_void;

/// Bytes of a key.
pub const GLASM_CACHE_KEY_SIZE: usize = 32;

/// Computes the key of the result of compiling a program with options: module, reflection and
/// warnings, or the errors. It is a SHA-256 digest of the program string, all settings of the
/// source, all options and the version of the library, the same in all processes and on all
/// machines of one byte order. The name of the source is part of it only with `debug_lines`.
///
/// The key does not cover the other programs of a pipeline: `glasm_cache_key_add` joins their keys.
///
/// `source` and `options` stay the caller's, with all that they point to; `options` may be NULL:
/// the default ones. `key` points to memory of the caller for GLASM_CACHE_KEY_SIZE bytes, which
/// remain unchanged if an argument is invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_cache_key(
    source: *const glasm_source,
    options: *const glasm_options,
    key: *mut u8,
) -> glasm_result {
    enter(|| {
        // SAFETY: the caller answers for the structure and all that it points to.
        let given = unsafe { read_source(source) }?;
        // SAFETY: as above.
        let options = unsafe { read_options(options) }?;
        let found = cache_key(&given.source()?, &options);
        // SAFETY: the caller provides memory for a key.
        unsafe { memory::give_array(key, *found.bytes(), "key") }
    })
}

/// Computes the key of a loaded program: the one that `glasm_cache_key` computes for the source
/// that it was loaded from.
///
/// `program` and `options` stay the caller's; `options` may be NULL: the default ones. `key` points
/// to memory of the caller for GLASM_CACHE_KEY_SIZE bytes, which remain unchanged if an argument is
/// invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_cache_key(
    program: Option<&glasm_program>,
    options: *const glasm_options,
    key: *mut u8,
) -> glasm_result {
    enter(|| {
        let program = require(program, "program")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        let found = cache_key(&program.source(), &options);
        // SAFETY: the caller provides memory for a key.
        unsafe { memory::give_array(key, *found.bytes(), "key") }
    })
}

/// Changes a key to that of something that depends on more than the key covers: on the key of the
/// program of another stage, on a revision of the caller.
///
/// `key`, of GLASM_CACHE_KEY_SIZE bytes, and `more`, of `length` bytes, stay the caller's; they may
/// be the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_cache_key_add(
    key: *mut u8,
    more: *const c_void,
    length: usize,
) -> glasm_result {
    enter(|| {
        // SAFETY: the caller has a key there.
        let old = unsafe { memory::read_array::<u8, GLASM_CACHE_KEY_SIZE>(key, "key") }?;
        // SAFETY: the caller guarantees that many bytes.
        let more = unsafe { memory::read_list(more.cast::<u8>(), length, "more") }?;
        let new = CacheKey::from_bytes(old).and(more);
        // SAFETY: as above.
        unsafe { memory::give_array(key, *new.bytes(), "key") }
    })
}
