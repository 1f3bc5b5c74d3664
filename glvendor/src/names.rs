//! Names of objects of the driver that are this library's, in name spaces that it has in common with the application.
//!
//! Applications see none of them. Where applications choose names themselves (buffers, textures),
//! the library gives its object up or moves it to another name before a command with that name
//! runs. Where only generated names are valid (program objects, pipeline objects), commands get
//! [`NOBODYS`] instead of a name of the library, so that the driver answers as it does for any name
//! that was not generated.

use crate::context::State;
use crate::ffi::ring::Store;
use crate::ffi::{driver, query};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A name that no object has: drivers generate names from 1 on.
pub(crate) const NOBODYS: u32 = u32::MAX;

/// Whether this library has made an object in any context. Until then commands are not looked at.
static EXIST: AtomicBool = AtomicBool::new(false);

/// Returns whether this library may have objects.
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

    /// Registers a program object.
    pub(crate) fn add_program(&mut self, program: u32) {
        EXIST.store(true, Ordering::Relaxed);
        self.programs.insert(program);
    }
}

/// A texture of this library that outlives the command that made it.
#[derive(Debug)]
pub(crate) struct Texture {
    /// The name; 0 if the texture is lost.
    name: std::sync::atomic::AtomicU32,
    size: [i32; 2],
}

impl Texture {
    /// The name of a texture that is to be used at once; 0 if the texture is lost.
    pub(crate) fn name(&self) -> u32 {
        self.name.load(Ordering::Acquire)
    }
}

impl State {
    /// Deletes a program object of this library.
    pub(crate) fn delete_program(&self, program: u32) {
        driver::DeleteProgram(program);
        self.shared().names.programs.remove(&program);
    }

    /// Gives up the buffer of this library that has a name, if there is one.
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

    /// The name of a buffer for the driver, which is [`NOBODYS`] for one of this library.
    pub(crate) fn foreign_buffer(&self, name: u32) -> u32 {
        if self.shared().names.buffers.contains_key(&name) {
            NOBODYS
        } else {
            name
        }
    }

    /// The name of a program object for the driver, which is [`NOBODYS`] for one of this library.
    pub(crate) fn foreign_program(&self, name: u32) -> u32 {
        if self.shared().names.programs.contains(&name) {
            NOBODYS
        } else {
            name
        }
    }

    /// The name of a pipeline object for the driver, which is [`NOBODYS`] for that of this library.
    pub(crate) fn foreign_pipeline(&self, name: u32) -> u32 {
        if name != 0 && name == self.drawing.both {
            NOBODYS
        } else {
            name
        }
    }

    /// Registers a texture that a list holds.
    pub(crate) fn keep_texture(&self, name: u32, size: [i32; 2]) -> Arc<Texture> {
        EXIST.store(true, Ordering::Relaxed);
        let texture = Arc::new(Texture {
            name: name.into(),
            size,
        });
        let mut share = self.shared();
        share.names.textures.insert(name, Arc::clone(&texture));
        texture
    }

    /// Deletes a texture that a list held.
    pub(crate) fn delete_texture(&self, texture: &Texture) {
        let name = texture.name.swap(0, Ordering::AcqRel);
        if name != 0 {
            query::delete_texture(name);
            self.shared().names.textures.remove(&name);
        }
    }

    /// Moves the texture of this library that has a name to another name, if there is one. A driver that does not copy images loses it.
    pub(crate) fn claim_texture(&self, name: u32) {
        if self.is_inside || name == 0 {
            return;
        }
        let texture = self.shared().names.textures.remove(&name);
        let Some(texture) = texture else { return };
        let copies = self.capabilities.has("GL_ARB_copy_image", 43);
        let moved = copies.then(|| query::copied_texture(name, texture.size));
        let moved = moved.unwrap_or(0);
        texture.name.store(moved, Ordering::Release);
        query::delete_texture(name);
        if moved != 0 {
            self.shared().names.textures.insert(moved, texture);
        }
    }
}
