//! Parsed scripts, to the extent that they do not depend on a device: their requirements,
//! the attachments of the framebuffer, programs and commands.

use super::command::{
    BindTarget, BufferDecl, BufferId, BufferKey, BufferKind, Command, ParamValue, ScriptStep,
};
use super::section::{AlternateProgram, ProgramSection};
use super::stream_outputs::StreamOutputs;
use super::tokenizer::{LineError, WordCursor, parse_unsigned};
use super::vertex_data::VertexData;
use crate::format::{DepthFormat, Format};
use crate::image::RowOrder;
use crate::probe::pixels::{FramebufferPlane, Surface};
use ash::vk::{PolygonMode, PrimitiveTopology};
use glasm::TransformFeedback;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Script, ready to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Script {
    /// Text of the script.
    pub text: Arc<[u8]>,
    /// Requirements on the device and the framebuffer.
    pub requirements: Requirements,
    /// Programs of the stages, in the order of the script; a stage has several only in GLSL.
    pub programs: Vec<ProgramSection>,
    /// Programs that commands load.
    pub alternates: Vec<AlternateProgram>,
    /// Vertices; `None` without such a section.
    pub vertex_data: Option<VertexData>,
    /// Numbers of `[indices]`.
    pub indices: Vec<u32>,
    /// Buffers with their final sizes; a [`BufferId`] is an index into it.
    pub buffers: Vec<BufferDecl>,
    /// Bytes of push constants.
    pub push_size: u32,
    /// Names of entry points, `main` first.
    pub entry_names: Vec<String>,
    /// Names of parameters that commands set or probe.
    pub param_names: Vec<String>,
    /// Outputs that are captured.
    pub feedback: TransformFeedback,
    /// Commands, in order.
    pub steps: Vec<ScriptStep>,
}

impl Script {
    /// Returns true if a command draws to, clears, probes or saves the framebuffer.
    pub fn uses_framebuffer(&self) -> bool {
        self.steps.iter().any(|step| {
            matches!(
                &step.command,
                Command::Clear(_)
                    | Command::Draw(_)
                    | Command::ProbePixels(_)
                    | Command::SaveImage { .. }
                    | Command::TracePixel { .. }
            )
        })
    }

    /// Returns true if a draw has the topology of points or rasterizes polygons as points.
    pub fn draws_points(&self) -> bool {
        self.steps.iter().any(|step| {
            matches!(&step.command, Command::Draw(draw)
                if draw.topology == PrimitiveTopology::POINT_LIST || draw.state.polygon_mode == PolygonMode::POINT)
        })
    }

    /// Returns the buffers that vertices are captured into: those that are named after a transform
    /// feedback binding, and those that commands bind there.
    pub fn captured_buffers(&self) -> BTreeSet<BufferId> {
        let is_feedback = |decl: &BufferDecl| {
            matches!(
                decl.key,
                BufferKey::Descriptor {
                    kind: BufferKind::Feedback,
                    ..
                }
            )
        };
        let own = self.buffers.iter().zip(0..);
        let own = own.filter(|(decl, _)| is_feedback(decl));
        let mut found: BTreeSet<BufferId> = own.map(|(_, index)| BufferId(index)).collect();
        for step in &self.steps {
            if let Command::BindBuffer { target, range } = &step.command
                && target.kind() == BufferKind::Feedback
            {
                found.insert(range.buffer);
            }
        }
        found
    }

    /// Returns all bindings to which the script binds buffers, each once: those after which buffers
    /// are named, then those of commands.
    pub fn bind_targets(&self) -> Vec<BindTarget> {
        let own = self.buffers.iter().filter_map(|decl| match decl.key {
            BufferKey::Descriptor { kind, set, binding } => {
                Some(BindTarget::Descriptor { kind, set, binding })
            }
            BufferKey::Named(_) => None,
        });
        let bound = self.steps.iter().filter_map(|step| {
            if let Command::BindBuffer { target, .. } = &step.command {
                Some(*target)
            } else {
                None
            }
        });
        let mut seen = HashSet::new();
        own.chain(bound)
            .filter(|target| seen.insert(*target))
            .collect()
    }

    /// Returns the buffers whose address a command stores in a parameter or buffer.
    pub fn addressed_buffers(&self) -> BTreeSet<BufferId> {
        let mut buffers = BTreeSet::new();
        for step in &self.steps {
            if let Command::Parameter {
                value: ParamValue::Addresses(addresses),
                ..
            }
            | Command::BufferAddresses { addresses, .. } = &step.command
            {
                buffers.extend(addresses.iter().map(|address| address.buffer));
            }
        }
        buffers
    }

    /// Returns the lengths of the arrays that handles index: elements up to the highest unit that
    /// the script uses, at least one.
    pub fn handle_limits(&self) -> glasm::HandleLimits {
        let mut limits = glasm::HandleLimits {
            textures: 1,
            images: 1,
        };
        for step in &self.steps {
            if let Command::Texture { unit, .. } = &step.command {
                limits.textures = limits.textures.max(unit + 1);
            } else if let Command::Image { key, .. } | Command::BindImage { binding: key, .. } =
                &step.command
                && let Some(unit) = key.unit()
            {
                limits.images = limits.images.max(unit + 1);
            }
        }
        limits
    }
}

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
    /// Returns the format of a color attachment; `None` for numbers without attachment.
    pub fn color(&self, number: u32) -> Option<&Format> {
        self.colors.get(number as usize)?.as_ref()
    }

    /// Returns all surfaces, one for each layer of each attachment, with samples resolved: color
    /// attachments by number, then depth and stencil.
    pub fn surfaces(&self) -> Vec<Surface> {
        let colors = self.colors.iter().zip(0..);
        let mut planes: Vec<FramebufferPlane> = colors
            .filter(|(color, _)| color.is_some())
            .map(|(_, number)| FramebufferPlane::Color(number))
            .collect();
        planes.extend(self.has_depth().then_some(FramebufferPlane::Depth));
        planes.extend(self.has_stencil().then_some(FramebufferPlane::Stencil));
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

/// Consumes the number of a color attachment. Returns an error if it is not from 0 to 7.
pub(super) fn parse_attachment_number(words: &mut WordCursor<'_>) -> Result<u32, LineError> {
    words.parse_with("an attachment from 0 to 7", |word| {
        let number = parse_unsigned(word)?;
        (number < MAX_COLORS as u64).then_some(number as u32)
    })
}

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
    /// Returns the order in which the convention stores the lines of a framebuffer.
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
    pub excluded_features: Vec<String>,
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
    pub fixed: glasm::PipelineState,
    /// Stipple of polygons.
    pub polygon_stipple: Option<Box<glasm::PolygonStipple>>,
    /// True if zero times any value is zero in programs.
    pub legacy_multiply: bool,
    /// True if programs rely on handles being the numbers of units.
    pub numbered_handles: bool,
    /// True if the programs of a pipeline are compiled separately, without information about each
    /// other.
    pub separate_programs: bool,
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
    /// Returns the source of an assembly section for the compiler, with its program type and the
    /// properties that the requirements specify. `name` is that of the source in messages.
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
            excluded_features: Vec::new(),
            extensions: Vec::new(),
            low_addresses: false,
            gl_version: None,
            gl_extensions: Vec::new(),
            version: None,
            framebuffer: [DEFAULT_SIZE; 2],
            attachments: Attachments::default(),
            fixed: glasm::PipelineState::default(),
            polygon_stipple: None,
            legacy_multiply: false,
            numbered_handles: false,
            separate_programs: false,
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
pub(super) type ParseRequirement =
    fn(&mut Requirements, &mut WordCursor<'_>) -> Result<(), LineError>;
