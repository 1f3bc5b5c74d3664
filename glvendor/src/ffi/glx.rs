//! The interface of GLVND's libGLX: `__glx_Main`, which hands the real vendor's functions on, but for commands and contexts.

#![allow(non_snake_case, reason = "names are those of GLX")]

use super::current::{self, Native};
use super::driver;
use super::driver::GetProcAddress;
use super::native::{self, Lookup, vendor_function};
use std::ffi::{c_int, c_void};

/// What a vendor gives to libGLX: `__GLXapiImports`.
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

/// The entry point of a vendor library for GLX: glvnd/libglxabi.h.
///
/// # Safety
/// libGLX calls it, with what that header says.
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
    // SAFETY: arguments are handed on as they come.
    if unsafe { main(version, exports, vendor, imports) } == 0 {
        return 0;
    }
    // SAFETY: libGLX gives room for the structure, which the vendor has filled.
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
    // SAFETY: libGLX gives a name that ends with a zero.
    unsafe { native::command(&VENDOR, name, window_system) }
}

/// Commands of GLX that make contexts, and make them current.
fn window_system(name: &str) -> Option<*mut c_void> {
    Some(match name {
        "glXCreateContext" => glXCreateContext as *mut c_void,
        "glXCreateNewContext" => glXCreateNewContext as *mut c_void,
        "glXCreateContextAttribsARB" => glXCreateContextAttribsARB as *mut c_void,
        "glXDestroyContext" => glXDestroyContext as *mut c_void,
        "glXMakeCurrent" => glXMakeCurrent as *mut c_void,
        "glXMakeContextCurrent" => glXMakeContextCurrent as *mut c_void,
        "glXCreateContextWithConfigSGIX" => glXCreateContextWithConfigSGIX as *mut c_void,
        "glXMakeCurrentReadSGI" => glXMakeCurrentReadSGI as *mut c_void,
        "glXImportContextEXT" => glXImportContextEXT as *mut c_void,
        "glXFreeContextEXT" => glXFreeContextEXT as *mut c_void,
        _ => return None,
    })
}

type Pointer = *mut c_void;

fn created(context: Pointer, sharing: Pointer) -> Pointer {
    if !context.is_null() {
        let sharing = (!sharing.is_null()).then_some(Native(sharing as usize));
        current::created(Native(context as usize), sharing);
    }
    context
}

unsafe extern "C" fn glXCreateContext(
    display: Pointer,
    visual: Pointer,
    share: Pointer,
    direct: c_int,
) -> Pointer {
    let create = vendor_function!(
        VENDOR,
        "glXCreateContext" as unsafe extern "C" fn(Pointer, Pointer, Pointer, c_int) -> Pointer
    );
    // SAFETY: arguments are handed on as they come.
    let context = create.map_or(std::ptr::null_mut(), |create| unsafe {
        create(display, visual, share, direct)
    });
    created(context, share)
}

unsafe extern "C" fn glXCreateNewContext(
    display: Pointer,
    config: Pointer,
    kind: c_int,
    share: Pointer,
    direct: c_int,
) -> Pointer {
    let create = vendor_function!(
        VENDOR,
        "glXCreateNewContext"
            as unsafe extern "C" fn(Pointer, Pointer, c_int, Pointer, c_int) -> Pointer
    );
    // SAFETY: arguments are handed on as they come.
    let context = create.map_or(std::ptr::null_mut(), |create| unsafe {
        create(display, config, kind, share, direct)
    });
    created(context, share)
}

unsafe extern "C" fn glXCreateContextAttribsARB(
    display: Pointer,
    config: Pointer,
    share: Pointer,
    direct: c_int,
    attributes: *const c_int,
) -> Pointer {
    let create = vendor_function!(
        VENDOR,
        "glXCreateContextAttribsARB"
            as unsafe extern "C" fn(Pointer, Pointer, Pointer, c_int, *const c_int) -> Pointer
    );
    // SAFETY: arguments are handed on as they come.
    let context = create.map_or(std::ptr::null_mut(), |create| unsafe {
        create(display, config, share, direct, attributes)
    });
    created(context, share)
}

unsafe extern "C" fn glXDestroyContext(display: Pointer, context: Pointer) {
    let destroy = vendor_function!(
        VENDOR,
        "glXDestroyContext" as unsafe extern "C" fn(Pointer, Pointer)
    );
    // SAFETY: arguments are handed on as they come.
    let destroy = destroy.map(|destroy| move || unsafe { destroy(display, context) });
    destroyed(context, destroy);
}

/// Destroys a context, which gives no result. Without a function of the vendor nothing is destroyed.
fn destroyed(context: Pointer, destroy: Option<impl FnOnce()>) {
    // Before it is destroyed, as another thread may get its name for a new context then.
    let removed = current::remove(Native(context as usize));
    match destroy {
        Some(destroy) => {
            destroy();
            removed.destroyed();
        }
        None => removed.restore(),
    }
}

fn made_current(success: c_int, context: Pointer) -> c_int {
    if success != 0 {
        current::made_current((!context.is_null()).then_some(Native(context as usize)));
    }
    success
}

unsafe extern "C" fn glXMakeCurrent(display: Pointer, drawable: usize, context: Pointer) -> c_int {
    current::leaving();
    let make = vendor_function!(
        VENDOR,
        "glXMakeCurrent" as unsafe extern "C" fn(Pointer, usize, Pointer) -> c_int
    );
    // SAFETY: arguments are handed on as they come.
    let success = make.map_or(0, |make| unsafe { make(display, drawable, context) });
    made_current(success, context)
}

unsafe extern "C" fn glXMakeContextCurrent(
    display: Pointer,
    draw: usize,
    read: usize,
    context: Pointer,
) -> c_int {
    current::leaving();
    let make = vendor_function!(
        VENDOR,
        "glXMakeContextCurrent" as unsafe extern "C" fn(Pointer, usize, usize, Pointer) -> c_int
    );
    // SAFETY: arguments are handed on as they come.
    let success = make.map_or(0, |make| unsafe { make(display, draw, read, context) });
    made_current(success, context)
}

/// GLX_SGIX_fbconfig: `glXCreateNewContext` under its first name.
unsafe extern "C" fn glXCreateContextWithConfigSGIX(
    display: Pointer,
    config: Pointer,
    kind: c_int,
    share: Pointer,
    direct: c_int,
) -> Pointer {
    let create = vendor_function!(
        VENDOR,
        "glXCreateContextWithConfigSGIX"
            as unsafe extern "C" fn(Pointer, Pointer, c_int, Pointer, c_int) -> Pointer
    );
    // SAFETY: arguments are handed on as they come.
    let context = create.map_or(std::ptr::null_mut(), |create| unsafe {
        create(display, config, kind, share, direct)
    });
    created(context, share)
}

/// GLX_SGI_make_current_read: `glXMakeContextCurrent` under its first name.
unsafe extern "C" fn glXMakeCurrentReadSGI(
    display: Pointer,
    draw: usize,
    read: usize,
    context: Pointer,
) -> c_int {
    current::leaving();
    let make = vendor_function!(
        VENDOR,
        "glXMakeCurrentReadSGI" as unsafe extern "C" fn(Pointer, usize, usize, Pointer) -> c_int
    );
    // SAFETY: arguments are handed on as they come.
    let success = make.map_or(0, |make| unsafe { make(display, draw, read, context) });
    made_current(success, context)
}

/// GLX_EXT_import_context: a context that another process has made shares nothing with those of this one.
unsafe extern "C" fn glXImportContextEXT(display: Pointer, id: usize) -> Pointer {
    let import = vendor_function!(
        VENDOR,
        "glXImportContextEXT" as unsafe extern "C" fn(Pointer, usize) -> Pointer
    );
    // SAFETY: arguments are handed on as they come.
    let context = import.map_or(std::ptr::null_mut(), |import| unsafe {
        import(display, id)
    });
    created(context, std::ptr::null_mut())
}

unsafe extern "C" fn glXFreeContextEXT(display: Pointer, context: Pointer) {
    let free = vendor_function!(
        VENDOR,
        "glXFreeContextEXT" as unsafe extern "C" fn(Pointer, Pointer)
    );
    // SAFETY: arguments are handed on as they come.
    let free = free.map(|free| move || unsafe { free(display, context) });
    destroyed(context, free);
}
