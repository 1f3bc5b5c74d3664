//! Position of each block of a reducible graph in the tree: dominators, loops, and the constructs
//! that follow from them.

use super::graph::Predecessors;
use super::graph::{FlowId, Graph, StructurizeLimit};
use crate::arena::Id;

/// Maximum number of steps up the dominator tree for a block, on average.
const MAX_STEPS: usize = 256;

/// The position of a block relative to other blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockPosition {
    /// At the only branch to it.
    Inline,
    /// After a construct that the branches to it leave; listed in
    /// [`TreeLayout::followers`] or [`TreeLayout::loop_followers`].
    AfterConstruct,
}

/// The structure of a reducible graph as a tree: its loops, and the order of its blocks.
#[derive(Debug)]
pub(super) struct TreeLayout {
    /// Reachable blocks in reverse postorder.
    order: Vec<FlowId>,
    /// Position in that order, by block; `u32::MAX` for unreachable blocks.
    order_index: Vec<u32>,
    /// The header of the innermost loop around each block; not its own loop for a header.
    enclosing_loop: Vec<Option<FlowId>>,
    is_header: Vec<bool>,
    block_positions: Vec<BlockPosition>,
    /// Blocks after the code of each block and the blocks inlined into it, in order.
    followers: Vec<Vec<FlowId>>,
    /// Blocks after the loop of each header, in order.
    loop_followers: Vec<Vec<FlowId>>,
}

impl TreeLayout {
    /// Computes the layout of a reducible graph: its loops, and for each block the blocks that
    /// follow it. Returns an error if the search of dominators takes too long.
    pub(super) fn compute(graph: &Graph) -> Result<Self, StructurizeLimit> {
        let count = graph.blocks.len();
        let order = compute_reverse_postorder(graph);
        let mut position = vec![u32::MAX; count];
        for (block, at) in order.iter().zip(0..) {
            position[block.index()] = at;
        }
        let mut predecessors = Predecessors::new(count);
        for &block in &order {
            graph.blocks[block]
                .exit
                .visit_targets(|target| predecessors.add(target, block));
        }
        let mut shape = Self {
            order,
            order_index: position,
            enclosing_loop: vec![None; count],
            is_header: vec![false; count],
            block_positions: vec![BlockPosition::Inline; count],
            followers: vec![Vec::new(); count],
            loop_followers: vec![Vec::new(); count],
        };
        let dominators = shape.compute_dominators(&predecessors)?;
        shape.find_loops(&predecessors);
        shape.assign_placements(&predecessors, &dominators);
        Ok(shape)
    }

    /// Returns the position of a block in reverse postorder; the maximum for unreachable blocks.
    fn get_order_index(&self, block: FlowId) -> u32 {
        self.order_index[block.index()]
    }

    /// Returns the immediate dominator of every block, for the entry the entry itself. In a
    /// reducible graph back edges are irrelevant, so one pass is enough. Returns an error if the
    /// search takes too long.
    fn compute_dominators(
        &self,
        predecessors: &Predecessors,
    ) -> Result<Vec<FlowId>, StructurizeLimit> {
        let mut dominators: Vec<FlowId> = (0..self.order_index.len()).map(FlowId::new).collect();
        let mut budget = MAX_STEPS * (self.order.len() + 64);
        // The entry, which is the first block, has no dominator.
        for &block in self.order.iter().skip(1) {
            let mut common: Option<FlowId> = None;
            let forward = |pred: &FlowId| self.get_order_index(*pred) < self.get_order_index(block);
            for pred in predecessors.get(block).filter(forward) {
                let Some(mut a) = common else {
                    common = Some(pred);
                    continue;
                };
                let mut b = pred;
                while a != b {
                    budget = budget.checked_sub(1).ok_or(StructurizeLimit)?;
                    let later = if self.get_order_index(a) > self.get_order_index(b) {
                        &mut a
                    } else {
                        &mut b
                    };
                    *later = dominators[later.index()];
                }
                common = Some(a);
            }
            dominators[block.index()] = common.unwrap_or(block);
        }
        Ok(dominators)
    }

    /// Records the headers of loops and the innermost loop around each block, inner loops first:
    /// its blocks are those from which a header is reachable backwards from its back edges.
    fn find_loops(&mut self, predecessors: &Predecessors) {
        let mut outermost: Vec<FlowId> = (0..self.order_index.len()).map(FlowId::new).collect();
        // The header by which each block was visited last: no state has to be cleared between
        // loops.
        let mut seen = vec![u32::MAX; self.order_index.len()];
        let mut pending: Vec<FlowId> = Vec::new();
        for index in (0..self.order.len()).rev() {
            let header = self.order[index];
            pending.extend(
                predecessors
                    .get(header)
                    .filter(|pred| self.get_order_index(*pred) >= self.get_order_index(header)),
            );
            self.is_header[header.index()] = !pending.is_empty();
            while let Some(block) = pending.pop() {
                let block = find_outermost(&mut outermost, block);
                if block == header || seen[block.index()] == index as u32 {
                    continue;
                }
                seen[block.index()] = index as u32;
                self.enclosing_loop[block.index()] = Some(header);
                outermost[block.index()] = header;
                pending.extend(predecessors.get(block));
            }
        }
    }

    /// Determines the position of each block: inline at the only branch to it, or after the
    /// construct of its dominator or of the outermost loop that the branches leave. Records the
    /// blocks of the latter as followers, in order.
    fn assign_placements(&mut self, predecessors: &Predecessors, dominators: &[FlowId]) {
        for index in 1..self.order.len() {
            let block = self.order[index];
            let dominator = dominators[block.index()];
            let target_loop = self.enclosing_loop[block.index()];
            let source_loop = if self.is_header(dominator) {
                Some(dominator)
            } else {
                self.enclosing_loop[dominator.index()]
            };
            if source_loop == target_loop {
                let is_forward =
                    |pred: &FlowId| self.get_order_index(*pred) < self.get_order_index(block);
                // A block with a single branch to it is emitted at that branch, and needs no
                // separate position.
                if predecessors.get(block).filter(is_forward).count() > 1 {
                    self.block_positions[block.index()] = BlockPosition::AfterConstruct;
                    self.followers[dominator.index()].push(block);
                }
                continue;
            }
            // The branch leaves loops: the block is emitted after the outermost of them.
            let mut left_loop = source_loop;
            while let Some(header) = left_loop {
                if self.enclosing_loop[header.index()] == target_loop {
                    self.block_positions[block.index()] = BlockPosition::AfterConstruct;
                    self.loop_followers[header.index()].push(block);
                    break;
                }
                left_loop = self.enclosing_loop[header.index()];
            }
        }
    }

    /// Returns true if a block is the header of a loop.
    pub(super) fn is_header(&self, block: FlowId) -> bool {
        self.is_header[block.index()]
    }

    /// Returns true if a block is in a loop.
    pub(super) fn is_in_loop(&self, block: FlowId) -> bool {
        self.is_header(block) || self.enclosing_loop[block.index()].is_some()
    }

    /// Returns the position of a block relative to others: inline or after a construct.
    pub(super) fn get_block_position(&self, block: FlowId) -> BlockPosition {
        self.block_positions[block.index()]
    }

    /// Returns the blocks after the code of a block, in order: none of them branches to an earlier
    /// one.
    pub(super) fn get_followers(&self, block: FlowId) -> &[FlowId] {
        &self.followers[block.index()]
    }

    /// Returns the blocks after the loop of a header.
    pub(super) fn get_loop_followers(&self, header: FlowId) -> &[FlowId] {
        &self.loop_followers[header.index()]
    }
}

/// Returns the end of the chain of loops from `block`, and makes all blocks of the chain lead there
/// directly.
fn find_outermost(jump: &mut [FlowId], block: FlowId) -> FlowId {
    let mut end = block;
    while jump[end.index()] != end {
        end = jump[end.index()];
    }
    let mut at = block;
    while jump[at.index()] != end {
        at = std::mem::replace(&mut jump[at.index()], end);
    }
    end
}

/// Returns the reachable blocks in reverse postorder, the entry first: each block before the blocks
/// that are reachable only through it.
fn compute_reverse_postorder(graph: &Graph) -> Vec<FlowId> {
    let mut seen = vec![false; graph.blocks.len()];
    seen[graph.entry.index()] = true;
    let mut stack = vec![(graph.entry, 0)];
    let mut order = Vec::new();
    while let Some((block, next)) = stack.last_mut() {
        let Some(target) = graph.blocks[*block].exit.get_target_from_end(*next) else {
            order.push(*block);
            stack.pop();
            continue;
        };
        *next += 1;
        if !std::mem::replace(&mut seen[target.index()], true) {
            stack.push((target, 0));
        }
    }
    order.reverse();
    order
}
