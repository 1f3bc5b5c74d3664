//! Validation of modules with spirv-val inside the process.

use crate::Target;
use spirv_tools::TargetEnv;
use spirv_tools::val::{Validator, create};

/// Checks a module against the rules of its target environment, with the validator of SPIRV-Tools.
///
/// # Errors
/// The message of spirv-val.
pub fn validate(words: &[u32], target: Target) -> Result<(), String> {
    let environment = match target {
        Target::OpenGl4_5 => TargetEnv::OpenGL_4_5,
        Target::Vulkan1_1 => TargetEnv::Vulkan_1_1,
        Target::Vulkan1_2 => TargetEnv::Vulkan_1_2,
        Target::Vulkan1_3 => TargetEnv::Vulkan_1_3,
    };
    create(Some(environment))
        .validate(words, None)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::validate;
    use crate::{Options, Source, Target, TgsiOptions, compile};
    use glasm_tests::scripts::{Expected, all_programs};

    #[test]
    fn modules_of_scripts_are_valid() {
        let options = Options {
            target: Target::Vulkan1_3,
            ..Options::default()
        };
        let mut count = 0;
        for program in all_programs() {
            let tgsi = TgsiOptions {
                legacy_semantics: program.tgsi_old,
                ..TgsiOptions::default()
            };
            let source = Source {
                tgsi,
                ..Source::new(&program.name, &program.text)
            };
            // Some programs require another program, or other options.
            let (Expected::Loads, Ok(shader)) = (program.expected, compile(&source, &options))
            else {
                continue;
            };
            let found = validate(&shader.words, options.target);
            assert_eq!(found, Ok(()), "{}", program.name);
            count += 1;
        }
        assert!(count > 1500, "{count}");
    }

    #[test]
    fn invalid_modules_are_rejected() {
        let header = [0x0723_0203, 0x0001_0300, 0, 10, 0];
        let capability = [0x0002_0011];
        assert!(validate(&[&header[..], &capability].concat(), Target::Vulkan1_1).is_err());
    }
}
