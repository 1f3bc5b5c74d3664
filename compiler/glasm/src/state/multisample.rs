//! Samples of the framebuffer that programs are told of.

/// The samples of a pixel.
#[derive(Clone, PartialEq, Debug)]
pub struct Multisample {
    /// How many there are; 1 without multisampling.
    pub samples: u32,
    /// Where they are in their pixel, x and y from 0 to 1, y in the direction of the y of window positions. Samples past the end of
    /// the list are in the middle.
    pub positions: Vec<[f32; 2]>,
}

impl Default for Multisample {
    fn default() -> Self {
        Self::standard(1)
    }
}

impl Multisample {
    /// The standard sample locations of Vulkan (section 25.5), in sixteenths of a pixel there; other counts than 1, 2, 4, 8 and 16
    /// have all samples in the middle.
    pub fn standard(samples: u32) -> Self {
        let places: &[[u8; 2]] = match samples {
            2 => &[[12, 12], [4, 4]],
            4 => &[[6, 2], [14, 6], [2, 10], [10, 14]],
            8 => &[
                [9, 5],
                [7, 11],
                [13, 9],
                [5, 3],
                [3, 13],
                [1, 7],
                [11, 15],
                [15, 1],
            ],
            16 => &[
                [9, 9],
                [7, 5],
                [5, 10],
                [12, 7],
                [3, 6],
                [10, 13],
                [13, 11],
                [11, 3],
                [6, 14],
                [8, 1],
                [4, 2],
                [2, 12],
                [0, 8],
                [15, 4],
                [14, 15],
                [1, 0],
            ],
            _ => &[],
        };
        let positions = places
            .iter()
            .map(|place| place.map(|sixteenths| f32::from(sixteenths) / 16.0));
        Self {
            samples,
            positions: positions.collect(),
        }
    }

    /// Where sample `n` is.
    pub fn position(&self, n: u32) -> [f32; 2] {
        let found = self.positions.get(n as usize);
        found.copied().unwrap_or([0.5; 2])
    }
}
