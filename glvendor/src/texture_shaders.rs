//! Texture shaders: NV_texture_shader, NV_texture_shader2, NV_texture_shader3. Their state in a
//! context, the commands that change it, and the fragment program that executes it.
//!
//! `glasm::fixed_function` generates the program for the state of stages, textures, register
//! combiners and texture environments. It is selected like one of the application, unless a
//! fragment program or shaders are enabled; offset matrices, scales, biases and eye vectors are its
//! local parameters. The program also draws without texture shaders if a texture has a format of
//! NV_texture_shader or an environment is `NONE`, which the driver does not know.

use crate::context::{State, StateGroups};
use crate::ffi::{driver, driver_state};
use crate::fixed_function_key::{self, ShaderTextures};
use crate::generated_programs::{self, GeneratedPrograms};
use crate::program_commands::{INVALID_ENUM, INVALID_OPERATION};
use crate::share_group::Program;
use crate::texture_formats;
use crate::texture_images::{self, ImageRegion, TextureImage};
use glasm::fixed_function::{
    COMBINER_CONSTANTS, CullMode, DotProductMapping, MAX_TEXTURE_UNITS, ShaderOperation,
    TEXTURE_SHADER_CONSTANTS, TextureFormatType, TextureShaderKey, TextureShaderStage,
    find_consistent_stages, generate_texture_shader_program,
};
use std::sync::Arc;

/// `TEXTURE_SHADER_NV`: capability, and target of texture environments.
pub(crate) const TEXTURE_SHADER: u32 = 0x86DE;
/// `TEXTURE_ENV`, `TEXTURE_ENV_MODE`
const TEXTURE_ENV: u32 = 0x2300;
const TEXTURE_ENV_MODE: u32 = 0x2200;
/// Mode in the driver of environments that the application has set to `NONE`: `ADD`. Another mode
/// in the driver is one that the application has set since, in a display list.
const MODE_OF_NONE: u32 = 0x0104;
const SHADER_CONSISTENT: u32 = 0x86DD;
const DOT_PRODUCT_MAPPING: u32 = 0x86D9;
const SHADER_OPERATION: u32 = 0x86DF;
const CULL_MODES: u32 = 0x86E0;
const OFFSET_MATRIX: u32 = 0x86E1;
const OFFSET_SCALE: u32 = 0x86E2;
const OFFSET_BIAS: u32 = 0x86E3;
const PREVIOUS_INPUT: u32 = 0x86E4;
const CONST_EYE: u32 = 0x86E5;
/// `HI_SCALE_NV`; the other scales and then the biases are the next numbers.
const HI_SCALE: u32 = 0x870E;

/// State that `PushAttrib` saves: `TEXTURE_BIT`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureShaderState {
    /// `TEXTURE_SHADER_NV`, also part of `ENABLE_BIT`.
    pub(crate) is_enabled: bool,
    stages: [TextureShaderStage; MAX_TEXTURE_UNITS],
    /// Offset matrix, scale and bias, eye vector of each stage.
    vectors: [[f32; 4]; TEXTURE_SHADER_CONSTANTS],
    /// Bit n: the environment of unit n is `NONE`, if its mode in the driver is [`MODE_OF_NONE`].
    passing_units: u8,
    /// Scale and bias of HI, LO, DS, DT, MAGNITUDE and VIBRANCE, which are part of `PIXEL_MODE_BIT`
    /// instead.
    pub(crate) transfers: [[f32; 2]; texture_formats::TRANSFERS],
}

impl Default for TextureShaderState {
    /// Returns table 6.TextureShaders.
    fn default() -> Self {
        let mut vectors = [[0.0; 4]; TEXTURE_SHADER_CONSTANTS];
        let (stages, _) = vectors.as_chunks_mut();
        for [matrix, scale, eye] in stages {
            *matrix = [1.0, 0.0, 0.0, 1.0];
            *scale = [1.0, 0.0, 0.0, 0.0];
            *eye = [0.0, 0.0, -1.0, 0.0];
        }
        Self {
            is_enabled: false,
            stages: [TextureShaderStage::default(); MAX_TEXTURE_UNITS],
            vectors,
            passing_units: 0,
            transfers: [[1.0, 0.0]; texture_formats::TRANSFERS],
        }
    }
}

/// Texture shaders of a context.
#[derive(Debug, Default)]
pub(crate) struct TextureShaders {
    pub(crate) state: TextureShaderState,
    programs: GeneratedPrograms<TextureShaderKey>,
}

/// Texture unit whose environment a command names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EnvironmentUnit {
    /// The active one: `TexEnv`.
    Active,
    /// `TEXTUREn`: `MultiTexEnv` of EXT_direct_state_access.
    Named(u32),
}

/// Command in display lists.
#[derive(Clone, Debug)]
pub(crate) enum TextureShaderCommand {
    /// `Enable` or `Disable` of `TEXTURE_SHADER_NV`.
    Enable(bool),
    /// `TexEnv` of the target `TEXTURE_SHADER_NV`: name, values.
    Stage(EnvironmentUnit, u32, [f32; 4]),
    /// `TexEnv` with the mode `NONE`.
    PassColor(EnvironmentUnit),
    /// `PixelTransfer`: name, value.
    PixelTransfer(u32, f32),
    /// `TexImage` or `TexSubImage` with pixels of this library.
    Image(Arc<TextureImage>),
    /// `TexImage` or `CopyTexImage` of a color format that a list of the driver executes: list,
    /// image, internal format.
    NativeImage(u32, ImageRegion, u32),
}

/// Returns the number of values of a parameter of the target `TEXTURE_SHADER_NV`; `None` for names
/// of no parameter that can be set.
pub(crate) fn count_parameter_values(name: u32) -> Option<usize> {
    match name {
        DOT_PRODUCT_MAPPING | SHADER_OPERATION | OFFSET_SCALE | OFFSET_BIAS | PREVIOUS_INPUT => {
            Some(1)
        }
        CONST_EYE => Some(3),
        CULL_MODES | OFFSET_MATRIX => Some(4),
        _ => None,
    }
}

/// Returns true for a mode of texture environments that this library sets: `NONE`.
pub(crate) fn is_pass_mode(target: u32, name: u32, value: f32) -> bool {
    is_environment_mode(target, name) && value == 0.0
}

/// Returns true for the parameter that has the mode of a texture environment.
pub(crate) fn is_environment_mode(target: u32, name: u32) -> bool {
    target == TEXTURE_ENV && name == TEXTURE_ENV_MODE
}

/// Returns true for the scales and biases of pixel transfers that this library has.
pub(crate) fn is_pixel_transfer(name: u32) -> bool {
    find_transfer(name).is_some()
}

/// Returns the component, and 0 for its scale or 1 for its bias, of a name of pixel transfers.
fn find_transfer(name: u32) -> Option<(usize, usize)> {
    let index = name.checked_sub(HI_SCALE)? as usize;
    let transfers = texture_formats::TRANSFERS;
    (index < 2 * transfers).then_some((index % transfers, index / transfers))
}

/// Returns the enumerant that a number of a command denotes; `Err` is GL's error.
fn parse_enumerant(value: f32) -> Result<u32, u32> {
    let number = value as u32;
    (number as f32 == value)
        .then_some(number)
        .ok_or(INVALID_ENUM)
}

/// Returns the number of texture units.
fn query_units() -> usize {
    driver_state::integer(0x84E2).clamp(0, MAX_TEXTURE_UNITS as i32) as usize
}

/// Returns the number of a texture unit; `Err` is GL's error for units that have coordinates or
/// images only.
fn find_unit(unit: EnvironmentUnit) -> Result<usize, u32> {
    let name = match unit {
        EnvironmentUnit::Active => driver_state::integer(0x84E0) as u32,
        EnvironmentUnit::Named(name) => name,
    };
    let unit = name.checked_sub(0x84C0).ok_or(INVALID_OPERATION)? as usize;
    (unit < query_units())
        .then_some(unit)
        .ok_or(INVALID_OPERATION)
}

impl TextureShaderState {
    /// Sets a parameter of the stage of a unit, of `units` ones. `Err` is GL's error; then nothing
    /// changes. NV_texture_shader, "Errors".
    fn set_parameter(
        &mut self,
        (unit, units): (usize, usize),
        name: u32,
        values: [f32; 4],
    ) -> Result<(), u32> {
        let stage = &mut self.stages[unit];
        let vectors = &mut self.vectors[3 * unit..3 * unit + 3];
        match name {
            SHADER_OPERATION => {
                let operation = ShaderOperation::from_enumerant(parse_enumerant(values[0])?);
                let operation = operation.ok_or(INVALID_ENUM)?;
                if !operation.is_allowed(unit, units) {
                    return Err(INVALID_OPERATION);
                }
                stage.operation = operation;
            }
            PREVIOUS_INPUT => {
                let previous = parse_enumerant(values[0])?.checked_sub(0x84C0);
                let previous = previous.ok_or(INVALID_ENUM)? as usize;
                if previous >= MAX_TEXTURE_UNITS {
                    return Err(INVALID_ENUM);
                } else if previous >= unit {
                    return Err(INVALID_OPERATION);
                }
                stage.previous_input = previous as u8;
            }
            DOT_PRODUCT_MAPPING => {
                let mapping = DotProductMapping::from_enumerant(parse_enumerant(values[0])?);
                stage.mapping = mapping.ok_or(INVALID_ENUM)?;
            }
            CULL_MODES => {
                let mut modes = stage.cull_modes;
                for (mode, value) in modes.iter_mut().zip(values) {
                    let known = CullMode::from_enumerant(parse_enumerant(value)?);
                    *mode = known.ok_or(INVALID_ENUM)?;
                }
                stage.cull_modes = modes;
            }
            OFFSET_MATRIX => vectors[0] = values,
            OFFSET_SCALE => vectors[1][0] = values[0],
            OFFSET_BIAS => vectors[1][1] = values[0],
            CONST_EYE => vectors[2] = [values[0], values[1], values[2], 0.0],
            _ => return Err(INVALID_ENUM),
        }
        Ok(())
    }

    /// Returns the values of a parameter of the stage of a unit, with their number; `None` for
    /// unknown names and for the consistency, which depends on textures.
    fn get_parameter(&self, unit: usize, name: u32) -> Option<([f32; 4], usize)> {
        let stage = &self.stages[unit];
        let vectors = &self.vectors[3 * unit..3 * unit + 3];
        let number = |value: u32| [value as f32, 0.0, 0.0, 0.0];
        let values = match name {
            SHADER_OPERATION => number(stage.operation.enumerant()),
            PREVIOUS_INPUT => number(0x84C0 + u32::from(stage.previous_input)),
            DOT_PRODUCT_MAPPING => number(stage.mapping.enumerant()),
            CULL_MODES => stage.cull_modes.map(|mode| mode.enumerant() as f32),
            OFFSET_MATRIX => vectors[0],
            OFFSET_SCALE => [vectors[1][0], 0.0, 0.0, 0.0],
            OFFSET_BIAS => [vectors[1][1], 0.0, 0.0, 0.0],
            CONST_EYE => vectors[2],
            _ => return None,
        };
        Some((values, count_parameter_values(name)?))
    }
}

/// Executes a command and records its error. Programs are selected again unless only a vector has
/// changed, which is a parameter of the selected program.
pub(crate) fn execute(state: &mut State, command: &TextureShaderCommand) {
    let shaders = &mut state.extensions.texture_shaders;
    match command {
        TextureShaderCommand::Enable(enabled) => shaders.state.is_enabled = *enabled,
        TextureShaderCommand::Stage(unit, name, values) => {
            let set = |unit| {
                let place = (unit, query_units());
                shaders.state.set_parameter(place, *name, *values)
            };
            if let Err(error) = find_unit(*unit).and_then(set) {
                return state.record_error(error);
            }
            if matches!(
                *name,
                OFFSET_MATRIX | OFFSET_SCALE | OFFSET_BIAS | CONST_EYE
            ) {
                return write_parameters(state);
            }
        }
        TextureShaderCommand::PassColor(unit) => match find_unit(*unit) {
            Ok(unit) => {
                shaders.state.passing_units |= 1 << unit;
                crate::state_snapshot::for_each_unit(1 << unit, |_| {
                    driver::TexEnvi(TEXTURE_ENV, TEXTURE_ENV_MODE, MODE_OF_NONE as i32);
                });
            }
            Err(error) => return state.record_error(error),
        },
        TextureShaderCommand::PixelTransfer(name, value) => {
            if let Some((component, part)) = find_transfer(*name) {
                shaders.state.transfers[component][part] = *value;
            }
            return;
        }
        TextureShaderCommand::Image(image) => return texture_images::define_image(state, image),
        TextureShaderCommand::NativeImage(list, region, internal) => {
            state.textures_change();
            driver::CallList(*list);
            let row = texture_formats::find_format(*internal);
            texture_formats::record_image_format(state, region.target, region.level, row);
            return;
        }
    }
    state.mark_changed(StateGroups::PROGRAMS | StateGroups::TEXENV);
}

/// Records that the application sets the mode of the environment of a unit to another one than
/// `NONE`.
pub(crate) fn note_environment_mode(state: &mut State, unit: EnvironmentUnit) {
    let is_open = state.is_inside_begin_end || state.recording.is_some();
    let passing = &mut state.extensions.texture_shaders.state.passing_units;
    if *passing != 0
        && !is_open
        && let Ok(unit) = find_unit(unit)
    {
        *passing &= !(1 << unit);
    }
}

/// Returns the values of a query of texture environments, with their number: all of the target
/// `TEXTURE_SHADER_NV`, and the mode `NONE`. `Err` is GL's error; `None` leaves the query to the
/// driver.
pub(crate) fn query_environment(
    state: &mut State,
    unit: EnvironmentUnit,
    target: u32,
    name: u32,
) -> Option<Result<([f32; 4], usize), u32>> {
    if !state.capabilities.works {
        return None;
    }
    if state.is_inside_begin_end {
        return Some(Err(INVALID_OPERATION));
    }
    if is_environment_mode(target, name) {
        let unit = find_unit(unit).ok()?;
        let is_passing = read_passing_units(state) >> unit & 1 != 0;
        return is_passing.then_some(Ok(([0.0; 4], 1)));
    }
    if target != TEXTURE_SHADER {
        return None;
    }
    Some(find_unit(unit).and_then(|unit| match name {
        SHADER_CONSISTENT => {
            let key = read_key(state, true, false);
            let is_consistent = find_consistent_stages(&key) >> unit & 1;
            Ok(([f32::from(is_consistent), 0.0, 0.0, 0.0], 1))
        }
        _ => {
            let shaders = &state.extensions.texture_shaders.state;
            shaders.get_parameter(unit, name).ok_or(INVALID_ENUM)
        }
    }))
}

/// Restores the state that `PushAttrib` has saved. The caller marks all state as changed.
pub(crate) fn restore(state: &mut State, saved: TextureShaderState) {
    let transfers = state.extensions.texture_shaders.state.transfers;
    state.extensions.texture_shaders.state = TextureShaderState { transfers, ..saved };
    write_parameters(state);
}

impl TextureShaders {
    /// Returns whether a capability is enabled; `None` for those of others.
    pub(crate) fn is_enabled(&self, capability: u32) -> Option<bool> {
        (capability == TEXTURE_SHADER).then_some(self.state.is_enabled)
    }

    /// Returns the scale or bias of a name of pixel transfers; `None` for other names.
    pub(crate) fn query_float(&self, name: u32) -> Option<f32> {
        find_transfer(name).map(|(component, part)| self.state.transfers[component][part])
    }
}

/// Returns the command that enables or disables a capability; `None` for capabilities of others.
pub(crate) fn enable_command(capability: u32, enabled: bool) -> Option<TextureShaderCommand> {
    (capability == TEXTURE_SHADER).then_some(TextureShaderCommand::Enable(enabled))
}

/// Sets the parameters of the selected program to the constant colors of combiners and the vectors
/// of stages.
pub(crate) fn write_parameters(state: &State) {
    let shaders = &state.extensions.texture_shaders;
    let constants = state.extensions.combiners.state.constants();
    shaders.programs.set_locals(|| {
        let mut values = [[0.0; 4]; COMBINER_CONSTANTS + TEXTURE_SHADER_CONSTANTS];
        let (colors, vectors) = values.split_at_mut(COMBINER_CONSTANTS);
        colors.copy_from_slice(constants);
        vectors.copy_from_slice(&shaders.state.vectors);
        values
    });
}

/// Returns true if the program of texture shaders may draw: they are enabled, an environment is
/// `NONE`, or a texture of the share group has a format of NV_texture_shader.
pub(crate) fn may_draw(state: &State) -> bool {
    let shaders = &state.extensions.texture_shaders.state;
    shaders.is_enabled || shaders.passing_units != 0 || texture_formats::are_formats_used(state)
}

/// Returns the mask of the units whose environment is `NONE`.
fn read_passing_units(state: &State) -> u8 {
    let mut passing = state.extensions.texture_shaders.state.passing_units;
    crate::state_snapshot::for_each_unit(passing.into(), |unit| {
        let [mode] = driver_state::tex_env_mode(TEXTURE_ENV, TEXTURE_ENV_MODE);
        if mode as u32 != MODE_OF_NONE {
            passing &= !(1 << unit);
        }
    });
    passing
}

/// Reads the key of the program from the driver, with stages or without; units with incomplete
/// textures have no target.
fn read_key(state: &mut State, has_stages: bool, has_vertex_program: bool) -> TextureShaderKey {
    let shaders = &state.extensions.texture_shaders.state;
    let stages = has_stages.then_some(shaders.stages);
    let combiners = &state.extensions.combiners.state;
    let combiners = combiners.is_enabled.then_some(combiners.combiners);
    let ShaderTextures {
        mut fragment,
        depth_texture_mask,
        format_types,
    } = fixed_function_key::read_shader_textures(state, stages.as_ref(), has_vertex_program);
    state
        .draw_state
        .lookups
        .disable_incomplete_units(&mut fragment);
    TextureShaderKey {
        fragment,
        depth_texture_mask,
        combiners: combiners.map(fixed_function_key::reset_inactive_stages),
        format_types,
        passing_units: read_passing_units(state),
        stages,
    }
}

/// Returns the fragment program of the current state of texture shaders, textures, combiners and
/// environments; generates it if it is new. `None` if texture shaders are disabled and neither a
/// texture nor an environment needs it. Reads state of the driver.
pub(crate) fn select_program(state: &mut State, has_vertex_program: bool) -> Option<Arc<Program>> {
    if !may_draw(state) {
        return None;
    }
    let is_enabled = state.extensions.texture_shaders.state.is_enabled;
    let key = read_key(state, is_enabled, has_vertex_program);
    let is_plain = |ty: &TextureFormatType| *ty == TextureFormatType::UnsignedRgba;
    let is_plain = key.format_types.iter().all(is_plain) && key.passing_units == 0;
    if !is_enabled && is_plain {
        return None;
    }
    let program = generated_programs::select(
        state,
        |state| &mut state.extensions.texture_shaders.programs,
        key,
        "texture shaders",
        generate_texture_shader_program,
    )?;
    write_parameters(state);
    Some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the errors of NV_texture_shader section 3.8.13.2 and of the list of errors.
    #[test]
    fn stages_have_the_parameters_that_units_allow() {
        let set = |unit, name, value: u32| {
            let values = [value as f32, 0.0, 0.0, 0.0];
            TextureShaderState::default().set_parameter((unit, 4), name, values)
        };
        const DOT_PRODUCT: u32 = 0x86EC;
        assert_eq!(
            set(0, SHADER_OPERATION, DOT_PRODUCT),
            Err(INVALID_OPERATION)
        );
        assert_eq!(set(1, SHADER_OPERATION, DOT_PRODUCT), Ok(()));
        assert_eq!(
            set(3, SHADER_OPERATION, DOT_PRODUCT),
            Err(INVALID_OPERATION)
        );
        assert_eq!(set(1, SHADER_OPERATION, 0x86EE), Err(INVALID_OPERATION));
        assert_eq!(set(2, SHADER_OPERATION, 0x86EE), Ok(()));
        assert_eq!(set(2, SHADER_OPERATION, 0x86F2), Err(INVALID_OPERATION));
        assert_eq!(set(3, SHADER_OPERATION, 0x86F2), Ok(()));
        assert_eq!(set(3, SHADER_OPERATION, 0x86F4), Err(INVALID_ENUM));
        assert_eq!(set(2, PREVIOUS_INPUT, 0x84C1), Ok(()));
        assert_eq!(set(2, PREVIOUS_INPUT, 0x84C2), Err(INVALID_OPERATION));
        assert_eq!(set(2, PREVIOUS_INPUT, 0x84C8), Err(INVALID_ENUM));
        assert_eq!(set(2, PREVIOUS_INPUT, 0), Err(INVALID_ENUM));
        assert_eq!(set(2, DOT_PRODUCT_MAPPING, 0x8860), Ok(()));
        assert_eq!(set(2, DOT_PRODUCT_MAPPING, 0x8537), Err(INVALID_ENUM));
        assert_eq!(set(2, SHADER_CONSISTENT, 0), Err(INVALID_ENUM));
        let mut state = TextureShaderState::default();
        let modes = [0x0201, 0x0206, 0x0201, 0x0201].map(|mode| mode as f32);
        assert_eq!(state.set_parameter((0, 4), CULL_MODES, modes), Ok(()));
        let [a, b, c, _] = modes;
        let error = state.set_parameter((0, 4), CULL_MODES, [b, a, c, f32::NAN]);
        assert_eq!(error, Err(INVALID_ENUM));
        assert_eq!(state.get_parameter(0, CULL_MODES), Some((modes, 4)));
    }

    /// Checks table 6.TextureShaders.
    #[test]
    fn initial_values() {
        let state = TextureShaderState::default();
        let value = |name| state.get_parameter(5, name).map(|(values, _)| values);
        let number = |value: u32| Some([value as f32, 0.0, 0.0, 0.0]);
        assert_eq!(value(SHADER_OPERATION), number(0));
        assert_eq!(value(CULL_MODES), Some([0x0206 as f32; 4]));
        assert_eq!(value(DOT_PRODUCT_MAPPING), number(0x8536));
        assert_eq!(value(PREVIOUS_INPUT), number(0x84C0));
        assert_eq!(value(CONST_EYE), Some([0.0, 0.0, -1.0, 0.0]));
        assert_eq!(value(OFFSET_MATRIX), Some([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(value(OFFSET_SCALE), number(1));
        assert_eq!(value(OFFSET_BIAS), number(0));
        assert_eq!(value(SHADER_CONSISTENT), None);
        assert_eq!(find_transfer(0x870E), Some((0, 0)));
        assert_eq!(find_transfer(0x8719), Some((5, 1)));
        assert_eq!([find_transfer(0x870D), find_transfer(0x871A)], [None; 2]);
    }
}
