//! Names and the variables that they stand for.

pub(crate) mod declare;
pub(crate) mod resolver;
pub(crate) mod symbols;
