//! Names for logs.

use crate::enums::read_number;
use crate::ffi_args::{self, require};
use crate::ffi_guard::{catch_or, glasm_result};
use crate::parameters::{glasm_block_parameter, read_parameter_source};
use crate::semantic::{glasm_semantic_info, read_semantic};
use crate::strings::CStringList;
use glasm::Stage;
use std::ffi::c_char;
use std::sync::LazyLock;

/// Returns the name of a result, such as "GLASM_RESULT_PROGRAM_ERROR"; "unknown result" for other
/// numbers. `result` is a glasm_result.
///
/// The string belongs to the library and is valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_result_name(result: u32) -> *const c_char {
    use glasm_result as Result;
    let names = [
        (Result::Ok, c"GLASM_RESULT_OK"),
        (Result::ProgramError, c"GLASM_RESULT_PROGRAM_ERROR"),
        (Result::InvalidArgument, c"GLASM_RESULT_INVALID_ARGUMENT"),
        (Result::FeatureNotBuilt, c"GLASM_RESULT_FEATURE_NOT_BUILT"),
        (Result::InternalError, c"GLASM_RESULT_INTERNAL_ERROR"),
        (
            Result::DescriptorConflict,
            c"GLASM_RESULT_DESCRIPTOR_CONFLICT",
        ),
        (Result::InvalidModule, c"GLASM_RESULT_INVALID_MODULE"),
        (Result::LanguageMismatch, c"GLASM_RESULT_LANGUAGE_MISMATCH"),
        (Result::StackOverflow, c"GLASM_RESULT_STACK_OVERFLOW"),
        (Result::StackUnderflow, c"GLASM_RESULT_STACK_UNDERFLOW"),
    ];
    let found = names.iter().find(|(known, _)| *known as u32 == result);
    found.map_or(c"unknown result", |(_, name)| name).as_ptr()
}

/// Returns the extension of files with shaders of a stage, such as "vert" and "frag"; "" for other
/// numbers. `stage` is a glasm_stage.
///
/// The string belongs to the library and is valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_stage_file_extension(stage: u32) -> *const c_char {
    static EXTENSIONS: LazyLock<CStringList> = LazyLock::new(|| {
        let extensions = Stage::ALL.iter().map(|(stage, _)| stage.file_extension());
        CStringList::new(extensions)
    });
    catch_or(c"".as_ptr(), || {
        let stage: Stage = read_number(stage, "stage")?;
        Ok(EXTENSIONS.pointers()[stage as usize])
    })
}

/// Writes the name of a semantic, such as "tex_coord[3]", like snprintf: as many bytes as fit, with
/// a terminating NUL. Returns the length of the whole name; 0 for invalid numbers and for NULL.
///
/// `semantic` stays the caller's. `text` points to memory of the caller for `capacity` bytes, and
/// may be NULL if that is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_semantic_format(
    semantic: Option<&glasm_semantic_info>,
    text: *mut c_char,
    capacity: usize,
) -> usize {
    catch_or(0, || {
        let semantic = read_semantic(*require(semantic, "semantic")?)?;
        // SAFETY: the caller provides memory for that many bytes.
        Ok(unsafe { ffi_args::write_text(text, capacity, &semantic.to_string()) })
    })
}

/// Writes the source of a parameter, such as "state.matrix.mvp.row[0]" or "program.env[2]", like
/// snprintf: as many bytes as fit, with a terminating NUL. Returns the length of the whole name; 0
/// for invalid numbers and for NULL. Names are complete: numbers and faces that programs may omit are
/// there, such as "state.matrix.modelview[0].invtrans" and "state.lightprod[0].front.diffuse".
///
/// `parameter` stays the caller's. `text` points to memory of the caller for `capacity` bytes, and
/// may be NULL if that is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_parameter_format(
    parameter: Option<&glasm_block_parameter>,
    text: *mut c_char,
    capacity: usize,
) -> usize {
    catch_or(0, || {
        let source = read_parameter_source(require(parameter, "parameter")?)?;
        // SAFETY: the caller provides memory for that many bytes.
        Ok(unsafe { ffi_args::write_text(text, capacity, &source.to_string()) })
    })
}
