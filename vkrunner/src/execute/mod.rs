//! Execution of the commands of a script on a device.
//!
//! Layers, from bottom to top: required bindings of modules (`plan`) and the state that the
//! previous commands have set (`resources`); `programs`; draws and dispatches with them; the whole
//! script (`execution`) and the execution of single commands; here, the dispatch of commands.

mod assembly;
mod bindings;
mod dispatches;
mod draws;
mod execution;
mod feedback;
mod images;
mod parameters;
mod plan;
mod programs;
mod refusals;
mod resources;
mod textures;
mod vertices;
mod wanted;

use crate::error::Error;
use crate::error::{Done, Problem};
use crate::options::{RunOptions, Work};
use crate::programs::ModuleSet;
use crate::vk::Device;
use execution::Execution;
use glasm::ir::Stage;
use glasm::state::Tracking;
use glasm_scripts::data::TypedData;
use glasm_scripts::image::Image;
use glasm_scripts::params::check_parameter;
use glasm_scripts::probe::pixels::Surface;
use glasm_scripts::results::{FileError, Files, Results};
use glasm_scripts::runner::{self, Runner};
use glasm_scripts::script::{
    BindTarget, BoundImage, BufferAddress, BufferId, BufferRange, CaptureCount, Clear, Command,
    CountKind, Draw, Execution as Outcome, GlOutcome, Groups, ImageKey, MatrixTarget, MatrixUpdate,
    ParamBank, ParamType, ParamValue, ProgramState, Script, StateUpdate,
};
use glasm_scripts::texture::{PlaneId, Sampling, Update};
use glasm_scripts::timing::Clock;
use resources::Resources;
use std::borrow::Cow;
use std::rc::Rc;

/// Runs all commands of a script. `Err` is the reason why the device cannot.
pub(crate) fn execute(
    device: &Rc<Device>,
    script: &Script,
    sets: &[ModuleSet],
    files: Files<'_>,
    options: &RunOptions,
) -> Result<Results, String> {
    let mut execution = Execution {
        device: Rc::clone(device),
        script,
        sets,
        state: ProgramState::default(),
        name: files.script,
        work: options.work,
        resources: Resources::new(device, script),
        framebuffer: None,
        draws: sets.iter().map(|_| None).collect(),
        dispatches: sets.iter().map(|_| None).collect(),
    };
    runner::run(&mut execution, script, files, options.observe)
}

impl Runner for Execution<'_> {
    type Error = Error;

    /// Creates buffers and framebuffer.
    fn prepare(&mut self) -> Result<(), Problem> {
        self.make_buffers()?;
        self.count_samples()?;
        if self.script.uses_framebuffer() {
            self.make_framebuffer()?;
        }
        Ok(())
    }

    fn take_messages(&mut self) -> Vec<String> {
        let messages = self.device.instance.take_messages().into_iter();
        messages
            .map(|message| format!("validation: {message}"))
            .collect()
    }

    fn begin(&mut self, command: &Command) {
        self.state.apply(command, self.script);
        self.record_programs();
    }

    fn clock(&self) -> Option<Rc<Clock>> {
        Some(Rc::clone(&self.device.clock))
    }

    fn is_readable(&self) -> bool {
        !self.device.is_lost()
    }

    fn unwritten(error: FileError) -> Problem {
        Error::from(error).into()
    }

    fn clear(&mut self, clear: &Clear) -> Done {
        Ok(self.framebuffer()?.clear(clear)?)
    }

    fn draw(&mut self, draw: &Draw) -> Done {
        match self.work {
            Work::Left => Ok(()),
            Work::Done => self.run_draw(draw),
        }
    }

    fn dispatch(&mut self, groups: Groups, size: Option<[u32; 3]>, entry: usize) -> Done {
        match self.work {
            Work::Left => Ok(()),
            Work::Done => self.run_groups(groups, (entry, size)).map(drop),
        }
    }

    fn set_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        value: &ParamValue,
    ) -> Done {
        self.change_parameter((bank, stage, index), value)
    }

    fn probe_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> Done {
        let (words, own) = self.read_parameter((bank, stage, index))?;
        let observed = (own == Some(ty)).then_some(words);
        Ok(check_parameter(observed, expected, ty)?)
    }

    fn parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
    ) -> Result<[u32; 4], Problem> {
        Ok(self.read_parameter((bank, stage, index))?.0)
    }

    fn track_matrix(&mut self, address: u32, tracking: Option<Tracking>) -> Done {
        self.resources.params.track_matrix(address, tracking);
        Ok(())
    }

    fn run_state_program(
        &mut self,
        _spare: Option<usize>,
        argument: [u32; 4],
        outcome: Outcome,
    ) -> Done {
        // The command has loaded an alternate program.
        match self.work {
            Work::Left => Ok(()),
            Work::Done => self.execute_state_program(argument, outcome),
        }
    }

    fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) -> Done {
        self.resources.params.update_matrix(target, update);
        Ok(())
    }

    fn update_state(&mut self, update: StateUpdate) -> Done {
        glasm_scripts::gl_state::apply(&mut self.resources.params.state, update);
        Ok(())
    }

    fn set_vertex_limit(&mut self, limit: i64, outcome: GlOutcome) -> Done {
        self.limit_vertices(limit, outcome)
    }

    fn set_depth_range(&mut self, range: [f32; 2]) -> Done {
        self.resources.params.state.depth_range = range;
        Ok(())
    }

    fn set_attribute(&mut self, location: u32, value: [f32; 4]) -> Done {
        self.resources.attributes[location as usize] = value;
        Ok(())
    }

    fn push(&mut self, data: &TypedData) -> Done {
        data.write(&mut self.resources.push);
        Ok(())
    }

    fn update_texture(&mut self, unit: u32, update: &Update) -> Done {
        self.resources.textures.update(unit, update);
        Ok(())
    }

    fn set_sampling(&mut self, unit: u32, sampling: Sampling) -> Done {
        self.resources.textures.set_sampling(unit, sampling);
        Ok(())
    }

    fn update_image(&mut self, key: ImageKey, update: &Update) -> Done {
        self.resources.images.update(key, update)
    }

    fn bind_image(&mut self, place: ImageKey, bound: &BoundImage) -> Done {
        self.resources.images.bind(place, bound.clone());
        Ok(())
    }

    fn read_image(&mut self, key: ImageKey, plane: PlaneId) -> Result<Image, Problem> {
        self.resources.images.read(&self.device, key, plane)
    }

    fn used_planes(&self) -> Vec<(ImageKey, PlaneId)> {
        self.resources.images.used_planes()
    }

    fn buffer_count(&self) -> usize {
        self.resources.buffers.len()
    }

    fn contents(&self, buffer: BufferId) -> Result<Cow<'_, [u8]>, Problem> {
        Ok(self.bytes(buffer).into())
    }

    fn update_buffer(&mut self, buffer: BufferId, _end: u64, write: &dyn Fn(&mut [u8])) -> Done {
        let size = self.script.buffers[buffer.0].size as usize;
        write(&mut self.resources.buffers[buffer.0].bytes_mut()[..size]);
        Ok(())
    }

    fn address(&mut self, place: BufferAddress) -> Result<u64, Problem> {
        Ok(self.resources.address(place))
    }

    fn bind_buffer(&mut self, target: BindTarget, range: BufferRange) -> Done {
        self.resources.bound.bind(target, range);
        Ok(())
    }

    fn begin_capture(&mut self) -> Done {
        self.resources.feedback.begin(&self.device, self.script)
    }

    fn end_capture(&mut self) -> Done {
        self.resources.feedback.end();
        Ok(())
    }

    fn captured(&mut self, count: CaptureCount) -> Result<u64, Problem> {
        Ok(self.resources.feedback.count(count)?)
    }

    fn samples(&mut self) -> Result<u64, Problem> {
        match &self.resources.sample_counter {
            Some(counter) => Ok(counter.samples()?),
            None => Ok(0),
        }
    }

    fn count(&mut self, stage: Stage, kind: CountKind) -> Result<u64, Problem> {
        self.count_resources(stage, kind)
    }

    fn has_framebuffer(&self) -> bool {
        self.framebuffer.is_some()
    }

    fn read_surface(&self, surface: Surface) -> Result<Option<Image>, Problem> {
        Ok(self.framebuffer()?.read(surface)?)
    }
}
