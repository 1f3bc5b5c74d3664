//! Texels and attributes as scripts write them: the contents of each channel, or one number for a
//! packed format.

use super::tokenizer::{LineError, WordCursor, parse_unsigned};
use crate::data::Scalar;
use crate::format::{Encoding, Format, write_bits};

/// Returns the type of a channel's contents; `None` for channels whose size is not that of a scalar
/// type.
fn channel_scalar(encoding: Encoding, bits: u32) -> Option<Scalar> {
    let signed = matches!(
        encoding,
        Encoding::Snorm | Encoding::Sscaled | Encoding::Sint
    );
    match (encoding, bits) {
        (Encoding::Sfloat, 16) => Some(Scalar::F16),
        (Encoding::Sfloat, 32) => Some(Scalar::F32),
        (Encoding::Sfloat, 64) => Some(Scalar::F64),
        (_, 8) => Some(if signed { Scalar::I8 } else { Scalar::U8 }),
        (_, 16) => Some(if signed { Scalar::I16 } else { Scalar::U16 }),
        (_, 32) => Some(if signed { Scalar::I32 } else { Scalar::U32 }),
        (_, 64) => Some(if signed { Scalar::I64 } else { Scalar::U64 }),
        _ => None,
    }
}

/// Consumes the stored values of the channels of one texel, or one number for a packed format, and
/// writes them to `texel`, which must be zero.
pub(super) fn parse_texel(
    format: &Format,
    words: &mut WordCursor<'_>,
    texel: &mut [u8],
) -> Result<(), LineError> {
    if format.packed {
        let bits = 8 * format.texel_size() as u32;
        let fits = |value: &u64| bits == 64 || value >> bits == 0;
        let what = format!("a number of {bits} bits");
        let word = words.parse_with(&what, |word| parse_unsigned(word).filter(fits))?;
        write_bits(texel, 0, bits, word);
        return Ok(());
    }
    for channel in &format.channels {
        let bits = words.parse_with("a value of the format", |word| {
            channel_scalar(format.encoding, channel.bits)?.parse_bits(word)
        })?;
        write_bits(texel, channel.offset, channel.bits, bits);
    }
    Ok(())
}
