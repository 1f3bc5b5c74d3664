//! Commands that say where programs find buffers: `bind`, addresses, and piglit's `atomic`.

use super::buffers::{
    grow, parse_counter_binding, parse_counter_number, parse_offset, parse_slot, parse_values,
};
use super::command::{
    BindTarget, BufferAddress, BufferId, BufferKey, BufferKind, BufferRange, Command,
};
use super::state::{parse_buffer_name, parse_stage_suffix};
use super::test::TestParser;
use super::words::{LineError, Words};
use super::{ScriptError, buffers::MAX_BUFFER, textures};
use crate::data::{DataLayout, DataType, Scalar, TypedData};

/// Buffers that a script can have.
pub(super) const MAX_BUFFERS: usize = 1024;
/// Parameter buffers of a program at most.
const MAX_PARAM_BUFFERS: u32 = 16;

/// `bind ubo|ssbo [SET:]BINDING NAME [OFFSET [SIZE]]`, `bind counter|xfb BINDING ...`, `bind buffer_STAGE INDEX ...`, `bind image ...`
pub(super) fn parse_bind(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("image").is_some() {
        return textures::parse_bind_image(parser, words);
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
            binding: super::feedback::parse_number(words)?,
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

/// Takes `NAME [OFFSET]`.
fn parse_start(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(BufferId, u64), LineError> {
    let name = parse_buffer_name(words)?;
    let buffer = parser.buffer(BufferKey::Named(name));
    let offset = match words.is_empty() {
        true => 0,
        false => parse_offset(words)?,
    };
    Ok((buffer, offset))
}

/// Takes `NAME [OFFSET [SIZE]]`.
pub(super) fn parse_range(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<BufferRange, LineError> {
    let (buffer, offset) = parse_start(parser, words)?;
    let size = match words.is_empty() {
        true => None,
        false => Some(words.parse_with("a size in bytes", |word| {
            word.parse().ok().filter(|size| *size > 0)
        })?),
    };
    let range = BufferRange {
        buffer,
        offset,
        size,
    };
    parser.note_range(range);
    Ok(range)
}

/// Takes `NAME [OFFSET]`, where the numbers of work groups are.
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

/// Takes up to `limit` times `NAME [+OFFSET]`.
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
            Some(word) if word.starts_with('+') => words.parse_with("an offset", |word| {
                super::words::parse_unsigned(word.strip_prefix('+')?)
            })?,
            _ => 0,
        };
        addresses.push(BufferAddress { buffer, offset });
    }
    Ok(addresses)
}

/// `atomic counters COUNT`, `atomic counter buffer BINDING COUNT`, `atomic counter BINDING INDEX VALUE`, as in piglit.
pub(super) fn parse_atomic(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    if words.take("counters").is_some() {
        let buffer = counter_buffer(parser, 0);
        return parse_counters(parser, buffer, words);
    }
    words.parse_with("`counter` or `counters`", |word| {
        (word == "counter").then_some(())
    })?;
    if words.take("buffer").is_some() {
        let buffer = parse_counter_binding(parser, words)?;
        return parse_counters(parser, buffer, words);
    }
    let buffer = parse_counter_binding(parser, words)?;
    let data = parse_counter_value(words)?;
    grow(parser, buffer, data.end());
    parser.push(words, Command::BufferData { buffer, data })
}

fn counter_buffer(parser: &mut TestParser, binding: u32) -> BufferId {
    parser.buffer(BufferKey::Bound {
        kind: BufferKind::Counter,
        set: 0,
        binding,
    })
}

/// Takes a number of counters to the end of the line.
fn parse_counters(
    parser: &mut TestParser,
    buffer: BufferId,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let count = words.parse_with("a number of counters", |word| {
        word.parse::<u64>()
            .ok()
            .filter(|count| (1..=65536).contains(count))
    })?;
    grow(parser, buffer, 4 * count);
    words.finish()
}

/// Takes `INDEX VALUE`.
fn parse_counter_value(words: &mut Words<'_>) -> Result<TypedData, LineError> {
    let offset = parse_counter_index(words)?;
    parse_values(words, COUNTER, DataLayout::STD430, offset)
}

/// The type of a counter.
pub(super) const COUNTER: DataType = DataType {
    scalar: Scalar::U32,
    columns: 1,
    rows: 1,
};

/// Takes the number of a counter; gives its offset.
fn parse_counter_index(words: &mut Words<'_>) -> Result<u64, LineError> {
    words.parse_with("the number of a counter", |word| {
        word.parse::<u64>()
            .ok()
            .filter(|index| *index < 65536)
            .map(|index| 4 * index)
    })
}

/// Takes `counter [buffer BINDING] INDEX`: the counters that piglit's `probe atomic` compares.
pub(super) fn parse_atomic_source(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(BufferId, u64), LineError> {
    words.parse_with("`counter`", |word| (word == "counter").then_some(()))?;
    let buffer = match words.take("buffer") {
        Some(()) => parse_counter_binding(parser, words)?,
        None => counter_buffer(parser, 0),
    };
    Ok((buffer, parse_counter_index(words)?))
}

/// Checks sizes, which are known at the end of the section.
pub(super) fn check_buffers(parser: &TestParser, errors: &mut Vec<ScriptError>) {
    // A line that could not be read may have been the one that gives a buffer its size.
    if !errors.is_empty() {
        return;
    }
    let mut error = |line, message: String| errors.push(ScriptError::new(line, 1, message));
    if let Some(line) = parser.too_many_buffers {
        error(line, format!("scripts have at most {MAX_BUFFERS} buffers"));
        return;
    }
    let mut total = 0;
    for buffer in &parser.buffers {
        if buffer.size == 0 {
            let name = buffer.key.to_string();
            error(
                buffer.line,
                format!("{name} is given neither a size nor data"),
            );
        }
        total += buffer.size;
        if total > MAX_BUFFER {
            let message = format!("buffers have at most {MAX_BUFFER} bytes together");
            error(buffer.line, message);
            return;
        }
    }
    for (
        line,
        BufferRange {
            buffer,
            offset,
            size,
        },
    ) in &parser.ranges
    {
        let decl = &parser.buffers[buffer.0];
        let end = offset.saturating_add(size.unwrap_or(1));
        if end > decl.size {
            error(
                *line,
                format!(
                    "{} has {} bytes, but the part reaches to byte {end}",
                    decl.key, decl.size
                ),
            );
        }
    }
}
