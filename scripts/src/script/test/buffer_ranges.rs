//! Buffers, ranges of them, and the types, offsets and values in them.

use super::parser::TestParser;
use crate::data::{DataLayout, DataType, Literal, MajorAxis, Packing, Sequence, TypedData};
use crate::script::command::{BufferAddress, BufferId, BufferKey, BufferKind, BufferRange};
use crate::script::tokenizer::{LineError, WordCursor, parse_unsigned};
use crate::script::vertex_data::is_identifier;

/// Bindings of a descriptor set.
const MAX_BINDINGS: u32 = 1024;

/// Maximum number of transform feedback buffers in a script; no device has more.
const MAX_FEEDBACK_BUFFERS: u32 = 16;

/// First words of [`parse_source`].
const SOURCE_KEYWORDS: &str = "`buffer`, `ssbo`, `ubo`, `counter` or `xfb`";

/// Consumes the name of a buffer, an identifier.
pub(super) fn parse_buffer_name(words: &mut WordCursor<'_>) -> Result<String, LineError> {
    words.parse_with("a buffer name", |word| {
        is_identifier(word).then(|| word.to_owned())
    })
}

/// Consumes `[SET:]BINDING` and returns the descriptor set, from 0 to 3 and by default 0, and the
/// binding, less than [`MAX_BINDINGS`].
pub(super) fn parse_slot(words: &mut WordCursor<'_>) -> Result<(u32, u32), LineError> {
    let binding = |word: &str| word.parse().ok().filter(|binding| *binding < MAX_BINDINGS);
    words.parse_with("a binding", |word| match word.split_once(':') {
        Some((set, number)) => Some((set.parse().ok().filter(|set| *set < 4)?, binding(number)?)),
        None => Some((0, binding(word)?)),
    })
}

/// Consumes `[SET:]BINDING` and returns the buffer of this kind with that binding, which is added
/// to the script if it is new.
pub(super) fn parse_binding(
    parser: &mut TestParser,
    kind: BufferKind,
    words: &mut WordCursor<'_>,
) -> Result<BufferId, LineError> {
    let (set, binding) = parse_slot(words)?;
    Ok(parser.find_or_add_buffer(BufferKey::Descriptor { kind, set, binding }))
}

/// Consumes the binding number of a buffer of atomic counters.
pub(super) fn parse_counter_number(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    words.parse_with("the number of a counter buffer", |word| {
        word.parse().ok().filter(|binding| *binding < MAX_BINDINGS)
    })
}

/// Consumes the binding number of a buffer of atomic counters and returns the buffer, which is
/// added to the script if it is new.
pub(super) fn parse_counter_binding(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<BufferId, LineError> {
    let binding = parse_counter_number(words)?;
    Ok(parser.find_or_add_buffer(BufferKey::Descriptor {
        kind: BufferKind::AtomicCounter,
        set: 0,
        binding,
    }))
}

/// Consumes the binding number of a transform feedback buffer. Returns an error from
/// [`MAX_FEEDBACK_BUFFERS`] on.
pub(super) fn parse_feedback_number(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    let what = format!("the number of a transform feedback buffer, below {MAX_FEEDBACK_BUFFERS}");
    words.parse_with(&what, |word| {
        word.parse()
            .ok()
            .filter(|number| *number < MAX_FEEDBACK_BUFFERS)
    })
}

/// Consumes the binding number of a transform feedback buffer and returns the buffer that is named
/// after it, which is added to the script if it is new.
pub(super) fn parse_feedback_buffer(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<BufferId, LineError> {
    let binding = parse_feedback_number(words)?;
    Ok(parser.find_or_add_buffer(BufferKey::Descriptor {
        kind: BufferKind::Feedback,
        set: 0,
        binding,
    }))
}

/// Consumes `NAME [OFFSET]` and returns the buffer, which is added to the script if it is new, and
/// the offset in bytes, by default 0.
fn parse_start(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(BufferId, u64), LineError> {
    let name = parse_buffer_name(words)?;
    let buffer = parser.find_or_add_buffer(BufferKey::Named(name));
    let offset = if words.is_empty() {
        0
    } else {
        parse_offset(words)?
    };
    Ok((buffer, offset))
}

/// Consumes `NAME [OFFSET [SIZE]]`, in bytes, and returns the range. Records it, so that the buffer
/// is made large enough.
pub(super) fn parse_range(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<BufferRange, LineError> {
    let (buffer, offset) = parse_start(parser, words)?;
    let size = if words.is_empty() {
        None
    } else {
        Some(words.parse_with("a size in bytes", |word| {
            word.parse().ok().filter(|size| *size > 0)
        })?)
    };
    let range = BufferRange {
        buffer,
        offset,
        size,
    };
    parser.record_range(range);
    Ok(range)
}

/// Consumes `NAME [OFFSET]`, the location of the numbers of work groups, and returns their range of
/// 12 bytes. Records it, so that the buffer is made large enough. Returns an error if the offset is
/// not a multiple of 4.
pub(super) fn parse_indirect(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<BufferRange, LineError> {
    let (buffer, offset) = parse_start(parser, words)?;
    if !offset.is_multiple_of(4) {
        return Err(words.error_at_last("numbers of work groups start at multiples of 4 bytes"));
    }
    let range = BufferRange {
        buffer,
        offset,
        size: Some(12),
    };
    parser.record_range(range);
    Ok(range)
}

/// Consumes `NAME [+OFFSET]` at least once and at most `limit` times, and returns the addresses.
/// Buffers are added to the script if they are new.
pub(super) fn parse_addresses(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
    limit: usize,
) -> Result<Vec<BufferAddress>, LineError> {
    let mut addresses = Vec::new();
    while addresses.is_empty() || (addresses.len() < limit && !words.is_empty()) {
        let name = parse_buffer_name(words)?;
        let buffer = parser.find_or_add_buffer(BufferKey::Named(name));
        let offset = match words.peek() {
            Some(word) if word.starts_with('+') => {
                words.parse_with("an offset", |word| parse_unsigned(word.strip_prefix('+')?))?
            }
            _ => 0,
        };
        addresses.push(BufferAddress { buffer, offset });
    }
    Ok(addresses)
}

/// Consumes the source of `probe` and `print`, `buffer NAME TYPE` or `ssbo|ubo|counter|xfb TYPE
/// BINDING`, and returns it with the type and the layout in force. The buffer is added to the
/// script if it is new.
pub(super) fn parse_source(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(BufferId, DataType, DataLayout), LineError> {
    match words.next_word(SOURCE_KEYWORDS)? {
        "buffer" => {
            let name = parse_buffer_name(words)?;
            let ty = parse_type(words)?;
            let buffer = parser.find_or_add_buffer(BufferKey::Named(name));
            Ok((buffer, ty, DataLayout::STD430))
        }
        "ssbo" => {
            let ty = parse_type(words)?;
            let buffer = parse_binding(parser, BufferKind::Storage, words)?;
            Ok((buffer, ty, parser.storage_layout))
        }
        "ubo" => {
            let ty = parse_type(words)?;
            let buffer = parse_binding(parser, BufferKind::Uniform, words)?;
            Ok((buffer, ty, parser.uniform_layout))
        }
        "counter" => {
            let ty = parse_type(words)?;
            let buffer = parse_counter_binding(parser, words)?;
            Ok((buffer, ty, DataLayout::STD430))
        }
        "xfb" => {
            let ty = parse_type(words)?;
            let buffer = parse_feedback_buffer(parser, words)?;
            Ok((buffer, ty, DataLayout::STD430))
        }
        _ => Err(words.error_at_last(format!("expected {SOURCE_KEYWORDS}"))),
    }
}

/// Bytes that the buffers of a script may have, alone and together.
pub(super) const MAX_BUFFER: u64 = 1 << 30;

/// Numbers that a line may denote.
const MAX_NUMBERS: u64 = 1 << 24;

/// Consumes the name of a type, as in GLSL.
pub(super) fn parse_type(words: &mut WordCursor<'_>) -> Result<DataType, LineError> {
    words.parse_with("a type", DataType::parse)
}

/// Consumes an offset in a buffer in bytes. Returns an error if it exceeds [`MAX_BUFFER`].
pub(super) fn parse_offset(words: &mut WordCursor<'_>) -> Result<u64, LineError> {
    let offset = words.parse_unsigned("a byte offset")?;
    if offset > MAX_BUFFER {
        return Err(words.error_at_last(format!("buffers have at most {MAX_BUFFER} bytes")));
    }
    Ok(offset)
}

/// Consumes `TYPE OFFSET VALUES...` up to the end of the line and returns the values with their
/// layout.
pub(super) fn parse_data(
    words: &mut WordCursor<'_>,
    layout: DataLayout,
) -> Result<TypedData, LineError> {
    let ty = parse_type(words)?;
    let offset = parse_offset(words)?;
    parse_values(words, ty, layout, offset)
}

/// Consumes values up to the end of the line, whole elements of the type, or up to `x TIMES`, which
/// repeats them all. Returns an error if there are none or if the last element is incomplete.
pub(super) fn parse_values(
    words: &mut WordCursor<'_>,
    ty: DataType,
    layout: DataLayout,
    offset: u64,
) -> Result<TypedData, LineError> {
    let mut literals = Vec::with_capacity(words.remaining());
    // No value begins with `x`, so the word after it is the number of repetitions.
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
    let times = match words.take_if("x") {
        Some(()) => parse_count(words, MAX_NUMBERS / literals.len() as u64)?,
        None => 1,
    };
    Ok(TypedData {
        ty,
        layout,
        offset,
        literals,
        repeat_count: times,
    })
}

/// Consumes a count from 1 to `limit`.
pub(super) fn parse_count(words: &mut WordCursor<'_>, limit: u64) -> Result<usize, LineError> {
    let what = format!("a count from 1 to {limit}");
    words.parse_with(&what, |word| {
        let count = word.parse().ok();
        let count = count.filter(|count| (1..=limit).contains(count))?;
        usize::try_from(count).ok()
    })
}

/// Returns an error at the last consumed word if a buffer that ends at byte `end` exceeds
/// [`MAX_BUFFER`].
pub(super) fn check_buffer_end(words: &WordCursor<'_>, end: u64) -> Result<(), LineError> {
    if end > MAX_BUFFER {
        Err(words.error_at_last(format!("buffers have at most {MAX_BUFFER} bytes")))
    } else {
        Ok(())
    }
}

/// Consumes `TYPE OFFSET COUNT [START [STEP]]` and returns the numbers; START is by default 0 and
/// STEP 1.
pub(super) fn parse_sequence(
    words: &mut WordCursor<'_>,
    layout: DataLayout,
) -> Result<Sequence, LineError> {
    let ty = parse_type(words)?;
    let offset = parse_offset(words)?;
    let count = parse_count(words, MAX_NUMBERS / ty.components() as u64)?;
    let mut number = |default: &str| {
        if words.is_empty() {
            Ok(ty.scalar.parse_bits(default).unwrap_or_default())
        } else {
            words.parse_with("a number of the type", |word| ty.scalar.parse_bits(word))
        }
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

/// Consumes `[std140|std430] [row_major|column_major]` up to the end of the line, in any order. The
/// packing is by default that of `default`, matrices are column-major.
pub(super) fn parse_layout(
    words: &mut WordCursor<'_>,
    default: DataLayout,
) -> Result<DataLayout, LineError> {
    let mut layout = DataLayout {
        major: MajorAxis::Column,
        ..default
    };
    while !words.is_empty() {
        match words.next_word("a layout")? {
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
