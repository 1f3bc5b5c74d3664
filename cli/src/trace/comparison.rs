//! Comparison of the results of the simulation with those of a device.

use glasm_scripts::format::{Encoding, Format};
use glasm_scripts::observation::{Observation, ObservedLayout};
use glasm_scripts::software::PixelColors;

/// Result of the comparison with the device.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Comparison {
    /// There is none, for this reason.
    None(String),
    /// Results of a device.
    Results {
        /// Name of the device.
        device: String,
        /// Color of the pixel in each attachment.
        attachments: Vec<AttachmentComparison>,
        /// Buffers after the dispatch.
        buffers: Vec<BufferComparison>,
    },
}

/// Comparison of one attachment.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AttachmentComparison {
    /// Number of the attachment.
    pub(super) number: usize,
    /// Color of the simulation.
    pub(super) simulated: [f64; 4],
    /// Color of the device.
    pub(super) observed: [f64; 4],
    /// Number of components that the format has.
    pub(super) components: usize,
    /// True if the colors agree within the tolerance.
    pub(super) agrees: bool,
}

/// Comparison of a buffer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BufferComparison {
    /// Name of the buffer.
    pub(super) name: String,
    /// First difference.
    pub(super) difference: Option<BufferDifference>,
}

/// First word of a buffer that differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BufferDifference {
    /// Offset in bytes.
    pub(super) offset: usize,
    /// Word of the simulation.
    pub(super) simulated: u32,
    /// Word of the device.
    pub(super) observed: u32,
}

impl Comparison {
    /// Returns true if the results of simulation and device differ.
    pub(super) fn is_different(&self) -> bool {
        match self {
            Self::None(_) => false,
            Self::Results {
                attachments,
                buffers,
                ..
            } => {
                attachments.iter().any(|it| !it.agrees)
                    || buffers.iter().any(|it| it.difference.is_some())
            }
        }
    }
}

/// Returns the color of a pixel of an attachment at the end of a run; `None` if it was not observed.
fn find_color(observations: &[Observation], number: usize, [x, y]: [u32; 2]) -> Option<[f64; 4]> {
    let subject = format!("attachment {number}");
    let mut found = observations.iter();
    let found = found.find(|it| {
        it.line.is_none()
            && (it.subject == subject || it.subject.starts_with(&format!("{subject}, layer 0")))
    })?;
    let ObservedLayout::Texels { format, width, .. } = &found.layout else {
        return None;
    };
    let start = (y as usize * *width as usize + x as usize) * format.texel_size();
    let texel = found.bytes.get(start..start + format.texel_size())?;
    Some(format.decode(texel))
}

/// Compares the colors of a pixel in all attachments. `filter_error` is the permitted difference of floats in
/// addition to a fraction of their value.
pub(super) fn compare_colors(
    simulated: &PixelColors,
    observations: &[Observation],
    pixel: [u32; 2],
    filter_error: f64,
) -> Vec<AttachmentComparison> {
    let mut found = Vec::new();
    let colors = simulated.colors.iter().zip(simulated.formats.iter());
    for (number, (color, format)) in colors.enumerate() {
        let observed = find_color(observations, number, pixel);
        let (Some(simulated), Some(format), Some(observed)) = (color, format, observed) else {
            continue;
        };
        let components = format.channels.iter().map(|channel| channel.component + 1);
        let components = components.max().unwrap_or(4);
        let agrees = (0..components).all(|component| {
            let pair = [simulated[component], observed[component]];
            is_close((format, component), pair, filter_error)
        });
        found.push(AttachmentComparison {
            number,
            simulated: *simulated,
            observed,
            components,
            agrees,
        });
    }
    found
}

/// Returns true if two values of a component are as close as different rounding of interpolation,
/// filters and transcendental functions explains: one step of a normalized format, 1/1024 of a
/// float.
fn is_close(
    (format, component): (&Format, usize),
    [simulated, observed]: [f64; 2],
    filter_error: f64,
) -> bool {
    if simulated.is_nan() || observed.is_nan() {
        return simulated.is_nan() && observed.is_nan();
    }
    if simulated == observed {
        return true;
    }
    let channel = format.channels.iter().find(|it| it.component == component);
    let bits = channel.map_or(8, |channel| channel.bits).min(16);
    let step = 1.0 / f64::from((1_u32 << bits) - 1);
    let tolerance = match format.encoding {
        Encoding::Uint | Encoding::Sint | Encoding::Uscaled | Encoding::Sscaled => 0.0,
        Encoding::Unorm | Encoding::Snorm => (2.0 * step).max(1.0 / 1024.0),
        Encoding::Srgb => 4.0 * step,
        Encoding::Sfloat | Encoding::Ufloat | Encoding::SharedExponent => {
            filter_error + simulated.abs() / 1024.0
        }
    };
    (simulated - observed).abs() <= tolerance
}

/// Compares the contents of buffers with those of the same name at the end of a run.
pub(super) fn compare_buffers(
    simulated: &[Observation],
    observations: &[Observation],
) -> Vec<BufferComparison> {
    let mut found = Vec::new();
    for own in simulated {
        let mut others = observations.iter();
        let other = others.find(|it| it.line.is_none() && it.subject == own.subject);
        if let Some(other) = other {
            found.push(BufferComparison {
                name: own.subject.clone(),
                difference: find_difference(&own.bytes, &other.bytes),
            });
        }
    }
    found
}

/// Returns the first different word of two buffers.
fn find_difference(simulated: &[u8], observed: &[u8]) -> Option<BufferDifference> {
    let words = |bytes: &[u8]| -> Vec<u32> {
        let (words, _) = bytes.as_chunks::<4>();
        words.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    let (own, other) = (words(simulated), words(observed));
    let mut pairs = own.iter().zip(&other).enumerate();
    let found = pairs.find(|(_, (a, b))| !is_same_word(**a, **b));
    found.map(|(number, (simulated, observed))| BufferDifference {
        offset: 4 * number,
        simulated: *simulated,
        observed: *observed,
    })
}

/// Returns true if two words are equal, or are floats as close as different rounding explains.
fn is_same_word(simulated: u32, observed: u32) -> bool {
    let [a, b] = [simulated, observed].map(f32::from_bits);
    if a.is_nan() && b.is_nan() || simulated == observed {
        return true;
    }
    // Small integers are denormal floats.
    a.is_normal() && b.is_normal() && (a - b).abs() <= a.abs() / 1024.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_as_floats_and_integers() {
        let difference = |a: [u32; 2], b: [u32; 2]| {
            let bytes = |words: [u32; 2]| words.map(u32::to_le_bytes).concat();
            find_difference(&bytes(a), &bytes(b)).map(|it| it.offset)
        };
        let one = 1.0f32.to_bits();
        assert_eq!(difference([7, one], [7, one + 3]), None);
        assert_eq!(difference([7, one], [8, one]), Some(0));
        assert_eq!(difference([7, one], [7, 2.0f32.to_bits()]), Some(4));
    }

    #[test]
    fn floats_and_normalized_values_have_tolerances() {
        let format = |name| Format::parse(name).unwrap();
        let close = |name, a, b| is_close((&format(name), 0), [a, b], 1e-5);
        assert!(close("R8G8B8A8_UNORM", 0.5, 0.5 + 1.0 / 255.0));
        assert!(!close("R8G8B8A8_UNORM", 0.5, 0.5 + 3.0 / 255.0));
        assert!(close("R32G32B32A32_SFLOAT", 1000.0, 1000.5));
        assert!(!close("R32G32B32A32_SFLOAT", 1.0, 1.01));
        assert!(close("R32G32B32A32_SFLOAT", f64::NAN, f64::NAN));
        assert!(!close("R32G32B32A32_SFLOAT", f64::NAN, 0.0));
        assert!(close("R32G32B32A32_SFLOAT", f64::INFINITY, f64::INFINITY));
        assert!(!close("R32G32B32A32_UINT", 1.0, 2.0));
    }
}
