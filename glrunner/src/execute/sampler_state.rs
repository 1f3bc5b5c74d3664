//! Sampler state of the textures of a script, as parameters of OpenGL. Pure.

use super::gl_features::{Feature, NO_VERSION};
use crate::gl::{self, Border, Version};
use ash::vk;
use glasm::ir::BaseType;
use glasm_scripts::format::{Aspect, Encoding};
use glasm_scripts::script::Convention;
use glasm_scripts::texture::{DepthMode, Sampling, SrgbDecode, Swizzle, TextureShape, Wrap};

/// Comparison of depths with a reference by lookups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DepthComparison {
    Off,
    On,
}

/// Parameter of a texture with its value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TextureParameter {
    Int(u32, u32),
    Float(u32, f32),
    Border(Border),
}

impl TextureParameter {
    /// Returns the enumerant of the texture parameter.
    pub(super) fn name(self) -> u32 {
        match self {
            Self::Int(name, _) | Self::Float(name, _) => name,
            Self::Border(_) => gl::TEXTURE_BORDER_COLOR,
        }
    }
}

/// Returns all parameters of a texture of a target of OpenGL; anisotropy, sRGB decoding, swizzles
/// and border colors only if they are not the initial ones, which drivers may lack. Empty for
/// buffers and renderbuffers, which have no sampler state.
pub(super) fn texture_parameters(
    sampling: &Sampling,
    shape: &TextureShape,
    target: u32,
    comparing: DepthComparison,
    convention: Convention,
) -> Vec<TextureParameter> {
    let mut parameters = Vec::new();
    match target {
        // These textures have no sampler state.
        gl::TEXTURE_BUFFER | gl::TEXTURE_RENDERBUFFER_NV => return parameters,
        gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => {}
        _ => {
            push_filters(sampling, target, &mut parameters);
            if target != gl::TEXTURE_RECTANGLE {
                push_level_range(sampling, shape, convention, &mut parameters);
            }
            push_wrap_modes(sampling, shape.format.encoding, &mut parameters);
        }
    }
    if shape.format.aspect == Aspect::Depth && !shape.target.is_multisample() {
        push_depth_comparison(sampling, comparing, &mut parameters);
    }
    if sampling.srgb_decode == SrgbDecode::Skip && shape.format.encoding == Encoding::Srgb {
        parameters.push(TextureParameter::Int(
            gl::TEXTURE_SRGB_DECODE_EXT,
            gl::SKIP_DECODE_EXT,
        ));
    }
    if sampling.swizzle != Swizzle::IDENTITY {
        let names = [
            gl::TEXTURE_SWIZZLE_R,
            gl::TEXTURE_SWIZZLE_G,
            gl::TEXTURE_SWIZZLE_B,
            gl::TEXTURE_SWIZZLE_A,
        ];
        let sources = sampling.swizzle.map(swizzle_enum);
        parameters.extend(
            std::iter::zip(names, sources).map(|(name, from)| TextureParameter::Int(name, from)),
        );
    }
    parameters
}

/// Appends magnification and minification filters, and anisotropy above 1; rectangles have no
/// mipmaps.
fn push_filters(sampling: &Sampling, target: u32, parameters: &mut Vec<TextureParameter>) {
    let between = match target {
        gl::TEXTURE_RECTANGLE => None,
        _ => sampling.mipmap_mode,
    };
    let is_linear = |filter| filter == vk::Filter::LINEAR;
    let mag = if is_linear(sampling.mag_filter) {
        gl::LINEAR
    } else {
        gl::NEAREST
    };
    let is_linear_between = between.map(|between| between == vk::SamplerMipmapMode::LINEAR);
    let min = match (is_linear(sampling.min_filter), is_linear_between) {
        (false, None) => gl::NEAREST,
        (true, None) => gl::LINEAR,
        (false, Some(false)) => gl::NEAREST_MIPMAP_NEAREST,
        (true, Some(false)) => gl::LINEAR_MIPMAP_NEAREST,
        (false, Some(true)) => gl::NEAREST_MIPMAP_LINEAR,
        (true, Some(true)) => gl::LINEAR_MIPMAP_LINEAR,
    };
    parameters.push(TextureParameter::Int(gl::TEXTURE_MIN_FILTER, min));
    parameters.push(TextureParameter::Int(gl::TEXTURE_MAG_FILTER, mag));
    if sampling.anisotropy > 1.0 {
        parameters.push(TextureParameter::Float(
            gl::TEXTURE_MAX_ANISOTROPY_EXT,
            sampling.anisotropy,
        ));
    }
}

/// Appends the range of levels. By OpenGL's rules a texture without all levels that its filter
/// needs is not complete; by those of Vulkan the existing levels are used.
fn push_level_range(
    sampling: &Sampling,
    shape: &TextureShape,
    convention: Convention,
    parameters: &mut Vec<TextureParameter>,
) {
    let (base, max) = match convention {
        Convention::OpenGl => (sampling.base_level, sampling.max_level),
        Convention::Vulkan => {
            let range = sampling.level_range(shape.levels);
            (range.start, range.end - 1)
        }
    };
    parameters.extend([
        TextureParameter::Int(gl::TEXTURE_BASE_LEVEL, base),
        TextureParameter::Int(gl::TEXTURE_MAX_LEVEL, max),
        TextureParameter::Float(gl::TEXTURE_MIN_LOD, sampling.min_lod),
        TextureParameter::Float(gl::TEXTURE_MAX_LOD, sampling.max_lod),
        TextureParameter::Float(gl::TEXTURE_LOD_BIAS, sampling.lod_bias),
    ]);
}

/// Appends the wrap modes of the three coordinates, and the border color if a mode reads it.
fn push_wrap_modes(
    sampling: &Sampling,
    encoding: Encoding,
    parameters: &mut Vec<TextureParameter>,
) {
    let names = [gl::TEXTURE_WRAP_S, gl::TEXTURE_WRAP_T, gl::TEXTURE_WRAP_R];
    let modes = sampling.wrap.map(wrap_enum);
    parameters
        .extend(std::iter::zip(names, modes).map(|(name, mode)| TextureParameter::Int(name, mode)));
    if !sampling.wrap.iter().any(|wrap| wrap.has_border()) {
        return;
    }
    let color = sampling.border_color;
    parameters.push(TextureParameter::Border(match encoding.base() {
        BaseType::UnsignedInt => Border::Uint(color.map(|value| value as u32)),
        BaseType::SignedInt => Border::Int(color.map(|value| value as i32)),
        BaseType::Float => Border::Float(color.map(|value| value as f32)),
    }));
}

/// Appends whether and how lookups compare depths, and the conversion of depths, or of the results
/// of comparisons, to colors.
fn push_depth_comparison(
    sampling: &Sampling,
    comparing: DepthComparison,
    parameters: &mut Vec<TextureParameter>,
) {
    let (compare, mode) = match comparing {
        DepthComparison::Off => (gl::NONE, sampling.depth_mode),
        DepthComparison::On => (gl::COMPARE_REF_TO_TEXTURE, sampling.comparison_depth_mode),
    };
    parameters.extend([
        TextureParameter::Int(gl::DEPTH_TEXTURE_MODE, depth_mode_enum(mode)),
        TextureParameter::Int(gl::TEXTURE_COMPARE_MODE, compare),
        TextureParameter::Int(
            gl::TEXTURE_COMPARE_FUNC,
            comparison_enum(sampling.compare_op),
        ),
    ]);
}

/// Returns the enumerant of a texture wrap mode.
fn wrap_enum(wrap: Wrap) -> u32 {
    match wrap {
        Wrap::Repeat => gl::REPEAT,
        Wrap::MirroredRepeat => gl::MIRRORED_REPEAT,
        Wrap::ClampToEdge => gl::CLAMP_TO_EDGE,
        Wrap::ClampToBorder => gl::CLAMP_TO_BORDER,
        Wrap::MirrorClampToEdge => gl::MIRROR_CLAMP_TO_EDGE,
        Wrap::Clamp => gl::CLAMP,
        Wrap::MirrorClamp => gl::MIRROR_CLAMP_EXT,
        Wrap::MirrorClampToBorder => gl::MIRROR_CLAMP_TO_BORDER_EXT,
    }
}

/// Returns the enumerant of a component source of a texture swizzle (ARB_texture_swizzle).
fn swizzle_enum(from: Swizzle) -> u32 {
    match from {
        Swizzle::Component(0) => gl::RED,
        Swizzle::Component(1) => gl::GREEN,
        Swizzle::Component(2) => gl::BLUE,
        Swizzle::Component(_) => gl::ALPHA,
        Swizzle::Zero => gl::ZERO,
        Swizzle::One => gl::ONE,
    }
}

/// Returns the enumerant of the conversion of depths to colors (`GL_DEPTH_TEXTURE_MODE`).
fn depth_mode_enum(mode: DepthMode) -> u32 {
    match mode {
        DepthMode::Luminance => gl::LUMINANCE,
        DepthMode::Intensity => gl::INTENSITY,
        DepthMode::Alpha => gl::ALPHA,
        DepthMode::Red => gl::RED,
    }
}

/// Converts a comparison. Vulkan numbers comparisons like OpenGL, from 0 instead of `GL_NEVER`.
fn comparison_enum(compare: vk::CompareOp) -> u32 {
    gl::NEVER + compare.as_raw().unsigned_abs()
}

const ANISOTROPY: Feature = Feature {
    core: Version(4, 6),
    extensions: &["GL_EXT_texture_filter_anisotropic"],
};
const MIRROR_CLAMP: Feature = Feature {
    core: NO_VERSION,
    extensions: &["GL_EXT_texture_mirror_clamp", "GL_ATI_texture_mirror_once"],
};
const MIRROR_CLAMP_TO_BORDER: Feature = Feature {
    core: NO_VERSION,
    extensions: &["GL_EXT_texture_mirror_clamp"],
};
const MIRROR_CLAMP_TO_EDGE: Feature = Feature {
    core: Version(4, 4),
    extensions: &[
        "GL_ARB_texture_mirror_clamp_to_edge",
        "GL_EXT_texture_mirror_clamp",
        "GL_ATI_texture_mirror_once",
    ],
};
const SEAMLESS_CUBES: Feature = Feature {
    core: Version(3, 2),
    extensions: &["GL_ARB_seamless_cube_map"],
};
const SRGB_DECODE: Feature = Feature {
    core: NO_VERSION,
    extensions: &["GL_EXT_texture_sRGB_decode"],
};
const SWIZZLE: Feature = Feature {
    core: Version(3, 3),
    extensions: &["GL_ARB_texture_swizzle", "GL_EXT_texture_swizzle"],
};

/// Returns the features, beyond OpenGL 2.1, that a driver needs for the sampler state of a texture.
pub(super) fn required_features(
    sampling: &Sampling,
    shape: &TextureShape,
) -> impl Iterator<Item = Feature> {
    let has_curve = shape.format.encoding == Encoding::Srgb;
    let conditional = [
        (sampling.anisotropy > 1.0, ANISOTROPY),
        (
            sampling.srgb_decode == SrgbDecode::Skip && has_curve,
            SRGB_DECODE,
        ),
        (sampling.swizzle != Swizzle::IDENTITY, SWIZZLE),
        (
            shape.target.is_cube() && sampling.is_linear(),
            SEAMLESS_CUBES,
        ),
    ];
    let conditional = conditional.into_iter().filter(|(is_needed, _)| *is_needed);
    let wraps = sampling.wrap.into_iter().filter_map(wrap_feature);
    wraps.chain(conditional.map(|(_, feature)| feature))
}

/// Returns true if rectangle textures support the wrap mode. ARB_texture_rectangle, section 3.8.4.
pub(super) fn is_rectangle_wrap(wrap: Wrap) -> bool {
    matches!(wrap, Wrap::Clamp | Wrap::ClampToEdge | Wrap::ClampToBorder)
}

/// Returns the feature of the driver that a wrap mode needs; `None` for modes that all drivers
/// have.
fn wrap_feature(wrap: Wrap) -> Option<Feature> {
    match wrap {
        Wrap::MirrorClampToEdge => Some(MIRROR_CLAMP_TO_EDGE),
        Wrap::MirrorClamp => Some(MIRROR_CLAMP),
        Wrap::MirrorClampToBorder => Some(MIRROR_CLAMP_TO_BORDER),
        Wrap::Repeat
        | Wrap::MirroredRepeat
        | Wrap::ClampToEdge
        | Wrap::ClampToBorder
        | Wrap::Clamp => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::ir::TexTarget;
    use glasm_scripts::format::Format;

    fn shape(target: TexTarget, format: &str) -> TextureShape {
        TextureShape {
            target,
            format: Format::parse_color_or_depth(format).unwrap(),
            extent: [8, 8, 1],
            levels: 2,
            layers: 1,
            samples: 1,
        }
    }

    fn has(found: &[TextureParameter], name: u32, value: u32) -> bool {
        found.contains(&TextureParameter::Int(name, value))
    }

    #[test]
    fn initial_state_is_that_of_scripts() {
        let shape = shape(TexTarget::D2, "R8_UNORM");
        let found = texture_parameters(
            &Sampling::INITIAL,
            &shape,
            gl::TEXTURE_2D,
            DepthComparison::Off,
            Convention::OpenGl,
        );
        assert!(has(&found, gl::TEXTURE_MIN_FILTER, gl::NEAREST));
        assert!(has(&found, gl::TEXTURE_WRAP_R, gl::REPEAT));
        assert!(has(&found, gl::TEXTURE_MAX_LEVEL, 1000));
        assert!(found.contains(&TextureParameter::Float(gl::TEXTURE_MIN_LOD, -1000.0)));
        let is_other = |parameter: &TextureParameter| match parameter {
            TextureParameter::Border(_) => true,
            TextureParameter::Int(name, _) => *name == gl::DEPTH_TEXTURE_MODE,
            TextureParameter::Float(name, _) => *name == gl::TEXTURE_MAX_ANISOTROPY_EXT,
        };
        assert!(!found.iter().any(is_other));
    }

    #[test]
    fn levels_that_are_missing_count_in_vulkan_only() {
        let shape = shape(TexTarget::D2, "R8_UNORM");
        let sampling = Sampling {
            base_level: 1,
            max_level: 9,
            ..Sampling::INITIAL
        };
        for (convention, max) in [(Convention::OpenGl, 9), (Convention::Vulkan, 1)] {
            let found = texture_parameters(
                &sampling,
                &shape,
                gl::TEXTURE_2D,
                DepthComparison::Off,
                convention,
            );
            assert!(has(&found, gl::TEXTURE_BASE_LEVEL, 1));
            assert!(has(&found, gl::TEXTURE_MAX_LEVEL, max));
        }
    }

    #[test]
    fn targets_have_the_parameters_that_opengl_lets_them_have() {
        let sampling = Sampling {
            mipmap_mode: Some(vk::SamplerMipmapMode::LINEAR),
            min_filter: vk::Filter::LINEAR,
            swizzle: [Swizzle::One; 4],
            ..Sampling::INITIAL
        };
        let of = |target, texture| {
            let shape = shape(target, "R8_UNORM");
            texture_parameters(
                &sampling,
                &shape,
                texture,
                DepthComparison::Off,
                Convention::OpenGl,
            )
        };
        assert!(of(TexTarget::Buffer, gl::TEXTURE_BUFFER).is_empty());
        let samples = of(TexTarget::D2Multisample, gl::TEXTURE_2D_MULTISAMPLE);
        assert_eq!(samples.len(), 4);
        assert!(has(&samples, gl::TEXTURE_SWIZZLE_A, gl::ONE));
        let rectangle = of(TexTarget::Rect, gl::TEXTURE_RECTANGLE);
        assert!(has(&rectangle, gl::TEXTURE_MIN_FILTER, gl::LINEAR));
        let plain = of(TexTarget::D2, gl::TEXTURE_2D);
        assert!(has(
            &plain,
            gl::TEXTURE_MIN_FILTER,
            gl::LINEAR_MIPMAP_LINEAR
        ));
        assert_eq!(plain.len(), rectangle.len() + 5);
    }

    #[test]
    fn borders_have_the_type_of_the_texels() {
        let sampling = Sampling {
            wrap: [Wrap::Clamp, Wrap::Repeat, Wrap::MirrorClampToBorder],
            border_color: [1.0, -2.0, 0.5, 0.0],
            ..Sampling::INITIAL
        };
        for (format, border) in [
            ("R8_UNORM", Border::Float([1.0, -2.0, 0.5, 0.0])),
            ("R8_SINT", Border::Int([1, -2, 0, 0])),
            ("R8_UINT", Border::Uint([1, 0, 0, 0])),
        ] {
            let shape = shape(TexTarget::D2, format);
            let target = gl::TEXTURE_2D;
            let convention = Convention::OpenGl;
            let found =
                texture_parameters(&sampling, &shape, target, DepthComparison::Off, convention);
            assert!(
                found.contains(&TextureParameter::Border(border)),
                "{format}"
            );
            assert!(has(&found, gl::TEXTURE_WRAP_S, gl::CLAMP));
            assert!(has(
                &found,
                gl::TEXTURE_WRAP_R,
                gl::MIRROR_CLAMP_TO_BORDER_EXT
            ));
        }
    }

    #[test]
    fn comparisons_have_a_depth_mode_of_their_own() {
        let shape = shape(TexTarget::D2, "D16_UNORM");
        let sampling = Sampling {
            compare_op: vk::CompareOp::GREATER_OR_EQUAL,
            ..Sampling::INITIAL
        };
        for (comparing, compare, mode) in [
            (
                DepthComparison::On,
                gl::COMPARE_REF_TO_TEXTURE,
                gl::LUMINANCE,
            ),
            (DepthComparison::Off, gl::NONE, gl::RED),
        ] {
            let target = gl::TEXTURE_2D;
            let found =
                texture_parameters(&sampling, &shape, target, comparing, Convention::Vulkan);
            assert!(has(&found, gl::TEXTURE_COMPARE_MODE, compare));
            assert!(has(&found, gl::TEXTURE_COMPARE_FUNC, gl::GEQUAL));
            assert!(has(&found, gl::DEPTH_TEXTURE_MODE, mode));
        }
    }

    #[test]
    fn what_sampling_needs() {
        let cube = shape(TexTarget::Cube, "R8G8B8A8_SRGB");
        let found = |sampling: &Sampling| required_features(sampling, &cube).collect::<Vec<_>>();
        assert_eq!(found(&Sampling::INITIAL), []);
        let sampling = Sampling {
            mag_filter: vk::Filter::LINEAR,
            wrap: [Wrap::MirrorClamp, Wrap::Clamp, Wrap::MirrorClampToEdge],
            srgb_decode: SrgbDecode::Skip,
            anisotropy: 2.0,
            ..Sampling::INITIAL
        };
        let expected = [
            MIRROR_CLAMP,
            MIRROR_CLAMP_TO_EDGE,
            ANISOTROPY,
            SRGB_DECODE,
            SEAMLESS_CUBES,
        ];
        assert_eq!(found(&sampling), expected);
        let flat = shape(TexTarget::D2, "R8G8B8A8_UNORM");
        let expected = [MIRROR_CLAMP, MIRROR_CLAMP_TO_EDGE, ANISOTROPY];
        assert_eq!(
            required_features(&sampling, &flat).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn comparisons_are_numbered_alike() {
        for (vulkan, opengl) in [
            (vk::CompareOp::NEVER, gl::NEVER),
            (vk::CompareOp::LESS, gl::LESS),
            (vk::CompareOp::EQUAL, gl::EQUAL),
            (vk::CompareOp::LESS_OR_EQUAL, gl::LEQUAL),
            (vk::CompareOp::GREATER, gl::GREATER),
            (vk::CompareOp::NOT_EQUAL, gl::NOTEQUAL),
            (vk::CompareOp::GREATER_OR_EQUAL, gl::GEQUAL),
            (vk::CompareOp::ALWAYS, gl::ALWAYS),
        ] {
            assert_eq!(comparison_enum(vulkan), opengl);
        }
    }
}
