//! Buffers that parameters are written to, one draw behind the other.

use super::driver;

/// Bytes of a buffer.
const SIZE: usize = 1 << 20;

/// A buffer that stays mapped. Each place of it is written once; when it is full, another one takes its place, and the driver keeps the old
/// one as long as draws read it.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    buffer: u32,
    /// Buffers so far: names come again.
    serial: u32,
    /// Where it is mapped: an address, because the context may move to another thread.
    mapped: usize,
    used: usize,
}

impl Ring {
    /// Makes room for so many bytes, in another buffer if this one is full. What was written before is lost then: the driver keeps it for draws
    /// that are under way, and for nothing else. `None` if the driver gives no buffer.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Option<()> {
        match self.mapped != 0 && self.used + bytes <= SIZE {
            true => Some(()),
            false if bytes <= SIZE => self.renew(),
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
        if self.mapped == 0 || place + bytes.len() > SIZE {
            return None;
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

    fn renew(&mut self) -> Option<()> {
        const PERSISTENT_WRITES: u32 = 0x0002 | 0x0040 | 0x0080;
        self.delete();
        self.serial += 1;
        // SAFETY: there is room for one name.
        unsafe { driver::GenBuffers(1, &mut self.buffer) };
        let [bound] = super::query::integers(0x8A28);
        driver::BindBuffer(0x8A11, self.buffer);
        // SAFETY: without data the buffer has any contents.
        unsafe {
            driver::BufferStorage(0x8A11, SIZE as isize, std::ptr::null(), PERSISTENT_WRITES)
        };
        // SAFETY: the buffer has this size and may be mapped so.
        self.mapped =
            unsafe { driver::MapBufferRange(0x8A11, 0, SIZE as isize, PERSISTENT_WRITES) } as usize;
        self.used = 0;
        driver::BindBuffer(0x8A11, bound as u32);
        (self.mapped != 0).then_some(())
    }

    fn delete(&mut self) {
        if self.buffer != 0 {
            // SAFETY: one buffer. It is not written to any more.
            unsafe { driver::DeleteBuffers(1, &self.buffer) };
            self.mapped = 0;
        }
    }
}
