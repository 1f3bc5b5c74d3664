//! What modules read and write: parameters, buffers and images, bound where their reflections say.

use super::execution::Execution;
use super::modules::{ModuleProgram, StageModule, Work};
use super::problem::{Problem, unused};
use crate::features::lacks;
use crate::gl::{self, Buffer};
use glasm::ir::Stage;
use glasm::reflect::{BufferBinding, BufferKind, ImageFormat};
use glasm_scripts::params::ParamKey;
use glasm_scripts::script::{
    BindTarget, BufferKind as ScriptBuffer, ImageKey, ParamBank, ParamType, ParamValue,
};
use std::rc::Rc;

/// A parameter: bank, stage and number.
type Place = (ParamBank, Stage, u32);

impl Execution<'_> {
    /// Binds what the modules of a draw or dispatch read and write.
    pub(super) fn bind_module_resources(
        &mut self,
        program: &Rc<ModuleProgram>,
    ) -> Result<(), Problem> {
        let mut held = Vec::new();
        for module in &program.stages {
            self.bind_parameter_block(module, &mut held)?;
            for buffer in &module.reflection.buffers {
                self.bind_module_buffer(module.stage, buffer, &mut held)?;
            }
            for image in &module.reflection.images {
                for number in 0..image.count {
                    let bound = self
                        .images
                        .table
                        .bound(ImageKey::of_unit(image.unit + number));
                    let raw = raw_format(image.format);
                    let unit = image.slot.binding + number;
                    self.images.bind_unit(&self.gl, unit, &bound, raw)?;
                }
            }
            if let Some(lock) = module.reflection.image_lock {
                let buffer = Buffer::new(&self.gl, &[0; 4], gl::DYNAMIC_COPY)?;
                self.bind_base(gl::SHADER_STORAGE_BUFFER, lock.binding, &buffer)?;
                held.push(buffer);
            }
        }
        self.modules
            .iter_mut()
            .for_each(|it| it.held = std::mem::take(&mut held));
        Ok(())
    }

    /// The parameter block, with what its slots hold now.
    fn bind_parameter_block(
        &self,
        module: &StageModule,
        held: &mut Vec<Buffer>,
    ) -> Result<(), Problem> {
        let (Some(block), Some(modules)) = (&module.reflection.params, &self.modules) else {
            return Ok(());
        };
        let named = (module.line, module.reflection.named.as_slice());
        let bytes = modules.params.block(module.stage, block, named);
        let buffer = Buffer::new(&self.gl, &bytes, gl::STATIC_DRAW)?;
        self.bind_base(gl::UNIFORM_BUFFER, block.slot.binding, &buffer)?;
        held.push(buffer);
        Ok(())
    }

    fn bind_base(&self, target: u32, binding: u32, buffer: &Buffer) -> Result<(), Problem> {
        self.gl.BindBufferBase(target, binding, buffer.name())?;
        Ok(self.gl.check("glBindBufferBase")?)
    }

    /// A buffer of the program, or all of an array of them.
    fn bind_module_buffer(
        &self,
        stage: Stage,
        told: &BufferBinding,
        held: &mut Vec<Buffer>,
    ) -> Result<(), Problem> {
        for number in 0..told.count {
            let (binding, index) = (told.slot.binding + number, told.index + number);
            let of_kind = |kind| BindTarget::Bound {
                kind,
                set: 0,
                binding: index,
            };
            let (target, places) = match told.kind {
                BufferKind::Constant => (
                    gl::UNIFORM_BUFFER,
                    vec![
                        BindTarget::Param { stage, index },
                        of_kind(ScriptBuffer::Uniform),
                    ],
                ),
                BufferKind::Storage => (
                    gl::SHADER_STORAGE_BUFFER,
                    vec![of_kind(ScriptBuffer::Storage)],
                ),
                BufferKind::Counter => (
                    gl::SHADER_STORAGE_BUFFER,
                    vec![of_kind(ScriptBuffer::Counter)],
                ),
                BufferKind::State => {
                    let modules = self.modules.as_ref();
                    let bytes = modules.map_or_else(Vec::new, |it| it.params.state_bytes());
                    let buffer = Buffer::new(&self.gl, &bytes, gl::DYNAMIC_COPY)?;
                    self.bind_base(gl::SHADER_STORAGE_BUFFER, binding, &buffer)?;
                    held.push(buffer);
                    continue;
                }
                // Part of the module.
                BufferKind::Shared | BufferKind::Private => continue,
            };
            let range = places
                .iter()
                .find_map(|place| self.buffers.bound.get(place));
            match range {
                Some(range) => self.bind_module_range(target, binding, *range)?,
                None => {
                    self.gl.BindBufferBase(target, binding, 0)?;
                    self.gl.check("glBindBufferBase")?;
                }
            }
        }
        Ok(())
    }

    /// `parameter`
    pub(super) fn change_parameter(
        &mut self,
        (bank, stage, index): Place,
        value: &ParamValue,
    ) -> Result<(), Problem> {
        let (words, ty) = match value {
            ParamValue::Words(ty, words) => (*words, *ty),
            ParamValue::Addresses(_) => {
                return Err(Problem::Lacking(lacks("bufferDeviceAddress")));
            }
            ParamValue::Handles(_) => return Err(unused("handles in modules")),
        };
        let key = self.module_param_key((bank, stage, index))?;
        let modules = self.modules.as_mut().ok_or_else(no_modules)?;
        Ok(modules.params.write(&key, words, ty)?)
    }

    /// Returns the bits of a parameter and the type that it was set with.
    pub(super) fn module_parameter(
        &mut self,
        place: Place,
    ) -> Result<([u32; 4], Option<ParamType>), Problem> {
        let key = self.module_param_key(place)?;
        let modules = self.modules.as_ref().ok_or_else(no_modules)?;
        Ok(modules.params.read(&key))
    }

    /// Returns the key of a parameter, which the program of the stage declares if it has a name.
    fn module_param_key(&mut self, (bank, stage, index): Place) -> Result<ParamKey, Problem> {
        if bank != ParamBank::Named {
            return Ok(ParamKey::Indexed(bank, stage, index));
        }
        let work = if stage == Stage::Compute {
            Work::Dispatch(None)
        } else {
            Work::Draw
        };
        let program = self.ready_modules(work)?;
        let mut stages = program.iter().flat_map(|program| &program.stages);
        let module = stages.find(|module| module.stage == stage);
        let declared = module.map_or(&[][..], |module| &module.reflection.named);
        let line = module.map_or(0, |module| module.line);
        let name = &self.script.param_names[index as usize];
        let modules = self.modules.as_mut().ok_or_else(no_modules)?;
        Ok(modules.params.find_named((stage, line), declared, name)?)
    }
}

fn no_modules() -> String {
    "no modules".to_owned()
}

/// The format in which a unit is bound if that is not the image's own.
fn raw_format(format: ImageFormat) -> Option<u32> {
    match format {
        ImageFormat::Own(_) | ImageFormat::Any => None,
        ImageFormat::Raw(bits) => Some(match bits {
            8 => gl::R8UI,
            16 => gl::R16UI,
            32 => gl::R32UI,
            64 => gl::RG32UI,
            _ => gl::RGBA32UI,
        }),
    }
}
