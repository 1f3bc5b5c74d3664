//! Locations of the samples in a pixel.

/// Vulkan's standard sample locations (section 25.5), x and y in sixteenths of a pixel: the
/// locations of 1, 2, 4, 8 and 16 samples in sequence.
pub const STANDARD_LOCATIONS: [[u8; 2]; 31] = [
    [8, 8],
    [12, 12],
    [4, 4],
    [6, 2],
    [14, 6],
    [2, 10],
    [10, 14],
    [9, 5],
    [7, 11],
    [13, 9],
    [5, 3],
    [3, 13],
    [1, 7],
    [11, 15],
    [15, 1],
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
];

/// Returns the standard locations for a number of samples; an empty slice for numbers without
/// standard locations.
pub fn get_standard_locations(samples: u32) -> &'static [[u8; 2]] {
    match samples {
        1 | 2 | 4 | 8 | 16 => {
            // The locations of lower numbers precede: 1, 1 + 2, 1 + 2 + 4 and so on.
            let first = samples as usize - 1;
            &STANDARD_LOCATIONS[first..first + samples as usize]
        }
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Standard sample locations of the Vulkan specification (section 25.5), as fractions of a
    /// pixel.
    const LOCATIONS: [&[[f32; 2]]; 5] = [
        &[[0.5, 0.5]],
        &[[0.75, 0.75], [0.25, 0.25]],
        &[
            [0.375, 0.125],
            [0.875, 0.375],
            [0.125, 0.625],
            [0.625, 0.875],
        ],
        &[
            [0.5625, 0.3125],
            [0.4375, 0.6875],
            [0.8125, 0.5625],
            [0.3125, 0.1875],
            [0.1875, 0.8125],
            [0.0625, 0.4375],
            [0.6875, 0.9375],
            [0.9375, 0.0625],
        ],
        &[
            [0.5625, 0.5625],
            [0.4375, 0.3125],
            [0.3125, 0.625],
            [0.75, 0.4375],
            [0.1875, 0.375],
            [0.625, 0.8125],
            [0.8125, 0.6875],
            [0.6875, 0.1875],
            [0.375, 0.875],
            [0.5, 0.0625],
            [0.25, 0.125],
            [0.125, 0.75],
            [0.0, 0.5],
            [0.9375, 0.25],
            [0.875, 0.9375],
            [0.0625, 0.0],
        ],
    ];

    #[test]
    fn counts_have_their_places() {
        for locations in LOCATIONS {
            let places = get_standard_locations(locations.len() as u32).iter();
            let found: Vec<_> = places
                .map(|place| place.map(|sixteenths| f32::from(sixteenths) / 16.0))
                .collect();
            assert_eq!(found, locations);
        }
        assert!(get_standard_locations(0).is_empty() && get_standard_locations(32).is_empty());
    }
}
