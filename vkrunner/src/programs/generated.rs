//! Stages that the runner makes itself: those that pass on what they get, and what GL does where there is no program.

use super::interface::{Primitive, Varying};
use super::link::StageInterface;
use super::passthrough::{self, AttributeCopy, DepthRemap, PointSize};
use super::{CompileContext, Module, Refusal, fixed_function};
use ash::vk::PrimitiveTopology;
use glasm::ir::{Interpolation, Semantic, Stage};
use glasm::reflect::{InterfaceVariable, Requirements, Scalar};
use glasm::replicate::{DrawPrimitive, replication_stage};
use glasm::{Reflection, Target};
use glasm_scripts::outcome::Failure;
use glasm_scripts::script::stages::{MAIN, ProvokingVertex};
use glasm_scripts::script::{Command, Convention, Origin, ProgramForm, ProgramSection};

/// What modules of a draw depend on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct DrawShape {
    pub(crate) topology: PrimitiveTopology,
    pub(crate) patch_vertices: u32,
    /// Four outer and two inner levels.
    pub(crate) tess_levels: [f32; 6],
    pub(crate) viewports: u32,
}

/// A module whose words depend on the draw.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Template {
    TessControl {
        varyings: Vec<Varying>,
    },
    Geometry {
        varyings: Vec<Varying>,
        /// What tessellation gives, if there is any.
        tessellated: Option<Primitive>,
        depth: DepthRemap,
        points: PointSize,
    },
    /// Sends the primitives of a program to several viewports or views.
    Replication {
        before: Box<Reflection>,
        varyings: Vec<Varying>,
        target: Target,
    },
}

impl Template {
    /// The words for a draw.
    pub(crate) fn words(&self, shape: &DrawShape) -> Vec<u32> {
        match self {
            Self::TessControl { varyings } => {
                passthrough::tess_control(varyings, shape.patch_vertices, shape.tess_levels)
            }
            Self::Geometry {
                varyings,
                tessellated,
                depth,
                points,
            } => {
                let primitive = tessellated.unwrap_or(primitive_of(shape.topology));
                passthrough::geometry(varyings, primitive, *depth, *points)
            }
            Self::Replication { before, target, .. } => {
                let primitive = match primitive_of(shape.topology) {
                    Primitive::Points => DrawPrimitive::Points,
                    Primitive::Lines | Primitive::Isolines => DrawPrimitive::Lines,
                    Primitive::LinesAdjacency => DrawPrimitive::LinesAdjacency,
                    Primitive::Triangles | Primitive::Quads => DrawPrimitive::Triangles,
                    Primitive::TrianglesAdjacency => DrawPrimitive::TrianglesAdjacency,
                };
                let words = replication_stage(before, primitive, shape.viewports, *target);
                words.expect("the template is for programs that need the stage")
            }
        }
    }

    /// What the module reads and writes.
    pub(super) fn interface(&self, stage: Stage) -> StageInterface {
        let (Self::TessControl { varyings }
        | Self::Geometry { varyings, .. }
        | Self::Replication { varyings, .. }) = self;
        StageInterface {
            stage,
            inputs: varyings.clone(),
            outputs: varyings.clone(),
        }
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

/// What the vertex stage passes on, by the attribute that it comes from.
fn conventional_attribute(semantic: Semantic) -> Option<u32> {
    if let Semantic::Color(number) = semantic {
        Some(3 + u32::from(number))
    } else if semantic == Semantic::FogCoord {
        Some(5)
    } else if let Semantic::TexCoord(unit) = semantic {
        Some(8 + u32::from(unit))
    } else if let Semantic::Generic(number) = semantic {
        Some(u32::from(number))
    } else {
        None
    }
}

/// A reflection of a module that needs nothing but vertices.
fn reflection(stage: Stage, inputs: Vec<InterfaceVariable>) -> Reflection {
    Reflection {
        stage,
        entry_point: MAIN,
        named: Vec::new(),
        state_program: None,
        params: None,
        images: Vec::new(),
        handle_arrays: Vec::new(),
        textures: Vec::new(),
        buffers: Vec::new(),
        image_lock: None,
        inputs,
        outputs: Vec::new(),
        replication: None,
        workgroup_size: None,
        unclipped_depth: false,
        transparent_missing: false,
        requirements: Requirements::default(),
    }
}

fn generated(stage: Stage, words: Vec<u32>, inputs: Vec<InterfaceVariable>) -> Module {
    Module {
        stage,
        interface: super::Interface::read(&words),
        words,
        reflection: Some(reflection(stage, inputs)),
        template: None,
    }
}

fn attribute_input(attribute: u32, scalar: Scalar) -> InterfaceVariable {
    InterfaceVariable {
        semantic: Semantic::Attrib(attribute as u8),
        location: Some(attribute),
        scalar,
        components: 4,
        interpolation: Interpolation::Smooth,
        half: None,
    }
}

impl CompileContext<'_> {
    /// Adds the modules of sections that are made to fit the others.
    pub(super) fn generate(
        &self,
        modules: &mut Vec<Module>,
        mut sections: Vec<&ProgramSection>,
    ) -> Result<(), Vec<Refusal>> {
        // The vertex stage fits what comes after, all others what comes before.
        sections.sort_by_key(|section| section.stage);
        for section in sections {
            let module = match (section.form, section.stage) {
                (ProgramForm::FixedFunction, Stage::Vertex) => {
                    self.fixed_vertex(modules, section)?
                }
                (_, Stage::Vertex) => self.pass_vertex(modules),
                (_, Stage::TessControl) => Module {
                    stage: Stage::TessControl,
                    words: Vec::new(),
                    reflection: Some(reflection(Stage::TessControl, Vec::new())),
                    interface: None,
                    template: Some(Template::TessControl {
                        varyings: outputs_before(modules, section.stage),
                    }),
                },
                (_, Stage::TessEval) => self.pass_tess_eval(modules),
                (_, Stage::Geometry) => self.pass_geometry(modules),
                (_, Stage::Fragment | Stage::Compute) => self.pass_fragment(modules, section)?,
            };
            modules.push(module);
        }
        Ok(())
    }

    /// Adds the stage that sends primitives to several viewports or views, if the last program leaves that to one.
    pub(super) fn replicate(&self, modules: &mut Vec<Module>) {
        let last = self.last_stage();
        let mut all = modules.iter();
        let before = all
            .find(|module| module.stage == last)
            .and_then(|module| module.reflection.as_ref())
            .filter(|before| before.replication.is_some());
        let Some(before) = before else { return };
        let template = Template::Replication {
            before: Box::new(before.clone()),
            varyings: outputs_before(modules, Stage::Geometry),
            target: self.target,
        };
        modules.push(Module {
            stage: Stage::Geometry,
            words: Vec::new(),
            reflection: Some(reflection(Stage::Geometry, Vec::new())),
            interface: None,
            template: Some(template),
        });
    }

    /// Whether a generated stage remaps depth.
    fn depth_remap(&self, stage: Stage) -> DepthRemap {
        match self.script.requirements.convention {
            Convention::OpenGl if stage == self.last_stage() => DepthRemap::FromOpenGl,
            Convention::OpenGl | Convention::Vulkan => DepthRemap::Keep,
        }
    }

    fn point_size(&self) -> PointSize {
        match self.script.draws_points() {
            true => PointSize::One,
            false => PointSize::NotWritten,
        }
    }

    fn fixed_vertex(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Module, Vec<Refusal>> {
        let fragment = modules
            .iter()
            .find(|module| module.stage == Stage::Fragment)
            .and_then(|module| module.reflection.as_ref());
        let mut texcoords = Vec::new();
        for input in fragment.iter().flat_map(|fragment| &fragment.inputs) {
            if let Semantic::TexCoord(unit) = input.semantic {
                texcoords.push(unit);
            }
        }
        if fragment.is_none() {
            texcoords.extend(fixed_function::texture_units(&self.state.texture_enables));
        }
        let text = fixed_function::vertex_text(&texcoords, self.point_size());
        self.compile_assembly(&program(section, text))
    }

    fn pass_vertex(&self, modules: &[Module]) -> Module {
        let next = [
            Stage::TessControl,
            Stage::TessEval,
            Stage::Geometry,
            Stage::Fragment,
        ]
        .into_iter()
        .find_map(|stage| modules.iter().find(|module| module.stage == stage));
        let mut copies: Vec<AttributeCopy> = Vec::new();
        if let Some(module) = next {
            let entry = module.interface.as_ref().and_then(|interface| {
                let mut entries = interface.entry_points.iter();
                entries.find(|entry| entry.stage == module.stage)
            });
            let inputs = StageInterface::of(module, entry).map(|found| found.inputs);
            for varying in inputs.unwrap_or_default() {
                let semantic = module.reflection.as_ref().and_then(|reflection| {
                    let mut inputs = reflection.inputs.iter();
                    inputs.find(|input| input.location == Some(varying.location))
                });
                let attribute = match semantic {
                    Some(input) => conventional_attribute(input.semantic),
                    None => Some(varying.location),
                };
                copies.extend(attribute.map(|attribute| AttributeCopy { attribute, varying }));
            }
        }
        let words =
            passthrough::vertex(&copies, self.depth_remap(Stage::Vertex), self.point_size());
        let mut inputs = vec![attribute_input(0, Scalar::Float)];
        for copy in &copies {
            if !inputs
                .iter()
                .any(|input| input.location == Some(copy.attribute))
            {
                inputs.push(attribute_input(copy.attribute, copy.varying.scalar));
            }
        }
        generated(Stage::Vertex, words, inputs)
    }

    fn pass_tess_eval(&self, modules: &[Module]) -> Module {
        let control = modules
            .iter()
            .find(|module| module.stage == Stage::TessControl)
            .and_then(|module| module.interface.as_ref())
            .and_then(|interface| {
                let mut entries = interface.entry_points.iter();
                entries.find(|entry| entry.stage == Stage::TessControl)
            });
        let vertices = control
            .and_then(|entry| entry.output_vertices)
            .unwrap_or_else(|| self.first_patch_size());
        let words = passthrough::tess_eval(
            &outputs_before(modules, Stage::TessEval),
            vertices,
            self.depth_remap(Stage::TessEval),
        );
        generated(Stage::TessEval, words, Vec::new())
    }

    /// Vertices of the patches of the first draw.
    fn first_patch_size(&self) -> u32 {
        let draw = self.script.steps.iter().find_map(|step| {
            if let Command::Draw(draw) = &step.command {
                Some(draw.state.patch_control_points)
            } else {
                None
            }
        });
        draw.unwrap_or(3)
    }

    fn pass_geometry(&self, modules: &[Module]) -> Module {
        let tessellated = modules
            .iter()
            .find(|module| module.stage == Stage::TessEval)
            .map(|module| {
                let entry = module
                    .interface
                    .as_ref()
                    .and_then(|interface| interface.entry_points.first());
                match entry.and_then(|entry| entry.primitive) {
                    Some(Primitive::Isolines) => Primitive::Lines,
                    _ => Primitive::Triangles,
                }
            });
        let sized_points = self
            .capabilities
            .features
            .contains("shaderTessellationAndGeometryPointSize");
        Module {
            stage: Stage::Geometry,
            words: Vec::new(),
            reflection: Some(reflection(Stage::Geometry, Vec::new())),
            interface: None,
            template: Some(Template::Geometry {
                varyings: outputs_before(modules, Stage::Geometry),
                tessellated,
                depth: self.depth_remap(Stage::Geometry),
                points: match sized_points {
                    true => PointSize::One,
                    false => PointSize::NotWritten,
                },
            }),
        }
    }

    /// The primary color of programs, location 0 of other modules.
    fn pass_fragment(
        &self,
        modules: &[Module],
        section: &ProgramSection,
    ) -> Result<Module, Vec<Refusal>> {
        let writes_color = |module: &Module| {
            let reflection = module.reflection.as_ref();
            let mut outputs = reflection.iter().flat_map(|found| &found.outputs);
            outputs.any(|output| output.semantic == Semantic::Color(0))
        };
        let has_color = modules.iter().any(writes_color);
        if section.form == ProgramForm::FixedFunction && has_color {
            let text = fixed_function::fragment_text(&self.state.texture_enables);
            return self.compile_assembly(&program(section, text));
        }
        let outputs = outputs_before(modules, Stage::Fragment);
        match outputs.iter().find(|output| output.location == 0) {
            Some(color) => Ok(generated(
                Stage::Fragment,
                passthrough::fragment(color),
                Vec::new(),
            )),
            None => Err(vec![Refusal::Fail(Failure::new(
                Some(section.line),
                "no stage writes a color for the fragment stage to pass on",
            ))]),
        }
    }

    /// Skips what a device cannot do as GL does it.
    pub(super) fn check_conventions(&self, modules: &[Module]) -> Result<(), Refusal> {
        let has = |feature| self.capabilities.features.contains(feature);
        let opengl = self.script.requirements.convention == Convention::OpenGl;
        if opengl && self.needs_clip_control(modules) && !has("depthClipControl") {
            return Err(Refusal::Skip(
                "the device lacks depthClipControl, which GL's clip space needs with shaders that are no programs"
                    .to_owned(),
            ));
        }
        let mut draws = self.script.steps.iter();
        let last = draws.any(|step| matches!(&step.command, Command::Draw(draw) if draw.state.provoking_vertex == ProvokingVertex::Last));
        if last && !has("provokingVertexLast") && modules.iter().any(reads_flat) {
            return Err(Refusal::Skip(
                "the device lacks provokingVertexLast, which values that are not interpolated need"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    fn needs_clip_control(&self, modules: &[Module]) -> bool {
        let last = self.last_stage();
        modules
            .iter()
            .any(|module| module.stage == last && module.reflection.is_none())
    }
}

/// Whether a fragment module reads values that are not interpolated.
fn reads_flat(module: &Module) -> bool {
    let entries = module
        .interface
        .iter()
        .flat_map(|found| &found.entry_points);
    let inputs = module.reflection.iter().flat_map(|found| &found.inputs);
    module.stage == Stage::Fragment
        && (entries
            .flat_map(|entry| &entry.inputs)
            .any(|input| input.flat)
            || inputs
                .into_iter()
                .any(|input| input.interpolation == Interpolation::Flat))
}

/// What the stage before writes.
fn outputs_before(modules: &[Module], stage: Stage) -> Vec<Varying> {
    let before = modules
        .iter()
        .filter(|module| module.stage < stage)
        .max_by_key(|module| module.stage);
    let Some(module) = before else {
        return Vec::new();
    };
    if let Some(template) = &module.template {
        return template.interface(module.stage).outputs;
    }
    let entry = module
        .interface
        .as_ref()
        .and_then(|interface| interface.entry_points.first());
    StageInterface::of(module, entry).map_or(Vec::new(), |found| found.outputs)
}

/// A section that holds a program of the runner's own.
fn program(section: &ProgramSection, text: String) -> ProgramSection {
    ProgramSection {
        form: ProgramForm::Assembly,
        text: text.into_bytes(),
        origin: Origin::default(),
        ..section.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::assert_valid;

    const TOPOLOGIES: [PrimitiveTopology; 5] = [
        PrimitiveTopology::POINT_LIST,
        PrimitiveTopology::LINE_STRIP,
        PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
        PrimitiveTopology::TRIANGLE_FAN,
        PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
    ];

    fn varyings(patch: bool) -> Vec<Varying> {
        let varying = |location, scalar| Varying {
            location,
            component: 0,
            scalar,
            components: 4,
            patch: patch && location == 1,
            flat: scalar != Scalar::Float,
        };
        vec![varying(0, Scalar::Float), varying(1, Scalar::Uint)]
    }

    #[test]
    fn modules_of_every_topology_are_valid() {
        for topology in TOPOLOGIES {
            let shape = DrawShape {
                topology,
                patch_vertices: 3,
                tess_levels: [1.0; 6],
                viewports: 1,
            };
            for depth in [DepthRemap::Keep, DepthRemap::FromOpenGl] {
                let points = PointSize::NotWritten;
                let (varyings, tessellated) = (varyings(false), None);
                let template = Template::Geometry {
                    varyings,
                    tessellated,
                    depth,
                    points,
                };
                assert_valid(&template.words(&shape));
            }
            let varyings = varyings(true);
            assert_valid(&Template::TessControl { varyings }.words(&shape));
        }
    }
}
