//! Buffers that parameters are written to, one draw after the other.
//!
//! Applications of the compatibility profile choose names of buffers themselves, so that a buffer
//! of this library never has a name that an application uses: [`ParameterBuffer::abandon`] deletes
//! it before the command of the application runs (`crate::object_names`), and the ring writes to
//! another one from then on. Memory of a buffer is written only while its store is locked and not
//! given up.
//!
//! If the driver has no `ARB_buffer_storage` each write maps its range, which no draw reads yet,
//! without waiting.

use super::{driver, driver_state};
use crate::context::ShareGroupRef;
use crate::lock::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};

/// Bytes of a buffer.
const BUFFER_SIZE: usize = 1 << 20;

/// Names that a ring passes over at most when applications have claimed its names.
const MAX_SKIPPED_NAMES: usize = 1 << 12;

/// Method of writing to a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum MapMethod {
    /// Mapped for each write.
    #[default]
    PerWrite,
    /// The buffer is mapped persistently: `ARB_buffer_storage`.
    Persistent,
}

/// Access to the memory of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BufferMemory {
    /// The buffer is mapped for each write.
    Unmapped,
    /// The buffer is mapped persistently at this address, an integer because contexts move to other
    /// threads.
    Mapped(usize),
    /// The buffer is deleted: neither its name nor its memory is this library's.
    Abandoned,
}

/// Buffer of the driver that belongs to this library until its name is given up.
#[derive(Debug)]
pub(crate) struct ParameterBuffer {
    /// Name, which is not 0.
    pub(crate) name: u32,
    memory: Mutex<BufferMemory>,
    /// True if `memory == Abandoned`, which can be read without the lock.
    is_abandoned: AtomicBool,
}

impl ParameterBuffer {
    /// Locks the mapped memory of the buffer. Blocks while another thread writes to it or deletes
    /// it.
    fn lock_memory(&self) -> MutexGuard<'_, BufferMemory> {
        self.memory.lock()
    }

    /// Deletes the buffer, unless it is deleted already, so that the name is free. A context that
    /// shares the buffer must be current, outside of `Begin` and `End`. Waits until no other thread
    /// writes to the buffer.
    pub(crate) fn abandon(&self) {
        let mut memory = self.lock_memory();
        if *memory != BufferMemory::Abandoned {
            *memory = BufferMemory::Abandoned;
            self.is_abandoned.store(true, Ordering::Release);
            driver_state::delete_buffer(self.name);
        }
    }

    /// Returns true if the name is abandoned, before the driver deletes the buffer.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Acquire)
    }

    /// Creates the record of a buffer name, without memory yet.
    fn new(name: u32) -> Self {
        Self {
            name,
            memory: Mutex::new(BufferMemory::Unmapped),
            is_abandoned: AtomicBool::new(false),
        }
    }

    /// Allocates the memory of the buffer in the driver, and maps it if mappings are persistent.
    /// `None` if the driver does not map it. The binding of `UNIFORM_BUFFER` is the same
    /// afterwards.
    fn allocate(&self, maps: MapMethod) -> Option<BufferMemory> {
        const PERSISTENT_WRITES: u32 = 0x0002 | 0x0040 | 0x0080;
        const STREAM_DRAW: u32 = 0x88E0;
        const UNIFORM_BUFFER: u32 = 0x8A11;
        let size = BUFFER_SIZE as isize;
        let bound = driver_state::integer(0x8A28) as u32;
        driver::BindBuffer(UNIFORM_BUFFER, self.name);
        let memory = match maps {
            MapMethod::PerWrite => {
                // SAFETY: without a source the command reads no memory of this process.
                unsafe { driver::BufferData(UNIFORM_BUFFER, size, std::ptr::null(), STREAM_DRAW) };
                Some(BufferMemory::Unmapped)
            }
            MapMethod::Persistent => {
                // SAFETY: without a source the command reads no memory of this process.
                unsafe {
                    driver::BufferStorage(UNIFORM_BUFFER, size, std::ptr::null(), PERSISTENT_WRITES)
                };
                // SAFETY: the command reads no memory of this process; its result is checked.
                let mapped =
                    unsafe { driver::MapBufferRange(UNIFORM_BUFFER, 0, size, PERSISTENT_WRITES) };
                (!mapped.is_null()).then_some(BufferMemory::Mapped(mapped as usize))
            }
        };
        driver::BindBuffer(UNIFORM_BUFFER, bound);
        memory
    }

    /// Writes bytes at an offset, which with their length is within the buffer. `None` if the name
    /// is given up or the driver does not map the range. Blocks while another thread uses the
    /// memory.
    fn write(&self, offset: usize, bytes: &[u8]) -> Option<()> {
        let memory = self.lock_memory();
        if bytes.is_empty() {
            return Some(());
        }
        match *memory {
            BufferMemory::Abandoned => None,
            BufferMemory::Unmapped => self.write_mapped(offset, bytes),
            BufferMemory::Mapped(address) => {
                debug_assert!(offset + bytes.len() <= BUFFER_SIZE);
                // SAFETY: all `BUFFER_SIZE` bytes at the address are mapped until the buffer is
                // deleted or redefined. `abandon` alone deletes it, which the lock excludes;
                // applications cannot, as each command that names the buffer abandons it before.
                // `BufferRing::write` checks that the range is in the buffer. No draw reads the
                // range yet, and `bytes` is memory of this process's heap.
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

    /// Maps a range that no draw reads yet for one write and unmaps it. `None` if the driver does
    /// not map it. The caller has locked the memory.
    fn write_mapped(&self, offset: usize, bytes: &[u8]) -> Option<()> {
        const NEW_WRITES: u32 = 0x0002 | 0x0004 | 0x0020;
        let bound = driver_state::integer(0x8A28) as u32;
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
pub(crate) struct BufferRing {
    store: Option<Arc<ParameterBuffer>>,
    map_method: MapMethod,
    /// Number of buffers created until now: the driver may return the name of a deleted buffer
    /// again.
    serial: u32,
    used_bytes: usize,
    /// Names that are passed over for the next buffer.
    skipped_names: usize,
}

impl BufferRing {
    /// Reserves a number of bytes, in another buffer if this one is full or abandoned. Previous
    /// contents are then lost: the driver retains them for draws in progress only. `None` if the
    /// bytes exceed the size of a buffer or the driver cannot create one.
    pub(crate) fn reserve(
        &mut self,
        bytes: usize,
        maps: MapMethod,
        share: &ShareGroupRef,
    ) -> Option<()> {
        let is_claimed = self.is_claimed();
        if self.store.is_some() && !is_claimed && self.used_bytes + bytes <= BUFFER_SIZE {
            return Some(());
        }
        if bytes > BUFFER_SIZE {
            return None;
        }
        if is_claimed {
            // The application chooses names: the next buffers are farther from them.
            self.skipped_names = (2 * self.skipped_names).clamp(1, MAX_SKIPPED_NAMES);
        }
        self.replace_buffer(maps, share)
    }

    /// Returns true if the application has taken the name of the current buffer, which was deleted
    /// for that reason; false without a buffer.
    fn is_claimed(&self) -> bool {
        let store = self.store.as_ref();
        store.is_some_and(|it| it.is_abandoned())
    }

    /// Returns the buffer that is written to: its name, 0 for none, and its number among all.
    pub(crate) fn buffer(&self) -> (u32, u32) {
        (self.store.as_ref().map_or(0, |it| it.name), self.serial)
    }

    /// Writes bytes to space that was reserved, at the next multiple of `alignment`. Returns their
    /// byte offset in the buffer; `None` if they do not fit, or the buffer is given up or cannot be
    /// mapped.
    pub(crate) fn write(&mut self, bytes: &[u8], alignment: usize) -> Option<usize> {
        let offset = self.used_bytes.next_multiple_of(alignment.max(1));
        let end = offset
            .checked_add(bytes.len())
            .filter(|end| *end <= BUFFER_SIZE)?;
        self.store.as_ref()?.write(offset, bytes)?;
        self.used_bytes = end;
        Some(offset)
    }

    /// Binds a range of the current buffer, by offset and size in bytes, to a uniform buffer
    /// binding. `None` if there is no buffer or it is given up.
    pub(crate) fn bind_range(
        &self,
        binding: u32,
        (offset, size): (usize, usize),
        binds: driver_state::BindMethod,
    ) -> Option<()> {
        let store = self.store.as_ref()?;
        // The name belongs to this library while the lock is held.
        let memory = store.lock_memory();
        if *memory == BufferMemory::Abandoned {
            return None;
        }
        driver_state::bind_uniform_buffer(binding, (store.name, offset, size), binds);
        Some(())
    }

    /// Replaces the buffer of the ring with a new, empty one of the driver, mapped in the requested
    /// way, registers its name as one of this library, and deletes the old one. `None`, and no
    /// buffer, if the driver does not create or map it.
    fn replace_buffer(&mut self, maps: MapMethod, share: &ShareGroupRef) -> Option<()> {
        self.map_method = maps;
        self.used_bytes = 0;
        self.serial += 1;
        if let Some(old) = self.store.take() {
            delete_buffer(&old, share);
        }
        // The lock is held until the name is registered, so that a command of another thread that
        // uses the name finds it.
        let mut shared = share.lock();
        let name = driver_state::last_new_buffer_name(1 + self.skipped_names);
        if name == 0 {
            return None;
        }
        let store = Arc::new(ParameterBuffer::new(name));
        let mut memory = store.lock_memory();
        shared.names.add_buffer(Arc::clone(&store));
        drop(shared);
        let allocated = store.allocate(maps);
        *memory = allocated.unwrap_or(BufferMemory::Unmapped);
        drop(memory);
        if allocated.is_none() {
            delete_buffer(&store, share);
            return None;
        }
        self.store = Some(store);
        Some(())
    }

    /// Passes the buffer to the caller, which deletes it when this context is deleted.
    pub(crate) fn take_buffer(&mut self) -> Option<Arc<ParameterBuffer>> {
        self.store.take()
    }
}

/// Deletes a buffer that is not written to any more, and then removes its name from those of this
/// library: a command that uses the name at the same time waits for the deletion. The share group
/// must not be locked.
pub(crate) fn delete_buffer(store: &Arc<ParameterBuffer>, share: &ShareGroupRef) {
    store.abandon();
    let mut shared = share.lock();
    shared.names.remove_buffer(store);
}
