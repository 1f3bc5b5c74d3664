//! Images: textures of one level whose texels a program reads, writes and updates by integer coordinates.

use crate::ids::ImageId;
use crate::operand::IndexTerm;
use crate::resource::{AtomicOp, MemFlags, TexTarget};
use crate::types::Type;
use crate::units::Units;

/// How the texels of an image are seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ImageTexels {
    /// Converted between the format of the image and a type: `f32`, `s32` or `u32`.
    Formatted(Type),
    /// The bits as they are, so many for a texel: 8, 16, 32, 64 or 128.
    Raw(u8),
    /// Not at all: queries only.
    Unseen,
}

impl ImageTexels {
    /// Sizes of raw texels with their words in the text form.
    pub const RAW: [(u8, &'static str); 5] = [
        (8, "raw8"),
        (16, "raw16"),
        (32, "raw32"),
        (64, "raw64"),
        (128, "raw128"),
    ];

    /// Texels of `components` elements of type `ty`, or `None` if images have no such texels.
    pub fn raw(ty: Type, components: u8) -> Option<Self> {
        let bits = ty.width().bits() * u32::from(components);
        let known = Self::RAW
            .into_iter()
            .find(|(size, _)| u32::from(*size) == bits);
        known
            .filter(|_| ty.width().bits() <= 32)
            .map(|(size, _)| Self::Raw(size))
    }
}

/// Formats that programs may state for images, by the names of Vulkan without `VK_FORMAT_`: those of table X.2 of EXT_shader_image_load_store.
pub static FORMATS: &[&str] = &[
    "R32G32B32A32_SFLOAT",
    "R16G16B16A16_SFLOAT",
    "R32G32_SFLOAT",
    "R16G16_SFLOAT",
    "B10G11R11_UFLOAT_PACK32",
    "R32_SFLOAT",
    "R16_SFLOAT",
    "R32G32B32A32_UINT",
    "R16G16B16A16_UINT",
    "A2B10G10R10_UINT_PACK32",
    "R8G8B8A8_UINT",
    "R32G32_UINT",
    "R16G16_UINT",
    "R8G8_UINT",
    "R32_UINT",
    "R16_UINT",
    "R8_UINT",
    "R32G32B32A32_SINT",
    "R16G16B16A16_SINT",
    "R8G8B8A8_SINT",
    "R32G32_SINT",
    "R16G16_SINT",
    "R8G8_SINT",
    "R32_SINT",
    "R16_SINT",
    "R8_SINT",
    "R16G16B16A16_UNORM",
    "A2B10G10R10_UNORM_PACK32",
    "R8G8B8A8_UNORM",
    "R16G16_UNORM",
    "R8G8_UNORM",
    "R16_UNORM",
    "R8_UNORM",
    "R16G16B16A16_SNORM",
    "R8G8B8A8_SNORM",
    "R16G16_SNORM",
    "R8G8_SNORM",
    "R16_SNORM",
    "R8_SNORM",
];

/// An image unit as the program uses it, an array of them, or all resident images.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Image {
    /// Which image units.
    pub units: Units,
    /// Target.
    pub target: TexTarget,
    /// How texels are seen.
    pub texels: ImageTexels,
    /// The format that the text states, one of [`FORMATS`]; `None` if it leaves that to the image which is bound.
    pub format: Option<&'static str>,
}

impl Image {
    /// Lanes of a coordinate without the sample: those of a texel in a layer, then the layer; faces of cubes count as layers.
    pub const fn coordinate_lanes(&self) -> u8 {
        let layered = self.target.is_array() || matches!(self.target, TexTarget::Cube);
        self.target.plane_dimensions() + layered as u8
    }
}

/// The access of one image instruction.
///
/// Sources: the value of stores and atomics; the coordinate, integers in the order i, j, k, layer without gaps; the sample in
/// lane x, for multisample targets. Queries have none. The type of the instruction is that of an element of the texel; narrow
/// elements are extended to 32-bit lanes. Accesses to texels that do not exist give 0 in all lanes and change nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageAccess {
    /// The image.
    pub image: ImageId,
    /// Run-time element of an image array, or the low word of a handle.
    pub element: Option<IndexTerm>,
    /// Elements of a raw texel; 4 for converted ones. Lanes past them read (0, 0, 0, 1).
    pub components: u8,
    /// The operation of an atomic.
    pub atomic: Option<AtomicOp>,
    /// Qualifiers.
    pub flags: MemFlags,
}

impl ImageAccess {
    /// Lanes that a store reads or a load gives.
    pub const fn element_lanes(&self) -> u8 {
        ((1u16 << self.components) - 1) as u8
    }

    /// Lanes of the value that an atomic reads.
    pub fn atomic_lanes(&self) -> u8 {
        if self.atomic == Some(AtomicOp::CompareExchange) {
            3
        } else {
            self.element_lanes()
        }
    }
}
