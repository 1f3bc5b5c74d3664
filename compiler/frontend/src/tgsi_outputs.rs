//! Semantics of the output registers of a TGSI program, for callers that name them: stream outputs
//! are lists of registers.

use crate::header;
use crate::source::{Family, Source};
use crate::tgsi;
use glasm_ir::Semantic;

/// Returns the output registers of a TGSI program with their semantics, in the order of their
/// numbers. A register of clip or cull distances has one entry for each component. Registers
/// without a semantic that a pipeline knows are left out; other programs give an empty list. For a
/// program with errors, the registers that could be read are returned.
pub fn tgsi_outputs(source: &Source<'_>) -> Vec<(u32, Semantic)> {
    match header::read(source) {
        Ok(start) if start.dialect.family() == Family::Tgsi => tgsi::outputs(start),
        Ok(_) | Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(text: &str) -> Vec<(u32, Semantic)> {
        tgsi_outputs(&Source::new("a", text))
    }

    #[test]
    fn registers_have_semantics() {
        let text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\ndcl out[1].xy , generic[7]\nDCL OUT[2..3], ARRAY(1), GENERIC[9]\n\
                    DCL OUT[4], LOCAL, TEXCOORD[3]\nDCL OUT [ 5 ], BCOLOR [1] DCL OUT[6], COLOR\n  0: MOV OUT[0], IN[0]\n1:END";
        let expected = [
            (0, Semantic::Position),
            (1, Semantic::Generic(7)),
            (2, Semantic::Generic(9)),
            (3, Semantic::Generic(10)),
            (4, Semantic::TexCoord(3)),
            (5, Semantic::BackColor(1)),
            (6, Semantic::Color(0)),
        ];
        assert_eq!(outputs(text), expected);
        let text = "GEOM DCL OUT[1], PSIZE DCL OUT[2], FOG DCL OUT[3], LAYER, STREAM(0, 1, 2, 3) DCL OUT[4], VIEWPORT_INDEX DCL OUT[5], PRIM_ID";
        let expected = [
            (1, Semantic::PointSize),
            (2, Semantic::FogVector),
            (3, Semantic::Layer),
            (4, Semantic::ViewportIndex),
            (5, Semantic::PrimitiveId),
        ];
        assert_eq!(outputs(text), expected);
    }

    #[test]
    fn clip_distances_are_single() {
        let clip = |register, numbers: std::ops::Range<u8>| {
            numbers.map(move |number| (register, Semantic::ClipDistance(number)))
        };
        let expected: Vec<_> = clip(2, 0..4).chain(clip(3, 4..8)).collect();
        assert_eq!(outputs("VERT DCL OUT[2..3], CLIPDIST"), expected);
        let expected: Vec<_> = clip(1, 4..8).collect();
        assert_eq!(outputs("VERT DCL OUT[1], CLIPDIST[1]"), expected);
    }

    #[test]
    fn properties_divide_distances() {
        let text = "VERT PROPERTY NUM_CLIPDIST_ENABLED 3 PROPERTY NUM_CULLDIST_ENABLED 2 DCL OUT[0..1], CLIPDIST";
        let expected = [
            (0, Semantic::ClipDistance(0)),
            (0, Semantic::ClipDistance(1)),
            (0, Semantic::ClipDistance(2)),
            (0, Semantic::CullDistance(0)),
            (1, Semantic::CullDistance(1)),
        ];
        assert_eq!(outputs(text), expected);
    }

    #[test]
    fn fog_was_a_number() {
        let mut source = Source::new("a", "VERT DCL OUT[2], FOG");
        source.tgsi.old = true;
        assert_eq!(tgsi_outputs(&source), [(2, Semantic::FogCoord)]);
    }

    #[test]
    fn other_programs_have_none() {
        assert!(outputs("!!ARBvp1.0 MOV result.position, vertex.position; END").is_empty());
        assert!(outputs("nothing").is_empty());
    }

    #[test]
    fn vertices_and_comments_are_left_out() {
        let text = "TESS_CTRL # DCL OUT[7], FOG\n// DCL OUT[8], FOG\nDCL OUT[][1], GENERIC[2] /* DCL OUT[9], FOG */ DCL OUT[2], TESSOUTER /* DCL OUT[3], FOG";
        assert_eq!(outputs(text), [(1, Semantic::Generic(2))]);
    }

    #[test]
    fn any_text_has_an_end() {
        assert!(outputs("VERT DCL OUT[0..4294967295], GENERIC[4294967295]").is_empty());
        assert_eq!(outputs("VERT DCL OUT[0..65535], GENERIC[250]").len(), 6);
        assert_eq!(outputs("VERT DCL OUT[0..65535], FOG").len(), 1);
        let text = "VERT DCL OUT[0].xy, ARRAY(1), LOCAL, GENERIC[1]";
        for end in 0..text.len() {
            assert!(outputs(&text[..end]).len() < 2, "{end}");
        }
        for text in [
            "",
            "DCL",
            "DCL OUT",
            "DCL OUT[",
            "DCL OUT[1.",
            "DCL OUT[x], FOG",
        ] {
            assert!(outputs(text).is_empty(), "{text}");
        }
    }
}
