//! Object pool of a device: objects that outlive their script are reused by the next one that needs
//! an equal one.
//!
//! A [`Pooled`] returns to the pool of its device when it is dropped. Pools have a limited size;
//! the least recently used object is dropped. Objects in a pool own their device, so that the last
//! user of a device calls [`Device::clear_pool`].

use super::device::Device;
use crate::error::Error;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Pooled object, which returns to the pool when it is dropped.
pub(crate) struct Pooled<T: Poolable> {
    /// `None` only while it is dropped.
    item: Option<(T::Key, T)>,
    device: Rc<Device>,
}

impl<T: Poolable> Pooled<T> {
    /// Returns an object with this key from the pool of the device, with the contents of its last
    /// use, or the one that `make` creates.
    pub(super) fn get_or_create(
        device: &Rc<Device>,
        key: T::Key,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Self, Error> {
        let item = match device.pool.take(&key) {
            Some(item) => item,
            None => make()?,
        };
        Ok(Self {
            item: Some((key, item)),
            device: Rc::clone(device),
        })
    }
}

const ITEM_PRESENT: &str = "the object is there until it is dropped";

impl<T: Poolable> Deref for Pooled<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item.as_ref().expect(ITEM_PRESENT).1
    }
}

impl<T: Poolable> DerefMut for Pooled<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.item.as_mut().expect(ITEM_PRESENT).1
    }
}

impl<T: Poolable> Drop for Pooled<T> {
    fn drop(&mut self) {
        let Some((key, item)) = self.item.take() else {
            return;
        };
        if !self.device.is_lost() && T::is_small(&key) {
            let evicted = self.device.pool.put(key, item);
            drop(evicted);
        }
    }
}

/// Object that can be pooled.
pub(crate) trait Poolable: Sized + 'static {
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
struct FreeList<T: Poolable>(VecDeque<(T::Key, T)>);

impl<T: Poolable> Default for FreeList<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Poolable> FreeList<T> {
    /// Removes and returns the most recently used object with this key; `None` if there is none.
    fn take(&mut self, key: &T::Key) -> Option<T> {
        let index = self.0.iter().rposition(|(other, _)| other == key)?;
        self.0.remove(index).map(|(_, item)| item)
    }

    /// Adds an object as the most recently used one. Returns the least recently used object,
    /// removed, if the list exceeds its limit.
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
pub(super) struct ObjectPool(RefCell<HashMap<TypeId, Box<dyn Any>>>);

impl ObjectPool {
    /// Removes and returns an object with this key from the free list of its type; `None` if there
    /// is none.
    pub(super) fn take<T: Poolable>(&self, key: &T::Key) -> Option<T> {
        self.with_free_list(|list| list.take(key))
    }

    /// Adds an object to the free list of its type. Returns the least recently used object,
    /// removed, if the list exceeds its limit; the caller drops it after the borrow of the pool has
    /// ended.
    #[must_use = "the evicted object is dropped after the borrow of the pool"]
    pub(super) fn put<T: Poolable>(&self, key: T::Key, item: T) -> Option<(T::Key, T)> {
        self.with_free_list(|list| list.put(key, item))
    }

    /// Calls `act` with the free list of a type, which is created if it is missing. The pool is
    /// borrowed during the call, so that `act` must not drop objects.
    fn with_free_list<T: Poolable, R>(&self, act: impl FnOnce(&mut FreeList<T>) -> R) -> R {
        let mut lists = self.0.borrow_mut();
        let list = lists.entry(TypeId::of::<T>());
        let list = list.or_insert_with(|| Box::new(FreeList::<T>::default()));
        act(list
            .downcast_mut()
            .expect("each free list is stored by its type"))
    }

    /// Drops all objects, including those that are returned by dropping others.
    pub(super) fn clear(&self) {
        loop {
            let lists = std::mem::take(&mut *self.0.borrow_mut());
            if lists.is_empty() {
                return;
            }
            drop(lists);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::{Rc, Weak};

    impl Poolable for u8 {
        type Key = char;
        const LIMIT: usize = 2;
    }

    #[test]
    fn shelves_give_back_and_forget() {
        let lists = ObjectPool::default();
        assert_eq!(lists.take::<u8>(&'a'), None);
        assert_eq!(lists.put('a', 1u8), None);
        assert_eq!(lists.put('b', 2u8), None);
        assert_eq!(lists.put('a', 3u8), Some(('a', 1)));
        // The most recently used one is first, and each is used only once.
        assert_eq!(lists.take(&'a'), Some(3u8));
        assert_eq!(lists.take::<u8>(&'a'), None);
        assert_eq!(lists.put('c', 4u8), None);
        lists.clear();
        assert_eq!(lists.take::<u8>(&'b'), None);
    }

    /// User that puts a number into the pool when it is dropped, as framebuffers do with their
    /// buffers.
    struct User(Weak<ObjectPool>);

    impl Poolable for User {
        type Key = ();
        const LIMIT: usize = 1;
    }

    impl Drop for User {
        fn drop(&mut self) {
            let lists = self.0.upgrade().unwrap();
            assert_eq!(lists.put('a', 1u8), None);
        }
    }

    #[test]
    fn what_users_put_back_is_dropped_too() {
        let lists = Rc::new(ObjectPool::default());
        let user = User(Rc::downgrade(&lists));
        assert!(lists.put((), user).is_none());
        lists.clear();
        assert_eq!(lists.take::<u8>(&'a'), None);
    }
}
