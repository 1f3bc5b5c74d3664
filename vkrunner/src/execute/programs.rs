//! The modules of a draw or dispatch with their layout and descriptors.

use super::binding_plan::{NumberedResources, PlannedBinding, ResourceSource, plan_bindings};
use super::resource_requests::{find_numbered_images, find_numbered_textures};
use super::resources::Resources;
use crate::error::CommandError;
use crate::programs::{DrawShape, Module, check_interfaces};
use crate::vk::{
    Buffer, BufferUse, ComputePipeline, Device, Framebuffer, Layout, Resource, ScriptBufferUsage,
    ShaderModule, ShaderStage,
};
use glasm::StateBlock;
use glasm::ir::Stage;
use glasm::ir::resource::STATE_BUFFER_BYTES;
use glasm::reflect::DescriptorSlot;
use glasm_scripts::script::Script;
use std::ffi::CString;
use std::rc::Rc;

/// Module of a script, and its shader module, unless each draw needs another one.
struct StageModule<'a> {
    module: &'a Module,
    raw: Option<ShaderModule>,
}

/// Bytes of a vector of parameters.
const VECTOR_BYTES: u64 = 16;

/// Modules that run together, with their bindings.
pub(super) struct Programs<'a> {
    device: Rc<Device>,
    slots: Vec<StageModule<'a>>,
    /// Modules that templates have generated.
    generated_modules: Vec<(DrawShape, Stage, ShaderModule)>,
    layout: Layout,
    plan: Vec<PlannedBinding>,
    /// Buffers that the runner fills, in the order of the plan's `Params`, `ImageLock` and `State`
    /// sources.
    runner_buffers: Vec<Buffer>,
    /// Buffer of zeros for bindings without a buffer of the script.
    zero_buffer: Buffer,
}

impl<'a> Programs<'a> {
    /// Plans the bindings of the modules of the included stages, and creates their layout, shader
    /// modules and the runner's buffers. Returns an error if the programs access a texture or image
    /// as different types, or if a module without reflection uses a resource that the script does
    /// not provide.
    pub(super) fn new(
        device: &Rc<Device>,
        script: &Script,
        modules: &'a [Module],
        includes_stage: impl Fn(Stage) -> bool,
    ) -> Result<Self, CommandError> {
        let chosen: Vec<&'a Module> = modules
            .iter()
            .filter(|module| includes_stage(module.stage))
            .collect();
        let (textures, images) = (find_numbered_textures(script), find_numbered_images(script));
        let numbered = NumberedResources {
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
            slots.push(StageModule { module, raw });
        }
        Ok(Self {
            device: Rc::clone(device),
            slots,
            generated_modules: Vec::new(),
            layout,
            runner_buffers: create_runner_buffers(device, &plan)?,
            plan,
            zero_buffer: Buffer::new(device, BufferUse::Parameters, VECTOR_BYTES)?,
        })
    }

    /// Returns the module of a stage.
    pub(super) fn module(&self, stage: Stage) -> Option<&'a Module> {
        let mut modules = self.slots.iter().map(|slot| slot.module);
        modules.find(|module| module.stage == stage)
    }

    /// Returns an error if a module lacks the entry point of a draw, or if outputs and inputs of
    /// successive stages do not match.
    pub(super) fn check_interfaces(
        &self,
        entry_name: impl Fn(Stage) -> String,
    ) -> Result<(), String> {
        check_interfaces(&self.modules(), entry_name)
    }

    /// Returns all modules.
    pub(super) fn modules(&self) -> Vec<&'a Module> {
        self.slots.iter().map(|slot| slot.module).collect()
    }

    /// Generates and caches the modules of all stages with a template for a draw with these
    /// properties, unless an earlier draw has created them.
    pub(super) fn generate_modules(&mut self, shape: &DrawShape) -> Result<(), CommandError> {
        for slot in &self.slots {
            let stage = slot.module.stage;
            let is_made =
                |made: &(DrawShape, Stage, ShaderModule)| (made.0, made.1) == (*shape, stage);
            let Some(template) = &slot.module.template else {
                continue;
            };
            if !self.generated_modules.iter().any(is_made) {
                let words = template.generate_words(shape)?;
                let module = ShaderModule::new(&self.device, stage, &words)?;
                self.generated_modules.push((*shape, stage, module));
            }
        }
        Ok(())
    }

    /// Returns the modules for a draw with these properties, with their entry points and the
    /// specialization constants of their state. Omits stages whose template has not generated a
    /// module for it; see [`Self::generate_modules`].
    pub(super) fn shader_stages(
        &self,
        shape: &DrawShape,
        entry_name: impl Fn(Stage) -> String,
    ) -> Vec<ShaderStage<'_>> {
        let stage = |slot: &'_ StageModule<'_>| slot.module.stage;
        let find_generated = |slot: &StageModule<'_>| {
            let mut modules = self.generated_modules.iter();
            let found = modules.find(|made| (made.0, made.1) == (*shape, stage(slot)));
            found.map(|made| &made.2)
        };
        self.slots
            .iter()
            .filter_map(|slot| {
                Some(ShaderStage {
                    module: slot.raw.as_ref().or_else(|| find_generated(slot))?,
                    entry_point: entry_point_cstring(&entry_name(stage(slot))),
                    constants: state_constants(slot.module),
                })
            })
            .collect()
    }

    /// Returns the layout of the descriptor sets and push constants, with its sets.
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Creates a pipeline for an entry point of the compute module. `size` is the number of
    /// invocations of a work group in each dimension; it is an error if the program declares its
    /// size, and required if the program does not.
    pub(super) fn create_compute_pipeline(
        &self,
        name: &str,
        size: Option<[u32; 3]>,
    ) -> Result<ComputePipeline, CommandError> {
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
            entry_point: entry_point_cstring(name),
            constants,
        };
        Ok(ComputePipeline::new(&self.device, &stage, &self.layout)?)
    }

    /// Returns the contents of the buffer of program parameters after a vertex state program has
    /// run; `None` if the programs have none.
    pub(super) fn state_bytes(&self) -> Option<&[u8]> {
        let mut runner_filled = self
            .plan
            .iter()
            .filter(|planned| planned.is_runner_buffer());
        let index = runner_filled
            .position(|planned| planned.source == ResourceSource::StateProgramParams)?;
        Some(self.runner_buffers[index].bytes())
    }

    /// Fills the runner's buffers with current parameters and state, and writes their descriptors.
    fn fill_runner_buffers(&mut self, resources: &Resources) {
        let runner_filled = self
            .plan
            .iter()
            .filter(|planned| planned.is_runner_buffer());
        for (planned, buffer) in runner_filled.zip(&mut self.runner_buffers) {
            let bytes = resources.runner_buffer_bytes(&planned.source);
            buffer.bytes_mut()[..bytes.len()].copy_from_slice(&bytes);
            let resource = Resource::whole_buffer(buffer);
            self.layout.write_descriptor(&planned.binding, 0, &resource);
        }
    }

    /// Writes all descriptors with the resources that the script has currently bound, fills the
    /// runner's buffers, and creates textures, images and samplers that do not exist yet. Returns
    /// an error if a required resource is missing. `framebuffer` has the attachments that programs
    /// read; `None` for dispatches.
    pub(super) fn bind_resources(
        &mut self,
        resources: &mut Resources,
        framebuffer: Option<&Framebuffer>,
    ) -> Result<(), CommandError> {
        self.fill_runner_buffers(resources);
        for planned in &self.plan {
            let binding = &planned.binding;
            match &planned.source {
                // Filled above.
                ResourceSource::Params(..)
                | ResourceSource::StateBlock(_)
                | ResourceSource::StateProgramParams
                | ResourceSource::ImageLock => {}
                ResourceSource::Textures(first, wanted) => {
                    let textures = &mut resources.textures;
                    textures.prepare(&self.device, *first, binding.count, *wanted)?;
                    for element in 0..binding.count {
                        let texture = Resource::Texture(textures.get(first + element, *wanted));
                        self.layout.write_descriptor(binding, element, &texture);
                    }
                }
                ResourceSource::Attachment(number) => {
                    let attachment = attachment_resource(framebuffer, *number)?;
                    self.layout.write_descriptor(binding, 0, &attachment);
                }
                ResourceSource::Sampler(unit, comparing) => {
                    let sampler = resources.textures.get_or_create_sampler(
                        &self.device,
                        *unit,
                        *comparing,
                    )?;
                    self.layout
                        .write_descriptor(binding, 0, &Resource::Texture(sampler));
                }
                ResourceSource::Image(key) => {
                    let image = resources.images.module_resource(&self.device, *key)?;
                    self.layout.write_descriptor(binding, 0, &image);
                }
                ResourceSource::Images(first, wanted) => {
                    for element in 0..binding.count {
                        let unit = first + element;
                        let images = &mut resources.images;
                        let image = images.program_resource(&self.device, unit, *wanted)?;
                        self.layout.write_descriptor(binding, element, &image);
                    }
                }
                ResourceSource::Handles(kind, target) => {
                    for element in 0..binding.count {
                        let resource =
                            resources.handle_resource(&self.device, *kind, *target, element)?;
                        self.layout.write_descriptor(binding, element, &resource);
                    }
                }
                ResourceSource::Buffers(places) => {
                    for (place, element) in places.iter().zip(0..) {
                        let buffer = resources.buffer_resource(place, &self.zero_buffer)?;
                        self.layout.write_descriptor(binding, element, &buffer);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Creates the buffers for the data that the runner provides (parameters, state, image lock), in
/// the order of the plan. Their contents are written with each draw or dispatch.
fn create_runner_buffers(
    device: &Rc<Device>,
    plan: &[PlannedBinding],
) -> Result<Vec<Buffer>, CommandError> {
    let mut blocks = Vec::new();
    for planned in plan {
        let (size, usage) = match &planned.source {
            ResourceSource::Params(_, block, _) => {
                let size = block.parameters.len() as u64 * VECTOR_BYTES;
                (size, BufferUse::Parameters)
            }
            ResourceSource::StateBlock(_) => (4 * StateBlock::LEN as u64, BufferUse::Parameters),
            ResourceSource::ImageLock => (4, BufferUse::Parameters),
            ResourceSource::StateProgramParams => (
                STATE_BUFFER_BYTES.into(),
                BufferUse::Script(ScriptBufferUsage::default()),
            ),
            ResourceSource::Textures(..)
            | ResourceSource::Sampler(..)
            | ResourceSource::Attachment(_)
            | ResourceSource::Image(_)
            | ResourceSource::Images(..)
            | ResourceSource::Handles(..)
            | ResourceSource::Buffers(_) => continue,
        };
        blocks.push(Buffer::new(device, usage, size)?);
    }
    Ok(blocks)
}

/// Returns a color attachment that a program reads. Skips the script if the attachment does not
/// exist or is multisampled.
fn attachment_resource(
    framebuffer: Option<&Framebuffer>,
    number: u32,
) -> Result<Resource<'_>, CommandError> {
    let attachment = framebuffer.and_then(|framebuffer| framebuffer.input_attachment(number));
    attachment.ok_or_else(|| {
        CommandError::Unsupported(format!(
            "color attachment {number} of one sample, which a program reads"
        ))
    })
}

/// Returns the ids and values of the specialization constants that set the GL state of a module;
/// empty if it has no state block.
fn state_constants(module: &Module) -> Vec<(u32, u32)> {
    let reflection = module.reflection.as_ref();
    let state = reflection.and_then(|reflection| reflection.state_block.as_ref());
    let (Some(state), Some(words)) = (state, &module.state) else {
        return Vec::new();
    };
    let constants = state.spec_constants.iter();
    constants
        .map(|constant| (constant.id, words.0[constant.word_index as usize]))
        .collect()
}

/// Returns a name for Vulkan. Names with a zero byte, which no module has, become an empty one.
fn entry_point_cstring(name: &str) -> CString {
    CString::new(name).unwrap_or_default()
}

/// Returns an error if a module without reflection declares a descriptor that the plan does not
/// contain. Modules with several entry points are not checked, because each may use only some of
/// them.
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
