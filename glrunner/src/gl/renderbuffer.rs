//! Renderbuffers, which textures of `GL_TEXTURE_RENDERBUFFER_NV` show to programs.
//! NV_explicit_multisample.

use super::bindings::constants::*;
use super::context::Gl;
use super::object::{Object, ObjectKind};
use super::pixels::ClientFormat;
use super::sample_writes::SampleLayer;
use super::sample_writes::write_sample;
use super::texture::{Texture, int};
use crate::error::Error;
use std::rc::Rc;

/// Renderbuffer.
pub(crate) struct Renderbuffer {
    object: Object,
}

impl Renderbuffer {
    /// Creates a renderbuffer with undefined texels.
    pub(crate) fn new(
        gl: &Rc<Gl>,
        samples: u32,
        internal: u32,
        size: [u32; 2],
    ) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Renderbuffer)?;
        gl.BindRenderbuffer(RENDERBUFFER, object.name())?;
        let (samples, [width, height]) = (int(samples), size.map(int));
        gl.RenderbufferStorageMultisample(RENDERBUFFER, samples, internal, width, height)?;
        gl.check("glRenderbufferStorageMultisample")?;
        Ok(Self { object })
    }

    /// Sets one sample of all texels, with shaders of GLSL 1.50. `internal` is its format, less the
    /// curve of sRGB.
    pub(crate) fn write_sample(
        &self,
        place: SampleLayer,
        internal: u32,
        format: ClientFormat,
        texels: &[u8],
    ) -> Result<(), Error> {
        let gl = self.object.gl();
        write_sample(gl, place, internal, format, texels, |point| {
            self.attach(DRAW_FRAMEBUFFER, point)
        })
    }

    /// Attaches it to the framebuffer that is bound to a target.
    pub(super) fn attach(&self, framebuffer: u32, point: u32) -> Result<(), Error> {
        let name = self.object.name();
        let gl = self.object.gl();
        gl.FramebufferRenderbuffer(framebuffer, point, RENDERBUFFER, name)
    }

    /// Returns its name.
    fn name(&self) -> u32 {
        self.object.name()
    }
}

impl Texture {
    /// Attaches a renderbuffer to a texture of `GL_TEXTURE_RENDERBUFFER_NV`. The texture does not
    /// keep it alive. NV_explicit_multisample.
    pub(crate) fn attach_renderbuffer(&self, renderbuffer: &Renderbuffer) -> Result<(), Error> {
        self.edit(|gl| {
            gl.TexRenderbufferNV(self.target(), renderbuffer.name())?;
            gl.check("glTexRenderbufferNV")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::open;
    use super::*;
    use crate::gl::{Image, Version};
    use glasm_tests::skip::skip;

    const RGBA_FLOATS: ClientFormat = ClientFormat::new(RGBA, FLOAT);

    /// Returns the mean of all samples of each texel.
    fn means(gl: &Rc<Gl>, renderbuffer: &Renderbuffer) -> Result<Vec<u8>, Error> {
        let copy = Texture::new(gl, TEXTURE_2D)?;
        let image = Image {
            target: TEXTURE_2D,
            level: 0,
            size: [2, 1, 1],
        };
        copy.define(image, RGBA32F, RGBA_FLOATS, None)?;
        let framebuffers = [
            Object::new(gl, ObjectKind::Framebuffer)?,
            Object::new(gl, ObjectKind::Framebuffer)?,
        ];
        gl.BindFramebuffer(READ_FRAMEBUFFER, framebuffers[0].name())?;
        renderbuffer.attach(READ_FRAMEBUFFER, COLOR_ATTACHMENT0)?;
        gl.BindFramebuffer(DRAW_FRAMEBUFFER, framebuffers[1].name())?;
        let point = COLOR_ATTACHMENT0;
        gl.FramebufferTexture2D(DRAW_FRAMEBUFFER, point, TEXTURE_2D, copy.name(), 0)?;
        gl.BlitFramebuffer(0, 0, 2, 1, 0, 0, 2, 1, COLOR_BUFFER_BIT, NEAREST)?;
        gl.check("glBlitFramebuffer")?;
        copy.read(TEXTURE_2D, 0, RGBA_FLOATS)
    }

    #[test]
    fn samples_are_written_one_by_one() -> Result<(), Error> {
        let Some(gl) = open() else { return Ok(()) };
        if gl.version() < Version(3, 2) || gl.integer(MAX_SAMPLES)? < 4 {
            skip("no renderbuffers of four samples");
            return Ok(());
        }
        let renderbuffer = Renderbuffer::new(&gl, 4, RGBA32F, [2, 1])?;
        for (sample, red) in [(0, 1.0_f32), (1, 2.0), (2, 3.0), (3, 6.0)] {
            let place = SampleLayer {
                size: [2, 1],
                layer: 0,
                sample,
            };
            let texels = [red, 0.5, 0.0, 1.0, 2.0 * red, 4.0, 0.0, 1.0];
            let texels: Vec<u8> = texels.into_iter().flat_map(f32::to_le_bytes).collect();
            renderbuffer.write_sample(place, RGBA32F, RGBA_FLOATS, &texels)?;
        }
        let found = means(&gl, &renderbuffer)?;
        let (found, _) = found.as_chunks();
        let found: Vec<f32> = found.iter().map(|it| f32::from_le_bytes(*it)).collect();
        assert_eq!(found, [3.0, 0.5, 0.0, 1.0, 6.0, 4.0, 0.0, 1.0]);
        Ok(())
    }
}
