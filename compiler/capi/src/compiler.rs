//! Compilers: memory that many programs use one after the other.

use crate::call::run_or;
use crate::memory::free;
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
    run_or(None, || Ok(Some(Box::default())))
}

/// Frees a compiler. Objects that it created remain valid.
///
/// Takes `compiler` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_compiler_free(compiler: Option<Box<glasm_compiler>>) {
    free(compiler);
}

impl glasm_compiler {
    /// Runs something with a compiler, whose allocated memory is reused if there is a compiler.
    pub(crate) fn run<T>(this: Option<&Self>, body: impl FnOnce(&mut Compiler) -> T) -> T {
        let Some(this) = this else {
            return body(&mut Compiler::new());
        };
        let mut kept = this.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A panic leaves a compiler without memory, not one with memory that is half done.
        let mut compiler = std::mem::take(&mut *kept);
        let made = body(&mut compiler);
        *kept = compiler;
        made
    }
}
