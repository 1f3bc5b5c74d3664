//! Vectors that programs read and callers set, and their use.

use glasm::ir::{ParamSource, Program, RegisterId, Semantic, StateParam, Storage};
use glasm::state::{MatrixForm, MatrixName};
use std::collections::{BTreeMap, BTreeSet};

/// Source of a vector that a program reads and a caller sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct VectorSource {
    /// Group of vectors with numbers.
    pub(super) bank: VectorBank,
    /// Number of the vector.
    pub(super) number: u32,
}

/// Vectors that are numbered together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum VectorBank {
    /// `program.env[n]`.
    Env,
    /// `program.local[n]`.
    Local,
    /// Vectors of 16 bytes of the constant buffer with this binding.
    Constant(u32),
    /// Rows of a program matrix.
    ProgramMatrix(u32),
}

/// Matrix that a program expects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum MatrixRole {
    /// From object space to clip space.
    ModelviewProjection,
    /// From object space to eye space.
    Modelview,
    /// From eye space to clip space.
    Projection,
    /// Any other, for which the identity is used.
    Identity,
}

/// Vector of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MatrixVector {
    /// The matrix.
    pub(super) role: MatrixRole,
    /// True for a column, false for a row.
    pub(super) is_column: bool,
    /// Number of the row or column, 0 to 3.
    pub(super) index: usize,
}

/// Use of a vector that is not of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum VectorUse {
    /// Added, and nothing else.
    Addend,
    /// Any use without other variants.
    Other,
    /// Difference from the position of vertices: the position of a light or of the eye.
    Position,
    /// Operand of dot products of three components.
    Direction,
}

/// Vectors that a program uses in products and sums.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ProductVectors {
    /// Vectors of matrices.
    pub(super) matrices: BTreeMap<VectorSource, MatrixVector>,
    /// Use of other vectors.
    pub(super) uses: BTreeMap<VectorSource, VectorUse>,
    /// Inputs, by their indices, of which a matrix of three columns is multiplied with the first
    /// three components.
    pub(super) direction_inputs: BTreeSet<usize>,
}

/// Returns the register of a position that the program writes; `None` without one.
pub(super) fn find_position_register(program: &Program) -> Option<RegisterId> {
    let mut registers = program.registers.iter_enumerated();
    let found = registers.find(|(_, register)| {
        let Storage::Output(first) = register.storage else {
            return false;
        };
        let output = program.outputs.get(first);
        output.is_some_and(|output| output.semantic == Semantic::Position)
    });
    found.map(|(id, _)| id)
}

/// Returns the vector of a parameter; `None` for literals, named parameters, and state other than
/// rows of program matrices.
pub(super) fn get_vector_source(source: ParamSource) -> Option<VectorSource> {
    let (bank, number) = match source {
        ParamSource::Env(number) => (VectorBank::Env, number),
        ParamSource::Local(number) => (VectorBank::Local, number),
        ParamSource::State(StateParam::MatrixRow {
            matrix: MatrixName::Program(matrix),
            form: MatrixForm::Plain,
            row,
        }) => (VectorBank::ProgramMatrix(matrix), row.into()),
        ParamSource::State(_)
        | ParamSource::Named(_)
        | ParamSource::Subroutine(_)
        | ParamSource::Literal(_)
        | ParamSource::Argument => return None,
    };
    Some(VectorSource { bank, number })
}

impl VectorBank {
    /// Returns the number of the program matrix; `None` for other vectors.
    pub(super) fn program_matrix(self) -> Option<u32> {
        match self {
            Self::ProgramMatrix(number) => Some(number),
            Self::Env | Self::Local | Self::Constant(_) => None,
        }
    }
}
