//! What has to be known about a program to run it. Pure.

use glasm::ir::{ParamSource, Semantic, Stage};

/// What has to be known about a program to run it. The default holds for programs that do nothing of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Facts {
    /// Whether it writes the size of points.
    pub(super) writes_point_size: bool,
    /// The clip distances that it writes, a bit for each.
    pub(super) clip_distances: u8,
    /// Number of its subroutine parameters: one more than the largest index.
    pub(super) subroutine_parameters: u32,
}

impl Facts {
    /// What the text of a program of the assembler tells. A text that only the driver understands is one of which nothing is known.
    pub(super) fn of(stage: Stage, text: &[u8]) -> Self {
        let source = glasm::Source::new("program", text).for_stage(stage);
        let Ok(shader) = glasm::compile(&source, &glasm::Options::default()) else {
            return Self::default();
        };
        let mut facts = Self::default();
        for output in &shader.reflection.outputs {
            if let Semantic::ClipDistance(number @ 0..8) = output.semantic {
                facts.clip_distances |= 1 << number;
            }
            facts.writes_point_size |= output.semantic == Semantic::PointSize;
        }
        let slots = shader
            .reflection
            .params
            .iter()
            .flat_map(|params| &params.slots);
        for slot in slots {
            if let ParamSource::Subroutine(index) = slot {
                facts.subroutine_parameters = facts.subroutine_parameters.max(index + 1);
            }
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(text: &str) -> Facts {
        Facts::of(Stage::Vertex, text.as_bytes())
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
}
