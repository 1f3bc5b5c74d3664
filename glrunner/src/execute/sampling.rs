//! Sampler state of the textures of a script, as parameters of OpenGL. Pure.

use super::support::{Feature, NO_VERSION};
use crate::gl::{self, Border, Version};
use ash::vk;
use glasm::ir::TypeBase;
use glasm_scripts::format::{Aspect, Encoding};
use glasm_scripts::script::Convention;
use glasm_scripts::texture::{DepthMode, Sampling, Shape, SrgbDecode, Swizzle, Wrap};

/// Comparison of depths with a reference by lookups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparing {
    Off,
    On,
}

/// Parameter of a texture with its value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Parameter {
    Int(u32, u32),
    Float(u32, f32),
    Border(Border),
}

impl Parameter {
    /// Returns the name of the parameter.
    pub(super) fn name(self) -> u32 {
        match self {
            Self::Int(name, _) | Self::Float(name, _) => name,
            Self::Border(_) => gl::TEXTURE_BORDER_COLOR,
        }
    }
}

/// Returns all parameters of a texture of a target of OpenGL; some of them only if they are not the
/// initial ones, which drivers may lack.
pub(super) fn parameters(
    sampling: &Sampling,
    shape: &Shape,
    target: u32,
    comparing: Comparing,
    convention: Convention,
) -> Vec<Parameter> {
    let mut found = Vec::new();
    match target {
        // These textures have no sampler state.
        gl::TEXTURE_BUFFER | gl::TEXTURE_RENDERBUFFER_NV => return found,
        gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => {}
        _ => {
            filters(sampling, target, &mut found);
            if target != gl::TEXTURE_RECTANGLE {
                levels(sampling, shape, convention, &mut found);
            }
            coordinates(sampling, shape.format.encoding, &mut found);
        }
    }
    if shape.format.aspect == Aspect::Depth && !shape.target.is_multisample() {
        depths(sampling, comparing, &mut found);
    }
    if sampling.srgb_decode == SrgbDecode::Skip && shape.format.encoding == Encoding::Srgb {
        found.push(Parameter::Int(
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
        let sources = sampling.swizzle.map(swizzle);
        found.extend(std::iter::zip(names, sources).map(|(name, from)| Parameter::Int(name, from)));
    }
    found
}

fn filters(sampling: &Sampling, target: u32, found: &mut Vec<Parameter>) {
    let between = match target {
        gl::TEXTURE_RECTANGLE => None,
        _ => sampling.between_levels,
    };
    let is_linear = |filter| filter == vk::Filter::LINEAR;
    let mag = if is_linear(sampling.mag) {
        gl::LINEAR
    } else {
        gl::NEAREST
    };
    let is_linear_between = between.map(|between| between == vk::SamplerMipmapMode::LINEAR);
    let min = match (is_linear(sampling.min), is_linear_between) {
        (false, None) => gl::NEAREST,
        (true, None) => gl::LINEAR,
        (false, Some(false)) => gl::NEAREST_MIPMAP_NEAREST,
        (true, Some(false)) => gl::LINEAR_MIPMAP_NEAREST,
        (false, Some(true)) => gl::NEAREST_MIPMAP_LINEAR,
        (true, Some(true)) => gl::LINEAR_MIPMAP_LINEAR,
    };
    found.push(Parameter::Int(gl::TEXTURE_MIN_FILTER, min));
    found.push(Parameter::Int(gl::TEXTURE_MAG_FILTER, mag));
    if sampling.anisotropy > 1.0 {
        found.push(Parameter::Float(
            gl::TEXTURE_MAX_ANISOTROPY_EXT,
            sampling.anisotropy,
        ));
    }
}

/// Appends the range of levels. By OpenGL's rules a texture without all levels that its filter
/// needs is not complete; by those of Vulkan the existing levels are used.
fn levels(sampling: &Sampling, shape: &Shape, convention: Convention, found: &mut Vec<Parameter>) {
    let (base, max) = match convention {
        Convention::OpenGl => (sampling.base_level, sampling.max_level),
        Convention::Vulkan => {
            let range = sampling.level_range(shape.levels);
            (range.start, range.end - 1)
        }
    };
    found.extend([
        Parameter::Int(gl::TEXTURE_BASE_LEVEL, base),
        Parameter::Int(gl::TEXTURE_MAX_LEVEL, max),
        Parameter::Float(gl::TEXTURE_MIN_LOD, sampling.min_lod),
        Parameter::Float(gl::TEXTURE_MAX_LOD, sampling.max_lod),
        Parameter::Float(gl::TEXTURE_LOD_BIAS, sampling.lod_bias),
    ]);
}

fn coordinates(sampling: &Sampling, encoding: Encoding, found: &mut Vec<Parameter>) {
    let names = [gl::TEXTURE_WRAP_S, gl::TEXTURE_WRAP_T, gl::TEXTURE_WRAP_R];
    let modes = sampling.wrap.map(wrap);
    found.extend(std::iter::zip(names, modes).map(|(name, mode)| Parameter::Int(name, mode)));
    if !sampling.wrap.iter().any(|wrap| wrap.has_border()) {
        return;
    }
    let color = sampling.border;
    found.push(Parameter::Border(match encoding.base() {
        TypeBase::Unsigned => Border::Uint(color.map(|value| value as u32)),
        TypeBase::Signed => Border::Int(color.map(|value| value as i32)),
        TypeBase::Float => Border::Float(color.map(|value| value as f32)),
    }));
}

fn depths(sampling: &Sampling, comparing: Comparing, found: &mut Vec<Parameter>) {
    let (compare, mode) = match comparing {
        Comparing::Off => (gl::NONE, sampling.depth_mode),
        Comparing::On => (gl::COMPARE_REF_TO_TEXTURE, sampling.compared_mode),
    };
    found.extend([
        Parameter::Int(gl::DEPTH_TEXTURE_MODE, depth_mode(mode)),
        Parameter::Int(gl::TEXTURE_COMPARE_MODE, compare),
        Parameter::Int(gl::TEXTURE_COMPARE_FUNC, comparison(sampling.compare)),
    ]);
}

fn wrap(wrap: Wrap) -> u32 {
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

fn swizzle(from: Swizzle) -> u32 {
    match from {
        Swizzle::Component(0) => gl::RED,
        Swizzle::Component(1) => gl::GREEN,
        Swizzle::Component(2) => gl::BLUE,
        Swizzle::Component(_) => gl::ALPHA,
        Swizzle::Zero => gl::ZERO,
        Swizzle::One => gl::ONE,
    }
}

fn depth_mode(mode: DepthMode) -> u32 {
    match mode {
        DepthMode::Luminance => gl::LUMINANCE,
        DepthMode::Intensity => gl::INTENSITY,
        DepthMode::Alpha => gl::ALPHA,
        DepthMode::Red => gl::RED,
    }
}

/// Converts a comparison. Vulkan numbers comparisons like OpenGL, from 0 instead of `GL_NEVER`.
fn comparison(compare: vk::CompareOp) -> u32 {
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

/// Returns the features that a driver needs to sample a texture like that.
pub(super) fn features(sampling: &Sampling, shape: &Shape) -> impl Iterator<Item = Feature> {
    let has_curve = shape.format.encoding == Encoding::Srgb;
    let rest = [
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
    let rest = rest.into_iter().filter(|(is_needed, _)| *is_needed);
    let wraps = sampling.wrap.into_iter().filter_map(wrap_feature);
    wraps.chain(rest.map(|(_, feature)| feature))
}

/// Returns true if rectangle textures support the wrap mode. ARB_texture_rectangle, section 3.8.4.
pub(super) fn suits_rectangles(wrap: Wrap) -> bool {
    matches!(wrap, Wrap::Clamp | Wrap::ClampToEdge | Wrap::ClampToBorder)
}

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

    fn shape(target: TexTarget, format: &str) -> Shape {
        Shape {
            target,
            format: Format::parse_texture(format).unwrap(),
            extent: [8, 8, 1],
            levels: 2,
            layers: 1,
            samples: 1,
        }
    }

    fn has(found: &[Parameter], name: u32, value: u32) -> bool {
        found.contains(&Parameter::Int(name, value))
    }

    #[test]
    fn initial_state_is_that_of_scripts() {
        let shape = shape(TexTarget::D2, "R8_UNORM");
        let found = parameters(
            &Sampling::INITIAL,
            &shape,
            gl::TEXTURE_2D,
            Comparing::Off,
            Convention::OpenGl,
        );
        assert!(has(&found, gl::TEXTURE_MIN_FILTER, gl::NEAREST));
        assert!(has(&found, gl::TEXTURE_WRAP_R, gl::REPEAT));
        assert!(has(&found, gl::TEXTURE_MAX_LEVEL, 1000));
        assert!(found.contains(&Parameter::Float(gl::TEXTURE_MIN_LOD, -1000.0)));
        let is_other = |parameter: &Parameter| match parameter {
            Parameter::Border(_) => true,
            Parameter::Int(name, _) => *name == gl::DEPTH_TEXTURE_MODE,
            Parameter::Float(name, _) => *name == gl::TEXTURE_MAX_ANISOTROPY_EXT,
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
            let found = parameters(
                &sampling,
                &shape,
                gl::TEXTURE_2D,
                Comparing::Off,
                convention,
            );
            assert!(has(&found, gl::TEXTURE_BASE_LEVEL, 1));
            assert!(has(&found, gl::TEXTURE_MAX_LEVEL, max));
        }
    }

    #[test]
    fn targets_have_the_parameters_that_opengl_lets_them_have() {
        let sampling = Sampling {
            between_levels: Some(vk::SamplerMipmapMode::LINEAR),
            min: vk::Filter::LINEAR,
            swizzle: [Swizzle::One; 4],
            ..Sampling::INITIAL
        };
        let of = |target, texture| {
            let shape = shape(target, "R8_UNORM");
            parameters(
                &sampling,
                &shape,
                texture,
                Comparing::Off,
                Convention::OpenGl,
            )
        };
        assert!(of(TexTarget::Buffer, gl::TEXTURE_BUFFER).is_empty());
        let samples = of(TexTarget::D2Ms, gl::TEXTURE_2D_MULTISAMPLE);
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
            border: [1.0, -2.0, 0.5, 0.0],
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
            let found = parameters(&sampling, &shape, target, Comparing::Off, convention);
            assert!(found.contains(&Parameter::Border(border)), "{format}");
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
            compare: vk::CompareOp::GREATER_OR_EQUAL,
            ..Sampling::INITIAL
        };
        for (comparing, compare, mode) in [
            (Comparing::On, gl::COMPARE_REF_TO_TEXTURE, gl::LUMINANCE),
            (Comparing::Off, gl::NONE, gl::RED),
        ] {
            let target = gl::TEXTURE_2D;
            let found = parameters(&sampling, &shape, target, comparing, Convention::Vulkan);
            assert!(has(&found, gl::TEXTURE_COMPARE_MODE, compare));
            assert!(has(&found, gl::TEXTURE_COMPARE_FUNC, gl::GEQUAL));
            assert!(has(&found, gl::DEPTH_TEXTURE_MODE, mode));
        }
    }

    #[test]
    fn what_sampling_needs() {
        let cube = shape(TexTarget::Cube, "R8G8B8A8_SRGB");
        let found = |sampling: &Sampling| features(sampling, &cube).collect::<Vec<_>>();
        assert_eq!(found(&Sampling::INITIAL), []);
        let sampling = Sampling {
            mag: vk::Filter::LINEAR,
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
        assert_eq!(features(&sampling, &flat).collect::<Vec<_>>(), expected);
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
            assert_eq!(comparison(vulkan), opengl);
        }
    }
}
