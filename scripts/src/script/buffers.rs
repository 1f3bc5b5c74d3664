//! Commands about the contents of buffers: `buffer`, `ssbo`, `ubo`, `counter`, `uniform`, `push`, `print`.

use super::bindings::parse_addresses;
use super::command::{BufferId, BufferKey, BufferKind, Command};
use super::require::Convention;
use super::state::parse_buffer_name;
use super::test::TestParser;
use super::textures;
use super::words::{LineError, Words};
use crate::data::{
    DataLayout, DataRange, DataType, Literal, MajorAxis, Packing, Radix, Sequence, TypedData,
};

/// Bytes that the buffers of a script may have, alone and together.
pub(super) const MAX_BUFFER: u64 = 1 << 30;
/// Bindings of a descriptor set.
const MAX_BINDINGS: u32 = 1024;
/// Numbers that a line may stand for.
const MAX_NUMBERS: u64 = 1 << 24;
/// Largest push constant block that a script may ask for.
const MAX_PUSH: u64 = 256;
/// Values that `print` writes at most.
const MAX_PRINTED: u64 = 65536;

/// `buffer NAME` and what [`parse_contents`] reads.
pub(super) fn parse_buffer(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let name = parse_buffer_name(words)?;
    let buffer = parser.buffer(BufferKey::Named(name));
    parse_contents(parser, buffer, DataLayout::STD430, words)
}

/// `ssbo [SET:]BINDING ...`, `ssbo layout ...`
pub(super) fn parse_ssbo(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("layout").is_some() {
        parser.storage_layout = parse_layout(words, DataLayout::STD430)?;
        return words.finish();
    }
    let buffer = parse_bound(parser, BufferKind::Storage, words)?;
    parse_contents(parser, buffer, parser.storage_layout, words)
}

/// `counter BINDING ...`
pub(super) fn parse_counter(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let buffer = parse_counter_binding(parser, words)?;
    parse_contents(parser, buffer, DataLayout::STD430, words)
}

/// Takes the number of a buffer of atomic counters.
pub(super) fn parse_counter_number(words: &mut Words<'_>) -> Result<u32, LineError> {
    words.parse_with("the number of a counter buffer", |word| {
        word.parse().ok().filter(|binding| *binding < MAX_BINDINGS)
    })
}

/// Takes the number of a buffer of atomic counters that is called after it.
pub(super) fn parse_counter_binding(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<BufferId, LineError> {
    let binding = parse_counter_number(words)?;
    Ok(parser.buffer(BufferKey::Bound {
        kind: BufferKind::Counter,
        set: 0,
        binding,
    }))
}

/// `ubo [SET:]BINDING ...`, `ubo layout ...`
pub(super) fn parse_ubo(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("layout").is_some() {
        parser.uniform_layout = parse_layout(words, DataLayout::STD140)?;
        return words.finish();
    }
    let buffer = parse_bound(parser, BufferKind::Uniform, words)?;
    parse_contents(parser, buffer, parser.uniform_layout, words)
}

/// `uniform ubo BINDING TYPE OFFSET VALUES...`, `uniform TYPE OFFSET VALUES...`
pub(super) fn parse_uniform(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    if words.take("ubo").is_none() {
        let mut ahead = words.clone();
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

/// `push TYPE OFFSET VALUES...`, `push layout ...`
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

/// Takes `[SET:]BINDING`.
pub(super) fn parse_bound(
    parser: &mut TestParser,
    kind: BufferKind,
    words: &mut Words<'_>,
) -> Result<BufferId, LineError> {
    let (set, binding) = parse_slot(words)?;
    Ok(parser.buffer(BufferKey::Bound { kind, set, binding }))
}

/// Takes the numbers `[SET:]BINDING`.
pub(super) fn parse_slot(words: &mut Words<'_>) -> Result<(u32, u32), LineError> {
    let binding = |word: &str| word.parse().ok().filter(|binding| *binding < MAX_BINDINGS);
    words.parse_with("a binding", |word| match word.split_once(':') {
        Some((set, number)) => Some((set.parse().ok().filter(|set| *set < 4)?, binding(number)?)),
        None => Some((0, binding(word)?)),
    })
}

/// The rest of a line that sets the size or contents of a buffer.
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
            grow(parser, buffer, sequence.end());
            parser.push(words, Command::BufferSequence { buffer, sequence })
        }
        Some("address") => {
            words.word("address")?;
            let offset = parse_offset(words)?;
            let addresses = parse_addresses(parser, words, usize::MAX)?;
            let end = offset + 8 * addresses.len() as u64;
            check_end(words, end)?;
            grow(parser, buffer, end);
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

/// Takes `TYPE OFFSET COUNT [START [STEP]]`.
fn parse_sequence(words: &mut Words<'_>, layout: DataLayout) -> Result<Sequence, LineError> {
    let ty = parse_type(words)?;
    let offset = parse_offset(words)?;
    let count = parse_count(words, MAX_NUMBERS / ty.components() as u64)?;
    let mut number = |default: &str| match words.is_empty() {
        true => Ok(ty.scalar.parse_bits(default).unwrap_or_default()),
        false => words.parse_with("a number of the type", |word| ty.scalar.parse_bits(word)),
    };
    Ok(Sequence {
        ty,
        layout,
        offset,
        count,
        start: number("0")?,
        step: number("1")?,
    })
}

/// Takes a count of at least 1.
fn parse_count(words: &mut Words<'_>, limit: u64) -> Result<usize, LineError> {
    let what = format!("a count from 1 to {limit}");
    words.parse_with(&what, |word| {
        let count = word.parse().ok();
        let count = count.filter(|count| (1..=limit).contains(count))?;
        usize::try_from(count).ok()
    })
}

fn check_end(words: &Words<'_>, end: u64) -> Result<(), LineError> {
    match end > MAX_BUFFER {
        true => Err(words.error_at_last(format!("buffers have at most {MAX_BUFFER} bytes"))),
        false => Ok(()),
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
    grow(parser, buffer, size);
    words.finish()
}

fn store(
    parser: &mut TestParser,
    buffer: BufferId,
    data: TypedData,
    words: &Words<'_>,
) -> Result<(), LineError> {
    check_end(words, data.end())?;
    grow(parser, buffer, data.end());
    parser.push(words, Command::BufferData { buffer, data })
}

pub(super) fn grow(parser: &mut TestParser, buffer: BufferId, size: u64) {
    let known = &mut parser.buffers[buffer.0].size;
    *known = size.max(*known);
}

/// Takes `TYPE OFFSET VALUES...`.
fn parse_data(words: &mut Words<'_>, layout: DataLayout) -> Result<TypedData, LineError> {
    let ty = parse_type(words)?;
    let offset = parse_offset(words)?;
    parse_values(words, ty, layout, offset)
}

/// Takes a type name.
pub(super) fn parse_type(words: &mut Words<'_>) -> Result<DataType, LineError> {
    words.parse_with("a type", DataType::parse)
}

/// Takes an offset in a buffer.
pub(super) fn parse_offset(words: &mut Words<'_>) -> Result<u64, LineError> {
    let offset = words.unsigned("a byte offset")?;
    if offset > MAX_BUFFER {
        return Err(words.error_at_last(format!("buffers have at most {MAX_BUFFER} bytes")));
    }
    Ok(offset)
}

/// Takes values to the end of the line: whole elements of the type, and `x TIMES` to repeat them all.
pub(super) fn parse_values(
    words: &mut Words<'_>,
    ty: DataType,
    layout: DataLayout,
    offset: u64,
) -> Result<TypedData, LineError> {
    let mut literals = Vec::with_capacity(words.remaining());
    while words.peek().is_some_and(|word| word != "x") {
        literals.push(words.parse_with("a value of the type", |word| {
            Literal::parse(ty.scalar, word)
        })?);
    }
    if literals.is_empty() || literals.len() % ty.components() != 0 {
        let message = format!(
            "expected a multiple of {} values, got {}",
            ty.components(),
            literals.len()
        );
        return Err(words.error_at_next(message));
    }
    let times = match words.take("x") {
        Some(()) => parse_count(words, MAX_NUMBERS / literals.len() as u64)?,
        None => 1,
    };
    Ok(TypedData {
        ty,
        layout,
        offset,
        literals,
        times,
    })
}

/// Takes `[std140|std430] [row_major|column_major]`.
fn parse_layout(words: &mut Words<'_>, default: DataLayout) -> Result<DataLayout, LineError> {
    let mut layout = DataLayout {
        major: MajorAxis::Column,
        ..default
    };
    while !words.is_empty() {
        match words.word("a layout")? {
            "std140" => layout.packing = Packing::Std140,
            "std430" => layout.packing = Packing::Std430,
            "row_major" => layout.major = MajorAxis::Row,
            "column_major" => layout.major = MajorAxis::Column,
            _ => {
                return Err(
                    words.error_at_last("expected std140, std430, row_major or column_major")
                );
            }
        }
    }
    Ok(layout)
}

/// `print buffer NAME TYPE OFFSET COUNT [hex]`, `print ssbo|ubo|counter|xfb TYPE BINDING OFFSET COUNT [hex]`
pub(super) fn parse_print(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("image").is_some() {
        return textures::parse_image_print(parser, words);
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

/// First words of [`parse_source`].
pub(super) const SOURCES: &str = "`buffer`, `ssbo`, `ubo`, `counter` or `xfb`";

/// Takes `buffer NAME TYPE` or `ssbo|ubo|counter|xfb TYPE BINDING`: what `probe` and `print` read.
pub(super) fn parse_source(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(BufferId, DataType, DataLayout), LineError> {
    match words.word(SOURCES)? {
        "buffer" => {
            let name = parse_buffer_name(words)?;
            let ty = parse_type(words)?;
            let buffer = parser.buffer(BufferKey::Named(name));
            Ok((buffer, ty, DataLayout::STD430))
        }
        "ssbo" => {
            let ty = parse_type(words)?;
            let buffer = parse_bound(parser, BufferKind::Storage, words)?;
            Ok((buffer, ty, parser.storage_layout))
        }
        "ubo" => {
            let ty = parse_type(words)?;
            let buffer = parse_bound(parser, BufferKind::Uniform, words)?;
            Ok((buffer, ty, parser.uniform_layout))
        }
        "counter" => {
            let ty = parse_type(words)?;
            let buffer = parse_counter_binding(parser, words)?;
            Ok((buffer, ty, DataLayout::STD430))
        }
        "xfb" => {
            let ty = parse_type(words)?;
            let buffer = super::feedback::parse_buffer(parser, words)?;
            Ok((buffer, ty, DataLayout::STD430))
        }
        _ => Err(words.error_at_last(format!("expected {SOURCES}"))),
    }
}
