//! Execution of the commands of a script, in a separate context.
//!
//! Layers, from bottom to top: properties of programs (`program_info`) and names of state; the
//! state that the previous commands have set, a type for each kind (`programs`, `textures`,
//! `buffers` and so on); the whole script (`execution`) and the execution of single commands; here,
//! the dispatch of commands.

pub(crate) mod acceptance;
pub(crate) mod assembler;
mod buffer_bindings;
mod buffers;
mod capture_plan;
mod combiner_state;
mod compute;
mod default_state;
mod draws;
#[cfg(test)]
mod dry_run;
mod execution;
mod expected_gl_errors;
mod fixed_function_state;
mod framebuffer;
mod gl_enums;
pub(crate) mod gl_features;
mod module_compile;
mod module_text;
pub(crate) mod modules;
mod nv_program_commands;
mod parameters;
mod pipeline_state;
mod program_info;
mod programs;
mod sampler_state;
mod shader_loading;
mod state;
mod storage_images;
#[cfg(test)]
mod test_support;
mod texture_objects;
mod texture_shader_state;
#[cfg(test)]
mod texture_tests;
mod textures;
mod transform_feedback;
#[cfg(all(test, feature = "text"))]
mod varying_names;
mod vertex_arrays;

use crate::error::Error;
use crate::error::{CommandResult, Problem, skip_unsupported_nv};
use crate::gl::Gl;
use crate::options::RunOptions;
use default_state::set_point_size;
use execution::Execution;
use expected_gl_errors::limit_vertices;
use gl_features::require_extension;
use glasm::ir::Stage;
use glasm::state::MatrixTracking;
use glasm_scripts::data::TypedData;
use glasm_scripts::image::Image;
use glasm_scripts::params::check_parameter;
use glasm_scripts::probe::pixels::Surface;
use glasm_scripts::results::{OutputFiles, Results};
use glasm_scripts::runner::{self, Runner};
use glasm_scripts::script::{
    BindTarget, BoundImage, BufferAddress, BufferId, BufferRange, CaptureCount, Clear, Command,
    CountKind, Draw, ExpectedError, GlOutcome, GroupCount, ImageKey, MatrixTarget, MatrixUpdate,
    ParamBank, ParamType, ParamValue, Script, StateProgramOutcome as Outcome, StateUpdate,
    TextureEnables,
};
use glasm_scripts::texture::{PlaneId, Sampling, TextureUpdate};
use programs::{count_resources_in_source, query_resource_count};
use std::borrow::Cow;
use std::rc::Rc;

/// Prepares the state of a script and runs all its commands. Failures are in the results; `Err` is
/// the reason to skip the script.
pub(crate) fn execute(
    gl: &Rc<Gl>,
    script: &Script,
    files: OutputFiles<'_>,
    options: &RunOptions,
) -> Result<Results, String> {
    let mut execution = Execution::new(gl, script);
    execution.module_form = options.module_form;
    runner::run_script(&mut execution, script, files, options.observe)
}

impl Runner for Execution<'_> {
    type Error = Error;

    fn prepare(&mut self) -> CommandResult {
        self.initialize()
    }

    fn begin_command(&mut self, command: &Command) {
        if let Some(modules) = &mut self.modules {
            modules.state.apply_command(command, self.script);
        }
    }

    fn take_messages(&mut self) -> Vec<String> {
        let messages = self.gl.take_messages().into_iter();
        messages
            .map(|message| format!("OpenGL: {message}"))
            .collect()
    }

    fn clear(&mut self, clear: &Clear) -> CommandResult {
        self.framebuffer()?.clear(&self.gl, clear)
    }

    fn draw(&mut self, draw: &Draw) -> CommandResult {
        self.run_draw(draw)
    }

    fn dispatch(
        &mut self,
        groups: GroupCount,
        size: Option<[u32; 3]>,
        _entry: usize,
    ) -> CommandResult {
        self.run_compute(groups, size)
    }

    fn set_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        value: &ParamValue,
    ) -> CommandResult {
        if let Some(mut context) = self.module_context() {
            return context.change_parameter((bank, stage, index), value);
        }
        let mut context = self.parameter_context();
        match value {
            ParamValue::Words(_, words) if bank == ParamBank::Named => {
                context.set_named_parameter(stage, index, *words)
            }
            ParamValue::Words(ty, words) => context.set_words(bank, stage, index, *ty, *words),
            ParamValue::Addresses(targets) => {
                let addresses: Result<Vec<u64>, Problem> = targets
                    .iter()
                    .map(|target| self.resident_address(*target))
                    .collect();
                let mut context = self.parameter_context();
                context.set_u64s(bank, stage, index, &addresses?)
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
    ) -> CommandResult {
        if let Some(mut context) = self.module_context() {
            let (words, own) = context.read_parameter((bank, stage, index))?;
            let observed = (own == Some(ty)).then_some(words);
            return Ok(check_parameter(observed, expected, ty)?);
        }
        let mut context = self.parameter_context();
        match bank {
            ParamBank::Named => context.probe_named_parameter(stage, index, ty, expected),
            ParamBank::Env | ParamBank::Local | ParamBank::Subroutine => {
                context.probe_value((stage, bank, index), ty, expected)
            }
        }
    }

    fn query_parameter(
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
            ParamBank::Named => context.query_named_parameter(stage, index),
            ParamBank::Env | ParamBank::Local | ParamBank::Subroutine => {
                context.query_float_bits((stage, bank, index))
            }
        }
    }

    fn track_matrix(&mut self, address: u32, tracking: Option<MatrixTracking>) -> CommandResult {
        match &mut self.modules {
            Some(modules) => {
                modules.params.track_matrix(address, tracking);
                Ok(())
            }
            None => nv_program_commands::track_matrix(&self.gl, address, tracking),
        }
    }

    fn run_state_program(
        &mut self,
        alternate: Option<usize>,
        argument: [u32; 4],
        outcome: Outcome,
    ) -> CommandResult {
        if self.modules.is_some() {
            return Err(skip_unsupported_nv("vertex state programs as modules"));
        }
        let programs = &mut self.state_programs;
        let call = (alternate, argument);
        nv_program_commands::execute_state_program(&self.gl, self.script, programs, call, outcome)
    }

    fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) -> CommandResult {
        match &mut self.modules {
            Some(modules) => {
                modules.params.update_matrix(target, update);
                Ok(())
            }
            None => state::apply_matrix(&self.gl, target, update),
        }
    }

    fn update_state(&mut self, update: StateUpdate) -> CommandResult {
        if let Some(modules) = &mut self.modules {
            glasm_scripts::gl_state::apply(&mut modules.params.state, update);
            // All other state is only read by programs.
            if !matches!(update, StateUpdate::Point(_)) {
                return Ok(());
            }
        }
        state::apply_state_update(&self.gl, self.script.requirements.convention, update)
    }

    fn set_vertex_limit(&mut self, limit: i64, outcome: GlOutcome) -> CommandResult {
        if self.modules.is_some() {
            return Err(skip_unsupported_nv("vertex limits of modules"));
        }
        limit_vertices(&self.gl, &self.programs, limit, outcome)
    }

    fn set_depth_range(&mut self, [near, far]: [f32; 2]) -> CommandResult {
        if let Some(modules) = &mut self.modules {
            modules.params.state.depth_range = [near, far];
        }
        self.gl.DepthRange(near.into(), far.into())?;
        Ok(self.gl.check_errors("glDepthRange")?)
    }

    fn set_attribute(&mut self, location: u32, value: [f32; 4]) -> CommandResult {
        self.vertices.current[location as usize] = value;
        Ok(())
    }

    fn set_point_size(&mut self, size: Option<f32>) -> CommandResult {
        let fixed = &self.script.requirements.fixed;
        set_point_size(&self.gl, fixed, &mut self.state, size)
    }

    fn load_program(&mut self, alternate: usize, error: Option<&ExpectedError>) -> CommandResult {
        if self.modules.is_some() {
            // The next draw or dispatch compiles it.
            return Ok(());
        }
        if let Some(stage) = self.program_loader().load_alternate(alternate, error)? {
            self.parameter_context().upload_locals(stage)?;
            self.parameter_context().upload_named_parameters(stage)?;
        }
        Ok(())
    }

    fn write_push_constants(&mut self, _data: &TypedData) -> CommandResult {
        let reason = "push constants are Vulkan's alone".to_owned();
        Err(Problem::Unsupported(reason))
    }

    fn update_texture(&mut self, unit: u32, update: &TextureUpdate) -> CommandResult {
        self.textures.update(unit, update);
        Ok(())
    }

    fn set_sampling(&mut self, unit: u32, sampling: Sampling) -> CommandResult {
        if sampling.format_type.is_some() && self.modules.is_none() {
            require_extension(&self.gl, "GL_NV_texture_shader")?;
        }
        self.textures.set_sampling(unit, sampling);
        Ok(())
    }

    fn enable_textures(&mut self, unit: u32, enables: TextureEnables) -> CommandResult {
        self.textures.set_enabled_targets(&self.gl, unit, enables)
    }

    fn update_image(&mut self, key: ImageKey, update: &TextureUpdate) -> CommandResult {
        self.images.update_image(key, update)
    }

    fn bind_image(&mut self, key: ImageKey, bound: &BoundImage) -> CommandResult {
        self.images.table.bind(key, bound.clone());
        Ok(())
    }

    fn read_image(&mut self, key: ImageKey, plane: PlaneId) -> Result<Image, Problem> {
        self.images.read_image_plane(&self.gl, key, plane)
    }

    fn used_planes(&self) -> Vec<(ImageKey, PlaneId)> {
        self.images.table.used_planes()
    }

    fn buffer_count(&self) -> usize {
        self.buffers.buffer_count()
    }

    fn buffer_contents(&self, buffer: BufferId) -> Result<Cow<'_, [u8]>, Problem> {
        Ok(self.buffers.read_contents(buffer)?.into())
    }

    fn update_buffer(
        &mut self,
        buffer: BufferId,
        end: u64,
        write: &dyn Fn(&mut [u8]),
    ) -> CommandResult {
        self.buffers.update_contents(buffer, end, write)
    }

    fn resident_address(&mut self, address: BufferAddress) -> Result<u64, Problem> {
        self.resolve_address(address)
    }

    fn bind_buffer(&mut self, target: BindTarget, range: BufferRange) -> CommandResult {
        self.buffer_binder().bind_range(target, range)
    }

    fn begin_capture(&mut self) -> CommandResult {
        self.capture_context().start_capture()
    }

    fn end_capture(&mut self) -> CommandResult {
        self.feedback.end_capture()
    }

    fn capture_count(&mut self, count: CaptureCount) -> Result<u64, Problem> {
        Ok(self.feedback.read_count(count)?)
    }

    fn sample_count(&mut self) -> Result<u64, Problem> {
        Ok(self.passed_samples)
    }

    fn resource_count(&mut self, stage: Stage, kind: CountKind) -> Result<u64, Problem> {
        match &self.modules {
            Some(modules) => count_resources_in_source(self.script, &modules.state, stage, kind),
            None => query_resource_count(&self.gl, &self.programs, stage, kind),
        }
    }

    fn has_framebuffer(&self) -> bool {
        self.framebuffer.is_some()
    }

    fn read_surface(&self, surface: Surface) -> Result<Option<Image>, Problem> {
        self.framebuffer()?.read_surface(surface)
    }
}
