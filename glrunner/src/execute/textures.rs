//! Textures by texture image unit.
//!
//! Commands are recorded as data; objects are created when a draw or dispatch may read them. A unit
//! of a script has one texture, a unit of OpenGL one for each target: programs access the textures
//! of the targets that they name. Comparison of depths is a property of the program in assembly,
//! and of the texture in OpenGL: it is set according to the lookups of the current programs.

use super::program_info::{TextureUsage, TextureUse};
use super::programs::Programs;
use super::sampler_state::{
    DepthComparison, TextureParameter, is_rectangle_wrap, required_features, texture_parameters,
};
use super::texture_objects::{
    TexelStorage, create_texture, create_with_base_format, create_with_format_type, gl_target,
};
use crate::error::{Error, Problem};
use crate::gl::{self, Gl, Texture};
use glasm::ir::TexTarget;
use glasm_scripts::resource_table::{TextureObjects, TextureTable};
use glasm_scripts::script::{Convention, TextureEnables};
use glasm_scripts::texture::{Sampling, TextureShape, TextureUpdate};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Texture of OpenGL, filled.
pub(super) struct TextureObject {
    pub(super) texture: Texture,
    _store: TexelStorage,
    /// Parameters that it has.
    parameters: Vec<TextureParameter>,
    /// True if it has a handle: from then on its state is unchanged.
    has_handle: bool,
}

impl TextureObject {
    /// Returns true if the object can become a texture of a target with these parameters: they
    /// include each that it has, since none can be reset, and its handle, if any, does not forbid
    /// changes.
    fn accepts_parameters(&self, target: u32, parameters: &[TextureParameter]) -> bool {
        let is_known =
            |old: &TextureParameter| parameters.iter().any(|new| new.name() == old.name());
        let is_settable = !self.has_handle || self.parameters == parameters;
        self.texture.target() == target && is_settable && self.parameters.iter().all(is_known)
    }

    /// Sets the sampling parameters that differ from those of the texture object, and records them
    /// all. Errors of OpenGL are not checked for most.
    fn set_parameters(&mut self, parameters: Vec<TextureParameter>) -> Result<(), Error> {
        for parameter in &parameters {
            if self.parameters.contains(parameter) {
                continue;
            }
            match *parameter {
                TextureParameter::Int(name, value) => self.texture.set_parameter(name, value)?,
                TextureParameter::Float(name, value) => {
                    self.texture.set_float_parameter(name, value)?
                }
                TextureParameter::Border(border) => self.texture.set_border_color(border)?,
            }
        }
        self.parameters = parameters;
        Ok(())
    }
}

/// Object of a texture image unit, once a draw or dispatch may have read it.
#[derive(Default)]
struct UnitObject {
    object: Option<TextureObject>,
    /// True if the texels of the object differ from those of the unit.
    is_stale: bool,
}

impl TextureObjects for UnitObject {
    fn invalidate_texels(&mut self) {
        self.is_stale = true;
    }

    fn invalidate_sampling(&mut self, before: &Sampling, after: &Sampling) {
        self.is_stale |= before.base_format != after.base_format;
        self.is_stale |= before.format_type != after.format_type;
    }
}

/// Programs that read textures.
pub(super) struct TextureReaders<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) programs: &'a Programs,
    pub(super) convention: Convention,
    /// True if programs run as modules.
    pub(super) uses_modules: bool,
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
    pub(super) fn object(&self, number: u32) -> Option<&TextureObject> {
        self.table.get(number)?.objects.object.as_ref()
    }

    /// Records a new texture of a unit or texels for it; the driver's object is created when it is
    /// used.
    pub(super) fn update(&mut self, number: u32, update: &TextureUpdate) {
        self.table.update(number, update);
    }

    /// Records filters, wrap modes and other sampling state of the texture of a unit.
    pub(super) fn set_sampling(&mut self, number: u32, sampling: Sampling) {
        self.table.set_sampling(number, sampling);
    }
}

/// Returns the target in OpenGL with which programs access the texture of a unit, that of its shape
/// if none does, and whether they compare depths.
fn select_view<'a>(
    unit_index: u32,
    shape: &TextureShape,
    sampling: &Sampling,
    programs: impl Iterator<Item = &'a TextureUsage> + Clone,
) -> (u32, DepthComparison) {
    let units = programs.clone().flat_map(|program| &program.texture_uses);
    let is_suitable = |lookup: &&TextureUse| {
        let both_flat = is_2d_or_rectangle(lookup.target) && is_2d_or_rectangle(shape.target);
        lookup.unit == unit_index && (both_flat || lookup.target == shape.target)
    };
    let suiting: Vec<&TextureUse> = units.filter(is_suitable).collect();
    let mut programs = programs;
    let compares = if suiting.is_empty() {
        sampling.compare_enable || programs.any(|program| program.compares_by_handle)
    } else {
        suiting
            .iter()
            .any(|lookup| lookup.comparison == DepthComparison::On)
    };
    let comparing = if compares {
        DepthComparison::On
    } else {
        DepthComparison::Off
    };
    let declared_target = gl_target(shape.target);
    let target = suiting
        .first()
        .map_or(declared_target, |lookup| lookup.gl_target);
    (target, comparing)
}

/// Returns true for two-dimensional and rectangle textures. The latter differ in the unit of
/// coordinates only, so programs may access one as the other.
fn is_2d_or_rectangle(target: TexTarget) -> bool {
    matches!(target, TexTarget::D2 | TexTarget::Rect)
}

impl Textures {
    /// Enables the targets of a unit for draws without a fragment program, and disables the others;
    /// the unit remains active. Skips scripts with units that the driver lacks.
    pub(super) fn set_enabled_targets(
        &mut self,
        gl: &Gl,
        unit: u32,
        enables: TextureEnables,
    ) -> Result<(), Problem> {
        if unit >= gl.integer(gl::MAX_TEXTURE_UNITS)?.unsigned_abs() {
            let reason = format!("the driver lacks texture unit {unit} without programs");
            return Err(Problem::Unsupported(reason));
        }
        gl.ActiveTexture(gl::TEXTURE0 + unit)?;
        for (name, capability) in CAPABILITIES {
            if enables.is_enabled(name) {
                gl.Enable(*capability)?
            } else {
                gl.Disable(*capability)?
            }
        }
        self.enables.insert(unit, enables);
        Ok(gl.check_errors("glEnable")?)
    }

    /// Creates the textures that a draw or dispatch may read, and binds them; units that programs
    /// read without a texture have none. Unit 0 is active afterwards. Skips scripts with units or
    /// textures that the driver lacks.
    pub(super) fn prepare_textures(&mut self, readers: &TextureReaders<'_>) -> Result<(), Problem> {
        let units = readers.gl.integer(gl::MAX_COMBINED_TEXTURE_IMAGE_UNITS)?;
        for number in self.table.numbers() {
            if number + 1 >= units.unsigned_abs() {
                let reason = format!("the driver lacks texture image unit {number}");
                return Err(Problem::Unsupported(reason));
            }
            self.prepare_unit(readers, number)?;
        }
        self.unbind_missing(readers)?;
        readers.gl.ActiveTexture(gl::TEXTURE0)?;
        Ok(readers.gl.check_errors("glActiveTexture")?)
    }

    /// Creates the texture of a unit, unless its object is up to date, sets its parameters, and
    /// binds it there; the unit remains active. `None` if no command has set one. Skips scripts
    /// with textures or sampler state that the driver lacks.
    fn prepare_unit(
        &mut self,
        readers: &TextureReaders<'_>,
        unit_index: u32,
    ) -> Result<Option<&mut TextureObject>, Problem> {
        let Some(unit) = self.table.get_mut(unit_index) else {
            return Ok(None);
        };
        let Some(data) = &unit.data else {
            return Ok(None);
        };
        readers.gl.ActiveTexture(gl::TEXTURE0 + unit_index)?;
        let convention = readers.convention;
        let lookups: Vec<&TextureUsage> = readers.programs.texture_usage().collect();
        let lookups = lookups.iter().copied();
        let (target, comparing) = select_view(unit_index, &data.shape, &unit.sampling, lookups);
        let shape = &data.shape;
        let mut target_and_parameters =
            texture_parameters(&unit.sampling, shape, target, comparing, convention);
        if readers.uses_modules && comparing == DepthComparison::On {
            // The components that a comparison writes are part of the module, and Mesa applies the
            // state, too.
            let mode = TextureParameter::Int(gl::DEPTH_TEXTURE_MODE, gl::RED);
            let of_mode = |known: &&mut TextureParameter| known.name() == gl::DEPTH_TEXTURE_MODE;
            target_and_parameters
                .iter_mut()
                .filter(of_mode)
                .for_each(|known| *known = mode);
        }
        let objects = &mut unit.objects;
        let is_reusable = |object: &TextureObject| {
            !objects.is_stale && object.accepts_parameters(target, &target_and_parameters)
        };
        if !objects.object.as_ref().is_some_and(is_reusable) {
            let format_type = unit.sampling.format_type;
            let format_type = format_type.filter(|_| !readers.uses_modules);
            let (texture, store) = match (unit.sampling.base_format, format_type) {
                (Some(base), _) => create_with_base_format(readers.gl, data, target, base)?,
                (None, Some(ty)) => create_with_format_type(readers.gl, data, target, ty)?,
                (None, None) => create_texture(readers.gl, data, target, convention)?,
            };
            let object = TextureObject {
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
            object.set_parameters(target_and_parameters)?;
            readers.gl.check_errors("glTexParameter")?;
            object.texture.bind()?;
        }
        Ok(objects.object.as_mut())
    }

    /// Unbinds textures from the units and targets that programs or fixed functions read without a
    /// texture of the script: they read OpenGL's default texture, which has no images.
    fn unbind_missing(&self, readers: &TextureReaders<'_>) -> Result<(), Problem> {
        let lookups = readers
            .programs
            .texture_usage()
            .flat_map(|found| &found.texture_uses);
        let is_read = lookups.map(|lookup| (lookup.unit, lookup.gl_target));
        let enabled = self.enables.iter().flat_map(|(unit, enables)| {
            let on = CAPABILITIES
                .iter()
                .filter(|(name, _)| enables.is_enabled(name));
            on.map(|(_, capability)| (*unit, *capability))
        });
        for (number, target) in is_read.chain(enabled) {
            let unit = self.table.get(number);
            let object = unit.and_then(|unit| unit.objects.object.as_ref());
            if object.is_none_or(|object| object.texture.target() != target) {
                readers.gl.ActiveTexture(gl::TEXTURE0 + number)?;
                readers.gl.BindTexture(target, 0)?;
            }
        }
        Ok(readers.gl.check_errors("glBindTexture")?)
    }

    /// Returns a handle of the texture of a unit, which is created and resident, so that programs
    /// may use it from now on and its state is final. NV_bindless_texture. Skips scripts whose unit
    /// has no texture.
    pub(super) fn create_handle(
        &mut self,
        readers: &TextureReaders<'_>,
        unit: u32,
    ) -> Result<u64, Problem> {
        let Some(object) = self.prepare_unit(readers, unit)? else {
            let reason = format!("OpenGL has no handle of texture {unit}, which is not set");
            return Err(Problem::Unsupported(reason));
        };
        object.has_handle = true;
        let name = object.texture.name();
        let handle = readers.gl.GetTextureHandleNV(name)?;
        if readers.gl.IsTextureHandleResidentNV(handle)? == gl::FALSE {
            readers.gl.MakeTextureHandleResidentNV(handle)?;
        }
        readers.gl.check_errors("glGetTextureHandleNV")?;
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

/// Skips the script if the driver does not support the sampler state of a texture. For linear cube
/// maps, enables filtering across faces for all textures.
fn check_sampling(
    gl: &Gl,
    sampling: &Sampling,
    shape: &TextureShape,
    target: u32,
) -> Result<(), Problem> {
    if target == gl::TEXTURE_RECTANGLE && !sampling.wrap.iter().all(|wrap| is_rectangle_wrap(*wrap))
    {
        let reason = "OpenGL clamps the coordinates of rectangles only".to_owned();
        return Err(Problem::Unsupported(reason));
    }
    required_features(sampling, shape).try_for_each(|feature| feature.require(gl))?;
    // Scripts have no edges between the faces of a cube.
    if shape.target.is_cube() && sampling.is_linear() {
        gl.Enable(gl::TEXTURE_CUBE_MAP_SEAMLESS)?;
    }
    Ok(())
}
