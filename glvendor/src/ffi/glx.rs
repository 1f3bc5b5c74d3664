//! The interface of GLVND's libGLX: `__glx_Main`, which forwards to the real vendor's functions,
//! except for commands and contexts.

#![allow(non_snake_case, reason = "names are those of GLX")]

use super::driver;
use super::driver::GetProcAddress;
use super::native::{self, Lookup, Pointer, context_commands, vendor_function};
use std::ffi::{c_int, c_void};

/// Structure that libGLX receives from a vendor: `__GLXapiImports`.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "as in glvnd/libglxabi.h")]
pub struct Imports {
    is_screen_supported: *mut c_void,
    get_proc_address: Option<GetProcAddress>,
    get_dispatch_address: *mut c_void,
    set_dispatch_index: *mut c_void,
    notify_error: *mut c_void,
    is_patch_supported: *mut c_void,
    initiate_patch: *mut c_void,
    release_patch: *mut c_void,
    patch_thread_attach: *mut c_void,
}

type Main = unsafe extern "C" fn(u32, *const c_void, *mut c_void, *mut Imports) -> c_int;

static VENDOR: Lookup = Lookup::new();

/// Returns the entry point of a vendor library for GLX: glvnd/libglxabi.h.
///
/// # Safety
/// libGLX calls it, with the arguments that the header defines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __glx_Main(
    version: u32,
    exports: *const c_void,
    vendor: *mut c_void,
    imports: *mut Imports,
) -> c_int {
    let Some(main) = native::main("libGLX", c"__glx_Main", __glx_Main as *mut c_void) else {
        return 0;
    };
    // SAFETY: every vendor library has it with this type.
    let main = unsafe { std::mem::transmute::<*mut c_void, Main>(main) };
    // SAFETY: arguments are forwarded unchanged.
    if unsafe { main(version, exports, vendor, imports) } == 0 {
        return 0;
    }
    // SAFETY: libGLX provides memory for the structure, which the vendor has filled.
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
    // SAFETY: libGLX passes a name that ends with a zero.
    unsafe { native::command(&VENDOR, name, window_system) }
}

context_commands! {
    VENDOR;
    create glXCreateContext(display: Pointer, visual: Pointer, share: Pointer, direct: c_int) -> Pointer = share;
    create glXCreateNewContext(display: Pointer, config: Pointer, kind: c_int, share: Pointer, direct: c_int) -> Pointer = share;
    create glXCreateContextAttribsARB(
        display: Pointer, config: Pointer, share: Pointer, direct: c_int, attributes: *const c_int
    ) -> Pointer = share;
    /// GLX_SGIX_fbconfig: `glXCreateNewContext` under its first name.
    create glXCreateContextWithConfigSGIX(display: Pointer, config: Pointer, kind: c_int, share: Pointer, direct: c_int) -> Pointer = share;
    /// GLX_EXT_import_context: a context that another process has created shares nothing with those
    /// of this one.
    create glXImportContextEXT(display: Pointer, id: usize) -> Pointer = std::ptr::null_mut();
    select glXMakeCurrent(display: Pointer, drawable: usize, context: Pointer) -> c_int = context;
    select glXMakeContextCurrent(display: Pointer, draw: usize, read: usize, context: Pointer) -> c_int = context;
    /// GLX_SGI_make_current_read: `glXMakeContextCurrent` under its first name.
    select glXMakeCurrentReadSGI(display: Pointer, draw: usize, read: usize, context: Pointer) -> c_int = context;
    destroy glXDestroyContext(display: Pointer, context: Pointer) -> () = context;
    /// GLX_EXT_import_context.
    destroy glXFreeContextEXT(display: Pointer, context: Pointer) -> () = context;
}
