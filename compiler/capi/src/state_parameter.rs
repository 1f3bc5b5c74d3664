//! `state.*` parameters as a structure.

use crate::call::Failure;
use crate::enums::{
    Choice, choice, glasm_color_term, glasm_face, glasm_matrix, glasm_matrix_form,
    glasm_texgen_coord, glasm_texgen_plane, glasm_thread_property, matrix_name,
};
use glasm::state::StateParam;

/// What a parameter reads of GL's state. The members of glasm_state_parameter that count stand behind each.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum glasm_state_kind {
    /// A row of a matrix: `matrix`, `index` (its number), `form`, `row`.
    MatrixRow = 0,
    /// Color of a material: `face`, `term`.
    Material = 1,
    /// (shininess, 0, 0, 1) of a material: `face`.
    MaterialShininess = 2,
    /// Color of a light: `index`, `term`.
    Light = 3,
    /// Position of a light: `index`.
    LightPosition = 4,
    /// (constant, linear, quadratic attenuation, spot exponent) of a light: `index`.
    LightAttenuation = 5,
    /// (spot direction, cosine of the spot cutoff) of a light: `index`.
    LightSpotDirection = 6,
    /// Half vector of a light: `index`.
    LightHalf = 7,
    /// Ambient color of the light model.
    LightModelAmbient = 8,
    /// Scene color: `face`.
    LightModelSceneColor = 9,
    /// Product of light and material color: `index`, `face`, `term`.
    LightProduct = 10,
    /// Plane of texture coordinate generation: `index` (coordinate set), `plane`, `coord`.
    Texgen = 11,
    /// Texture environment color: `index`.
    TexenvColor = 12,
    /// Fog color.
    FogColor = 13,
    /// (density, start, end, 1 / (end - start))
    FogParams = 14,
    /// Clip plane in eye space: `index`.
    ClipPlane = 15,
    /// (size, min, max, fade threshold)
    PointSize = 16,
    /// (constant, linear, quadratic attenuation, 1)
    PointAttenuation = 17,
    /// (near, far, far - near, 1)
    DepthRange = 18,
    /// (x, y, width, height)
    Viewport = 19,
    /// (least, largest, 0, 1) depth of fragments that replace it.
    DepthBounds = 20,
    /// (scale, offset, 0, 1) that make of y of the window position a count from the top.
    WindowOrigin = 21,
    /// The same for a count from the bottom.
    WindowOriginLower = 22,
    /// Property of thread groups, an integer in the first component: `property`.
    Thread = 23,
    /// (factor, 0, 0, 1): GL's normal rescaling.
    NormalScale = 24,
    /// Number of samples, an integer in the first component.
    Samples = 25,
    /// (x, y, 0, 1) of a sample: `index`.
    SamplePosition = 26,
}

impl Choice for glasm_state_kind {
    fn of(number: u32) -> Option<Self> {
        let all = [
            Self::MatrixRow,
            Self::Material,
            Self::MaterialShininess,
            Self::Light,
            Self::LightPosition,
            Self::LightAttenuation,
            Self::LightSpotDirection,
            Self::LightHalf,
            Self::LightModelAmbient,
            Self::LightModelSceneColor,
            Self::LightProduct,
            Self::Texgen,
            Self::TexenvColor,
            Self::FogColor,
            Self::FogParams,
            Self::ClipPlane,
            Self::PointSize,
            Self::PointAttenuation,
            Self::DepthRange,
            Self::Viewport,
            Self::DepthBounds,
            Self::WindowOrigin,
            Self::WindowOriginLower,
            Self::Thread,
            Self::NormalScale,
            Self::Samples,
            Self::SamplePosition,
        ];
        all.into_iter().find(|kind| *kind as u32 == number)
    }
}

/// Four floats of GL's state. Which members count is said at glasm_state_kind; the others are 0.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct glasm_state_parameter {
    /// What it is: a glasm_state_kind.
    pub kind: u32,
    /// Number of the light, texture unit, coordinate set, clip plane, sample or matrix.
    pub index: u32,
    /// A glasm_matrix.
    pub matrix: u32,
    /// A glasm_matrix_form.
    pub form: u32,
    /// Row of the matrix, 0 to 3.
    pub row: u32,
    /// A glasm_face.
    pub face: u32,
    /// A glasm_color_term.
    pub term: u32,
    /// A glasm_texgen_plane.
    pub plane: u32,
    /// A glasm_texgen_coord.
    pub coord: u32,
    /// A glasm_thread_property.
    pub property: u32,
}

/// The structure of a parameter.
#[expect(
    clippy::too_many_lines,
    reason = "a dispatcher: one short arm for each kind"
)]
pub(crate) fn state_parameter(param: StateParam) -> glasm_state_parameter {
    use glasm_state_kind as Kind;
    let of = |kind: Kind| glasm_state_parameter {
        kind: kind as u32,
        ..glasm_state_parameter::default()
    };
    let indexed = |kind, index| glasm_state_parameter { index, ..of(kind) };
    let of_face = |kind, face: glasm_face| glasm_state_parameter {
        face: face as u32,
        ..of(kind)
    };
    match param {
        StateParam::MatrixRow { matrix, form, row } => {
            let (matrix, index) = glasm_matrix::of(matrix);
            glasm_state_parameter {
                matrix: matrix as u32,
                form: glasm_matrix_form::from(form) as u32,
                row: row.into(),
                ..indexed(Kind::MatrixRow, index)
            }
        }
        StateParam::Material(face, term) => glasm_state_parameter {
            term: glasm_color_term::from(term) as u32,
            ..of_face(Kind::Material, face.into())
        },
        StateParam::MaterialShininess(face) => of_face(Kind::MaterialShininess, face.into()),
        StateParam::Light(n, term) => glasm_state_parameter {
            term: glasm_color_term::from(term) as u32,
            ..indexed(Kind::Light, n)
        },
        StateParam::LightPosition(n) => indexed(Kind::LightPosition, n),
        StateParam::LightAttenuation(n) => indexed(Kind::LightAttenuation, n),
        StateParam::LightSpotDirection(n) => indexed(Kind::LightSpotDirection, n),
        StateParam::LightHalf(n) => indexed(Kind::LightHalf, n),
        StateParam::LightModelAmbient => of(Kind::LightModelAmbient),
        StateParam::LightModelSceneColor(face) => of_face(Kind::LightModelSceneColor, face.into()),
        StateParam::LightProduct(index, face, term) => glasm_state_parameter {
            index,
            term: glasm_color_term::from(term) as u32,
            ..of_face(Kind::LightProduct, face.into())
        },
        StateParam::TexGen(set, plane, coord) => glasm_state_parameter {
            plane: glasm_texgen_plane::from(plane) as u32,
            coord: glasm_texgen_coord::from(coord) as u32,
            ..indexed(Kind::Texgen, set)
        },
        StateParam::TexEnvColor(unit) => indexed(Kind::TexenvColor, unit),
        StateParam::FogColor => of(Kind::FogColor),
        StateParam::FogParams => of(Kind::FogParams),
        StateParam::ClipPlane(n) => indexed(Kind::ClipPlane, n),
        StateParam::PointSize => of(Kind::PointSize),
        StateParam::PointAttenuation => of(Kind::PointAttenuation),
        StateParam::DepthRange => of(Kind::DepthRange),
        StateParam::Viewport => of(Kind::Viewport),
        StateParam::DepthBounds => of(Kind::DepthBounds),
        StateParam::WindowOrigin => of(Kind::WindowOrigin),
        StateParam::WindowOriginLower => of(Kind::WindowOriginLower),
        StateParam::Thread(property) => glasm_state_parameter {
            property: glasm_thread_property::from(property) as u32,
            ..of(Kind::Thread)
        },
        StateParam::NormalScale => of(Kind::NormalScale),
        StateParam::Samples => of(Kind::Samples),
        StateParam::SamplePosition(n) => indexed(Kind::SamplePosition, n),
    }
}

/// The parameter of a structure.
pub(crate) fn param(given: &glasm_state_parameter) -> Result<StateParam, Failure> {
    use glasm_state_kind as Kind;
    let index = given.index;
    let face = || choice(given.face, "face");
    let term = || choice(given.term, "term");
    let found = match choice(given.kind, "kind")? {
        Kind::MatrixRow => matrix_row(given)?,
        Kind::Material => StateParam::Material(face()?, term()?),
        Kind::MaterialShininess => StateParam::MaterialShininess(face()?),
        Kind::Light => StateParam::Light(index, term()?),
        Kind::LightPosition => StateParam::LightPosition(index),
        Kind::LightAttenuation => StateParam::LightAttenuation(index),
        Kind::LightSpotDirection => StateParam::LightSpotDirection(index),
        Kind::LightHalf => StateParam::LightHalf(index),
        Kind::LightModelAmbient => StateParam::LightModelAmbient,
        Kind::LightModelSceneColor => StateParam::LightModelSceneColor(face()?),
        Kind::LightProduct => StateParam::LightProduct(index, face()?, term()?),
        Kind::Texgen => {
            let plane = choice(given.plane, "plane")?;
            StateParam::TexGen(index, plane, choice(given.coord, "coord")?)
        }
        Kind::TexenvColor => StateParam::TexEnvColor(index),
        Kind::FogColor => StateParam::FogColor,
        Kind::FogParams => StateParam::FogParams,
        Kind::ClipPlane => StateParam::ClipPlane(index),
        Kind::PointSize => StateParam::PointSize,
        Kind::PointAttenuation => StateParam::PointAttenuation,
        Kind::DepthRange => StateParam::DepthRange,
        Kind::Viewport => StateParam::Viewport,
        Kind::DepthBounds => StateParam::DepthBounds,
        Kind::WindowOrigin => StateParam::WindowOrigin,
        Kind::WindowOriginLower => StateParam::WindowOriginLower,
        Kind::Thread => StateParam::Thread(choice(given.property, "property")?),
        Kind::NormalScale => StateParam::NormalScale,
        Kind::Samples => StateParam::Samples,
        Kind::SamplePosition => StateParam::SamplePosition(index),
    };
    Ok(found)
}

fn matrix_row(given: &glasm_state_parameter) -> Result<StateParam, Failure> {
    let row = u8::try_from(given.row).ok().filter(|row| *row < 4);
    let row = row.ok_or_else(|| Failure::argument("`row` is past the last of four rows"))?;
    let name = matrix_name(choice(given.matrix, "matrix")?, given.index);
    Ok(StateParam::MatrixRow {
        matrix: name.ok_or_else(|| Failure::argument("no parameter reads this `matrix`"))?,
        form: choice(given.form, "form")?,
        row,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_come_back() {
        let mut kinds = 0;
        for kind in 0..100 {
            let given = glasm_state_parameter {
                kind,
                index: 3,
                matrix: glasm_matrix::Palette as u32,
                form: 2,
                row: 1,
                face: 1,
                term: 2,
                plane: 1,
                coord: 3,
                property: 2,
            };
            let Ok(found) = param(&given) else { continue };
            kinds += 1;
            let again = state_parameter(found);
            assert_eq!(again.kind, kind, "{found:?}");
            assert_eq!(param(&again).unwrap(), found);
        }
        assert_eq!(kinds, glasm_state_kind::SamplePosition as u32 + 1);
    }

    #[test]
    fn what_nothing_reads_is_refused() {
        let given = |row, matrix: glasm_matrix| glasm_state_parameter {
            row,
            matrix: matrix as u32,
            ..glasm_state_parameter::default()
        };
        assert!(param(&given(0, glasm_matrix::Modelview)).is_ok());
        assert!(param(&given(4, glasm_matrix::Modelview)).is_err());
        assert!(param(&given(0, glasm_matrix::Color)).is_err());
    }
}
