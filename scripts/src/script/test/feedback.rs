//! Transform feedback: `xfb ...` and `probe xfb ...`.

use super::buffer_ranges::{parse_feedback_buffer, parse_feedback_number};
use super::buffer_ranges::{parse_offset, parse_type};
use super::buffers::{parse_contents, push_buffer_probe};
use super::draws::parse_draw;
use super::parser::{CaptureState, TestParser};
use crate::data::{DataLayout, DataType};
use crate::probe::ComparisonOp;
use crate::script::command::{CaptureCount, Command, ScriptStep};
use crate::script::tokenizer::{LineError, WordCursor};
use glasm::Capture;
use glasm::ir::Semantic;

/// Vertex streams that a script can name.
const MAX_STREAMS: u32 = 16;

/// Results that a script can list.
const MAX_CAPTURES: usize = 1024;

/// Bytes of a vertex in a buffer at most.
const MAX_STRIDE: u32 = 1 << 16;

/// Results by their names after `result.`: with a number in brackets if there are several.
const RESULTS: &[(&str, ResultName)] = &[
    ("position", ResultName::One(Semantic::Position)),
    ("color", ResultName::One(Semantic::Color(0))),
    ("color.primary", ResultName::One(Semantic::Color(0))),
    ("color.secondary", ResultName::One(Semantic::Color(1))),
    ("color.front", ResultName::One(Semantic::Color(0))),
    ("color.front.primary", ResultName::One(Semantic::Color(0))),
    ("color.front.secondary", ResultName::One(Semantic::Color(1))),
    ("color.back", ResultName::One(Semantic::BackColor(0))),
    (
        "color.back.primary",
        ResultName::One(Semantic::BackColor(0)),
    ),
    (
        "color.back.secondary",
        ResultName::One(Semantic::BackColor(1)),
    ),
    ("fogcoord", ResultName::Scalar(Semantic::FogCoord)),
    ("pointsize", ResultName::Scalar(Semantic::PointSize)),
    ("layer", ResultName::Scalar(Semantic::Layer)),
    ("viewport", ResultName::Scalar(Semantic::ViewportIndex)),
    ("primid", ResultName::Scalar(Semantic::PrimitiveId)),
    ("id", ResultName::Scalar(Semantic::VertexId)),
    ("texcoord", ResultName::One(Semantic::TexCoord(0))),
    ("texcoord[]", ResultName::Several(Semantic::TexCoord)),
    ("attrib[]", ResultName::Several(Semantic::GenericVarying)),
    ("clip[]", ResultName::Scalars(Semantic::ClipDistance)),
];

/// Result that a name denotes.
#[derive(Clone, Copy)]
enum ResultName {
    One(Semantic),
    Scalar(Semantic),
    Several(fn(u8) -> Semantic),
    Scalars(fn(u8) -> Semantic),
}

/// Result with its first component and their number.
type ResultComponents = (Semantic, u8, u8);

/// Parses a result such as `result.texcoord[2].xy`: its semantic, first component and number of
/// components, by default all. `None` if there is no such result or component, or if the components
/// are not consecutive.
fn parse_result(word: &str) -> Option<ResultComponents> {
    let name = word.strip_prefix("result.")?;
    if let Some((semantic, count)) = find_result(name) {
        return Some((semantic, 0, count));
    }
    let (name, letters) = name.rsplit_once('.')?;
    let (semantic, available) = find_result(name)?;
    let first = "xyzw".find(letters).filter(|_| !letters.is_empty())?;
    let (first, count) = (first as u8, letters.len() as u8);
    (first + count <= available).then_some((semantic, first, count))
}

/// Returns the semantic of a result, without `result.` and components, and the number of its
/// components; `None` for unknown names.
fn find_result(name: &str) -> Option<(Semantic, u8)> {
    let (plain, number) = match name.split_once('[') {
        None => (name.to_owned(), 0),
        Some((plain, rest)) => (format!("{plain}[]"), rest.strip_suffix(']')?.parse().ok()?),
    };
    let (_, found) = RESULTS.iter().find(|(known, _)| *known == plain)?;
    Some(match found {
        ResultName::One(semantic) => (*semantic, 4),
        ResultName::Scalar(semantic) => (*semantic, 1),
        ResultName::Several(make) => (make(number), 4),
        ResultName::Scalars(make) => (make(number), 1),
    })
}

/// Parses the arguments of `xfb capture|stride ...`, which are stored; of `xfb begin|end|draw ...`,
/// whose commands are appended; or of `xfb BUFFER ...` and piglit's `xfb buffer object BUFFER
/// SIZE`, with [`parse_contents`] after the buffer. Returns an error if a capture begins twice or
/// ends without a beginning.
pub(super) fn parse_xfb(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    match words.peek() {
        Some("capture") => {
            words.next_word("capture")?;
            parse_captures(parser, words)
        }
        Some("stride") => {
            words.next_word("stride")?;
            let buffer = parse_feedback_number(words)?;
            let stride = words.parse_with("a number of bytes, a multiple of 4", |word| {
                let stride = word.parse().ok();
                stride.filter(|bytes| (4..=MAX_STRIDE).contains(bytes) && bytes % 4 == 0)
            })?;
            let strides = &mut parser.feedback.strides;
            let needed = strides.len().max(buffer as usize + 1);
            strides.resize(needed, 0);
            strides[buffer as usize] = stride;
            words.expect_end()
        }
        Some("begin") => {
            words.next_word("begin")?;
            if parser.capturing != CaptureState::Inactive {
                return Err(
                    words.error_at_last("there was no `xfb end` since the last `xfb begin`")
                );
            }
            parser.capturing = CaptureState::Active(parser.line);
            parser.push_command(words, Command::BeginCapture)
        }
        Some("end") => {
            words.next_word("end")?;
            if parser.capturing == CaptureState::Inactive {
                return Err(words.error_at_last("there was no `xfb begin`"));
            }
            parser.capturing = CaptureState::Inactive;
            parser.push_command(words, Command::EndCapture)
        }
        Some("draw") => {
            words.next_word("draw")?;
            parse_captured_draw(parser, words)
        }
        Some("buffer") => {
            words.next_word("buffer")?;
            words.parse_with("`object`", |word| (word == "object").then_some(()))?;
            let buffer = parse_feedback_buffer(parser, words)?;
            parse_contents(parser, buffer, DataLayout::STD430, words)
        }
        _ => {
            let buffer = parse_feedback_buffer(parser, words)?;
            parse_contents(parser, buffer, DataLayout::STD430, words)
        }
    }
}

/// Parses the words of a draw after `xfb draw`, and appends it between the beginning and the end of
/// a capture. The draw discards its primitives before rasterization, as in piglit. Returns an error
/// within `xfb begin` and `xfb end`.
fn parse_captured_draw(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if parser.capturing != CaptureState::Inactive {
        return Err(words.error_at_last("draws after `xfb begin` are captured without `xfb`"));
    }
    let line = parser.line;
    let discard = std::mem::replace(&mut parser.pipeline.rasterizer_discard, true);
    let first = parser.steps.len();
    let result = parse_draw(parser, words);
    parser.pipeline.rasterizer_discard = discard;
    let step = |command| ScriptStep { line, command };
    // If the draw cannot be parsed, the script is rejected, including these steps.
    parser.steps.insert(first, step(Command::BeginCapture));
    parser.steps.push(step(Command::EndCapture));
    result
}

/// Parses `BUFFER [stream N] RESULT|skip N ...` after `xfb capture`, and appends the captures after
/// the previous ones of the buffer. Returns an error if a vertex exceeds [`MAX_STRIDE`], or if
/// there are more than [`MAX_CAPTURES`].
fn parse_captures(parser: &mut TestParser, words: &mut WordCursor<'_>) -> Result<(), LineError> {
    let buffer = parse_feedback_number(words)?;
    let stream = match words.take_if("stream") {
        Some(()) => parse_stream(words)?,
        None => 0,
    };
    let mut captures = Vec::new();
    // Results follow each other without gaps in each buffer; `skip` creates gaps.
    let known = |captures: &[Capture]| {
        let own = captures.iter().filter(|capture| capture.buffer == buffer);
        own.map(|capture| capture.offset + 4 * u32::from(capture.component_count))
            .max()
    };
    let mut offset = known(&parser.feedback.captures).unwrap_or(0);
    while captures.is_empty() || !words.is_empty() {
        if words.take_if("skip").is_some() {
            let what = "a number of components to skip";
            let skipped: u32 = words.parse_with(what, |word| {
                word.parse()
                    .ok()
                    .filter(|count| (1..=MAX_STRIDE / 4).contains(count))
            })?;
            offset += 4 * skipped;
        } else {
            let what = "a result, such as result.texcoord[0].xy, or `skip`";
            let (semantic, first, count) = words.parse_with(what, parse_result)?;
            captures.push(Capture {
                semantic,
                first_component: first,
                component_count: count,
                buffer,
                offset,
                stream,
            });
            offset += 4 * u32::from(count);
        }
        if offset > MAX_STRIDE {
            return Err(words.error_at_last(format!("vertices have at most {MAX_STRIDE} bytes")));
        }
    }
    words.expect_end()?;
    parser.feedback.captures.append(&mut captures);
    if parser.feedback.captures.len() > MAX_CAPTURES {
        return Err(words.error_at_last(format!("at most {MAX_CAPTURES} results are captured")));
    }
    Ok(())
}

/// Consumes the number of a vertex stream, less than [`MAX_STREAMS`].
fn parse_stream(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    let what = format!("a stream, below {MAX_STREAMS}");
    words.parse_with(&what, |word| {
        word.parse().ok().filter(|stream| *stream < MAX_STREAMS)
    })
}

/// Parses the words after `probe xfb`, `primitives|needed [stream N] OP COUNT`, `bytes BUFFER OP
/// COUNT`, `TYPE BUFFER OFFSET OP VALUES...`, or piglit's `buffer float|double BUFFER INDEX VALUE`,
/// and appends the command.
pub(super) fn parse_xfb_probe(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let count = match words.peek() {
        Some(word @ ("primitives" | "needed")) => {
            words.next_word(word)?;
            let stream = match words.take_if("stream") {
                Some(()) => parse_stream(words)?,
                None => 0,
            };
            match word {
                "needed" => CaptureCount::Needed { stream },
                _ => CaptureCount::Primitives { stream },
            }
        }
        Some("bytes") => {
            words.next_word("bytes")?;
            let buffer = parse_feedback_number(words)?;
            CaptureCount::Bytes { buffer }
        }
        Some("buffer") => return parse_piglit_probe(parser, words),
        _ => {
            let ty = parse_type(words)?;
            let buffer = parse_feedback_buffer(parser, words)?;
            let location = (buffer, parse_offset(words)?);
            let comparison = words.parse_with("a comparison", ComparisonOp::parse)?;
            let values = (ty, DataLayout::STD430);
            return push_buffer_probe(parser, location, values, comparison, words);
        }
    };
    let (comparison, expected) = parse_count(words)?;
    let command = Command::ProbeCapture {
        count,
        comparison,
        expected,
    };
    parser.push_command(words, command)
}

/// Consumes `OP COUNT`; returns an error for the operator `~=`.
pub(super) fn parse_count(words: &mut WordCursor<'_>) -> Result<(ComparisonOp, u64), LineError> {
    let comparison = words.parse_with("a comparison other than ~=", |word| {
        ComparisonOp::parse(word).filter(|comparison| *comparison != ComparisonOp::Near)
    })?;
    Ok((comparison, words.parse_unsigned("a count")?))
}

/// Parses `buffer float|double BUFFER INDEX VALUE`, and appends the command that compares the
/// value, counted in numbers of the type, within the tolerances in force.
fn parse_piglit_probe(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.next_word("buffer")?;
    let ty = words.parse_with("`float` or `double`", |word| {
        DataType::parse(word).filter(|_| matches!(word, "float" | "double"))
    })?;
    let buffer = parse_feedback_buffer(parser, words)?;
    let index = words.parse_u32("the number of a value")?;
    let offset = u64::from(index) * ty.scalar.size() as u64;
    let values = (ty, DataLayout::STD430);
    push_buffer_probe(parser, (buffer, offset), values, ComparisonOp::Near, words)
}
