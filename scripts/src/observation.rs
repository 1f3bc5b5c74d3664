//! Observable output of programs, recorded so that two runs of a script can be compared.
//!
//! A runner that is asked to [observe](ObservationMode) records the data that each probe examined
//! and the state at the end of the script. The format of the bytes is recorded with them; the
//! expected values are not, since the comparison is with another run. Probes and the end of a
//! script, as a runner executes them, are functions here: each records the observed data, if that
//! was requested, and compares it.

use crate::data::{Scalar, TypedData};
use crate::format::{Aspect, Format};
use crate::image::Image;
use crate::probe::pixels::{PixelProbe, Region, Surface};
use crate::probe::{ComparisonOp, Tolerances, check_values};
use crate::results::Results;
use crate::script::{
    BufferId, CaptureCount, Command, ImageKey, ProgramForm, ProgramSection, Script,
};
use crate::texture::PlaneId;
use glasm::ir::Stage;
use std::fmt;

/// Recording of observable output by a runner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ObservationMode {
    /// Records the outcomes of probes only.
    #[default]
    Off,
    /// [`Observation`]s and [`Verdict`]s too.
    On,
}

/// Data observed at one point of a script: the bytes of an image or of a buffer, and their layout.
#[derive(Clone, PartialEq, Debug)]
pub struct Observation {
    /// Line of the probe; `None` for the state at the end of the script.
    pub line: Option<u32>,
    /// Name of the observed resource in messages: `attachment 0`, ``buffer `out` ``.
    pub subject: String,
    /// Layout of the bytes.
    pub layout: ObservedLayout,
    /// Bytes, tightly packed, row 0 of images first.
    pub bytes: Vec<u8>,
}

/// Layout of the bytes of an [`Observation`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObservedLayout {
    /// Texels of an image.
    Texels {
        /// Format of a texel.
        format: Format,
        /// Number of texels per row.
        width: u32,
        /// X and y of the first texel in the whole image.
        origin: [u32; 2],
        /// Number of leading components that the probe compares; the others were only observed.
        probed_components: usize,
    },
    /// Numbers of a buffer in the order in which the probe reads them. Gaps between elements are
    /// treated as numbers.
    Values {
        /// Their type.
        scalar: Scalar,
        /// Byte of the first one in the buffer.
        offset: u64,
    },
    /// 32-bit words of a whole buffer, whose type (integer or float) is unknown.
    Words,
    /// Count, 64 bits.
    Count,
}

/// Acceptance or rejection of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Stage that the program is for.
    pub stage: Stage,
    /// Number of the program among those of the script for the stage, 0 for the initial one.
    pub index: usize,
    /// `None` if it was accepted.
    pub rejected: Option<Rejection>,
}

/// Reason why a program was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// Byte offset of the error in the program string, like `GL_PROGRAM_ERROR_POSITION_ARB`.
    pub position: Option<usize>,
    /// Message.
    pub message: String,
}

impl Observation {
    /// Creates the observation of the part of an image that a probe of pixels compares; `None` if
    /// the image does not contain all of it.
    pub fn from_probe_region(
        line: u32,
        subject: String,
        probe: &PixelProbe,
        image: &Image,
    ) -> Option<Self> {
        let probed = probe.expected.components;
        let region = probe.is_region_within(image).then_some(probe.region)?;
        Some(Self::from_texels(
            Some(line),
            subject,
            probed,
            image,
            region,
        ))
    }

    /// Creates the observation of a whole image at the end of the script.
    pub fn from_image(subject: String, image: &Image) -> Self {
        let region = Region {
            x: 0,
            y: 0,
            width: image.width,
            height: image.height,
        };
        Self::from_texels(None, subject, 0, image, region)
    }

    /// Creates the observation of the texels of an image in a region, without padding. Unused bits
    /// of depths of 24 bits become 0, because they are undefined.
    fn from_texels(
        line: Option<u32>,
        subject: String,
        probed: usize,
        image: &Image,
        region: Region,
    ) -> Self {
        let format = image.format.clone();
        let size = format.texel_size();
        let row = image.width as usize * size;
        let start = region.x as usize * size;
        let width = region.width as usize * size;
        let mut bytes = Vec::with_capacity(width * region.height as usize);
        for y in region.y..region.y + region.height {
            let at = y as usize * row + start;
            bytes.extend_from_slice(&image.data[at..at + width]);
        }
        // The contents of the unused bits of copied depths are undefined.
        if format.aspect == Aspect::Depth && format.channels.iter().any(|depth| depth.bits == 24) {
            bytes
                .iter_mut()
                .skip(3)
                .step_by(size)
                .for_each(|byte| *byte = 0);
        }
        Self {
            line,
            subject,
            layout: ObservedLayout::Texels {
                format,
                width: region.width,
                origin: [region.x, region.y],
                probed_components: probed,
            },
            bytes,
        }
    }

    /// Creates the observation of the part of a buffer that a probe compares, up to the last whole
    /// scalar; `None` if the buffer does not contain all of it.
    pub fn from_values(
        line: u32,
        subject: String,
        contents: &[u8],
        expected: &TypedData,
    ) -> Option<Self> {
        let scalar = expected.ty.scalar;
        let bytes = contents.get(expected.offset as usize..expected.end() as usize)?;
        let whole_scalars = bytes.len() - bytes.len() % scalar.size();
        Some(Self {
            line: Some(line),
            subject,
            layout: ObservedLayout::Values {
                scalar,
                offset: expected.offset,
            },
            bytes: bytes[..whole_scalars].to_vec(),
        })
    }

    /// Creates the observation of a buffer at the end of the script, extended with zero bytes to
    /// whole words. Words into which the script writes addresses become 0: they differ from run to
    /// run.
    pub fn from_buffer(script: &Script, buffer: BufferId, contents: &[u8]) -> Self {
        let mut bytes = contents.to_vec();
        for step in &script.steps {
            let Command::BufferAddresses {
                buffer: written,
                offset,
                addresses,
            } = &step.command
            else {
                continue;
            };
            let start = *offset as usize;
            let end = start + addresses.len() * size_of::<u64>();
            if *written == buffer
                && let Some(words) = bytes.get_mut(start..end)
            {
                words.fill(0);
            }
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        Self {
            line: None,
            subject: script.buffers[buffer.0].key.to_string(),
            layout: ObservedLayout::Words,
            bytes,
        }
    }

    /// Creates the observation of a count that a probe reads.
    pub fn from_count(line: u32, subject: String, count: u64) -> Self {
        Self {
            line: Some(line),
            subject,
            layout: ObservedLayout::Count,
            bytes: count.to_le_bytes().to_vec(),
        }
    }
}

impl fmt::Display for CaptureCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitives { stream } => write!(f, "primitives written of stream {stream}"),
            Self::Needed { stream } => write!(f, "primitives needed of stream {stream}"),
            Self::Bytes { buffer } => {
                write!(f, "bytes written to transform feedback buffer {buffer}")
            }
        }
    }
}

/// Returns the name of a plane of an image in messages: `image 1, level 2, layer 5`. Level, layer
/// and sample 0 are omitted.
pub fn plane_name(image: ImageKey, plane: PlaneId) -> String {
    let describe_part = |what: &str, number: u32| match number {
        0 => String::new(),
        _ => format!(", {what} {number}"),
    };
    format!(
        "{image}{}{}{}",
        describe_part("level", plane.level),
        describe_part("layer", plane.slice),
        describe_part("sample", plane.sample)
    )
}

/// Returns the assembly programs of a script with their indices in [`Verdict`]s, counted per stage:
/// the initial ones, then those that it loads.
pub fn assembly_programs(script: &Script) -> Vec<(usize, &ProgramSection)> {
    let alternates = script.alternates.iter().map(|alternate| &alternate.program);
    let mut programs: Vec<(usize, &ProgramSection)> = Vec::new();
    for program in script.programs.iter().chain(alternates) {
        if program.form == ProgramForm::Assembly {
            let same = |(_, other): &&(usize, &ProgramSection)| other.stage == program.stage;
            programs.push((programs.iter().filter(same).count(), program));
        }
    }
    programs
}

/// Maximum number of bytes that are recorded per script; later observations are dropped.
const MAX_OBSERVED_BYTES: usize = 64 << 20;

impl Results {
    /// Creates empty results that record observations or not.
    pub fn with_observation(observe: ObservationMode) -> Self {
        Self {
            observe,
            ..Self::default()
        }
    }

    /// Returns true if observations are recorded.
    pub fn is_observing(&self) -> bool {
        self.observe == ObservationMode::On
    }

    /// Appends an observation, unless all of them would exceed [`MAX_OBSERVED_BYTES`]; does nothing
    /// for `None`.
    pub fn record_observation(&mut self, observation: Option<Observation>) {
        let Some(observation) = observation else {
            return;
        };
        let recorded_bytes: usize = self.observations.iter().map(|seen| seen.bytes.len()).sum();
        // Only the observation that is too large is omitted: smaller ones after it may fit.
        if recorded_bytes + observation.bytes.len() <= MAX_OBSERVED_BYTES {
            self.observations.push(observation);
        }
    }

    /// Compares the contents of a buffer with the expected values, and records them if observations
    /// are recorded; `name` is the name of the buffer in messages.
    ///
    /// # Errors
    /// The message of the failed probe.
    pub fn probe_values(
        &mut self,
        line: u32,
        name: &str,
        contents: &[u8],
        expected: &TypedData,
        (comparison, tolerances): (ComparisonOp, &Tolerances),
    ) -> Result<(), String> {
        if self.is_observing() {
            let observation = Observation::from_values(line, name.to_owned(), contents, expected);
            self.record_observation(observation);
        }
        check_values(name, contents, expected, comparison, tolerances)
    }

    /// Compares a count with the expected one, and records it if observations are recorded;
    /// `count_name` is its name in messages.
    ///
    /// # Errors
    /// The message of the failed probe.
    pub fn probe_count(
        &mut self,
        line: u32,
        count_name: impl ToString,
        observed: u64,
        (comparison, expected): (ComparisonOp, u64),
    ) -> Result<(), String> {
        if self.is_observing() {
            let observation = Observation::from_count(line, count_name.to_string(), observed);
            self.record_observation(Some(observation));
        }
        if comparison.holds_for_counts(observed, expected) {
            return Ok(());
        }
        let (sign, what) = (comparison.symbol(), count_name.to_string());
        Err(format!(
            "{what}: expected {sign} {expected}, observed {observed}"
        ))
    }

    /// Checks a probe of a plane of a storage image, which the caller has read, and records the
    /// probed region if observations are recorded.
    ///
    /// # Errors
    /// The message of the failed probe, which begins with the name of the plane.
    pub fn probe_image(
        &mut self,
        line: u32,
        (key, plane): (ImageKey, PlaneId),
        probe: &PixelProbe,
        image: &Image,
    ) -> Result<(), String> {
        let name = || plane_name(key, plane);
        if self.is_observing() {
            self.record_observation(Observation::from_probe_region(line, name(), probe, image));
        }
        let result = probe.check(image);
        result.map_err(|message| format!("{}: {message}", name()))
    }

    /// Records a surface of the framebuffer at the end of the script, even if the results do not
    /// record observations: the caller decides.
    pub fn observe_surface(&mut self, surface: Surface, image: &Image) {
        self.record_observation(Some(Observation::from_image(surface.to_string(), image)));
    }

    /// Records a plane of a storage image at the end of the script, even if the results do not
    /// record observations: the caller decides.
    pub fn observe_image(&mut self, key: ImageKey, plane: PlaneId, image: &Image) {
        let observation = Observation::from_image(plane_name(key, plane), image);
        self.record_observation(Some(observation));
    }

    /// Records a buffer at the end of the script, even if the results do not record observations:
    /// the caller decides.
    pub fn observe_buffer(&mut self, script: &Script, buffer: BufferId, contents: &[u8]) {
        self.record_observation(Some(Observation::from_buffer(script, buffer, contents)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataLayout, DataType, Literal};
    use crate::probe::Tolerance;
    use crate::probe::pixels::{Expected, FramebufferPlane, Surface};

    fn image(format: Format, data: Vec<u8>) -> Image {
        Image {
            width: 3,
            height: 2,
            format,
            is_color: true,
            data,
        }
    }

    fn probe(region: Region) -> PixelProbe {
        PixelProbe {
            surface: Surface::from_plane(FramebufferPlane::Color(0)),
            region,
            expected: Expected {
                values: [0.0; 4],
                components: 3,
            },
            tolerances: [Tolerance::default(); 4],
        }
    }

    #[test]
    fn probes_of_pixels_see_their_region() {
        let image = image(Format::parse("R8_UINT").unwrap(), vec![1, 2, 3, 4, 5, 6]);
        let region = |x, width| Region {
            x,
            y: 0,
            width,
            height: 2,
        };
        let seen =
            Observation::from_probe_region(7, "a".into(), &probe(region(1, 2)), &image).unwrap();
        assert_eq!(seen.bytes, [2, 3, 5, 6]);
        let ObservedLayout::Texels {
            width,
            origin,
            probed_components: probed,
            ..
        } = seen.layout
        else {
            panic!("no texels")
        };
        assert_eq!((width, origin, probed), (2, [1, 0], 3));
        let outside = Observation::from_probe_region(7, "a".into(), &probe(region(2, 2)), &image);
        assert_eq!(outside, None);
    }

    #[test]
    fn unused_bits_of_depths_are_not_seen() {
        let format = Format::parse_color_or_depth("X8_D24_UNORM_PACK32").unwrap();
        let data = [[1, 2, 3, 0xff]; 6].concat();
        let seen = Observation::from_image("depth".into(), &image(format, data));
        assert_eq!(seen.bytes, [[1, 2, 3, 0]; 6].concat());
    }

    #[test]
    fn probes_of_buffers_see_their_values() {
        let ty = DataType::parse("uint16_t").unwrap();
        let data = TypedData {
            ty,
            layout: DataLayout::STD430,
            offset: 2,
            literals: vec![Literal::parse(ty.scalar, "1").unwrap()],
            repeat_count: 2,
        };
        let see = |contents: &[u8]| Observation::from_values(3, "b".into(), contents, &data);
        assert_eq!(see(&[1, 2, 3, 4, 5, 6, 7]).unwrap().bytes, [3, 4, 5, 6]);
        assert_eq!(see(&[1, 2, 3, 4, 5]), None);
    }

    #[test]
    fn addresses_in_buffers_are_left_out() {
        let text = "[test]\nbuffer a size 22\nbuffer b size 4\nbuffer a address 8 b\n";
        let script = Script::parse(text.as_bytes()).unwrap();
        let seen = Observation::from_buffer(&script, BufferId(0), &[9; 22]);
        assert_eq!(seen.subject, "buffer `a`");
        assert_eq!(
            seen.bytes,
            [&[9; 8][..], &[0; 8], &[9; 6], &[0; 2]].concat()
        );
    }

    #[test]
    fn planes_of_images_have_names() {
        let name = |level, slice, sample| {
            let plane = PlaneId {
                level,
                slice,
                sample,
            };
            plane_name(ImageKey::from_unit(1), plane)
        };
        assert_eq!(name(0, 0, 0), "image 1");
        assert_eq!(name(1, 5, 0), "image 1, level 1, layer 5");
        assert_eq!(name(0, 0, 3), "image 1, sample 3");
    }

    #[test]
    fn programs_are_numbered_by_stage() {
        let text = "[vertex program]\na\n[fragment program]\nb\n[fragment program red]\nc\n\
                    [geometry shader]\n[test]\nload fragment red\n";
        let script = Script::parse(text.as_bytes()).unwrap();
        let found: Vec<_> = assembly_programs(&script)
            .into_iter()
            .map(|(number, program)| (program.stage, number, program.text.as_slice()))
            .collect();
        let expected: [(Stage, usize, &[u8]); 3] = [
            (Stage::Vertex, 0, b"a\n"),
            (Stage::Fragment, 0, b"b\n"),
            (Stage::Fragment, 1, b"c\n"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn counts_are_kept_and_compared() {
        let mut results = Results::with_observation(ObservationMode::On);
        let probe = |results: &mut Results, expected| {
            results.probe_count(3, "samples drawn", 5, (ComparisonOp::Equal, expected))
        };
        assert_eq!(probe(&mut results, 5), Ok(()));
        assert_eq!(
            probe(&mut results, 6).unwrap_err(),
            "samples drawn: expected == 6, observed 5"
        );
        assert_eq!(results.observations.len(), 2);
        let mut results = Results::default();
        assert_eq!(probe(&mut results, 5), Ok(()));
        assert_eq!(results.observations, []);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut results = Results::with_observation(ObservationMode::On);
        let seen = |bytes: usize| Observation {
            bytes: vec![0; bytes],
            ..Observation::from_count(1, "x".into(), 0)
        };
        results.record_observation(Some(seen(MAX_OBSERVED_BYTES - 8)));
        results.record_observation(Some(seen(9)));
        results.record_observation(Some(seen(8)));
        assert_eq!(results.observations.len(), 2);
    }
}
