//! Compilers: memory that many programs use one after the other.

use crate::ffi_args::drop_handle;
use crate::ffi_guard::catch_or;
use glasm::Compiler;
use std::sync::{Mutex, PoisonError};

/// Memory that programs which are loaded, compiled or linked one after the other share. Functions
/// that take one accept NULL, too: then they allocate memory from the system, for every program.
///
/// Threads may share a compiler; they wait for each other. One for each thread is faster.
#[derive(Debug, Default)]
pub struct glasm_compiler(Mutex<Compiler>);

/// Creates a compiler; returns NULL if there is an internal error.
///
/// The caller owns it, and frees it with `glasm_compiler_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_compiler_create() -> Option<Box<glasm_compiler>> {
    catch_or(None, || Ok(Some(Box::default())))
}

/// Frees a compiler. Objects that it created remain valid.
///
/// Takes `compiler` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_compiler_free(compiler: Option<Box<glasm_compiler>>) {
    drop_handle(compiler);
}

impl glasm_compiler {
    /// Calls `body` with the compiler of `this`, so that allocated memory is reused, or with a new
    /// one for `None`. Locks `this` during the call; after a panic it has an empty compiler.
    pub(crate) fn with_compiler<T>(
        this: Option<&Self>,
        body: impl FnOnce(&mut Compiler) -> T,
    ) -> T {
        let Some(this) = this else {
            return body(&mut Compiler::new());
        };
        let mut shared = this.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A panic leaves a compiler without memory, not one with memory that is half done.
        let mut compiler = std::mem::take(&mut *shared);
        let result = body(&mut compiler);
        *shared = compiler;
        result
    }
}
