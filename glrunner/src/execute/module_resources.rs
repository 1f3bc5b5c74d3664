//! Resources of modules: parameters, buffers and images, bound according to their reflections.

use super::bindings::bind_module_range;
use super::buffers::Buffers;
use super::images::Images;
use super::modules::StageModule;
use crate::error::Problem;
use crate::gl::{self, Buffer, Gl};
use glasm::ir::Stage;
use glasm::reflect::{BufferBinding, BufferKind, ImageFormat};
use glasm_scripts::params::Params;
use glasm_scripts::script::{BindTarget, BufferKind as ScriptBuffer, ImageKey};
use std::rc::Rc;

/// Binds the resources of modules.
pub(super) struct ModuleBinder<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) buffers: &'a Buffers,
    pub(super) images: &'a mut Images,
    pub(super) params: &'a Params,
    /// Buffers that exist only for this draw or dispatch.
    pub(super) held: Vec<Buffer>,
}

impl ModuleBinder<'_> {
    /// Binds the resources of the module of a stage.
    pub(super) fn bind(&mut self, module: &StageModule) -> Result<(), Problem> {
        self.bind_parameter_block(module)?;
        for buffer in &module.reflection.buffers {
            self.bind_module_buffer(module.stage, buffer)?;
        }
        for image in &module.reflection.images {
            for number in 0..image.count {
                let unit = ImageKey::of_unit(image.unit + number);
                let bound = self.images.table.bound(unit);
                let raw = raw_format(image.format);
                let unit = image.slot.binding + number;
                self.images.bind_unit(self.gl, unit, &bound, raw)?;
            }
        }
        if let Some(lock) = module.reflection.image_lock {
            let buffer = Buffer::new(self.gl, &[0; 4], gl::DYNAMIC_COPY)?;
            self.hold(gl::SHADER_STORAGE_BUFFER, lock.binding, buffer)?;
        }
        Ok(())
    }

    /// Binds a buffer that exists only for this draw or dispatch.
    fn hold(&mut self, target: u32, binding: u32, buffer: Buffer) -> Result<(), Problem> {
        self.gl.BindBufferBase(target, binding, buffer.name())?;
        self.gl.check("glBindBufferBase")?;
        self.held.push(buffer);
        Ok(())
    }

    /// Binds the parameter block, with the current values of its slots.
    fn bind_parameter_block(&mut self, module: &StageModule) -> Result<(), Problem> {
        let Some(block) = &module.reflection.params else {
            return Ok(());
        };
        let named = (module.line, module.reflection.named.as_slice());
        let bytes = self.params.block(module.stage, block, named);
        let buffer = Buffer::new(self.gl, &bytes, gl::STATIC_DRAW)?;
        self.hold(gl::UNIFORM_BUFFER, block.slot.binding, buffer)
    }

    /// Binds a buffer of the program, or all of an array of them.
    fn bind_module_buffer(
        &mut self,
        stage: Stage,
        declared: &BufferBinding,
    ) -> Result<(), Problem> {
        for number in 0..declared.count {
            let (binding, index) = (declared.slot.binding + number, declared.index + number);
            let of_kind = |kind| BindTarget::Bound {
                kind,
                set: 0,
                binding: index,
            };
            let (target, places) = match declared.kind {
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
                    let bytes = self.params.state_bytes();
                    let buffer = Buffer::new(self.gl, &bytes, gl::DYNAMIC_COPY)?;
                    self.hold(gl::SHADER_STORAGE_BUFFER, binding, buffer)?;
                    continue;
                }
                // This memory is part of the module.
                BufferKind::Shared | BufferKind::Private => continue,
            };
            let range = places
                .iter()
                .find_map(|place| self.buffers.bound.get(place));
            match range {
                Some(range) => bind_module_range(self.gl, self.buffers, target, binding, *range)?,
                None => {
                    self.gl.BindBufferBase(target, binding, 0)?;
                    self.gl.check("glBindBufferBase")?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the format in which a unit is bound if that is not the image's own.
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
