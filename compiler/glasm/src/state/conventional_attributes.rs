//! Conventional vertex attributes, which vertex programs read by index.

/// An attribute that conventional commands set. GL stores each in one of the 16 generic attributes
/// of vertex programs: `glNormal` and `glVertexAttribNV(2, ...)` set the same value, in calls, in
/// arrays and in display lists. NV_vertex_program section 2.14.1.6, table X.2. Components that a
/// command does not set have the defaults of `glVertexAttrib`: 0, 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConventionalAttribute {
    /// `glVertex`, which also ends the vertex.
    Position,
    /// `glVertexWeightEXT`, and the first weight of `glWeightARB`.
    Weight,
    /// `glNormal`
    Normal,
    /// `glColor`
    Color,
    /// `glSecondaryColor`
    SecondaryColor,
    /// `glFogCoord`
    FogCoord,
    /// `glMultiTexCoord` of texture unit 0 to 7; `glTexCoord` sets unit 0.
    TexCoord(u8),
}

impl ConventionalAttribute {
    /// Returns the index of the attribute, which is its location in modules. `None` for texture
    /// units without an attribute.
    pub const fn number(self) -> Option<u32> {
        Some(match self {
            Self::Position => 0,
            Self::Weight => 1,
            Self::Normal => 2,
            Self::Color => 3,
            Self::SecondaryColor => 4,
            Self::FogCoord => 5,
            Self::TexCoord(unit) if unit < 8 => 8 + unit as u32,
            Self::TexCoord(_) => return None,
        })
    }

    /// Returns the conventional attribute with an index; `None` for 6, 7 and those past 15, which
    /// only generic commands set.
    pub const fn of(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Position,
            1 => Self::Weight,
            2 => Self::Normal,
            3 => Self::Color,
            4 => Self::SecondaryColor,
            5 => Self::FogCoord,
            8..=15 => Self::TexCoord(number as u8 - 8),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_go_together() {
        let named: Vec<u32> = (0..32)
            .filter(|&n| ConventionalAttribute::of(n).is_some())
            .collect();
        assert_eq!(named, [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15]);
        for number in named {
            let attribute = ConventionalAttribute::of(number).unwrap();
            assert_eq!(attribute.number(), Some(number), "{attribute:?}");
        }
        assert_eq!(ConventionalAttribute::Normal.number(), Some(2));
        assert_eq!(ConventionalAttribute::TexCoord(7).number(), Some(15));
        assert_eq!(ConventionalAttribute::TexCoord(8).number(), None);
    }
}
