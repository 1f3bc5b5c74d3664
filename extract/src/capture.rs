//! Captures of RenderDoc: a header and sections, whose data may consist of blocks that LZ4 or
//! Zstandard has compressed. The comment in `renderdoc/serialise/rdcfile.cpp` describes the format.

use std::io::{self, Cursor, Read};

/// First bytes of a capture.
pub(crate) const MAGIC: &[u8] = b"RDOC\0\0\0\0";

/// Bytes of an unpacked block of LZ4, each of which may refer to the one before.
const LZ4_BLOCK: usize = 64 << 10;

/// Bytes of an unpacked block of Zstandard.
const ZSTD_BLOCK: u64 = 128 << 10;

/// Bytes of a packed block at most: incompressible data grows a little.
const MAX_PACKED: u32 = 160 << 10;

/// Bytes of a line of a section in text form, and of a name, at most.
const MAX_NAME: u64 = 2048;

/// Compression of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compression {
    Stored,
    Lz4,
    Zstd,
}

/// Header of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SectionHeader {
    pub(crate) name: String,
    /// Bytes of the packed data, which follow.
    pub(crate) length: u64,
    pub(crate) compression: Compression,
}

/// Reads the header of a capture, after which the sections begin.
///
/// # Errors
/// If it is incomplete.
pub(crate) fn skip_header(reader: &mut dyn Read) -> io::Result<()> {
    let mut start = [0; 16];
    reader.read_exact(&mut start)?;
    let length = u64::from(read_word(&start, 12));
    let rest = length.saturating_sub(start.len() as u64);
    io::copy(&mut reader.take(rest), &mut io::sink()).map(drop)
}

/// Reads the header of the next section; `None` at the end of the capture.
///
/// # Errors
/// If it is incomplete or damaged.
pub(crate) fn read_section_header(reader: &mut dyn Read) -> io::Result<Option<SectionHeader>> {
    let mut kind = [0];
    if reader.read(&mut kind)? == 0 {
        return Ok(None);
    }
    match kind[0] {
        b'A' => read_text_header(reader).map(Some),
        0 => read_binary_header(reader).map(Some),
        _ => Err(io::Error::other("a section of the capture is damaged")),
    }
}

/// Reads the header of a section in text form: lines with length, type, version and name.
fn read_text_header(reader: &mut dyn Read) -> io::Result<SectionHeader> {
    read_line(reader)?;
    let length = read_line(reader)?;
    read_line(reader)?;
    read_line(reader)?;
    let name = read_line(reader)?;
    let length = length.parse();
    Ok(SectionHeader {
        name,
        length: length.map_err(|_| io::Error::other("a section has no length"))?,
        compression: Compression::Stored,
    })
}

/// Reads a line without its end.
fn read_line(reader: &mut dyn Read) -> io::Result<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    while (line.len() as u64) < MAX_NAME && reader.read(&mut byte)? > 0 && byte[0] != b'\n' {
        line.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// Reads the rest of the header of a section in binary form.
fn read_binary_header(reader: &mut dyn Read) -> io::Result<SectionHeader> {
    let mut header = [0; 40];
    reader.read_exact(&mut header[1..])?;
    let length = u64::from(read_word(&header, 8)) | u64::from(read_word(&header, 12)) << 32;
    let flags = read_word(&header, 32);
    let compression = if flags & 2 != 0 {
        Compression::Lz4
    } else if flags & 4 != 0 {
        Compression::Zstd
    } else {
        Compression::Stored
    };
    let name_length = u64::from(read_word(&header, 36));
    if name_length > MAX_NAME {
        return Err(io::Error::other("a section of the capture is damaged"));
    }
    let mut name = vec![0; name_length as usize];
    reader.read_exact(&mut name)?;
    let name = String::from_utf8_lossy(&name);
    Ok(SectionHeader {
        name: name.trim_end_matches('\0').to_owned(),
        length,
        compression,
    })
}

/// Returns the little-endian word at an offset of a header.
fn read_word(header: &[u8], offset: usize) -> u32 {
    let bytes = std::array::from_fn(|index| header.get(offset + index).copied().unwrap_or(0));
    u32::from_le_bytes(bytes)
}

/// Reader of the data of a section.
pub(crate) struct SectionData<R> {
    inner: R,
    compression: Compression,
    /// Unpacked block before the current one.
    previous: Vec<u8>,
    block: Cursor<Vec<u8>>,
}

impl<R: Read> SectionData<R> {
    /// Returns the reader of packed data.
    pub(crate) fn new(inner: R, compression: Compression) -> Self {
        Self {
            inner,
            compression,
            previous: Vec::new(),
            block: Cursor::default(),
        }
    }

    /// Unpacks the next block; returns false at the end.
    fn read_block(&mut self) -> io::Result<bool> {
        let mut length = [0; 4];
        if self.inner.read(&mut length[..1])? == 0 {
            return Ok(false);
        }
        self.inner.read_exact(&mut length[1..])?;
        let length = u32::from_le_bytes(length);
        if length > MAX_PACKED {
            return Err(io::Error::other("a block of the capture is damaged"));
        }
        let mut packed = vec![0; length as usize];
        self.inner.read_exact(&mut packed)?;
        let previous = std::mem::take(self.block.get_mut());
        let mut unpacked = Vec::new();
        match self.compression {
            Compression::Lz4 => {
                unpacked.resize(LZ4_BLOCK, 0);
                self.previous = previous;
                let size = lz4_flex::block::decompress_into_with_dict(
                    &packed,
                    &mut unpacked,
                    &self.previous,
                );
                unpacked.truncate(size.map_err(io::Error::other)?);
            }
            Compression::Zstd => {
                let frame = ruzstd::decoding::StreamingDecoder::new(&packed[..]);
                let frame = frame.map_err(io::Error::other)?;
                frame.take(ZSTD_BLOCK).read_to_end(&mut unpacked)?;
            }
            Compression::Stored => unpacked = packed,
        }
        self.block = Cursor::new(unpacked);
        Ok(true)
    }
}

impl<R: Read> Read for SectionData<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.compression == Compression::Stored {
            return self.inner.read(buffer);
        }
        loop {
            let count = self.block.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if !self.read_block()? {
                return Ok(0);
            }
        }
    }
}
