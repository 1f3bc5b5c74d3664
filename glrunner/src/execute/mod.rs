//! Execution of the commands of a script, in a separate context.
//!
//! Layers, from bottom to top: properties of programs (`facts`) and names of state; the state that
//! the previous commands have set, a type for each kind (`programs`, `textures`, `buffers` and so
//! on); the whole script (`execution`) and the execution of single commands; here, the dispatch of
//! commands.

pub(crate) mod assembler;
mod bindings;
mod buffers;
mod capture_plan;
mod compute;
mod draws;
#[cfg(test)]
mod dry_run;
mod execution;
mod facts;
mod feedback;
mod fixed;
mod fixed_functions;
mod framebuffer;
mod images;
pub(crate) mod implementation;
mod loading;
mod lookups;
mod module_compile;
mod module_resources;
mod module_text;
mod modules;
mod named_parameters;
mod parameters;
mod passthrough;
mod pipeline;
mod programs;
mod refusals;
mod sampling;
mod shader_loading;
mod state;
mod state_names;
pub(crate) mod support;
#[cfg(test)]
mod test_support;
mod texture_objects;
#[cfg(test)]
mod texture_tests;
mod textures;
pub(crate) mod verdicts;
mod vertex_programs;
mod vertices;

use crate::error::Error;
use crate::error::{Done, Problem, unused};
use crate::gl::Gl;
use crate::options::RunOptions;
use execution::Execution;
use fixed::set_point_size;
use glasm::ir::Stage;
use glasm::state::Tracking;
use glasm_scripts::data::TypedData;
use glasm_scripts::image::Image;
use glasm_scripts::params::check_parameter;
use glasm_scripts::probe::pixels::Surface;
use glasm_scripts::results::{Files, Results};
use glasm_scripts::runner::{self, Runner};
use glasm_scripts::script::{
    BindTarget, BoundImage, BufferAddress, BufferId, BufferRange, CaptureCount, Clear, Command,
    CountKind, Draw, Execution as Outcome, ExpectedError, GlOutcome, Groups, ImageKey,
    MatrixTarget, MatrixUpdate, ParamBank, ParamType, ParamValue, Script, StateUpdate,
    TextureEnables,
};
use glasm_scripts::texture::{PlaneId, Sampling, Update};
use programs::{count_in_source, query_count};
use refusals::limit_vertices;
use std::borrow::Cow;
use std::rc::Rc;

/// Runs all commands of a script. `Err` is the reason why the driver cannot.
pub(crate) fn execute(
    gl: &Rc<Gl>,
    script: &Script,
    files: Files<'_>,
    options: &RunOptions,
) -> Result<Results, String> {
    let mut execution = Execution::new(gl, script);
    execution.through = options.through;
    runner::run(&mut execution, script, files, options.observe)
}

impl Runner for Execution<'_> {
    type Error = Error;

    fn prepare(&mut self) -> Done {
        self.make_ready()
    }

    fn begin(&mut self, command: &Command) {
        if let Some(modules) = &mut self.modules {
            modules.state.apply(command, self.script);
        }
    }

    fn take_messages(&mut self) -> Vec<String> {
        let messages = self.gl.take_messages().into_iter();
        messages
            .map(|message| format!("OpenGL: {message}"))
            .collect()
    }

    fn clear(&mut self, clear: &Clear) -> Done {
        self.framebuffer()?.clear(&self.gl, clear)
    }

    fn draw(&mut self, draw: &Draw) -> Done {
        self.run_draw(draw)
    }

    fn dispatch(&mut self, groups: Groups, size: Option<[u32; 3]>, _entry: usize) -> Done {
        self.run_compute(groups, size)
    }

    fn set_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        value: &ParamValue,
    ) -> Done {
        if let Some(mut context) = self.module_context() {
            return context.change_parameter((bank, stage, index), value);
        }
        let mut context = self.parameter_context();
        match value {
            ParamValue::Words(_, words) if bank == ParamBank::Named => {
                context.set_named(stage, index, *words)
            }
            ParamValue::Words(ty, words) => context.set_words(bank, stage, index, *ty, *words),
            ParamValue::Addresses(places) => {
                let addresses: Result<Vec<u64>, Problem> =
                    places.iter().map(|place| self.address(*place)).collect();
                let mut context = self.parameter_context();
                context.set_pairs(bank, stage, index, &addresses?)
            }
            ParamValue::Handles(units) => context.set_handles(bank, stage, index, units),
        }
    }

    fn probe_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> Done {
        if let Some(mut context) = self.module_context() {
            let (words, own) = context.read_parameter((bank, stage, index))?;
            let observed = (own == Some(ty)).then_some(words);
            return Ok(check_parameter(observed, expected, ty)?);
        }
        let mut context = self.parameter_context();
        match bank {
            ParamBank::Named => context.check_named(stage, index, ty, expected),
            ParamBank::Env | ParamBank::Local | ParamBank::Subroutine => {
                context.check_value((stage, bank, index), ty, expected)
            }
        }
    }

    fn parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
    ) -> Result<[u32; 4], Problem> {
        if let Some(mut context) = self.module_context() {
            return Ok(context.read_parameter((bank, stage, index))?.0);
        }
        let mut context = self.parameter_context();
        match bank {
            ParamBank::Named => context.named_words(stage, index),
            ParamBank::Env | ParamBank::Local | ParamBank::Subroutine => {
                context.float_words((stage, bank, index))
            }
        }
    }

    fn track_matrix(&mut self, address: u32, tracking: Option<Tracking>) -> Done {
        match &mut self.modules {
            Some(modules) => {
                modules.params.track_matrix(address, tracking);
                Ok(())
            }
            None => vertex_programs::track_matrix(&self.gl, address, tracking),
        }
    }

    fn run_state_program(
        &mut self,
        spare: Option<usize>,
        argument: [u32; 4],
        outcome: Outcome,
    ) -> Done {
        if self.modules.is_some() {
            return Err(unused("vertex state programs as modules"));
        }
        let programs = &mut self.state_programs;
        let call = (spare, argument);
        vertex_programs::execute_state_program(&self.gl, self.script, programs, call, outcome)
    }

    fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) -> Done {
        match &mut self.modules {
            Some(modules) => {
                modules.params.update_matrix(target, update);
                Ok(())
            }
            None => state::apply_matrix(&self.gl, target, update),
        }
    }

    fn update_state(&mut self, update: StateUpdate) -> Done {
        if let Some(modules) = &mut self.modules {
            glasm_scripts::gl_state::apply(&mut modules.params.state, update);
            // All other state is only read by programs.
            if !matches!(update, StateUpdate::Point(_)) {
                return Ok(());
            }
        }
        state::apply(&self.gl, self.script.requirements.convention, update)
    }

    fn set_vertex_limit(&mut self, limit: i64, outcome: GlOutcome) -> Done {
        if self.modules.is_some() {
            return Err(unused("vertex limits of modules"));
        }
        limit_vertices(&self.gl, &self.programs, limit, outcome)
    }

    fn set_depth_range(&mut self, [near, far]: [f32; 2]) -> Done {
        if let Some(modules) = &mut self.modules {
            modules.params.state.depth_range = [near, far];
        }
        self.gl.DepthRange(near.into(), far.into())?;
        Ok(self.gl.check("glDepthRange")?)
    }

    fn set_attribute(&mut self, location: u32, value: [f32; 4]) -> Done {
        self.vertices.current[location as usize] = value;
        Ok(())
    }

    fn set_point_size(&mut self, size: Option<f32>) -> Done {
        let fixed = &self.script.requirements.fixed;
        set_point_size(&self.gl, fixed, &mut self.state, size)
    }

    fn load(&mut self, spare: usize, error: Option<&ExpectedError>) -> Done {
        if self.modules.is_some() {
            // The next draw or dispatch compiles it.
            return Ok(());
        }
        if let Some(stage) = self.loader().load_spare(spare, error)? {
            self.parameter_context().upload_locals(stage)?;
            self.parameter_context().upload_named(stage)?;
        }
        Ok(())
    }

    fn push(&mut self, _data: &TypedData) -> Done {
        let reason = "push constants are Vulkan's alone".to_owned();
        Err(Problem::Lacking(reason))
    }

    fn update_texture(&mut self, unit: u32, update: &Update) -> Done {
        self.textures.update(unit, update);
        Ok(())
    }

    fn set_sampling(&mut self, unit: u32, sampling: Sampling) -> Done {
        if sampling.signed_hilo && self.modules.is_none() {
            return Err(unused("signed HILO textures"));
        }
        self.textures.set_sampling(unit, sampling);
        Ok(())
    }

    fn enable_textures(&mut self, unit: u32, enables: TextureEnables) -> Done {
        self.textures.enable(&self.gl, unit, enables)
    }

    fn update_image(&mut self, key: ImageKey, update: &Update) -> Done {
        self.images.update(key, update)
    }

    fn bind_image(&mut self, place: ImageKey, bound: &BoundImage) -> Done {
        self.images.table.bind(place, bound.clone());
        Ok(())
    }

    fn read_image(&mut self, key: ImageKey, plane: PlaneId) -> Result<Image, Problem> {
        self.images.read(&self.gl, key, plane)
    }

    fn used_planes(&self) -> Vec<(ImageKey, PlaneId)> {
        self.images.table.used_planes()
    }

    fn buffer_count(&self) -> usize {
        self.buffers.count()
    }

    fn contents(&self, buffer: BufferId) -> Result<Cow<'_, [u8]>, Problem> {
        Ok(self.buffers.contents(buffer)?.into())
    }

    fn update_buffer(&mut self, buffer: BufferId, end: u64, write: &dyn Fn(&mut [u8])) -> Done {
        self.buffers.update(buffer, end, write)
    }

    fn address(&mut self, place: BufferAddress) -> Result<u64, Problem> {
        self.resolve_address(place)
    }

    fn bind_buffer(&mut self, target: BindTarget, range: BufferRange) -> Done {
        self.buffer_binder().bind_range(target, range)
    }

    fn begin_capture(&mut self) -> Done {
        self.capture().start()
    }

    fn end_capture(&mut self) -> Done {
        self.feedback.end()
    }

    fn captured(&mut self, count: CaptureCount) -> Result<u64, Problem> {
        Ok(self.feedback.count(count)?)
    }

    fn samples(&mut self) -> Result<u64, Problem> {
        Ok(self.samples)
    }

    fn count(&mut self, stage: Stage, kind: CountKind) -> Result<u64, Problem> {
        match &self.modules {
            Some(modules) => count_in_source(self.script, &modules.state, stage, kind),
            None => query_count(&self.gl, &self.programs, stage, kind),
        }
    }

    fn has_framebuffer(&self) -> bool {
        self.framebuffer.is_some()
    }

    fn read_surface(&self, surface: Surface) -> Result<Option<Image>, Problem> {
        self.framebuffer()?.read(surface)
    }
}
