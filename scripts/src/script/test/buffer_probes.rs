//! Probes of buffers.

use super::atomic::{COUNTER, parse_atomic_source};
use super::parser::TestParser;
use super::places::parse_source;
use super::values::{parse_offset, parse_values};
use crate::data::{DataLayout, DataType};
use crate::probe::Comparison;
use crate::script::command::{BufferId, Command};
use crate::script::words::{LineError, Words};

/// `probe buffer NAME TYPE OFFSET OP VALUES...`, `probe ssbo|ubo|counter TYPE BINDING OFFSET OP VALUES...`
pub(super) fn parse_buffer_probe(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let (buffer, ty, layout) = parse_source(parser, words)?;
    let offset = parse_offset(words)?;
    let comparison = words.parse_with("a comparison", Comparison::parse)?;
    push_buffer_probe(parser, (buffer, offset), (ty, layout), comparison, words)
}

/// `probe atomic counter [buffer BINDING] INDEX OP VALUE`, as in piglit.
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

/// The rest of a probe of a place in a buffer: the expected values.
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
