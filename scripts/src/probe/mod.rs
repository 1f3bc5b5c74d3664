//! Comparison of observed with expected values. Pure: the results of reading back are compared, nothing is read here.

pub mod pixels;
mod precision;
mod tolerance;
mod values;

pub(crate) use precision::Precision;
pub use tolerance::{Comparison, Tolerance, Tolerances};
pub use values::check_values;
