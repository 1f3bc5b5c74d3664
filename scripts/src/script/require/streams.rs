//! `stream_output` and `stream_stride`.

use crate::script::captures::StreamOutput;
use crate::script::requirements::Requirements;
use crate::script::words::{LineError, Words};

/// Buffers that can be named, as in Gallium.
const MAX_BUFFERS: u32 = 4;

/// Vertex streams that can be named, similarly.
const MAX_STREAMS: u32 = 4;

/// Outputs that a script can list.
const MAX_OUTPUTS: usize = 256;

/// Words of a vertex in a buffer at most.
const MAX_WORDS: u32 = 1 << 14;

/// Parses `stream_output REGISTER FIRST COUNT BUFFER OFFSET [STREAM]`.
pub(super) fn parse_output(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let line = requirements.line;
    let outputs = &mut requirements.streams.outputs;
    if outputs.len() == MAX_OUTPUTS {
        return Err(words.error_at_last(format!("at most {MAX_OUTPUTS} outputs are captured")));
    }
    let register = words.unsigned32("the number of an output register")?;
    let first = words.parse_with("a first component, 0 to 3", |word| below(word, 4))?;
    let what = format!("a number of components, 1 to {}", 4 - first);
    let count = words.parse_with(&what, |word| {
        below(word, 5 - first).filter(|count| *count > 0)
    })?;
    let buffer = parse_buffer(words)?;
    let what = format!("a number of words, below {MAX_WORDS}");
    let offset = words.parse_with(&what, |word| below(word, MAX_WORDS))?;
    let stream = if words.is_empty() {
        0
    } else {
        words.parse_with("a stream, 0 to 3", |word| below(word, MAX_STREAMS))?
    };
    outputs.push(StreamOutput {
        line,
        register,
        first: first as u8,
        count: count as u8,
        buffer,
        offset,
        stream,
    });
    Ok(())
}

/// Parses `stream_stride BUFFER WORDS`.
pub(super) fn parse_stride(
    requirements: &mut Requirements,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let buffer = parse_buffer(words)? as usize;
    let what = format!("a number of words, 1 to {MAX_WORDS}");
    let stride = words.parse_with(&what, |word| {
        below(word, MAX_WORDS + 1).filter(|count| *count > 0)
    })?;
    let strides = &mut requirements.streams.strides;
    strides.resize(strides.len().max(buffer + 1), 0);
    strides[buffer] = stride;
    Ok(())
}

fn parse_buffer(words: &mut Words<'_>) -> Result<u32, LineError> {
    words.parse_with("a buffer, 0 to 3", |word| below(word, MAX_BUFFERS))
}

fn below(word: &str, end: u32) -> Option<u32> {
    word.parse().ok().filter(|number| *number < end)
}
