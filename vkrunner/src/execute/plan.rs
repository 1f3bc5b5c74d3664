//! Required bindings of a set of modules, and the sources of their resources. Pure.

use super::bindings::{BufferPlace, Presence};
use super::wanted::{Missing, WantedImage, WantedTexture};
use crate::programs::Module;
use crate::vk::{Binding, Comparing, Fit};
use glasm::ir::{BufferKind as IrBufferKind, Stage, TexTarget};
use glasm::layout::{Descriptor, DescriptorKind, Resource, descriptors};
use glasm::reflect::{
    BufferBinding, DescriptorSlot, HandleKind, ImageBinding, NamedParameter, ParamBlock,
    TextureBinding,
};
use glasm::{Reflection, StateWords};
use glasm_scripts::script::{BindTarget, BufferKind, ImageKey};

/// Set of textures for modules without reflection; the binding is the unit.
const TEXTURE_SET: u32 = 1;

/// Source of the resource of a descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// Parameter block of a stage, and the parameters that its program names.
    Params(Stage, ParamBlock, Vec<NamedParameter>),
    /// GL state that modules read when they run.
    StateBlock(Box<StateWords>),
    /// Parameters of vertex programs, which a state program changes.
    State,
    /// Consecutive texture image units, from this one, and the texture that the program expects
    /// there.
    Textures(u32, WantedTexture),
    /// Storage image of the script.
    Image(ImageKey),
    /// Consecutive image units, from this one, and the image that the program expects there.
    Images(u32, WantedImage),
    /// Textures or images of a target that handles select from.
    Handles(HandleKind, TexTarget),
    /// Color attachment of the framebuffer.
    Attachment(u32),
    /// Sampler of a texture image unit, whose texture is ignored.
    Sampler(u32, Comparing),
    /// Buffers of the script, one bind target for each descriptor.
    Buffers(Vec<BufferPlace>),
    /// Lock that programs hold while they update wide texels.
    ImageLock,
}

/// Resources that the script binds by number, for modules without reflection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbered<'a> {
    pub(super) buffers: &'a [BindTarget],
    /// Texture image units with the first texture of each.
    pub(super) textures: &'a [(u32, WantedTexture)],
    /// Storage images with their targets.
    pub(super) images: &'a [(ImageKey, TexTarget)],
}

/// Binding and its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PlannedBinding {
    pub(super) binding: Binding,
    pub(super) source: Source,
}

impl PlannedBinding {
    /// Returns true if it is a buffer that the runner fills.
    pub(super) fn is_block(&self) -> bool {
        match self.source {
            Source::Params(..) | Source::StateBlock(_) | Source::State | Source::ImageLock => true,
            Source::Textures(..)
            | Source::Sampler(..)
            | Source::Attachment(_)
            | Source::Image(_)
            | Source::Images(..)
            | Source::Handles(..)
            | Source::Buffers(_) => false,
        }
    }
}

/// Collects the bindings of modules that run together.
pub(super) fn plan_bindings<'a>(
    modules: impl IntoIterator<Item = &'a Module>,
    numbered: Numbered<'_>,
) -> Result<Vec<PlannedBinding>, String> {
    let mut plan = Vec::new();
    let mut plain = false;
    let mut samplers = Vec::new();
    for module in modules {
        let Some(reflection) = &module.reflection else {
            plain = true;
            continue;
        };
        for descriptor in descriptors(reflection) {
            match descriptor.resource {
                // If a unit also has a texture, its sampler is bound with it.
                Resource::Sampler(_) => samplers.push((descriptor, module, reflection)),
                Resource::Params(_)
                | Resource::StateBlock(_)
                | Resource::State(_)
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

/// Adds the binding that a module requires at a slot.
fn plan_descriptor(
    plan: &mut Vec<PlannedBinding>,
    module: &Module,
    reflection: &Reflection,
    descriptor: &Descriptor<'_>,
) -> Result<(), String> {
    let source = match descriptor.resource {
        Resource::Params(block) => {
            Source::Params(reflection.stage, block.clone(), reflection.named.clone())
        }
        Resource::StateBlock(_) => match &module.state {
            Some(words) => Source::StateBlock(words.clone()),
            None => return Ok(()),
        },
        Resource::State(_) => Source::State,
        Resource::Texture(texture) => {
            let wanted = wanted_texture(reflection, texture);
            refuse_other_textures(plan, texture, &wanted)?;
            Source::Textures(texture.unit, wanted)
        }
        Resource::Sampler(sampler) => Source::Sampler(sampler.unit, comparing(sampler.shadow)),
        Resource::Attachment(attachment) => Source::Attachment(attachment.buffer),
        Resource::Image(image) => {
            let wanted = wanted_image(image);
            refuse_other_images(plan, image, &wanted)?;
            Source::Images(image.unit, wanted)
        }
        Resource::Handles(array) => Source::Handles(array.kind, array.target),
        Resource::Buffer(buffer) => match buffer_places(reflection.stage, buffer) {
            Some(places) => Source::Buffers(places),
            None => return Ok(()),
        },
        Resource::ImageLock => Source::ImageLock,
    };
    let Descriptor {
        slot, kind, count, ..
    } = *descriptor;
    add(plan, slot, kind, count, source);
    Ok(())
}

/// Adds a binding; stages may share one.
fn add(
    plan: &mut Vec<PlannedBinding>,
    slot: DescriptorSlot,
    kind: DescriptorKind,
    count: u32,
    source: Source,
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
                fit: match source {
                    Source::Handles(HandleKind::QueriedTexture, _) => Fit::Accessed,
                    Source::Handles(
                        HandleKind::Texture(_) | HandleKind::Comparison | HandleKind::Image(_),
                        _,
                    )
                    | Source::Params(..)
                    | Source::StateBlock(_)
                    | Source::Textures(..)
                    | Source::Sampler(..)
                    | Source::Attachment(_)
                    | Source::Image(_)
                    | Source::Images(..)
                    | Source::Buffers(_)
                    | Source::State
                    | Source::ImageLock => Fit::All,
                },
            };
            plan.push(PlannedBinding { binding, source });
        }
    }
}

/// Plans bindings by convention: modules without reflection access all buffers of the script at its
/// bindings, and its textures in set 1.
fn plan_by_convention(plan: &mut Vec<PlannedBinding>, numbered: Numbered<'_>) {
    for target in numbered.buffers {
        let BindTarget::Bound { kind, set, binding } = *target else {
            continue;
        };
        let binding_kind = match kind {
            BufferKind::Uniform => DescriptorKind::UniformBuffer,
            BufferKind::Storage => DescriptorKind::StorageBuffer,
            BufferKind::Counter | BufferKind::Feedback => continue,
        };
        let source = Source::Buffers(vec![BufferPlace {
            stage: None,
            kind,
            set,
            binding,
            presence: Presence::Offered,
        }]);
        let slot = DescriptorSlot { set, binding };
        add(plan, slot, binding_kind, 1, source);
    }
    for (unit, wanted) in numbered.textures {
        let slot = DescriptorSlot {
            set: TEXTURE_SET,
            binding: *unit,
        };
        add(
            plan,
            slot,
            DescriptorKind::of_texture(wanted.target),
            1,
            Source::Textures(*unit, *wanted),
        );
    }
    for (key, target) in numbered.images {
        let slot = DescriptorSlot {
            set: key.set,
            binding: key.binding,
        };
        let kind = DescriptorKind::of_image(*target);
        add(plan, slot, kind, 1, Source::Image(*key));
    }
}

fn comparing(shadow: bool) -> Comparing {
    if shadow {
        Comparing::On
    } else {
        Comparing::Off
    }
}

fn wanted_texture(reflection: &Reflection, texture: &TextureBinding) -> WantedTexture {
    WantedTexture {
        target: texture.target,
        texel: texture.texel,
        comparing: Some(comparing(texture.shadow)),
        missing: if reflection.transparent_missing {
            Missing::Transparent
        } else {
            Missing::Black
        },
    }
}

fn wanted_image(image: &ImageBinding) -> WantedImage {
    WantedImage {
        target: image.target,
        format: image.format,
    }
}

/// Returns the descriptor that is planned for a slot.
fn find_descriptor(plan: &[PlannedBinding], slot: DescriptorSlot) -> Option<&Source> {
    let same = |planned: &&PlannedBinding| {
        (planned.binding.set, planned.binding.binding) == (slot.set, slot.binding)
    };
    plan.iter().find(same).map(|planned| &planned.source)
}

/// Returns the error that another program reads another kind of texture of the same unit.
fn refuse_other_textures(
    plan: &[PlannedBinding],
    texture: &TextureBinding,
    wanted: &WantedTexture,
) -> Result<(), String> {
    match find_descriptor(plan, texture.slot) {
        None => Ok(()),
        // Programs may differ in the result of lookups without texture.
        Some(Source::Textures(_, known))
            if (WantedTexture {
                missing: wanted.missing,
                ..*known
            }) == *wanted =>
        {
            Ok(())
        }
        Some(_) => Err(format!(
            "texture image unit {}: the programs read different kinds of textures",
            texture.unit
        )),
    }
}

/// Returns the error that another program accesses another kind of image at the same unit.
fn refuse_other_images(
    plan: &[PlannedBinding],
    image: &ImageBinding,
    wanted: &WantedImage,
) -> Result<(), String> {
    match find_descriptor(plan, image.slot) {
        None => Ok(()),
        Some(Source::Images(_, known)) if known == wanted => Ok(()),
        Some(_) => Err(format!(
            "image unit {}: the programs see different kinds of images",
            image.unit
        )),
    }
}

/// Returns the bindings of a program's buffers; `None` for memory that is not bound.
fn buffer_places(stage: Stage, wanted: &BufferBinding) -> Option<Vec<BufferPlace>> {
    let (stage, kind, presence) = match wanted.kind {
        IrBufferKind::Constant => (Some(stage), BufferKind::Uniform, Presence::Zeros),
        IrBufferKind::Storage => (None, BufferKind::Storage, Presence::Needed),
        IrBufferKind::Counter => (None, BufferKind::Counter, Presence::Needed),
        IrBufferKind::State | IrBufferKind::Shared | IrBufferKind::Private => return None,
    };
    let places = (wanted.index..wanted.index + wanted.count).map(|binding| BufferPlace {
        stage,
        kind,
        set: 0,
        binding,
        presence,
    });
    Some(places.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{module, reflection};
    use glasm::reflect::Scalar;

    const PLAIN: WantedTexture = WantedTexture {
        target: TexTarget::D2,
        texel: Scalar::Float,
        comparing: Some(Comparing::Off),
        missing: Missing::Black,
    };

    fn numbered(buffers: &[BindTarget]) -> Numbered<'_> {
        Numbered {
            buffers,
            textures: &[],
            images: &[],
        }
    }

    fn bound(kind: BufferKind, set: u32, binding: u32) -> BindTarget {
        BindTarget::Bound { kind, set, binding }
    }

    fn place(stage: Option<Stage>, kind: BufferKind, binding: u32) -> BufferPlace {
        BufferPlace {
            stage,
            kind,
            set: 0,
            binding,
            presence: Presence::Needed,
        }
    }

    #[test]
    fn modules_without_reflection_see_everything_of_the_script() {
        let buffers = [
            BindTarget::Param {
                stage: Stage::Fragment,
                index: 1,
            },
            bound(BufferKind::Counter, 0, 1),
            bound(BufferKind::Storage, 0, 3),
            bound(BufferKind::Uniform, 2, 0),
        ];
        let texel_buffer = WantedTexture {
            target: TexTarget::Buffer,
            comparing: None,
            ..PLAIN
        };
        let all = Numbered {
            textures: &[(5, PLAIN), (6, texel_buffer)],
            images: &[
                (ImageKey::of_unit(1), TexTarget::D3),
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
            fit: Fit::All,
        };
        assert_eq!(
            bindings,
            [
                one(0, 3, DescriptorKind::StorageBuffer),
                one(2, 0, DescriptorKind::UniformBuffer),
                one(1, 5, DescriptorKind::CombinedImageSampler),
                one(1, 6, DescriptorKind::UniformTexelBuffer),
                one(3, 129, DescriptorKind::StorageImage),
                one(2, 7, DescriptorKind::StorageTexelBuffer),
            ]
        );
        let storage = BufferPlace {
            presence: Presence::Offered,
            ..place(None, BufferKind::Storage, 3)
        };
        assert_eq!(plan[0].source, Source::Buffers(vec![storage]));
    }

    #[test]
    fn reflection_counts_more_than_the_numbers_of_the_script() {
        let slot = DescriptorSlot { set: 0, binding: 4 };
        let block = ParamBlock {
            slot,
            slots: Vec::new(),
            storage: false,
        };
        let fragment = Reflection {
            params: Some(block),
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
            Source::Params(Stage::Fragment, _, _)
        ));
    }

    #[test]
    fn stages_share_a_texture() {
        let texture = |count| TextureBinding {
            slot: DescriptorSlot { set: 1, binding: 2 },
            unit: 2,
            count,
            target: TexTarget::D2,
            shadow: false,
            texel: Scalar::Float,
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
            (3, &Source::Textures(2, PLAIN))
        );
    }

    #[test]
    fn stages_do_not_share_different_textures() {
        let with = |stage, shadow| {
            let mut reflection = reflection(stage);
            reflection.textures = vec![TextureBinding {
                slot: DescriptorSlot { set: 1, binding: 2 },
                unit: 2,
                count: 1,
                target: TexTarget::D2,
                shadow,
                texel: Scalar::Float,
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
                image_lock: Some(slot),
                ..reflection(stage)
            };
            module(stage, Some(reflection))
        };
        let modules = [with_lock(Stage::Vertex), with_lock(Stage::Fragment)];
        let plan = plan_bindings(&modules, numbered(&[])).unwrap();
        assert_eq!(plan.len(), 1);
        assert_eq!(plan[0].binding.kind, DescriptorKind::StorageBuffer);
        assert_eq!(plan[0].source, Source::ImageLock);
    }

    #[test]
    fn buffers_of_programs_are_found_by_kind_and_number() {
        let mut reflection = reflection(Stage::Geometry);
        let wanted = |binding, index, count, kind| BufferBinding {
            slot: DescriptorSlot { set: 2, binding },
            index,
            count,
            kind,
        };
        reflection.buffers = vec![
            wanted(49, 1, 2, IrBufferKind::Constant),
            wanted(5, 5, 1, IrBufferKind::Counter),
            wanted(6, 6, 1, IrBufferKind::Storage),
        ];
        let modules = [module(Stage::Geometry, Some(reflection))];
        let plan = plan_bindings(&modules, numbered(&[])).unwrap();
        let sources: Vec<_> = plan.iter().map(|planned| planned.source.clone()).collect();
        let own = |binding| BufferPlace {
            presence: Presence::Zeros,
            ..place(Some(Stage::Geometry), BufferKind::Uniform, binding)
        };
        assert_eq!(
            sources,
            [
                Source::Buffers(vec![own(1), own(2)]),
                Source::Buffers(vec![place(None, BufferKind::Counter, 5)]),
                Source::Buffers(vec![place(None, BufferKind::Storage, 6)]),
            ]
        );
    }
}
