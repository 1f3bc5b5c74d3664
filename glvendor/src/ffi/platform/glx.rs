//! The interface of GLVND's libGLX: `__glx_Main`, which forwards to the real vendor's functions,
//! except for commands and contexts.

#![allow(non_snake_case, reason = "names are those of GLX")]

use super::contexts::{self, Pointer, context_commands, destroy, select, vendor_function};
use super::glvnd::{self, VendorLookup};
use super::window_class;
use crate::ffi::driver::{self, GetProcAddress};
use crate::ffi::memory_allocator;
use std::ffi::{CStr, c_char, c_int, c_void};

/// Structure that libGLX receives from a vendor: `__GLXapiImports`.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "as in glvnd/libglxabi.h")]
pub struct Imports {
    is_screen_supported: *mut c_void,
    get_proc_address: Option<GetProcAddress>,
    get_dispatch_address: Option<GetProcAddress>,
    set_dispatch_index: *mut c_void,
    notify_error: *mut c_void,
    is_patch_supported: *mut c_void,
    initiate_patch: *mut c_void,
    release_patch: *mut c_void,
    patch_thread_attach: *mut c_void,
}

type VendorMain = unsafe extern "C" fn(u32, *const c_void, *mut c_void, *mut Imports) -> c_int;

static VENDOR: VendorLookup = VendorLookup::new();

/// Lookup of the vendor for functions of GLX that libGLX calls for any vendor.
static VENDOR_DISPATCH: VendorLookup = VendorLookup::new();

/// Executes the entry point of a vendor library for GLX (glvnd/libglxabi.h): loads the real vendor,
/// whose functions `imports` receives, except that commands are looked up in this library first.
/// Returns 1, or 0 if there is no vendor or it rejects the version.
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
    let Some(main) = glvnd::find_vendor_main("libGLX", c"__glx_Main", __glx_Main as *mut c_void)
    else {
        return 0;
    };
    // SAFETY: every vendor library has it with this type.
    let main = unsafe { std::mem::transmute::<*mut c_void, VendorMain>(main) };
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
    unsafe { driver::install_lookup(lookup) };
    imports.get_proc_address = Some(get_proc_address);
    if let Some(dispatch) = imports.get_dispatch_address.replace(get_dispatch_address) {
        VENDOR_DISPATCH.set(dispatch);
    }
    // The driver would write its own functions over the entry points.
    imports.is_patch_supported = std::ptr::null_mut();
    imports.initiate_patch = std::ptr::null_mut();
    imports.release_patch = std::ptr::null_mut();
    1
}

/// Looks up a command for libGLX: that of this library, or else that of the real vendor; null if
/// neither has it.
unsafe extern "C" fn get_proc_address(name: *const u8) -> *mut c_void {
    // SAFETY: libGLX passes a name that ends with a zero.
    unsafe { glvnd::find_command(&VENDOR, name, window_system) }
}

/// Looks up a function of GLX that applications receive, and that selects the vendor by its
/// arguments: the vendor's, or one of this library for functions without such arguments, which the
/// vendor lacks. Null if neither has it.
unsafe extern "C" fn get_dispatch_address(name: *const u8) -> *mut c_void {
    // SAFETY: libGLX passes a name that ends with a zero.
    let text = unsafe { CStr::from_ptr(name.cast::<c_char>()) };
    let text = text.to_str().unwrap_or_default();
    let ours = text.strip_prefix("glX");
    if let Some(ours) = ours.and_then(memory_allocator::find_function) {
        return ours;
    }
    let vendor = VENDOR_DISPATCH.get();
    // SAFETY: the name continues as it came.
    vendor.map_or(std::ptr::null_mut(), |lookup| unsafe { lookup(name) })
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
    select glXMakeCurrent(display: Pointer, drawable: usize, context: Pointer) -> c_int = examine(display, drawable, context);
    select glXMakeContextCurrent(display: Pointer, draw: usize, read: usize, context: Pointer) -> c_int = examine(display, draw, context);
    /// GLX_SGI_make_current_read: `glXMakeContextCurrent` under its first name.
    select glXMakeCurrentReadSGI(display: Pointer, draw: usize, read: usize, context: Pointer) -> c_int = examine(display, draw, context);
    destroy glXDestroyContext(display: Pointer, context: Pointer) -> () = context;
    /// GLX_EXT_import_context.
    destroy glXFreeContextEXT(display: Pointer, context: Pointer) -> () = context;
    own glXCreateWindow(display: Pointer, config: Pointer, window: usize, attributes: *const c_int) -> usize;
}

/// Returns a context that is about to be made current, after the class of its window was read.
fn examine(display: Pointer, drawable: usize, context: Pointer) -> Pointer {
    window_class::examine(display, drawable);
    context
}

/// Executes `glXCreateWindow` of the vendor, and records to which window of X the result belongs.
/// Returns 0 if the vendor lacks it.
unsafe extern "C" fn glXCreateWindow(
    display: Pointer,
    config: Pointer,
    window: usize,
    attributes: *const c_int,
) -> usize {
    type Create = unsafe extern "C" fn(Pointer, Pointer, usize, *const c_int) -> usize;
    let create = vendor_function!(VENDOR, glXCreateWindow as Create);
    // SAFETY: arguments are forwarded unchanged.
    let created = create.map_or(0, |create| unsafe {
        create(display, config, window, attributes)
    });
    window_class::register_glx_window(created, window);
    created
}
