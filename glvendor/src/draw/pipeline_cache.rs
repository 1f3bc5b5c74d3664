//! Pipelines of a context, by key, and the current one.
//!
//! Indices of pipelines remain valid until [`PipelineCache::clear`]; those of deleted pipelines are
//! reused. The cache never calls the driver: functions that drop pipelines return the names of
//! their program objects, which the caller deletes.

use crate::compute::ComputeKey;
use crate::context::StateGroups;
use crate::pipeline::{Pipeline, PipelineKey};
use crate::primitives::PrimitiveClass;
use crate::share_group::DeletedPrograms;
use rustc_hash::FxHashMap;

/// Maximum of cached pipelines, which is more than an application has. A full cache is cleared.
const MAX_PIPELINES: usize = 4096;

/// Inputs of the choice of a pipeline that differ between draws without a change of GL state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct DrawKind {
    pub(super) shape: PrimitiveClass,
    /// Material properties that are vertex attributes if fixed functions process vertices.
    pub(super) material_attributes: u16,
}

/// Pipelines that were built, also those that could not be.
#[derive(Default)]
pub(super) struct PipelineCache {
    /// `None` for pipelines that could not be built, that are in use, or that were deleted.
    pipelines: Vec<Option<Pipeline>>,
    /// Indices of deleted pipelines.
    free_indices: Vec<usize>,
    by_key: FxHashMap<PipelineKey, usize>,
    current: Option<usize>,
    /// Draws that the current pipeline was chosen for.
    current_kind: DrawKind,
    /// Groups of state that select among the pipelines of the current programs.
    selecting_groups: StateGroups,
    /// Compute pipeline that was dispatched last.
    compute_pipeline: Option<(ComputeKey, Pipeline)>,
    /// Number of deleted program strings when pipelines were purged last.
    purged_count: u64,
    /// Serial numbers of deleted program strings that are still bound in this context.
    deleted_but_bound: Vec<u64>,
}

impl PipelineCache {
    /// Sets the groups of state that select among the pipelines of the current programs.
    pub(super) fn set_selecting_groups(&mut self, groups: StateGroups) {
        self.selecting_groups = groups;
    }

    /// Returns true if a group of state selects among the pipelines of the current programs.
    pub(super) fn depends_on(&self, group: StateGroups) -> bool {
        self.selecting_groups.contains(group)
    }

    /// Returns true if a pipeline must be selected before a draw of this kind: none is current, the
    /// last selection was for another kind, or one of the changed groups selects among pipelines.
    pub(super) fn is_stale(&self, changed: StateGroups, kind: DrawKind) -> bool {
        self.current.is_none()
            || kind != self.current_kind
            || changed.intersects(self.selecting_groups)
    }

    /// Records the draws that the next pipeline is chosen for.
    pub(super) fn set_draw_kind(&mut self, kind: DrawKind) {
        self.current_kind = kind;
    }

    /// Returns the kind of draws that the current pipeline is selected for.
    pub(super) fn draw_kind(&self) -> DrawKind {
        self.current_kind
    }

    /// Makes the pipeline of a key the current one. Returns true if there is an entry, which may be
    /// that of a pipeline that could not be built; otherwise the current one does not change.
    pub(super) fn select_cached(&mut self, key: &PipelineKey) -> bool {
        let cached_index = self.by_key.get(key).copied();
        self.current = cached_index.or(self.current);
        cached_index.is_some()
    }

    /// Leaves no pipeline current, so that the next draw selects one.
    pub(super) fn deselect(&mut self) {
        self.current = None;
    }

    /// Returns true if the cache has as many pipelines as it may, so that it must be cleared before
    /// another is added.
    pub(super) fn is_full(&self) -> bool {
        self.pipelines.len() >= MAX_PIPELINES
    }

    /// Adds a pipeline for a key that has none, `None` if it could not be built, and makes it the
    /// current one. Indices of deleted pipelines are reused.
    pub(super) fn insert(&mut self, key: PipelineKey, pipeline: Option<Pipeline>) {
        let index = self.free_indices.pop().unwrap_or(self.pipelines.len());
        match self.pipelines.get_mut(index) {
            Some(free) => *free = pipeline,
            None => self.pipelines.push(pipeline),
        }
        self.by_key.insert(key, index);
        self.current = Some(index);
    }

    /// Removes and returns the current pipeline with its index; [`Self::put_back`] returns it to
    /// the cache. `None` if there is no current one or it could not be built.
    pub(super) fn take_current(&mut self) -> Option<(usize, Pipeline)> {
        let index = self.current?;
        Some((index, self.pipelines[index].take()?))
    }

    /// Puts a pipeline that was temporarily removed back at its index.
    pub(super) fn put_back(&mut self, index: usize, pipeline: Pipeline) {
        self.pipelines[index] = Some(pipeline);
    }

    /// Removes and returns the compute pipeline if it has this key; otherwise returns the name of
    /// the program object of the pipeline that it drops, if there is one.
    pub(super) fn take_compute(&mut self, key: &ComputeKey) -> Result<Pipeline, Option<u32>> {
        match self.compute_pipeline.take() {
            Some((known, pipeline)) if known == *key => Ok(pipeline),
            other => Err(other.map(|(_, pipeline)| pipeline.program)),
        }
    }

    /// Stores `pipeline` as the only compute pipeline; replaces the previous one.
    /// [`Self::take_compute`] returns it if it is called with the same key.
    pub(super) fn put_back_compute(&mut self, key: ComputeKey, pipeline: Pipeline) {
        self.compute_pipeline = Some((key, pipeline));
    }

    /// Drops the pipelines of program strings that were deleted since the last call, those of draws
    /// and of dispatches; all of them if the list of deleted strings does not reach back that far.
    /// Pipelines of strings that are bound here are retained until a call that finds them unbound.
    /// Returns the names of the program objects, after which no pipeline is current; `None` if no
    /// pipeline was affected.
    pub(super) fn purge_deleted(
        &mut self,
        deleted_programs: &DeletedPrograms,
        is_bound: impl Fn(u64) -> bool,
    ) -> Option<Vec<u32>> {
        let purged_count = std::mem::replace(&mut self.purged_count, deleted_programs.total_count);
        if purged_count == deleted_programs.total_count && self.deleted_but_bound.is_empty() {
            return None;
        }
        let newly_deleted = deleted_programs.serials_since(purged_count);
        // Without the list every pipeline may be one of a deleted string.
        let is_listed = newly_deleted.is_some();
        let mut deleted = std::mem::take(&mut self.deleted_but_bound);
        deleted.extend(newly_deleted.into_iter().flatten());
        let (still_bound, deleted): (Vec<u64>, Vec<u64>) =
            deleted.into_iter().partition(|serial| is_bound(*serial));
        self.deleted_but_bound = still_bound;
        let is_deleted = |serial: u64| !is_listed || deleted.contains(&serial);
        let indices: Vec<_> = self
            .by_key
            .extract_if(|key, _| key.serials.iter().any(|it| *it != 0 && is_deleted(*it)))
            .map(|(_, index)| index)
            .collect();
        let compute = self.compute_pipeline.take_if(|(key, _)| is_deleted(key.0));
        if indices.is_empty() && compute.is_none() {
            return None;
        }
        self.current = None;
        let compute = compute.map(|(_, pipeline)| pipeline);
        let mut program_objects: Vec<_> = compute.iter().map(|it| it.program).collect();
        for index in indices {
            program_objects.extend(self.pipelines[index].take().map(|it| it.program));
            self.free_indices.push(index);
        }
        Some(program_objects)
    }

    /// Drops all pipelines that draw, not that of dispatches; none is current afterwards. Returns
    /// the names of their program objects.
    pub(super) fn clear(&mut self) -> Vec<u32> {
        self.by_key.clear();
        self.free_indices.clear();
        self.current = None;
        let pipelines = self.pipelines.drain(..).flatten();
        pipelines.map(|it| it.program).collect()
    }

    /// Returns the names of the program objects of all cached pipelines, of draws and of
    /// dispatches.
    pub(super) fn program_objects(&self) -> Vec<u32> {
        let compute = self.compute_pipeline.iter().map(|(_, pipeline)| pipeline);
        let pipelines = self.pipelines.iter().flatten().chain(compute);
        pipelines.map(|it| it.program).collect()
    }
}
