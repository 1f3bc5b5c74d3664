//! Raster positions, pixels and bitmaps.

use super::super::{current, driver};
use crate::commands::{self, Command};

/// `RasterPos`, with all four coordinates.
pub(crate) fn raster_position(coordinates: [f32; 4]) {
    let issued = current::with(|state| match state.capabilities.works {
        true => {
            commands::issue(state, Command::RasterPosition(coordinates));
            true
        }
        false => false,
    });
    if issued != Some(true) {
        let [x, y, z, w] = coordinates;
        driver::RasterPos4f(x, y, z, w);
    }
}
