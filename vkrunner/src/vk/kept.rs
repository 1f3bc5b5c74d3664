//! Objects that outlive their script: who needs the like of one gets it back instead of a new one.
//!
//! A [`Kept`] goes to a shelf of its device when it is dropped. Shelves are short; what was used longest ago falls off. Objects on a shelf
//! hold their device, so whoever is done with a device calls [`Device::clear_shelves`].

use super::device::Device;
use super::shelves::Keep;
use crate::error::Error;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

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
