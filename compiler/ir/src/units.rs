//! Which textures or images an access can reach.

/// The textures or images that a program sees through one resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Units {
    /// That of one unit.
    One(u32),
    /// Those of consecutive units; an access says which one.
    Array {
        /// First unit.
        first: u32,
        /// Number of units.
        count: u32,
    },
    /// Those that are resident and have the target and the texels of the resource; the low word of a handle says which one.
    Handle,
    /// Like `Handle` for textures with texels of any type. For queries only, which read no texels.
    QueriedHandle,
}

impl Units {
    /// Units from `first` on: so many, or one without a number.
    pub const fn new(first: u32, count: Option<u32>) -> Self {
        match count {
            Some(count) => Self::Array { first, count },
            None => Self::One(first),
        }
    }

    /// The first unit, unless handles take the place of units.
    pub const fn first(self) -> Option<u32> {
        match self {
            Self::One(first) | Self::Array { first, .. } => Some(first),
            Self::Handle | Self::QueriedHandle => None,
        }
    }

    /// The numbers of the units, none for handles.
    pub const fn numbers(self) -> std::ops::Range<u32> {
        match self {
            Self::One(unit) => unit..unit.saturating_add(1),
            Self::Array { first, count } => first..first.saturating_add(count),
            Self::Handle | Self::QueriedHandle => 0..0,
        }
    }

    /// Whether handles take the place of units.
    pub const fn is_handle(self) -> bool {
        matches!(self, Self::Handle | Self::QueriedHandle)
    }
}
