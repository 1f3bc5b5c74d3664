//! Memory accesses: buffers, shared memory, registers in memory, arrays of descriptors.
//!
//! `access` is the entry; `buffer` declares variables, `place` computes positions in them, `member` selects a descriptor.

pub(super) mod access;
pub(super) mod array;
pub(super) mod atomic;
pub(super) mod buffer;
pub(super) mod member;
pub(super) mod place;
pub(super) mod resource_use;
pub(super) mod word_access;
pub(super) mod zeroed;
