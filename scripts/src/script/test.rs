//! The `[test]` section: one function per first word.
//!
//! State that later commands use (clear values, pipeline state, tolerances, layouts) lives in [`TestParser`] and is copied
//! into each command.

use super::attachments::Attachments;
use super::command::{
    BufferDecl, BufferId, BufferKey, BufferRange, Clear, Command, Divisors, ExpectedError,
    ExpectedPlace, IndexWidth, MatrixTarget, Step,
};
use super::feedback::Capturing;
use super::pipeline_state::PipelineState;
use super::properties::set_property;
use super::require::{Convention, Requirements};
use super::spare::Spare;
use super::stages::{self, ProvokingVertex};
use super::textures::Units;
use super::words::{LineError, Words};
use super::{
    ScriptError, attachments, bindings, buffers, draws, feedback, fixed_function, gl_state,
    pixel_probes, probes, spare, state, textures, vertex_programs,
};
use crate::data::DataLayout;
use crate::probe::{Tolerance, Tolerances};
use crate::texture::{DepthMode, Sampling};
use ash::vk;
use glasm::TransformFeedback;
use glasm::ir::Stage;
use std::collections::HashMap;

/// Reads the lines of the `[test]` section.
#[derive(Debug)]
pub(super) struct TestParser {
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
    /// How many matrices are on the stack of each.
    pub(super) pushed_matrices: HashMap<MatrixTarget, u32>,
    pub(super) buffers: Vec<BufferDecl>,
    /// The first line with a buffer too many.
    pub(super) too_many_buffers: Option<u32>,
    /// Parts of buffers that commands name, with their lines.
    pub(super) ranges: Vec<(u32, BufferRange)>,
    pub(super) push_size: u32,
    pub(super) index_width: IndexWidth,
    pub(super) divisors: Divisors,
    pub(super) convention: Convention,
    /// What the commands need and this runner does not have.
    pub(super) unmet: Vec<String>,
    pub(super) entry_names: Vec<String>,
    pub(super) param_names: Vec<String>,
    pub(super) feedback: TransformFeedback,
    pub(super) capturing: Capturing,
    pub(super) points: gl_state::Points,
    /// Stages and names of the programs that may be loaded.
    pub(super) spares: Vec<(Stage, String)>,
    pub(super) steps: Vec<Step>,
}

/// Reads the rest of a line.
type ParseCommand = fn(&mut TestParser, &mut Words<'_>) -> Result<(), LineError>;

/// Every command by its first word. Lines with other first words set pipeline state.
pub(super) const COMMANDS: &[(&str, ParseCommand)] = &[
    ("active_texture", textures::parse_active_texture),
    ("atomic", bindings::parse_atomic),
    ("attachment", attachments::parse_attachment_command),
    ("bind", bindings::parse_bind),
    ("buffer", buffers::parse_buffer),
    ("clear", attachments::parse_clear),
    ("clipplane", gl_state::parse_clip_plane),
    ("color", |parser, words| {
        state::parse_current(parser, 3, words)
    }),
    ("colormaterial", gl_state::parse_color_material),
    ("compute", draws::parse_compute),
    ("counter", buffers::parse_counter),
    ("depthfunc", fixed_function::parse_depth_func),
    ("depthrange", fixed_function::parse_depth_range),
    ("disable", |parser, words| {
        fixed_function::parse_enable(parser, fixed_function::Switch::Off, words)
    }),
    ("draw", draws::parse_draw),
    ("enable", |parser, words| {
        fixed_function::parse_enable(parser, fixed_function::Switch::On, words)
    }),
    ("expect", parse_expect),
    ("fog", gl_state::parse_fog),
    ("fragment", |parser, words| {
        stages::parse_entry_point(parser, Stage::Fragment, words)
    }),
    ("frustum", state::parse_piglit_frustum),
    ("geometry", |parser, words| {
        stages::parse_entry_point(parser, Stage::Geometry, words)
    }),
    ("image", textures::parse_image),
    ("index", draws::parse_index_type),
    ("light", gl_state::parse_light),
    ("lightmodel", gl_state::parse_light_model),
    ("load", spare::parse_load),
    ("material", gl_state::parse_material),
    ("matrix", state::parse_matrix),
    ("ortho", state::parse_piglit_ortho),
    ("parameter", state::parse_parameter),
    ("patch", draws::parse_patch),
    ("point", gl_state::parse_point),
    ("polygon", fixed_function::parse_polygon_mode),
    ("print", buffers::parse_print),
    ("probe", |parser, words| {
        probes::parse_probe(parser, probes::Coordinates::Pixels, words)
    }),
    ("provoking", stages::parse_provoking),
    ("push", buffers::parse_push),
    ("relative", probes::parse_relative),
    ("save", pixel_probes::parse_save),
    ("ssbo", buffers::parse_ssbo),
    ("state", vertex_programs::parse_state_program),
    ("tess", stages::parse_tessellation),
    ("tessellation", stages::parse_tessellation),
    ("texcoord", state::parse_texcoord),
    ("texenv", gl_state::parse_texenv),
    ("texgen", gl_state::parse_texgen),
    ("texparameter", textures::parse_texparameter),
    ("texture", textures::parse_texture),
    ("tolerance", probes::parse_tolerance),
    ("topology", draws::parse_topology_property),
    ("track", vertex_programs::parse_track),
    ("ubo", buffers::parse_ubo),
    ("uniform", buffers::parse_uniform),
    ("vertex", state::parse_vertex_attrib),
    ("xfb", feedback::parse_xfb),
];

/// What the `[test]` section holds.
pub(super) struct Test {
    pub(super) buffers: Vec<BufferDecl>,
    pub(super) push_size: u32,
    pub(super) unmet: Vec<String>,
    pub(super) entry_names: Vec<String>,
    pub(super) param_names: Vec<String>,
    pub(super) feedback: TransformFeedback,
    pub(super) steps: Vec<Step>,
}

impl TestParser {
    pub(super) fn new(requirements: &Requirements, spares: &[Spare]) -> Self {
        // GL's counter-clockwise triangles look clockwise to Vulkan, whose y axis points down.
        let (front_face, provoking_vertex) = match requirements.convention {
            Convention::Vulkan => (vk::FrontFace::COUNTER_CLOCKWISE, ProvokingVertex::First),
            Convention::OpenGl => (vk::FrontFace::CLOCKWISE, ProvokingVertex::Last),
        };
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
            entry_names: vec![stages::MAIN.to_owned()],
            param_names: Vec::new(),
            convention: requirements.convention,
            unmet: Vec::new(),
            feedback: TransformFeedback::default(),
            capturing: Capturing::No,
            points: gl_state::Points::default(),
            spares: spares
                .iter()
                .map(|spare| (spare.program.stage, spare.name.clone()))
                .collect(),
            steps: Vec::new(),
        }
    }

    /// Reads one line.
    pub(super) fn parse_line(&mut self, line: u32, words: &mut Words<'_>) -> Result<(), LineError> {
        self.line = line;
        let word = words.word("a command")?;
        match COMMANDS.iter().find(|(name, _)| *name == word) {
            Some((_, parse)) => parse(self, words),
            None => set_property(&mut self.pipeline, word, words)
                .unwrap_or_else(|| Err(words.error_at_last(format!("unknown command `{word}`")))),
        }
    }

    /// Ends a line and keeps its command.
    pub(super) fn push(&mut self, words: &Words<'_>, command: Command) -> Result<(), LineError> {
        words.finish()?;
        self.steps.push(Step {
            line: self.line,
            command,
        });
        Ok(())
    }

    /// The buffer of that key, which is made if it is new.
    pub(super) fn buffer(&mut self, key: BufferKey) -> BufferId {
        if let Some(index) = self.buffers.iter().position(|buffer| buffer.key == key) {
            return BufferId(index);
        }
        if self.buffers.len() == bindings::MAX_BUFFERS {
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

    /// Keeps a part of a buffer, to be checked when all sizes are known.
    pub(super) fn note_range(&mut self, range: BufferRange) {
        self.ranges.push((self.line, range));
    }

    /// Checks what can only be known at the end of the section.
    pub(super) fn finish(self, errors: &mut Vec<ScriptError>) -> Test {
        bindings::check_buffers(&self, errors);
        feedback::check_feedback(&self, errors);
        let expects_error = |step: &&Step| matches!(step.command, Command::ExpectError(_));
        if self.steps.iter().any(|step| expects_error(&step)) {
            for step in self.steps.iter().filter(|step| !expects_error(step)) {
                let message = "a script that expects errors can have no other commands";
                errors.push(ScriptError::new(step.line, 1, message));
            }
        }
        Test {
            buffers: self.buffers,
            push_size: self.push_size,
            entry_names: self.entry_names,
            param_names: self.param_names,
            unmet: self.unmet,
            feedback: self.feedback,
            steps: self.steps,
        }
    }
}

/// `expect error|warning CODE [at OFFSET | at START..END | at end | line L col C]`
fn parse_expect(parser: &mut TestParser, words: &mut Words<'_>) -> Result<(), LineError> {
    let command = words.parse_with("`error` or `warning`", |word| match word {
        "error" => Some(Command::ExpectError as fn(ExpectedError) -> Command),
        "warning" => Some(Command::ExpectWarning),
        _ => None,
    })?;
    let expected = parse_error(words)?;
    parser.push(words, command(expected))
}

/// `CODE [at OFFSET | at START..END | at end | line L col C]`
pub(super) fn parse_error(words: &mut Words<'_>) -> Result<ExpectedError, LineError> {
    let code = words.parse_with("an error code", glasm::Code::from_id)?;
    let place = match words.peek() {
        None => None,
        Some(_) => Some(parse_place(words)?),
    };
    Ok(ExpectedError { code, place })
}

fn parse_place(words: &mut Words<'_>) -> Result<ExpectedPlace, LineError> {
    match words.word("a place")? {
        "at" => words.parse_with("a byte offset, START..END or `end`", |word| {
            match word.split_once("..") {
                _ if word == "end" => Some(ExpectedPlace::WholeProgram),
                Some((start, end)) => Some(ExpectedPlace::Bytes {
                    start: start.parse().ok()?,
                    end: end.parse().ok()?,
                }),
                None => Some(ExpectedPlace::Start(word.parse().ok()?)),
            }
        }),
        "line" => {
            let line = words.number("a line number")?;
            words.parse_with("`col`", |word| {
                (word == "col" || word == "column").then_some(())
            })?;
            Ok(ExpectedPlace::Position {
                line,
                column: words.number("a column")?,
            })
        }
        _ => Err(words.error_at_last("expected `at` or `line`")),
    }
}
