//! Formats of image units: table X.2 of EXT_shader_image_load_store with their names in Vulkan and
//! SPIR-V.

use glasm_ir::BaseType;

/// Support of a format by devices with storage images: SPIR-V has some with the capability `Shader`
/// alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FormatSupport {
    Always,
    /// Supported with `shaderStorageImageExtendedFormats`.
    Extended,
}

macro_rules! texel_formats {
    ($($name:ident $vulkan:literal $support:ident;)*) => {
        /// Format of an image unit, the `<format>` of `BindImageTexture`. Each has its name in
        /// SPIR-V.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        // Without `rename_all`: the names are SPIR-V's.
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
        #[non_exhaustive]
        pub enum TexelFormat { $(#[doc = concat!("`VK_FORMAT_", $vulkan, "`")] $name,)* }

        impl TexelFormat {
            /// All formats with their names in Vulkan, without `VK_FORMAT_`.
            pub const ALL: &[(Self, &'static str)] = &[$((Self::$name, $vulkan),)*];

            /// Returns which capability storage images of this format require.
            const fn support(self) -> FormatSupport {
                match self { $(Self::$name => FormatSupport::$support,)* }
            }

            /// Returns the name in Vulkan, without `VK_FORMAT_`.
            pub const fn vulkan_name(self) -> &'static str {
                match self { $(Self::$name => $vulkan,)* }
            }

            /// Returns the format as an operand of `OpTypeImage`.
            pub const fn spirv_number(self) -> u32 {
                match self { $(Self::$name => spirv::ImageFormat::$name as u32,)* }
            }
        }
    };
}

// SPIR-V, table of image formats: `Shader` alone suffices for RGBA with 8 bits, RGBA with 16 and 32
// bits except normalized ones, and R with 32 bits.
texel_formats! {
    Rgba32f "R32G32B32A32_SFLOAT" Always;
    Rgba16f "R16G16B16A16_SFLOAT" Always;
    Rg32f "R32G32_SFLOAT" Extended;
    Rg16f "R16G16_SFLOAT" Extended;
    R11fG11fB10f "B10G11R11_UFLOAT_PACK32" Extended;
    R32f "R32_SFLOAT" Always;
    R16f "R16_SFLOAT" Extended;
    Rgba32ui "R32G32B32A32_UINT" Always;
    Rgba16ui "R16G16B16A16_UINT" Always;
    Rgb10a2ui "A2B10G10R10_UINT_PACK32" Extended;
    Rgba8ui "R8G8B8A8_UINT" Always;
    Rg32ui "R32G32_UINT" Extended;
    Rg16ui "R16G16_UINT" Extended;
    Rg8ui "R8G8_UINT" Extended;
    R32ui "R32_UINT" Always;
    R16ui "R16_UINT" Extended;
    R8ui "R8_UINT" Extended;
    Rgba32i "R32G32B32A32_SINT" Always;
    Rgba16i "R16G16B16A16_SINT" Always;
    Rgba8i "R8G8B8A8_SINT" Always;
    Rg32i "R32G32_SINT" Extended;
    Rg16i "R16G16_SINT" Extended;
    Rg8i "R8G8_SINT" Extended;
    R32i "R32_SINT" Always;
    R16i "R16_SINT" Extended;
    R8i "R8_SINT" Extended;
    Rgba16 "R16G16B16A16_UNORM" Extended;
    Rgb10A2 "A2B10G10R10_UNORM_PACK32" Extended;
    Rgba8 "R8G8B8A8_UNORM" Always;
    Rg16 "R16G16_UNORM" Extended;
    Rg8 "R8G8_UNORM" Extended;
    R16 "R16_UNORM" Extended;
    R8 "R8_UNORM" Extended;
    Rgba16Snorm "R16G16B16A16_SNORM" Extended;
    Rgba8Snorm "R8G8B8A8_SNORM" Always;
    Rg16Snorm "R16G16_SNORM" Extended;
    Rg8Snorm "R8G8_SNORM" Extended;
    R16Snorm "R16_SNORM" Extended;
    R8Snorm "R8_SNORM" Extended;
}

impl TexelFormat {
    /// Returns the format with the Vulkan name `VK_FORMAT_` + `name`, or `None` if storage images
    /// cannot have it.
    pub fn from_vulkan_name(name: &str) -> Option<Self> {
        let mut formats = Self::ALL.iter();
        formats
            .find(|(_, known)| *known == name)
            .map(|(format, _)| *format)
    }

    /// Returns the type of texels in programs: floats, signed or unsigned integers.
    pub fn base(self) -> BaseType {
        // The numeric format is part of Vulkan's names; formats other than integers are read as
        // floats.
        match self.vulkan_name() {
            name if name.contains("UINT") => BaseType::UnsignedInt,
            name if name.contains("SINT") => BaseType::SignedInt,
            _ => BaseType::Float,
        }
    }

    /// Returns true if modules that name the format need `shaderStorageImageExtendedFormats`.
    pub fn is_extended(self) -> bool {
        self.support() == FormatSupport::Extended
    }

    /// Returns the format of raw texels with `bits` bits, unsigned integers of that size; `None`
    /// for sizes other than 8, 16, 32, 64 and 128.
    pub fn from_raw_bits(bits: u8) -> Option<Self> {
        let known = [
            (8, Self::R8ui),
            (16, Self::R16ui),
            (32, Self::R32ui),
            (64, Self::Rg32ui),
            (128, Self::Rgba32ui),
        ];
        let found = known.into_iter().find(|(size, _)| *size == bits);
        found.map(|(_, format)| format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_names_of_their_own() {
        for (format, name) in TexelFormat::ALL {
            assert_eq!(TexelFormat::from_vulkan_name(name), Some(*format));
        }
        assert_eq!(TexelFormat::from_vulkan_name("R8G8B8A8_SRGB"), None);
        let names: Vec<_> = TexelFormat::ALL.iter().map(|(_, name)| *name).collect();
        assert_eq!(names, glasm_ir::image::IMAGE_FORMATS);
    }
}
