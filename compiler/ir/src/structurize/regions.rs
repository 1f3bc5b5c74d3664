//! Position of each block of a reducible graph in the tree: dominators, loops, and the constructs
//! that follow from them.

use super::graph::{FlowId, Graph, StructurizeLimit};
use super::predecessors::Predecessors;
use crate::arena::Id;

/// Maximum number of steps up the dominator tree for a block, on average.
const MAX_STEPS: usize = 256;

/// The position of a block relative to other blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockPosition {
    /// At the only branch to it.
    Inline,
    /// After a construct that the branches to it leave; listed in [`Shape::after`] or
    /// [`Shape::after_loop`].
    Follow,
}

/// The shape of a graph.
#[derive(Debug)]
pub(super) struct Shape {
    /// Reachable blocks in reverse postorder.
    order: Vec<FlowId>,
    /// Position in that order, by block; `u32::MAX` for unreachable blocks.
    position: Vec<u32>,
    /// The header of the innermost loop around each block; not its own loop for a header.
    outer: Vec<Option<FlowId>>,
    is_header: Vec<bool>,
    place: Vec<BlockPosition>,
    /// Blocks after the code of each block and the blocks inlined into it, in order.
    after: Vec<Vec<FlowId>>,
    /// Blocks after the loop of each header, in order.
    after_loop: Vec<Vec<FlowId>>,
}

impl Shape {
    /// Finds the shape of a reducible graph.
    pub(super) fn find(graph: &Graph) -> Result<Self, StructurizeLimit> {
        let count = graph.blocks.len();
        let order = reverse_postorder(graph);
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
            position,
            outer: vec![None; count],
            is_header: vec![false; count],
            place: vec![BlockPosition::Inline; count],
            after: vec![Vec::new(); count],
            after_loop: vec![Vec::new(); count],
        };
        let dominators = shape.compute_dominators(&predecessors)?;
        shape.find_loops(&predecessors);
        shape.place_blocks(&predecessors, &dominators);
        Ok(shape)
    }

    fn get_position(&self, block: FlowId) -> u32 {
        self.position[block.index()]
    }

    /// Returns the immediate dominator of every block. In a reducible graph back edges are
    /// irrelevant, so one pass is enough.
    fn compute_dominators(
        &self,
        predecessors: &Predecessors,
    ) -> Result<Vec<FlowId>, StructurizeLimit> {
        let mut dominators: Vec<FlowId> = (0..self.position.len()).map(FlowId::new).collect();
        let mut budget = MAX_STEPS * (self.order.len() + 64);
        // The entry, which is the first block, has no dominator.
        for &block in self.order.iter().skip(1) {
            let mut common: Option<FlowId> = None;
            let forward = |pred: &FlowId| self.get_position(*pred) < self.get_position(block);
            for pred in predecessors.get(block).filter(forward) {
                let Some(mut a) = common else {
                    common = Some(pred);
                    continue;
                };
                let mut b = pred;
                while a != b {
                    budget = budget.checked_sub(1).ok_or(StructurizeLimit)?;
                    let later = if self.get_position(a) > self.get_position(b) {
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

    /// Finds headers and the loops around all blocks, inner loops first. `jump` leads from a block
    /// to the outermost loop around it that has been found.
    fn find_loops(&mut self, predecessors: &Predecessors) {
        let mut jump: Vec<FlowId> = (0..self.position.len()).map(FlowId::new).collect();
        // The header by which each block was visited last: no state has to be cleared between
        // loops.
        let mut seen = vec![u32::MAX; self.position.len()];
        let mut pending: Vec<FlowId> = Vec::new();
        for index in (0..self.order.len()).rev() {
            let header = self.order[index];
            pending.extend(
                predecessors
                    .get(header)
                    .filter(|pred| self.get_position(*pred) >= self.get_position(header)),
            );
            self.is_header[header.index()] = !pending.is_empty();
            while let Some(block) = pending.pop() {
                let block = find_outermost(&mut jump, block);
                if block == header || seen[block.index()] == index as u32 {
                    continue;
                }
                seen[block.index()] = index as u32;
                self.outer[block.index()] = Some(header);
                jump[block.index()] = header;
                pending.extend(predecessors.get(block));
            }
        }
    }

    fn place_blocks(&mut self, predecessors: &Predecessors, dominators: &[FlowId]) {
        for index in 1..self.order.len() {
            let block = self.order[index];
            let dominator = dominators[block.index()];
            let home = self.outer[block.index()];
            let inside = if self.is_header(dominator) {
                Some(dominator)
            } else {
                self.outer[dominator.index()]
            };
            if inside == home {
                let is_forward =
                    |pred: &FlowId| self.get_position(*pred) < self.get_position(block);
                // A block with a single branch to it is emitted at that branch, and needs no
                // separate position.
                if predecessors.get(block).filter(is_forward).count() > 1 {
                    self.place[block.index()] = BlockPosition::Follow;
                    self.after[dominator.index()].push(block);
                }
                continue;
            }
            // The branch leaves loops: the block is emitted after the outermost of them.
            let mut left = inside;
            while let Some(header) = left {
                if self.outer[header.index()] == home {
                    self.place[block.index()] = BlockPosition::Follow;
                    self.after_loop[header.index()].push(block);
                    break;
                }
                left = self.outer[header.index()];
            }
        }
    }

    pub(super) fn is_header(&self, block: FlowId) -> bool {
        self.is_header[block.index()]
    }

    /// Returns true if a block is in a loop.
    pub(super) fn is_in_loop(&self, block: FlowId) -> bool {
        self.is_header(block) || self.outer[block.index()].is_some()
    }

    pub(super) fn get_block_position(&self, block: FlowId) -> BlockPosition {
        self.place[block.index()]
    }

    /// Returns the blocks after the code of a block, in order: none of them branches to an earlier
    /// one.
    pub(super) fn get_after(&self, block: FlowId) -> &[FlowId] {
        &self.after[block.index()]
    }

    /// Returns the blocks after the loop of a header.
    pub(super) fn get_after_loop(&self, header: FlowId) -> &[FlowId] {
        &self.after_loop[header.index()]
    }
}

/// Returns the end of the chain from `block`; compresses the chain.
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

/// Returns the reachable blocks in reverse postorder: each block before the blocks that are
/// reachable only through it.
fn reverse_postorder(graph: &Graph) -> Vec<FlowId> {
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
