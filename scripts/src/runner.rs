//! Execution of the commands of a script on a [`Runner`], which implements them on a device.
//!
//! Commands run sequentially, so probes see everything before them. All failures of probes are
//! collected; an error of the device ends the script.

use crate::data::TypedData;
use crate::image::Image;
use crate::observation::{Observe, plane_name};
use crate::outcome::Failure;
use crate::probe::pixels::{PixelProbe, Surface, print_picture};
use crate::results::{FileError, Files, Results};
use crate::script::{
    BindTarget, BoundImage, BufferAddress, BufferId, BufferKey, BufferRange, CaptureCount, Clear,
    Command, CountKind, Draw, Execution, ExpectedError, GlOutcome, Groups, ImageKey, MatrixTarget,
    MatrixUpdate, ParamBank, ParamType, ParamValue, Script, StateUpdate, Step, TextureEnables,
};
use crate::texture::{PlaneId, Sampling, Update};
use crate::timing::{Clock, Phase};
use glasm::ir::Stage;
use glasm::state::Tracking;
use std::borrow::Cow;
use std::fmt::Display;
use std::rc::Rc;

/// Reason why a command did not succeed.
#[derive(Debug)]
pub enum Problem<E> {
    /// The script or a probe is at fault; the next commands run nevertheless.
    Script(String),
    /// Failure at a line of a program of the script, which is reported instead of the line of the
    /// command.
    Program(Failure),
    /// Feature that the script needs and the device lacks: the script is skipped.
    Lacking(String),
    /// The device or the system is at fault.
    System(E),
}

impl<E> From<String> for Problem<E> {
    fn from(message: String) -> Self {
        Self::Script(message)
    }
}

/// Result of a command of a runner `R`.
type Done<R> = Outcome<R, ()>;
type Outcome<R, T> = Result<T, Problem<<R as Runner>::Error>>;

/// Commands of scripts, as a device executes them. Unsupported operations are reported as
/// [`Problem::Lacking`].
#[expect(clippy::missing_errors_doc, reason = "errors are those of the device")]
pub trait Runner: Sized {
    /// Error of the device or the system.
    type Error: Display;

    /// Creates the objects for the whole script.
    fn prepare(&mut self) -> Done<Self>;
    /// Returns the messages of device and driver since the last call, each with its source.
    fn take_messages(&mut self) -> Vec<String>;
    /// Prepares the execution of a command: called with every command before it runs.
    fn begin(&mut self, _command: &Command) {}
    /// Returns the clock that measures the time of probes.
    fn clock(&self) -> Option<Rc<Clock>> {
        None
    }
    /// Returns true if the device can be read at the end.
    fn is_readable(&self) -> bool {
        true
    }
    /// Converts the error of a file that cannot be written.
    fn unwritten(error: FileError) -> Problem<Self::Error> {
        Problem::Script(error.to_string())
    }

    /// Executes `clear`.
    fn clear(&mut self, clear: &Clear) -> Done<Self>;
    /// Executes `draw ...`.
    fn draw(&mut self, draw: &Draw) -> Done<Self>;
    /// Executes `compute ...` with a number of groups, their size if the program leaves it open,
    /// and the index of the name of the entry point.
    fn dispatch(&mut self, groups: Groups, size: Option<[u32; 3]>, entry: usize) -> Done<Self>;
    /// Sets a parameter of programs.
    fn set_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        value: &ParamValue,
    ) -> Done<Self>;
    /// Compares a parameter with the expected result of a query of a type.
    fn probe_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> Done<Self>;
    /// Returns the bits of the components of a parameter, as a query for floats returns them.
    fn parameter(&mut self, bank: ParamBank, stage: Stage, index: u32) -> Outcome<Self, [u32; 4]>;
    /// Sets the matrix that four parameters of vertex programs track.
    fn track_matrix(&mut self, address: u32, tracking: Option<Tracking>) -> Done<Self>;
    /// Executes a vertex state program with these bits of v\[0\]: a reloadable program, or that of
    /// the script without a name.
    fn run_state_program(
        &mut self,
        spare: Option<usize>,
        argument: [u32; 4],
        outcome: Execution,
    ) -> Done<Self>;
    /// Changes a matrix of GL state.
    fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) -> Done<Self>;
    /// Changes other GL state.
    fn update_state(&mut self, update: StateUpdate) -> Done<Self>;
    /// Sets the depth range of the viewport.
    fn set_depth_range(&mut self, range: [f32; 2]) -> Done<Self>;
    /// Sets the current value of a vertex attribute.
    fn set_attribute(&mut self, location: u32, value: [f32; 4]) -> Done<Self>;
    /// Sets the maximum number of vertices that the geometry program emits.
    fn set_vertex_limit(&mut self, limit: i64, outcome: GlOutcome) -> Done<Self>;
    /// Sets the size of all points. The default does nothing, for runners that compile the size
    /// into programs.
    fn set_point_size(&mut self, _size: Option<f32>) -> Done<Self> {
        Ok(())
    }
    /// Loads a program that replaces that of its stage. The default does nothing, for runners that
    /// compile all programs in advance.
    fn load(&mut self, _spare: usize, _error: Option<&ExpectedError>) -> Done<Self> {
        Ok(())
    }
    /// Writes values into the push constants.
    fn push(&mut self, data: &TypedData) -> Done<Self>;

    /// Creates or updates a texture.
    fn update_texture(&mut self, unit: u32, update: &Update) -> Done<Self>;
    /// Sets how a texture is sampled.
    fn set_sampling(&mut self, unit: u32, sampling: Sampling) -> Done<Self>;
    /// Sets the textures that a unit has enabled for draws without fragment program. The default
    /// does nothing, for runners that generate programs for such draws.
    fn enable_textures(&mut self, _unit: u32, _enables: TextureEnables) -> Done<Self> {
        Ok(())
    }
    /// Creates or updates a storage image.
    fn update_image(&mut self, key: ImageKey, update: &Update) -> Done<Self>;
    /// Binds a part of an image to the image unit or binding of another one.
    fn bind_image(&mut self, place: ImageKey, bound: &BoundImage) -> Done<Self>;
    /// Reads a plane of a storage image.
    fn read_image(&mut self, key: ImageKey, plane: PlaneId) -> Outcome<Self, Image>;
    /// Returns the planes of storage images that programs can have written.
    fn used_planes(&self) -> Vec<(ImageKey, PlaneId)>;

    /// Returns the number of existing buffers.
    fn buffer_count(&self) -> usize;
    /// Returns the contents of a buffer, with the size that the script declares.
    fn contents(&self, buffer: BufferId) -> Outcome<Self, Cow<'_, [u8]>>;
    /// Changes the bytes of a buffer before an end.
    fn update_buffer(
        &mut self,
        buffer: BufferId,
        end: u64,
        write: &dyn Fn(&mut [u8]),
    ) -> Done<Self>;
    /// Returns the address of an offset in a buffer, which programs can reach from now on.
    fn address(&mut self, place: BufferAddress) -> Outcome<Self, u64>;
    /// Binds a range of a buffer.
    fn bind_buffer(&mut self, target: BindTarget, range: BufferRange) -> Done<Self>;

    /// Begins capturing the vertices of subsequent draws, from the start of the buffers on.
    fn begin_capture(&mut self) -> Done<Self>;
    /// Ends capturing vertices.
    fn end_capture(&mut self) -> Done<Self>;
    /// Returns a count of the last capture.
    fn captured(&mut self, count: CaptureCount) -> Outcome<Self, u64>;
    /// Returns the number of samples of the last draw that passed all tests.
    fn samples(&mut self) -> Outcome<Self, u64>;
    /// Returns the use count of a resource that GL limits, for the program of a stage.
    fn count(&mut self, stage: Stage, kind: CountKind) -> Outcome<Self, u64>;

    /// Returns true if there is a framebuffer.
    fn has_framebuffer(&self) -> bool;
    /// Reads the contents of a surface; `None` if the framebuffer does not have it.
    fn read_surface(&self, surface: Surface) -> Outcome<Self, Option<Image>>;
}

/// Runs all commands of a script. `Err` is the reason why the device cannot.
///
/// # Errors
/// If the device lacks a feature, which was detected at run time only.
pub fn run<R: Runner>(
    runner: &mut R,
    script: &Script,
    files: Files<'_>,
    observe: Observe,
) -> Result<Results, String> {
    let results = Results::observing(observe);
    let mut run = Run {
        script,
        files,
        results,
    };
    let prepared = runner.prepare();
    let is_ready = prepared.is_ok();
    run.note(runner, None, prepared)?;
    if is_ready {
        for step in &script.steps {
            let result = run.step(runner, step);
            if !run.note(runner, Some(step.line), result)? {
                break;
            }
        }
    }
    // The output of programs is of most interest if a command failed.
    let observed = run.observe_end(runner);
    run.note(runner, None, observed)?;
    run.picture_attachments(runner);
    run.note(runner, None, Ok(()))?;
    Ok(run.results)
}

/// Run of a script.
pub struct Run<'a> {
    /// Script.
    pub script: &'a Script,
    /// Files that it may write.
    pub files: Files<'a>,
    /// Results accumulated by the commands executed until now.
    pub results: Results,
}

impl Run<'_> {
    /// Records failures and messages of the driver; returns true to continue. `Err` is the reason
    /// to skip the script.
    fn note<R: Runner>(
        &mut self,
        runner: &mut R,
        line: Option<u32>,
        result: Done<R>,
    ) -> Result<bool, String> {
        let (failure, go_on) = match result {
            Ok(()) => (None, true),
            Err(Problem::Lacking(reason)) => return Err(reason),
            Err(Problem::Script(message)) => (Some(Failure::new(line, message)), true),
            Err(Problem::Program(failure)) => (Some(failure), true),
            Err(Problem::System(error)) => (Some(Failure::new(line, error.to_string())), false),
        };
        let messages = runner.take_messages().into_iter();
        let messages = messages.map(|message| Failure::new(line, message));
        self.results
            .failures
            .extend(failure.into_iter().chain(messages));
        Ok(go_on)
    }

    /// Runs a command.
    ///
    /// # Errors
    /// The failure of a command, or an error of the device.
    #[expect(
        clippy::too_many_lines,
        reason = "a dispatcher with an arm for each command"
    )]
    pub fn step<R: Runner>(&mut self, runner: &mut R, step: &Step) -> Done<R> {
        let clock = runner.clock().filter(|_| is_timed(&step.command));
        let _probing = clock.as_ref().map(|clock| clock.enter(Phase::Probes));
        runner.begin(&step.command);
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
                spare,
                argument,
                outcome,
            } => runner.run_state_program(*spare, *argument, *outcome),
            Command::GlState(update) => runner.update_state(*update),
            Command::VertexLimit { limit, outcome } => runner.set_vertex_limit(*limit, *outcome),
            Command::Attribute { location, value } => runner.set_attribute(*location, *value),
            Command::Texture { unit, update } => runner.update_texture(*unit, update),
            Command::Sampling { unit, sampling } => runner.set_sampling(*unit, *sampling),
            Command::FixedPointSize(size) => runner.set_point_size(*size),
            Command::TextureEnables { unit, enables } => runner.enable_textures(*unit, *enables),
            Command::Image { key, update } => runner.update_image(*key, update),
            Command::BindImage { place, bound } => runner.bind_image(*place, bound),
            Command::ProbeImage { key, plane, probe } => {
                let picture = runner.read_image(*key, *plane)?;
                let results = &mut self.results;
                Ok(results.probe_image(line, (*key, *plane), probe, &picture)?)
            }
            Command::PrintImage { key, plane } => {
                let picture = print_picture(&runner.read_image(*key, *plane)?);
                let name = plane_name(*key, *plane);
                self.results.printed.push(format!("{name}:{picture}"));
                Ok(())
            }
            Command::BufferData { buffer, data } => {
                runner.update_buffer(*buffer, data.end(), &|bytes| data.write(bytes))
            }
            Command::BufferFill { buffer, data } => {
                let size = self.script.buffers[buffer.0].size;
                runner.update_buffer(*buffer, size, &|bytes| data.filling(size).write(bytes))
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
                let (observed, expected) = (runner.captured(*count)?, (*comparison, *expected));
                Ok(self.results.probe_count(line, count, observed, expected)?)
            }
            Command::ProbeSamples {
                comparison,
                expected,
            } => {
                let (observed, expected) = (runner.samples()?, (*comparison, *expected));
                let results = &mut self.results;
                Ok(results.probe_count(line, "samples drawn", observed, expected)?)
            }
            Command::PushData(data) => runner.push(data),
            Command::ProbePixels(probe) => self.probe_pixels(runner, line, probe),
            Command::ProbeBuffer {
                buffer,
                expected,
                comparison,
                tolerances,
            } => {
                let name = self.script.buffers[buffer.0].key.to_string();
                let (contents, how) = (runner.contents(*buffer)?, (*comparison, tolerances));
                let results = &mut self.results;
                Ok(results.probe_values(line, &name, &contents, expected, how)?)
            }
            Command::ProbeCount {
                stage,
                kind,
                comparison,
                expected,
            } => {
                let observed = runner.count(*stage, *kind)?;
                let what = format!("{} of the {} program", kind.word(), stage.name());
                let expected = (*comparison, (*expected).into());
                Ok(self.results.probe_count(line, what, observed, expected)?)
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
                let words = runner.parameter(*bank, *stage, *index)?;
                let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
                let how = (*comparison, tolerances);
                Ok(self
                    .results
                    .probe_values(line, "the parameter", &bytes, expected, how)?)
            }
            Command::PrintBuffer { buffer, range } => {
                let values = range.print(&runner.contents(*buffer)?)?;
                let name = match &self.script.buffers[buffer.0].key {
                    BufferKey::Named(name) => name.clone(),
                    key @ BufferKey::Bound { .. } => key.to_string(),
                };
                self.results.printed.push(format!("{name}: {values}"));
                Ok(())
            }
            Command::DepthRange(range) => runner.set_depth_range(*range),
            Command::SaveImage { name, surface } => self.save_image(runner, name, *surface),
            Command::Load { spare, error } => runner.load(*spare, error.as_ref()),
            // Compared before the first command runs.
            Command::ExpectError(_) | Command::ExpectWarning(_) => Ok(()),
        }
    }

    /// Checks a `probe` of pixels; saves an image of the difference if it fails.
    fn probe_pixels<R: Runner>(&mut self, runner: &R, line: u32, probe: &PixelProbe) -> Done<R> {
        let order = self.script.requirements.convention.row_order();
        let image = read(runner, probe.surface)?;
        let results = &mut self.results;
        Ok(results.probe_pixels(&self.files, line, probe, &image, order)?)
    }

    fn save_image<R: Runner>(&mut self, runner: &R, name: &str, surface: Surface) -> Done<R> {
        if self.files.save_images.is_none() {
            return Ok(());
        }
        let order = self.script.requirements.convention.row_order();
        let image = read(runner, surface)?;
        let saved = self.results.save_image(&self.files, name, &image, order);
        saved.map_err(R::unwritten)
    }

    /// Returns all readable surfaces of the framebuffer.
    fn surfaces<R: Runner>(&self, runner: &R) -> Vec<Surface> {
        if runner.has_framebuffer() {
            self.script.requirements.attachments.surfaces()
        } else {
            Vec::new()
        }
    }

    /// Records all attachments, buffers and storage images at the end of the script, if observation
    /// was requested.
    fn observe_end<R: Runner>(&mut self, runner: &mut R) -> Done<R> {
        if !self.results.observes() || !runner.is_readable() {
            return Ok(());
        }
        for surface in self.surfaces(runner) {
            let image = read(runner, surface)?;
            self.results.observe_surface(surface, &image);
        }
        for buffer in (0..runner.buffer_count()).map(BufferId) {
            let contents = runner.contents(buffer)?;
            self.results.observe_buffer(self.script, buffer, &contents);
        }
        for (key, plane) in runner.used_planes() {
            let picture = runner.read_image(key, plane)?;
            self.results.observe_image(key, plane, &picture);
        }
        Ok(())
    }

    /// Saves images of all attachments, if the script failed.
    fn picture_attachments<R: Runner>(&mut self, runner: &R) {
        if runner.is_readable() {
            let order = self.script.requirements.convention.row_order();
            let surfaces = self.surfaces(runner);
            let read = |surface| read(runner, surface).ok();
            self.results
                .picture_attachments(&self.files, &surfaces, order, read);
        }
    }
}

fn read<R: Runner>(runner: &R, surface: Surface) -> Outcome<R, Image> {
    if !runner.has_framebuffer() {
        return Err("there is no framebuffer".to_owned().into());
    }
    let image = runner.read_surface(surface)?;
    image.ok_or_else(|| format!("the framebuffer has not {surface}").into())
}

/// Writes addresses of buffers into a buffer.
fn write_addresses<R: Runner>(
    runner: &mut R,
    buffer: BufferId,
    offset: u64,
    addresses: &[BufferAddress],
) -> Done<R> {
    let mut written = Vec::new();
    for address in addresses {
        written.extend(runner.address(*address)?.to_le_bytes());
    }
    let end = offset + written.len() as u64;
    runner.update_buffer(buffer, end, &|bytes| {
        bytes[offset as usize..end as usize].copy_from_slice(&written);
    })
}

/// Returns true if the time of a command is charged to probes.
fn is_timed(command: &Command) -> bool {
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
