//! Pass-through stages, among them the control stage of evaluation programs that have no control
//! program.
//!
//! Varyings are passed as bits. Only floats can be interpolated.

use super::ir_text_builder::{IrTextBuilder, format_bits_literal};
use crate::program::{Compiler, Shader};
use glasm_codegen::Reflection;
use glasm_codegen::options::{
    DefaultTessLevels, InterfaceTypes, Options, VaryingLocation, Varyings,
};
use glasm_frontend::Diagnostics;
use glasm_ir::primitive::{InputPrimitive, MAX_PATCH_VERTICES, OutputPrimitive};
use glasm_ir::{BaseType, Program, Semantic};

/// Returns the semantics of the levels, outer ones first, with their bits as 32-bit floats.
fn list_level_semantics(levels: DefaultTessLevels) -> impl Iterator<Item = (Semantic, u32)> {
    let outer = (0u8..).map(Semantic::TessLevelOuter).zip(levels.outer);
    outer.chain((0u8..).map(Semantic::TessLevelInner).zip(levels.inner))
}

/// A varying that a vertex stage copies from an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttributeCopy {
    /// Index of the attribute.
    pub attribute: u8,
    /// Its type.
    pub base: BaseType,
    /// Component of the attribute that is the first of the varying.
    pub first_component: u8,
    /// The varying.
    pub varying: Semantic,
}

/// Returns a vertex program that outputs attribute 0 as position and other attributes as varyings,
/// as `copies` lists, from their first component on.
pub fn build_passthrough_vertex(copies: &[AttributeCopy]) -> Program {
    let mut builder = IrTextBuilder::new("vertex", format_args!(""));
    let position = builder.declare_input(Semantic::VertexAttribute(0), "float");
    let to = builder.declare_output(Semantic::Position);
    builder.push_line(format_args!("{to}.xyzw = mov.u32 {position}.xyzw"));
    for copy in copies {
        let from = builder.declare_input(
            Semantic::VertexAttribute(copy.attribute),
            get_base_keyword(copy.base),
        );
        let to = builder.declare_output(copy.varying);
        let lanes = ["xyzw", "yzww", "zwww", "wwww"][usize::from(copy.first_component & 3)];
        builder.push_line(format_args!("{to}.xyzw = mov.u32 {from}.{lanes}"));
    }
    builder.finish()
}

/// Returns a control program that outputs its input patch: `vertices` vertices, limited to 1 to the
/// maximum of a patch, with the position and these varyings, and these levels. It is the control
/// stage of evaluation programs without control program (ARB_tessellation_shader section 2.X.2,
/// "Tessellation Primitive Generation").
pub fn build_passthrough_control(
    varyings: &[Semantic],
    vertices: u32,
    levels: DefaultTessLevels,
) -> Program {
    let vertices = vertices.clamp(1, MAX_PATCH_VERTICES);
    let mut builder = IrTextBuilder::new("tess_control", format_args!("vertices_out {vertices}\n"));
    let copies = declare_copies(&mut builder, varyings);
    let levels: Vec<_> = list_level_semantics(levels)
        .map(|(semantic, level)| (builder.declare_output(semantic), format_bits_literal(level)))
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
pub enum PatchVarying {
    /// Interpolated between the vertices.
    Interpolated(Semantic),
    /// The value of the first vertex.
    First(Semantic),
    /// The per-patch value, written to a per-vertex varying.
    Patch(Semantic, Semantic),
}

/// Returns an evaluation program that interpolates the position and these varyings of patches: of 2
/// vertices as lines, of 3 as triangles, of others as quadrilaterals whose corners (0, 0), (1, 0),
/// (0, 1), (1, 1) are the first four.
pub fn build_passthrough_evaluation(varyings: &[PatchVarying], vertices: u32) -> Program {
    let mode = match vertices {
        2 => "isolines",
        3 => "triangles",
        _ => "quads",
    };
    let mut builder = IrTextBuilder::new("tess_eval", format_args!("tess_mode {mode}\n"));
    let position = PatchVarying::Interpolated(Semantic::Position);
    let mut copies = Vec::new();
    for varying in [position].iter().chain(varyings) {
        let (from, to, properties) = match *varying {
            PatchVarying::Interpolated(semantic) | PatchVarying::First(semantic) => {
                (semantic, semantic, "float per_vertex")
            }
            PatchVarying::Patch(from, to) => (from, to, "float"),
        };
        let from = builder.declare_input(from, properties);
        copies.push((*varying, from, builder.declare_output(to)));
    }
    let tess_coord = builder.declare_input(Semantic::TessCoord, "float");
    let (complement, weights) = (builder.declare_temp(), builder.declare_temp());
    builder.push_line(format_args!(
        "{complement}.xy = sub.f32 {{1.0}}, {tess_coord}.xyxx"
    ));
    let count = emit_vertex_weights(&mut builder, vertices, (&complement, &tess_coord, &weights));
    for (varying, from, to) in copies {
        match varying {
            PatchVarying::First(_) => {
                builder.push_line(format_args!(
                    "{to}.xyzw = mov.u32 {from}[0 of 1, vertex 0].xyzw"
                ));
            }
            PatchVarying::Patch(..) => {
                builder.push_line(format_args!("{to}.xyzw = mov.u32 {from}.xyzw"));
            }
            PatchVarying::Interpolated(_) => {
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

/// Emits the weight of each vertex to a lane of `weights`; returns the number of vertices.
fn emit_vertex_weights(
    builder: &mut IrTextBuilder,
    vertices: u32,
    (complement, tess_coord, weights): (&str, &str, &str),
) -> usize {
    match vertices {
        2 => {
            builder.push_line(format_args!("{weights}.x = mov.f32 {complement}.xxxx"));
            builder.push_line(format_args!("{weights}.y = mov.f32 {tess_coord}.xxxx"));
            2
        }
        3 => {
            builder.push_line(format_args!("{weights}.xyz = mov.f32 {tess_coord}.xyzw"));
            3
        }
        _ => {
            for (lane, u, v) in [
                ("x", complement, complement),
                ("y", tess_coord, complement),
                ("z", complement, tess_coord),
                ("w", tess_coord, tess_coord),
            ] {
                builder.push_line(format_args!(
                    "{weights}.{lane} = mul.f32 {u}.xxxx, {v}.yyyy"
                ));
            }
            4
        }
    }
}

/// Returns a geometry program that emits its input primitive with the position and these varyings,
/// without the vertices of neighbors and with its index. Patches are treated as triangles.
pub fn build_passthrough_geometry(varyings: &[Semantic], primitive: InputPrimitive) -> Program {
    let (own_vertices, output) = get_primitive_vertices(primitive);
    let (input, output) = (
        find_keyword(InputPrimitive::ALL, primitive),
        find_keyword(OutputPrimitive::ALL, output),
    );
    let vertices = own_vertices.len();
    let mut builder = IrTextBuilder::new(
        "geometry",
        format_args!("primitive_in {input}\nprimitive_out {output}\nvertices_out {vertices}\n"),
    );
    let copies = declare_copies(&mut builder, varyings);
    let primitive_id = builder.declare_input(Semantic::PrimitiveId, "signed");
    let number_to = builder.declare_output(Semantic::PrimitiveId);
    for vertex in own_vertices {
        for (from, to) in &copies {
            builder.push_line(format_args!(
                "{to}.xyzw = mov.u32 {from}[0 of 1, vertex {vertex}].xyzw"
            ));
        }
        builder.push_line(format_args!("{number_to}.x = mov.u32 {primitive_id}.xxxx"));
        builder.push_line(format_args!("emit.s32 {{0}}"));
    }
    builder.push_line(format_args!("endprim.u32"));
    builder.finish()
}

/// Interpolation of a fragment input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FragmentShading {
    /// Interpolated.
    Smooth,
    /// The value of the provoking vertex.
    Flat,
}

/// Returns a fragment program that writes a varying, interpolated as `shading` specifies, as color
/// 0 of this type.
pub fn build_color_fragment(color: Semantic, base: BaseType, shading: FragmentShading) -> Program {
    let mut builder = IrTextBuilder::new("fragment", format_args!(""));
    let flat = match shading {
        FragmentShading::Smooth => "",
        FragmentShading::Flat => " flat",
    };
    let from = builder.declare_input(color, &format!("{}{flat}", get_base_keyword(base)));
    let to = Semantic::FragColor {
        buffer: 0,
        index: 0,
    };
    let to = builder.declare_typed_output(to, get_base_keyword(base));
    builder.push_line(format_args!("{to}.xyzw = mov.u32 {from}.xyzw"));
    builder.finish()
}

/// Returns the keyword of a base type in the text form of the intermediate representation.
const fn get_base_keyword(base: BaseType) -> &'static str {
    match base {
        BaseType::Float => "float",
        BaseType::SignedInt => "signed",
        BaseType::UnsignedInt => "unsigned",
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
pub(super) fn get_primitive_vertices(
    primitive: InputPrimitive,
) -> (&'static [u32], OutputPrimitive) {
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

/// Returns the keyword of a variant in the text form, according to the table `all`; empty if it has
/// none.
pub(super) fn find_keyword<T: PartialEq>(all: &[(T, &'static str)], variant: T) -> &'static str {
    let mut all = all.iter();
    all.find(|(known, _)| *known == variant)
        .map_or("", |(_, word)| word)
}

/// Returns the control stage between a vertex and an evaluation program that were linked without
/// one: patches of `vertices` vertices pass through it with all varyings from the vertex program to
/// the other, and have these levels. Of the options, target, device and shading language apply.
///
/// # Errors
/// If the device lacks a required feature.
pub fn build_control_stage(
    vertex: &Reflection,
    evaluation: &Reflection,
    vertices: u32,
    levels: DefaultTessLevels,
    options: &Options,
) -> Result<Shader, Diagnostics> {
    let is_read = |semantic: Semantic| {
        let mut inputs = evaluation.inputs.iter();
        inputs.any(|input| input.semantic == semantic)
    };
    let passed = vertex.outputs.iter().filter(|output| {
        let is_built_in = matches!(
            output.semantic,
            Semantic::PointSize | Semantic::ClipDistance(_) | Semantic::CullDistance(_)
        );
        output.location.is_some() || is_built_in && is_read(output.semantic)
    });
    let semantics: Vec<Semantic> = passed.clone().map(|output| output.semantic).collect();
    let locations: Vec<VaryingLocation> = passed
        .filter_map(|output| {
            let location = output.location?;
            Some(VaryingLocation::vector(
                output.semantic,
                location,
                BaseType::Float,
            ))
        })
        .collect();
    let options = Options {
        interface: InterfaceTypes {
            inputs: Varyings::Explicit(locations.clone()),
            outputs: Varyings::Explicit(locations),
            ..InterfaceTypes::default()
        },
        target: options.target,
        device: options.device,
        text_target: options.text_target.clone(),
        ..Options::default()
    };
    Compiler::new().compile_ir(
        &build_passthrough_control(&semantics, vertices, levels),
        &options,
    )
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
        let levels = DefaultTessLevels::new([1.0, 2.0, 3.0, f32::NAN], [4.0, 5.0]);
        let program = build_passthrough_control(
            &[Semantic::Color(1), Semantic::GenericVarying(7)],
            5,
            levels,
        );
        check(&program);
        assert_eq!(program.modes.vertices_out, 5);
        assert_eq!((program.inputs.len(), program.outputs.len()), (4, 9));
        check(&build_passthrough_control(
            &[],
            0,
            DefaultTessLevels::default(),
        ));
    }

    #[test]
    fn all_stages_pass_on_what_they_get() {
        let copy = |attribute, base, first| AttributeCopy {
            attribute,
            base,
            first_component: first,
            varying: Semantic::GenericVarying(attribute),
        };
        check(&build_passthrough_vertex(&[
            copy(0, BaseType::Float, 0),
            copy(3, BaseType::SignedInt, 2),
        ]));
        for vertices in 1..=5 {
            let varyings = [
                PatchVarying::Interpolated(Semantic::TexCoord(2)),
                PatchVarying::First(Semantic::GenericVarying(0)),
                PatchVarying::Patch(
                    Semantic::GenericPatchVarying(1),
                    Semantic::GenericVarying(1),
                ),
            ];
            check(&build_passthrough_evaluation(&varyings, vertices));
        }
        for (primitive, _) in InputPrimitive::ALL {
            check(&build_passthrough_geometry(
                &[Semantic::FogCoord],
                *primitive,
            ));
        }
        for base in [BaseType::Float, BaseType::SignedInt, BaseType::UnsignedInt] {
            check(&build_color_fragment(
                Semantic::Color(0),
                base,
                FragmentShading::Flat,
            ));
        }
        check(&build_color_fragment(
            Semantic::Color(0),
            BaseType::Float,
            FragmentShading::Smooth,
        ));
    }
}
