//! Builds a [`Program`] in source order: instructions into the open block, blocks closed inside
//! out.

use crate::cfg::Scopes;
use crate::inst::{Cond, Inst, Src};
use crate::program::{Block, BlockId, Node, Program};
use crate::span::Span;

/// Builder that appends to a program. Nodes of open blocks are pending on one stack, so that the
/// nodes of a closed block are contiguous in [`Program::nodes`].
#[derive(Debug)]
pub struct Builder {
    /// The program under construction. Callers may add to all tables except the instructions
    /// directly.
    pub program: Program,
    pending_nodes: Vec<Node>,
    block_starts: Vec<usize>,
    /// The first instruction that is not part of a node yet. It and all following instructions
    /// belong to the innermost open block.
    first_unassigned_inst: u32,
    /// Scratch memory of the tree builder that uses this builder.
    pub(crate) scopes: Scopes,
}

/// Scratch lists that consecutive builders reuse.
#[derive(Debug, Default)]
pub struct BuilderScratch {
    pending_nodes: Vec<Node>,
    block_starts: Vec<usize>,
    scopes: Scopes,
}

impl Builder {
    /// Returns a builder without open blocks that reuses the memory of `scratch`.
    pub fn with_scratch(program: Program, scratch: BuilderScratch) -> Self {
        let BuilderScratch {
            pending_nodes: pending,
            block_starts: open,
            scopes,
        } = scratch;
        Self {
            first_unassigned_inst: program.insts.len() as u32,
            program,
            pending_nodes: pending,
            block_starts: open,
            scopes,
        }
    }

    /// Returns the program, and the memory for the next builder. Blocks that are still open are
    /// lost.
    pub fn finish(mut self) -> (Program, BuilderScratch) {
        self.pending_nodes.clear();
        self.block_starts.clear();
        let memory = BuilderScratch {
            pending_nodes: self.pending_nodes,
            block_starts: self.block_starts,
            scopes: self.scopes,
        };
        (self.program, memory)
    }

    /// Returns a builder without open blocks.
    pub fn new(program: Program) -> Self {
        Self::with_scratch(program, BuilderScratch::default())
    }

    /// Opens a block.
    pub fn open_block(&mut self) {
        self.flush_run();
        self.block_starts.push(self.pending_nodes.len());
    }

    /// Closes the innermost open block.
    ///
    /// # Panics
    /// If no block is open.
    pub fn close_block(&mut self) -> BlockId {
        let block = self.pop_block();
        self.program.blocks.push(block)
    }

    /// Closes the innermost open block under the existing id `id`, which denoted an empty block: a
    /// placeholder for the body of a routine that was declared before it was built.
    ///
    /// # Panics
    /// If no block is open.
    pub fn close_block_as(&mut self, id: BlockId) {
        self.program.blocks[id] = self.pop_block();
    }

    /// Moves the nodes of the innermost open block to the block around it.
    ///
    /// # Panics
    /// If no block is open.
    pub fn merge_block(&mut self) {
        self.flush_run();
        self.block_starts.pop().expect("a block is open");
    }

    /// Closes the innermost open block and returns its nodes, which are not part of any block yet.
    ///
    /// # Panics
    /// If no block is open.
    pub fn take_nodes(&mut self) -> Vec<Node> {
        self.flush_run();
        let start = self.block_starts.pop().expect("a block is open");
        self.pending_nodes.drain(start..).collect()
    }

    /// Closes the innermost open block. Its nodes are in the program, but not in any of its blocks:
    /// [`append_nodes`](Self::append_nodes) copies them.
    ///
    /// # Panics
    /// If no block is open.
    pub fn close_nodes(&mut self) -> Block {
        self.pop_block()
    }

    /// Appends the nodes of a closed block to the open one. The caller must not use them in another
    /// block.
    pub fn append_nodes(&mut self, Block { first, len }: Block) {
        self.flush_run();
        let nodes = &self.program.nodes[first as usize..(first + len) as usize];
        self.pending_nodes.extend_from_slice(nodes);
    }

    /// Ends the innermost open block: moves its pending nodes to the program and returns their
    /// range. Panics if no block is open.
    fn pop_block(&mut self) -> Block {
        self.flush_run();
        let start = self.block_starts.pop().expect("a block is open");
        let first = self.program.nodes.len() as u32;
        self.program
            .nodes
            .extend_from_slice(&self.pending_nodes[start..]);
        self.pending_nodes.truncate(start);
        Block {
            first,
            len: self.program.nodes.len() as u32 - first,
        }
    }

    /// Appends an instruction with its sources, which are added to the program, to the open block.
    /// Overwrites the source fields of `inst`.
    pub fn push_inst(&mut self, inst: Inst, sources: &[Src]) {
        let first_source = self.program.srcs.len() as u32;
        // One to four sources: a loop is shorter than the call that copies a list.
        for &source in sources {
            self.program.srcs.push(source);
        }
        self.push_inst_with_stored_sources(Inst {
            first_source,
            source_count: sources.len() as u8,
            ..inst
        });
    }

    /// Appends an instruction whose sources are already in the program's table: `source_count` of
    /// them from `first_source` on.
    pub fn push_inst_with_stored_sources(&mut self, inst: Inst) {
        self.program.insts.push(inst);
    }

    /// Adds the instructions that are not part of a node yet to the open block, as a run; does
    /// nothing if there are none.
    fn flush_run(&mut self) {
        let end = self.program.insts.len() as u32;
        if self.first_unassigned_inst != end {
            self.flush_run_at(end);
        }
    }

    /// Assigns the unassigned instructions before `end`, of which there must be at least one, to a
    /// run of the open block: appends them to the last node if that is a run that they follow
    /// directly, otherwise pushes a new run.
    fn flush_run_at(&mut self, end: u32) {
        let first = std::mem::replace(&mut self.first_unassigned_inst, end);
        let start = self.block_starts.last().copied().unwrap_or(0);
        match self.pending_nodes[start..].last_mut() {
            // Only the last node of the open block may grow; instructions of a closed block may be
            // in between.
            Some(Node::Run { first: before, len }) if *before + *len == first => {
                *len = end - *before
            }
            _ => self.pending_nodes.push(Node::Run {
                first,
                len: end - first,
            }),
        }
    }

    /// Copies the `len` instructions from `first` on, which share the sources of the originals, and
    /// returns the copy as a node that is not part of a block yet.
    pub fn copy_run(&mut self, first: u32, len: u32) -> Node {
        self.flush_run();
        let insts = &mut self.program.insts;
        let copied = insts.len() as u32;
        insts.extend_from_within(first as usize..(first + len) as usize);
        self.first_unassigned_inst = insts.len() as u32;
        Node::Run { first: copied, len }
    }

    /// Appends a node that is not an instruction to the open block.
    pub fn push_node(&mut self, node: Node) {
        self.flush_run();
        self.pending_nodes.push(node);
    }

    /// Appends a branch whose blocks are already closed; a missing `otherwise` is empty.
    pub fn push_branch(
        &mut self,
        cond: Cond,
        then: BlockId,
        otherwise: Option<BlockId>,
        span: Span,
    ) {
        self.push_node(Node::If {
            cond,
            then,
            otherwise,
            span,
        });
    }
}
