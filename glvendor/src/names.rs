//! Names of objects of the driver that are this library's, in name spaces that it has in common
//! with the application.
//!
//! Applications see none of them. If applications can choose names (buffers, textures), the library
//! deletes its object or moves it to another name before a command with that name runs. If only
//! generated names are valid (program objects, pipeline objects), commands receive [`NOBODYS`]
//! instead of a name of the library, so that the driver responds as to any name that was not
//! generated.

use crate::context::State;
use crate::ffi::ring::Store;
use crate::ffi::{driver, query};
use crate::lock::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Name that no object has: drivers generate names from 1 on.
pub(crate) const NOBODYS: u32 = u32::MAX;

/// True if this library has created an object in any context. Until then commands are not
/// inspected.
static EXIST: AtomicBool = AtomicBool::new(false);

/// Returns true if this library may have objects.
#[inline]
pub(crate) fn exist() -> bool {
    EXIST.load(Ordering::Relaxed)
}

/// Names that contexts share.
#[derive(Debug, Default)]
pub(crate) struct Names {
    buffers: FxHashMap<u32, Arc<Store>>,
    programs: FxHashSet<u32>,
    textures: FxHashMap<u32, Arc<Texture>>,
}

impl Names {
    /// Registers a buffer.
    pub(crate) fn add_buffer(&mut self, store: Arc<Store>) {
        EXIST.store(true, Ordering::Relaxed);
        self.buffers.insert(store.name, store);
    }

    /// Removes a buffer that is deleted, unless another one has its name.
    pub(crate) fn forget_buffer(&mut self, store: &Arc<Store>) {
        let is_same = |known: &Arc<Store>| Arc::ptr_eq(known, store);
        if self.buffers.get(&store.name).is_some_and(is_same) {
            self.buffers.remove(&store.name);
        }
    }

    /// Removes a texture that is deleted or has another name, unless another one has this name.
    fn forget_texture(&mut self, name: u32, texture: &Texture) {
        let is_same = |known: &Arc<Texture>| std::ptr::eq(Arc::as_ptr(known), texture);
        if self.textures.get(&name).is_some_and(is_same) {
            self.textures.remove(&name);
        }
    }

    /// Registers a program object.
    pub(crate) fn add_program(&mut self, program: u32) {
        EXIST.store(true, Ordering::Relaxed);
        self.programs.insert(program);
    }
}

/// Texture of this library that outlives the command that created it.
#[derive(Debug)]
pub(crate) struct Texture {
    /// Name; 0 if the texture is lost. Locked while the texture moves to another name or is
    /// deleted, which several threads may do at once: the old name is not used then.
    name: Mutex<u32>,
    size: [i32; 2],
}

impl Texture {
    /// Returns true if the application has taken its name.
    pub(crate) fn is_lost(&self) -> bool {
        *self.name.lock() == 0
    }

    /// Binds it to `TEXTURE_2D` of the active unit. A bound texture outlives its name.
    pub(crate) fn bind(&self) {
        let name = self.name.lock();
        driver::BindTexture(driver::constants::TEXTURE_2D, *name);
    }
}

impl State {
    /// Deletes a program object of this library.
    pub(crate) fn delete_program(&self, program: u32) {
        // In this order: the application may receive the name for a program of another thread as
        // soon as this one is deleted.
        self.shared().names.programs.remove(&program);
        driver::DeleteProgram(program);
    }

    /// Abandons the buffer of this library that has a name, if there is one.
    pub(crate) fn claim_buffer(&self, name: u32) {
        // Between `Begin` and `End` commands with names of buffers are errors.
        if self.is_inside {
            return;
        }
        let store = self.shared().names.buffers.get(&name).cloned();
        if let Some(store) = store {
            store.give_up();
            self.shared().names.forget_buffer(&store);
        }
    }

    /// Returns the name of a buffer for the driver, which is [`NOBODYS`] for one of this library.
    pub(crate) fn foreign_buffer(&self, name: u32) -> u32 {
        let is_ours = |store: &Arc<Store>| !store.is_given_up();
        if self.shared().names.buffers.get(&name).is_some_and(is_ours) {
            NOBODYS
        } else {
            name
        }
    }

    /// Returns the name of a program object for the driver, which is [`NOBODYS`] for one of this
    /// library.
    pub(crate) fn foreign_program(&self, name: u32) -> u32 {
        if self.shared().names.programs.contains(&name) {
            NOBODYS
        } else {
            name
        }
    }

    /// Returns the name of a pipeline object for the driver, which is [`NOBODYS`] for that of this
    /// library.
    pub(crate) fn foreign_pipeline(&self, name: u32) -> u32 {
        if self.drawing.mixed.has_name(name) {
            NOBODYS
        } else {
            name
        }
    }

    /// Registers a texture of a list.
    pub(crate) fn keep_texture(&self, name: u32, size: [i32; 2]) -> Arc<Texture> {
        EXIST.store(true, Ordering::Relaxed);
        let texture = Arc::new(Texture {
            name: Mutex::new(name),
            size,
        });
        let mut share = self.shared();
        share.names.textures.insert(name, Arc::clone(&texture));
        texture
    }

    /// Deletes a texture that a list held.
    pub(crate) fn delete_texture(&self, texture: &Texture) {
        let mut name = texture.name.lock();
        if *name != 0 {
            query::delete_texture(*name);
            self.shared().names.forget_texture(*name, texture);
            *name = 0;
        }
    }

    /// Moves the texture of this library that has a name to another name, if there is one. A driver
    /// that does not copy images loses it.
    pub(crate) fn claim_texture(&self, name: u32) {
        if self.is_inside || name == 0 {
            return;
        }
        let texture = self.shared().names.textures.get(&name).cloned();
        let Some(texture) = texture else { return };
        let mut current = texture.name.lock();
        if *current != name {
            // Another thread has moved or deleted it in between.
            return;
        }
        let copies = self.capabilities.has("GL_ARB_copy_image", 43);
        let moved = copies.then(|| query::copied_texture(name, texture.size));
        *current = moved.unwrap_or(0);
        query::delete_texture(name);
        let mut share = self.shared();
        share.names.forget_texture(name, &texture);
        if *current != 0 {
            share.names.textures.insert(*current, Arc::clone(&texture));
        }
    }
}
