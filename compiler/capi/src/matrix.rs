//! The matrices that GL's matrix commands multiply with.

use crate::ffi_args;
use crate::ffi_guard::{catch_to_result, glasm_result};
use glasm::state::{Matrix, matrix};

/// Reads a matrix of the caller: 16 floats in GL's order, in column-major order.
///
/// # Safety
/// `values` must be null, or point to 16 floats that are not modified during the call.
pub(crate) unsafe fn read_matrix(
    values: *const f32,
    name: &str,
) -> Result<Matrix, crate::ffi_guard::Failure> {
    // SAFETY: the caller of this function guarantees it.
    let columns = unsafe { ffi_args::read_array::<f32, 16>(values, name) }?;
    let element = |column: usize, row: usize| columns[4 * column + row];
    Ok(std::array::from_fn(|column| {
        std::array::from_fn(|row| element(column, row))
    }))
}

/// Writes a matrix for the caller.
///
/// # Safety
/// `values` must be null, or point to memory for 16 floats that are not accessed otherwise during
/// the call.
unsafe fn write_matrix(values: *mut f32, matrix: Matrix) -> glasm_result {
    // SAFETY: the caller of this function guarantees it.
    catch_to_result(|| unsafe { ffi_args::write_array(values.cast(), matrix, "matrix") })
}

/// Computes the matrix of glTranslate.
///
/// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
/// order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_matrix_translation(
    matrix: *mut f32,
    x: f32,
    y: f32,
    z: f32,
) -> glasm_result {
    // SAFETY: the caller provides memory for a matrix.
    unsafe { write_matrix(matrix, matrix::translation([x, y, z])) }
}

/// Computes the matrix of glScale.
///
/// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
/// order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_matrix_scaling(
    matrix: *mut f32,
    x: f32,
    y: f32,
    z: f32,
) -> glasm_result {
    // SAFETY: the caller provides memory for a matrix.
    unsafe { write_matrix(matrix, matrix::scaling([x, y, z])) }
}

/// Computes the matrix of glRotate, with the angle in degrees.
///
/// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
/// order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_matrix_rotation(
    matrix: *mut f32,
    degrees: f32,
    x: f32,
    y: f32,
    z: f32,
) -> glasm_result {
    // SAFETY: the caller provides memory for a matrix.
    unsafe { write_matrix(matrix, matrix::rotation(degrees, [x, y, z])) }
}

/// Computes the matrix of glOrtho.
///
/// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
/// order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_matrix_ortho(
    matrix: *mut f32,
    left: f32,
    right: f32,
    bottom: f32,
    top: f32,
    near: f32,
    far: f32,
) -> glasm_result {
    // SAFETY: the caller provides memory for a matrix.
    unsafe { write_matrix(matrix, matrix::ortho(left, right, bottom, top, near, far)) }
}

/// Computes the matrix of glFrustum.
///
/// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
/// order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_matrix_frustum(
    matrix: *mut f32,
    left: f32,
    right: f32,
    bottom: f32,
    top: f32,
    near: f32,
    far: f32,
) -> glasm_result {
    // SAFETY: the caller provides memory for a matrix.
    unsafe { write_matrix(matrix, matrix::frustum(left, right, bottom, top, near, far)) }
}

/// Computes the matrix of gluPerspective, with the angle in degrees.
///
/// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
/// order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_matrix_perspective(
    matrix: *mut f32,
    fov_y: f32,
    aspect: f32,
    near: f32,
    far: f32,
) -> glasm_result {
    // SAFETY: the caller provides memory for a matrix.
    unsafe { write_matrix(matrix, matrix::perspective(fov_y, aspect, near, far)) }
}

/// Computes the matrix of gluLookAt.
///
/// `matrix` points to memory of the caller for 16 floats, which become the matrix in column-major
/// order. `eye`, `center` and `up` are three floats each and stay the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_matrix_look_at(
    matrix: *mut f32,
    eye: *const f32,
    center: *const f32,
    up: *const f32,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller has three floats in each of them, and provides memory for a matrix.
        unsafe {
            let eye = ffi_args::read_array(eye, "eye")?;
            let center = ffi_args::read_array(center, "center")?;
            let view = matrix::look_at(eye, center, ffi_args::read_array(up, "up")?);
            ffi_args::write_array(matrix.cast(), view, "matrix")
        }
    })
}

/// Computes the product of two matrices, which applies `right` first: the result of glMultMatrix if
/// `left` is the current matrix.
///
/// `product` points to memory of the caller for 16 floats; it may be `left` or `right`, which are
/// 16 floats each and stay the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_matrix_multiply(
    product: *mut f32,
    left: *const f32,
    right: *const f32,
) -> glasm_result {
    catch_to_result(|| {
        // SAFETY: the caller has 16 floats in each of them; both are read before the product is
        // written.
        unsafe {
            let left = read_matrix(left, "left")?;
            let right = read_matrix(right, "right")?;
            let result = matrix::multiply(&left, &right);
            ffi_args::write_array(product.cast(), result, "product")
        }
    })
}
