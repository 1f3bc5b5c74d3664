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
    /// Inside a loop or switch.
    pub(super) enclosed: bool,
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
            self.size += 1;
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
        Ok(match node {
            Node::Run { len, .. } => {
                self.size += len;
                true
            }
            Node::If {
                then,
                otherwise,
                span,
                ..
            } => {
                let falls = self.block(then, inner).map_err(|error| error.at(span))?;
                match otherwise {
                    Some(otherwise) => {
                        falls
                            | self
                                .block(otherwise, inner)
                                .map_err(|error| error.at(span))?
                    }
                    None => true,
                }
            }
            Node::Loop {
                body,
                continuing,
                span,
            } => self
                .endless_loop(body, continuing, inner)
                .map_err(|error| error.at(span))?,
            Node::Switch(switch) => self.switch(switch, inner)?,
            Node::Break => {
                if let Some(count) = self.analysis.breaks.last_mut() {
                    *count += 1;
                }
                false
            }
            Node::Continue => false,
            Node::Call(callee, _) => {
                self.analysis.calls.push((self.routine, callee));
                true
            }
            Node::Return => {
                if !place.tail {
                    let info = &mut self.analysis.routines[self.routine.index()];
                    info.early_return = true;
                    info.early_returns += 1;
                    info.deep_return |= place.enclosed;
                }
                place.tail
            }
        })
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
            enclosed: true,
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
        let inner = BlockPosition {
            enclosed: true,
            ..inner
        };
        // Without a default, values of no case go on behind the switch.
        let mut falls = switch.default.is_none();
        let blocks = switch
            .cases
            .iter()
            .map(|case| case.block)
            .chain(switch.default);
        for block in blocks {
            falls |= self
                .block(block, inner)
                .map_err(|error| error.at(switch.span))?;
        }
        Ok(self.analysis.breaks.pop().is_some_and(|count| count > 0) | falls)
    }
}
