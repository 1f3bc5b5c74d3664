//! Pipelines of a context, by key, and the current one.
//!
//! Indices of pipelines remain valid until [`PipelineCache::clear`]; those of deleted pipelines are
//! reused. The cache never calls the driver: functions that drop pipelines return the names of
//! their program objects, which the caller deletes.

use crate::compute::ComputeKey;
use crate::context::Groups;
use crate::objects::Gone;
use crate::pipeline::{Key, Pipeline};
use crate::shapes::Shape;
use rustc_hash::FxHashMap;

/// Maximum of cached pipelines, which is more than an application has. A full cache is cleared.
const MOST_PIPELINES: usize = 4096;

/// Inputs of the choice of a pipeline that differ between draws without a change of GL state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct DrawKind {
    pub(super) shape: Shape,
    /// Material properties that are vertex attributes if fixed functions process vertices.
    pub(super) material_attributes: u16,
}

/// Pipelines that were built, also those that could not be.
#[derive(Default)]
pub(super) struct PipelineCache {
    /// `None` for pipelines that could not be built, that are in use, or that were deleted.
    pipelines: Vec<Option<Pipeline>>,
    /// Indices of deleted pipelines.
    free: Vec<usize>,
    by_key: FxHashMap<Key, usize>,
    current: Option<usize>,
    /// Draws that the current pipeline was chosen for.
    chosen_for: DrawKind,
    /// Groups of state that select among the pipelines of the current programs.
    deciding: Groups,
    /// Compute pipeline that was dispatched last.
    compute: Option<(ComputeKey, Pipeline)>,
    /// Number of deleted program strings when pipelines were purged last.
    gone_count: u64,
    /// Serial numbers of deleted program strings that are still bound in this context.
    lingering: Vec<u64>,
}

impl PipelineCache {
    /// Sets the groups of state that select among the pipelines of the current programs.
    pub(super) fn set_deciding(&mut self, groups: Groups) {
        self.deciding = groups;
    }

    /// Returns true if a group of state selects among the pipelines of the current programs.
    pub(super) fn depends_on(&self, group: Groups) -> bool {
        self.deciding.contains(group)
    }

    /// Returns true if the current pipeline cannot be used for a draw after these groups changed.
    pub(super) fn is_stale(&self, changed: Groups, kind: DrawKind) -> bool {
        self.current.is_none() || kind != self.chosen_for || changed.intersects(self.deciding)
    }

    /// Records the draws that the next pipeline is chosen for.
    pub(super) fn set_kind(&mut self, kind: DrawKind) {
        self.chosen_for = kind;
    }

    /// Returns the draws that the pipeline is chosen for.
    pub(super) fn kind(&self) -> DrawKind {
        self.chosen_for
    }

    /// Makes the pipeline of a key the current one. Returns true if there is one.
    pub(super) fn select(&mut self, key: &Key) -> bool {
        let known = self.by_key.get(key).copied();
        self.current = known.or(self.current);
        known.is_some()
    }

    /// Makes no pipeline the current one.
    pub(super) fn deselect(&mut self) {
        self.current = None;
    }

    pub(super) fn is_full(&self) -> bool {
        self.pipelines.len() >= MOST_PIPELINES
    }

    /// Adds a pipeline, `None` if it could not be built, and makes it the current one.
    pub(super) fn insert(&mut self, key: Key, pipeline: Option<Pipeline>) {
        let index = self.free.pop().unwrap_or(self.pipelines.len());
        match self.pipelines.get_mut(index) {
            Some(free) => *free = pipeline,
            None => self.pipelines.push(pipeline),
        }
        self.by_key.insert(key, index);
        self.current = Some(index);
    }

    /// Removes and returns the current pipeline; [`Self::put_back`] returns it to its index.
    pub(super) fn take_current(&mut self) -> Option<(usize, Pipeline)> {
        let index = self.current?;
        Some((index, self.pipelines[index].take()?))
    }

    /// Returns a removed pipeline to its index.
    pub(super) fn put_back(&mut self, index: usize, pipeline: Pipeline) {
        self.pipelines[index] = Some(pipeline);
    }

    /// Removes and returns the compute pipeline if it has this key; otherwise returns the name of
    /// the program object of the pipeline that it drops, if there is one.
    pub(super) fn take_compute(&mut self, key: &ComputeKey) -> Result<Pipeline, Option<u32>> {
        match self.compute.take() {
            Some((known, pipeline)) if known == *key => Ok(pipeline),
            other => Err(other.map(|(_, pipeline)| pipeline.program)),
        }
    }

    /// Stores the pipeline that [`Self::take_compute`] returns next.
    pub(super) fn put_back_compute(&mut self, key: ComputeKey, pipeline: Pipeline) {
        self.compute = Some((key, pipeline));
    }

    /// Drops the pipelines of program strings that were deleted since the last call. Pipelines of
    /// strings that are bound here are retained until a call that finds them unbound. Returns the
    /// names of the program objects, `None` if no pipeline was affected.
    pub(super) fn purge_deleted(
        &mut self,
        gone: &Gone,
        is_bound: impl Fn(u64) -> bool,
    ) -> Option<Vec<u32>> {
        let seen = std::mem::replace(&mut self.gone_count, gone.count);
        if seen == gone.count && self.lingering.is_empty() {
            return None;
        }
        let new = gone.since(seen);
        // Without the list every pipeline may be one of a deleted string.
        let is_listed = new.is_some();
        let mut deleted = std::mem::take(&mut self.lingering);
        deleted.extend(new.into_iter().flatten());
        let (bound, deleted): (Vec<u64>, Vec<u64>) =
            deleted.into_iter().partition(|serial| is_bound(*serial));
        self.lingering = bound;
        let is_deleted = |serial: u64| !is_listed || deleted.contains(&serial);
        let indices: Vec<_> = self
            .by_key
            .extract_if(|key, _| key.serials.iter().any(|it| *it != 0 && is_deleted(*it)))
            .map(|(_, index)| index)
            .collect();
        let compute = self.compute.take_if(|(key, _)| is_deleted(key.0));
        if indices.is_empty() && compute.is_none() {
            return None;
        }
        self.current = None;
        let compute = compute.map(|(_, pipeline)| pipeline);
        let mut dropped: Vec<_> = compute.iter().map(|it| it.program).collect();
        for index in indices {
            dropped.extend(self.pipelines[index].take().map(|it| it.program));
            self.free.push(index);
        }
        Some(dropped)
    }

    /// Drops all pipelines that draw. Returns the names of their program objects.
    pub(super) fn clear(&mut self) -> Vec<u32> {
        self.by_key.clear();
        self.free.clear();
        self.current = None;
        let pipelines = self.pipelines.drain(..).flatten();
        pipelines.map(|it| it.program).collect()
    }

    /// Returns the names of all program objects.
    pub(super) fn program_objects(&self) -> Vec<u32> {
        let compute = self.compute.iter().map(|(_, pipeline)| pipeline);
        let pipelines = self.pipelines.iter().flatten().chain(compute);
        pipelines.map(|it| it.program).collect()
    }
}
