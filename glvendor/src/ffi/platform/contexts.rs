//! Commands of window systems about contexts: they call the functions of the driver's library, and
//! [`current_context`] tracks the state of the contexts.

use crate::ffi::current_context::{self, NativeContext};
use std::ffi::{c_int, c_void};

/// Returns a function of the driver's library, found by the method `find` of `LOOKUP`:
/// `vendor_function!(LOOKUP, name as type)`, `None` if it has none.
macro_rules! vendor_function {
    ($lookup:ident, $name:ident as $ty:ty) => {{
        let found = $lookup.find(concat!(stringify!($name), "\0"));
        // SAFETY: the headers of the window system have this type for it.
        found.map(|it| unsafe { std::mem::transmute::<*mut std::ffi::c_void, $ty>(it) })
    }};
}

/// Handle of the window system: a display, a configuration, a surface or a context.
pub(super) type Pointer = *mut c_void;

/// Return value of a function of the vendor; the default value is that of a function that the
/// vendor lacks.
pub(super) trait VendorResult: Default {
    /// Returns true if the function has succeeded.
    fn is_success(&self) -> bool;
}

#[cfg(unix)]
impl VendorResult for () {
    fn is_success(&self) -> bool {
        true
    }
}

impl VendorResult for c_int {
    fn is_success(&self) -> bool {
        *self != 0
    }
}

/// Registers a context that the vendor has created, unless it is null, with the one whose objects
/// it shares, if any. Returns the context.
pub(super) fn register(context: Pointer, sharing: Pointer) -> Pointer {
    if !context.is_null() {
        let sharing = (!sharing.is_null()).then_some(NativeContext(sharing as usize));
        current_context::register_created(NativeContext(context as usize), sharing);
    }
    context
}

/// Makes a context current, or none if it is null, with a function of the vendor, and records that
/// if the function succeeds. Returns its result; the default one, without a change, if the vendor
/// lacks the function.
#[cfg(unix)]
pub(super) fn select<R: VendorResult>(context: Pointer, vendor: Option<impl FnOnce() -> R>) -> R {
    current_context::prepare_switch();
    let outcome = vendor.map(|select| select());
    if outcome.as_ref().is_some_and(R::is_success) {
        current_context::set_current(
            (!context.is_null()).then_some(NativeContext(context as usize)),
        );
    }
    outcome.unwrap_or_default()
}

/// Destroys a context with a function of the vendor, and removes its state if the function
/// succeeds. Returns its result; the default one, without a change, if the vendor lacks the
/// function.
pub(super) fn destroy<R: VendorResult>(context: Pointer, vendor: Option<impl FnOnce() -> R>) -> R {
    // The context is removed before it is destroyed, since another thread may receive its name for
    // a new context afterwards.
    let removed = current_context::remove_context(NativeContext(context as usize));
    let outcome = vendor.map(|destroy| destroy());
    if outcome.as_ref().is_some_and(R::is_success) {
        removed.complete_removal();
    } else {
        removed.restore();
    }
    outcome.unwrap_or_default()
}

/// Defines a command of [`context_commands`], unless it is written by hand: `own`.
macro_rules! context_command {
    ($vendor:ident $(#[$about:meta])* own $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty) => {};
    ($vendor:ident $(#[$about:meta])* create $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = $share:expr) => {
        $(#[$about])*
        unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
            let create = vendor_function!($vendor, $name as unsafe extern "system" fn($($ty),*) -> $result);
            // SAFETY: arguments are forwarded unchanged.
            let context = create.map_or(std::ptr::null_mut(), |create| unsafe { create($($parameter),*) });
            contexts::register(context, $share)
        }
    };
    ($vendor:ident $(#[$about:meta])* $kind:ident $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty $(= $($argument:expr),+)?) => {
        $(#[$about])*
        unsafe extern "system" fn $name($($parameter: $ty),*) -> $result {
            let vendor = vendor_function!($vendor, $name as unsafe extern "system" fn($($ty),*) -> $result);
            // SAFETY: arguments are forwarded unchanged.
            let vendor = vendor.map(|vendor| move || unsafe { vendor($($parameter),*) });
            $kind($($($argument,)+)? vendor)
        }
    };
}

/// Defines commands of a window system, and `window_system`, which finds them by name. `create`
/// registers a context; after `=` is the one that it shares objects with. Other words are functions
/// that receive the arguments after `=` and a call of the driver's function.
macro_rules! context_commands {
    ($vendor:ident; $($(#[$about:meta])* $kind:ident $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty $(= $($argument:expr),+)?;)*) => {
        $(contexts::context_command! { $vendor $(#[$about])* $kind $name($($parameter: $ty),*) -> $result $(= $($argument),+)? })*

        /// Returns the commands of this library by name.
        fn window_system(name: &str) -> Option<*mut c_void> {
            Some(match name {
                $(stringify!($name) => $name as *mut c_void,)*
                _ => return None,
            })
        }
    };
}

pub(super) use {context_command, context_commands, vendor_function};
