//! Creation of textures of OpenGL from the texels of scripts, for samplers and as images.

use super::gl_features::Feature;
use crate::error::{Error, Problem};
use crate::formats::TexelFormat;
use crate::gl::{self, Buffer, Gl, Image, Renderbuffer, SampleLayer, Texture, Version};
use glasm::fixed_function::{BaseFormat, TextureFormatType};
use glasm::ir::TexTarget;
use glasm_scripts::format::{Aspect, Encoding};
use glasm_scripts::script::{Convention, target_name};
use glasm_scripts::texture::{PlaneId, TextureData, TextureShape};
use std::rc::Rc;

/// Storage of the texels of a texture.
pub(super) enum TexelStorage {
    /// Texture.
    Texture,
    /// Buffer.
    Buffer(Buffer),
    /// Renderbuffer, which is only read.
    Renderbuffer { _object: Renderbuffer },
}

const BUFFER_TEXTURES: Feature = Feature {
    core: Version(3, 1),
    extensions: &[
        "GL_ARB_texture_buffer_object",
        "GL_EXT_texture_buffer_object",
    ],
};
/// They are filled by shaders of GLSL 1.50, which no extension provides.
const MULTISAMPLE_TEXTURES: Feature = Feature {
    core: Version(3, 2),
    extensions: &[],
};

/// Returns OpenGL's enumerant of a texture target.
pub(super) fn gl_target(target: TexTarget) -> u32 {
    match target {
        TexTarget::D1 => gl::TEXTURE_1D,
        TexTarget::D2 => gl::TEXTURE_2D,
        TexTarget::D3 => gl::TEXTURE_3D,
        TexTarget::Cube => gl::TEXTURE_CUBE_MAP,
        TexTarget::Rect => gl::TEXTURE_RECTANGLE,
        TexTarget::D1Array => gl::TEXTURE_1D_ARRAY,
        TexTarget::D2Array => gl::TEXTURE_2D_ARRAY,
        TexTarget::CubeArray => gl::TEXTURE_CUBE_MAP_ARRAY,
        TexTarget::Buffer => gl::TEXTURE_BUFFER,
        TexTarget::D2Multisample => gl::TEXTURE_2D_MULTISAMPLE,
        TexTarget::D2MultisampleArray => gl::TEXTURE_2D_MULTISAMPLE_ARRAY,
    }
}

/// Returns width, height and depth of a level's image with all its slices, as OpenGL counts them:
/// slices of one-dimensional arrays are the height; a cube map has six images.
pub(super) fn image_size(shape: &TextureShape, level: u32) -> [u32; 3] {
    let [width, height, _] = shape.level_extent(level);
    match shape.target {
        TexTarget::D1Array => [width, shape.slices(level), 1],
        TexTarget::Cube => [width, height, 1],
        TexTarget::D1
        | TexTarget::D2
        | TexTarget::D3
        | TexTarget::Rect
        | TexTarget::D2Array
        | TexTarget::CubeArray
        | TexTarget::Buffer
        | TexTarget::D2Multisample
        | TexTarget::D2MultisampleArray => [width, height, shape.slices(level)],
    }
}

/// Returns the format of OpenGL for a texture. Skips the script if OpenGL has none.
pub(super) fn require_texel_format(shape: &TextureShape) -> Result<TexelFormat, Problem> {
    let format = shape.format.vk;
    TexelFormat::from_vk(format)
        .ok_or_else(|| Problem::Unsupported(format!("OpenGL has no format like {format:?}")))
}

/// Returns the format of OpenGL for a texture of a base internal format. Skips the script if OpenGL
/// has none.
fn require_base_format(shape: &TextureShape, base: BaseFormat) -> Result<TexelFormat, Problem> {
    let format = shape.format.vk;
    TexelFormat::from_base_format(format, base).ok_or_else(|| {
        let reason = format!("OpenGL has no format like {format:?} whose base format is {base:?}");
        Problem::Unsupported(reason)
    })
}

/// Creates a color texture of a base internal format with all its images. Skips scripts with
/// formats that OpenGL lacks.
pub(super) fn create_with_base_format(
    gl: &Rc<Gl>,
    data: &TextureData,
    target: u32,
    base: BaseFormat,
) -> Result<(Texture, TexelStorage), Problem> {
    let format = require_base_format(&data.shape, base)?;
    // Bits of luminance and intensity have separate queries, so that none of them is requested.
    let texture = define_images(gl, data, (target, format), Convention::OpenGl)?;
    Ok((texture, TexelStorage::Texture))
}

/// Creates a texture of a format type of NV_texture_shader with all its images. Skips scripts with
/// formats that OpenGL lacks.
pub(super) fn create_with_format_type(
    gl: &Rc<Gl>,
    data: &TextureData,
    target: u32,
    ty: TextureFormatType,
) -> Result<(Texture, TexelStorage), Problem> {
    let format = data.shape.format.vk;
    let format = TexelFormat::from_format_type(format, ty).ok_or_else(|| {
        let reason = format!("OpenGL has no format like {format:?} whose format type is {ty:?}");
        Problem::Unsupported(reason)
    })?;
    let texture = define_images(gl, data, (target, format), Convention::OpenGl)?;
    Ok((texture, TexelStorage::Texture))
}

/// Creates a texture of a target of OpenGL with all its images, and their storage. Skips scripts
/// with textures that the driver lacks, or stores with fewer bits than their format has.
pub(super) fn create_texture(
    gl: &Rc<Gl>,
    data: &TextureData,
    target: u32,
    convention: Convention,
) -> Result<(Texture, TexelStorage), Problem> {
    if target == gl::TEXTURE_RENDERBUFFER_NV {
        return create_renderbuffer_texture(gl, data);
    }
    if data.shape.target == TexTarget::Buffer {
        return create_buffer_texture(gl, data);
    }
    let texture = if data.shape.target.is_multisample() {
        create_multisample_texture(gl, data, target)?
    } else {
        create_images(gl, data, target, convention)?
    };
    Ok((texture, TexelStorage::Texture))
}

/// Creates a texture, without samples, with all images of a script's data. Skips scripts with
/// formats or sizes that the driver lacks, or stores with fewer bits.
fn create_images(
    gl: &Rc<Gl>,
    data: &TextureData,
    target: u32,
    convention: Convention,
) -> Result<Texture, Problem> {
    let shape = &data.shape;
    let format = require_texel_format(shape)?;
    let image = Image {
        target,
        level: 0,
        size: image_size(shape, 0),
    };
    let bits = gl.stored_bits(image, format.internal_format, format.client_format)?;
    check_stored_bits(shape, bits)?;
    define_images(gl, data, (target, format), convention)
}

/// Creates a texture and uploads every level and face of the data. Faces of cube maps that the data
/// lacks are zeros by the convention of Vulkan; by that of OpenGL they remain undefined if the
/// level has others.
fn define_images(
    gl: &Rc<Gl>,
    data: &TextureData,
    (target, format): (u32, TexelFormat),
    convention: Convention,
) -> Result<Texture, Problem> {
    let shape = &data.shape;
    let image = |target, level| Image {
        target,
        level,
        size: image_size(shape, level),
    };
    let texture = Texture::new(gl, target)?;
    let plane = |level, slice| {
        data.plane(PlaneId {
            level,
            slice,
            sample: 0,
        })
    };
    for level in 0..shape.levels {
        if shape.target == TexTarget::Cube {
            for (face, slice) in (gl::TEXTURE_CUBE_MAP_POSITIVE_X..).zip(0..6) {
                let id = PlaneId {
                    level,
                    slice,
                    sample: 0,
                };
                let is_there = data.has_plane(id) || data.is_level_empty(level);
                if is_there || convention == Convention::Vulkan {
                    let texels = plane(level, slice);
                    let texels = format.script_to_client(&texels);
                    texture.define_image(
                        image(face, level),
                        format.internal_format,
                        format.client_format,
                        Some(&texels),
                    )?;
                }
            }
        } else {
            let slices = 0..shape.slices(level);
            let texels: Vec<u8> = slices.flat_map(|slice| plane(level, slice)).collect();
            let texels = format.script_to_client(&texels);
            texture.define_image(
                image(target, level),
                format.internal_format,
                format.client_format,
                Some(&texels),
            )?;
        }
    }
    Ok(texture)
}

/// Skips the script unless the driver preserves all bits of the texels. `bits` are those that it
/// stores, `None` if it cannot create the image.
fn check_stored_bits(shape: &TextureShape, bits: Option<gl::StoredBits>) -> Result<(), Problem> {
    let format = &shape.format;
    let Some(bits) = bits else {
        let (target, [width, height, depth]) = (target_name(shape.target), image_size(shape, 0));
        let reason = format!(
            "the driver lacks textures of target {target} with format {:?} and size {width} x {height} x {depth}",
            format.vk
        );
        return Err(Problem::Unsupported(reason));
    };
    let is_preserved = format.channels.iter().all(|channel| match format.aspect {
        Aspect::Color => bits.color[channel.component] >= channel.bits,
        Aspect::Depth => bits.depth >= channel.bits,
    });
    // Drivers may count the bits of a shared exponent as they like.
    if is_preserved || format.encoding == Encoding::SharedExponent {
        return Ok(());
    }
    let reason = format!("the driver stores fewer bits than {:?} has", format.vk);
    Err(Problem::Unsupported(reason))
}

/// Creates a buffer with the texels of the data, and a texture that reads it. Skips scripts with
/// formats or sizes that the driver lacks for buffer textures.
fn create_buffer_texture(
    gl: &Rc<Gl>,
    data: &TextureData,
) -> Result<(Texture, TexelStorage), Problem> {
    BUFFER_TEXTURES.require(gl)?;
    let shape = &data.shape;
    let format = require_texel_format(shape)?;
    let lacking = || {
        let reason = format!(
            "the driver lacks buffer textures of format {:?}",
            shape.format.vk
        );
        Problem::Unsupported(reason)
    };
    // Programs see the stored bytes.
    let reverses = [gl::BGR, gl::BGRA, gl::BGR_INTEGER, gl::BGRA_INTEGER];
    if reverses.contains(&format.client_format.format) {
        return Err(lacking());
    }
    let most = gl.integer(gl::MAX_TEXTURE_BUFFER_SIZE)?;
    if shape.extent[0] > most.unsigned_abs() {
        let reason = format!("the driver lacks buffer textures of more than {most} texels");
        return Err(Problem::Unsupported(reason));
    }
    let plane = data.plane(PlaneId {
        level: 0,
        slice: 0,
        sample: 0,
    });
    let buffer = Buffer::new(gl, &plane, gl::DYNAMIC_COPY)?;
    let texture = Texture::new(gl, gl::TEXTURE_BUFFER)?;
    match texture.attach_buffer(format.internal_format, &buffer) {
        // The only thing that OpenGL may find wrong is the format.
        Err(Error::Gl { .. }) => Err(lacking()),
        Err(error) => Err(error.into()),
        Ok(()) => Ok((texture, TexelStorage::Buffer(buffer))),
    }
}

/// Creates a multisample texture and writes each sample of the data by drawing. Skips scripts with
/// formats or sample counts that the driver lacks, or stores with fewer bits.
fn create_multisample_texture(
    gl: &Rc<Gl>,
    data: &TextureData,
    target: u32,
) -> Result<Texture, Problem> {
    let shape = &data.shape;
    let format = require_texel_format(shape)?;
    let image = Image {
        target,
        level: 0,
        size: image_size(shape, 0),
    };
    MULTISAMPLE_TEXTURES.require(gl)?;
    let bits = gl.stored_sample_bits(image, format.internal_format, shape.samples)?;
    check_stored_bits(shape, bits)?;
    let texture = Texture::new(gl, target)?;
    texture.define_multisample_image(shape.samples, format.internal_format, image.size)?;
    write_samples(data, |sample_layer, texels| {
        let format = format.without_srgb();
        texture.write_sample(
            sample_layer,
            format.internal_format,
            format.client_format,
            texels,
        )
    })?;
    Ok(texture)
}

/// Creates a renderbuffer with the samples of the data, and a texture of NV_explicit_multisample
/// that reads it. Skips scripts with formats or sample counts that the driver lacks.
fn create_renderbuffer_texture(
    gl: &Rc<Gl>,
    data: &TextureData,
) -> Result<(Texture, TexelStorage), Problem> {
    MULTISAMPLE_TEXTURES.require(gl)?;
    let shape = &data.shape;
    let format = require_texel_format(shape)?;
    let [width, height, _] = image_size(shape, 0);
    let created = Renderbuffer::new(gl, shape.samples, format.internal_format, [width, height]);
    let Ok(renderbuffer) = created else {
        let (samples, format) = (shape.samples, shape.format.vk);
        let reason = format!("the driver lacks renderbuffers of {samples} samples of {format:?}");
        return Err(Problem::Unsupported(reason));
    };
    write_samples(data, |sample_layer, texels| {
        let format = format.without_srgb();
        renderbuffer.write_sample(
            sample_layer,
            format.internal_format,
            format.client_format,
            texels,
        )
    })?;
    let texture = Texture::new(gl, gl::TEXTURE_RENDERBUFFER_NV)?;
    texture.attach_renderbuffer(&renderbuffer)?;
    let store = TexelStorage::Renderbuffer {
        _object: renderbuffer,
    };
    Ok((texture, store))
}

/// Passes all texels of a multisample texture to `write`, sample by sample, in the layout of
/// OpenGL.
fn write_samples(
    data: &TextureData,
    write: impl Fn(SampleLayer, &[u8]) -> Result<(), Error>,
) -> Result<(), Problem> {
    let format = require_texel_format(&data.shape)?;
    let [width, height, _] = data.shape.level_extent(0);
    for plane in data.shape.planes() {
        let sample_layer = SampleLayer {
            size: [width, height],
            layer: plane.slice,
            sample: plane.sample,
        };
        write(sample_layer, &format.script_to_client(&data.plane(plane)))?;
    }
    Ok(())
}
