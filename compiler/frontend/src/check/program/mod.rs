//! The checked program, and rules about all of it.

pub(crate) mod checked;
pub(crate) mod components;
pub(crate) mod counts;
pub(crate) mod limits;
pub(crate) mod usage;
