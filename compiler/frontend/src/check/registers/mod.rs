//! Programs that name registers instead of declaring variables.

pub(crate) mod fragment;
pub(crate) mod register;
pub(crate) mod rules;
