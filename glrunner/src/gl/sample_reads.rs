//! Reads one sample of every pixel of a multisample image, for which OpenGL has no command: a
//! compute shader fetches them, so that the result does not depend on drawing state.

use super::bindings::constants::*;
use super::buffer::Buffer;
use super::buffer::{Object, ObjectKind};
use super::context::Gl;
use super::devices::Version;
use super::texture::{Image, Texture};
use super::texture_state::ClientFormat;
use crate::error::Error;
use std::ffi::CString;
use std::rc::Rc;

/// Invocations of a group, in x and y.
const GROUP_SIZE: u32 = 8;

/// Type of the value of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SampleContent {
    Float,
    /// Floats that are stored with the transfer function of sRGB.
    Srgb,
    Int,
    Uint,
    Depth,
    Stencil,
}

impl SampleContent {
    /// Returns the type of values by which a compute shader fetches samples of a format; `client`
    /// selects depth or stencil value.
    fn from_format(internal: u32, client: ClientFormat) -> Self {
        match (client.format, client.ty) {
            (DEPTH_COMPONENT, _) => Self::Depth,
            (STENCIL_INDEX, _) => Self::Stencil,
            (RED_INTEGER | RG_INTEGER | RGB_INTEGER | RGBA_INTEGER | BGRA_INTEGER, ty) => {
                match ty {
                    BYTE | SHORT | INT => Self::Int,
                    _ => Self::Uint,
                }
            }
            _ if matches!(internal, SRGB8 | SRGB8_ALPHA8) => Self::Srgb,
            _ => Self::Float,
        }
    }

    /// Returns the prefix of the sampler type in GLSL, such as `i` in `isampler2DMS`, and an
    /// expression for the bits of a fetched value `v` as a `uvec4`.
    fn glsl_sampler_and_bits(self) -> (&'static str, &'static str) {
        match self {
            Self::Float | Self::Depth => ("", "floatBitsToUint(v)"),
            Self::Srgb => ("", "floatBitsToUint(vec4(encode(v.rgb), v.a))"),
            Self::Int => ("i", "uvec4(v)"),
            Self::Uint | Self::Stencil => ("u", "v"),
        }
    }

    /// Returns the transfer format of the values that the fetching shader writes.
    fn client_format(self) -> ClientFormat {
        match self {
            Self::Float | Self::Srgb | Self::Depth => ClientFormat::new(RGBA, FLOAT),
            Self::Int => ClientFormat::new(RGBA_INTEGER, INT),
            Self::Uint | Self::Stencil => ClientFormat::new(RGBA_INTEGER, UNSIGNED_INT),
        }
    }
}

impl Texture {
    /// Returns one sample of all texels of all layers, like [`read_sample_texels`].
    pub(crate) fn read_sample(
        &self,
        internal: u32,
        sample: u32,
        client: ClientFormat,
    ) -> Result<Vec<u8>, Error> {
        read_sample_texels(self.gl(), self, internal, sample, client)
    }
}

/// Reads the texels of one sample of every pixel, in the client's format, layer by layer.
/// `internal` is the format of the texture. The state of OpenGL is the same afterwards, except for
/// textures of the last unit. [`Error::MissingExtension`] before OpenGL 4.3.
///
/// Depth is read as `GL_FLOAT` and stencil values as `GL_UNSIGNED_BYTE`, regardless of how they are
/// stored; other types of these are [`Error::UnknownFormat`].
pub(super) fn read_sample_texels(
    gl: &Rc<Gl>,
    texture: &Texture,
    internal: u32,
    sample: u32,
    client: ClientFormat,
) -> Result<Vec<u8>, Error> {
    let content = SampleContent::from_format(internal, client);
    let size = texture.image_size(texture.target(), 0)?;
    let values = fetch_samples(gl, texture, content, sample, size)?;
    match (content, client.ty) {
        (SampleContent::Depth, FLOAT) => Ok(first_bytes::<4>(&values)),
        (SampleContent::Stencil, UNSIGNED_BYTE) => Ok(first_bytes::<1>(&values)),
        (SampleContent::Depth | SampleContent::Stencil, ty) => Err(Error::UnknownFormat {
            format: client.format,
            ty,
        }),
        (
            SampleContent::Float | SampleContent::Srgb | SampleContent::Int | SampleContent::Uint,
            _,
        ) => {
            let target = match texture.target() {
                TEXTURE_2D_MULTISAMPLE_ARRAY => TEXTURE_2D_ARRAY,
                _ => TEXTURE_2D,
            };
            let copy = Texture::new(gl, target)?;
            let image = Image {
                target,
                level: 0,
                size,
            };
            copy.define_image(image, internal, content.client_format(), Some(&values))?;
            copy.read_image(target, 0, client)
        }
    }
}

/// Returns the first `N` bytes of the first component of each value of four components of 32 bits.
fn first_bytes<const N: usize>(values: &[u8]) -> Vec<u8> {
    let values = values.chunks_exact(16);
    // Values of OpenGL have the byte order of the CPU, and all CPUs that OpenGL runs on here are
    // little-endian.
    values.flat_map(|value| &value[..N]).copied().collect()
}

/// Fetches one sample of each pixel by a compute shader, as four components of 32 bits, layer by
/// layer. [`Error::MissingExtension`] before OpenGL 4.3.
fn fetch_samples(
    gl: &Rc<Gl>,
    texture: &Texture,
    content: SampleContent,
    sample: u32,
    size: [u32; 3],
) -> Result<Vec<u8>, Error> {
    if gl.version() < Version(4, 3) {
        return Err(Error::MissingExtension("GL_ARB_compute_shader"));
    }
    let bytes = ClientFormat::new(RGBA, FLOAT).image_size(size)?;
    let values = Buffer::new(gl, &vec![0; bytes], STREAM_READ)?;
    let shader = create_compute_program(gl, &fetch_shader_source(texture.target(), content))?;
    texture.with_bound(|gl| {
        if content == SampleContent::Stencil {
            let mode = STENCIL_INDEX.cast_signed();
            gl.TexParameteri(texture.target(), DEPTH_STENCIL_TEXTURE_MODE, mode)?;
        }
        let unit = gl.integer(ACTIVE_TEXTURE)? - TEXTURE0.cast_signed();
        gl.ProgramUniform1i(shader.name(), 0, unit)?;
        gl.ProgramUniform1i(shader.name(), 1, sample.cast_signed())?;
        dispatch_fetch(gl, &shader, &values, size)?;
        if content == SampleContent::Stencil {
            let mode = DEPTH_COMPONENT.cast_signed();
            gl.TexParameteri(texture.target(), DEPTH_STENCIL_TEXTURE_MODE, mode)?;
        }
        gl.check_errors("reading samples")
    })?;
    values.read(0, bytes)
}

/// Runs the shader for every pixel, with `values` as its storage buffer, and makes its writes
/// visible to reads of the buffer; restores the current program and the bindings.
fn dispatch_fetch(gl: &Gl, shader: &Object, values: &Buffer, size: [u32; 3]) -> Result<(), Error> {
    let assembly =
        gl.has_extension("GL_NV_compute_program5") && gl.IsEnabled(COMPUTE_PROGRAM_NV)? == TRUE;
    let program = gl.integer(CURRENT_PROGRAM)?;
    let bound = gl.bound_storage_buffer()?;
    if assembly {
        gl.Disable(COMPUTE_PROGRAM_NV)?;
    }
    gl.UseProgram(shader.name())?;
    gl.BindBufferBase(SHADER_STORAGE_BUFFER, 0, values.name())?;
    let [width, height, layers] = size;
    gl.DispatchCompute(
        width.div_ceil(GROUP_SIZE),
        height.div_ceil(GROUP_SIZE),
        layers,
    )?;
    gl.MemoryBarrier(BUFFER_UPDATE_BARRIER_BIT)?;
    let (buffer, offset, length) = bound;
    if length == 0 {
        gl.BindBufferBase(SHADER_STORAGE_BUFFER, 0, buffer)?;
    } else {
        gl.BindBufferRange(SHADER_STORAGE_BUFFER, 0, buffer, offset, length)?;
    }
    gl.UseProgram(program.cast_unsigned())?;
    if assembly {
        gl.Enable(COMPUTE_PROGRAM_NV)?;
    }
    Ok(())
}

impl Gl {
    /// Returns the buffer at the first binding of storage buffers: name, offset and size in bytes,
    /// which is 0 for all of it.
    fn bound_storage_buffer(&self) -> Result<(u32, isize, isize), Error> {
        let mut name = 0;
        let (mut start, mut size) = (0, 0);
        // SAFETY: each of these states has one value.
        unsafe {
            self.GetIntegeri_v(SHADER_STORAGE_BUFFER_BINDING, 0, &mut name)?;
            self.GetInteger64i_v(SHADER_STORAGE_BUFFER_START, 0, &mut start)?;
            self.GetInteger64i_v(SHADER_STORAGE_BUFFER_SIZE, 0, &mut size)?;
        }
        Ok((name.cast_unsigned(), start as isize, size as isize))
    }
}

/// Returns the GLSL of a compute shader that copies one sample of each texel of a texture to a
/// buffer. The uniform at location 0 is the texture unit, that at location 1 the sample.
fn fetch_shader_source(target: u32, content: SampleContent) -> String {
    let (prefix, bits) = content.glsl_sampler_and_bits();
    let (array, coordinates) = match target {
        TEXTURE_2D_MULTISAMPLE_ARRAY => ("Array", "ivec3(p)"),
        _ => ("", "ivec2(p.xy)"),
    };
    format!(
        "#version 430
layout(local_size_x = {GROUP_SIZE}, local_size_y = {GROUP_SIZE}) in;
layout(location = 0) uniform {prefix}sampler2DMS{array} source;
layout(location = 1) uniform int index;
layout(std430, binding = 0) writeonly buffer Values {{ uvec4 values[]; }};
vec3 encode(vec3 c) {{
    return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}}
void main() {{
    uvec3 p = gl_GlobalInvocationID;
    uvec2 size = uvec2(textureSize(source).xy);
    if (any(greaterThanEqual(p.xy, size))) return;
    {prefix}vec4 v = texelFetch(source, {coordinates}, index);
    values[(p.z * size.y + p.y) * size.x + p.x] = {bits};
}}
"
    )
}

/// Compiles and links a compute shader. [`Error::NoShader`] with the driver's log if that fails.
fn create_compute_program(gl: &Rc<Gl>, text: &str) -> Result<Object, Error> {
    let text = CString::new(text).map_err(|_| Error::NoShader("it has a zero".to_owned()))?;
    let sources = [text.as_ptr()];
    // SAFETY: OpenGL reads one pointer to a text that ends with a zero.
    let name = unsafe { gl.CreateShaderProgramv(COMPUTE_SHADER, 1, sources.as_ptr()) }?;
    gl.check_errors("glCreateShaderProgramv")?;
    let program = Object::adopt(gl, ObjectKind::GlslProgram, name);
    let mut linked = 0;
    // SAFETY: this state has one value.
    unsafe { gl.GetProgramiv(name, LINK_STATUS, &mut linked) }?;
    if linked == i32::from(TRUE) {
        return Ok(program);
    }
    let mut log = vec![0_u8; 4096];
    let mut length = 0;
    // SAFETY: OpenGL writes at most as many bytes as specified.
    unsafe { gl.GetProgramInfoLog(name, 4096, &mut length, log.as_mut_ptr().cast()) }?;
    log.truncate(usize::try_from(length).unwrap_or(0));
    Err(Error::NoShader(String::from_utf8_lossy(&log).into_owned()))
}
