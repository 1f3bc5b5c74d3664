//! State that the previous commands have set.
//!
//! State that later commands use (clear values, pipeline state, tolerances, layouts) lives in
//! [`TestParser`] and is copied into each command.

use crate::data::DataLayout;
use crate::probe::{Tolerance, Tolerances};
use crate::script::attachments::Attachments;
use crate::script::command::{
    BufferDecl, BufferId, BufferKey, BufferRange, Clear, Command, Divisors, ImageKey, IndexWidth,
    MatrixTarget, Step, Switch, TextureEnables,
};
use crate::script::pipeline_state::{MAIN, PipelineState, ProvokingVertex};
use crate::script::requirements::{Convention, Requirements};
use crate::script::section::Spare;
use crate::script::words::{LineError, Words};
use crate::texture::{DepthMode, Sampling, Shape};
use ash::vk;
use glasm::TransformFeedback;
use glasm::ir::Stage;
use std::collections::{BTreeMap, HashMap};

/// Buffers that a script can have.
pub(super) const MAX_BUFFERS: usize = 1024;

/// State that determines the size of points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Points {
    /// GL's `POINT_SIZE`.
    pub(super) size: f32,
    /// Source of the size: `PROGRAM_POINT_SIZE`, which is on unless the script disables it.
    pub(super) source: Switch,
}

impl Default for Points {
    fn default() -> Self {
        Self {
            size: 1.0,
            source: Switch::On,
        }
    }
}

/// Draws that are captured at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Capturing {
    No,
    /// Since `xfb begin` on this line.
    Since(u32),
}

/// Reads the lines of the `[test]` section.
#[derive(Debug)]
pub(crate) struct TestParser {
    /// Width and height of the framebuffer.
    pub(super) framebuffer: [u32; 2],
    pub(super) attachments: Attachments,
    pub(super) line: u32,
    pub(super) clear: Clear,
    pub(super) pipeline: PipelineState,
    pub(super) tolerances: Tolerances,
    pub(super) storage_layout: DataLayout,
    pub(super) uniform_layout: DataLayout,
    pub(super) push_layout: DataLayout,
    pub(super) initial_sampling: Sampling,
    pub(super) units: Units,
    /// Number of matrices on each stack.
    pub(super) pushed_matrices: HashMap<MatrixTarget, u32>,
    pub(super) buffers: Vec<BufferDecl>,
    /// First line that exceeds the maximum number of buffers.
    pub(super) too_many_buffers: Option<u32>,
    /// Ranges of buffers that commands name, with their lines.
    pub(super) ranges: Vec<(u32, BufferRange)>,
    pub(super) push_size: u32,
    pub(super) index_width: IndexWidth,
    pub(super) divisors: Divisors,
    pub(super) convention: Convention,
    /// Features that the commands need and this runner does not support.
    pub(super) unmet: Vec<String>,
    pub(super) entry_names: Vec<String>,
    pub(super) param_names: Vec<String>,
    pub(super) feedback: TransformFeedback,
    pub(super) capturing: Capturing,
    pub(super) points: Points,
    /// Stages and names of the programs that may be loaded.
    pub(super) spares: Vec<(Stage, String)>,
    pub(super) steps: Vec<Step>,
}

impl TestParser {
    pub(crate) fn new(requirements: &Requirements, spares: &[Spare]) -> Self {
        // GL's counter-clockwise triangles are clockwise in Vulkan, whose y axis points down.
        let (front_face, provoking_vertex) = match requirements.convention {
            Convention::Vulkan => (vk::FrontFace::COUNTER_CLOCKWISE, ProvokingVertex::First),
            Convention::OpenGl => (vk::FrontFace::CLOCKWISE, ProvokingVertex::Last),
        };
        // Programs read depths as (d, 0, 0, 1) in Vulkan; in GL, according to the initial
        // DEPTH_TEXTURE_MODE, LUMINANCE.
        let depth_mode = match requirements.convention {
            Convention::Vulkan => DepthMode::Red,
            Convention::OpenGl => DepthMode::Luminance,
        };
        let initial_sampling = Sampling {
            depth_mode,
            ..Sampling::INITIAL
        };
        Self {
            framebuffer: requirements.framebuffer,
            attachments: requirements.attachments.clone(),
            line: 0,
            clear: Clear::default(),
            pipeline: PipelineState {
                front_face,
                provoking_vertex,
                ..PipelineState::default()
            },
            tolerances: [Tolerance::default(); 4],
            storage_layout: DataLayout::STD430,
            uniform_layout: DataLayout::STD140,
            push_layout: DataLayout::STD430,
            initial_sampling,
            units: Units::default(),
            pushed_matrices: HashMap::new(),
            buffers: Vec::new(),
            too_many_buffers: None,
            ranges: Vec::new(),
            push_size: 0,
            index_width: IndexWidth::default(),
            divisors: Divisors::default(),
            entry_names: vec![MAIN.to_owned()],
            param_names: Vec::new(),
            convention: requirements.convention,
            unmet: Vec::new(),
            feedback: TransformFeedback::default(),
            capturing: Capturing::No,
            points: Points::default(),
            spares: spares
                .iter()
                .map(|spare| (spare.program.stage, spare.name.clone()))
                .collect(),
            steps: Vec::new(),
        }
    }

    /// Ends a line and records its command.
    pub(super) fn push(&mut self, words: &Words<'_>, command: Command) -> Result<(), LineError> {
        words.finish()?;
        self.steps.push(Step {
            line: self.line,
            command,
        });
        Ok(())
    }

    /// Returns the buffer of a key, which is created if it is new.
    pub(super) fn buffer(&mut self, key: BufferKey) -> BufferId {
        if let Some(index) = self.buffers.iter().position(|buffer| buffer.key == key) {
            return BufferId(index);
        }
        if self.buffers.len() == MAX_BUFFERS {
            // The script is rejected at its end; until then any buffer suffices.
            self.too_many_buffers.get_or_insert(self.line);
            return BufferId(0);
        }
        self.buffers.push(BufferDecl {
            key,
            size: 0,
            line: self.line,
        });
        BufferId(self.buffers.len() - 1)
    }

    /// Extends a buffer to the largest offset that commands access.
    pub(super) fn grow(&mut self, buffer: BufferId, size: u64) {
        let known = &mut self.buffers[buffer.0].size;
        *known = size.max(*known);
    }

    /// Records a range of a buffer, to be checked when all sizes are known.
    pub(super) fn note_range(&mut self, range: BufferRange) {
        self.ranges.push((self.line, range));
    }
}

/// Texture image units.
pub(super) const UNITS: u32 = 32;

/// Texture image unit as the previous commands have set it.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) shape: Option<Shape>,
    pub(super) sampling: Sampling,
}

/// All texture image units and images that the script has set, and the unit that `texparameter`
/// changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Units {
    pub(super) active: u32,
    pub(super) enables: BTreeMap<u32, TextureEnables>,
    pub(super) units: BTreeMap<u32, Unit>,
    pub(super) images: BTreeMap<ImageKey, Shape>,
}

impl Units {
    pub(super) fn unit(&mut self, number: u32, initial: Sampling) -> &mut Unit {
        self.units.entry(number).or_insert(Unit {
            shape: None,
            sampling: initial,
        })
    }
}
