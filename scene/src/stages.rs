//! Stages that a scene adds to the programs of the user: a vertex program that provides the
//! varyings of the next stage, and a fragment program that shows those of the previous one.

use super::attributes::{AttributeKind, Attributes, get_coordinate_kind};
use super::program::{Pipeline, SceneProgram};
use glasm::ir::{BaseType, Semantic, Stage};
use std::collections::BTreeMap;

/// Vertex stage of a scene.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct VertexStage {
    /// Section of the script that the scene adds; empty if the user has a vertex program.
    pub(super) section: String,
    /// Attributes that the stage reads.
    pub(super) attributes: Attributes,
    /// True if the stage transforms positions by the matrices of the view, and the user has no
    /// vertex program.
    pub(super) transforms: bool,
}

/// Attributes of a script.
const ATTRIBUTE_COUNT: u32 = 16;

/// Returns the vertex stage of a pipeline that draws.
pub(super) fn build_vertex_stage(pipeline: Pipeline<'_>) -> VertexStage {
    if let Some(vertex) = pipeline.find(Stage::Vertex) {
        let attributes = vertex.ir.as_ref().map(|program| {
            Attributes::from_vertex_program(program, &vertex.usage, vertex.language)
        });
        return VertexStage {
            section: String::new(),
            attributes: attributes
                .unwrap_or_else(|| Attributes(BTreeMap::from([(0, AttributeKind::Position)]))),
            transforms: false,
        };
    }
    let next = pipeline.find_first_after_vertex();
    let varyings = next.map(list_varyings).unwrap_or_default();
    // Without other programs before rasterization, the mesh is a rectangle in clip space.
    let is_flat = pipeline.find_last_before_rasterization().is_none();
    let mut programs = pipeline.programs.iter();
    let transforms = !is_flat && !programs.any(|program| program.usage.reads_view);
    let mut attributes = BTreeMap::from([(0, AttributeKind::Position)]);
    let is_plain = varyings.iter().all(|varying| {
        let number = varying.conventional_number.filter(|_| !transforms);
        number.is_some_and(|number| attributes.insert(number, varying.kind).is_none())
    });
    if is_plain && !transforms {
        return VertexStage {
            section: "\n[vertex program passthrough]\n".to_owned(),
            attributes: Attributes(attributes),
            transforms,
        };
    }
    attributes = BTreeMap::from([(0, AttributeKind::Position)]);
    let mut moves = String::new();
    for (number, varying) in (1..ATTRIBUTE_COUNT).zip(&varyings) {
        attributes.insert(number, varying.kind);
        let result = &varying.result;
        moves += &format!("MOV {result}, vertex.attrib[{number}];\n");
    }
    let position = if transforms {
        TRANSFORMATION
    } else {
        "MOV result.position, vertex.attrib[0];\n"
    };
    VertexStage {
        section: format!("\n[vertex program]\n!!NVvp4.0\n{position}{moves}END\n"),
        attributes: Attributes(attributes),
        transforms,
    }
}

/// Statements that transform the position to clip space.
const TRANSFORMATION: &str = "\
PARAM mvp[4] = { state.matrix.mvp };
DP4 result.position.x, mvp[0], vertex.attrib[0];
DP4 result.position.y, mvp[1], vertex.attrib[0];
DP4 result.position.z, mvp[2], vertex.attrib[0];
DP4 result.position.w, mvp[3], vertex.attrib[0];
";

/// Varying that the vertex stage provides.
struct NeededVarying {
    /// Result of the vertex program.
    result: String,
    /// Contents.
    kind: AttributeKind,
    /// Number of the attribute from which a passthrough stage loads it.
    conventional_number: Option<u32>,
}

/// Returns the varyings that a program reads, without those that the vertex stage need not write.
fn list_varyings(program: &SceneProgram) -> Vec<NeededVarying> {
    let inputs = program.ir.iter().flat_map(|ir| ir.inputs.iter());
    let mut varyings: Vec<NeededVarying> = Vec::new();
    for (index, input) in inputs.enumerate() {
        let kind = get_coordinate_kind(program.usage.input_use(index));
        let kind = if input.base == BaseType::Float {
            kind
        } else {
            AttributeKind::Number
        };
        let varying = build_varying(input.semantic, kind);
        let varying = varying.filter(|it| varyings.iter().all(|known| known.result != it.result));
        varyings.extend(varying);
    }
    varyings
}

/// Returns the varying with a semantic; `None` if vertex programs do not write it, or need not.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "of all semantics a few are varyings"
)]
fn build_varying(semantic: Semantic, kind: AttributeKind) -> Option<NeededVarying> {
    let gray = AttributeKind::Constant([0.3, 0.3, 0.3, 1.0]);
    let half = AttributeKind::Constant([0.5, 0.0, 0.0, 1.0]);
    let (result, kind, number) = match semantic {
        // Numbers of the conventional attributes: ARB_vertex_program table X.2.
        Semantic::Color(0) => ("result.color".to_owned(), AttributeKind::Color, Some(3)),
        Semantic::Color(1) => ("result.color.secondary".to_owned(), gray, Some(4)),
        Semantic::BackColor(0) => ("result.color.back".to_owned(), AttributeKind::Color, None),
        Semantic::FogCoord => ("result.fogcoord".to_owned(), half, None),
        Semantic::TexCoord(set @ 0..=7) => {
            let number = 8 + u32::from(set);
            (format!("result.texcoord[{set}]"), kind, Some(number))
        }
        Semantic::GenericVarying(number @ 0..=31) => {
            let plain = (1..ATTRIBUTE_COUNT).contains(&number.into());
            let conventional = plain.then_some(number.into());
            (format!("result.attrib[{number}]"), kind, conventional)
        }
        _ => return None,
    };
    Some(NeededVarying {
        result,
        kind,
        conventional_number: number,
    })
}

/// Returns the section with a fragment program for pipelines without one; empty for others. It
/// shows the primary color of the last program, else its first texture coordinates or generic
/// result, mapped from -1 to 1, else the depth.
pub(super) fn build_fragment_section(pipeline: Pipeline<'_>) -> String {
    if pipeline.has(Stage::Fragment) {
        return String::new();
    }
    let last = pipeline.find_last_before_rasterization();
    let outputs = last
        .and_then(|program| program.ir.as_ref())
        .into_iter()
        .flat_map(|ir| ir.outputs.iter().map(|output| output.semantic));
    let outputs: Vec<Semantic> = outputs.collect();
    let body = if outputs.contains(&Semantic::Color(0)) {
        "MOV result.color, fragment.color;\n".to_owned()
    } else if let Some(name) = outputs.iter().find_map(|it| name_shown_varying(*it)) {
        format!(
            "# From -1 to 1 to a color.\n\
             MAD result.color, {name}, {{0.5, 0.5, 0.5, 0}}, {{0.5, 0.5, 0.5, 1}};\n"
        )
    } else {
        "# Near fragments are brighter.\n\
         TEMP shade;\n\
         SUB shade, 0.97, fragment.position.z;\n\
         MUL shade, shade, 5;\n\
         MAX result.color, shade, 0.2;\n"
            .to_owned()
    };
    format!("\n[fragment program]\n!!NVfp4.0\n{body}END\n")
}

/// Returns the attribute of fragment programs for a result that contains texture coordinates or
/// other vectors.
fn name_shown_varying(semantic: Semantic) -> Option<String> {
    if let Semantic::TexCoord(set @ 0..=7) = semantic {
        Some(format!("fragment.texcoord[{set}]"))
    } else if let Semantic::GenericVarying(number @ 0..=31) = semantic {
        Some(format!("fragment.attrib[{number}]"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex_stage(text: &str) -> VertexStage {
        let programs = SceneProgram::split(text.as_bytes());
        build_vertex_stage(Pipeline::new(&programs).unwrap())
    }

    #[test]
    fn conventional_inputs_are_passed_through() {
        let text = "!!ARBfp1.0\nTEMP r;\nTEX r, fragment.texcoord[2], texture[0], CUBE;\n\
                    MUL result.color, r, fragment.color;\nEND";
        let stage = vertex_stage(text);
        assert!(stage.section.contains("passthrough"));
        let expected = [
            (0, AttributeKind::Position),
            (3, AttributeKind::Color),
            (10, AttributeKind::Direction),
        ];
        assert_eq!(stage.attributes.0, expected.into());
    }

    #[test]
    fn other_inputs_need_a_program() {
        let stage = vertex_stage(
            "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND",
        );
        let line = "MOV result.attrib[0], vertex.attrib[1];\n";
        assert!(stage.section.contains(line), "{}", stage.section);
        assert_eq!(stage.attributes.0.get(&1), Some(&AttributeKind::TexCoord));
    }

    #[test]
    fn positions_are_transformed_once() {
        let geometry = |body: &str| {
            format!(
                "!!NVgp4.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n{body}EMIT;\nEND"
            )
        };
        let plain = vertex_stage(&geometry("MOV result.position, vertex[0].position;\n"));
        assert!(plain.transforms && plain.section.contains("state.matrix.mvp"));
        let own = vertex_stage(&geometry(
            "DP4 result.position.x, state.matrix.mvp.row[0], vertex[0].position;\n",
        ));
        assert!(!own.transforms && own.section.contains("passthrough"));
    }

    #[test]
    fn fragments_show_what_the_last_program_writes() {
        let shown = |results: &str| {
            let text = format!("!!ARBvp1.0\nMOV result.position, 0;\n{results}END");
            let programs = SceneProgram::split(text.as_bytes());
            build_fragment_section(Pipeline::new(&programs).unwrap())
        };
        assert!(shown("MOV result.color, 1;\n").contains("fragment.color;"));
        assert!(
            shown("MOV result.texcoord[3], 1;\n")
                .contains("MAD result.color, fragment.texcoord[3],")
        );
        assert!(shown("").contains("fragment.position.z"));
    }
}
