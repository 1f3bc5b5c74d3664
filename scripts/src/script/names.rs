//! Names of vertex attributes and the locations that they denote.
//!
//! Conventional names alias generic attributes as in NV_vertex_program (table X.1) and
//! ARB_vertex_program.

/// Number of vertex attributes that scripts can name.
pub(crate) const ATTRIBUTES: u32 = 32;

const PLAIN_NAMES: &[(&str, u32)] = &[
    ("vertex.position", 0),
    ("vertex.weight", 1),
    ("vertex.normal", 2),
    ("vertex.color", 3),
    ("vertex.color.primary", 3),
    ("vertex.color.secondary", 4),
    ("vertex.fogcoord", 5),
    ("vertex.texcoord", 8),
    ("v[OPOS]", 0),
    ("v[WGHT]", 1),
    ("v[NRML]", 2),
    ("v[COL0]", 3),
    ("v[COL1]", 4),
    ("v[FOGC]", 5),
    ("piglit_vertex", 0),
    ("piglit_texcoord", 8),
    ("vertex", 0),
    ("gl_Vertex", 0),
    ("gl_Normal", 2),
    ("gl_Color", 3),
    ("gl_SecondaryColor", 4),
    ("gl_FogCoord", 5),
];

/// Prefix, suffix, first location and number of names with a number inside.
const NUMBERED_NAMES: &[(&str, &str, u32, u32)] = &[
    ("vertex.attrib[", "]", 0, ATTRIBUTES),
    ("vertex.texcoord[", "]", 8, 8),
    ("vertex.weight[", "]", 1, 1),
    ("v[TEX", "]", 8, 8),
    ("v[", "]", 0, 16),
    ("gl_MultiTexCoord", "", 8, 8),
    ("", "", 0, ATTRIBUTES),
];

/// Names of vectors of four weights or matrix indices that no generic attribute aliases, by the
/// number of the first.
const QUAD_NAMES: &[(&str, u32)] = &[
    ("vertex.weight[4]", 16),
    ("vertex.weight[8]", 17),
    ("vertex.weight[12]", 18),
    ("vertex.matrixindex[0]", 20),
    ("vertex.matrixindex[4]", 21),
    ("vertex.matrixindex[8]", 22),
    ("vertex.matrixindex[12]", 23),
];

/// Returns the location of an attribute name or number.
pub(crate) fn attribute_location(name: &str) -> Option<u32> {
    let mut names = PLAIN_NAMES.iter().chain(QUAD_NAMES);
    if let Some((_, location)) = names.find(|(text, _)| *text == name) {
        return Some(*location);
    }
    NUMBERED_NAMES
        .iter()
        .find_map(|(prefix, suffix, first, count)| {
            let number: u32 = name
                .strip_prefix(prefix)?
                .strip_suffix(suffix)?
                .parse()
                .ok()?;
            (number < *count).then_some(first + number)
        })
}

/// Returns true if a name of a buffer or file consists of ASCII letters, digits and `_`, `-`, `.`,
/// and does not begin with a dot or digit.
pub(crate) fn is_identifier(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    name.chars().all(plain) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventional_names_alias_generic_attributes() {
        for (name, location) in [
            ("7", 7),
            ("vertex.position", 0),
            ("vertex.attrib[31]", 31),
            ("vertex.texcoord[2]", 10),
            ("vertex.weight[0]", 1),
            ("vertex.weight[4]", 16),
            ("vertex.matrixindex[12]", 23),
            ("v[TEX7]", 15),
            ("v[OPOS]", 0),
            ("v[12]", 12),
            ("gl_MultiTexCoord1", 9),
        ] {
            assert_eq!(attribute_location(name), Some(location), "{name}");
        }
        for name in [
            "32",
            "v[16]",
            "vertex.texcoord[8]",
            "vertex.attrib[]",
            "vertex.weight[1]",
            "position",
            "-1",
            "+1x",
        ] {
            assert_eq!(attribute_location(name), None, "{name}");
        }
    }

    #[test]
    fn file_names_cannot_leave_their_folder() {
        assert!(is_identifier("lit_cube.png"));
        for name in ["", "../x.png", "a/b.png", ".hidden", "1"] {
            assert!(!is_identifier(name), "{name}");
        }
    }
}
