//! Checks of counts, targets and names before an argument is read: the specifications guarantee
//! nothing about lists whose count is an error.

use crate::context::State;
use crate::log;
use crate::program_commands::{
    INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE, OUT_OF_MEMORY, VERTEX_STATE_PROGRAM_NV,
};
use crate::share_group::{ENV_PARAMETERS, LOCAL_PARAMETERS};
use crate::target::Target;
use glasm::limits::PROGRAM_BYTES;
use std::ffi::CString;

/// Parameters that are set by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ParameterBank {
    /// Environment parameter of a target.
    Env,
    /// Local parameter of a program.
    Local,
}

/// Subroutine parameters of a program: MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV.
pub(crate) const SUBROUTINE_PARAMETERS: usize = 1024;

/// Checks target and range of parameters before the list of their values is read:
/// EXT_gpu_program_parameters, NV_gpu_program4 and NV_vertex_program, "Errors". `Err` is GL's
/// error, which the caller records: `GL_INVALID_ENUM` for an unknown target, `GL_INVALID_VALUE` for
/// a range beyond the limit or a negative count.
pub(crate) fn check_range(
    bank: ParameterBank,
    target: u32,
    first: u32,
    count: i32,
) -> Result<(), u32> {
    if Target::from_enumerant(target).is_none() {
        return Err(INVALID_ENUM);
    }
    let max_count = match bank {
        ParameterBank::Env => ENV_PARAMETERS,
        ParameterBank::Local => LOCAL_PARAMETERS,
    };
    let end = u32::try_from(count)
        .ok()
        .and_then(|it| first.checked_add(it));
    match end {
        Some(end) if end <= max_count => Ok(()),
        Some(_) | None => Err(INVALID_VALUE),
    }
}

/// Checks the length in bytes of a name of a parameter that a list sets, before the name is read.
/// `None` after recording `GL_INVALID_VALUE` for lengths outside of 1 to 65536.
pub(crate) fn check_recorded_name_length(state: &mut State, length: i32) -> Option<()> {
    const MOST: i32 = 1 << 16;
    if !(1..=MOST).contains(&length) {
        state.record_error(INVALID_VALUE);
        return None;
    }
    Some(())
}

/// Checks that a program has a named parameter with a name of this length in bytes, before the name
/// is read: NV_fragment_program section 5.7. `None` after recording `GL_INVALID_OPERATION` unless
/// `program` is the name of a fragment program, otherwise `GL_INVALID_VALUE`.
pub(crate) fn check_name(state: &mut State, program: u32, length: i32) -> Option<()> {
    let program_object = state
        .lock_share_group()
        .find_program(program)
        .filter(|it| it.is_fragment());
    let Some(program) = program_object else {
        state.record_error(INVALID_OPERATION);
        return None;
    };
    let length = usize::try_from(length).unwrap_or(0);
    let is_known = program.contents().translated.as_ref().is_some_and(|it| {
        let ir = it.ir();
        let mut params = ir.named_params.iter();
        length > 0 && params.any(|param| ir.names.get(param.name).len() == length)
    });
    if !is_known {
        state.record_error(INVALID_VALUE);
        return None;
    }
    Some(())
}

/// Checks the length in bytes of a program string before it is read. `None` after recording
/// `GL_INVALID_VALUE` for a negative length, or, for a string beyond the limit of the compiler,
/// `GL_INVALID_OPERATION` with the error position and string of a program that does not load, and
/// an entry in the log.
pub(crate) fn check_program_length(state: &mut State, length: i32) -> Option<()> {
    match usize::try_from(length) {
        Ok(length) if length <= PROGRAM_BYTES => Some(()),
        Ok(length) => {
            let problem = format!("a program string of {length} bytes is too long");
            log::error(&problem);
            state.error_position = 0;
            state.error_text = CString::new(problem).unwrap_or_default();
            state.record_error(INVALID_OPERATION);
            None
        }
        Err(_) => {
            state.record_error(INVALID_VALUE);
            None
        }
    }
}

/// Checks target and format of a program string before it is read. `None` after recording
/// `GL_INVALID_ENUM`.
pub(crate) fn check_format(state: &mut State, target: u32, format: u32) -> Option<()> {
    if Target::from_enumerant(target).is_none() || format != 0x8875 {
        state.record_error(INVALID_ENUM);
        return None;
    }
    Some(())
}

/// Checks target and name of `LoadProgramNV` before the program string is read. `None` after
/// recording `GL_INVALID_VALUE` for name 0, `GL_INVALID_ENUM` for an unknown target.
pub(crate) fn check_load_target(state: &mut State, target: u32, name: u32) -> Option<()> {
    let error = match (name, target) {
        (0, _) => INVALID_VALUE,
        (_, VERTEX_STATE_PROGRAM_NV) => return Some(()),
        (_, target) if Target::from_enumerant(target).is_some() => return Some(()),
        (_, _) => INVALID_ENUM,
    };
    state.record_error(error);
    None
}

/// Names that are generated at a time.
pub(crate) const NAME_BATCH_SIZE: usize = 256;

/// Maximum number of program names that contexts share: more are an error, since memory is limited.
const MAX_PROGRAM_NAMES: usize = 1 << 22;

/// Checks the count of `GenPrograms` before names are written. `None` after recording
/// `GL_INVALID_VALUE` for a negative count, `GL_OUT_OF_MEMORY` for more names than the limit of
/// contexts that share them.
pub(crate) fn check_name_count(state: &mut State, count: i32) -> Option<()> {
    let known = state.lock_share_group().programs.len();
    let error = match usize::try_from(count) {
        Ok(count) if count <= MAX_PROGRAM_NAMES.saturating_sub(known) => return Some(()),
        Ok(_) => OUT_OF_MEMORY,
        Err(_) => INVALID_VALUE,
    };
    state.record_error(error);
    None
}
