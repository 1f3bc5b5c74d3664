//! Keys for caches of compiled programs.

use crate::ffi_args::{self, require};
use crate::ffi_guard::{catch_to_result, glasm_result};
use crate::options::glasm_options;
use crate::options_from_c::read_options;
use crate::program::glasm_program;
use crate::source::{glasm_source, read_source};
use glasm::{CacheKey, Program, compute_cache_key, compute_pipeline_key};
use std::ffi::c_void;

/// Bytes of a key.
pub const GLASM_CACHE_KEY_SIZE: usize = 32;

/// Computes the key of the result of compiling a program with options: module, reflection and
/// warnings, or the errors. It is a SHA-256 digest of the program string, all settings of the
/// source, all options and the version of the library, the same in all processes and on all
/// machines of one byte order. The name of the source is part of it only with `debug_lines`.
///
/// The key does not cover the other programs of a pipeline: `glasm_cache_key_extend` joins their keys.
///
/// `source` and `options` stay the caller's, with all that they point to; `options` may be NULL:
/// the default ones. `key` points to memory of the caller for GLASM_CACHE_KEY_SIZE bytes, which
/// remain unchanged if an argument is invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_source_cache_key(
    source: *const glasm_source,
    options: *const glasm_options,
    key: *mut u8,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller answers for the structure and all that it points to.
        let source_argument = unsafe { read_source(source) }?;
        // SAFETY: as above.
        let options = unsafe { read_options(options) }?;
        let digest = compute_cache_key(&source_argument.to_source()?, &options);
        // SAFETY: the caller provides memory for a key.
        unsafe { ffi_args::write_array(key, *digest.as_bytes(), "key") }
    })
}

/// Computes the key of the result of compiling a loaded program with options. It covers what
/// `glasm_source_cache_key` covers, except options that cannot change the module of this program
/// (`glasm_options_for_program`), and in addition the changes of the program by functions such as
/// `glasm_program_with_missing_textures`. Equal keys have equal results, and
/// state without effect on the module does not change the key. Keys
/// of this function and of `glasm_source_cache_key` differ from each other.
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
    catch_to_result(|| {
        let program = require(program, "program")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        let found = program.program().cache_key(&options);
        // SAFETY: the caller provides memory for a key.
        unsafe { ffi_args::write_array(key, *found.as_bytes(), "key") }
    })
}

/// Computes the key of the pipeline that `glasm_pipeline_link` creates from these programs and
/// options: the keys of all programs in their order (`glasm_program_cache_key`), joined.
///
/// `programs`, `count` of them and at least one, and `options` stay the caller's; `options` may be
/// NULL: the default ones. `key` points to memory of the caller for GLASM_CACHE_KEY_SIZE bytes, which
/// remain unchanged if an argument is invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_cache_key(
    programs: *const *const glasm_program,
    count: usize,
    options: *const glasm_options,
    key: *mut u8,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller guarantees that many pointers to live programs.
        let programs: Vec<&glasm_program> =
            unsafe { ffi_args::read_handles(programs, count, "programs") }?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        ffi_args::require_elements(&programs, "count")?;
        let programs: Vec<&Program> = programs.iter().map(|it| it.program()).collect();
        let found = compute_pipeline_key(&programs, &options);
        // SAFETY: the caller provides memory for a key.
        unsafe { ffi_args::write_array(key, *found.as_bytes(), "key") }
    })
}

/// Changes a key to that of something that depends on more than the key covers: on the key of the
/// program of another stage, on a revision of the caller.
///
/// `key`, of GLASM_CACHE_KEY_SIZE bytes, and `more`, of `length` bytes, stay the caller's; they may
/// be the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_cache_key_extend(
    key: *mut u8,
    more: *const c_void,
    length: usize,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller has a key there.
        let old = unsafe { ffi_args::read_array::<u8, GLASM_CACHE_KEY_SIZE>(key, "key") }?;
        // SAFETY: the caller guarantees that many bytes.
        let more = unsafe { ffi_args::read_list(more.cast::<u8>(), length, "more") }?;
        let new = CacheKey::from_bytes(old).combine(more);
        // SAFETY: as above.
        unsafe { ffi_args::write_array(key, *new.as_bytes(), "key") }
    })
}
