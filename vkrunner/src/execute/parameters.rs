//! Parameters of programs, those with names among them, and state programs, which write them.

use super::execution::Execution;
use crate::error::{Done, Problem};
use glasm::ir::Stage;
use glasm::reflect::StateProgram;
use glasm_scripts::params::ParamKey;
use glasm_scripts::script::{Execution as Outcome, Groups, ParamBank, ParamType, ParamValue};

/// Array, stage and number of a parameter.
type Place = (ParamBank, Stage, u32);

impl Execution<'_> {
    /// Records the program of each stage.
    pub(super) fn record_programs(&mut self) {
        for (stage, _) in Stage::ALL {
            if let Some(program) = self.state.program(self.script, *stage) {
                let lines = &mut self.resources.program_lines;
                lines.insert(*stage, program.line);
            }
        }
    }

    /// Returns the key of a parameter, which the program of the stage declares if it has a name.
    fn param_key(&mut self, (bank, stage, index): Place) -> Result<ParamKey, Problem> {
        if bank != ParamBank::Named {
            return Ok(ParamKey::Indexed(bank, stage, index));
        }
        let line = self.resources.program_line(stage);
        let module = self.module(stage);
        let reflection = module.and_then(|module| module.reflection.as_ref());
        let declared = reflection.map_or(&[][..], |reflection| &reflection.named);
        let name = &self.script.param_names[index as usize];
        let params = &mut self.resources.params;
        Ok(params.find_named((stage, line), declared, name)?)
    }

    /// Returns the bits of a parameter and the type that it was set with.
    pub(super) fn read_parameter(
        &mut self,
        place: Place,
    ) -> Result<([u32; 4], Option<ParamType>), Problem> {
        let key = self.param_key(place)?;
        Ok(self.resources.params.read(&key))
    }

    /// Executes `parameter`.
    pub(super) fn change_parameter(&mut self, place: Place, value: &ParamValue) -> Done {
        let key = self.param_key(place)?;
        let (before, _) = self.resources.params.read(&key);
        let words = self.resources.resolve_param(value, before);
        let ty = match value {
            ParamValue::Words(ty, _) => *ty,
            ParamValue::Addresses(_) | ParamValue::Handles(_) => Some(ParamType::Uint),
        };
        Ok(self.resources.params.write(&key, words, ty)?)
    }

    /// Executes `state program` and retains the parameters that the program has written.
    /// NV_vertex_program section 2.14.4.
    pub(super) fn execute_state_program(&mut self, argument: [u32; 4], outcome: Outcome) -> Done {
        let told = self.state_program()?;
        let params = &mut self.resources.params;
        let is_tracked = |index: &&u32| params.is_tracked(ParamBank::Env, Stage::Vertex, **index);
        match (told.written.iter().find(is_tracked), outcome) {
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
            (None, Outcome::Writes) => params.argument = argument,
        }
        let dispatches = self.run_groups(Groups::Given([1; 3]), (0, None))?;
        let bytes = dispatches
            .state_bytes()
            .expect("state programs have parameters")
            .to_vec();
        for index in told.written {
            let vector = &bytes[16 * index as usize..][..16];
            let word = |lane: usize| std::array::from_fn(|byte| vector[4 * lane + byte]);
            let words = std::array::from_fn(|lane| u32::from_le_bytes(word(lane)));
            let params = &mut self.resources.params;
            let ty = Some(ParamType::Float);
            params.set(ParamBank::Env, Stage::Vertex, index, words, ty);
        }
        Ok(())
    }

    /// Returns the effects of the state program that is loaded.
    fn state_program(&self) -> Result<StateProgram, Problem> {
        let module = self.module(Stage::Compute);
        let reflection = module.and_then(|module| module.reflection.as_ref());
        let told = reflection.and_then(|reflection| reflection.state_program.clone());
        told.ok_or_else(|| "the program is no vertex state program".to_owned().into())
    }
}
