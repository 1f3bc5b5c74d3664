//! Commands about the attachments of the framebuffer: `clear`, `attachment`.

use super::parser::TestParser;
use super::properties::{AttachmentSelection, set_attachment_property};
use crate::format::Format;
use crate::script::command::{Clear, Command};
use crate::script::model::{Attachments, MAX_COLORS, parse_attachment_number};
use crate::script::tokenizer::{LineError, WordCursor, parse_component};

/// Consumes the number of a color attachment, and returns it with the format. Returns an error if
/// the framebuffer does not have the attachment.
pub(super) fn parse_attachment<'a>(
    attachments: &'a Attachments,
    words: &mut WordCursor<'_>,
) -> Result<(u32, &'a Format), LineError> {
    let number = parse_attachment_number(words)?;
    match attachments.color(number) {
        Some(format) => Ok((number, format)),
        None => Err(words.error_at_last(format!("the framebuffer has no attachment {number}"))),
    }
}

/// Parses the arguments of `clear`, and appends the command with the current clear values; or those
/// of `clear color R G B A`, `clear depth D` or `clear stencil S`, which only set the values, the
/// color for all attachments.
pub(super) fn parse_clear(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    match words.peek() {
        None => return parser.push_command(words, Command::Clear(parser.clear)),
        Some("color") => {
            let color = parse_clear_color(words)?;
            parser.clear.colors = [color; MAX_COLORS];
        }
        Some("depth") => {
            words.next_word("depth")?;
            let valid = |word: &str| {
                word.parse()
                    .ok()
                    .filter(|depth| (0.0..=1.0).contains(depth))
            };
            parser.clear.depth = words.parse_with("a depth from 0 to 1", valid)?;
        }
        Some("stencil") => {
            words.next_word("stencil")?;
            parser.clear.stencil = words.parse_u32("a stencil value")?;
        }
        Some(_) => return Err(words.error_at_next("expected `color`, `depth` or `stencil`")),
    }
    words.expect_end()
}

/// Consumes `color R G B A` and returns the color.
fn parse_clear_color(words: &mut WordCursor<'_>) -> Result<[f64; 4], LineError> {
    words.next_word("color")?;
    let mut color = [0.0; 4];
    for value in &mut color {
        *value = words.parse_with("a color component", parse_component)?;
    }
    Ok(color)
}

/// Parses the arguments of `attachment N clear`, and appends a command that clears only this
/// attachment; of `attachment N clear color R G B A`, which sets its clear value; or of `attachment
/// N PROPERTY VALUE`, which sets its blend state.
pub(super) fn parse_attachment_command(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let (number, _) = parse_attachment(&parser.attachments, words)?;
    let word = words.next_word("`clear` or a property")?;
    if word != "clear" {
        return set_attachment_property(
            &mut parser.pipeline,
            AttachmentSelection::Only(number),
            word,
            words,
        )
        .unwrap_or_else(|| {
            Err(words.error_at_last(format!("`{word}` is no property of an attachment")))
        });
    }
    match words.peek() {
        None => {
            let only = Some(number);
            parser.push_command(
                words,
                Command::Clear(Clear {
                    only,
                    ..parser.clear
                }),
            )
        }
        Some("color") => {
            parser.clear.colors[number as usize] = parse_clear_color(words)?;
            words.expect_end()
        }
        Some(_) => Err(words.error_at_next("expected `color` or nothing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;
    use crate::script::pipeline_state::PipelineState;

    fn error(script: &str) -> String {
        let errors = Script::parse(script.as_bytes()).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        format!(
            "{}:{}: {}",
            errors[0].line, errors[0].column, errors[0].message
        )
    }

    fn clears(lines: &str) -> Vec<Clear> {
        let text = format!("[require]\nframebuffer 1 R32_UINT\n[test]\n{lines}\n");
        let script = Script::parse(text.as_bytes()).unwrap();
        let clears = script.steps.into_iter().filter_map(|step| {
            if let Command::Clear(clear) = step.command {
                Some(clear)
            } else {
                None
            }
        });
        clears.collect()
    }

    #[test]
    fn clear_values_stay_until_they_change() {
        let found = clears(
            "clear\nclear color 1 0.5 0 -1\nclear depth 0.25\nclear stencil 0xff\n\
             attachment 1 clear color 0xffffffff 4294967294 0 0\nclear\nattachment 1 clear",
        );
        assert_eq!(found[0].colors, [[0.0; 4]; 8]);
        assert_eq!(
            (found[0].depth, found[0].stencil, found[0].only),
            (1.0, 0, None)
        );
        assert_eq!(found[1].colors[0], [1.0, 0.5, 0.0, -1.0]);
        assert_eq!(found[1].colors[1], [4294967295.0, 4294967294.0, 0.0, 0.0]);
        assert_eq!((found[1].depth, found[1].stencil), (0.25, 255));
        assert_eq!(
            found[2],
            Clear {
                only: Some(1),
                ..found[1]
            }
        );
    }

    #[test]
    fn bad_clears_are_errors() {
        for (line, message) in [
            (
                "clear colour",
                "2:7: expected `color`, `depth` or `stencil`",
            ),
            ("clear color 1 0 0", "2:18: a color component is missing"),
            ("clear depth 2", "2:13: `2` is not a depth from 0 to 1"),
            ("clear stencil -1", "2:15: `-1` is not a stencil value"),
            (
                "attachment 1 clear",
                "2:12: the framebuffer has no attachment 1",
            ),
            (
                "attachment 0 clear depth",
                "2:20: expected `color` or nothing",
            ),
            ("attachment 0", "2:13: `clear` or a property is missing"),
            (
                "attachment 0 lineWidth 2",
                "2:14: `lineWidth` is no property of an attachment",
            ),
        ] {
            assert_eq!(error(&format!("[test]\n{line}\n")), message);
        }
    }

    #[test]
    fn attachments_have_blend_state_of_their_own() {
        let text = "[require]\nframebuffer 1 R8_UNORM\n[test]\nblendEnable true\n\
                    attachment 1 blendEnable false\nattachment 1 srcColorBlendFactor ONE\ndraw rect 0 0 1 1\n";
        let script = Script::parse(text.as_bytes()).unwrap();
        let Command::Draw(draw) = &script.steps[0].command else {
            panic!("no draw");
        };
        let default = PipelineState::default().attachments[0];
        let [first, second, third, ..] = draw.state.attachments;
        assert!(first.blend && !second.blend && third.blend);
        assert_eq!(first.src_color_factor, default.src_color_factor);
        assert_eq!(second.src_color_factor, ash::vk::BlendFactor::ONE);
    }
}
