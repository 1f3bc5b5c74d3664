//! A cache of linked pipelines.

use crate::cache::CacheKey;
use crate::link::{Linked, compute_pipeline_key, link};
use crate::program::Program;
use crate::program_errors::LinkErrors;
use glasm_codegen::Options;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _, RandomState};
use std::sync::Arc;

/// Pipelines by their programs and options. State on which no module of a pipeline depends does not
/// lead to another pipeline: neither state on which none of the programs depends
/// ([`compute_pipeline_key`]), nor state of an input or output that linking removes.
///
/// ```
/// use glasm::{Options, PipelineCache, Program, Stage};
/// use std::sync::Arc;
///
/// let vertex = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND";
/// let vertex = Program::load_string("a.vp", Stage::Vertex, vertex)?;
/// let fragment = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND";
/// let fragment = Program::load_string("a.fp", Stage::Fragment, fragment)?;
/// let mut cache = PipelineCache::default();
/// let mut options = Options::default();
/// let pipeline = cache.get_or_link(&[&vertex, &fragment], &options)?;
/// assert_eq!((pipeline.shaders().count(), cache.len()), (2, 1));
///
/// options.pipeline_state.coord_replace_mask = 1; // of texture coordinates, which neither program has
/// assert!(Arc::ptr_eq(&cache.get_or_link(&[&vertex, &fragment], &options)?, &pipeline));
/// options.pipeline_state.flat_colors = true;
/// let flat = cache.get_or_link(&[&vertex, &fragment], &options)?;
/// assert_eq!((flat.find_changed_stages(Some(&pipeline)), cache.len()), (vec![Stage::Fragment], 2));
/// let errors = cache.get_or_link(&[&fragment, &fragment], &options).unwrap_err();
/// assert!(errors.to_string().contains("two fragment programs"), "{errors}");
///
/// cache.remove(&vertex); // glDeleteProgramsARB
/// assert!(cache.is_empty() && pipeline.programs.contains(&vertex));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PipelineCache {
    by_key: HashMap<CacheKey, Entry>,
    /// Pipelines without errors by the hash of their words. Those with the same programs differ in
    /// a module.
    by_words: HashMap<u64, Vec<Arc<Linked>>>,
    hash_state: RandomState,
}

/// The result of linking programs.
#[derive(Clone, Debug)]
struct Entry {
    programs: Vec<Program>,
    result: Result<Arc<Linked>, LinkErrors>,
}

impl PipelineCache {
    /// Returns the pipeline of programs for options, which is linked if the cache does not have it.
    /// Results are the same `Arc` if their programs and all of their modules are equal; its warnings
    /// are those of the first options. A caller compares the result with the pipeline that it has
    /// bound (`Arc::ptr_eq`), and stores what it creates from a pipeline with its `Arc`.
    ///
    /// # Errors
    /// The errors of all stages. A pipeline with errors is linked once, too.
    pub fn get_or_link(
        &mut self,
        programs: &[&Program],
        options: &Options,
    ) -> Result<Arc<Linked>, LinkErrors> {
        let key = compute_pipeline_key(programs, options);
        if let Some(known) = self.by_key.get(&key) {
            return known.result.clone();
        }
        let linked = link(programs, options);
        let programs = linked.programs.clone();
        let result = linked.check().map(|()| self.find_or_add(linked));
        let entry = Entry {
            programs,
            result: result.clone(),
        };
        self.by_key.insert(key, entry);
        result
    }

    /// Returns the pipeline of the cache with the programs and modules of another one, which is
    /// added if there is none.
    fn find_or_add(&mut self, linked: Linked) -> Arc<Linked> {
        let mut hasher = self.hash_state.build_hasher();
        for shader in linked.shaders() {
            shader.words.hash(&mut hasher);
        }
        let candidates = self.by_words.entry(hasher.finish()).or_default();
        let known = candidates.iter().find(|known| {
            known.programs == linked.programs && known.find_changed_stages(Some(&linked)).is_empty()
        });
        if let Some(known) = known {
            return Arc::clone(known);
        }
        let added = Arc::new(linked);
        candidates.push(Arc::clone(&added));
        added
    }

    /// Returns the number of pipelines without errors: a call of [`Self::get_or_link`] that changes
    /// it has returned a new one.
    pub fn len(&self) -> usize {
        self.by_words.values().map(Vec::len).sum()
    }

    /// Returns true if the cache has no pipelines without errors.
    pub fn is_empty(&self) -> bool {
        self.by_words.is_empty()
    }

    /// Removes all pipelines of which a program is a part, for callers that delete the program.
    /// Programs are equal if their strings, settings and changes are: the pipelines of a program
    /// that [`Program::with_missing_textures`] or a similar function returns are removed with that
    /// program. Each `Arc` that a caller has remains valid.
    pub fn remove(&mut self, program: &Program) {
        self.by_key
            .retain(|_, entry| !entry.programs.contains(program));
        self.by_words.retain(|_, pipelines| {
            pipelines.retain(|pipeline| !pipeline.programs.contains(program));
            !pipelines.is_empty()
        });
    }

    /// Removes all pipelines.
    pub fn clear(&mut self) {
        self.by_key.clear();
        self.by_words.clear();
    }
}
