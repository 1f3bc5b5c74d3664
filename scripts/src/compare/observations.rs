//! Comparison of the observations of two runs of a script, value by value.
//!
//! Observations of probes are paired by line and subject, those of the final state by subject. A
//! value that differs is accepted if a probe that passes in both runs compared it: then both values
//! are within the tolerance of the script. The same applies at the end of the script to values that
//! have not changed since. All other values have the tolerances of `numbers`.

use super::differences::{Difference, DifferenceKind, RunComparison, Sample, format_distance};
use super::numeric_diff::{
    NumberKind, NumericDistance, is_within_tolerance, scalar_distance, word_distance,
};
use super::recording::Recording;
use crate::data::Scalar;
use crate::format::Format;
use crate::observation::{Observation, ObservedLayout};
use crate::probe::Precision;
use crate::probe::pixels::print_pixel;
use std::collections::{HashMap, VecDeque};

/// Observation of both runs.
struct ObservationPair<'a> {
    sides: [&'a Observation; 2],
    /// True if a probe that passes in both runs compared the observation.
    probe_passed: bool,
}

/// Differing numbers of a pair, counted during the comparison.
#[derive(Default)]
struct DifferenceCounts {
    values: u64,
    differing: u64,
    /// More than tolerances allow.
    beyond_tolerance: u64,
    zero_signs: u64,
    ulp: f64,
    near_zero: f64,
    steps: f64,
    first: Option<Sample>,
    /// Worst sample with its weight; differences beyond the tolerance precede all others.
    worst: Option<((bool, f64), Sample)>,
}

impl DifferenceCounts {
    /// Counts a number with its distance, and records the first and the worst sample of those that
    /// differ. `accepted` returns whether the difference is within tolerances, and `sample` its
    /// location and values; both are called only for numbers that differ in more than the sign of
    /// zero.
    fn add_number(
        &mut self,
        distance: NumericDistance,
        accepted: impl FnOnce() -> bool,
        sample: impl Fn() -> Sample,
    ) {
        self.values += 1;
        match distance {
            NumericDistance::None => return,
            NumericDistance::ZeroSign => {
                self.zero_signs += 1;
                return;
            }
            NumericDistance::Ulps(ulp) => self.ulp = self.ulp.max(ulp),
            NumericDistance::Steps(steps) => self.steps = self.steps.max(steps),
            NumericDistance::NearZero(difference) => {
                self.near_zero = self.near_zero.max(difference)
            }
            NumericDistance::Incomparable => {}
        }
        let beyond = !accepted();
        self.differing += 1;
        self.beyond_tolerance += u64::from(beyond);
        self.first.get_or_insert_with(&sample);
        let weight = (beyond, distance.severity());
        if self.worst.as_ref().is_none_or(|(worst, _)| weight > *worst) {
            self.worst = Some((weight, sample()));
        }
    }
}

/// Pairs the observations of two runs by line and subject, compares each pair, and adds the counts
/// and differences to the comparison. Also reports observations that only one run has, those of the
/// second run last.
pub(super) fn compare_observations(
    runs: [&Recording; 2],
    names: &[String; 2],
    comparison: &mut RunComparison,
) {
    let mut unpaired: HashMap<(Option<u32>, &str), VecDeque<&Observation>> = HashMap::new();
    for seen in &runs[1].observations {
        let key = (seen.line, seen.subject.as_str());
        unpaired.entry(key).or_default().push_back(seen);
    }
    let failed = |line: u32| {
        let at_line = |run: &&Recording| run.failures.iter().any(|f| f.line == Some(line));
        runs.iter().any(at_line)
    };
    let mut pairs: Vec<ObservationPair<'_>> = Vec::new();
    for a in &runs[0].observations {
        let candidates = unpaired.get_mut(&(a.line, a.subject.as_str()));
        match candidates.and_then(VecDeque::pop_front) {
            Some(b) => pairs.push(ObservationPair {
                sides: [a, b],
                probe_passed: a.line.is_some_and(|line| !failed(line)),
            }),
            None => report_unpaired(a, &names[0], comparison),
        }
    }
    let mut left: Vec<&Observation> = unpaired.into_values().flatten().collect();
    left.sort_by_key(|seen| (seen.line, &seen.subject));
    for b in left {
        report_unpaired(b, &names[1], comparison);
    }
    for pair in &pairs {
        compare_pair(pair, &pairs, comparison);
    }
}

/// Reports an observation that only the run `name` has, unless the comparison already has a
/// difference, which is then the cause.
fn report_unpaired(observation: &Observation, name: &str, comparison: &mut RunComparison) {
    // The end of a run is reported separately.
    if !comparison.differences.is_empty() {
        return;
    }
    let text = match observation.line {
        None => format!("only {name} has left {}", observation.subject),
        Some(_) => format!("{} was looked at with {name} only", observation.subject),
    };
    comparison.add_difference(DifferenceKind::Values, observation.line, text);
}

/// Compares the observations of both sides at one probe, according to the layout of the data, and
/// adds counts and a difference to the comparison. Sides of different sizes or layouts have another
/// shape, which is a difference. `pairs` are all pairs of the script.
fn compare_pair(
    pair: &ObservationPair<'_>,
    pairs: &[ObservationPair<'_>],
    comparison: &mut RunComparison,
) {
    let [a, b] = pair.sides;
    let mut tally = DifferenceCounts::default();
    let same_shape = match (&a.layout, &b.layout) {
        (
            ObservedLayout::Texels { width, origin, .. },
            ObservedLayout::Texels {
                width: other_width,
                origin: other_origin,
                ..
            },
        ) => {
            (width, origin) == (other_width, other_origin)
                && compare_texels(pair, pairs, &mut tally)
        }
        (ObservedLayout::Values { scalar, offset }, other) if a.layout == *other => {
            compare_values(pair, *scalar, *offset, &mut tally)
        }
        (ObservedLayout::Words, ObservedLayout::Words) => compare_words(pair, pairs, &mut tally),
        (ObservedLayout::Count, ObservedLayout::Count) => {
            compare_values(pair, Scalar::U64, 0, &mut tally)
        }
        (
            ObservedLayout::Texels { .. }
            | ObservedLayout::Values { .. }
            | ObservedLayout::Words
            | ObservedLayout::Count,
            _,
        ) => false,
    };
    if !same_shape {
        let text = format!("{} has another shape", a.subject);
        comparison.add_difference(DifferenceKind::Values, a.line, text);
        return;
    }
    comparison.compared_values += tally.values;
    comparison.differing_values += tally.differing;
    comparison.zero_sign_differences += tally.zero_signs;
    comparison.max_ulp_distance = comparison.max_ulp_distance.max(tally.ulp);
    comparison.max_difference_near_zero = comparison.max_difference_near_zero.max(tally.near_zero);
    comparison.max_step_distance = comparison.max_step_distance.max(tally.steps);
    if tally.differing > 0 {
        comparison.differences.push(describe_difference(a, tally));
    }
}

/// Returns the difference of an observation: the number of differing values, the largest distance,
/// and samples.
fn describe_difference(observation: &Observation, counts: DifferenceCounts) -> Difference {
    let mut text = format!(
        "{}: {} of {} values differ",
        observation.subject, counts.differing, counts.values
    );
    if counts.beyond_tolerance > 0 && counts.beyond_tolerance < counts.differing {
        text.push_str(&format!(", {} of them too much", counts.beyond_tolerance));
    }
    if let Some(distance) = format_distance(counts.ulp, counts.near_zero, counts.steps) {
        text.push_str(&format!(", up to {distance}"));
    }
    let samples: Vec<Sample> = counts
        .first
        .into_iter()
        .chain(counts.worst.map(|(_, sample)| sample))
        .collect();
    let words = ["first", "worst"].iter().zip(&samples);
    for (word, sample) in words {
        let [a, b] = &sample.values;
        text.push_str(&format!("; {word} {}: {a} and {b}", sample.location));
    }
    Difference {
        kind: DifferenceKind::Values,
        exceeds_tolerance: counts.beyond_tolerance > 0,
        line: observation.line,
        description: text,
        samples,
    }
}

/// Layout of texels.
struct TexelGrid<'a> {
    format: &'a Format,
    width: u32,
    origin: [u32; 2],
    probed: usize,
    bytes: &'a [u8],
}

impl<'a> TexelGrid<'a> {
    /// Returns the texels of an observation with their layout; `None` if it observes anything else.
    fn from_observation(observation: &'a Observation) -> Option<Self> {
        match &observation.layout {
            ObservedLayout::Texels {
                format,
                width,
                origin,
                probed_components: probed,
            } => Some(Self {
                format,
                width: *width,
                origin: *origin,
                probed: *probed,
                bytes: &observation.bytes,
            }),
            ObservedLayout::Values { .. } | ObservedLayout::Words | ObservedLayout::Count => None,
        }
    }

    /// Returns the position in the entire image of the texel with an index.
    fn position(&self, index: usize) -> [u32; 2] {
        let (x, y) = (index % self.width as usize, index / self.width as usize);
        [self.origin[0] + x as u32, self.origin[1] + y as u32]
    }

    /// Returns the bytes of the texel at a position in the entire image; `None` if it was not
    /// observed.
    fn texel_at(&self, [x, y]: [u32; 2]) -> Option<&'a [u8]> {
        let x = x.checked_sub(self.origin[0]).filter(|x| *x < self.width)?;
        let y = y.checked_sub(self.origin[1])?;
        let index = y as usize * self.width as usize + x as usize;
        let size = self.format.texel_size();
        self.bytes.get(index * size..(index + 1) * size)
    }
}

/// Returns how the values of a component are compared if both formats have the component: exactly
/// if one format has integers; otherwise with the precision of the format in which the values are
/// closer, the coarser one.
fn number_kind(formats: [&Format; 2], component: usize, values: [f64; 2]) -> NumberKind {
    if formats.iter().any(|format| format.encoding.is_integer()) {
        return NumberKind::Exact;
    }
    let [a, b] = formats.map(|format| Precision::from_channel(format, component));
    if a == b || a.distance(values[0], values[1]) <= b.distance(values[0], values[1]) {
        NumberKind::Near(a)
    } else {
        NumberKind::Near(b)
    }
}

/// Compares the texels of two sides in the components that both formats have, and counts the
/// differences; those that a passing probe compared are accepted. Returns false, and counts
/// nothing, if the sides are no texels or have different numbers of them.
fn compare_texels(
    pair: &ObservationPair<'_>,
    pairs: &[ObservationPair<'_>],
    counts: &mut DifferenceCounts,
) -> bool {
    let [Some(a), Some(b)] = pair.sides.map(TexelGrid::from_observation) else {
        return false;
    };
    let formats = [a.format, b.format];
    let components: Vec<usize> = (0..4)
        .filter(|component| {
            let has = |format: &&Format| {
                let mut channels = format.channels.iter();
                channels.any(|channel| channel.component == *component)
            };
            formats.iter().all(has)
        })
        .collect();
    let texels = |grid: &TexelGrid<'_>| grid.bytes.len() / grid.format.texel_size();
    if texels(&a) != texels(&b) {
        return false;
    }
    let same_format = a.format == b.format;
    let chunks = a.bytes.chunks_exact(a.format.texel_size());
    let chunks = chunks.zip(b.bytes.chunks_exact(b.format.texel_size()));
    for (index, (x, y)) in chunks.enumerate() {
        if same_format && x == y {
            counts.values += components.len() as u64;
            continue;
        }
        let position = a.position(index);
        let compared = if pair.probe_passed {
            a.probed.min(b.probed)
        } else {
            // Looked up only if there is a difference to accept.
            0
        };
        let (values_a, values_b) = (a.format.decode(x), b.format.decode(y));
        for &component in &components {
            let values = [values_a[component], values_b[component]];
            let kind = number_kind(formats, component, values);
            // Doubles cannot represent all 64-bit integers.
            let same_bits =
                same_format && a.format.bits(x, component) == b.format.bits(y, component);
            let gap = match kind {
                NumberKind::Exact if same_format && !same_bits => NumericDistance::Incomparable,
                NumberKind::Exact | NumberKind::Near(_) => kind.distance(values[0], values[1]),
            };
            let accepted = || {
                component < compared
                    || kind.accepts(gap, values[0], values[1])
                    || component < count_probed_components(pair, pairs, position, [x, y])
            };
            counts.add_number(gap, accepted, || Sample {
                location: describe_texel(position, component, formats[0]),
                values: [0, 1].map(|side| print_pixel(&[values[side]], formats[side])),
            });
        }
    }
    true
}

/// Formats the location of a component of a texel: `(3, 4) green`, without the color if the format
/// has one channel.
fn describe_texel([x, y]: [u32; 2], component: usize, format: &Format) -> String {
    match format.channels.len() {
        1 => format!("({x}, {y})"),
        _ => format!(
            "({x}, {y}) {}",
            ["red", "green", "blue", "alpha"][component]
        ),
    }
}

/// Returns the number of components of two texels that a passing probe has compared before the end
/// of the script, with the same values; 0 for observations of probes, which are not those of the
/// final state.
fn count_probed_components(
    pair: &ObservationPair<'_>,
    pairs: &[ObservationPair<'_>],
    position: [u32; 2],
    texels: [&[u8]; 2],
) -> usize {
    if pair.sides[0].line.is_some() {
        return 0;
    }
    let probed = |before: &ObservationPair<'_>| {
        let [a, b] = before.sides.map(TexelGrid::from_observation);
        let (a, b) = (a?, b?);
        let same = [a.texel_at(position)?, b.texel_at(position)?] == texels;
        same.then_some(a.probed.min(b.probed))
    };
    passing_probes(pair, pairs)
        .filter_map(probed)
        .max()
        .unwrap_or(0)
}

/// Returns the observations of passing probes of the same subject, the last one first.
fn passing_probes<'a>(
    pair: &ObservationPair<'a>,
    pairs: &'a [ObservationPair<'a>],
) -> impl Iterator<Item = &'a ObservationPair<'a>> {
    let subject = &pair.sides[0].subject;
    let same = move |other: &&ObservationPair<'_>| {
        other.probe_passed && other.sides[0].subject == *subject
    };
    pairs.iter().rev().filter(same)
}

/// Compares the numbers of a type in a pair of observations of a buffer, which start at the byte
/// `offset`, and adds them to the counts. Returns false if the sides have different sizes.
fn compare_values(
    pair: &ObservationPair<'_>,
    scalar: Scalar,
    offset: u64,
    counts: &mut DifferenceCounts,
) -> bool {
    let [a, b] = pair.sides.map(|seen| seen.bytes.as_slice());
    let size = scalar.size();
    let chunks = a.chunks_exact(size).zip(b.chunks_exact(size));
    for (index, (x, y)) in chunks.enumerate() {
        let (x, y) = (scalar.read_bits(x), scalar.read_bits(y));
        let gap = scalar_distance(scalar, x, y);
        let accepted = || pair.probe_passed || is_within_tolerance(scalar, gap, x, y);
        counts.add_number(gap, accepted, || Sample {
            location: format!("byte {}", offset + (index * size) as u64),
            values: [scalar.print(x), scalar.print(y)],
        });
    }
    a.len() == b.len()
}

/// Compares the words of a buffer at the end of a script, and adds them to the counts. The last
/// passing probe that read a word determines its type; other words may be floats or integers.
/// Returns false if the sides have different sizes.
fn compare_words(
    pair: &ObservationPair<'_>,
    pairs: &[ObservationPair<'_>],
    counts: &mut DifferenceCounts,
) -> bool {
    let [a, b] = pair.sides.map(|seen| seen.bytes.as_slice());
    let chunks = a.chunks_exact(4).zip(b.chunks_exact(4));
    for (index, (x, y)) in chunks.enumerate() {
        let offset = 4 * index as u64;
        let word = |bytes: &[u8]| Scalar::U32.read_bits(bytes);
        let (bits_x, bits_y) = (word(x), word(y));
        if bits_x == bits_y {
            counts.values += 1;
            continue;
        }
        let types = passing_probes(pair, pairs).filter_map(|before| {
            let [one, other] = before.sides.map(|seen| find_word(seen, offset));
            let ((scalar, one), (_, other)) = (one?, other?);
            Some((scalar, [one, other] == [x, y]))
        });
        let probed: Vec<(Scalar, bool)> = types.collect();
        let scalar = probed.first().map(|(scalar, _)| *scalar);
        let gap = match scalar.filter(|scalar| scalar.size() == 4) {
            Some(scalar) => scalar_distance(scalar, bits_x, bits_y),
            None => word_distance(bits_x as u32, bits_y as u32),
        };
        let shown = match gap {
            NumericDistance::None
            | NumericDistance::ZeroSign
            | NumericDistance::Ulps(_)
            | NumericDistance::NearZero(_)
            | NumericDistance::Steps(_) => Scalar::F32,
            NumericDistance::Incomparable => scalar
                .filter(|scalar| scalar.size() == 4)
                .unwrap_or(Scalar::U32),
        };
        let accepted = || {
            probed.iter().any(|(_, same)| *same) || is_within_tolerance(shown, gap, bits_x, bits_y)
        };
        counts.add_number(gap, accepted, || Sample {
            location: format!("byte {offset}"),
            values: [shown.print(bits_x), shown.print(bits_y)],
        });
    }
    a.len() == b.len()
}

/// Returns the type as which a probe interprets the word of a buffer at a byte offset, and the
/// word's bytes; `None` if the probe did not read it, or if the observation is not one of values.
fn find_word(observation: &Observation, byte_offset: u64) -> Option<(Scalar, &[u8])> {
    let ObservedLayout::Values { scalar, offset } = observation.layout else {
        return None;
    };
    let start = byte_offset.checked_sub(offset)? as usize;
    Some((scalar, observation.bytes.get(start..start + 4)?))
}
