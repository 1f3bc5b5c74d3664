//! Comparison of observed with expected values. Pure: the results of reading back are compared, nothing is read here.

mod pixels;
mod tolerance;
mod values;

pub(crate) use pixels::{ExpectedColor, Region, check_pixels};
pub(crate) use tolerance::{Comparison, Tolerance, Tolerances};
pub(crate) use values::check_values;
