//! The vendor whose driver really draws: `GLASM_VENDOR` names it, as `__GLX_VENDOR_LIBRARY_NAME` would; else it is Mesa.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

const RTLD_NOW: c_int = 2;
const RTLD_LOCAL: c_int = 0;

#[link(name = "dl")]
unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The name of the vendor.
pub(super) fn vendor() -> String {
    std::env::var("GLASM_VENDOR")
        .ok()
        .filter(|it| !it.is_empty())
        .unwrap_or_else(|| "mesa".to_owned())
}

/// Loads a library, which stays until the process ends, and finds a function of it.
pub(super) fn function(library: &str, name: &CStr) -> Option<*mut c_void> {
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
        static FOUND: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
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
