//! Programs: loaded once, compiled as often as there are states.

use crate::call::{Failure, enter, glasm_result, run_or};
use crate::compiler::glasm_compiler;
use crate::diagnostics::{DiagnosticsPlace, give_diagnostics, glasm_diagnostics};
use crate::enums::glasm_stage;
use crate::memory::{clear_handle, free, give, give_handle, require};
use crate::options::glasm_options;
use crate::read_options::read_options;
use crate::shader::glasm_shader;
use crate::source::{get_header, glasm_source, read_source};
use crate::variables::Tables;
use glasm::{Diagnostics, Program, Shader, Source};
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// A loaded program: parsed, checked and translated. It owns all data that it needs; its source may
/// be freed. Threads may share it.
#[derive(Clone, Debug)]
pub struct glasm_program(Arc<Loaded>);

#[derive(Debug)]
struct Loaded {
    program: Program,
    tables: OnceLock<Tables>,
}

impl glasm_program {
    fn new(program: Program) -> Self {
        Self(Arc::new(Loaded {
            program,
            tables: OnceLock::new(),
        }))
    }

    /// Returns the program of the library.
    pub(crate) fn program(&self) -> &Program {
        &self.0.program
    }

    /// Its name and its text, for messages.
    pub(crate) fn source(&self) -> Source<'_> {
        self.0.program.source()
    }

    /// Returns its inputs and outputs as structures for C.
    pub(crate) fn tables(&self) -> &Tables {
        let loaded = &self.0;
        loaded.tables.get_or_init(|| Tables::new(&loaded.program))
    }
}

/// Loads a program string: parses, checks and translates it. GLASM_RESULT_PROGRAM if it has errors.
///
/// `compiler` may be NULL; it and `source`, with all that this points to, stay the caller's.
/// `program` is set to a program that the caller owns and frees with `glasm_program_free`, or to
/// NULL if it does not load. `diagnostics` may be NULL; it is set to all errors and warnings, which
/// the caller owns and frees with `glasm_diagnostics_free`, or to NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_load(
    compiler: Option<&glasm_compiler>,
    source: *const glasm_source,
    program: Option<&mut MaybeUninit<*mut glasm_program>>,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    enter(|| {
        give(diagnostics.as_deref_mut(), ptr::null_mut());
        let program = clear_handle(program, "program")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let given = unsafe { read_source(source) }?;
        let source = given.source()?;
        match glasm_compiler::run(compiler, |compiler| compiler.load(&source)) {
            Ok(loaded) => {
                give_diagnostics(diagnostics, loaded.warnings().clone(), &source);
                give_handle(program, glasm_program::new(loaded));
                Ok(())
            }
            Err(found) => {
                give_diagnostics(diagnostics, found, &source);
                Err(Failure::program())
            }
        }
    })
}

/// Creates another handle of the same program: each is freed separately, and the program with the
/// last of them. Returns NULL for NULL.
///
/// `program` stays the caller's, who owns the new handle, too, and frees it with
/// `glasm_program_free`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_clone(
    program: Option<&glasm_program>,
) -> Option<Box<glasm_program>> {
    run_or(None, || Ok(program.cloned().map(Box::new)))
}

/// Frees a handle of a program.
///
/// Takes `program` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_free(program: Option<Box<glasm_program>>) {
    free(program);
}

/// Returns the shader stage of a program.
///
/// `program` stays the caller's. It must not be NULL, for which GLASM_STAGE_VERTEX is returned.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_stage(program: Option<&glasm_program>) -> glasm_stage {
    run_or(glasm_stage::Vertex, || {
        Ok(require(program, "program")?.program().stage().into())
    })
}

/// Returns the header of the language of a program, such as "!!ARBvp1.0"; NULL if it has none, and
/// for NULL.
///
/// `program` stays the caller's. The string belongs to the library and is valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_dialect(program: Option<&glasm_program>) -> *const c_char {
    run_or(ptr::null(), || {
        Ok(get_header(require(program, "program")?.program().dialect()))
    })
}

/// Compiles a program to SPIR-V, for a state and a device. GLASM_RESULT_PROGRAM if it cannot be
/// expressed for them.
///
/// `compiler` may be NULL, and so may `options`: the default ones. Both, and `program`, stay the
/// caller's. `shader` is set to a shader that the caller owns and frees with `glasm_shader_free`,
/// or to NULL if there is none. `diagnostics` may be NULL; it is set to all errors and warnings,
/// those of loading among them, which the caller owns and frees with `glasm_diagnostics_free`, or
/// to NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_compile(
    compiler: Option<&glasm_compiler>,
    program: Option<&glasm_program>,
    options: *const glasm_options,
    shader: Option<&mut MaybeUninit<*mut glasm_shader>>,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    enter(|| {
        give(diagnostics.as_deref_mut(), ptr::null_mut());
        let shader = clear_handle(shader, "shader")?;
        let program = require(program, "program")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        let compiled = glasm_compiler::run(compiler, |compiler| {
            compiler.compile_program(program.program(), &options)
        });
        give_shader(compiled, shader, diagnostics, &program.source())
    })
}

/// Writes the result of compilation.
pub(crate) fn give_shader(
    compiled: Result<Shader, Diagnostics>,
    shader: &mut MaybeUninit<*mut glasm_shader>,
    diagnostics: DiagnosticsPlace<'_>,
    source: &Source<'_>,
) -> Result<(), Failure> {
    match compiled {
        Ok(compiled) => {
            give_diagnostics(diagnostics, compiled.warnings.clone(), source);
            give_handle(shader, glasm_shader::new(compiled));
            Ok(())
        }
        Err(found) => {
            give_diagnostics(diagnostics, found, source);
            Err(Failure::program())
        }
    }
}
