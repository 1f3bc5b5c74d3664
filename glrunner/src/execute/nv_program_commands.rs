//! Commands of NV_vertex_program (parameters that track matrices, state programs) and
//! NV_fragment_program (parameters that programs name, section 3.11.2).

use super::assembler::{err_rejected, load_section};
use super::gl_features::require_extension;
use super::parameters::ParameterContext;
use super::programs::StatePrograms;
use crate::error::{Error, Problem};
use crate::gl::{self, Gl, Program};
use glasm::ir::Stage;
use glasm::state::{MatrixForm, MatrixTracking, TrackedMatrix};
use glasm_scripts::params::check_parameter;
use glasm_scripts::script::{ParamType, Script, StateProgramOutcome as Outcome};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Extension that has all of this.
const EXTENSION: &str = "GL_NV_vertex_program";

/// Executes the command `track`: four environment parameters from `address` on track a matrix, or
/// none. NV_vertex_program section 2.14.5. Skips the script if the driver lacks the extension.
pub(super) fn track_matrix(
    gl: &Gl,
    address: u32,
    tracking: Option<MatrixTracking>,
) -> Result<(), Problem> {
    require_extension(gl, EXTENSION)?;
    let (matrix, form) = match tracking {
        Some(MatrixTracking { matrix, form }) => (tracked_matrix_enum(matrix), form),
        None => (gl::NONE, MatrixForm::Plain),
    };
    let form = match form {
        MatrixForm::Plain => gl::IDENTITY_NV,
        MatrixForm::Inverse => gl::INVERSE_NV,
        MatrixForm::Transpose => gl::TRANSPOSE_NV,
        MatrixForm::InverseTranspose => gl::INVERSE_TRANSPOSE_NV,
    };
    gl.TrackMatrixNV(gl::VERTEX_PROGRAM_ARB, address, matrix, form)?;
    Ok(gl.check_errors("glTrackMatrixNV")?)
}

/// Returns the enumerant of a matrix that parameters can track.
fn tracked_matrix_enum(matrix: TrackedMatrix) -> u32 {
    match matrix {
        TrackedMatrix::Modelview => gl::MODELVIEW,
        TrackedMatrix::Projection => gl::PROJECTION,
        TrackedMatrix::ModelviewProjection => gl::MODELVIEW_PROJECTION_NV,
        TrackedMatrix::Color => gl::COLOR,
        TrackedMatrix::Texture(unit) => gl::TEXTURE0 + unit,
        TrackedMatrix::Program(number) => gl::MATRIX0_NV + number,
    }
}

/// Executes `execute program`, of an alternate program, which is loaded at its first execution, or
/// of that of the script. Fails if there is none, or if the driver's result is not the expected
/// outcome; skips the script if the driver lacks the extension.
pub(super) fn execute_state_program(
    gl: &Rc<Gl>,
    script: &Script,
    programs: &mut StatePrograms,
    (alternate, argument): (Option<usize>, [u32; 4]),
    outcome: Outcome,
) -> Result<(), Problem> {
    require_extension(gl, EXTENSION)?;
    if let Some(index) = alternate
        && programs.get(alternate).is_none()
    {
        let program = &script.alternates[index].program;
        let loaded = load_section(gl, program)?;
        let loaded = loaded.map_err(|error| err_rejected(script, program, &error))?;
        programs.insert(alternate, loaded);
    }
    let program = programs.get(alternate);
    let program = program.ok_or_else(|| "there is no vertex state program".to_owned())?;
    let executed = gl.execute_program(program, argument.map(f32::from_bits));
    match (outcome, executed) {
        (Outcome::Fails, Ok(())) => {
            let message = "the driver executes the program, which is an error";
            Err(message.to_owned().into())
        }
        (Outcome::Fails, Err(Error::Gl { .. })) => Ok(()),
        (Outcome::Writes | Outcome::Fails, executed) => Ok(executed?),
    }
}

/// Values that the script has set: the bits of a parameter by the line of the program that names it
/// and its index. Values are set again when a program is reloaded.
#[derive(Default)]
pub(super) struct NamedParameters {
    pub(super) values: BTreeMap<(u32, u32), [u32; 4]>,
}

impl ParameterContext<'_> {
    /// Returns the program of a stage, the line of its section, and the name of the parameter with
    /// this index. Fails if the stage has no program; skips the script if the driver lacks the
    /// extension.
    fn find_naming_program(
        &self,
        stage: Stage,
        index: u32,
    ) -> Result<(&Program, u32, &str), Problem> {
        require_extension(self.readers.gl, "GL_NV_fragment_program")?;
        let program = self.readers.programs.get_with_line(stage);
        let (program, line) =
            program.ok_or_else(|| format!("there is no {} program", stage.name()))?;
        Ok((program, line, &self.script.param_names[index as usize]))
    }

    /// Sets a parameter of the program of a stage, by the name with this index, and records it for
    /// reloads. Fails if the program does not declare the name.
    pub(super) fn set_named_parameter(
        &mut self,
        stage: Stage,
        index: u32,
        words: [u32; 4],
    ) -> Result<(), Problem> {
        let (program, line, name) = self.find_naming_program(stage, index)?;
        self.readers
            .gl
            .set_named_parameter(program, name, words.map(f32::from_bits))?;
        self.named_parameters.values.insert((line, index), words);
        Ok(())
    }

    /// Sets the parameters of the program of a stage, which was reloaded, to the values of the
    /// script.
    pub(super) fn upload_named_parameters(&self, stage: Stage) -> Result<(), Problem> {
        let line = self
            .readers
            .programs
            .get_with_line(stage)
            .map_or(0, |(_, line)| line);
        for ((_, index), words) in self
            .named_parameters
            .values
            .range((line, 0)..=(line, u32::MAX))
        {
            let (program, _, name) = self.find_naming_program(stage, *index)?;
            self.readers
                .gl
                .set_named_parameter(program, name, words.map(f32::from_bits))?;
        }
        Ok(())
    }

    /// Queries the bits of the floats of a named parameter.
    pub(super) fn query_named_parameter(
        &self,
        stage: Stage,
        index: u32,
    ) -> Result<[u32; 4], Problem> {
        let (program, _, name) = self.find_naming_program(stage, index)?;
        Ok(self
            .readers
            .gl
            .query_named_parameter(program, name)?
            .map(f32::to_bits))
    }

    /// Executes the command `probe parameter` for a named parameter, which has floats only: probes
    /// of other types fail if they expect a value.
    pub(super) fn probe_named_parameter(
        &self,
        stage: Stage,
        index: u32,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> Result<(), Problem> {
        let observed = match ty {
            ParamType::Float => Some(self.query_named_parameter(stage, index)?),
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
    use super::*;
    use crate::execute::test_support::{
        expect_skip_reason, run_steps, with_execution, with_mock_registers,
    };
    use crate::gl::mock_nv_driver::take_calls;

    #[test]
    fn matrices_are_tracked_by_their_names() {
        let text = "[test]\ntrack 4 modelview\ntrack 8 projection inverse\ntrack 12 mvp transpose\ntrack 16 color inverse_transpose\n\
            track 20 texture 3\ntrack 24 program 7\ntrack 4 none\n";
        with_mock_registers(text, |_, execution| {
            run_steps(execution);
            // NV_vertex_program, "New Tokens": IDENTITY_NV and those after it,
            // MODELVIEW_PROJECTION_NV, MATRIX0_NV.
            let expected = [
                "4 0x1700 0x862a",
                "8 0x1701 0x862b",
                "12 0x8629 0x862c",
                "16 0x1800 0x862d",
                "20 0x84c3 0x862a",
                "24 0x8637 0x862a",
                "4 0x0 0x862a",
            ];
            assert_eq!(
                take_calls(),
                expected.map(|call| format!("track 0x8620 {call}"))
            );
        });
    }

    #[test]
    fn state_programs_run_by_name_and_are_loaded_once() {
        let text = "[vertex state program]\n!!VSP1.0\nMOV c[0], v[0];\nEND\n\
            [vertex state program other]\n!!VSP1.0 \nMOV c[1], v[0];\nEND\n\
            [test]\nstate program (1, 2, 3, -4)\nstate program other (5, 6, 7, 8)\nstate program other (0, 0, 0, 0)\n\
            probe parameter env_vp 9 == (9, 9, 9, -2)\n";
        with_mock_registers(text, |_, execution| {
            execution.program_loader().load_programs().unwrap();
            run_steps(execution);
            let expected = [
                "load 0x8621 !!VSP1.0",
                "execute 0x8621 [1.0, 2.0, 3.0, -4.0]",
                "load 0x8621 !!VSP1.0 ",
                "execute 0x8621 [5.0, 6.0, 7.0, 8.0]",
                "execute 0x8621 [0.0, 0.0, 0.0, 0.0]",
            ];
            assert_eq!(take_calls(), expected);
        });
    }

    #[test]
    fn an_error_that_does_not_come_is_told() {
        let text = "[vertex state program]\n!!VSP1.0\nMOV c[0], v[0];\nEND\n[test]\nstate program (1, 2, 3, 4) fails\n";
        with_mock_registers(text, |_, execution| {
            execution.program_loader().load_programs().unwrap();
            let result = execution.run_step(&execution.script.steps[0]);
            let told = matches!(&result, Err(Problem::Script(message)) if message.ends_with("which is an error"));
            assert!(told, "{result:?}");
        });
    }

    #[test]
    fn all_of_it_needs_the_extension() {
        with_execution("[test]\ntrack 4 modelview\n", |gl, execution| {
            if !gl.has_extension(EXTENSION) {
                let result = execution.run_step(&execution.script.steps[0]);
                assert_eq!(
                    expect_skip_reason(result),
                    format!("the driver lacks {EXTENSION}")
                );
            }
        });
    }

    #[test]
    fn programs_get_their_parameters_again() {
        let text = "[fragment program]\n!!FP1.0\nDECLARE tint;\nMOV o[COLR], tint;\nEND\n\
            [fragment program other]\n!!FP1.0\nDECLARE tint;\nMOV o[COLR], -tint;\nEND\n\
            [test]\nload fragment other\nparameter named_fp tint (1, 2, 3, 4)\nload fragment other\n\
            probe parameter named_fp tint float (4, 4, 4, -1)\nprobe parameter named_fp tint == (4, 4, 4, -1)\n";
        with_mock_registers(text, |_, execution| {
            execution.program_loader().load_programs().unwrap();
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
