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

mod graph;
mod outline;
mod record;
mod routines;
mod stack;
#[cfg(test)]
mod tests;

pub use outline::{Outline, PieceId, Plan};
pub use record::{Kept, Recorder};

define_ids! {
    /// A label of the source; who records decides on the numbers.
    LabelId = "label";
}

/// What a call does when no place is left on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FullStack {
    /// Nothing: it goes on behind the call.
    SkipCall,
    /// It ends the program.
    EndProgram,
}

/// What happens where control reaches a label from the text before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtLabel {
    /// The routine before it returns, and so does the last one at the end of the program.
    Return,
    /// Control goes on behind the label; at the end of the program it ends, whatever called.
    GoOn,
}

/// How a language calls subroutines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Calls that can be open.
    pub depth: u32,
    /// What a call beyond that does.
    pub full: FullStack,
    /// What a label does to the text before it.
    pub at_label: AtLabel,
}
