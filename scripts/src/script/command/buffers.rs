//! Buffers of a script, their parts, and the bind targets through which programs access them.

use glasm::ir::Stage;
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
    Counter,
    /// Captured vertices.
    Feedback,
}

/// Bind target of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BindTarget {
    /// For all stages.
    Bound {
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
    /// Returns the kind of access to a buffer that is bound there.
    pub fn kind(self) -> BufferKind {
        match self {
            Self::Bound { kind, .. } => kind,
            Self::Param { .. } => BufferKind::Uniform,
        }
    }
}

impl std::fmt::Display for BindTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bound { kind, set, binding } => {
                let word = match kind {
                    BufferKind::Uniform => "ubo",
                    BufferKind::Storage => "ssbo",
                    BufferKind::Counter => "counter",
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
    Bound {
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
            Self::Bound { kind, set, binding } => BindTarget::Bound {
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

/// Returns the ranges of buffers that vertices are captured into, with their numbers, in order.
pub fn captured_ranges(bound: &HashMap<BindTarget, BufferRange>) -> Vec<(u32, BufferRange)> {
    let capturing = |(target, range): (&BindTarget, &BufferRange)| match target {
        BindTarget::Bound {
            kind: BufferKind::Feedback,
            binding,
            ..
        } => Some((*binding, *range)),
        BindTarget::Bound { .. } | BindTarget::Param { .. } => None,
    };
    let mut found: Vec<_> = bound.iter().filter_map(capturing).collect();
    found.sort_by_key(|(binding, _)| *binding);
    found
}
