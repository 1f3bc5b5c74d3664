//! Labels, branches, calls and recursion as trees, for every language.
//!
//! The rules of a language add what a program has of them to a [`Cfg`], in source order. It divides the program into basic blocks at
//! labels and after branches. [`Cfg::analyze`] finds what can run, which functions can call themselves and how long chains of calls
//! are; rules turn the [`CallGraph`] into diagnostics. The translation goes through the basic blocks with a [`TreeBuilder`]: it tells
//! that of structured control flow and calls, and appends instructions to the [`Builder`](crate::Builder) in between.
//! [`TreeBuilder::finish`] makes routines of all that.
//!
//! A *function* is what runs from an entry (the start of the program or a target of calls) until it returns. Structured control flow
//! becomes the tree at once; a program without labels is one basic block and has no graph. A function with branches goes through
//! [`structurize`](crate::structurize). Functions that can call each other become one graph with a stack of return addresses, and so
//! does the whole program where calls can exceed the stack or the end of the program can be reached from a subroutine.

mod call_graph;
mod cfg;
mod graph;
mod routines;
mod stack;
mod switch;
#[cfg(test)]
mod tests;
mod tree;

pub use call_graph::CallGraph;
pub use cfg::SavedLanes;
pub(crate) use cfg::Scopes;
pub use cfg::{
    AtLabel, BasicBlock, BasicBlockId, BranchKind, CallConvention, Cfg, LabelId, OnStackOverflow,
};
pub use tree::TreeBuilder;
