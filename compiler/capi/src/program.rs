//! Programs: loaded once, compiled as often as there are states.

use crate::compiler::glasm_compiler;
use crate::diagnostics::{DiagnosticsOut, glasm_diagnostics, write_diagnostics};
use crate::enums::glasm_stage;
use crate::ffi_args::{
    CallerStruct, drop_handle, require, require_out_handle, return_list, write_handle, write_out,
};
use crate::ffi_guard::{Failure, catch_or, catch_to_result, glasm_result};
use crate::options::glasm_options;
use crate::options_from_c::read_options;
use crate::shader::glasm_shader;
use crate::source::{get_dialect_header, glasm_source, read_source};
use crate::variables::ProgramLists;
use glasm::{Diagnostics, Program, Shader, Source};
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// A loaded program: parsed, checked and translated. It owns all data that it needs; its source may
/// be freed. Threads may share it.
#[derive(Clone, Debug)]
pub struct glasm_program(Arc<ProgramData>);

#[derive(Debug)]
struct ProgramData {
    program: Program,
    lists: OnceLock<ProgramLists>,
}

impl glasm_program {
    /// Returns a handle of a loaded program; its lists for C are computed on first use.
    pub(crate) fn new(program: Program) -> Self {
        Self(Arc::new(ProgramData {
            program,
            lists: OnceLock::new(),
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

    /// Returns the inputs and outputs of the program as structures for C, which the first call
    /// creates.
    pub(crate) fn lists(&self) -> &ProgramLists {
        let loaded = &self.0;
        loaded
            .lists
            .get_or_init(|| ProgramLists::new(&loaded.program))
    }
}

/// Loads a program string: parses, checks and translates it. GLASM_RESULT_PROGRAM_ERROR if it has errors.
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
    catch_to_result(|| {
        write_out(diagnostics.as_deref_mut(), ptr::null_mut());
        let program = require_out_handle(program, "program")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let given = unsafe { read_source(source) }?;
        load_program(compiler, &given.to_source()?, program, diagnostics)
    })
}

/// Loads a source and writes the program and the diagnostics to the caller.
pub(crate) fn load_program(
    compiler: Option<&glasm_compiler>,
    source: &Source<'_>,
    program: &mut MaybeUninit<*mut glasm_program>,
    diagnostics: DiagnosticsOut<'_>,
) -> Result<(), Failure> {
    match glasm_compiler::with_compiler(compiler, |compiler| compiler.load(source)) {
        Ok(loaded) => {
            write_diagnostics(diagnostics, loaded.warnings().clone(), source);
            write_handle(program, glasm_program::new(loaded));
            Ok(())
        }
        Err(found) => {
            let failure = Failure::program(&found, source);
            write_diagnostics(diagnostics, found, source);
            Err(failure)
        }
    }
}

/// Loads a program string like `glasm_program_load`, with the initial values of all other members
/// of glasm_source: what glProgramStringARB needs.
///
/// `name` is for messages, and may be NULL: "program". `program_type` is a glasm_program_type.
/// `text` has `length` bytes; GLASM_NUL_TERMINATED for a string that ends with a NUL. All stay the
/// caller's. `program` and `diagnostics` are set as by `glasm_program_load`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_program_load_string(
    name: *const c_char,
    program_type: u32,
    text: *const c_void,
    length: usize,
    program: Option<&mut MaybeUninit<*mut glasm_program>>,
    mut diagnostics: Option<&mut MaybeUninit<*mut glasm_diagnostics>>,
) -> glasm_result {
    catch_to_result(|| {
        write_out(diagnostics.as_deref_mut(), ptr::null_mut());
        let program = require_out_handle(program, "program")?;
        let source = glasm_source {
            name,
            text,
            text_length: length,
            program_type,
            ..glasm_source::initial()
        };
        // SAFETY: the caller answers for name and text.
        let given = unsafe { read_source(&raw const source) }?;
        load_program(None, &given.to_source()?, program, diagnostics)
    })
}

/// Returns the text that a program was loaded from; `length` is set to its bytes. Returns NULL for
/// NULL.
///
/// `program` stays the caller's. The text belongs to it, does not end with a NUL, and is valid until
/// the program is freed. `length` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_text(
    program: Option<&glasm_program>,
    length: Option<&mut MaybeUninit<usize>>,
) -> *const u8 {
    return_list(length, || Ok(require(program, "program")?.source().text))
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
    catch_or(None, || Ok(program.cloned().map(Box::new)))
}

/// Frees a handle of a program.
///
/// Takes `program` away from the caller; NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_free(program: Option<Box<glasm_program>>) {
    drop_handle(program);
}

/// Returns the shader stage of a program.
///
/// `program` stays the caller's. It must not be NULL, for which GLASM_STAGE_VERTEX is returned.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_stage(program: Option<&glasm_program>) -> glasm_stage {
    catch_or(glasm_stage::Vertex, || {
        Ok(require(program, "program")?.program().stage().into())
    })
}

/// Returns the header of the language of a program, such as "!!ARBvp1.0"; NULL if it has none, and
/// for NULL.
///
/// `program` stays the caller's. The string belongs to the library and is valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_program_header(program: Option<&glasm_program>) -> *const c_char {
    catch_or(ptr::null(), || {
        Ok(get_dialect_header(
            require(program, "program")?.program().dialect(),
        ))
    })
}

/// Compiles a program to SPIR-V, for a state and a device. GLASM_RESULT_PROGRAM_ERROR if it cannot be
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
    catch_to_result(|| {
        write_out(diagnostics.as_deref_mut(), ptr::null_mut());
        let shader = require_out_handle(shader, "shader")?;
        let program = require(program, "program")?;
        // SAFETY: the caller answers for the structure and all that it points to.
        let options = unsafe { read_options(options) }?;
        let compiled = glasm_compiler::with_compiler(compiler, |compiler| {
            compiler.compile_program(program.program(), &options)
        });
        write_shader_result(compiled, shader, diagnostics, &program.source())
    })
}

/// Writes the shader or the diagnostics of a compilation to the caller; warnings of a compiled
/// shader are written, too.
pub(crate) fn write_shader_result(
    compiled: Result<Shader, Diagnostics>,
    shader: &mut MaybeUninit<*mut glasm_shader>,
    diagnostics: DiagnosticsOut<'_>,
    source: &Source<'_>,
) -> Result<(), Failure> {
    match compiled {
        Ok(compiled) => {
            write_diagnostics(diagnostics, compiled.warnings.clone(), source);
            write_handle(shader, glasm_shader::new(compiled));
            Ok(())
        }
        Err(found) => {
            let failure = Failure::program(&found, source);
            write_diagnostics(diagnostics, found, source);
            Err(failure)
        }
    }
}
