//! Arithmetic: instructions that compute with values only.
//!
//! `constant` folds those whose sources are all constant, `precision` applies their precision.

pub(super) mod alu;
pub(super) mod compare;
pub(super) mod constant;
pub(super) mod convert;
pub(super) mod int;
pub(super) mod pack;
pub(super) mod precision;
pub(super) mod wide;
