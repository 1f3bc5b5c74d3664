//! Check that a device has enough descriptors for all textures and images of the modules that run
//! together.

use super::module::Module;
use crate::requirements::DescriptorLimits;
use glasm::ir::TexTarget;
use glasm::reflect::{DescriptorSlot, HandleKind};
use std::collections::BTreeMap;

/// Descriptor types with a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LimitedDescriptor {
    Texture,
    TexelBuffer,
    Image,
}

/// Returns the reason why the modules cannot run together, since all stages access all descriptors;
/// `None` if they can.
pub(super) fn missing<'a>(
    modules: impl Iterator<Item = &'a Module>,
    limits: DescriptorLimits,
) -> Option<String> {
    let mut slots: BTreeMap<DescriptorSlot, (LimitedDescriptor, u32)> = BTreeMap::new();
    let mut add = |slot, kind, count: u32| {
        let known = slots.entry(slot).or_insert((kind, 0));
        known.1 = known.1.max(count);
    };
    let texture = |target| {
        if target == TexTarget::Buffer {
            LimitedDescriptor::TexelBuffer
        } else {
            LimitedDescriptor::Texture
        }
    };
    for reflection in modules.filter_map(|module| module.reflection.as_ref()) {
        for binding in &reflection.textures {
            add(binding.slot, texture(binding.target), binding.count);
        }
        for binding in &reflection.samplers {
            add(binding.slot, LimitedDescriptor::Texture, 1);
        }
        for binding in &reflection.images {
            add(binding.slot, LimitedDescriptor::Image, binding.count);
        }
        for array in &reflection.handle_arrays {
            let kind = match array.kind {
                HandleKind::Texture(_) | HandleKind::Comparison | HandleKind::QueriedTexture => {
                    texture(array.target)
                }
                HandleKind::Image(_) => LimitedDescriptor::Image,
            };
            add(array.slot, kind, array.count);
        }
    }
    let count = |wanted: &[LimitedDescriptor]| -> u32 {
        let counted = slots.values().filter(|(kind, _)| wanted.contains(kind));
        counted.map(|(_, count)| *count).sum()
    };
    let all = [
        (
            limits.samplers,
            count(&[LimitedDescriptor::Texture]),
            "samplers",
        ),
        (
            limits.textures,
            count(&[LimitedDescriptor::Texture, LimitedDescriptor::TexelBuffer]),
            "textures",
        ),
        (
            limits.images,
            count(&[LimitedDescriptor::Image]),
            "storage images",
        ),
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
    use glasm::reflect::{HandleArray, ImageFormat, Scalar};

    #[test]
    fn arrays_that_stages_share_count_once() {
        let limits = DescriptorLimits {
            samplers: 5,
            textures: 7,
            images: 3,
        };
        let array = |binding, count, kind, target| HandleArray {
            slot: DescriptorSlot { set: 4, binding },
            count,
            kind,
            target,
            written: false,
        };
        let with = |stage, arrays: &[HandleArray]| {
            let mut reflection = reflection(stage);
            reflection.handle_arrays = arrays.to_vec();
            module(stage, Some(reflection))
        };
        let float = HandleKind::Texture(Scalar::Float);
        let plain = array(1, 4, float, TexTarget::D2);
        let reason = |arrays: &[HandleArray]| {
            let modules = [
                with(Stage::Vertex, std::slice::from_ref(&plain)),
                with(Stage::Fragment, arrays),
            ];
            missing(modules.iter(), limits)
        };
        assert_eq!(reason(std::slice::from_ref(&plain)), None);
        let compared = array(2, 2, HandleKind::Comparison, TexTarget::D2);
        assert_eq!(
            reason(&[compared]).as_deref(),
            Some("the device lacks 6 samplers in a stage, it has 5")
        );
        assert_eq!(reason(&[array(2, 3, float, TexTarget::Buffer)]), None);
        assert_eq!(
            reason(&[array(2, 4, float, TexTarget::Buffer)]).as_deref(),
            Some("the device lacks 8 textures in a stage, it has 7")
        );
        let image = HandleKind::Image(ImageFormat::Raw(32));
        assert_eq!(
            reason(&[array(9, 4, image, TexTarget::D1)]).as_deref(),
            Some("the device lacks 4 storage images in a stage, it has 3")
        );
    }
}
