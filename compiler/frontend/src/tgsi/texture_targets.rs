//! Words for textures and images: targets, types, formats. TGSI, sections "Texture Sampling and
//! Texture Formats" and "Declaration Sampler View".

use super::lex::Word;
use glasm_ir::TexTarget;
use glasm_ir::image::IMAGE_FORMATS;
use glasm_ir::types::Type;

/// Position of the comparison reference of a lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reference {
    /// There is none.
    None,
    /// A lane of the coordinate.
    Lane(u8),
    /// The operand after the coordinate.
    Operand,
}

/// An entry of the table of texture targets.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextureTarget {
    pub(super) word: &'static str,
    pub(super) target: TexTarget,
    pub(super) reference: Reference,
}

macro_rules! targets {
    ($($word:literal $target:ident $reference:expr;)*) => {
        /// All targets. If arrays have two spellings the newer one is first.
        static TARGETS: &[TextureTarget] = &[$(TextureTarget {
            word: $word,
            target: TexTarget::$target,
            reference: $reference,
        },)*];
    };
}

targets! {
    // Columns: word, target, reference. Notes of TGSI, table of texture operands.
    "2D" D2 Reference::None;
    "BUFFER" Buffer Reference::None;
    "1D" D1 Reference::None;
    "3D" D3 Reference::None;
    "CUBE" Cube Reference::None;
    "RECT" Rect Reference::None;
    "SHADOW1D" D1 Reference::Lane(2);
    "SHADOW2D" D2 Reference::Lane(2);
    "SHADOWRECT" Rect Reference::Lane(2);
    "1D_ARRAY" D1Array Reference::None;
    "2D_ARRAY" D2Array Reference::None;
    "SHADOW1D_ARRAY" D1Array Reference::Lane(2);
    "SHADOW2D_ARRAY" D2Array Reference::Lane(3);
    "SHADOWCUBE" Cube Reference::Lane(3);
    "2D_MSAA" D2Multisample Reference::None;
    "2D_ARRAY_MSAA" D2MultisampleArray Reference::None;
    "CUBEARRAY" CubeArray Reference::None;
    "SHADOWCUBEARRAY" CubeArray Reference::Operand;
    "1DARRAY" D1Array Reference::None;
    "2DARRAY" D2Array Reference::None;
    "SHADOW1DARRAY" D1Array Reference::Lane(2);
    "SHADOW2DARRAY" D2Array Reference::Lane(3);
    "2DMS" D2Multisample Reference::None;
    "2DMSARRAY" D2MultisampleArray Reference::None;
    "CUBE_ARRAY" CubeArray Reference::None;
    "SHADOWCUBE_ARRAY" CubeArray Reference::Operand;
}

impl TextureTarget {
    /// Returns the table entry of the texture target with this name, without regard to case.
    pub(super) fn from_word(word: &Word<'_>) -> Option<&'static Self> {
        TARGETS.iter().find(|row| word.is(row.word))
    }

    /// Returns the target of an array of two-dimensional layers.
    pub(super) const fn layered_2d() -> &'static Self {
        &Self {
            word: "2D_ARRAY",
            target: TexTarget::D2Array,
            reference: Reference::None,
        }
    }

    /// Returns the table entries of all texture targets.
    pub(super) fn rows() -> &'static [Self] {
        TARGETS
    }

    /// Returns the words of all targets.
    pub(super) fn words() -> impl Iterator<Item = &'static str> {
        TARGETS.iter().map(|row| row.word)
    }

    /// Returns true if lookups of the target compare with a reference.
    pub(super) const fn is_shadow(&self) -> bool {
        !matches!(self.reference, Reference::None)
    }

    /// Returns true if the coordinate has no lane left for a level or a bias.
    pub(super) const fn uses_all_lanes(&self) -> bool {
        let lanes = self.target.dimensions() + self.target.is_array() as u8;
        // All lanes are coordinates and layer, or the last one is the reference.
        lanes == 4 || matches!(self.reference, Reference::Lane(3))
    }
}

/// Returns the type of the results of a view: one of `UNORM`, `SNORM`, `SINT`, `UINT`, `FLOAT`.
pub(super) fn parse_view_type(word: &Word<'_>) -> Option<Type> {
    let types = [
        ("FLOAT", Type::F32),
        ("UNORM", Type::F32),
        ("SNORM", Type::F32),
        ("SINT", Type::S32),
        ("UINT", Type::U32),
    ];
    let found = types.into_iter().find(|(name, _)| word.is(name));
    found.map(|(_, ty)| ty)
}

/// Prefix of a format.
const FORMAT_PREFIX: &[u8] = b"PIPE_FORMAT_";

/// Returns the type of the texels of a format, `None` inside if the word leaves it open. Formats of
/// integers end in `_UINT` or `_SINT`.
pub(super) fn parse_format_type(word: &Word<'_>) -> Option<Option<Type>> {
    let (head, name) = word.text.split_at_checked(FORMAT_PREFIX.len())?;
    if !head.eq_ignore_ascii_case(FORMAT_PREFIX) || name.is_empty() {
        return None;
    }
    let ends = |end: &str| {
        let tail = name.len().checked_sub(end.len()).map(|at| &name[at..]);
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
    };
    // By the suffix of the name. NONE leaves the type open.
    Some(match () {
        () if ends("NONE") => None,
        () if ends("_UINT") => Some(Type::U32),
        () if ends("_SINT") => Some(Type::S32),
        () => Some(Type::F32),
    })
}

/// Returns Vulkan's name of a format that images may have; `None` for others and for
/// `PIPE_FORMAT_NONE`. Gallium names packed formats from the lowest bits on, Vulkan from the
/// highest ones.
pub(super) fn parse_vulkan_format(word: &[u8]) -> Option<&'static str> {
    const PACKED: [(&str, &str); 3] = [
        ("R11G11B10_FLOAT", "B10G11R11_UFLOAT_PACK32"),
        ("R10G10B10A2_UINT", "A2B10G10R10_UINT_PACK32"),
        ("R10G10B10A2_UNORM", "A2B10G10R10_UNORM_PACK32"),
    ];
    let name = word.get(FORMAT_PREFIX.len()..)?;
    let is_named = |known: &str| {
        // Gallium's floats have no sign in their names.
        match known.strip_suffix("SFLOAT") {
            Some(channels) => {
                let (head, tail) = name.split_at(channels.len().min(name.len()));
                head.eq_ignore_ascii_case(channels.as_bytes())
                    && tail.eq_ignore_ascii_case(b"FLOAT")
            }
            None => name.eq_ignore_ascii_case(known.as_bytes()),
        }
    };
    let mut packed = PACKED.iter();
    let packed = packed.find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()));
    IMAGE_FORMATS
        .iter()
        .copied()
        .find(|known| packed.map_or_else(|| is_named(known), |(_, vulkan)| known == vulkan))
}

/// Returns true if a format has one component of 32 bits.
pub(super) fn is_32bit_format(word: &[u8]) -> bool {
    let name = word.get(FORMAT_PREFIX.len()..).unwrap_or_default();
    let mut names = ["R32_UINT", "R32_SINT", "R32_FLOAT"].iter();
    names.any(|it| name.eq_ignore_ascii_case(it.as_bytes()))
}

/// Returns true if atomics support a format: 32 bits of an integer, or of a float for sums and
/// exchange, or a format that is left open.
pub(super) fn is_atomic_format(word: &[u8]) -> bool {
    let name = word.get(FORMAT_PREFIX.len()..).unwrap_or_default();
    is_32bit_format(word) || name.eq_ignore_ascii_case(b"NONE")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Word<'_> {
        Word {
            text: text.as_bytes(),
            start: 0,
        }
    }

    #[test]
    fn words_are_found_in_either_case() {
        for row in TARGETS {
            let lower = row.word.to_ascii_lowercase();
            assert_eq!(
                TextureTarget::from_word(&word(&lower)).map(|it| it.word),
                Some(row.word)
            );
        }
        assert!(TextureTarget::from_word(&word("2")).is_none());
    }

    #[test]
    fn formats_have_names_of_vulkan() {
        let cases = [
            ("PIPE_FORMAT_R8G8B8A8_UNORM", Some("R8G8B8A8_UNORM")),
            ("pipe_format_r32_uint", Some("R32_UINT")),
            ("PIPE_FORMAT_R16G16_FLOAT", Some("R16G16_SFLOAT")),
            (
                "PIPE_FORMAT_R11G11B10_FLOAT",
                Some("B10G11R11_UFLOAT_PACK32"),
            ),
            (
                "PIPE_FORMAT_R10G10B10A2_UINT",
                Some("A2B10G10R10_UINT_PACK32"),
            ),
            // Images have no formats of three components or of other orders.
            ("PIPE_FORMAT_R32G32B32_FLOAT", None),
            ("PIPE_FORMAT_B8G8R8A8_UNORM", None),
            ("PIPE_FORMAT_NONE", None),
            ("PIPE", None),
        ];
        for (word, name) in cases {
            assert_eq!(parse_vulkan_format(word.as_bytes()), name, "{word}");
        }
    }

    #[test]
    fn references_stand_behind_coordinates() {
        for row in TARGETS {
            let lanes = row.target.dimensions() + u8::from(row.target.is_array());
            match row.reference {
                Reference::None => assert!(!row.is_shadow() && !row.word.starts_with("SHADOW")),
                // That of SHADOW1D is in z, too.
                Reference::Lane(lane) => assert!(lane >= lanes.max(2) && lane < 4, "{}", row.word),
                Reference::Operand => assert_eq!(lanes, 4, "{}", row.word),
            }
        }
        let full = |name: &str| {
            TextureTarget::from_word(&word(name)).is_some_and(TextureTarget::uses_all_lanes)
        };
        assert!(full("CUBEARRAY") && full("SHADOWCUBE") && full("SHADOW2D_ARRAY"));
        assert!(!full("CUBE") && !full("SHADOW2D") && !full("2D_ARRAY"));
    }

    #[test]
    fn formats_tell_types() {
        let ty = |name: &str| parse_format_type(&word(name));
        assert_eq!(ty("PIPE_FORMAT_R32_UINT"), Some(Some(Type::U32)));
        assert_eq!(ty("pipe_format_r16g16_sint"), Some(Some(Type::S32)));
        assert_eq!(ty("PIPE_FORMAT_R8G8B8A8_UNORM"), Some(Some(Type::F32)));
        assert_eq!(ty("PIPE_FORMAT_NONE"), Some(None));
        assert_eq!(ty("PIPE_FORMAT_"), None);
        assert_eq!(ty("R32_UINT"), None);
        assert!(is_32bit_format(b"PIPE_FORMAT_R32_SINT"));
        assert!(!is_32bit_format(b"PIPE_FORMAT_NONE"));
        assert!(is_atomic_format(b"PIPE_FORMAT_NONE"));
        assert!(!is_atomic_format(b"PIPE_FORMAT_R8_UINT"));
    }

    #[test]
    fn types_of_views() {
        assert_eq!(parse_view_type(&word("unorm")), Some(Type::F32));
        assert_eq!(parse_view_type(&word("SINT")), Some(Type::S32));
        assert_eq!(parse_view_type(&word("UINT")), Some(Type::U32));
        assert_eq!(parse_view_type(&word("INT")), None);
    }
}
