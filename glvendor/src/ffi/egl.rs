//! The interface of GLVND's libEGL: `__egl_Main`, which hands the real vendor's functions on, but for commands and contexts.

#![allow(non_snake_case, reason = "names are those of EGL")]

use super::current::{self, Native};
use super::driver;
use super::driver::GetProcAddress;
use super::native::{self, Lookup, vendor_function};
use std::ffi::{c_int, c_void};

/// The start of what a vendor gives to libEGL: `__EGLapiImports`.
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

type Main = unsafe extern "C" fn(u32, *const c_void, *mut c_void, *mut Imports) -> c_int;

static VENDOR: Lookup = Lookup::new();

/// `GetProcAddress` of the vendor for EGL, if it is loaded.
pub(super) fn lookup() -> Option<GetProcAddress> {
    VENDOR.get()
}

/// The entry point of a vendor library for EGL: glvnd/libeglabi.h.
///
/// # Safety
/// libEGL calls it, with what that header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __egl_Main(
    version: u32,
    exports: *const c_void,
    vendor: *mut c_void,
    imports: *mut Imports,
) -> c_int {
    let Some(main) = native::main("libEGL", c"__egl_Main", __egl_Main as *mut c_void) else {
        return 0;
    };
    // SAFETY: every vendor library has it with this type.
    let main = unsafe { std::mem::transmute::<*mut c_void, Main>(main) };
    // SAFETY: arguments are handed on as they come.
    if unsafe { main(version, exports, vendor, imports) } == 0 {
        return 0;
    }
    // SAFETY: libEGL gives room for the structure, which the vendor has filled.
    let imports = unsafe { &mut *imports };
    let Some(lookup) = imports.get_proc_address else {
        return 0;
    };
    VENDOR.set(lookup);
    // SAFETY: it is the vendor's.
    unsafe { driver::install(lookup) };
    imports.get_proc_address = Some(get_proc_address);
    // The driver would write its own functions over the entry points.
    imports.is_patch_supported = std::ptr::null_mut();
    imports.initiate_patch = std::ptr::null_mut();
    imports.release_patch = std::ptr::null_mut();
    1
}

unsafe extern "C" fn get_proc_address(name: *const u8) -> *mut c_void {
    // SAFETY: libEGL gives a name that ends with a zero.
    unsafe { native::command(&VENDOR, name, window_system) }
}

/// Commands of EGL that make contexts, and make them current.
fn window_system(name: &str) -> Option<*mut c_void> {
    Some(match name {
        "eglCreateContext" => eglCreateContext as *mut c_void,
        "eglDestroyContext" => eglDestroyContext as *mut c_void,
        "eglMakeCurrent" => eglMakeCurrent as *mut c_void,
        "eglReleaseThread" => eglReleaseThread as *mut c_void,
        _ => return None,
    })
}

type Pointer = *mut c_void;

unsafe extern "C" fn eglCreateContext(
    display: Pointer,
    config: Pointer,
    share: Pointer,
    attributes: *const c_int,
) -> Pointer {
    let create = vendor_function!(
        VENDOR,
        "eglCreateContext"
            as unsafe extern "C" fn(Pointer, Pointer, Pointer, *const c_int) -> Pointer
    );
    // SAFETY: arguments are handed on as they come.
    let context = create.map_or(std::ptr::null_mut(), |create| unsafe {
        create(display, config, share, attributes)
    });
    if !context.is_null() {
        let sharing = (!share.is_null()).then_some(Native(share as usize));
        current::created(Native(context as usize), sharing);
    }
    context
}

unsafe extern "C" fn eglDestroyContext(display: Pointer, context: Pointer) -> c_int {
    // Before it is destroyed, as another thread may get its name for a new context then.
    let removed = current::remove(Native(context as usize));
    let destroy = vendor_function!(
        VENDOR,
        "eglDestroyContext" as unsafe extern "C" fn(Pointer, Pointer) -> c_int
    );
    // SAFETY: arguments are handed on as they come.
    let success = destroy.map_or(0, |destroy| unsafe { destroy(display, context) });
    match success {
        0 => removed.restore(),
        _ => removed.destroyed(),
    }
    success
}

unsafe extern "C" fn eglMakeCurrent(
    display: Pointer,
    draw: Pointer,
    read: Pointer,
    context: Pointer,
) -> c_int {
    current::leaving();
    let make = vendor_function!(
        VENDOR,
        "eglMakeCurrent" as unsafe extern "C" fn(Pointer, Pointer, Pointer, Pointer) -> c_int
    );
    // SAFETY: arguments are handed on as they come.
    let success = make.map_or(0, |make| unsafe { make(display, draw, read, context) });
    if success != 0 {
        current::made_current((!context.is_null()).then_some(Native(context as usize)));
    }
    success
}

unsafe extern "C" fn eglReleaseThread() -> c_int {
    current::leaving();
    current::made_current(None);
    let release = vendor_function!(
        VENDOR,
        "eglReleaseThread" as unsafe extern "C" fn() -> c_int
    );
    // SAFETY: it has no arguments.
    release.map_or(0, |release| unsafe { release() })
}
