//! Passes over modules that both writers need.

pub(crate) mod compare;
pub(crate) mod extended_mul;
