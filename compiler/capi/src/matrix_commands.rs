//! GL's matrix commands, with the stack of each matrix.

use crate::enums::glasm_matrix;
use crate::ffi_args::require;
use crate::ffi_guard::{Failure, catch_or, catch_to_result, glasm_result};
use crate::matrix::read_matrix;
use crate::state::{glasm_state, read_matrix_mode};
use glasm::state::{GlState, MAX_MATRIX_STACK_DEPTH, MatrixError, MatrixMode};
use std::mem::MaybeUninit;

/// Number of matrices of a stack, including the current one: GL_MAX_MODELVIEW_STACK_DEPTH and the
/// limits of the other matrices.
pub const GLASM_MAX_MATRIX_STACK_DEPTH: u32 = 32;

const _: () = assert!(GLASM_MAX_MATRIX_STACK_DEPTH == MAX_MATRIX_STACK_DEPTH);

/// Converts an error of a matrix command.
impl From<MatrixError> for Failure {
    fn from(error: MatrixError) -> Self {
        let result = match error {
            MatrixError::InvalidValue => glasm_result::InvalidArgument,
            MatrixError::StackOverflow => glasm_result::StackOverflow,
            MatrixError::StackUnderflow => glasm_result::StackUnderflow,
        };
        Self::matrix(result, error.to_string())
    }
}

/// Runs a command on a matrix of a state.
fn run_command(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
    command: impl FnOnce(&mut GlState, MatrixMode) -> Result<(), MatrixError>,
) -> glasm_result {
    catch_to_result(|| {
        let state = require(state, "state")?.state_mut();
        command(state, read_matrix_mode(matrix, index)?)?;
        Ok(())
    })
}

/// Gets the matrix of a mode of glMatrixMode: GL_MODELVIEW, GL_PROJECTION, GL_TEXTURE, GL_COLOR,
/// GL_MODELVIEW1_ARB and so on, GL_MATRIX0_ARB and GL_MATRIX0_NV and so on.
/// GLASM_RESULT_INVALID_ARGUMENT for other numbers, for which GL's error is GL_INVALID_ENUM, and for
/// GL_MATRIX_PALETTE_ARB, which is GLASM_MATRIX_PALETTE with the current palette matrix.
///
/// `active_texture` is the texture unit to which GL_TEXTURE refers, from 0. `matrix` and `index` are
/// memory of the caller, set to a glasm_matrix and its index.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_matrix_from_gl(
    mode: u32,
    active_texture: u32,
    matrix: Option<&mut MaybeUninit<u32>>,
    index: Option<&mut MaybeUninit<u32>>,
) -> glasm_result {
    catch_to_result(|| {
        let matrix = require(matrix, "matrix")?;
        let index = require(index, "index")?;
        let found = MatrixMode::from_gl(mode, active_texture)
            .ok_or_else(|| Failure::invalid_argument(format!("`mode` is {mode:#x}")))?;
        let (kind, number) = glasm_matrix::from_mode(found);
        matrix.write(kind as u32);
        index.write(number);
        Ok(())
    })
}

/// Multiplies a matrix by another one, which is applied first (glMultMatrixf). `index` selects one of
/// several matrices of a kind, else it must be 0.
///
/// `state` stays the caller's, and so does `factor`: 16 floats, in column-major order. `matrix` is a
/// glasm_matrix other than the product.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn glasm_state_multiply_matrix(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
    factor: *const f32,
) -> glasm_result {
    catch_to_result(|| {
        let state = require(state, "state")?.state_mut();
        // SAFETY: the caller has a matrix there.
        let factor = unsafe { read_matrix(factor, "factor") }?;
        state.multiply_matrix(read_matrix_mode(matrix, index)?, &factor);
        Ok(())
    })
}

/// Multiplies a matrix by a translation (glTranslatef).
///
/// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_translate(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
    x: f32,
    y: f32,
    z: f32,
) -> glasm_result {
    run_command(state, matrix, index, |state, mode| {
        state.translate(mode, [x, y, z]);
        Ok(())
    })
}

/// Multiplies a matrix by a scaling (glScalef).
///
/// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_scale(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
    x: f32,
    y: f32,
    z: f32,
) -> glasm_result {
    run_command(state, matrix, index, |state, mode| {
        state.scale(mode, [x, y, z]);
        Ok(())
    })
}

/// Multiplies a matrix by a rotation (glRotatef): `degrees` counter-clockwise around an axis, which
/// need not have length 1.
///
/// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_rotate(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
    degrees: f32,
    x: f32,
    y: f32,
    z: f32,
) -> glasm_result {
    run_command(state, matrix, index, |state, mode| {
        state.rotate(mode, degrees, [x, y, z]);
        Ok(())
    })
}

/// Multiplies a matrix by a perspective projection (glFrustum). GLASM_RESULT_INVALID_ARGUMENT if
/// `near` or `far` is not positive, or two opposite planes are equal, for which GL's error is
/// GL_INVALID_VALUE.
///
/// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_multiply_frustum(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
    left: f32,
    right: f32,
    bottom: f32,
    top: f32,
    near: f32,
    far: f32,
) -> glasm_result {
    run_command(state, matrix, index, |state, mode| {
        state.multiply_frustum(mode, [left, right, bottom, top, near, far])
    })
}

/// Multiplies a matrix by a parallel projection (glOrtho). GLASM_RESULT_INVALID_ARGUMENT if two
/// opposite planes are equal, for which GL's error is GL_INVALID_VALUE.
///
/// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_multiply_ortho(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
    left: f32,
    right: f32,
    bottom: f32,
    top: f32,
    near: f32,
    far: f32,
) -> glasm_result {
    run_command(state, matrix, index, |state, mode| {
        state.multiply_ortho(mode, [left, right, bottom, top, near, far])
    })
}

/// Saves a matrix on its stack (glPushMatrix). GLASM_RESULT_STACK_OVERFLOW if the stack has
/// GLASM_MAX_MATRIX_STACK_DEPTH matrices, for which GL's error is GL_STACK_OVERFLOW.
///
/// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_push_matrix(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
) -> glasm_result {
    run_command(state, matrix, index, GlState::push_matrix)
}

/// Replaces a matrix by the one that its stack has saved last (glPopMatrix).
/// GLASM_RESULT_STACK_UNDERFLOW if none is saved, for which GL's error is GL_STACK_UNDERFLOW.
///
/// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_pop_matrix(
    state: Option<&mut glasm_state>,
    matrix: u32,
    index: u32,
) -> glasm_result {
    run_command(state, matrix, index, GlState::pop_matrix)
}

/// Returns the number of matrices of a stack, including the current one (GL_MODELVIEW_STACK_DEPTH);
/// 0 for NULL and for matrices without a stack.
///
/// `state` stays the caller's. `matrix` and `index` are as for `glasm_state_multiply_matrix`.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_state_matrix_stack_depth(
    state: Option<&glasm_state>,
    matrix: u32,
    index: u32,
) -> u32 {
    catch_or(0, || {
        let state = require(state, "state")?.state();
        Ok(state.matrix_stack_depth(read_matrix_mode(matrix, index)?))
    })
}
