//! Framebuffer objects: rendering of programs, and reading it back.

use super::bindings::constants::*;
use super::context::Gl;
use super::object::{Object, ObjectKind};
use super::pixels::ClientFormat;
use super::samples;
use super::texture::{Image, Texture};
use crate::error::Error;
use std::rc::Rc;

/// More attachments than any driver has.
const MAX_COLORS: usize = 8;

/// Part of a texture that is rendered to.
#[derive(Clone)]
pub(crate) struct TexturePart {
    /// Texture.
    pub(crate) texture: Rc<Texture>,
    /// Image of the attachment.
    pub(crate) image: Image,
    /// Layer; `None` for all.
    pub(crate) layer: Option<u32>,
}

/// Image that is rendered to.
#[derive(Clone)]
pub(crate) struct ColorTarget {
    /// Format of OpenGL.
    pub(crate) internal: u32,
    /// Client format that fits it.
    pub(crate) client: ClientFormat,
    /// Texture; `None` creates an image.
    pub(crate) part: Option<TexturePart>,
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
    pub(crate) colors: Vec<Option<ColorTarget>>,
    /// Depth, stencil or both: format of OpenGL and a client format that fits it.
    pub(crate) depth_stencil: Option<(u32, ClientFormat)>,
}

/// Sample of each pixel that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sample {
    /// Only sample, or the resolved value of several.
    Resolved,
    /// This one. Depth is read as `GL_FLOAT`, stencil values as `GL_UNSIGNED_BYTE`.
    At(u32),
}

/// Image of an attachment.
#[derive(Clone)]
struct Attachment {
    part: TexturePart,
    internal: u32,
    client: ClientFormat,
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
    /// written to color attachment `n`.
    pub(crate) fn new(gl: &Rc<Gl>, desc: &FramebufferDesc) -> Result<Self, Error> {
        let object = Object::new(gl, ObjectKind::Framebuffer)?;
        gl.BindFramebuffer(FRAMEBUFFER, object.name())?;
        let mut colors = Vec::new();
        let mut draw_buffers = [NONE; MAX_COLORS];
        for (point, (target, draw_buffer)) in
            (COLOR_ATTACHMENT0..).zip(desc.colors.iter().zip(&mut draw_buffers))
        {
            let attachment = match target {
                Some(target) => Some(color(gl, desc, target)?),
                None => None,
            };
            if let Some(attachment) = &attachment {
                attach(gl, FRAMEBUFFER, point, &attachment.part)?;
                *draw_buffer = point;
            }
            colors.push(attachment);
        }
        let depth_stencil = match desc.depth_stencil {
            Some((internal, client)) => {
                let point = depth_stencil_point(client);
                let attachment = new_image(gl, desc, internal, client)?;
                attach(gl, FRAMEBUFFER, point, &attachment.part)?;
                Some((point, attachment))
            }
            None => None,
        };
        if depth_stencil.is_none() && colors.iter().all(Option::is_none) {
            set_empty(gl, desc)?;
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

    /// Binds it for drawing and reading.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        let gl = self.object.gl();
        gl.BindFramebuffer(FRAMEBUFFER, self.object.name())
    }

    /// Sets all layers of a color attachment with floats or normalized numbers, within scissor box
    /// and color mask.
    pub(crate) fn clear_color(&self, index: u32, color: [f32; 4]) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads four values of a color.
        unsafe { gl.ClearBufferfv(COLOR, index.cast_signed(), color.as_ptr()) }?;
        gl.check("glClearBufferfv")
    }

    /// Clears a color attachment of signed integers.
    pub(crate) fn clear_color_int(&self, index: u32, color: [i32; 4]) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads four values of a color.
        unsafe { gl.ClearBufferiv(COLOR, index.cast_signed(), color.as_ptr()) }?;
        gl.check("glClearBufferiv")
    }

    /// Clears a color attachment of unsigned integers.
    pub(crate) fn clear_color_uint(&self, index: u32, color: [u32; 4]) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads four values of a color.
        unsafe { gl.ClearBufferuiv(COLOR, index.cast_signed(), color.as_ptr()) }?;
        gl.check("glClearBufferuiv")
    }

    /// Sets the depth of all layers, within scissor box and depth mask.
    pub(crate) fn clear_depth(&self, depth: f32) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads one depth.
        unsafe { gl.ClearBufferfv(DEPTH, 0, &raw const depth) }?;
        gl.check("glClearBufferfv")
    }

    /// Sets the stencil value of all layers, within scissor box and stencil mask.
    pub(crate) fn clear_stencil(&self, stencil: i32) -> Result<(), Error> {
        self.bind()?;
        let gl = self.object.gl();
        // SAFETY: OpenGL reads one stencil value.
        unsafe { gl.ClearBufferiv(STENCIL, 0, &raw const stencil) }?;
        gl.check("glClearBufferiv")
    }

    /// Reads all texels of a color attachment, layer after layer, packed without gaps.
    pub(crate) fn read_color(
        &self,
        index: usize,
        sample: Sample,
        client: ClientFormat,
    ) -> Result<Vec<u8>, Error> {
        let attachment = self.colors.get(index).and_then(Option::as_ref);
        let attachment = attachment.ok_or(Error::NoAttachment("color"))?;
        self.read(COLOR_ATTACHMENT0, attachment, sample, client)
    }

    /// Reads all texels of the depth and stencil attachment; the client's format selects the
    /// aspect.
    pub(crate) fn read_depth_stencil(
        &self,
        sample: Sample,
        client: ClientFormat,
    ) -> Result<Vec<u8>, Error> {
        let attachment = self.depth_stencil.as_ref();
        let (point, attachment) = attachment.ok_or(Error::NoAttachment("depth or stencil"))?;
        self.read(*point, attachment, sample, client)
    }

    fn read(
        &self,
        point: u32,
        attachment: &Attachment,
        sample: Sample,
        client: ClientFormat,
    ) -> Result<Vec<u8>, Error> {
        let gl = self.object.gl();
        let texels = if self.samples <= 1 {
            read_attachment(attachment, client)
        } else {
            match sample {
                Sample::Resolved => read_attachment(&resolve(gl, point, attachment)?, client),
                Sample::At(index) => samples::read(
                    gl,
                    &attachment.part.texture,
                    attachment.internal,
                    index,
                    client,
                ),
            }
        };
        self.bind()?;
        texels
    }
}

/// Sets the default properties of a framebuffer without attachments.
fn set_empty(gl: &Gl, desc: &FramebufferDesc) -> Result<(), Error> {
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

fn depth_stencil_point(client: ClientFormat) -> u32 {
    match client.format {
        DEPTH_STENCIL => DEPTH_STENCIL_ATTACHMENT,
        STENCIL_INDEX => STENCIL_ATTACHMENT,
        _ => DEPTH_ATTACHMENT,
    }
}

fn color(gl: &Rc<Gl>, desc: &FramebufferDesc, target: &ColorTarget) -> Result<Attachment, Error> {
    let (internal, client) = (target.internal, target.client);
    match &target.part {
        None => new_image(gl, desc, internal, client),
        Some(part) => Ok(Attachment {
            part: part.clone(),
            internal,
            client,
        }),
    }
}

fn new_image(
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
        texture.define_samples(desc.samples, internal, image.size)?;
    } else {
        texture.define(image, internal, client, None)?;
        texture.set(TEXTURE_MAX_LEVEL, 0)?;
        texture.set(TEXTURE_MIN_FILTER, NEAREST)?;
        texture.set(TEXTURE_MAG_FILTER, NEAREST)?;
    }
    Ok(Attachment {
        part: TexturePart {
            texture: Rc::new(texture),
            image,
            layer: None,
        },
        internal,
        client,
    })
}

/// Attaches all layers of an image, or one.
fn attach(gl: &Gl, framebuffer: u32, point: u32, part: &TexturePart) -> Result<(), Error> {
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
    gl.check("glFramebufferTexture")
}

fn check_complete(gl: &Gl, framebuffer: u32) -> Result<(), Error> {
    let status = gl.CheckFramebufferStatus(framebuffer)?;
    gl.check("glCheckFramebufferStatus")?;
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

fn read_attachment(attachment: &Attachment, client: ClientFormat) -> Result<Vec<u8>, Error> {
    let Image { target, level, .. } = attachment.part.image;
    attachment.part.texture.read(target, level, client)
}

/// Returns a copy with one sample per pixel.
fn resolve(gl: &Rc<Gl>, point: u32, attachment: &Attachment) -> Result<Attachment, Error> {
    let [width, height, layers] = attachment.part.image.size;
    let desc = FramebufferDesc {
        size: [width, height],
        layers: (attachment.part.image.target == TEXTURE_2D_MULTISAMPLE_ARRAY).then_some(layers),
        samples: 1,
        colors: Vec::new(),
        depth_stencil: None,
    };
    let copy = new_image(gl, &desc, attachment.internal, attachment.client)?;
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
            let one = TexturePart {
                layer,
                ..image.part.clone()
            };
            attach(gl, framebuffer, point, &one)?;
        }
        blit(gl, point, [width as i32, height as i32])
    });
    gl.PopAttrib()?;
    blitted.map(|()| copy)
}

fn blit(gl: &Gl, point: u32, [width, height]: [i32; 2]) -> Result<(), Error> {
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
    gl.check("glBlitFramebuffer")
}
