//! Sets of textures or images that an access can read.

/// The textures or images that a program accesses through one resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Units {
    /// The texture or image of one unit.
    One(u32),
    /// The textures or images of consecutive units; an access selects one.
    Array {
        /// First unit.
        first: u32,
        /// Number of units.
        count: u32,
    },
    /// The resident textures or images with the target and the texels of the resource; the low word
    /// of a handle selects one.
    Handle,
    /// The resident textures with texels of any type, selected like `Handle`. For queries only,
    /// which read no texels.
    QueriedHandle,
}

impl Units {
    /// Returns the `count` units from `first` on, or one unit without a count.
    pub const fn new(first: u32, count: Option<u32>) -> Self {
        match count {
            Some(count) => Self::Array { first, count },
            None => Self::One(first),
        }
    }

    /// Returns the first unit; `None` for handles.
    pub const fn first(self) -> Option<u32> {
        match self {
            Self::One(first) | Self::Array { first, .. } => Some(first),
            Self::Handle | Self::QueriedHandle => None,
        }
    }

    /// Returns the indices of the units; an empty range for handles.
    pub const fn numbers(self) -> std::ops::Range<u32> {
        match self {
            Self::One(unit) => unit..unit.saturating_add(1),
            Self::Array { first, count } => first..first.saturating_add(count),
            Self::Handle | Self::QueriedHandle => 0..0,
        }
    }

    /// Returns true if handles select the texture or image.
    pub const fn is_handle(self) -> bool {
        matches!(self, Self::Handle | Self::QueriedHandle)
    }
}
