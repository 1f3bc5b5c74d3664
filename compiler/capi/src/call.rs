//! The wrapper of all functions: results, messages, and panics that end here.

use crate::strings::to_c_string;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Result of a call.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum glasm_result {
    /// Success.
    Ok = 0,
    /// A program has errors, or cannot be expressed for the device or in the language: the
    /// diagnostics say why.
    Program = 1,
    /// An argument is NULL that must not be, too large, or no number of its enumeration:
    /// `glasm_error_message` names it.
    InvalidArgument = 2,
    /// The library was built without a feature that the call needs: `glasm_error_message` names it.
    NotBuilt = 3,
    /// An internal error of glasm. Please report it with the string of `glasm_error_message`.
    Internal = 4,
    /// Shaders require descriptors of different kinds at the same slot: `glasm_error_message` names
    /// them.
    Conflict = 5,
    /// A module breaks a rule of SPIR-V or Vulkan: `glasm_error_message` says which.
    InvalidModule = 6,
}

/// Why a call fails.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) result: glasm_result,
    message: String,
}

impl Failure {
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self {
            result: glasm_result::InvalidArgument,
            message: message.into(),
        }
    }

    /// Returns the failure of a program with errors; the diagnostics have the messages.
    pub(crate) fn program() -> Self {
        Self {
            result: glasm_result::Program,
            message: "the program has errors".into(),
        }
    }

    pub(crate) fn conflict(message: String) -> Self {
        Self {
            result: glasm_result::Conflict,
            message,
        }
    }

    #[cfg(feature = "spirv-tools")]
    pub(crate) fn invalid_module(message: String) -> Self {
        Self {
            result: glasm_result::InvalidModule,
            message,
        }
    }

    #[cfg(not(all(feature = "text", feature = "spirv-tools")))]
    pub(crate) fn not_built(feature: &str) -> Self {
        Self {
            result: glasm_result::NotBuilt,
            message: format!("the library was built without the feature `{feature}`"),
        }
    }

    fn from_panic(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = format!("a fault of glasm: {}", text.unwrap_or("no message"));
        // Dropping the payload of a panic may panic.
        std::mem::forget(payload);
        Self {
            result: glasm_result::Internal,
            message,
        }
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

fn store_message(message: &str) {
    // A thread that ends has no messages any longer, and no reader of them.
    let _ = MESSAGE.try_with(|last| *last.borrow_mut() = to_c_string(message));
}

/// Runs a function of the interface: returns its result, or the failure.
fn run<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, glasm_result> {
    // A panic leaves incomplete values that are dropped with it, and compilers, which are put back
    // only when they are complete.
    let ran = catch_unwind(AssertUnwindSafe(body));
    let failure = match ran {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(failure)) => failure,
        Err(payload) => Failure::from_panic(payload),
    };
    store_message(&failure.message);
    Err(failure.result)
}

/// Runs the body of a function that returns a result code; stores the message of a failure.
pub(crate) fn enter(body: impl FnOnce() -> Result<(), Failure>) -> glasm_result {
    match run(body) {
        Ok(()) => glasm_result::Ok,
        Err(result) => result,
    }
}

/// Runs the body of a function that returns a value; returns `fallback` if it fails.
pub(crate) fn run_or<T>(fallback: T, body: impl FnOnce() -> Result<T, Failure>) -> T {
    run(body).unwrap_or(fallback)
}

/// Returns why the last call of this thread that failed did so, as UTF-8; the empty string if none
/// has failed.
///
/// The string belongs to the library. It is valid until the next call in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_error_message() -> *const c_char {
    let message = MESSAGE.try_with(|last| last.borrow().as_ptr());
    message.unwrap_or(c"".as_ptr())
}

/// The version that the header is of: its first number.
pub const GLASM_VERSION_MAJOR: u32 = 0;
/// The version that the header is of: its second number.
pub const GLASM_VERSION_MINOR: u32 = 1;
/// The version that the header is of: its third number.
pub const GLASM_VERSION_PATCH: u32 = 0;

/// Returns the version of the library, such as "0.1.0". GLASM_VERSION_MAJOR and its neighbors are
/// that of the header.
///
/// The string belongs to the library and is valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_version_string() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn message() -> String {
        // SAFETY: the library returned the string, and no function was called since.
        let message = unsafe { CStr::from_ptr(glasm_error_message()) };
        message.to_str().unwrap().to_owned()
    }

    #[test]
    fn panics_end_here() {
        assert_eq!(enter(|| panic!("on {}", "purpose")), glasm_result::Internal);
        assert_eq!(message(), "a fault of glasm: on purpose");
        assert_eq!(enter(|| panic!("short")), glasm_result::Internal);
        assert_eq!(message(), "a fault of glasm: short");
        assert_eq!(run_or(7, || std::panic::panic_any(1u8)), 7);
        assert_eq!(message(), "a fault of glasm: no message");
    }

    #[test]
    fn the_header_has_the_version_of_the_library() {
        let header = format!("{GLASM_VERSION_MAJOR}.{GLASM_VERSION_MINOR}.{GLASM_VERSION_PATCH}");
        assert_eq!(env!("CARGO_PKG_VERSION"), header);
        assert_eq!(glasm::VERSION, header);
    }

    #[test]
    fn failures_have_messages() {
        let failed = enter(|| Err(Failure::argument("`count`\0 is odd")));
        assert_eq!(failed, glasm_result::InvalidArgument);
        assert_eq!(message(), "`count`\u{fffd} is odd");
        assert_eq!(enter(|| Ok(())), glasm_result::Ok);
    }
}
