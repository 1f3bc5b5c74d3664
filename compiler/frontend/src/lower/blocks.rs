//! Graphs of basic blocks under construction, for [`structurize`](glasm_ir::structurize::structurize).

use super::Lowerer;
use glasm_ir::structurize::{Exit, FlowBlock, FlowId};
use glasm_ir::{Cond, Id, IndexVec, Span};

/// Blocks, of which one is being filled.
pub(super) struct Blocks {
    pub(super) list: IndexVec<FlowId, FlowBlock>,
    current: FlowId,
    /// Instructions of the program in the block being filled, as far as someone counts them.
    pub(super) steps: u32,
}

impl Blocks {
    pub(super) fn new() -> Self {
        Self {
            list: IndexVec::new(),
            current: FlowId::new(0),
            steps: 0,
        }
    }

    /// A block to be filled later; until then it returns.
    pub(super) fn reserve(&mut self) -> FlowId {
        self.list.push(FlowBlock {
            nodes: Vec::new(),
            exit: Exit::Return,
            span: Span::default(),
            steps: 0,
        })
    }

    /// The block being filled.
    pub(super) fn current(&self) -> FlowId {
        self.current
    }
}

impl Lowerer<'_> {
    /// Begins to fill a block.
    pub(super) fn begin_block(&mut self, blocks: &mut Blocks, block: FlowId) {
        blocks.current = block;
        self.builder.open_block();
    }

    /// Ends the block that is being filled.
    pub(super) fn end_block(&mut self, blocks: &mut Blocks, exit: Exit) {
        blocks.list[blocks.current] = FlowBlock {
            nodes: self.builder.take_nodes(),
            exit,
            span: self.span,
            steps: std::mem::take(&mut blocks.steps),
        };
    }

    /// Ends the block and begins the next one; `exit` gets its number.
    pub(super) fn divide(&mut self, blocks: &mut Blocks, exit: impl FnOnce(FlowId) -> Exit) {
        let next = blocks.reserve();
        self.end_block(blocks, exit(next));
        self.begin_block(blocks, next);
    }

    /// Goes to `target` if `cond` holds, else on in a new block.
    pub(super) fn leave_if(&mut self, blocks: &mut Blocks, cond: Cond, target: FlowId) {
        self.divide(blocks, |otherwise| Exit::Branch {
            cond,
            then: target,
            otherwise,
        });
    }

    /// Goes on in a new block if `cond` holds, else to `target`.
    pub(super) fn leave_unless(&mut self, blocks: &mut Blocks, cond: Cond, target: FlowId) {
        self.divide(blocks, |then| Exit::Branch {
            cond,
            then,
            otherwise: target,
        });
    }
}
