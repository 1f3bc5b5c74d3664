//! `fixed ...` in `[require]`: information that programs are compiled for in addition to their
//! source. GL state for all languages, and the properties that a TGSI program leaves to its caller.

use crate::data::Scalar;
use crate::script::model::{ParseRequirement, Requirements};
use crate::script::tokenizer::{LineError, WordCursor, parse_unsigned};

/// Maximum size of the memory of a work group or an invocation in a script, in bytes.
pub const MAX_MEMORY: u32 = 1 << 20;

/// Maximum number of threads of a block in one dimension in a script.
pub const MAX_BLOCK: u32 = 1 << 16;

/// Every property, sorted by its name.
pub(crate) const PROPERTIES: &[(&str, ParseRequirement)] = &[
    ("alpha_test", |requirements, words| {
        let function =
            words.parse_with("never, less, equal, ... or always", parse_compare_function)?;
        let reference = words.parse_with("a reference", |word| word.parse().ok())?;
        requirements.fixed.alpha_test = glasm::AlphaTest::new(function, reference);
        Ok(())
    }),
    ("block_size", |requirements, words| {
        requirements.tgsi.block_size = parse_block(words)?;
        Ok(())
    }),
    ("clamped_fragment_colors", |requirements, _| {
        requirements.fixed.clamp_fragment_colors = true;
        Ok(())
    }),
    ("clamped_vertex_colors", |requirements, _| {
        requirements.fixed.clamp_vertex_colors = true;
        Ok(())
    }),
    ("clip_plane", |requirements, words| {
        let bit = 1 << parse_below_8(words, "a clip plane below 8")?;
        requirements.fixed.clip_plane_mask |= bit;
        requirements.tgsi.clip_plane_mask |= bit;
        Ok(())
    }),
    ("default_tess_levels", |requirements, words| {
        let levels = &mut requirements.tgsi.default_tess_levels;
        parse_values(words, "a level", parse_float_bits, levels)
    }),
    ("dual_source", |requirements, _| {
        requirements.tgsi.dual_source_blending = true;
        Ok(())
    }),
    ("entry", |requirements, words| {
        requirements.tgsi.entry_subroutine =
            words.parse_with("the number of an instruction", |word| word.parse().ok())?;
        Ok(())
    }),
    ("flat_colors", |requirements, _| {
        requirements.fixed.flat_colors = true;
        Ok(())
    }),
    ("line_stipple", |requirements, words| {
        let factor = words.parse_with("a factor of 1 to 256", |word| {
            word.parse()
                .ok()
                .filter(|factor| (1..=256).contains(factor))
        })?;
        let pattern = words.parse_with("a pattern of 16 bits", |word| {
            u16::try_from(parse_unsigned(word)?).ok()
        })?;
        requirements.fixed.line_stipple = Some(glasm::LineStipple::new(factor, pattern, [0.0; 4]));
        Ok(())
    }),
    ("point_size", |requirements, words| {
        let size = words.parse_with("a size above 0", |word| {
            word.parse::<f32>().ok().filter(|size| *size > 0.0)
        })?;
        requirements.fixed.forced_point_size = Some(size.into());
        Ok(())
    }),
    ("point_sprite", |requirements, words| {
        let set = parse_below_8(words, "a texture coordinate set below 8")?;
        requirements.fixed.coord_replace_mask |= 1 << set;
        Ok(())
    }),
    ("polygon_stipple", |requirements, words| {
        let mut given = Vec::new();
        while !words.is_empty() && given.len() < 32 {
            given.push(words.parse_with("a row of 32 bits", |word| {
                u32::try_from(parse_unsigned(word)?).ok()
            })?);
        }
        if given.is_empty() || 32 % given.len() != 0 {
            return Err(words.error_at_last("expected 1, 2, 4, 8, 16 or 32 rows".to_owned()));
        }
        let stipple = requirements.polygon_stipple.get_or_insert_default();
        for (row, bits) in stipple.rows.iter_mut().zip(given.iter().cycle()) {
            *row = *bits;
        }
        Ok(())
    }),
    ("polygon_stipple_height", |requirements, words| {
        let height = words.parse_with("a height", |word| word.parse().ok())?;
        requirements
            .polygon_stipple
            .get_or_insert_default()
            .window_height = height;
        Ok(())
    }),
    ("private_memory", |requirements, words| {
        requirements.tgsi.private_memory = parse_memory(words)?;
        Ok(())
    }),
    ("shared_memory", |requirements, words| {
        requirements.tgsi.shared_memory = parse_memory(words)?;
        Ok(())
    }),
    ("two_sided_color", |requirements, _| {
        requirements.fixed.two_sided_color = true;
        Ok(())
    }),
    ("user_data", |requirements, words| {
        let data = &mut requirements.tgsi.user_data;
        parse_values(words, "an integer of 32 bits", parse_integer_bits, data)
    }),
    ("work_dim", |requirements, words| {
        requirements.tgsi.work_dim = words
            .parse_with("a number of dimensions, 1 to 3", |word| {
                word.parse().ok().filter(|count| (1..=3).contains(count))
            })?;
        Ok(())
    }),
];

/// Parses `fixed PROPERTY ...` after the first word, and stores the property. Returns an error that
/// lists all properties for an unknown one.
pub(super) fn parse_fixed(
    requirements: &mut Requirements,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let name = words.next_word("a property")?;
    match PROPERTIES.iter().find(|(known, _)| *known == name) {
        Some((_, parse)) => parse(requirements, words),
        None => {
            let known: Vec<&str> = PROPERTIES.iter().map(|(name, _)| *name).collect();
            Err(words.error_at_last(format!("expected one of {}", known.join(", "))))
        }
    }
}

/// Parses GL's name of a comparison, in lower case; `None` for any other word.
fn parse_compare_function(word: &str) -> Option<glasm::CompareFunction> {
    use glasm::CompareFunction;
    Some(match word {
        "never" => CompareFunction::Never,
        "less" => CompareFunction::Less,
        "equal" => CompareFunction::Equal,
        "lequal" => CompareFunction::LessEqual,
        "greater" => CompareFunction::Greater,
        "notequal" => CompareFunction::NotEqual,
        "gequal" => CompareFunction::GreaterEqual,
        "always" => CompareFunction::Always,
        _ => return None,
    })
}

/// Consumes the size of a memory in bytes. Returns an error if it exceeds [`MAX_MEMORY`].
fn parse_memory(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    let what = format!("a number of bytes, {MAX_MEMORY} at most");
    words.parse_with(&what, |word| {
        let size = u32::try_from(parse_unsigned(word)?).ok()?;
        (size <= MAX_MEMORY).then_some(size)
    })
}

/// Consumes the three dimensions of a work group in threads. Returns an error if one is not from 1
/// to [`MAX_BLOCK`].
fn parse_block(words: &mut WordCursor<'_>) -> Result<[u32; 3], LineError> {
    let mut size = [0; 3];
    for threads in &mut size {
        let what = format!("a number of threads, 1 to {MAX_BLOCK}");
        *threads = words.parse_with(&what, |word| {
            let threads = u32::try_from(parse_unsigned(word)?).ok()?;
            (1..=MAX_BLOCK).contains(&threads).then_some(threads)
        })?;
    }
    Ok(size)
}

/// Consumes a word for each element of `values` and stores the result of `parse` for it. Returns an
/// error that expects `what` if it is `None`.
fn parse_values(
    words: &mut WordCursor<'_>,
    what: &str,
    parse: fn(&str) -> Option<u32>,
    values: &mut [u32],
) -> Result<(), LineError> {
    for place in values {
        *place = words.parse_with(what, parse)?;
    }
    Ok(())
}

/// Parses the bits of a 32-bit float; a hexadecimal number denotes the bits. `None` if it is
/// invalid.
pub fn parse_float_bits(word: &str) -> Option<u32> {
    u32::try_from(Scalar::F32.parse_bits(word)?).ok()
}

/// Parses the bits of a 32-bit integer of either sign; a hexadecimal number denotes the bits.
/// `None` if it is invalid.
pub fn parse_integer_bits(word: &str) -> Option<u32> {
    let bits = Scalar::U32.parse_bits(word);
    u32::try_from(bits.or_else(|| Scalar::I32.parse_bits(word))?).ok()
}

/// Consumes a number from 0 to 7, the index of a clip plane or of a texture coordinate set. Returns
/// an error that expects `what` for others.
fn parse_below_8(words: &mut WordCursor<'_>, what: &str) -> Result<u32, LineError> {
    words.parse_with(what, |word| word.parse().ok().filter(|number| *number < 8))
}
