//! Checks of counts, targets and names before an argument is read: the specifications guarantee
//! nothing about lists whose count is an error.

use crate::commands::{
    INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE, OUT_OF_MEMORY, VERTEX_STATE_PROGRAM_NV,
};
use crate::context::State;
use crate::log;
use crate::objects::{ENV_PARAMETERS, LOCAL_PARAMETERS};
use crate::target::Target;
use glasm::limits::PROGRAM_BYTES;
use std::ffi::CString;

/// Parameters that are set by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bank {
    /// Environment parameter of a target.
    Env,
    /// Local parameter of a program.
    Local,
}

/// Subroutine parameters of a program: MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV.
pub(crate) const SUBROUTINE_PARAMETERS: usize = 1024;

/// Checks target and range of parameters before the list of their values is read:
/// EXT_gpu_program_parameters, NV_gpu_program4 and NV_vertex_program, "Errors". `Err` is GL's
/// error.
pub(crate) fn check_range(bank: Bank, target: u32, first: u32, count: i32) -> Result<(), u32> {
    if Target::of(target).is_none() {
        return Err(INVALID_ENUM);
    }
    let most = match bank {
        Bank::Env => ENV_PARAMETERS,
        Bank::Local => LOCAL_PARAMETERS,
    };
    let end = u32::try_from(count)
        .ok()
        .and_then(|it| first.checked_add(it));
    match end {
        Some(end) if end <= most => Ok(()),
        Some(_) | None => Err(INVALID_VALUE),
    }
}

/// Checks the length of a name of a parameter that a list sets, before the name is read. `None`
/// after an error.
pub(crate) fn check_length_of_name(state: &mut State, length: i32) -> Option<()> {
    const MOST: i32 = 1 << 16;
    if !(1..=MOST).contains(&length) {
        state.fail(INVALID_VALUE);
        return None;
    }
    Some(())
}

/// Checks that a program has a named parameter with a name of this length, before the name is read:
/// NV_fragment_program section 5.7. `None` after an error.
pub(crate) fn check_name(state: &mut State, program: u32, length: i32) -> Option<()> {
    let found = state.shared().find(program).filter(|it| it.is_fragment());
    let Some(program) = found else {
        state.fail(INVALID_OPERATION);
        return None;
    };
    let length = usize::try_from(length).unwrap_or(0);
    let is_known = program.contents().loaded.as_ref().is_some_and(|it| {
        let ir = it.ir();
        let mut params = ir.named_params.iter();
        length > 0 && params.any(|param| ir.names.get(param.name).len() == length)
    });
    if !is_known {
        state.fail(INVALID_VALUE);
        return None;
    }
    Some(())
}

/// Checks the length of a program string before it is read. `None` after an error: a string beyond
/// the limit of the compiler is one that does not load.
pub(crate) fn check_length(state: &mut State, length: i32) -> Option<()> {
    match usize::try_from(length) {
        Ok(length) if length <= PROGRAM_BYTES => Some(()),
        Ok(length) => {
            let problem = format!("a program string of {length} bytes is too long");
            log::error(&problem);
            state.error_position = 0;
            state.error_text = CString::new(problem).unwrap_or_default();
            state.fail(INVALID_OPERATION);
            None
        }
        Err(_) => {
            state.fail(INVALID_VALUE);
            None
        }
    }
}

/// Checks target and format of a program string before it is read. `None` after an error.
pub(crate) fn check_format(state: &mut State, target: u32, format: u32) -> Option<()> {
    if Target::of(target).is_none() || format != 0x8875 {
        state.fail(INVALID_ENUM);
        return None;
    }
    Some(())
}

/// Checks target and name of `LoadProgramNV` before the program string is read. `None` after an
/// error.
pub(crate) fn check_load(state: &mut State, target: u32, name: u32) -> Option<()> {
    let error = match (name, target) {
        (0, _) => INVALID_VALUE,
        (_, VERTEX_STATE_PROGRAM_NV) => return Some(()),
        (_, target) if Target::of(target).is_some() => return Some(()),
        (_, _) => INVALID_ENUM,
    };
    state.fail(error);
    None
}

/// Names that are generated at a time.
pub(crate) const NAMES_AT_A_TIME: usize = 256;

/// Maximum number of program names that contexts share: more are an error, since memory is limited.
const MOST_NAMES: usize = 1 << 22;

/// Checks the count of `GenPrograms` before names are written. `None` after an error.
pub(crate) fn check_names(state: &mut State, count: i32) -> Option<()> {
    let known = state.shared().programs.len();
    let error = match usize::try_from(count) {
        Ok(count) if count <= MOST_NAMES.saturating_sub(known) => return Some(()),
        Ok(_) => OUT_OF_MEMORY,
        Err(_) => INVALID_VALUE,
    };
    state.fail(error);
    None
}
