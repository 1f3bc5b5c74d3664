//! Image accesses.
//!
//! `access` is the entry; `object` declares variables, `atomic` and `lock` are for atomic operations.

pub(super) mod access;
pub(super) mod atomic;
pub(super) mod lock;
pub(super) mod object;
