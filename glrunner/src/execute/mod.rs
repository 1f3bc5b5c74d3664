//! Runs the commands of a script in a context of its own.
//!
//! Commands run one after the other, each to its end, so probes see everything before them. All failures of probes are collected; an
//! error of OpenGL ends the script.

mod bindings;
mod buffers;
mod capture_plan;
mod compute;
mod draws;
#[cfg(test)]
mod dry_run;
mod facts;
mod feedback;
mod fixed;
mod framebuffer;
mod images;
mod lookups;
mod observe;
mod parameters;
mod passthrough;
mod pipeline;
pub(crate) mod programs;
mod queries;
mod sampling;
mod state;
mod state_names;
mod support;
#[cfg(test)]
mod test_support;
mod texture_objects;
#[cfg(test)]
mod texture_tests;
mod textures;
pub(crate) mod verdicts;
mod vertices;

use crate::error::Error;
use crate::gl::Gl;
use crate::options::Observe;
use glasm_scripts::outcome::Failure;
use glasm_scripts::results::{Files, Results};
use glasm_scripts::script::{Command, ParamValue, Script, Step};
use std::rc::Rc;

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The script or a probe is at fault; the next commands run all the same.
    Script(String),
    /// The same, at a line of its own: a program of the script is at fault.
    Program(Failure),
    /// The driver cannot do what the script wants: the script is skipped.
    Lacking(String),
    /// The driver or the system is at fault.
    System(Error),
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self::Script(message)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let lacks = matches!(error, Error::MissingCommand(_) | Error::MissingExtension(_));
        match lacks {
            true => Self::Lacking(error.to_string()),
            false => Self::System(error),
        }
    }
}

/// Everything of a script in its context.
pub(crate) struct Execution<'a> {
    gl: Rc<Gl>,
    script: &'a Script,
    files: Files<'a>,
    programs: programs::Programs,
    framebuffer: Option<framebuffer::ScriptFramebuffer>,
    state: state::State,
    parameters: parameters::Parameters,
    vertices: vertices::Vertices,
    textures: textures::Textures,
    images: images::Images,
    buffers: buffers::Buffers,
    feedback: feedback::Feedback,
    queries: queries::Queries,
    results: Results,
}

/// Runs all commands of a script. `Err` is the reason why the driver cannot.
pub(crate) fn execute(
    gl: &Rc<Gl>,
    script: &Script,
    files: &Files<'_>,
    observe: Observe,
) -> Result<Results, String> {
    let mut execution = Execution::new(gl, script, files, observe);
    let prepared = execution.prepare();
    let is_ready = prepared.is_ok();
    execution.note(None, prepared)?;
    if is_ready {
        for step in &script.steps {
            let result = execution.step(step);
            if !execution.note(Some(step.line), result)? {
                break;
            }
        }
    }
    let observed = execution.observe_end();
    execution.note(None, observed)?;
    execution.picture_attachments();
    Ok(execution.results)
}

impl<'a> Execution<'a> {
    /// Nothing is done yet.
    fn new(gl: &Rc<Gl>, script: &'a Script, files: &Files<'a>, observe: Observe) -> Self {
        Self {
            gl: Rc::clone(gl),
            script,
            files: *files,
            programs: programs::Programs::default(),
            framebuffer: None,
            state: state::State::default(),
            parameters: parameters::Parameters::default(),
            vertices: vertices::Vertices::default(),
            textures: textures::Textures::default(),
            images: images::Images::default(),
            buffers: buffers::Buffers::default(),
            feedback: feedback::Feedback::default(),
            queries: queries::Queries::default(),
            results: Results::observing(observe),
        }
    }
}

impl Execution<'_> {
    /// Keeps failures and messages of the driver; says whether to go on. `Err` is the reason to skip the script.
    fn note(&mut self, line: Option<u32>, result: Result<(), Problem>) -> Result<bool, String> {
        let (failure, go_on) = match result {
            Ok(()) => (None, true),
            Err(Problem::Lacking(reason)) => return Err(reason),
            Err(Problem::Script(message)) => (Some(Failure::new(line, message)), true),
            Err(Problem::Program(failure)) => (Some(failure), true),
            Err(Problem::System(error)) => (Some(Failure::new(line, error.to_string())), false),
        };
        let failures = &mut self.results.failures;
        failures.extend(failure);
        for message in self.gl.take_messages() {
            failures.push(Failure::new(line, format!("OpenGL: {message}")));
        }
        Ok(go_on)
    }

    /// Makes buffers, framebuffer and programs, and sets what holds for the whole script.
    fn prepare(&mut self) -> Result<(), Problem> {
        self.make_buffers()?;
        self.make_framebuffer()?;
        self.set_conventions()?;
        self.set_fixed_state()?;
        self.load_programs()
    }

    #[expect(
        clippy::too_many_lines,
        reason = "a dispatcher with an arm for each command"
    )]
    fn step(&mut self, step: &Step) -> Result<(), Problem> {
        match &step.command {
            Command::Clear(clear) => self.clear(clear)?,
            Command::Draw(draw) => self.draw(draw)?,
            Command::Compute {
                groups,
                size,
                entry_point: _,
            } => self.dispatch(*groups, *size)?,
            Command::Parameter {
                bank,
                stage,
                index,
                value,
            } => match value {
                ParamValue::Words(ty, words) => {
                    self.set_parameter(*bank, *stage, *index, *ty, *words)?;
                }
                ParamValue::Addresses(addresses) => {
                    self.set_addresses(*bank, *stage, *index, addresses)?;
                }
                ParamValue::Handles(units) => self.set_handles(*bank, *stage, *index, units)?,
            },
            Command::Matrix { target, update } => self.update_matrix(*target, *update)?,
            Command::GlState(update) => self.update_state(*update)?,
            Command::Attribute { location, value } => self.set_attribute(*location, *value)?,
            Command::Texture { unit, update } => self.update_texture(*unit, update)?,
            Command::Sampling { unit, sampling } => self.set_sampling(*unit, *sampling)?,
            Command::FixedPointSize(size) => self.set_point_size(*size)?,
            Command::TextureEnables { unit, enables } => self.enable_textures(*unit, *enables)?,
            Command::Image { key, update } => self.update_image(*key, update)?,
            Command::BindImage { place, bound } => self.bind_image(*place, bound)?,
            Command::ProbeImage { key, plane, probe } => {
                self.probe_image(step.line, *key, *plane, probe)?;
            }
            Command::PrintImage { key, plane } => self.print_image(*key, *plane)?,
            Command::BufferData { buffer, data } => self.write_buffer(*buffer, data)?,
            Command::BufferFill { buffer, data } => self.fill_buffer(*buffer, data)?,
            Command::BufferSequence { buffer, sequence } => {
                self.write_sequence(*buffer, sequence)?;
            }
            Command::BufferAddresses {
                buffer,
                offset,
                addresses,
            } => self.write_addresses(*buffer, *offset, addresses)?,
            Command::BindBuffer { target, range } => self.bind_buffer(*target, *range)?,
            Command::BeginCapture => self.begin_capture()?,
            Command::EndCapture => self.end_capture()?,
            Command::ProbeCapture {
                count,
                comparison,
                expected,
            } => self.probe_capture(step.line, *count, *comparison, *expected)?,
            Command::ProbeSamples {
                comparison,
                expected,
            } => self.probe_samples(step.line, *comparison, *expected)?,
            Command::PushData(_) => {
                let reason = "push constants are Vulkan's alone".to_owned();
                return Err(Problem::Lacking(reason));
            }
            Command::ProbePixels(probe) => self.probe_pixels(step.line, probe)?,
            Command::ProbeBuffer {
                buffer,
                expected,
                comparison,
                tolerances,
            } => self.probe_buffer(step.line, *buffer, expected, *comparison, tolerances)?,
            Command::ProbeComponents {
                stage,
                kind,
                comparison,
                expected,
            } => {
                self.probe_components(step.line, *stage, *kind, (*comparison, (*expected).into()))?
            }
            Command::ProbeParameter {
                bank,
                stage,
                index,
                ty,
                expected,
            } => self.probe_parameter(*bank, *stage, *index, *ty, *expected)?,
            Command::PrintBuffer { buffer, range } => self.print_buffer(*buffer, range)?,
            Command::DepthRange(range) => self.set_depth_range(*range)?,
            Command::SaveImage { name, surface } => self.save_image(name, *surface)?,
            Command::Load { spare, error } => self.load_spare(*spare, error.as_ref())?,
            // Compared before anything runs.
            Command::ExpectError(_) | Command::ExpectWarning(_) => {}
        }
        Ok(())
    }
}
