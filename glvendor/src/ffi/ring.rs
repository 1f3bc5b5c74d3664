//! Buffers that parameters are written to, one draw after the other.
//!
//! Applications of the compatibility profile choose names of buffers themselves, so that a buffer
//! of this library never has a name that an application uses: [`Store::give_up`] deletes the buffer
//! before the command of the application runs (`crate::names`), and the ring writes to another one
//! from then on. Memory of a buffer is written only while its store is locked and not given up.
//!
//! If the driver has no `ARB_buffer_storage` each write maps its range, which no draw reads yet,
//! without waiting.

use super::{driver, query};
use crate::context::Shared;
use crate::lock::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};

/// Bytes of a buffer.
const SIZE: usize = 1 << 20;

/// Names that a ring passes over at most when applications have claimed its names.
const MOST_PASSED: usize = 1 << 12;

/// Method of writing to a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Maps {
    /// Mapped for each write.
    #[default]
    Each,
    /// The buffer is mapped persistently: `ARB_buffer_storage`.
    Always,
}

/// Access to the memory of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Memory {
    /// The buffer is mapped for each write.
    Unmapped,
    /// The buffer is mapped persistently at this address, an integer because contexts move to other
    /// threads.
    Mapped(usize),
    /// The buffer is deleted: neither its name nor its memory is this library's.
    GivenUp,
}

/// Buffer of the driver that belongs to this library until its name is given up.
#[derive(Debug)]
pub(crate) struct Store {
    /// Name, which is not 0.
    pub(crate) name: u32,
    memory: Mutex<Memory>,
    /// True if `memory == GivenUp`, which can be read without the lock.
    is_given_up: AtomicBool,
}

impl Store {
    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock()
    }

    /// Deletes the buffer, unless it is deleted already, so that the name is free. A context that
    /// shares the buffer must be current, outside of `Begin` and `End`. Waits until no other thread
    /// writes to the buffer.
    pub(crate) fn give_up(&self) {
        let mut memory = self.lock();
        if *memory != Memory::GivenUp {
            *memory = Memory::GivenUp;
            self.is_given_up.store(true, Ordering::Release);
            query::delete_buffer(self.name);
        }
    }

    /// Returns true if the name is abandoned, before the driver deletes the buffer.
    pub(crate) fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Acquire)
    }

    /// Creates a store for a new name, without memory yet.
    fn new(name: u32) -> Self {
        Self {
            name,
            memory: Mutex::new(Memory::Unmapped),
            is_given_up: AtomicBool::new(false),
        }
    }

    /// Creates the buffer and maps it if mappings are persistent. `None` if the driver rejects it.
    fn allocate(&self, maps: Maps) -> Option<Memory> {
        const PERSISTENT_WRITES: u32 = 0x0002 | 0x0040 | 0x0080;
        const STREAM_DRAW: u32 = 0x88E0;
        const UNIFORM_BUFFER: u32 = 0x8A11;
        let size = SIZE as isize;
        let bound = query::integer(0x8A28) as u32;
        driver::BindBuffer(UNIFORM_BUFFER, self.name);
        let memory = match maps {
            Maps::Each => {
                // SAFETY: without a source the command reads no memory of this process.
                unsafe { driver::BufferData(UNIFORM_BUFFER, size, std::ptr::null(), STREAM_DRAW) };
                Some(Memory::Unmapped)
            }
            Maps::Always => {
                // SAFETY: without a source the command reads no memory of this process.
                unsafe {
                    driver::BufferStorage(UNIFORM_BUFFER, size, std::ptr::null(), PERSISTENT_WRITES)
                };
                // SAFETY: the command reads no memory of this process; its result is checked.
                let mapped =
                    unsafe { driver::MapBufferRange(UNIFORM_BUFFER, 0, size, PERSISTENT_WRITES) };
                (!mapped.is_null()).then_some(Memory::Mapped(mapped as usize))
            }
        };
        driver::BindBuffer(UNIFORM_BUFFER, bound);
        memory
    }

    /// Writes bytes at an offset. `None` if the name is given up or the driver does not map the
    /// range.
    fn write(&self, offset: usize, bytes: &[u8]) -> Option<()> {
        let memory = self.lock();
        if bytes.is_empty() {
            return Some(());
        }
        match *memory {
            Memory::GivenUp => None,
            Memory::Unmapped => self.write_mapped(offset, bytes),
            Memory::Mapped(address) => {
                debug_assert!(offset + bytes.len() <= SIZE);
                // SAFETY: all `SIZE` bytes at the address are mapped until the buffer is deleted or
                // redefined. `give_up` alone deletes it, which the lock excludes; applications
                // cannot, as each command that names the buffer abandons it before. `Ring::write`
                // checks that the range is in the buffer. No draw reads the range yet, and `bytes`
                // is memory of this process's heap.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        bytes.as_ptr(),
                        (address + offset) as *mut u8,
                        bytes.len(),
                    )
                };
                Some(())
            }
        }
    }

    /// Maps a range that no draw reads yet for one write. The store is locked.
    fn write_mapped(&self, offset: usize, bytes: &[u8]) -> Option<()> {
        const NEW_WRITES: u32 = 0x0002 | 0x0004 | 0x0020;
        let bound = query::integer(0x8A28) as u32;
        driver::BindBuffer(0x8A11, self.name);
        let (offset, size) = (offset as isize, bytes.len() as isize);
        // SAFETY: the command reads no memory of this process; its result is checked.
        let mapped = unsafe { driver::MapBufferRange(0x8A11, offset, size, NEW_WRITES) };
        if !mapped.is_null() {
            // SAFETY: as many bytes are mapped for writing until `UnmapBuffer`; the lock prevents
            // other threads from giving the name up.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped.cast::<u8>(), bytes.len())
            };
            driver::UnmapBuffer(0x8A11);
        }
        driver::BindBuffer(0x8A11, bound);
        (!mapped.is_null()).then_some(())
    }
}

/// Sequence of buffers. Each range of a buffer is written once; a full buffer is replaced, and the
/// driver retains the old one as long as draws read it.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    store: Option<Arc<Store>>,
    maps: Maps,
    /// Number of buffers created until now: the driver may return the name of a deleted buffer
    /// again.
    serial: u32,
    used: usize,
    /// Names that are passed over for the next buffer.
    passed: usize,
}

impl Ring {
    /// Reserves a number of bytes, in another buffer if this one is full or abandoned. Previous
    /// contents are then lost: the driver retains them for draws in progress only. `None` if the
    /// driver cannot create a buffer.
    pub(crate) fn reserve(&mut self, bytes: usize, maps: Maps, share: &Shared) -> Option<()> {
        let is_claimed = self.is_claimed();
        if self.store.is_some() && !is_claimed && self.used + bytes <= SIZE {
            return Some(());
        }
        if bytes > SIZE {
            return None;
        }
        if is_claimed {
            // The application chooses names: the next buffers are farther from them.
            self.passed = (2 * self.passed).clamp(1, MOST_PASSED);
        }
        self.renew(maps, share)
    }

    fn is_claimed(&self) -> bool {
        let store = self.store.as_ref();
        store.is_some_and(|it| it.is_given_up())
    }

    /// Returns the buffer that is written to: its name, 0 for none, and its number among all.
    pub(crate) fn buffer(&self) -> (u32, u32) {
        (self.store.as_ref().map_or(0, |it| it.name), self.serial)
    }

    /// Writes bytes to space that was reserved. Returns their offset in the buffer, `None` if the
    /// buffer is given up.
    pub(crate) fn write(&mut self, bytes: &[u8], alignment: usize) -> Option<usize> {
        let offset = self.used.next_multiple_of(alignment.max(1));
        let end = offset.checked_add(bytes.len()).filter(|end| *end <= SIZE)?;
        self.store.as_ref()?.write(offset, bytes)?;
        self.used = end;
        Some(offset)
    }

    /// Binds a range of the buffer, by offset and size, to a uniform buffer binding. `None` if the
    /// buffer is given up.
    pub(crate) fn bind(
        &self,
        binding: u32,
        (offset, size): (usize, usize),
        binds: query::Binds,
    ) -> Option<()> {
        let store = self.store.as_ref()?;
        // The name belongs to this library while the lock is held.
        let memory = store.lock();
        if *memory == Memory::GivenUp {
            return None;
        }
        query::bind_uniform_buffer(binding, (store.name, offset, size), binds);
        Some(())
    }

    fn renew(&mut self, maps: Maps, share: &Shared) -> Option<()> {
        self.maps = maps;
        self.used = 0;
        self.serial += 1;
        if let Some(old) = self.store.take() {
            release(&old, share);
        }
        // The lock is held until the name is registered, so that a command of another thread that
        // uses the name finds it.
        let mut shared = share.lock();
        let name = query::last_new_buffer_name(1 + self.passed);
        if name == 0 {
            return None;
        }
        let store = Arc::new(Store::new(name));
        let mut memory = store.lock();
        shared.names.add_buffer(Arc::clone(&store));
        drop(shared);
        let made = store.allocate(maps);
        *memory = made.unwrap_or(Memory::Unmapped);
        drop(memory);
        if made.is_none() {
            release(&store, share);
            return None;
        }
        self.store = Some(store);
        Some(())
    }

    /// Passes the buffer to the caller, which deletes it when this context is deleted.
    pub(crate) fn take(&mut self) -> Option<Arc<Store>> {
        self.store.take()
    }
}

/// Deletes a buffer that is not written to any more, and then clears its name: a command that uses
/// the name at the same time waits for the deletion.
pub(crate) fn release(store: &Arc<Store>, share: &Shared) {
    store.give_up();
    let mut shared = share.lock();
    shared.names.forget_buffer(store);
}
