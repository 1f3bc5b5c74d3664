//! Filtering, wrapping, comparison and swizzling of textures.

use ash::vk;
use glasm::fixed_function::{BaseFormat, TextureFormatType};

/// Treatment of coordinates outside of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// `GL_REPEAT`
    Repeat,
    /// `GL_MIRRORED_REPEAT`
    MirroredRepeat,
    /// `GL_CLAMP_TO_EDGE`
    ClampToEdge,
    /// `GL_CLAMP_TO_BORDER`
    ClampToBorder,
    /// `GL_MIRROR_CLAMP_TO_EDGE`
    MirrorClampToEdge,
    /// GL's oldest: coordinates are clamped to 0 and 1, where linear filters see half of the
    /// border.
    Clamp,
    /// Mirrored once, then like `Clamp`.
    MirrorClamp,
    /// Mirrored once, then like `ClampToBorder`.
    MirrorClampToBorder,
}

impl Wrap {
    /// Returns the wrap mode that programs must implement because samplers cannot; `BySampler` for
    /// all others.
    const fn emulated_mode(self) -> glasm::WrapMode {
        match self {
            Self::Clamp => glasm::WrapMode::Clamp,
            Self::MirrorClamp => glasm::WrapMode::MirrorClamp,
            Self::MirrorClampToBorder => glasm::WrapMode::MirrorClampToBorder,
            Self::Repeat
            | Self::MirroredRepeat
            | Self::ClampToEdge
            | Self::ClampToBorder
            | Self::MirrorClampToEdge => glasm::WrapMode::BySampler,
        }
    }

    /// Returns true if Vulkan's samplers lack the wrap mode, so that programs emulate it.
    pub fn is_emulated(self) -> bool {
        self.emulated_mode() != glasm::WrapMode::BySampler
    }

    /// Returns true if lookups may read the color of the border.
    pub fn has_border(self) -> bool {
        self == Self::ClampToBorder || self.is_emulated()
    }
}

/// Source of a component of a texture's color.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swizzle {
    /// 0 to 3 for R, G, B, A.
    Component(u8),
    /// Constant 0, regardless of the sampled value.
    Zero,
    /// Constant 1, regardless of the sampled value.
    One,
}

impl Swizzle {
    /// Every component from itself.
    pub const IDENTITY: [Self; 4] = [
        Self::Component(0),
        Self::Component(1),
        Self::Component(2),
        Self::Component(3),
    ];
}

/// Components that a depth is written to: GL's `DEPTH_TEXTURE_MODE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DepthMode {
    /// `GL_LUMINANCE`: (d, d, d, 1).
    Luminance,
    /// `GL_INTENSITY`: (d, d, d, d).
    Intensity,
    /// `GL_ALPHA`: (0, 0, 0, d).
    Alpha,
    /// `GL_RED`: (d, 0, 0, 1).
    Red,
}

impl DepthMode {
    /// Converts the mode to the compiler's type.
    pub fn to_compiler(self) -> glasm::DepthMode {
        match self {
            Self::Luminance => glasm::DepthMode::Luminance,
            Self::Intensity => glasm::DepthMode::Intensity,
            Self::Alpha => glasm::DepthMode::Alpha,
            Self::Red => glasm::DepthMode::Red,
        }
    }

    /// Returns the swizzle that writes the depth, component 0 of the texel, to the components of
    /// the mode.
    fn swizzle(self) -> [Swizzle; 4] {
        let (depth, zero, one) = (Swizzle::Component(0), Swizzle::Zero, Swizzle::One);
        match self {
            Self::Luminance => [depth, depth, depth, one],
            Self::Intensity => [depth; 4],
            Self::Alpha => [zero, zero, zero, depth],
            Self::Red => [depth, zero, zero, one],
        }
    }
}

/// Decoding of sRGB formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SrgbDecode {
    /// `GL_DECODE_EXT`: programs see linear values.
    Decode,
    /// `GL_SKIP_DECODE_EXT`: programs read the stored values.
    Skip,
}

/// Sampler state and other properties of a texture except for its texels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampling {
    /// Minification filter within a level: `GL_TEXTURE_MIN_FILTER`.
    pub min_filter: vk::Filter,
    /// Filter between levels; `None` restricts lookups to the base level.
    pub mipmap_mode: Option<vk::SamplerMipmapMode>,
    /// Magnification filter: `GL_TEXTURE_MAG_FILTER`.
    pub mag_filter: vk::Filter,
    /// For coordinates s, t and r.
    pub wrap: [Wrap; 3],
    /// `GL_TEXTURE_BORDER_COLOR`. 64-bit floats represent 32-bit integers exactly.
    pub border_color: [f64; 4],
    /// True if depths are compared: `GL_TEXTURE_COMPARE_MODE`.
    pub compare_enable: bool,
    /// Comparison of the reference with the depth: `GL_TEXTURE_COMPARE_FUNC`.
    pub compare_op: vk::CompareOp,
    /// `GL_TEXTURE_LOD_BIAS`
    pub lod_bias: f32,
    /// `GL_TEXTURE_MIN_LOD`
    pub min_lod: f32,
    /// `GL_TEXTURE_MAX_LOD`
    pub max_lod: f32,
    /// `GL_TEXTURE_BASE_LEVEL`
    pub base_level: u32,
    /// `GL_TEXTURE_MAX_LEVEL`, which may be more than the texture has.
    pub max_level: u32,
    /// `GL_TEXTURE_MAX_ANISOTROPY_EXT`; 1 for none.
    pub anisotropy: f32,
    /// Base internal format of GL, which defines the semantics of the components, for textures
    /// whose format is named as in Vulkan. `None` if it follows from the format.
    pub base_format: Option<BaseFormat>,
    /// `GL_TEXTURE_SWIZZLE_RGBA`
    pub swizzle: [Swizzle; 4],
    /// Components that depths without comparison are written to.
    pub depth_mode: DepthMode,
    /// Components that results of comparisons in assembly are written to: luminance unless a script
    /// specifies another mode.
    pub comparison_depth_mode: DepthMode,
    /// `GL_TEXTURE_SRGB_DECODE_EXT`
    pub srgb_decode: SrgbDecode,
    /// Format type of NV_texture_shader, for textures whose format is named as in Vulkan. `None` if
    /// they have colors, which are signed if the components of the format are.
    pub format_type: Option<TextureFormatType>,
}

/// Returns the swizzle that converts a texture whose first channels store the components of a base
/// format. GL 2.1 table 3.23.
const fn base_swizzle(format: BaseFormat) -> [Swizzle; 4] {
    use Swizzle::{One, Zero};
    let [r, g, b, _] = Swizzle::IDENTITY;
    match format {
        BaseFormat::Alpha => [Zero, Zero, Zero, r],
        BaseFormat::Luminance => [r, r, r, One],
        BaseFormat::LuminanceAlpha => [r, r, r, g],
        BaseFormat::Intensity => [r, r, r, r],
        BaseFormat::Rgb => [r, g, b, One],
        BaseFormat::Rgba => Swizzle::IDENTITY,
    }
}

impl Sampling {
    /// GL's initial state, except for the nearest filters that most scripts use.
    pub const INITIAL: Self = Self {
        min_filter: vk::Filter::NEAREST,
        mipmap_mode: None,
        mag_filter: vk::Filter::NEAREST,
        wrap: [Wrap::Repeat; 3],
        border_color: [0.0; 4],
        compare_enable: false,
        compare_op: vk::CompareOp::LESS_OR_EQUAL,
        lod_bias: 0.0,
        min_lod: -1000.0,
        max_lod: 1000.0,
        base_level: 0,
        max_level: 1000,
        anisotropy: 1.0,
        base_format: None,
        swizzle: Swizzle::IDENTITY,
        depth_mode: DepthMode::Red,
        comparison_depth_mode: DepthMode::Luminance,
        srgb_decode: SrgbDecode::Decode,
        format_type: None,
    };

    /// Returns true if the texture is a signed HILO texture (`GL_SIGNED_HILO_NV`), of which lookups
    /// return three components.
    pub fn is_signed_hilo(&self) -> bool {
        self.format_type == Some(TextureFormatType::SignedHilo)
    }

    /// Returns true if a filter reads several texels, within a level or in two levels.
    pub fn is_linear(&self) -> bool {
        self.min_filter == vk::Filter::LINEAR
            || self.mag_filter == vk::Filter::LINEAR
            || self.mipmap_mode == Some(vk::SamplerMipmapMode::LINEAR)
            || self.anisotropy > 1.0
    }

    /// Returns the wrap modes of the three coordinates and the filters as the compiler's type; the
    /// default if samplers support all wrap modes.
    pub fn compiler_wrap(&self) -> glasm::TextureWrap {
        let texels = |filter| {
            if filter == vk::Filter::LINEAR {
                glasm::TexelFilter::Linear
            } else {
                glasm::TexelFilter::Nearest
            }
        };
        // Filters are of no interest to programs whose sampler does all: they would be compiled
        // again for each.
        if !self.wrap.iter().any(|wrap| wrap.is_emulated()) {
            return glasm::TextureWrap::default();
        }
        glasm::TextureWrap {
            wrap_modes: self.wrap.map(Wrap::emulated_mode),
            mag_filter: texels(self.mag_filter),
            min_filter: texels(self.min_filter),
            mip_filter: match self.mipmap_mode {
                None => glasm::MipFilter::None,
                Some(vk::SamplerMipmapMode::NEAREST) => glasm::MipFilter::Nearest,
                Some(_) => glasm::MipFilter::Linear,
            },
        }
    }

    /// Returns the swizzle composed with the depth mode, which is applied first.
    pub fn depth_swizzle(&self) -> [Swizzle; 4] {
        self.compose_after(self.depth_mode.swizzle())
    }

    /// Returns the swizzle of colors composed with the base format, which is applied first.
    pub fn color_swizzle(&self) -> [Swizzle; 4] {
        self.compose_after(self.base_format.map_or(Swizzle::IDENTITY, base_swizzle))
    }

    /// Returns the swizzle that applies `first`, and then the swizzle of the sampling, whose
    /// constants remain.
    fn compose_after(&self, first: [Swizzle; 4]) -> [Swizzle; 4] {
        self.swizzle.map(|from| match from {
            Swizzle::Component(component) => first[usize::from(component & 3)],
            Swizzle::Zero | Swizzle::One => from,
        })
    }

    /// Returns the accessible levels of a texture with `levels` levels, from base level to maximum
    /// level; never empty.
    pub fn level_range(&self, levels: u32) -> std::ops::Range<u32> {
        let first = self.base_level.min(levels.saturating_sub(1));
        let end = self
            .max_level
            .saturating_add(1)
            .clamp(first + 1, levels.max(first + 1));
        first..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_modes_fill_what_gl_says() {
        use Swizzle::{Component, One, Zero};
        let with = |depth_mode| {
            Sampling {
                depth_mode,
                ..Sampling::INITIAL
            }
            .depth_swizzle()
        };
        let depth = Component(0);
        assert_eq!(with(DepthMode::Luminance), [depth, depth, depth, One]);
        assert_eq!(with(DepthMode::Intensity), [depth; 4]);
        assert_eq!(with(DepthMode::Alpha), [Zero, Zero, Zero, depth]);
        assert_eq!(with(DepthMode::Red), [depth, Zero, Zero, One]);
        let swizzled = Sampling {
            depth_mode: DepthMode::Alpha,
            swizzle: [Component(3), One, Component(0), Zero],
            ..Sampling::INITIAL
        };
        assert_eq!(swizzled.depth_swizzle(), [depth, One, Zero, Zero]);
    }

    #[test]
    fn base_formats_say_what_components_mean() {
        use Swizzle::{Component, One, Zero};
        let with = |base_format, swizzle| {
            let sampling = Sampling {
                base_format,
                swizzle,
                ..Sampling::INITIAL
            };
            sampling.color_swizzle()
        };
        let (red, green) = (Component(0), Component(1));
        let identity = Swizzle::IDENTITY;
        assert_eq!(with(None, identity), identity);
        for (base, expected) in [
            (BaseFormat::Alpha, [Zero, Zero, Zero, red]),
            (BaseFormat::Luminance, [red, red, red, One]),
            (BaseFormat::LuminanceAlpha, [red, red, red, green]),
            (BaseFormat::Intensity, [red; 4]),
            (BaseFormat::Rgb, [red, green, Component(2), One]),
            (BaseFormat::Rgba, identity),
        ] {
            assert_eq!(with(Some(base), identity), expected, "{base:?}");
        }
        // The texture's own swizzle is applied after that.
        let swizzle = [Component(3), One, Component(0), Zero];
        assert_eq!(
            with(Some(BaseFormat::Alpha), swizzle),
            [red, One, Zero, Zero]
        );
    }

    #[test]
    fn levels_stay_within_the_texture() {
        let range = |base_level, max_level| {
            Sampling {
                base_level,
                max_level,
                ..Sampling::INITIAL
            }
            .level_range(4)
        };
        assert_eq!(range(0, 1000), 0..4);
        assert_eq!(range(1, 2), 1..3);
        assert_eq!(range(9, u32::MAX), 3..4);
        assert_eq!(range(2, 0), 2..3);
    }
}
