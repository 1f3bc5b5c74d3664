//! Types, offsets and values in buffers.

use crate::data::{DataLayout, DataType, Literal, MajorAxis, Packing, Sequence, TypedData};
use crate::script::words::{LineError, Words};

/// Bytes that the buffers of a script may have, alone and together.
pub(super) const MAX_BUFFER: u64 = 1 << 30;

/// Numbers that a line may denote.
const MAX_NUMBERS: u64 = 1 << 24;

/// Parses a type name.
pub(super) fn parse_type(words: &mut Words<'_>) -> Result<DataType, LineError> {
    words.parse_with("a type", DataType::parse)
}

/// Parses an offset in a buffer.
pub(super) fn parse_offset(words: &mut Words<'_>) -> Result<u64, LineError> {
    let offset = words.unsigned("a byte offset")?;
    if offset > MAX_BUFFER {
        return Err(words.error_at_last(format!("buffers have at most {MAX_BUFFER} bytes")));
    }
    Ok(offset)
}

/// Parses `TYPE OFFSET VALUES...`.
pub(super) fn parse_data(
    words: &mut Words<'_>,
    layout: DataLayout,
) -> Result<TypedData, LineError> {
    let ty = parse_type(words)?;
    let offset = parse_offset(words)?;
    parse_values(words, ty, layout, offset)
}

/// Parses values to the end of the line: whole elements of the type, and `x TIMES` to repeat them
/// all.
pub(super) fn parse_values(
    words: &mut Words<'_>,
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

/// Parses a count of at least 1.
pub(super) fn parse_count(words: &mut Words<'_>, limit: u64) -> Result<usize, LineError> {
    let what = format!("a count from 1 to {limit}");
    words.parse_with(&what, |word| {
        let count = word.parse().ok();
        let count = count.filter(|count| (1..=limit).contains(count))?;
        usize::try_from(count).ok()
    })
}

pub(super) fn check_end(words: &Words<'_>, end: u64) -> Result<(), LineError> {
    if end > MAX_BUFFER {
        Err(words.error_at_last(format!("buffers have at most {MAX_BUFFER} bytes")))
    } else {
        Ok(())
    }
}

/// Parses `TYPE OFFSET COUNT [START [STEP]]`.
pub(super) fn parse_sequence(
    words: &mut Words<'_>,
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

/// Parses `[std140|std430] [row_major|column_major]`.
pub(super) fn parse_layout(
    words: &mut Words<'_>,
    default: DataLayout,
) -> Result<DataLayout, LineError> {
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
