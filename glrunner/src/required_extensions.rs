//! The extensions that a program requires: those of its header, and of its options.

use crate::gl::ProgramTarget;
use glasm::frontend::lang::dialect_traits::UnsupportedLanguage;
use glasm::frontend::lang::options;

/// Options whose extension is not `GL_` and their name. Options without an extension are part of
/// their language.
const OPTION_EXTENSIONS: &[(&str, Option<&str>)] = &[
    ("ARB_fog_exp", None),
    ("ARB_fog_exp2", None),
    ("ARB_fog_linear", None),
    (
        "ARB_fragment_coord_origin_upper_left",
        Some("GL_ARB_fragment_coord_conventions"),
    ),
    (
        "ARB_fragment_coord_pixel_center_integer",
        Some("GL_ARB_fragment_coord_conventions"),
    ),
    ("ARB_position_invariant", None),
    ("ARB_precision_hint_fastest", None),
    ("ARB_precision_hint_nicest", None),
    ("NV_early_fragment_tests", None),
    ("NV_fragment_program", Some("GL_NV_fragment_program_option")),
    (
        "NV_geometry_program_passthrough",
        Some("GL_NV_geometry_shader_passthrough"),
    ),
    ("NV_internal", None),
    ("NV_layer_viewport_relative", Some("GL_NV_viewport_array2")),
    (
        "NV_pixel_interlock_ordered",
        Some("GL_NV_fragment_shader_interlock"),
    ),
    (
        "NV_pixel_interlock_unordered",
        Some("GL_NV_fragment_shader_interlock"),
    ),
    ("NV_position_invariant", None),
    (
        "NV_sample_interlock_ordered",
        Some("GL_NV_fragment_shader_interlock"),
    ),
    (
        "NV_sample_interlock_unordered",
        Some("GL_NV_fragment_shader_interlock"),
    ),
    (
        "NV_shader_storage_buffer",
        Some("GL_NV_shader_storage_buffer_object"),
    ),
    ("NV_vertex_program2", Some("GL_NV_vertex_program2_option")),
];

/// Bindings of ARB programs that require an extension, without whitespace. ARB_vertex_program,
/// tables X.2 and X.5.
const BINDING_EXTENSIONS: &[(&str, &str)] = &[
    ("vertex.weight", "GL_ARB_vertex_blend"),
    ("vertex.matrixindex", "GL_ARB_matrix_palette"),
    ("state.matrix.palette", "GL_ARB_matrix_palette"),
];

/// Returns the extension that defines a program target, for sources whose header is not of a
/// language.
fn target_extension(target: ProgramTarget) -> &'static str {
    match target {
        ProgramTarget::Vertex => "GL_ARB_vertex_program",
        ProgramTarget::VertexState => "GL_NV_vertex_program",
        ProgramTarget::TessControl | ProgramTarget::TessEvaluation => "GL_NV_gpu_program5",
        ProgramTarget::Geometry => "GL_NV_gpu_program4",
        ProgramTarget::Fragment => "GL_ARB_fragment_program",
        ProgramTarget::Compute => "GL_NV_compute_program5",
    }
}

/// Returns all extensions that a driver needs to judge a program, possibly with duplicates: with
/// fewer it rejects correct programs. Options that no language has require none, because every
/// driver must reject them.
pub(crate) fn required_extensions(target: ProgramTarget, text: &[u8]) -> Vec<String> {
    let mut needed = vec![header_extension(target, text)];
    needed.extend(option_names(text).filter_map(|name| option_extension(&name)));
    if text.starts_with(b"!!ARB") && has_extension_word(text) {
        needed.extend(binding_extensions(text).map(str::to_owned));
    }
    needed
}

/// Returns true if a word of a program, or of its comments, is part of a binding that requires an
/// extension. Few programs have one, and this is faster than removing whitespace and comments.
fn has_extension_word(text: &[u8]) -> bool {
    let mut words = text.split(|byte| !byte.is_ascii_alphabetic());
    words.any(|word| matches!(word, b"weight" | b"matrixindex" | b"palette" | b"modelview"))
}

/// Returns the extensions that provide the state and attributes which a program of the ARB
/// languages names.
fn binding_extensions(text: &[u8]) -> impl Iterator<Item = &'static str> {
    let mut dense = split_statements(text).collect::<Vec<_>>().join(";");
    dense.retain(|letter| !letter.is_whitespace());
    let blends = dense
        .split("state.matrix.modelview[")
        .skip(1)
        .any(|rest| !rest.starts_with("0]"));
    let named = BINDING_EXTENSIONS
        .iter()
        .filter(move |(name, _)| dense.contains(name));
    let named = named.map(|(_, extension)| *extension);
    named.chain(blends.then_some("GL_ARB_vertex_blend"))
}

/// Returns the extension that defines the language of a program: that of an unsupported language
/// which the header names, or else the extension of the program target.
fn header_extension(target: ProgramTarget, text: &[u8]) -> String {
    let of_language = UnsupportedLanguage::find_extension(text).map(|name| format!("GL_{name}"));
    of_language.unwrap_or_else(|| target_extension(target).to_owned())
}

/// Returns the extension that defines an option of programs; `None` if the option is part of its
/// language or unknown.
fn option_extension(name: &str) -> Option<String> {
    match OPTION_EXTENSIONS.iter().find(|(known, _)| *known == name) {
        Some((_, extension)) => extension.map(str::to_owned),
        None => {
            options::find_any_option(name.as_bytes()).map(|option| format!("GL_{}", option.name))
        }
    }
}

/// Returns the names of the options of a program: `OPTION` statements precede all others.
fn option_names(text: &[u8]) -> impl Iterator<Item = String> + '_ {
    let statements = split_statements(text);
    statements.map_while(|statement| Some(statement.strip_prefix("OPTION")?.trim().to_owned()))
}

/// Returns the number of address registers that a program declares by `ADDRESS`. Implementations
/// may limit it.
pub(crate) fn count_address_registers(text: &[u8]) -> usize {
    let lists = split_statements(text).filter_map(|statement| {
        let names = statement.strip_prefix("ADDRESS")?;
        names
            .starts_with(char::is_whitespace)
            .then(|| names.split(',').count())
    });
    lists.sum()
}

/// Splits a program into its statements, trimmed, without comments and the header; the last one is
/// the text after the last semicolon. Statements after those that the caller takes are not read.
fn split_statements(text: &[u8]) -> impl Iterator<Item = String> + '_ {
    let header_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'#';
    let body = text.iter().position(header_end).unwrap_or(text.len());
    let mut rest = Some(&text[body..]);
    std::iter::from_fn(move || {
        let (statement, after) = read_statement(rest?);
        rest = after;
        Some(statement)
    })
}

/// Reads a statement up to its semicolon, without comments, and returns it with the text after the
/// semicolon; `None` at the end of the text.
fn read_statement(text: &[u8]) -> (String, Option<&[u8]>) {
    let mut statement = Vec::new();
    let mut is_comment = false;
    let mut rest = None;
    for (index, &byte) in text.iter().enumerate() {
        match byte {
            b'\n' | b'\r' => {
                is_comment = false;
                statement.push(b' ');
            }
            _ if is_comment => {}
            b'#' => is_comment = true,
            b';' => {
                rest = Some(&text[index + 1..]);
                break;
            }
            _ => statement.push(byte),
        }
    }
    let statement = String::from_utf8_lossy(&statement).trim().to_owned();
    (statement, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_options_name_extensions() {
        let text =
            b"!!ARBfp1.0 # here\nOPTION ARB_draw_buffers;OPTION  ARB_fog_exp ;\n# OPTION no;\n\
            OPTION NV_fragment_program;\nOPTION made_up;\nTEMP a; OPTION ATI_draw_buffers;";
        assert_eq!(
            required_extensions(ProgramTarget::Fragment, text),
            [
                "GL_ARB_fragment_program",
                "GL_ARB_draw_buffers",
                "GL_NV_fragment_program_option"
            ]
        );
        assert_eq!(
            required_extensions(ProgramTarget::Vertex, b""),
            ["GL_ARB_vertex_program"]
        );
        assert_eq!(
            required_extensions(
                ProgramTarget::Geometry,
                b"!!NVxp9.0\nOPTION ARB_position_invariant;"
            ),
            ["GL_NV_gpu_program4"]
        );
    }

    #[test]
    fn bindings_name_extensions() {
        let found = |text: &[u8]| required_extensions(ProgramTarget::Vertex, text);
        assert_eq!(
            found(b"!!ARBvp1.0\nMOV r, vertex . weight [0];"),
            ["GL_ARB_vertex_program", "GL_ARB_vertex_blend"]
        );
        let modelview = |number: &str| {
            let text = format!("!!ARBvp1.0\nPARAM m = state.matrix.modelview[{number}].row[1];");
            found(text.as_bytes()).len()
        };
        assert_eq!((modelview("0"), modelview("1")), (1, 2));
        assert_eq!(found(b"!!ARBvp1.0\nTEMP weight; # vertex.weight").len(), 1);
        assert_eq!(found(b"!!NVvp4.0\nMOV r, vertex.weight;").len(), 1);
    }

    #[test]
    fn comments_are_no_statements() {
        let text = b"!!ARBvp1.0# a; b\n OPTION x ;# c;\rTEMP d#;\r\n; END";
        let found: Vec<String> = split_statements(text).collect();
        assert_eq!(found, ["OPTION x", "TEMP d", "END"]);
    }

    #[test]
    fn address_registers_are_counted() {
        let text = b"!!ARBvp1.0\nADDRESS a; # ADDRESS no;\nADDRESS b,\tc;\nTEMP ADDRESSES;\nEND";
        assert_eq!(count_address_registers(text), 3);
        assert_eq!(count_address_registers(b"!!ARBvp1.0"), 0);
    }

    #[test]
    fn languages_have_extensions_whether_glasm_has_them_or_not() {
        for (header, extension) in [
            ("!!NVcp5.0", "GL_NV_compute_program5"),
            ("!!NVtep5.0\nEND", "GL_NV_tessellation_program5"),
            ("!!VP1.1", "GL_NV_vertex_program1_1"),
            ("!!ARBfp9.0", "GL_NV_vertex_program"),
        ] {
            let found = header_extension(ProgramTarget::VertexState, header.as_bytes());
            assert_eq!(found, extension, "{header}");
        }
    }

    #[test]
    fn exceptions_are_sorted_and_named_once() {
        assert!(OPTION_EXTENSIONS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert_eq!(
            option_extension("ARB_blend_func_extended").as_deref(),
            Some("GL_ARB_blend_func_extended")
        );
    }
}
