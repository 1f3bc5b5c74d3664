//! The commands of the driver below, as functions with the names of the registry less `gl`, and its
//! constants.
//!
//! A command is looked up when it is first called, and it is the same for all contexts: drivers
//! return functions that find the context themselves. One that the driver lacks does nothing
//! and returns nothing: 0, null.

#![allow(
    non_snake_case,
    clippy::too_many_arguments,
    dead_code,
    reason = "all commands of the registry, by its names"
)]

use super::platform;
use crate::lock::Mutex;
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// `GetProcAddress` of the driver.
pub(crate) type GetProcAddress = unsafe extern "C" fn(*const u8) -> *mut c_void;

static LOOKUP: Mutex<Option<GetProcAddress>> = Mutex::new(None);

/// Marks a command that the driver lacks.
static MISSING: u8 = 0;

static SLOTS: [AtomicPtr<c_void>; Command::COUNT] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; Command::COUNT];

/// Installs the function that commands are loaded with from now on.
///
/// # Safety
/// It returns null or the command of the specified name, which ends with a zero, with the signature
/// of the registry.
#[cfg(unix)]
pub(super) unsafe fn install_lookup(lookup: GetProcAddress) {
    // A process that uses GLX and EGL has one driver for both, whose commands are the same.
    reset_lookup(Some(lookup));
}

/// Replaces the function that looks up commands, `None` for none, and invalidates the commands that
/// were found: their library is about to be unloaded, or another driver is used. Each is looked up
/// again at its next call.
pub(super) fn reset_lookup(lookup: Option<GetProcAddress>) {
    *LOOKUP.lock() = lookup;
    for slot in &SLOTS {
        slot.store(std::ptr::null_mut(), Ordering::Relaxed);
    }
}

/// Returns true if the driver has a command: `glFinish`.
pub(crate) fn has(name: &str) -> bool {
    !find_command(name).is_null()
}

/// Returns the driver's function of a command; null if it has none or no driver is installed.
fn find_command(name: &str) -> *mut c_void {
    let lookup = LOOKUP.lock().or_else(platform::default_lookup);
    let (Some(lookup), Ok(name)) = (lookup, CString::new(name)) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the name ends with a zero.
    unsafe { lookup(name.as_ptr().cast()) }
}

/// Looks up a command and stores its function, or that it is missing for good, in its slot.
#[cold]
fn look_up(command: Command, name: &'static str) -> *mut c_void {
    let found = find_command(name);
    let is_missing = found.is_null();
    let entry = if is_missing {
        (&raw const MISSING).cast_mut().cast()
    } else {
        found
    };
    if !is_missing || platform::is_lookup_final() {
        SLOTS[command as usize].store(entry, Ordering::Relaxed);
    }
    entry
}

/// Returns the driver's function of a command, looked up at the first call; `None` if the driver
/// lacks it.
#[inline]
fn pointer(command: Command, name: &'static str) -> Option<*mut c_void> {
    let mut found = SLOTS[command as usize].load(Ordering::Relaxed);
    if found.is_null() {
        found = look_up(command, name);
    }
    (!std::ptr::eq(found.cast_const().cast(), &raw const MISSING)).then_some(found)
}

/// Result of a command that the driver lacks.
trait DefaultReturn {
    /// Returns the value for the caller: 0, false or a null pointer.
    fn default_return() -> Self;
}

macro_rules! default_return {
    ($($ty:ty => $value:expr),*) => {
        $(impl DefaultReturn for $ty {
            fn default_return() -> Self {
                $value
            }
        })*
    };
}

default_return!(() => (), u8 => 0, u32 => 0, i32 => 0, u64 => 0, i64 => 0, f32 => 0.0, isize => 0);

impl<T> DefaultReturn for *const T {
    fn default_return() -> Self {
        std::ptr::null()
    }
}

impl<T> DefaultReturn for *mut T {
    fn default_return() -> Self {
        std::ptr::null_mut()
    }
}

macro_rules! command {
    (safe $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty) => {
        #[inline]
        pub(crate) fn $name($($parameter: $ty),*) -> $result {
            match pointer(Command::$name, concat!("gl", stringify!($name))) {
                None => DefaultReturn::default_return(),
                Some(pointer) => {
                    // SAFETY: the lookup returns commands of this type.
                    let command = unsafe {
                        std::mem::transmute::<*mut c_void, unsafe extern "system" fn($($ty),*) -> $result>(pointer)
                    };
                    // SAFETY: it has no pointers; arrays that it may read belong to the
                    // application.
                    unsafe { command($($parameter),*) }
                }
            }
        }
    };
    (unsafe $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty) => {
        #[inline]
        pub(super) unsafe fn $name($($parameter: $ty),*) -> $result {
            match pointer(Command::$name, concat!("gl", stringify!($name))) {
                None => DefaultReturn::default_return(),
                Some(pointer) => {
                    // SAFETY: the lookup returns commands of this type.
                    let command = unsafe {
                        std::mem::transmute::<*mut c_void, unsafe extern "system" fn($($ty),*) -> $result>(pointer)
                    };
                    // SAFETY: the caller follows the specification of the command.
                    unsafe { command($($parameter),*) }
                }
            }
        }
    };
}

macro_rules! commands {
    ($($safety:tt $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty;)*) => {
        /// Indices into the table of commands.
        #[derive(Clone, Copy)]
        #[expect(non_camel_case_types, reason = "names are those of the registry")]
        enum Command { $($name,)* }

        impl Command {
            const COUNT: usize = [$(Self::$name),*].len();
        }

        $(command! { $safety $name($($parameter: $ty),*) -> $result })*
    };
}

use types::*;

include!(concat!(env!("OUT_DIR"), "/driver.rs"));
