//! State of register combiners, set by the commands of NV_register_combiners and
//! NV_register_combiners2.

use super::gl_features::require_extension;
use crate::error::Problem;
use crate::gl::{self, Gl};
use glasm::fixed_function::{CombinerInput, CombinerRegister};
use glasm_scripts::script::{CombinerChannels, CombinerOutputs, CombinerUpdate, Switch};

/// Changes the state of register combiners. Skips scripts if the driver lacks the extensions.
pub(super) fn apply_combiner_update(gl: &Gl, update: CombinerUpdate) -> Result<(), Problem> {
    require_extension(gl, "GL_NV_register_combiners")?;
    match update {
        CombinerUpdate::Count(count) => {
            gl.CombinerParameteriNV(gl::NUM_GENERAL_COMBINERS_NV, count.into())?;
        }
        CombinerUpdate::ColorSumClamp(switch) => {
            let clamps = i32::from(switch == Switch::On);
            gl.CombinerParameteriNV(gl::COLOR_SUM_CLAMP_NV, clamps)?;
        }
        CombinerUpdate::Constant(number, color) => {
            let name = gl::CONSTANT_COLOR0_NV + (number % 2) as u32;
            match number.checked_sub(2) {
                None => gl.set_combiner_color(name, color)?,
                Some(number) => {
                    require_extension(gl, "GL_NV_register_combiners2")?;
                    gl.set_combiner_stage_color(get_stage_enum(number / 2), name, color)?;
                }
            }
        }
        CombinerUpdate::Input(stage, channels, variable, input) => {
            let CombinerInput {
                register,
                mapping,
                usage,
            } = input;
            gl.CombinerInputNV(
                get_stage_enum(stage),
                get_portion_enum(channels),
                get_variable_enum(variable),
                register.enumerant(),
                mapping.enumerant(),
                usage.enumerant(),
            )?;
        }
        CombinerUpdate::Output(stage, channels, outputs) => {
            set_outputs(gl, stage, channels, &outputs)?;
        }
        CombinerUpdate::FinalInput(variable, input) => gl.FinalCombinerInputNV(
            get_variable_enum(variable),
            input.register.enumerant(),
            input.mapping.enumerant(),
            input.usage.enumerant(),
        )?,
    }
    Ok(gl.check_errors("setting register combiners")?)
}

/// Sets the outputs of a portion of a general combiner stage.
fn set_outputs(
    gl: &Gl,
    stage: usize,
    channels: CombinerChannels,
    outputs: &CombinerOutputs,
) -> Result<(), Problem> {
    let register = |number: usize| {
        outputs.registers[number].map_or(gl::DISCARD_NV, CombinerRegister::enumerant)
    };
    let bias = if outputs.has_bias {
        gl::BIAS_BY_NEGATIVE_ONE_HALF_NV
    } else {
        gl::NONE
    };
    gl.CombinerOutputNV(
        get_stage_enum(stage),
        get_portion_enum(channels),
        register(0),
        register(1),
        register(2),
        outputs.scale.enumerant(),
        bias,
        outputs.dot_products[0].into(),
        outputs.dot_products[1].into(),
        outputs.selects.into(),
    )?;
    Ok(())
}

/// Returns the constant of a general combiner stage.
fn get_stage_enum(stage: usize) -> u32 {
    gl::COMBINER0_NV + stage as u32
}

/// Returns the constant of a variable.
fn get_variable_enum(variable: usize) -> u32 {
    gl::VARIABLE_A_NV + variable as u32
}

/// Returns the constant of a portion of a stage.
fn get_portion_enum(channels: CombinerChannels) -> u32 {
    match channels {
        CombinerChannels::Rgb => gl::RGB,
        CombinerChannels::Alpha => gl::ALPHA,
    }
}
