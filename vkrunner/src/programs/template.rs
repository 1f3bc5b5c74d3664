//! Stages whose modules are generated for each draw, because they depend on its primitives or
//! patches.

use super::interface::{Primitive, StageInterface};
use super::passthrough::{Passed, of_vertices, places};
use ash::vk::PrimitiveTopology;
use glasm::ir::primitive::InputPrimitive;
use glasm::ir::{Semantic, Stage};
use glasm::stages;
use glasm::{Compiler, Diagnostics, InterfaceTypes, Options, PatchLevels, Reflection, Varyings};

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
pub(crate) struct Template {
    kind: TemplateKind,
    /// Varyings that it forwards.
    pub(super) passed: Vec<Passed>,
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

impl Template {
    pub(super) fn new(kind: TemplateKind, passed: Vec<Passed>, options: Options) -> Self {
        Self {
            kind,
            options: Box::new(beside(options, &passed, &passed)),
            passed,
            built_ins: Vec::new(),
        }
    }

    /// Returns the same stage with sizes of points and clip distances.
    pub(super) fn with_built_ins(self, built_ins: Vec<Semantic>) -> Self {
        Self { built_ins, ..self }
    }

    /// Returns the words for a draw.
    pub(crate) fn words(&self, shape: &DrawShape) -> Result<Vec<u32>, String> {
        let mut varyings = of_vertices(&self.passed);
        varyings.extend(&self.built_ins);
        let program = match &self.kind {
            TemplateKind::TessControl => {
                let [a, b, c, d, e, f] = shape.tess_levels;
                let levels = PatchLevels::new([a, b, c, d], [e, f]);
                stages::pass_patch(&varyings, shape.patch_vertices, levels)
            }
            TemplateKind::Geometry(tessellated) => {
                let primitive = tessellated.unwrap_or(primitive_of(shape.topology));
                stages::pass_primitive(&varyings, input_primitive(primitive))
            }
            TemplateKind::Replication(before) => {
                let primitive = input_primitive(primitive_of(shape.topology));
                let (viewports, options) = (shape.viewports, &*self.options);
                let made = stages::replication_stage(before, primitive, viewports, options);
                let made = made.expect("the template is for programs that need the stage");
                return made.map(|shader| shader.words).map_err(|it| messages(&it));
            }
        };
        let made = Compiler::new().compile_ir(&program, &self.options);
        made.map(|shader| shader.words).map_err(|it| messages(&it))
    }

    /// Returns the inputs and outputs of the module.
    pub(super) fn interface(&self, stage: Stage) -> StageInterface {
        let varyings: Vec<_> = self.passed.iter().map(|passed| passed.varying).collect();
        StageInterface {
            stage,
            inputs: varyings.clone(),
            outputs: varyings,
        }
    }
}

/// Returns the options for a stage between others.
pub(super) fn beside(options: Options, inputs: &[Passed], outputs: &[Passed]) -> Options {
    Options {
        interface: InterfaceTypes {
            inputs: Varyings::Placed(places(inputs)),
            outputs: Varyings::Placed(places(outputs)),
            ..options.interface
        },
        ..options
    }
}

pub(super) fn messages(errors: &Diagnostics) -> String {
    let all = errors.list.iter().map(|error| error.message.as_str());
    all.collect::<Vec<_>>().join("; ")
}

fn input_primitive(primitive: Primitive) -> InputPrimitive {
    match primitive {
        Primitive::Points => InputPrimitive::Points,
        Primitive::Lines | Primitive::Isolines => InputPrimitive::Lines,
        Primitive::LinesAdjacency => InputPrimitive::LinesAdjacency,
        Primitive::Triangles | Primitive::Quads => InputPrimitive::Triangles,
        Primitive::TrianglesAdjacency => InputPrimitive::TrianglesAdjacency,
    }
}

fn primitive_of(topology: PrimitiveTopology) -> Primitive {
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
    use crate::programs::passthrough::passed;
    use crate::test_support::assert_valid;
    use glasm::reflect::Scalar;

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
            flat: scalar != Scalar::Float,
        };
        let all = [varying(0, Scalar::Float), varying(1, Scalar::Uint)];
        let all = passed(&all, |_| None).unwrap();
        for topology in TOPOLOGIES {
            let shape = DrawShape {
                topology,
                patch_vertices: 3,
                tess_levels: [1.0; 6],
                viewports: 1,
            };
            for kind in [TemplateKind::TessControl, TemplateKind::Geometry(None)] {
                let template = Template::new(kind, all.clone(), Options::default());
                assert_valid(&template.words(&shape).unwrap());
            }
        }
    }
}
