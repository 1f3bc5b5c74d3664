//! Textures by texture image unit.
//!
//! Commands are recorded as data; objects are created when a draw or dispatch may read them. A unit
//! of a script has one texture, a unit of OpenGL one for each target: programs access the textures
//! of the targets that they name. Comparison of depths is a property of the program in assembly,
//! and of the texture in OpenGL: it is set according to the lookups of the current programs.

use super::lookups::{Lookup, Lookups};
use super::programs::Programs;
use super::sampling::{Comparing, Parameter, features, parameters, suits_rectangles};
use super::texture_objects::{Store, create, create_with_base, gl_target};
use crate::error::{Error, Problem};
use crate::gl::{self, Gl, Texture};
use glasm::ir::TexTarget;
use glasm_scripts::resource_table::{TextureObjects, TextureTable};
use glasm_scripts::script::{Convention, TextureEnables};
use glasm_scripts::texture::{Sampling, Shape, Update};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Texture of OpenGL, filled.
pub(super) struct Object {
    pub(super) texture: Texture,
    _store: Store,
    /// Parameters that it has.
    parameters: Vec<Parameter>,
    /// True if it has a handle: from then on its state is unchanged.
    has_handle: bool,
}

impl Object {
    /// Returns true if the object can become a texture with these parameters. It must have each
    /// that is not the initial one.
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

/// Object of a texture image unit, once a draw or dispatch may have read it.
#[derive(Default)]
struct UnitObject {
    object: Option<Object>,
    /// True if the texels of the object differ from those of the unit.
    is_stale: bool,
}

impl TextureObjects for UnitObject {
    fn invalidate_texels(&mut self) {
        self.is_stale = true;
    }

    fn invalidate_sampling(&mut self, before: &Sampling, after: &Sampling) {
        self.is_stale |= before.base_format != after.base_format;
    }
}

/// Programs that read textures.
pub(super) struct Readers<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) programs: &'a Programs,
    pub(super) convention: Convention,
    /// True if programs run as modules.
    pub(super) through_modules: bool,
}

/// Textures by texture image unit.
#[derive(Default)]
pub(super) struct Textures {
    table: TextureTable<UnitObject>,
    enables: BTreeMap<u32, TextureEnables>,
}

impl Textures {
    /// Returns the object of a unit, if a draw or dispatch may have read it.
    #[cfg(test)]
    pub(super) fn object(&self, number: u32) -> Option<&Object> {
        self.table.get(number)?.objects.object.as_ref()
    }

    /// Begins or extends a texture.
    pub(super) fn update(&mut self, number: u32, update: &Update) {
        self.table.update(number, update);
    }

    /// Sets how a texture is sampled.
    pub(super) fn set_sampling(&mut self, number: u32, sampling: Sampling) {
        self.table.set_sampling(number, sampling);
    }
}

/// Returns the target in OpenGL with which programs access a texture, and whether they compare
/// depths.
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
    let compares = if suiting.is_empty() {
        sampling.compares || programs.any(|program| program.compares_by_handle)
    } else {
        suiting
            .iter()
            .any(|lookup| lookup.comparing == Comparing::On)
    };
    let comparing = if compares {
        Comparing::On
    } else {
        Comparing::Off
    };
    let own = gl_target(shape.target);
    let target = suiting.first().map_or(own, |lookup| lookup.gl_target);
    (target, comparing)
}

/// Returns true for two-dimensional and rectangle textures. The latter differ in the unit of
/// coordinates only, so programs may access one as the other.
fn is_flat(target: TexTarget) -> bool {
    matches!(target, TexTarget::D2 | TexTarget::Rect)
}

impl Textures {
    /// Enables the targets of a unit for draws without a fragment program.
    pub(super) fn enable(
        &mut self,
        gl: &Gl,
        unit: u32,
        enables: TextureEnables,
    ) -> Result<(), Problem> {
        if unit >= gl.integer(gl::MAX_TEXTURE_UNITS)?.unsigned_abs() {
            let reason = format!("the driver lacks texture unit {unit} without programs");
            return Err(Problem::Lacking(reason));
        }
        gl.ActiveTexture(gl::TEXTURE0 + unit)?;
        for (name, capability) in CAPABILITIES {
            if enables.is_on(name) {
                gl.Enable(*capability)?
            } else {
                gl.Disable(*capability)?
            }
        }
        self.enables.insert(unit, enables);
        Ok(gl.check("glEnable")?)
    }

    /// Creates the textures that a draw or dispatch reads, and binds them.
    pub(super) fn prepare(&mut self, readers: &Readers<'_>) -> Result<(), Problem> {
        let units = readers.gl.integer(gl::MAX_COMBINED_TEXTURE_IMAGE_UNITS)?;
        for number in self.table.numbers() {
            if number + 1 >= units.unsigned_abs() {
                let reason = format!("the driver lacks texture image unit {number}");
                return Err(Problem::Lacking(reason));
            }
            self.prepare_unit(readers, number)?;
        }
        self.unbind_missing(readers)?;
        readers.gl.ActiveTexture(gl::TEXTURE0)?;
        Ok(readers.gl.check("glActiveTexture")?)
    }

    /// Creates the texture of a unit and binds it there; none if no command has set one.
    fn prepare_unit(
        &mut self,
        readers: &Readers<'_>,
        number: u32,
    ) -> Result<Option<&mut Object>, Problem> {
        let Some(unit) = self.table.get_mut(number) else {
            return Ok(None);
        };
        let Some(data) = &unit.data else {
            return Ok(None);
        };
        readers.gl.ActiveTexture(gl::TEXTURE0 + number)?;
        let convention = readers.convention;
        let lookups: Vec<&Lookups> = readers.programs.lookups().collect();
        let lookups = lookups.iter().copied();
        let (target, comparing) = view(number, &data.shape, &unit.sampling, lookups);
        let shape = &data.shape;
        let mut found = parameters(&unit.sampling, shape, target, comparing, convention);
        if readers.through_modules && comparing == Comparing::On {
            // The components that a comparison writes are part of the module, and Mesa applies the
            // state, too.
            let mode = Parameter::Int(gl::DEPTH_TEXTURE_MODE, gl::RED);
            let of_mode = |known: &&mut Parameter| known.name() == gl::DEPTH_TEXTURE_MODE;
            found
                .iter_mut()
                .filter(of_mode)
                .for_each(|known| *known = mode);
        }
        let objects = &mut unit.objects;
        let fits = |object: &Object| !objects.is_stale && object.can_have(target, &found);
        if !objects.object.as_ref().is_some_and(fits) {
            let (texture, store) = match unit.sampling.base_format {
                Some(base) => create_with_base(readers.gl, data, target, base)?,
                None => create(readers.gl, data, target, convention)?,
            };
            let object = Object {
                texture,
                _store: store,
                parameters: Vec::new(),
                has_handle: false,
            };
            // The old object is deleted after the new one exists: Mesa 22.3 confuses a new texture
            // at the address of a deleted one with the latter.
            objects.object = Some(object);
            objects.is_stale = false;
        }
        check_sampling(readers.gl, &unit.sampling, shape, target)?;
        if let Some(object) = &mut objects.object {
            object.set(found)?;
            readers.gl.check("glTexParameter")?;
            object.texture.bind()?;
        }
        Ok(objects.object.as_mut())
    }

    /// Unbinds textures if a unit has none of the target: programs read OpenGL's default texture,
    /// which has no images.
    fn unbind_missing(&self, readers: &Readers<'_>) -> Result<(), Problem> {
        let lookups = readers.programs.lookups().flat_map(|found| &found.units);
        let read = lookups.map(|lookup| (lookup.unit, lookup.gl_target));
        let enabled = self.enables.iter().flat_map(|(unit, enables)| {
            let on = CAPABILITIES.iter().filter(|(name, _)| enables.is_on(name));
            on.map(|(_, capability)| (*unit, *capability))
        });
        for (number, target) in read.chain(enabled) {
            let unit = self.table.get(number);
            let object = unit.and_then(|unit| unit.objects.object.as_ref());
            if object.is_none_or(|object| object.texture.target() != target) {
                readers.gl.ActiveTexture(gl::TEXTURE0 + number)?;
                readers.gl.BindTexture(target, 0)?;
            }
        }
        Ok(readers.gl.check("glBindTexture")?)
    }

    /// Returns a handle of the texture of a unit, which programs may use from now on.
    /// NV_bindless_texture.
    pub(super) fn handle(&mut self, readers: &Readers<'_>, unit: u32) -> Result<u64, Problem> {
        let Some(object) = self.prepare_unit(readers, unit)? else {
            let reason = format!("OpenGL has no handle of texture {unit}, which is not set");
            return Err(Problem::Lacking(reason));
        };
        object.has_handle = true;
        let name = object.texture.name();
        let handle = readers.gl.GetTextureHandleNV(name)?;
        if readers.gl.IsTextureHandleResidentNV(handle)? == gl::FALSE {
            readers.gl.MakeTextureHandleResidentNV(handle)?;
        }
        readers.gl.check("glGetTextureHandleNV")?;
        Ok(handle)
    }
}

/// Capabilities by the names of scripts.
const CAPABILITIES: &[(&str, u32)] = &[
    ("GL_TEXTURE_1D", gl::TEXTURE_1D),
    ("GL_TEXTURE_2D", gl::TEXTURE_2D),
    ("GL_TEXTURE_RECTANGLE", gl::TEXTURE_RECTANGLE),
    ("GL_TEXTURE_3D", gl::TEXTURE_3D),
    ("GL_TEXTURE_CUBE_MAP", gl::TEXTURE_CUBE_MAP),
];

/// Checks that the driver supports the sampler state of a texture; enables state that all textures
/// share.
fn check_sampling(gl: &Gl, sampling: &Sampling, shape: &Shape, target: u32) -> Result<(), Problem> {
    if target == gl::TEXTURE_RECTANGLE && !sampling.wrap.iter().all(|wrap| suits_rectangles(*wrap))
    {
        let reason = "OpenGL clamps the coordinates of rectangles only".to_owned();
        return Err(Problem::Lacking(reason));
    }
    features(sampling, shape).try_for_each(|feature| feature.require(gl))?;
    // Scripts have no edges between the faces of a cube.
    if shape.target.is_cube() && sampling.is_linear() {
        gl.Enable(gl::TEXTURE_CUBE_MAP_SEAMLESS)?;
    }
    Ok(())
}
