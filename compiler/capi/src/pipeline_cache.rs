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
use std::hash::{BuildHasher as _, Hash as _, Hasher as _, RandomState};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// Pipelines by their programs and options: state on which none of the modules depends does not lead
/// to another pipeline. Threads may share it; they wait for each other.
#[derive(Debug, Default)]
pub struct glasm_pipeline_cache(Mutex<Pipelines>);

/// The pipelines of a cache.
#[derive(Debug, Default)]
struct Pipelines {
    by_key: HashMap<CacheKey, Arc<glasm_pipeline>>,
    /// Pipelines without errors by the hash of their words. Those with the same programs differ in
    /// a module.
    by_words: HashMap<u64, Vec<Arc<glasm_pipeline>>>,
    hash_state: RandomState,
}

impl Pipelines {
    /// Returns the pipeline of the cache with the programs and modules of another one, and whether
    /// it was added because there is none. Pipelines with errors are always added.
    fn find_or_add(&mut self, linked: glasm_pipeline) -> (Arc<glasm_pipeline>, bool) {
        if linked.check_stages().is_err() {
            return (Arc::new(linked), true);
        }
        let mut hasher = self.hash_state.build_hasher();
        for shader in linked.shaders() {
            shader.words.hash(&mut hasher);
        }
        let candidates = self.by_words.entry(hasher.finish()).or_default();
        let mut known = candidates.iter();
        if let Some(known) = known.find(|known| known.has_equal_modules(&linked)) {
            return (Arc::clone(known), false);
        }
        let added = Arc::new(linked);
        candidates.push(Arc::clone(&added));
        (added, true)
    }

    /// Removes the pipelines of a program.
    fn remove(&mut self, program: &Program) {
        self.by_key
            .retain(|_, pipeline| !pipeline.has_program(program));
        self.by_words.retain(|_, pipelines| {
            pipelines.retain(|pipeline| !pipeline.has_program(program));
            !pipelines.is_empty()
        });
    }
}

/// Creates an empty cache; returns NULL if there is an internal error.
///
/// The caller owns it, and frees it with `glasm_pipeline_cache_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_cache_create() -> Option<Box<glasm_pipeline_cache>> {
    catch_or(None, || Ok(Some(Box::default())))
}

/// Gets the pipeline of programs for options from a cache, and links it if the cache does not have
/// it. State on which none of the modules depends does not lead to another pipeline: neither state on
/// which none of the programs depends (`glasm_options_for_program`), nor state of an input or output
/// that linking removes.
/// GLASM_RESULT_PROGRAM_ERROR if one of the stages has errors, each time; the pipeline is in the
/// cache nevertheless, with the diagnostics.
///
/// `cache` stays the caller's, and so do `compiler`, which may be NULL, `programs`, `count` of them
/// and at least one, and `options`, which may be NULL: the default ones. `pipeline` is set to a
/// pipeline that belongs to the cache and is valid until it is removed from the cache or this is
/// freed, or to NULL if an argument is wrong; `glasm_pipeline_clone` retains it. A caller compares the
/// pointer with that of the pipeline that it has bound: for the same programs, both are equal exactly
/// if all modules are. `is_added` may be NULL; it is set to 1 if the call has added the pipeline,
/// because the cache had none with these programs and modules, else to 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_pipeline_cache_get(
    cache: Option<&glasm_pipeline_cache>,
    compiler: Option<&glasm_compiler>,
    programs: *const *const glasm_program,
    count: usize,
    options: *const glasm_options,
    pipeline: Option<&mut MaybeUninit<*const glasm_pipeline>>,
    mut is_added: Option<&mut MaybeUninit<glasm_bool>>,
) -> glasm_result {
    catch_to_result(|| {
        write_out(is_added.as_deref_mut(), 0);
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
        if let Some(found) = pipelines.by_key.get(&key) {
            pipeline.write(Arc::as_ptr(found));
            return found.check_stages();
        }
        let linked = glasm_pipeline::link(compiler, &programs, &options);
        let (found, was_added) = pipelines.find_or_add(linked);
        write_out(is_added, was_added.into());
        pipeline.write(Arc::as_ptr(&found));
        let result = found.check_stages();
        pipelines.by_key.insert(key, found);
        result
    })
}

/// Removes the pipelines of which a program is a part (`glasm_pipeline_has_program`) from a cache, for
/// callers that delete the program. No effect for NULL.
///
/// `cache` and `program` stay the caller's. The cache frees its handles of these pipelines: those of
/// `glasm_pipeline_clone` remain valid.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_cache_remove(
    cache: Option<&glasm_pipeline_cache>,
    program: Option<&glasm_program>,
) {
    catch_or((), || {
        if let (Some(cache), Some(program)) = (cache, program) {
            let mut pipelines = cache.0.lock().unwrap_or_else(PoisonError::into_inner);
            pipelines.remove(program.program());
        }
        Ok(())
    });
}

/// Returns the number of pipelines without errors in a cache; 0 for NULL.
///
/// `cache` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_cache_count(cache: Option<&glasm_pipeline_cache>) -> usize {
    catch_or(0, || {
        let Some(cache) = cache else { return Ok(0) };
        let pipelines = cache.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(pipelines.by_words.values().map(Vec::len).sum())
    })
}

/// Removes all pipelines from a cache, like `glasm_pipeline_cache_remove`. No effect for NULL.
///
/// `cache` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_cache_clear(cache: Option<&glasm_pipeline_cache>) {
    catch_or((), || {
        if let Some(cache) = cache {
            let mut pipelines = cache.0.lock().unwrap_or_else(PoisonError::into_inner);
            pipelines.by_key.clear();
            pipelines.by_words.clear();
        }
        Ok(())
    });
}

/// Frees a cache with its handles of pipelines.
///
/// Takes `cache` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_pipeline_cache_free(cache: Option<Box<glasm_pipeline_cache>>) {
    drop_handle(cache);
}
