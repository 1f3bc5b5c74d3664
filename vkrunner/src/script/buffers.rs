//! Commands about buffers: `buffer`, `ssbo`, `ubo`, `uniform`, `push`, `print`.

use super::command::{BufferId, BufferKey, BufferKind, Command};
use super::state::parse_buffer_name;
use super::test::TestParser;
use super::words::{LineError, Words};
use crate::data::{DataLayout, DataRange, DataType, MajorAxis, Packing, TypedData};

/// Largest buffer that a script may ask for.
const MAX_BUFFER: u64 = 1 << 30;
/// Largest push constant block that a script may ask for.
const MAX_PUSH: u64 = 256;
/// Values that `print` writes at most.
const MAX_PRINTED: u64 = 65536;

/// `buffer NAME size BYTES`, `buffer NAME data|subdata TYPE OFFSET VALUES...`
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
    let (set, binding) = words.parse_with("a binding", |word| match word.split_once(':') {
        Some((set, binding)) => Some((
            set.parse().ok().filter(|set| *set < 4)?,
            binding.parse().ok()?,
        )),
        None => Some((0, word.parse().ok()?)),
    })?;
    Ok(parser.buffer(BufferKey::Bound { kind, set, binding }))
}

/// The rest of a line that sets the size or contents of a buffer.
fn parse_contents(
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
        _ => Err(words.error_at_next("expected `size` or `subdata`")),
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
    if data.end() > MAX_BUFFER {
        return Err(words.error_at_last(format!("buffers have at most {MAX_BUFFER} bytes")));
    }
    grow(parser, buffer, data.end());
    parser.push(words, Command::BufferData { buffer, data })
}

fn grow(parser: &mut TestParser, buffer: BufferId, size: u64) {
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

/// Takes values to the end of the line: whole elements of the type.
pub(super) fn parse_values(
    words: &mut Words<'_>,
    ty: DataType,
    layout: DataLayout,
    offset: u64,
) -> Result<TypedData, LineError> {
    let mut bits = Vec::with_capacity(words.remaining());
    while !words.is_empty() {
        bits.push(words.parse_with("a value of the type", |word| ty.scalar.parse_bits(word))?);
    }
    if bits.is_empty() || bits.len() % ty.components() != 0 {
        let message = format!(
            "expected a multiple of {} values, got {}",
            ty.components(),
            bits.len()
        );
        return Err(words.error_at_next(message));
    }
    Ok(TypedData {
        ty,
        layout,
        offset,
        bits,
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

/// `print buffer NAME TYPE OFFSET COUNT`, `print ssbo TYPE [SET:]BINDING OFFSET COUNT`
pub(super) fn parse_print(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let (buffer, ty, layout) = parse_source(parser, words)?;
    let offset = parse_offset(words)?;
    let what = format!("a count from 1 to {MAX_PRINTED}");
    let count = words.parse_with(&what, |word| {
        word.parse()
            .ok()
            .filter(|count| (1..=MAX_PRINTED).contains(count))
    })?;
    parser.push(
        words,
        Command::PrintBuffer {
            buffer,
            range: DataRange {
                ty,
                layout,
                offset,
                count: count as usize,
            },
        },
    )
}

/// Takes `buffer NAME TYPE` or `ssbo TYPE [SET:]BINDING`: what `probe` and `print` read.
pub(super) fn parse_source(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(BufferId, DataType, DataLayout), LineError> {
    match words.word("`buffer` or `ssbo`")? {
        "buffer" => {
            let name = parse_buffer_name(words)?;
            let ty = parse_type(words)?;
            Ok((
                parser.buffer(BufferKey::Named(name)),
                ty,
                DataLayout::STD430,
            ))
        }
        "ssbo" => {
            let ty = parse_type(words)?;
            let buffer = parse_bound(parser, BufferKind::Storage, words)?;
            Ok((buffer, ty, parser.storage_layout))
        }
        _ => Err(words.error_at_last("expected `buffer` or `ssbo`")),
    }
}
