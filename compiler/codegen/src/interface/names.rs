//! Names of interface variables, derived from the names in the languages: `fragment_color` for
//! `fragment.color`.
//!
//! Varyings have the name by which fragment programs read them on both sides, so that shaders in
//! languages that link by name match.

use glasm_ir::resource::ParamSource;
use glasm_ir::state::make_variable_name;
use glasm_ir::{Semantic, Stage};

/// Returns the name of the variable of an input in debug information.
pub(crate) fn input_name(stage: Stage, semantic: Semantic) -> String {
    match (stage, semantic) {
        (Stage::Vertex, Semantic::VertexAttribute(number)) => attribute_name(number),
        _ => varying_name(semantic),
    }
}

/// Returns the name of the variable of an output in debug information: `result_` and the binding,
/// or that of a varying.
pub(crate) fn output_name(semantic: Semantic) -> String {
    if let Semantic::FragColor { buffer, index } = semantic {
        let buffer = match buffer {
            0 => String::new(),
            _ => format!("_{buffer}"),
        };
        // Index 1 is the second source of blending: ARB_blend_func_extended.
        return match index {
            0 => format!("result_color{buffer}"),
            _ => format!("result_color{buffer}_source_{index}"),
        };
    }
    let built_in = [
        (Semantic::FragDepth, "result_depth"),
        (Semantic::Position, "result_position"),
        (Semantic::PointSize, "result_pointsize"),
    ];
    let known = built_in.iter().find(|(known, _)| *known == semantic);
    known.map_or_else(|| varying_name(semantic), |(_, name)| (*name).to_owned())
}

/// Returns the conventional name of a vertex attribute. ARB_vertex_program table X.2.1.
fn attribute_name(number: u8) -> String {
    match number {
        0 => "vertex_position".to_owned(),
        1 => "vertex_weight".to_owned(),
        2 => "vertex_normal".to_owned(),
        3 => "vertex_color".to_owned(),
        4 => "vertex_color_secondary".to_owned(),
        5 => "vertex_fogcoord".to_owned(),
        // Numbers 6 and 7 are generic only.
        8..16 => format!("vertex_texcoord_{}", number - 8),
        _ => format!("vertex_attrib_{number}"),
    }
}

/// Returns the name of a varying's variable, derived from the attribute that fragment programs
/// read, else from the name of the semantic.
fn varying_name(semantic: Semantic) -> String {
    if let Semantic::Color(number) = semantic {
        let name = ["fragment_color", "fragment_color_secondary"];
        return name[usize::from(number.min(1))].to_owned();
    }
    if let Semantic::BackColor(number) = semantic {
        let name = ["fragment_color_back", "fragment_color_back_secondary"];
        return name[usize::from(number.min(1))].to_owned();
    }
    if let Semantic::TexCoord(number) = semantic {
        return format!("fragment_texcoord_{number}");
    }
    if let Semantic::GenericVarying(number) = semantic {
        return format!("fragment_attrib_{number}");
    }
    // Both are the fog coordinate, at the same location: as one component, and as a vector.
    if matches!(semantic, Semantic::FogCoord | Semantic::FogCoordVec4) {
        return "fragment_fogcoord".to_owned();
    }
    snake_case(&format!("{semantic:?}"))
}

/// Converts a name to snake case: `VertexId` to `vertex_id`, and other characters between words to
/// one underscore. Characters that are not ASCII are such characters.
pub(crate) fn snake_case(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    let mut gap = false;
    let mut before_is_lower = false;
    for character in name.chars() {
        if !character.is_ascii_alphanumeric() {
            gap = true;
            continue;
        }
        let starts_word = character.is_ascii_uppercase() && before_is_lower;
        if (gap || starts_word) && !text.is_empty() {
            text.push('_');
        }
        gap = false;
        before_is_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
        text.push(character.to_ascii_lowercase());
    }
    text
}

/// Returns the name of a parameter: its binding with underscores.
pub(crate) fn param_name(source: ParamSource) -> String {
    match source {
        ParamSource::Env(number) => format!("program_env_{number}"),
        ParamSource::Local(number) => format!("program_local_{number}"),
        ParamSource::Subroutine(number) => format!("program_subroutine_{number}"),
        ParamSource::State(state) => make_variable_name(state),
        ParamSource::Named(number) => format!("program_named_{number}"),
        ParamSource::Argument => "program_argument".to_owned(),
        ParamSource::Literal(_) => "constant".to_owned(),
    }
}

/// Returns the name of a dynamically indexed array of parameters: the kind of consecutive local or
/// environment parameters with the first number, unless that is 0, else the name of the first
/// element.
pub(crate) fn param_array_name(sources: &[ParamSource]) -> String {
    let numbered = |first: u32, of: fn(u32) -> ParamSource| {
        let mut all = (first..).zip(sources);
        all.all(|(number, source)| *source == of(number))
    };
    let with_first = |name: &str, first| match first {
        0 => name.to_owned(),
        _ => format!("{name}_from_{first}"),
    };
    match sources.first() {
        Some(&ParamSource::Local(first)) if numbered(first, ParamSource::Local) => {
            with_first("program_local", first)
        }
        Some(&ParamSource::Env(first)) if numbered(first, ParamSource::Env) => {
            with_first("program_env", first)
        }
        Some(&source) => format!("array_from_{}", param_name(source)),
        None => "array".to_owned(),
    }
}

/// Returns a short name of a stage for the names of its blocks, because the stages of a program
/// share a namespace of blocks.
pub(crate) fn stage_block_prefix(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "Vertex",
        Stage::TessControl => "TessControl",
        Stage::TessEval => "TessEval",
        Stage::Geometry => "Geometry",
        Stage::Fragment => "Fragment",
        Stage::Compute => "Compute",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_ir::state::{MatrixForm, MatrixName, StateParam};

    #[test]
    fn names_follow_the_languages() {
        assert_eq!(
            input_name(Stage::Fragment, Semantic::Color(0)),
            "fragment_color"
        );
        assert_eq!(
            input_name(Stage::Vertex, Semantic::VertexAttribute(0)),
            "vertex_position"
        );
        assert_eq!(
            output_name(Semantic::GenericVarying(3)),
            "fragment_attrib_3"
        );
        assert_eq!(snake_case("VertexId"), "vertex_id");
        assert_eq!(snake_case("BackColor(3).Low"), "back_color_3_low");
        let row = StateParam::MatrixRow {
            matrix: MatrixName::Texture(2),
            form: MatrixForm::Inverse,
            row: 3,
        };
        assert_eq!(
            param_name(ParamSource::State(row)),
            "state_matrix_texture_2_inverse_row_3"
        );
    }

    #[test]
    fn arrays_are_named_after_their_elements() {
        let locals = [2, 3].map(ParamSource::Local);
        assert_eq!(param_array_name(&locals), "program_local_from_2");
        assert_eq!(
            param_array_name(&[0, 1].map(ParamSource::Env)),
            "program_env"
        );
        let mixed = [ParamSource::Local(4), ParamSource::Env(4)];
        assert_eq!(param_array_name(&mixed), "array_from_program_local_4");
    }
}
