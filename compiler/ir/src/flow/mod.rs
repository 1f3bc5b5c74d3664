//! Free branches, labels, calls and recursion as a tree, for every language.
//!
//! The rules of a language write an [`Outline`] while they read a program: labels, branches, calls, returns. [`Outline::plan`] finds from it
//! what can run, which routines can call themselves and how long chains of calls are; rules turn that into diagnostics. The translation
//! tells a [`Recorder`] the same events in the same order and appends instructions to the [`Builder`](crate::Builder) between them.
//! [`Recorder::finish`] makes routines of both.
//!
//! Both cut the text into *pieces*, at labels and behind branches. A *region* is what runs from an entry (the start of the program or
//! a target of calls) until it returns. Structured flow becomes the tree at once; a program without labels is one piece and has no graph.
//! A region with branches goes through [`structurize`](crate::structurize). Regions that can call each other become one graph with a stack of
//! places to go on at, and so does the whole program where calls can exceed the stack or the end of the program can be reached from
//! a subroutine.

mod callee;
mod graph;
mod open;
mod outline;
mod pieces;
mod record;
mod routines;
mod rules;
mod stack;
#[cfg(test)]
mod tests;

pub(crate) use open::OpenBlocks;
pub use outline::{Outline, PieceId, Plan};
pub use pieces::Kept;
pub use record::Recorder;
pub use rules::{AtLabel, FullStack, LabelId, Rules};
