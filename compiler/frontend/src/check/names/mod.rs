//! Names and the variables that they denote.

pub(crate) mod declare;
pub(crate) mod resolver;
pub(crate) mod symbols;
