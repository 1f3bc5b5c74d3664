//! EGL: the devices that it names, and contexts without a window.
//!
//! The library is loaded once and displays remain open until the process ends, because EGL shares
//! the display of a device in a process, and closing it would affect all its users.

use super::devices::{DeviceKind, VERSIONS, Version};
use crate::error::Error;
use khronos_egl as egl;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::sync::OnceLock;

type Library = egl::DynamicInstance<egl::EGL1_4>;
type GetPlatformDisplay =
    unsafe extern "system" fn(egl::Enum, *mut c_void, *const egl::Int) -> egl::EGLDisplay;
type QueryDevices =
    unsafe extern "system" fn(egl::Int, *mut *mut c_void, *mut egl::Int) -> egl::Boolean;
type QueryDeviceString = unsafe extern "system" fn(*mut c_void, egl::Int) -> *const c_char;

// EGL_EXT_platform_device, EGL_MESA_platform_surfaceless, EGL_KHR_create_context.
const PLATFORM_DEVICE_EXT: egl::Enum = 0x313F;
const PLATFORM_SURFACELESS_MESA: egl::Enum = 0x31DD;
const CONTEXT_MAJOR_VERSION: egl::Int = 0x3098;
const CONTEXT_MINOR_VERSION: egl::Int = 0x30FB;
const CONTEXT_FLAGS_KHR: egl::Int = 0x30FC;
const CONTEXT_OPENGL_PROFILE_MASK: egl::Int = 0x30FD;
const CONTEXT_OPENGL_DEBUG_BIT_KHR: egl::Int = 1;
const CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT: egl::Int = 2;

/// More devices than any machine has.
const MAX_DEVICES: usize = 64;

/// Device of EGL_EXT_device_enumeration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct DeviceHandle(*mut c_void);

// SAFETY: EGL retains devices until the process ends, and its functions may be called on any
// thread.
unsafe impl Send for DeviceHandle {}

/// Platform that a context can be created on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Platform {
    /// This device.
    Device(DeviceHandle),
    /// Mesa, which chooses the device.
    Surfaceless,
    /// Default of the system.
    Default,
}

/// Device that contexts can be created on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Device {
    platform: Platform,
    pub(super) kind: DeviceKind,
}

/// EGL library.
pub(super) struct WindowSystem {
    instance: Library,
    client_extensions: String,
}

impl WindowSystem {
    /// Loads the system's EGL library on the first call; later calls return the same library or
    /// error.
    pub(super) fn load() -> Result<&'static Self, Error> {
        static EGL: OnceLock<Result<WindowSystem, String>> = OnceLock::new();
        EGL.get_or_init(|| {
            // SAFETY: loading runs initialization code of the system's EGL library, which is the
            // purpose of the program.
            let instance =
                unsafe { Library::load_required() }.map_err(|error| error.to_string())?;
            let client_extensions = instance
                .query_string(None, egl::EXTENSIONS)
                .map(|text| text.to_string_lossy().into_owned())
                .unwrap_or_default();
            Ok(Self {
                instance,
                client_extensions,
            })
        })
        .as_ref()
        .map_err(|reason| Error::Library {
            name: "EGL",
            reason: reason.clone(),
        })
    }

    /// Returns the devices that contexts may be created on, in the order of the system. If EGL
    /// enumerates none, returns one that EGL chooses.
    pub(super) fn devices(&self) -> Vec<Device> {
        let mut devices = self.enumerated_devices();
        if devices.is_empty() {
            let platform = if self.has_client_extension("EGL_MESA_platform_surfaceless") {
                Platform::Surfaceless
            } else {
                Platform::Default
            };
            devices.push(Device {
                platform,
                kind: DeviceKind::Hardware,
            });
        }
        devices
    }

    /// Returns true if EGL supports a client extension, which needs no display.
    fn has_client_extension(&self, extension: &str) -> bool {
        has_word(&self.client_extensions, extension)
    }

    /// Returns the devices of EGL_EXT_device_enumeration; none if EGL lacks this extension or
    /// EGL_EXT_platform_device.
    fn enumerated_devices(&self) -> Vec<Device> {
        let enumerates = self.has_client_extension("EGL_EXT_device_base")
            || self.has_client_extension("EGL_EXT_device_enumeration");
        if !enumerates || !self.has_client_extension("EGL_EXT_platform_device") {
            return Vec::new();
        }
        let Some(query) = self.instance.get_proc_address("eglQueryDevicesEXT") else {
            return Vec::new();
        };
        // SAFETY: EGL_EXT_device_enumeration defines this signature.
        let query = unsafe { std::mem::transmute::<extern "system" fn(), QueryDevices>(query) };
        let mut handles = [std::ptr::null_mut(); MAX_DEVICES];
        let mut count = 0;
        // SAFETY: EGL writes at most as many handles as specified.
        let success = unsafe { query(MAX_DEVICES as egl::Int, handles.as_mut_ptr(), &mut count) };
        let count = if success == egl::TRUE { count } else { 0 };
        let handles = handles.iter().take(usize::try_from(count).unwrap_or(0));
        handles
            .map(|&handle| Device {
                platform: Platform::Device(DeviceHandle(handle)),
                kind: self.device_kind(handle),
            })
            .collect()
    }

    /// Returns whether a device is hardware or software (EGL_MESA_device_software); hardware if EGL
    /// does not say.
    fn device_kind(&self, device: *mut c_void) -> DeviceKind {
        let Some(query) = self.instance.get_proc_address("eglQueryDeviceStringEXT") else {
            return DeviceKind::Hardware;
        };
        // SAFETY: EGL_EXT_device_query defines this signature.
        let query =
            unsafe { std::mem::transmute::<extern "system" fn(), QueryDeviceString>(query) };
        // SAFETY: the device was enumerated; EGL retains devices until the process ends.
        let extensions = unsafe { query(device, egl::EXTENSIONS) };
        if extensions.is_null() {
            return DeviceKind::Hardware;
        }
        // SAFETY: EGL returns a string that remains valid.
        let extensions = unsafe { CStr::from_ptr(extensions) }.to_string_lossy();
        if has_word(&extensions, "EGL_MESA_device_software") {
            DeviceKind::Software
        } else {
            DeviceKind::Hardware
        }
    }

    /// Returns EGL's display for a device, not yet initialized. [`Error::MissingExtension`] if EGL
    /// cannot open devices, [`Error::WindowSystem`] if it fails.
    fn open_display(&self, device: Device) -> Result<egl::Display, Error> {
        let (platform, native) = match device.platform {
            Platform::Device(DeviceHandle(handle)) => (PLATFORM_DEVICE_EXT, handle),
            Platform::Surfaceless => (PLATFORM_SURFACELESS_MESA, std::ptr::null_mut()),
            Platform::Default => {
                // SAFETY: null denotes the default display.
                return unsafe { self.instance.get_display(egl::DEFAULT_DISPLAY) }
                    .ok_or_else(|| self.last_call_error("eglGetDisplay"));
            }
        };
        let get = self
            .instance
            .get_proc_address("eglGetPlatformDisplayEXT")
            .ok_or(Error::MissingExtension("EGL_EXT_platform_base"))?;
        // SAFETY: EGL_EXT_platform_base defines this signature.
        let get = unsafe { std::mem::transmute::<extern "system" fn(), GetPlatformDisplay>(get) };
        // SAFETY: the native display belongs to the platform, and no attributes are given.
        let display = unsafe { get(platform, native, std::ptr::null()) };
        if display.is_null() {
            return Err(self.last_call_error("eglGetPlatformDisplayEXT"));
        }
        // SAFETY: EGL has returned it.
        Ok(unsafe { egl::Display::from_ptr(display) })
    }

    /// Returns the error of the EGL command `call`, which has failed, with EGL's reason.
    fn last_call_error(&self, call: &'static str) -> Error {
        let reason = self
            .instance
            .get_error()
            .map_or_else(|| "no reason given".to_owned(), |error| error.to_string());
        Error::WindowSystem { call, reason }
    }

    /// Returns the address of an OpenGL command; null if the driver lacks it.
    pub(super) fn proc_address(&self, name: &str) -> *const c_void {
        self.instance
            .get_proc_address(name)
            .map_or(std::ptr::null(), |command| command as *const c_void)
    }
}

/// Returns true if a list of words separated by spaces contains a word.
fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|item| item == word)
}

thread_local! {
    static IN_USE: Cell<bool> = const { Cell::new(false) };
}

/// Context that is current on this thread from its creation to its `Drop`. There is at most one in
/// a thread.
pub(super) struct CurrentContext {
    egl: &'static WindowSystem,
    display: egl::Display,
    context: egl::Context,
    // Binds the type to its thread.
    _thread: PhantomData<*const ()>,
}

impl CurrentContext {
    /// Creates a context of the highest version of OpenGL that the device supports with the
    /// compatibility profile, with debug messages, and makes it current. [`Error::ContextInUse`] if
    /// the thread has one, [`Error::MissingExtension`] without contexts that need no window, and
    /// other errors if EGL fails.
    pub(super) fn new(egl: &'static WindowSystem, device: Device) -> Result<Self, Error> {
        if IN_USE.get() {
            return Err(Error::ContextInUse);
        }
        let instance = &egl.instance;
        let display = egl.open_display(device)?;
        instance
            .initialize(display)
            .map_err(|error| call_error("eglInitialize", error))?;
        let extensions = instance
            .query_string(Some(display), egl::EXTENSIONS)
            .map_err(|error| call_error("eglQueryString", error))?
            .to_string_lossy();
        for needed in ["EGL_KHR_surfaceless_context", "EGL_KHR_create_context"] {
            if !has_word(&extensions, needed) {
                return Err(Error::MissingExtension(needed));
            }
        }
        instance
            .bind_api(egl::OPENGL_API)
            .map_err(|error| call_error("eglBindAPI", error))?;
        let config = choose_config(instance, display, &extensions)?;
        let context = create_context(instance, display, config)?;
        let current = Self {
            egl,
            display,
            context,
            _thread: PhantomData,
        };
        instance
            .make_current(display, None, None, Some(context))
            .map_err(|error| call_error("eglMakeCurrent", error))?;
        IN_USE.set(true);
        Ok(current)
    }
}

impl Drop for CurrentContext {
    fn drop(&mut self) {
        // A failure cannot be handled; the process continues without the context either way.
        let instance = &self.egl.instance;
        let _ = instance.make_current(self.display, None, None, None);
        let _ = instance.destroy_context(self.display, self.context);
        IN_USE.set(false);
    }
}

/// Returns a configuration for the context, which does not affect rendering: all drawing is to
/// framebuffer objects. It is null if EGL allows contexts without one. [`Error::NoContext`] if none
/// supports OpenGL.
fn choose_config(
    instance: &Library,
    display: egl::Display,
    extensions: &str,
) -> Result<egl::Config, Error> {
    if has_word(extensions, "EGL_KHR_no_config_context") {
        // SAFETY: with that extension, null denotes no configuration.
        return Ok(unsafe { egl::Config::from_ptr(std::ptr::null_mut()) });
    }
    let attributes = [
        egl::RENDERABLE_TYPE,
        egl::OPENGL_BIT,
        egl::SURFACE_TYPE,
        egl::DONT_CARE,
        egl::NONE,
    ];
    instance
        .choose_first_config(display, &attributes)
        .map_err(|error| call_error("eglChooseConfig", error))?
        .ok_or_else(|| Error::NoContext("EGL has no configuration for OpenGL".to_owned()))
}

/// Creates a context of the compatibility profile, of the first version in [`VERSIONS`] that the
/// driver supports. [`Error::NoContext`] with EGL's reason for the last version if it supports
/// none.
fn create_context(
    instance: &Library,
    display: egl::Display,
    config: egl::Config,
) -> Result<egl::Context, Error> {
    let mut reason = String::new();
    for Version(major, minor) in VERSIONS {
        let attributes = [
            CONTEXT_MAJOR_VERSION,
            major as egl::Int,
            CONTEXT_MINOR_VERSION,
            minor as egl::Int,
            CONTEXT_OPENGL_PROFILE_MASK,
            CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
            CONTEXT_FLAGS_KHR,
            CONTEXT_OPENGL_DEBUG_BIT_KHR,
            egl::NONE,
        ];
        // The mask is defined from version 3.2 on; before it, every context has the features of the
        // compatibility profile.
        match instance.create_context(display, config, None, &attributes) {
            Ok(context) => return Ok(context),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(Error::NoContext(reason))
}

/// Converts an error of the EGL command `call`.
fn call_error(call: &'static str, error: egl::Error) -> Error {
    Error::WindowSystem {
        call,
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_tests::skip::skip;

    /// Tests opening without a device: if devices cannot be enumerated, Mesa opens one without.
    #[test]
    fn a_context_needs_no_device() {
        let Ok(egl) = WindowSystem::load() else {
            skip("no EGL");
            return;
        };
        if !egl.has_client_extension("EGL_MESA_platform_surfaceless") {
            skip("no EGL_MESA_platform_surfaceless");
            return;
        }
        let device = Device {
            platform: Platform::Surfaceless,
            kind: DeviceKind::Hardware,
        };
        let first = CurrentContext::new(egl, device).expect("Mesa has a device");
        let second = CurrentContext::new(egl, device);
        assert_eq!(second.err(), Some(Error::ContextInUse));
        drop(first);
        assert!(CurrentContext::new(egl, device).is_ok());
    }

    #[test]
    fn extensions_are_found_as_whole_words() {
        assert!(has_word("EGL_A EGL_B", "EGL_B"));
        assert!(!has_word("EGL_A EGL_BC", "EGL_B"));
        assert!(!has_word("", "EGL_B"));
    }
}
