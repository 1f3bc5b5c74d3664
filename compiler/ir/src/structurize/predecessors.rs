//! Predecessors of basic blocks.

use super::graph::FlowId;
use crate::arena::Id;

/// Predecessors of each block, the last one added first.
///
/// All lists share one vector, as position and previous block: graphs have many blocks with one or
/// two predecessors, and separate lists would each need an allocation.
#[derive(Default)]
pub(super) struct Predecessors {
    last: Vec<Option<u32>>,
    links: Vec<(FlowId, Option<u32>)>,
}

impl Predecessors {
    /// Returns the lists of `blocks` blocks, which are empty.
    pub(super) fn new(blocks: usize) -> Self {
        // Reduction may add half as many blocks.
        let mut last = Vec::with_capacity(blocks + blocks / 2);
        last.resize(blocks, None);
        Self {
            last,
            links: Vec::with_capacity(2 * blocks),
        }
    }

    pub(super) fn get(&self, block: FlowId) -> impl Iterator<Item = FlowId> {
        let mut next = self.last[block.index()];
        std::iter::from_fn(move || {
            let (pred, before) = self.links[next? as usize];
            next = before;
            Some(pred)
        })
    }

    pub(super) fn add(&mut self, block: FlowId, pred: FlowId) {
        let before = self.last[block.index()].replace(self.links.len() as u32);
        self.links.push((pred, before));
    }

    /// Adds a predecessor whose targets are visited consecutively, unless it was already added.
    pub(super) fn add_once(&mut self, block: FlowId, pred: FlowId) {
        if self.get(block).next() != Some(pred) {
            self.add(block, pred);
        }
    }

    /// Makes `pred` the only predecessor.
    pub(super) fn replace(&mut self, block: FlowId, pred: FlowId) {
        self.last[block.index()] = None;
        self.add(block, pred);
    }

    /// Adds a block without predecessors.
    pub(super) fn push_block(&mut self) {
        self.last.push(None);
    }
}
