//! A cache of linked pipelines.

use crate::cache::CacheKey;
use crate::link::{Linked, compute_pipeline_key, link};
use crate::program::Program;
use glasm_codegen::Options;
use std::collections::HashMap;
use std::sync::Arc;

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
/// let pipeline = cache.get_or_link(&[&vertex, &fragment], &options)?;
/// assert_eq!((pipeline.shaders().count(), cache.len()), (2, 1));
///
/// options.pipeline_state.coord_replace_mask = 1; // of texture coordinates, which neither program has
/// cache.get_or_link(&[&vertex, &fragment], &options)?;
/// assert_eq!(cache.len(), 1);
/// options.pipeline_state.flat_colors = true;
/// cache.get_or_link(&[&vertex, &fragment], &options)?;
/// assert_eq!(cache.len(), 2);
/// let errors = cache.get_or_link(&[&fragment, &fragment], &options).expect_err("two of one stage");
/// assert!(errors.contains("two fragment programs"), "{errors}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PipelineCache(HashMap<CacheKey, Result<Arc<Linked>, String>>);

impl PipelineCache {
    /// Returns the pipeline of programs for options, which is linked if the cache does not have it.
    ///
    /// # Errors
    /// Returns the errors of all stages as [`Linked::render_errors`] does. A pipeline with errors is
    /// linked once, too.
    pub fn get_or_link(
        &mut self,
        programs: &[&Program],
        options: &Options,
    ) -> Result<Arc<Linked>, String> {
        let key = compute_pipeline_key(programs, options);
        let entry = self.0.entry(key).or_insert_with(|| {
            let linked = link(programs, options);
            match linked.render_errors(programs) {
                errors if errors.is_empty() => Ok(Arc::new(linked)),
                errors => Err(errors),
            }
        });
        entry.clone()
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
