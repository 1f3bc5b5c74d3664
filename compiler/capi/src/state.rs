//! GL's state, and the `state.*` parameters that programs read from it.

use crate::enums::{glasm_matrix, read_number, to_matrix_mode, to_matrix_name, to_tracked_matrix};
use crate::ffi_args::{self, drop_handle, require};
use crate::ffi_guard::{Failure, catch_or, catch_to_result, glasm_result};
use crate::matrix::read_matrix;
use crate::state_parameter::{glasm_state_parameter, read_parameter};
use glasm::Shader;
use glasm::ir::state::{Face, MatrixForm, TexGenCoord, TexGenPlane};
use glasm::state::{
    GlState, Material, MatrixMode, MatrixTracking, Multisample, ParameterValues, ShortBlock,
    StateChanges, StateGroups,
};
use glasm_capi_macros::c_enum;

/// One more than the largest index of a light, matrix, unit and so on: above the limits of any GL,
/// and low enough for lists.
const INDEX_LIMIT: u32 = 4096;

/// The GL state that programs read, at first GL's initial state. One thread at a time may use it.
#[derive(Clone, Debug, Default)]
pub struct glasm_state(GlState, StateChanges);

impl glasm_state {
    /// Returns the state of the library.
    pub(crate) fn state(&self) -> &GlState {
        &self.0
    }

    /// Returns the state of the library for changes.
    pub(crate) fn state_mut(&mut self) -> &mut GlState {
        &mut self.0
    }

    /// Returns the groups that have changed since a revision, and sets it to the current one.
    pub(crate) fn take_changes(&mut self, revision: &mut u64) -> StateGroups {
        self.1.take(&self.0, revision)
    }

    /// Updates the parameter block of a shader, as [`Shader::update_parameter_block`].
    pub(crate) fn update_block(
        &mut self,
        shader: &Shader,
        values: &ParameterValues<'_>,
        revision: &mut u64,
        block: &mut [u8],
    ) -> Result<bool, ShortBlock> {
        shader.update_parameter_block(&self.0, &mut self.1, values, revision, block)
    }
}

/// Creates GL's initial state; returns NULL if there is an internal error.
///
/// The caller owns it, and frees it with `glasm_state_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_create() -> Option<Box<glasm_state>> {
    catch_or(None, || Ok(Some(Box::default())))
}

/// Copies a state. Parameter blocks that were updated for one of the states are filled again for the
/// other. Returns NULL for NULL.
///
/// `state` stays the caller's, who owns the copy, too, and frees it with `glasm_state_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_clone(state: Option<&glasm_state>) -> Option<Box<glasm_state>> {
    catch_or(None, || Ok(state.cloned().map(Box::new)))
}

/// Frees a state.
///
/// Takes `state` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_free(state: Option<Box<glasm_state>>) {
    drop_handle(state);
}

/// Returns the argument `name` unchanged; fails if it is not below [`INDEX_LIMIT`], so that no call
/// allocates large arrays.
fn check_index(index: u32, name: &str) -> Result<u32, Failure> {
    let known = (index < INDEX_LIMIT).then_some(index);
    known.ok_or_else(|| {
        Failure::invalid_argument(format!(
            "`{name}` is {index}, which exceeds the limits of all GL implementations"
        ))
    })
}

/// Returns the number of a matrix unchanged; fails if it exceeds the limits, or is not 0 for a matrix
/// of which there is only one.
fn check_matrix_index(matrix: glasm_matrix, index: u32) -> Result<u32, Failure> {
    let is_single = match matrix {
        glasm_matrix::Projection | glasm_matrix::Color | glasm_matrix::ModelviewProjection => true,
        glasm_matrix::Modelview
        | glasm_matrix::Texture
        | glasm_matrix::Palette
        | glasm_matrix::Program => false,
    };
    if is_single && index != 0 {
        return Err(Failure::invalid_argument(format!(
            "`index` is {index}, but there is only one matrix of this kind"
        )));
    }
    check_index(index, "index")
}

/// Returns the matrix that a command changes; fails for unknown matrices, for the product of two, and
/// for indices past the limits.
pub(crate) fn read_matrix_mode(matrix: u32, index: u32) -> Result<MatrixMode, Failure> {
    let matrix = read_number(matrix, "matrix")?;
    let mode = to_matrix_mode(matrix, check_matrix_index(matrix, index)?);
    mode.ok_or_else(|| Failure::invalid_argument("`matrix` is a product"))
}

/// Returns the address of parameters that track a matrix unchanged; fails unless it is a multiple of
/// four, as GL's TrackMatrixNV (INVALID_VALUE).
fn check_tracking_address(address: u32) -> Result<u32, Failure> {
    if !address.is_multiple_of(4) {
        return Err(Failure::invalid_argument(format!(
            "`address` is {address}, which is not a multiple of 4"
        )));
    }
    check_index(address, "address")
}

/// Sets a matrix (glLoadMatrixf). `index` selects one of several matrices of a kind, else it must be 0;
/// the product of projection and modelview follows from both and cannot be set.
///
/// `state` stays the caller's, and so do `values`: 16 floats, in column-major order. `matrix` is a
/// glasm_matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_state_set_matrix(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
    values: *const f32,
) -> glasm_result {
    catch_to_result(|| {
        let state = &mut require(state, "state")?.0;
        // SAFETY: the caller has a matrix there.
        let values = unsafe { read_matrix(values, "values") }?;
        *state.matrix_mut(read_matrix_mode(matrix, index)?) = values;
        Ok(())
    })
}

/// Computes a matrix in one of its forms.
///
/// `state` stays the caller's. `values` points to memory of the caller for 16 floats. `matrix` is a
/// glasm_matrix other than the color matrix, `form` a glasm_matrix_form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_state_get_matrix(
    state: Option<&glasm_state>,
    matrix: u32,
    index: u32,
    form: u32,
    values: *mut f32,
) -> glasm_result {
    catch_to_result(|| {
        let state = require(state, "state")?;
        let matrix = read_number(matrix, "matrix")?;
        let name = to_matrix_name(matrix, check_matrix_index(matrix, index)?);
        let name =
            name.ok_or_else(|| Failure::invalid_argument("no parameter reads this `matrix`"))?;
        let found = state.0.compute_matrix(name, read_number(form, "form")?);
        // SAFETY: the caller provides memory for a matrix.
        unsafe { ffi_args::write_array(values.cast(), found, "values") }
    })
}

/// Values that glasm_state_set sets: the number of floats, the role of `index` if it is used, and
/// GL's command.
#[c_enum]
#[repr(u32)]
pub enum glasm_state_variable {
    /// 4 floats; `index`: light (glLight, GL_AMBIENT).
    LightAmbient = 0,
    /// 4 floats; `index`: light (glLight, GL_DIFFUSE).
    LightDiffuse = 1,
    /// 4 floats; `index`: light (glLight, GL_SPECULAR).
    LightSpecular = 2,
    /// 4 floats; `index`: light (glLight, GL_POSITION). Transformed by modelview matrix 0 of that
    /// moment.
    LightPosition = 3,
    /// 3 floats: constant, linear, quadratic; `index`: light (glLight, GL_CONSTANT_ATTENUATION and
    /// so on).
    LightAttenuation = 4,
    /// 3 floats; `index`: light (glLight, GL_SPOT_DIRECTION). Turned by modelview matrix 0 of that
    /// moment.
    LightSpotDirection = 5,
    /// 1 float; `index`: light (glLight, GL_SPOT_EXPONENT).
    LightSpotExponent = 6,
    /// 1 float; `index`: light (glLight, GL_SPOT_CUTOFF).
    LightSpotCutoff = 7,
    /// 4 floats; `index`: a glasm_face (glMaterial, GL_AMBIENT).
    MaterialAmbient = 8,
    /// 4 floats; `index`: a glasm_face (glMaterial, GL_DIFFUSE).
    MaterialDiffuse = 9,
    /// 4 floats; `index`: a glasm_face (glMaterial, GL_SPECULAR).
    MaterialSpecular = 10,
    /// 4 floats; `index`: a glasm_face (glMaterial, GL_EMISSION).
    MaterialEmission = 11,
    /// 1 float; `index`: a glasm_face (glMaterial, GL_SHININESS).
    MaterialShininess = 12,
    /// 4 floats (glLightModel, GL_LIGHT_MODEL_AMBIENT).
    LightModelAmbient = 13,
    /// 4 floats; `index`: 4 * coordinate set + glasm_texgen_coord (glTexGen, GL_EYE_PLANE).
    /// Transformed by modelview matrix 0 of that moment.
    TexgenEyePlane = 14,
    /// 4 floats; `index`: 4 * coordinate set + glasm_texgen_coord (glTexGen, GL_OBJECT_PLANE).
    TexgenObjectPlane = 15,
    /// 4 floats; `index`: texture unit (glTexEnv, GL_TEXTURE_ENV_COLOR).
    TexenvColor = 16,
    /// 4 floats (glFog, GL_FOG_COLOR).
    FogColor = 17,
    /// 1 float (glFog, GL_FOG_DENSITY).
    FogDensity = 18,
    /// 1 float (glFog, GL_FOG_START).
    FogStart = 19,
    /// 1 float (glFog, GL_FOG_END).
    FogEnd = 20,
    /// 4 floats; `index`: plane (glClipPlane). Transformed by modelview matrix 0 of that moment.
    ClipPlane = 21,
    /// 1 float (glPointSize).
    PointSize = 22,
    /// 1 float (glPointParameter, GL_POINT_SIZE_MIN).
    PointSizeMin = 23,
    /// 1 float (glPointParameter, GL_POINT_SIZE_MAX).
    PointSizeMax = 24,
    /// 1 float (glPointParameter, GL_POINT_FADE_THRESHOLD_SIZE).
    PointFadeThreshold = 25,
    /// 3 floats: constant, linear, quadratic (glPointParameter, GL_POINT_DISTANCE_ATTENUATION).
    PointAttenuation = 26,
    /// 2 floats: near, far (glDepthRange).
    DepthRange = 27,
    /// 1 float: 0 is off (glEnable, GL_DEPTH_CLAMP).
    DepthClamp = 28,
    /// 4 floats: x, y, width, height (glViewport).
    Viewport = 29,
    /// 1 float: height of the window if row 0 of the image that is drawn to is the lowest one;
    /// below 0: it is the top one.
    LowerLeftOriginHeight = 30,
    /// 1 float: height of the window.
    WindowHeight = 31,
    /// 1 float: invocations of a thread group, at most 32.
    WarpSize = 32,
    /// 1 float: thread groups that a processor runs at a time.
    WarpsPerSm = 33,
    /// 1 float: number of processors.
    SmCount = 34,
    /// 1 float: samples of the framebuffer, at the standard sample locations of Vulkan.
    Samples = 35,
    /// 2 floats: x and y from 0 to 1; `index`: sample.
    SamplePosition = 36,
}

/// Sets a value of GL's state, as GL's command does: glLightfv(GL_LIGHT2, GL_DIFFUSE, color) is
/// `glasm_state_set(state, GLASM_STATE_VARIABLE_LIGHT_DIFFUSE, 2, color, 4)`. Values are not checked:
/// the caller enforces the ranges of GL.
///
/// `state` stays the caller's, and so do `values`, `count` floats. `variable` is a glasm_state_variable,
/// which determines the number of floats and the role of `index`: below 8 for lights and clip planes,
/// 32 for coordinate sets, texture units and samples. Without a role it is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_state_set(
    state: Option<&mut glasm_state>,
    variable: u32,
    index: u32,
    values: *const f32,
    count: usize,
) -> glasm_result {
    catch_to_result(|| {
        let state = &mut require(state, "state")?.0;
        // SAFETY: the caller guarantees that many floats.
        let values = unsafe { ffi_args::read_list(values, count, "values") }?;
        set_value(state, read_number(variable, "variable")?, index, values)
    })
}

/// A variable of GL's state with its value, for glasm_state_set_values.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_state_setting {
    /// Variable that it is of: a glasm_state_variable.
    pub variable: u32,
    /// Light, face, unit, plane or sample that `variable` needs; else 0.
    pub index: u32,
    /// The value: as many floats as `variable` has. The others are ignored.
    pub values: [f32; 4],
}

/// Sets values of GL's state in their order, each like `glasm_state_set`, which takes their numbers of
/// floats as an argument. Values before an invalid one are set.
///
/// `state` stays the caller's, and so do `values`, `count` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_state_set_values(
    state: Option<&mut glasm_state>,
    values: *const glasm_state_setting,
    count: usize,
) -> glasm_result {
    catch_to_result(|| {
        let state = &mut require(state, "state")?.0;
        // SAFETY: the caller guarantees that many values.
        let values = unsafe { ffi_args::read_list(values, count, "values") }?;
        for (number, value) in values.iter().enumerate() {
            let set = |variable: glasm_state_variable| {
                let floats = &value.values[..variable.float_count()];
                set_value(state, variable, value.index, floats)
            };
            let result = read_number(value.variable, "variable").and_then(set);
            result.map_err(|failure| failure.at(&format!("values[{number}]")))?;
        }
        Ok(())
    })
}

impl glasm_state_variable {
    /// Returns the number of floats of a value.
    fn float_count(self) -> usize {
        match self {
            Self::LightSpotExponent
            | Self::LightSpotCutoff
            | Self::MaterialShininess
            | Self::FogDensity
            | Self::FogStart
            | Self::FogEnd
            | Self::PointSize
            | Self::PointSizeMin
            | Self::PointSizeMax
            | Self::PointFadeThreshold
            | Self::DepthClamp
            | Self::LowerLeftOriginHeight
            | Self::WindowHeight
            | Self::WarpSize
            | Self::WarpsPerSm
            | Self::SmCount
            | Self::Samples => 1,
            Self::DepthRange | Self::SamplePosition => 2,
            Self::LightAttenuation | Self::LightSpotDirection | Self::PointAttenuation => 3,
            Self::LightAmbient
            | Self::LightDiffuse
            | Self::LightSpecular
            | Self::LightPosition
            | Self::MaterialAmbient
            | Self::MaterialDiffuse
            | Self::MaterialSpecular
            | Self::MaterialEmission
            | Self::LightModelAmbient
            | Self::TexgenEyePlane
            | Self::TexgenObjectPlane
            | Self::TexenvColor
            | Self::FogColor
            | Self::ClipPlane
            | Self::Viewport => 4,
        }
    }

    /// Returns the number of elements that `index` selects from, of which programs can read all;
    /// 1 for variables without an index.
    fn element_count(self) -> u32 {
        match self {
            Self::LightAmbient
            | Self::LightDiffuse
            | Self::LightSpecular
            | Self::LightPosition
            | Self::LightAttenuation
            | Self::LightSpotDirection
            | Self::LightSpotExponent
            | Self::LightSpotCutoff
            | Self::ClipPlane => 8,
            Self::MaterialAmbient
            | Self::MaterialDiffuse
            | Self::MaterialSpecular
            | Self::MaterialEmission
            | Self::MaterialShininess => 2,
            // Four planes for each coordinate set.
            Self::TexgenEyePlane | Self::TexgenObjectPlane => 4 * 32,
            Self::TexenvColor | Self::SamplePosition => 32,
            Self::LightModelAmbient
            | Self::FogColor
            | Self::FogDensity
            | Self::FogStart
            | Self::FogEnd
            | Self::PointSize
            | Self::PointSizeMin
            | Self::PointSizeMax
            | Self::PointFadeThreshold
            | Self::PointAttenuation
            | Self::DepthRange
            | Self::DepthClamp
            | Self::Viewport
            | Self::LowerLeftOriginHeight
            | Self::WindowHeight
            | Self::WarpSize
            | Self::WarpsPerSm
            | Self::SmCount
            | Self::Samples => 1,
        }
    }

    /// Fails for an index past the last element.
    fn check_index(self, index: u32) -> Result<(), Failure> {
        let count = self.element_count();
        if index < count {
            return Ok(());
        }
        Err(Failure::invalid_argument(if count == 1 {
            format!("`index` is {index}, but must be 0: `variable` has no elements")
        } else {
            format!("`index` is {index}: `variable` has {count} elements")
        }))
    }
}

/// Sets a state variable; `index` selects the light, face, texture unit or plane. Fails if the
/// number of values does not match the variable or `index` is past the last element.
fn set_value(
    state: &mut GlState,
    variable: glasm_state_variable,
    index: u32,
    values: &[f32],
) -> Result<(), Failure> {
    use glasm_state_variable as Variable;
    variable.check_index(index)?;
    match variable {
        Variable::LightAmbient => state.light_mut(index).ambient = read_floats(values)?,
        Variable::LightDiffuse => state.light_mut(index).diffuse = read_floats(values)?,
        Variable::LightSpecular => state.light_mut(index).specular = read_floats(values)?,
        Variable::LightPosition => state.set_light_position(index, read_floats(values)?),
        Variable::LightAttenuation => state.light_mut(index).attenuation = read_floats(values)?,
        Variable::LightSpotDirection => state.set_light_spot_direction(index, read_floats(values)?),
        Variable::LightSpotExponent => state.light_mut(index).spot_exponent = read_float(values)?,
        Variable::LightSpotCutoff => state.light_mut(index).spot_cutoff = read_float(values)?,
        Variable::MaterialAmbient => get_material(state, index)?.ambient = read_floats(values)?,
        Variable::MaterialDiffuse => get_material(state, index)?.diffuse = read_floats(values)?,
        Variable::MaterialSpecular => get_material(state, index)?.specular = read_floats(values)?,
        Variable::MaterialEmission => get_material(state, index)?.emission = read_floats(values)?,
        Variable::MaterialShininess => get_material(state, index)?.shininess = read_float(values)?,
        Variable::LightModelAmbient => state.light_model_ambient = read_floats(values)?,
        Variable::TexgenEyePlane => {
            set_texgen_plane(state, index, TexGenPlane::Eye, read_floats(values)?)?
        }
        Variable::TexgenObjectPlane => {
            set_texgen_plane(state, index, TexGenPlane::Object, read_floats(values)?)?
        }
        Variable::TexenvColor => *state.texenv_color_mut(index) = read_floats(values)?,
        Variable::FogColor => state.fog.color = read_floats(values)?,
        Variable::FogDensity => state.fog.density = read_float(values)?,
        Variable::FogStart => state.fog.start = read_float(values)?,
        Variable::FogEnd => state.fog.end = read_float(values)?,
        Variable::ClipPlane => state.set_clip_plane(index, read_floats(values)?),
        Variable::PointSize => state.point.size = read_float(values)?,
        Variable::PointSizeMin => state.point.min = read_float(values)?,
        Variable::PointSizeMax => state.point.max = read_float(values)?,
        Variable::PointFadeThreshold => state.point.fade_threshold = read_float(values)?,
        Variable::PointAttenuation => state.point.attenuation = read_floats(values)?,
        Variable::DepthRange => state.depth_range = read_floats(values)?,
        Variable::DepthClamp => state.depth_clamp = read_float(values)? != 0.0,
        Variable::Viewport => state.viewport = read_floats(values)?,
        Variable::LowerLeftOriginHeight => {
            state.lower_left_height = Some(read_float(values)?).filter(|height| *height >= 0.0);
        }
        Variable::WindowHeight => state.window_height = read_float(values)?,
        Variable::WarpSize => state.threads.warp_size = read_float(values)? as u32,
        Variable::WarpsPerSm => state.threads.warps_per_sm = read_float(values)? as u32,
        Variable::SmCount => state.threads.sm_count = read_float(values)? as u32,
        Variable::Samples => {
            state.multisample = Multisample::with_standard_locations(read_float(values)? as u32)
        }
        Variable::SamplePosition => set_sample_position(state, index, read_floats(values)?),
    }
    Ok(())
}

/// Returns the floats of a value, of which there must be exactly `N`.
fn read_floats<const N: usize>(values: &[f32]) -> Result<[f32; N], Failure> {
    let count = values.len();
    <[f32; N]>::try_from(values).map_err(|_| {
        let floats = if N == 1 { "float" } else { "floats" };
        Failure::invalid_argument(format!(
            "`count` is {count}, but the value has {N} {floats}"
        ))
    })
}

/// Returns the only float of a value; fails for other numbers of floats.
fn read_float(values: &[f32]) -> Result<f32, Failure> {
    read_floats(values).map(|[value]| value)
}

/// Returns the material of the face that `index` selects; fails if it is neither front nor back.
fn get_material(state: &mut GlState, index: u32) -> Result<&mut Material, Failure> {
    let face: Face = read_number(index, "index")?;
    Ok(state.material_mut(face))
}

/// Sets a plane of texture coordinate generation; `index` is the texture unit times 4 plus the
/// coordinate, from 0 for s to 3 for q.
fn set_texgen_plane(
    state: &mut GlState,
    index: u32,
    plane: TexGenPlane,
    value: [f32; 4],
) -> Result<(), Failure> {
    let coord: TexGenCoord = read_number(index % 4, "index")?;
    match plane {
        TexGenPlane::Eye => state.set_texgen_eye_plane(index / 4, coord, value),
        TexGenPlane::Object => state.texgen_mut(index / 4).object[coord as usize] = value,
    }
    Ok(())
}

/// Sets a sample position. Samples before it that have no position yet are in the middle.
fn set_sample_position(state: &mut GlState, sample: u32, position: [f32; 2]) {
    let positions = &mut state.multisample.locations;
    let n = sample as usize;
    if positions.len() <= n {
        positions.resize(n + 1, [0.5; 2]);
    }
    positions[n] = position;
}

/// Lets four parameters of vertex programs, `address` to `address + 3`, track a matrix
/// (glTrackMatrixNV): they hold its rows from now on. `address` is a multiple of 4, as in GL.
///
/// `state` stays the caller's. `matrix` is a glasm_matrix, `index` its number, `form` a
/// glasm_matrix_form.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_track_matrix(
    state: Option<&mut glasm_state>,
    address: u32,
    matrix: u32,
    index: u32,
    form: u32,
) -> glasm_result {
    catch_to_result(|| {
        let state = require(state, "state")?;
        let matrix = read_number(matrix, "matrix")?;
        let matrix = to_tracked_matrix(matrix, check_matrix_index(matrix, index)?);
        let tracking = MatrixTracking {
            matrix: matrix.ok_or_else(|| {
                Failure::invalid_argument("parameters cannot track this `matrix`")
            })?,
            form: read_number::<MatrixForm>(form, "form")?,
        };
        let address = check_tracking_address(address)?;
        state.0.track_matrix(address, Some(tracking));
        Ok(())
    })
}

/// Ends tracking (glTrackMatrixNV with NONE). The parameters keep the rows that they held: `rows`
/// is set to them, for the caller to store, or to zeros if no matrix was tracked.
///
/// `state` stays the caller's. `rows` is NULL, or points to memory of the caller for 16 floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_state_untrack_matrix(
    state: Option<&mut glasm_state>,
    address: u32,
    rows: *mut f32,
) -> glasm_result {
    catch_to_result(|| {
        let state = require(state, "state")?;
        let last_rows = state.0.track_matrix(check_tracking_address(address)?, None);
        if rows.is_null() {
            return Ok(());
        }
        // SAFETY: the caller provides memory for four rows.
        unsafe { ffi_args::write_array(rows.cast(), last_rows.unwrap_or_default(), "rows") }
    })
}

/// Returns 1 if a parameter of vertex programs tracks a matrix, else 0.
///
/// `state` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_is_matrix_tracked(
    state: Option<&glasm_state>,
    address: u32,
) -> crate::enums::glasm_bool {
    catch_or(0, || {
        let state = require(state, "state")?;
        Ok(state.0.get_tracking(address).is_some().into())
    })
}

/// Computes the value of a state.* parameter. `glasm_shader_fill_parameter_block` does so for all
/// parameters of a shader at once.
///
/// `state` and `parameter` stay the caller's. `values` points to memory of the caller for four
/// floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_state_evaluate_parameter(
    state: Option<&glasm_state>,
    parameter: Option<&glasm_state_parameter>,
    values: *mut f32,
) -> glasm_result {
    catch_to_result(|| {
        let state = require(state, "state")?;
        let found = state
            .0
            .evaluate_param(read_parameter(require(parameter, "parameter")?)?);
        // SAFETY: the caller provides memory for four floats.
        unsafe { ffi_args::write_array(values, found, "values") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enums::CNumber;

    #[test]
    fn every_value_takes_some_number_of_floats() {
        let mut known = 0;
        while let Some(value) = glasm_state_variable::read(known) {
            let mut state = GlState::default();
            let last = value.element_count() - 1;
            let mut set = |index, count| set_value(&mut state, value, index, &[0.25; 4][..count]);
            let takes: Vec<_> = (1..5).filter(|&count| set(last, count).is_ok()).collect();
            assert_eq!(takes, [value.float_count()], "{value:?}");
            assert!(set(last + 1, takes[0]).is_err(), "{value:?}");
            known += 1;
        }
        assert_eq!(known, glasm_state_variable::SamplePosition as u32 + 1);
    }

    #[test]
    fn numbers_have_a_limit() {
        assert!(check_index(INDEX_LIMIT - 1, "index").is_ok());
        assert!(check_index(INDEX_LIMIT, "index").is_err());
    }
}
