//! Inputs and buffers, made on first use.

use super::Lowerer;
use super::tables::BufferKey;
use crate::lang::options::Features;
use crate::statement::VarMods;
use crate::vars::IoBinding;
use glasm_ir::program::Modes;
use glasm_ir::semantic::Sampling;
use glasm_ir::types::{Base as TypeBase, Width};
use glasm_ir::{
    Buffer, BufferId, BufferKind, Input, InputId, Interpolation, NamedParam, ParamSource, Semantic,
    StateParam,
};

impl Lowerer<'_> {
    /// The input of a binding.
    pub(super) fn input(&mut self, binding: IoBinding, base: TypeBase, width: Width) -> InputId {
        let semantic = binding.semantic;
        if let Some(&input) = self.tables.inputs.get(&(semantic, width)) {
            return input;
        }
        // Emission turns the position over by this parameter, which no instruction of the program names.
        if semantic == Semantic::Position && self.checked.modes.origin_upper_left {
            self.param_id(ParamSource::State(StateParam::WindowOrigin));
        }
        let fragment = self.checked.dialect.stage() == glasm_ir::Stage::Fragment;
        // Vulkan wants Flat at every integer input of fragment shaders (VUID-StandaloneSpirv-Flat-04744).
        let interpolation = match fragment && binding.base != TypeBase::Float {
            true => Interpolation::Flat,
            false => Interpolation::Smooth,
        };
        let input = Input {
            base,
            width,
            interpolation,
            ..Input::new(semantic)
        };
        let id = self.builder.program.inputs.push(input);
        self.tables.inputs.insert((semantic, width), id);
        id
    }

    /// The parameters that callers set by their names, whether instructions read them or not.
    fn named_parameters(&mut self) {
        let program = &mut self.builder.program;
        for &(name, initial) in &self.checked.named_params {
            let name = program.names.push(self.reading.names.word(name));
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
            let mods = self.checked.interpolation.get(&input.semantic);
            interpolate(input, mods.copied().unwrap_or_default());
        }
        if let Some(&shared) = self.tables.buffers.get(&BufferKey::Shared) {
            program.buffers[shared].size = Some(self.checked.shared_bytes);
        }
    }

    fn modes(&self) -> Modes {
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

    /// The buffer of a key.
    pub(super) fn buffer(&mut self, key: BufferKey) -> BufferId {
        let program = &mut self.builder.program;
        let (kind, binding, array, size) = match key {
            BufferKey::Bound(kind, binding, array) => (kind, binding, array, None),
            BufferKey::Shared => (BufferKind::Shared, 0, None, Some(0)),
        };
        let buffer = Buffer {
            kind,
            binding,
            array,
            size,
        };
        let known = self.tables.buffers.entry(key);
        *known.or_insert_with(|| program.buffers.push(buffer))
    }
}

/// How an input is interpolated that is declared with `mods`.
fn interpolate(input: &mut Input, mods: VarMods) {
    input.interpolation = match mods.intersection(VarMods::FLAT | VarMods::NOPERSPECTIVE) {
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
