//! Required bindings of a set of modules, and the sources of their resources. Pure.

use super::bindings::{BindingRequirement, BufferSource};
use super::resource_requests::{RequestedImage, RequestedTexture, UnboundResult};
use crate::programs::Module;
use crate::vk::{Binding, Comparing, DescriptorMatch};
use glasm::ir::{BufferKind as IrBufferKind, Stage, TexTarget};
use glasm::layout::{Descriptor, DescriptorType, Resource, list_descriptors};
use glasm::reflect::{
    BufferBinding, DescriptorSlot, HandleKind, ImageBinding, NamedParameter, ParamBlock,
    TextureBinding,
};
use glasm::{Reflection, StateBlock};
use glasm_scripts::script::{BindTarget, BufferKind, ImageKey};

/// Set of textures for modules without reflection; the binding is the unit.
const TEXTURE_SET: u32 = 1;

/// Source of the resource of a descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ResourceSource {
    /// Parameter block of a stage, and the parameters that its program names.
    Params(Stage, ParamBlock, Vec<NamedParameter>),
    /// GL state that modules read when they run.
    StateBlock(Box<StateBlock>),
    /// Parameters of vertex programs, which a state program changes.
    StateProgramParams,
    /// Consecutive texture image units, from this one, and the texture that the program expects
    /// there.
    Textures(u32, RequestedTexture),
    /// Storage image of the script.
    Image(ImageKey),
    /// Consecutive image units, from this one, and the image that the program expects there.
    Images(u32, RequestedImage),
    /// Textures or images of a target that handles select from.
    Handles(HandleKind, TexTarget),
    /// Color attachment of the framebuffer.
    Attachment(u32),
    /// Sampler of a texture image unit, whose texture is ignored.
    Sampler(u32, Comparing),
    /// Buffers of the script, one bind target for each descriptor.
    Buffers(Vec<BufferSource>),
    /// Lock that programs hold while they update wide texels.
    ImageLock,
}

/// Resources that the script binds by number, for modules without reflection.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedResources<'a> {
    pub(super) buffers: &'a [BindTarget],
    /// Texture image units with the first texture of each.
    pub(super) textures: &'a [(u32, RequestedTexture)],
    /// Storage images with their targets.
    pub(super) images: &'a [(ImageKey, TexTarget)],
}

/// Binding and its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PlannedBinding {
    pub(super) binding: Binding,
    pub(super) source: ResourceSource,
}

impl PlannedBinding {
    /// Returns true if the binding is a buffer that the runner fills itself: parameters, state or a
    /// lock.
    pub(super) fn is_runner_buffer(&self) -> bool {
        match self.source {
            ResourceSource::Params(..)
            | ResourceSource::StateBlock(_)
            | ResourceSource::StateProgramParams
            | ResourceSource::ImageLock => true,
            ResourceSource::Textures(..)
            | ResourceSource::Sampler(..)
            | ResourceSource::Attachment(_)
            | ResourceSource::Image(_)
            | ResourceSource::Images(..)
            | ResourceSource::Handles(..)
            | ResourceSource::Buffers(_) => false,
        }
    }
}

/// Collects the bindings of modules that run together, with the sources of their resources, one per
/// slot. For modules without reflection the resources in `numbered` are added to the slots that
/// remain. Returns an error if two programs access one texture or image as different types.
pub(super) fn plan_bindings<'a>(
    modules: impl IntoIterator<Item = &'a Module>,
    numbered: NumberedResources<'_>,
) -> Result<Vec<PlannedBinding>, String> {
    let mut plan = Vec::new();
    let mut plain = false;
    let mut samplers = Vec::new();
    for module in modules {
        let Some(reflection) = &module.reflection else {
            plain = true;
            continue;
        };
        for descriptor in list_descriptors(reflection) {
            match descriptor.resource {
                // If a unit also has a texture, its sampler is bound with it.
                Resource::Sampler(_) => samplers.push((descriptor, module, reflection)),
                Resource::Params(_)
                | Resource::StateBlock(_)
                | Resource::StateProgram(_)
                | Resource::Texture(_)
                | Resource::Attachment(_)
                | Resource::Image(_)
                | Resource::Handles(_)
                | Resource::Buffer(_)
                | Resource::ImageLock => {
                    plan_descriptor(&mut plan, module, reflection, &descriptor)?
                }
            }
        }
    }
    for (descriptor, module, reflection) in samplers {
        plan_descriptor(&mut plan, module, reflection, &descriptor)?;
    }
    // The requirements of a reflection take precedence over the binding numbers of buffers in the
    // script.
    if plain {
        plan_by_convention(&mut plan, numbered);
    }
    Ok(plan)
}

/// Adds the binding that a module requires at a slot to the plan. Adds nothing for buffers that are
/// not bound (shared, private) and for a state block whose module has no state. Returns an error if
/// the plan has another type of texture or image at this slot.
fn plan_descriptor(
    plan: &mut Vec<PlannedBinding>,
    module: &Module,
    reflection: &Reflection,
    descriptor: &Descriptor<'_>,
) -> Result<(), String> {
    let source = match descriptor.resource {
        Resource::Params(block) => ResourceSource::Params(
            reflection.stage,
            block.clone(),
            reflection.named_parameters.clone(),
        ),
        Resource::StateBlock(_) => match &module.state {
            Some(words) => ResourceSource::StateBlock(words.clone()),
            None => return Ok(()),
        },
        Resource::StateProgram(_) => ResourceSource::StateProgramParams,
        Resource::Texture(texture) => {
            let requested = requested_texture(reflection, texture);
            check_same_texture(plan, texture, &requested)?;
            ResourceSource::Textures(texture.unit, requested)
        }
        Resource::Sampler(sampler) => {
            ResourceSource::Sampler(sampler.unit, comparing_mode(sampler.is_shadow))
        }
        Resource::Attachment(attachment) => ResourceSource::Attachment(attachment.attachment_index),
        Resource::Image(image) => {
            let requested = requested_image(image);
            check_same_image(plan, image, &requested)?;
            ResourceSource::Images(image.unit, requested)
        }
        Resource::Handles(array) => ResourceSource::Handles(array.kind, array.target),
        Resource::Buffer(buffer) => match buffer_sources(reflection.stage, buffer) {
            Some(places) => ResourceSource::Buffers(places),
            None => return Ok(()),
        },
        Resource::ImageLock => ResourceSource::ImageLock,
    };
    let Descriptor {
        slot,
        descriptor_type: kind,
        descriptor_count: count,
        ..
    } = *descriptor;
    add_binding(plan, slot, kind, count, source);
    Ok(())
}

/// Adds a binding to the plan. If the slot is planned already, the one with more descriptors
/// remains, the earlier one if both have the same number.
fn add_binding(
    plan: &mut Vec<PlannedBinding>,
    slot: DescriptorSlot,
    kind: DescriptorType,
    count: u32,
    source: ResourceSource,
) {
    let same = |planned: &&mut PlannedBinding| {
        (planned.binding.set, planned.binding.binding) == (slot.set, slot.binding)
    };
    match plan.iter_mut().find(same) {
        Some(known) if known.binding.count >= count => {}
        Some(known) => (known.binding.count, known.source) = (count, source),
        None => {
            let binding = Binding {
                set: slot.set,
                binding: slot.binding,
                kind,
                count,
                descriptor_match: match source {
                    ResourceSource::Handles(HandleKind::QueryOnlyTexture, _) => {
                        DescriptorMatch::Accessed
                    }
                    ResourceSource::Handles(
                        HandleKind::Texture(_) | HandleKind::ShadowTexture | HandleKind::Image(_),
                        _,
                    )
                    | ResourceSource::Params(..)
                    | ResourceSource::StateBlock(_)
                    | ResourceSource::Textures(..)
                    | ResourceSource::Sampler(..)
                    | ResourceSource::Attachment(_)
                    | ResourceSource::Image(_)
                    | ResourceSource::Images(..)
                    | ResourceSource::Buffers(_)
                    | ResourceSource::StateProgramParams
                    | ResourceSource::ImageLock => DescriptorMatch::All,
                },
            };
            plan.push(PlannedBinding { binding, source });
        }
    }
}

/// Plans bindings for modules without reflection, which access all uniform and storage buffers and
/// all images of the script at the set and binding of their names, and its textures in set 1 with
/// the unit as the binding. Slots that are planned already remain unchanged.
fn plan_by_convention(plan: &mut Vec<PlannedBinding>, numbered: NumberedResources<'_>) {
    for target in numbered.buffers {
        let BindTarget::Descriptor { kind, set, binding } = *target else {
            continue;
        };
        let binding_kind = match kind {
            BufferKind::Uniform => DescriptorType::UniformBuffer,
            BufferKind::Storage => DescriptorType::StorageBuffer,
            BufferKind::AtomicCounter | BufferKind::Feedback => continue,
        };
        let source = ResourceSource::Buffers(vec![BufferSource {
            stage: None,
            kind,
            set,
            binding,
            requirement: BindingRequirement::Optional,
        }]);
        let slot = DescriptorSlot { set, binding };
        add_binding(plan, slot, binding_kind, 1, source);
    }
    for (unit, wanted) in numbered.textures {
        let slot = DescriptorSlot {
            set: TEXTURE_SET,
            binding: *unit,
        };
        add_binding(
            plan,
            slot,
            DescriptorType::from_texture_target(wanted.target),
            1,
            ResourceSource::Textures(*unit, *wanted),
        );
    }
    for (key, target) in numbered.images {
        let slot = DescriptorSlot {
            set: key.set,
            binding: key.binding,
        };
        let kind = DescriptorType::from_image_target(*target);
        add_binding(plan, slot, kind, 1, ResourceSource::Image(*key));
    }
}

/// Returns whether a sampler compares depths: `On` if the program samples a shadow target.
fn comparing_mode(shadow: bool) -> Comparing {
    if shadow {
        Comparing::On
    } else {
        Comparing::Off
    }
}

/// Returns the texture that a program expects at a binding: target, type of its texels, comparison,
/// and the result of lookups without a texture.
fn requested_texture(reflection: &Reflection, texture: &TextureBinding) -> RequestedTexture {
    RequestedTexture {
        target: texture.target,
        texel_type: texture.sampled_type,
        comparing: Some(comparing_mode(texture.is_shadow)),
        unbound_result: if reflection.missing_textures_have_zero_alpha {
            UnboundResult::Transparent
        } else {
            UnboundResult::Black
        },
    }
}

/// Returns the requirements that a program has of a storage image: target and format.
fn requested_image(image: &ImageBinding) -> RequestedImage {
    RequestedImage {
        target: image.target,
        format: image.format,
    }
}

/// Returns the source of the resource that is planned for a slot; `None` for unplanned slots.
fn find_source(plan: &[PlannedBinding], slot: DescriptorSlot) -> Option<&ResourceSource> {
    let same = |planned: &&PlannedBinding| {
        (planned.binding.set, planned.binding.binding) == (slot.set, slot.binding)
    };
    plan.iter().find(same).map(|planned| &planned.source)
}

/// Returns an error if the plan contains another resource at the slot of a texture, or a texture
/// that another program reads with another target, type or comparison. The result of lookups
/// without a texture may differ.
fn check_same_texture(
    plan: &[PlannedBinding],
    texture: &TextureBinding,
    requested: &RequestedTexture,
) -> Result<(), String> {
    match find_source(plan, texture.slot) {
        None => Ok(()),
        // Programs may differ in the result of lookups without texture.
        Some(ResourceSource::Textures(_, known))
            if (RequestedTexture {
                unbound_result: requested.unbound_result,
                ..*known
            }) == *requested =>
        {
            Ok(())
        }
        Some(_) => Err(format!(
            "texture image unit {}: the programs read different kinds of textures",
            texture.unit
        )),
    }
}

/// Returns an error if the plan contains another resource at the slot of an image, or an image that
/// another program accesses with another target or format.
fn check_same_image(
    plan: &[PlannedBinding],
    image: &ImageBinding,
    requested: &RequestedImage,
) -> Result<(), String> {
    match find_source(plan, image.slot) {
        None => Ok(()),
        Some(ResourceSource::Images(_, known)) if known == requested => Ok(()),
        Some(_) => Err(format!(
            "image unit {}: the programs see different kinds of images",
            image.unit
        )),
    }
}

/// Returns the bind targets of a program's buffers, one for each descriptor; `None` for state
/// blocks and for shared and private memory, which the script does not bind.
fn buffer_sources(stage: Stage, buffer_binding: &BufferBinding) -> Option<Vec<BufferSource>> {
    let (stage, kind, presence) = match buffer_binding.kind {
        IrBufferKind::ProgramParameter => (
            Some(stage),
            BufferKind::Uniform,
            BindingRequirement::ZeroIfUnbound,
        ),
        IrBufferKind::Storage => (None, BufferKind::Storage, BindingRequirement::Required),
        IrBufferKind::AtomicCounter => (
            None,
            BufferKind::AtomicCounter,
            BindingRequirement::Required,
        ),
        IrBufferKind::VertexStateParameters | IrBufferKind::Shared | IrBufferKind::Private => {
            return None;
        }
    };
    let places = (buffer_binding.program_binding
        ..buffer_binding.program_binding + buffer_binding.descriptor_count)
        .map(|binding| BufferSource {
            stage,
            kind,
            set: 0,
            binding,
            requirement: presence,
        });
    Some(places.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{module, reflection};
    use glasm::reflect::ScalarType;

    const PLAIN: RequestedTexture = RequestedTexture {
        target: TexTarget::D2,
        texel_type: ScalarType::Float32,
        comparing: Some(Comparing::Off),
        unbound_result: UnboundResult::Black,
    };

    fn numbered(buffers: &[BindTarget]) -> NumberedResources<'_> {
        NumberedResources {
            buffers,
            textures: &[],
            images: &[],
        }
    }

    fn bound(kind: BufferKind, set: u32, binding: u32) -> BindTarget {
        BindTarget::Descriptor { kind, set, binding }
    }

    fn place(stage: Option<Stage>, kind: BufferKind, binding: u32) -> BufferSource {
        BufferSource {
            stage,
            kind,
            set: 0,
            binding,
            requirement: BindingRequirement::Required,
        }
    }

    #[test]
    fn modules_without_reflection_see_everything_of_the_script() {
        let buffers = [
            BindTarget::Param {
                stage: Stage::Fragment,
                index: 1,
            },
            bound(BufferKind::AtomicCounter, 0, 1),
            bound(BufferKind::Storage, 0, 3),
            bound(BufferKind::Uniform, 2, 0),
        ];
        let texel_buffer = RequestedTexture {
            target: TexTarget::Buffer,
            comparing: None,
            ..PLAIN
        };
        let all = NumberedResources {
            textures: &[(5, PLAIN), (6, texel_buffer)],
            images: &[
                (ImageKey::from_unit(1), TexTarget::D3),
                (ImageKey { set: 2, binding: 7 }, TexTarget::Buffer),
            ],
            ..numbered(&buffers)
        };
        let plan = plan_bindings(&[module(Stage::Fragment, None)], all).unwrap();
        let bindings: Vec<_> = plan.iter().map(|planned| planned.binding).collect();
        let one = |set, binding, kind| Binding {
            set,
            binding,
            kind,
            count: 1,
            descriptor_match: DescriptorMatch::All,
        };
        assert_eq!(
            bindings,
            [
                one(0, 3, DescriptorType::StorageBuffer),
                one(2, 0, DescriptorType::UniformBuffer),
                one(1, 5, DescriptorType::CombinedImageSampler),
                one(1, 6, DescriptorType::UniformTexelBuffer),
                one(3, 129, DescriptorType::StorageImage),
                one(2, 7, DescriptorType::StorageTexelBuffer),
            ]
        );
        let storage = BufferSource {
            requirement: BindingRequirement::Optional,
            ..place(None, BufferKind::Storage, 3)
        };
        assert_eq!(plan[0].source, ResourceSource::Buffers(vec![storage]));
    }

    #[test]
    fn reflection_counts_more_than_the_numbers_of_the_script() {
        let slot = DescriptorSlot { set: 0, binding: 4 };
        let block = ParamBlock {
            slot,
            parameters: Vec::new(),
            is_storage_buffer: false,
        };
        let fragment = Reflection {
            parameter_block: Some(block),
            ..reflection(Stage::Fragment)
        };
        let modules = [
            module(Stage::Vertex, None),
            module(Stage::Fragment, Some(fragment)),
        ];
        let plan = plan_bindings(&modules, numbered(&[bound(BufferKind::Uniform, 0, 4)])).unwrap();
        assert_eq!(plan.len(), 1);
        assert!(matches!(
            plan[0].source,
            ResourceSource::Params(Stage::Fragment, _, _)
        ));
    }

    #[test]
    fn stages_share_a_texture() {
        let texture = |count| TextureBinding {
            slot: DescriptorSlot { set: 1, binding: 2 },
            unit: 2,
            descriptor_count: count,
            target: TexTarget::D2,
            is_shadow: false,
            sampled_type: ScalarType::Float32,
        };
        let with = |stage, count| {
            let mut reflection = reflection(stage);
            reflection.textures = vec![texture(count)];
            module(stage, Some(reflection))
        };
        let modules = [with(Stage::Vertex, 1), with(Stage::Fragment, 3)];
        let plan = plan_bindings(&modules, numbered(&[])).unwrap();
        assert_eq!(plan.len(), 1);
        assert_eq!(
            (plan[0].binding.count, &plan[0].source),
            (3, &ResourceSource::Textures(2, PLAIN))
        );
    }

    #[test]
    fn stages_do_not_share_different_textures() {
        let with = |stage, shadow| {
            let mut reflection = reflection(stage);
            reflection.textures = vec![TextureBinding {
                slot: DescriptorSlot { set: 1, binding: 2 },
                unit: 2,
                descriptor_count: 1,
                target: TexTarget::D2,
                is_shadow: shadow,
                sampled_type: ScalarType::Float32,
            }];
            module(stage, Some(reflection))
        };
        let modules = [with(Stage::Vertex, false), with(Stage::Fragment, true)];
        assert_eq!(
            plan_bindings(&modules, numbered(&[])).unwrap_err(),
            "texture image unit 2: the programs read different kinds of textures"
        );
    }

    #[test]
    fn stages_share_the_lock_of_images() {
        let slot = DescriptorSlot {
            set: 3,
            binding: 320,
        };
        let with_lock = |stage| {
            let reflection = Reflection {
                image_lock_slot: Some(slot),
                ..reflection(stage)
            };
            module(stage, Some(reflection))
        };
        let modules = [with_lock(Stage::Vertex), with_lock(Stage::Fragment)];
        let plan = plan_bindings(&modules, numbered(&[])).unwrap();
        assert_eq!(plan.len(), 1);
        assert_eq!(plan[0].binding.kind, DescriptorType::StorageBuffer);
        assert_eq!(plan[0].source, ResourceSource::ImageLock);
    }

    #[test]
    fn buffers_of_programs_are_found_by_kind_and_number() {
        let mut reflection = reflection(Stage::Geometry);
        let wanted = |binding, index, count, kind| BufferBinding {
            slot: DescriptorSlot { set: 2, binding },
            program_binding: index,
            descriptor_count: count,
            kind,
        };
        reflection.buffers = vec![
            wanted(49, 1, 2, IrBufferKind::ProgramParameter),
            wanted(5, 5, 1, IrBufferKind::AtomicCounter),
            wanted(6, 6, 1, IrBufferKind::Storage),
        ];
        let modules = [module(Stage::Geometry, Some(reflection))];
        let plan = plan_bindings(&modules, numbered(&[])).unwrap();
        let sources: Vec<_> = plan.iter().map(|planned| planned.source.clone()).collect();
        let own = |binding| BufferSource {
            requirement: BindingRequirement::ZeroIfUnbound,
            ..place(Some(Stage::Geometry), BufferKind::Uniform, binding)
        };
        assert_eq!(
            sources,
            [
                ResourceSource::Buffers(vec![own(1), own(2)]),
                ResourceSource::Buffers(vec![place(None, BufferKind::AtomicCounter, 5)]),
                ResourceSource::Buffers(vec![place(None, BufferKind::Storage, 6)]),
            ]
        );
    }
}
