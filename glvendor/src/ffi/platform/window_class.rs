//! Class of the window that a context of GLX draws to: the second string of its property
//! `WM_CLASS`, by which rules for applications select settings.
//!
//! It is read only if a rule needs it, with functions of the application's libX11.

use super::contexts::Pointer;
use crate::lock::Mutex;
use crate::settings;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

#[link(name = "dl")]
unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Returns libX11 if it is loaded, otherwise null, the default scope. The application may have
/// loaded it for a part of its libraries only, as Wine does.
fn find_library() -> *mut c_void {
    const RTLD_LAZY: c_int = 1;
    const RTLD_NOLOAD: c_int = 4;
    // SAFETY: the name ends with a zero, and no code runs: nothing is loaded.
    unsafe { dlopen(c"libX11.so.6".as_ptr(), RTLD_LAZY | RTLD_NOLOAD) }
}

/// `XClassHint` of Xutil.h.
#[repr(C)]
struct ClassHint {
    name: *mut c_char,
    class: *mut c_char,
}

/// First members of `XErrorEvent` of Xlib.h.
#[repr(C)]
struct ErrorEvent {
    kind: c_int,
    display: Pointer,
}

type ErrorHandler = unsafe extern "C" fn(Pointer, *mut ErrorEvent) -> c_int;

/// Windows of GLX that the application has created, by their names: the windows of X that they
/// belong to.
static GLX_WINDOWS: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);

/// Windows above a window that are examined at most: applications draw to children of the window
/// that has a class.
const MAX_DEPTH: usize = 16;

/// Records that a window of GLX belongs to a window of X.
pub(super) fn register_glx_window(glx_window: usize, window: usize) {
    let mut windows = GLX_WINDOWS.lock();
    windows.get_or_insert_default().insert(glx_window, window);
}

/// Reads the class of the window that a context is about to draw to, and sets it for the settings
/// of this process, if a rule needs it and no class is set. Does nothing if the drawable is not
/// a window, or without libX11.
pub(super) fn examine(display: Pointer, drawable: usize) {
    if display.is_null() || drawable == 0 || !settings::needs_window_class() {
        return;
    }
    let known = GLX_WINDOWS.lock();
    let window = known.as_ref().and_then(|it| it.get(&drawable).copied());
    drop(known);
    let class = X11::find().and_then(|x11| x11.read_class(display, window.unwrap_or(drawable)));
    if let Some(class) = class {
        settings::set_window_class(&class);
    }
}

/// Defines the functions of libX11 that are used, and how they are found.
macro_rules! functions {
    ($($member:ident $name:literal ($($ty:ty),*) $(-> $result:ty)?;)*) => {
        /// Functions of libX11.
        #[derive(Clone, Copy)]
        struct X11 {
            $($member: unsafe extern "C" fn($($ty),*) $(-> $result)?,)*
        }

        impl X11 {
            /// Finds the functions in libX11, or else in the libraries that the application has
            /// loaded for all others. `None` if none of them has the functions.
            fn find() -> Option<Self> {
                let library = find_library();
                Some(Self {
                    $($member: {
                        // SAFETY: the name ends with a zero, and null is the default scope.
                        let found = unsafe { dlsym(library, $name.as_ptr()) };
                        if found.is_null() {
                            return None;
                        }
                        // SAFETY: Xlib.h and Xutil.h have this type for it.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($ty),*) $(-> $result)?,
                            >(found)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    get_class_hint c"XGetClassHint" (Pointer, c_ulong, *mut ClassHint) -> c_int;
    query_tree c"XQueryTree" (
        Pointer, c_ulong, *mut c_ulong, *mut c_ulong, *mut *mut c_ulong, *mut c_uint
    ) -> c_int;
    free c"XFree" (*mut c_void) -> c_int;
    sync c"XSync" (Pointer, c_int) -> c_int;
    set_error_handler c"XSetErrorHandler" (Option<ErrorHandler>) -> Option<ErrorHandler>;
}

/// Display whose errors [`ignore_error`] ignores; 0 for none.
static EXAMINED_DISPLAY: AtomicUsize = AtomicUsize::new(0);

/// Error handler of the application, while [`ignore_error`] is installed.
static APPLICATION_HANDLER: Mutex<Option<ErrorHandler>> = Mutex::new(None);

/// Ignores errors of the examined display: drawables other than windows cause them. Passes those
/// of other displays to the application.
unsafe extern "C" fn ignore_error(display: Pointer, event: *mut ErrorEvent) -> c_int {
    if display as usize == EXAMINED_DISPLAY.load(Ordering::Acquire) {
        return 0;
    }
    let handler = *APPLICATION_HANDLER.lock();
    // SAFETY: libX11 has passed these arguments for a handler.
    handler.map_or(0, |handler| unsafe { handler(display, event) })
}

impl X11 {
    /// Returns the class of a window, or of the nearest window above it that has one. `None` if
    /// none has, or if it is not a window.
    fn read_class(self, display: Pointer, window: usize) -> Option<String> {
        static EXAMINATION: Mutex<()> = Mutex::new(());
        let examination = EXAMINATION.lock();
        // Errors of earlier commands go to the application.
        // SAFETY: the application has passed the display to GLX.
        unsafe { (self.sync)(display, 0) };
        EXAMINED_DISPLAY.store(display as usize, Ordering::Release);
        // SAFETY: the handler is a function of this library, which is never unloaded.
        let handler = unsafe { (self.set_error_handler)(Some(ignore_error)) };
        *APPLICATION_HANDLER.lock() = handler;
        let mut window = window as c_ulong;
        let mut class = None;
        for _ in 0..MAX_DEPTH {
            class = self.read_own_class(display, window);
            match self.find_parent(display, window) {
                Some(parent) if class.is_none() => window = parent,
                Some(_) | None => break,
            }
        }
        // SAFETY: it is the handler that was installed before, or null for the default one.
        unsafe { (self.set_error_handler)(handler) };
        EXAMINED_DISPLAY.store(0, Ordering::Release);
        drop(examination);
        class
    }

    /// Returns the class of a window; `None` if it has none.
    fn read_own_class(self, display: Pointer, window: c_ulong) -> Option<String> {
        let mut hint = ClassHint {
            name: std::ptr::null_mut(),
            class: std::ptr::null_mut(),
        };
        // SAFETY: the application has passed the display to GLX, and the structure has the members
        // that Xutil.h defines.
        if unsafe { (self.get_class_hint)(display, window, &raw mut hint) } == 0 {
            return None;
        }
        let class = (!hint.class.is_null()).then(|| {
            // SAFETY: libX11 returns a string that ends with a zero.
            let class = unsafe { CStr::from_ptr(hint.class) };
            class.to_string_lossy().into_owned()
        });
        for text in [hint.name, hint.class]
            .into_iter()
            .filter(|it| !it.is_null())
        {
            // SAFETY: libX11 has allocated the string for this caller, who frees it once.
            unsafe { (self.free)(text.cast::<c_void>()) };
        }
        class.filter(|class| !class.is_empty())
    }

    /// Returns the window above a window; `None` for the topmost ones, and if it is not a window.
    fn find_parent(self, display: Pointer, window: c_ulong) -> Option<c_ulong> {
        let (mut root, mut parent, mut count) = (0, 0, 0);
        let mut children = std::ptr::null_mut();
        // SAFETY: the application has passed the display to GLX, and all results have memory.
        let is_done = unsafe {
            (self.query_tree)(
                display,
                window,
                &raw mut root,
                &raw mut parent,
                &raw mut children,
                &raw mut count,
            )
        };
        if !children.is_null() {
            // SAFETY: libX11 has allocated the list for this caller, who frees it once.
            unsafe { (self.free)(children.cast::<c_void>()) };
        }
        (is_done != 0 && parent != 0 && parent != root).then_some(parent)
    }
}
