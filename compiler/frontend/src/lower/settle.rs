//! What is known at the end of a text only, and holds for the program as a whole.

use super::Lowerer;
use super::tables::BufferKey;
use crate::ast::VarMods;
use crate::lang::options::Features;
use glasm_ir::program::Modes;
use glasm_ir::semantic::Sampling;
use glasm_ir::types::Base as TypeBase;
use glasm_ir::{Input, Interpolation, NamedParam, Semantic};

impl Lowerer<'_> {
    /// The parameters that callers set by their names, whether instructions read them or not.
    fn named_parameters(&mut self) {
        let program = &mut self.builder.program;
        for &(name, initial) in &self.checked.named_params {
            let name = program.names.push(self.checked.names.word(name));
            program.named_params.push(NamedParam { name, initial });
        }
    }

    /// What declarations behind the first use may say of inputs and of shared memory, and what holds for the program as a whole.
    pub(super) fn settle(&mut self) {
        self.named_parameters();
        self.passed_outputs();
        let modes = self.modes();
        let program = &mut self.builder.program;
        program.modes = modes;
        for input in program.inputs.iter_mut() {
            // By semantic: the modifiers of one declaration hold for all variables that are bound to the same attribute.
            let mods = self.checked.interpolation.get(&input.semantic);
            interpolate(input, mods.copied().unwrap_or_default());
        }
        // SHARED_MEMORY may stand behind instructions that use the memory.
        if let Some(&shared) = self.tables.buffers.get(&BufferKey::Shared) {
            program.buffers[shared].size = Some(self.checked.shared_bytes);
        }
    }

    fn modes(&self) -> Modes {
        // Zeros say that the size is only known when work is dispatched. ARB_compute_variable_group_size.
        let workgroup_size = match self
            .checked
            .features
            .contains(Features::VARIABLE_GROUP_SIZE)
        {
            true => [0; 3],
            false => self.checked.group_size,
        };
        Modes {
            workgroup_size,
            secondary_view_layer_offset: self.checked.second_layer_offset.unwrap_or(0),
            unclipped_depth: self.limits_depth(),
            lock_step: self.tables.lock_step,
            ..self.checked.modes
        }
    }
}

/// How an input is interpolated that is declared with `mods`.
fn interpolate(input: &mut Input, mods: VarMods) {
    input.interpolation = match mods.intersection(VarMods::FLAT | VarMods::NOPERSPECTIVE) {
        // Inputs of integers were made so, whatever a declaration says of them.
        _ if input.interpolation == Interpolation::Flat => Interpolation::Flat,
        VarMods::FLAT => Interpolation::Flat,
        VarMods::NOPERSPECTIVE => Interpolation::NoPerspective,
        _ => Interpolation::Smooth,
    };
    input.sampling = match mods.intersection(VarMods::CENTROID | VarMods::SAMPLE) {
        VarMods::CENTROID => Sampling::Centroid,
        VarMods::SAMPLE => Sampling::Sample,
        _ => Sampling::Center,
    };
    // Varyings travel as floats, whatever the instructions make of the bits, unless the program declares a type.
    let varying = matches!(
        input.semantic,
        Semantic::Generic(_) | Semantic::PatchGeneric(_)
    );
    if varying && input.interpolation != Interpolation::Flat {
        input.base = TypeBase::Float;
    }
}
