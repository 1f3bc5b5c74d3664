//! Parameters of programs, those with names among them, and state programs, which write them.

use super::execution::Execution;
use crate::error::{CommandError, CommandResult};
use glasm::ir::Stage;
use glasm::reflect::StateProgram;
use glasm_scripts::params::ParamKey;
use glasm_scripts::script::{
    GroupCount, ParamBank, ParamType, ParamValue, StateProgramOutcome as Outcome,
};

/// Array, stage and number of a parameter.
type ParamLocation = (ParamBank, Stage, u32);

impl Execution<'_> {
    /// Records the line of each stage's current program, by which its named parameters are found.
    pub(super) fn record_programs(&mut self) {
        for (stage, _) in Stage::ALL {
            if let Some(program) = self.program_state.program(self.script, *stage) {
                let lines = &mut self.resources.program_lines;
                lines.insert(*stage, program.line);
            }
        }
    }

    /// Returns the key of a parameter. For one with a name, returns an error if the current program
    /// of the stage does not declare it.
    fn param_key(&mut self, (bank, stage, index): ParamLocation) -> Result<ParamKey, CommandError> {
        if bank != ParamBank::Named {
            return Ok(ParamKey::Indexed(bank, stage, index));
        }
        let line = self.resources.program_line(stage);
        let module = self.module(stage);
        let reflection = module.and_then(|module| module.reflection.as_ref());
        let declared = reflection.map_or(&[][..], |reflection| &reflection.named_parameters);
        let name = &self.script.param_names[index as usize];
        let params = &mut self.resources.params;
        Ok(params.declare_and_find_named((stage, line), declared, name)?)
    }

    /// Returns the bits of a parameter and the type that it was set with, `None` for a parameter
    /// without one. Returns an error for names that the program does not declare.
    pub(super) fn read_parameter(
        &mut self,
        location: ParamLocation,
    ) -> Result<([u32; 4], Option<ParamType>), CommandError> {
        let key = self.param_key(location)?;
        Ok(self.resources.params.get_by_key(&key))
    }

    /// Executes `parameter`: resolves addresses and handles in the value and sets the parameter.
    /// Returns an error if it tracks a matrix.
    pub(super) fn change_parameter(
        &mut self,
        location: ParamLocation,
        value: &ParamValue,
    ) -> CommandResult {
        let key = self.param_key(location)?;
        let (before, _) = self.resources.params.get_by_key(&key);
        let words = self.resources.resolve_param(value, before);
        let ty = match value {
            ParamValue::Words(ty, _) => *ty,
            ParamValue::Addresses(_) | ParamValue::Handles(_) => Some(ParamType::Uint),
        };
        Ok(self.resources.params.set_by_key(&key, words, ty)?)
    }

    /// Executes `execute program`: runs the vertex state program with its argument and stores the
    /// environment parameters that it writes, as floats. GL rejects a program that writes a
    /// parameter which tracks a matrix: an error, unless the script expects that; then the program
    /// is not run. NV_vertex_program section 2.14.4.
    pub(super) fn execute_state_program(
        &mut self,
        argument: [u32; 4],
        outcome: Outcome,
    ) -> CommandResult {
        let state_program = self.state_program()?;
        let params = &mut self.resources.params;
        let is_tracked = |index: &&u32| params.is_tracked(ParamBank::Env, Stage::Vertex, **index);
        match (
            state_program.written_parameters.iter().find(is_tracked),
            outcome,
        ) {
            (Some(_), Outcome::Fails) => return Ok(()),
            (Some(index), Outcome::Writes) => {
                let message =
                    format!("the program writes parameter {index}, which tracks a matrix");
                return Err(message.into());
            }
            (None, Outcome::Fails) => {
                let message = "the program writes no parameter that tracks a matrix";
                return Err(message.to_owned().into());
            }
            (None, Outcome::Writes) => params.state_program_argument = argument,
        }
        let dispatches = self.run_dispatch(GroupCount::Direct([1; 3]), (0, None))?;
        let bytes = dispatches
            .state_bytes()
            .expect("state programs have parameters")
            .to_vec();
        for index in state_program.written_parameters {
            let vector = &bytes[16 * index as usize..][..16];
            let word = |lane: usize| std::array::from_fn(|byte| vector[4 * lane + byte]);
            let words = std::array::from_fn(|lane| u32::from_le_bytes(word(lane)));
            let params = &mut self.resources.params;
            let ty = Some(ParamType::Float);
            params.set(ParamBank::Env, Stage::Vertex, index, words, ty);
        }
        Ok(())
    }

    /// Returns the argument and the written parameters of the loaded vertex state program. Returns
    /// an error if the compute module is not one.
    fn state_program(&self) -> Result<StateProgram, CommandError> {
        let module = self.module(Stage::Compute);
        let reflection = module.and_then(|module| module.reflection.as_ref());
        let state_program = reflection.and_then(|reflection| reflection.state_program.clone());
        state_program.ok_or_else(|| "the program is no vertex state program".to_owned().into())
    }
}
