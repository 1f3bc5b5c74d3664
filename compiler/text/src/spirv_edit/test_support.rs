//! Modules of tests.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::{InstructionExt, ModuleEditor};
use glasm::Target;
use rspirv::dr::{Block, Function, Instruction};
use rspirv::spirv::Op;
use std::io::Write;
use std::process::{Command, Stdio};

impl ModuleEditor {
    /// Appends a function of one block with instructions.
    pub(crate) fn add_block(&mut self, instructions: Vec<Instruction>) {
        let mut function = Function::new();
        function.blocks.push(Block {
            label: None,
            instructions,
        });
        self.add_function(function);
    }

    /// Returns the operations of all blocks.
    pub(crate) fn collect_ops(&self) -> Vec<Op> {
        self.instructions().map(InstructionExt::op).collect()
    }

    /// Panics if spirv-val, where it is installed, rejects the module.
    pub(crate) fn assert_valid(&mut self, target: Target) {
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
        let bytes: Vec<u8> = self
            .assemble()
            .into_iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        // spirv-val reads everything before it writes. If it stops early, its message is more
        // useful than a broken pipe.
        let _ = child.stdin.take().unwrap().write_all(&bytes);
        let output = child.wait_with_output().unwrap();
        let messages = [output.stderr, output.stdout].concat();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&messages)
        );
    }
}
