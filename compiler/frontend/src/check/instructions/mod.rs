//! Instructions: availability, modifiers and types.

pub(crate) mod arb;
pub(crate) mod inst;
pub(crate) mod types;
