//! The interface of GLVND's libEGL: `__egl_Main`, which forwards to the real vendor's functions,
//! except for commands and contexts.

#![allow(non_snake_case, reason = "names are those of EGL")]

use super::contexts::{self, Pointer, context_commands, destroy, select, vendor_function};
use super::glvnd::{self, VendorLookup};
use crate::ffi::current_context;
use crate::ffi::driver::{self, GetProcAddress};
use std::ffi::{c_int, c_void};

/// Leading members of the structure that libEGL receives from a vendor: `__EGLapiImports`.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "as in glvnd/libeglabi.h")]
pub struct Imports {
    get_platform_display: *mut c_void,
    get_supports_api: *mut c_void,
    get_vendor_string: *mut c_void,
    get_proc_address: Option<GetProcAddress>,
    get_dispatch_address: *mut c_void,
    set_dispatch_index: *mut c_void,
    is_patch_supported: *mut c_void,
    initiate_patch: *mut c_void,
    release_patch: *mut c_void,
}

type VendorMain = unsafe extern "C" fn(u32, *const c_void, *mut c_void, *mut Imports) -> c_int;

static VENDOR: VendorLookup = VendorLookup::new();

/// Returns `GetProcAddress` of the vendor for EGL, if it is loaded.
pub(super) fn lookup() -> Option<GetProcAddress> {
    VENDOR.get()
}

/// Executes the entry point of a vendor library for EGL (glvnd/libeglabi.h): loads the real vendor,
/// whose functions `imports` receives, except that commands are looked up in this library first.
/// Returns 1, or 0 if there is no vendor or it rejects the version.
///
/// # Safety
/// libEGL calls it, with the arguments that the header defines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __egl_Main(
    version: u32,
    exports: *const c_void,
    vendor: *mut c_void,
    imports: *mut Imports,
) -> c_int {
    let Some(main) = glvnd::find_vendor_main("libEGL", c"__egl_Main", __egl_Main as *mut c_void)
    else {
        return 0;
    };
    // SAFETY: every vendor library has it with this type.
    let main = unsafe { std::mem::transmute::<*mut c_void, VendorMain>(main) };
    // SAFETY: arguments are forwarded unchanged.
    if unsafe { main(version, exports, vendor, imports) } == 0 {
        return 0;
    }
    // SAFETY: libEGL provides memory for the structure, which the vendor has filled.
    let imports = unsafe { &mut *imports };
    let Some(lookup) = imports.get_proc_address else {
        return 0;
    };
    VENDOR.set(lookup);
    // SAFETY: it is the vendor's.
    unsafe { driver::install_lookup(lookup) };
    imports.get_proc_address = Some(get_proc_address);
    // The driver would write its own functions over the entry points.
    imports.is_patch_supported = std::ptr::null_mut();
    imports.initiate_patch = std::ptr::null_mut();
    imports.release_patch = std::ptr::null_mut();
    1
}

/// Looks up a command for libEGL: that of this library, or else that of the real vendor; null if
/// neither has it.
unsafe extern "C" fn get_proc_address(name: *const u8) -> *mut c_void {
    // SAFETY: libEGL passes a name that ends with a zero.
    unsafe { glvnd::find_command(&VENDOR, name, window_system) }
}

context_commands! {
    VENDOR;
    create eglCreateContext(display: Pointer, config: Pointer, share: Pointer, attributes: *const c_int) -> Pointer = share;
    select eglMakeCurrent(display: Pointer, draw: Pointer, read: Pointer, context: Pointer) -> c_int = context;
    destroy eglDestroyContext(display: Pointer, context: Pointer) -> c_int = context;
    own eglReleaseThread() -> c_int;
}

/// Executes `eglReleaseThread` of the vendor: no context is current afterwards, and the previous
/// one is released. Returns 0 if the vendor lacks it.
unsafe extern "system" fn eglReleaseThread() -> c_int {
    current_context::prepare_switch();
    current_context::set_current(None);
    let release = vendor_function!(
        VENDOR,
        eglReleaseThread as unsafe extern "system" fn() -> c_int
    );
    // SAFETY: it has no arguments.
    release.map_or(0, |release| unsafe { release() })
}
