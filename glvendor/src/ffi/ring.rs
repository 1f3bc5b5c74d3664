//! Buffers that parameters are written to, one draw behind the other.
//!
//! Where the driver has no `ARB_buffer_storage` each write maps its place, which no draw reads yet, without waiting.

use super::driver;

/// Bytes of a buffer.
const SIZE: usize = 1 << 20;

/// How a buffer is written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Maps {
    /// Mapped for each write.
    #[default]
    Each,
    /// It stays mapped: `ARB_buffer_storage`.
    Always,
}

/// A buffer. Each place of it is written once; when it is full, another one takes its place, and the driver keeps the old
/// one as long as draws read it.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    buffer: u32,
    maps: Maps,
    /// Buffers so far: names come again.
    serial: u32,
    /// Where it is mapped, if it stays so: an address, because the context may move to another thread.
    mapped: usize,
    used: usize,
}

impl Ring {
    /// Makes room for so many bytes, in another buffer if this one is full. What was written before is lost then: the driver keeps it for draws
    /// that are under way, and for nothing else. `None` if the driver gives no buffer.
    pub(crate) fn reserve(&mut self, bytes: usize, maps: Maps) -> Option<()> {
        match self.buffer != 0 && self.used + bytes <= SIZE {
            true => Some(()),
            false if bytes <= SIZE => self.renew(maps),
            false => None,
        }
    }

    /// The buffer that is written to: its name, and its number among all, for names come again.
    pub(crate) fn buffer(&self) -> (u32, u32) {
        (self.buffer, self.serial)
    }

    /// Writes bytes behind what was written before, in room that was reserved. Gives the place in the buffer.
    pub(crate) fn write(&mut self, bytes: &[u8], alignment: usize) -> Option<usize> {
        let place = self.used.next_multiple_of(alignment.max(1));
        if self.buffer == 0 || place + bytes.len() > SIZE {
            return None;
        }
        if self.maps == Maps::Each {
            self.write_mapped(place, bytes)?;
            self.used = place + bytes.len();
            return Some(place);
        }
        // SAFETY: the buffer is mapped for writing, has the room, and nothing reads this place before the next draw.
        unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                (self.mapped + place) as *mut u8,
                bytes.len(),
            )
        };
        self.used = place + bytes.len();
        Some(place)
    }

    /// Maps a place that no draw reads yet, for one write.
    fn write_mapped(&self, place: usize, bytes: &[u8]) -> Option<()> {
        const NEW_WRITES: u32 = 0x0002 | 0x0004 | 0x0020;
        if bytes.is_empty() {
            return Some(());
        }
        let [bound] = super::query::integers(0x8A28);
        driver::BindBuffer(0x8A11, self.buffer);
        let (offset, size) = (place as isize, bytes.len() as isize);
        // SAFETY: the buffer has this place.
        let mapped = unsafe { driver::MapBufferRange(0x8A11, offset, size, NEW_WRITES) };
        if !mapped.is_null() {
            // SAFETY: as many bytes are mapped for writing.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped.cast::<u8>(), bytes.len())
            };
            driver::UnmapBuffer(0x8A11);
        }
        driver::BindBuffer(0x8A11, bound as u32);
        (!mapped.is_null()).then_some(())
    }

    fn renew(&mut self, maps: Maps) -> Option<()> {
        const PERSISTENT_WRITES: u32 = 0x0002 | 0x0040 | 0x0080;
        const STREAM_DRAW: u32 = 0x88E0;
        self.delete();
        self.maps = maps;
        self.used = 0;
        self.serial += 1;
        // SAFETY: there is room for one name.
        unsafe { driver::GenBuffers(1, &mut self.buffer) };
        let [bound] = super::query::integers(0x8A28);
        driver::BindBuffer(0x8A11, self.buffer);
        if maps == Maps::Each {
            // SAFETY: without data the buffer has any contents.
            unsafe { driver::BufferData(0x8A11, SIZE as isize, std::ptr::null(), STREAM_DRAW) };
            driver::BindBuffer(0x8A11, bound as u32);
            return (self.buffer != 0).then_some(());
        }
        // SAFETY: without data the buffer has any contents.
        unsafe {
            driver::BufferStorage(0x8A11, SIZE as isize, std::ptr::null(), PERSISTENT_WRITES)
        };
        // SAFETY: the buffer has this size and may be mapped so.
        self.mapped =
            unsafe { driver::MapBufferRange(0x8A11, 0, SIZE as isize, PERSISTENT_WRITES) } as usize;
        driver::BindBuffer(0x8A11, bound as u32);
        if self.mapped == 0 {
            self.delete();
        }
        (self.buffer != 0).then_some(())
    }

    fn delete(&mut self) {
        if self.buffer != 0 {
            // SAFETY: one buffer. It is not written to any more.
            unsafe { driver::DeleteBuffers(1, &self.buffer) };
            self.buffer = 0;
            self.mapped = 0;
        }
    }
}
