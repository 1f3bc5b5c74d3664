//! Comparison of observed with expected values. Pure: the results of reading back are compared, nothing is read here.

pub(crate) mod pixels;
mod precision;
mod tolerance;
mod values;

pub(crate) use precision::Precision;
pub(crate) use tolerance::{Comparison, Tolerance, Tolerances};
pub(crate) use values::check_values;
