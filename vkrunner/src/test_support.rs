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
        parameter_block: None,
        state_block: None,
        named_parameters: Vec::new(),
        state_program: None,
        textures: Vec::new(),
        images: Vec::new(),
        handle_arrays: Vec::new(),
        buffers: Vec::new(),
        samplers: Vec::new(),
        input_attachments: Vec::new(),
        image_lock_slot: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        view_replication: None,
        primitive_info: None,
        workgroup_size: None,
        requires_depth_clamp: false,
        missing_textures_have_zero_alpha: false,
        requirements: Requirements::default(),
        text_target: None,
    }
}

/// Checks a module with `spirv-val`, and panics if it is invalid. Without `spirv-val` only the
/// lengths of the instructions are checked.
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
