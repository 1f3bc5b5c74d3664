//! Fills single samples of multisample textures, for which OpenGL has no command: drawing does.
//!
//! A triangle over the whole framebuffer takes its colors from a texture with one sample for each
//! texel, under a mask for one sample. State that affects drawing is saved and restored.

use super::bindings::constants::*;
use super::buffer::{Object, ObjectKind};
use super::context::Gl;
use super::texture::{Image, Texture, to_gl_int};
use super::texture_state::ClientFormat;
use crate::error::Error;
use std::ffi::CString;
use std::rc::Rc;

/// Type of texels in a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TexelType {
    Float,
    Int,
    Uint,
    Depth,
}

impl TexelType {
    /// Returns the type of values by which a fragment shader writes samples of a format.
    fn from_format(format: ClientFormat) -> Self {
        let is_signed = matches!(format.ty, BYTE | SHORT | INT);
        match format.format {
            RED_INTEGER | RG_INTEGER | RGB_INTEGER | RGBA_INTEGER | BGR_INTEGER | BGRA_INTEGER => {
                if is_signed {
                    Self::Int
                } else {
                    Self::Uint
                }
            }
            DEPTH_COMPONENT | DEPTH_STENCIL => Self::Depth,
            _ => Self::Float,
        }
    }

    /// Returns the prefix of GLSL's vector and sampler types: empty, `i` or `u`.
    fn glsl_prefix(self) -> &'static str {
        match self {
            Self::Float | Self::Depth => "",
            Self::Int => "i",
            Self::Uint => "u",
        }
    }

    /// Returns the framebuffer attachment point for texels of this type, whose client format
    /// determines whether it includes stencil values.
    fn attachment_point(self, format: ClientFormat) -> u32 {
        match self {
            Self::Depth if format.format == DEPTH_STENCIL => DEPTH_STENCIL_ATTACHMENT,
            Self::Depth => DEPTH_ATTACHMENT,
            Self::Float | Self::Int | Self::Uint => COLOR_ATTACHMENT0,
        }
    }
}

/// Layer of a multisample texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SampleLayer {
    /// Width and height.
    pub(crate) size: [u32; 2],
    /// Layer, 0 without layers.
    pub(crate) layer: u32,
    /// Sample.
    pub(crate) sample: u32,
}

const VERTEX_TEXT: &str = "#version 150
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(4.0 * corner - 1.0, 0.0, 1.0);
}
";

/// Capabilities that must be off, or at their initial value, for a simple triangle. Some drivers
/// lack some of them.
const CAPABILITIES: [u32; 21] = [
    ALPHA_TEST,
    BLEND,
    COLOR_LOGIC_OP,
    CULL_FACE,
    DEPTH_BOUNDS_TEST_EXT,
    DEPTH_CLAMP,
    FRAMEBUFFER_SRGB,
    POLYGON_OFFSET_FILL,
    POLYGON_SMOOTH,
    POLYGON_STIPPLE,
    RASTERIZER_DISCARD,
    SAMPLE_ALPHA_TO_COVERAGE,
    SAMPLE_ALPHA_TO_ONE,
    SAMPLE_COVERAGE,
    SAMPLE_SHADING,
    SCISSOR_TEST,
    STENCIL_TEST,
    STENCIL_TEST_TWO_SIDE_EXT,
    CONSERVATIVE_RASTERIZATION_NV,
    PRIMITIVE_RESTART,
    SAMPLE_MASK,
];

impl Texture {
    /// Sets one sample of all texels of a layer of a multisample texture, with shaders of GLSL
    /// 1.50, from texels of a client format. `internal` is the format of the texture, less the
    /// transfer function of sRGB. State of OpenGL is restored, except that no program object is
    /// current.
    pub(crate) fn write_sample(
        &self,
        sample_layer: SampleLayer,
        internal: u32,
        format: ClientFormat,
        texels: &[u8],
    ) -> Result<(), Error> {
        write_sample(self.gl(), sample_layer, internal, format, texels, |point| {
            self.attach_layer(point, sample_layer.layer)
        })
    }

    /// Attaches a layer of a multisample texture to a point of the bound draw framebuffer; the
    /// layer is ignored for textures without layers. Errors of OpenGL are not checked.
    fn attach_layer(&self, point: u32, layer: u32) -> Result<(), Error> {
        let (gl, name) = (self.gl(), self.name());
        if self.target() == TEXTURE_2D_MULTISAMPLE_ARRAY {
            let layer = layer.cast_signed();
            gl.FramebufferTextureLayer(DRAW_FRAMEBUFFER, point, name, 0, layer)
        } else {
            gl.FramebufferTexture2D(DRAW_FRAMEBUFFER, point, self.target(), name, 0)
        }
    }
}

/// Sets one sample of all texels of an image, which `attach` attaches to the draw framebuffer at
/// the specified attachment, from texels of a client format. `internal` is the format of the image,
/// less the transfer function of sRGB. State of OpenGL is restored, except after an error, and that
/// no program object is current.
pub(super) fn write_sample(
    gl: &Rc<Gl>,
    sample_layer: SampleLayer,
    internal: u32,
    format: ClientFormat,
    texels: &[u8],
    attach: impl FnOnce(u32) -> Result<(), Error>,
) -> Result<(), Error> {
    let kind = TexelType::from_format(format);
    let state = SavedDrawState::save(gl, sample_layer.size)?;
    let source = create_texel_texture(gl, sample_layer.size, internal, format, Some(texels))?;
    let framebuffer = Object::new(gl, ObjectKind::Framebuffer)?;
    gl.BindFramebuffer(DRAW_FRAMEBUFFER, framebuffer.name())?;
    let point = kind.attachment_point(format);
    attach(point)?;
    set_draw_buffer(gl, point)?;
    gl.Enable(MULTISAMPLE)?;
    gl.Enable(SAMPLE_MASK)?;
    for word in 0..gl.integer(MAX_SAMPLE_MASK_WORDS)?.unsigned_abs() {
        let mask = if word == sample_layer.sample / 32 {
            1 << (sample_layer.sample % 32)
        } else {
            0
        };
        gl.SampleMaski(word, mask)?;
    }
    let program = link_fill_program(gl, &fragment_shader_source(kind))?;
    source.with_bound(|gl| draw_triangle(gl, &program))?;
    for word in 0..gl.integer(MAX_SAMPLE_MASK_WORDS)?.unsigned_abs() {
        gl.SampleMaski(word, u32::MAX)?;
    }
    state.restore()
}

/// Creates a single-sample 2D texture with these texels, or undefined ones for `None`, from which a
/// shader reads the values to write.
fn create_texel_texture(
    gl: &Rc<Gl>,
    [width, height]: [u32; 2],
    internal: u32,
    format: ClientFormat,
    texels: Option<&[u8]>,
) -> Result<Texture, Error> {
    let texture = Texture::new(gl, TEXTURE_2D)?;
    let image = Image {
        target: TEXTURE_2D,
        level: 0,
        size: [width, height, 1],
    };
    texture.define_image(image, internal, format, texels)?;
    texture.set_parameter(TEXTURE_MAX_LEVEL, 0)?;
    texture.set_parameter(TEXTURE_MIN_FILTER, NEAREST)?;
    texture.set_parameter(TEXTURE_MAG_FILTER, NEAREST)?;
    Ok(texture)
}

/// Directs draws to the attachment at a point of the bound draw framebuffer, only to depth and
/// stencil if it is not a color. [`Error::Incomplete`] if the driver cannot draw to it.
fn set_draw_buffer(gl: &Gl, point: u32) -> Result<(), Error> {
    gl.DrawBuffer(match point {
        COLOR_ATTACHMENT0 => point,
        _ => NONE,
    })?;
    match gl.CheckFramebufferStatus(DRAW_FRAMEBUFFER)? {
        FRAMEBUFFER_COMPLETE => gl.check_errors("glCheckFramebufferStatus"),
        _ => Err(Error::Incomplete(
            "texels of its format cannot be drawn".to_owned(),
        )),
    }
}

/// Returns a fragment shader of GLSL 1.50 that writes the texel of the sampler `source` at the
/// position of the fragment, as a color or a depth.
fn fragment_shader_source(kind: TexelType) -> String {
    let prefix = kind.glsl_prefix();
    let fetch = "texelFetch(source, ivec2(gl_FragCoord.xy), 0)";
    let (declaration, assignment) = match kind {
        TexelType::Depth => (String::new(), format!("gl_FragDepth = {fetch}.x;")),
        TexelType::Float | TexelType::Int | TexelType::Uint => (
            format!("out {prefix}vec4 color;\n"),
            format!("color = {fetch};"),
        ),
    };
    format!(
        "#version 150\nuniform {prefix}sampler2D source;\n{declaration}void main() {{ {assignment} }}\n"
    )
}

/// Saved state, which is changed until it is restored. If it is not restored, after an error, the
/// script ends anyway.
struct SavedDrawState {
    gl: Rc<Gl>,
    framebuffers: [u32; 2],
    vertex_array: u32,
    temporary_vertex_array: u32,
}

impl SavedDrawState {
    /// Saves the state that affects drawing, and sets it for a triangle over a viewport of this
    /// size, without attributes: all fragments pass and are written unchanged, also their depth.
    /// Clears the errors and messages of the driver.
    fn save(gl: &Rc<Gl>, size: [u32; 2]) -> Result<Self, Error> {
        let bound = |name| gl.integer(name).map(i32::cast_unsigned);
        let framebuffers = [
            bound(DRAW_FRAMEBUFFER_BINDING)?,
            bound(READ_FRAMEBUFFER_BINDING)?,
        ];
        let vertices = bound(VERTEX_ARRAY_BINDING)?;
        gl.PushAttrib(ALL_ATTRIB_BITS)?;
        for capability in CAPABILITIES {
            gl.Disable(capability)?;
        }
        // Capabilities that the driver lacks are off.
        gl.take_errors()?;
        gl.take_messages();
        for plane in 0..gl.integer(MAX_CLIP_DISTANCES)?.unsigned_abs() {
            gl.Disable(CLIP_DISTANCE0 + plane)?;
        }
        gl.ColorMask(TRUE, TRUE, TRUE, TRUE)?;
        gl.Enable(DEPTH_TEST)?;
        gl.DepthFunc(ALWAYS)?;
        gl.DepthMask(TRUE)?;
        gl.DepthRange(0.0, 1.0)?;
        gl.PolygonMode(FRONT_AND_BACK, FILL)?;
        gl.ClampColor(CLAMP_FRAGMENT_COLOR, FALSE.into())?;
        let [width, height] = size.map(to_gl_int);
        gl.Viewport(0, 0, width, height)?;
        let mut own_vertices = 0;
        // SAFETY: OpenGL writes one name.
        unsafe { gl.GenVertexArrays(1, &raw mut own_vertices) }?;
        gl.BindVertexArray(own_vertices)?;
        gl.check_errors("setting state aside")?;
        Ok(Self {
            gl: Rc::clone(gl),
            framebuffers,
            vertex_array: vertices,
            temporary_vertex_array: own_vertices,
        })
    }

    /// Restores the saved state and bindings, and deletes the temporary vertex array object. No
    /// program is current afterwards.
    fn restore(self) -> Result<(), Error> {
        let [draw, read] = self.framebuffers;
        self.gl.UseProgram(0)?;
        self.gl.BindFramebuffer(DRAW_FRAMEBUFFER, draw)?;
        self.gl.BindFramebuffer(READ_FRAMEBUFFER, read)?;
        self.gl.BindVertexArray(self.vertex_array)?;
        // SAFETY: OpenGL reads one name.
        unsafe {
            self.gl
                .DeleteVertexArrays(1, &raw const self.temporary_vertex_array)
        }?;
        self.gl.PopAttrib()?;
        self.gl.check_errors("restoring state")
    }
}

/// Compiles and links a fragment shader with a vertex shader that covers the framebuffer.
/// [`Error::NoShader`] if they do not link.
fn link_fill_program(gl: &Rc<Gl>, fragment: &str) -> Result<Object, Error> {
    let program = Object::new(gl, ObjectKind::GlslProgram)?;
    for (stage, text) in [(VERTEX_SHADER, VERTEX_TEXT), (FRAGMENT_SHADER, fragment)] {
        let shader = gl.CreateShader(stage)?;
        let text = CString::new(text).map_err(|_| Error::NoShader("it has a zero".to_owned()))?;
        let line = text.as_ptr();
        // SAFETY: there is one text, which ends with a zero.
        unsafe { gl.ShaderSource(shader, 1, &raw const line, std::ptr::null()) }?;
        gl.CompileShader(shader)?;
        gl.AttachShader(program.name(), shader)?;
        // The shader is deleted together with the program.
        gl.DeleteShader(shader)?;
    }
    gl.LinkProgram(program.name())?;
    gl.check_errors("glLinkProgram")?;
    let mut linked = 0;
    // SAFETY: this state has one value.
    unsafe { gl.GetProgramiv(program.name(), LINK_STATUS, &raw mut linked) }?;
    if linked == i32::from(TRUE) {
        Ok(program)
    } else {
        Err(Error::NoShader("it fills single samples".to_owned()))
    }
}

/// Draws a triangle over the framebuffer with a program whose sampler `source` is the texture that
/// is bound to the active unit. The program remains current.
fn draw_triangle(gl: &Gl, program: &Object) -> Result<(), Error> {
    gl.UseProgram(program.name())?;
    let unit = gl.integer(ACTIVE_TEXTURE)? - TEXTURE0.cast_signed();
    // SAFETY: the name ends with a zero.
    let location = unsafe { gl.GetUniformLocation(program.name(), c"source".as_ptr()) }?;
    gl.Uniform1i(location, unit)?;
    // SAFETY: no arrays are enabled in the vertex array object.
    unsafe { gl.DrawArrays(TRIANGLES, 0, 3) }?;
    gl.check_errors("glDrawArrays")
}
