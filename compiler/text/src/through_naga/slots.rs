//! Numbers of resources for the languages that have no descriptor sets.
//!
//! A texture has the number of its unit and so has its sampler, where samplers are numbered.
//! Buffers are numbered in the order of set and binding.

use super::separate::SAMPLER_BINDING_OFFSET;
use naga::back::{glsl, msl};
use naga::{AddressSpace, GlobalVariable, Module, ResourceBinding, StorageAccess, TypeInner};

/// The kind of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ResourceKind {
    Buffer,
    Texture,
    Sampler,
}

/// A resource and its number among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    binding: ResourceBinding,
    kind: ResourceKind,
    number: u8,
    writable: bool,
}

/// Returns all resources whose numbers the languages can express.
fn collect_slots(module: &Module) -> Vec<Slot> {
    let mut found: Vec<(ResourceBinding, &GlobalVariable)> = module
        .global_variables
        .iter()
        .filter_map(|(_, global)| Some((global.binding?, global)))
        .collect();
    found.sort_by_key(|(binding, _)| *binding);
    let mut buffers = 0;
    let number = |(binding, global): (ResourceBinding, &GlobalVariable)| {
        let kind = get_kind(module, global);
        let number = match kind {
            ResourceKind::Texture => binding.binding,
            ResourceKind::Sampler => binding.binding.checked_sub(SAMPLER_BINDING_OFFSET)?,
            ResourceKind::Buffer => {
                buffers += 1;
                buffers - 1
            }
        };
        Some(Slot {
            binding,
            kind,
            number: u8::try_from(number).ok()?,
            writable: is_writable(module, global),
        })
    };
    found.into_iter().filter_map(number).collect()
}

/// Returns the type of a variable, or of its elements if it is an array of resources.
fn get_element_type<'a>(module: &'a Module, global: &GlobalVariable) -> &'a TypeInner {
    let inner = &module.types[global.ty].inner;
    if let TypeInner::BindingArray { base, .. } = inner {
        &module.types[*base].inner
    } else {
        inner
    }
}

fn get_kind(module: &Module, global: &GlobalVariable) -> ResourceKind {
    let inner = get_element_type(module, global);
    if matches!(inner, TypeInner::Image { .. }) {
        ResourceKind::Texture
    } else if matches!(inner, TypeInner::Sampler { .. }) {
        ResourceKind::Sampler
    } else {
        ResourceKind::Buffer
    }
}

fn is_writable(module: &Module, global: &GlobalVariable) -> bool {
    let inner = get_element_type(module, global);
    if let TypeInner::Image {
        class: naga::ImageClass::Storage { access, .. },
        ..
    } = inner
    {
        return access.contains(StorageAccess::STORE);
    }
    matches!(global.space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE))
}

/// Returns the numbers for Metal.
pub(super) fn collect_msl_resources(module: &Module) -> msl::EntryPointResources {
    let target = |slot: &Slot| msl::BindTarget {
        buffer: (slot.kind == ResourceKind::Buffer).then_some(slot.number),
        texture: (slot.kind == ResourceKind::Texture).then_some(slot.number),
        sampler: (slot.kind == ResourceKind::Sampler)
            .then_some(msl::BindSamplerTarget::Resource(slot.number)),
        mutable: slot.writable,
        ..msl::BindTarget::default()
    };
    let resources = collect_slots(module)
        .iter()
        .map(|slot| (slot.binding, target(slot)))
        .collect();
    msl::EntryPointResources {
        resources,
        ..msl::EntryPointResources::default()
    }
}

/// Returns the numbers for OpenGL, where a texture and its sampler are one resource.
pub(super) fn collect_glsl_bindings(module: &Module) -> glsl::BindingMap {
    collect_slots(module)
        .iter()
        .filter(|slot| slot.kind != ResourceKind::Sampler)
        .map(|slot| (slot.binding, slot.number))
        .collect()
}
