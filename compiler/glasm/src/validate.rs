//! Validation of modules with spirv-val inside the process.

use crate::Target;
use spirv_tools::TargetEnv;
use spirv_tools::val::{Validator, create};

/// Checks a module against the rules of its target environment.
///
/// # Errors
/// The message of spirv-val.
pub fn validate(words: &[u32], target: Target) -> Result<(), String> {
    let environment = match target {
        Target::Vulkan1_1 => TargetEnv::Vulkan_1_1,
        Target::Vulkan1_2 => TargetEnv::Vulkan_1_2,
        Target::Vulkan1_3 => TargetEnv::Vulkan_1_3,
    };
    create(Some(environment))
        .validate(words, None)
        .map_err(|error| error.to_string())
}
