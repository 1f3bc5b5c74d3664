//! Variables of a program, which names and bindings are resolved to.

use crate::interner::NameId;
use glasm_ir::types::{BaseType, Width};
use glasm_ir::{ParamSource, Semantic, Span};

/// A variable, declared or created by a binding that is used directly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Var {
    pub(crate) kind: VarKind,
    pub(crate) name: Option<NameId>,
    /// Declared data type.
    pub(crate) base: Option<BaseType>,
    pub(crate) size: VarSize,
    /// Number of elements of an array.
    pub(crate) array_size: Option<u32>,
    /// True if some access has a dynamic index.
    pub(crate) has_relative_access: bool,
    /// The dynamic index that the binding has: the variable is that element of all such bindings.
    /// NV_vertex_program3 sections 2.14.3.1 and 2.14.3.4.
    pub(crate) relative_element: Option<u32>,
    /// True if its first index is the number of a vertex: the bindings name none.
    /// NV_geometry_program4 section 2.X.3.2.
    pub(crate) is_indexed_by_vertex: bool,
    /// True if it is a single number, which is a scalar and has no components. NV_fragment_program
    /// section 3.11.2.
    pub(crate) is_number: bool,
    pub(crate) span: Span,
}

/// Kind of a variable, with its bindings. `first` is its first binding in the table of its kind.
// The kind is a byte, which is tested faster than unused values of the bindings.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VarKind {
    Temp,
    /// A result of which only the condition codes are stored. NV_fragment_program section 3.11.1.2.
    CondCodes,
    /// Address register: integers that only indices read.
    Address,
    Attrib {
        first: u32,
    },
    Param {
        first: u32,
    },
    /// The parameters of a vertex state program, which writes them, too: they are in a buffer.
    WritableParam,
    /// The vertex state argument that a vertex state program is executed with.
    Argument,
    Result {
        first: u32,
    },
    Buffer(BufferView),
    Texture {
        unit: u32,
    },
    Image {
        unit: u32,
    },
    Shared {
        start: u32,
    },
    /// SUBROUTINE: its parameters are in the table of parameters, its labels those of the type.
    Subroutine {
        first: u32,
        ty: NameId,
    },
    /// Declared with errors: uses are not reported.
    Poisoned,
}

/// Size of components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VarSize {
    Short,
    Normal,
    Long,
}

/// An attribute or result binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IoBinding {
    pub(crate) semantic: Semantic,
    pub(crate) base: BaseType,
    pub(crate) typeless: bool,
    pub(crate) holder: AttribOwner,
}

impl IoBinding {
    /// Returns the key by which components of the binding are counted: those of all vertices once,
    /// those of input and output patch separately.
    pub(crate) fn component_key(&self) -> (Semantic, Direction) {
        // Both patches of a control program are counted separately, the vertices of each are not.
        (self.semantic, self.holder.direction)
    }

    /// Returns a binding of floats to an attribute or result of the current vertex.
    pub(crate) fn new_float(semantic: Semantic) -> Self {
        Self {
            semantic,
            base: BaseType::Float,
            typeless: false,
            holder: AttribOwner::default(),
        }
    }
}

/// Holder of an attribute. NV_tessellation_program5 table X.2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct AttribOwner {
    pub(crate) direction: Direction,
    pub(crate) vertex: VertexSelector,
}

/// Side of an interface: inputs or outputs of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) enum Direction {
    #[default]
    Input,
    /// The output patch of a tessellation control program.
    Output,
}

/// Vertex that an attribute belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum VertexSelector {
    /// The attribute does not belong to a single vertex.
    #[default]
    NotPerVertex,
    /// The one of this number.
    Fixed(u8),
    /// An attribute of each vertex: the first index of the variable selects one.
    Indexed,
}

/// View of the buffers that a buffer variable denotes.
///
/// Variables over several binding points take one index, the binding point, or two, the binding
/// point and the element; the number of elements of an array variable is in [`Var::array_size`]
/// unless there are two indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferView {
    pub(crate) layout: BufferLayout,
    /// First binding point.
    pub(crate) binding: u32,
    /// Number of binding points that can be chosen.
    pub(crate) binding_count: Option<u32>,
    /// First element.
    pub(crate) first_element: u32,
    /// Number of elements of variables with two indices.
    pub(crate) element_count: Option<u32>,
}

/// Layout of the elements of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum BufferLayout {
    /// BUFFER: words, replicated.
    Words,
    /// BUFFER4: vectors.
    Vectors,
    /// CBUFFER: bytes, only for LDC.
    Bytes,
    /// STORAGE: bytes, only for LDB, STB and ATOMB.
    Storage,
    /// COUNTER: words, only for ATOMCTR.
    Counter,
}

/// Key of a variable that a directly used binding creates, and of the result `CC`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ImplicitKey {
    Attrib(Semantic, AttribOwner),
    Result(Semantic),
    Param(ParamSource),
    Texture(u32),
    Image(u32),
    CcOnlyResult,
}

impl VarKind {
    /// Returns true if every instruction may read a variable of this kind as an operand; false for
    /// results and elements of buffers, which only some may.
    pub(crate) fn is_value(self) -> bool {
        matches!(
            self,
            Self::Temp
                | Self::Attrib { .. }
                | Self::Param { .. }
                | Self::WritableParam
                | Self::Argument
        )
    }
}

impl Var {
    /// Returns a variable of normal size without name and type that is not an array.
    pub(crate) fn unnamed(kind: VarKind, span: Span) -> Self {
        Self {
            kind,
            name: None,
            base: None,
            size: VarSize::Normal,
            array_size: None,
            has_relative_access: false,
            relative_element: None,
            is_indexed_by_vertex: false,
            is_number: false,
            span,
        }
    }

    /// Returns the number of elements that have separate registers or slots in the translation: 0
    /// unless it is an array that the program does not index dynamically, which is one register or
    /// one run of slots otherwise.
    pub(crate) fn count_separate_elements(&self) -> u32 {
        // Textures, images and memory have no registers.
        let is_stored = matches!(
            self.kind,
            VarKind::Temp
                | VarKind::Address
                | VarKind::Attrib { .. }
                | VarKind::Param { .. }
                | VarKind::WritableParam
                | VarKind::Argument
                | VarKind::Subroutine { .. }
                | VarKind::Result { .. }
        );
        let count = self
            .array_size
            .filter(|_| is_stored && !self.has_relative_access);
        count.unwrap_or(0)
    }

    /// Returns true if an index may follow the variable, or belongs to its binding: arrays, buffers
    /// and values per vertex.
    pub(crate) fn has_elements(&self) -> bool {
        let is_indexed = self.relative_element.is_some() || self.is_indexed_by_vertex;
        is_indexed || self.array_size.is_some() || matches!(self.kind, VarKind::Buffer(_))
    }

    /// Returns true if a component of the variable can be a dynamic index or a handle: an integer,
    /// or one without declared type, that every instruction can read and that is not an array.
    pub(crate) fn can_be_index(&self) -> bool {
        let is_single = self.array_size.is_none() && !self.is_indexed_by_vertex;
        self.kind.is_value() && is_single && self.base != Some(BaseType::Float)
    }

    /// Returns the width of the lanes of the variable's register.
    pub(crate) fn width(&self) -> Width {
        if self.is_long() {
            Width::W64
        } else {
            Width::W32
        }
    }

    /// Returns true if the variable is declared as `LONG`: its lanes have 64 bits.
    pub(crate) fn is_long(&self) -> bool {
        self.size == VarSize::Long
    }
}

impl BufferView {
    /// Returns the numbers of binding points and elements of a variable with two indices; `None`
    /// for variables with one.
    pub(crate) fn two_index_sizes(self) -> Option<[u32; 2]> {
        // A view over binding points whose variable is one element takes one index only.
        Some([self.binding_count?, self.element_count?])
    }
}
