//! Inputs and buffers, made on first use, and what holds for the program as a whole.

use super::Lowerer;
use super::tables::BufferKey;
use crate::ast::VarMods;
use crate::lang::options::Features;
use crate::vars::IoBinding;
use glasm_ir::program::Modes;
use glasm_ir::semantic::Sampling;
use glasm_ir::types::{Base as TypeBase, Width};
use glasm_ir::{
    Buffer, BufferId, BufferKind, Input, InputId, Interpolation, NamedParam, ParamSource, Semantic,
    Stage, StateParam,
};

impl Lowerer<'_> {
    /// The input of a binding.
    pub(super) fn input(&mut self, binding: IoBinding, base: TypeBase, width: Width) -> InputId {
        let semantic = binding.semantic;
        // An attribute that is read with 32 and with 64 bits is two inputs.
        if let Some(&input) = self.tables.inputs.get(&(semantic, width)) {
            return input;
        }
        // Emission turns the position over by this parameter, which no instruction of the program names.
        if semantic == Semantic::Position && self.checked.modes.origin_upper_left {
            self.param_id(ParamSource::State(StateParam::WindowOrigin));
        }
        let input = self.new_input(binding, base, width);
        let id = self.builder.program.inputs.push(input);
        self.tables.inputs.insert((semantic, width), id);
        id
    }

    fn new_input(&self, binding: IoBinding, base: TypeBase, width: Width) -> Input {
        let semantic = binding.semantic;
        // By semantic: the modifiers of one declaration hold for all variables that are bound to the same attribute.
        let mods = self.checked.interpolation.get(&semantic);
        let mods = mods.copied().unwrap_or_default();
        let is_fragment = self.ast.dialect.stage() == Stage::Fragment;
        let interpolation = match mods.intersection(VarMods::FLAT | VarMods::NOPERSPECTIVE) {
            // Vulkan wants Flat at every integer input of fragment shaders (VUID-StandaloneSpirv-Flat-04744).
            _ if is_fragment && binding.base != TypeBase::Float => Interpolation::Flat,
            VarMods::FLAT => Interpolation::Flat,
            VarMods::NOPERSPECTIVE => Interpolation::NoPerspective,
            _ => Interpolation::Smooth,
        };
        let sampling = match mods.intersection(VarMods::CENTROID | VarMods::SAMPLE) {
            VarMods::CENTROID => Sampling::Centroid,
            VarMods::SAMPLE => Sampling::Sample,
            _ => Sampling::Center,
        };
        Input {
            base: input_base(semantic, interpolation, base),
            width,
            interpolation,
            sampling,
            ..Input::new(semantic)
        }
    }

    /// Adds the parameters that callers set by their names, whether instructions read them or not.
    pub(super) fn add_named_params(&mut self) {
        let program = &mut self.builder.program;
        for &(name, initial) in &self.checked.named_params {
            let name = program.names.push(self.ast.names.word(name));
            program.named_params.push(NamedParam { name, initial });
        }
    }

    /// Sets what the program declares for itself as a whole.
    pub(super) fn set_modes(&mut self) {
        let checked = self.checked;
        self.builder.program.modes = Modes {
            // Zeros say that the size is only known when work is dispatched. ARB_compute_variable_group_size.
            workgroup_size: if checked.features.contains(Features::VARIABLE_GROUP_SIZE) {
                [0; 3]
            } else {
                checked.group_size
            },
            secondary_view_layer_offset: checked.second_layer_offset.unwrap_or(0),
            ..checked.modes
        };
    }

    /// The buffer of a key.
    pub(super) fn buffer(&mut self, key: BufferKey) -> BufferId {
        let program = &mut self.builder.program;
        let (kind, binding, array, size) = match key {
            BufferKey::Bound(kind, binding, array) => (kind, binding, array, None),
            BufferKey::Shared => (BufferKind::Shared, 0, None, Some(self.checked.shared_bytes)),
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

/// Returns the type of an input that the program reads as `base`. Varyings travel as floats, whatever the instructions make of the
/// bits, unless the program declares a type.
pub(super) fn input_base(
    semantic: Semantic,
    interpolation: Interpolation,
    base: TypeBase,
) -> TypeBase {
    let is_varying = matches!(semantic, Semantic::Generic(_) | Semantic::PatchGeneric(_));
    if is_varying && interpolation != Interpolation::Flat {
        TypeBase::Float
    } else {
        base
    }
}
