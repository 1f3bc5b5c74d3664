//! Object pool of a device: objects that outlive their script are reused by the next one that needs
//! an equal one.
//!
//! A [`Kept`] returns to the pool of its device when it is dropped. Pools have a limited size; the
//! least recently used object is dropped. Objects in a pool own their device, so that the last user
//! of a device calls [`Device::clear_shelves`].

use super::device::Device;
use crate::error::Error;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Pooled object, which returns to the pool when it is dropped.
pub(crate) struct Kept<T: Keep> {
    /// `None` only while it is dropped.
    item: Option<(T::Key, T)>,
    device: Rc<Device>,
}

impl<T: Keep> Kept<T> {
    /// Returns an object from the pool, with the contents of its last use, or a new one.
    pub(super) fn get(
        device: &Rc<Device>,
        key: T::Key,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Self, Error> {
        let item = match device.shelves.take(&key) {
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
            let fallen = self.device.shelves.put(key, item);
            drop(fallen);
        }
    }
}

/// Object that can be pooled.
pub(crate) trait Keep: Sized + 'static {
    /// Properties that make objects interchangeable.
    type Key: PartialEq;
    /// Maximum number of pooled objects.
    const LIMIT: usize;
    /// Returns true if the object is small enough for the pool.
    fn is_small(_: &Self::Key) -> bool {
        true
    }
}

/// Objects of one type with their keys, those used last at the end.
struct Shelf<T: Keep>(VecDeque<(T::Key, T)>);

impl<T: Keep> Default for Shelf<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Keep> Shelf<T> {
    fn take(&mut self, key: &T::Key) -> Option<T> {
        let index = self.0.iter().rposition(|(other, _)| other == key)?;
        self.0.remove(index).map(|(_, item)| item)
    }

    fn put(&mut self, key: T::Key, item: T) -> Option<(T::Key, T)> {
        self.0.push_back((key, item));
        if self.0.len() > T::LIMIT {
            self.0.pop_front()
        } else {
            None
        }
    }
}

/// Free list for each type of objects. The types are not listed here: objects need the device, and
/// the device owns the pool.
#[derive(Default)]
pub(super) struct Shelves(RefCell<HashMap<TypeId, Box<dyn Any>>>);

impl Shelves {
    /// Removes an object from the free list.
    pub(super) fn take<T: Keep>(&self, key: &T::Key) -> Option<T> {
        self.with_shelf(|shelf| shelf.take(key))
    }

    /// Returns an object to the free list; returns the one that is evicted.
    #[must_use = "what falls off is dropped where nothing is borrowed"]
    pub(super) fn put<T: Keep>(&self, key: T::Key, item: T) -> Option<(T::Key, T)> {
        self.with_shelf(|shelf| shelf.put(key, item))
    }

    fn with_shelf<T: Keep, R>(&self, act: impl FnOnce(&mut Shelf<T>) -> R) -> R {
        let mut shelves = self.0.borrow_mut();
        let shelf = shelves.entry(TypeId::of::<T>());
        let shelf = shelf.or_insert_with(|| Box::new(Shelf::<T>::default()));
        act(shelf.downcast_mut().expect("each shelf lies at its type"))
    }

    /// Drops all objects, including those that are returned by dropping others.
    pub(super) fn clear(&self) {
        loop {
            let shelves = std::mem::take(&mut *self.0.borrow_mut());
            if shelves.is_empty() {
                return;
            }
            drop(shelves);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::{Rc, Weak};

    impl Keep for u8 {
        type Key = char;
        const LIMIT: usize = 2;
    }

    #[test]
    fn shelves_give_back_and_forget() {
        let shelves = Shelves::default();
        assert_eq!(shelves.take::<u8>(&'a'), None);
        assert_eq!(shelves.put('a', 1u8), None);
        assert_eq!(shelves.put('b', 2u8), None);
        assert_eq!(shelves.put('a', 3u8), Some(('a', 1)));
        // The most recently used one is first, and each is used only once.
        assert_eq!(shelves.take(&'a'), Some(3u8));
        assert_eq!(shelves.take::<u8>(&'a'), None);
        assert_eq!(shelves.put('c', 4u8), None);
        shelves.clear();
        assert_eq!(shelves.take::<u8>(&'b'), None);
    }

    /// User that puts a number into the pool when it is dropped, as framebuffers do with their
    /// buffers.
    struct User(Weak<Shelves>);

    impl Keep for User {
        type Key = ();
        const LIMIT: usize = 1;
    }

    impl Drop for User {
        fn drop(&mut self) {
            let shelves = self.0.upgrade().unwrap();
            assert_eq!(shelves.put('a', 1u8), None);
        }
    }

    #[test]
    fn what_users_put_back_is_dropped_too() {
        let shelves = Rc::new(Shelves::default());
        let user = User(Rc::downgrade(&shelves));
        assert!(shelves.put((), user).is_none());
        shelves.clear();
        assert_eq!(shelves.take::<u8>(&'a'), None);
    }
}
