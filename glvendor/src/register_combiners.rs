//! Register combiners: NV_register_combiners, NV_register_combiners2. Their state in a context, the
//! commands that change it, and the fragment program that executes it.
//!
//! `glasm::fixed_function` generates the program for the state of combiners, textures and fog. It
//! is selected like one of the application, unless a fragment program or shaders are enabled; the
//! constant colors are its local parameters.

use crate::context::{State, StateGroups};
use crate::ffi::driver_state;
use crate::fixed_function_key;
use crate::generated_programs::{self, GeneratedPrograms};
use crate::program_commands::{INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};
use crate::share_group::Program;
use crate::texture_shaders;
use glasm::fixed_function::{
    COMBINER_CONSTANTS, CombinerInput, CombinerKey, CombinerPortion, CombinerRegister,
    ComponentUsage, InputMapping, MAX_GENERAL_COMBINERS, OutputScale, RegisterCombiners,
    generate_combiner_program,
};
use std::sync::Arc;

/// `REGISTER_COMBINERS_NV`
const REGISTER_COMBINERS: u32 = 0x8522;
/// `PER_STAGE_CONSTANTS_NV`
const PER_STAGE_CONSTANTS: u32 = 0x8535;
/// `VARIABLE_A_NV`; the other variables are the next numbers.
const VARIABLE_A: u32 = 0x8523;
/// `CONSTANT_COLOR0_NV`; `CONSTANT_COLOR1_NV` is the next number.
const CONSTANT_COLOR0: u32 = 0x852A;
/// `DISCARD_NV`
const DISCARD: u32 = 0x8530;
/// `BIAS_BY_NEGATIVE_ONE_HALF_NV`
const BIAS: u32 = 0x8541;
/// `MAX_GENERAL_COMBINERS_NV`
const MAX_COMBINERS: u32 = 0x854D;
/// `NUM_GENERAL_COMBINERS_NV`
const NUM_COMBINERS: u32 = 0x854E;
/// `COLOR_SUM_CLAMP_NV`
const COLOR_SUM_CLAMP: u32 = 0x854F;
/// `COMBINER0_NV`; the other stages are the next numbers.
const COMBINER0: u32 = 0x8550;
/// `RGB` and `ALPHA`: portions of stages.
const RGB: u32 = 0x1907;
const ALPHA: u32 = 0x1906;

/// State that `PushAttrib` saves: `TEXTURE_BIT`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CombinerState {
    /// `REGISTER_COMBINERS_NV`, also part of `ENABLE_BIT`.
    pub(crate) is_enabled: bool,
    /// The combiners; `PER_STAGE_CONSTANTS_NV` is also part of `ENABLE_BIT`.
    pub(crate) combiners: RegisterCombiners,
    /// Constant colors in the order of the program's local parameters.
    constants: [[f32; 4]; COMBINER_CONSTANTS],
}

impl CombinerState {
    /// Returns the constant colors in the order of the program's local parameters.
    pub(crate) fn constants(&self) -> &[[f32; 4]; COMBINER_CONSTANTS] {
        &self.constants
    }
}

impl Default for CombinerState {
    fn default() -> Self {
        Self {
            is_enabled: false,
            combiners: RegisterCombiners::default(),
            constants: [[0.0; 4]; COMBINER_CONSTANTS],
        }
    }
}

/// Register combiners of a context.
#[derive(Debug, Default)]
pub(crate) struct Combiners {
    pub(crate) state: CombinerState,
    programs: GeneratedPrograms<CombinerKey>,
}

/// Arguments of `CombinerOutputNV` after stage and portion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputArguments {
    /// `abOutput`, `cdOutput`, `sumOutput`
    pub(crate) registers: [u32; 3],
    pub(crate) scale: u32,
    pub(crate) bias: u32,
    /// `abDotProduct`, `cdDotProduct`
    pub(crate) dot_products: [bool; 2],
    pub(crate) selects: bool,
}

/// Command in display lists.
#[derive(Clone, Debug)]
pub(crate) enum CombinerCommand {
    /// `Enable` or `Disable` of `REGISTER_COMBINERS_NV` or `PER_STAGE_CONSTANTS_NV`.
    Enable(u32, bool),
    /// `CombinerParameter` with a color or, in the first component, with a number.
    Parameter(u32, [f32; 4]),
    /// `CombinerStageParameterfvNV`: stage, name, color.
    StageParameter(u32, u32, [f32; 4]),
    /// `CombinerInputNV`: stage, portion, variable; input, mapping, component usage.
    Input([u32; 3], [u32; 3]),
    /// `CombinerOutputNV`: stage, portion.
    Output([u32; 2], OutputArguments),
    /// `FinalCombinerInputNV`: variable; input, mapping, component usage.
    FinalInput(u32, [u32; 3]),
}

/// Returns the number of values of a parameter of `CombinerParameter*vNV`: 4 for colors; `None` for
/// names of no parameter. Table NV_register_combiners.3.
pub(crate) fn count_parameter_values(name: u32) -> Option<usize> {
    match name {
        NUM_COMBINERS | COLOR_SUM_CLAMP => Some(1),
        _ => find_color(name).map(|_| 4),
    }
}

/// Returns 0 or 1 for the name of a constant color; `None` for other names.
pub(crate) fn find_color(name: u32) -> Option<usize> {
    let index = name.checked_sub(CONSTANT_COLOR0)?;
    usize::try_from(index).ok().filter(|index| *index < 2)
}

/// Returns the number of a general combiner stage; `Err` is GL's error.
pub(crate) fn find_stage(stage: u32) -> Result<usize, u32> {
    let index = stage.checked_sub(COMBINER0).ok_or(INVALID_ENUM)? as usize;
    (index < MAX_GENERAL_COMBINERS)
        .then_some(index)
        .ok_or(INVALID_ENUM)
}

/// Returns the number of a variable among the first `count` ones; `Err` is GL's error.
fn find_variable(variable: u32, count: usize) -> Result<usize, u32> {
    let index = variable.checked_sub(VARIABLE_A).ok_or(INVALID_ENUM)? as usize;
    (index < count).then_some(index).ok_or(INVALID_ENUM)
}

/// Returns the portion of a stage of these names; `Err` is GL's error.
fn find_portion(
    combiners: &mut RegisterCombiners,
    [stage, portion]: [u32; 2],
) -> Result<&mut CombinerPortion, u32> {
    let stage = &mut combiners.general[find_stage(stage)?];
    match portion {
        RGB => Ok(&mut stage.rgb),
        ALPHA => Ok(&mut stage.alpha),
        _ => Err(INVALID_ENUM),
    }
}

/// Returns the register of an enumerant; `Err` is GL's error, also for texture units beyond
/// `MAX_TEXTURE_UNITS`.
fn find_register(name: u32) -> Result<CombinerRegister, u32> {
    let register = CombinerRegister::from_enumerant(name).ok_or(INVALID_ENUM)?;
    match register.texture_unit() {
        Some(unit) if unit >= driver_state::integer(0x84E2).max(0) as usize => Err(INVALID_ENUM),
        Some(_) | None => Ok(register),
    }
}

/// Returns the assignment of a variable by the arguments input, mapping and component usage; `Err`
/// is GL's error.
fn find_input([register, mapping, usage]: [u32; 3]) -> Result<CombinerInput, u32> {
    Ok(CombinerInput {
        register: find_register(register)?,
        mapping: InputMapping::from_enumerant(mapping).ok_or(INVALID_ENUM)?,
        usage: ComponentUsage::from_enumerant(usage).ok_or(INVALID_ENUM)?,
    })
}

/// Returns true for the two pseudo-registers of the final combiner.
fn is_pseudo(register: CombinerRegister) -> bool {
    matches!(
        register,
        CombinerRegister::ETimesF | CombinerRegister::Spare0PlusSecondary
    )
}

impl CombinerState {
    /// Executes a command. `Err` is GL's error; then nothing changes. NV_register_combiners,
    /// "Errors".
    fn execute(&mut self, command: &CombinerCommand) -> Result<(), u32> {
        match command {
            CombinerCommand::Enable(REGISTER_COMBINERS, enabled) => self.is_enabled = *enabled,
            CombinerCommand::Enable(_, enabled) => self.combiners.per_stage_constants = *enabled,
            CombinerCommand::Parameter(name, value) => self.set_parameter(*name, *value)?,
            CombinerCommand::StageParameter(stage, name, color) => {
                let stage = find_stage(*stage)?;
                let index = find_color(*name).ok_or(INVALID_ENUM)?;
                self.constants[2 + 2 * stage + index] = color.map(|it| it.clamp(0.0, 1.0));
            }
            CombinerCommand::Input([stage, portion, variable], input) => {
                self.set_input([*stage, *portion], *variable, *input)?;
            }
            CombinerCommand::Output(place, arguments) => self.set_output(*place, arguments)?,
            CombinerCommand::FinalInput(variable, input) => {
                self.set_final_input(*variable, *input)?;
            }
        }
        Ok(())
    }

    /// Executes `CombinerParameter`. The number of combiners may be `MAX_GENERAL_COMBINERS_NV`:
    /// section 3.8.12.1 excludes greater numbers only, unlike the list of errors.
    fn set_parameter(&mut self, name: u32, value: [f32; 4]) -> Result<(), u32> {
        match name {
            NUM_COMBINERS => {
                let count = value[0].round();
                if !(1.0..=MAX_GENERAL_COMBINERS as f32).contains(&count) {
                    return Err(INVALID_VALUE);
                }
                self.combiners.count = count as u8;
            }
            COLOR_SUM_CLAMP => self.combiners.clamps_color_sum = value[0] != 0.0,
            _ => {
                let index = find_color(name).ok_or(INVALID_ENUM)?;
                self.constants[index] = value.map(|it| it.clamp(0.0, 1.0));
            }
        }
        Ok(())
    }

    /// Executes `CombinerInputNV`: section 3.8.12.2.
    fn set_input(&mut self, place: [u32; 2], variable: u32, input: [u32; 3]) -> Result<(), u32> {
        let portion = find_portion(&mut self.combiners, place)?;
        let variable = &mut portion.inputs[find_variable(variable, 4)?];
        let input = find_input(input)?;
        if is_pseudo(input.register) {
            return Err(INVALID_ENUM);
        }
        let is_invalid = match input.usage {
            ComponentUsage::Rgb => place[1] == ALPHA,
            ComponentUsage::Blue => place[1] == RGB,
            ComponentUsage::Alpha => input.register == CombinerRegister::Fog,
        };
        if is_invalid {
            return Err(INVALID_OPERATION);
        }
        *variable = input;
        Ok(())
    }

    /// Executes `CombinerOutputNV`: section 3.8.12.2.
    fn set_output(&mut self, place: [u32; 2], arguments: &OutputArguments) -> Result<(), u32> {
        let portion = find_portion(&mut self.combiners, place)?;
        let mut outputs = [None; 3];
        for (output, name) in outputs.iter_mut().zip(arguments.registers) {
            if name != DISCARD {
                let register = find_register(name)?;
                *output = Some(register).filter(|it| it.is_writable());
                output.ok_or(INVALID_ENUM)?;
            }
        }
        let scale = OutputScale::from_enumerant(arguments.scale).ok_or(INVALID_ENUM)?;
        if !matches!(arguments.bias, 0 | BIAS) {
            return Err(INVALID_ENUM);
        }
        if place[1] == ALPHA && arguments.dot_products != [false; 2] {
            return Err(INVALID_VALUE);
        }
        let has_bias = arguments.bias == BIAS;
        let [ab, cd, sum] = outputs;
        let is_equal = |one: Option<_>, other| one.is_some() && one == other;
        if has_bias && matches!(scale, OutputScale::Half | OutputScale::Four)
            || is_equal(ab, cd)
            || is_equal(ab, sum)
            || is_equal(cd, sum)
        {
            return Err(INVALID_OPERATION);
        }
        *portion = CombinerPortion {
            inputs: portion.inputs,
            outputs,
            scale,
            has_bias,
            dot_products: arguments.dot_products,
            selects: arguments.selects,
        };
        Ok(())
    }

    /// Executes `FinalCombinerInputNV`: section 3.8.12.3.
    fn set_final_input(&mut self, variable: u32, input: [u32; 3]) -> Result<(), u32> {
        const A: usize = 0;
        const E: usize = 4;
        const G: usize = 6;
        let index = find_variable(variable, G + 1)?;
        let input = find_input(input)?;
        if !matches!(
            input.mapping,
            InputMapping::UnsignedIdentity | InputMapping::UnsignedInvert
        ) {
            return Err(INVALID_ENUM);
        }
        let has_wrong_usage = match input.usage {
            ComponentUsage::Rgb => index == G,
            ComponentUsage::Blue => index != G,
            ComponentUsage::Alpha => false,
        };
        let has_wrong_register = is_pseudo(input.register)
            && (index >= E
                || input.usage != ComponentUsage::Rgb
                || index == A && input.register == CombinerRegister::Spare0PlusSecondary);
        if has_wrong_usage || has_wrong_register {
            return Err(INVALID_OPERATION);
        }
        self.combiners.final_inputs[index] = input;
        Ok(())
    }

    /// Returns a property of an input variable: `COMBINER_INPUT_NV` and the next two numbers.
    fn get_input_value(input: &CombinerInput, name: u32) -> Result<u32, u32> {
        match name {
            0x8542 => Ok(input.register.enumerant()),
            0x8543 => Ok(input.mapping.enumerant()),
            0x8544 => Ok(input.usage.enumerant()),
            _ => Err(INVALID_ENUM),
        }
    }

    /// Returns a property for `GetCombinerOutputParameterivNV`: `COMBINER_AB_DOT_PRODUCT_NV` and
    /// the next numbers.
    fn get_output_value(portion: &CombinerPortion, name: u32) -> Result<u32, u32> {
        let output = |number: usize| portion.outputs[number].map_or(DISCARD, |it| it.enumerant());
        Ok(match name {
            0x8545 => portion.dot_products[0].into(),
            0x8546 => portion.dot_products[1].into(),
            0x8547 => portion.selects.into(),
            0x8548 => portion.scale.enumerant(),
            0x8549 if portion.has_bias => BIAS,
            0x8549 => 0,
            0x854A => output(0),
            0x854B => output(1),
            0x854C => output(2),
            _ => return Err(INVALID_ENUM),
        })
    }
}

/// Executes a command and records its error. Programs are selected again unless only a constant
/// color has changed, which is a parameter of the selected program.
pub(crate) fn execute(state: &mut State, command: &CombinerCommand) {
    if let Err(error) = state.extensions.combiners.state.execute(command) {
        return state.record_error(error);
    }
    let is_color = match command {
        CombinerCommand::Parameter(name, _) => find_color(*name).is_some(),
        CombinerCommand::StageParameter(..) => true,
        CombinerCommand::Enable(..)
        | CombinerCommand::Input(..)
        | CombinerCommand::Output(..)
        | CombinerCommand::FinalInput(..) => false,
    };
    if is_color {
        state.extensions.combiners.write_constants();
        texture_shaders::write_parameters(state);
    } else {
        state.mark_changed(StateGroups::PROGRAMS);
    }
}

/// Restores the state that `PushAttrib` has saved. The caller marks all state as changed.
pub(crate) fn restore(state: &mut State, saved: CombinerState) {
    state.extensions.combiners.state = saved;
    state.extensions.combiners.write_constants();
    texture_shaders::write_parameters(state);
}

/// Object of a query: a variable or the outputs of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CombinerQuery {
    /// `GetCombinerInputParameter`: stage, portion, variable.
    Input([u32; 3]),
    /// `GetCombinerOutputParameter`: stage, portion.
    Output([u32; 2]),
    /// `GetFinalCombinerInputParameter`: variable.
    FinalInput(u32),
}

/// Returns a property of the state of combiners. Records `GL_INVALID_OPERATION` between `Begin` and
/// `End`, `GL_INVALID_ENUM` for unknown names, and returns `None`.
pub(crate) fn query(state: &mut State, place: CombinerQuery, name: u32) -> Option<u32> {
    let mut combiners = state.extensions.combiners.state.combiners;
    let value = match place {
        _ if state.is_inside_begin_end => Err(INVALID_OPERATION),
        CombinerQuery::Input([stage, portion, variable]) => {
            find_portion(&mut combiners, [stage, portion]).and_then(|portion| {
                let index = find_variable(variable, 4)?;
                CombinerState::get_input_value(&portion.inputs[index], name)
            })
        }
        CombinerQuery::Output(place) => find_portion(&mut combiners, place)
            .and_then(|portion| CombinerState::get_output_value(portion, name)),
        CombinerQuery::FinalInput(variable) => find_variable(variable, 7)
            .and_then(|index| CombinerState::get_input_value(&combiners.final_inputs[index], name)),
    };
    value.map_err(|error| state.record_error(error)).ok()
}

/// Returns a constant color of a general stage. Records the errors of [`query`] and returns `None`.
pub(crate) fn query_stage_color(state: &mut State, stage: u32, name: u32) -> Option<[f32; 4]> {
    let color = match (find_stage(stage), find_color(name)) {
        _ if state.is_inside_begin_end => Err(INVALID_OPERATION),
        (Ok(stage), Some(index)) => {
            Ok(state.extensions.combiners.state.constants[2 + 2 * stage + index])
        }
        (Err(_), _) | (_, None) => Err(INVALID_ENUM),
    };
    color.map_err(|error| state.record_error(error)).ok()
}

impl Combiners {
    /// Returns whether a capability is enabled; `None` for those of others.
    pub(crate) fn is_enabled(&self, capability: u32) -> Option<bool> {
        match capability {
            REGISTER_COMBINERS => Some(self.state.is_enabled),
            PER_STAGE_CONSTANTS => Some(self.state.combiners.per_stage_constants),
            _ => None,
        }
    }

    /// Returns the state that `GetIntegerv` has under a name; `None` for colors and other names.
    pub(crate) fn query_integer(&self, name: u32) -> Option<i32> {
        match name {
            MAX_COMBINERS => Some(MAX_GENERAL_COMBINERS as i32),
            NUM_COMBINERS => Some(self.state.combiners.count.into()),
            COLOR_SUM_CLAMP => Some(self.state.combiners.clamps_color_sum.into()),
            _ => self.is_enabled(name).map(i32::from),
        }
    }

    /// Returns the constant color of a name; `None` for other names.
    pub(crate) fn query_color(&self, name: u32) -> Option<[f32; 4]> {
        find_color(name).map(|index| self.state.constants[index])
    }

    /// Sets the parameters of the selected program to the constant colors.
    fn write_constants(&self) {
        self.programs.set_locals(|| self.state.constants);
    }
}

/// Returns the command that enables or disables a capability; `None` for capabilities of others.
pub(crate) fn enable_command(capability: u32, enabled: bool) -> Option<CombinerCommand> {
    matches!(capability, REGISTER_COMBINERS | PER_STAGE_CONSTANTS)
        .then_some(CombinerCommand::Enable(capability, enabled))
}

/// Returns the fragment program of the current state of combiners, textures and fog, with the
/// constant colors as its parameters; generates it if it is new. `None` if register combiners are
/// disabled. Reads state of the driver; texture units with incomplete textures are disabled.
pub(crate) fn select_program(state: &mut State) -> Option<Arc<Program>> {
    let combiners = &state.extensions.combiners.state;
    if !combiners.is_enabled {
        return None;
    }
    let mut key = fixed_function_key::read_combiner_key(&state.capabilities, combiners.combiners);
    let lookups = &mut state.draw_state.lookups;
    lookups.disable_incomplete_units(&mut key.fragment);
    let program = generated_programs::select(
        state,
        |state| &mut state.extensions.combiners.programs,
        key,
        "register combiners",
        generate_combiner_program,
    )?;
    state.extensions.combiners.write_constants();
    Some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Executes commands on the initial state and returns the error of the last one.
    fn error_of(command: CombinerCommand) -> Option<u32> {
        CombinerState::default().execute(&command).err()
    }

    /// Checks the errors of section 3.8.12.3 for variables of the final combiner.
    #[test]
    fn variables_of_the_final_combiner_have_their_registers() {
        const IDENTITY: u32 = 0x8536;
        const BLUE: u32 = 0x1905;
        let error = |variable: u32, register, usage| {
            error_of(CombinerCommand::FinalInput(
                VARIABLE_A + variable,
                [register, IDENTITY, usage],
            ))
        };
        for variable in 0..7 {
            let usage = if variable == 6 { ALPHA } else { RGB };
            assert_eq!(error(variable, 0x852E, usage), None);
            let sum = [0, 4, 5, 6]
                .contains(&variable)
                .then_some(INVALID_OPERATION);
            assert_eq!(error(variable, 0x8532, usage), sum, "{variable}");
            let product = (variable >= 4).then_some(INVALID_OPERATION);
            assert_eq!(error(variable, 0x8531, usage), product, "{variable}");
            let blue = (variable != 6).then_some(INVALID_OPERATION);
            assert_eq!(error(variable, 0x852E, BLUE), blue);
        }
        assert_eq!(error(6, 0x852E, RGB), Some(INVALID_OPERATION));
        assert_eq!(error(7, 0x852E, RGB), Some(INVALID_ENUM));
        assert_eq!(error(1, 0x8531, ALPHA), Some(INVALID_OPERATION));
        let signed = CombinerCommand::FinalInput(VARIABLE_A, [0x852E, 0x853C, RGB]);
        assert_eq!(error_of(signed), Some(INVALID_ENUM));
    }

    /// Checks the bounds of `NUM_GENERAL_COMBINERS_NV` and of stages.
    #[test]
    fn the_number_of_combiners_is_limited() {
        let count = |value| error_of(CombinerCommand::Parameter(NUM_COMBINERS, [value; 4]));
        assert_eq!([count(1.0), count(8.0)], [None; 2]);
        for value in [0.0, 9.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(count(value), Some(INVALID_VALUE), "{value}");
        }
        assert_eq!(find_stage(COMBINER0 + 7), Ok(7));
        assert_eq!(find_stage(COMBINER0 + 8), Err(INVALID_ENUM));
        assert_eq!(find_stage(COMBINER0 - 1), Err(INVALID_ENUM));
    }
}
