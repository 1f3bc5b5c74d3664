//! Bindings: resolution of paths such as `vertex.attrib[2]`, and the unnamed variables of paths in
//! instructions.

pub(crate) mod brackets;
pub(crate) mod buffers;
pub(crate) mod parameter;
pub(crate) mod path;
pub(crate) mod resolve;
pub(crate) mod vertices;
