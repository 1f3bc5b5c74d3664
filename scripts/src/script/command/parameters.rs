//! Parameters and matrices that programs read.

use super::buffers::BufferAddress;
use super::textures::HandleUnit;
use crate::data::Scalar;
use glasm::state::matrix::Matrix;

/// Bank of parameters of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ParamBank {
    /// `program.env`
    Env,
    /// `program.local`
    Local,
    /// `program.subroutine`
    Subroutine,
    /// Parameters that a program names: the number is that of
    /// [`Script::param_names`](crate::script::Script::param_names).
    Named,
}

/// Types with which GL sets and queries parameters: `GL_ARB_vertex_program`'s commands, `Iiv` and
/// `Iuiv`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamType {
    /// Floats.
    Float,
    /// Signed integers (`Iiv`).
    Int,
    /// Unsigned integers (`Iuiv`).
    Uint,
}

impl ParamType {
    /// Returns the type of components; `None` for those of other sizes, which GL does not query.
    pub(crate) fn of(scalar: Scalar) -> Option<Self> {
        [
            (Scalar::F32, Self::Float),
            (Scalar::I32, Self::Int),
            (Scalar::U32, Self::Uint),
        ]
        .into_iter()
        .find_map(|(known, ty)| (known == scalar).then_some(ty))
    }
}

/// Value of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamValue {
    /// Type and bits of the four components.
    Words(Option<ParamType>, [u32; 4]),
    /// 64-bit addresses in (x, y) and, with two of them, in (z, w); low word first. Other
    /// components are unchanged.
    Addresses(Vec<BufferAddress>),
    /// 64-bit handles in (x, y) and, with two of them, in (z, w).
    Handles(Vec<HandleUnit>),
}

/// Matrix of GL state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixTarget {
    /// Modelview matrix, by number.
    Modelview(u32),
    /// Projection matrix.
    Projection,
    /// Texture matrix, by coordinate set.
    Texture(u32),
    /// Matrix of the palette, by number.
    Palette(u32),
    /// Program matrix, by number.
    Program(u32),
    /// Color matrix.
    Color,
}

/// Operation on a matrix.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MatrixUpdate {
    /// Becomes this matrix.
    Load(Matrix),
    /// Multiplied from the right, as GL's matrix commands do.
    Multiply(Matrix),
    /// Saves the matrix for a later `Pop`.
    Push,
    /// Restores the matrix of the `Push`, whose presence the parser has checked.
    Pop,
}
