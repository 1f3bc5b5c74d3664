//! Matrices that vertex program parameters track (`TrackMatrixNV`). NV_vertex_program section
//! 2.14.5.
//!
//! Parameters 4 n to 4 n + 3 are a set: a set that tracks a matrix holds its rows and follows all
//! changes of the matrix. A caller that fills parameters queries [`GlState::get_tracked_row`] for
//! each `program.env[n]` of vertex and state programs before it uses its stored value.

use super::get_or_grow;
use super::matrix::{self, Matrix};
use super::{GlState, MatrixForm, MatrixName};

/// Number of parameters of a set.
const SET_SIZE: u32 = 4;

/// A matrix that can be tracked. NV_vertex_program section 2.14.5, with `TEXTUREi_ARB` and
/// `MATRIXi_NV` as texture and program matrices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TrackedMatrix {
    /// `MODELVIEW`: modelview matrix 0.
    Modelview,
    /// `PROJECTION`
    Projection,
    /// `MODELVIEW_PROJECTION_NV`: projection times modelview.
    ModelviewProjection,
    /// `COLOR`
    Color,
    /// `TEXTUREi_ARB`; `TEXTURE` is the matrix of the texture unit that is active when tracking
    /// begins.
    Texture(u32),
    /// `MATRIXi_NV`, the program matrix with the same index.
    Program(u32),
}

/// The tracking of a set of four parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MatrixTracking {
    /// The matrix.
    pub matrix: TrackedMatrix,
    /// Operation on the matrix before its rows are read: `IDENTITY_NV`, `INVERSE_NV`,
    /// `TRANSPOSE_NV`, `INVERSE_TRANSPOSE_NV`.
    pub form: MatrixForm,
}

impl GlState {
    /// Implements `glTrackMatrixNV(VERTEX_PROGRAM_NV, address, ...)`: parameters `address` to
    /// `address + 3` track a matrix from now on, or stop tracking with `None` (`NONE`). Returns the
    /// rows that they held if they tracked one before: with `None` the parameters retain these
    /// values, which the caller stores.
    ///
    /// GL allows only multiples of 4; other addresses denote the set that contains them.
    pub fn track_matrix(
        &mut self,
        address: u32,
        tracking: Option<MatrixTracking>,
    ) -> Option<[[f32; 4]; 4]> {
        let first = address - address % SET_SIZE;
        let before = self
            .get_tracking(first)
            .map(|it| self.compute_tracked_matrix(it));
        *get_or_grow(&mut self.tracked, address / SET_SIZE, None) = tracking;
        before.map(|before| std::array::from_fn(|row| matrix::get_row(&before, row)))
    }

    /// Returns the tracking of parameter `index`; `None` if it does not track a matrix.
    pub fn get_tracking(&self, index: u32) -> Option<MatrixTracking> {
        let set = (index / SET_SIZE) as usize;
        self.tracked.get(set).copied().flatten()
    }

    /// Returns the row that parameter `index` holds because it tracks a matrix; the first parameter
    /// of a set holds the top row.
    pub fn get_tracked_row(&self, index: u32) -> Option<[f32; 4]> {
        let matrix = self.compute_tracked_matrix(self.get_tracking(index)?);
        Some(matrix::get_row(&matrix, (index % SET_SIZE) as usize))
    }

    /// Returns the current value of a tracked matrix in the tracked form, such as its inverse;
    /// modelview is that of unit 0.
    fn compute_tracked_matrix(&self, tracking: MatrixTracking) -> Matrix {
        let name = match tracking.matrix {
            TrackedMatrix::Modelview => MatrixName::Modelview(0),
            TrackedMatrix::Projection => MatrixName::Projection,
            TrackedMatrix::ModelviewProjection => MatrixName::ModelviewProjection,
            TrackedMatrix::Color => return matrix::apply_form(&self.color, tracking.form),
            TrackedMatrix::Texture(unit) => MatrixName::Texture(unit),
            TrackedMatrix::Program(number) => MatrixName::Program(number),
        };
        self.compute_matrix(name, tracking.form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a matrix of rows.
    fn from_rows(rows: [[f32; 4]; 4]) -> Matrix {
        matrix::transpose(&rows)
    }

    fn track(state: &mut GlState, address: u32, matrix: TrackedMatrix, form: MatrixForm) {
        let before = state.track_matrix(address, Some(MatrixTracking { matrix, form }));
        assert_eq!(before, None);
    }

    fn get_tracked_rows(state: &GlState, first: u32) -> [[f32; 4]; 4] {
        std::array::from_fn(|row| state.get_tracked_row(first + row as u32).unwrap())
    }

    /// Checks the example of the specification, "Discussing matrices is confusing".
    #[test]
    fn the_example_of_the_specification() {
        let mut state = GlState::default();
        *state.program_mut(0) = [
            [1.0, 5.0, 9.0, 13.0],
            [2.0, 6.0, 10.0, 14.0],
            [3.0, 7.0, 11.0, 15.0],
            [4.0, 8.0, 12.0, 16.0],
        ];
        let matrix = TrackedMatrix::Program(0);
        track(&mut state, 4, matrix, MatrixForm::Plain);
        track(&mut state, 8, matrix, MatrixForm::Transpose);
        assert_eq!(state.get_tracked_row(5), Some([5.0, 6.0, 7.0, 8.0]));
        assert_eq!(state.get_tracked_row(9), Some([2.0, 6.0, 10.0, 14.0]));
        assert_eq!(
            (state.get_tracked_row(3), state.get_tracked_row(12)),
            (None, None)
        );
    }

    /// Checks x' = 2 x + 6, y' = 4 y - 4, z' = -z, whose inverse is x = x' / 2 - 3, y = y' / 4 + 1,
    /// z = -z'.
    #[test]
    fn transforms_by_hand() {
        let mut state = GlState {
            color: from_rows([
                [2.0, 0.0, 0.0, 6.0],
                [0.0, 4.0, 0.0, -4.0],
                [0.0, 0.0, -1.0, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ]),
            ..GlState::default()
        };
        track(&mut state, 92, TrackedMatrix::Color, MatrixForm::Inverse);
        let inverse = [
            [0.5, 0.0, 0.0, -3.0],
            [0.0, 0.25, 0.0, 1.0],
            [0.0, 0.0, -1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ];
        assert_eq!(get_tracked_rows(&state, 92), inverse);
        let form = MatrixForm::InverseTranspose;
        track(&mut state, 0, TrackedMatrix::Color, form);
        let columns = [
            [0.5, 0.0, 0.0, 0.0],
            [0.0, 0.25, 0.0, 0.0],
            [0.0, 0.0, -1.0, 0.0],
            [-3.0, 1.0, 0.0, 1.0],
        ];
        assert_eq!(get_tracked_rows(&state, 0), columns);
    }

    #[test]
    fn every_name_tracks_its_own_matrix() {
        let mut state = GlState {
            projection: matrix::scaling([2.0; 3]),
            color: matrix::scaling([3.0; 3]),
            ..GlState::default()
        };
        *state.modelview_mut(0) = matrix::scaling([5.0; 3]);
        *state.modelview_mut(1) = matrix::scaling([99.0; 3]);
        *state.texture_mut(7) = matrix::scaling([7.0; 3]);
        *state.program_mut(31) = matrix::scaling([11.0; 3]);
        for (set, (matrix, scale)) in [
            (TrackedMatrix::Modelview, 5.0),
            (TrackedMatrix::Projection, 2.0),
            (TrackedMatrix::ModelviewProjection, 10.0),
            (TrackedMatrix::Color, 3.0),
            (TrackedMatrix::Texture(7), 7.0),
            (TrackedMatrix::Texture(6), 1.0),
            (TrackedMatrix::Program(31), 11.0),
        ]
        .into_iter()
        .enumerate()
        {
            track(&mut state, 4 * set as u32, matrix, MatrixForm::Plain);
            let row = state.get_tracked_row(4 * set as u32 + 1);
            assert_eq!(row, Some([0.0, scale, 0.0, 0.0]), "{matrix:?}");
        }
    }

    #[test]
    fn rows_follow_the_matrix_and_stay_when_tracking_ends() {
        let mut state = GlState::default();
        let matrix = TrackedMatrix::Modelview;
        track(&mut state, 20, matrix, MatrixForm::Plain);
        *state.modelview_mut(0) = matrix::translation([1.0, 2.0, 3.0]);
        let moved = [
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 2.0],
            [0.0, 0.0, 1.0, 3.0],
            [0.0, 0.0, 0.0, 1.0],
        ];
        assert_eq!(get_tracked_rows(&state, 20), moved);
        assert_eq!(state.track_matrix(20, None), Some(moved));
        assert_eq!(
            (state.get_tracking(20), state.get_tracked_row(23)),
            (None, None)
        );
        assert_eq!(state.track_matrix(20, None), None);
    }
}
