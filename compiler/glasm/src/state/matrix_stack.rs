//! Stacks of matrices, with the modes and errors of GL's matrix commands. GL 2.1 section 2.11.2.

use super::matrix::Matrix;
use std::collections::BTreeMap;
use std::fmt;

/// Number of matrices of a stack, including the current one: `MAX_MODELVIEW_STACK_DEPTH` and the
/// limits of the other modes. GL requires 32 for modelview matrices, 2 for projection, texture and
/// color matrices (GL 2.1 table 6.32), and 1 for program matrices and the palette.
pub const MAX_MATRIX_STACK_DEPTH: u32 = 32;

/// Matrix that a command changes: the mode of `glMatrixMode`, with the index of the matrix where GL
/// has several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MatrixMode {
    /// `MODELVIEW` with index 0, and `MODELVIEWn_ARB` of ARB_vertex_blend.
    Modelview(u32),
    /// `PROJECTION`
    Projection,
    /// `TEXTURE` of a texture coordinate set.
    Texture(u32),
    /// `COLOR`
    Color,
    /// `MATRIXn_ARB` and `MATRIXn_NV`
    Program(u32),
    /// `MATRIX_PALETTE_ARB` with the current palette matrix.
    Palette(u32),
}

impl MatrixMode {
    /// Returns the mode with a number of OpenGL; `None` for other numbers. `active_texture` is the
    /// texture unit to which `TEXTURE` refers, from 0. `MATRIX_PALETTE_ARB` depends on the current
    /// palette matrix and has no mode here.
    ///
    /// ```
    /// use glasm::state::MatrixMode;
    ///
    /// assert_eq!(MatrixMode::from_gl(0x1700, 3), Some(MatrixMode::Modelview(0))); // GL_MODELVIEW
    /// assert_eq!(MatrixMode::from_gl(0x1702, 3), Some(MatrixMode::Texture(3))); // GL_TEXTURE
    /// assert_eq!(MatrixMode::from_gl(0x88c2, 3), Some(MatrixMode::Program(2))); // GL_MATRIX2_ARB
    /// assert_eq!(MatrixMode::from_gl(0x1703, 3), None);
    /// ```
    pub const fn from_gl(mode: u32, active_texture: u32) -> Option<Self> {
        Some(match mode {
            0x1700 => Self::Modelview(0),
            0x1701 => Self::Projection,
            0x1702 => Self::Texture(active_texture),
            0x1800 => Self::Color,
            0x850a => Self::Modelview(1),
            0x8722..=0x873f => Self::Modelview(mode - 0x8720),
            0x8630..=0x8637 => Self::Program(mode - 0x8630),
            0x88c0..=0x88df => Self::Program(mode - 0x88c0),
            _ => return None,
        })
    }
}

/// Error of a matrix command, which then has no other effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixError {
    /// `INVALID_VALUE`: the arguments of `glFrustum` or `glOrtho` do not define a volume.
    InvalidValue,
    /// `STACK_OVERFLOW`: the stack has [`MAX_MATRIX_STACK_DEPTH`] matrices.
    StackOverflow,
    /// `STACK_UNDERFLOW`: the stack has only the current matrix.
    StackUnderflow,
}

impl MatrixError {
    /// Returns the number of the error, for `glGetError`.
    pub const fn to_gl(self) -> u32 {
        match self {
            Self::InvalidValue => 0x0501,
            Self::StackOverflow => 0x0503,
            Self::StackUnderflow => 0x0504,
        }
    }
}

impl fmt::Display for MatrixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidValue => "the planes do not define a volume",
            Self::StackOverflow => "the matrix stack is full",
            Self::StackUnderflow => "the matrix stack has only one matrix",
        })
    }
}

impl std::error::Error for MatrixError {}

/// The matrices that `glPushMatrix` has saved, by mode.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MatrixStacks(BTreeMap<MatrixMode, Vec<Matrix>>);

impl MatrixStacks {
    /// Saves the current matrix of a mode.
    ///
    /// # Errors
    /// [`MatrixError::StackOverflow`] if the stack is full.
    pub(super) fn push(&mut self, mode: MatrixMode, current: Matrix) -> Result<(), MatrixError> {
        if self.get_depth(mode) >= MAX_MATRIX_STACK_DEPTH {
            return Err(MatrixError::StackOverflow);
        }
        self.0.entry(mode).or_default().push(current);
        Ok(())
    }

    /// Removes and returns the matrix that was saved last.
    ///
    /// # Errors
    /// [`MatrixError::StackUnderflow`] if none is saved.
    pub(super) fn pop(&mut self, mode: MatrixMode) -> Result<Matrix, MatrixError> {
        let saved = self.0.get_mut(&mode).and_then(Vec::pop);
        saved.ok_or(MatrixError::StackUnderflow)
    }

    /// Returns the number of matrices of a stack, including the current one.
    pub(super) fn get_depth(&self, mode: MatrixMode) -> u32 {
        self.0.get(&mode).map_or(0, Vec::len) as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the numbers of modes against the registry of OpenGL's constants.
    #[test]
    fn modes_have_the_numbers_of_opengl() {
        for (number, mode) in [
            (0x1700, MatrixMode::Modelview(0)),
            (0x1701, MatrixMode::Projection),
            (0x1702, MatrixMode::Texture(5)),
            (0x1800, MatrixMode::Color),
            (0x850a, MatrixMode::Modelview(1)),
            (0x8722, MatrixMode::Modelview(2)),
            (0x873f, MatrixMode::Modelview(31)),
            (0x8630, MatrixMode::Program(0)),
            (0x8637, MatrixMode::Program(7)),
            (0x88c0, MatrixMode::Program(0)),
            (0x88df, MatrixMode::Program(31)),
        ] {
            assert_eq!(MatrixMode::from_gl(number, 5), Some(mode), "{number:#x}");
        }
        for number in [
            0,
            0x16ff,
            0x1703,
            0x1801,
            0x8509,
            0x850b,
            0x8721,
            0x8740,
            0x862f,
            0x8638,
            0x88bf,
            0x88e0,
            u32::MAX,
        ] {
            assert_eq!(MatrixMode::from_gl(number, 5), None, "{number:#x}");
        }
    }
}
