//! Commands about the contents of buffers: `buffer`, `ssbo`, `ubo`, `counter`, `uniform`, `push`,
//! `print`.

use super::atomic::{COUNTER, parse_atomic_source};
use super::parser::TestParser;
use super::places::{
    parse_addresses, parse_bound, parse_buffer_name, parse_counter_binding, parse_counter_number,
    parse_feedback_number, parse_range, parse_slot, parse_source,
};
use super::stages::parse_stage_suffix;
use super::textures::images::{parse_bind_image, parse_image_print};
use super::values::{
    MAX_BUFFER, check_end, parse_count, parse_data, parse_layout, parse_offset, parse_sequence,
    parse_type, parse_values,
};
use crate::data::{DataLayout, DataRange, DataType, Radix, TypedData};
use crate::probe::Comparison;
use crate::script::command::{BindTarget, BufferId, BufferKey, BufferKind, Command};
use crate::script::requirements::Convention;
use crate::script::words::{LineError, Words};

/// Maximum size of the push constant block in a script.
const MAX_PUSH: u64 = 256;

/// Values that `print` writes at most.
const MAX_PRINTED: u64 = 65536;

/// Parses `buffer NAME` and the rest with [`parse_contents`].
pub(super) fn parse_buffer(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let name = parse_buffer_name(words)?;
    let buffer = parser.buffer(BufferKey::Named(name));
    parse_contents(parser, buffer, DataLayout::STD430, words)
}

/// Parses `ssbo [SET:]BINDING ...`, `ssbo layout ...`.
pub(super) fn parse_ssbo(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("layout").is_some() {
        parser.storage_layout = parse_layout(words, DataLayout::STD430)?;
        return words.finish();
    }
    let buffer = parse_bound(parser, BufferKind::Storage, words)?;
    parse_contents(parser, buffer, parser.storage_layout, words)
}

/// Parses `counter BINDING ...`.
pub(super) fn parse_counter(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let buffer = parse_counter_binding(parser, words)?;
    parse_contents(parser, buffer, DataLayout::STD430, words)
}

/// Parses `ubo [SET:]BINDING ...`, `ubo layout ...`.
pub(super) fn parse_ubo(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("layout").is_some() {
        parser.uniform_layout = parse_layout(words, DataLayout::STD140)?;
        return words.finish();
    }
    let buffer = parse_bound(parser, BufferKind::Uniform, words)?;
    parse_contents(parser, buffer, parser.uniform_layout, words)
}

/// Parses `uniform ubo BINDING TYPE OFFSET VALUES...`, `uniform TYPE OFFSET VALUES...`.
pub(super) fn parse_uniform(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    if words.take("ubo").is_none() {
        let mut ahead = words.clone();
        // piglit sets uniforms of GLSL by their name, VkRunner push constants by their offset: the
        // second word distinguishes them.
        let by_name = ahead.word("a type").is_ok()
            && ahead
                .word("a byte offset")
                .is_ok_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
        if by_name && parser.convention == Convention::OpenGl {
            parser.unmet.push("uniforms by name are".to_owned());
            return Ok(());
        }
        return parse_push(parser, words);
    }
    let buffer = parse_bound(parser, BufferKind::Uniform, words)?;
    let data = parse_data(words, parser.uniform_layout)?;
    store(parser, buffer, data, words)
}

/// Parses `push TYPE OFFSET VALUES...`, `push layout ...`.
pub(super) fn parse_push(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("layout").is_some() {
        parser.push_layout = parse_layout(words, DataLayout::STD430)?;
        return words.finish();
    }
    let data = parse_data(words, parser.push_layout)?;
    if data.end() > MAX_PUSH {
        return Err(words.error_at_last(format!("push constants have at most {MAX_PUSH} bytes")));
    }
    let end = data.end().next_multiple_of(4) as u32;
    parser.push_size = parser.push_size.max(end);
    parser.push(words, Command::PushData(data))
}

/// Parses the rest of a line that sets the size or contents of a buffer.
pub(super) fn parse_contents(
    parser: &mut TestParser,
    buffer: BufferId,
    layout: DataLayout,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    match words.peek() {
        Some("size") => {
            words.word("size")?;
            parse_size(parser, buffer, words)
        }
        // VkRunner writes the size alone.
        Some(word) if word.starts_with(|c: char| c.is_ascii_digit()) => {
            parse_size(parser, buffer, words)
        }
        Some("data" | "subdata") => {
            words.word("data")?;
            let data = parse_data(words, layout)?;
            store(parser, buffer, data, words)
        }
        Some("fill") => {
            words.word("fill")?;
            let ty = parse_type(words)?;
            let data = parse_values(words, ty, layout, 0)?;
            parser.push(words, Command::BufferFill { buffer, data })
        }
        Some("sequence") => {
            words.word("sequence")?;
            let sequence = parse_sequence(words, layout)?;
            check_end(words, sequence.end())?;
            parser.grow(buffer, sequence.end());
            parser.push(words, Command::BufferSequence { buffer, sequence })
        }
        Some("address") => {
            words.word("address")?;
            let offset = parse_offset(words)?;
            let addresses = parse_addresses(parser, words, usize::MAX)?;
            let end = offset + 8 * addresses.len() as u64;
            check_end(words, end)?;
            parser.grow(buffer, end);
            let command = Command::BufferAddresses {
                buffer,
                offset,
                addresses,
            };
            parser.push(words, command)
        }
        _ => Err(words
            .error_at_next("expected `size`, `data`, `subdata`, `fill`, `sequence` or `address`")),
    }
}

fn parse_size(
    parser: &mut TestParser,
    buffer: BufferId,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let what = format!("a size from 1 to {MAX_BUFFER}");
    let size = words.unsigned(&what)?;
    if size == 0 || size > MAX_BUFFER {
        return Err(words.error_at_last(format!("{size} is not {what}")));
    }
    parser.grow(buffer, size);
    words.finish()
}

fn store(
    parser: &mut TestParser,
    buffer: BufferId,
    data: TypedData,
    words: &Words<'_>,
) -> Result<(), LineError> {
    check_end(words, data.end())?;
    parser.grow(buffer, data.end());
    parser.push(words, Command::BufferData { buffer, data })
}

/// Parses `print buffer NAME TYPE OFFSET COUNT [hex]`, `print ssbo|ubo|counter|xfb TYPE BINDING
/// OFFSET COUNT [hex]`.
pub(super) fn parse_print(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("image").is_some() {
        return parse_image_print(parser, words);
    }
    let (buffer, ty, layout) = parse_source(parser, words)?;
    let offset = parse_offset(words)?;
    let count = parse_count(words, MAX_PRINTED)?;
    let radix = match words.take("hex") {
        Some(()) => Radix::Hexadecimal,
        None => Radix::Decimal,
    };
    parser.push(
        words,
        Command::PrintBuffer {
            buffer,
            range: DataRange {
                ty,
                layout,
                offset,
                count,
                radix,
            },
        },
    )
}

/// Parses `probe buffer NAME TYPE OFFSET OP VALUES...`, `probe ssbo|ubo|counter TYPE BINDING OFFSET
/// OP VALUES...`.
pub(super) fn parse_buffer_probe(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let (buffer, ty, layout) = parse_source(parser, words)?;
    let offset = parse_offset(words)?;
    let comparison = words.parse_with("a comparison", Comparison::parse)?;
    push_buffer_probe(parser, (buffer, offset), (ty, layout), comparison, words)
}

/// Parses `probe atomic counter [buffer BINDING] INDEX OP VALUE`, as in piglit.
pub(super) fn parse_atomic_probe(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    words.word("`atomic`")?;
    let place = parse_atomic_source(parser, words)?;
    let comparison = words.parse_with("a comparison", Comparison::parse)?;
    let values = (COUNTER, DataLayout::STD430);
    push_buffer_probe(parser, place, values, comparison, words)
}

/// Parses the rest of a probe of an offset in a buffer: the expected values.
pub(super) fn push_buffer_probe(
    parser: &mut TestParser,
    (buffer, offset): (BufferId, u64),
    (ty, layout): (DataType, DataLayout),
    comparison: Comparison,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let expected = parse_values(words, ty, layout, offset)?;
    parser.push(
        words,
        Command::ProbeBuffer {
            buffer,
            expected,
            comparison,
            tolerances: parser.tolerances,
        },
    )
}

/// Parameter buffers of a program at most.
const MAX_PARAM_BUFFERS: u32 = 16;

/// Parses `bind ubo|ssbo [SET:]BINDING NAME [OFFSET [SIZE]]`, `bind counter|xfb BINDING ...`, `bind
/// buffer_STAGE INDEX ...`, `bind image ...`.
pub(super) fn parse_bind(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("image").is_some() {
        return parse_bind_image(parser, words);
    }
    let target = parse_target(words)?;
    let range = parse_range(parser, words)?;
    if target.kind() == BufferKind::Feedback && !range.offset.is_multiple_of(4) {
        let message = "transform feedback buffers start at multiples of 4 bytes";
        return Err(words.error_at_last(message));
    }
    parser.push(words, Command::BindBuffer { target, range })
}

fn parse_target(words: &mut Words<'_>) -> Result<BindTarget, LineError> {
    let what = "ubo, ssbo, counter, xfb, image, or buffer_ with vp, tcp, tep, gp, fp or cp";
    let bound = |words: &mut Words<'_>, kind| {
        let (set, binding) = parse_slot(words)?;
        Ok(BindTarget::Bound { kind, set, binding })
    };
    match words.word(what)? {
        "ubo" => bound(words, BufferKind::Uniform),
        "ssbo" => bound(words, BufferKind::Storage),
        "counter" => Ok(BindTarget::Bound {
            kind: BufferKind::Counter,
            set: 0,
            binding: parse_counter_number(words)?,
        }),
        "xfb" => Ok(BindTarget::Bound {
            kind: BufferKind::Feedback,
            set: 0,
            binding: parse_feedback_number(words)?,
        }),
        word => {
            let stage = word.strip_prefix("buffer_").and_then(parse_stage_suffix);
            let stage =
                stage.ok_or_else(|| words.error_at_last(format!("`{word}` is not {what}")))?;
            let what = format!("a number below {MAX_PARAM_BUFFERS}");
            let index = words.parse_with(&what, |word| {
                word.parse().ok().filter(|index| *index < MAX_PARAM_BUFFERS)
            })?;
            Ok(BindTarget::Param { stage, index })
        }
    }
}
