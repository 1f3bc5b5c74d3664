//! The system's `opengl32.dll`, in front of which this library is loaded, and other functions of
//! Windows.
//!
//! No other library is loaded while this one is being loaded: the loader of Windows holds a lock
//! then, and that could deadlock. The system's library is loaded when the first function is
//! called, by its full path, because its name alone would find this library again.

use crate::log;
use std::ffi::{CString, OsString, c_void};
use std::fmt::Display;
use std::io::Write as _;
use std::os::windows::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::OnceLock;
use windows_sys::Win32::Foundation::{HMODULE, MAX_PATH};
use windows_sys::Win32::System::Diagnostics::Debug::OutputDebugStringA;
use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN,
    GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, GetModuleHandleExW, GetProcAddress, LoadLibraryW,
};
use windows_sys::Win32::System::SystemInformation::GetSystemDirectoryW;
use windows_sys::Win32::System::SystemServices::DLL_PROCESS_ATTACH;
use windows_sys::Win32::System::Threading::GetCurrentThreadId;

/// Returns false: programs of Windows do not receive more privileges than the process that sets
/// their variables without its consent.
pub(crate) fn is_privileged() -> bool {
    false
}

/// Returns a number of this thread that no other living thread has. It remains the same while
/// values of the thread are dropped.
pub(crate) fn thread_token() -> usize {
    // SAFETY: it has no arguments.
    unsafe { GetCurrentThreadId() as usize }
}

/// Writes a message to the standard error stream, which programs with windows only rarely have, and
/// to debuggers and programs that collect such messages. Write errors are ignored.
pub(crate) fn write_message(message: impl Display) {
    let line = format!("glasm: {message}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Ok(text) = CString::new(line) {
        // SAFETY: the text ends with a zero.
        unsafe { OutputDebugStringA(text.as_ptr().cast()) };
    }
}

/// Prevents that this library is unloaded before the process ends; Windows calls this function when
/// it loads the library, when threads begin and end, and before it would unload the library.
///
/// Rust's standard library takes an index of thread-local memory of the process when it is unloaded,
/// and does not return it. Threads have values that functions of this library drop, and drivers have
/// pointers to others.
unsafe extern "system" fn retain_library(_: *mut c_void, reason: u32, _: *mut c_void) {
    if reason == DLL_PROCESS_ATTACH {
        // This takes a lock that this thread has already.
        find_this_library(GET_MODULE_HANDLE_EX_FLAG_PIN);
    }
}

/// Entry of the table of functions that Windows calls, which the linker sorts by these names.
#[used]
#[unsafe(link_section = ".CRT$XLC")]
static RETAIN: unsafe extern "system" fn(*mut c_void, u32, *mut c_void) = retain_library;

/// Returns the handle of this library; null if Windows does not know it. `flag` is the effect on its
/// count of references.
fn find_this_library(flag: u32) -> HMODULE {
    let mut module = std::ptr::null_mut();
    let address = find_this_library as *const u16;
    // SAFETY: with this flag the name is an address within the library; the result is written to a
    // local variable.
    unsafe {
        GetModuleHandleExW(
            GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | flag,
            address,
            &raw mut module,
        );
    }
    module
}

/// Loads the system's library at the first call, and returns its handle; `None`, with a
/// line in the log, if that is not possible.
fn load_system_library() -> Option<HMODULE> {
    // The handle as a number, since pointers cannot be sent to other threads.
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    let handle = *LIBRARY.get_or_init(|| {
        let Some(path) = find_system_library() else {
            log::error("Windows names no system directory");
            return 0;
        };
        let wide: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
        // SAFETY: the path ends with a zero. Loading runs initialization code of the system's
        // library, which is the purpose of this function.
        let library = unsafe { LoadLibraryW(wide.as_ptr()) };
        let problem = if library.is_null() {
            "cannot be loaded"
        } else if library == find_this_library(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT) {
            "is glasm's own; copy glasm's to the directory of the program instead"
        } else {
            return library as usize;
        };
        log::error(format_args!("{} {problem}", path.display()));
        0
    });
    (handle != 0).then_some(handle as HMODULE)
}

/// Returns the path of the system's library, for the word size of the process; `None` if Windows
/// does not report its directory.
fn find_system_library() -> Option<PathBuf> {
    use std::os::windows::ffi::OsStringExt as _;
    let mut buffer = [0; MAX_PATH as usize + 1];
    // SAFETY: the buffer has the length that is passed.
    let length = unsafe { GetSystemDirectoryW(buffer.as_mut_ptr(), buffer.len() as u32) };
    let directory = buffer.get(..length as usize).filter(|it| !it.is_empty())?;
    Some(PathBuf::from(OsString::from_wide(directory)).join("opengl32.dll"))
}

/// Returns a function that the system's library exports, by its name and a zero; `None` if it does
/// not, or if the library is not available.
pub(super) fn find_export(name: &str) -> Option<*mut c_void> {
    let library = load_system_library().filter(|_| name.ends_with('\0'))?;
    // SAFETY: the library is loaded, and the name ends with a zero.
    let found = unsafe { GetProcAddress(library, name.as_ptr()) };
    restore_name();
    found.map(|it| it as *mut c_void)
}

/// Makes programs that load `opengl32.dll` by its name find this library again. Two libraries of the
/// process have this name, and Wine returns the one that was used last; Windows returns the first.
fn restore_name() {
    static OWN: OnceLock<usize> = OnceLock::new();
    let own = *OWN
        .get_or_init(|| find_this_library(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT) as usize);
    // SAFETY: this library is loaded, and the name ends with a zero. The result is not needed.
    unsafe { GetProcAddress(own as HMODULE, c"glGetString".as_ptr().cast()) };
}
