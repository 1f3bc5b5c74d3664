//! Texture image units and storage images: their identification, and the parts of them that
//! programs access.

use super::gl_state::Switch;
use crate::format::Format;
use crate::texture::ImagePart;
use glasm::fixed_function::TextureTarget;

/// Storage image by its descriptor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageKey {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
}

impl ImageKey {
    /// Set of image units.
    const SET: u32 = 3;
    /// Binding of image unit 0, after those of storage buffers and atomic counters of programs.
    const FIRST_BINDING: u32 = 128;

    /// Returns the key of the image of an image unit: a binding of the set that is reserved for
    /// image units.
    pub fn from_unit(unit: u32) -> Self {
        Self {
            set: Self::SET,
            binding: Self::FIRST_BINDING + unit,
        }
    }

    /// Returns the image unit of a key; `None` for images that modules find by descriptor only.
    pub fn unit(self) -> Option<u32> {
        let unit = self.binding.checked_sub(Self::FIRST_BINDING);
        unit.filter(|_| self.set == Self::SET)
    }
}

impl std::fmt::Display for ImageKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.unit() {
            Some(unit) => write!(f, "image {unit}"),
            None => write!(f, "image {}:{}", self.set, self.binding),
        }
    }
}

/// Part of an image, and the format in which programs access it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundImage {
    /// Image.
    pub image: ImageKey,
    /// Bound part of the image.
    pub part: ImagePart,
    /// Format of the view; `None` for that of the image.
    pub format: Option<Format>,
}

/// Texture or image that a handle refers to, by its unit, whose number denotes the handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleUnit {
    /// Texture of a texture image unit.
    Texture(u32),
    /// Image of an image unit.
    Image(u32),
}

impl HandleUnit {
    /// Returns the number of the unit.
    pub fn unit(self) -> u32 {
        match self {
            Self::Texture(unit) | Self::Image(unit) => unit,
        }
    }
}

/// Textures that a unit has enabled (`TEXTURE_2D` and others). Programs access textures regardless
/// of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextureEnables(u8);

/// GL's capabilities with their targets; those further down count more. GL 2.1 section 3.8.15,
/// ARB_texture_rectangle.
const TEXTURE_CAPABILITIES: [(&str, TextureTarget); 5] = [
    ("GL_TEXTURE_1D", TextureTarget::D1),
    ("GL_TEXTURE_2D", TextureTarget::D2),
    ("GL_TEXTURE_RECTANGLE", TextureTarget::Rectangle),
    ("GL_TEXTURE_3D", TextureTarget::D3),
    ("GL_TEXTURE_CUBE_MAP", TextureTarget::Cube),
];

impl TextureEnables {
    /// GL's names of the targets that can be enabled.
    pub const NAMES: [&str; 5] = [
        TEXTURE_CAPABILITIES[0].0,
        TEXTURE_CAPABILITIES[1].0,
        TEXTURE_CAPABILITIES[2].0,
        TEXTURE_CAPABILITIES[3].0,
        TEXTURE_CAPABILITIES[4].0,
    ];

    /// Enables or disables a texture target by GL's name. Returns `None`, and changes nothing, if
    /// the name is unknown.
    pub fn set(&mut self, name: &str, switch: Switch) -> Option<()> {
        let bit = TEXTURE_CAPABILITIES
            .iter()
            .position(|(known, _)| *known == name)?;
        self.0 = self.0 & !(1 << bit) | u8::from(switch == Switch::On) << bit;
        Some(())
    }

    /// Returns true if the texture target of GL's name is enabled; false for unknown names.
    pub fn is_enabled(self, name: &str) -> bool {
        let bit = TEXTURE_CAPABILITIES
            .iter()
            .position(|(known, _)| *known == name);
        bit.is_some_and(|bit| self.0 & 1 << bit != 0)
    }

    /// Returns the target that fixed-function texturing uses: of the enabled ones the last in
    /// [`TEXTURE_CAPABILITIES`], which has precedence. `None` if all are disabled.
    pub fn effective_target(self) -> Option<TextureTarget> {
        let bit = self.0.checked_ilog2()?;
        Some(TEXTURE_CAPABILITIES[bit as usize].1)
    }
}
