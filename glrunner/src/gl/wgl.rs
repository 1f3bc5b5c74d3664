//! WGL: contexts on Windows. Each has a window that is never shown, because WGL has none without.
//!
//! The library is loaded by its name once, and remains loaded: an `opengl32.dll` in the directory of
//! the executable is used instead of the system's, as in other applications.

use super::devices::{DeviceKind, VERSIONS, Version};
use crate::error::Error;
use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::marker::PhantomData;
use std::sync::OnceLock;
use windows_sys::Win32::Foundation::{HMODULE, HWND};
use windows_sys::Win32::Graphics::Gdi::{GetDC, HDC, ReleaseDC};
use windows_sys::Win32::Graphics::OpenGL::{
    ChoosePixelFormat, PFD_DRAW_TO_WINDOW, PFD_SUPPORT_OPENGL, PFD_TYPE_RGBA,
    PIXELFORMATDESCRIPTOR, SetPixelFormat,
};
use windows_sys::Win32::System::LibraryLoader::{GetProcAddress, LoadLibraryA};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CreateWindowExA, DestroyWindow, WS_CLIPCHILDREN, WS_CLIPSIBLINGS, WS_POPUP,
};

/// Context of WGL.
type Context = *mut c_void;

type CreateContext = unsafe extern "system" fn(HDC) -> Context;
type DeleteContext = unsafe extern "system" fn(Context) -> c_int;
type MakeCurrent = unsafe extern "system" fn(HDC, Context) -> c_int;
type FindExtension = unsafe extern "system" fn(*const c_char) -> *const c_void;
type CreateContextAttribs = unsafe extern "system" fn(HDC, Context, *const c_int) -> Context;

// WGL_ARB_create_context, WGL_ARB_create_context_profile.
const CONTEXT_MAJOR_VERSION_ARB: c_int = 0x2091;
const CONTEXT_MINOR_VERSION_ARB: c_int = 0x2092;
const CONTEXT_FLAGS_ARB: c_int = 0x2094;
const CONTEXT_PROFILE_MASK_ARB: c_int = 0x9126;
const CONTEXT_DEBUG_BIT_ARB: c_int = 1;
const CONTEXT_COMPATIBILITY_PROFILE_BIT_ARB: c_int = 2;

/// Device that contexts can be created on: WGL has one, that of the desktop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Device {
    pub(super) kind: DeviceKind,
}

/// Functions of the library.
pub(super) struct WindowSystem {
    /// Handle as a number, since pointers cannot be sent to other threads.
    library: usize,
    create_context: CreateContext,
    delete_context: DeleteContext,
    make_current: MakeCurrent,
    find_extension: FindExtension,
}

impl WindowSystem {
    /// Loads `opengl32.dll` on the first call; later calls return the same library or error.
    pub(super) fn load() -> Result<&'static Self, Error> {
        static LIBRARY: OnceLock<Result<WindowSystem, String>> = OnceLock::new();
        let loaded = LIBRARY.get_or_init(Self::load_once);
        loaded.as_ref().map_err(|reason| Error::Library {
            name: "WGL",
            reason: reason.clone(),
        })
    }

    fn load_once() -> Result<Self, String> {
        // SAFETY: the name ends with a zero. Loading runs initialization code of the library, which
        // is the purpose of the program.
        let library = unsafe { LoadLibraryA(c"opengl32.dll".as_ptr().cast()) };
        if library.is_null() {
            return Err(io::Error::last_os_error().to_string());
        }
        let find = |name: &str| match find_export(library, name) {
            found if found.is_null() => Err(format!("opengl32.dll lacks {name}")),
            found => Ok(found),
        };
        let [create, delete, make, lookup] = [
            "wglCreateContext",
            "wglDeleteContext",
            "wglMakeCurrent",
            "wglGetProcAddress",
        ];
        // SAFETY: the pointers are not null, and the functions have these types (wingdi.h).
        Ok(unsafe {
            Self {
                library: library as usize,
                create_context: std::mem::transmute::<*const c_void, CreateContext>(find(create)?),
                delete_context: std::mem::transmute::<*const c_void, DeleteContext>(find(delete)?),
                make_current: std::mem::transmute::<*const c_void, MakeCurrent>(find(make)?),
                find_extension: std::mem::transmute::<*const c_void, FindExtension>(find(lookup)?),
            }
        })
    }

    /// Returns the device of the desktop.
    pub(super) fn devices(&self) -> Vec<Device> {
        vec![Device {
            kind: DeviceKind::Hardware,
        }]
    }

    /// Returns the address of an OpenGL command; null if the driver lacks it. A context must be
    /// current.
    pub(super) fn proc_address(&self, name: &str) -> *const c_void {
        let Ok(terminated) = CString::new(name) else {
            return std::ptr::null();
        };
        // SAFETY: the name ends with a zero.
        let found = unsafe { (self.find_extension)(terminated.as_ptr()) };
        // Some drivers return small numbers or -1 for functions that they lack. Functions of OpenGL
        // 1.1 are exported.
        match found as isize {
            -1..=3 => find_export(self.library as HMODULE, name),
            _ => found,
        }
    }

    /// Creates a context of the compatibility profile of the first version in [`VERSIONS`] that the
    /// driver supports, while another context is current; `None` without
    /// WGL_ARB_create_context_profile. [`Error::NoContext`] if the driver supports no version.
    fn create_newest_context(&self, device: HDC) -> Result<Option<Context>, Error> {
        let create = self.proc_address("wglCreateContextAttribsARB");
        if create.is_null() {
            return Ok(None);
        }
        // SAFETY: WGL_ARB_create_context defines this signature.
        let create = unsafe { std::mem::transmute::<*const c_void, CreateContextAttribs>(create) };
        for Version(major, minor) in VERSIONS {
            let attributes = [
                CONTEXT_MAJOR_VERSION_ARB,
                major as c_int,
                CONTEXT_MINOR_VERSION_ARB,
                minor as c_int,
                CONTEXT_PROFILE_MASK_ARB,
                CONTEXT_COMPATIBILITY_PROFILE_BIT_ARB,
                CONTEXT_FLAGS_ARB,
                CONTEXT_DEBUG_BIT_ARB,
                0,
            ];
            // SAFETY: the device context is valid, and the list ends with a zero.
            let context = unsafe { create(device, std::ptr::null_mut(), attributes.as_ptr()) };
            if !context.is_null() {
                return Ok(Some(context));
            }
        }
        let reason = io::Error::last_os_error().to_string();
        Err(Error::NoContext(reason))
    }
}

/// Returns a function that a library exports; null if there is none.
fn find_export(library: HMODULE, name: &str) -> *const c_void {
    let Ok(name) = CString::new(name) else {
        return std::ptr::null();
    };
    // SAFETY: the library is loaded, and the name ends with a zero.
    let found = unsafe { GetProcAddress(library, name.as_ptr().cast()) };
    found.map_or(std::ptr::null(), |function| function as *const c_void)
}

/// Returns the error that a call of Windows failed.
fn last_call_error(call: &'static str) -> Error {
    Error::WindowSystem {
        call,
        reason: io::Error::last_os_error().to_string(),
    }
}

/// Window that is not shown, with a pixel format for OpenGL.
struct Window {
    handle: HWND,
    device: HDC,
}

impl Window {
    /// Creates the window. All drawing is to framebuffer objects, so its size and its pixel format
    /// do not affect results.
    fn create() -> Result<Self, Error> {
        let style = WS_POPUP | WS_CLIPCHILDREN | WS_CLIPSIBLINGS;
        let null = std::ptr::null_mut;
        // SAFETY: the names end with zeros; windows of this class of the system need no parent, menu
        // or data.
        let handle = unsafe {
            CreateWindowExA(
                0,
                c"STATIC".as_ptr().cast(),
                c"glasm".as_ptr().cast(),
                style,
                0,
                0,
                1,
                1,
                null(),
                null(),
                null(),
                std::ptr::null(),
            )
        };
        if handle.is_null() {
            return Err(last_call_error("CreateWindowEx"));
        }
        // SAFETY: the window exists.
        let device = unsafe { GetDC(handle) };
        let window = Self { handle, device };
        if device.is_null() {
            return Err(last_call_error("GetDC"));
        }
        window.set_pixel_format()?;
        Ok(window)
    }

    fn set_pixel_format(&self) -> Result<(), Error> {
        let format = PIXELFORMATDESCRIPTOR {
            nSize: size_of::<PIXELFORMATDESCRIPTOR>() as u16,
            nVersion: 1,
            dwFlags: PFD_DRAW_TO_WINDOW | PFD_SUPPORT_OPENGL,
            iPixelType: PFD_TYPE_RGBA,
            cColorBits: 32,
            cDepthBits: 24,
            cStencilBits: 8,
            ..PIXELFORMATDESCRIPTOR::default()
        };
        // SAFETY: the device context is that of the window, and the description is valid.
        let index = unsafe { ChoosePixelFormat(self.device, &raw const format) };
        if index == 0 {
            return Err(last_call_error("ChoosePixelFormat"));
        }
        // SAFETY: as before; the index comes from Windows.
        let is_set = unsafe { SetPixelFormat(self.device, index, &raw const format) };
        if is_set == 0 {
            return Err(last_call_error("SetPixelFormat"));
        }
        Ok(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: window and device context were created by this thread, and are used by nothing else.
        unsafe {
            if !self.device.is_null() {
                ReleaseDC(self.handle, self.device);
            }
            DestroyWindow(self.handle);
        }
    }
}

thread_local! {
    static IN_USE: Cell<bool> = const { Cell::new(false) };
}

/// Context that is current on this thread from its creation to its `Drop`. There is at most one in
/// a thread.
pub(super) struct CurrentContext {
    system: &'static WindowSystem,
    context: Context,
    window: Window,
    // Binds the type to its thread.
    _thread: PhantomData<*const ()>,
}

impl CurrentContext {
    /// Creates a context of the highest version of OpenGL that the driver supports with the
    /// compatibility profile, with debug messages, and makes it current. [`Error::ContextInUse`] if
    /// the thread has one, and other errors if Windows fails.
    pub(super) fn new(system: &'static WindowSystem, _: Device) -> Result<Self, Error> {
        if IN_USE.get() {
            return Err(Error::ContextInUse);
        }
        let window = Window::create()?;
        let mut current = Self {
            system,
            context: std::ptr::null_mut(),
            window,
            _thread: PhantomData,
        };
        // SAFETY: the device context has a pixel format.
        let first = unsafe { (system.create_context)(current.window.device) };
        if first.is_null() {
            return Err(last_call_error("wglCreateContext"));
        }
        current.replace_context(first)?;
        // WGL finds the function for newer versions only while a context is current.
        if let Some(newest) = system.create_newest_context(current.window.device)? {
            current.replace_context(newest)?;
        }
        IN_USE.set(true);
        Ok(current)
    }

    /// Makes another context current, and deletes the previous one.
    fn replace_context(&mut self, context: Context) -> Result<(), Error> {
        let previous = std::mem::replace(&mut self.context, context);
        // SAFETY: both were created with the pixel format of the device context.
        let is_current = unsafe { (self.system.make_current)(self.window.device, context) };
        let error = last_call_error("wglMakeCurrent");
        if !previous.is_null() {
            // SAFETY: it is not used any more.
            unsafe { (self.system.delete_context)(previous) };
        }
        if is_current == 0 { Err(error) } else { Ok(()) }
    }
}

impl Drop for CurrentContext {
    fn drop(&mut self) {
        // A failure cannot be handled; the process continues without the context either way.
        if !self.context.is_null() {
            // SAFETY: the context belongs to this thread; without a context the device context is
            // ignored.
            unsafe {
                (self.system.make_current)(std::ptr::null_mut(), std::ptr::null_mut());
                (self.system.delete_context)(self.context);
            }
            IN_USE.set(false);
        }
    }
}
