//! Attributes of vertices and patches, vertices that are emitted, results that are passed through.
//! NV_geometry_program4, NV_tessellation_program5 and NV_gpu_program5 sections 2.X.3.2 and 2.X.8.Z.

use super::context::{const_index, splat};
use super::formula::Formulas;
use super::resource::Resources;
use super::resource::input_base;
use super::{InstCx, Lowerer};
use crate::ast::Index as AstIndex;
use crate::check::{IoBinding, Var, VarKind};
use crate::lang::Stages;
use crate::vars::{Holder, Side, VertexOf};
use glasm_ir::inst::{Aux, IndexId};
use glasm_ir::primitive::MAX_PATCH_VERTICES;
use glasm_ir::types::Type;
use glasm_ir::{
    Base, Index, IndexTerm, Input, InputId, Interpolation, Op, Output, OutputId, Semantic, Src,
    Stage,
};

impl Lowerer<'_> {
    /// Loads an attribute of a vertex, or of the output patch of a tessellation control program.
    pub(super) fn load_held_attrib(
        &mut self,
        (var, info): (u32, &Var),
        first: u32,
        index: AstIndex,
    ) -> Src {
        let constant = match index {
            AstIndex::None => Some((var, None)),
            AstIndex::Const(number) => Some((var, Some(number))),
            AstIndex::Relative(_) | AstIndex::Pair(_) => None,
        };
        let known = constant.and_then(|key| self.resources.tables.held.get(&key).copied());
        let (base, index) = match known {
            Some(known) => known,
            None => self.make_held_place((var, info), first, index),
        };
        if let Some(key) = constant {
            self.resources.tables.held.insert(key, (base, index));
        }
        Src {
            index,
            ..Src::new(base)
        }
    }

    fn make_held_place(
        &mut self,
        (var, info): (u32, &Var),
        first: u32,
        index: AstIndex,
    ) -> (Base, Option<IndexId>) {
        let (vertex, element) = self.resources.split_index(info, index);
        // An array with dynamic index has its slots already.
        let array = (*self.resources.tables.place(var, 0)).filter(|_| info.relative);
        // All elements of an array belong to the same vertex or patch, which the first binding
        // determines.
        let number = match array {
            Some(_) => 0,
            None => const_index(element),
        };
        let binding = self.resources.checked.attribs[(first + number) as usize];
        let vertex = match binding.holder.vertex {
            VertexOf::None => None,
            VertexOf::Number(number) => Some(IndexTerm::constant(number.into())),
            VertexOf::Each => Some(self.make_vertex_term(vertex)),
        };
        let Some(base) = array else {
            let base = self
                .resources
                .get_held_slot(binding, info.base.unwrap_or(binding.base));
            let index = vertex.map(|vertex| {
                self.resources.add_vertex_index(Index {
                    element: IndexTerm::constant(0),
                    len: 1,
                    vertex: Some(vertex),
                })
            });
            return (base, index);
        };
        let element = self.make_index_term(element);
        let index = self.resources.add_vertex_index(Index {
            element,
            len: info.array.unwrap_or(1),
            vertex,
        });
        (base, Some(index))
    }

    /// Returns the vertex that an index selects. Vertices beyond the maximum patch size are
    /// undefined.
    fn make_vertex_term(&mut self, index: AstIndex) -> IndexTerm {
        match index {
            AstIndex::Relative(_) => self.make_index_term(index),
            AstIndex::None | AstIndex::Const(_) | AstIndex::Pair(_) => {
                // Patches may be smaller than the number, which is not known statically.
                let number = const_index(index).min(MAX_PATCH_VERTICES - 1);
                IndexTerm::constant(number as i32)
            }
        }
    }
}

impl Resources<'_> {
    /// Returns the index of the vertex and that of the element.
    fn split_index(&self, info: &Var, index: AstIndex) -> (AstIndex, AstIndex) {
        match index {
            _ if !info.by_vertex => (AstIndex::None, index),
            AstIndex::Pair(pair) => self.ast.pairs[pair as usize].into(),
            AstIndex::None | AstIndex::Const(_) | AstIndex::Relative(_) => (index, AstIndex::None),
        }
    }

    /// Adds an index, the same one for all operands that have it.
    fn add_vertex_index(&mut self, index: Index) -> IndexId {
        let indices = &mut self.builder.program.indices;
        let known = self.tables.vertex_indices.entry(index);
        *known.or_insert_with(|| indices.push(index))
    }

    /// Returns the input or the output that an attribute of a vertex or a patch reads.
    pub(super) fn get_held_slot(
        &mut self,
        binding: IoBinding,
        base: glasm_ir::types::Base,
    ) -> Base {
        match binding.holder.side {
            Side::In => Base::Input(self.add_vertex_input(binding.semantic, base)),
            Side::Out => {
                // A value that is read back may have been written by another invocation.
                self.builder.program.modes.lock_step = true;
                let output = Output {
                    base,
                    ..Output::new(binding.semantic)
                };
                Base::Output(self.add_output(output))
            }
        }
    }

    fn add_vertex_input(&mut self, semantic: Semantic, base: glasm_ir::types::Base) -> InputId {
        let inputs = &mut self.builder.program.inputs;
        let known = self.tables.vertex_inputs.entry(semantic);
        *known.or_insert_with(|| {
            let interpolation = Interpolation::Smooth;
            inputs.push(Input {
                base: input_base(semantic, interpolation, base),
                per_vertex: true,
                ..Input::new(semantic)
            })
        })
    }

    /// Adds an output. Tessellation control programs read and write the same ones.
    #[inline]
    pub(super) fn add_output(&mut self, output: Output) -> OutputId {
        let outputs = &mut self.builder.program.outputs;
        if self.ast.dialect.stage() != Stage::TessControl {
            return outputs.push(output);
        }
        let known = self.tables.outputs.entry(output.semantic);
        *known.or_insert_with(|| outputs.push(output))
    }

    /// Assigns slots to the bindings of all arrays with dynamic index if arrays may share some: in
    /// the order of their numbers, so that the slots of each array are consecutive.
    pub(super) fn add_shared_slots(&mut self) {
        if !Stages::PRIMITIVES.has(self.ast.dialect.stage()) {
            return;
        }
        let checked = self.checked;
        let mut slots = std::mem::take(&mut self.tables.shared_slots);
        for info in checked.vars.iter().filter(|info| info.relative) {
            let is_result = matches!(info.kind, VarKind::Result { .. });
            let bindings = checked.bindings_of(info.kind).iter();
            for binding in bindings.take(info.array.unwrap_or(1) as usize) {
                let Holder { side, vertex } = binding.holder;
                let side = if is_result { Side::Out } else { side };
                if side == Side::Out || vertex != VertexOf::None {
                    let base = info.base.unwrap_or(binding.base);
                    slots.push((side, binding.semantic, slots.len(), base));
                }
            }
        }
        // With the number of the entry, so that of several bases for one slot that of the first
        // declaration is used.
        slots.sort_unstable_by_key(|&(side, semantic, number, _)| (side, semantic, number));
        let is_control = self.ast.dialect.stage() == Stage::TessControl;
        for &(side, semantic, _, base) in &slots {
            match side {
                Side::In => drop(self.add_vertex_input(semantic, base)),
                Side::Out if is_control => drop(self.add_output(Output {
                    base,
                    ..Output::new(semantic)
                })),
                Side::Out => {}
            }
        }
        slots.clear();
        self.tables.shared_slots = slots;
    }

    /// Adds the outputs that vertices copy from input vertices, and those inputs.
    /// NV_geometry_shader_passthrough section 2.X.7.Y.
    pub(super) fn add_passed_outputs(&mut self) {
        let checked = self.checked;
        for passed in &checked.passed {
            self.add_vertex_input(passed.binding.semantic, passed.binding.base);
            self.builder.program.outputs.push(Output {
                base: passed.binding.base,
                passthrough: passed.mask,
                ..Output::new(passed.binding.semantic)
            });
        }
    }
}

/// Lowers EMIT, which is `EMITS 0`, and EMITS. NV_gpu_program5 section 2.X.8.Z.
pub(super) fn emit_vertex(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let (stream, ty) = match cx.line.source_count {
        0 => (l.bits(0), Type::S32),
        _ => (l.value(cx, 0, cx.types.ty), cx.types.ty),
    };
    l.inst(Op::EmitVertex, ty, None, Aux::None, &[splat(stream, 0)]);
}

/// Lowers ENDPRIM. NV_geometry_program4 section 2.X.8.Z.
pub(super) fn end_primitive(l: &mut Lowerer<'_>) {
    l.inst(Op::EndPrimitive, Type::U32, None, Aux::None, &[]);
}
