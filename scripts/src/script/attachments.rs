//! The attachments of the framebuffer as data, and their numbers.

use super::words::{LineError, Words, parse_unsigned};
use crate::format::{DepthFormat, Format};
use crate::probe::pixels::{Plane, Surface};

/// Color attachments that a framebuffer can have.
pub const MAX_COLORS: usize = 8;

/// Composition of the framebuffer, except for its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attachments {
    /// Formats by number; `None` are numbers without attachment.
    pub colors: Vec<Option<Format>>,
    /// Format of the depth and stencil buffer; `None` if there is none.
    pub depth: Option<DepthFormat>,
    /// Samples per pixel, a power of two; 1 without multisampling.
    pub samples: u32,
    /// Layers of each attachment, from 1.
    pub layers: u32,
}

impl Default for Attachments {
    fn default() -> Self {
        let format = Format::parse("R8G8B8A8_UNORM").expect("the format exists");
        Self {
            colors: vec![Some(format)],
            depth: None,
            samples: 1,
            layers: 1,
        }
    }
}

impl Attachments {
    /// Returns the format of a color attachment.
    pub fn color(&self, number: u32) -> Option<&Format> {
        self.colors.get(number as usize)?.as_ref()
    }

    /// Returns all readable surfaces, with samples resolved.
    pub fn surfaces(&self) -> Vec<Surface> {
        let colors = self.colors.iter().zip(0..);
        let mut planes: Vec<Plane> = colors
            .filter(|(color, _)| color.is_some())
            .map(|(_, number)| Plane::Color(number))
            .collect();
        planes.extend(self.has_depth().then_some(Plane::Depth));
        planes.extend(self.has_stencil().then_some(Plane::Stencil));
        let of_plane = |plane| {
            (0..self.layers).map(move |layer| Surface {
                plane,
                layer,
                sample: None,
            })
        };
        planes.into_iter().flat_map(of_plane).collect()
    }

    /// Returns true if there is a depth buffer.
    pub fn has_depth(&self) -> bool {
        self.depth.is_some_and(|format| format.has_depth)
    }

    /// Returns true if there is a stencil buffer.
    pub fn has_stencil(&self) -> bool {
        self.depth.is_some_and(|format| format.has_stencil)
    }
}

/// Parses the number of an attachment.
pub(super) fn parse_attachment_number(words: &mut Words<'_>) -> Result<u32, LineError> {
    words.parse_with("an attachment from 0 to 7", |word| {
        let number = parse_unsigned(word)?;
        (number < MAX_COLORS as u64).then_some(number as u32)
    })
}
