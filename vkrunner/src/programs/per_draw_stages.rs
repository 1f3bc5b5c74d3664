//! Stages whose modules are generated for each draw, because they depend on its primitives or
//! patches.

use super::interface::{Primitive, StageInterface};
use super::passthrough::{PassedVarying, locations, vertex_semantics};
use ash::vk::PrimitiveTopology;
use glasm::ir::primitive::InputPrimitive;
use glasm::ir::{Semantic, Stage};
use glasm::stages;
use glasm::{
    Compiler, DefaultTessLevels, Diagnostics, InterfaceTypes, Options, Reflection, Varyings,
};

/// Properties of a draw that its modules depend on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct DrawShape {
    pub(crate) topology: PrimitiveTopology,
    pub(crate) patch_vertices: u32,
    /// Four outer and two inner levels.
    pub(crate) tess_levels: [f32; 6],
    pub(crate) viewports: u32,
}

/// Module whose words depend on the draw: a stage and its neighbors.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DrawTemplate {
    kind: TemplateKind,
    /// Varyings that it forwards.
    pub(super) passed: Vec<PassedVarying>,
    /// Built-ins that pass through, too.
    built_ins: Vec<Semantic>,
    options: Box<Options>,
}

/// Kind of stage that a template generates.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum TemplateKind {
    /// Control stage of patches that have no program for it.
    TessControl,
    /// Geometry stage that emits its input: the output of tessellation, if there is any.
    Geometry(Option<Primitive>),
    /// Sends the primitives of a program to several viewports or views.
    Replication(Box<Reflection>),
}

impl DrawTemplate {
    /// Creates a template of a stage that forwards the varyings `passed` and no built-ins. In its
    /// options the types of its inputs and outputs are those of the varyings.
    pub(super) fn new(kind: TemplateKind, passed: Vec<PassedVarying>, options: Options) -> Self {
        Self {
            kind,
            options: Box::new(options_between(options, &passed, &passed)),
            passed,
            built_ins: Vec::new(),
        }
    }

    /// Returns the same template with the built-ins that the stage forwards: size of points, clip
    /// and cull distances.
    pub(super) fn with_built_ins(self, built_ins: Vec<Semantic>) -> Self {
        Self { built_ins, ..self }
    }

    /// Generates and compiles the stage for a draw, and returns the words of its SPIR-V module.
    /// Returns the messages of the compiler, separated by `; `, if it rejects the stage.
    pub(crate) fn generate_words(&self, shape: &DrawShape) -> Result<Vec<u32>, String> {
        let mut varyings = vertex_semantics(&self.passed);
        varyings.extend(&self.built_ins);
        let program = match &self.kind {
            TemplateKind::TessControl => {
                let [a, b, c, d, e, f] = shape.tess_levels;
                let levels = DefaultTessLevels::new([a, b, c, d], [e, f]);
                stages::build_passthrough_control(&varyings, shape.patch_vertices, levels)
            }
            TemplateKind::Geometry(tessellated) => {
                let primitive = tessellated.unwrap_or(primitive_from_topology(shape.topology));
                stages::build_passthrough_geometry(&varyings, input_primitive(primitive))
            }
            TemplateKind::Replication(before) => {
                let primitive = input_primitive(primitive_from_topology(shape.topology));
                let (viewports, options) = (shape.viewports, &*self.options);
                let generated =
                    stages::build_replication_stage(before, primitive, viewports, options);
                let made = generated.expect("the template is for programs that need the stage");
                return made
                    .map(|shader| shader.words)
                    .map_err(|it| join_messages(&it));
            }
        };
        let compiled = Compiler::new().compile_ir(&program, &self.options);
        compiled
            .map(|shader| shader.words)
            .map_err(|it| join_messages(&it))
    }

    /// Returns the inputs and outputs of the generated module: the forwarded varyings, without
    /// built-ins.
    pub(super) fn interface(&self, stage: Stage) -> StageInterface {
        let varyings: Vec<_> = self.passed.iter().map(|passed| passed.varying).collect();
        StageInterface {
            stage,
            inputs: varyings.clone(),
            outputs: varyings,
        }
    }
}

/// Returns `options` with the types of the stage's inputs and outputs set to the varyings of the
/// adjacent stages.
pub(super) fn options_between(
    options: Options,
    inputs: &[PassedVarying],
    outputs: &[PassedVarying],
) -> Options {
    Options {
        interface: InterfaceTypes {
            inputs: Varyings::Explicit(locations(inputs)),
            outputs: Varyings::Explicit(locations(outputs)),
            ..options.interface
        },
        ..options
    }
}

/// Returns the messages of diagnostics, separated by `; `.
pub(super) fn join_messages(errors: &Diagnostics) -> String {
    let all = errors.list.iter().map(|error| error.message.as_str());
    all.collect::<Vec<_>>().join("; ")
}

/// Returns the input primitive of a geometry program that receives a primitive: isolines arrive as
/// lines, quads as triangles.
fn input_primitive(primitive: Primitive) -> InputPrimitive {
    match primitive {
        Primitive::Points => InputPrimitive::Points,
        Primitive::Lines | Primitive::Isolines => InputPrimitive::Lines,
        Primitive::LinesAdjacency => InputPrimitive::LinesAdjacency,
        Primitive::Triangles | Primitive::Quads => InputPrimitive::Triangles,
        Primitive::TrianglesAdjacency => InputPrimitive::TrianglesAdjacency,
    }
}

/// Returns the primitive that a topology consists of; triangles for all topologies that are not
/// listed, including patches.
fn primitive_from_topology(topology: PrimitiveTopology) -> Primitive {
    [
        (PrimitiveTopology::POINT_LIST, Primitive::Points),
        (PrimitiveTopology::LINE_LIST, Primitive::Lines),
        (PrimitiveTopology::LINE_STRIP, Primitive::Lines),
        (
            PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
            Primitive::LinesAdjacency,
        ),
        (
            PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY,
            Primitive::LinesAdjacency,
        ),
        (
            PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
            Primitive::TrianglesAdjacency,
        ),
        (
            PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
            Primitive::TrianglesAdjacency,
        ),
    ]
    .into_iter()
    .find_map(|(known, primitive)| (known == topology).then_some(primitive))
    .unwrap_or(Primitive::Triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::interface::Varying;
    use crate::programs::passthrough::passed_varyings;
    use crate::test_support::assert_valid;
    use glasm::reflect::ScalarType;

    const TOPOLOGIES: [PrimitiveTopology; 5] = [
        PrimitiveTopology::POINT_LIST,
        PrimitiveTopology::LINE_STRIP,
        PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
        PrimitiveTopology::TRIANGLE_FAN,
        PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
    ];

    #[test]
    fn modules_of_every_topology_are_valid() {
        let varying = |location, scalar| Varying {
            location,
            component: 0,
            scalar,
            components: 3,
            patch: false,
            flat: scalar != ScalarType::Float32,
        };
        let all = [
            varying(0, ScalarType::Float32),
            varying(1, ScalarType::Uint32),
        ];
        let all = passed_varyings(&all, |_| None).unwrap();
        for topology in TOPOLOGIES {
            let shape = DrawShape {
                topology,
                patch_vertices: 3,
                tess_levels: [1.0; 6],
                viewports: 1,
            };
            for kind in [TemplateKind::TessControl, TemplateKind::Geometry(None)] {
                let template = DrawTemplate::new(kind, all.clone(), Options::default());
                assert_valid(&template.generate_words(&shape).unwrap());
            }
        }
    }
}
