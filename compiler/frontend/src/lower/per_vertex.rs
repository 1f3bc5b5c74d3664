//! Attributes of vertices and patches, vertices that are emitted, results that are passed through.
//! NV_geometry_program4, NV_tessellation_program5 and NV_gpu_program5 sections 2.X.3.2 and 2.X.8.Z.

use super::op_builder::OpBuilder;
use super::resource::Resources;
use super::resource::input_base_type;
use super::{InstContext, Lowerer};
use super::{const_index_or_zero, splat};
use crate::ast::Index as AstIndex;
use crate::check::{IoBinding, Var, VarKind};
use crate::lang::Stages;
use crate::variables::{AttribOwner, Direction, VertexSelector};
use glasm_ir::inst::{IndexId, InstData};
use glasm_ir::primitive::MAX_PATCH_VERTICES;
use glasm_ir::types::Type;
use glasm_ir::{
    Index, IndexTerm, Input, InputId, Interpolation, Op, OperandBase, Output, OutputId, Semantic,
    Src, Stage,
};

impl Lowerer<'_> {
    /// Returns the source that reads an attribute of a vertex, or of the output patch of a
    /// tessellation control program. With a constant index it is cached; the first access adds the
    /// input.
    pub(super) fn load_vertex_attrib(
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
        let cached =
            constant.and_then(|key| self.resources.ir_map.vertex_attribs.get(&key).copied());
        let (base, index) = match cached {
            Some(known) => known,
            None => self.resolve_vertex_attrib((var, info), first, index),
        };
        if let Some(key) = constant {
            self.resources
                .ir_map
                .vertex_attribs
                .insert(key, (base, index));
        }
        Src {
            index,
            ..Src::new(base)
        }
    }

    /// Returns the input or output that an attribute of a vertex or a patch reads, and the index
    /// that selects vertex and element. Both are added to the program at their first use.
    fn resolve_vertex_attrib(
        &mut self,
        (var, info): (u32, &Var),
        first: u32,
        index: AstIndex,
    ) -> (OperandBase, Option<IndexId>) {
        let (vertex, element) = self.resources.split_vertex_index(info, index);
        // An array with dynamic index has its slots already.
        let array =
            (*self.resources.ir_map.location_mut(var, 0)).filter(|_| info.has_relative_access);
        // All elements of an array belong to the same vertex or patch, which the first binding
        // determines.
        let element_index = match array {
            Some(_) => 0,
            None => const_index_or_zero(element),
        };
        let binding = self.resources.checked.attribs[(first + element_index) as usize];
        let vertex = match binding.holder.vertex {
            VertexSelector::NotPerVertex => None,
            VertexSelector::Fixed(number) => Some(IndexTerm::from_constant(number.into())),
            VertexSelector::Indexed => Some(self.make_vertex_term(vertex)),
        };
        let Some(base) = array else {
            let base = self
                .resources
                .get_vertex_slot(binding, info.base.unwrap_or(binding.base));
            let index = vertex.map(|vertex| {
                self.resources.add_vertex_index(Index {
                    element: IndexTerm::from_constant(0),
                    len: 1,
                    vertex: Some(vertex),
                })
            });
            return (base, index);
        };
        let element = self.make_index_term(element);
        let index = self.resources.add_vertex_index(Index {
            element,
            len: info.array_size.unwrap_or(1),
            vertex,
        });
        (base, Some(index))
    }

    /// Returns the IR's term of the vertex that an index selects. Constant numbers are limited to
    /// the maximum patch size, beyond which vertices are undefined.
    fn make_vertex_term(&mut self, index: AstIndex) -> IndexTerm {
        match index {
            AstIndex::Relative(_) => self.make_index_term(index),
            AstIndex::None | AstIndex::Const(_) | AstIndex::Pair(_) => {
                // Patches may be smaller than the number, which is not known statically.
                let number = const_index_or_zero(index).min(MAX_PATCH_VERTICES - 1);
                IndexTerm::from_constant(number as i32)
            }
        }
    }
}

impl Resources<'_> {
    /// Splits an index into that of the vertex and that of the element; a variable that has no
    /// index of a vertex has that of an element only.
    fn split_vertex_index(&self, info: &Var, index: AstIndex) -> (AstIndex, AstIndex) {
        match index {
            _ if !info.is_indexed_by_vertex => (AstIndex::None, index),
            AstIndex::Pair(pair) => self.ast.index_pairs[pair as usize].into(),
            AstIndex::None | AstIndex::Const(_) | AstIndex::Relative(_) => (index, AstIndex::None),
        }
    }

    /// Returns the id of an index, which is added to the program at its first use; equal ones are
    /// one.
    fn add_vertex_index(&mut self, index: Index) -> IndexId {
        let indices = &mut self.builder.program.indices;
        let entry = self.ir_map.vertex_indices.entry(index);
        *entry.or_insert_with(|| indices.push(index))
    }

    /// Returns the input or the output that an attribute of a vertex or a patch reads, which is
    /// added to the program at its first use. Reading outputs sets the mode `lockstep`: a value may
    /// have been written by another invocation.
    pub(super) fn get_vertex_slot(
        &mut self,
        binding: IoBinding,
        base: glasm_ir::types::BaseType,
    ) -> OperandBase {
        match binding.holder.direction {
            Direction::Input => OperandBase::Input(self.add_vertex_input(binding.semantic, base)),
            Direction::Output => {
                // A value that is read back may have been written by another invocation.
                self.builder.program.modes.lockstep = true;
                let output = Output {
                    base,
                    ..Output::new(binding.semantic)
                };
                OperandBase::Output(self.add_output(output))
            }
        }
    }

    /// Returns the per-vertex input of a semantic, which is added to the program at its first use;
    /// `base` is its type then.
    fn add_vertex_input(&mut self, semantic: Semantic, base: glasm_ir::types::BaseType) -> InputId {
        let inputs = &mut self.builder.program.inputs;
        let entry = self.ir_map.vertex_inputs.entry(semantic);
        *entry.or_insert_with(|| {
            let interpolation = Interpolation::Smooth;
            inputs.push(Input {
                base: input_base_type(semantic, interpolation, base),
                per_vertex: true,
                ..Input::new(semantic)
            })
        })
    }

    /// Adds an output to the program and returns it. In tessellation control programs, which read
    /// and write the same ones, it is added once for each semantic.
    pub(super) fn add_output(&mut self, output: Output) -> OutputId {
        let outputs = &mut self.builder.program.outputs;
        if self.ast.dialect.stage() != Stage::TessControl {
            return outputs.push(output);
        }
        let entry = self.ir_map.outputs.entry(output.semantic);
        *entry.or_insert_with(|| outputs.push(output))
    }

    /// Adds the inputs and outputs of all dynamically indexed arrays in stages in which arrays may
    /// share some: in the order of their numbers, so that the slots of each array are consecutive.
    /// Does nothing in other stages.
    pub(super) fn add_shared_array_slots(&mut self) {
        if !Stages::PRIMITIVES.contains_stage(self.ast.dialect.stage()) {
            return;
        }
        let checked = self.checked;
        let mut slots = std::mem::take(&mut self.ir_map.shared_slots);
        for info in checked.vars.iter().filter(|info| info.has_relative_access) {
            let is_result = matches!(info.kind, VarKind::Result { .. });
            let bindings = checked.bindings_from(info.kind).iter();
            for binding in bindings.take(info.array_size.unwrap_or(1) as usize) {
                let AttribOwner {
                    direction: side,
                    vertex,
                } = binding.holder;
                let side = if is_result { Direction::Output } else { side };
                if side == Direction::Output || vertex != VertexSelector::NotPerVertex {
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
                Direction::Input => drop(self.add_vertex_input(semantic, base)),
                Direction::Output if is_control => drop(self.add_output(Output {
                    base,
                    ..Output::new(semantic)
                })),
                Direction::Output => {}
            }
        }
        slots.clear();
        self.ir_map.shared_slots = slots;
    }

    /// Adds the outputs that vertices copy from input vertices, and those inputs.
    /// NV_geometry_shader_passthrough section 2.X.7.Y.
    pub(super) fn add_passthrough_outputs(&mut self) {
        let checked = self.checked;
        for passed in &checked.passthrough_results {
            self.add_vertex_input(passed.binding.semantic, passed.binding.base);
            self.builder.program.outputs.push(Output {
                base: passed.binding.base,
                passthrough: passed.mask,
                ..Output::new(passed.binding.semantic)
            });
        }
    }
}

/// Lowers EMIT, which is `EMITS 0`, and EMITS, whose operand is the stream. NV_gpu_program5 section
/// 2.X.8.Z.
pub(super) fn lower_emit(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let (stream, ty) = match cx.inst.source_count {
        0 => (l.splat_bits(0), Type::S32),
        _ => (l.load_source(cx, 0, cx.types.ty), cx.types.ty),
    };
    l.emit_inst(
        Op::EmitVertex,
        ty,
        None,
        InstData::None,
        &[splat(stream, 0)],
    );
}

/// Lowers ENDPRIM, which ends the output primitive. NV_geometry_program4 section 2.X.8.Z.
pub(super) fn lower_endprim(l: &mut Lowerer<'_>) {
    l.emit_inst(Op::EndPrimitive, Type::U32, None, InstData::None, &[]);
}
