//! Textures by texture image unit.
//!
//! Commands are kept as data; objects come to be when a draw or dispatch may read them. A unit of a script holds one texture, a unit of
//! OpenGL one for each target: programs read those of the targets that they name. Programs in assembly say whether they compare depths,
//! in OpenGL the texture does: so what the programs at hand read decides.

use super::lookups::{Lookup, Lookups};
use super::sampling::{Comparing, Parameter, features, parameters};
use super::support::Feature;
use super::{Execution, Problem};
use crate::error::Error;
use crate::formats::TexelFormat;
use crate::gl::{self, Buffer, Gl, Image, Renderbuffer, SampleLayer, Texture, Version};
use glasm::ir::TexTarget;
use glasm_scripts::format::{Aspect, Encoding};
use glasm_scripts::script::{Convention, TextureEnables, target_name};
use glasm_scripts::texture::{PlaneId, Sampling, Shape, TextureData, Update};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What holds the texels of a texture.
pub(super) enum Store {
    /// The texture.
    Own,
    /// A buffer.
    Buffer(Buffer),
    /// A renderbuffer, which is only read.
    Renderbuffer { _object: Renderbuffer },
}

/// A texture of OpenGL, filled.
pub(super) struct Object {
    pub(super) texture: Texture,
    _store: Store,
    /// The parameters that it has.
    parameters: Vec<Parameter>,
    /// Whether a handle of it exists, after which it stays as it is.
    has_handle: bool,
}

impl Object {
    /// Whether it can become a texture with these parameters, of which it must have each that is not the initial one.
    fn can_have(&self, target: u32, parameters: &[Parameter]) -> bool {
        let is_known = |old: &Parameter| parameters.iter().any(|new| new.name() == old.name());
        let is_settable = !self.has_handle || self.parameters == parameters;
        self.texture.target() == target && is_settable && self.parameters.iter().all(is_known)
    }

    /// Sets the parameters that it does not have yet.
    fn set(&mut self, parameters: Vec<Parameter>) -> Result<(), Error> {
        for parameter in &parameters {
            if self.parameters.contains(parameter) {
                continue;
            }
            match *parameter {
                Parameter::Int(name, value) => self.texture.set(name, value)?,
                Parameter::Float(name, value) => self.texture.set_float(name, value)?,
                Parameter::Border(border) => self.texture.set_border(border)?,
            }
        }
        self.parameters = parameters;
        Ok(())
    }
}

/// The texture of a unit: what the script said, and the object once something may have read it.
struct Unit {
    data: Option<TextureData>,
    sampling: Sampling,
    object: Option<Object>,
    /// Whether the object has other texels than the script says.
    is_stale: bool,
}

/// Textures by texture image unit.
#[derive(Default)]
pub(super) struct Textures {
    units: BTreeMap<u32, Unit>,
    enables: BTreeMap<u32, TextureEnables>,
}

impl Textures {
    /// The object of a unit, if something may have read it.
    pub(super) fn object(&self, number: u32) -> Option<&Object> {
        self.units.get(&number)?.object.as_ref()
    }

    fn unit(&mut self, number: u32) -> &mut Unit {
        self.units.entry(number).or_insert(Unit {
            data: None,
            sampling: Sampling::INITIAL,
            object: None,
            is_stale: false,
        })
    }
}

/// How a texture is seen: its target in OpenGL, and whether depths are compared.
fn view<'a>(
    number: u32,
    shape: &Shape,
    sampling: &Sampling,
    programs: impl Iterator<Item = &'a Lookups> + Clone,
) -> (u32, Comparing) {
    let units = programs.clone().flat_map(|program| &program.units);
    let suits = |lookup: &&Lookup| {
        let both_flat = is_flat(lookup.target) && is_flat(shape.target);
        lookup.unit == number && (both_flat || lookup.target == shape.target)
    };
    let suiting: Vec<&Lookup> = units.filter(suits).collect();
    let mut programs = programs;
    let compares = match suiting.is_empty() {
        false => suiting
            .iter()
            .any(|lookup| lookup.comparing == Comparing::On),
        true => sampling.compares || programs.any(|program| program.compares_by_handle),
    };
    let comparing = match compares {
        true => Comparing::On,
        false => Comparing::Off,
    };
    let own = gl_target(shape.target);
    let target = suiting.first().map_or(own, |lookup| lookup.gl_target);
    (target, comparing)
}

/// Rectangles are two-dimensional textures whose coordinates count texels, so programs may see one as the other.
fn is_flat(target: TexTarget) -> bool {
    matches!(target, TexTarget::D2 | TexTarget::Rect)
}

impl Execution<'_> {
    pub(super) fn update_texture(&mut self, unit: u32, update: &Update) -> Result<(), Problem> {
        let unit = self.textures.unit(unit);
        match &mut unit.data {
            Some(data) => data.update(update),
            None => unit.data = Some(TextureData::new(update)),
        }
        unit.is_stale = true;
        Ok(())
    }

    pub(super) fn set_sampling(&mut self, unit: u32, sampling: Sampling) -> Result<(), Problem> {
        self.textures.unit(unit).sampling = sampling;
        Ok(())
    }

    pub(super) fn enable_textures(
        &mut self,
        unit: u32,
        enables: TextureEnables,
    ) -> Result<(), Problem> {
        if unit >= self.gl.integer(gl::MAX_TEXTURE_UNITS)?.unsigned_abs() {
            let reason = format!("the driver lacks texture unit {unit} without programs");
            return Err(Problem::Lacking(reason));
        }
        self.gl.ActiveTexture(gl::TEXTURE0 + unit)?;
        for (name, capability) in CAPABILITIES {
            match enables.is_on(name) {
                true => self.gl.Enable(*capability)?,
                false => self.gl.Disable(*capability)?,
            }
        }
        self.textures.enables.insert(unit, enables);
        Ok(self.gl.check("glEnable")?)
    }

    /// Makes what a draw or dispatch reads, and binds it.
    pub(super) fn prepare_textures(&mut self) -> Result<(), Problem> {
        let units = self.gl.integer(gl::MAX_COMBINED_TEXTURE_IMAGE_UNITS)?;
        let numbers: Vec<u32> = self.textures.units.keys().copied().collect();
        for number in &numbers {
            if *number + 1 >= units.unsigned_abs() {
                let reason = format!("the driver lacks texture image unit {number}");
                return Err(Problem::Lacking(reason));
            }
            self.prepare_texture(*number)?;
        }
        self.unbind_missing()?;
        self.gl.ActiveTexture(gl::TEXTURE0)?;
        Ok(self.gl.check("glActiveTexture")?)
    }

    /// Makes the texture of a unit and binds it there; none if no command has set one.
    fn prepare_texture(&mut self, number: u32) -> Result<Option<&mut Object>, Problem> {
        let Some(unit) = self.textures.units.get_mut(&number) else {
            return Ok(None);
        };
        let Some(data) = &unit.data else {
            return Ok(None);
        };
        self.gl.ActiveTexture(gl::TEXTURE0 + number)?;
        let convention = self.script.requirements.convention;
        let lookups: Vec<&Lookups> = self.programs.lookups().collect();
        let lookups = lookups.iter().copied();
        let (target, comparing) = view(number, &data.shape, &unit.sampling, lookups);
        let shape = &data.shape;
        let found = parameters(&unit.sampling, shape, target, comparing, convention);
        let fits = |object: &&mut Object| !unit.is_stale && object.can_have(target, &found);
        if unit.object.as_mut().filter(fits).is_none() {
            let (texture, store) = create(&self.gl, data, target, convention)?;
            let object = Object {
                texture,
                _store: store,
                parameters: Vec::new(),
                has_handle: false,
            };
            // What was there goes after that. Mesa 22.3 takes a new texture at the address of one that is gone for that one.
            unit.object = Some(object);
            unit.is_stale = false;
        }
        check_sampling(&self.gl, &unit.sampling, shape)?;
        if let Some(object) = &mut unit.object {
            object.set(found)?;
            self.gl.check("glTexParameter")?;
        }
        if let Some(object) = &unit.object {
            object.texture.bind()?;
        }
        Ok(unit.object.as_mut())
    }

    /// What is read where a unit has no texture of the target: OpenGL's own texture without images.
    fn unbind_missing(&self) -> Result<(), Problem> {
        let lookups = self.programs.lookups().flat_map(|found| &found.units);
        let read = lookups.map(|lookup| (lookup.unit, lookup.gl_target));
        let enabled = self.textures.enables.iter().flat_map(|(unit, enables)| {
            let on = CAPABILITIES.iter().filter(|(name, _)| enables.is_on(name));
            on.map(|(_, capability)| (*unit, *capability))
        });
        for (number, target) in read.chain(enabled) {
            let unit = self.textures.units.get(&number);
            let object = unit.and_then(|unit| unit.object.as_ref());
            if object.is_none_or(|object| object.texture.target() != target) {
                self.gl.ActiveTexture(gl::TEXTURE0 + number)?;
                self.gl.BindTexture(target, 0)?;
            }
        }
        Ok(self.gl.check("glBindTexture")?)
    }

    /// A handle of the texture of a unit, which programs may use from now on. NV_bindless_texture.
    pub(super) fn texture_handle(&mut self, unit: u32) -> Result<u64, Problem> {
        let Some(object) = self.prepare_texture(unit)? else {
            let reason = format!("OpenGL has no handle of texture {unit}, which is not set");
            return Err(Problem::Lacking(reason));
        };
        object.has_handle = true;
        let name = object.texture.name();
        let handle = self.gl.GetTextureHandleNV(name)?;
        if self.gl.IsTextureHandleResidentNV(handle)? == gl::FALSE {
            self.gl.MakeTextureHandleResidentNV(handle)?;
        }
        self.gl.check("glGetTextureHandleNV")?;
        Ok(handle)
    }
}

const BUFFER_TEXTURES: Feature = Feature {
    core: Version(3, 1),
    extensions: &[
        "GL_ARB_texture_buffer_object",
        "GL_EXT_texture_buffer_object",
    ],
};
/// They are filled by shaders of GLSL 1.50, which no extension brings.
const MULTISAMPLE_TEXTURES: Feature = Feature {
    core: Version(3, 2),
    extensions: &[],
};

/// Capabilities by the names of scripts.
const CAPABILITIES: &[(&str, u32)] = &[
    ("GL_TEXTURE_1D", gl::TEXTURE_1D),
    ("GL_TEXTURE_2D", gl::TEXTURE_2D),
    ("GL_TEXTURE_RECTANGLE", gl::TEXTURE_RECTANGLE),
    ("GL_TEXTURE_3D", gl::TEXTURE_3D),
    ("GL_TEXTURE_CUBE_MAP", gl::TEXTURE_CUBE_MAP),
];

/// OpenGL's name of a target.
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
        TexTarget::D2Ms => gl::TEXTURE_2D_MULTISAMPLE,
        TexTarget::D2MsArray => gl::TEXTURE_2D_MULTISAMPLE_ARRAY,
    }
}

/// Width, height and depth of an image with all its slices, as OpenGL counts them; a cube map has six images.
pub(super) fn image_size(shape: &Shape, level: u32) -> [u32; 3] {
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
        | TexTarget::D2Ms
        | TexTarget::D2MsArray => [width, height, shape.slices(level)],
    }
}

/// The format of a texture; a reason to skip the script if OpenGL has none.
pub(super) fn texel_format(shape: &Shape) -> Result<TexelFormat, Problem> {
    let format = shape.format.vk;
    TexelFormat::of(format)
        .ok_or_else(|| Problem::Lacking(format!("OpenGL has no format like {format:?}")))
}

/// Whether the driver can sample a texture like that; switches on what all textures share.
fn check_sampling(gl: &Gl, sampling: &Sampling, shape: &Shape) -> Result<(), Problem> {
    features(sampling, shape).try_for_each(|feature| feature.require(gl))?;
    // Scripts have no edges between the faces of a cube.
    if shape.target.is_cube() && sampling.is_linear() {
        gl.Enable(gl::TEXTURE_CUBE_MAP_SEAMLESS)?;
    }
    Ok(())
}

/// A texture of a target of OpenGL with all its images, and what holds them.
pub(super) fn create(
    gl: &Rc<Gl>,
    data: &TextureData,
    target: u32,
    convention: Convention,
) -> Result<(Texture, Store), Problem> {
    if target == gl::TEXTURE_RENDERBUFFER_NV {
        return create_renderbuffer(gl, data);
    }
    if data.shape.target == TexTarget::Buffer {
        return create_buffer(gl, data);
    }
    let texture = match data.shape.target.is_multisample() {
        true => create_samples(gl, data, target)?,
        false => create_images(gl, data, target, convention)?,
    };
    Ok((texture, Store::Own))
}

fn create_images(
    gl: &Rc<Gl>,
    data: &TextureData,
    target: u32,
    convention: Convention,
) -> Result<Texture, Problem> {
    let shape = &data.shape;
    let format = texel_format(shape)?;
    let image = |target, level| Image {
        target,
        level,
        size: image_size(shape, level),
    };
    let bits = gl.stored_bits(image(target, 0), format.internal, format.client)?;
    check_bits(shape, bits)?;
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
                    let texels = format.to_client(&texels);
                    texture.define(
                        image(face, level),
                        format.internal,
                        format.client,
                        Some(&texels),
                    )?;
                }
            }
        } else {
            let slices = 0..shape.slices(level);
            let texels: Vec<u8> = slices.flat_map(|slice| plane(level, slice)).collect();
            let texels = format.to_client(&texels);
            texture.define(
                image(target, level),
                format.internal,
                format.client,
                Some(&texels),
            )?;
        }
    }
    Ok(texture)
}

/// Whether the driver keeps all bits of the texels.
fn check_bits(shape: &Shape, bits: Option<gl::StoredBits>) -> Result<(), Problem> {
    let format = &shape.format;
    let Some(bits) = bits else {
        let (target, [width, height, depth]) = (target_name(shape.target), image_size(shape, 0));
        let reason = format!(
            "the driver lacks textures of target {target} with format {:?} and size {width} x {height} x {depth}",
            format.vk
        );
        return Err(Problem::Lacking(reason));
    };
    let is_kept = format.channels.iter().all(|channel| match format.aspect {
        Aspect::Color => bits.color[channel.component] >= channel.bits,
        Aspect::Depth => bits.depth >= channel.bits,
    });
    // Drivers may count the bits of a shared exponent as they like.
    if is_kept || format.encoding == Encoding::SharedExponent {
        return Ok(());
    }
    let reason = format!("the driver stores fewer bits than {:?} has", format.vk);
    Err(Problem::Lacking(reason))
}

fn create_buffer(gl: &Rc<Gl>, data: &TextureData) -> Result<(Texture, Store), Problem> {
    BUFFER_TEXTURES.require(gl)?;
    let shape = &data.shape;
    let format = texel_format(shape)?;
    let lacking = || {
        let reason = format!(
            "the driver lacks buffer textures of format {:?}",
            shape.format.vk
        );
        Problem::Lacking(reason)
    };
    // Programs see bytes as they are.
    let reverses = [gl::BGR, gl::BGRA, gl::BGR_INTEGER, gl::BGRA_INTEGER];
    if reverses.contains(&format.client.format) {
        return Err(lacking());
    }
    let most = gl.integer(gl::MAX_TEXTURE_BUFFER_SIZE)?;
    if shape.extent[0] > most.unsigned_abs() {
        let reason = format!("the driver lacks buffer textures of more than {most} texels");
        return Err(Problem::Lacking(reason));
    }
    let plane = data.plane(PlaneId {
        level: 0,
        slice: 0,
        sample: 0,
    });
    let buffer = Buffer::new(gl, &plane, gl::DYNAMIC_COPY)?;
    let texture = Texture::new(gl, gl::TEXTURE_BUFFER)?;
    match texture.attach_buffer(format.internal, &buffer) {
        // The only thing that OpenGL may find wrong is the format.
        Err(Error::Gl { .. }) => Err(lacking()),
        Err(error) => Err(error.into()),
        Ok(()) => Ok((texture, Store::Buffer(buffer))),
    }
}

fn create_samples(gl: &Rc<Gl>, data: &TextureData, target: u32) -> Result<Texture, Problem> {
    let shape = &data.shape;
    let format = texel_format(shape)?;
    let image = Image {
        target,
        level: 0,
        size: image_size(shape, 0),
    };
    MULTISAMPLE_TEXTURES.require(gl)?;
    let bits = gl.stored_sample_bits(image, format.internal, shape.samples)?;
    check_bits(shape, bits)?;
    let texture = Texture::new(gl, target)?;
    texture.define_samples(shape.samples, format.internal, image.size)?;
    write_samples(data, |place, texels| {
        let format = format.without_curve();
        texture.write_sample(place, format.internal, format.client, texels)
    })?;
    Ok(texture)
}

/// NV_explicit_multisample
fn create_renderbuffer(gl: &Rc<Gl>, data: &TextureData) -> Result<(Texture, Store), Problem> {
    MULTISAMPLE_TEXTURES.require(gl)?;
    let shape = &data.shape;
    let format = texel_format(shape)?;
    let [width, height, _] = image_size(shape, 0);
    let made = Renderbuffer::new(gl, shape.samples, format.internal, [width, height]);
    let Ok(renderbuffer) = made else {
        let (samples, format) = (shape.samples, shape.format.vk);
        let reason = format!("the driver lacks renderbuffers of {samples} samples of {format:?}");
        return Err(Problem::Lacking(reason));
    };
    write_samples(data, |place, texels| {
        let format = format.without_curve();
        renderbuffer.write_sample(place, format.internal, format.client, texels)
    })?;
    let texture = Texture::new(gl, gl::TEXTURE_RENDERBUFFER_NV)?;
    texture.attach_renderbuffer(&renderbuffer)?;
    let store = Store::Renderbuffer {
        _object: renderbuffer,
    };
    Ok((texture, store))
}

/// Hands all texels of a multisample texture to `write`, sample by sample, as OpenGL takes them.
fn write_samples(
    data: &TextureData,
    write: impl Fn(SampleLayer, &[u8]) -> Result<(), Error>,
) -> Result<(), Problem> {
    let format = texel_format(&data.shape)?;
    let [width, height, _] = data.shape.level_extent(0);
    for plane in data.shape.planes() {
        let place = SampleLayer {
            size: [width, height],
            layer: plane.slice,
            sample: plane.sample,
        };
        write(place, &format.to_client(&data.plane(plane)))?;
    }
    Ok(())
}
