//! Names of objects of the driver that are this library's, in name spaces that it has in common
//! with the application.
//!
//! Applications see none of them. If applications can choose names (buffers, textures), the library
//! deletes its object or moves it to another name before a command with that name runs. If only
//! generated names are valid (program objects, pipeline objects), commands receive [`UNUSED_NAME`]
//! instead of a name of the library, so that the driver responds as to any name that was not
//! generated.

use crate::context::State;
use crate::ffi::ring_buffer::ParameterBuffer;
use crate::ffi::{driver, driver_state};
use crate::lock::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Name that no object has: drivers generate names from 1 on.
pub(crate) const UNUSED_NAME: u32 = u32::MAX;

/// True if this library has created an object in any context. Until then commands are not
/// inspected.
static OBJECTS_EXIST: AtomicBool = AtomicBool::new(false);

/// Returns true if this library may have objects in the driver's name spaces; false is the fast
/// path, which needs no lock.
#[inline]
pub(crate) fn may_have_objects() -> bool {
    OBJECTS_EXIST.load(Ordering::Relaxed)
}

/// Names that contexts share.
#[derive(Debug, Default)]
pub(crate) struct LibraryNames {
    buffers: FxHashMap<u32, Arc<ParameterBuffer>>,
    programs: FxHashSet<u32>,
    textures: FxHashMap<u32, Arc<ListTexture>>,
}

impl LibraryNames {
    /// Registers a buffer of this library, whose name is hidden from the application.
    pub(crate) fn add_buffer(&mut self, store: Arc<ParameterBuffer>) {
        OBJECTS_EXIST.store(true, Ordering::Relaxed);
        self.buffers.insert(store.name, store);
    }

    /// Removes a buffer that is deleted from the registered names, unless another one has its name.
    pub(crate) fn remove_buffer(&mut self, store: &Arc<ParameterBuffer>) {
        let is_same = |known: &Arc<ParameterBuffer>| Arc::ptr_eq(known, store);
        if self.buffers.get(&store.name).is_some_and(is_same) {
            self.buffers.remove(&store.name);
        }
    }

    /// Removes a texture that is deleted or has another name from the registered names, unless
    /// another one has this name.
    fn remove_texture(&mut self, name: u32, texture: &ListTexture) {
        let is_same = |known: &Arc<ListTexture>| std::ptr::eq(Arc::as_ptr(known), texture);
        if self.textures.get(&name).is_some_and(is_same) {
            self.textures.remove(&name);
        }
    }

    /// Registers a program object of this library, whose name is hidden from the application.
    pub(crate) fn add_program(&mut self, program: u32) {
        OBJECTS_EXIST.store(true, Ordering::Relaxed);
        self.programs.insert(program);
    }
}

/// Texture of this library that outlives the command that created it.
#[derive(Debug)]
pub(crate) struct ListTexture {
    /// Name; 0 if the texture is lost. Locked while the texture moves to another name or is
    /// deleted, which several threads may do at once: the old name is not used then.
    name: Mutex<u32>,
    size: [i32; 2],
}

impl ListTexture {
    /// Returns true if the application has taken its name.
    pub(crate) fn is_lost(&self) -> bool {
        *self.name.lock() == 0
    }

    /// Binds it to `TEXTURE_2D` of the active unit; a lost texture binds 0. A bound texture
    /// outlives its name.
    pub(crate) fn bind(&self) {
        let name = self.name.lock();
        driver::BindTexture(driver::constants::TEXTURE_2D, *name);
    }
}

impl State {
    /// Releases the name of a program object of this library and deletes the object in the driver.
    pub(crate) fn delete_program(&self, program: u32) {
        // In this order: the application may receive the name for a program of another thread as
        // soon as this one is deleted.
        self.lock_share_group().names.programs.remove(&program);
        driver::DeleteProgram(program);
    }

    /// Deletes the buffer of this library that has a name and releases the name, for the
    /// application to use. Does nothing if there is none, or between `Begin` and `End`.
    pub(crate) fn claim_buffer(&self, name: u32) {
        // Between `Begin` and `End` commands with names of buffers are errors.
        if self.is_inside_begin_end {
            return;
        }
        let store = self.lock_share_group().names.buffers.get(&name).cloned();
        if let Some(store) = store {
            store.abandon();
            self.lock_share_group().names.remove_buffer(&store);
        }
    }

    /// Returns the name of a buffer for the driver, which is [`UNUSED_NAME`] for one of this
    /// library.
    pub(crate) fn hide_buffer_name(&self, name: u32) -> u32 {
        let is_ours = |store: &Arc<ParameterBuffer>| !store.is_abandoned();
        if self
            .lock_share_group()
            .names
            .buffers
            .get(&name)
            .is_some_and(is_ours)
        {
            UNUSED_NAME
        } else {
            name
        }
    }

    /// Returns the name of a program object for the driver, which is [`UNUSED_NAME`] for one of
    /// this library.
    pub(crate) fn hide_program_name(&self, name: u32) -> u32 {
        if self.lock_share_group().names.programs.contains(&name) {
            UNUSED_NAME
        } else {
            name
        }
    }

    /// Returns the name of a pipeline object for the driver, which is [`UNUSED_NAME`] for that of
    /// this library.
    pub(crate) fn hide_pipeline_name(&self, name: u32) -> u32 {
        if self.draw_state.mixed_pipeline.has_name(name) {
            UNUSED_NAME
        } else {
            name
        }
    }

    /// Registers the texture of a list's image, whose name is hidden from the application, and
    /// returns its shared reference.
    pub(crate) fn register_texture(&self, name: u32, size: [i32; 2]) -> Arc<ListTexture> {
        OBJECTS_EXIST.store(true, Ordering::Relaxed);
        let texture = Arc::new(ListTexture {
            name: Mutex::new(name),
            size,
        });
        let mut share = self.lock_share_group();
        share.names.textures.insert(name, Arc::clone(&texture));
        texture
    }

    /// Deletes the texture of a list's image in the driver and releases its name; it is lost
    /// afterwards. Does nothing if it is lost already.
    pub(crate) fn delete_texture(&self, texture: &ListTexture) {
        let mut name = texture.name.lock();
        if *name != 0 {
            driver_state::delete_texture(*name);
            self.lock_share_group().names.remove_texture(*name, texture);
            *name = 0;
        }
    }

    /// Moves the texture of this library that has a name to another name, so that the application
    /// can use the name; a texture of a driver that does not copy images is lost. Does nothing if
    /// there is none, for 0, or between `Begin` and `End`.
    pub(crate) fn claim_texture(&self, name: u32) {
        if self.is_inside_begin_end || name == 0 {
            return;
        }
        let texture = self.lock_share_group().names.textures.get(&name).cloned();
        let Some(texture) = texture else { return };
        let mut current = texture.name.lock();
        if *current != name {
            // Another thread has moved or deleted it in between.
            return;
        }
        let copies = self
            .capabilities
            .has_extension_or_version("GL_ARB_copy_image", 43);
        let new_name = copies.then(|| driver_state::copy_texture(name, texture.size));
        *current = new_name.unwrap_or(0);
        driver_state::delete_texture(name);
        let mut share = self.lock_share_group();
        share.names.remove_texture(name, &texture);
        if *current != 0 {
            share.names.textures.insert(*current, Arc::clone(&texture));
        }
    }
}
