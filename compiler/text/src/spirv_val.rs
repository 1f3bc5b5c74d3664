//! spirv-val for tests, if the machine has it.

use glasm::Target;
use std::io::Write;
use std::process::{Command, Stdio};

/// Panics if spirv-val rejects the module.
pub(crate) fn assert_valid(words: &[u32], target: Target) {
    let started = Command::new("spirv-val")
        .args(["--target-env", target.name(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    // A machine without spirv-val has nothing to test here.
    let Ok(mut child) = started else {
        return;
    };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    // spirv-val reads everything before it writes. If it stops early, its own message says more than a broken pipe.
    let _ = child.stdin.take().unwrap().write_all(&bytes);
    let output = child.wait_with_output().unwrap();
    let said = [output.stderr, output.stdout].concat();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&said)
    );
}
