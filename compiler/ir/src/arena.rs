//! Newtype ids and the dense vectors they index.
//!
//! Ids are `u32` positions. An [`IndexVec`] can only be indexed by its own id type, so that a
//! register id cannot index the textures.
//!
//! The id types of the tables of a program are defined here, too.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A position in an [`IndexVec`].
pub trait Id: Copy + Eq + fmt::Debug {
    /// Returns the id of position `index`.
    fn new(index: usize) -> Self;
    /// Returns the position that this id denotes.
    fn index(self) -> usize;
}

/// Declares id types: `u32` newtypes that print with a prefix, e.g. `r7`.
macro_rules! define_ids {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        pub struct $name(u32);

        impl $crate::arena::Id for $name {
            fn new(index: usize) -> Self {
                debug_assert!(index < u32::MAX as usize);
                Self(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

/// A vector indexed by one id type.
#[derive(Clone, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// Returns an empty vector.
    pub const fn new() -> Self {
        Self {
            items: Vec::new(),
            id: PhantomData,
        }
    }

    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }

    /// Returns the item of `id`, or `None` if there is none.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// Returns the id that the next [`push`](Self::push) returns.
    pub fn next_id(&self) -> I {
        I::new(self.items.len())
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if the vector has no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Iterates over the items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Iterates over mutable references to the items, in order.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// Iterates over the items with their ids, in order.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| (I::new(index), item))
    }

    /// Iterates over the ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// Returns the items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// Removes all items; the capacity is retained.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Reserves capacity for `more` additional items.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// Appends copies of `item` until the length is `len`; never shortens.
    pub fn grow(&mut self, len: usize, item: T)
    where
        T: Clone,
    {
        if self.items.len() < len {
            self.items.resize(len, item);
        }
    }
}

impl<I, T> Default for IndexVec<I, T> {
    /// Returns an empty vector.
    fn default() -> Self {
        Self {
            items: Vec::new(),
            id: PhantomData,
        }
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

define_ids! {
    /// A register.
    RegisterId = "r";
    /// A block: a sequence of nodes.
    BlockId = "b";
    /// A routine: main or a subroutine.
    RoutineId = "fn";
    /// A switch.
    SwitchId = "sw";
    /// A name of the source.
    NameId = "name";
    /// A literal vector of a program.
    LiteralId = "lit";
    /// An operand index that is not just a constant; see [`Index`](crate::Index).
    IndexId = "idx";
    /// Texture access data of one instruction.
    TexAccessId = "txa";
    /// Memory access data of one instruction.
    MemAccessId = "mem";
    /// Image access data of one instruction.
    ImageAccessId = "ima";
    /// A parameter slot: one vec4 of the parameter block.
    ParamId = "p";
    /// A texture of the program.
    TextureId = "tex";
    /// A buffer of the program.
    BufferId = "buf";
    /// An image of the program.
    ImageId = "img";
    /// A stage input.
    InputId = "in";
    /// A stage output.
    OutputId = "out";
}
