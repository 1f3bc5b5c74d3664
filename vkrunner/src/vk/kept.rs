//! Objects that outlive their script: who needs the like of one gets it back instead of a new one.
//!
//! A [`Kept`] goes to a shelf of its device when it is dropped. Shelves are short; what was used longest ago falls off. Objects on a shelf
//! hold their device, so whoever is done with a device calls [`Device::clear_shelves`].

use super::buffer::{BufferObject, BufferUse};
use super::descriptors::{LayoutKey, LayoutObject};
use super::device::Device;
use super::framebuffer::{FramebufferKey, FramebufferObject};
use super::pipeline::{
    ComputeKey, ComputePipelineObject, GraphicsPipelineObject, PipelineKey, ShaderModuleObject,
};
use crate::error::Error;
use glasm::ir::Stage;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Something that is worth keeping.
pub(crate) trait Keep: Sized {
    /// What makes one as good as another.
    type Key: PartialEq;
    /// How many are kept.
    const LIMIT: usize;
    /// Where they are kept.
    fn shelf(shelves: &Shelves) -> &Shelf<Self>;
    /// Whether this one is not too large.
    fn is_small(_: &Self::Key) -> bool {
        true
    }
}

/// Objects of one type with their keys, those used last at the end.
pub(crate) struct Shelf<T: Keep>(RefCell<VecDeque<(T::Key, T)>>);

impl<T: Keep> Default for Shelf<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Keep> Shelf<T> {
    /// Takes an object off.
    fn take(&self, key: &T::Key) -> Option<T> {
        let mut items = self.0.borrow_mut();
        let index = items.iter().rposition(|(other, _)| other == key)?;
        items.remove(index).map(|(_, item)| item)
    }

    /// Puts an object back; gives the one that falls off.
    #[must_use = "what falls off is dropped where nothing is borrowed"]
    fn put(&self, key: T::Key, item: T) -> Option<(T::Key, T)> {
        let mut items = self.0.borrow_mut();
        items.push_back((key, item));
        match items.len() > T::LIMIT {
            true => items.pop_front(),
            false => None,
        }
    }

    fn clear(&self) {
        let items = std::mem::take(&mut *self.0.borrow_mut());
        drop(items);
    }
}

macro_rules! shelves {
    ($($field:ident: $kept:ty, key $key:ty, limit $limit:expr, small $small:expr;)*) => {
        /// The shelves of a device.
        #[derive(Default)]
        pub(crate) struct Shelves {
            $($field: Shelf<$kept>,)*
        }

        impl Shelves {
            /// Drops everything.
            pub(super) fn clear(&self) {
                $(self.$field.clear();)*
            }
        }

        $(impl Keep for $kept {
            type Key = $key;
            const LIMIT: usize = $limit;

            fn shelf(shelves: &Shelves) -> &Shelf<Self> {
                &shelves.$field
            }

            fn is_small(key: &Self::Key) -> bool {
                let small: fn(&Self::Key) -> bool = $small;
                small(key)
            }
        })*
    };
}

// Users before what they use, so that they are dropped first.
shelves! {
    graphics: GraphicsPipelineObject, key PipelineKey, limit 64, small |_| true;
    compute: ComputePipelineObject, key ComputeKey, limit 32, small |_| true;
    layouts: LayoutObject, key Rc<LayoutKey>, limit 64, small |_| true;
    modules: ShaderModuleObject, key (Stage, Rc<[u32]>), limit 128, small |_| true;
    framebuffers: FramebufferObject, key Rc<FramebufferKey>, limit 8, small |key| key.texels() <= 1 << 16;
    buffers: BufferObject, key (BufferUse, u64), limit 64, small |(_, size)| *size <= 1 << 16;
}

/// An object that is kept when its user is done with it.
pub(crate) struct Kept<T: Keep> {
    /// `None` only while it is dropped.
    item: Option<(T::Key, T)>,
    device: Rc<Device>,
}

impl<T: Keep> Kept<T> {
    /// An object from the shelf, with whatever its last user left in it, or a new one.
    pub(super) fn get(
        device: &Rc<Device>,
        key: T::Key,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Self, Error> {
        let item = match T::shelf(&device.shelves).take(&key) {
            Some(item) => item,
            None => make()?,
        };
        Ok(Self {
            item: Some((key, item)),
            device: Rc::clone(device),
        })
    }
}

const TAKEN: &str = "the object is there until it is dropped";

impl<T: Keep> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item.as_ref().expect(TAKEN).1
    }
}

impl<T: Keep> DerefMut for Kept<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.item.as_mut().expect(TAKEN).1
    }
}

impl<T: Keep> Drop for Kept<T> {
    fn drop(&mut self) {
        let Some((key, item)) = self.item.take() else {
            return;
        };
        if !self.device.is_lost() && T::is_small(&key) {
            let fallen = T::shelf(&self.device.shelves).put(key, item);
            drop(fallen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Keep for u8 {
        type Key = char;
        const LIMIT: usize = 2;

        fn shelf(_: &Shelves) -> &Shelf<Self> {
            unreachable!("shelves are tested without a device")
        }
    }

    #[test]
    fn shelves_give_back_and_forget() {
        let shelf = Shelf::<u8>::default();
        assert_eq!(shelf.take(&'a'), None);
        assert_eq!(shelf.put('a', 1), None);
        assert_eq!(shelf.put('b', 2), None);
        assert_eq!(shelf.put('a', 3), Some(('a', 1)));
        // The one used last comes first, and each only once.
        assert_eq!(shelf.take(&'a'), Some(3));
        assert_eq!(shelf.take(&'a'), None);
        assert_eq!(shelf.put('c', 4), None);
        shelf.clear();
        assert_eq!(shelf.take(&'b'), None);
    }
}
