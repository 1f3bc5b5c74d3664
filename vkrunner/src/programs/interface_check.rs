//! Interface check of modules that run together, to the extent that their inputs and outputs are
//! known; and a check that the device has enough descriptors for all their textures and images.

use super::Module;
use super::interface::{EntryPoint, StageInterface, Varying};
use crate::requirements::DescriptorLimits;
use glasm::Reflection;
use glasm::ir::{Semantic, Stage, TexTarget};
use glasm::reflect::{DescriptorSlot, HandleKind, InterfaceVariable, ScalarType};
use std::collections::BTreeMap;

/// Returns the varyings of a program that is compiled here, from the reflection of its inputs or
/// outputs. Variables without a location (built-ins) are omitted.
fn varyings_from_reflection(variables: &[InterfaceVariable]) -> Vec<Varying> {
    let varying = |variable: &InterfaceVariable| {
        Some(Varying {
            location: variable.location?,
            component: 0,
            scalar: variable.scalar_type,
            components: u32::from(variable.component_count),
            patch: variable.semantic.is_per_patch(),
            flat: variable.interpolation == glasm::ir::Interpolation::Flat,
        })
    };
    variables.iter().filter_map(varying).collect()
}

impl StageInterface {
    /// Returns the inputs and outputs of an entry point of a module; without an entry point those
    /// of its reflection. `None` if neither is known.
    pub(super) fn from_module(module: &Module, entry: Option<&EntryPoint>) -> Option<Self> {
        let stage = module.stage;
        let (inputs, outputs) = match (&module.reflection, entry) {
            (_, Some(entry)) => (entry.inputs.clone(), entry.outputs.clone()),
            (Some(reflection), None) => (
                varyings_from_reflection(&reflection.inputs),
                varyings_from_reflection(&reflection.outputs),
            ),
            (None, None) => return None,
        };
        Some(Self {
            stage,
            inputs,
            outputs,
        })
    }
}

/// Returns the name of an input of a program for messages, derived from its semantic; its location
/// if there is no reflection or the semantic has no name.
fn describe_input(reflection: Option<&Reflection>, input: &Varying) -> String {
    let semantic = reflection.and_then(|reflection| {
        let mut inputs = reflection.inputs.iter();
        inputs.find(|known| known.location == Some(input.location))
    });
    match semantic.map(|known| known.semantic) {
        Some(Semantic::Color(0)) => "the primary color".to_owned(),
        Some(Semantic::Color(_)) => "the secondary color".to_owned(),
        Some(Semantic::FogCoord) => "the fog coordinate".to_owned(),
        Some(Semantic::TexCoord(unit)) => format!("texture coordinates {unit}"),
        Some(Semantic::GenericVarying(number)) => format!("attribute {number}"),
        _ => format!("location {}", input.location),
    }
}

/// Returns an error if an input of a stage of a draw is not written by the previous stage or has
/// another scalar type, or if a module lacks its entry point. Pairs with a module that cannot be
/// analyzed are accepted.
pub(crate) fn check_interfaces(
    modules: &[&Module],
    entry_name: impl Fn(Stage) -> String,
) -> Result<(), String> {
    let mut sorted = modules.to_vec();
    sorted.sort_by_key(|module| module.stage);
    let mut before: Option<(Option<StageInterface>, Stage)> = None;
    for module in sorted {
        let entry = module.entry_point(&entry_name(module.stage))?;
        // Templates match the previous stage.
        let interface = match &module.template {
            Some(template) => Some(template.interface(module.stage)),
            None => StageInterface::from_module(module, entry),
        };
        if let (Some((Some(producer), _)), Some(consumer)) = (&before, &interface) {
            check_pair(producer, consumer, module)?;
        }
        before = Some((interface, module.stage));
    }
    Ok(())
}

/// Returns an error if an input of a stage is not written by the previous one at its location, or
/// with another scalar type. `module` is that of the consumer, for messages.
fn check_pair(
    producer: &StageInterface,
    consumer: &StageInterface,
    module: &Module,
) -> Result<(), String> {
    for input in &consumer.inputs {
        let same = |output: &&Varying| {
            output.location == input.location
                && output.component <= input.component
                && output.patch == input.patch
        };
        let Some(output) = producer.outputs.iter().find(same) else {
            return Err(format!(
                "the {} module reads {}, which the {} module does not write",
                consumer.stage.name(),
                describe_input(module.reflection.as_ref(), input),
                producer.stage.name(),
            ));
        };
        if output.scalar != input.scalar {
            return Err(format!(
                "the {} module reads {} as {}, but the {} module writes it as {}",
                consumer.stage.name(),
                describe_input(module.reflection.as_ref(), input),
                scalar_name(input.scalar),
                producer.stage.name(),
                scalar_name(output.scalar),
            ));
        }
    }
    Ok(())
}

/// Returns the GLSL name of a scalar type, for messages.
fn scalar_name(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::Float32 => "float",
        ScalarType::Sint32 => "int",
        ScalarType::Uint32 => "uint",
        ScalarType::Float64 => "double",
    }
}

/// Descriptor types with a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LimitedDescriptor {
    Texture,
    TexelBuffer,
    Image,
}

/// Returns the reason why the modules cannot run together: their samplers, textures or storage
/// images exceed a limit of the device per stage. Each slot is counted once for all modules,
/// because all stages access all descriptors. `None` if they can run.
pub(super) fn missing_descriptors<'a>(
    modules: impl Iterator<Item = &'a Module>,
    limits: DescriptorLimits,
) -> Option<String> {
    use LimitedDescriptor::{Image, TexelBuffer, Texture};
    let mut slots: BTreeMap<DescriptorSlot, (LimitedDescriptor, u32)> = BTreeMap::new();
    let mut add = |slot, kind, count: u32| {
        let entry = slots.entry(slot).or_insert((kind, 0));
        entry.1 = entry.1.max(count);
    };
    let texture = |target| {
        if target == TexTarget::Buffer {
            TexelBuffer
        } else {
            Texture
        }
    };
    for reflection in modules.filter_map(|module| module.reflection.as_ref()) {
        for binding in &reflection.textures {
            add(
                binding.slot,
                texture(binding.target),
                binding.descriptor_count,
            );
        }
        for binding in &reflection.samplers {
            add(binding.slot, Texture, 1);
        }
        for binding in &reflection.images {
            add(binding.slot, Image, binding.descriptor_count);
        }
        for array in &reflection.handle_arrays {
            let kind = match array.kind {
                HandleKind::Texture(_)
                | HandleKind::ShadowTexture
                | HandleKind::QueryOnlyTexture => texture(array.target),
                HandleKind::Image(_) => Image,
            };
            add(array.slot, kind, array.descriptor_count);
        }
    }
    let count = |kinds: &[LimitedDescriptor]| -> u32 {
        let counted = slots.values().filter(|(kind, _)| kinds.contains(kind));
        counted.map(|(_, count)| *count).sum()
    };
    let all = [
        (limits.samplers, count(&[Texture]), "samplers"),
        (limits.textures, count(&[Texture, TexelBuffer]), "textures"),
        (limits.images, count(&[Image]), "storage images"),
    ];
    let exceeded = all.into_iter().find(|(limit, count, _)| count > limit);
    exceeded.map(|(limit, count, what)| {
        format!("the device lacks {count} {what} in a stage, it has {limit}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{module, reflection};
    use glasm::ir::Stage;
    use glasm::reflect::{HandleArray, ImageFormat, ScalarType};

    #[test]
    fn arrays_that_stages_share_count_once() {
        let limits = DescriptorLimits {
            samplers: 5,
            textures: 7,
            images: 3,
        };
        let array = |binding, count, kind, target| HandleArray {
            slot: DescriptorSlot { set: 4, binding },
            descriptor_count: count,
            kind,
            target,
            is_written: false,
        };
        let with = |stage, arrays: &[HandleArray]| {
            let mut reflection = reflection(stage);
            reflection.handle_arrays = arrays.to_vec();
            module(stage, Some(reflection))
        };
        let float = HandleKind::Texture(ScalarType::Float32);
        let plain = array(1, 4, float, TexTarget::D2);
        let reason = |arrays: &[HandleArray]| {
            let modules = [
                with(Stage::Vertex, std::slice::from_ref(&plain)),
                with(Stage::Fragment, arrays),
            ];
            missing_descriptors(modules.iter(), limits)
        };
        assert_eq!(reason(std::slice::from_ref(&plain)), None);
        let compared = array(2, 2, HandleKind::ShadowTexture, TexTarget::D2);
        assert_eq!(
            reason(&[compared]).as_deref(),
            Some("the device lacks 6 samplers in a stage, it has 5")
        );
        assert_eq!(reason(&[array(2, 3, float, TexTarget::Buffer)]), None);
        assert_eq!(
            reason(&[array(2, 4, float, TexTarget::Buffer)]).as_deref(),
            Some("the device lacks 8 textures in a stage, it has 7")
        );
        let image = HandleKind::Image(ImageFormat::RawUint(32));
        assert_eq!(
            reason(&[array(9, 4, image, TexTarget::D1)]).as_deref(),
            Some("the device lacks 4 storage images in a stage, it has 3")
        );
    }
}
