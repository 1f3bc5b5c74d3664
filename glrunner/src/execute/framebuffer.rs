//! The framebuffer of a script: clearing, probing, writing image files.

use super::support::Feature;
use crate::error::{Error, Problem};
use crate::formats::TexelFormat;
use crate::gl::{
    self, ClientFormat, ColorTarget, Framebuffer, FramebufferDesc, Gl, Sample, Version,
};
use ash::vk;
use glasm::ir::TypeBase;
use glasm_scripts::format::{DepthFormat, Encoding, Format};
use glasm_scripts::image::Image;
use glasm_scripts::probe::pixels::{Plane, Surface};
use glasm_scripts::script::{Attachments, Clear};
use std::rc::Rc;

/// Framebuffers with several formats, clearing of single buffers.
const FRAMEBUFFERS: Feature = feature(Version(3, 0), &[]);
const LAYERS: Feature = feature(Version(3, 2), &[]);
const NO_ATTACHMENTS: Feature = feature(Version(4, 3), &["GL_ARB_framebuffer_no_attachments"]);
const SAMPLES: Feature = feature(Version(3, 2), &["GL_ARB_texture_multisample"]);

const fn feature(core: Version, extensions: &'static [&'static str]) -> Feature {
    Feature { core, extensions }
}

/// Color attachment with its format in scripts and in OpenGL.
struct ColorAttachment {
    format: Format,
    texels: TexelFormat,
}

/// Depth or stencil attachment, or both in one.
struct DepthStencil {
    format: DepthFormat,
    texels: TexelFormat,
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

/// Returns the format of OpenGL for a format.
fn texel_format(format: vk::Format) -> Result<TexelFormat, Problem> {
    TexelFormat::of(format)
        .ok_or_else(|| Problem::Lacking(format!("OpenGL has no format {format:?}")))
}

/// Checks that pixels of the bound framebuffer have the requested number of samples.
fn check_samples(gl: &Gl, wanted: u32) -> Result<(), Problem> {
    if wanted == 1 {
        return Ok(());
    }
    let found = gl.integer(gl::SAMPLES)?.unsigned_abs();
    if found == wanted {
        Ok(())
    } else {
        let reason = format!("pixels have {found} samples instead of {wanted}");
        Err(Problem::Lacking(reason))
    }
}

impl ScriptFramebuffer {
    /// Creates attachments of undefined content; the framebuffer is bound.
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
                    texels: texel_format(format.vk)?,
                }),
                None => None,
            });
        }
        let depth = match attachments.depth {
            Some(format) => Some(DepthStencil {
                format,
                texels: texel_format(format.vk)?,
            }),
            None => None,
        };
        let target = |color: &ColorAttachment| ColorTarget {
            internal: color.texels.internal,
            client: color.texels.client,
            part: None,
        };
        let desc = FramebufferDesc {
            size,
            layers: (attachments.layers > 1).then_some(attachments.layers),
            samples: attachments.samples,
            colors: colors
                .iter()
                .map(|color| color.as_ref().map(target))
                .collect(),
            depth_stencil: depth
                .as_ref()
                .map(|depth| (depth.texels.internal, depth.texels.client)),
        };
        let framebuffer = match Framebuffer::new(gl, &desc) {
            Err(error @ Error::Incomplete(_)) => return Err(Problem::Lacking(error.to_string())),
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

    /// Binds the framebuffer for drawing.
    pub(super) fn bind(&self) -> Result<(), Problem> {
        Ok(self.framebuffer.bind()?)
    }

    /// Clears all attachments or one, in all layers and samples.
    pub(super) fn clear(&self, gl: &Gl, clear: &Clear) -> Result<(), Problem> {
        self.framebuffer.bind()?;
        // Every draw sets these again.
        gl.Disable(gl::SCISSOR_TEST)?;
        gl.Disable(gl::RASTERIZER_DISCARD)?;
        gl.ColorMask(gl::TRUE, gl::TRUE, gl::TRUE, gl::TRUE)?;
        gl.DepthMask(gl::TRUE)?;
        gl.StencilMask(u32::MAX)?;
        let wanted = |number: u32| clear.only.is_none_or(|only| only == number);
        for ((color, value), number) in self.colors.iter().zip(clear.colors).zip(0..) {
            if let Some(color) = color
                && wanted(number)
            {
                self.clear_color(number, color.format.encoding, value)?;
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

    /// Clears a color attachment in the type of its format.
    fn clear_color(&self, number: u32, encoding: Encoding, value: [f64; 4]) -> Result<(), Error> {
        match encoding.base() {
            TypeBase::Unsigned => {
                let value = value.map(|component| component as u32);
                self.framebuffer.clear_color_uint(number, value)
            }
            TypeBase::Signed => {
                let value = value.map(|component| component as i32);
                self.framebuffer.clear_color_int(number, value)
            }
            TypeBase::Float => {
                let value = value.map(|component| component as f32);
                self.framebuffer.clear_color(number, value)
            }
        }
    }

    /// Reads the contents of a surface; `None` if the framebuffer does not have it.
    pub(super) fn read(&self, surface: Surface) -> Result<Option<Image>, Problem> {
        let has_sample = surface.sample.is_none_or(|sample| sample < self.samples);
        if surface.layer >= self.layers || !has_sample {
            return Ok(None);
        }
        let Some((format, texels)) = self.read_layers(surface)? else {
            return Ok(None);
        };
        let [width, height] = self.size;
        let layer = width as usize * height as usize * format.size();
        Ok(Some(Image {
            width,
            height,
            format,
            is_color: surface.is_color(),
            data: texels[layer * surface.layer as usize..][..layer].to_vec(),
        }))
    }

    /// Reads all layers of a plane, as scripts have them.
    fn read_layers(&self, surface: Surface) -> Result<Option<(Format, Vec<u8>)>, Problem> {
        // Integers, depths and stencil values have no mean.
        let first = match self.samples {
            1 => Sample::Resolved,
            _ => Sample::At(surface.sample.unwrap_or(0)),
        };
        let number = match surface.plane {
            Plane::Color(number) => number as usize,
            Plane::Depth | Plane::Stencil => return self.read_depth_stencil(surface.plane, first),
        };
        let Some(Some(ColorAttachment { format, texels })) = self.colors.get(number) else {
            return Ok(None);
        };
        let sample = match surface.sample {
            None if !format.encoding.is_integer() => Sample::Resolved,
            _ => first,
        };
        let read = self.framebuffer.read_color(number, sample, texels.client)?;
        Ok(Some((format.clone(), texels.to_script(read))))
    }

    fn read_depth_stencil(
        &self,
        plane: Plane,
        sample: Sample,
    ) -> Result<Option<(Format, Vec<u8>)>, Problem> {
        let Some(DepthStencil { format, texels }) = &self.depth else {
            return Ok(None);
        };
        let own = match plane {
            Plane::Stencil => format.stencil_texels(),
            Plane::Color(_) | Plane::Depth => format.depth_texels(),
        };
        let Some(own) = own else { return Ok(None) };
        let read = |client| self.framebuffer.read_depth_stencil(sample, client);
        let bytes = match (sample, plane) {
            (Sample::Resolved, Plane::Stencil) => texels.stencil_values(&read(texels.client)?),
            (Sample::Resolved, Plane::Color(_) | Plane::Depth) => {
                texels.to_script(read(texels.client)?)
            }
            (Sample::At(_), Plane::Stencil) => read(STENCILS)?,
            (Sample::At(_), Plane::Color(_) | Plane::Depth) => encode(&own, &read(DEPTHS)?),
        };
        Ok(Some((own, bytes)))
    }
}

/// Format in which depths of single samples are read, regardless of their storage format.
const DEPTHS: ClientFormat = ClientFormat::new(gl::DEPTH_COMPONENT, gl::FLOAT);

/// Stencil values of single samples similarly.
const STENCILS: ClientFormat = ClientFormat::new(gl::STENCIL_INDEX, gl::UNSIGNED_BYTE);

/// Encodes depths in a format.
fn encode(format: &Format, depths: &[u8]) -> Vec<u8> {
    let depths = depths.chunks_exact(4);
    let depths = depths.map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    depths
        .flat_map(|depth| format.encode([f64::from(depth), 0.0, 0.0, 0.0]))
        .collect()
}

/// Checks that the driver supports a framebuffer, except for its formats.
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
            return Err(Problem::Lacking(reason));
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
            encode(&format.unwrap(), &bytes)
        };
        assert_eq!(texels("D16_UNORM", &[0.0, 1.0]), [0, 0, 0xff, 0xff]);
        assert_eq!(
            texels("D24_UNORM_S8_UINT", &[1.0, 0.25]),
            [0xff, 0xff, 0xff, 0, 0, 0, 0x40, 0]
        );
        assert_eq!(texels("D32_SFLOAT", &[0.1]), 0.1f32.to_le_bytes());
    }
}
