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

/// A type of offsets of `CallLists`: GL 2.1 section 5.4.
#[derive(Clone, Copy)]
enum Offsets {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    /// So many bytes, the most significant one first.
    Bytes(usize),
}

impl Offsets {
    fn of(kind: GLenum) -> Option<Self> {
        Some(match kind {
            driver::constants::BYTE => Self::I8,
            driver::constants::UNSIGNED_BYTE => Self::U8,
            driver::constants::SHORT => Self::I16,
            driver::constants::UNSIGNED_SHORT => Self::U16,
            driver::constants::INT => Self::I32,
            driver::constants::UNSIGNED_INT => Self::U32,
            driver::constants::FLOAT => Self::F32,
            0x1407 => Self::Bytes(2),
            0x1408 => Self::Bytes(3),
            0x1409 => Self::Bytes(4),
            _ => return None,
        })
    }

    /// Reads an offset of a list. Offsets are added to a base without regard to overflow.
    ///
    /// # Safety
    /// The list has more than `index` offsets of the type.
    unsafe fn read(self, list: *const c_void, index: usize) -> u32 {
        // SAFETY: the caller says so, in each of these.
        unsafe {
            match self {
                Self::I8 => memory::value(list.cast::<i8>(), index) as u32,
                Self::U8 => memory::value(list.cast::<u8>(), index).into(),
                Self::I16 => memory::value(list.cast::<i16>(), index) as u32,
                Self::U16 => memory::value(list.cast::<u16>(), index).into(),
                Self::I32 => memory::value(list.cast::<i32>(), index) as u32,
                Self::U32 => memory::value(list.cast::<u32>(), index),
                Self::F32 => memory::value(list.cast::<f32>(), index) as i64 as u32,
                Self::Bytes(size) => (0..size)
                    .map(|n| memory::value(list.cast::<u8>(), size * index + n))
                    .fold(0, |sum, byte| sum << 8 | u32::from(byte)),
            }
        }
    }
}

pub(crate) unsafe extern "system" fn CallLists(count: GLsizei, kind: GLenum, lists: *const c_void) {
    let done = current::with(|state| {
        // Without lists of ours in the context there is nothing to do here. Errors are the driver's to tell.
        let (Some(offsets), Ok(count)) = (Offsets::of(kind), usize::try_from(count)) else {
            return false;
        };
        if state.lists_are_drivers() {
            state.touch(Groups::all());
            return false;
        }
        if !state.capabilities.works || lists.is_null() {
            return false;
        }
        // SAFETY: the application has as many offsets of the type; each is read when its list is called.
        let names = (0..count).map(|index| unsafe { offsets.read(lists, index) });
        if state.recording.is_some() {
            let command = Command::CallLists(names.collect(), Base::ListBase);
            if !state.record(&command) {
                commands::execute(state, &command);
            }
        } else {
            state.call_each(names, Base::ListBase, 1);
        }
        true
    });
    if done != Some(true) {
        // SAFETY: the application keeps to the specification.
        unsafe { driver::CallLists(count, kind, lists) };
    }
}

pub(crate) unsafe extern "system" fn DeleteLists(first: GLuint, count: GLsizei) {
    if current::with(|state| state.delete_lists(first, count)).is_none() {
        driver::DeleteLists(first, count);
    }
}

pub(crate) unsafe extern "system" fn IsList(name: GLuint) -> GLboolean {
    match current::with(|state| state.is_list(name)).flatten() {
        Some(answer) => answer.into(),
        None => driver::IsList(name),
    }
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
