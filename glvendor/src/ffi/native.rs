//! The vendor whose driver really draws: `GLASM_VENDOR` names it, as `__GLX_VENDOR_LIBRARY_NAME` would; else it is Mesa.

use super::driver::GetProcAddress;
use super::entry;
use crate::log;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;

const RTLD_NOW: c_int = 2;
const RTLD_LOCAL: c_int = 0;

#[link(name = "dl")]
unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The entry point of the vendor's library for a window system, `libGLX` or `libEGL`. `None`, with a line for the user, if it is not there.
pub(super) fn main(system: &str, name: &CStr) -> Option<*mut c_void> {
    let vendor = std::env::var("GLASM_VENDOR")
        .ok()
        .filter(|it| !it.is_empty());
    let library = format!("{system}_{}.so.0", vendor.as_deref().unwrap_or("mesa"));
    let found = function(&library, name);
    if found.is_none() {
        log::error(format_args!(
            "there is no {library}: GLASM_VENDOR names the vendor of the driver"
        ));
    }
    found
}

/// A command of OpenGL or of a window system: ours, or else the vendor's.
///
/// # Safety
/// The name ends with a zero.
pub(super) unsafe fn command(
    lookup: &OnceLock<GetProcAddress>,
    name: *const u8,
    window_system: fn(&str) -> Option<*mut c_void>,
) -> *mut c_void {
    // SAFETY: the caller says so.
    let text = unsafe { CStr::from_ptr(name.cast::<c_char>()) }
        .to_str()
        .unwrap_or_default();
    let ours = entry::find(text).or_else(|| window_system(text));
    // SAFETY: the name goes on as it came.
    let theirs = || lookup.get().map(|lookup| unsafe { lookup(name) });
    ours.or_else(theirs).unwrap_or(std::ptr::null_mut())
}

/// Loads a library, which stays until the process ends, and finds a function of it.
fn function(library: &str, name: &CStr) -> Option<*mut c_void> {
    let library = CString::new(library).ok()?;
    // SAFETY: loading runs initialization code of the vendor's library, which is what this is for.
    let handle = unsafe { dlopen(library.as_ptr(), RTLD_NOW | RTLD_LOCAL) };
    if handle.is_null() {
        return None;
    }
    // SAFETY: the library is there, and the name ends with a zero.
    let found = unsafe { dlsym(handle, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// A function of the real vendor, which its `GetProcAddress` gives: `vendor_function!(LOOKUP, "name" as type)`, `None` if it has none.
macro_rules! vendor_function {
    ($lookup:ident, $name:literal as $ty:ty) => {{
        static FOUND: OnceLock<Option<usize>> = OnceLock::new();
        let found = FOUND.get_or_init(|| {
            let lookup = $lookup.get()?;
            // SAFETY: the name ends with a zero.
            let found = unsafe { lookup(concat!($name, "\0").as_ptr()) };
            (!found.is_null()).then_some(found as usize)
        });
        // SAFETY: the headers of the window system have this type for it.
        found.map(|it| unsafe { std::mem::transmute::<*mut c_void, $ty>(it as *mut c_void) })
    }};
}

pub(super) use vendor_function;
