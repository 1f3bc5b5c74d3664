//! Comparison of the observations of two runs of a script, value by value.
//!
//! Observations of probes are paired by line and subject, those of the final state by subject. A
//! value that differs is accepted if a probe that passes in both runs compared it: then both values
//! are within the tolerance of the script. The same applies at the end of the script to values that
//! have not changed since. All other values have the tolerances of `numbers`.

use super::comparison::{Comparison, Difference, DifferenceKind, Sample, distance};
use super::numbers::{Gap, NumberKind, accepts_scalar, scalar_gap, word_gap};
use super::recording::Recording;
use crate::data::Scalar;
use crate::format::Format;
use crate::observation::{Observation, ObservedLayout};
use crate::probe::Precision;
use crate::probe::pixels::print_values;
use std::collections::{HashMap, VecDeque};

/// Observation of both runs.
struct Pair<'a> {
    sides: [&'a Observation; 2],
    /// True if a probe that passes in both runs compared the observation.
    holds: bool,
}

/// Differing numbers of a pair, counted during the comparison.
#[derive(Default)]
struct Tally {
    values: u64,
    differing: u64,
    /// More than tolerances allow.
    beyond: u64,
    zero_signs: u64,
    ulp: f64,
    near_zero: f64,
    steps: f64,
    first: Option<Sample>,
    /// Worst sample with its weight; differences beyond the tolerance precede all others.
    worst: Option<((bool, f64), Sample)>,
}

impl Tally {
    /// Counts a number. The closures return whether a difference is accepted, and its location.
    fn add(&mut self, gap: Gap, accepted: impl FnOnce() -> bool, sample: impl Fn() -> Sample) {
        self.values += 1;
        match gap {
            Gap::None => return,
            Gap::ZeroSign => {
                self.zero_signs += 1;
                return;
            }
            Gap::Ulps(ulp) => self.ulp = self.ulp.max(ulp),
            Gap::Steps(steps) => self.steps = self.steps.max(steps),
            Gap::NearZero(difference) => self.near_zero = self.near_zero.max(difference),
            Gap::Apart => {}
        }
        let beyond = !accepted();
        self.differing += 1;
        self.beyond += u64::from(beyond);
        self.first.get_or_insert_with(&sample);
        let weight = (beyond, gap.weight());
        if self.worst.as_ref().is_none_or(|(worst, _)| weight > *worst) {
            self.worst = Some((weight, sample()));
        }
    }
}

/// Compares all observations of two runs.
pub(super) fn compare(runs: [&Recording; 2], names: &[String; 2], comparison: &mut Comparison) {
    let mut others: HashMap<(Option<u32>, &str), VecDeque<&Observation>> = HashMap::new();
    for seen in &runs[1].observations {
        let key = (seen.line, seen.subject.as_str());
        others.entry(key).or_default().push_back(seen);
    }
    let failed = |line: u32| {
        let at_line = |run: &&Recording| run.failures.iter().any(|f| f.line == Some(line));
        runs.iter().any(at_line)
    };
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    for a in &runs[0].observations {
        let other = others.get_mut(&(a.line, a.subject.as_str()));
        match other.and_then(VecDeque::pop_front) {
            Some(b) => pairs.push(Pair {
                sides: [a, b],
                holds: a.line.is_some_and(|line| !failed(line)),
            }),
            None => note_unpaired(a, &names[0], comparison),
        }
    }
    let mut left: Vec<&Observation> = others.into_values().flatten().collect();
    left.sort_by_key(|seen| (seen.line, &seen.subject));
    for b in left {
        note_unpaired(b, &names[1], comparison);
    }
    for pair in &pairs {
        compare_pair(pair, &pairs, comparison);
    }
}

/// Reports observations that only one run has.
fn note_unpaired(seen: &Observation, name: &str, comparison: &mut Comparison) {
    // The end of a run is reported separately.
    if !comparison.differences.is_empty() {
        return;
    }
    let text = match seen.line {
        None => format!("only {name} has left {}", seen.subject),
        Some(_) => format!("{} was looked at with {name} only", seen.subject),
    };
    comparison.differ(DifferenceKind::Values, seen.line, text);
}

fn compare_pair(pair: &Pair<'_>, pairs: &[Pair<'_>], comparison: &mut Comparison) {
    let [a, b] = pair.sides;
    let mut tally = Tally::default();
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
        comparison.differ(DifferenceKind::Values, a.line, text);
        return;
    }
    comparison.values += tally.values;
    comparison.differing += tally.differing;
    comparison.zero_signs += tally.zero_signs;
    comparison.ulp = comparison.ulp.max(tally.ulp);
    comparison.near_zero = comparison.near_zero.max(tally.near_zero);
    comparison.steps = comparison.steps.max(tally.steps);
    if tally.differing > 0 {
        comparison.differences.push(describe(a, tally));
    }
}

fn describe(seen: &Observation, tally: Tally) -> Difference {
    let mut text = format!(
        "{}: {} of {} values differ",
        seen.subject, tally.differing, tally.values
    );
    if tally.beyond > 0 && tally.beyond < tally.differing {
        text.push_str(&format!(", {} of them too much", tally.beyond));
    }
    if let Some(distance) = distance(tally.ulp, tally.near_zero, tally.steps) {
        text.push_str(&format!(", up to {distance}"));
    }
    let samples: Vec<Sample> = tally
        .first
        .into_iter()
        .chain(tally.worst.map(|(_, sample)| sample))
        .collect();
    let words = ["first", "worst"].iter().zip(&samples);
    for (word, sample) in words {
        let [a, b] = &sample.values;
        text.push_str(&format!("; {word} {}: {a} and {b}", sample.place));
    }
    Difference {
        kind: DifferenceKind::Values,
        beyond: tally.beyond > 0,
        line: seen.line,
        text,
        samples,
    }
}

/// Layout of texels.
struct Texels<'a> {
    format: &'a Format,
    width: u32,
    origin: [u32; 2],
    probed: usize,
    bytes: &'a [u8],
}

impl<'a> Texels<'a> {
    fn of(seen: &'a Observation) -> Option<Self> {
        match &seen.layout {
            ObservedLayout::Texels {
                format,
                width,
                origin,
                probed,
            } => Some(Self {
                format,
                width: *width,
                origin: *origin,
                probed: *probed,
                bytes: &seen.bytes,
            }),
            ObservedLayout::Values { .. } | ObservedLayout::Words | ObservedLayout::Count => None,
        }
    }

    /// Returns the position of a texel in the entire image.
    fn place(&self, index: usize) -> [u32; 2] {
        let (x, y) = (index % self.width as usize, index / self.width as usize);
        [self.origin[0] + x as u32, self.origin[1] + y as u32]
    }

    /// Returns the bytes of the texel at a position.
    fn at(&self, [x, y]: [u32; 2]) -> Option<&'a [u8]> {
        let x = x.checked_sub(self.origin[0]).filter(|x| *x < self.width)?;
        let y = y.checked_sub(self.origin[1])?;
        let index = y as usize * self.width as usize + x as usize;
        let size = self.format.size();
        self.bytes.get(index * size..(index + 1) * size)
    }
}

/// Returns the numbers of a component that both formats have. Where these differ, the coarser one
/// counts.
fn kind_of(formats: [&Format; 2], component: usize, values: [f64; 2]) -> NumberKind {
    if formats.iter().any(|format| format.encoding.is_integer()) {
        return NumberKind::Exact;
    }
    let [a, b] = formats.map(|format| Precision::of_channel(format, component));
    if a == b || a.distance(values[0], values[1]) <= b.distance(values[0], values[1]) {
        NumberKind::Near(a)
    } else {
        NumberKind::Near(b)
    }
}

fn compare_texels(pair: &Pair<'_>, pairs: &[Pair<'_>], tally: &mut Tally) -> bool {
    let [Some(a), Some(b)] = pair.sides.map(Texels::of) else {
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
    let texels = |seen: &Texels<'_>| seen.bytes.len() / seen.format.size();
    if texels(&a) != texels(&b) {
        return false;
    }
    let same_format = a.format == b.format;
    let chunks = a.bytes.chunks_exact(a.format.size());
    let chunks = chunks.zip(b.bytes.chunks_exact(b.format.size()));
    for (index, (x, y)) in chunks.enumerate() {
        if same_format && x == y {
            tally.values += components.len() as u64;
            continue;
        }
        let place = a.place(index);
        let compared = if pair.holds {
            a.probed.min(b.probed)
        } else {
            // Looked up only if there is a difference to accept.
            0
        };
        let (values_a, values_b) = (a.format.decode(x), b.format.decode(y));
        for &component in &components {
            let values = [values_a[component], values_b[component]];
            let kind = kind_of(formats, component, values);
            // Doubles cannot represent all 64-bit integers.
            let same_bits =
                same_format && a.format.bits(x, component) == b.format.bits(y, component);
            let gap = match kind {
                NumberKind::Exact if same_format && !same_bits => Gap::Apart,
                NumberKind::Exact | NumberKind::Near(_) => kind.gap(values[0], values[1]),
            };
            let accepted = || {
                component < compared
                    || kind.accepts(gap, values[0], values[1])
                    || component < probed_before(pair, pairs, place, [x, y])
            };
            tally.add(gap, accepted, || Sample {
                place: texel_place(place, component, formats[0]),
                values: [0, 1].map(|side| print_values(&[values[side]], formats[side])),
            });
        }
    }
    true
}

fn texel_place([x, y]: [u32; 2], component: usize, format: &Format) -> String {
    match format.channels.len() {
        1 => format!("({x}, {y})"),
        _ => format!(
            "({x}, {y}) {}",
            ["red", "green", "blue", "alpha"][component]
        ),
    }
}

/// Returns the number of components of two texels that a passing probe has compared before the end
/// of the script, with the same values.
fn probed_before(
    pair: &Pair<'_>,
    pairs: &[Pair<'_>],
    place: [u32; 2],
    texels: [&[u8]; 2],
) -> usize {
    if pair.sides[0].line.is_some() {
        return 0;
    }
    let probed = |before: &Pair<'_>| {
        let [a, b] = before.sides.map(Texels::of);
        let (a, b) = (a?, b?);
        let same = [a.at(place)?, b.at(place)?] == texels;
        same.then_some(a.probed.min(b.probed))
    };
    earlier(pair, pairs).filter_map(probed).max().unwrap_or(0)
}

/// Returns the observations of successful probes of the same subject.
fn earlier<'a>(pair: &Pair<'a>, pairs: &'a [Pair<'a>]) -> impl Iterator<Item = &'a Pair<'a>> {
    let subject = &pair.sides[0].subject;
    let same = move |other: &&Pair<'_>| other.holds && other.sides[0].subject == *subject;
    pairs.iter().rev().filter(same)
}

/// Compares numbers of a known type.
fn compare_values(pair: &Pair<'_>, scalar: Scalar, offset: u64, tally: &mut Tally) -> bool {
    let [a, b] = pair.sides.map(|seen| seen.bytes.as_slice());
    let size = scalar.size();
    let chunks = a.chunks_exact(size).zip(b.chunks_exact(size));
    for (index, (x, y)) in chunks.enumerate() {
        let (x, y) = (scalar.read(x), scalar.read(y));
        let gap = scalar_gap(scalar, x, y);
        let accepted = || pair.holds || accepts_scalar(scalar, gap, x, y);
        tally.add(gap, accepted, || Sample {
            place: format!("byte {}", offset + (index * size) as u64),
            values: [scalar.print(x), scalar.print(y)],
        });
    }
    a.len() == b.len()
}

/// Compares the words of a buffer at the end of a script. The last probe that read a word
/// determines its type.
fn compare_words(pair: &Pair<'_>, pairs: &[Pair<'_>], tally: &mut Tally) -> bool {
    let [a, b] = pair.sides.map(|seen| seen.bytes.as_slice());
    let chunks = a.chunks_exact(4).zip(b.chunks_exact(4));
    for (index, (x, y)) in chunks.enumerate() {
        let place = 4 * index as u64;
        let word = |bytes: &[u8]| Scalar::U32.read(bytes);
        let (bits_x, bits_y) = (word(x), word(y));
        if bits_x == bits_y {
            tally.values += 1;
            continue;
        }
        let types = earlier(pair, pairs).filter_map(|before| {
            let [one, other] = before.sides.map(|seen| word_at(seen, place));
            let ((scalar, one), (_, other)) = (one?, other?);
            Some((scalar, [one, other] == [x, y]))
        });
        let probed: Vec<(Scalar, bool)> = types.collect();
        let scalar = probed.first().map(|(scalar, _)| *scalar);
        let gap = match scalar.filter(|scalar| scalar.size() == 4) {
            Some(scalar) => scalar_gap(scalar, bits_x, bits_y),
            None => word_gap(bits_x as u32, bits_y as u32),
        };
        let shown = match gap {
            Gap::None | Gap::ZeroSign | Gap::Ulps(_) | Gap::NearZero(_) | Gap::Steps(_) => {
                Scalar::F32
            }
            Gap::Apart => scalar
                .filter(|scalar| scalar.size() == 4)
                .unwrap_or(Scalar::U32),
        };
        let accepted =
            || probed.iter().any(|(_, same)| *same) || accepts_scalar(shown, gap, bits_x, bits_y);
        tally.add(gap, accepted, || Sample {
            place: format!("byte {place}"),
            values: [shown.print(bits_x), shown.print(bits_y)],
        });
    }
    a.len() == b.len()
}

/// Returns the type as which a probe interprets a word of a buffer, and the word.
fn word_at(seen: &Observation, place: u64) -> Option<(Scalar, &[u8])> {
    let ObservedLayout::Values { scalar, offset } = seen.layout else {
        return None;
    };
    let start = place.checked_sub(offset)? as usize;
    Some((scalar, seen.bytes.get(start..start + 4)?))
}
