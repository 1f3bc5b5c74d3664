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
    w.reset(glasm_ir::Stage::Geometry, &crate::Options::default());
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

    fn uint_op(&mut self, op: Op, operands: &[u32]) -> ValueWord {
        let uint = self.w.ty(Scalar::U32, 1);
        self.op(op, uint, operands)
    }

    fn variable(&mut self, class: StorageClass, ty: TypeWord) -> ValueWord {
        let variable = self.w.variable(class, ty);
        self.in_out.push(variable.0);
        variable
    }

    fn built_in(&mut self, class: StorageClass, ty: TypeWord, built_in: BuiltIn) -> ValueWord {
        let variable = self.variable(class, ty);
        self.w
            .decorate(variable, Decoration::BuiltIn, &[built_in as u32]);
        variable
    }

    fn array(&mut self, ty: TypeWord, length: u32) -> TypeWord {
        let length = self.w.uint(length);
        self.w.declare_type(Op::TypeArray, &[ty.0, length.0])
    }

    /// Input and output variables of a type, to be decorated the same way.
    fn copy(&mut self, ty: TypeWord, decoration: Decoration, operand: u32) -> Copy {
        let all = self.array(ty, self.shape.vertices);
        let from = self.variable(StorageClass::Input, all);
        let to = self.variable(StorageClass::Output, ty);
        self.w.decorate(from, decoration, &[operand]);
        self.w.decorate(to, decoration, &[operand]);
        Copy { ty, from, to }
    }

    /// Loads what an input variable has for a vertex.
    fn load(&mut self, variable: ValueWord, ty: TypeWord, vertex: u32) -> ValueWord {
        let pointer_ty = self.w.pointer(StorageClass::Input, ty);
        let vertex = self.w.uint(vertex);
        let pointer = self.op(Op::AccessChain, pointer_ty, &[variable.0, vertex.0]);
        self.op(Op::Load, ty, &[pointer.0])
    }

    fn store(&mut self, variable: ValueWord, value: ValueWord) {
        self.w.body.op(Op::Store, &[variable.0, value.0]);
    }

    /// Variables of all outputs of the program before but the position.
    fn copies(&mut self, outputs: &[InterfaceVariable]) -> Vec<Copy> {
        let mut copies = Vec::new();
        let mut planes = 0;
        for output in outputs {
            if let Semantic::ClipDistance(plane) = output.semantic {
                planes = planes.max(u32::from(plane) + 1);
            }
            let Some(location) = output.location else {
                continue;
            };
            let scalar = match output.scalar {
                Reflected::Float => Scalar::F32,
                Reflected::Int => Scalar::S32,
                Reflected::Uint => Scalar::U32,
                Reflected::Double => Scalar::F64,
            };
            let ty = self.w.ty(scalar, output.components);
            copies.push(self.copy(ty, Decoration::Location, location));
        }
        if planes > 0 {
            self.w.needs.insert(Need::ClipDistance);
            let float = self.w.ty(Scalar::F32, 1);
            let ty = self.array(float, planes);
            copies.push(self.copy(ty, Decoration::BuiltIn, BuiltIn::ClipDistance as u32));
        }
        copies
    }

    /// Copies the point size, or gives points, which need one, the size 1.
    fn point_size(&mut self, outputs: &[InterfaceVariable], primitive: DrawPrimitive) -> PointSize {
        let float = self.w.ty(Scalar::F32, 1);
        let is_written = outputs
            .iter()
            .any(|output| output.semantic == Semantic::PointSize);
        if is_written {
            self.w.needs.insert(Need::GeometryPointSize);
            let copy = self.copy(float, Decoration::BuiltIn, BuiltIn::PointSize as u32);
            PointSize::Copied(copy)
        } else if primitive == DrawPrimitive::Points {
            self.w.needs.insert(Need::GeometryPointSize);
            PointSize::One(self.built_in(StorageClass::Output, float, BuiltIn::PointSize))
        } else {
            PointSize::None
        }
    }

    fn main(&mut self, entry: ValueWord, before: &Reflection, primitive: DrawPrimitive) {
        let void = self.w.declare_type(Op::TypeVoid, &[]);
        let function_ty = self.w.declare_type(Op::TypeFunction, &[void.0]);
        let none = FunctionControl::NONE.bits();
        self.w
            .body
            .result(Op::Function, void, entry, &[none, function_ty.0]);
        self.label();
        let [uint, uvec4] = [1, 4].map(|size| self.w.ty(Scalar::U32, size));
        let chosen = self.array(uvec4, self.shape.vertices);
        let chosen = self.variable(StorageClass::Input, chosen);
        let location = self.replication.location;
        self.w.decorate(chosen, Decoration::Location, &[location]);
        let first = self.load(chosen, uvec4, self.shape.kept[0]);
        let number = self.built_in(StorageClass::Input, uint, BuiltIn::InvocationId);
        let number = self.op(Op::Load, uint, &[number.0]);
        let views = View {
            chosen,
            first,
            number,
        };
        let copies = self.copies(&before.outputs);
        let size = self.point_size(&before.outputs, primitive);
        let vec4 = self.w.ty(Scalar::F32, 4);
        let position = self.copy(vec4, Decoration::BuiltIn, BuiltIn::Position as u32);
        let primitive_in = self.built_in(StorageClass::Input, uint, BuiltIn::PrimitiveId);
        let primitive_out = self.built_in(StorageClass::Output, uint, BuiltIn::PrimitiveId);
        let place = self.place(&views);
        let end = place.is_visible.map(|condition| self.branch(condition));
        for index in 0..self.shape.kept.len() {
            let vertex = self.shape.kept[index];
            self.position(&position, &views, &place, vertex);
            for copy in &copies {
                let value = self.load(copy.from, copy.ty, vertex);
                self.store(copy.to, value);
            }
            match &size {
                PointSize::None => {}
                PointSize::One(variable) => {
                    let one = self.w.float(1.0);
                    self.store(*variable, one);
                }
                PointSize::Copied(copy) => {
                    let value = self.load(copy.from, copy.ty, vertex);
                    self.store(copy.to, value);
                }
            }
            // All outputs are undefined after `EmitVertex`, so that each vertex stores viewport, layer and number anew. Fragments get the
            // number that the geometry stage writes, not the one that it reads.
            self.place_vertex(&place);
            let id = self.op(Op::Load, uint, &[primitive_in.0]);
            self.store(primitive_out, id);
            self.w.body.op(Op::EmitVertex, &[]);
        }
        self.w.body.op(Op::EndPrimitive, &[]);
        if let Some(end) = end {
            self.w.body.op(Op::Branch, &[end.0]);
            self.w.body.op(Op::Label, &[end.0]);
        }
        self.w.body.op(Op::Return, &[]);
        self.w.body.op(Op::FunctionEnd, &[]);
    }

    fn label(&mut self) {
        let label = self.w.label();
        self.w.body.op(Op::Label, &[label.0]);
    }

    /// Opens a block that runs if a condition holds; gives the label of its end.
    fn branch(&mut self, condition: ValueWord) -> LabelWord {
        let [then, end] = [(); 2].map(|()| self.w.label());
        self.w.body.op(Op::SelectionMerge, &[end.0, 0]);
        self.w
            .body
            .op(Op::BranchConditional, &[condition.0, then.0, end.0]);
        self.w.body.op(Op::Label, &[then.0]);
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
        if self.has_second() {
            2 * viewports
        } else {
            viewports
        }
    }

    /// A component of what the program chose for the first vertex.
    fn first_choice(&mut self, views: &View, component: u32) -> ValueWord {
        self.uint_op(Op::CompositeExtract, &[views.first.0, component])
    }

    /// Where this invocation sends the primitive.
    fn place(&mut self, views: &View) -> Destination {
        let bool_ty = self.w.ty(Scalar::BoolInt, 1);
        let is_second = self.has_second().then(|| {
            let half = self.w.uint(self.invocations() / 2);
            self.op(Op::UGreaterThanEqual, bool_ty, &[views.number.0, half.0])
        });
        let chosen = match self.replication.viewports {
            ViewportChoice::First => self.w.uint(0),
            ViewportChoice::Index | ViewportChoice::Mask => self.first_choice(views, 1),
        };
        let (viewport, is_visible) = match self.has_mask() {
            false => (chosen, None),
            true => {
                let count = self.w.uint(self.viewports);
                let viewport = self.uint_op(Op::UMod, &[views.number.0, count.0]);
                let mask = self.mask(views, chosen, is_second);
                let (one, zero) = (self.w.uint(1), self.w.uint(0));
                let shifted = self.uint_op(Op::ShiftRightLogical, &[mask.0, viewport.0]);
                let bit = self.uint_op(Op::BitwiseAnd, &[shifted.0, one.0]);
                let is_visible = self.op(Op::INotEqual, bool_ty, &[bit.0, zero.0]);
                (viewport, Some(is_visible))
            }
        };
        let layer = self.layer(views, viewport, is_second);
        let uint = self.w.ty(Scalar::U32, 1);
        let viewport_variable = (self.replication.viewports != ViewportChoice::First
            || self.has_mask())
        .then(|| self.built_in(StorageClass::Output, uint, BuiltIn::ViewportIndex));
        Destination {
            is_second: is_second.filter(|_| self.replication.has_second_position),
            is_visible,
            outputs: viewport_variable
                .map(|variable| (variable, viewport))
                .into_iter()
                .chain(layer)
                .collect(),
        }
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
        let uint = self.w.ty(Scalar::U32, 1);
        let variable = self.built_in(StorageClass::Output, uint, BuiltIn::Layer);
        Some((variable, layer))
    }

    /// The position of a vertex; in the second view x is another one.
    fn position(&mut self, copy: &Copy, views: &View, place: &Destination, vertex: u32) {
        let mut position = self.load(copy.from, copy.ty, vertex);
        if let Some(is_second) = place.is_second {
            let float = self.w.ty(Scalar::F32, 1);
            let uvec4 = self.w.ty(Scalar::U32, 4);
            let choice = self.load(views.chosen, uvec4, vertex);
            let bits = self.uint_op(Op::CompositeExtract, &[choice.0, 3]);
            let second = self.op(Op::Bitcast, float, &[bits.0]);
            let first = self.op(Op::CompositeExtract, float, &[position.0, 0]);
            let x = self.op(Op::Select, float, &[is_second.0, second.0, first.0]);
            position = self.op(Op::CompositeInsert, copy.ty, &[x.0, position.0, 0]);
        }
        self.store(copy.to, position);
    }

    fn place_vertex(&mut self, place: &Destination) {
        for (variable, value) in &place.outputs {
            self.store(*variable, *value);
        }
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
        for (mode, operand) in [
            (self.shape.input, None),
            (self.shape.output, None),
            (ExecutionMode::Invocations, Some(self.invocations())),
            (ExecutionMode::OutputVertices, Some(kept)),
        ] {
            match operand {
                None => out.op(Op::ExecutionMode, &[entry.0, mode as u32]),
                Some(operand) => out.op(Op::ExecutionMode, &[entry.0, mode as u32, operand]),
            }
        }
        out.append(&self.w.annotations);
        out.append(&self.w.globals);
        out.append(&self.w.body);
        out.0
    }
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

enum PointSize {
    None,
    One(ValueWord),
    Copied(Copy),
}
