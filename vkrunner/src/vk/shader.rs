//! Shader modules, and stages of pipelines.

use super::device::Device;
use super::pool::{Poolable, Pooled};
use crate::error::{CallContext, Error};
use crate::fragment_outputs::FragmentOutputs;
use ash::vk;
use glasm::ir::Stage;
use glasm_scripts::timing::Phase;
use std::ffi::CString;
use std::rc::Rc;

/// Returns the Vulkan name of a stage.
pub(super) fn stage_flag(stage: Stage) -> vk::ShaderStageFlags {
    vk::ShaderStageFlags::from_raw(glasm::layout::get_stage_bit(stage))
}

/// SPIR-V module.
pub(crate) type ShaderModule = Pooled<ShaderModuleObject>;

/// Vulkan objects of a [`ShaderModule`].
pub(crate) struct ShaderModuleObject {
    raw: vk::ShaderModule,
    words: Rc<[u32]>,
    stage: Stage,
    /// Color attachments that it writes.
    colors: FragmentOutputs,
    device: Rc<Device>,
}

impl ShaderModule {
    /// Returns a module for a stage: a pooled one with equal words, or a new one.
    pub(crate) fn new(device: &Rc<Device>, stage: Stage, words: &[u32]) -> Result<Self, Error> {
        let _phase = device.clock.enter(Phase::Pipelines);
        let words: Rc<[u32]> = words.into();
        let make = || ShaderModuleObject::create(device, stage, &words);
        Self::get_or_create(device, (stage, Rc::clone(&words)), make)
    }
}

impl ShaderModuleObject {
    /// Creates the shader module on the device, and determines the color attachments that it
    /// writes.
    fn create(device: &Rc<Device>, stage: Stage, words: &Rc<[u32]>) -> Result<Self, Error> {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the create info is valid; modules come from the compiler or the SPIR-V assembler,
        // and scripts are trusted not to crash drivers.
        let raw =
            unsafe { device.raw.create_shader_module(&info, None) }.call("vkCreateShaderModule")?;
        Ok(Self {
            raw,
            words: Rc::clone(words),
            stage,
            colors: FragmentOutputs::from_module(words),
            device: Rc::clone(device),
        })
    }
}

impl Poolable for ShaderModuleObject {
    type Key = (Stage, Rc<[u32]>);
    const LIMIT: usize = 128;
}

impl Drop for ShaderModuleObject {
    fn drop(&mut self) {
        if !self.device.is_lost() {
            let _phase = self.device.clock.enter(Phase::Pipelines);
            // SAFETY: the module was created from this device.
            unsafe { self.device.raw.destroy_shader_module(self.raw, None) };
        }
    }
}

/// Module and its entry point.
pub(crate) struct ShaderStage<'a> {
    pub(crate) module: &'a ShaderModule,
    pub(crate) entry_point: CString,
    /// Specialization constants by number.
    pub(crate) constants: Vec<(u32, u32)>,
}

/// Specialization constants in Vulkan's form.
pub(super) struct Specialization {
    entries: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

impl Specialization {
    /// Returns the constants in Vulkan's form.
    pub(super) fn info(&self) -> vk::SpecializationInfo<'_> {
        vk::SpecializationInfo::default()
            .map_entries(&self.entries)
            .data(&self.data)
    }
}

impl ShaderStage<'_> {
    /// Returns the stage of the module.
    pub(super) fn stage(&self) -> Stage {
        self.module.stage
    }

    /// Returns the stage in Vulkan's form, with `specialization` if the stage has constants.
    pub(super) fn info<'a>(
        &'a self,
        specialization: &'a vk::SpecializationInfo<'a>,
    ) -> vk::PipelineShaderStageCreateInfo<'a> {
        let info = vk::PipelineShaderStageCreateInfo::default()
            .stage(stage_flag(self.module.stage))
            .module(self.module.raw)
            .name(&self.entry_point);
        if self.constants.is_empty() {
            info
        } else {
            info.specialization_info(specialization)
        }
    }

    /// Returns the specialization constants in Vulkan's layout: map entries and their data.
    pub(super) fn specialization(&self) -> Specialization {
        let numbers = self.constants.iter().map(|(number, _)| *number);
        let entry = |(place, number): (u32, u32)| vk::SpecializationMapEntry {
            constant_id: number,
            offset: 4 * place,
            size: 4,
        };
        let values = self.constants.iter();
        Specialization {
            entries: (0..).zip(numbers).map(entry).collect(),
            data: values.flat_map(|(_, value)| value.to_ne_bytes()).collect(),
        }
    }

    /// Returns the key of the stage in that of a pipeline: stage, words, entry point and constants.
    pub(super) fn key(&self) -> StageKey {
        StageKey {
            stage: self.module.stage,
            words: Rc::clone(&self.module.words),
            entry_point: self.entry_point.clone(),
            constants: self.constants.clone(),
        }
    }

    /// Returns the color attachments that the entry point writes; bit N is attachment N.
    pub(super) fn written_attachments(&self) -> u32 {
        self.module.colors.written_by(self.entry_point.as_bytes())
    }
}

/// Key of one stage of a pipeline.
#[derive(PartialEq, Eq)]
pub(super) struct StageKey {
    stage: Stage,
    words: Rc<[u32]>,
    entry_point: CString,
    constants: Vec<(u32, u32)>,
}
