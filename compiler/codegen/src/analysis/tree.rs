//! Control flow of one routine: ends of blocks, returns, calls, nesting.

use super::{Analysis, BlockInfo, MAX_NESTING};
use crate::error::{Error, Failure};
use glasm_ir::arena::Id;
use glasm_ir::{BlockId, Node, Program, RoutineId, SwitchId};

/// Where a block stands in its routine.
#[derive(Clone, Copy)]
pub(super) struct BlockPosition {
    pub(super) depth: u32,
    pub(super) tail: bool,
}

/// Walks the tree of one routine: ends of blocks, returns, calls, nesting.
pub(super) struct FlowScan<'a> {
    pub(super) analysis: &'a mut Analysis,
    pub(super) program: &'a Program,
    pub(super) routine: RoutineId,
    pub(super) size: u32,
    pub(super) deepest: u32,
}

impl FlowScan<'_> {
    /// Whether control reaches the end of the block.
    pub(super) fn block(&mut self, id: BlockId, place: BlockPosition) -> Result<bool, Failure> {
        if place.depth > MAX_NESTING {
            return Err(Error::limit(format!(
                "blocks are nested deeper than {MAX_NESTING}"
            )));
        }
        self.deepest = self.deepest.max(place.depth);
        let nodes = self.program.block(id);
        let mut info = BlockInfo {
            reachable: nodes.len() as u32,
            falls: true,
            tail: place.tail,
        };
        for (index, &node) in nodes.iter().enumerate() {
            // A node costs as much as an instruction: empty branches and calls must not be free in the budget of inlining.
            self.size += 1;
            // A return at the very end needs no jump, however deep in branches the end lies. The end of a loop is none.
            let tail = place.tail && index + 1 == nodes.len();
            if !self.node(node, BlockPosition { tail, ..place })? {
                info.reachable = index as u32 + 1;
                info.falls = false;
                break;
            }
        }
        self.analysis.blocks[id.index()] = info;
        Ok(info.falls)
    }

    fn node(&mut self, node: Node, place: BlockPosition) -> Result<bool, Failure> {
        let inner = BlockPosition {
            depth: place.depth + 1,
            ..place
        };
        match node {
            Node::Run { len, .. } => {
                self.size += len;
                Ok(true)
            }
            Node::If {
                then,
                otherwise,
                span,
                ..
            } => {
                let branches = [Some(then), otherwise].map(|block| self.branch(block, inner));
                let [first, second] = branches.map(|falls| falls.map_err(|error| error.at(span)));
                Ok(first? | second?)
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => {
                let falls = self.endless_loop(body, continuing, inner);
                falls.map_err(|error| error.at(span))
            }
            Node::Switch(switch) => self.switch(switch, inner),
            Node::Break => {
                // A break out of nothing has no count; emission refuses it.
                let breaks = self.analysis.breaks.last_mut();
                breaks.into_iter().for_each(|count| *count += 1);
                Ok(false)
            }
            Node::Continue => Ok(false),
            Node::Call(callee, _) => {
                self.analysis.calls.push((self.routine, callee));
                Ok(true)
            }
            Node::Return => Ok(self.returns(place)),
        }
    }

    /// A branch that is not there goes on at once.
    fn branch(&mut self, block: Option<BlockId>, place: BlockPosition) -> Result<bool, Failure> {
        block.map_or(Ok(true), |block| self.block(block, place))
    }

    fn returns(&mut self, place: BlockPosition) -> bool {
        if !place.tail {
            let info = &mut self.analysis.routines[self.routine.index()];
            info.early_return = true;
        }
        place.tail
    }

    fn endless_loop(
        &mut self,
        body: BlockId,
        continuing: Option<BlockId>,
        inner: BlockPosition,
    ) -> Result<bool, Failure> {
        self.analysis.has_loops = true;
        self.analysis.breaks.push(0);
        let inner = BlockPosition {
            tail: false,
            ..inner
        };
        self.block(body, inner)?;
        if let Some(continuing) = continuing {
            self.block(continuing, inner)?;
        }
        // Loops are endless: only a break leads to what stands behind.
        Ok(self.analysis.breaks.pop().is_some_and(|count| count > 0))
    }

    fn switch(&mut self, id: SwitchId, inner: BlockPosition) -> Result<bool, Failure> {
        let program = self.program;
        let switch = &program.switches[id];
        self.analysis.breaks.push(0);
        // Without a default, values of no case go on behind the switch.
        let mut falls = switch.default.is_none();
        for block in switch.blocks() {
            let end = self.block(block, inner);
            falls |= end.map_err(|error| error.at(switch.span))?;
        }
        Ok(self.analysis.breaks.pop().is_some_and(|count| count > 0) | falls)
    }
}
