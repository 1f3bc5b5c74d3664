//! Which blocks branch to each block.

use super::graph::FlowId;
use crate::arena::Id;

/// Blocks that branch to each block, the last one added first.
///
/// All lists lie in one vector, as position and block before it: graphs have many blocks with one or two of them, and a list for each
/// would be an allocation for each.
#[derive(Default)]
pub(super) struct Preds {
    last: Vec<Option<u32>>,
    links: Vec<(FlowId, Option<u32>)>,
}

impl Preds {
    /// Of so many blocks, to which nothing branches yet.
    pub(super) fn new(blocks: usize) -> Self {
        // Half as many blocks may be added.
        let mut last = Vec::with_capacity(blocks + blocks / 2);
        last.resize(blocks, None);
        Self {
            last,
            links: Vec::with_capacity(2 * blocks),
        }
    }

    pub(super) fn of(&self, block: FlowId) -> impl Iterator<Item = FlowId> {
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

    /// Adds a block whose targets are visited one after the other, unless it has been.
    pub(super) fn add_once(&mut self, block: FlowId, pred: FlowId) {
        if self.of(block).next() != Some(pred) {
            self.add(block, pred);
        }
    }

    /// Makes `pred` the only one.
    pub(super) fn replace(&mut self, block: FlowId, pred: FlowId) {
        self.last[block.index()] = None;
        self.add(block, pred);
    }

    /// Another block, to which nothing branches yet.
    pub(super) fn push_block(&mut self) {
        self.last.push(None);
    }
}
