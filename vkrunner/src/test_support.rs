//! Modules and reflections for tests.

use crate::programs::Module;
use glasm::Reflection;
use glasm::ir::Stage;
use glasm::reflect::Requirements;

/// Returns a module without words.
pub(crate) fn module(stage: Stage, reflection: Option<Reflection>) -> Module {
    Module {
        stage,
        words: Vec::new(),
        reflection,
        interface: None,
        template: None,
        state: None,
    }
}

/// Returns the reflection of a program without resources.
pub(crate) fn reflection(stage: Stage) -> Reflection {
    Reflection {
        stage,
        entry_point: "main",
        params: None,
        state: None,
        named: Vec::new(),
        state_program: None,
        textures: Vec::new(),
        images: Vec::new(),
        handle_arrays: Vec::new(),
        buffers: Vec::new(),
        samplers: Vec::new(),
        attachments: Vec::new(),
        image_lock: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        replication: None,
        primitives: None,
        workgroup_size: None,
        unclipped_depth: false,
        transparent_missing: false,
        requirements: Requirements::default(),
    }
}

/// Checks modules with `spirv-val`, if it is installed.
pub(crate) fn assert_valid(words: &[u32]) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut at = 5;
    while at < words.len() {
        at += (words[at] >> 16) as usize;
    }
    assert_eq!(at, words.len());
    let process = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut process) = process else { return };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    process.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = process.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
}
