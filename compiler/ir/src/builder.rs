//! Builds a [`Program`] in source order: instructions into the open block, blocks closed inside
//! out.

use crate::flow::Scopes;
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
    pending: Vec<Node>,
    open: Vec<usize>,
    /// The first instruction that is not part of a node yet. It and all following instructions
    /// belong to the innermost open block.
    first_loose: u32,
    /// Scratch memory of the tree builder that uses this builder.
    pub(crate) scopes: Scopes,
}

/// Scratch lists that consecutive builders reuse.
#[derive(Debug, Default)]
pub struct BuilderMemory {
    pending: Vec<Node>,
    open: Vec<usize>,
    scopes: Scopes,
}

impl Builder {
    /// Returns a builder without open blocks that reuses `memory`.
    pub fn with_memory(program: Program, memory: BuilderMemory) -> Self {
        let BuilderMemory {
            pending,
            open,
            scopes,
        } = memory;
        Self {
            first_loose: program.insts.len() as u32,
            program,
            pending,
            open,
            scopes,
        }
    }

    /// Returns the program, and the memory for the next builder. Blocks that are still open are
    /// lost.
    pub fn finish(mut self) -> (Program, BuilderMemory) {
        self.pending.clear();
        self.open.clear();
        let memory = BuilderMemory {
            pending: self.pending,
            open: self.open,
            scopes: self.scopes,
        };
        (self.program, memory)
    }

    /// Returns a builder without open blocks.
    pub fn new(program: Program) -> Self {
        Self::with_memory(program, BuilderMemory::default())
    }

    /// Opens a block.
    pub fn open_block(&mut self) {
        self.end_run();
        self.open.push(self.pending.len());
    }

    /// Closes the innermost open block.
    ///
    /// # Panics
    /// If no block is open.
    pub fn close_block(&mut self) -> BlockId {
        let block = self.close();
        self.program.blocks.push(block)
    }

    /// Closes the innermost open block under the existing id `id`, which denoted an empty block: a
    /// placeholder for the body of a routine that was declared before it was built.
    ///
    /// # Panics
    /// If no block is open.
    pub fn close_block_as(&mut self, id: BlockId) {
        self.program.blocks[id] = self.close();
    }

    /// Moves the nodes of the innermost open block to the block around it.
    ///
    /// # Panics
    /// If no block is open.
    pub fn merge_block(&mut self) {
        self.end_run();
        self.open.pop().expect("a block is open");
    }

    /// Closes the innermost open block and returns its nodes, which are not part of any block yet.
    ///
    /// # Panics
    /// If no block is open.
    pub fn take_nodes(&mut self) -> Vec<Node> {
        self.end_run();
        let start = self.open.pop().expect("a block is open");
        self.pending.drain(start..).collect()
    }

    /// Closes the innermost open block. Its nodes are in the program, but not in any of its blocks:
    /// [`append_nodes`](Self::append_nodes) copies them.
    ///
    /// # Panics
    /// If no block is open.
    pub fn close_nodes(&mut self) -> Block {
        self.close()
    }

    /// Appends the nodes of a closed block to the open one.
    pub fn append_nodes(&mut self, Block { first, len }: Block) {
        self.end_run();
        let nodes = &self.program.nodes[first as usize..(first + len) as usize];
        self.pending.extend_from_slice(nodes);
    }

    fn close(&mut self) -> Block {
        self.end_run();
        let start = self.open.pop().expect("a block is open");
        let first = self.program.nodes.len() as u32;
        self.program.nodes.extend_from_slice(&self.pending[start..]);
        self.pending.truncate(start);
        Block {
            first,
            len: self.program.nodes.len() as u32 - first,
        }
    }

    /// Appends an instruction with its sources to the open block. Overwrites the source fields of
    /// `inst`.
    #[inline]
    pub fn inst(&mut self, inst: Inst, sources: &[Src]) {
        let first_source = self.program.srcs.len() as u32;
        // One to four sources: a loop is shorter than the call that copies a list.
        for &source in sources {
            self.program.srcs.push(source);
        }
        self.inst_of_pushed(Inst {
            first_source,
            source_count: sources.len() as u8,
            ..inst
        });
    }

    /// Appends an instruction whose sources are already in the program's table: `source_count` of
    /// them from `first_source` on.
    #[inline]
    pub fn inst_of_pushed(&mut self, inst: Inst) {
        self.program.insts.push(inst);
    }

    /// Adds a node for the instructions that are not part of a node yet.
    #[inline]
    fn end_run(&mut self) {
        let end = self.program.insts.len() as u32;
        if self.first_loose != end {
            self.end_run_at(end);
        }
    }

    fn end_run_at(&mut self, end: u32) {
        let first = std::mem::replace(&mut self.first_loose, end);
        let start = self.open.last().copied().unwrap_or(0);
        match self.pending[start..].last_mut() {
            // Only the last node of the open block may grow; instructions of a closed block may be
            // in between.
            Some(Node::Run { first: before, len }) if *before + *len == first => {
                *len = end - *before
            }
            _ => self.pending.push(Node::Run {
                first,
                len: end - first,
            }),
        }
    }

    /// Copies the `len` instructions from `first` on and returns the copy as a node that is not
    /// part of a block yet.
    pub fn copy_run(&mut self, first: u32, len: u32) -> Node {
        self.end_run();
        let insts = &mut self.program.insts;
        let copied = insts.len() as u32;
        insts.extend_from_within(first as usize..(first + len) as usize);
        self.first_loose = insts.len() as u32;
        Node::Run { first: copied, len }
    }

    /// Appends a node that is not an instruction to the open block.
    pub fn node(&mut self, node: Node) {
        self.end_run();
        self.pending.push(node);
    }

    /// Appends a branch whose blocks are already closed.
    pub fn branch(&mut self, cond: Cond, then: BlockId, otherwise: Option<BlockId>, span: Span) {
        self.node(Node::If {
            cond,
            then,
            otherwise,
            span,
        });
    }
}
