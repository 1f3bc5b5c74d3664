//! Transform feedback: selection of the captured results and of their variables and locations. This
//! module makes the decisions; emission applies them.
//!
//! SPIR-V captures whole variables. A result that is captured unchanged and with all the components
//! of its variable is captured directly. Every other capture (`result.texcoord[0].xy`, single clip
//! distances, positions whose depth is remapped) is stored a second time, in a separate variable
//! that no later stage reads. The variable occupies a varying location that the program does not
//! use: the last one below 28, or, if all of these are used, the first one from 28 on.

use crate::error::{Error, Failure};
use crate::options::{Capture, ClipDepth, Options, TransformFeedback};
use crate::varyings::{GUARANTEED_LOCATIONS, captures_vector, varying_location, written_lanes};
use glasm_ir::{Program, Semantic, Stage};

/// Variable that contains the value of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CaptureSource {
    /// Variable of the result itself.
    InPlace,
    /// Separate variable at this location.
    Copy(u32),
    /// None, because the program does not write the result: captured values are undefined, their
    /// bytes in the buffer are not written.
    NotWritten,
}

/// Selects the variable of each capture in the options. `written` are the results that the program
/// writes. Returns an error for invalid captures, stages without transform feedback, and if no
/// locations are free for copies.
pub(crate) fn choose_capture_sources(
    program: &Program,
    options: &Options,
    written: &[Semantic],
) -> Result<Vec<CaptureSource>, Failure> {
    let feedback = &options.transform_feedback;
    let stage = program.stage;
    if !feedback.is_empty() && !matches!(stage, Stage::Vertex | Stage::TessEval | Stage::Geometry) {
        let message = format!("results of {} programs cannot be captured", stage.name());
        return Err(Error::unsupported(message));
    }
    let mut sources = Vec::with_capacity(feedback.captures.len());
    let mut free = find_free_locations(program, options);
    for (index, capture) in feedback.captures.iter().enumerate() {
        let before = &feedback.captures[..index];
        check_capture(capture, feedback, stage)?;
        check_shared_buffer(capture, before)?;
        // A variable has one offset in one buffer, so only one capture of a result can use its
        // variable.
        let mut others = before.iter().zip(&sources);
        let is_first = others.all(|(other, source)| {
            other.semantic != capture.semantic || *source != CaptureSource::InPlace
        });
        sources.push(if !written.contains(&capture.semantic) {
            CaptureSource::NotWritten
        // A variable belongs to one stream, and the variable of the result itself to the rasterized
        // stream.
        } else if is_first && capture.stream == 0 && is_whole_variable(capture, options) {
            CaptureSource::InPlace
        } else {
            CaptureSource::Copy(free.pop().ok_or_else(|| {
                Error::limit("there are not enough free varying locations for what is captured")
            })?)
        });
    }
    Ok(sources)
}

/// Returns true if a capture takes all components of the variable of the result, and these are the
/// captured values: not a remapped position or an overridden point size.
fn is_whole_variable(capture: &Capture, options: &Options) -> bool {
    let vector = captures_vector(capture);
    let position = capture.semantic == Semantic::Position;
    let remapped = position && options.conventions.clip_depth != ClipDepth::ZeroToOne;
    let is_varying = varying_location(capture.semantic).is_some();
    // The size with which points are drawn may differ from the size that the program writes.
    let is_own_size = options.state_sources.point_size.is_fixed()
        && options.pipeline_state.forced_point_size.is_none();
    // The built-in is a scalar, so every capture takes all of it.
    let size = capture.semantic == Semantic::PointSize && is_own_size;
    size || (vector && (position || is_varying) && !remapped)
}

/// Returns the varying locations that no result of the program uses; the last one is to be used
/// first.
///
/// Devices with the minimum of 128 output components also count the built-ins, up to 15 components:
/// copies use locations below these as long as possible.
fn find_free_locations(program: &Program, options: &Options) -> Vec<u32> {
    // The last location of the table does not fit together with a position.
    const LAST: u32 = 30;
    let used = options.interface.outputs.used_locations(program, options);
    (GUARANTEED_LOCATIONS..=LAST)
        .rev()
        .chain(0..GUARANTEED_LOCATIONS)
        .filter(|location| !used.contains(location))
        .collect()
}

/// Returns an error if a capture names components that the result lacks, exceeds the vertex, is not
/// aligned to words, or selects a stream that the stage lacks.
fn check_capture(
    capture: &Capture,
    feedback: &TransformFeedback,
    stage: Stage,
) -> Result<(), Failure> {
    let semantic = capture.semantic;
    // Wider than the bytes of the options, whose sum may overflow.
    let last = u16::from(capture.first_component) + u16::from(capture.component_count);
    // Sizes that NV_transform_feedback permits in table X.2: fog coordinates have one component,
    // although the variable has four.
    let available = match written_lanes(semantic) {
        0b0001 => 1,
        _ if semantic == Semantic::FogCoord => 1,
        _ => 4,
    };
    let Capture { buffer, offset, .. } = *capture;
    let (end, stride) = (capture.end(), feedback.stride(buffer));
    let problem = if capture.component_count == 0 || last > available {
        format!("{semantic:?} has {available} components to capture")
    } else if !offset.is_multiple_of(4) {
        format!("the offset {offset} of a capture is not a multiple of 4")
    } else if !stride.is_multiple_of(4) {
        format!("the stride of transform feedback buffer {buffer} is not a multiple of 4")
    } else if end > stride {
        format!(
            "the capture of {semantic:?} reaches to byte {end} of a vertex, which has {stride} bytes in transform feedback buffer {buffer}"
        )
    } else if capture.stream > 0 && stage != Stage::Geometry {
        format!("{} programs have only stream 0", stage.name())
    } else {
        return Ok(());
    };
    Err(Error::unsupported(problem))
}

/// Returns an error if a capture overlaps one of the captures `before` in its buffer, or captures
/// another stream into the buffer.
fn check_shared_buffer(capture: &Capture, before: &[Capture]) -> Result<(), Failure> {
    let Capture { buffer, offset, .. } = *capture;
    let mut others = before.iter().filter(|other| other.buffer == buffer);
    let meets = |other: &Capture| other.offset < capture.end() && offset < other.end();
    let problem = if others.clone().any(meets) {
        format!("two captures overlap at byte {offset} of transform feedback buffer {buffer}")
    // Each buffer records one stream (ARB_transform_feedback3, `TransformFeedbackStreamAttribsNV`).
    } else if others.any(|other| other.stream != capture.stream) {
        format!("transform feedback buffer {buffer} captures two streams")
    } else {
        return Ok(());
    };
    Err(Error::unsupported(problem))
}
