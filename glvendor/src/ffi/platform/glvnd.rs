//! The vendor of GLVND whose driver draws: `GLASM_DRIVER` names it, like
//! `__GLX_VENDOR_LIBRARY_NAME`; the default is Mesa.
//!
//! Commands of GLX and EGL about contexts call its functions.

use crate::ffi::driver::{self, GetProcAddress};
use crate::ffi::entry_table;
use crate::{log, settings};
use std::ffi::{CStr, CString, c_char, c_int, c_ulong, c_void};
use std::fmt::Display;
use std::io::Write as _;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

const RTLD_NOW: c_int = 2;
const RTLD_LOCAL: c_int = 0;

#[link(name = "dl")]
unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

/// Returns true if the process has more privileges than its user: environment variables are not
/// trusted then.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn is_privileged() -> bool {
    const AT_SECURE: c_ulong = 23;
    unsafe extern "C" {
        safe fn getauxval(kind: c_ulong) -> c_ulong;
    }
    getauxval(AT_SECURE) != 0
}

/// Returns true if the process has more privileges than its user: environment variables are not
/// trusted then.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn is_privileged() -> bool {
    unsafe extern "C" {
        safe fn issetugid() -> c_int;
    }
    issetugid() != 0
}

/// Returns no function: the window systems install theirs.
pub(crate) fn default_lookup() -> Option<GetProcAddress> {
    None
}

/// Returns true: vendors of GLVND find commands without a current context.
pub(crate) fn is_lookup_final() -> bool {
    true
}

/// Returns a number of this thread that no other living thread has.
pub(crate) fn thread_token() -> usize {
    thread_local! {
        static MARK: u8 = const { 0 };
    }
    MARK.with(|mark| std::ptr::from_ref(mark) as usize)
}

/// Writes a message to the standard error stream. Write errors are ignored: the stream may be
/// closed.
pub(crate) fn write_message(message: impl Display) {
    let _ = writeln!(std::io::stderr(), "glasm: {message}");
}

/// `GetProcAddress` of the real vendor. It changes when the system's library was unloaded and is
/// loaded again.
pub(super) struct VendorLookup(AtomicPtr<c_void>);

impl VendorLookup {
    /// Returns an empty lookup: [`Self::get`] returns `None` until [`Self::set`] is called.
    pub(super) const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Stores the vendor's function that looks up commands, for all threads.
    pub(super) fn set(&self, lookup: GetProcAddress) {
        self.0.store(lookup as *mut c_void, Ordering::Release);
    }

    /// Returns the vendor's function that looks up commands; `None` before it is set.
    pub(super) fn get(&self) -> Option<GetProcAddress> {
        let lookup = self.0.load(Ordering::Acquire);
        (!lookup.is_null()).then(|| {
            // SAFETY: `set` has stored a function of this type.
            unsafe { std::mem::transmute::<*mut c_void, GetProcAddress>(lookup) }
        })
    }

    /// Returns a function of the vendor by its name and a zero; `None` if it has none, or before the
    /// lookup is set.
    pub(super) fn find(&self, name: &str) -> Option<*mut c_void> {
        let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
        // SAFETY: the name ends with a zero.
        let found = self
            .get()
            .map(|lookup| unsafe { lookup(name.as_ptr().cast()) });
        found.filter(|found| !found.is_null())
    }
}

/// Loads the vendor's library for a window system, `libGLX` or `libEGL`, and returns its function
/// `name`. The vendor is that of `GLASM_DRIVER`, Mesa by default. `None`, with a line in the log,
/// if it is not there, if its name is a path, or if the function is `library_main`, this library's
/// own.
pub(super) fn find_vendor_main(
    system: &str,
    name: &CStr,
    library_main: *mut c_void,
) -> Option<*mut c_void> {
    settings::report_problems();
    let vendor = settings::initial().driver();
    let vendor = vendor.map(|it| it.to_string_lossy().into_owned());
    let vendor = vendor.as_deref().unwrap_or("mesa");
    let library = format!("{system}_{vendor}.so.0");
    // With a slash it would be a path, which the dynamic linker loads from any directory.
    let problem = if vendor.contains('/') {
        "is a path and no name"
    } else {
        let vendor_main = load_function(&library, name);
        match vendor_main {
            None => "is not there",
            Some(found) if found == library_main => "is glasm's own",
            Some(_) => return vendor_main,
        }
    };
    log::error(format_args!(
        "{library} {problem}: GLASM_DRIVER, or a rule, names the vendor of the driver"
    ));
    None
}

/// Returns a command of OpenGL or of a window system by name: that of this library, otherwise the
/// vendor's; null if neither has it.
///
/// # Safety
/// The name ends with a zero.
pub(super) unsafe fn find_command(
    lookup: &VendorLookup,
    name: *const u8,
    window_system: fn(&str) -> Option<*mut c_void>,
) -> *mut c_void {
    // SAFETY: ensured by the caller.
    let text = unsafe { CStr::from_ptr(name.cast::<c_char>()) }
        .to_str()
        .unwrap_or_default();
    let ours = entry_table::find(text).or_else(|| window_system(text));
    // SAFETY: the name continues as it came.
    let theirs = || lookup.get().map(|lookup| unsafe { lookup(name) });
    ours.or_else(theirs).unwrap_or(std::ptr::null_mut())
}

/// Loads a library, which remains loaded, and finds a function of it. `None` if either does not
/// exist. For GLX, the library that was loaded before is unloaded first.
fn load_function(library: &str, name: &CStr) -> Option<*mut c_void> {
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
    let symbol = unsafe { dlsym(handle, name.as_ptr()) };
    (!symbol.is_null()).then_some(symbol)
}

/// Vendor's library for GLX, if one is loaded.
static GLX: AtomicUsize = AtomicUsize::new(0);

/// Unloads the vendor's library of the old libGLX, if there is one, and invalidates the driver's
/// commands that were found. libGLX asks once for its vendor; a second request means that it was
/// unloaded, while this library cannot be, and the vendor's library refers to the old one: it would
/// have been unloaded, too.
fn unload_glx() {
    let old = GLX.swap(0, Ordering::AcqRel) as *mut c_void;
    if !old.is_null() {
        // Commands of the driver are looked up again, from EGL's vendor if that is loaded.
        driver::reset_lookup(super::egl::lookup());
        // SAFETY: the library is unloaded once. Its functions for GLX were called through the old
        // libGLX alone, which the application has unloaded, so that none of its threads is in them;
        // commands of OpenGL that EGL's contexts use belong to libraries that remain loaded for
        // EGL's vendor, and no pointer to them is stored here.
        unsafe { dlclose(old) };
    }
}
