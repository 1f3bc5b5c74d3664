//! Control flow of one routine: ends of blocks, returns, calls, nesting.

use super::{Analysis, BlockInfo, MAX_NESTING};
use crate::error::{Error, Failure};
use glasm_ir::arena::Id;
use glasm_ir::{BlockId, Node, Program, RoutineId, SwitchId};

/// Position of a block in its routine.
#[derive(Clone, Copy)]
pub(super) struct BlockPosition {
    pub(super) depth: u32,
    pub(super) tail: bool,
}

/// Walk over the tree of one routine: ends of blocks, returns, calls, nesting.
pub(super) struct FlowScan<'a> {
    pub(super) analysis: &'a mut Analysis,
    pub(super) program: &'a Program,
    pub(super) routine: RoutineId,
    pub(super) size: u32,
    pub(super) deepest: u32,
}

impl FlowScan<'_> {
    /// Visits a block and returns true if control reaches its end.
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
            // A node costs as much as an instruction: empty branches and calls must count in the
            // budget of inlining.
            self.size += 1;
            // A return at the end of the routine needs no jump, at any nesting of branches. The end
            // of a loop is not such an end.
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
                // A break outside of a construct has no count; emission rejects it.
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

    /// Visits a branch; control reaches the end of a missing one.
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
        // Loops are endless: the code after a loop is reached only by a break.
        Ok(self.analysis.breaks.pop().is_some_and(|count| count > 0))
    }

    fn switch(&mut self, id: SwitchId, inner: BlockPosition) -> Result<bool, Failure> {
        let program = self.program;
        let switch = &program.switches[id];
        self.analysis.breaks.push(0);
        // Without a default, values without a case continue after the switch.
        let mut falls = switch.default.is_none();
        for block in switch.blocks() {
            let end = self.block(block, inner);
            falls |= end.map_err(|error| error.at(switch.span))?;
        }
        Ok(self.analysis.breaks.pop().is_some_and(|count| count > 0) | falls)
    }
}
