//! Commands about vertex attributes: `color`, `texcoord`, `vertex`.

use super::draws::{parse_divisor, parse_vertex_limit};
use super::parser::TestParser;
use super::stages::parse_entry_point;
use crate::script::command::Command;
use crate::script::names::{ATTRIBUTES, attribute_location};
use crate::script::words::{LineError, Words};
use glasm::ir::Stage;

/// `color R G B A` and everything else that sets the current value of the attribute at `location`.
pub(super) fn parse_current(
    parser: &mut TestParser,
    location: u32,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    let value = words.floats("a component")?;
    parser.push(words, Command::Attribute { location, value })
}

/// `texcoord UNIT (S, T, R, Q)`
pub(super) fn parse_texcoord(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    // Conventional attributes alias generic ones: texture coordinate set n is attribute 8 + n.
    let unit = words.below("a texture coordinate set", 8)?;
    parse_current(parser, 8 + unit, words)
}

/// `vertex attrib NAME (X, Y, Z, W)`, `vertex divisor NAME N`, `vertex entrypoint NAME`
pub(super) fn parse_vertex_attrib(
    parser: &mut TestParser,
    words: &mut Words<'_>,
) -> Result<(), LineError> {
    if words.peek() == Some("entrypoint") {
        return parse_entry_point(parser, Stage::Vertex, words);
    }
    if words.take("divisor").is_some() {
        return parse_divisor(parser, words);
    }
    if words.take("limit").is_some() {
        return parse_vertex_limit(parser, words);
    }
    words.parse_with("`attrib`, `divisor`, `limit` or `entrypoint`", |word| {
        (word == "attrib").then_some(())
    })?;
    let what = format!("an attribute name or a number below {ATTRIBUTES}");
    let location = words.parse_with(&what, attribute_location)?;
    parse_current(parser, location, words)
}
