//! Attributes of vertices: which vector of a mesh each attribute of a program gets, and the vertex
//! data of the script.

use super::mesh::{Mesh, Vertex, cross};
use super::program::Language;
use super::usage::{InputUse, ProgramUsage};
use glasm::ir::{BaseType, Program, Semantic, TexTarget};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::str::FromStr;

/// Contents of an attribute.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AttributeKind {
    /// Position.
    Position,
    /// Normal.
    Normal,
    /// Tangent: the direction in which the first texture coordinate grows.
    Tangent,
    /// Binormal: the cross product of normal and tangent.
    Binormal,
    /// Color, opaque.
    Color,
    /// Texture coordinates from 0 to 1.
    TexCoord,
    /// Texture coordinates in texels of rectangle textures.
    TexelCoord,
    /// Direction that differs between vertices: (2 s - 1, 2 t - 1, 0.7), so that lookups in cube
    /// maps also reach the neighbors of a face.
    Direction,
    /// Integers: the number of the vertex.
    Number,
    /// Equal numbers for all vertices.
    Constant([f32; 4]),
}

/// Names of the contents of attributes on the command line.
pub const ATTRIBUTE_KINDS: &[(&str, AttributeKind)] = &[
    ("position", AttributeKind::Position),
    ("normal", AttributeKind::Normal),
    ("tangent", AttributeKind::Tangent),
    ("binormal", AttributeKind::Binormal),
    ("color", AttributeKind::Color),
    ("texcoord", AttributeKind::TexCoord),
    ("direction", AttributeKind::Direction),
];

impl FromStr for AttributeKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((_, kind)) = ATTRIBUTE_KINDS.iter().find(|(name, _)| *name == text) {
            return Ok(*kind);
        }
        let numbers = text.split(',').map(|word| word.trim().parse::<f32>().ok());
        let numbers: Option<Vec<f32>> = numbers.collect();
        let numbers = numbers.and_then(|found| <[f32; 4]>::try_from(found).ok());
        numbers.map(Self::Constant).ok_or_else(|| {
            let names: Vec<&str> = ATTRIBUTE_KINDS.iter().map(|(name, _)| *name).collect();
            format!("expected X,Y,Z,W or one of {}", names.join(", "))
        })
    }
}

impl AttributeKind {
    /// Returns the name of the contents, or the numbers.
    pub(super) fn describe(self) -> String {
        match self {
            Self::TexelCoord => "texture coordinates in texels".to_owned(),
            Self::Number => "number of the vertex".to_owned(),
            Self::Constant(values) => format_numbers(&values),
            Self::Position
            | Self::Normal
            | Self::Tangent
            | Self::Binormal
            | Self::Color
            | Self::TexCoord
            | Self::Direction => {
                let mut kinds = ATTRIBUTE_KINDS.iter();
                let found = kinds.find(|(_, kind)| *kind == self);
                found.map_or("", |(name, _)| *name).to_owned()
            }
        }
    }

    /// Returns the type of the column in vertex data.
    fn column_type(self) -> &'static str {
        match self {
            Self::Position | Self::Normal | Self::Tangent | Self::Binormal => "float/vec3",
            Self::TexCoord | Self::TexelCoord => "float/vec2",
            Self::Direction => "float/vec3",
            Self::Color | Self::Constant(_) => "float/vec4",
            Self::Number => "int/ivec4",
        }
    }

    /// Returns the numbers of a vertex, as words of a script.
    fn format_value(self, number: usize, vertex: &Vertex) -> String {
        let [s, t] = vertex.texcoord;
        let [r, g, b] = vertex.color;
        match self {
            Self::Position => format_numbers(&vertex.position),
            Self::Normal => format_numbers(&vertex.normal),
            Self::Tangent => format_numbers(&vertex.tangent),
            Self::Binormal => format_numbers(&cross(vertex.normal, vertex.tangent)),
            Self::Color => format_numbers(&[r, g, b, 1.0]),
            Self::TexCoord => format_numbers(&[s, t]),
            Self::TexelCoord => format_numbers(&[s * RECTANGLE_SIDE, t * RECTANGLE_SIDE]),
            Self::Direction => format_numbers(&[2.0 * s - 1.0, 2.0 * t - 1.0, 0.7]),
            Self::Number => format!("{number} {number} {number} 1"),
            Self::Constant(values) => format_numbers(&values),
        }
    }
}

/// Texels of a side of the default rectangle textures.
pub(super) const RECTANGLE_SIDE: f32 = 64.0;

/// Formats numbers for a script, with at most five decimals, separated by spaces.
pub(super) fn format_numbers(numbers: &[f32]) -> String {
    let mut text = String::new();
    for number in numbers {
        if !text.is_empty() {
            text.push(' ');
        }
        // Adding zero turns -0 into 0.
        let rounded = (f64::from(*number) * 1e5).round() / 1e5 + 0.0;
        let _ = write!(text, "{rounded}");
    }
    text
}

/// Attributes of the vertices of a scene, by number.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Attributes(pub(super) BTreeMap<u32, AttributeKind>);

impl Attributes {
    /// Returns the attributes that a vertex program reads, with contents that suit it.
    pub(super) fn from_vertex_program(
        program: &Program,
        usage: &ProgramUsage,
        language: Language,
    ) -> Self {
        let mut directions = [
            AttributeKind::Tangent,
            AttributeKind::Binormal,
            AttributeKind::Normal,
        ]
        .into_iter()
        .cycle();
        if language == Language::Tgsi {
            // Registers have no names: the first direction is most often the normal.
            directions.nth(1);
        }
        let mut found = BTreeMap::new();
        for (index, input) in program.inputs.iter().enumerate() {
            let Semantic::VertexAttribute(number) = input.semantic else {
                continue;
            };
            let number = u32::from(number);
            let named = match language {
                Language::Tgsi => None,
                Language::Assembly => get_conventional_kind(number),
            };
            let kind = match (named, usage.input_use(index)) {
                _ if number == 0 => AttributeKind::Position,
                (Some(kind), _) => kind,
                _ if input.base != BaseType::Float => AttributeKind::Number,
                (None, InputUse::Direction) => directions.next().unwrap_or(AttributeKind::Normal),
                (None, InputUse::Color) => AttributeKind::Color,
                (None, input_use) => get_coordinate_kind(input_use),
            };
            found.insert(number, kind);
        }
        Self(found)
    }

    /// Returns the `[vertex data]` section of a mesh, without the header of the section; empty
    /// without attributes.
    pub(super) fn format_vertex_data(&self, mesh: &Mesh) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let columns = self.0.iter();
        let headers = columns.map(|(number, kind)| format!("{number}/{}", kind.column_type()));
        let mut text = headers.collect::<Vec<_>>().join("  ");
        text.push('\n');
        for (number, vertex) in mesh.vertices.iter().enumerate() {
            let values = self.0.values();
            let values = values.map(|kind| kind.format_value(number, vertex));
            text += &values.collect::<Vec<_>>().join("  ");
            text.push('\n');
        }
        text
    }
}

/// Returns the contents of an attribute with a conventional name (ARB_vertex_program table X.2);
/// `None` for those whose use differs between applications.
fn get_conventional_kind(number: u32) -> Option<AttributeKind> {
    match number {
        1 => Some(AttributeKind::Constant([1.0, 0.0, 0.0, 0.0])),
        2 => Some(AttributeKind::Normal),
        3 => Some(AttributeKind::Color),
        4 => Some(AttributeKind::Constant([0.3, 0.3, 0.3, 1.0])),
        5 => Some(AttributeKind::Constant([0.5, 0.0, 0.0, 1.0])),
        8 => Some(AttributeKind::TexCoord),
        // Indices of the matrix palette.
        20.. => Some(AttributeKind::Constant([0.0; 4])),
        _ => None,
    }
}

/// Returns the contents of texture coordinates with a use.
pub(super) fn get_coordinate_kind(input_use: InputUse) -> AttributeKind {
    match input_use {
        InputUse::Coordinate(TexTarget::Cube | TexTarget::CubeArray) | InputUse::Direction => {
            AttributeKind::Direction
        }
        InputUse::Coordinate(TexTarget::Rect) => AttributeKind::TexelCoord,
        InputUse::Color => AttributeKind::Color,
        InputUse::ArrayIndex => AttributeKind::Constant([0.0; 4]),
        InputUse::Coordinate(_) | InputUse::Other => AttributeKind::TexCoord,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_have_names_or_numbers() {
        assert_eq!("normal".parse(), Ok(AttributeKind::Normal));
        let constant = AttributeKind::Constant([1.0, -2.0, 0.5, 1.0]);
        assert_eq!("1,-2, 0.5,1".parse(), Ok(constant));
        assert_eq!(constant.describe(), "1 -2 0.5 1");
        for wrong in ["", "1,2,3", "norm", "1,2,3,x"] {
            let error = wrong.parse::<AttributeKind>().unwrap_err();
            assert!(error.contains("tangent"), "{wrong}: {error}");
        }
    }

    #[test]
    fn vertex_data_has_a_column_for_each_attribute() {
        let kinds = [
            (0, AttributeKind::Position),
            (3, AttributeKind::Color),
            (8, AttributeKind::TexCoord),
            (9, AttributeKind::Direction),
        ];
        let data = Attributes(kinds.into()).format_vertex_data(&Mesh::rectangle());
        let lines: Vec<&str> = data.lines().collect();
        assert_eq!(
            lines[..2],
            [
                "0/float/vec3  3/float/vec4  8/float/vec2  9/float/vec3",
                "-1 -1 0  1 0.3 0.2 1  0 0  -1 -1 0.7"
            ]
        );
        assert_eq!(lines.len(), 5);
        assert_eq!(
            Attributes::default().format_vertex_data(&Mesh::rectangle()),
            ""
        );
    }
}
