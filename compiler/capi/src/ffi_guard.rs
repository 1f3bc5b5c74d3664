//! The wrapper of all functions: results, messages, and panics that end here.

use crate::strings::to_c_string;
use glasm::{Diagnostics, Source};
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
    /// A program has errors, or cannot be expressed for the device or in the language:
    /// `glasm_error_message` is the first one, the diagnostics are all of them.
    ProgramError = 1,
    /// An argument is NULL that must not be, too large, or no number of its enumeration:
    /// `glasm_error_message` names it.
    InvalidArgument = 2,
    /// The library was built without a feature that the call needs: `glasm_error_message` names it.
    FeatureNotBuilt = 3,
    /// An internal error of glasm. Please report it with the string of `glasm_error_message`.
    InternalError = 4,
    /// Shaders require descriptors of different kinds at the same slot: `glasm_error_message` names
    /// them.
    DescriptorConflict = 5,
    /// A module breaks a rule of SPIR-V or Vulkan: `glasm_error_message` says which.
    InvalidModule = 6,
    /// A shader was compiled for another shading language than the one in which it is to be
    /// written, or with other options: `glasm_error_message` names both languages.
    LanguageMismatch = 7,
    /// A matrix stack is full.
    StackOverflow = 8,
    /// A matrix stack has only the current matrix.
    StackUnderflow = 9,
}

/// Why a call fails.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) result: glasm_result,
    message: String,
}

impl Failure {
    /// Returns the failure of a call with an argument that is not allowed.
    pub(crate) fn invalid_argument(message: impl Into<String>) -> Self {
        Self {
            result: glasm_result::InvalidArgument,
            message: message.into(),
        }
    }

    /// Returns the same failure, with the argument in which it is at the beginning of its message.
    pub(crate) fn at(self, argument: &str) -> Self {
        Self {
            message: format!("`{argument}`: {}", self.message),
            ..self
        }
    }

    /// Returns why the call fails.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the failure of a program with errors: the first of them, in one line that begins with
    /// the name of the source.
    pub(crate) fn program(found: &Diagnostics, source: &Source<'_>) -> Self {
        let first = found.gl_error_string(source);
        let first = first.unwrap_or_else(|| "the program has errors".to_owned());
        Self::program_message(format!("{}: {first}", source.name))
    }

    /// Returns the failure of a program with errors, with the message of [`Self::program`].
    pub(crate) fn program_message(message: String) -> Self {
        Self {
            result: glasm_result::ProgramError,
            message,
        }
    }

    /// Returns the failure of a matrix command.
    pub(crate) fn matrix(result: glasm_result, message: String) -> Self {
        Self { result, message }
    }

    /// Returns the failure of shaders that require descriptors of different kinds at one slot.
    pub(crate) fn conflict(message: String) -> Self {
        Self {
            result: glasm_result::DescriptorConflict,
            message,
        }
    }

    /// Returns the failure of a module that breaks a rule of SPIR-V or Vulkan.
    #[cfg(feature = "spirv-tools")]
    pub(crate) fn invalid_module(message: String) -> Self {
        Self {
            result: glasm_result::InvalidModule,
            message,
        }
    }

    /// Returns the failure of a shader that was compiled for another shading language.
    #[cfg(feature = "text")]
    pub(crate) fn language_mismatch(message: String) -> Self {
        Self {
            result: glasm_result::LanguageMismatch,
            message,
        }
    }

    /// Returns the failure of a call that needs a Cargo feature without which the library was
    /// built.
    #[cfg(not(all(feature = "text", feature = "spirv-tools")))]
    pub(crate) fn not_built(feature: &str) -> Self {
        Self {
            result: glasm_result::FeatureNotBuilt,
            message: format!("the library was built without the feature `{feature}`"),
        }
    }

    /// Converts the payload of a caught panic to an internal error with its message. Leaks the
    /// payload.
    fn from_panic(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = format!("internal error of glasm: {}", text.unwrap_or("no message"));
        // Dropping the payload of a panic may panic.
        std::mem::forget(payload);
        Self {
            result: glasm_result::InternalError,
            message,
        }
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Stores the message that `glasm_error_message` returns on this thread.
fn store_error_message(message: &str) {
    // A thread that ends has no messages any longer, and no reader of them.
    let _ = MESSAGE.try_with(|last| *last.borrow_mut() = to_c_string(message));
}

/// Runs a function of the interface and returns its result. If it fails or panics, stores the
/// message and returns the result code as error.
fn catch_failure<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, glasm_result> {
    // A panic leaves incomplete values that are dropped with it, and compilers, which are put back
    // only when they are complete.
    let outcome = catch_unwind(AssertUnwindSafe(body));
    let failure = match outcome {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(failure)) => failure,
        Err(payload) => Failure::from_panic(payload),
    };
    store_error_message(&failure.message);
    Err(failure.result)
}

/// Runs the body of a function that returns a result code; stores the message of a failure.
pub(crate) fn catch_to_result(body: impl FnOnce() -> Result<(), Failure>) -> glasm_result {
    match catch_failure(body) {
        Ok(()) => glasm_result::Ok,
        Err(result) => result,
    }
}

/// Runs the body of a function that returns a value; returns `fallback` if it fails.
pub(crate) fn catch_or<T>(fallback: T, body: impl FnOnce() -> Result<T, Failure>) -> T {
    catch_failure(body).unwrap_or(fallback)
}

/// Returns why the last call of this thread that failed did so, as UTF-8; the empty string if none
/// has failed.
///
/// The string belongs to the library. It is valid until the next call in this thread that fails.
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
        assert_eq!(
            catch_to_result(|| panic!("on {}", "purpose")),
            glasm_result::InternalError
        );
        assert_eq!(message(), "internal error of glasm: on purpose");
        assert_eq!(
            catch_to_result(|| panic!("short")),
            glasm_result::InternalError
        );
        assert_eq!(message(), "internal error of glasm: short");
        assert_eq!(catch_or(7, || std::panic::panic_any(1u8)), 7);
        assert_eq!(message(), "internal error of glasm: no message");
    }

    #[test]
    fn the_header_has_the_version_of_the_library() {
        let header = format!("{GLASM_VERSION_MAJOR}.{GLASM_VERSION_MINOR}.{GLASM_VERSION_PATCH}");
        assert_eq!(env!("CARGO_PKG_VERSION"), header);
        assert_eq!(glasm::VERSION, header);
    }

    #[test]
    fn failures_have_messages() {
        let failed = catch_to_result(|| Err(Failure::invalid_argument("`count`\0 is odd")));
        assert_eq!(failed, glasm_result::InvalidArgument);
        assert_eq!(message(), "`count`\u{fffd} is odd");
        assert_eq!(catch_to_result(|| Ok(())), glasm_result::Ok);
    }
}
