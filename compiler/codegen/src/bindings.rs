//! Descriptor sets and bindings of modules, as the caller specifies them.

#[cfg(doc)]
use crate::state::StateForm;

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
/// Binding of the lock that [`crate::Reflection::image_lock`] reports, in the set of images.
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
    pub param_set: u32,
    /// Binding of the parameter block; `None` selects the number of the stage (vertex 0,
    /// tessellation control 1, evaluation 2, geometry 3, fragment 4, compute 0) plus
    /// [`first_param_binding`](Self::first_param_binding).
    pub param_binding: Option<u32>,
    /// Offset added to the number of a stage to form the binding of its parameter block.
    pub first_param_binding: u32,
    /// Set of combined image samplers; the binding is the texture image unit. Color attachments
    /// that programs read are in the same set, from [`FIRST_ATTACHMENT_BINDING`] on.
    pub texture_set: u32,
    /// Set of program parameter buffers; the binding is
    /// `first_buffer_binding + buffers_per_stage * stage + index`.
    pub buffer_set: u32,
    /// Offset added to the bindings of program parameter buffers.
    pub first_buffer_binding: u32,
    /// Number of bindings of program parameter buffers for each stage. In OpenGL a program that
    /// uses a later one is rejected; compute programs have the bindings of all five stages.
    pub buffers_per_stage: u32,
    /// Set of images, storage buffers and atomic counters. Bindings of storage buffers are their
    /// numbers from `first_storage_binding` on, with the program parameters of state programs as
    /// number 0, bindings of counters start at `first_counter_binding`, bindings of images at
    /// `first_image_binding`.
    ///
    /// Without a buffer bound in GL, reads return 0 and writes have no effect: bind a descriptor of
    /// less than 4 bytes for such buffers. Sizes of storage and counter buffers count in whole
    /// words.
    pub storage_set: u32,
    /// Offset added to the numbers of storage buffers.
    pub first_storage_binding: u32,
    /// Binding of atomic counter buffer 0.
    pub first_counter_binding: u32,
    /// Binding of image unit 0; see [`FIRST_IMAGE_BINDING`]. In OpenGL, which has few image units,
    /// the binding of the first image of a module: the views of its images follow in the order of
    /// [`Reflection::images`](crate::Reflection::images). The images of stages that are linked
    /// follow those of the previous stages.
    pub first_image_binding: u32,
    /// Binding of the lock that [`Reflection::image_lock`](crate::Reflection::image_lock) reports.
    pub image_lock_binding: u32,
    /// Set of the arrays that handles index; see [`handles`](crate::handles). Vulkan guarantees
    /// four sets: on a device with only four this is one of the others, with bindings past those
    /// that it uses.
    pub handle_set: u32,
    /// Offset added to the bindings of the arrays that handles index.
    pub first_handle_binding: u32,
    /// Set of the uniform block of state; see [`StateForm::Uniform`].
    pub state_set: u32,
    /// Binding of that block, which all stages share.
    pub state_binding: u32,
    /// Number of the specialization constant that is the first word of the state; see
    /// [`StateForm::Specialized`]. 0 to 2 are the work group size of compute programs that do not
    /// declare it.
    pub first_state_constant: u32,
}

impl Default for BindingLayout {
    fn default() -> Self {
        // Vulkan guarantees sets 0 to 3 (`maxBoundDescriptorSets`).
        Self {
            param_set: 0,
            param_binding: None,
            first_param_binding: 0,
            texture_set: 1,
            buffer_set: 2,
            first_buffer_binding: 0,
            buffers_per_stage: 16,
            storage_set: 3,
            first_storage_binding: 0,
            first_counter_binding: FIRST_COUNTER_BINDING,
            first_image_binding: FIRST_IMAGE_BINDING,
            image_lock_binding: IMAGE_LOCK_BINDING,
            handle_set: 4,
            first_handle_binding: 0,
            state_set: 0,
            // Bindings 0 to 4 of the set are the parameter blocks of the stages.
            state_binding: 5,
            first_state_constant: 16,
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
    /// numbers from 0 on.
    pub fn opengl(uniform_buffers: u32, storage_buffers: u32) -> Self {
        // Saturating, because the limits come from the caller.
        let state_binding = uniform_buffers.saturating_sub(1);
        let first_param_binding = state_binding.saturating_sub(Self::STAGES);
        // 36 bindings leave six for each stage: 36 - 1 - 5 = 5 * 6.
        let buffers_per_stage = (first_param_binding / Self::STAGES).min(16);
        let image_lock_binding = storage_buffers.saturating_sub(1);
        Self {
            param_set: 0,
            param_binding: None,
            first_param_binding,
            texture_set: 0,
            buffer_set: 0,
            first_buffer_binding: first_param_binding - Self::STAGES * buffers_per_stage,
            buffers_per_stage,
            storage_set: 0,
            first_storage_binding: 0,
            // Of 8 bindings, number 7 is the lock, 5 and 6 are counters, 0 to 4 storage buffers.
            first_counter_binding: image_lock_binding.saturating_sub(storage_buffers / 4),
            first_image_binding: 0,
            image_lock_binding,
            handle_set: 0,
            first_handle_binding: 0,
            state_set: 0,
            state_binding,
            first_state_constant: 16,
        }
    }
}
