//! Validation of modules, with the feature `spirv-tools`.

use crate::enums::read_number;
use crate::ffi_args;
use crate::ffi_guard::{Failure, catch_to_result, glasm_result};
use glasm::Target;

/// Checks a module with spirv-val against the rules of SPIR-V and of its target environment:
/// modules of this library, or others. GLASM_RESULT_INVALID_MODULE if it breaks one, which
/// `glasm_error_message` names; GLASM_RESULT_FEATURE_NOT_BUILT if the library was built without the feature
/// `spirv-tools`.
///
/// `words`, `count` of them, stay the caller's. `target` is a glasm_target.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_spirv_validate(
    words: *const u32,
    count: usize,
    target: u32,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller guarantees that many words.
        let words = unsafe { ffi_args::read_list(words, count, "words") }?;
        validate(words, read_number(target, "target")?)
    })
}

/// Validates a module with SPIRV-Tools by the rules of a target; the failure has the first broken
/// rule.
#[cfg(feature = "spirv-tools")]
fn validate(words: &[u32], target: Target) -> Result<(), Failure> {
    glasm::validate::validate(words, target).map_err(Failure::invalid_module)
}

/// Fails: this build has no validator.
#[cfg(not(feature = "spirv-tools"))]
fn validate(_words: &[u32], _target: Target) -> Result<(), Failure> {
    Err(Failure::not_built("spirv-tools"))
}
