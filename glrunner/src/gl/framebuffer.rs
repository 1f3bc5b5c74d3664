//! Framebuffer objects: rendering of programs, and reading it back; renderbuffers, which textures
//! of `GL_TEXTURE_RENDERBUFFER_NV` show to programs (NV_explicit_multisample).

use super::bindings::constants::*;
use super::buffer::{Object, ObjectKind};
use super::context::Gl;
use super::sample_reads;
use super::sample_writes::{SampleLayer, write_sample};
use super::texture::{Image, Texture, to_gl_int};
use super::texture_state::ClientFormat;
use crate::error::Error;
use std::rc::Rc;

/// More attachments than any driver has.
const MAX_COLORS: usize = 8;

/// Part of a texture that is rendered to.
#[derive(Clone)]
pub(crate) struct AttachedImage {
    /// Texture.
    pub(crate) texture: Rc<Texture>,
    /// Image of the attachment.
    pub(crate) image: Image,
    /// Layer; `None` for all.
    pub(crate) layer: Option<u32>,
}

/// Image that is rendered to.
#[derive(Clone)]
pub(crate) struct ColorAttachmentDesc {
    /// Format of OpenGL.
    pub(crate) internal_format: u32,
    /// Client format that fits it.
    pub(crate) client_format: ClientFormat,
    /// Texture; `None` creates an image.
    pub(crate) attached_image: Option<AttachedImage>,
}

/// Properties of a framebuffer.
#[derive(Clone)]
pub(crate) struct FramebufferDesc {
    /// Width and height in pixels of created images.
    pub(crate) size: [u32; 2],
    /// Number of layers of the images; `None` if they are not arrays.
    pub(crate) layers: Option<u32>,
    /// Samples per pixel; 1 disables multisampling.
    pub(crate) samples: u32,
    /// Color attachments by number.
    pub(crate) colors: Vec<Option<ColorAttachmentDesc>>,
    /// Depth, stencil or both: format of OpenGL and a client format that fits it.
    pub(crate) depth_stencil: Option<(u32, ClientFormat)>,
}

/// Sample of each pixel that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SampleSelection {
    /// Only sample, or the resolved value of several.
    Resolved,
    /// This one. Depth is read as `GL_FLOAT`, stencil values as `GL_UNSIGNED_BYTE`.
    Index(u32),
}

/// Image of an attachment.
#[derive(Clone)]
struct Attachment {
    attached_image: AttachedImage,
    internal_format: u32,
    client_format: ClientFormat,
}

/// Complete framebuffer.
pub(crate) struct Framebuffer {
    object: Object,
    samples: u32,
    colors: Vec<Option<Attachment>>,
    depth_stencil: Option<(u32, Attachment)>,
}

impl Framebuffer {
    /// Creates images and framebuffer, and binds it for drawing and reading. Fragment output `n` is
    /// written to color attachment `n`. The contents are undefined. Fails with
    /// [`Error::Incomplete`] if the driver cannot render to the attachments.
    pub(crate) fn new(gl: &Rc<Gl>, desc: &FramebufferDesc) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Framebuffer)?;
        gl.BindFramebuffer(FRAMEBUFFER, object.name())?;
        let mut colors = Vec::new();
        let mut draw_buffers = [NONE; MAX_COLORS];
        for (point, (target, draw_buffer)) in
            (COLOR_ATTACHMENT0..).zip(desc.colors.iter().zip(&mut draw_buffers))
        {
            let attachment = match target {
                Some(target) => Some(create_color_attachment(gl, desc, target)?),
                None => None,
            };
            if let Some(attachment) = &attachment {
                attach_image(gl, FRAMEBUFFER, point, &attachment.attached_image)?;
                *draw_buffer = point;
            }
            colors.push(attachment);
        }
        let depth_stencil = match desc.depth_stencil {
            Some((internal, client)) => {
                let point = depth_stencil_point(client);
                let attachment = create_attachment(gl, desc, internal, client)?;
                attach_image(gl, FRAMEBUFFER, point, &attachment.attached_image)?;
                Some((point, attachment))
            }
            None => None,
        };
        if depth_stencil.is_none() && colors.iter().all(Option::is_none) {
            set_default_parameters(gl, desc)?;
        }
        // SAFETY: OpenGL reads as many values as specified.
        unsafe { gl.DrawBuffers(colors.len() as i32, draw_buffers.as_ptr()) }?;
        check_complete(gl, FRAMEBUFFER)?;
        Ok(Self {
            object,
            samples: desc.samples,
            colors,
            depth_stencil,
        })
    }

    /// Binds the framebuffer as the draw and read framebuffer.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        let gl = self.object.gl();
        gl.BindFramebuffer(FRAMEBUFFER, self.object.name())
    }

    /// Clears all layers of color attachment `index`, which has floats or normalized numbers,
    /// within scissor box and color mask. The framebuffer remains bound.
    pub(crate) fn clear_color(&self, index: u32, color: [f32; 4]) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads four values of a color.
        unsafe { gl.ClearBufferfv(COLOR, index.cast_signed(), color.as_ptr()) }?;
        gl.check_errors("glClearBufferfv")
    }

    /// Clears all layers of color attachment `index`, which has signed integers, within scissor box
    /// and color mask. The framebuffer remains bound.
    pub(crate) fn clear_color_int(&self, index: u32, color: [i32; 4]) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads four values of a color.
        unsafe { gl.ClearBufferiv(COLOR, index.cast_signed(), color.as_ptr()) }?;
        gl.check_errors("glClearBufferiv")
    }

    /// Clears all layers of color attachment `index`, which has unsigned integers, within scissor
    /// box and color mask. The framebuffer remains bound.
    pub(crate) fn clear_color_uint(&self, index: u32, color: [u32; 4]) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads four values of a color.
        unsafe { gl.ClearBufferuiv(COLOR, index.cast_signed(), color.as_ptr()) }?;
        gl.check_errors("glClearBufferuiv")
    }

    /// Sets the depth of all layers, within scissor box and depth mask. The framebuffer remains
    /// bound.
    pub(crate) fn clear_depth(&self, depth: f32) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads one depth.
        unsafe { gl.ClearBufferfv(DEPTH, 0, &raw const depth) }?;
        gl.check_errors("glClearBufferfv")
    }

    /// Sets the stencil value of all layers, within scissor box and stencil mask. The framebuffer
    /// remains bound.
    pub(crate) fn clear_stencil(&self, stencil: i32) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads one stencil value.
        unsafe { gl.ClearBufferiv(STENCIL, 0, &raw const stencil) }?;
        gl.check_errors("glClearBufferiv")
    }

    /// Reads all texels of a color attachment, layer after layer, packed without gaps.
    /// [`Error::NoAttachment`] if it does not exist. The framebuffer remains bound.
    pub(crate) fn read_color(
        &self,
        index: usize,
        sample: SampleSelection,
        client: ClientFormat,
    ) -> Result<Vec<u8>, Error> {
        let attachment = self.colors.get(index).and_then(Option::as_ref);
        let attachment = attachment.ok_or(Error::NoAttachment("color"))?;
        self.read_attachment_point(COLOR_ATTACHMENT0, attachment, sample, client)
    }

    /// Reads all texels of the depth and stencil attachment, layer after layer, packed without
    /// gaps; the client's format selects the aspect. [`Error::NoAttachment`] if it does not exist.
    /// The framebuffer remains bound.
    pub(crate) fn read_depth_stencil(
        &self,
        sample: SampleSelection,
        client: ClientFormat,
    ) -> Result<Vec<u8>, Error> {
        let attachment = self.depth_stencil.as_ref();
        let (point, attachment) = attachment.ok_or(Error::NoAttachment("depth or stencil"))?;
        self.read_attachment_point(*point, attachment, sample, client)
    }

    /// Reads the texels of an attachment in the client's format: directly if it has one sample per
    /// pixel, otherwise the selected sample, or all resolved. `point` is the attachment point of
    /// the resolved copy. The framebuffer is bound afterwards.
    fn read_attachment_point(
        &self,
        point: u32,
        attachment: &Attachment,
        sample: SampleSelection,
        client: ClientFormat,
    ) -> Result<Vec<u8>, Error> {
        let gl = self.object.gl();
        let texels = if self.samples <= 1 {
            read_attachment(attachment, client)
        } else {
            match sample {
                SampleSelection::Resolved => {
                    read_attachment(&copy_resolved(gl, point, attachment)?, client)
                }
                SampleSelection::Index(index) => sample_reads::read_sample_texels(
                    gl,
                    &attachment.attached_image.texture,
                    attachment.internal_format,
                    index,
                    client,
                ),
            }
        };
        self.bind()?;
        texels
    }
}

/// Sets size, layers and samples of the bound framebuffer, which has no attachments.
fn set_default_parameters(gl: &Gl, desc: &FramebufferDesc) -> Result<(), Error> {
    let [width, height] = desc.size;
    let samples = if desc.samples > 1 { desc.samples } else { 0 };
    for (name, value) in [
        (FRAMEBUFFER_DEFAULT_WIDTH, width),
        (FRAMEBUFFER_DEFAULT_HEIGHT, height),
        (FRAMEBUFFER_DEFAULT_LAYERS, desc.layers.unwrap_or(0)),
        (FRAMEBUFFER_DEFAULT_SAMPLES, samples),
    ] {
        gl.FramebufferParameteri(FRAMEBUFFER, name, value.cast_signed())?;
    }
    Ok(())
}

/// Returns the attachment point of images whose texels have a depth, a stencil value, or both, by
/// the client format.
fn depth_stencil_point(client: ClientFormat) -> u32 {
    match client.format {
        DEPTH_STENCIL => DEPTH_STENCIL_ATTACHMENT,
        STENCIL_INDEX => STENCIL_ATTACHMENT,
        _ => DEPTH_ATTACHMENT,
    }
}

/// Returns a color attachment: the image of a texture that the description names, or else a new
/// texture.
fn create_color_attachment(
    gl: &Rc<Gl>,
    desc: &FramebufferDesc,
    target: &ColorAttachmentDesc,
) -> Result<Attachment, Error> {
    let (internal, client) = (target.internal_format, target.client_format);
    match &target.attached_image {
        None => create_attachment(gl, desc, internal, client),
        Some(part) => Ok(Attachment {
            attached_image: part.clone(),
            internal_format: internal,
            client_format: client,
        }),
    }
}

/// Creates a texture of one level with the size, samples and layers of a framebuffer, as an
/// attachment of it that includes all layers. The texels are undefined.
fn create_attachment(
    gl: &Rc<Gl>,
    desc: &FramebufferDesc,
    internal: u32,
    client: ClientFormat,
) -> Result<Attachment, Error> {
    let target = match (desc.samples > 1, desc.layers) {
        (false, None) => TEXTURE_2D,
        (false, Some(_)) => TEXTURE_2D_ARRAY,
        (true, None) => TEXTURE_2D_MULTISAMPLE,
        (true, Some(_)) => TEXTURE_2D_MULTISAMPLE_ARRAY,
    };
    let texture = Texture::new(gl, target)?;
    let image = Image {
        target,
        level: 0,
        size: [desc.size[0], desc.size[1], desc.layers.unwrap_or(1)],
    };
    if desc.samples > 1 {
        texture.define_multisample_image(desc.samples, internal, image.size)?;
    } else {
        texture.define_image(image, internal, client, None)?;
        texture.set_parameter(TEXTURE_MAX_LEVEL, 0)?;
        texture.set_parameter(TEXTURE_MIN_FILTER, NEAREST)?;
        texture.set_parameter(TEXTURE_MAG_FILTER, NEAREST)?;
    }
    Ok(Attachment {
        attached_image: AttachedImage {
            texture: Rc::new(texture),
            image,
            layer: None,
        },
        internal_format: internal,
        client_format: client,
    })
}

/// Attaches all layers of an image, or the given one, to a point of the framebuffer that is bound
/// to a target, as the texture's target requires.
fn attach_image(gl: &Gl, framebuffer: u32, point: u32, part: &AttachedImage) -> Result<(), Error> {
    let (name, level) = (part.texture.name(), part.image.level.cast_signed());
    let target = part.image.target;
    match (part.layer, part.texture.target()) {
        (Some(layer), _) => {
            gl.FramebufferTextureLayer(framebuffer, point, name, level, layer.cast_signed())?;
        }
        (None, TEXTURE_1D) => gl.FramebufferTexture1D(framebuffer, point, target, name, level)?,
        (None, TEXTURE_2D | TEXTURE_RECTANGLE | TEXTURE_2D_MULTISAMPLE) => {
            gl.FramebufferTexture2D(framebuffer, point, target, name, level)?;
        }
        (None, TEXTURE_CUBE_MAP) if target != TEXTURE_CUBE_MAP => {
            gl.FramebufferTexture2D(framebuffer, point, target, name, level)?;
        }
        (None, _) => gl.FramebufferTexture(framebuffer, point, name, level)?,
    }
    gl.check_errors("glFramebufferTexture")
}

/// Checks that the framebuffer bound to a target is complete. Otherwise returns
/// [`Error::Incomplete`] with the reason.
fn check_complete(gl: &Gl, framebuffer: u32) -> Result<(), Error> {
    let status = gl.CheckFramebufferStatus(framebuffer)?;
    gl.check_errors("glCheckFramebufferStatus")?;
    let reason = match status {
        FRAMEBUFFER_COMPLETE => return Ok(()),
        FRAMEBUFFER_UNSUPPORTED => "the driver does not support its formats together".to_owned(),
        FRAMEBUFFER_INCOMPLETE_ATTACHMENT => "a format cannot be drawn to".to_owned(),
        FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT => "it has no attachments".to_owned(),
        FRAMEBUFFER_INCOMPLETE_MULTISAMPLE => "sample counts differ".to_owned(),
        FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS => "only some attachments have layers".to_owned(),
        other => format!("status {other:#06x}"),
    };
    Err(Error::Incomplete(reason))
}

/// Reads all layers of a single-sample attachment in a transfer format.
fn read_attachment(attachment: &Attachment, client: ClientFormat) -> Result<Vec<u8>, Error> {
    let Image { target, level, .. } = attachment.attached_image.image;
    attachment
        .attached_image
        .texture
        .read_image(target, level, client)
}

/// Returns a single-sample copy of a multisample attachment, which the driver resolves by a blit of
/// each layer. Leaves temporary framebuffers bound, which the caller replaces.
fn copy_resolved(gl: &Rc<Gl>, point: u32, attachment: &Attachment) -> Result<Attachment, Error> {
    let [width, height, layers] = attachment.attached_image.image.size;
    let desc = FramebufferDesc {
        size: [width, height],
        layers: (attachment.attached_image.image.target == TEXTURE_2D_MULTISAMPLE_ARRAY)
            .then_some(layers),
        samples: 1,
        colors: Vec::new(),
        depth_stencil: None,
    };
    let copy = create_attachment(
        gl,
        &desc,
        attachment.internal_format,
        attachment.client_format,
    )?;
    let (from, to) = (
        Object::new(gl, ObjectKind::Framebuffer)?,
        Object::new(gl, ObjectKind::Framebuffer)?,
    );
    gl.BindFramebuffer(READ_FRAMEBUFFER, from.name())?;
    gl.BindFramebuffer(DRAW_FRAMEBUFFER, to.name())?;
    gl.PushAttrib(ENABLE_BIT | SCISSOR_BIT)?;
    gl.Disable(SCISSOR_TEST)?;
    gl.Disable(FRAMEBUFFER_SRGB)?;
    let blitted = (0..layers).try_for_each(|layer| {
        let layer = desc.layers.map(|_| layer);
        for (framebuffer, image) in [(READ_FRAMEBUFFER, attachment), (DRAW_FRAMEBUFFER, &copy)] {
            let one = AttachedImage {
                layer,
                ..image.attached_image.clone()
            };
            attach_image(gl, framebuffer, point, &one)?;
        }
        blit_image(gl, point, [width as i32, height as i32])
    });
    gl.PopAttrib()?;
    blitted.map(|()| copy)
}

/// Copies the image at an attachment point from the bound read framebuffer to the draw framebuffer,
/// which resolves samples. Sets the read buffer of the one and the draw buffer of the other.
fn blit_image(gl: &Gl, point: u32, [width, height]: [i32; 2]) -> Result<(), Error> {
    let mask = match point {
        DEPTH_ATTACHMENT => DEPTH_BUFFER_BIT,
        STENCIL_ATTACHMENT => STENCIL_BUFFER_BIT,
        DEPTH_STENCIL_ATTACHMENT => DEPTH_BUFFER_BIT | STENCIL_BUFFER_BIT,
        _ => COLOR_BUFFER_BIT,
    };
    let buffer = if mask == COLOR_BUFFER_BIT {
        point
    } else {
        NONE
    };
    gl.ReadBuffer(buffer)?;
    gl.DrawBuffer(buffer)?;
    check_complete(gl, READ_FRAMEBUFFER)?;
    check_complete(gl, DRAW_FRAMEBUFFER)?;
    gl.BlitFramebuffer(0, 0, width, height, 0, 0, width, height, mask, NEAREST)?;
    gl.check_errors("glBlitFramebuffer")
}

/// Renderbuffer.
pub(crate) struct Renderbuffer {
    object: Object,
}

impl Renderbuffer {
    /// Creates a renderbuffer of a size with undefined texels, which remains bound. Fails with the
    /// driver's error if it lacks the format or the number of samples.
    pub(crate) fn new(
        gl: &Rc<Gl>,
        samples: u32,
        internal: u32,
        size: [u32; 2],
    ) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Renderbuffer)?;
        gl.BindRenderbuffer(RENDERBUFFER, object.name())?;
        let (samples, [width, height]) = (to_gl_int(samples), size.map(to_gl_int));
        gl.RenderbufferStorageMultisample(RENDERBUFFER, samples, internal, width, height)?;
        gl.check_errors("glRenderbufferStorageMultisample")?;
        Ok(Self { object })
    }

    /// Sets one sample of all texels, with shaders of GLSL 1.50, from texels of a client format.
    /// `internal` is the format of the renderbuffer, less the transfer function of sRGB. State of
    /// OpenGL is restored, except that no program object is current.
    pub(crate) fn write_sample(
        &self,
        sample_layer: SampleLayer,
        internal: u32,
        format: ClientFormat,
        texels: &[u8],
    ) -> Result<(), Error> {
        let gl = self.object.gl();
        write_sample(gl, sample_layer, internal, format, texels, |point| {
            self.attach(DRAW_FRAMEBUFFER, point)
        })
    }

    /// Attaches the renderbuffer to an attachment point of the framebuffer that is bound to a
    /// target. Errors of OpenGL are not checked.
    pub(super) fn attach(&self, framebuffer: u32, point: u32) -> Result<(), Error> {
        let name = self.object.name();
        let gl = self.object.gl();
        gl.FramebufferRenderbuffer(framebuffer, point, RENDERBUFFER, name)
    }

    /// Returns the name of the renderbuffer.
    fn name(&self) -> u32 {
        self.object.name()
    }
}

impl Texture {
    /// Attaches a renderbuffer to a texture of `GL_TEXTURE_RENDERBUFFER_NV`. The texture does not
    /// own it: the caller retains the renderbuffer while programs read the texture.
    /// NV_explicit_multisample.
    pub(crate) fn attach_renderbuffer(&self, renderbuffer: &Renderbuffer) -> Result<(), Error> {
        self.with_bound(|gl| {
            gl.TexRenderbufferNV(self.target(), renderbuffer.name())?;
            gl.check_errors("glTexRenderbufferNV")
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
        copy.define_image(image, RGBA32F, RGBA_FLOATS, None)?;
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
        gl.check_errors("glBlitFramebuffer")?;
        copy.read_image(TEXTURE_2D, 0, RGBA_FLOATS)
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
