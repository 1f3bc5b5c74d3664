//! Buffers of a script: making, filling, binding, comparing, printing; addresses.

use super::{Execution, Problem};
use glasm::ir::Stage;
use glasm_scripts::data::{DataRange, Sequence, TypedData};
use glasm_scripts::probe::{Comparison, Tolerances};
use glasm_scripts::script::{BindTarget, BufferAddress, BufferId, BufferRange, ParamBank};

/// Buffers of a script: making, filling, binding, comparing, printing; addresses.
#[derive(Default)]
pub(super) struct Buffers;

impl Execution<'_> {
    pub(super) fn make_buffers(&mut self) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn write_buffer(
        &mut self,
        _buffer: BufferId,
        _data: &TypedData,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn fill_buffer(
        &mut self,
        _buffer: BufferId,
        _data: &TypedData,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn write_sequence(
        &mut self,
        _buffer: BufferId,
        _sequence: &Sequence,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn write_addresses(
        &mut self,
        _buffer: BufferId,
        _offset: u64,
        _addresses: &[BufferAddress],
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn bind_buffer(
        &mut self,
        _target: BindTarget,
        _range: BufferRange,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn probe_buffer(
        &mut self,
        _line: u32,
        _buffer: BufferId,
        _expected: &TypedData,
        _comparison: Comparison,
        _tolerances: &Tolerances,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn print_buffer(
        &mut self,
        _buffer: BufferId,
        _range: &DataRange,
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }

    pub(super) fn set_addresses(
        &mut self,
        _bank: ParamBank,
        _stage: Stage,
        _index: u32,
        _addresses: &[BufferAddress],
    ) -> Result<(), Problem> {
        Err(Problem::Lacking("not run on OpenGL yet".to_owned()))
    }
}
