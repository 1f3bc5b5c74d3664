//! 4x4 matrices in GL's layout and the matrices that GL's matrix commands multiply with. GL 2.1
//! section 2.11.2.
//!
//! A command `glTranslate(x, y, z)` is `current = multiply(&current, &translation([x, y, z]))`.
//! Degenerate arguments (a frustum without depth, an axis of length 0) yield the result of the
//! arithmetic, which may be infinities and NaNs; GL treats them as errors or leaves them undefined.

use glasm_ir::state::MatrixForm;

/// A 4x4 matrix in GL's layout: `columns[column][row]`, applied to column vectors.
pub type Matrix = [[f32; 4]; 4];

/// The identity.
pub const IDENTITY: Matrix = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// Returns `left * right`: applies `right` first. GL 2.1 section 2.11.2 (`glMultMatrix`).
pub fn multiply(left: &Matrix, right: &Matrix) -> Matrix {
    let element = |column: usize, row: usize| (0..4).map(|k| left[k][row] * right[column][k]).sum();
    std::array::from_fn(|column| std::array::from_fn(|row| element(column, row)))
}

/// Returns the transposed matrix, which also converts the row-major order of
/// `glLoadTransposeMatrix` to a [`Matrix`].
pub fn transpose(matrix: &Matrix) -> Matrix {
    std::array::from_fn(|column| std::array::from_fn(|row| matrix[row][column]))
}

/// Returns `matrix * vector`.
pub fn transform(matrix: &Matrix, vector: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|row| (0..4).map(|k| matrix[k][row] * vector[k]).sum())
}

/// Returns the plane `plane` in the space that `matrix` transforms to: its row vector times the
/// inverse, so that distances of points are preserved. GL 2.1 section 2.12.
pub fn transform_plane(matrix: &Matrix, plane: [f32; 4]) -> [f32; 4] {
    transform(&transpose(&invert(matrix)), plane)
}

/// Returns row `row` (0 to 3), as `state.matrix.*.row[n]` reads it. NV_gpu_program4 section
/// 2.X.3.3.
pub fn get_row(matrix: &Matrix, row: usize) -> [f32; 4] {
    std::array::from_fn(|column| matrix[column][row])
}

/// Returns the inverse by Gauss-Jordan elimination in double precision; the identity if the matrix
/// is singular, which GL leaves undefined. NV_gpu_program4 section 2.X.3.3.
pub fn invert(matrix: &Matrix) -> Matrix {
    let mut work: [[f64; 8]; 4] = std::array::from_fn(|r| {
        std::array::from_fn(|c| {
            if c < 4 {
                f64::from(matrix[c][r])
            } else {
                f64::from(u8::from(c - 4 == r))
            }
        })
    });
    for pivot in 0..4 {
        let magnitude = |r: &usize| work[*r][pivot].abs();
        // The largest element of the column: division by a small pivot loses digits, and a zero
        // pivot does not imply that the matrix is singular.
        let best = (pivot..4)
            .max_by(|a, b| magnitude(a).total_cmp(&magnitude(b)))
            .unwrap_or(pivot);
        work.swap(pivot, best);
        let scale = work[pivot][pivot];
        // `total_cmp` orders NaN above all numbers, so that it is detected here.
        if scale == 0.0 || !scale.is_finite() {
            return IDENTITY;
        }
        work[pivot].iter_mut().for_each(|value| *value /= scale);
        let pivot_row = work[pivot];
        for (r, row) in work.iter_mut().enumerate() {
            let factor = row[pivot];
            if r != pivot {
                row.iter_mut()
                    .zip(pivot_row)
                    .for_each(|(value, of_pivot)| *value -= factor * of_pivot);
            }
        }
    }
    std::array::from_fn(|column| std::array::from_fn(|r| work[r][4 + column] as f32))
}

/// Returns a matrix in one of its forms; the inverse of a singular matrix is the identity.
/// NV_gpu_program4 section 2.X.3.3.
pub(super) fn apply_form(matrix: &Matrix, form: MatrixForm) -> Matrix {
    match form {
        MatrixForm::Plain => *matrix,
        MatrixForm::Inverse => invert(matrix),
        MatrixForm::Transpose => transpose(matrix),
        MatrixForm::InverseTranspose => transpose(&invert(matrix)),
    }
}

/// Returns the matrix of `glTranslate`. GL 2.1 section 2.11.2.
pub fn translation(offset: [f32; 3]) -> Matrix {
    let mut matrix = IDENTITY;
    matrix[3][..3].copy_from_slice(&offset);
    matrix
}

/// Returns the matrix of `glScale`. GL 2.1 section 2.11.2.
pub fn scaling(factors: [f32; 3]) -> Matrix {
    let mut matrix = IDENTITY;
    (0..3).for_each(|i| matrix[i][i] = factors[i]);
    matrix
}

/// Returns the matrix of `glRotate`: `degrees` counter-clockwise around `axis`, which need not have
/// length 1. For the zero vector, which GL does not define, the result is the identity. GL 2.1
/// section 2.11.2.
pub fn rotation(degrees: f32, axis: [f32; 3]) -> Matrix {
    if axis == [0.0; 3] {
        return IDENTITY;
    }
    let (sin, cos) = compute_sin_cos(f64::from(degrees));
    let [x, y, z] = normalize3(axis.map(f64::from));
    // u u^T + cos (I - u u^T) + sin S, where S is the matrix of the cross product with the axis u:
    // GL 2.1 section 2.11.2.
    let t = 1.0 - cos;
    let columns = [
        [x * x * t + cos, x * y * t + z * sin, x * z * t - y * sin],
        [x * y * t - z * sin, y * y * t + cos, y * z * t + x * sin],
        [x * z * t + y * sin, y * z * t - x * sin, z * z * t + cos],
    ];
    let mut matrix = IDENTITY;
    (0..3).for_each(|c| (0..3).for_each(|r| matrix[c][r] = columns[c][r] as f32));
    matrix
}

/// Returns sine and cosine of an angle in degrees, exact at multiples of 90.
pub(super) fn compute_sin_cos(degrees: f64) -> (f64, f64) {
    // Half of pi is not representable: the cosine of the nearest number is 6e-17, which would
    // rotate planes off their axes.
    match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        other => other.to_radians().sin_cos(),
    }
}

/// Returns the matrix of `glOrtho`. GL 2.1 section 2.11.2.
pub fn ortho(left: f32, right: f32, bottom: f32, top: f32, near: f32, far: f32) -> Matrix {
    let mut matrix = IDENTITY;
    matrix[0][0] = 2.0 / (right - left);
    matrix[1][1] = 2.0 / (top - bottom);
    matrix[2][2] = -2.0 / (far - near);
    matrix[3] = [
        -(right + left) / (right - left),
        -(top + bottom) / (top - bottom),
        -(far + near) / (far - near),
        1.0,
    ];
    matrix
}

/// Returns the matrix of `glFrustum`. GL 2.1 section 2.11.2.
pub fn frustum(left: f32, right: f32, bottom: f32, top: f32, near: f32, far: f32) -> Matrix {
    [
        [2.0 * near / (right - left), 0.0, 0.0, 0.0],
        [0.0, 2.0 * near / (top - bottom), 0.0, 0.0],
        [
            (right + left) / (right - left),
            (top + bottom) / (top - bottom),
            -(far + near) / (far - near),
            -1.0,
        ],
        [0.0, 0.0, -2.0 * far * near / (far - near), 0.0],
    ]
}

/// Returns the matrix of `gluPerspective`: vertical field of view in degrees, aspect as width /
/// height. GLU 1.3 section 4.1.
pub fn perspective(fov_y: f32, aspect: f32, near: f32, far: f32) -> Matrix {
    // The height at the distance `near` is the tangent of half of the angle.
    let top = near * (f64::from(fov_y).to_radians() / 2.0).tan() as f32;
    frustum(-top * aspect, top * aspect, -top, top, near, far)
}

/// Returns the matrix of `gluLookAt`: a camera at `eye` that looks at `center`. GLU 1.3 section
/// 4.1.
pub fn look_at(eye: [f32; 3], center: [f32; 3], up: [f32; 3]) -> Matrix {
    let forward = normalize3(std::array::from_fn(|i| {
        f64::from(center[i]) - f64::from(eye[i])
    }));
    let side = normalize3(compute_cross(forward, up.map(f64::from)));
    // `up` need not be perpendicular to the view: only the plane of both is relevant.
    let upward = compute_cross(side, forward);
    let mut matrix = IDENTITY;
    for i in 0..3 {
        matrix[i][0] = side[i] as f32;
        matrix[i][1] = upward[i] as f32;
        matrix[i][2] = -forward[i] as f32;
    }
    multiply(&matrix, &translation(eye.map(|value| -value)))
}

/// Returns the cross product of two vectors.
fn compute_cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Returns `v` scaled to length 1; a zero vector is returned unchanged.
pub(super) fn normalize3(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length == 0.0 {
        v
    } else {
        v.map(|x| x / length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(actual: &Matrix, expected: &Matrix) {
        for (a, e) in actual.iter().flatten().zip(expected.iter().flatten()) {
            assert!((a - e).abs() < 1e-6, "{actual:?} is not {expected:?}");
        }
    }

    /// Checks rotations: counter-clockwise around each axis, seen from its positive end toward the
    /// origin.
    #[test]
    fn rotations_turn_one_axis_into_the_next() {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 5.0]];
        for (number, axis) in axes.into_iter().enumerate() {
            let (from, to) = ((number + 1) % 3, (number + 2) % 3);
            let mut expected = IDENTITY;
            (expected[from][from], expected[to][to]) = (0.0, 0.0);
            (expected[from][to], expected[to][from]) = (1.0, -1.0);
            assert_close(&rotation(90.0, axis), &expected);
            assert_close(&rotation(-90.0, axis), &transpose(&expected));
        }
    }

    #[test]
    fn rotations_without_an_axis_change_nothing() {
        assert_eq!(rotation(90.0, [0.0; 3]), IDENTITY);
    }

    /// Checks a third of a turn around (1, 1, 1), which maps x to y, y to z and z to x.
    #[test]
    fn rotations_around_diagonals() {
        let matrix = rotation(120.0, [2.0, 2.0, 2.0]);
        assert_close(
            &matrix,
            &[
                [0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, 1.0, 0.0],
                [1.0, 0.0, 0.0, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ],
        );
    }

    #[test]
    fn product_applies_the_right_factor_first() {
        let product = multiply(&translation([1.0, 2.0, 3.0]), &scaling([2.0, 3.0, 4.0]));
        assert_eq!(get_row(&product, 0), [2.0, 0.0, 0.0, 1.0]);
        assert_eq!(get_row(&product, 2), [0.0, 0.0, 4.0, 3.0]);
    }

    #[test]
    fn inverse_undoes_and_survives_singular_matrices() {
        let matrix = multiply(&translation([1.0, 2.0, 3.0]), &scaling([2.0, 4.0, 8.0]));
        assert_close(
            &invert(&matrix),
            &[
                [0.5, 0.0, 0.0, 0.0],
                [0.0, 0.25, 0.0, 0.0],
                [0.0, 0.0, 0.125, 0.0],
                [-0.5, -0.5, -0.375, 1.0],
            ],
        );
        assert_eq!(invert(&[[0.0; 4]; 4]), IDENTITY);
    }

    #[test]
    fn frustum_maps_near_and_far_to_the_clip_range() {
        let matrix = frustum(-1.0, 1.0, -1.0, 1.0, 1.0, 3.0);
        // z = -1 gives z_clip = -1, w = 1; z = -3 gives z_clip = 3, w = 3.
        let clip_z = |z: f32| get_row(&matrix, 2)[2] * z + get_row(&matrix, 2)[3];
        assert_eq!((clip_z(-1.0), clip_z(-3.0)), (-1.0, 3.0));
        assert_eq!(get_row(&matrix, 3), [0.0, 0.0, -1.0, 0.0]);
    }

    #[test]
    fn look_at_moves_the_eye_to_the_origin() {
        let matrix = look_at([0.0, 0.0, 5.0], [0.0; 3], [0.0, 1.0, 0.0]);
        assert_close(&matrix, &translation([0.0, 0.0, -5.0]));
    }
}
