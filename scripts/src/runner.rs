//! Execution of the commands of a script on a [`Runner`], which implements them on a device.
//!
//! Commands run sequentially, so probes see everything before them. All failures of probes are
//! collected; an error of the device ends the script.

use crate::data::TypedData;
use crate::image::Image;
use crate::observation::{ObservationMode, plane_name};
use crate::probe::pixels::{PixelProbe, Surface, print_texels};
use crate::results::Failure;
use crate::results::{FileError, OutputFiles, Results};
use crate::script::{
    BindTarget, BoundImage, BufferAddress, BufferId, BufferKey, BufferRange, CaptureCount, Clear,
    Command, CountKind, Draw, ExpectedError, GlOutcome, GroupCount, ImageKey, MatrixTarget,
    MatrixUpdate, ParamBank, ParamType, ParamValue, Script, ScriptStep, StateProgramOutcome,
    StateUpdate, TextureEnables,
};
use crate::texture::{PlaneId, Sampling, TextureUpdate};
use crate::timing::{Clock, Phase};
use glasm::ir::Stage;
use glasm::state::MatrixTracking;
use std::borrow::Cow;
use std::fmt::Display;
use std::rc::Rc;

/// Reason why a command did not succeed.
#[derive(Debug)]
pub enum CommandError<E> {
    /// The script or a probe is at fault; the next commands run nevertheless.
    Script(String),
    /// Failure at a line of a program of the script, which is reported instead of the line of the
    /// command.
    Program(Failure),
    /// Feature that the script needs and the device lacks: the script is skipped.
    Unsupported(String),
    /// The device or the system is at fault.
    System(E),
}

impl<E> From<String> for CommandError<E> {
    fn from(message: String) -> Self {
        Self::Script(message)
    }
}

/// Result of a command of a runner `R`.
type CommandResult<R> = RunnerResult<R, ()>;
type RunnerResult<R, T> = Result<T, CommandError<<R as Runner>::Error>>;

/// Commands of scripts, as a device executes them. Unsupported operations are reported as
/// [`CommandError::Unsupported`].
#[expect(clippy::missing_errors_doc, reason = "errors are those of the device")]
pub trait Runner: Sized {
    /// Error of the device or the system.
    type Error: Display;

    /// Creates the objects that exist during the whole script, before its first command.
    fn prepare(&mut self) -> CommandResult<Self>;
    /// Returns the messages of device and driver since the last call, each with its source; each is
    /// a failure of the script.
    fn take_messages(&mut self) -> Vec<String>;
    /// Prepares the execution of a command: called with every command before it runs. The default
    /// does nothing.
    fn begin_command(&mut self, _command: &Command) {}
    /// Returns the clock that measures the time of probes; `None` if nothing is measured.
    fn clock(&self) -> Option<Rc<Clock>> {
        None
    }
    /// Returns true if attachments, buffers and images can be read at the end of the script, which
    /// the default assumes.
    fn is_readable(&self) -> bool {
        true
    }
    /// Converts the error of writing an output file to a failure of the command.
    fn write_error(error: FileError) -> CommandError<Self::Error> {
        CommandError::Script(error.to_string())
    }

    /// Executes `clear`.
    fn clear(&mut self, clear: &Clear) -> CommandResult<Self>;
    /// Executes `draw ...`.
    fn draw(&mut self, draw: &Draw) -> CommandResult<Self>;
    /// Executes `compute ...` with a number of groups, their size if the program leaves it open,
    /// and the index of the name of the entry point.
    fn dispatch(
        &mut self,
        groups: GroupCount,
        size: Option<[u32; 3]>,
        entry: usize,
    ) -> CommandResult<Self>;
    /// Sets a parameter of programs.
    fn set_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        value: &ParamValue,
    ) -> CommandResult<Self>;
    /// Compares a parameter with the expected result of a query of a type; `None` expects that it
    /// was set with another type. A difference is an error.
    fn probe_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> CommandResult<Self>;
    /// Returns the bits of the components of a parameter, as a query for floats returns them.
    fn query_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
    ) -> RunnerResult<Self, [u32; 4]>;
    /// Sets the matrix that four parameters of vertex programs from `address` on track; `None` ends
    /// tracking.
    fn track_matrix(
        &mut self,
        address: u32,
        tracking: Option<MatrixTracking>,
    ) -> CommandResult<Self>;
    /// Executes a vertex state program with these bits of v\[0\]: the alternate program with this
    /// index, or the program of the section without a name. A different outcome than the expected
    /// one is an error.
    fn run_state_program(
        &mut self,
        alternate: Option<usize>,
        argument: [u32; 4],
        outcome: StateProgramOutcome,
    ) -> CommandResult<Self>;
    /// Changes a matrix of GL state.
    fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) -> CommandResult<Self>;
    /// Applies a change of GL state other than matrices.
    fn update_state(&mut self, update: StateUpdate) -> CommandResult<Self>;
    /// Sets the depth range of the viewport.
    fn set_depth_range(&mut self, range: [f32; 2]) -> CommandResult<Self>;
    /// Sets the current value of a vertex attribute.
    fn set_attribute(&mut self, location: u32, value: [f32; 4]) -> CommandResult<Self>;
    /// Sets the maximum number of vertices that the geometry program emits. A different outcome
    /// than the expected one is an error.
    fn set_vertex_limit(&mut self, limit: i64, outcome: GlOutcome) -> CommandResult<Self>;
    /// Sets the size of all points in pixels; `None` leaves it to programs. The default does
    /// nothing, for runners that compile the size into programs.
    fn set_point_size(&mut self, _size: Option<f32>) -> CommandResult<Self> {
        Ok(())
    }
    /// Loads the alternate program with this index, which replaces that of its stage, unless it has
    /// the expected error. The default does nothing, for runners that compile all programs in
    /// advance.
    fn load_program(
        &mut self,
        _alternate: usize,
        _error: Option<&ExpectedError>,
    ) -> CommandResult<Self> {
        Ok(())
    }
    /// Writes values into the push constants, at the offset in the data.
    fn write_push_constants(&mut self, data: &TypedData) -> CommandResult<Self>;

    /// Creates or updates a texture.
    fn update_texture(&mut self, unit: u32, update: &TextureUpdate) -> CommandResult<Self>;
    /// Sets how a texture is sampled.
    fn set_sampling(&mut self, unit: u32, sampling: Sampling) -> CommandResult<Self>;
    /// Sets the textures that a unit has enabled for draws without fragment program. The default
    /// does nothing, for runners that generate programs for such draws.
    fn enable_textures(&mut self, _unit: u32, _enables: TextureEnables) -> CommandResult<Self> {
        Ok(())
    }
    /// Creates or updates a storage image.
    fn update_image(&mut self, key: ImageKey, update: &TextureUpdate) -> CommandResult<Self>;
    /// Binds a part of an image to the image unit or binding of another one.
    fn bind_image(&mut self, binding: ImageKey, bound: &BoundImage) -> CommandResult<Self>;
    /// Reads a plane of a storage image.
    fn read_image(&mut self, key: ImageKey, plane: PlaneId) -> RunnerResult<Self, Image>;
    /// Returns the planes of storage images that programs can have written, with the keys of their
    /// images.
    fn used_planes(&self) -> Vec<(ImageKey, PlaneId)>;

    /// Returns the number of existing buffers.
    fn buffer_count(&self) -> usize;
    /// Returns the contents of a buffer, with the size that the script declares.
    fn buffer_contents(&self, buffer: BufferId) -> RunnerResult<Self, Cow<'_, [u8]>>;
    /// Changes bytes of a buffer before the offset `end` by calling `write` with at least the bytes
    /// up to it.
    fn update_buffer(
        &mut self,
        buffer: BufferId,
        end: u64,
        write: &dyn Fn(&mut [u8]),
    ) -> CommandResult<Self>;
    /// Makes a buffer accessible by address from now on, and returns the address of an offset in
    /// it.
    fn resident_address(&mut self, address: BufferAddress) -> RunnerResult<Self, u64>;
    /// Binds a range of a buffer.
    fn bind_buffer(&mut self, target: BindTarget, range: BufferRange) -> CommandResult<Self>;

    /// Begins capturing the vertices of subsequent draws, from the start of the buffers on.
    fn begin_capture(&mut self) -> CommandResult<Self>;
    /// Ends capturing vertices.
    fn end_capture(&mut self) -> CommandResult<Self>;
    /// Returns a count of the current or last capture.
    fn capture_count(&mut self, count: CaptureCount) -> RunnerResult<Self, u64>;
    /// Returns the number of samples of the last draw that passed all tests.
    fn sample_count(&mut self) -> RunnerResult<Self, u64>;
    /// Returns how many resources of a kind, such as instructions, the program of a stage uses.
    fn resource_count(&mut self, stage: Stage, kind: CountKind) -> RunnerResult<Self, u64>;

    /// Returns true if there is a framebuffer.
    fn has_framebuffer(&self) -> bool;
    /// Reads the contents of a surface; `None` if the framebuffer does not have it.
    fn read_surface(&self, surface: Surface) -> RunnerResult<Self, Option<Image>>;
}

/// Prepares the runner and runs all commands of a script until the device fails; then records the
/// final state if `observe` requests it, and saves images if the script has failed. Returns the
/// results, with all failures.
///
/// # Errors
/// If the device lacks a feature that was only detected at run time: the reason to skip the script.
pub fn run_script<R: Runner>(
    runner: &mut R,
    script: &Script,
    files: OutputFiles<'_>,
    observe: ObservationMode,
) -> Result<Results, String> {
    let results = Results::with_observation(observe);
    let mut run = ScriptRun {
        script,
        files,
        results,
    };
    let prepared = runner.prepare();
    let is_ready = prepared.is_ok();
    run.record_result(runner, None, prepared)?;
    if is_ready {
        for step in &script.steps {
            let result = run.run_step(runner, step);
            if !run.record_result(runner, Some(step.line), result)? {
                break;
            }
        }
    }
    // The output of programs is of most interest if a command failed.
    let observed = run.observe_final_state(runner);
    run.record_result(runner, None, observed)?;
    run.save_failed_attachments(runner);
    run.record_result(runner, None, Ok(()))?;
    Ok(run.results)
}

/// Run of a script.
pub struct ScriptRun<'a> {
    /// Script.
    pub script: &'a Script,
    /// Files that it may write.
    pub files: OutputFiles<'a>,
    /// Results accumulated by the commands executed until now.
    pub results: Results,
}

impl ScriptRun<'_> {
    /// Records the failure of a command and the messages of the driver, with the line; an error of
    /// a program has its own line. Returns false after an error of the device or the system, which
    /// ends the script. `Err` is the reason to skip the script.
    fn record_result<R: Runner>(
        &mut self,
        runner: &mut R,
        line: Option<u32>,
        result: CommandResult<R>,
    ) -> Result<bool, String> {
        let (failure, go_on) = match result {
            Ok(()) => (None, true),
            Err(CommandError::Unsupported(reason)) => return Err(reason),
            Err(CommandError::Script(message)) => (Some(Failure::new(line, message)), true),
            Err(CommandError::Program(failure)) => (Some(failure), true),
            Err(CommandError::System(error)) => {
                (Some(Failure::new(line, error.to_string())), false)
            }
        };
        let messages = runner.take_messages().into_iter();
        let messages = messages.map(|message| Failure::new(line, message));
        self.results
            .failures
            .extend(failure.into_iter().chain(messages));
        Ok(go_on)
    }

    /// Runs one command of a script on the runner: a draw, dispatch, change of state, probe or
    /// output. Failed probes and printed values are added to the results.
    ///
    /// # Errors
    /// The failure of a command, or an error of the device.
    #[expect(
        clippy::too_many_lines,
        reason = "a dispatcher with an arm for each command"
    )]
    pub fn run_step<R: Runner>(&mut self, runner: &mut R, step: &ScriptStep) -> CommandResult<R> {
        let clock = runner.clock().filter(|_| is_probe_timed(&step.command));
        let _probing = clock.as_ref().map(|clock| clock.enter(Phase::Probes));
        runner.begin_command(&step.command);
        let line = step.line;
        match &step.command {
            Command::Clear(clear) => runner.clear(clear),
            Command::Draw(draw) => runner.draw(draw),
            Command::Compute {
                groups,
                size,
                entry_point,
            } => runner.dispatch(*groups, *size, *entry_point),
            Command::Parameter {
                bank,
                stage,
                index,
                value,
            } => runner.set_parameter(*bank, *stage, *index, value),
            Command::Matrix { target, update } => runner.update_matrix(*target, *update),
            Command::Track { address, tracking } => runner.track_matrix(*address, *tracking),
            Command::StateProgram {
                alternate,
                argument,
                outcome,
            } => runner.run_state_program(*alternate, *argument, *outcome),
            Command::GlState(update) => runner.update_state(*update),
            Command::VertexLimit { limit, outcome } => runner.set_vertex_limit(*limit, *outcome),
            Command::Attribute { location, value } => runner.set_attribute(*location, *value),
            Command::Texture { unit, update } => runner.update_texture(*unit, update),
            Command::Sampling { unit, sampling } => runner.set_sampling(*unit, *sampling),
            Command::FixedPointSize(size) => runner.set_point_size(*size),
            Command::TextureEnables { unit, enables } => runner.enable_textures(*unit, *enables),
            Command::Image { key, update } => runner.update_image(*key, update),
            Command::BindImage { binding, bound } => runner.bind_image(*binding, bound),
            Command::ProbeImage { key, plane, probe } => {
                let picture = runner.read_image(*key, *plane)?;
                let results = &mut self.results;
                Ok(results.probe_image(line, (*key, *plane), probe, &picture)?)
            }
            Command::PrintImage { key, plane } => {
                let picture = print_texels(&runner.read_image(*key, *plane)?);
                let name = plane_name(*key, *plane);
                self.results.printed.push(format!("{name}:{picture}"));
                Ok(())
            }
            Command::BufferData { buffer, data } => {
                runner.update_buffer(*buffer, data.end(), &|bytes| data.write(bytes))
            }
            Command::BufferFill { buffer, data } => {
                let size = self.script.buffers[buffer.0].size;
                runner.update_buffer(*buffer, size, &|bytes| {
                    data.repeat_to_fill(size).write(bytes)
                })
            }
            Command::BufferSequence { buffer, sequence } => {
                runner.update_buffer(*buffer, sequence.end(), &|bytes| sequence.write(bytes))
            }
            Command::BufferAddresses {
                buffer,
                offset,
                addresses,
            } => write_addresses(runner, *buffer, *offset, addresses),
            Command::BindBuffer { target, range } => runner.bind_buffer(*target, *range),
            Command::BeginCapture => runner.begin_capture(),
            Command::EndCapture => runner.end_capture(),
            Command::ProbeCapture {
                count,
                comparison,
                expected,
            } => {
                let (observed, expected) =
                    (runner.capture_count(*count)?, (*comparison, *expected));
                Ok(self.results.probe_count(line, count, observed, expected)?)
            }
            Command::ProbeSamples {
                comparison,
                expected,
            } => {
                let (observed, expected) = (runner.sample_count()?, (*comparison, *expected));
                let results = &mut self.results;
                Ok(results.probe_count(line, "samples drawn", observed, expected)?)
            }
            Command::PushData(data) => runner.write_push_constants(data),
            Command::ProbePixels(probe) => self.probe_pixels(runner, line, probe),
            Command::ProbeBuffer {
                buffer,
                expected,
                comparison,
                tolerances,
            } => {
                let name = self.script.buffers[buffer.0].key.to_string();
                let (contents, how) = (runner.buffer_contents(*buffer)?, (*comparison, tolerances));
                let results = &mut self.results;
                Ok(results.probe_values(line, &name, &contents, expected, how)?)
            }
            Command::ProbeCount {
                stage,
                kind,
                comparison,
                expected,
            } => {
                let observed = runner.resource_count(*stage, *kind)?;
                let count_name = format!("{} of the {} program", kind.keyword(), stage.name());
                let expected = (*comparison, (*expected).into());
                Ok(self
                    .results
                    .probe_count(line, count_name, observed, expected)?)
            }
            Command::ProbeParameter {
                bank,
                stage,
                index,
                ty,
                expected,
            } => runner.probe_parameter(*bank, *stage, *index, *ty, *expected),
            Command::CompareParameter {
                bank,
                stage,
                index,
                expected,
                comparison,
                tolerances,
            } => {
                let words = runner.query_parameter(*bank, *stage, *index)?;
                let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
                let how = (*comparison, tolerances);
                Ok(self
                    .results
                    .probe_values(line, "the parameter", &bytes, expected, how)?)
            }
            Command::PrintBuffer { buffer, range } => {
                let values = range.print(&runner.buffer_contents(*buffer)?)?;
                let name = match &self.script.buffers[buffer.0].key {
                    BufferKey::Named(name) => name.clone(),
                    key @ BufferKey::Descriptor { .. } => key.to_string(),
                };
                self.results.printed.push(format!("{name}: {values}"));
                Ok(())
            }
            Command::DepthRange(range) => runner.set_depth_range(*range),
            Command::SaveImage { name, surface } => self.save_image(runner, name, *surface),
            Command::Load { alternate, error } => runner.load_program(*alternate, error.as_ref()),
            // Traced after the run.
            Command::TracePixel { .. } => Ok(()),
            // Compared before the first command runs.
            Command::ExpectError(_) | Command::ExpectWarning(_) => Ok(()),
        }
    }

    /// Checks a `probe` of pixels, which is recorded if observations are; saves an image of the
    /// difference if it fails. Returns an error if the probe fails or the surface does not exist.
    fn probe_pixels<R: Runner>(
        &mut self,
        runner: &R,
        line: u32,
        probe: &PixelProbe,
    ) -> CommandResult<R> {
        let order = self.script.requirements.convention.row_order();
        let image = read_existing_surface(runner, probe.surface)?;
        let results = &mut self.results;
        Ok(results.probe_pixels(&self.files, line, probe, &image, order)?)
    }

    /// Executes `save`: writes a surface as an upright PNG file and records its path in the
    /// results. Does nothing if no directory for images was requested. Returns an error if the
    /// surface does not exist or the file cannot be written.
    fn save_image<R: Runner>(
        &mut self,
        runner: &R,
        name: &str,
        surface: Surface,
    ) -> CommandResult<R> {
        if self.files.save_images.is_none() {
            return Ok(());
        }
        let order = self.script.requirements.convention.row_order();
        let image = read_existing_surface(runner, surface)?;
        let saved = self.results.save_image(&self.files, name, &image, order);
        saved.map_err(R::write_error)
    }

    /// Returns all surfaces of the framebuffer, by attachment, layer and sample; empty without a
    /// framebuffer.
    fn readable_surfaces<R: Runner>(&self, runner: &R) -> Vec<Surface> {
        if runner.has_framebuffer() {
            self.script.requirements.attachments.surfaces()
        } else {
            Vec::new()
        }
    }

    /// Records all attachments, buffers and storage images at the end of the script, if
    /// observations are recorded and the device can be read.
    fn observe_final_state<R: Runner>(&mut self, runner: &mut R) -> CommandResult<R> {
        if !self.results.is_observing() || !runner.is_readable() {
            return Ok(());
        }
        for surface in self.readable_surfaces(runner) {
            let image = read_existing_surface(runner, surface)?;
            self.results.observe_surface(surface, &image);
        }
        for buffer in (0..runner.buffer_count()).map(BufferId) {
            let contents = runner.buffer_contents(buffer)?;
            self.results.observe_buffer(self.script, buffer, &contents);
        }
        for (key, plane) in runner.used_planes() {
            let image = runner.read_image(key, plane)?;
            self.results.observe_image(key, plane, &image);
        }
        Ok(())
    }

    /// Saves images of all attachments, if the script has failed and the device can be read.
    fn save_failed_attachments<R: Runner>(&mut self, runner: &R) {
        if runner.is_readable() {
            let order = self.script.requirements.convention.row_order();
            let surfaces = self.readable_surfaces(runner);
            let read = |surface| read_existing_surface(runner, surface).ok();
            self.results
                .save_attachment_images(&self.files, &surfaces, order, read);
        }
    }
}

/// Reads the pixels of a surface of the framebuffer. Returns an error that fails the command if
/// the script has no framebuffer, or if that lacks the surface.
fn read_existing_surface<R: Runner>(runner: &R, surface: Surface) -> RunnerResult<R, Image> {
    if !runner.has_framebuffer() {
        return Err("there is no framebuffer".to_owned().into());
    }
    let image = runner.read_surface(surface)?;
    image.ok_or_else(|| format!("the framebuffer has not {surface}").into())
}

/// Writes the 64-bit addresses of locations in buffers into a buffer at an offset in bytes, and
/// makes the addressed buffers resident.
fn write_addresses<R: Runner>(
    runner: &mut R,
    buffer: BufferId,
    offset: u64,
    addresses: &[BufferAddress],
) -> CommandResult<R> {
    let mut written = Vec::new();
    for address in addresses {
        written.extend(runner.resident_address(*address)?.to_le_bytes());
    }
    let end = offset + written.len() as u64;
    runner.update_buffer(buffer, end, &|bytes| {
        bytes[offset as usize..end as usize].copy_from_slice(&written);
    })
}

/// Returns true if the time of a command is attributed to probes.
fn is_probe_timed(command: &Command) -> bool {
    matches!(
        command,
        Command::ProbePixels(_)
            | Command::ProbeImage { .. }
            | Command::ProbeSamples { .. }
            | Command::ProbeBuffer { .. }
            | Command::ProbeCount { .. }
            | Command::ProbeParameter { .. }
            | Command::CompareParameter { .. }
    )
}

/// Selection of the device to run on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum DeviceChoice {
    /// Fastest available kind of device: a GPU if there is one, otherwise a CPU device.
    #[default]
    Best,
    /// Device by number, in the order of the runner.
    Index(usize),
    /// First device whose name contains this text, ignoring case. Runners may support other names,
    /// too: Vulkan's finds `lavapipe`, OpenGL's the vendor.
    Name(String),
}

impl DeviceChoice {
    /// Parses a number as an index and anything else as part of a name.
    pub fn parse(text: &str) -> Self {
        match text.parse() {
            Ok(index) => Self::Index(index),
            Err(_) => Self::Name(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_choose_by_index() {
        assert_eq!(DeviceChoice::parse("1"), DeviceChoice::Index(1));
        assert_eq!(
            DeviceChoice::parse("llvmpipe"),
            DeviceChoice::Name("llvmpipe".into())
        );
    }
}
