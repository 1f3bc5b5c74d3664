//! Translates labels, branches, calls and recursion of every language to trees.
//!
//! The rules of a language record these constructs in a [`Cfg`], in source order. It divides the
//! program into basic blocks at labels and after branches. [`Cfg::build_call_graph`] computes
//! reachability, recursion and the length of call chains; rules derive diagnostics from the
//! [`CallGraph`]. The translation visits the basic blocks with a [`TreeBuilder`]: it passes
//! structured control flow and calls to the tree builder and appends instructions to the
//! [`Builder`](crate::Builder) in between. [`TreeBuilder::build_routines`] creates the routines.
//!
//! A *function* consists of the blocks that run from an entry (the start of the program or a target
//! of calls) until it returns. Structured control flow is translated to the tree immediately; a
//! program without labels is one basic block and has no graph. A function with branches is
//! translated by [`structurize`](crate::structurize). Functions that can call each other are merged
//! into one graph with a stack of return addresses, and so is the entire program if calls can
//! exceed the stack or a subroutine can reach the end of the program.

mod basic_blocks;
mod call_graph;
mod graph_builder;
mod routine_builder;
mod switch;
#[cfg(test)]
mod tests;
mod tree_builder;

pub use basic_blocks::SavedLanes;
pub(crate) use basic_blocks::Scopes;
pub use basic_blocks::{
    BasicBlock, BasicBlockId, BranchKind, CallConvention, Cfg, LabelFallThrough, LabelId,
    OnStackOverflow,
};
pub use call_graph::CallGraph;
pub use tree_builder::TreeBuilder;
