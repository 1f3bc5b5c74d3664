//! The geometry stage that sends primitives to several viewports and views.
//!
//! It follows a program whose reflection has a [`Replication`]. There is an invocation for every viewport, first for the first
//! view, then for the second one, and each emits the primitive if its bit in the mask is set: so copies come in the order of
//! NV_viewport_array2 and NV_stereo_view_rendering, primitive by primitive, view by view, viewport by viewport. What the program chose
//! for the first vertex of a primitive counts. Everything else passes through: varyings, clip distances, point size, the number of
//! the primitive.
//!
//! The cost is a geometry stage with so many invocations for each primitive; without it a device would need `VK_NV_viewport_array2`,
//! and Vulkan has nothing for second views.

use crate::builder::{Builder, Scalar};
use crate::capability::Need;
use crate::options::Target;
use crate::reflect::{
    InterfaceVariable, Reflection, Replication, Scalar as Reflected, ViewportChoice,
};
use crate::varyings::named_clip_planes;
use crate::words::{LabelWord, TypeWord, ValueWord, Words};
use glasm_ir::Semantic;
use spirv::{
    BuiltIn, Decoration, ExecutionMode, ExecutionModel, FunctionControl, Op, StorageClass,
};

/// Most viewports that a mask can name here: each takes an invocation for each of two views, and Vulkan guarantees 32 invocations
/// (`maxGeometryShaderInvocations`).
pub const MAX_VIEWPORTS: u32 = 16;

/// The primitives of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawPrimitive {
    /// Points.
    Points,
    /// Lines of any kind.
    Lines,
    /// Lines with neighbors, which are dropped.
    LinesAdjacency,
    /// Triangles of any kind.
    Triangles,
    /// Triangles with neighbors, which are dropped.
    TrianglesAdjacency,
}

/// How a geometry stage takes and gives primitives.
struct Shape {
    input: ExecutionMode,
    output: ExecutionMode,
    /// Vertices of an input primitive.
    vertices: u32,
    /// Those that the output primitive has: all but the neighbors.
    kept: &'static [u32],
}

impl DrawPrimitive {
    fn shape(self) -> Shape {
        let shape = |input, output, vertices, kept| Shape {
            input,
            output,
            vertices,
            kept,
        };
        use ExecutionMode as Mode;
        match self {
            Self::Points => shape(Mode::InputPoints, Mode::OutputPoints, 1, &[0]),
            Self::Lines => shape(Mode::InputLines, Mode::OutputLineStrip, 2, &[0, 1]),
            Self::LinesAdjacency => {
                shape(Mode::InputLinesAdjacency, Mode::OutputLineStrip, 4, &[1, 2])
            }
            Self::Triangles => shape(Mode::Triangles, Mode::OutputTriangleStrip, 3, &[0, 1, 2]),
            Self::TrianglesAdjacency => shape(
                Mode::InputTrianglesAdjacency,
                Mode::OutputTriangleStrip,
                6,
                &[0, 2, 4],
            ),
        }
    }
}

/// The words of the geometry stage behind a program, for draws of such primitives on a device with so many viewports; nothing if
/// the program needs none.
///
/// The entry point is `main`. The module needs what the reflection of the program lists, and for programs that write the point
/// size, or draws of points, `shaderTessellationAndGeometryPointSize`.
pub fn replication_stage(
    before: &Reflection,
    primitive: DrawPrimitive,
    viewports: u32,
    target: Target,
) -> Option<Vec<u32>> {
    let replication = before.replication?;
    let mut w = Builder::default();
    w.reset(
        glasm_ir::Stage::Geometry,
        &glasm_ir::program::Modes::default(),
        &crate::Options::default(),
    );
    w.needs.insert(Need::Geometry);
    w.needs.insert(Need::MultiViewport);
    let mut stage = Stage {
        w,
        shape: primitive.shape(),
        in_out: Vec::new(),
        replication,
        viewports: viewports.clamp(1, MAX_VIEWPORTS),
    };
    let entry = stage.w.object();
    stage.main(entry, before, primitive);
    Some(stage.assemble(entry, target))
}

/// A value that passes through: types of the whole variable and variables of both sides.
struct Copy {
    ty: TypeWord,
    from: ValueWord,
    to: ValueWord,
}

/// The stage under construction.
struct Stage {
    w: Builder,
    shape: Shape,
    in_out: Vec<u32>,
    replication: Replication,
    viewports: u32,
}

impl Stage {
    fn op(&mut self, op: Op, ty: TypeWord, operands: &[u32]) -> ValueWord {
        let id = self.w.object();
        self.w.body.long_result(op, ty, id, operands);
        id
    }

    fn uint_op<const N: usize>(&mut self, op: Op, operands: &[u32; N]) -> ValueWord {
        self.w.op(op, Scalar::U32, 1, operands).id
    }

    fn variable(&mut self, class: StorageClass, ty: TypeWord) -> ValueWord {
        let variable = self.w.variable(class, ty);
        self.in_out.push(variable.0);
        variable
    }

    /// The variable of a built-in integer.
    fn built_in(&mut self, class: StorageClass, built_in: BuiltIn) -> ValueWord {
        let uint = self.w.ty(Scalar::U32, 1);
        let variable = self.variable(class, uint);
        self.decorate_built_in(variable, built_in);
        variable
    }

    fn decorate_built_in(&mut self, variable: ValueWord, built_in: BuiltIn) {
        let operands = [built_in as u32];
        self.w.decorate(variable, Decoration::BuiltIn, &operands);
    }

    /// Input and output variables of a type, to be decorated the same way.
    fn copy(&mut self, ty: TypeWord, decoration: Decoration, operand: u32) -> Copy {
        let all = self.w.array_type(ty, self.shape.vertices);
        let from = self.variable(StorageClass::Input, all);
        let to = self.variable(StorageClass::Output, ty);
        self.w.decorate(from, decoration, &[operand]);
        self.w.decorate(to, decoration, &[operand]);
        Copy { ty, from, to }
    }

    fn copy_built_in(&mut self, ty: TypeWord, built_in: BuiltIn) -> Copy {
        self.copy(ty, Decoration::BuiltIn, built_in as u32)
    }

    /// Loads what an input variable has for a vertex.
    fn load(&mut self, variable: ValueWord, ty: TypeWord, vertex: u32) -> ValueWord {
        let pointer_ty = self.w.pointer(StorageClass::Input, ty);
        let vertex = self.w.uint(vertex);
        let pointer = self.op(Op::AccessChain, pointer_ty, &[variable.0, vertex.0]);
        self.op(Op::Load, ty, &[pointer.0])
    }

    fn pass_on(&mut self, copy: &Copy, vertex: u32) {
        let value = self.load(copy.from, copy.ty, vertex);
        self.w.store(copy.to, value);
    }

    /// Variables of all outputs of the program before but the position.
    fn copies(&mut self, outputs: &[InterfaceVariable]) -> Vec<Copy> {
        let mut copies = Vec::new();
        for output in outputs {
            if let Some(location) = output.location {
                let scalar = match output.scalar {
                    Reflected::Float => Scalar::F32,
                    Reflected::Int => Scalar::S32,
                    Reflected::Uint => Scalar::U32,
                    Reflected::Double => Scalar::F64,
                };
                let ty = self.w.ty(scalar, output.components);
                copies.push(self.copy(ty, Decoration::Location, location));
            }
        }
        copies.extend(self.copied_clip_distances(outputs));
        copies.extend(self.copied_point_size(outputs));
        copies
    }

    fn copied_clip_distances(&mut self, outputs: &[InterfaceVariable]) -> Option<Copy> {
        let semantics = outputs.iter().map(|output| output.semantic);
        let planes = named_clip_planes(semantics)?;
        self.w.needs.insert(Need::ClipDistance);
        let float = self.w.ty(Scalar::F32, 1);
        let ty = self.w.array_type(float, planes);
        Some(self.copy_built_in(ty, BuiltIn::ClipDistance))
    }

    fn copied_point_size(&mut self, outputs: &[InterfaceVariable]) -> Option<Copy> {
        has_point_size(outputs).then(|| {
            self.w.needs.insert(Need::GeometryPointSize);
            let float = self.w.ty(Scalar::F32, 1);
            self.copy_built_in(float, BuiltIn::PointSize)
        })
    }

    /// The variable of the point size, which points need, if the program before writes none: it is 1 then.
    fn point_size(
        &mut self,
        outputs: &[InterfaceVariable],
        primitive: DrawPrimitive,
    ) -> Option<ValueWord> {
        let float = self.w.ty(Scalar::F32, 1);
        if has_point_size(outputs) || primitive != DrawPrimitive::Points {
            return None;
        }
        self.w.needs.insert(Need::GeometryPointSize);
        let variable = self.variable(StorageClass::Output, float);
        self.decorate_built_in(variable, BuiltIn::PointSize);
        Some(variable)
    }

    fn main(&mut self, entry: ValueWord, before: &Reflection, primitive: DrawPrimitive) {
        let void = self.w.void();
        let function_ty = self.w.declare_type(Op::TypeFunction, &[void.0]);
        let operands = [FunctionControl::NONE.bits(), function_ty.0];
        self.w.body.result(Op::Function, void, entry, &operands);
        let label = self.w.label();
        self.w.begin_block(label);
        let views = self.views();
        let copies = self.copies(&before.outputs);
        let point_size = self.point_size(&before.outputs, primitive);
        let vec4 = self.w.ty(Scalar::F32, 4);
        let position = self.copy_built_in(vec4, BuiltIn::Position);
        let [number_in, number_out] = [StorageClass::Input, StorageClass::Output]
            .map(|class| self.built_in(class, BuiltIn::PrimitiveId));
        let destination = self.destination(&views);
        let end = destination.is_visible.map(|visible| self.branch(visible));
        for &vertex in self.shape.kept {
            self.position(&position, &views, &destination, vertex);
            copies.iter().for_each(|copy| self.pass_on(copy, vertex));
            if let Some(variable) = point_size {
                let one = self.w.float(1.0);
                self.w.store(variable, one);
            }
            self.place_vertex(&destination, [number_in, number_out]);
            self.w.body.op(Op::EmitVertex, &[]);
        }
        self.w.body.op(Op::EndPrimitive, &[]);
        if let Some(end) = end {
            self.w.jump(end);
            self.w.begin_block(end);
        }
        self.w.body.op(Op::Return, &[]);
        self.w.body.op(Op::FunctionEnd, &[]);
    }

    /// Stores viewport, layer and number of the primitive. Each vertex does so, because all outputs are undefined after `EmitVertex`.
    fn place_vertex(&mut self, destination: &Destination, [number_in, number_out]: [ValueWord; 2]) {
        for (variable, value) in &destination.outputs {
            self.w.store(*variable, *value);
        }
        // Fragments get the number that the geometry stage writes, not the one that it reads.
        let number = self.uint_op(Op::Load, &[number_in.0]);
        self.w.store(number_out, number);
    }

    /// Loads what the program before chose.
    fn views(&mut self) -> View {
        let uvec4 = self.w.ty(Scalar::U32, 4);
        let chosen = self.w.array_type(uvec4, self.shape.vertices);
        let chosen = self.variable(StorageClass::Input, chosen);
        let location = self.replication.location;
        self.w.decorate(chosen, Decoration::Location, &[location]);
        let first = self.load(chosen, uvec4, self.shape.kept[0]);
        let number = self.built_in(StorageClass::Input, BuiltIn::InvocationId);
        View {
            chosen,
            first,
            number: self.uint_op(Op::Load, &[number.0]),
        }
    }

    /// Opens a block that runs if a condition holds; gives the label of its end.
    fn branch(&mut self, condition: ValueWord) -> LabelWord {
        let [then, end] = self.w.labels();
        self.w.merge_selection(end);
        self.w.jump_if(condition, then, end);
        self.w.begin_block(then);
        end
    }

    fn has_mask(&self) -> bool {
        self.replication.viewports == ViewportChoice::Mask || self.replication.has_second_mask
    }

    fn has_second(&self) -> bool {
        self.replication.has_second_position || self.replication.has_second_mask
    }

    fn invocations(&self) -> u32 {
        let viewports = if self.has_mask() { self.viewports } else { 1 };
        let views = if self.has_second() { 2 } else { 1 };
        views * viewports
    }

    /// A component of what the program chose for the first vertex.
    fn first_choice(&mut self, views: &View, component: u32) -> ValueWord {
        self.uint_op(Op::CompositeExtract, &[views.first.0, component])
    }

    /// Where this invocation sends the primitive.
    fn destination(&mut self, views: &View) -> Destination {
        let truth = self.w.ty(Scalar::BoolInt, 1);
        let is_second = self.has_second().then(|| {
            let half = self.w.uint(self.invocations() / 2);
            self.op(Op::UGreaterThanEqual, truth, &[views.number.0, half.0])
        });
        let (viewport, is_visible) = self.viewport(views, is_second, truth);
        let layer = self.layer(views, viewport, is_second);
        let has_viewport = self.replication.viewports != ViewportChoice::First || self.has_mask();
        let variable =
            has_viewport.then(|| self.built_in(StorageClass::Output, BuiltIn::ViewportIndex));
        let viewport = variable.map(|variable| (variable, viewport));
        Destination {
            is_second: is_second.filter(|_| self.replication.has_second_position),
            is_visible,
            outputs: viewport.into_iter().chain(layer).collect(),
        }
    }

    /// The viewport of this invocation, and whether it is in the mask.
    fn viewport(
        &mut self,
        views: &View,
        is_second: Option<ValueWord>,
        truth: TypeWord,
    ) -> (ValueWord, Option<ValueWord>) {
        let chosen = match self.replication.viewports {
            ViewportChoice::First => self.w.uint(0),
            ViewportChoice::Index | ViewportChoice::Mask => self.first_choice(views, 1),
        };
        if !self.has_mask() {
            return (chosen, None);
        }
        let count = self.w.uint(self.viewports);
        let viewport = self.uint_op(Op::UMod, &[views.number.0, count.0]);
        let mask = self.mask(views, chosen, is_second);
        let (one, zero) = (self.w.uint(1), self.w.uint(0));
        let shifted = self.uint_op(Op::ShiftRightLogical, &[mask.0, viewport.0]);
        let bit = self.uint_op(Op::BitwiseAnd, &[shifted.0, one.0]);
        let is_visible = self.op(Op::INotEqual, truth, &[bit.0, zero.0]);
        (viewport, Some(is_visible))
    }

    /// The mask of viewports of this invocation's view.
    fn mask(&mut self, views: &View, chosen: ValueWord, is_second: Option<ValueWord>) -> ValueWord {
        let first = if self.replication.viewports == ViewportChoice::Mask {
            chosen
        } else {
            // A view without a mask goes to the one viewport that the program chose. Shifts by 32 or more are undefined in SPIR-V.
            let (one, last) = (self.w.uint(1), self.w.uint(31));
            let number = self.uint_op(Op::BitwiseAnd, &[chosen.0, last.0]);
            self.uint_op(Op::ShiftLeftLogical, &[one.0, number.0])
        };
        match is_second.filter(|_| self.replication.has_second_mask) {
            None => first,
            Some(is_second) => {
                let second = self.first_choice(views, 2);
                self.uint_op(Op::Select, &[is_second.0, second.0, first.0])
            }
        }
    }

    /// The variable of the layer and its value.
    fn layer(
        &mut self,
        views: &View,
        viewport: ValueWord,
        is_second: Option<ValueWord>,
    ) -> Option<(ValueWord, ValueWord)> {
        if !self.replication.has_layer {
            return None;
        }
        let mut layer = self.first_choice(views, 0);
        if self.replication.viewport_relative_layer {
            layer = self.uint_op(Op::IAdd, &[layer.0, viewport.0]);
        }
        if let Some(is_second) = is_second {
            let offset = self.w.uint(self.replication.second_layer_offset as u32);
            let zero = self.w.uint(0);
            let offset = self.uint_op(Op::Select, &[is_second.0, offset.0, zero.0]);
            layer = self.uint_op(Op::IAdd, &[layer.0, offset.0]);
        }
        let variable = self.built_in(StorageClass::Output, BuiltIn::Layer);
        Some((variable, layer))
    }

    /// The position of a vertex; in the second view x is another one.
    fn position(&mut self, copy: &Copy, views: &View, to: &Destination, vertex: u32) {
        let mut position = self.load(copy.from, copy.ty, vertex);
        if let Some(is_second) = to.is_second {
            let float = self.w.ty(Scalar::F32, 1);
            let uvec4 = self.w.ty(Scalar::U32, 4);
            let choice = self.load(views.chosen, uvec4, vertex);
            let bits = self.uint_op(Op::CompositeExtract, &[choice.0, 3]);
            let second = self.op(Op::Bitcast, float, &[bits.0]);
            let first = self.op(Op::CompositeExtract, float, &[position.0, 0]);
            let x = self.op(Op::Select, float, &[is_second.0, second.0, first.0]);
            position = self.op(Op::CompositeInsert, copy.ty, &[x.0, position.0, 0]);
        }
        self.w.store(copy.to, position);
    }

    fn assemble(&self, entry: ValueWord, target: Target) -> Vec<u32> {
        let mut out = Words::default();
        let version = target.spirv_version();
        out.0
            .extend([spirv::MAGIC_NUMBER, version, 0, self.w.bound(), 0]);
        self.w.needs.write(target, &mut out);
        let logical = spirv::AddressingModel::Logical as u32;
        let glsl = spirv::MemoryModel::GLSL450 as u32;
        out.op(Op::MemoryModel, &[logical, glsl]);
        let model = ExecutionModel::Geometry as u32;
        // From SPIR-V 1.4 on an entry point lists all its global variables. This stage has no others than inputs and outputs.
        out.op_string(Op::EntryPoint, &[model, entry.0], "main", &self.in_out);
        let kept = self.shape.kept.len() as u32;
        let mut mode = |mode: ExecutionMode, operands: &[u32]| {
            out.head(Op::ExecutionMode, operands.len() + 2);
            out.0.extend([entry.0, mode as u32]);
            out.0.extend_from_slice(operands);
        };
        mode(self.shape.input, &[]);
        mode(self.shape.output, &[]);
        mode(ExecutionMode::Invocations, &[self.invocations()]);
        mode(ExecutionMode::OutputVertices, &[kept]);
        out.append(&self.w.annotations);
        out.append(&self.w.globals);
        out.append(&self.w.body);
        out.0
    }
}

fn has_point_size(outputs: &[InterfaceVariable]) -> bool {
    let mut semantics = outputs.iter().map(|output| output.semantic);
    semantics.any(|semantic| semantic == Semantic::PointSize)
}

/// What the program before chose.
struct View {
    /// The variable.
    chosen: ValueWord,
    /// The value for the first vertex.
    first: ValueWord,
    /// Number of the invocation.
    number: ValueWord,
}

/// Where an invocation sends the primitive.
struct Destination {
    /// Whether it is for the second view and that has positions of its own.
    is_second: Option<ValueWord>,
    /// Whether its viewport is in the mask, if there is one.
    is_visible: Option<ValueWord>,
    /// Variables and values of viewport and layer.
    outputs: Vec<(ValueWord, ValueWord)>,
}
