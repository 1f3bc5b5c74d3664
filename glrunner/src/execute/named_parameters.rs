//! Parameters that fragment programs name. NV_fragment_program section 3.11.2.

use super::parameters::ParameterContext;
use super::support::require_extension;
use crate::error::Problem;
use crate::gl::Program;
use glasm::ir::Stage;
use glasm_scripts::params::check_parameter;
use glasm_scripts::script::ParamType;
use std::collections::BTreeMap;

/// Values that the script has set: the bits of a parameter by the line of the program that names it
/// and its index. Values are set again when a program is reloaded.
#[derive(Default)]
pub(super) struct NamedParameters {
    pub(super) values: BTreeMap<(u32, u32), [u32; 4]>,
}

impl ParameterContext<'_> {
    /// Returns the program of a stage, the line of its section, and a name.
    fn naming_program(&self, stage: Stage, index: u32) -> Result<(&Program, u32, &str), Problem> {
        require_extension(self.readers.gl, "GL_NV_fragment_program")?;
        let program = self.readers.programs.with_line(stage);
        let (program, line) =
            program.ok_or_else(|| format!("there is no {} program", stage.name()))?;
        Ok((program, line, &self.script.param_names[index as usize]))
    }

    pub(super) fn set_named(
        &mut self,
        stage: Stage,
        index: u32,
        words: [u32; 4],
    ) -> Result<(), Problem> {
        let (program, line, name) = self.naming_program(stage, index)?;
        self.readers
            .gl
            .set_named_parameter(program, name, words.map(f32::from_bits))?;
        self.named.values.insert((line, index), words);
        Ok(())
    }

    /// Sets the parameters of a reloaded program to the values of the script.
    pub(super) fn upload_named(&self, stage: Stage) -> Result<(), Problem> {
        let line = self
            .readers
            .programs
            .with_line(stage)
            .map_or(0, |(_, line)| line);
        for ((_, index), words) in self.named.values.range((line, 0)..=(line, u32::MAX)) {
            let (program, _, name) = self.naming_program(stage, *index)?;
            self.readers
                .gl
                .set_named_parameter(program, name, words.map(f32::from_bits))?;
        }
        Ok(())
    }

    /// Queries the value, as floats.
    pub(super) fn named_words(&self, stage: Stage, index: u32) -> Result<[u32; 4], Problem> {
        let (program, _, name) = self.naming_program(stage, index)?;
        Ok(self
            .readers
            .gl
            .named_parameter(program, name)?
            .map(f32::to_bits))
    }

    /// Executes `probe parameter`.
    pub(super) fn check_named(
        &self,
        stage: Stage,
        index: u32,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> Result<(), Problem> {
        let observed = match ty {
            ParamType::Float => Some(self.named_words(stage, index)?),
            ParamType::Int | ParamType::Uint => None,
        };
        match expected {
            None => Ok(()),
            Some(_) => Ok(check_parameter(observed, expected, ty)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::test_support::{run_steps, with_registers};
    use crate::gl::pretend::take_calls;

    #[test]
    fn programs_get_their_parameters_again() {
        let text = "[fragment program]\n!!FP1.0\nDECLARE tint;\nMOV o[COLR], tint;\nEND\n\
            [fragment program other]\n!!FP1.0\nDECLARE tint;\nMOV o[COLR], -tint;\nEND\n\
            [test]\nload fragment other\nparameter named_fp tint (1, 2, 3, 4)\nload fragment other\n\
            probe parameter named_fp tint float (4, 4, 4, -1)\nprobe parameter named_fp tint == (4, 4, 4, -1)\n";
        with_registers(text, |_, execution| {
            execution.loader().load_programs().unwrap();
            run_steps(execution);
            let calls = take_calls();
            let named = calls.iter().filter(|call| call.starts_with("named"));
            let set = "named tint [1.0, 2.0, 3.0, 4.0]";
            assert_eq!(named.collect::<Vec<_>>(), [set, set]);
            assert_eq!(
                calls.iter().filter(|call| call.starts_with("load")).count(),
                3
            );
        });
    }
}
