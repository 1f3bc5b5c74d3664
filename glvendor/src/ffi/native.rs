//! The vendor whose driver draws: `GLASM_VENDOR` names it, like `__GLX_VENDOR_LIBRARY_NAME`; the
//! default is Mesa.
//!
//! Commands of GLX and EGL about contexts call its functions, and [`current`](super::current)
//! tracks the state of the contexts.

use super::current::{self, Native};
use super::driver::{self, GetProcAddress};
use super::entry;
use crate::log;
use std::ffi::{CStr, CString, OsString, c_char, c_int, c_ulong, c_void};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

const RTLD_NOW: c_int = 2;
const RTLD_LOCAL: c_int = 0;

#[link(name = "dl")]
unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_privileged() -> bool {
    const AT_SECURE: c_ulong = 23;
    unsafe extern "C" {
        safe fn getauxval(kind: c_ulong) -> c_ulong;
    }
    getauxval(AT_SECURE) != 0
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn is_privileged() -> bool {
    unsafe extern "C" {
        safe fn issetugid() -> c_int;
    }
    issetugid() != 0
}

/// Returns the value of a variable that selects files to load or write. `None` in processes with
/// more privileges than the user who starts them: set-user-ID programs, and others in
/// secure-execution mode of the dynamic linker.
pub(crate) fn trusted_variable(name: &str) -> Option<OsString> {
    if is_privileged() {
        return None;
    }
    std::env::var_os(name)
}

/// `GetProcAddress` of the real vendor. It changes when the system's library was unloaded and is
/// loaded again.
pub(super) struct Lookup(AtomicPtr<c_void>);

impl Lookup {
    pub(super) const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    pub(super) fn set(&self, lookup: GetProcAddress) {
        self.0.store(lookup as *mut c_void, Ordering::Release);
    }

    pub(super) fn get(&self) -> Option<GetProcAddress> {
        let lookup = self.0.load(Ordering::Acquire);
        (!lookup.is_null()).then(|| {
            // SAFETY: `set` has stored a function of this type.
            unsafe { std::mem::transmute::<*mut c_void, GetProcAddress>(lookup) }
        })
    }
}

/// Returns the entry point of the vendor's library for a window system, `libGLX` or `libEGL`.
/// `None`, with a line for the user, if it is not there, or if it is this library's own.
pub(super) fn main(system: &str, name: &CStr, ours: *mut c_void) -> Option<*mut c_void> {
    let vendor = trusted_variable("GLASM_VENDOR").filter(|it| !it.is_empty());
    let vendor = vendor.map(|it| it.to_string_lossy().into_owned());
    let vendor = vendor.as_deref().unwrap_or("mesa");
    let library = format!("{system}_{vendor}.so.0");
    // With a slash it would be a path, which the dynamic linker loads from any directory.
    let problem = if vendor.contains('/') {
        "is a path and no name"
    } else {
        let found = function(&library, name);
        match found {
            None => "is not there",
            Some(found) if found == ours => "is glasm's own",
            Some(_) => return found,
        }
    };
    log::error(format_args!(
        "{library} {problem}: GLASM_VENDOR names the vendor of the driver"
    ));
    None
}

/// Returns a command of OpenGL or of a window system: that of this library, otherwise the vendor's.
///
/// # Safety
/// The name ends with a zero.
pub(super) unsafe fn command(
    lookup: &Lookup,
    name: *const u8,
    window_system: fn(&str) -> Option<*mut c_void>,
) -> *mut c_void {
    // SAFETY: ensured by the caller.
    let text = unsafe { CStr::from_ptr(name.cast::<c_char>()) }
        .to_str()
        .unwrap_or_default();
    let ours = entry::find(text).or_else(|| window_system(text));
    // SAFETY: the name continues as it came.
    let theirs = || lookup.get().map(|lookup| unsafe { lookup(name) });
    ours.or_else(theirs).unwrap_or(std::ptr::null_mut())
}

/// Loads a library and finds a function of it.
fn function(library: &str, name: &CStr) -> Option<*mut c_void> {
    let file = CString::new(library).ok()?;
    if library.starts_with("libGLX") {
        unload_glx();
    }
    // SAFETY: loading runs initialization code of the vendor's library, which is the purpose of
    // this function.
    let handle = unsafe { dlopen(file.as_ptr(), RTLD_NOW | RTLD_LOCAL) };
    if handle.is_null() {
        return None;
    }
    if library.starts_with("libGLX") {
        GLX.store(handle as usize, Ordering::Release);
    }
    // SAFETY: the library is loaded, and the name ends with a zero.
    let found = unsafe { dlsym(handle, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// Vendor's library for GLX, if one is loaded.
static GLX: AtomicUsize = AtomicUsize::new(0);

/// Unloads the vendor's library of the old libGLX. libGLX asks once for its vendor; a second
/// request means that it was unloaded, while this library cannot be, and the vendor's library
/// refers to the old one: it would have been unloaded, too.
fn unload_glx() {
    let old = GLX.swap(0, Ordering::AcqRel) as *mut c_void;
    if !old.is_null() {
        // Commands of the driver are looked up again, from EGL's vendor if that is loaded.
        driver::forget(super::egl::lookup());
        // SAFETY: the library is unloaded once. Its functions for GLX were called through the old
        // libGLX alone, which the application has unloaded, so that none of its threads is in them;
        // commands of OpenGL that EGL's contexts use belong to libraries that remain loaded for
        // EGL's vendor, and no pointer to them is stored here.
        unsafe { dlclose(old) };
    }
}

/// Returns a function of the real vendor through its `GetProcAddress`: `vendor_function!(LOOKUP,
/// name as type)`, `None` if it has none.
macro_rules! vendor_function {
    ($lookup:ident, $name:ident as $ty:ty) => {{
        let found = $lookup.get().map(|lookup| {
            // SAFETY: the name ends with a zero.
            unsafe { lookup(concat!(stringify!($name), "\0").as_ptr()) }
        });
        let found = found.filter(|found| !found.is_null());
        // SAFETY: the headers of the window system have this type for it.
        found.map(|it| unsafe { std::mem::transmute::<*mut c_void, $ty>(it) })
    }};
}

/// Handle of the window system: a display, a configuration, a surface or a context.
pub(super) type Pointer = *mut c_void;

/// Return value of a function of the vendor; the default value is that of a function that the
/// vendor lacks.
pub(super) trait Outcome: Default {
    /// Returns true if the function has succeeded.
    fn is_success(&self) -> bool;
}

impl Outcome for () {
    fn is_success(&self) -> bool {
        true
    }
}

impl Outcome for c_int {
    fn is_success(&self) -> bool {
        *self != 0
    }
}

/// Registers a context that the vendor has created, unless it is null, with the one whose objects
/// it shares, if any. Returns the context.
pub(super) fn register(context: Pointer, sharing: Pointer) -> Pointer {
    if !context.is_null() {
        let sharing = (!sharing.is_null()).then_some(Native(sharing as usize));
        current::created(Native(context as usize), sharing);
    }
    context
}

/// Makes a context current, or none if it is null, with a function of the vendor. No effect without
/// such a function.
pub(super) fn select<R: Outcome>(context: Pointer, vendor: Option<impl FnOnce() -> R>) -> R {
    current::leaving();
    let outcome = vendor.map(|select| select());
    if outcome.as_ref().is_some_and(R::is_success) {
        current::made_current((!context.is_null()).then_some(Native(context as usize)));
    }
    outcome.unwrap_or_default()
}

/// Destroys a context with a function of the vendor. No effect without such a function.
pub(super) fn destroy<R: Outcome>(context: Pointer, vendor: Option<impl FnOnce() -> R>) -> R {
    // The context is removed before it is destroyed, since another thread may receive its name for
    // a new context afterwards.
    let removed = current::remove(Native(context as usize));
    let outcome = vendor.map(|destroy| destroy());
    if outcome.as_ref().is_some_and(R::is_success) {
        removed.destroyed();
    } else {
        removed.restore();
    }
    outcome.unwrap_or_default()
}

/// Defines a command of [`context_commands`], unless it is written by hand: `own`.
macro_rules! context_command {
    ($vendor:ident $(#[$about:meta])* create $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = $share:expr) => {
        $(#[$about])*
        unsafe extern "C" fn $name($($parameter: $ty),*) -> $result {
            let create = vendor_function!($vendor, $name as unsafe extern "C" fn($($ty),*) -> $result);
            // SAFETY: arguments are forwarded unchanged.
            let context = create.map_or(std::ptr::null_mut(), |create| unsafe { create($($parameter),*) });
            native::register(context, $share)
        }
    };
    ($vendor:ident $(#[$about:meta])* own $name:ident() -> $result:ty) => {};
    ($vendor:ident $(#[$about:meta])* $kind:ident $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty = $context:expr) => {
        $(#[$about])*
        unsafe extern "C" fn $name($($parameter: $ty),*) -> $result {
            let vendor = vendor_function!($vendor, $name as unsafe extern "C" fn($($ty),*) -> $result);
            // SAFETY: arguments are forwarded unchanged.
            let vendor = vendor.map(|vendor| move || unsafe { vendor($($parameter),*) });
            native::$kind($context, vendor)
        }
    };
}

/// Defines commands of a window system, and `window_system`, which finds them by name. After `=` is
/// the context that is shared with for `create`, and the context itself for `select` and `destroy`.
macro_rules! context_commands {
    ($vendor:ident; $($(#[$about:meta])* $kind:ident $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty $(= $context:expr)?;)*) => {
        $(native::context_command! { $vendor $(#[$about])* $kind $name($($parameter: $ty),*) -> $result $(= $context)? })*

        /// Returns the commands that create contexts, make them current and destroy them.
        fn window_system(name: &str) -> Option<*mut c_void> {
            Some(match name {
                $(stringify!($name) => $name as *mut c_void,)*
                _ => return None,
            })
        }
    };
}

pub(super) use {context_command, context_commands, vendor_function};
