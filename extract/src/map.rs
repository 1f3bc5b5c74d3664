//! Files in memory.

use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

/// Smallest file that is mapped; smaller ones are read, which takes less time.
const MIN_MAPPED: u64 = 64 << 10;

/// Contents of a file.
#[derive(Debug)]
pub(crate) enum FileData {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl FileData {
    /// Opens a file. Large ones are mapped.
    ///
    /// # Errors
    /// If it cannot be opened or read.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        if file.metadata()?.len() >= MIN_MAPPED {
            // SAFETY: the mapping is read-only and private to this process, and its bytes are only
            // read, as integers. A process that changes the file at the same time may change them
            // between two reads: the scan does not rely on equal values for memory safety, because
            // each access is checked against the length of the slice. A process that shortens the
            // file ends this one with SIGBUS, as it does with other commands that map files.
            if let Ok(map) = unsafe { Mmap::map(&file) } {
                return Ok(Self::Mapped(map));
            }
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Self::Read(bytes))
    }
}

impl Deref for FileData {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
}
