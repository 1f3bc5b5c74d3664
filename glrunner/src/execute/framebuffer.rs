//! The framebuffer of a script: clearing, probing, writing image files.

use super::gl_features::Feature;
use crate::error::{Error, Problem};
use crate::formats::TexelFormat;
use crate::gl::{
    self, ClientFormat, ColorAttachmentDesc, Framebuffer, FramebufferDesc, Gl, SampleSelection,
    Version,
};
use ash::vk;
use glasm::ir::BaseType;
use glasm_scripts::format::{DepthFormat, Encoding, Format};
use glasm_scripts::image::Image;
use glasm_scripts::probe::pixels::{FramebufferPlane, Surface};
use glasm_scripts::script::{Attachments, Clear};
use std::rc::Rc;

/// Framebuffers with several formats, clearing of single buffers.
const FRAMEBUFFERS: Feature = feature(Version(3, 0), &[]);
const LAYERS: Feature = feature(Version(3, 2), &[]);
const NO_ATTACHMENTS: Feature = feature(Version(4, 3), &["GL_ARB_framebuffer_no_attachments"]);
const SAMPLES: Feature = feature(Version(3, 2), &["GL_ARB_texture_multisample"]);

/// Returns a feature that is core since version `core` and that each of `extensions` provides
/// before it.
const fn feature(core: Version, extensions: &'static [&'static str]) -> Feature {
    Feature { core, extensions }
}

/// Color attachment with its format in scripts and in OpenGL.
struct ColorAttachment {
    format: Format,
    texel_format: TexelFormat,
}

/// Depth or stencil attachment, or both in one.
struct DepthStencil {
    format: DepthFormat,
    texel_format: TexelFormat,
}

/// Framebuffer of a script.
pub(super) struct ScriptFramebuffer {
    framebuffer: Framebuffer,
    /// Color attachments by number.
    colors: Vec<Option<ColorAttachment>>,
    depth: Option<DepthStencil>,
    size: [u32; 2],
    layers: u32,
    samples: u32,
}

/// Returns OpenGL's counterpart of a Vulkan format, or the reason to skip the script.
fn require_texel_format(format: vk::Format) -> Result<TexelFormat, Problem> {
    TexelFormat::from_vk(format)
        .ok_or_else(|| Problem::Unsupported(format!("OpenGL has no format {format:?}")))
}

/// Skips the script unless pixels of the bound framebuffer have the requested number of samples;
/// one sample is not checked.
fn check_samples(gl: &Gl, required: u32) -> Result<(), Problem> {
    if required == 1 {
        return Ok(());
    }
    let found = gl.integer(gl::SAMPLES)?.unsigned_abs();
    if found == required {
        Ok(())
    } else {
        let reason = format!("pixels have {found} samples instead of {required}");
        Err(Problem::Unsupported(reason))
    }
}

impl ScriptFramebuffer {
    /// Creates attachments of undefined content; the framebuffer is bound. Skips scripts with
    /// formats, sizes or sample counts that the driver lacks.
    pub(super) fn new(
        gl: &Rc<Gl>,
        size: [u32; 2],
        attachments: &Attachments,
    ) -> Result<Self, Problem> {
        check_limits(gl, size, attachments)?;
        let mut colors = Vec::new();
        for format in &attachments.colors {
            colors.push(match format {
                Some(format) => Some(ColorAttachment {
                    format: format.clone(),
                    texel_format: require_texel_format(format.vk)?,
                }),
                None => None,
            });
        }
        let depth = match attachments.depth {
            Some(format) => Some(DepthStencil {
                format,
                texel_format: require_texel_format(format.vk)?,
            }),
            None => None,
        };
        let target = |color: &ColorAttachment| ColorAttachmentDesc {
            internal_format: color.texel_format.internal_format,
            client_format: color.texel_format.client_format,
            attached_image: None,
        };
        let desc = FramebufferDesc {
            size,
            layers: (attachments.layers > 1).then_some(attachments.layers),
            samples: attachments.samples,
            colors: colors
                .iter()
                .map(|color| color.as_ref().map(target))
                .collect(),
            depth_stencil: depth.as_ref().map(|depth| {
                (
                    depth.texel_format.internal_format,
                    depth.texel_format.client_format,
                )
            }),
        };
        let framebuffer = match Framebuffer::new(gl, &desc) {
            Err(error @ Error::Incomplete(_)) => {
                return Err(Problem::Unsupported(error.to_string()));
            }
            made => made?,
        };
        check_samples(gl, attachments.samples)?;
        Ok(Self {
            framebuffer,
            colors,
            depth,
            size,
            layers: attachments.layers,
            samples: attachments.samples,
        })
    }

    /// Binds the framebuffer for drawing and reading.
    pub(super) fn bind(&self) -> Result<(), Problem> {
        Ok(self.framebuffer.bind()?)
    }

    /// Clears all attachments, or only one color, in all layers and samples, without scissor box
    /// and masks, which are reset for that. The framebuffer is bound afterwards.
    pub(super) fn clear(&self, gl: &Gl, clear: &Clear) -> Result<(), Problem> {
        self.framebuffer.bind()?;
        // Every draw sets these again.
        gl.Disable(gl::SCISSOR_TEST)?;
        gl.Disable(gl::RASTERIZER_DISCARD)?;
        gl.ColorMask(gl::TRUE, gl::TRUE, gl::TRUE, gl::TRUE)?;
        gl.DepthMask(gl::TRUE)?;
        gl.StencilMask(u32::MAX)?;
        let is_cleared = |number: u32| clear.only.is_none_or(|only| only == number);
        for ((color, value), number) in self.colors.iter().zip(clear.colors).zip(0..) {
            if let Some(color) = color
                && is_cleared(number)
            {
                self.clear_color_typed(number, color.format.encoding, value)?;
            }
        }
        if let Some(depth) = &self.depth
            && clear.only.is_none()
        {
            if depth.format.has_depth {
                self.framebuffer.clear_depth(clear.depth)?;
            }
            if depth.format.has_stencil {
                self.framebuffer
                    .clear_stencil(clear.stencil.cast_signed())?;
            }
        }
        Ok(())
    }

    /// Clears a color attachment in the type of its format: components are converted to integers
    /// for integer formats.
    fn clear_color_typed(
        &self,
        number: u32,
        encoding: Encoding,
        value: [f64; 4],
    ) -> Result<(), Error> {
        match encoding.base() {
            BaseType::UnsignedInt => {
                let value = value.map(|component| component as u32);
                self.framebuffer.clear_color_uint(number, value)
            }
            BaseType::SignedInt => {
                let value = value.map(|component| component as i32);
                self.framebuffer.clear_color_int(number, value)
            }
            BaseType::Float => {
                let value = value.map(|component| component as f32);
                self.framebuffer.clear_color(number, value)
            }
        }
    }

    /// Reads one layer of a plane, in one sample or resolved; `None` if the framebuffer does not
    /// have the plane, layer or sample.
    pub(super) fn read_surface(&self, surface: Surface) -> Result<Option<Image>, Problem> {
        let has_sample = surface.sample.is_none_or(|sample| sample < self.samples);
        if surface.layer >= self.layers || !has_sample {
            return Ok(None);
        }
        let Some((format, texels)) = self.read_layers(surface)? else {
            return Ok(None);
        };
        let [width, height] = self.size;
        let layer = width as usize * height as usize * format.texel_size();
        Ok(Some(Image {
            width,
            height,
            format,
            is_color: surface.is_color(),
            data: texels[layer * surface.layer as usize..][..layer].to_vec(),
        }))
    }

    /// Reads all layers of a plane in the script's format, with that format; `None` if the
    /// framebuffer lacks the plane. Integers, depths and stencil values of several samples are
    /// those of sample 0 unless one is selected.
    fn read_layers(&self, surface: Surface) -> Result<Option<(Format, Vec<u8>)>, Problem> {
        // Integers, depths and stencil values have no mean.
        let layer_start = match self.samples {
            1 => SampleSelection::Resolved,
            _ => SampleSelection::Index(surface.sample.unwrap_or(0)),
        };
        let number = match surface.plane {
            FramebufferPlane::Color(number) => number as usize,
            FramebufferPlane::Depth | FramebufferPlane::Stencil => {
                return self.read_depth_stencil(surface.plane, layer_start);
            }
        };
        let Some(Some(ColorAttachment {
            format,
            texel_format: texels,
        })) = self.colors.get(number)
        else {
            return Ok(None);
        };
        let sample = match surface.sample {
            None if !format.encoding.is_integer() => SampleSelection::Resolved,
            _ => layer_start,
        };
        let read = self
            .framebuffer
            .read_color(number, sample, texels.client_format)?;
        Ok(Some((format.clone(), texels.client_to_script(read))))
    }

    /// Reads a sample of the depths or the stencil values of all layers, with their format; `None`
    /// if the framebuffer has none.
    fn read_depth_stencil(
        &self,
        plane: FramebufferPlane,
        sample: SampleSelection,
    ) -> Result<Option<(Format, Vec<u8>)>, Problem> {
        let Some(DepthStencil {
            format,
            texel_format: texels,
        }) = &self.depth
        else {
            return Ok(None);
        };
        let own = match plane {
            FramebufferPlane::Stencil => format.stencil_texels(),
            FramebufferPlane::Color(_) | FramebufferPlane::Depth => format.depth_texels(),
        };
        let Some(own) = own else { return Ok(None) };
        let read = |client| self.framebuffer.read_depth_stencil(sample, client);
        let bytes = match (sample, plane) {
            (SampleSelection::Resolved, FramebufferPlane::Stencil) => {
                texels.stencil_values(&read(texels.client_format)?)
            }
            (SampleSelection::Resolved, FramebufferPlane::Color(_) | FramebufferPlane::Depth) => {
                texels.client_to_script(read(texels.client_format)?)
            }
            (SampleSelection::Index(_), FramebufferPlane::Stencil) => read(STENCILS)?,
            (SampleSelection::Index(_), FramebufferPlane::Color(_) | FramebufferPlane::Depth) => {
                encode_depths(&own, &read(DEPTHS)?)
            }
        };
        Ok(Some((own, bytes)))
    }
}

/// Format in which depths of single samples are read, regardless of their storage format.
const DEPTHS: ClientFormat = ClientFormat::new(gl::DEPTH_COMPONENT, gl::FLOAT);

/// Stencil values of single samples similarly.
const STENCILS: ClientFormat = ClientFormat::new(gl::STENCIL_INDEX, gl::UNSIGNED_BYTE);

/// Encodes depths, given as 32-bit floats, in a depth format.
fn encode_depths(format: &Format, depths: &[u8]) -> Vec<u8> {
    let depths = depths.chunks_exact(4);
    let depths = depths.map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    depths
        .flat_map(|depth| format.encode([f64::from(depth), 0.0, 0.0, 0.0]))
        .collect()
}

/// Skips the script if the driver does not support the size, number, samples or layers of a
/// framebuffer; formats are not checked.
fn check_limits(gl: &Gl, size: [u32; 2], attachments: &Attachments) -> Result<(), Problem> {
    FRAMEBUFFERS.require(gl)?;
    let Attachments {
        colors,
        depth,
        samples,
        layers,
    } = attachments;
    let numbers = colors.len() as u32;
    let mut limits = vec![
        ("pixels a side", size[0].max(size[1]), gl::MAX_TEXTURE_SIZE),
        ("color attachments", numbers, gl::MAX_COLOR_ATTACHMENTS),
        ("draw buffers", numbers, gl::MAX_DRAW_BUFFERS),
    ];
    if *layers > 1 {
        LAYERS.require(gl)?;
        limits.push(("layers", *layers, gl::MAX_ARRAY_TEXTURE_LAYERS));
    }
    if *samples > 1 {
        SAMPLES.require(gl)?;
        let has_color = |is_integer: bool| {
            let mut known = colors.iter().flatten();
            known.any(|format| format.encoding.is_integer() == is_integer)
        };
        let kinds = [
            (has_color(false), gl::MAX_COLOR_TEXTURE_SAMPLES),
            (has_color(true), gl::MAX_INTEGER_SAMPLES),
            (depth.is_some(), gl::MAX_DEPTH_TEXTURE_SAMPLES),
        ];
        let there = kinds.into_iter().filter(|(is_there, _)| *is_there);
        limits.extend(there.map(|(_, limit)| ("samples of a pixel", *samples, limit)));
    }
    if colors.iter().flatten().count() == 0 && depth.is_none() {
        NO_ATTACHMENTS.require(gl)?;
    }
    for (what, wanted, limit) in limits {
        let most = gl.integer(limit)?.unsigned_abs();
        if wanted > most {
            let reason = format!("the driver has at most {most} {what}, not {wanted}");
            return Err(Problem::Unsupported(reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_become_texels_of_their_format() {
        let texels = |name, depths: &[f32]| {
            let bytes: Vec<u8> = depths
                .iter()
                .flat_map(|depth| depth.to_le_bytes())
                .collect();
            let format = DepthFormat::parse(name).and_then(DepthFormat::depth_texels);
            encode_depths(&format.unwrap(), &bytes)
        };
        assert_eq!(texels("D16_UNORM", &[0.0, 1.0]), [0, 0, 0xff, 0xff]);
        assert_eq!(
            texels("D24_UNORM_S8_UINT", &[1.0, 0.25]),
            [0xff, 0xff, 0xff, 0, 0, 0, 0x40, 0]
        );
        assert_eq!(texels("D32_SFLOAT", &[0.1]), 0.1f32.to_le_bytes());
    }
}
