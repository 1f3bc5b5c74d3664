//! Programs as modules: glasm compiles them for OpenGL, and the driver receives them as SPIR-V
//! (`GL_ARB_gl_spirv`) or as GLSL.
//!
//! They are compiled when a draw or dispatch needs them, separately for each state that programs
//! depend on. All modules of a draw are linked to one program object.
//!
//! Parameters, buffers and images are bound according to the reflections of modules;
//! [`GlCapabilities`] are the features of the OpenGL implementation that modules may use.

use super::buffer_bindings::bind_module_range;
use super::buffers::Buffers;
use super::module_compile::compile_program;
use super::module_text;
use super::program_info::ProgramInfo;
use super::programs::Programs;
use super::shader_loading::Shaders;
use super::storage_images::Images;
use crate::error::{Error, Problem, skip_unsupported_nv};
use crate::execute::gl_features::lacks_message;
use crate::gl::{self, Buffer, Gl, ShaderProgram, Version};
use crate::options::ModuleForm;
use glasm::ir::Stage;
use glasm::reflect::{BufferBinding, BufferKind, ImageFormat};
use glasm::{DeviceFeatures, Reflection, opengl};
use glasm_scripts::params::{ParamKey, Params};
use glasm_scripts::script::{
    BindTarget, BufferKind as ScriptBuffer, ImageKey, ParamBank, ParamType, ParamValue,
    ProgramState, Script,
};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Parameter: bank, stage and index.
type ParameterLocation = (ParamBank, Stage, u32);

/// Compiled programs of a script, and their resources.
pub(super) struct Modules {
    /// Form in which the driver receives modules.
    pub(super) form: ModuleForm,
    /// Target, features and bindings.
    pub(super) base_options: glasm::Options,
    /// Parameters and GL state, as the previous commands have set them.
    pub(super) params: Params,
    /// State that programs depend on, with the same purpose.
    pub(super) state: ProgramState,
    programs: Vec<(ProgramKey, Rc<ModuleProgram>)>,
    /// Buffers of the current draw or dispatch.
    pub(super) transient_buffers: Vec<Buffer>,
}

/// Key of a program object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ProgramKey {
    pub(super) state: ProgramState,
    pub(super) work: Work,
}

/// Work that runs programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// Draw with all stages but compute programs.
    Draw,
    /// Dispatch of a compute program, with the size of its groups if the program leaves it open.
    Dispatch(Option<[u32; 3]>),
}

/// Linked modules.
pub(super) struct ModuleProgram {
    pub(super) stages: Vec<StageModule>,
    pub(super) program: Rc<ShaderProgram>,
}

impl ModuleProgram {
    /// Returns true if the modules need depth clamping, as the reflection reports it.
    pub(super) fn clamps_depth(&self) -> bool {
        let mut stages = self.stages.iter();
        stages.any(|module| module.reflection.requires_depth_clamp)
    }
}

/// Module of a stage.
pub(super) struct StageModule {
    pub(super) stage: Stage,
    pub(super) reflection: Reflection,
    /// Line of the program, which distinguishes programs.
    pub(super) line: u32,
    pub(super) facts: ProgramInfo,
    pub(super) source: ModuleSource,
}

/// Source that the driver compiles.
pub(super) enum ModuleSource {
    /// SPIR-V.
    Words(Vec<u32>),
    /// GLSL.
    Text(String),
}

impl Modules {
    /// Creates the state before any compilation, with options for the device and for the form in
    /// which modules are passed to it. Skips the script if they cannot be written in that form.
    pub(super) fn new(gl: &Gl, script: &Script, through: ModuleForm) -> Result<Self, Problem> {
        let base = GlCapabilities::query(gl)?.options()?;
        Ok(Self {
            form: through,
            base_options: match through {
                ModuleForm::Spirv => base,
                ModuleForm::Glsl => module_text::options(gl, base)?,
            },
            params: Params::from_requirements(&script.requirements),
            state: ProgramState::default(),
            programs: Vec::new(),
            transient_buffers: Vec::new(),
        })
    }

    /// Returns the program object of the same stages and state, if it was compiled before.
    fn find_program(&self, key: &ProgramKey) -> Option<Rc<ModuleProgram>> {
        let mut known_programs = self.programs.iter();
        let found = known_programs.find(|(known, _)| known == key);
        found.map(|(_, program)| Rc::clone(program))
    }
}

/// Compiles the modules of draws and dispatches, and changes the parameters that they read.
pub(super) struct ModuleContext<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) script: &'a Script,
    pub(super) modules: &'a mut Modules,
    pub(super) shaders: &'a mut Shaders,
    pub(super) programs: &'a mut Programs,
}

impl ModuleContext<'_> {
    /// Compiles the modules of a draw or dispatch in the current state, unless they are cached, and
    /// makes them those of the script; they are bound later. Failures are those of
    /// [`compile_program`].
    pub(super) fn prepare_program(&mut self, work: Work) -> Result<Rc<ModuleProgram>, Problem> {
        let state = self.modules.state.clone();
        let key = ProgramKey { state, work };
        let program = match self.modules.find_program(&key) {
            Some(program) => program,
            None => {
                let program = Rc::new(compile_program(self.gl, self.script, self.modules, &key)?);
                self.modules.programs.push((key, Rc::clone(&program)));
                program
            }
        };
        self.shaders.set(work, Rc::clone(&program.program));
        let stages = program.stages.iter();
        let facts = stages.map(|module| (module.stage, module.facts.clone()));
        self.programs.set_shaders(facts);
        Ok(program)
    }

    /// Sets a parameter for modules, which receive it with the next draw or dispatch. Addresses and
    /// handles are reasons to skip the script; a name that the program does not declare is a
    /// failure.
    pub(super) fn change_parameter(
        &mut self,
        location: ParameterLocation,
        value: &ParamValue,
    ) -> Result<(), Problem> {
        let (words, ty) = match value {
            ParamValue::Words(ty, words) => (*words, *ty),
            ParamValue::Addresses(_) => {
                return Err(Problem::Unsupported(lacks_message("bufferDeviceAddress")));
            }
            ParamValue::Handles(_) => return Err(skip_unsupported_nv("handles in modules")),
        };
        let key = self.param_key(location)?;
        Ok(self.modules.params.set_by_key(&key, words, ty)?)
    }

    /// Returns the bits of a parameter and the type that it was set with, `None` before it is set.
    /// A name that the program does not declare is a failure.
    pub(super) fn read_parameter(
        &mut self,
        location: ParameterLocation,
    ) -> Result<([u32; 4], Option<ParamType>), Problem> {
        let key = self.param_key(location)?;
        Ok(self.modules.params.get_by_key(&key))
    }

    /// Returns the key of a parameter. For one with a name, the program of the stage, which is
    /// compiled, must declare it; otherwise fails.
    fn param_key(&mut self, (bank, stage, index): ParameterLocation) -> Result<ParamKey, Problem> {
        if bank != ParamBank::Named {
            return Ok(ParamKey::Indexed(bank, stage, index));
        }
        let work = if stage == Stage::Compute {
            Work::Dispatch(None)
        } else {
            Work::Draw
        };
        let program = self.prepare_program(work)?;
        let module = program.stages.iter().find(|module| module.stage == stage);
        let declared = module.map_or(&[][..], |module| &module.reflection.named_parameters);
        let line = module.map_or(0, |module| module.line);
        let name = &self.script.param_names[index as usize];
        let params = &mut self.modules.params;
        Ok(params.declare_and_find_named((stage, line), declared, name)?)
    }
}

/// Binds the resources of modules.
pub(super) struct ModuleBinder<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) buffers: &'a Buffers,
    pub(super) images: &'a mut Images,
    pub(super) params: &'a Params,
    /// Buffers that exist only for this draw or dispatch.
    pub(super) transient_buffers: Vec<Buffer>,
}

impl ModuleBinder<'_> {
    /// Binds parameters, buffers and images of the module of a stage to the bindings that its
    /// reflection names, and a buffer for the lock of images. Textures are bound elsewhere.
    pub(super) fn bind_module(&mut self, module: &StageModule) -> Result<(), Problem> {
        self.bind_parameter_block(module)?;
        for buffer in &module.reflection.buffers {
            self.bind_module_buffer(module.stage, buffer)?;
        }
        for image in &module.reflection.images {
            for number in 0..image.descriptor_count {
                let unit = ImageKey::from_unit(image.unit + number);
                let bound = self.images.table.bound_image(unit);
                let raw = raw_texel_format(image.format);
                let unit = image.slot.binding + number;
                self.images.bind_unit(self.gl, unit, &bound, raw)?;
            }
        }
        if let Some(lock) = module.reflection.image_lock_slot {
            let buffer = Buffer::new(self.gl, &[0; 4], gl::DYNAMIC_COPY)?;
            self.bind_transient_buffer(gl::SHADER_STORAGE_BUFFER, lock.binding, buffer)?;
        }
        Ok(())
    }

    /// Binds a buffer that exists only for this draw or dispatch, and stores it for its duration.
    fn bind_transient_buffer(
        &mut self,
        target: u32,
        binding: u32,
        buffer: Buffer,
    ) -> Result<(), Problem> {
        self.gl.BindBufferBase(target, binding, buffer.name())?;
        self.gl.check_errors("glBindBufferBase")?;
        self.transient_buffers.push(buffer);
        Ok(())
    }

    /// Binds a new buffer with the current values of the parameter block's slots; does nothing if
    /// the module has no such block.
    fn bind_parameter_block(&mut self, module: &StageModule) -> Result<(), Problem> {
        let Some(block) = &module.reflection.parameter_block else {
            return Ok(());
        };
        let named = (module.line, module.reflection.named_parameters.as_slice());
        let bytes = self.params.block_contents(module.stage, block, named);
        let buffer = Buffer::new(self.gl, &bytes, gl::STATIC_DRAW)?;
        self.bind_transient_buffer(gl::UNIFORM_BUFFER, block.slot.binding, buffer)
    }

    /// Binds the buffers of the script to a buffer of the module, or to each element of an array of
    /// them; no buffer where the script binds none. Parameters of state programs receive a new
    /// buffer. Does nothing for memory that is part of the module.
    fn bind_module_buffer(
        &mut self,
        stage: Stage,
        declared: &BufferBinding,
    ) -> Result<(), Problem> {
        for number in 0..declared.descriptor_count {
            let (binding, index) = (
                declared.slot.binding + number,
                declared.program_binding + number,
            );
            let bind_target = |kind| BindTarget::Descriptor {
                kind,
                set: 0,
                binding: index,
            };
            let (target, ranges) = match declared.kind {
                BufferKind::ProgramParameter => (
                    gl::UNIFORM_BUFFER,
                    vec![
                        BindTarget::Param { stage, index },
                        bind_target(ScriptBuffer::Uniform),
                    ],
                ),
                BufferKind::Storage => (
                    gl::SHADER_STORAGE_BUFFER,
                    vec![bind_target(ScriptBuffer::Storage)],
                ),
                BufferKind::AtomicCounter => (
                    gl::SHADER_STORAGE_BUFFER,
                    vec![bind_target(ScriptBuffer::AtomicCounter)],
                ),
                BufferKind::VertexStateParameters => {
                    let bytes = self.params.state_program_params();
                    let buffer = Buffer::new(self.gl, &bytes, gl::DYNAMIC_COPY)?;
                    self.bind_transient_buffer(gl::SHADER_STORAGE_BUFFER, binding, buffer)?;
                    continue;
                }
                // This memory is part of the module.
                BufferKind::Shared | BufferKind::Private => continue,
            };
            let range = ranges
                .iter()
                .find_map(|target| self.buffers.bound.get(target));
            match range {
                Some(range) => bind_module_range(self.gl, self.buffers, target, binding, *range)?,
                None => {
                    self.gl.BindBufferBase(target, binding, 0)?;
                    self.gl.check_errors("glBindBufferBase")?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the format in which a unit is bound if that is not the image's own: that of raw texels.
fn raw_texel_format(format: ImageFormat) -> Option<u32> {
    match format {
        ImageFormat::Native(_) | ImageFormat::AnyUint => None,
        ImageFormat::RawUint(bits) => Some(match bits {
            8 => gl::R8UI,
            16 => gl::R16UI,
            32 => gl::R32UI,
            64 => gl::RG32UI,
            _ => gl::RGBA32UI,
        }),
    }
}

/// Features of an implementation, as queried by the compiler.
pub(crate) struct GlCapabilities<'a> {
    gl: &'a Gl,
    /// Extensions of SPIR-V.
    extensions: BTreeSet<String>,
}

impl<'a> GlCapabilities<'a> {
    /// Queries the SPIR-V extensions of a device for later checks.
    pub(crate) fn query(gl: &'a Gl) -> Result<Self, Error> {
        let extensions = gl.spirv_extensions()?;
        Ok(Self { gl, extensions })
    }

    /// Returns the OpenGL version as a GLSL version number, such as 450.
    fn version(&self) -> u32 {
        let Version(major, minor) = self.gl.version();
        100 * major + 10 * minor
    }

    /// Returns true if the device supports an extension of OpenGL or of SPIR-V.
    fn supports_extension(&self, name: &str) -> bool {
        self.gl.has_extension(name) || self.extensions.contains(name)
    }

    /// Returns the compiler options for the device: target, supported features and limits of
    /// bindings.
    pub(crate) fn options(&self) -> Result<glasm::Options, Error> {
        let device =
            opengl::find_device_features(self.version(), |name| self.supports_extension(name));
        let device = DeviceFeatures {
            // Mesa accepts the mode without naming the extension, and otherwise computes as with
            // real numbers: x - x is 0 for infinities.
            signed_zero_inf_nan_preserve_float32: device.signed_zero_inf_nan_preserve_float32
                || self.gl.info().driver.starts_with("Mesa"),
            ..device
        };
        let limit = |name| self.gl.integer(name).map(i32::unsigned_abs);
        let uniforms = limit(gl::MAX_UNIFORM_BUFFER_BINDINGS)?;
        let storage = limit(gl::MAX_SHADER_STORAGE_BUFFER_BINDINGS)?;
        Ok(opengl::build_options(device, uniforms, storage))
    }

    /// Returns the first feature that a module needs and that the device lacks; `None` if it has
    /// all.
    pub(crate) fn missing_feature(&self, reflection: &Reflection) -> Option<&'static str> {
        let lacking = opengl::find_missing_features(reflection, self.version(), |name| {
            self.supports_extension(name)
        });
        lacking.first().copied()
    }
}
