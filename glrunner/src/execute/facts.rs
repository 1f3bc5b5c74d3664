//! Properties of a program that are needed to run it. Pure.

use super::capture_plan::Primitives;
use super::lookups::Lookups;
use glasm::ir::{ParamSource, Semantic, Stage};
use glasm::reflect::{Half, InterfaceVariable, Reflection, Scalar};
use glasm::{FixedState, Options, Program, Source};

/// Properties of a program that are needed to run it. The default denotes a program that uses none
/// of these features.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Facts {
    /// True if it writes the size of points.
    pub(super) writes_point_size: bool,
    /// Clip distances that it writes, a bit for each.
    pub(super) clip_distances: u8,
    /// Bit n: it reads vertex attribute n as a signed integer, unless the draw adds another type.
    pub(super) signed_attributes: u32,
    /// Bit n: as an unsigned integer.
    pub(super) unsigned_attributes: u32,
    /// Bit n: it is a fragment program that does not write color attachment n.
    pub(super) untouched_colors: u32,
    /// True if its language distinguishes integers from floats.
    pub(super) is_typed: bool,
    /// Number of its subroutine parameters: one more than the largest index.
    pub(super) subroutine_parameters: u32,
    /// Output primitives of a geometry or tessellation evaluation program.
    pub(super) primitives: Option<Primitives>,
    /// True if a compute program leaves the size of its groups to the dispatch.
    pub(super) open_groups: bool,
    /// Texture lookups of the program.
    pub(super) lookups: Lookups,
    /// Attributes that a module reads as words or doubles, among them those of 64 bits.
    pub(super) words: Vec<WordInput>,
}

/// Attribute that a module reads as words, or as doubles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WordInput {
    /// Number of the attribute.
    pub(super) attribute: u32,
    /// Location in the module.
    pub(super) location: u32,
    /// Half of the 64-bit components that it contains.
    pub(super) half: Option<Half>,
    /// True if it contains all components, as doubles.
    pub(super) is_doubles: bool,
}

impl Facts {
    /// Reads the properties of a program of the assembler from its source. A program that only the
    /// driver supports has default properties. Bit n of `drawn`: color attachment n exists.
    pub(super) fn of(stage: Stage, text: &[u8], drawn: u8) -> Self {
        let mut facts = Self {
            is_typed: text.starts_with(b"!!NV"),
            ..Self::default()
        };
        if matches!(stage, Stage::Geometry | Stage::TessEval) {
            facts.primitives = Primitives::of_program(text);
        }
        let source = Source::new("program", text).for_stage(stage);
        let options = Options {
            fixed: FixedState {
                draw_buffers: drawn,
                ..FixedState::default()
            },
            ..Options::default()
        };
        match glasm::compile(&source, &options) {
            Ok(shader) => {
                facts.add(stage, &shader.reflection);
                facts.lookups = Lookups::of(text, &shader.reflection);
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

    /// Reads the properties of a module from its reflection.
    pub(super) fn of_module(stage: Stage, reflection: &Reflection) -> Self {
        let mut facts = Self {
            is_typed: true,
            ..Self::default()
        };
        facts.add(stage, reflection);
        // Modules have no target `RENDERBUFFER`, which program strings may have.
        facts.lookups = Lookups::of(&[], reflection);
        let primitives = reflection.primitives.as_ref();
        facts.primitives = primitives.and_then(Primitives::of_module);
        let inputs = reflection.inputs.iter();
        let words = inputs.filter_map(|input| match (input.semantic, input.scalar) {
            (Semantic::Attrib(number), Scalar::Uint | Scalar::Double) => Some(WordInput {
                attribute: number.into(),
                location: input.location?,
                half: input.half,
                is_doubles: input.scalar == Scalar::Double,
            }),
            _ => None,
        });
        facts.words = words.collect();
        facts
    }

    fn add(&mut self, stage: Stage, reflection: &Reflection) {
        self.open_groups = reflection.workgroup_size == Some([0; 3]);
        for input in &reflection.inputs {
            self.add_attribute(input);
        }
        let outputs = reflection.outputs.iter();
        if stage == Stage::Fragment {
            self.untouched_colors = !outputs.fold(0, |bits, output| bits | color_bit(output));
        }
        for output in &reflection.outputs {
            self.add_result(output.semantic);
        }
        let slots = reflection.params.iter().flat_map(|params| &params.slots);
        for slot in slots {
            if let ParamSource::Subroutine(index) = slot {
                self.subroutine_parameters = self.subroutine_parameters.max(index + 1);
            }
        }
    }

    fn add_result(&mut self, semantic: Semantic) {
        if let Semantic::ClipDistance(number @ 0..8) = semantic {
            self.clip_distances |= 1 << number;
        }
        self.writes_point_size |= semantic == Semantic::PointSize;
    }

    fn add_attribute(&mut self, input: &InterfaceVariable) {
        let Semantic::Attrib(number) = input.semantic else {
            return;
        };
        let location = input.location.unwrap_or(number.into());
        let bit = 1_u32.checked_shl(location).unwrap_or(0);
        match input.scalar {
            Scalar::Int => self.signed_attributes |= bit,
            Scalar::Uint => self.unsigned_attributes |= bit,
            Scalar::Float | Scalar::Double => {}
        }
    }

    /// Returns the type of integers that it reads a vertex attribute as; `None` of floats.
    pub(super) fn integer_attribute(&self, location: u32) -> Option<Scalar> {
        let is_in = |bits: u32| bits.checked_shr(location).is_some_and(|bits| bits & 1 != 0);
        if is_in(self.signed_attributes) {
            Some(Scalar::Int)
        } else if is_in(self.unsigned_attributes) {
            Some(Scalar::Uint)
        } else {
            None
        }
    }
}

/// Returns the attachment of a color, unless it is the second source of blending.
fn color_bit(output: &InterfaceVariable) -> u32 {
    let is_first = matches!(output.semantic, Semantic::FragColor { index: 0, .. });
    let location = output.location.filter(|_| is_first);
    location.map_or(0, |location| 1 << location)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(text: &str) -> Facts {
        Facts::of(Stage::Vertex, text.as_bytes(), 1)
    }

    #[test]
    fn primitives_and_groups() {
        let text =
            b"!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT LINE_STRIP;\nVERTICES_OUT 2;\nEND";
        let facts = Facts::of(Stage::Geometry, text, 0);
        assert_eq!(facts.primitives, Some(Primitives::Lines));
        let open = b"!!NVcp5.0\nOPTION ARB_compute_variable_group_size;\nEND";
        assert!(Facts::of(Stage::Compute, open, 0).open_groups);
        let fixed = b"!!NVcp5.0\nGROUP_SIZE 4;\nEND";
        assert!(!Facts::of(Stage::Compute, fixed, 0).open_groups);
    }

    #[test]
    fn results_that_state_depends_on() {
        let plain = vertex("!!ARBvp1.0\nMOV result.position, vertex.position;\nEND");
        assert_eq!(plain, Facts::default());
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
        assert_eq!(vertex("!!ARBvp1.0 nonsense"), Facts::default());
    }

    #[test]
    fn programs_without_numbered_colors_write_all() {
        let colors =
            |text: &str| !Facts::of(Stage::Fragment, text.as_bytes(), 0b1101).untouched_colors;
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
        assert!(Facts::of(Stage::Fragment, b"!!NVfp4.0\nEND", 1).is_typed);
        assert!(!Facts::of(Stage::Fragment, b"!!ARBfp1.0\nEND", 1).is_typed);
    }

    #[test]
    fn attributes_of_integers_are_found() {
        let found = vertex(
            "!!NVvp4.0\nINT ATTRIB a = vertex.attrib[3];\nMOV result.position, vertex.position;\n\
             MOV.S result.texcoord[0], a;\nEND\n",
        );
        assert_eq!(found.integer_attribute(3), Some(Scalar::Int));
        assert_eq!(found.integer_attribute(0), None);
        assert_eq!(found.integer_attribute(40), None);
    }
}
