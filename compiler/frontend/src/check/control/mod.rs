//! Control flow: blocks, labels, calls and subroutines.

pub(crate) mod blocks;
pub(crate) mod flow;
pub(crate) mod subroutine;
