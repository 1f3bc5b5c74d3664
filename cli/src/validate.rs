//! Checks modules with spirv-val: inside the process with the feature `spirv-tools`, else through the program of that name.

use crate::console::Fatal;
use glasm::Target;

/// A usable spirv-val.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Validator(());

#[cfg(feature = "spirv-tools")]
impl Validator {
    /// Always there.
    pub(crate) fn find() -> Result<Self, Fatal> {
        Ok(Self(()))
    }

    /// Returns the errors of a module as text.
    pub(crate) fn validate(&self, words: &[u32], target: Target) -> Result<(), String> {
        glasm::validate::validate(words, target)
            .map_err(|error| format!("spirv-val rejects the module: {error}"))
    }
}

#[cfg(not(feature = "spirv-tools"))]
impl Validator {
    /// Looks for the program.
    pub(crate) fn find() -> Result<Self, Fatal> {
        use std::process::Stdio;
        let found = command()
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match found {
            Ok(status) if status.success() => Ok(Self(())),
            _ => Err(Fatal(
                "--validate needs the program spirv-val (Debian package spirv-tools), or glasm built with the feature spirv-tools".to_owned(),
            )),
        }
    }

    /// Returns the errors of a module as text.
    pub(crate) fn validate(&self, words: &[u32], target: Target) -> Result<(), String> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let output = run(&bytes, target).map_err(|error| format!("spirv-val: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stderr, output.stdout].concat();
        Err(format!(
            "spirv-val rejects the module: {}",
            String::from_utf8_lossy(&said).trim()
        ))
    }
}

#[cfg(not(feature = "spirv-tools"))]
fn command() -> std::process::Command {
    std::process::Command::new("spirv-val")
}

#[cfg(not(feature = "spirv-tools"))]
fn run(module: &[u8], target: Target) -> std::io::Result<std::process::Output> {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = command()
        .args(["--target-env", target.name(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // spirv-val reads everything before it writes. If it stops early, its own message says more than a broken pipe.
        let _ = stdin.write_all(module);
    }
    child.wait_with_output()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_tests::skip::skip;

    #[test]
    fn bad_modules_are_rejected_with_a_reason() {
        let validator = match Validator::find() {
            Ok(validator) => validator,
            Err(Fatal(reason)) => return skip(reason),
        };
        let message = validator
            .validate(&[0x0723_0203, 0x0001_0300, 0, 1, 0], Target::Vulkan1_1)
            .unwrap_err();
        assert!(
            message.starts_with("spirv-val rejects the module: ") && message.len() > 40,
            "{message}"
        );
    }
}
