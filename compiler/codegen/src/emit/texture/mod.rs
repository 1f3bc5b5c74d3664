//! Texture accesses.
//!
//! `lookup` is the entry; `access` and `offset` make the operands, `wrap`, `wrap_state`, `choice` and `least_level` emulate
//! what the device or the API lacks, `object` declares variables; `resident` and `sparse` are about residency.

pub(super) mod access;
pub(super) mod choice;
pub(super) mod least_level;
pub(super) mod lookup;
pub(super) mod object;
pub(super) mod offset;
pub(super) mod resident;
pub(super) mod sparse;
pub(super) mod wrap;
pub(super) mod wrap_state;
