//! The modules of a draw or dispatch with their layout and descriptors.

use super::bindings;
use super::plan::{PlannedBinding, Source, plan_bindings};
use super::{Problem, Resources};
use crate::programs::Module;
use crate::script::{Command, Script, Step};
use crate::vk::{Buffer, BufferUse, ComputePipeline, Device, Layout, Resource, ShaderModule};
use glasm::ir::Stage;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Modules that run together, with what they are bound to.
pub(super) struct Programs {
    device: Rc<Device>,
    modules: Vec<ShaderModule>,
    layout: Layout,
    plan: Vec<PlannedBinding>,
    /// Parameter blocks, in the order of the plan's `Params` sources.
    blocks: Vec<Buffer>,
}

impl Programs {
    /// Modules and layout for some of the stages.
    pub(super) fn new(
        device: &Rc<Device>,
        script: &Script,
        modules: &[Module],
        wanted: impl Fn(Stage) -> bool,
    ) -> Result<Self, Problem> {
        let chosen: Vec<&Module> = modules
            .iter()
            .filter(|module| wanted(module.stage))
            .collect();
        let units: BTreeSet<u32> = script.steps.iter().filter_map(texture_unit).collect();
        let units: Vec<u32> = units.into_iter().collect();
        let buffers = bindings::targets(script);
        let plan = plan_bindings(chosen.iter().copied(), &buffers, &units)?;
        let bindings: Vec<_> = plan.iter().map(|planned| planned.binding).collect();
        let stages: Vec<Stage> = chosen.iter().map(|module| module.stage).collect();
        let layout = Layout::new(device, &bindings, script.push_size, &stages)?;
        let mut blocks = Vec::new();
        for planned in &plan {
            if let Source::Params(_, block) = &planned.source {
                let size = block.slots.len() as u64 * 16;
                blocks.push(Buffer::new(device, BufferUse::Uniform, size)?);
            }
        }
        let mut modules = Vec::new();
        for module in chosen {
            modules.push(ShaderModule::new(device, module.stage, &module.words)?);
        }
        Ok(Self {
            device: Rc::clone(device),
            modules,
            layout,
            plan,
            blocks,
        })
    }

    /// The modules.
    pub(super) fn modules(&self) -> &[ShaderModule] {
        &self.modules
    }

    /// The layout.
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// A pipeline for the compute module.
    pub(super) fn compute_pipeline(&self) -> Result<ComputePipeline, Problem> {
        let module = self
            .modules
            .first()
            .ok_or_else(|| "there is no compute program".to_owned())?;
        Ok(ComputePipeline::new(&self.device, module, &self.layout)?)
    }

    /// Fills all descriptors with what the script has set by now.
    pub(super) fn bind(&mut self, resources: &mut Resources) -> Result<(), Problem> {
        let mut blocks = self.blocks.iter_mut();
        for planned in &self.plan {
            let binding = &planned.binding;
            match &planned.source {
                Source::Params(stage, block) => {
                    let buffer = blocks
                        .next()
                        .expect("there is a buffer for every block of the plan");
                    let bytes = resources.params.block(*stage, block);
                    buffer.bytes_mut()[..bytes.len()].copy_from_slice(&bytes);
                    self.layout.write(binding, 0, &Resource::whole(buffer));
                }
                Source::Textures(first) => {
                    resources
                        .textures
                        .prepare(&self.device, *first, binding.count)?;
                    for element in 0..binding.count {
                        let texture = resources.textures.get(first + element);
                        self.layout
                            .write(binding, element, &Resource::Texture(texture));
                    }
                }
                Source::Buffers(places) => {
                    for (place, element) in places.iter().zip(0..) {
                        let range = resources.bound.find(place)?;
                        let buffer = Resource::Buffer {
                            buffer: &resources.buffers[range.buffer.0],
                            offset: range.offset,
                            size: range.size,
                        };
                        self.layout.write(binding, element, &buffer);
                    }
                }
            }
        }
        Ok(())
    }
}

fn texture_unit(step: &Step) -> Option<u32> {
    if let Command::Texture { unit, .. } = &step.command {
        Some(*unit)
    } else {
        None
    }
}
