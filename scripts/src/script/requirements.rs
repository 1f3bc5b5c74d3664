//! Requirements of a script, as data.

use super::attachments::Attachments;
use super::captures::StreamOutputs;
use super::section::ProgramSection;
use super::words::{LineError, Words};
use crate::image::RowOrder;

/// API whose rules a script follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Convention {
    /// Row 0 of the framebuffer is the top; clip space depth is 0 to w.
    #[default]
    Vulkan,
    /// Row 0 of the framebuffer is the bottom; clip space depth is -w to w.
    OpenGl,
}

impl Convention {
    /// Returns the row order of a framebuffer.
    pub fn row_order(self) -> RowOrder {
        match self {
            Self::Vulkan => RowOrder::TopFirst,
            Self::OpenGl => RowOrder::BottomFirst,
        }
    }
}

/// Requirements of a script.
#[derive(Clone, PartialEq, Debug)]
pub struct Requirements {
    /// Orientation of the framebuffer, and range of the depths of clip space.
    pub convention: Convention,
    /// Names of Vulkan features.
    pub features: Vec<String>,
    /// Names of Vulkan features that the device must lack.
    pub without: Vec<String>,
    /// Names of Vulkan device extensions.
    pub extensions: Vec<String>,
    /// True if the addresses of buffers must be below 2^32.
    pub low_addresses: bool,
    /// Smallest OpenGL version, which only OpenGL is to meet.
    pub gl_version: Option<[u32; 2]>,
    /// Names of OpenGL extensions, with `GL_`. Extensions of languages that Vulkan can run only
    /// select the convention there.
    pub gl_extensions: Vec<String>,
    /// Smallest Vulkan version.
    pub version: Option<[u32; 3]>,
    /// Width and height of the framebuffer.
    pub framebuffer: [u32; 2],
    /// Formats, layers and samples of the framebuffer.
    pub attachments: Attachments,
    /// GL state that programs are compiled for.
    pub fixed: glasm::FixedState,
    /// Stipple of polygons.
    pub polygon_stipple: Option<Box<glasm::PolygonStipple>>,
    /// True if zero times any value is zero in programs.
    pub legacy_multiply: bool,
    /// True if programs rely on handles being the numbers of units.
    pub numbered_handles: bool,
    /// True if the programs of a pipeline are compiled separately, without information about each
    /// other.
    pub separate: bool,
    /// Programs that load.
    pub acceptance: glasm::Acceptance,
    /// Properties that TGSI programs leave open.
    pub tgsi: glasm::TgsiOptions,
    /// Output registers that are captured.
    pub streams: StreamOutputs,
    /// Line that is read.
    pub(super) line: u32,
    /// Last line about the framebuffer.
    pub(super) framebuffer_line: u32,
    /// Requirements that this runner never meets.
    pub unmet: Vec<String>,
}

/// Default width and height, as in piglit.
const DEFAULT_SIZE: u32 = 250;

impl Requirements {
    /// Returns the program of an assembly section.
    pub fn source<'a>(&self, name: &'a str, section: &'a ProgramSection) -> glasm::Source<'a> {
        glasm::Source {
            acceptance: self.acceptance,
            tgsi: self.tgsi,
            ..glasm::Source::new(name, &section.text).for_type(section.program_type)
        }
    }
}

impl Default for Requirements {
    fn default() -> Self {
        Self {
            convention: Convention::Vulkan,
            features: Vec::new(),
            without: Vec::new(),
            extensions: Vec::new(),
            low_addresses: false,
            gl_version: None,
            gl_extensions: Vec::new(),
            version: None,
            framebuffer: [DEFAULT_SIZE; 2],
            attachments: Attachments::default(),
            fixed: glasm::FixedState::default(),
            polygon_stipple: None,
            legacy_multiply: false,
            numbered_handles: false,
            separate: false,
            acceptance: glasm::Acceptance::default(),
            tgsi: glasm::TgsiOptions::default(),
            streams: StreamOutputs::default(),
            line: 0,
            framebuffer_line: 0,
            unmet: Vec::new(),
        }
    }
}

/// Reads the rest of a line.
pub(super) type ParseRequirement = fn(&mut Requirements, &mut Words<'_>) -> Result<(), LineError>;
