//! Inputs, textures and buffers, made on first use.

use super::operand::const_index;
use super::tables::BufferKey;
use super::{InstCx, Lowerer};
use crate::ast::{Index as AstIndex, VarMods};
use crate::vars::{BufferLayout, BufferView, IoBinding};
use glasm_ir::inst::{Aux, IndexTerm};
use glasm_ir::resource::{MemFlags, MemSpace};
use glasm_ir::semantic::Sampling;
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{
    Buffer, BufferId, BufferKind, Dst, Input, InputId, Interpolation, MemAccess, Op, ParamSource,
    Semantic, Src, StateParam, WriteMask,
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
        let mods = self
            .checked
            .interpolation
            .get(&semantic)
            .copied()
            .unwrap_or_default();
        let fragment = self.checked.ast.dialect.stage() == glasm_ir::Stage::Fragment;
        // Vulkan wants Flat at every integer input of fragment shaders (VUID-StandaloneSpirv-Flat-04744).
        let built_in = fragment && binding.base != TypeBase::Float;
        let interpolation = if mods.contains(VarMods::FLAT) || built_in {
            Interpolation::Flat
        } else if mods.contains(VarMods::NOPERSPECTIVE) {
            Interpolation::NoPerspective
        } else {
            Interpolation::Smooth
        };
        let sampling = if mods.contains(VarMods::CENTROID) {
            Sampling::Centroid
        } else if mods.contains(VarMods::SAMPLE) {
            Sampling::Sample
        } else {
            Sampling::Center
        };
        // Varyings travel as floats, whatever the instructions make of the bits, unless the program declares a type.
        let varying =
            matches!(semantic, Semantic::Generic(_)) && interpolation != Interpolation::Flat;
        let base = if varying { TypeBase::Float } else { base };
        let input = Input {
            base,
            width,
            interpolation,
            sampling,
            ..Input::new(semantic)
        };
        let id = self.builder.program.inputs.push(input);
        self.tables.inputs.insert((semantic, width), id);
        id
    }

    /// The buffer of a key.
    pub(super) fn buffer(&mut self, key: BufferKey) -> BufferId {
        let program = &mut self.builder.program;
        let shared = self.checked.shared_bytes;
        *self.tables.buffers.entry(key).or_insert_with(|| {
            program.buffers.push(match key {
                BufferKey::Bound(kind, binding, array) => Buffer {
                    kind,
                    binding,
                    array,
                    size: None,
                },
                BufferKey::Shared => Buffer {
                    kind: BufferKind::Shared,
                    binding: 0,
                    array: None,
                    size: Some(shared),
                },
            })
        })
    }

    /// Loads an element of a BUFFER or BUFFER4 variable. NV_gpu_program4 section 2.X.3.6.
    pub(super) fn buffer_element(&mut self, view: BufferView, index: AstIndex) -> Src {
        let (space, element, address, offset) = self.view_address(view, index);
        let (components, mask) = match view.layout {
            BufferLayout::Vectors => (4, WriteMask::XYZW),
            BufferLayout::Words
            | BufferLayout::Bytes
            | BufferLayout::Storage
            | BufferLayout::Counter => (1, WriteMask::X),
        };
        let access = MemAccess {
            space,
            element,
            components,
            offset,
            atomic: None,
            flags: MemFlags::empty(),
        };
        let access = self.builder.program.mem_accesses.push(access);
        let register = self.hidden(Width::W32);
        self.inst(
            Op::Load,
            Type::U32,
            Some(Dst::new(register, mask)),
            Aux::Mem(access),
            &[address],
        );
        let source = Src::register(register);
        if components == 1 {
            super::operand::splat(source, 0)
        } else {
            source
        }
    }

    /// The place of an element of a buffer variable: buffer, which one of an array of them, byte address.
    pub(super) fn view_address(
        &mut self,
        view: BufferView,
        index: AstIndex,
    ) -> (MemSpace, Option<IndexTerm>, Src, i32) {
        let (point, index) = match (view.bindings, index) {
            (None, index) => (None, index),
            (Some(_), AstIndex::Pair(pair)) => {
                let [point, index] = self.checked.ast.pairs[pair as usize];
                (Some(point), index)
            }
            (Some(_), point) => (Some(point), AstIndex::None),
        };
        let kind = match view.layout {
            BufferLayout::Words | BufferLayout::Vectors | BufferLayout::Bytes => {
                BufferKind::Constant
            }
            BufferLayout::Storage => BufferKind::Storage,
            BufferLayout::Counter => BufferKind::Counter,
        };
        let buffer = self.buffer(BufferKey::Bound(kind, view.binding, view.bindings));
        let element = point.map(|point| self.index_term(point));
        let stride = view.layout.stride();
        let (source, offset) = self.buffer_address(index, stride);
        let start = (view.start * stride) as i32;
        let offset = offset.wrapping_add(start);
        (MemSpace::Buffer(buffer), element, source, offset)
    }

    /// Byte address of an element: a source and a constant offset.
    pub(super) fn buffer_address(&mut self, index: AstIndex, stride: u32) -> (Src, i32) {
        let term = self.index_term(index);
        match term.relative {
            None => (
                self.bits(0),
                (u64::from(const_index(index)) * u64::from(stride)) as i32,
            ),
            Some((register, lane)) => {
                let source = super::operand::splat(Src::register(register), lane);
                let source = if stride == 1 {
                    source
                } else {
                    let stride = self.bits(u64::from(stride));
                    super::operand::splat(self.compute(Op::Mul, Type::U32, &[source, stride]), 0)
                };
                (source, term.offset.wrapping_mul(stride as i32))
            }
        }
    }

    /// Qualifiers of a memory access.
    pub(super) fn mem_flags(cx: &InstCx<'_>) -> MemFlags {
        let mut flags = MemFlags::empty();
        flags.set(
            MemFlags::COHERENT,
            cx.line
                .modifiers
                .mods()
                .contains(crate::lang::modifiers::Mods::COH),
        );
        flags.set(
            MemFlags::VOLATILE,
            cx.line
                .modifiers
                .mods()
                .contains(crate::lang::modifiers::Mods::VOL),
        );
        flags
    }
}
