//! The interface of Windows: `opengl32.dll`, whose functions programs and gdi32 call in this
//! library. It forwards them to the system's library, except for contexts and commands of OpenGL.
//!
//! gdi32 calls the functions about pixel formats and buffers in the library with this name.

#![allow(non_snake_case, reason = "names are those of WGL")]

use super::contexts::{self, Pointer, context_commands, vendor_function};
use super::system_library;
use crate::ffi::current_context::{self, NativeContext};
use crate::ffi::driver::{self, GetProcAddress};
use crate::ffi::entry_table;
use crate::ffi::memory_allocator;
use crate::lock::Mutex;
use crate::settings;
use rustc_hash::FxHashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The functions of the system's library and of its driver.
struct SystemFunctions {
    /// Functions of the driver that applications have received by `wglGetProcAddress`, by name.
    /// They may be called without a current context, while the driver finds them with one only.
    extensions: Mutex<Option<FxHashMap<String, usize>>>,
}

static SYSTEM: SystemFunctions = SystemFunctions {
    extensions: Mutex::new(None),
};

impl SystemFunctions {
    /// Returns a function by its name and a zero: one that the system's library exports, or one
    /// that the application has received. `None` for others.
    fn find(&self, name: &str) -> Option<*mut c_void> {
        system_library::find_export(name).or_else(|| {
            let extensions = self.extensions.lock();
            let known = extensions.as_ref()?.get(name.trim_end_matches('\0'))?;
            Some(*known as *mut c_void)
        })
    }

    /// Stores a function of the driver that the application receives.
    fn store_extension(&self, name: &str, function: *mut c_void) {
        let mut extensions = self.extensions.lock();
        let extensions = extensions.get_or_insert_default();
        extensions.insert(name.to_owned(), function as usize);
    }

    /// Returns the context of the system that is current on this thread; null for none.
    fn current_context(&self) -> Pointer {
        type Function = unsafe extern "system" fn() -> Pointer;
        let current = vendor_function!(SYSTEM, wglGetCurrentContext as Function);
        // SAFETY: it has no arguments.
        current.map_or(std::ptr::null_mut(), |current| unsafe { current() })
    }

    /// Returns the result of the system's `wglGetProcAddress`; null if it finds nothing. Some
    /// drivers return small numbers or -1 for functions that they lack.
    ///
    /// # Safety
    /// The name ends with a zero.
    unsafe fn find_by_driver(&self, name: *const u8) -> *mut c_void {
        type Function = unsafe extern "system" fn(*const u8) -> *mut c_void;
        let lookup = vendor_function!(SYSTEM, wglGetProcAddress as Function);
        // SAFETY: ensured by the caller.
        let found = lookup.map_or(std::ptr::null_mut(), |lookup| unsafe { lookup(name) });
        match found as isize {
            -1..=3 => std::ptr::null_mut(),
            _ => found,
        }
    }
}

/// Returns the function that finds commands of the driver.
pub(crate) fn default_lookup() -> Option<GetProcAddress> {
    Some(look_up)
}

/// Returns true if a command that [`default_lookup`] does not find is missing for good: without a
/// current context the driver finds none.
pub(crate) fn is_lookup_final() -> bool {
    !SYSTEM.current_context().is_null()
}

/// Looks up a command of the driver: commands of OpenGL 1.1 are exported by the system's library,
/// the driver has the others. Null if neither has it.
unsafe extern "C" fn look_up(name: *const u8) -> *mut c_void {
    // SAFETY: the name ends with a zero.
    let text = unsafe { CStr::from_ptr(name.cast::<c_char>()) };
    let text = std::str::from_utf8(text.to_bytes_with_nul()).unwrap_or_default();
    system_library::find_export(text).unwrap_or_else(|| {
        // SAFETY: the name continues as it came.
        unsafe { SYSTEM.find_by_driver(name) }
    })
}

/// Finds a function by name for the application. The system's library decides whether there is one:
/// without a current context there is none, and names that the library exports are not found by
/// some drivers. Commands about programs that the driver lacks are those of this library.
///
/// # Safety
/// The name ends with a zero.
#[unsafe(no_mangle)]
unsafe extern "system" fn wglGetProcAddress(name: *const u8) -> *mut c_void {
    // SAFETY: the name continues as it came.
    let theirs = unsafe { SYSTEM.find_by_driver(name) };
    if name.is_null() || SYSTEM.current_context().is_null() {
        return theirs;
    }
    // SAFETY: ensured by the caller.
    let text = unsafe { CStr::from_ptr(name.cast::<c_char>()) };
    let text = text.to_str().unwrap_or_default();
    if let Some(ours) = window_system(text).filter(|_| !theirs.is_null()) {
        SYSTEM.store_extension(text, theirs);
        return ours;
    }
    let works = || current_context::with(|state| state.capabilities.works) == Some(true);
    let memory = text.strip_prefix("wgl");
    let memory = memory.and_then(memory_allocator::find_function);
    if let Some(ours) = memory.filter(|_| works()) {
        return ours;
    }
    let is_available = !theirs.is_null() || entry_table::is_provided(text) && works();
    let ours = entry_table::find(text).filter(|_| is_available);
    ours.unwrap_or(theirs)
}

/// Makes a context current, or none, with a function of the system, and records which context is
/// current afterwards: a failure may release the previous one. Returns the result of the function;
/// 0 if the system lacks it.
fn select(vendor: Option<impl FnOnce() -> c_int>) -> c_int {
    current_context::prepare_switch();
    let outcome = vendor.map_or(0, |select| select());
    let current = SYSTEM.current_context();
    if !current.is_null() {
        settings::report_problems();
        notice_driver();
    }
    current_context::set_current((!current.is_null()).then_some(NativeContext(current as usize)));
    outcome
}

/// Invalidates the commands of the driver that were found if the current context has another
/// driver, such as the one of Windows without extensions. Contexts of two drivers cannot be used at
/// the same time.
fn notice_driver() {
    static MARK: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: the name ends with a zero.
    let mark = unsafe { SYSTEM.find_by_driver(c"glActiveTexture".as_ptr().cast()) } as usize;
    // The driver of Windows without extensions has no such command; its commands are exported.
    if mark != 0 && MARK.swap(mark, Ordering::Relaxed) != mark {
        driver::reset_lookup(None);
    }
}

/// Destroys a context with a function of the system, and removes its state if the function
/// succeeds. A context that is current on this thread is no longer current then. Returns the result
/// of the function; 0 if the system lacks it.
fn delete(context: Pointer, vendor: Option<impl FnOnce() -> c_int>) -> c_int {
    let was_current = !context.is_null() && SYSTEM.current_context() == context;
    if was_current {
        current_context::prepare_switch();
    }
    let outcome = contexts::destroy(context, vendor);
    if was_current && SYSTEM.current_context().is_null() {
        current_context::set_current(None);
    }
    outcome
}

/// Calls a function of the system that shares display lists, and joins the share group of the
/// first context if it succeeds. Returns its result; 0 if the system lacks it.
fn share(first: Pointer, second: Pointer, vendor: Option<impl FnOnce() -> c_int>) -> c_int {
    let outcome = vendor.map_or(0, |share| share());
    if outcome != 0 {
        let [first, second] = [first, second].map(|it| NativeContext(it as usize));
        current_context::join_share_group(second, first);
    }
    outcome
}

/// Calls a function of the system that copies groups of state of `glPushAttrib` from a context to
/// another, and copies the state of this library if it succeeds. Returns its result; 0 if the
/// system lacks it.
fn copy(
    source: Pointer,
    target: Pointer,
    groups: u32,
    vendor: Option<impl FnOnce() -> c_int>,
) -> c_int {
    let outcome = vendor.map_or(0, |copy| copy());
    if outcome != 0 {
        let [source, target] = [source, target].map(|it| NativeContext(it as usize));
        current_context::copy_enables(source, target, groups);
    }
    outcome
}

/// Deletes the display lists with these names before the system defines lists of characters with
/// them, without commands of this library.
fn claim_lists(first: u32, count: u32) {
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    current_context::with(|state| state.delete_lists(first, count));
}

/// Calls a function of the system that defines display lists of characters, from `base` on.
fn define_lists(base: u32, count: u32, vendor: Option<impl FnOnce() -> c_int>) -> c_int {
    claim_lists(base, count);
    forward(vendor)
}

/// Calls a function of the system. Returns its result; 0 if the system lacks it.
fn forward<R: Default>(vendor: Option<impl FnOnce() -> R>) -> R {
    vendor.map(|function| function()).unwrap_or_default()
}

context_commands! {
    SYSTEM;
    #[unsafe(no_mangle)]
    create wglCreateContext(device: Pointer) -> Pointer = std::ptr::null_mut();
    #[unsafe(no_mangle)]
    create wglCreateLayerContext(device: Pointer, layer: c_int) -> Pointer = std::ptr::null_mut();
    create wglCreateContextAttribsARB(device: Pointer, share: Pointer, attributes: *const c_int) -> Pointer = share;
    /// AMD_gpu_association.
    create wglCreateAssociatedContextAMD(id: u32) -> Pointer = std::ptr::null_mut();
    /// AMD_gpu_association.
    create wglCreateAssociatedContextAttribsAMD(id: u32, share: Pointer, attributes: *const c_int) -> Pointer = share;
    #[unsafe(no_mangle)]
    select wglMakeCurrent(device: Pointer, context: Pointer) -> c_int;
    select wglMakeContextCurrentARB(draw: Pointer, read: Pointer, context: Pointer) -> c_int;
    /// EXT_make_current_read: `wglMakeContextCurrentARB` under its first name.
    select wglMakeContextCurrentEXT(draw: Pointer, read: Pointer, context: Pointer) -> c_int;
    /// AMD_gpu_association.
    select wglMakeAssociatedContextCurrentAMD(context: Pointer) -> c_int;
    #[unsafe(no_mangle)]
    delete wglDeleteContext(context: Pointer) -> c_int = context;
    /// AMD_gpu_association.
    delete wglDeleteAssociatedContextAMD(context: Pointer) -> c_int = context;
    #[unsafe(no_mangle)]
    share wglShareLists(first: Pointer, second: Pointer) -> c_int = first, second;
    #[unsafe(no_mangle)]
    copy wglCopyContext(source: Pointer, target: Pointer, groups: u32) -> c_int = source, target, groups;
    #[unsafe(no_mangle)]
    define_lists wglUseFontBitmapsA(device: Pointer, first: u32, count: u32, base: u32) -> c_int = base, count;
    #[unsafe(no_mangle)]
    define_lists wglUseFontBitmapsW(device: Pointer, first: u32, count: u32, base: u32) -> c_int = base, count;
    #[unsafe(no_mangle)]
    define_lists wglUseFontOutlinesA(
        device: Pointer, first: u32, count: u32, base: u32, deviation: f32, extrusion: f32, format: c_int, metrics: Pointer
    ) -> c_int = base, count;
    #[unsafe(no_mangle)]
    define_lists wglUseFontOutlinesW(
        device: Pointer, first: u32, count: u32, base: u32, deviation: f32, extrusion: f32, format: c_int, metrics: Pointer
    ) -> c_int = base, count;
    #[unsafe(no_mangle)]
    forward wglChoosePixelFormat(device: Pointer, format: *const c_void) -> c_int;
    #[unsafe(no_mangle)]
    forward wglDescribePixelFormat(device: Pointer, index: c_int, size: u32, format: *mut c_void) -> c_int;
    #[unsafe(no_mangle)]
    forward wglGetPixelFormat(device: Pointer) -> c_int;
    #[unsafe(no_mangle)]
    forward wglSetPixelFormat(device: Pointer, index: c_int, format: *const c_void) -> c_int;
    #[unsafe(no_mangle)]
    forward wglSwapBuffers(device: Pointer) -> c_int;
    #[unsafe(no_mangle)]
    forward wglSwapLayerBuffers(device: Pointer, planes: u32) -> c_int;
    #[unsafe(no_mangle)]
    forward wglSwapMultipleBuffers(count: u32, buffers: *const c_void) -> u32;
    #[unsafe(no_mangle)]
    forward wglDescribeLayerPlane(device: Pointer, index: c_int, layer: c_int, size: u32, plane: *mut c_void) -> c_int;
    #[unsafe(no_mangle)]
    forward wglGetLayerPaletteEntries(device: Pointer, layer: c_int, first: c_int, count: c_int, colors: *mut u32) -> c_int;
    #[unsafe(no_mangle)]
    forward wglSetLayerPaletteEntries(device: Pointer, layer: c_int, first: c_int, count: c_int, colors: *const u32) -> c_int;
    #[unsafe(no_mangle)]
    forward wglRealizeLayerPalette(device: Pointer, layer: c_int, realize: c_int) -> c_int;
    #[unsafe(no_mangle)]
    forward wglGetCurrentContext() -> usize;
    #[unsafe(no_mangle)]
    forward wglGetCurrentDC() -> usize;
    #[unsafe(no_mangle)]
    forward wglGetDefaultProcAddress(name: *const u8) -> usize;
    own wglGetProcAddress(name: *const u8) -> Pointer;
    // Functions without documentation, of the tool that records commands, have the sizes of
    // arguments that the import library for 32 bits names.
    #[unsafe(no_mangle)]
    forward GlmfBeginGlsBlock(first: usize) -> usize;
    #[unsafe(no_mangle)]
    forward GlmfCloseMetaFile(first: usize) -> usize;
    #[unsafe(no_mangle)]
    forward GlmfEndGlsBlock(first: usize) -> usize;
    #[unsafe(no_mangle)]
    forward GlmfEndPlayback(first: usize) -> usize;
    #[unsafe(no_mangle)]
    forward GlmfInitPlayback(first: usize, second: usize, third: usize) -> usize;
    #[unsafe(no_mangle)]
    forward GlmfPlayGlsRecord(first: usize, second: usize, third: usize, fourth: usize) -> usize;
    #[unsafe(no_mangle)]
    forward glDebugEntry(first: usize, second: usize) -> usize;
}
