//! Parameters of programs.
//!
//! Environment parameters belong to a stage. Local ones belong to a program, so they are set again
//! for one that replaces another. Subroutine parameters are lost whenever a program is bound, so
//! they are set before every draw; so are parameters with handles of textures and images, which a
//! script may change at any time.

use super::images::Images;
use super::named_parameters::NamedParameters;
use super::programs::StatePrograms;
use super::support::{require_extension, stage_target};
use super::textures::{Readers, Textures};
use crate::error::{Error, Problem, unused};
use crate::gl::{self, Gl};
use glasm::ir::Stage;
use glasm_scripts::params::{check_parameter, replace_pairs};
use glasm_scripts::script::{HandleUnit, ParamBank, ParamType, Script};
use std::collections::BTreeMap;

/// Number of parameters of vertex programs in NV_vertex_program, section 2.14.1.
const NV_PARAMETERS: u32 = 96;

/// Checks that a parameter with that number exists.
fn check_index(gl: &Gl, target: u32, bank: ParamBank, index: u32) -> Result<(), Problem> {
    let (count, what) = match bank {
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
        ParamBank::Named => return Err(unused("addresses in parameters with names")),
        ParamBank::Subroutine => (
            gl.program_integer(target, gl::MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV)?,
            "subroutine parameters",
        ),
    };
    if i64::from(index) < i64::from(count) {
        Ok(())
    } else {
        Err(Problem::Lacking(format!("the driver has {count} {what}")))
    }
}

/// Returns the extension that has parameters of a kind, in addition to that of the stage.
fn extension_of(bank: ParamBank, ty: ParamType) -> Option<&'static str> {
    match (bank, ty) {
        (ParamBank::Subroutine, _) => Some("GL_NV_gpu_program5"),
        (ParamBank::Named, _) => Some("GL_NV_fragment_program"),
        (ParamBank::Env | ParamBank::Local, ParamType::Int | ParamType::Uint) => {
            Some("GL_NV_gpu_program4")
        }
        (ParamBank::Env | ParamBank::Local, ParamType::Float) => None,
    }
}

/// Sets an environment parameter, or a local one of the bound program. Bits are unchanged.
fn upload(
    gl: &Gl,
    target: u32,
    (bank, index): (ParamBank, u32),
    value: Value,
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
        (ParamBank::Named, _) => return Err(unused("addresses in parameters with names")),
    }?;
    Ok(gl.check("setting a parameter")?)
}

/// Queries the bits that OpenGL returns for a parameter with that type; `None` if there is no such
/// query.
fn query(
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
pub(super) type Key = (Stage, ParamBank, u32);

/// Bits of a parameter, and the type that it is set with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub(super) words: [u32; 4],
    pub(super) ty: ParamType,
}

/// Values that the script has set.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) values: BTreeMap<Key, Value>,
    pub(super) handles: BTreeMap<Key, Vec<HandleUnit>>,
}

impl Parameters {
    /// Returns the bits of a parameter; zeros before it is set.
    pub(super) fn words(&self, key: Key) -> [u32; 4] {
        self.values.get(&key).map_or([0; 4], |value| value.words)
    }

    /// Returns the first subroutine parameters of a stage.
    pub(super) fn subroutines(&self, stage: Stage, count: u32) -> Vec<u32> {
        let number = |index| self.words((stage, ParamBank::Subroutine, index))[0];
        (0..count).map(number).collect()
    }
}

/// Sets and queries parameters of the programs of a script.
pub(super) struct ParameterContext<'a> {
    pub(super) script: &'a Script,
    pub(super) parameters: &'a mut Parameters,
    pub(super) named: &'a mut NamedParameters,
    pub(super) state_programs: &'a StatePrograms,
    /// Driver and programs.
    pub(super) readers: Readers<'a>,
    pub(super) textures: &'a mut Textures,
    pub(super) images: &'a mut Images,
}

impl ParameterContext<'_> {
    /// Returns the target of a parameter, which the driver has. For parameters that belong to a
    /// program it is bound.
    fn target_of(&self, (stage, bank, index): Key, ty: ParamType) -> Result<u32, Problem> {
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
        if let Some(extension) = extension_of(bank, ty) {
            require_extension(self.readers.gl, extension)?;
        }
        check_index(self.readers.gl, target, bank, index)?;
        Ok(target)
    }

    fn upload_value(&self, key: Key, value: Value) -> Result<(), Problem> {
        let target = self.target_of(key, value.ty)?;
        upload(self.readers.gl, target, (key.1, key.2), value)
    }

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
        self.set_value(key, Value { words, ty })
    }

    fn set_value(&mut self, key: Key, value: Value) -> Result<(), Problem> {
        self.parameters.values.insert(key, value);
        self.upload_value(key, value)
    }

    /// Sets one or two numbers of 64 bits, such as addresses; the components after them are
    /// unchanged.
    pub(super) fn set_pairs(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        pairs: &[u64],
    ) -> Result<(), Problem> {
        let words = replace_pairs(self.parameters.words((stage, bank, index)), pairs);
        self.set_words(bank, stage, index, Some(ParamType::Uint), words)
    }

    /// Sets the local parameters of the script for the program of a stage, which has replaced
    /// another one.
    pub(super) fn upload_locals(&mut self, stage: Stage) -> Result<(), Problem> {
        for (key, value) in &self.parameters.values {
            if (key.0, key.1) == (stage, ParamBank::Local) {
                self.upload_value(*key, *value)?;
            }
        }
        Ok(())
    }

    /// Executes `probe parameter`. The result of a query with another type than the parameter's is
    /// undefined, so it only must not fail: NV_gpu_program4 section 6.1.12.
    pub(super) fn check_value(
        &mut self,
        key: Key,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> Result<(), Problem> {
        self.set_transient_parameters()?;
        let target = self.target_of(key, ty)?;
        let observed = self.query_value(target, key, ty)?;
        if expected.is_none() {
            return Ok(());
        }
        Ok(check_parameter(observed, expected, ty)?)
    }

    /// Queries a value. With state programs the query is that of NV_vertex_program, whose
    /// parameters are those of ARB_vertex_program.
    fn query_value(&self, target: u32, key: Key, ty: ParamType) -> Result<Option<[u32; 4]>, Error> {
        let is_nv = self.state_programs.any() && key.2 < NV_PARAMETERS;
        match (key, ty) {
            ((Stage::Vertex, ParamBank::Env, index), ParamType::Float) if is_nv => Ok(Some(
                self.readers.gl.program_parameter(index)?.map(f32::to_bits),
            )),
            _ => query(self.readers.gl, target, (key.1, key.2), ty),
        }
    }

    /// Queries a value as floats.
    pub(super) fn float_words(&mut self, key: Key) -> Result<[u32; 4], Problem> {
        self.set_transient_parameters()?;
        let target = self.target_of(key, ParamType::Float)?;
        let words = self.query_value(target, key, ParamType::Float)?;
        words.ok_or_else(|| unused("such parameters"))
    }

    pub(super) fn set_handles(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        units: &[HandleUnit],
    ) -> Result<(), Problem> {
        require_extension(self.readers.gl, "GL_NV_bindless_texture")?;
        self.set_pairs(bank, stage, index, &[])?;
        self.parameters
            .handles
            .insert((stage, bank, index), units.to_vec());
        Ok(())
    }

    /// Sets the parameters that are lost when programs are bound. Programs remain bound from here
    /// to the draw.
    pub(super) fn set_transient_parameters(&mut self) -> Result<(), Problem> {
        if self.readers.through_modules {
            // They are in the block that the module has.
            return Ok(());
        }
        let waiting: Vec<(Key, Vec<HandleUnit>)> = self
            .parameters
            .handles
            .iter()
            .map(|(key, units)| (*key, units.clone()))
            .collect();
        for (key, units) in waiting {
            let mut handles = Vec::new();
            for unit in units {
                handles.push(self.handle(unit)?);
            }
            let words = replace_pairs(self.parameters.words(key), &handles);
            let ty = ParamType::Uint;
            self.set_value(key, Value { words, ty })?;
        }
        for stage in self.readers.programs.stages() {
            let facts = self.readers.programs.facts(stage);
            if let Some(last) = facts.and_then(|facts| facts.subroutine_parameters.checked_sub(1)) {
                let key = (stage, ParamBank::Subroutine, last);
                let target = self.target_of(key, ParamType::Uint)?;
                let numbers = self.parameters.subroutines(stage, last + 1);
                self.readers
                    .gl
                    .set_subroutine_parameters(target, &numbers)?;
            }
        }
        Ok(())
    }

    /// Returns the handle of the texture or image of a unit, which becomes resident.
    fn handle(&mut self, unit: HandleUnit) -> Result<u64, Problem> {
        match unit {
            HandleUnit::Texture(unit) => self.textures.handle(&self.readers, unit),
            HandleUnit::Image(unit) => self.images.handle(self.readers.gl, unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::{reason, run_steps, with_execution, with_pretended};
    use crate::gl::Target;
    use crate::gl::pretend::{self, take_calls};
    use crate::gl::tests::{load, open};

    #[test]
    fn subroutines_that_are_not_set_are_the_first_ones() {
        let mut parameters = Parameters::default();
        let key = (Stage::Fragment, ParamBank::Subroutine, 1);
        let words = [5, 0, 0, 0];
        let ty = ParamType::Uint;
        parameters.values.insert(key, Value { words, ty });
        assert_eq!(parameters.subroutines(Stage::Fragment, 3), [0, 5, 0]);
        assert_eq!(parameters.subroutines(Stage::Vertex, 1), [0]);
    }

    #[test]
    fn bits_come_back_as_they_were() {
        let Some(gl) = open() else { return };
        let text = b"!!ARBfp1.0\nMOV result.color, program.local[2];\nEND\n";
        let program = load(&gl, Target::Fragment, text);
        // Minus zero, a NaN with a payload, infinity, the smallest number.
        let words = [0x8000_0000, 0x7fc0_1234, 0x7f80_0000, 1];
        for bank in [ParamBank::Env, ParamBank::Local] {
            let ty = ParamType::Float;
            upload(&gl, program.target(), (bank, 2), Value { words, ty }).unwrap();
            let found = query(&gl, program.target(), (bank, 2), ty).unwrap();
            assert_eq!(found, Some(words));
            let other = query(&gl, program.target(), (bank, 1), ty).unwrap();
            assert_eq!(other, Some([0; 4]));
        }
        let vertex = query(
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
        let Err(Problem::Lacking(reason)) = past else {
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
                if !gl.has(extension) {
                    let result = execution.step(&execution.script.steps[0]);
                    assert_eq!(reason(result), format!("the driver lacks {extension}"));
                }
            });
        }
    }

    #[test]
    fn integers_go_to_the_commands_of_their_type() {
        with_pretended(
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
        with_pretended("[test]\n", |gl, _| {
            let target = gl::FRAGMENT_PROGRAM_ARB;
            for (bank, ty, first) in [
                (ParamBank::Env, ParamType::Int, pretend::ENV_INT),
                (ParamBank::Env, ParamType::Uint, pretend::ENV_UINT),
                (ParamBank::Local, ParamType::Int, pretend::LOCAL_INT),
                (ParamBank::Local, ParamType::Uint, pretend::LOCAL_UINT),
            ] {
                let words = pretend::parameter_of(first, 7).map(i32::cast_unsigned);
                assert_eq!(query(gl, target, (bank, 7), ty).unwrap(), Some(words));
            }
            let number = |ty| query(gl, target, (ParamBank::Subroutine, 7), ty).unwrap();
            assert_eq!(number(ParamType::Uint), Some([107, 0, 0, 0]));
            assert_eq!(number(ParamType::Int), None);
        });
    }

    #[test]
    fn all_subroutines_of_a_program_are_set_together() {
        with_pretended(
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
        with_pretended(
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
                        pretend::IMAGE_HANDLE,
                        gl::READ_WRITE
                    ),
                    format!("resident texture {:#x}", pretend::TEXTURE_HANDLE),
                    format!("local {target:#x} 1 0x4 0x3 0x2 0x1"),
                ];
                assert_eq!(take_calls(), expected);
            },
        );
    }
}
