//! Display lists and immediate mode.

#![allow(non_snake_case, reason = "names are those of the registry")]

use super::super::driver::types::*;
use super::super::{current, driver, memory};
use crate::commands::{self, Base, Command};
use crate::context::{Groups, State};
use crate::draw::{self, Draw};
use std::ffi::c_void;

pub(crate) unsafe extern "system" fn NewList(name: GLuint, mode: GLenum) {
    if current::with(|state| state.new_list(name, mode)).is_none() {
        driver::NewList(name, mode);
    }
}

pub(crate) unsafe extern "system" fn GenLists(count: GLsizei) -> GLuint {
    let names = current::with(|state| state.generate_lists(count)).flatten();
    names.unwrap_or_else(|| driver::GenLists(count))
}

pub(crate) unsafe extern "system" fn EndList() {
    if current::with(|state| state.end_list()).is_none() {
        driver::EndList();
    }
}

pub(crate) unsafe extern "system" fn CallList(name: GLuint) {
    if current::with(|state| state.call_list(name)).is_none() {
        driver::CallList(name);
    }
}

/// Offsets of `CallLists`, by their type: GL 2.1 section 5.4.
///
/// # Safety
/// The list has as many offsets of the type.
unsafe fn offsets(count: GLsizei, kind: GLenum, offsets: *const c_void) -> Option<Vec<i64>> {
    macro_rules! read {
        ($ty:ty) => {
            // SAFETY: the caller says so.
            unsafe { memory::sized(offsets.cast::<[u8; size_of::<$ty>()]>(), count) }
                .iter()
                .map(|bytes| <$ty>::from_ne_bytes(*bytes) as i64)
                .collect()
        };
    }
    let bytes = |size: usize| {
        // SAFETY: the caller says so.
        let all = unsafe {
            memory::list(
                offsets.cast::<u8>(),
                usize::try_from(count).unwrap_or(0) * size,
            )
        };
        all.chunks_exact(size)
            .map(|it| it.iter().fold(0, |sum, &byte| sum << 8 | i64::from(byte)))
            .collect()
    };
    Some(match kind {
        driver::constants::BYTE => read!(i8),
        driver::constants::UNSIGNED_BYTE => read!(u8),
        driver::constants::SHORT => read!(i16),
        driver::constants::UNSIGNED_SHORT => read!(u16),
        driver::constants::INT => read!(i32),
        driver::constants::UNSIGNED_INT => read!(u32),
        driver::constants::FLOAT => read!(f32),
        0x1407 => bytes(2),
        0x1408 => bytes(3),
        0x1409 => bytes(4),
        _ => return None,
    })
}

pub(crate) unsafe extern "system" fn CallLists(count: GLsizei, kind: GLenum, lists: *const c_void) {
    // Without lists of ours in the context there is nothing to do here.
    // SAFETY: the application has as many offsets.
    let names = unsafe { offsets(count, kind, lists) };
    let done = current::with(|state| match names {
        Some(_) if state.lists_are_drivers() => {
            state.touch(Groups::all());
            false
        }
        Some(names) if state.capabilities.works && count >= 0 => {
            let names = names.into_iter().map(|it| it as u32).collect();
            let command = Command::CallLists(names, Base::ListBase);
            if !state.record(&command) {
                commands::execute(state, &command);
            }
            true
        }
        _ => false,
    });
    if done != Some(true) {
        // SAFETY: the application keeps to the specification.
        unsafe { driver::CallLists(count, kind, lists) };
    }
}

pub(crate) unsafe extern "system" fn DeleteLists(first: GLuint, count: GLsizei) {
    current::with(|state| state.delete_lists(first, count));
    driver::DeleteLists(first, count);
}

/// Primitives of a mode are about to be drawn. Gives the mode that they have for the driver, `None` if nothing is to be drawn.
pub(crate) fn primitives(mode: GLenum) -> Option<GLenum> {
    primitives_after(mode, |state| draw::before(state, Some(mode)))
}

fn primitives_after(mode: GLenum, before: impl FnOnce(&mut State) -> Draw) -> Option<GLenum> {
    let ready = |state: &mut State| match before(state) {
        Draw::On => Some(draw::mode(state, mode)),
        Draw::Nothing => None,
    };
    current::with(ready).unwrap_or(Some(mode))
}

pub(crate) unsafe extern "system" fn Begin(mode: GLenum) {
    current::with(|state| {
        state.remember_list_base();
        state.begin_evaluation();
    });
    let mode = primitives_after(mode, |state| draw::before_vertices(state, mode));
    if let Some(mode) = mode {
        driver::Begin(mode);
    }
    current::with(|state| state.begin(mode.is_some()));
}

pub(crate) unsafe extern "system" fn End() {
    if current::with(|state| state.end()) != Some(Draw::Nothing) {
        driver::End();
    }
    super::evaluators::restore_attributes();
}

/// `Rect`: GL 2.1 section 2.10 says which polygon it is. The driver draws it but before a geometry program, which takes no quadrilaterals there. Gives whether
/// there is nothing left to do for the driver.
pub(crate) fn rectangle([left, bottom, right, top]: [f32; 4]) -> bool {
    let is_polygon = current::with(|state| !state.is_inside && draw::has_geometry(state));
    if is_polygon != Some(true) {
        return current::with(|state| draw::before(state, None)) == Some(Draw::Nothing);
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
