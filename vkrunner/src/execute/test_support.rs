//! Modules and reflections for tests.

use crate::programs::Module;
use glasm::Reflection;
use glasm::ir::Stage;
use glasm::reflect::Requirements;

/// A module without words.
pub(crate) fn module(stage: Stage, reflection: Option<Reflection>) -> Module {
    Module {
        stage,
        words: Vec::new(),
        reflection,
        interface: None,
        template: None,
    }
}

/// The reflection of a program that uses nothing.
pub(crate) fn reflection(stage: Stage) -> Reflection {
    Reflection {
        stage,
        entry_point: "main",
        params: None,
        named: Vec::new(),
        state_program: None,
        textures: Vec::new(),
        images: Vec::new(),
        handle_arrays: Vec::new(),
        buffers: Vec::new(),
        image_lock: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        replication: None,
        workgroup_size: None,
        unclipped_depth: false,
        transparent_missing: false,
        requirements: Requirements::default(),
    }
}
