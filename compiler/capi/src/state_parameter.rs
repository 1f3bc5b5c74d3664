//! `state.*` parameters as a structure.

use crate::enums::{CNumber, glasm_matrix, read_number, to_matrix_name};
use crate::ffi_guard::Failure;
use glasm::state::StateParam;
use glasm_capi_macros::c_enum;

/// State of GL that a parameter reads. The comment of each lists the members of
/// glasm_state_parameter that are used.
#[c_enum]
#[repr(u32)]
pub enum glasm_state_parameter_kind {
    /// A row of a matrix: `matrix`, `index` (its number), `form`, `row`.
    MatrixRow = 0,
    /// Color of a material: `face`, `term`.
    MaterialColor = 1,
    /// (shininess, 0, 0, 1) of a material: `face`.
    MaterialShininess = 2,
    /// Color of a light: `index`, `term`.
    LightColor = 3,
    /// Position of a light: `index`.
    LightPosition = 4,
    /// (constant, linear, quadratic attenuation, spot exponent) of a light: `index`.
    LightAttenuation = 5,
    /// (spot direction, cosine of the spot cutoff) of a light: `index`.
    LightSpotDirection = 6,
    /// Half vector of a light: `index`.
    LightHalfVector = 7,
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
    /// (scale, offset, 0, 1) that convert y of the window position to a distance from the top.
    WindowOrigin = 21,
    /// (scale, offset, 0, 1) that convert y of the window position to a distance from the bottom.
    WindowOriginLower = 22,
    /// Property of thread groups, an integer in the first component: `property`.
    ThreadProperty = 23,
    /// (factor, 0, 0, 1): GL's normal rescaling.
    NormalScale = 24,
    /// Number of samples, an integer in the first component.
    Samples = 25,
    /// (x, y, 0, 1) of a sample: `index`.
    SamplePosition = 26,
}

/// Four floats of GL's state. glasm_state_parameter_kind lists the members that each kind uses; others are 0.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct glasm_state_parameter {
    /// Its kind: a glasm_state_parameter_kind.
    pub kind: u32,
    /// Number of the light, texture unit, coordinate set, clip plane, sample or matrix.
    pub index: u32,
    /// A glasm_matrix.
    pub matrix: u32,
    /// A glasm_matrix_form.
    pub matrix_form: u32,
    /// Row of the matrix, 0 to 3.
    pub matrix_row: u32,
    /// A glasm_face.
    pub face: u32,
    /// A glasm_color_term.
    pub color_term: u32,
    /// A glasm_texgen_plane.
    pub texgen_plane: u32,
    /// A glasm_texgen_coord.
    pub texgen_coord: u32,
    /// A glasm_thread_property.
    pub thread_property: u32,
}

macro_rules! conversions {
    ($([$variant:ident $(($($arg:ident: $ty:ident),*))?] $($driver:ident)? $text:literal $(as $name:literal)? $meaning:literal
        { $($paths:tt)* })*) => {
        /// Converts a state parameter to the structure for C; members that its kind does not use
        /// are 0.
        pub(crate) fn convert_state_parameter(param: StateParam) -> glasm_state_parameter {
            let of = |kind: glasm_state_parameter_kind| glasm_state_parameter {
                kind: kind as u32,
                ..glasm_state_parameter::default()
            };
            match param {
                StateParam::MatrixRow { matrix, form, row } => {
                    let (matrix, index) = glasm_matrix::from_name(matrix);
                    glasm_state_parameter {
                        matrix: matrix as u32,
                        index,
                        matrix_form: form.to_number(),
                        matrix_row: row.into(),
                        ..of(glasm_state_parameter_kind::MatrixRow)
                    }
                }
                $(StateParam::$variant $(($($arg),*))? => glasm_state_parameter {
                    $($($arg: $arg.to_number(),)*)?
                    ..of(glasm_state_parameter_kind::$variant)
                },)*
            }
        }

        /// Converts the structure of the caller to a state parameter; fails for unknown numbers.
        pub(crate) fn read_parameter(given: &glasm_state_parameter) -> Result<StateParam, Failure> {
            Ok(match read_number(given.kind, "kind")? {
                glasm_state_parameter_kind::MatrixRow => matrix_row(given)?,
                $(glasm_state_parameter_kind::$variant => {
                    StateParam::$variant $(($(read_number(given.$arg, stringify!($arg))?),*))?
                })*
            })
        }
    };
}

glasm::ir::state_params! { conversions }

/// Reads a parameter that is a row of a matrix. Fails if the row is not 0 to 3, or if the matrix,
/// its form or its index is not allowed.
fn matrix_row(given: &glasm_state_parameter) -> Result<StateParam, Failure> {
    let row = u8::try_from(given.matrix_row).ok().filter(|row| *row < 4);
    let row =
        row.ok_or_else(|| Failure::invalid_argument("`matrix_row` is past the last of four rows"))?;
    let name = to_matrix_name(read_number(given.matrix, "matrix")?, given.index);
    Ok(StateParam::MatrixRow {
        matrix: name
            .ok_or_else(|| Failure::invalid_argument("no parameter reads this `matrix`"))?,
        form: read_number(given.matrix_form, "matrix_form")?,
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
                matrix_form: 2,
                matrix_row: 1,
                face: 1,
                color_term: 2,
                texgen_plane: 1,
                texgen_coord: 3,
                thread_property: 2,
            };
            let Ok(found) = read_parameter(&given) else {
                continue;
            };
            kinds += 1;
            let again = convert_state_parameter(found);
            assert_eq!(again.kind, kind, "{found:?}");
            assert_eq!(read_parameter(&again).unwrap(), found);
        }
        assert_eq!(kinds, glasm_state_parameter_kind::SamplePosition as u32 + 1);
    }

    #[test]
    fn what_nothing_reads_is_refused() {
        let given = |row, matrix: glasm_matrix| glasm_state_parameter {
            matrix_row: row,
            matrix: matrix as u32,
            ..glasm_state_parameter::default()
        };
        assert!(read_parameter(&given(0, glasm_matrix::Modelview)).is_ok());
        assert!(read_parameter(&given(4, glasm_matrix::Modelview)).is_err());
        assert!(read_parameter(&given(0, glasm_matrix::Color)).is_err());
    }
}
