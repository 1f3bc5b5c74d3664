//! Parameters of programs.

use super::{Execution, Problem};
use glasm::ir::Stage;
use glasm_scripts::script::{ParamBank, ParamType};

/// Parameters of programs.
#[derive(Default)]
pub(super) struct Parameters;

impl Execution<'_> {
    pub(super) fn set_parameter(
        &mut self,
        _bank: ParamBank,
        _stage: Stage,
        _index: u32,
        _ty: Option<ParamType>,
        _words: [u32; 4],
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    /// One or two numbers of 64 bits, such as addresses; the components behind them stay as they are.
    pub(super) fn set_pairs(
        &mut self,
        _bank: ParamBank,
        _stage: Stage,
        _index: u32,
        _pairs: &[u64],
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn probe_parameter(
        &mut self,
        _bank: ParamBank,
        _stage: Stage,
        _index: u32,
        _ty: ParamType,
        _expected: Option<[u32; 4]>,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn set_handles(
        &mut self,
        _bank: ParamBank,
        _stage: Stage,
        _index: u32,
        _units: &[u32],
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
