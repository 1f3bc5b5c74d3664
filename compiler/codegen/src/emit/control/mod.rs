//! Control flow: blocks, branches, loops, switches and calls; phis at joins; condition codes and tests.
//!
//! `guarded` makes values in blocks of their own.

pub(super) mod cond;
pub(super) mod flow;
pub(super) mod guarded;
pub(super) mod join;
