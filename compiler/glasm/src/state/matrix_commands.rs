//! GL's matrix commands. GL 2.1 section 2.11.2.

use super::matrix::{self, IDENTITY, Matrix};
use super::matrix_stack::{MatrixError, MatrixMode};
use super::{GlState, get_or_grow};

/// Commands for the current matrix of a mode. As for the other setters, indices of modes must be
/// valid in GL.
impl GlState {
    /// Returns the current matrix of a mode; the identity if it was never set.
    pub fn matrix(&self, mode: MatrixMode) -> Matrix {
        let get = |list: &[Matrix], n: u32| list.get(n as usize).copied().unwrap_or(IDENTITY);
        match mode {
            MatrixMode::Modelview(n) => get(&self.modelview, n),
            MatrixMode::Projection => self.projection,
            MatrixMode::Texture(set) => get(&self.texture, set),
            MatrixMode::Color => self.color,
            MatrixMode::Program(n) => get(&self.program, n),
            MatrixMode::Palette(entry) => get(&self.palette, entry),
        }
    }

    /// Returns a mutable reference to the current matrix of a mode, for `glLoadMatrix`. Matrices
    /// before it that do not exist yet are added as identity matrices.
    ///
    /// ```
    /// use glasm::state::{GlState, MatrixMode, matrix};
    ///
    /// let mut state = GlState::default();
    /// let mode = MatrixMode::Texture(1);
    /// *state.matrix_mut(mode) = matrix::scaling([2.0, 2.0, 1.0]); // glLoadMatrixf
    /// state.translate(mode, [1.0, 0.0, 0.0]);
    /// assert_eq!(state.matrix(mode)[3], [2.0, 0.0, 0.0, 1.0]);
    /// *state.matrix_mut(mode) = matrix::IDENTITY; // glLoadIdentity
    /// ```
    pub fn matrix_mut(&mut self, mode: MatrixMode) -> &mut Matrix {
        match mode {
            MatrixMode::Modelview(n) => get_or_grow(&mut self.modelview, n, IDENTITY),
            MatrixMode::Projection => &mut self.projection,
            MatrixMode::Texture(set) => get_or_grow(&mut self.texture, set, IDENTITY),
            MatrixMode::Color => &mut self.color,
            MatrixMode::Program(n) => get_or_grow(&mut self.program, n, IDENTITY),
            MatrixMode::Palette(entry) => get_or_grow(&mut self.palette, entry, IDENTITY),
        }
    }

    /// Multiplies the current matrix by another one, which is applied first (`glMultMatrix`).
    /// `gluPerspective` and `gluLookAt` multiply by [`matrix::perspective`] and
    /// [`matrix::look_at`], `glMultTransposeMatrix` by [`matrix::transpose`].
    pub fn multiply_matrix(&mut self, mode: MatrixMode, factor: &Matrix) {
        let current = self.matrix_mut(mode);
        *current = matrix::multiply(current, factor);
    }

    /// Multiplies the current matrix by a translation (`glTranslate`).
    pub fn translate(&mut self, mode: MatrixMode, offset: [f32; 3]) {
        self.multiply_matrix(mode, &matrix::translation(offset));
    }

    /// Multiplies the current matrix by a scaling (`glScale`).
    pub fn scale(&mut self, mode: MatrixMode, factors: [f32; 3]) {
        self.multiply_matrix(mode, &matrix::scaling(factors));
    }

    /// Multiplies the current matrix by a rotation (`glRotate`): `degrees` counter-clockwise around
    /// `axis`, which need not have length 1.
    pub fn rotate(&mut self, mode: MatrixMode, degrees: f32, axis: [f32; 3]) {
        self.multiply_matrix(mode, &matrix::rotation(degrees, axis));
    }

    /// Multiplies the current matrix by a perspective projection (`glFrustum`). `planes` are left,
    /// right, bottom, top, near and far, in the order of the arguments of GL's command.
    ///
    /// # Errors
    /// [`MatrixError::InvalidValue`] if near or far is not positive, or two opposite planes are
    /// equal. GL 2.1 section 2.11.2.
    pub fn multiply_frustum(
        &mut self,
        mode: MatrixMode,
        planes: [f32; 6],
    ) -> Result<(), MatrixError> {
        check_planes(planes)?;
        let [left, right, bottom, top, near, far] = planes;
        if near <= 0.0 || far <= 0.0 {
            return Err(MatrixError::InvalidValue);
        }
        let frustum = matrix::frustum(left, right, bottom, top, near, far);
        self.multiply_matrix(mode, &frustum);
        Ok(())
    }

    /// Multiplies the current matrix by a parallel projection (`glOrtho`). `planes` are left, right,
    /// bottom, top, near and far, in the order of the arguments of GL's command.
    ///
    /// # Errors
    /// [`MatrixError::InvalidValue`] if two opposite planes are equal. GL 2.1 section 2.11.2.
    pub fn multiply_ortho(
        &mut self,
        mode: MatrixMode,
        planes: [f32; 6],
    ) -> Result<(), MatrixError> {
        check_planes(planes)?;
        let [left, right, bottom, top, near, far] = planes;
        let ortho = matrix::ortho(left, right, bottom, top, near, far);
        self.multiply_matrix(mode, &ortho);
        Ok(())
    }

    /// Saves the current matrix on the stack of its mode (`glPushMatrix`).
    ///
    /// ```
    /// use glasm::state::{GlState, MatrixError, MatrixMode};
    ///
    /// let mut state = GlState::default();
    /// let mode = MatrixMode::Modelview(0);
    /// state.push_matrix(mode)?;
    /// state.translate(mode, [1.0, 2.0, 3.0]);
    /// state.rotate(mode, 90.0, [0.0, 0.0, 1.0]);
    /// assert_eq!(state.matrix(mode)[0], [0.0, 1.0, 0.0, 0.0]); // x becomes y
    /// assert_eq!(state.matrix_stack_depth(mode), 2);
    /// state.pop_matrix(mode)?;
    /// assert_eq!(state.matrix(mode), GlState::default().matrix(mode));
    /// assert_eq!(state.pop_matrix(mode), Err(MatrixError::StackUnderflow));
    /// # Ok::<(), MatrixError>(())
    /// ```
    ///
    /// # Errors
    /// [`MatrixError::StackOverflow`] if the stack has
    /// [`MAX_MATRIX_STACK_DEPTH`](super::MAX_MATRIX_STACK_DEPTH) matrices.
    pub fn push_matrix(&mut self, mode: MatrixMode) -> Result<(), MatrixError> {
        let current = self.matrix(mode);
        self.matrix_stacks.push(mode, current)
    }

    /// Replaces the current matrix by the one that the last `glPushMatrix` of its mode saved
    /// (`glPopMatrix`).
    ///
    /// # Errors
    /// [`MatrixError::StackUnderflow`] if no matrix is saved.
    pub fn pop_matrix(&mut self, mode: MatrixMode) -> Result<(), MatrixError> {
        let saved = self.matrix_stacks.pop(mode)?;
        *self.matrix_mut(mode) = saved;
        Ok(())
    }

    /// Returns the number of matrices of a stack, including the current one
    /// (`MODELVIEW_STACK_DEPTH`).
    pub fn matrix_stack_depth(&self, mode: MatrixMode) -> u32 {
        self.matrix_stacks.get_depth(mode)
    }
}

/// Checks that no two opposite planes of a volume, which are adjacent in the list, are equal.
fn check_planes(planes: [f32; 6]) -> Result<(), MatrixError> {
    let [left, right, bottom, top, near, far] = planes;
    if left == right || bottom == top || near == far {
        return Err(MatrixError::InvalidValue);
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::state::matrix::{get_row, transform};

    const MODES: [MatrixMode; 6] = [
        MatrixMode::Modelview(1),
        MatrixMode::Projection,
        MatrixMode::Texture(2),
        MatrixMode::Color,
        MatrixMode::Program(3),
        MatrixMode::Palette(4),
    ];

    /// Applies commands as an application calls them, and transforms a point. The last command is
    /// applied first: (1, 2, 3) is scaled to (2, 6, 12), turned by 90 degrees around z to
    /// (-6, 2, 12), and moved to (4, 22, 42).
    #[test]
    fn the_last_command_is_applied_first() {
        for mode in MODES {
            let mut state = GlState::default();
            state.translate(mode, [10.0, 20.0, 30.0]);
            state.rotate(mode, 90.0, [0.0, 0.0, 1.0]);
            state.scale(mode, [2.0, 3.0, 4.0]);
            let point = transform(&state.matrix(mode), [1.0, 2.0, 3.0, 1.0]);
            assert_eq!(point, [4.0, 22.0, 42.0, 1.0], "{mode:?}");
            // The other matrices are unchanged.
            for other in MODES.into_iter().filter(|other| *other != mode) {
                assert_eq!(state.matrix(other), IDENTITY, "{mode:?}, {other:?}");
            }
        }
    }

    /// Checks the matrices of GL 2.1 section 2.11.2 for planes whose elements are exact. Left -1,
    /// right 3, bottom -2, top 2, near 1, far 5: 2n / (r - l) = 1/2, 2n / (t - b) = 1/2,
    /// (r + l) / (r - l) = 1/2, -(f + n) / (f - n) = -3/2, -2fn / (f - n) = -5/2; for the parallel
    /// projection 2 / (r - l) = 1/2, -2 / (f - n) = -1/2, -(r + l) / (r - l) = -1/2,
    /// -(f + n) / (f - n) = -3/2.
    #[test]
    fn projections_multiply_the_current_matrix() {
        let planes = [-1.0, 3.0, -2.0, 2.0, 1.0, 5.0];
        let frustum = [
            [0.5, 0.0, 0.5, 0.0],
            [0.0, 0.5, 0.0, 0.0],
            [0.0, 0.0, -1.5, -2.5],
            [0.0, 0.0, -1.0, 0.0],
        ];
        let ortho = [
            [0.5, 0.0, 0.0, -0.5],
            [0.0, 0.5, 0.0, 0.0],
            [0.0, 0.0, -0.5, -1.5],
            [0.0, 0.0, 0.0, 1.0],
        ];
        let mode = MatrixMode::Projection;
        let rows = |state: &GlState| [0, 1, 2, 3].map(|row| get_row(&state.projection, row));
        let mut state = GlState::default();
        state.multiply_frustum(mode, planes).unwrap();
        assert_eq!(rows(&state), frustum);
        let mut state = GlState::default();
        // Twice the sum of x and w.
        state.scale(mode, [2.0, 1.0, 1.0]);
        state.translate(mode, [1.0, 0.0, 0.0]);
        state.multiply_ortho(mode, planes).unwrap();
        let mut expected = ortho;
        expected[0] = [1.0, 0.0, 0.0, 1.0];
        assert_eq!(rows(&state), expected);
    }

    #[test]
    fn volumes_without_depth_are_errors_without_effect() {
        let good = [-1.0, 1.0, -1.0, 1.0, 1.0, 2.0];
        let mode = MatrixMode::Projection;
        let mut state = GlState::default();
        for first in [0, 2, 4] {
            let mut planes = good;
            planes[first] = planes[first + 1];
            let found = state.multiply_frustum(mode, planes);
            assert_eq!(found, Err(MatrixError::InvalidValue), "{planes:?}");
            let found = state.multiply_ortho(mode, planes);
            assert_eq!(found, Err(MatrixError::InvalidValue), "{planes:?}");
        }
        // Only parallel projections may have planes that are not in front of the eye.
        for (plane, value) in [(4, 0.0), (4, -1.0), (5, 0.0), (5, -2.0)] {
            let mut planes = good;
            planes[plane] = value;
            let found = state.multiply_frustum(mode, planes);
            assert_eq!(found, Err(MatrixError::InvalidValue), "{planes:?}");
            assert_eq!(state, GlState::default());
            assert_eq!(state.clone().multiply_ortho(mode, planes), Ok(()));
        }
        assert_eq!(MatrixError::InvalidValue.to_gl(), 0x0501);
    }

    #[test]
    fn stacks_have_a_depth_and_their_own_matrices() {
        for mode in MODES {
            let mut state = GlState::default();
            for depth in 1..32 {
                assert_eq!(state.matrix_stack_depth(mode), depth);
                state.translate(mode, [1.0, 0.0, 0.0]);
                state.push_matrix(mode).unwrap();
            }
            let full = state.clone();
            let overflow = state.push_matrix(mode).unwrap_err();
            assert_eq!((overflow.to_gl(), state == full), (0x0503, true));
            for other in MODES.into_iter().filter(|other| *other != mode) {
                assert_eq!(state.matrix_stack_depth(other), 1);
            }
            *state.matrix_mut(mode) = IDENTITY;
            for x in (1..32).rev() {
                state.pop_matrix(mode).unwrap();
                assert_eq!(state.matrix(mode)[3], [x as f32, 0.0, 0.0, 1.0]);
            }
            let before = state.clone();
            let underflow = state.pop_matrix(mode).unwrap_err();
            assert_eq!((underflow.to_gl(), state == before), (0x0504, true));
        }
    }
}
