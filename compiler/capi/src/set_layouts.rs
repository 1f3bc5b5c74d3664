//! The descriptors of a shader, and the descriptor set layouts that the shaders of a pipeline need
//! together.

use crate::descriptors::glasm_descriptor;
use crate::enums::{glasm_descriptor_type, glasm_stage};
use crate::ffi_args::{
    self, Versioned, drop_handle, require, require_out_handle, return_list, write_handle,
};
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use crate::reflection::glasm_descriptor_slot;
use crate::shader::glasm_shader;
use glasm::Reflection;
use glasm::layout::{DescriptorConflict, SetLayout, SetLayoutBinding, build_set_layouts};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

/// A binding of a descriptor set layout, with the members of VkDescriptorSetLayoutBinding in the same
/// order and of the same sizes: glasm_vulkan_make_set_layout_info points to the list.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_set_layout_binding {
    /// Its number.
    pub binding: u32,
    /// Kind of its descriptors, a VkDescriptorType.
    pub descriptor_type: glasm_descriptor_type,
    /// Number of descriptors.
    pub descriptor_count: u32,
    /// The stages that use it, as VkShaderStageFlags.
    pub stage_flags: u32,
    /// NULL: no sampler is part of the layout.
    pub immutable_samplers: *const c_void,
}

impl From<&SetLayoutBinding> for glasm_set_layout_binding {
    fn from(binding: &SetLayoutBinding) -> Self {
        let SetLayoutBinding {
            binding,
            descriptor_type,
            descriptor_count,
            stage_flags,
        } = *binding;
        Self {
            binding,
            descriptor_type: descriptor_type.into(),
            descriptor_count,
            stage_flags,
            immutable_samplers: ptr::null(),
        }
    }
}

/// A descriptor set layout.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_set_layout {
    /// Number of the set.
    pub set: u32,
    /// Bindings in ascending order; none if the set only precedes one that has some.
    pub bindings: *const glasm_set_layout_binding,
    /// Number of them.
    pub binding_count: usize,
}

/// Two resources, of different stages or of one, at the same slot.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_descriptor_conflict {
    /// Size of the structure in bytes, as the caller knows it.
    pub size: usize,
    /// The slot.
    pub slot: glasm_descriptor_slot,
    /// The stage that came first.
    pub first_stage: glasm_stage,
    /// Kind that it requires.
    pub first_type: glasm_descriptor_type,
    /// The stage that requires another kind, or another resource of this kind.
    pub second_stage: glasm_stage,
    /// Kind that it requires.
    pub second_type: glasm_descriptor_type,
}

// SAFETY: it begins with the size.
unsafe impl Versioned for glasm_descriptor_conflict {}

impl From<&DescriptorConflict> for glasm_descriptor_conflict {
    fn from(conflict: &DescriptorConflict) -> Self {
        let DescriptorConflict {
            slot,
            first: (first_stage, first_kind),
            second: (second_stage, second_kind),
        } = *conflict;
        Self {
            size: size_of::<Self>(),
            slot: slot.into(),
            first_stage: first_stage.into(),
            first_type: first_kind.into(),
            second_stage: second_stage.into(),
            second_type: second_kind.into(),
        }
    }
}

/// The descriptor set layouts of a pipeline. Threads may share them.
#[derive(Debug)]
pub struct glasm_set_layouts {
    sets: Vec<glasm_set_layout>,
    /// The bindings that the sets point to.
    _bindings: Vec<Vec<glasm_set_layout_binding>>,
}

// SAFETY: the pointers in it are to lists on the heap that it owns and never modifies.
unsafe impl Send for glasm_set_layouts {}

// SAFETY: as above.
unsafe impl Sync for glasm_set_layouts {}

impl glasm_set_layouts {
    /// Converts descriptor set layouts; the sets point to the lists of bindings, which the result
    /// owns.
    pub(crate) fn new(layouts: &[SetLayout]) -> Self {
        let bindings = layouts.iter().map(|layout| {
            let bindings = layout.bindings.iter();
            bindings.map(glasm_set_layout_binding::from).collect()
        });
        let bindings: Vec<Vec<_>> = bindings.collect();
        let sets = layouts.iter().zip(&bindings);
        let sets = sets.map(|(layout, bindings)| glasm_set_layout {
            set: layout.set,
            bindings: bindings.as_ptr(),
            binding_count: bindings.len(),
        });
        Self {
            sets: sets.collect(),
            _bindings: bindings,
        }
    }

    /// Returns the layouts in the order of their numbers.
    pub(crate) fn sets(&self) -> &[glasm_set_layout] {
        &self.sets
    }
}

/// Returns the slots of the module of a shader, with the descriptors to write into them; `count` is
/// set to their number. Returns NULL for NULL.
///
/// `shader` stays the caller's. The list belongs to it and is valid until it is freed. `count` may
/// be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_shader_descriptors(
    shader: Option<&glasm_shader>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_descriptor {
    return_list(count, || {
        Ok(require(shader, "shader")?.lists().descriptors())
    })
}

/// Creates the descriptor set layouts that shaders which run together need, one for each set from 0
/// to the last that has a binding. Stages that use the same slot share its descriptors: there are
/// as many as the stage with the longest array requires. GLASM_RESULT_DESCRIPTOR_CONFLICT if two stages
/// require descriptors of different kinds at a slot: they read different targets at the same
/// texture image unit, which GL refuses to draw, too; or if the bindings of the options give two
/// blocks or buffers the same slot, other than parameter blocks of several stages.
///
/// `shaders`, `count` of them, stay the caller's. `layouts` is set to layouts that the caller owns
/// and frees with `glasm_set_layouts_free`, or to NULL if there are none. `conflict` may be NULL;
/// it is the caller's, too, with its size set, and is filled if there is a conflict, which
/// `glasm_error_message` describes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_set_layouts_create(
    shaders: *const *const glasm_shader,
    count: usize,
    layouts: Option<&mut MaybeUninit<*mut glasm_set_layouts>>,
    conflict: *mut glasm_descriptor_conflict,
) -> glasm_result {
    catch_to_result(|| {
        let layouts = require_out_handle(layouts, "layouts")?;
        // SAFETY: the caller guarantees that many pointers to live shaders.
        let shaders: Vec<&glasm_shader> =
            unsafe { ffi_args::read_handles(shaders, count, "shaders") }?;
        let reflections = shaders.iter().map(|shader| &shader.shader().reflection);
        let reflections: Vec<&Reflection> = reflections.collect();
        match build_set_layouts(&reflections) {
            Ok(layouts_found) => {
                write_handle(layouts, glasm_set_layouts::new(&layouts_found));
                Ok(())
            }
            Err(found) => {
                if !conflict.is_null() {
                    // SAFETY: the caller's structure has the size that it states.
                    unsafe { ffi_args::write_struct(conflict, (&found).into(), "conflict") }?;
                }
                Err(Failure::conflict(found.to_string()))
            }
        }
    })
}

/// Returns the layouts, number n at index n, as a pipeline layout requires them; `count` is set to
/// their number. Returns NULL for NULL.
///
/// `layouts` stays the caller's. The list belongs to it, with all that it points to, and is valid
/// until it is freed. `count` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_set_layouts_get(
    layouts: Option<&glasm_set_layouts>,
    count: Option<&mut MaybeUninit<usize>>,
) -> *const glasm_set_layout {
    return_list(count, || Ok(&require(layouts, "layouts")?.sets))
}

/// Frees descriptor set layouts.
///
/// Takes `layouts` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_set_layouts_free(layouts: Option<Box<glasm_set_layouts>>) {
    drop_handle(layouts);
}

#[cfg(test)]
mod tests {
    use crate::enums::glasm_descriptor_type as C;
    use glasm::layout::DescriptorType as Kind;

    #[test]
    fn kinds_have_the_numbers_of_vulkan() {
        for kind in [
            Kind::CombinedImageSampler,
            Kind::StorageImage,
            Kind::UniformTexelBuffer,
            Kind::StorageTexelBuffer,
            Kind::UniformBuffer,
            Kind::StorageBuffer,
            Kind::InputAttachment,
        ] {
            assert_eq!(C::from(kind) as u32, kind.to_vulkan());
        }
    }
}
