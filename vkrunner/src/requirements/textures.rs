//! Requirements of the textures and storage images of a script on a device.

use super::capabilities::{Capabilities, TextureCapabilities};
use crate::vk::raw_format;
use ash::vk;
use glasm::ir::TexTarget;
use glasm_scripts::script::{BoundImage, Command, ProgramForm, Script, target_name};
use glasm_scripts::texture::{Sampling, Swizzle, TextureShape, Wrap};
use std::collections::BTreeMap;

/// Kind of resource that has a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ShapeUse {
    Texture,
    StorageImage,
}

/// Returns the first reason why the device lacks a texture or storage image of a script: shape,
/// format, sampling or binding; `None` if it has all. Wrap modes that only programs of the compiler
/// emulate are missing for scripts with modules of other compilers.
pub(super) fn missing_textures(script: &Script, capabilities: &Capabilities) -> Option<String> {
    let plain = has_plain_shaders(script);
    let mut shapes: BTreeMap<u32, &TextureShape> = BTreeMap::new();
    let mut images = BTreeMap::new();
    script.steps.iter().find_map(|step| {
        if let Command::Texture { unit, update } = &step.command {
            shapes.insert(*unit, &update.shape);
            missing_for_shape(&update.shape, ShapeUse::Texture, capabilities)
        } else if let Command::Sampling { unit, sampling } = &step.command {
            let shape = shapes.get(unit).copied();
            if plain && sampling.wrap.iter().any(|wrap| wrap.is_emulated()) {
                let reason =
                    "Vulkan lacks GL's `clamp`, `mirror_clamp` and `mirror_clamp_to_border`";
                return Some(format!("{reason}, which only programs have"));
            }
            missing_for_sampling(shape, sampling, capabilities)
        } else if let Command::Image { key, update } = &step.command {
            images.insert(*key, update.shape.target);
            missing_for_shape(&update.shape, ShapeUse::StorageImage, capabilities)
        } else if let Command::BindImage { bound, .. } = &step.command {
            missing_for_binding(bound, images.get(&bound.image).copied(), capabilities)
        } else {
            None
        }
    })
}

/// Returns true if a script has modules of other compilers: GLSL or SPIR-V.
fn has_plain_shaders(script: &Script) -> bool {
    script.programs.iter().any(|program| match program.form {
        ProgramForm::Glsl | ProgramForm::SpirvText | ProgramForm::SpirvWords => true,
        ProgramForm::Assembly
        | ProgramForm::Ir
        | ProgramForm::PassThrough
        | ProgramForm::FixedFunction => false,
    })
}

/// Returns the reason why the device cannot bind a part of an image of this target: slices of 3D
/// images, or the format of the binding. `None` if it can, or if `target` is `None` because the
/// script has not specified the image.
fn missing_for_binding(
    bound: &BoundImage,
    target: Option<TexTarget>,
    capabilities: &Capabilities,
) -> Option<String> {
    let feature = "image2DViewOf3D";
    let flat = bound.part.slice.is_some() && target == Some(TexTarget::D3);
    if flat && !capabilities.has_feature(feature) {
        return Some(format!("the device lacks {feature}"));
    }
    let format = bound.format.as_ref()?.vk;
    let uses = capabilities.textures.formats.get(&format.as_raw());
    let uses = uses.copied().unwrap_or_default();
    let is_possible = if target == Some(TexTarget::Buffer) {
        uses.buffers
            .contains(vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER)
    } else {
        uses.images.contains(vk::FormatFeatureFlags::STORAGE_IMAGE)
    };
    (!is_possible).then(|| format!("the device lacks {format:?} as storage image format"))
}

/// Returns the reason why the device has no texture or image of this shape: its format, size,
/// levels or samples. None if it has.
fn missing_for_shape(
    shape: &TextureShape,
    kind: ShapeUse,
    capabilities: &Capabilities,
) -> Option<String> {
    let textures = &capabilities.textures;
    let format = shape.format.vk;
    let uses = textures
        .formats
        .get(&format.as_raw())
        .copied()
        .unwrap_or_default();
    let transfer = vk::FormatFeatureFlags::TRANSFER_DST;
    let (what, is_possible) = match (kind, shape.target == TexTarget::Buffer) {
        (ShapeUse::Texture, false) => (
            "texture",
            uses.images
                .contains(vk::FormatFeatureFlags::SAMPLED_IMAGE | transfer),
        ),
        (ShapeUse::Texture, true) => (
            "buffer texture",
            uses.buffers
                .contains(vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER),
        ),
        (ShapeUse::StorageImage, false) => (
            "storage image",
            uses.images
                .contains(vk::FormatFeatureFlags::STORAGE_IMAGE | transfer),
        ),
        (ShapeUse::StorageImage, true) => (
            "storage buffer texture",
            uses.buffers
                .contains(vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER),
        ),
    };
    if !is_possible {
        return Some(format!("the device lacks {format:?} as {what} format"));
    }
    if shape.target == TexTarget::CubeArray && !capabilities.has_feature("imageCubeArray") {
        return Some("the device lacks imageCubeArray".to_owned());
    }
    missing_samples(shape, kind, capabilities).or_else(|| missing_size(shape, textures))
}

/// Returns the reason why the device does not support the number of samples of a texture or image.
/// `None` if it does, or if the target is not multisampled.
fn missing_samples(
    shape: &TextureShape,
    kind: ShapeUse,
    capabilities: &Capabilities,
) -> Option<String> {
    if !shape.target.is_multisample() {
        return None;
    }
    let uses = |format: vk::Format| {
        let formats = &capabilities.textures.formats;
        formats.get(&format.as_raw()).copied().unwrap_or_default()
    };
    let (count, format) = (shape.samples, shape.format.vk);
    let (what, counts) = match kind {
        ShapeUse::Texture => ("textures", uses(format).samples),
        ShapeUse::StorageImage => {
            let feature = "shaderStorageImageMultisample";
            if !capabilities.has_feature(feature) {
                return Some(format!("the device lacks {feature}"));
            }
            // Filled and read as bits.
            let bits = raw_format(8 * shape.format.texel_size() as u8);
            let bits = bits.map(|bits| uses(bits.vk)).unwrap_or_default();
            let both = uses(format).storage_samples & bits.storage_samples;
            ("storage images", both)
        }
    };
    let possible = counts.contains(vk::SampleCountFlags::from_raw(count));
    (!possible).then(|| format!("the device lacks {format:?} {what} of {count} samples"))
}

/// Returns the reason why the device has no texture of this size or with so many layers; `None` if
/// it has. Each sample needs a layer, because samples are filled from an array.
fn missing_size(shape: &TextureShape, textures: &TextureCapabilities) -> Option<String> {
    let limit = match shape.target {
        TexTarget::D1 | TexTarget::D1Array => textures.max_1d,
        TexTarget::D2
        | TexTarget::Rect
        | TexTarget::D2Array
        | TexTarget::D2Multisample
        | TexTarget::D2MultisampleArray => textures.max_2d,
        TexTarget::D3 => textures.max_3d,
        TexTarget::Cube | TexTarget::CubeArray => textures.max_cube,
        TexTarget::Buffer => textures.max_texels,
    };
    if shape.extent.iter().any(|side| *side > limit) {
        let target = target_name(shape.target);
        return Some(format!(
            "the device lacks {target} textures larger than {limit}"
        ));
    }
    // Samples are filled from an array with a layer for each.
    let limit = textures.max_layers;
    (shape.layers * shape.samples > limit)
        .then(|| format!("the device lacks textures of more than {limit} layers"))
}

/// Returns the reason why the device cannot sample a texture in this way: linear filters of its
/// format, a wrap mode, a border color, or anisotropy. `None` if it can. Filters are not checked
/// without a shape, and for buffer and multisample textures.
fn missing_for_sampling(
    shape: Option<&TextureShape>,
    sampling: &Sampling,
    capabilities: &Capabilities,
) -> Option<String> {
    let textures = &capabilities.textures;
    let lacks = |what: &str| Some(format!("the device lacks {what}"));
    // Buffer and multisample textures have no samplers.
    let is_filtered =
        |shape: &&TextureShape| !shape.target.is_multisample() && shape.target != TexTarget::Buffer;
    if let Some(shape) = shape.filter(is_filtered)
        && sampling.is_linear()
    {
        let format = shape.format.vk;
        let uses = textures.formats.get(&format.as_raw());
        let linear = vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR;
        if !uses.is_some_and(|uses| uses.images.contains(linear)) {
            return Some(format!("the device lacks linear filters for {format:?}"));
        }
    }
    let mirrors = "VK_KHR_sampler_mirror_clamp_to_edge";
    if sampling.wrap.contains(&Wrap::MirrorClampToEdge)
        && !capabilities.extensions.contains(mirrors)
    {
        return lacks(mirrors);
    }
    if sampling.wrap.iter().any(|wrap| wrap.has_border()) {
        if !is_standard_border(sampling.border_color)
            && !capabilities.has_feature("customBorderColors")
        {
            return lacks("customBorderColors");
        }
        if sampling.color_swizzle() != Swizzle::IDENTITY
            && !capabilities.has_feature("borderColorSwizzleFromImage")
        {
            return lacks("borderColorSwizzleFromImage");
        }
    }
    if sampling.anisotropy > 1.0 {
        if !capabilities.has_feature("samplerAnisotropy") {
            return lacks("samplerAnisotropy");
        }
        if sampling.anisotropy > textures.max_anisotropy {
            let most = textures.max_anisotropy;
            return Some(format!("the device lacks anisotropy of more than {most}"));
        }
    }
    None
}

/// Returns true if Vulkan has the border color without an extension: transparent or opaque black,
/// or opaque white.
fn is_standard_border(color: [f64; 4]) -> bool {
    matches!(color, [0.0, 0.0, 0.0, 0.0 | 1.0] | [1.0, 1.0, 1.0, 1.0])
}

#[cfg(test)]
mod tests {
    use super::super::capabilities::FormatUses;
    use super::*;
    use glasm_scripts::format::Format;

    fn capable() -> Capabilities {
        let uses = |images| FormatUses {
            images,
            buffers: vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER,
            samples: vk::SampleCountFlags::TYPE_4,
            storage_samples: vk::SampleCountFlags::TYPE_4,
        };
        let sampled = vk::FormatFeatureFlags::SAMPLED_IMAGE | vk::FormatFeatureFlags::TRANSFER_DST;
        let linear = sampled | vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR;
        let raw = |name| Format::parse_color_or_depth(name).unwrap().vk.as_raw();
        let formats = [
            (
                raw("R8G8B8A8_UNORM"),
                uses(linear | vk::FormatFeatureFlags::STORAGE_IMAGE),
            ),
            (raw("R32_SFLOAT"), uses(sampled)),
            (raw("R32_UINT"), uses(sampled)),
        ];
        Capabilities {
            features: ["shaderStorageImageMultisample"].into(),
            textures: TextureCapabilities {
                max_1d: 4096,
                max_2d: 8192,
                max_3d: 256,
                max_cube: 1024,
                max_layers: 64,
                max_texels: 65536,
                max_anisotropy: 4.0,
                formats: formats.into(),
                ..TextureCapabilities::default()
            },
            ..Capabilities::default()
        }
    }

    fn reason(lines: &str) -> Option<String> {
        let script = Script::parse(format!("[test]\n{lines}\n").as_bytes()).unwrap();
        missing_textures(&script, &capable())
    }

    #[test]
    fn what_the_device_has_is_no_reason() {
        for lines in [
            "texture 2D 0 R8G8B8A8_UNORM (8192, 1) rgbw\ntexparameter 2D min linear",
            "texture 2DMS 0 R32_SFLOAT (1, 1) solid 0 0 0 0",
            "texture buffer 0 R32_SFLOAT (65536) ramp\ntexparameter buffer min linear",
            "texture 2D 0 R32_SFLOAT (1, 1) 1\ntexparameter 2D wrap_s clamp_to_border\ntexparameter 2D border_color 1 1 1 1",
            "image 2D 0 R8G8B8A8_UNORM (4, 4)",
            "image 2DMS 0 R8G8B8A8_UNORM (4, 4)",
        ] {
            assert_eq!(reason(lines), None, "{lines}");
        }
    }

    #[test]
    fn what_it_lacks_is_named() {
        for (lines, expected) in [
            (
                "texture 2D 0 R8_UNORM (1, 1) 1",
                "the device lacks R8_UNORM as texture format",
            ),
            (
                "image 2D 0 R32_SFLOAT (1, 1)",
                "the device lacks R32_SFLOAT as storage image format",
            ),
            (
                "image buffer 0 R32_SFLOAT (1)",
                "the device lacks R32_SFLOAT as storage buffer texture format",
            ),
            (
                "texture 3D 0 R32_SFLOAT (1, 1, 257) ramp",
                "the device lacks 3D textures larger than 256",
            ),
            (
                "texture 2DArray 0 R32_SFLOAT (1, 1, 65) ramp",
                "the device lacks textures of more than 64 layers",
            ),
            (
                "texture cubeArray 0 R32_SFLOAT (1, 1, 6) ramp",
                "the device lacks imageCubeArray",
            ),
            (
                "texture 2DMS 0 samples 8 R32_SFLOAT (1, 1) ramp",
                "the device lacks R32_SFLOAT textures of 8 samples",
            ),
            (
                "image 2DMS 0 samples 8 R8G8B8A8_UNORM (1, 1)",
                "the device lacks R8G8B8A8_UNORM storage images of 8 samples",
            ),
            (
                "texture 2D 0 R32_SFLOAT (1, 1) 1\ntexparameter 2D mag linear",
                "the device lacks linear filters for R32_SFLOAT",
            ),
            (
                "texparameter 2D wrap_t mirror_clamp_to_edge",
                "the device lacks VK_KHR_sampler_mirror_clamp_to_edge",
            ),
            (
                "texparameter 2D border_color 0.5 0 0 1\ntexparameter 2D wrap_s mirror_clamp",
                "the device lacks customBorderColors",
            ),
            (
                "texparameter 2D border_color 0.5 0 0 1\ntexparameter 2D wrap_s clamp_to_border",
                "the device lacks customBorderColors",
            ),
            (
                "texparameter 2D max_anisotropy 2",
                "the device lacks samplerAnisotropy",
            ),
        ] {
            assert_eq!(reason(lines).as_deref(), Some(expected), "{lines}");
        }
    }

    #[test]
    fn multisample_images_need_a_feature() {
        let script = Script::parse(b"[test]\nimage 2DMS 0 R8G8B8A8_UNORM (4, 4)\n").unwrap();
        let capabilities = Capabilities {
            features: [].into(),
            ..capable()
        };
        let reason = missing_textures(&script, &capabilities);
        let expected = "the device lacks shaderStorageImageMultisample";
        assert_eq!(reason.as_deref(), Some(expected));
    }
}
