//! Parameters of programs.
//!
//! Environment parameters belong to a stage. Local ones belong to a program, so they are set again
//! for one that replaces another. Subroutine parameters are lost whenever a program is bound, so
//! they are set before every draw; so are parameters with handles of textures and images, which a
//! script may change at any time.

use super::gl_features::{require_extension, stage_target};
use super::nv_program_commands::NamedParameters;
use super::programs::StatePrograms;
use super::storage_images::Images;
use super::textures::{TextureReaders, Textures};
use crate::error::{Error, Problem, skip_unsupported_nv};
use crate::gl::{self, Gl};
use glasm::ir::Stage;
use glasm_scripts::params::{check_parameter, replace_component_pairs};
use glasm_scripts::script::{HandleUnit, ParamBank, ParamType, Script};
use std::collections::BTreeMap;

/// Number of parameters of vertex programs in NV_vertex_program, section 2.14.1.
const NV_PARAMETERS: u32 = 96;

/// Checks that a parameter index is below the driver's limit for the bank; otherwise skips the
/// script. Named parameters have no index, and skip it, too.
fn check_index(gl: &Gl, target: u32, bank: ParamBank, index: u32) -> Result<(), Problem> {
    let (count, description) = match bank {
        ParamBank::Env => (
            gl.program_integer(target, gl::MAX_PROGRAM_ENV_PARAMETERS_ARB)?,
            "environment parameters",
        ),
        // These programs have a separate limit: NV_fragment_program section 3.11.2.
        ParamBank::Local if target == gl::FRAGMENT_PROGRAM_NV => (
            gl.integer(gl::MAX_FRAGMENT_PROGRAM_LOCAL_PARAMETERS_NV)?,
            "local parameters",
        ),
        ParamBank::Local => (
            gl.program_integer(target, gl::MAX_PROGRAM_LOCAL_PARAMETERS_ARB)?,
            "local parameters",
        ),
        ParamBank::Named => return Err(skip_unsupported_nv("addresses in parameters with names")),
        ParamBank::Subroutine => (
            gl.program_integer(target, gl::MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV)?,
            "subroutine parameters",
        ),
    };
    if i64::from(index) < i64::from(count) {
        Ok(())
    } else {
        Err(Problem::Unsupported(format!(
            "the driver has {count} {description}"
        )))
    }
}

/// Returns the extension that provides parameters of a bank and a type, in addition to that of the
/// stage; `None` if the latter suffices.
fn bank_extension(bank: ParamBank, ty: ParamType) -> Option<&'static str> {
    match (bank, ty) {
        (ParamBank::Subroutine, _) => Some("GL_NV_gpu_program5"),
        (ParamBank::Named, _) => Some("GL_NV_fragment_program"),
        (ParamBank::Env | ParamBank::Local, ParamType::Int | ParamType::Uint) => {
            Some("GL_NV_gpu_program4")
        }
        (ParamBank::Env | ParamBank::Local, ParamType::Float) => None,
    }
}

/// Sets an environment parameter, or a local one of the bound program, with unchanged bits. Does
/// nothing for subroutine parameters, which are set together before draws; skips the script for
/// named ones.
fn upload_parameter(
    gl: &Gl,
    target: u32,
    (bank, index): (ParamBank, u32),
    value: ParameterValue,
) -> Result<(), Problem> {
    let [x, y, z, w] = value.words;
    let [fx, fy, fz, fw] = value.words.map(f32::from_bits);
    let [ix, iy, iz, iw] = value.words.map(u32::cast_signed);
    match (bank, value.ty) {
        (ParamBank::Env, ParamType::Float) => {
            gl.ProgramEnvParameter4fARB(target, index, fx, fy, fz, fw)
        }
        (ParamBank::Env, ParamType::Int) => {
            gl.ProgramEnvParameterI4iNV(target, index, ix, iy, iz, iw)
        }
        (ParamBank::Env, ParamType::Uint) => {
            gl.ProgramEnvParameterI4uiNV(target, index, x, y, z, w)
        }
        (ParamBank::Local, ParamType::Float) => {
            gl.ProgramLocalParameter4fARB(target, index, fx, fy, fz, fw)
        }
        (ParamBank::Local, ParamType::Int) => {
            gl.ProgramLocalParameterI4iNV(target, index, ix, iy, iz, iw)
        }
        (ParamBank::Local, ParamType::Uint) => {
            gl.ProgramLocalParameterI4uiNV(target, index, x, y, z, w)
        }
        // All of them are set together before draws.
        (ParamBank::Subroutine, _) => Ok(()),
        (ParamBank::Named, _) => {
            return Err(skip_unsupported_nv("addresses in parameters with names"));
        }
    }?;
    Ok(gl.check_errors("setting a parameter")?)
}

/// Queries the bits that OpenGL returns for a parameter of the bound program or the environment
/// with that type; `None` if there is no such query.
fn query_parameter(
    gl: &Gl,
    target: u32,
    (bank, index): (ParamBank, u32),
    ty: ParamType,
) -> Result<Option<[u32; 4]>, Error> {
    let words = match (bank, ty) {
        (ParamBank::Env, ParamType::Float) => gl.env_parameter(target, index)?.map(f32::to_bits),
        (ParamBank::Env, ParamType::Int) => {
            gl.env_parameter_int(target, index)?.map(i32::cast_unsigned)
        }
        (ParamBank::Env, ParamType::Uint) => gl.env_parameter_uint(target, index)?,
        (ParamBank::Local, ParamType::Float) => {
            gl.local_parameter(target, index)?.map(f32::to_bits)
        }
        (ParamBank::Local, ParamType::Int) => gl
            .local_parameter_int(target, index)?
            .map(i32::cast_unsigned),
        (ParamBank::Local, ParamType::Uint) => gl.local_parameter_uint(target, index)?,
        (ParamBank::Subroutine, ParamType::Uint) => {
            [gl.subroutine_parameter(target, index)?, 0, 0, 0]
        }
        (ParamBank::Subroutine, ParamType::Float | ParamType::Int) | (ParamBank::Named, _) => {
            return Ok(None);
        }
    };
    Ok(Some(words))
}

/// Parameter: stage, bank and number.
pub(super) type ParameterKey = (Stage, ParamBank, u32);

/// Bits of a parameter, and the type that it is set with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ParameterValue {
    pub(super) words: [u32; 4],
    pub(super) ty: ParamType,
}

/// Values that the script has set.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) values: BTreeMap<ParameterKey, ParameterValue>,
    pub(super) handles: BTreeMap<ParameterKey, Vec<HandleUnit>>,
}

impl Parameters {
    /// Returns the bits of a parameter that the script has set; zeros before it is set.
    pub(super) fn words(&self, key: ParameterKey) -> [u32; 4] {
        self.values.get(&key).map_or([0; 4], |value| value.words)
    }

    /// Returns the subroutine numbers of the first `count` subroutine parameters of a stage; 0 for
    /// those that the script has not set.
    pub(super) fn subroutines(&self, stage: Stage, count: u32) -> Vec<u32> {
        let number = |index| self.words((stage, ParamBank::Subroutine, index))[0];
        (0..count).map(number).collect()
    }
}

/// Sets and queries parameters of the programs of a script.
pub(super) struct ParameterContext<'a> {
    pub(super) script: &'a Script,
    pub(super) parameters: &'a mut Parameters,
    pub(super) named_parameters: &'a mut NamedParameters,
    pub(super) state_programs: &'a StatePrograms,
    /// Driver and programs.
    pub(super) readers: TextureReaders<'a>,
    pub(super) textures: &'a mut Textures,
    pub(super) images: &'a mut Images,
}

impl ParameterContext<'_> {
    /// Binds the program that has the parameter, if one does, and returns the target of the
    /// commands that access the parameter. Returns [`Problem::Unsupported`] for stages, types and
    /// indices that the driver does not support.
    fn bind_target(
        &self,
        (stage, bank, index): ParameterKey,
        ty: ParamType,
    ) -> Result<u32, Problem> {
        let program = match bank {
            ParamBank::Env => None,
            ParamBank::Local | ParamBank::Subroutine | ParamBank::Named => {
                self.readers.programs.get(stage)
            }
        };
        let target = match program {
            Some(program) => {
                program.bind()?;
                program.target()
            }
            None => {
                let (target, extension) = stage_target(stage);
                require_extension(self.readers.gl, extension)?;
                target
            }
        };
        if let Some(extension) = bank_extension(bank, ty) {
            require_extension(self.readers.gl, extension)?;
        }
        check_index(self.readers.gl, target, bank, index)?;
        Ok(target)
    }

    /// Sends a parameter to the driver: to the loaded program of its stage, which is bound, or to
    /// the stage's environment. Skips the script if the bank, type or index is one that the driver
    /// lacks.
    fn upload_value(&self, key: ParameterKey, value: ParameterValue) -> Result<(), Problem> {
        let target = self.bind_target(key, value.ty)?;
        upload_parameter(self.readers.gl, target, (key.1, key.2), value)
    }

    /// Records and sends the four words of a parameter of a bank, and drops handles that were
    /// there. Without a type the words are unsigned.
    pub(super) fn set_words(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: Option<ParamType>,
        words: [u32; 4],
    ) -> Result<(), Problem> {
        let key = (stage, bank, index);
        self.parameters.handles.remove(&key);
        // Numbers of 64 bits are given as pairs of unsigned integers.
        let ty = ty.unwrap_or(ParamType::Uint);
        self.set_value(key, ParameterValue { words, ty })
    }

    /// Records a parameter, for programs that are loaded later, and sends it to the driver as
    /// [`Self::upload_value`].
    fn set_value(&mut self, key: ParameterKey, value: ParameterValue) -> Result<(), Problem> {
        self.parameters.values.insert(key, value);
        self.upload_value(key, value)
    }

    /// Sets one or two numbers of 64 bits, such as addresses, as [`Self::set_words`]; the
    /// components after them are unchanged.
    pub(super) fn set_u64s(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        pairs: &[u64],
    ) -> Result<(), Problem> {
        let words = replace_component_pairs(self.parameters.words((stage, bank, index)), pairs);
        self.set_words(bank, stage, index, Some(ParamType::Uint), words)
    }

    /// Sends the local parameters that the script has set for a stage to its program, which has
    /// replaced another one.
    pub(super) fn upload_locals(&mut self, stage: Stage) -> Result<(), Problem> {
        for (key, value) in &self.parameters.values {
            if (key.0, key.1) == (stage, ParamBank::Local) {
                self.upload_value(*key, *value)?;
            }
        }
        Ok(())
    }

    /// Executes `probe parameter`: sets the transient parameters, queries the value and fails if it
    /// differs. With `expected` of `None` the query only must not fail: its result with another
    /// type than the parameter's is undefined (NV_gpu_program4 section 6.1.12).
    pub(super) fn probe_value(
        &mut self,
        key: ParameterKey,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> Result<(), Problem> {
        self.set_transient_parameters()?;
        let target = self.bind_target(key, ty)?;
        let observed = self.query_value(target, key, ty)?;
        if expected.is_none() {
            return Ok(());
        }
        Ok(check_parameter(observed, expected, ty)?)
    }

    /// Queries the bits of a parameter from the driver; `None` if there is no such query. With
    /// state programs the query is that of NV_vertex_program, whose parameters are those of
    /// ARB_vertex_program.
    fn query_value(
        &self,
        target: u32,
        key: ParameterKey,
        ty: ParamType,
    ) -> Result<Option<[u32; 4]>, Error> {
        let is_nv = self.state_programs.has_any() && key.2 < NV_PARAMETERS;
        match (key, ty) {
            ((Stage::Vertex, ParamBank::Env, index), ParamType::Float) if is_nv => Ok(Some(
                self.readers.gl.program_parameter(index)?.map(f32::to_bits),
            )),
            _ => query_parameter(self.readers.gl, target, (key.1, key.2), ty),
        }
    }

    /// Sets the transient parameters, binds the program that has the parameter, and returns the
    /// bits that a query of it as floats returns. Returns [`Problem::Unsupported`], which skips the
    /// script, if the driver has no such query.
    pub(super) fn query_float_bits(&mut self, key: ParameterKey) -> Result<[u32; 4], Problem> {
        self.set_transient_parameters()?;
        let target = self.bind_target(key, ParamType::Float)?;
        let words = self.query_value(target, key, ParamType::Float)?;
        words.ok_or_else(|| skip_unsupported_nv("such parameters"))
    }

    /// Sets a parameter to handles of the textures or images of units, which are created when draws
    /// begin (NV_bindless_texture). Skips the script if the driver lacks them.
    pub(super) fn set_handles(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        units: &[HandleUnit],
    ) -> Result<(), Problem> {
        require_extension(self.readers.gl, "GL_NV_bindless_texture")?;
        self.set_u64s(bank, stage, index, &[])?;
        self.parameters
            .handles
            .insert((stage, bank, index), units.to_vec());
        Ok(())
    }

    /// Sets the parameters that are lost when programs are bound, subroutines and handles, whose
    /// textures and images are created. Programs remain bound from here to the draw. Does nothing
    /// for modules, which have them in their block.
    pub(super) fn set_transient_parameters(&mut self) -> Result<(), Problem> {
        if self.readers.uses_modules {
            // They are in the block that the module has.
            return Ok(());
        }
        let pending: Vec<(ParameterKey, Vec<HandleUnit>)> = self
            .parameters
            .handles
            .iter()
            .map(|(key, units)| (*key, units.clone()))
            .collect();
        for (key, units) in pending {
            let mut handles = Vec::new();
            for unit in units {
                handles.push(self.create_handle(unit)?);
            }
            let words = replace_component_pairs(self.parameters.words(key), &handles);
            let ty = ParamType::Uint;
            self.set_value(key, ParameterValue { words, ty })?;
        }
        for stage in self.readers.programs.stages() {
            let facts = self.readers.programs.info(stage);
            if let Some(last) = facts.and_then(|facts| facts.subroutine_parameters.checked_sub(1)) {
                let key = (stage, ParamBank::Subroutine, last);
                let target = self.bind_target(key, ParamType::Uint)?;
                let numbers = self.parameters.subroutines(stage, last + 1);
                self.readers
                    .gl
                    .set_subroutine_parameters(target, &numbers)?;
            }
        }
        Ok(())
    }

    /// Returns the handle of the texture or image of a unit, which is created if necessary and
    /// becomes resident.
    fn create_handle(&mut self, unit: HandleUnit) -> Result<u64, Problem> {
        match unit {
            HandleUnit::Texture(unit) => self.textures.create_handle(&self.readers, unit),
            HandleUnit::Image(unit) => self.images.create_handle(self.readers.gl, unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::{
        expect_skip_reason, run_steps, with_execution, with_mock_nv,
    };
    use crate::gl::ProgramTarget;
    use crate::gl::mock_nv_driver::{self, take_calls};
    use crate::gl::tests::{load, open};

    #[test]
    fn subroutines_that_are_not_set_are_the_first_ones() {
        let mut parameters = Parameters::default();
        let key = (Stage::Fragment, ParamBank::Subroutine, 1);
        let words = [5, 0, 0, 0];
        let ty = ParamType::Uint;
        parameters.values.insert(key, ParameterValue { words, ty });
        assert_eq!(parameters.subroutines(Stage::Fragment, 3), [0, 5, 0]);
        assert_eq!(parameters.subroutines(Stage::Vertex, 1), [0]);
    }

    #[test]
    fn bits_come_back_as_they_were() {
        let Some(gl) = open() else { return };
        let text = b"!!ARBfp1.0\nMOV result.color, program.local[2];\nEND\n";
        let program = load(&gl, ProgramTarget::Fragment, text);
        // Minus zero, a NaN with a payload, infinity, the smallest number.
        let words = [0x8000_0000, 0x7fc0_1234, 0x7f80_0000, 1];
        for bank in [ParamBank::Env, ParamBank::Local] {
            let ty = ParamType::Float;
            upload_parameter(
                &gl,
                program.target(),
                (bank, 2),
                ParameterValue { words, ty },
            )
            .unwrap();
            let found = query_parameter(&gl, program.target(), (bank, 2), ty).unwrap();
            assert_eq!(found, Some(words));
            let other = query_parameter(&gl, program.target(), (bank, 1), ty).unwrap();
            assert_eq!(other, Some([0; 4]));
        }
        let vertex = query_parameter(
            &gl,
            gl::VERTEX_PROGRAM_ARB,
            (ParamBank::Env, 2),
            ParamType::Float,
        );
        assert_eq!(vertex.unwrap(), Some([0; 4]));
    }

    #[test]
    fn what_the_driver_lacks_is_told_before_it_fails() {
        let Some(gl) = open() else { return };
        let target = gl::FRAGMENT_PROGRAM_ARB;
        let count = gl
            .program_integer(target, gl::MAX_PROGRAM_ENV_PARAMETERS_ARB)
            .unwrap();
        let last = count.unsigned_abs() - 1;
        check_index(&gl, target, ParamBank::Env, last).unwrap();
        let past = check_index(&gl, target, ParamBank::Env, last + 1);
        let Err(Problem::Unsupported(reason)) = past else {
            panic!("{past:?}")
        };
        assert_eq!(
            reason,
            format!("the driver has {count} environment parameters")
        );
    }

    #[test]
    fn integers_and_targets_have_extensions() {
        for (bank, extension) in [
            ("env_fp", "GL_NV_gpu_program4"),
            ("local_vp", "GL_NV_gpu_program4"),
            ("env_gp", "GL_NV_geometry_program4"),
            ("local_cp", "GL_NV_compute_program5"),
        ] {
            let text = format!("[test]\nparameter {bank} 0 int (1, 2, 3, 4)\n");
            with_execution(&text, |gl, execution| {
                if !gl.has_extension(extension) {
                    let result = execution.run_step(&execution.script.steps[0]);
                    assert_eq!(
                        expect_skip_reason(result),
                        format!("the driver lacks {extension}")
                    );
                }
            });
        }
    }

    #[test]
    fn integers_go_to_the_commands_of_their_type() {
        with_mock_nv(
            "[test]\nparameter env_gp 1 int (1, -2, 3, -4)\nparameter env_fp 2 uint (1, 2, 3, 4294967295)\n\
             parameter local_vp 3 int (-1, 0, 0, 0)\nparameter local_tcp 4 int64 (-1, 5)\nparameter local_tep 5 uint (1, 2, 3, 4)\n",
            |_, execution| {
                run_steps(execution);
                let calls = take_calls();
                assert_eq!(
                    calls,
                    [
                        format!("env int {:#x} 1 1 -2 3 -4", gl::GEOMETRY_PROGRAM_NV),
                        format!(
                            "env uint {:#x} 2 1 2 3 4294967295",
                            gl::FRAGMENT_PROGRAM_ARB
                        ),
                        format!("local int {:#x} 3 -1 0 0 0", gl::VERTEX_PROGRAM_ARB),
                        // Low words first.
                        format!(
                            "local {:#x} 4 0xffffffff 0xffffffff 0x5 0x0",
                            gl::TESS_CONTROL_PROGRAM_NV
                        ),
                        format!(
                            "local {:#x} 5 0x1 0x2 0x3 0x4",
                            gl::TESS_EVALUATION_PROGRAM_NV
                        ),
                    ]
                );
            },
        );
    }

    #[test]
    fn queries_have_the_type_of_the_probe() {
        with_mock_nv("[test]\n", |gl, _| {
            let target = gl::FRAGMENT_PROGRAM_ARB;
            for (bank, ty, first) in [
                (ParamBank::Env, ParamType::Int, mock_nv_driver::ENV_INT),
                (ParamBank::Env, ParamType::Uint, mock_nv_driver::ENV_UINT),
                (ParamBank::Local, ParamType::Int, mock_nv_driver::LOCAL_INT),
                (
                    ParamBank::Local,
                    ParamType::Uint,
                    mock_nv_driver::LOCAL_UINT,
                ),
            ] {
                let words = mock_nv_driver::parameter_of(first, 7).map(i32::cast_unsigned);
                assert_eq!(
                    query_parameter(gl, target, (bank, 7), ty).unwrap(),
                    Some(words)
                );
            }
            let number = |ty| query_parameter(gl, target, (ParamBank::Subroutine, 7), ty).unwrap();
            assert_eq!(number(ParamType::Uint), Some([107, 0, 0, 0]));
            assert_eq!(number(ParamType::Int), None);
        });
    }

    #[test]
    fn all_subroutines_of_a_program_are_set_together() {
        with_mock_nv(
            "[test]\nparameter subroutine_fp 0 3\nparameter subroutine_fp 2 5\n",
            |gl, execution| {
                run_steps(execution);
                assert_eq!(take_calls(), [""; 0]);
                let target = gl::FRAGMENT_PROGRAM_ARB;
                let numbers = execution.parameters.subroutines(Stage::Fragment, 3);
                gl.set_subroutine_parameters(target, &numbers).unwrap();
                let call = format!("subroutines {target:#x} [3, 0, 5]");
                assert_eq!(take_calls(), [call]);
            },
        );
    }

    #[test]
    fn handles_are_asked_for_when_programs_run() {
        with_mock_nv(
            "[test]\nparameter local_fp 1 handle image 2 texture 3\ntexture 2D 3 R8_UNORM (1, 1) 255\nimage 2D 2 R32_UINT (1, 1)\n",
            |_, execution| {
                run_steps(execution);
                take_calls();
                execution
                    .parameter_context()
                    .set_transient_parameters()
                    .unwrap();
                let target = gl::FRAGMENT_PROGRAM_ARB;
                let expected = [
                    format!("image 0 0 0 {:#x}", gl::R32UI),
                    format!(
                        "resident image {:#x} {:#x}",
                        mock_nv_driver::IMAGE_HANDLE,
                        gl::READ_WRITE
                    ),
                    format!("resident texture {:#x}", mock_nv_driver::TEXTURE_HANDLE),
                    format!("local {target:#x} 1 0x4 0x3 0x2 0x1"),
                ];
                assert_eq!(take_calls(), expected);
            },
        );
    }
}
