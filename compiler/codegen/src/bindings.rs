//! Descriptor sets and bindings, as the caller lays them out.

#[cfg(doc)]
use crate::state::StateForm;

/// First binding of images. Each image unit has seven bindings, because an image is bound once for each kind of view that a
/// program has of it: in its own format at `FIRST_IMAGE_BINDING + unit`, with raw texels of 8, 16, 32, 64 and 128 bits at the
/// same place 1 to 5 times [`IMAGE_UNITS`] further on, and 6 times further on for queries.
// Before them the set has 64 bindings of storage buffers and 64 of atomic counters.
pub const FIRST_IMAGE_BINDING: u32 = 128;
/// Number of image units.
pub const IMAGE_UNITS: u32 = 32;
/// First binding of atomic counter buffers in the set that they share with storage buffers.
const FIRST_COUNTER_BINDING: u32 = 64;
/// Binding of the lock that [`crate::Reflection::image_lock`] tells about, in the set of images.
pub const IMAGE_LOCK_BINDING: u32 = FIRST_IMAGE_BINDING + 7 * IMAGE_UNITS;

/// First binding of color attachments that programs read, in the set of textures.
// Before them the set has a binding for each of 128 texture image units.
pub const FIRST_ATTACHMENT_BINDING: u32 = 128;

/// Descriptor sets and bindings. In OpenGL sets mean nothing, and uniform blocks, storage blocks, textures and images each count bindings of
/// their own: see [`BindingLayout::opengl`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct BindingLayout {
    /// Set of the parameter block.
    pub param_set: u32,
    /// Binding of the parameter block; `None` gives the stage's number (vertex 0, tessellation control 1, evaluation 2,
    /// geometry 3, fragment 4, compute 0), counted from [`first_param_binding`](Self::first_param_binding).
    pub param_binding: Option<u32>,
    /// Added to the number of a stage that is the binding of its parameter block.
    pub first_param_binding: u32,
    /// Set of combined image samplers; binding is the texture image unit. Color attachments that programs read are there, too, from
    /// [`FIRST_ATTACHMENT_BINDING`] on.
    pub texture_set: u32,
    /// Set of program parameter buffers; binding is `first_buffer_binding + buffers_per_stage * stage + index`.
    pub buffer_set: u32,
    /// Added to the bindings of program parameter buffers.
    pub first_buffer_binding: u32,
    /// Bindings of program parameter buffers that each stage has. In OpenGL a program that names a later one is refused; compute programs
    /// have those of all five stages.
    pub buffers_per_stage: u32,
    /// Set of images, storage buffers and atomic counters. Bindings of storage buffers are their numbers from `first_storage_binding` on, where
    /// the program parameters of state programs are number 0, those of counters from `first_counter_binding` on, those of images from
    /// `first_image_binding` on.
    ///
    /// Where GL has no buffer bound, reads give 0 and writes do nothing: bind a descriptor of less than 4 bytes for that. Sizes
    /// of storage and counter buffers count in whole words.
    pub storage_set: u32,
    /// Added to the numbers of storage buffers.
    pub first_storage_binding: u32,
    /// Binding of atomic counter buffer 0.
    pub first_counter_binding: u32,
    /// Binding of image unit 0; see [`FIRST_IMAGE_BINDING`]. In OpenGL, where there are few image units, the binding of the first image that
    /// a module has: each view that it has of an image follows, in the order in which they stand in
    /// [`Reflection::images`](crate::Reflection::images). Stages that are linked have theirs behind those of the stages before.
    pub first_image_binding: u32,
    /// Binding of the lock that [`Reflection::image_lock`](crate::Reflection::image_lock) tells about.
    pub image_lock_binding: u32,
    /// Set of the arrays that handles index; see [`handles`](crate::handles). Vulkan guarantees four sets: on a device with no more
    /// this is one of the others, with bindings past those that it has.
    pub handle_set: u32,
    /// Added to the bindings of the arrays that handles index.
    pub first_handle_binding: u32,
    /// Set of the uniform block of state; see [`StateForm::Uniform`].
    pub state_set: u32,
    /// Binding of that block, which all stages share.
    pub state_binding: u32,
    /// Number of the specialization constant that is the first word of the state; see [`StateForm::Specialized`]. 0 to 2 are the size of
    /// work groups of compute programs that leave it open.
    pub first_state_constant: u32,
}

impl Default for BindingLayout {
    fn default() -> Self {
        // Sets 0 to 3 are those that Vulkan guarantees (`maxBoundDescriptorSets`).
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
    /// Stages that have numbers of their own.
    const STAGES: u32 = 5;

    /// A layout for OpenGL that takes the last binding points of each kind, for applications count theirs from 0 on.
    ///
    /// `uniform_buffers` is `MAX_UNIFORM_BUFFER_BINDINGS`, at least 36: the block of state has the last of them, before it are the parameter
    /// blocks of the stages, and before these their program parameter buffers, as many as there is room for but 16 at most. `storage_buffers` is
    /// `MAX_SHADER_STORAGE_BUFFER_BINDINGS`, at least 8 where programs have such buffers: the lock of images has the last of them, before
    /// it are a quarter for atomic counters, and the others are storage buffers from 0 on. Textures have the numbers of their texture image
    /// units, images those from 0 on.
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
