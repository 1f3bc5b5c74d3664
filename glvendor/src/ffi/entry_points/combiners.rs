//! Register combiners: NV_register_combiners, NV_register_combiners2.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context};
use crate::extension_commands::ExtensionCommand;
use crate::program_commands::{self, Command, INVALID_ENUM};
use crate::register_combiners::{
    self, CombinerCommand, CombinerQuery, OutputArguments, count_parameter_values,
};

/// Compiles a command into the list that is being compiled, or executes it; `None` denotes a
/// command with an unknown name, which is `GL_INVALID_ENUM`.
fn issue(command: Option<CombinerCommand>) {
    let command = match command {
        Some(command) => Command::Extension(ExtensionCommand::Combiner(command)),
        None => Command::Fail(INVALID_ENUM),
    };
    current_context::with(|state| program_commands::issue(state, command));
}

/// Converts a component of a color: integers as GL 2.1 table 2.9 states for signed ones.
fn normalize(value: GLint) -> f32 {
    ((2.0 * f64::from(value) + 1.0) / 4_294_967_295.0) as f32
}

/// Commands with a list of values, whose number depends on the name, and with a single value, which
/// colors do not have.
macro_rules! parameters {
    ($($list:ident, $single:ident, $ty:ty, $color:expr, $number:expr;)*) => {$(
        /// Sets a parameter of the register combiners. `GL_INVALID_ENUM` for unknown names.
        pub(crate) unsafe extern "system" fn $list(name: GLenum, values: *const $ty) {
            let size = count_parameter_values(name).filter(|_| !values.is_null());
            let color = |size| {
                let mut color = [0.0; 4];
                // SAFETY: the list has as many values as the parameter.
                let values = unsafe { client_memory::values(values, size as i32) };
                let convert: fn($ty) -> f32 = if size == 4 { $color } else { $number };
                color.iter_mut().zip(values).for_each(|(to, value)| *to = convert(value));
                color
            };
            issue(size.map(|size| CombinerCommand::Parameter(name, color(size))));
        }

        /// Sets a parameter other than a color. `GL_INVALID_ENUM` for other names.
        pub(crate) unsafe extern "system" fn $single(name: GLenum, value: $ty) {
            let number: fn($ty) -> f32 = $number;
            let is_known = count_parameter_values(name) == Some(1);
            issue(is_known.then(|| CombinerCommand::Parameter(name, [number(value), 0.0, 0.0, 0.0])));
        }
    )*};
}

parameters! {
    CombinerParameterfvNV, CombinerParameterfNV, GLfloat, |it| it, |it| it;
    CombinerParameterivNV, CombinerParameteriNV, GLint, normalize, |it| it as f32;
}

/// Sets a constant color of a general combiner stage. `GL_INVALID_ENUM` for unknown names.
pub(crate) unsafe extern "system" fn CombinerStageParameterfvNV(
    stage: GLenum,
    name: GLenum,
    values: *const GLfloat,
) {
    let is_known = register_combiners::find_color(name).is_some() && !values.is_null();
    let command = is_known.then(|| {
        // SAFETY: colors have four components.
        let color = [0, 1, 2, 3].map(|index| unsafe { client_memory::value(values, index) });
        CombinerCommand::StageParameter(stage, name, color)
    });
    issue(command);
}

/// Assigns an input variable of a general combiner stage.
pub(crate) unsafe extern "system" fn CombinerInputNV(
    stage: GLenum,
    portion: GLenum,
    variable: GLenum,
    input: GLenum,
    mapping: GLenum,
    usage: GLenum,
) {
    let place = [stage, portion, variable];
    issue(Some(CombinerCommand::Input(place, [input, mapping, usage])));
}

/// Sets the outputs of a general combiner stage.
pub(crate) unsafe extern "system" fn CombinerOutputNV(
    stage: GLenum,
    portion: GLenum,
    ab_output: GLenum,
    cd_output: GLenum,
    sum_output: GLenum,
    scale: GLenum,
    bias: GLenum,
    ab_dot_product: GLboolean,
    cd_dot_product: GLboolean,
    mux_sum: GLboolean,
) {
    let arguments = OutputArguments {
        registers: [ab_output, cd_output, sum_output],
        scale,
        bias,
        dot_products: [ab_dot_product != 0, cd_dot_product != 0],
        selects: mux_sum != 0,
    };
    issue(Some(CombinerCommand::Output([stage, portion], arguments)));
}

/// Assigns an input variable of the final combiner.
pub(crate) unsafe extern "system" fn FinalCombinerInputNV(
    variable: GLenum,
    input: GLenum,
    mapping: GLenum,
    usage: GLenum,
) {
    issue(Some(CombinerCommand::FinalInput(
        variable,
        [input, mapping, usage],
    )));
}

/// Queries of properties, as the type of the command. Nothing is written after an error.
macro_rules! combiner_queries {
    ($($name:ident($($parameter:ident),*), $ty:ty, $place:expr;)*) => {$(
        pub(crate) unsafe extern "system" fn $name($($parameter: GLenum,)* name: GLenum, value: *mut $ty) {
            let found = current_context::with(|state| register_combiners::query(state, $place, name));
            if let Some(found) = found.flatten() {
                // SAFETY: the application has space for one value.
                unsafe { client_memory::write(value, &[found as $ty]) };
            }
        }
    )*};
}

combiner_queries! {
    GetCombinerInputParameterfvNV(stage, portion, variable), GLfloat, CombinerQuery::Input([stage, portion, variable]);
    GetCombinerInputParameterivNV(stage, portion, variable), GLint, CombinerQuery::Input([stage, portion, variable]);
    GetCombinerOutputParameterfvNV(stage, portion), GLfloat, CombinerQuery::Output([stage, portion]);
    GetCombinerOutputParameterivNV(stage, portion), GLint, CombinerQuery::Output([stage, portion]);
    GetFinalCombinerInputParameterfvNV(variable), GLfloat, CombinerQuery::FinalInput(variable);
    GetFinalCombinerInputParameterivNV(variable), GLint, CombinerQuery::FinalInput(variable);
}

/// Writes a constant color of a general combiner stage; nothing after an error.
pub(crate) unsafe extern "system" fn GetCombinerStageParameterfvNV(
    stage: GLenum,
    name: GLenum,
    values: *mut GLfloat,
) {
    let color =
        current_context::with(|state| register_combiners::query_stage_color(state, stage, name));
    if let Some(color) = color.flatten() {
        // SAFETY: the application has space for four components.
        unsafe { client_memory::write(values, &color) };
    }
}
