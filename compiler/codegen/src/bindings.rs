//! Descriptor sets and bindings of modules, as the caller specifies them, and the bindings of the
//! arrays of descriptors that handles index.
//!
//! The caller defines handles: their low 32 bits are the number of an element, the high ones are
//! ignored. There is an array for every kind of resource that a program accesses by handle and for
//! every target, at a separate binding: the caller writes a resident texture or image to the same
//! element of all arrays that the reflection lists and that it is compatible with. Thus every
//! descriptor has the type that the module declares, which requires no feature of the device.
//! Arrays have a fixed length, so that the module can clamp handles: one that is too large reads
//! the last element. That element must be a valid descriptor.

#[cfg(doc)]
use crate::dynamic_state::StateSource;

use crate::descriptor::{DescriptorSlot, HandleKind, ImageFormat, ScalarType};
use glasm_ir::{BaseType, TexTarget, Texture, Type, UnitSet};

/// First binding of images. Each image unit has seven bindings, because an image is bound once for
/// each kind of view that a program has of it: in its own format at `FIRST_IMAGE_BINDING + unit`,
/// with raw texels of 8, 16, 32, 64 and 128 bits at the same binding plus 1 to 5 times
/// [`IMAGE_UNITS`], and plus 6 times [`IMAGE_UNITS`] for queries.
// The preceding bindings of the set are 64 storage buffers and 64 atomic counters.
pub const FIRST_IMAGE_BINDING: u32 = 128;
/// Number of image units.
pub const IMAGE_UNITS: u32 = 32;
/// First binding of atomic counter buffers in the set that they share with storage buffers.
const FIRST_COUNTER_BINDING: u32 = 64;
/// Binding of the lock that [`crate::Reflection::image_lock_slot`] reports, in the set of images.
pub const IMAGE_LOCK_BINDING: u32 = FIRST_IMAGE_BINDING + 7 * IMAGE_UNITS;

/// First binding of color attachments that programs read, in the set of textures.
// The preceding bindings of the set are 128 texture image units.
pub const FIRST_ATTACHMENT_BINDING: u32 = 128;

/// Descriptor sets and bindings. In OpenGL sets have no effect, and uniform blocks, storage blocks,
/// textures and images are separate namespaces of bindings: see [`BindingLayout::opengl`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct BindingLayout {
    /// Set of the parameter block.
    pub parameter_block_set: u32,
    /// Binding of the parameter block; `None` selects the number of the stage (vertex 0,
    /// tessellation control 1, evaluation 2, geometry 3, fragment 4, compute 0) plus
    /// [`first_parameter_block_binding`](Self::first_parameter_block_binding).
    pub parameter_block_binding: Option<u32>,
    /// Offset added to the number of a stage to form the binding of its parameter block.
    pub first_parameter_block_binding: u32,
    /// Set of combined image samplers; the binding is the texture image unit. Color attachments
    /// that programs read are in the same set, from [`FIRST_ATTACHMENT_BINDING`] on.
    pub texture_set: u32,
    /// Set of program parameter buffers; the binding is
    /// `first_buffer_binding + buffers_per_stage * stage + index`.
    pub parameter_buffer_set: u32,
    /// Offset added to the bindings of program parameter buffers.
    pub first_parameter_buffer_binding: u32,
    /// Number of bindings of program parameter buffers for each stage. In OpenGL a program that
    /// uses a later one is rejected; compute programs have the bindings of all five stages.
    pub parameter_buffers_per_stage: u32,
    /// Set of images, storage buffers and atomic counters. Bindings of storage buffers are their
    /// numbers from `first_storage_binding` on, with the program parameters of state programs as
    /// number 0, bindings of counters start at `first_atomic_counter_binding`, bindings of images
    /// at `first_image_binding`.
    ///
    /// Without a buffer bound in GL, reads return 0 and writes have no effect: bind a descriptor of
    /// less than 4 bytes for such buffers. Sizes of storage and counter buffers count in whole
    /// words.
    pub storage_set: u32,
    /// Offset added to the numbers of storage buffers.
    pub first_storage_binding: u32,
    /// Binding of atomic counter buffer 0.
    pub first_atomic_counter_binding: u32,
    /// Binding of image unit 0; see [`FIRST_IMAGE_BINDING`]. In OpenGL, which has few image units,
    /// the binding of the first image of a module: the views of its images follow in the order of
    /// [`Reflection::images`](crate::Reflection::images). The images of stages that are linked
    /// follow those of the previous stages.
    pub first_image_binding: u32,
    /// Binding of the lock that [`Reflection::image_lock_slot`](crate::Reflection::image_lock_slot)
    /// reports.
    pub image_lock_binding: u32,
    /// Set of the arrays that handles index; see [`HandleKind::slot`]. Vulkan guarantees
    /// four sets: on a device with only four this is one of the others, with bindings past those
    /// that it uses.
    pub handle_set: u32,
    /// Offset added to the bindings of the arrays that handles index.
    pub first_handle_binding: u32,
    /// Set of the uniform block of state; see
    /// [`StateSource::UniformBlock`](crate::options::StateSource::UniformBlock).
    pub state_block_set: u32,
    /// Binding of that block, which all stages share.
    pub state_block_binding: u32,
    /// Number of the specialization constant that is the first word of the state; see
    /// [`StateSource::SpecConstant`](crate::options::StateSource::SpecConstant). 0 to 2 are the work
    /// group size of compute programs that do not declare it.
    pub first_state_spec_constant_id: u32,
}

impl Default for BindingLayout {
    /// Returns the layout for Vulkan, in descriptor sets 0 to 4.
    fn default() -> Self {
        // Vulkan guarantees sets 0 to 3 (`maxBoundDescriptorSets`).
        Self {
            parameter_block_set: 0,
            parameter_block_binding: None,
            first_parameter_block_binding: 0,
            texture_set: 1,
            parameter_buffer_set: 2,
            first_parameter_buffer_binding: 0,
            parameter_buffers_per_stage: 16,
            storage_set: 3,
            first_storage_binding: 0,
            first_atomic_counter_binding: FIRST_COUNTER_BINDING,
            first_image_binding: FIRST_IMAGE_BINDING,
            image_lock_binding: IMAGE_LOCK_BINDING,
            handle_set: 4,
            first_handle_binding: 0,
            state_block_set: 0,
            // Bindings 0 to 4 of the set are the parameter blocks of the stages.
            state_block_binding: 5,
            first_state_spec_constant_id: 16,
        }
    }
}

impl BindingLayout {
    /// Number of stages with separate bindings.
    const STAGES: u32 = 5;

    /// Returns a layout for OpenGL that uses the last binding points of each kind, because
    /// applications use theirs from 0 on.
    ///
    /// `uniform_buffers` is `MAX_UNIFORM_BUFFER_BINDINGS`, at least 36: the block of state uses the
    /// last of them, preceded by the parameter blocks of the stages, and these by their program
    /// parameter buffers, as many as fit but at most 16 for each stage. `storage_buffers` is
    /// `MAX_SHADER_STORAGE_BUFFER_BINDINGS`, at least 8 if programs use such buffers: the lock of
    /// images uses the last of them, preceded by a quarter for atomic counters, and the others are
    /// storage buffers from 0 on. Textures use the numbers of their texture image units, images the
    /// numbers from 0 on. Limits below these are not detected, and bindings may overlap.
    pub fn opengl(uniform_buffers: u32, storage_buffers: u32) -> Self {
        // Saturating, because the limits come from the caller.
        let state_binding = uniform_buffers.saturating_sub(1);
        let first_parameter_block_binding = state_binding.saturating_sub(Self::STAGES);
        // 36 bindings leave six for each stage: 36 - 1 - 5 = 5 * 6.
        let buffers_per_stage = (first_parameter_block_binding / Self::STAGES).min(16);
        let image_lock_binding = storage_buffers.saturating_sub(1);
        Self {
            parameter_block_set: 0,
            parameter_block_binding: None,
            first_parameter_block_binding,
            texture_set: 0,
            parameter_buffer_set: 0,
            first_parameter_buffer_binding: first_parameter_block_binding
                - Self::STAGES * buffers_per_stage,
            parameter_buffers_per_stage: buffers_per_stage,
            storage_set: 0,
            first_storage_binding: 0,
            // Of 8 bindings, number 7 is the lock, 5 and 6 are counters, 0 to 4 storage buffers.
            first_atomic_counter_binding: image_lock_binding.saturating_sub(storage_buffers / 4),
            first_image_binding: 0,
            image_lock_binding,
            handle_set: 0,
            first_handle_binding: 0,
            state_block_set: 0,
            state_block_binding: state_binding,
            first_state_spec_constant_id: 16,
        }
    }
}

/// Number of bindings of one kind: the binding of a target is its number in [`TexTarget`].
// There are eleven targets; the rest is reserved, so that an additional target moves no binding.
const BINDINGS_PER_KIND: u32 = 16;

impl HandleKind {
    /// Returns the number of a kind; its bindings start at 16 times this number.
    const fn number(self) -> u32 {
        /// Returns the number of a texel type within a kind: 0 for floats, 1 for signed and 2 for
        /// unsigned integers.
        const fn of_scalar(scalar: ScalarType) -> u32 {
            match scalar {
                // Texels are never doubles.
                ScalarType::Float32 | ScalarType::Float64 => 0,
                ScalarType::Sint32 => 1,
                ScalarType::Uint32 => 2,
            }
        }
        match self {
            Self::Texture(scalar) => of_scalar(scalar),
            // 0 to 2 are textures by the type of their texels.
            Self::ShadowTexture => 3,
            Self::QueryOnlyTexture => 4,
            // Images in their own formats have the numbers 5 to 7; raw texels of 8 to 128 bits
            // follow with 8 to 12.
            Self::Image(ImageFormat::Native(scalar)) => 5 + of_scalar(scalar),
            Self::Image(ImageFormat::RawUint(bits)) => 5 + bits.trailing_zeros(),
            Self::Image(ImageFormat::AnyUint) => 13,
        }
    }

    /// Returns the kind of an access to a texture by handle; `None` if units name the texture.
    pub(crate) fn from_texture(texture: &Texture) -> Option<Self> {
        match texture.units {
            UnitSet::Single(_) | UnitSet::Array { .. } => None,
            UnitSet::QueryHandle => Some(Self::QueryOnlyTexture),
            UnitSet::Handle if texture.shadow => Some(Self::ShadowTexture),
            UnitSet::Handle => Some(Self::Texture(texel_scalar_kind(texture.texel_type))),
        }
    }

    /// Returns the kind of an access to an image by handle; `None` if units name the image.
    pub(crate) fn from_image(units: UnitSet, format: ImageFormat) -> Option<Self> {
        match units {
            UnitSet::Single(_) | UnitSet::Array { .. } => None,
            UnitSet::Handle | UnitSet::QueryHandle => Some(Self::Image(format)),
        }
    }

    /// Returns the set and binding of the descriptor array that handles of textures or images with
    /// `target` index. The binding depends on kind and target.
    pub fn slot(self, target: TexTarget, bindings: &BindingLayout) -> DescriptorSlot {
        let binding = BINDINGS_PER_KIND * self.number() + target as u32;
        DescriptorSlot {
            set: bindings.handle_set,
            binding: bindings.first_handle_binding.saturating_add(binding),
        }
    }
}

/// Returns the component type of texels of this type, as the reflection reports it.
pub(crate) fn texel_scalar_kind(ty: Type) -> ScalarType {
    match ty.base() {
        BaseType::SignedInt => ScalarType::Sint32,
        BaseType::UnsignedInt => ScalarType::Uint32,
        BaseType::Float => ScalarType::Float32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_bindings_of_their_own() {
        let scalars = [ScalarType::Float32, ScalarType::Sint32, ScalarType::Uint32];
        let raw = [8, 16, 32, 64, 128].map(ImageFormat::RawUint);
        let kinds = scalars
            .map(HandleKind::Texture)
            .into_iter()
            .chain([HandleKind::ShadowTexture, HandleKind::QueryOnlyTexture])
            .chain(scalars.map(|scalar| HandleKind::Image(ImageFormat::Native(scalar))))
            .chain(raw.map(HandleKind::Image))
            .chain([HandleKind::Image(ImageFormat::AnyUint)]);
        let layout = BindingLayout {
            handle_set: 7,
            first_handle_binding: 100,
            ..BindingLayout::default()
        };
        let slots = kinds.enumerate().flat_map(|(number, kind)| {
            let targets = TexTarget::ALL.iter().zip(0..);
            targets.map(move |((target, _), place)| {
                (kind.slot(*target, &layout), 16 * number as u32 + place)
            })
        });
        let mut count = 0;
        for (slot, expected) in slots {
            assert_eq!((slot.set, slot.binding), (7, 100 + expected));
            count += 1;
        }
        assert_eq!(count, 14 * 11);
    }

    #[test]
    fn bindings_end() {
        let layout = BindingLayout {
            first_handle_binding: u32::MAX,
            ..BindingLayout::default()
        };
        let slot = HandleKind::QueryOnlyTexture.slot(TexTarget::D2, &layout);
        assert_eq!(slot.binding, u32::MAX);
    }
}
