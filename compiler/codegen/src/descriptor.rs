//! Descriptors of the reflection: their slots, the kinds of their resources and the types of their
//! texels.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Scalar type of an interface variable or texel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ScalarType {
    /// 32-bit float.
    Float32,
    /// 32-bit signed integer.
    Sint32,
    /// 32-bit unsigned integer.
    Uint32,
    /// 64-bit float.
    Float64,
}

/// Descriptor set and binding number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct DescriptorSlot {
    /// Set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
}

/// Format in which an image must be bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum ImageFormat {
    /// Its own format, whose texels are read and written as this type.
    Native(ScalarType),
    /// Unsigned integers with this number of bits for a texel: `R8_UINT`, `R16_UINT`, `R32_UINT`,
    /// `R32G32_UINT`, `R32G32B32A32_UINT`. Images whose texels have another size are not a valid
    /// binding.
    RawUint(u8),
    /// Unsigned integers like raw texels, with texels of any size: programs query its size and
    /// samples only.
    AnyUint,
}

/// Kind of the descriptors in an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(Deserialize, Serialize),
    serde(rename_all = "snake_case")
)]
pub enum HandleKind {
    /// Textures whose texels are read as this type. Depth comparisons have a separate array.
    Texture(ScalarType),
    /// Depth textures with samplers that compare.
    ShadowTexture,
    /// All textures, for queries: their texels are not read.
    QueryOnlyTexture,
    /// Images in this format.
    Image(ImageFormat),
}
