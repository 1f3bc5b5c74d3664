//! Things that have numbers, of which drivers have more or fewer.

use super::problem::Problem;
use crate::gl::{self, Gl};

/// Chooses the texture unit whose environment and texture coordinates are set next.
pub(super) fn select_unit(gl: &Gl, unit: u32) -> Result<(), Problem> {
    check_number(
        gl,
        unit,
        gl::MAX_TEXTURE_COORDS,
        "sets of texture coordinates",
    )?;
    Ok(gl.ActiveTexture(gl::TEXTURE0 + unit)?)
}

/// Whether there is something with this number; `limit` is the state that says how many there are.
pub(super) fn check_number(gl: &Gl, number: u32, limit: u32, what: &str) -> Result<(), Problem> {
    let count = gl.integer(limit)?;
    match i64::from(number) < i64::from(count) {
        true => Ok(()),
        false => Err(Problem::Lacking(format!("the driver has {count} {what}"))),
    }
}
