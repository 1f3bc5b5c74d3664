//! Images: single texture levels whose texels a program reads, writes and updates by integer
//! coordinates.

use crate::arena::ImageId;
use crate::operand::IndexTerm;
use crate::resource::UnitSet;
use crate::resource::{AtomicOp, MemFlags, TexTarget};
use crate::types::Type;

/// Interpretation of the texels of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ImageTexels {
    /// Converted between the format of the image and a type: `f32`, `s32` or `u32`.
    Formatted(Type),
    /// The unconverted bits, with the number of bits of a texel: 8, 16, 32, 64 or 128.
    Raw(u8),
    /// None: the image is only queried.
    Unused,
}

impl ImageTexels {
    /// Sizes of raw texels with their keywords in the text form.
    pub const RAW: [(u8, &'static str); 5] = [
        (8, "raw8"),
        (16, "raw16"),
        (32, "raw32"),
        (64, "raw64"),
        (128, "raw128"),
    ];

    /// Returns raw texels of `components` elements of type `ty`, or `None` if images cannot have
    /// such texels: elements of 64 bits, or other sizes than 8 to 128 bits.
    pub fn from_raw_elements(ty: Type, components: u8) -> Option<Self> {
        let bits = ty.width().bits() * u32::from(components);
        let known = Self::RAW
            .into_iter()
            .find(|(size, _)| u32::from(*size) == bits);
        known
            .filter(|_| ty.width().bits() <= 32)
            .map(|(size, _)| Self::Raw(size))
    }
}

/// Formats that programs may declare for images, with Vulkan's names without `VK_FORMAT_`: the
/// formats of EXT_shader_image_load_store table X.2.
pub static IMAGE_FORMATS: &[&str] = &[
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

/// An image unit as the program uses it, an array of image units, or all resident images.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Image {
    /// The image units.
    pub units: UnitSet,
    /// Target.
    pub target: TexTarget,
    /// Interpretation of the texels.
    pub texels: ImageTexels,
    /// The format that the program declares, one of [`IMAGE_FORMATS`]; `None` if the format is
    /// that of the bound image.
    pub format: Option<&'static str>,
}

impl Image {
    /// Returns the number of coordinate lanes without the sample: the dimensions of a layer, then
    /// the layer. Faces of cubes are layers.
    pub const fn coordinate_lanes(&self) -> u8 {
        let layered = self.target.is_array() || matches!(self.target, TexTarget::Cube);
        self.target.plane_dimensions() + layered as u8
    }
}

/// The access of one image instruction.
///
/// Sources: the value of stores and atomics; the coordinate, integers in the order i, j, k, layer
/// without gaps; the sample in lane x, for multisample targets. Queries have no sources. The type
/// of the instruction is that of an element of the texel; 8- and 16-bit elements are extended to
/// 32-bit lanes. Accesses to texels that do not exist return 0 in all lanes and have no effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageAccess {
    /// The image.
    pub image: ImageId,
    /// Dynamically indexed element of an image array, or the low word of a handle.
    pub element: Option<IndexTerm>,
    /// Elements of a raw texel; 4 for converted texels. Lanes past them read (0, 0, 0, 1).
    pub components: u8,
    /// The operation of an atomic.
    pub atomic: Option<AtomicOp>,
    /// Qualifiers.
    pub flags: MemFlags,
}

impl ImageAccess {
    /// Returns the lanes that a store reads or a load returns.
    pub const fn element_lanes(&self) -> u8 {
        ((1u16 << self.components) - 1) as u8
    }

    /// Returns the lanes of the value that an atomic reads, as a mask: its components, or x and y
    /// for a compare-exchange.
    pub fn atomic_lanes(&self) -> u8 {
        if self.atomic == Some(AtomicOp::CompareExchange) {
            3
        } else {
            self.element_lanes()
        }
    }
}
