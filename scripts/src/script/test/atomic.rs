//! Atomic counters in piglit's form: `atomic`, and the source of `probe atomic`.

use super::parser::TestParser;
use super::places::parse_counter_binding;
use super::values::parse_values;
use crate::data::{DataLayout, DataType, Scalar, TypedData};
use crate::script::command::{BufferId, BufferKey, BufferKind, Command};
use crate::script::words::{LineError, Words};

/// Type of a counter.
pub(super) const COUNTER: DataType = DataType {
    scalar: Scalar::U32,
    columns: 1,
    rows: 1,
};

/// Parses `atomic counters COUNT`, `atomic counter buffer BINDING COUNT`, `atomic counter BINDING
/// INDEX VALUE`, as in piglit.
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
    parser.grow(buffer, data.end());
    parser.push(words, Command::BufferData { buffer, data })
}

fn counter_buffer(parser: &mut TestParser, binding: u32) -> BufferId {
    parser.buffer(BufferKey::Bound {
        kind: BufferKind::Counter,
        set: 0,
        binding,
    })
}

/// Parses a number of counters to the end of the line.
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
    parser.grow(buffer, 4 * count);
    words.finish()
}

/// Parses `INDEX VALUE`.
fn parse_counter_value(words: &mut Words<'_>) -> Result<TypedData, LineError> {
    let offset = parse_counter_index(words)?;
    parse_values(words, COUNTER, DataLayout::STD430, offset)
}

/// Parses the number of a counter; returns its offset.
fn parse_counter_index(words: &mut Words<'_>) -> Result<u64, LineError> {
    words.parse_with("the number of a counter", |word| {
        word.parse::<u64>()
            .ok()
            .filter(|index| *index < 65536)
            .map(|index| 4 * index)
    })
}

/// Parses `counter [buffer BINDING] INDEX`: the counters that piglit's `probe atomic` compares.
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
