//! Options and declarations.

pub(crate) mod context;
pub(crate) mod declaration;
pub(crate) mod elements;
pub(crate) mod options;
pub(crate) mod stage;
pub(crate) mod variable;
