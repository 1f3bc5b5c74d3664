//! Display lists and immediate mode.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver};
use crate::context::{State, StateGroups};
use crate::draw::{self, DrawDecision};
use crate::program_commands::{self, Command, ListNameBase};
use std::ffi::c_void;

/// Begins a display list, which this library records if it works in the context. Errors are those
/// of the driver.
pub(crate) unsafe extern "system" fn NewList(name: GLuint, mode: GLenum) {
    if current_context::with(|state| state.new_list(name, mode)).is_none() {
        driver::NewList(name, mode);
    }
}

/// Generates consecutive names of display lists, skipping those that this library uses for its own.
pub(crate) unsafe extern "system" fn GenLists(count: GLsizei) -> GLuint {
    let names = current_context::with(|state| state.generate_lists(count)).flatten();
    names.unwrap_or_else(|| driver::GenLists(count))
}

/// Ends the display list that is being compiled.
pub(crate) unsafe extern "system" fn EndList() {
    if current_context::with(|state| state.end_list()).is_none() {
        driver::EndList();
    }
}

/// Calls a display list, which may contain commands of this library.
pub(crate) unsafe extern "system" fn CallList(name: GLuint) {
    if current_context::with(|state| state.call_list(name)).is_none() {
        driver::CallList(name);
    }
}

/// Reads the offset at an index of a list.
type ReadOffset = unsafe fn(*const c_void, usize) -> u32;

/// Returns the function that reads the offsets of a type of `CallLists`: GL 2.1 section 5.4. `None`
/// for unknown types.
fn find_reader(kind: GLenum) -> Option<ReadOffset> {
    Some(match kind {
        driver::constants::BYTE => read_number::<i8>,
        driver::constants::UNSIGNED_BYTE => read_number::<u8>,
        driver::constants::SHORT => read_number::<i16>,
        driver::constants::UNSIGNED_SHORT => read_number::<u16>,
        driver::constants::INT => read_number::<i32>,
        driver::constants::UNSIGNED_INT => read_number::<u32>,
        driver::constants::FLOAT => read_number::<f32>,
        0x1407 => read_bytes::<2>,
        0x1408 => read_bytes::<3>,
        0x1409 => read_bytes::<4>,
        _ => return None,
    })
}

/// Reads an offset of a type of numbers, truncated to an integer. Negative ones wrap around, as
/// offsets are added to a base without regard to overflow.
///
/// # Safety
/// The list has more than `index` offsets of the type.
unsafe fn read_number<T: Copy + Into<f64>>(list: *const c_void, index: usize) -> u32 {
    // SAFETY: ensured by the caller.
    let offset: f64 = unsafe { client_memory::value(list.cast::<T>(), index) }.into();
    offset as i64 as u32
}

/// Reads an offset of `SIZE` bytes, the most significant one first.
///
/// # Safety
/// The list has more than `index` offsets of that size.
unsafe fn read_bytes<const SIZE: usize>(list: *const c_void, index: usize) -> u32 {
    // SAFETY: ensured by the caller.
    let bytes = unsafe { client_memory::value(list.cast::<[u8; SIZE]>(), index) };
    bytes
        .iter()
        .fold(0, |sum, &byte| sum << 8 | u32::from(byte))
}

/// Calls display lists at offsets from the list base (GL 2.1 section 5.4), or compiles that into
/// the list that is being compiled. The driver does so where it calls lists directly, and reports
/// the errors of unknown types and negative counts.
pub(crate) unsafe extern "system" fn CallLists(count: GLsizei, kind: GLenum, lists: *const c_void) {
    let done = current_context::with(|state| {
        // Without lists of this library in the context the driver executes the command and reports
        // errors.
        let (Some(read), Ok(count)) = (find_reader(kind), usize::try_from(count)) else {
            return false;
        };
        if state.driver_calls_lists() {
            state.mark_changed(StateGroups::all());
            return false;
        }
        if !state.capabilities.works || lists.is_null() {
            return false;
        }
        // SAFETY: the application has as many offsets of the type; each is read when its list is
        // called.
        let names = (0..count).map(|index| unsafe { read(lists, index) });
        if state.recording.is_some() {
            let command = Command::CallLists(names.collect(), ListNameBase::ListBase);
            if !state.record(&command) {
                program_commands::execute_command(state, &command);
            }
        } else {
            state.call_lists(names, ListNameBase::ListBase, 1);
        }
        true
    });
    if done != Some(true) {
        // SAFETY: the application follows the specification.
        unsafe { driver::CallLists(count, kind, lists) };
    }
}

/// Deletes consecutive display lists with the parts that this library recorded; internal lists in
/// the range are preserved.
pub(crate) unsafe extern "system" fn DeleteLists(first: GLuint, count: GLsizei) {
    if current_context::with(|state| state.delete_lists(first, count)).is_none() {
        driver::DeleteLists(first, count);
    }
}

/// Returns whether a name is that of a display list of the application; internal lists of this
/// library are none.
pub(crate) unsafe extern "system" fn IsList(name: GLuint) -> GLboolean {
    match current_context::with(|state| state.query_is_list(name)).flatten() {
        Some(answer) => answer.into(),
        None => driver::IsList(name),
    }
}

/// Prepares primitives of a mode before they are drawn. Returns their mode for the driver, `None`
/// if the draw is rejected.
pub(crate) fn primitives(mode: GLenum) -> Option<GLenum> {
    prepare_primitives_with(mode, |state| draw::prepare_draw(state, Some(mode)))
}

/// Calls `before`, which prepares primitives of a mode, with the state of the current context.
/// Returns their mode for the driver, `None` if the draw is rejected; `mode` itself without a
/// context of this library.
fn prepare_primitives_with(
    mode: GLenum,
    before: impl FnOnce(&mut State) -> DrawDecision,
) -> Option<GLenum> {
    let ready = |state: &mut State| match before(state) {
        DrawDecision::Forward => Some(draw::replacement_mode(state, mode)),
        DrawDecision::Skip => None,
    };
    current_context::with(ready).unwrap_or(Some(mode))
}

/// Prepares evaluators and programs, and begins primitives; the driver receives no `Begin` if the
/// draw is rejected.
pub(crate) unsafe extern "system" fn Begin(mode: GLenum) {
    current_context::with(|state| {
        state.save_list_base();
        state.begin_evaluation();
    });
    let mode = prepare_primitives_with(mode, |state| draw::prepare_vertices(state, mode));
    if let Some(mode) = mode {
        driver::Begin(mode);
    }
    current_context::with(|state| state.begin_primitives(mode.is_some()));
}

/// Ends primitives, in the driver only if it has received `Begin`, and restores the attributes that
/// materials and evaluators have replaced.
pub(crate) unsafe extern "system" fn End() {
    if current_context::with(|state| state.end_primitives()) != Some(DrawDecision::Skip) {
        driver::End();
    }
    super::evaluators::restore_attributes();
}

/// Prepares `Rect` for the driver, or draws it as a polygon if a geometry program is enabled, which
/// does not accept quadrilaterals (GL 2.1 section 2.10). Returns true if the driver must not draw
/// it, also because the draw is rejected.
pub(crate) fn rectangle([left, bottom, right, top]: [f32; 4]) -> bool {
    let is_polygon =
        current_context::with(|state| !state.is_inside_begin_end && draw::has_geometry(state));
    if is_polygon != Some(true) {
        return current_context::with(|state| draw::prepare_draw(state, None))
            == Some(DrawDecision::Skip);
    }
    // SAFETY: it has no pointers.
    unsafe { Begin(driver::constants::POLYGON) };
    for (x, y) in [(left, bottom), (right, bottom), (right, top), (left, top)] {
        driver::Vertex2f(x, y);
    }
    // SAFETY: it has no pointers.
    unsafe { End() };
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the second offset of a list.
    fn read_second<T>(kind: GLenum, list: &[T; 2]) -> Option<u32> {
        let read = find_reader(kind)?;
        // SAFETY: the list has two offsets.
        Some(unsafe { read(list.as_ptr().cast(), 1) })
    }

    /// Tests GL 2.1 section 5.4: offsets of several bytes begin with the most significant one.
    #[test]
    fn offsets_have_their_types() {
        use driver::constants::*;
        assert_eq!(read_second(BYTE, &[0_i8, -2]), Some(u32::MAX - 1));
        assert_eq!(read_second(UNSIGNED_BYTE, &[0_u8, 254]), Some(254));
        assert_eq!(read_second(SHORT, &[0_i16, -2]), Some(u32::MAX - 1));
        assert_eq!(read_second(UNSIGNED_SHORT, &[0_u16, 65534]), Some(65534));
        assert_eq!(read_second(INT, &[0_i32, i32::MIN]), Some(1 << 31));
        assert_eq!(read_second(UNSIGNED_INT, &[0, u32::MAX]), Some(u32::MAX));
        assert_eq!(read_second(FLOAT, &[0.0_f32, 3.0]), Some(3));
        assert_eq!(read_second(0x1407, &[[0_u8; 2], [1, 2]]), Some(0x0102));
        assert_eq!(
            read_second(0x1408, &[[0_u8; 3], [1, 2, 3]]),
            Some(0x0001_0203)
        );
        assert_eq!(
            read_second(0x1409, &[[0_u8; 4], [1, 2, 3, 4]]),
            Some(0x0102_0304)
        );
        assert_eq!(read_second(0x140A, &[0.0_f64, 3.0]), None);
    }
}
