//! Numbers of resources for the languages that have no descriptor sets.
//!
//! A texture has the number of its unit and so has its sampler, where samplers are numbered. In
//! Metal buffers are numbered in the order of set and binding.

use super::split_combined_samplers::SAMPLER_BINDING_OFFSET;
use crate::resource_numbers::{NumberAllocator, Numbering, is_for_opengl};
use crate::{Resource, ResourceKind};
use glasm::Shader;
use glasm::reflect::DescriptorSlot;
use naga::back::{glsl, msl};
use naga::{
    AddressSpace, GlobalVariable, Handle, ImageClass, Module, ResourceBinding, StorageAccess,
    TypeInner,
};

/// The kind of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FlatResourceKind {
    Buffer,
    Texture,
    Sampler,
}

/// A resource and its number among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FlatBinding {
    binding: ResourceBinding,
    kind: FlatResourceKind,
    index: u8,
    writable: bool,
}

/// Returns all resources with numbers for Metal, which has no sets: textures and
/// samplers have those of their binding, buffers are counted in the order of bindings. Numbers
/// beyond 255 are excluded.
fn collect_flat_bindings(module: &Module) -> Vec<FlatBinding> {
    let mut found: Vec<(ResourceBinding, &GlobalVariable)> = module
        .global_variables
        .iter()
        .filter_map(|(_, global)| Some((global.binding?, global)))
        .collect();
    found.sort_by_key(|(binding, _)| *binding);
    let mut buffers = 0;
    let number = |(binding, global): (ResourceBinding, &GlobalVariable)| {
        let kind = get_resource_kind(module, global);
        let number = match kind {
            FlatResourceKind::Texture => binding.binding,
            FlatResourceKind::Sampler => binding.binding.checked_sub(SAMPLER_BINDING_OFFSET)?,
            FlatResourceKind::Buffer => {
                buffers += 1;
                buffers - 1
            }
        };
        Some(FlatBinding {
            binding,
            kind,
            index: u8::try_from(number).ok()?,
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

/// Returns the kind of a resource variable: texture, which includes images, sampler or buffer.
fn get_resource_kind(module: &Module, global: &GlobalVariable) -> FlatResourceKind {
    let inner = get_element_type(module, global);
    if matches!(inner, TypeInner::Image { .. }) {
        FlatResourceKind::Texture
    } else if matches!(inner, TypeInner::Sampler { .. }) {
        FlatResourceKind::Sampler
    } else {
        FlatResourceKind::Buffer
    }
}

/// Returns true if the program may store to a resource variable: storage images and storage buffers
/// with write access.
fn is_writable(module: &Module, global: &GlobalVariable) -> bool {
    let inner = get_element_type(module, global);
    if let TypeInner::Image {
        class: ImageClass::Storage { access, .. },
        ..
    } = inner
    {
        return access.contains(StorageAccess::STORE);
    }
    matches!(global.space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE))
}

/// Returns Metal's buffer, texture and sampler indices of all resources of a module.
pub(super) fn collect_msl_resources(module: &Module) -> msl::EntryPointResources {
    let target = |slot: &FlatBinding| msl::BindTarget {
        buffer: (slot.kind == FlatResourceKind::Buffer).then_some(slot.index),
        texture: (slot.kind == FlatResourceKind::Texture).then_some(slot.index),
        sampler: (slot.kind == FlatResourceKind::Sampler)
            .then_some(msl::BindSamplerTarget::Resource(slot.index)),
        mutable: slot.writable,
        ..msl::BindTarget::default()
    };
    let resources = collect_flat_bindings(module)
        .iter()
        .map(|slot| (slot.binding, target(slot)))
        .collect();
    msl::EntryPointResources {
        resources,
        ..msl::EntryPointResources::default()
    }
}

/// Returns the numbers for OpenGL, where a texture and its sampler are one resource, and the stages
/// of a pipeline share the numbers, those of the module if this is for OpenGL. Numbers beyond 255
/// are excluded.
pub(super) fn collect_glsl_bindings(module: &Module, shader: &Shader) -> glsl::BindingMap {
    let mut found: Vec<(ResourceBinding, ResourceKind)> = module
        .global_variables
        .iter()
        .filter_map(|(_, global)| Some((global.binding?, get_glsl_kind(module, global)?)))
        .collect();
    found.sort_by_key(|(binding, _)| *binding);
    let numbering = if is_for_opengl(shader) {
        Numbering::AsInModule
    } else {
        Numbering::SharedByStages
    };
    let mut numbers = NumberAllocator::new(numbering, &shader.reflection);
    let number = |(binding, kind): (ResourceBinding, ResourceKind)| {
        let number = numbers.allocate(kind, to_slot(binding), 1);
        Some((binding, u8::try_from(number).ok()?))
    };
    found.into_iter().filter_map(number).collect()
}

/// Returns the slot of a resource in the module.
fn to_slot(binding: ResourceBinding) -> DescriptorSlot {
    DescriptorSlot {
        set: binding.group,
        binding: binding.binding,
    }
}

/// Returns the kind of a resource variable in GLSL; `None` for samplers, which are part of their
/// textures.
fn get_glsl_kind(module: &Module, global: &GlobalVariable) -> Option<ResourceKind> {
    let inner = get_element_type(module, global);
    Some(if matches!(inner, TypeInner::Sampler { .. }) {
        return None;
    } else if let TypeInner::Image { class, .. } = inner {
        if matches!(class, ImageClass::Storage { .. }) {
            ResourceKind::Image
        } else {
            ResourceKind::Texture
        }
    } else if global.space == AddressSpace::Uniform {
        ResourceKind::UniformBuffer
    } else {
        ResourceKind::StorageBuffer
    })
}

/// Returns the resources of a module in GLSL, in the order of their slots: textures, images and
/// buffers, with the names that the writer reports, and with these numbers if the version can
/// express them.
pub(super) fn collect_glsl_resources(
    module: &Module,
    written: &glsl::ReflectionInfo,
    numbers: Option<&glsl::BindingMap>,
) -> Vec<Resource> {
    let describe = |variable: Handle<GlobalVariable>, name: &str| {
        let global = &module.global_variables[variable];
        let binding = global.binding?;
        let kind = get_glsl_kind(module, global)?;
        Some(Resource {
            kind,
            slot: to_slot(binding),
            name: name.to_owned(),
            binding_number: numbers
                .and_then(|numbers| numbers.get(&binding))
                .map(|number| u32::from(*number)),
        })
    };
    let textures = written.texture_mapping.iter();
    let textures = textures.map(|(name, mapping)| (mapping.texture, name));
    let buffers = written.uniforms.iter();
    let buffers = buffers.map(|(variable, name)| (*variable, name));
    let mut resources: Vec<_> = textures
        .chain(buffers)
        .filter_map(|(variable, name)| describe(variable, name))
        .collect();
    resources.sort_by(|one, other| (one.slot, &one.name).cmp(&(other.slot, &other.name)));
    resources
}
