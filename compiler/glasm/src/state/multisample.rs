//! Samples of the framebuffer that programs can query.

use glasm_ir::samples::standard_places;

/// The samples of a pixel.
#[derive(Clone, PartialEq, Debug)]
pub struct Multisample {
    /// Number of samples; 1 without multisampling.
    pub samples: u32,
    /// Locations in the pixel, x and y from 0 to 1, y in the direction of the y of window
    /// positions. Samples past the end of the list are in the middle.
    pub positions: Vec<[f32; 2]>,
}

impl Default for Multisample {
    fn default() -> Self {
        Self::standard(1)
    }
}

impl Multisample {
    /// Returns the standard sample locations of Vulkan (section 25.5); other counts than 1, 2, 4, 8
    /// and 16 have all samples in the middle.
    pub fn standard(samples: u32) -> Self {
        // A single sample is in the middle without a list, too.
        let places = match samples {
            1 => &[],
            _ => standard_places(samples),
        };
        let positions = places
            .iter()
            .map(|place| place.map(|sixteenths| f32::from(sixteenths) / 16.0));
        Self {
            samples,
            positions: positions.collect(),
        }
    }

    /// Returns the location of sample `n`.
    pub fn position(&self, n: u32) -> [f32; 2] {
        let found = self.positions.get(n as usize);
        found.copied().unwrap_or([0.5; 2])
    }
}
