//! Buffers and ranges of them.

use super::parser::TestParser;
use super::values::{parse_offset, parse_type};
use crate::data::{DataLayout, DataType};
use crate::script::command::{BufferAddress, BufferId, BufferKey, BufferKind, BufferRange};
use crate::script::names::is_identifier;
use crate::script::words::{LineError, Words, parse_unsigned};

/// Bindings of a descriptor set.
const MAX_BINDINGS: u32 = 1024;

/// Maximum number of transform feedback buffers in a script; no device has more.
const MAX_FEEDBACK_BUFFERS: u32 = 16;

/// First words of [`parse_source`].
const SOURCES: &str = "`buffer`, `ssbo`, `ubo`, `counter` or `xfb`";

/// Parses the name of a buffer.
pub(super) fn parse_buffer_name(words: &mut Words<'_>) -> Result<String, LineError> {
    words.parse_with("a buffer name", |word| {
        is_identifier(word).then(|| word.to_owned())
    })
}

/// Parses the numbers `[SET:]BINDING`.
pub(super) fn parse_slot(words: &mut Words<'_>) -> Result<(u32, u32), LineError> {
    let binding = |word: &str| word.parse().ok().filter(|binding| *binding < MAX_BINDINGS);
    words.parse_with("a binding", |word| match word.split_once(':') {
        Some((set, number)) => Some((set.parse().ok().filter(|set| *set < 4)?, binding(number)?)),
        None => Some((0, binding(word)?)),
    })
}

/// Parses `[SET:]BINDING`.
pub(super) fn parse_bound(
    parser: &mut TestParser,
    kind: BufferKind,
    words: &mut Words<'_>,
) -> Result<BufferId, LineError> {
    let (set, binding) = parse_slot(words)?;
    Ok(parser.buffer(BufferKey::Bound { kind, set, binding }))
}

/// Parses the number of a buffer of atomic counters.
pub(super) fn parse_counter_number(words: &mut Words<'_>) -> Result<u32, LineError> {
    words.parse_with("the number of a counter buffer", |word| {
        word.parse().ok().filter(|binding| *binding < MAX_BINDINGS)
    })
}

/// Parses the number of a buffer of atomic counters that is named after it.
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

/// Parses the number of a transform feedback buffer.
pub(super) fn parse_feedback_number(words: &mut Words<'_>) -> Result<u32, LineError> {
    let what = format!("the number of a transform feedback buffer, below {MAX_FEEDBACK_BUFFERS}");
    words.parse_with(&what, |word| {
        word.parse()
            .ok()
            .filter(|number| *number < MAX_FEEDBACK_BUFFERS)
    })
}

/// Parses the number of a transform feedback buffer that is named after it.
pub(super) fn parse_feedback_buffer(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<BufferId, LineError> {
    let binding = parse_feedback_number(words)?;
    Ok(parser.buffer(BufferKey::Bound {
        kind: BufferKind::Feedback,
        set: 0,
        binding,
    }))
}

/// Parses `NAME [OFFSET]`.
fn parse_start(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(BufferId, u64), LineError> {
    let name = parse_buffer_name(words)?;
    let buffer = parser.buffer(BufferKey::Named(name));
    let offset = if words.is_empty() {
        0
    } else {
        parse_offset(words)?
    };
    Ok((buffer, offset))
}

/// Parses `NAME [OFFSET [SIZE]]`.
pub(super) fn parse_range(
    parser: &mut TestParser,
    words: &mut Words<'_>,
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
    parser.note_range(range);
    Ok(range)
}

/// Parses `NAME [OFFSET]`: the location of the numbers of work groups.
pub(super) fn parse_indirect(
    parser: &mut TestParser,
    words: &mut Words<'_>,
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
    parser.note_range(range);
    Ok(range)
}

/// Parses up to `limit` times `NAME [+OFFSET]`.
pub(super) fn parse_addresses(
    parser: &mut TestParser,
    words: &mut Words<'_>,
    limit: usize,
) -> Result<Vec<BufferAddress>, LineError> {
    let mut addresses = Vec::new();
    while addresses.is_empty() || (addresses.len() < limit && !words.is_empty()) {
        let name = parse_buffer_name(words)?;
        let buffer = parser.buffer(BufferKey::Named(name));
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

/// Parses `buffer NAME TYPE` or `ssbo|ubo|counter|xfb TYPE BINDING`: the source of `probe` and
/// `print`.
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
            let buffer = parse_feedback_buffer(parser, words)?;
            Ok((buffer, ty, DataLayout::STD430))
        }
        _ => Err(words.error_at_last(format!("expected {SOURCES}"))),
    }
}
