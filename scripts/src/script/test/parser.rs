//! State that the previous commands have set.
//!
//! State that later commands use (clear values, pipeline state, tolerances, layouts) lives in
//! [`TestParser`] and is copied into each command. [`finish_test_section`] makes the checks that
//! need the whole section.

use super::buffer_ranges::MAX_BUFFER;
use crate::data::DataLayout;
use crate::probe::{Tolerance, Tolerances};
use crate::script::command::{
    BufferDecl, BufferId, BufferKey, BufferRange, Clear, Command, Divisors, ImageKey, IndexWidth,
    MatrixTarget, ScriptStep, Switch, TextureEnables,
};
use crate::script::model::Attachments;
use crate::script::model::{Convention, Requirements};
use crate::script::pipeline_state::{DEFAULT_ENTRY_POINT, PipelineState, ProvokingVertex};
use crate::script::section::AlternateProgram;
use crate::script::tokenizer::{LineError, ScriptError, WordCursor};
use crate::texture::{DepthMode, Sampling, TextureShape};
use ash::vk;
use glasm::TransformFeedback;
use glasm::ir::Stage;
use std::collections::{BTreeMap, HashMap};

/// Buffers that a script can have.
pub(super) const MAX_BUFFERS: usize = 1024;

/// State that determines the size of points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PointState {
    /// GL's `POINT_SIZE`.
    pub(super) size: f32,
    /// Source of the size: `PROGRAM_POINT_SIZE`, which is on unless the script disables it.
    pub(super) source: Switch,
}

impl Default for PointState {
    fn default() -> Self {
        Self {
            size: 1.0,
            source: Switch::On,
        }
    }
}

/// Draws that are captured at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CaptureState {
    Inactive,
    /// Since `xfb begin` on this line.
    Active(u32),
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
    pub(super) units: TextureUnits,
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
    pub(super) capturing: CaptureState,
    pub(super) points: PointState,
    /// Stages and names of the programs that may be loaded.
    pub(super) alternates: Vec<(Stage, String)>,
    pub(super) steps: Vec<ScriptStep>,
}

impl TestParser {
    /// Creates the state at the beginning of the section: initial state of GL or Vulkan, depending
    /// on the convention that the script requires. `alternates` are the programs that commands can
    /// load.
    pub(crate) fn new(requirements: &Requirements, alternates: &[AlternateProgram]) -> Self {
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
            units: TextureUnits::default(),
            pushed_matrices: HashMap::new(),
            buffers: Vec::new(),
            too_many_buffers: None,
            ranges: Vec::new(),
            push_size: 0,
            index_width: IndexWidth::default(),
            divisors: Divisors::default(),
            entry_names: vec![DEFAULT_ENTRY_POINT.to_owned()],
            param_names: Vec::new(),
            convention: requirements.convention,
            unmet: Vec::new(),
            feedback: TransformFeedback::default(),
            capturing: CaptureState::Inactive,
            points: PointState::default(),
            alternates: alternates
                .iter()
                .map(|alternate| (alternate.program.stage, alternate.name.clone()))
                .collect(),
            steps: Vec::new(),
        }
    }

    /// Appends a command at the current line. Returns an error, and appends nothing, if words
    /// remain.
    pub(super) fn push_command(
        &mut self,
        words: &WordCursor<'_>,
        command: Command,
    ) -> Result<(), LineError> {
        words.expect_end()?;
        self.steps.push(ScriptStep {
            line: self.line,
            command,
        });
        Ok(())
    }

    /// Returns the buffer of a key, which is added with size 0 if it is new. If there are too many,
    /// records the line, which [`finish_test_section`] reports, and returns buffer 0.
    pub(super) fn find_or_add_buffer(&mut self, key: BufferKey) -> BufferId {
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

    /// Grows a buffer to a size in bytes, if it is smaller.
    pub(super) fn grow_buffer(&mut self, buffer: BufferId, size: u64) {
        let current_size = &mut self.buffers[buffer.0].size;
        *current_size = size.max(*current_size);
    }

    /// Records a range of a buffer with the current line, to be checked when all sizes are known.
    pub(super) fn record_range(&mut self, range: BufferRange) {
        self.ranges.push((self.line, range));
    }
}

/// Texture image units.
pub(super) const TEXTURE_IMAGE_UNITS: u32 = 32;

/// Texture image unit as the previous commands have set it.
#[derive(Clone, Debug)]
pub(super) struct TextureUnitState {
    pub(super) shape: Option<TextureShape>,
    pub(super) sampling: Sampling,
}

/// All texture image units and images that the script has set, and the unit that `texparameter`
/// changes.
#[derive(Clone, Debug, Default)]
pub(super) struct TextureUnits {
    pub(super) active: u32,
    pub(super) enables: BTreeMap<u32, TextureEnables>,
    pub(super) units: BTreeMap<u32, TextureUnitState>,
    pub(super) images: BTreeMap<ImageKey, TextureShape>,
}

impl TextureUnits {
    /// Returns the unit with an index; adds it, without a texture and with the sampling `initial`,
    /// if it is new.
    pub(super) fn get_or_insert(
        &mut self,
        number: u32,
        initial: Sampling,
    ) -> &mut TextureUnitState {
        self.units.entry(number).or_insert(TextureUnitState {
            shape: None,
            sampling: initial,
        })
    }
}

/// Contents of the `[test]` section.
pub(crate) struct TestSection {
    pub(crate) buffers: Vec<BufferDecl>,
    pub(crate) push_size: u32,
    pub(crate) unmet: Vec<String>,
    pub(crate) entry_names: Vec<String>,
    pub(crate) param_names: Vec<String>,
    pub(crate) feedback: TransformFeedback,
    pub(crate) steps: Vec<ScriptStep>,
}

/// Reports errors that are only found with the whole section: sizes of buffers, captures that do
/// not end, and other commands in a script that expects errors. Returns the steps and declarations
/// of the section.
pub(crate) fn finish_test_section(
    parser: TestParser,
    errors: &mut Vec<ScriptError>,
) -> TestSection {
    check_buffers(&parser, errors);
    check_feedback(&parser, errors);
    // If a program must have an error, there is nothing to run.
    let expects_error = |step: &&ScriptStep| matches!(step.command, Command::ExpectError(_));
    if parser.steps.iter().any(|step| expects_error(&step)) {
        for step in parser.steps.iter().filter(|step| !expects_error(step)) {
            let message = "a script that expects errors can have no other commands";
            errors.push(ScriptError::new(step.line, 1, message));
        }
    }
    TestSection {
        buffers: parser.buffers,
        push_size: parser.push_size,
        entry_names: parser.entry_names,
        param_names: parser.param_names,
        unmet: parser.unmet,
        feedback: parser.feedback,
        steps: parser.steps,
    }
}

/// Reports buffers without size, ranges beyond the end of their buffer, and too many or too large
/// buffers. Does nothing if there are errors already, because an incorrect line may be the one that
/// determines a size.
fn check_buffers(parser: &TestParser, errors: &mut Vec<ScriptError>) {
    // A line with an error may have been the one that determines the size of a buffer.
    if !errors.is_empty() {
        return;
    }
    let mut error = |line, message: String| errors.push(ScriptError::new(line, 1, message));
    if let Some(line) = parser.too_many_buffers {
        error(line, format!("scripts have at most {MAX_BUFFERS} buffers"));
        return;
    }
    let mut total = 0;
    for buffer in &parser.buffers {
        if buffer.size == 0 {
            let name = buffer.key.to_string();
            error(
                buffer.line,
                format!("{name} is given neither a size nor data"),
            );
        }
        total += buffer.size;
        if total > MAX_BUFFER {
            let message = format!("buffers have at most {MAX_BUFFER} bytes together");
            error(buffer.line, message);
            return;
        }
    }
    for (
        line,
        BufferRange {
            buffer,
            offset,
            size,
        },
    ) in &parser.ranges
    {
        let decl = &parser.buffers[buffer.0];
        let end = offset.saturating_add(size.unwrap_or(1));
        if end > decl.size {
            error(
                *line,
                format!(
                    "{} has {} bytes, but the part reaches to byte {end}",
                    decl.key, decl.size
                ),
            );
        }
    }
}

/// Reports a capture that does not end, at the line where it begins.
fn check_feedback(parser: &TestParser, errors: &mut Vec<ScriptError>) {
    if let CaptureState::Active(line) = parser.capturing {
        errors.push(ScriptError::new(line, 1, "there is no `xfb end`"));
    }
}
