//! Commands about the contents of buffers: `buffer`, `ssbo`, `ubo`, `counter`, `uniform`, `push`, `print`.

use super::parser::TestParser;
use super::places::{
    parse_addresses, parse_bound, parse_buffer_name, parse_counter_binding, parse_source,
};
use super::textures::images::parse_image_print;
use super::values::{
    MAX_BUFFER, check_end, parse_count, parse_data, parse_layout, parse_offset, parse_sequence,
    parse_type, parse_values,
};
use crate::data::{DataLayout, DataRange, Radix, TypedData};
use crate::script::command::{BufferId, BufferKey, BufferKind, Command};
use crate::script::requirements::Convention;
use crate::script::words::{LineError, Words};

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
        // piglit sets uniforms of GLSL by their name, VkRunner push constants by their offset: the second word tells which it is.
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

/// `print buffer NAME TYPE OFFSET COUNT [hex]`, `print ssbo|ubo|counter|xfb TYPE BINDING OFFSET COUNT [hex]`
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
