//! Scripts: from the text of a `.shader_test` file to programs, vertex data and commands. No Vulkan calls here.
//!
//! Everything about a script that does not depend on the device is decided while reading: pipeline state, clear values, and
//! tolerances in force are stored with each command, buffer sizes are known at the end, and every bad line is reported.
//! `docs/scripts.md` describes the language.

pub mod attachments;
mod bindings;
mod buffers;
pub mod command;
mod draws;
mod feedback;
pub mod fixed;
mod fixed_function;
mod fixed_keys;
mod fixed_state;
mod gl_state;
mod handles;
pub(crate) mod names;
mod origin;
mod outline;
pub mod pipeline_state;
mod pixel_probes;
mod probes;
mod program_state;
mod properties;
mod queries;
mod require;
mod section;
mod spare;
pub mod stages;
mod state;
pub mod streams;
mod test;
mod texels;
mod textures;
mod vertex_data;
mod vertex_programs;
mod words;

pub use attachments::Attachments;
pub use command::{
    Assembly, BindTarget, BoundImage, BufferAddress, BufferDecl, BufferId, BufferKey, BufferKind,
    BufferRange, CaptureCount, Clear, Command, CountKind, Draw, DrawSource, Execution,
    ExpectedError, ExpectedPlace, GlOutcome, Groups, ImageKey, IndexWidth, MatrixTarget,
    MatrixUpdate, ParamBank, ParamType, ParamValue, Step, captured_ranges,
};
pub use fixed_function::Switch;
pub use fixed_keys::{FixedFunctions, FixedReads, VertexProcessing};
pub use fixed_state::{CombinedLanes, EnvironmentMode, FixedCapability, FixedUpdate, TexEnvUpdate};
pub use gl_state::{Faces, FogUpdate, LightUpdate, MaterialUpdate, PointUpdate, StateUpdate};
pub use handles::HandleUnit;
pub use origin::Origin;
pub use outline::{ProgramLabel, is_script, program_labels};
pub use program_state::{MAX_STATES, PatchState, ProgramState, TextureEnables};
pub use require::{Convention, Requirements};
pub use section::ProgramForm;
pub use spare::Spare;
pub use textures::target_name;
pub use vertex_data::{Column, VertexData};

use ash::vk::{PolygonMode, PrimitiveTopology};
use glasm::ir::Stage;
use glasm::{ProgramType, TransformFeedback};
use section::{Section, SectionKind, logical_lines, split_sections};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use words::{LineError, Words};

/// Something wrong with a line of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptError {
    /// The line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl ScriptError {
    fn new(line: u32, column: u32, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            message: message.into(),
        }
    }

    fn at(line: u32, error: LineError) -> Self {
        Self {
            line,
            column: error.column,
            message: error.message,
        }
    }
}

/// A program section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramSection {
    /// The type that the program must have.
    pub program_type: ProgramType,
    /// The stage that the program is for.
    pub stage: Stage,
    /// In what form the program is given.
    pub form: ProgramForm,
    /// The program's bytes; those of a SPIR-V module for [`ProgramForm::SpirvWords`].
    pub text: Vec<u8>,
    /// Line of the header.
    pub line: u32,
    /// Where its bytes stand in the script.
    pub origin: Origin,
}

/// A script, ready to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Script {
    /// The text of the script.
    pub text: Arc<[u8]>,
    /// What the device and the framebuffer must be.
    pub requirements: Requirements,
    /// The programs of the stages, in the order of the script; a stage has several only in GLSL.
    pub programs: Vec<ProgramSection>,
    /// Programs that commands load.
    pub spares: Vec<Spare>,
    /// Vertices; `None` without such a section.
    pub vertex_data: Option<VertexData>,
    /// The numbers of `[indices]`.
    pub indices: Vec<u32>,
    /// Buffers with their final sizes; a [`BufferId`] is an index into it.
    pub buffers: Vec<BufferDecl>,
    /// Bytes of push constants.
    pub push_size: u32,
    /// Names of entry points, `main` first.
    pub entry_names: Vec<String>,
    /// Names of parameters that commands set or probe.
    pub param_names: Vec<String>,
    /// What programs capture.
    pub feedback: TransformFeedback,
    /// The commands, in order.
    pub steps: Vec<Step>,
}

/// The ids on the `# covers:` lines of a script, which may stand anywhere in it.
pub fn read_covers(text: &[u8]) -> Vec<String> {
    let mut ids = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Some(comment) = line.trim_ascii_start().strip_prefix(b"#") else {
            continue;
        };
        if let Some(list) = comment.trim_ascii_start().strip_prefix(b"covers:") {
            ids.extend(
                String::from_utf8_lossy(list)
                    .split_ascii_whitespace()
                    .map(str::to_owned),
            );
        }
    }
    ids
}

impl Script {
    /// Whether a command has to do with the framebuffer.
    pub fn uses_framebuffer(&self) -> bool {
        self.steps.iter().any(|step| {
            matches!(
                &step.command,
                Command::Clear(_)
                    | Command::Draw(_)
                    | Command::ProbePixels(_)
                    | Command::SaveImage { .. }
            )
        })
    }

    /// Whether a draw makes points.
    pub fn draws_points(&self) -> bool {
        self.steps.iter().any(|step| {
            matches!(&step.command, Command::Draw(draw)
                if draw.topology == PrimitiveTopology::POINT_LIST || draw.state.polygon_mode == PolygonMode::POINT)
        })
    }

    /// Reads a script that is to be run: all bad lines are reported, in order, and stages that draws need are added.
    ///
    /// # Errors
    /// If lines cannot be read, or if stages are missing, or mixed so that nothing can run.
    pub fn read(text: &[u8]) -> Result<Self, Vec<ScriptError>> {
        let mut script = Self::parse(text)?;
        script.complete_stages().map_err(|error| vec![error])?;
        Ok(script)
    }

    /// Adds the stages that draws need and the script leaves out.
    ///
    /// # Errors
    /// If stages are missing, or mixed so that nothing can run.
    pub fn complete_stages(&mut self) -> Result<(), ScriptError> {
        stages::complete(&mut self.programs, &self.steps, &self.requirements)
    }

    /// Reads a script; all bad lines are reported, in order.
    pub fn parse(text: &[u8]) -> Result<Self, Vec<ScriptError>> {
        let mut errors = Vec::new();
        let sections = split_sections(text, &mut errors);
        if sections.is_empty() && errors.is_empty() {
            errors.push(ScriptError {
                line: 1,
                column: 1,
                message: "the script is empty: it has no section".to_owned(),
            });
        }
        let mut requirements = Requirements::default();
        for_sections(
            &sections,
            SectionKind::Require,
            &mut errors,
            |line, words| require::parse_requirement(&mut requirements, line, words),
        );
        if let Some(message) = attachments::excess(&requirements) {
            errors.push(ScriptError::new(requirements.framebuffer_line, 1, message));
        }
        let mut indices = Vec::new();
        for_sections(&sections, SectionKind::Indices, &mut errors, |_, words| {
            parse_indices(&mut indices, words)
        });
        let vertex_data = parse_vertex_data(&sections, &mut errors);
        let spares: Vec<Spare> = sections.iter().filter_map(spare::read_spare).collect();
        let mut test = test::TestParser::new(&requirements, &spares);
        for_sections(&sections, SectionKind::Test, &mut errors, |line, words| {
            test.parse_line(line, words)
        });
        let test = test.finish(&mut errors);
        requirements.unmet.extend(test.unmet);
        let mut programs = Vec::new();
        for section in &sections {
            programs.extend(program_section(section, &mut errors));
        }
        let mut script = Self {
            text: text.into(),
            requirements,
            programs,
            spares,
            vertex_data,
            indices,
            buffers: test.buffers,
            push_size: test.push_size,
            entry_names: test.entry_names,
            param_names: test.param_names,
            feedback: test.feedback,
            steps: test.steps,
        };
        if errors.is_empty() {
            script.check_spares(&mut errors);
            script.resolve_streams(&mut errors);
        }
        if errors.is_empty() {
            return Ok(script);
        }
        errors.sort_by_key(|error| (error.line, error.column));
        Err(errors)
    }
}

impl Script {
    /// Buffers into which vertices are captured.
    pub fn captured_buffers(&self) -> BTreeSet<BufferId> {
        let is_feedback = |decl: &BufferDecl| {
            matches!(
                decl.key,
                BufferKey::Bound {
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

    /// All places to which the script binds buffers.
    pub fn bind_targets(&self) -> Vec<BindTarget> {
        let own = self.buffers.iter().filter_map(|decl| match decl.key {
            BufferKey::Bound { kind, set, binding } => {
                Some(BindTarget::Bound { kind, set, binding })
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

    /// Buffers whose address some command takes.
    pub fn addressed_buffers(&self) -> BTreeSet<BufferId> {
        let mut found = BTreeSet::new();
        for step in &self.steps {
            if let Command::Parameter {
                value: ParamValue::Addresses(addresses),
                ..
            }
            | Command::BufferAddresses { addresses, .. } = &step.command
            {
                found.extend(addresses.iter().map(|address| address.buffer));
            }
        }
        found
    }
}

fn program_section(section: &Section<'_>, errors: &mut Vec<ScriptError>) -> Option<ProgramSection> {
    match section.kind {
        SectionKind::Program(program_type, form) => Some(ProgramSection {
            program_type,
            stage: program_type.stage(),
            form,
            text: match form {
                ProgramForm::SpirvWords => parse_module_words(section, errors),
                ProgramForm::Assembly
                | ProgramForm::Ir
                | ProgramForm::Glsl
                | ProgramForm::SpirvText
                | ProgramForm::PassThrough
                | ProgramForm::FixedFunction => section.body.to_vec(),
            },
            line: section.line,
            origin: Origin::of(section),
        }),
        SectionKind::RepeatedProgram(program_type) => {
            let (text, origin) = spare::expand(section, errors);
            Some(ProgramSection {
                program_type,
                stage: program_type.stage(),
                form: ProgramForm::Assembly,
                text,
                line: section.line,
                origin,
            })
        }
        SectionKind::SpareProgram(_)
        | SectionKind::Comment
        | SectionKind::Require
        | SectionKind::VertexData
        | SectionKind::Indices
        | SectionKind::Test => None,
    }
}

/// Hands every line of the sections of a kind to `parse`.
fn for_sections(
    sections: &[Section<'_>],
    kind: SectionKind,
    errors: &mut Vec<ScriptError>,
    mut parse: impl FnMut(u32, &mut Words<'_>) -> Result<(), LineError>,
) {
    for section in sections.iter().filter(|section| section.kind == kind) {
        for (line, text) in logical_lines(section, errors) {
            let result = Words::split(&text).and_then(|mut words| match words.is_empty() {
                true => Ok(()),
                false => parse(line, &mut words),
            });
            errors.extend(result.err().map(|error| ScriptError::at(line, error)));
        }
    }
}

/// The bytes of a module that is given as hexadecimal words without prefix.
fn parse_module_words(section: &Section<'_>, errors: &mut Vec<ScriptError>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for_sections(
        std::slice::from_ref(section),
        section.kind,
        errors,
        |_, words| {
            while !words.is_empty() {
                let word = words.parse_with("a hexadecimal word", |word| {
                    let digits = word.bytes().all(|byte| byte.is_ascii_hexdigit());
                    u32::from_str_radix(word, 16).ok().filter(|_| digits)
                })?;
                bytes.extend(word.to_le_bytes());
            }
            Ok(())
        },
    );
    let magic = bytes.get(..4) == Some(&0x0723_0203u32.to_le_bytes());
    let complete = errors.is_empty();
    if complete && (!magic || bytes.len() < 20) {
        errors.push(ScriptError::new(
            section.line,
            1,
            "this is no SPIR-V module",
        ));
    }
    bytes
}

fn parse_indices(indices: &mut Vec<u32>, words: &mut Words<'_>) -> Result<(), LineError> {
    while !words.is_empty() {
        indices.push(words.unsigned32("an index")?);
    }
    Ok(())
}

fn parse_vertex_data(
    sections: &[Section<'_>],
    errors: &mut Vec<ScriptError>,
) -> Option<VertexData> {
    let mut data: Option<VertexData> = None;
    let mut header_is_bad = false;
    for_sections(
        sections,
        SectionKind::VertexData,
        errors,
        |_, words| match &mut data {
            // Rows cannot be judged without the header.
            None if header_is_bad => Ok(()),
            None => {
                header_is_bad = true;
                data = Some(VertexData::parse_header(words)?);
                Ok(())
            }
            Some(data) => data.parse_row(words),
        },
    );
    data
}

#[cfg(test)]
mod buffer_tests;
#[cfg(test)]
mod feedback_tests;
#[cfg(test)]
mod manual;
#[cfg(test)]
mod robustness;
#[cfg(test)]
mod tests;
