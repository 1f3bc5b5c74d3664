//! `bind`: where programs find buffers and images.

use super::parser::TestParser;
use super::places::{parse_counter_number, parse_feedback_number, parse_range, parse_slot};
use super::stages::parse_stage_suffix;
use super::textures::images::parse_bind_image;
use crate::script::command::{BindTarget, BufferKind, Command};
use crate::script::words::{LineError, Words};

/// Parameter buffers of a program at most.
const MAX_PARAM_BUFFERS: u32 = 16;

/// `bind ubo|ssbo [SET:]BINDING NAME [OFFSET [SIZE]]`, `bind counter|xfb BINDING ...`, `bind buffer_STAGE INDEX ...`, `bind image ...`
pub(super) fn parse_bind(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    if words.take("image").is_some() {
        return parse_bind_image(parser, words);
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
            binding: parse_feedback_number(words)?,
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
