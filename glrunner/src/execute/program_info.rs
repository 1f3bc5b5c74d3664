//! Properties of a program that are needed to run it, and its texture lookups, which determine the
//! state of texture units. Pure.

use super::capture_plan::CapturedPrimitives;
use super::sampler_state::DepthComparison;
use super::texture_objects::gl_target;
use crate::gl;
use glasm::ir::{ParamSource, Semantic, Stage, TexTarget};
use glasm::reflect::{AttributeHalf, HandleKind, InterfaceVariable, Reflection, ScalarType};
use glasm::{Options, PipelineState, Program, Source};

/// Properties of a program that are needed to run it. The default denotes a program that uses none
/// of these features.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ProgramInfo {
    /// True if it writes the size of points.
    pub(super) writes_point_size: bool,
    /// Clip distances that it writes, a bit for each.
    pub(super) clip_distances: u8,
    /// Bit n: it reads vertex attribute n as a signed integer, unless the draw adds another type.
    pub(super) signed_attributes: u32,
    /// Bit n: as an unsigned integer.
    pub(super) unsigned_attributes: u32,
    /// Bit n: it is a fragment program that does not write color attachment n.
    pub(super) unwritten_colors: u32,
    /// True if its language distinguishes integers from floats.
    pub(super) has_typed_data: bool,
    /// Number of its subroutine parameters: one more than the largest index.
    pub(super) subroutine_parameters: u32,
    /// Output primitives of a geometry or tessellation evaluation program.
    pub(super) primitives: Option<CapturedPrimitives>,
    /// True if a compute program leaves the size of its groups to the dispatch.
    pub(super) has_variable_group_size: bool,
    /// Texture lookups of the program.
    pub(super) texture_usage: TextureUsage,
    /// Attributes that a module reads as words or doubles, among them those of 64 bits.
    pub(super) word_inputs: Vec<WordInput>,
}

/// Attribute that a module reads as words, or as doubles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WordInput {
    /// Number of the attribute.
    pub(super) attribute: u32,
    /// Location in the module.
    pub(super) location: u32,
    /// Half of the 64-bit components that it contains.
    pub(super) half: Option<AttributeHalf>,
    /// True if it contains all components, as doubles.
    pub(super) is_doubles: bool,
}

impl ProgramInfo {
    /// Reads the properties of a program of the assembler from its source, by compiling it. A
    /// program that does not compile has only those properties that its text or its declared
    /// results determine. Bit n of `drawn_colors`: color attachment n exists.
    pub(super) fn from_source(stage: Stage, text: &[u8], drawn_colors: u8) -> Self {
        let mut facts = Self {
            has_typed_data: text.starts_with(b"!!NV"),
            ..Self::default()
        };
        if matches!(stage, Stage::Geometry | Stage::TessEval) {
            facts.primitives = CapturedPrimitives::from_source(text);
        }
        let source = Source::new("program", text).for_stage(stage);
        let options = Options {
            pipeline_state: PipelineState {
                draw_buffer_mask: drawn_colors,
                ..PipelineState::default()
            },
            ..Options::default()
        };
        match glasm::compile(&source, &options) {
            Ok(shader) => {
                facts.add_interface(stage, &shader.reflection);
                facts.texture_usage = TextureUsage::from_reflection(text, &shader.reflection);
            }
            // The program may have more results than the maximum, unless the read ones are known.
            Err(_) => {
                if let Ok(program) = Program::load(&source) {
                    let outputs = program.ir().outputs.iter();
                    outputs.for_each(|output| facts.add_result(output.semantic));
                }
            }
        }
        facts
    }

    /// Reads the properties of a module from its reflection, among them the attributes that it
    /// reads as words or doubles. Modules distinguish integers from floats.
    pub(super) fn from_reflection(stage: Stage, reflection: &Reflection) -> Self {
        let mut facts = Self {
            has_typed_data: true,
            ..Self::default()
        };
        facts.add_interface(stage, reflection);
        // Modules have no target `RENDERBUFFER`, which program strings may have.
        facts.texture_usage = TextureUsage::from_reflection(&[], reflection);
        let primitives = reflection.primitive_info.as_ref();
        facts.primitives = primitives.and_then(CapturedPrimitives::from_reflection);
        let inputs = reflection.inputs.iter();
        let words = inputs.filter_map(|input| match (input.semantic, input.scalar_type) {
            (Semantic::VertexAttribute(number), ScalarType::Uint32 | ScalarType::Float64) => {
                Some(WordInput {
                    attribute: number.into(),
                    location: input.location?,
                    half: input.attribute_half,
                    is_doubles: input.scalar_type == ScalarType::Float64,
                })
            }
            _ => None,
        });
        facts.word_inputs = words.collect();
        facts
    }

    /// Adds what the inputs, outputs and parameters of a program require: group size, types of
    /// attributes, clip distances, points, unwritten colors, subroutines.
    fn add_interface(&mut self, stage: Stage, reflection: &Reflection) {
        self.has_variable_group_size = reflection.workgroup_size == Some([0; 3]);
        for input in &reflection.inputs {
            self.add_attribute(input);
        }
        let outputs = reflection.outputs.iter();
        if stage == Stage::Fragment {
            self.unwritten_colors =
                !outputs.fold(0, |bits, output| bits | color_attachment_bit(output));
        }
        for output in &reflection.outputs {
            self.add_result(output.semantic);
        }
        let slots = reflection
            .parameter_block
            .iter()
            .flat_map(|params| &params.parameters);
        for slot in slots {
            if let ParamSource::Subroutine(index) = slot {
                self.subroutine_parameters = self.subroutine_parameters.max(index + 1);
            }
        }
    }

    /// Records that a program writes a clip distance or the point size; ignores other results.
    fn add_result(&mut self, semantic: Semantic) {
        if let Semantic::ClipDistance(number @ 0..8) = semantic {
            self.clip_distances |= 1 << number;
        }
        self.writes_point_size |= semantic == Semantic::PointSize;
    }

    /// Records a vertex attribute that is read as integers, by location; ignores other inputs and
    /// types.
    fn add_attribute(&mut self, input: &InterfaceVariable) {
        let Semantic::VertexAttribute(number) = input.semantic else {
            return;
        };
        let location = input.location.unwrap_or(number.into());
        let bit = 1_u32.checked_shl(location).unwrap_or(0);
        match input.scalar_type {
            ScalarType::Sint32 => self.signed_attributes |= bit,
            ScalarType::Uint32 => self.unsigned_attributes |= bit,
            ScalarType::Float32 | ScalarType::Float64 => {}
        }
    }

    /// Returns the type of integers that it reads the vertex attribute at a location as; `None` if
    /// it reads floats or does not read the attribute.
    pub(super) fn integer_attribute(&self, location: u32) -> Option<ScalarType> {
        let is_in = |bits: u32| bits.checked_shr(location).is_some_and(|bits| bits & 1 != 0);
        if is_in(self.signed_attributes) {
            Some(ScalarType::Sint32)
        } else if is_in(self.unsigned_attributes) {
            Some(ScalarType::Uint32)
        } else {
            None
        }
    }
}

/// Returns the bit of the color attachment that an output is written to; 0 for other outputs and
/// for the second source of blending.
fn color_attachment_bit(output: &InterfaceVariable) -> u32 {
    let is_first = matches!(output.semantic, Semantic::FragColor { index: 0, .. });
    let location = output.location.filter(|_| is_first);
    location.map_or(0, |location| 1 << location)
}

/// Texture that a program accesses by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TextureUse {
    pub(super) unit: u32,
    pub(super) target: TexTarget,
    /// OpenGL's name of the target.
    pub(super) gl_target: u32,
    pub(super) comparison: DepthComparison,
}

/// Texture accesses of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TextureUsage {
    pub(super) texture_uses: Vec<TextureUse>,
    /// True if it compares depths of textures that handles name.
    pub(super) compares_by_handle: bool,
}

impl TextureUsage {
    /// Returns the lookups of a program by its reflection. `text` is its source, which determines
    /// the units of renderbuffers; empty if it has none.
    pub(super) fn from_reflection(text: &[u8], reflection: &Reflection) -> Self {
        let renderbuffers = renderbuffer_units(text);
        let mut handles = reflection.handle_arrays.iter();
        let units = reflection.textures.iter().flat_map(|texture| {
            let units = texture.unit..texture.unit + texture.descriptor_count;
            units.map(|unit| TextureUse {
                unit,
                target: texture.target,
                gl_target: if renderbuffers.contains(&unit) {
                    gl::TEXTURE_RENDERBUFFER_NV
                } else {
                    gl_target(texture.target)
                },
                comparison: if texture.is_shadow {
                    DepthComparison::On
                } else {
                    DepthComparison::Off
                },
            })
        });
        Self {
            texture_uses: units.collect(),
            compares_by_handle: handles.any(|array| array.kind == HandleKind::ShadowTexture),
        }
    }
}

/// Returns the units that a program reads with the target `RENDERBUFFER`, which the reflection does
/// not distinguish from `2DMS`.
fn renderbuffer_units(text: &[u8]) -> Vec<u32> {
    let text = String::from_utf8_lossy(text);
    let operands = text.split("texture[").skip(1);
    let unit = |operand: &str| {
        let (unit, rest) = operand.split_once(']')?;
        let target = rest.trim_start().strip_prefix(',')?.trim_start();
        let is_renderbuffer = target.starts_with("RENDERBUFFER");
        unit.trim().parse().ok().filter(|_| is_renderbuffer)
    };
    operands.filter_map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(text: &str) -> ProgramInfo {
        ProgramInfo::from_source(Stage::Vertex, text.as_bytes(), 1)
    }

    #[test]
    fn primitives_and_groups() {
        let text =
            b"!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT LINE_STRIP;\nVERTICES_OUT 2;\nEND";
        let facts = ProgramInfo::from_source(Stage::Geometry, text, 0);
        assert_eq!(facts.primitives, Some(CapturedPrimitives::Lines));
        let open = b"!!NVcp5.0\nOPTION ARB_compute_variable_group_size;\nEND";
        assert!(ProgramInfo::from_source(Stage::Compute, open, 0).has_variable_group_size);
        let fixed = b"!!NVcp5.0\nGROUP_SIZE 4;\nEND";
        assert!(!ProgramInfo::from_source(Stage::Compute, fixed, 0).has_variable_group_size);
    }

    #[test]
    fn results_that_state_depends_on() {
        let plain = vertex("!!ARBvp1.0\nMOV result.position, vertex.position;\nEND");
        assert_eq!(plain, ProgramInfo::default());
        let sized = vertex(
            "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.pointsize.x, 2;\n\
             MOV result.clip[1].x, 1;\nMOV result.clip[5].x, 1;\nEND",
        );
        assert!(sized.writes_point_size);
        assert_eq!(sized.clip_distances, 0b10_0010);
    }

    #[test]
    fn results_that_do_not_fit_count() {
        let facts = vertex(
            "!!NVvp5.0\nOUTPUT all[] = { result.attrib[0..31] };\nTEMP n;\nMOV.S n, vertex.position;\nMOV all[n.x].x, 1;\n\
             MOV result.color, 1;\nMOV result.pointsize.x, 2;\nMOV result.clip[3].x, 1;\nEND",
        );
        assert!(facts.writes_point_size);
        assert_eq!(facts.clip_distances, 0b1000);
    }

    #[test]
    fn clip_distances_of_position_invariant_programs_do_not_count() {
        let facts = vertex(
            "!!ARBvp1.0\nOPTION NV_vertex_program2;\nOPTION ARB_position_invariant;\nMOV result.clip[1].x, 1;\nEND",
        );
        assert_eq!(facts.clip_distances, 0);
    }

    #[test]
    fn subroutine_parameters_are_counted_by_the_largest_index() {
        let facts = vertex(
            "!!NVvp5.0\nSUBROUTINETYPE kind { one, two };\nSUBROUTINE kind which = program.subroutine[3];\n\
             main:\nMOV result.position, vertex.position;\nCALI which;\nRET;\n\
             one SUBROUTINENUM(0): MOV result.color, 1; RET;\ntwo SUBROUTINENUM(1): MOV result.color, 2; RET;\nEND",
        );
        assert_eq!(facts.subroutine_parameters, 4);
    }

    #[test]
    fn nothing_is_known_of_what_is_no_program() {
        assert_eq!(vertex("!!ARBvp1.0 nonsense"), ProgramInfo::default());
    }

    #[test]
    fn programs_without_numbered_colors_write_all() {
        let colors = |text: &str| {
            !ProgramInfo::from_source(Stage::Fragment, text.as_bytes(), 0b1101).unwritten_colors
        };
        assert_eq!(
            colors("!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n"),
            0b1101
        );
        assert_eq!(
            colors(
                "!!ARBfp1.0\nOPTION ARB_draw_buffers;\nMOV result.color[2], fragment.color;\nEND\n"
            ),
            0b100
        );
        assert_eq!(
            colors("!!ARBfp1.0\nMOV result.depth.z, fragment.color.x;\nEND\n"),
            0
        );
        assert_eq!(colors("!!XYZ\n"), u32::MAX);
        assert!(ProgramInfo::from_source(Stage::Fragment, b"!!NVfp4.0\nEND", 1).has_typed_data);
        assert!(!ProgramInfo::from_source(Stage::Fragment, b"!!ARBfp1.0\nEND", 1).has_typed_data);
    }

    #[test]
    fn attributes_of_integers_are_found() {
        let found = vertex(
            "!!NVvp4.0\nINT ATTRIB a = vertex.attrib[3];\nMOV result.position, vertex.position;\n\
             MOV.S result.texcoord[0], a;\nEND\n",
        );
        assert_eq!(found.integer_attribute(3), Some(ScalarType::Sint32));
        assert_eq!(found.integer_attribute(0), None);
        assert_eq!(found.integer_attribute(40), None);
    }

    #[test]
    fn programs_say_what_they_compare() {
        let text = "!!ARBfp1.0\nOPTION ARB_fragment_program_shadow;\nTEMP a, b;\n\
             TEX a, fragment.texcoord[0], texture[3], SHADOW2D;\n\
             TEX b, fragment.texcoord[0], texture[1], RECT;\n\
             ADD result.color, a, b;\nEND";
        let source = Source::new("program", text);
        let shader = glasm::compile(&source, &Options::default()).unwrap();
        let found = TextureUsage::from_reflection(text.as_bytes(), &shader.reflection);
        let lookup = |unit, target, comparing| TextureUse {
            unit,
            target,
            gl_target: gl_target(target),
            comparison: comparing,
        };
        assert_eq!(found.texture_uses.len(), 2);
        for expected in [
            lookup(3, TexTarget::D2, DepthComparison::On),
            lookup(1, TexTarget::Rect, DepthComparison::Off),
        ] {
            assert!(found.texture_uses.contains(&expected), "{expected:?}");
        }
        assert!(!found.compares_by_handle);
    }

    #[test]
    fn renderbuffers_are_a_target_of_their_own() {
        let text =
            b"TXFMS r, a, texture[3], RENDERBUFFER;\nTXFMS r, a, texture[ 12 ] , RENDERBUFFER;\n\
            TXFMS r, a, texture[4], 2DMS;\nTEX r, a, texture[x], 2D; texture[";
        assert_eq!(renderbuffer_units(text), [3, 12]);
    }
}
