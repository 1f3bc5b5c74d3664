//! Inputs and buffers, made on first use.

use super::Lowerer;
use super::tables::BufferKey;
use crate::vars::IoBinding;
use glasm_ir::types::{Base as TypeBase, Width};
use glasm_ir::{
    Buffer, BufferId, BufferKind, Input, InputId, Interpolation, ParamSource, Semantic, StateParam,
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
