//! Comparison of the results of the simulation with those of a device.

use glasm_scripts::format::{Encoding, Format};
use glasm_scripts::observation::{Observation, ObservedLayout};
use glasm_scripts::software::{CaptureScript, CapturedResult, EMPTY_WORD, PixelColors};

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
        /// Results of vertices.
        vertices: Vec<VertexComparison>,
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

/// Comparison of a result of a vertex that the device has captured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct VertexComparison {
    /// Number of the vertex among those that the program emits.
    pub(super) number: usize,
    /// Result; `None` if either side has no such vertex.
    pub(super) result: Option<CapturedResult>,
    /// Components of the simulation; none without such a vertex.
    pub(super) simulated: Vec<u32>,
    /// Components of the device.
    pub(super) observed: Vec<u32>,
    /// True if the components agree within the tolerance.
    pub(super) agrees: bool,
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
                vertices,
                ..
            } => {
                attachments.iter().any(|it| !it.agrees)
                    || buffers.iter().any(|it| it.difference.is_some())
                    || vertices.iter().any(|it| !it.agrees)
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

/// Compares the results of vertices with those that a device has captured. Nothing is returned if the
/// buffer was not observed.
pub(super) fn compare_capture(
    capture: &CaptureScript,
    observations: &[Observation],
) -> Vec<VertexComparison> {
    let mut found = observations.iter();
    let found = found.find(|it| it.line.is_none() && it.subject == capture.subject);
    let Some(found) = found else {
        return Vec::new();
    };
    let counts = capture.results.iter().map(|it| it.component_count);
    let stride: usize = counts.sum();
    let words = read_words(&found.bytes);
    let observed = words.chunks_exact(stride.max(1));
    let is_captured = |vertex: &&[u32]| vertex.iter().any(|word| *word != EMPTY_WORD);
    let observed: Vec<&[u32]> = observed.take_while(is_captured).collect();
    let size = capture.primitive_size.max(1);
    let mut comparisons = Vec::new();
    for (number, primitive) in capture.vertices.chunks(size).enumerate() {
        let start = number * size;
        let own = observed.get(start..start + primitive.len());
        let order = own.map_or(0, |own| find_rotation(capture, primitive, own));
        for (index, simulated) in primitive.iter().enumerate() {
            let own = own.map(|own| own[(index + order) % own.len()]);
            append_vertex(&mut comparisons, capture, start + index, (simulated, own));
        }
    }
    for (number, vertex) in observed.iter().enumerate().skip(capture.vertices.len()) {
        comparisons.push(VertexComparison {
            number,
            result: None,
            simulated: Vec::new(),
            observed: vertex.to_vec(),
            agrees: false,
        });
    }
    comparisons
}

/// Appends the comparisons of the results of a vertex; of a single one if the device lacks it.
fn append_vertex(
    comparisons: &mut Vec<VertexComparison>,
    capture: &CaptureScript,
    number: usize,
    (simulated, observed): (&[u32], Option<&[u32]>),
) {
    let Some(observed) = observed else {
        comparisons.push(VertexComparison {
            number,
            result: None,
            simulated: simulated.to_vec(),
            observed: Vec::new(),
            agrees: false,
        });
        return;
    };
    let mut start = 0;
    for result in &capture.results {
        let range = start..start + result.component_count;
        let (own, other) = (&simulated[range.clone()], &observed[range.clone()]);
        comparisons.push(VertexComparison {
            number,
            result: Some(*result),
            simulated: own.to_vec(),
            observed: other.to_vec(),
            agrees: own.iter().zip(other).all(|(a, b)| is_same_word(*a, *b)),
        });
        start = range.end;
    }
}

/// Returns by how many vertices a device begins a primitive later than the simulation; 0 if its
/// vertices differ.
fn find_rotation(capture: &CaptureScript, primitive: &[Vec<u32>], observed: &[&[u32]]) -> usize {
    let is_same = |order: &usize| {
        primitive.iter().enumerate().all(|(index, vertex)| {
            let own = observed[(index + order) % observed.len()];
            vertex.iter().zip(own).all(|(a, b)| is_same_word(*a, *b))
        })
    };
    // The vertices of a line have an order.
    let orders = if capture.primitive_size == 3 { 3 } else { 1 };
    (0..orders).find(is_same).unwrap_or(0)
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
    let (own, other) = (read_words(simulated), read_words(observed));
    let mut pairs = own.iter().zip(&other).enumerate();
    let found = pairs.find(|(_, (a, b))| !is_same_word(**a, **b));
    found.map(|(number, (simulated, observed))| BufferDifference {
        offset: 4 * number,
        simulated: *simulated,
        observed: *observed,
    })
}

/// Returns the words of some bytes; an incomplete last one is omitted.
fn read_words(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
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
    use glasm::ir::{BaseType, Semantic};
    use glasm_scripts::script::{BufferId, Script};

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

    /// Returns a capture of triangles, each vertex of which has an integer result, and what a device
    /// has captured.
    fn capture(vertices: &[u32], observed: &[u32]) -> Vec<VertexComparison> {
        let script = Script::parse(b"[test]\nxfb 0 size 64\n").unwrap();
        let capture = CaptureScript {
            subject: "xfb 0:0".to_owned(),
            results: vec![CapturedResult {
                semantic: Semantic::Layer,
                base: BaseType::UnsignedInt,
                component_count: 1,
            }],
            primitive_size: 3,
            vertices: vertices.iter().map(|word| vec![*word]).collect(),
            script,
        };
        let words = observed.iter().chain([&EMPTY_WORD; 2]);
        let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let id = BufferId(0);
        let observation = Observation::from_buffer(&capture.script, id, &bytes);
        compare_capture(&capture, &[observation])
    }

    #[test]
    fn vertices_of_triangles_may_begin_anywhere() {
        let agrees = |a: &[u32], b: &[u32]| capture(a, b).iter().all(|it| it.agrees);
        assert!(agrees(&[1, 2, 3], &[1, 2, 3]));
        assert!(agrees(&[1, 2, 3], &[3, 1, 2]));
        assert!(!agrees(&[1, 2, 3], &[3, 2, 1]));
        assert!(agrees(&[1, 2, 3, 4, 5, 6], &[1, 2, 3, 6, 4, 5]));
        // Missing and additional vertices.
        let missing = capture(&[1, 2, 3, 4, 5, 6], &[1, 2, 3]);
        let numbers = missing.iter().filter(|it| it.result.is_none());
        assert_eq!(numbers.map(|it| it.number).collect::<Vec<_>>(), [3, 4, 5]);
        let added = capture(&[1, 2, 3], &[1, 2, 3, 4]);
        assert_eq!((added[3].number, added[3].agrees), (3, false));
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
