//! Commands about the contents of buffers: `buffer`, `ssbo`, `ubo`, `counter`, `uniform`, `push`,
//! `print`; and atomic counters in piglit's form: `atomic`, and the source of `probe atomic`.

use super::buffer_ranges::{
    MAX_BUFFER, check_buffer_end, parse_count, parse_data, parse_layout, parse_offset,
    parse_sequence, parse_type, parse_values,
};
use super::buffer_ranges::{
    parse_addresses, parse_binding, parse_buffer_name, parse_counter_binding, parse_counter_number,
    parse_feedback_number, parse_range, parse_slot, parse_source,
};
use super::parser::TestParser;
use super::stage_names::parse_stage_suffix;
use super::textures::images::{parse_bind_image, parse_image_print};
use crate::data::{DataLayout, DataRange, DataType, Radix, Scalar, TypedData};
use crate::probe::ComparisonOp;
use crate::script::command::{BindTarget, BufferId, BufferKey, BufferKind, Command};
use crate::script::model::Convention;
use crate::script::tokenizer::{LineError, WordCursor};

/// Maximum size of the push constant block in a script.
const MAX_PUSH: u64 = 256;

/// Values that `print` writes at most.
const MAX_PRINTED: u64 = 65536;

/// Parses the arguments of `buffer NAME ...`, with [`parse_contents`] after the name. The buffer is
/// added to the script if it is new.
pub(super) fn parse_buffer(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let name = parse_buffer_name(words)?;
    let buffer = parser.find_or_add_buffer(BufferKey::Named(name));
    parse_contents(parser, buffer, DataLayout::STD430, words)
}

/// Parses the arguments of `ssbo [SET:]BINDING ...`, with [`parse_contents`] after the binding; or
/// of `ssbo layout ...`, which sets the layout of storage buffers in later lines.
pub(super) fn parse_ssbo(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if words.take_if("layout").is_some() {
        parser.storage_layout = parse_layout(words, DataLayout::STD430)?;
        return words.expect_end();
    }
    let buffer = parse_binding(parser, BufferKind::Storage, words)?;
    parse_contents(parser, buffer, parser.storage_layout, words)
}

/// Parses the arguments of `counter BINDING ...`, with [`parse_contents`] after the binding.
pub(super) fn parse_counter(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let buffer = parse_counter_binding(parser, words)?;
    parse_contents(parser, buffer, DataLayout::STD430, words)
}

/// Parses the arguments of `ubo [SET:]BINDING ...`, with [`parse_contents`] after the binding; or
/// of `ubo layout ...`, which sets the layout of uniform buffers in later lines.
pub(super) fn parse_ubo(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if words.take_if("layout").is_some() {
        parser.uniform_layout = parse_layout(words, DataLayout::STD140)?;
        return words.expect_end();
    }
    let buffer = parse_binding(parser, BufferKind::Uniform, words)?;
    parse_contents(parser, buffer, parser.uniform_layout, words)
}

/// Parses the arguments of `uniform ubo BINDING TYPE OFFSET VALUES...`, and appends the command
/// that writes the uniform buffer; or of `uniform TYPE OFFSET VALUES...`, which are push constants.
/// In scripts with GL's convention uniforms with names are recorded as unmet, and the line is
/// ignored.
pub(super) fn parse_uniform(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if words.take_if("ubo").is_none() {
        let mut ahead = words.clone();
        // piglit sets uniforms of GLSL by their name, VkRunner push constants by their offset: the
        // second word distinguishes them.
        let by_name = ahead.next_word("a type").is_ok()
            && ahead
                .next_word("a byte offset")
                .is_ok_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
        if by_name && parser.convention == Convention::OpenGl {
            parser.unmet.push("uniforms by name are".to_owned());
            return Ok(());
        }
        return parse_push(parser, words);
    }
    let buffer = parse_binding(parser, BufferKind::Uniform, words)?;
    let data = parse_data(words, parser.uniform_layout)?;
    push_buffer_data(parser, buffer, data, words)
}

/// Parses the arguments of `push TYPE OFFSET VALUES...`, appends the command and grows the push
/// constants; or of `push layout ...`, which sets the layout in later lines. Returns an error if
/// they exceed [`MAX_PUSH`].
pub(super) fn parse_push(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if words.take_if("layout").is_some() {
        parser.push_layout = parse_layout(words, DataLayout::STD430)?;
        return words.expect_end();
    }
    let data = parse_data(words, parser.push_layout)?;
    if data.end() > MAX_PUSH {
        return Err(words.error_at_last(format!("push constants have at most {MAX_PUSH} bytes")));
    }
    let end = data.end().next_multiple_of(4) as u32;
    parser.push_size = parser.push_size.max(end);
    parser.push_command(words, Command::PushData(data))
}

/// Parses the words after a buffer, to the end of the line: its size (`size N` or `N`), or its
/// contents (`data`, `subdata`, `fill`, `sequence`, `address`), whose command is appended. Grows
/// the buffer to hold them, except for `fill`, which depends on its final size.
pub(super) fn parse_contents(
    parser: &mut TestParser,
    buffer: BufferId,
    layout: DataLayout,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    match words.peek() {
        Some("size") => {
            words.next_word("size")?;
            parse_size(parser, buffer, words)
        }
        // VkRunner writes the size alone.
        Some(word) if word.starts_with(|c: char| c.is_ascii_digit()) => {
            parse_size(parser, buffer, words)
        }
        Some("data" | "subdata") => {
            words.next_word("data")?;
            let data = parse_data(words, layout)?;
            push_buffer_data(parser, buffer, data, words)
        }
        Some("fill") => {
            words.next_word("fill")?;
            let ty = parse_type(words)?;
            let data = parse_values(words, ty, layout, 0)?;
            parser.push_command(words, Command::BufferFill { buffer, data })
        }
        Some("sequence") => {
            words.next_word("sequence")?;
            let sequence = parse_sequence(words, layout)?;
            check_buffer_end(words, sequence.end())?;
            parser.grow_buffer(buffer, sequence.end());
            parser.push_command(words, Command::BufferSequence { buffer, sequence })
        }
        Some("address") => {
            words.next_word("address")?;
            let offset = parse_offset(words)?;
            let addresses = parse_addresses(parser, words, usize::MAX)?;
            let end = offset + 8 * addresses.len() as u64;
            check_buffer_end(words, end)?;
            parser.grow_buffer(buffer, end);
            let command = Command::BufferAddresses {
                buffer,
                offset,
                addresses,
            };
            parser.push_command(words, command)
        }
        _ => Err(words
            .error_at_next("expected `size`, `data`, `subdata`, `fill`, `sequence` or `address`")),
    }
}

/// Consumes the size of a buffer in bytes at the end of the line, and grows the buffer to it.
/// Returns an error if it is not from 1 to [`MAX_BUFFER`].
fn parse_size(
    parser: &mut TestParser,
    buffer: BufferId,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let what = format!("a size from 1 to {MAX_BUFFER}");
    let size = words.parse_unsigned(&what)?;
    if size == 0 || size > MAX_BUFFER {
        return Err(words.error_at_last(format!("{size} is not {what}")));
    }
    parser.grow_buffer(buffer, size);
    words.expect_end()
}

/// Grows a buffer to the end of some values, and appends the command that writes them. Returns an
/// error if the buffer would exceed [`MAX_BUFFER`], or if words remain.
fn push_buffer_data(
    parser: &mut TestParser,
    buffer: BufferId,
    data: TypedData,
    words: &WordCursor<'_>,
) -> Result<(), LineError> {
    check_buffer_end(words, data.end())?;
    parser.grow_buffer(buffer, data.end());
    parser.push_command(words, Command::BufferData { buffer, data })
}

/// Parses `print buffer NAME TYPE OFFSET COUNT [hex]`, `print ssbo|ubo|counter|xfb TYPE BINDING
/// OFFSET COUNT [hex]`, and `print image ...` by [`parse_image_print`]; appends the command.
pub(super) fn parse_print(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if words.take_if("image").is_some() {
        return parse_image_print(parser, words);
    }
    let (buffer, ty, layout) = parse_source(parser, words)?;
    let offset = parse_offset(words)?;
    let count = parse_count(words, MAX_PRINTED)?;
    let radix = match words.take_if("hex") {
        Some(()) => Radix::Hexadecimal,
        None => Radix::Decimal,
    };
    parser.push_command(
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

/// Parses the arguments of `probe buffer NAME TYPE OFFSET OP VALUES...` or `probe
/// ssbo|ubo|counter|xfb TYPE BINDING OFFSET OP VALUES...`, and appends the command with the
/// tolerances in force.
pub(super) fn parse_buffer_probe(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let (buffer, ty, layout) = parse_source(parser, words)?;
    let offset = parse_offset(words)?;
    let comparison = words.parse_with("a comparison", ComparisonOp::parse)?;
    push_buffer_probe(parser, (buffer, offset), (ty, layout), comparison, words)
}

/// Parses the arguments of `probe atomic counter [buffer BINDING] INDEX OP VALUE`, as in piglit,
/// and appends the command.
pub(super) fn parse_atomic_probe(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    words.next_word("`atomic`")?;
    let source = parse_atomic_source(parser, words)?;
    let comparison = words.parse_with("a comparison", ComparisonOp::parse)?;
    let values = (COUNTER, DataLayout::STD430);
    push_buffer_probe(parser, source, values, comparison, words)
}

/// Parses the expected values of a probe to the end of the line, and appends the command that
/// compares them at an offset in a buffer, with the tolerances in force.
pub(super) fn push_buffer_probe(
    parser: &mut TestParser,
    (buffer, offset): (BufferId, u64),
    (ty, layout): (DataType, DataLayout),
    comparison: ComparisonOp,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let expected = parse_values(words, ty, layout, offset)?;
    parser.push_command(
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

/// Parses the arguments of `bind ubo|ssbo [SET:]BINDING NAME [OFFSET [SIZE]]`, `bind counter|xfb
/// BINDING ...`, `bind buffer_STAGE INDEX ...` or `bind image ...`, and appends the command.
/// Returns an error for transform feedback buffers at offsets that are not multiples of 4.
pub(super) fn parse_bind(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if words.take_if("image").is_some() {
        return parse_bind_image(parser, words);
    }
    let target = parse_bind_target(words)?;
    let range = parse_range(parser, words)?;
    if target.kind() == BufferKind::Feedback && !range.offset.is_multiple_of(4) {
        let message = "transform feedback buffers start at multiples of 4 bytes";
        return Err(words.error_at_last(message));
    }
    parser.push_command(words, Command::BindBuffer { target, range })
}

/// Consumes the bind target of a `bind` command: its kind, or `buffer_` with the suffix of a stage,
/// and a descriptor slot or a number.
fn parse_bind_target(words: &mut WordCursor<'_>) -> Result<BindTarget, LineError> {
    let what = "ubo, ssbo, counter, xfb, image, or buffer_ with vp, tcp, tep, gp, fp or cp";
    let bound = |words: &mut WordCursor<'_>, kind| {
        let (set, binding) = parse_slot(words)?;
        Ok(BindTarget::Descriptor { kind, set, binding })
    };
    match words.next_word(what)? {
        "ubo" => bound(words, BufferKind::Uniform),
        "ssbo" => bound(words, BufferKind::Storage),
        "counter" => Ok(BindTarget::Descriptor {
            kind: BufferKind::AtomicCounter,
            set: 0,
            binding: parse_counter_number(words)?,
        }),
        "xfb" => Ok(BindTarget::Descriptor {
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

/// Type of a counter.
pub(super) const COUNTER: DataType = DataType {
    scalar: Scalar::U32,
    columns: 1,
    rows: 1,
};

/// Parses the arguments of `atomic counters COUNT` or `atomic counter buffer BINDING COUNT`, which
/// grow a buffer of atomic counters, or of `atomic counter BINDING INDEX VALUE`, whose command is
/// appended; as in piglit.
pub(super) fn parse_atomic(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    if words.take_if("counters").is_some() {
        let buffer = counter_buffer(parser, 0);
        return parse_counters(parser, buffer, words);
    }
    words.parse_with("`counter` or `counters`", |word| {
        (word == "counter").then_some(())
    })?;
    if words.take_if("buffer").is_some() {
        let buffer = parse_counter_binding(parser, words)?;
        return parse_counters(parser, buffer, words);
    }
    let buffer = parse_counter_binding(parser, words)?;
    let data = parse_counter_value(words)?;
    parser.grow_buffer(buffer, data.end());
    parser.push_command(words, Command::BufferData { buffer, data })
}

/// Returns the buffer of atomic counters with a binding, which is created if it is new.
fn counter_buffer(parser: &mut TestParser, binding: u32) -> BufferId {
    parser.find_or_add_buffer(BufferKey::Descriptor {
        kind: BufferKind::AtomicCounter,
        set: 0,
        binding,
    })
}

/// Consumes the number of counters at the end of the line, and grows the buffer to hold them.
fn parse_counters(
    parser: &mut TestParser,
    buffer: BufferId,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let count = words.parse_with("a number of counters", |word| {
        word.parse::<u64>()
            .ok()
            .filter(|count| (1..=65536).contains(count))
    })?;
    parser.grow_buffer(buffer, 4 * count);
    words.expect_end()
}

/// Consumes `INDEX VALUE` up to the end of the line, and returns the value at the offset of the
/// counter.
fn parse_counter_value(words: &mut WordCursor<'_>) -> Result<TypedData, LineError> {
    let offset = parse_counter_index(words)?;
    parse_values(words, COUNTER, DataLayout::STD430, offset)
}

/// Consumes the index of a counter in its buffer, less than 65536, and returns its offset in bytes.
fn parse_counter_index(words: &mut WordCursor<'_>) -> Result<u64, LineError> {
    words.parse_with("the number of a counter", |word| {
        word.parse::<u64>()
            .ok()
            .filter(|index| *index < 65536)
            .map(|index| 4 * index)
    })
}

/// Consumes `counter [buffer BINDING] INDEX`, and returns the buffer, by default that of binding 0,
/// and the offset of the counter in bytes. The buffer is added to the script if it is new.
pub(super) fn parse_atomic_source(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(BufferId, u64), LineError> {
    words.parse_with("`counter`", |word| (word == "counter").then_some(()))?;
    let buffer = match words.take_if("buffer") {
        Some(()) => parse_counter_binding(parser, words)?,
        None => counter_buffer(parser, 0),
    };
    Ok((buffer, parse_counter_index(words)?))
}
