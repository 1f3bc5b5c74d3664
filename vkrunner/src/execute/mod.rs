//! Execution of the commands of a script on a device.
//!
//! Layers, from bottom to top: required bindings of modules (`binding_plan`) and the state that the
//! previous commands have set (`resources`); `programs`; draws and dispatches with them; the whole
//! script (`execution`) and the execution of single commands; here, the dispatch of commands.

mod binding_plan;
mod bindings;
mod dispatches;
mod draw_validation;
mod draws;
mod execution;
mod feedback;
mod images;
mod parameters;
mod primitive_assembly;
mod programs;
mod resource_requests;
mod resources;
mod textures;
mod vertices;

use crate::error::Error;
use crate::error::{CommandError, CommandResult};
use crate::options::{ExecutionMode, RunOptions};
use crate::programs::ModuleSet;
use crate::vk::Device;
use execution::Execution;
use glasm::ir::Stage;
use glasm::state::MatrixTracking;
use glasm_scripts::data::TypedData;
use glasm_scripts::image::Image;
use glasm_scripts::params::check_parameter;
use glasm_scripts::probe::pixels::Surface;
use glasm_scripts::results::{FileError, OutputFiles, Results};
use glasm_scripts::runner::{self, Runner};
use glasm_scripts::script::{
    BindTarget, BoundImage, BufferAddress, BufferId, BufferRange, CaptureCount, Clear, Command,
    CountKind, Draw, GlOutcome, GroupCount, ImageKey, MatrixTarget, MatrixUpdate, ParamBank,
    ParamType, ParamValue, ProgramState, Script, StateProgramOutcome as Outcome, StateUpdate,
};
use glasm_scripts::texture::{PlaneId, Sampling, TextureUpdate};
use glasm_scripts::timing::Clock;
use resources::Resources;
use std::borrow::Cow;
use std::rc::Rc;

/// Runs all commands of a script, with the modules of each state of its programs, and writes its
/// output files. Returns the results of its probes, or the reason why the device cannot run the
/// script.
pub(crate) fn execute(
    device: &Rc<Device>,
    script: &Script,
    sets: &[ModuleSet],
    files: OutputFiles<'_>,
    options: &RunOptions,
) -> Result<Results, String> {
    let mut execution = Execution {
        device: Rc::clone(device),
        script,
        module_sets: sets,
        program_state: ProgramState::default(),
        name: files.script,
        execution_mode: options.execution_mode,
        resources: Resources::new(device, script),
        framebuffer: None,
        draws: sets.iter().map(|_| None).collect(),
        dispatches: sets.iter().map(|_| None).collect(),
    };
    runner::run_script(&mut execution, script, files, options.observe)
}

impl Runner for Execution<'_> {
    type Error = Error;

    /// Creates the buffers of the script, and the sample counter and framebuffer if its commands
    /// use them.
    fn prepare(&mut self) -> Result<(), CommandError> {
        self.create_buffers()?;
        self.create_sample_counter()?;
        if self.script.uses_framebuffer() {
            self.create_framebuffer()?;
        }
        Ok(())
    }

    fn take_messages(&mut self) -> Vec<String> {
        let messages = self.device.instance.take_messages().into_iter();
        messages
            .map(|message| format!("validation: {message}"))
            .collect()
    }

    fn begin_command(&mut self, command: &Command) {
        self.program_state.apply_command(command, self.script);
        self.record_programs();
    }

    fn clock(&self) -> Option<Rc<Clock>> {
        Some(Rc::clone(&self.device.clock))
    }

    fn is_readable(&self) -> bool {
        !self.device.is_lost()
    }

    fn write_error(error: FileError) -> CommandError {
        Error::from(error).into()
    }

    fn clear(&mut self, clear: &Clear) -> CommandResult {
        Ok(self.framebuffer()?.clear(clear)?)
    }

    fn draw(&mut self, draw: &Draw) -> CommandResult {
        match self.execution_mode {
            ExecutionMode::Skip => Ok(()),
            ExecutionMode::Execute => self.run_draw(draw),
        }
    }

    fn dispatch(
        &mut self,
        groups: GroupCount,
        size: Option<[u32; 3]>,
        entry: usize,
    ) -> CommandResult {
        match self.execution_mode {
            ExecutionMode::Skip => Ok(()),
            ExecutionMode::Execute => self.run_dispatch(groups, (entry, size)).map(drop),
        }
    }

    fn set_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        value: &ParamValue,
    ) -> CommandResult {
        self.change_parameter((bank, stage, index), value)
    }

    fn probe_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> CommandResult {
        let (words, own) = self.read_parameter((bank, stage, index))?;
        let observed = (own == Some(ty)).then_some(words);
        Ok(check_parameter(observed, expected, ty)?)
    }

    fn query_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
    ) -> Result<[u32; 4], CommandError> {
        Ok(self.read_parameter((bank, stage, index))?.0)
    }

    fn track_matrix(&mut self, address: u32, tracking: Option<MatrixTracking>) -> CommandResult {
        self.resources.params.track_matrix(address, tracking);
        Ok(())
    }

    fn run_state_program(
        &mut self,
        _alternate: Option<usize>,
        argument: [u32; 4],
        outcome: Outcome,
    ) -> CommandResult {
        // The command has loaded an alternate program.
        match self.execution_mode {
            ExecutionMode::Skip => Ok(()),
            ExecutionMode::Execute => self.execute_state_program(argument, outcome),
        }
    }

    fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) -> CommandResult {
        self.resources.params.update_matrix(target, update);
        Ok(())
    }

    fn update_state(&mut self, update: StateUpdate) -> CommandResult {
        glasm_scripts::gl_state::apply(&mut self.resources.params.state, update);
        Ok(())
    }

    fn set_vertex_limit(&mut self, limit: i64, outcome: GlOutcome) -> CommandResult {
        self.check_vertex_limit(limit, outcome)
    }

    fn set_depth_range(&mut self, range: [f32; 2]) -> CommandResult {
        self.resources.params.state.depth_range = range;
        Ok(())
    }

    fn set_attribute(&mut self, location: u32, value: [f32; 4]) -> CommandResult {
        self.resources.attributes[location as usize] = value;
        Ok(())
    }

    fn write_push_constants(&mut self, data: &TypedData) -> CommandResult {
        data.write(&mut self.resources.push);
        Ok(())
    }

    fn update_texture(&mut self, unit: u32, update: &TextureUpdate) -> CommandResult {
        self.resources.textures.update(unit, update);
        Ok(())
    }

    fn set_sampling(&mut self, unit: u32, sampling: Sampling) -> CommandResult {
        self.resources.textures.set_sampling(unit, sampling);
        Ok(())
    }

    fn update_image(&mut self, key: ImageKey, update: &TextureUpdate) -> CommandResult {
        self.resources.images.update(key, update)
    }

    fn bind_image(&mut self, binding: ImageKey, bound: &BoundImage) -> CommandResult {
        self.resources.images.bind(binding, bound.clone());
        Ok(())
    }

    fn read_image(&mut self, key: ImageKey, plane: PlaneId) -> Result<Image, CommandError> {
        self.resources.images.read_plane(&self.device, key, plane)
    }

    fn used_planes(&self) -> Vec<(ImageKey, PlaneId)> {
        self.resources.images.used_planes()
    }

    fn buffer_count(&self) -> usize {
        self.resources.buffers.len()
    }

    fn buffer_contents(&self, buffer: BufferId) -> Result<Cow<'_, [u8]>, CommandError> {
        Ok(self.buffer_bytes(buffer).into())
    }

    fn update_buffer(
        &mut self,
        buffer: BufferId,
        _end: u64,
        write: &dyn Fn(&mut [u8]),
    ) -> CommandResult {
        let size = self.script.buffers[buffer.0].size as usize;
        write(&mut self.resources.buffers[buffer.0].bytes_mut()[..size]);
        Ok(())
    }

    fn resident_address(&mut self, address: BufferAddress) -> Result<u64, CommandError> {
        Ok(self.resources.buffer_address(address))
    }

    fn bind_buffer(&mut self, target: BindTarget, range: BufferRange) -> CommandResult {
        self.resources.bound_buffers.bind(target, range);
        Ok(())
    }

    fn begin_capture(&mut self) -> CommandResult {
        self.resources.feedback.begin(&self.device, self.script)
    }

    fn end_capture(&mut self) -> CommandResult {
        self.resources.feedback.end();
        Ok(())
    }

    fn capture_count(&mut self, count: CaptureCount) -> Result<u64, CommandError> {
        Ok(self.resources.feedback.get_count(count)?)
    }

    fn sample_count(&mut self) -> Result<u64, CommandError> {
        match &self.resources.sample_counter {
            Some(counter) => Ok(counter.samples()?),
            None => Ok(0),
        }
    }

    fn resource_count(&mut self, stage: Stage, kind: CountKind) -> Result<u64, CommandError> {
        self.count_resources(stage, kind)
    }

    fn has_framebuffer(&self) -> bool {
        self.framebuffer.is_some()
    }

    fn read_surface(&self, surface: Surface) -> Result<Option<Image>, CommandError> {
        Ok(self.framebuffer()?.read(surface)?)
    }
}
