//! The modules of a draw or dispatch with their layout and descriptors.

use super::plan::{Numbered, PlannedBinding, Source, plan_bindings};
use super::resources::Resources;
use super::wanted::{numbered_images, numbered_textures};
use crate::error::Problem;
use crate::programs::{DrawShape, Module, check_interfaces};
use crate::vk::{
    Buffer, BufferUse, ComputePipeline, Device, Framebuffer, Layout, Resource, Roles, ShaderModule,
    ShaderStage,
};
use glasm::StateWords;
use glasm::ir::Stage;
use glasm::ir::resource::STATE_BYTES;
use glasm::reflect::DescriptorSlot;
use glasm_scripts::script::Script;
use std::ffi::CString;
use std::rc::Rc;

/// Module of a script, and its shader module, unless each draw needs another one.
struct Slot<'a> {
    module: &'a Module,
    raw: Option<ShaderModule>,
}

/// Bytes of a vector of parameters.
const VECTOR_BYTES: u64 = 16;

/// Modules that run together, with their bindings.
pub(super) struct Programs<'a> {
    device: Rc<Device>,
    slots: Vec<Slot<'a>>,
    /// Modules that templates have generated.
    made: Vec<(DrawShape, Stage, ShaderModule)>,
    layout: Layout,
    plan: Vec<PlannedBinding>,
    /// Buffers that the runner fills, in the order of the plan's `Params`, `ImageLock` and `State`
    /// sources.
    blocks: Vec<Buffer>,
    /// Buffer of zeros for bindings without a buffer of the script.
    zeros: Buffer,
}

impl<'a> Programs<'a> {
    /// Creates modules and layout for some of the stages.
    pub(super) fn new(
        device: &Rc<Device>,
        script: &Script,
        modules: &'a [Module],
        wanted: impl Fn(Stage) -> bool,
    ) -> Result<Self, Problem> {
        let chosen: Vec<&'a Module> = modules
            .iter()
            .filter(|module| wanted(module.stage))
            .collect();
        let (textures, images) = (numbered_textures(script), numbered_images(script));
        let numbered = Numbered {
            buffers: &script.bind_targets(),
            textures: &textures,
            images: &images,
        };
        let plan = plan_bindings(chosen.iter().copied(), numbered)?;
        for module in &chosen {
            check_descriptors(module, &plan)?;
        }
        let bindings: Vec<_> = plan.iter().map(|planned| planned.binding).collect();
        let stages: Vec<Stage> = chosen.iter().map(|module| module.stage).collect();
        let layout = Layout::new(device, &bindings, script.push_size, &stages)?;
        let mut slots = Vec::new();
        for module in chosen {
            let raw = match module.template {
                Some(_) => None,
                None => Some(ShaderModule::new(device, module.stage, &module.words)?),
            };
            slots.push(Slot { module, raw });
        }
        Ok(Self {
            device: Rc::clone(device),
            slots,
            made: Vec::new(),
            layout,
            blocks: make_blocks(device, &plan)?,
            plan,
            zeros: Buffer::new(device, BufferUse::Parameters, VECTOR_BYTES)?,
        })
    }

    /// Returns the module of a stage.
    pub(super) fn module(&self, stage: Stage) -> Option<&'a Module> {
        let mut modules = self.slots.iter().map(|slot| slot.module);
        modules.find(|module| module.stage == stage)
    }

    /// Checks that the entry points of a draw exist and fit together.
    pub(super) fn check(&self, entry_name: impl Fn(Stage) -> String) -> Result<(), String> {
        check_interfaces(&self.modules(), entry_name)
    }

    /// Returns all modules.
    pub(super) fn modules(&self) -> Vec<&'a Module> {
        self.slots.iter().map(|slot| slot.module).collect()
    }

    /// Creates the modules that a draw with these properties needs.
    pub(super) fn make_modules(&mut self, shape: &DrawShape) -> Result<(), Problem> {
        for slot in &self.slots {
            let stage = slot.module.stage;
            let is_made =
                |made: &(DrawShape, Stage, ShaderModule)| (made.0, made.1) == (*shape, stage);
            let Some(template) = &slot.module.template else {
                continue;
            };
            if !self.made.iter().any(is_made) {
                let words = template.words(shape)?;
                let module = ShaderModule::new(&self.device, stage, &words)?;
                self.made.push((*shape, stage, module));
            }
        }
        Ok(())
    }

    /// Returns the modules for a draw of that shape, with their entry points.
    pub(super) fn stages(
        &self,
        shape: &DrawShape,
        entry_name: impl Fn(Stage) -> String,
    ) -> Vec<ShaderStage<'_>> {
        let stage = |slot: &'_ Slot<'_>| slot.module.stage;
        let made = |slot: &Slot<'_>| {
            let mut made = self.made.iter();
            let found = made.find(|made| (made.0, made.1) == (*shape, stage(slot)));
            found.map(|made| &made.2)
        };
        self.slots
            .iter()
            .filter_map(|slot| {
                Some(ShaderStage {
                    module: slot.raw.as_ref().or_else(|| made(slot))?,
                    entry_point: entry_point(&entry_name(stage(slot))),
                    constants: state_constants(slot.module),
                })
            })
            .collect()
    }

    /// Returns the layout.
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Creates a pipeline for the compute module.
    pub(super) fn compute_pipeline(
        &self,
        name: &str,
        size: Option<[u32; 3]>,
    ) -> Result<ComputePipeline, Problem> {
        let slot = self.slots.first();
        let slot = slot.ok_or_else(|| "there is no compute program".to_owned())?;
        slot.module.entry_point(name)?;
        let reflection = slot.module.reflection.as_ref();
        let open = reflection.is_some_and(|reflection| reflection.workgroup_size == Some([0; 3]));
        match size {
            None if open => {
                return Err(
                    "the program needs the size of its groups: `compute X Y Z group X Y Z`"
                        .to_owned()
                        .into(),
                );
            }
            Some(_) if !open => {
                return Err("the program has a group size of its own".to_owned().into());
            }
            Some(_) | None => {}
        }
        let module = slot
            .raw
            .as_ref()
            .expect("no template makes compute modules");
        let mut constants = state_constants(slot.module);
        constants.extend((0..).zip(size.into_iter().flatten()));
        let stage = ShaderStage {
            module,
            entry_point: entry_point(name),
            constants,
        };
        Ok(ComputePipeline::new(&self.device, &stage, &self.layout)?)
    }

    /// Returns the parameters after a state program has run.
    pub(super) fn state_bytes(&self) -> Option<&[u8]> {
        let mut own = self.plan.iter().filter(|planned| planned.is_block());
        let place = own.position(|planned| planned.source == Source::State)?;
        Some(self.blocks[place].bytes())
    }

    /// Fills the buffers of the runner, and their descriptors.
    fn fill_blocks(&mut self, resources: &Resources) {
        let own = self.plan.iter().filter(|planned| planned.is_block());
        for (planned, buffer) in own.zip(&mut self.blocks) {
            let bytes = resources.block_bytes(&planned.source);
            buffer.bytes_mut()[..bytes.len()].copy_from_slice(&bytes);
            let resource = Resource::whole(buffer);
            self.layout.write(&planned.binding, 0, &resource);
        }
    }

    /// Fills all descriptors with the current resources of the script.
    pub(super) fn bind(
        &mut self,
        resources: &mut Resources,
        framebuffer: Option<&Framebuffer>,
    ) -> Result<(), Problem> {
        self.fill_blocks(resources);
        for planned in &self.plan {
            let binding = &planned.binding;
            match &planned.source {
                // Filled above.
                Source::Params(..) | Source::StateBlock(_) | Source::State | Source::ImageLock => {}
                Source::Textures(first, wanted) => {
                    let textures = &mut resources.textures;
                    textures.prepare(&self.device, *first, binding.count, *wanted)?;
                    for element in 0..binding.count {
                        let texture = Resource::Texture(textures.get(first + element, *wanted));
                        self.layout.write(binding, element, &texture);
                    }
                }
                Source::Attachment(number) => {
                    let attachment = attachment(framebuffer, *number)?;
                    self.layout.write(binding, 0, &attachment);
                }
                Source::Sampler(unit, comparing) => {
                    let sampler = resources
                        .textures
                        .sampler(&self.device, *unit, *comparing)?;
                    self.layout.write(binding, 0, &Resource::Texture(sampler));
                }
                Source::Image(key) => {
                    let image = resources.images.for_module(&self.device, *key)?;
                    self.layout.write(binding, 0, &image);
                }
                Source::Images(first, wanted) => {
                    for element in 0..binding.count {
                        let unit = first + element;
                        let images = &mut resources.images;
                        let image = images.for_program(&self.device, unit, *wanted)?;
                        self.layout.write(binding, element, &image);
                    }
                }
                Source::Handles(kind, target) => {
                    for element in 0..binding.count {
                        let found = resources.by_handle(&self.device, *kind, *target, element)?;
                        self.layout.write(binding, element, &found);
                    }
                }
                Source::Buffers(places) => {
                    for (place, element) in places.iter().zip(0..) {
                        let buffer = resources.buffer(place, &self.zeros)?;
                        self.layout.write(binding, element, &buffer);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Creates buffers for the data that the runner provides, in the order of the plan.
fn make_blocks(device: &Rc<Device>, plan: &[PlannedBinding]) -> Result<Vec<Buffer>, Problem> {
    let mut blocks = Vec::new();
    for planned in plan {
        let (size, usage) = match &planned.source {
            Source::Params(_, block, _) => {
                let size = block.slots.len() as u64 * VECTOR_BYTES;
                (size, BufferUse::Parameters)
            }
            Source::StateBlock(_) => (4 * StateWords::LEN as u64, BufferUse::Parameters),
            Source::ImageLock => (4, BufferUse::Parameters),
            Source::State => (STATE_BYTES.into(), BufferUse::Script(Roles::default())),
            Source::Textures(..)
            | Source::Sampler(..)
            | Source::Attachment(_)
            | Source::Image(_)
            | Source::Images(..)
            | Source::Handles(..)
            | Source::Buffers(_) => continue,
        };
        blocks.push(Buffer::new(device, usage, size)?);
    }
    Ok(blocks)
}

/// Returns a color attachment that a program reads.
fn attachment(framebuffer: Option<&Framebuffer>, number: u32) -> Result<Resource<'_>, Problem> {
    let found = framebuffer.and_then(|framebuffer| framebuffer.input(number));
    found.ok_or_else(|| {
        Problem::Lacking(format!(
            "color attachment {number} of one sample, which a program reads"
        ))
    })
}

/// Returns the specialization constants of a module with its state.
fn state_constants(module: &Module) -> Vec<(u32, u32)> {
    let told = module.reflection.as_ref();
    let told = told.and_then(|reflection| reflection.state.as_ref());
    let (Some(told), Some(words)) = (told, &module.state) else {
        return Vec::new();
    };
    let constants = told.constants.iter();
    constants
        .map(|constant| (constant.id, words.0[constant.word as usize]))
        .collect()
}

/// Returns a name for Vulkan. Names with a zero byte, which no module has, become an empty one.
fn entry_point(name: &str) -> CString {
    CString::new(name).unwrap_or_default()
}

/// Checks that the script provides all resources that a module without reflection declares. With
/// several entry points, each may use only some of them.
fn check_descriptors(module: &Module, plan: &[PlannedBinding]) -> Result<(), String> {
    let interface = match (&module.reflection, &module.interface) {
        (None, Some(interface)) if interface.entry_points.len() == 1 => interface,
        _ => return Ok(()),
    };
    let given = |slot: &&DescriptorSlot| {
        let mut bindings = plan.iter().map(|planned| &planned.binding);
        bindings.any(|binding| (binding.set, binding.binding) == (slot.set, slot.binding))
    };
    match interface.descriptors.iter().find(|slot| !given(slot)) {
        None => Ok(()),
        Some(slot) => Err(format!(
            "the {} module uses descriptor set {} binding {}, which the script does not give",
            module.stage.name(),
            slot.set,
            slot.binding
        )),
    }
}
