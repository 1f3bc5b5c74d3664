//! A cache of linked pipelines.

use crate::compiler::glasm_compiler;
use crate::enums::glasm_bool;
use crate::ffi_args::{self, drop_handle, require, write_out};
use crate::ffi_guard::{catch_or, catch_to_result, glasm_result};
use crate::link::glasm_pipeline;
use crate::options::glasm_options;
use crate::options_from_c::read_options;
use crate::program::glasm_program;
use glasm::{CacheKey, Program, compute_pipeline_key};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// Pipelines by the keys of their programs and options (`glasm_pipeline_cache_key`). Threads may share
/// it; they wait for each other.
#[derive(Debug, Default)]
pub struct glasm_pipeline_cache(Mutex<HashMap<CacheKey, Box<glasm_pipeline>>>);

/// Creates an empty cache; returns NULL if there is an internal error.
///
/// The caller owns it, and frees it with `glasm_pipeline_cache_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_cache_create() -> Option<Box<glasm_pipeline_cache>> {
    catch_or(None, || Ok(Some(Box::default())))
}

/// Gets the pipeline of programs for options from a cache, and links it if the cache does not have
/// it: state on which none of the programs depends (`glasm_options_for_program`) does not lead to
/// another pipeline.
/// GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors, each time; the pipeline is in the
/// cache nevertheless, with the diagnostics.
///
/// `cache` stays the caller's, and so do `compiler`, which may be NULL, `programs`, `count` of them
/// and at least one, and `options`, which may be NULL: the default ones. `pipeline` is set to a
/// pipeline that belongs to the cache and is valid until this is cleared or freed, or to NULL if an
/// argument is wrong. `is_new` may be NULL; it is set to 1 if the cache did not have the pipeline,
/// else to 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_cache_get(
    cache: Option<&glasm_pipeline_cache>,
    compiler: Option<&glasm_compiler>,
    programs: *const *const glasm_program,
    count: usize,
    options: *const glasm_options,
    pipeline: Option<&mut MaybeUninit<*const glasm_pipeline>>,
    mut is_new: Option<&mut MaybeUninit<glasm_bool>>,
) -> glasm_result {
    catch_to_result(|| {
        write_out(is_new.as_deref_mut(), 0);
        let pipeline = require(pipeline, "pipeline")?;
        pipeline.write(ptr::null());
        let cache = require(cache, "cache")?;
        // SAFETY: the caller guarantees that many pointers to live programs.
        let programs: Vec<&glasm_program> =
            unsafe { ffi_args::read_handles(programs, count, "programs") }?;
        ffi_args::require_elements(&programs, "count")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        let loaded: Vec<&Program> = programs.iter().map(|program| program.program()).collect();
        let key = compute_pipeline_key(&loaded, &options);
        // A panic while linking adds no entry.
        let mut pipelines = cache.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match pipelines.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(entry) => {
                let linked = glasm_pipeline::link(compiler, &programs, &options);
                write_out(is_new, 1);
                entry.insert(Box::new(linked))
            }
        };
        pipeline.write(ptr::from_ref(&**found));
        found.check_stages()
    })
}

/// Frees all pipelines of a cache. No effect for NULL.
///
/// `cache` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_cache_clear(cache: Option<&glasm_pipeline_cache>) {
    catch_or((), || {
        if let Some(cache) = cache {
            let mut pipelines = cache.0.lock().unwrap_or_else(PoisonError::into_inner);
            pipelines.clear();
        }
        Ok(())
    });
}

/// Frees a cache with its pipelines.
///
/// Takes `cache` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_cache_free(cache: Option<Box<glasm_pipeline_cache>>) {
    drop_handle(cache);
}
