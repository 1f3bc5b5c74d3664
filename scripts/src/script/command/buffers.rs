//! Buffers of a script, their parts, and the bind targets through which programs access them;
//! and changes of parameters and matrices.

use super::textures::HandleUnit;
use crate::data::Scalar;
use glasm::ir::Stage;
use glasm::state::matrix::Matrix;
use std::collections::HashMap;

/// Buffer of the script: index into [`Script::buffers`](crate::script::Script::buffers).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BufferId(pub usize);

/// Kinds of buffers that are bound through descriptors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BufferKind {
    /// Uniform buffer (`ubo`).
    Uniform,
    /// Storage buffer (`ssbo`).
    Storage,
    /// Atomic counters, which only assembly programs have.
    AtomicCounter,
    /// Captured vertices.
    Feedback,
}

/// Bind target of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BindTarget {
    /// For all stages.
    Descriptor {
        /// Kind of the buffer.
        kind: BufferKind,
        /// Descriptor set.
        set: u32,
        /// Binding in the set.
        binding: u32,
    },
    /// `program.buffer[index]` of one stage.
    Param {
        /// Stage whose programs see the buffer.
        stage: Stage,
        /// Index `index` of `program.buffer[index]`.
        index: u32,
    },
}

impl BindTarget {
    /// Returns the kind of the buffers that can be bound to the target.
    pub fn kind(self) -> BufferKind {
        match self {
            Self::Descriptor { kind, .. } => kind,
            Self::Param { .. } => BufferKind::Uniform,
        }
    }
}

impl std::fmt::Display for BindTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Descriptor { kind, set, binding } => {
                let word = match kind {
                    BufferKind::Uniform => "ubo",
                    BufferKind::Storage => "ssbo",
                    BufferKind::AtomicCounter => "counter",
                    BufferKind::Feedback => "xfb",
                };
                write!(f, "{word} {set}:{binding}")
            }
            Self::Param { stage, index } => {
                write!(f, "buffer {index} of {} programs", stage.name())
            }
        }
    }
}

/// Range of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferRange {
    /// Buffer.
    pub buffer: BufferId,
    /// First byte.
    pub offset: u64,
    /// Size; `None` extends to the end of the buffer.
    pub size: Option<u64>,
}

/// Address in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferAddress {
    /// Buffer.
    pub buffer: BufferId,
    /// Distance from its start in bytes.
    pub offset: u64,
}

/// Identification of a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BufferKey {
    /// Reached by its address.
    Named(String),
    /// Buffer that is bound through a descriptor; assembly programs only have the binding.
    Descriptor {
        /// Kind of the buffer.
        kind: BufferKind,
        /// Descriptor set.
        set: u32,
        /// Binding in the set.
        binding: u32,
    },
}

impl std::fmt::Display for BufferKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(name) => write!(f, "buffer `{name}`"),
            Self::Descriptor { kind, set, binding } => BindTarget::Descriptor {
                kind: *kind,
                set: *set,
                binding: *binding,
            }
            .fmt(f),
        }
    }
}

/// Buffer, filled with zeros at the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferDecl {
    /// Identification of the buffer.
    pub key: BufferKey,
    /// Size in bytes: the specified size, or the end of the largest range that commands access.
    pub size: u64,
    /// Line where it is first mentioned.
    pub line: u32,
}

/// Returns the ranges of bound buffers that vertices are captured into, with their binding numbers,
/// in ascending order.
pub fn capture_ranges(bound: &HashMap<BindTarget, BufferRange>) -> Vec<(u32, BufferRange)> {
    let capturing = |(target, range): (&BindTarget, &BufferRange)| match target {
        BindTarget::Descriptor {
            kind: BufferKind::Feedback,
            binding,
            ..
        } => Some((*binding, *range)),
        BindTarget::Descriptor { .. } | BindTarget::Param { .. } => None,
    };
    let mut ranges: Vec<_> = bound.iter().filter_map(capturing).collect();
    ranges.sort_by_key(|(binding, _)| *binding);
    ranges
}

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
    /// Returns the type with which GL queries parameters of these components; `None` for those of
    /// other sizes, which GL does not query.
    pub(crate) fn from_scalar(scalar: Scalar) -> Option<Self> {
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
