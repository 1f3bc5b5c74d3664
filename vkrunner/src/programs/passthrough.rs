//! Modules that pass on what they get, made to fit their neighbors.
//!
//! | stage | what it does |
//! |---|---|
//! | vertex | position is attribute 0; what the next stage reads comes from attributes |
//! | tessellation control | copies the vertices of the patch; levels are the defaults of the script |
//! | tessellation evaluation | interpolates the vertices of a patch of 2 (lines), 3 (triangles) or 4 (quads) |
//! | geometry | emits the primitive that it gets |
//! | fragment | writes the value at location 0 as the color |

use super::interface::{Primitive, Varying};
use crate::spirv::ModuleWriter;
use glasm::ir::Stage;
use glasm::reflect::Scalar;
use rspirv::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass};

/// Elements of the arrays of vertices that tessellation stages read.
const MAX_PATCH_VERTICES: u32 = 32;

/// Depth range of the clip space that the last stage before rasterization gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DepthRemap {
    /// Positions pass unchanged.
    Keep,
    /// GL's depth of -w to w becomes 0 to w.
    FromOpenGl,
}

/// Whether the size of points must be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PointSize {
    One,
    NotWritten,
}

/// Something that the stage after the vertex stage reads, and the attribute that it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AttributeCopy {
    pub(crate) attribute: u32,
    pub(crate) varying: Varying,
}

fn remap(w: &mut ModuleWriter, position: u32, depth: DepthRemap) -> u32 {
    if depth == DepthRemap::Keep {
        return position;
    }
    let (float, vec4) = (w.vector(Scalar::Float, 1), w.vector(Scalar::Float, 4));
    let half = w.float(0.5);
    let z = w.result(Op::CompositeExtract, float, &[position, 2]);
    let clip_w = w.result(Op::CompositeExtract, float, &[position, 3]);
    let sum = w.result(Op::FAdd, float, &[z, clip_w]);
    let remapped = w.result(Op::FMul, float, &[sum, half]);
    w.result(Op::CompositeInsert, vec4, &[remapped, position, 2])
}

/// A variable for a varying; `length` makes it an array over vertices.
fn varying_variable(
    w: &mut ModuleWriter,
    class: StorageClass,
    varying: &Varying,
    length: Option<u32>,
) -> u32 {
    let element = w.vector(varying.scalar, varying.components);
    let ty = match length {
        Some(length) => w.array(element, length),
        None => element,
    };
    let variable = w.located(class, ty, varying.location);
    if varying.component > 0 {
        w.decorate(variable, Decoration::Component, &[varying.component]);
    }
    variable
}

/// A vertex module.
pub(crate) fn vertex(copies: &[AttributeCopy], depth: DepthRemap, points: PointSize) -> Vec<u32> {
    let mut w = ModuleWriter::default();
    let vec4 = w.vector(Scalar::Float, 4);
    let input = w.located(StorageClass::Input, vec4, 0);
    let output = w.built_in(StorageClass::Output, vec4, BuiltIn::Position);
    let position = w.load(vec4, input);
    let mut loaded = vec![(0, Scalar::Float, position)];
    for copy in copies {
        let varying = &copy.varying;
        let whole = w.vector(varying.scalar, 4);
        let known = loaded
            .iter()
            .find(|(attribute, ..)| *attribute == copy.attribute);
        let (scalar, value) = match known {
            Some((_, scalar, value)) => (*scalar, *value),
            None => {
                let variable = w.located(StorageClass::Input, whole, copy.attribute);
                let value = w.load(whole, variable);
                loaded.push((copy.attribute, varying.scalar, value));
                (varying.scalar, value)
            }
        };
        if scalar != varying.scalar || varying.component.saturating_add(varying.components) > 4 {
            continue;
        }
        let target = varying_variable(&mut w, StorageClass::Output, varying, None);
        let part = components(&mut w, varying, value);
        w.store(target, part);
    }
    let position = remap(&mut w, position, depth);
    w.store(output, position);
    if points == PointSize::One {
        write_point_size(&mut w);
    }
    w.finish(Stage::Vertex)
}

/// The components of a vector of four that a varying has.
fn components(w: &mut ModuleWriter, varying: &Varying, value: u32) -> u32 {
    let ty = w.vector(varying.scalar, varying.components);
    match varying.components {
        1 => w.result(Op::CompositeExtract, ty, &[value, varying.component]),
        4 => value,
        _ => {
            let mut operands = vec![value, value];
            operands.extend(varying.component..varying.component + varying.components);
            w.result(Op::VectorShuffle, ty, &operands)
        }
    }
}

fn write_point_size(w: &mut ModuleWriter) {
    let float = w.vector(Scalar::Float, 1);
    let size = w.built_in(StorageClass::Output, float, BuiltIn::PointSize);
    let one = w.float(1.0);
    w.store(size, one);
}

/// A tessellation control module for patches of so many vertices; `levels` are four outer and two inner ones.
pub(crate) fn tess_control(outputs: &[Varying], vertices: u32, levels: [f32; 6]) -> Vec<u32> {
    let mut w = ModuleWriter::default();
    w.mode(ExecutionMode::OutputVertices, &[vertices]);
    let uint = w.vector(Scalar::Uint, 1);
    let vec4 = w.vector(Scalar::Float, 4);
    let invocation = w.built_in(StorageClass::Input, uint, BuiltIn::InvocationId);
    let invocation = w.load(uint, invocation);
    let all_in = w.array(vec4, MAX_PATCH_VERTICES);
    let all_out = w.array(vec4, vertices);
    let position_in = w.built_in(StorageClass::Input, all_in, BuiltIn::Position);
    let position_out = w.built_in(StorageClass::Output, all_out, BuiltIn::Position);
    let mut copies = vec![(vec4, position_in, position_out)];
    for varying in outputs {
        let ty = w.vector(varying.scalar, varying.components);
        let from = varying_variable(
            &mut w,
            StorageClass::Input,
            varying,
            Some(MAX_PATCH_VERTICES),
        );
        let to = varying_variable(&mut w, StorageClass::Output, varying, Some(vertices));
        copies.push((ty, from, to));
    }
    for (ty, from, to) in copies {
        let from = w.element(StorageClass::Input, ty, from, invocation);
        let value = w.load(ty, from);
        let to = w.element(StorageClass::Output, ty, to, invocation);
        w.store(to, value);
    }
    let float = w.vector(Scalar::Float, 1);
    let (outer, inner) = levels.split_at(4);
    for (levels, built_in) in [
        (outer, BuiltIn::TessLevelOuter),
        (inner, BuiltIn::TessLevelInner),
    ] {
        let ty = w.array(float, levels.len() as u32);
        let variable = w.built_in(StorageClass::Output, ty, built_in);
        w.decorate(variable, Decoration::Patch, &[]);
        for (level, index) in levels.iter().zip(0..) {
            let (index, level) = (w.uint(index), w.float(*level));
            let pointer = w.element(StorageClass::Output, float, variable, index);
            w.store(pointer, level);
        }
    }
    w.finish(Stage::TessControl)
}

/// A tessellation evaluation module for patches of 2, 3 or 4 vertices; the four are corners (0, 0), (1, 0), (0, 1), (1, 1).
pub(crate) fn tess_eval(inputs: &[Varying], vertices: u32, depth: DepthRemap) -> Vec<u32> {
    let mut w = ModuleWriter::default();
    let domain = match vertices {
        2 => ExecutionMode::Isolines,
        3 => ExecutionMode::Triangles,
        _ => ExecutionMode::Quads,
    };
    w.mode(domain, &[]);
    w.mode(ExecutionMode::SpacingEqual, &[]);
    w.mode(ExecutionMode::VertexOrderCcw, &[]);
    let float = w.vector(Scalar::Float, 1);
    let vec3 = w.vector(Scalar::Float, 3);
    let coordinate = w.built_in(StorageClass::Input, vec3, BuiltIn::TessCoord);
    let coordinate = w.load(vec3, coordinate);
    let weights = corner_weights(&mut w, float, coordinate, vertices);
    let vec4 = w.vector(Scalar::Float, 4);
    let all = w.array(vec4, MAX_PATCH_VERTICES);
    let from = w.built_in(StorageClass::Input, all, BuiltIn::Position);
    let to = w.built_in(StorageClass::Output, vec4, BuiltIn::Position);
    let position = weighted(&mut w, vec4, from, &weights);
    let position = remap(&mut w, position, depth);
    w.store(to, position);
    for varying in inputs {
        let ty = w.vector(varying.scalar, varying.components);
        let length = (!varying.patch).then_some(MAX_PATCH_VERTICES);
        let from = varying_variable(&mut w, StorageClass::Input, varying, length);
        let to = varying_variable(&mut w, StorageClass::Output, varying, None);
        let value = if varying.patch {
            w.decorate(from, Decoration::Patch, &[]);
            w.load(ty, from)
        } else if varying.scalar == Scalar::Float && !varying.flat {
            match varying.components {
                1 => weighted_scalar(&mut w, ty, from, &weights),
                _ => weighted(&mut w, ty, from, &weights),
            }
        } else {
            let first = w.uint(0);
            let pointer = w.element(StorageClass::Input, ty, from, first);
            w.load(ty, pointer)
        };
        w.store(to, value);
    }
    w.finish(Stage::TessEval)
}

/// How much each vertex of the patch counts.
fn corner_weights(w: &mut ModuleWriter, float: u32, coordinate: u32, vertices: u32) -> Vec<u32> {
    let [u, v, third] =
        [0, 1, 2].map(|index| w.result(Op::CompositeExtract, float, &[coordinate, index]));
    let one = w.float(1.0);
    let rest_u = w.result(Op::FSub, float, &[one, u]);
    let rest_v = w.result(Op::FSub, float, &[one, v]);
    match vertices {
        2 => vec![rest_u, u],
        3 => vec![u, v, third],
        _ => [(rest_u, rest_v), (u, rest_v), (rest_u, v), (u, v)]
            .map(|(a, b)| w.result(Op::FMul, float, &[a, b]))
            .to_vec(),
    }
}

fn weighted(w: &mut ModuleWriter, ty: u32, variable: u32, weights: &[u32]) -> u32 {
    sum(w, ty, variable, weights, Op::VectorTimesScalar)
}

fn weighted_scalar(w: &mut ModuleWriter, ty: u32, variable: u32, weights: &[u32]) -> u32 {
    sum(w, ty, variable, weights, Op::FMul)
}

fn sum(w: &mut ModuleWriter, ty: u32, variable: u32, weights: &[u32], multiply: Op) -> u32 {
    let mut total = None;
    for (weight, index) in weights.iter().zip(0..) {
        let index = w.uint(index);
        let pointer = w.element(StorageClass::Input, ty, variable, index);
        let value = w.load(ty, pointer);
        let part = w.result(multiply, ty, &[value, *weight]);
        total = Some(match total {
            None => part,
            Some(total) => w.result(Op::FAdd, ty, &[total, part]),
        });
    }
    total.unwrap_or(variable)
}

/// What a geometry stage reads and writes, the vertices that it gets, and those of them that it passes on.
fn geometry_modes(primitive: Primitive) -> (ExecutionMode, ExecutionMode, u32, &'static [u32]) {
    match primitive {
        Primitive::Points => (
            ExecutionMode::InputPoints,
            ExecutionMode::OutputPoints,
            1,
            &[0],
        ),
        Primitive::Lines | Primitive::Isolines => (
            ExecutionMode::InputLines,
            ExecutionMode::OutputLineStrip,
            2,
            &[0, 1],
        ),
        Primitive::LinesAdjacency => (
            ExecutionMode::InputLinesAdjacency,
            ExecutionMode::OutputLineStrip,
            4,
            &[1, 2],
        ),
        Primitive::Triangles | Primitive::Quads => (
            ExecutionMode::Triangles,
            ExecutionMode::OutputTriangleStrip,
            3,
            &[0, 1, 2],
        ),
        Primitive::TrianglesAdjacency => (
            ExecutionMode::InputTrianglesAdjacency,
            ExecutionMode::OutputTriangleStrip,
            6,
            &[0, 2, 4],
        ),
    }
}

/// A geometry module for primitives of that kind; the vertices of neighbors are left out.
pub(crate) fn geometry(
    inputs: &[Varying],
    primitive: Primitive,
    depth: DepthRemap,
    points: PointSize,
) -> Vec<u32> {
    let mut w = ModuleWriter::default();
    let (mode, output, length, kept) = geometry_modes(primitive);
    w.mode(mode, &[]);
    w.mode(ExecutionMode::Invocations, &[1]);
    w.mode(output, &[]);
    w.mode(ExecutionMode::OutputVertices, &[kept.len() as u32]);
    let vec4 = w.vector(Scalar::Float, 4);
    let int = w.vector(Scalar::Int, 1);
    let all = w.array(vec4, length);
    let position_in = w.built_in(StorageClass::Input, all, BuiltIn::Position);
    let position_out = w.built_in(StorageClass::Output, vec4, BuiltIn::Position);
    let number_in = w.built_in(StorageClass::Input, int, BuiltIn::PrimitiveId);
    let number_out = w.built_in(StorageClass::Output, int, BuiltIn::PrimitiveId);
    let float = w.vector(Scalar::Float, 1);
    let size = (points == PointSize::One && primitive == Primitive::Points).then(|| {
        w.needs(Capability::GeometryPointSize);
        w.built_in(StorageClass::Output, float, BuiltIn::PointSize)
    });
    let mut copies = Vec::new();
    for varying in inputs {
        let ty = w.vector(varying.scalar, varying.components);
        let from = varying_variable(&mut w, StorageClass::Input, varying, Some(length));
        let to = varying_variable(&mut w, StorageClass::Output, varying, None);
        copies.push((ty, from, to));
    }
    for vertex in kept {
        let vertex = w.uint(*vertex);
        let from = w.element(StorageClass::Input, vec4, position_in, vertex);
        let position = w.load(vec4, from);
        let position = remap(&mut w, position, depth);
        w.store(position_out, position);
        for (ty, from, to) in &copies {
            let from = w.element(StorageClass::Input, *ty, *from, vertex);
            let value = w.load(*ty, from);
            w.store(*to, value);
        }
        let number = w.load(int, number_in);
        w.store(number_out, number);
        if let Some(size) = size {
            let one = w.float(1.0);
            w.store(size, one);
        }
        w.op(Op::EmitVertex, &[]);
    }
    w.op(Op::EndPrimitive, &[]);
    w.finish(Stage::Geometry)
}

/// A fragment module that writes what it gets at a location; missing components are 0, 0 and 1.
pub(crate) fn fragment(color: &Varying) -> Vec<u32> {
    let mut w = ModuleWriter::default();
    w.mode(ExecutionMode::OriginUpperLeft, &[]);
    let scalar = color.scalar;
    let whole = w.vector(scalar, 4);
    let ty = w.vector(scalar, color.components);
    let from = varying_variable(&mut w, StorageClass::Input, color, None);
    if scalar != Scalar::Float || color.flat {
        w.decorate(from, Decoration::Flat, &[]);
    }
    let to = w.located(StorageClass::Output, whole, 0);
    let value = w.load(ty, from);
    let value = if color.components == 4 {
        value
    } else {
        let mut parts = vec![value];
        for component in color.components..4 {
            parts.push(w.number(scalar, u8::from(component == 3)));
        }
        w.result(Op::CompositeConstruct, whole, &parts)
    };
    w.store(to, value);
    w.finish(Stage::Fragment)
}
