//! Errors of OpenGL: the results of `glGetError`, and messages of KHR_debug, which have more
//! detail.

use super::bindings::Commands;
use super::bindings::constants::{
    CONTEXT_LOST, DEBUG_OUTPUT, DEBUG_OUTPUT_SYNCHRONOUS, DEBUG_SEVERITY_HIGH, DEBUG_TYPE_ERROR,
    DEBUG_TYPE_UNDEFINED_BEHAVIOR, INVALID_ENUM, INVALID_FRAMEBUFFER_OPERATION, INVALID_OPERATION,
    INVALID_VALUE, NO_ERROR, OUT_OF_MEMORY, STACK_OVERFLOW, STACK_UNDERFLOW,
};
use crate::error::Error;
use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of pending errors: a context has at most one flag for each error, but a lost
/// context may report its loss forever.
const MAX_ERRORS: usize = 16;

/// More messages than anyone reads.
const MAX_MESSAGES: usize = 64;

/// Messages since the last call of `take_messages`. The driver stores the address, so it must
/// outlive the context.
#[derive(Default)]
pub(super) struct MessageLog(Mutex<Vec<String>>);

impl MessageLog {
    /// Installs a log for messages of the current context, which is returned. `None`: the driver
    /// has no KHR_debug, or does not start it.
    pub(super) fn install(commands: &Commands) -> Option<Arc<Self>> {
        let log = Arc::<Self>::default();
        // Unlike a box, an `Arc` may be moved while others store its address.
        let user = Arc::as_ptr(&log).cast::<c_void>();
        commands.Enable(DEBUG_OUTPUT).ok()?;
        commands.Enable(DEBUG_OUTPUT_SYNCHRONOUS).ok()?;
        // SAFETY: the function has the type that KHR_debug demands, and the log outlives the
        // context by the order of the fields of `Gl`.
        unsafe { commands.DebugMessageCallback(Some(receive_message), user) }.ok()?;
        Some(log)
    }

    /// Returns the messages since the last call.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Records errors, undefined behavior, and messages that the driver classifies as severe.
unsafe extern "system" fn receive_message(
    _source: u32,
    kind: u32,
    _id: u32,
    severity: u32,
    length: i32,
    message: *const c_char,
    log: *mut c_void,
) {
    let wanted = severity == DEBUG_SEVERITY_HIGH
        || matches!(kind, DEBUG_TYPE_ERROR | DEBUG_TYPE_UNDEFINED_BEHAVIOR);
    let Ok(length) = usize::try_from(length) else {
        return;
    };
    if !wanted || message.is_null() {
        return;
    }
    // SAFETY: `log` is the pointer that `install` passed; it is alive, and threads may share it.
    let log = unsafe { &*log.cast::<MessageLog>() };
    // SAFETY: KHR_debug passes `length` bytes for the duration of the call.
    let text = unsafe { std::slice::from_raw_parts(message.cast::<u8>(), length) };
    let mut messages = log.0.lock().unwrap_or_else(PoisonError::into_inner);
    if messages.len() < MAX_MESSAGES {
        messages.push(String::from_utf8_lossy(text).trim().to_owned());
    }
}

/// Returns all errors that `glGetError` has, the first one first.
pub(super) fn take_errors(commands: &Commands) -> Result<Vec<u32>, Error> {
    let mut errors = Vec::new();
    while errors.len() < MAX_ERRORS {
        match commands.GetError()? {
            NO_ERROR => break,
            error => errors.push(error),
        }
    }
    Ok(errors)
}

/// Returns the name of an error, such as `GL_INVALID_VALUE`.
pub(crate) fn error_name(error: u32) -> String {
    match error {
        INVALID_ENUM => "GL_INVALID_ENUM".to_owned(),
        INVALID_VALUE => "GL_INVALID_VALUE".to_owned(),
        INVALID_OPERATION => "GL_INVALID_OPERATION".to_owned(),
        INVALID_FRAMEBUFFER_OPERATION => "GL_INVALID_FRAMEBUFFER_OPERATION".to_owned(),
        STACK_OVERFLOW => "GL_STACK_OVERFLOW".to_owned(),
        STACK_UNDERFLOW => "GL_STACK_UNDERFLOW".to_owned(),
        OUT_OF_MEMORY => "GL_OUT_OF_MEMORY".to_owned(),
        CONTEXT_LOST => "GL_CONTEXT_LOST".to_owned(),
        other => format!("error {other:#06x}"),
    }
}
