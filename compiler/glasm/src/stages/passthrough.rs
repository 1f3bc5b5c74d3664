//! Pass-through stages.
//!
//! Varyings are passed as bits. Only floats can be interpolated.

use super::ir_text_builder::{IrTextBuilder, format_bits};
use glasm_codegen::options::PatchLevels;
use glasm_ir::primitive::{InputPrimitive, MAX_PATCH_VERTICES, OutputPrimitive};
use glasm_ir::{Program, Semantic, TypeBase};

/// Returns the semantics of the levels, with their bits.
fn get_level_semantics(levels: PatchLevels) -> impl Iterator<Item = (Semantic, u32)> {
    let outer = (0u8..).map(Semantic::TessOuter).zip(levels.outer);
    outer.chain((0u8..).map(Semantic::TessInner).zip(levels.inner))
}

/// A varying that a vertex stage copies from an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttributeCopy {
    /// Index of the attribute.
    pub attribute: u8,
    /// Its type.
    pub base: TypeBase,
    /// Component of the attribute that is the first of the varying.
    pub first: u8,
    /// The varying.
    pub to: Semantic,
}

/// Returns a vertex program whose position is attribute 0.
pub fn pass_vertex(copies: &[AttributeCopy]) -> Program {
    let mut builder = IrTextBuilder::new("vertex", format_args!(""));
    let position = builder.declare_input(Semantic::Attrib(0), "float");
    let to = builder.declare_output(Semantic::Position);
    builder.push_line(format_args!("{to}.xyzw = mov.u32 {position}.xyzw"));
    for copy in copies {
        let from =
            builder.declare_input(Semantic::Attrib(copy.attribute), get_base_word(copy.base));
        let to = builder.declare_output(copy.to);
        let lanes = ["xyzw", "yzww", "zwww", "wwww"][usize::from(copy.first & 3)];
        builder.push_line(format_args!("{to}.xyzw = mov.u32 {from}.{lanes}"));
    }
    builder.finish()
}

/// Returns a control program that outputs its input patch: `vertices` vertices, with the position
/// and these varyings, and these levels. It is the control stage of evaluation programs without
/// control program (ARB_tessellation_shader section 2.X.2, "Tessellation Primitive Generation").
pub fn pass_patch(varyings: &[Semantic], vertices: u32, levels: PatchLevels) -> Program {
    let vertices = vertices.clamp(1, MAX_PATCH_VERTICES);
    let mut builder = IrTextBuilder::new("tess_control", format_args!("vertices_out {vertices}\n"));
    let copies = declare_copies(&mut builder, varyings);
    let levels: Vec<_> = get_level_semantics(levels)
        .map(|(semantic, level)| (builder.declare_output(semantic), format_bits(level)))
        .collect();
    let invocation = builder.declare_input(Semantic::InvocationId, "signed");
    let vertex = builder.declare_temp();
    builder.push_line(format_args!("{vertex}.x = mov.s32 {invocation}.xxxx"));
    for (from, to) in copies {
        builder.push_line(format_args!(
            "{to}.xyzw = mov.u32 {from}[0 of 1, vertex {vertex}.x].xyzw"
        ));
    }
    for (to, level) in levels {
        builder.push_line(format_args!("{to}.x = mov.u32 {level}"));
    }
    builder.finish()
}

/// Source of a varying of an evaluation stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassedPatch {
    /// Interpolated between the vertices.
    Interpolated(Semantic),
    /// The value of the first vertex.
    First(Semantic),
    /// The per-patch value, written to a per-vertex varying.
    Patch(Semantic, Semantic),
}

/// Returns an evaluation program that interpolates patches: of 2 vertices as lines, of 3 as
/// triangles, of others as quadrilaterals whose corners (0, 0), (1, 0), (0, 1), (1, 1) are the
/// first four.
pub fn pass_evaluation(varyings: &[PassedPatch], vertices: u32) -> Program {
    let mode = match vertices {
        2 => "isolines",
        3 => "triangles",
        _ => "quads",
    };
    let mut builder = IrTextBuilder::new("tess_eval", format_args!("tess_mode {mode}\n"));
    let position = PassedPatch::Interpolated(Semantic::Position);
    let mut copies = Vec::new();
    for varying in [position].iter().chain(varyings) {
        let (from, to, properties) = match *varying {
            PassedPatch::Interpolated(semantic) | PassedPatch::First(semantic) => {
                (semantic, semantic, "float per_vertex")
            }
            PassedPatch::Patch(from, to) => (from, to, "float"),
        };
        let from = builder.declare_input(from, properties);
        copies.push((*varying, from, builder.declare_output(to)));
    }
    let place = builder.declare_input(Semantic::TessCoord, "float");
    let (rest, weights) = (builder.declare_temp(), builder.declare_temp());
    builder.push_line(format_args!("{rest}.xy = sub.f32 {{1.0}}, {place}.xyxx"));
    let count = emit_vertex_weights(&mut builder, vertices, (&rest, &place, &weights));
    for (varying, from, to) in copies {
        match varying {
            PassedPatch::First(_) => {
                builder.push_line(format_args!(
                    "{to}.xyzw = mov.u32 {from}[0 of 1, vertex 0].xyzw"
                ));
            }
            PassedPatch::Patch(..) => {
                builder.push_line(format_args!("{to}.xyzw = mov.u32 {from}.xyzw"));
            }
            PassedPatch::Interpolated(_) => {
                let mut sum = "{0.0}".to_owned();
                for (vertex, lane) in ["x", "y", "z", "w"].iter().take(count).enumerate() {
                    builder.push_line(format_args!(
                        "{to}.xyzw = mad.f32 {from}[0 of 1, vertex {vertex}].xyzw, {weights}.{lane}, {sum}"
                    ));
                    sum = format!("{to}.xyzw");
                }
            }
        }
    }
    builder.finish()
}

/// Emits the weight of each vertex; returns the number of vertices.
fn emit_vertex_weights(
    builder: &mut IrTextBuilder,
    vertices: u32,
    (rest, place, weights): (&str, &str, &str),
) -> usize {
    match vertices {
        2 => {
            builder.push_line(format_args!("{weights}.x = mov.f32 {rest}.xxxx"));
            builder.push_line(format_args!("{weights}.y = mov.f32 {place}.xxxx"));
            2
        }
        3 => {
            builder.push_line(format_args!("{weights}.xyz = mov.f32 {place}.xyzw"));
            3
        }
        _ => {
            for (lane, u, v) in [
                ("x", rest, rest),
                ("y", place, rest),
                ("z", rest, place),
                ("w", place, place),
            ] {
                builder.push_line(format_args!(
                    "{weights}.{lane} = mul.f32 {u}.xxxx, {v}.yyyy"
                ));
            }
            4
        }
    }
}

/// Returns a geometry program that emits its input primitive, without the vertices of neighbors and
/// with its index.
pub fn pass_primitive(varyings: &[Semantic], primitive: InputPrimitive) -> Program {
    let (kept, output) = get_own_vertices(primitive);
    let (input, output) = (
        find_keyword(InputPrimitive::ALL, primitive),
        find_keyword(OutputPrimitive::ALL, output),
    );
    let vertices = kept.len();
    let mut builder = IrTextBuilder::new(
        "geometry",
        format_args!("primitive_in {input}\nprimitive_out {output}\nvertices_out {vertices}\n"),
    );
    let copies = declare_copies(&mut builder, varyings);
    let number = builder.declare_input(Semantic::PrimitiveId, "signed");
    let number_to = builder.declare_output(Semantic::PrimitiveId);
    for vertex in kept {
        for (from, to) in &copies {
            builder.push_line(format_args!(
                "{to}.xyzw = mov.u32 {from}[0 of 1, vertex {vertex}].xyzw"
            ));
        }
        builder.push_line(format_args!("{number_to}.x = mov.u32 {number}.xxxx"));
        builder.push_line(format_args!("emit.s32 {{0}}"));
    }
    builder.push_line(format_args!("endprim.u32"));
    builder.finish()
}

/// Interpolation of a fragment input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shading {
    /// Interpolated.
    Smooth,
    /// The value of the provoking vertex.
    Flat,
}

/// Returns a fragment program that writes a varying as color 0 of this type.
pub fn pass_color(color: Semantic, base: TypeBase, shading: Shading) -> Program {
    let mut builder = IrTextBuilder::new("fragment", format_args!(""));
    let flat = match shading {
        Shading::Smooth => "",
        Shading::Flat => " flat",
    };
    let from = builder.declare_input(color, &format!("{}{flat}", get_base_word(base)));
    let to = Semantic::FragColor {
        buffer: 0,
        index: 0,
    };
    let to = builder.declare_typed_output(to, get_base_word(base));
    builder.push_line(format_args!("{to}.xyzw = mov.u32 {from}.xyzw"));
    builder.finish()
}

const fn get_base_word(base: TypeBase) -> &'static str {
    match base {
        TypeBase::Float => "float",
        TypeBase::Signed => "signed",
        TypeBase::Unsigned => "unsigned",
    }
}

/// Declares per-vertex inputs and outputs for the position and varyings; returns their names.
fn declare_copies(builder: &mut IrTextBuilder, varyings: &[Semantic]) -> Vec<(String, String)> {
    let all = [Semantic::Position].into_iter();
    all.chain(varyings.iter().copied())
        .map(|semantic| {
            let from = builder.declare_input(semantic, "float per_vertex");
            (from, builder.declare_output(semantic))
        })
        .collect()
}

/// Returns the vertices of a primitive without its neighbors, and the output primitive.
pub(super) fn get_own_vertices(primitive: InputPrimitive) -> (&'static [u32], OutputPrimitive) {
    match primitive {
        InputPrimitive::Points => (&[0], OutputPrimitive::Points),
        InputPrimitive::Lines => (&[0, 1], OutputPrimitive::LineStrip),
        InputPrimitive::LinesAdjacency => (&[1, 2], OutputPrimitive::LineStrip),
        InputPrimitive::Triangles | InputPrimitive::Patches => {
            (&[0, 1, 2], OutputPrimitive::TriangleStrip)
        }
        InputPrimitive::TrianglesAdjacency => (&[0, 2, 4], OutputPrimitive::TriangleStrip),
    }
}

/// Returns the keyword of a variant in the text form.
pub(super) fn find_keyword<T: PartialEq>(all: &[(T, &'static str)], wanted: T) -> &'static str {
    let mut all = all.iter();
    all.find(|(known, _)| *known == wanted)
        .map_or("", |(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(program: &Program) {
        assert_eq!(
            glasm_ir::verify(program),
            Ok(()),
            "{}",
            glasm_ir::print(program)
        );
    }

    #[test]
    fn patches_pass_with_their_varyings() {
        let levels = PatchLevels::new([1.0, 2.0, 3.0, f32::NAN], [4.0, 5.0]);
        let program = pass_patch(&[Semantic::Color(1), Semantic::Generic(7)], 5, levels);
        check(&program);
        assert_eq!(program.modes.vertices_out, 5);
        assert_eq!((program.inputs.len(), program.outputs.len()), (4, 9));
        check(&pass_patch(&[], 0, PatchLevels::default()));
    }

    #[test]
    fn all_stages_pass_on_what_they_get() {
        let copy = |attribute, base, first| AttributeCopy {
            attribute,
            base,
            first,
            to: Semantic::Generic(attribute),
        };
        check(&pass_vertex(&[
            copy(0, TypeBase::Float, 0),
            copy(3, TypeBase::Signed, 2),
        ]));
        for vertices in 1..=5 {
            let varyings = [
                PassedPatch::Interpolated(Semantic::TexCoord(2)),
                PassedPatch::First(Semantic::Generic(0)),
                PassedPatch::Patch(Semantic::PatchGeneric(1), Semantic::Generic(1)),
            ];
            check(&pass_evaluation(&varyings, vertices));
        }
        for (primitive, _) in InputPrimitive::ALL {
            check(&pass_primitive(&[Semantic::FogCoord], *primitive));
        }
        for base in [TypeBase::Float, TypeBase::Signed, TypeBase::Unsigned] {
            check(&pass_color(Semantic::Color(0), base, Shading::Flat));
        }
        check(&pass_color(
            Semantic::Color(0),
            TypeBase::Float,
            Shading::Smooth,
        ));
    }
}
