//! Limits on the work that hostile files can cause, and readers that observe them.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// Limits of the unpacking of archives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Archives inside of each other at most; compressed files are archives.
    pub depth: usize,
    /// Bytes that a file may unpack to, all archives inside of it together.
    pub unpacked_bytes: u64,
    /// The same as a multiple of the bytes of the file, in addition to
    /// [`free_bytes`](Self::free_bytes).
    pub ratio: u64,
    /// Bytes that a file of any size may unpack to.
    pub free_bytes: u64,
    /// Bytes of an archive inside of another one whose format requires random access.
    pub nested_bytes: u64,
    /// Entries of an archive at most.
    pub entries: usize,
    /// Messages about a file at most.
    pub problems: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 6,
            unpacked_bytes: 64 << 30,
            ratio: 200,
            free_bytes: 64 << 20,
            nested_bytes: 256 << 20,
            entries: 1_000_000,
            problems: 20,
        }
    }
}

impl Limits {
    /// Returns the bytes that a file of this size may unpack to.
    pub(crate) fn allow_unpacked_bytes(&self, file_bytes: u64) -> u64 {
        let by_ratio = file_bytes.saturating_mul(self.ratio);
        self.unpacked_bytes
            .min(by_ratio.saturating_add(self.free_bytes))
    }
}

/// A reader of unpacked bytes, which fails once all readers of a file together have read more than
/// is allowed.
pub(crate) struct CountedReader<R> {
    inner: R,
    remaining: Rc<Cell<u64>>,
}

impl<R: Read> CountedReader<R> {
    /// Returns a reader that subtracts the bytes that it reads from `remaining`.
    pub(crate) fn new(inner: R, remaining: Rc<Cell<u64>>) -> Self {
        Self { inner, remaining }
    }
}

impl<R: Read> Read for CountedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.remaining.get() == 0 {
            return Err(io::Error::other(
                "the file unpacks to more bytes than allowed; the rest is not searched",
            ));
        }
        let allowed = usize::try_from(self.remaining.get()).unwrap_or(usize::MAX);
        let length = buffer.len().min(allowed);
        let count = self.inner.read(&mut buffer[..length])?;
        self.remaining.set(self.remaining.get() - count as u64);
        Ok(count)
    }
}
