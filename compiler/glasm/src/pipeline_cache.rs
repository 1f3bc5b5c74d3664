//! A cache of linked pipelines.

use crate::cache::CacheKey;
use crate::link::{Linked, compute_pipeline_key, link};
use crate::program::Program;
use glasm_codegen::Options;
use std::collections::HashMap;

/// Pipelines by the keys of their programs and options ([`compute_pipeline_key`]): state on which none
/// of the programs depends does not lead to another pipeline.
///
/// ```
/// use glasm::{Options, PipelineCache, Program, Source};
///
/// let vertex = Program::load(&Source::new("v", "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND"))?;
/// let fragment = Program::load(&Source::new("f", "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND"))?;
/// let mut cache = PipelineCache::default();
/// let mut options = Options::default();
/// let count = cache.get_or_link(&[&vertex, &fragment], &options).shaders().count();
/// assert_eq!((count, cache.len()), (2, 1));
///
/// options.pipeline_state.coord_replace_mask = 1; // of texture coordinates, which neither program has
/// cache.get_or_link(&[&vertex, &fragment], &options);
/// assert_eq!(cache.len(), 1);
/// options.pipeline_state.flat_colors = true;
/// cache.get_or_link(&[&vertex, &fragment], &options);
/// assert_eq!(cache.len(), 2);
/// # Ok::<(), glasm::Diagnostics>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PipelineCache(HashMap<CacheKey, Linked>);

impl PipelineCache {
    /// Returns the pipeline of programs for options, which is linked if the cache does not have it.
    /// A pipeline with errors is linked once, too.
    pub fn get_or_link(&mut self, programs: &[&Program], options: &Options) -> &Linked {
        let key = compute_pipeline_key(programs, options);
        self.0.entry(key).or_insert_with(|| link(programs, options))
    }

    /// Returns the number of pipelines: a call of [`Self::get_or_link`] that changes it has linked.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the cache has no pipelines.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all pipelines.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
